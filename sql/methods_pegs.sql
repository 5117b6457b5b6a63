-- pegs and pegs_ldiversity: rows that are the release, blocks, seed pools, rights
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t38;
CREATE ROLE regress_dp_38_owner;
CREATE ROLE regress_dp_38_analyst;
GRANT USAGE, CREATE ON SCHEMA t38 TO regress_dp_38_owner, regress_dp_38_analyst;
SET search_path = t38, public;
SET SESSION AUTHORIZATION regress_dp_38_owner;
SET client_min_messages = warning;
-- a determines b, and c is independent
CREATE TABLE t (a int NOT NULL, b int NOT NULL, c int NOT NULL, note text);
INSERT INTO t SELECT i % 3, i % 3, i / 3 % 2 FROM generate_series(0, 5999) i;
CREATE TABLE r (LIKE t);
INSERT INTO r SELECT * FROM t;
SELECT dp_protect('t', 1000000), dp_protect('r', 1000000, 0, 'replace_one');
SELECT relation, dp_define_column(relation, 'a', '{0,1,2}', complete => true), dp_define_column(relation, 'b', '{0,1,2}', complete => true),
	   dp_define_column(relation, 'c', '{0,1}', complete => true)
  FROM (VALUES ('t'::regclass), ('r')) x (relation);
SELECT dp_grant('t', 'regress_dp_38_analyst', 100000);

-- what a row and a block cost; blocks need more pseudo-counts under replacement
SELECT relation, options, e.stage, e.mechanism, e.tables, e.epsilon_each, e.epsilon_total, e.scans
  FROM (VALUES ('t'::regclass, '{"rows": 10, "column_order": ["a", "b", "c"]}'), ('t', '{"rows": 10, "parents": 0, "block": 5}'),
			   ('r', '{"rows": 10, "parents": 0, "block": 5}'), ('t', '{"rows": 10, "parents": 0, "sweeps": 3}'), ('t', '{"rows": 100, "parents": 1}'),
			   ('t', '{"rows": 5, "parents": 0, "block": 2}')) o (relation, options),
	   LATERAL dp_explain(relation, 'pegs', 10, 0, options::jsonb) e;

-- at a huge epsilon b follows a
SELECT options, (SELECT count(*) FROM dp_sample(NULL::t, r.id)), (SELECT count(*) >= 190 FROM dp_sample(NULL::t, r.id) s WHERE s.a = s.b)
  FROM (VALUES ('{"rows": 200, "column_order": ["a", "b", "c"]}'), ('{"rows": 200}'),
			   ('{"rows": 200, "network": {"a": [], "b": ["a"], "c": []}, "sweeps": 2}')) o (options),
	   LATERAL (SELECT dp_release('t', 'pegs', 8000, 0, options::jsonb) AS id) r;

-- the rows are the release: whatever the seed, they are the same ones, and there are no more
SELECT dp_release('t', 'pegs', 100, 0, '{"rows": 20, "parents": 0}') AS id \gset
SELECT array_agg(ROW(a, b, c)) = (SELECT array_agg(ROW(a, b, c)) FROM dp_sample(NULL::t, :id, seed => 7)) FROM dp_sample(NULL::t, :id);
SELECT array_agg(ROW(a, b, c)) = (SELECT array_agg(ROW(a, b, c)) FROM (SELECT * FROM dp_sample(NULL::t, :id) LIMIT 5) s) FROM dp_sample(NULL::t, :id, 5);
SELECT count(*), count(note) FROM dp_sample(NULL::t, :id, 20);
SELECT count(*) FROM dp_sample(NULL::t, :id, 21);
SELECT rows, guarantee FROM dp_releases WHERE release = :id;
SELECT count(*) FROM dp_synthesize_pegs(NULL::t, 10, rows => 30, block => 3, column_order => '{c,b,a}', sweeps => 2);
SELECT count(*), count(b) FROM dp_synthesize_pegs(NULL::t, 10, 0, 30, parents => 1, selection_share => 0.3, columns => '{a,b}');
-- sets are paid for one by one
SELECT dp_release('t', 'pegs', 10, 0, '{"rows": 10, "parents": 0}', 2);
SELECT dp_release('t', 'pegs', 10, 0, '{"rows": 10, "parents": 0, "independent_sets": true}', 2) AS id \gset
SELECT count(*) FROM dp_sample(NULL::t, :id, set => 2);
SELECT count(*) FROM dp_sample(NULL::t, :id, 11, set => 2);
SELECT stage, tables, epsilon_each, epsilon_total FROM dp_explain('t', 'pegs', 10, 0, '{"rows": 10, "parents": 0, "independent_sets": true}', 2);

