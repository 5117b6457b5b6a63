------------------------------------------------------------------------------
-- 11. Inference from several synthetic sets
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
COMMENT ON FUNCTION dp_combine_estimates(
	double precision[], double precision[], double precision, text) IS
	'one estimate with its standard error, degrees of freedom and interval from those of m '
	'synthetic sets; rule private: T = B/m + W (Liu 2016), fully_synthetic: T = (1 + 1/m) B - W '
	'(Raghunathan, Reiter, Rubin 2003)';

CREATE FUNCTION dp_combine_chi_square(statistics double precision[], df double precision,
									  OUT statistic double precision, OUT df1 double precision,
									  OUT df2 double precision, OUT p double precision)
	RETURNS record AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_combine_chi_square(double precision[], double precision) IS
	'one test from the chi-square statistics of m synthetic sets, each with df degrees of '
	'freedom (Li, Meng, Raghunathan, Rubin 1991): an F statistic and its p-value';

