-- What CREATE EXTENSION makes: every object has a description, nobody has a right that he should
-- not have, and dpsyn's own functions alone write the catalog. In a database of its own, where nothing is
-- protected yet.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
SELECT current_database() AS here \gset
CREATE DATABASE regress_dp_install;
\c regress_dp_install
CREATE EXTENSION dpsyn;

CREATE VIEW pg_temp.members AS
SELECT classid, objid, pg_describe_object(classid, objid, 0) AS object
  FROM pg_depend
 WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
   AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dpsyn');

-- tables and views, and which rows a dump carries
SELECT c.relname, c.relkind, c.oid = ANY (e.extconfig) AS dumped
  FROM pg_temp.members m
  JOIN pg_class c ON m.classid = 'pg_class'::regclass AND c.oid = m.objid
  JOIN pg_extension e ON e.extname = 'dpsyn'
 WHERE c.relkind IN ('r', 'v', 'S')
 ORDER BY c.relkind, c.relname COLLATE "C";

-- functions: volatility, strictness, parallel safety; none runs as its owner
SELECT p.proname, p.provolatile, p.proisstrict, p.proparallel
  FROM pg_temp.members m JOIN pg_proc p ON m.classid = 'pg_proc'::regclass AND p.oid = m.objid
 ORDER BY p.proname COLLATE "C", p.provolatile;
SELECT count(*) FROM pg_temp.members m JOIN pg_proc p ON m.classid = 'pg_proc'::regclass AND p.oid = m.objid
 WHERE p.prosecdef;

-- every object has a description (no rows); sequences and row types belong to a table
SELECT object FROM pg_temp.members m
 WHERE NOT (classid = 'pg_class'::regclass AND EXISTS (SELECT FROM pg_class WHERE oid = objid AND relkind NOT IN ('r', 'v')))
   AND NOT (classid = 'pg_type'::regclass AND EXISTS (SELECT FROM pg_type t LEFT JOIN pg_class c ON c.oid = t.typrelid
													   WHERE t.oid = objid AND (t.typelem <> 0 OR c.relkind <> 'c')))
   AND coalesce(obj_description(objid, classid::regclass::name), '') = '';

-- what is inside has a schema of its own: no table, and no function that is not for users, stands
-- where users look, and nothing that is for users stands inside (no rows)
SELECT object FROM pg_temp.members m JOIN pg_class c ON m.classid = 'pg_class'::regclass AND c.oid = m.objid
 WHERE c.relkind IN ('r', 'S') AND c.relnamespace <> 'dp_catalog'::regnamespace
	OR c.relkind = 'v' AND (c.relnamespace = 'dp_catalog'::regnamespace) <> (obj_description(c.oid, 'pg_class') LIKE 'internal: %');
SELECT object FROM pg_temp.members m JOIN pg_proc p ON m.classid = 'pg_proc'::regclass AND p.oid = m.objid
 WHERE (p.pronamespace = 'dp_catalog'::regnamespace) <> (obj_description(p.oid, 'pg_proc') LIKE 'internal: %');

-- a role without any right
CREATE ROLE regress_dp_01_nobody;
SELECT p.proname AS not_for_everybody
  FROM pg_temp.members m JOIN pg_proc p ON m.classid = 'pg_proc'::regclass AND p.oid = m.objid
 WHERE NOT has_function_privilege('regress_dp_01_nobody', p.oid, 'EXECUTE')
 ORDER BY 1;
