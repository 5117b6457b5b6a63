/*
 * define_column.c -- dp_define_column: the public domain of a column. It is checked, brought to the
 * text form that every session prints, and stored.
 */
#include "pg/domain/fill_pattern.h"
#include "pg/domain/schema_checks.h"
#include "pg/domain/schema_keys.h"
#include "pg/server/compat.h"

#include "access/relation.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"
#include "utils/varlena.h"

#include "pg/budget/dataset.h"
#include "pg/domain/bins.h"
#include "pg/domain/computed.h"
#include "pg/domain/declaration.h"
#include "pg/domain/declared_values.h"
#include "pg/domain/derived.h"
#include "pg/domain/dictionary.h"
#include "pg/domain/distance_base.h"
#include "pg/domain/fill.h"
#include "pg/domain/json_field.h"
#include "pg/domain/resolution.h"
#include "pg/domain/universe.h"
#include "pg/server/arguments.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"
#include "pg/server/values.h"

PG_FUNCTION_INFO_V1(dp_define_column);

/* ---- arguments ---- */

/* Where the arguments of dp_define_column stand. */
typedef enum Argument
{
	RELATION = 0,
	COLUMN_NAME = 1,
	CATEGORIES = 2,
	BINS = 3,
	OPEN = 4,
	OTHER = 5,
	COMPLETE = 6,
	DOMAIN = 7,
	RANGE = 8,
	RESOLUTION = 9,
	BINS_MAX = 10,
	OFFSET_OF = 11,
	DERIVED_FROM = 12,
	KEY = 13,
	FILL = 14,
	COMPUTED = 15,
	FILL_FROM = 16
} Argument;

/* What dp_define_column stores. */
typedef struct Declaration
{
	DpDataset dataset;
	const char *kind; /* NULL: no domain is given, and a declared one goes */
	Datum labels;
	DpArgument other;
	bool complete;
	DpArgument domain;
	DpArgument resolution;
	DpArgument bins_max;
	DpDistanceBase offset_of; /* column NULL: none */
	const DpNamedColumn *own; /* the column itself, whose distance from that one is modelled */
	DpArgument derived_from;
	const char *fill_from; /* the list that fill_from names; NULL: it is not given */
} Declaration;

/* Whether an argument says anything: a flag that is false does not. */
static bool
is_given(FunctionCallInfo fcinfo, Argument argument)
{
	if (PG_ARGISNULL(argument))
		return false;
	return (argument != OPEN && argument != COMPLETE && argument != KEY) ||
		   PG_GETARG_BOOL(argument);
}

/* ---- kinds of domains ---- */

static void
read_categories(FunctionCallInfo fcinfo, const DpNamedColumn *column, Declaration *declaration)
{
	Datum *texts;
	int n;

	(void) dp_declared_values(PG_GETARG_DATUM(CATEGORIES), column, 1, "categories", &texts, &n);
	dp_declared_distinct(texts, n, column->name);
	declaration->labels = dp_text_array(texts, n);
}

static void
read_bins(FunctionCallInfo fcinfo, const DpNamedColumn *column, Declaration *declaration)
{
	Datum *texts;
	int n;
	Datum *values = dp_declared_values(PG_GETARG_DATUM(BINS), column, 2, "bin edges", &texts, &n);

	dp_declared_edges(column, values, n);
	dp_declared_edges_together(column, texts, n);
	declaration->labels = dp_text_array(texts, n);
}

static void
read_open(FunctionCallInfo fcinfo, const DpNamedColumn *column, Declaration *declaration)
{
	dp_check_open(column->name, column->type);
	declaration->labels = dp_text_array(NULL, 0);
}

