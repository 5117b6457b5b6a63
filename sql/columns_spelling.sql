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
-- what is suggested has one of each, too
CREATE TABLE bare (LIKE spelled);
INSERT INTO bare TABLE spelled;
SELECT dp_protect('bare', 100);
SELECT regexp_replace(s, ' *--.*', '') FROM dp_suggest_columns('bare') s;
DROP SCHEMA t_spelling CASCADE;
