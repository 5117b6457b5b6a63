-- Hostile statements in a session with private queries: code of the analyst's own beside rows that she may
-- not read, names that shadow others, rights and columns that change between a plan and its run. No notice
-- may show a value of a row, and nothing may be read that was not asked for.
\pset null NULL
\set SHOW_CONTEXT never
\set VERBOSITY terse
CREATE SCHEMA t_hostile;
CREATE ROLE regress_dp_ho_owner;
CREATE ROLE regress_dp_ho_ana;
CREATE ROLE regress_dp_ho_carl;
GRANT USAGE, CREATE ON SCHEMA t_hostile TO regress_dp_ho_owner, regress_dp_ho_ana;
GRANT USAGE ON SCHEMA t_hostile TO regress_dp_ho_carl;
SET search_path = t_hostile, public;
SET client_min_messages = error;
SET SESSION AUTHORIZATION regress_dp_ho_owner;
CREATE TABLE wards (ward int PRIMARY KEY, name text, beds int);
CREATE TABLE patients (id int PRIMARY KEY, sex text CHECK (sex IN ('f', 'm')));
CREATE TABLE visits (id int, patient int REFERENCES patients, ward int REFERENCES wards, kind text NOT NULL, price numeric NOT NULL, cost numeric NOT NULL);
INSERT INTO wards VALUES (1, 'er', 9), (2, 'icu', 3);
INSERT INTO patients SELECT i, CASE i % 2 WHEN 0 THEN 'f' ELSE 'm' END FROM generate_series(1, 100) i;
INSERT INTO visits SELECT i, 1 + i % 100, 1 + i % 2, CASE i % 3 WHEN 0 THEN 'a' ELSE 'b' END, i % 100, 5 FROM generate_series(1, 300) i;
SELECT dp_declare_public('wards');
SELECT dp_protect('patients', 1000000), dp_protect('visits', parent => 'patients', max_rows_per_unit => 3);
SELECT dp_define_column('visits', 'kind', '{a,b}', complete => true), dp_define_column('visits', 'price', range => '{0,100}'),
	dp_define_column('visits', 'cost', range => '{0,100}');
SELECT dp_grant('visits', 'regress_dp_ho_ana', 100000), dp_grant('patients', 'regress_dp_ho_ana', 100000), dp_grant('visits', 'regress_dp_ho_carl', 100000);
GRANT SELECT ON wards TO regress_dp_ho_ana;

SET SESSION AUTHORIZATION regress_dp_ho_ana;
SELECT dp_private_queries(3000);
-- her functions, operators, casts, aggregates, domains and collations never meet a row
SET client_min_messages = notice;
CREATE FUNCTION leak(numeric) RETURNS numeric LANGUAGE plpgsql IMMUTABLE COST 0.0001 AS $$ BEGIN RAISE NOTICE 'a value of a row: %', $1; RETURN $1; END $$;
CREATE FUNCTION leaks(numeric, numeric) RETURNS boolean LANGUAGE plpgsql IMMUTABLE COST 0.0001 AS $$ BEGIN RAISE NOTICE 'a value of a row: %', $1; RETURN true; END $$;
CREATE FUNCTION kind_of(visits) RETURNS text LANGUAGE sql AS 'SELECT $1.kind';
CREATE OPERATOR = (LEFTARG = numeric, RIGHTARG = numeric, PROCEDURE = leaks);
CREATE AGGREGATE sum(numeric) (SFUNC = numeric_larger, STYPE = numeric);
CREATE DOMAIN checked AS numeric CHECK (leak(VALUE) IS NOT NULL);
CREATE TYPE own AS ENUM ('a', 'b');
CREATE FUNCTION to_own(text) RETURNS own LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'a value of a row: %', $1; RETURN 'a'; END $$;
CREATE CAST (text AS own) WITH FUNCTION to_own(text) AS IMPLICIT;
CREATE VIEW leaking WITH (security_barrier) AS SELECT *, leak(price) AS leaked FROM visits;
SELECT count(*) FROM visits WHERE leak(price) > 3;
SELECT sum(leak(price)) FROM visits;
SET search_path = t_hostile, pg_catalog, public;
SELECT count(*) FROM visits WHERE price = 3;
SELECT count(*) FROM visits WHERE price IN (3, 4);
SELECT sum(price) FROM visits;
SELECT t_hostile.sum(price) FROM visits;
SET search_path = t_hostile, public;
SELECT count(*) FROM visits WHERE price OPERATOR(t_hostile.=) 3;
SELECT count(*) FROM visits v WHERE v.kind_of = 'a';
SELECT count(*) FROM visits WHERE price::checked > 3;
SELECT count(*) FROM visits WHERE kind::own = 'a';
SELECT count(leaked) FROM leaking;
SELECT count(*) FROM leaking WHERE price >= 50;
SELECT pg_catalog.sum(cost) > 1400 AS sum FROM visits WHERE kind = 'a' HAVING pg_catalog.sum(cost) < leak(1600);
DROP AGGREGATE t_hostile.sum(numeric);
DROP OPERATOR t_hostile.= (numeric, numeric);
-- what has an effect beside its value
CREATE SEQUENCE s;
SELECT count(*) FROM visits WHERE nextval('s') > 0;
SELECT count(*) FROM visits WHERE set_config('a.b', price::text, false) IS NOT NULL;
SELECT count(*) FROM visits WHERE pg_try_advisory_lock(id);
SELECT count(*) FROM visits WHERE pg_sleep(id) IS NULL;
SELECT count(*) FROM visits WHERE price < (SELECT leak(50));
SELECT count(*) FROM visits WHERE price < (SELECT nextval('s'));

