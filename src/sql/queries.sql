------------------------------------------------------------------------------
-- 9. Histograms: noisy counts as such
------------------------------------------------------------------------------

CREATE FUNCTION dp_catalog.dp_release_histogram(target anyelement, epsilon float8, delta float8, options jsonb)
	RETURNS bigint AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 100000;
COMMENT ON FUNCTION dp_catalog.dp_release_histogram(anyelement, float8, float8, jsonb) IS
	'internal: the release behind dp_histogram; spends epsilon and delta, and returns its number';

CREATE FUNCTION dp_catalog.dp_histogram_options(columns name[], mechanism text, domain jsonb, no_false_positives float8)
	RETURNS jsonb LANGUAGE sql STABLE PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
SELECT dp_catalog.dp_given_options(
	'columns', $1, 'mechanism', $2, 'domain', $3, 'no_false_positives', $4)
$$;
COMMENT ON FUNCTION dp_catalog.dp_histogram_options(name[], text, jsonb, float8) IS
	'internal: the arguments of dp_histogram as options of its release';

CREATE FUNCTION dp_histogram(release bigint, confidence double precision DEFAULT 0.95,
								OUT cell jsonb, OUT estimate double precision,
								OUT std_error double precision, OUT low double precision,
								OUT high double precision, OUT basis text)
	RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 10000 ROWS 1000;
COMMENT ON FUNCTION dp_histogram(bigint, double precision) IS
	'the cells of a histogram that was released by dp_histogram, again and at no cost';

CREATE FUNCTION dp_histogram(target anyelement, columns name[], epsilon float8, delta float8 DEFAULT 0,
							 mechanism text DEFAULT 'cathist', domain jsonb DEFAULT NULL,
							 no_false_positives float8 DEFAULT NULL, confidence double precision DEFAULT 0.95)
	RETURNS TABLE (cell jsonb, estimate double precision, std_error double precision,
				   low double precision, high double precision, basis text)
	LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 1000
	AS $$
SELECT h.cell, h.estimate, h.std_error, h.low, h.high, h.basis
  FROM @extschema@.dp_histogram(dp_catalog.dp_release_histogram($1, $3, $4,
	dp_catalog.dp_histogram_options($2, $5, $6, $7)), $8) h
$$;
COMMENT ON FUNCTION dp_histogram(
	anyelement, name[], float8, float8, text, jsonb, float8, double precision) IS
	'noisy counts of the combinations of some columns, or of all rows if no columns are named: each '
	'cell as jsonb, {"sex": "f", "age": "[18,30)"}, with its count, the standard deviation of the '
	'noise and an interval; mechanism: cathist (any domain, epsilon alone; what reaches a threshold; '
	'no_false_positives: probability that nothing shows which nobody has), laplace (every cell of a small domain, '
	'also negative counts), stability (what reaches a threshold, with delta, no domain needed); '
	'domain: of a column, or {"column": domain}; spends epsilon (and delta) at each call, '
	'dp_histogram(release) reads it again';

CREATE FUNCTION dp_histogram(relation text, columns name[], epsilon float8, delta float8 DEFAULT 0,
							 mechanism text DEFAULT 'cathist', domain jsonb DEFAULT NULL,
							 no_false_positives float8 DEFAULT NULL, confidence double precision DEFAULT 0.95)
	RETURNS TABLE (cell jsonb, estimate double precision, std_error double precision,
				   low double precision, high double precision, basis text)
	LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 1000
BEGIN ATOMIC
	SELECT h.cell, h.estimate, h.std_error, h.low, h.high, h.basis
	  FROM @extschema@.dp_histogram(dp_catalog.dp_release_histogram($1, $3, $4,
		dp_catalog.dp_histogram_options($2, $5, $6, $7)), $8) h;
END;
COMMENT ON FUNCTION dp_histogram(
	text, name[], float8, float8, text, jsonb, float8, double precision) IS
	'the same for a relation by name: dp_histogram(''visits'', ''{ward}'', 1)';

-- Answers: counts, sums, means and quantiles with intervals

CREATE FUNCTION dp_catalog.dp_release_query(target anyelement, epsilon float8, delta float8, options jsonb,
								 confidence double precision)
	RETURNS bigint AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 100000;
