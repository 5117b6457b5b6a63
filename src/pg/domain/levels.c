/*
 * levels.c -- combinations of levels, as a custodian writes them and as dpsyn's catalog keeps them.
 *
 * They are kept as texts, so that they stay true when levels get other numbers: a category by its
 * label, a bin as "[lower,upper)", the last one as "[lower,upper]", and the level "other" as
 * NULL.
 */
#include "pg/domain/levels.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "core/domain/zeros.h"
#include "pg/server/arguments.h"
#include "pg/server/catalog.h"
#include "pg/server/untrusted_code.h"
#include "pg/server/values.h"

/* ---- levels by their texts ---- */

static int
compare_levels(const void *a, const void *b)
{
	return strcmp(((const DpLevel *) a)->text, ((const DpLevel *) b)->text);
}

const char *
dp_level_text(const DpAttribute *attribute, uint32 code)
{
	if (attribute->kind != DP_BINS)
		return attribute->labels[code];
	return psprintf("[%s,%s%c", attribute->labels[code], attribute->labels[code + 1],
					code + 2 == attribute->labels_n ? ']' : ')');
}

static void
levels_make(const DpAttribute *attribute, DpLevels *levels)
{
	levels->n = attribute->levels - attribute->has_other;
	levels->level = palloc(sizeof(DpLevel) * Max(levels->n, 1));
	for (uint32 i = 0; i < levels->n; i++)
		levels->level[i] = (DpLevel){dp_level_text(attribute, i), i};
	qsort(levels->level, levels->n, sizeof(DpLevel), compare_levels);
}

int64
dp_level_find(const DpAttribute *attribute, DpLevels *levels, const char *text)
{
	DpLevel key = {text, 0};
	DpLevel *found;

	if (text == NULL)
		return attribute->has_other ? (int64) attribute->levels - 1 : -1;
	if (levels->n == 0)
		levels_make(attribute, levels);
	found = bsearch(&key, levels->level, levels->n, sizeof(DpLevel), compare_levels);
	return found == NULL ? -1 : (int64) found->code;
}

/* Whether texts of a type can be read: of a base type, or an array or a range of it. */
static bool
is_readable(Oid type)
{
	Oid part = OidIsValid(type) ? dp_type_of_parts(type) : InvalidOid;

	return OidIsValid(part) && !dp_type_runs_code(type) && get_typtype(part) == TYPTYPE_BASE &&
		   !dp_type_names_objects(part);
}

static bool
is_compared_by_bytes(Oid type, Oid collation)
{
	return (type == TEXTOID || type == VARCHAROID) &&
		   (!OidIsValid(collation) || get_collation_isdeterministic(collation));
}

/* Many texts can be read for each value. */
int64
dp_text_meant(const char *const *texts, uint64 n, Oid type, Oid collation, const char *text)
{
	TypeCacheEntry *cache;
	MemoryContext context, caller;
	Datum value;
	int64 found = -1;

	if (!is_readable(type) || is_compared_by_bytes(type, collation))
		return -1;
	cache = lookup_type_cache(type, TYPECACHE_EQ_OPR_FINFO);
	if (!OidIsValid(cache->eq_opr_finfo.fn_oid))
		return -1;
	value = dp_value_in(text, type, -1);
	context = AllocSetContextCreate(CurrentMemoryContext, "dpsyn levels", ALLOCSET_SMALL_SIZES);
	caller = MemoryContextSwitchTo(context);
	for (uint64 i = 0; found < 0 && i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (DatumGetBool(FunctionCall2Coll(&cache->eq_opr_finfo,
										   OidIsValid(collation) ? collation : C_COLLATION_OID,
										   dp_value_in(texts[i], type, -1), value)))
			found = (int64) i;
		if (i % 1000 == 0)
			MemoryContextReset(context);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
	return found;
}

int64
dp_level_meant(const DpAttribute *attribute, Oid type, Oid collation, DpLevels *levels,
			   const char *text)
{
	int64 code = dp_level_find(attribute, levels, text);

	if (code >= 0 || text == NULL || attribute->kind != DP_CATEGORIES || !is_readable(type))
		return code;
	code = dp_level_find(attribute, levels, dp_value_out(dp_value_in(text, type, -1), type));
	return code >= 0 ? code
					 : dp_text_meant(attribute->labels, attribute->labels_n, type, collation, text);
}

size_t
dp_longest_label(const DpAttribute *attribute)
{
	size_t longest = 0;

	for (uint32 i = 0; i < attribute->labels_n; i++)
		longest = Max(longest, strlen(attribute->labels[i]));
	if (attribute->range != NULL && attribute->range->listed != NULL)
		for (int64 i = 0; i <= attribute->range->grid.last; i++)
			longest = Max(longest, strlen(attribute->range->listed[i]));
	return longest;
}

bool
dp_range_text_read(const char *text, const char **low, const char **high, bool *closed)
{
	size_t n = strlen(text);
	const char *comma = strchr(text, ',');

	if (n < 3 || text[0] != '[' || comma == NULL || (text[n - 1] != ')' && text[n - 1] != ']'))
		return false;
	*low = comma > text + 1 ? pnstrdup(text + 1, comma - text - 1) : NULL;
	*high = comma < text + n - 2 ? pnstrdup(comma + 1, text + n - 2 - comma) : NULL;
	*closed = text[n - 1] == ']';
	return true;
}

/* ---- what a custodian declares ---- */

static int
compare_names(const void *a, const void *b, void *context)
{
	Datum *names = context;

	return strcmp(NameStr(*DatumGetName(names[*(const int *) a])),
				  NameStr(*DatumGetName(names[*(const int *) b])));
}

static void
columns_argument(FunctionCallInfo fcinfo, DpLevelSet *set)
{
	bool *nulls;
	Datum *names = dp_elements(PG_GETARG_DATUM(1), &nulls, &set->width);

	if (set->width > DP_ZEROS_WIDTH_MAX || (set->width < 1 && dp_level_any_given(fcinfo)))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("between 1 and %d columns must be named", DP_ZEROS_WIDTH_MAX)));
	set->name = palloc(sizeof(char *) * set->width);
	set->given = palloc(sizeof(int) * set->width);
	for (int k = 0; k < set->width; k++)
	{
		if (nulls[k])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("columns must not contain NULL")));
		set->given[k] = k;
	}
	qsort_arg(set->given, set->width, sizeof(int), compare_names, names);
	for (int k = 0; k < set->width; k++)
	{
		set->name[k] = NameStr(*DatumGetName(names[set->given[k]]));
		if (k > 0 && strcmp(set->name[k - 1], set->name[k]) == 0)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("column \"%s\" is given twice", set->name[k])));
	}
}

