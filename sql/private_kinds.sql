-- Kinds of expressions and of questions: each SELECT is run by the owner, who reads the tables, and by an
-- analyst, who gets noise that is too small to be seen.
\set VERBOSITY terse
CREATE SCHEMA t_private_kinds;
CREATE ROLE regress_dp_kinds_analyst;
GRANT USAGE ON SCHEMA t_private_kinds TO regress_dp_kinds_analyst;
SET search_path = t_private_kinds, public;
SET client_min_messages = error;
SET timezone = 'Europe/Berlin';
CREATE TABLE patients (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('f', 'm')));
CREATE TABLE visits (id int PRIMARY KEY, patient int NOT NULL REFERENCES patients, ward int NOT NULL CHECK (ward BETWEEN 1 AND 3),
	price int NOT NULL CHECK (price BETWEEN 0 AND 100), score float8 NOT NULL CHECK (score BETWEEN 0 AND 4),
	came timestamptz NOT NULL CHECK (came BETWEEN '2021-10-01' AND '2021-12-01'), went timestamptz NOT NULL CHECK (went BETWEEN '2021-10-01' AND '2021-12-10'),
	hour time NOT NULL CHECK (hour BETWEEN '00:00' AND '24:00'), stay interval NOT NULL CHECK (stay BETWEEN '0' AND '10 days'));
CREATE TABLE bills (id int NOT NULL, visit int NOT NULL REFERENCES visits, amount int NOT NULL CHECK (amount BETWEEN 0 AND 10));
INSERT INTO patients SELECT i, CASE WHEN i <= 200 THEN 'f' ELSE 'm' END FROM generate_series(1, 600) i;
INSERT INTO visits SELECT i, 1 + i % 300, 1 + i / 300, i % 50, i % 9 / 4.0, came, came + i % 9 * interval '20 hours', '00:00'::time + i % 24 * interval '61 minutes', i % 9 * interval '20 hours'
  FROM generate_series(0, 899) i, LATERAL (SELECT '2021-10-10 21:00+00'::timestamptz + i * interval '1 hour' AS came) c;
INSERT INTO bills SELECT i, i % 900, i % 7 FROM generate_series(1, 1800) i;
SELECT dp_protect('patients', 1000000), dp_protect('visits', parent => 'patients', max_rows_per_unit => 3), dp_protect('bills', parent => 'visits', max_rows_per_unit => 8);
SELECT dp_grant(r, 'regress_dp_kinds_analyst', 300000) FROM unnest('{patients,visits,bills}'::regclass[]) r;