COMMENT ON FUNCTION dp_catalog.dp_release_query(anyelement, float8, float8, jsonb, double precision) IS
	'internal: the release behind dp_query; spends epsilon and delta, and returns its number';

CREATE FUNCTION dp_catalog.dp_query_options(measures text[], by name[], filter jsonb, narrow boolean,
								 max_rows_per_unit integer, max_sum_per_unit float8)
	RETURNS jsonb LANGUAGE sql STABLE PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
SELECT dp_catalog.dp_given_options(
	'measures', $1, 'by', nullif($2, '{}'), 'filter', $3, 'narrow', nullif($4, false),
	'max_rows_per_unit', $5, 'max_sum_per_unit', $6)
$$;
COMMENT ON FUNCTION dp_catalog.dp_query_options(text[], name[], jsonb, boolean, integer, float8) IS
	'internal: the arguments of dp_query as options of its release';

CREATE FUNCTION dp_query(release bigint, confidence double precision DEFAULT 0.95,
								OUT cell jsonb, OUT measure text, OUT estimate double precision,
								OUT std_error double precision, OUT low double precision,
								OUT high double precision)
	RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 10000 ROWS 100;
COMMENT ON FUNCTION dp_query(bigint, double precision) IS
	'the answers of a release by dp_query, again and at no cost, with intervals of any confidence';

CREATE FUNCTION dp_query(target anyelement, measures text[], epsilon float8, by name[] DEFAULT '{}',
						 filter jsonb DEFAULT NULL, delta float8 DEFAULT 0,
						 confidence double precision DEFAULT 0.95, narrow boolean DEFAULT false,
						 max_rows_per_unit integer DEFAULT NULL, max_sum_per_unit float8 DEFAULT NULL)
	RETURNS TABLE (cell jsonb, measure text, estimate double precision, std_error double precision,
				   low double precision, high double precision)
	LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 100
	AS $$
SELECT q.cell, q.measure, q.estimate, q.std_error, q.low, q.high
  FROM @extschema@.dp_query(dp_catalog.dp_release_query($1, $3, $6,
	dp_catalog.dp_query_options($2, $4, $5, $8, $9, $10), $7), $7) q
$$;
COMMENT ON FUNCTION dp_query(
	anyelement, text[], float8, name[], jsonb, float8, double precision, boolean, integer, float8) IS
	'noisy answers: count(*), count(x), count(distinct x), sum(x), avg(x), var(x), stddev(x), '
	'median(x), quantile(x, 0.9) of the groups of some columns, each with standard error and '
	'interval; values are clamped to the column''s range, or to the outer edges of its bins; narrow: to '
	'where bins find rows in the range, at a tenth of epsilon; filter: {"column": '
	'level, [levels], [from, to] or null for NULL}; max_rows_per_unit and max_sum_per_unit: how many rows '
	'of a unit count, and how much it adds to each sum, at most; left out, what fits is found at a tenth '
	'of epsilon; spends epsilon (and delta, for Gaussian noise where that is '
	'less) at each call, but where a SELECT could ask the same and it was asked with as much; '
	'dp_query(release) reads it again';

CREATE FUNCTION dp_query(relation text, measures text[], epsilon float8, by name[] DEFAULT '{}',
						 filter jsonb DEFAULT NULL, delta float8 DEFAULT 0,
						 confidence double precision DEFAULT 0.95, narrow boolean DEFAULT false,
						 max_rows_per_unit integer DEFAULT NULL, max_sum_per_unit float8 DEFAULT NULL)
	RETURNS TABLE (cell jsonb, measure text, estimate double precision, std_error double precision,
				   low double precision, high double precision)
	LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 100
BEGIN ATOMIC
	SELECT q.cell, q.measure, q.estimate, q.std_error, q.low, q.high
	  FROM @extschema@.dp_query(dp_catalog.dp_release_query($1, $3, $6,
		dp_catalog.dp_query_options($2, $4, $5, $8, $9, $10), $7), $7) q;
END;
COMMENT ON FUNCTION dp_query(
	text, text[], float8, name[], jsonb, float8, double precision, boolean, integer, float8) IS
	'the same for a relation by name: dp_query(''visits'', ''{count(*)}'', 1)';

