-- What each method stores can be read, fitted, asked and judged by a role that may not read the table.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t63;
CREATE ROLE regress_dp_63_owner;
CREATE ROLE regress_dp_63_ann;
GRANT USAGE, CREATE ON SCHEMA t63 TO regress_dp_63_owner;
GRANT USAGE, CREATE ON SCHEMA t63 TO regress_dp_63_ann;
SET search_path = t63, public;
SET SESSION AUTHORIZATION regress_dp_63_owner;
SET client_min_messages = error;
CREATE TABLE t (ward text NOT NULL, sex char(1) NOT NULL, age int NOT NULL, kind smallint NOT NULL);
INSERT INTO t SELECT (ARRAY['er', 'icu', 'surgery'])[1 + i % 3], (ARRAY['f', 'm'])[1 + i / 3 % 2], i / 6 % 90, i % 3 * 10 FROM generate_series(0, 5399) i;
SELECT dp_protect('t', 1000000, 0.5);
SELECT dp_define_column('t', 'ward', '{er,icu,surgery}', complete => true), dp_define_column('t', 'sex', '{f,m}', complete => true),
	   dp_define_column('t', 'age', bins => '{0,20,40,90}'), dp_define_column('t', 'kind', '{0,10,20}', complete => true);
SELECT dp_grant('t', 'regress_dp_63_ann', 900000, 0.5);
SET SESSION AUTHORIZATION regress_dp_63_ann;
SET client_min_messages = error;
SELECT has_table_privilege('t', 'SELECT');

-- releases with noise of a fraction of a row, of all methods that a budget buys
CREATE TABLE released AS
SELECT method, dp_release('t', method, 5000, CASE WHEN guarantee LIKE '%delta%' THEN 1e-6 ELSE 0 END,
						  CASE WHEN method IN ('pegs', 'pmi') THEN '{"rows": 50}' WHEN method = 'aim' THEN '{"workload": 3}' ELSE '{}' END::jsonb) AS release
  FROM dp_methods WHERE method NOT IN ('query', 'pegs_ldiversity');

-- tables: sets of columns, mechanism, number of cells, noise and stage of each; rows have none
CREATE FUNCTION tables_of(release bigint) RETURNS TABLE (tables int, said boolean, cells bigint) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY SELECT count(*)::int, bool_and(t.std_error > 0 AND t.std_error < 1 AND t.mechanism <> '' AND t.stage <> '' AND t.columns <@ '{ward,sex,age,kind}'::name[]), sum(t.cells)::bigint
				   FROM dp_release_tables(release) t;
EXCEPTION WHEN wrong_object_type THEN RETURN;
END $$;
CREATE TABLE told AS SELECT method, release, t.* FROM released r, LATERAL tables_of(r.release) t;
SELECT method FROM released EXCEPT SELECT method FROM told ORDER BY 1;
SELECT method, tables > 0, said FROM told ORDER BY 1;
-- cells: as many as the tables have, each with its labels, its noisy count and the deviation of its noise
SELECT method, count(*) = d.cells, bool_and(c.std_error > 0 AND abs(c.std_error ^ 2 - c.variance) < 1e-9),
	   bool_and((SELECT count(*) FROM jsonb_object_keys(c.cell)) = cardinality(l.columns)),
	   bool_and(CASE WHEN cardinality(l.columns) = 0 THEN c.attributes IS NULL ELSE cardinality(c.attributes) = cardinality(c."values") END)
  FROM told d, LATERAL dp_release_cells(release) c JOIN LATERAL dp_release_tables(release) l ON l.number = c."table" GROUP BY method, d.cells ORDER BY 1;
-- a cell is a filter: no measured answer to it is far from its count
SELECT method, c.cell FROM told, LATERAL dp_release_cells(release) c, LATERAL dp_answer(release, '{}', c.cell) a
 WHERE c.cell <> '{}' AND a.basis LIKE 'measured%' AND abs(a.estimate - c.count) > 20;
