-- Bins that a release of several tables finds are found once, and known to the tables below and to siblings.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t84;
SET search_path = t84, public;
SET client_min_messages = error;
CREATE TABLE patients (id integer PRIMARY KEY, age integer NOT NULL CHECK (age BETWEEN 0 AND 99));
CREATE TABLE visits (id integer PRIMARY KEY, patient integer NOT NULL REFERENCES patients, day integer NOT NULL CHECK (day BETWEEN 0 AND 399));
CREATE TABLE tests (id integer PRIMARY KEY, visit integer NOT NULL REFERENCES visits, positive boolean NOT NULL);
-- who is older comes later in the year; tests follow the age, of which visits know no more than the day
INSERT INTO patients SELECT i, i * 37 % 100 FROM generate_series(1, 2000) i;
INSERT INTO visits SELECT 10 * i + j, i, 3 * (i * 37 % 100) + 10 * j FROM generate_series(1, 2000) i, generate_series(1, 1 + i % 4) j;
INSERT INTO tests SELECT v.id, v.id, p.age % 50 >= 25 FROM visits v JOIN patients p ON p.id = v.patient;
SELECT dp_protect('patients', 1000000, 0.1);
SELECT dp_protect('visits', parent => 'patients', max_rows_per_unit => 4), dp_protect('tests', parent => 'visits', max_rows_per_unit => 1);
-- a table pays for the bins of its own columns alone
SELECT stage, tables FROM dp_explain('{patients,visits,tests}', 'aim', 3, 1e-9) WHERE stage LIKE '%bins';
SELECT dp_release('{patients,visits,tests}', 'aim', 3000, 1e-9) AS release \gset
CREATE TABLE made_patients AS SELECT * FROM dp_sample(NULL::patients, :release, seed => 5);
CREATE TABLE made_visits AS SELECT * FROM dp_sample(NULL::visits, :release, seed => 5);
CREATE TABLE made_tests AS SELECT * FROM dp_sample(NULL::tests, :release, seed => 5);
-- a column with bins of the parent, one of the siblings before, and one of the parent's parent
SELECT corr(p.age, v.day) > 0.5 FROM made_visits v JOIN made_patients p ON p.id = v.patient;
SELECT corr(v.day, before.day) > 0.5 FROM made_visits v JOIN made_visits before ON before.patient = v.patient AND before.id = v.id - 1;
SELECT avg((y.positive = (p.age % 50 >= 25))::integer) > 0.8 FROM made_tests y JOIN made_visits v ON v.id = y.visit JOIN made_patients p ON p.id = v.patient;
-- and values stay within their ranges
SELECT min(age) >= 0, max(age) <= 99 FROM made_patients;
SELECT min(day) >= 0, max(day) <= 399 FROM made_visits;
RESET client_min_messages;
SET client_min_messages = warning;
DROP SCHEMA t84 CASCADE;
