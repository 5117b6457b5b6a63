-- What a filter says: null is the cell that null stands for, in every function that takes a filter or
-- a condition, and what would leave no row, or is of another form, is refused before the debit. At
-- this epsilon no noise is left.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA query_filter_null;
SET search_path = query_filter_null, public;
SET client_min_messages = error;
CREATE TABLE stays (ward text, kind text, sure text NOT NULL, whole text, age integer, born date, cost numeric(6,2),
					 score float8, urgent boolean, note jsonb, town text);
-- of 1000 rows: ward is NULL in 100, and unlisted in 50; kind is NULL in 250; age is NULL in 200
INSERT INTO stays SELECT CASE WHEN i % 10 = 0 THEN NULL WHEN i % 20 = 1 THEN 'attic' WHEN i % 2 = 0 THEN 'eye' ELSE 'heart' END,
	   CASE WHEN i % 4 > 0 THEN 'a' END, 'yes', CASE WHEN i % 5 > 0 THEN 'x' END, CASE WHEN i % 5 > 0 THEN i % 100 END,
	   CASE WHEN i % 3 > 0 THEN date '2020-01-01' + i % 366 END, i % 40 + 0.25, CASE WHEN i % 8 > 0 THEN i % 50 / 10.0 ELSE 'NaN' END,
	   CASE WHEN i % 6 > 0 THEN i % 2 = 0 END, CASE WHEN i % 5 = 0 THEN '{"plan": "gold"}'::jsonb WHEN i % 5 = 1 THEN '{"plan": null}' END, 'town ' || i % 2
  FROM generate_series(1, 1000) i;
