-- dp_evaluate of a whole database, by schemas: what is modelled is compared, what is made up is told and is in no mean, public
-- tables are copied, and no type makes it fail.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA shop;
CREATE SCHEMA shop_copy;
CREATE SCHEMA shop_empty;
CREATE ROLE regress_dp_shop_reader;
SET client_min_messages = warning;
SET search_path = shop, public;
CREATE TABLE country (code text PRIMARY KEY, name text NOT NULL);
CREATE TABLE customer (id integer PRIMARY KEY, name text NOT NULL, sex text NOT NULL CHECK (sex IN ('f', 'm')),
	country text NOT NULL REFERENCES country, initial text GENERATED ALWAYS AS (left(name, 1)) STORED, chief integer REFERENCES customer,
	notes json, page xml, home point);
CREATE TABLE purchase (customer integer NOT NULL REFERENCES customer, year integer NOT NULL CHECK (year BETWEEN 2001 AND 2004),
	paid boolean NOT NULL, detail json, place point, PRIMARY KEY (customer, year));
CREATE TABLE log (id integer PRIMARY KEY, customer integer NOT NULL REFERENCES customer, kind text, body json, at point);
CREATE TABLE left_alone (id integer);
INSERT INTO country VALUES ('at', 'Austria'), ('de', 'Germany');
INSERT INTO customer (id, name, sex, country, chief, notes, page, home)
	SELECT i, 'name ' || i, CASE WHEN i % 2 = 0 THEN 'f' ELSE 'm' END, CASE WHEN i % 4 = 0 THEN 'at' ELSE 'de' END,
		CASE WHEN i > 20 THEN i - 20 END, CASE WHEN i % 5 > 0 THEN '{}'::json END, '<a/>', '(1,2)' FROM generate_series(1, 40) i;
INSERT INTO purchase SELECT i, 2000 + k, k > 1, '{}', '(0,0)' FROM generate_series(1, 40) i, generate_series(1, 2) k;
INSERT INTO log SELECT i, i / 2 + 1, 'k' || i % 2, '{}', '(1,1)' FROM generate_series(1, 10) i;
SELECT dp_declare_public('country');
SELECT dp_protect('customer', 10);
SELECT dp_protect('purchase', parent => 'customer', max_rows_per_unit => 2);
SELECT dp_define_column('customer', 'name', fill => 'somebody {n}');
CREATE TABLE shop_copy.country AS TABLE country;
CREATE TABLE shop_copy.customer (LIKE customer INCLUDING GENERATED);
INSERT INTO shop_copy.customer (id, name, sex, country) SELECT i, 'somebody ' || i, CASE WHEN i % 2 = 0 THEN 'f' ELSE 'm' END,
	CASE WHEN i % 4 = 0 THEN 'at' ELSE 'de' END FROM generate_series(1, 20) i;
CREATE TABLE shop_copy.purchase AS SELECT * FROM purchase WHERE customer <= 22;
CREATE TABLE shop_copy.log AS SELECT * FROM log WHERE id <= 5;
RESET client_min_messages;

CREATE TEMP TABLE judged AS SELECT * FROM dp_evaluate('shop', 'shop_copy');
SELECT columns, value, original, synthetic, detail FROM judged WHERE measure = 'modelled' ORDER BY 1;
SELECT columns, original, synthetic, detail FROM judged WHERE measure = 'made_up' ORDER BY 1;
SELECT columns, original, synthetic FROM judged WHERE measure = 'rows' ORDER BY 1;
SELECT columns, original, synthetic FROM judged WHERE measure = 'null_share' ORDER BY 1;
SELECT columns, original, synthetic FROM judged WHERE measure = 'orphans' ORDER BY 1;
SELECT columns, detail FROM judged WHERE measure = 'skipped' ORDER BY 1, 2;
SELECT columns, original FROM judged WHERE measure = 'same_as_sibling' ORDER BY 1;
-- the means are of what is modelled, and of tables that are not protected
SELECT measure, columns, value < 0.2, detail FROM judged WHERE columns[1] = '*' ORDER BY 1, 2;
-- by keys that do not say whose a row is, too
SELECT measure, columns FROM judged WHERE measure = 'tvd2' AND columns[1] ~ '\..*\.' ORDER BY 1, 2;
SELECT count(*) FROM judged, unnest(columns) c WHERE measure NOT IN ('made_up', 'orphans') AND c IN ('customer.name', 'customer.initial', 'customer.id', 'customer.chief');
-- but for what is asked for
SELECT columns, value FROM dp_evaluate('{customer,purchase}', '{shop_copy.customer,shop_copy.purchase}', '{"columns": ["customer.name"]}') WHERE measure = 'tvd1';
SELECT columns FROM dp_evaluate('{customer,purchase}', '{shop_copy.customer,shop_copy.purchase}', '{"columns": ["customer.name"]}') WHERE measure = 'made_up' ORDER BY 1;
-- one table by itself is all of it, and no type makes it fail
SELECT measure, columns, value FROM dp_evaluate('log', 'shop_copy.log') WHERE measure IN ('tvd1', 'skipped') ORDER BY 1, 2;

