-- SELECTs as analysts write them: with so much budget that the noise is rounded away, each gives what the
-- owner gets.
\set VERBOSITY terse
CREATE SCHEMA t_private_analysts;
CREATE ROLE regress_dp_analysts_analyst;
GRANT ALL ON SCHEMA t_private_analysts TO regress_dp_analysts_analyst;
SET search_path = t_private_analysts, public;
SET client_min_messages = error;
CREATE TYPE sex AS ENUM ('f', 'm');
CREATE TABLE wards (ward int PRIMARY KEY, name varchar(9) NOT NULL, beds int NOT NULL);
CREATE TABLE patients (id int PRIMARY KEY, sex sex NOT NULL, born date NOT NULL, region char(2));
CREATE TABLE visits (id int PRIMARY KEY, patient int NOT NULL REFERENCES patients, ward int NOT NULL REFERENCES wards, at timestamp NOT NULL,
	seen timestamptz NOT NULL, price int NOT NULL, score numeric(4,1), urgent boolean NOT NULL);
INSERT INTO wards VALUES (1, 'eye', 10), (2, 'heart', 4), (3, 'skin', 7);
INSERT INTO patients SELECT i, (ARRAY['f', 'm'])[1 + i % 2]::sex, date '1950-03-01' + i * 53, CASE WHEN i % 5 > 0 THEN (ARRAY['aa', 'bb'])[1 + i % 2] END
  FROM generate_series(1, 300) i;
INSERT INTO visits SELECT i, 1 + i % 250, 1 + i % 3, timestamp '2024-01-01' + i * interval '9 hours 10 minutes', timestamptz '2024-03-25 00:30+00' + i * interval '3 hours',
	i * 7 % 90, CASE WHEN i % 8 > 0 THEN i * 7 % 90 / 10.0 + i % 3 END, i % 3 = 0 FROM generate_series(1, 750) i;
CREATE TABLE doses (visit int NOT NULL REFERENCES visits, drug int NOT NULL REFERENCES wards, mg int NOT NULL);
INSERT INTO doses SELECT 1 + i % 700, 1 + i % 3, i % 20 FROM generate_series(1, 1500) i;
CREATE TABLE cards (patient int PRIMARY KEY REFERENCES patients);
CREATE TABLE uses (card int REFERENCES cards);
INSERT INTO cards SELECT generate_series(1, 100);
INSERT INTO uses SELECT 1 + i % 100 FROM generate_series(1, 250) i;
SELECT dp_declare_public('wards');
SELECT dp_protect('patients', 1000000), dp_protect('visits', parent => 'patients', max_rows_per_unit => 4), dp_protect('doses', parent => 'visits', max_rows_per_unit => 3),
	dp_protect('cards', parent => 'patients', max_rows_per_unit => 1), dp_protect('uses', parent => 'cards', max_rows_per_unit => 3);
SELECT dp_define_column('doses', 'mg', range => '{0,20}'), dp_define_column('patients', 'born', range => '{1950-01-01,2000-01-01}'), dp_define_column('patients', 'region', '{aa,bb}'),
	dp_define_column('visits', 'at', range => '{2024-01-01,2024-12-31}'), dp_define_column('visits', 'seen', range => '{2024-03-01,2024-07-31}'),
	dp_define_column('visits', 'price', range => '{0,100}'), dp_define_column('visits', 'score', range => '{0,20}');
