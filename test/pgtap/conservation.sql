-- What the ledger says was spent is what the totals say, after any mix of
-- releases, refusals and failures by several roles.
SET client_min_messages = warning;
SELECT plan(13);

CREATE ROLE pgtap_conservation_owner;
CREATE ROLE pgtap_conservation_a;
CREATE ROLE pgtap_conservation_b;
CREATE ROLE pgtap_conservation_group;
CREATE ROLE pgtap_conservation_member IN ROLE pgtap_conservation_group;
GRANT ALL ON SCHEMA public TO pgtap_conservation_owner;
SET SESSION AUTHORIZATION pgtap_conservation_owner;
CREATE TABLE t (flag boolean NOT NULL, n int CHECK (n IN (1, 2, 3)), word text);
INSERT INTO t SELECT i % 2 = 0, 1 + i % 3, 'w' || i % 4 FROM generate_series(1, 500) i;
-- a relation that some releases fail to read: then what was paid stays paid
CREATE TABLE switch (bad boolean);
INSERT INTO switch VALUES (false);
CREATE VIEW shaky AS SELECT flag, n FROM t WHERE 1 / (SELECT CASE WHEN bad THEN 0 ELSE 1 END FROM switch) = 1;
SELECT dp_protect('t', 6, 0.00003);
SELECT dp_define_column('t', 'word', open => true);
SELECT dp_protect('shaky', 3, sensitivity => 1, min_epsilon_per_release => NULL);
SELECT dp_grant(relation, role, epsilon, delta)
  FROM (VALUES ('t'::regclass, 'pgtap_conservation_a'::regrole, 2.5, 0.00001), ('t', 'pgtap_conservation_b', 1.3, 0.00002),
			   ('t', 'pgtap_conservation_group', 1.7, 0.00001), ('shaky', 'pgtap_conservation_a', 2, 0),
			   ('shaky', 'pgtap_conservation_group', 1, 0)) g (relation, role, epsilon, delta);

-- one release of a random size; what came of it
CREATE FUNCTION attempt() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	relation regclass := CASE WHEN random() < 0.7 THEN 't' ELSE 'shaky' END;
	method text := CASE WHEN random() < 0.5 THEN 'sba' ELSE 'sbhg' END;
	epsilon numeric := round((random() ^ 3)::numeric, 1 + floor(random() * 9)::int);
	delta numeric := round((random() * 1e-6)::numeric, 7 + floor(random() * 11)::int);
	options jsonb := (ARRAY['{}', '{"dense_cells": 100}', '{"columns": ["flag", "n"]}', '{"columns": ["flag"]}', '{"nonsense": 1}',
							'{"count_share": 0.33}'])[1 + floor(random() * 6)::int];
	released bigint;
BEGIN
	released := dp_release(relation, method, epsilon, delta, options);
	IF random() < 0.1 THEN
		RAISE EXCEPTION 'changed my mind';
	END IF;
	RETURN 'released';
EXCEPTION WHEN OTHERS THEN
	RETURN sqlstate;
END
$$;
CREATE TABLE outcomes (outcome text);
GRANT INSERT ON outcomes TO public;
GRANT SELECT ON switch TO public;

DO $$ BEGIN FOR i IN 1..60 LOOP INSERT INTO outcomes SELECT attempt(); END LOOP; END $$;
SET SESSION AUTHORIZATION pgtap_conservation_a;
DO $$ BEGIN FOR i IN 1..60 LOOP INSERT INTO outcomes SELECT attempt(); END LOOP; END $$;
SET SESSION AUTHORIZATION pgtap_conservation_b;
DO $$ BEGIN FOR i IN 1..60 LOOP INSERT INTO outcomes SELECT attempt(); END LOOP; END $$;
SET SESSION AUTHORIZATION pgtap_conservation_owner;
UPDATE switch SET bad = true;
SET SESSION AUTHORIZATION pgtap_conservation_member;
DO $$ BEGIN FOR i IN 1..60 LOOP INSERT INTO outcomes SELECT attempt(); END LOOP; END $$;
-- at least one that certainly fails while it reads
DO $$ BEGIN PERFORM dp_release('shaky', 'sbhg', 0.000001); EXCEPTION WHEN data_exception THEN END $$;
SET SESSION AUTHORIZATION pgtap_conservation_owner;
UPDATE switch SET bad = false;
DO $$ BEGIN FOR i IN 1..60 LOOP INSERT INTO outcomes SELECT attempt(); END LOOP; END $$;
-- and the rest is spent to the last unit
DO $$
DECLARE
	rest record;
