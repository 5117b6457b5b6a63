-- dp_define_column: categories, bins and open columns. What is stored is what the column's type
-- prints, which is the same in every session. And every error.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
SET DateStyle = 'ISO, MDY';
SET TimeZone = 'UTC';
CREATE SCHEMA t03;
CREATE ROLE regress_dp_03_owner;
CREATE ROLE regress_dp_03_analyst;
GRANT ALL ON SCHEMA t03 TO public;
SET search_path = t03, public;
SET SESSION AUTHORIZATION regress_dp_03_owner;
CREATE TYPE color AS ENUM ('red', 'green', 'blue');
CREATE DOMAIN percent AS numeric(5,2) CHECK (VALUE BETWEEN 0 AND 100);
CREATE DOMAIN word AS text CHECK (VALUE ~ '^[a-z]+$');
CREATE TYPE pair AS (a int, b int);
CREATE TABLE t (
	i int, s smallint, b bigint, n numeric, n2 numeric(10,2), f4 real, f8 double precision,
	c char(4), v varchar(3), t text, w word, p percent, col color, flag boolean, u uuid,
	d date, ts timestamp, ts0 timestamp(0), tz timestamptz, tm time, iv interval,
	by bytea, net inet, arr int[], j jsonb, pt point, pr pair, x xml, nn text NOT NULL, gone int,
	"Odd Name" int);
SELECT dp_protect('t', 1);

CREATE FUNCTION shown(name) RETURNS text LANGUAGE sql
AS $$ SELECT concat_ws(' ', kind, source, 'levels=' || levels, labels, CASE WHEN has_other THEN 'other=' || coalesce(other, 'NULL') END)
		FROM dp_columns WHERE relation = 't03.t'::regclass AND column_name = $1 $$;

-- categories, in the form that the type prints
SELECT dp_define_column('t', 'i', '{01, " 2 ", +3, -0}'), shown('i');
SELECT dp_define_column('t', 's', '{007}'), shown('s');
SELECT dp_define_column('t', 'b', '{9223372036854775807}'), shown('b');
SELECT dp_define_column('t', 'n', '{1.50, 2e3, NaN}'), shown('n');
SELECT dp_define_column('t', 'n2', '{1, 2.005, 1e3}'), shown('n2');
SELECT dp_define_column('t', 'f8', '{0.1, 1e3, Infinity}'), shown('f8');
SELECT dp_define_column('t', 'c', '{a, "bb  "}'), shown('c');
SELECT dp_define_column('t', 'v', '{abc, "de   "}'), shown('v');
SELECT dp_define_column('t', 't', '{a, A, " a", "", "NULL", "q\"\\"}'), shown('t');
SELECT dp_define_column('t', 'col', '{blue, red}'), shown('col');
SELECT dp_define_column('t', 'flag', '{true}'), shown('flag');
SELECT dp_define_column('t', 'u', '{A0EEBC999C0B4EF8BB6D6BB9BD380A11}'), shown('u');
SELECT dp_define_column('t', 'w', '{abc}'), shown('w');
SELECT dp_define_column('t', 'p', '{1, 99.999}'), shown('p');
SELECT dp_define_column('t', 'tm', '{4:05 PM}'), shown('tm');
SELECT dp_define_column('t', 'iv', '{1 day 24 hours}'), shown('iv');
SELECT dp_define_column('t', 'by', '{"\\x0A"}'), shown('by');
SELECT dp_define_column('t', 'net', '{10.0.0.1/32}'), shown('net');
SELECT dp_define_column('t', 'arr', '{"{1, 2}"}'), shown('arr');
SELECT dp_define_column('t', 'j', '{"{\"b\":1, \"a\":2}"}'), shown('j');
SELECT dp_define_column('t', 'pt', '{"1, 2"}'), shown('pt');
SELECT dp_define_column('t', 'pr', '{"( 1,2)"}'), shown('pr');
SELECT dp_define_column('t', 'Odd Name', '{1}'), shown('Odd Name');

-- input means what it means to the custodian's session; storage does not depend on it
SELECT dp_define_column('t', 'd', '{2020-02-01, 3 Feb 2020}'), shown('d');
SET DateStyle = 'SQL, DMY';
SET TimeZone = 'America/New_York';
SET IntervalStyle = sql_standard;
SET extra_float_digits = -15;
SELECT dp_define_column('t', 'd', '{01/02/2020}'), shown('d');
SELECT dp_define_column('t', 'tz', '{01/02/2020 10:00}'), shown('tz');
SELECT dp_define_column('t', 'iv', '{-1 1:00}', other => '-1 2:00'), shown('iv');
SELECT dp_define_column('t', 'f4', '{0.1234567}'), shown('f4');
RESET IntervalStyle;
RESET extra_float_digits;
SET DateStyle = 'ISO, MDY';
SET TimeZone = 'UTC';
SELECT shown('d'), shown('tz'), shown('iv');

