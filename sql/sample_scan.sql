-- dp_sample in FROM is a scan: it gives the rows of the function, whole or in part, under conditions,
-- twice, by cursors and from a plan that is kept, and leaves to the function what it does not cover.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t92;
CREATE ROLE regress_dp_92_owner;
CREATE ROLE regress_dp_92_analyst;
CREATE ROLE regress_dp_92_other;
GRANT USAGE, CREATE ON SCHEMA t92 TO public;
SET search_path = t92, public;
SET SESSION AUTHORIZATION regress_dp_92_owner;
CREATE TABLE t (a text, skipped date, n int, long text, big bigint, flag boolean, x float8,
				gone int, id uuid, s smallint, amount numeric(8,2));
INSERT INTO t SELECT nullif(chr(97 + i % 4), 'd'), '2020-01-01', i % 5, repeat(chr(97 + i % 3), 70 + i % 3 * 65),
	   i % 2 * 10000000000, i % 2 = 0, i, 0, ('00000000-0000-0000-0000-00000000000' || i % 4)::uuid, i % 3,
	   i % 100 FROM generate_series(1, 500) i;
ALTER TABLE t DROP COLUMN gone;
SELECT dp_protect('t', 100000, 0.01);
SELECT dp_define_column('t', 'a', '{a,b,c}');
SELECT dp_define_column('t', 'n', '{0,1,2,3,4}', complete => true);
SELECT dp_define_column('t', 'long', ARRAY[repeat('a', 70), repeat('b', 135), repeat('c', 200)]);
SELECT dp_define_column('t', 'big', '{0,10000000000}');
SELECT dp_define_column('t', 'x', bins => '{0,250,500}');
SELECT dp_define_column('t', 'id', '{00000000-0000-0000-0000-000000000000,00000000-0000-0000-0000-000000000001,00000000-0000-0000-0000-000000000002,00000000-0000-0000-0000-000000000003}');
SELECT dp_define_column('t', 's', '{0,1,2}');
SELECT dp_define_column('t', 'amount', bins => '{0,50,100}');
SELECT dp_grant('t', 'regress_dp_92_analyst', 100000, 0.01);
SET SESSION AUTHORIZATION regress_dp_92_analyst;
SET client_min_messages = warning;
SELECT dp_release('t', 'mst', 100, 0) AS r \gset
SELECT dp_release('t', 'sbhg', 100, 0) AS s \gset
SELECT dp_release('t', 'mst', 100, 0, '{"columns": ["a", "long", "n", "id"]}') AS c \gset

