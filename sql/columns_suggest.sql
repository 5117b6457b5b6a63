-- dp_suggest_columns: it writes calls that run as they are, for columns of every type.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t12;
CREATE ROLE regress_dp_12_owner;
CREATE ROLE regress_dp_12_analyst;
GRANT USAGE, CREATE ON SCHEMA t12 TO public;
SET search_path = t12, public;
SET SESSION AUTHORIZATION regress_dp_12_owner;
SET DateStyle = 'SQL, DMY';
SET TimeZone = 'Europe/Berlin';
SET IntervalStyle = sql_standard;
CREATE TYPE size AS ENUM ('small', 'large');
CREATE DOMAIN price AS numeric(5,2);
CREATE DOMAIN days AS date;
CREATE TABLE t (
	flag boolean, e size, checked text CHECK (checked IN ('a', 'b')), declared text,
	few_ints int, ints int, top int, low smallint, big bigint, reals real, doubles float8, huge float8,
	n numeric, n2 numeric(4,2), hundreds numeric(6,-2), p price, nan numeric,
	few_texts text, texts text, names text, quoted text, cs char(3), vs varchar(5),
	few_dates date, dates date, dd days, tss timestamp, tzs timestamptz, old date, tms time, ivs interval,
	uuids uuid, bytes bytea, nets inet, arrs int[], docs jsonb, jsons json, points point, oids oid, classes regclass, m money,
	xmls xml, "Odd ""Name%s" int, nothing text, nobody int, never date, gone int);
