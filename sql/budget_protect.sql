-- dp_protect, dp_alter_protection, dp_unprotect, dp_reconcile: what they do and every
-- error. They run in the caller's transaction, like any DDL.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t02;
CREATE ROLE regress_dp_02_owner;
CREATE ROLE regress_dp_02_member IN ROLE regress_dp_02_owner;
CREATE ROLE regress_dp_02_stranger;
GRANT ALL ON SCHEMA t02 TO public;
SET search_path = t02, public;
SET SESSION AUTHORIZATION regress_dp_02_owner;
CREATE TABLE people (sex boolean NOT NULL);
INSERT INTO people SELECT i % 2 = 0 FROM generate_series(1, 100) i;

-- arguments
SELECT dp_protect('people', 0);
SELECT dp_protect('people', -1);
SELECT dp_protect('people', 'NaN');
SELECT dp_protect('people', 'Infinity');
SELECT dp_protect('people', 1e-10); -- rounds down to nothing
SELECT dp_protect('people', 1e30);
SELECT dp_protect('people', NULL);
SELECT dp_protect(NULL, 1);
SELECT dp_protect('people', 1, NULL);
SELECT dp_protect('people', 1, neighbours => NULL);
SELECT dp_protect('people', 1, 1);
SELECT dp_protect('people', 1, 1.5);
SELECT dp_protect('people', 1, -0.1);
SELECT dp_protect('people', 1, 0, 'bounded');
SELECT dp_protect('nothing', 1);
SELECT dp_protect(0::regclass, 1);
SELECT dp_protect(4294967295::regclass, 1);

-- what can be protected
CREATE TEMP TABLE brief (a boolean);
DO $$
BEGIN
	PERFORM dp_protect('brief', 1);
EXCEPTION WHEN wrong_object_type THEN -- whose words hold the number of the temporary schema
	RAISE NOTICE '%', regexp_replace(sqlerrm, 'pg_temp_\d+', 'pg_temp');
END
$$;
CREATE SEQUENCE counter;
SELECT dp_protect('counter', 1);
CREATE INDEX people_sex ON people (sex);
SELECT dp_protect('people_sex', 1);
CREATE TYPE pair AS (a int, b int);
SELECT dp_protect('pair', 1);
CREATE VIEW women AS SELECT * FROM people WHERE sex;
SELECT dp_protect('women', 1);
CREATE MATERIALIZED VIEW men AS SELECT * FROM people WHERE NOT sex;
SELECT dp_protect('men', 1);
CREATE TABLE parted (a boolean) PARTITION BY LIST (a);
SELECT dp_protect('parted', 1);
CREATE UNLOGGED TABLE unlogged (a boolean);
SELECT dp_protect('unlogged', 1);

-- who can
SET SESSION AUTHORIZATION regress_dp_02_stranger;
SELECT dp_protect('people', 1);
SELECT dp_protect('pg_class', 1);
SET SESSION AUTHORIZATION regress_dp_02_member; -- a member of the owning role
SELECT dp_protect('people', 1, 1e-6);
SELECT relation, custodian, neighbours, epsilon, delta, epsilon_spent, delta_spent, epsilon_left, delta_left, active,
	   protected_at = now()
  FROM dp_datasets WHERE relation = 'people'::regclass;
SELECT dp_protect('people', 2);

-- DDL: a ROLLBACK takes it back
BEGIN;
SELECT dp_alter_protection('people', 5, 0);
SELECT epsilon, delta FROM dp_datasets WHERE relation = 'people'::regclass;
SELECT dp_unprotect('people');
SELECT active FROM dp_datasets WHERE relation = 'people'::regclass;
ROLLBACK;
SELECT epsilon, delta, active FROM dp_datasets WHERE relation = 'people'::regclass;

-- the budget of a protected relation
SELECT dp_alter_protection('people', 0, 0);
SELECT dp_alter_protection('people', -1, 0);
SELECT dp_alter_protection('people', 1, 1);
SELECT dp_alter_protection('counter', 1, 0);
SELECT dp_alter_protection('people', 2.5, 0.000000000000000001);
SELECT epsilon, delta FROM dp_datasets WHERE relation = 'people'::regclass;
SELECT dp_alter_protection('people', 2.5000000009, 0); -- a cap rounds down, to nano-epsilon
SELECT epsilon, delta FROM dp_datasets WHERE relation = 'people'::regclass;

