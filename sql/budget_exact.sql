-- Budgets are exact: sums of decimals, exhaustion, and nothing spent by any error.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t06;
CREATE ROLE regress_dp_06_owner;
CREATE ROLE regress_dp_06_alice;
CREATE ROLE regress_dp_06_bob;
GRANT USAGE ON SCHEMA t06 TO public;
GRANT CREATE ON SCHEMA t06 TO regress_dp_06_owner;
SET search_path = t06, public;
SET SESSION AUTHORIZATION regress_dp_06_owner;
CREATE TABLE t (flag boolean NOT NULL, n text);
INSERT INTO t SELECT i % 3 = 0, (i % 4)::text FROM generate_series(1, 1000) i;
CREATE FUNCTION release(epsilon numeric, delta numeric DEFAULT 0) RETURNS boolean LANGUAGE sql
AS $$ SELECT dp_release('t06.t', 'sba', $1, $2, '{"dense_cells": 2, "columns": ["flag"]}') IS NOT NULL $$;

-- ten times 0.1 is 1: the whole budget can be spent, and nothing more
SELECT dp_protect('t', 1, min_epsilon_per_release => NULL);
SELECT dp_grant('t', 'regress_dp_06_alice', 1);
SET SESSION AUTHORIZATION regress_dp_06_alice;
SELECT release(0.1) FROM generate_series(1, 9);
SELECT epsilon_spent, epsilon_left FROM dp_budgets;
SELECT release(0.100000001);
SELECT release(0.1);
SELECT epsilon_spent, epsilon_left FROM dp_budgets;
SELECT release(0.000000001);
SELECT count(*), sum(epsilon) FROM dp_ledger;

-- the cap with the smaller rest decides
SET SESSION AUTHORIZATION regress_dp_06_owner;
SELECT dp_grant('t', 'regress_dp_06_alice', 5, 0.5);
SELECT epsilon_left, delta_left FROM dp_budgets;
SET SESSION AUTHORIZATION regress_dp_06_alice;
SELECT release(0.1);
SET SESSION AUTHORIZATION regress_dp_06_owner;
SELECT dp_alter_protection('t', 3, 0.25);
SELECT epsilon_left, delta_left FROM dp_budgets;
SELECT dp_grant('t', 'regress_dp_06_bob', 0.5);
SET SESSION AUTHORIZATION regress_dp_06_bob;
SELECT release(0.6);
SELECT release(0.5);

-- delta is a budget of its own, exact to 1e-18
SET SESSION AUTHORIZATION regress_dp_06_alice;
SELECT dp_release('t', 'sba', 0.1, 0.25000000000000006, '{"columns": ["flag"]}');
SELECT dp_release('t', 'sba', 0.1, 0.24999999999999997, '{"columns": ["flag"]}') IS NOT NULL;
SELECT epsilon_left, delta_left FROM dp_budgets;
SELECT dp_release('t', 'sba', 0.1, 0.00000000000000003, '{"columns": ["flag"]}') IS NOT NULL;
SELECT epsilon_left, delta_left, delta_spent FROM dp_budgets;
-- a method that needs no delta does not pay the one it is given, and what is asked for rounds up
SELECT dp_release('t', 'sba', 0.1, 0.9, '{"dense_cells": 2, "columns": ["flag"]}') IS NOT NULL;
SELECT dp_release('t', 'sba', 0.0000000001, 0, '{"dense_cells": 2, "columns": ["flag"]}') IS NOT NULL;
SELECT epsilon, delta FROM dp_ledger ORDER BY id DESC LIMIT 2;
SELECT epsilon_left, delta_left, delta_spent FROM dp_budgets;

-- a request that fits neither cap names the role's
SELECT dp_release('t', 'sba', 100, 0.5, '{"columns": ["flag"]}');

