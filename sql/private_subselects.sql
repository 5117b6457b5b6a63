-- IN over a person's own rows is EXISTS of them, and LEFT JOIN from people to their rows is a join
-- where only the rows are measured.
\set VERBOSITY terse
CREATE SCHEMA t_private_subselects;
CREATE ROLE regress_dp_subselects_analyst;
GRANT USAGE ON SCHEMA t_private_subselects TO regress_dp_subselects_analyst;
SET search_path = t_private_subselects, public;
SET client_min_messages = error;
CREATE TABLE patients (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('f', 'm')), code int UNIQUE);
CREATE TABLE visits (id int NOT NULL, patient int NOT NULL REFERENCES patients, ward int NOT NULL CHECK (ward BETWEEN 1 AND 4), price int NOT NULL CHECK (price BETWEEN 0 AND 100));
CREATE TABLE letters (id int NOT NULL, patient int REFERENCES patients, pages int NOT NULL CHECK (pages BETWEEN 0 AND 9));
INSERT INTO patients SELECT i, CASE WHEN i <= 200 THEN 'f' ELSE 'm' END, i FROM generate_series(1, 600) i;
INSERT INTO visits SELECT i, 1 + i % 300, 1 + i / 300, i % 50 FROM generate_series(0, 899) i;
INSERT INTO letters SELECT i, nullif(i % 100, 0), 3 FROM generate_series(1, 400) i;
SELECT dp_protect('patients', 1000000), dp_protect('visits', parent => 'patients', max_rows_per_unit => 3), dp_protect('letters', parent => 'patients', max_rows_per_unit => 5);
SELECT dp_grant(r, 'regress_dp_subselects_analyst', 300000) FROM unnest('{patients,visits,letters}'::regclass[]) r;

SET SESSION AUTHORIZATION regress_dp_subselects_analyst;
SET client_min_messages = warning;
SELECT dp_private_queries(3000);
SELECT count(*) FROM patients WHERE id IN (SELECT patient FROM visits WHERE ward = 2 AND price < 10);
SELECT sex, count(*) FROM patients p WHERE p.id NOT IN (SELECT v.patient FROM visits v) GROUP BY sex ORDER BY sex;
-- it is the question that EXISTS asks
SELECT count(*) AS before FROM dp_ledger \gset
SELECT sex, count(*) FROM patients WHERE NOT EXISTS (SELECT FROM visits WHERE visits.patient = patients.id) GROUP BY sex ORDER BY sex;
SELECT count(*) - :before AS debits FROM dp_ledger;
-- a NULL among what is selected would decide of everybody
SELECT count(*) FROM patients WHERE id NOT IN (SELECT patient FROM letters);
SELECT count(*) FROM patients WHERE code IN (SELECT patient FROM visits);
SELECT count(*) FROM patients WHERE id IN (SELECT id FROM visits);
SELECT count(*) FROM patients WHERE EXISTS (SELECT FROM letters WHERE letters.patient = patients.id AND pages = 3);

SELECT sex, count(v.id), (sum(v.price) + 5) / 10 AS tens, round(avg(v.price) FILTER (WHERE v.ward = 1), 1) FROM patients p LEFT JOIN visits v ON v.patient = p.id GROUP BY sex ORDER BY sex;
SELECT sex, count(ward) FROM visits v RIGHT JOIN patients p ON v.patient = p.id AND v.ward > 0 WHERE sex = 'm' OR v.price >= 0 GROUP BY sex ORDER BY sex;
SELECT count(*) FROM patients p LEFT JOIN visits v ON v.patient = p.id;
SELECT count(coalesce(v.id, 1)) FROM patients p LEFT JOIN visits v ON v.patient = p.id;
SELECT count(v.id), count(p.sex) FROM patients p LEFT JOIN visits v ON v.patient = p.id;
SELECT count(*) - :before AS debits FROM dp_ledger;
-- what a row belongs to is one row: IN and EXISTS of it are a join
SELECT ward, count(*) FROM visits WHERE patient IN (SELECT id FROM patients WHERE sex = 'm') AND price < 20 GROUP BY ward ORDER BY ward;
SELECT count(*) FROM letters l WHERE EXISTS (SELECT FROM patients p WHERE p.id = l.patient AND p.sex = 'f');
SELECT count(*) AS before FROM dp_ledger \gset
SELECT count(*) FROM letters l JOIN patients p ON p.id = l.patient AND p.sex = 'f';
SELECT count(*) - :before AS debits FROM dp_ledger;
SELECT count(*) FROM visits WHERE ward IN (SELECT id FROM patients WHERE sex = 'm');
SELECT count(*) FROM visits WHERE patient NOT IN (SELECT id FROM patients WHERE sex = 'm');
SELECT count(*) FROM visits v JOIN patients q ON q.id = v.patient WHERE v.patient IN (SELECT id FROM patients WHERE sex = 'm');
RESET SESSION AUTHORIZATION;
SELECT ward, count(*) FROM visits WHERE patient IN (SELECT id FROM patients WHERE sex = 'm') AND price < 20 GROUP BY ward ORDER BY ward;
SELECT count(*) FROM letters l WHERE EXISTS (SELECT FROM patients p WHERE p.id = l.patient AND p.sex = 'f');
SELECT sex, count(v.id), (sum(v.price) + 5) / 10 AS tens, round(avg(v.price) FILTER (WHERE v.ward = 1), 2) FROM patients p LEFT JOIN visits v ON v.patient = p.id GROUP BY sex ORDER BY sex;
SELECT sex, count(ward) FROM visits v RIGHT JOIN patients p ON v.patient = p.id AND v.ward > 0 WHERE sex = 'm' OR v.price >= 0 GROUP BY sex ORDER BY sex;
SELECT count(*) FROM patients WHERE id IN (SELECT patient FROM visits WHERE ward = 2 AND price < 10);
DROP OWNED BY regress_dp_subselects_analyst;
DROP ROLE regress_dp_subselects_analyst;
DROP SCHEMA t_private_subselects CASCADE;
