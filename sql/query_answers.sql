-- dp_answer, dp_release_tables, dp_release_cells, dp_error, conditional rows and dp_impute. With an
-- epsilon of 2000 no noise is left, so that answers are the exact counts; where there is noise, bounds
-- are so wide that a correct build fails once in 1e8 runs.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t_answers;
CREATE ROLE regress_dp_answers_owner;
CREATE ROLE regress_dp_answers_other;
GRANT USAGE, CREATE ON SCHEMA t_answers TO regress_dp_answers_owner;
GRANT USAGE ON SCHEMA t_answers TO regress_dp_answers_other;
SET search_path = t_answers, public;
SET SESSION AUTHORIZATION regress_dp_answers_owner;
SET client_min_messages = warning;
CREATE TABLE t (ward text, sex char(1), age int, kind smallint NOT NULL, note text);
INSERT INTO t SELECT (ARRAY['er', 'icu', NULL])[1 + i % 3], (ARRAY['f', 'm'])[1 + i / 3 % 2], i / 6 % 90, i % 3 * 10, 'x' FROM generate_series(0, 5399) i;
SELECT dp_protect('t', 1000000, 0.5);
SELECT dp_define_column('t', 'ward', '{er,icu,surgery}'), dp_define_column('t', 'sex', '{f,m}', complete => true),
	   dp_define_column('t', 'age', bins => '{0,20,40,90}'), dp_define_column('t', 'kind', '{0,10,20}', complete => true);
SELECT dp_release('t', 'cipher', 2000, 0, '{"columns": ["ward", "sex", "age"]}') AS c,
	   dp_release('t', 'mst', 2000, 1e-6) AS m, dp_release('t', 'steps', 2000, 0) AS s, dp_release('t', 'sbhg', 2000, 1e-6) AS g,
	   dp_release('t', 'pmi', 10, 0, '{"rows": 30}') AS held, dp_release('t', 'cathist', 200) AS h \gset

-- what was measured
SELECT number, columns, mechanism, cells, std_error < 1, threshold, stage, set, grouped FROM dp_release_tables(:c);
SELECT stage, count(*), bool_or(grouped) FROM dp_release_tables(:m) GROUP BY 1 ORDER BY 1;
SELECT "table", cell, count, attributes, "values", variance < 1 FROM dp_release_cells(:c, 1) ORDER BY cell->>'ward', cell->>'sex';
SELECT count(*), count(DISTINCT "table") FROM dp_release_cells(:c);
-- the cells of a release are marginals for dp_fit_marginals, a bin by its lower edge
SELECT ward, sex, count(*) BETWEEN 850 AND 950 FROM dp_fit_marginals(NULL::t,
	(SELECT array_agg(ROW(attributes, "values", count, variance)::dp_noisy_counts) FROM dp_release_cells(:c, 1)), 5400, seed => 1)
 GROUP BY 1, 2 ORDER BY 1, 2;
\set VERBOSITY sqlstate
SELECT * FROM dp_release_tables(:held);
SELECT * FROM dp_release_cells(:c, 99);
\set VERBOSITY default

-- measured
SELECT cell, estimate, low <= 5400 AND high >= 5400, basis FROM dp_answer(:c);
SELECT cell, estimate, basis FROM dp_answer(:c, '{ward}');
SELECT cell, estimate, basis FROM dp_answer(:c, '{sex,ward}', '{"ward": ["er", null]}');
SELECT cell, estimate, basis FROM dp_answer(:c, '{}', '{"sex": "f", "age": [20, 40]}');
SELECT cell, round(estimate), basis FROM dp_answer(:c, '{sex}', '{"age": [10, 30]}');
SELECT round(estimate), basis FROM dp_answer(:c, '{}', '{"age": [null, 20]}');
SELECT a.estimate = b.estimate, a.estimate = c.estimate FROM dp_answer(:c, '{}', '{"age": "[20,40)"}') a, dp_answer(:c, '{}', '{"age": [20, 40]}') b,
	   dp_answer(:c, '{}', '{"age": ["[20,40)"]}') c;
