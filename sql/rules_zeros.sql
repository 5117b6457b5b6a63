-- structural zeros: declaring, limits, every method, life cycle
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t46;
CREATE ROLE regress_dp_46_owner;
CREATE ROLE regress_dp_46_analyst;
CREATE ROLE regress_dp_46_stranger;
GRANT USAGE, CREATE ON SCHEMA t46 TO regress_dp_46_owner;
GRANT USAGE ON SCHEMA t46 TO regress_dp_46_analyst, regress_dp_46_stranger;
SET search_path = t46, public;
SET SESSION AUTHORIZATION regress_dp_46_owner;
SET client_min_messages = warning;
CREATE TYPE wealth AS ENUM ('poor', 'rich');
CREATE TABLE t (age int NOT NULL, status text NOT NULL, sex text, since date, wealth wealth NOT NULL, free text);
-- there are a few young widows: what is declared is not true of all rows
INSERT INTO t SELECT i % 90, CASE WHEN i % 90 < 20 AND i % 50 > 0 THEN 'single' ELSE (ARRAY['single', 'married', 'widowed'])[(i % 90 < 20)::int * (i / 50 % 3) + (i % 90 >= 20)::int * (i % 3) + 1] END,
	CASE i % 2 WHEN 0 THEN 'f' ELSE 'm' END, date '2000-01-01' + i % 700, (ARRAY['poor', 'rich'])[i % 2 + 1]::wealth, NULL
  FROM generate_series(0, 8999) i;
SELECT dp_protect('t', 1000000, 0.5);
SELECT dp_define_column('t', 'age', bins => '{0,20,40,90}'),
	   dp_define_column('t', 'status', '{single,married,widowed}', complete => true),
	   dp_define_column('t', 'sex', '{f,m}', other => 'x'),
	   dp_define_column('t', 'since', bins => '{2000-01-01,2001-01-01,2002-01-01}');
SELECT dp_grant('t', 'regress_dp_46_analyst', 1000, 0.1);

-- levels: a value in a bin, a bin, a category, the rest as NULL or by its name; columns in any
-- order; a combination that is given twice counts once
SELECT dp_define_cells('t', '{status,age}', '{{widowed,17},{widowed,"[0,20)"},{widowed,0},{married,19}}');
SELECT dp_define_cells('t', '{sex,wealth}', '{{NULL,rich},{x,rich}}');
SELECT dp_define_cells('t', '{since,age}', '{{2002-01-01,90}}');
SELECT * FROM dp_declared_cells;
-- one column; one combination without inner braces; an array of one column
SELECT dp_define_cells('t', '{sex}', '{x}'), dp_define_cells('t', '{age,status,sex}', '{40,single,f}');
SELECT columns, cells FROM dp_declared_cells WHERE 'sex' = ANY (columns);
-- the same columns again replace what was there; an empty array and NULL drop it
SELECT dp_define_cells('t', '{wealth,sex}', '{{poor,NULL}}'), dp_define_cells('t', '{sex}', '{}'), dp_define_cells('t', '{sex,status,age}', '{}');
SELECT columns, cells FROM dp_declared_cells WHERE 'sex' = ANY (columns);
-- dates are read as the session writes them
SET DateStyle = 'German';
SELECT dp_define_cells('t', '{since,wealth}', '{{31.12.2000,poor}}');
RESET DateStyle;
SELECT cells FROM dp_declared_cells WHERE columns = '{since,wealth}';
SELECT dp_define_cells('t', '{wealth,since}', '{}'), dp_define_cells('t', '{wealth,age}', '{}');

-- what is refused
SELECT dp_define_cells('t', '{}', '{{a}}');
SELECT dp_define_cells('t', '{age,status,sex,since,wealth,a,b,c,d}', '{}');
SELECT dp_define_cells('t', '{age,NULL}', '{}');
SELECT dp_define_cells('t', '{age,age}', '{{1,1}}');
SELECT dp_define_cells('t', '{age,free}', '{{1,a}}');
SELECT dp_define_cells('t', '{age,nowhere}', '{{1,a}}');
SELECT dp_define_cells('t', '{age,status}', '{{1,divorced}}');
SELECT dp_define_cells('t', '{age,status}', '{{1,NULL}}');
SELECT dp_define_cells('t', '{age,status}', '{{91,single}}');
SELECT dp_define_cells('t', '{age,status}', '{{-1,single}}');
SELECT dp_define_cells('t', '{age,status}', '{{"[20,41)",single}}');
SELECT dp_define_cells('t', '{age,status}', '{{young,single}}');
SELECT dp_define_cells('t', '{wealth,status}', '{{mad,single}}');
SELECT dp_define_cells('t', '{age,status}', '{{1,single,f}}');
SELECT dp_define_cells('t', '{age,status}', '{1,single,2}');
SELECT dp_define_cells('t', '{age,status}', '{{{1,single}}}');
SELECT dp_define_cells('t', '{wealth}', '{poor,rich}');
SELECT dp_define_cells('t', '{wealth,status}', (SELECT array_agg(ARRAY[w, s]) FROM unnest('{poor,rich}'::text[]) w, unnest('{single,married,widowed}'::text[]) s WHERE w = 'poor' OR s <> 'widowed')),
	   dp_define_cells('t', '{wealth,age}', '{{rich,1},{rich,21},{rich,41}}');
