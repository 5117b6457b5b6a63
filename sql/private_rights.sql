-- Private queries and whose rights hold: views, functions of others, roles that change, plans that are
-- kept, transactions that are undone. A count shows how often somebody paid.
\pset null NULL
\set SHOW_CONTEXT never
\set VERBOSITY terse
CREATE SCHEMA t_private_rights;
CREATE ROLE regress_dp_pr_owner;
CREATE ROLE regress_dp_pr_ana;
CREATE ROLE regress_dp_pr_bob;
CREATE ROLE regress_dp_pr_reader;
GRANT regress_dp_pr_bob TO regress_dp_pr_ana;
GRANT USAGE, CREATE ON SCHEMA t_private_rights TO regress_dp_pr_owner, regress_dp_pr_ana, regress_dp_pr_bob;
GRANT USAGE ON SCHEMA t_private_rights TO regress_dp_pr_reader;
SET search_path = t_private_rights, public;
SET client_min_messages = error;
SET SESSION AUTHORIZATION regress_dp_pr_owner;
CREATE TABLE wards (ward int PRIMARY KEY, name text);
CREATE TABLE secret (x int);
CREATE TABLE visits (id int, ward int REFERENCES wards, kind text NOT NULL, price int NOT NULL);
INSERT INTO wards VALUES (1, 'er'), (2, 'icu');
INSERT INTO visits SELECT i, 1 + i % 2, CASE i % 3 WHEN 0 THEN 'a' ELSE 'b' END, i % 100 FROM generate_series(1, 600) i;
SELECT dp_declare_public('wards');
SELECT dp_protect('visits', 1000000);
SELECT dp_define_column('visits', 'kind', '{a,b}', complete => true), dp_define_column('visits', 'price', range => '{0,100}');
SELECT dp_grant('visits', 'regress_dp_pr_ana', 100000), dp_grant('visits', 'regress_dp_pr_bob', 100000);
CREATE VIEW cheap AS SELECT * FROM visits WHERE price < 50;
CREATE VIEW exact AS SELECT count(*) AS n FROM visits;
CREATE VIEW protected AS SELECT id, kind FROM visits WHERE ward = 1;
SELECT dp_protect('protected', 1000000);
SELECT dp_define_column('protected', 'kind', '{a,b}', complete => true);
SELECT dp_grant('protected', 'regress_dp_pr_ana', 100000);
GRANT SELECT ON exact TO regress_dp_pr_ana;
CREATE FUNCTION debits() RETURNS TABLE (role name, debits bigint) LANGUAGE sql SECURITY DEFINER
	AS 'SELECT role, count(*) FROM public.dp_ledger WHERE relation_name ~ ''t_private_rights'' GROUP BY role ORDER BY role COLLATE "C"';
-- who may read the table gets what is in it
SELECT dp_private_queries(3000);
SELECT count(*), min(price), max(price) FROM visits;
SELECT count(*) FROM exact;
SELECT * FROM debits();
-- and asks privately where that is said
SELECT * FROM dp_sql('SELECT count(*) FROM visits', 3000) AS (n bigint);
SELECT dp_private_queries(NULL);

SET SESSION AUTHORIZATION regress_dp_pr_ana;
SELECT dp_private_queries(3000);
-- a view that she may read, over a table that she may not: nothing is asked
SELECT n FROM exact;
-- a view that she may not read: neither what it shows nor a question about it
SELECT count(*) FROM cheap;
-- a protected view
SELECT kind, count(*) FROM protected GROUP BY kind ORDER BY kind;
-- a public table that she may not read, beside one that is protected
SELECT w.name, count(*) FROM visits JOIN wards w USING (ward) GROUP BY w.name;
SELECT count(*) FROM visits JOIN secret ON x = ward;
SELECT count(*) FROM secret;
-- a part of the columns
SET SESSION AUTHORIZATION regress_dp_pr_owner;
GRANT SELECT (kind) ON visits TO regress_dp_pr_ana;
SET SESSION AUTHORIZATION regress_dp_pr_ana;
SELECT max(kind), count(*) FROM visits;
SELECT count(*) FROM visits WHERE price < 50;
SET SESSION AUTHORIZATION regress_dp_pr_owner;
REVOKE SELECT (kind) ON visits FROM regress_dp_pr_ana;
SELECT * FROM debits();