-- the value that stands for other values
SELECT dp_define_column('t', 'i', '{1,2}', other => '009'), shown('i');
SELECT dp_define_column('t', 'i', '{1,2}', other => '02');
SELECT dp_define_column('t', 'i', '{1,2}', other => 'x');
SELECT dp_define_column('t', 'v', '{a}', other => 'long');
SELECT dp_define_column('t', 'i', bins => '{0,10,20}', other => '-1'), shown('i');
SELECT dp_define_column('t', 'i', bins => '{0,10,20}', other => '10'), shown('i');
SELECT dp_define_column('t', 't', open => true, other => 'rest'), shown('t');
SELECT dp_define_column('t', 'nn', '{a}', other => 'b'), shown('nn');

-- a domain that is complete
SELECT dp_define_column('t', 'nn', '{a,b}', complete => true), shown('nn');
SELECT dp_define_column('t', 'nn', '{a,b}', complete => true, other => 'c');
SELECT dp_define_column('t', 'i', bins => '{0,1}', complete => true);
SELECT dp_define_column('t', 't', open => true, complete => true);

-- bins of every type that can have them
SELECT dp_define_column('t', 's', bins => '{-32768, 0, 32767}'), shown('s');
SELECT dp_define_column('t', 'b', bins => '{-9223372036854775808, 9223372036854775807}'), shown('b');
SELECT dp_define_column('t', 'n', bins => '{0, 0.5, 1e1}'), shown('n');
SELECT dp_define_column('t', 'n2', bins => '{0, 0.5, 1e1}'), shown('n2');
SELECT dp_define_column('t', 'f4', bins => '{0, 0.5, 1e1}'), shown('f4');
SELECT dp_define_column('t', 'f8', bins => '{-1e300, 0, 1e300}'), shown('f8');
SELECT dp_define_column('t', 'p', bins => '{0, 50, 100}'), shown('p');
SELECT dp_define_column('t', 'd', bins => '{2020-01-01, 2021-01-01}'), shown('d');
SELECT dp_define_column('t', 'ts', bins => '{2020-01-01, 2020-01-01 12:00}'), shown('ts');
SELECT dp_define_column('t', 'ts0', bins => '{2020-01-01 00:00:00.4, 2020-01-01 12:00}'), shown('ts0');
SELECT dp_define_column('t', 'tz', bins => '{2020-01-01 00:00+01, 2020-01-02}'), shown('tz');

-- open
SELECT dp_define_column('t', 't', open => true), shown('t');
SELECT dp_define_column('t', 'x', open => true), shown('x');

-- errors: none of them changes what is declared
SELECT dp_define_column('t', 'gone', '{1}'), shown('gone');
SELECT dp_define_column('t', 'gone', '{}');
SELECT dp_define_column('t', 'gone', '{1,NULL}');
SELECT dp_define_column('t', 'gone', '{1,2,01}');
SELECT dp_define_column('t', 'gone', '{one}');
SELECT dp_define_column('t', 'gone', '{3000000000}');
SELECT dp_define_column('t', 'gone', '{1.5}');
SELECT dp_define_column('t', 'gone', '{1}', '{1,2}');
SELECT dp_define_column('t', 'gone', '{1}', open => true);
SELECT dp_define_column('t', 'gone', bins => '{1,2}', open => true);
SELECT dp_define_column('t', 'gone', bins => '{1}');
SELECT dp_define_column('t', 'gone', bins => '{}');
SELECT dp_define_column('t', 'gone', bins => '{1,NULL}');
SELECT dp_define_column('t', 'gone', bins => '{1,1}');
SELECT dp_define_column('t', 'gone', bins => '{1,3,2}');
SELECT dp_define_column('t', 'gone', bins => '{1,two}');
SELECT dp_define_column('t', 'n2', bins => '{0, 0.001}'); -- the same, in the column's precision
SELECT dp_define_column('t', 't', bins => '{a,b}');
SELECT dp_define_column('t', 'flag', bins => '{f,t}');
SELECT dp_define_column('t', 'col', bins => '{red,blue}');
SELECT dp_define_column('t', 'tm', bins => '{10:00,12:00}');
SELECT dp_define_column('t', 'iv', bins => '{1 h,2 h}');
SELECT dp_define_column('t', 'd', bins => '{2020-01-01,infinity}');
SELECT dp_define_column('t', 'ts', bins => '{-infinity,2020-01-01}');
SELECT dp_define_column('t', 'f8', bins => '{0,Infinity}');
SELECT dp_define_column('t', 'f8', bins => '{0,NaN}');
SELECT dp_define_column('t', 'f8', bins => '{-1.7e308,1.7e308}');
SELECT dp_define_column('t', 'f4', bins => '{-Infinity,0}');
SELECT dp_define_column('t', 'n', bins => '{0,1e30}');
SELECT dp_define_column('t', 'n', bins => '{0,Infinity}');
SELECT dp_define_column('t', 'n', bins => '{0,NaN}');
SELECT dp_define_column('t', 'v', '{long}');
SELECT dp_define_column('t', 'c', '{longer}');
SELECT dp_define_column('t', 'c', '{a,"a  "}');
SELECT dp_define_column('t', 'col', '{purple}');
SELECT dp_define_column('t', 'flag', '{maybe}');
SELECT dp_define_column('t', 'u', '{1}');
SELECT dp_define_column('t', 'w', '{ABC}');
SELECT dp_define_column('t', 'p', '{101}');
SELECT dp_define_column('t', 'p', bins => '{0,101}');
SELECT dp_define_column('t', 'no_such', '{1}');
SELECT dp_define_column('t', 'ctid', '{"(0,1)"}');
SELECT dp_define_column('t', NULL, '{1}');
SELECT dp_define_column(NULL, 'i', '{1}');
SELECT dp_define_column('no_such', 'i', '{1}');
CREATE TABLE bare (i int);
SELECT dp_define_column('bare', 'i', '{1}');
SELECT shown('gone'), shown('n2'), shown('t'), shown('p'), shown('w');

