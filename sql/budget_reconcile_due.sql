-- dp_reconcile while a refresh is due: the refresh is written first, so that it does not strike what
-- is stated.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t59;
CREATE ROLE regress_dp_59_ann;
GRANT USAGE ON SCHEMA t59 TO regress_dp_59_ann;
SET search_path = t59, public;
SET client_min_messages = error;
CREATE TABLE people (flag boolean NOT NULL);
CREATE TABLE wages (flag boolean NOT NULL);
CREATE TABLE zcdp (flag boolean NOT NULL);
SELECT dp_protect('people', 10);
SELECT dp_protect('wages', budget_of => 'people');
SELECT dp_protect('zcdp', 10, 1e-6, accountant => 'zcdp');
SELECT dp_grant('people', 'regress_dp_59_ann', 4), dp_grant('wages', 'regress_dp_59_ann', 4);
SELECT dp_alter_protection('people', refresh_every => '1 month'), dp_alter_protection('zcdp', refresh_every => '1 month');
SET SESSION AUTHORIZATION regress_dp_59_ann;
SELECT dp_release('people', 'sba', 4, 0, '{"dense_cells": 10}') > 0, dp_release('wages', 'sba', 3, 0, '{"dense_cells": 10}') > 0;
RESET SESSION AUTHORIZATION;
SELECT dp_release('zcdp', 'sba', 4, 0, '{"dense_cells": 10}') > 0;
-- a copy: the ledger was kept elsewhere, and meanwhile the interval passed
UPDATE dp_catalog.dp_dataset SET refreshed_at = now() - interval '1 month 1 second', system_identifier = '1'
 WHERE relation IN ('people'::regclass, 'zcdp'::regclass);
SELECT relation, epsilon_spent, epsilon_left FROM dp_datasets WHERE relation IN ('people'::regclass, 'wages'::regclass, 'zcdp'::regclass) ORDER BY 1;
-- nothing of it is written where the ledger must be reconciled first
SELECT dp_release('people', 'sba', 1, 0, '{"dense_cells": 10}');
-- a rollback leaves the refresh due
BEGIN;
SELECT dp_reconcile('people', 9);
ROLLBACK;
SELECT status FROM dp_ledger WHERE relation_name = 't59.people' ORDER BY id;
-- less than the old interval's sum is stated: what was spent since is what counts
SELECT dp_reconcile('people', 2), dp_reconcile('zcdp', 3);
SELECT relation, epsilon_spent, epsilon_left, refresh_due > now() + interval '27 days' FROM dp_datasets
 WHERE relation IN ('people'::regclass, 'wages'::regclass) ORDER BY 1;
SELECT round(epsilon_spent, 6), epsilon_sum, refresh_due > now() + interval '27 days' FROM dp_datasets WHERE relation = 'zcdp'::regclass;
SELECT relation, epsilon_spent, epsilon_left FROM dp_budgets WHERE role = 'regress_dp_59_ann'::regrole ORDER BY 1;
SELECT relation, status, epsilon, reason FROM dp_ledger WHERE relation_name IN ('t59.people', 't59.zcdp') ORDER BY id;
-- the next debit refreshes no more, and debits of before are settled
SET SESSION AUTHORIZATION regress_dp_59_ann;
SELECT dp_release('people', 'sba', 4, 0, '{"dense_cells": 10}') > 0;
RESET SESSION AUTHORIZATION;
SELECT epsilon_spent FROM dp_datasets WHERE relation = 'people'::regclass;
SELECT dp_release('wages', 'sba', 4.000000001, 0, '{"dense_cells": 10}');
-- what is stated again never makes it less
SELECT dp_reconcile('people', 1);
SELECT epsilon_spent FROM dp_datasets WHERE relation = 'people'::regclass;
DROP SCHEMA t59 CASCADE;
DROP ROLE regress_dp_59_ann;
