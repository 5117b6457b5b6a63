-- cipher: marginals in all their forms, solvers, plans, limits, errors
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t35;
CREATE ROLE regress_dp_35_owner;
GRANT USAGE, CREATE ON SCHEMA t35 TO regress_dp_35_owner;
SET search_path = t35, public;
SET SESSION AUTHORIZATION regress_dp_35_owner;
SET client_min_messages = warning;
-- a and b together determine c, c determines d, and "e,f" is independent
CREATE TABLE t (a int NOT NULL, b int NOT NULL, c int NOT NULL, d int NOT NULL, "e,f" int NOT NULL);
INSERT INTO t SELECT i / 3 % 3, i % 3, (i / 3 + i) % 3, (i / 3 + i) % 3 * 2 % 3, i % 2 FROM generate_series(0, 8999) i;
CREATE TABLE r (LIKE t);
INSERT INTO r SELECT * FROM t;
SELECT dp_protect('t', 1000000), dp_protect('r', 1000000, 0, 'replace_one');
SELECT relation, dp_define_column(relation, c, '{0,1,2}', complete => true)
  FROM unnest('{a,b,c,d}'::name[]) c, (VALUES ('t'::regclass), ('r')) x (relation);
SELECT dp_define_column('t', 'e,f', '{0,1}', complete => true), dp_define_column('r', 'e,f', '{0,1}', complete => true);

-- what an argument may be
SELECT dp_catalog.dp_attribute_sets(2), dp_catalog.dp_attribute_sets('3'), dp_catalog.dp_attribute_sets('{"a,b","b,c,d"}'), dp_catalog.dp_attribute_sets(ARRAY['a,b', 'c']),
	   dp_catalog.dp_attribute_sets('[["a", "b"], ["c"]]'::jsonb), dp_catalog.dp_attribute_sets('{"a,b": 2.5}'), dp_catalog.dp_attribute_sets('a,b'),
	   dp_catalog.dp_attribute_sets('{{a,b},{c,d}}'), dp_catalog.dp_attribute_sets('{}'), dp_catalog.dp_attribute_sets('{a,b}'::name[]), dp_catalog.dp_attribute_sets(NULL);

SELECT relation, options, e.stage, e.mechanism, e.tables, e.epsilon_each, e.cells, e.scans, e.memory_bytes > 0
  FROM (VALUES ('t'::regclass, '{}'), ('r', '{"workload": 3}'), ('t', '{"workload": ["a,b,c", "b,a,c", "c,d", "a", "\"e,f\""]}'),
			   ('t', '{"workload": [["a", "b"], ["c", "d", "e,f"]], "solver": "ridge", "lambda": 0.5}'),
			   ('t', '{"workload": [{"columns": "a,b"}, {"columns": ["c"]}], "columns": ["a", "b", "c"]}')) o (relation, options),
	   LATERAL dp_explain(relation, 'cipher', 1, 0, options::jsonb) e;
SELECT e.stage, e.tables, e.epsilon_each, e.epsilon_total, e.cells FROM dp_explain('t', 'cipher', 1, 0, '{"independent_sets": true}', 4) e;

CREATE FUNCTION kept(id bigint) RETURNS TABLE (sum_kept boolean, copy_kept boolean, rows_kept boolean) LANGUAGE sql AS $$
	SELECT count(*) FILTER (WHERE c = (a + b) % 3) > 9500, count(*) FILTER (WHERE d = c * 2 % 3) > 9500,
		   (SELECT rows BETWEEN 8900 AND 9100 FROM dp_releases r WHERE r.release = id)
	  FROM dp_sample(NULL::t35.t, id, 10000, 1) $$;
SELECT relation, options, k.* FROM (VALUES ('t'::regclass, '{"workload": 3}'), ('t', '{}'), ('r', '{"workload": 3, "solver": "centred"}'),
				('r', '{"workload": 3, "solver": "ridge", "lambda": 0.00001}'), ('t', '{"workload": 3, "solver": "graphical"}'), ('r', '{"workload": ["a,b,c", "c,d", "\"e,f\""], "solver": "graphical", "cell_limit": 40}'),
				('t', '{"workload": ["a,b,c", "c,d", "\"e,f\""]}'),
				('t', '{"workload": 5}'), ('t', '{"workload": ["a", "b", "c", "d", "\"e,f\""]}')) o (relation, options),
	   LATERAL kept(dp_release(relation, 'cipher', 200, 0, options::jsonb)) k;
