-- marginal: noisy margins, and the perturbed bootstrap
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t40;
CREATE ROLE regress_dp_40_owner;
GRANT USAGE, CREATE ON SCHEMA t40 TO regress_dp_40_owner;
SET search_path = t40, public;
SET SESSION AUTHORIZATION regress_dp_40_owner;
SET client_min_messages = warning;
CREATE TABLE t (a int NOT NULL, b int NOT NULL, w text NOT NULL);
INSERT INTO t SELECT i % 3, i % 3, 'word' FROM generate_series(0, 2999) i;
SELECT dp_protect('t', 1000000, 0.9);
SELECT dp_define_column('t', 'a', '{0,1,2}', complete => true), dp_define_column('t', 'b', '{0,1,2,3}'), dp_define_column('t', 'w', open => true);

SELECT options, e.stage, e.mechanism, e.tables, e.epsilon_each, e.epsilon_total, e.noise_stddev, e.cells, e.scans
  FROM (VALUES ('{"columns": ["a", "b"]}'), ('{"columns": ["a", "b"], "mechanism": "bootstrap", "rows": 10}'), ('{}')) o (options),
	   LATERAL dp_explain('t', 'marginal', 10, 1e-6, options::jsonb) e;

-- columns keep their margins, not what they have in common
SELECT count(*), count(*) FILTER (WHERE a = 0) BETWEEN 3000 AND 3700, count(*) FILTER (WHERE b = 3) < 100, count(*) FILTER (WHERE a = b) BETWEEN 3000 AND 3700
  FROM dp_synthesize_marginal(NULL::t, 100, 0, 10000, columns => '{a,b}', seed => 1);
SELECT max(release) AS id FROM dp_releases \gset
SELECT rows BETWEEN 2990 AND 3010, (SELECT count(*) FROM dp_sample(NULL::t, :id, 50000)) FROM dp_releases WHERE release = :id;
SELECT count(*), count(*) FILTER (WHERE a = 0) BETWEEN 70 AND 200, count(*) FILTER (WHERE a = b) BETWEEN 70 AND 200, count(*) FILTER (WHERE b = 3) < 20
  FROM dp_synthesize_marginal(NULL::t, 8000, 0, 400, 'bootstrap', columns => '{a,b}');
SELECT max(release) AS id FROM dp_releases \gset
SELECT count(*) FROM dp_sample(NULL::t, :id);
SELECT count(*) FROM dp_sample(NULL::t, :id, 401);
SELECT DISTINCT w FROM dp_synthesize_marginal(NULL::t, 100, 0.1, 100, seed => 1) ORDER BY 1;
SELECT dp_release('t', 'marginal', 10, 0, '{"columns": ["a"], "rows": 10}');
SELECT dp_release('t', 'marginal', 10, 0, '{"columns": ["a"], "mechanism": "bootstrap"}');
SELECT dp_release('t', 'marginal', 10, 0, '{"columns": ["a"], "mechanism": "jackknife"}');
SELECT dp_release('t', 'marginal', 0.000000001, 0, '{"columns": ["a", "b"]}');

RESET SESSION AUTHORIZATION;
DROP SCHEMA t40 CASCADE;
DROP ROLE regress_dp_40_owner;
