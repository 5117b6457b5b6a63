-- columns that are made up: NULL as often as there, texts of few digits, references that many rows share
\set SHOW_CONTEXT never
\pset format unaligned
\t on
CREATE SCHEMA made_up;
CREATE SCHEMA made_up_copy;
SET search_path = made_up, public;
SET client_min_messages = error;
CREATE TABLE team (id integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE worker (id integer PRIMARY KEY, chief integer REFERENCES worker, born date NOT NULL CHECK (born BETWEEN '1950-01-01' AND '2009-12-31'),
	nickname text, pager varchar(7), CHECK (chief <> id));
CREATE TABLE task (id integer PRIMARY KEY, worker integer NOT NULL REFERENCES worker, code varchar(7), kind integer NOT NULL CHECK (kind BETWEEN 1 AND 3));
INSERT INTO team SELECT i, 'team ' || i FROM generate_series(1, 5) i;
INSERT INTO worker SELECT i, CASE WHEN i > 20 THEN 1 + i * 7 % 19 END, date '1960-01-01' + i % 9000, CASE WHEN i % 5 = 0 THEN 'nick ' || i END, 'pager' || i % 90
	FROM generate_series(1, 2000) i;
INSERT INTO task SELECT i, 1 + i % 2000, 'code ' || i % 90, 1 + i % 3 FROM generate_series(1, 4000) i;
ANALYZE worker, task;
CREATE TEMP TABLE script AS SELECT line FROM dp_suggest_protection('made_up') WITH ORDINALITY s (line, n) WHERE line ~ '^SELECT' ORDER BY n;
-- some have none, few are referred to, and numbers that come again are random
SELECT line FROM script WHERE line ~ 'chief|nickname';
DO $$ DECLARE call text; BEGIN FOR call IN SELECT line FROM script LOOP EXECUTE call; END LOOP; END $$;
-- more rows than a text of seven characters can number
SELECT dp_define_column('task', 'code', fill => 'code {n}');
CREATE TEMP TABLE made AS SELECT * FROM dp_create_synthetic('made_up', 'made_up_copy', 5, 1e-6, seed => 1);
SET search_path = made_up_copy, public;
SELECT avg((nickname IS NULL)::integer) BETWEEN .7 AND .9 FROM worker;
SELECT count(DISTINCT chief) BETWEEN 10 AND 20, avg((chief IS NULL)::integer) < .1, bool_and(chief < id) FROM worker;
SELECT count(DISTINCT code), count(*) > 3000, max(length(code)) FROM task;
-- of a key of several columns of a public table, which are drawn one by one
SET search_path = made_up, public;
CREATE TABLE offer (shop integer, part integer, price integer NOT NULL, PRIMARY KEY (shop, part));
CREATE TABLE sale (id integer PRIMARY KEY, shop integer NOT NULL, part integer NOT NULL, pieces integer NOT NULL CHECK (pieces BETWEEN 1 AND 9),
	FOREIGN KEY (shop, part) REFERENCES offer);
INSERT INTO offer SELECT s, p, s * p FROM generate_series(1, 30) s, generate_series(1, 200) p WHERE (s * p) % 7 = 1;
INSERT INTO sale SELECT row_number() OVER (), shop, part, 1 + shop % 9 FROM offer, generate_series(1, 3);
SELECT dp_protect('sale', 10, 1e-6);
SELECT dp_declare_public('offer');
SELECT synthetic FROM dp_create_synthetic('{offer,sale}', 'made_up_copy', 1, seed => 2) WHERE rows > 0;
SELECT count(*) FROM made_up_copy.sale s WHERE NOT EXISTS (SELECT FROM offer o WHERE (o.shop, o.part) = (s.shop, s.part));
SELECT count(*) FROM pg_constraint WHERE conrelid = 'made_up_copy.sale'::regclass AND contype = 'f';
-- a CHECK that compares two conditions is a rule of the model: no row is drawn again for it
CREATE TABLE visit (id integer PRIMARY KEY, status text NOT NULL CHECK (status IN ('planned', 'done', 'cancelled')), open boolean NOT NULL,
	cancelled date CHECK (cancelled BETWEEN '2020-01-01' AND '2020-12-31'), CHECK ((status = 'cancelled') = (cancelled IS NOT NULL)), CHECK ((status = 'planned') <> (NOT open)));
INSERT INTO visit SELECT i, s, s = 'planned', CASE WHEN s = 'cancelled' THEN date '2020-01-01' + i % 300 END
	FROM (SELECT i, (ARRAY['planned', 'done', 'done', 'cancelled'])[1 + i % 4] AS s FROM generate_series(1, 2000) i) v;
SELECT dp_protect('visit', 10, 1e-6);
SELECT dp_release('visit', 'mst', 5) AS visits \gset
SET client_min_messages = notice;
SET search_path = public;
SELECT rows > 1900 FROM dp_create_synthetic('made_up.visit', 'made_up_copy', release => :visits, seed => 3);
SELECT status, avg((cancelled IS NOT NULL)::integer)::integer, avg(open::integer)::integer FROM made_up_copy.visit GROUP BY 1 ORDER BY 1;
SET client_min_messages = warning;
DROP SCHEMA made_up CASCADE;
DROP SCHEMA made_up_copy CASCADE;
