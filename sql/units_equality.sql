-- Whose row it is: one equality decides, that of the column's type under its collation. A foreign key, an
-- index, a join or a shared budget that compares by another one is refused, at first and before each debit.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA equality;
SET dpsyn.query_refresh = 0; -- rows change meanwhile
SET client_min_messages = error;
CREATE EXTENSION citext SCHEMA equality;
CREATE ROLE regress_dp_equality;
GRANT USAGE, CREATE ON SCHEMA equality TO regress_dp_equality;
SET search_path = equality, public;
-- an order of texts that ignores case, by operators of its own
CREATE FUNCTION ci_cmp(text, text) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT pg_catalog.bttextcmp(lower($1), lower($2))';
CREATE FUNCTION ci_eq(text, text) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT lower($1) = lower($2)';
CREATE FUNCTION ci_lt(text, text) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT lower($1) < lower($2)';
CREATE FUNCTION ci_le(text, text) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT lower($1) <= lower($2)';
CREATE FUNCTION ci_gt(text, text) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT lower($1) > lower($2)';
CREATE FUNCTION ci_ge(text, text) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT lower($1) >= lower($2)';
CREATE OPERATOR ~=~ (LEFTARG = text, RIGHTARG = text, FUNCTION = ci_eq, COMMUTATOR = ~=~);
CREATE OPERATOR ~<<~ (LEFTARG = text, RIGHTARG = text, FUNCTION = ci_lt, COMMUTATOR = ~>>~);
CREATE OPERATOR ~<<=~ (LEFTARG = text, RIGHTARG = text, FUNCTION = ci_le, COMMUTATOR = ~>>=~);
CREATE OPERATOR ~>>~ (LEFTARG = text, RIGHTARG = text, FUNCTION = ci_gt, COMMUTATOR = ~<<~);
CREATE OPERATOR ~>>=~ (LEFTARG = text, RIGHTARG = text, FUNCTION = ci_ge, COMMUTATOR = ~<<=~);
CREATE OPERATOR CLASS ci_ops FOR TYPE text USING btree AS OPERATOR 1 ~<<~, OPERATOR 2 ~<<=~, OPERATOR 3 ~=~,
	OPERATOR 4 ~>>=~, OPERATOR 5 ~>>~, FUNCTION 1 ci_cmp(text, text);
