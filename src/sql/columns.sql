------------------------------------------------------------------------------
-- 4. What is public of a relation: domains of columns, combinations that cannot
--    occur, published counts
------------------------------------------------------------------------------

CREATE FUNCTION dp_define_column(relation regclass, column_name name,
								 categories text[] DEFAULT NULL, bins text[] DEFAULT NULL,
								 open boolean DEFAULT false, other text DEFAULT NULL,
								 complete boolean DEFAULT false, domain jsonb DEFAULT NULL,
								 range text[] DEFAULT NULL, resolution text DEFAULT NULL,
								 bins_max integer DEFAULT NULL, offset_of text DEFAULT NULL,
								 derived_from name DEFAULT NULL, key boolean DEFAULT false,
								 fill text DEFAULT NULL, computed text DEFAULT NULL,
								 fill_from text DEFAULT NULL)
	RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_define_column(
	regclass, name, text[], text[], boolean, text, boolean, jsonb, text[], text, integer, text,
	name, boolean, text, text, text) IS
	'declares the public domain of a column: categories (the values), bins (ascending edges, the '
	'last bin closed, values outside clamped), open (values discovered at a cost: with a '
	'domain, such as a dictionary, {"table": "words", "column": "word"}, at epsilon alone, else with delta too), or range (the two ends, '
	'values outside clamped; at most bins_max bins are found at a cost, of multiples of the '
	'resolution); other: the value that stands for NULL and all the rest; complete: the categories '
	'are all there is, so there is no level "other", and what does not belong counts as the '
	'first; offset_of: bins or range are of the distance from that column (days between dates, an '
	'interval between timestamps), which can be one of the rows that rows belong to, orders.began, or an end of a range, lower(during); other is then the value of the column itself that is far from all others, such as 9999-12-31; derived_from: the column is not modelled, but read from a public '
	'dictionary, domain, by the value of that column. Or what a column holds that is not '
	'modelled: key: a value of its own in each row; fill: a constant, or a text in which {n} stands '
	'for the number of the row, {place} for that among the rows of one parent, {uuid} for a '
	'random uuid, {[A-Z]:4} for so many random characters, {n:[0-9a-f]:32} for as many that differ in '
	'each row, and {first_name} for what another column holds, which is filled or has categories; '
	'{Anna,Ben}: one of these values; {null}: NULL. fill_from: one of the values that a column of a '
	'table has that is declared public, public.first_names(name), as they are now. computed: it is not modelled, but this expression over other '
	'columns of the row, net + tax, with functions of PostgreSQL''s own. column_name can be a field '
	'of a jsonb column: meta->>''plan'', (meta->>''age'')::int';

CREATE FUNCTION dp_catalog.dp_column_domains(relation regclass, OUT ordinal integer, OUT column_name name,
								  OUT type regtype, OUT kind text, OUT source text,
								  OUT levels integer, OUT labels text[], OUT has_other boolean,
								  OUT other text, OUT resolution text)
	RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL UNSAFE ROWS 20;
COMMENT ON FUNCTION dp_catalog.dp_column_domains(regclass) IS
	'internal: the public domain of each column of a relation, declared or known from the schema; of a range '
	'the labels are its two ends; kind is key, fill or computed where the column is not modelled but holds '
	'what labels says, NULL where it comes back NULL, and source then says why';

CREATE FUNCTION dp_catalog.dp_column_roles(relation regclass, OUT ordinal integer, OUT column_name name, OUT kind text,
										   OUT source text, OUT fill text)
	RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL UNSAFE ROWS 20;
COMMENT ON FUNCTION dp_catalog.dp_column_roles(regclass) IS
	'internal: what dp_column_domains says, but for the domains, also for who may draw from a release of the '
	'relation';

CREATE FUNCTION dp_catalog.dp_rows_max(relation regclass, rows bigint)
	RETURNS bigint AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_catalog.dp_rows_max(regclass, bigint) IS
	'internal: how many rows the filled columns of a relation can number; an error if more are asked for';

CREATE FUNCTION dp_catalog.dp_check_keys(relation regclass, rows bigint, below boolean)
	RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_catalog.dp_check_keys(regclass, bigint, boolean) IS
	'internal: an error if rows that are to be made of a relation, below its parent or by itself, would '
	'all repeat what is UNIQUE';

CREATE FUNCTION dp_catalog.dp_column_domains_now(relation regclass, OUT ordinal integer, OUT column_name name,
									  OUT type regtype, OUT kind text, OUT source text,
									  OUT levels integer, OUT labels text[], OUT has_other boolean,
									  OUT other text, OUT resolution text)
	RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL UNSAFE ROWS 20;
COMMENT ON FUNCTION dp_catalog.dp_column_domains_now(regclass) IS
	'internal: the same for the view dp_columns, without waiting and without an error: one row with '
	'source locked where somebody is changing the relation, none where it is gone';

CREATE FUNCTION dp_catalog.dp_domain_summary(domain jsonb)
	RETURNS jsonb AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_domain_summary(jsonb) IS
	'internal: a domain with the number of values of each dictionary in place of the values';

CREATE FUNCTION dp_catalog.dp_on_grid(value anyelement, range text[], resolution text DEFAULT NULL)
	RETURNS anyelement AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_on_grid(anyelement, text[], text) IS
	'internal: what a column with this range and resolution takes a value for: the multiple of the resolution '
	'at it or below it, the nearer end for one outside, NULL for NaN and infinities';

CREATE FUNCTION dp_define_cells(relation regclass, columns name[], cells text[])
	RETURNS void AS 'MODULE_PATHNAME', 'dp_define_zeros' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_define_cells(regclass, name[], text[]) IS
	'declares combinations of levels that cannot occur (structural zeros), as public knowledge that must '
	'not be read off the data; replaces those declared over the same columns; cells: an array of arrays '
	'with a level for each column: a category, a bin as [lower,upper) or any value in it, NULL for the '
	'level that stands for other values; an empty array: none any more, and if columns is empty, too, '
	'none of the relation; NULL is an error';

CREATE FUNCTION dp_define_cells(relation regclass, columns name[], cells text[], counts bigint[],
								uncertainty float8 DEFAULT 0.01)
	RETURNS void AS 'MODULE_PATHNAME', 'dp_define_priors' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_define_cells(regclass, name[], text[], bigint[], float8) IS
	'declares public counts of some columns (a census, published statistics), which must not be '
	'read off the data; they cost nothing, and releases start from them as far as their method '
	'can; counts: rows in each cell, in any scale; uncertainty: how far the share of a cell may be from '
	'the truth (standard deviation); replaces those over the same columns; no cells and counts, as empty '
	'arrays: none any more, and if columns is empty, too, none of the relation; NULL is an error';

CREATE FUNCTION dp_define_hierarchy(relation regclass, column_name name, paths text[] DEFAULT NULL,
									prefixes integer[] DEFAULT NULL, columns name[] DEFAULT NULL)
	RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_define_hierarchy(regclass, name, text[], integer[], name[]) IS
	'declares a public hierarchy of a column''s categories, the finest level first, in one of three '
	'ways; paths: an array of arrays with a category and its node on each level, '
	'array_agg(ARRAY[code, block, chapter]); prefixes: the first so many characters of a category, '
	'{3,1}; columns: columns that are derived_from this one, {county,state}; categories that few '
	'rows have are then taken together with those of their node; replaces what was declared for '
	'the column; must not be read off the data; an empty array: none any more, and if column_name is NULL, '
	'too, none of the relation; none of the three given, or NULL, is an error';
