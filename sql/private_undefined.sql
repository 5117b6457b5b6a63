-- What PostgreSQL computes from answers does not fail after they were paid for: windows, sub-selects of several rows,
-- polymorphic functions, patterns in arrays. Groups of a person's own rows, means beside people.
\pset null NULL
\set VERBOSITY terse
CREATE SCHEMA t_undefined;
CREATE ROLE regress_dp_un_ana;
GRANT USAGE ON SCHEMA t_undefined TO regress_dp_un_ana;
SET search_path = t_undefined, public;
SET client_min_messages = error;
CREATE TABLE wards (ward int PRIMARY KEY, name text NOT NULL, beds int NOT NULL);
CREATE TABLE patients (id int PRIMARY KEY, sex text NOT NULL);
CREATE TABLE visits (id int PRIMARY KEY, patient int NOT NULL REFERENCES patients, ward int NOT NULL REFERENCES wards, price int NOT NULL, urgent boolean NOT NULL);
INSERT INTO wards VALUES (1, 'er', 10), (2, 'icu', 4);
INSERT INTO patients SELECT i, CASE WHEN i % 4 = 0 THEN 'm' ELSE 'f' END FROM generate_series(1, 100) i;
INSERT INTO visits SELECT i, 1 + i % 80, 1 + i % 2, i % 10, i % 80 < 20 FROM generate_series(1, 240) i;
GRANT SELECT ON wards TO regress_dp_un_ana;
SELECT dp_declare_public('wards');
SELECT dp_protect('patients', 1000000), dp_protect('visits', parent => 'patients', max_rows_per_unit => 3);
SELECT dp_define_column('patients', 'sex', '{f,m}', complete => true), dp_define_column('visits', 'price', range => '{0,10}');
SELECT dp_grant(r, 'regress_dp_un_ana', 500000) FROM unnest('{patients,visits}'::regclass[]) r;
CREATE VIEW debits AS SELECT count(*) AS debits FROM dp_ledger;
GRANT SELECT ON debits TO regress_dp_un_ana;
SET ROLE regress_dp_un_ana;
SELECT dp_private_queries(3000);

-- windows
SELECT ward, ntile(ward - 1) OVER (ORDER BY ward) AS n, nth_value(count(*), 1 - ward) OVER (ORDER BY ward) AS v, ntile(2) OVER (ORDER BY ward) AS m, nth_value(count(*), 2) OVER () AS w FROM visits GROUP BY ward ORDER BY 1;
SELECT ward, sum(count(*)) OVER (ORDER BY ward ROWS (SELECT -count(*) FROM visits) PRECEDING) AS n FROM visits GROUP BY ward ORDER BY 1;
SELECT debits AS before FROM debits \gset
SELECT ward, sum(count(*)) OVER (ORDER BY ward RANGE (SELECT -count(*) FROM visits WHERE price > 1) PRECEDING) FROM visits WHERE price > 1 GROUP BY ward;
SELECT ward, sum(count(*)) OVER (ORDER BY ward RANGE -1 PRECEDING) FROM visits WHERE price > 1 GROUP BY ward;
SELECT ward, count(*) FROM visits WHERE price > 1 GROUP BY ward HAVING count(*)::text ~ '(';
SELECT (1, 2) = (SELECT ward, count(*) FROM visits WHERE price > 1 GROUP BY ward);
SELECT percentile_cont((SELECT count(*) FROM visits WHERE price > 1)) WITHIN GROUP (ORDER BY n) FROM (SELECT ward, count(*) AS n FROM visits WHERE price > 1 GROUP BY ward) q;
SELECT xmlparse(document count(*)::text) FROM visits WHERE price > 1;
SELECT debits - :before AS debits FROM debits;
-- LIMIT
SELECT name FROM wards ORDER BY 1 LIMIT (SELECT NULLIF(count(*), count(*)) FROM visits);
WITH c AS (SELECT count(*) AS n FROM visits) SELECT name FROM wards LIMIT (SELECT 2 - n FROM c);
SELECT ward, (SELECT name FROM wards LIMIT 1 - n) AS none FROM (SELECT ward, count(*) AS n FROM visits GROUP BY ward) q ORDER BY 1;
SELECT name FROM wards, (SELECT count(*) FROM visits) q LIMIT -1;
SELECT percentile_disc(ARRAY[0.1, 0.9]) WITHIN GROUP (ORDER BY ward) AS wards FROM (SELECT ward, count(*) AS n FROM visits GROUP BY ward) q;
-- one value of several rows
SELECT (SELECT count(*) FROM visits GROUP BY ward) AS several, (SELECT count(*) FROM visits GROUP BY ward HAVING ward = 1) AS one, (SELECT count(*) FROM visits GROUP BY ward HAVING ward > 2) AS none,
	(SELECT ward FROM visits GROUP BY ward ORDER BY ward DESC LIMIT 1) AS first;
