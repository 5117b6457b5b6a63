-- aim: plans, workloads, what pairs do not say, memory, pure epsilon, errors
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t45;
CREATE ROLE regress_dp_45_owner;
GRANT USAGE, CREATE ON SCHEMA t45 TO regress_dp_45_owner;
SET search_path = t45, public;
SET SESSION AUTHORIZATION regress_dp_45_owner;
SET client_min_messages = warning;
-- a and b together determine c, c determines d, and e is independent
CREATE TABLE t (a int NOT NULL, b int NOT NULL, c int NOT NULL, d int NOT NULL, e int NOT NULL);
INSERT INTO t SELECT i / 3 % 3, i % 3, (i / 3 + i) % 3, (i / 3 + i) % 3 * 2 % 3, i % 2 FROM generate_series(0, 8999) i;
CREATE TABLE r (LIKE t);
INSERT INTO r SELECT * FROM t;
SELECT dp_protect('t', 1000000, 0.9), dp_protect('r', 1000000, 0.9, 'replace_one');
SELECT relation, dp_define_column(relation, c, '{0,1,2}', complete => true)
  FROM unnest('{a,b,c,d}'::name[]) c, (VALUES ('t'::regclass), ('r')) x (relation);
SELECT dp_define_column('t', 'e', '{0,1}', complete => true), dp_define_column('r', 'e', '{0,1}', complete => true);

SELECT relation, delta, e.stage, e.mechanism, e.tables, e.epsilon_total, round(e.noise_stddev::numeric, 3) AS noise, e.scans
  FROM (VALUES ('t'::regclass, 0), ('t', 1e-9), ('r', 1e-9)) o (relation, delta), LATERAL dp_explain(relation, 'aim', 1, delta) e;

CREATE FUNCTION kept(id bigint) RETURNS TABLE (sum_kept boolean, copy_kept boolean, e_even boolean) LANGUAGE sql AS $$
	SELECT count(*) FILTER (WHERE c = (a + b) % 3) > 8500, count(*) FILTER (WHERE d = c * 2 % 3) > 8500,
		   count(*) FILTER (WHERE e = 0) BETWEEN 4400 AND 4600
	  FROM dp_sample(NULL::t45.t, id, 9000, 1) $$;
SELECT relation, delta, options, k.* FROM (VALUES ('t'::regclass, 0, '{}'), ('t', 1e-9, '{}'), ('r', 0, '{}'), ('r', 1e-9, '{}'),
				('t', 1e-9, '{"workload": 2}'), ('t', 1e-9, '{"workload": ["c,d"]}'),
				('t', 1e-9, '{"generation": "independent", "workload": {"a,b,c": 1, "c,d": 1}}')) o (relation, delta, options),
	   LATERAL kept(dp_release(relation, 'aim', 40, delta, options::jsonb)) k;
SELECT bool_and(r.rows = 9000) FROM dp_releases r WHERE relation = 't45.r'::regclass;

SELECT count(*), count(DISTINCT a) FROM dp_synthesize_aim(NULL::t, 10, 1e-9, rows => 500);
SELECT count(*) FROM dp_synthesize_aim(NULL::t, 1, 1e-9, 30, '{"a,b,c","c,d"}', 20, 1, 0.2, 'a', false, 'independent', 'fast', '5MB', '{a,b,c,d}', sets => 2, seed => 4);
SELECT options, sets FROM dp_releases ORDER BY release DESC LIMIT 1;
SELECT count(*) FROM dp_synthesize_aim(NULL::t, 1, 1e-9, 5, 2);
SELECT count(*) FROM dp_synthesize_aim(NULL::t, 1, 1e-9, 5, '{"a,b": 3, "e": 0.5}'::jsonb);
SELECT count(*) FROM dp_synthesize_aim(NULL::t, 1, columns => '{a}', rows => 5);

SELECT dp_release('t', 'aim', 0.000000002);
SELECT dp_release('t', 'aim', 1, 0, '{"workload": ["a,x"]}');
SELECT dp_release('t', 'aim', 1, 0, '{"workload": 9}');
SELECT dp_release('t', 'aim', 1, 0, '{"rounds": 0}');

-- several tables between two fits; without a delta, too
SELECT delta, options, k.*
  FROM (VALUES (1e-9, '{"batch": 4}'), (0, '{"batch": 4}'), (1e-9, '{"batch": 1000, "rounds": 9, "max_model_memory": 2}')) o (delta, options),
	   LATERAL kept(dp_release('t', 'aim', 40, delta, options::jsonb)) k;
SELECT count(*) FROM dp_synthesize_aim(NULL::t, 10, 1e-9, 30, batch => 3);
SELECT dp_release('t', 'aim', 1, 1e-9, '{"batch": 0}');

-- effort decides how large the model may be where nothing else does, and so how long it takes
SELECT dp_release('t', 'aim', 1, 1e-9, jsonb_build_object('effort', effort)) > 0 FROM unnest('{fast,normal,best}'::text[]) effort;
SELECT dp_release('t', 'aim', 1, 1e-9, '{"effort": "best", "max_model_memory": "12MB"}') > 0;
SELECT options FROM (SELECT release, options FROM dp_releases ORDER BY release DESC LIMIT 4) r ORDER BY release;
-- with much budget a larger model pays, up to a point, and each set has its share of epsilon
SELECT dp_release('t', 'aim', epsilon, 1e-9, sets => sets) > 0 FROM (VALUES (3, 1), (10, 1), (10, 2), (100, 1)) e (epsilon, sets);
SELECT epsilon, sets, options FROM (SELECT release, epsilon, sets, options FROM dp_releases ORDER BY release DESC LIMIT 4) r ORDER BY release;
SELECT dp_release('t', 'aim', 1, 1e-9, '{"effort": "utmost"}');
SELECT dp_release('t', 'aim', 1, 1e-9, '{"effort": 3}');
CREATE TABLE broad (a int, b int, c int, d int, e int, f int, g int, h int);
SELECT dp_protect('broad', 1000000, 0.9);
SELECT dp_define_column('broad', c, '{0,1,2,3,4,5,6,7,8,9,10,11}', complete => true) FROM unnest('{a,b,c,d,e,f,g,h}'::name[]) c;
CREATE FUNCTION expected(effort text, table_rows bigint) RETURNS float8[] LANGUAGE sql AS $$
	SELECT ARRAY[expected_seconds, expected_bytes, memory_bytes]
	  FROM dp_explain('broad', 'aim', 1, 1e-9, jsonb_strip_nulls(jsonb_build_object('effort', effort, 'table_rows', table_rows))) WHERE stage = 'total' $$;
SELECT fast[i] > 0 AND fast[i] < normal[i] AND normal[i] < best[i] FROM generate_series(1, 3) i,
	   expected('fast', NULL) fast, expected('normal', NULL) normal, expected('best', NULL) best;
SELECT expected(NULL, 1000) = expected('normal', 1000), (expected('best', 1000))[1] < (expected('best', 1000000))[1];
SELECT bool_and(expected_seconds IS NULL AND expected_bytes IS NULL) FROM dp_explain('broad', 'mst', 1, 1e-9) WHERE stage <> 'total';

RESET SESSION AUTHORIZATION;
DROP SCHEMA t45 CASCADE;
DROP ROLE regress_dp_45_owner;
