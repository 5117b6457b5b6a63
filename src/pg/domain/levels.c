/*
 * levels.c -- combinations of levels, as a custodian writes them and as dpsyn's catalog
 * keeps them: texts that name levels whatever their numbers. The label of a
 * category, "[lower,upper)" for a bin ("[lower,upper]" for the last), NULL for the
 * level that stands for the rest.
 */
#include "levels.h"

#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "zeros.h"

/* ---- levels by their texts ---- */

static int
compare_levels(const void *a, const void *b)
{
	return strcmp(((const DpLevel *) a)->text, ((const DpLevel *) b)->text);
}

static const char *
level_text(const DpAttribute *attribute, uint32 code)
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
		levels->level[i] = (DpLevel){level_text(attribute, i), i};
	qsort(levels->level, levels->n, sizeof(DpLevel), compare_levels);
}

/* The code of a stored text (NULL: of the level for the rest); -1: there is no such level. */
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

/* ---- arrays ---- */

Datum *
dp_array_elements(Datum array, Oid type, bool **nulls, int *n)
{
	Datum *elements;

	if (type == NAMEOID)
		deconstruct_array(DatumGetArrayTypeP(array), NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR,
						  &elements, nulls, n);
	else
		deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false, TYPALIGN_INT, &elements,
						  nulls, n);
	return elements;
}

/* ---- what the custodian wrote ---- */

static int
compare_names(const void *a, const void *b, void *context)
{
	Datum *names = context;

	return strcmp(NameStr(*DatumGetName(names[*(const int *) a])),
				  NameStr(*DatumGetName(names[*(const int *) b])));
}

void
dp_level_columns(FunctionCallInfo fcinfo, DpLevelSet *asked)
{
	bool *nulls;
	Datum *names = dp_array_elements(PG_GETARG_DATUM(1), NAMEOID, &nulls, &asked->width);

	if (asked->width < 1 || asked->width > DP_ZEROS_WIDTH_MAX)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("between 1 and %d columns must be named", DP_ZEROS_WIDTH_MAX)));
	asked->name = palloc(sizeof(char *) * asked->width);
	asked->given = palloc(sizeof(int) * asked->width);
	for (int k = 0; k < asked->width; k++)
	{
		if (nulls[k])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("columns must not contain NULL")));
		asked->given[k] = k;
	}
	qsort_arg(asked->given, asked->width, sizeof(int), compare_names, names);
	for (int k = 0; k < asked->width; k++)
	{
		asked->name[k] = NameStr(*DatumGetName(names[asked->given[k]]));
		if (k > 0 && strcmp(asked->name[k - 1], asked->name[k]) == 0)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("column \"%s\" is given twice", asked->name[k])));
	}
}

void
dp_level_attributes(DpLevelSet *asked)
{
	asked->attribute = palloc(sizeof(uint32) * asked->width);
	asked->levels = palloc0(sizeof(DpLevels) * asked->width);
	for (int k = 0; k < asked->width; k++)
	{
		int index = dp_domain_find(&asked->domain->domain, asked->name[k]);

		if (index < 0)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("column \"%s\" of relation %s does not exist or has no public domain",
							asked->name[k], dp_relation_label(asked->relation)),
					 errhint("Declare one with dp_define_column; see the view dp_columns.")));
		if (asked->domain->domain.attribute[index].open)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("column \"%s\" is open: its levels are known to no one",
								   asked->name[k]),
							errhint("Declare its categories with dp_define_column.")));
		asked->attribute[k] = index;
	}
}

/* The text of the bin that a value lies in; NULL: in none. */
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
			return i == 0 ? NULL : level_text(attribute, i - 1);
		if (order == 0)
			return level_text(attribute, Min(i, bins - 1));
	}
	return NULL;
}

/* The text that is stored for the level that the custodian means. Values are read with the session's
 * settings, labels with pinned ones. */
