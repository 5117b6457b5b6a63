-- One budget for several relations, a limit for each release, refreshes, and what
-- reconciling does to grants.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t18;
CREATE ROLE regress_dp_18_owner;
CREATE ROLE regress_dp_18_other;
CREATE ROLE regress_dp_18_ann;
GRANT USAGE, CREATE ON SCHEMA t18 TO regress_dp_18_owner, regress_dp_18_other;
GRANT USAGE ON SCHEMA t18 TO regress_dp_18_ann;
SET search_path = t18, public;
SET SESSION AUTHORIZATION regress_dp_18_owner;
CREATE TABLE people (sex boolean NOT NULL, smoker boolean NOT NULL);
INSERT INTO people SELECT i % 2 = 0, i % 5 = 0 FROM generate_series(1, 100) i;
CREATE TABLE wages (wage boolean NOT NULL);
INSERT INTO wages VALUES (true), (false);
CREATE TABLE taxes (LIKE wages INCLUDING ALL);

-- ---- shared budgets: whom they refuse
SELECT dp_protect('wages', budget_of => 'people');
SELECT dp_protect('people', 10, 0.01);
SELECT dp_protect('wages');
SELECT dp_protect('wages', 5, budget_of => 'people');
SELECT dp_protect('wages', delta => 0.1, budget_of => 'people');
SELECT dp_protect('wages', budget_of => 'people', accountant => 'basic');
SELECT dp_protect('wages', budget_of => 'people', neighbours => 'replace_one');
SELECT dp_protect('wages', budget_of => 'wages');
SET SESSION AUTHORIZATION regress_dp_18_other;
CREATE TABLE foreigner (flag boolean);
SELECT dp_protect('foreigner', budget_of => 'people');
SET SESSION AUTHORIZATION regress_dp_18_owner;

SELECT dp_protect('wages', budget_of => 'people');
-- of what shares: the same budget
SELECT dp_protect('taxes', budget_of => 'wages');
SELECT relation, budget_of, epsilon, delta, epsilon_left FROM dp_datasets ORDER BY relation::text;
SELECT dp_alter_protection('wages', 20, 0.01);
SELECT dp_alter_protection('wages', refresh_every => '1 day');
SELECT dp_reconcile('wages', 1);

-- allocations are each relation's own, the total is one
SELECT dp_grant('people', 'regress_dp_18_ann', 8), dp_grant('wages', 'regress_dp_18_ann', 8);
SET SESSION AUTHORIZATION regress_dp_18_ann;
SET client_min_messages = warning;
SELECT dp_release('people', 'sba', 6, 0, '{"dense_cells": 10}') > 0;
SELECT relation, epsilon_spent, epsilon_left FROM dp_budgets ORDER BY relation::text;
SELECT relation, epsilon_spent, epsilon_left FROM dp_datasets ORDER BY relation::text;
SELECT dp_release('wages', 'sba', 5, 0, '{"dense_cells": 10}');
SELECT dp_release('wages', 'sba', 3, 0, '{"dense_cells": 10}') > 0;
SELECT dp_release('taxes', 'sba', 1, 0, '{"dense_cells": 10}');
SELECT dp_release('people', 'sba', 1.5, 0, '{"dense_cells": 10}');
SET SESSION AUTHORIZATION regress_dp_18_owner;
SELECT dp_release('taxes', 'sba', 1, 0, '{"dense_cells": 10}') > 0;
SELECT dp_release('taxes', 'sba', 0.000000001, 0, '{"dense_cells": 10}');
SELECT relation, epsilon, status FROM dp_ledger ORDER BY id;
SELECT DISTINCT epsilon_spent FROM dp_datasets WHERE relation::text ~ 'people|wages|taxes';