WITH n AS (SELECT ward, urgent, count(*) AS n FROM visits GROUP BY ward, urgent)
SELECT name, (SELECT n FROM n WHERE n.ward = w.ward) AS several, (SELECT n FROM n WHERE n.ward = w.ward AND urgent) AS one FROM wards w ORDER BY 1;
SELECT ward, (SELECT name FROM wards WHERE beds < n) AS several, (SELECT name FROM wards w WHERE w.ward = q.ward) AS one FROM (SELECT ward, count(*) AS n FROM visits GROUP BY ward) q ORDER BY 1;
SELECT count(*) FROM visits WHERE price > (SELECT avg(price) FROM visits GROUP BY ward);
-- functions
SELECT trim_array(ARRAY[1, 2], count(*)::int) AS trimmed, array_fill(0, ARRAY[-count(*)::int]) AS filled, int8range(1, 9) - int8range(3, count(*) / 40) AS range, width_bucket(count(*), ARRAY[[1, 2]]::bigint[]) AS bucket,
	format('%' || count(*) || 'q', 1) AS told, jsonb_set('{"a": 1}', ARRAY[NULL], to_jsonb(count(*))) AS json, (count(*)::text || '.1')::regclass AS class,
	array_append(ARRAY[1::bigint], count(*)) AS appended, int8range(1, 9) - int8range(3, count(*)) AS rest, concat(count(*), '!') AS marked FROM visits;
SELECT to_jsonb(count(*))::bool AS cast, jsonb_path_exists(to_jsonb(count(*)), 'strict $.a') AS path, format('%' || count(*) || 'q', VARIADIC '{1}'::int[]) AS variadic, format('%s', VARIADIC ARRAY[count(*) > 0]) AS told,
	('[' || count(*) || ',5]')::int4range AS range, ('{x' || count(*) || '}')::int[] AS array, ('{' || count(*) / 200 || '}')::int[] AS read, to_date('abc', 'YYYY') AS date FROM visits;