/* The ends are kept as they are written, in words that mean them in every session. */
static void
read_range(FunctionCallInfo fcinfo, const DpNamedColumn *column, Declaration *declaration)
{
	DpBaseType type = dp_base_type(column->type, column->typmod);
	/* a domain's CHECK need not take the ends themselves */
	DpNamedColumn base = *column;
	DpRangeWords words = {0};
	Datum *texts;
	DpGrid grid;
	char *resolution;
	int n;

	base.type = type.type;
	base.typmod = type.typmod;
	dp_check_has_range(column->name, column->type, column->typmod);
	dp_range_ends(PG_GETARG_DATUM(RANGE), column->name, &words);
	if (!PG_ARGISNULL(RESOLUTION))
		words.resolution = text_to_cstring(PG_GETARG_TEXT_PP(RESOLUTION));
	resolution = dp_grid_declared(&words, &type, column->name, &grid);
	declaration->resolution = (DpArgument){TEXTOID, CStringGetTextDatum(resolution), false};
	(void) dp_declared_values(PG_GETARG_DATUM(RANGE), &base, 2, "a range", &texts, &n);
	declaration->labels = dp_text_array(texts, n);
}

/*
 * The pattern that a custodian declares for a column, in the form that is stored.
 *
 * Runs in the caller's backend; it sees the schema, and public tables.
 */

#define FILL_LIST_MAX 100000 /* values of a list */

static void
check_value(Relation relation, DpChecks *checks, const DpNamedColumn *column, const char *pattern)
{
	const char *reason = dp_fill_refusal(relation, checks, column->number - 1, pattern);

	if (reason != NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("column \"%s\" cannot be filled with \"%s\"", column->name, pattern),
						errdetail("%s", reason)));
}

/* Checks each value of a list. */
static char *
list_canonical(Relation relation, const DpNamedColumn *column, const char *words)
{
	DpPattern *pattern = dp_fill_pattern(words);
	DpChecks *checks = dp_checks_read(relation);
	uint32 n = dp_pattern_choices(pattern);
	StringInfoData list;

	if (n > FILL_LIST_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("too many values to fill column \"%s\"", column->name),
						errdetail("There are %u, and %d can be.", n, FILL_LIST_MAX)));
	initStringInfo(&list);
	for (uint32 i = 0; i < n; i++)
	{
		check_value(relation, checks, column, dp_fill_constant(dp_pattern_choice(pattern, i)));
		dp_fill_append(
			&list, dp_value_canonical(dp_pattern_choice(pattern, i), column->type, column->typmod),
			n == 1);
	}
	appendStringInfoChar(&list, '}');
	return list.data;
}

static void
check_columns(Relation relation, const char *words)
{
	DpPattern *pattern = dp_fill_pattern(words);
	int *index = dp_fill_columns(relation, pattern);

	for (uint32 i = 0; i < dp_pattern_columns(pattern); i++)
		if (index[i] < 0)
			dp_no_such_column(dp_pattern_column(pattern, i), RelationGetRelid(relation),
							  "A column was to be filled with what it holds. For braces that stand "
							  "for themselves write a list of one value, {\"...\"}.");
}

/* ERROR if the column must differ in each row and the pattern does not. */
static void
check_unique(Relation relation, const DpNamedColumn *column, const char *words, bool key)
{
	if (!dp_pattern_facts(words).unique &&
		(key || (!dp_pattern_is_null(words) && dp_schema_is_unique(relation, column->number - 1))))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						dp_pattern_facts(words).constant
							? errmsg("column \"%s\" would be the same in each row", column->name)
							: errmsg("column \"%s\" would repeat in some rows", column->name),
						errdetail("It is a key, or UNIQUE."),
						errhint("Put {n}, the number of the row, into the text.")));
}

/* ERROR if some rows would be NULL where none may be. */
static void
check_missing(Relation relation, const DpNamedColumn *column, const char *words, bool key)
{
	int percent = dp_pattern_facts(words).null_percent;
	const char *reason = NULL;

	if (percent > 0)
		reason = key ? "It is a key."
					 : dp_fill_refusal(relation, dp_checks_read(relation), column->number - 1,
									   DP_PATTERN_NULL);
	if (reason != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" cannot be NULL in %d %% of the rows", column->name, percent),
				 errdetail("%s", reason), errhint("Leave {null:%d} away.", percent)));
}

/* ERROR for a placeholder that would stand for itself by a slip. */
static void
check_read(const DpNamedColumn *column, const char *words)
{
	const char *unread = dp_pattern_unread(words);

	if (unread != NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the fill of column \"%s\" is not understood from \"%s\" on",
							   column->name, unread),
						errhint("Write {null:30}, with 0 to 100 percent, or {check:luhn}, ean or "
								"iban.")));
}

