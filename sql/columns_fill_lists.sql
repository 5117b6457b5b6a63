-- placeholder values that look like data: lists, public tables, parts of other columns, alphabets
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA fill_lists;
SET search_path = fill_lists, public;
SET client_min_messages = warning;
CREATE ROLE regress_dp_fill_owner;
CREATE ROLE regress_dp_fill_analyst;
GRANT USAGE, CREATE ON SCHEMA fill_lists TO regress_dp_fill_owner;
GRANT USAGE ON SCHEMA fill_lists TO regress_dp_fill_analyst;
CREATE TABLE last_names (name text);
INSERT INTO last_names VALUES ('Miller'), ('O''Hara'), ('de la Cruz, jr.'), ('{n}'), (NULL);
CREATE TABLE secret_names (name text);
INSERT INTO secret_names VALUES ('Smith');
CREATE TABLE "Of cities" ("The name" varchar(20));
INSERT INTO "Of cities" VALUES ('Bern');
SELECT dp_declare_public('last_names'), dp_declare_public('"Of cities"');
GRANT SELECT ON "Of cities" TO regress_dp_fill_owner;
SET SESSION AUTHORIZATION regress_dp_fill_owner;

CREATE TABLE person (
	id int PRIMARY KEY, first_name text NOT NULL, last_name varchar(20) NOT NULL, city text, mail text UNIQUE NOT NULL CHECK (mail LIKE '%@%.%'),
	short varchar(12), digest char(32) UNIQUE, iban text, grade smallint, tags text[], sex text NOT NULL CHECK (sex IN ('f', 'm')), born date, flag boolean NOT NULL);
INSERT INTO person SELECT n, 'A', 'B', 'C', n || '@b.c', 'x', md5(n::text), 'y', 1, '{}', CASE WHEN n % 3 = 0 THEN 'f' ELSE 'm' END, '2000-01-01', true FROM generate_series(1, 300) n;
SELECT dp_protect('person', 1000000);
SELECT dp_define_column('person', 'first_name', fill => '{Ann, Ben,"C, D"}'), dp_define_column('person', 'grade', fill => '{1,2,3}'),
	   dp_define_column('person', 'tags', fill => '{a,b}'), dp_define_column('person', 'city', fill_from => '"Of cities"("The name")'),
	   dp_define_column('person', 'mail', fill => '{first_name}.{last_name}.{sex}{n}@example.org'), dp_define_column('person', 'short', fill => '{last_name}-{first_name}'),
	   dp_define_column('person', 'digest', fill => '{n:[0-9a-f]:32}'), dp_define_column('person', 'iban', fill => 'DE{[0-9]:20}'),
	   dp_define_column('person', 'born', fill => '{01/02/2003,12/31/2004}');
-- whose table it is, and what it is declared
SELECT dp_define_column('person', 'last_name', fill_from => 'fill_lists.last_names(name)');
RESET SESSION AUTHORIZATION;
GRANT SELECT ON last_names, secret_names TO regress_dp_fill_owner;
SET SESSION AUTHORIZATION regress_dp_fill_owner;
SELECT dp_define_column('person', 'last_name', fill_from => 'fill_lists.secret_names(name)');
SELECT dp_define_column('person', 'last_name', fill_from => 'fill_lists.last_names(names)');
SELECT dp_define_column('person', 'last_name', fill_from => 'fill_lists.last_names');
SELECT dp_define_column('person', 'last_name', fill_from => 'fill_lists.gone(name)');
SELECT dp_define_column('person', 'last_name', fill => 'x', fill_from => 'fill_lists.last_names(name)');
SELECT dp_define_column('person', 'last_name', fill_from => 'fill_lists.last_names(name)');
SELECT column_name, kind, labels FROM dp_columns WHERE relation = 'person'::regclass ORDER BY ordinal;
SELECT dp_release('person', 'mst', 1000) AS id \gset
-- as often as each other, and nothing else
SELECT first_name, count(*) > 700 FROM dp_sample(NULL::person, :id, 3000, 1) GROUP BY 1 ORDER BY 1;
SELECT last_name, count(*) > 500 FROM dp_sample(NULL::person, :id, 3000, 1) GROUP BY 1 ORDER BY last_name COLLATE "C";
SELECT count(DISTINCT grade), count(DISTINCT born), min(born), min(tags), max(tags), min(city), max(city) FROM dp_sample(NULL::person, :id, 3000, 1);
-- parts are what the row has, cut where they must be
SELECT count(*) FILTER (WHERE mail <> format('%s.%s.%s%s@example.org', first_name, last_name, sex, id)), count(DISTINCT mail), max(length(short)) FROM dp_sample(NULL::person, :id, 3000, 1);
SELECT count(*) FILTER (WHERE short <> last_name || '-' || first_name), count(*) FILTER (WHERE length(short) < 12) > 0 FROM dp_sample(NULL::person, :id, 3000, 1) WHERE length(last_name || first_name) < 12;
SELECT bool_and(digest ~ '^[0-9a-f]{32}$'), count(DISTINCT digest), bool_and(iban ~ '^DE[0-9]{20}$'), count(DISTINCT iban) FROM dp_sample(NULL::person, :id, 3000, 1);
-- the same row has the same fill, whatever else is drawn
CREATE TYPE less AS (mail text, id int, flag boolean);
SELECT count(*) FROM dp_sample(NULL::less, :id, 3000, 1) a JOIN dp_sample(NULL::person, :id, 3000, 1) b USING (mail, id);
SELECT count(*) FROM dp_sample(NULL::person, :id, 100, 1) a JOIN dp_sample(NULL::person, :id, 3000, 1) b USING (id, digest, iban, first_name, grade, born);
SELECT count(*) < 60 FROM dp_sample(NULL::person, :id, 100, 1) a JOIN dp_sample(NULL::person, :id, 100, 2) b USING (id, first_name);
-- a table of what is stored, once the list has gone
RESET SESSION AUTHORIZATION;
DROP TABLE last_names;
GRANT CREATE ON DATABASE :"DBNAME" TO regress_dp_fill_owner;
SET SESSION AUTHORIZATION regress_dp_fill_owner;
CREATE SCHEMA fill_lists_synthetic;
SELECT count(*) FROM dp_create_synthetic('person', 'fill_lists_synthetic', release => :id, seed => 1);
SELECT count(*) > 0, count(DISTINCT last_name), count(DISTINCT mail) = count(*) FROM fill_lists_synthetic.person;