SELECT r.rows = 9000 FROM dp_releases r WHERE relation = 't35.r'::regclass LIMIT 1;

-- marginals as an argument
SELECT count(*) FROM dp_synthesize_cipher(NULL::t, 10, rows => 100);
SELECT count(*) FROM dp_synthesize_cipher(NULL::t, 10, workload => 3, rows => 100);
SELECT count(*) FROM dp_synthesize_cipher(NULL::t, 10, workload => '{"a,b,c","c,d","\"e,f\""}', rows => 100);
SELECT count(*) FROM dp_synthesize_cipher(NULL::t, 10, workload => ARRAY['a,b,c', 'c,d', '"e,f"'], rows => 100);
SELECT count(*) FROM dp_synthesize_cipher(NULL::t, 10, workload => '[["a", "b", "c"], ["c", "d"], ["e,f"]]'::jsonb, rows => 100);
SELECT count(*), count("e,f") FROM dp_synthesize_cipher(NULL::t, 10, 0, 70, '{"a,b","c"}', 'centred', 0.01, 1000, 5, '{a,b,c}', NULL, NULL, NULL, NULL, 2, true, 3);
SELECT options, sets FROM dp_releases ORDER BY release DESC LIMIT 1;
-- a seed means the same rows
SELECT count(*) FROM (SELECT * FROM dp_sample(NULL::t, (SELECT max(release) FROM dp_releases), 500, 7)
					  EXCEPT ALL SELECT * FROM dp_sample(NULL::t, (SELECT max(release) FROM dp_releases), 500, 7)) x;

SELECT dp_release('t', 'cipher', 1, 0, '{"workload": 6}');
SELECT dp_release('t', 'cipher', 1, 0, '{"workload": 0}');
SELECT dp_release('t', 'cipher', 1, 0, '{"workload": 1.5}');
SELECT dp_release('t', 'cipher', 1, 0, '{"workload": []}');
SELECT dp_release('t', 'cipher', 1, 0, '{"workload": [[]]}');
SELECT dp_release('t', 'cipher', 1, 0, '{"workload": ["a,b"]}');
SELECT dp_release('t', 'cipher', 1, 0, '{"workload": ["a,z"]}');
SELECT dp_release('t', 'cipher', 1, 0, '{"workload": ["a,a"]}');
SELECT dp_release('t', 'cipher', 1, 0, '{"workload": ["a,,b"]}');
SELECT dp_release('t', 'cipher', 1, 0, '{"workload": {"a,b": 2}}');
SELECT dp_release('t', 'cipher', 1, 0, '{"workload": "a,b"}');
SELECT dp_release('t', 'cipher', 1, 0, '{"workload": [["a", 1]]}');
SELECT dp_release('t', 'cipher', 1, 0, '{"workload": [{"columns": ["a"], "wait": 1}]}');
SELECT dp_release('t', 'cipher', 1, 0, '{"cell_limit": 161}');
SELECT dp_release('t', 'cipher', 1, 0, '{"cell_limit": 162, "solver": "ridge"}');
SELECT dp_release('t', 'cipher', 1, 0, '{"solver": "magic"}');
SELECT dp_release('t', 'cipher', 1, 0, '{"workload": 2, "solver": "graphical", "cell_limit": 161}');
SELECT dp_release('t', 'cipher', 0.000000002);
SELECT * FROM dp_synthesize_cipher(NULL::t, 10, workload => '{"a,b"');
CREATE TABLE opened (a boolean NOT NULL, w text);
SELECT dp_protect('opened', 1000, 0.5);
SELECT dp_define_column('opened', 'w', open => true);
SELECT dp_release('opened', 'cipher', 1, 1e-6, '{"cell_limit": 65}');
SELECT dp_release('opened', 'cipher', 1, 0, '{"columns": ["a"]}') > 0;
-- nothing was spent on what was refused
SELECT sum(epsilon) FROM dp_ledger WHERE relation_name = 't35.opened';

RESET SESSION AUTHORIZATION;
SET client_min_messages = error;
DROP SCHEMA t35 CASCADE;
DROP ROLE regress_dp_35_owner;
