-- rules that rows keep: CHECKs, generated columns, distances, dictionaries
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t54;
CREATE ROLE regress_dp_54_owner;
GRANT USAGE, CREATE ON SCHEMA t54 TO regress_dp_54_owner;
SET search_path = t54, public;
SET SESSION AUTHORIZATION regress_dp_54_owner;
SET client_min_messages = error;

-- rules over two and three columns, with NULL, arithmetic and a generated column
CREATE DOMAIN amount AS numeric(6,2) CHECK (VALUE >= 0 AND VALUE <= 450);
CREATE TABLE visits (
	status text NOT NULL CHECK (status IN ('open', 'closed', 'lost')),
	admitted date NOT NULL,
	discharged date,
	closed_at timestamp,
	net numeric(6,2) NOT NULL,
	total amount NOT NULL,
	stay integer GENERATED ALWAYS AS (discharged - admitted) STORED,
	CONSTRAINT stays CHECK (discharged >= admitted AND discharged - admitted <= 200),
	CONSTRAINT closes CHECK (status <> 'closed' OR closed_at IS NOT NULL),
	CONSTRAINT later CHECK (closed_at >= admitted),
	CONSTRAINT sums CHECK (total >= net * 1.1) NOT VALID);
INSERT INTO visits (status, admitted, discharged, closed_at, net, total)
SELECT (ARRAY['open', 'closed', 'lost'])[i % 3 + 1], date '2020-01-01' + i % 300, CASE WHEN i % 5 > 0 THEN date '2020-01-01' + i % 300 + i % 90 END,
	CASE WHEN i % 3 = 1 OR i % 7 = 0 THEN date '2020-01-01' + i % 300 + interval '1 hour' * (i % 500) END, i % 300, (i % 300) * 1.2 + 10
  FROM generate_series(1, 3000) i;
SELECT dp_protect('visits', 1000000, 0.5);
SELECT dp_define_column('visits', 'admitted', bins => '{2020-01-01,2020-04-01,2020-07-01,2020-10-01,2021-01-01}'),
	   dp_define_column('visits', 'discharged', bins => '{2020-01-01,2020-04-01,2020-07-01,2020-10-01,2021-01-01,2021-04-01}'),
	   dp_define_column('visits', 'closed_at', bins => '{2020-01-01,2020-07-01,2021-01-01}'),
	   dp_define_column('visits', 'net', bins => '{0,100,200,300}'), dp_define_column('visits', 'total', bins => '{0,100,200,300,400,450}');
SELECT column_name, kind, source FROM dp_columns WHERE relation = 'visits'::regclass ORDER BY ordinal;
SET client_min_messages = notice;
SELECT dp_release('visits', 'sba', 100000, 0.1) AS r \gset
SET client_min_messages = error;
CREATE TABLE drawn AS SELECT * FROM dp_sample(NULL::visits, :r, 5000, 1);
CREATE TABLE copy (LIKE visits INCLUDING ALL);
INSERT INTO copy (status, admitted, discharged, closed_at, net, total) SELECT status, admitted, discharged, closed_at, net, total FROM drawn;
SELECT count(*), count(*) FILTER (WHERE stay IS DISTINCT FROM discharged - admitted) FROM drawn;
-- a seed is the same rows, one at a time or all at once
SELECT count(*) FROM (TABLE drawn EXCEPT ALL SELECT * FROM dp_sample(NULL::visits, :r, 5000, 1)) d;
SELECT count(*) FROM (SELECT dp_sample(NULL::visits, :r, 5000, 1) EXCEPT ALL SELECT v FROM dp_sample(NULL::visits, :r, 5000, 1) v) d;
-- the rules are those of the row type's table: without them rows break them
CREATE TABLE bare AS SELECT status, admitted, discharged FROM visits LIMIT 0;
SELECT count(*) FILTER (WHERE discharged < admitted) > 0 FROM dp_sample(NULL::bare, :r, 5000, 1);

-- values in a small corner of two bins: 2 of 1,000,000 pairs
CREATE TABLE corner (a integer NOT NULL, b integer NOT NULL, CHECK (a - b >= 998));
INSERT INTO corner SELECT 999, 0 FROM generate_series(1, 100);
SELECT dp_protect('corner', 1000000, 0.5);
SELECT dp_define_column('corner', 'a', bins => '{0,1000,2000}'), dp_define_column('corner', 'b', bins => '{0,1000,2000}');
SELECT dp_release('corner', 'sba', 100000, 0.1) AS r \gset
SELECT a - b AS difference, count(*) > 0 FROM dp_sample(NULL::corner, :r, 1000, 1) GROUP BY 1 ORDER BY 1;