-- in FROM; what a function keeps between calls is made anew after it failed
SELECT x > 15 AS x, r, name, o.* FROM (SELECT count(*) AS n FROM visits) q, sqrt(n::float8) x, repeat('a', n::int / 100) r, jsonb_populate_record(NULL::wards, jsonb_build_object('ward', n || 'x')), sqrt(-n::float8) WITH ORDINALITY o;
SELECT jsonb_populate_record(1, jsonb_build_object('a', n)) AS record FROM (SELECT ward, count(*) AS n FROM visits GROUP BY ward) q;
-- a function FROM which rows are selected is a statement of its own
CREATE FUNCTION pg_temp.by_ward() RETURNS TABLE (ward int, n bigint) LANGUAGE sql STABLE AS 'SELECT ward, count(*) FROM t_undefined.visits GROUP BY ward';
SELECT name, n > 0 AS known FROM pg_temp.by_ward() JOIN wards USING (ward) ORDER BY 1;
DROP FUNCTION pg_temp.by_ward();
SELECT json_object_agg(CASE WHEN ward = 2 THEN 'two' END, n) AS object FROM (SELECT ward, count(*) AS n FROM visits GROUP BY ward) q;
SELECT ward, count(*) FROM visits GROUP BY ward HAVING ward::text ~ ANY (ARRAY['1', ward::text || '(']) AND ward::text ~ ALL ('{1,.}');
-- what returns rows and may fail for some answer is refused; what tells of the values at hand by an internal error is NULL
SELECT debits AS before FROM debits \gset
SELECT generate_series(1, 10, n::int) FROM (SELECT count(*) AS n FROM visits WHERE price > 2) q;
SELECT j FROM (SELECT to_jsonb(count(*)) AS n FROM visits WHERE price > 2) q, jsonb_array_elements(n) j;
SELECT x.a FROM (SELECT xmlelement(name a, 'x' || count(*)) AS n FROM visits WHERE price > 2) q, xmltable('/a' PASSING n COLUMNS a int PATH '.') x;
SELECT debits - :before AS debits FROM debits;
SELECT x.a FROM (SELECT count(*) AS n FROM visits WHERE price > 2) q, jsonb_to_record(to_jsonb(n)) x (a int);
SELECT generate_series(1, n::int, 100) AS s FROM (SELECT count(*) AS n FROM visits) q;
SELECT name, letter FROM (SELECT ward, count(*) AS n FROM visits GROUP BY ward) q JOIN wards w ON w.ward = q.ward, regexp_split_to_table(w.name, '') letter WHERE n > 0 ORDER BY 1, 2;
SELECT xpath('(' || count(*), '<a/>') AS path, has_database_privilege('x' || count(*), 'connect') AS may, float8_avg(ARRAY[count(*)]::float8[]) AS mean FROM visits;
SELECT jsonb_object_agg(CASE WHEN ward = 2 THEN 'two' END, n > 0) OVER (ORDER BY ward) AS object FROM (SELECT ward, count(*) AS n FROM visits GROUP BY ward) q;
-- constants among sets of groups
SELECT date '2024-05-01' AS c, ward, count(*), GROUPING(date '2024-05-01') AS g FROM visits GROUP BY ROLLUP (date '2024-05-01', ward) ORDER BY 1, 2;
SELECT NULL AS c, ward, count(*) FROM visits GROUP BY GROUPING SETS ((1), (2)) ORDER BY 2;
-- never with arguments of other types than the function takes
SELECT dp_catalog.dp_or_null('array_append(anycompatiblearray,anycompatible)'::regprocedure, '{1}'::int[], 5::bigint);
SELECT dp_catalog.dp_or_null('array_append(anycompatiblearray,anycompatible)'::regprocedure, '{1}'::int[]);
SELECT dp_catalog.dp_or_null('array_agg_finalfn(internal,anynonarray)'::regprocedure, 1, 2);
SELECT dp_catalog.dp_or_null('range_minus(anyrange,anyrange)'::regprocedure, 1, 2);
SELECT dp_catalog.dp_or_null('format(text,"any")'::regprocedure, 1, 2);

-- groups by a person's own rows
SELECT EXISTS (SELECT FROM visits v WHERE v.patient = p.id AND urgent) AS urgent, count(*) FROM patients p GROUP BY 1 ORDER BY 1;
SELECT (SELECT count(*) FROM visits v WHERE v.patient = p.id) AS n, sex, count(*) FROM patients p GROUP BY 1, 2 HAVING count(*) > 0.5 ORDER BY 1, 2;
SELECT p.id IN (SELECT patient FROM visits WHERE price > 5) AS dear, count(*) FROM patients p GROUP BY 1 ORDER BY 1;
SELECT (SELECT price FROM visits LIMIT 1), count(*) FROM patients GROUP BY 1;
SELECT (SELECT price FROM visits v WHERE v.patient = p.id LIMIT 1), count(*) FROM patients p GROUP BY 1;
-- means beside people
SELECT urgent, count(DISTINCT patient) AS people, round(avg(price), 1) AS mean, round(avg(price::float8) FILTER (WHERE ward = 1)) AS first, dp_low(avg(price)) < avg(price) AS low FROM visits GROUP BY urgent ORDER BY 1;
SELECT sex, count(DISTINCT p.id) AS people, round(avg(v.price), 1) AS mean FROM patients p LEFT JOIN visits v ON v.patient = p.id GROUP BY sex ORDER BY 1;

RESET ROLE;
DROP SCHEMA t_undefined CASCADE;
DROP ROLE regress_dp_un_ana;
