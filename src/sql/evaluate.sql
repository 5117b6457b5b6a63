------------------------------------------------------------------------------
-- 13. Synthetic rows, judged beside the original ones, for who may read both. These functions run
--     with the caller's rights alone, spend nothing, and their results are exact, so not private.

CREATE FUNCTION dp_evaluate(original regclass, synthetic regclass, options jsonb DEFAULT '{}',
							OUT measure text, OUT columns name[], OUT value double precision,
							OUT original double precision, OUT synthetic double precision,
							OUT detail text)
	RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE
	COST 1000000 ROWS 200;
COMMENT ON FUNCTION dp_evaluate(regclass, regclass, jsonb) IS
	'how far synthetic rows are from the original ones, for who may read both: not private. tvd1, '
	'tvd2, tvd3, ...: total variation distance of tables of so many columns; linf1, ...: their largest '
	'difference of shares; columns NULL: the mean of all sets, otherwise the worst set, or each one. '
	'Options: columns, ways, each, sample, seed, bins, level, cost, memory';

CREATE FUNCTION dp_catalog.dp_evaluate(original regclass[], synthetic regclass[], options jsonb,
							OUT measure text, OUT columns name[], OUT value double precision,
							OUT original double precision, OUT synthetic double precision,
							OUT detail text)
	RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE
	COST 1000000 ROWS 200;
COMMENT ON FUNCTION dp_catalog.dp_evaluate(regclass[], regclass[], jsonb) IS
	'internal: dp_evaluate, for dp_report';

CREATE FUNCTION dp_evaluate(original text, synthetic text, options jsonb DEFAULT '{}',
							OUT measure text, OUT columns name[], OUT value double precision,
							OUT original double precision, OUT synthetic double precision,
							OUT detail text)
	RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE
	COST 1000000 ROWS 200;
COMMENT ON FUNCTION dp_evaluate(text, text, jsonb) IS
	'the same for relations by name, or for several, ''{patients,visits}'', '
	'that belong together, as in dp_release: each by itself (columns {visits.*}: '
	'all of its columns but keys), pairs of columns across foreign keys, the number of rows that '
	'belong to one (visits.count), the row that follows among those of one parent (visits.next.ward), '
	'same_as_sibling: the share of pairs of rows of one parent that have the same value, and orphans: '
	'rows without the row that they refer to. Or two schemas, ''public'' and ''copy'': the tables that '
	'both have. modelled, made_up: which columns of a protected table hold no values of a model, and so '
	'are in no other measure; {*} and {*,*}: means over all tables';

CREATE FUNCTION dp_evaluate_risk(original regclass, synthetic regclass, known name[], secret name,
								 options jsonb DEFAULT '{}', OUT measure text,
								 OUT value double precision, OUT baseline double precision,
								 OUT detail text)
	RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE
	COST 1000000 ROWS 12;
COMMENT ON FUNCTION dp_evaluate_risk(regclass, regclass, name[], name, jsonb) IS
	'what synthetic rows tell about the persons of the original, for who may read both: not private. '
	'How many persons are unique in the columns known, whether synthetic rows meet them, how well an '
	'intruder who knows these columns infers the secret one, beside the same without synthetic rows, '
	'and the distance to the closest record, beside that of original rows that are held out. '
	'Options: columns, sample, seed, memory';

CREATE FUNCTION dp_evaluate_risk(epsilon double precision, delta double precision DEFAULT 0)
	RETURNS double precision AS 'MODULE_PATHNAME', 'dp_membership_bound' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_evaluate_risk(double precision, double precision) IS
	'the most that any test of who is in the table can win against a release of this epsilon and '
	'delta: the share of right answers among members less that of wrong ones among others';

CREATE FUNCTION dp_compare_regression(
	original regclass, synthetic regclass, outcome name, predictors name[],
	family text DEFAULT NULL, confidence double precision DEFAULT 0.95,
	categorical name[] DEFAULT '{}', event text DEFAULT NULL,
	OUT term text, OUT reference text,
	OUT original_estimate double precision, OUT original_std_error double precision,
	OUT original_p double precision,
	OUT synthetic_estimate double precision, OUT synthetic_std_error double precision,
	OUT synthetic_p double precision,
	OUT bias double precision, OUT overlap double precision, OUT same_sign boolean,
	OUT same_significance boolean, OUT sss text, OUT original_rows bigint,
	OUT original_dropped bigint, OUT synthetic_rows bigint, OUT synthetic_dropped bigint,
	OUT note text)
	RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE
	COST 100000 ROWS 20;
