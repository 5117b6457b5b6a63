-- One language says which rows are meant, in dp_query, dp_answer and the condition of dp_sample; and what
-- each of them prints as a cell is such a predicate again. At this epsilon no noise is left.
SET client_min_messages = error;
\pset null NULL
\t on
\pset format unaligned
\set VERBOSITY terse
\set SHOW_CONTEXT never
CREATE SCHEMA query_predicate;
SET search_path = query_predicate, public;
CREATE TABLE stays (ward text NOT NULL CHECK (ward IN ('eye', 'heart')), rank integer NOT NULL CHECK (rank IN (1, 2, 3)), sure boolean NOT NULL,
	age integer CHECK (age BETWEEN 0 AND 99), weight float8 NOT NULL CHECK (weight BETWEEN 0 AND 200), came date NOT NULL CHECK (came BETWEEN '2024-01-01' AND '2024-12-31'));
INSERT INTO stays SELECT CASE i % 2 WHEN 0 THEN 'eye' ELSE 'heart' END, 1 + i % 3, i % 4 = 0, nullif(i % 100, 7), i % 190 + 0.5, date '2024-01-01' + i % 360
  FROM generate_series(1, 6000) i;
SELECT dp_protect('stays', 1000000, 0.1);
SELECT dp_define_column('stays', 'age', bins => '{0,20,40,60,80,100}'), dp_define_column('stays', 'weight', bins => '{0,50,100,150,200}'),
	   dp_define_column('stays', 'came', bins => '{2024-01-01,2024-04-01,2024-07-01,2024-10-01,2024-12-31}');
SELECT dp_release('stays', 'mst', 300000) AS r \gset
CREATE FUNCTION by_query(filter jsonb) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT round(estimate) FROM dp_query('stays', '{count(*)}', 1000, filter => by_query.filter));
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
CREATE FUNCTION by_answer(release bigint, filter jsonb) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT round(estimate) FROM dp_answer(release, filter => by_answer.filter));
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
-- how many of the rows that are drawn under the condition keep it
CREATE FUNCTION by_sample(release bigint, filter jsonb, condition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	kept text;
BEGIN
	EXECUTE format('SELECT count(*) FILTER (WHERE %s) || '' of '' || count(*) FROM dp_sample(NULL::query_predicate.stays, %s, 200, 1, given => %L)', condition, release, filter) INTO kept;
	RETURN kept;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
CREATE TABLE predicate (id serial, filter jsonb, condition text);
INSERT INTO predicate (filter, condition) VALUES
	('{}', 'true'),
	('{"ward": "eye"}', 'ward = ''eye'''),
	('{"ward": ["eye", "heart"]}', 'ward IN (''eye'', ''heart'')'),
	('{"rank": 2}', 'rank = 2'),
	('{"rank": "2"}', 'rank = 2'),
	('{"rank": [1, "3"]}', 'rank IN (1, 3)'),
	('{"sure": true}', 'sure'),
	('{"sure": "t"}', 'sure'),
	('{"sure": [false]}', 'NOT sure'),
	('{"age": null}', 'age IS NULL'),
	('{"age": 30}', 'age = 30'),
	('{"age": "30"}', 'age = 30'),
	('{"age": [20, 40]}', 'age >= 20 AND age < 40'),
	('{"age": [20, null]}', 'age >= 20'),
	('{"age": "[20,40)"}', 'age >= 20 AND age < 40'),
	('{"age": "[20,40]"}', 'age >= 20 AND age <= 40'),
	('{"age": ["[20,40)", "[40,60)"]}', 'age >= 20 AND age < 60'),
	('{"age": ["[20,40)"]}', 'age >= 20 AND age < 40'),
	('{"came": ["2024-04-01", "2024-07-01"]}', 'came >= ''2024-04-01'' AND came < ''2024-07-01'''),
	('{"came": "[2024-04-01,2024-07-01)"}', 'came >= ''2024-04-01'' AND came < ''2024-07-01'''),
	('{"weight": "[50,100)"}', 'weight >= 50 AND weight < 100'),
	('{"ward": "eye", "age": [20, 40], "sure": true}', 'ward = ''eye'' AND age >= 20 AND age < 40 AND sure');
SELECT p.filter, by_query(p.filter) AS query, by_answer(:r, p.filter) AS answer, by_sample(:r, p.filter, p.condition) AS sample,
	   (xpath('/row/n/text()', query_to_xml('SELECT count(*) AS n FROM query_predicate.stays WHERE ' || p.condition, true, true, '')))[1] AS rows
  FROM predicate p ORDER BY id;
-- a cell that is printed is a predicate, and means the rows of the cell
SELECT q.cell, by_query(q.cell) = round(q.estimate)::text AS again, by_answer(:r, q.cell)::numeric BETWEEN q.estimate - 60 AND q.estimate + 60 AS answered
  FROM dp_query('stays', '{count(*)}', 1000, '{rank,sure}') q UNION ALL
SELECT q.cell, by_query(q.cell) = round(q.estimate)::text, by_answer(:r, q.cell)::numeric BETWEEN q.estimate - 60 AND q.estimate + 60
  FROM dp_query('stays', '{count(*)}', 1000, '{age}') q UNION ALL
SELECT a.cell, abs(by_query(a.cell)::numeric - a.estimate) < 60, by_answer(:r, a.cell)::numeric = round(a.estimate)
  FROM dp_answer(:r, '{came,ward}') a ORDER BY 1;
-- what only one of them can say, and what neither can
SELECT filter, by_query(filter) AS query, by_answer(:r, filter) AS answer FROM unnest(ARRAY[
	'{"age": ["[0,20)", "[40,60)"]}', '{"age": [null, "[0,20)"]}', '{"age": ["[0,20)", "[40,50)"]}', '{"age": [30, 31, 32]}', '{"weight": 30.5}', '{"age": [40, 20]}', '{"age": []}', '{"ward": []}',
	'{"ward": "[a,b)"}', '{"age": {}}', '{"no": 1}', '[]', '3']::jsonb[]) filter;

-- ---- bins that go too far for their values to be counted one by one: two values are a range here too, of whole bins
CREATE TABLE stars (far float8 NOT NULL, mass numeric, seen timestamp NOT NULL);
INSERT INTO stars SELECT (ARRAY[1, 1e150, 1e250])[1 + i % 3], CASE i % 10 WHEN 0 THEN numeric 'NaN' ELSE i % 100 END, timestamp '2024-01-01' + i % 360 * interval '1 day' FROM generate_series(1, 6000) i;
SELECT dp_protect('stars', 1000000, 0.1), dp_define_column('stars', 'far', bins => '{0,1e100,2e200,1e300}'),
	   dp_define_column('stars', 'mass', range => '{0,100}'), dp_define_column('stars', 'seen', bins => '{2024-01-01,2024-07-01,2025-01-01}');
SELECT dp_release('stars', 'mst', 300000) AS s \gset
CREATE OR REPLACE FUNCTION by_query(filter jsonb) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT round(estimate) FROM dp_query('stars', '{count(*)}', 1000, filter => by_query.filter));
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
SELECT filter, by_query(filter) AS query, by_answer(:s, filter) AS answer FROM unnest(ARRAY[
	'{"far": [0, 1e100]}', '{"far": [0, "2e200"]}', '{"far": ["0", "1e100"]}', '{"far": ["1e100", "1e300"]}', '{"far": ["1e100", null]}', '{"far": [null, "2e200"]}', '{"far": [-5, "1e301"]}',
	'{"far": "[0,1e+100)"}', '{"far": "[2e+200,1e+300]"}', '{"far": ["[0,1e+100)", "[2e+200,1e+300]"]}']::jsonb[]) filter;