/* Whether values of the type are written in braces. */
static bool
reads_braces(Oid type)
{
	Oid base = getBaseType(type);

	return OidIsValid(get_element_type(base)) || type_is_multirange(base);
}

/*
 * The pattern that a custodian declares for a column, in a form that does not depend on the
 * session's settings. ERROR unless the column can hold its texts, the texts differ in each row if
 * they must, and the columns that it names exist. key: the texts must differ.
 */
static const char *
fill_declared(Oid oid, const DpNamedColumn *column, const char *words, bool key)
{
	Relation relation = relation_open(oid, AccessShareLock);

	check_read(column, words);
	check_missing(relation, column, words, key);
	if (reads_braces(column->type) && !dp_pattern_is_null(words) &&
		!dp_pattern_facts(words).unique && !dp_pattern_facts(words).place &&
		!dp_pattern_facts(words).letters)
		words = dp_fill_constant(words);
	if (dp_pattern_is_list(words))
		words = list_canonical(relation, column, words);
	else
	{
		if (dp_pattern_facts(words).column)
			check_columns(relation, words);
		check_value(relation, dp_checks_read(relation), column, words);
		if (dp_pattern_facts(words).constant && !dp_pattern_is_null(words))
			words = dp_fill_constant(dp_value_canonical(words, column->type, column->typmod));
	}
	check_unique(relation, column, words, key);
	relation_close(relation, AccessShareLock);
	return words;
}

/* ---- values of a public table ---- */

/* Parses "public.first_names(name)". ERROR if it does not have this form. */
static void
split_from(const char *words, const char *column, char **table, char **name)
{
	const char *open = strrchr(words, '(');
	size_t length = strlen(words);
	List *names = NIL;

	if (open == NULL || open == words || words[length - 1] != ')' ||
		!SplitIdentifierString(pnstrdup(open + 1, words + length - 2 - open), '.', &names) ||
		list_length(names) != 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("fill_from of column \"%s\" names no column of a table", column),
						errhint("Write fill_from => 'public.first_names(name)'.")));
	*table = pnstrdup(words, open - words);
	*name = linitial(names);
}

/* The values of a column of a public table, "public.first_names(name)", as a list. Reads them with
 * the rights of the current user; ERROR for a table that is not declared public. */
static const char *
dp_fill_from(const char *words, const char *column)
{
	char *table, *name;
	const char **value;
	uint64 n;
	StringInfoData list;

	split_from(words, column, &table, &name);
	value = dp_dictionary_public_values(table, name, &n);
	if (n > FILL_LIST_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("too many values to fill column \"%s\"", column),
						errdetail("Table %s has " UINT64_FORMAT ", and %d can be.", table, n,
								  FILL_LIST_MAX)));
	initStringInfo(&list);
	for (uint64 i = 0; i < n; i++)
		dp_fill_append(&list, value[i], n == 1);
	appendStringInfoChar(&list, '}');
	return list.data;
}

/* The pattern that key, fill and fill_from declare for the column. */
static const char *
pattern_from_arguments(FunctionCallInfo fcinfo, const DpNamedColumn *column, const char *from)
{
	const char *pattern = from;

	if (column->number == InvalidAttrNumber)
		return ""; /* there is no such column, which is said soon */
	if (pattern == NULL && PG_ARGISNULL(FILL))
		pattern = dp_fill_key_pattern(column->name, column->type, column->typmod);
	else if (pattern == NULL)
		pattern = text_to_cstring(PG_GETARG_TEXT_PP(FILL));
	if (pattern == NULL)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("column \"%s\" of type %s cannot be a key", column->name,
							   format_type_be(column->type)),
						errdetail("Keys are integers, numeric, uuid or text."),
						errhint("Say what it holds: fill => '...{n}...'.")));
	return fill_declared(PG_GETARG_OID(RELATION), column, pattern, is_given(fcinfo, KEY));
}

