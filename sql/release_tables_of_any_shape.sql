-- Tables of every shape: empty, one row, odd names, dropped and generated
-- columns, views, partitions, inheritance, row security, many columns.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t10;
CREATE SCHEMA "T 10.ü";
CREATE ROLE regress_dp_10_owner;
CREATE ROLE regress_dp_10_analyst;
GRANT USAGE, CREATE ON SCHEMA t10, "T 10.ü" TO public;
SET search_path = t10, public;
SET SESSION AUTHORIZATION regress_dp_10_owner;
SET client_min_messages = warning;

-- an empty table: rows may still be asked for
CREATE TABLE empty (flag boolean NOT NULL, n int CHECK (n IN (1, 2)));
SELECT dp_protect('empty', 1000, 0.1);
SELECT dp_release('empty', 'sbhg', 100) AS r \gset
SELECT count(*) FROM dp_sample(NULL::empty, :r);
SELECT count(*), count(flag) FROM dp_sample(NULL::empty, :r, 50);
SELECT dp_release('empty', 'sba', 100, 0.01, '{"count_share": 0.5}') AS r \gset
SELECT count(*) FROM dp_sample(NULL::empty, :r);
SELECT count(*), count(flag) FROM dp_sample(NULL::empty, :r, 50);
SELECT dp_define_column('empty', 'n', open => true);
SELECT dp_release('empty', 'sbhg', 100, 0.01) AS r \gset
SELECT count(*), count(n) FROM dp_sample(NULL::empty, :r, 50);

-- one row, at an epsilon that hides nothing, and at one that does
CREATE TABLE single (flag boolean NOT NULL, n int CHECK (n IN (1, 2)));
INSERT INTO single VALUES (true, 2);
SELECT dp_protect('single', 1000, 0.1);
SELECT dp_release('single', 'sbhg', 100) AS r \gset
SELECT * FROM dp_sample(NULL::single, :r);
SELECT dp_release('single', 'sba', 0.01, 1e-9) AS r \gset
SELECT count(*) FROM dp_sample(NULL::single, :r, 10);

-- names
CREATE TABLE "T 10.ü"."Täble ""x"" $1 %s @" ("Col 1" boolean NOT NULL, "select" boolean NOT NULL, "ü%s@" int CHECK ("ü%s@" IN (1, 2)),
	"a""b'c\d" text, "дата" text);
INSERT INTO "T 10.ü"."Täble ""x"" $1 %s @" SELECT i % 2 = 0, i % 2 = 0, 1, 'it''s "ö"', 'да' FROM generate_series(1, 100) i;
SELECT dp_protect('"T 10.ü"."Täble ""x"" $1 %s @"', 10000, 0.1);
SELECT dp_define_column('"T 10.ü"."Täble ""x"" $1 %s @"', 'a"b''c\d', '{"it''s \"ö\"", "none", "\\"}');
SELECT dp_define_column('"T 10.ü"."Täble ""x"" $1 %s @"', 'дата', '{да,нет}');
SELECT relation, column_name, labels FROM dp_columns WHERE relation = '"T 10.ü"."Täble ""x"" $1 %s @"'::regclass ORDER BY ordinal;
SELECT DISTINCT * FROM dp_synthesize_sbhg(NULL::"T 10.ü"."Täble ""x"" $1 %s @", 5000, rows => 50,
	network => '{"Col 1": ["select"], "select": ["Col 1"], "ü%s@": [], "a\"b''c\\d": [], "дата": []}') ORDER BY 1;
SELECT relation, row_type, status FROM dp_ledger WHERE relation_name LIKE '%ü%';
SELECT dp_release('"T 10.ü"."Täble ""x"" $1 %s @"', 'sba', 1, 0, '{"columns": ["col 1"]}');

-- dropped and added columns
CREATE TABLE changed (gone text, flag boolean NOT NULL, gone2 int, n int CHECK (n IN (1, 2)));
ALTER TABLE changed DROP gone, DROP gone2;
ALTER TABLE changed ADD late boolean NOT NULL DEFAULT true;
INSERT INTO changed SELECT true, 2, false FROM generate_series(1, 100);
SELECT dp_protect('changed', 10000, 0.1);
SELECT DISTINCT * FROM dp_synthesize_sbhg(NULL::changed, 1000, rows => 50);
SELECT DISTINCT * FROM dp_synthesize_sba(NULL::changed, 1000, 0.01, rows => 50);
SELECT DISTINCT (s).* FROM (SELECT dp_synthesize(NULL::changed, 1000, 0.01, method => 'sba', rows => 50) AS s) s;

-- generated and identity columns are columns
CREATE TABLE made (id int GENERATED ALWAYS AS IDENTITY, n int CHECK (n IN (1, 2)), twice int GENERATED ALWAYS AS (2 * n) STORED,
				   odd boolean GENERATED ALWAYS AS (n % 2 = 1) STORED);
INSERT INTO made (n) SELECT 1 FROM generate_series(1, 100);
SELECT dp_protect('made', 10000, 0.1);
SELECT dp_define_column('made', 'twice', '{2,4}');
SELECT count(*), count(DISTINCT id), min(n), max(n), min(twice), max(twice), bool_and(odd) FROM dp_synthesize_sbhg(NULL::made, 1000, rows => 50);