SET SESSION AUTHORIZATION regress_dp_equality;
CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE COLLATION ci_too (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
CREATE DOMAIN number AS integer;
CREATE DOMAIN name_of_any AS text COLLATE ci;
CREATE TYPE mood AS ENUM ('ok', 'bad');
CREATE TYPE two AS (a integer, b name COLLATE ci);
RESET SESSION AUTHORIZATION;
CREATE TYPE ignores_case AS RANGE (subtype = text, subtype_opclass = ci_ops, multirange_type_name = ignores_case_m);
SET SESSION AUTHORIZATION regress_dp_equality;
CREATE TYPE spans AS RANGE (subtype = text);

-- ---- what leads to a parent's row
-- "yes", or why not. What PostgreSQL itself refuses as a foreign key is as good.
CREATE FUNCTION leads(key text, referring text, index text DEFAULT 'UNIQUE') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
BEGIN
	EXECUTE format('CREATE TABLE p (k %s, s boolean NOT NULL)', key);
	EXECUTE CASE index WHEN 'UNIQUE' THEN 'ALTER TABLE p ADD UNIQUE (k)' ELSE format('CREATE UNIQUE INDEX ON p (k %s)', index) END;
	EXECUTE format('CREATE TABLE c (k %s REFERENCES p (k), w boolean NOT NULL)', referring);
	PERFORM dp_protect('p', 10);
	PERFORM dp_protect('c', parent => 'p', max_rows_per_unit => 2);
	DROP TABLE c, p;
	RETURN 'yes';
EXCEPTION
	WHEN object_not_in_prerequisite_state THEN
		GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
		RETURN coalesce(substring(detail FROM 'by (operator .*), which is not'), 'no');
	WHEN invalid_foreign_key OR datatype_mismatch OR collation_mismatch OR indeterminate_collation OR feature_not_supported THEN
		RETURN 'no';
END
$$;
-- one equality
SELECT key, referring, leads(key, referring) FROM (VALUES
	('integer', 'bigint'), ('integer', 'smallint'), ('bigint', 'integer'), ('number', 'bigint'), ('bigint', 'number'),
	('text', 'varchar(9)'), ('varchar(9)', 'text'), ('varchar(9)', 'varchar(8)'), ('text', 'text COLLATE "C"'),
	('text COLLATE "C"', 'varchar COLLATE "POSIX"'), ('char(3)', 'char(5)'), ('text COLLATE ci', 'varchar COLLATE ci'),
	('name_of_any', 'text COLLATE ci'), ('citext', 'citext'), ('numeric(6, 2)', 'numeric'), ('double precision', 'double precision'),
	('timestamptz', 'timestamptz(3)'), ('timestamp', 'timestamp'), ('date', 'date'), ('interval', 'interval'), ('uuid', 'uuid'),
	('mood', 'mood'), ('name', 'name'), ('jsonb', 'jsonb'), ('integer[]', 'integer[]'), ('int4range', 'int4range'),
	('spans', 'spans'), ('datemultirange', 'datemultirange'), ('inet', 'inet'), ('text[] COLLATE ci', 'text[] COLLATE ci')) v (key, referring);
-- two
SELECT key, referring, leads(key, referring) FROM (VALUES
	('double precision', 'bigint'), ('double precision', 'real'), ('double precision', 'numeric'), ('numeric', 'bigint'), ('real', 'integer'),
	('timestamptz', 'timestamp'), ('timestamptz', 'date'), ('timestamp', 'timestamptz'), ('timestamp', 'date'),
	('char(3)', 'text'), ('text', 'char(3)'), ('varchar', 'char(3)'), ('name', 'text'), ('text', 'name'), ('citext', 'text'), ('text', 'citext'),
	('text', 'text COLLATE ci'), ('text COLLATE ci', 'text'), ('text COLLATE ci', 'text COLLATE ci_too'), ('text', 'name_of_any'),
	('char(3)', 'char(3) COLLATE ci'), ('char(3) COLLATE ci', 'char(3)'), ('oid', 'integer'), ('inet', 'cidr'),
	('name COLLATE ci', 'name COLLATE ci'), ('citext COLLATE ci', 'citext COLLATE ci'), ('two', 'two'), ('ignores_case', 'ignores_case'),
	('name[] COLLATE ci', 'name[] COLLATE ci'), ('text[]', 'text[] COLLATE ci')) v (key, referring);
-- the index that the key refers to
SELECT key, index, leads(key, key, index) FROM (VALUES
	('text', 'text_pattern_ops'), ('varchar', 'varchar_pattern_ops'), ('text', 'COLLATE "C"'), ('integer', 'DESC'),
	('text', 'ci_ops'), ('text', 'COLLATE ci'), ('text COLLATE ci', 'COLLATE "C"')) v (key, index);

-- ---- the words, and the remedy
CREATE TABLE p (id double precision PRIMARY KEY, s text NOT NULL CHECK (s IN ('f', 'm')));
CREATE TABLE c (id integer PRIMARY KEY, pid bigint REFERENCES p (id), w text NOT NULL CHECK (w IN ('x', 'y')));
-- different integers are one key
INSERT INTO p VALUES (4611686018427387904, 'f'), (7, 'm');
INSERT INTO c SELECT i, 4611686018427387904 + i, 'x' FROM generate_series(1, 400) i;
SELECT dp_protect('p', epsilon => 1000000);
SELECT dp_protect('c', parent => 'p', max_rows_per_unit => 2);
ALTER TABLE c ALTER pid TYPE double precision;
SELECT dp_protect('c', parent => 'p', max_rows_per_unit => 2);
SELECT round(estimate) FROM dp_query('c', '{count(*)}', 100000);
SELECT cell, round(estimate) FROM dp_query('c', '{count(*)}', 100000, by => '{p.s}') WHERE estimate > 1;
-- the type is another one since: nothing is spent
CREATE VIEW spent AS SELECT relation, epsilon_spent FROM dp_datasets WHERE relation::text IN ('p', 'people');
SELECT * FROM spent;
ALTER TABLE c ALTER pid TYPE bigint;
SELECT dp_query('c', '{count(*)}', 1);
SELECT dp_query('c', '{count(*)}', 1, by => '{p.s}');
SELECT dp_release('c', 'mst', 1, 1e-9);
SELECT dp_release('{p,c}', 'mst', 1, 1e-9);
SELECT * FROM spent;
ALTER TABLE c DROP CONSTRAINT c_pid_fkey, ALTER pid TYPE integer USING id;
ALTER TABLE p ALTER id TYPE integer USING id / 4611686018427387904;
ALTER TABLE c ADD FOREIGN KEY (pid) REFERENCES p NOT VALID;
-- 400 rows, of which 399 have no parent: each is a unit of its own, and nobody's where the parent is read
SELECT round(estimate) FROM dp_query('c', '{count(*)}', 100000);
SELECT sum(round(estimate)) FROM dp_query('c', '{count(*)}', 100000, by => '{p.s}');
DROP TABLE c, p;

-- another index takes the place of the one that it refers to
CREATE TABLE p (code text PRIMARY KEY, s boolean NOT NULL);
CREATE TABLE c (pcode text CONSTRAINT whose REFERENCES p, w boolean NOT NULL);
SELECT dp_protect('p', epsilon => 1000);
SELECT dp_protect('c', parent => 'p', max_rows_per_unit => 2);
ALTER TABLE c DROP CONSTRAINT whose;
ALTER TABLE p DROP CONSTRAINT p_pkey;
CREATE UNIQUE INDEX ignores_case ON p (code ci_ops);
ALTER TABLE c ADD CONSTRAINT whose FOREIGN KEY (pcode) REFERENCES p (code);
SELECT dp_query('c', '{count(*)}', 1);
-- a second key, by the index that serves
ALTER TABLE p ADD PRIMARY KEY (code);
ALTER TABLE c ADD CONSTRAINT a_second FOREIGN KEY (pcode) REFERENCES p;
SELECT conname, conindid::regclass FROM pg_constraint WHERE conrelid = 'c'::regclass AND contype = 'f' ORDER BY 1;
SELECT count(*) FROM dp_query('c', '{count(*)}', 1);
ALTER TABLE c DROP CONSTRAINT a_second;
SELECT count(*) FROM dp_query('c', '{count(*)}', 1);
DROP TABLE c, p;

-- two collations under which texts are equal if their bytes are
CREATE TABLE p (code text COLLATE "C" PRIMARY KEY, s boolean NOT NULL);
CREATE TABLE c (pcode varchar(8) COLLATE "POSIX" REFERENCES p, w boolean NOT NULL);
INSERT INTO p VALUES ('ab', true), ('AB', false);
INSERT INTO c SELECT code, true FROM p, generate_series(1, 9);
SELECT dp_protect('p', epsilon => 1000000, delta => 0.1);
SELECT dp_protect('c', parent => 'p', max_rows_per_unit => 2);
SELECT dp_define_column('p', 'code', fill => 'a{n}');
SELECT round(estimate) FROM dp_query('c', '{count(*)}', 100000);
SELECT cell, round(estimate) FROM dp_query('c', '{count(*)}', 100000, by => '{p.s}') ORDER BY cell::text;
SELECT dp_release('{p,c}', 'mst', 100000, 0.01) AS release \gset
SELECT relation, round(estimate) FROM unnest('{p,c}'::text[]) relation, dp_answer(:release, relation => relation);
DROP TABLE c, p;

-- units of the root are its rows, as long as its unit_column is the key
CREATE TABLE p (a integer UNIQUE, b integer UNIQUE, s boolean NOT NULL);
CREATE TABLE c (k integer CONSTRAINT whose REFERENCES p (a), w boolean NOT NULL);
SELECT dp_protect('p', epsilon => 1000, unit_column => 'a');
SELECT dp_protect('c', parent => 'p', max_rows_per_unit => 2);
ALTER TABLE c DROP CONSTRAINT whose, ADD CONSTRAINT whose FOREIGN KEY (k) REFERENCES p (b);
SELECT dp_query('c', '{count(*)}', 1);
DROP TABLE c, p;

-- ---- keys of several columns: none may be off
CREATE TABLE p (a integer, b text COLLATE ci, s boolean NOT NULL, PRIMARY KEY (a, b));
CREATE TABLE c (a bigint, b varchar COLLATE ci, w boolean NOT NULL, FOREIGN KEY (a, b) REFERENCES p);
INSERT INTO p VALUES (1, 'ab', true), (2, 'ab', false);
INSERT INTO c SELECT 1, b, true FROM unnest('{ab,AB,aB,Ab}'::text[]) b, generate_series(1, 5);
SELECT dp_protect('p', epsilon => 1000000, delta => 1e-3);
SELECT dp_protect('c', parent => 'p', max_rows_per_unit => 3);
SELECT round(estimate) FROM dp_query('c', '{count(*)}', 100000);
SELECT cell, round(estimate) FROM dp_query('c', '{count(*)}', 100000, by => '{p.s}') ORDER BY cell::text;
ALTER TABLE c DROP CONSTRAINT c_a_b_fkey;
ALTER TABLE p ALTER a TYPE double precision;
ALTER TABLE c ADD FOREIGN KEY (a, b) REFERENCES p;
SELECT dp_query('c', '{count(*)}', 1);
DROP TABLE c, p;

-- ---- rows of one unit are together, however it is written
CREATE VIEW spelt (type, spellings) AS VALUES
	('text COLLATE ci', '{ab,aB,Ab,AB}'), ('varchar COLLATE ci', '{ab,aB,Ab,AB}'), ('char(4) COLLATE ci', '{ab,aB,Ab,AB}'),
	('citext', '{ab,aB,Ab,AB}'), ('name_of_any', '{ab,aB,Ab,AB}'), ('numeric', '{1,1.0,1.00,1.000}'),
	('double precision', '{0,-0,0.0,-0.0}'), ('interval', '{1 day,24:00,1440 min,86400 s}'), ('jsonb', '{1,1.0,1.00,1.000}'),
	('timestamptz', '{2001-01-01 00:00+0,2001-01-01 01:00+1,2001-01-01 02:00+2,2001-01-01 03:00+3}'),
	('text[] COLLATE ci', '{"{ab}","{aB}","{Ab}","{AB}"}'), ('numrange', '{"[1,2]","[1.0,2]","[1.00,2]","[1,2.0]"}'),
	('char(4)', '{"a","a ","a  ","a   "}');
\set ECHO none
SELECT format('CREATE TABLE unit_%s (u %s, w boolean NOT NULL)', n, type),
	   format('INSERT INTO unit_%s SELECT u::%s, true FROM unnest(%L::text[]) u, generate_series(1, 25)', n, split_part(type, ' COLLATE', 1), spellings),
	   format('INSERT INTO unit_%s SELECT NULL, true FROM generate_series(1, 5)', n),
	   format('SELECT dp_protect(''unit_%s'', 1000000, unit_column => ''u'', max_rows_per_unit => 3)', n),
	   format('SELECT %L, round(estimate) FROM dp_query(''unit_%s'', ''{count(*)}'', 100000)', type, n)
  FROM (SELECT *, row_number() OVER () AS n FROM spelt) s \gexec
SELECT format('CREATE TABLE person_%s (k %s UNIQUE, s boolean NOT NULL)', n, type),
	   format('CREATE TABLE visit_%s (k %s REFERENCES person_%s (k), w boolean NOT NULL)', n, type, n),
	   format('INSERT INTO person_%s VALUES (%L, true)', n, (spellings::text[])[1]),
	   format('INSERT INTO visit_%s SELECT k, w FROM (SELECT u AS k, w FROM unit_%s WHERE u IS NOT NULL) v', n, n),
	   format('SELECT dp_protect(''person_%s'', 1000000, 0.1)', n),
	   format('SELECT dp_protect(''visit_%s'', parent => ''person_%s'', max_rows_per_unit => 3)', n, n),
	   format('SELECT %L, round(estimate) FROM dp_query(''visit_%s'', ''{count(*)}'', 100000, by => ''{person_%s.s}'') WHERE estimate > 1', type, n, n)
  FROM (SELECT *, row_number() OVER () AS n FROM spelt) s WHERE type IN ('text COLLATE ci', 'citext', 'numeric') \gexec
\set ECHO all
-- a tree counts as many
SELECT dp_define_column('person_1', 'k', fill => 'a{n}');
SELECT dp_release('{person_1,visit_1}', 'mst', 100000, 0.01) AS release \gset
SELECT relation, round(estimate) FROM unnest('{person_1,visit_1}'::text[]) relation, dp_answer(:release, relation => relation);
SELECT dp_define_column('person_4', 'k', fill => 'a{n}');
SELECT dp_release('{person_4,visit_4}', 'mst', 100000, 0.01) AS release \gset
SELECT relation, round(estimate) FROM unnest('{person_4,visit_4}'::text[]) relation, dp_answer(:release, relation => relation);

-- a column whose values are equal or not as rows are brought together
CREATE TABLE unsure (n name COLLATE ci, c citext COLLATE ci, t two, a name[] COLLATE ci, r ignores_case, m ignores_case_m, w boolean NOT NULL);
SELECT dp_protect('unsure', 10, unit_column => 'n');
SELECT dp_protect('unsure', 10, unit_column => 'c');
SELECT dp_protect('unsure', 10, unit_column => 't');
SELECT dp_protect('unsure', 10, unit_column => 'a');
SELECT dp_protect('unsure', 10, unit_column => 'r');
SELECT dp_protect('unsure', 10, unit_column => 'm');

-- ---- a budget that is shared
CREATE TABLE people (u text COLLATE ci, n integer, t timestamptz, f double precision, s boolean NOT NULL);
CREATE TABLE wages (u text, b bigint, i integer, t timestamp, c citext, v varchar COLLATE ci, f real, d name_of_any, w boolean NOT NULL);
CREATE TABLE other (u text COLLATE ci, w boolean NOT NULL);
SELECT dp_protect('people', 1000, unit_column => 'u', max_rows_per_unit => 2);
SELECT dp_protect('wages', budget_of => 'people', unit_column => 'u', max_rows_per_unit => 2);
CREATE FUNCTION shares(relation text, of text, unit text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	PERFORM dp_unprotect('people');
	PERFORM dp_protect('people', 1000, unit_column => of, max_rows_per_unit => 2);
	PERFORM dp_protect(relation, budget_of => 'people', unit_column => unit);
	RAISE division_by_zero;
EXCEPTION
	WHEN division_by_zero THEN RETURN true;
	WHEN object_not_in_prerequisite_state THEN RETURN false;
END
$$;
SELECT of, unit, shares('wages', of, unit) FROM (VALUES ('u', 'v'), ('u', 'd'), ('n', 'b'), ('n', 'i'), ('u', 'c'), ('t', 't'), ('f', 'f'), ('f', 'b'), ('n', 'u')) v (of, unit);
-- a view's column is compared as it comes out of the view
CREATE VIEW wages_ci AS SELECT u COLLATE ci AS u, w FROM wages;
CREATE VIEW wages_c AS SELECT u COLLATE "C" AS u, w FROM wages;
SELECT relation, shares(relation, 'u', 'u') FROM unnest('{wages_ci,wages_c}'::text[]) relation;
-- after it was shared: neither of the two, nor a third one, spends anything
SELECT dp_protect('other', budget_of => 'people', unit_column => 'u');
SELECT dp_protect('wages', budget_of => 'people', unit_column => 'v', max_rows_per_unit => 2);
SELECT count(*) FROM dp_query('people', '{count(*)}', 1);
ALTER TABLE wages ALTER v TYPE varchar COLLATE "C";
SELECT dp_query('people', '{count(*)}', 1);
SELECT dp_query('wages', '{count(*)}', 1);
SELECT dp_release('other', 'mst', 1, 1e-9);
SELECT * FROM spent;
-- who does not take part any more, does not count
SELECT dp_unprotect('wages');
SELECT count(*) FROM dp_query('other', '{count(*)}', 1);
SELECT dp_protect('wages', budget_of => 'people', unit_column => 'v', max_rows_per_unit => 2);
ALTER TABLE wages ALTER v TYPE varchar COLLATE ci;
SELECT dp_protect('wages', budget_of => 'people', unit_column => 'v', max_rows_per_unit => 2);
SELECT * FROM spent;

-- ---- joins of a view
CREATE TABLE a (i integer UNIQUE, u text, v varchar(9), x text COLLATE ci, c citext, t timestamptz, f double precision UNIQUE, n name, s boolean NOT NULL);
CREATE TABLE b (i bigint, u text, v varchar(9), x text COLLATE ci, c citext, t timestamp, f double precision, n name, af integer REFERENCES a (f), ai bigint REFERENCES a (i), w boolean NOT NULL);
CREATE FUNCTION joins(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'CREATE VIEW joined AS ' || query;
	PERFORM dp_protect('joined', 10, unit_column => 'u');
	RAISE division_by_zero;
EXCEPTION
	WHEN division_by_zero THEN RETURN 'yes';
	WHEN feature_not_supported THEN RETURN substring(SQLERRM FROM 'has (.*)');
END
$$;
SELECT query, joins(query) FROM (VALUES
	('SELECT a.i AS u, w FROM a JOIN b ON a.i = b.i'),
	('SELECT a.u, w FROM a JOIN b ON a.u = b.v'),
	('SELECT v AS u, w FROM a JOIN b USING (v)'),
	('SELECT v::text AS u, w FROM a JOIN b USING (v)'),
	('SELECT a.x AS u, w FROM a JOIN b ON a.x = b.x'),
	('SELECT a.c AS u, w FROM a JOIN b ON a.c = b.c'),
	('SELECT a.i AS u, w FROM a JOIN b ON a.i = b.ai'),
	-- another equality, on one side or both
	('SELECT a.u, w FROM a JOIN b ON a.u = b.x'),
	('SELECT a.x AS u, w FROM a JOIN b ON a.x = b.x COLLATE "C"'),
	('SELECT a.u, w FROM a JOIN b ON a.u = b.u COLLATE ci'),
	('SELECT a.t AS u, w FROM a JOIN b ON a.t = b.t'),
	('SELECT a.n AS u, w FROM a JOIN b ON a.n = b.u'),
	('SELECT a.f AS u, w FROM a JOIN b ON a.f = b.i'),
	('SELECT a.f AS u, w FROM a JOIN b ON a.f = b.af'),
	('SELECT a.v AS u, w FROM a JOIN b ON a.v::bpchar = b.v::bpchar'),
	('SELECT a.c AS u, w FROM a JOIN b ON a.c::text = b.c::text'),
	('SELECT a.c::text AS u, w FROM a JOIN b ON a.c = b.c'),
	('SELECT a.u, w FROM a JOIN b ON a.u ~=~ b.u'),
	-- of one relation: an expression of the row
	('SELECT c::text AS u, w FROM b')) v (query);

RESET SESSION AUTHORIZATION;
DROP SCHEMA equality CASCADE;
DROP OWNED BY regress_dp_equality;
DROP ROLE regress_dp_equality;