static void
read_fill(FunctionCallInfo fcinfo, const DpNamedColumn *column, Declaration *declaration)
{
	Datum pattern =
		CStringGetTextDatum(pattern_from_arguments(fcinfo, column, declaration->fill_from));

	declaration->labels = dp_text_array(&pattern, 1);
}

/* The dictionary is kept as it is, whatever becomes of the table that it was made of. */
static void
read_derived(FunctionCallInfo fcinfo, const DpNamedColumn *column, Declaration *declaration)
{
	const char *base = NameStr(*PG_GETARG_NAME(DERIVED_FROM));
	DpNamedColumn from;

	if (!dp_named_column(PG_GETARG_OID(RELATION), base, &from))
		dp_no_such_column(base, PG_GETARG_OID(RELATION), "A column was to be derived from it.");
	if (strcmp(base, column->name) == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("column \"%s\" cannot be derived from itself", column->name)));
	if (PG_ARGISNULL(DOMAIN))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("no dictionary is given for column \"%s\"", column->name),
						errhint("Give its values as domain => '{\"10115\": \"Berlin\"}'.")));
	dp_check_dictionary(PG_GETARG_JSONB_P(DOMAIN), column->name);
	declaration->derived_from = dp_name_argument(base);
	declaration->labels = dp_text_array(NULL, 0);
}

/* It is kept in words that mean it in every session. */
static void
read_computed(FunctionCallInfo fcinfo, const DpNamedColumn *column, Declaration *declaration)
{
	Datum words = CStringGetTextDatum(dp_computed_declared(
		PG_GETARG_OID(RELATION), column->name, text_to_cstring(PG_GETARG_TEXT_PP(COMPUTED))));

	declaration->labels = dp_text_array(&words, 1);
}

/* The kinds of domains; one call gives at most one. */
static const struct Kind
{
	Argument argument;
	const char *name;
	void (*read)(FunctionCallInfo fcinfo, const DpNamedColumn *column, Declaration *declaration);
} kinds[] = {
	{CATEGORIES, "categories", read_categories},
	{BINS, "bins", read_bins},
	{OPEN, "open", read_open},
	{RANGE, "range", read_range},
	{DERIVED_FROM, "derived", read_derived},
	{KEY, "key", read_fill},
	{FILL, "fill", read_fill},
	{FILL_FROM, "fill", read_fill},
	{COMPUTED, "computed", read_computed},
};

/* The kind that is given; NULL: none. */
static const struct Kind *
kind_given(FunctionCallInfo fcinfo, const DpNamedColumn *column)
{
	const struct Kind *found = NULL;

	for (size_t i = 0; i < lengthof(kinds); i++)
	{
		if (!is_given(fcinfo, kinds[i].argument) ||
			(kinds[i].argument == FILL && is_given(fcinfo, KEY))) /* what the key looks like */
			continue;
		if (found != NULL)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("more than one domain given for column \"%s\"", column->name),
					 errhint("Give categories, or bins, or a range, or open => true, or key and "
							 "fill, or fill_from, or computed.")));
		found = &kinds[i];
	}
	return found;
}

/*
 * A jsonb column is modelled as a whole or by its fields, and of a field none is inside of another.
 * What is not modelled is no field: it is left out of the object.
 */
static void
check_fields(const DpDataset *dataset, const DpNamedColumn *column, const struct Kind *kind)
{
	ListCell *cell;

	if (column->field != NULL && kind->argument != CATEGORIES && kind->argument != BINS &&
		kind->argument != RANGE && kind->argument != OPEN)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("\"%s\" is a field of a jsonb column", column->name),
						errhint("Fields have categories, bins, a range, or open => true.")));
	if (column->field != NULL && column->field->part != DP_NO_RANGE_PART &&
		(column->field->part == DP_RANGE_BOUNDS
			 ? kind->argument != CATEGORIES
			 : kind->argument != BINS && kind->argument != RANGE))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%s\" is a part of a range", column->name),
				 errhint("The bounds of a range have categories, its ends bins or a range.")));
	foreach (cell, dp_declarations_read(dataset->id))
	{
		const DpDeclaration *other = lfirst(cell);
		const DpJsonField *field = dp_is_json_field_name(other->column)
									   ? dp_json_field_of_name(other->column, other->type)
									   : NULL;

		if (field != NULL && column->field != NULL)
			dp_check_json_fields_apart(column->field, field);
		else if ((field != NULL && strcmp(field->column, column->name) == 0) ||
				 (column->field != NULL && strcmp(column->field->column, other->column) == 0))
			ereport(
				ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" is declared by \"%s\" already", column->name, other->column),
				 errhint("Take that back: dp_define_column with nothing but its name.")));
	}
}