void
dp_level_set(FunctionCallInfo fcinfo, const char *action, DpLevelSet *set)
{
	*set = (DpLevelSet){0};
	dp_check_not_null(fcinfo, 0, "relation");
	set->relation = PG_GETARG_OID(0);
	dp_check_custodian(set->relation, action);
	dp_dataset_get(set->relation, false, &set->dataset);
	dp_check_declared_array(fcinfo, 1, "columns");
	dp_check_declared_array(fcinfo, 2, "cells");
	columns_argument(fcinfo, set);
}

void
dp_level_domain(DpLevelSet *set)
{
	set->domain = dp_relation_domain(set->relation, set->dataset.id, false);
	set->attribute = palloc(sizeof(uint32) * set->width);
	set->levels = palloc0(sizeof(DpLevels) * set->width);
	for (int k = 0; k < set->width; k++)
	{
		uint32 index = dp_relation_attribute(set->domain, set->name[k]);

		if (!dp_attribute_has_levels(&set->domain->domain.attribute[index]))
			ereport(
				ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 set->domain->domain.attribute[index].open
					 ? errmsg("column \"%s\" is open: its levels are known to no one", set->name[k])
					 : errmsg("column \"%s\" has a range: each release finds its own bins",
							  set->name[k]),
				 errhint("Declare its %s with dp_define_column.",
						 set->domain->domain.attribute[index].open ? "categories" : "bins")));
		set->attribute[k] = index;
	}
}

/* The text of the bin that a value lies in; NULL if it lies in none. */
static const char *
bin_of_value(const DpAttribute *attribute, const DpColumn *column, Datum value)
{
	TypeCacheEntry *type = lookup_type_cache(getBaseType(column->type), TYPECACHE_CMP_PROC_FINFO);
	uint32 bins = attribute->labels_n - 1;

	for (uint32 i = 0; i <= bins; i++)
	{
		Datum edge = dp_value_in(attribute->labels[i], column->type, column->typmod);
		int32 order =
			DatumGetInt32(FunctionCall2Coll(&type->cmp_proc_finfo, column->collation, value, edge));

		if (order < 0)
			return i == 0 ? NULL : dp_level_text(attribute, i - 1);
		if (order == 0)
			return dp_level_text(attribute, Min(i, bins - 1));
	}
	return NULL;
}

/*
 * The text that is stored for the level of column k that the custodian means by words. Values are
 * read with the settings of the session, labels with pinned ones.
 */
static const char *
level_of_argument(const DpLevelSet *set, int k, char *words)
{
	const DpAttribute *attribute = &set->domain->domain.attribute[set->attribute[k]];
	const DpColumn *column = &set->domain->column[set->attribute[k]];
	int32 typmod = column->typmod;
	Oid type = column->type;
	const char *text;
	Datum value;
	int level;

	if (words == NULL || (attribute->kind == DP_BINS && words[0] == '['))
		return words;
	if (!dp_may_become(GetUserId(), dp_relation_owner(set->relation)))
		type = getBaseTypeAndTypmod(type, &typmod); /* no CHECK of the owner's runs as another */
	value = dp_value_in(words, type, typmod);
	level = dp_values_begin();
	if (attribute->kind == DP_BINS)
		text = bin_of_value(attribute, column, value);
	else
		text = dp_value_out(value, type);
	dp_values_end(level);
	if (text == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%s\" is in no bin of column \"%s\"", words, attribute->name),
				 errhint("Its bins are in the view dp_columns. Write one as it stands there, "
						 "or a value inside of it.")));
	if (attribute->other && strcmp(text, attribute->other) == 0)
		return NULL;
	return text;
}