-- nothing is spent by an error: the ledger and all totals stay as they are
RESET SESSION AUTHORIZATION;
CREATE VIEW state AS
	SELECT (SELECT count(*) FROM dp_catalog.dp_ledger_entry) AS lines, (SELECT count(*) FROM dp_catalog.dp_release_store) AS releases,
		   sum(spent_epsilon_nano) AS epsilon_nano, sum(spent_delta_atto) AS delta_atto
	  FROM (SELECT spent_epsilon_nano, spent_delta_atto FROM dp_catalog.dp_dataset
			 UNION ALL SELECT spent_epsilon_nano, spent_delta_atto FROM dp_catalog.dp_allocation) s;
CREATE TABLE before AS SELECT * FROM state;
GRANT SELECT ON state, before TO public;
CREATE ROLE regress_dp_06_nobody;
CREATE TABLE plain (flag boolean);
CREATE TABLE blank (x text);
CREATE TABLE pointed (x text);
GRANT ALL ON plain, blank, pointed TO regress_dp_06_owner;
ALTER TABLE plain OWNER TO regress_dp_06_owner;
ALTER TABLE blank OWNER TO regress_dp_06_owner;
ALTER TABLE pointed OWNER TO regress_dp_06_owner;
SET SESSION AUTHORIZATION regress_dp_06_owner;
SELECT dp_alter_protection('t', 1000000, 0.9);
SELECT dp_protect('blank', 10);
SELECT dp_protect('pointed', 10, 0.5);
SELECT dp_define_column('pointed', 'x', open => true);
-- the method and its options
SELECT dp_release('t', 'magic', 1);
SELECT dp_release('t', 'SBA', 1);
SELECT dp_release('t', 'sba', 1, 0, '{"sweeps": 3}');
SELECT dp_release('t', 'sbhg', 1, 0, '{"wheels": 3}');
SELECT dp_release('t', 'sbhg', 1, 0, '[]');
SELECT dp_release('t', 'sbhg', 1, 0, '3');
SELECT dp_release('t', 'sbhg', 1, 0, '{"sweeps": "2"}');
SELECT dp_release('t', 'sbhg', 1, 0, '{"parents": 1.5}');
SELECT dp_release('t', 'sbhg', 1, 0, '{"parents": -1}');
SELECT dp_release('t', 'sbhg', 1, 0, '{"parents": 1600}');
SELECT dp_release('t', 'sbhg', 1, 0, '{"parents": 1e300}');
SELECT dp_release('t', 'sbhg', 1, 0, '{"parents": true}');
SELECT dp_release('t', 'sbhg', 1, 0, '{"parents": [1]}');
SELECT dp_release('t', 'sbhg', 1, 0, '{"sweeps": 0}');
SELECT dp_release('t', 'sbhg', 1, 0, '{"selection_share": 0}');
SELECT dp_release('t', 'sbhg', 1, 0, '{"selection_share": 0.95}');
SELECT dp_release('t', 'sbhg', 1, 0, '{"count_share": "half"}');
SELECT dp_release('t', 'sbhg', 1, 0, '{"missing_key": "guess"}');
SELECT dp_release('t', 'sbhg', 1, 0, '{"missing_key": 1}');
SELECT dp_release('t', 'sbhg', 1, 0, '{"dense_cells": 1e12}');
SELECT dp_release('t', 'sbhg', 1, 0, '{"columns": "flag"}');
SELECT dp_release('t', 'sbhg', 1, 0, '{"columns": [1]}');
SELECT dp_release('t', 'sbhg', 1, 0, '{"columns": []}');
SELECT dp_release('t', 'sbhg', 1, 0, '{"columns": ["flag", "flag"]}');
SELECT dp_release('t', 'sbhg', 1, 0, '{"columns": ["no_such"]}');
SELECT dp_release('t', 'sbhg', 1, 0, '{"columns": ["n"]}');
SELECT dp_release('t', 'sbhg', 1, 0, '{"columns": [""]}');
SELECT dp_release('t', 'sbhg', 1, 0, '{"network": ["flag"]}');
SELECT dp_release('t', 'sbhg', 1, 0, '{"network": {"flag": "n"}}');
SELECT dp_release('t', 'sbhg', 1, 0, '{"network": {"flag": ["no_such"]}}');
SELECT dp_release('t', 'sbhg', 1, 0, '{"network": {"flag": ["flag"]}}');
SELECT dp_release('t', 'sbhg', 1, 0, '{"network": {"no_such": ["flag"]}}');
SELECT dp_release('t', 'sbhg', 1, 0, '{"column_order": ["no_such"]}');
SELECT dp_release('t', 'sbhg', 1, 0, '{"column_order": []}');
SELECT dp_release('t', 'sbhg', 1, 0, '{"column_order": ["flag"], "network": {"flag": []}}');
-- amounts
SELECT dp_release('t', 'sba', 0);
SELECT dp_release('t', 'sba', -1);
SELECT dp_release('t', 'sba', 'NaN');
SELECT dp_release('t', 'sba', 'Infinity');
SELECT dp_release('t', 'sba', '-Infinity');
SELECT dp_release('t', 'sba', 1e7);
SELECT dp_release('t', 'sba', 1e-10, 0.1);
SELECT dp_release('t', 'sba', 1, 1);
SELECT dp_release('t', 'sba', 1, 1.1);
SELECT dp_release('t', 'sba', 1, -1e-9);
SELECT dp_release('t', 'sba', 1, 'NaN');
SELECT dp_release('t', 'sba', 1, 0); -- a stability histogram needs a delta
SELECT dp_release('t', 'sba', 1, 0.1, '{}', 0);
SELECT dp_release('t', 'sba', 1, 0.1, '{}', -1);
SELECT dp_release('t', 'sba', 1, 0.1, '{}', 1000001);
-- relations
SELECT dp_release('plain', 'sba', 1, 0.1);
SELECT dp_release('no_such', 'sba', 1, 0.1);
SELECT dp_release(0::regclass, 'sba', 1, 0.1);
SELECT dp_release('blank', 'sba', 1, 0.1);
SELECT dp_release('pointed', 'sba', 1, 0);
-- NULL is no amount and no relation
SELECT dp_release('t', 'sba', NULL);
SELECT dp_release(NULL, 'sba', 1);
-- dp_synthesize checks the same, and its target, and rows
SELECT count(*) FROM dp_synthesize_sba(NULL::t, 0);
SELECT count(*) FROM dp_synthesize_sba(NULL::t, NULL);
SELECT count(*) FROM dp_synthesize_sba(NULL::t, 1, NULL);
SELECT count(*) FROM dp_synthesize_sba(NULL::t, 1, 0.1, rows => -1);
SELECT count(*) FROM dp_synthesize_sbhg(NULL::t, 1, 0.1, parents => 9999);
SELECT count(*) FROM dp_synthesize_sbhg(NULL::t, 1, 0.1, columns => '{n}');
SELECT count(*) FROM dp_synthesize_sbhg(NULL::t, 1, 0.1, sets => 0);
SELECT count(*) FROM dp_synthesize_sbhg(1, 1, 0.1);
SELECT count(*) FROM dp_synthesize_sbhg(NULL::text, 1, 0.1);
SELECT count(*) FROM dp_synthesize_sbhg(row(1, 2), 1, 0.1);
CREATE TYPE flags AS (flag boolean);
SELECT count(*) FROM dp_synthesize_sbhg(NULL::flags, 1, 0.1);
SELECT count(*) FROM dp_synthesize_sbhg(NULL::plain, 1, 0.1);
SELECT count(*) FROM dp_synthesize(NULL::t, 1, method => 'magic');
SELECT count(*) FROM dp_synthesize(NULL::t, 1, method => NULL);
-- no right
SET SESSION AUTHORIZATION regress_dp_06_nobody;
SELECT dp_release('t', 'sba', 1, 0.1);
SELECT count(*) FROM dp_synthesize_sba(NULL::t, 1, 0.1);
-- a little more than what is left
SET SESSION AUTHORIZATION regress_dp_06_bob;
SELECT dp_release('t', 'sba', 0.5, 0.1);
RESET SESSION AUTHORIZATION;
SELECT * FROM before EXCEPT SELECT * FROM state;

