-- Who may spend, who pays, and who sees what.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t05;
CREATE ROLE regress_dp_05_owner;
CREATE ROLE regress_dp_05_alice;
CREATE ROLE regress_dp_05_bob;
CREATE ROLE regress_dp_05_carol;
CREATE ROLE regress_dp_05_team;
CREATE ROLE regress_dp_05_board;
CREATE ROLE regress_dp_05_stranger;
GRANT regress_dp_05_team TO regress_dp_05_bob, regress_dp_05_carol;
GRANT regress_dp_05_board TO regress_dp_05_carol;
GRANT USAGE ON SCHEMA t05 TO public;
GRANT CREATE ON SCHEMA t05 TO regress_dp_05_owner;
SET search_path = t05, public;
SET SESSION AUTHORIZATION regress_dp_05_owner;
CREATE TABLE t (flag boolean NOT NULL);
CREATE TABLE other (flag boolean NOT NULL);
INSERT INTO t SELECT i % 3 = 0 FROM generate_series(1, 1000) i;
SELECT dp_protect('t', 10, 0.001);
SELECT dp_protect('other', 10);

-- a release, and what it cost
CREATE FUNCTION release(epsilon numeric, delta numeric DEFAULT 0.000001) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	id bigint := dp_release('t05.t', 'sba', $1, $2, '{"dense_cells": 0}');
BEGIN
	RETURN (SELECT concat_ws(' ', r.epsilon, r.delta) FROM dp_releases r WHERE r.release = id);
END
$$;
CREATE VIEW budgets AS SELECT relation, role, epsilon, delta, epsilon_spent, delta_spent, epsilon_left, delta_left, active, granted_by
						 FROM dp_budgets ORDER BY relation::text, role::text;
GRANT SELECT ON budgets TO public;

-- errors of dp_grant and dp_revoke
SELECT dp_grant('t', 'regress_dp_05_alice', -1);
SELECT dp_grant('t', 'regress_dp_05_alice', 'NaN');
SELECT dp_grant('t', 'regress_dp_05_alice', 1, 2);
SELECT dp_grant('t', 'regress_dp_05_nobody', 1);
SELECT dp_grant('t', 0::regrole, 1);
SELECT dp_grant('no_such', 'regress_dp_05_alice', 1);
SELECT dp_grant('budgets', 'regress_dp_05_alice', 1);
SELECT dp_revoke('t', 'regress_dp_05_alice');
SELECT dp_revoke('t', 'regress_dp_05_nobody');
SELECT count(*) FROM dp_budgets;

-- without a grant there is no release, and no word about the relation
SET SESSION AUTHORIZATION regress_dp_05_alice;
SELECT release(0.5);
SELECT dp_explain('t', 'sba', 0.5);
SELECT dp_release('other', 'sba', 0.5);
SELECT * FROM t;

-- a grant of one's own
SET SESSION AUTHORIZATION regress_dp_05_owner;
SELECT dp_grant('t', 'regress_dp_05_alice', 1, 0.0001);
SET SESSION AUTHORIZATION regress_dp_05_alice;
SELECT release(0.25);
SELECT * FROM t; -- is no SELECT
SELECT * FROM budgets;
SELECT relation, epsilon, epsilon_spent FROM dp_datasets;
-- granting again replaces the grant, and does not add to it
SET SESSION AUTHORIZATION regress_dp_05_owner;
SELECT dp_grant('t', 'regress_dp_05_alice', 0.75, 0.0001);
SELECT * FROM budgets;
SELECT dp_grant('t', 'regress_dp_05_alice', 0.1);
SELECT * FROM budgets;
SET SESSION AUTHORIZATION regress_dp_05_alice;
SELECT release(0.001);

-- what was spent of a revoked grant stays spent when it is granted again
SET SESSION AUTHORIZATION regress_dp_05_owner;
SELECT dp_grant('t', 'regress_dp_05_alice', 1);
SELECT dp_revoke('t', 'regress_dp_05_alice');
SELECT dp_revoke('t', 'regress_dp_05_alice');
SELECT * FROM budgets;
SET SESSION AUTHORIZATION regress_dp_05_alice;
SELECT release(0.1);
SELECT * FROM budgets;
SELECT count(*) FROM dp_datasets;
SELECT count(*), sum(epsilon) FROM dp_ledger;
SELECT count(*) FROM dp_sample(NULL::t, (SELECT min(release) FROM dp_releases), 5);
SET SESSION AUTHORIZATION regress_dp_05_owner;
SELECT dp_grant('t', 'regress_dp_05_alice', 1);
SELECT * FROM budgets;