-- refused
SELECT dp_define_column('person', 'mail', fill => '{first_name}@example.org');
SELECT dp_define_column('person', 'mail', fill => '{a@b.c,d@e.f}');
SELECT dp_define_column('person', 'first_name', fill => '{frist_name} {n}');
SELECT dp_define_column('person', 'grade', fill => '{1,2,x}');
SELECT dp_define_column('person', 'grade', fill => '{1,2,70000}');
SELECT dp_define_column('person', 'grade', fill => '{sex}');
SELECT dp_define_column('person', 'mail', fill => '{a{n}');
SELECT dp_define_column('person', 'sex', fill => '{f,x}');
-- in a circle, or of what is not known by its values: seen before anything is spent
SELECT dp_define_column('person', 'first_name', fill => '{short}');
SELECT dp_release('person', 'mst', 1000);
SELECT dp_define_column('person', 'first_name', fill => '{{first_name}}');
SELECT dp_release('person', 'mst', 1000);
SELECT dp_define_column('person', 'born', range => '{1990-01-01,2010-01-01}'), dp_define_column('person', 'first_name', fill => 'born {born}');
SELECT dp_release('person', 'mst', 1000);
SELECT epsilon_spent FROM dp_datasets WHERE relation = 'person'::regclass;

-- keys of any length and alphabet, as their CHECKs say
CREATE TABLE tried (n int, re text, low text, high text, differ bigint, kept boolean);
INSERT INTO tried (n, re) SELECT n, re FROM unnest(ARRAY['^[0-9]{3,4}$', '^[a-z]{5}$', '^[A-Z]{2}[0-9]{6}$', '^[a-z0-9]{10}$', '^[a-z0-9]{32}$', '^[0-9a-f]{16}$', '^[0-9a-f]{8}-[0-9a-f]{4}$',
		'^[A-Z0-9]{8}$', '^[0-9]{12}$', '^[0-9]{20}$', '^\d{5}$', '^\w{8}$', '^[[:alnum:]]{6}$', '^[1-9][0-9]{4}$', '^[1-9][0-9]*$', '^X-\d+$',
		'^[A-Z]-[0-9]{2}/[0-9]{3}$', '^(DE|FR)[0-9]{20}$', '^[^@]+@[^@]+\.[a-z]+$', '^[A-Za-z]+$', '^\+49[0-9]{9,11}$', '^0[0-9]{9}$', '^[0-9]{2}\.[0-9]{3}$',
		'^[ACGT]{10}$', '^.{36}$', '^(?:[a-z]{2}-){3}\d{4}$', '^[[:upper:]]{3,}?$', '\A[0-9A-F]{12}\Z', '^\S+\s\S+$', '^[^0-9]{6}$', '(?x) ^ [a-z]{4} # four
		- \d{3} $', '^[\w.-]+$', '^\x41[BC]{14}$', '^(a|b)?[0-9]{7}$', '^Z*[xyz]{9}$']) WITH ORDINALITY u(re, n);
SET client_min_messages = error;
DO $$
DECLARE
	t record;
BEGIN
	FOR t IN SELECT * FROM tried LOOP
		EXECUTE format('CREATE TABLE k%s (id text PRIMARY KEY CHECK (id ~ %L), b boolean)', t.n, t.re);
		PERFORM dp_protect(format('k%s', t.n)::regclass, 100);
	END LOOP;
END $$;
DO $$
DECLARE
	t record;
BEGIN
	FOR t IN SELECT * FROM tried LOOP
		BEGIN
			EXECUTE format('UPDATE tried SET (low, high, differ, kept) = (SELECT min(id COLLATE "C"), max(id COLLATE "C"), count(DISTINCT id), bool_and(id ~ re) FROM dp_sample(NULL::k%s, %s, 120, seed => 1)) WHERE n = %1$s',
						   t.n, dp_release(format('k%s', t.n)::regclass, 'flat', 1));
		EXCEPTION WHEN object_not_in_prerequisite_state THEN
			UPDATE tried SET low = sqlerrm WHERE n = t.n;
		END;
	END LOOP;
END $$;
SET client_min_messages = warning;
SELECT re, low, high, differ, kept FROM tried ORDER BY n;
-- what of an expression is not read is said
CREATE TABLE unread (id text PRIMARY KEY CHECK (id ~ '^(?=A)[A-Z]{5}$'), twice varchar(9) NOT NULL CHECK (twice ~ '^([a-f]{3})-\1$'), b boolean);
SELECT dp_protect('unread', 1000000);
SELECT dp_release('unread', 'flat', 1) > 0;
SELECT dp_define_column('unread', 'id', fill => 'A{n:[A-Z]:4}');
SELECT dp_release('unread', 'flat', 1) > 0;
SELECT dp_define_column('unread', 'twice', fill => '{abc-abc,fed-fed}');
INSERT INTO unread SELECT 'ABCDE', 'abc-abc', true;
SELECT count(DISTINCT id), bool_and(id ~ '^(?=A)[A-Z]{5}$'), count(DISTINCT twice) FROM dp_sample(NULL::unread, (SELECT dp_release('unread', 'flat', 100)), 200, 1);

-- check digits, and a share of rows that are NULL
CREATE TABLE account (iban text PRIMARY KEY, card text NOT NULL, phone text, b boolean);
SELECT dp_protect('account', 1000000);
SELECT dp_define_column('account', 'iban', fill => 'DE{check:iban}{n:18}', key => true), dp_define_column('account', 'card', fill => '4{n:[0-9]:14}{check:luhn}'),
	   dp_define_column('account', 'phone', fill => '+49{[0-9]:9}{null:30}');
SELECT dp_define_column('account', 'card', fill => '4{n:15}{null:10}');
SELECT dp_define_column('account', 'iban', fill => '{n}{null:10}', key => true);
SELECT dp_release('account', 'flat', 1000) AS a \gset
SELECT count(DISTINCT iban), bool_and((substr(iban, 5) || '1314' || substr(iban, 3, 2))::numeric % 97 = 1), bool_and(card ~ '^4[0-9]{15}$'),
	   bool_and((SELECT sum(CASE WHEN k % 2 = 0 THEN d ELSE d * 2 - CASE WHEN d > 4 THEN 9 ELSE 0 END END) FROM generate_series(1, 16) k, LATERAL (SELECT substr(card, k, 1)::int AS d) x) % 10 = 0),
	   count(phone) BETWEEN 620 AND 780 FROM dp_sample(NULL::account, :a, 1000, 1);

-- proposals, read off the data
RESET SESSION AUTHORIZATION;
CREATE TABLE first_names (name text, rank int);
INSERT INTO first_names SELECT 'Name' || translate(n::text, '0123456789', 'abcdefghij'), n FROM generate_series(1, 400) n;
SELECT dp_declare_public('first_names');
CREATE TABLE client (line int, first_name text, surname text, email text, digest text, code char(7) UNIQUE, note text, fax text, flag boolean);
INSERT INTO client SELECT n, 'Name' || t, 'O ' || md5(n::text), t || '@b.example', md5(n::text), translate(lpad(n::text, 7, '0'), '0123456789', 'ABCDEFGHIJ'), repeat('x ', n), NULL, true
  FROM generate_series(1, 300) n, translate(n::text, '0123456789', 'abcdefghij') t;
SELECT dp_protect('client', 1000000);
SELECT dp_suggest_columns('client');
SELECT dp_define_column('client', 'first_name', fill_from => 'fill_lists.first_names(name)'), dp_define_column('client', 'surname', fill => 'Smith'),
	   dp_define_column('client', 'email', fill => '{first_name}.{surname}{n}@example.org'), dp_define_column('client', 'code', fill => '{n:[A-J]:7}');
SELECT bool_and(email ~ '^Name[a-j]+\.Smith[0-9]+@example\.org$'), bool_and(code ~ '^[A-J]{7}$') FROM dp_sample(NULL::client, (SELECT dp_release('client', 'flat', 1000)), 200, 1);

-- codes of three letters, each once
CREATE TABLE port (iata text);
INSERT INTO port SELECT chr(65 + i / 26) || chr(65 + i % 26) || chr(65 + i * 7 % 26) FROM generate_series(0, 299) i;
SELECT dp_protect('port', 10);
SELECT dp_suggest_columns('port');

SET client_min_messages = error;
DROP SCHEMA fill_lists CASCADE;
DROP SCHEMA fill_lists_synthetic CASCADE;
REVOKE CREATE ON DATABASE :"DBNAME" FROM regress_dp_fill_owner;
DROP ROLE regress_dp_fill_owner;
DROP ROLE regress_dp_fill_analyst;
