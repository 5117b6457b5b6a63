-- dp_report of a release: its parts, what it says, who may ask, and that it costs nothing. With an
-- epsilon of 2000 no noise is left, so that figures are exact. test/report looks at the pages.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t73;
CREATE ROLE regress_dp_73_owner;
CREATE ROLE regress_dp_73_analyst;
CREATE ROLE regress_dp_73_other;
GRANT USAGE, CREATE ON SCHEMA t73 TO regress_dp_73_owner;
GRANT USAGE ON SCHEMA t73 TO regress_dp_73_analyst, regress_dp_73_other;
SET search_path = t73, public;
SET SESSION AUTHORIZATION regress_dp_73_owner;
SET client_min_messages = warning;
CREATE TABLE t ("ward <b>" text, sex char(1) NOT NULL, age int NOT NULL, day date NOT NULL);
INSERT INTO t SELECT (ARRAY['er & co', '"icu"', NULL, 'er & co'])[1 + i % 4], (ARRAY['f', 'm', 'm'])[1 + i / 3 % 3], i / 9 % 90,
	date '2020-01-01' + i % 100 FROM generate_series(0, 8099) i;
SELECT dp_protect('t', 1000000, 0.5);
SELECT dp_define_column('t', 'ward <b>', '{er & co,"\"icu\"",<script>}'), dp_define_column('t', 'sex', '{f,m}', complete => true),
	   dp_define_column('t', 'age', bins => '{0,20,40,90}'), dp_define_column('t', 'day', bins => '{2020-01-01,2020-01-11,2020-04-10}');
SELECT dp_grant('t', 'regress_dp_73_analyst', 5000, 0.1);
SELECT dp_release('t', 'cipher', 2000, 0) AS c, dp_release('t', 'mst', 1, 1e-6) AS m, dp_release('t', 'sbhg', 2000, 1e-6) AS g,
	   dp_release('t', 'pmi', 10, 0, '{"rows": 30}') AS held, dp_release('t', 'cathist', 200) AS h,
	   dp_release('t', 'cipher', 0.5, 0, '{"independent_sets": true}', 2) AS s \gset
SELECT count(*) AS spent FROM dp_ledger \gset
SELECT count(*) FROM dp_query(NULL::t, '{count(*),avg(age)}', 1, '{sex}');
SELECT max(release) AS q FROM dp_releases WHERE method = 'query' \gset

-- headings of each kind of release
CREATE TEMP TABLE pages AS
	SELECT name, dp_report(release) AS page FROM (VALUES (1, 'c', :c), (2, 'm', :m), (3, 'g', :g), (4, 'held', :held), (5, 'h', :h), (6, 's', :s), (7, 'q', :q))
	AS r (number, name, release) ORDER BY number;
SELECT name, string_agg(h[2], ' | ') FROM pages, regexp_matches(page, '<(h[123])>([^<]*)</\1>', 'g') h GROUP BY name ORDER BY name;
SELECT name, length(page) < 1000000, page LIKE '<!DOCTYPE html>%</html>' || chr(10), page ~ '^[\x01-\x7f]*$', position('<script' IN page), position('<b>"' IN page),
	   page ~ 'https?:|url\(|src=|href=' FROM pages ORDER BY name;
-- one sentence and one table a column, with names and values as they are
SELECT regexp_replace(c[1], '</?b>', '*', 'g') FROM pages, regexp_matches(page, '<figcaption>(.*?)</figcaption>', 'g') c WHERE name = 'c';
SELECT r[1] FROM pages, regexp_matches(page, '<tr><th scope="row" class="long">([^<]*)</th><td class="n">[0-9.]+&#160;%</td>', 'g') r WHERE name = 'c' AND r[1] NOT LIKE '% and %';
-- figures: two of bars, two histograms, the matrix and the guesses; each with its words
SELECT count(*), bool_and(f[1] <> '' AND f[2] <> '') FROM pages, regexp_matches(page, '<svg role="img"[^>]*><title [^>]*>([^<]*)</title><desc [^>]*>([^<]*)</desc>', 'g') f WHERE name = 'c';
SELECT name, (regexp_match(page, 'is right <b>([^<]*)</b>'))[1] FROM pages WHERE name IN ('c', 'm', 's') ORDER BY name;
SELECT name, (regexp_match(page, 'The release holds ([^:]*):'))[1] FROM pages WHERE name IN ('c', 'm', 's') ORDER BY name;
SELECT (regexp_match(page, '<dt>Cost</dt><dd>([^<]*)</dd>'))[1], (regexp_match(page, '<dt>Neighbours</dt><dd>([^<]*)</dd>'))[1],
	   (regexp_match(page, '<dt>Independent sets</dt><dd>([^<]*)</dd>'))[1] FROM pages WHERE name = 's';

