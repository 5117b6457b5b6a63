-- fields of a jsonb column as columns of their own
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t60;
CREATE ROLE regress_dp_60_owner;
CREATE ROLE regress_dp_60_analyst;
GRANT USAGE, CREATE ON SCHEMA t60 TO regress_dp_60_owner;
GRANT USAGE ON SCHEMA t60 TO regress_dp_60_analyst;
SET search_path = t60, public;
SET SESSION AUTHORIZATION regress_dp_60_owner;
SET client_min_messages = error;

CREATE TABLE people (
	id integer PRIMARY KEY,
	sex text NOT NULL CHECK (sex IN ('f', 'm')),
	meta jsonb CHECK (meta ->> 'plan' <> 'none'),
	plan text GENERATED ALWAYS AS (meta ->> 'plan') STORED,
	extra jsonb NOT NULL);
-- values of other types, numbers beyond any limit, and texts that are numbers must not fail
INSERT INTO people (id, sex, meta, extra)
SELECT i, CASE WHEN i % 2 = 0 THEN 'f' ELSE 'm' END,
	CASE WHEN i % 10 > 0 THEN jsonb_build_object('plan', CASE WHEN i % 3 = 0 THEN 'gold' ELSE 'free' END, 'age', i % 80,
		'address', jsonb_build_object('city', 'c' || i % 4, 'since', CASE WHEN i % 11 = 0 THEN '2020-02-30' ELSE (date '2020-01-01' + i % 300)::text END),
		'vip', i % 5 = 0, 'secret', i,
		'x', (ARRAY['"abc"', '1e400', '[1]', '-1e400', '"7"', 'null', '{"y": 1}', '3'])[i % 8 + 1]::jsonb) END,
	CASE i % 4 WHEN 0 THEN '[]' WHEN 1 THEN '"a"' WHEN 2 THEN '{"k": {"l": 1}}' ELSE '{"k": [1, 2]}' END::jsonb
  FROM generate_series(1, 4000) i;
-- nor what is almost 0, or a text of too many digits
UPDATE people SET meta = meta || jsonb_build_object('x', CASE id WHEN 1 THEN to_jsonb(1e-400) ELSE to_jsonb(repeat('1', 500)) END) WHERE id IN (1, 2);
SELECT dp_protect('people', epsilon => 1000, delta => 1e-6);
SELECT dp_grant('people', 'regress_dp_60_analyst', epsilon => 900, delta => 1e-6);

-- however a field is written, it has one name
SELECT dp_define_column('people', '((meta)->>''plan'')', categories => '{gold,free}');
SELECT dp_define_column('people', '(meta ->> ''age'')::int', range => '{0,120}');
SELECT dp_define_column('people', '"meta" #>> ''{address,city}''', categories => '{c0,c1,c2,c3}');
SELECT dp_define_column('people', '(meta->''address''->>''since'')::date', range => '{2020-01-01,2021-01-01}');
SELECT dp_define_column('people', 'cast(meta->''vip'' AS boolean)', categories => '{true,false}');
SELECT dp_define_column('people', '(meta->>''x'')::float8', range => '{-10,10}', resolution => '1');
SELECT dp_define_column('people', 'extra->''k''', categories => ARRAY['{"l": 1}', '[1, 2]']);
SELECT column_name, type, kind, source, levels, labels, resolution FROM dp_columns WHERE relation = 'people'::regclass ORDER BY ordinal, column_name;

-- what is no field, or one too many
SELECT dp_define_column('people', 'meta->''address''', categories => '{"{}"}');
SELECT dp_define_column('people', 'meta', fill => '{}');
SELECT dp_define_column('people', 'meta->>''a''', key => true);
SELECT dp_define_column('people', '(meta->>''a'')::int', offset_of => 'id', range => '{0,1}');
SELECT dp_define_column('people', 'meta->0', categories => '{1}');
SELECT dp_define_column('people', 'upper(meta->>''a'')', categories => '{1}');
SELECT dp_define_column('people', 'meta->>''a'', 1', categories => '{1}');
SELECT dp_define_column('people', 'meta->>''a'' ->> ''b''', categories => '{1}');
SELECT dp_define_column('people', '(meta->>''a'')::varchar(3)', categories => '{1}');
SELECT dp_define_column('people', '(meta->>''a'')::dp_counts', categories => '{1}');
SELECT dp_define_column('people', '(meta->>''a'')::int', categories => '{one}');
SELECT dp_define_column('people', 'sex->>''a''', categories => '{1}');
SELECT dp_define_column('people', 'mta->>''a''', categories => '{1}');
SELECT dp_define_column('people', format('meta->>%L', repeat('a', 60)), categories => '{1}');
-- a column whose name is that of a field could not be told from it; one that merely looks like it can
CREATE TABLE odd (meta jsonb, "meta->>'plan'" text, "a->b" text);
SELECT dp_protect('odd', epsilon => 1);
SELECT dp_define_column('odd', 'meta->>''plan''', categories => '{gold}');
SELECT dp_define_column('odd', 'a->b', categories => '{x,y}');
SELECT column_name, kind FROM dp_columns WHERE relation = 'odd'::regclass ORDER BY ordinal;

