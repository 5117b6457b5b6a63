-- dp_histogram: three mechanisms, cells as rows, reading a release again. With no_false_positives at 0.999999999
-- no value appears that no row has.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t42;
CREATE ROLE regress_dp_42_owner;
CREATE ROLE regress_dp_42_analyst;
CREATE ROLE regress_dp_42_other;
GRANT USAGE, CREATE ON SCHEMA t42 TO regress_dp_42_owner;
GRANT USAGE ON SCHEMA t42 TO regress_dp_42_analyst, regress_dp_42_other;
SET search_path = t42, public;
SET SESSION AUTHORIZATION regress_dp_42_owner;
SET client_min_messages = warning;
CREATE TABLE t (city text, dropped text, age integer, born date, price numeric, smoker boolean NOT NULL);
ALTER TABLE t DROP dropped;
INSERT INTO t SELECT (ARRAY['Bern', 'Ulm', NULL])[1 + i % 3], i % 90, DATE '2000-02-28' + i % 3, (i % 2 + 1)::numeric(4,2) + 0.50, i % 2 = 0
  FROM generate_series(1, 9000) i;
INSERT INTO t VALUES ('alone', 200, '1066-10-14', 'NaN', true);
SELECT dp_protect('t', 1000000, 0.5);
SELECT dp_define_column('t', 'age', bins => '{0,30,60,90}');
SELECT dp_grant('t', 'regress_dp_42_analyst', 100000, 0.1);
SET SESSION AUTHORIZATION regress_dp_42_analyst;

-- cathist: what reaches the threshold, of any domain; cells as jsonb
SELECT cell, estimate BETWEEN 2900 AND 3100 FROM dp_histogram(NULL::t, '{city}', 10, domain => '["Bern", "Ulm", "Oslo", "Ulm"]', no_false_positives => 0.999999999) ORDER BY 1;
SELECT cell->>'city', cell->>'smoker', estimate BETWEEN 1400 AND 1600
  FROM dp_histogram(NULL::t, '{smoker,city}', 10, domain => '{"alphabet": "BernUlm", "min_length": 1, "max_length": 5}', no_false_positives => 0.999999999) ORDER BY 1, 2;
SELECT cell->>'city', cell->>'smoker', estimate BETWEEN 1400 AND 1600
  FROM dp_histogram(NULL::t, '{smoker,city}', 10, domain => '{"city": {"alphabet": "BernUlm", "min_length": 1, "max_length": 5}}', no_false_positives => 0.999999999) ORDER BY 1, 2;
SELECT cell->>'born', estimate BETWEEN 2900 AND 3100 FROM dp_histogram(NULL::t, '{born}', 10, domain => '{"from": "1900-01-01", "to": "2099-12-31"}', no_false_positives => 0.999999999) ORDER BY 1;
-- 1.50 and 2.50 of a numeric column are values of a grid, however they are written
SELECT cell->>'price', estimate BETWEEN 4400 AND 4600 FROM dp_histogram(NULL::t, '{price}', 10, domain => '{"from": 0, "to": 1000000, "step": 0.01}', no_false_positives => 0.999999999) ORDER BY 1;
SELECT cell->>'price', estimate BETWEEN 4400 AND 4600 FROM dp_histogram(NULL::t, '{price}', 10, domain => '{"values": ["2.500", 1.5, 2.5, "NaN"]}', no_false_positives => 0.999999999) ORDER BY 1;
-- three columns of 1e6 x 73049 x 2 cells
SELECT cell->>'born', cell->>'price', cell->>'smoker', estimate BETWEEN 1400 AND 1600
  FROM dp_histogram(NULL::t, '{born,price,smoker}', 10,
	domain => '{"born": {"from": "1900-01-01", "to": "2099-12-31"}, "price": {"from": 0, "to": 9999.99, "step": 0.01}}', no_false_positives => 0.999999999) ORDER BY 1, 2, 3;
SELECT step, stage, mechanism, threshold, cells, scans, delta_total, false_positives BETWEEN 0.01 AND 0.11
  FROM dp_explain('t', 'histogram', 1, 0, '{"columns": ["born"], "domain": {"from": "1900-01-01", "to": "2099-12-31"}}');
