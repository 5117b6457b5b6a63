-- A budget belongs to a table, not to its name, and to a role with its name: it survives renaming
-- and moving of tables, and does not pass to a namesake.
SET client_min_messages = warning;
SELECT plan(47);

CREATE ROLE pgtap_life_owner;
CREATE ROLE pgtap_life_ann;
CREATE ROLE pgtap_life_bob;
CREATE SCHEMA elsewhere;
GRANT ALL ON SCHEMA public, elsewhere TO pgtap_life_owner;
GRANT USAGE ON SCHEMA elsewhere TO public;
SET SESSION AUTHORIZATION pgtap_life_owner;
CREATE TABLE t (flag boolean NOT NULL, n int CHECK (n IN (1, 2)), word text);
INSERT INTO t SELECT i % 2 = 0, 1 + i % 2, 'w' || i % 2 FROM generate_series(1, 100) i;
SELECT dp_protect('t', 10);
SELECT dp_grant('t', 'pgtap_life_ann', 2), dp_grant('t', 'pgtap_life_bob', 2);
SELECT 't'::regclass::oid AS t \gset
-- what is spent, and how many debits there are, whatever the table is called
RESET SESSION AUTHORIZATION;
CREATE FUNCTION spent() RETURNS text LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
	SELECT concat_ws(' ', dp_catalog.dp_epsilon(d.spent_epsilon_nano), (SELECT count(*) FROM dp_catalog.dp_ledger_entry e
															 WHERE e.dataset = d.id AND kind = 'debit'))
	  FROM dp_catalog.dp_dataset d WHERE id = 1 $$;
-- what comes of a release: how it fails, or 'released'
CREATE FUNCTION attempt(relation text, epsilon numeric DEFAULT 0.5) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SELECT dp_release(%L, ''sba'', %s, 0, ''{"dense_cells": 100, "partial": true}'')', relation, epsilon);
	RETURN 'released';
EXCEPTION WHEN OTHERS THEN
	RETURN sqlstate || ' ' || sqlerrm;
END
$$;

-- ---- a role is renamed ----

SET SESSION AUTHORIZATION pgtap_life_ann;
SELECT is(attempt('t'), 'released', 'a role spends');
RESET SESSION AUTHORIZATION;
ALTER ROLE pgtap_life_ann RENAME TO pgtap_life_anna;
SET SESSION AUTHORIZATION pgtap_life_anna;
SELECT is(attempt('t'), '42501 role pgtap_life_anna has no privacy budget for relation "public.t"', 'renamed, it could be another role of its number');
SELECT is_empty('SELECT * FROM dp_budgets', 'so it has no budget');
SELECT is_empty('SELECT * FROM dp_releases', 'and no releases');
SELECT throws_ok('SELECT * FROM dp_sample(NULL::t, 1)', '42501', NULL, 'to draw from');
SET SESSION AUTHORIZATION pgtap_life_owner;
SELECT dp_grant('t', 'pgtap_life_anna', 2), dp_grant((SELECT max(release) FROM dp_releases), 'pgtap_life_anna');
SET SESSION AUTHORIZATION pgtap_life_anna;
SELECT results_eq('SELECT role::text, epsilon, epsilon_spent, epsilon_left FROM dp_budgets',
				  $$VALUES ('pgtap_life_anna', 2::numeric, 0.5, 1.5)$$, 'granted again, it has its budget, less what it spent');
SELECT is((SELECT count(*)::int FROM dp_sample(NULL::t, (SELECT max(release) FROM dp_releases), 5)), 5, 'and its releases');
SELECT is(attempt('t'), 'released', 'and spends on');
SELECT is(attempt('t', 1.1), '53400 privacy budget of role pgtap_life_anna for relation "public.t" is exhausted', 'up to the same limit');
SELECT results_eq('SELECT role, epsilon FROM dp_ledger ORDER BY id',
				  $$VALUES ('pgtap_life_ann'::name, 0.5), ('pgtap_life_anna', 0.5)$$, 'the ledger says who it was then');

-- ---- a role is dropped, and another gets its name ----

RESET SESSION AUTHORIZATION;
SELECT max(id) AS old_release FROM dp_catalog.dp_release_store \gset
DROP ROLE pgtap_life_anna;
SET SESSION AUTHORIZATION pgtap_life_owner;
SELECT results_eq('SELECT role, epsilon, status FROM dp_ledger ORDER BY id',
				  $$VALUES ('pgtap_life_ann'::name, 0.5, 'released'), ('pgtap_life_anna', 0.5, 'released')$$,
				  'lines of a dropped role stay readable, with its name');
SELECT is((SELECT count(*)::int FROM dp_budgets), 2, 'so does what it was granted');
RESET SESSION AUTHORIZATION;
CREATE ROLE pgtap_life_anna;
SET SESSION AUTHORIZATION pgtap_life_anna;
SELECT is(attempt('t'), '42501 role pgtap_life_anna has no privacy budget for relation "public.t"', 'a namesake has no budget');
SELECT is_empty('SELECT * FROM dp_budgets', 'sees none');
SELECT is_empty('SELECT * FROM dp_ledger', 'no lines');
SELECT is_empty('SELECT * FROM dp_releases', 'and no releases');
SELECT throws_ok('SELECT * FROM dp_sample(NULL::t, ' || :old_release || ')', '42501', NULL, 'nor may it draw from them');
SELECT is(spent(), '1 2', 'what the dropped role spent stays spent');
SET SESSION AUTHORIZATION pgtap_life_owner;
SELECT dp_grant('t', 'pgtap_life_anna', 1);
SET SESSION AUTHORIZATION pgtap_life_anna;
SELECT results_eq('SELECT epsilon, epsilon_spent FROM dp_budgets', 'VALUES (1::numeric, 0::numeric)',
				  'granted a budget, the namesake starts from nothing spent');
