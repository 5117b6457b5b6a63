-- Tables that hold nobody's data: declaring them, modelling references to them, and asking by their columns.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA goods;
CREATE SCHEMA shelf;
CREATE SCHEMA rack;
CREATE ROLE regress_dp_goods_owner;
CREATE ROLE regress_dp_goods_lister;
CREATE ROLE regress_dp_goods_analyst;
GRANT USAGE, CREATE ON SCHEMA goods TO regress_dp_goods_owner, regress_dp_goods_lister;
GRANT USAGE ON SCHEMA goods TO regress_dp_goods_analyst;
GRANT USAGE, CREATE ON SCHEMA shelf TO regress_dp_goods_analyst;
GRANT USAGE, CREATE ON SCHEMA rack TO regress_dp_goods_owner;
SET search_path = goods, public;
SET client_min_messages = warning;
-- a list of somebody else's, in which a type of a user's stands: nothing of it may run
SET SESSION AUTHORIZATION regress_dp_goods_lister;
CREATE TYPE colour AS ENUM ('red', 'green');
CREATE FUNCTION planted(colour) RETURNS text LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'planted code ran as %', current_user; END$$;
CREATE CAST (colour AS text) WITH FUNCTION planted(colour) AS IMPLICIT;
CREATE FUNCTION planted(colour, text) RETURNS boolean LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'planted code ran as %', current_user; END$$;
CREATE OPERATOR = (LEFTARG = colour, RIGHTARG = text, FUNCTION = planted);
CREATE TABLE continent (code text PRIMARY KEY, name text NOT NULL);
INSERT INTO continent VALUES ('eu', 'Europe'), ('as', 'Asia'), ('af', 'Africa');
CREATE TABLE country (code char(2) PRIMARY KEY, name text NOT NULL UNIQUE, continent text REFERENCES continent, flag colour);
INSERT INTO country SELECT chr(97 + i / 10) || chr(97 + i % 10), 'country ' || i, (ARRAY['eu', 'as', 'af', NULL])[1 + i % 4], (ARRAY['red', 'green'])[1 + i % 2]::colour
  FROM generate_series(0, 39) i;
GRANT REFERENCES ON country TO regress_dp_goods_owner;
SET SESSION AUTHORIZATION regress_dp_goods_owner;
CREATE TABLE part (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, k text NOT NULL, v integer CHECK (v >= 0), made date,
	twice integer GENERATED ALWAYS AS (v * 2) STORED);
INSERT INTO part (k, v, made) SELECT 'brand ' || i % 20, i % 10, date '2020-01-01' + i % 7 FROM generate_series(1, 2000) i;
CREATE TABLE seller (part integer REFERENCES part, shop integer, PRIMARY KEY (part, shop));
INSERT INTO seller SELECT 1 + i % 2000, 1 + (i / 2000 + i) % 5 FROM generate_series(0, 5999) i;
CREATE TABLE person (id integer PRIMARY KEY, home char(2) REFERENCES country, sex text NOT NULL CHECK (sex IN ('f', 'm')));
CREATE TABLE buys (id integer PRIMARY KEY, person integer NOT NULL REFERENCES person, k integer NOT NULL REFERENCES part, shop integer CHECK (shop BETWEEN 1 AND 5),
	price integer NOT NULL CHECK (price BETWEEN 0 AND 99), FOREIGN KEY (k, shop) REFERENCES seller);
-- nobody else's key has letters from e on; 'home' is missing in a fifth; prices are told by brands
INSERT INTO person SELECT i, CASE WHEN i % 5 > 0 THEN chr(97 + i % 2) || chr(97 + i % 10) END, (ARRAY['f', 'm'])[1 + i % 2] FROM generate_series(1, 1000) i;
INSERT INTO buys SELECT i, 1 + i % 1000, s.part, s.shop, 4 * (s.part % 20) + i % 4
  FROM generate_series(1, 3000) i JOIN LATERAL (SELECT part, shop FROM seller WHERE part = 1 + i * 7 % 2000 LIMIT 1) s ON true;

