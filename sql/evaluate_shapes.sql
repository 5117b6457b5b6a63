-- dp_evaluate where tables differ in shape, with bins, without rights, and when it is asked for nonsense
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
\set VERBOSITY default
CREATE SCHEMA t68;
SET search_path = t68, public;
SET client_min_messages = warning;

-- types that compare: numbers with numbers, dates with timestamps, texts with enums and domains
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TYPE other_mood AS ENUM ('ok', 'sad');
CREATE DOMAIN word AS varchar(9);
CREATE TABLE one (n smallint, d date, w text, c char(4), m mood, e mood, b boolean, j jsonb, gone int, t text, u uuid);
ALTER TABLE one DROP COLUMN gone;
CREATE TABLE two (u uuid, t int, j jsonb, b boolean, e mood, m other_mood, c text, w word, d timestamp, n numeric, extra int);
INSERT INTO one VALUES (1, '2020-01-01', 'x', 'ab', 'sad', 'ok', true, '{"a": 1}', 'x', '00000000-0000-0000-0000-000000000001'),
					   (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO two VALUES ('00000000-0000-0000-0000-000000000001', 1, '{"a": 1}', true, 'ok', 'sad', 'ab', 'x', '2020-01-01', 1.00, 1),
					   (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
SELECT measure, columns, detail FROM dp_evaluate('one', 'two') WHERE measure = 'skipped' ORDER BY columns;
SELECT max(value), count(*) FROM dp_evaluate('one', 'two', '{"ways": 8, "each": true}') WHERE measure LIKE 'tvd%';
-- times are seconds since 1970
SELECT original, synthetic, detail FROM dp_evaluate('one', 'two') WHERE measure = 'mean' AND columns = '{d}';

-- values that are no finite numbers: not in means, and levels like any others
CREATE TABLE odd (x float8);
INSERT INTO odd VALUES (1), (3), ('NaN'), ('Infinity'), (NULL), (0.0);
CREATE TABLE even (x float8);
INSERT INTO even VALUES (1), (3), ('NaN'), ('Infinity'), (NULL), ('-0');
SELECT measure, value, original, synthetic FROM dp_evaluate('odd', 'even') WHERE measure IN ('tvd1', 'mean', 'q3', 'wasserstein1');

-- Bins: of 1..100 four quantile bins end at 25, 50, 75; the synthetic rows are in the last one
CREATE TABLE numbers AS SELECT i AS x FROM generate_series(1, 100) i;
CREATE TABLE high AS SELECT i AS x FROM generate_series(76, 175) i;
SELECT measure, columns, value, detail FROM dp_evaluate('numbers', 'high', '{"bins": 4}') WHERE measure LIKE 'tvd%';
-- a value that many rows have is an edge: 0, 0, 0, 0, 0, 0, 7, 8 has the quantiles 0, 0, 7
CREATE TABLE spike AS SELECT unnest('{0,0,0,0,0,0,7,8}'::int[]) AS x;
CREATE TABLE flat AS SELECT unnest('{0,1,7,8}'::int[]) AS x;
SELECT measure, columns, value, detail FROM dp_evaluate('spike', 'flat', '{"bins": 4}') WHERE measure LIKE 'tvd%';
SELECT measure, columns, value, detail FROM dp_evaluate('spike', 'flat', '{"bins": 3}') WHERE measure LIKE 'tvd%';
-- Public ones where the original is protected: [0,50) [50,100]; outside is clamped. 49 and 51 of 100 to 0 and 100
CREATE TABLE kept AS SELECT i AS x FROM generate_series(1, 100) i;
SELECT dp_protect('kept', 1);
SELECT dp_define_column('kept', 'x', bins => '{0,50,100}');
SELECT measure, columns, round(value::numeric, 9), detail FROM dp_evaluate('kept', 'high', '{"bins": 4}') WHERE measure LIKE 'tvd%';
SELECT count(*) FROM dp_ledger WHERE relation = 'kept'::regclass;

-- one table by itself is at no distance, also where codes spill to a file and tables are counted in many passes
CREATE TABLE many AS
SELECT i % 7 AS a, i % 11 AS b, i % 13 AS c, (i * 31 % 17)::text AS d, i % 5 AS e, i % 19 AS f, i * i % 23 AS g, i % 3 AS h, i % 20 AS k, i % 8 AS l
  FROM generate_series(1, 20000) i;
CREATE TABLE half AS SELECT * FROM many WHERE a < 3;
SELECT count(*), max(value) FROM dp_evaluate('many', 'many', '{"memory": "1MB", "each": true}') WHERE measure LIKE 'tvd%';
SELECT count(*), max(abs(a.value - b.value)) FROM dp_evaluate('many', 'half', '{"memory": "1MB", "each": true}') a
  JOIN dp_evaluate('many', 'half', '{"memory": "200MB", "each": true}') b USING (measure, columns);
-- rows that lie otherwise on their pages are the same rows: short and long texts, NULLs, blanks at the end,
-- a column that came later, another order and other types
CREATE TABLE laid_out (a text, b varchar(9), c text, n int, d text);
INSERT INTO laid_out SELECT CASE WHEN i % 5 > 0 THEN repeat('x', i % 30) END, repeat('y', i % 9), CASE i % 7 WHEN 0 THEN NULL WHEN 1 THEN repeat('z', 3000) WHEN 2 THEN repeat('z', 126) WHEN 3 THEN repeat('z', 127) ELSE i % 3 || ' ' END, i % 4, 'd'
  FROM generate_series(1, 1000) i;
ALTER TABLE laid_out ADD e text DEFAULT 'later';
CREATE TABLE laid_out_else AS SELECT e, d, n, c::varchar, b::text, a::varchar FROM laid_out;
CREATE TABLE laid_out_shorter AS SELECT a, b, c, n, d, e FROM laid_out WHERE a IS NOT NULL AND c IS NOT NULL;
SELECT count(*), max(value) FROM dp_evaluate('laid_out', 'laid_out_else', '{"ways": 6, "each": true}') WHERE measure ~ '^(tvd|utility)';
SELECT bool_and(abs(value - expected) < 1e-12)
  FROM dp_evaluate('laid_out', 'laid_out_shorter', '{"each": true, "ways": 2}') e,
	   LATERAL (SELECT sum(abs(p - q)) / 2 AS expected FROM (SELECT sum(w1) AS p, sum(w2) AS q FROM (
			SELECT to_jsonb(l) AS r, 1.0 / count(*) OVER () AS w1, 0 AS w2 FROM laid_out l
			UNION ALL SELECT to_jsonb(l), 0, 1.0 / count(*) OVER () FROM laid_out_shorter l) u
		GROUP BY r -> columns[1], r -> columns[2]) s) x WHERE measure IN ('tvd1', 'tvd2') AND columns IS NOT NULL;
-- so are those with values of all lengths and alignments
CREATE TABLE aligned (b bool, s smallint, t text, d date, n numeric, f float8, c "char", i int, u uuid, w text, l bigint, z timestamptz, r interval, a name, k char(3));
INSERT INTO aligned SELECT i % 3 = 0, CASE WHEN i % 4 > 0 THEN i % 5 END, repeat('t', i % 7), date '2020-01-01' + i % 9, CASE WHEN i % 5 > 0 THEN i % 8 / 4.0 END, i % 6 / 2.0, chr(97 + i % 2)::"char",
	CASE WHEN i % 3 > 0 THEN i % 4 END, md5((i % 5)::text)::uuid, CASE i % 4 WHEN 0 THEN repeat('w', 200) WHEN 1 THEN 'w' END, i % 7, timestamptz '2020-01-01 UTC' + (i % 3) * interval '1 day', (i % 4) * interval '1 hour', 'n' || i % 3, i % 11
  FROM generate_series(1, 1000) i;
CREATE TABLE aligned_else AS SELECT k, a, r, z, l, w, u, i, c, f, n, d, t, s, b FROM aligned;
CREATE TABLE aligned_shorter AS SELECT * FROM aligned WHERE i IS NOT NULL;
SELECT count(*), max(value) FROM dp_evaluate('aligned', 'aligned_else', '{"ways": 2, "each": true}') WHERE measure ~ '^(tvd|utility)';
SELECT count(*), max(abs(x.value - y.value)) < 1e-12 FROM dp_evaluate('aligned', 'aligned_shorter', '{"each": true}') x
  JOIN (SELECT *, ARRAY(SELECT unnest(columns) ORDER BY 1) AS named FROM dp_evaluate('aligned_else', 'aligned_shorter', '{"each": true}')) y
  ON x.measure = y.measure AND ARRAY(SELECT unnest(x.columns) ORDER BY 1) IS NOT DISTINCT FROM y.named WHERE x.measure ~ '^(tvd|linf)';
-- triples with more cells than distinct rows, whose cells are listed, have the distances that their rows have
CREATE TABLE crowded AS SELECT i % 40 AS a, i * i % 41 AS b, (i / 7 % 39)::text AS c, i % 5 AS d FROM generate_series(1, 3000) i;
CREATE TABLE crowded_half AS SELECT * FROM crowded WHERE b < 21;
SELECT count(*), bool_and(abs(value - expected) < 1e-12) FROM dp_evaluate('crowded', 'crowded_half', '{"bins": 100, "each": true}') e,
	   LATERAL (SELECT sum(abs(p - q)) / 2 AS expected FROM (SELECT sum(w1) AS p, sum(w2) AS q FROM (
			SELECT to_jsonb(l) AS r, 1.0 / count(*) OVER () AS w1, 0 AS w2 FROM crowded l
			UNION ALL SELECT to_jsonb(l), 0, 1.0 / count(*) OVER () FROM crowded_half l) u
		GROUP BY r -> columns[1], r -> columns[2], r -> columns[3]) s) x WHERE measure ~ '^tvd' AND columns IS NOT NULL;
-- a column with more different values than fit memory is left out, and said
CREATE TABLE keys AS SELECT i % 3 AS a, md5(i::text) AS k FROM generate_series(1, 20000) i;
SELECT measure, columns, detail ~ 'do not fit memory' FROM dp_evaluate('keys', 'keys', '{"memory": "1MB"}') WHERE measure = 'skipped';
SELECT max(value) FROM dp_evaluate('keys', 'keys', '{"memory": "100MB"}') WHERE measure = 'tvd2';

-- distances are exact: 0 of equal shares however many rows there are, 1 without a common cell; j shares the last bin, 47/49
CREATE TABLE sevenths AS SELECT i % 7 AS k, i % 49 AS j FROM generate_series(1, 49) i;
CREATE TABLE of_them AS SELECT s.* FROM sevenths s, generate_series(1, 3);
CREATE TABLE none_of_them AS SELECT 7 + i % 3 AS k, 49 + i AS j FROM generate_series(1, 11) i;
SELECT min(value), max(value) FROM dp_evaluate('sevenths', 'of_them', '{"each": true}') WHERE measure ~ '^(tvd|linf)';
SELECT min(value), max(value) FROM dp_evaluate('sevenths', 'none_of_them', '{"each": true}') WHERE measure ~ '^tvd';
-- views, partitions, temporary tables, names that need quotes; a table of one row, and of NULL alone
CREATE VIEW "A ""view""" AS SELECT j, k FROM of_them;
CREATE TABLE parts (k int, j int) PARTITION BY LIST (k);
CREATE TABLE parts_0 PARTITION OF parts FOR VALUES IN (0);
CREATE TABLE parts_else PARTITION OF parts DEFAULT;
INSERT INTO parts SELECT * FROM sevenths;
CREATE TEMPORARY TABLE passing AS SELECT * FROM sevenths;
SELECT max(value) FROM dp_evaluate('"A ""view"""', 't68.parts') WHERE measure ~ '^tvd';
SELECT max(value) FROM dp_evaluate('passing', '"A ""view"""') WHERE measure ~ '^tvd';
CREATE TABLE single AS SELECT 1 AS a, NULL::text AS b, NULL::int AS c;
SELECT measure, columns, value, original, detail FROM dp_evaluate('single', 'single', '{"columns": ["a", "c"]}')
 WHERE measure IN ('rows', 'null_share', 'mean', 'sd', 'tvd1', 'cramers_v', 'chi_square');

-- what cannot be compared
SELECT count(*) FROM dp_evaluate(NULL, 'one');
SELECT count(*) FROM dp_evaluate('one', 0);
SELECT count(*) FROM dp_evaluate('one', 'pg_class_oid_index');
SELECT count(*) FROM dp_evaluate('one', 'numbers');
SELECT count(*) FROM dp_evaluate('one', 'two', '{"columns": ["nix"]}');
SELECT count(*) FROM dp_evaluate('one', 'two', '{"way": 2}');
SELECT count(*) FROM dp_evaluate('one', 'two', '{"bins": 1}');
SELECT count(*) FROM dp_evaluate('one', 'two', '{"ways": "three"}');
SELECT count(*) FROM dp_evaluate('one', 'two', '{"memory": "much"}');
SELECT count(*) FROM dp_evaluate('one', 'two', '{"memory": "1kB"}');
SELECT count(*) FROM dp_evaluate('one', 'two', '{"memory": 64}');
SELECT count(*) FROM dp_evaluate('one', 'two', '{"memory": -64}');
SELECT count(*) > 0 FROM dp_evaluate('one', 'two', '{"memory": 4096}');
SELECT count(*) FROM dp_evaluate('one', 'two', '[1]');
CREATE TABLE nobody (n int);
SELECT count(*) FROM dp_evaluate('one', 'nobody');
SELECT count(*) FROM dp_evaluate('nobody', 'one');

-- The rights are those of the caller: on both relations, on columns, on rows
CREATE ROLE t68_reader;
GRANT USAGE ON SCHEMA t68 TO t68_reader;
CREATE TABLE secret (id int, a text, b text);
INSERT INTO secret VALUES (1, 'x', 'y'), (2, 'x', 'y'), (3, 'y', 'x');
CREATE TABLE fake AS TABLE secret;
CREATE FUNCTION t68.is_read(what text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE what;
	RETURN 'read';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
SET ROLE t68_reader;
SELECT is_read($$SELECT count(*) FROM dp_evaluate('secret', 'fake')$$);
SELECT is_read($$SELECT count(*) FROM dp_evaluate_risk('secret', 'fake', '{a}', 'b')$$);
RESET ROLE;
GRANT SELECT ON fake TO t68_reader;
SET ROLE t68_reader;
SELECT is_read($$SELECT count(*) FROM dp_evaluate('secret', 'fake')$$);
SELECT is_read($$SELECT count(*) FROM dp_evaluate('fake', 'secret')$$);
SELECT is_read($$SELECT count(*) FROM dp_evaluate_risk('fake', 'secret', '{a}', 'b')$$);
SELECT is_read($$SELECT count(*) FROM dp_evaluate('fake', 'fake')$$);
RESET ROLE;
GRANT SELECT (a, b) ON secret TO t68_reader;
SET ROLE t68_reader;
SELECT is_read($$SELECT count(*) FROM dp_evaluate('secret', 'fake')$$);
SELECT is_read($$SELECT count(*) FROM dp_evaluate('secret', 'fake', '{"columns": ["a", "b"]}')$$);
SELECT is_read($$SELECT count(*) FROM dp_evaluate_risk('secret', 'fake', '{a}', 'b')$$);
SELECT is_read($$SELECT count(*) FROM dp_evaluate_risk('secret', 'fake', '{a}', 'b', '{"columns": ["a"]}')$$);
RESET ROLE;
GRANT SELECT ON secret TO t68_reader;
ALTER TABLE secret ENABLE ROW LEVEL SECURITY;
CREATE POLICY partly ON secret FOR SELECT TO t68_reader USING (a = 'x');
SET ROLE t68_reader;
SELECT value, original, synthetic FROM dp_evaluate('secret', 'fake') WHERE measure = 'rows';
RESET ROLE;
DROP POLICY partly ON secret;
SET ROLE t68_reader;
SELECT count(*) FROM dp_evaluate('secret', 'fake');
-- a view reads with its owner's rights, as in any query
RESET ROLE;
CREATE VIEW shown AS SELECT a, b FROM secret;
GRANT SELECT ON shown TO t68_reader;
SET ROLE t68_reader;
SELECT value, original, synthetic FROM dp_evaluate('shown', 'fake') WHERE measure = 'rows';
-- a grant of budget is no right to read
RESET ROLE;
SELECT dp_grant('kept', 't68_reader', 1);
SET ROLE t68_reader;
SELECT is_read($$SELECT count(*) FROM dp_evaluate('kept', 'kept')$$);
RESET ROLE;

-- names and operators that somebody planted are not called
CREATE TABLE t68."Odd ""name" ("select" text, "A b" int);
INSERT INTO "Odd ""name" VALUES ('x', 1);
SELECT count(*) > 5 FROM dp_evaluate('"Odd ""name"', '"Odd ""name"');

\set VERBOSITY terse
SELECT dp_unprotect('kept');
DROP SCHEMA t68 CASCADE;
DROP ROLE t68_reader;
