-- Levels that a release finds: the rules of the table hold for them, by every method.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t58;
SET search_path = t58, public;
SET client_min_messages = error;

-- Rows that break the rules are in the table. A row type without rules shows what a release rules
-- out by itself.
CREATE TABLE people (kind text NOT NULL CHECK (kind IN ('child', 'adult')), age integer NOT NULL, name text NOT NULL);
INSERT INTO people SELECT (ARRAY['child', 'adult'])[i % 2 + 1], i % 3 * 32 + i % 7, (ARRAY['Ada', 'Ida'])[i / 2 % 2 + 1]
  FROM generate_series(1, 4000) i;
ALTER TABLE people ADD CONSTRAINT young CHECK (kind <> 'child' OR age < 18) NOT VALID,
	ADD CONSTRAINT named CHECK (kind <> 'child' OR name <> 'Ida') NOT VALID;
CREATE TYPE plain AS (kind text, age integer, name text);
SELECT dp_protect('people', 1000000, 0.5);
SELECT dp_define_column('people', 'age', range => '{0,128}', resolution => '1'), dp_define_column('people', 'name', open => true);
CREATE FUNCTION broken(method text, options jsonb) RETURNS TABLE (young bigint, named bigint, drawn bigint, ages bigint, names bigint) LANGUAGE plpgsql AS $$
DECLARE
	id bigint := dp_release('people', method, 100000, 0.01, options);
BEGIN
	RETURN QUERY SELECT count(*) FILTER (WHERE s.kind = 'child' AND s.age >= 64), count(*) FILTER (WHERE s.kind = 'child' AND s.name = 'Ida'),
		count(*), count(*) FILTER (WHERE s.age >= 64), count(s.name) FROM dp_sample(NULL::plain, id, 2000, 1) s;
END
$$;
SELECT young, named, drawn, ages > 300 AS ages, names > 300 AS names FROM broken('sba', '{}');
SELECT young, named, drawn, ages > 300 AS ages, names > 300 AS names FROM broken('histogram', '{"mechanism": "stability"}');
SELECT young, named, drawn, ages > 300 AS ages, names > 300 AS names FROM broken('cathist', '{"columns": ["kind", "age"]}');

-- ---- distances that are missing, of columns without NULL: the lowest one, whoever counts
CREATE TABLE stays (ward text NOT NULL CHECK (ward IN ('icu', 'north')), started date NOT NULL, ended date NOT NULL, asked date, told date);
INSERT INTO stays SELECT (ARRAY['icu', 'north'])[1 + i % 2], date '2020-01-01' + i % 300, date '2020-01-01' + i % 300 + 3, date '2020-01-01', date '2020-01-04'
  FROM generate_series(1, 1000) i;
INSERT INTO stays SELECT 'icu', '2020-01-01', 'infinity', '2020-01-01', 'infinity' FROM generate_series(1, 40);
INSERT INTO stays SELECT 'icu', '-infinity', '2020-01-01', '-infinity', '2020-01-01' FROM generate_series(1, 20);
SELECT dp_protect('stays', 1000000);
SELECT dp_define_column('stays', c, bins => '{2020-01-01,2020-07-01,2021-01-01}') FROM unnest('{started,asked}'::name[]) c;
SELECT dp_define_column('stays', 'ended', offset_of => 'started', bins => '{1,2,10}'), dp_define_column('stays', 'told', offset_of => 'asked', bins => '{0,2,10}');
SELECT column_name, levels FROM dp_columns WHERE relation = 'stays'::regclass AND column_name IN ('ended', 'told');
SELECT cell ->> 'ended', sum(round(estimate)) FROM dp_histogram(NULL::stays, '{started,ended}', 10000, mechanism => 'laplace') GROUP BY 1 ORDER BY 1;
SELECT cell ->> 'told', sum(round(estimate)) FROM dp_histogram(NULL::stays, '{asked,told}', 10000, mechanism => 'laplace') GROUP BY 1 ORDER BY 1;
SELECT measure, round(estimate) FROM dp_query(NULL::stays, '{count(*),count(started),count(ended),sum(ended),count(asked),count(told),sum(told)}', 50000);
SELECT measure, cell ->> 'ended', round(estimate) FROM dp_query(NULL::stays, '{count(*),count(started)}', 10000, by => '{ended}');
SELECT round(estimate) FROM dp_query(NULL::stays, '{count(started)}', 10000, filter => '{"ended": [1, 2]}');
SELECT measure, round(estimate) FROM dp_query(NULL::stays, '{count(*),count(asked)}', 10000, filter => '{"told": [0, 2]}');

-- ---- a NULL that got past the NOT NULL of a domain counts as the lowest value: the sensitivity rests on that
CREATE DOMAIN cents AS integer NOT NULL;
CREATE TABLE bills (paid cents);
INSERT INTO bills SELECT 1000 FROM generate_series(1, 100);
INSERT INTO bills VALUES ((SELECT paid FROM bills WHERE false));
SELECT dp_protect('bills', 1000000, neighbours => 'replace_one'), dp_define_column('bills', 'paid', bins => '{900,1000}');
SELECT measure, round(estimate) FROM dp_query(NULL::bills, '{sum(paid),count(paid)}', 10000);
DROP SCHEMA t58 CASCADE;