-- they are what dp_fit_marginals takes: columns that were measured come back with their shares
SELECT method, count(*), bool_and((f.ward IS NOT NULL) = ('ward' = ANY(c.named)) AND (f.sex IS NOT NULL) = ('sex' = ANY(c.named))),
	   count(*) FILTER (WHERE f.ward = 'er') BETWEEN 1400 AND 2200 OR NOT bool_or('ward' = ANY(c.named))
  FROM told, LATERAL (SELECT array_agg(ROW(attributes, "values", count, variance)::dp_noisy_counts) AS cells, (SELECT array_agg(DISTINCT n) FROM dp_release_cells(release), unnest(attributes) n) AS named
						FROM dp_release_cells(release) WHERE attributes IS NOT NULL) c,
	   LATERAL dp_fit_marginals(NULL::t, c.cells, 5400, seed => 1) f GROUP BY 1 ORDER BY 1;

-- every method answers: three columns with all groups, a filter, and an interval where a table tells one
SELECT method, count(*), bool_and(low <= estimate AND estimate <= high), abs(sum(estimate) - 1200) < 400 OR method IN ('pegs', 'pmi', 'mwem')
  FROM released, LATERAL dp_answer(release, '{ward,sex,kind}', '{"age": [0, 20]}', 0.9) GROUP BY 1 ORDER BY 1;
-- where a table holds the pair, the answer is the count, and the interval holds it
SELECT method, estimate, low, high FROM released, LATERAL dp_answer(release, '{ward,sex}')
 WHERE basis = 'measured' AND NOT (abs(estimate - 900) < 20 AND low <= 920 AND high >= 880);
SELECT DISTINCT method FROM released, LATERAL dp_answer(release, '{ward,sex}') WHERE basis = 'measured' AND method IN ('cipher', 'flat', 'uh', 'sba') ORDER BY 1;
-- and says how far off drawn rows are: a line for each column and each pair; what is known adds up
SELECT method, count(*) FILTER (WHERE cardinality(columns) = 1), count(*) FILTER (WHERE cardinality(columns) = 2),
	   bool_and(drawing > 0 AND drawing < 0.01), bool_and((total IS NULL) = (noise IS NULL OR fit IS NULL) AND (total IS NULL OR total >= drawing))
  FROM released, LATERAL dp_error(release, 5400) GROUP BY 1 ORDER BY 1;

-- a model is fitted, and rows to count are drawn, once a session: the next question finds them
\c -
SET search_path = t63, public;
SET client_min_messages = error;
CREATE VIEW fits AS SELECT count(*) AS fits FROM pg_backend_memory_contexts WHERE name = 'dpsyn fit';
SELECT count(*) FROM released, LATERAL dp_answer(release, '{ward,sex,age,kind}') WHERE method IN ('cipher', 'mwem', 'mst', 'aim');
SELECT fits FROM fits;
SELECT count(*) FROM released, LATERAL dp_answer(release, '{ward,sex,kind}') WHERE method IN ('cipher', 'mwem', 'mst', 'aim');
SELECT fits FROM fits;
CREATE TABLE first AS SELECT * FROM released, LATERAL dp_answer(release, '{ward,sex,age,kind}') WHERE method = 'sbhg';
SELECT fits FROM fits;
SELECT count(*), bool_and(f.estimate = a.estimate) FROM first f JOIN dp_answer((SELECT release FROM released WHERE method = 'sbhg'), '{ward,sex,age,kind}') a USING (cell);
SELECT fits FROM fits;
-- of more sets than can be kept, no rows are drawn for each line
SELECT dp_release('t', 'sbhg', 5, 1e-6, '{}', 9) AS many \gset
SELECT count(*), count(fit) FROM dp_error(:many);
-- a cancel ends it while they are drawn, which takes far longer than this
\c -
SELECT release AS sbhg FROM t63.released WHERE method = 'sbhg' \gset
SET statement_timeout = '1ms';
SELECT count(*) FROM dp_answer(:sbhg, '{ward,sex,age,kind}');
-- where maintenance_work_mem has no room for them they are drawn for each question, which has the same answer
\c -
SET search_path = t63, public;
SET client_min_messages = error;
SET maintenance_work_mem = '1MB';
SELECT count(*), bool_and(f.estimate = a.estimate) FROM first f JOIN dp_answer((SELECT release FROM released WHERE method = 'sbhg'), '{ward,sex,age,kind}') a USING (cell);
DROP SCHEMA t63 CASCADE;
DROP ROLE regress_dp_63_owner;
DROP ROLE regress_dp_63_ann;
