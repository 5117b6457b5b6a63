-- columns that are not modelled: what they hold, where that comes from, and what is refused
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t56;
CREATE ROLE regress_dp_56_owner;
CREATE ROLE regress_dp_56_analyst;
GRANT USAGE, CREATE ON SCHEMA t56 TO regress_dp_56_owner;
GRANT USAGE ON SCHEMA t56 TO regress_dp_56_analyst;
SET search_path = t56, public;
SET SESSION AUTHORIZATION regress_dp_56_owner;
SET client_min_messages = warning;

-- every column that must hold something does
CREATE DOMAIN word AS varchar(40) CHECK (VALUE ~ '^[a-z 0-9@.]+$');
CREATE TABLE t (
	id serial PRIMARY KEY,
	flag boolean NOT NULL,
	small smallint UNIQUE, code uuid UNIQUE NOT NULL, word word UNIQUE, short varchar(3) UNIQUE, nick char(8) NOT NULL,
	"The name" text NOT NULL, mail text NOT NULL CHECK (mail LIKE '%@%.%'), zip char(5) NOT NULL CHECK (zip ~ '^[0-9]{5}$'),
	doc jsonb NOT NULL, list text[] NOT NULL, span int4range NOT NULL, raw bytea NOT NULL, bits bit(3) NOT NULL, address inet NOT NULL,
	text_free text, doc_free jsonb, required text CHECK (required IS NOT NULL));
INSERT INTO t SELECT n, true, n, md5(n::text)::uuid, 'a' || n, n, n, n, n || '@b.c', '12345', '{}', '{}', 'empty', '', '101', '1.1.1.1', NULL, NULL, 'x'
  FROM generate_series(1, 100) n;
SELECT dp_protect('t', 1000000), dp_define_column('t', 'span', fill => 'empty');
SELECT column_name, kind, source, labels FROM dp_columns WHERE relation = 't'::regclass ORDER BY ordinal;
SET client_min_messages = notice;
SELECT count(*) > 0 FROM dp_explain('t', 'sba', 1000, 0, '{"dense_cells": 10}');
SET client_min_messages = warning;
SELECT dp_release('t', 'sba', 1000, 0, '{"dense_cells": 10}') AS id \gset
SELECT * FROM dp_sample(NULL::t, :id, 3, 7);
-- the modelled columns do not depend on which others are drawn
CREATE TYPE flags AS (flag boolean, id text);
SELECT bool_and(a.flag = b.flag) FROM dp_sample(NULL::t, :id, 900, 7) a JOIN dp_sample(NULL::flags, :id, 900, 7) b ON b.id::int = a.id;
-- a table that has all the rules takes the rows
CREATE TABLE copy (LIKE t INCLUDING ALL);
INSERT INTO copy SELECT * FROM dp_sample(NULL::t, :id);
SELECT count(*) = (SELECT rows FROM dp_releases WHERE release = :id) FROM copy;

-- the caller leaves columns out
SELECT count(id), count("The name"), count(flag) FROM dp_synthesize_sba(NULL::t, 1000, rows => 10, dense_cells => 10, columns => '{flag}');

-- more rows than a column can number
SELECT count(*) FROM dp_sample(NULL::t, :id, 1000, 7) s;
SELECT count(*) FROM dp_sample(NULL::t, :id, 32768, 7) s;
SELECT count(*) FROM dp_synthesize_sba(NULL::t, 1000, rows => 1000, dense_cells => 10);
SELECT epsilon_spent FROM dp_datasets WHERE relation = 't'::regclass \gset
SELECT count(*) FROM dp_synthesize_sba(NULL::t, 1000, rows => 32768, dense_cells => 10);
SELECT epsilon_spent = :epsilon_spent FROM dp_datasets WHERE relation = 't'::regclass;

-- declared ones
CREATE TABLE d (n int, u uuid, s text, v varchar(6), at date, c text CHECK (c <> 'x'), k int UNIQUE, flag boolean NOT NULL, ts timestamptz);
INSERT INTO d (flag) SELECT true FROM generate_series(1, 100);
SELECT dp_protect('d', 1000000);
SELECT dp_define_column('d', 'n', key => true), dp_define_column('d', 'u', key => true), dp_define_column('d', 's', fill => 'a {n} b'),
	   dp_define_column('d', 'v', key => true), dp_define_column('d', 'c', fill => '{null}'), dp_define_column('d', 'k', fill => '7{n}');