-- every method's rows have the fields that are declared, and no other
SET SESSION AUTHORIZATION regress_dp_60_analyst;
CREATE TEMP TABLE rows AS
SELECT 'mst' AS method, r.* FROM dp_synthesize(NULL::people, 100, 1e-9, method => 'mst', seed => 1) r
UNION ALL
SELECT 'sbhg', r.* FROM dp_synthesize(NULL::people, 100, 1e-9, method => 'sbhg', seed => 1) r;
SELECT method, count(*) BETWEEN 3900 AND 4100, count(meta) > 3400,
	count(*) FILTER (WHERE meta ? 'secret') AS secret,
	count(*) FILTER (WHERE plan IS DISTINCT FROM meta ->> 'plan') AS broken,
	count(*) FILTER (WHERE meta ->> 'plan' = 'gold') BETWEEN 1000 AND 1400 AS gold,
	avg((meta -> 'age')::int) BETWEEN 36 AND 43 AS age,
	count(*) FILTER (WHERE (meta -> 'vip')::boolean) BETWEEN 280 AND 520 AS vip,
	count(meta -> 'address' -> 'since') BETWEEN 3080 AND 3480 AS since,
	min((meta -> 'x')::int), max((meta -> 'x')::int), count(meta -> 'x') BETWEEN 1700 AND 2100 AS x,
	count(*) FILTER (WHERE extra = '{}') BETWEEN 1800 AND 2200 AS empty,
	array_agg(DISTINCT extra -> 'k') AS k
  FROM rows GROUP BY method ORDER BY method;
-- where one field is missing, so are the others, as in the data
SELECT count(*) < 400 FROM rows WHERE method = 'mst' AND (meta -> 'plan' IS NULL) <> (meta -> 'age' IS NULL);

SELECT dp_release('people', 'mst', 100, 1e-9) AS release \gset
-- answers, histograms and queries by the name that dp_columns shows
SELECT cell, abs(estimate - CASE cell ->> 'meta->>''plan''' WHEN 'gold' THEN 1200 WHEN 'free' THEN 2400 ELSE 400 END) < 50
  FROM dp_answer(:release, by => ARRAY['meta->>''plan''']) ORDER BY 1::text;
SELECT count(*) FROM dp_histogram(NULL::people, ARRAY['meta->>''plan''', 'sex'], 10, mechanism => 'laplace');
SELECT measure, abs(estimate - 39.5) < 2 FROM dp_query(NULL::people, ARRAY['avg("meta->>''age''")'], 20);
-- a column of the rows' own type is drawn by a name that it has
SELECT count(meta) > 0 FROM dp_sample(NULL::people, :release, rows => 10, seed => 1, given => '{"meta->>''plan''": "gold"}') WHERE meta ->> 'plan' = 'gold';

SET SESSION AUTHORIZATION regress_dp_60_owner;
-- a column that has changed, and a declaration that goes
ALTER TABLE people DROP COLUMN plan;
ALTER TABLE people RENAME meta TO data;
SELECT dp_explain('people', 'mst', 1, 1e-9);
ALTER TABLE people RENAME data TO meta;
SELECT dp_define_column('people', '(meta->>''x'')::float8');
SELECT column_name FROM dp_columns WHERE relation = 'people'::regclass ORDER BY ordinal, column_name;