-- a share is not left behind, nor what was spent in it
SELECT dp_unprotect('wages');
SELECT dp_protect('wages', 10);
SELECT dp_protect('wages', budget_of => 'people');
SELECT dp_unprotect('people');
SELECT dp_protect('people', budget_of => 'taxes');
-- who has the budget that others spend stays what it is
SELECT dp_protect('people', 30, 0.01, 'replace_one');
SELECT dp_protect('people', 30, 0.01, accountant => 'zcdp');
SELECT dp_protect('people', 30, 0.01, unit_column => 'sex');
-- its relations go on while it is not protected itself, and its custodian can stop them
SELECT dp_release('people', 'sba', 1, 0, '{"dense_cells": 10}');
SELECT dp_release('taxes', 'sba', 1, 0, '{"dense_cells": 10}');
-- where a total begins to promise little
SELECT dp_alter_protection('people', 20, 0.001);
SELECT dp_alter_protection('people', 20.000000001, 0.001000000000000001);
SELECT dp_alter_protection('people', 11, 0.01);
SELECT epsilon_left FROM dp_datasets WHERE relation = 'taxes'::regclass;
SELECT dp_protect('people', 30, 0.01);
SELECT dp_release('taxes', 'sba', 1, 0, '{"dense_cells": 10}') > 0;

-- ---- a limit for each release
SELECT dp_alter_protection('people', max_epsilon_per_release => 0);
SELECT dp_alter_protection('people', max_epsilon_per_release => -1);
SELECT dp_alter_protection(NULL, max_epsilon_per_release => 1);
SELECT dp_alter_protection('people', max_epsilon_per_release => 0.5);
SELECT max_epsilon_per_release FROM dp_datasets WHERE relation = 'people'::regclass;
SELECT dp_release('people', 'sba', 0.500000001, 0, '{"dense_cells": 10}');
SELECT dp_release('people', 'sba', 0.5, 0, '{"dense_cells": 10}') > 0;
SELECT dp_release('taxes', 'sba', 0.6, 0, '{"dense_cells": 10}') > 0;
SET SESSION AUTHORIZATION regress_dp_18_ann;
SELECT dp_alter_protection('people', max_epsilon_per_release => 'infinity');
SELECT dp_release('people', 'sba', 1, 0, '{"dense_cells": 10}');
SET SESSION AUTHORIZATION regress_dp_18_owner;
SELECT dp_alter_protection('people', max_epsilon_per_release => 'infinity');
SELECT dp_release('people', 'sba', 1, 0, '{"dense_cells": 10}') > 0;
CREATE TABLE limited (flag boolean NOT NULL);
SELECT dp_protect('limited', 10, max_epsilon_per_release => 0.1);
SELECT dp_release('limited', 'sba', 0.2, 0, '{"dense_cells": 10}');

