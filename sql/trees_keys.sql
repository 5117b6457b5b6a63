-- Keys of tables that are released together, as schemas have them: of several columns, of a row that is
-- its parent's and so on, to and from partitions, twice to one parent, of two parents.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t94;
CREATE SCHEMA made94;
CREATE ROLE regress_dp_94_owner;
CREATE ROLE regress_dp_94_analyst;
GRANT USAGE, CREATE ON SCHEMA t94 TO regress_dp_94_owner;
GRANT USAGE ON SCHEMA t94 TO regress_dp_94_analyst;
GRANT USAGE, CREATE ON SCHEMA made94 TO regress_dp_94_analyst;
SET search_path = t94, public;
SET SESSION AUTHORIZATION regress_dp_94_owner;
SET client_min_messages = error;
-- a line is known by its order and a number; some orders have an account of their own, whose key is the order's, and
-- accounts have entries
CREATE TABLE orders (id uuid PRIMARY KEY, kind text NOT NULL CHECK (kind IN ('x', 'y')));
CREATE TABLE lines (of_order uuid REFERENCES orders ON DELETE CASCADE, line integer, big boolean NOT NULL, PRIMARY KEY (of_order, line));
CREATE TABLE accounts (of_order uuid PRIMARY KEY REFERENCES orders, open boolean NOT NULL);
CREATE TABLE entries (account uuid NOT NULL REFERENCES accounts, number integer, flag boolean NOT NULL, UNIQUE (account, number));
CREATE TABLE parts (id integer PRIMARY KEY, of_order uuid NOT NULL, line integer NOT NULL, FOREIGN KEY (of_order, line) REFERENCES lines);
INSERT INTO orders SELECT md5(i::text)::uuid, CASE i % 2 WHEN 0 THEN 'x' ELSE 'y' END FROM generate_series(1, 600) i;
INSERT INTO lines SELECT md5(i::text)::uuid, j, i % 2 = 0 FROM generate_series(1, 600) i, generate_series(1, 3) j;
INSERT INTO accounts SELECT md5(i::text)::uuid, i % 4 = 0 FROM generate_series(1, 600, 3) i;
INSERT INTO entries SELECT md5(i::text)::uuid, j, i % 2 = 0 FROM generate_series(1, 600, 3) i, generate_series(1, 2) j;
SELECT dp_protect('orders', 1000000, 0.1);
SELECT dp_protect('lines', parent => 'orders', max_rows_per_unit => 4), dp_protect('accounts', parent => 'orders'), dp_protect('entries', parent => 'accounts', max_rows_per_unit => 2);
SELECT dp_protect('parts', parent => 'lines');
SELECT dp_grant('orders', 'regress_dp_94_analyst', 500000, 0.01);
RESET client_min_messages;
SET SESSION AUTHORIZATION regress_dp_94_analyst;
-- which relation it is that has no way to the root
SELECT dp_release('{orders,entries}', 'mst', 1, 1e-9);
SET client_min_messages = warning;
SELECT relation, synthetic, abs(rows - n) < 10 FROM dp_create_synthetic('{entries,orders,lines,accounts}', 'made94', 200000, 1e-9, '{"method": "mst"}', seed => 3)
  JOIN (VALUES ('orders', 600), ('lines', 1800), ('accounts', 200), ('entries', 400)) v (name, n) ON v.name = relation::text;
SELECT conrelid::regclass, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'made94'::regnamespace AND contype IN ('f', 'p', 'u') ORDER BY 1, 2;
-- an account's entries are those of its order, whose kind they follow
SELECT count(*) > 350, avg((e.flag = (o.kind = 'x'))::int) > 0.95 FROM made94.entries e JOIN made94.orders o ON o.id = e.account;
SELECT count(*) - count(a.of_order) FROM made94.entries e LEFT JOIN made94.accounts a ON a.of_order = e.account;
SELECT max(release) AS release FROM dp_releases \gset
SELECT count(*) FROM (SELECT * FROM dp_sample(NULL::entries, :release, seed => 3) EXCEPT SELECT * FROM made94.entries) x;
-- blocks of 1,024 orders: the row above is found in each
SELECT count(*) > 1200, count(*) - count(a.of_order), count(*) - count(o.id) FROM dp_sample(NULL::entries, :release, rows => 3000, seed => 4) e
  LEFT JOIN dp_sample(NULL::accounts, :release, rows => 3000, seed => 4) a ON a.of_order = e.account LEFT JOIN dp_sample(NULL::orders, :release, rows => 3000, seed => 4) o ON o.id = e.account;

