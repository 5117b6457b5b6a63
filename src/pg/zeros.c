/*
 * zeros.c -- dp_define_zeros, dp_undefine_zeros: combinations of levels that the
 * custodian knows cannot occur; and reading them for a release.
 *
 * They are stored as texts that name levels whatever their numbers: the label of a
 * category, "[lower,upper)" for a bin ("[lower,upper]" for the last), NULL for the
 * level that stands for the rest. A domain that is declared anew keeps the zeros that
 * it still has levels for. One that it has none for is an error before anything is spent.
 */
#include "dpsyn.h"

#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "zeros.h"

PG_FUNCTION_INFO_V1(dp_define_zeros);
PG_FUNCTION_INFO_V1(dp_undefine_zeros);

/* ---- levels by their texts ---- */

typedef struct Level
{
	const char *text;
	uint32 code;
} Level;

/* The named levels of an attribute, by text. */
typedef struct Levels
{
	uint32 n; /* 0: not made yet */
	Level *level;
} Levels;

static int
compare_levels(const void *a, const void *b)
{
	return strcmp(((const Level *) a)->text, ((const Level *) b)->text);
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
levels_make(const DpAttribute *attribute, Levels *levels)
{
	levels->n = attribute->levels - attribute->has_other;
	levels->level = palloc(sizeof(Level) * Max(levels->n, 1));
	for (uint32 i = 0; i < levels->n; i++)
		levels->level[i] = (Level){level_text(attribute, i), i};
	qsort(levels->level, levels->n, sizeof(Level), compare_levels);
}

/* The code of a stored text (NULL: of the level for the rest); -1: there is no such level. */
static int64
level_find(const DpAttribute *attribute, Levels *levels, const char *text)
{
	Level key = {text, 0};
	Level *found;

	if (text == NULL)
		return attribute->has_other ? (int64) attribute->levels - 1 : -1;
	if (levels->n == 0)
		levels_make(attribute, levels);
	found = bsearch(&key, levels->level, levels->n, sizeof(Level), compare_levels);
	return found == NULL ? -1 : (int64) found->code;
}

/* ---- reading the catalog ---- */

typedef struct Reader
{
	DpRelation *relation;
	Levels *levels; /* [attributes] */
	DpZeros zeros;
	uint64 room; /* tuples that the last set has memory for */
} Reader;

static Datum *
array_elements(Datum array, Oid type, bool **nulls, int *n)
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

static void
fits_no_more(Oid relation, const char *column, bool exists)
{
	ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					errmsg("declared zeros of relation %s do not fit column \"%s\" any more",
						   dp_relation_label(relation), column),
					exists ? errdetail("A level that they name is not in its public domain.")
						   : errdetail("It does not exist, has no public domain, or is open."),
					errhint("Its custodian can declare them again with dp_define_zeros, or drop "
							"them with dp_undefine_zeros.")));
}

/* The attributes of a set; false: one of them is not there, and strict does not want an error. */
static bool
reader_attributes(Reader *reader, Datum columns, bool strict, DpZeroSet *set)
{
	int n;
	Datum *names = array_elements(columns, NAMEOID, NULL, &n);

	*set = (DpZeroSet){.n = n, .attribute = palloc(sizeof(uint32) * Max(n, 1))};
	for (int k = 0; k < n; k++)
	{
		const char *name = NameStr(*DatumGetName(names[k]));
		int index = dp_domain_find(&reader->relation->domain, name);

		if (index < 0 || reader->relation->domain.attribute[index].open)
		{
			/* with a domain of the caller's for one release, the levels of the zeros are not its levels */
			bool asserted =
				index >= 0 && strcmp(reader->relation->column[index].source, "asserted") == 0;

			if (strict && !asserted)
				fits_no_more(reader->relation->oid, name, false);
			return false;
		}
		set->attribute[k] = index;
	}
	return n >= 1 && n <= DP_ZEROS_WIDTH_MAX;
}

static bool
same_attributes(const DpZeroSet *a, const DpZeroSet *b)
{
	return a->n == b->n && memcmp(a->attribute, b->attribute, sizeof(uint32) * a->n) == 0;
}

/* The set to which a row belongs: rows of one come together. */
static DpZeroSet *
reader_set(Reader *reader, const DpZeroSet *set)
{
	DpZeros *zeros = &reader->zeros;
	DpZeroSet *last = zeros->sets > 0 ? &zeros->set[zeros->sets - 1] : NULL;

	if (last == NULL || !same_attributes(last, set))
	{
		zeros->set = zeros->set == NULL
						 ? palloc(sizeof(DpZeroSet))
						 : repalloc(zeros->set, sizeof(DpZeroSet) * (zeros->sets + 1));
		last = &zeros->set[zeros->sets++];
		*last = *set;
		reader->room = 16;
		last->code = palloc(sizeof(uint32) * reader->room * last->n);
	}
	else if (last->tuples == reader->room)
	{
		reader->room *= 2;
		last->code = repalloc(last->code, sizeof(uint32) * reader->room * last->n);
	}
	return last;
}