SELECT dp_define_cells('t', '{age,status}', (SELECT array_agg(ARRAY['1', 'single']) FROM generate_series(1, 100001)));
SELECT dp_define_cells(NULL, '{age}', '{1}');
SELECT dp_define_cells('t', NULL, '{1}');
-- a query that finds nothing gives NULL, which removes nothing
SELECT dp_define_cells('t', '{age,status}', (SELECT array_agg(ARRAY['1', 'x']) WHERE false));
SELECT dp_define_cells('t', NULL, NULL);
SELECT dp_define_cells('t', NULL, '{}');
SELECT dp_define_cells(NULL, NULL, NULL);
SELECT dp_define_cells('pg_class', '{relkind}', '{r}');
SELECT count(*) FROM dp_declared_cells;

-- rights
RESET SESSION AUTHORIZATION;
SET SESSION AUTHORIZATION regress_dp_46_analyst;
SELECT columns, cells FROM dp_declared_cells;
SELECT dp_define_cells('t', '{wealth}', '{poor}');
SELECT dp_define_cells('t', '{}', '{}');
SELECT * FROM dp_catalog.dp_dataset_zero;
RESET SESSION AUTHORIZATION;
SET SESSION AUTHORIZATION regress_dp_46_stranger;
SELECT count(*) FROM dp_declared_cells;
RESET SESSION AUTHORIZATION;
SET SESSION AUTHORIZATION regress_dp_46_owner;

-- no method draws a zero, though the table has some; the other rows keep their shares
SELECT dp_define_cells('t', '{status,age}', '{{widowed,17},{married,19}}');
CREATE FUNCTION forbidden(id bigint) RETURNS TABLE (clean boolean, all_ages boolean, widows boolean) LANGUAGE sql AS $$
	SELECT count(*) FILTER (WHERE age < 20 AND status <> 'single' OR sex = 'x' AND wealth = 'poor'
							OR age >= 40 AND since >= '2001-01-01') = 0,
		   count(*) FILTER (WHERE age < 20) > 1000 AND count(*) FILTER (WHERE age >= 40) > 1000,
		   count(*) FILTER (WHERE status = 'widowed') > 500
	  FROM dp_sample(NULL::t46.t, id, 10000, 1) $$;
SELECT method, options, f.* FROM (VALUES
	('sba', '{"dense_cells": 100000}'), ('sba', '{"dense_cells": 0}'), ('sbhg', '{}'), ('sbhg', '{"dense_cells": 0}'), ('sbhg', '{"parents": 0}'),
	('steps', '{}'), ('steps', '{"layers": 3, "branches": "own"}'), ('steps', '{"layers": 2, "dense_cells": 10}'), ('uh', '{}'),
	('flat', '{}'), ('flat', '{"dense_cells": 0}'), ('privbayes', '{"parents": 2}'), ('privbayes', '{"parents": 0}')) o (method, options),
	LATERAL forbidden(dp_release('t', method, 100, 0.001, options::jsonb)) f;
SELECT method, solver, f.* FROM (VALUES ('cipher', 'entropic'), ('cipher', 'centred'), ('cipher', 'graphical'), ('mwem', NULL), ('mst', NULL), ('aim', NULL)) o (method, solver),
	LATERAL forbidden(dp_release('t', method, 100, 0.001, jsonb_strip_nulls(jsonb_build_object('solver', solver, 'columns', '{age,status,sex,since,wealth}'::text[])))) f;
-- nor does one where there is nothing but noise, one row at a time, in parallel (the same rows), or
-- in independent sets
SELECT method, f.clean FROM (VALUES ('sba'), ('sbhg'), ('steps'), ('uh'), ('flat'), ('privbayes')) o (method),
	LATERAL forbidden(dp_release('t', method, 0.05, 0.0001)) f;
SELECT count(*) FROM (SELECT (s).* FROM (SELECT dp_sample(NULL::t, (SELECT max(release) FROM dp_releases), 200, 7) s) x) y
 WHERE age < 20 AND status <> 'single';
