-- Each function of the extension, with each of its arguments NULL, of nothing, at its end, of another
-- shape, or garbage: what a user can hand over is answered or refused, and is no internal error. The
-- server's own expressions of other kinds (a list, a query, a bound of a partition) are among it.
\set SHOW_CONTEXT never
\t on
\pset format unaligned
SET client_min_messages = error;
CREATE SCHEMA arguments_hostile;
SET search_path = arguments_hostile, public;
CREATE TABLE visits (id integer PRIMARY KEY, ward text CHECK (ward IN ('icu', 'north')), age integer CHECK (age BETWEEN 0 AND 90), parent integer REFERENCES visits);
INSERT INTO visits SELECT i, (ARRAY['icu', 'north'])[1 + i % 2], i % 90 FROM generate_series(1, 50) i;
SELECT dp_protect('visits', 1000000, 0.5);
SELECT dp_release('visits', 'mst', 10) AS r \gset

-- trees of the catalog, of every kind that there is
CREATE DOMAIN above AS integer CHECK (VALUE > 3);
CREATE FUNCTION computed(a integer DEFAULT 3, b text DEFAULT 'x') RETURNS integer LANGUAGE sql BEGIN ATOMIC SELECT a; END;
CREATE VIEW seen AS SELECT ward, count(*) AS n FROM visits GROUP BY ward;
CREATE INDEX visits_older ON visits ((age + 1)) WHERE age > 3;
CREATE POLICY those ON visits USING (age > (SELECT 3));
CREATE TABLE parts (id integer, a integer DEFAULT 3, b integer GENERATED ALWAYS AS (a + 1) STORED) PARTITION BY RANGE ((id + 1));
CREATE TABLE first_part PARTITION OF parts FOR VALUES FROM (1) TO (9);
CREATE STATISTICS doubled ON (age * 2), ward FROM visits;
CREATE FUNCTION same() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE TRIGGER older BEFORE UPDATE ON visits FOR EACH ROW WHEN (OLD.age > 3) EXECUTE FUNCTION same();
CREATE TABLE tree AS
SELECT 'the CHECK of a domain' AS what, conbin AS tree FROM pg_constraint WHERE contypid = 'above'::regtype
UNION ALL SELECT 'a CHECK of a table', conbin FROM pg_constraint WHERE conrelid = 'visits'::regclass AND conname = 'visits_age_check'
UNION ALL SELECT 'a body', prosqlbody FROM pg_proc WHERE oid = 'computed'::regproc
UNION ALL SELECT 'defaults', proargdefaults FROM pg_proc WHERE oid = 'computed'::regproc
UNION ALL SELECT 'a rule', ev_action FROM pg_rewrite WHERE ev_class = 'seen'::regclass
UNION ALL SELECT 'expressions of an index', indexprs FROM pg_index WHERE indexrelid = 'visits_older'::regclass
UNION ALL SELECT 'a predicate', indpred FROM pg_index WHERE indexrelid = 'visits_older'::regclass
UNION ALL SELECT 'a policy', polqual FROM pg_policy WHERE polrelid = 'visits'::regclass
UNION ALL SELECT 'a bound', relpartbound FROM pg_class WHERE oid = 'first_part'::regclass
UNION ALL SELECT 'a key of partitions', partexprs FROM pg_partitioned_table WHERE partrelid = 'parts'::regclass
UNION ALL SELECT 'statistics', stxexprs FROM pg_statistic_ext WHERE stxname = 'doubled'
UNION ALL SELECT 'a trigger', tgqual FROM pg_trigger WHERE tgname = 'older'
UNION ALL SELECT 'a generated column', adbin FROM pg_attrdef WHERE adrelid = 'parts'::regclass AND adnum = 3;
SELECT count(*), count(tree) FROM tree;

