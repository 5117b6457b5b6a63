-- expressions that fail in some rows: the rows are the same in whatever way they are drawn, and the
-- session goes on
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t_fail;
SET search_path = t_fail, public;
SET client_min_messages = error;
CREATE TABLE wide (a int NOT NULL CHECK (a IN (0, 1, 2, 3)), b int NOT NULL CHECK (b BETWEEN -1000 AND 1000),
	c01 bool NOT NULL, c02 bool NOT NULL, c03 bool NOT NULL, c04 bool NOT NULL, c05 bool NOT NULL, c06 bool NOT NULL,
	c07 bool NOT NULL, c08 bool NOT NULL, c09 bool NOT NULL, c10 bool NOT NULL, c11 bool NOT NULL, c12 bool NOT NULL,
	c13 bool NOT NULL, c14 bool NOT NULL, c15 bool NOT NULL, c16 bool NOT NULL,
	part int GENERATED ALWAYS AS (1000 / b) STORED,
	CHECK (100 / b < 60 OR b > 0), CHECK (a + b * 1000000 < 2147000000));
INSERT INTO wide SELECT i % 4, CASE WHEN i % 4 = 0 THEN i % 7 - 3 ELSE i % 900 - 450 END, i % 3 = 0, i % 5 = 0, i % 7 = 0, i % 2 = 0, i % 3 = 1, i % 5 = 1, i % 7 = 1, i % 2 = 1,
	i % 3 = 0, i % 5 = 0, i % 7 = 0, i % 2 = 0, i % 3 = 1, i % 5 = 1, i % 7 = 1, i % 2 = 1 FROM generate_series(1, 5000) i WHERE CASE WHEN i % 4 = 0 THEN i % 7 - 3 ELSE i % 900 - 450 END <> 0;
SELECT dp_protect('wide', 1000000, 0.5);
SELECT dp_define_column('wide', 'b', bins => '{-1000,-3,3,1000}');
SELECT dp_release('wide', 'mst', 1000, 1e-6) AS m \gset
SELECT dp_release('wide', 'sbhg', 1000, 1e-6) AS r \gset
CREATE FUNCTION told(rows text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE told text;
BEGIN
	EXECUTE format('SELECT md5(string_agg((a, b, c07, part)::text, '','')) || count(*) FROM %s', replace(rows, 'RELEASE', (SELECT max(release) FROM dp_releases)::text)) INTO told;
	RETURN told;
END $$;
SELECT told('dp_sample(NULL::wide, RELEASE, 20000, 1)') AS rows \gset
SELECT told('(SELECT (dp_sample(NULL::wide, RELEASE, 20000, 1)).*) s') = :'rows' AS each,
	   told('ROWS FROM (dp_sample(NULL::wide, RELEASE, 20000, 1)) WITH ORDINALITY') = :'rows' AS stored,
	   told('generate_series(1, 2) p, LATERAL dp_sample(NULL::wide, RELEASE, 20000, 1, part => p, parts => 2)') = :'rows' AS parts;
-- rows that fail are among those that were drawn, and none is left
SELECT count(*) > 1000, count(*) FILTER (WHERE b = 0), count(*) FILTER (WHERE part <> 1000 / b) FROM dp_sample(NULL::wide, :r, 20000, 1) WHERE b BETWEEN -3 AND 3;
-- one block after the other, with or without workers, which end where an expression fails
SET dpsyn.max_parallel_workers = 0;
SELECT told('ROWS FROM (dp_sample(NULL::wide, RELEASE, 330000, 1)) WITH ORDINALITY') AS alone \gset
SET dpsyn.max_parallel_workers = 2;
SELECT told('ROWS FROM (dp_sample(NULL::wide, RELEASE, 330000, 1)) WITH ORDINALITY') = :'alone';
RESET dpsyn.max_parallel_workers;
-- in a subtransaction, and after it was rolled back; a cursor is read on
CREATE TABLE kept (n int);
DO $$
BEGIN
	INSERT INTO kept VALUES (1);
	BEGIN
		PERFORM count(*) FROM dp_sample(NULL::wide, (SELECT max(release) FROM dp_releases ), 2000, 1);
		INSERT INTO kept VALUES (2);
		RAISE division_by_zero;
	EXCEPTION WHEN division_by_zero THEN
		INSERT INTO kept VALUES (3);
	END;
END $$;
BEGIN;
DECLARE c CURSOR FOR SELECT s FROM dp_sample(NULL::wide, :r, 20000, 1) s;
MOVE 5000 FROM c;
SAVEPOINT here;
MOVE 5000 FROM c;
SELECT 1 / 0;
ROLLBACK TO here;
MOVE 100 FROM c;
INSERT INTO kept VALUES (4);
COMMIT;
SELECT array_agg(n ORDER BY n) FROM kept;
-- a row that is completed, and rows of a tree
SELECT count(*), count(*) FILTER (WHERE (d).part <> 1000 / (d).b) FROM (SELECT dp_impute(ROW(NULL, NULL, i % 2 = 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::wide, :m, 1) AS d FROM generate_series(1, 50) i) x;
CREATE TABLE people (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('f', 'm')));
CREATE TABLE stays (person int NOT NULL REFERENCES people, nights int NOT NULL CHECK (nights BETWEEN 0 AND 9), share int GENERATED ALWAYS AS (100 / nights) STORED, CHECK (60 / (nights - 5) < 100));
INSERT INTO people SELECT i, CASE WHEN i % 2 = 0 THEN 'f' ELSE 'm' END FROM generate_series(1, 1000) i;
INSERT INTO stays SELECT i % 1000 + 1, (ARRAY[1, 2, 3, 4, 6, 7, 8, 9])[1 + i % 8] FROM generate_series(1, 3000) i;
SELECT dp_protect('people', 1000000, 0.5, unit_column => 'id'), dp_protect('stays', parent => 'people', max_rows_per_unit => 3);
SELECT dp_define_column('stays', 'nights', bins => '{0,5,9}');
SELECT dp_release('{people,stays}', 'mst', 1000, 1e-6) AS t \gset
SELECT count(*) > 1000, count(*) FILTER (WHERE nights IN (0, 5)), count(*) FILTER (WHERE share <> 100 / nights) FROM dp_sample(NULL::stays, :t, seed => 1);
SELECT md5(string_agg(s::text, ',')) FROM dp_sample(NULL::stays, :t, seed => 1) s \gset one_
SELECT md5(string_agg(s::text, ',')) = :'one_md5' FROM dp_sample(NULL::stays, :t, seed => 1) s;
DROP SCHEMA t_fail CASCADE;
