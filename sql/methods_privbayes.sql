-- privbayes: plans, degree, public networks, options, errors
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t32;
CREATE ROLE regress_dp_32_owner;
GRANT USAGE, CREATE ON SCHEMA t32 TO regress_dp_32_owner;
SET search_path = t32, public;
SET SESSION AUTHORIZATION regress_dp_32_owner;
SET client_min_messages = warning;
-- a and b together determine c, c determines d, and e is independent
CREATE TABLE t (a int NOT NULL, b int NOT NULL, c int NOT NULL, d int NOT NULL, e int NOT NULL);
INSERT INTO t SELECT i / 3 % 3, i % 3, (i / 3 + i) % 3, (i / 3 + i) % 3 * 2 % 3, i % 2 FROM generate_series(0, 8999) i;
CREATE TABLE r (LIKE t);
INSERT INTO r SELECT * FROM t;
SELECT dp_protect('t', 1000000), dp_protect('r', 1000000, 0, 'replace_one');
SELECT relation, dp_define_column(relation, c, '{0,1,2}', complete => true)
  FROM unnest('{a,b,c,d}'::name[]) c, (VALUES ('t'::regclass), ('r')) x (relation);
SELECT dp_define_column('t', 'e', '{0,1}', complete => true), dp_define_column('r', 'e', '{0,1}', complete => true);

SELECT relation, options, e.stage, e.mechanism, e.tables, e.epsilon_each, e.epsilon_total, e.cells, e.scans
  FROM (VALUES ('t'::regclass, '{"parents": 2}'), ('t', '{"parents": 0}'), ('t', '{}'), ('r', '{}'), ('t', '{"parents": 6, "selection_share": 0.5}'),
			   ('t', '{"network": {"a": [], "b": [], "c": ["a", "b"], "d": ["c"], "e": []}}')) o (relation, options),
	   LATERAL dp_explain(relation, 'privbayes', 1, 0, options::jsonb) e;

-- two parents tell what one cannot
CREATE FUNCTION kept(id bigint) RETURNS TABLE (sum_kept boolean, copy_kept boolean) LANGUAGE sql AS $$
	SELECT count(*) FILTER (WHERE c = (a + b) % 3) > 9500, count(*) FILTER (WHERE d = c * 2 % 3) > 9500
	  FROM dp_sample(NULL::t32.t, id, 10000, 1) $$;
SELECT relation, options, k.* FROM (VALUES ('t'::regclass, '{"parents": 2}'), ('t', '{"parents": 1}'), ('t', '{"parents": 0}'), ('t', '{}'), ('r', '{}'),
				('t', '{"network": {"a": [], "b": [], "c": ["a", "b"], "d": ["c"], "e": []}}')) o (relation, options),
	   LATERAL kept(dp_release(relation, 'privbayes', 200, 0, options::jsonb)) k;
SELECT r.rows = 9000 FROM dp_releases r WHERE relation = 't32.r'::regclass;
-- a column for which no table is useful has no parents
SELECT k.copy_kept FROM kept(dp_release('t', 'privbayes', 0.05, 0, '{"theta": 40, "count_share": 0.5}')) k;
SELECT k.copy_kept FROM kept(dp_release('t', 'privbayes', 1, 0, '{"theta": 1000}')) k;

SELECT count(*), count(DISTINCT a) FROM dp_synthesize_privbayes(NULL::t, 10, rows => 500);
SELECT count(*) FROM dp_synthesize_privbayes(NULL::t, 1, 0, 20, parents => 1, selection_share => 0.4, theta => 2, cell_limit => 50,
											 columns => '{a,b,c}', count_share => 0.1, sets => 2, seed => 4);
SELECT options, sets FROM dp_releases ORDER BY release DESC LIMIT 1;
SELECT count(*) FROM dp_synthesize_privbayes(NULL::t, 1, 0, 20, columns => '{a,b}', network => '{"a": ["b"], "b": []}');
-- tables that are too large leave fewer parents
SELECT k.* FROM kept(dp_release('t', 'privbayes', 200, 0, '{"parents": 2, "cell_limit": 9}')) k;
SELECT k.copy_kept FROM kept(dp_release('t', 'privbayes', 200, 0, '{"parents": 2, "cell_limit": 8}')) k;

SELECT dp_release('t', 'privbayes', 1, 0, '{"parents": 7}');
SELECT dp_release('t', 'privbayes', 1, 0, '{"network": {"a": ["b"], "b": ["a"], "c": [], "d": [], "e": []}}');
SELECT dp_release('t', 'privbayes', 1, 0, '{"network": {"a": ["b"]}}');
-- the size of a table of an open column and others is not known before it is paid for
CREATE TABLE opened (a boolean NOT NULL, w text);
SELECT dp_protect('opened', 1000, 0.5);
SELECT dp_define_column('opened', 'w', open => true);
SELECT dp_release('opened', 'privbayes', 1, 1e-6, '{"network": {"a": [], "w": ["a"]}}');
SELECT dp_release('opened', 'privbayes', 1, 1e-6, '{"network": {"a": [], "w": []}}') > 0;
SELECT dp_release('t', 'privbayes', 0.000000002, 0, '{"parents": 1}');
SELECT dp_release('t', 'privbayes', 1, 0, '{"selection_share": 1}');

RESET SESSION AUTHORIZATION;
DROP SCHEMA t32 CASCADE;
DROP ROLE regress_dp_32_owner;
