/*
 * error.c -- dp_error: by how much the shares of drawn rows are off, for each column and pair.
 *
 * Three things part a share among n drawn rows from the share among the protected rows: the noise of
 * the tables, the model, which need not agree with the tables, and the draw of n rows. Each is given
 * as the root of its mean square over the cells of the columns. Noise and draw are known distributions. How
 * far the model is from the tables can be seen, and its distance from the truth is at most that plus
 * the noise (the triangle inequality of root mean squares).
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

/* Mean squares over the cells that a table holds. Where the model cannot be asked, share is NULL, and
 * the tables tell the shares. */
static Squares
squares_of(const DpReleaseQuery *asked, const DpGroupAnswer *share, double rows)
{
	Squares sums = {0, 0, 0};
	uint64 measured = 0, drawn = 0;

	for (uint64 b = 0; b < asked->groups; b++)
	{
		const DpGroupAnswer *own = &asked->answer[b];
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
put_set(const DpReleaseQuery *asked, Squares squares, ReturnSetInfo *result)
{
	const DpDomain *domain = &asked->stored->model.domain;
	double number[] = {sqrt(squares.noise), sqrt(squares.fit), sqrt(squares.drawing), NAN};
	Datum names[2], values[ERROR_COLUMNS];
	bool nulls[ERROR_COLUMNS] = {false};
	uint32 n = asked->question.by.n;

	number[3] = hypot(number[0] + number[1], number[2]);
	for (uint32 k = 0; k < n; k++)
		names[k] =
			DirectFunctionCall1(namein, CStringGetDatum(domain->attribute[asked->by[k]].name));
	values[0] = PointerGetDatum(
		construct_array(names, (int) n, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR));
	for (int i = 0; i < 4; i++)
	{
		values[i + 1] = Float8GetDatum(number[i]);
		nulls[i + 1] = !isfinite(number[i]);
	}
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* Answers one set by its tables and by its model. */
static void
answer_set(DpReleaseQuery *asked, const DpMeasuredTable *table, bool quick, double rows,
		   ReturnSetInfo *result)
{
	DpGroupAnswer *measured, *share = NULL;
	DpArena arena = dp_arena_for(CurrentMemoryContext);
	DpError error = {0};

	asked->groups = dp_marginal_query_groups(&asked->question);
	if (asked->groups > DP_ANSWER_CELLS_MAX)
	{
		put_set(asked, (Squares){NAN, NAN, NAN}, result);
		return;
	}
	measured = palloc_extended(sizeof(*measured) * asked->groups, MCXT_ALLOC_HUGE);
	error.status = dp_measured_answer(&asked->question, table, asked->stored->model.tables,
									  measured, &asked->progress.tick, &arena);
	if (error.status != DP_OK)
		dp_raise(&error);
	if (quick)
	{
		share = palloc_extended(sizeof(*share) * asked->groups, MCXT_ALLOC_HUGE);
		for (uint64 b = 0; b < asked->groups; b++)
			share[b] = (DpGroupAnswer){DP_BASIS_NONE, NAN, NAN, NAN, NAN, 0};
		asked->answer = share;
		dp_release_query_model(asked);
	}
	asked->answer = measured;
	put_set(asked, squares_of(asked, share, rows), result);
}

Datum
dp_error(PG_FUNCTION_ARGS)
{
	DpReleaseQuery *asked = palloc0(sizeof(DpReleaseQuery));
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext set, caller;
	DpMeasuredTable *table;
	int64 rows;
	bool quick;
	uint32 p;

	dp_check_not_null(fcinfo, 0, "release");
	rows = dp_rows_argument(fcinfo, 1);
	asked->stored = dp_stored_get_counts(PG_GETARG_INT64(0));
	p = asked->stored->model.domain.attributes;
	dp_condition_start(&asked->stored->model.domain, &asked->condition);
	asked->by = palloc(sizeof(uint32) * 2);
	asked->question = (DpMarginalQuery){.domain = &asked->stored->model.domain,
										.measure = DP_MEASURE_SHARE,
										.confidence = 0.95,
										.rows_public = dp_rows_public(asked->stored)};
	InitMaterializedSRF(fcinfo, 0);
	table = dp_stored_tables(asked->stored);
	dp_progress_start(&asked->progress, "fitting");
	quick = dp_release_query_is_quick(asked);
	set = AllocSetContextCreate(CurrentMemoryContext, "dpsyn set", ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(set);
	for (uint32 a = 0; a < p; a++)
		for (uint32 b = a; b < p; b++)
		{
			CHECK_FOR_INTERRUPTS();
			asked->by[0] = a;
			asked->by[1] = b;
			asked->question.by = (DpAttributeSet){a == b ? 1 : 2, asked->by};
			answer_set(asked, table, quick, rows >= 0 ? rows : asked->stored->model.rows, result);
			MemoryContextReset(set);
		}
	MemoryContextSwitchTo(caller);
	return (Datum) 0;
}
