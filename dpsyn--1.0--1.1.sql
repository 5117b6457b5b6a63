-- dpsyn 1.0 to 1.1. CREATE EXTENSION runs dpsyn--1.0.sql, then this.

\echo Use "ALTER EXTENSION dpsyn UPDATE TO '1.1'" to load this file. \quit

------------------------------------------------------------------------------
-- dp_explain: how many cells will be nothing but noise, and independent sets
------------------------------------------------------------------------------

DROP FUNCTION dp_explain(regclass, text, numeric, numeric, jsonb);
CREATE FUNCTION dp_explain(relation regclass, method text, epsilon numeric, delta numeric DEFAULT 0,
						   options jsonb DEFAULT '{}', sets integer DEFAULT 1,
						   OUT step integer, OUT stage text, OUT mechanism text, OUT tables bigint,
						   OUT epsilon_each numeric, OUT delta_each numeric,
						   OUT epsilon_total numeric, OUT delta_total numeric,
						   OUT noise_stddev double precision, OUT threshold bigint,
						   OUT cells bigint, OUT scans integer, OUT memory_bytes bigint,
						   OUT random_cells double precision)
	RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE ROWS 5;
COMMENT ON FUNCTION dp_explain(regclass, text, numeric, numeric, jsonb, integer) IS
	'what a release would do and cost: a line a stage (cost of one table and of all, standard deviation of the noise and threshold in rows, expected number of empty cells that are kept), then the total; reads no data, spends nothing';

------------------------------------------------------------------------------
-- Trees and networks
------------------------------------------------------------------------------

CREATE FUNCTION dp_synthesize_steps(target anyelement, epsilon numeric,
									rows bigint DEFAULT NULL, layers integer DEFAULT NULL,
									attribute_order name[] DEFAULT NULL,
									groups jsonb DEFAULT NULL, layer_width integer DEFAULT NULL,
									branches text DEFAULT NULL, score text DEFAULT NULL,
									selection_share numeric DEFAULT NULL,
									attributes name[] DEFAULT NULL,
									count_share numeric DEFAULT NULL,
									dense_cells integer DEFAULT NULL,
									tolerance numeric DEFAULT NULL,
									delta numeric DEFAULT 0, open_share numeric DEFAULT NULL,
									sets integer DEFAULT 1,
									independent_sets boolean DEFAULT NULL,
									seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 100000
	AS $$
SELECT * FROM @extschema@.dp_synthesize_with($1, 'steps', $2, $15,
	pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
		'layers', $4, 'attribute_order', $5, 'groups', $6, 'layer_width', $7, 'branches', $8,
		'score', $9, 'selection_share', $10, 'attributes', $11, 'count_share', $12,
		'dense_cells', $13, 'tolerance', $14, 'open_share', $16, 'independent_sets', $18)),
	$3, $17, $19)
$$;
COMMENT ON FUNCTION dp_synthesize_steps(anyelement, numeric, bigint, integer, name[], jsonb, integer, text, text, numeric, name[], numeric, integer, numeric, numeric, numeric, integer, boolean, bigint) IS
	'synthetic rows from a tree of cross tables, the most important columns first (STEPS); epsilon-DP; spends epsilon at each call, and delta only for open columns; NULL options take the defaults that dp_methods shows';

CREATE FUNCTION dp_synthesize_uh(target anyelement, epsilon numeric,
								 rows bigint DEFAULT NULL, layers integer DEFAULT NULL,
								 layer_width integer DEFAULT NULL, order_seed bigint DEFAULT NULL,
								 attributes name[] DEFAULT NULL,
								 count_share numeric DEFAULT NULL,
								 dense_cells integer DEFAULT NULL,
								 tolerance numeric DEFAULT NULL,
								 delta numeric DEFAULT 0, open_share numeric DEFAULT NULL,
								 sets integer DEFAULT 1, independent_sets boolean DEFAULT NULL,
								 seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 100000
	AS $$
SELECT * FROM @extschema@.dp_synthesize_with($1, 'uh', $2, $11,
	pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
		'layers', $4, 'layer_width', $5, 'order_seed', $6, 'attributes', $7, 'count_share', $8,
		'dense_cells', $9, 'tolerance', $10, 'open_share', $12, 'independent_sets', $14)),
	$3, $13, $15)
