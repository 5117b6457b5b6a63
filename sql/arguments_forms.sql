-- Arguments as people and programs write them: amounts in every numeric type, a table's name as
-- text, a spec that is made where it is used, and one that a parallel query makes.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t81;
CREATE ROLE regress_dp_81_owner;
GRANT USAGE, CREATE ON SCHEMA t81 TO regress_dp_81_owner;
SET search_path = t81, public;
SET SESSION AUTHORIZATION regress_dp_81_owner;
SET client_min_messages = error;
CREATE TABLE visits (ward text CHECK (ward IN ('icu', 'surgery')), n integer CHECK (n IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9)), note text);
INSERT INTO visits SELECT (ARRAY['icu', 'surgery'])[1 + i % 2], i % 10, 'x' FROM generate_series(1, 2000) i;
SELECT dp_protect('visits', 1000, 0.5);
SELECT dp_alter_protection('visits', min_epsilon_per_release => 0);

-- ---- amounts: every function of the extension takes double precision where it takes an amount,
-- so that each numeric type and each literal fits
SELECT DISTINCT p.proname
  FROM pg_depend d JOIN pg_proc p ON p.oid = d.objid AND d.classid = 'pg_proc'::regclass
 WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
   AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dpsyn')
   AND 'numeric'::regtype = ANY (p.proargtypes) AND p.pronamespace <> 'dp_catalog'::regnamespace ORDER BY 1;
CREATE FUNCTION charged(epsilon_of text) RETURNS numeric LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SELECT dp_release(%L, %L, %s, options => %L)', 'visits', 'sba', epsilon_of,
				   '{"dense_cells": 10, "columns": ["ward"]}');
	RETURN (SELECT trim_scale(epsilon) FROM dp_ledger ORDER BY id DESC LIMIT 1);
END
$$;
SELECT charged('1'), charged('0.5'), charged('''0.25'''), charged('1::bigint'), charged('2::smallint'),
	   charged('0.1::float8'), charged('0.1::numeric'), charged('0.5::float4'), charged('epsilon => 0.75');
-- what has 15 digits is charged as it is written, and what is finer than the ledger rounded up
SELECT charged('3.123456789'), charged('3.123456789::float8'), charged('0.0000000001'), charged('0.1234567891');
-- a sum that a program computed in binary is a little more than it looks, and is charged so
SELECT charged('0.1::float8 + 0.2::float8'), charged('0.1 + 0.2');
SET extra_float_digits = -15;
SELECT charged('0.123456789::float8');
RESET extra_float_digits;
SELECT delta_total FROM dp_explain('visits', 'sba', 1, 1e-18) WHERE stage = 'total';
SELECT delta_total FROM dp_explain('visits', 'sba', 1, 0.000123456789012345::float8) WHERE stage = 'total';
PREPARE ask (float8, float8) AS SELECT stage, epsilon_total, delta_total FROM dp_explain('visits', 'sba', $1, $2) WHERE stage = 'total';
EXECUTE ask(0.3, 1e-9);
SELECT charged('''NaN''');
SELECT charged('''Infinity''');
SELECT charged('-1');
SELECT dp_alter_protection('visits', 2000::float8, 0.25);
SELECT epsilon, delta FROM dp_datasets WHERE relation = 'visits'::regclass;
-- shares of the methods
SELECT count(*) FROM dp_synthesize_steps(NULL::visits, 1::float8, rows => 5, selection_share => 0.25::float8, partial => true);
SELECT count(*) FROM dp_synthesize_steps(NULL::visits, '1', rows => 5::bigint, selection_share => 0.25, partial => true);

-- ---- a table's name as text, with a list of columns
SELECT dp_release('visits', 'marginal', 100, 0, '{"columns": ["ward", "n"]}') AS r \gset
SELECT pg_typeof(t.ward), pg_typeof(t.n), count(*) FROM dp_sample('visits', :r, 7) AS t(ward text, n integer) GROUP BY 1, 2;
SELECT (SELECT array_agg(t) FROM dp_sample('visits', :r, 9, seed => 4) AS t(ward text, n integer))
	= (SELECT array_agg(ROW(t.ward, t.n)) FROM dp_sample(NULL::visits, :r, 9, seed => 4) t);
SELECT count(*) FROM (SELECT * FROM dp_sample('t81.visits'::text, :r) AS t(n bigint) LIMIT 3) few;
SELECT bool_and(ward = 'icu') FROM dp_sample('visits', :r, 20, given => '{"ward": "icu"}') AS t(ward text);
SELECT count(*) FROM dp_sample('visits', 1);
SELECT dp_sample('visits', :r);
SELECT count(*) FROM dp_sample(NULL::text, :r) AS t(n integer);
SELECT count(*) FROM dp_sample('nowhere', :r) AS t(n integer);
CREATE TABLE patients (ward text, n integer);
SELECT count(*) FROM dp_sample('patients', :r) AS t(n integer);

-- ---- a spec that is made where it is used is made once, not for each row
CREATE FUNCTION made() RETURNS bigint LANGUAGE sql AS
	$$SELECT seq_scan + idx_scan FROM pg_stat_xact_all_tables WHERE relname = 'dp_dataset_column'$$;
SELECT dp_marginals(dp_marginal_spec('visits'), ward, n)::text = dp_marginals((SELECT dp_marginal_spec('visits')), ward, n)::text
  FROM visits;
BEGIN;
SELECT made() AS before \gset
SELECT count(*) FROM dp_cells((SELECT dp_marginals(dp_marginal_spec('visits', '[["ward"]]', columns => '{ward,n}'), ward, n) FROM visits));
SELECT made() - :before < 20;
-- what was declared since is seen by the next statement, and by the next one in a function
CREATE FUNCTION cells() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	spec bytea;
BEGIN
	spec := dp_marginal_spec('visits', ways => 1, columns => '{n}');
	RETURN (SELECT count(*) FROM dp_cells((SELECT dp_marginals(spec, n) FROM visits)));
END
$$;
SELECT cells();
SELECT dp_define_column('visits', 'n', bins => '{0,5,9}');
SELECT cells();
SELECT dp_define_column('visits', 'n');
CREATE FUNCTION follows() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	sizes integer[];
BEGIN
	FOR i IN 1 .. 2 LOOP
		sizes[i] := length(dp_marginal_spec('visits', ways => 1, columns => '{n}'));
		PERFORM dp_define_column('visits', 'n', bins => '{0,5,9}');
	END LOOP;
	RETURN sizes[1] <> sizes[2];
END
$$;
SELECT follows();
ROLLBACK;
-- another spec in a later row is refused as before
SELECT dp_marginals(dp_marginal_spec('visits', ways => 1 + n % 2), ward, n) FROM visits;
-- and it works in a parallel query
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS off) SELECT dp_marginals(dp_marginal_spec('visits'), ward, n) FROM visits;
SELECT dp_marginals(dp_marginal_spec('visits'), ward, n) AS parallel FROM visits \gset
RESET parallel_setup_cost;
SET max_parallel_workers_per_gather = 0;
SELECT dp_marginals(dp_marginal_spec('visits'), ward, n)::text = :'parallel' FROM visits;

RESET SESSION AUTHORIZATION;
SET client_min_messages = warning;
DROP SCHEMA t81 CASCADE;
DROP ROLE regress_dp_81_owner;