-- removal: a column without a domain is not modelled; removing it again is no error
SELECT dp_define_column('t', 'gone'), shown('gone');
SELECT dp_define_column('t', 'gone', open => false), shown('gone');
SELECT dp_define_column('t', 'no_such');
-- a schema fact comes back
SELECT dp_define_column('t', 'flag'), dp_define_column('t', 'col');
SELECT shown('flag'), shown('col');

-- a declaration does not follow a changed table: the views say so, and a release is refused
SELECT dp_define_column('t', 'gone', '{1}');
ALTER TABLE t ALTER gone TYPE text;
ALTER TABLE t DROP u;
ALTER TABLE t RENAME s TO smaller;
SELECT column_name, kind, source FROM dp_columns
 WHERE relation = 't'::regclass AND column_name IN ('gone', 'u', 's', 'smaller') ORDER BY ordinal;
SELECT dp_release('t', 'sba', 0.1);
SELECT dp_explain('t', 'sba', 0.1);
SELECT dp_define_column('t', 'gone');
SELECT dp_release('t', 'sba', 0.1);
SELECT dp_define_column('t', 's');
SELECT dp_release('t', 'sba', 0.1);
SELECT dp_define_column('t', 'u');
SELECT dp_release('t', 'sba', 0.1, 0, '{"columns": ["flag"], "dense_cells": 10}') > 0;
-- nor does it follow a narrower type, or a domain with another CHECK
ALTER TABLE t ALTER v TYPE varchar(2);
SELECT dp_release('t', 'sba', 0.1, 0, '{"columns": ["flag"], "dense_cells": 10}') > 0;
SELECT dp_define_column('t', 'v');
ALTER DOMAIN word ADD CHECK (VALUE <> 'abc') NOT VALID;
SELECT dp_release('t', 'sba', 0.1, 0, '{"columns": ["flag"], "dense_cells": 10}') > 0;
SELECT dp_define_column('t', 'w');
SELECT count(*) FROM dp_ledger WHERE relation_name = 't03.t';

-- only the custodian declares; a role with a budget may read
SELECT dp_grant('t', 'regress_dp_03_analyst', 0.5);
SET SESSION AUTHORIZATION regress_dp_03_analyst;
SELECT dp_define_column('t', 'i', '{1}');
SELECT dp_define_column('t', 'i');
SELECT column_name, kind, source, levels FROM dp_columns WHERE column_name IN ('i', 'flag', 'gone') ORDER BY ordinal;
SELECT column_name, kind FROM dp_catalog.dp_column_domains('t') WHERE column_name = 'i';

-- like any DDL it can be rolled back
SET SESSION AUTHORIZATION regress_dp_03_owner;
BEGIN;
SELECT dp_define_column('t', 'i', '{5}'), shown('i');
ROLLBACK;
SELECT shown('i');

RESET SESSION AUTHORIZATION;
SET client_min_messages = warning;
DROP SCHEMA t03 CASCADE;
DROP ROLE regress_dp_03_owner, regress_dp_03_analyst;
-- edges are checked at the precision that all of them need together
CREATE TABLE together (a numeric);
SELECT dp_protect('together', 1);
SELECT dp_define_column('together', 'a', bins => '{-1e17,0,100.25}');
SELECT dp_define_column('together', 'a', bins => '{-1e17,0,100}');
-- what goes with a kind of domain, without one: it would take back what was declared
SELECT dp_define_column('together', 'a', domain => '{"values": [1]}');
SELECT dp_define_column('together', 'a', complete => true);
DROP TABLE together;
