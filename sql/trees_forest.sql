-- Several roots in one call: trees that have nothing in common but the call. Each costs its own root's
-- budget, all debits are made or none, and what is released of one reads nothing of another.
SET client_min_messages = error;
CREATE ROLE regress_dp_forest_analyst;
CREATE ROLE regress_dp_forest_reader;
CREATE SCHEMA forest;
GRANT USAGE ON SCHEMA forest TO regress_dp_forest_analyst, regress_dp_forest_reader;
SET search_path = forest, public;
CREATE TABLE doctor (id integer PRIMARY KEY, field text NOT NULL CHECK (field IN ('bone', 'eye', 'heart')), chief integer REFERENCES doctor);
CREATE TABLE patient (id integer PRIMARY KEY, smoker boolean NOT NULL);
CREATE TABLE visit (id integer PRIMARY KEY, patient integer NOT NULL REFERENCES patient, doctor integer REFERENCES doctor,
	kind text NOT NULL CHECK (kind IN ('first', 'again')));
CREATE TABLE ward (id integer PRIMARY KEY, beds text NOT NULL CHECK (beds IN ('few', 'many')));
INSERT INTO doctor SELECT i, (ARRAY['bone', 'eye', 'heart'])[1 + i % 3], CASE WHEN i % 4 > 0 AND i > 4 THEN i / 2 END FROM generate_series(1, 200) i;
INSERT INTO patient SELECT i, i % 4 = 0 FROM generate_series(1, 800) i;
INSERT INTO visit SELECT 10 * i + j, i, CASE WHEN (i + j) % 3 > 0 THEN 1 + (i + j) % 200 END, CASE j WHEN 1 THEN 'first' ELSE 'again' END
  FROM generate_series(1, 800) i, generate_series(1, 1 + i % 3) j;
INSERT INTO ward SELECT i, CASE i % 2 WHEN 0 THEN 'few' ELSE 'many' END FROM generate_series(1, 50) i;
SELECT dp_protect('doctor', 1000, 1e-3), dp_protect('patient', 2000, 1e-3), dp_protect('ward', budget_of => 'doctor');
SELECT dp_protect('visit', parent => 'patient', max_rows_per_unit => 3);
SELECT dp_grant('doctor', 'regress_dp_forest_analyst', 400, 1e-4);
\pset format unaligned
\pset tuples_only on
RESET client_min_messages;

-- ---- what it costs: a total for each root, whose budget pays
SET client_min_messages = warning;
SELECT stage, epsilon_total, delta_total, scans IS NOT NULL FROM dp_explain('{doctor,patient,visit}', 'mst', 3, 1e-9) WHERE stage ~ 'total$' OR epsilon_total > 0;
SELECT line FROM dp_explain('{patient,doctor,visit}', 'mst', 3, 1e-9) WHERE line ~ 'In all';
RESET client_min_messages;

-- ---- a grant for each root
SET SESSION AUTHORIZATION regress_dp_forest_analyst;
SELECT dp_release('{doctor,patient,visit}', 'mst', 1, 1e-9);
SELECT dp_release('{patient,visit,doctor}', 'mst', 1, 1e-9);
RESET SESSION AUTHORIZATION;
SELECT count(*) FROM dp_ledger WHERE relation_name LIKE 'forest.%' AND status <> 'policy';
SET client_min_messages = error;
SELECT dp_grant('patient', 'regress_dp_forest_analyst', 300, 1e-4), dp_grant('ward', 'regress_dp_forest_analyst', 900, 1e-4);
RESET client_min_messages;

-- ---- what is refused
SELECT dp_release('{doctor,visit}', 'mst', 1, 1e-9);
SELECT dp_release('{doctor,patient,visit}', 'steps', 1, 1e-9);
SELECT dp_release('{doctor,patient,visit}', 'mst', 1, 1e-9, sets => 2);
SELECT dp_release('{doctor,patient}', 'mst', 1, 1e-9, '{"columns": ["field"]}');
CREATE TABLE bare (x integer);
SELECT dp_release('{doctor,bare}', 'mst', 1, 1e-9);
DROP TABLE bare;
CREATE SCHEMA forest_other;
CREATE TABLE forest_other.ward (id integer PRIMARY KEY, flag boolean);
SELECT dp_protect('forest_other.ward', 1);
SELECT dp_release('{doctor,ward,forest_other.ward}', 'mst', 1, 1e-9);
DROP SCHEMA forest_other CASCADE;

-- ---- budgets: that of the second root is exhausted, so nothing is spent for the first
SET SESSION AUTHORIZATION regress_dp_forest_analyst;
SELECT dp_release('{doctor,patient,visit}', 'mst', 350, 1e-9);
SELECT relation, epsilon_spent FROM dp_budgets WHERE role = 'regress_dp_forest_analyst'::regrole ORDER BY relation::text;
-- two that share one budget: doctor and ward are debited both, and held against it as a sum
RESET SESSION AUTHORIZATION;
SELECT dp_release('{doctor,ward}', 'mst', 600, 1e-9);
SELECT sum(epsilon_spent) FROM dp_datasets WHERE relation IN ('doctor'::regclass, 'patient'::regclass);
SET client_min_messages = warning;
SELECT dp_release('{ward,doctor}', 'mst', 100, 1e-9) AS shared \gset
SELECT relation, epsilon_spent, epsilon_left FROM dp_datasets WHERE relation IN ('doctor'::regclass, 'ward'::regclass) ORDER BY relation::text;
SELECT relation, forest = :shared, release = :shared FROM dp_releases WHERE forest = :shared ORDER BY release;
-- each line of the ledger is that of a release of its own
SELECT relation, status, epsilon, delta FROM dp_ledger WHERE id >= :shared ORDER BY id;

