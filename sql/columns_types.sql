-- Every type end to end: what goes in as a category or a bin comes back as a
-- value of the column's own type, inside its bin, in its own precision.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
SET DateStyle = 'ISO, MDY';
SET TimeZone = 'UTC';
SET IntervalStyle = postgres;
CREATE SCHEMA t09;
CREATE ROLE regress_dp_09_owner;
GRANT USAGE, CREATE ON SCHEMA t09 TO regress_dp_09_owner;
SET search_path = t09, public;
SET SESSION AUTHORIZATION regress_dp_09_owner;
SET client_min_messages = warning;
CREATE TYPE size AS ENUM ('small', 'large');
CREATE DOMAIN code AS varchar(2);
CREATE DOMAIN price AS numeric(8,2) CHECK (VALUE >= 0);
CREATE DOMAIN tick AS timestamp(0);
CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);

-- categories. Each column has three values, each in a third of 900 rows: one is declared in another
-- spelling, one is outside the domain, and one is NULL.
CREATE TABLE c (
	t text, v varchar(4), ch char(4), nm name, i int, s smallint, b bigint, n numeric(10,2), nn numeric, f8 float8, f4 real,
	u uuid, d date, tz timestamptz, ts timestamp(0), tm time, iv interval, e size, fl boolean, dom code, by bytea, net inet,
	arr int[], j jsonb, js json, pt point, ci text COLLATE nocase, o oid);
INSERT INTO c SELECT (r).* FROM generate_series(1, 900) i,
	LATERAL (SELECT CASE i % 3
		WHEN 0 THEN ROW('a', 'a', 'a', 'a', 1, 1, 1, 1, 1.0, 1, 1, 'a0eebc999c0b4ef8bb6d6bb9bd380a11', '2020-01-01',
						'2020-01-01 01:00+01', '2020-01-01', '10:00', '24 hours', 'small', true, 'a', '\x0a', '10.0.0.1/32',
						'{1, 2}', '{"b": 1, "a": 2}', '{"a":1}', '(1,2)', 'Ab', 1)::c
		WHEN 1 THEN ROW('zz', 'zz', 'zz', 'zz', 99, 99, 99, 99, 99, 'NaN', '-Infinity', gen_random_uuid(), 'infinity',
						'-infinity', 'infinity', '23:00', '99 years', 'large', false, 'zz', '\xff', '::1', '{{9}}', '[]', 'null',
						'(0,0)', 'zz', 99)::c
		ELSE NULL::c END) x (r);
SELECT dp_protect('c', 1000000, 0.5);
SELECT dp_define_column('c', name, list) FROM (VALUES
	('t', '{a,never}'::text[]), ('v', '{a,nevr}'), ('ch', '{a,nevr}'), ('nm', '{a,never}'), ('i', '{01,7}'), ('s', '{1,7}'),
	('b', '{1,7}'), ('n', '{1,7}'), ('nn', '{1.000,7}'), ('f8', '{1.0,7}'), ('f4', '{1,7}'),
	('u', '{A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11}'), ('d', '{20200101}'), ('tz', '{2020-01-01 00:00+00}'),
	('ts', '{2020-01-01 00:00}'), ('tm', '{10:00:00}'), ('iv', '{1 day}'), ('e', '{small}'), ('fl', '{t}'), ('dom', '{a}'),
	('by', '{"\\x0a"}'), ('net', '{10.0.0.1}'), ('arr', '{"{1,2}"}'), ('j', '{"{\"a\":2,\"b\":1}"}'), ('js', '{"{\"a\":1}"}'),
	('pt', '{"(1,2)"}'), ('ci', '{aB}'), ('o', '{1}')) d (name, list);
SELECT dp_release('c', 'sbhg', 500000, 0.1, '{"parents": 0}') AS r \gset
CREATE TABLE drawn AS SELECT * FROM dp_sample(NULL::c, :r, 3000, 1);
-- a third of each column is the declared value, and no other value occurs; json and point have no
-- "=", so their texts are compared
CREATE FUNCTION odd(relation regclass) RETURNS TABLE (name name, problem text) LANGUAGE plpgsql AS $$
BEGIN
	FOR name IN SELECT attname FROM pg_attribute WHERE attrelid = relation AND attnum > 0 LOOP
		EXECUTE format('SELECT concat_ws('','', count(DISTINCT %1$I::text), max(%1$I::text),
								CASE WHEN count(*) FILTER (WHERE %1$I IS NOT NULL) NOT BETWEEN 850 AND 1150 THEN ''rare'' END)
						  FROM %2$s', name, relation) INTO problem;
		RETURN NEXT;
	END LOOP;