-- the page: what is modelled, and what is not
SELECT dp_report('shop', 'shop_copy') AS page \gset
SELECT :'page' ~ 'class="branch"', :'page' ~ '<h2>customer: Column by column', :'page' ~ '<h2>country: ', :'page' ~ '<script|https?:|url\(|src=|href=';
SELECT regexp_replace(r[1], '<[^>]*>', ' ', 'g') FROM regexp_matches(:'page', '<tr class="of-table">(.*?)</tr>', 'g') r;
SELECT regexp_replace(r[1], '<[^>]*>', ' ', 'g') FROM regexp_matches(:'page', '<tr class="made-up">(.*?)</tr>', 'g') r;
SELECT regexp_replace(t[1], '<[^>]*>', ' ', 'g') FROM regexp_matches(:'page', '<li><b>.*?</li>', 'g') t;

-- who may not know how relations are protected compares all of them
GRANT USAGE ON SCHEMA shop, shop_copy TO regress_dp_shop_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA shop, shop_copy TO regress_dp_shop_reader;
SET ROLE regress_dp_shop_reader;
SELECT measure, count(*) FROM dp_evaluate('shop', 'shop_copy') WHERE measure IN ('modelled', 'made_up') GROUP BY 1;
SELECT columns FROM dp_evaluate('shop', 'shop_copy') WHERE measure = 'null_share' AND columns[1] LIKE 'customer%' ORDER BY 1;
RESET ROLE;

-- bad requests
SELECT count(*) FROM dp_evaluate('shop', 'shop_empty');
SELECT count(*) FROM dp_evaluate('shop', 'shop_copy.customer');
SELECT count(*) FROM dp_evaluate('customer', 'shop_copy');
SELECT count(*) FROM dp_evaluate('no_such_schema', 'shop_copy');
SELECT dp_report('shop', 'shop_copy', '{"propensity": true}');

-- names that are too long for that of a pair
CREATE SCHEMA shop_long; CREATE SCHEMA shop_long_copy;
CREATE TABLE shop_long.warehouse (id integer PRIMARY KEY, kind_of_goods_that_it_can_store_a text, kind_of_goods_that_it_can_store_b text, city text);
CREATE TABLE shop_long.delivery_of_goods_to_customer (id integer PRIMARY KEY, packed_in_this_warehouse integer REFERENCES shop_long.warehouse, weight integer);
INSERT INTO shop_long.warehouse SELECT i, 'a' || i % 3, 'b' || i % 2, 'c' || i % 2 FROM generate_series(1, 6) i;
INSERT INTO shop_long.delivery_of_goods_to_customer SELECT i, 1 + i % 6, i % 5 FROM generate_series(1, 100) i;
CREATE TABLE shop_long_copy.warehouse AS TABLE shop_long.warehouse;
CREATE TABLE shop_long_copy.delivery_of_goods_to_customer AS TABLE shop_long.delivery_of_goods_to_customer;
SELECT dp_declare_public('shop_long.warehouse'), dp_protect('shop_long.delivery_of_goods_to_customer', 1);
SELECT measure, columns, value, detail FROM dp_evaluate('shop_long', 'shop_long_copy') WHERE detail LIKE '%long%' OR measure = 'tvd2' AND columns::text LIKE '%city%' ORDER BY 2, 1;
RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA shop, shop_copy, shop_empty, shop_long, shop_long_copy CASCADE;
DROP ROLE regress_dp_shop_reader;