SELECT c.relname, c.relkind
  FROM pg_temp.members m JOIN pg_class c ON m.classid = 'pg_class'::regclass AND c.oid = m.objid
 WHERE c.relkind IN ('r', 'v')
   AND has_table_privilege('regress_dp_01_nobody', c.oid,
						   'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
 ORDER BY c.relname COLLATE "C";
SELECT c.relname, c.relkind
  FROM pg_temp.members m JOIN pg_class c ON m.classid = 'pg_class'::regclass AND c.oid = m.objid
 WHERE c.relkind = 'v'
   AND has_table_privilege('regress_dp_01_nobody', c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE');
SELECT c.relname
  FROM pg_temp.members m JOIN pg_class c ON m.classid = 'pg_class'::regclass AND c.oid = m.objid
 WHERE CASE WHEN c.relkind = 'S' THEN has_sequence_privilege('regress_dp_01_nobody', c.oid, 'SELECT, USAGE, UPDATE') END;

-- nobody but superusers can put anything inside, where it would stand in for one of dpsyn's own
SELECT has_schema_privilege('regress_dp_01_nobody', 'dp_catalog', 'USAGE'),
	   has_schema_privilege('regress_dp_01_nobody', 'dp_catalog', 'CREATE'),
	   pg_has_role('regress_dp_01_nobody', (SELECT nspowner FROM pg_namespace WHERE nspname = 'dp_catalog'), 'USAGE');

-- the views of an empty ledger, for anybody, and what a list of tables shows
SET ROLE regress_dp_01_nobody;
SELECT table_schema, table_name, table_type FROM information_schema.tables
 WHERE table_name LIKE 'dp\_%' ORDER BY 1, table_name COLLATE "C";
SELECT count(*) FROM dp_datasets;
SELECT count(*) FROM dp_columns;
SELECT count(*) FROM dp_budgets;
SELECT count(*) FROM dp_ledger;
SELECT count(*) FROM dp_releases;
SELECT method, guarantee, source FROM dp_methods ORDER BY method;
SELECT * FROM dp_catalog.dp_dataset;
SELECT * FROM dp_catalog.dp_release_store;
SELECT dp_catalog.dp_catalog_guard();
RESET ROLE;

-- a role that may write every table may not write these
CREATE ROLE regress_dp_01_writer;
GRANT pg_write_all_data, pg_read_all_data TO regress_dp_01_writer;
GRANT ALL ON dp_catalog.dp_dataset, dp_catalog.dp_dataset_column, dp_catalog.dp_dataset_zero, dp_catalog.dp_dataset_prior, dp_catalog.dp_dataset_hierarchy, dp_catalog.dp_allocation, dp_catalog.dp_ledger_entry, dp_catalog.dp_release_store TO regress_dp_01_writer;
SET ROLE regress_dp_01_writer;
INSERT INTO dp_catalog.dp_dataset (relation, neighbours, epsilon_nano, delta_atto, system_identifier, timeline, database)
VALUES ('pg_class', 'add_remove', 1, 0, '', 1, 1);
INSERT INTO dp_catalog.dp_allocation (dataset, role, epsilon_nano, delta_atto, granted_by)
VALUES (1, 'regress_dp_01_writer', 1, 0, 'regress_dp_01_writer');
TRUNCATE dp_catalog.dp_ledger_entry;
TRUNCATE dp_catalog.dp_release_store;
UPDATE dp_catalog.dp_dataset SET epsilon_nano = 1; -- no row, so no trigger
SET session_replication_role = replica;
ALTER TABLE dp_catalog.dp_dataset DISABLE TRIGGER dp_guard_rows;
RESET ROLE;

-- a superuser may
BEGIN;
INSERT INTO dp_catalog.dp_allocation (dataset, role, epsilon_nano, delta_atto, granted_by) VALUES (1, 10, 1, 0, 10);
UPDATE dp_catalog.dp_allocation SET epsilon_nano = 2 RETURNING epsilon_nano;
DELETE FROM dp_catalog.dp_allocation RETURNING epsilon_nano;
TRUNCATE dp_catalog.dp_allocation;
ROLLBACK;

-- settings: any role may set them, within limits
SET ROLE regress_dp_01_nobody;
SHOW dpsyn.max_parallel_workers;
SELECT boot_val, unit FROM pg_settings WHERE name = 'dpsyn.progress_interval';
SET dpsyn.max_parallel_workers = 0;
SET dpsyn.progress_interval = '1min';
SHOW dpsyn.progress_interval;
SET dpsyn.max_parallel_workers = -2;
SET dpsyn.max_parallel_workers = 1025;
\set VERBOSITY sqlstate
SET dpsyn.progress_interval = -1;
\set VERBOSITY default
SET dpsyn.spend_nothing = on;
-- these limit what one role can take from others: superusers only
SHOW dpsyn.max_releases_per_role;
SHOW dpsyn.max_releases_per_relation;
SHOW dpsyn.release_timeout;
SET dpsyn.max_releases_per_role = 3;
SET dpsyn.max_releases_per_relation = 3;
SET dpsyn.release_timeout = 0;
RESET ROLE;
SET dpsyn.max_releases_per_role = 0;
SET dpsyn.max_releases_per_relation = 129;
-- PostgreSQL 17 prints the range with its unit
\set VERBOSITY sqlstate
SET dpsyn.release_timeout = -1;
\set VERBOSITY default
BEGIN;
SET LOCAL dpsyn.max_releases_per_role = 128;
SET LOCAL dpsyn.release_timeout = '90min';
SHOW dpsyn.max_releases_per_role;
SHOW dpsyn.release_timeout;
ROLLBACK;

-- nothing runs, and nothing can be ended
SET ROLE regress_dp_01_nobody;
SELECT * FROM dp_running;
SELECT dp_cancel(0);
SELECT dp_cancel(NULL);
RESET ROLE;

-- every option of every method has a type, a summary and a default, which may be null; every
-- option that is a number has limits
SELECT method, o.key, o.value ->> 'type', o.value ->> 'default', o.value ->> 'minimum', o.value ->> 'maximum',
	   o.value ->> 'choices'
  FROM dp_methods, jsonb_each(options) o
 ORDER BY method, o.key COLLATE "C";
SELECT count(*) FROM dp_methods, jsonb_each(options) o WHERE coalesce(o.value ->> 'summary', '') = '';

-- it stays in the schema that it was given, and only a superuser installs it
ALTER EXTENSION dpsyn SET SCHEMA pg_temp;
SELECT relocatable, superuser, trusted FROM pg_available_extension_versions WHERE name = 'dpsyn';

DROP OWNED BY regress_dp_01_writer;
DROP ROLE regress_dp_01_nobody, regress_dp_01_writer;
\c :here
DROP DATABASE regress_dp_install;