static void
reader_row(Reader *reader, Datum columns, Datum combination, bool strict)
{
	uint32 codes[DP_ZEROS_WIDTH_MAX];
	DpZeroSet set;
	bool *nulls;
	Datum *texts;
	int n;

	if (!reader_attributes(reader, columns, strict, &set))
		return;
	texts = array_elements(combination, TEXTOID, &nulls, &n);
	for (uint32 k = 0; k < set.n; k++)
	{
		const DpAttribute *attribute = &reader->relation->domain.attribute[set.attribute[k]];
		int64 code = (int) k >= n ? -1
								  : level_find(attribute, &reader->levels[set.attribute[k]],
											   nulls[k] ? NULL : TextDatumGetCString(texts[k]));

		if (code < 0)
		{
			if (strict)
				fits_no_more(reader->relation->oid, attribute->name, true);
			return;
		}
		codes[k] = (uint32) code;
	}
	{
		DpZeroSet *into = reader_set(reader, &set);

		memcpy(into->code + into->tuples++ * into->n, codes, sizeof(uint32) * into->n);
	}
}

void
dp_zeros_read(DpRelation *relation, int32 dataset, bool strict)
{
	MemoryContext caller = CurrentMemoryContext;
	DpArena arena = dp_arena_for(caller);
	Reader reader = {.relation = relation};
	Oid types[1] = {INT4OID};
	Datum values[1] = {Int32GetDatum(dataset)};
	DpElevation elevation;
	DpError error = {0};
	uint64 rows;

	reader.levels = palloc0(sizeof(Levels) * Max(relation->domain.attributes, 1));
	dp_elevate(&elevation);
	SPI_connect();
	rows = dp_spi("SELECT columns, combination FROM @.dp_dataset_zero WHERE dataset = $1"
				  " ORDER BY columns, number",
				  SPI_OK_SELECT, 1, types, values, NULL, true);
	for (uint64 i = 0; i < rows; i++)
	{
		MemoryContext spi = MemoryContextSwitchTo(caller);
		bool isnull;

		CHECK_FOR_INTERRUPTS();
		reader_row(&reader, dp_spi_value(i, 1, &isnull), dp_spi_value(i, 2, &isnull), strict);
		MemoryContextSwitchTo(spi);
	}
	SPI_finish();
	dp_unelevate(&elevation);
	if (dp_zeros_canonical(&reader.zeros, &arena, &error) != DP_OK)
		dp_raise(&error);
	relation->domain.zeros = reader.zeros;
}

/* ---- what the custodian wrote ---- */

typedef struct Asked
{
	Oid relation;
	DpDataset dataset;
	DpRelation *domain;
	int width;
	const char **name; /* [width] in byte order, as they are stored */
	int *given;        /* [width] where each stood in the argument */
	uint32 *attribute; /* [width] */
	Levels *levels;    /* [width] */
} Asked;

static int
compare_names(const void *a, const void *b, void *context)
{
	Datum *names = context;

	return strcmp(NameStr(*DatumGetName(names[*(const int *) a])),
				  NameStr(*DatumGetName(names[*(const int *) b])));
}

static void
columns_argument(FunctionCallInfo fcinfo, Asked *asked)
{
	bool *nulls;
	Datum *names = array_elements(PG_GETARG_DATUM(1), NAMEOID, &nulls, &asked->width);

	if (asked->width < 1 || asked->width > DP_ZEROS_WIDTH_MAX)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("zeros must be over 1 to %d columns", DP_ZEROS_WIDTH_MAX)));
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

static void
find_attributes(Asked *asked)
{
	asked->attribute = palloc(sizeof(uint32) * asked->width);
	asked->levels = palloc0(sizeof(Levels) * asked->width);
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
level_of_argument(const Asked *asked, int k, char *words)
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
stored_level(const Asked *asked, int k, char *words, bool *isnull)
{
	const DpAttribute *attribute = &asked->domain->domain.attribute[asked->attribute[k]];
	const char *text = level_of_argument(asked, k, words);

	if (level_find(attribute, &asked->levels[k], text) < 0)
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
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("too many zeros"),
						errdetail("The limit is %d combinations.", DP_ZEROS_TUPLES_MAX)));
}

