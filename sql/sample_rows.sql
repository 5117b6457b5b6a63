-- dp_sample and dp_synthesize: the row type, seeds and sets, streaming, every place from which they
-- can be called, and every error.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t07;
CREATE ROLE regress_dp_07_owner;
CREATE ROLE regress_dp_07_analyst;
GRANT USAGE, CREATE ON SCHEMA t07 TO public;
SET search_path = t07, public;
SET SESSION AUTHORIZATION regress_dp_07_owner;
CREATE TABLE t (a text, skipped text DEFAULT 'x', n int, flag boolean NOT NULL, x float8, note json);
INSERT INTO t SELECT chr(97 + i % 3), 'secret', i % 5, i % 2 = 0, i, '{}' FROM generate_series(1, 500) i;
SELECT dp_protect('t', 100000, 0.01);
SELECT dp_define_column('t', 'a', '{a,b,c}');
SELECT dp_define_column('t', 'n', '{0,1,2,3,4}');
SELECT dp_define_column('t', 'x', bins => '{0,250,500}');
SELECT dp_grant('t', 'regress_dp_07_analyst', 100000, 0.01);
SET SESSION AUTHORIZATION regress_dp_07_analyst;

-- columns that are not modelled come back NULL, and the release says which
SELECT dp_release('t', 'sbhg', 100, sets => 3) AS r \gset
SELECT pg_typeof(s), count(*) = (SELECT rows FROM dp_releases WHERE release = :r),
	   count(skipped), count(note), count(*) - count(flag), bool_and(s.a IN ('a', 'b', 'c') IS NOT FALSE),
	   bool_and(n BETWEEN 0 AND 4), bool_and(x BETWEEN 0 AND 500), bool_or(x <> trunc(x))
  FROM dp_sample(NULL::t, :r) s GROUP BY 1;
-- columns that are left out on purpose bring no notice
SELECT dp_release('t', 'sbhg', 100, 0, '{"columns": ["flag"]}') IS NOT NULL;
CREATE TABLE mine AS SELECT * FROM dp_sample(NULL::t, :r);
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'mine'::regclass AND attnum > 0 ORDER BY attnum;

