-- dp_row_cache keeps rows for a release, and anyone may call it, with any spec.
CREATE SCHEMA row_cache_calls;
SET search_path = row_cache_calls, public;
SET client_min_messages = warning;
CREATE FUNCTION spec(keys integer, columns integer, bytes_max bigint) RETURNS bytea IMMUTABLE LANGUAGE sql AS $$
	SELECT int4send(keys) || int8send(bytes_max) || int4send(1) || int4send(columns) || string_agg('\x0201'::bytea || int4send(0)
		|| '\x00'::bytea || int8send(0) || int8send(1) || int8send(1) || int4send(0), '') FROM generate_series(1, columns) $$;
SELECT length(dp_catalog.dp_row_cache(spec(1, 2, 1000000), i % 3)) > 60 AS kept FROM generate_series(1, 10) i;
-- the spec is that of the first row, and each process of a parallel plan has a first one of its own
CREATE TABLE given (spec bytea, id integer, name text);
ALTER TABLE given ALTER spec SET STORAGE plain;
INSERT INTO given SELECT spec(1, 1, 1000000), i, 'x' FROM generate_series(1, 1) i;
INSERT INTO given SELECT spec(2, 100, 100000000), i, 'y' || i FROM generate_series(1, 20000) i;
ALTER TABLE given SET (parallel_workers = 2);
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
-- whichever process begins first, the server stays up: it is an error, or one process had all rows
DO $$
DECLARE
	length integer;
BEGIN
	FOR i IN 1..5 LOOP
		BEGIN
			SELECT length(dp_catalog.dp_row_cache(spec, id, name)) INTO length FROM given;
		EXCEPTION WHEN internal_error THEN
			IF sqlerrm !~ 'processes were given different specs' THEN
				RAISE;
			END IF;
		END;
	END LOOP;
END $$;
SELECT length(dp_catalog.dp_row_cache(spec, id, name)) > 20000 AS kept FROM given WHERE id > 1;
RESET max_parallel_workers_per_gather;
-- a compressed value counts as what it takes when it is kept
CREATE TABLE long (name text);
INSERT INTO long SELECT repeat(chr(97 + i), 200000) FROM generate_series(1, 20) i;
SELECT length(dp_catalog.dp_row_cache(spec(1, 1, 10000000), name)) > 4000000 AS kept,
       length(dp_catalog.dp_row_cache(spec(1, 1, 1000000), name)) < 100 AS lost FROM long;
-- bad specs
SELECT dp_catalog.dp_row_cache('\x', 1);
SELECT dp_catalog.dp_row_cache(NULL, 1);
SELECT dp_catalog.dp_row_cache(spec(3, 1, 1000), 1);
SELECT dp_catalog.dp_row_cache(spec(1, 1, 1000), point(1, 2));
SELECT dp_catalog.dp_row_cache(spec(1, 1, 1000), 1) OVER ();
-- a range of all integers of 64 bits has one place too few for what is missing: rows are read one by one
CREATE TABLE wide (x bigint);
INSERT INTO wide SELECT i FROM generate_series(1, 1000) i;
SET client_min_messages = error;
SELECT dp_protect('wide', 1000);
SELECT dp_define_column('wide', 'x', range => '{-9223372036854775808,9223372036854775807}');
SELECT abs(estimate - 500) < 50 AS near FROM dp_query('wide', '{count(*)}', filter => '{"x": [1, 500]}', epsilon => 10);
SELECT count(*) FROM dp_query('wide', '{sum(x)}', epsilon => 10);
DROP SCHEMA row_cache_calls CASCADE;
RESET client_min_messages;