SELECT q.cell, by_query(q.cell) = round(q.estimate)::text AS again FROM dp_query('stars', '{count(*)}', 1000, '{far}') q ORDER BY 1;
SELECT filter, by_query(filter) AS query FROM unnest(ARRAY['{"far": [0, "5e99"]}', '{"far": "1e100"}', '{"far": "[0,1e+100]"}', '{"far": ["1e100", "1e100"]}',
	'{"far": ["1e100", 0]}', '{"far": ["5e300", null]}', '{"far": null}', '{"far": []}', '{"far": true}', '{"far": [1, 2, 3]}']::jsonb[]) filter;

-- ---- an end is a finite value, in bins that are declared and in those that are found
SELECT filter, by_query(filter) AS query, by_answer(:s, filter) AS answer FROM unnest(ARRAY[
	'{"mass": ["NaN", null]}', '{"mass": [0, "NaN"]}', '{"mass": "NaN"}', '{"mass": "[NaN,50)"}', '{"mass": ["-Infinity", 50]}', '{"mass": [0, "Infinity"]}',
	'{"far": ["NaN", null]}', '{"far": [null, "NaN"]}', '{"far": ["-Infinity", "1e100"]}', '{"far": "NaN"}',
	'{"seen": ["-infinity", "2024-07-01"]}', '{"seen": ["2024-07-01", "infinity"]}']::jsonb[]) filter;
SELECT count(*) FROM dp_sample(NULL::stars, :s, 10, 1, given => '{"mass": [5, "NaN"]}');
SELECT count(*) FROM dp_sample(NULL::stars, :s, 10, 1, given => '{"far": ["NaN", 1e100]}');
-- NaN in a row is counted as missing, and so it is completed
SELECT count((d).far) FROM (SELECT dp_impute(ROW(NULL, 'NaN', NULL)::stars, :s, 1) AS d) x;
-- bins of columns whose types have a length, or a name of their own
CREATE DOMAIN cents AS numeric(6,2);
CREATE TABLE sized (price numeric(6,2), paid cents, at timestamptz(0), code char(3));
INSERT INTO sized SELECT i % 10, i % 10, timestamptz '2023-01-01 00:00+00' + i % 10 * interval '1 hour', 'a' FROM generate_series(1, 1000) i;
SELECT dp_protect('sized', 100000, 0.001);
SELECT count(dp_define_column('sized', c, bins => b)) FROM (VALUES ('price'::name, '{0,5,10}'::text[]), ('paid', '{0,5,10}'), ('at', '{2023-01-01 00:00+00,2023-01-01 05:00+00,2023-01-01 10:00+00}')) x (c, b);
SELECT dp_define_column('sized', 'code', categories => '{a,b}');
SELECT filter, round(estimate) FROM dp_release('sized', 'mst', 10000, 0.0001) r, unnest('{"{\"price\": [0, 5]}","{\"paid\": [0, 5]}","{\"at\": [\"2023-01-01 00:00+00\", \"2023-01-01 05:00+00\"]}","{\"code\": \"a\"}"}'::jsonb[]) filter, LATERAL dp_answer(r, filter => filter);
DROP SCHEMA query_predicate CASCADE;