-- a cell is a filter, and a typed row where it has no bins
SELECT bool_and(c.estimate = a.estimate) FROM dp_answer(:c, '{ward,age}') c, LATERAL dp_answer(:c, '{}', c.cell) a;
SELECT (jsonb_populate_record(NULL::t, cell)).*, estimate FROM dp_answer(:m, '{kind}');
SELECT cell, round(estimate::numeric, 3), round(low::numeric, 2), round(high::numeric, 2), basis FROM dp_answer(:c, '{sex}', '{"ward": "er"}', 0.9, 'share');
SELECT cell, round(estimate::numeric, 3), basis FROM dp_answer(:c, '{sex}', '{"ward": "er"}', measure => 'rate');
SELECT estimate, basis FROM dp_answer(:c, measure => 'share');
-- the model, with bounds from what was measured
SELECT cell, abs(estimate - 200) < 20, std_error, low <= 200, high BETWEEN 399 AND 601, basis FROM dp_answer(:c, '{ward}', '{"sex": "f", "age": [0, 20]}');
SELECT bool_and(abs(estimate - 200) < 20), min(low) >= 0, count(*), min(basis) FROM dp_answer(:g, '{ward,sex}', '{"age": [0, 20]}') WHERE cell->>'ward' <> 'surgery';
SELECT round(sum(estimate)), min(low), min(basis) FROM dp_answer(:held, '{kind}');
SELECT abs(sum(estimate) - 5400) < 60, min(low), min(basis) FROM dp_answer(:h, '{sex}');

-- bad questions
SELECT * FROM dp_answer(:c, '{kind}');
SELECT * FROM dp_answer(:c, '{sex,sex}');
SELECT * FROM dp_answer(:c, '{}', '{"kind": 1}');
SELECT * FROM dp_answer(:c, '{}', '{"sex": "x"}');
SELECT * FROM dp_answer(:c, '{}', '{"age": 30}');
SELECT * FROM dp_answer(:c, '{}', '{"age": [40, 20]}');
SELECT * FROM dp_answer(:c, '{}', '{"age": [91, 120]}');
SELECT * FROM dp_answer(:c, '{}', '[1]');
SELECT * FROM dp_answer(:c, '{}', NULL, 1);
SELECT * FROM dp_answer(:c, measure => 'mean');
SELECT * FROM dp_answer(NULL);
SELECT estimate FROM dp_answer(:c, '{}', '{"sex": []}');

-- structural zeros are 0 without noise, and the rest is told with theirs
CREATE TABLE z (a int NOT NULL, b int NOT NULL);
INSERT INTO z SELECT i % 2, i % 2 FROM generate_series(1, 1000) i;
SELECT dp_protect('z', 1000);
SELECT dp_define_column('z', c, '{0,1}', complete => true) FROM unnest('{a,b}'::name[]) c;
SELECT dp_define_cells('z', '{a,b}', '{{0,1}}');
SELECT dp_release('z', 'cipher', 0.1) AS z \gset
SELECT cell, std_error > 0, basis FROM dp_answer(:z, '{a,b}');
SELECT estimate, low, high FROM dp_answer(:z, '{a}', '{"b": 1}') WHERE cell->>'a' = '0';
SELECT * FROM dp_sample(NULL::z, :z, 5, given => '{"a": 0, "b": 1}');

-- one row replaced: the number of rows is public
CREATE TABLE r (LIKE z);
INSERT INTO r SELECT * FROM z;
SELECT dp_protect('r', 1000, 0, 'replace_one');
SELECT dp_define_column('r', c, '{0,1}', complete => true) FROM unnest('{a,b}'::name[]) c;
SELECT dp_release('r', 'cipher', 0.1) AS r \gset
SELECT estimate, std_error, low, high, basis FROM dp_answer(:r);
SELECT bool_and(high <= 1000), bool_and(std_error > 10) FROM dp_answer(:r, '{a}');
-- units: what was bounded is said
CREATE TABLE v (person int, a int NOT NULL);
INSERT INTO v SELECT i % 100, i % 2 FROM generate_series(1, 1000) i;
SELECT dp_protect('v', 1000, unit_column => 'person', max_rows_per_unit => 3);
SELECT dp_define_column('v', 'a', '{0,1}', complete => true);
SELECT dp_release('v', 'marginal', 900) AS v \gset
SELECT estimate, basis FROM dp_answer(:v);
-- several sets are several measurements: the error of the answer falls
SELECT (SELECT std_error FROM dp_answer(i, '{a}') LIMIT 1) / (SELECT std_error FROM dp_answer(j, '{a}') LIMIT 1) BETWEEN 1.9 AND 2.1
  FROM (SELECT dp_release('v', 'marginal', 0.1) i, dp_release('v', 'marginal', 0.4, 0, '{"independent_sets": true}', 4) j) x;

