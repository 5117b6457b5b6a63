-- Every method of dp_methods takes each of its options, written out with its
-- default, and refuses what lies outside the limits that dp_methods names.
SET client_min_messages = warning;
SELECT no_plan();

CREATE ROLE pgtap_options_owner;
GRANT ALL ON SCHEMA public TO pgtap_options_owner;
SET SESSION AUTHORIZATION pgtap_options_owner;
CREATE TABLE t (a boolean NOT NULL, b int CHECK (b IN (1, 2, 3)), c text CHECK (c IN ('x', 'y')), d text);
INSERT INTO t SELECT i % 2 = 0, 1 + i % 3, 'x', 'w' || i % 3 FROM generate_series(1, 300) i;
SELECT dp_protect('t', 10000, 0.5);
SELECT dp_define_column('t', 'd', open => true);

-- a value of an option, as JSON
CREATE FUNCTION as_json(type text, value text) RETURNS jsonb LANGUAGE sql
AS $$ SELECT CASE WHEN type IN ('integer', 'share', 'boolean') OR type LIKE '%sets of columns' THEN value::jsonb ELSE to_jsonb(value) END $$;
CREATE VIEW options AS
	SELECT m.method, o.key AS option, o.value ->> 'type' AS type, o.value ->> 'default' AS "default",
		   (o.value ->> 'minimum')::numeric AS minimum, (o.value ->> 'maximum')::numeric AS maximum,
		   string_to_array(o.value ->> 'choices', '|') AS choices
	  FROM dp_methods m, jsonb_each(m.options) o
	 WHERE m.method <> 'query'; -- it draws no rows: query.sql
-- what a method cannot do without, where it is not given
CREATE FUNCTION needed(method text, options jsonb) RETURNS jsonb LANGUAGE sql
AS $$ SELECT CASE method WHEN 'pegs' THEN '{"rows": 20}'
						 WHEN 'pmi' THEN '{"rows": 20, "columns": ["a", "b", "c"]}'
						 WHEN 'cipher' THEN '{"columns": ["a", "b", "c"]}'
						 WHEN 'mwem' THEN '{"columns": ["a", "b", "c"]}'
						 WHEN 'pegs_ldiversity' THEN '{"rows": 20, "l": 1.5, "columns": ["a", "c"]}'
						 WHEN 'marginal' THEN CASE WHEN options ->> 'mechanism' = 'bootstrap' OR options ->> 'rows' IS NOT NULL
												   THEN '{"rows": 20, "mechanism": "bootstrap"}' ELSE '{}' END
						 -- a domain for d, or a mechanism that needs none
						 WHEN 'histogram' THEN CASE WHEN options ->> 'columns' IS NULL THEN '{"domain": {"d": ["w0", "w1", "w2"]}}' ELSE '{}' END
						 WHEN 'cathist' THEN CASE WHEN options ->> 'columns' IS NULL THEN '{"domain": {"d": ["w0", "w1", "w2"]}}' ELSE '{}' END
						 ELSE '{}' END::jsonb $$;
CREATE FUNCTION completed(method text, options jsonb) RETURNS jsonb LANGUAGE sql
AS $$ SELECT options || coalesce((SELECT jsonb_object_agg(key, value) FROM jsonb_each(needed(method, options)) WHERE options ->> key IS NULL), '{}') $$;
-- what is not private has no price
CREATE FUNCTION price(method text) RETURNS numeric[] LANGUAGE sql
AS $$ SELECT CASE method WHEN 'pegs_ldiversity' THEN '{0,0}' ELSE '{1,1e-6}' END::numeric[] $$;
CREATE FUNCTION try(method text, options jsonb) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN CASE WHEN (SELECT count(*) FROM dp_sample(NULL::t, dp_release('t', method, (price(method))[1], (price(method))[2], completed(method, options)), 20)) = 20
				THEN 'drawn' END;
EXCEPTION WHEN OTHERS THEN
	RETURN sqlstate || ' ' || sqlerrm;
END
$$;
CREATE FUNCTION explained(method text, options jsonb) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM dp_explain('t', method, (price(method))[1], (price(method))[2], completed(method, options));
	RETURN 'explained';
EXCEPTION WHEN OTHERS THEN
	RETURN sqlstate;
END
$$;

SELECT cmp_ok((SELECT count(DISTINCT method)::int FROM options), '=', (SELECT count(*)::int FROM dp_methods WHERE method <> 'query'), 'every method has options');
SELECT is(try(method, '{}'), 'drawn', format('%s without options that it can do without', method)) FROM dp_methods WHERE method <> 'query' ORDER BY method;
SELECT is(try(method, jsonb_build_object(option, as_json(type, "default"))), 'drawn', format('%s: %s => %s', method, option, "default"))
  FROM options WHERE "default" IS NOT NULL ORDER BY method, option;
