/*
 * fit.c -- dp_fit_marginals: rows from marginals that somebody published. It reads no protected
 * table and spends no budget: it is post-processing of what the caller has.
 *
 * A published table is a set of cells, each (attributes, values, count, variance). Cells of the
 * same attributes, in whatever order these are named, are one table. Cells that are not there count
 * 0. A cell that is given again is a second measurement of it. The domain of a column is what the
 * schema of the target says (schema_facts.c), or else the values that the cells have.
 */
#include "pg/server/compat.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/transam.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "core/domain/domain.h"
#include "core/sample/fit.h"
#include "pg/domain/levels.h"
#include "pg/sample/sample.h"
#include "pg/server/arguments.h"
#include "pg/server/catalog.h"

PG_FUNCTION_INFO_V1(dp_fit_marginals);
PG_FUNCTION_INFO_V1(dp_fit_marginals_of);

#define CELL_MEMBERS 4

/* One cell as it was given. */
typedef struct FitCell
{
	int columns;
	int *column;  /* [columns] index in the target, ascending */
	char **value; /* [columns]; NULL for SQL NULL */
	double count;
	double variance;
	uint32 table; /* the number of its table */
} FitCell;

/* A column of the target. */
typedef struct FitColumn
{
	bool used;
	bool known; /* the schema says which values there are */
	uint32 attribute;
	DpAttribute domain;
	DpLevels levels;
} FitColumn;

typedef struct Fit
{
	TupleDesc row;
	FitColumn *column; /* [row->natts] */
	int cells;
	FitCell *cell;
	DpDomain domain;
	DpFitTable *table;
	uint32 tables;
	int64 missing; /* cells that were not given */
	int64 repeats; /* cells that were given again */
} Fit;

static DP_NORETURN void
refuse(int cell, const char *what, const char *hint)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("cell %d of marginals %s", cell, what), hint ? errhint("%s", hint) : 0));
}

/* ---- reading cells ---- */

/* A text[] of one dimension. */
static int
texts_of(Datum datum, char ***texts)
{
	bool *nulls;
	int n;
	Datum *values = dp_elements(datum, &nulls, &n);

	*texts = palloc(sizeof(char *) * Max(n, 1));
	for (int i = 0; i < n; i++)
		(*texts)[i] = nulls[i] ? NULL : TextDatumGetCString(values[i]);
	return n;
}

static int
find_column(const Fit *fit, const char *name)
{
	for (int i = 0; i < fit->row->natts; i++)
	{
		Form_pg_attribute form = TupleDescAttr(fit->row, i);

		if (!form->attisdropped && strcmp(NameStr(form->attname), name) == 0)
			return i;
	}
	return -1;
}

/* Adds a column and its value to a cell, whose columns stay in ascending order. */
static void
add_value(Fit *fit, FitCell *cell, int number, const char *name, char *value)
{
	int column = name ? find_column(fit, name) : -1;
	int i = cell->columns++;

	if (column < 0)
		ereport(
			ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("cell %d of marginals is of a column that the row type does not have", number),
			 errdetail("It names column \"%s\".", name ? name : "NULL")));
	for (; i > 0 && cell->column[i - 1] > column; i--)
	{
		cell->column[i] = cell->column[i - 1];
		cell->value[i] = cell->value[i - 1];
	}
	if (i > 0 && cell->column[i - 1] == column)
		refuse(number, "names a column twice", NULL);
	cell->column[i] = column;
	cell->value[i] = value;
	fit->column[column].used = true;
}

static double
number_member(int number, Datum value, bool isnull, bool negative, const char *what)
{
	double result = isnull ? NAN : DatumGetFloat8(value);

	if (!isfinite(result) || (!negative && result < 0))
		refuse(number, what,
			   "variance is that of the noise in one cell, in rows squared; 0 for an exact count.");
	return result;
}

static void
read_cell(Fit *fit, int number, const Datum *member, const bool *nulls)
{
	FitCell *cell = &fit->cell[number - 1];
	char **names, **values;
	int n;

	if (nulls[0] || nulls[1])
		refuse(number, "has no attributes or no values", NULL);
	n = texts_of(member[0], &names);
	if (n == 0 || n != texts_of(member[1], &values))
		refuse(number, "does not have one value for each attribute", NULL);
	cell->column = palloc(sizeof(int) * n);
	cell->value = palloc(sizeof(char *) * n);
	for (int i = 0; i < n; i++)
		add_value(fit, cell, number, names[i], values[i]);
	cell->count = number_member(number, member[2], nulls[2], true, "has no finite count");
	cell->variance =
		number_member(number, member[3], nulls[3], false, "has no finite variance >= 0");
}

