------------------------------------------------------------------------------
-- 6. The analyst, who needs a budget, and no right to SELECT from the relation
------------------------------------------------------------------------------

CREATE FUNCTION dp_catalog.dp_method_list(OUT method text, OUT guarantee text, OUT summary text,
							   OUT source text, OUT options jsonb)
	RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION dp_catalog.dp_method_list() IS 'internal: behind the view dp_methods';

CREATE FUNCTION dp_explain(relation regclass, method text DEFAULT 'auto', epsilon float8 DEFAULT NULL,
						   delta float8 DEFAULT 0, options jsonb DEFAULT '{}', sets integer DEFAULT 1,
						   std_error double precision DEFAULT NULL,
						   confidence double precision DEFAULT 0.95,
						   OUT step integer, OUT stage text, OUT mechanism text, OUT tables bigint,
						   OUT epsilon_each numeric, OUT delta_each numeric,
						   OUT epsilon_total numeric, OUT delta_total numeric,
						   OUT noise_stddev double precision, OUT threshold bigint,
						   OUT cells bigint, OUT scans integer, OUT memory_bytes bigint,
						   OUT rho_total numeric, OUT false_positives double precision,
						   OUT membership_bound double precision,
						   OUT expected_seconds double precision, OUT expected_bytes bigint,
						   OUT half_width double precision, OUT unit text,
						   OUT expected_draw_seconds double precision, OUT line text)
	RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 5;
COMMENT ON FUNCTION dp_explain(regclass, text, float8, float8, jsonb, integer, double precision, double precision) IS
	'what a release would do and cost: a line a stage (cost of one table and of all, standard '
	'deviation of the noise in unit, threshold in rows, expected number of empty cells that are '
	'kept), of a query a line a measure (half_width: half of its interval of this confidence, in '
	'unit, as far as public facts tell), then the total; a stage that is paid in rho shows no epsilon, and the total what all '
	'cost together; rho_total is what a relation under accountant zcdp is charged in '
	'place of epsilon; std_error in place of epsilon: with the least epsilon at which no noise has '
	'a larger standard deviation; membership_bound: the most that any test of who is in the table '
	'can win, right answers among members less wrong ones among others; memory_bytes: a bound for '
	'the worker by public sizes, which most releases stay far below, without the distinct values of '
	'open columns, whose number is not public; expected_seconds and expected_bytes: what the worker is '
	'expected to take on one core, by public sizes, with as many rows as were stated (table_rows) or '
	'released before (of a table below the root, as many for each row above it as are counted), and '
	'without its scans where neither is known; expected_draw_seconds: what dp_sample is expected to take on '
	'one core for as many rows of all tables (10,000 of the root where nothing tells); line: the same in '
	'words, in two lines where it is long; a NOTICE '
	'says which columns are filled and which are NULL, what the release costs and what it leaves of '
	'whose budget, and for open columns at which noisy count a value is found; reads no data, spends '
	'nothing';

CREATE FUNCTION dp_explain(relations text, method text DEFAULT 'auto', epsilon float8 DEFAULT NULL,
						   delta float8 DEFAULT 0, options jsonb DEFAULT '{}', sets integer DEFAULT 1,
						   std_error double precision DEFAULT NULL,
						   confidence double precision DEFAULT 0.95,
						   OUT step integer, OUT stage text, OUT mechanism text, OUT tables bigint,
						   OUT epsilon_each numeric, OUT delta_each numeric,
						   OUT epsilon_total numeric, OUT delta_total numeric,
						   OUT noise_stddev double precision, OUT threshold bigint,
						   OUT cells bigint, OUT scans integer, OUT memory_bytes bigint,
						   OUT rho_total numeric, OUT false_positives double precision,
						   OUT membership_bound double precision,
						   OUT expected_seconds double precision, OUT expected_bytes bigint,
						   OUT half_width double precision, OUT unit text,
						   OUT expected_draw_seconds double precision, OUT line text)
	RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 5;
COMMENT ON FUNCTION dp_explain(text, text, float8, float8, jsonb, integer, double precision, double precision) IS
	'the same for one relation by name, or for several that are released together, with the stages of '
	'each: ''{patients,visits}''';

CREATE FUNCTION dp_release(relation regclass, method text, epsilon float8, delta float8 DEFAULT 0,
						   options jsonb DEFAULT '{}', sets integer DEFAULT 1)
	RETURNS bigint AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 100000;
