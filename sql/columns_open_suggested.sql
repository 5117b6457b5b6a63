-- What dp_suggest_columns says that open columns find is what they find: they share a tenth of the budget, and tables of a tree share it first.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA opened;
SET search_path = opened, public;
SET client_min_messages = error;
CREATE TABLE person (id integer PRIMARY KEY, town text, job text);
-- 1101 words, of which one has 1500 of the 7000 rows, and each other 5
INSERT INTO person SELECT i, 'town ' || CASE WHEN i <= 1500 THEN 'x' ELSE chr(97 + i % 1100 % 26) || ' ' || i % 1100 END,
	'job ' || CASE WHEN i <= 1500 THEN 'y' ELSE chr(97 + i % 1100 % 26) || ' ' || i % 1100 END FROM generate_series(1, 7000) i;
CREATE TABLE visit (id integer PRIMARY KEY, person integer NOT NULL REFERENCES person, why text);
INSERT INTO visit SELECT id, id, town FROM person;
SELECT dp_protect('person', 100, 1e-3);
SELECT dp_suggest_columns('person', epsilon => 1);
SELECT dp_suggest_columns('person', epsilon => 0.1);
-- of tables that are released together, each has a part
SELECT dp_protect('visit', parent => 'person', max_rows_per_unit => 2);
SELECT dp_suggest_columns('person', epsilon => 1);
SELECT dp_suggest_columns('visit', epsilon => 1);
-- and it is what a release finds
SELECT dp_define_column('person', 'town', open => true), dp_define_column('person', 'job', open => true), dp_define_column('visit', 'why', open => true);
SELECT e.stage, e.threshold / t.said BETWEEN 0.85 AND 1.15
  FROM dp_explain('{person,visit}', 'mst', 10, 1e-9) e,
	   (VALUES ('person', dp_catalog.dp_open_threshold('person', 2, 1, 10)), ('visit', dp_catalog.dp_open_threshold('visit', 1, 2, 10))) t (relation, said)
 WHERE e.threshold > 0 AND e.stage LIKE t.relation || '%';
DROP SCHEMA opened CASCADE;