END
$$;
SELECT * FROM odd('drawn');
SELECT attname FROM pg_attribute a WHERE attrelid = 'c'::regclass AND attnum > 0
   AND NOT EXISTS (SELECT FROM pg_attribute d WHERE d.attrelid = 'drawn'::regclass AND d.attnum = a.attnum
					  AND (d.atttypid, d.atttypmod, d.attcollation) = (a.atttypid, a.atttypmod, a.attcollation));
-- a value that stands for other values
SELECT dp_define_column('c', 'i', '{1,7}', other => '-1');
SELECT dp_define_column('c', 'd', '{2020-01-01}', other => '1900-01-01');
SELECT dp_release('c', 'sba', 1000, 0.1, '{"columns": ["i", "d"]}') AS r \gset
SELECT i, d, count(*) BETWEEN 800 AND 2200 FROM dp_sample(NULL::c, :r, 3000, 1) GROUP BY 1, 2 ORDER BY 1, 2;

-- bins. Values lie inside the domain, at each edge, and outside on either side.
CREATE TABLE b (
	i int, s smallint, b bigint, n numeric(10,2), nn numeric, neg numeric(5,-2), f8 float8, f4 real, d date, tz timestamptz,
	ts timestamp, ts0 timestamp(0), dom price, dt tick, fixed int NOT NULL DEFAULT 0, edge int);
INSERT INTO b (i, s, b, n, nn, neg, f8, f4, d, tz, ts, ts0, dom, dt, edge)
SELECT v, v, v, v, v, v * 100, v, v, DATE '2020-01-01' + v, TIMESTAMPTZ '2020-01-01 00:00+00' + v * interval '1 day',
	   TIMESTAMP '2020-01-01' + v * interval '1 day', TIMESTAMP '2020-01-01' + v * interval '1 day', abs(v),
	   TIMESTAMP '2020-01-01' + v * interval '1 day', 20
  FROM generate_series(1, 100) i, unnest(ARRAY[-50, 0, 5, 10, 15, 20, 90, NULL]) v;
INSERT INTO b (f8, f4, nn, n, d, tz, ts) VALUES
	('NaN', 'NaN', 'NaN', 'NaN', 'infinity', 'infinity', '-infinity'), ('Infinity', '-Infinity', '-Infinity', -99999, '-infinity', '-infinity', 'infinity');
SELECT dp_protect('b', 1000000, 0.5);
SELECT name, dp_define_column('b', name, bins => '{0,10,20}') FROM unnest('{i,s,b,n,nn,f8,f4,dom,fixed,edge}'::name[]) name;
SELECT dp_define_column('b', 'neg', bins => '{0,1000,2000}');
SELECT name, dp_define_column('b', name, bins => '{2020-01-01 00:00+00, 2020-01-11 00:00+00, 2020-01-21 00:00+00}')
  FROM unnest('{d,tz,ts,ts0,dt}'::name[]) name;
