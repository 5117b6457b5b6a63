------------------------------------------------------------------------------
-- 10. Rows from published tables, which need no protected relation
------------------------------------------------------------------------------

CREATE TYPE dp_noisy_counts AS (attributes text[], "values" text[], count double precision, variance double precision);
COMMENT ON TYPE dp_noisy_counts IS
	'one cell of a published table: columns, the value of each as its type prints it (NULL: '
	'none), noisy number of rows, variance of its noise in rows squared (0: exact)';

CREATE FUNCTION dp_fit_marginals(target anyelement, marginals dp_noisy_counts[],
								 rows bigint DEFAULT NULL, solver text DEFAULT 'entropic',
								 lambda double precision DEFAULT 0.001,
								 cell_limit integer DEFAULT 10000000, seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE
	COST 100000 ROWS 100000;
COMMENT ON FUNCTION dp_fit_marginals(
	anyelement, dp_noisy_counts[], bigint, text, double precision, integer, bigint) IS
	'rows from published noisy marginals, with the columns of target that they are about; rows '
	'NULL: as many as the marginals tell; reads no protected table, spends nothing';

CREATE FUNCTION dp_fit_marginals(target anyelement, marginals regclass,
								 rows bigint DEFAULT NULL, solver text DEFAULT 'entropic',
								 lambda double precision DEFAULT 0.001,
								 cell_limit integer DEFAULT 10000000, seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement AS 'MODULE_PATHNAME', 'dp_fit_marginals_of' LANGUAGE C VOLATILE PARALLEL UNSAFE
	COST 100000 ROWS 100000;
COMMENT ON FUNCTION dp_fit_marginals(
	anyelement, regclass, bigint, text, double precision, integer, bigint) IS
	'the same from the rows of a table or view with columns attributes, values, count and '
	'variance, which the caller may read';