-- ---- who may declare what
SELECT dp_declare_public('country');
SELECT dp_declare_public(NULL);
SELECT dp_declare_public('part', NULL);
SELECT dp_declare_public('part'), dp_declare_public('part'), dp_declare_public('seller');
SET SESSION AUTHORIZATION regress_dp_goods_lister;
SELECT dp_declare_public('country'), dp_declare_public('continent');
SET SESSION AUTHORIZATION regress_dp_goods_analyst;
-- nobody's data is not everybody's: without a budget, or the right to read it, there is no copy
SELECT * FROM dp_catalog.dp_public_rows('continent') AS c(code text);
SELECT relation, custodian, declared_by, declared_at <= now() FROM dp_public_relations ORDER BY relation::text;
SET SESSION AUTHORIZATION regress_dp_goods_owner;
CREATE VIEW seen AS SELECT * FROM part;
CREATE MATERIALIZED VIEW kept AS SELECT * FROM part;
CREATE TEMP TABLE gone (i integer);
CREATE TABLE policed (i integer); ALTER TABLE policed ENABLE ROW LEVEL SECURITY;
SELECT dp_declare_public('seen');
SELECT dp_declare_public('kept');
\set VERBOSITY sqlstate
SELECT dp_declare_public('gone'); -- its schema has the session's number
\set VERBOSITY default
SELECT dp_declare_public('policed');
RESET SESSION AUTHORIZATION;
SELECT dp_declare_public('pg_class');
SELECT dp_declare_public('dp_catalog.dp_dataset');
SET SESSION AUTHORIZATION regress_dp_goods_owner;

-- ---- what is protected, or tells of it, is not public; and the other way round
SET client_min_messages = error;
SELECT dp_protect('person', 1000000, 0.1), dp_protect('buys', parent => 'person', max_rows_per_unit => 3);
SET client_min_messages = warning;
SELECT dp_declare_public('person');
CREATE TABLE remark (person integer REFERENCES person, words text);
SELECT dp_declare_public('remark');
CREATE TABLE above (i integer) PARTITION BY LIST (i);
CREATE TABLE below PARTITION OF above FOR VALUES IN (1);
CREATE TABLE beside PARTITION OF above FOR VALUES IN (2);
CREATE TABLE points_at (i integer, person integer REFERENCES person) PARTITION BY LIST (i);
CREATE TABLE points_at_1 PARTITION OF points_at FOR VALUES IN (1);
SELECT dp_protect('below', 1);
SELECT dp_declare_public('above');
SELECT dp_declare_public('below');
SELECT dp_declare_public('points_at_1');
SELECT dp_declare_public('beside');
SELECT dp_protect('above', 1);
SELECT dp_unprotect('below');
SELECT dp_declare_public('below');
SELECT dp_protect('part', 1);
SELECT dp_protect('beside', 1);
SELECT dp_declare_public('beside', false), dp_declare_public('beside', false);
SELECT dp_protect('beside', 1);
CREATE TABLE tells (i integer PRIMARY KEY); CREATE TABLE told (i integer REFERENCES tells);
SELECT dp_declare_public('told');
SELECT dp_protect('tells', 1);
CREATE VIEW both_read AS SELECT p.id, p.sex, c.v FROM person p JOIN part c ON c.id = p.id;
SELECT dp_protect('both_read', 1);
SELECT dp_protect('both_read', 1, public_relations => '{part}');
SELECT dp_unprotect('both_read');

-- ---- a reference to a public table needs no declaration
SELECT relation, column_name, kind, source, levels, labels[1:4], has_other FROM dp_columns WHERE source = 'public table' ORDER BY 1, 2;
SET client_min_messages = notice;
SELECT count(*) > 1 FROM dp_explain('{person,buys}', 'mst', 1, 1e-9);
SET client_min_messages = warning;
-- what is declared comes first, of the column and of its hierarchy
SELECT dp_define_column('person', 'home', categories => '{aa,bb}');
SELECT source, labels FROM dp_columns WHERE column_name = 'home';
SELECT dp_define_column('person', 'home');
SELECT dp_define_hierarchy('person', 'home', prefixes => '{1}');
SELECT column_name, hierarchy, source FROM dp_columns WHERE column_name = 'home';
SELECT dp_define_hierarchy('person', NULL, '{}');
-- the column's type says which keys it can hold
CREATE TABLE wide (id bigint PRIMARY KEY, word text UNIQUE); INSERT INTO wide VALUES (1, 'a'), (2, 'bcd'), (70000, 'ef');
CREATE TABLE narrow (id integer PRIMARY KEY, small smallint REFERENCES wide, word varchar(2) REFERENCES wide (word));
SELECT dp_declare_public('wide'), dp_protect('narrow', 1);
SELECT column_name, labels FROM dp_columns WHERE relation = 'narrow'::regclass AND source = 'public table' ORDER BY 1;
-- an empty one says nothing
CREATE TABLE empty (id integer PRIMARY KEY); CREATE TABLE refers (id integer PRIMARY KEY, e integer REFERENCES empty);
SELECT dp_declare_public('empty'), dp_protect('refers', 1);
SELECT column_name, kind, source FROM dp_columns WHERE relation = 'refers'::regclass;

