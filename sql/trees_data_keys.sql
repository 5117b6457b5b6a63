-- What a key has beside the reference to a parent is data: modelled, and drawn without repetition. Tables of nothing but keys.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA dk;
CREATE SCHEMA made_dk;
SET search_path = dk, public;
SET client_min_messages = error;
CREATE TABLE teams (id integer PRIMARY KEY, name text);
INSERT INTO teams SELECT i, 'team ' || i FROM generate_series(1, 30) i;
CREATE TABLE people (id integer PRIMARY KEY, hand text NOT NULL CHECK (hand IN ('l', 'r')));
CREATE TABLE seasons (person integer REFERENCES people, year integer, hits integer CHECK (hits BETWEEN 0 AND 40), PRIMARY KEY (person, year));
CREATE TABLE joined (person integer REFERENCES people, team integer REFERENCES teams, PRIMARY KEY (team, person));
CREATE TABLE notes (id serial PRIMARY KEY, person integer NOT NULL REFERENCES people, said text NOT NULL);
INSERT INTO people SELECT i, (ARRAY['l', 'r'])[1 + i % 2] FROM generate_series(1, 1500) i;
-- left hands play in even years, and two or four of them
INSERT INTO seasons SELECT i, 2000 + 2 * ((i + k) % 8) + i % 2, (i * k) % 40 FROM generate_series(1, 1500) i, generate_series(0, 3) k WHERE i % 2 = 1 OR k < 2;
INSERT INTO joined SELECT i, 1 + (i + 7 * k) % 15 + 15 * (i % 2) FROM generate_series(1, 1500) i, generate_series(0, 2) k;
INSERT INTO notes (person, said) SELECT i, 'free text ' || i FROM generate_series(1, 1500) i WHERE i % 3 = 0;
SELECT dp_protect('people', 1000000, 0.1), dp_protect('seasons', parent => 'people', max_rows_per_unit => 4), dp_protect('joined', parent => 'people', max_rows_per_unit => 3),
	   dp_protect('notes', parent => 'people', max_rows_per_unit => 2);
-- a year is a range by its type; a team is one of a list
SELECT dp_define_column('joined', 'team', categories => (SELECT array_agg(id::text ORDER BY id) FROM teams), complete => true);
SELECT relation, column_name, kind, source, labels[1] FROM dp_columns WHERE relation IN ('seasons'::regclass, 'joined'::regclass, 'notes'::regclass) ORDER BY relation::text, ordinal;
SELECT relation, abs(rows - CASE relation::text WHEN 'people' THEN 1500 WHEN 'seasons' THEN 4500 WHEN 'joined' THEN 4500 ELSE 500 END) < 30
  FROM dp_create_synthetic('{people,seasons,joined,notes}', 'made_dk', 200000, 1e-9, '{"method": "mst"}', seed => 3);
SELECT max(release) AS release FROM dp_releases \gset
-- years and teams as the data has them, each once for a person, and as many as there were
SELECT min(year), max(year), count(DISTINCT (person, year)) = count(*) FROM made_dk.seasons;
SELECT p.hand, count(*) FILTER (WHERE (year % 2 = 0) = (hand = 'l')) * 100 / count(*) > 90 AS own_years, count(*) / count(DISTINCT person) AS seasons FROM made_dk.seasons s JOIN made_dk.people p ON p.id = s.person GROUP BY 1 ORDER BY 1;
SELECT p.hand, min(team), max(team), count(DISTINCT (person, team)) = count(*), round(count(*)::numeric / count(DISTINCT person), 1) FROM made_dk.joined j JOIN made_dk.people p ON p.id = j.person GROUP BY 1 ORDER BY 1;
SELECT count(*) = count(DISTINCT id), count(DISTINCT said) > 100, count(DISTINCT person) > 100 FROM made_dk.notes;
SELECT conrelid::regclass, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'made_dk'::regnamespace AND contype IN ('p', 'f') ORDER BY 1, 2;
-- a seed means the same rows, also in parts, and whichever columns are asked for
SELECT count(*) FROM (SELECT * FROM dp_sample(NULL::joined, :release, seed => 3) EXCEPT SELECT * FROM made_dk.joined) x;
SELECT count(*) > 6000, count(*) = count(DISTINCT (person, year)) FROM dp_sample(NULL::seasons, :release, rows => 3000, seed => 4);
SELECT count(*) FROM (SELECT * FROM dp_sample(NULL::seasons, :release, rows => 3000, seed => 4) EXCEPT
 (SELECT * FROM dp_sample(NULL::seasons, :release, rows => 3000, seed => 4, part => 1, parts => 2) UNION ALL SELECT * FROM dp_sample(NULL::seasons, :release, rows => 3000, seed => 4, part => 2, parts => 2))) x;

