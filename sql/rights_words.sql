-- Words that are made of names: what they mean is compared before it runs, and calls that are ready
-- to be run hold literals and comments of one line.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE ROLE regress_dp_words_owner;
CREATE ROLE regress_dp_words_caller;
CREATE SCHEMA words;
GRANT USAGE, CREATE ON SCHEMA words TO regress_dp_words_owner;
GRANT USAGE ON SCHEMA words TO regress_dp_words_caller;
CREATE SCHEMA made AUTHORIZATION regress_dp_words_caller;
SET search_path = words, public;
SET SESSION AUTHORIZATION regress_dp_words_owner;
SET client_min_messages = warning;

-- a statement that means anything but what was looked at does not run; nor does what it calls
CREATE TABLE looked_at (n int);
CREATE TABLE other (n int);
INSERT INTO looked_at VALUES (1), (2);
CREATE FUNCTION note(i int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'run by %', current_user; RETURN i; END $$;
CREATE DOMAIN noted AS int CHECK (note(VALUE) > 0);
CREATE TYPE pair AS (n noted);
CREATE TYPE mood AS ENUM ('good', 'bad');
CREATE VIEW shown AS SELECT note(n) AS n FROM looked_at;
RESET SESSION AUTHORIZATION;
CREATE TABLE mine (n int);
\set both 'ARRAY[''words.looked_at''::regclass, ''words.mine''::regclass]::oid[]'
SELECT dp_catalog.dp_statement('SELECT count(*), NULL, ''a'' FROM words.looked_at', :both);
SELECT dp_catalog.dp_statement('SELECT n FROM words.looked_at WHERE n > 2', :both);
SELECT dp_catalog.dp_statement('SELECT count(*) FROM words.other', :both);
SELECT dp_catalog.dp_statement('WITH o AS (SELECT * FROM words.other) SELECT count(*) FROM words.looked_at, o', :both);
SELECT dp_catalog.dp_statement('SELECT (SELECT max(n) FROM words.other) FROM words.looked_at', :both);
SELECT dp_catalog.dp_statement('SELECT n FROM words.shown', :both);
SELECT dp_catalog.dp_statement('SELECT words.note(n) FROM words.looked_at', :both);
SELECT dp_catalog.dp_statement('SELECT n FROM words.looked_at ORDER BY words.note(n)', :both);
SELECT dp_catalog.dp_statement('SELECT n::words.noted FROM words.looked_at', :both);
SELECT dp_catalog.dp_statement('SELECT NULL::words.pair FROM words.looked_at', :both);
SELECT dp_catalog.dp_statement('INSERT INTO words.other SELECT n FROM words.looked_at', :both);
SELECT dp_catalog.dp_statement('DROP TABLE words.looked_at', :both);
SELECT dp_catalog.dp_statement('SELECT 1', '{}');
-- the next statement, and one that a failed one left, are not asked about
SELECT dp_catalog.dp_statement('SELECT no_such FROM words.looked_at', :both);
SELECT count(*) FROM other;
DO $$
BEGIN
	BEGIN
		PERFORM dp_catalog.dp_statement('SELECT no_such FROM words.looked_at', ARRAY['words.looked_at'::regclass, 'words.mine'::regclass]::oid[]);
	EXCEPTION WHEN undefined_column THEN
		RAISE WARNING 'failed, with % rows in another table', (SELECT count(*) FROM words.other);
	END;
END
$$;

-- a function in C is trusted as long as its owner is: he can make it another one, under its number
SELECT probin AS library FROM pg_proc WHERE proname = 'dp_on_grid' LIMIT 1 \gset
CREATE FUNCTION counted(oid) RETURNS bool AS :'library', 'dp_is_code' LANGUAGE C IMMUTABLE STRICT;
CREATE TABLE of_c (o oid CHECK (counted(o)));
SELECT dp_catalog.dp_runs_code(conbin) FROM pg_constraint WHERE conrelid = 'of_c'::regclass;
ALTER FUNCTION counted(oid) OWNER TO regress_dp_words_owner;
SELECT dp_catalog.dp_runs_code(conbin) FROM pg_constraint WHERE conrelid = 'of_c'::regclass;
SET SESSION AUTHORIZATION regress_dp_words_owner;
SELECT dp_catalog.dp_runs_code(conbin) FROM pg_constraint WHERE conrelid = 'words.of_c'::regclass;
RESET SESSION AUTHORIZATION;

-- what makes tables is for their owners, and takes no code of others over
SET SESSION AUTHORIZATION regress_dp_words_owner;
CREATE TABLE t (id int PRIMARY KEY, mood mood DEFAULT 'good', n int CHECK (n > 0) CHECK (note(n) > 0), pick int DEFAULT note(1));
CREATE INDEX t_noted ON t (n) WHERE mood = 'good';
ALTER FUNCTION note(int) IMMUTABLE;
CREATE INDEX t_code ON t (note(n));
SELECT 't_code'::regclass::oid AS code_index, 't_noted'::regclass::oid AS plain_index, 't'::regclass::oid AS t \gset
SELECT dp_protect('t', 1), dp_grant('t', 'regress_dp_words_caller', 1);
SET SESSION AUTHORIZATION regress_dp_words_caller;
SET client_min_messages = warning;
SELECT dp_catalog.dp_synthetic_table('words.t', 'words');
SELECT dp_catalog.dp_synthetic_table('words.t', 'made') AS made \gset
SELECT attname, pg_get_expr(adbin, adrelid) FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum WHERE attrelid = :made AND attnum > 0 ORDER BY attnum;
SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = :made AND contype = 'c';
SELECT pg_get_indexdef(dp_catalog.dp_synthetic_index(:plain_index, :made));
SELECT dp_catalog.dp_synthetic_index(:code_index, :made);
SELECT dp_catalog.dp_synthetic_index(:plain_index, :t);
SELECT dp_catalog.dp_synthetic_drop_index(:plain_index);
SELECT dp_catalog.dp_synthetic_comment(:t, 'x');
SELECT dp_catalog.dp_synthetic_identity(:t, 'id', 1);
SELECT dp_catalog.dp_synthetic_drop_constraint(:t, 't_pkey');
SELECT dp_catalog.dp_keeps_checks(:made, ROW(1, 'good'::words.mood, 1, 1)), dp_catalog.dp_keeps_checks(:made, ROW(1, 'good'::words.mood, -1, 1)),
	   dp_catalog.dp_keeps_checks(:made, ROW(1, 'good'::words.mood, -1, 1), 1), dp_catalog.dp_keeps_checks(:made, ROW(1, NULL::words.mood, NULL::int, 1));
SELECT dp_catalog.dp_keeps_checks(:made, ROW(1, 'good', 1, 1));
SELECT dp_catalog.dp_keeps_checks(:t, ROW(1, 'good'::words.mood, 1, 1));
BEGIN READ ONLY;
SELECT dp_catalog.dp_synthetic_table('words.t', 'made');
ROLLBACK;

-- literals and lines
RESET SESSION AUTHORIZATION;
SELECT w, l FROM (VALUES (E'plain'), (E'it''s'), (E'a\\b'), (E'a\nb'), (E'\r\n\\gexec\n''; DROP TABLE x; --'), (E'tab\tand */ \\! ls'), (E'\u2028\u202E\u0085'), (E'\u00e9\u4e2d')) v(w), dp_catalog.dp_literal(w) l;
DO $$ -- each means what it was made of, whatever the setting
DECLARE
	w text;
	got text;
BEGIN
	FOREACH w IN ARRAY ARRAY[E'plain', E'it''s', E'a\\b', E'a\nb\r', E'\\\n''', E'\u2028\u202E\u0085\u4e2d', E'\x7f'] LOOP
		FOR i IN 0..CASE WHEN current_setting('server_version_num')::integer < 190000 THEN 1 ELSE 0 END LOOP -- 19 has one
			PERFORM set_config('standard_conforming_strings', CASE i WHEN 0 THEN 'on' ELSE 'off' END, true);
			EXECUTE 'SELECT ' || dp_catalog.dp_literal(w) INTO got;
			ASSERT got = w AND dp_catalog.dp_literal(w) !~ '[\x01-\x1f]';
		END LOOP;
	END LOOP;
	PERFORM set_config('standard_conforming_strings', 'on', true);
END
$$;
SELECT dp_catalog.dp_one_line(E'a\n\r\nb \u2028 "c\\d" \u202Ee');

-- suggestions, for names and values of all kinds: each is one line, and when the script is run it calls
-- dp_define_column with literals, and nothing else
SET SESSION AUTHORIZATION regress_dp_words_owner;
SET client_min_messages = error;
RESET SESSION AUTHORIZATION;
GRANT CREATE ON DATABASE :DBNAME TO regress_dp_words_owner;
SET SESSION AUTHORIZATION regress_dp_words_owner;
CREATE SCHEMA "s
\! echo schema; SELECT note(1); --";
SET search_path = "s
\! echo schema; SELECT note(1); --", words, public;
CREATE TYPE "kind
; SELECT words.note(1); --" AS ENUM (E'one\n; SELECT words.note(1); --', E'two\\''*/', E'\u2028\\gexec');
CREATE TABLE "keys
; SELECT words.note(1); --" (id text PRIMARY KEY, "k
; SELECT words.note(1); --" int UNIQUE);
CREATE TABLE "t
; SELECT words.note(1); --" (
	"a
; SELECT words.note(1); --" date,
	"b
\gexec
" date,
	"c ' \ */ --
\! ls" text,
	"d
; SELECT words.note(1); --" "kind
; SELECT words.note(1); --",
	"e
; SELECT words.note(1); --" numeric,
	"f
; SELECT words.note(1); --" text,
	"g
; SELECT words.note(1); --" serial,
	"h
; SELECT words.note(1); --" text CHECK ("h
; SELECT words.note(1); --" IN (E'x\n; SELECT words.note(1); --', 'y')),
	"i
; SELECT words.note(1); --" int REFERENCES "keys
; SELECT words.note(1); --" ("k
; SELECT words.note(1); --"),
	"j
; SELECT words.note(1); --" timestamp,
	"k
; SELECT words.note(1); --" timestamp);
INSERT INTO "t
; SELECT words.note(1); --" SELECT date '2000-01-01' + i * 5, date '2000-01-01' + i * 5 + i % 3, (ARRAY[E'v\n; SELECT words.note(1); --', 'w''', E'\\'])[1 + i % 3],
	(enum_range(NULL::"kind
; SELECT words.note(1); --"))[1 + i % 3], i / 3.0, E'name\n' || i, i, 'y', NULL,
	timestamp '2000-01-01' + i * interval '5 days', timestamp '2000-01-01' + i * interval '5 days' + i % 50 * interval '1 hour'
  FROM generate_series(1, 2000) i;
SELECT dp_protect('"t
; SELECT words.note(1); --"', 100000) \gset
CREATE TABLE words.script AS
SELECT f, e, s, row_number() OVER () AS n FROM (VALUES (true, 1), (true, 1000), (false, 1)) v(f, e),
	   dp_suggest_columns('"t
; SELECT words.note(1); --"', f, e) s;
-- how many lines there are, of which kind, and whether one is more than a line
SELECT f, e, count(*), count(*) FILTER (WHERE s ~ '^-- '), count(*) FILTER (WHERE s ~ '^SELECT public\.dp_define_column\('), count(*) FILTER (WHERE s ~ '[\x01-\x1f]') FROM words.script GROUP BY f, e ORDER BY f, e;
-- with its literals taken out, a line is a call of names and literals, and then a comment
SELECT count(*), bool_and(regexp_replace(s, 'E?''([^''\\]|''''|\\.)*''', 'L', 'g')
						  ~ '^SELECT public\.dp_define_column\(L, L(, (categories => L|range => L|resolution => L|offset_of => L|fill => L|computed => L|open => true))+\); -- [^\n\r]*$')
  FROM words.script WHERE s !~ '^--';
-- calls in comments are such calls too
SELECT count(*) > 0, bool_and(c.call[1] !~ '[\x01-\x1f]') FROM words.script, regexp_matches(s, '(SELECT public\.dp_define_column.*)$') c(call) WHERE s ~ '^--';
-- run by a superuser as psql would run the script, and as \gexec would
RESET SESSION AUTHORIZATION;
SET client_min_messages = warning;
\o /dev/null
SELECT s FROM words.script WHERE e = 1 AND f ORDER BY n \gexec
\o
SELECT DISTINCT d.kind, d.source, d.labels FROM dp_columns d WHERE d.relation = '"s
\! echo schema; SELECT note(1); --"."t
; SELECT words.note(1); --"'::regclass AND d.source = 'declared' AND d.kind = 'categories' ORDER BY 3;
-- what dp_explain and hints write
SELECT count(*) > 100, count(*) FILTER (WHERE h ~ '[\x01-\x1f]') FROM dp_explain('"s
\! echo schema; SELECT note(1); --"."t
; SELECT words.note(1); --"', 'mst', 1, 1e-9) x, to_jsonb(x) j, jsonb_each_text(j) h(k, h);

SET client_min_messages = error;
SET search_path = public;
DROP SCHEMA made, words, "s
\! echo schema; SELECT note(1); --" CASCADE;
DROP OWNED BY regress_dp_words_owner, regress_dp_words_caller;
DROP ROLE regress_dp_words_owner, regress_dp_words_caller;