static void
read_cells(Fit *fit, ArrayType *array)
{
	Oid type = ARR_ELEMTYPE(array);
	TupleDesc shape = lookup_rowtype_tupdesc(type, -1);
	bool *nulls;
	Datum *cells = dp_elements(PointerGetDatum(array), &nulls, &fit->cells);

	if (shape->natts != CELL_MEMBERS)
		elog(ERROR, "dp_noisy_counts has %d members", shape->natts);
	if (fit->cells == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("marginals holds no cell")));
	fit->cell = palloc_extended(sizeof(FitCell) * fit->cells, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (int i = 0; i < fit->cells; i++)
	{
		HeapTupleData tuple;
		Datum member[CELL_MEMBERS];
		bool isnull[CELL_MEMBERS];

		CHECK_FOR_INTERRUPTS();
		if (nulls[i])
			refuse(i + 1, "is null", NULL);
		tuple.t_data = DatumGetHeapTupleHeader(cells[i]);
		tuple.t_len = HeapTupleHeaderGetDatumLength(tuple.t_data);
		heap_deform_tuple(&tuple, shape, member, isnull);
		read_cell(fit, i + 1, member, isnull);
	}
	ReleaseTupleDesc(shape);
}

/* ---- domains ---- */

static int
compare_labels(const void *a, const void *b)
{
	return strcmp(*(const char *const *) a, *(const char *const *) b);
}

/* Takes the domains that the schema of the target declares. */
static void
take_schema_facts(Fit *fit, Oid type)
{
	Oid relation = type == RECORDOID ? InvalidOid : get_typ_typrelid(getBaseType(type));
	DpRelation *facts;

	if (!OidIsValid(relation))
		return;
	facts = dp_relation_domain(relation, 0, false);
	for (uint32 a = 0; a < facts->domain.attributes; a++)
	{
		int column = find_column(fit, facts->domain.attribute[a].name);

		if (column < 0 || facts->domain.attribute[a].kind != DP_CATEGORIES)
			continue;
		fit->column[column].known = true;
		fit->column[column].domain = facts->domain.attribute[a];
	}
}

/* The domain of a column from the values that the cells have for it, sorted, each once. */
static void
collect_labels(Fit *fit, int index)
{
	DpAttribute *domain = &fit->column[index].domain;
	Form_pg_attribute form = TupleDescAttr(fit->row, index);
	int n = 0;

	domain->labels = palloc_extended(sizeof(char *) * (fit->cells + 1), MCXT_ALLOC_HUGE);
	domain->name = pstrdup(NameStr(form->attname));
	domain->type = format_type_be(form->atttypid);
	for (int i = 0; i < fit->cells; i++)
		for (int k = 0; k < fit->cell[i].columns; k++)
		{
			if (fit->cell[i].column[k] != index)
				continue;
			if (fit->cell[i].value[k] == NULL)
				domain->has_other = true;
			else
				domain->labels[n++] = fit->cell[i].value[k];
		}
	qsort(domain->labels, n, sizeof(char *), compare_labels);
	for (int i = 0; i < n; i++)
		if (i == 0 || strcmp(domain->labels[domain->labels_n - 1], domain->labels[i]) != 0)
			domain->labels[domain->labels_n++] = domain->labels[i];
}

/* The domain of the columns that some cell names, in the order of the target. */
static void
make_domain(Fit *fit, Oid type)
{
	DpError error = {0};

	take_schema_facts(fit, type);
	fit->domain.attribute = palloc0(sizeof(DpAttribute) * fit->row->natts);
	for (int i = 0; i < fit->row->natts; i++)
	{
		FitColumn *column = &fit->column[i];

		if (!column->used)
			continue;
		if (!column->known)
			collect_labels(fit, i);
		dp_attribute_count_levels(&column->domain);
		column->attribute = fit->domain.attributes;
		fit->domain.attribute[fit->domain.attributes++] = column->domain;
	}
	if (dp_domain_check(&fit->domain, &error) != DP_OK)
		dp_raise(&error);
}

static uint32
code_of(FitColumn *column, const char *value, int number)
{
	int64 code = dp_level_find(&column->domain, &column->levels, value);

	if (code < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cell %d of marginals has a value that column \"%s\" cannot hold", number,
						column->domain.name),
				 errhint("Values are written as the column's type prints them; NULL stands for "
						 "itself where the column may be NULL.")));
	return (uint32) code;
}