-- the same seed means the same rows, of the same set
CREATE FUNCTION same(a text, b text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	differences bigint;
BEGIN
	EXECUTE format('SELECT count(*) FROM (((%1$s) EXCEPT ALL (%2$s)) UNION ALL ((%2$s) EXCEPT ALL (%1$s))) d', a, b)
	   INTO differences;
	RETURN differences = 0;
END
$$;
CREATE FUNCTION draw(id bigint, rest text) RETURNS text LANGUAGE sql IMMUTABLE
AS $$ SELECT format('SELECT a, n, flag, x FROM dp_sample(NULL::t07.t, %s, 300, %s)', id, rest) $$;
SELECT same(draw(:r, '1'), draw(:r, '1'));
SELECT same(draw(:r, '1'), draw(:r, '1, 1'));
SELECT same(draw(:r, '1'), draw(:r, '2'));
SELECT same(draw(:r, '1'), draw(:r, '1, 2'));
SELECT same(draw(:r, '1, 2'), draw(:r, '1, 3'));
SELECT same(draw(:r, '1, 3'), draw(:r, '1, set => 3'));
SELECT same(draw(:r, '-9223372036854775808'), draw(:r, '-9223372036854775808'));
SELECT same(draw(:r, 'NULL'), draw(:r, 'NULL'));
SELECT same(draw(:r, '1, NULL'), draw(:r, '1, 1'));
-- fewer rows of a seed are the first ones of more rows
SELECT same(format('SELECT a, n, flag, x FROM dp_sample(NULL::t07.t, %s, 5000, 7) LIMIT 3000', :r),
			format('SELECT a, n, flag, x FROM dp_sample(NULL::t07.t, %s, 3000, 7)', :r));

-- how many rows
SELECT count(*) FROM dp_sample(NULL::t, :r, 0);
SELECT count(*) FROM dp_sample(NULL::t, :r, 1);
SELECT count(*) FROM dp_sample(NULL::t, :r, 12345);
SELECT count(*) = (SELECT rows FROM dp_releases WHERE release = :r) FROM dp_sample(NULL::t, :r, NULL);
SELECT count(*) FROM dp_sample(NULL::t, release => :r, rows => 10, set => 3);

-- errors
SELECT * FROM dp_sample(NULL::t, :r, -1);
\set VERBOSITY sqlstate
SELECT * FROM dp_sample(NULL::t, :r, 1, 1, 0);
SELECT * FROM dp_sample(NULL::t, :r, 1, 1, 4);
SELECT * FROM dp_sample(NULL::t, :r, 1, 1, -1);
\set VERBOSITY default
SELECT * FROM dp_sample(NULL::t, NULL);
SELECT * FROM dp_sample(NULL::t, 987654321);
SELECT * FROM dp_sample(NULL::t, -1);
SELECT * FROM dp_sample(NULL::int, :r);
SELECT * FROM dp_sample(NULL, 1);
SELECT * FROM dp_sample(NULL::t[], :r);
SELECT * FROM dp_sample(NULL::pg_class, :r);
SELECT * FROM dp_sample(row(1, 'a'), :r) s (p int, q text);

-- a target of another row type: columns are matched by name
CREATE TYPE few AS (n bigint, unknown int, a varchar(10), flag text);
SELECT pg_typeof(s), bool_and(n BETWEEN 0 AND 4), count(unknown), bool_and(a IN ('a', 'b', 'c')), bool_and(flag IN ('t', 'f'))
  FROM dp_sample(NULL::few, :r, 50) s GROUP BY 1;
CREATE TABLE narrow (x numeric(6,1), n smallint);
SELECT bool_and(x BETWEEN 0 AND 500 AND scale(x) = 1) FROM dp_sample(NULL::narrow, :r, 50);
CREATE DOMAIN few_domain AS few;
SELECT bool_and(n BETWEEN 0 AND 4) FROM dp_sample(NULL::few_domain, :r, 50);
CREATE TYPE wrong AS (a int);
SELECT * FROM dp_sample(NULL::wrong, :r, 1);
CREATE TYPE wrong2 AS (x text);
SELECT * FROM dp_sample(NULL::wrong2, :r, 1);
CREATE TYPE wrong3 AS (y text);
SELECT * FROM dp_sample(NULL::wrong3, :r, 1);

-- in the select list rows are drawn one at a time, and no more than are taken
SET statement_timeout = '60s';
SELECT count(*) FROM (SELECT dp_sample(NULL::t, :r, 9000000000000000) LIMIT 10) s;
SELECT count(*) FROM (SELECT (dp_sample(NULL::t, :r, 10)).*) s;
SELECT same('SELECT (s).a, (s).n, (s).flag, (s).x FROM (SELECT dp_sample(NULL::t07.t, ' || :r || ', 3000, 1) AS s) s',
			'SELECT a, n, flag, x FROM dp_sample(NULL::t07.t, ' || :r || ', 3000, 1)');
SELECT count(*) FROM (SELECT dp_sample(NULL::t, :r, i) FROM generate_series(1, 10) i) s;
SELECT sum(c) FROM generate_series(1, 10) i, LATERAL (SELECT count(*) AS c FROM dp_sample(NULL::t, :r, i)) s;
SELECT count(*), count(DISTINCT ordinality) FROM dp_sample(NULL::t, :r, 100) WITH ORDINALITY;
SELECT count(*) FROM ROWS FROM (dp_sample(NULL::t, :r, 5), generate_series(1, 7)) s;

-- prepared statements, cursors, PL/pgSQL
PREPARE drawn (bigint, bigint) AS SELECT count(*) FROM dp_sample(NULL::t, $1, $2);
EXECUTE drawn(:r, 5);
EXECUTE drawn(:r, 6);
SET plan_cache_mode = force_generic_plan;
EXECUTE drawn(:r, 7);
EXECUTE drawn(:r, 8);
RESET plan_cache_mode;
BEGIN;
DECLARE c CURSOR FOR SELECT a FROM dp_sample(NULL::t, :r, 100, 1);
MOVE 95 c;
MOVE ALL c;
DECLARE s SCROLL CURSOR FOR SELECT n FROM dp_sample(NULL::t, :r, 100, 1);
MOVE LAST s;
MOVE BACKWARD ALL s;
MOVE FORWARD 10 s;
DECLARE streamed CURSOR FOR SELECT dp_sample(NULL::t, :r, 9000000000000000, 1);
MOVE 10 streamed;
CLOSE streamed;
COMMIT;
CREATE FUNCTION looped(id bigint) RETURNS TABLE (rows bigint, drawn bigint) LANGUAGE plpgsql AS $$
DECLARE
	one t07.t;
BEGIN
	rows := 0;
	FOR one IN SELECT * FROM dp_sample(NULL::t07.t, id, 50) LOOP
		rows := rows + 1;
		EXIT WHEN rows = 20;
	END LOOP;
	-- a value names its type as well as NULL does
	SELECT count(*) INTO drawn FROM dp_sample(one, id, 30);
	RETURN NEXT;
END
$$;
SELECT * FROM looped(:r);
SET client_min_messages = warning;
DO $$
DECLARE
	id bigint;
BEGIN
	FOR i IN 1..5 LOOP
		id := dp_release('t07.t', 'sba', 0.5, 1e-6);
		PERFORM * FROM dp_sample(NULL::t07.t, id, 10);
	END LOOP;
END
$$;

-- who may not write does not mean to spend: drawing is free
BEGIN READ ONLY;
SELECT count(*) FROM dp_sample(NULL::t, :r, 10);
SELECT count(*) > 0 FROM dp_explain('t', 'sba', 0.5, 1e-6);
SELECT dp_release('t', 'sba', 0.5, 1e-6);
ROLLBACK;
BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE;
SELECT count(*) FROM dp_synthesize_sba(NULL::t, 0.5, 1e-6, 10);
ROLLBACK;

-- a seat-belt for roles and databases that are not to spend
SET dpsyn.spending = false;
SHOW dpsyn.spending;
SELECT count(*) FROM dp_sample(NULL::t, :r, 10);
SELECT count(*) > 0 FROM dp_explain('t', 'sba', 0.5, 1e-6);
SELECT dp_release('t', 'sba', 0.5, 1e-6);
SELECT count(*) FROM dp_synthesize_sba(NULL::t, 0.5, 1e-6, 10);
SET dpsyn.spending = perhaps;
RESET dpsyn.spending;
SHOW dpsyn.spending;

-- a view is read by who does not mean to spend
CREATE VIEW spends AS SELECT * FROM dp_synthesize_sba(NULL::t, 0.001, 1e-9, 10);
CREATE VIEW spends_too AS SELECT dp_release('t', 'sba', 0.001, 1e-9) AS release;
CREATE VIEW over_spends AS SELECT count(*) FROM spends;
CREATE TABLE lines_before AS SELECT count(*) FROM dp_ledger;
SELECT count(*) FROM spends;
SELECT * FROM spends_too;
SELECT * FROM over_spends;
SELECT (SELECT count(*) FROM over_spends);
WITH s AS MATERIALIZED (SELECT * FROM spends) SELECT count(*) FROM s;
CREATE TABLE of_view AS SELECT * FROM over_spends;
EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) SELECT * FROM over_spends;
EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) CREATE TABLE of_view AS SELECT * FROM over_spends;
INSERT INTO lines_before SELECT count(*) FROM spends;
BEGIN;
DECLARE c CURSOR FOR SELECT * FROM spends_too;
FETCH c;
ROLLBACK;
PREPARE p AS SELECT * FROM spends_too;
EXECUTE p;
DEALLOCATE p;
CREATE MATERIALIZED VIEW kept AS SELECT * FROM dp_synthesize_sba(NULL::t, 0.001, 1e-9, 10);
SET dpsyn.spending = off;
SELECT * FROM spends_too;
SET dpsyn.spending = on;
SELECT (SELECT count(*) FROM dp_ledger) = count AS nothing_spent FROM lines_before;
-- another view beside the call is no matter
SELECT count(*) FROM dp_synthesize_sba(NULL::t, 0.001, 1e-9, 10), (SELECT count(*) FROM dp_budgets) v;
-- by name
SET dpsyn.spending = views;
SELECT count(*) FROM spends;
SELECT release > 0 FROM spends_too;
CREATE MATERIALIZED VIEW kept AS SELECT * FROM dp_synthesize_sba(NULL::t, 0.001, 1e-9, 10);
RESET dpsyn.spending;
REFRESH MATERIALIZED VIEW kept;
SELECT count(*) FROM kept;
DROP MATERIALIZED VIEW kept;
DROP VIEW over_spends, spends, spends_too;
DROP TABLE lines_before;

