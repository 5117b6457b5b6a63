-- Rows that are kept where bins are found are counted as they would be if they were read again. The
-- budget is so large that no noise is left. Ranges have as many bins as they may, so that no edge is
-- placed: edges may be alike, and then one is drawn. In table w four edges are far better than all others.
SET client_min_messages = error;
CREATE SCHEMA t91;
SET search_path = t91, public;
CREATE TABLE t (id integer PRIMARY KEY, person integer NOT NULL, whole integer NOT NULL, wide bigint, at timestamp, part numeric(6,2),
	short text NOT NULL, list text, many text NOT NULL);
INSERT INTO t SELECT i, i % 1700, i % 301, nullif((i * 7919::bigint % 1000003) * (i * 7919::bigint % 1000003), 0),
	   CASE i % 11 WHEN 0 THEN NULL WHEN 1 THEN 'infinity' ELSE timestamp '2020-01-01' + i % 5000 * interval '1 hour' END,
	   (i % 997) / 4.0, 's' || i % 3, nullif('l' || i % 4, 'l3'), 'm' || i % 90 FROM generate_series(1, 5000) i;
CREATE TABLE u AS SELECT * FROM t;
CREATE TABLE w AS SELECT i % 960 AS whole, CASE WHEN i % 960 < 37 OR i % 960 BETWEEN 195 AND 434 OR i % 960 > 696 THEN 'l0' END AS list
  FROM generate_series(1, 4800) i;
ALTER TABLE w ALTER whole SET NOT NULL;
SELECT dp_protect('w', 1000000, 0.1), dp_define_column('w', 'whole', range => '{0,959}', bins_max => 16), dp_define_column('w', 'list', categories => '{l0}');
SELECT dp_protect('t', 1000000, 0.1), dp_protect('u', 1000000, 0.1, unit_column => 'person', max_rows_per_unit => 3);
SELECT dp_define_column(r, 'whole', range => '{0,300}', bins_max => 2), dp_define_column(r, 'wide', range => '{0,1000000000000}', bins_max => 2),
	   dp_define_column(r, 'at', range => '{2020-01-01,2020-12-31}', resolution => '1 second', bins_max => 2), dp_define_column(r, 'part', range => '{0,300}', bins_max => 2),
	   dp_define_column(r, 'short', categories => '{s0,s1,s2}'), dp_define_column(r, 'list', categories => '{l0,l1}'),
	   dp_define_column(r, 'many', categories => (SELECT array_agg('m' || i) FROM generate_series(0, 89) i))
  FROM unnest('{t,u}'::regclass[]) r;
-- all tables of some releases, by the words of their cells. Of two columns there is one pair to choose.
CREATE FUNCTION cells(relation regclass) RETURNS text LANGUAGE sql VOLATILE
	RETURN (SELECT md5(string_agg(c::text, ',' ORDER BY pair, c::text))
			  FROM unnest(CASE relation WHEN 'w'::regclass THEN '{"whole,list"}' ELSE '{"whole,at","wide,list","part,many","short,whole"}' END::text[]) pair,
				   LATERAL (SELECT dp_release_cells(dp_release(relation, 'mst', 5e4, 1e-9, jsonb_build_object('columns', string_to_array(pair, ','))))) c (c));
CREATE TABLE found (memory text, workers integer, relation regclass, cells text);
CREATE PROCEDURE find(memory text, workers integer, relation regclass) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('ALTER DATABASE %I SET dpsyn.row_memory = %L', current_database(), memory);
	EXECUTE format('ALTER DATABASE %I SET max_parallel_workers_per_gather = %s', current_database(), workers);
	COMMIT;
	INSERT INTO found VALUES (memory, workers, relation, cells(relation));
	COMMIT;
END $$;
DO $$
BEGIN
	EXECUTE format('ALTER DATABASE %I SET parallel_setup_cost = 0', current_database());
	EXECUTE format('ALTER DATABASE %I SET parallel_tuple_cost = 0', current_database());
	EXECUTE format('ALTER DATABASE %I SET min_parallel_table_scan_size = 0', current_database());
END $$;
CALL find('0', 0, 't');
CALL find('256MB', 0, 't');
CALL find('256MB', 2, 't');
CALL find('20kB', 0, 't');
-- units have as many rows as are read of them at most, so that all rows are
CALL find('0', 0, 'u');
CALL find('256MB', 0, 'u');
CALL find('256MB', 2, 'u');
CALL find('0', 0, 'w');
CALL find('256MB', 0, 'w');
CALL find('256MB', 2, 'w');
SELECT relation, count(*), count(DISTINCT cells) FROM found GROUP BY relation ORDER BY relation;
-- twelve bins are found, and four edges are where values begin or end to be missing
SELECT array_agg("values"[1]::int ORDER BY "values"[1]::int) FROM dp_release_cells(dp_release('w', 'mst', 5e4, 1e-9)) WHERE attributes = '{whole}';
DO $$
BEGIN
	EXECUTE format('ALTER DATABASE %I RESET dpsyn.row_memory', current_database());
	EXECUTE format('ALTER DATABASE %I RESET max_parallel_workers_per_gather', current_database());
	EXECUTE format('ALTER DATABASE %I RESET parallel_setup_cost', current_database());
	EXECUTE format('ALTER DATABASE %I RESET parallel_tuple_cost', current_database());
	EXECUTE format('ALTER DATABASE %I RESET min_parallel_table_scan_size', current_database());
END $$;
DROP SCHEMA t91 CASCADE;