-- a hash with collisions: in many buckets b follows a, in one it cannot; and what alpha looks like
SELECT options, (SELECT count(*) >= 190 FROM dp_sample(NULL::t, r.id) s WHERE s.a = s.b), (SELECT count(*) < 130 FROM dp_sample(NULL::t, r.id) s WHERE s.a = s.b)
  FROM (VALUES ('{"rows": 200, "parents": 2, "buckets": 1000000}'), ('{"rows": 200, "parents": 2, "buckets": 1}')) o (options),
	   LATERAL (SELECT dp_release('t', 'pegs', 8000, 0, options::jsonb) AS id) r;
CREATE TABLE skewed (v int NOT NULL, w int NOT NULL);
INSERT INTO skewed SELECT CASE WHEN i % 50 = 0 THEN i / 50 % 10 ELSE 3 END, i % 2 FROM generate_series(1, 5000) i;
SELECT dp_protect('skewed', 1000000);
SELECT dp_define_column('skewed', 'v', '{0,1,2,3,4,5,6,7,8,9}', complete => true), dp_define_column('skewed', 'w', '{0,1}', complete => true);
SELECT stage, tables, epsilon_each, epsilon_total, scans FROM dp_explain('skewed', 'pegs', 100, 0, '{"rows": 1000, "parents": 0, "alpha": "margin", "margin_share": 0.5}');
-- with a flat alpha rows are near uniform; with that of the margin half of them have the common value
SELECT options, (SELECT count(*) > 350 FROM dp_sample(NULL::skewed, r.id) WHERE v = 3)
  FROM (VALUES ('{"rows": 1000, "parents": 0}'), ('{"rows": 1000, "parents": 0, "alpha": "margin", "margin_share": 0.5}')) o (options),
	   LATERAL (SELECT dp_release('skewed', 'pegs', 0.1, 0, options::jsonb) AS id) r;
SELECT count(*) FROM dp_synthesize_pegs(NULL::t, 10, rows => 10, parents => 2, buckets => 8, alpha => 'margin', margin_share => 0.2);
SELECT options FROM dp_releases ORDER BY release DESC LIMIT 1;
SELECT dp_explain('t', 'pegs', 1, 0, '{"rows": 10, "alpha": "words"}');
SELECT dp_explain('t', 'pegs', 1, 0, '{"rows": 10, "buckets": 0}');
SELECT dp_explain('t', 'pegs', 0.00000001, 0, '{"rows": 1, "parents": 0, "alpha": "margin"}');

-- errors, all before the debit
SELECT epsilon_spent FROM dp_datasets WHERE relation = 't'::regclass \gset
SELECT dp_release('t', 'pegs', 1);
SELECT dp_release('t', 'pegs', 1, 0, '{"rows": 0}');
SELECT dp_release('t', 'pegs', 1, 0, '{"rows": 5000000}');
SELECT dp_release('t', 'pegs', 0.000000001, 0, '{"rows": 2, "parents": 0}');
SELECT dp_release('t', 'pegs', 1, 0, '{"rows": 10, "column_order": ["a"]}');
SELECT count(*) FROM dp_synthesize(NULL::t, 1, 0, 11, 'pegs', '{"rows": 10, "parents": 0}', 1, NULL);