CREATE TABLE others (id int PRIMARY KEY);
CREATE TABLE notes (other int NOT NULL REFERENCES others);
SELECT dp_protect('others', 10), dp_protect('notes', parent => 'others', max_rows_per_unit => 2);
SELECT dp_grant('notes', 'regress_dp_kinds_analyst', 10);
CREATE TABLE asked (number int, what text, statement text);
GRANT SELECT ON asked TO regress_dp_kinds_analyst;
COPY asked FROM stdin (DELIMITER '|');
1|IN over two ancestors|SELECT count(*) FROM bills WHERE visit IN (SELECT id FROM visits WHERE ward = 2 AND patient IN (SELECT id FROM patients WHERE sex = 'f'))
2|EXISTS in IN|SELECT sum(amount) FROM bills b WHERE visit IN (SELECT id FROM visits v WHERE EXISTS (SELECT FROM patients p WHERE p.id = v.patient AND p.sex = 'm'))
3|IN of DISTINCT people|SELECT sex, count(*) FROM patients WHERE id IN (SELECT DISTINCT patient FROM visits WHERE ward = 2) GROUP BY 1 ORDER BY 1
4|IN of GROUP BY|SELECT count(*) FROM patients WHERE id NOT IN (SELECT patient FROM visits WHERE price < 10 GROUP BY patient)
5|EXISTS of DISTINCT|SELECT count(*) FROM patients p WHERE EXISTS (SELECT DISTINCT ward FROM visits v WHERE v.patient = p.id AND ward = 3)
6|date_trunc in WHERE|SELECT count(*) FROM visits WHERE date_trunc('day', came) = '2021-10-31'
7|date_trunc in FILTER|SELECT count(*) FILTER (WHERE date_trunc('month', came) < '2021-11-01'), count(*) FILTER (WHERE date_trunc('hour', came) = '2021-10-31 01:00+00') FROM visits
8|date_trunc of a zone|SELECT count(*) FROM visits WHERE date_trunc('day', came, 'Asia/Kolkata') = '2021-10-30 18:30+00'
9|distinct days|SELECT count(DISTINCT date_trunc('week', came)) FROM visits WHERE came >= '2021-10-11' AND came < '2021-11-15'
10|a day of the week|SELECT round(avg(extract(isodow FROM came)), 2) FROM visits WHERE extract(hour FROM went) < 12
11|parts of a time|SELECT extract(hour FROM hour), count(*) FROM visits WHERE extract(minute FROM hour) > 10 GROUP BY 1 HAVING count(*) > 20 ORDER BY 1
12|a mean of times|SELECT date_trunc('minute', avg(hour)) FROM visits
13|a mean of intervals|SELECT round(extract(epoch FROM avg(stay)) / 600), sum(stay) BETWEEN '2990 days' AND '3010 days' FROM visits
14|a difference of times|SELECT round(extract(epoch FROM avg(went - came)) / 600), round(avg(extract(epoch FROM went - came)) / 600) FROM visits WHERE went - came < '7 days'
15|parts of an interval|SELECT count(*) FROM visits WHERE extract(minute FROM stay) = 0 AND extract(month FROM stay) = 0
16|exp|SELECT round(sum(exp(score))::numeric, -2), round(sum(exp(-price::numeric)), 1) FROM visits
17|a float as numeric|SELECT round(avg(score::numeric), 2), round(avg(round(score::numeric, 1)), 2) FROM visits
18|people beside rows|SELECT ward, count(DISTINCT patient) AS people, count(*) AS rows, round(sum(price)::numeric, -3) AS price, count(*) FILTER (WHERE price < 10) AS cheap FROM visits WHERE price > 1 GROUP BY ward ORDER BY ward
19|people beside rows of a join|SELECT count(*), count(DISTINCT p.id), round(sum(amount)::numeric, -1) FROM bills b JOIN visits v ON v.id = b.visit JOIN patients p ON p.id = v.patient WHERE sex = 'f'
20|a mean of groups that WHERE bounds|SELECT round(avg(ward), 2) FROM (SELECT patient, ward FROM visits GROUP BY patient, ward) v WHERE ward IN (1, 2)
21|people and their rows|SELECT sex, round(sum(price) * 1.0 / count(DISTINCT patient), -1) FROM visits v JOIN patients p ON p.id = v.patient GROUP BY sex HAVING count(*) > 50 ORDER BY 1
22|rows with what their person has|SELECT n, count(*), round(sum(price)::numeric, -1) FROM visits v JOIN (SELECT patient, count(*) AS n FROM visits WHERE ward < 3 OR price < 30 GROUP BY patient) p USING (patient) GROUP BY n HAVING count(*) > 2 ORDER BY n
23|people with what their rows give|SELECT sex, sum(n), round(avg(m), 2) FROM patients p JOIN (SELECT patient, count(*) AS n, max(price) AS m FROM visits GROUP BY patient) v ON v.patient = p.id GROUP BY sex ORDER BY sex
24|people without rows, too|SELECT count(*), count(n), sum(coalesce(n, 0)), sum(n) FILTER (WHERE sex = 'm') FROM patients p LEFT JOIN (SELECT patient, count(*) AS n FROM visits GROUP BY patient) v ON p.id = v.patient
25|rows of whom many rows are|SELECT count(*), sum(amount) FROM bills b JOIN visits v ON v.id = b.visit JOIN (SELECT patient, max(price) AS m FROM visits WHERE price > 3 GROUP BY patient HAVING count(*) > 2) p ON p.patient = v.patient WHERE p.m > 20 AND v.ward = 1
26|rows beside their person's mean|SELECT count(*) FROM visits v, (SELECT patient, avg(id) AS m FROM visits GROUP BY patient) p, (SELECT v.patient, sum(amount) AS s FROM bills b JOIN visits v ON v.id = b.visit GROUP BY v.patient) b WHERE v.patient = p.patient AND b.patient = v.patient AND v.id >= p.m AND s > 20
27|columns of people without rows are NULL|SELECT count(*), count(v.patient), count(s), count(few), count(one), sum(one), count(*) FILTER (WHERE few = 'few'), count(*) FILTER (WHERE s IS NULL) FROM patients p LEFT JOIN (SELECT patient, coalesce(sum(price), 0) AS s, CASE WHEN count(*) > 1 THEN 'many' ELSE 'few' END AS few, 1 AS one FROM visits WHERE ward < 3 GROUP BY patient) v ON v.patient = p.id
28|people without rows alone|SELECT sex, count(*) FROM patients p LEFT JOIN (SELECT DISTINCT patient FROM visits WHERE price > 40) v ON v.patient = p.id WHERE v.patient IS NULL GROUP BY sex ORDER BY sex
29|people that a joined sub-query names|SELECT count(DISTINCT p.patient), count(DISTINCT v.patient) FROM visits v JOIN (SELECT patient, count(*) AS n FROM visits WHERE price > 40 GROUP BY patient) p ON p.patient = v.patient
30|one joined to the other|SELECT count(*), round(sum(p.n)::numeric, -2), round(sum(b.s)::numeric, -3) FROM (SELECT v.patient, sum(amount) AS s FROM bills b JOIN visits v ON v.id = b.visit GROUP BY v.patient) b, (SELECT patient, count(*) AS n FROM visits WHERE ward < 3 GROUP BY patient) p, visits v WHERE b.patient = p.patient AND p.patient = v.patient
31|EXISTS of rows of people without such|SELECT sum(n), count(*) FROM (SELECT p.id, count(v.id) AS n FROM patients p LEFT JOIN visits v ON v.patient = p.id AND EXISTS (SELECT FROM bills b WHERE b.visit = v.id AND amount = 6) GROUP BY p.id) s
32|WHERE of casts|SELECT count(*) FILTER (WHERE price > 12), sum(price) FROM visits WHERE ward = 2::numeric AND price <= 24.0 AND hour::interval < '20:00'
33|WHERE of casts and groups|SELECT price / 2, count(*) FROM visits WHERE price BETWEEN 4.0 AND 7.0 AND ward::bigint IN (1, 2) GROUP BY 1 ORDER BY 1
34|HAVING of casts|SELECT count(*) FROM (SELECT patient, count(*) AS n FROM visits WHERE price < 40.0 GROUP BY patient HAVING count(*) <= 2.0) v
35|WHERE of a cast that alone bounds|SELECT count(*), round(avg(id)) FROM visits WHERE id BETWEEN 10.0 AND 20.0
\.
CREATE FUNCTION told(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE row record;
BEGIN
	FOR row IN EXECUTE statement LOOP
		RETURN NEXT row::text;
	END LOOP;
EXCEPTION WHEN OTHERS THEN
	RETURN NEXT sqlstate || ' ' || sqlerrm;
END $$;
CREATE TABLE truth AS SELECT number, what, array_agg(row) AS rows FROM asked, told(statement) row GROUP BY number, what;
GRANT SELECT ON truth TO regress_dp_kinds_analyst;
SET SESSION AUTHORIZATION regress_dp_kinds_analyst;
SET client_min_messages = warning;
SELECT dp_private_queries(3000);
SELECT number, what, rows AS truth, CASE WHEN told <> rows THEN told END AS told_otherwise
  FROM truth JOIN asked USING (number, what), LATERAL (SELECT array_agg(row) AS told FROM told(statement) row) t ORDER BY number;

-- what has no answer costs nothing
SELECT count(*) AS before FROM dp_ledger \gset
SELECT exp(score * 1000) FROM visits;
SELECT sum(exp(score * 1000)) FROM visits;
SELECT sum(exp(-price * 100.0::float8)) FROM visits;
SELECT avg(extract(epoch FROM stay)) FROM visits;
SELECT count(*) FROM visits WHERE timestamp '2021-10-10' + stay > '2021-10-12';
SELECT count(*) FROM visits WHERE date '2021-10-10' + (went - came) > '2021-10-12';
SELECT count(*) FROM visits WHERE came + stay > '2021-10-12';
SELECT avg(ln(price)) FROM visits WHERE price > (SELECT avg(price) FROM visits WHERE ward = 1);
SELECT avg(extract(year FROM went - came)) FROM visits;
SELECT avg(extract(year FROM hour)) FROM visits;
SELECT date_trunc('day', came, 'Asia/Kolkata'), count(*) FROM visits GROUP BY 1;
SELECT count(*) FROM visits WHERE date_trunc('day', came, 'CET') = '2021-10-31';
SELECT count(*) FROM visits WHERE date_trunc('often', came) = '2021-10-31';
SELECT count(DISTINCT patient), variance(price) FROM visits;
SELECT count(DISTINCT patient), count(DISTINCT ward) FROM visits;
SELECT count(*) FROM patients WHERE id IN (SELECT patient FROM visits GROUP BY patient HAVING count(*) > 2);
SELECT count(*) FROM visits v JOIN (SELECT patient, count(*) AS n FROM visits GROUP BY patient) p ON p.n = v.ward;
SELECT count(*) FROM visits v JOIN (SELECT patient, count(*) AS n FROM visits GROUP BY patient) p ON p.patient = v.ward;
SELECT count(*) FROM visits v JOIN (SELECT other, count(*) AS n FROM notes GROUP BY other) p ON p.other = v.patient;
SELECT count(*) FROM patients v JOIN (SELECT other, count(*) AS n FROM notes GROUP BY other) p ON p.other = v.id;
SELECT count(*) FROM visits v, (SELECT patient FROM visits GROUP BY patient) p, (SELECT patient FROM visits GROUP BY patient) q WHERE v.patient = p.patient AND p.patient = q.patient;
SELECT count(DISTINCT v.patient), count(*) FROM visits v JOIN (SELECT patient, count(*) AS n FROM visits GROUP BY patient) p ON p.patient = v.patient;
SELECT count(DISTINCT v.patient) FROM patients p LEFT JOIN (SELECT patient FROM visits GROUP BY patient) v ON v.patient = p.id;
SELECT count(*) FROM (SELECT patient FROM visits GROUP BY patient) p JOIN (SELECT patient FROM visits WHERE ward = 1 GROUP BY patient) v USING (patient);
SELECT format('SELECT count(DISTINCT patient), %s FROM visits', string_agg('sum(price + ' || i || ')', ', ')) FROM generate_series(1, 64) i \gexec
SELECT count(*) FROM visits v LEFT JOIN (SELECT patient, count(*) AS n FROM visits GROUP BY patient) p ON p.patient = v.patient AND p.n > 1;
SELECT count(*) FROM visits v LEFT JOIN (SELECT patient, count(*) AS n FROM visits GROUP BY patient HAVING count(*) > 1) p ON p.patient = v.patient;
SELECT count(*) FROM visits v JOIN (SELECT patient, ward, count(*) AS n FROM visits GROUP BY patient, ward) p ON p.patient = v.patient;
SELECT count(*) FROM visits v JOIN (SELECT patient, count(*) AS n FROM visits GROUP BY patient) p ON p.patient = v.patient GROUP BY p.patient;
SELECT count(*) - :before AS debits FROM dp_ledger;
EXPLAIN (COSTS OFF) SELECT count(*) FROM visits v LEFT JOIN (SELECT patient, count(*) AS n FROM visits GROUP BY patient) p USING (patient) WHERE n > 1;
EXPLAIN (COSTS OFF) SELECT ward, count(DISTINCT patient), count(*) FROM visits GROUP BY ward;
RESET SESSION AUTHORIZATION;
DROP OWNED BY regress_dp_kinds_analyst;
DROP ROLE regress_dp_kinds_analyst;
DROP SCHEMA t_private_kinds CASCADE;
