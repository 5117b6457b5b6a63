------------------------------------------------------------------------------
-- 12. Exact counts of rows that the caller may read anyway. No noise is drawn
--     here. The aggregates' state is the type itself, so that it can move
--     between workers and servers; a spec is bytea, since a collatable argument
--     would stop postgres_fdw.
------------------------------------------------------------------------------

CREATE TYPE dp_counts;

CREATE FUNCTION dp_catalog.dp_counts_in(cstring)
	RETURNS dp_counts AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_counts_in(cstring) IS 'internal: reads dp_counts from text';

CREATE FUNCTION dp_catalog.dp_counts_out(dp_counts)
	RETURNS cstring AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_counts_out(dp_counts) IS 'internal: writes dp_counts as text';

CREATE FUNCTION dp_catalog.dp_counts_recv(internal)
	RETURNS dp_counts AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_counts_recv(internal) IS 'internal: reads dp_counts from bytes';

CREATE FUNCTION dp_catalog.dp_counts_send(dp_counts)
	RETURNS bytea AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_counts_send(dp_counts) IS 'internal: writes dp_counts as bytes';

CREATE TYPE dp_counts (
	INPUT = dp_catalog.dp_counts_in,
	OUTPUT = dp_catalog.dp_counts_out,
	RECEIVE = dp_catalog.dp_counts_recv,
	SEND = dp_catalog.dp_counts_send,
	INTERNALLENGTH = VARIABLE,
	STORAGE = extended
);
COMMENT ON TYPE dp_counts IS
	'exact contingency tables over sets of columns; as secret as the rows that they count';

CREATE FUNCTION dp_marginal_spec(relation regclass DEFAULT NULL, sets jsonb DEFAULT NULL, ways integer DEFAULT 2,
								 columns name[] DEFAULT NULL, dense_cells bigint DEFAULT 1000000,
								 domains jsonb DEFAULT NULL)
	RETURNS bytea AS 'MODULE_PATHNAME' LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION dp_marginal_spec(regclass, jsonb, integer, name[], bigint, jsonb) IS
	'what to count of a relation: the public domains of its columns, and sets of them: those '
	'listed ([["age","sex"]]), or all of that many ways; sets of more cells than dense_cells are hashed, '
	'with 0 all; domains, in place of relation and columns: columns with their domains written by hand';

CREATE FUNCTION dp_catalog.dp_marginal_columns(spec bytea)
	RETURNS text[] AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_marginal_columns(bytea) IS 'internal: the columns that a spec wants, in order';

CREATE FUNCTION dp_catalog.dp_counts_combine(dp_counts, dp_counts)
	RETURNS dp_counts AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_counts_combine(dp_counts, dp_counts) IS
	'internal: the sum of two counts of the same spec';

-- returns the state as it is, without a copy of its bytes
CREATE FUNCTION dp_catalog.dp_counts_final(dp_counts)
	RETURNS dp_counts AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_counts_final(dp_counts) IS 'internal: the result of an aggregate';

CREATE FUNCTION dp_catalog.dp_marginals_transition(dp_counts, spec bytea, VARIADIC columns "any")
	RETURNS dp_counts AS 'MODULE_PATHNAME', 'dp_marginals_any'
	LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_marginals_transition(dp_counts, bytea, "any") IS 'internal: adds a row';

CREATE FUNCTION dp_catalog.dp_marginals_transition(dp_counts, spec bytea, columns text[])
	RETURNS dp_counts AS 'MODULE_PATHNAME', 'dp_marginals_text'
	LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_marginals_transition(dp_counts, bytea, text[]) IS 'internal: adds a row';

CREATE FUNCTION dp_catalog.dp_marginals_transition(dp_counts, spec bytea, columns integer[])
	RETURNS dp_counts AS 'MODULE_PATHNAME', 'dp_marginals_int'
	LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_marginals_transition(dp_counts, bytea, integer[]) IS 'internal: adds a row';

CREATE FUNCTION dp_catalog.dp_marginals_transition(dp_counts, spec bytea, columns record)
	RETURNS dp_counts AS 'MODULE_PATHNAME', 'dp_marginals_record'
	LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_marginals_transition(dp_counts, bytea, record) IS 'internal: adds a row';

