-- Accountant zcdp: rho adds up, what is asked and reported is epsilon and delta.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t19;
CREATE ROLE regress_dp_19_owner;
CREATE ROLE regress_dp_19_ann;
GRANT USAGE, CREATE ON SCHEMA t19 TO regress_dp_19_owner;
GRANT USAGE ON SCHEMA t19 TO regress_dp_19_ann;
SET search_path = t19, public;
SET SESSION AUTHORIZATION regress_dp_19_owner;
CREATE TABLE people (a boolean NOT NULL, b boolean NOT NULL, c boolean NOT NULL);
INSERT INTO people SELECT i % 2 = 0, i % 3 = 0, i % 5 = 0 FROM generate_series(1, 300) i;

SELECT dp_protect('people', 1, 1e-6, accountant => 'renyi');
SELECT dp_protect('people', 1, accountant => 'zcdp');
SELECT dp_protect('people', 1, 1e-18, accountant => 'zcdp');
SELECT dp_protect('people', 1, 1e-6, accountant => 'zcdp');
SELECT accountant, epsilon, delta, epsilon_spent, delta_spent, epsilon_left, delta_left, rho, rho_spent FROM dp_datasets;
-- the total that rho comes to is epsilon, at half of delta, and not more
SELECT dp_catalog.dp_zcdp_spent(dp_catalog.dp_zcdp_total(1000000000, 1000000000000), 1000000000000) BETWEEN 999999000 AND 1000000000,
	   dp_catalog.dp_zcdp_spent(dp_catalog.dp_zcdp_total(1000000000, 1000000000000) + 1, 1000000000000) > 1000000000;

-- the charge: epsilon tanh(epsilon / 2), of each table
SELECT stage, tables, epsilon_each, epsilon_total, rho_total FROM dp_explain('people', 'sba', 0.1, 0, '{"dense_cells": 10}');
SELECT abs(rho_total - 0.1 * tanh(0.05)) < 1e-11, rho_total >= 0.1 * tanh(0.05) FROM dp_explain('people', 'sba', 0.1, 0, '{"dense_cells": 10}') WHERE step = 1;
SELECT stage, tables, abs(rho_total - tables * epsilon_each * tanh(epsilon_each::float8 / 2)) < 1e-10
  FROM dp_explain('people', 'sbhg', 0.1, 0, '{"parents": 1}') WHERE step IS NOT NULL;
SELECT t.rho_total = sum(s.rho_total) FROM dp_explain('people', 'sbhg', 0.1) t, dp_explain('people', 'sbhg', 0.1) s
 WHERE t.stage = 'total' AND s.step IS NOT NULL GROUP BY t.rho_total;

-- as many releases as fit, and not one more
SELECT dp_grant('people', 'regress_dp_19_ann', 0.5, 1e-7);
SELECT role, accountant, epsilon, delta, epsilon_left, delta_left, rho, rho_spent FROM dp_budgets;
SET SESSION AUTHORIZATION regress_dp_19_ann;
SET client_min_messages = warning;
CREATE FUNCTION pg_temp.releases(relation regclass, epsilon numeric) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
	n integer := 0;
BEGIN
	LOOP
		BEGIN
			PERFORM dp_release(relation, 'sba', epsilon, 0, '{"dense_cells": 10}');
		EXCEPTION WHEN configuration_limit_exceeded THEN
			RETURN n;
		END;
		n := n + 1;
	END LOOP;
END
$$;
SELECT pg_temp.releases('people', 0.02) = floor(rho / (SELECT rho_total FROM dp_explain('people', 'sba', 0.02, 0, '{"dense_cells": 10}') WHERE step = 1)) FROM dp_budgets;
SELECT epsilon_spent <= 0.5, epsilon_spent > 0.45, epsilon_left = 0.5 - epsilon_spent, rho_spent <= rho FROM dp_budgets;
-- more than basic composition would have allowed
SELECT count(*) > 25, sum(epsilon) > 0.5, count(DISTINCT rho) FROM dp_ledger;
SELECT dp_release('people', 'sba', 0.1, 0, '{"dense_cells": 10}');
SET SESSION AUTHORIZATION regress_dp_19_owner;
SELECT epsilon_spent = (SELECT epsilon_spent FROM dp_budgets), rho_spent = (SELECT sum(rho) FROM dp_ledger) FROM dp_datasets;
-- delta is for stability histograms: half of it
SELECT dp_release('people', 'sba', 0.1, 4e-7, '{}') > 0;
SELECT delta_spent, delta_left FROM dp_datasets;
SELECT dp_release('people', 'sba', 0.1, 2e-7, '{}');
SELECT dp_release('people', 'sba', 0.1, 1e-7, '{}') > 0;

