-- Names as people write them: a table called as a type of PostgreSQL's is, and quoted names in a list of several.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA "Named";
SET search_path = "Named", public;
SET client_min_messages = warning;
CREATE TABLE line (id integer PRIMARY KEY, x integer NOT NULL CHECK (x BETWEEN 0 AND 3));
CREATE TABLE "People" (id integer PRIMARY KEY, x integer NOT NULL CHECK (x BETWEEN 0 AND 3));
CREATE TABLE "Batting, all" (id integer PRIMARY KEY, who integer NOT NULL REFERENCES "People", x integer NOT NULL CHECK (x BETWEEN 0 AND 3));
INSERT INTO line SELECT i, i % 4 FROM generate_series(1, 50) i;
INSERT INTO "People" TABLE line;
INSERT INTO "Batting, all" SELECT i, i, i % 4 FROM generate_series(1, 50) i;
SELECT dp_protect('line', 100), dp_protect('"People"', 100, 1e-6), dp_protect('"Batting, all"', parent => '"People"', max_rows_per_unit => 1);
SELECT dp_release('line', 'mst', 100) AS r \gset

-- what to write instead
SELECT count(*) FROM dp_sample(NULL::line, :r);
SELECT count(*) FROM dp_synthesize(NULL::line, 1);
SELECT count(*) FROM dp_query(NULL::line, '{count(*)}', 1);
SELECT count(*) FROM dp_histogram(NULL::line, '{x}', 1);
SELECT count(*) FROM dp_baseline(NULL::line, 'marginal');
SELECT count(*) > 0 FROM dp_sample(NULL::"Named".line, :r, rows => 3);

-- as an array has it, as a statement has it, and a mixture
SELECT count(*) FROM dp_explain('{"People","Batting, all"}', 'mst', 1, 1e-9) WHERE stage LIKE 'Batting%total' OR stage = 'total';
SELECT count(*) FROM dp_explain('{"Named.People","Named.Batting, all"}', 'mst', 1, 1e-9) WHERE stage = 'total';
SELECT count(*) FROM dp_explain('{"Named"."People", "Named"."Batting, all"}', 'mst', 1, 1e-9) WHERE stage = 'total';
SELECT count(*) FROM dp_explain('{ "People","Named"."Batting, all" }', 'mst', 1, 1e-9) WHERE stage = 'total';
SELECT count(*) FROM dp_explain('{"\"Named\".\"People\"","\"Batting, all\""}', 'mst', 1, 1e-9) WHERE stage = 'total';
SELECT count(*) FROM dp_explain('{"Named"."People","Named"."Nobody"}', 'mst', 1, 1e-9);
SELECT count(*) FROM dp_explain('{"Named"."People"', 'mst', 1, 1e-9);
SELECT count(*) FROM dp_explain('{"Named"."People', 'mst', 1, 1e-9);
DROP SCHEMA "Named" CASCADE;
