-- Questions, comparisons and pages about tables that belong together.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t91;
CREATE SCHEMA made91;
CREATE ROLE regress_dp_91_owner;
CREATE ROLE regress_dp_91_analyst;
GRANT USAGE, CREATE ON SCHEMA t91, made91 TO regress_dp_91_owner;
GRANT USAGE ON SCHEMA t91 TO regress_dp_91_analyst;
SET search_path = t91, public;
SET SESSION AUTHORIZATION regress_dp_91_owner;
SET client_min_messages = warning;
CREATE TABLE patients (id integer PRIMARY KEY, age integer CHECK (age BETWEEN 0 AND 99), sex text NOT NULL CHECK (sex IN ('f', 'm')));
CREATE TABLE visits (id integer PRIMARY KEY, patient integer NOT NULL REFERENCES patients,
	ward text NOT NULL CHECK (ward IN ('eye', 'heart', 'bone')), day integer NOT NULL CHECK (day BETWEEN 1 AND 90));
CREATE TABLE payments (id integer PRIMARY KEY, visit integer NOT NULL REFERENCES visits, paid boolean NOT NULL);
CREATE TABLE alone (flag boolean NOT NULL);
-- of 600 patients a woman has 2 visits and a man 1 or 4, all in one ward; what is done to eyes is paid for, in two parts
INSERT INTO patients SELECT i, i % 90, CASE i % 2 WHEN 0 THEN 'f' ELSE 'm' END FROM generate_series(1, 600) i;
INSERT INTO visits SELECT 10 * i + j, i, CASE i % 3 WHEN 0 THEN 'heart' WHEN 1 THEN 'eye' ELSE 'bone' END, 1 + (i + j) % 90
  FROM generate_series(1, 600) i, generate_series(1, CASE WHEN i % 2 = 0 THEN 2 WHEN i % 4 = 1 THEN 1 ELSE 4 END) j;
INSERT INTO payments SELECT 10 * v.id + j, v.id, v.ward = 'eye' FROM visits v, generate_series(1, CASE v.ward WHEN 'eye' THEN 2 ELSE 1 END) j;
SET client_min_messages = error;
SELECT dp_protect('patients', 1000000, 0.1), dp_protect('alone', 1000000);
SELECT dp_protect('visits', parent => 'patients', max_rows_per_unit => 4), dp_protect('payments', parent => 'visits', max_rows_per_unit => 3);
SELECT dp_release('{patients,visits,payments}', 'mst', 300000, 1e-9) AS release, dp_release('alone', 'marginal', 1000) AS single \gset

-- ---- dp_answer: rows of a child by columns of the rows above, as many as there are
CREATE VIEW true_visits AS SELECT p.sex, v.ward, count(*) AS n FROM visits v JOIN patients p ON p.id = v.patient GROUP BY 1, 2;
CREATE VIEW true_payments AS SELECT p.sex, v.ward, y.paid, count(*) AS n FROM payments y JOIN visits v ON v.id = y.visit JOIN patients p ON p.id = v.patient GROUP BY 1, 2, 3;
SELECT count(*), bool_and(abs(a.estimate - t.n) < 0.1 * t.n + 5), max(a.basis) FROM dp_answer(:release, '{ward,patients.sex}', relation => 'visits') a
  JOIN true_visits t ON t.sex = a.cell->>'patients.sex' AND t.ward = a.cell->>'ward';
SELECT round(sum(estimate)::numeric, -3), sum(estimate) FILTER (WHERE (cell->>'paid')::bool = (cell->>'visits.ward' = 'eye')) > 0.98 * sum(estimate)
  FROM dp_answer(:release, '{paid,visits.ward,patients.sex}', relation => 'payments');
-- and they are what rows of the same model have: of n rows within 6 of their standard errors, which is sqrt(8 n) at most for
-- rows that come by up to 8 to a patient, in the rows that are drawn here and in those of the answer, which are as many
CREATE TEMP TABLE drawn AS
  SELECT p.sex, v.ward, y.paid, count(*) AS n
    FROM dp_sample(NULL::payments, :release, rows => 60000, seed => 91) y JOIN dp_sample(NULL::visits, :release, rows => 60000, seed => 91) v ON v.id = y.visit
    JOIN dp_sample(NULL::patients, :release, rows => 60000, seed => 91) p ON p.id = v.patient GROUP BY 1, 2, 3;
SELECT count(*), bool_and(abs(100 * a.estimate - d.n) < 6 * sqrt(2 * 8 * d.n)) FROM dp_answer(:release, '{paid,visits.ward,patients.sex}', relation => 'payments') a
  JOIN drawn d ON d.sex = a.cell->>'patients.sex' AND d.ward = a.cell->>'visits.ward' AND d.paid = (a.cell->>'paid')::bool WHERE d.n > 10000;
