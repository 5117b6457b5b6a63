-- What a release will fill, cost and leave, told before it spends, and what came of open columns.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t52;
CREATE ROLE regress_dp_52_owner;
CREATE ROLE regress_dp_52_ann;
GRANT USAGE, CREATE ON SCHEMA t52 TO regress_dp_52_owner;
GRANT USAGE ON SCHEMA t52 TO regress_dp_52_ann;
SET search_path = t52, public;
SET SESSION AUTHORIZATION regress_dp_52_owner;
SET client_min_messages = warning;
CREATE TABLE people (flag boolean NOT NULL, sex text CHECK (sex IN ('f', 'm')), name text, "Born" text);
INSERT INTO people SELECT i % 2 = 0, 'f', 'n' || i, '2000-01-01' FROM generate_series(1, 100) i;
SELECT dp_protect('people', 10, 1e-4);
SELECT dp_grant('people', 'regress_dp_52_ann', 4, 1e-5);
RESET client_min_messages;

-- ---- one NOTICE before a release: columns, noise, cost, and what is left of whose budget
SET SESSION AUTHORIZATION regress_dp_52_ann;
SELECT dp_release('people', 'sba', 1.5, 0, '{"dense_cells": 10}') AS r \gset
SELECT stage FROM dp_explain('people', 'sba', 1, 1e-6);
-- none where nothing is spent
SELECT count(*) FROM dp_sample(NULL::people, :r, 5);
-- columns that were left out are not missed
SELECT dp_release('people', 'marginal', 0.5, 0, '{"columns": ["flag"]}') > 0;
-- whose rest is the smaller one
SET SESSION AUTHORIZATION regress_dp_52_owner;
SET client_min_messages = warning;
SELECT dp_alter_protection('people', 3, 1e-4);
RESET client_min_messages;
SET SESSION AUTHORIZATION regress_dp_52_ann;
SELECT stage FROM dp_explain('people', 'marginal', 0.9) WHERE stage = 'total';
SELECT stage FROM dp_explain('people', 'marginal', 1.9) WHERE stage = 'total';
SET SESSION AUTHORIZATION regress_dp_52_owner;
SELECT stage FROM dp_explain('people', 'marginal', 1) WHERE stage = 'total';
SELECT stage FROM dp_explain('people', 'pegs_ldiversity', 0, 0, '{"l": 2, "rows": 5}') WHERE stage = 'total';
-- under zcdp in rho, with the epsilon that is left
SET client_min_messages = warning;
CREATE TABLE rho (flag boolean NOT NULL);
SELECT dp_protect('rho', 1, 1e-6, accountant => 'zcdp');
RESET client_min_messages;
SELECT dp_release('rho', 'marginal', 0.1) > 0;
SELECT epsilon_left, delta_left FROM dp_datasets WHERE relation = 'rho'::regclass;

-- ---- mostly NULL: refused before the debit, with the calls that help
SET client_min_messages = warning;
CREATE TABLE wide (flag boolean NOT NULL, name text, born text, wage numeric CHECK (wage >= -1e15), at uuid, tags text[], small real CHECK (small <= 1e20),
				   "Odd'name" varchar(20));
INSERT INTO wide SELECT true, 'n' || i, '2000-01-01', i FROM generate_series(1, 100) i;
SELECT dp_protect('wide', 10);
RESET client_min_messages;
SELECT dp_release('wide', 'marginal', 1);
\echo :LAST_ERROR_SQLSTATE
SELECT stage FROM dp_explain('wide', 'marginal', 1) WHERE stage = 'total';
SET client_min_messages = warning;
\set VERBOSITY terse
SELECT count(*) FROM dp_synthesize(NULL::wide, 1, rows => 5);
SELECT epsilon_spent FROM dp_datasets WHERE relation = 'wide'::regclass;
-- unless they are wanted, or others are not
SELECT dp_release('wide', 'marginal', 1, 0, '{"partial": true}') > 0, dp_release('wide', 'marginal', 1, 0, '{"columns": ["flag"]}') > 0;
SELECT count(*), count(flag), count(name) FROM dp_synthesize(NULL::wide, 1, rows => 5, options => '{"partial": true}');
SELECT count(*) FROM dp_synthesize_mst(NULL::wide, 1, rows => 5, partial => false);
SELECT dp_release('wide', 'marginal', 1, 0, '{"partial": "yes"}');
SELECT epsilon_spent FROM dp_datasets WHERE relation = 'wide'::regclass;
-- half of them suffices: the calls as they were told, with edges put in
SELECT dp_define_column('t52.wide', 'born', open => true, domain => '["2000-01-01"]');
SELECT dp_define_column('t52.wide', 'wage', range => '{0,2000}');
SELECT dp_release('wide', 'marginal', 1);
SELECT dp_define_column('t52.wide', 'small', range => '{0,20}');
SELECT dp_release('wide', 'marginal', 1) > 0;
\set VERBOSITY default
-- of many columns some are named
DO $$ BEGIN EXECUTE (SELECT 'CREATE TABLE wider (flag boolean NOT NULL, ' || string_agg('c' || i || ' text', ', ') || ')' FROM generate_series(1, 30) i); END $$;
SELECT dp_protect('wider', 10);
SELECT dp_release('wider', 'marginal', 1);

