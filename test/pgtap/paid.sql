-- What can be known before a release is paid is found before: each method, with the smallest
-- and the largest budget, of columns of every kind, either is refused and spends nothing, or is
-- released. No line of dp_ledger says "failed".
SET client_min_messages = warning;
SELECT no_plan();

CREATE ROLE pgtap_paid_owner;
GRANT ALL ON SCHEMA public TO pgtap_paid_owner;
SET SESSION AUTHORIZATION pgtap_paid_owner;
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE DOMAIN stars AS integer CHECK (VALUE IN (1, 2, 3));
CREATE DOMAIN tags AS text[] CHECK (VALUE IN ('{a,b}', '{c}'));
CREATE COLLATION anycase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);

-- one column alone of each type; the values that occur are those of its domain
CREATE TABLE kinds (kind text, type text, domain jsonb);
INSERT INTO kinds VALUES
	('boolean', 'boolean', NULL),
	('enum', 'mood', NULL),
	('domain', 'stars', NULL),
	('date', 'date', '["2024-01-01", "2024-01-02"]'),
	('timestamptz', 'timestamptz', '["2024-01-01 00:00+00", "2024-01-02 00:00+00"]'),
	('numeric', 'numeric(4,2)', '["1.50", "2.25"]'),
	('anycase', 'text COLLATE anycase', '["Ann", "Bob"]'),
	('text_array', 'text[]', '["{a,b}", "{c}"]'),
	('varchar_array', 'varchar(9)[]', '["{a,b}", "{c}"]'),
	('int_array', 'integer[]', '["{1,2}", "{3}"]'),
	('enum_array', 'mood[]', '["{sad,happy}", "{sad}"]'),
	('array_domain', 'tags', NULL),
	('float_bins', 'double precision', NULL),
	('int_bins', 'integer', NULL),
	('float_range', 'double precision', NULL),
	('open_text', 'text', NULL),
	('open_array', 'text[]', NULL);
DO $$
DECLARE k record;
BEGIN
	FOR k IN SELECT * FROM kinds LOOP
		EXECUTE format('CREATE TABLE %I (v %s)', 'one_' || k.kind, k.type);
		PERFORM dp_protect(('one_' || k.kind)::regclass, 1000000, 0.9, min_epsilon_per_release => NULL);
		IF k.kind LIKE 'open%' THEN
			PERFORM dp_define_column(('one_' || k.kind)::regclass, 'v', open => true);
		ELSIF k.kind LIKE '%bins' THEN
			PERFORM dp_define_column(('one_' || k.kind)::regclass, 'v', bins => '{0,10,20}');
		ELSIF k.kind LIKE '%range' THEN
			PERFORM dp_define_column(('one_' || k.kind)::regclass, 'v', range => '{0,99}', resolution => '1');
		ELSIF k.domain IS NOT NULL THEN
			PERFORM dp_define_column(('one_' || k.kind)::regclass, 'v',
									 categories => ARRAY(SELECT jsonb_array_elements_text(k.domain)));
		END IF;
	END LOOP;
