-- public domains that are never written out: what they hold, who may read a dictionary, and what is
-- refused
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t43;
CREATE ROLE regress_dp_43_owner;
CREATE ROLE regress_dp_43_analyst;
GRANT USAGE, CREATE ON SCHEMA t43 TO regress_dp_43_owner, regress_dp_43_analyst;
SET search_path = t43, public;
SET SESSION AUTHORIZATION regress_dp_43_owner;
SET client_min_messages = notice;
CREATE DOMAIN code AS text CHECK (VALUE <> 'y');
CREATE TABLE t (w text, v varchar(5), c char(6), i integer, s smallint, n numeric(6,2), f float8, d date, z timestamptz, a text[], j jsonb, o code);
INSERT INTO t SELECT 'a b', 'ab', 'abc', 7, 7, 1.5, 0.1, '2020-02-29', '2020-01-01 00:00+00', '{x}', '{}' FROM generate_series(1, 2000);
SELECT dp_protect('t', 1000000);
SELECT dp_grant('t', 'regress_dp_43_analyst', 100000);
CREATE FUNCTION cells(which name, domain jsonb, epsilon numeric DEFAULT 10) RETURNS TABLE (cell text, found boolean) LANGUAGE sql
	SET client_min_messages = warning
	AS $$ SELECT h.cell ->> which, h.estimate BETWEEN 1900 AND 2100 FROM dp_histogram(NULL::t43.t, ARRAY[which], epsilon, domain => domain, no_false_positives => 0.999999999) h $$;
CREATE FUNCTION size_of(which name, domain jsonb) RETURNS bigint LANGUAGE sql
	AS $$ SELECT cells FROM dp_explain('t43.t', 'histogram', 10, 0, jsonb_build_object('columns', ARRAY[which], 'domain', domain)) WHERE step = 1 $$;

CREATE TABLE "My words" (word text, "a number" integer, odd int4range, named regclass, kind text CHECK (kind <> ''));
INSERT INTO "My words" SELECT w, i FROM unnest('{a,b,c,"a b","\"q\\",é,"","b"}'::text[]) WITH ORDINALITY x (w, i);
INSERT INTO "My words" VALUES (NULL, 7);

-- sizes: duplicates and NULL are not counted
SELECT size_of('w', '{"table": "\"My words\"", "column": "word"}'), size_of('w', '["a", "b", "a"]'), size_of('w', '{"from": 1, "to": 1000000}'),
	   size_of('w', '{"alphabet": "ab", "min_length": 0, "max_length": 3}'), size_of('d', '{"from": "0001-01-01", "to": "9999-12-31"}'),
	   size_of('n', '{"from": -9999.99, "to": 9999.99, "step": 0.01}'), size_of('w', '{"alphabet": "abcdefghij", "length": 18}');
SELECT size_of('w', '{"product": [{"alphabet": "abcdefghijklmnopqrstuvwxyz", "length": 5}, {"alphabet": "abcdefghijklmnopqrstuvwxyz", "length": 5}]}');

-- each finds the value of all rows, in the column's own text form
SELECT * FROM cells('w', '{"table": "\"My words\"", "column": "word"}');
SELECT * FROM cells('w', '{"product": [{"alphabet": "abc", "min_length": 1, "max_length": 9}, ["a", "b"]]}');
SELECT * FROM cells('v', '{"alphabet": "abcdefghijklmnopqrstuvwxyz", "min_length": 0, "max_length": 5}');
SELECT * FROM cells('c', '["abc", "abc   ", "abd"]');
SELECT * FROM cells('i', '{"from": -2147483648, "to": 2147483647}');
SELECT * FROM cells('i', '{"table": "\"My words\"", "column": "a number"}');
SELECT * FROM cells('i', '["+7", "07", 7]');
SELECT * FROM cells('s', '{"from": 1, "to": 31, "step": 2}');
SELECT * FROM cells('n', '{"from": 0, "to": 9999.99, "step": 0.01}');
SELECT * FROM cells('f', '[0.1, 0.2, "1e-1"]');
SELECT * FROM cells('d', '{"from": "2020-02-01", "to": "2020-03-01"}');
SELECT * FROM cells('z', '["2020-01-01 01:00:00+01"]');
SELECT * FROM cells('j', '["{}", "{ }", "[1]"]');
-- values outside leave no trace
SELECT * FROM cells('i', '{"from": 8, "to": 1000}');
SELECT * FROM cells('d', '{"from": "2020-02-01", "to": "2020-03-01", "step": 2}');