/* ---- tables ---- */

typedef struct FitTableBuild
{
	DpFitTable table;
	uint32 *attribute;
	double *value;
	double *variance; /* of each cell; NAN: it was not given */
	int64 repeats;
} FitTableBuild;

static bool
is_table_of(const Fit *fit, const FitTableBuild *build, const FitCell *cell)
{
	if (build->table.of.n != (uint32) cell->columns)
		return false;
	for (int k = 0; k < cell->columns; k++)
		if (build->attribute[k] != fit->column[cell->column[k]].attribute)
			return false;
	return true;
}

/* *cells counts the cells of all tables so far: hostile input could make each as large as the
 * limit. */
static void
start_table(const Fit *fit, FitTableBuild *build, const FitCell *cell, int64 cell_limit,
			uint64 *cells)
{
	build->table.of.n = (uint32) cell->columns;
	build->attribute = palloc(sizeof(uint32) * cell->columns);
	for (int k = 0; k < cell->columns; k++)
		build->attribute[k] = fit->column[cell->column[k]].attribute;
	build->table.of.attribute = build->attribute;
	build->table.cells = dp_domain_cells(&fit->domain, build->attribute, build->table.of.n);
	if (build->table.cells > (uint64) cell_limit)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a table of marginals has too many cells"),
						errdetail("cell_limit is " INT64_FORMAT ".", cell_limit)));
	*cells += build->table.cells;
	if (*cells > DP_MODEL_CELLS_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the tables of marginals have too many cells together"),
						errdetail("The limit is %llu.", (unsigned long long) DP_MODEL_CELLS_MAX)));
}

static void
allocate_table(FitTableBuild *build)
{
	build->value =
		palloc_extended(sizeof(double) * build->table.cells, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	build->variance = palloc_extended(sizeof(double) * build->table.cells, MCXT_ALLOC_HUGE);
	for (uint64 i = 0; i < build->table.cells; i++)
		build->variance[i] = NAN;
	build->table.value = build->value;
}

/* One cell that was measured twice, weighted by inverse variance. */
static void
combine_cell(FitTableBuild *build, uint64 place, const FitCell *cell, int number)
{
	double *value = &build->value[place], *variance = &build->variance[place];
	double both = *variance + cell->variance;

	build->repeats++;
	if (both > 0)
	{
		*value = *value * (cell->variance / both) + cell->count * (*variance / both);
		*variance *= cell->variance / both;
	}
	else if (*value != cell->count)
		refuse(number, "is given twice, with two counts that are both exact", NULL);
}

static void
add_cell(const Fit *fit, FitTableBuild *build, const FitCell *cell, int number)
{
	uint64 place = 0;

	for (int k = 0; k < cell->columns; k++)
	{
		FitColumn *column = &fit->column[cell->column[k]];

		place = place * column->domain.levels + code_of(column, cell->value[k], number);
	}
	if (!isnan(build->variance[place]))
	{
		combine_cell(build, place, cell, number);
		return;
	}
	build->value[place] = cell->count;
	build->variance[place] = cell->variance;
}

/* Orders tables by their attributes, so that the order of the cells does not change the result. */
static int
compare_tables(const void *a_in, const void *b_in)
{
	const FitTableBuild *a = a_in, *b = b_in;

	if (a->table.of.n != b->table.of.n)
		return a->table.of.n < b->table.of.n ? -1 : 1;
	for (uint32 k = 0; k < a->table.of.n; k++)
		if (a->attribute[k] != b->attribute[k])
			return a->attribute[k] < b->attribute[k] ? -1 : 1;
	return 0;
}

/* Finds the table of each cell. There are at most as many tables as cells. */
static void
find_tables(Fit *fit, FitTableBuild *build, int64 cell_limit)
{
	uint64 cells = 0;
	uint32 last = 0;

	for (int i = 0; i < fit->cells; i++)
	{
		FitCell *cell = &fit->cell[i];

		CHECK_FOR_INTERRUPTS();
		if (fit->tables == 0 || !is_table_of(fit, &build[last], cell))
			for (last = 0; last < fit->tables; last++)
				if (is_table_of(fit, &build[last], cell))
					break;
		if (last == fit->tables)
			start_table(fit, &build[fit->tables++], cell, cell_limit, &cells);
		cell->table = last;
	}
}

/* Its variance is the mean of those of the cells that were given. Returns how many were not. */
static int64
finish_table(FitTableBuild *build)
{
	double sum = 0;
	int64 missing = 0;

	for (uint64 i = 0; i < build->table.cells; i++)
		if (isnan(build->variance[i]))
			missing++;
		else
			sum += build->variance[i];
	build->table.variance = sum / ((double) build->table.cells - (double) missing);
	pfree(build->variance);
	return missing;
}

static void
make_tables(Fit *fit, int64 cell_limit)
{
	FitTableBuild *build =
		palloc_extended(sizeof(FitTableBuild) * fit->cells, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);

	find_tables(fit, build, cell_limit);
	for (uint32 t = 0; t < fit->tables; t++)
		allocate_table(&build[t]);
	for (int i = 0; i < fit->cells; i++)
		add_cell(fit, &build[fit->cell[i].table], &fit->cell[i], i + 1);
	qsort(build, fit->tables, sizeof(FitTableBuild), compare_tables);
	fit->table = palloc(sizeof(DpFitTable) * fit->tables);
	for (uint32 t = 0; t < fit->tables; t++)
	{
		int64 missing = finish_table(&build[t]);

		fit->table[t] = build[t].table;
		fit->missing += missing;
		fit->repeats += build[t].repeats;
	}
}

/* The number of rows: the mean of the totals of the tables, weighted by their inverse variance. */
static double
estimate_rows(const Fit *fit)
{
	double sum = 0, weights = 0;

	for (uint32 t = 0; t < fit->tables; t++)
	{
		const DpFitTable *table = &fit->table[t];
		double weight = 1 / fmax((double) table->cells * table->variance, 1e-6);
		double total = 0;

		for (uint64 i = 0; i < table->cells; i++)
			total += table->value[i];
		sum += weight * total;
		weights += weight;
	}
	return fmin(fmax(sum / weights, 0), 1e15);
}

/* ---- SQL ---- */

static DpSolver
solver_argument(FunctionCallInfo fcinfo, int argument)
{
	static const DpWords words = {.unknown = "there is no solver",
								  .hint = "The solvers are: entropic, centred, ridge, graphical.",
								  .n = 4,
								  .word = {"entropic", "centred", "ridge", "graphical"}};

	return (DpSolver) dp_word_find(
		&words, PG_ARGISNULL(argument) ? "NULL" : text_to_cstring(PG_GETARG_TEXT_PP(argument)));
}

static double
lambda_argument(FunctionCallInfo fcinfo, int argument)
{
	double lambda = PG_ARGISNULL(argument) ? 0.001 : PG_GETARG_FLOAT8(argument);

	if (!(lambda >= 1e-9 && lambda <= 1000))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("lambda must be between 0.000000001 and 1000")));
	return lambda;
}