-- any isolation level, since the caller's transaction writes nothing
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) > 0 FROM dp_releases;
SELECT dp_release('t', 'sba', 0.5, 1e-6) AS rr \gset
SELECT count(*) FROM dp_sample(NULL::t, :rr, 10);
SELECT count(*) FROM dp_releases WHERE release = :rr; -- which a view of this snapshot does not show
COMMIT;
SELECT count(*) FROM dp_releases WHERE release = :rr;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*) FROM dp_synthesize_sba(NULL::t, 0.5, 1e-6, 10);
COMMIT;

-- what was paid for stays paid, and can be drawn from
SELECT count(*) AS before FROM dp_releases \gset
BEGIN;
SELECT dp_release('t', 'sba', 0.5, 1e-6) > 0;
SAVEPOINT a;
SELECT dp_release('t', 'sba', 0.5, 1e-6) > 0;
ROLLBACK TO a;
SELECT count(*) FROM dp_synthesize_sba(NULL::t, 0.5, 1e-6, 10);
SELECT 1 / 0;
ROLLBACK;
DO $$
BEGIN
	PERFORM dp_release('t07.t', 'sba', 0.5, 1e-6);
	RAISE EXCEPTION 'no';
EXCEPTION WHEN raise_exception THEN
	RAISE WARNING 'caught';
