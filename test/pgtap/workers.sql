-- Releases leave nothing behind: no process, no memory, no temporary file.
SET client_min_messages = warning;
SELECT plan(7);

CREATE ROLE pgtap_workers_owner;
GRANT ALL ON SCHEMA public TO pgtap_workers_owner;
SET SESSION AUTHORIZATION pgtap_workers_owner;
CREATE TABLE t (flag boolean NOT NULL, n int CHECK (n IN (1, 2, 3)), d date);
INSERT INTO t SELECT i % 2 = 0, 1 + i % 3, DATE '2020-01-01' + i % 30 FROM generate_series(1, 200) i;
CREATE VIEW failing AS SELECT 1 / (n - n) = 0 AS flag FROM t;
SELECT dp_protect('t', 100000, 0.5), dp_protect('failing', 1000);
SELECT dp_define_column('t', 'd', bins => '{2020-01-01,2020-01-11,2020-02-01}');

CREATE FUNCTION release_and_draw(times int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	id bigint;
BEGIN
	FOR i IN 1..times LOOP
		id := dp_release('t', CASE WHEN i % 2 = 0 THEN 'sba' ELSE 'sbhg' END, 0.5, 1e-7);
		PERFORM * FROM dp_sample(NULL::t, id, 100);
		PERFORM * FROM dp_synthesize_sbhg(NULL::t, 0.5, rows => 10);
		PERFORM dp_sample(NULL::t, id, 1000000000) LIMIT 3; -- given up after three rows
	END LOOP;
END
$$;
CREATE FUNCTION fail(times int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	failed int := 0;
BEGIN
	FOR i IN 1..times LOOP
		BEGIN
			PERFORM dp_release('failing', 'sbhg', 0.5);
		EXCEPTION WHEN data_exception THEN
			failed := failed + 1;
		END;
	END LOOP;
	RETURN failed;
END
$$;
-- kB that are used in all memory contexts of this session; blocks double, so their size says little
RESET SESSION AUTHORIZATION;
CREATE FUNCTION session_kb() RETURNS bigint LANGUAGE sql AS 'SELECT sum(used_bytes)::bigint / 1024 FROM pg_backend_memory_contexts';
-- a worker that has answered ends by itself: those that stay are counted
CREATE FUNCTION workers() RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	n int;
BEGIN
	FOR i IN 1..200 LOOP
		PERFORM pg_stat_clear_snapshot();
		SELECT count(*) INTO n FROM pg_stat_activity WHERE backend_type LIKE 'dpsyn%' OR backend_type = 'parallel worker';
		EXIT WHEN n = 0;
		PERFORM pg_sleep(0.05);
	END LOOP;
	RETURN n;
END
$$;

-- everything is cached after some; a statement of its own each, so that its memory is gone
SELECT release_and_draw(20);
SELECT fail(5);
SELECT session_kb() AS before \gset
SELECT release_and_draw(150);
SELECT session_kb() - :before AS released_kb, workers() AS released_workers \gset
SELECT fail(50) AS failed \gset
SELECT session_kb() - :before AS failed_kb, workers() AS failed_workers \gset
SELECT cmp_ok(:released_kb, '<', 256, '300 releases and 450 draws leave no memory in the session');
SELECT is(:released_workers, 0, 'nor a worker');
SELECT is(:failed, 50, '50 releases fail');
SELECT cmp_ok(:failed_kb, '<', 256, 'and leave no memory');
SELECT is(:failed_workers, 0, 'nor a worker');

-- more releases in one transaction than there are slots for workers
SET SESSION AUTHORIZATION pgtap_workers_owner;
BEGIN;
SELECT is((SELECT count(*)::int FROM generate_series(1, 40) i WHERE dp_release('t', 'sbhg', 0.1) IS NOT NULL), 40, '40 releases in one transaction');
COMMIT;
RESET SESSION AUTHORIZATION;
SELECT is(workers(), 0, 'and no worker is left');

SELECT * FROM finish();
DROP OWNED BY pgtap_workers_owner CASCADE;
DROP ROLE pgtap_workers_owner;