-- seed pools
CREATE TABLE pool AS SELECT 0 AS a, 1 AS b, 1 AS c FROM generate_series(1, 3);
CREATE TABLE empty (LIKE pool);
CREATE TABLE other (a int, b int);
CREATE TABLE typed (a int, b bigint, c int);
CREATE TABLE child () INHERITS (r);
CREATE TABLE parted (a int, b int, c int) PARTITION BY LIST (a);
CREATE TABLE part PARTITION OF parted FOR VALUES IN (0, 1, 2);
CREATE TABLE base AS SELECT * FROM t;
CREATE VIEW v AS SELECT a, b, c FROM base;
CREATE VIEW over_v AS SELECT * FROM v;
CREATE TABLE secured (LIKE pool);
ALTER TABLE secured ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
SELECT dp_protect('parted', 1), dp_protect('over_v', 1);
-- what is read where
SELECT count(*) FROM dp_synthesize_pegs(NULL::t, 10, 0, 30, column_order => '{c,b,a}', seed_pool => 'pool');
SELECT options->>'seed_pool' FROM dp_ledger ORDER BY id DESC LIMIT 1;
SELECT stage FROM dp_explain('t', 'pegs', 10, 0, '{"rows": 10, "parents": 0, "seed_pool": "pool"}');
SELECT dp_release('t', 'pegs', 1, 0, jsonb_build_object('rows', 10, 'parents', 0, 'seed_pool', 't'));
SELECT dp_release('t', 'pegs', 1, 0, jsonb_build_object('rows', 10, 'parents', 0, 'seed_pool', 'child'));
SELECT dp_release('t', 'pegs', 1, 0, jsonb_build_object('rows', 10, 'parents', 0, 'seed_pool', 'part'));
SELECT dp_release('t', 'pegs', 1, 0, jsonb_build_object('rows', 10, 'parents', 0, 'seed_pool', 'base'));
SELECT dp_release('t', 'pegs', 1, 0, jsonb_build_object('rows', 10, 'parents', 0, 'seed_pool', 'v'));
SELECT dp_release('t', 'pegs', 1, 0, jsonb_build_object('rows', 10, 'parents', 0, 'seed_pool', 'secured'));
SELECT dp_release('t', 'pegs', 1, 0, jsonb_build_object('rows', 10, 'parents', 0, 'seed_pool', 'empty'));
SELECT dp_release('t', 'pegs', 1, 0, jsonb_build_object('rows', 10, 'parents', 0, 'seed_pool', 'other'));
SELECT dp_release('t', 'pegs', 1, 0, jsonb_build_object('rows', 10, 'parents', 0, 'seed_pool', 'typed'));
SELECT dp_release('t', 'pegs', 1, 0, jsonb_build_object('rows', 10, 'parents', 0, 'seed_pool', 'nowhere'));
SELECT dp_explain('t', 'pegs', 1, 0, jsonb_build_object('rows', 10, 'parents', 0, 'seed_pool', 'r'));
-- columns of names that mean something else to the worker
CREATE TABLE named (a regclass);
CREATE TABLE named_pool AS SELECT 'pg_class'::regclass AS a;
SELECT dp_protect('named', 1), dp_define_column('named', 'a', categories => '{pg_class,pg_type}');
SELECT dp_release('named', 'pegs', 1, 0, jsonb_build_object('rows', 10, 'parents', 0, 'seed_pool', 'named_pool'));
SELECT epsilon_spent - :epsilon_spent FROM dp_datasets WHERE relation = 't'::regclass;
-- the pool is read with the rights of the caller
SET SESSION AUTHORIZATION regress_dp_38_analyst;
SELECT dp_release('t', 'pegs', 1, 0, jsonb_build_object('rows', 10, 'parents', 0, 'seed_pool', 'pool'));
SET SESSION AUTHORIZATION regress_dp_38_owner;
GRANT SELECT ON pool TO regress_dp_38_analyst;
SET SESSION AUTHORIZATION regress_dp_38_analyst;
SELECT count(*) FROM dp_synthesize_pegs(NULL::t, 1, 0, 10, column_order => '{c,b,a}', seed_pool => 'pool');
-- a table that is not committed yet can be a pool
BEGIN;
CREATE TEMP TABLE own AS SELECT 2 AS a, 2 AS b, 9 AS c;
SELECT count(*) FROM dp_synthesize_pegs(NULL::t, 1, 0, 10, column_order => '{c,b,a}', seed_pool => 'own');
SET SESSION AUTHORIZATION regress_dp_38_owner;
CREATE TEMP TABLE mine AS SELECT 2 AS a, 2 AS b, 9 AS c;
-- r has child tables, which could be foreign: the worker prepares twice
SELECT count(*) FROM dp_synthesize_pegs(NULL::r, 1, 0, 10, column_order => '{c,b,a}', seed_pool => 'mine');
ROLLBACK;
-- so it does for a view, before it asks any server
SET SESSION AUTHORIZATION regress_dp_38_owner;
SELECT dp_define_column('over_v', 'a', '{0,1,2}', complete => true), dp_define_column('over_v', 'b', '{0,1,2}', complete => true);
SELECT dp_release('over_v', 'pegs', 0.1, 0, '{"rows": 10, "parents": 0, "columns": ["a", "b"], "seed_pool": "pool"}') > 0;
-- bins that a release finds are not known to a pool
SELECT dp_release('over_v', 'pegs', 0.1, 0, '{"rows": 10, "parents": 0, "seed_pool": "pool"}') > 0;
BEGIN;
CREATE TEMP TABLE own AS SELECT 2 AS a, 2 AS b;
SELECT count(*) FROM dp_synthesize_pegs(NULL::over_v, 0.1, 0, 10, parents => 0, columns => '{a,b}', seed_pool => 'own');
ROLLBACK;
-- rows that were protected once do not become public
SELECT dp_unprotect('r');
SELECT dp_release('t', 'pegs', 1, 0, jsonb_build_object('rows', 10, 'parents', 0, 'seed_pool', 'r'));
-- open columns, also with a domain
SELECT dp_define_column('t', 'c', open => true, domain => '[0, 1, 2]');
SELECT dp_release('t', 'pegs', 1, 0, jsonb_build_object('rows', 10, 'parents', 0, 'seed_pool', 'pool'));
SELECT dp_release('t', 'pegs_ldiversity', 0, 0, '{"l": 1.5, "rows": 10, "parents": 0}');
SELECT count(*) FROM dp_synthesize_pegs(NULL::t, 10, 0, 10, parents => 0);
SELECT dp_define_column('t', 'c', '{0,1}', complete => true);

