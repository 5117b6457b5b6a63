-- the choice of a method: which is chosen, by which facts, and that these are public
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t47;
CREATE ROLE regress_dp_47_owner;
CREATE ROLE regress_dp_47_analyst;
GRANT USAGE, CREATE ON SCHEMA t47 TO regress_dp_47_owner;
GRANT USAGE ON SCHEMA t47 TO regress_dp_47_analyst;
SET search_path = t47, public;
SET SESSION AUTHORIZATION regress_dp_47_owner;
CREATE TABLE t (a int NOT NULL, b int NOT NULL, c int NOT NULL, w text);
INSERT INTO t SELECT i % 4, i % 5, i % 3, 'w' || i % 2 FROM generate_series(1, 3000) i;
SELECT dp_protect('t', 10000, 0.5, min_epsilon_per_release => NULL);
SELECT dp_define_column('t', 'a', '{0,1,2,3}', complete => true), dp_define_column('t', 'b', '{0,1,2,3,4}', complete => true),
	   dp_define_column('t', 'c', '{0,1,2}', complete => true);
SELECT dp_grant('t', 'regress_dp_47_analyst', 1000, 0.1);
RESET SESSION AUTHORIZATION;
SET SESSION AUTHORIZATION regress_dp_47_analyst;

-- a small joint table; this test does not say which method a later version must choose
DO $$ BEGIN PERFORM dp_explain('t', 'auto', 10); END $$;
SET client_min_messages = warning;
SELECT count(*) FROM dp_synthesize(NULL::t, 10, rows => 100, seed => 1);
SET client_min_messages = notice;
SELECT method, options, epsilon FROM dp_ledger ORDER BY id DESC LIMIT 1;
-- dp_explain chooses the same and spends nothing; rows are those that the release told
SELECT stage, epsilon_total FROM dp_explain('t', 'auto', 1, options => '{"table_rows": 3000}');
DO $$ BEGIN PERFORM dp_explain('t', 'auto', 1); END $$;
SELECT epsilon_spent FROM dp_budgets WHERE role = 'regress_dp_47_analyst'::regrole;
-- a histogram over a domain that the caller wrote has some of the rows alone
SET client_min_messages = warning;
SELECT cell->>'a', estimate BETWEEN 650 AND 850 FROM dp_histogram(NULL::t, '{a}', 10, domain => '[0]', no_false_positives => 0.999999999);
SET client_min_messages = notice;
DO $$ BEGIN PERFORM dp_explain('t', 'auto', 1); END $$;
-- of several releases the most accurate counts: the noise of these has a deviation of 14,000 rows
SET client_min_messages = warning;
DO $$ BEGIN FOR i IN 1..8 LOOP PERFORM dp_release('t', 'marginal', 0.0001, options => '{"columns": ["c"]}'); END LOOP; END $$;
SET client_min_messages = notice;
DO $$ BEGIN PERFORM dp_explain('t', 'auto', 1); END $$;
-- all arguments
SET client_min_messages = warning;
SELECT count(*) FROM dp_synthesize(NULL::t, 10, 0, 50, 'auto', '{"table_rows": 3000, "effort": "fast", "columns": ["a", "b"], "open_share": 0.2, "independent_sets": true}', 2, 3);
SET client_min_messages = notice;
SELECT method, options FROM dp_ledger ORDER BY id DESC LIMIT 1;
SELECT count(*) FROM dp_sample(NULL::t, dp_release('t', 'auto', 10, options => '{"columns": ["a"], "table_rows": 1000000}'), 10);
-- options of a method need the method's name
SELECT count(*) FROM dp_synthesize(NULL::t, 1, method => 'auto', options => '{"parents": 2}');
SELECT count(*) FROM dp_synthesize(NULL::t, 1, method => 'auto', options => '{"table_rows": 0}');
SELECT count(*) FROM dp_synthesize(NULL::t, 1, options => '{"table_rows": -5}');
SELECT dp_explain('t', 'auto', 0);
SELECT dp_explain('t', 'auto', 1, options => '{"columns": ["w"]}');
SELECT dp_release('t', 'automatic', 1);
RESET SESSION AUTHORIZATION;
SET SESSION AUTHORIZATION regress_dp_47_owner;
-- an open column needs a delta, whatever is chosen
SELECT dp_define_column('t', 'w', open => true);
SELECT dp_explain('t', 'auto', 1);
SET client_min_messages = warning;
SELECT count(*) FROM dp_synthesize(NULL::t, 20, 0.001, options => '{"table_rows": 3000}', rows => 10);
-- a method that knows no effort does without
SELECT dp_release('t', 'auto', 10, 1e-6, '{"table_rows": 100, "effort": "fast"}') > 0;
SELECT method, options FROM dp_releases ORDER BY release DESC LIMIT 1;
SELECT dp_release('t', 'auto', 10, 1e-6, '{"effort": "some"}');
SELECT dp_define_column('t', 'w');

