-- No question fails for some rows only, and none reads what its role may not: ranges that rounding would leave, floats of four
-- bytes, means of huge floats, collations that meet, rights within a sub-query that aggregates by person.
\pset null NULL
\set SHOW_CONTEXT never
\set VERBOSITY terse
CREATE SCHEMA t_private_errors;
CREATE ROLE regress_dp_pe_owner;
CREATE ROLE regress_dp_pe_ana;
CREATE ROLE regress_dp_pe_bob;
GRANT USAGE, CREATE ON SCHEMA t_private_errors TO regress_dp_pe_owner, regress_dp_pe_ana;
GRANT USAGE ON SCHEMA t_private_errors TO regress_dp_pe_bob;
SET search_path = t_private_errors, public;
SET client_min_messages = error;
SET SESSION AUTHORIZATION regress_dp_pe_owner;
CREATE TABLE wards (ward int PRIMARY KEY, name text);
CREATE TABLE patients (id int PRIMARY KEY);
CREATE TABLE visits (id int, patient int NOT NULL REFERENCES patients, age int NOT NULL CHECK (age BETWEEN 0 AND 100), price numeric(5,2) NOT NULL CHECK (price BETWEEN 0.1 AND 9), dose real NOT NULL,
	weight float8 NOT NULL CHECK (weight BETWEEN 0 AND 1), free float8, name text, code text COLLATE "C", posix text COLLATE "POSIX", padded bpchar);
INSERT INTO wards SELECT i, 'ward ' || i FROM generate_series(0, 100) i;
INSERT INTO patients SELECT generate_series(1, 20);
INSERT INTO visits SELECT i, 1 + i % 20, CASE i WHEN 7 THEN 100 ELSE 50 END, CASE i WHEN 7 THEN 0.1 ELSE 5 END, CASE i WHEN 7 THEN 0.1 ELSE 0.05 END, i / 200.0, 1e308, CASE i WHEN 7 THEN 'rare' ELSE 'usual' END, 'c', 'p', 'b' FROM generate_series(1, 100) i;
SELECT dp_declare_public('wards');
SELECT dp_protect('patients', 1000000), dp_protect('visits', parent => 'patients', max_rows_per_unit => 10);
SELECT dp_define_column('visits', 'dose', range => '{0,0.1}');
SELECT dp_grant(r, role::regrole, 100000) FROM unnest('{patients,visits}'::regclass[]) r, unnest('{regress_dp_pe_ana,regress_dp_pe_bob}'::text[]) role;

SET SESSION AUTHORIZATION regress_dp_pe_ana;
SELECT dp_private_queries(5000);
-- integers beyond what a double tells apart
SELECT sum(sqrt((age::bigint + 8999999999999999900 - 9000000000000000000)::float8)) FROM visits WHERE name = 'rare';
SELECT count(*) FROM visits WHERE (age::bigint + 8999999999999999900 - 8999999999999999999 + 2147483647)::int > 5;
-- decimals that no double is, and quotients that are rounded
SELECT avg(ln(price * 3 - 0.3)) FROM visits WHERE name = 'rare';
SELECT avg(sqrt(price - 0.1)) FROM visits;
SELECT avg(sqrt(price / 3 - 3)) FROM visits;
SELECT avg(ln(trunc(price * 10 + 0.0000000000000000001, 1) - 0.9)) FROM visits;
-- floats of four bytes
SELECT avg(sqrt(0.1::float8 - dose::float8)) FROM visits WHERE name = 'rare';
SELECT avg(sqrt(0.1::float8 - dose)) FROM visits WHERE name = 'rare';
SELECT abs(avg(dose * 2.0) - 0.1) < 0.01 AS times, abs(avg(1 / (dose + 0.95)) - 1) < 0.01 AS divided FROM visits;
-- the way that the hint names
SELECT abs(avg(sqrt(greatest(price - 0.1, 0))) - 2.2) < 0.1 AS root, abs(avg(ln(greatest(price, 1))) - 1.6) < 0.1 AS logarithm FROM visits;
SELECT abs(avg(sqrt(1 - weight)) - 0.86) < 0.1 AS root, abs(avg(ln(price)) - 1.57) < 0.2 AS logarithm, abs(avg((price * 2)::numeric(4,1)) - 9.9) < 0.5 AS rounded FROM visits;
-- a mean of floats of which PostgreSQL sums the squares, a sum of floats without a range
SELECT count(*) FROM (SELECT patient, avg(weight * 1e190) AS a FROM visits GROUP BY patient) v WHERE a > 0;
SELECT count(*) FROM (SELECT patient, sum(free) AS a FROM visits GROUP BY patient) v WHERE a > 0;
SELECT count(*) FROM (SELECT patient, avg(free) AS a FROM visits GROUP BY patient) v WHERE a > 0;
SELECT abs(count(*) - 20) < 3 AS patients FROM (SELECT patient, avg(weight * 2) AS a FROM visits GROUP BY patient) v WHERE a > 0;
-- divisors within divisors are computed once; what cannot be divided is NULL
SELECT abs(sum(100 / (age - age % 50)) - 200) < 20 AS quotients, abs(count(7 % (age - 50)) - 1) < 3 AS rests, abs(count(mod(7, age - 50)) - 1) < 3 AS more FROM visits;
SELECT format('SELECT sum(%s age %s) IS NOT NULL AS is_there FROM visits', repeat('(7 / ', 60), repeat(')', 60)) AS nested \gset
:nested;
-- collations that meet where somebody is
SELECT count(*) FROM visits WHERE CASE WHEN name = 'rare' THEN lower(code || posix) = 'x' ELSE true END;
SELECT count(*) FROM visits WHERE code < posix;
SELECT count(*) FROM visits WHERE greatest(code, posix) = 'x';
SELECT abs(count(*) - 100) < 3 AS rows FROM visits WHERE lower(code || name) <> 'x' AND (code = 'c' OR posix = 'x') AND padded::text || 'a' = 'ba';