/* ---- what goes with a domain of some kind ---- */

static void
read_other(FunctionCallInfo fcinfo, const DpNamedColumn *column, Declaration *declaration)
{
	const DpNamedColumn *own = declaration->offset_of.column == NULL ? column : declaration->own;
	char *words = text_to_cstring(PG_GETARG_TEXT_PP(OTHER));
	DpValueContext context = {.column = own->name, .what = "other"};
	Datum value = dp_column_value_in(words, own->type, own->typmod, &context);
	int level = dp_values_begin();
	Datum *texts;
	int n;

	if (!PG_ARGISNULL(RANGE) && declaration->offset_of.column == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("other does not fit the domain of column \"%s\"", own->name),
						errhint("Values outside of a range are clamped, and NULL stays NULL. Only "
								"a distance, offset_of, has another value.")));
	words = dp_value_out(value, own->type);
	dp_values_end(level);
	texts = dp_elements(declaration->labels, NULL, &n);
	for (int i = 0; !PG_ARGISNULL(CATEGORIES) && i < n; i++)
		if (strcmp(TextDatumGetCString(texts[i]), words) == 0)
			ereport(
				ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%s\" is a category of column \"%s\" and cannot stand for other values",
						words, column->name),
				 errhint("Leave it out of the categories.")));
	declaration->other = (DpArgument){TEXTOID, CStringGetTextDatum(words), false};
}

/* The custodian states that there is nothing but the categories. */
static void
read_complete(FunctionCallInfo fcinfo, const DpNamedColumn *column, Declaration *declaration)
{
	if (!PG_ARGISNULL(OTHER))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("complete does not fit the domain of column \"%s\"", column->name),
				 errhint("Only categories can be complete, and then nothing stands for other "
						 "values.")));
	declaration->complete = true;
}

/*
 * What an open column may hold. It is checked now, and kept with the values of its dictionaries, so
 * that it stays as it was declared, whatever becomes of their tables.
 */
static void
read_domain(FunctionCallInfo fcinfo, const DpNamedColumn *column, Declaration *declaration)
{
	DpArena arena = dp_arena_for(CurrentMemoryContext);
	Jsonb *domain;

	if (!PG_ARGISNULL(DERIVED_FROM))
	{
		declaration->domain = (DpArgument){JSONBOID, PG_GETARG_DATUM(DOMAIN), false};
		return;
	}
	domain = DatumGetJsonbP(DirectFunctionCall1(
		jsonb_in,
		CStringGetDatum(dp_domain_expand(PG_GETARG_JSONB_P(DOMAIN), getBaseType(column->type)))));

	(void) dp_universe_from_json(domain, column->name, column->type, column->typmod, &arena);
	declaration->domain = (DpArgument){JSONBOID, JsonbPGetDatum(domain), false};
}

/* The column of distances is declared by now, and the declaration names the base. */
static void
read_offset(FunctionCallInfo fcinfo, const DpNamedColumn *column, Declaration *declaration)
{
	(void) fcinfo;
	dp_check_distance_circle(&declaration->dataset, column->name, &declaration->offset_of);
}

/* Declares the column of the distances between this column and offset_of. */
static DpNamedColumn
distance_column(FunctionCallInfo fcinfo, const DpNamedColumn *column, Declaration *declaration)
{
	if (column->field != NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						column->field->part == DP_NO_RANGE_PART
							? errmsg("\"%s\" is a field of a jsonb column", column->name)
							: errmsg("\"%s\" is a part of a range", column->name),
						errdetail("Distances are between columns.")));
	declaration->own = column;
	declaration->offset_of = dp_distance_base_named(&declaration->dataset,
													text_to_cstring(PG_GETARG_TEXT_PP(OFFSET_OF)));
	dp_check_distance(PG_GETARG_OID(RELATION), column->name, column->type, &declaration->offset_of);
	return (DpNamedColumn){.name = column->name,
						   .number = column->number,
						   .type = dp_distance_type(column->type),
						   .typmod = -1};
}

