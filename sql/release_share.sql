-- Stored releases: to whom they belong, and dp_grant.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t08;
CREATE ROLE regress_dp_08_owner;
CREATE ROLE regress_dp_08_alice;
CREATE ROLE regress_dp_08_bob;
CREATE ROLE regress_dp_08_group;
CREATE ROLE regress_dp_08_member IN ROLE regress_dp_08_group;
CREATE ROLE regress_dp_08_stranger;
GRANT USAGE, CREATE ON SCHEMA t08 TO public;
SET search_path = t08, public;
SET SESSION AUTHORIZATION regress_dp_08_owner;
CREATE TABLE t (flag boolean NOT NULL);
INSERT INTO t SELECT i % 2 = 0 FROM generate_series(1, 100) i;
SELECT dp_protect('t', 10);
SELECT dp_grant('t', 'regress_dp_08_alice', 5);
SET SESSION AUTHORIZATION regress_dp_08_alice;
SELECT dp_release('t', 'sba', 1, 0, '{"dense_cells": 2}') AS r \gset
SELECT dp_release('t', 'sba', 1, 0, '{"dense_cells": 2}') AS other \gset

-- what a role gets: rows, or the words of the error without the numbers
CREATE FUNCTION try(id bigint) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	hint text;
BEGIN
	RETURN (SELECT count(*) FROM dp_sample(NULL::t08.t, id, 5)) || ' rows';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' / ', sqlstate, replace(sqlerrm, id::text, 'N'), hint);
END
$$;
CREATE FUNCTION try_share(id bigint, role text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM dp_grant(id, role::regrole);
	RETURN 'shared';
EXCEPTION WHEN OTHERS THEN
	RETURN concat_ws(' / ', sqlstate, replace(sqlerrm, id::text, 'N'));
END
$$;

-- a release belongs to the role that asked, to the role that paid, and to the custodian; all others
-- cannot tell whether it exists
SELECT try(:r);
SET SESSION AUTHORIZATION regress_dp_08_owner;
SELECT try(:r);
SET SESSION AUTHORIZATION regress_dp_08_bob;
SELECT try(:r);
SELECT try(987654321);
SELECT try(:r) = try(987654321);
SELECT try_share(:r, 'regress_dp_08_bob');
SELECT try_share(987654321, 'regress_dp_08_bob');
SELECT dp_grant(NULL);
SELECT count(*) FROM dp_releases;

-- with one role
SET SESSION AUTHORIZATION regress_dp_08_alice;
SELECT dp_grant(:r, 'regress_dp_08_bob');
SELECT dp_grant(:r, 'regress_dp_08_bob'); -- twice is once
\set VERBOSITY sqlstate
SELECT dp_grant(:r, 'regress_dp_08_nobody');
\set VERBOSITY default
SET SESSION AUTHORIZATION regress_dp_08_bob;
SELECT try(:r), try(:other);
SELECT role, release = :r FROM dp_releases;
SET SESSION AUTHORIZATION regress_dp_08_stranger;
SELECT try(:r);
RESET SESSION AUTHORIZATION;
SELECT readers FROM dp_catalog.dp_release_store WHERE id = :r;

-- with a group
SET SESSION AUTHORIZATION regress_dp_08_owner; -- the custodian may share too
SELECT dp_grant(:r, 'regress_dp_08_group');
SET SESSION AUTHORIZATION regress_dp_08_member;
SELECT try(:r), try(:other);
SELECT count(*) FROM dp_releases;
SET SESSION AUTHORIZATION regress_dp_08_stranger;
SELECT try(:r);

-- a view over dp_sample: rights are the reader's, so the release must be shared
SET SESSION AUTHORIZATION regress_dp_08_alice;
CREATE FUNCTION create_view(name, bigint) RETURNS void LANGUAGE plpgsql
AS $$ BEGIN EXECUTE format('CREATE VIEW %I AS SELECT * FROM dp_sample(NULL::t08.t, %s, 50, 1)', $1, $2); END $$;
SELECT create_view('synthetic', :r), create_view('synthetic_other', :other);
GRANT SELECT ON synthetic, synthetic_other TO public;
SELECT count(*) FROM synthetic;
SET SESSION AUTHORIZATION regress_dp_08_bob;
SELECT count(*) FROM synthetic;
\set VERBOSITY sqlstate
SELECT count(*) FROM synthetic_other;
SET SESSION AUTHORIZATION regress_dp_08_stranger;
SELECT count(*) FROM synthetic;
\set VERBOSITY default

-- with everybody
SET SESSION AUTHORIZATION regress_dp_08_alice;
SELECT dp_grant(:other);
SET SESSION AUTHORIZATION regress_dp_08_stranger;
SELECT try(:r), try(:other);
SELECT count(*) FROM synthetic_other;
SELECT role, release = :other FROM dp_releases;
SELECT count(*) FROM dp_ledger; -- what it cost is for those who paid
SELECT count(*) FROM dp_datasets;

-- with whom a release is shared may draw from it, and no more
SET SESSION AUTHORIZATION regress_dp_08_bob;
\set VERBOSITY sqlstate
SELECT dp_release('t', 'sba', 0.1, 0, '{"dense_cells": 2}');
SELECT dp_explain('t', 'sba', 0.1, 0, '{"dense_cells": 2}');
SELECT * FROM dp_catalog.dp_column_domains('t');
\set VERBOSITY default

-- none of this spent anything, and the release outlives protection, table and role
RESET SESSION AUTHORIZATION;
SELECT epsilon_spent FROM dp_budgets WHERE relation = 't08.t'::regclass;
SELECT dp_unprotect('t');
SET SESSION AUTHORIZATION regress_dp_08_bob;
SELECT try(:r);
RESET SESSION AUTHORIZATION;
SET client_min_messages = warning;
CREATE TYPE flag AS (flag boolean);
DROP TABLE t CASCADE;
SET SESSION AUTHORIZATION regress_dp_08_alice;
SELECT count(*) FROM dp_sample(NULL::flag, :r, 7);
SELECT relation, relation_name, sets FROM dp_releases WHERE release = :r;
RESET SESSION AUTHORIZATION;
DROP SCHEMA t08 CASCADE;
DROP ROLE regress_dp_08_alice, regress_dp_08_bob, regress_dp_08_member, regress_dp_08_group, regress_dp_08_stranger,
	regress_dp_08_owner;
SELECT relation_name FROM dp_releases WHERE release = :r;