COMMENT ON FUNCTION dp_release(regclass, text, float8, float8, jsonb, integer) IS
	'spends epsilon and delta: measures the relation with noise and stores the result; returns '
	'its number, to draw from with dp_sample; a NOTICE before says what dp_explain does, and one '
	'after names open columns that came to little; options: as dp_methods lists them, and one that is '
	'null has its default, but for filter and domain, which must not be null; sets: how many tables may be drawn from it that a '
	'seed tells apart, at no further cost; refused if fewer than half of the columns would be '
	'filled, unless option partial is true, in a read-only transaction, in the definition of a view, '
	'and where dpsyn.spending is off';

CREATE FUNCTION dp_release(relations text, method text, epsilon float8, delta float8 DEFAULT 0,
						   options jsonb DEFAULT '{}', sets integer DEFAULT 1)
	RETURNS bigint AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 100000;
COMMENT ON FUNCTION dp_release(text, text, float8, float8, jsonb, integer) IS
	'the same for one relation by name, or for several that are released together, ''{patients,visits}'': '
	'a root, and relations whose rows belong to its rows (dp_protect with parent); one debit, from the '
	'budget of the root; dp_sample draws rows of each by the name of its row type, which refer to each '
	'other by their numbers, so that rows of one release and seed belong together; methods: mst, aim '
	'(which auto means)';

-- For functions of the extension. Their calls are parsed when they run; in the schema of what users
-- call, somebody who may create functions there could have made one that fits better.
CREATE FUNCTION dp_catalog.dp_release(relation regclass, method text, epsilon float8, delta float8,
									  options jsonb, sets integer)
	RETURNS bigint AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 100000;
COMMENT ON FUNCTION dp_catalog.dp_release(regclass, text, float8, float8, jsonb, integer) IS
	'internal: dp_release of one relation';

CREATE FUNCTION dp_catalog.dp_release(relations regclass[], method text, epsilon float8, delta float8,
									  options jsonb, sets integer)
	RETURNS bigint AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 100000;
COMMENT ON FUNCTION dp_catalog.dp_release(regclass[], text, float8, float8, jsonb, integer) IS
	'internal: dp_release of several relations';

CREATE FUNCTION dp_cancel(pid integer)
	RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_cancel(integer) IS
	'ends a release that runs, by the pid of its worker in dp_running: for nothing before its '
	'debit, after it the budget stays spent, and the ledger says failed; for who asked, for the '
	'custodian and for superusers; false, with a WARNING, if there is no such release';

CREATE FUNCTION dp_catalog.dp_running_list(OUT pid integer, OUT relation regclass, OUT role regrole,
								OUT caller_pid integer, OUT ledger_id bigint, OUT stage text,
								OUT started_at timestamptz)
	RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED ROWS 5;
COMMENT ON FUNCTION dp_catalog.dp_running_list() IS 'internal: behind the view dp_running';

