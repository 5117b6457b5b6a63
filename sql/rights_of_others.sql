-- What belongs to others: their expressions, what was dropped, and their limits.
\pset format unaligned
\pset tuples_only on
CREATE ROLE regress_dp_49_eve;
CREATE ROLE regress_dp_49_ann;
CREATE ROLE regress_dp_49_bob;
CREATE ROLE regress_dp_49_new;
CREATE SCHEMA t49;
GRANT ALL ON SCHEMA t49 TO public;
SET search_path = t49, public;

-- ---- constraints that cannot be evaluated fail no row of a view
SET SESSION AUTHORIZATION regress_dp_49_eve;
CREATE DOMAIN unreadable AS int CHECK (VALUE IN ('x'::text::int));
CREATE TABLE poisoned (zero int CHECK (zero IN (1 / 0)), unreadable unreadable, word text CHECK (word IN ('a', 'b')),
	padded text CHECK (padded IN ('a'::char(10000000)::text)), slow numeric CHECK (slow IN (9.9 ^ 99999)), flag boolean);
SELECT dp_protect('poisoned', 10), dp_grant('poisoned', 'regress_dp_49_ann', 5);
SET SESSION AUTHORIZATION regress_dp_49_ann;
SELECT column_name, kind, source, labels FROM dp_columns WHERE relation = 'poisoned'::regclass ORDER BY ordinal;
RESET SESSION AUTHORIZATION;
SELECT count(*) FROM dp_columns WHERE relation = 'poisoned'::regclass;
SET client_min_messages = warning;
SELECT dp_release('poisoned', 'sba', 1, 0, '{"dense_cells": 100, "columns": ["word", "flag"]}') > 0;
RESET client_min_messages;

-- ---- a role that gets the number of one that was dropped gets nothing else of it
SET SESSION AUTHORIZATION regress_dp_49_eve;
CREATE TABLE t (flag boolean NOT NULL);
SELECT dp_protect('t', 10), dp_grant('t', 'regress_dp_49_ann', 5);
SET SESSION AUTHORIZATION regress_dp_49_ann;
SELECT dp_release('t', 'sba', 1, 0, '{"dense_cells": 10}') AS release \gset
SELECT dp_release('t', 'sba', 1, 0, '{"dense_cells": 10}') AS shared \gset
SELECT dp_grant(:shared, 'regress_dp_49_eve');
RESET SESSION AUTHORIZATION;
-- as it is when the numbers come again: the numbers are bob's, the names are those of then
UPDATE dp_catalog.dp_allocation SET role = 'regress_dp_49_bob' WHERE role = 'regress_dp_49_ann'::regrole;
UPDATE dp_catalog.dp_release_store SET role = 'regress_dp_49_bob', payer = 'regress_dp_49_bob' WHERE id = :release;
UPDATE dp_catalog.dp_release_store SET readers = ARRAY['regress_dp_49_bob'::regrole] WHERE id = :shared;
SET SESSION AUTHORIZATION regress_dp_49_bob;
SELECT dp_release('t', 'sba', 1, 0, '{"dense_cells": 10}');
SELECT dp_explain('t', 'sba', 1);
\set VERBOSITY sqlstate
SELECT count(*) FROM dp_sample(NULL::t, :release, 1);
SELECT count(*) FROM dp_sample(NULL::t, :shared, 1);
SELECT dp_grant(:release, 'regress_dp_49_bob');
\set VERBOSITY default
SELECT * FROM dp_releases WHERE relation_name = 't49.t';
SELECT * FROM dp_budgets;
SELECT * FROM dp_datasets;
SELECT * FROM dp_columns;
-- what its custodian says is another matter; spent stays spent
SET SESSION AUTHORIZATION regress_dp_49_eve;
SELECT dp_grant('t', 'regress_dp_49_bob', 3), dp_grant(:shared, 'regress_dp_49_bob');
SET SESSION AUTHORIZATION regress_dp_49_bob;
SELECT epsilon, epsilon_spent FROM dp_budgets;
SELECT count(*) FROM dp_sample(NULL::t, :shared, 1);

-- ---- nor a table that gets the number of one that was dropped
SET SESSION AUTHORIZATION regress_dp_49_eve;
DROP TABLE t;
SET SESSION AUTHORIZATION regress_dp_49_new;
CREATE TABLE t (flag boolean NOT NULL);
RESET SESSION AUTHORIZATION;
UPDATE dp_catalog.dp_dataset SET relation = 't'::regclass WHERE relation_name = 't49.t';
SET SESSION AUTHORIZATION regress_dp_49_new;
SELECT * FROM dp_datasets WHERE relation = 't'::regclass;
SELECT count(*) FROM dp_ledger WHERE relation_name = 't49.t';
SELECT dp_release('t', 'sba', 1, 0, '{"dense_cells": 10}');
\set VERBOSITY sqlstate
SELECT count(*) FROM dp_sample(NULL::t, :shared, 1);
\set VERBOSITY default
SELECT dp_protect('t', 7);
SELECT epsilon, epsilon_spent FROM dp_datasets WHERE relation = 't'::regclass AND active;
SELECT column_name FROM dp_columns WHERE relation = 't'::regclass;

-- ---- what namesakes spent is more than any one relation can have
RESET SESSION AUTHORIZATION;
SELECT dp_unprotect('t');
DROP TABLE t;
INSERT INTO dp_catalog.dp_dataset (relation, relation_name, active, neighbours, epsilon_nano, delta_atto, spent_epsilon_nano, system_identifier, timeline, database, dropped_at)
SELECT 1, 't49.t', false, 'add_remove', 1, 0, 9000000000000000000, '', 1, '', now() FROM generate_series(1, 3);
CREATE TABLE t (flag boolean NOT NULL);
SELECT dp_protect('t', 1);

-- ---- the limits of who owns it hold where it is read
GRANT ALL ON SCHEMA public TO regress_dp_49_eve;
ALTER ROLE regress_dp_49_eve SET temp_file_limit = '123MB';
SET SESSION AUTHORIZATION regress_dp_49_eve;
CREATE VIEW limits AS SELECT current_setting('temp_file_limit') = '123MB' AS holds FROM generate_series(1, 100);
SELECT dp_protect('limits', 1000, sensitivity => 1);
SELECT dp_define_column('limits', 'holds', categories => '{true,false}', complete => true);
SELECT dp_release('limits', 'sba', 900, 0, '{"dense_cells": 10}') AS release \gset
SELECT DISTINCT holds FROM dp_sample(NULL::limits, :release, 20);

RESET SESSION AUTHORIZATION;
SET client_min_messages = warning;
REVOKE ALL ON SCHEMA public FROM regress_dp_49_eve;
DROP SCHEMA t49 CASCADE;
DROP ROLE regress_dp_49_eve, regress_dp_49_ann, regress_dp_49_bob, regress_dp_49_new;
