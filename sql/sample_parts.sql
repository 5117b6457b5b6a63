-- Parts of the rows of a seed: one behind the other they are all of them, whatever the method, and so
-- whichever sessions draw them.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t95;
CREATE ROLE regress_dp_95_owner;
CREATE ROLE regress_dp_95_analyst;
CREATE ROLE regress_dp_95_other;
GRANT USAGE, CREATE ON SCHEMA t95 TO public;
SET search_path = t95, public;
SET SESSION AUTHORIZATION regress_dp_95_owner;
SET client_min_messages = error;
CREATE TABLE t (id int PRIMARY KEY, a text NOT NULL CHECK (a IN ('a', 'b', 'c')), n int NOT NULL CHECK (n BETWEEN 0 AND 4),
	x numeric NOT NULL CHECK (x BETWEEN 0 AND 500), parent int NOT NULL CHECK (parent BETWEEN 0 AND 1000000),
	CHECK (parent < id), CHECK (x >= n));
INSERT INTO t SELECT i, chr(97 + i % 3), i % 5, 5 + i % 400, i / 2 FROM generate_series(1, 2000) i;
-- no row can keep a rule of its filled column, which the first block tells all others
CREATE TABLE never (id int, parent int, CHECK (parent > id + 10000000));
-- a rule of a filled column that some rows keep whatever their number
CREATE TABLE rare (id int, a text, n int, CHECK ((a = 'a' AND n = 0) OR id % 4 <> 0));
-- and one that no row of the first block keeps
CREATE TABLE late (id int, a text, n int, CHECK (id > 1024 AND (a = 'a' OR id % 4 <> 0)));
-- generated columns whose values are expanded arrays
CREATE TABLE arrays (a text, arr int[] GENERATED ALWAYS AS (array_append(ARRAY[1, 2], n)) STORED, z text GENERATED ALWAYS AS ('zz' || upper(a)) STORED, n int);
CREATE TABLE patients (id integer PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('f', 'm')));
CREATE TABLE visits (id bigint PRIMARY KEY, patient integer NOT NULL REFERENCES patients,
	ward text NOT NULL CHECK (ward IN ('eye', 'heart', 'bone')));
CREATE TABLE payments (id text PRIMARY KEY, visit bigint NOT NULL REFERENCES visits, paid boolean NOT NULL);
INSERT INTO patients SELECT i, CASE i % 2 WHEN 0 THEN 'f' ELSE 'm' END FROM generate_series(1, 600) i;
INSERT INTO visits SELECT 10 * i + j, i, CASE i % 3 WHEN 0 THEN 'heart' WHEN 1 THEN 'eye' ELSE 'bone' END
  FROM generate_series(1, 600) i, generate_series(1, 1 + i % 3) j;
INSERT INTO payments SELECT v.id || '/' || j, v.id, v.ward = 'eye' FROM visits v, generate_series(1, CASE v.ward WHEN 'eye' THEN 2 ELSE 1 END) j;
-- so many columns that workers draw
DO $$ BEGIN EXECUTE (SELECT 'CREATE TABLE wide (' || string_agg(format('c%s boolean NOT NULL', i), ', ') || ')' FROM generate_series(1, 30) i); END $$;
DO $$ BEGIN EXECUTE (SELECT 'INSERT INTO wide SELECT ' || string_agg(format('g %% %s = 0', i + 1), ', ') || ' FROM generate_series(1, 500) g' FROM generate_series(1, 30) i); END $$;
SELECT dp_protect('t', 1000000, 0.5), dp_protect('patients', 1000000, 0.1), dp_protect('wide', 1000000, 0.1);
SELECT dp_define_column('t', 'parent', bins => '{0,500,1000,1000000}');
SELECT dp_protect('visits', parent => 'patients', max_rows_per_unit => 4), dp_protect('payments', parent => 'visits', max_rows_per_unit => 3);
SELECT dp_grant(it, 'regress_dp_95_analyst', 1000000, 0.1) FROM unnest('{t,patients,wide}'::regclass[]) it;
SET SESSION AUTHORIZATION regress_dp_95_analyst;
SET client_min_messages = warning;
SELECT dp_release('t', 'mst', 100000, 0.01) AS mst \gset
SELECT dp_release('t', 'sbhg', 100000, 0.01) AS sbhg \gset
SELECT dp_release('t', 'privbayes', 100000, 0.01) AS privbayes \gset
SELECT dp_release('wide', 'sbhg', 1000, 1e-6) AS wide \gset
SELECT dp_release('t', 'pegs', 100000, 0.01, '{"columns": ["a", "n"], "rows": 3000}') AS pegs \gset
SELECT dp_release('{patients,visits,payments}', 'mst', 300000, 1e-9) AS tree \gset