SELECT cell, abs(estimate - 1.0 / 3) < 0.05, std_error FROM dp_answer(:release, '{ward}', '{"patients.sex": "f"}', measure => 'rate', relation => 'visits');
SELECT abs(sum(estimate) - 1) < 1e-9 FROM dp_answer(:release, '{ward,patients.sex}', measure => 'share', relation => 'visits');
-- the same question has the same answer, and NULL or the root's name means the root
SELECT count(*) FROM (SELECT * FROM dp_answer(:release, '{ward}', relation => 'visits') EXCEPT SELECT * FROM dp_answer(:release, '{ward}', relation => 'visits')) x;
SELECT cell, round(estimate), basis FROM dp_answer(:release, '{sex}', relation => 'patients');
SELECT round(estimate) FROM dp_answer(:single, relation => 'alone');
SELECT dp_answer(:release, relation => 'alone');
SELECT dp_answer(:single, relation => 'visits');
SELECT dp_answer(:release, '{patients.ward}', relation => 'visits');
-- what was measured of each
SELECT count(*) > 5, bool_or('patients.sex' = ANY (columns)) FROM dp_release_tables(:release, 'visits');
SELECT count(*) FROM dp_release_tables(:release) WHERE 'ward' = ANY (columns);
SELECT "table", count(*) FROM dp_release_cells(:release, 1, 'visits') GROUP BY 1;

-- ---- dp_query: columns of the rows above, in groups, measures and filter
SELECT count(*), bool_and(q.estimate = t.n) FROM dp_query(NULL::visits, '{count(*)}', 100000, by => '{ward,patients.sex}') q
  JOIN true_visits t ON t.sex = q.cell->>'patients.sex' AND t.ward = q.cell->>'ward';
SELECT count(*), bool_and(q.estimate = t.n) FROM dp_query('payments', '{count(*)}', 100000, by => '{paid,visits.ward,patients.sex}') q
  JOIN true_payments t ON t.sex = q.cell->>'patients.sex' AND t.ward = q.cell->>'visits.ward' AND t.paid = (q.cell->>'paid')::bool;
SELECT measure, round(estimate::numeric, 2) FROM dp_query(NULL::visits, '{avg(patients.age),count(distinct patients.sex)}', 100000, filter => '{"patients.age": [20, 40]}');
SELECT round(avg(p.age), 2) FROM visits v JOIN patients p ON p.id = v.patient WHERE p.age >= 20 AND p.age < 40;
-- what is asked can be seen beforehand
SELECT stage, epsilon_total FROM dp_explain('visits', 'query', 1, 0, '{"measures": ["count(*)"], "by": ["patients.sex"]}') WHERE stage = 'total';
SELECT dp_query(NULL::visits, '{count(*)}', 1, by => '{patients.height}');
SELECT dp_query(NULL::visits, '{count(*)}', 1, by => '{patient.sex}');
SELECT dp_query(NULL::patients, '{count(*)}', 1, by => '{visits.ward}');
-- a visit of a patient that is not there is not read; that of a patient without an age is
SET client_min_messages = error;
ALTER TABLE visits DROP CONSTRAINT visits_patient_fkey;
INSERT INTO visits VALUES (1, 100000, 'eye', 1);
ALTER TABLE visits ADD FOREIGN KEY (patient) REFERENCES patients NOT VALID;
UPDATE patients SET age = NULL WHERE id = 1;
SELECT cell, estimate FROM dp_query(NULL::visits, '{count(*)}', 100000, by => '{patients.sex}') ORDER BY 1;
SELECT sex, sum(n) FROM true_visits GROUP BY 1 ORDER BY 1;
DELETE FROM visits WHERE id = 1;
-- the unit is the patient: the noise is that of as many visits as one may have
SELECT round(std_error::numeric, 1) FROM dp_query(NULL::visits, '{count(*)}', 1, by => '{patients.sex}', max_rows_per_unit => 4) LIMIT 1;
-- a grant on visits is none on what patients are
SELECT dp_grant('visits', 'regress_dp_91_analyst', 10);
SET SESSION AUTHORIZATION regress_dp_91_analyst;
SELECT count(*) FROM dp_query(NULL::visits, '{count(*)}', 1, by => '{ward}');
SELECT count(*) FROM dp_query(NULL::visits, '{count(*)}', 1, by => '{ward,patients.sex}');
SET SESSION AUTHORIZATION regress_dp_91_owner;
SELECT dp_grant('patients', 'regress_dp_91_analyst', 10);
SET SESSION AUTHORIZATION regress_dp_91_analyst;
SELECT count(*) FROM dp_query(NULL::visits, '{count(*)}', 1, by => '{ward,patients.sex}');
SET SESSION AUTHORIZATION regress_dp_91_owner;

-- ---- dp_explain: a tree takes longer the more rows belong to one, as counted
SELECT expected_seconds AS one FROM dp_explain('{patients,visits}', 'mst', 1, 1e-9, '{"table_rows": 10000000}') WHERE stage = 'total' \gset
SELECT expected_seconds AS root FROM dp_explain('patients', 'mst', 1, 1e-9, '{"table_rows": 10000000}') WHERE stage = 'total' \gset
SELECT :one > 4 * :root;

