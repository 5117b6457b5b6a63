/*
 * regression_tables.c -- which columns are numbers, which levels categories have in which order,
 * which outcome counts as 1.
 */
#include "pg/evaluate/regression_tables.h"

#include <math.h>
#include <stdlib.h>

#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "pg/server/bridge.h"
#include "pg/server/catalog.h"

/* ---- what is asked for ---- */

static void
check_names(const DpRegressionRequest *request)
{
	if (request->predictors == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("predictors must name at least one column")));
	for (uint32 i = 0; i < request->predictors; i++)
	{
		if (strcmp(request->predictor[i], request->outcome) == 0)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("the outcome %s is among the predictors",
								   quote_identifier(request->outcome))));
		for (uint32 k = 0; k < i; k++)
			if (strcmp(request->predictor[i], request->predictor[k]) == 0)
				ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
								errmsg("predictor %s is named twice",
									   quote_identifier(request->predictor[i]))));
	}
}

static bool
is_categorical(const DpRegressionRequest *request, const char *name)
{
	for (uint32 i = 0; i < request->categoricals; i++)
		if (strcmp(request->categorical[i], name) == 0)
			return true;
	return false;
}

static void
check_categoricals(const DpRegressionRequest *request)
{
	for (uint32 i = 0; i < request->categoricals; i++)
	{
		uint32 k = 0;

		while (k < request->predictors &&
			   strcmp(request->predictor[k], request->categorical[i]) != 0)
			k++;
		if (k == request->predictors)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("categorical names %s, which is not a predictor",
								   quote_identifier(request->categorical[i]))));
	}
}

static const DpWords family_words = {
	.unknown = "unknown family",
	.hint = "Use linear or logistic.",
	.n = 2,
	.word = {[DP_FAMILY_LINEAR] = "linear", [DP_FAMILY_LOGISTIC] = "logistic"}};

/* A number is explained by a linear model, all else by a logistic one. */
static DpFamily
family_of(const DpRegressionRequest *request)
{
	bool number = dp_read_form(request->relation[0], request->outcome) != DP_READ_TEXT;
	DpFamily family;

	if (request->family == NULL)
		return number && request->event == NULL ? DP_FAMILY_LINEAR : DP_FAMILY_LOGISTIC;
	family = dp_word_find(&family_words, request->family);
	if (family == DP_FAMILY_LINEAR && !number)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("the outcome %s is not a number", quote_identifier(request->outcome)),
				 errhint("Use family => 'logistic' for a category.")));
	if (family == DP_FAMILY_LINEAR && request->event != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("a linear model has no event"),
				 errhint("Use family => 'logistic'.")));
	return family;
}

static DpReadColumn *
make_columns(const DpRegressionRequest *request, DpFamily family)
{
	DpReadColumn *column = palloc(sizeof(DpReadColumn) * (request->predictors + 1));

	column[0] = dp_read_column(request->outcome,
							   family == DP_FAMILY_LOGISTIC
								   ? DP_READ_TEXT
								   : dp_read_form(request->relation[0], request->outcome));
	for (uint32 i = 0; i < request->predictors; i++)
	{
		DpReadForm form = dp_read_form(request->relation[0], request->predictor[i]);

		column[i + 1] =
			dp_read_column(request->predictor[i],
						   is_categorical(request, request->predictor[i]) ? DP_READ_TEXT : form);
	}
	return column;
}

/* ---- the order of levels ---- */

/* A level with its sort key: a number, the order of the enum, or its bytes. */
typedef struct SortedLevel
{
	char *words;
	double key;
	uint32 was;
} SortedLevel;

static int
compare_levels(const void *a, const void *b)
{
	const SortedLevel *one = a, *other = b;

	if (one->key != other->key)
		return one->key < other->key ? -1 : 1;
	return strcmp(one->words, other->words);
}

static double
enum_key(Oid type, const char *words)
{
	HeapTuple tuple =
		strlen(words) < NAMEDATALEN
			? SearchSysCache2(ENUMTYPOIDNAME, ObjectIdGetDatum(type), CStringGetDatum(words))
			: NULL;
	double key = INFINITY; /* not of the original's type */

	if (HeapTupleIsValid(tuple))
	{
		key = ((Form_pg_enum) GETSTRUCT(tuple))->enumsortorder;
		ReleaseSysCache(tuple);
	}
	return key;
}

/* Sorts the levels; was_to[level as it was read] is its place. */
static uint32 *
sort_levels(Oid relation, DpReadColumn *column)
{
	Oid type = getBaseType(get_atttype(relation, get_attnum(relation, column->name)));
	bool number = dp_read_form(relation, column->name) == DP_READ_NUMBER;
	bool is_enum = get_typtype(type) == TYPTYPE_ENUM;
	SortedLevel *level = palloc(sizeof(SortedLevel) * Max(column->levels, 1));
	uint32 *was_to = palloc(sizeof(uint32) * Max(column->levels, 1));

	for (uint32 i = 0; i < column->levels; i++)
		level[i] = (SortedLevel){.words = column->level[i],
								 .was = i,
								 .key = number    ? strtod(column->level[i], NULL)
										: is_enum ? enum_key(type, column->level[i])
												  : 0};
	qsort(level, column->levels, sizeof(SortedLevel), compare_levels);
	for (uint32 i = 0; i < column->levels; i++)
	{
		was_to[level[i].was] = i;
		column->level[i] = level[i].words;
	}
	pfree(level);
	return was_to;
}

