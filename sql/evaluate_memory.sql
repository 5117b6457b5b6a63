-- nothing is left out in silence: numbers and times of more values than fit memory are rounded, and what is skipped is said first
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t_memory;
SET search_path = t_memory, public;
SELECT setseed(0.5);
CREATE TABLE measured AS SELECT i::bigint AS n, random() f1, random() * 100 f2, (random() * 1e9)::bigint n1, timestamp '2024-01-01' + random() * interval '900 days' t1, CASE WHEN i % 3 = 0 THEN 0 ELSE exp(random()) END z,
	CASE i WHEN 7 THEN 'Infinity' WHEN 8 THEN 'NaN' WHEN 9 THEN 1e300 ELSE random() END odd, i % 3 k FROM generate_series(1, 60000) i;
CREATE TABLE negated AS SELECT n, -f1 f1, -f2 f2, -n1 n1, t1 - interval '10 years' t1, -z z, odd, k FROM measured;
CREATE TABLE shuffled AS SELECT * FROM measured ORDER BY random();
-- with the least memory all columns are compared, and the means are of all
SELECT columns, round(value::numeric, 2) FROM dp_evaluate('measured', 'negated', '{"ways": 1, "each": true, "memory": "2MB"}') WHERE measure = 'tvd1' ORDER BY columns;
SELECT columns, value < 0.02 FROM dp_evaluate('measured', 'shuffled', '{"ways": 1, "each": true, "memory": "2MB"}') WHERE measure = 'tvd1' ORDER BY columns;
-- the order of rows, and what memory there is, move statistics by little
SELECT a.measure, a.columns FROM dp_evaluate('measured', 'negated', '{"ways": 1, "memory": "2MB"}') a JOIN dp_evaluate('measured', 'negated', '{"ways": 1, "memory": "256MB"}') b USING (measure, columns)
 WHERE a.measure IN ('mean', 'sd', 'q1', 'median', 'q3') AND NOT a.columns = '{odd}' AND (abs(a.original - b.original) > 0.06 * (SELECT max(sd.original) FROM dp_evaluate('measured', 'negated', '{"ways": 1, "memory": "256MB"}') sd
	WHERE sd.measure = 'sd' AND sd.columns = a.columns) OR abs(a.synthetic - b.synthetic) > 0.06 * (SELECT max(sd.synthetic) FROM dp_evaluate('measured', 'negated', '{"ways": 1, "memory": "256MB"}') sd WHERE sd.measure = 'sd' AND sd.columns = a.columns));
-- texts are not rounded: what is left out is a NOTICE, and no mean is without saying so
ALTER TABLE measured ADD word text;
ALTER TABLE shuffled ADD word text;
UPDATE measured SET word = md5(n::text);
UPDATE shuffled SET word = md5(n::text);
\set VERBOSITY terse
SELECT measure, columns, regexp_replace(detail, '\d{4,}', 'N', 'g') FROM dp_evaluate('measured', 'shuffled', '{"ways": 2, "memory": "2MB", "columns": ["k", "word", "f1"]}') WHERE measure = 'skipped' OR detail ~ 'mean|average';
-- the page says it before any figure, and takes the options of dp_evaluate
SELECT position('Not all columns are compared' IN page) BETWEEN 1 AND position('<ul class="tiles">' IN page), position('Left out: word' IN page) > 0
  FROM dp_report('measured', 'shuffled', '{"columns": ["k", "word", "f1"], "memory": "2MB", "bins": 5, "seed": 3, "sample": 10, "level": 0.01}') page;
SELECT dp_report('measured', 'shuffled', '{"columns": ["no"]}');
SELECT dp_report('measured', 'shuffled', '{"memory": "much"}');
SELECT dp_report('measured', 'shuffled', '{"ways": 2}');
SET client_min_messages = error;
DROP SCHEMA t_memory CASCADE;