-- a rule that nothing can keep is named before anything is spent; so is one that each row breaks
CREATE TABLE never (a integer NOT NULL, b integer NOT NULL, t text, CONSTRAINT above CHECK (a > b));
INSERT INTO never SELECT 5, 1;
SELECT dp_protect('never', 1000000, 0.5);
SELECT dp_define_column('never', 'a', bins => '{0,10}'), dp_define_column('never', 'b', bins => '{10,20}');
SELECT dp_release('never', 'sba', 1, 0.1, '{"columns": ["a", "b"]}');
ALTER TABLE never DROP CONSTRAINT above, ADD CONSTRAINT text_is_there CHECK (t IS NOT NULL AND a >= 0) NOT VALID;
SELECT dp_release('never', 'sba', 1, 0.1);
-- not where the caller left the column out
SELECT dp_release('never', 'sba', 1, 0.1, '{"columns": ["a", "b"]}') > 0;
-- a NOTICE where only some rows break it, or where it calls a function of a user's
CREATE FUNCTION positive(integer) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1 > 0';
ALTER TABLE never DROP CONSTRAINT text_is_there, ADD CONSTRAINT of_a_user CHECK (positive(a)),
	ADD CONSTRAINT for_some CHECK (a < 5 OR t IS NOT NULL) NOT VALID;
SET client_min_messages = notice;
SELECT dp_release('never', 'sba', 1, 0.1) > 0;
SET client_min_messages = error;
SELECT epsilon_spent FROM dp_datasets WHERE relation = 'never'::regclass;

-- a rule that the language of rules does not reach is kept when rows are drawn
CREATE TABLE odd (a integer NOT NULL, b integer NOT NULL, CONSTRAINT square CHECK (a * a + b * b <= 10000 AND abs(a - b) % 2 = 0));
INSERT INTO odd SELECT i % 50, i % 50 FROM generate_series(1, 500) i;
SELECT dp_protect('odd', 1000000, 0.5);
SELECT dp_define_column('odd', 'a', bins => '{0,50,100}'), dp_define_column('odd', 'b', bins => '{0,50,100}');
SELECT dp_release('odd', 'sba', 100000, 0.1) AS r \gset
SELECT count(*), count(*) FILTER (WHERE (a - b) % 2 = 1) FROM dp_sample(NULL::odd, :r, 1000, 1);
-- one of another table that no row keeps does not end the drawing
CREATE TABLE impossible (a integer NOT NULL, b integer NOT NULL, CONSTRAINT far CHECK (abs(a) + abs(b) > 1000));
SELECT count(*), count(*) FILTER (WHERE abs(a) + abs(b) <= 1000) FROM dp_sample(NULL::impossible, :r, 10, 1);

-- the distance from another column, and a dictionary
CREATE TABLE stays (zip text NOT NULL, state text, admitted date NOT NULL, discharged date, started timestamp NOT NULL, ended timestamp,
	low smallint NOT NULL, high smallint NOT NULL, CONSTRAINT in_order CHECK (discharged >= admitted AND ended >= started AND high > low));
INSERT INTO stays SELECT i % 3, 'x', date '2020-01-01' + i % 300, CASE WHEN i % 4 > 0 THEN date '2020-01-01' + i % 300 + i % 10 END,
	timestamp '2020-01-01', timestamp '2020-01-01' + interval '1 minute' * (i % 60), i % 50, i % 50 + 1 + i % 3 FROM generate_series(1, 3000) i;
-- differences without a value count as missing
INSERT INTO stays VALUES ('0', NULL, '2020-01-01', 'infinity', '4000-01-01 BC', '200000-01-01', -32768, 32767);
SELECT dp_protect('stays', 1000000, 0.5);
SELECT dp_define_column('stays', 'zip', '{0,1,2}', complete => true), dp_define_column('stays', 'state', derived_from => 'zip', domain => '{"0": "Berlin", "1": "Bonn"}'),
	   dp_define_column('stays', 'admitted', bins => '{2020-01-01,2020-07-01,2021-01-01}'),
	   dp_define_column('stays', 'discharged', offset_of => 'admitted', bins => '{0,1,5,10}'),
	   dp_define_column('stays', 'started', bins => '{2020-01-01,2020-01-02}'),
	   dp_define_column('stays', 'ended', offset_of => 'started', range => '{0 hours,1 day}', resolution => '1 minute'),
	   dp_define_column('stays', 'low', bins => '{0,25,50}'), dp_define_column('stays', 'high', offset_of => 'low', bins => '{0,2,4}');