-- strangers see nothing and may do nothing
SET SESSION AUTHORIZATION regress_dp_02_stranger;
SELECT count(*) FROM dp_datasets;
SELECT dp_alter_protection('people', 100, 0);
SELECT dp_unprotect('people');
SELECT dp_reconcile('people', 0);
SELECT dp_define_column('people', 'sex', categories => '{t,f}');
SELECT dp_grant('people', 'regress_dp_02_stranger', 1);
SELECT dp_revoke('people', 'regress_dp_02_owner');
SELECT * FROM dp_catalog.dp_column_domains('people');
SELECT * FROM dp_suggest_columns('people');

-- spending, and what is left in the ledger
SET SESSION AUTHORIZATION regress_dp_02_owner;
SELECT dp_release('people', 'sba', 0.5, 0, '{"dense_cells": 10}') > 0;
SELECT dp_unprotect('people');
SELECT dp_unprotect('people');
SELECT dp_release('people', 'sba', 0.5, 0, '{"dense_cells": 10}');
SELECT * FROM dp_columns WHERE relation = 'people'::regclass;
SELECT epsilon, epsilon_spent, active FROM dp_datasets WHERE relation = 'people'::regclass;
SELECT count(*) FROM dp_sample(NULL::people, (SELECT max(release) FROM dp_releases WHERE relation = 'people'::regclass), 10);
-- what was spent under one neighbouring relation cannot be counted under the other
SELECT dp_protect('people', 2, 0, 'replace_one');
SELECT dp_protect('people', 2);
SELECT epsilon, epsilon_spent, epsilon_left, active FROM dp_datasets WHERE relation = 'people'::regclass;
-- a budget below what is spent leaves nothing, and never a negative rest
SELECT dp_alter_protection('people', 0.25, 0);
SELECT epsilon, epsilon_spent, epsilon_left FROM dp_datasets WHERE relation = 'people'::regclass;
SELECT dp_release('people', 'sba', 0.000000001, 0, '{"dense_cells": 10}');

-- reconcile: never below what the ledger knows
SELECT dp_alter_protection('people', 10, 0.1);
SELECT dp_reconcile('people', 0.1);
SELECT epsilon_spent, delta_spent FROM dp_datasets WHERE relation = 'people'::regclass;
SELECT dp_reconcile('people', 3.0000000001, 0.01); -- what was spent rounds up
SELECT epsilon_spent, delta_spent FROM dp_datasets WHERE relation = 'people'::regclass;
SELECT dp_reconcile('people', -1);
SELECT dp_reconcile('people', 1, 2);
SELECT dp_reconcile('people', 0, 0, 0.1); -- rho is nothing to accountant basic
SELECT dp_reconcile('counter', 1);
SELECT epsilon, delta, status, reason, role FROM dp_ledger WHERE relation_name = 't02.people' ORDER BY id;

-- a ledger that was kept elsewhere spends nothing until it is reconciled
RESET SESSION AUTHORIZATION;
UPDATE dp_catalog.dp_dataset SET system_identifier = '1' WHERE relation = 'people'::regclass;
SET SESSION AUTHORIZATION regress_dp_02_owner;
SELECT dp_release('people', 'sba', 0.5, 0, '{"dense_cells": 10}');
SELECT dp_unprotect('people');
SELECT dp_protect('people', 10, 0.1); -- is no way around it
SELECT dp_release('people', 'sba', 0.5, 0, '{"dense_cells": 10}');
SELECT dp_reconcile('people', 4);
SELECT dp_release('people', 'sba', 0.5, 0, '{"dense_cells": 10}') > 0;
SELECT epsilon_spent FROM dp_datasets WHERE relation = 'people'::regclass;

-- a dropped relation leaves its ledger to superusers, and to those who paid
DROP TABLE people CASCADE;
SELECT count(*) FROM dp_datasets;
SELECT count(*) FROM dp_ledger WHERE relation_name = 't02.people';
-- rows of tables of which one inherits from the other are read with both budgets
CREATE TABLE parents (sex boolean NOT NULL);
CREATE TABLE kids (school text) INHERITS (parents);
SELECT dp_protect('parents', 1);
SELECT dp_protect('kids', 1);
SELECT dp_unprotect('kids'), dp_protect('kids', budget_of => 'parents');
RESET SESSION AUTHORIZATION;
SELECT count(*) FROM dp_ledger WHERE relation_name = 't02.people';
SELECT dp_unprotect(0::regclass);

DROP SCHEMA t02 CASCADE;
DROP OWNED BY regress_dp_02_owner;
DROP ROLE regress_dp_02_member, regress_dp_02_owner, regress_dp_02_stranger;
