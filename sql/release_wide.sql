-- wide tables of which nothing is declared: coarser bins, so that their pairs can be counted; how much will be noise is said, and refused
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA release_wide;
SET search_path = release_wide, public;
SET client_min_messages = warning;
DO $$
BEGIN
	EXECUTE (SELECT format('CREATE TABLE w850 (%s)', string_agg(format('c%s smallint NOT NULL', i), ', ')) FROM generate_series(1, 850) i);
	EXECUTE (SELECT format('INSERT INTO w850 SELECT %s FROM generate_series(1, 200) n', string_agg(format('(n * %s) %% 7', i), ', ')) FROM generate_series(1, 850) i);
	EXECUTE (SELECT format('CREATE TABLE w80 (%s)', string_agg(format('c%s int', i), ', ')) FROM generate_series(1, 80) i);
	EXECUTE (SELECT format('INSERT INTO w80 SELECT %s FROM generate_series(1, 176) n', string_agg(format('(n * %s) %% 9', i), ', ')) FROM generate_series(1, 80) i);
END $$;
SELECT dp_protect('w850', 1000, 1e-5), dp_protect('w80', 10, 1e-5);
-- all pairs of 850 columns can be counted
SELECT stage, tables FROM dp_explain('w850', 'mst', 1, 1e-9);
SELECT stage, tables FROM dp_explain('w850', 'aim', 1, 1e-9);
SET client_min_messages = notice;
SELECT count(*) > 0 FROM dp_explain('w850', 'auto', 1, 1e-9);
-- what most would be noise of is refused, before anything is spent
SELECT count(*) > 0 FROM dp_explain('w850', 'sbhg', 1);
SELECT dp_release('w850', 'sbhg', 1);
SELECT count(*) > 0 FROM dp_explain('w80', 'auto', 1, 1e-9, '{"table_rows": 176}');
SELECT count(*) > 0 FROM dp_explain('w80', 'auto', 1, 1e-9, '{"table_rows": 1500}');
SELECT dp_release('w80', 'auto', 1, 1e-9, '{"table_rows": 176}');
SELECT sum(epsilon_spent) FROM dp_datasets WHERE relation IN ('w80'::regclass, 'w850'::regclass);
-- unless it is asked for, or columns are named
SET client_min_messages = warning;
SELECT dp_release('w80', 'auto', 1, 1e-9, '{"table_rows": 176, "partial": true}') > 0, dp_release('w80', 'auto', 1, 1e-9, '{"table_rows": 176, "columns": ["c1", "c2", "c3"]}') > 0;
-- and a large budget tells of all of them
SELECT dp_release('w850', 'mst', 900, 1e-9) AS id \gset
SELECT count(*), min(c7), max(c7), count(DISTINCT c850) > 1 FROM dp_sample(NULL::w850, :id, 200, 1);
SET client_min_messages = error;
DROP SCHEMA release_wide CASCADE;