-- constants and expressions of a type
CREATE FUNCTION samples(type oid) RETURNS SETOF text LANGUAGE sql AS $$
SELECT unnest(CASE
	WHEN type = 'regclass'::regtype THEN '{NULL,''visits'',0,999999,''pg_class'',''seen'',''visits_pkey'',4294967295}'
	WHEN type = 'regclass[]'::regtype THEN ARRAY['NULL', '''{}''', '''{visits}''', '''{NULL}''', 'ARRAY[0]', '''{{visits,seen}}''', '''[5:6]={visits,visits}''']
	WHEN type = 'regrole'::regtype THEN '{NULL,0,999999,CURRENT_USER::regrole}'
	WHEN type = 'regtype'::regtype THEN '{NULL,0,''integer''}'
	WHEN type = 'oid'::regtype THEN '{NULL,0,999999,''visits''::regclass,''above''::regtype,''pg_proc''::regclass,''visits_pkey''::regclass,''seen''::regclass,4294967295}'
	WHEN type = 'oid[]'::regtype THEN ARRAY['NULL', '''{}''', '''{0,1}''', '''{NULL}''', '''{{1},{2}}''']
	WHEN type = 'text'::regtype THEN ARRAY['NULL', '''''', '''mst''', '''visits''', '''{visits}''', '''{"''', 'E''a\nb''', 'repeat(''x'', 10000)', '''{{a},{b}}''', '''"''', '''[[''']
	WHEN type = 'name'::regtype THEN ARRAY['NULL', '''''', '''ward''', '''no such''', 'repeat(''n'', 63)']
	WHEN type IN ('text[]'::regtype, 'name[]'::regtype)
	THEN ARRAY['NULL', '''{}''', '''{ward,age}''', '''{NULL}''', '''{{ward},{age}}''', '''{"",""}''', '''[3:4]={ward,age}''', '''{{{icu}}}''']
	WHEN type = 'jsonb'::regtype
	THEN ARRAY['NULL', '''{}''', '''[]''', '''null''', '''3''', '''"x"''', '''{"ward": null}''', '''{"ward": [[]]}''', '''[[], {}]''', '''{"columns": ["ward"]}''',
			   '(repeat(''['', 2000) || repeat('']'', 2000))', '''{"rows": 1e999}''', '''{"product": [{"values": ["a"]}, {}]}''', '''{"from": 1, "to": 1e30}''',
			   '''{"alphabet": "", "min_length": 1, "max_length": 2}''', '''{"table": "no", "column": 3}''']
	WHEN type = 'jsonb[]'::regtype THEN ARRAY['NULL', '''{}''', '''{NULL}''', '''{"{}","[]"}''']
	WHEN type IN ('float8'::regtype, 'numeric'::regtype) THEN '{NULL,0,-1,1,''NaN'',''Infinity'',1e-300,1e300}'
	WHEN type = 'bigint'::regtype THEN '{NULL,0,1,-1,9223372036854775807,(-9223372036854775808)}'
	WHEN type = 'integer'::regtype THEN '{NULL,0,1,-1,2147483647,(-2147483648)}'
	WHEN type = 'smallint'::regtype THEN '{NULL,0,1,2,-1,32767,(-32768)}'
	WHEN type IN ('integer[]'::regtype, 'bigint[]'::regtype, 'float8[]'::regtype, 'smallint[]'::regtype)
	THEN ARRAY['NULL', '''{}''', '''{1,2}''', '''{NULL}''', '''{{1},{2}}''', '''[4:5]={1,-7}''']
	WHEN type = 'boolean'::regtype THEN '{NULL,true,false}'
	WHEN type = 'bytea'::regtype
	THEN ARRAY['NULL', '''''', '''\x00''', '''\x0102030405060708090a0b0c0d0e0f10''', 'dp_marginal_spec(''visits'')', 'substr(dp_marginal_spec(''visits''), 1, 20)']
	WHEN type = 'interval'::regtype THEN ARRAY['NULL', '''0''', '''1 day''', '''-1 year''', '''1000000 years''']
	WHEN type = 'date'::regtype THEN ARRAY['NULL', '''2000-01-01''', '''infinity''', '''-infinity''', '''4000-01-01 BC''']
	WHEN type = 'anyelement'::regtype THEN ARRAY['NULL::visits', 'NULL::integer', 'NULL::above', 'ROW(1, ''icu'', 3, NULL)::visits', 'NULL::pg_class', '''x''::text', 'NULL::integer[]']
	WHEN type = 'anycompatible'::regtype THEN ARRAY['NULL', '''x''', '3', '''{a,b}''::text[]', '''{"a": 1}''::jsonb', 'ARRAY[1, 2]']
	WHEN type = 'pg_node_tree'::regtype THEN (SELECT array_agg(format('(SELECT tree FROM tree WHERE what = %L)', what)) || 'NULL'::text FROM tree)
	WHEN type = 'dp_counts'::regtype THEN ARRAY['NULL', '(SELECT dp_marginals(dp_marginal_spec(''visits''), ward, age) FROM visits)']
	WHEN type = '"any"'::regtype THEN '{NULL,1,''x''}'
	WHEN type = 'record'::regtype THEN ARRAY['NULL', 'ROW(1, 2)', 'ROW()', 'NULL::visits']
	WHEN type = 'dp_noisy_counts[]'::regtype
	THEN ARRAY['NULL', '''{}''', '''{NULL}''', 'ARRAY[ROW(''{ward}'', ''{icu}'', 3, 1)::dp_noisy_counts]', 'ARRAY[ROW(NULL, ''{icu}'', ''NaN'', -1)::dp_noisy_counts]']
	ELSE ARRAY['NULL'] END)
$$;
-- what the other arguments of a call are meanwhile
CREATE FUNCTION usual(type oid, name text, release bigint) RETURNS text LANGUAGE sql AS $$
SELECT CASE
	WHEN name IN ('relation', 'original', 'synthetic', 'source', 'dictionary', 'parent') AND type IN ('regclass'::regtype, 'text'::regtype) THEN '''visits'''
	WHEN name = 'target' AND type = 'anyelement'::regtype THEN 'NULL::visits'
	WHEN name = 'method' THEN '''mst'''
	WHEN name = 'release' THEN release::text
	WHEN name IN ('rows', 'number') AND type <> 'smallint[]'::regtype THEN '2'
	WHEN name IN ('epsilon', 'part', 'parts', 'set', 'sets') AND type <> 'jsonb'::regtype THEN '1'
	WHEN name = 'measures' THEN '''{count(*)}'''
	WHEN name IN ('filter', 'domain', 'given') THEN 'NULL'
	WHEN name = 'by' THEN '''{}'''
	WHEN name = 'columns' AND type IN ('text[]'::regtype, 'name[]'::regtype) THEN '''{ward}'''
	ELSE (SELECT s FROM samples(type) s OFFSET 1 LIMIT 1) END
$$;
CREATE TABLE asked_function AS
SELECT f.oid, format('%s.%I', f.pronamespace::regnamespace, f.proname) AS name, f.provariadic NOT IN (0, '"any"'::regtype) AS is_variadic
  FROM pg_depend d
  JOIN pg_proc f ON f.oid = d.objid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
  JOIN pg_extension e ON e.oid = d.refobjid AND d.refclassid = 'pg_extension'::regclass AND e.extname = 'dpsyn'
 WHERE f.prokind = 'f' AND f.pronargs > 0 AND NOT f.proargtypes::oid[] && ARRAY['internal'::regtype, 'cstring'::regtype]::oid[]
   AND f.proname !~ '^dp_synthesize_.'; -- which make options of their arguments, for dp_catalog.dp_synthesize_with
CREATE TABLE argument AS
SELECT f.oid AS function, i, p.proargtypes[i] AS type, usual(p.proargtypes[i], p.proargnames[i + 1], :r),
	   CASE WHEN p.proargtypes[i] NOT IN ('"any"'::regtype, 'anyelement'::regtype, 'anycompatible'::regtype, 'record'::regtype)
			THEN '::' || format_type(p.proargtypes[i], -1) ELSE '' END AS as_type
  FROM asked_function f JOIN pg_proc p USING (oid) CROSS JOIN generate_series(0, p.pronargs - 1) i;
CREATE TABLE answered AS
SELECT format('SELECT count(x) FROM (SELECT %s(%s%s) LIMIT 20) x', f.name, CASE WHEN f.is_variadic THEN 'VARIADIC ' END,
			  (SELECT string_agg(CASE WHEN a.i = tried.i THEN sample ELSE a.usual END || a.as_type, ', ' ORDER BY a.i)
				 FROM argument a WHERE a.function = f.oid)) AS call, NULL::text AS state, NULL::text AS message
  FROM asked_function f JOIN argument tried ON tried.function = f.oid CROSS JOIN LATERAL samples(tried.type) sample;
CREATE FUNCTION state_of(call text, OUT state text, OUT message text) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE call;
	RAISE SQLSTATE 'UNDO1';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT;
END
$$;
UPDATE answered SET (state, message) = (SELECT s.state, s.message FROM state_of(call) s);
SELECT count(*) > 2000, count(*) FILTER (WHERE state = 'UNDO1') > 500, count(DISTINCT state) > 10 FROM answered;
SELECT state, message, left(call, 300) FROM answered WHERE state ~ '^(XX|57|58)' AND state <> 'XX001' ORDER BY 3;
-- bytes that are not what they should be
SELECT DISTINCT state, message FROM answered WHERE state = 'XX001';
DROP SCHEMA arguments_hostile CASCADE;
