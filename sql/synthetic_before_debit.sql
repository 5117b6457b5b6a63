-- dp_create_synthetic: what can be known is known before the debit
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t79;
CREATE SCHEMA made79;
SET search_path = t79, public;
SET client_min_messages = error;
CREATE TABLE few (id smallserial PRIMARY KEY, n int NOT NULL CHECK (n BETWEEN 0 AND 9));
INSERT INTO few (n) SELECT i % 10 FROM generate_series(1, 100) i;
SELECT dp_protect('few', 1000000, 0.1);
SELECT * FROM dp_create_synthetic('{few}', 'made79', 1, options => '{"method": "sba", "dense_cells": 100, "rows": 40000}');
SELECT * FROM dp_create_synthetic('{few}', 'made79', 1, options => '{"method": "sba", "dense_cells": 100, "rows": -5}');
SELECT * FROM dp_create_synthetic('{few}', 'made79', 1, options => '{"method": "sba", "dense_cells": 100, "rows": "x"}');
SELECT epsilon_spent FROM dp_datasets WHERE relation = 'few'::regclass;
-- as many as the key can number, and no sequence that would begin beyond it
SELECT * FROM dp_create_synthetic('{few}', 'made79', 100, options => '{"method": "mst", "rows": 32767}', delta => 1e-9);
SELECT attidentity = '' FROM pg_attribute WHERE attrelid = 'made79.few'::regclass AND attname = 'id';
DROP TABLE made79.few;
CREATE TABLE many (id varchar(2) PRIMARY KEY CHECK (id <> ''), n int NOT NULL CHECK (n BETWEEN 0 AND 9), t text);
INSERT INTO many SELECT chr(65 + i / 26) || chr(65 + i % 26), i % 10 FROM generate_series(0, 599) i;
SELECT dp_protect('many', 1000000, 0.1);
SELECT rows FROM dp_create_synthetic('{many}', 'made79', 100, 1e-9, '{"method": "mst"}');
-- a UNIQUE column in which there is one NULL at most is not NULL in all rows
CREATE TABLE one_null (d date UNIQUE NULLS NOT DISTINCT CHECK (d BETWEEN '2020-01-01' AND '2021-12-31'), e text UNIQUE NULLS NOT DISTINCT, n int NOT NULL CHECK (n BETWEEN 0 AND 9));
INSERT INTO one_null SELECT date '2020-01-01' + i, 'e' || i, i % 10 FROM generate_series(1, 300) i;
SELECT dp_protect('one_null', 1000000, 0.1);
SELECT column_name, kind, source, labels FROM dp_columns WHERE relation = 'one_null'::regclass ORDER BY ordinal;
SET client_min_messages = notice;
SELECT count(*) FROM dp_explain('one_null', 'mst', 1, 1e-9);
SET client_min_messages = error;
SELECT rows > 50 FROM dp_create_synthetic('{one_null}', 'made79', 100, 1e-9, '{"method": "mst", "rows": 300}');
-- an index over an expression that has no value for a row is left out, and the rows are kept
CREATE TABLE gaps (id int PRIMARY KEY, n int NOT NULL CHECK (n BETWEEN 0 AND 9));
INSERT INTO gaps SELECT 10 + i, i % 10 FROM generate_series(1, 100) i;
CREATE INDEX gaps_part ON gaps ((100 / (id - 5)));
CREATE INDEX gaps_n ON gaps (n) WHERE n > 0;
CREATE INDEX gaps_plain ON gaps (n, id);
SELECT dp_protect('gaps', 1000000, 0.1);
SELECT * FROM dp_create_synthetic('{gaps}', 'made79', 100, 1e-9, '{"method": "sba", "rows": 50}', 1) \gset
SELECT count(*) FROM made79.gaps;
SELECT indexrelid::regclass FROM pg_index WHERE indrelid = 'made79.gaps'::regclass ORDER BY indexrelid::regclass::text;
-- one relation by name, and by its number
DROP TABLE made79.gaps;
SELECT * FROM dp_create_synthetic('gaps', 'made79', epsilon => 100, delta => 1e-9, options => '{"method": "sba", "rows": 50}', seed => 1);
DROP TABLE made79.gaps;
SELECT * FROM dp_create_synthetic('t79.gaps'::regclass, 'made79', 100, 1e-9, '{"method": "sba", "rows": 50}', 1);
SELECT * FROM dp_create_synthetic('nothing', 'made79', 100);
SELECT * FROM dp_create_synthetic(NULL, 'made79', 100);
DROP SCHEMA made79 CASCADE;
DROP SCHEMA t79 CASCADE;