-- the rows of the relation decide nothing: other rows give the same words, also after ANALYZE
CREATE TABLE u (LIKE t);
SELECT dp_protect('u', 10000, 0.5);
SELECT dp_define_column('u', 'a', '{0,1,2,3}', complete => true), dp_define_column('u', 'b', '{0,1,2,3,4}', complete => true),
	   dp_define_column('u', 'c', '{0,1,2}', complete => true);
SET client_min_messages = notice;
SELECT step FROM dp_explain('u', 'auto', 1) WHERE step = 1;
INSERT INTO u SELECT 1, 1, 1 FROM generate_series(1, 20000);
ANALYZE u;
SELECT step FROM dp_explain('u', 'auto', 1) WHERE step = 1;

-- aim has a smaller model where it is expected to take more than the limit, which is a minute. It gives
-- way to mst where it takes more with any, and more than twice as long: a hundred million rows take each
-- method longer than the limit; flat would read them once, but time alone is no reason for it
SET client_min_messages = warning;
DO $$ BEGIN
	EXECUTE (SELECT format('CREATE TABLE levels (%s)', string_agg('c' || i || ' int NOT NULL', ', ')) FROM generate_series(1, 38) i);
	EXECUTE (SELECT format('CREATE TABLE yes_or_no (%s)', string_agg('c' || i || ' int NOT NULL', ', ')) FROM generate_series(1, 60) i);
END $$;
SELECT dp_protect('levels', 10000, 0.5), dp_protect('yes_or_no', 10000, 0.5);
SELECT count(dp_define_column('levels', 'c' || i, '{0,1,2,3,4,5,6,7,8,9}', complete => true)) FROM generate_series(1, 38) i;
SELECT count(dp_define_column('yes_or_no', 'c' || i, '{0,1}', complete => true)) FROM generate_series(1, 60) i;
SELECT of, table_rows, effort, aim.seconds > 60 AS over, aim.seconds > 2 * mst.seconds AS over_twice,
	   CASE WHEN chosen.stages = aim.stages THEN 'aim' WHEN chosen.stages = mst.stages THEN 'mst' END AS chosen
  FROM (VALUES ('levels', 1000000, 'normal'), ('levels', 5000, 'fast'), ('levels', 100000000, 'normal'),
	   ('yes_or_no', 20000, 'normal'), ('yes_or_no', 100000000, 'normal')) t (of, table_rows, effort),
	   LATERAL (SELECT jsonb_build_object('table_rows', table_rows, 'effort', effort)) o (options),
	   LATERAL (SELECT max(expected_seconds), string_agg(stage, ',' ORDER BY step) FROM dp_explain(of::regclass, 'aim', 20, options => options)) aim (seconds, stages),
	   LATERAL (SELECT max(expected_seconds), string_agg(stage, ',' ORDER BY step) FROM dp_explain(of::regclass, 'mst', 20, options => options)) mst (seconds, stages),
	   LATERAL (SELECT string_agg(stage, ',' ORDER BY step) FROM dp_explain(of::regclass, 'auto', 20, options => options)) chosen (stages)
 ORDER BY of, table_rows, effort;
-- a model is epsilon/4 times the setting, of each set
SELECT dp_release('t', 'mst', 4.9) AS r \gset
SELECT options->'max_model_memory' FROM dp_releases WHERE release = :r;
SELECT dp_release('t', 'mst', 9.9, sets => 2) AS r \gset
SELECT options->'max_model_memory' FROM dp_releases WHERE release = :r;

RESET SESSION AUTHORIZATION;
SET client_min_messages = warning;
DROP SCHEMA t47 CASCADE;
DROP OWNED BY regress_dp_47_analyst;
DROP ROLE regress_dp_47_owner, regress_dp_47_analyst;
