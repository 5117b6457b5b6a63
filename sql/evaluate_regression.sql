-- One regression of original and synthetic rows, with numbers that were computed by hand.
SET client_min_messages = warning;
CREATE SCHEMA t70;
SET search_path = t70, public;
\pset null NULL
\pset format unaligned
\set SHOW_CONTEXT never

-- ---- a line: S_xx = 5 and S_xy = 7, so slope 1.4, RSS 4.2, s^2 = 2.1 -------------------------
CREATE TABLE line (x int, y numeric);
INSERT INTO line VALUES (1, 1), (2, 3), (3, 2), (4, 6), (NULL, 7), (5, NULL), (6, 'NaN');
-- the columns in another order and of other types: slope 7/5 with y one higher
CREATE TABLE line_synthetic (y real, z text, x float8);
INSERT INTO line_synthetic VALUES (2, 'a', 1), (4, 'b', 2), (3, 'a', 3), (7, NULL, 4);
SELECT term, reference, original_estimate = synthetic_estimate - bias AS sums,
	   round(original_estimate::numeric, 12) AS original, round(bias::numeric, 12) AS bias,
	   original_std_error::numeric(14, 12), synthetic_std_error::numeric(14, 12), same_sign, sss, note
  FROM dp_compare_regression('line', 'line_synthetic', 'y', '{x}');
-- the errors by hand, p by Student's t with 2 degrees of freedom: P = 1 - t/sqrt(2 + t^2)
SELECT abs(original_std_error - sqrt(2.1 / 5)) < 1e-12 AS error,
	   abs(original_p - (1 - (1.4 / sqrt(0.42)) / sqrt(2 + 1.96 / 0.42))) < 1e-12 AS p
  FROM dp_compare_regression('line', 'line_synthetic', 'y', '{x}') WHERE term = 'x';
SELECT abs(original_std_error - sqrt(2.1 * (1 / 4.0 + 6.25 / 5))) < 1e-12 AS error, overlap < 1 AS moved
  FROM dp_compare_regression('line', 'line_synthetic', 'y', '{x}') WHERE term = '(intercept)';
-- intervals of equal width w that are 1 apart have (w - 1)/w in common; t is 4.302652729911275
SELECT abs(overlap - (1 - 1 / (2 * 4.302652729911275 * original_std_error))) < 1e-9 AS overlap
  FROM dp_compare_regression('line', 'line_synthetic', 'y', '{x}') WHERE term = '(intercept)';
SELECT DISTINCT original_rows, original_dropped, synthetic_rows, synthetic_dropped
  FROM dp_compare_regression('line', 'line_synthetic', 'y', '{x}');
-- a wider interval at a higher confidence
SELECT a.overlap < b.overlap AS wider
  FROM dp_compare_regression('line', 'line_synthetic', 'y', '{x}') a
  JOIN dp_compare_regression('line', 'line_synthetic', 'y', '{x}', confidence => 0.99) b USING (term)
 WHERE term = '(intercept)';

-- ---- two groups: the coefficient is the log odds ratio, its variance 1/a + 1/b + 1/c + 1/d ----
CREATE TYPE size AS ENUM ('small', 'big', 'huge');
CREATE TABLE people ("Group" text, size size, ill boolean, shoe int);
INSERT INTO people SELECT 'a', 'small', i <= 4, 40 FROM generate_series(1, 6) i;
INSERT INTO people SELECT 'b', 'big', i <= 1, 41 FROM generate_series(1, 6) i;
CREATE TABLE people_synthetic ("Group" text, size size, ill boolean, shoe numeric(4, 1));
INSERT INTO people_synthetic SELECT 'a', 'small', i <= 3, 40 FROM generate_series(1, 7) i;
INSERT INTO people_synthetic SELECT 'b', 'big', i <= 2, 41 FROM generate_series(1, 5) i;
SELECT term, reference, abs(original_estimate - CASE term WHEN '(intercept)' THEN ln(2)
		   ELSE ln(1 / 5.0) - ln(2) END) < 1e-12 AS original,
	   abs(original_std_error - CASE term WHEN '(intercept)' THEN sqrt(1 / 4.0 + 1 / 2.0)
		   ELSE sqrt(1 / 4.0 + 1 / 2.0 + 1 + 1 / 5.0) END) < 1e-12 AS error,
	   abs(synthetic_estimate - CASE term WHEN '(intercept)' THEN ln(3 / 4.0)
		   ELSE ln(2 / 3.0) - ln(3 / 4.0) END) < 1e-12 AS synthetic,
	   abs(bias - (synthetic_estimate - original_estimate)) < 1e-15 AS bias, same_sign,
	   same_significance, sss
  FROM dp_compare_regression('people', 'people_synthetic', 'ill', '{Group}');
-- 40 and 41 as categories are the same groups, also where they are written as 40.0
SELECT term, reference, round(original_estimate::numeric, 6) AS original, note
  FROM dp_compare_regression('people', 'people_synthetic', 'ill', '{shoe}', family => 'logistic',
							 categorical => '{shoe}');
