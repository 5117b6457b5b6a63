-- Functions that somebody made in the extension's schema, with argument types that fit better than those
-- of the extension's own: no function of the extension calls them.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE ROLE regress_dp_planted_owner;
CREATE ROLE regress_dp_planted_analyst;
CREATE ROLE regress_dp_planted_attacker;
CREATE SCHEMA planted;
CREATE SCHEMA planted_made;
GRANT USAGE, CREATE ON SCHEMA planted TO regress_dp_planted_owner, regress_dp_planted_attacker;
GRANT USAGE ON SCHEMA planted TO regress_dp_planted_analyst;
GRANT USAGE, CREATE ON SCHEMA planted_made TO regress_dp_planted_owner, regress_dp_planted_analyst;
SELECT n.nspname AS schema FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'dpsyn' \gset
GRANT CREATE ON SCHEMA :"schema" TO regress_dp_planted_attacker;
SET search_path = planted, :"schema";
SET SESSION AUTHORIZATION regress_dp_planted_owner;
SET client_min_messages = error;
CREATE TABLE people (id integer PRIMARY KEY, sex text NOT NULL, age integer NOT NULL CHECK (age BETWEEN 0 AND 9));
CREATE TABLE visits (person integer NOT NULL REFERENCES people, ward text NOT NULL);
INSERT INTO people SELECT i, (ARRAY['f', 'm'])[1 + i % 2], i % 10 FROM generate_series(1, 300) i;
INSERT INTO visits SELECT i, (ARRAY['a', 'b'])[1 + i % 2] FROM generate_series(1, 300) i;
GRANT SELECT ON people TO regress_dp_planted_attacker;
SELECT dp_protect('people', 100000, 0.01), dp_protect('visits', parent => 'people', max_rows_per_unit => 1);
SELECT dp_define_column('people', 'sex', '{f,m}', complete => true), dp_define_column('people', 'id', key => true), dp_define_column('visits', 'ward', '{a,b}', complete => true);
SELECT dp_grant('people', 'regress_dp_planted_analyst', 50000, 0.005);

SET SESSION AUTHORIZATION regress_dp_planted_attacker;
SET search_path = planted, :"schema", pg_temp;
CREATE TABLE signatures (name text, arguments text, returns text);
INSERT INTO signatures VALUES
	('dp_synthesize_with', 'planted.people, text, float8, float8, bigint, jsonb, integer, bigint', 'SETOF planted.people'),
	('dp_attribute_sets', 'text', 'jsonb'), ('dp_attribute_sets', 'integer', 'jsonb'), ('dp_attribute_sets', 'text[]', 'jsonb'), ('dp_attribute_sets', 'jsonb', 'jsonb'),
	('dp_given_options', 'text, integer', 'jsonb'),
	('dp_column_domains', 'regclass', 'SETOF planted.people'),
	('dp_release', 'regclass, text, float8, float8, jsonb', 'bigint'), ('dp_release', 'regclass[], text, float8, float8, jsonb', 'bigint'),
	('dp_sample', 'anyelement, bigint, bigint, bigint', 'SETOF anyelement'), ('dp_sample', 'planted.people, bigint', 'SETOF planted.people'),
	('dp_create_synthetic', 'regclass[], name, float8', 'bigint'), ('dp_create_synthetic', 'regclass, text, float8, float8, jsonb, bigint', 'bigint'),
	('dp_explain', 'text, text, float8', 'bigint'), ('dp_explain', 'text, text, numeric, float8, jsonb, integer, float8, float8', 'bigint'),
	('dp_release_histogram', 'planted.people, float8, float8, jsonb', 'bigint'), ('dp_histogram', 'bigint', 'bigint'), ('dp_histogram', 'bigint, numeric', 'bigint'),
	('dp_release_query', 'planted.people, float8, float8, jsonb, float8', 'bigint'), ('dp_query', 'bigint', 'bigint'), ('dp_query', 'bigint, numeric', 'bigint'),
	('dp_answer', 'bigint', 'bigint'), ('dp_answer', 'bigint, name[]', 'bigint'), ('dp_error', 'bigint', 'bigint'), ('dp_release_tables', 'bigint', 'bigint'),
	('dp_compare_regression', 'regclass, regclass, name, name[], text', 'bigint'), ('dp_compare_regression', 'regclass, regclass, name, name[]', 'bigint'),
	('dp_propensity', 'regclass, regclass', 'bigint'), ('dp_evaluate_risk', 'regclass, regclass, name[], name', 'bigint'),
	('dp_evaluate', 'regclass, regclass', 'bigint'), ('dp_evaluate', 'regclass[], regclass[]', 'bigint'), ('dp_evaluate', 'regclass, regclass, text', 'bigint'),
	('dp_evaluate', 'regclass[], regclass[], text', 'bigint');
