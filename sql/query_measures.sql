-- Aggregates with error bars. At this epsilon no noise is left.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t55;
CREATE ROLE regress_dp_55_owner;
CREATE ROLE regress_dp_55_ann;
CREATE ROLE regress_dp_55_bob;
GRANT USAGE, CREATE ON SCHEMA t55 TO regress_dp_55_owner;
GRANT USAGE ON SCHEMA t55 TO regress_dp_55_ann, regress_dp_55_bob;
SET search_path = t55, public;
SET SESSION AUTHORIZATION regress_dp_55_owner;
SET client_min_messages = error;
CREATE TABLE visits (ward text NOT NULL CHECK (ward IN ('icu', 'north', 'south')), sex text CHECK (sex IN ('f', 'm')),
					 "Age" integer NOT NULL, cost numeric(8,2), town text NOT NULL);
INSERT INTO visits SELECT (ARRAY['icu', 'north'])[1 + i % 2], CASE WHEN i % 10 > 0 THEN (ARRAY['f', 'm'])[1 + i % 2] END,
	   i % 100, CASE WHEN i % 4 > 0 THEN i % 50 - 10.25 END, 'town ' || i % 3 FROM generate_series(1, 1000) i;
INSERT INTO visits VALUES ('icu', 'f', 1000000, 1e5, 'elsewhere');
SELECT dp_protect('visits', 1000000, 0.001);
SELECT dp_define_column('visits', 'Age', bins => '{0,18,65,120}');
SELECT dp_define_column('visits', 'cost', bins => '{-20,0,100}');
SELECT dp_define_column('visits', 'town', open => true);
SELECT dp_grant('visits', 'regress_dp_55_ann', 900000, 0.001);
SET SESSION AUTHORIZATION regress_dp_55_ann;
SET client_min_messages = warning;

-- all measures; the millionth year counts as 120, and NULL of cost as nothing
SELECT measure, round(estimate::numeric, CASE WHEN measure LIKE '%cost%' THEN -1 ELSE 1 END), high - low < 0.2 * abs(estimate) + 0.01
  FROM dp_query(NULL::visits, ARRAY['count(*)', 'COUNT(cost)', 'count(distinct ward)', 'sum(cost)', 'sum("Age")', 'avg("Age")',
									'var("Age")', 'stddev("Age")', 'median(cost)', 'quantile("Age", 0.9)'], 100000);
RESET SESSION AUTHORIZATION;
SELECT count(*), count(cost), count(DISTINCT ward), sum(least(cost, 100)) FILTER (WHERE cost IS NOT NULL), sum(least("Age", 120)), round(avg(least("Age", 120)), 2),
	   round(variance(least("Age", 120)), 2), round(stddev(least("Age", 120)), 2), percentile_disc(0.5) WITHIN GROUP (ORDER BY cost),
	   percentile_disc(0.9) WITHIN GROUP (ORDER BY "Age") FROM visits;
SET SESSION AUTHORIZATION regress_dp_55_ann;
SET client_min_messages = warning;
-- groups: those that nobody is in, too; cells read as jsonb
SELECT cell, cell ->> 'ward', measure, round(estimate) FROM dp_query(NULL::visits, '{count(*),avg(cost)}', 100000, by => '{ward,sex}')
 WHERE cell ->> 'ward' <> 'north';
SELECT cell, estimate FROM dp_query(NULL::visits, '{count(*)}', 1000, by => '{Age}');
-- an open column groups, too
SELECT cell ->> 'town', round(estimate) FROM dp_query(NULL::visits, '{count(*)}', 1000, by => '{town}', delta => 1e-6);
-- a filter
SELECT estimate FROM dp_query(NULL::visits, '{count(*)}', 10000, filter => '{"ward": "icu", "Age": [18, 65]}');
SELECT estimate FROM dp_query(NULL::visits, '{count(*)}', 10000, filter => '{"ward": ["icu", "south"], "Age": [65, null]}');
SELECT estimate FROM dp_query(NULL::visits, '{count(*)}', 10000, filter => '{"sex": ["f", "m"], "cost": 5.75}');
RESET SESSION AUTHORIZATION;
SELECT count(*) FILTER (WHERE ward = 'icu' AND "Age" >= 18 AND "Age" < 65), count(*) FILTER (WHERE ward = 'icu' AND "Age" >= 65),
	   count(*) FILTER (WHERE sex IS NOT NULL AND cost = 5.75) FROM visits;
SET SESSION AUTHORIZATION regress_dp_55_ann;

-- what it will cost, and how wide the noise is
SELECT stage, mechanism, tables, cells, epsilon_total, round(noise_stddev::numeric, 3)
  FROM dp_explain('visits', 'query', 1, 0, '{"measures": ["count(*)", "sum(cost)", "avg(\"Age\")", "median(cost)"], "by": ["ward"]}');
SELECT DISTINCT mechanism FROM dp_explain('visits', 'query', 1, 1e-6, '{"measures": ["count(*)", "count(cost)", "count(distinct ward)", "sum(cost)",
	"stddev(\"Age\")", "median(\"Age\")", "median(cost)", "quantile(cost, 0.1)", "quantile(cost, 0.2)", "quantile(cost, 0.3)", "quantile(cost, 0.4)",
	"quantile(cost, 0.6)", "quantile(cost, 0.7)", "quantile(cost, 0.8)", "quantile(cost, 0.9)"]}') WHERE step IS NOT NULL ORDER BY 1;
-- one statistic alone: Laplace noise is less, and no delta is charged
SELECT mechanism, delta_total FROM dp_explain('visits', 'query', 1, 1e-9, '{"measures": ["count(*)"]}');

