-- Tables that belong together are released together: one debit, rows that refer to each other.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t86;
CREATE SCHEMA made86;
CREATE ROLE regress_dp_86_owner;
CREATE ROLE regress_dp_86_analyst;
GRANT USAGE, CREATE ON SCHEMA t86 TO regress_dp_86_owner;
GRANT USAGE ON SCHEMA t86 TO regress_dp_86_analyst;
GRANT USAGE, CREATE ON SCHEMA made86 TO regress_dp_86_analyst;
CREATE SCHEMA AUTHORIZATION regress_dp_86_analyst;
SET search_path = t86, public;
SET SESSION AUTHORIZATION regress_dp_86_owner;
SET client_min_messages = warning;
CREATE TABLE patients (id integer PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('f', 'm')));
CREATE TABLE visits (id bigint PRIMARY KEY, patient integer NOT NULL REFERENCES patients ON DELETE CASCADE,
	ward text NOT NULL CHECK (ward IN ('eye', 'heart', 'bone')), day integer NOT NULL CHECK (day BETWEEN 1 AND 90));
CREATE INDEX ON visits (patient);
CREATE TABLE payments (id text PRIMARY KEY, visit bigint NOT NULL REFERENCES visits, paid boolean NOT NULL);
CREATE TABLE lonely (flag boolean NOT NULL);
-- of 600 patients a woman has 2 visits, a man 1 or 5, of which 4 count; who begins at the heart stays there;
-- what is done to eyes is paid for, in two parts
INSERT INTO patients SELECT i, CASE i % 2 WHEN 0 THEN 'f' ELSE 'm' END FROM generate_series(1, 600) i;
INSERT INTO visits SELECT 10 * i + j, i, CASE i % 3 WHEN 0 THEN 'heart' WHEN 1 THEN 'eye' ELSE 'bone' END, 1 + i % 90
  FROM generate_series(1, 600) i, generate_series(1, CASE WHEN i % 2 = 0 THEN 2 WHEN i % 4 = 1 THEN 1 ELSE 5 END) j;
INSERT INTO payments SELECT v.id || '/' || j, v.id, v.ward = 'eye' FROM visits v, generate_series(1, CASE v.ward WHEN 'eye' THEN 2 ELSE 1 END) j;
SET client_min_messages = error;
SELECT dp_protect('patients', 1000000, 0.1), dp_protect('lonely', 1);
SELECT dp_protect('visits', parent => 'patients', max_rows_per_unit => 4), dp_protect('payments', parent => 'visits', max_rows_per_unit => 3);
SELECT dp_grant('patients', 'regress_dp_86_analyst', 500000, 0.01);
RESET client_min_messages;
SET SESSION AUTHORIZATION regress_dp_86_analyst;

-- ---- what is refused, before anything is spent
SELECT dp_release('{patients,lonely}', 'mst', 1, 1e-9);
SELECT dp_release('{visits,payments}', 'mst', 1, 1e-9);
SELECT dp_release('{patients,payments}', 'mst', 1, 1e-9);
SELECT dp_release('{patients,visits}', 'steps', 1, 1e-9);
SELECT dp_release('{patients,visits}', 'mst', 1, 1e-9, sets => 2);
SELECT dp_release('{patients,visits}', 'mst', 1, 1e-9, '{"columns": ["sex"]}');
SELECT dp_release('{patients,NULL}', 'mst', 1, 1e-9);
SELECT dp_release('{}', 'mst', 1, 1e-9);
SELECT dp_release('{patients,visits}', 'mst', 600000, 1e-9);
SELECT dp_release('visits', 'mst', 1, 1e-9);
-- names of text are looked up as names of relations are
SELECT dp_release('no_such', 'mst', 1, 1e-9);
-- ---- what it costs
SELECT stage, mechanism, tables, epsilon_total FROM dp_explain('{payments,patients,visits}', 'mst', 3, 1e-9);
-- the noise of what siblings were is not told, as nothing is drawn from it
SELECT stage, tables, round(noise_stddev) FROM dp_explain('{payments,patients,visits}', 'aim', 3, 1e-9) WHERE stage LIKE 'payments: %';
SET client_min_messages = warning;
-- the same in words, a line a stage; all of it has one total
SELECT count(*) FILTER (WHERE line ~ '^ ?[0-9]*\. Payments: '), count(*) FILTER (WHERE line LIKE 'In all: epsilon 3 and delta 0.000000001;%') FROM dp_explain('{payments,patients,visits}', 'mst', 3, 1e-9);
SELECT count(*) FROM dp_explain('{patients,visits}', 'mst', 3, 1e-9) a, dp_explain('patients'::regclass, 'mst', 3, 1e-9) b;
-- what the tables of a tree spend together in rho is about what one table may; bins are found for less
SELECT (SELECT rho_total FROM dp_explain('{patients,visits,payments}', 'aim', 1, 1e-9) WHERE stage = 'total')
  BETWEEN 0.95 * e.rho_total AND e.rho_total FROM dp_explain('patients', 'aim', 1, 1e-9) e WHERE e.stage = 'total';
