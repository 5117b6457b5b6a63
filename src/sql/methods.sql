------------------------------------------------------------------------------
-- 7. Rows by each method: dp_release and dp_sample in one, the options as named
--    arguments. The order is the same for all:
--      target, epsilon, delta, rows,
--      the options of the method alone, in the order of its list in the core,
--      the options of every method: columns, partial, range_share, open_share,
--      open_no_false_positives, sets, independent_sets, seed.
--    NULL means the default that dp_methods shows. test/methods compares these
--    functions with that view.
------------------------------------------------------------------------------

CREATE FUNCTION dp_catalog.dp_given_options(VARIADIC "any")
	RETURNS jsonb AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_given_options("any") IS
	'internal: arguments of a function as options, from names and values; one that is NULL is left '
	'out, and what another holds stays as it is';

CREATE FUNCTION dp_catalog.dp_synthesize_with(
	target anyelement, method text, epsilon float8, delta float8, rows bigint, options jsonb,
	sets integer, seed bigint)
	RETURNS SETOF anyelement AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE
	COST 100000 ROWS 100000;
COMMENT ON FUNCTION dp_catalog.dp_synthesize_with(
	anyelement, text, float8, float8, bigint, jsonb, integer, bigint) IS
	'internal: dp_synthesize, for the functions dp_synthesize_METHOD; in a schema where nobody else '
	'makes functions, since their calls are parsed when they run';