-- SSPACE: the memory that the 66 pairs of 12 columns take
CREATE AGGREGATE dp_marginals(spec bytea, VARIADIC columns "any") (
	SFUNC = dp_catalog.dp_marginals_transition, STYPE = dp_counts, SSPACE = 400000,
	FINALFUNC = dp_catalog.dp_counts_final, COMBINEFUNC = dp_catalog.dp_counts_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_marginals(bytea, "any") IS
	'exact counts of all sets of a spec in one pass, without noise and without budget, and so as '
	'secret as the rows; columns come in the order of the spec (dp_catalog.dp_marginal_columns); runs in '
	'parallel, and is refused as a window function';

CREATE AGGREGATE dp_marginals(spec bytea, columns text[]) (
	SFUNC = dp_catalog.dp_marginals_transition, STYPE = dp_counts, SSPACE = 400000,
	FINALFUNC = dp_catalog.dp_counts_final, COMBINEFUNC = dp_catalog.dp_counts_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_marginals(bytea, text[]) IS
	'the same, the columns as an array of their text forms';

CREATE AGGREGATE dp_marginals(spec bytea, columns integer[]) (
	SFUNC = dp_catalog.dp_marginals_transition, STYPE = dp_counts, SSPACE = 400000,
	FINALFUNC = dp_catalog.dp_counts_final, COMBINEFUNC = dp_catalog.dp_counts_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_marginals(bytea, integer[]) IS
	'the same, the columns as an array of integers';

CREATE AGGREGATE dp_marginals(spec bytea, columns record) (
	SFUNC = dp_catalog.dp_marginals_transition, STYPE = dp_counts, SSPACE = 400000,
	FINALFUNC = dp_catalog.dp_counts_final, COMBINEFUNC = dp_catalog.dp_counts_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_marginals(bytea, record) IS
	'the same, the columns as one row, ROW(a, b): for more than 98 of them';

CREATE AGGREGATE dp_merge(dp_counts) (
	SFUNC = dp_catalog.dp_counts_combine, STYPE = dp_counts, SSPACE = 400000,
	FINALFUNC = dp_catalog.dp_counts_final, COMBINEFUNC = dp_catalog.dp_counts_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_merge(dp_counts) IS
	'the sum of counts of the same spec: of shards, partitions or days';

-- A release asks each foreign server for this before it spends anything.
CREATE FUNCTION dp_catalog.dp_counting_memory_limit_final(bigint)
	RETURNS bigint[] AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_counting_memory_limit_final(bigint) IS 'internal: the result of dp_counting_memory_limit';

CREATE AGGREGATE dp_catalog.dp_counting_memory_limit(*) (
	SFUNC = pg_catalog.int8inc, STYPE = bigint, INITCOND = '0', FINALFUNC = dp_catalog.dp_counting_memory_limit_final, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_catalog.dp_counting_memory_limit(*) IS
	'internal: how this server counts, whatever the rows: the format of its counts, and the bytes of '
	'memory that an aggregate may take; a server asks another for it before it sends a count there';

-- A release asks each worker node of Citus for this before it spends anything.
CREATE FUNCTION dp_catalog.dp_ask_to_count(format integer)
	RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_ask_to_count(integer) IS
	'internal: false, and an error on a server whose counts have another format: a condition that each '
	'server of a distributed table evaluates, and reads no row';

CREATE FUNCTION dp_cells(counts dp_counts, set integer DEFAULT NULL, OUT set_number integer,
						 OUT columns text[], OUT cell text[], OUT count bigint)
	RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE ROWS 1000;
COMMENT ON FUNCTION dp_cells(dp_counts, integer) IS
	'the non-empty cells of all sets, or of one, in order; a level "other" is NULL unless '
	'it has a name';

CREATE FUNCTION dp_catalog.dp_sets(counts dp_counts, OUT set_number integer, OUT columns text[], OUT hashed boolean,
						OUT cells bigint, OUT rows bigint)
	RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 100;
COMMENT ON FUNCTION dp_catalog.dp_sets(dp_counts) IS
	'internal: the sets that were counted, the cells that each can have, and of how many rows';