-- dp_explain spends nothing, needs what a release needs, and says what it then costs
SET SESSION AUTHORIZATION regress_dp_06_nobody;
SELECT dp_explain('t', 'sba', 1, 0.1);
SET SESSION AUTHORIZATION regress_dp_06_owner;
SELECT dp_define_column('t', 'n', '{0,1,2,3}');
SELECT dp_explain('t', 'magic', 1, 0.1);
SELECT dp_explain('t', 'sba', 0, 0.1);
SELECT dp_explain('t', 'sba', 1, 1);
SELECT dp_explain('t', 'sba', 1, 0.1, '{"sweeps": 1}');
SELECT step, stage, mechanism, tables, epsilon_each, delta_each, epsilon_total, delta_total,
	   round(noise_stddev::numeric, 3), threshold, cells, scans, memory_bytes > 0
  FROM dp_explain('t', 'sba', 1, 1e-6);
SELECT step, stage, mechanism, tables, epsilon_each, delta_each, epsilon_total, delta_total,
	   round(noise_stddev::numeric, 3), threshold, cells, scans, memory_bytes > 0
  FROM dp_explain('t', 'sbhg', 1, 1e-6);
SELECT step, stage, mechanism, tables, epsilon_each, delta_each, epsilon_total, delta_total,
	   round(noise_stddev::numeric, 3), threshold, cells, scans, memory_bytes > 0
  FROM dp_explain('t', 'sbhg', 1, 1e-6, '{"dense_cells": 0}');
