-- dp_query over columns with ranges and of times, without any public column, and what is refused. At this
-- epsilon no noise is left.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t65;
SET search_path = t65, public;
SET client_min_messages = error;
CREATE TABLE v (sex text NOT NULL CHECK (sex IN ('f', 'm')), len int NOT NULL, at time NOT NULL, stay interval, day date NOT NULL, code int NOT NULL);
INSERT INTO v SELECT (ARRAY['f', 'm'])[1 + i % 2], i % 500, time '10:00' + i % 7 * interval '1 hour', i % 30 * interval '1 hour', date '2020-01-01' + i % 100, i
  FROM generate_series(1, 4000) i;
SELECT dp_protect('v', 1000000, 0.5);
SELECT dp_define_column('v', 'len', range => '{0,1000}', resolution => '10'), dp_define_column('v', 'at', range => '{00:00,23:59}', resolution => '1 minute'),
	   dp_define_column('v', 'stay', range => '{0 hours,2 days}', resolution => '1 hour'), dp_define_column('v', 'day', range => '{2020-01-01,2020-12-31}'),
	   dp_define_column('v', 'code', ARRAY(SELECT i::text FROM generate_series(1, 4000) i), complete => true);

-- a range counts in the raw unit of its type, whatever its resolution; times and days come in seconds
SELECT measure, round(estimate::numeric, CASE measure WHEN 'sum(len)' THEN -3 ELSE 0 END)
  FROM dp_query(NULL::v, ARRAY['count(*)', 'avg(len)', 'quantile(len, 0.501)', 'sum(len)', 'count(stay)'], 10000) WHERE measure <> 'avg(len)';
SELECT percentile_disc(0.501) WITHIN GROUP (ORDER BY len), sum(len), count(stay) FROM v;
SELECT measure, abs(estimate - truth) < width
  FROM dp_query(NULL::v, ARRAY['avg(at)', 'median(at)', 'avg(stay)', 'quantile(day, 0.505)'], 10000) q JOIN (
	SELECT 'avg(at)' AS measure, avg(extract(epoch FROM at)) AS truth, 10 AS width FROM v
	UNION ALL SELECT 'median(at)', percentile_disc(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM at)), 60 FROM v
	UNION ALL SELECT 'avg(stay)', avg(extract(epoch FROM stay)), 60 FROM v
	UNION ALL SELECT 'quantile(day, 0.505)', percentile_disc(0.505) WITHIN GROUP (ORDER BY extract(epoch FROM day)), 1 FROM v) t USING (measure) ORDER BY 1;
SELECT estimate FROM dp_query(NULL::v, '{count(*)}', 10000, filter => '{"len": [103, 200], "at": ["10:30", "12:00"], "stay": ["3 hours", "5 hours"]}');
SELECT count(*) FROM v WHERE len >= 103 AND len < 200 AND at >= '10:30' AND at < '12:00' AND stay >= '3 hours' AND stay < '5 hours';
SELECT cell, estimate FROM dp_query(NULL::v, ARRAY['quantile(len, 0.25)'], 10000, by => '{sex}');
SELECT sex, percentile_disc(0.25) WITHIN GROUP (ORDER BY len) FROM v GROUP BY 1 ORDER BY 1;
-- whatever epsilon is divided by
SELECT epsilon FROM generate_series(0.1, 3, 0.37) epsilon
 WHERE NOT EXISTS (SELECT FROM dp_explain('v', 'query', epsilon, 0, '{"measures": ["avg(at)", "sum(len)", "stddev(day)", "median(at)"]}') WHERE noise_stddev > 0);
-- a range that groups has bins, which are found at a part of the budget
SELECT count(*) > 5, sum(estimate), bool_and(estimate = (SELECT count(*) FROM v WHERE len <@ (cell ->> 'len')::int4range))
  FROM dp_query(NULL::v, '{count(*)}', 100000, by => '{len}');
SELECT count(*) > 5, bool_and(abs(estimate - (SELECT avg(len) FROM v WHERE v.sex = cell ->> 'sex' AND len <@ (cell ->> 'len')::int4range)) < 0.1)
  FROM dp_query(NULL::v, '{avg(len)}', 100000, by => '{sex,len}', filter => '{"len": [0, 400]}') WHERE (cell ->> 'len')::int4range <@ '[0,400)';
SELECT count(*) > 5, sum(estimate) BETWEEN 3999 AND 4001 FROM dp_query(NULL::v, '{count(*),avg(len),avg(at),avg(stay),avg(day)}', 100000, by => '{len}', delta => 1e-6) WHERE measure = 'count(*)';
SELECT stage, epsilon_total FROM dp_explain('v', 'query', 1, 0, '{"measures": ["count(*)", "avg(len)"], "by": ["len", "sex"]}') WHERE step IS NOT NULL;
SELECT dp_query(NULL::v, '{sum(at)}', 1);
-- a range that is far too wide is narrowed to where rows are, and its noise with it; a NOTICE says so
CREATE TABLE far (cost int NOT NULL);
INSERT INTO far SELECT 300 + i % 200 FROM generate_series(1, 5000) i;
SELECT dp_protect('far', 1000000, 0.5);
SELECT dp_define_column('far', 'cost', range => '{0,1000000}');
SELECT n.measure, n.std_error < w.std_error / 1000, abs(n.estimate - (SELECT CASE n.measure WHEN 'sum(cost)' THEN sum(cost) ELSE avg(cost) END FROM far)) < 30
  FROM dp_query(NULL::far, '{sum(cost),avg(cost)}', 2000) w JOIN dp_query(NULL::far, '{sum(cost),avg(cost)}', 2000, narrow => true) n USING (measure);