-- ---- copied as they are, for who may read neither; every key is kept
SELECT dp_grant('person', 'regress_dp_goods_analyst', 900000, 0.01);
SET SESSION AUTHORIZATION regress_dp_goods_analyst;
SELECT count(*) FROM goods.country;
SELECT * FROM dp_create_synthetic('{continent,country,part,seller,person,buys}', 'shelf', 300000, 1e-9, options => '{"method": "mst"}', seed => 1) WHERE relation NOT IN ('person'::regclass, 'buys'::regclass);
SELECT conrelid::regclass, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'shelf'::regnamespace AND contype = 'f' ORDER BY conrelid::regclass::text COLLATE "C", pg_get_constraintdef(oid) COLLATE "C";
SELECT count(*), count(*) FILTER (WHERE twice = 2 * v) FROM shelf.part;
INSERT INTO shelf.part (k, v) VALUES ('new', 1) RETURNING id;
DELETE FROM shelf.part WHERE k = 'new';
RESET SESSION AUTHORIZATION;
SELECT count(*) FROM (SELECT code, name, continent, dp_catalog.dp_text(flag) FROM country EXCEPT SELECT code, name, continent, dp_catalog.dp_text(flag) FROM shelf.country) x;
SELECT count(*) FROM (TABLE seller EXCEPT TABLE shelf.seller) x;
-- rows like the originals: a fifth without a home, others in the countries that occur, prices by brands
SELECT abs(count(*) - 1000) < 10, abs(count(*) FILTER (WHERE home IS NULL) - 200) < 10, count(*) FILTER (WHERE home >= 'e') FROM shelf.person;
SELECT abs(count(*) - 3000) < 100, count(*) FILTER (WHERE (k, shop) IN (SELECT part, shop FROM shelf.seller)) = count(*) FROM shelf.buys;
SELECT max(abs(t.price - s.price)) < 8 FROM (SELECT p.k, avg(price) AS price FROM buys b JOIN part p ON p.id = b.k GROUP BY 1) t
  JOIN (SELECT p.k, avg(price) AS price FROM shelf.buys b JOIN shelf.part p ON p.id = b.k GROUP BY 1) s USING (k);
-- referred to where they stand, with the privilege; else named
SET SESSION AUTHORIZATION regress_dp_goods_analyst;
DROP TABLE shelf.buys, shelf.person;
SELECT rows > 900 FROM dp_create_synthetic('person', 'shelf', 1000, options => '{"method": "marginal"}', seed => 1);
SELECT count(*) FROM pg_constraint WHERE conrelid = 'shelf.person'::regclass AND contype = 'f';
RESET SESSION AUTHORIZATION;
GRANT REFERENCES ON country TO regress_dp_goods_analyst;
SET SESSION AUTHORIZATION regress_dp_goods_analyst;
SET client_min_messages = warning;
DROP TABLE shelf.person;
SELECT rows > 900 FROM dp_create_synthetic('person', 'shelf', 1000, options => '{"method": "marginal"}', seed => 1);
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'shelf.person'::regclass AND contype = 'f';
SELECT dp_create_synthetic('{country,continent}', 'shelf', 1);
SELECT dp_create_synthetic('{remark,person}', 'shelf', 1);

