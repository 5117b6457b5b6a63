-- mwem: plans, rounds, what is chosen, errors
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t36;
CREATE ROLE regress_dp_36_owner;
GRANT USAGE, CREATE ON SCHEMA t36 TO regress_dp_36_owner;
SET search_path = t36, public;
SET SESSION AUTHORIZATION regress_dp_36_owner;
SET client_min_messages = warning;
-- c and d determine each other, e tells nothing
CREATE TABLE t (a int NOT NULL, b int NOT NULL, c int NOT NULL, d int NOT NULL, e int NOT NULL);
INSERT INTO t SELECT i / 3 % 3, i % 3, (i / 3 + i) % 3, (i / 3 + i) % 3 * 2 % 3, i % 2 FROM generate_series(0, 8999) i;
CREATE TABLE r (LIKE t);
INSERT INTO r SELECT * FROM t;
SELECT dp_protect('t', 1000000), dp_protect('r', 1000000, 0, 'replace_one');
SELECT relation, dp_define_column(relation, c, '{0,1,2}', complete => true)
  FROM unnest('{a,b,c,d}'::name[]) c, (VALUES ('t'::regclass), ('r')) x (relation);
SELECT dp_define_column('t', 'e', '{0,1}', complete => true), dp_define_column('r', 'e', '{0,1}', complete => true);

SELECT relation, options, e.stage, e.mechanism, e.tables, e.epsilon_each, e.epsilon_total, e.cells, e.scans
  FROM (VALUES ('t'::regclass, '{}'), ('r', '{}'), ('r', '{"rounds": 3, "workload": 3}'), ('t', '{"rounds": 2, "selection_share": 0.25, "count_share": 0.1}')) o (relation, options),
	   LATERAL dp_explain(relation, 'mwem', 1, 0, options::jsonb) e;

CREATE FUNCTION kept(id bigint) RETURNS TABLE (sum_kept boolean, copy_kept boolean) LANGUAGE sql AS $$
	SELECT count(*) FILTER (WHERE c = (a + b) % 3) > 9500, count(*) FILTER (WHERE d = c * 2 % 3) > 9500
	  FROM dp_sample(NULL::t36.t, id, 10000, 1) $$;
-- one round is enough for the only pair that says anything; three columns need their own table
SELECT relation, options, k.* FROM (VALUES ('t'::regclass, '{"rounds": 1}'), ('r', '{"rounds": 1}'), ('t', '{"rounds": 3, "workload": 3}'),
				('r', '{"rounds": 2, "workload": ["a,b,c", "c,d", "e", "a,b", "b,d"]}')) o (relation, options),
	   LATERAL kept(dp_release(relation, 'mwem', 200, 0, options::jsonb)) k;
SELECT r.rows = 9000 FROM dp_releases r WHERE relation = 't36.r'::regclass LIMIT 1;
SELECT r.rows BETWEEN 8950 AND 9050 FROM dp_releases r WHERE relation = 't36.t'::regclass LIMIT 1;
SELECT count(*) FROM dp_synthesize_mwem(NULL::t, 10, rows => 100);
SELECT count(*), count(d) FROM dp_synthesize_mwem(NULL::t, 10, 0, 70, '{"a,b","c"}', 2, 0.4, 0.1, 1000, 5, '{a,b,c}', NULL, NULL, NULL, NULL, 2, true, 3);
SELECT options, sets FROM dp_releases ORDER BY release DESC LIMIT 1;
-- what is charged is what was asked for
SELECT epsilon, delta FROM dp_ledger WHERE relation_name = 't36.t' ORDER BY id DESC LIMIT 1;

SELECT dp_release('t', 'mwem', 1, 0, '{"rounds": 0}');
SELECT dp_release('t', 'mwem', 1, 0, '{"rounds": 1001}');
SELECT dp_release('t', 'mwem', 1, 0, '{"workload": ["a,b"]}');
SELECT dp_release('t', 'mwem', 1, 0, '{"cell_limit": 10}');
SELECT dp_release('t', 'mwem', 1, 0, '{"solver": "ridge"}');
SELECT dp_release('t', 'mwem', 0.000000009, 0, '{"rounds": 10}');

RESET SESSION AUTHORIZATION;
SET client_min_messages = error;
DROP SCHEMA t36 CASCADE;
DROP ROLE regress_dp_36_owner;