SELECT is(attempt('t'), 'released', 'and spends it');
SELECT results_eq('SELECT count(*)::int FROM dp_ledger', 'VALUES (1)', 'it sees its own line alone');

-- ---- the table is renamed and moved ----

SET SESSION AUTHORIZATION pgtap_life_owner;
ALTER TABLE t RENAME TO "T 2";
ALTER TABLE "T 2" SET SCHEMA elsewhere;
SELECT is(spent(), '1.5 3', 'renamed and moved, a table has spent what it spent');
SELECT results_eq('SELECT relation::oid::bigint, epsilon, epsilon_spent FROM dp_datasets', format('VALUES (%s::bigint, 10::numeric, 1.5)', :t),
				  'it is the same one');
SELECT is((SELECT count(*)::int FROM dp_budgets WHERE relation = 'elsewhere."T 2"'::regclass), 3, 'with the same grants');
SET SESSION AUTHORIZATION pgtap_life_bob;
SELECT is(attempt('t'), '42P01 relation "t" does not exist', 'its old name is nobody''s');
SELECT is(attempt('elsewhere."T 2"'), 'released', 'under the new name it releases');
SELECT is((SELECT count(*)::int FROM dp_sample(NULL::elsewhere."T 2", (SELECT max(release) FROM dp_releases), 5)), 5, 'and is drawn from');
SET SESSION AUTHORIZATION pgtap_life_owner;
SELECT is((SELECT count(*)::int FROM dp_sample(NULL::elsewhere."T 2", :old_release, 5)), 5, 'so are releases from before');
SELECT results_eq('SELECT relation_name, count(*)::int FROM dp_ledger GROUP BY 1 ORDER BY 1',
				  $$VALUES ('elsewhere."T 2"', 1), ('public.t', 3)$$, 'the ledger says what it was called then');
-- a table that takes the old name takes nothing else
CREATE TABLE t (flag boolean NOT NULL);
SELECT is(attempt('t'), '55000 relation "public.t" is not protected', 'a namesake is not protected');
SELECT dp_protect('t', 1);
SELECT is((SELECT epsilon_spent FROM dp_datasets WHERE relation = 't'::regclass), 0::numeric, 'and has its own budget');
DROP TABLE t;
ALTER TABLE elsewhere."T 2" SET SCHEMA public;
ALTER TABLE "T 2" RENAME TO t;
SELECT is(spent(), '2 4', 'back in its place it has spent as much');

-- ---- columns come, go and change ----

SELECT is((SELECT array_agg(column_name::text ORDER BY ordinal) FROM dp_columns WHERE relation = 't'::regclass AND kind IS NULL), '{word}',
		  'a column without a domain is not modelled');
ALTER TABLE t ADD late text DEFAULT 'secret', ADD later boolean NOT NULL DEFAULT true;
SELECT is(attempt('t'), 'released', 'columns are added, releases go on');
SELECT results_eq('SELECT count(late)::int, count(later)::int FROM dp_sample(NULL::t, (SELECT max(release) FROM dp_releases), 20)', 'VALUES (0, 20)',
				  'what was added comes back NULL, unless its type says what there can be');
SELECT is((SELECT count(late)::int FROM dp_sample(NULL::t, :old_release, 20)), 0, 'and NULL from releases before');
ALTER TABLE t DROP later;
SELECT is(attempt('t'), 'released', 'a column of the schema''s is dropped, releases go on');
-- a type that no longer says what there can be
ALTER TABLE t DROP CONSTRAINT t_n_check;
ALTER TABLE t ALTER n TYPE text;
SELECT is(attempt('t'), 'released', 'one is retyped, releases go on');
SELECT is((SELECT count(n)::int FROM dp_sample(NULL::t, (SELECT max(release) FROM dp_releases), 20)), 0, 'without it');
-- while it is declared, it is an error and costs nothing
SELECT dp_define_column('t', 'n', '{1,2}');
SELECT spent() AS before \gset
ALTER TABLE t ALTER n TYPE integer USING n::integer;
SELECT is(attempt('t'), '55000 column "n" of relation "public.t" has changed its type since its domain was declared', 'a declared one is retyped: an error');
ALTER TABLE t RENAME n TO m;
SELECT is(attempt('t'), '55000 column "n" of relation "public.t" has a declared domain but does not exist any more', 'renamed: an error');
ALTER TABLE t DROP m;
SELECT is(attempt('t'), '55000 column "n" of relation "public.t" has a declared domain but does not exist any more', 'dropped: an error');
SELECT is(spent(), :'before', 'none of which costs anything');

-- ---- the table is dropped ----

DROP TABLE t;
RESET SESSION AUTHORIZATION;
SELECT is(attempt(:t || ''), '55000 relation "' || :t || '" is not protected', 'dropped: an error');
SELECT is(spent(), :'before', 'which costs nothing');
SELECT is((SELECT count(*)::int FROM dp_ledger WHERE relation_name IN ('public.t', 'elsewhere."T 2"')), split_part(:'before', ' ', 2)::int,
		  'the ledger stays, for superusers');
CREATE TABLE t (flag boolean NOT NULL);
SELECT is(attempt('t'), '55000 relation "public.t" is not protected', 'a table made again under its name is another one');

SELECT * FROM finish();
DROP OWNED BY pgtap_life_owner CASCADE;
DROP ROLE pgtap_life_owner, pgtap_life_anna, pgtap_life_bob;
