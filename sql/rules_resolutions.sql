-- CHECKs that say of which step values are multiples, and those that call functions of PostgreSQL's in SQL
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t_resolutions;
SET search_path = t_resolutions, public;
SET client_min_messages = error;
CREATE DOMAIN whole AS numeric CHECK (value = trunc(value));
CREATE TABLE stepped (p numeric NOT NULL CHECK (p BETWEEN 0 AND 100 AND p = round(p)), q numeric(10,4) NOT NULL CHECK (q BETWEEN 0 AND 10 AND round(q, 2) = q),
	i int CHECK (i BETWEEN 0 AND 1000000 AND i % 500 = 0), f float8 CHECK (f BETWEEN 0 AND 1e6 AND f = floor(f)), m numeric CHECK (mod(m, 0.25) = 0),
	t timestamp CHECK (t BETWEEN '2020-01-01' AND '2021-01-01' AND t = date_trunc('hour', t)), w whole NOT NULL, both_are int CHECK (both_are % 2 = 0) CHECK (both_are % 6 = 0),
	one_is int CHECK (one_is % 7 = 0 OR one_is = 1), finer numeric(8,2) CHECK (finer = round(finer, 4)), month date CHECK (month = date_trunc('month', month)),
	none int CHECK (none % 5 = 1), zero int CHECK (zero IS NULL OR zero % 0 = 0), reversed int CHECK (0 = reversed % -4), digits numeric CHECK (digits = round(digits, 2000)), least numeric CHECK (least = round(least, -2147483648)));
INSERT INTO stepped SELECT i % 101, i % 100 / 10.0, i * 500, i, i % 9 * 0.25, timestamp '2020-01-01' + i * interval '1 h', i, i * 6, i % 20 * 7, i, date '2020-01-01' + i % 20 * interval '1 month',
	i * 5 + 1, NULL, i * 4, i FROM generate_series(1, 2000) i;
SELECT dp_protect('stepped', 1000, 1e-3);
SELECT column_name, labels, resolution FROM dp_columns WHERE relation = 'stepped'::regclass ORDER BY ordinal;

-- round(numeric), date_part of a date, a whole number before a date, and lpad without a filling
CREATE TABLE called (d date NOT NULL CHECK (d BETWEEN '2020-01-01' AND '2021-12-31'), m int NOT NULL, quarter int NOT NULL, n int NOT NULL CHECK (n BETWEEN 0 AND 9), later date NOT NULL,
	at timestamp NOT NULL, code text NOT NULL, price numeric(8,3) NOT NULL CHECK (price BETWEEN 1 AND 10), whole numeric NOT NULL,
	CHECK (m = date_part('month', d)), CHECK (quarter = (m + 2) / 3), CHECK (later = n + d), CHECK (at = interval '2 h' + later), CHECK (code = lpad(n::text, 4)), CHECK (whole = round(price)));
INSERT INTO called SELECT d, extract(month FROM d), extract(quarter FROM d), n, d + n, d + n + interval '2 h', lpad(n::text, 4), p, round(p)
  FROM (SELECT date '2020-01-01' + i % 700 AS d, i % 10 AS n, 1 + i % 80 / 10.0 AS p FROM generate_series(1, 2000) i) x;
SELECT dp_protect('called', 1000, 1e-3);
SELECT method, count(*) FROM unnest('{mst,sbhg,privbayes,flat}'::text[]) method, LATERAL dp_release('called', method, 5, CASE WHEN method IN ('mst', 'sbhg') THEN 1e-9 ELSE 0 END) r, LATERAL dp_sample(NULL::called, r, 500, 1) s
 WHERE s.m = date_part('month', d) AND quarter = (s.m + 2) / 3 AND later = n + d AND at = interval '2 h' + later AND code = lpad(n::text, 4) AND whole = round(price) GROUP BY method ORDER BY method;

-- generated columns in an equation, a text beside a number, and char(n) of two lengths
CREATE TABLE made (a int NOT NULL CHECK (a BETWEEN 0 AND 9), b int NOT NULL GENERATED ALWAYS AS (a * 2) STORED, c int NOT NULL CHECK (c = b + 1), d int NOT NULL CHECK (d = a + b + c),
	label text GENERATED ALWAYS AS ('x' || c) STORED, marked text NOT NULL, code text NOT NULL CHECK (code = 'INV-' || a), CHECK (marked = label || '!'),
	short char(4) NOT NULL CHECK (short IN ('ab', 'cd')), long char(6) NOT NULL, CHECK (short::text = long::text));
INSERT INTO made (a, c, d, marked, code, short, long) SELECT a, a * 2 + 1, a * 5 + 1, 'x' || a * 2 + 1 || '!', 'INV-' || a, x, x FROM (SELECT i % 10 AS a, (ARRAY['ab', 'cd'])[1 + i % 2] AS x FROM generate_series(1, 500) i) s;
SELECT dp_protect('made', 1000, 1e-3);
SELECT method, count(*), count(DISTINCT marked) FROM unnest('{mst,sbhg,privbayes,flat}'::text[]) method, LATERAL dp_release('made', method, 50, CASE WHEN method IN ('mst', 'sbhg') THEN 1e-9 ELSE 0 END) r, LATERAL dp_sample(NULL::made, r, 500, 1)
 WHERE c = b + 1 AND d = a + b + c AND marked = 'x' || c || '!' AND label = 'x' || c AND code = 'INV-' || a AND short = long GROUP BY method ORDER BY method;
DROP SCHEMA t_resolutions CASCADE;