-- ---- one call: doctors, patients and visits
SET SESSION AUTHORIZATION regress_dp_forest_analyst;
SELECT dp_release('{visit,doctor,patient}', 'mst', 200, 1e-9) AS release \gset
SELECT relation, role, epsilon_spent FROM dp_budgets WHERE role = 'regress_dp_forest_analyst'::regrole ORDER BY relation::text;
SELECT relation, method, epsilon, abs(rows - CASE relation WHEN 'forest.doctor'::regclass THEN 200 ELSE 800 END) < 20 FROM dp_releases WHERE forest = :release ORDER BY release;
SELECT release AS other FROM dp_releases WHERE forest = :release AND release <> :release \gset
-- rows of each, by any of the numbers
SELECT count(*) BETWEEN 190 AND 210, count(DISTINCT field) FROM dp_sample(NULL::doctor, :release, seed => 1);
SELECT count(*) BETWEEN 1500 AND 1700, count(DISTINCT patient) > 700 FROM dp_sample(NULL::visit, :release, seed => 1);
SELECT count(*) FROM (SELECT * FROM dp_sample(NULL::visit, :release, seed => 1) EXCEPT ALL SELECT * FROM dp_sample(NULL::visit, :other, seed => 1)) x;
SELECT count(*) FROM (SELECT * FROM dp_sample(NULL::doctor, :release, seed => 1) EXCEPT ALL SELECT * FROM dp_sample(NULL::doctor, :other, seed => 1)) x;
SELECT count(*) > 0 FROM dp_sample('doctor', :release, seed => 1) AS d(field text);
SELECT * FROM dp_sample(NULL::ward, :release, seed => 1);
-- a column that refers to another tree is NULL as often as there; which row it is, nothing says
RESET SESSION AUTHORIZATION;
SELECT abs(avg((doctor IS NULL)::int) - (SELECT avg((doctor IS NULL)::int) FROM visit)) < 0.03 FROM dp_sample(NULL::visit, :release, seed => 1);
SELECT abs(avg((chief IS NULL)::int) - (SELECT avg((chief IS NULL)::int) FROM doctor)) < 0.03 FROM dp_sample(NULL::doctor, :release, seed => 1);
SET SESSION AUTHORIZATION regress_dp_forest_analyst;
-- answers, tables and cells of each
SELECT cell, abs(estimate - 67) < 10 FROM dp_answer(:release, '{field}', relation => 'doctor') ORDER BY 1;
SELECT cell, abs(estimate - n) < 40 FROM dp_answer(:release, '{smoker}') JOIN (VALUES ('{"smoker": true}', 200), ('{"smoker": false}', 600)) v (key, n) ON v.key = cell::text ORDER BY 1;
SELECT cell, estimate > 300 FROM dp_answer(:other, '{doctor.refers}', relation => 'visit') ORDER BY 1;
SELECT count(*) > 0 FROM dp_release_tables(:release, 'doctor');
SELECT count(*) > 0 FROM dp_release_cells(:other, relation => 'visit');
SELECT dp_answer(:release, '{beds}', relation => 'ward');
SELECT c.* FROM (VALUES (1, NULL::text, NULL::int)) t, LATERAL dp_impute(ROW(1, 'eye', 1)::doctor, :release, seed => 1) c;

-- ---- shared: all of it, or nothing
RESET SESSION AUTHORIZATION;
SET SESSION AUTHORIZATION regress_dp_forest_reader;
\set VERBOSITY sqlstate
SELECT count(*) FROM dp_sample(NULL::doctor, :release, seed => 1);
SELECT count(*) FROM dp_sample(NULL::visit, :other, seed => 1);
SELECT count(*) FROM dp_sample(NULL::ward, :other, seed => 1);
\set VERBOSITY default
SET SESSION AUTHORIZATION regress_dp_forest_analyst;
SELECT dp_grant(:other, 'regress_dp_forest_reader');
SET SESSION AUTHORIZATION regress_dp_forest_reader;
SELECT count(*) > 0 FROM dp_sample(NULL::doctor, :release, seed => 1);
SELECT count(*) > 0 FROM dp_sample(NULL::visit, :release, seed => 1);
SELECT count(*) FROM dp_releases WHERE forest = :release;
RESET SESSION AUTHORIZATION;

-- ---- what fails after the debit fails for all: nothing is stored, and the ledger says so of each
CREATE VIEW broken AS SELECT id, 1 / (id - 30) > 0 AS flag FROM ward;
SELECT dp_protect('broken', 10, 1e-3, sensitivity => 1);
SELECT max(id) AS last FROM dp_ledger \gset
SET client_min_messages = warning;
SELECT dp_release('{patient,visit,broken}', 'mst', 1, 1e-9);
SELECT relation, status, epsilon FROM dp_ledger WHERE id > :last ORDER BY id;
SELECT count(*) FROM dp_releases WHERE release > :last;
-- a refund of one leaves the others as they are
SELECT dp_refund(id, 'it failed') > 0 FROM dp_ledger WHERE id > :last AND relation_name = 'forest.broken' AND status = 'failed';
SELECT relation, status FROM dp_ledger WHERE id > :last ORDER BY id;

SET client_min_messages = error;
RESET search_path;
DROP SCHEMA forest CASCADE;
DROP ROLE regress_dp_forest_analyst, regress_dp_forest_reader;
