-- What a filter means is what PostgreSQL makes of its texts in the session that asks, whatever the
-- settings were when domains were declared and when the release was made.
\set VERBOSITY terse
CREATE SCHEMA t_query_settings;
SET search_path = t_query_settings, public;
SET client_min_messages = error;
SET timezone = 'UTC';
CREATE TABLE calls (at timestamptz NOT NULL, shift timestamptz NOT NULL, clock timetz NOT NULL, day date NOT NULL, lasts interval NOT NULL, span tstzrange NOT NULL);
INSERT INTO calls SELECT x, x, x::timetz, x::date, i % 3 * interval '30 hours', tstzrange('2023-03-26', '2023-03-27') FROM (SELECT i, '2023-03-26 00:00+00'::timestamptz + i * i % 16 * interval '3 hours' AS x FROM generate_series(1, 1600) i) y;
SELECT dp_protect('calls', 1000000, 0.001);
SET timezone = 'America/New_York';
SELECT dp_define_column('calls', 'at', bins => ARRAY(SELECT i::text FROM generate_series('2023-03-26 00:00+00', '2023-03-28 00:00+00', interval '3 hours') i));
SELECT dp_define_column('calls', 'shift', categories => ARRAY(SELECT i::text FROM generate_series('2023-03-26 00:00+00', '2023-03-27 21:00+00', interval '3 hours') i));
SELECT dp_define_column('calls', 'day', range => '{2023-03-20,2023-03-30}');
SELECT dp_define_column('calls', 'lasts', categories => '{0,30:00,"60:00"}');
SELECT dp_define_column('calls', 'span', categories => ARRAY(SELECT DISTINCT span::text FROM calls));
SELECT labels[1:2] FROM dp_columns WHERE relation = 'calls'::regclass AND column_name IN ('at', 'shift') ORDER BY column_name;
SELECT dp_release('calls', 'mst', 500000, 0.0001) AS release \gset

CREATE TABLE question (number int, filter jsonb, condition text);
INSERT INTO question VALUES
	(1, '{"at": ["2023-03-26 09:00", "2023-03-27 00:00"]}', $$at >= '2023-03-26 09:00' AND at < '2023-03-27 00:00'$$),
	(2, '{"at": "[2023-03-26 09:00+09,2023-03-27 00:00+09)"}', $$at >= '2023-03-26 09:00+09' AND at < '2023-03-27 00:00+09'$$),
	(3, '{"shift": ["2023-03-26 09:00", "2023-03-26 12:00"]}', $$shift IN ('2023-03-26 09:00', '2023-03-26 12:00')$$),
	(4, '{"day": ["2023-03-26", "2023-03-27"]}', $$day >= '2023-03-26' AND day < '2023-03-27'$$),
	(5, '{"lasts": ["1 day 6:00", "2 12:00"]}', $$lasts IN ('1 day 6:00', '2 12:00')$$);
\set ask 'SELECT number, round(a.estimate::numeric, -1) AS answered, round(q.estimate::numeric, -1) AS queried, (xpath(''/row/n/text()'', query_to_xml(''SELECT count(*) AS n FROM calls WHERE '' || condition, false, true, '''')))[1] AS rows FROM question, dp_answer(:release, filter => filter) a, dp_query(NULL::calls, ''{count(*)}'', 1000, filter => filter) q ORDER BY number'
SET timezone = 'UTC';
:ask;
SET timezone = 'Asia/Tokyo';
SET intervalstyle = 'sql_standard';
:ask;
SET datestyle = 'German, DMY';
SELECT round(estimate::numeric, -1) FROM dp_answer(:release, filter => '{"day": ["26.03.2023", "27.03.2023"]}');
SELECT round(estimate::numeric, -1) FROM dp_query(NULL::calls, '{count(*)}', 1000, filter => '{"day": ["26.03.2023", "27.03.2023"]}');
SELECT round(estimate::numeric, -1) FROM dp_answer(:release, filter => jsonb_build_object('span', (SELECT span::text FROM calls LIMIT 1)));
SELECT cell, round(estimate::numeric, -1) FROM dp_histogram(NULL::calls, '{shift}', 1000, domain => '["26.03.2023 12:00", "27.03.2023 12:00"]') ORDER BY 1;
SELECT min(shift), max(shift), count(*) FROM dp_sample(NULL::calls, :release, rows => 50, given => '{"shift": "26.03.2023 21:00"}');

-- of arrays and ranges, too, what is equal is meant
CREATE TABLE spelled (part int4range NOT NULL, list integer[] NOT NULL, parts tstzmultirange NOT NULL);
INSERT INTO spelled SELECT '[1,3)', '{1,2}', '{[2023-03-26 09:00+09,2023-03-27 09:00+09)}' FROM generate_series(1, 1000);
SELECT dp_protect('spelled', 1000000, 0.001);
SELECT dp_define_column('spelled', 'part', categories => '{"[1,3)","[3,5)"}'), dp_define_column('spelled', 'list', categories => ARRAY['{1,2}', '{3}']), dp_define_column('spelled', 'parts', categories => '{"{[26.03.2023 09:00,27.03.2023 09:00)}"}');
SELECT dp_release('spelled', 'mst', 5000, 0.0001) AS spelled \gset
SELECT round(a.estimate::numeric, -1) AS answered, round(q.estimate::numeric, -1) AS queried FROM (VALUES ('{"part": "[1,2]"}'::jsonb), ('{"list": "{1, 2}"}'), ('{"parts": "{ [26.03.2023 09:00, 27.03.2023 09:00)}"}')) f (filter), dp_answer(:spelled, filter => filter) a, dp_query(NULL::spelled, '{count(*)}', 1000, filter => filter) q;

-- a CHECK by dates bounds a time with a zone, too, with a day to spare
SET datestyle = 'ISO, YMD';
CREATE TABLE dated (at timestamptz NOT NULL CHECK (at >= date '2023-03-01' AND at < date '2023-04-01'), local timestamp NOT NULL CHECK (local >= date '2023-03-01' AND local < '2023-04-01'), day date NOT NULL CHECK (day >= timestamp '2023-03-01 12:00' AND day <= '2023-03-31 12:00+00'::timestamptz));
SELECT dp_protect('dated', 1);
SELECT column_name, source, labels FROM dp_columns WHERE relation = 'dated'::regclass ORDER BY 1;
DROP SCHEMA t_query_settings CASCADE;
