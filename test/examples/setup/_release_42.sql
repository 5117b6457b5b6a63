-- The next release is number 42.
SELECT setval(pg_get_serial_sequence('dp_catalog.dp_ledger_entry', 'id'), 41);
