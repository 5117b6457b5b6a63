-- rules that only trying can keep: what that takes is known before the debit, and drawing afterwards never ends in an error
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t_tries;
SET search_path = t_tries, public;
SET client_min_messages = warning;

CREATE TABLE parcel (x int NOT NULL CHECK (x BETWEEN 0 AND 1000000), y int NOT NULL CHECK (y BETWEEN 0 AND 1000000), CONSTRAINT little CHECK (x::bigint * y < 100));
INSERT INTO parcel SELECT i % 10, i % 9 FROM generate_series(1, 500) i;
SELECT dp_protect('parcel', 1000000, 0.1);
-- too many: refused, for nothing
SELECT dp_release('parcel', 'mst', 1, 1e-9);
SELECT dp_release('parcel', 'flat', 1);
CREATE SCHEMA t_tries_made;
SELECT count(*) FROM dp_create_synthetic('parcel', 't_tries_made', 1, 1e-9);
SELECT epsilon_spent FROM dp_datasets WHERE relation = 'parcel'::regclass;
-- what measures alone needs no rows
SELECT count(*) FROM dp_query(NULL::parcel, '{count(*)}', 1);
-- asked for all the same
SELECT dp_release('parcel', 'mst', 1000, 1e-9, '{"partial": true}') AS r \gset
SELECT count(*), count(*) FILTER (WHERE x::bigint * y >= 100) FROM dp_sample(NULL::parcel, :r, 2000, 1);
SELECT rows > 0 FROM dp_create_synthetic('parcel', 't_tries_made', 1000, 1e-9, '{"partial": true}');
SELECT count(*) > 0 FROM t_tries_made.parcel;
-- a rule that the release cannot keep, since it came later: rows of all levels take the place, or break it where there are none
ALTER TABLE parcel DROP CONSTRAINT little;
CREATE TABLE pair (a int NOT NULL CHECK (a IN (1, 2, 3)), b int NOT NULL CHECK (b IN (1, 2, 3)));
INSERT INTO pair SELECT 1 + i % 3, 1 + i % 3 FROM generate_series(1, 500) i;
SELECT dp_protect('pair', 1000000, 0.1);
SELECT dp_release('pair', 'flat', 10000) AS p \gset
ALTER TABLE pair ADD CONSTRAINT odd CHECK ((a + b) % 2 = 1) NOT VALID;
SELECT count(*), count(*) FILTER (WHERE (a + b) % 2 = 0) FROM dp_sample(NULL::pair, :p, 100, 1);
ALTER TABLE parcel ADD CONSTRAINT never CHECK (x * x < 0) NOT VALID;
SELECT count(*), count(*) FILTER (WHERE x::bigint * x >= 0) FROM dp_sample(NULL::parcel, :r, 3, 1);
-- nor a rule that another table has: no error ends what was paid for
CREATE TABLE other (LIKE parcel, CONSTRAINT of_another CHECK (x * x < 0));
SELECT count(*), count(*) FILTER (WHERE x::bigint * x >= 0) FROM dp_sample(NULL::other, :r, 3, 1);

-- some tries: a NOTICE says how many
SET client_min_messages = notice;
ALTER TABLE parcel DROP CONSTRAINT never, ADD CONSTRAINT one_in_40 CHECK ((x + y) % 40 = 3) NOT VALID;
SELECT dp_release('parcel', 'flat', 10) > 0;
DROP SCHEMA t_tries, t_tries_made CASCADE;
