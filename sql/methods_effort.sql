-- effort in seconds: the largest model with which the release is expected to end by then.
\set VERBOSITY terse
SET client_min_messages = warning;
CREATE SCHEMA effort;
SET search_path = effort, public;
CREATE TABLE t (a int, b int, c int, d int, e int, f int, g int, h int, i int, j int, k int, l int);
INSERT INTO t SELECT n % 10, n % 7, n % 10, n % 8, n % 9, n % 10, n % 3, n % 10, n % 6, n % 10, n % 10, n % 4 FROM generate_series(1, 500) n;
SELECT dp_protect('t', 90, 0.1);
SELECT count(dp_define_column('t', column_name, categories => '{0,1,2,3,4,5,6,7,8,9}')) FROM information_schema.columns WHERE table_schema = 'effort';
CREATE FUNCTION told(options jsonb, epsilon float8 DEFAULT 10, method text DEFAULT 'aim') RETURNS float8
	LANGUAGE sql AS $$ SELECT expected_seconds FROM dp_explain('t', method, epsilon, 1e-9, options || '{"table_rows": 100000}') WHERE stage = 'total' $$;
-- it uses most of what it is given, and no more
SELECT s AS seconds, told(jsonb_build_object('effort', s)) BETWEEN 0.6 * seconds AND seconds AS kept
  FROM (VALUES ('1500ms', 1.5), ('2s', 2), ('3s', 3)) v (s, seconds);
-- the smallest and the largest model are what there is
SELECT told('{"effort": "1ms"}') = told('{"max_model_memory": 2}') AS smallest,
	told('{"effort": "1h"}') BETWEEN 0.7 * told('{"effort": "best"}') AND told('{"effort": "best"}') AS largest;
-- what is stated of the memory counts
SELECT told('{"effort": "3s", "max_model_memory": 10}') = told('{"max_model_memory": 10}') AS stated;
-- fast grows with epsilon as normal does
SELECT told('{"effort": "fast"}', 16) / told('{"effort": "fast"}', 4) > 1.5 AS fast, told('{}', 16) / told('{}', 4) > 1.5 AS normal;
SELECT told('{"effort": "10 parrots"}');
SELECT told('{"effort": "-1s"}');
SELECT told('{"effort": 10}');
-- method auto, and a release; the ledger says what was taken
SELECT told('{"effort": "2s"}', method => 'auto') <= 2 AS auto;
SELECT dp_release('t', 'aim', 1, 1e-9, '{"effort": "50ms"}') > 0 AS released;
SELECT options ? 'effort' AS effort, (options ->> 'max_model_memory')::int < 160 AS smaller FROM dp_releases WHERE relation = 't'::regclass;
SELECT dp_release('t', 'auto', 1, 1e-9, '{"effort": "1s"}') > 0 AS released;
SELECT count(*) FROM dp_synthesize_mst(NULL::t, 1, 1e-9, rows => 20, effort => '2s');
SELECT dp_unprotect('t');
DROP SCHEMA effort CASCADE;
