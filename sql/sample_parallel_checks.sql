-- rows that keep CHECKs whose expressions fail now and then: with parallel workers or without, the
-- same ones, each once; and a row that is made ahead is no error of who did not ask for it
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t_checks;
SET search_path = t_checks, public;
SET client_min_messages = error;
-- n = 500 is about one row in 1,000
CREATE TABLE rare (n int NOT NULL CHECK (n BETWEEN 0 AND 999),
	c01 bool NOT NULL, c02 bool NOT NULL, c03 bool NOT NULL, c04 bool NOT NULL, c05 bool NOT NULL, c06 bool NOT NULL,
	c07 bool NOT NULL, c08 bool NOT NULL, c09 bool NOT NULL, c10 bool NOT NULL, c11 bool NOT NULL, c12 bool NOT NULL,
	c13 bool NOT NULL, c14 bool NOT NULL, c15 bool NOT NULL, c16 bool NOT NULL,
	share int GENERATED ALWAYS AS (1000 / (n - 500)) STORED,
	CONSTRAINT not_middle CHECK (1 / (n - 500) < 2));
INSERT INTO rare SELECT i % 500, i % 3 = 0, i % 5 = 0, i % 7 = 0, i % 2 = 0, i % 3 = 1, i % 5 = 1, i % 7 = 1, i % 2 = 1,
	i % 3 = 0, i % 5 = 0, i % 7 = 0, i % 2 = 0, i % 3 = 1, i % 5 = 1, i % 7 = 1, i % 2 = 1 FROM generate_series(1, 5000) i;
SELECT dp_protect('rare', 1000000, 0.5);
SELECT dp_define_column('rare', 'n', bins => '{0,1000}');
SELECT dp_release('rare', 'sbhg', 1000, 1e-6) AS sbhg \gset
SELECT dp_release('rare', 'privbayes', 1000) AS privbayes \gset
-- what is drawn without the CHECK breaks it about once in 1,000 rows
CREATE TABLE free (n int, c01 bool);
SELECT count(*) FILTER (WHERE n = 500) BETWEEN 5 AND 60 FROM dp_sample(NULL::free, :sbhg, 20000, 1);
-- a digest of the rows in their order, and how often each stands there
CREATE FUNCTION digest(method text, source text, rows bigint) RETURNS text LANGUAGE plpgsql AS $$
DECLARE told text;
BEGIN
	EXECUTE format('SELECT md5(string_agg(r::text, '','')) || '' '' || count(*) || '' '' || count(*) FILTER (WHERE n = 500) FROM (%s) r',
				   replace(replace(source, 'NROWS', rows::text), 'RELEASE', (SELECT max(release) FROM dp_releases WHERE dp_releases.method = digest.method)::text)) INTO told;
	RETURN told;
END $$;
CREATE FUNCTION workers(n int) RETURNS void LANGUAGE sql AS $$ SELECT set_config('dpsyn.max_parallel_workers', n::text, false) $$;
CREATE TABLE way (name text, source text);
INSERT INTO way VALUES
	('scan', 'SELECT * FROM dp_sample(NULL::rare, RELEASE, NROWS, 42)'),
	('rows from', 'SELECT n, c01, c02, c03, c04, c05, c06, c07, c08, c09, c10, c11, c12, c13, c14, c15, c16, share FROM ROWS FROM (dp_sample(NULL::rare, RELEASE, NROWS, 42)) WITH ORDINALITY'),
	('one by one', 'SELECT (d).* FROM (SELECT dp_sample(NULL::rare, RELEASE, NROWS, 42) AS d OFFSET 0) x');
CREATE TABLE told AS SELECT method, rows, name, 0 AS workers, ''::text AS digest FROM way, (VALUES ('sbhg', 330000), ('privbayes', 330000)) m(method, rows) LIMIT 0;
DO $$
DECLARE m text; w way; n int;
BEGIN
	FOREACH m IN ARRAY '{sbhg,privbayes}'::text[] LOOP
		FOR w IN TABLE way LOOP
			FOREACH n IN ARRAY CASE WHEN w.name = 'one by one' THEN '{0}' ELSE '{0,2}' END::int[] LOOP
				PERFORM workers(n);
				INSERT INTO told VALUES (m, 330000, w.name, n, digest(m, w.source, 330000));
			END LOOP;
		END LOOP;
	END LOOP;
END $$;
SELECT method, count(*), count(DISTINCT digest), bool_and(digest LIKE '% 330000 0') FROM told GROUP BY method ORDER BY method;

-- The 13th row cannot be read as a date. It is an error of who asks for that row: not of who stops before it,
-- though rows are made ahead.
CREATE TABLE levels (k int NOT NULL CHECK (k BETWEEN 0 AND 333), number text NOT NULL);
INSERT INTO levels SELECT i % 334, i FROM generate_series(1, 33400) i;
SELECT dp_protect('levels', 1000000, 0.5);
SELECT dp_define_column('levels', 'k', categories => (SELECT array_agg(i::text) FROM generate_series(0, 333) i)),
	dp_define_column('levels', 'number', fill => '{n}-01-01');
SELECT dp_release('levels', 'sba', 1000, 1e-6, '{"dense_cells": 1000}') AS levels \gset
CREATE TABLE dated (k int, number date, CONSTRAINT often CHECK (1 / (k - 33) < 2));
CREATE FUNCTION asked(source text, wanted int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE told text;
BEGIN
	EXECUTE format('SELECT count(*) || '' '' || count(*) FILTER (WHERE k = 33) FROM (%s LIMIT %s) x', source, wanted) INTO told;
	RETURN told;
EXCEPTION WHEN datetime_field_overflow THEN
	RETURN SQLERRM;
END $$;
SELECT DISTINCT asked(source, 12), asked(source, 13) FROM generate_series(1, 30) seed,
	format('SELECT * FROM dp_sample(NULL::dated, %s, 1000, %s)', :levels, seed) source;
-- the same where each row is a value
SELECT DISTINCT asked(each, 12), asked(each, 13) FROM generate_series(1, 30) seed,
	format('SELECT (dp_sample(NULL::dated, %s, 1000, %s)).*', :levels, seed) each;
-- and where workers draw more rows than anybody asks for
ALTER TABLE rare ADD k int NOT NULL DEFAULT 0 CHECK (k BETWEEN 0 AND 333), ADD number text NOT NULL DEFAULT '';
SELECT dp_define_column('rare', 'number', fill => '{n}-01-01');
SELECT dp_release('rare', 'sbhg', 1000, 1e-6) AS sbhg \gset
SET dpsyn.max_parallel_workers = 2;
SELECT DISTINCT asked(source, 12), asked(source, 13) FROM generate_series(1, 8) seed,
	format('SELECT * FROM dp_sample(NULL::dated, %s, 330000, %s)', :sbhg, seed) source;
RESET dpsyn.max_parallel_workers;
DROP SCHEMA t_checks CASCADE;