END
$$;
SELECT count(*) - :before FROM dp_releases;
SELECT count(*) FROM dp_sample(NULL::t, (SELECT max(release) FROM dp_releases), 10);

-- dp_synthesize: release and draw in one; the notice says how to draw again
RESET SESSION AUTHORIZATION;
SELECT setval(pg_get_serial_sequence('dp_catalog.dp_ledger_entry', 'id'), 700000);
SET SESSION AUTHORIZATION regress_dp_07_analyst;
SET client_min_messages = notice;
SELECT count(*) FROM dp_synthesize_sbhg(NULL::t, epsilon => 1, delta => 1e-6, rows => 20, seed => 5);
SELECT method, options, row_type, epsilon, delta, status, duration > interval '0' FROM dp_ledger WHERE id = 700001;
SELECT relation, role, method, options, epsilon, delta, rows > 0, sets, model_bytes > 0 FROM dp_releases WHERE release = 700001;
SELECT same('SELECT * FROM (SELECT (jsonb_populate_record(NULL::t07.t, to_jsonb(s) - ''note'')).a FROM dp_sample(NULL::t07.t, 700001, 20, 5) s) s',
			'SELECT a FROM dp_sample(NULL::t07.t, 700001, 20, 5)');
SET client_min_messages = warning;
SELECT count(*) FROM dp_synthesize_sbhg(NULL::t, 1, 1e-6, 20, parents => 2, columns => '{a,n,flag}',
										column_order => '{n,a,flag}', dense_cells => 0, sweeps => 3, missing_key => 'reject',
										count_share => 0.1, sets => 2);