-- a table of a session that has the name of another: a plan does not change its meaning, nor does a debit
SET client_min_messages = error;
PREPARE below AS SELECT count(*) FROM visits WHERE price < 50;
EXECUTE below;
CREATE TEMP TABLE visits (price numeric);
EXECUTE below;
DROP TABLE visits;
EXECUTE below;
CREATE TEMP TABLE wards (ward int PRIMARY KEY, name text);
DO $$ BEGIN PERFORM name, count(*) FROM visits JOIN wards USING (ward) GROUP BY name;
EXCEPTION WHEN feature_not_supported THEN RAISE EXCEPTION '%', regexp_replace(SQLERRM, 'pg_temp_\d+', 'pg_temp'); END $$;
DROP TABLE pg_temp.wards;
CREATE TEMP TABLE pg_class AS SELECT * FROM pg_catalog.pg_class LIMIT 0;
CREATE TEMP TABLE dp_dataset (id int);
SELECT count(*) FROM visits WHERE price < 60;
DROP TABLE pg_temp.pg_class, dp_dataset;

-- whether a row is there, in all the places in which one asks
SELECT EXISTS (SELECT FROM visits WHERE id = 3);
SELECT 1 WHERE EXISTS (SELECT FROM visits WHERE id = 3);
SELECT * FROM wards w WHERE w.ward = ANY (SELECT ward FROM visits WHERE id = 3);
SELECT ARRAY(SELECT id FROM visits);
SELECT 'a' INTERSECT SELECT kind FROM visits WHERE id = 3;
WITH x AS (INSERT INTO wards SELECT 3, kind, 1 FROM visits RETURNING *) SELECT * FROM x;
DO $$ BEGIN PERFORM id FROM visits; EXCEPTION WHEN feature_not_supported THEN RAISE EXCEPTION 'caught: %', SQLERRM; END $$;
COPY (SELECT id FROM visits) TO STDOUT;
DECLARE c CURSOR WITH HOLD FOR SELECT * FROM visits;

-- columns that change their names between a plan and its run
PREPARE priced AS SELECT sum(price) > 10000 AS much FROM visits;
PREPARE costly AS SELECT sum(cost) > 10000 AS much FROM visits WHERE price < 30;
EXECUTE priced;
EXECUTE costly;
SET SESSION AUTHORIZATION regress_dp_ho_owner;
ALTER TABLE visits RENAME price TO x;
ALTER TABLE visits RENAME cost TO price;
ALTER TABLE visits RENAME x TO cost;
SET SESSION AUTHORIZATION regress_dp_ho_ana;
EXECUTE priced;
SELECT sum(price) > 10000 AS much FROM visits;
EXECUTE costly;
-- and rights
BEGIN;
DECLARE held CURSOR FOR SELECT count(*) FROM visits WHERE cost < 70;
DECLARE read CURSOR FOR SELECT count(*) FROM visits WHERE cost < 71;
FETCH read;
RESET SESSION AUTHORIZATION;
SELECT dp_revoke('visits', 'regress_dp_ho_ana');
SELECT dp_revoke('patients', 'regress_dp_ho_ana');
SET LOCAL SESSION AUTHORIZATION regress_dp_ho_ana;
FETCH held;
ROLLBACK;

