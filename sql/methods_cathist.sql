-- CatHist: rows from a histogram of each column over its domain, and open columns with a domain.
-- All numbers are such that noise cannot change a line; with no_false_positives at 0.999999999 no value appears
-- that no row has.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t41;
CREATE ROLE regress_dp_41_owner;
CREATE ROLE regress_dp_41_analyst;
GRANT USAGE, CREATE ON SCHEMA t41 TO regress_dp_41_owner;
GRANT USAGE ON SCHEMA t41 TO regress_dp_41_analyst;
SET search_path = t41, public;
SET SESSION AUTHORIZATION regress_dp_41_owner;
SET client_min_messages = warning;
CREATE TABLE words AS SELECT 'w' || i AS word FROM generate_series(0, 9999) i;
CREATE TABLE t (name text, plate varchar(6), zip integer, smoker boolean NOT NULL);
INSERT INTO t SELECT 'w' || i % 3, 'AB' || i % 2, 10000 + i % 4, i % 2 = 0 FROM generate_series(1, 6000) i;
INSERT INTO t SELECT 'nobody else ' || i, 'ZZ' || i, -i, true FROM generate_series(1, 100) i;
SELECT dp_protect('t', 1000000, min_epsilon_per_release => NULL);
SELECT dp_grant('t', 'regress_dp_41_analyst', 100000);

-- an equal part of epsilon for each column; thresholds follow from the sizes of the domains
SELECT step, stage, mechanism, tables, epsilon_each, delta_total, threshold, cells, scans, round(false_positives::numeric, 3) < 0.106
  FROM dp_explain('t', 'cathist', 3, 0, '{"columns": ["name", "plate", "smoker"],
	   "domain": {"name": {"table": "t41.words", "column": "word"}, "plate": {"alphabet": "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", "length": 3}}}');
SELECT step, threshold, cells FROM dp_explain('t', 'cathist', 3, 0, '{"columns": ["name", "plate"], "joint": true, "no_false_positives": 0.5,
	   "domain": {"name": {"table": "t41.words", "column": "word"}, "plate": {"alphabet": "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", "length": 3}}}');
-- values outside a domain, and those that few have, are not there
SELECT name, plate, count(*) BETWEEN 200 AND 500 FROM dp_synthesize_cathist(NULL::t, 20, 0, 2000,
	columns => '{name,plate}', domain => '{"name": {"table": "words", "column": "word"}, "plate": {"alphabet": "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", "min_length": 1, "max_length": 6}}',
	no_false_positives => 0.999999999)
 GROUP BY 1, 2 ORDER BY 1, 2;
-- both columns in one histogram: name and zip belong together
SELECT name, zip, count(*) BETWEEN 80 AND 420 FROM dp_synthesize_cathist(NULL::t, 20, 0, 2000,
	columns => '{name,zip}', domain => '{"name": ["w0", "w1", "w7"], "zip": {"from": 0, "to": 99999}}', joint => true, no_false_positives => 0.999999999)
 GROUP BY 1, 2 ORDER BY 1, 2;
-- of 6100 rows those inside of the domain
SELECT r.rows BETWEEN 3900 AND 4100 FROM dp_releases r ORDER BY release DESC LIMIT 1;
-- a column with levels as they are
SELECT smoker, count(*) BETWEEN 4000 AND 6000 FROM dp_synthesize_cathist(NULL::t, 10, 0, 10000, columns => '{smoker}', no_false_positives => 0.999999999) GROUP BY 1 ORDER BY 1;
-- the same rows again
SELECT max(release) AS r FROM dp_releases \gset
SELECT count(*), count(DISTINCT smoker) FROM dp_sample(NULL::t, :r, 50, 1);
-- at a very small epsilon no value is found
SELECT DISTINCT name FROM dp_synthesize_cathist(NULL::t, 0.0001, 0, 10, '["w0", "w1"]', 0.999999999, columns => '{name}');

-- the custodian declares a domain: any method finds values by epsilon alone, also for a role that
-- may not read the dictionary
SELECT dp_define_column('t', 'name', open => true, domain => '{"table": "words", "column": "word"}');
SELECT dp_define_column('t', 'zip', open => true, other => '0', domain => '{"from": 10000, "to": 99999}');
SELECT column_name, kind, other, domain FROM dp_columns WHERE relation = 't'::regclass AND kind = 'open';
SET SESSION AUTHORIZATION regress_dp_41_analyst;
SELECT step, stage, mechanism, tables, epsilon_each, delta_each, threshold, cells FROM dp_explain('t', 'flat', 20, 0, '{"open_no_false_positives": 0.99}');
SELECT dp_release('t', 'flat', 200, 0, '{"columns": ["name", "smoker"], "open_no_false_positives": 0.999999999}') AS r \gset
SELECT name, smoker, count(*) BETWEEN 700 AND 1300 FROM dp_sample(NULL::t, :r, 6100) WHERE name IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2;
SELECT dp_release('t', 'privbayes', 200, 0, '{"columns": ["name", "smoker"], "parents": 1, "open_no_false_positives": 0.999999999}') AS r \gset
SELECT name, count(*) > 1000 FROM dp_sample(NULL::t, :r, 6100) WHERE name IS NOT NULL GROUP BY 1 ORDER BY 1;
-- the declared domains serve a histogram too; NULL, and what is outside, is in no cell
SELECT cell->>'zip', estimate BETWEEN 1400 AND 1600 FROM dp_histogram(NULL::t, '{zip}', 10, no_false_positives => 0.999999999) ORDER BY 1;
SELECT dp_release('t', 'flat', 1, 0, '{"open_no_false_positives": 1}');

-- the declared domain counts, whatever becomes of the dictionary
SET SESSION AUTHORIZATION regress_dp_41_owner;
DROP TABLE words;
SELECT cell->>'name', estimate BETWEEN 1900 AND 2100 FROM dp_histogram(NULL::t, '{name}', 10, no_false_positives => 0.999999999) ORDER BY 1;
-- declared again without one: any value, which needs a delta
SELECT dp_define_column('t', 'name', open => true);
SELECT dp_release('t', 'flat', 1, 0, '{"columns": ["name"]}');
SELECT dp_release('t', 'cathist', 1, 0, '{"columns": ["name"]}');
SELECT dp_define_column('t', 'name', categories => '{w0,w1}', domain => '["w0"]');
SELECT dp_define_column('t', 'name', open => true, domain => '{"from": 1}');
SELECT dp_release('t', 'cathist', 1, 0, '{"columns": ["name"], "no_false_positives": 0}');
SELECT dp_release('t', 'cathist', 1, 0, '{"columns": ["name"], "domain": 7}');
SELECT dp_release('t', 'cathist', 1, 0, '{"columns": ["name", "plate"], "domain": ["w0"]}');
SELECT dp_release('t', 'cathist', 0.000000002, 0, '{"columns": ["name"], "domain": {"alphabet": "abcdefghij", "length": 18}}');
SELECT dp_release('t', 'flat', 1, 0, '{"domain": ["w0"]}');
-- the type changes: the declaration no longer fits
ALTER TABLE t ALTER zip TYPE bigint;
SELECT dp_release('t', 'cathist', 1, 0, '{"columns": ["zip"]}');

RESET SESSION AUTHORIZATION;