SELECT dp_release('t', 'sbhg', 10, 0.001, '{"sweeps": 1000}') AS chain \gset
SET dpsyn.max_parallel_workers = 2;
CREATE TABLE drawn_parallel AS SELECT * FROM dp_sample(NULL::t, :chain, 9000, 3);
SET dpsyn.max_parallel_workers = 0;
CREATE TABLE drawn AS SELECT * FROM dp_sample(NULL::t, :chain, 9000, 3);
SELECT count(*) FROM (TABLE drawn EXCEPT ALL TABLE drawn_parallel) x;
SELECT count(*) FILTER (WHERE age < 20 AND status <> 'single') FROM drawn;
SELECT dp_release('t', 'steps', 10, 0, '{"independent_sets": true}', 2) AS sets \gset
SELECT count(*) FILTER (WHERE age < 20 AND status <> 'single'), count(*) FROM (SELECT * FROM dp_sample(NULL::t, :sets, 500, 1, 1) UNION ALL SELECT * FROM dp_sample(NULL::t, :sets, 500, 1, 2)) s;
-- zeros over columns that are not modelled do not matter, the others do
SELECT count(*) > 0 FROM dp_sample(NULL::t, dp_release('t', 'flat', 100, 0, '{"columns": ["status", "sex"]}'), 1000, 1) WHERE status = 'widowed';
SELECT count(*) FROM dp_sample(NULL::t, dp_release('t', 'flat', 100, 0, '{"columns": ["age", "status"]}'), 1000, 1) WHERE age < 20 AND status = 'widowed';
-- a stored release keeps the zeros that were declared then
SELECT release AS kept FROM dp_releases WHERE method = 'flat' ORDER BY release DESC LIMIT 1 \gset
SELECT dp_define_cells('t', '{}', '{}');
SELECT count(*) FROM dp_declared_cells;
SELECT count(*) FROM dp_sample(NULL::t, :kept, 1000, 1) WHERE age < 20 AND status = 'widowed';
SELECT count(*) > 0 FROM dp_sample(NULL::t, dp_release('t', 'flat', 100, 0, '{"columns": ["age", "status"]}'), 10000, 1) WHERE age < 20 AND status = 'widowed';
-- a method whose tables cannot show them, and rows that nearly all hold one
SELECT dp_define_cells('t', '{age,status,sex}', (SELECT array_agg(ARRAY[a, s, x]) FROM unnest('{1,21,41}'::text[]) a, unnest('{single,married,widowed}'::text[]) s, unnest('{f,m,NULL}'::text[]) x
	WHERE (a, s, coalesce(x, 'NULL')) <> ('1', 'widowed', 'NULL')));
SELECT count(*) FROM dp_sample(NULL::t, dp_release('t', 'privbayes', 100000, 0, '{"parents": 0}'), 10);
SELECT DISTINCT age < 20, status, sex FROM dp_sample(NULL::t, dp_release('t', 'flat', 1, 0, '{"columns": ["age", "status", "sex"]}'), 10);
SELECT dp_define_cells('t', '{}', '{}');

-- the domain changes: zeros whose levels are still there stay, any other is an error before
-- anything is spent
SELECT dp_define_cells('t', '{age,status}', '{{0,widowed}}'), dp_define_cells('t', '{sex,status}', '{{m,widowed}}');
SELECT dp_define_column('t', 'age', bins => '{0,20,90}'), dp_define_column('t', 'status', '{widowed,married,single,other}', complete => true);
SELECT count(*) FILTER (WHERE status = 'widowed' AND (age < 20 OR sex = 'm')), count(*) FILTER (WHERE status = 'widowed') > 0 FROM dp_sample(NULL::t, dp_release('t', 'flat', 100), 5000);
SELECT epsilon_spent AS spent FROM dp_datasets WHERE relation = 't'::regclass \gset
SELECT dp_define_column('t', 'age', bins => '{0,18,90}');
SELECT dp_release('t', 'flat', 1);
SELECT * FROM dp_explain('t', 'flat', 1);
-- each set can be declared again alone
SELECT dp_define_cells('t', '{sex,wealth}', '{{m,rich}}'), dp_define_cells('t', '{age,status}', '{{0,widowed}}');
SELECT stage FROM dp_explain('t', 'flat', 1);
SELECT dp_define_column('t', 'sex');
SELECT dp_release('t', 'flat', 1);
SELECT dp_define_column('t', 'sex', open => true);
SELECT dp_release('t', 'flat', 1, 0.001);
SELECT dp_define_cells('t', '{sex}', '{m}');
SELECT dp_define_cells('t', '{status,sex}', '{}'), dp_define_cells('t', '{wealth,sex}', '{}');
ALTER TABLE t RENAME status TO state;
SELECT dp_define_column('t', 'status'), dp_define_column('t', 'state', '{widowed,married,single}');
SELECT dp_release('t', 'flat', 1, 0.001);
SELECT epsilon_spent = :spent FROM dp_datasets WHERE relation = 't'::regclass;
SELECT dp_define_cells('t', '{status,age}', '{}');
SELECT dp_release('t', 'sba', 1, 0.001) > 0;
-- zeros are not shown while the relation is unprotected, and come back with its protection
SELECT dp_define_cells('t', '{age,state}', '{{0,widowed}}');
SELECT dp_unprotect('t');
SELECT count(*) FROM dp_declared_cells;
SELECT dp_define_cells('t', '{age,state}', '{}');
SELECT dp_protect('t', 1000000, 0.5);
SELECT columns, cells FROM dp_declared_cells;

RESET SESSION AUTHORIZATION;
SET client_min_messages = warning;
DROP SCHEMA t46 CASCADE;
DROP ROLE regress_dp_46_owner, regress_dp_46_analyst, regress_dp_46_stranger;