BEGIN
	SELECT epsilon_left, delta_left INTO rest FROM dp_datasets WHERE relation = 'shaky'::regclass;
	PERFORM dp_release('shaky', 'sba', rest.epsilon_left, rest.delta_left, '{"columns": ["flag"], "dense_cells": 100}');
END
$$;

SELECT cmp_ok((SELECT count(*)::int FROM outcomes WHERE outcome = 'released'), '>', 20, 'some releases went through');
SELECT cmp_ok((SELECT count(*)::int FROM outcomes WHERE outcome <> 'released'), '>', 20, 'and some did not');
SELECT is((SELECT count(*)::int FROM outcomes WHERE outcome LIKE 'XX%' OR outcome LIKE '5%' AND outcome NOT IN ('53400', '54000', '55000')), 0,
		  'none of them for an internal reason');

SELECT is(d.epsilon_spent || ' ' || d.delta_spent,
		  (SELECT trim_scale(sum(epsilon)) || ' ' || trim_scale(sum(delta)) FROM dp_ledger l WHERE l.relation = d.relation),
		  format('%s: debits of the ledger are what the total lost', d.relation))
  FROM dp_datasets d ORDER BY d.relation::text;
SELECT is((SELECT count(*)::int FROM dp_budgets b
			WHERE b.epsilon_spent <> (SELECT coalesce(sum(l.epsilon), 0) FROM dp_ledger l
									   WHERE l.payer = b.role AND l.relation = b.relation)
			   OR b.delta_spent <> (SELECT coalesce(sum(l.delta), 0) FROM dp_ledger l
									 WHERE l.payer = b.role AND l.relation = b.relation)), 0, 'and of each grant what it lost');
SELECT is((SELECT count(*)::int FROM dp_budgets WHERE epsilon_spent > epsilon OR delta_spent > delta), 0, 'no grant is overdrawn');
SELECT is((SELECT count(*)::int FROM dp_datasets WHERE epsilon_spent > epsilon OR delta_spent > delta), 0, 'no total is overdrawn');
SELECT is((SELECT epsilon_left FROM dp_datasets WHERE relation = 'shaky'::regclass), 0::numeric, 'all of a total can be spent');
SELECT is((SELECT count(*)::int FROM dp_ledger WHERE status NOT IN ('released', 'failed', 'policy')), 0, 'each debit has an outcome');
SELECT set_eq('SELECT id FROM dp_ledger WHERE status = ''released''', 'SELECT release FROM dp_releases',
			  'each debit that was released is stored, and nothing else is');
SELECT cmp_ok((SELECT count(*)::int FROM dp_ledger WHERE status = 'failed' AND epsilon > 0), '>', 0, 'what failed while reading stays paid');
SELECT is((SELECT count(*)::int FROM dp_ledger l JOIN dp_releases r ON r.release = l.id
			WHERE (l.epsilon, l.delta, l.method, l.options, l.role::text, l.relation, l.relation_name)
				  IS DISTINCT FROM (r.epsilon, r.delta, r.method, r.options, r.role::text, r.relation, r.relation_name)), 0, 'ledger and releases tell the same');

SELECT * FROM finish();
RESET SESSION AUTHORIZATION;
DROP OWNED BY pgtap_conservation_owner, pgtap_conservation_a, pgtap_conservation_b, pgtap_conservation_group CASCADE;
DROP ROLE pgtap_conservation_member, pgtap_conservation_group, pgtap_conservation_owner, pgtap_conservation_a, pgtap_conservation_b;