static int64
cell_limit_argument(FunctionCallInfo fcinfo, int argument)
{
	int32 limit = PG_ARGISNULL(argument) ? 10000000 : PG_GETARG_INT32(argument);

	if (limit < 1 || limit > 100000000)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("cell_limit must be between 1 and 100000000")));
	return limit;
}

/* A fit is no release: nothing is prepared from a stored model, so there is only drawing. */
static const DpSampler drawing = {.draw = dp_fit_draw};

static Datum
draw_fit(FunctionCallInfo fcinfo, Fit *fit, DpFitInput *input)
{
	DpStored stored = {.model = {.domain = fit->domain}};
	DpArena arena = dp_arena_for(CurrentMemoryContext);
	DpDrawJob job = {.stored = &stored, .row = fit->row, .set = 1};
	int64 rows = dp_rows_argument(fcinfo, 2);
	DpError error = {0};
	void *state;

	job.decoder = dp_decoder_create(&fit->domain, NULL, fit->row);
	dp_decoder_expect_columns(job.decoder);
	job.placeholders = dp_placeholders_create(NULL, &fit->domain, fit->row);
	job.rules = dp_row_rules_create(&fit->domain, job.decoder, job.placeholders, NULL, fit->row);
	job.seed = dp_seed_argument(fcinfo, 6);
	job.rows = rows >= 0 ? (uint64) rows : (uint64) llround(input->rows);
	dp_job_want(&job, 1, 1);
	job.tries =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn row again", ALLOCSET_DEFAULT_SIZES);
	job.scratch = AllocSetContextCreate(CurrentMemoryContext, "dpsyn rows", ALLOCSET_DEFAULT_SIZES);
	dp_progress_start(&job.progress, "fitting marginals");
	if (dp_fit_prepare(input, &state, &job.progress.tick, &arena, &error) != DP_OK)
	{
		error.status = error.status == DP_OK ? DP_ERR_MEMORY : error.status;
		dp_raise(&error);
	}
	job.drawer = (DpDrawer){.sampler = &drawing, .state = state, .domain = &fit->domain};
	dp_progress_start(&job.progress, "drawing rows");
	return dp_return_all(fcinfo, &job, 0);
}

