-- dp_suggest_columns reads a large relation once, and keeps some of its rows: the ends of columns are those of all rows, what is said to
-- hold in all rows does, and a relation that has no more rows is read as it is.
\set VERBOSITY terse
SET client_min_messages = error;
CREATE SCHEMA suggest_sample;
SET search_path = suggest_sample, public;
CREATE TABLE many (city text, amount int, price numeric(10,2), day date, twice int, nearly int, name text, seen timestamp, share float8);
INSERT INTO many SELECT 'city' || i % 30, 500 + i * 7919 % 1000, 10 * (i % 50), date '2020-03-01' + i % 300, 2 * (500 + i * 7919 % 1000), 500 + i * 7919 % 1000,
	'name ' || md5(i::text), timestamp '2021-01-01' + i % 90000 * interval '1 minute', (i % 1000) / 1000.0
  FROM generate_series(1, 59995) i;
-- one row each that a sample would miss
INSERT INTO many VALUES ('city1', -3, 70, '2020-04-01', -6, -3, 'a', '2021-02-01', .5), ('city1', 5000, 70, '2020-04-01', 10000, 5000, 'b', '2021-02-01', .5),
	('city1', 700, 20, '1999-05-05', 1400, 701, 'c', '2021-02-01', 'NaN'), ('city1', 700, 20, 'infinity', 1400, 700, 'd', '2023-02-01', 7),
	('city1', 700, 20, NULL, 1400, 700, 'd', 'infinity', 1e30);
SELECT dp_protect('many', 10);
SELECT regexp_replace(s, 'suggest_sample.|public.', '', 'g') FROM dp_suggest_columns('many') s;
-- 20,000 rows are read as they are
DELETE FROM many WHERE amount BETWEEN 600 AND 1499 OR twice % 14 = 0;
SELECT count(*) <= 20000 AS few FROM many;
SELECT count(*) FILTER (WHERE s ~ 'sample, of about'), count(*) FROM dp_suggest_columns('many') s;
-- what was taken is given up, and only who may read the relation reads it
SELECT * FROM dp_catalog.dp_rows_taken('many');
CREATE ROLE taker;
GRANT USAGE ON SCHEMA suggest_sample TO taker;
BEGIN;
SELECT dp_catalog.dp_take_rows('many', 3);
SELECT source, scale > 100 AS scaled FROM dp_catalog.dp_rows_taken('many');
SELECT n FROM dp_catalog.dp_read_as_owner('many', 'SELECT count(*) BETWEEN 3 AND 20 FROM dp_sampled_rows') r(n bool);
-- what a statement reads is not given up under it
SAVEPOINT a;
SELECT * FROM dp_catalog.dp_read_as_owner('many', 'SELECT dp_catalog.dp_take_rows(''suggest_sample.many'', 5)::text FROM dp_sampled_rows') r(x text);
ROLLBACK TO a;
SELECT n FROM dp_catalog.dp_read_as_owner('many', 'SELECT count(*) BETWEEN 3 AND 20 FROM dp_sampled_rows') r(n bool);
-- values of two types are in no order, and nobody's order of a type of his own is asked for
SELECT dp_catalog.dp_decides('many', 'city', 'amount', 'after'), dp_catalog.dp_decides('many', 'amount', 'city', 'after');
CREATE DOMAIN level AS int;
CREATE TYPE tone AS ENUM ('low', 'high');
CREATE TABLE sounds AS SELECT i::level AS level, i AS plain, (CASE WHEN i <= 50 THEN 'low' ELSE 'high' END)::tone AS tone FROM generate_series(1, 100) i;
SELECT dp_catalog.dp_decides('sounds', 'level', 'tone', 'order') AS domain, dp_catalog.dp_decides('sounds', 'level', 'plain', 'after') AS both,
	   dp_catalog.dp_decides('sounds', 'tone', 'tone', 'order') AS own;
SELECT dp_catalog.dp_take_rows('many', 3);
CREATE TABLE dp_sampled_rows (x int);
SELECT n FROM dp_catalog.dp_read_as_owner('dp_sampled_rows', 'SELECT count(*) FROM suggest_sample.dp_sampled_rows') r(n bigint);
SAVEPOINT a;
SET LOCAL ROLE taker;
SELECT n FROM dp_catalog.dp_read_as_owner('many', 'SELECT count(*) FROM dp_sampled_rows') r(n bigint);
ROLLBACK TO a;
SET LOCAL ROLE taker;
SELECT * FROM dp_catalog.dp_rows_taken('many');
SELECT dp_catalog.dp_take_rows('many', 3);
ROLLBACK;
SELECT * FROM dp_catalog.dp_rows_taken('many');
-- each of the rows kept, and each at an end, stands for as many of all; of rows that take too much memory fewer are kept
BEGIN;
CREATE VIEW long AS SELECT i, repeat('x', 1000000) AS t FROM generate_series(1, 600) i;
SELECT dp_catalog.dp_take_rows('long', 500);
SELECT n BETWEEN 120 AND 270 AS fewer, ends, round(n * scale) AS rows
  FROM dp_catalog.dp_read_as_owner('long', 'SELECT count(*), min(i) = 1 AND max(i) = 600 FROM dp_sampled_rows') r(n bigint, ends bool), dp_catalog.dp_rows_taken('long');
ROLLBACK;
SELECT dp_unprotect('many');
DROP SCHEMA suggest_sample CASCADE;
DROP ROLE taker;