-- without a delta, epsilon is what is shared out
SELECT sum(epsilon_total) FILTER (WHERE stage <> 'total') BETWEEN 2.999 AND 3 FROM dp_explain('{patients,visits}', 'aim', 3, 0);
-- ---- one debit, and rows of all tables
SELECT dp_release('{payments,patients,visits}', 'mst', 300000, 1e-9) AS release \gset
SELECT relation, method, epsilon FROM dp_ledger WHERE relation_name LIKE '%patients' AND epsilon > 0;
CREATE TABLE made86.patients AS SELECT * FROM dp_sample(NULL::patients, :release, seed => 7);
CREATE TABLE made86.visits AS SELECT * FROM dp_sample(NULL::visits, :release, seed => 7);
CREATE TABLE made86.payments AS SELECT * FROM dp_sample(NULL::payments, :release, seed => 7);
-- the same seed means the same rows, for a table of the same name too, and for a name
SELECT count(*) FROM (SELECT * FROM made86.visits EXCEPT SELECT * FROM dp_sample(NULL::made86.visits, :release, seed => 7)) x;
SELECT count(*) FROM (SELECT id, patient, ward FROM made86.visits EXCEPT SELECT * FROM dp_sample('t86.visits', :release, seed => 7) AS v(id bigint, patient integer, ward text)) x;
SELECT count(*) > 0 FROM (SELECT * FROM made86.visits EXCEPT SELECT * FROM dp_sample(NULL::visits, :release, seed => 8)) x;
-- keys are numbers, all of them there, and each reference finds its row
SELECT abs(count(*) - 600) < 3, min(id) = 1, max(id) = count(*), count(DISTINCT id) = count(*) FROM made86.patients;
SELECT min(id) = 1, max(id) = count(*), count(DISTINCT id) = count(*) FROM made86.visits;
SELECT count(*) FROM made86.visits v WHERE NOT EXISTS (SELECT FROM made86.patients p WHERE p.id = v.patient);
SELECT count(*) FROM made86.payments y WHERE NOT EXISTS (SELECT FROM made86.visits v WHERE v.id = y.visit);
-- how many visits whose sex has, and bounded where it has more
SELECT p.sex, n.visits, abs(count(*) - CASE p.sex WHEN 'f' THEN 300 ELSE 150 END) < 20 AS like_the_original
  FROM made86.patients p, LATERAL (SELECT count(*) AS visits FROM made86.visits v WHERE v.patient = p.id) n GROUP BY 1, 2 HAVING count(*) > 10 ORDER BY 1, 2;
-- siblings are in one ward, as in the original
SELECT avg((a.ward = b.ward)::int) > 0.95 FROM made86.visits a JOIN made86.visits b ON b.patient = a.patient AND b.id = a.id + 1;
-- and payments are of the ward
SELECT v.ward, avg(y.n) BETWEEN CASE v.ward WHEN 'eye' THEN 1.9 ELSE 0.9 END AND CASE v.ward WHEN 'eye' THEN 2.1 ELSE 1.1 END, avg(y.paid) > 0.9
  FROM made86.visits v, LATERAL (SELECT count(*) AS n, avg(paid::int) AS paid FROM made86.payments y WHERE y.visit = v.id) y GROUP BY 1 ORDER BY 1;