-- a question that is written by hand reads no ancestor that its role may not ask about, no table that is not public,
-- and no row below that it is not of
SET SESSION AUTHORIZATION regress_dp_ho_carl;
CREATE FUNCTION pg_temp.by_hand(relation text, condition text) RETURNS bigint LANGUAGE sql AS $$
	SELECT public.dp_release('t_hostile.visits', 'query', 1, 0, format(
		'{"question": {"relations": [{}, %s], "groups": [], "measures": [{"measure": "rows"}], "where": %s}}', relation, condition)::jsonb) $$;
SELECT pg_temp.by_hand('{"ancestor": 1}', '["texteq", ["column", 1, "sex"], ["value", "text", "f"]]');
SELECT pg_temp.by_hand('{"ancestor": 2}', '["value", "bool", "t"]');
SELECT pg_temp.by_hand(format('{"public": %s}', 'patients'::regclass::oid), '["texteq", ["column", 1, "sex"], ["value", "text", "f"]]');
SELECT pg_temp.by_hand(format('{"public": %s}', 'pg_catalog.pg_authid'::regclass::oid), '["value", "bool", "t"]');
SELECT pg_temp.by_hand(format('{"below": %s, "of": 0}', 'patients'::regclass::oid), '["exists", 1, ["value", "bool", "t"]]');
SELECT pg_temp.by_hand('{"below": 0, "of": 0}', '["exists", 7, ["value", "bool", "t"]]');
SELECT pg_temp.by_hand('{"public": -1}', '["value", "bool", "t"]');
SELECT pg_temp.by_hand('{"units": {"relations": [{}], "groups": [], "aggregates": []}}', '["column", 0, "ctid"]');
SELECT pg_temp.by_hand('{"ancestor": 1, "on": ["value", "bool", "t"]}', '["value", "bool", "t"]');
SELECT pg_temp.by_hand(format('{"units": {"relations": [{}], "groups": [], "aggregates": [{"aggregate": "rows"}]}%s}', ''), '["int8gt", ["column", 1, "n0"], ["value", "int8", "1"]]');
SELECT pg_temp.by_hand(format('{"units": {"relations": [{}], "groups": [], "aggregates": [{"aggregate": "rows"}]}%s}', ', "rows_of": -1'), '["int8gt", ["column", 1, "n0"], ["value", "int8", "1"]]');
SELECT pg_temp.by_hand(format('{"units": {"relations": [{}], "groups": [], "aggregates": [{"aggregate": "rows"}]}%s}', ', "rows_of": 1'), '["int8gt", ["column", 1, "n0"], ["value", "int8", "1"]]');
SELECT pg_temp.by_hand(format('{"units": {"relations": [{}], "groups": [], "aggregates": [{"aggregate": "rows"}]}%s}', format(', "rows_of": %s', 'patients'::regclass::oid)), '["int8gt", ["column", 1, "n0"], ["value", "int8", "1"]]');
SELECT pg_temp.by_hand(format('{"units": {"relations": [{}, {"units": {}}], "groups": [], "aggregates": []}, "rows_of": %s}', 'visits'::regclass::oid), '["value", "bool", "t"]');
SELECT pg_temp.by_hand(format('{"units": {"relations": [{}], "groups": [["value", "bool", "t"]], "aggregates": []}, "rows_of": %s}', 'visits'::regclass::oid), '["value", "bool", "t"]');
SELECT pg_temp.by_hand(format('{"units": {"relations": [{}], "groups": [], "all": true, "aggregates": []}, "rows_of": %s}', 'visits'::regclass::oid), '["value", "bool", "t"]');
SELECT pg_temp.by_hand(format('{"units": {"relations": [{}], "groups": [], "aggregates": []}, "rows_of": %s, "on": ["value", "bool", "f"]}', 'visits'::regclass::oid), '["value", "bool", "t"]');
SELECT count(*) FROM dp_ledger;
DROP FUNCTION pg_temp.by_hand;

RESET SESSION AUTHORIZATION;
DROP SCHEMA t_hostile CASCADE;
DROP ROLE regress_dp_ho_owner, regress_dp_ho_ana, regress_dp_ho_carl;