-- what is declared is shown without the values of dictionaries
SELECT dp_define_column('t', 'w', open => true, domain => '{"product": [{"alphabet": "abc", "length": 1}, {"table": "\"My words\"", "column": "word"}]}');
SELECT dp_define_column('t', 'i', open => true, domain => '{"table": "\"My words\"", "column": "a number"}'), dp_define_column('t', 's', open => true);
SELECT column_name, domain FROM dp_columns WHERE relation = 't'::regclass AND kind = 'open' ORDER BY 1;
SET client_min_messages = warning;
SELECT cell->>'w', cell->>'i', estimate BETWEEN 1900 AND 2100 FROM dp_histogram(NULL::t, '{w,i}', 10, no_false_positives => 0.999999999);
SET client_min_messages = notice;
SELECT dp_define_column('t', x) FROM unnest('{w,i,s}'::name[]) x;
SELECT dp_catalog.dp_domain_summary('[1]'), dp_catalog.dp_domain_summary('{"table": 1, "values": []}'), dp_catalog.dp_domain_summary('7'), dp_catalog.dp_domain_summary('{"product": 1}'),
	   dp_catalog.dp_domain_summary('{"table": "t", "column": "c", "values": 1}');

SET client_min_messages = warning;
-- the ledger keeps the length and a digest of a long list, and all of a short one
SELECT dp_release('t', 'histogram', 1, 0, jsonb_build_object('no_false_positives', 0.5, 'domain', jsonb_build_object('w', jsonb_build_object('values', words), 'v', '["ab"]'::jsonb), 'columns', '{w,v}'::text[])) AS release,
	   words::text AS words FROM (SELECT jsonb_agg('word ' || i) AS words FROM generate_series(1, 1001) i) w \gset kept_
SELECT replace(options::text, encode(sha256(:'kept_words'), 'hex'), 'its digest') FROM dp_ledger ORDER BY id DESC LIMIT 1;
SET client_min_messages = notice;
SELECT l.options = r.options FROM dp_ledger l JOIN dp_releases r ON r.release = l.id ORDER BY id DESC LIMIT 1;

-- a dictionary is read at the call, with the rights of the caller, who needs no other right
SET SESSION AUTHORIZATION regress_dp_43_analyst;
SELECT size_of('w', '{"table": "t43.\"My words\"", "column": "word"}');
SET SESSION AUTHORIZATION regress_dp_43_owner;
GRANT SELECT (word) ON "My words" TO regress_dp_43_analyst;
SET SESSION AUTHORIZATION regress_dp_43_analyst;
SELECT size_of('w', '{"table": "t43.\"My words\"", "column": "word"}');
SELECT size_of('i', '{"table": "t43.\"My words\"", "column": "a number"}');
-- temporary tables serve too, also before they are committed
BEGIN;
CREATE TEMP TABLE mine AS SELECT 'a b' AS word UNION SELECT 'z';
SELECT size_of('w', '{"table": "mine", "column": "word"}');
SELECT * FROM cells('w', '{"table": "mine", "column": "word"}');
COMMIT;

-- tables that are not public
SET SESSION AUTHORIZATION regress_dp_43_owner;
SELECT size_of('w', '{"table": "t", "column": "w"}');
CREATE TABLE parent (w text) PARTITION BY LIST (w);
CREATE TABLE child PARTITION OF parent DEFAULT;
CREATE TABLE older (w text);
CREATE TABLE heir () INHERITS (older);
CREATE TABLE base (w text);
CREATE VIEW over_base AS SELECT * FROM base;
CREATE VIEW over_view AS SELECT upper(w) AS w FROM over_base;
CREATE TABLE once (w text);
INSERT INTO child VALUES ('x');
INSERT INTO heir VALUES ('x');
INSERT INTO older VALUES ('y');
INSERT INTO base VALUES ('x');
INSERT INTO once VALUES ('x');
SELECT size_of('w', jsonb_build_object('table', x, 'column', 'w')) FROM unnest('{child,heir,older,base,once}'::regclass[]) x;
SELECT dp_protect('parent', 1), dp_protect('heir', 1), dp_protect('over_view', 1), dp_protect('once', 1), dp_unprotect('once');
SELECT size_of('w', '{"table": "child", "column": "w"}');
SELECT size_of('w', '{"table": "heir", "column": "w"}');
SELECT size_of('w', '{"table": "older", "column": "w"}'); -- its own rows alone, which heir does not hold
SELECT size_of('w', '{"table": "base", "column": "w"}');
SELECT size_of('w', '{"table": "once", "column": "w"}');
SELECT size_of('w', '{"table": "over_base", "column": "w"}');
SELECT size_of('w', '{"table": "parent", "column": "w"}');
CREATE TABLE secured AS SELECT 'x' AS w;
ALTER TABLE secured ENABLE ROW LEVEL SECURITY;
SELECT size_of('w', '{"table": "secured", "column": "w"}');
SELECT size_of('w', '{"table": "\"My words\"", "column": "odd"}');
SELECT size_of('w', '{"table": "\"My words\"", "column": "named"}');
SELECT size_of('w', '{"table": "\"My words\"", "column": "nix"}');
SELECT size_of('w', '{"table": "nix", "column": "word"}');
SELECT size_of('w', '{"table": "a.b.c.d", "column": "word"}');
SELECT size_of('w', '{"table": "t43.\"My words\""}');
SELECT size_of('w', '{"table": "t43.\"My words\"", "column": "word", "values": ["smuggled"]}');
CREATE TABLE nothing (w text);
INSERT INTO nothing VALUES (NULL);
SELECT size_of('w', '{"table": "nothing", "column": "w"}');