static Datum
stored_level(const DpLevelSet *set, int k, char *words, bool *isnull)
{
	const DpAttribute *attribute = &set->domain->domain.attribute[set->attribute[k]];
	const char *text = level_of_argument(set, k, words);

	if (dp_level_find(attribute, &set->levels[k], text) < 0)
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 words
				 ? errmsg("\"%s\" is no level of column \"%s\"", words, attribute->name)
				 : errmsg("column \"%s\" has no level for NULL and other values", attribute->name),
			 errhint(
				 "Write a category as it is declared, a bin as [lower,upper) or as any value "
				 "in it, and NULL for the level that stands for other values; the view dp_columns "
				 "shows the levels.")));
	*isnull = text == NULL;
	return text ? CStringGetTextDatum(text) : (Datum) 0;
}

static void
check_shape(const ArrayType *array, int n, int width)
{
	bool fits = ARR_NDIM(array) == 2 ? ARR_DIMS(array)[1] == width
									 : ARR_NDIM(array) == 1 && (width == 1 || n == width);

	if (!fits)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("combinations must be an array of arrays of %d levels", width),
						errdetail("Each has one level for each of the columns, in the same order."),
						errhint("For instance '{{<=20,Widowed},{<=20,NULL}}'.")));
	if (n / width > DP_ZEROS_TUPLES_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("too many combinations"),
						errdetail("The limit is %d.", DP_ZEROS_TUPLES_MAX)));
}

bool
dp_level_any_given(FunctionCallInfo fcinfo)
{
	const ArrayType *array = PG_GETARG_ARRAYTYPE_P(2);

	return ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)) > 0;
}

ArrayType *
dp_level_combinations(FunctionCallInfo fcinfo, DpLevelSet *set, int *tuples)
{
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(2);
	bool *nulls;
	int n;
	Datum *texts = dp_elements(PointerGetDatum(array), &nulls, &n);
	Datum *levels = palloc(sizeof(Datum) * n);
	bool *none = palloc(sizeof(bool) * n);
	DpUserContext user_context;
	int lower = 1;

	*tuples = n / set->width;
	check_shape(array, n, set->width);
	dp_become_owner(&user_context, dp_relation_owner(set->relation));
	for (int i = 0; i < *tuples; i++)
	{
		CHECK_FOR_INTERRUPTS();
		for (int k = 0; k < set->width; k++)
		{
			int from = i * set->width + set->given[k];
			int to = i * set->width + k;

			levels[to] = stored_level(set, k, nulls[from] ? NULL : TextDatumGetCString(texts[from]),
									  &none[to]);
		}
	}
	dp_unelevate(&user_context);
	return construct_md_array(levels, none, 1, &n, &lower, TEXTOID, -1, false, TYPALIGN_INT);
}

Datum
dp_level_names(const DpLevelSet *set)
{
	Datum *names = palloc(sizeof(Datum) * set->width);

	for (int k = 0; k < set->width; k++)
		names[k] = DirectFunctionCall1(namein, CStringGetDatum(set->name[k]));
	return PointerGetDatum(
		construct_array(names, set->width, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR));
}

/* ---- what was declared, for a release ---- */

/* ERROR: the column is not as it was, or, if it has levels, a level of it is gone. */
static DP_NORETURN void
outdated(const DpDeclared *declared, const char *column, bool has_levels)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		 errmsg("declared %s of relation \"%s\" do not fit column \"%s\" any more", declared->what,
				dp_relation_words(declared->relation->oid), column),
		 has_levels ? errdetail("A level that they name is not in its public domain.")
					: errdetail("It does not exist, has no public domain, or is open."),
		 errhint("Its custodian can declare them again, or remove them, with dp_define_cells.")));
}

int
dp_declared_attribute(const DpDeclared *declared, const char *column)
{
	const DpRelation *relation = declared->relation;
	int index = dp_domain_find(&relation->domain, column);
	bool asserted = index >= 0 && strcmp(relation->column[index].source, "asserted") == 0;

	if (index >= 0 && dp_attribute_has_levels(&relation->domain.attribute[index]))
		return index;
	if (declared->strict && !asserted)
		outdated(declared, column, false);
	return -1;
}

int64
dp_declared_code(const DpDeclared *declared, uint32 attribute, DpLevels *levels, const char *text)
{
	const DpAttribute *found = &declared->relation->domain.attribute[attribute];
	int64 code = dp_level_find(found, levels, text);

	if (code < 0 && declared->strict)
		outdated(declared, found->name, true);
	return code;
}