END
$$;
INSERT INTO one_boolean SELECT i % 2 = 0 FROM generate_series(1, 100) i;
INSERT INTO one_enum SELECT 'sad' FROM generate_series(1, 100);
INSERT INTO one_domain SELECT 1 + i % 3 FROM generate_series(1, 100) i;
INSERT INTO one_date SELECT '2024-01-01'::date + i % 3 FROM generate_series(1, 100) i;
INSERT INTO one_timestamptz SELECT '2024-01-01 00:00+00'::timestamptz + i % 3 * interval '1 day' FROM generate_series(1, 100) i;
INSERT INTO one_numeric SELECT 1.5 + i % 2 * 0.75 FROM generate_series(1, 100) i;
INSERT INTO one_anycase SELECT (ARRAY['ann', 'ANN', 'bob', 'Cid'])[1 + i % 4] FROM generate_series(1, 100) i;
INSERT INTO one_text_array SELECT (ARRAY['{a,b}', '{c}', '{}', NULL])[1 + i % 4]::text[] FROM generate_series(1, 100) i;
INSERT INTO one_varchar_array SELECT v::varchar(9)[] FROM one_text_array;
INSERT INTO one_int_array SELECT (ARRAY['{1,2}', '{3}', '{{1},{2}}'])[1 + i % 3]::int[] FROM generate_series(1, 100) i;
INSERT INTO one_enum_array SELECT '{sad,happy}' FROM generate_series(1, 100);
INSERT INTO one_array_domain SELECT '{a,b}' FROM generate_series(1, 100);
INSERT INTO one_float_bins SELECT (ARRAY['-1', '5', 'NaN', 'Infinity', NULL])[1 + i % 5]::float8 FROM generate_series(1, 100) i;
INSERT INTO one_int_bins SELECT i FROM generate_series(1, 100) i;
INSERT INTO one_float_range SELECT (ARRAY['-1', '5', 'NaN', 'Infinity', NULL])[1 + i % 5]::float8 FROM generate_series(1, 100) i;
INSERT INTO one_open_text SELECT 'w' || i % 3 FROM generate_series(1, 100) i;
INSERT INTO one_open_array SELECT ARRAY['w' || i % 3, NULL] FROM generate_series(1, 100) i;

-- many columns at once, in a table of many rows, of one, and of none
CREATE TABLE many (a boolean, b mood, c stars, d date CHECK (d IN ('2024-01-01', '2024-01-02')), e text COLLATE anycase,
				   f numeric(4,2), g tags, h integer[], i text);
CREATE TABLE few (a boolean, b mood, c stars);
CREATE TABLE single (LIKE few);
CREATE TABLE nobody (LIKE few);
CREATE TABLE joined (LIKE few); -- whose number of rows is public
CREATE TABLE crowd (LIKE few, unit integer); -- with units of several rows
INSERT INTO many SELECT i % 2 = 0, 'sad', 1 + i % 3, '2024-01-01'::date + i % 2, 'Ann', 1.5, '{a,b}', '{3}', 'w' || i % 3
  FROM generate_series(1, 300) i;
INSERT INTO few SELECT i % 2 = 0, 'sad', 1 + i % 3 FROM generate_series(1, 300) i;
INSERT INTO single SELECT * FROM few LIMIT 1;
INSERT INTO joined TABLE few;
INSERT INTO crowd SELECT *, row_number() OVER () / 4 FROM few;
SELECT dp_protect('many', 1000000, 0.9, min_epsilon_per_release => NULL), dp_protect('few', 1000000, 0.9, min_epsilon_per_release => NULL), dp_protect('single', 1000000, 0.9, min_epsilon_per_release => NULL), dp_protect('nobody', 1000000, 0.9, min_epsilon_per_release => NULL),
	   dp_protect('joined', 1000000, 0.9, neighbours => 'replace_one', min_epsilon_per_release => NULL),
	   dp_protect('crowd', 1000000, 0.9, unit_column => 'unit', max_rows_per_unit => 4, min_epsilon_per_release => NULL);
SELECT dp_define_column('many', 'e', categories => '{Ann,Bob}'), dp_define_column('many', 'f', categories => '{1.50,2.25}'),
	   dp_define_column('many', 'h', categories => '{"{1,2}","{3}"}'), dp_define_column('many', 'i', open => true);

-- what a method cannot do without
CREATE FUNCTION needed(method text) RETURNS jsonb LANGUAGE sql AS $$
	SELECT CASE WHEN method IN ('pegs', 'pmi', 'pegs_ldiversity') THEN '{"rows": 20}' ELSE '{}' END::jsonb ||
		   CASE method WHEN 'pegs_ldiversity' THEN '{"l": 1.5}' WHEN 'privbayes' THEN '{"parents": 1}'
				WHEN 'query' THEN '{"measures": ["count(*)"]}' ELSE '{}' END::jsonb
