-- The script that protects a schema: who looks like a person, what belongs to whom, what is nobody's.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA firm;
CREATE ROLE regress_dp_firm_owner;
CREATE ROLE regress_dp_firm_other;
GRANT USAGE, CREATE ON SCHEMA firm TO regress_dp_firm_owner;
GRANT USAGE ON SCHEMA firm TO regress_dp_firm_other;
SET client_min_messages = warning;
SET search_path = firm, public;
SET SESSION AUTHORIZATION regress_dp_firm_owner;
CREATE TABLE continent (code text PRIMARY KEY);
CREATE TABLE country (code text PRIMARY KEY, continent text NOT NULL REFERENCES continent);
CREATE TABLE home (id integer PRIMARY KEY, street text, country text REFERENCES country);
CREATE TABLE "Employee" (id integer PRIMARY KEY, "lastName" text, birth date, chief integer REFERENCES "Employee", password text);
CREATE TABLE shop (id integer PRIMARY KEY, manager integer NOT NULL UNIQUE REFERENCES "Employee", country text REFERENCES country);
CREATE TABLE customers (id integer PRIMARY KEY, name text, email text, home integer REFERENCES home, served_by integer REFERENCES "Employee", shop integer REFERENCES shop,
	country text REFERENCES country, kind text, code text);
CREATE TABLE "order" (id integer PRIMARY KEY, taken_by integer NOT NULL REFERENCES "Employee", customer integer NOT NULL REFERENCES customers, ordered date NOT NULL, changed timestamp);
CREATE TABLE line ("order" integer REFERENCES "order", line_no integer, goods integer NOT NULL, note text, PRIMARY KEY ("order", line_no));
CREATE TABLE season (customer integer REFERENCES customers, year integer, spent integer, PRIMARY KEY (customer, year));
CREATE TABLE goods (id integer PRIMARY KEY, name text, price numeric(6,2));
ALTER TABLE line ADD FOREIGN KEY (goods) REFERENCES goods;
CREATE TABLE goods_tag (goods integer REFERENCES goods, tag integer, PRIMARY KEY (goods, tag));
CREATE TABLE hits (at timestamp, page text);
CREATE TABLE payment (customer integer, at date NOT NULL) PARTITION BY RANGE (at);
CREATE TABLE payment_1 PARTITION OF payment (FOREIGN KEY (customer) REFERENCES customers) FOR VALUES FROM ('2020-01-01') TO ('2030-01-01');
CREATE TABLE "odd
DROP TABLE continent CASCADE; --'" (i integer REFERENCES customers, "a
b" integer);
CREATE VIEW seen AS SELECT * FROM customers;
INSERT INTO continent VALUES ('eu'), ('as');
INSERT INTO country SELECT 'c' || i, (ARRAY['eu', 'as'])[1 + i % 2] FROM generate_series(1, 12) i;
INSERT INTO home SELECT i, 'street ' || i, 'c' || 1 + i % 12 FROM generate_series(1, 400) i;
INSERT INTO "Employee" SELECT i, 'name ' || chr(96 + i), date '1960-01-01' + 400 * i, CASE WHEN i > 1 THEN 1 END, 'x' FROM generate_series(1, 9) i;
INSERT INTO shop SELECT i, i, 'c' || i FROM generate_series(1, 4) i;
INSERT INTO customers SELECT i, 'somebody ' || chr(97 + i % 26) || i % 7, 'c' || i || '@example.org', i, 1 + i % 9, 1 + i % 4, 'c' || 1 + i % 12, 'kind ' || i % 3, 'C' || lpad(i::text, 5, '0')
  FROM generate_series(1, 400) i;