-- ---- dp_evaluate: copies are at no distance
CREATE TABLE made91.patients AS SELECT * FROM patients;
CREATE TABLE made91.visits AS SELECT * FROM visits;
CREATE TABLE made91.payments AS SELECT * FROM payments;
CREATE TEMP VIEW judged AS SELECT * FROM dp_evaluate('{patients,visits,payments}', '{made91.patients,made91.visits,made91.payments}', '{"each": true}');
SELECT measure, count(*), max(abs(value)) < 1e-9 FROM judged WHERE measure ~ '^(tvd|rows|cramers_v|same_as_sibling|orphans|mean)' GROUP BY 1 ORDER BY 1;
SELECT DISTINCT columns FROM judged WHERE measure = 'tvd2' AND (columns[1] LIKE 'patients.%' AND columns[2] LIKE 'visits.%' OR columns[2] LIKE '%next%' OR columns[2] LIKE '%count') ORDER BY 1;
SELECT columns, original FROM judged WHERE measure = 'same_as_sibling' ORDER BY 1;
-- who is whose is told, where tables by themselves tell nothing
UPDATE made91.visits SET patient = 1 + (patient * 7) % 600;
UPDATE made91.payments SET visit = 0 WHERE id % 100 = 11;
SELECT columns, round(value::numeric, 3) FROM judged WHERE measure = 'tvd2' AND columns IN ('{visits.*}', '{patients.*,visits.*}', '{visits.*,payments.*}') ORDER BY 1;
SELECT columns, value, original, synthetic FROM judged WHERE measure = 'orphans' ORDER BY 1;
-- siblings that are torn apart
UPDATE made91.visits SET patient = 1 + ('x' || left(md5(id::text), 6))::bit(24)::int % 600;
SELECT columns, original, synthetic < 0.5 FROM judged WHERE measure = 'same_as_sibling' AND columns = '{visits.ward}';
SELECT value > 0.2 FROM judged WHERE measure = 'tvd2' AND columns = '{visits.ward,visits.next.ward}';
SELECT value > 0.1 FROM judged WHERE measure = 'tvd1' AND columns = '{visits.count}';
-- without "each" the worst, and the mean
SELECT measure, columns FROM dp_evaluate('{patients,visits}', '{made91.patients,made91.visits}', '{"columns": ["patients.sex", "visits.ward"]}')
 WHERE measure IN ('tvd2', 'cramers_v') ORDER BY 1, 2;
-- a side without siblings, or without rows that belong to others
TRUNCATE made91.payments;
SELECT measure, columns, value, original, synthetic FROM judged WHERE columns[1] LIKE 'payments%' AND measure IN ('rows', 'same_as_sibling', 'tvd1', 'orphans') ORDER BY 1;
SELECT count(*) FROM dp_evaluate('{patients,visits}', '{made91.patients}');
SELECT count(*) FROM dp_evaluate('{patients,visits}', '{made91.patients,made91.payments}');
SELECT count(*) FROM dp_evaluate('{patients,made91.patients}', '{patients,made91.patients}');
SELECT count(*) FROM dp_evaluate('{patients,NULL}', '{made91.patients,made91.visits}');
-- one relation, as a text, is what it was
SELECT measure, columns, value FROM dp_evaluate('visits', 'made91.visits') WHERE measure = 'rows';

-- ---- pages
CREATE TEMP TABLE pages AS SELECT dp_report(:release) AS released, dp_report('{patients,visits}', '{made91.patients,made91.visits}') AS compared,
	dp_report('visits', 'made91.visits') AS single;
SELECT string_agg(h[1], ' | ') FROM pages, regexp_matches(released, '<h2>([^<]*)</h2>', 'g') h;
SELECT string_agg(h[1], ' | ') FROM pages, regexp_matches(compared, '<h2>([^<]*)</h2>', 'g') h;
SELECT compared LIKE '%patients.sex and visits.ward%', compared LIKE '%As secret%' OR compared LIKE '%as secret%', single LIKE '%visits: %' FROM pages;
SELECT dp_report('{patients,visits}', '{made91.patients,made91.visits}', '{"propensity": true}');
-- of a table that is no more
DROP TABLE payments CASCADE;
SELECT dp_report(:release) LIKE '%The table was dropped since%';
RESET SESSION AUTHORIZATION;
SET client_min_messages = error;
SELECT count(*) FROM (SELECT dp_unprotect(r) FROM unnest('{visits,patients,alone}'::regclass[]) r) x;
DROP SCHEMA made91, t91 CASCADE;
DROP OWNED BY regress_dp_91_owner, regress_dp_91_analyst;
DROP ROLE regress_dp_91_owner, regress_dp_91_analyst;
