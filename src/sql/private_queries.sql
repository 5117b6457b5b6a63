-- Plain SQL: a SELECT over protected relations as it is, answered with noise. What a statement that
-- the role may not run asks about becomes a question, before PostgreSQL plans it.

-- It stands in plans for the answer of a question, and is never called
CREATE FUNCTION dp_catalog.dp_question_rows(internal) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 100000 ROWS 100;
REVOKE ALL ON FUNCTION dp_catalog.dp_question_rows(internal) FROM PUBLIC;
COMMENT ON FUNCTION dp_catalog.dp_question_rows(internal) IS
	'internal: stands in plans of private queries for the answer, and is never called';

-- It stands in such plans for PostgreSQL's own functions of noisy numbers: NULL where one fails
CREATE FUNCTION dp_catalog.dp_or_null(VARIADIC "any") RETURNS void
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_catalog.dp_or_null("any") IS
	'internal: a function of PostgreSQL''s own, which stands first, of the other arguments; NULL where it fails';

CREATE FUNCTION dp_private_queries(epsilon float8, delta float8 DEFAULT 0, confidence float8 DEFAULT 0.95,
								   refresh interval DEFAULT NULL, max_rows_per_unit integer DEFAULT NULL,
								   max_sum_per_unit float8 DEFAULT NULL)
	RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_private_queries(float8, float8, float8, interval, integer, float8) IS
	'from now on, this session''s SELECTs over protected relations that it may not read are answered '
	'with noise, each new question for epsilon (and delta); epsilon NULL ends it; refresh: answers '
	'older than this are asked for anew; max_rows_per_unit and max_sum_per_unit: how many rows of a unit '
	'count, and how much it adds to each sum, at most; left out, what fits is found at a tenth of epsilon; '
	'the same as the settings dpsyn.query_epsilon and so on';

CREATE FUNCTION dp_sql(query text, epsilon float8, delta float8 DEFAULT 0, confidence float8 DEFAULT 0.95,
					   max_rows_per_unit integer DEFAULT NULL, max_sum_per_unit float8 DEFAULT NULL)
	RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 100000 ROWS 100;
COMMENT ON FUNCTION dp_sql(text, float8, float8, float8, integer, float8) IS
	'the rows of a SELECT over protected relations, with noise; relations that the caller may read are '
	'answered privately too; spends epsilon (and delta) for each new question; max_rows_per_unit and '
	'max_sum_per_unit: how many rows of a unit count, and how much it adds to each sum, at most; left '
	'out, what fits is found at a tenth of epsilon';

CREATE FUNCTION dp_sql_json(query text, epsilon float8, delta float8 DEFAULT 0, confidence float8 DEFAULT 0.95,
							max_rows_per_unit integer DEFAULT NULL, max_sum_per_unit float8 DEFAULT NULL)
	RETURNS SETOF jsonb AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 100000 ROWS 100;
COMMENT ON FUNCTION dp_sql_json(text, float8, float8, float8, integer, float8) IS
	'the same, a row as jsonb, where each noisy number is {"estimate", "std_error", "low", "high"}';

CREATE FUNCTION dp_low(aggregate anyelement) RETURNS float8
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_low(anyelement) IS
	'in a private query: the lower end of the interval of an aggregate, as dp_low(count(*))';

CREATE FUNCTION dp_high(aggregate anyelement) RETURNS float8
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_high(anyelement) IS
	'in a private query: the upper end of the interval of an aggregate, as dp_high(count(*))';

CREATE FUNCTION dp_std_error(aggregate anyelement) RETURNS float8
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_std_error(anyelement) IS
	'in a private query: the standard error of an aggregate, as dp_std_error(sum(x))';