static const char *
level_of_argument(const DpLevelSet *asked, int k, char *words)
{
	const DpAttribute *attribute = &asked->domain->domain.attribute[asked->attribute[k]];
	const DpColumn *column = &asked->domain->column[asked->attribute[k]];
	const char *text;
	Datum value;
	int level;

	if (words == NULL || (attribute->kind == DP_BINS && words[0] == '['))
		return words;
	value = dp_value_in(words, column->type, column->typmod);
	level = dp_values_begin();
	if (attribute->kind == DP_BINS)
		text = bin_of_value(attribute, column, value);
	else
		text = dp_value_out(value, column->type);
	dp_values_end(level);
	if (text == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("\"%s\" is in no bin of column \"%s\"", words, attribute->name)));
	if (attribute->other && strcmp(text, attribute->other) == 0)
		return NULL;
	return text;
}

static Datum
stored_level(const DpLevelSet *asked, int k, char *words, bool *isnull)
{
	const DpAttribute *attribute = &asked->domain->domain.attribute[asked->attribute[k]];
	const char *text = level_of_argument(asked, k, words);

	if (dp_level_find(attribute, &asked->levels[k], text) < 0)
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 words ? errmsg("\"%s\" is no level of column \"%s\"", words, attribute->name)
				   : errmsg("column \"%s\" has no level for NULL and the rest", attribute->name),
			 errhint("Write a category as it is declared, a bin as [lower,upper) or as any value "
					 "in it, and NULL for the level that stands for the rest; the view dp_columns "
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

/* All levels, combination by combination, with columns in the order in which they are stored. */
ArrayType *
dp_level_combinations(FunctionCallInfo fcinfo, DpLevelSet *asked, int *tuples)
{
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(2);
	bool *nulls;
	int n;
	Datum *texts = dp_array_elements(PointerGetDatum(array), TEXTOID, &nulls, &n);
	Datum *levels = palloc(sizeof(Datum) * Max(n, 1));
	bool *none = palloc(sizeof(bool) * Max(n, 1));
	int lower = 1;

	*tuples = n / asked->width;
	if (n == 0)
		return NULL;
	check_shape(array, n, asked->width);
	for (int i = 0; i < *tuples; i++)
	{
		CHECK_FOR_INTERRUPTS();
		for (int k = 0; k < asked->width; k++)
		{
			int from = i * asked->width + asked->given[k];
			int to = i * asked->width + k;

			levels[to] = stored_level(
				asked, k, nulls[from] ? NULL : TextDatumGetCString(texts[from]), &none[to]);
		}
	}
	return construct_md_array(levels, none, 1, &n, &lower, TEXTOID, -1, false, TYPALIGN_INT);
}

Datum
dp_level_names(const DpLevelSet *asked)
{
	Datum *names = palloc(sizeof(Datum) * asked->width);

	for (int k = 0; k < asked->width; k++)
		names[k] = DirectFunctionCall1(namein, CStringGetDatum(asked->name[k]));
	return PointerGetDatum(
		construct_array(names, asked->width, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR));
}

void
dp_level_outdated(Oid relation, const char *what, const char *column, bool exists)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("declared %s of relation %s do not fit column \"%s\" any more", what,
					dp_relation_label(relation), column),
			 exists ? errdetail("A level that they name is not in its public domain.")
					: errdetail("It does not exist, has no public domain, or is open."),
			 errhint("Its custodian can declare them again with dp_define_%s, or drop them with "
					 "dp_undefine_%s.",
					 what, what)));
}

int
dp_level_attribute(const DpRelation *relation, const char *what, const char *column, bool strict)
{
	int index = dp_domain_find(&relation->domain, column);
	bool asserted = index >= 0 && strcmp(relation->column[index].source, "asserted") == 0;

	if (index >= 0 && !relation->domain.attribute[index].open)
		return index;
	if (strict && !asserted)
		dp_level_outdated(relation->oid, what, column, false);
	return -1;
}
