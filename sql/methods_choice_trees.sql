-- dp_release('{...}', 'auto'): aim where it is in time, mst where aim refuses or takes long; what a hint names exists for several tables.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA chosen;
SET search_path = chosen, public;
SET client_min_messages = warning;
CREATE TABLE person (id integer PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('f', 'm')), note text);
CREATE TABLE visit (id integer PRIMARY KEY, person integer NOT NULL REFERENCES person, ward text NOT NULL CHECK (ward IN ('a', 'b', 'c')));
SELECT 'CREATE TABLE wide (id integer PRIMARY KEY, person integer NOT NULL REFERENCES person, '
	|| string_agg(format('c%s boolean NOT NULL', i), ', ') || ')' FROM generate_series(1, 150) i \gexec
SELECT 'CREATE TABLE wider (id integer PRIMARY KEY, person integer NOT NULL REFERENCES person, '
	|| string_agg(format('c%s boolean NOT NULL', i), ', ') || ')' FROM generate_series(1, 400) i \gexec
INSERT INTO person SELECT i, CASE WHEN i % 2 = 0 THEN 'f' ELSE 'm' END FROM generate_series(1, 100) i;
INSERT INTO visit SELECT i, 1 + i % 100, 'a' FROM generate_series(1, 200) i;
SELECT dp_protect('person', 100, 1e-6), dp_protect('visit', parent => 'person', max_rows_per_unit => 2),
	dp_protect('wide', parent => 'person', max_rows_per_unit => 2), dp_protect('wider', parent => 'person', max_rows_per_unit => 2);
RESET client_min_messages;

-- who chose, why, and how to ask for it by name
SELECT count(*) > 1 FROM dp_explain('{person,visit}', 'auto', 1, 1e-9);
-- where aim refuses it says of which table, and auto takes mst
SELECT count(*) FROM dp_explain('{person,wider}', 'aim', 1);
CREATE FUNCTION chosen(relations text, delta float8, options jsonb DEFAULT '{}') RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT CASE WHEN bool_or(e.stage LIKE '%choose and release tables') THEN 'aim' ELSE 'mst' END FROM dp_explain(relations, 'auto', 1, delta, options) e);
END $$;
SET client_min_messages = warning;
SELECT chosen('{person,wider}', 0), chosen('{person,wider}', 1e-9);
-- by columns, and by time
SELECT chosen('{person,visit}', 0), chosen('{person,wide}', 0), chosen('{person,wide}', 1e-9), chosen('{person,wide}', 1e-9, '{"effort": "fast"}');
RESET client_min_messages;
-- an option of one method is none of auto's
SELECT count(*) FROM dp_explain('{person,visit}', 'auto', 1, 1e-9, '{"rounds": 3}');
-- a release says which it was
SET client_min_messages = warning;
SELECT dp_release('{person,visit}', 'auto', 1, 1e-9) AS r \gset
SELECT method FROM dp_releases WHERE release = :r;
-- drawing is expected to take longer the more rows are drawn
SELECT b.expected_draw_seconds > 10 * a.expected_draw_seconds
  FROM dp_explain('{person,visit}', 'aim', 1, 1e-9, '{"table_rows": 100000}') a, dp_explain('{person,visit}', 'aim', 1, 1e-9, '{"table_rows": 10000000}') b
 WHERE a.stage = 'total' AND b.stage = 'total';
-- the rows that are drawn for trial are counted: with few rows they take most of the time
SELECT a.expected_draw_seconds / 1000 > 2 * b.expected_draw_seconds / 1000000
  FROM dp_explain('{person,visit}', 'aim', 1, 1e-9, '{"table_rows": 1000}') a, dp_explain('{person,visit}', 'aim', 1, 1e-9, '{"table_rows": 1000000}') b
 WHERE a.stage = 'total' AND b.stage = 'total';
DROP SCHEMA chosen CASCADE;