-- it costs nothing, and works where nothing may be written
SELECT count(*) - :spent AS "lines of dp_query" FROM dp_ledger;
BEGIN READ ONLY;
SELECT dp_report(:c) = (SELECT page FROM pages WHERE name = 'c');
COMMIT;
-- whatever the session's settings are
SET DateStyle = 'German, DMY';
SET search_path = pg_temp;
SELECT public.dp_report(:c) = (SELECT page FROM pages WHERE name = 'c');
SET search_path = t73, public;
RESET DateStyle;
SELECT dp_report(NULL);

-- where most of what the rows say is noise the page says so, in red; of little noise it says nothing
SELECT dp_release('t', 'marginal', 0.001) AS noisy \gset
SELECT (regexp_match(page, '<div class="warning noise"><p><b>([^<]*)</b> There are about'))[1], page LIKE '%.warning.noise{border-color:var(--red)%' FROM dp_report(:noisy) page;
SELECT name, page LIKE '%Noise is%' FROM pages WHERE name IN ('c', 's') ORDER BY name;

-- units, and one row replaced
CREATE TABLE v (person int, a int NOT NULL);
INSERT INTO v SELECT i % 100, i % 2 FROM generate_series(1, 1000) i;
SELECT dp_protect('v', 1000, 0, 'replace_one', 'person', 3);
SELECT dp_define_column('v', 'a', '{0,1}', complete => true);
SELECT dp_release('v', 'marginal', 1) AS v \gset
SELECT (regexp_match(page, '<dt>Neighbours</dt><dd>([^<]*)</dd>'))[1], (regexp_match(page, '<p>Suppose ([^<]*)'))[1] FROM dp_report(:v) page;
-- a boolean's levels are found in the answers
CREATE TABLE yes (b boolean NOT NULL, c boolean);
INSERT INTO yes SELECT i % 4 = 0, CASE WHEN i % 5 > 0 THEN i % 2 = 0 END FROM generate_series(1, 100) i;
SELECT dp_protect('yes', 100000);
SELECT dp_release('yes', 'flat', 10000) AS yes \gset
SELECT string_agg(h[1], ' ') FROM dp_report(:yes) page, regexp_matches(page, '<figure><h3>([^<]*)</h3>', 'g') h;
SELECT string_agg(b[1], ' ') FROM dp_report(:yes) page, regexp_matches(page, 'Most common: <b>([^<]*)</b>', 'g') b;
-- without a guarantee: for the custodian, and it says so
SELECT dp_release('t', 'pegs_ldiversity', 0, 0, '{"l": 1.5, "rows": 10, "parents": 0, "columns": ["ward <b>", "sex"]}') AS l \gset
SELECT (regexp_match(page, 'class="warning"><p><b>([^<]*)'))[1], page LIKE '%How well%' FROM dp_report(:l) page;

-- whoever may draw may ask, and nobody else
SET SESSION AUTHORIZATION regress_dp_73_other;
\set VERBOSITY sqlstate
SELECT dp_report(:c);
SELECT dp_report(987654321);
SET SESSION AUTHORIZATION regress_dp_73_analyst;
SELECT dp_report(:c);
\set VERBOSITY default
SELECT dp_release('t', 'marginal', 1) AS own \gset
SELECT dp_report(:own) LIKE '%all releases of the relation together have spent epsilon %';
SET SESSION AUTHORIZATION regress_dp_73_owner;
SELECT dp_grant(:c, 'regress_dp_73_other');
-- without a grant: the same page, but for what the relation has spent
SET SESSION AUTHORIZATION regress_dp_73_other;
SELECT page LIKE '%Column by column%', page LIKE '%all releases of the relation together%', position('>one row added or removed' IN page) > 0 FROM dp_report(:c) page;
RESET SESSION AUTHORIZATION;
