-- dp_baseline: rows that are not private. Seeds are given, so every result is the same in each run.
SET client_min_messages = warning;
\pset null NULL
\pset format unaligned
\set SHOW_CONTEXT never
CREATE SCHEMA t72;
SET search_path = t72, public;
-- b follows from a, c is half a by chance, gone was dropped, n has digits that a float8 has not
CREATE TABLE t ("A" text, gone int, b int, c boolean, n numeric, twice int GENERATED ALWAYS AS (b * 2) STORED);
ALTER TABLE t DROP COLUMN gone;
INSERT INTO t SELECT 'a' || i % 5, i % 5 * 100, i % 7 < 3, 1 + (i % 3) * 0.000000000000000000001
  FROM generate_series(1, 700) i;
INSERT INTO t SELECT NULL, NULL, NULL, NULL FROM generate_series(1, 70);
-- as many rows as the table has, all of them its rows
SELECT count(*), count(*) FILTER (WHERE d IS DISTINCT FROM NULL AND EXISTS
		   (SELECT FROM t WHERE t IS NOT DISTINCT FROM d)) AS original,
	   count(DISTINCT n), count("A") BETWEEN 600 AND 760 AS share
  FROM dp_baseline(NULL::t, 'empirical', seed => 1) d;
SELECT array_agg(a) = array_agg(b) AS same_seed
  FROM (SELECT row_number() OVER (), d.*::text AS a FROM dp_baseline(NULL::t, 'empirical', 50, seed => 1) d) x
  JOIN (SELECT row_number() OVER (), d.*::text AS b FROM dp_baseline(NULL::t, 'full_table', 50, seed => 1) d) y
 USING (row_number);
SELECT (SELECT array_agg(d.*::text) FROM dp_baseline(NULL::t, 'empirical', 50, seed => 1) d) <>
	   (SELECT array_agg(d.*::text) FROM dp_baseline(NULL::t, 'empirical', 50, seed => 2) d) AS other_seed,
	   (SELECT array_agg(d.*::text) FROM dp_baseline(NULL::t, 'empirical', 50) d) <>
	   (SELECT array_agg(d.*::text) FROM dp_baseline(NULL::t, 'empirical', 50) d) AS no_seed;
-- what holds between columns: by itself each column keeps nothing of it, and a parent all of it
SELECT method, kept > 0.999 AS all_kept, kept < 0.35 AS none_kept, kept_null
  FROM (SELECT 'marginal' AS method, avg((right("A", 1)::int * 100 = b)::int) AS kept,
			   bool_and(("A" IS NULL) = (b IS NULL)) AS kept_null
		  FROM dp_baseline(NULL::t, 'marginal', 5000, seed => 1)
		UNION ALL
		SELECT 'gibbs', avg((right("A", 1)::int * 100 = b)::int), bool_and(("A" IS NULL) = (b IS NULL))
		  FROM dp_baseline(NULL::t, 'gibbs', 5000, parents => 1, seed => 1)
		UNION ALL
		SELECT 'gibbs of all', avg((right("A", 1)::int * 100 = b)::int), bool_and(("A" IS NULL) = (b IS NULL))
		  FROM dp_baseline(NULL::t, 'gibbs', 5000, parents => 100, sweeps => 2, seed => 1)) m;
-- a regression with a small ridge knows nearly all
SELECT avg((right("A", 1)::int * 100 = b)::int) > 0.9 AS kept, avg(c::int) BETWEEN 0.35 AND 0.5 AS share
  FROM dp_baseline(NULL::t, 'multiple_imputation', 2000, seed => 1);
-- shares of a column are those of the table with every method
SELECT method, abs(avg(CASE WHEN c THEN 1 WHEN NOT c THEN 0 END) - 3 / 7.0) < 0.04 AS share
  FROM unnest('{empirical,marginal,gibbs}'::text[]) method,
	   LATERAL dp_baseline(NULL::t, method, 10000, seed => 3) GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM dp_baseline(NULL::t, 'gibbs', 0);
CREATE TABLE nothing (x int);
SELECT count(*) FROM dp_baseline(NULL::nothing, 'gibbs');
CREATE TABLE one AS SELECT 7 AS x;
SELECT * FROM dp_baseline(NULL::one, 'gibbs', 2) UNION SELECT * FROM dp_baseline(NULL::one, 'multiple_imputation', 2);
-- errors
SELECT * FROM dp_baseline(NULL::nothing, 'gibbs', 1);
SELECT * FROM dp_baseline(NULL::t, 'pegs');
SELECT * FROM dp_baseline(NULL::t, NULL);
SELECT * FROM dp_baseline(NULL::t, 'gibbs', -1);
SELECT * FROM dp_baseline(NULL::t, 'gibbs', parents => 0);
SELECT * FROM dp_baseline(NULL::t, 'gibbs', sweeps => NULL);
SELECT * FROM dp_baseline(1, 'gibbs');
CREATE TYPE pair AS (a int, b int);
SELECT * FROM dp_baseline(NULL::pair, 'gibbs');
CREATE TABLE keys AS SELECT i::text AS a, i::text AS b FROM generate_series(1, 3000) i;
SELECT * FROM dp_baseline(NULL::keys, 'multiple_imputation');
-- rights
CREATE ROLE regress_dp_72_reader;
GRANT USAGE ON SCHEMA t72 TO regress_dp_72_reader;
SET ROLE regress_dp_72_reader;
SELECT * FROM dp_baseline(NULL::t, 'marginal');
RESET ROLE;
GRANT SELECT ON t TO regress_dp_72_reader;
ALTER TABLE t ENABLE ROW LEVEL SECURITY;
CREATE POLICY rows_300 ON t TO regress_dp_72_reader USING (b = 300);
SET ROLE regress_dp_72_reader;
SELECT count(*), count(DISTINCT "A"), min(b) FROM dp_baseline(NULL::t, 'marginal');
RESET ROLE;
SET client_min_messages = error;
DROP SCHEMA t72 CASCADE;
DROP ROLE regress_dp_72_reader;