-- the other outcome turns all signs
SELECT term, round(original_estimate::numeric, 6) AS original
  FROM dp_compare_regression('people', 'people_synthetic', 'ill', '{size}', event => 'false');
-- dates are days: the same as their numbers
CREATE VIEW dated AS SELECT date '2020-02-01' + x AS day, y FROM line;
SELECT term, round(original_estimate::numeric, 9) AS original
  FROM dp_compare_regression('dated', 'dated', 'y', '{day}') WHERE term = 'day';
-- a number with two values as the outcome of a logistic model
SELECT term, reference, round(original_estimate::numeric, 6) AS original
  FROM dp_compare_regression('people', 'people_synthetic', 'shoe', '{ill}', 'logistic');

-- ---- what cannot be estimated is said ---------------------------------------------------------
-- Group and size say the same, so size is left out of both models; huge is only in one table
INSERT INTO people_synthetic VALUES ('b', 'huge', true, 41), ('b', 'huge', false, 41);
SELECT term, reference, original_estimate IS NULL AS no_original,
	   synthetic_estimate IS NULL AS no_synthetic, note
  FROM dp_compare_regression('people', 'people_synthetic', 'ill', '{Group,size}');
-- all of c are ill, so nothing finite can be said of c; the others are as without c
INSERT INTO people SELECT 'c', 'big', true, 42 FROM generate_series(1, 3);
SELECT term, round(original_estimate::numeric, 6) AS original,
	   round(original_std_error::numeric, 6) AS error, note
  FROM dp_compare_regression('people', 'people_synthetic', 'ill', '{Group}');
-- where the reference level is separated, so are all levels and the intercept, but no other column
CREATE TABLE flat AS SELECT g, x, (g = 'a' OR (x * 7 + i) % 3 = 0) AS y
  FROM unnest('{a,b,c}'::text[]) g, generate_series(1, 5) x, generate_series(1, 4) i;
SELECT term, original_estimate IS NULL AS none, left(note, 19) AS note
  FROM dp_compare_regression('flat', 'flat', 'y', '{g,x}');
CREATE VIEW flat_without_a AS SELECT * FROM flat WHERE g <> 'a';
SELECT abs(a.original_estimate - b.original_estimate) < 1e-9 AS estimate,
	   abs(a.original_std_error - b.original_std_error) < 1e-9 AS error
  FROM dp_compare_regression('flat', 'flat', 'y', '{g,x}') a
  JOIN dp_compare_regression('flat_without_a', 'flat', 'y', '{g,x}') b USING (term)
 WHERE term = 'x';
-- a column with one value
CREATE VIEW line_one AS SELECT *, 7 AS one FROM line;
SELECT term, round(original_estimate::numeric, 9) AS original, note
  FROM dp_compare_regression('line_one', 'line_one', 'y', '{one,x}');
-- synthetic rows without any estimate
CREATE TABLE constant AS SELECT "Group", size, true AS ill, shoe FROM people;
SELECT term, original_estimate IS NULL AS no_original, synthetic_estimate, sss, note
  FROM dp_compare_regression('people', 'constant', 'ill', '{size}');
CREATE TABLE nothing (LIKE people);
SELECT term, synthetic_estimate, synthetic_rows, note
  FROM dp_compare_regression('people', 'nothing', 'ill', '{shoe}');
CREATE TABLE told AS SELECT "Group", size, shoe = 40 AS ill, shoe FROM people;
SELECT term, synthetic_estimate, note FROM dp_compare_regression('people', 'told', 'ill', '{shoe}');
CREATE TABLE few AS SELECT * FROM people_synthetic LIMIT 1;
INSERT INTO few VALUES ('b', 'big', true, 41);
SELECT term, synthetic_estimate, note FROM dp_compare_regression('people', 'few', 'shoe', '{Group}');
CREATE TABLE strangers AS SELECT 'z' || "Group" AS "Group", ill, shoe FROM people;
SELECT term, original_estimate IS NULL AS no_original, synthetic_estimate, note
  FROM dp_compare_regression('people', 'strangers', 'ill', '{Group,shoe}');
-- the same of the original is an error
SELECT * FROM dp_compare_regression('constant', 'people', 'ill', '{size}');
SELECT * FROM dp_compare_regression('told', 'people', 'ill', '{shoe}');
SELECT * FROM dp_compare_regression('nothing', 'people', 'ill', '{shoe}');
SELECT * FROM dp_compare_regression('few', 'people', 'shoe', '{Group}');

-- ---- several sets -----------------------------------------------------------------------------
CREATE TABLE line_2 AS SELECT x, y + x / 10.0 AS y FROM line;
SELECT c.term, abs(c.synthetic_estimate - e.estimate) < 1e-12 AS estimate,
	   abs(c.synthetic_std_error - e.standard_error) < 1e-12 AS error, c.synthetic_rows, c.note
  FROM dp_compare_regression('line', '{line_synthetic,line_2}', 'y', '{x}') c
  JOIN dp_compare_regression('line', 'line_synthetic', 'y', '{x}') a USING (term)
  JOIN dp_compare_regression('line', 'line_2', 'y', '{x}') b USING (term),
	   dp_combine_estimates(ARRAY[a.synthetic_estimate, b.synthetic_estimate],
							ARRAY[a.synthetic_std_error, b.synthetic_std_error]) e;