-- ---- values inside bins, several columns, and what has a smaller room than rows
CREATE TABLE homes (id integer PRIMARY KEY, big boolean NOT NULL);
CREATE TABLE days (home integer REFERENCES homes, day date NOT NULL CHECK (day BETWEEN '2024-01-01' AND '2024-01-06'), dry boolean NOT NULL, UNIQUE (home, day));
CREATE TABLE terms (home integer REFERENCES homes, year integer NOT NULL CHECK (year IN (1, 2, 3)), half integer NOT NULL CHECK (half IN (1, 2)), good boolean NOT NULL, PRIMARY KEY (home, year, half));
CREATE TABLE keys (home integer REFERENCES homes, door text CHECK (door IN ('front', 'back')), size numeric(4,1), UNIQUE (home, door, size), lost boolean NOT NULL);
CREATE TABLE twins (home integer NOT NULL REFERENCES homes UNIQUE, old boolean NOT NULL);
INSERT INTO homes SELECT i, i % 3 = 0 FROM generate_series(1, 900) i;
INSERT INTO days SELECT i, '2024-01-01'::date + (i + k) % 6, k < 2 FROM generate_series(1, 900) i, generate_series(0, 4) k;
INSERT INTO terms SELECT i, 1 + (k + i) % 6 / 2, 1 + (k + i) % 2, k = 0 FROM generate_series(1, 900) i, generate_series(0, 5) k;
INSERT INTO keys SELECT i, CASE WHEN k < 2 THEN 'front' END, CASE WHEN k < 3 THEN 1.5 + k % 2 END, k = 3 FROM generate_series(1, 900) i, generate_series(0, 3) k;
INSERT INTO twins SELECT i, i % 2 = 0 FROM generate_series(1, 900) i;
SELECT dp_protect('homes', 1000000, 0.1), dp_protect('days', parent => 'homes', max_rows_per_unit => 5, order_column => 'day'), dp_protect('terms', parent => 'homes', max_rows_per_unit => 10),
	   dp_protect('keys', parent => 'homes', max_rows_per_unit => 4), dp_protect('twins', parent => 'homes', max_rows_per_unit => 3);
SET client_min_messages = notice;
\set VERBOSITY default
SELECT dp_catalog.dp_check_keys('terms', NULL, true), dp_catalog.dp_check_keys('twins', NULL, true), dp_catalog.dp_check_keys('days', NULL, true);
SET client_min_messages = error;
SELECT relation, abs(rows - CASE relation::text WHEN 'homes' THEN 900 WHEN 'twins' THEN 900 WHEN 'days' THEN 4500 WHEN 'terms' THEN 5400 ELSE 3600 END) < 30
  FROM dp_create_synthetic('{homes,days,terms,keys,twins}', 'made_dk', 200000, 1e-9, '{"method": "mst"}', seed => 5);
SELECT max(release) AS release FROM dp_releases \gset
-- all rows of dp_sample are kept: none repeats what is UNIQUE
SELECT (SELECT count(*) FROM dp_sample(NULL::days, :release, seed => 5)) - (SELECT count(*) FROM made_dk.days), (SELECT count(*) FROM dp_sample(NULL::terms, :release, seed => 5)) - (SELECT count(*) FROM made_dk.terms),
	   (SELECT count(*) FROM dp_sample(NULL::keys, :release, seed => 5)) - (SELECT count(*) FROM made_dk.keys), (SELECT count(*) FROM dp_sample(NULL::twins, :release, seed => 5)) - (SELECT count(*) FROM made_dk.twins);
SELECT count(DISTINCT day), bool_and(day >= before) FROM (SELECT day, lag(day) OVER (PARTITION BY home ORDER BY r) AS before FROM (SELECT *, row_number() OVER () AS r FROM dp_sample(NULL::days, :release, seed => 5)) d) x;
SELECT count(*) FILTER (WHERE n = 6) * 100 / count(*) > 90, max(n) FROM (SELECT count(*) AS n FROM made_dk.terms GROUP BY home) x;
-- where a NULL is in it, rows are different
SELECT max(n) > 1, count(*) FILTER (WHERE door IS NOT NULL AND size IS NOT NULL AND n > 1) FROM (SELECT door, size, count(*) AS n FROM made_dk.keys GROUP BY home, door, size) x;
SELECT count(*) = count(DISTINCT home) FROM made_dk.twins;