-- the other way round: the epsilon of a standard error of 20 rows
SELECT round(epsilon_total, 4), round(noise_stddev::numeric, 4) FROM dp_explain('visits', 'query', std_error => 20, options => '{"measures": ["count(*)"]}');
SELECT dp_explain('visits', 'query', 1, std_error => 20);
SELECT dp_explain('visits', 'query', std_error => 0, options => '{"measures": ["count(*)"]}');
-- stored: read again, by others too, at another confidence; no rows come from it
SELECT count(*) AS before FROM dp_ledger \gset
SELECT max(release) AS release FROM dp_releases \gset
SELECT estimate, low = high FROM dp_query(:release);
SELECT count(*) = :before FROM dp_ledger;
SELECT * FROM dp_sample(NULL::visits, :release);
SET SESSION AUTHORIZATION regress_dp_55_bob;
\set VERBOSITY sqlstate
SELECT * FROM dp_query(:release);
\set VERBOSITY default
SET SESSION AUTHORIZATION regress_dp_55_ann;
SELECT dp_grant(:release, 'regress_dp_55_bob');
SET SESSION AUTHORIZATION regress_dp_55_bob;
SELECT estimate FROM dp_query(:release, 0.5);
SET SESSION AUTHORIZATION regress_dp_55_ann;

-- refused, at no cost
SELECT dp_query(NULL::visits, '{}', 1);
SELECT dp_query(NULL::visits, ARRAY['max("Age")'], 1);
SELECT dp_query(NULL::visits, '{sum(cost) FROM visits}', 1);
SELECT dp_query(NULL::visits, '{avg(age)}', 1);
SELECT dp_query(NULL::visits, '{avg(ward)}', 1);
SELECT dp_query(NULL::visits, '{count(distinct cost)}', 1);
SELECT dp_query(NULL::visits, '{count(town)}', 1, delta => 1e-6);
SELECT dp_query(NULL::visits, '{count(*)}', 1, by => '{nowhere}');
SELECT dp_query(NULL::visits, '{count(*)}', 1, filter => '{"ward": "east"}');
SELECT dp_query(NULL::visits, '{count(*)}', 1, filter => '{"ward": {"a": 1}}');
SELECT dp_query(NULL::visits, '{count(*)}', 1, filter => '{"Age": [1, 3, 5]}');
SELECT dp_query(NULL::visits, '{count(*)}', 1, filter => '{"Age": "old"}');
SELECT dp_query(NULL::visits, '{count(*)}', 1, filter => '["ward"]');
SELECT dp_query(NULL::visits, '{count(*)}', 1, filter => '{"town": "town 1"}');
SELECT dp_query(NULL::visits, '{count(*)}', 1, confidence => 1);
SELECT dp_query(NULL::visits, '{count(*)}', 1, by => '{town}');
SELECT dp_query(NULL::visits, NULL, 1);
SELECT dp_release('visits', 'query', 1);
SELECT dp_query(NULL);
SELECT count(*) = :before FROM dp_ledger;

-- how wide the interval of each measure will be, at any confidence: it is that of the answers
CREATE TEMP TABLE asked AS SELECT ARRAY['count(*)', 'count(cost)', 'count(distinct ward)', 'sum(cost)', 'sum("Age")', 'avg("Age")', 'var("Age")', 'stddev("Age")', 'median(cost)'] AS measures;
CREATE TEMP TABLE wide AS SELECT e.ordinality, e.stage AS measure, e.half_width, e.unit
  FROM asked, LATERAL dp_explain('visits', 'query', 20, 0, jsonb_build_object('measures', measures), confidence => 0.9) WITH ORDINALITY e WHERE e.half_width IS NOT NULL;
SELECT measure, half_width > 0, unit FROM wide ORDER BY ordinality;
CREATE TEMP TABLE answers AS SELECT q.*, (sum(estimate) FILTER (WHERE measure = 'count(*)') OVER ()) AS n
  FROM asked, LATERAL dp_query(NULL::visits, measures, 20, confidence => 0.9) q;
SELECT measure, CASE WHEN measure ~ '^(count|sum)' THEN abs((high - low) / 2 - half_width) < 1e-6 * half_width
					 WHEN measure ~ '^avg' THEN (high - low) / 2 BETWEEN half_width / n / 3 AND half_width / n
					 WHEN measure ~ '^var' THEN (high - low) / 2 < half_width / n
					 WHEN measure ~ '^stddev' THEN (high - low) / 2 < half_width / n / 2 / low END
  FROM answers JOIN wide USING (measure) WHERE measure !~ 'distinct|median' ORDER BY ordinality;
SELECT confidence, half_width FROM unnest(ARRAY[0.5, 0.9, 0.99]) confidence, LATERAL dp_explain('visits', 'query', 0.1, 0, '{"measures": ["count(*)"]}', confidence => confidence) WHERE half_width IS NOT NULL;
SELECT dp_explain('visits', 'query', 1, 0, '{"measures": ["count(*)"]}', confidence => 1);
SELECT dp_explain('visits', 'query', 1, 0, '{"measures": ["count(*)"]}', confidence => NULL);
-- in words; of other methods there is no such line
SELECT regexp_replace(line, ' [^ ]* (kB|MB|bytes)$', ' so much') FROM dp_explain('visits', 'query', 1, 0, '{"measures": ["count(*)", "count(distinct ward)", "sum(cost)", "avg(\"Age\")", "stddev(cost)", "median(cost)"], "by": ["ward"]}');
SELECT count(half_width), count(unit) > 0 FROM dp_explain('visits', 'marginal', 1, options => '{"columns": ["ward", "sex"]}');
DROP TABLE asked, wide, answers;
RESET SESSION AUTHORIZATION;
DROP SCHEMA t55 CASCADE;
DROP ROLE regress_dp_55_owner;
DROP ROLE regress_dp_55_ann;
DROP ROLE regress_dp_55_bob;