SET DateStyle = 'SQL, DMY';
SET TimeZone = 'America/New_York';
SELECT dp_define_column('d', 'at', fill => '02/03/2001'), dp_define_column('d', 'ts', fill => '02/03/2001 12:00');
RESET DateStyle;
SET TimeZone = 'UTC';
SELECT column_name, kind, source, labels FROM dp_columns WHERE relation = 'd'::regclass ORDER BY ordinal;
SET client_min_messages = notice;
SELECT count(*) > 0 FROM dp_explain('d', 'sba', 1000, 0, '{"dense_cells": 10}');
SET client_min_messages = warning;
SELECT dp_release('d', 'sba', 1000, 0, '{"dense_cells": 10}') AS id \gset
SELECT n, u IS NOT NULL, s, v, at, c, k, flag, ts FROM dp_sample(NULL::d, :id, 2, 1);
-- by number, from 1 in each draw, however the rows are taken; the seed decides the uuids
SELECT count(*), min(n), max(n), count(DISTINCT n), count(DISTINCT u), count(DISTINCT s), min(at), max(at) FROM dp_sample(NULL::d, :id, 5000, 7);
SELECT count(*) FROM (SELECT * FROM dp_sample(NULL::d, :id, 5000, 7) EXCEPT SELECT (s).* FROM (SELECT dp_sample(NULL::d, :id, 5000, 7) AS s) s) x;
SELECT count(*) FROM (SELECT * FROM dp_sample(NULL::d, :id, 5000, 7) LIMIT 10) a JOIN dp_sample(NULL::d, :id, 10, 7) b USING (n, u, s);
SELECT count(*) FROM (SELECT u FROM dp_sample(NULL::d, :id, 10, 7) INTERSECT SELECT u FROM dp_sample(NULL::d, :id, 10, 8)) x;
BEGIN;
DECLARE c CURSOR FOR SELECT n, u = (SELECT u FROM dp_sample(NULL::d, :id, 5000, 7) WHERE n = 4000) FROM dp_sample(NULL::d, :id, 5000, 7);
MOVE 3999 IN c;
FETCH 1 FROM c;
COMMIT;
-- a declaration that changes afterwards changes no release
SELECT dp_define_column('d', 's', fill => 'other');
SELECT s FROM dp_sample(NULL::d, :id, 1);
SELECT dp_define_column('d', 's');
SELECT kind, source FROM dp_columns WHERE relation = 'd'::regclass AND column_name = 's';
-- refused
SELECT dp_define_column('d', 'flag', '{t}', fill => 'f');
SELECT dp_define_column('d', 's', open => true, key => true);
SELECT dp_define_column('d', 's', fill => 'x', other => 'y');
SELECT dp_define_column('d', 's', fill => 'x', complete => true);
SELECT dp_define_column('d', 's', fill => 'x', domain => '[1]');
SELECT dp_define_column('d', 'gone', fill => 'x');
SELECT dp_define_column('d', 'gone', key => true);
SELECT dp_define_column('d', 'n', fill => 'x');
SELECT dp_define_column('d', 'v', fill => 'too long for it');
SELECT dp_define_column('d', 'c', fill => 'x');
SELECT dp_define_column('d', 'k', fill => '7');
SELECT dp_define_column('d', 'n', key => true, fill => '7');
SELECT dp_define_column('d', 'at', key => true);
SELECT dp_define_column('d', 'flag', fill => '{null}');

-- keys of several columns: one is numbered, or none can be
CREATE TABLE k (patient int, day date NOT NULL, place text, nr smallint, flag boolean NOT NULL, PRIMARY KEY (patient, day), UNIQUE (place, nr, flag), UNIQUE (day, flag));
INSERT INTO k SELECT n, '2020-01-01'::date + n, n, n, true FROM generate_series(1, 100) n;
SELECT dp_protect('k', 1000000), dp_define_column('k', 'day', bins => '{2020-01-01,2021-01-01}');
SELECT column_name, kind, labels FROM dp_columns WHERE relation = 'k'::regclass AND kind <> 'categories' ORDER BY ordinal;
SET client_min_messages = notice;
SELECT count(*) > 0 FROM dp_explain('k', 'sba', 1000, 0, '{"dense_cells": 10}');
SET client_min_messages = warning;
SELECT count(*), count(DISTINCT patient), count(DISTINCT nr), count(place) FROM dp_synthesize_sba(NULL::k, 1000, rows => 300, dense_cells => 10);
-- another column of the key, by the custodian's choice
SELECT dp_define_column('k', 'place', key => true), dp_define_column('k', 'nr', '{1,2}');
SELECT column_name, kind, labels FROM dp_columns WHERE relation = 'k'::regclass ORDER BY ordinal;