-- ---- asked for by name
SELECT dp_release('{person,buys}', 'mst', 300000, 1e-9) AS release \gset
-- which public tables it stands on
SELECT relation = 'person'::regclass, relation, relation_name, public_relations FROM dp_releases WHERE release = :release;
SELECT dp_report(:release) ~ '<dt>Public tables</dt><dd>[^<]*goods.continent';
SELECT cell, round(estimate / 10), basis FROM dp_answer(:release, '{continent.name}') ORDER BY cell::text;
SELECT cell, round(estimate / 10) FROM dp_answer(:release, '{sex,home.continent}', '{"country.continent": ["eu", null]}') ORDER BY cell::text;
SELECT cell, round(estimate::numeric, 1) FROM dp_answer(:release, '{continent.name}', measure => 'rate') ORDER BY cell::text;
SELECT dp_answer(:release, '{continent.name}', '{"sex": "f"}', measure => 'rate');
SELECT dp_answer(:release, '{}', '{"continent.name": "nowhere"}');
SELECT dp_answer(:release, '{continent.nothing}');
SELECT count(*), round(sum(estimate)::numeric, -3) FROM dp_answer(:release, '{part.k}', relation => 'buys');
RESET SESSION AUTHORIZATION;
SELECT dp_grant('buys', 'regress_dp_goods_owner', 900000, 0.01);
SET SESSION AUTHORIZATION regress_dp_goods_owner;
SELECT cell, round(estimate) FROM dp_query(NULL::person, '{count(*)}', 10000, by => '{continent.name}');
RESET SESSION AUTHORIZATION;
GRANT SELECT ON country, continent TO regress_dp_goods_owner;
SET SESSION AUTHORIZATION regress_dp_goods_owner;
SELECT cell, round(estimate) FROM dp_query(NULL::person, '{count(*)}', 10000, by => '{continent.name}', filter => '{"home.flag": "red"}') ORDER BY cell::text;
-- columns that are called as the statement calls its own
SELECT count(*), bool_and(round(q.estimate) = t.n) FROM dp_query(NULL::buys, '{count(*)}', 100000, by => '{part.k,person.continent.name}', filter => '{"part.v": [1, 2, 3]}') q
  JOIN (SELECT p.k, t.name, count(*) AS n FROM buys b JOIN part p ON p.id = b.k JOIN person o ON o.id = b.person LEFT JOIN country c ON c.code = o.home
		  LEFT JOIN continent t ON t.code = c.continent WHERE p.v IN (1, 2, 3) GROUP BY 1, 2) t
	ON t.k = q.cell ->> 'part.k' AND t.name IS NOT DISTINCT FROM q.cell ->> 'person.continent.name';
SELECT round(q.estimate::numeric, 2) = round(t.v, 2) FROM dp_query(NULL::buys, '{avg(part.v)}', 100000) q, (SELECT avg(v) AS v FROM buys JOIN part ON part.id = buys.k) t;

-- ---- what has become protected since is found before anything is spent
SELECT count(*) AS spent FROM dp_ledger \gset
ALTER TABLE seller ADD bought integer REFERENCES buys;
SELECT dp_create_synthetic('{seller,buys}', 'rack', 1);
ALTER TABLE seller DROP bought;
ALTER TABLE part ADD owner integer REFERENCES person;
SELECT dp_release('buys', 'marginal', 1);
SELECT dp_explain('buys', 'marginal', 1);
SELECT dp_query(NULL::buys, '{count(*)}', 1, by => '{part.k}');
SELECT dp_create_synthetic('{part,buys}', 'rack', 1);
ALTER TABLE part DROP owner;
CREATE TABLE secret_parts (LIKE part INCLUDING ALL);
ALTER TABLE secret_parts ALTER id DROP IDENTITY;
SELECT dp_protect('secret_parts', 1);
ALTER TABLE secret_parts INHERIT part;
SELECT dp_release('buys', 'marginal', 1);
ALTER TABLE secret_parts NO INHERIT part;
ALTER TABLE part ENABLE ROW LEVEL SECURITY;
SELECT dp_release('buys', 'marginal', 1);
ALTER TABLE part DISABLE ROW LEVEL SECURITY;
-- what this transaction has changed is not what the worker reads
BEGIN;
INSERT INTO part (k) VALUES ('new');
SELECT dp_release('buys', 'marginal', 1);
ROLLBACK;
-- taken back, it is a number like others
SELECT dp_declare_public('part', false);
SELECT kind, source FROM dp_columns WHERE relation = 'buys'::regclass AND column_name = 'k';
SELECT count(*) - :spent FROM dp_ledger;
DROP TABLE wide CASCADE;
SELECT relation FROM dp_public_relations ORDER BY relation::text;

RESET SESSION AUTHORIZATION;
SET client_min_messages = error;
DROP SCHEMA goods, shelf, rack CASCADE;
DROP OWNED BY regress_dp_goods_owner, regress_dp_goods_lister, regress_dp_goods_analyst;
DROP ROLE regress_dp_goods_owner, regress_dp_goods_lister, regress_dp_goods_analyst;