static void
read_bins_max(FunctionCallInfo fcinfo, const DpNamedColumn *column, Declaration *declaration)
{
	int32 bins_max = PG_GETARG_INT32(BINS_MAX);

	if (bins_max < 2 || bins_max > DP_GRID_BINS_MAX)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("bins_max of column \"%s\" must be between 2 and %d", column->name,
							   (int) DP_GRID_BINS_MAX)));
	declaration->bins_max = DP_INT32(bins_max);
}

/*
 * Arguments that go with domains of some kinds. Some are read with the rights of the relation's
 * owner, since they run the input function of the column's type, and others with the caller's.
 */
static const struct Companion
{
	Argument argument;
	const char *kinds; /* "|bins|open|" */
	bool as_owner;
	void (*read)(FunctionCallInfo fcinfo, const DpNamedColumn *column, Declaration *declaration);
	const char *message; /* where another kind is given */
	const char *hint;
} companions[] = {
	{OTHER, "|categories|bins|open|range|", true, read_other, "other does not fit the domain",
	 "What is filled has no other values."},
	{COMPLETE, "|categories|", false, read_complete, "complete does not fit the domain",
	 "Only categories can be complete, and then nothing stands for other values."},
	{DOMAIN, "|open|derived|", false, read_domain, "a domain does not fit the domain",
	 "Only open and derived columns have one, open => true."},
	{OFFSET_OF, "|bins|range|", false, read_offset, "offset_of does not fit the domain",
	 "Only bins and ranges are of a distance."},
	{RESOLUTION, "|range|", false, NULL, "a resolution does not fit the domain",
	 "Only ranges have one, range => '{0,120}'."},
	{BINS_MAX, "|range|", false, read_bins_max, "bins_max does not fit the domain",
	 "Only ranges have it, range => '{0,120}'."},
};

static void
read_companions(FunctionCallInfo fcinfo, const DpNamedColumn *column, bool as_owner,
				Declaration *declaration)
{
	for (size_t i = 0; i < lengthof(companions); i++)
	{
		const struct Companion *companion = &companions[i];

		if (companion->as_owner != as_owner || !is_given(fcinfo, companion->argument))
			continue;
		if (strstr(companion->kinds, psprintf("|%s|", declaration->kind)) == NULL)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("%s of column \"%s\"", companion->message, column->name),
							errhint("%s", companion->hint)));
		if (companion->read != NULL)
			companion->read(fcinfo, column, declaration);
	}
}

/* Without a domain, what goes with one would be taken for the removal of it. */
static void
check_no_companion(FunctionCallInfo fcinfo, const DpNamedColumn *column)
{
	if (!PG_ARGISNULL(RESOLUTION) || !PG_ARGISNULL(BINS_MAX) || !PG_ARGISNULL(OFFSET_OF))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("no range is given for column \"%s\"", column->name),
						errhint("Write the range that the column has beside its resolution, "
								"bins_max and offset_of; dp_columns shows it.")));
	for (size_t i = 0; i < lengthof(companions); i++)
		if (is_given(fcinfo, companions[i].argument))
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("no kind of domain is given for column \"%s\"", column->name),
							errhint("%s", companions[i].hint)));
}

/* ---- the catalog ---- */