-- plans that are kept are of one role and one mode
SET SESSION AUTHORIZATION regress_dp_pr_ana;
SET plan_cache_mode = force_generic_plan;
PREPARE q AS SELECT count(*) FROM visits WHERE price < 10;
EXECUTE q;
SET ROLE regress_dp_pr_bob;
EXECUTE q;
RESET ROLE;
EXECUTE q;
SELECT dp_private_queries(NULL);
EXECUTE q;
SELECT dp_private_queries(2000);
EXECUTE q;
SELECT * FROM debits();
RESET SESSION AUTHORIZATION;
SET search_path = t_private_rights, public;
EXECUTE q;

-- a cursor is read by who opened it
SET SESSION AUTHORIZATION regress_dp_pr_ana;
SELECT dp_private_queries(3000);
BEGIN;
DECLARE c CURSOR FOR SELECT count(*) FROM visits WHERE price < 11;
SET LOCAL ROLE regress_dp_pr_bob;
FETCH c;
ROLLBACK;
SELECT * FROM debits();

-- a function of somebody else: the caller's settings spend nobody else's budget
SET SESSION AUTHORIZATION regress_dp_pr_bob;
CREATE FUNCTION as_bob() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN RETURN (SELECT count(*) FROM t_private_rights.visits WHERE price < 12); END';
CREATE FUNCTION asks_as_bob() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
	AS $$ BEGIN RETURN (SELECT n FROM public.dp_sql('SELECT count(*) FROM t_private_rights.visits WHERE price < 13', 3000) AS (n bigint)); END $$;
CREATE FUNCTION as_caller() RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT count(*) FROM t_private_rights.visits WHERE price < 14); END';
CREATE VIEW by_bob AS SELECT kind, count(*) AS n FROM visits WHERE price < 15 GROUP BY kind;
GRANT SELECT ON by_bob TO regress_dp_pr_ana, regress_dp_pr_reader;
SET SESSION AUTHORIZATION regress_dp_pr_ana;
SELECT as_bob();
SELECT asks_as_bob();
SELECT as_caller();
SELECT * FROM debits();

-- a view of somebody's over a SELECT is answered for whoever may read the answer
SELECT * FROM by_bob ORDER BY kind;
SELECT release FROM dp_releases ORDER BY release DESC LIMIT 1 \gset
SET SESSION AUTHORIZATION regress_dp_pr_reader;
SELECT dp_private_queries(3000);
SELECT * FROM by_bob ORDER BY kind;
SET SESSION AUTHORIZATION regress_dp_pr_ana;
SELECT dp_grant(:release, 'regress_dp_pr_reader');
SET SESSION AUTHORIZATION regress_dp_pr_reader;
SELECT * FROM by_bob ORDER BY kind;
SELECT * FROM debits();

-- nothing undoes a debit, and nothing is spent where nothing may be
SET SESSION AUTHORIZATION regress_dp_pr_ana;
BEGIN;
SELECT count(*) FROM visits WHERE price < 16;
ROLLBACK;
DO $$ BEGIN PERFORM count(*) FROM visits WHERE price < 17; RAISE EXCEPTION 'undo'; EXCEPTION WHEN raise_exception THEN NULL; END $$;
SELECT setseed(2 + (count(*) < 0)::int) FROM visits WHERE price < 18;
SELECT * FROM debits();
BEGIN READ ONLY;
SELECT count(*) FROM visits WHERE price < 16;
SELECT count(*) FROM visits WHERE price < 19;
ROLLBACK;
SET dpsyn.spending = off;
SELECT count(*) FROM visits WHERE price < 17;
SELECT count(*) FROM visits WHERE price < 20;
RESET dpsyn.spending;
CREATE MATERIALIZED VIEW kept AS SELECT count(*) FROM visits WHERE price < 21;
SELECT * FROM debits();
-- no plan is parallel, whatever the server would like
SELECT set_config(name, 'on', false) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query');
SELECT count(*) FROM visits WHERE price < 16;
SELECT set_config(name, reset_val, false) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query');
-- a policy of the table says nothing here: the budget is of all rows
SET SESSION AUTHORIZATION regress_dp_pr_owner;
CREATE POLICY few ON visits USING (price < 3);
ALTER TABLE visits ENABLE ROW LEVEL SECURITY;
SET SESSION AUTHORIZATION regress_dp_pr_ana;
SELECT count(*) FROM visits WHERE price < 16;
-- a table that is not protected any more
SET SESSION AUTHORIZATION regress_dp_pr_owner;
SELECT dp_unprotect('protected');
SET SESSION AUTHORIZATION regress_dp_pr_ana;
SELECT kind, count(*) FROM protected GROUP BY kind ORDER BY kind;

RESET SESSION AUTHORIZATION;
DROP SCHEMA t_private_rights CASCADE;
DROP ROLE regress_dp_pr_owner, regress_dp_pr_ana, regress_dp_pr_bob, regress_dp_pr_reader;