CREATE FUNCTION dp_catalog.dp_sample_support(request internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_sample_support(internal) IS
	'internal: tells the planner how many rows dp_sample draws, and that it can be scanned';

CREATE FUNCTION dp_catalog.dp_sample(target anyelement, release bigint, rows bigint, seed bigint,
									 set integer DEFAULT 1, given jsonb DEFAULT NULL,
									 part integer DEFAULT 1, parts integer DEFAULT 1)
	RETURNS SETOF anyelement AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE
	COST 10000 ROWS 100000 SUPPORT dp_catalog.dp_sample_support;
COMMENT ON FUNCTION dp_catalog.dp_sample(anyelement, bigint, bigint, bigint, integer, jsonb, integer, integer) IS
	'internal: dp_sample, for dp_create_synthetic';

CREATE FUNCTION dp_sample(target anyelement, release bigint, rows bigint DEFAULT NULL,
						  seed bigint DEFAULT NULL, set integer DEFAULT 1,
						  given jsonb DEFAULT NULL, part integer DEFAULT 1,
						  parts integer DEFAULT 1)
	RETURNS SETOF anyelement AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE
	COST 10000 ROWS 100000 SUPPORT dp_catalog.dp_sample_support;
COMMENT ON FUNCTION dp_sample(anyelement, bigint, bigint, bigint, integer, jsonb, integer,
							integer) IS
	'draws synthetic rows of target''s row type (NULL::some_table, or any with columns of the same '
	'names) from a stored release, at no cost; columns that the release does not model hold what '
	'their fill says, or NULL; rows: default is the release''s own number, which is noisy under '
	'add_remove; seed: same seed and set, same rows, however many workers draw; given: only '
	'rows with these values, {"column": level, "column": [level, ...], "column": [lower, upper]}, '
	'drawn from the model as it is given them; part, parts: only that part, from 1 to parts, of the '
	'rows of a seed, so that several sessions can fill one table, or each a partition';

CREATE FUNCTION dp_sample(relation text, release bigint, rows bigint DEFAULT NULL,
						  seed bigint DEFAULT NULL, set integer DEFAULT 1,
						  given jsonb DEFAULT NULL, part integer DEFAULT 1,
						  parts integer DEFAULT 1)
	RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_sample_of' LANGUAGE C VOLATILE PARALLEL UNSAFE
	COST 10000 ROWS 100000;
COMMENT ON FUNCTION dp_sample(text, bigint, bigint, bigint, integer, jsonb, integer, integer) IS
	'the same for a relation by name, with a list of the columns that are wanted: SELECT * FROM '
	'dp_sample(''visits'', 11) AS v(ward text, n integer)';

CREATE FUNCTION dp_impute(target anyelement, release bigint, seed bigint DEFAULT NULL,
							set integer DEFAULT 1)
	RETURNS anyelement AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 10000;
COMMENT ON FUNCTION dp_impute(anyelement, bigint, bigint, integer) IS
	'the row target with each NULL of a modelled column drawn from a stored release, given the '
	'values that target has; other columns stay as they are; at no cost; seed: the n-th row of a '
	'query is the same again; write it as SELECT c.* FROM t, LATERAL dp_impute(t, release) c';

CREATE FUNCTION dp_answer(release bigint, by name[] DEFAULT '{}', filter jsonb DEFAULT NULL,
						  confidence double precision DEFAULT 0.95, measure text DEFAULT 'count',
						  relation regclass DEFAULT NULL, OUT cell jsonb, OUT estimate double precision,
						  OUT std_error double precision, OUT low double precision,
						  OUT high double precision, OUT basis text)
	RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 10000 ROWS 100;
COMMENT ON FUNCTION dp_answer(bigint, name[], jsonb, double precision, text, regclass) IS
	'counts (measure count), shares of all rows (share) or of the rows that meet the filter (rate) '
	'by groups of some columns, from a stored release, at no cost and without drawing rows; filter: '
	'{"column": level, "column": [level, ...], "column": [lower, upper]}; basis measured: from noisy '
	'tables, and the interval holds the true number of the protected rows with that confidence; basis '
	'model: an estimate, with bounds from the tables that hold a part of the columns; relation: which '
	'of the tables that were released together (NULL: the root), with columns such as patients.sex '
	'of the rows that its rows belong to';

CREATE FUNCTION dp_error(release bigint, rows bigint DEFAULT NULL, OUT columns name[],
						 OUT noise double precision, OUT fit double precision,
						 OUT drawing double precision, OUT total double precision)
	RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 10000 ROWS 100;
COMMENT ON FUNCTION dp_error(bigint, bigint) IS
	'for each column and pair, by how much a share among drawn rows is off, as a root mean square over '
	'the cells: noise of the tables (NULL: not measured), distance of the model from the tables '
	'(NULL: not known), drawing so many rows (default: the release''s own number), and at most in '
	'all; of NULL only drawing is known, and dp_answer gives bounds';

CREATE FUNCTION dp_error(counts bigint[], epsilon float8, delta float8,
									  neighbours text DEFAULT 'add_remove',
									  noise text DEFAULT 'discrete')
	RETURNS double precision AS 'MODULE_PATHNAME', 'dp_error_of_counts' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_error(bigint[], float8, float8, text, text) IS
	'expected L1 error of a stability histogram over these cell counts (Proposition 1 of the '
	'SBHG paper, corrected): noise discrete (what dpsyn draws) or continuous (the paper''s '
	'Laplace noise and threshold)';

CREATE FUNCTION dp_release_tables(release bigint, relation regclass DEFAULT NULL, OUT number integer, OUT columns name[],
								  OUT mechanism text, OUT cells bigint,
								  OUT std_error double precision, OUT threshold bigint,
								  OUT stage text, OUT set integer, OUT grouped boolean)
	RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 10000 ROWS 20;
COMMENT ON FUNCTION dp_release_tables(bigint, regclass) IS
	'the noisy tables of a stored release: columns, mechanism, cells with noise of their own, '
	'standard deviation of the noise of a cell in rows, threshold that released cells reach, what it '
	'was measured for, independent set, and whether rare levels are counted together; relation: of '
	'the relations that were released together (NULL: the root)';

CREATE FUNCTION dp_release_cells(release bigint, number integer DEFAULT NULL,
								 relation regclass DEFAULT NULL,
								 OUT "table" integer, OUT cell jsonb, OUT count double precision,
								 OUT std_error double precision, OUT attributes text[],
								 OUT "values" text[], OUT variance double precision,
								 OUT threshold bigint)
	RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 10000 ROWS 1000;
COMMENT ON FUNCTION dp_release_cells(bigint, integer, regclass) IS
	'the cells of one noisy table of a stored release (NULL: of all), with noisy counts and the '
	'standard deviation of the noise; attributes, values, count and variance are what '
	'dp_fit_marginals reads (attributes and values are NULL for the number of all rows, and where '
	'several levels are counted together)';

CREATE FUNCTION dp_trace(release bigint, rows integer DEFAULT 1, seed bigint DEFAULT 1,
						 set integer DEFAULT 1, OUT "row" integer, OUT sweep integer,
						 OUT "column" name, OUT given jsonb, OUT before jsonb, OUT after jsonb)
	RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION dp_trace(bigint, integer, bigint, integer) IS
	'how the first rows that dp_sample draws with a seed come about, for a release by sbhg: each step '
	'of their chains, with the values of the parents that it was drawn given (NULL: that '
	'combination was not released, and the old value stays) and the value before and after; sweep 0 '
	'is the start, and steps that a row did not need are drawn given those that it did; free';

CREATE FUNCTION dp_report(release bigint)
	RETURNS text AS 'MODULE_PATHNAME', 'dp_report_release' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 100000
	SET search_path = pg_catalog, pg_temp;
COMMENT ON FUNCTION dp_report(bigint) IS
	'a page of HTML about a stored release, to look at in a browser: what it protects and how well, '
	'what was measured, columns and pairs with their noise; made from the release and public facts '
	'alone, at no cost; needs nothing but the page itself: psql -Atc "SELECT dp_report(42)" > report.html';

CREATE FUNCTION dp_catalog.dp_row_order(key bytea, row_value record)
	RETURNS bigint AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dp_catalog.dp_row_order(bytea, record) IS
	'internal: a keyed hash (SipHash-2-4, key of 16 bytes) of the values of a row, by which a '
	'release chooses the rows of a unit';

-- not immutable, so that no foreign server is sent it
CREATE FUNCTION dp_catalog.dp_row_passes(ends bigint[], spec bytea, value "any")
	RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_row_passes(bigint[], bytea, "any") IS
	'internal: whether the code of a value is one of those that the filter of a query means';

CREATE FUNCTION dp_catalog.dp_row_cache_transition(internal, spec bytea, VARIADIC columns "any")
	RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_row_cache_transition(internal, bytea, "any") IS 'internal: adds a row';

CREATE FUNCTION dp_catalog.dp_row_cache_combine(internal, internal)
	RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_row_cache_combine(internal, internal) IS
	'internal: the rows of two states, by unit';

CREATE FUNCTION dp_catalog.dp_row_cache_serialise(internal)
	RETURNS bytea AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_row_cache_serialise(internal) IS
	'internal: a state as bytes, which is the result, too';

CREATE FUNCTION dp_catalog.dp_row_cache_deserialise(bytea, internal)
	RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_row_cache_deserialise(bytea, internal) IS
	'internal: a state from its bytes';

CREATE AGGREGATE dp_catalog.dp_row_cache(spec bytea, VARIADIC columns "any") (
	SFUNC = dp_catalog.dp_row_cache_transition, STYPE = internal,
	FINALFUNC = dp_catalog.dp_row_cache_serialise, COMBINEFUNC = dp_catalog.dp_row_cache_combine,
	SERIALFUNC = dp_catalog.dp_row_cache_serialise,
	DESERIALFUNC = dp_catalog.dp_row_cache_deserialise, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_catalog.dp_row_cache(bytea, "any") IS
	'internal: what a query needs of each row, as bytes, by the unit that the row belongs to; as '
	'secret as the rows';

CREATE FUNCTION dp_catalog.dp_sibling_count()
	RETURNS bigint AS 'MODULE_PATHNAME' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_sibling_count() IS
	'internal: how many rows the partition has; so a release of several '
	'tables reads siblings';

CREATE FUNCTION dp_catalog.dp_sibling_place(hash bigint)
	RETURNS bigint AS 'MODULE_PATHNAME' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_sibling_place(bigint) IS
	'internal: the number of a row of the partition in the order of a hash; so a release of several '
	'tables reads siblings';

CREATE FUNCTION dp_catalog.dp_sibling_last(anyelement)
	RETURNS anyelement AS 'MODULE_PATHNAME' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_sibling_last(anyelement) IS
	'internal: what the row before has; NULL: there is none; so a release of several '
	'tables reads siblings';

CREATE FUNCTION dp_catalog.dp_sibling_previous(anyelement)
	RETURNS anyelement AS 'MODULE_PATHNAME' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_sibling_previous(anyelement) IS
	'internal: what most of the three rows before have, or the last one; so a release of several '
	'tables reads siblings';

CREATE FUNCTION dp_catalog.dp_sibling_again(anyelement)
	RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_sibling_again(anyelement) IS
	'internal: whether two of the three rows before have the same, by their bytes; so a release of several '
	'tables reads siblings';

