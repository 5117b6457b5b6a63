-- dp_evaluate against numbers that were worked out by hand
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t67;
SET search_path = t67, public;

CREATE TABLE original (sex text, smoker text, age int);
INSERT INTO original VALUES
	('f', 'yes', 20), ('f', 'yes', 20), ('f', 'no', 30), ('f', 'no', 30), ('f', 'no', 40), ('f', 'no', NULL),
	('m', 'yes', 30), ('m', 'yes', 40), ('m', 'yes', 40), ('m', 'yes', 50), ('m', 'no', 50), ('m', 'no', 60);
CREATE TABLE synthetic (age int, sex text, smoker text);
INSERT INTO synthetic VALUES
	(20, 'f', 'yes'), (40, 'f', 'no'), (30, 'm', 'yes'), (50, 'm', 'yes'), (50, 'm', 'no'), (60, 'm', NULL);

-- Rows in twelfths, the original's beside twice the synthetic ones:
--   sex     f 6 4, m 6 8
--   smoker  no 6 4, yes 6 6, NULL 0 2
--   age     20 2 2, 30 3 2, 40 3 2, 50 2 4, 60 1 2, NULL 1 0
CREATE TABLE found AS SELECT * FROM dp_evaluate('original', 'synthetic', '{"each": true}');
CREATE FUNCTION found(VARIADIC wanted text[]) RETURNS TABLE (measure text, columns name[], value numeric, original numeric, synthetic numeric)
	BEGIN ATOMIC
		SELECT f.measure, f.columns, round(f.value::numeric, 9), round(f.original::numeric, 9), round(f.synthetic::numeric, 9)
		  FROM t67.found f WHERE f.measure = ANY (wanted) ORDER BY f.measure, f.columns NULLS FIRST;
	END;
SELECT * FROM found('rows');

-- Total variation: sex (2 + 2)/24 = 1/6; smoker (2 + 2)/24 = 1/6; age (1 + 1 + 2 + 1 + 1)/24 = 1/4; mean 7/36
-- sex and smoker: f no 4 2, f yes 2 2, m no 2 2, m yes 4 4, m NULL 0 2: 4/24 = 1/6
-- sex and age: f 20 2 2, f 30 2 0, f 40 1 2, f NULL 1 0, m 30 1 2, m 40 2 0, m 50 2 4, m 60 1 2: 10/24 = 5/12
-- smoker and age: no 30 2 0, no 40 1 2, no 50 1 2, no 60 1 0, no NULL 1 0, yes 20 2 2, yes 30 1 2,
--   yes 40 2 0, yes 50 1 2, NULL 60 0 2: 12/24 = 1/2; mean 13/36
-- all three: f no 30 2 0, f no 40 1 2, f no NULL 1 0, f yes 20 2 2, m no 50 1 2, m no 60 1 0,
--   m yes 30 1 2, m yes 40 2 0, m yes 50 1 2, m NULL 60 0 2: 12/24 = 1/2
SELECT * FROM found('tvd1', 'tvd2', 'tvd3');
-- the largest difference of shares: 2/12 everywhere
SELECT * FROM found('linf1', 'linf2', 'linf3');
-- Levels that both have: smoker 12/12 and 10/12, age 11/12 and 12/12
SELECT * FROM found('fidelity');
-- U: sex 4/6 + 4/6 = 4/3; smoker 4/6 + 0 = 2/3; age 0 + 1/3 + 1/3 + 4/2 + 1 + 1 = 14/3;
-- all three: 4/2 + 1 + 1 + 0 + 1 + 1 + 1 + 4/2 + 1 = 10
SELECT * FROM found('utility');
SELECT columns, detail FROM found WHERE measure = 'utility' AND columns = '{sex,smoker,age}';
-- twice the mean of tvd1: 7/18
SELECT * FROM found('marginal_distance');
-- Given sex: smoker f |1/3 - 1/2| + |2/3 - 1/2| = 1/3, m 1/6 + 1/12 + 1/4 = 1/2: mean 5/12
--            age f 1/6 + 1/3 + 1/3 + 1/6 = 1, m 1/12 + 1/3 + 1/6 + 1/12 = 2/3: mean 5/6; of both 5/8
-- Given smoker: sex yes 0, no 1/3: 1/6; age yes 2/3, no 4/3: 1; of both 7/12
-- Given age: sex 30 4/3, 40 4/3, NULL 2 (no synthetic row): (4 + 4 + 2)/12 = 5/6
--            smoker 30 4/3, 40 4/3, 60 2, NULL 2: (4 + 4 + 2 + 2)/12 = 1; of both 11/12
-- mean 17/24
SELECT * FROM found('conditional_distance');
-- sex and smoker: 12 (2 2 - 4 4)^2/6^4 = 4/3, V = sqrt(4/3/12) = 1/3;
--   synthetic: expected 1 2/3 1/3, 2 4/3 2/3: 1/6 + 1/3 + 1/12 + 1/6 = 3/4, V = sqrt(3/4/6) = 0.353553391
-- sex and age, original: f 2 2 1 0 0 1, m 0 1 2 2 1 0, expected halves 1 1.5 1.5 1 .5 .5: 2 (1 + 1/6 + 1/6 + 1 + .5 + .5) = 20/3, V = sqrt(20/3/12) = 0.745355992
--   synthetic: f 1 0 1 0 0, m 0 1 0 2 1, expected 1/3 1/3 1/3 2/3 1/3 and twice that:
--   (4/3 + 1/3 + 4/3 + 2/3 + 1/3) + (2/3 + 1/6 + 2/3 + 1/3 + 1/6) = 6, V = 1
SELECT * FROM found('cramers_v') WHERE columns IS NULL OR columns IN ('{sex,smoker}', '{sex,age}');
-- P[chi-square of 1 degree >= 4/3] = 0.248213, of 2 degrees >= 3/4 = exp(-3/8) = 0.687289279; nothing is dependent at 0.05
SELECT * FROM found('chi_square') WHERE columns IS NULL OR columns = '{sex,smoker}';
-- at a level of one half the original's dependence is found, and the synthetic rows' is not
SELECT value, original, synthetic, detail FROM dp_evaluate('original', 'synthetic', '{"columns": ["sex", "smoker"], "level": 0.5}')
 WHERE measure = 'chi_square';