-- what has a public domain stays modelled, and so may repeat
CREATE TABLE m (sex char(1) UNIQUE CHECK (sex IN ('f', 'm')), n int UNIQUE, lower text);
CREATE UNIQUE INDEX m_lower ON m (lower(lower));
CREATE UNIQUE INDEX m_part ON m (n) WHERE n > 5;
INSERT INTO m VALUES ('f', 1, 'x'), ('m', 2, 'y');
SELECT dp_protect('m', 1000000), dp_define_column('m', 'n', '{1,2,3}');
SET client_min_messages = notice;
SELECT count(*) > 0 FROM dp_explain('m', 'sba', 1000, 0, '{"dense_cells": 10}');
SET client_min_messages = warning;
SELECT count(*), count(n) FROM dp_synthesize_sba(NULL::m, 1000, rows => 30, dense_cells => 100);

-- the unit is numbered, whatever else it is
CREATE TABLE units (person int, flag boolean);
INSERT INTO units SELECT n / 2, true FROM generate_series(1, 100) n;
SELECT dp_protect('units', 1000000, unit_column => 'person', max_rows_per_unit => 2);
SELECT max(person), count(DISTINCT person) FROM dp_synthesize_sba(NULL::units, 100000, rows => 30, dense_cells => 100);

-- a level "other", in a column that must not be NULL, gives one of the column's values
CREATE TABLE r (c text NOT NULL, o text NOT NULL, flag boolean NOT NULL);
INSERT INTO r SELECT CASE WHEN n % 2 = 0 THEN 'a' WHEN n % 100 = 1 THEN 'b' ELSE 'rare ' || n END, CASE WHEN n % 2 = 0 THEN 'often' ELSE n::text END, true FROM generate_series(1, 1000) n;
SELECT dp_protect('r', 1000000, 0.1), dp_define_column('r', 'c', '{a,b}'), dp_define_column('r', 'o', open => true);
SELECT dp_release('r', 'mst', 1000, 1e-6) AS id \gset
SELECT count(*) FILTER (WHERE c IN ('a', 'b')), count(*) FILTER (WHERE c = 'a') > 900, count(DISTINCT o) FROM dp_sample(NULL::r, :id, 1000, 1);

-- no value is known: an error before anything is spent, that says what to do
CREATE TYPE pair AS (a int, b int);
CREATE TABLE e1 (p pair NOT NULL, flag boolean NOT NULL);
CREATE TABLE e2 (code text NOT NULL CHECK (code ~ '^(?=[ABCX])[A-Z]+$'), flag boolean NOT NULL);
CREATE TABLE e3 (a text, b text, flag boolean NOT NULL, CONSTRAINT one CHECK (a IS NOT NULL OR b IS NOT NULL));
CREATE TABLE e4 (n text NOT NULL CHECK (n::int > 0), flag boolean NOT NULL);
INSERT INTO e1 VALUES ((1, 2), true);
INSERT INTO e2 VALUES ('ABC', true);
INSERT INTO e3 VALUES ('ABC', NULL, true);
INSERT INTO e4 VALUES ('7', true);
SELECT dp_protect(relation, 1000000) FROM unnest('{e1,e2,e3,e4}'::regclass[]) relation;
SELECT dp_grant('e2', 'regress_dp_56_analyst', 1000);
SELECT count(p) FROM dp_synthesize_sba(NULL::e1, 1000, rows => 10, dense_cells => 10);
SELECT count(p) FROM dp_synthesize_sba(NULL::e1, 1000, rows => 10, dense_cells => 10, columns => '{flag}');
SELECT count(*) FROM dp_explain('e2', 'sba', 1000, 0, '{"dense_cells": 10}');
SET SESSION AUTHORIZATION regress_dp_56_analyst;
SELECT count(*) FROM dp_synthesize_sba(NULL::e2, 1000, rows => 10, dense_cells => 10);
SELECT column_name, kind FROM dp_columns WHERE relation = 'e2'::regclass;
SET SESSION AUTHORIZATION regress_dp_56_owner;
-- where a CHECK wants one of two, one is filled
SELECT count(a), max(b) FROM dp_synthesize_sba(NULL::e3, 1000, rows => 9, dense_cells => 10);
SELECT dp_define_column('e3', 'b', fill => '{null}'), dp_define_column('e3', 'a', fill => '{null}');
SELECT count(*) FROM dp_synthesize_sba(NULL::e3, 1000, rows => 10, dense_cells => 10);
SELECT relation, epsilon_spent FROM dp_datasets WHERE relation IN ('e2'::regclass, 'e3') ORDER BY 1;
SELECT dp_define_column('e2', 'code', fill => 'XXX'), dp_define_column('e3', 'b', fill => 'b');
SELECT DISTINCT code, flag FROM dp_synthesize_sba(NULL::e2, 1000, rows => 10, dense_cells => 10);
SELECT DISTINCT a, b, flag FROM dp_synthesize_sba(NULL::e3, 1000, rows => 10, dense_cells => 10);
SELECT min(n), max(n) FROM dp_synthesize_sba(NULL::e4, 1000, rows => 9, dense_cells => 10);

