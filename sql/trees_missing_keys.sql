-- Foreign keys that stand on partitions alone are keys of the table, and keys to tables without rows are kept.
SET client_min_messages = error;
CREATE SCHEMA partition_keys;
SET search_path = partition_keys, public;
CREATE TABLE shops (id smallint PRIMARY KEY, city text NOT NULL);
CREATE TABLE customers (id integer PRIMARY KEY, sex boolean NOT NULL);
CREATE TABLE payments (gone integer, paid date NOT NULL, customer integer NOT NULL, shop smallint NOT NULL, amount integer NOT NULL
	CONSTRAINT amounts CHECK (amount BETWEEN 1 AND 9)) PARTITION BY RANGE (paid);
ALTER TABLE payments DROP COLUMN gone;
-- one has its columns in another order, one has partitions of its own, and one has no key
CREATE TABLE payments_2024 (amount integer NOT NULL CONSTRAINT amounts CHECK (amount BETWEEN 1 AND 9), shop smallint NOT NULL REFERENCES shops,
	customer integer NOT NULL REFERENCES customers, paid date NOT NULL);
ALTER TABLE payments ATTACH PARTITION payments_2024 FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
CREATE TABLE payments_2025 PARTITION OF payments FOR VALUES FROM ('2025-01-01') TO ('2026-01-01') PARTITION BY LIST (shop);
CREATE TABLE payments_2025_all PARTITION OF payments_2025 DEFAULT;
ALTER TABLE payments_2025_all ADD FOREIGN KEY (customer) REFERENCES customers;
CREATE TABLE payments_rest PARTITION OF payments DEFAULT;
INSERT INTO shops SELECT i, 'city ' || i FROM generate_series(1, 3) i;
INSERT INTO customers SELECT i, i % 2 = 0 FROM generate_series(1, 400) i;
INSERT INTO payments SELECT date '2024-01-01' + (i * 7) % 900, i % 400 + 1, 1 + i % 3, 1 + i % 9 FROM generate_series(1, 1000) i;
INSERT INTO payments SELECT '2030-01-01', 1000, 9, 1 FROM generate_series(1, 50); -- of nobody

SELECT relation::regclass, referred::regclass, refers_by, key FROM dp_catalog.dp_foreign_keys() f
 WHERE relation IN ('payments'::regclass, 'payments_2025'::regclass) ORDER BY f.relation, f.referred;
SELECT regexp_replace(line, ' -- .*', '') AS line FROM dp_suggest_protection('partition_keys') line WHERE line !~ '^--' AND line !~ 'define';
SELECT dp_declare_public('shops'), dp_protect('customers', 1000, 0.1);
SELECT dp_protect('payments', parent => 'customers', max_rows_per_unit => 5, order_column => 'paid');
SELECT column_name, kind, source FROM dp_columns WHERE relation = 'payments'::regclass ORDER BY ordinal;
CREATE SCHEMA partition_keys_copy;
SELECT relation, abs(rows - CASE relation::text WHEN 'shops' THEN 3 WHEN 'customers' THEN 400 ELSE 1000 END) < 50 AS about
  FROM dp_create_synthetic('partition_keys', 'partition_keys_copy', 500, 0.01) ORDER BY relation;
SELECT conrelid::regclass, confrelid::regclass, pg_get_constraintdef(oid) FROM pg_constraint
 WHERE connamespace = 'partition_keys_copy'::regnamespace AND contype = 'f' ORDER BY confrelid::regclass::text COLLATE "C";
-- what refers to a table of no rows refers to one row that is made up for it
CREATE TABLE managers (id integer PRIMARY KEY, sex boolean NOT NULL);
CREATE TABLE offices (id integer PRIMARY KEY, manager integer NOT NULL, open boolean NOT NULL);
INSERT INTO offices SELECT i, 1, i % 3 = 0 FROM generate_series(1, 100) i;
ALTER TABLE offices ADD FOREIGN KEY (manager) REFERENCES managers NOT VALID;
SELECT dp_protect('managers', 1000, 0.1), dp_protect('offices', 1000, 0.1);
SELECT relation, rows FROM dp_create_synthetic('{managers,offices}', 'partition_keys_copy', 500, 0.01) ORDER BY relation;
SELECT count(*) FROM partition_keys_copy.offices o JOIN partition_keys_copy.managers m ON m.id = o.manager;
-- and where a public table has no rows, none can refer to it
CREATE TABLE kinds (id integer PRIMARY KEY);
CREATE TABLE labels (id integer PRIMARY KEY, kind integer NOT NULL REFERENCES kinds, other integer REFERENCES kinds, open boolean NOT NULL);
SELECT dp_declare_public('kinds'), dp_protect('labels', 1000, 0.1);
CREATE SCHEMA empty_copy;
SELECT relation, rows FROM dp_create_synthetic('{kinds,labels}', 'empty_copy', 500, 0.01, options => '{"rows": 5}') ORDER BY relation;
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'empty_copy'::regnamespace AND contype = 'f' ORDER BY conname;
DROP SCHEMA partition_keys, partition_keys_copy, empty_copy CASCADE;
