-- What PostgreSQL shows of sizes, and the least that a release costs.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t51;
CREATE ROLE regress_dp_51_owner;
CREATE ROLE regress_dp_51_analyst;
GRANT USAGE, CREATE ON SCHEMA t51 TO regress_dp_51_owner;
GRANT USAGE ON SCHEMA t51 TO regress_dp_51_analyst;
SET search_path = t51, public;
SET SESSION AUTHORIZATION regress_dp_51_owner;

-- ---- sizes of parts
CREATE TABLE people (id integer PRIMARY KEY, hiv boolean NOT NULL, ward integer);
CREATE INDEX people_ward ON people (ward);
SELECT dp_protect('people', 10);
CREATE INDEX people_hiv ON people (id) WHERE hiv;
CREATE STATISTICS people_both ON hiv, ward FROM people;
SELECT dp_unprotect('people');
SELECT dp_protect('people', 10);
CREATE VIEW ill AS SELECT ward FROM people WHERE hiv;
SELECT dp_protect('ill', 10);
CREATE TABLE parted (hiv boolean NOT NULL, ward integer) PARTITION BY LIST (hiv);
CREATE TABLE parted_ill PARTITION OF parted FOR VALUES IN (true);
CREATE TABLE parted_well PARTITION OF parted FOR VALUES IN (false) PARTITION BY LIST (ward);
CREATE TABLE parted_well_1 PARTITION OF parted_well FOR VALUES IN (1);
SELECT dp_protect('parted', 10);
-- an analyst reads the size of a group, without any right
INSERT INTO people SELECT i, i % 7 = 0, 1 FROM generate_series(1, 700) i;
ANALYZE people;
SET SESSION AUTHORIZATION regress_dp_51_analyst;
SELECT relname, reltuples FROM pg_class WHERE relname = 'people_hiv';
SET SESSION AUTHORIZATION regress_dp_51_owner;

-- ---- the least that a release costs: a failure tells something too
SET client_min_messages = warning;
CREATE TABLE dear (flag boolean NOT NULL);
SELECT dp_protect('dear', 10, min_epsilon_per_release => 1e-10);
SELECT dp_protect('dear', 10);
SELECT dp_grant('dear', 'regress_dp_51_analyst', 5);
SELECT min_epsilon_per_release FROM dp_datasets WHERE relation = 'dear'::regclass;
SET SESSION AUTHORIZATION regress_dp_51_analyst;
SELECT dp_release('dear', 'sba', 0.000000001, 0, '{"dense_cells": 10}');
SELECT dp_release('dear', 'sba', 0.000999999, 0, '{"dense_cells": 10}');
-- which dp_explain tells
SET client_min_messages = notice;
SELECT epsilon_total FROM dp_explain('dear', 'sba', 0.000999999, 0, '{"dense_cells": 10}') WHERE stage = 'total';
SELECT epsilon_total FROM dp_explain('dear', 'sba', 0.001, 0, '{"dense_cells": 10}') WHERE stage = 'total';
SET client_min_messages = warning;
SELECT dp_release('dear', 'sba', 0.001, 0, '{"dense_cells": 10}') > 0;
SELECT dp_alter_protection('dear', min_epsilon_per_release => 0);
SELECT epsilon_spent FROM dp_datasets WHERE relation = 'dear'::regclass;
SET SESSION AUTHORIZATION regress_dp_51_owner;
SELECT dp_alter_protection('dear', min_epsilon_per_release => 1e-10);
SELECT dp_alter_protection(NULL, min_epsilon_per_release => 1);
SELECT dp_alter_protection('dear', min_epsilon_per_release => 0.5);
SELECT dp_release('dear', 'sba', 0.4, 0, '{"dense_cells": 10}');
SELECT dp_alter_protection('dear', min_epsilon_per_release => 0);
SELECT dp_release('dear', 'sba', 0.000000001, 0, '{"dense_cells": 10}') > 0;
CREATE TABLE concentrated (flag boolean NOT NULL);
SELECT dp_protect('concentrated', 10, 1e-6, accountant => 'zcdp');
SELECT dp_release('concentrated', 'sba', 0.0001, 0, '{"dense_cells": 10}');

RESET SESSION AUTHORIZATION;
SET client_min_messages = warning;
DROP SCHEMA t51 CASCADE;
DROP ROLE regress_dp_51_analyst;
DROP ROLE regress_dp_51_owner;