-- nobody's code runs to find out: neither a domain's CHECK nor a function
CREATE FUNCTION seen(text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE WARNING 'run by %', current_user; RETURN false; END $$;
CREATE DOMAIN watched AS text CHECK (seen(VALUE));
CREATE TABLE w (a watched, b text NOT NULL CHECK (seen(b)), flag boolean NOT NULL);
ALTER TABLE w ALTER a SET NOT NULL;
SELECT dp_protect('w', 1000000), dp_grant('w', 'regress_dp_56_analyst', 1000);
SET SESSION AUTHORIZATION regress_dp_56_analyst;
SELECT column_name, kind, labels FROM dp_columns WHERE relation = 'w'::regclass ORDER BY ordinal;
SELECT count(*) FROM dp_synthesize_sba(NULL::w, 1000, rows => 10, dense_cells => 10);
SET SESSION AUTHORIZATION regress_dp_56_owner;

-- NULL in none of the rows, or in all; what is no percentage is refused, and not taken as it stands
CREATE TABLE missing (x integer CHECK (x IN (1, 2)), never text, always text);
SELECT dp_protect('missing', 100);
SELECT dp_define_column('missing', 'never', fill => 'a{null:0}'), dp_define_column('missing', 'always', fill => 'a{null:100}');
SELECT min(never), count(never), count(always) FROM dp_synthesize_flat(NULL::missing, 10, rows => 20);
SELECT dp_define_column('missing', 'never', fill => 'a{null:101}');
SELECT dp_define_column('missing', 'never', fill => '{check:nothing}');
-- NULL where the type or a CHECK refuses it
CREATE DOMAIN present AS text NOT NULL;
CREATE TABLE refusing (x integer CHECK (x IN (1, 2)), a present, b text CHECK (b IS NOT NULL));
SELECT dp_protect('refusing', 100);
SELECT dp_define_column('refusing', 'a', fill => '{null:30}a {n}');
SELECT dp_define_column('refusing', 'b', fill => '{null:30}b {n}');
ALTER TABLE refusing DROP CONSTRAINT refusing_b_check;
SELECT dp_define_column('refusing', 'a', fill => 'a {n}'), dp_define_column('refusing', 'b', fill => '{null:30}b {n}');
ALTER TABLE refusing ALTER b SET NOT NULL;
SELECT count(*) FROM dp_synthesize_flat(NULL::refusing, 10, rows => 20);
SELECT epsilon_spent FROM dp_datasets WHERE relation = 'refusing'::regclass;
CREATE TABLE either (x integer CHECK (x IN (1, 2)), a text, b text, c text, d text, CONSTRAINT one CHECK (a IS NOT NULL OR b IS NOT NULL), CONSTRAINT alike CHECK ((c IS NULL) = (d IS NULL)), CONSTRAINT longer CHECK (length(a) <= length(c)));
SELECT dp_protect('either', 100);
SELECT dp_define_column('either', 'a', fill => '{null:30}a'), dp_define_column('either', 'b', fill => 'b'), dp_define_column('either', 'c', fill => '{null:30}c'), dp_define_column('either', 'd', fill => 'd');
SET client_min_messages = notice;
SELECT dp_release('either', 'flat', 10) > 0;
SET client_min_messages = warning;
SELECT dp_define_column('either', 'b', fill => '{null:30}b'), dp_define_column('either', 'd', fill => '{null:30}d');
SET client_min_messages = notice;
SELECT dp_release('either', 'flat', 10) > 0;
SET client_min_messages = warning;
-- neither counts among the characters that a number leaves
CREATE TABLE narrow (x integer CHECK (x IN (1, 2)), code varchar(3), card varchar(4), n smallint);
SELECT dp_protect('narrow', 100);
SELECT dp_define_column('narrow', 'code', fill => '{null:30}{n}'), dp_define_column('narrow', 'card', fill => '{n}{check:luhn}'), dp_define_column('narrow', 'n', fill => '{n}{null:30}');
SELECT count(*), max(length(code)), max(length(card)), count(n) < 999 AS some_are_null FROM dp_synthesize_flat(NULL::narrow, 10, rows => 999);
SELECT dp_release('narrow', 'flat', 10) AS many \gset
SELECT max(length(code)), max(length(card)), max(n) FROM dp_sample(NULL::narrow, :many, rows => 40000);
SELECT dp_define_column('narrow', 'code'), dp_define_column('narrow', 'card');
SELECT count(*) FROM dp_synthesize_flat(NULL::narrow, 10, rows => 40000);

SET client_min_messages = error;
RESET SESSION AUTHORIZATION;
DROP SCHEMA t56 CASCADE;
DROP ROLE regress_dp_56_owner;
DROP ROLE regress_dp_56_analyst;