COMMENT ON FUNCTION dp_compare_regression(
	regclass, regclass, name, name[], text, double precision, name[], text) IS
	'one regression of the original and of synthetic rows, for who may read both: coefficients, '
	'standard errors and p-values, bias, overlap of the intervals (Karr et al. 2006), sign and '
	'significance (sss: best, neutral, II+, I+, II-, I-, worst), rows used and rows dropped for a '
	'NULL; family: linear or logistic (NULL: linear for a number); categorical: numbers that are '
	'categories; event: the outcome that counts as 1; nothing of it is private';

CREATE FUNCTION dp_compare_regression(
	original text, synthetic text, outcome name, predictors name[],
	family text DEFAULT NULL, confidence double precision DEFAULT 0.95,
	categorical name[] DEFAULT '{}', event text DEFAULT NULL, rule text DEFAULT 'private',
	OUT term text, OUT reference text,
	OUT original_estimate double precision, OUT original_std_error double precision,
	OUT original_p double precision,
	OUT synthetic_estimate double precision, OUT synthetic_std_error double precision,
	OUT synthetic_p double precision,
	OUT bias double precision, OUT overlap double precision, OUT same_sign boolean,
	OUT same_significance boolean, OUT sss text, OUT original_rows bigint,
	OUT original_dropped bigint, OUT synthetic_rows bigint, OUT synthetic_dropped bigint,
	OUT note text)
	RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_compare_regression_of' LANGUAGE C VOLATILE PARALLEL UNSAFE
	COST 100000 ROWS 20;
COMMENT ON FUNCTION dp_compare_regression(
	text, text, name, name[], text, double precision, name[], text, text) IS
	'the same for relations by name, or for several synthetic sets, ''{set_1,set_2}'', whose estimates are '
	'combined by a rule of dp_combine_estimates; synthetic_rows and synthetic_dropped are those of all '
	'sets together';

CREATE FUNCTION dp_propensity(original regclass, synthetic regclass, options jsonb DEFAULT '{}',
							  OUT measure text, OUT value double precision,
							  OUT null_expectation double precision, OUT detail text)
	RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE
	COST 1000000 ROWS 4;
COMMENT ON FUNCTION dp_propensity(regclass, regclass, jsonb) IS
	'how well a logistic regression tells synthetic rows from original ones, for who may read both: '
	'not private. specks: Kolmogorov-Smirnov distance of the scores; pmse: their mean squared '
	'difference from the share of synthetic rows; each beside its expectation for rows that are drawn '
	'from the original itself. Options: columns, pairs, bins, null_draws, seed, memory';

CREATE FUNCTION dp_baseline(target anyelement, method text, rows bigint DEFAULT NULL,
							parents integer DEFAULT 3, sweeps integer DEFAULT 1,
							seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE
	COST 1000000 ROWS 100000;
COMMENT ON FUNCTION dp_baseline(anyelement, text, bigint, integer, integer, bigint) IS
	'rows that are NOT private, for who may read the table, to compare private ones with: each value '
	'is that of an original row. method: empirical or full_table (whole rows), marginal (each column '
	'by itself), gibbs (each column given its parents), multiple_imputation (each column by a '
	'regression on all others)';

CREATE FUNCTION dp_report(original regclass, synthetic regclass, options jsonb DEFAULT '{}')
	RETURNS text AS 'MODULE_PATHNAME', 'dp_report_tables' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 1000000
	SET search_path = pg_catalog, pg_temp;
COMMENT ON FUNCTION dp_report(regclass, regclass, jsonb) IS
	'a page of HTML about synthetic rows beside the original ones, to look at in a browser, for who may '
	'read both: not private. Columns true beside synthetic, worst first, pairs, and by options a '
	'regression (outcome, predictors, family), whether rows can be distinguished (propensity), what '
	'an intruder learns (known, secret), and what the epsilon of a release bounds (release)';

CREATE FUNCTION dp_report(original text, synthetic text, options jsonb DEFAULT '{}')
	RETURNS text AS 'MODULE_PATHNAME', 'dp_report_tables' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 1000000;
COMMENT ON FUNCTION dp_report(text, text, jsonb) IS
	'the same for relations by name, or for several that belong together, ''{patients,visits}'', as in '
	'dp_release, or two schemas: a picture of the tables, what hangs together across them, and each by '
	'itself; option: release';

