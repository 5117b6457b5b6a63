-- thousands of categories, most of them rare: grouped for the model, and given back when rows are drawn
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t62;
CREATE ROLE regress_dp_62_owner;
GRANT USAGE, CREATE ON SCHEMA t62 TO regress_dp_62_owner;
SET search_path = t62, public;
SET SESSION AUTHORIZATION regress_dp_62_owner;
SET client_min_messages = error;

-- 3,000 codes; one has 2,000 rows, some one row; a ward for each 375 codes in a row
CREATE TABLE visits (id int PRIMARY KEY, code text CHECK (code LIKE 'C%'), ward text NOT NULL, n int NOT NULL CHECK (n BETWEEN 0 AND 9));
INSERT INTO visits
SELECT i, CASE WHEN i % 20 > 0 THEN 'C' || lpad(c::text, 4, '0') END, 'w' || c / 375, i % 10
  FROM (SELECT i, CASE WHEN i % 10 = 1 THEN 700 ELSE floor(3000 * power((i * 7919 % 20000) / 20000.0, 2))::int END AS c FROM generate_series(1, 20000) i) x;
SELECT dp_protect('visits', epsilon => 1000, delta => 0.001);
SELECT dp_define_column('visits', 'code', (SELECT array_agg('C' || lpad(c::text, 4, '0') ORDER BY c) FROM generate_series(0, 2999) c)),
	   dp_define_column('visits', 'ward', (SELECT array_agg('w' || c) FROM generate_series(0, 7) c), complete => true);
SELECT column_name, kind, levels FROM dp_columns WHERE relation = 'visits'::regclass ORDER BY ordinal;
SELECT stage, tables FROM dp_explain('visits', 'privbayes', 1) WHERE stage LIKE '%bins%';

-- NULL by the share of the data, as many codes as it has, the frequent one, and its dependence on the ward
SELECT m.method, count(*), avg((code IS NULL)::int) BETWEEN 0.02 AND 0.08 AS nulls,
	avg((code = 'C0700')::int) BETWEEN 0.07 AND 0.13 AS frequent, count(DISTINCT code) > 1500 AS many,
	count(*) FILTER (WHERE code NOT LIKE 'C%') AS others,
	avg((ward = 'w' || substr(code, 2)::int / 375)::int) > 0.5 AS depends
  FROM (VALUES ('sbhg'), ('mst'), ('aim'), ('privbayes'), ('cipher'), ('mwem'), ('flat')) m (method),
	dp_synthesize(NULL::visits, 5, 1e-9, method => m.method, rows => 10000, seed => 1) GROUP BY 1 ORDER BY 1;
SELECT avg((code IS NULL)::int) BETWEEN 0.02 AND 0.08, avg((code = 'C0700')::int) BETWEEN 0.07 AND 0.13 FROM dp_synthesize(NULL::visits, 5, method => 'cathist', rows => 10000, seed => 1);

-- answers: a group by its ends, one category by its part of the group
SELECT dp_release('visits', 'mst', 20, 1e-9) AS release \gset
SELECT cell ->> 'code', abs(estimate - 2000) < 300 FROM dp_answer(:release, by => '{code}') WHERE estimate > 1500;
SELECT abs(estimate - 2000) < 300 FROM dp_answer(:release, filter => '{"code": "C0700"}');
SELECT estimate < 100 FROM dp_answer(:release, filter => '{"code": "C0701"}');
SELECT abs(estimate - 1000) < 300 FROM dp_answer(:release, filter => '{"code": null}');
SELECT * FROM dp_answer(:release, filter => '{"code": "X"}');
SELECT * FROM dp_answer(:release, filter => '{"code": ["C0700", "C0701"]}');
SELECT count(*), count(DISTINCT code), min(code) FROM dp_sample(NULL::visits, :release, 100, 1, given => '{"code": "C0701"}');
SELECT (c).code, (c).ward IS NOT NULL, (c).n IS NOT NULL FROM (SELECT dp_impute(ROW(1, 'C0701', NULL, NULL)::visits, :release, 1) AS c) x;
-- a histogram is of the codes themselves, and levels that are named stay apart
SELECT count(*) FROM dp_histogram(NULL::visits, '{code}', 10, mechanism => 'laplace');
SELECT dp_define_cells('visits', '{code,ward}', '{{C0000,w7}}');
SELECT count(*) FROM dp_explain('visits', 'privbayes', 1) WHERE stage LIKE '%bins%' AND tables > 1;

-- a column that must not be NULL
CREATE TABLE needed (code text NOT NULL);
INSERT INTO needed SELECT CASE WHEN i % 2 = 0 THEN 'x' ELSE 'C' || i % 400 END FROM generate_series(1, 4000) i;
SELECT dp_protect('needed', 1000, 0.1), dp_define_column('needed', 'code', (SELECT array_agg('C' || c) FROM generate_series(0, 399) c));
SELECT count(code), count(*) FILTER (WHERE code NOT LIKE 'C%') FROM dp_synthesize(NULL::needed, 5, method => 'flat', rows => 1000, seed => 1);
-- 400 categories are grouped, but not by methods that choose their tables, from epsilon 2 on
SELECT method, epsilon, (SELECT count(*) FROM dp_explain('needed', method, epsilon) WHERE stage = 'find bins') AS grouped
FROM (VALUES ('mst', 1), ('mst', 1.9), ('mst', 2), ('aim', 1.9), ('aim', 2), ('sbhg', 2)) v(method, epsilon);

RESET SESSION AUTHORIZATION;
DROP SCHEMA t62 CASCADE;
DROP ROLE regress_dp_62_owner;