-- a view reads as its owner; the analyst needs no right on what is below
CREATE TABLE base (flag boolean NOT NULL, secret text);
INSERT INTO base SELECT true, 'x' FROM generate_series(1, 100);
CREATE VIEW above AS SELECT flag, flag AS again, length(secret) AS n FROM base WHERE secret = 'x';
SELECT dp_protect('above', 10000, 0.1);
SELECT dp_define_column('above', 'n', '{1,2}');
SELECT dp_grant('above', 'regress_dp_10_analyst', 10000);
SET SESSION AUTHORIZATION regress_dp_10_analyst;
SELECT DISTINCT * FROM dp_synthesize_sbhg(NULL::above, 1000, rows => 50);
SELECT * FROM above;
SET SESSION AUTHORIZATION regress_dp_10_owner;

-- a materialized view, a partitioned table, a parent with a child
CREATE MATERIALIZED VIEW kept AS SELECT * FROM above;
SELECT dp_protect('kept', 10000, 0.1);
SELECT DISTINCT * FROM dp_synthesize_sbhg(NULL::kept, 1000, rows => 50, columns => '{flag,again}');
CREATE TABLE parted (a int NOT NULL CHECK (a IN (1, 2, 3))) PARTITION BY LIST (a);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES IN (2);
INSERT INTO parted SELECT 1 + i % 2 FROM generate_series(1, 100) i;
SELECT dp_protect('parted', 10000, 0.1);
SELECT dp_release('parted', 'sba', 1000, 0.01, '{"count_share": 0.5}') AS r \gset
SELECT a, count(*) BETWEEN 200 AND 800 FROM dp_sample(NULL::parted, :r, 1000, 1) GROUP BY a ORDER BY a;
SELECT rows FROM dp_releases WHERE release = :r;
CREATE TABLE parent (flag boolean NOT NULL);
CREATE TABLE child () INHERITS (parent);
INSERT INTO parent SELECT true FROM generate_series(1, 30);
INSERT INTO child SELECT true FROM generate_series(1, 70);
SELECT dp_protect('parent', 10000, 0.1);
SELECT dp_release('parent', 'sba', 1000, 0.01, '{"count_share": 0.5}') AS r \gset
SELECT rows FROM dp_releases WHERE release = :r;

-- row security: the owner reads all rows, so all are counted; if it is forced on the owner it would
-- hide rows silently, so nothing is released
CREATE TABLE secured (flag boolean NOT NULL);
INSERT INTO secured SELECT i % 2 = 0 FROM generate_series(1, 100) i;
ALTER TABLE secured ENABLE ROW LEVEL SECURITY;
CREATE POLICY half ON secured USING (flag);
SELECT dp_protect('secured', 10000, 0.1);
SELECT dp_release('secured', 'sba', 1000, 0.01, '{"count_share": 0.5}') AS r \gset
SELECT rows FROM dp_releases WHERE release = :r;
ALTER TABLE secured FORCE ROW LEVEL SECURITY;
SELECT dp_release('secured', 'sba', 1000, 0.01);
SELECT status, epsilon FROM dp_ledger WHERE relation_name = 't10.secured' ORDER BY id;

-- a relation that cannot be read is an error: before anything is spent if that can be known, and
-- afterwards if only reading it tells; no message tells anything of the data
CREATE VIEW failing AS SELECT 1 / (CASE WHEN secret = 'x' THEN 0 ELSE 1 END) = 0 AS flag FROM base;
SELECT dp_protect('failing', 10000, 0.1);
SELECT dp_release('failing', 'sba', 1000, 0.01);
SELECT status, epsilon, reason FROM dp_ledger WHERE relation_name = 't10.failing';
SELECT epsilon_spent FROM dp_datasets WHERE relation = 'failing'::regclass;
CREATE TABLE locked (flag boolean NOT NULL);
SELECT dp_protect('locked', 10);
BEGIN;
LOCK TABLE locked IN ACCESS EXCLUSIVE MODE;
SELECT dp_release('locked', 'sba', 1, 0, '{"dense_cells": 2}');
ROLLBACK;
SELECT count(*) FROM dp_ledger WHERE relation_name = 't10.locked';
-- a protection that is not committed yet allows no release
BEGIN;
CREATE TABLE young (flag boolean NOT NULL);
SELECT dp_protect('young', 10);
SELECT dp_release('young', 'sba', 1, 0, '{"dense_cells": 2}');
ROLLBACK;

-- 100 columns, and as many as a table can have
DO $$
BEGIN
	EXECUTE format('CREATE TABLE wide (%s)', (SELECT string_agg(format('c%s boolean NOT NULL', c), ', ') FROM generate_series(1, 100) c));
	EXECUTE format('INSERT INTO wide SELECT %s FROM generate_series(1, 200) i',
				   (SELECT string_agg(format('i %% %s = 0', 2 + c % 5), ', ') FROM generate_series(1, 100) c));
END
$$;
SELECT dp_protect('wide', 100000, 0.1);
SELECT count(*), count(c1), count(c100) FROM dp_synthesize_sbhg(NULL::wide, 10000, 1e-6, rows => 100);
SELECT count(*), count(c1), count(c100) FROM dp_synthesize_sba(NULL::wide, 100, 1e-6, rows => 100);
DO $$
BEGIN
	EXECUTE format('CREATE TABLE widest (%s)', (SELECT string_agg(format('c%s boolean', i), ', ') FROM generate_series(1, 1600) i));
	INSERT INTO widest (c1) SELECT true FROM generate_series(1, 100);
END
$$;
SELECT dp_protect('widest', 100000, 0.1);
SELECT count(*), count(c1), count(c1600) FROM dp_synthesize_sbhg(NULL::widest, 50000, 0, rows => 10, parents => 0);

RESET SESSION AUTHORIZATION;
DROP SCHEMA t10, "T 10.ü" CASCADE;
DROP ROLE regress_dp_10_owner, regress_dp_10_analyst;