-- up to 5 orders a customer, 40 of one; up to 3 lines each
INSERT INTO "order" SELECT 1000 * c + o, 1 + o % 9, c, date '2021-01-01' + (c * 7 + o * 30) % 700, timestamp '2024-05-06 07:08' FROM generate_series(1, 399) c, generate_series(1, c % 6) o;
INSERT INTO "order" SELECT 1000 * 400 + o, 1, 400, date '2021-01-01' + o, timestamp '2024-05-06 07:08' FROM generate_series(1, 40) o;
INSERT INTO goods SELECT i, 'thing ' || i, i FROM generate_series(1, 500) i;
INSERT INTO line SELECT id, l, 1 + (id * l) % 500, 'said by ' || id % 300 FROM "order", generate_series(1, 1 + id % 3) l;
INSERT INTO season SELECT c, 2000 + (c + y) % 8, c * y % 90 FROM generate_series(1, 400) c, generate_series(0, 2) y;
INSERT INTO goods_tag SELECT i, i % 7 FROM generate_series(1, 500) i;
INSERT INTO hits SELECT timestamp '2020-01-01' + i * interval '1 hour', 'page ' || i % 9 FROM generate_series(1, 200) i;
INSERT INTO payment SELECT 1 + i % 400, date '2021-01-01' + i FROM generate_series(1, 800) i;

-- ---- as the custodian, with the data
SET client_min_messages = notice;
SELECT dp_suggest_protection('firm');
-- nothing of it was done
SELECT count(*) FROM dp_datasets WHERE relation::text LIKE '%firm.%' OR custodian = 'regress_dp_firm_owner'::regrole;
SELECT count(*) FROM dp_public_relations WHERE custodian = 'regress_dp_firm_owner'::regrole;
-- ---- it runs as it is printed
SET client_min_messages = error;
CREATE TEMP TABLE script AS SELECT line, n FROM dp_suggest_protection('firm') WITH ORDINALITY s (line, n);
SELECT line FROM script ORDER BY n \gexec
SET client_min_messages = warning;
SELECT relation, parent, max_rows_per_unit, order_column FROM dp_datasets WHERE custodian = 'regress_dp_firm_owner'::regrole ORDER BY protected_at, relation::text;
SELECT relation FROM dp_public_relations WHERE custodian = 'regress_dp_firm_owner'::regrole ORDER BY relation::text;
SELECT relation, column_name, kind, source FROM dp_columns WHERE relation IN ('line'::regclass, 'season'::regclass, 'customers'::regclass) ORDER BY 1, ordinal;
RESET SESSION AUTHORIZATION;
CREATE SCHEMA made AUTHORIZATION regress_dp_firm_owner;
SET SESSION AUTHORIZATION regress_dp_firm_owner;
SET client_min_messages = warning;
SELECT count(*) FROM dp_create_synthetic('{continent,country,home,goods,customers,"order",line,season}', 'made', 5, 1e-9, options => '{"method": "mst"}', seed => 1);
SELECT conrelid::regclass, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'made'::regnamespace AND contype = 'f' ORDER BY conrelid::regclass::text COLLATE "C", pg_get_constraintdef(oid) COLLATE "C";
-- what is there already is said
SELECT DISTINCT dp_suggest_protection('firm') AS line FROM generate_series(1, 1) ORDER BY line LIMIT 1;
SELECT line FROM dp_suggest_protection('firm') line WHERE line LIKE '%already';

-- ---- from the schema alone, for whoever may use it
SET SESSION AUTHORIZATION regress_dp_firm_other;
SELECT dp_suggest_protection('firm');
SELECT line FROM dp_suggest_protection('firm', false) line WHERE line LIKE '%parent%' OR line LIKE '%person%';
SELECT dp_suggest_protection('nowhere');
SELECT dp_suggest_protection('made', false);
SELECT count(*) FROM dp_suggest_protection(NULL);