SELECT max(release) AS release FROM dp_releases \gset
SET client_min_messages = notice;
SELECT count(*) FROM dp_query(:release);
SET client_min_messages = error;
SELECT stage, epsilon_total FROM dp_explain('far', 'query', 1, 0, '{"measures": ["sum(cost)"], "narrow": true}') WHERE step IS NOT NULL;
-- a value that all rows have is a quantile without doubt, however wide the range is
CREATE TABLE w (x int NOT NULL);
INSERT INTO w SELECT 7 FROM generate_series(1, 1000);
SELECT dp_protect('w', 1000000, 0.5);
SELECT dp_define_column('w', 'x', range => '{0,1000}');
SELECT estimate, low, high FROM dp_query(NULL::w, '{median(x)}', 10000);
-- so are fifty, and intervals of any confidence are read afterwards
SELECT count(*), min(low), max(high) FROM dp_query(NULL::w, ARRAY(SELECT format('quantile(x, 0.%s)', i) FROM generate_series(10, 59) i), 100000);
SELECT low, high FROM dp_query(NULL::w, '{median(x)}', 20000, confidence => 0.5);
SELECT max(release) AS release FROM dp_releases \gset
SELECT low, high FROM dp_query(:release, 0.2);
SELECT low, high FROM dp_query(:release, 0.999);

-- no column has a public domain
CREATE TABLE n (note text, more xml);
INSERT INTO n SELECT 'a' FROM generate_series(1, 123);
SELECT dp_protect('n', 1000000);
SELECT cell, estimate FROM dp_query(NULL::n, '{count(*)}', 10000);
SELECT dp_query(NULL::n, '{count(note)}', 1);

-- a range that nothing states is too wide for sums, and narrow enough where narrow looks for rows
CREATE TABLE assumed (weight double precision NOT NULL);
INSERT INTO assumed SELECT 50 + i % 40 FROM generate_series(0, 3999) i;
SELECT dp_protect('assumed', 1000000);
SELECT dp_query(NULL::assumed, '{avg(weight)}', 1);
SELECT count(*) FROM dp_ledger WHERE relation_name = 't65.assumed';
SELECT measure, estimate BETWEEN 68 AND 71 FROM dp_query(NULL::assumed, '{avg(weight),median(weight)}', 10000, narrow => true);
SELECT estimate FROM dp_query(NULL::assumed, '{count(weight)}', 10000);

-- more groups than there is room for, and filters that are no filters
SELECT count(*) AS before FROM dp_ledger \gset
\set VERBOSITY sqlstate
SELECT dp_query(NULL::v, '{count(*),median(len)}', 1, by => '{code,code}');
SELECT dp_query(NULL::v, '{avg(len)}', 1, by => '{code,sex}', filter => '{"code": {}}');
SELECT dp_query(NULL::v, ARRAY(SELECT format('quantile(len, 0.%s)', i) FROM generate_series(101, 160) i) || '{avg(at),avg(stay)}', 1, by => '{code,sex}');
SELECT dp_query(NULL::v, '{count(*)}', 1, filter => (repeat('[', 3000) || repeat(']', 3000))::jsonb);
SELECT dp_query(NULL::v, '{count(*)}', 1, filter => ('{"code": ' || repeat('[', 3000) || repeat(']', 3000) || '}')::jsonb);
SELECT dp_query(NULL::v, '{count(*)}', 1, filter => ('{"len": ' || repeat('[', 3000) || repeat(']', 3000) || '}')::jsonb);
SELECT dp_query(NULL::v, array_fill('count(*)'::text, '{65}'), 1);
SELECT dp_query(9223372036854775807);
\set VERBOSITY default
SELECT count(*) = :before FROM dp_ledger;

-- Categories of numbers or dates have their least and largest one as ends, in whatever order they are.
CREATE TABLE query_ranks (rank integer, day date, grade numeric(3,1));
INSERT INTO query_ranks SELECT (ARRAY[5, 1, 3, 99, 3])[1 + i % 5], date '2024-01-01' + i % 3, (i % 2) * 2.5
  FROM generate_series(0, 11999) i;
SELECT dp_protect('query_ranks', 1000000);
SELECT dp_define_column('query_ranks', 'rank', categories => '{5,1,3}');
SELECT dp_define_column('query_ranks', 'day', categories => '{2024-01-03,2024-01-01,2024-01-02}');
SELECT dp_define_column('query_ranks', 'grade', categories => '{2.5,0.0}');
SELECT measure, round(estimate::numeric, 6) FROM dp_query(NULL::query_ranks,
  '{sum(rank),avg(rank),median(rank),avg(grade),median(day)}', 90000);
SELECT measure, round(estimate::numeric, 6) FROM dp_query(NULL::query_ranks, '{sum(rank)}', 90000, filter => '{"rank": ["1", "3"]}');
SELECT cell, measure, round(estimate::numeric, 6) FROM dp_query(NULL::query_ranks, '{sum(grade)}', 90000, by => '{rank}');
DROP SCHEMA t65 CASCADE;
