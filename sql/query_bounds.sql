-- How much of a unit counts: bounds that dp_query finds after its filter, and bounds that are given, in dp_query
-- and in SELECT alike. Given ones cost nothing.
\set VERBOSITY terse
\pset format unaligned
\pset footer off
CREATE SCHEMA query_bounds;
SET search_path = query_bounds, public;
SET client_min_messages = error;
CREATE TABLE call (person integer NOT NULL, kind text NOT NULL, minutes integer, note text);
-- 2,000 persons with one long and nine short calls each, and one with 100 of 1,000 minutes
INSERT INTO call SELECT i, CASE n WHEN 1 THEN 'long' ELSE 'short' END, CASE n WHEN 1 THEN 60 ELSE 2 END, CASE n WHEN 1 THEN 'x' ELSE 'y' END
  FROM generate_series(1, 2000) i, generate_series(1, 10) n;
INSERT INTO call SELECT 0, 'short', 1000, 'y' FROM generate_series(1, 100);
SELECT dp_protect('call', 1000, unit_column => 'person', max_rows_per_unit => 100);
SELECT dp_define_column('call', 'kind', categories => '{long,short}', complete => true);
SELECT dp_define_column('call', 'minutes', range => '{0,1000}');
SELECT dp_define_column('call', 'note', categories => '{x,y}');
-- rows are bounded after the filter: one of a person passes it, where 100 rows would have noise of 141
SELECT measure, abs(estimate - 2000) < 150 AS near, std_error < 50 AS narrow FROM dp_query('call', '{count(*)}', 1, filter => '{"kind": "long"}');
SELECT measure, abs(estimate - 2000) < 150 AS near, std_error < 50 AS narrow FROM dp_query('call', '{count(minutes)}', 1, filter => '{"minutes": [60, 61]}');
SELECT measure, abs(estimate - 2000) < 150 AS near, std_error < 50 AS narrow FROM dp_query('call', '{count(*)}', 1, filter => '{"note": "x"}');
-- so are sums: the one with 100,000 minutes is cut
SELECT measure, abs(estimate - 120000) < 40000 AS near, std_error < 8000 AS narrow FROM dp_query('call', '{sum(minutes)}', 1, filter => '{"kind": "long"}');
SELECT measure, estimate BETWEEN 100000 AND 240000 AS near, std_error < 8000 AS narrow FROM dp_query('call', '{sum(minutes)}', 1);
SELECT cell->>'kind' AS kind, estimate BETWEEN -60000 AND 190000 AS near, std_error < 8000 AS narrow FROM dp_query('call', '{sum(minutes)}', 1, by => '{kind}');
-- the same where rows are not kept in memory
ALTER DATABASE :DBNAME SET dpsyn.row_memory = 0;
\c -
SET search_path = query_bounds, public;
SET client_min_messages = error;
SELECT measure, abs(estimate - 2000) < 150 AS near, std_error < 50 AS narrow FROM dp_query('call', '{count(*)}', 1, filter => '{"kind": "long"}');
SELECT measure, abs(estimate - 120000) < 40000 AS near, std_error < 8000 AS narrow FROM dp_query('call', '{sum(minutes)}', 1, filter => '{"kind": "long"}');
SELECT round(std_error::numeric, 2) FROM dp_query('call', '{count(*)}', 1, max_rows_per_unit => 3);
ALTER DATABASE :DBNAME RESET dpsyn.row_memory;
\c -
SET search_path = query_bounds, public;
SET client_min_messages = error;
-- a given number of rows: all of epsilon is for the count, with the noise of so many rows
CREATE FUNCTION exact_noise(rows float8, epsilon float8 DEFAULT 1) RETURNS numeric LANGUAGE sql AS $$
	SELECT round((sqrt(2 * exp(-$2 / $1)) / (1 - exp(-$2 / $1)))::numeric, 2) $$;
SELECT rows, round(std_error::numeric, 2) = exact_noise(rows) AS as_given
  FROM unnest('{1,3,7}'::int[]) rows, dp_query('call', '{count(*)}', 1, max_rows_per_unit => rows);
SELECT abs(estimate - 3 * 2001) < 100 AS near FROM dp_query('call', '{count(*)}', 1, max_rows_per_unit => 3);
-- never more than the relation allows
SELECT round(std_error::numeric, 1) = round(exact_noise(100), 1) AS as_declared FROM dp_query('call', '{count(*)}', 1, max_rows_per_unit => 1000);
-- a given sum: the noise is that of the sum, not of the range, and it needs no bound of rows
SELECT round(std_error::numeric) AS noise, abs(estimate - 2000 * 78 - 100) < 1000 AS near FROM dp_query('call', '{sum(minutes)}', 1, max_sum_per_unit => 100);
SELECT round(std_error::numeric) AS noise, abs(estimate - 2000 * 39 - 39) < 1000 AS near FROM dp_query('call', '{sum(minutes)}', 1, max_sum_per_unit => 39);
SELECT round(sum(std_error)::numeric) AS noise, abs(sum(estimate) - 2000 * 39 - 39) < 1000 AS near
  FROM dp_query('call', '{sum(minutes)}', 1, by => '{kind}', max_sum_per_unit => 39);