RESET SESSION AUTHORIZATION;
SET client_min_messages = error;
-- passengers are people without a table of people, and stints of a year are numbered, but do not number a player's rows
CREATE SCHEMA air;
CREATE TABLE air.flight (id integer PRIMARY KEY, km integer NOT NULL);
CREATE TABLE air.ticket (no char(13) PRIMARY KEY, passenger_id varchar(20) NOT NULL, passenger_name text NOT NULL, contact_data jsonb);
CREATE TABLE air.seat (ticket char(13) REFERENCES air.ticket, flight integer REFERENCES air.flight, fare text NOT NULL, PRIMARY KEY (ticket, flight));
CREATE TABLE air.player (id integer PRIMARY KEY, first_name text, last_name text);
CREATE TABLE air.batting (player integer REFERENCES air.player, year smallint, stint smallint, games smallint NOT NULL CHECK (games > 0), PRIMARY KEY (player, year, stint));
INSERT INTO air.flight SELECT i, 100 * i FROM generate_series(1, 50) i;
INSERT INTO air.ticket SELECT i, 'id ' || i, 'name ' || i FROM generate_series(1, 300) i;
INSERT INTO air.seat SELECT i, 1 + (i + l * 7) % 50, 'economy' FROM generate_series(1, 300) i, generate_series(1, 1 + i % 2) l;
INSERT INTO air.player SELECT i, 'f ' || i, 'l ' || i FROM generate_series(1, 200) i;
INSERT INTO air.batting SELECT i, 1990 + y, s, 1 + (i * y * 7) % 160 FROM generate_series(1, 200) i, generate_series(0, 3) y, generate_series(1, 2) s WHERE y <= i % 4 AND (s = 1 OR i % 9 = 0);
SELECT replace(line, 'public.', '') FROM dp_suggest_protection('air') line WHERE line ~ 'dp_protect|declare_public|year|stint';
-- the key that boarding refers to is a passenger's and a public flight, which differs among those of one
CREATE TABLE air.boarding (ticket char(13), flight integer, seat text NOT NULL, PRIMARY KEY (ticket, flight), FOREIGN KEY (ticket, flight) REFERENCES air.seat);
INSERT INTO air.boarding SELECT ticket, flight, 'row ' || flight % 5 FROM air.seat WHERE flight % 3 > 0;
CREATE TEMP TABLE air_script AS SELECT line, n FROM dp_suggest_protection('air') WITH ORDINALITY s (line, n);
SELECT line FROM air_script ORDER BY n \gexec
CREATE SCHEMA flown;
SELECT relation, rows > 20 AS many FROM dp_create_synthetic('air', 'flown', 5, 1e-9, options => '{"method": "mst"}', seed => 1);
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'flown.boarding'::regclass AND contype IN ('f', 'p') ORDER BY 1;
SELECT count(DISTINCT flight) > 5 AS many, bool_and(EXISTS (SELECT FROM flown.seat s WHERE (s.ticket, s.flight) = (b.ticket, b.flight))) AS there FROM flown.boarding b;
-- a table of few rows that very many refer to; rows are in the order in which they were made, if nothing else says when they were
CREATE SCHEMA club;
CREATE TABLE club.office (id integer PRIMARY KEY, place text NOT NULL);
CREATE TABLE club.person (id integer PRIMARY KEY, first_name text, last_name text, office integer NOT NULL REFERENCES club.office);
ALTER TABLE club.office ADD head integer REFERENCES club.person;
CREATE TABLE club.post (id integer PRIMARY KEY, person integer NOT NULL REFERENCES club.person, office integer NOT NULL REFERENCES club.office,
	closed date, created timestamp NOT NULL, updated timestamp NOT NULL);
INSERT INTO club.office SELECT i, 'place ' || i FROM generate_series(1, 2) i;
INSERT INTO club.person SELECT i, 'f ' || i, 'l ' || i, 1 + i % 2 FROM generate_series(1, 500) i;
UPDATE club.office SET head = id;
INSERT INTO club.post SELECT i, 1 + i % 500, 1 + i % 2, NULL, timestamp '2024-01-01' + i * interval '1 hour', timestamp '2024-06-01' FROM generate_series(1, 2000) i;
ANALYZE club.office;
SELECT line FROM dp_suggest_protection('club') line WHERE line ~ 'club.post.*(dp_protect|office)|dp_protect.*club.post';
-- of a key by which rows may be one person's, but that has too many rows for each value to be a unit, the custodian says
CREATE SCHEMA bench;
CREATE TABLE bench.test (id integer PRIMARY KEY, holder_code integer NOT NULL, passed boolean NOT NULL);
CREATE TABLE bench.plain (id integer PRIMARY KEY, passed boolean NOT NULL);
INSERT INTO bench.test SELECT i, i % 3, i % 2 = 0 FROM generate_series(1, 900) i;
INSERT INTO bench.plain SELECT i, i % 2 = 0 FROM generate_series(1, 900) i;
SELECT line FROM dp_suggest_protection('bench') line WHERE line ~ 'dp_protect';
DROP SCHEMA firm, made, air, flown, club, bench CASCADE;
DROP OWNED BY regress_dp_firm_owner, regress_dp_firm_other;
DROP ROLE regress_dp_firm_owner, regress_dp_firm_other;
