-- whole rows of ordinary tables: formats that CHECKs ask for, defaults, domain types, foreign keys
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE ROLE regress_dp_87_owner;
CREATE ROLE regress_dp_87_analyst;
CREATE SCHEMA t87;
CREATE SCHEMA made87 AUTHORIZATION regress_dp_87_analyst;
GRANT USAGE, CREATE ON SCHEMA t87 TO regress_dp_87_owner;
GRANT USAGE ON SCHEMA t87 TO regress_dp_87_analyst;
SET search_path = t87, public;
SET client_min_messages = error;
SET SESSION AUTHORIZATION regress_dp_87_owner;
CREATE DOMAIN code AS text CHECK (VALUE ~ '^[A-Z]{2}[0-9]{4}$');
CREATE DOMAIN amount AS integer NOT NULL CHECK (VALUE > 0) CHECK (VALUE < 100);
CREATE DOMAIN small_amount AS amount CONSTRAINT at_most CHECK (VALUE < 50);
CREATE FUNCTION looks_good(text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN true; END $$;
CREATE DOMAIN watched AS text CHECK (looks_good(VALUE));
CREATE TABLE colours (id integer PRIMARY KEY, name text);
INSERT INTO colours VALUES (1, 'red'), (2, 'green'), (3, 'blue');
CREATE TABLE products (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	sku code NOT NULL UNIQUE,
	ean text UNIQUE NOT NULL CHECK (ean ~ '^\d{3}-[0-9]{5}$'),
	batch varchar(20) NOT NULL UNIQUE CHECK (batch LIKE 'B\_%' AND batch <> ''),
	country text NOT NULL DEFAULT 'US' CHECK (length(country) = 2),
	language text NOT NULL CHECK (char_length(language) = 3),
	host inet NOT NULL DEFAULT '10.0.0.1',
	phone text NOT NULL CHECK (phone ~ '^\+1 [2-9]\d{2} \d+$'),
	odd text NOT NULL CHECK (odd ~ '^(a|b)+$' OR odd LIKE 'odd%'),
	stock small_amount,
	note watched,
	colour integer REFERENCES colours,
	price money NOT NULL CHECK (price BETWEEN '0'::money AND '100'::money),
	packed interval CHECK (packed >= '0' AND packed <= '3 days'),
	opens time NOT NULL,
	closes time NOT NULL,
	replaces bigint REFERENCES products,
	label text GENERATED ALWAYS AS (upper(sku)) STORED,
	CHECK (closes > opens));
INSERT INTO products (sku, ean, batch, language, phone, odd, stock, colour, price, packed, opens, closes, replaces)
SELECT 'XY' || to_char(i, 'FM0000'), '978-' || to_char(i, 'FM00000'), 'B_' || i, 'eng', '+1 212 ' || i, 'ab', 1 + i % 40, 1 + i % 3, (i % 90)::numeric::money,
	   CASE WHEN i % 5 > 0 THEN i % 60 * interval '1 hour' END, time '07:00' + i % 4 * interval '30 min', time '15:00' + i % 9 * interval '1 hour', CASE WHEN i > 10 THEN 1 + i % 10 END
  FROM generate_series(1, 2000) i;
CREATE TABLE orders (
	id serial PRIMARY KEY,
	product bigint NOT NULL REFERENCES products,
	colour integer NOT NULL REFERENCES colours,
	meta jsonb NOT NULL DEFAULT '{}',
	paid boolean NOT NULL);
INSERT INTO orders (product, colour, meta, paid) SELECT 1 + i % 2000, 1 + i % 3, jsonb_build_object('plan', (ARRAY['basic', 'gold'])[1 + i % 2], 'items', i % 9), i % 4 > 0 FROM generate_series(1, 3000) i;
SELECT dp_protect('products', 1000000, 0.1), dp_protect('orders', 1000000, 0.1);
SELECT dp_grant(r, 'regress_dp_87_analyst', 1000, 0.01) FROM unnest('{products,orders}'::regclass[]) r;
-- a number of so many digits, which numbers so many rows
SELECT dp_define_column('products', 'note', fill => 'L{n:2}-{n:19}');
SELECT dp_define_column('products', 'note');
SELECT dp_define_column('products', 'ean', key => true, fill => '{n:3}');
SELECT dp_define_column('products', 'ean', key => true, fill => '999-{n:5}');
SELECT dp_define_column('products', 'ean');

-- what the schema says is enough
SELECT column_name, kind, source, CASE WHEN kind IN ('key', 'fill') THEN labels END FROM dp_columns WHERE relation = 'products'::regclass ORDER BY ordinal;
SELECT column_name, kind, source, CASE WHEN kind IN ('key', 'fill') THEN labels END FROM dp_columns WHERE relation = 'orders'::regclass ORDER BY ordinal;

-- an analyst's table asks what the custodian's domain types do
SET SESSION AUTHORIZATION regress_dp_87_analyst;
SELECT synthetic, rows FROM dp_create_synthetic('{products}', 'made87', 1, 1e-9, '{"method": "mst", "rows": 500}', 1);
SELECT attname, format_type(atttypid, atttypmod), attnotnull FROM pg_attribute WHERE attrelid = 'made87.products'::regclass AND attname IN ('sku', 'stock', 'note') ORDER BY attnum;
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'made87.products'::regclass AND contype = 'c' AND conname <> 'products_price_check' ORDER BY 1;
SELECT count(*), count(DISTINCT sku), count(DISTINCT ean), count(DISTINCT batch), min(country), min(language), min(host), min(phone), min(odd), min(stock) > 0, max(stock) < 50, count(note),
	   count(replaces) BETWEEN 450 AND 499, bool_and(closes > opens), count(DISTINCT label) > 1 FROM made87.products;
SELECT id, sku, ean, batch FROM made87.products ORDER BY id LIMIT 2;
-- beyond what a key can number
SELECT count(*) FROM dp_sample(NULL::products, (SELECT max(release) FROM dp_releases), 10000);
RESET SESSION AUTHORIZATION;
CREATE TABLE few (id varchar(2) PRIMARY KEY, flag boolean NOT NULL);
INSERT INTO few SELECT chr(65 + i / 26) || chr(65 + i % 26), i % 2 = 0 FROM generate_series(0, 599) i;
SELECT dp_protect('few', 1000);
SET client_min_messages = notice;
SELECT count(DISTINCT id) FROM dp_sample(NULL::few, dp_release('few', 'sba', 100, options => '{"dense_cells": 10}'), seed => 1);
SET client_min_messages = error;
-- runs of digits that may go on number any rows; those up to a length number as many as fit
CREATE TABLE runs (a text NOT NULL UNIQUE CHECK (a ~ '^\+1 [2-9]\d{2} \d+$'), b text NOT NULL UNIQUE CHECK (b ~ '^AB\d{4,}$'),
	c text NOT NULL UNIQUE CHECK (c ~ '^\d{2,6}$'), flag boolean NOT NULL);
INSERT INTO runs SELECT '+1 212 ' || i, 'AB' || to_char(i, 'FM0000'), to_char(i, 'FM0000'), i % 2 = 0 FROM generate_series(1, 500) i;
SELECT dp_protect('runs', 1000);
SELECT max(a), max(b), max(c), count(DISTINCT (a, b, c)) FROM dp_sample(NULL::runs, dp_release('runs', 'sba', 100, options => '{"dense_cells": 10}'), 20000, 1);
-- of groups and branches the first ones
CREATE TABLE branches (a text NOT NULL UNIQUE CHECK (a ~ '^(ORD|RET)-[0-9]{6}$'), b text NOT NULL CHECK (b ~ '^(?:(AB|C)x){2}(-\d)?$'),
	c text NOT NULL UNIQUE CHECK (c ~ '^[a-z]{2}(-[a-z]+)*\.(0|[1-9]\d*)$|^none$' AND c ~ '^[a-z]{2}\.\d+$'), flag boolean NOT NULL);
INSERT INTO branches SELECT 'RET-' || to_char(i, 'FM000000'), 'CxABx-1', 'de.' || i, i % 2 = 0 FROM generate_series(1, 500) i;
SELECT dp_protect('branches', 1000);
SELECT min(a), max(a), min(b), min(c), count(DISTINCT (a, c)) FROM dp_sample(NULL::branches, dp_release('branches', 'sba', 100, options => '{"dense_cells": 10}'), 20000, 1);
-- anchors may stand around each branch; a class ends where its bracket closes
CREATE TABLE anchors (a text NOT NULL CHECK (a ~ '^ab|^cd'), b text NOT NULL CHECK (b ~ '^(?:(^a)[x[:digit:]]$|^c$)'),
	c text NOT NULL CHECK (c ~ '^[[:digit:]]{3}[]x][a\]][[:upper:]]$'), d text NOT NULL UNIQUE CHECK (d ~ '^(K|L)[[:digit:]]+$|^none$'), flag boolean NOT NULL);
INSERT INTO anchors SELECT 'cde', 'a1', '123]aX', 'L' || i, i % 2 = 0 FROM generate_series(1, 500) i;
SELECT dp_protect('anchors', 1000);
SELECT column_name, labels FROM dp_columns WHERE relation = 'anchors'::regclass AND column_name <> 'flag' ORDER BY column_name;
-- what no text matches makes no pattern: an anchor within, or twice
CREATE TABLE nowhere (a text CHECK (a ~ '^a$b'), b text CHECK (b ~ '(^a){2}'), c text CHECK (c ~ '(a$)b'), flag boolean NOT NULL);
SELECT dp_protect('nowhere', 1000);
SELECT column_name, labels FROM dp_columns WHERE relation = 'nowhere'::regclass AND labels IS NOT NULL ORDER BY column_name;
-- foreign keys to protected relations are numbers where any would do; the first key is not the only one
CREATE TABLE people (id integer PRIMARY KEY, flag boolean NOT NULL);
INSERT INTO people SELECT i, i % 2 = 0 FROM generate_series(1, 99) i;
CREATE TABLE visits (a integer NOT NULL REFERENCES people, b text UNIQUE, c integer NOT NULL REFERENCES people CHECK (c BETWEEN 1 AND 99),
	d integer REFERENCES colours REFERENCES people, flag boolean NOT NULL);
INSERT INTO visits SELECT 1 + i % 99, i, 1 + i % 99, 1 + i % 3, i % 2 = 0 FROM generate_series(1, 500) i;
SELECT dp_protect('people', 1000), dp_protect('visits', 1000);
-- digits are 1 to 19
SELECT dp_define_column('visits', 'b', fill => 'x{n:0}');
SELECT max(a), count(DISTINCT b), max(c), count(d), count(*) FROM dp_sample(NULL::visits, dp_release('visits', 'sba', 100, options => '{"dense_cells": 10, "columns": ["flag"]}'), 20000);
-- fields of a jsonb column
SET SESSION AUTHORIZATION regress_dp_87_owner;
SELECT dp_define_column('orders', 'meta->>''plan''', categories => '{basic,gold}'), dp_define_column('orders', '(meta->>''items'')::int', range => '{0,20}');
SET SESSION AUTHORIZATION regress_dp_87_analyst;
SELECT synthetic, rows FROM dp_create_synthetic('{orders}', 'made87', 100, 1e-9, '{"method": "mst", "rows": 500}', 1);
SELECT bool_and(meta ->> 'plan' IN ('basic', 'gold') AND (meta ->> 'items')::int BETWEEN 0 AND 20), max(product) FROM made87.orders;
RESET SESSION AUTHORIZATION;
-- a domain over a domain is kept where that is; over one that runs code, or is another role's, it gives way
CREATE SCHEMA own87 AUTHORIZATION regress_dp_87_owner;
SET SESSION AUTHORIZATION regress_dp_87_owner;
CREATE DOMAIN tiny AS small_amount CHECK (VALUE < 9);
CREATE DOMAIN watched_too AS watched;
CREATE TABLE nested (id serial PRIMARY KEY, stock tiny, several small_amount[] NOT NULL, note watched_too);
INSERT INTO nested (stock, several) SELECT 1 + i % 7, ARRAY[1 + i % 3] FROM generate_series(1, 500) i;
SELECT dp_protect('nested', 1000000, 0.1), dp_grant('nested', 'regress_dp_87_analyst', 1000, 0.01);
SELECT dp_define_column('nested', 'several', categories => '{"{1}","{2}","{3}"}');
SELECT rows FROM dp_create_synthetic('nested', 'own87', 1, 1e-9, '{"method": "mst", "rows": 500}', 1);
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'own87.nested'::regclass AND attnum > 1 ORDER BY attnum;
SET SESSION AUTHORIZATION regress_dp_87_analyst;
SELECT rows FROM dp_create_synthetic('nested', 'made87', 1, 1e-9, '{"method": "mst", "rows": 500}', 1);
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'made87.nested'::regclass AND attnum > 1 ORDER BY attnum;
RESET SESSION AUTHORIZATION;
DROP SCHEMA own87 CASCADE;
-- and the table's own rows fit
CREATE TABLE made87.copy (LIKE products INCLUDING ALL);
SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS columns FROM pg_attribute WHERE attrelid = 'products'::regclass AND attnum > 0 AND attgenerated = '' \gset
INSERT INTO made87.copy (:columns) OVERRIDING SYSTEM VALUE SELECT :columns FROM dp_sample(NULL::products, (SELECT max(release) FROM dp_releases WHERE relation_name LIKE '%products'), 500);
SELECT count(*) FROM made87.copy;
DROP SCHEMA made87 CASCADE;
DROP OWNED BY regress_dp_87_owner, regress_dp_87_analyst CASCADE;
DROP SCHEMA t87 CASCADE;
DROP ROLE regress_dp_87_owner, regress_dp_87_analyst;