-- the rows of a count beside it are found, or given
SELECT measure, round(std_error::numeric) AS noise FROM dp_query('call', '{count(*),sum(minutes)}', 1, max_rows_per_unit => 10, max_sum_per_unit => 100);
SELECT stage FROM dp_explain('call', 'query', 1, options => '{"measures": ["count(*)", "sum(minutes)"], "max_sum_per_unit": 100}');
SELECT stage FROM dp_explain('call', 'query', 1, options => '{"measures": ["count(*)", "sum(minutes)"], "max_rows_per_unit": 100}');
SELECT stage FROM dp_explain('call', 'query', 1, options => '{"measures": ["count(*)", "sum(minutes)"]}');
-- in SELECT
CREATE ROLE query_bounds_analyst;
GRANT USAGE ON SCHEMA query_bounds TO query_bounds_analyst;
SELECT dp_grant('call', 'query_bounds_analyst', 1000);
SET ROLE query_bounds_analyst;
SELECT dp_private_queries(epsilon => 1, max_rows_per_unit => 3, max_sum_per_unit => 100);
SELECT round(dp_std_error(count(*))::numeric, 2) = query_bounds.exact_noise(3) AS as_given FROM call;
SELECT round(dp_std_error(sum(minutes))::numeric) AS noise, sum(minutes) BETWEEN 40000 AND 53000 AS of_three_rows FROM call;
SELECT kind, round(dp_std_error(sum(minutes))::numeric) AS noise FROM call GROUP BY kind ORDER BY kind;
EXPLAIN (COSTS OFF) SELECT sum(minutes) FROM call WHERE kind = 'long';
-- without them it is another question
SELECT count(*) AS debits FROM dp_ledger WHERE relation_name ~ 'call' \gset
SELECT round(dp_std_error(count(*))::numeric, 2) = query_bounds.exact_noise(3) AS as_given FROM call;
SELECT dp_private_queries(epsilon => 1);
SELECT dp_std_error(count(*)) < 60 AS found FROM call;
SELECT count(*) - :debits AS debits FROM dp_ledger WHERE relation_name ~ 'call';
SELECT n.value->>'std_error' = round((n.value->>'std_error')::numeric)::text AS odd, round((n.value->>'std_error')::numeric, 2) = query_bounds.exact_noise(7) AS as_given
  FROM dp_sql_json('SELECT count(*) FROM call', 1, max_rows_per_unit => 7) row, jsonb_each(row) n;
SELECT n BETWEEN 155000 AND 157000 AS near FROM dp_sql('SELECT sum(minutes) FROM call', 1, max_sum_per_unit => 100) AS (n bigint);
-- what is no bound is known before anything is spent
SELECT dp_private_queries(epsilon => 1, max_rows_per_unit => 0);
SELECT dp_private_queries(epsilon => 1, max_sum_per_unit => 'NaN');
SELECT * FROM dp_sql('SELECT sum(minutes) FROM call', 1, max_sum_per_unit => -1) AS (n bigint);
SET dpsyn.query_max_rows_per_unit = -1;
RESET ROLE;
SELECT * FROM dp_query('call', '{count(*)}', 1, max_rows_per_unit => 0);
SELECT * FROM dp_query('call', '{count(*)}', 1, max_sum_per_unit => 'Infinity');
SELECT count(*) FROM dp_explain('call', 'query', 1, options => '{"measures": ["count(*)"], "max_rows_per_unit": "many"}');
-- rows that are units themselves have nothing to bound
CREATE TABLE alone (n integer NOT NULL);
INSERT INTO alone SELECT i FROM generate_series(1, 100) i;
SELECT dp_protect('alone', 1000);
SELECT dp_define_column('alone', 'n', range => '{0,100}');
SELECT round(std_error::numeric, 2) = exact_noise(1) AS as_it_is FROM dp_query('alone', '{count(*)}', 1, max_rows_per_unit => 5, max_sum_per_unit => 1);
SELECT abs(estimate - 5050) < 1000 AS near FROM dp_query('alone', '{sum(n)}', 10, max_sum_per_unit => 1);
DROP SCHEMA query_bounds CASCADE;
DROP ROLE query_bounds_analyst;