CREATE FUNCTION same(a text, b text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	differences bigint;
BEGIN
	EXECUTE format('SELECT count(*) FROM (((%1$s) EXCEPT ALL (%2$s)) UNION ALL ((%2$s) EXCEPT ALL (%1$s))) d', a, b)
	   INTO differences;
	RETURN differences = 0;
END
$$;

-- it is one, with the number of rows that are asked for
EXPLAIN (COSTS OFF) SELECT * FROM dp_sample(NULL::t, :r, 3000, 1);
EXPLAIN (COSTS OFF) SELECT n FROM dp_sample(NULL::t, :r, 3000, 1) WHERE a = 'b' ORDER BY n LIMIT 1;
CREATE FUNCTION rows_planned(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	EXECUTE 'EXPLAIN ' || query INTO line;
	RETURN substring(line FROM 'rows=\d+');
END
$$;
SELECT rows_planned(format('SELECT * FROM dp_sample(NULL::t92.t, %s, 3000)', :r)),
	   rows_planned(format('SELECT * FROM dp_sample(NULL::t92.t, %s)', :r));
EXPLAIN (VERBOSE, COSTS OFF) SELECT n + 1 FROM dp_sample(NULL::t, :r, 3000, 1) WHERE a = 'b';
-- what it does not cover
EXPLAIN (COSTS OFF) SELECT v FROM dp_sample(NULL::t, :r, 3000, 1) v;
EXPLAIN (COSTS OFF) SELECT * FROM dp_sample(NULL::t, :r, 3000, 1) WITH ORDINALITY;
EXPLAIN (COSTS OFF) SELECT * FROM ROWS FROM (dp_sample(NULL::t, :r, 3000, 1), generate_series(1, 3));
EXPLAIN (COSTS OFF) SELECT * FROM generate_series(1, 2) i, LATERAL dp_sample(NULL::t, :r, i, 1) s;
EXPLAIN (COSTS OFF) SELECT * FROM dp_sample('t', :r, 3000, 1) AS v(a text);

CREATE TABLE locked (n int);
EXPLAIN (COSTS OFF) UPDATE locked SET n = d.n FROM dp_sample(NULL::t, :r, 3, 1) d;
EXPLAIN (COSTS OFF) MERGE INTO locked USING dp_sample(NULL::t, :r, 3, 1) d ON locked.n = d.n
	WHEN NOT MATCHED THEN INSERT VALUES (d.n);
EXPLAIN (COSTS OFF) SELECT d.n FROM locked, dp_sample(NULL::t, :r, 3, 1) d FOR UPDATE OF locked;

-- the rows are those that the function returns one by one: bins, missing values, long and aligned ones
CREATE TABLE whole AS SELECT * FROM dp_sample(NULL::t, :r, 3000, 1);
CREATE TABLE single AS SELECT (dp_sample(NULL::t, :r, 3000, 1)).*;
SELECT same('TABLE whole', 'TABLE single'), count(*), count(DISTINCT whole.*) > 2000,
	   count(a) < 3000, max(length(long)), count(DISTINCT id), max(big) FROM whole;
SELECT same('TABLE whole', format('SELECT * FROM dp_sample(NULL::t92.t, %s, 3000, 1)', :r));
SELECT same('SELECT amount, a FROM whole WHERE n > 1',
			format('SELECT amount, a FROM dp_sample(NULL::t92.t, %s, 3000, 1) WHERE n > 1', :r));
-- in their order
SELECT bool_and(one = other) FROM (SELECT row_number() OVER () i, v AS one FROM whole v) v
  JOIN (SELECT row_number() OVER () i, v AS other FROM single v) w USING (i);
-- categories alone: tuples of pieces that are kept
CREATE TABLE kept AS SELECT * FROM dp_sample(NULL::t, :c, 3000, 1);
SELECT same('TABLE kept', format('SELECT (dp_sample(NULL::t92.t, %s, 3000, 1)).*', :c)), count(a) < 3000,
	   count(x) FROM kept;
-- workers that draw leave the rows as they are
SET dpsyn.max_parallel_workers = 2;
CREATE TABLE by_workers AS SELECT * FROM dp_sample(NULL::t, :s, 50000, 1);
SET dpsyn.max_parallel_workers = 0;
SELECT same('TABLE by_workers', format('SELECT * FROM dp_sample(NULL::t92.t, %s, 50000, 1)', :s));
SELECT same('SELECT n FROM by_workers WHERE a = ''a''',
			format('SELECT n FROM dp_sample(NULL::t92.t, %s, 50000, 1) WHERE a = ''a''', :s));
SET dpsyn.max_parallel_workers = 2;
SELECT same('SELECT n FROM by_workers WHERE a = ''a''',
			format('SELECT n FROM dp_sample(NULL::t92.t, %s, 50000, 1) WHERE a = ''a''', :s));
RESET dpsyn.max_parallel_workers;

-- a second reading has the rows of the first, without a seed, too
SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off;
EXPLAIN (COSTS OFF) SELECT * FROM generate_series(1, 3) i LEFT JOIN dp_sample(NULL::t, :r, 1500) s ON s.n > i;
SELECT count(DISTINCT sum) FROM (
	SELECT i, sum(x) FROM generate_series(1, 3) i LEFT JOIN dp_sample(NULL::t, :r, 1500) s ON s.n > i - i GROUP BY i) d;
SELECT count(DISTINCT sum) FROM (
	SELECT i, sum(n) FROM generate_series(1, 3) i LEFT JOIN dp_sample(NULL::t, :c, 1500, given => '{"a": "a"}') s ON s.n > i - i GROUP BY i) d;
SET dpsyn.max_parallel_workers = 2;
SELECT count(DISTINCT sum) FROM (
	SELECT i, sum(x) FROM generate_series(1, 3) i LEFT JOIN dp_sample(NULL::t, :s, 50000) s ON s.n > i - i GROUP BY i) d;
RESET dpsyn.max_parallel_workers;
CREATE TABLE small (x float8 CHECK (x < 200), n int);
SELECT count(DISTINCT sum), bool_and(max < 200) FROM (
	SELECT i, sum(x), max(x) FROM generate_series(1, 3) i LEFT JOIN dp_sample(NULL::small, :r, 1500) s ON s.n > i - i GROUP BY i) d;
RESET enable_hashjoin; RESET enable_mergejoin; RESET enable_material;
-- with other arguments it is another reading
SELECT i, (SELECT count(*) FROM (SELECT * FROM dp_sample(NULL::t, :r, i, 1) OFFSET 0) d) FROM generate_series(1, 3) i;
-- with arguments that the query computes
SELECT count(*) FROM dp_sample(NULL::t, :r, (SELECT max(i) FROM generate_series(1, 1500) i), 1);
SELECT count(*) FROM dp_sample(NULL::t, :r, CASE WHEN 2 IN (SELECT generate_series(1, 3)) THEN 1100 END, 1);

-- from a plan that is kept, also after the row type got another column
PREPARE some_rows(bigint, bigint) AS SELECT count(*), count(n) FROM dp_sample(NULL::t, $1, $2, 1);
SET plan_cache_mode = force_generic_plan;
EXECUTE some_rows(:r, 10);
EXECUTE some_rows(:r, 2000);
CREATE TABLE own (n int, a text);
PREPARE kept AS SELECT n IS NULL, a IS NULL OR a <> 'x' FROM dp_sample(NULL::own, :r, 1, 1);
EXECUTE kept;
ALTER TABLE own ADD x float8;
EXECUTE kept;
RESET plan_cache_mode;

-- cursors, into tables that have other columns, and rows that are changed as they come
BEGIN;
DECLARE forward CURSOR FOR SELECT n IS NOT NULL FROM dp_sample(NULL::t, :c, 3000, 1);
FETCH 2 FROM forward;
MOVE 1500 IN forward;
FETCH 1 FROM forward;
DECLARE ways SCROLL CURSOR WITH HOLD FOR SELECT * FROM dp_sample(NULL::own, :c, 2000, 1);
COMMIT;
MOVE ALL IN ways;
MOVE BACKWARD 10 IN ways;
CLOSE ways;
CREATE TABLE target (LIKE whole);
INSERT INTO target SELECT * FROM dp_sample(NULL::t, :r, 1200, 1);
INSERT INTO target (a, n) SELECT a, n + 1 FROM dp_sample(NULL::t, :r, 1200, 1);
SELECT count(*) FROM target;
INSERT INTO own VALUES (1, 'y');
UPDATE own SET n = -d.n FROM dp_sample(NULL::t, :r, 3, 1) d;
SELECT n <= 0 FROM own;
SELECT count(*) FROM (SELECT * FROM dp_sample(NULL::t, :r, 3000, 1) FOR UPDATE) d;

-- a view's condition comes before one that could tell of other rows
CREATE FUNCTION is_one(n int) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS $$
BEGIN
	RETURN 1 / (n % 2) = 1;
END
$$;
CREATE VIEW ones WITH (security_barrier) AS SELECT n, a FROM dp_sample(NULL::t, :r, 3000, 1) WHERE n = 1;
SELECT count(*) > 100, count(a) > 100 FROM ones WHERE is_one(n);
SELECT count(*) > 100 FROM dp_sample(NULL::t, :r, 3000, 1) WHERE is_one(n) AND n = 1;

-- a cursor that a part of its transaction began to read, and errors in the middle
SELECT set_config('t92.r', :'r', false) = :'r';
BEGIN;
DECLARE read CURSOR FOR SELECT row_number() OVER () FROM dp_sample(NULL::t, :r, 3000, 1);
SAVEPOINT part;
FETCH 1 FROM read;
ROLLBACK TO part;
MOVE 1200 IN read;
FETCH 1 FROM read;
COMMIT;
DO $$
DECLARE
	seen int := 0;
	n int;
BEGIN
	FOR i IN 1..3 LOOP
		BEGIN
			FOR n IN SELECT d.n FROM dp_sample(NULL::t92.t, current_setting('t92.r')::bigint, 3000, 1) d LOOP
				seen := seen + 1;
				n := 1 / (seen % 1500);
			END LOOP;
		EXCEPTION WHEN division_by_zero THEN
			NULL;
		END;
	END LOOP;
	RAISE WARNING '% rows were seen', seen;
END
$$;
SET statement_timeout = '300ms';
SELECT count(*) FROM dp_sample(NULL::t, :r, 1000000000000, 1);
RESET statement_timeout;

-- a query that stops early draws no more
SELECT count(*) FROM (SELECT * FROM dp_sample(NULL::t, :r, 1000000000000000, 1) LIMIT 5) d;

-- a table's rules, and columns that are filled
CREATE TABLE ruled (number int PRIMARY KEY, n int CHECK (n > 1), x float8, twice int GENERATED ALWAYS AS (n * 2) STORED);
SELECT count(*), min(n) > 1, bool_and(twice = n * 2) FROM dp_sample(NULL::ruled, :r, 1000, 1);
CREATE TABLE from_ruled AS SELECT * FROM dp_sample(NULL::ruled, :r, 1000, 1);
SELECT count(*), min(n) > 1, bool_and(twice = n * 2) FROM from_ruled;

-- errors are the function's
SELECT * FROM dp_sample(NULL::t, -1);
SELECT * FROM dp_sample(NULL::t, NULL);
SELECT * FROM dp_sample(NULL::t, :r, -1);
-- whose rights count is settled when the rows are read
CREATE VIEW seen AS SELECT n FROM dp_sample(NULL::t, :r, 5, 1);
GRANT SELECT ON seen TO regress_dp_92_other;
CREATE FUNCTION lent() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS
	$$ SELECT count(*) FROM dp_sample(NULL::t92.t, current_setting('t92.r')::bigint, 5, 1) $$;
PREPARE own_right AS SELECT count(*) FROM dp_sample(NULL::t, :r, 5, 1);
EXECUTE own_right;
RESET SESSION AUTHORIZATION;
SET ROLE regress_dp_92_other;
\set VERBOSITY sqlstate
EXECUTE own_right;
SELECT count(*) FROM seen;
\set VERBOSITY default
SELECT lent();
RESET ROLE;
-- a function that is to run under other settings is called
BEGIN;
ALTER FUNCTION dp_sample(anyelement, bigint, bigint, bigint, integer, jsonb, integer, integer) SET work_mem = '1MB';
EXPLAIN (COSTS OFF) EXECUTE own_right;
ROLLBACK;
EXPLAIN (COSTS OFF) EXECUTE own_right;
BEGIN;
REVOKE EXECUTE ON FUNCTION dp_sample(anyelement, bigint, bigint, bigint, integer, jsonb, integer, integer) FROM public;
SET SESSION AUTHORIZATION regress_dp_92_analyst;
SELECT * FROM dp_sample(NULL::t, :r, 1, 1);
ROLLBACK;
RESET SESSION AUTHORIZATION;
-- the first query of a session is scanned as well
\c -
EXPLAIN (COSTS OFF) SELECT n FROM dp_sample(NULL::t92.t, 1, 3, 1);
SET client_min_messages = warning;
DROP SCHEMA t92 CASCADE;
DROP OWNED BY regress_dp_92_owner, regress_dp_92_analyst;
DROP ROLE regress_dp_92_owner, regress_dp_92_analyst, regress_dp_92_other;