SELECT is(try(method, jsonb_object_agg(option, as_json(type, "default"))), 'drawn', format('%s: all defaults at once', method))
  FROM options WHERE "default" IS NOT NULL GROUP BY method ORDER BY method;
SELECT is(try(method, jsonb_object_agg(option, NULL)), 'drawn', format('%s: all options null', method))
  FROM options GROUP BY method ORDER BY method;
SELECT is((SELECT string_agg(stage || coalesce(epsilon_total, 0) || delta_total || coalesce(threshold, 0), ' ' ORDER BY step) FROM dp_explain('t', o.method, (price(o.method))[1], (price(o.method))[2], completed(o.method, o.options))),
		  (SELECT string_agg(stage || coalesce(epsilon_total, 0) || delta_total || coalesce(threshold, 0), ' ' ORDER BY step) FROM dp_explain('t', o.method, (price(o.method))[1], (price(o.method))[2], completed(o.method, '{}'))),
		  format('%s: defaults written out are the same plan', o.method))
  FROM (SELECT method, jsonb_object_agg(option, as_json(type, "default")) AS options FROM options WHERE "default" IS NOT NULL GROUP BY method) o;

-- every choice
SELECT is(try(method, jsonb_build_object(option, choice)), 'drawn', format('%s: %s => %s', method, option, choice))
  FROM options, unnest(choices) choice ORDER BY method, option, choice;
-- the limits: of what costs nothing to ask, at both ends, and just outside
SELECT isnt(explained(method, jsonb_build_object(option, value)), '22023', format('%s: %s => %s', method, option, value))
  FROM options, unnest(ARRAY[minimum, maximum]) value WHERE minimum IS NOT NULL AND option NOT IN ('dense_cells', 'l')
   AND type NOT LIKE '%sets of columns' -- no more columns than there are
   AND option NOT IN ('margin_share', 'selection_share') -- which together must leave something
 ORDER BY method, option, value;
SELECT is(explained(method, jsonb_build_object(option, value)), '22023', format('%s: %s => %s is refused', method, option, value))
  FROM options, unnest(ARRAY[minimum - 1e-9, maximum + 1e-9, minimum - 1, maximum + 1]) value
 WHERE minimum IS NOT NULL ORDER BY method, option, value;
-- what is of another type
SELECT is(explained(method, jsonb_build_object(option, value)), '22023', format('%s: %s => %s is refused', method, option, value))
  FROM options, unnest(CASE WHEN type IN ('integer', 'share') THEN ARRAY['"1"', 'true', '[]', '{}']::jsonb[]
							WHEN type = 'integer or word' THEN ARRAY['true', '[]', '{}', '"no such word"']::jsonb[]
							WHEN type = 'boolean' THEN ARRAY['1', '"true"', '[]', '{}']::jsonb[]
							WHEN type = 'choice' THEN ARRAY['1', 'true', '["x"]', '{}', '"no such choice"']::jsonb[]
							WHEN type IN ('text', 'column') THEN ARRAY['1', 'true', '["a"]', '{}']::jsonb[]
							WHEN type LIKE 'list%' THEN ARRAY['1', '"a"', 'true', '{"a": "b"}', '[1]', '[["a"]]']::jsonb[]
							WHEN type = 'sets of columns' THEN ARRAY['true', '{}', '[1]', '{"a": "b"}', '"no such column"']::jsonb[]
							WHEN type = 'weighted sets of columns' THEN ARRAY['true', '[1]', '{"a": "b"}', '{"a": -1}']::jsonb[]
							ELSE ARRAY['1', '"a"', 'true', '["a"]', '{"a": "b"}', '{"a": [1]}']::jsonb[] END) value
 ORDER BY method, option, value;
-- lists and maps of columns
SELECT is(try(method, '{"columns": ["c", "a"]}'), 'drawn', format('%s: attributes in another order', method)) FROM dp_methods WHERE method <> 'query' ORDER BY method;
SELECT is(try('sbhg', '{"column_order": ["d", "c", "b", "a"], "parents": 2}'), 'drawn', 'sbhg: column_order');
SELECT is(try('sbhg', '{"network": {"a": ["b", "c"], "b": [], "c": ["a"], "d": ["a"]}}'), 'drawn', 'sbhg: features');

SELECT * FROM finish();
RESET SESSION AUTHORIZATION;
DROP OWNED BY pgtap_options_owner CASCADE;
DROP ROLE pgtap_options_owner;