SELECT column_name, type, kind, source, labels FROM dp_columns WHERE relation = 'stays'::regclass ORDER BY ordinal;
SELECT dp_release('stays', 'mst', 100000, 0.1) AS r \gset
CREATE TABLE stays_drawn AS SELECT * FROM dp_sample(NULL::stays, :r, 3000, 1);
CREATE TABLE stays_copy (LIKE stays INCLUDING ALL);
INSERT INTO stays_copy TABLE stays_drawn;
SELECT min(discharged - admitted), max(discharged - admitted), max(ended - started) <= interval '59 minutes', min(high - low), max(high - low) FROM stays_drawn;
SELECT DISTINCT zip, state FROM stays_drawn ORDER BY 1;
-- the release keeps what it needs
SELECT dp_define_column('stays', 'discharged'), dp_define_column('stays', 'state');
SELECT count(*) FROM (TABLE stays_drawn EXCEPT ALL SELECT * FROM dp_sample(NULL::stays, :r, 3000, 1)) d;
-- what does not fit
SELECT dp_define_column('stays', 'discharged', offset_of => 'low', bins => '{0,1}');
SELECT dp_define_column('stays', 'discharged', offset_of => 'discharged', bins => '{0,1}');
SELECT dp_define_column('stays', 'discharged', offset_of => 'nothing', bins => '{0,1}');
SELECT dp_define_column('stays', 'state', '{a}', offset_of => 'zip');
SELECT dp_define_column('stays', 'state', derived_from => 'zip');
SELECT dp_define_column('stays', 'state', derived_from => 'zip', domain => '["a"]');
SELECT dp_define_column('stays', 'state', derived_from => 'state', domain => '{}');
SELECT dp_release('stays', 'sba', 1, 0.1, '{"columns": ["high", "zip"]}');
SELECT high FROM dp_sample(NULL::record, :r, 1) AS s (high smallint);

-- where nothing keeps the rule of a table of one's own, and what says nothing is forbidden by others, a
-- row is one of the release
CREATE TABLE trips (starts text NOT NULL, town text NOT NULL, ends text NOT NULL, city text NOT NULL, fare numeric(12,2) NOT NULL,
	CHECK (starts = town), CHECK (ends = city));
INSERT INTO trips SELECT 't' || i % 30, 't' || i % 30, 'c' || i % 29, 'c' || i % 29, i % 100 FROM generate_series(1, 3000) i;
SELECT dp_protect('trips', 1000000, 1e-6);
SELECT dp_define_column('trips', name, categories => (SELECT array_agg(letter || i) FROM generate_series(0, n) i), complete => true)
  FROM (VALUES ('starts', 't', 29), ('town', 't', 29), ('ends', 'c', 28), ('city', 'c', 28)) c(name, letter, n);
SELECT dp_define_column('trips', 'fare', range => '{0,100000}');
SELECT dp_release('trips', 'aim', 10000, 1e-9) AS r \gset
CREATE TABLE hopeless (starts text, town text, ends text, city text, fare numeric(12,2), CHECK (fare * fare < 0));
SELECT count(*), bool_and(starts = town AND ends = city) AS allowed, bool_and(fare = trunc(fare)) AS found FROM dp_sample(NULL::hopeless, :r, 500, seed => 1);

-- the rules of numbers are kept beside long texts of other columns, and what a long text makes long is said
CREATE TABLE long_texts (note text NOT NULL, a numeric NOT NULL CHECK (a BETWEEN 1 AND 100), b numeric NOT NULL CHECK (b BETWEEN 1 AND 90), CHECK (a * b < 400), CHECK (a > 0 OR replace(note, 'a', code) <> 'z'), code varchar(100) NOT NULL);
INSERT INTO long_texts SELECT 'n', 1 + i % 20, 1 + i % 19, 'c' FROM generate_series(1, 2000) i;
SELECT dp_protect('long_texts', 1000000, 1e-6);
SELECT dp_define_column('long_texts', 'note', categories => ARRAY['n', repeat('z', 3000)]), dp_define_column('long_texts', 'code', categories => '{c}');
SET client_min_messages = notice;
SELECT dp_release('long_texts', 'mst', 1, 1e-9) AS r \gset
SET client_min_messages = warning;
SELECT count(*), bool_and(a * b < 400) AS kept FROM dp_sample(NULL::long_texts, :r, 1000, seed => 1);

RESET SESSION AUTHORIZATION;
SET client_min_messages = error;
DROP SCHEMA t54 CASCADE;
DROP ROLE regress_dp_54_owner;