static Datum
fit_array(FunctionCallInfo fcinfo, ArrayType *cells)
{
	Fit fit = {.row = BlessTupleDesc(CreateTupleDescCopy(dp_result_row(fcinfo)))};
	DpFitInput input = {.solver = solver_argument(fcinfo, 3),
						.lambda = lambda_argument(fcinfo, 4),
						.cell_limit = (uint64) cell_limit_argument(fcinfo, 5)};

	fit.column = palloc0(sizeof(FitColumn) * Max(fit.row->natts, 1));
	read_cells(&fit, cells);
	make_domain(&fit, get_fn_expr_argtype(fcinfo->flinfo, 0));
	make_tables(&fit, (int64) input.cell_limit);
	if (fit.missing > 0)
		ereport(NOTICE, (errmsg(INT64_FORMAT " cells of marginals are not given and count 0",
								fit.missing)));
	if (fit.repeats > 0)
		ereport(NOTICE, (errmsg(INT64_FORMAT " cells of marginals are given again", fit.repeats),
						 errdetail("They count as further measurements, by inverse variance.")));
	input.domain = &fit.domain;
	input.tables = fit.tables;
	input.table = fit.table;
	input.rows = estimate_rows(&fit);
	return draw_fit(fcinfo, &fit, &input);
}

Datum
dp_fit_marginals(PG_FUNCTION_ARGS)
{
	dp_check_returns_set(fcinfo, SFRM_Materialize);
	dp_check_not_null(fcinfo, 1, "marginals");
	return fit_array(fcinfo, PG_GETARG_ARRAYTYPE_P(1));
}

/* A cast from somebody's type is somebody's code. Those from PostgreSQL's own types are a
 * superuser's. */
static void
check_members(Oid oid)
{
	static const char *const member[CELL_MEMBERS] = {"attributes", "values", "count", "variance"};
	Relation relation = dp_relation_open(oid, AccessShareLock); /* so that no type changes */

	for (int i = 0; i < CELL_MEMBERS; i++)
	{
		AttrNumber number = get_attnum(oid, member[i]);

		if (number > 0 && getBaseType(get_atttype(oid, number)) >= FirstUnpinnedObjectId)
			ereport(
				ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of relation \"%s\" cannot be read as a part of marginals",
						member[i], dp_relation_words(oid)),
				 errdetail("It is of type %s, and converting that can run code of others.",
						   format_type_be(get_atttype(oid, number))),
				 errhint("Copy the cells into a table whose columns attributes and values are "
						 "of type text[].")));
	}
	relation_close(relation, NoLock);
}

/* The cells of a table or view, read with the caller's rights. */
static ArrayType *
cells_of_relation(Oid relation)
{
	MemoryContext caller = CurrentMemoryContext;
	ArrayType *cells = NULL;
	char *query = psprintf(
		"SELECT pg_catalog.array_agg(ROW(attributes::pg_catalog.text[], "
		"\"values\"::pg_catalog.text[], "
		"count::pg_catalog.float8, variance::pg_catalog.float8)::%s.dp_noisy_counts) FROM %s",
		dp_schema(), dp_relation_label(relation));
	bool isnull;
	Datum datum;
	DpUserContext user_context;

	check_members(relation);
	dp_caller_open(&user_context, list_make1_oid(relation));
	if (SPI_execute(query, true, 0) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "the cells could not be read");
	datum = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
	if (!isnull)
	{
		MemoryContext inner = MemoryContextSwitchTo(caller);

		cells = DatumGetArrayTypePCopy(datum);
		MemoryContextSwitchTo(inner);
	}
	dp_caller_close(&user_context);
	return cells;
}

Datum
dp_fit_marginals_of(PG_FUNCTION_ARGS)
{
	ArrayType *cells;

	dp_check_returns_set(fcinfo, SFRM_Materialize);
	dp_check_not_null(fcinfo, 1, "marginals");
	cells = cells_of_relation(PG_GETARG_OID(1));
	if (cells == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("marginals holds no cell")));
	return fit_array(fcinfo, cells);
}
