\ir _people.sql
-- The third of its releases is number 17.
SELECT setval(pg_get_serial_sequence('dp_catalog.dp_ledger_entry', 'id'), 12);
