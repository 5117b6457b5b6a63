-- Open columns: values are discovered by the stability threshold. Frequent ones
-- are found, rare ones never; all numbers are such that noise cannot change a line.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
SET DateStyle = 'ISO, MDY';
CREATE SCHEMA t11;
CREATE ROLE regress_dp_11_owner;
GRANT USAGE, CREATE ON SCHEMA t11 TO regress_dp_11_owner;
SET search_path = t11, public;
SET SESSION AUTHORIZATION regress_dp_11_owner;
SET client_min_messages = warning;
CREATE TABLE t (city text, day date, amount numeric(8,2), tag text NOT NULL, plain boolean NOT NULL);
INSERT INTO t SELECT (ARRAY['Ulm', 'Bern', NULL])[1 + i % 3], DATE '2020-01-01' + i % 2, i % 2 + 0.5, 'tag', true FROM generate_series(1, 3000) i;
INSERT INTO t SELECT 'alone ' || i, DATE '1990-01-01' + i, 1000 + i, 'alone ' || i, false FROM generate_series(1, 200) i;
SELECT dp_protect('t', 10000, 0.1);
SELECT dp_define_column('t', name, open => true) FROM unnest('{city,day,amount}'::name[]) name;
SELECT dp_define_column('t', 'tag', open => true, other => 'the rest');
SELECT column_name, kind, levels, labels, has_other, other FROM dp_columns WHERE relation = 't'::regclass ORDER BY ordinal;

-- a value that one row holds shows with probability delta each at most: 800 of
-- them at 2.5e-13 each make 2e-10; one that 1,000 hold is missed with exp(-9,000)
SELECT step, stage, mechanism, tables, epsilon_total, delta_total, threshold
  FROM dp_explain('t', 'sbhg', 100, 1e-11) WHERE stage = 'discover values';
SELECT dp_release('t', 'sbhg', 100, 1e-11) AS r \gset
SELECT DISTINCT city FROM dp_sample(NULL::t, :r, 3000, 1) ORDER BY 1;
SELECT DISTINCT day FROM dp_sample(NULL::t, :r, 3000, 1) ORDER BY 1;
SELECT DISTINCT amount FROM dp_sample(NULL::t, :r, 3000, 1) ORDER BY 1;
SELECT DISTINCT tag FROM dp_sample(NULL::t, :r, 3000, 1) ORDER BY 1;
-- the rows with rare values are all there, in the level "other"
SELECT count(*) FILTER (WHERE NOT plain) BETWEEN 100 AND 300, count(*) FILTER (WHERE tag = 'the rest') BETWEEN 100 AND 300,
	   count(*) FILTER (WHERE amount IS NULL) BETWEEN 100 AND 300, count(*) FILTER (WHERE city IS NULL) BETWEEN 1000 AND 1400
  FROM dp_sample(NULL::t, :r, 3200, 1);
SELECT dp_release('t', 'sba', 100, 1e-11, '{"columns": ["city", "tag"]}') AS r \gset
SELECT DISTINCT city, tag FROM dp_sample(NULL::t, :r, 3000, 1) ORDER BY 1, 2;

-- at a very small epsilon no value is found
SELECT dp_release('t', 'sbhg', 0.001, 1e-11, '{"columns": ["city", "tag"]}') AS r \gset
SELECT DISTINCT city, tag FROM dp_sample(NULL::t, :r, 300, 1);

-- values that hold what a label must not be, and many of them
CREATE TABLE strange (v text, w text);
INSERT INTO strange SELECT v, w FROM (VALUES ('', 'other'), ('NULL', ''), ('a"b\c''d', 'x'), (repeat('long', 1000), E'line\nbreak')) v (v, w),
	generate_series(1, 1000);
-- a value that is too long for a label counts as the rest
INSERT INTO strange SELECT repeat('x', 1100000), 'y' FROM generate_series(1, 50);
INSERT INTO strange SELECT md5(i::text), md5(i::text) FROM generate_series(1, 20000) i;
SELECT dp_protect('strange', 10000, 0.1);
SELECT dp_define_column('strange', 'v', open => true), dp_define_column('strange', 'w', open => true, other => 'other');
SELECT dp_release('strange', 'sbhg', 100, 1e-13) AS r \gset
SELECT DISTINCT left(v, 10), length(v) FROM dp_sample(NULL::strange, :r, 5000, 1) ORDER BY 1;
SELECT DISTINCT w FROM dp_sample(NULL::strange, :r, 5000, 1) ORDER BY 1;

-- open columns need a delta, and each gets its share of it
SELECT dp_release('t', 'sbhg', 1);
SELECT dp_release('t', 'sbhg', 1, 0.00000000000000001);
SELECT dp_release('t', 'sbhg', 0.00000001, 1e-6);
SELECT tables, epsilon_each, delta_each, epsilon_total, delta_total
  FROM dp_explain('t', 'sbhg', 1, 1e-6, '{"open_share": 0.5}') WHERE stage = 'discover values';
SELECT count(*) FROM dp_explain('t', 'sbhg', 1, 1e-6, '{"columns": ["plain"]}') WHERE stage = 'discover values';

RESET SESSION AUTHORIZATION;
DROP SCHEMA t11 CASCADE;
DROP ROLE regress_dp_11_owner;