/* All levels, combination by combination, with columns in the order in which they are stored. */
static ArrayType *
combinations_argument(FunctionCallInfo fcinfo, Asked *asked, int *tuples)
{
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(2);
	bool *nulls;
	int n;
	Datum *texts = array_elements(PointerGetDatum(array), TEXTOID, &nulls, &n);
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

static Datum
names_array(const Asked *asked)
{
	Datum *names = palloc(sizeof(Datum) * asked->width);

	for (int k = 0; k < asked->width; k++)
		names[k] = DirectFunctionCall1(namein, CStringGetDatum(asked->name[k]));
	return PointerGetDatum(
		construct_array(names, asked->width, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR));
}

/* levels NULL: none any more. Equal combinations are stored once. */
static void
zeros_write(const Asked *asked, ArrayType *levels)
{
	Oid types[4] = {INT4OID, NAMEARRAYOID, TEXTARRAYOID, INT4OID};
	Datum values[4] = {Int32GetDatum(asked->dataset.id), names_array(asked),
					   PointerGetDatum(levels), Int32GetDatum(asked->width)};

	(void) dp_write_catalog("DELETE FROM @.dp_dataset_zero WHERE dataset = $1 AND columns = $2",
							SPI_OK_DELETE, 2, types, values, NULL);
	if (levels == NULL)
		return;
	(void) dp_write_catalog(
		"INSERT INTO @.dp_dataset_zero (dataset, columns, number, combination)"
		" SELECT $1, $2, pg_catalog.row_number() OVER (ORDER BY c.first), c.combination FROM"
		" (SELECT pg_catalog.min(t.number) AS first, t.combination FROM"
		"  (SELECT (l.at - 1) / $4 AS number, pg_catalog.array_agg(l.level ORDER BY l.at)"
		"          AS combination"
		"   FROM pg_catalog.unnest($3) WITH ORDINALITY AS l (level, at) GROUP BY 1) t"
		"  GROUP BY t.combination) c",
		SPI_OK_INSERT, 4, types, values, NULL);
}

/* With all others that fit, in full: an error takes back what was written. */
static void
check_together(Asked *asked)
{
	DpError error = {0};

	dp_zeros_read(asked->domain, asked->dataset.id, false);
	if (dp_domain_check(&asked->domain->domain, &error) != DP_OK ||
		dp_zeros_possible(&asked->domain->domain, &error) != DP_OK)
		dp_raise(&error);
}

Datum
dp_define_zeros(PG_FUNCTION_ARGS)
{
	ArrayType *levels = NULL;
	Asked asked = {0};
	DpElevation elevation;
	int tuples;

	dp_check_not_null(fcinfo, 0, "relation");
	dp_check_not_null(fcinfo, 1, "columns");
	asked.relation = PG_GETARG_OID(0);
	dp_check_custodian(asked.relation, "declare its zeros");
	dp_dataset_get(asked.relation, true, &asked.dataset);
	columns_argument(fcinfo, &asked);
	if (!PG_ARGISNULL(2) &&
		ArrayGetNItems(ARR_NDIM(PG_GETARG_ARRAYTYPE_P(2)), ARR_DIMS(PG_GETARG_ARRAYTYPE_P(2))) > 0)
	{
		asked.domain = dp_relation_domain(asked.relation, asked.dataset.id, false);
		find_attributes(&asked);
		dp_become_owner(&elevation, dp_relation_owner(asked.relation)); /* types may run code */
		levels = combinations_argument(fcinfo, &asked, &tuples);
		dp_unelevate(&elevation);
	}
	zeros_write(&asked, levels);
	if (levels != NULL)
		check_together(&asked);
	PG_RETURN_VOID();
}

Datum
dp_undefine_zeros(PG_FUNCTION_ARGS)
{
	Oid types[1] = {INT4OID};
	Datum values[1];
	Asked asked = {0};

	dp_check_not_null(fcinfo, 0, "relation");
	asked.relation = PG_GETARG_OID(0);
	dp_check_custodian(asked.relation, "drop its zeros");
	dp_dataset_get(asked.relation, true, &asked.dataset);
	if (!PG_ARGISNULL(1))
	{
		columns_argument(fcinfo, &asked);
		zeros_write(&asked, NULL);
		PG_RETURN_VOID();
	}
	values[0] = Int32GetDatum(asked.dataset.id);
	(void) dp_write_catalog("DELETE FROM @.dp_dataset_zero WHERE dataset = $1", SPI_OK_DELETE, 1,
							types, values, NULL);
	PG_RETURN_VOID();
}