-- a group pays for its members
SELECT dp_grant('t', 'regress_dp_05_team', 2, 0.0001);
SET SESSION AUTHORIZATION regress_dp_05_bob;
SELECT release(0.5, 0.00001);
SELECT * FROM budgets;
SELECT role, payer, epsilon, delta, status FROM dp_ledger ORDER BY id;
SET SESSION AUTHORIZATION regress_dp_05_carol; -- who sees what the group paid for
SELECT role, payer, epsilon, delta FROM dp_ledger ORDER BY id;
SELECT count(*) FROM dp_releases;
SELECT count(*) FROM dp_sample(NULL::t, (SELECT max(release) FROM dp_releases), 3);
-- a role's own grant pays before a group's
SET SESSION AUTHORIZATION regress_dp_05_owner;
SELECT dp_grant('t', 'regress_dp_05_bob', 0.1, 0.0001);
SET SESSION AUTHORIZATION regress_dp_05_bob;
SELECT release(0.05);
SELECT release(0.1); -- even where the group has more
SELECT payer FROM dp_ledger ORDER BY id;
SET ROLE regress_dp_05_team;
SELECT release(0.1);
RESET ROLE;
-- the role must choose between several groups
SET SESSION AUTHORIZATION regress_dp_05_owner;
SELECT dp_grant('t', 'regress_dp_05_board', 1, 0.0001);
SET SESSION AUTHORIZATION regress_dp_05_carol;
SELECT release(0.1);
SELECT dp_explain('t', 'sba', 0.1);
SET ROLE regress_dp_05_board;
SELECT release(0.1);
RESET ROLE;
SELECT role, payer, epsilon FROM dp_ledger ORDER BY id;
-- a group pays no more for a role that left it
RESET SESSION AUTHORIZATION;
REVOKE regress_dp_05_team FROM regress_dp_05_carol;
SET SESSION AUTHORIZATION regress_dp_05_carol;
SELECT release(0.1);
SELECT role, payer, epsilon FROM dp_ledger ORDER BY id;

-- the custodian needs no grant, and pays from the total alone
SET SESSION AUTHORIZATION regress_dp_05_owner;
SELECT release(1);
SELECT role, payer, epsilon FROM dp_ledger ORDER BY id;
SELECT epsilon_spent = (SELECT sum(epsilon) FROM dp_ledger WHERE relation_name = 't05.t') FROM dp_datasets WHERE relation = 't'::regclass;
-- with a grant the custodian pays from it
SELECT dp_grant('t', 'regress_dp_05_owner', 0.5, 0.0001);
SELECT release(1);
SELECT release(0.5);
SELECT dp_revoke('t', 'regress_dp_05_owner');

-- the role that calls pays, also inside functions
CREATE FUNCTION as_owner() RETURNS text SECURITY DEFINER LANGUAGE sql SET search_path = public
AS $$ SELECT t05.release(0.125) $$;
SET SESSION AUTHORIZATION regress_dp_05_stranger;
SELECT release(0.125);
SELECT as_owner();
SELECT count(*) FROM dp_ledger;

-- a role that can read or change the table makes no use of a budget
RESET SESSION AUTHORIZATION;
GRANT SELECT ON t TO regress_dp_05_team;
GRANT INSERT ON t TO regress_dp_05_stranger;
SET SESSION AUTHORIZATION regress_dp_05_owner;
SELECT dp_grant('t', 'regress_dp_05_bob', 0.1);
SELECT dp_grant('t', 'regress_dp_05_stranger', 0.1);
SELECT dp_grant('t', 'regress_dp_05_alice', 1);
SELECT dp_grant('t', 'regress_dp_05_owner', 1);
RESET SESSION AUTHORIZATION;
REVOKE SELECT ON t FROM regress_dp_05_team;
REVOKE INSERT ON t FROM regress_dp_05_stranger;
GRANT SELECT (flag), UPDATE (flag) ON t TO regress_dp_05_stranger;
SELECT dp_grant('t', 'regress_dp_05_stranger', 0.1);
REVOKE SELECT (flag), UPDATE (flag) ON t FROM regress_dp_05_stranger;
SELECT dp_grant('t', 'regress_dp_05_stranger', 0.1);

-- the views, role by role
CREATE FUNCTION visible() RETURNS TABLE (datasets bigint, budgets bigint, columns bigint, ledger bigint, releases bigint)
	LANGUAGE sql AS $$
	SELECT (SELECT count(*) FROM dp_datasets WHERE relation IN ('t05.t'::regclass, 't05.other'::regclass)),
		   (SELECT count(*) FROM dp_budgets WHERE relation IN ('t05.t'::regclass, 't05.other'::regclass)),
		   (SELECT count(*) FROM dp_columns WHERE relation IN ('t05.t'::regclass, 't05.other'::regclass)),
		   (SELECT count(*) FROM dp_ledger WHERE relation_name LIKE 't05.%'),
		   (SELECT count(*) FROM dp_releases WHERE relation_name LIKE 't05.%') $$;