\set ECHO none
SELECT format('CREATE FUNCTION %I.%I(%s) RETURNS %s LANGUAGE plpgsql AS $p$ BEGIN RAISE WARNING ''planted %s(%s) is run by %%'', current_user; RETURN; END $p$',
	:'schema', name, arguments, CASE WHEN returns LIKE 'SETOF%' THEN returns ELSE 'SETOF ' || returns END, name, arguments) FROM signatures
\gexec
\set ECHO all

-- who calls them gets them
SET client_min_messages = warning;
SELECT dp_synthesize_with(NULL::people, 'mst'::text, 1::float8, 0::float8, 1::bigint, '{}'::jsonb, 1, 1::bigint);
SELECT * FROM dp_sample(NULL::people, 1::bigint);

-- and the functions of the extension do not
SET SESSION AUTHORIZATION regress_dp_planted_analyst;
SELECT method, (SELECT count(*) FROM dp_synthesize(NULL::people, 10::float8, 1e-9::float8, 20::bigint, method, '{}', 1, 1::bigint)) FROM (VALUES ('auto'), ('mst'), ('flat')) m (method);
SELECT count(*) FROM dp_synthesize_mst(NULL::people, 10, rows => 20, seed => 1);
SELECT count(*) FROM dp_synthesize_aim(NULL::people, 10, rows => 20, workload => '{"sex,age"}', seed => 1);
SELECT count(*) FROM dp_synthesize_aim(NULL::people, 10, rows => 20, workload => 2, seed => 1);
SELECT count(*) FROM dp_synthesize_cipher(NULL::people, 10, rows => 20, workload => '{"sex,age"}'::text[], seed => 1);
SELECT count(*) FROM dp_synthesize_sbhg(NULL::people, 10, 1e-9, rows => 20, seed => 1);
SELECT count(*) FROM dp_synthesize_pegs(NULL::people, 100, rows => 20, seed => 1);
SELECT count(*) > 0 FROM dp_histogram(NULL::people, '{sex}', 10);
SELECT count(*) > 0 FROM dp_histogram('people', '{sex}', 10);
SELECT count(*) FROM dp_query(NULL::people, '{count(*)}', 10);
SELECT count(*) FROM dp_query('people', '{count(*)}', 10);
SELECT count(*) > 1 FROM dp_explain('people', 'mst', epsilon => 1);
SELECT count(*) FROM dp_create_synthetic('people', 'planted_made', 10, options => '{"rows": 20}');
DROP TABLE planted_made.people;
SELECT count(*) FROM dp_create_synthetic('{people,visits}', 'planted_made', 10);
SELECT release AS r FROM dp_releases ORDER BY release DESC LIMIT 1 \gset
SELECT dp_report(:r) ~ '^<!DOCTYPE html>';
SELECT release AS q FROM dp_releases WHERE method = 'query' ORDER BY release DESC LIMIT 1 \gset
SELECT dp_report(:q) ~ '^<!DOCTYPE html>';
SET client_min_messages = error;
GRANT SELECT ON ALL TABLES IN SCHEMA planted_made TO regress_dp_planted_owner;
SET SESSION AUTHORIZATION regress_dp_planted_owner;
SET client_min_messages = warning;
SELECT dp_report('people', 'planted_made.people', '{"outcome": "age", "predictors": ["sex"], "propensity": true, "known": ["sex"], "secret": "age"}'::jsonb) ~ '^<!DOCTYPE html>';
SELECT dp_report('{people,visits}', '{planted_made.people,planted_made.visits}') ~ '^<!DOCTYPE html>';
SELECT count(*) > 0 FROM dp_suggest_columns('people', false);

SET client_min_messages = error;
RESET SESSION AUTHORIZATION;
DROP OWNED BY regress_dp_planted_attacker, regress_dp_planted_owner, regress_dp_planted_analyst CASCADE;
DROP SCHEMA planted, planted_made CASCADE;
DROP ROLE regress_dp_planted_owner, regress_dp_planted_analyst, regress_dp_planted_attacker;