-- JSON that is no domain
SELECT size_of('w', '[]');
SELECT size_of('w', '[["a"]]');
SELECT size_of('w', '{}');
SELECT size_of('w', '{"values": ["a"], "more": 1}');
SELECT size_of('w', '{"from": 1}');
SELECT size_of('w', '{"from": 1, "to": "2020-01-01"}');
SELECT size_of('w', '{"from": 2, "to": 1}');
SELECT size_of('w', '{"from": 1, "to": 2, "step": 0}');
SELECT size_of('w', '{"from": 1, "to": 2, "step": -1}');
SELECT size_of('w', '{"from": 0, "to": 1e18}');
SELECT size_of('w', '{"from": 0, "to": 1e30}');
SELECT size_of('w', '{"from": 0, "to": 1e-30, "step": 1e-30}');
SELECT size_of('w', '{"from": "NaN", "to": 1}');
SELECT size_of('w', '{"from": "2020-02-30", "to": "2021-01-01"}');
SELECT size_of('w', '{"alphabet": "", "length": 1}');
SELECT size_of('w', '{"alphabet": "aba", "length": 1}');
SELECT size_of('w', '{"alphabet": "ab", "length": 60}');
SELECT size_of('w', '{"alphabet": "ab", "length": -1}');
SELECT size_of('w', '{"alphabet": "ab"}');
SELECT size_of('w', '{"alphabet": "ab", "length": 1.5}');
SELECT size_of('w', '{"product": [["a b"], ["c"]]}');
SELECT size_of('w', '{"product": [["a"], ["c"]], "separator": ", "}');
SELECT size_of('w', '{"product": []}');
SELECT size_of('w', '{"product": [1]}');
SELECT size_of('w', ('{"product": [' || repeat('{"product": [', 20) || '["a"]' || repeat(']}', 20) || ']}')::jsonb);
-- domains that do not fit the type
SELECT size_of('i', '["seven"]');
SELECT size_of('i', '{"from": 0, "to": 3000000000}');
SELECT size_of('s', '{"from": 0, "to": 40000}');
SELECT size_of('i', '{"from": 0, "to": 1, "step": 0.5}');
SELECT size_of('n', '{"from": 0, "to": 1, "step": 0.001}');
SELECT size_of('f', '{"from": 0, "to": 1}');
SELECT size_of('i', '{"from": "2020-01-01", "to": "2020-12-31"}');
SELECT size_of('i', '{"alphabet": "0123456789", "length": 3}');
SELECT size_of('v', '{"alphabet": "ab", "length": 6}');
SELECT size_of('v', '["abcdef"]');
SELECT size_of('v', '{"product": [{"alphabet": "ab", "length": 3}, {"alphabet": "ab", "length": 3}]}');
SELECT size_of('v', '{"product": [{"alphabet": "ab", "length": 2}, {"alphabet": "ab", "length": 2}]}');
SELECT size_of('a', '["{x}"]');
SELECT size_of('o', '["x", "y"]');
-- types of names, whose meaning depends on the session
CREATE TABLE named (g regclass, p regproc, q regproc[]);
SELECT dp_protect('named', 10);
SELECT dp_define_column('named', 'g', open => true, domain => '["pg_class"]');
SELECT dp_explain('named', 'histogram', 1, 0, '{"columns": ["g"], "domain": ["pg_class"]}');
SELECT dp_define_column('named', 'p', open => true);
SELECT dp_define_column('named', 'q', open => true);
SELECT dp_define_column('named', 'g', categories => '{pg_class}'), dp_define_column('named', 'p', categories => '{now}');
RESET SESSION AUTHORIZATION;