-- the budget changes, what was spent stays
SELECT rho_spent AS before FROM dp_datasets \gset
SELECT dp_alter_protection('people', 2, 0);
SELECT dp_alter_protection('people', 0.1, 1e-6);
SELECT rho_spent = :before, epsilon_spent > epsilon, epsilon_left FROM dp_datasets;
SELECT dp_release('people', 'sba', 0.001, 0, '{"dense_cells": 10}');
SELECT dp_alter_protection('people', 1, 1e-6);
SELECT dp_reconcile('people', 0.999, 5e-7);
SELECT epsilon_spent BETWEEN 0.999 AND 0.9991, delta_left FROM dp_datasets;
SELECT dp_release('people', 'sba', 0.1, 0, '{"dense_cells": 10}');
SELECT status, epsilon, rho > 0 FROM dp_ledger WHERE status = 'reconciled';
-- or with rho itself: exact, rounded up, the larger of both, never less than is known
SELECT rho_spent + 0.01 AS stated, delta_spent FROM dp_datasets \gset
SELECT dp_reconcile('people', 0, :delta_spent, :stated);
SELECT rho_spent = :stated, delta_spent = :delta_spent FROM dp_datasets;
SELECT dp_reconcile('people', 0, 0, 0.001), dp_reconcile('people', 0.5, 0, 0);
SELECT rho_spent = :stated FROM dp_datasets;
SELECT dp_reconcile('people', 1.5, 0, 0.001);
SELECT rho_spent > :stated AND epsilon_spent >= 1.5 FROM dp_datasets;
SELECT dp_reconcile('people', 0, 0, (SELECT rho_spent FROM dp_datasets) + 0.0000000000001);
SELECT dp_reconcile('people', 0, 0, -1);
SELECT dp_reconcile('people', 0, 0, 1e9);
SELECT rho FROM dp_ledger WHERE status = 'reconciled' ORDER BY id DESC LIMIT 1;
-- a failure is refunded in rho too
SELECT dp_alter_protection('people', 5, 1e-6);
CREATE VIEW failing AS SELECT 1 / (random() * 0)::int > 0 AS flag;
SELECT dp_protect('failing', budget_of => 'people', sensitivity => 1);
SELECT dp_define_column('failing', 'flag', categories => '{t,f}');
SELECT rho_spent AS before FROM dp_datasets LIMIT 1 \gset
SELECT dp_release('failing', 'sba', 0.1, 0, '{"dense_cells": 10}');
SELECT rho_spent > :before FROM dp_datasets;
SELECT dp_refund(id, 'it failed') > 0 FROM dp_ledger WHERE status = 'failed';
SELECT rho_spent = :before FROM dp_datasets;
-- the accountant stays
SELECT dp_unprotect('people');
SELECT dp_protect('people', 5, 1e-6);
SELECT dp_protect('people', 5, 1e-6, accountant => 'zcdp');
-- either account allows: as many releases of any size as under basic, and no other after them
CREATE TABLE large AS SELECT * FROM people;
ALTER TABLE large ALTER a SET NOT NULL, ALTER b SET NOT NULL, ALTER c SET NOT NULL;
SELECT dp_protect('large', 3, 1e-6, accountant => 'zcdp');
SELECT dp_grant('large', 'regress_dp_19_ann', 2, 1e-7);
SELECT pg_temp.releases('large', 4), pg_temp.releases('large', 1.000000001);
SELECT epsilon_sum, epsilon_left, rho_spent > rho FROM dp_datasets WHERE relation = 'large'::regclass;
SET SESSION AUTHORIZATION regress_dp_19_ann;
-- of a role's cap too
SELECT epsilon_left FROM dp_budgets WHERE relation = 'large'::regclass;
SELECT dp_release('large', 'sba', 0.999999998, 0, '{"dense_cells": 10}') > 0;
SELECT dp_release('large', 'sba', 0.01, 0, '{"dense_cells": 10}');
SELECT epsilon_left, epsilon_sum FROM dp_budgets WHERE relation = 'large'::regclass;
SET SESSION AUTHORIZATION regress_dp_19_owner;
SELECT pg_temp.releases('large', 0.001);
-- half of delta is kept for turning rho into epsilon, whichever account allows
SELECT dp_alter_protection('large', 10, 1e-6);
SELECT dp_release('large', 'sba', 1, 6e-7, '{}');
SELECT dp_release('large', 'sba', 1, 4e-7, '{}') > 0;
-- where rho was stated, the sum of epsilons is not known, unless it was stated too
SELECT dp_reconcile('large', 0, 0, (SELECT rho_spent FROM dp_datasets WHERE relation = 'large'::regclass));
SELECT epsilon_sum, epsilon_left FROM dp_datasets WHERE relation = 'large'::regclass;
SELECT dp_reconcile('large', 0, 0, (SELECT rho_spent + 1 FROM dp_datasets WHERE relation = 'large'::regclass), 5);
SELECT epsilon_sum, epsilon_left FROM dp_datasets WHERE relation = 'large'::regclass;
SELECT pg_temp.releases('large', 2);
SELECT dp_reconcile('large', 0, 0, (SELECT rho_spent + 1 FROM dp_datasets WHERE relation = 'large'::regclass));
SELECT epsilon_sum, epsilon_left FROM dp_datasets WHERE relation = 'large'::regclass;
SELECT epsilon_sum, epsilon_left FROM dp_budgets WHERE relation = 'large'::regclass;
SELECT dp_release('large', 'sba', 0.001, 0, '{"dense_cells": 10}');
-- basic keeps rho too, but does not look at it
CREATE TABLE plain (flag boolean NOT NULL);
SELECT dp_protect('plain', 1);
SELECT pg_temp.releases('plain', 0.1);
SELECT epsilon_spent, epsilon_sum, rho, rho_spent FROM dp_datasets WHERE relation = 'plain'::regclass;
SELECT dp_reconcile('plain', 1, 0, 0, 1);

RESET SESSION AUTHORIZATION;
DROP FUNCTION pg_temp.releases;
DROP SCHEMA t19 CASCADE;
DROP ROLE regress_dp_19_ann;
DROP ROLE regress_dp_19_owner;
