-- Answers about a level that is counted with the rest; conditions that cut bins which were found; rows
-- with distances and rules that are completed. Where there is noise, bounds are so wide that a correct
-- build fails once in 1e7 runs.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t64;
SET search_path = t64, public;
SET client_min_messages = error;
SET datestyle = iso;
CREATE TABLE t (sex text, kind text NOT NULL, age int, admitted date NOT NULL, discharged date NOT NULL, at time, CHECK (discharged >= admitted),
				CHECK (age < 100 OR kind = 'x'));
SELECT setseed(0.5);
INSERT INTO t SELECT (ARRAY['f', 'm'])[1 + i % 2], (ARRAY['x', 'y', 'z'])[1 + (i + i / 90) % 3], i % 90, d, d + i % 20, time '10:00' + i % 7 * interval '1 hour'
  FROM (SELECT i, date '2020-01-01' + i % 300 AS d FROM generate_series(1, 6000) i) x;
SELECT dp_protect('t', 1000000, 0.5);
SELECT dp_define_column('t', 'sex', '{f,m}'), dp_define_column('t', 'kind', '{x,y,z}', complete => true);
SELECT dp_define_column('t', 'age', range => '{0,120}'), dp_define_column('t', 'admitted', range => '{2020-01-01,2020-12-31}'),
	   dp_define_column('t', 'discharged', offset_of => 'admitted', bins => '{0,5,10,30}'),
	   dp_define_column('t', 'at', range => '{00:00,23:59}', resolution => '1 minute');

-- nobody's sex is NULL, which is so rare that it is counted with a level: that level is measured all the same
SELECT dp_release('t', 'mst', 1, 1e-6, '{"columns": ["sex", "kind"]}') AS pair, dp_release('t', 'mst', 1000, 1e-6) AS m \gset
SELECT count(*), bool_and(basis LIKE 'measured%'), bool_and(low <= 1000 AND high >= 1000), max(high - low) < 700
  FROM dp_answer(:pair, '{sex,kind}', NULL, 0.9999999) WHERE cell ->> 'sex' IS NOT NULL;
SELECT bool_and(basis LIKE 'measured%'), bool_and(low <= 1000 AND high >= 1000) FROM dp_answer(:pair, '{kind}', '{"sex": "m"}', 0.9999999);
SELECT bool_and(low <= 0.17 AND high >= 0.16) FROM dp_answer(:pair, '{sex,kind}', NULL, 0.9999999, 'share') WHERE cell ->> 'sex' IS NOT NULL;

-- a range that cuts a bin of its own: no row lies outside
SELECT count(*), min(age) >= 37, max(age) < 63, count(DISTINCT age) > 20 FROM dp_sample(NULL::t, :m, 2000, 1, given => '{"age": [37, 63]}');
SELECT min(age) >= 37, max(age) <= 63 FROM dp_sample(NULL::t, :m, 2000, 1, given => '{"age": "[37,63]"}');
SELECT DISTINCT age FROM dp_sample(NULL::t, :m, 100, 1, given => '{"age": [41, 42]}');
SELECT min(admitted) >= '2020-03-05', max(admitted) < '2020-03-09', bool_and(discharged >= admitted)
  FROM dp_sample(NULL::t, :m, 500, 1, given => '{"admitted": ["2020-03-05", "2020-03-09"]}');
SELECT min(at) >= '10:30', max(at) < '12:15' FROM dp_sample(NULL::t, :m, 500, 1, given => '{"at": ["10:30", "12:15"]}');
SELECT min(age), max(age) < 10 FROM dp_sample(NULL::t, :m, 500, 1, given => '{"age": [null, 10]}');
SELECT dp_sample(NULL::t, :m, 5, 1, given => '{"age": [121, 130]}');
SELECT dp_sample(NULL::t, :m, 5, 1, given => '{"age": [50, 50]}');

-- rows with distances are completed, and keep the rules of their table
SELECT count(*), bool_and(c.admitted = '2020-03-05'), bool_and(c.discharged >= c.admitted), count(DISTINCT c.discharged) > 5
  FROM generate_series(1, 100) i, LATERAL dp_impute(ROW('f', NULL, NULL, date '2020-03-05', NULL, NULL)::t, :m, i) c;
SELECT count(*), bool_and(c.discharged >= c.admitted), count(DISTINCT c.at) > 5
  FROM generate_series(1, 100) i, LATERAL dp_impute(ROW('f', 'x', 30, NULL, NULL, NULL)::t, :m, i) c;
SELECT discharged, admitted, at, age IS NULL FROM dp_impute(ROW('f', 'x', NULL, date '2020-03-05', date '2020-03-15', '10:13')::t, :m, 1);
-- a value beyond the range stays, and so does the rule about it
SELECT DISTINCT age, kind FROM generate_series(1, 50) i, LATERAL dp_impute(ROW('f', NULL, 110, NULL, NULL, NULL)::t, :m, i) c;
SELECT dp_impute(ROW('f', 'y', 30, NULL, date '2020-03-05', NULL)::t, :m);
SELECT dp_impute(ROW('f', 'y', NULL, date '2020-03-05', date '2020-03-01', NULL)::t, :m, 1);
DROP SCHEMA t64 CASCADE;
