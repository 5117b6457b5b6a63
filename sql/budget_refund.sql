-- dp_refund: the custodian alone refunds a release that came to nothing, once, and with a reason
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE ROLE refund_owner;
CREATE ROLE refund_analyst;
GRANT CREATE ON SCHEMA public TO refund_owner;
SET ROLE refund_owner;
CREATE TABLE refund_base (a boolean NOT NULL);
INSERT INTO refund_base VALUES (true), (false);
-- a view that fails while it is read
CREATE VIEW refund_view AS SELECT a, 1 / (CASE WHEN a THEN 0 ELSE 1 END) > 0 AS b FROM refund_base;
SELECT dp_protect('refund_view', 10);
SELECT dp_define_column('refund_view', 'b', categories => '{t,f}');
SELECT dp_protect('refund_base', 10);
SELECT dp_grant('refund_view', 'refund_analyst', 5);
SELECT dp_grant('refund_base', 'refund_analyst', 5);
RESET ROLE;
SET ROLE refund_analyst;
SELECT dp_release('refund_view', 'sbhg', 2);
SELECT dp_release('refund_base', 'sbhg', 1) > 0 AS released;
SELECT id AS failed FROM dp_ledger WHERE status = 'failed' AND relation_name = 'public.refund_view' \gset
SELECT id AS released FROM dp_ledger WHERE status = 'released' AND relation_name = 'public.refund_base' \gset
SELECT relation, epsilon_spent FROM dp_budgets WHERE relation::text LIKE 'refund%' ORDER BY 1;
-- the analyst cannot
\set VERBOSITY terse
DO $$
DECLARE
	line bigint := (SELECT id FROM dp_ledger WHERE status = 'failed' AND relation_name = 'public.refund_view');
BEGIN
	PERFORM dp_refund(line, 'please');
EXCEPTION WHEN insufficient_privilege THEN
	RAISE NOTICE '%', regexp_replace(SQLERRM, '[0-9]+', 'N');
END
$$;
RESET ROLE;
SET ROLE refund_owner;
SELECT dp_refund(:failed, ' ');
SELECT dp_refund(-1, 'no such line');
DO $$
DECLARE
	line bigint := (SELECT id FROM dp_ledger WHERE status = 'released' AND relation_name = 'public.refund_base');
BEGIN
	PERFORM dp_refund(line, 'it was not useful');
EXCEPTION WHEN object_not_in_prerequisite_state THEN
	RAISE NOTICE '%', regexp_replace(SQLERRM, '[0-9]+', 'N');
END
$$;
SELECT dp_refund(:failed, 'the view divided by zero') > :failed AS refunded;
DO $$
DECLARE
	line bigint := (SELECT id FROM dp_ledger WHERE status = 'failed' AND relation_name = 'public.refund_view');
BEGIN
	PERFORM dp_refund(line, 'again');
EXCEPTION WHEN object_not_in_prerequisite_state THEN
	RAISE NOTICE '%', regexp_replace(SQLERRM, '[0-9]+', 'N');
END
$$;
-- both the budget and the allocation get it back; the lines of the ledger stay
SELECT relation, epsilon_spent, epsilon_left FROM dp_budgets WHERE relation::text LIKE 'refund%' ORDER BY 1;
SELECT relation, epsilon_spent FROM dp_datasets WHERE relation::text LIKE 'refund%' ORDER BY 1;
SELECT relation, role, method, epsilon, status, refunds = :failed AS refunds, reason
  FROM dp_ledger WHERE relation_name LIKE 'public.refund%' ORDER BY id;
-- a copy may lack the line that says "released": nothing is refunded there, nor of what is older once
-- it is reconciled
SET ROLE refund_analyst;
SELECT dp_release('refund_view', 'sbhg', 2);
RESET ROLE;
UPDATE dp_catalog.dp_dataset SET timeline = 0 WHERE relation = 'refund_view'::regclass;
SET ROLE refund_owner;
SELECT max(id) AS failed FROM dp_ledger WHERE status = 'failed' AND relation_name = 'public.refund_view' \gset
SELECT dp_refund(:failed, 'the view divided by zero');
SELECT dp_reconcile('refund_view', 0);
DO $$
DECLARE
	line bigint := (SELECT max(id) FROM dp_ledger
					 WHERE status = 'failed' AND relation_name = 'public.refund_view');
BEGIN
	PERFORM dp_refund(line, 'the view divided by zero');
EXCEPTION WHEN object_not_in_prerequisite_state THEN
	RAISE NOTICE '%', regexp_replace(SQLERRM, '[0-9]+', 'N');
END
$$;
SELECT epsilon_spent FROM dp_datasets WHERE relation = 'refund_view'::regclass;
-- once a relation is dropped, it has no custodian but superusers; what others share gets it back
CREATE VIEW refund_shared AS SELECT * FROM refund_view;
SELECT dp_protect('refund_shared', budget_of => 'refund_base');
SELECT dp_define_column('refund_shared', 'b', categories => '{t,f}');
SELECT dp_release('refund_shared', 'sbhg', 3);
SELECT dp_release('refund_view', 'sbhg', 2);
SELECT max(id) AS shared FROM dp_ledger WHERE status = 'failed' AND relation_name = 'public.refund_shared' \gset
SELECT max(id) AS own FROM dp_ledger WHERE status = 'failed' AND relation_name = 'public.refund_view' \gset
SELECT epsilon_spent FROM dp_datasets WHERE relation = 'refund_base'::regclass;
DROP VIEW refund_shared, refund_view;
SELECT count(*) FROM dp_ledger WHERE relation_name IN ('public.refund_shared', 'public.refund_view') AND status = 'refunded';
DO $$
DECLARE
	line bigint;
BEGIN
	FOR line IN SELECT max(id) FROM dp_ledger WHERE status = 'failed' GROUP BY relation_name ORDER BY relation_name LOOP
		BEGIN
			PERFORM dp_refund(line, 'the view is gone');
		EXCEPTION WHEN insufficient_privilege THEN
			RAISE NOTICE '%', regexp_replace(SQLERRM, '[0-9]+', 'N');
		END;
	END LOOP;
END
$$;
RESET ROLE;
SELECT dp_refund(:shared, 'the view is gone') > :shared AS shared, dp_refund(:own, 'the view is gone') > :own AS own;
SET ROLE refund_owner;
SELECT epsilon_spent FROM dp_datasets WHERE relation = 'refund_base'::regclass;
RESET ROLE;
SELECT relation_name, spent_epsilon_nano FROM dp_catalog.dp_dataset WHERE relation_name LIKE 'public.refund%' ORDER BY id;
SELECT relation_name, epsilon, status, reason FROM dp_ledger WHERE reason = 'the view is gone' ORDER BY id;
SET ROLE refund_owner;
SELECT dp_unprotect('refund_base');
DROP TABLE refund_base;
RESET ROLE;
