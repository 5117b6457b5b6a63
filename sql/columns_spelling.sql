-- values that are equal in two spellings: the one that most rows have comes back, and counts for all
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t_spelling;
SET search_path = t_spelling, public;
SET client_min_messages = error;
CREATE COLLATION no_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE spelled (city text COLLATE no_case, word text COLLATE "C", price numeric, zero float8, lasts interval, code char(6), plain varchar(10));
INSERT INTO spelled SELECT CASE WHEN seldom THEN 'BERLIN' WHEN i % 2 = 0 THEN 'Berlin' ELSE 'Rome' END, CASE WHEN seldom THEN 'A' WHEN i % 2 = 0 THEN 'a' ELSE 'b' END,
	CASE WHEN seldom THEN 0.1 WHEN i % 2 = 0 THEN 0.10 ELSE 2 END, CASE WHEN seldom THEN float8 '-0' WHEN i % 2 = 0 THEN 0 ELSE 2 END,
	CASE WHEN seldom THEN interval '1 day' WHEN i % 2 = 0 THEN '24:00:00' ELSE '2 days' END, CASE WHEN i % 2 = 0 THEN 'x' ELSE 'y' END, CASE WHEN seldom THEN 'V' WHEN i % 2 = 0 THEN 'v' ELSE 'w' END
  FROM (SELECT i, i % 20 = 0 AS seldom FROM generate_series(1, 8000) i) x;
SELECT dp_protect('spelled', 100000, 1e-3);
SELECT count(dp_define_column('spelled', c, open => true)) FROM unnest('{city,word,price,zero,lasts,code,plain}'::name[]) c;
CREATE FUNCTION spellings(release bigint) RETURNS TABLE (col text, value text, near_thousands bigint) LANGUAGE sql AS $$
	SELECT c, min(v), round(count(*) / 400.0) FROM dp_sample(NULL::spelled, release, seed => 1) s,
		LATERAL (VALUES ('city', city COLLATE "C"), ('word', word), ('price', price::text), ('zero', zero::text), ('lasts', lasts::text), ('code', code::text), ('plain', plain)) x(c, v) GROUP BY c, v COLLATE "C" ORDER BY c, min(v) COLLATE "C" $$;
-- all spellings are found, and those of one value are one level; a and A are two words
SELECT m, (spellings(dp_release('spelled', m, 1000, 1e-4))).* FROM unnest('{mst}'::text[]) m;
SELECT m, col FROM unnest('{aim,privbayes}'::text[]) m, LATERAL dp_release('spelled', m, 1000, 1e-4) r, LATERAL spellings(r)
	WHERE value COLLATE "C" IN ('BERLIN', '0.1', '-0', '@ 1 day');
SELECT cell, round(estimate / 400) FROM dp_query(NULL::spelled, '{count(*)}', 1000, by => '{city}', delta => 1e-4) ORDER BY 1;
SELECT cell, round(estimate / 400) FROM dp_answer(dp_release('spelled', 'mst', 1000, 1e-4), '{price}') ORDER BY 1;
CREATE TABLE counted (LIKE spelled);
INSERT INTO counted TABLE spelled;
SELECT dp_protect('counted', 100000, 1e-3);
SELECT count(dp_define_column('counted', c, categories => v)) FROM (VALUES ('city'::name, '{Berlin,Rome}'::text[]), ('price', '{0.1,2}'), ('code', '{x,y}')) x (c, v);
-- a filter may have any of them
SELECT filter, round(a.estimate / 400) AS answered, round(q.estimate / 400) AS queried
  FROM unnest('{"{\"price\": 0.100}","{\"code\": \"x \"}","{\"city\": \"berlin\"}"}'::jsonb[]) AS filter, dp_release('counted', 'mst', 1000, 1e-4) r, LATERAL dp_answer(r, filter => filter) a, LATERAL dp_query(NULL::counted, '{count(*)}', 1000, filter => filter) q;
SELECT city, count(*) FROM dp_release('counted', 'mst', 1000, 1e-4) r, LATERAL dp_sample(NULL::counted, r, rows => 10, seed => 1, given => '{"city": "berlin"}') GROUP BY city;
SELECT c.city, c.price, count(*) FROM dp_release('counted', 'mst', 1000, 1e-4) r, generate_series(1, 20) i, LATERAL dp_impute(ROW('BERLIN', NULL, NULL, NULL, NULL, NULL, NULL)::counted, r, seed => 1) c GROUP BY c.city, c.price;
-- of a release whose table is not there any more, bytes are compared
CREATE TABLE left_alone AS SELECT city FROM counted;
SELECT dp_protect('left_alone', 100000, 1e-3);
SELECT dp_define_column('left_alone', 'city', categories => '{Berlin,Rome}');
SELECT dp_release('left_alone', 'flat', 1000) AS alone \gset
DROP TABLE left_alone;
SELECT round(estimate / 400) FROM dp_answer(:alone, filter => '{"city": "Berlin"}');
SELECT round(estimate / 400) FROM dp_answer(:alone, filter => '{"city": "berlin"}');
-- rows that are equal in other spellings are not further away
CREATE TABLE respelled (LIKE spelled, field jsonb, list numeric[], parts nummultirange);
INSERT INTO respelled SELECT upper(city), word, price, zero, CASE lasts WHEN '1 day' THEN interval '1 day' ELSE '48:00' END, code, plain, '{"a": 1.0}', '{1.0}', '{[1.0,2)}' FROM spelled;
ALTER TABLE spelled ADD field jsonb DEFAULT '{"a": 1}', ADD list numeric[] DEFAULT '{1}', ADD parts nummultirange DEFAULT '{[1,2.0)}';
SELECT round(value::numeric, 4) FROM dp_evaluate('spelled', 'respelled') WHERE measure = 'tvd1' AND columns IS NULL;
-- what is suggested has one of each, too
ALTER TABLE spelled DROP parts;
CREATE TABLE bare (LIKE spelled);
INSERT INTO bare TABLE spelled;
SELECT dp_protect('bare', 100);
SELECT regexp_replace(s, ' *--.*', '') FROM dp_suggest_columns('bare') s;
DROP SCHEMA t_spelling CASCADE;