-- ---- refreshes
RESET client_min_messages;
SELECT dp_alter_protection('limited', refresh_every => '0 days');
SELECT dp_alter_protection('limited', refresh_every => '-1 day');
SELECT dp_alter_protection('limited', refresh_every => '300000 years');
SELECT dp_alter_protection('limited', refresh_every => '1 month');
SELECT refresh_every, refresh_due > now() + interval '27 days' FROM dp_datasets WHERE relation = 'limited'::regclass;
SELECT dp_grant('limited', 'regress_dp_18_ann', 3);
SELECT dp_alter_protection('limited', max_epsilon_per_release => 'infinity');
SET SESSION AUTHORIZATION regress_dp_18_ann;
SELECT dp_alter_protection('limited', refresh_every => '1 second');
SELECT dp_release('limited', 'sba', 3, 0, '{"dense_cells": 10}') > 0;
SELECT dp_release('limited', 'sba', 3, 0, '{"dense_cells": 10}');
SELECT epsilon_spent, epsilon_left FROM dp_budgets WHERE relation = 'limited'::regclass;
-- the interval passes (only a superuser can do that)
RESET SESSION AUTHORIZATION;
UPDATE dp_catalog.dp_dataset SET refreshed_at = now() - interval '1 month 1 second' WHERE relation = 'limited'::regclass;
SET SESSION AUTHORIZATION regress_dp_18_ann;
SELECT epsilon_spent, epsilon_left FROM dp_budgets WHERE relation = 'limited'::regclass;
SELECT epsilon_spent, epsilon_left FROM dp_datasets WHERE relation = 'limited'::regclass;
SELECT dp_release('limited', 'sba', 2, 0, '{"dense_cells": 10}') > 0;
SELECT epsilon_spent, epsilon_left FROM dp_budgets WHERE relation = 'limited'::regclass;
SELECT dp_release('limited', 'sba', 2, 0, '{"dense_cells": 10}');
-- its own lines, and all of them
SELECT role, status, epsilon, reason FROM dp_ledger WHERE relation_name = 't18.limited' ORDER BY id;
SET SESSION AUTHORIZATION regress_dp_18_owner;
SELECT role, status, epsilon, reason FROM dp_ledger WHERE relation_name = 't18.limited' ORDER BY id;
-- what was spent before a refresh is not given back after it
CREATE VIEW failing AS SELECT 1 / (random() * 0)::int > 0 AS flag;
SELECT dp_protect('failing', 10, sensitivity => 1);
SELECT dp_define_column('failing', 'flag', categories => '{t,f}');
SELECT dp_alter_protection('failing', refresh_every => '1 day');
SELECT dp_release('failing', 'sba', 4, 0, '{"dense_cells": 10}');
RESET SESSION AUTHORIZATION;
UPDATE dp_catalog.dp_dataset SET refreshed_at = now() - interval '2 days' WHERE relation = 'failing'::regclass;
SET SESSION AUTHORIZATION regress_dp_18_owner;
SELECT dp_release('failing', 'sba', 4, 0, '{"dense_cells": 10}');
\set VERBOSITY sqlstate
SELECT status, dp_refund(id, 'came to nothing') > 0 FROM dp_ledger WHERE relation_name = 't18.failing' AND status = 'failed' ORDER BY id LIMIT 1;
\set VERBOSITY default
SELECT status, dp_refund(id, 'came to nothing') > 0 FROM dp_ledger WHERE relation_name = 't18.failing' AND status = 'failed' ORDER BY id DESC LIMIT 1;
SELECT epsilon_spent FROM dp_datasets WHERE relation = 'failing'::regclass;
SELECT dp_alter_protection('failing', refresh_every => '0');
SELECT refresh_every, refresh_due FROM dp_datasets WHERE relation = 'failing'::regclass;

-- ---- several settings at once, all or none; what is not given stays
CREATE VIEW settings AS SELECT epsilon, delta, max_epsilon_per_release, min_epsilon_per_release, no_false_positives, refresh_every,
	alerts FROM dp_datasets WHERE relation = 'failing'::regclass;
SELECT dp_alter_protection('failing', 9, 1e-6, 2, 0.5, 0.95, '1 day', '{0.8,0.5,0.8}');
SELECT * FROM settings;
SELECT dp_alter_protection('failing', delta => 1e-9);
SELECT dp_alter_protection('failing', epsilon => 8, alerts => '{0.9}');
SELECT * FROM settings;
SELECT dp_alter_protection('failing', 7, 1e-7, 3, 0.25, 0.9, '2 days', '{0.1,1.5}');
SELECT dp_alter_protection('failing', 7, 1e-7, 3, 0.25, 0.9, '-2 days', '{0.1}');
SELECT dp_alter_protection('failing', 7, 1e-7, 3, 0.25, 1, '2 days', '{0.1}');
SELECT dp_alter_protection('failing', 7, 1e-7, 3, -1, 0.9, '2 days', '{0.1}');
SELECT dp_alter_protection('failing', 7, 1e-7, 'nan');
SELECT dp_alter_protection('failing', 7, 1e-7, '-infinity');
SELECT dp_alter_protection('failing', 7, 1e-7, 3, 'infinity');
SELECT dp_alter_protection('failing', 7, alerts => '{NULL}');
SELECT dp_alter_protection('failing', 7, alerts => '{nan}');
SELECT dp_alter_protection('failing');
SELECT * FROM settings;
SELECT dp_alter_protection('failing', 10, 0, 'infinity', 0, 0, '0', '{}');
SELECT * FROM settings;