-- The rows in their order: of one call, and of so many parts.
CREATE FUNCTION drawn(target text, release bigint, rows bigint, parts int, more text DEFAULT '', OUT rows_drawn bigint, OUT rows_digest text)
LANGUAGE plpgsql AS $$
BEGIN
	CREATE TEMP TABLE d (place serial, line text);
	FOR k IN 1 .. parts LOOP
		EXECUTE format('CREATE TEMP TABLE p AS SELECT * FROM dp_sample(NULL::t95.%s, %s, %s, 7, part => %s, parts => %s %s)',
					   target, release, coalesce(rows::text, 'NULL'), k, parts, more);
		INSERT INTO d (line) SELECT p::text FROM p ORDER BY ctid;
		DROP TABLE p;
	END LOOP;
	SELECT count(*), md5(string_agg(line, chr(10) ORDER BY place)) INTO rows_drawn, rows_digest FROM d;
	DROP TABLE d;
END
$$;
CREATE FUNCTION belong(target text, release bigint, rows bigint, parts int, more text DEFAULT '') RETURNS boolean LANGUAGE sql
AS $$ SELECT drawn(target, release, rows, 1, more) = drawn(target, release, rows, parts, more) $$;
SELECT rows_drawn FROM drawn('t', :mst, 10000, 1);
SELECT name, parts, belong('t', release, 10000, parts)
  FROM (VALUES ('mst', :mst), ('sbhg', :sbhg), ('privbayes', :privbayes)) m (name, release), unnest('{2,3,10}'::int[]) parts ORDER BY 1, 2;
-- rules that are given up, as the first rows told
SELECT belong('never', :mst, 1030, 2);
SELECT belong('rare', :mst, 8192, 4);
SELECT (id - 1) / 1024 AS block, count(*) FILTER (WHERE NOT (a = 'a' AND n = 0) AND id % 4 = 0) AS broken FROM dp_sample(NULL::rare, :mst, 8192, 7) GROUP BY 1 ORDER BY 1;
-- a rule that no row of the first block keeps is kept by those of later ones that can
SELECT belong('late', :mst, 4096, 3);
SELECT (id - 1) / 1024 AS block, count(*) FILTER (WHERE id % 4 = 0 AND a <> 'a') < 20 AS few FROM dp_sample(NULL::late, :mst, 8192, 7) WHERE id > 1024 GROUP BY 1 ORDER BY 1;
-- a release that holds its rows; fewer rows than parts; a condition
SELECT belong('t', :pegs, NULL, 2), belong('t', :mst, 5, 7), belong('t', :mst, 0, 2), belong('t', :mst, 5000, 3, ', given => ''{"a": "b"}''');
-- other parts are other rows
SELECT (SELECT count(*) FROM (SELECT * FROM dp_sample(NULL::t, :mst, 5000, 7, part => 1, parts => 2) INTERSECT SELECT * FROM dp_sample(NULL::t, :mst, 5000, 7, part => 2, parts => 2)) both_parts);
-- tables of a tree: what belongs to the root's rows of a part
SELECT target, parts, belong(target, :tree, 5000, parts) FROM unnest('{patients,visits,payments}'::text[]) target, unnest('{2,5}'::int[]) parts ORDER BY 1, 2;
SELECT count(*) FROM dp_sample(NULL::visits, :tree, 5000, 7, part => 2, parts => 3) v
 WHERE patient NOT IN (SELECT id FROM dp_sample(NULL::patients, :tree, 5000, 7, part => 2, parts => 3));