CREATE FUNCTION dp_synthesize(
	target anyelement, epsilon float8, delta float8 DEFAULT 0, rows bigint DEFAULT NULL,
	method text DEFAULT 'auto', options jsonb DEFAULT '{}', sets integer DEFAULT 1,
	seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE
	COST 100000 ROWS 100000;
COMMENT ON FUNCTION dp_synthesize(
	anyelement, float8, float8, bigint, text, jsonb, integer, bigint) IS
	'dp_release, then dp_sample: spends epsilon and delta at each call on the relation whose row type '
	'target has (NULL::some_table), and returns synthetic rows of that type; method auto: the one that '
	'suits columns, levels, rows and budget, by public facts alone; a NOTICE says which and why; '
	'options: as in dp_release; of auto: table_rows, how many rows the relation has, to the order of '
	'magnitude, as publicly known (otherwise what an earlier release found), predict, a column that is '
	'to be predicted from the others, effort, fast, normal, best or seconds, ''10s'', where the method knows it, and '
	'those of every method';

CREATE FUNCTION dp_synthesize(
	relation text, epsilon float8, delta float8 DEFAULT 0, rows bigint DEFAULT NULL,
	method text DEFAULT 'auto', options jsonb DEFAULT '{}', sets integer DEFAULT 1,
	seed bigint DEFAULT NULL)
	RETURNS SETOF record AS 'MODULE_PATHNAME', 'dp_synthesize_of' LANGUAGE C VOLATILE PARALLEL UNSAFE
	COST 100000 ROWS 100000;
COMMENT ON FUNCTION dp_synthesize(
	text, float8, float8, bigint, text, jsonb, integer, bigint) IS
	'the same for a relation by name, with a list of the columns that are wanted: '
	'SELECT * FROM dp_synthesize(''visits'', 1) AS v(ward text, n integer)';

CREATE FUNCTION dp_synthesize_sba(
	target anyelement, epsilon float8, delta float8 DEFAULT 0, rows bigint DEFAULT NULL,
	dense_cells integer DEFAULT NULL, count_share float8 DEFAULT NULL,
	columns name[] DEFAULT NULL, partial boolean DEFAULT NULL,
	range_share float8 DEFAULT NULL, open_share float8 DEFAULT NULL,
	open_no_false_positives float8 DEFAULT NULL,
	sets integer DEFAULT 1, independent_sets boolean DEFAULT NULL, seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 100000
	AS $$
SELECT * FROM dp_catalog.dp_synthesize_with(target, 'sba', epsilon, delta, rows,
	dp_catalog.dp_given_options(
		'dense_cells', dense_cells, 'count_share', count_share, 'columns', columns,
		'partial', partial, 'range_share', range_share, 'open_share', open_share,
		'open_no_false_positives', open_no_false_positives, 'independent_sets', independent_sets),
	sets, seed)
$$;
COMMENT ON FUNCTION dp_synthesize_sba(
	anyelement, float8, float8, bigint, integer, float8, name[], boolean, float8, float8,
	float8, integer, boolean, bigint) IS
	'synthetic rows from one stability histogram over the whole table; (epsilon, delta)-DP; '
	'spends epsilon and delta at each call';

CREATE FUNCTION dp_synthesize_sbhg(
	target anyelement, epsilon float8, delta float8 DEFAULT 0, rows bigint DEFAULT NULL,
	parents anycompatible DEFAULT NULL::text, network jsonb DEFAULT NULL,
	column_order name[] DEFAULT NULL, score text DEFAULT NULL,
	selection_share float8 DEFAULT NULL, count_share float8 DEFAULT NULL,
	dense_cells integer DEFAULT NULL, sweeps integer DEFAULT NULL, missing_key text DEFAULT NULL,
	columns name[] DEFAULT NULL, partial boolean DEFAULT NULL,
	range_share float8 DEFAULT NULL, open_share float8 DEFAULT NULL,
	open_no_false_positives float8 DEFAULT NULL,
	sets integer DEFAULT 1, independent_sets boolean DEFAULT NULL, seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 100000
	AS $$
SELECT * FROM dp_catalog.dp_synthesize_with(target, 'sbhg', epsilon, delta, rows,
	dp_catalog.dp_given_options(
		'parents', parents, 'network', network, 'column_order', column_order,
		'score', score, 'selection_share', selection_share, 'count_share', count_share,
		'dense_cells', dense_cells, 'sweeps', sweeps, 'missing_key', missing_key,
		'columns', columns, 'partial', partial, 'range_share', range_share,
		'open_share', open_share, 'open_no_false_positives', open_no_false_positives, 'independent_sets', independent_sets),
	sets, seed)
$$;
COMMENT ON FUNCTION dp_synthesize_sbhg(
	anyelement, float8, float8, bigint, anycompatible, jsonb, name[], text, float8, float8,
	integer, integer, text, name[], boolean, float8, float8, float8, integer, boolean, bigint) IS
	'synthetic rows by the stability-based hashed Gibbs sampler; (epsilon, delta)-DP; spends '
	'epsilon and delta at each call; NULL options take the defaults that dp_methods shows';

CREATE FUNCTION dp_synthesize_steps(
	target anyelement, epsilon float8, delta float8 DEFAULT 0, rows bigint DEFAULT NULL,
	layers integer DEFAULT NULL, layer_width integer DEFAULT NULL,
	column_order name[] DEFAULT NULL, groups jsonb DEFAULT NULL, branches text DEFAULT NULL,
	score text DEFAULT NULL, selection_share float8 DEFAULT NULL, count_share float8 DEFAULT NULL,
	dense_cells integer DEFAULT NULL, no_false_positives float8 DEFAULT NULL,
	columns name[] DEFAULT NULL, partial boolean DEFAULT NULL,
	range_share float8 DEFAULT NULL, open_share float8 DEFAULT NULL,
	open_no_false_positives float8 DEFAULT NULL,
	sets integer DEFAULT 1, independent_sets boolean DEFAULT NULL, seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 100000
	AS $$
SELECT * FROM dp_catalog.dp_synthesize_with(target, 'steps', epsilon, delta, rows,
	dp_catalog.dp_given_options(
		'layers', layers, 'layer_width', layer_width, 'column_order', column_order,
		'groups', groups, 'branches', branches, 'score', score,
		'selection_share', selection_share, 'count_share', count_share, 'dense_cells', dense_cells, 'no_false_positives', no_false_positives,
		'columns', columns, 'partial', partial, 'range_share', range_share,
		'open_share', open_share, 'open_no_false_positives', open_no_false_positives, 'independent_sets', independent_sets),
	sets, seed)
$$;
COMMENT ON FUNCTION dp_synthesize_steps(
	anyelement, float8, float8, bigint, integer, integer, name[], jsonb, text, text,
	float8, float8, integer, float8, name[], boolean, float8, float8, float8, integer, boolean,
	bigint) IS
	'synthetic rows from a tree of cross tables, the most important columns first (STEPS); '
	'epsilon-DP; spends epsilon at each call, and delta only for open columns; NULL options take '
	'the defaults that dp_methods shows';

CREATE FUNCTION dp_synthesize_uh(
	target anyelement, epsilon float8, delta float8 DEFAULT 0, rows bigint DEFAULT NULL,
	layers integer DEFAULT NULL, layer_width integer DEFAULT NULL, order_seed bigint DEFAULT NULL,
	count_share float8 DEFAULT NULL, dense_cells integer DEFAULT NULL,
	no_false_positives float8 DEFAULT NULL,
	columns name[] DEFAULT NULL, partial boolean DEFAULT NULL,
	range_share float8 DEFAULT NULL, open_share float8 DEFAULT NULL,
	open_no_false_positives float8 DEFAULT NULL,
	sets integer DEFAULT 1, independent_sets boolean DEFAULT NULL, seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 100000
	AS $$
SELECT * FROM dp_catalog.dp_synthesize_with(target, 'uh', epsilon, delta, rows,
	dp_catalog.dp_given_options(
		'layers', layers, 'layer_width', layer_width, 'order_seed', order_seed,
		'count_share', count_share, 'dense_cells', dense_cells, 'no_false_positives', no_false_positives,
		'columns', columns, 'partial', partial, 'range_share', range_share,
		'open_share', open_share, 'open_no_false_positives', open_no_false_positives, 'independent_sets', independent_sets),
	sets, seed)
$$;
COMMENT ON FUNCTION dp_synthesize_uh(
	anyelement, float8, float8, bigint, integer, integer, bigint, float8, integer, float8,
	name[], boolean, float8, float8, float8, integer, boolean, bigint) IS
	'synthetic rows from a tree of cross tables in a public random order of columns (universal '
	'histogram); epsilon-DP; spends epsilon at each call, and delta only for open columns';

CREATE FUNCTION dp_synthesize_flat(
	target anyelement, epsilon float8, delta float8 DEFAULT 0, rows bigint DEFAULT NULL,
	count_share float8 DEFAULT NULL, dense_cells integer DEFAULT NULL,
	no_false_positives float8 DEFAULT NULL,
	columns name[] DEFAULT NULL, partial boolean DEFAULT NULL,
	range_share float8 DEFAULT NULL, open_share float8 DEFAULT NULL,
	open_no_false_positives float8 DEFAULT NULL,
	sets integer DEFAULT 1, independent_sets boolean DEFAULT NULL, seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 100000
	AS $$
SELECT * FROM dp_catalog.dp_synthesize_with(target, 'flat', epsilon, delta, rows,
	dp_catalog.dp_given_options(
		'count_share', count_share, 'dense_cells', dense_cells, 'no_false_positives', no_false_positives,
		'columns', columns, 'partial', partial, 'range_share', range_share,
		'open_share', open_share, 'open_no_false_positives', open_no_false_positives, 'independent_sets', independent_sets),
	sets, seed)
$$;
COMMENT ON FUNCTION dp_synthesize_flat(
	anyelement, float8, float8, bigint, float8, integer, float8, name[], boolean, float8,
	float8, float8, integer, boolean, bigint) IS
	'synthetic rows from one cross table of all columns, however large (flat Laplace); '
	'epsilon-DP; spends epsilon at each call, and delta only for open columns';

CREATE FUNCTION dp_synthesize_privbayes(
	target anyelement, epsilon float8, delta float8 DEFAULT 0, rows bigint DEFAULT NULL,
	parents integer DEFAULT NULL, theta float8 DEFAULT NULL, selection_share float8 DEFAULT NULL,
	network jsonb DEFAULT NULL, cell_limit integer DEFAULT NULL, count_share float8 DEFAULT NULL,
	columns name[] DEFAULT NULL, partial boolean DEFAULT NULL,
	range_share float8 DEFAULT NULL, open_share float8 DEFAULT NULL,
	open_no_false_positives float8 DEFAULT NULL,
	sets integer DEFAULT 1, independent_sets boolean DEFAULT NULL, seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 100000
	AS $$
SELECT * FROM dp_catalog.dp_synthesize_with(target, 'privbayes', epsilon, delta, rows,
	dp_catalog.dp_given_options(
		'parents', parents, 'theta', theta, 'selection_share', selection_share, 'network', network,
		'cell_limit', cell_limit, 'count_share', count_share, 'columns', columns,
		'partial', partial, 'range_share', range_share, 'open_share', open_share,
		'open_no_false_positives', open_no_false_positives, 'independent_sets', independent_sets),
	sets, seed)
$$;
COMMENT ON FUNCTION dp_synthesize_privbayes(
	anyelement, float8, float8, bigint, integer, float8, float8, jsonb, integer, float8,
	name[], boolean, float8, float8, float8, integer, boolean, bigint) IS
	'synthetic rows from a Bayesian network that is chosen privately (PrivBayes); parents NULL: '
	'the largest whose tables are useful; epsilon-DP; spends epsilon at each call, and delta '
	'only for open columns';

-- The option "workload" as a user may write an argument of any type: an integer, an
-- array, jsonb, or a literal without a type, which is read as one of them, or else as one set.
-- The value of a type that is not PostgreSQL's own counts as its text: to_jsonb would call a cast.
CREATE FUNCTION dp_catalog.dp_attribute_sets(sets anycompatible) RETURNS jsonb
	LANGUAGE sql STABLE PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
SELECT CASE
	WHEN jsonb_typeof(j) IS DISTINCT FROM 'string' THEN j
	-- each member, also where two have one name, of which jsonb would keep the last
	WHEN t ~ '^\s*\{\s*"([^"\\]|\\.)*"\s*:'
	THEN (SELECT jsonb_agg(jsonb_build_object('columns', m.key, 'weight', m.value)) FROM json_each(t::json) m)
	WHEN t ~ '^\s*(\d+\s*$|\[)' THEN t::jsonb
	WHEN t ~ '^\s*\{' THEN to_jsonb(t::text[])
	ELSE jsonb_build_array(t) END
FROM (SELECT CASE WHEN pg_typeof($1)::oid < 16384::oid THEN to_jsonb($1) ELSE to_jsonb(dp_catalog.dp_text($1)) END) v (j),
	 LATERAL (SELECT j #>> '{}') x (t)
$$;
COMMENT ON FUNCTION dp_catalog.dp_attribute_sets(anycompatible) IS
	'internal: sets of columns as the option "workload" takes them, from an integer (all sets '
	'of so many columns), an array such as {"age,income","sex,race,income"}, jsonb, or a text of '
	'one of these forms';

CREATE FUNCTION dp_synthesize_cipher(
	target anyelement, epsilon float8, delta float8 DEFAULT 0, rows bigint DEFAULT NULL,
	workload anycompatible DEFAULT NULL::text, solver text DEFAULT NULL,
	lambda float8 DEFAULT NULL, cell_limit integer DEFAULT NULL,
	open_levels integer DEFAULT NULL,
	columns name[] DEFAULT NULL, partial boolean DEFAULT NULL,
	range_share float8 DEFAULT NULL, open_share float8 DEFAULT NULL,
	open_no_false_positives float8 DEFAULT NULL,
	sets integer DEFAULT 1, independent_sets boolean DEFAULT NULL, seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 100000
	AS $$
SELECT * FROM dp_catalog.dp_synthesize_with(target, 'cipher', epsilon, delta, rows,
	dp_catalog.dp_given_options(
		'workload', dp_catalog.dp_attribute_sets(workload), 'solver', solver, 'lambda', lambda,
		'cell_limit', cell_limit, 'open_levels', open_levels,
		'columns', columns, 'partial', partial,
		'range_share', range_share, 'open_share', open_share, 'open_no_false_positives', open_no_false_positives,
		'independent_sets', independent_sets),
	sets, seed)
$$;
COMMENT ON FUNCTION dp_synthesize_cipher(
	anyelement, float8, float8, bigint, anycompatible, text, float8, integer, integer, name[],
	boolean, float8, float8, float8, integer, boolean, bigint) IS
	'synthetic rows from the joint distribution that fits noisy tables of small sets of columns '
	'(CIPHER); workload: how many columns a set has, or the sets, such as '
	'{"age,income","sex,race,income"}; epsilon-DP; spends epsilon at each call';

CREATE FUNCTION dp_synthesize_mwem(
	target anyelement, epsilon float8, delta float8 DEFAULT 0, rows bigint DEFAULT NULL,
	workload anycompatible DEFAULT NULL::text, rounds integer DEFAULT NULL,
	selection_share float8 DEFAULT NULL, count_share float8 DEFAULT NULL, cell_limit integer DEFAULT NULL,
	open_levels integer DEFAULT NULL,
	columns name[] DEFAULT NULL, partial boolean DEFAULT NULL,
	range_share float8 DEFAULT NULL, open_share float8 DEFAULT NULL,
	open_no_false_positives float8 DEFAULT NULL,
	sets integer DEFAULT 1, independent_sets boolean DEFAULT NULL, seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 100000
	AS $$
SELECT * FROM dp_catalog.dp_synthesize_with(target, 'mwem', epsilon, delta, rows,
	dp_catalog.dp_given_options(
		'workload', dp_catalog.dp_attribute_sets(workload), 'rounds', rounds, 'selection_share', selection_share,
		'count_share', count_share, 'cell_limit', cell_limit, 'open_levels', open_levels,
		'columns', columns,
		'partial', partial, 'range_share', range_share, 'open_share', open_share,
		'open_no_false_positives', open_no_false_positives, 'independent_sets', independent_sets),
	sets, seed)
$$;
COMMENT ON FUNCTION dp_synthesize_mwem(
	anyelement, float8, float8, bigint, anycompatible, integer, float8, float8, integer, integer,
	name[], boolean, float8, float8, float8, integer, boolean, bigint) IS
	'synthetic rows from tables of small sets of columns that are chosen privately, one after '
	'another, where the fit so far is worst (MWEM); rounds NULL: two a column, no more than '
	'sets; epsilon-DP; spends epsilon at each call';

CREATE FUNCTION dp_synthesize_mst(
	target anyelement, epsilon float8, delta float8 DEFAULT 0, rows bigint DEFAULT NULL,
	margin_share float8 DEFAULT NULL, selection_share float8 DEFAULT NULL, predict text DEFAULT NULL,
	score text DEFAULT NULL, trees integer DEFAULT NULL, group_rare boolean DEFAULT NULL, generation text DEFAULT NULL, effort text DEFAULT NULL,
	max_model_memory text DEFAULT NULL,
	columns name[] DEFAULT NULL, partial boolean DEFAULT NULL,
	range_share float8 DEFAULT NULL, open_share float8 DEFAULT NULL,
	open_no_false_positives float8 DEFAULT NULL,
	sets integer DEFAULT 1, independent_sets boolean DEFAULT NULL, seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 100000
	AS $$
SELECT * FROM dp_catalog.dp_synthesize_with(target, 'mst', epsilon, delta, rows,
	dp_catalog.dp_given_options(
		'margin_share', margin_share, 'selection_share', selection_share, 'predict', predict,
		'score', score, 'trees', trees, 'group_rare', group_rare,
		'generation', generation, 'effort', effort, 'max_model_memory', max_model_memory, 'columns', columns,
		'partial', partial, 'range_share', range_share, 'open_share', open_share,
		'open_no_false_positives', open_no_false_positives, 'independent_sets', independent_sets),
	sets, seed)
$$;
COMMENT ON FUNCTION dp_synthesize_mst(
	anyelement, float8, float8, bigint, float8, float8, text, text, integer, boolean, text, text, text, name[],
	boolean, float8, float8, float8, integer, boolean, bigint) IS
	'synthetic rows from trees of pairs of columns that are chosen privately (MST); '
	'predict: a column that is to be predicted from the others; score: gain (nearest pairs), or distance, which teaches more where any column may be predicted; '
	'trees: at most so many trees of pairs, 8 if not given; '
	'effort: fast, normal or best, by which max_model_memory is a quarter, once (both from epsilon 4 on up to four times) or eight times dpsyn.model_memory, or seconds, ''10s'', in which the release is expected to end; max_model_memory as settings are written, ''80MB'' (a plain number: MB); (epsilon, delta)-DP, epsilon-DP with '
	'delta 0; spends at each call';

CREATE FUNCTION dp_synthesize_aim(
	target anyelement, epsilon float8, delta float8 DEFAULT 0, rows bigint DEFAULT NULL,
	workload anycompatible DEFAULT NULL::text, rounds integer DEFAULT NULL,
	batch integer DEFAULT NULL, selection_share float8 DEFAULT NULL, predict text DEFAULT NULL,
	group_rare boolean DEFAULT NULL, generation text DEFAULT NULL, effort text DEFAULT NULL, max_model_memory text DEFAULT NULL,
	columns name[] DEFAULT NULL, partial boolean DEFAULT NULL,
	range_share float8 DEFAULT NULL, open_share float8 DEFAULT NULL,
	open_no_false_positives float8 DEFAULT NULL,
	sets integer DEFAULT 1, independent_sets boolean DEFAULT NULL, seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 100000
	AS $$
SELECT * FROM dp_catalog.dp_synthesize_with(target, 'aim', epsilon, delta, rows,
	dp_catalog.dp_given_options(
		'workload', dp_catalog.dp_attribute_sets(workload), 'rounds', rounds,
		'batch', batch, 'selection_share', selection_share, 'predict', predict, 'group_rare', group_rare,
		'generation', generation, 'effort', effort,
		'max_model_memory', max_model_memory, 'columns', columns, 'partial', partial,
		'range_share', range_share, 'open_share', open_share, 'open_no_false_positives', open_no_false_positives,
		'independent_sets', independent_sets),
	sets, seed)
$$;
COMMENT ON FUNCTION dp_synthesize_aim(
	anyelement, float8, float8, bigint, anycompatible, integer, integer, float8, text, boolean,
	text, text, text, name[], boolean, float8, float8, float8, integer, boolean, bigint) IS
	'synthetic rows from tables of a workload that are chosen one after the other (AIM); '
	'workload: sets of columns with weights or an integer, by default 3, up to 20 columns larger '
	'ones, too, with more than 40 columns 2; batch: tables between two fits, by default 1 and one '
	'more for each 24 that were chosen, with a delta and more than 40 columns as many as columns; '
	'predict: a column that is to be predicted from the others; effort: fast, normal or best, by which max_model_memory is a quarter, once '
	'(both from epsilon 4 on up to four times) or eight times dpsyn.model_memory, or seconds, ''10s'', in which the release is expected to end; max_model_memory as settings are written, ''80MB'' (a plain number: MB); '
	'(epsilon, delta)-DP, epsilon-DP with delta 0; spends at each call';

CREATE FUNCTION dp_synthesize_marginal(
	target anyelement, epsilon float8, delta float8 DEFAULT 0, rows bigint DEFAULT NULL,
	mechanism text DEFAULT NULL,
	columns name[] DEFAULT NULL, partial boolean DEFAULT NULL,
	range_share float8 DEFAULT NULL, open_share float8 DEFAULT NULL,
	open_no_false_positives float8 DEFAULT NULL,
	sets integer DEFAULT 1, independent_sets boolean DEFAULT NULL, seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 100000
	AS $$
SELECT * FROM dp_catalog.dp_synthesize_with(target, 'marginal', epsilon, delta, rows,
	dp_catalog.dp_given_options(
		'mechanism', mechanism, 'rows', CASE WHEN mechanism OPERATOR(pg_catalog.=) 'bootstrap'
		THEN rows END, 'columns', columns, 'partial', partial, 'range_share', range_share,
		'open_share', open_share, 'open_no_false_positives', open_no_false_positives, 'independent_sets', independent_sets),
	sets, seed)
$$;
COMMENT ON FUNCTION dp_synthesize_marginal(
	anyelement, float8, float8, bigint, text, name[], boolean, float8, float8, float8,
	integer, boolean, bigint) IS
	'synthetic rows, each column drawn by itself: mechanism laplace (default) from noisy '
	'margins, any number of rows; bootstrap (perturbed marginal Bayesian bootstrap): that many '
	'rows drawn behind the wall, no others later; epsilon-DP; spends epsilon at each call, and '
	'delta only for open columns';

CREATE FUNCTION dp_synthesize_cathist(
	target anyelement, epsilon float8, delta float8 DEFAULT 0, rows bigint DEFAULT NULL,
	domain jsonb DEFAULT NULL, no_false_positives float8 DEFAULT NULL, joint boolean DEFAULT NULL,
	columns name[] DEFAULT NULL, partial boolean DEFAULT NULL,
	range_share float8 DEFAULT NULL, open_share float8 DEFAULT NULL,
	open_no_false_positives float8 DEFAULT NULL,
	sets integer DEFAULT 1, independent_sets boolean DEFAULT NULL, seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 100000
	AS $$
SELECT * FROM dp_catalog.dp_synthesize_with(target, 'cathist', epsilon, delta, rows,
	dp_catalog.dp_given_options(
		'domain', domain, 'no_false_positives', no_false_positives, 'joint', joint, 'columns', columns, 'partial', partial,
		'range_share', range_share, 'open_share', open_share, 'open_no_false_positives', open_no_false_positives,
		'independent_sets', independent_sets),
	sets, seed)
$$;
COMMENT ON FUNCTION dp_synthesize_cathist(
	anyelement, float8, float8, bigint, jsonb, float8, boolean, name[], boolean, float8,
	float8, float8, integer, boolean, bigint) IS
	'synthetic rows from a histogram of each column over its domain, which may be huge, with '
	'epsilon/columns each (CatHist), or with joint from one of all columns; epsilon-DP; spends '
	'epsilon at each call';

-- A statement of the caller's, made of words. EXECUTE would run whatever its words mean by then.
CREATE FUNCTION dp_catalog.dp_statement(statement text, relations oid[])
	RETURNS text[] AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_catalog.dp_statement(text, oid[]) IS
	'internal: runs a SELECT, INSERT or UPDATE of no other relations than these, with the rights of the '
	'caller, and returns the values of its first row; an error if a name means something else';

-- The name of a seed pool goes into the ledger with its schema, since no search_path is kept there.
CREATE FUNCTION dp_catalog.dp_qualified_name(relation regclass) RETURNS text
	LANGUAGE sql STABLE STRICT PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
SELECT coalesce((SELECT pg_catalog.format('%I.%I', n.nspname, c.relname)
				   FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
				  WHERE c.oid = $1),
				$1::pg_catalog.oid::pg_catalog.text) -- there is none
$$;
COMMENT ON FUNCTION dp_catalog.dp_qualified_name(regclass) IS 'internal: a relation by schema and name';

CREATE FUNCTION dp_synthesize_pegs(
	target anyelement, epsilon float8, delta float8 DEFAULT 0, rows bigint DEFAULT NULL,
	block integer DEFAULT NULL, parents integer DEFAULT NULL, network jsonb DEFAULT NULL,
	column_order name[] DEFAULT NULL, selection_share float8 DEFAULT NULL,
	buckets integer DEFAULT NULL, alpha text DEFAULT NULL,
	margin_share float8 DEFAULT NULL,
	sweeps integer DEFAULT NULL, seed_pool regclass DEFAULT NULL,
	columns name[] DEFAULT NULL, partial boolean DEFAULT NULL,
	range_share float8 DEFAULT NULL, open_share float8 DEFAULT NULL,
	open_no_false_positives float8 DEFAULT NULL,
	sets integer DEFAULT 1, independent_sets boolean DEFAULT NULL, seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 1000
	AS $$
SELECT * FROM dp_catalog.dp_synthesize_with(target, 'pegs', epsilon, delta, NULL,
	dp_catalog.dp_given_options(
		'rows', rows, 'block', block, 'parents', parents, 'network', network,
		'column_order', column_order, 'selection_share', selection_share,
		'buckets', buckets, 'alpha', alpha, 'margin_share', margin_share, 'sweeps', sweeps,
		'seed_pool', dp_catalog.dp_qualified_name(seed_pool), 'columns', columns,
		'partial', partial, 'range_share', range_share, 'open_share', open_share,
		'open_no_false_positives', open_no_false_positives, 'independent_sets', independent_sets),
	sets, seed)
$$;
COMMENT ON FUNCTION dp_synthesize_pegs(
	anyelement, float8, float8, bigint, integer, integer, jsonb, name[], float8, integer,
	text, float8, integer, regclass, name[], boolean, float8, float8, float8, integer, boolean, bigint) IS
	'that many rows drawn behind the wall from perturbed conditional counts (PeGS); epsilon is '
	'the total of all rows, which are the release: no others can be drawn from it later; a seed '
	'only places values inside bins; epsilon-DP; spends epsilon at each call, and delta only for '
	'open columns';

CREATE FUNCTION dp_synthesize_pmi(
	target anyelement, epsilon float8, delta float8 DEFAULT 0, rows bigint DEFAULT NULL,
	alpha_mixing float8 DEFAULT NULL, lambda float8 DEFAULT NULL, folds integer DEFAULT NULL,
	network jsonb DEFAULT NULL, sweeps integer DEFAULT NULL, seed_pool regclass DEFAULT NULL,
	open_levels integer DEFAULT NULL,
	columns name[] DEFAULT NULL, partial boolean DEFAULT NULL,
	range_share float8 DEFAULT NULL, open_share float8 DEFAULT NULL,
	open_no_false_positives float8 DEFAULT NULL,
	sets integer DEFAULT 1, independent_sets boolean DEFAULT NULL, seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 1000
	AS $$
SELECT * FROM dp_catalog.dp_synthesize_with(target, 'pmi', epsilon, delta, NULL,
	dp_catalog.dp_given_options(
		'rows', rows, 'alpha_mixing', alpha_mixing, 'lambda', lambda, 'folds', folds,
		'network', network, 'sweeps', sweeps,
		'seed_pool', dp_catalog.dp_qualified_name(seed_pool), 'open_levels', open_levels,
		'columns', columns,
		'partial', partial, 'range_share', range_share, 'open_share', open_share,
		'open_no_false_positives', open_no_false_positives, 'independent_sets', independent_sets),
	sets, seed)
$$;
COMMENT ON FUNCTION dp_synthesize_pmi(
	anyelement, float8, float8, bigint, float8, float8, integer, jsonb, integer, regclass, integer,
	name[], boolean, float8, float8, float8, integer, boolean, bigint) IS
	'that many rows drawn behind the wall from perturbed elastic-net regressions of each column '
	'on the others (perturbed multiple imputation); lambda NULL: cross-validated; epsilon is the '
	'total of all rows, which are the release: no others can be drawn from it later; epsilon-DP; '
	'spends epsilon at each call';

-- It gives no guarantee, so it has neither epsilon and delta nor shares of them.
CREATE FUNCTION dp_synthesize_pegs_ldiversity(
	target anyelement, rows bigint DEFAULT NULL,
	l float8 DEFAULT NULL, parents integer DEFAULT NULL, network jsonb DEFAULT NULL,
	column_order name[] DEFAULT NULL, sweeps integer DEFAULT NULL,
	seed_pool regclass DEFAULT NULL,
	columns name[] DEFAULT NULL, partial boolean DEFAULT NULL, sets integer DEFAULT 1,
	independent_sets boolean DEFAULT NULL, seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 1000
	AS $$
SELECT * FROM dp_catalog.dp_synthesize_with(target, 'pegs_ldiversity', 0, 0, NULL,
	dp_catalog.dp_given_options(
		'rows', rows, 'l', l, 'parents', parents, 'network', network,
		'column_order', column_order, 'sweeps', sweeps,
		'seed_pool', dp_catalog.dp_qualified_name(seed_pool), 'columns', columns,
		'partial', partial, 'independent_sets', independent_sets),
	sets, seed)
$$;
COMMENT ON FUNCTION dp_synthesize_pegs_ldiversity(
	anyelement, bigint, float8, integer, jsonb, name[], integer, regclass, name[], boolean,
	integer, boolean, bigint) IS
	'NOT DIFFERENTIALLY PRIVATE: rows drawn from conditional counts whose entropy is raised to '
	'that of l equally likely values; for the custodian alone, charges no budget, and the ledger '
	'says that the release has no guarantee';