-- ---- reconciling revokes whoever cannot be told any more
RESET SESSION AUTHORIZATION;
CREATE ROLE regress_dp_18_gone;
CREATE ROLE regress_dp_18_before;
SELECT dp_grant('limited', 'regress_dp_18_gone', 1), dp_grant('limited', 'regress_dp_18_before', 1);
DROP ROLE regress_dp_18_gone;
ALTER ROLE regress_dp_18_before RENAME TO regress_dp_18_after;
SET client_min_messages = error; -- names no number
SELECT dp_reconcile('limited', 0);
SELECT count(*) FILTER (WHERE NOT active), bool_and(active) FILTER (WHERE role::text = 'regress_dp_18_ann') FROM dp_budgets
 WHERE relation = 'limited'::regclass;
RESET client_min_messages;
SELECT dp_reconcile('limited', 0);

-- ---- a table that is dropped and made again
SET SESSION AUTHORIZATION regress_dp_18_owner;
SELECT epsilon_spent FROM dp_datasets WHERE relation = 'taxes'::regclass;
DROP TABLE limited;
CREATE TABLE limited (flag boolean NOT NULL);
SELECT dp_protect('limited', 10);
SELECT epsilon_spent FROM dp_datasets WHERE relation = 'limited'::regclass;
SELECT dp_reconcile('limited', 5, 0);
SELECT epsilon_spent FROM dp_datasets WHERE relation = 'limited'::regclass;

-- one that others spent for it
CREATE TABLE holder (flag boolean NOT NULL);
CREATE TABLE sharer (flag boolean NOT NULL);
SELECT dp_protect('holder', 2);
SELECT dp_protect('sharer', budget_of => 'holder');
SELECT dp_release('sharer', 'sba', 1.5, 0, '{"dense_cells": 10}') > 0;
DROP TABLE holder;
CREATE TABLE holder (flag boolean NOT NULL);
SELECT dp_protect('holder', 2);
DROP TABLE sharer;
CREATE TABLE sharer (flag boolean NOT NULL);
SELECT dp_protect('sharer', budget_of => 'holder');
-- under zcdp it is what the new one would report
CREATE TABLE concentrated (flag boolean NOT NULL);
SELECT dp_protect('concentrated', 7, 1e-9, accountant => 'zcdp');
SELECT dp_release('concentrated', 'sba', 1, 0, '{"dense_cells": 10}') > 0;
SELECT epsilon_spent, rho_spent FROM dp_datasets WHERE relation = 'concentrated'::regclass;
DROP TABLE concentrated;
CREATE TABLE concentrated (flag boolean NOT NULL);
SELECT dp_protect('concentrated', 7, 1e-9, accountant => 'zcdp');
SELECT dp_reconcile('concentrated', 6.307596312);
SELECT epsilon_spent BETWEEN 6.3075963 AND 6.3075964, rho_spent >= 0.462117157261, rho_spent < 0.4621172 FROM dp_datasets WHERE relation = 'concentrated'::regclass;
SELECT dp_release('concentrated', 'sba', 1, 0, '{"dense_cells": 10}');
-- a refund does not go below what was stated
SELECT dp_release('failing', 'sba', 1, 0, '{"dense_cells": 10}');
SELECT dp_reconcile('failing', 5);
\set VERBOSITY sqlstate
SELECT dp_refund(max(id), 'came to nothing') > 0 FROM dp_ledger WHERE relation_name = 't18.failing' AND status = 'failed';
\set VERBOSITY default
SELECT epsilon_spent FROM dp_datasets WHERE relation = 'failing'::regclass;

RESET SESSION AUTHORIZATION;
SET client_min_messages = warning;
DROP SCHEMA t18 CASCADE;
DROP ROLE regress_dp_18_owner;
DROP ROLE regress_dp_18_other;
DROP ROLE regress_dp_18_ann;
DROP ROLE regress_dp_18_after;