-- ---- what refers to another protected relation differs in one parent until it is linked
CREATE TABLE drugs (id smallint PRIMARY KEY, strong boolean NOT NULL);
CREATE TABLE taken (home integer REFERENCES homes, drug smallint REFERENCES drugs, PRIMARY KEY (home, drug));
INSERT INTO drugs SELECT i, i % 2 = 0 FROM generate_series(1, 20) i;
INSERT INTO taken SELECT i, 1 + (i * 7 + k) % 20 FROM generate_series(1, 900) i, generate_series(0, 2) k;
SELECT dp_protect('drugs', 1000000, 0.1), dp_protect('taken', parent => 'homes', max_rows_per_unit => 3);
SELECT column_name, kind, source, labels FROM dp_columns WHERE relation = 'taken'::regclass ORDER BY ordinal;
DROP TABLE made_dk.homes CASCADE;
SELECT relation, abs(rows - CASE relation::text WHEN 'homes' THEN 900 ELSE 2700 END) < 30 FROM dp_create_synthetic('{homes,taken}', 'made_dk', 200000, 1e-9, '{"method": "aim"}', seed => 5);
SELECT count(*) = count(DISTINCT (home, drug)), max(drug) FROM made_dk.taken;

-- ---- a key that nothing varies in is an error before the debit, with what to do
CREATE TABLE machines (address macaddr PRIMARY KEY, fast boolean NOT NULL);
CREATE TABLE visits (home integer REFERENCES homes, tags integer[], kind boolean NOT NULL, PRIMARY KEY (home, tags));
INSERT INTO machines SELECT lpad(to_hex(i), 12, '0')::macaddr, i % 2 = 0 FROM generate_series(1, 100) i;
INSERT INTO visits SELECT i, ARRAY[k], k = 1 FROM generate_series(1, 900) i, generate_series(1, 2) k;
SELECT dp_protect('machines', 10, 0.1), dp_protect('visits', parent => 'homes', max_rows_per_unit => 2);
SELECT * FROM dp_create_synthetic('machines', 'made_dk', 1, 1e-9);
DROP TABLE made_dk.homes CASCADE;
SELECT * FROM dp_create_synthetic('{homes,visits}', 'made_dk', 1, 1e-9);
SELECT epsilon_spent FROM dp_datasets WHERE relation = 'machines'::regclass;
SELECT dp_define_column('visits', 'tags', fill => '{{place}}');
SELECT relation, rows > 800 FROM dp_create_synthetic('{homes,visits}', 'made_dk', 100000, 1e-9, seed => 1);
SELECT max(tags), count(*) = count(DISTINCT (home, tags)) FROM made_dk.visits;

-- ---- one table whose keys are all modelled: other rows in place of those that repeat, and a word before the debit
CREATE TABLE grid (id serial PRIMARY KEY, x integer NOT NULL CHECK (x BETWEEN 1 AND 10), y integer NOT NULL CHECK (y BETWEEN 1 AND 10), UNIQUE (x, y));
CREATE TABLE pairs (x integer CHECK (x BETWEEN 1 AND 10), y integer CHECK (y BETWEEN 1 AND 10), PRIMARY KEY (x, y));
INSERT INTO grid (x, y) SELECT x, y FROM generate_series(1, 10) x, generate_series(1, 10) y;
INSERT INTO pairs SELECT x, y FROM grid;
SELECT dp_protect('grid', 1000000, 0.1), dp_protect('pairs', 1000000, 0.1);
SET client_min_messages = warning;
SELECT rows FROM dp_create_synthetic('grid', 'made_dk', 1000, 1e-9, '{"method": "mst", "rows": 80}', seed => 1);
SELECT min(id), max(id), count(DISTINCT id), count(DISTINCT (x, y)) FROM made_dk.grid;
SELECT rows FROM dp_create_synthetic('pairs', 'made_dk', 1000, 1e-9, '{"method": "mst", "rows": 80}', seed => 1);
DROP TABLE made_dk.pairs;
SELECT rows > 95 FROM dp_create_synthetic('pairs', 'made_dk', 1000, 1e-9, '{"method": "mst", "rows": 300}', seed => 1);
-- ---- what the custodian's data says of such columns: what counts the rows of a parent is numbered, what does not is data
CREATE TABLE lines (person integer REFERENCES people, line smallint, qty boolean NOT NULL, PRIMARY KEY (person, line));
CREATE TABLE moves (person integer REFERENCES people, year integer, nr bigint, UNIQUE (year, person), UNIQUE (nr, person));
INSERT INTO lines SELECT i, k, k = 1 FROM generate_series(1, 400) i, generate_series(1, 1 + i % 5) k;
INSERT INTO moves SELECT i, 1900 + i % 90 + k, k FROM generate_series(1, 400) i, generate_series(0, i % 4) k;
SET client_min_messages = error;
SELECT dp_protect('lines', parent => 'people', max_rows_per_unit => 5), dp_protect('moves', parent => 'people', max_rows_per_unit => 4);
SELECT dp_suggest_columns('lines');
SELECT dp_suggest_columns('moves');
SELECT dp_suggest_columns('seasons', epsilon => 100);
DROP SCHEMA dk, made_dk CASCADE;