SELECT options, sets FROM dp_releases ORDER BY release DESC LIMIT 1;
SELECT count(*) FROM dp_synthesize_sbhg(NULL::t, 1, 1e-6, 20, network => '{"a": ["n"], "n": [], "flag": ["a", "n"], "x": []}');
SELECT count(*) FROM dp_synthesize_sbhg(NULL::t, 1, 1e-6, 20, parents => 2, selection_share => 0.3, open_share => 0.2);
SELECT options FROM dp_releases ORDER BY release DESC LIMIT 1;
SELECT count(*) FROM dp_synthesize_sba(NULL::t, 1, 1e-6, 20, 100, 0.1, '{a,flag}', NULL, NULL, 0.2, NULL, 3, true, 9);
SELECT options, sets FROM dp_releases ORDER BY release DESC LIMIT 1;
SELECT count(*) FROM dp_synthesize(NULL::t, 1, 1e-6, 20, 'sba', '{"columns": ["flag"]}');
CREATE TABLE synthetic AS SELECT * FROM dp_synthesize_sbhg(NULL::t, 1, 1e-6);
SELECT pg_typeof(s) FROM synthetic s LIMIT 1;
-- the custodian synthesizes too
SET SESSION AUTHORIZATION regress_dp_07_owner;
SELECT count(*) FROM dp_synthesize_sba(NULL::t, 1, 1e-6, 20);

-- rows do not depend on how many workers drew them; a row of so many columns is worth sending
DO $$ BEGIN EXECUTE (SELECT 'CREATE TABLE wide (' || string_agg(format('c%s boolean NOT NULL', i), ', ') || ')' FROM generate_series(1, 30) i); END $$;
DO $$ BEGIN EXECUTE (SELECT 'INSERT INTO wide SELECT ' || string_agg(format('g %% %s = 0', i + 1), ', ') || ' FROM generate_series(1, 500) g' FROM generate_series(1, 30) i); END $$;
SELECT dp_protect('wide', 1000, 0.1), dp_grant('wide', 'regress_dp_07_analyst', 1000, 0.1);
SET SESSION AUTHORIZATION regress_dp_07_analyst;
SELECT dp_release('wide', 'sbhg', 1000, 1e-6) AS wide \gset
CREATE FUNCTION digest(id bigint) RETURNS text LANGUAGE sql
AS $$ SELECT md5(string_agg(s::text, ',')) || count(*) FROM dp_sample(NULL::t07.wide, id, 260000, 42) s $$;
SET dpsyn.max_parallel_workers = 0;
SELECT digest(:wide) AS alone \gset
SET dpsyn.max_parallel_workers = 2;
SELECT digest(:wide) = :'alone';
SET dpsyn.max_parallel_workers = 8;
SELECT digest(:wide) = :'alone';
SET dpsyn.max_parallel_workers = -1;
SET max_parallel_workers_per_gather = 0;
SELECT digest(:wide) = :'alone';
RESET max_parallel_workers_per_gather;
SET dpsyn.max_parallel_workers = 2;
BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY;
SELECT digest(:wide) = :'alone';
SAVEPOINT s;
SELECT digest(:wide) = :'alone';
COMMIT;
-- a draw that is given up leaves no worker
SET statement_timeout = '200ms';
\set VERBOSITY terse
SELECT count(*) FROM dp_sample(NULL::wide, :wide, 9000000000);
\set VERBOSITY default
RESET statement_timeout;
SELECT digest(:wide) = :'alone';
RESET dpsyn.max_parallel_workers;

RESET SESSION AUTHORIZATION;
DROP SCHEMA t07 CASCADE;
DROP ROLE regress_dp_07_owner, regress_dp_07_analyst;