SELECT p, threshold, false_positives > 0 FROM unnest('{0.1,0.9,0.99}'::numeric[]) p,
	LATERAL dp_explain('t', 'histogram', 1, 0, jsonb_build_object('columns', '{born}'::name[], 'no_false_positives', p, 'domain', '{"from": "1900-01-01", "to": "2099-12-31"}'::jsonb)) WHERE step = 1;

-- laplace: every cell, also empty ones and negative counts; a bin is shown with both edges; no
-- delta is charged
SELECT cell->>'age', cell->>'smoker', estimate BETWEEN 1400 AND 1600 FROM dp_histogram(NULL::t, '{age,smoker}', 10, mechanism => 'laplace') ORDER BY 1, 2;
SELECT cell->>'city', abs(estimate) < 100 FROM dp_histogram(NULL::t, '{city}', 10, 1e-6, 'laplace', '["Oslo", "Rome"]') ORDER BY 1;
SELECT count(*), min(estimate) < 0 FROM dp_histogram(NULL::t, '{born}', 1, mechanism => 'laplace', domain => '{"from": "1900-01-01", "to": "1999-12-31"}');
SELECT delta FROM dp_releases ORDER BY release DESC LIMIT 1;
SELECT step, mechanism, cells, threshold FROM dp_explain('t', 'histogram', 1, 0, '{"columns": ["age", "smoker"], "mechanism": "laplace"}');

-- stability: what reaches the threshold, with a delta
SELECT cell->>'age', estimate BETWEEN 2900 AND 3100 FROM dp_histogram(NULL::t, '{age}', 10, 1e-9, 'stability') ORDER BY 1;
SELECT cell->>'city', estimate BETWEEN 2900 AND 3100 FROM dp_histogram(NULL::t, '{city}', 10, 1e-9, 'stability', '["Ulm", "Oslo"]') ORDER BY 1;
SELECT step, mechanism, threshold, delta_total FROM dp_explain('t', 'histogram', 1, 1e-9, '{"columns": ["age"], "mechanism": "stability"}');
-- city has no domain, and was not declared open
SELECT count(*) FROM dp_histogram(NULL::t, '{city}', 10, 1e-9, 'stability');
SET SESSION AUTHORIZATION regress_dp_42_owner;
SELECT dp_define_column('t', 'city', open => true, other => 'elsewhere');
SET SESSION AUTHORIZATION regress_dp_42_analyst;
SELECT cell->>'city', cell->>'smoker', estimate BETWEEN 1400 AND 1600 FROM dp_histogram(NULL::t, '{city,smoker}', 10, 1e-9, 'stability') ORDER BY 1, 2;

-- a release is read again, and drawn from, at no cost, by every role that may
SELECT count(*) AS debits FROM dp_ledger \gset
SELECT max(release) AS r FROM dp_releases \gset
SELECT count(*), bool_and(estimate BETWEEN 1400 AND 1600) FROM dp_histogram(:r);
SELECT bool_and(a = b) FROM (SELECT array_agg(h) a FROM dp_histogram(:r) h) a, (SELECT array_agg(h) b FROM dp_histogram(:r) h) b;
SELECT count(*), count(DISTINCT city) FROM dp_sample(NULL::t, :r, 1000, 1);
CREATE TYPE pg_temp.only_city AS (smoker text, city varchar);
SELECT jsonb_populate_record(NULL::pg_temp.only_city, cell), estimate > 0 FROM dp_histogram(:r) ORDER BY 1 LIMIT 1;
SELECT count(*) = :debits FROM dp_ledger;
SET SESSION AUTHORIZATION regress_dp_42_other;
\set VERBOSITY sqlstate
SELECT * FROM dp_histogram(:r);
\set VERBOSITY default
SELECT * FROM dp_histogram(NULL::t, '{age}', 1);
SET SESSION AUTHORIZATION regress_dp_42_owner;
SELECT max(release) AS h FROM dp_releases \gset
SELECT dp_release('t', 'sba', 1, 1e-6, '{"columns": ["age"]}') AS r \gset
\set VERBOSITY sqlstate
SELECT * FROM dp_histogram(:r); -- no histogram
\set VERBOSITY default
SELECT * FROM dp_histogram(NULL);