static void
declaration_write(const DpNamedColumn *column, const Declaration *declaration)
{
	const DpDistanceBase *from = &declaration->offset_of;

	(void) dp_catalog_write(
		"INSERT INTO dp_catalog.dp_dataset_column (dataset, column_name, type, kind, labels, other,"
		" complete, domain, resolution, bins_max, offset_of, derived_from, offset_relation)"
		" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"
		" ON CONFLICT (dataset, column_name) DO UPDATE"
		" SET type = $3, kind = $4, labels = $5, other = $6, complete = $7, domain = $8,"
		" resolution = $9, bins_max = $10, offset_of = $11, derived_from = $12,"
		" offset_relation = $13",
		DP_ARGUMENTS(DP_INT32(declaration->dataset.id), dp_name_argument(column->name),
					 DP_OID(column->type), {TEXTOID, CStringGetTextDatum(declaration->kind), false},
					 {TEXTARRAYOID, declaration->labels, false}, declaration->other,
					 DP_BOOL(declaration->complete), declaration->domain, declaration->resolution,
					 declaration->bins_max,
					 from->column == NULL ? (DpArgument){NAMEOID, 0, true}
										  : dp_name_argument(from->column),
					 declaration->derived_from, DP_OID(from->relation)));
}

/* It is reported, since an argument that a query made can be NULL where something was meant. */
static void
declaration_remove(Oid relation, int32 dataset, const DpNamedColumn *column, bool exists)
{
	uint64 removed = dp_catalog_write(
		"DELETE FROM dp_catalog.dp_dataset_column WHERE dataset = $1 AND column_name = $2",
		DP_ARGUMENTS(DP_INT32(dataset), dp_name_argument(column->name)));

	if (removed == 0 && !exists)
		dp_no_such_column(column->name, relation, NULL);
	if (removed > 0)
		ereport(NOTICE,
				(errmsg("what was declared of column \"%s\" is taken back", column->name),
				 errdetail("Nothing is given for it: no categories, bins, range or fill.")));
}

Datum
dp_define_column(PG_FUNCTION_ARGS)
{
	Declaration declaration = {.other = {TEXTOID, 0, true},
							   .domain = {JSONBOID, 0, true},
							   .resolution = {TEXTOID, 0, true},
							   .bins_max = {INT4OID, 0, true},
							   .derived_from = {NAMEOID, 0, true}};
	const struct Kind *kind;
	DpDataset *const dataset = &declaration.dataset;
	DpNamedColumn column;
	DpNamedColumn modelled; /* the column, or its distances */
	DpUserContext user_context;
	bool exists;

	if (PG_ARGISNULL(RELATION) || PG_ARGISNULL(COLUMN_NAME))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("relation and column_name must not be null")));
	dp_check_custodian(PG_GETARG_OID(RELATION), "declare its public domains");
	dp_dataset_get(PG_GETARG_OID(RELATION), false, dataset);
	exists =
		dp_named_column(PG_GETARG_OID(RELATION), NameStr(*PG_GETARG_NAME(COLUMN_NAME)), &column) ||
		dp_named_field(PG_GETARG_OID(RELATION), NameStr(*PG_GETARG_NAME(COLUMN_NAME)), &column);
	if (!exists)
		column = (DpNamedColumn){
			.name = NameStr(*PG_GETARG_NAME(COLUMN_NAME)), .type = TEXTOID, .typmod = -1};

	kind = kind_given(fcinfo, &column);
	if (kind == NULL)
	{
		check_no_companion(fcinfo, &column);
		declaration_remove(PG_GETARG_OID(RELATION), dataset->id, &column, exists);
		PG_RETURN_VOID();
	}
	declaration.kind = kind->name;
	if (is_given(fcinfo, FILL_FROM))
		declaration.fill_from =
			dp_fill_from(text_to_cstring(PG_GETARG_TEXT_PP(FILL_FROM)), column.name);
	dp_become_owner(&user_context, dp_relation_owner(PG_GETARG_OID(RELATION)));
	if (!exists)
		dp_no_such_column(column.name, PG_GETARG_OID(RELATION), NULL);
	if (!dp_may_become(GetUserId(), dp_relation_owner(PG_GETARG_OID(RELATION))))
		column.type = getBaseTypeAndTypmod(column.type, &column.typmod);
	check_fields(dataset, &column, kind);
	modelled = PG_ARGISNULL(OFFSET_OF) ? column : distance_column(fcinfo, &column, &declaration);
	kind->read(fcinfo, &modelled, &declaration);
	read_companions(fcinfo, &modelled, true, &declaration);
	dp_unelevate(&user_context);
	read_companions(fcinfo, &modelled, false, &declaration);
	declaration_write(&column, &declaration);
	PG_RETURN_VOID();
}