SELECT step, stage, mechanism, tables, epsilon_each, delta_each, epsilon_total, delta_total,
	   threshold, cells, scans, memory_bytes > 0
  FROM dp_explain('pointed', 'sbhg', 1, 1e-6);
RESET SESSION AUTHORIZATION;
SELECT * FROM before EXCEPT SELECT * FROM state;
SET SESSION AUTHORIZATION regress_dp_06_owner;
SET client_min_messages = warning;
CREATE FUNCTION costs_as_explained(method text, options jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	explained text := (SELECT concat_ws(' ', epsilon_total, delta_total)
						 FROM dp_explain('t', $1, 0.777777777, 0.00012345678901234, $2) WHERE stage = 'total');
	released bigint := dp_release('t', $1, 0.777777777, 0.00012345678901234, $2);
BEGIN
	RETURN (SELECT concat_ws(' ', epsilon, delta) = explained FROM dp_ledger l WHERE l.id = released);
END
$$;
SELECT method, options, costs_as_explained(method, options)
  FROM (VALUES ('sba', '{}'::jsonb), ('sba', '{"dense_cells": 1000}'), ('sbhg', '{}'), ('sbhg', '{"dense_cells": 0}'),
			   ('sbhg', '{"parents": 0}'), ('sbhg', '{"network": {"n": ["flag"], "flag": []}, "dense_cells": 7}'),
			   ('sbhg', '{"columns": ["n"]}'), ('sbhg', '{"column_order": ["n", "flag"]}')) o (method, options);
-- a release never costs more than was asked for
SELECT count(*) FROM dp_ledger WHERE relation_name = 't06.t' AND (epsilon > 0.777777777 OR delta > 0.25);

RESET SESSION AUTHORIZATION;
DROP SCHEMA t06 CASCADE;
DROP ROLE regress_dp_06_owner, regress_dp_06_alice, regress_dp_06_bob, regress_dp_06_nobody;
