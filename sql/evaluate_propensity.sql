-- SPECKS and pMSE, with numbers that were computed by hand.
SET client_min_messages = warning;
\pset null NULL
\pset format unaligned
\set SHOW_CONTEXT never
CREATE SCHEMA t71;
SET search_path = t71, public;
-- 6 a and 4 b beside 3 a and 7 b: the scores are 3/9 and 7/11, so SPECKS is 6/10 - 3/10, pMSE is
-- (9 (1/3 - 1/2)^2 + 11 (7/11 - 1/2)^2)/20, and its expectation 1/2 (1/2)^2 1/20
CREATE TABLE original (x text, n int);
INSERT INTO original SELECT CASE WHEN i <= 6 THEN 'a' ELSE 'b' END, 1 FROM generate_series(1, 10) i;
CREATE TABLE synthetic (n int, x text);
INSERT INTO synthetic SELECT 1, CASE WHEN i <= 3 THEN 'a' ELSE 'b' END FROM generate_series(1, 10) i;
SELECT measure, round(value::numeric, 4) AS value, null_expectation
  FROM dp_propensity('original', 'synthetic', '{"null_draws": 0}');
-- pairs see what main effects do not: the margins are the same
CREATE TABLE twins AS SELECT i % 2 AS a, i % 2 AS b FROM generate_series(1, 100) i;
CREATE TABLE strangers AS SELECT i % 2 AS a, i / 2 % 2 AS b FROM generate_series(1, 100) i;
SELECT round(m.value::numeric, 6) AS main, round(p.value::numeric, 6) AS pairs
  FROM dp_propensity('twins', 'strangers', '{"null_draws": 0}') m
  JOIN dp_propensity('twins', 'strangers', '{"null_draws": 0, "pairs": true}') p USING (measure)
 WHERE measure = 'specks';
-- the same rows
SELECT measure, round(value::numeric, 9) AS value FROM dp_propensity('twins', 'twins')
 WHERE measure IN ('specks', 'pmse');
-- the null is drawn by the seed, and is about the formula
CREATE TABLE many AS SELECT i % 3 AS a, i % 5 AS b, i % 7 * 1.5 AS c, NULLIF(i % 4, 0) AS d
  FROM generate_series(1, 2000) i;
SELECT a.null_expectation = b.null_expectation AS same_seed,
	   a.null_expectation <> c.null_expectation AS other_seed,
	   -- the mean of 40 chi-squares with 15 degrees of freedom: 1e-6 is 5 standard deviations
	   a.null_expectation / (0.5 * 0.25 * 15 / 4000) BETWEEN 0.7 AND 1.3 AS formula
  FROM dp_propensity('many', 'many', '{"null_draws": 40}') a
  JOIN dp_propensity('many', 'many', '{"null_draws": 40}') b USING (measure)
  JOIN dp_propensity('many', 'many', '{"null_draws": 40, "seed": 2}') c USING (measure)
 WHERE measure = 'pmse';
SELECT detail FROM dp_propensity('many', 'many', '{"bins": 3, "columns": ["a", "c"], "null_draws": 0}')
 WHERE measure = 'specks';
-- columns that only one table has are said
ALTER TABLE synthetic ADD COLUMN y int;
SELECT measure, value, detail FROM dp_propensity('original', 'synthetic') WHERE measure = 'skipped';
-- errors
SELECT dp_propensity('original', NULL);
SELECT dp_propensity('original', 'synthetic', '{"pears": true}');
SELECT dp_propensity('original', 'synthetic', '{"null_draws": -1}');
CREATE TABLE words AS SELECT i AS n, i::text AS x FROM generate_series(1, 300) i;
SELECT dp_propensity('words', 'words', '{"pairs": true, "bins": 200}');
-- rights
CREATE ROLE regress_dp_71_reader;
GRANT USAGE ON SCHEMA t71 TO regress_dp_71_reader;
GRANT SELECT ON synthetic TO regress_dp_71_reader;
SET ROLE regress_dp_71_reader;
SELECT dp_propensity('original', 'synthetic');
RESET ROLE;
SET client_min_messages = error;
DROP SCHEMA t71 CASCADE;
DROP ROLE regress_dp_71_reader;
