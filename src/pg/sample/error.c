/*
 * error.c -- dp_error: by how much the shares of drawn rows are off, for each column and pair.
 *
 * Three things part a share among n drawn rows from the share among the protected rows: the noise
 * of the tables, the model, which need not agree with the tables, and the draw of n rows. Each is
 * given as the root of its mean square over the cells of the columns. Noise and draw are known
 * distributions. How far the model is from the tables can be seen, and its distance from the truth
 * is at most that plus the noise (the triangle inequality of root mean squares).
 */
#include "pg/server/compat.h"

#include <math.h>

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "pg/sample/release_query.h"
#include "pg/sample/sample.h"
#include "pg/server/arguments.h"

PG_FUNCTION_INFO_V1(dp_error);

#define ERROR_COLUMNS 5

/* Mean squares over the cells of one set of columns. */
typedef struct Squares
{
	double noise, fit, drawing; /* NAN where unknown */
} Squares;

/* Mean squares over the cells that a table holds. share: by the model; NULL where it cannot be asked:
 * the shares are then those of the tables. */
static Squares
squares_of(const DpReleaseQuery *release_query, const DpGroupAnswer *share, double rows)
{
	Squares sums = {0, 0, 0};
	uint64 measured = 0, drawn = 0;

	for (uint64 b = 0; b < release_query->groups; b++)
	{
		const DpGroupAnswer *own = &release_query->answer[b];
		double p = share != NULL ? share[b].estimate : own->estimate;

		if (isfinite(p))
		{
			double inside = fmin(fmax(p, 0), 1);

			sums.drawing += rows > 0 ? inside * (1 - inside) / rows : 0;
			drawn++;
		}
		if (own->basis == DP_BASIS_NONE || !isfinite(own->estimate))
			continue;
		sums.noise += own->std_error * own->std_error;
		sums.fit += (p - own->estimate) * (p - own->estimate);
		measured++;
	}
	return (Squares){.noise = measured > 0 ? sums.noise / measured : NAN,
					 .fit = measured > 0 && share != NULL ? sums.fit / measured : NAN,
					 .drawing = drawn > 0 && rows > 0 ? sums.drawing / drawn : NAN};
}

