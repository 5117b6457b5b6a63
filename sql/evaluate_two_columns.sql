-- dp_evaluate where the joint table of all columns is one of the pairs, or one of the sets of three: it is
-- counted once and told as both
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA evaluate_two_columns;
SET search_path = evaluate_two_columns, public;
SET extra_float_digits = -3;
SET client_min_messages = warning;

-- Rows in eighths, the original's beside twice the synthetic ones: a p 3 2, a q 1 2, b p 1 2, b q 3 2
CREATE TABLE original (x text, y text);
INSERT INTO original VALUES ('a', 'p'), ('a', 'p'), ('a', 'p'), ('a', 'q'), ('b', 'p'), ('b', 'q'), ('b', 'q'), ('b', 'q');
CREATE TABLE synthetic (y text, x text);
INSERT INTO synthetic VALUES ('p', 'a'), ('q', 'a'), ('p', 'b'), ('q', 'b');
-- Single columns are alike. The pair: tvd 4/16, linf 1/8, U 1/3 + 1 + 1 + 1/3 = 8/3.
-- Given x, and given y: 1/2 (1/4 + 1/4) + the same = 1/2.
-- Chi-square of the original 4 (3 - 2)^2 / 2 = 2, V = sqrt(2/8) = 1/2, and 0 of the synthetic rows; neither is
-- dependent, since P[chi-square of 1 degree >= 2] = 0.157
SELECT measure, columns, value, original, synthetic, detail FROM dp_evaluate('original', 'synthetic')
 WHERE measure NOT IN ('rows', 'columns', 'null_share', 'fidelity') ORDER BY measure, columns;
-- the probabilities themselves
SELECT measure, columns, value, round(original::numeric, 6), synthetic
  FROM dp_evaluate('original', 'synthetic', '{"each": true}') WHERE measure = 'chi_square' ORDER BY columns;
-- pairs are not looked at, and the joint table is a set of its own: the same U of it
SELECT measure, columns, value, detail FROM dp_evaluate('original', 'synthetic', '{"ways": 1}')
 WHERE measure ~ '^(tvd|linf|cramers|chi|cond|utility)' ORDER BY measure, columns;
-- there are no more than two columns, however many are asked for
SELECT count(*) FROM (
	SELECT w, array_agg((measure, columns, value, original, synthetic, detail)::text ORDER BY measure, columns) AS rows
	  FROM generate_series(2, 8) w, dp_evaluate('original', 'synthetic', jsonb_build_object('ways', w)) GROUP BY w) s
 GROUP BY rows;

-- One column: it is the joint table. 4/8 and 1/4 of a: tvd 1/4; U (4 - 2)^2/4 + (4 - 6)^2/4 = 2
CREATE TABLE one AS SELECT x FROM original;
CREATE TABLE other_one AS SELECT unnest('{a,b,b,b}'::text[]) AS x;
SELECT measure, columns, value, detail FROM dp_evaluate('one', 'other_one')
 WHERE measure ~ '^(tvd|linf|cramers|chi|cond|utility|marginal)' ORDER BY measure, columns;

-- Numbers of several types, and NULL as a level: the pairs of the original are 1 1, 2 3, 3 2, 9 NULL, NULL 7, each
-- once; the synthetic rows have 2 3 alone of them, among three: U 4 + (1 - 5/3)^2 = 40/9
CREATE TABLE points (x float8, y numeric);
INSERT INTO points VALUES (1, 1), (2, 3), (3, 2), (9, NULL), (NULL, 7);
CREATE TABLE other_points (y real, x bigint, z int);
INSERT INTO other_points VALUES (3, 2, 0), (1, 9, 0), (NULL, 1, 0);
SELECT measure, columns, value, detail FROM dp_evaluate('points', 'other_points')
 WHERE measure IN ('utility', 'tvd2', 'linf2') ORDER BY measure, columns;

-- Three columns: the same numbers whether the joint table is a set of three that is listed, or one of its own.
-- z follows from x and y, so U of all three is that of the pair, 8/3, and so is tvd, 1/4.
-- x and z: a t 3 2, a f 1 2, b f 4 4: tvd 1/8; y and z: p t 3 2, p f 1 2, q f 4 4: tvd 1/8
CREATE TABLE three AS SELECT x, y, x || y = 'ap' AS z FROM original;
CREATE TABLE other_three AS SELECT x, y, x || y = 'ap' AS z FROM synthetic;
SELECT w, measure, columns, value, detail
  FROM generate_series(1, 3) w, dp_evaluate('three', 'other_three', jsonb_build_object('ways', w, 'each', true))
 WHERE measure IN ('utility', 'tvd2', 'tvd3') AND columns IS NOT NULL ORDER BY w, measure, columns;

-- Tables of so many cells are hashed. Of 300 rows with x = y, half of the synthetic ones have another y: tvd 1/2,
-- U = 150, and rows drawn from 300 cells have 299
CREATE TABLE wide AS SELECT 'x' || i AS x, 'y' || i AS y FROM generate_series(1, 300) i;
CREATE TABLE other_wide AS SELECT 'x' || i AS x, 'y' || CASE WHEN i <= 150 THEN i ELSE 451 - i END AS y FROM generate_series(1, 300) i;
SELECT w, measure, columns, value, detail
  FROM generate_series(1, 2) w, dp_evaluate('wide', 'other_wide', jsonb_build_object('ways', w))
 WHERE measure IN ('utility', 'tvd2') AND (columns = '{x,y}' OR columns IS NULL) ORDER BY w, measure, columns;
-- with a third column that is the same in all rows: the joint table is one of its own, and then the listed one
CREATE TABLE wide_three AS SELECT *, true AS z FROM wide;
CREATE TABLE other_wide_three AS SELECT *, true AS z FROM other_wide;
SELECT w, measure, columns, value, detail
  FROM generate_series(2, 3) w, dp_evaluate('wide_three', 'other_wide_three', jsonb_build_object('ways', w))
 WHERE measure IN ('utility', 'tvd3') AND columns = '{x,y,z}' ORDER BY w, measure;

-- A joint table for which there is no memory is said to be left out once, and nothing is told of it
CREATE TABLE many AS SELECT 'x' || i % 400 AS x, 'y' || i / 50 AS y FROM generate_series(0, 19999) i;
CREATE TABLE other_many AS SELECT * FROM many;
SELECT measure, columns FROM dp_evaluate('many', 'other_many', '{"memory": "1MB"}')
 WHERE measure IN ('skipped', 'tvd2', 'cramers_v') OR measure = 'utility' AND columns = '{x,y}';
-- and where there is, it is told
SELECT measure, columns, value, detail FROM dp_evaluate('many', 'other_many', '{"memory": "100MB"}')
 WHERE measure IN ('skipped', 'tvd2') OR measure = 'utility' AND columns = '{x,y}';

DROP SCHEMA evaluate_two_columns CASCADE;
