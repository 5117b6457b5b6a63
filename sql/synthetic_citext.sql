-- CHECKs of domains over an extension's type: what the extension declares of PostgreSQL's own functions is no code of a user's.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA letters;
CREATE SCHEMA letters_copy;
SET client_min_messages = warning;
SET search_path = letters, public;
CREATE EXTENSION citext SCHEMA letters;
CREATE DOMAIN email AS citext CHECK (VALUE ~ '^[a-z]+@example\.org$');
CREATE DOMAIN place AS citext CHECK (VALUE LIKE '%burg' AND VALUE <> 'salzburg');
CREATE TABLE person (id integer PRIMARY KEY, mail email NOT NULL, home place, sex citext NOT NULL CHECK (sex IN ('f', 'm')), age integer CHECK (age BETWEEN 0 AND 99));
INSERT INTO person SELECT i, 'a@example.org', 'Hamburg', CASE WHEN i % 2 = 0 THEN 'f' ELSE 'm' END, i FROM generate_series(1, 90) i;
SELECT dp_protect('person', 1000);
SELECT dp_define_column('person', 'mail', fill => 'somebody@example.org'), dp_define_column('person', 'home', categories => '{Hamburg,Freiburg}');
SELECT rows > 0 FROM dp_create_synthetic('person', 'letters_copy', 100, options => '{"method": "marginal"}');
SELECT a.attname, format_type(a.atttypid, a.atttypmod) FROM pg_attribute a WHERE a.attrelid = 'letters_copy.person'::regclass AND a.attnum > 0 ORDER BY a.attnum;
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'letters_copy.person'::regclass AND contype = 'c' ORDER BY 1;
SELECT count(*) FILTER (WHERE mail <> 'SOMEBODY@example.org'), count(*) FILTER (WHERE home NOT IN ('hamburg', 'freiburg')) FROM letters_copy.person;
-- a filter finds a level by the equality of the type, asked of the rows and of a release
SELECT filter, round(a.estimate / 9) AS answered, round(q.estimate / 9) AS queried
  FROM unnest('{"{\"home\": \"HAMBURG\"}","{\"sex\": \"F\"}","{\"home\": [\"FREIBURG\", \"hamburg\"]}"}'::jsonb[]) AS filter, dp_release('person', 'marginal', 100) r, LATERAL dp_answer(r, filter => filter) a, LATERAL dp_query(NULL::person, '{count(*)}', 100, filter => filter) q;
SELECT home, sex, count(*) FROM dp_release('person', 'marginal', 100) r, LATERAL dp_sample(NULL::person, r, rows => 10, seed => 1, given => '{"home": "HAMBURG", "sex": "F"}') GROUP BY home, sex;
INSERT INTO letters_copy.person VALUES (1000, 'nobody', NULL, 'f', 1);
DROP SCHEMA letters, letters_copy CASCADE;