ALTER TABLE t DROP gone;
INSERT INTO t SELECT
	i % 2 = 0, 'small', 'a', 'x',
	i % 7, i * 3, 2147483647 - i, -32768 + i, 9223372036854775807 - i * 1000000000000, i / 7.0, i * 1e10 / 7, i * 1e305 * 1.7,
	i / 1000.0, i * 99.99 / 600, i * 100, i * 999.99 / 600, CASE WHEN i = 1 THEN numeric 'NaN' WHEN i = 2 THEN 'Infinity' ELSE i END,
	chr(97 + i % 5), 'text ' || i, 'name ' || i % 150, (ARRAY['it''s', '"', '\', '{', ',', '', 'NULL', ' '])[1 + i % 8], i % 10, i,
	DATE '2020-02-01' + i % 10, DATE '2020-02-01' + i * 10, DATE '1999-12-31' + i, TIMESTAMP '2020-02-01 12:00' + i * interval '1 day',
	TIMESTAMPTZ '2020-02-01 12:00+00' + i * interval '30 hours', CASE WHEN i < 3 THEN '-infinity' ELSE DATE '0100-01-01 BC' + i * 300 END,
	TIME '10:00' + i % 60 * interval '1 minute', i % 9 * interval '1 hour',
	md5(i::text)::uuid, decode(md5(i::text), 'hex'), '10.0.0.0'::inet + i, ARRAY[i % 3], jsonb_build_object('k', i % 3),
	json_build_object('k', i % 3), point(i % 3, 0), i, 'pg_class', i, '<a/>', i % 3
  FROM generate_series(1, 600) i;
SELECT dp_protect('t', 100000, 0.5);
SELECT dp_define_column('t', 'declared', '{x,y}');

-- for the owner
SET SESSION AUTHORIZATION regress_dp_12_analyst;
SELECT * FROM dp_suggest_columns('t');
SET SESSION AUTHORIZATION regress_dp_12_owner;
SELECT * FROM dp_suggest_columns('t') LIMIT 1;
SET client_min_messages = warning;
SELECT replace(s, 'public.', '') FROM dp_suggest_columns('t') s WHERE s ~ '''(few_ints|ints|top|low|n|n2|hundreds|quoted|cs|few_dates|dates|tss|tzs|old|huge|doubles|reals|m|texts|names|ivs|nothing|Odd.*)'',';
SELECT replace(s, 'public.', '') FROM dp_suggest_columns('t', epsilon => 1000) s WHERE s ~ '''(few_ints|ints|names)'',';
-- what nothing is proposed for
SELECT s FROM dp_suggest_columns('t') s WHERE s ~ '^--';

-- each call runs, in a session of any settings
CREATE TABLE calls AS SELECT * FROM dp_suggest_columns('t') s (call);
CREATE FUNCTION run() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	call text;
BEGIN
	FOR call IN SELECT c.call FROM calls c LOOP
		EXECUTE call;
	END LOOP;
	RETURN (SELECT count(*) FROM calls);
END
$$;
SET client_min_messages = error;
SELECT run();
SET DateStyle = 'ISO, YMD';
SET TimeZone = 'UTC';
SET IntervalStyle = postgres;
SELECT run();
SELECT column_name, kind, levels, labels[1], labels[array_upper(labels, 1)] FROM dp_columns WHERE relation = 't'::regclass ORDER BY ordinal;
SELECT count(*) FROM dp_suggest_columns('t') s WHERE s !~ '^--'; -- nothing is left to suggest
SELECT * FROM dp_suggest_columns('t') s WHERE s ~ '^--';
SELECT count(*), count(top), count(huge), count(few_dates), count(nothing) FROM dp_synthesize_sbhg(NULL::t, 10000, 1e-6, 50);
-- no value of the data falls outside of the suggested domains
SELECT dp_release('t', 'sbhg', 50000, 1e-6, '{"parents": 0}') AS r \gset
SELECT count(*) - count(few_ints), count(*) - count(ints), count(*) - count(top), count(*) - count(quoted), count(*) - count(names),
	   count(*) - count(few_dates), count(*) - count(tzs), count(*) - count(dd), count(*) - count(cs), count(*) - count(docs)
  FROM dp_sample(NULL::t, :r, 2000, 1);

-- a date that is never far from another one becomes a distance, and the calls run
CREATE TABLE stays (born date, admitted date, discharged date, opened timestamp, closed timestamp, seen timestamptz);
INSERT INTO stays SELECT DATE '1930-01-01' + i * 40, DATE '2015-01-01' + i * 6, DATE '2015-01-01' + i * 6 + i % 31,
	TIMESTAMP '2015-01-01' + i * interval '5 days', CASE WHEN i % 10 > 0 THEN TIMESTAMP '2015-01-01' + i * interval '5 days' + i % 50 * interval '70 minutes' END,
	TIMESTAMPTZ '2015-01-01 00:00+00' + i * interval '1 day' FROM generate_series(1, 600) i;
SELECT dp_protect('stays', 100, 0.5);
SELECT replace(s, 'public.', '') FROM dp_suggest_columns('stays') s;
TRUNCATE calls;
INSERT INTO calls SELECT * FROM dp_suggest_columns('stays');
SELECT run();
SELECT column_name, kind, type, labels FROM dp_columns WHERE relation = 'stays'::regclass ORDER BY ordinal;
SELECT bool_and(discharged - admitted BETWEEN 0 AND 50) AS short, bool_and(closed - opened BETWEEN interval '0' AND interval '5 days') AS also
  FROM dp_synthesize_mst(NULL::stays, 10, 1e-9);
SELECT count(*) FROM dp_suggest_columns('stays', from_data => false) s WHERE s ~ 'offset_of'; -- the schema does not tell
-- what was declared before counts: no distance from a distance, and none of a column that others are measured from
CREATE TABLE chain (first date, second date, third date);
INSERT INTO chain SELECT d, d + i % 5, d + i % 5 + i % 3 FROM generate_series(1, 600) i, LATERAL (SELECT DATE '2015-01-01' + i * 6) t (d);
SELECT dp_protect('chain', 100, 0.5);
SELECT dp_define_column('chain', 'second', offset_of => 'first', range => '{0,10}');
SELECT column_name, offset_of FROM dp_columns WHERE relation = 'chain'::regclass ORDER BY ordinal;
SELECT replace(s, 'public.', '') FROM dp_suggest_columns('chain') s;
SELECT dp_define_column('chain', 'second'), dp_define_column('chain', 'third', offset_of => 'second', range => '{0,10}');
SELECT replace(s, 'public.', '') FROM dp_suggest_columns('chain') s;
TRUNCATE calls;
INSERT INTO calls SELECT * FROM dp_suggest_columns('chain');
SELECT run();
SELECT count(*) > 0 FROM dp_synthesize_mst(NULL::chain, 10, 1e-9);

-- keys, units and free text: nothing; a line break in a name does not end the comment
CREATE TABLE people (id serial PRIMARY KEY, email text UNIQUE, person integer, name text, "line
break" text, age integer CHECK (age BETWEEN 0 AND 120), cost numeric(8,2), score double precision CHECK (score > 0), twice integer GENERATED ALWAYS AS (age * 2) STORED);
INSERT INTO people (email, person, name, "line
break", age, cost, score) SELECT i || '@example.org', i / 2, 'Name ' || i, 'text ' || i, i % 90, 100 + i, i / 8.0 FROM generate_series(1, 1000) i;
SELECT dp_protect('people', 1, unit_column => 'person', max_rows_per_unit => 2);
SELECT replace(s, 'public.', '') FROM dp_suggest_columns('people') s;
-- the schema alone: for anybody who may ask, and without a look at the data
SELECT dp_grant('people', 'regress_dp_12_analyst', 1);
SET SESSION AUTHORIZATION regress_dp_12_analyst;
SET client_min_messages = notice;
SELECT replace(s, 'public.', '') FROM dp_suggest_columns('people', from_data => false) s;
SELECT * FROM dp_suggest_columns('t', from_data => false);
SELECT count(*) FROM people;
SELECT * FROM dp_suggest_columns('people', from_data => false, epsilon => 0);
SET SESSION AUTHORIZATION regress_dp_12_owner;
SET client_min_messages = error;

-- keys of a relation that is not protected: public or not, that is for the owner to say
CREATE TABLE goods (code text PRIMARY KEY);
CREATE TABLE places (id integer PRIMARY KEY);
CREATE TABLE sales (good text NOT NULL REFERENCES goods, place integer REFERENCES places, price numeric);
INSERT INTO goods SELECT 'g' || i FROM generate_series(1, 5) i;
INSERT INTO places SELECT 10 * i FROM generate_series(1, 5) i;
INSERT INTO sales SELECT 'g' || 1 + i % 3, 10 + 10 * (i % 3), 2e9 + i FROM generate_series(1, 300) i;
SELECT dp_protect('sales', 1);
SELECT replace(s, 'public.', '') FROM dp_suggest_columns('sales', from_data => false) s;
SELECT replace(s, 'public.', '') FROM dp_suggest_columns('sales') s;
SELECT (regexp_match(s, 'better (SELECT .*)'))[1] AS call FROM dp_suggest_columns('sales') s WHERE s ~ 'places' \gset
:call;
SELECT kind, labels FROM dp_columns WHERE relation = 'sales'::regclass AND column_name = 'place';

-- a list of some hundreds of texts; more than that are better listed by a public table; a time that is always the same
-- is no category
CREATE TABLE codes (code text, many text, at timestamp);
INSERT INTO codes SELECT 'c' || i % 300, 'm' || i % 1500, TIMESTAMP '2020-05-05 10:00' FROM generate_series(1, 3000) i;
SELECT dp_protect('codes', 1);
SELECT left(replace(s, 'public.', ''), 200) FROM dp_suggest_columns('codes') s;

-- a table without rows, and what is not there
CREATE TABLE empty (a int, b text, c date, d numeric(3,1));
SELECT dp_protect('empty', 1);
SELECT replace(s, 'public.', '') FROM dp_suggest_columns('empty') s;
CREATE TABLE unprotected (a int);
SELECT replace(s, 'public.', '') FROM dp_suggest_columns('unprotected') s;
SELECT * FROM dp_suggest_columns(NULL);
SELECT * FROM dp_suggest_columns('no_such');
SELECT * FROM dp_suggest_columns(0::regclass);
-- none of this spends anything
SELECT count(*) FROM dp_ledger WHERE relation_name = 't12.empty';

-- a CHECK that says one end: the other one is not left to the type; one that says both is
CREATE TABLE ended (id serial PRIMARY KEY, total numeric(10,2) CHECK (total >= 0), quantity bigint NOT NULL CHECK (quantity > 0), born date CHECK (born >= '1900-01-01'),
	age int CHECK (age BETWEEN 0 AND 130), made timestamp NOT NULL CHECK (made > '2000-01-01'));
INSERT INTO ended (total, quantity, born, age, made)
	SELECT i / 7.0, 1 + i % 90, date '1950-01-01' + i * 9, 20 + i % 50, timestamp '2020-01-01' + i * interval '7 hours' FROM generate_series(1, 600) i;
SELECT dp_protect('ended', 10, 1e-6);
SELECT replace(s, 'public.', '') FROM dp_suggest_columns('ended') s;
SELECT count(*) FROM dp_suggest_columns('ended', from_data => false) s WHERE s ~ '^SELECT';
CREATE TABLE pigs (kg numeric(8,5) NOT NULL CHECK (kg > 0), most numeric(5,2) NOT NULL CHECK (most >= 0));
INSERT INTO pigs SELECT 15 + i % 100 + i / 3000.0, i % 900 + 0.5 FROM generate_series(1, 3000) i;
SELECT dp_protect('pigs', 10, 1e-6);
SELECT substring(s FROM 'range.*?}') FROM dp_suggest_columns('pigs') s;

-- a key with a CHECK that says more than its values do, and texts that are equal without case
CREATE COLLATION no_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE accounts (iban text PRIMARY KEY CHECK (iban ~ '^DE[0-9]{20}$'), plate text COLLATE no_case, owner text COLLATE no_case UNIQUE, kind text);
INSERT INTO accounts SELECT 'DE' || lpad((i * 7919)::text, 20, '0'), 'M-' || chr(65 + i % 26) || i, 'K' || i, 'k' || i % 3 FROM generate_series(1, 300) i;
SELECT dp_protect('accounts', 10, 1e-6);
CREATE TABLE accounts_calls AS SELECT replace(s, 'public.', '') AS call FROM dp_suggest_columns('accounts') s;
SELECT call FROM accounts_calls;
SELECT call FROM accounts_calls WHERE call ~ '^SELECT' \gexec
SELECT bool_and(iban ~ '^DE[0-9]{20}$'), bool_and(owner COLLATE "C" ~ '^K[0-9]+$') FROM dp_synthesize_flat(NULL::accounts, 1);

-- a few prices of all that a CHECK allows are a list; marks and counts are the range that they were
CREATE TABLE members (fee numeric(6,2) NOT NULL CHECK (fee >= 0), mark smallint CHECK (mark BETWEEN 1 AND 5), children integer NOT NULL CHECK (children >= 0));
INSERT INTO members SELECT (ARRAY[19.9, 29.9, 49.9])[1 + i % 3], 1 + i % 5, i % 7 FROM generate_series(1, 3000) i;
SELECT dp_protect('members', 10, 1e-6);
SELECT replace(s, 'public.', '') FROM dp_suggest_columns('members') s;

RESET SESSION AUTHORIZATION;
SET client_min_messages = warning;
DROP SCHEMA t12 CASCADE;
DROP ROLE regress_dp_12_owner, regress_dp_12_analyst;
