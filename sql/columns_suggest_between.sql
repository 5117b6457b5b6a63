-- dp_suggest_columns finds what holds between columns in all rows
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t_between;
SET search_path = t_between, public;
SET client_min_messages = error;
-- what is suggested for a relation, and all of it done
CREATE TABLE calls (call text);
CREATE FUNCTION pg_temp.suggest(relation regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	TRUNCATE calls;
	INSERT INTO calls SELECT replace(s, 'public.', '') FROM dp_suggest_columns(relation) s;
END
$$;
CREATE FUNCTION pg_temp.run_calls() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	call text;
BEGIN
	FOR call IN SELECT c.call FROM calls c LOOP
		EXECUTE call;
	END LOOP;
END
$$;
CREATE TABLE flight (id serial PRIMARY KEY, origin text, destination text, distance int, departs timestamp, arrives timestamp, lasts interval, hour int, day date, fare numeric(15,2), tax numeric(10,2),
	total numeric(12,2), quantity numeric(15,2) CHECK (quantity BETWEEN 1 AND 50), cents numeric(10,2), copy text, "Upper" text, cancelled date, reason text, seats int, amount numeric(12,2), promo numeric(8,2), paid numeric(12,2), weight float8, double float8);
INSERT INTO flight (origin, destination, distance, departs, arrives, lasts, hour, day, fare, tax, total, quantity, cents, copy, "Upper", cancelled, reason, seats, amount, promo, paid, weight, double)
SELECT o, d, 100 + (substr(o, 2)::int * 131 + substr(d, 2)::int * 17) % 2000, s, s + l, l, extract(hour FROM s), s::date, f, round(f * .19, 2), f + round(f * .19, 2), q, (q * 37 % 50) + .99, o, upper(d), CASE WHEN i % 7 = 0 THEN s::date + 1 END,
	CASE WHEN i % 7 = 0 THEN 'r' || i % 4 END, (i % 60) * 5, q * round(f, 0), CASE WHEN i % 3 = 0 THEN i % 20 END, f + coalesce(CASE WHEN i % 3 = 0 THEN i % 20 END, 0), sqrt(i), sqrt(i) + f::float8
  FROM (SELECT i, 'o' || i % 13 o, 'd' || (i * 7) % 11 d, timestamp '2024-01-01' + i * interval '97 min' s, (1 + i * 31 % 500) * interval '1 min' l, (i * 17 % 700)::numeric f, (i * 13 % 50 + 1)::numeric q FROM generate_series(1, 3000) i) x;
SELECT dp_protect('flight', 1000, 1e-5);
SELECT pg_temp.suggest('flight');
SELECT regexp_replace(call, '^SELECT dp_define_column', '') FROM calls WHERE call LIKE '%computed%';
SELECT regexp_replace(call, ' *--.*', '') FROM calls WHERE call ~ '(fare|quantity|seats|tax)'', ';
SELECT call FROM calls WHERE call ~ '^-- .* is (never|NULL|decided)';
-- each call runs, and rows are as it says
SELECT pg_temp.run_calls();
SELECT dp_release('flight', 'mst', 10, 1e-9) AS r \gset
SELECT count(*), count(*) FILTER (WHERE lower("Upper") IS DISTINCT FROM destination OR origin IS DISTINCT FROM copy OR arrives IS DISTINCT FROM departs + lasts OR hour IS DISTINCT FROM extract(hour FROM departs)
	OR day IS DISTINCT FROM departs::date OR total IS DISTINCT FROM fare + tax OR amount IS DISTINCT FROM fare * quantity OR paid IS DISTINCT FROM coalesce(fare, 0) + coalesce(promo, 0)),
	count(*) FILTER (WHERE quantity % 1 <> 0 OR fare % 1 <> 0 OR seats % 5 <> 0) FROM dp_sample(NULL::flight, :r, 1000, 1);
-- rates, other units, years between dates, the larger of two, and booleans of booleans; an infinity takes no other with it
CREATE TABLE bill (id serial PRIMARY KEY, net numeric(12,2) NOT NULL, rate numeric(4,2) NOT NULL, gross numeric(12,2) NOT NULL, off int NOT NULL, paid numeric(12,2) NOT NULL, quantity int NOT NULL,
	each numeric(12,2) NOT NULL, kg numeric(8,3) NOT NULL, lb numeric(8,2), "lb f" float8, celsius numeric(5,1), fahrenheit int, born date NOT NULL, billed date NOT NULL, age int NOT NULL, year int NOT NULL, left_over int,
	a int, b int, most int, least int, ok boolean, rain boolean, wet boolean, dry boolean, ends timestamp, begins timestamp, later timestamp);
INSERT INTO bill (net, rate, gross, off, paid, quantity, each, kg, lb, "lb f", celsius, fahrenheit, born, billed, age, year, left_over, a, b, most, least, ok, rain, wet, dry, ends, begins, later)
SELECT n, r, round(n * (1 + r), 2), o, round(n * (1 - o / 100.0), 2), q, round(n / q, 2), w, round(w * 2.2046226, 2), w::float8 * 2.2046226, c, round(c * 1.8 + 32), d, e, extract(year FROM age(e, d)), y, 2024 - y, a, b, greatest(a, b), least(a, b), f, g, f AND g, f <> g,
	   s, t, greatest(s, t)
  FROM (SELECT i * 7919 % 99991 / 100.0 n, (ARRAY[0, .07, .19])[1 + i % 3] r, i * 31 % 60 o, 1 + i * 17 % 9 q, i * 104729 % 29989 / 1000.0 w, i * 613 % 557 / 10.0 - 20 c, date '1930-01-01' + i * 7919 % 25000 d, date '2023-01-01' + i * 31 % 700 e,
		  1930 + i * 37 % 81 y, i * 7 % 401 a, i * 13 % 397 b, i % 5 > 1 f, i % 7 > 2 g, CASE WHEN i % 10 = 0 THEN 'infinity' ELSE timestamp '2024-01-01' + i * 7 % 1009 * interval '1 hour' END s, timestamp '2024-01-01' + i * 11 % 997 * interval '1 hour' t
		  FROM generate_series(1, 3000) i) x;
SELECT dp_protect('bill', 1000, 1e-5);
SELECT pg_temp.suggest('bill');
SELECT regexp_replace(call, '^SELECT dp_define_column(.*); --.*$', '\1') FROM calls WHERE call LIKE '%computed%';
SELECT pg_temp.run_calls();
SELECT dp_release('bill', 'mst', 10, 1e-9) AS r \gset
SELECT count(*), count(*) FILTER (WHERE gross IS DISTINCT FROM round(net * (1 + rate), 2) OR paid IS DISTINCT FROM round(net * (1 - off / 100.0), 2) OR each IS DISTINCT FROM round(net / quantity, 2)
	OR abs(lb - kg * 2.2046226) > .00501 OR abs("lb f" - kg * 2.2046226) > 1e-6 OR fahrenheit IS DISTINCT FROM round(celsius * 1.8 + 32) OR age IS DISTINCT FROM extract(year FROM age(billed, born)) OR year + left_over IS DISTINCT FROM 2024
	OR most IS DISTINCT FROM greatest(a, b) OR least IS DISTINCT FROM least(a, b) OR wet IS DISTINCT FROM (ok AND rain) OR dry IS DISTINCT FROM (ok <> rain)) FROM dp_sample(NULL::bill, :r, 1000, 1);
-- what one other column decides: by its list, by where it lies; a mean, a sum of columns side by side, shares that sum to 100, and the calendar
CREATE TABLE survey (country text NOT NULL, continent text NOT NULL, is_alive boolean NOT NULL, died_of text, age int NOT NULL, ages text NOT NULL, seen date NOT NULL, season text, jan int NOT NULL, feb int NOT NULL, mar int NOT NULL, apr int NOT NULL, year int NOT NULL,
	reading float8 NOT NULL, writing float8 NOT NULL, score float8 NOT NULL, yes numeric(4,1) NOT NULL, no numeric(4,1) NOT NULL, unsure numeric(4,1) NOT NULL, x int, y int, z int, month date NOT NULL, monday date NOT NULL, same int NOT NULL, part float8 NOT NULL);
INSERT INTO survey SELECT 'c' || c, CASE WHEN c % 4 = 0 THEN 'It''s' WHEN c < 20 THEN 'B' ELSE 'A' END, i % 3 > 0, CASE WHEN i % 3 = 0 THEN (ARRAY['heart', 'other', 'cancer'])[1 + i / 3 % 3] END,
	a, CASE WHEN a < 18 THEN 'child' WHEN a < 65 THEN 'adult' ELSE 'old' END, d, CASE WHEN d < '2021-06-01' THEN 'first' ELSE 'second' END, i % 31, i % 37, i % 41, i % 43, i % 31 + i % 37 + i % 41 + i % 43,
	r::real, w::real, ((r::float8 + w) / 2)::real, i % 40, i % 53, 100 - i % 40 - i % 53, NULLIF(i % 13, 0), NULLIF(i % 13, 0) * 2, NULLIF(i % 13, 0) * i, date '2015-01-01' + i % 70 * interval '1 month', date '2020-01-06' + i % 70 * 7, 5, i % 89 / 3.0
  FROM (SELECT i, i * 31 % 47 AS c, i * 17 % 90 AS a, date '2020-01-01' + i * 7 % 701 AS d, (i % 97 / 7.0)::real AS r, (i % 101 / 3.0)::real AS w FROM generate_series(1, 3000) i) s;
SELECT dp_protect('survey', 1000, 1e-5);
SELECT pg_temp.suggest('survey');
SELECT left(regexp_replace(call, '^SELECT dp_define_column(.*); --.*$', '\1'), 200) FROM calls WHERE call LIKE '%computed%';
SELECT call FROM calls WHERE call ~ '^-- .* is (always|never|NULL|decided)';
SELECT pg_temp.run_calls();
ALTER TABLE survey ADD CHECK (extract(day from month) = 1), ADD CHECK (extract(isodow from monday) = 1);
SELECT dp_release('survey', 'mst', 10, 1e-9) AS r \gset
SELECT count(*) > 900, count(*) FILTER (WHERE year <> jan + feb + mar + apr OR yes + no + unsure <> 100 OR abs(score - (reading + writing) / 2) > 1e-6 OR extract(day from month) <> 1 OR extract(isodow from monday) <> 1
	OR is_alive <> (died_of IS NULL) OR ages <> CASE WHEN age < 18 THEN 'child' WHEN age < 65 THEN 'adult' ELSE 'old' END OR (season = 'first') <> (seen < '2021-06-01')
	OR NOT EXISTS (SELECT FROM survey o WHERE o.country = s.country AND o.continent = s.continent)) FROM dp_sample(NULL::survey, :r, 1000, 1) s;
-- the schema alone says nothing of it, and few rows say nothing
SELECT count(*) FROM dp_suggest_columns('flight', from_data => false) s WHERE s LIKE '%computed =>%';
CREATE TABLE few (a int, b int, c int);
INSERT INTO few SELECT i, i, i FROM generate_series(1, 15) i;
SELECT dp_protect('few', 10);
SELECT count(*) FROM dp_suggest_columns('few') s WHERE s LIKE '%computed%' OR s LIKE '%never%';
-- the day of a time, and the time of the day, before what is merely equal
CREATE TABLE visit (id serial PRIMARY KEY, start_date date NOT NULL, start_datetime timestamp, end_date date, end_datetime timestamptz, local_date date, at time, other date);
INSERT INTO visit (start_date, start_datetime, end_date, end_datetime, local_date, at, other) SELECT t::date, t, (z AT TIME ZONE 'UTC')::date, z, z::date, t::time, t::date
  FROM (SELECT timestamp '2020-01-01' + i * interval '31 hours 7 minutes' AS t, timestamptz '2021-01-01 00:00+00' + i * interval '17 hours' AS z FROM generate_series(1, 400) i) v;
SELECT dp_protect('visit', 100000, 0.1);
SELECT pg_temp.suggest('visit');
SELECT replace(call, current_setting('TimeZone'), 'that of the session') FROM calls WHERE call LIKE '%computed%';
SELECT pg_temp.run_calls();
SELECT count(*) > 300, bool_and(start_date = start_datetime::date AND end_date = (end_datetime AT TIME ZONE 'UTC')::date AND local_date = end_datetime::date AND at = start_datetime::time AND other = start_date)
  FROM dp_synthesize_mst(NULL::visit, 1000, 1e-9);
-- NaN and infinities are no reason to find nothing, or to fail
CREATE TABLE probe (m float8, "not" float8, far numeric, kg numeric(8,3), lb float8);
INSERT INTO probe SELECT i * 1.5, CASE WHEN i % 50 = 0 THEN 'NaN' ELSE i * 3.1 END, CASE i % 70 WHEN 0 THEN 'Infinity'::numeric WHEN 1 THEN 'NaN' ELSE i * i END,
	   i * 104729 % 29989 / 1000.0, CASE WHEN i % 40 = 0 THEN 'NaN' ELSE (i * 104729 % 29989 / 1000.0)::float8 * 2.2046226 END FROM generate_series(1, 600) i;
SELECT dp_protect('probe', 10);
SELECT count(*) > 4, count(*) FILTER (WHERE s LIKE '%computed%') FROM dp_suggest_columns('probe') s;
UPDATE probe SET kg = 'NaN' WHERE lb = 'NaN';
SELECT regexp_replace(s, '^SELECT public.dp_define_column(.*); --.*$', '\1') FROM dp_suggest_columns('probe') s WHERE s LIKE '%computed%';
-- codes of many names, flags that say whether another column is known, and steps of a type that has none
CREATE TABLE coded (name text NOT NULL, code int NOT NULL, followed boolean NOT NULL, seen smallint NOT NULL, later numeric, pay numeric, share float8, weight float8);
INSERT INTO coded SELECT 'name ' || i % 150, 1000 + i % 150 * 7, i % 3 > 0, (i % 4 = 0)::int, CASE WHEN i % 3 > 0 THEN i % 977 / 8.0 END, i % 811 * 100, i % 700 / 4.0 + CASE WHEN i % 100 = 0 THEN 'NaN' ELSE float8 '0' END, CASE WHEN i % 4 > 0 THEN i * 1.00001 END
  FROM generate_series(1, 3000) i;
SELECT dp_protect('coded', 1000, 1e-5);
TRUNCATE calls;
INSERT INTO calls SELECT replace(s, 'public.', '') FROM dp_suggest_columns('coded') s;
SELECT left(regexp_replace(call, '^SELECT dp_define_column(.*); --.*$', '\1'), 120) FROM calls WHERE call LIKE 'SELECT%';
DO $$ DECLARE call text; BEGIN FOR call IN SELECT c.call FROM calls c LOOP EXECUTE call; END LOOP; END $$;
SELECT count(*) > 900, bool_and(EXISTS (SELECT FROM coded o WHERE o.name = s.name AND o.code = s.code) AND followed = (later IS NOT NULL) AND (seen = 1) = (weight IS NULL) AND pay % 100 = 0)
  FROM dp_synthesize_mst(NULL::coded, 10, 1e-9, rows => 1000) s;
-- codes of which two columns are the first and the last digits, the first digits of another, and a square
CREATE TABLE county (id int NOT NULL, state int NOT NULL, county int NOT NULL, zip int NOT NULL, area smallint NOT NULL, years int NOT NULL, squared int NOT NULL, tenth float8 NOT NULL, of_tenth float8 NOT NULL);
INSERT INTO county SELECT s * 1000 + c, s, c, z, z / 1000, y, y * y, y / 10.0, (y / 10.0) ^ 2 FROM (SELECT 1 + i * 7 % 50 AS s, 1 + i * 13 % 211 AS c, 10000 + i * 77 % 80000 AS z, i * 3 % 47 AS y FROM generate_series(1, 2000) i) x;
SELECT dp_protect('county', 1000, 1e-5);
SELECT regexp_replace(s, '^SELECT public.dp_define_column(.*); --.*$', '\1') FROM dp_suggest_columns('county') s WHERE s LIKE '%computed%';
-- logarithms, a flag times another, differences of whole numbers, and orders among more than twenty numbers
CREATE TABLE workers (age int NOT NULL, school int NOT NULL, work int NOT NULL, born int NOT NULL, town smallint NOT NULL, town_school int NOT NULL, first_job int, pay float8, log_pay float8,
	f1 int, f2 int, f3 int, f4 int, f5 int, f6 int, f7 int, f8 int, f9 int, f10 int, f11 int, f12 int, f13 int, f14 int);
INSERT INTO workers SELECT a, s, greatest(a - s - 6, 0), 1991 - a, t, t * s, CASE WHEN i % 3 > 0 THEN a - i % 7 END, p, CASE WHEN p > 0 THEN ln(p) END,
	i * 7919 % 11 % 2, i * 7919 % 13 % 2, i * 7919 % 17 % 2, i * 7919 % 19 % 2, i * 7919 % 23 % 2, i * 7919 % 29 % 2, i * 7919 % 31 % 2, i * 7919 % 37 % 2, i * 7919 % 41 % 2, i * 7919 % 43 % 2, i * 7919 % 47 % 2, i * 7919 % 53 % 2, i * 7919 % 59 % 2, i * 7919 % 61 % 2
  FROM (SELECT i, 18 + i * 7 % 31 AS a, i * 13 % 19 AS s, i / 2 % 2 AS t, i * 104729 % 2003 / 7.0 AS p FROM generate_series(1, 3000) i) x;
SELECT dp_protect('workers', 1000, 1e-5);
SELECT regexp_replace(s, '^SELECT public.dp_define_column(.*); --.*$', '\1') FROM dp_suggest_columns('workers') s WHERE s LIKE '%computed%' OR s LIKE '%ADD CHECK%';
-- an equation is one that a CHECK can compute in the types of its columns, whatever these are called
CREATE TABLE odd ("a - b" int NOT NULL, "c + d" int NOT NULL, "%s" int NOT NULL, s1 smallint NOT NULL, s2 smallint NOT NULL, s3 smallint NOT NULL);
INSERT INTO odd SELECT a, c, greatest(a - c - 6, 0), 30000 + i * 7 % 200, 30000 + i * 11 % 30, i * 7 % 200 + i * 11 % 30 FROM (SELECT i, 18 + i * 7 % 31 AS a, i * 13 % 19 AS c FROM generate_series(1, 3000) i) x;
SELECT dp_protect('odd', 1000, 1e-5);
SELECT s FROM dp_suggest_columns('odd') s WHERE s ~ ' in all rows; ALTER';
ALTER TABLE odd ADD CHECK ("%s" = greatest("a - b" - "c + d" - 6, 0)), ADD CHECK (s2 = s3 - s1 + 60000);
-- values that are beyond what other types hold
CREATE TABLE beyond (born date, died date, seen timestamp, most numeric, few numeric);
INSERT INTO beyond SELECT CASE i % 50 WHEN 0 THEN 'infinity' WHEN 1 THEN '4713-01-01 BC' WHEN 2 THEN '5874897-12-31' ELSE date '2020-01-01' + i % 300 END, date '2020-01-01' + i % 300 + i % 11,
	timestamp '2020-01-01' + i % 9 * interval '1 day', CASE i % 40 WHEN 0 THEN 'NaN' WHEN 1 THEN 10::numeric ^ 1000 WHEN 2 THEN 10::numeric ^ (-900) ELSE i::numeric END, -i FROM generate_series(1, 3000) i;
SELECT dp_protect('beyond', 1000, 1e-5);
SELECT regexp_replace(s, '; *--.*', '') FROM dp_suggest_columns('beyond') s;
DROP SCHEMA t_between CASCADE;