-- a total of no columns, with its error bar, which is as wide as that of a cell
SELECT cell, abs(estimate - 9001) < 5, round(std_error::numeric, 3), round((high - low)::numeric, 3), basis FROM dp_histogram(NULL::t, '{}', 10);
SELECT cell, abs(estimate - 9001) < 5 FROM dp_histogram(NULL::t, '{}', 10, 1e-9, 'stability');
SELECT h.cell, abs(h.estimate - 9001) < 5 FROM dp_histogram((SELECT max(release) FROM dp_releases), 0.5) h;
SELECT * FROM dp_sample(NULL::t, (SELECT max(release) FROM dp_releases));
SELECT bool_and(low <= estimate AND estimate <= high AND high - estimate < 2), min(basis) FROM dp_histogram(:h, 0.99);
SELECT dp_release('t', 'marginal', 1, 0, '{"columns": []}');
-- errors, all before anything is spent
SELECT count(*) AS debits FROM dp_ledger \gset
SELECT * FROM dp_histogram(NULL::t, '{city}', 1);
SELECT * FROM dp_histogram(NULL::t, '{nix}', 1, domain => '["a"]');
SELECT * FROM dp_histogram(NULL::t, '{city}', 1, domain => '{"nix": ["a"]}');
SELECT * FROM dp_histogram(NULL::t, '{city,born}', 1, domain => '["a"]');
SELECT * FROM dp_histogram(NULL::t, '{city}', 1, mechanism => 'gauss');
SELECT * FROM dp_histogram(NULL::t, '{city}', 1, mechanism => 'stability');
SELECT * FROM dp_histogram(NULL::t, '{city}', 1, mechanism => 'laplace', domain => '{"alphabet": "abcdefghij", "length": 8}');
SELECT * FROM dp_histogram(NULL::t, '{city}', 1, mechanism => 'laplace', domain => '{"alphabet": "a", "min_length": 1, "max_length": 100000}');
SELECT * FROM dp_histogram(NULL::t, '{city,born,price}', 1, domain => '{"city": {"alphabet": "abcdefghij", "length": 12}, "born": {"from": "1900-01-01", "to": "2099-12-31"}, "price": {"from": 0, "to": 99999}}');
SELECT * FROM dp_histogram(NULL::t, '{age}', NULL);
SELECT * FROM dp_histogram(NULL::integer, '{age}', 1);
SELECT * FROM dp_histogram(NULL::t, '{age}', 1, no_false_positives => 1);
SELECT dp_release('t', 'histogram', 1, 0, '{"columns": ["age"], "sets": 2}');
SELECT dp_release('t', 'histogram', 1, 0, '{"columns": ["born"], "domain": ["2000-01-01"], "independent_sets": true}', 2);
SELECT count(*) = :debits FROM dp_ledger;

-- one row replaced: noise of twice the size, and the number of rows is public
CREATE TABLE r (LIKE t);
INSERT INTO r SELECT * FROM t;
SELECT dp_protect('r', 1000, 0, 'replace_one');
SELECT a.threshold < b.threshold, a.noise_stddev < b.noise_stddev
  FROM dp_explain('t', 'histogram', 1, 0, '{"columns": ["born"], "domain": {"from": "1900-01-01", "to": "2099-12-31"}}') a,
	   dp_explain('r', 'histogram', 1, 0, '{"columns": ["born"], "domain": {"from": "1900-01-01", "to": "2099-12-31"}}') b
 WHERE a.step = 1 AND b.step = 1;
SELECT count(*) FROM dp_histogram(NULL::r, '{born}', 10, domain => '["2000-02-29"]');
SELECT r.rows FROM dp_releases r ORDER BY release DESC LIMIT 1;
-- two rows of each person count
CREATE TABLE visits (person integer, place text);
INSERT INTO visits SELECT i % 500, 'p' || i % 2 FROM generate_series(1, 5000) i;
SELECT dp_protect('visits', 1000, unit_column => 'person', max_rows_per_unit => 2);
SELECT sum(estimate) BETWEEN 850 AND 1150 FROM dp_histogram(NULL::visits, '{place}', 20, domain => '["p0", "p1"]');
RESET SESSION AUTHORIZATION;