SELECT dp_protect('stays', 1000000, 0.001);
SELECT dp_define_column('stays', 'ward', categories => '{eye,heart}');
SELECT dp_define_column('stays', 'kind', categories => '{a,b}', other => 'none');
SELECT dp_define_column('stays', 'sure', categories => '{yes,no}');
SELECT dp_define_column('stays', 'whole', categories => '{x,y}', complete => true);
SELECT dp_define_column('stays', 'age', bins => '{0,18,65,99}');
SELECT dp_define_column('stays', 'born', range => '{2020-01-01,2020-12-31}');
SELECT dp_define_column('stays', 'cost', range => '{0,50}');
SELECT dp_define_column('stays', 'score', range => '{0,5}');
SELECT dp_define_column('stays', 'note->>''plan''', categories => '{gold,basic}');
SELECT dp_define_column('stays', 'town', open => true);
CREATE FUNCTION counted(filter jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	message text;
	detail text;
BEGIN
	RETURN (SELECT round(estimate) FROM dp_query('stays', '{count(*)}', 1000, filter => filter));
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
	RETURN concat_ws(' | ', SQLSTATE, message, nullif(detail, ''));
END
$$;

-- ---- the rows that null stands for: those of the cell null of a group
SELECT cell, round(estimate) FROM dp_query('stays', '{count(*)}', 1000, by => '{ward}');
SELECT f, counted(f) FROM unnest(ARRAY['{"ward": null}', '{"ward": [null]}', '{"ward": ["eye", null]}', '{"ward": ["eye", "heart", null]}',
	'{"ward": null, "age": [0, 18]}', '{"ward": null, "age": null}']::jsonb[]) f;
SELECT count(*) FILTER (WHERE ward IS NULL OR ward = 'attic'), count(*) FILTER (WHERE ward = 'eye' OR ward IS NULL OR ward = 'attic'),
	   count(*) FILTER (WHERE (ward IS NULL OR ward = 'attic') AND age < 18), count(*) FILTER (WHERE (ward IS NULL OR ward = 'attic') AND age IS NULL) FROM stays;
-- of bins and ranges NULL alone, and NaN, which has no bin
SELECT f, counted(f) FROM unnest(ARRAY['{"age": null}', '{"age": [null, null]}', '{"born": null}', '{"cost": null}', '{"score": null}',
	'{"urgent": null}', '{"urgent": [true, null]}', '{"note->>''plan''": null}']::jsonb[]) f;
SELECT count(*) FILTER (WHERE age IS NULL), count(age), count(*) FILTER (WHERE born IS NULL), count(*) FILTER (WHERE cost IS NULL),
	   count(*) FILTER (WHERE score = 'NaN'), count(*) FILTER (WHERE urgent IS NULL), count(*) FILTER (WHERE urgent IS NOT FALSE),
	   count(*) FILTER (WHERE note->>'plan' IS NULL) FROM stays;
-- where another value stands for NULL, either means it
SELECT f, counted(f) FROM unnest(ARRAY['{"kind": null}', '{"kind": "none"}', '{"kind": ["a", "none"]}']::jsonb[]) f;
-- a measure of the same column makes no difference
SELECT measure, round(estimate) FROM dp_query('stays', '{count(*),count(age)}', 1000, filter => '{"age": null}');
SELECT measure, round(estimate) FROM dp_query('stays', '{count(*),count(ward),count(distinct ward)}', 1000, filter => '{"ward": [null, "eye"]}');

-- ---- the same in every function
SELECT round(q.estimate) FROM dp_query(dp_release('stays', 'query', 1000, 0, '{"measures": ["count(*)"], "filter": {"ward": null}}')) q;
SELECT count(*) FROM dp_explain('stays', 'query', 1000, 0, '{"measures": ["count(*)"], "filter": {"ward": null}}') WHERE half_width IS NOT NULL;
SELECT options FROM dp_ledger ORDER BY id DESC LIMIT 1;
SELECT dp_release('stays', 'mst', 10000, 0, '{"columns": ["ward", "kind", "age"]}') AS r \gset
SELECT round(estimate), basis FROM dp_answer(:r, filter => '{"ward": null}');
SELECT round(estimate), basis FROM dp_answer(:r, filter => '{"ward": [null, "eye"]}');
SELECT round(estimate), basis FROM dp_answer(:r, filter => '{"kind": null}');
SELECT round(estimate), basis FROM dp_answer(:r, filter => '{"age": null}');
SELECT count(*), count(ward) FROM dp_sample(NULL::stays, :r, 50, 1, given => '{"ward": null}');
SELECT count(*), count(age) FROM dp_sample(NULL::stays, :r, 50, 1, given => '{"age": null}');
SELECT cell, round(estimate) FROM dp_histogram('stays', '{ward}', 1000) ORDER BY 1;

-- ---- ends of ranges that are no values, or that lie outside
SELECT f, counted(f) FROM unnest(ARRAY['{"age": [17.5, 18.5]}', '{"age": ["17.5", 18.5]}', '{"age": [65, null]}', '{"age": [65, 99]}', '{"age": [65, 1000]}', '{"age": [-5, 18]}',
	'{"age": "[0,18)"}', '{"age": "[65,99]"}', '{"age": "[,18)"}', '{"age": 18}', '{"age": "18"}', '{"cost": [1.005, 2.25]}', '{"cost": 1.25}',
	'{"born": ["2020-02-01", "2020-03-01"]}', '{"born": "2020-02-29"}', '{"score": [0.05, 0.3]}']::jsonb[]) f;
SELECT count(*) FILTER (WHERE age >= 17.5 AND age < 18.5), count(*) FILTER (WHERE age >= 65), count(*) FILTER (WHERE age < 18), count(*) FILTER (WHERE age = 18),
	   count(*) FILTER (WHERE cost >= 1.005 AND cost < 2.25), count(*) FILTER (WHERE cost = 1.25), count(*) FILTER (WHERE born >= '2020-02-01' AND born < '2020-03-01'),
	   count(*) FILTER (WHERE born = '2020-02-29'), count(*) FILTER (WHERE score >= 0.05 AND score < 0.3) FROM stays;

-- ---- refused, and nothing is paid
SELECT epsilon_spent FROM dp_datasets WHERE relation = 'stays'::regclass \gset
-- no cell for NULL
SELECT f, counted(f) FROM unnest(ARRAY['{"sure": null}', '{"sure": ["yes", null]}', '{"whole": null}', '{"town": null}']::jsonb[]) f;
-- no row
SELECT f, counted(f) FROM unnest(ARRAY['{"ward": []}', '{"age": []}', '{"age": [18, 18]}', '{"age": [40, 18]}', '{"age": 17.5}', '{"age": [100, null]}', '{"age": [null, 0]}',
	'{"age": [17.2, 17.8]}', '{"cost": 1.255}', '{"cost": 70}', '{"born": ["2021-01-01", null]}', '{"born": "2019-12-31"}']::jsonb[]) f;
-- another form
SELECT f, counted(f) FROM unnest(ARRAY['null', '[]', '"ward"', '3', '[{"ward": "eye"}]', '{"ward": {}}', '{"ward": {"in": [null]}}', '{"ward": {"ward": "eye"}}', '{"ward": [["eye"]]}', '{"ward": [{"a": null}]}',
	'{"age": {"from": 1}}', '{"age": [1, 3, 5]}', '{"age": [[1], 2]}', '{"age": [null, 3, 4]}', '{"age": true}', '{"age": "NaN"}', '{"age": "[x,2)"}', '{"age": ["[0,18)", "[20,65)"]}', '{"born": ["-infinity", null]}', '{"born": 3}']::jsonb[]) f;
-- another name or level
SELECT f, counted(f) FROM unnest(ARRAY['{"Ward": "eye"}', '{"ward ": "eye"}', '{"": null}', '{"and": [{"ward": null}]}', '{"ward": "Eye"}', '{"ward": "eye "}', '{"ward": "null"}', '{"ward": 3}', '{"ward": "attic"}']::jsonb[]) f;
SELECT dp_release('stays', 'query', 1, 0, '{"measures": ["count(*)"], "filter": null}');
SELECT dp_explain('stays', 'query', 1, 0, '{"measures": ["count(*)"], "filter": null}');
SELECT dp_answer(:r, filter => 'null');
SELECT dp_answer(:r, filter => '{"ward": []}');
SELECT dp_answer(:r, filter => '{"age": []}');
SELECT dp_answer(:r, filter => '{"ward": {"in": [null]}}');
SELECT dp_sample(NULL::stays, :r, 1, given => '{"ward": []}');
SELECT dp_sample(NULL::stays, :r, 1, given => 'null');
SELECT epsilon_spent = :epsilon_spent FROM dp_datasets WHERE relation = 'stays'::regclass;
-- no filter: an SQL NULL, and an object of no columns
SELECT counted(NULL), counted('{}');
DROP SCHEMA query_filter_null CASCADE;
