-- dp_report of two tables: what it says of a dozen rows, what may be asked besides, and that it needs
-- the right to read both. test/report looks at the pages.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t74;
CREATE ROLE regress_dp_74_owner;
CREATE ROLE regress_dp_74_other;
GRANT USAGE, CREATE ON SCHEMA t74 TO regress_dp_74_owner;
GRANT USAGE ON SCHEMA t74 TO regress_dp_74_other;
SET search_path = t74, public;
SET SESSION AUTHORIZATION regress_dp_74_owner;
CREATE TABLE o ("sex <b>" text, grade int, price numeric(6, 2), day date, gone text);
CREATE TABLE s (day date, price float8, grade bigint, "sex <b>" text);
INSERT INTO o SELECT CASE WHEN i <= 6 THEN '<f>' WHEN i <= 11 THEN 'm' END, i % 4, i * i, date '2020-01-01' + i, 'x' FROM generate_series(1, 12) i;
INSERT INTO s SELECT date '2020-01-01' + i, i * i, i % 4, CASE WHEN i <= 3 THEN '<f>' ELSE 'm' END FROM generate_series(1, 20) i;

CREATE TEMP TABLE pages AS SELECT 'plain' AS name, dp_report('o', 's') AS page;
INSERT INTO pages SELECT 'more', dp_report('o', 's', '{"known": ["grade"], "secret": "sex <b>", "outcome": "price", "predictors": ["grade"], "propensity": true}');
SELECT name, string_agg(h[2], ' | ') FROM pages, regexp_matches(page, '<(h[123])>([^<]*)</\1>', 'g') h GROUP BY name ORDER BY name DESC;
SELECT name, length(page) < 100000, page ~ '^[\x01-\x7f]*$', page ~ '<script|https?:|url\(|src=|href=|<f>' FROM pages;
SELECT regexp_replace(t[1], '<[^>]*>', ' ', 'g') FROM pages, regexp_matches(page, '<li><b>.*?</li>', 'g') t WHERE name = 'plain';
-- by hand: the shares of sex are 6, 5, 1 of 12 and 3, 17, 0 of 20: 1/2 (7/20 + 13/30 + 1/12) = 0.433;
-- those of grade are all alike
SELECT h[1], regexp_replace(h[2], '</?b>', '*', 'g') FROM pages, regexp_matches(page, '<figure><h3>([^<]*)</h3><figcaption>((?:[^<]|</?b>)*)</figcaption>', 'g') h WHERE name = 'plain' AND h[1] !~ '^(price|day)$';
SELECT r[1], r[2], r[3] FROM pages, regexp_matches(page, '<tr><th scope="row" class="long">([^<]*)</th><td class="n">([0-9.]*&#160;%)</td><td class="n">([0-9.]*&#160;%)</td>', 'g') r
 WHERE name = 'plain' AND r[1] ~ 'NULL|^m$|^.{5}f|^[0-3]$';
SELECT (regexp_match(page, '<dt>Not compared</dt><dd>([^<]*)</dd>'))[1] FROM pages WHERE name = 'plain';
SELECT (regexp_match(page, 'A regression of <b>([^<]*)</b>'))[1], (regexp_match(page, 'takes their commonest <b>([^<]*)</b>'))[1] FROM pages WHERE name = 'more';
-- whatever the session's settings are
SET DateStyle = 'German, DMY';
SET search_path = pg_temp;
SELECT public.dp_report('t74.o', 't74.s') = page FROM pages WHERE name = 'plain';
SET search_path = t74, public;
RESET DateStyle;
BEGIN READ ONLY;
SELECT dp_report('o', 's') = page FROM pages WHERE name = 'plain';
COMMIT;

-- the bound of a release: (e - 1)/(e + 1) = 0.462 at epsilon 1, so 74 of 100 guesses
CREATE TABLE p AS SELECT 'x' AS c FROM generate_series(1, 20);
SELECT dp_protect('p', 10);
SELECT dp_define_column('p', 'c', categories => '{x,y}');
SELECT dp_release('p', 'marginal', 1) AS r \gset
INSERT INTO pages SELECT 'release', dp_report('p', 'p', jsonb_build_object('release', :r));
SELECT (regexp_match(page, 'a guess is right <b>([^<]*)</b>'))[1], page ~ '<p>The synthetic rows are said to be those of release [0-9]+.</p>',
       regexp_replace((regexp_match(page, '<dt>Release</dt><dd>([^<]*)</dd>'))[1], '\d+ of', 'R of') FROM pages WHERE name = 'release';

-- bad requests
SELECT dp_report('p', 'p', '{"release": 0}');
SELECT dp_report('p', 'p', '{"release": 9223372036854775807}');
SELECT dp_report('o', 's', '{"secret": "grade"}');
SELECT dp_report('o', 's', '{"outcome": "grade"}');
SELECT dp_report('o', 's', '{"colour": "red"}');
SELECT dp_report('o', 's', '{"known": ["nobody"], "secret": "grade"}');
SELECT dp_report('o', 's', NULL);
SELECT dp_report('o', NULL::regclass);
SELECT dp_report('o', 's', '[1]');

-- it needs the right to read both, and lends none
GRANT SELECT ON s TO regress_dp_74_other;
SET SESSION AUTHORIZATION regress_dp_74_other;
\set VERBOSITY sqlstate
SELECT dp_report('o', 's');
SELECT dp_report('s', 'o');
SELECT dp_report('s', 's', jsonb_build_object('release', :r));
SELECT dp_report('s', 's') LIKE '%as secret as the original%';
\set VERBOSITY default
SET SESSION AUTHORIZATION regress_dp_74_owner;
GRANT SELECT ON o TO regress_dp_74_other;
ALTER TABLE o ENABLE ROW LEVEL SECURITY;
CREATE POLICY few ON o TO regress_dp_74_other USING (grade = 1);
SET SESSION AUTHORIZATION regress_dp_74_other;
SELECT regexp_replace(t[1], '<[^>]*>', ' ', 'g') FROM dp_report('o', 's') page, regexp_matches(page, '<li><b>.*?</li>') t;
RESET SESSION AUTHORIZATION;
