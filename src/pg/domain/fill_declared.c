/*
 * fill_declared.c -- the pattern that a custodian declares for a column, in the form that is
 * stored.
 *
 * A list from a public table is stored as a copy, as dictionaries are. So the declaration does not
 * change with the table, and a release gives the same rows later.
 */
#include "pg/domain/fill_declared.h"

#include "access/relation.h"
#include "lib/stringinfo.h"
#include "nodes/pg_list.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"
#include "utils/varlena.h"

#include "pg/domain/dictionary.h"
#include "pg/domain/fill.h"
#include "pg/domain/fill_pattern.h"
#include "pg/domain/schema_checks.h"
#include "pg/domain/schema_keys.h"
#include "pg/server/catalog.h"
#include "pg/server/values.h"

/* A value in a text form that does not depend on the session's settings. */
static const char *
value_canonical(const DpNamedColumn *column, const char *words)
{
	Datum value = dp_value_in(words, column->type, column->typmod);
	int level = dp_values_begin();

	words = dp_value_out(value, column->type);
	dp_values_end(level);
	return words;
}

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

	if (n > DP_FILL_LIST_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("too many values to fill column \"%s\"", column->name),
						errdetail("There are %u, and %d can be.", n, DP_FILL_LIST_MAX)));
	initStringInfo(&list);
	for (uint32 i = 0; i < n; i++)
	{
		check_value(relation, checks, column, dp_fill_constant(dp_pattern_choice(pattern, i)));
		dp_fill_append(&list, value_canonical(column, dp_pattern_choice(pattern, i)), n == 1);
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
	if (!dp_pattern_is_unique(words) &&
		(key || (!dp_pattern_is_null(words) && dp_schema_is_unique(relation, column->number - 1))))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						dp_pattern_is_constant(words)
							? errmsg("column \"%s\" would be the same in each row", column->name)
							: errmsg("column \"%s\" would repeat in some rows", column->name),
						errdetail("It is a key, or UNIQUE."),
						errhint("Put {n}, the number of the row, into the text.")));
}

/* Whether values of the type are written in braces. */
static bool
reads_braces(Oid type)
{
	Oid base = getBaseType(type);

	return OidIsValid(get_element_type(base)) || type_is_multirange(base);
}

const char *
dp_fill_declared(Oid oid, const DpNamedColumn *column, const char *words, bool key)
{
	Relation relation = relation_open(oid, AccessShareLock);

	if (reads_braces(column->type) && !dp_pattern_is_null(words) && !dp_pattern_is_unique(words) &&
		!dp_pattern_has_place(words) && !dp_pattern_has_letters(words))
		words = dp_fill_constant(words);
	if (dp_pattern_is_list(words))
		words = list_canonical(relation, column, words);
	else
	{
		if (dp_pattern_has_column(words))
			check_columns(relation, words);
		check_value(relation, dp_checks_read(relation), column, words);
		if (dp_pattern_is_constant(words) && !dp_pattern_is_null(words))
			words = dp_fill_constant(value_canonical(column, words));
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

const char *
dp_fill_from(const char *words, const char *column)
{
	char *table, *name;
	const char **value;
	uint64 n;
	StringInfoData list;

	split_from(words, column, &table, &name);
	value = dp_dictionary_public_values(table, name, &n);
	if (n > DP_FILL_LIST_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("too many values to fill column \"%s\"", column),
						errdetail("Table %s has " UINT64_FORMAT ", and %d can be.", table, n,
								  DP_FILL_LIST_MAX)));
	initStringInfo(&list);
	for (uint64 i = 0; i < n; i++)
		dp_fill_append(&list, value[i], n == 1);
	appendStringInfoChar(&list, '}');
	return list.data;
}
