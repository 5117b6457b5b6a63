-- Whose row it is: the operator that was looked at is the one that runs. Naive: a statement names it, and the parser
-- finds another one of the same name in the same schema, which fits a domain better and is somebody else's code.
\set SHOW_CONTEXT never
\t on
\pset format unaligned
SET client_min_messages = error;
CREATE SCHEMA ext;
CREATE EXTENSION citext SCHEMA ext;
CREATE ROLE regress_dp_boss;
CREATE ROLE regress_dp_eve;
CREATE SCHEMA b AUTHORIZATION regress_dp_boss;
CREATE SCHEMA synthetic AUTHORIZATION regress_dp_boss;
CREATE TABLE b.run (who text);
GRANT INSERT ON b.run TO public;
GRANT USAGE ON SCHEMA ext, b TO regress_dp_boss, regress_dp_eve;
GRANT CREATE ON SCHEMA ext TO regress_dp_eve;

SET SESSION AUTHORIZATION regress_dp_boss;
SET search_path = b, public;
CREATE DOMAIN email AS ext.citext;
CREATE DOMAIN short AS varchar(3);
CREATE DOMAIN blank AS char(3);
CREATE TABLE p (k email PRIMARY KEY, s boolean NOT NULL);
CREATE TABLE c (k email REFERENCES p, w boolean NOT NULL);
-- a table's own child, so that the unit is found through another table
CREATE TABLE d (id integer PRIMARY KEY, k email UNIQUE REFERENCES p, z boolean NOT NULL);
CREATE TABLE e (k email REFERENCES d (k), y boolean NOT NULL);
INSERT INTO p SELECT 'u' || i, i % 2 = 0 FROM generate_series(1, 200) i;
INSERT INTO c SELECT 'U7', true FROM generate_series(1, 50);
INSERT INTO d VALUES (1, 'U7', true), (2, 'u8', false);
INSERT INTO e SELECT 'u7', true FROM generate_series(1, 50);
SELECT dp_protect('p', 1000000, 0.1);
SELECT dp_protect('c', parent => 'p', max_rows_per_unit => 1);
SELECT dp_protect('d', parent => 'p', max_rows_per_unit => 1);
SELECT dp_protect('e', parent => 'd', max_rows_per_unit => 2);
SELECT dp_define_column('p', 'k', fill => 'a{n}');

SET SESSION AUTHORIZATION regress_dp_eve;
CREATE FUNCTION ext.evil(b.email, b.email) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO b.run VALUES (current_user);
	RETURN true;
END $$;
CREATE OPERATOR ext.= (LEFTARG = b.email, RIGHTARG = b.email, FUNCTION = ext.evil);
CREATE FUNCTION ext.evil(b.email, ext.citext) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';
CREATE OPERATOR ext.= (LEFTARG = b.email, RIGHTARG = ext.citext, FUNCTION = ext.evil);

SET SESSION AUTHORIZATION regress_dp_boss;
-- what a name alone would mean
SELECT oprcode FROM pg_operator WHERE oid = 'ext.=(b.email, b.email)'::regoperator;
-- one row of the one unit that has any
SELECT dp_release('{p,c}', 'mst', 100000, 0.01) AS release \gset
SELECT relation, round(estimate) FROM unnest('{p,c}'::text[]) relation, dp_answer(:release, relation => relation);
SELECT dp_release('{p,d,e}', 'mst', 100000, 0.01) AS release \gset
SELECT relation, round(estimate) FROM unnest('{p,d,e}'::text[]) relation, dp_answer(:release, relation => relation);
SELECT round(estimate) FROM dp_query('c', '{count(*)}', 100000);
SELECT cell, round(estimate) FROM dp_query('c', '{count(*)}', 100000, by => '{p.s}') WHERE estimate > 0.5;
SELECT cell, round(estimate) FROM dp_query('e', '{count(*)}', 100000, by => '{p.s}') WHERE estimate > 0.5;
-- whoever compares the tables with others reads them, too
CREATE TABLE synthetic.p (LIKE p INCLUDING ALL);
CREATE TABLE synthetic.c (k email REFERENCES synthetic.p, w boolean NOT NULL);
INSERT INTO synthetic.p TABLE p;
INSERT INTO synthetic.c TABLE c;
SELECT measure, value, original, synthetic FROM dp_evaluate('{p,c}', '{synthetic.p,synthetic.c}')
 WHERE measure IN ('orphans', 'same_as_sibling') ORDER BY measure;
RESET SESSION AUTHORIZATION;
SELECT count(*) FROM b.run;

-- a domain of what is compared in pg_catalog, and what has no domain
SET SESSION AUTHORIZATION regress_dp_boss;
CREATE DOMAIN numbers AS integer[];
CREATE DOMAIN span AS int4range;
CREATE TYPE mood AS ENUM ('ok', 'bad');
CREATE TYPE pair AS (a integer, b integer);
CREATE DOMAIN both_of AS pair;
CREATE VIEW kinds (n, type, one, two) AS VALUES
	(1, 'short', 'ab', 'abc'), (2, 'blank', 'ab', 'abc'), (3, 'numbers', '{1}', '{1,2}'), (4, 'span', '[1,2)', '[1,3)'), (5, 'mood', 'ok', 'bad'),
	(6, 'both_of', '(1,2)', '(1,3)'), (7, 'char(3)', 'ab', 'abc'), (8, 'varchar(3)', 'ab', 'abc'), (9, 'pair', '(1,2)', '(1,3)'),
	(10, 'ext.citext', 'ab', 'abc'), (11, '"char"', 'a', 'b'), (12, 'bit(3)', '110', '111');
\set ECHO none
SELECT format('CREATE TABLE q%s (k %s UNIQUE, s boolean NOT NULL)', n, type),
	   format('CREATE TABLE r%s (k %s REFERENCES q%s (k), w boolean NOT NULL)', n, type, n),
	   format('INSERT INTO q%s VALUES (%L, true), (%L, false)', n, one, two),
	   format('INSERT INTO r%s SELECT k, true FROM q%s, generate_series(1, 20)', n, n),
	   format('SELECT dp_protect(''q%s'', 1000000, 0.1)', n),
	   format('SELECT dp_protect(''r%s'', parent => ''q%s'', max_rows_per_unit => 3)', n, n),
	   format('SELECT %L, cell, round(estimate) FROM dp_query(''r%s'', ''{count(*)}'', 100000, by => ''{q%s.s}'') ORDER BY cell::text', type, n, n)
  FROM kinds ORDER BY n \gexec
\set ECHO all

RESET SESSION AUTHORIZATION;
SET client_min_messages = error;
DROP SCHEMA b, synthetic, ext CASCADE;
DROP OWNED BY regress_dp_boss, regress_dp_eve;
DROP ROLE regress_dp_boss, regress_dp_eve;