-- l-diversity is for the custodian alone: it takes no budget and gives no guarantee
SET SESSION AUTHORIZATION regress_dp_38_analyst;
SELECT count(*) FROM dp_synthesize_pegs_ldiversity(NULL::t, 10, 1.5, parents => 0);
SELECT dp_release('t', 'pegs_ldiversity', 0, 0, '{"l": 1.5, "rows": 10, "parents": 0}');
SELECT dp_explain('t', 'pegs_ldiversity', 0, 0, '{"l": 1.5, "rows": 10, "parents": 0}');
SET SESSION AUTHORIZATION regress_dp_38_owner;
SELECT epsilon_spent FROM dp_datasets WHERE relation = 't'::regclass \gset
SELECT count(*) FROM dp_synthesize_pegs_ldiversity(NULL::t, 1000, l => 1.5, column_order => '{a,b,c}');
SELECT max(release) AS id FROM dp_releases \gset
-- by the counts b has one value of three for each a; made as diverse as 1.5 values, b has that
-- value with probability .896
SELECT count(*), count(*) FILTER (WHERE a = b) BETWEEN 830 AND 960 FROM dp_sample(NULL::t, :id);
SELECT method, epsilon, status, guarantee, payer FROM dp_ledger ORDER BY id DESC LIMIT 1;
SELECT guarantee FROM dp_releases WHERE release = :id;
SELECT guarantee FROM dp_methods WHERE method = 'pegs_ldiversity';
SELECT epsilon_spent - :epsilon_spent FROM dp_datasets WHERE relation = 't'::regclass;
SELECT stage, mechanism, epsilon_total FROM dp_explain('t', 'pegs_ldiversity', 0, 0, '{"l": 2, "rows": 10, "parents": 0}');
\set VERBOSITY sqlstate
SELECT dp_grant(:id, 'regress_dp_38_analyst');
SELECT dp_grant(:id);
\set VERBOSITY default
SELECT dp_release('t', 'pegs_ldiversity', 0, 0, '{"l": 2.000000001, "rows": 10, "parents": 0}');
SELECT dp_release('t', 'pegs_ldiversity', 0, 0, '{"rows": 10, "parents": 0}');
SELECT dp_release('t', 'pegs_ldiversity', 0, 0, '{"l": 2, "rows": 10}');
SELECT dp_release('t', 'pegs_ldiversity', 1, 0, '{"l": 2, "rows": 10, "parents": 0}');
SET SESSION AUTHORIZATION regress_dp_38_analyst;
\set VERBOSITY sqlstate
SELECT count(*) FROM dp_sample(NULL::t, :id);
\set VERBOSITY default
SELECT count(*) FROM dp_releases WHERE release = :id;
SELECT count(*) FROM dp_releases WHERE method = 'pegs';
SELECT count(*) FROM dp_ledger WHERE guarantee = 'none';
-- such a release goes to another owner along with the relation
RESET SESSION AUTHORIZATION;
GRANT regress_dp_38_owner TO regress_dp_38_analyst;
ALTER TABLE t OWNER TO regress_dp_38_analyst;
REVOKE regress_dp_38_owner FROM regress_dp_38_analyst;
SET SESSION AUTHORIZATION regress_dp_38_analyst;
SELECT count(*) FROM dp_sample(NULL::t, :id);
SET SESSION AUTHORIZATION regress_dp_38_owner;
\set VERBOSITY sqlstate
SELECT count(*) FROM dp_sample(NULL::t, :id);
\set VERBOSITY default

RESET SESSION AUTHORIZATION;
DROP SCHEMA t38 CASCADE;
DROP ROLE regress_dp_38_owner;
DROP ROLE regress_dp_38_analyst;
