-- The extension in a schema of its own, which is on nobody's search_path, in a
-- database of its own.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
\set VERBOSITY terse
SET client_min_messages = warning;
SELECT current_database() AS here \gset
DROP DATABASE IF EXISTS regress_dp_15;
CREATE DATABASE regress_dp_15;
\c regress_dp_15
\set VERBOSITY default
SET client_min_messages = warning;
CREATE ROLE regress_dp_15_owner;
CREATE ROLE regress_dp_15_analyst;
CREATE SCHEMA "Dp & co";
CREATE SCHEMA data;
GRANT USAGE ON SCHEMA "Dp & co", data TO public;
GRANT CREATE ON SCHEMA data TO public;
CREATE EXTENSION dpsyn SCHEMA "Dp & co";
ALTER EXTENSION dpsyn SET SCHEMA public;
SET search_path = '';

SET SESSION AUTHORIZATION regress_dp_15_owner;
SET search_path = '';
CREATE TABLE data.t (flag boolean NOT NULL, n int, city text);
INSERT INTO data.t SELECT i % 2 = 0, i % 3, 'Ulm' FROM pg_catalog.generate_series(1, 300) i;
SELECT "Dp & co".dp_protect('data.t', 1000, 0.1);
SELECT call FROM "Dp & co".dp_suggest_columns('data.t') s (call);
SELECT call FROM "Dp & co".dp_suggest_columns('data.t') s (call) \gexec
SELECT "Dp & co".dp_grant('data.t', 'regress_dp_15_analyst', 500, 0.01);
SELECT column_name, kind, labels FROM "Dp & co".dp_columns ORDER BY ordinal;

SET SESSION AUTHORIZATION regress_dp_15_analyst;
SELECT stage FROM "Dp & co".dp_explain('data.t', 'sbhg', 1, 1e-6);
SELECT "Dp & co".dp_release('data.t', 'sba', 100, 1e-6) AS r \gset
SELECT flag, n, city FROM "Dp & co".dp_sample(NULL::data.t, :r, 100, 1) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
CREATE TABLE data.synthetic AS SELECT * FROM "Dp & co".dp_synthesize_sbhg(NULL::data.t, 10, 1e-6, rows => 10);
SELECT count(*) FROM "Dp & co".dp_synthesize_sba(NULL::data.t, 10, 1e-6, rows => 10);
SELECT "Dp & co".dp_grant(:r);
SELECT relation, method, epsilon, status FROM "Dp & co".dp_ledger ORDER BY id;
SELECT epsilon_spent FROM "Dp & co".dp_budgets;
SELECT epsilon_spent FROM "Dp & co".dp_datasets;
SELECT count(*) FROM "Dp & co".dp_releases;
SELECT count(*) > 0 FROM "Dp & co".dp_methods;

-- functions and operators of the same names in a caller's search_path change nothing
RESET SESSION AUTHORIZATION;
CREATE SCHEMA trap AUTHORIZATION regress_dp_15_analyst;
SET SESSION AUTHORIZATION regress_dp_15_analyst;
SET search_path = trap;
CREATE FUNCTION trap.int4eq(int, int) RETURNS boolean LANGUAGE sql AS 'SELECT false';
CREATE OPERATOR trap.= (leftarg = int, rightarg = int, function = trap.int4eq);
CREATE FUNCTION trap.now() RETURNS timestamptz LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'trapped'; END $$;
CREATE FUNCTION trap.nullif(text, text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'trapped'; END $$;
CREATE TABLE trap.dp_dataset (id int, relation regclass);
CREATE TABLE trap.dp_allocation (id int);
SET search_path = trap, pg_catalog, data;
SELECT count(*) FROM "Dp & co".dp_synthesize_sbhg(NULL::data.t, 10, 1e-6, rows => 10);
SELECT epsilon_spent FROM "Dp & co".dp_budgets;
RESET search_path;

-- without the extension there is nothing to call, and nothing is left behind
RESET SESSION AUTHORIZATION;
SET search_path = public;
DROP EXTENSION dpsyn;
SELECT count(*) FROM pg_proc WHERE proname LIKE 'dp\_%';
SELECT count(*) FROM pg_class WHERE relname LIKE 'dp\_%' AND relnamespace <> 'trap'::regnamespace;
CREATE EXTENSION dpsyn;
SELECT count(*) FROM dp_datasets;
\c :here
SET client_min_messages = warning;
DROP DATABASE regress_dp_15;
DROP ROLE regress_dp_15_owner, regress_dp_15_analyst;