-- a public table that the role may not read, within a sub-query that aggregates by person
SELECT avg(n) FROM (SELECT patient, count(*) AS n FROM visits JOIN wards ON ward = age GROUP BY patient) v;
SELECT avg(n) FROM (SELECT patient, n FROM (SELECT patient, count(*) AS n FROM (SELECT patient FROM visits JOIN wards ON ward = age) x GROUP BY patient) w) v;
SELECT avg(n) FROM (SELECT patient, count(*) AS n FROM visits TABLESAMPLE bernoulli (10) GROUP BY patient) v;
SELECT avg(n) FROM (SELECT patient, count(*) AS n FROM ONLY visits GROUP BY patient) v;
CREATE VIEW by_patient AS SELECT patient, count(*) AS n FROM visits GROUP BY patient;
SELECT abs(avg(n) - 5) < 1 AS mean FROM by_patient;
SET SESSION AUTHORIZATION regress_dp_pe_bob;
SELECT avg(n) FROM by_patient;
SET SESSION AUTHORIZATION regress_dp_pe_owner;
GRANT SELECT ON wards TO regress_dp_pe_ana;
SET SESSION AUTHORIZATION regress_dp_pe_ana;
SELECT abs(avg(n) - 5) < 1 AS mean FROM (SELECT patient, count(*) AS n FROM visits JOIN wards ON ward = age GROUP BY patient) v;

-- an end that doubles, or the digits of the column, cannot tell from the value next to it
SELECT abs(sum(price) - 495) < 0.5 AS whole FROM visits WHERE price < 5.0000000000001 AND price > 4.9;
-- statements that keep the row of what they join
CREATE TABLE kept (age int, n bigint);
INSERT INTO kept VALUES (50, 0), (51, 0), (100, 0);
UPDATE kept SET n = v.n FROM (SELECT age, count(*) AS n FROM visits WHERE age IN (50, 100) GROUP BY age) v WHERE v.age = kept.age;
SELECT age, abs(n - CASE age WHEN 50 THEN 99 WHEN 100 THEN 1 ELSE 0 END) < 3 AS near FROM kept ORDER BY age;
DELETE FROM kept USING (SELECT age, count(*) AS n FROM visits WHERE age IN (50, 100) GROUP BY age) v WHERE v.age = kept.age;
SELECT age FROM kept;
SELECT v.*::text ~ '^.50,' AS row FROM (SELECT age, count(*) AS n FROM visits WHERE age = 50 GROUP BY age) v;

RESET SESSION AUTHORIZATION;
DROP SCHEMA t_private_errors CASCADE;
DROP ROLE regress_dp_pe_owner, regress_dp_pe_ana, regress_dp_pe_bob;