SELECT dp_grant(r, 'regress_dp_analysts_analyst', 1000000) FROM unnest('{patients,visits,doses,cards,uses}'::regclass[]) r;
CREATE TABLE asked (n int GENERATED ALWAYS AS IDENTITY, query text);
GRANT SELECT ON asked, wards TO regress_dp_analysts_analyst;
INSERT INTO asked (query) VALUES
-- days are compared with times
($$SELECT at::date AS d, count(*) AS n FROM visits WHERE at >= date '2024-03-01' AND at < date '2024-03-04' GROUP BY 1 HAVING count(*) > 0.5$$),
($$SELECT count(*) AS n, count(*) FILTER (WHERE born < timestamp '1970-06-30 12:00') AS o FROM patients$$),
($$SELECT count(*) FILTER (WHERE seen >= date_trunc('month', timestamp '2024-04-15')) AS m, count(*) FILTER (WHERE date '2024-04-15' - interval '3 days' > seen) AS d FROM visits$$),
-- times as texts
($$SELECT to_char(at, 'YYYY-MM') AS m, count(*) AS n FROM visits GROUP BY 1 HAVING count(*) > 0.5$$),
($$SELECT to_char(born, 'FMMonth "of" YYYY') AS m, count(*) AS n FROM patients WHERE born < '1955-01-01' GROUP BY 1 HAVING count(*) > 0.5$$),
($$SELECT to_char(seen, 'Dy HH24') AS h, count(*) AS n FROM visits GROUP BY 1 HAVING count(*) > 0.5$$),
($$SELECT to_char(at, 'IYYY-"W"IW') AS w, count(*) AS n FROM visits WHERE to_char(at, 'Q') = '1' GROUP BY 1 HAVING count(*) > 0.5$$),
-- ages
($$SELECT extract(year FROM age('2024-07-01', born)) AS years, count(*) AS n FROM patients GROUP BY 1 HAVING count(*) > 0.5$$),
($$SELECT round(avg(date_part('year', age(at, born)))::numeric, 2) AS years FROM visits JOIN patients ON patients.id = patient$$),
($$SELECT sum(extract(year FROM age('1951-08-06', born)))::int AS years FROM patients WHERE born <= '1950-08-07'$$), -- one is 11 months and 30 days
-- parts, bins and days later
($$SELECT date_part('year', born) AS y, count(*) AS n FROM patients GROUP BY 1 HAVING count(*) > 0.5$$),
($$SELECT date_bin('14 days', at, '2024-01-01') AS b, count(*) AS n FROM visits GROUP BY 1 HAVING count(*) > 0.5$$),
($$SELECT (date_trunc('month', born) + interval '1 month' - interval '1 day')::date AS last, count(*) AS n FROM patients WHERE born < '1955-01-01' GROUP BY 1 HAVING count(*) > 0.5$$),
($$SELECT date_trunc('day', seen, 'Europe/Berlin') AS d, count(*) AS n FROM visits GROUP BY 1 HAVING count(*) > 0.5$$),
($$SELECT at::time < '12:00' AS morning, count(*) AS n FROM visits GROUP BY 1$$),
-- texts
($$SELECT upper(sex::text) || '/' || region AS k, count(*) AS n FROM patients GROUP BY 1 HAVING count(*) > 0.5$$),
($$SELECT concat(extract(year FROM at), '-', ward) AS k, urgent::text AS u, concat_ws('/', NULLIF(ward, 2), 'w', ward) AS w, count(*) AS n FROM visits GROUP BY 1, 2, 3 HAVING count(*) > 0.5$$),
($$SELECT trim(both 'e' FROM name) AS t, ltrim(name, 'es') AS l, rtrim(name, 'tn') AS r, count(*) AS n FROM visits JOIN wards USING (ward) GROUP BY 1, 2, 3 HAVING count(*) > 0.5$$),
($$SELECT split_part(name || '-x', '-', 1) AS k, initcap(reverse(name)) AS r, count(*) AS n FROM visits JOIN wards USING (ward) GROUP BY 1, 2 HAVING count(*) > 0.5$$),
($$SELECT (price / 10 * 10)::text || '+' AS k, count(*) AS n FROM visits GROUP BY 1 HAVING count(*) > 0.5$$),
($$SELECT sex::text || true AS k, round(price::numeric, -1)::text AS r, count(*) AS n FROM visits JOIN patients ON patients.id = patient GROUP BY 1, 2 HAVING count(*) > 0.5$$),
-- numbers
($$SELECT width_bucket(price, ARRAY[10, 20, 50]) AS b, count(*) AS n FROM visits GROUP BY 1$$),
($$SELECT round(sum(power(score, 2)), -2) AS s, round(avg(sqrt((price - 50) ^ 2))::numeric, 1) AS d FROM visits$$),
($$SELECT count(*) AS n FROM visits WHERE (ward, price) > (2, 50)$$),
($$SELECT count(*) AS n FROM patients WHERE (sex, born) < ('m', '1970-01-01')$$),
($$SELECT count(*) FILTER (WHERE price IN (beds, 7, 2::smallint)) AS i, count(*) FILTER (WHERE price::smallint NOT IN (8, 9)) AS o, count(*) FILTER (WHERE name IN ('eye', 'skin')) AS v FROM visits JOIN wards USING (ward)$$),
($$SELECT round(avg(log(price + 1))::numeric, 2) AS l FROM visits$$),
-- groupings
($$SELECT urgent, ward, count(*) AS n, GROUPING(urgent, ward) AS g FROM visits WHERE ward > 1 GROUP BY ROLLUP (urgent, ward) HAVING count(*) > 0.5$$),
($$SELECT sex, region, count(*) AS n FROM patients GROUP BY GROUPING SETS ((sex), (region), ()) HAVING count(*) > 0.5$$),
($$SELECT sex, region, count(*) AS n FROM patients GROUP BY sex, ROLLUP (region) HAVING GROUPING(region) = 1$$),
($$SELECT sex, count(*) AS n, GROUPING(sex) AS g FROM patients GROUP BY sex HAVING GROUPING(sex) = 0$$),
($$SELECT GROUPING(sex) AS g FROM patients GROUP BY sex$$),
-- of pairs, and lists
($$SELECT corr(price, 3) AS c, regr_slope(price, 3) AS s, regr_r2(price, 3) AS r, corr(price, score) FILTER (WHERE ward > 3) AS n FROM visits$$),
($$SELECT urgent, round(corr(score, price)::numeric, 2) AS c, round(regr_slope(score, price)::numeric, 3) AS s, regr_count(score, price) AS n FROM visits GROUP BY 1$$),
($$SELECT round(covar_samp(price, score)::numeric, 0) AS c, round(regr_avgx(price, score)::numeric, 1) AS x, round(regr_r2(price, score)::numeric, 2) AS r FROM visits$$),
($$SELECT percentile_disc(ARRAY[0.25, 0.75]) WITHIN GROUP (ORDER BY price) AS p FROM visits$$),
-- people
($$SELECT count(*) AS n FROM patients WHERE id IN (SELECT patient FROM visits GROUP BY patient HAVING sum(price) > 150)$$),
($$SELECT sex, count(*) AS n FROM patients WHERE id NOT IN (SELECT patient FROM visits GROUP BY patient HAVING count(*) > 2) GROUP BY sex$$),
($$SELECT count(*) AS n FROM patients p WHERE (SELECT count(*) FROM visits v WHERE v.patient = p.id AND v.urgent) = 0$$),
($$SELECT sex, round(avg(l.n), 3) AS a FROM patients p, LATERAL (SELECT count(*) AS n FROM visits v WHERE v.patient = p.id AND price < 40) l GROUP BY sex$$),
($$SELECT sex, count(*) AS c, sum(n) AS n FROM patients p JOIN LATERAL (SELECT count(*) AS n, max(price) AS m FROM visits v WHERE v.patient = p.id) l ON l.n > 2 AND l.m > 40 GROUP BY sex$$),
($$SELECT extract(epoch FROM date_trunc('hour', seen)) AS h, count(*) AS n FROM visits WHERE seen >= '2024-03-30 20:00+00' AND seen < '2024-03-31 08:00+00' GROUP BY 1 HAVING count(*) > 0.5$$),
($$SELECT extract(epoch FROM date_trunc('day', seen, 'Europe/Berlin'))::bigint AS d, count(*) AS n FROM visits GROUP BY 1 HAVING count(*) > 0.5$$),
($$SELECT count(DISTINCT v.patient) AS n FROM visits v WHERE ward = 1 AND EXISTS (SELECT FROM visits w WHERE w.patient = v.patient AND w.ward = 2)$$),
($$SELECT count(DISTINCT patient) AS n FROM visits WHERE ward = 1 AND patient IN (SELECT patient FROM visits WHERE price > 80)$$),
($$SELECT count(DISTINCT patient) FILTER (WHERE urgent) AS u, count(DISTINCT CASE WHEN price > 50 THEN patient END) AS e, count(DISTINCT patient) AS n, count(*) AS r FROM visits$$),
($$SELECT sex, count(*) AS a, count(v.id) AS b, count(DISTINCT p.id) AS c, round(sum(v.price)::numeric, -1) AS d FROM patients p LEFT JOIN visits v ON v.patient = p.id AND v.ward < 3 GROUP BY sex$$),
($$SELECT sex, count(*) AS n FROM patients p LEFT JOIN visits v ON v.patient = p.id WHERE v.id IS NULL GROUP BY sex$$),
($$SELECT sex, round(avg(n), 3) AS a FROM (SELECT p.id, p.sex, count(v.id) AS n FROM patients p LEFT JOIN visits v ON v.patient = p.id GROUP BY p.id, p.sex) x GROUP BY sex$$),
-- the first and the last time of a person
($$SELECT extract(month FROM first) AS m, count(*) AS n, round(avg(extract(epoch FROM last - first) / 86400)::numeric, -1) AS days FROM (SELECT patient, min(seen) AS first, max(seen) AS last FROM visits GROUP BY patient) v GROUP BY 1 HAVING count(*) > 0.5$$),
($$SELECT extract(day FROM seen::timestamp - at) AS d, count(*) AS n FROM visits GROUP BY 1 HAVING count(*) > 0.5$$),
($$SELECT extract(hour FROM at - date_trunc('year', at)) AS h, count(*) AS n FROM visits GROUP BY 1 HAVING count(*) > 0.5$$),
($$SELECT count(*) AS n FROM patients WHERE extract(year FROM born) % 2 = 0 AND mod(extract(month FROM born), 5) = 1$$),
-- what is computed of each visit, and how many visits there are
($$SELECT n, count(*) AS c FROM (SELECT visit, count(*) AS n FROM doses GROUP BY visit) d GROUP BY n HAVING count(*) > 0.5$$),
($$SELECT urgent, round(avg(mg), 1) AS mg, count(*) AS n FROM (SELECT v.id, v.urgent, sum(mg) AS mg FROM doses JOIN visits v ON v.id = visit GROUP BY v.id) d GROUP BY urgent$$),
($$SELECT count(*) AS n FROM (SELECT DISTINCT visit FROM doses WHERE mg > 10) d$$),
($$SELECT w.name, count(DISTINCT visit) AS visits, count(*) AS doses, round(avg(mg), 1) AS mg, count(DISTINCT visit) FILTER (WHERE mg > 15) AS high FROM doses JOIN wards w ON w.ward = drug GROUP BY w.name$$),
($$SELECT count(DISTINCT v.id) AS n, round(sum(mg), -3) AS mg FROM doses d JOIN visits v ON v.id = d.visit WHERE v.urgent$$),
($$SELECT count(DISTINCT visit) AS visits, count(*) AS n FROM doses JOIN wards w ON w.beds > mg$$), -- of which a dose meets several
-- a key that is a foreign key, too, names the person
($$SELECT sex, sum(n) AS n FROM patients p JOIN (SELECT c.patient, count(*) AS n FROM uses JOIN cards c ON c.patient = card GROUP BY c.patient) u ON u.patient = p.id GROUP BY sex$$),
-- joins that ask whether there are rows
($$SELECT count(DISTINCT a.patient) AS n FROM visits a JOIN visits b ON b.patient = a.patient WHERE a.ward = 1 AND b.ward = 2$$),
($$SELECT sex, count(DISTINCT v.patient) AS n FROM patients p JOIN visits v ON v.patient = p.id JOIN visits u ON u.patient = v.patient AND u.urgent WHERE v.price > 40 GROUP BY sex$$),
($$SELECT ward, count(*) AS n FROM visits v LEFT JOIN doses d ON d.visit = v.id AND d.mg > 10 WHERE d.visit IS NULL GROUP BY ward$$),
($$SELECT sex, count(*) AS n FROM patients p JOIN visits v ON v.patient = p.id LEFT JOIN doses d ON v.id = d.visit WHERE d.drug IS NULL GROUP BY sex$$),
($$SELECT count(*) AS n FROM patients p LEFT JOIN visits v ON v.patient = p.id AND v.urgent WHERE v.ward IS NULL AND p.sex = 'f'$$),
($$SELECT count(*) AS n FROM cards c LEFT JOIN uses u ON u.card = c.patient AND u.card % 3 = 0 WHERE u.card IS NULL$$),
($$SELECT count(*) AS n FROM doses WHERE visit IN (SELECT v.id FROM visits v JOIN patients p ON p.id = v.patient JOIN wards w ON w.ward = v.ward WHERE p.sex = 'f' AND w.beds > 5)$$),
($$SELECT count(*) AS n FROM visits v WHERE EXISTS (SELECT FROM doses d, wards w WHERE d.visit = v.id AND w.ward = d.drug AND w.name LIKE 'e%')$$),
($$SELECT count(*) AS n FROM visits v WHERE NOT EXISTS (SELECT * FROM doses d JOIN wards w ON w.ward = d.drug JOIN wards u ON u.beds = w.beds WHERE d.visit = v.id AND u.name = 'eye' ORDER BY d.mg)$$),
($$SELECT count(DISTINCT p.id) AS n FROM patients p JOIN visits v ON v.patient = p.id JOIN doses d ON d.visit = v.id JOIN visits u ON u.patient = p.id WHERE d.mg = 19 AND u.ward = 1$$),
($$SELECT extract(month FROM b) AS m, round(avg(n), 1) AS a FROM (SELECT v.id, v.seen AS b, count(*) AS n FROM doses d JOIN visits v ON v.id = d.visit GROUP BY v.id) x GROUP BY 1 HAVING count(*) > 0.5$$),
-- keys: as many as there are rows
($$SELECT sex, count(DISTINCT id) AS n, count(DISTINCT CASE WHEN born < '1970-01-01' THEN id END) AS o FROM patients GROUP BY sex$$),
($$SELECT count(DISTINCT id) AS n, count(DISTINCT id) FILTER (WHERE urgent) AS u, count(DISTINCT ward) AS w FROM visits WHERE price > 20$$),
($$SELECT name, count(DISTINCT v.id) AS v, count(DISTINCT p.id) AS p FROM visits v JOIN patients p ON p.id = v.patient JOIN wards w USING (ward) GROUP BY name$$),
-- what the key of a table determines, and which of its rows there are
($$SELECT name, beds, count(*) AS n FROM visits JOIN wards USING (ward) GROUP BY CUBE (name, beds)$$),
($$SELECT w.name, w.beds, count(*) AS n FROM visits v JOIN wards w ON w.ward = v.ward GROUP BY w.ward$$),
-- no groups but those that WHERE and the expression leave
($$SELECT date_trunc('week', at)::date AS w, count(*) AS n FROM visits WHERE at >= '2024-03-04' AND at < '2024-04-01' GROUP BY 1$$),
($$SELECT extract(month FROM born) AS m, price > 5 AS p, count(*) AS n FROM visits v JOIN patients p ON p.id = v.patient WHERE born > '1988-12-31' AND born < '1989-03-01' AND price < 7 AND price > 4 GROUP BY 1, 2 HAVING count(*) > 0.5$$),
($$SELECT (extract(dow FROM at)::int + 6) % 7 + 1 AS d, count(*) AS n FROM visits GROUP BY 1$$),
($$SELECT floor(price / 25) * 25 + 0.0 AS bin, count(*) AS n FROM visits WHERE price < 75 GROUP BY 1$$),
-- lists that the statement holds
($$SELECT l.kind, count(*) AS n FROM visits v JOIN (VALUES (1, 'a'), (2, 'b'), (3, 'a')) l(ward, kind) ON l.ward = v.ward GROUP BY 1$$),
($$SELECT l.kind, count(*) AS n, count(l.weight * v.price) AS s FROM wards w JOIN visits v ON v.ward = w.ward LEFT JOIN (VALUES ('eye', 'a', 2), ('skin', 'b', 3)) l(name, kind, weight) ON l.name = w.name AND v.price < l.weight * 30 GROUP BY 1$$),
($$WITH l(sex, label) AS (VALUES ('f', 'women'), ('x', 'others')) SELECT label, count(DISTINCT p.id) AS n FROM patients p, l, visits v WHERE v.patient = p.id AND l.sex = p.sex::text AND price > 10 GROUP BY label HAVING count(DISTINCT p.id) > 0.5$$),
($$SELECT l.band, count(*) AS n, sum(v.price) AS s FROM visits v JOIN (VALUES (0, 20, 'low'), (60, NULL, 'none'), (20, 60, 'high')) l(a, b, band) ON v.price >= l.a AND v.price < l.b GROUP BY 1$$),
($$SELECT l.band, count(*) AS n FROM (VALUES (1, 5, 'low'), (6, 9, 'high')) l(a, b, band), visits v WHERE v.score BETWEEN l.a AND l.b GROUP BY 1$$),
-- what an answer chose, through a cast
($$SELECT name, count(*) AS n FROM visits JOIN wards USING (ward) JOIN (SELECT name AS chosen, count(*) AS most FROM visits JOIN wards USING (ward) GROUP BY name ORDER BY most DESC, name LIMIT 9) AS s ON name = chosen GROUP BY name$$);