SELECT c.term, abs(c.synthetic_std_error - e.standard_error) < 1e-12 AS error
  FROM dp_compare_regression('line', '{line_synthetic,line_2}', 'y', '{x}',
								  rule => 'fully_synthetic') c
  JOIN dp_compare_regression('line', 'line_synthetic', 'y', '{x}') a USING (term)
  JOIN dp_compare_regression('line', 'line_2', 'y', '{x}') b USING (term),
	   dp_combine_estimates(ARRAY[a.synthetic_estimate, b.synthetic_estimate],
							ARRAY[a.synthetic_std_error, b.synthetic_std_error],
							rule => 'fully_synthetic') e;
SELECT term, synthetic_estimate, note
  FROM dp_compare_regression('people', '{people_synthetic,constant,constant}', 'ill', '{size}');
SELECT count(*) FROM dp_compare_regression('line', '{line_2}', 'y', '{x}') a JOIN dp_compare_regression('line'::regclass, 'line_2'::regclass, 'y', '{x}') b ON a::text = b::text;
SELECT dp_compare_regression('line', '{}', 'y', '{x}');
SELECT dp_compare_regression('line', '{line_2,NULL}', 'y', '{x}');
SELECT dp_compare_regression('line', '{line_2,line_2}', 'y', '{x}', rule => 'best');

-- ---- errors ------------------------------------------------------------------------------------
SELECT dp_compare_regression('line', 'line_synthetic', 'y', '{}');
SELECT dp_compare_regression('line', 'line_synthetic', 'y', '{y}');
SELECT dp_compare_regression('line', 'line_synthetic', 'y', '{x,x}');
SELECT dp_compare_regression('line', 'line_synthetic', 'y', '{z}');
SELECT dp_compare_regression('line_synthetic', 'line', 'y', '{x,z}');
SELECT dp_compare_regression('line', 'line_synthetic', NULL, '{x}');
SELECT dp_compare_regression('line', 'line_synthetic', 'y', '{x}', 'poisson');
SELECT dp_compare_regression('line', 'line_synthetic', 'y', '{x}', confidence => 1);
SELECT dp_compare_regression('line', 'line_synthetic', 'y', '{x}', categorical => '{z}');
SELECT dp_compare_regression('line', 'line_synthetic', 'y', '{x}', 'linear', event => '1');
SELECT dp_compare_regression('line', 'line_synthetic', 'y', '{x}', 'logistic');
SELECT dp_compare_regression('people', 'people_synthetic', 'ill', '{shoe}', 'linear');
SELECT dp_compare_regression('people', 'people_synthetic', 'ill', '{shoe}', event => 'perhaps');
CREATE TABLE worded AS SELECT x::text, y FROM line;
SELECT dp_compare_regression('line', 'worded', 'y', '{x}');
CREATE TABLE many AS SELECT i::text AS x, i AS y FROM generate_series(1, 2002) i;
SELECT dp_compare_regression('many', 'many', 'y', '{x}');

-- ---- rights: the caller's, and nothing else ----------------------------------------------------
CREATE ROLE regress_dp_70_reader;
GRANT USAGE ON SCHEMA t70 TO regress_dp_70_reader;
GRANT SELECT ON line_synthetic, people_synthetic TO regress_dp_70_reader;
GRANT SELECT ("Group", ill) ON people TO regress_dp_70_reader;
CREATE POLICY small ON line TO regress_dp_70_reader USING (x <= 3 OR x IS NULL);
SET ROLE regress_dp_70_reader;
SELECT dp_compare_regression('line', 'line_synthetic', 'y', '{x}');
SELECT dp_compare_regression('people', 'people_synthetic', 'ill', '{size}');
SELECT count(*) FROM dp_compare_regression('people', 'people_synthetic', 'ill', '{Group}');
RESET ROLE;
GRANT SELECT ON line TO regress_dp_70_reader;
ALTER TABLE line ENABLE ROW LEVEL SECURITY;
SET ROLE regress_dp_70_reader;
SELECT DISTINCT original_rows FROM dp_compare_regression('line', 'line_synthetic', 'y', '{x}');
RESET ROLE;
-- functions and operators of the caller's schemas stay out of it
CREATE FUNCTION t70.count() RETURNS bigint LANGUAGE sql AS 'SELECT 1000::bigint';
SET search_path = t70, pg_catalog, public;
SELECT DISTINCT original_rows FROM dp_compare_regression('line', 'line_synthetic', 'y', '{x}');

SET client_min_messages = error;
DROP SCHEMA t70 CASCADE;
DROP ROLE regress_dp_70_reader;