-- by workers, by the function, by name, twice, and as the planner expects
SET dpsyn.max_parallel_workers = 2;
CREATE TEMP TABLE by_workers AS SELECT * FROM dp_sample(NULL::wide, :wide, 500000, 7, part => 2, parts => 2);
SET dpsyn.max_parallel_workers = 0;
SELECT count(*), md5(string_agg(s::text, chr(10))) = (SELECT md5(string_agg(w::text, chr(10))) FROM by_workers w)
  FROM (SELECT * FROM dp_sample(NULL::wide, :wide, 500000, 7) OFFSET 500000 - (SELECT count(*) FROM by_workers)) s;
-- and of a tree, whose keys are numbered by who makes the rows
CREATE FUNCTION by_workers_and_without(call text) RETURNS TABLE (rows_drawn bigint, alike boolean) LANGUAGE plpgsql AS $$
DECLARE
	digest text[];
BEGIN
	FOREACH rows_drawn IN ARRAY '{2,0}'::bigint[] LOOP
		PERFORM set_config('dpsyn.max_parallel_workers', rows_drawn::text, false);
		EXECUTE format('SELECT digest || md5(string_agg(s::text, chr(10))), count(*) FROM %s s, (SELECT $1 AS digest) before GROUP BY digest', call) INTO digest, rows_drawn USING digest;
	END LOOP;
	alike := digest[1] = digest[2];
	RETURN NEXT;
END
$$;
SELECT rows_drawn > 200000 AS many, alike FROM by_workers_and_without(format('(SELECT * FROM dp_sample(NULL::t95.payments, %s, 200000, 7) OFFSET 0)', :tree));
SELECT rows_drawn > 100000 AS many, alike FROM by_workers_and_without(format('ROWS FROM (dp_sample(NULL::t95.payments, %s, 300000, 8, part => 2, parts => 2)) WITH ORDINALITY', :tree));
RESET dpsyn.max_parallel_workers;
SELECT count(*), max(id) FROM dp_sample('t95.t', :mst, 3000, 7, part => 2, parts => 3) AS s(id int, a text);
SELECT count(*) FROM generate_series(1, 2) g LEFT JOIN dp_sample(NULL::t, :mst, 3000, 7, part => 3, parts => 3) s ON true;
SELECT (dp_sample(NULL::t, :mst, 3000, 7, part => 3, parts => 3)).id LIMIT 1;
CREATE FUNCTION rows_planned(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END
$$;
SELECT rows_planned(format('SELECT * FROM dp_sample(NULL::t95.t, %s, 3000, 7, part => 2, parts => 3)', :mst));
-- tuples are formed of values that are no plain ones
CREATE TABLE formed AS SELECT * FROM dp_sample(NULL::arrays, :mst, 2000, 7);
SELECT count(*), count(*) FILTER (WHERE arr = ARRAY[1, 2, n] AND z = 'zz' || upper(a)) FROM formed;
SELECT count(*) FILTER (WHERE arr = ARRAY[1, 2, n] AND z = 'zz' || upper(a)) FROM dp_sample(NULL::arrays, :mst, 2000, 7);
-- what is refused
SELECT count(*) FROM dp_sample(NULL::t, :mst, 10, 7, part => 0, parts => 2);
SELECT count(*) FROM dp_sample(NULL::t, :mst, 10, 7, part => 3, parts => 2);
SELECT count(*) FROM dp_sample(NULL::t, :mst, 10, 7, part => 1, parts => 0);
SELECT count(*) FROM dp_sample(NULL::t, :mst, 10, part => 1, parts => 2);
SET SESSION AUTHORIZATION regress_dp_95_other;
\set VERBOSITY sqlstate
SELECT count(*) FROM dp_sample(NULL::t, :mst, 10, 7, part => 1, parts => 2);
RESET SESSION AUTHORIZATION;
SET client_min_messages = error;
DROP SCHEMA t95 CASCADE;
DROP OWNED BY regress_dp_95_owner, regress_dp_95_analyst, regress_dp_95_other;
DROP ROLE regress_dp_95_owner, regress_dp_95_analyst, regress_dp_95_other;
