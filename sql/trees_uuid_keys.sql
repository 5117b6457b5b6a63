-- Keys that are uuids are those of the rows that they refer to, whichever table is drawn.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t84u;
SET search_path = t84u, public;
SET client_min_messages = error;
CREATE TABLE owners (id uuid PRIMARY KEY, other uuid NOT NULL UNIQUE, cat boolean NOT NULL);
CREATE TABLE pets (id text PRIMARY KEY, owner uuid NOT NULL REFERENCES owners, old boolean NOT NULL);
CREATE TABLE collars (pet text NOT NULL REFERENCES pets, red boolean NOT NULL);
INSERT INTO owners SELECT md5('a' || i)::uuid, md5('b' || i)::uuid, i % 2 = 0 FROM generate_series(1, 300) i;
INSERT INTO pets SELECT 'P' || md5('c' || i), md5('a' || 1 + i % 300)::uuid, i % 3 = 0 FROM generate_series(1, 700) i;
INSERT INTO collars SELECT 'P' || md5('c' || i), i % 2 = 0 FROM generate_series(1, 700) i;
SELECT dp_protect('owners', 1000000, 0.1);
SELECT dp_protect('pets', parent => 'owners', max_rows_per_unit => 3), dp_protect('collars', parent => 'pets', max_rows_per_unit => 2);
SELECT dp_define_column('pets', 'id', fill => 'P{uuid}'), dp_define_column('owners', 'other', fill => '{uuid}');
SELECT dp_release('{owners,pets,collars}', 'mst', 1000, 1e-9) AS release \gset
SELECT count(*) > 200, count(DISTINCT o.id) = count(*), count(DISTINCT o.other) = count(*), bool_or(o.id = o.other) FROM dp_sample(NULL::owners, :release, seed => 5) o;
SELECT count(*) > 500, count(DISTINCT p.id) = count(*), count(o.id) = count(*) FROM dp_sample(NULL::pets, :release, seed => 5) p LEFT JOIN dp_sample(NULL::owners, :release, seed => 5) o ON o.id = p.owner;
SELECT count(*) > 500, count(p.id) = count(*) FROM dp_sample(NULL::collars, :release, seed => 5) c LEFT JOIN dp_sample(NULL::pets, :release, seed => 5) p ON p.id = c.pet;
-- another seed means other keys
SELECT count(*) FROM dp_sample(NULL::owners, :release, seed => 5) a JOIN dp_sample(NULL::owners, :release, seed => 6) b USING (id);
CREATE SCHEMA made84u;
SELECT relation, rows > 200 FROM dp_create_synthetic('{owners,pets,collars}', 'made84u', 1000, 1e-9, '{"method": "mst"}', seed => 3);
SELECT count(*) FROM made84u.pets p LEFT JOIN made84u.owners o ON o.id = p.owner WHERE o.id IS NULL;
RESET client_min_messages;
SET client_min_messages = warning;
DROP SCHEMA t84u, made84u CASCADE;