$$;
CREATE FUNCTION try(tab regclass, method text, epsilon numeric, delta numeric) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM dp_release(tab, method, epsilon, delta, needed(method));
	RETURN 'released';
EXCEPTION WHEN OTHERS THEN
	RETURN sqlstate || ' ' || sqlerrm;
END
$$;
CREATE FUNCTION explained(tab regclass, method text, epsilon numeric, delta numeric) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM dp_explain(tab, method, epsilon, delta, needed(method));
	RETURN 'released';
EXCEPTION WHEN OTHERS THEN
	RETURN sqlstate || ' ' || sqlerrm;
END
$$;
CREATE TABLE tabs AS
	SELECT unnest('{many,few,single,nobody,joined,crowd}'::regclass[]) AS tab
	UNION ALL SELECT ('one_' || kind)::regclass FROM kinds;
CREATE TABLE calls AS
	SELECT tab, method, epsilon, delta
	  FROM tabs, dp_methods, unnest(ARRAY[1e-9, 1e-8, 3e-8, 1e-7, 1e-6, 1000]) epsilon, unnest(ARRAY[0, 1e-18, 1e-6]) delta
	 WHERE method <> 'pegs_ldiversity' AND (tab::text NOT LIKE 'one%' OR epsilon NOT IN (1e-8, 3e-8, 1e-7) AND delta <> 1e-18)
	   AND NOT (tab = 'many'::regclass AND method = 'mwem' AND epsilon = 1000) -- which fits for longer than a hundred others
	UNION ALL SELECT tab, 'pegs_ldiversity', 0, 0 FROM tabs;

-- the largest epsilon there is: a whole budget
DO $$
DECLARE name text;
BEGIN
	FOR name IN SELECT method FROM dp_methods WHERE method <> 'pegs_ldiversity' LOOP
		EXECUTE format('CREATE TABLE %1$I AS TABLE few', 'all_' || name);
		EXECUTE format('ALTER TABLE %1$I ALTER a SET NOT NULL, ALTER b SET NOT NULL', 'all_' || name);
		PERFORM dp_protect(('all_' || name)::regclass, 1000000, 0.5, min_epsilon_per_release => NULL);
		INSERT INTO calls VALUES (('all_' || name)::regclass, name, 1000000, 0.4);
	END LOOP;
END
$$;

CREATE TABLE outcome AS SELECT *, explained(tab, method, epsilon, delta) AS explained, try(tab, method, epsilon, delta) AS said FROM calls;
SELECT is_empty($$ SELECT relation, method, epsilon, delta FROM dp_ledger WHERE status <> 'released' $$,
				'no release that was paid for failed');
SELECT is((SELECT count(*) FROM outcome WHERE said = 'released'), (SELECT count(*) FROM dp_ledger),
		  'what was refused spent nothing');
SELECT is_empty($$ SELECT * FROM outcome WHERE said IS DISTINCT FROM explained $$, 'dp_explain refuses what is refused, for the same reason');
SELECT is_empty($$ SELECT * FROM outcome WHERE said NOT LIKE '22023 %' AND said <> 'released' $$, 'what is refused is an argument');
SELECT ok(bool_or(said = 'released'), format('%s was released', method)) FROM outcome GROUP BY method ORDER BY method;
SELECT ok(bool_or(said = 'released'), format('%s was released', tab)) FROM outcome GROUP BY tab ORDER BY tab::text;
SELECT is(said, 'released', format('%s with all of its budget', tab)) FROM outcome WHERE epsilon = 1000000 ORDER BY tab::text;

SELECT * FROM finish();
RESET SESSION AUTHORIZATION;
DROP OWNED BY pgtap_paid_owner CASCADE;
DROP ROLE pgtap_paid_owner;