-- Ages: mean 410/11 and 250/6; sum of squares 16900 - 410^2/11 over 10, 11500 - 250^2/6 over 5;
-- quartiles 30 40 45 and 32.5 45 50; between 20, 30, 40, 50 and 60 the cumulated shares differ by
-- 1/66 8/66 15/66 5/66: Wasserstein 290/66
SELECT * FROM found('null_share', 'mean', 'sd', 'q1', 'median', 'q3', 'wasserstein1');
-- without "each", the worst set of each size and the mean
SELECT measure, columns, round(value::numeric, 9), detail FROM dp_evaluate('original', 'synthetic') WHERE measure LIKE 'tvd%';

-- 9 cells of 2 x 3 x 6 (smoker and age have NULL) are 1/4: 7/36, 13/36 and 1/2 of distance become 7/144, 13/144 and 1/8, and
-- 1/6 becomes 1/24
SELECT measure, columns, round(value::numeric, 9), original, synthetic, detail
  FROM dp_evaluate('original', 'synthetic', '{"cost": 9}') WHERE measure LIKE '%cost';
SELECT count(*) FROM found WHERE measure LIKE '%cost';
SELECT dp_evaluate('original', 'synthetic', '{"cost": 0}');

-- Correlations of the rows that have both: original (1,1) (2,3) (3,2): sums of squares 2 2, of products 1: 1/2;
-- synthetic (1,2) (2,4), and rows in which one is missing: 1
CREATE TABLE points (x float8, y numeric);
INSERT INTO points VALUES (1, 1), (2, 3), (3, 2), (9, NULL), (NULL, -7);
CREATE TABLE other_points (y real, x bigint, z int);
INSERT INTO other_points VALUES (2, 1, 0), (4, 2, 0), (NULL, 5, 0);
SELECT measure, columns, round(value::numeric, 9), round(original::numeric, 9), round(synthetic::numeric, 9), detail
  FROM dp_evaluate('points', 'other_points') WHERE measure IN ('correlation', 'skipped');

-- Sets are drawn where there are more than "sample": of 10 triples of 5 columns 4, the same for the same seed
CREATE TABLE wide AS SELECT i % 2 AS a, i % 3 AS b, i % 4 AS c, i % 5 AS d, i % 6 AS e FROM generate_series(1, 60) i;
SET client_min_messages = warning; -- a table is compared with itself
SELECT count(*) FILTER (WHERE measure = 'tvd3' AND columns IS NOT NULL), count(*) FILTER (WHERE measure = 'tvd2' AND columns IS NOT NULL),
	   max(detail) FILTER (WHERE measure = 'tvd3' AND columns IS NULL), max(value) FILTER (WHERE measure LIKE 'tvd%')
  FROM dp_evaluate('wide', 'wide', '{"each": true, "sample": 4, "seed": 7}');
SELECT count(DISTINCT columns) BETWEEN 5 AND 10 FROM generate_series(1, 20) seed,
	   LATERAL dp_evaluate('wide', 'wide', format('{"each": true, "sample": 4, "seed": %s}', seed)::jsonb)
 WHERE measure = 'tvd3' AND columns IS NOT NULL;
SELECT array_agg(measure || ' ' || detail ORDER BY measure) FROM dp_evaluate('wide', 'wide', '{"ways": 5, "columns": ["a", "b", "c", "d", "e"]}')
 WHERE measure LIKE 'tvd%' AND columns IS NULL;

\set VERBOSITY terse
SET client_min_messages = warning;
DROP SCHEMA t67 CASCADE;