/* ---- rows ---- */

/* Moves the rows without NULL to the front, with levels by their sorted places. */
static void
take_rows(const DpRegressionTables *tables, uint32 *const *was_to, DpDistinctRows *read,
		  DpRegressionTable *table)
{
	uint32 n = tables->predictors;
	double *outcome = palloc_extended(sizeof(double) * Max(read->rows, 1), MCXT_ALLOC_HUGE);
	uint64 rows = 0;

	for (uint64 r = 0; r < read->rows; r++)
	{
		const double *from = read->value + r * (n + 1);
		bool complete = true;

		for (uint32 i = 0; i <= n; i++)
			complete &= !isnan(from[i]);
		if (!complete)
		{
			table->dropped += (int64) read->weight[r];
			continue;
		}
		table->used += (int64) read->weight[r];
		outcome[rows] = was_to[0] != NULL ? was_to[0][(uint32) from[0]] : from[0];
		/* a row is no longer than it was, so it overtakes none that is still to come */
		for (uint32 i = 0; i < n; i++)
			read->value[rows * n + i] =
				was_to[i + 1] != NULL ? was_to[i + 1][(uint32) from[i + 1]] : from[i + 1];
		read->weight[rows++] = read->weight[r];
	}
	table->rows = (DpObservations){.rows = rows,
								   .predictors = n,
								   .value = read->value,
								   .outcome = outcome,
								   .weight = read->weight};
}

/* ---- the outcome of a logistic model ---- */

static uint32
event_of(const DpRegressionRequest *request, const DpReadColumn *outcome)
{
	if (request->event == NULL)
	{
		if (outcome->levels > 2)
			ereport(
				ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the outcome %s has more than two values", quote_identifier(outcome->name)),
				 errhint("Say with event which value counts as 1; the others count as 0.")));
		return 1;
	}
	for (uint32 i = 0; i < outcome->levels; i++)
		if (strcmp(outcome->level[i], request->event) == 0)
			return i;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("the outcome %s never has the value of event", quote_identifier(outcome->name)),
			 errhint("event is written as PostgreSQL prints the value.")));
}

static void
set_outcomes(DpRegressionTables *tables, uint32 n, uint32 event)
{
	for (uint32 k = 0; k < n; k++)
	{
		double *outcome = unconstify(double *, tables->table[k].rows.outcome);

		for (uint64 r = 0; r < tables->table[k].rows.rows; r++)
			outcome[r] = outcome[r] == event;
	}
}

/* ---- reference levels ---- */

static void
mark_levels(const DpObservations *rows, uint32 predictor, bool *found)
{
	for (uint64 r = 0; r < rows->rows; r++)
		found[(uint32) rows->value[r * rows->predictors + predictor]] = true;
}

/* The first level that all tables have, or else the first one of the original. */
static void
choose_reference(DpRegressionTables *tables, uint32 relations, uint32 i)
{
	uint32 levels = tables->column[i + 1].levels, first = levels;
	uint32 *tables_with = palloc0(sizeof(uint32) * levels);

	for (uint32 k = 0; k < relations; k++)
	{
		bool *found = palloc0(sizeof(bool) * levels);

		mark_levels(&tables->table[k].rows, i, found);
		for (uint32 level = levels; level-- > 0;)
			if (found[level])
			{
				tables_with[level]++;
				if (k == 0)
					first = level;
			}
		pfree(found);
	}
	tables->predictor[i].reference = first < levels ? first : 0;
	tables->comparable[i] = false;
	for (uint32 level = levels; level-- > 0;)
		if (tables_with[level] == relations)
		{
			tables->predictor[i].reference = level;
			tables->comparable[i] = true;
		}
	pfree(tables_with);
}

DpRegressionTables *
dp_regression_tables(const DpRegressionRequest *request)
{
	DpRegressionTables *tables = palloc0(sizeof(DpRegressionTables));
	DpDistinctRows *read = palloc(sizeof(DpDistinctRows) * request->relations);
	uint32 **was_to = palloc0(sizeof(uint32 *) * (request->predictors + 1));

	check_names(request);
	check_categoricals(request);
	tables->family = family_of(request);
	tables->column = make_columns(request, tables->family);
	tables->predictors = request->predictors;
	tables->predictor = palloc0(sizeof(DpPredictor) * request->predictors);
	tables->comparable = palloc0(sizeof(bool) * request->predictors);
	tables->table = palloc0(sizeof(DpRegressionTable) * request->relations);
	for (uint32 k = 0; k < request->relations; k++)
		dp_distinct_read(request->relation[k], tables->column, request->predictors + 1, &read[k]);
	for (uint32 i = 0; i <= request->predictors; i++)
		if (tables->column[i].form == DP_READ_TEXT)
			was_to[i] = sort_levels(request->relation[0], &tables->column[i]);
	for (uint32 k = 0; k < request->relations; k++)
		take_rows(tables, was_to, &read[k], &tables->table[k]);
	if (tables->family == DP_FAMILY_LOGISTIC)
		set_outcomes(tables, request->relations, event_of(request, &tables->column[0]));
	for (uint32 i = 0; i < request->predictors; i++)
	{
		tables->comparable[i] = true;
		tables->predictor[i].levels =
			tables->column[i + 1].form == DP_READ_TEXT ? Max(tables->column[i + 1].levels, 1) : 0;
		if (tables->column[i + 1].levels > 0)
			choose_reference(tables, request->relations, i);
	}
	return tables;
}
