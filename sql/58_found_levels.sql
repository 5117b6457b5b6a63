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
SELECT young, named, drawn, ages > 300 AS ages, names > 300 AS names FROM broken('cathist', '{"attributes": ["kind", "age"]}');
DROP SCHEMA t58 CASCADE;