$$;
COMMENT ON FUNCTION dp_synthesize_uh(anyelement, numeric, bigint, integer, integer, bigint, name[], numeric, integer, numeric, numeric, numeric, integer, boolean, bigint) IS
	'synthetic rows from a tree of cross tables in a public random order of columns (universal histogram); epsilon-DP; spends epsilon at each call, and delta only for open columns';

CREATE FUNCTION dp_synthesize_flat(target anyelement, epsilon numeric,
								   rows bigint DEFAULT NULL, attributes name[] DEFAULT NULL,
								   count_share numeric DEFAULT NULL,
								   dense_cells integer DEFAULT NULL,
								   tolerance numeric DEFAULT NULL,
								   delta numeric DEFAULT 0, open_share numeric DEFAULT NULL,
								   sets integer DEFAULT 1, independent_sets boolean DEFAULT NULL,
								   seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 100000
	AS $$
SELECT * FROM @extschema@.dp_synthesize_with($1, 'flat', $2, $8,
	pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
		'attributes', $4, 'count_share', $5, 'dense_cells', $6, 'tolerance', $7,
		'open_share', $9, 'independent_sets', $11)),
	$3, $10, $12)
$$;
COMMENT ON FUNCTION dp_synthesize_flat(anyelement, numeric, bigint, name[], numeric, integer, numeric, numeric, numeric, integer, boolean, bigint) IS
	'synthetic rows from one cross table of all columns, however large (flat Laplace); epsilon-DP; spends epsilon at each call, and delta only for open columns';

CREATE FUNCTION dp_synthesize_privbayes(target anyelement, epsilon numeric,
										rows bigint DEFAULT NULL, degree integer DEFAULT NULL,
										share numeric DEFAULT NULL, theta numeric DEFAULT NULL,
										network jsonb DEFAULT NULL,
										table_cells integer DEFAULT NULL,
										attributes name[] DEFAULT NULL,
										count_share numeric DEFAULT NULL,
										delta numeric DEFAULT 0, open_share numeric DEFAULT NULL,
										sets integer DEFAULT 1,
										independent_sets boolean DEFAULT NULL,
										seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 100000
	AS $$
SELECT * FROM @extschema@.dp_synthesize_with($1, 'privbayes', $2, $11,
	pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
		'degree', $4, 'share', $5, 'theta', $6, 'network', $7, 'table_cells', $8,
		'attributes', $9, 'count_share', $10, 'open_share', $12, 'independent_sets', $14)),
	$3, $13, $15)
$$;
COMMENT ON FUNCTION dp_synthesize_privbayes(anyelement, numeric, bigint, integer, numeric, numeric, jsonb, integer, name[], numeric, numeric, numeric, integer, boolean, bigint) IS
	'synthetic rows from a Bayesian network that is chosen privately (PrivBayes); degree NULL: the largest whose tables are useful; epsilon-DP; spends epsilon at each call, and delta only for open columns';

------------------------------------------------------------------------------
-- Inference from several synthetic sets
------------------------------------------------------------------------------

CREATE FUNCTION dp_combine_estimates(estimates double precision[],
									 standard_errors double precision[],
									 confidence double precision DEFAULT 0.95,
									 rule text DEFAULT 'private',
									 OUT estimate double precision,
									 OUT standard_error double precision,
									 OUT df double precision,
									 OUT low double precision, OUT high double precision)
	RETURNS record AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_combine_estimates(double precision[], double precision[], double precision, text) IS
	'one estimate with its standard error, degrees of freedom and interval from those of m synthetic sets; rule private: T = B/m + W (Liu 2016), fully_synthetic: T = (1 + 1/m) B - W (Raghunathan, Reiter, Rubin 2003)';

CREATE FUNCTION dp_combine_chi_square(statistics double precision[], df double precision,
									  OUT statistic double precision, OUT df1 double precision,
									  OUT df2 double precision, OUT p double precision)
	RETURNS record AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_combine_chi_square(double precision[], double precision) IS
	'one test from the chi-square statistics of m synthetic sets, each with df degrees of freedom (Li, Meng, Raghunathan, Rubin 1991): an F statistic and its p-value';