SELECT column_name, levels, has_other FROM dp_columns WHERE relation = 'b'::regclass ORDER BY ordinal;
SELECT dp_release('b', 'sbhg', 500000, 0.1, '{"parents": 0}') AS r \gset
CREATE TABLE drawn_b AS SELECT * FROM dp_sample(NULL::b, :r, 8000, 1);
-- within the edges; 3/8 below 10, 4/8 from 10 on, 1/8 NULL
CREATE FUNCTION shares(name name, low text, middle text, high text)
	RETURNS TABLE (name_ name, inside boolean, low_ boolean, high_ boolean, null_ boolean) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format(
		'SELECT %1$L::name, bool_and(%1$I BETWEEN %2$L AND %4$L), count(*) FILTER (WHERE %1$I < %3$L) BETWEEN 2700 AND 3300,
				count(*) FILTER (WHERE %1$I >= %3$L) BETWEEN 3700 AND 4300, count(*) FILTER (WHERE %1$I IS NULL) BETWEEN 800 AND 1200
		   FROM drawn_b', name, low, middle, high);
END
$$;
SELECT * FROM unnest('{i,s,b,n,nn,f8,f4}'::name[]) c, LATERAL (SELECT inside, low_, high_, null_ FROM shares(c, '0', '10', '20')) x;
SELECT * FROM shares('neg', '0', '1000', '2000');
SELECT * FROM unnest('{d,tz,ts,ts0,dt}'::name[]) c,
	LATERAL (SELECT inside, low_, high_, null_ FROM shares(c, '2020-01-01', '2020-01-11', '2020-01-21')) x;
-- NOT NULL is kept; the last bin is closed, so whole numbers reach its upper edge, and they reach
-- no other upper edge
SELECT count(*) - count(fixed), max(fixed), min(fixed), max(edge), min(edge) FROM drawn_b;
SELECT array_agg(DISTINCT i ORDER BY i), array_agg(DISTINCT s::int ORDER BY s::int) = array_agg(DISTINCT i ORDER BY i),
	   array_agg(DISTINCT b::int ORDER BY b::int) = array_agg(DISTINCT i ORDER BY i) FROM drawn_b;
SELECT array_agg(DISTINCT neg ORDER BY neg) FROM drawn_b;
SELECT array_agg(DISTINCT d ORDER BY d) = array_agg(DISTINCT DATE '2020-01-01' + i ORDER BY DATE '2020-01-01' + i) FROM drawn_b;
-- precision: of the column, or of its edges
SELECT bool_and(scale(n) = 2), bool_and(scale(nn) = 0), bool_and(scale(dom) = 2), count(DISTINCT n) > 1000,
	   bool_and(date_trunc('second', ts0) = ts0), bool_and(date_trunc('second', dt) = dt), bool_or(date_trunc('second', ts) <> ts),
	   bool_or(date_trunc('second', tz) <> tz), bool_or(f8 <> trunc(f8)), bool_or(f4 <> trunc(f4)) FROM drawn_b;
SELECT dp_define_column('b', 'nn', bins => '{0,0.125,1}');
SELECT dp_release('b', 'sba', 100, 0.01, '{"columns": ["nn"]}') AS r \gset
SELECT bool_and(scale(nn) <= 3), bool_and(nn BETWEEN 0 AND 1), count(DISTINCT nn) > 100 FROM dp_sample(NULL::b, :r, 3000, 1);
-- the widest bins that there are
CREATE TABLE wide (b bigint, f8 float8, n numeric(18,0), d date, s smallint);
INSERT INTO wide SELECT 0, 0, 0, '2000-01-01', 0 FROM generate_series(1, 100);
SELECT dp_protect('wide', 1000000, 0.5);
SELECT dp_define_column('wide', 'b', bins => '{-9223372036854775808,9223372036854775807}'),
	   dp_define_column('wide', 'f8', bins => '{-8.9e307,8.9e307}'),
	   dp_define_column('wide', 'n', bins => '{-999999999999999999,999999999999999999}'),
	   dp_define_column('wide', 'd', bins => '{4713-01-01 BC,5874897-12-31}'),
	   dp_define_column('wide', 's', bins => '{-32768,32767}');
SELECT dp_release('wide', 'sba', 1000, 0.1) AS r \gset
SELECT min(b) < -8e18, max(b) > 8e18, min(f8) < -8e307, max(f8) > 8e307, min(n) < -9e17, max(n) > 9e17,
	   min(d) < DATE '200000-01-01', max(d) > DATE '5000000-01-01', min(s) < -30000, max(s) > 30000
  FROM dp_sample(NULL::wide, :r, 3000, 1);

-- the settings of a session change nothing, neither in what is drawn nor in what is read
SET DateStyle = 'German, DMY';
SET TimeZone = 'Asia/Tokyo';
SET IntervalStyle = iso_8601;
SET extra_float_digits = -10;
SET bytea_output = escape;
SELECT dp_release('c', 'sba', 1000, 0.1, '{"columns": ["d", "tz", "iv", "f8", "by"]}') AS r \gset
SELECT d, tz, iv, f8, by, count(*) BETWEEN 700 AND 2300 FROM dp_sample(NULL::c, :r, 3000, 1)
 GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2;

RESET SESSION AUTHORIZATION;
DROP SCHEMA t09 CASCADE;
DROP ROLE regress_dp_09_owner;