SET SESSION AUTHORIZATION regress_dp_05_owner;
SELECT * FROM visible();
SET SESSION AUTHORIZATION regress_dp_05_alice;
SELECT * FROM visible();
SET SESSION AUTHORIZATION regress_dp_05_bob;
SELECT * FROM visible();
SET SESSION AUTHORIZATION regress_dp_05_carol;
SELECT * FROM visible();
SET SESSION AUTHORIZATION regress_dp_05_team;
SELECT * FROM visible();
SET SESSION AUTHORIZATION regress_dp_05_board;
SELECT * FROM visible();
SET SESSION AUTHORIZATION regress_dp_05_stranger;
SELECT * FROM visible();
RESET SESSION AUTHORIZATION;
SELECT * FROM visible();

-- a new owner is the custodian
ALTER TABLE t OWNER TO regress_dp_05_stranger;
SET SESSION AUTHORIZATION regress_dp_05_stranger;
SELECT ledger, releases FROM visible();
SELECT dp_alter_protection('t', 20, 0.001);
SET SESSION AUTHORIZATION regress_dp_05_owner;
SELECT dp_alter_protection('t', 30, 0.001);
SELECT ledger, releases FROM visible();

-- the ledger's lines are for the roles of then: another role that gets the number of a dropped one
-- has another name, and members of a group that was renamed see what they asked for themselves
RESET SESSION AUTHORIZATION;
CREATE ROLE regress_dp_05_gone;
CREATE ROLE regress_dp_05_mate IN ROLE regress_dp_05_gone;
CREATE TABLE lines (flag boolean NOT NULL);
SELECT dp_protect('lines', 10);
SELECT dp_grant('lines', 'regress_dp_05_gone', 5);
SET SESSION AUTHORIZATION regress_dp_05_gone;
SELECT dp_release('lines', 'sba', 1, 0, '{"dense_cells": 10}') > 0;
SELECT count(*) FROM dp_ledger WHERE relation_name = 't05.lines';
SET SESSION AUTHORIZATION regress_dp_05_mate;
SELECT dp_release('lines', 'sba', 1, 0, '{"dense_cells": 10}') > 0;
SELECT count(*) FROM dp_ledger WHERE relation_name = 't05.lines';
RESET SESSION AUTHORIZATION;
ALTER ROLE regress_dp_05_gone RENAME TO regress_dp_05_renamed;
SET SESSION AUTHORIZATION regress_dp_05_mate;
SELECT count(*) FROM dp_ledger WHERE relation_name = 't05.lines';
SET SESSION AUTHORIZATION regress_dp_05_renamed;
SELECT count(*) FROM dp_ledger WHERE relation_name = 't05.lines';
RESET SESSION AUTHORIZATION;
SELECT dp_grant('lines', 'regress_dp_05_renamed', 5);
SET SESSION AUTHORIZATION regress_dp_05_mate;
SELECT count(*) FROM dp_ledger WHERE relation_name = 't05.lines';
RESET SESSION AUTHORIZATION;
ALTER ROLE regress_dp_05_renamed RENAME TO regress_dp_05_gone;
SELECT dp_grant('lines', 'regress_dp_05_gone', 5);
-- a new role with the number of the old one, as a counter that has come round would give it
CREATE ROLE regress_dp_05_next;
UPDATE dp_catalog.dp_allocation SET role = 'regress_dp_05_next' WHERE role = 'regress_dp_05_gone'::regrole;
UPDATE dp_catalog.dp_ledger_entry SET role = 'regress_dp_05_next' WHERE role = 'regress_dp_05_gone'::regrole;
UPDATE dp_catalog.dp_ledger_entry SET payer = 'regress_dp_05_next' WHERE payer = 'regress_dp_05_gone'::regrole;
SET SESSION AUTHORIZATION regress_dp_05_next;
SELECT count(*) FROM dp_ledger;

RESET SESSION AUTHORIZATION;
SET client_min_messages = warning;
DROP ROLE regress_dp_05_gone, regress_dp_05_mate, regress_dp_05_next;
DROP SCHEMA t05 CASCADE;
DROP ROLE regress_dp_05_alice, regress_dp_05_bob, regress_dp_05_carol, regress_dp_05_team, regress_dp_05_board,
	regress_dp_05_stranger, regress_dp_05_owner;