static void
put_set(const DpReleaseQuery *release_query, Squares squares, ReturnSetInfo *result)
{
	const DpDomain *domain = &release_query->stored->model.domain;
	double number[] = {sqrt(squares.noise), sqrt(squares.fit), sqrt(squares.drawing), NAN};
	Datum names[2], values[ERROR_COLUMNS];
	bool nulls[ERROR_COLUMNS] = {false};
	uint32 n = release_query->marginal_query.by.n;

	number[3] = hypot(number[0] + number[1], number[2]);
	for (uint32 k = 0; k < n; k++)
		names[k] = DirectFunctionCall1(
			namein, CStringGetDatum(domain->attribute[release_query->by[k]].name));
	values[0] = PointerGetDatum(
		construct_array(names, (int) n, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR));
	for (int i = 0; i < 4; i++)
	{
		values[i + 1] = Float8GetDatum(number[i]);
		nulls[i + 1] = !isfinite(number[i]);
	}
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* What the rows of a model tell of a set of columns that no table holds is its share of the noise of
 * a draw, for which few rows will do. */
#define UNMEASURED_ROWS (UINT64_C(16) * DP_BLOCK_ROWS)

/* Some tables of a release. */
typedef struct Tables
{
	DpMeasuredTable *table;
	uint32 n;
} Tables;

/* Copies the tables that hold a column. */
static void
pick_tables(const Tables *all, uint32 column, Tables *picked)
{
	picked->n = 0;
	for (uint32 t = 0; t < all->n; t++)
		if (dp_index_among(all->table[t].table->attribute, all->table[t].table->n, column))
			picked->table[picked->n++] = all->table[t];
}

/* Answers one set by its tables and by its model. */
static void
answer_set(DpReleaseQuery *release_query, const Tables *tables, bool quick, double rows,
		   ReturnSetInfo *result)
{
	DpGroupAnswer *measured, *share = NULL;
	DpArena arena = dp_arena_for(CurrentMemoryContext);
	DpError error = {0};

	release_query->groups = dp_marginal_query_groups(&release_query->marginal_query);
	if (release_query->groups > DP_ANSWER_CELLS_MAX)
	{
		put_set(release_query, (Squares){NAN, NAN, NAN}, result);
		return;
	}
	measured = palloc_extended(sizeof(*measured) * release_query->groups, MCXT_ALLOC_HUGE);
	error.status = dp_measured_answer(&release_query->marginal_query, tables->table, tables->n,
									  measured, &dp_interrupt_tick, &arena);
	if (error.status != DP_OK)
		dp_raise(&error);
	if (quick)
	{
		share = palloc_extended(sizeof(*share) * release_query->groups, MCXT_ALLOC_HUGE);
		for (uint64 b = 0; b < release_query->groups; b++)
			share[b] = (DpGroupAnswer){DP_BASIS_NONE, NAN, NAN, NAN, NAN, 0};
		release_query->answer = share;
		release_query->rows_max = tables->n > 0 ? 0 : UNMEASURED_ROWS;
		dp_release_query_model(release_query, &dp_interrupt_tick);
	}
	release_query->answer = measured;
	put_set(release_query, squares_of(release_query, share, rows), result);
}

/* Answers each column and each pair of columns. */
static void
answer_sets(DpReleaseQuery *release_query, double rows, ReturnSetInfo *result)
{
	uint32 p = release_query->stored->model.domain.attributes;
	Tables all = {dp_stored_tables(release_query->stored), release_query->stored->model.tables};
	Tables of_one = {palloc(sizeof(DpMeasuredTable) * Max(all.n, 1)), 0};
	Tables of_both = {palloc(sizeof(DpMeasuredTable) * Max(all.n, 1)), 0};
	bool quick = dp_release_query_is_quick(release_query);
	MemoryContext set =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn set", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(set);
	uint64 done = 0, sets = (uint64) p * (p + 1) / 2;

	dp_progress_start(&release_query->progress, "answering");
	for (uint32 a = 0; a < p; a++)
	{
		pick_tables(&all, a, &of_one);
		for (uint32 b = a; b < p; b++)
		{
			pick_tables(&of_one, b, &of_both);
			dp_progress_report(&release_query->progress, (double) done++ / (double) sets);
			CHECK_FOR_INTERRUPTS();
			release_query->by[0] = a;
			release_query->by[1] = b;
			release_query->marginal_query.by = (DpAttributeSet){a == b ? 1 : 2, release_query->by};
			answer_set(release_query, &of_both, quick, rows, result);
			MemoryContextReset(set);
		}
	}
	MemoryContextSwitchTo(caller);
}

Datum
dp_error(PG_FUNCTION_ARGS)
{
	DpReleaseQuery *release_query = palloc0(sizeof(DpReleaseQuery));
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	int64 rows;

	dp_check_not_null(fcinfo, 0, "release");
	rows = dp_rows_argument(fcinfo, 1);
	release_query->stored = dp_stored_get_counts(PG_GETARG_INT64(0));
	dp_condition_start(&release_query->stored->model.domain, &release_query->condition);
	release_query->by = palloc(sizeof(uint32) * 2);
	release_query->marginal_query =
		(DpMarginalQuery){.domain = &release_query->stored->model.domain,
						  .measure = DP_MEASURE_SHARE,
						  .rows_public = dp_rows_public(release_query->stored)};
	InitMaterializedSRF(fcinfo, 0);
	dp_progress_start(&release_query->progress, "fitting");
	answer_sets(release_query, rows >= 0 ? rows : release_query->stored->model.rows, result);
	return (Datum) 0;
}
