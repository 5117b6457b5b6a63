-- pmi: plans, fits, options, errors
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t39;
CREATE ROLE regress_dp_39_owner;
GRANT USAGE, CREATE ON SCHEMA t39 TO regress_dp_39_owner;
SET search_path = t39, public;
SET SESSION AUTHORIZATION regress_dp_39_owner;
SET client_min_messages = warning;
CREATE TABLE t (a int NOT NULL, b int NOT NULL, c int NOT NULL);
INSERT INTO t SELECT i % 3, i % 3, i / 3 % 2 FROM generate_series(0, 2999) i;
SELECT dp_protect('t', 1000000);
SELECT dp_define_column('t', 'a', '{0,1,2}', complete => true), dp_define_column('t', 'b', '{0,1,2}', complete => true),
	   dp_define_column('t', 'c', '{0,1}', complete => true);

SELECT options, e.stage, e.mechanism, e.tables, e.epsilon_each, e.epsilon_total, e.scans
  FROM (VALUES ('{"rows": 10}'), ('{"rows": 10, "sweeps": 3, "lambda": 0.01}')) o (options),
	   LATERAL dp_explain('t', 'pmi', 10, 0, options::jsonb) e;

-- at a huge epsilon b follows a, whether the penalty is given or found; a heavy one forgets it
SELECT options, (SELECT count(*) FILTER (WHERE s.a = s.b) >= 160 FROM dp_sample(NULL::t, r.id) s)
  FROM (VALUES ('{"rows": 200}'), ('{"rows": 200, "lambda": 0.0001, "alpha_mixing": 1}'), ('{"rows": 200, "folds": 2, "alpha_mixing": 0}'),
			   ('{"rows": 200, "lambda": 1000, "alpha_mixing": 1}'), ('{"rows": 200, "network": {"a": ["c"], "b": ["a"], "c": []}}')) o (options),
	   LATERAL (SELECT dp_release('t', 'pmi', 8000, 0, options::jsonb) AS id) r;
SELECT count(*) FROM dp_synthesize_pmi(NULL::t, 10, rows => 30, alpha_mixing => 0.2, lambda => 0.01, sweeps => 2, columns => '{a,b}');
SELECT max(release) AS id FROM dp_releases \gset
SELECT options FROM dp_releases WHERE release = :id;
SELECT count(*) FROM dp_sample(NULL::t, :id, 31);
CREATE TABLE pool AS SELECT * FROM t LIMIT 5;
SELECT count(*) FROM dp_synthesize_pmi(NULL::t, 10, 0, 30, seed_pool => 'pool', sets => 2, independent_sets => true);
-- how many rows there are does not matter: with none at all rows are uniform
CREATE TABLE vacant (LIKE t);
SELECT dp_protect('vacant', 10);
SELECT dp_define_column('vacant', 'a', '{0,1,2}'), dp_define_column('vacant', 'b', '{0,1,2}'), dp_define_column('vacant', 'c', '{0,1}');
SELECT count(*) FROM dp_synthesize_pmi(NULL::vacant, 10, 0, 30);

SELECT dp_release('t', 'pmi', 10);
SELECT dp_release('t', 'pmi', 10, 0, '{"rows": 10, "lambda": 0}');
SELECT dp_release('t', 'pmi', 10, 0, '{"rows": 10, "alpha_mixing": 1.5}');
SELECT dp_release('t', 'pmi', 10, 0, '{"rows": 10, "network": {"a": ["a"], "b": [], "c": []}}');
CREATE TABLE wide (a int NOT NULL, b int NOT NULL);
SELECT dp_protect('wide', 10), dp_define_column('wide', 'a', (SELECT array_agg(i::text) FROM generate_series(1, 4000) i)),
	   dp_define_column('wide', 'b', (SELECT array_agg(i::text) FROM generate_series(1, 4000) i));
SELECT dp_release('wide', 'pmi', 10, 0, '{"rows": 10}');
CREATE TABLE opened (a boolean NOT NULL, w text);
SELECT dp_protect('opened', 1000, 0.5), dp_define_column('opened', 'w', open => true);
SELECT count(*) FROM dp_synthesize_pmi(NULL::opened, 1, 1e-6, 10);
SELECT dp_release('opened', 'pmi', 1, 1e-6, '{"rows": 10, "seed_pool": "pool"}');
SELECT count(*) FROM dp_synthesize_pegs(NULL::opened, 1, 1e-6, 10, parents => 0);
SELECT dp_release('opened', 'pegs', 1, 1e-6, '{"rows": 10, "parents": 0, "seed_pool": "pool"}');
-- columns with a domain are open too
SELECT dp_define_column('opened', 'w', open => true, domain => '["x", "y"]');
SELECT count(*) FROM dp_synthesize_pmi(NULL::opened, 1, 0, 10);
SELECT dp_release('opened', 'pegs', 1, 0, '{"rows": 10, "parents": 0, "seed_pool": "pool"}');
SELECT stage, cells FROM dp_explain('opened', 'marginal', 1);

RESET SESSION AUTHORIZATION;
DROP SCHEMA t39 CASCADE;
DROP ROLE regress_dp_39_owner;
