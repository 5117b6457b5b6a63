-- Whose views keep a custodian from changing a relation.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t89;
CREATE ROLE regress_dp_89_owner;
CREATE ROLE regress_dp_89_analyst;
GRANT USAGE, CREATE ON SCHEMA t89 TO regress_dp_89_owner;
GRANT USAGE ON SCHEMA t89 TO regress_dp_89_analyst;
CREATE SCHEMA t89_private AUTHORIZATION regress_dp_89_analyst;
SET search_path = t89, public;
SET SESSION AUTHORIZATION regress_dp_89_owner;
CREATE TABLE people (sex text CHECK (sex IN ('f', 'm')), age integer CHECK (age BETWEEN 0 AND 99), spare integer);
CREATE TABLE free (sex text);
SELECT dp_protect('people', 1000), dp_grant('people', 'regress_dp_89_analyst', 500);
SET client_min_messages = error;
SET SESSION AUTHORIZATION regress_dp_89_analyst;
SELECT dp_release('people', 'marginal', 1, 0, '{"partial": true}') AS release \gset
CREATE VIEW t89_private.depends AS SELECT sex FROM dp_sample(NULL::people, :release, seed => 1);
CREATE VIEW t89_private.lists AS SELECT * FROM dp_sample('t89.people', :release, seed => 1) AS v(sex text);
SET SESSION AUTHORIZATION regress_dp_89_owner;
CREATE VIEW own AS SELECT spare FROM people;
SET client_min_messages = notice;
-- PostgreSQL names the view, and dpsyn its owner; a view that lists its columns depends on nothing
ALTER TABLE people DROP COLUMN sex;
\set VERBOSITY terse
ALTER TABLE people ALTER COLUMN sex TYPE varchar(10);
\set VERBOSITY default
DROP TABLE people;
-- one's own views, and columns that no view of others uses, are no news
ALTER TABLE people DROP COLUMN spare;
ALTER TABLE people ADD COLUMN more integer, DROP COLUMN IF EXISTS none;
DROP TABLE free;
DROP TABLE IF EXISTS none;
ALTER TABLE none DROP COLUMN sex;
-- only who may alter the relation hears of it
SET SESSION AUTHORIZATION regress_dp_89_analyst;
ALTER TABLE people DROP COLUMN sex;
SET SESSION AUTHORIZATION regress_dp_89_owner;
ALTER TABLE people DROP COLUMN sex CASCADE;
RESET SESSION AUTHORIZATION;
SELECT dp_catalog.dp_note_views();
SET client_min_messages = error;
DROP SCHEMA t89, t89_private CASCADE;
DROP OWNED BY regress_dp_89_owner, regress_dp_89_analyst;
DROP ROLE regress_dp_89_owner, regress_dp_89_analyst;