-- as many of the root as are asked for
SELECT count(DISTINCT patient), max(patient) FROM dp_sample(NULL::visits, :release, rows => 10, seed => 1) HAVING max(patient) <= 10;
SELECT count(*) FROM dp_sample(NULL::visits, :release, rows => 0);
-- a release of several tables answers for its root
SELECT cell FROM dp_answer(:release, '{visits.count}', '{"sex": "f"}') WHERE abs(estimate - 300) < 20;
-- what is charged in rho is what was planned
SELECT l.rho = e.rho_total FROM dp_ledger l, dp_explain('{payments,patients,visits}', 'mst', 300000, 1e-9) e WHERE l.id = :release AND e.stage = 'total';
-- ---- a query over tables that are joined along the key: a view with a budget of its own, by patient
SET SESSION AUTHORIZATION regress_dp_86_owner;
CREATE VIEW stays AS SELECT v.patient, p.sex, v.ward FROM visits v JOIN patients p ON p.id = v.patient;
SET client_min_messages = error;
SELECT dp_protect('stays', 1000000, 0.1, unit_column => 'patient', max_rows_per_unit => 4);
SELECT dp_define_column('stays', 'sex', categories => '{f,m}'), dp_define_column('stays', 'ward', categories => '{eye,heart,bone}');
SELECT dp_grant('stays', 'regress_dp_86_analyst', 500000, 0.01);
SET SESSION AUTHORIZATION regress_dp_86_analyst;
SELECT cell, round(estimate) AS visits FROM dp_query(NULL::stays, '{count(*)}', 100000, by => '{sex,ward}') ORDER BY 1;
RESET client_min_messages;
SET client_min_messages = warning;
-- ---- tables like the originals, with keys that refer to each other
SELECT relation, synthetic, rows BETWEEN 590 AND 3000 FROM dp_create_synthetic('{payments,visits,patients}', 'regress_dp_86_analyst', 200000, 1e-9, '{"method": "mst"}', seed => 3);
SELECT conrelid::regclass, confrelid::regclass, convalidated, pg_get_constraintdef(oid) FROM pg_constraint
 WHERE connamespace = 'regress_dp_86_analyst'::regnamespace AND contype = 'f' ORDER BY 1;
SELECT count(*) FROM regress_dp_86_analyst.visits v LEFT JOIN regress_dp_86_analyst.patients p ON p.id = v.patient WHERE p.id IS NULL;
INSERT INTO regress_dp_86_analyst.visits VALUES (0, 0, 'eye', 1);
-- ---- what is refused then
SELECT count(*) FROM dp_sample(NULL::lonely, :release);
SELECT count(*) FROM dp_sample(NULL::visits, :release, given => '{"ward": "eye"}');
SET SESSION AUTHORIZATION regress_dp_86_owner;
SET client_min_messages = error;
ALTER TABLE visits ADD uid interval UNIQUE;
CREATE TABLE payments_by_uid (visit interval REFERENCES visits (uid), paid boolean NOT NULL);
SELECT dp_protect('payments_by_uid', parent => 'visits', max_rows_per_unit => 3);
SELECT dp_release('{patients,visits,payments_by_uid}', 'mst', 1, 1e-9);
-- values of an open column are paid for in epsilon and delta, the rest of the tree has less then, and all of it one total
CREATE TABLE letters (patient integer NOT NULL REFERENCES patients, town text NOT NULL);
SELECT dp_protect('letters', parent => 'patients', max_rows_per_unit => 3), dp_define_column('letters', 'town', open => true);
SELECT sum(epsilon_total) FILTER (WHERE stage <> 'total') < 1, max(epsilon_total), max(delta_total) FROM dp_explain('{patients,visits,letters}', 'mst', 1, 1e-6);
SELECT dp_unprotect('visits');
SELECT dp_protect('visits', parent => 'patients', max_rows_per_unit => 101);
SELECT dp_release('{patients,visits}', 'mst', 1, 1e-9);
RESET SESSION AUTHORIZATION;
DROP SCHEMA t86, made86, regress_dp_86_analyst CASCADE;
DROP OWNED BY regress_dp_86_owner, regress_dp_86_analyst;
DROP ROLE regress_dp_86_owner, regress_dp_86_analyst;