-- ---- open columns: which values can be found, and what came of them
CREATE TABLE towns (town text, name text, plain text, flag boolean NOT NULL);
INSERT INTO towns SELECT CASE WHEN i % 2 = 0 THEN 'Ulm' ELSE 'Bern' END, CASE WHEN i % 4 = 0 THEN 'Ann' ELSE 'name ' || i END, 'x' || i, true FROM generate_series(1, 4000) i;
SELECT dp_protect('towns', 10000, 0.1);
SELECT dp_define_column('towns', 'town', open => true), dp_define_column('towns', 'name', open => true),
	   dp_define_column('towns', 'plain', open => true, other => 'some');
RESET client_min_messages;
SELECT stage, threshold FROM dp_explain('towns', 'sbhg', 100, 1e-11) WHERE threshold IS NOT NULL;
SELECT stage, threshold FROM dp_explain('towns', 'sbhg', 1, 1e-11, '{"table_rows": 4000}') WHERE threshold IS NOT NULL;
SELECT stage, threshold FROM dp_explain('towns', 'sbhg', 1, 1e-11, '{"table_rows": 50}') WHERE step = 1;
SELECT stage FROM dp_explain('towns', 'histogram', 1, 1e-11, '{"table_rows": 50, "mechanism": "stability", "columns": ["town"]}');
SELECT stage FROM dp_explain('towns', 'sbhg', 1, 1e-11, '{"table_rows": 0}');
SELECT dp_release('towns', 'sbhg', 1, 1e-11, '{"table_rows": 50}');
-- every value that is frequent enough is found: there is nothing to say. Noise is far below a row
SELECT dp_release('towns', 'marginal', 900, 1e-11, '{"columns": ["town"]}') > 0;
-- a value of one row is found with probability 1e-13 at most, one of 1,000 is missed with exp(-1000)
SELECT dp_release('towns', 'sbhg', 100, 1e-11) > 0;
-- how many rows there are, was released
SELECT dp_release('towns', 'sba', 0.001, 1e-11, '{"columns": ["town", "flag"]}') > 0;
-- methods that keep columns open tell the same
SELECT dp_release('towns', 'histogram', 100, 1e-11, '{"mechanism": "stability", "columns": ["town"]}') > 0;
SELECT dp_release('towns', 'histogram', 100, 1e-11, '{"mechanism": "stability", "columns": ["plain"]}') > 0;

-- ---- what a delta would buy: said where the budget has one and the method uses it
CREATE TABLE flags AS SELECT i % 2 = 0 AS f2, i % 3 = 0 AS f3, i % 4 = 0 AS f4, i % 5 = 0 AS f5, i % 6 = 0 AS f6, i % 7 = 0 AS f7, i % 8 = 0 AS f8, i % 9 = 0 AS f9, i % 10 = 0 AS f10, i % 11 = 0 AS f11, i % 12 = 0 AS f12, i % 13 = 0 AS f13, i % 14 = 0 AS f14, i % 15 = 0 AS f15, i % 16 = 0 AS f16, i % 17 = 0 AS f17, i % 18 = 0 AS f18, i % 19 = 0 AS f19, i % 20 = 0 AS f20, i % 21 = 0 AS f21 FROM generate_series(1, 4000) i;
ANALYZE flags;
SELECT dp_protect('flags', 10, 1e-6);
SELECT dp_release('flags', 'aim', 1) > 0;
SELECT dp_release('flags', 'aim', 1, 1e-6) > 0;
SELECT dp_release('flags', 'aim', 1) > 0;

RESET SESSION AUTHORIZATION;
SET client_min_messages = warning;
DROP SCHEMA t52 CASCADE;
DROP ROLE regress_dp_52_ann;
DROP ROLE regress_dp_52_owner;
