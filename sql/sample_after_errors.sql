-- an error in one row, while many are made together, leaves nothing behind: what is drawn next is right
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t_after;
SET search_path = t_after, public;
SET client_min_messages = error;

-- ---- rows of a tree: the second part looks at the first block, in which a row fails
-- 1500 people, each with a stay or two, so that rows of the second part have numbers of four digits
CREATE TABLE people (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('f', 'm')));
CREATE TABLE stays (person int NOT NULL REFERENCES people, number text NOT NULL, began date NOT NULL CHECK (began BETWEEN '2024-01-01' AND '2024-12-31'),
	nights int NOT NULL CHECK (nights BETWEEN 0 AND 49));
INSERT INTO people SELECT i, CASE WHEN i % 2 = 0 THEN 'f' ELSE 'm' END FROM generate_series(1, 1500) i;
INSERT INTO stays SELECT i, i, date '2024-01-01' + (i + 90 * j) % 366, (i + j) % 50 FROM generate_series(1, 1500) i, generate_series(0, i % 2) j;
SELECT dp_protect('people', 1000000, 0.5, unit_column => 'id'), dp_protect('stays', parent => 'people', max_rows_per_unit => 2, order_column => 'began');
SELECT dp_define_column('stays', 'number', fill => '{n}-01-01'), dp_define_column('stays', 'nights', bins => '{0,25,50}'),
	dp_define_column('stays', 'began', bins => '{2024-01-01,2024-05-01,2024-09-01,2025-01-01}');
SELECT dp_release('{people,stays}', 'mst', 10000, 1e-6) AS t \gset
CREATE SCHEMA drawn;
-- a date is not of year 13; rules of filled columns let the second part look at the first block
CREATE TABLE drawn.stays (person int, number date, began date, nights int, share int GENERATED ALWAYS AS (100 / (nights - 7)) STORED,
	late boolean GENERATED ALWAYS AS (number > '1100-01-01') STORED, CHECK (60 / (nights - 20) < 100));
\set VERBOSITY terse
SELECT count(*) FROM dp_sample(NULL::drawn.stays, :t, seed => 1);
-- all rows of a table below the root are drawn before the first is returned, but for those of rows or a part
SELECT nights FROM dp_sample(NULL::drawn.stays, :t, seed => 1) LIMIT 1;
\set VERBOSITY default
SELECT count(*) FROM (SELECT nights FROM dp_sample(NULL::drawn.stays, :t, rows => 1, seed => 1) LIMIT 1) s;
-- what was chosen for the row that failed is not that of others, and expressions that fail later are still caught
SELECT count(*) > 400, count(DISTINCT began) > 200, min(number) > '1000-01-01', count(*) FILTER (WHERE nights IN (7, 20)),
	count(*) FILTER (WHERE share <> 100 / (nights - 7)), count(DISTINCT nights) > 40 FROM dp_sample(NULL::drawn.stays, :t, seed => 1, part => 2, parts => 2);
-- they are those of the same rows without the column that fails
CREATE SCHEMA plain;
CREATE TABLE plain.stays (LIKE drawn.stays INCLUDING ALL);
ALTER TABLE plain.stays DROP late, ALTER number TYPE text;
SELECT md5(string_agg((person, began)::text, ',')) FROM dp_sample(NULL::plain.stays, :t, seed => 1, part => 2, parts => 2) \gset plain_
SELECT md5(string_agg((person, began)::text, ',')) = :'plain_md5' FROM dp_sample(NULL::drawn.stays, :t, seed => 1, part => 2, parts => 2);

-- ---- rows of one table, made by parallel workers or asked for by LIMIT: some cannot be read as a date, and
-- an expression fails in others
CREATE TABLE wide (number text NOT NULL, n int NOT NULL CHECK (n BETWEEN 0 AND 999), k int NOT NULL CHECK (k IN (0, 1)),
	c01 bool NOT NULL, c02 bool NOT NULL, c03 bool NOT NULL, c04 bool NOT NULL, c05 bool NOT NULL, c06 bool NOT NULL,
	c07 bool NOT NULL, c08 bool NOT NULL, c09 bool NOT NULL, c10 bool NOT NULL, c11 bool NOT NULL, c12 bool NOT NULL,
	c13 bool NOT NULL, c14 bool NOT NULL, c15 bool NOT NULL, c16 bool NOT NULL);
INSERT INTO wide SELECT i, i % 1000, CASE WHEN i % 400 = 0 THEN 0 ELSE 1 END, i % 3 = 0, i % 5 = 0, i % 7 = 0, i % 2 = 0, i % 3 = 1, i % 5 = 1, i % 7 = 1,
	i % 2 = 1, i % 3 = 0, i % 5 = 0, i % 7 = 0, i % 2 = 0, i % 3 = 1, i % 5 = 1, i % 7 = 1, i % 2 = 1 FROM generate_series(1, 6000) i;
SELECT dp_protect('wide', 1000000, 0.5), dp_define_column('wide', 'n', bins => '{0,1000}'), dp_define_column('wide', 'number', fill => '{n}-01-01');
SELECT dp_release('wide', 'sbhg', 1000, 1e-6) AS r \gset
CREATE TABLE kept (LIKE wide);
ALTER TABLE kept ADD CHECK (1 / (n - 500) < 2);
CREATE TABLE hardly (LIKE kept INCLUDING ALL);
ALTER TABLE hardly ALTER number TYPE date USING NULL;
CREATE FUNCTION told(source text, rows text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE told text;
BEGIN
	EXECUTE format('SELECT md5(string_agg(s::text, '','')) || count(*) FROM (SELECT * FROM %s LIMIT %s) s', source, rows) INTO told;
	RETURN told;
EXCEPTION WHEN datetime_field_overflow THEN
	RETURN SQLERRM;
END $$;
SELECT format('dp_sample(NULL::kept, %s, 330000, 1)', :r) AS kept, format('dp_sample(NULL::hardly, %s, 330000, 1)', :r) AS hardly \gset
SET dpsyn.max_parallel_workers = 0;
SELECT told(:'kept', '330000') AS kept_all, told(:'kept', '100') AS kept_some \gset
SET dpsyn.max_parallel_workers = 2;
SELECT told(:'hardly', '330000'), told(:'kept', '330000') = :'kept_all' AS "all", told(:'kept', '100') = :'kept_some' AS some;
SELECT told(:'hardly', '2000'), told(:'kept', '330000') = :'kept_all' AS "all", told(:'kept', '100') = :'kept_some' AS some;
\set VERBOSITY terse
SELECT count(*) FROM ROWS FROM (dp_sample(NULL::hardly, :r, 330000, 1)) WITH ORDINALITY;
\set VERBOSITY default
SELECT told(:'kept', '330000') = :'kept_all' AS "all", told(format('ROWS FROM (%s)', :'kept'), '330000') = :'kept_all' AS "from", told(:'kept', '100') = :'kept_some' AS some;
-- the session is in no transaction, and writes
INSERT INTO kept SELECT * FROM wide LIMIT 1;
SELECT count(*), pg_current_xact_id_if_assigned() IS NULL AS none FROM kept;
RESET dpsyn.max_parallel_workers;
DROP SCHEMA t_after CASCADE;