-- rules over fields are kept: with a column, within an object, and with a filled column; where they fail, they are broken
CREATE TABLE ruled (
	id integer PRIMARY KEY,
	cap integer NOT NULL CHECK (cap BETWEEN 0 AND 1000),
	fixed integer NOT NULL,
	meta jsonb NOT NULL,
	ratio integer NOT NULL GENERATED ALWAYS AS (cap / (meta ->> 'low')::int) STORED,
	CONSTRAINT below CHECK ((meta ->> 'high')::int + 400 < cap),
	CONSTRAINT ordered CHECK ((meta ->> 'low')::int < (meta ->> 'high')::int),
	CONSTRAINT least CHECK ((meta ->> 'low')::int < fixed));
INSERT INTO ruled (id, cap, fixed, meta)
SELECT i, 950 - i % 3, 7, jsonb_build_object('low', 1 + i % 5, 'high', 20 + i % 500, 'word', 'w' || i % 7) FROM generate_series(1, 2000) i;
SELECT dp_protect('ruled', 1000, 1e-6), dp_define_column('ruled', 'fixed', fill => '7');
SELECT dp_define_column('ruled', 'cap', bins => '{0,1001}'), dp_define_column('ruled', '(meta->>''low'')::int', bins => '{0,10}'),
	dp_define_column('ruled', '(meta->>''high'')::int', bins => '{0,1000}'), dp_define_column('ruled', 'meta->>''word''', open => true);
SET client_min_messages = notice;
SELECT dp_release('ruled', 'mst', 100, 1e-9) AS release \gset
SET client_min_messages = error;
CREATE TABLE ruled_copy (LIKE ruled INCLUDING ALL);
INSERT INTO ruled_copy (id, cap, fixed, meta) SELECT id, cap, fixed, meta FROM dp_sample(NULL::ruled, :release, 2000, 1);
SELECT count(*), count(*) FILTER (WHERE d.ratio <> c.ratio), count(DISTINCT d.meta ->> 'word') FROM ruled_copy c JOIN dp_sample(NULL::ruled, :release, 2000, 1) d USING (id);

RESET SESSION AUTHORIZATION;
-- a table like the original has the column once, whatever number of its fields is declared
CREATE SCHEMA t60_copies;
SELECT relation, synthetic, rows FROM dp_create_synthetic('{ruled}', 't60_copies', 100, 1e-9, '{"method": "mst", "rows": 100}', seed => 1);
SELECT attname FROM pg_attribute WHERE attrelid = 't60_copies.ruled'::regclass AND attnum > 0 ORDER BY attnum;
SELECT count(*) BETWEEN 1 AND 100, count(*) = count(meta ->> 'low'), count(*) = count(meta ->> 'high') FROM t60_copies.ruled;
-- what is proposed of them: fields of few values, or else objects of their shape
SET client_min_messages = error;
CREATE TABLE t60.profile (id integer PRIMARY KEY, meta jsonb, "Doc" jsonb NOT NULL, old json, list jsonb);
INSERT INTO t60.profile SELECT i, jsonb_build_object('lang', CASE WHEN i % 2 = 0 THEN 'en' ELSE 'de' END, 'seats', i % 3, 'beta', i % 5 = 0, 'bio', md5(i::text)), jsonb_build_object('bio', md5(i::text), 'n', i, 'in', jsonb_build_object('a', i)),
	json_build_object('a b', md5(i::text)), jsonb_build_array(i) FROM generate_series(1, 400) i;
SELECT dp_protect('t60.profile', 100000, 0.1);
SELECT s FROM dp_suggest_columns('t60.profile') s;
-- however the session reads string constants, where it may choose
DO $$ BEGIN PERFORM set_config('standard_conforming_strings', 'off', false); EXCEPTION WHEN OTHERS THEN NULL; END $$;
SELECT count(*) FROM dp_suggest_columns('t60.profile') s;
RESET standard_conforming_strings;
SELECT s FROM dp_suggest_columns('t60.profile') s WHERE s LIKE 'SELECT%'
\gexec
SELECT count(*) > 300, bool_and(meta ->> 'lang' IN ('en', 'de') AND jsonb_typeof(meta -> 'seats') = 'number' AND jsonb_typeof(meta -> 'beta') = 'boolean'), bool_and("Doc" ->> 'bio' ~ '^bio [0-9]+$'), bool_and(old ->> 'a b' ~ '^a b [0-9]+$')
  FROM dp_synthesize_mst(NULL::t60.profile, 1000, 1e-9);
DROP SCHEMA t60_copies CASCADE;
DROP SCHEMA t60 CASCADE;
DROP OWNED BY regress_dp_60_analyst;
DROP ROLE regress_dp_60_owner;
DROP ROLE regress_dp_60_analyst;