-- ---- partitions on both sides: the foreign key is one
SET SESSION AUTHORIZATION regress_dp_94_owner;
SET client_min_messages = error;
CREATE TABLE patients (id integer PRIMARY KEY, sex boolean NOT NULL) PARTITION BY HASH (id);
CREATE TABLE patients_0 PARTITION OF patients FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE patients_1 PARTITION OF patients FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TABLE doctors (id integer PRIMARY KEY, senior boolean NOT NULL);
CREATE TABLE visits (id integer, patient integer REFERENCES patients ON DELETE SET NULL, doctor integer NOT NULL REFERENCES doctors, seen_with integer REFERENCES patients,
	year integer NOT NULL CHECK (year IN (2024, 2025)), PRIMARY KEY (id, year)) PARTITION BY LIST (year);
CREATE TABLE visits_2024 PARTITION OF visits FOR VALUES IN (2024);
CREATE TABLE visits_2025 PARTITION OF visits FOR VALUES IN (2025);
INSERT INTO patients SELECT i, i % 2 = 0 FROM generate_series(1, 600) i;
INSERT INTO doctors SELECT i, i < 3 FROM generate_series(1, 5) i;
-- of ten visits one is nobody's
INSERT INTO visits SELECT i, CASE WHEN i % 10 > 0 THEN 1 + i % 600 END, 1 + i % 5, NULL, 2024 + i % 2 FROM generate_series(1, 1200) i;
SELECT dp_protect('patients', 1000000, 0.1), dp_protect('doctors', 1000000, 0.1);
RESET client_min_messages;
-- there are two ways to patients, and one to doctors
SELECT dp_protect('visits', parent => 'patients', max_rows_per_unit => 3);
SET client_min_messages = error;
SELECT dp_protect('visits', parent => 'patients', unit_column => 'patient', max_rows_per_unit => 3);
SELECT dp_grant('patients', 'regress_dp_94_analyst', 500000, 0.01);
SET SESSION AUTHORIZATION regress_dp_94_analyst;
RESET client_min_messages;
SELECT dp_release('{patients,visits,doctors}', 'mst', 1, 1e-9);
SET SESSION AUTHORIZATION regress_dp_94_owner;
SELECT dp_define_column('visits', 'doctor', categories => '{1,2,3,4,5}');
SET SESSION AUTHORIZATION regress_dp_94_analyst;
-- each foreign key is there once, however many partitions it leads to
SELECT name FROM dp_catalog.dp_synthetic_constraints('visits') WHERE kind = 'f' ORDER BY 1;
SET client_min_messages = warning;
SELECT relation, abs(rows - n) < 10 FROM dp_create_synthetic('{patients,visits}', 'made94', 200000, 1e-9, '{"method": "mst"}', seed => 3)
  JOIN (VALUES ('patients', 600), ('visits', 1080)) v (name, n) ON v.name = relation::text;
SELECT conrelid::regclass, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid IN ('made94.visits'::regclass, 'made94.patients'::regclass) AND contype IN ('f', 'p') ORDER BY 1, 2;
SELECT count(*) - count(patient), count(seen_with), count(DISTINCT doctor) FROM made94.visits;
RESET SESSION AUTHORIZATION;
SET client_min_messages = warning;
DROP SCHEMA t94, made94 CASCADE;
DROP OWNED BY regress_dp_94_owner, regress_dp_94_analyst;
DROP ROLE regress_dp_94_owner, regress_dp_94_analyst;
