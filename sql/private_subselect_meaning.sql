-- What EXISTS, IN and outer joins to what a row belongs to mean in PostgreSQL is what is answered, or
-- they are refused: what stands in a sub-select may decide whether it has rows, and NULL is neither.
\set VERBOSITY terse
CREATE SCHEMA t_subselect_meaning;
CREATE ROLE regress_dp_meaning_analyst;
GRANT USAGE ON SCHEMA t_subselect_meaning TO regress_dp_meaning_analyst;
SET search_path = t_subselect_meaning, public;
SET client_min_messages = error;
CREATE TABLE towns (code int PRIMARY KEY, name text NOT NULL);
INSERT INTO towns VALUES (1, 'a'), (2, 'b');
GRANT SELECT ON towns TO regress_dp_meaning_analyst;
CREATE TABLE patients (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('f', 'm')), town int NOT NULL CHECK (town BETWEEN 1 AND 4));
CREATE TABLE visits (id int NOT NULL, patient int NOT NULL REFERENCES patients, ward smallint NOT NULL CHECK (ward BETWEEN 1 AND 4), paid boolean NOT NULL);
INSERT INTO patients SELECT i, CASE WHEN i <= 200 THEN 'f' ELSE 'm' END, 1 + i % 4 FROM generate_series(1, 600) i;
INSERT INTO visits SELECT i, 1 + i % 300, 1 + i / 300, i % 2 = 0 FROM generate_series(0, 899) i;
SELECT dp_declare_public('towns'), dp_protect('patients', 1000000), dp_protect('visits', parent => 'patients', max_rows_per_unit => 3);
SELECT dp_grant(r, 'regress_dp_meaning_analyst', 300000) FROM unnest('{patients,visits}'::regclass[]) r;

SET SESSION AUTHORIZATION regress_dp_meaning_analyst;
SET client_min_messages = warning;
SELECT dp_private_queries(3000);
-- one row whether there are visits or not, none whether there are, one of each ward, some at random
SELECT count(*) FROM patients p WHERE EXISTS (SELECT FROM visits v WHERE v.patient = p.id GROUP BY ());
SELECT count(*) FROM patients p WHERE EXISTS (SELECT generate_series(1, 0) FROM visits v WHERE v.patient = p.id);
SELECT count(*) FROM patients WHERE id IN (SELECT DISTINCT ON (ward) patient FROM visits ORDER BY ward, id);
SELECT count(*) FROM patients WHERE id IN (SELECT patient FROM visits TABLESAMPLE BERNOULLI (50));
SELECT count(*) FROM patients WHERE id IN (SELECT patient FROM ONLY visits);
SELECT count(*) FROM patients p WHERE id IN (SELECT row_number() OVER () FROM visits v WHERE v.patient = p.id);
SELECT count(*) FROM patients WHERE id IN (SELECT patient FROM visits FOR UPDATE SKIP LOCKED);
SELECT count(*) FROM visits v WHERE EXISTS (SELECT FROM patients p WHERE p.id = v.patient GROUP BY ());
SELECT count(*) FROM visits WHERE patient IN (SELECT id FROM patients TABLESAMPLE BERNOULLI (50));
-- NULL is in no list and out of none that has a row
SELECT count(*) FROM patients WHERE NULL::int NOT IN (SELECT v.ward FROM visits v WHERE v.patient = patients.id);
SELECT count(*) FROM patients WHERE (id, NULLIF(town, 1)) NOT IN (SELECT patient, ward FROM visits);
SELECT count(*) FROM patients p LEFT JOIN towns t ON t.code = p.town WHERE t.code NOT IN (SELECT v.ward FROM visits v WHERE v.patient = p.id);
-- what is compared in the sub-select on the left stays there
SELECT count(*) FROM patients p WHERE (town IN (SELECT code FROM towns)) IN (SELECT paid FROM visits v WHERE v.patient = p.id);
-- several columns, several types, and other operators
SELECT count(*) FROM patients WHERE (id, town) IN (SELECT patient, ward FROM visits);
SELECT count(*) FROM patients p WHERE town > ANY (SELECT v.ward FROM visits v WHERE v.patient = p.id);
SELECT count(*) FROM patients p WHERE town <> ALL (SELECT v.ward FROM visits v WHERE v.patient = p.id);
SELECT count(*) FROM patients p WHERE (id, town) <> ANY (SELECT patient, v.ward FROM visits v WHERE v.patient = p.id);
SELECT count(*) FROM patients p JOIN towns t ON t.code = p.town WHERE t.code NOT IN (SELECT v.ward FROM visits v WHERE v.patient = p.id);
-- rows of the others stay in a LEFT JOIN
SELECT count(*) FROM visits v LEFT JOIN patients p ON p.id = v.patient AND p.sex = 'm';
SELECT count(*) FROM patients p RIGHT JOIN visits v ON p.id = v.patient AND v.paid;
SELECT sex, count(*) FROM visits v LEFT JOIN patients p ON p.id = v.patient GROUP BY sex ORDER BY sex;
-- a public table's rows are chosen before those of a person are looked at
SELECT count(*) FROM patients p LEFT JOIN towns t ON t.code = p.town AND EXISTS (SELECT FROM visits v WHERE v.patient = p.id);
SELECT name, count(*) FROM patients p LEFT JOIN towns t ON t.code = p.town AND t.code IN (SELECT 2) GROUP BY name ORDER BY name;
SELECT count(*) AS debits FROM dp_ledger;
RESET SESSION AUTHORIZATION;
SELECT count(*) FROM patients p WHERE (town IN (SELECT code FROM towns)) IN (SELECT paid FROM visits v WHERE v.patient = p.id);
SELECT count(*) FROM patients WHERE (id, town) IN (SELECT patient, ward FROM visits);
SELECT count(*) FROM patients p WHERE town > ANY (SELECT v.ward FROM visits v WHERE v.patient = p.id);
SELECT count(*) FROM patients p JOIN towns t ON t.code = p.town WHERE t.code NOT IN (SELECT v.ward FROM visits v WHERE v.patient = p.id);
SELECT sex, count(*) FROM visits v LEFT JOIN patients p ON p.id = v.patient GROUP BY sex ORDER BY sex;
SELECT name, count(*) FROM patients p LEFT JOIN towns t ON t.code = p.town AND t.code IN (SELECT 2) GROUP BY name ORDER BY name;
DROP OWNED BY regress_dp_meaning_analyst;
DROP ROLE regress_dp_meaning_analyst;
DROP SCHEMA t_subselect_meaning CASCADE;