SET SESSION AUTHORIZATION regress_dp_analysts_analyst;
SET client_min_messages = warning;
SELECT dp_private_queries(10000);
SELECT format('CREATE TABLE a%s AS %s', n, query) FROM asked ORDER BY n \gexec
RESET SESSION AUTHORIZATION;
SELECT format('CREATE TABLE b%s AS %s', n, query) FROM asked ORDER BY n \gexec
CREATE FUNCTION differing() RETURNS TABLE (n int, query text, asked jsonb, expected jsonb) LANGUAGE plpgsql AS $$
DECLARE one record;
BEGIN
  FOR one IN SELECT * FROM asked ORDER BY n LOOP
    RETURN QUERY EXECUTE format('SELECT $1, $2, a, b FROM (SELECT jsonb_agg(to_jsonb(t) ORDER BY to_jsonb(t)) AS a FROM a%1$s t) a,
      (SELECT jsonb_agg(to_jsonb(t) ORDER BY to_jsonb(t)) AS b FROM b%1$s t) b WHERE a IS DISTINCT FROM b', one.n) USING one.n, one.query;
  END LOOP;
END $$;
SELECT * FROM differing();

SET SESSION AUTHORIZATION regress_dp_analysts_analyst;
-- WHERE bounds what it computes with, in each case of OR; a percentile of nobody is no group
EXPLAIN (COSTS OFF) SELECT sum(price) FROM visits WHERE (price BETWEEN 5 AND 9 AND urgent) OR (price < 20 AND price > 3 AND ward = 2) OR price IN (11, 30);
SELECT region, percentile_disc(0.5) WITHIN GROUP (ORDER BY born) > '1950-01-01' AS late FROM patients WHERE region = 'aa' GROUP BY region;
-- of a quotient by 0 there is no interval
SELECT dp_low(sum(price) / count(*)) AS low FROM visits WHERE price > 95;
-- a question for each grouping, each by its meaning
SELECT dp_private_queries(10);
SELECT count(*) AS before FROM dp_ledger \gset
SELECT count(*) > 0 AS answered FROM (SELECT urgent, ward, count(*), dp_low(count(*)) FROM visits GROUP BY CUBE (urgent, ward)) x;
SELECT count(*) - :before AS debits FROM dp_ledger;
SELECT count(*) > 0 AS answered FROM (SELECT ward, count(*) FROM visits GROUP BY ward) x;
SELECT count(*) - :before AS debits FROM dp_ledger;
-- the same question in other words
SELECT count(*) AS before FROM dp_ledger \gset
SELECT count(*) > 0 AS answered FROM (SELECT count(*) FROM visits WHERE NOT (price > 40) AND urgent AND (ward = 1 OR ward = 3)) x;
SELECT count(*) > 0 AS answered FROM (SELECT count(1) AS n FROM (SELECT * FROM visits WHERE true) v WHERE ward IN (3, 1) AND urgent = true AND 40 >= v.price) x;
SELECT count(*) - :before AS debits FROM dp_ledger;
SELECT count(*) > 0 AS answered FROM (SELECT date_trunc('month', at), sum(price) FROM visits WHERE NOT urgent GROUP BY 1) x;
SELECT count(*) > 0 AS answered FROM (SELECT date_trunc('MONTH', v.at) AS m, sum(v.price) AS s FROM visits v WHERE urgent = false GROUP BY date_trunc('MONTH', v.at) ORDER BY s) x;
SELECT count(*) - :before AS debits FROM dp_ledger;
-- a group that nobody is in: no error after it is paid for
SELECT count(x) FROM (SELECT to_char(at, 'MM') AS m, sum(price) / count(*), 7 % count(*), sqrt(count(*)), ln(count(*)), count(*) ^ -1, power(-count(*), 0.5) FROM visits GROUP BY 1) x;
SELECT count(*) > 100 AS fits, (10 ^ (count(*) * 1000))::text AS power, (count(*) * 100)::smallint AS small, exp(count(*) * 1e6) AS exp, factorial(-count(*)) AS factorial, repeat('x', (count(*) * 2000000)::int) AS repeated,
	chr(-count(*)::int) AS chr, make_date(count(*)::int * 100000, 1, 1) AS made, date '5874897-01-01' + (count(*) * 1000)::int AS day, timestamp '2024-01-01' + count(*) * interval '1000 years' AS time, to_char(count(*), '999') <> '' AS told,
	1 / (count(*) - count(*)) AS quotient FROM visits;
SELECT log(-count(*)::numeric) AS log, length(lpad('x', (count(*) * 2000000)::int)) AS padded,
	(count(*) * 1000)::int + date '5874897-01-01' AS day, count(*) * interval '1000 years' + timestamp '2024-01-01' AS time, (count(*) - count(*) * 2) + inet '0.0.0.1' AS address FROM visits;
-- a text that is no such value, and functions that take NULL
SELECT 'a' ~ ('(' || count(*)) AS match, 'ab' LIKE repeat('a', least(count(*), 1)::int) || '\' AS alike, count(*)::text ~ ('^' || count(*)) AS own FROM visits;
SELECT (count(*) || ' x')::int AS number, (count(*) * 100 || '-13-01')::date AS day, ('10.0.' || count(*) * 1000)::inet AS address, count(*)::text::numeric > 100 AS counted,
	(count(*) || ' hours')::interval > '1 day' AS long, int8range(0, -count(*)) AS range, ARRAY[count(*) * 100000000000]::int[] AS list FROM visits;
CREATE DOMAIN few AS int CHECK (VALUE < 3);
CREATE TABLE fewer (n few);
SELECT count(*) AS before FROM dp_ledger \gset
SELECT count(*)::few FROM visits WHERE price > 44;
SELECT count(*) - :before AS debits FROM dp_ledger;
INSERT INTO fewer SELECT least(count(*), 2) FROM visits WHERE price > 44;
TABLE fewer;
SELECT dp_catalog.dp_or_null('int4in(cstring)'::regprocedure, '7'::text, 0::oid, -1);
SELECT dp_catalog.dp_or_null('array_in(cstring,oid,integer)'::regprocedure, '7'::text, 16::oid, -1);
SELECT dp_catalog.dp_or_null('array_in(cstring,oid,integer)'::regprocedure, '{7}'::text, 'few'::regtype::oid, -1);
SELECT dp_catalog.dp_or_null('record_in(cstring,oid,integer)'::regprocedure, '7'::text, 16::oid, -1);
SELECT dp_catalog.dp_or_null('int8range(bigint,bigint)'::regprocedure, 1, 2);
SELECT dp_catalog.dp_or_null(NULL::regprocedure, 1);
PREPARE zone AS SELECT current_setting('Time' || 'Zone') AS zone, count(*) > 0 AS counted FROM visits;
SET plan_cache_mode = force_generic_plan;
SET timezone = 'UTC';
EXECUTE zone;
SET timezone = 'Asia/Tokyo';
EXECUTE zone;
RESET timezone;
RESET plan_cache_mode;
WITH c AS (SELECT count(*) AS n FROM visits) SELECT 10 ^ (n * 1000) IS NULL AS none FROM (SELECT n FROM c) q;
SELECT name FROM wards ORDER BY name LIMIT (SELECT 1 - count(*) / 500 FROM visits) OFFSET (SELECT -count(*) FROM visits);
CREATE TABLE typed AS SELECT (sum(price) / 3.0)::numeric(20,1) AS third, (sum(price) / 3.0)::numeric(2,1) AS narrow FROM visits;
SELECT format_type(atttypid, atttypmod), third > 0 AS third, narrow FROM typed, pg_attribute WHERE attrelid = 'typed'::regclass AND attname = 'third';
SELECT dp_catalog.dp_or_null('pg_sleep(double precision)'::regprocedure, 1::float8);
SELECT dp_catalog.dp_or_null('sqrt(double precision)'::regprocedure, 4);
SELECT dp_catalog.dp_or_null(1::oid, 2);
SELECT dp_catalog.dp_or_null(2);
SELECT dp_low(corr(score, price)) < corr(score, price) AS low, dp_high(regr_slope(score, price)) > 0 AS high FROM visits;
-- what is refused
SELECT to_char(at, 'TMMonth'), count(*) FROM visits GROUP BY 1;
SELECT to_char(at, 'YYYY' || ward), count(*) FROM visits GROUP BY 1;
SELECT avg(age(born)) FROM patients;
SELECT extract(day FROM age('2024-07-01', born)), count(*) FROM patients GROUP BY 1;
SELECT score::text, count(*) FROM visits GROUP BY 1;
SELECT (price * 1.0)::text, count(*) FROM visits GROUP BY 1;
SELECT 'p' || round(price::numeric, 2), count(*) FROM visits GROUP BY 1;
SELECT replace(name, 'e', 'eeee'), count(*) FROM visits JOIN wards USING (ward) GROUP BY 1;
SELECT count(*) FROM wards JOIN visits USING (ward) WHERE name ~ '^e';
SELECT date_bin('1 month', at, '2024-01-01'), count(*) FROM visits GROUP BY 1;
SELECT width_bucket(price, ARRAY[20, 10]), count(*) FROM visits GROUP BY 1;
SELECT mode() WITHIN GROUP (ORDER BY ward) FROM visits;
SELECT count(*) FROM visits v JOIN (VALUES (1), (1)) l(ward) ON l.ward = v.ward;
SELECT count(*) FROM visits v JOIN (VALUES (1, 5), (5, 9)) l(a, b) ON v.price BETWEEN l.a AND l.b;
SELECT count(*) FROM wards w JOIN visits v ON v.ward = w.ward JOIN (VALUES ('eye'), ('eye ')) l(name) ON l.name::bpchar = w.name::bpchar;
SELECT d, count(*) FROM generate_series(1, 3) d LEFT JOIN visits ON ward = d GROUP BY d;
SELECT count(*) FROM patients p WHERE (SELECT count(*) FROM visits v WHERE v.patient = p.id AND v.price > p.id) > 1;
SELECT count(*) FROM patients p WHERE EXISTS (SELECT FROM visits v WHERE v.patient = p.id HAVING true);
SELECT count(DISTINCT a.patient) FROM visits a JOIN visits b ON b.patient = a.patient AND b.at > a.at;
SELECT count(DISTINCT a.patient) FROM visits a JOIN visits b ON b.ward = a.ward;
SELECT count(DISTINCT a.patient), count(*) FROM visits a JOIN visits b ON b.patient = a.patient;
SELECT count(*) FROM wards w LEFT JOIN visits v ON v.ward = w.ward WHERE v.id IS NULL;
SELECT count(*) FROM visits v LEFT JOIN doses d ON d.visit = v.id LEFT JOIN wards w ON w.ward = d.drug WHERE d.visit IS NULL;
SELECT ward, avg(n) FROM visits v JOIN (SELECT visit, count(*) AS n FROM doses GROUP BY visit) d ON d.visit = v.id GROUP BY ward;
SELECT count(DISTINCT visit), count(DISTINCT v.patient) FROM doses JOIN visits v ON v.id = visit;
SELECT sex, count(v.id) FROM patients p LEFT JOIN visits v ON v.patient = p.id AND p.sex = 'f' GROUP BY sex;
SELECT count(*), count(coalesce(v.price, 1)) FROM patients p LEFT JOIN visits v ON v.patient = p.id;
SELECT count(*) FROM visits v WHERE price > (SELECT avg(price) FROM visits w WHERE w.ward = v.ward);
SELECT sex, avg(extract(year FROM born)), count(*) FROM patients p LEFT JOIN visits v ON v.patient = p.id GROUP BY sex;
RESET SESSION AUTHORIZATION;
DROP OWNED BY regress_dp_analysts_analyst;
DROP ROLE regress_dp_analysts_analyst;
DROP SCHEMA t_private_analysts CASCADE;