-- rows know their noise
SELECT columns, noise < 0.001, fit < 0.01, round(drawing::numeric, 3), total >= drawing FROM dp_error(:c, 5400);
-- where the model cannot be asked, rows are drawn and counted once
SELECT count(*), count(noise) BETWEEN 4 AND 10, count(fit) = count(noise), count(total) = count(noise), max(fit) < 0.02 FROM dp_error(:g);

-- rows under a condition
SELECT count(*), count(DISTINCT ward), min(ward), min(sex), min(age) >= 25, max(age) < 50
  FROM dp_sample(NULL::t, :c, 500, 1, given => '{"ward": "icu", "sex": "m", "age": [25, 50]}');
SELECT r = :m AS mst, count(*), min(kind), max(kind), min(age) >= 40, bool_and(ward IS NULL) FROM unnest(ARRAY[:m, :s]) r,
	   LATERAL dp_sample(NULL::t, r, 500, 1, given => '{"ward": null, "kind": 20, "age": [40, 90]}') GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM (SELECT * FROM dp_sample(NULL::t, :m, 50, 7, given => '{"sex": "f"}') EXCEPT ALL SELECT * FROM dp_sample(NULL::t, :m, 50, 7, given => '{"sex": "f"}')) x;
\set VERBOSITY sqlstate
SELECT * FROM dp_sample(NULL::t, :g, 5, given => '{"ward": "er"}');
SELECT * FROM dp_sample(NULL::t, :held, 5, given => '{"ward": "er"}');
\set VERBOSITY default
SELECT * FROM dp_sample(NULL::t, :m, 5, given => '{"note": "x"}');

-- rows with gaps: what they say stays, and kind follows from ward
CREATE TABLE gaps AS SELECT i AS n, (ROW((ARRAY['er', 'icu'])[1 + i % 2], CASE WHEN i % 3 = 0 THEN 'f' END, CASE WHEN i % 5 = 0 THEN 7 END, NULL, 'kept')::t) AS row FROM generate_series(1, 60) i;
SELECT count(*), bool_and(c.kind = CASE c.ward WHEN 'er' THEN 0 ELSE 10 END), bool_and(c.sex IS NOT NULL AND c.age BETWEEN 0 AND 90), min(c.note),
	   bool_and(c.age = 7) FILTER (WHERE n % 5 = 0), bool_and(c.sex = 'f') FILTER (WHERE n % 3 = 0), count(DISTINCT c.age) > 5
  FROM gaps g, LATERAL dp_impute(g.row, :m, 3) c;
SELECT (dp_impute(NULL::t, :m)).kind IS NOT NULL;
SELECT dp_impute(ROW('er', 'f', 3, 7, NULL)::t, :m);
\set VERBOSITY sqlstate
SELECT dp_impute(ROW('er', 'f', 3, NULL, NULL)::t, :g);
SELECT dp_impute(ROW('er', 'f', 3, NULL, NULL)::t, :m, 1, 2);
\set VERBOSITY default

-- whoever may draw may ask, and nobody else
SET SESSION AUTHORIZATION regress_dp_answers_other;
\set VERBOSITY sqlstate
SELECT * FROM dp_answer(:c);
SELECT * FROM dp_release_tables(:c);
SELECT * FROM dp_release_cells(:c);
SELECT * FROM dp_error(:c);
SELECT dp_impute(NULL::t, :c);
SELECT * FROM dp_sample(NULL::t, :c, 5, given => '{"sex": "f"}');
SET SESSION AUTHORIZATION regress_dp_answers_owner;
SELECT dp_grant(:c, 'regress_dp_answers_other');
SET SESSION AUTHORIZATION regress_dp_answers_other;
SELECT estimate FROM dp_answer(:c, '{}', '{"sex": "f"}');
SELECT count(*) FROM dp_release_tables(:c);
RESET SESSION AUTHORIZATION;
