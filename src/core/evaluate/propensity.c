/*
 * propensity.c -- stacked tables as distinct rows, the regression, and what becomes of its scores.
 */
#include "core/evaluate/propensity.h"

#include <math.h>
#include <string.h>

#include "core/base/saturate.h"
#include "core/base/slot_table.h"
#include "core/base/sort.h"
#include "core/exact/count_kernel.h"

#define CELLS_FIRST 1024

/* ---- distinct rows ---- */

/* Rows of codes, and the slots by which they are found. */
typedef struct CellTable
{
	uint32_t attributes;
	uint64_t cells, allocated;
	uint32_t *code;   /* [allocated x attributes] */
	double *count[2]; /* [allocated] */
	DpSlotTable table;
	uint64_t bytes_max;
	DpArena *arena;
} CellTable;

static uint64_t
hash_of(const uint32_t *code, uint32_t n)
{
	uint64_t hash = UINT64_C(0x9e3779b97f4a7c15);

	for (uint32_t i = 0; i < n; i++)
	{
		hash = (hash ^ code[i]) * UINT64_C(0xff51afd7ed558ccd);
		hash ^= hash >> 32;
	}
	return hash;
}

static bool
is_cell(const void *list, uint32_t entry, const void *sought)
{
	const CellTable *cells = list;

	return memcmp(cells->code + (size_t) entry * cells->attributes, sought,
				  sizeof(uint32_t) * cells->attributes) == 0;
}

/* What cells take here, and as observations afterwards. */
static uint64_t
bytes_of(uint64_t cells, uint32_t attributes)
{
	return dp_multiply_saturated(cells, attributes * (sizeof(uint32_t) + sizeof(double)) +
											10 * sizeof(double));
}

static DpStatus
widen(CellTable *table, uint64_t cells)
{
	CellTable old = *table;
	size_t n = table->attributes;

	if (bytes_of(cells, table->attributes) > table->bytes_max)
		return DP_ERR_LIMIT;
	table->allocated = cells;
	table->code = dp_alloc(table->arena, cells * n, sizeof(uint32_t));
	table->count[0] = dp_alloc(table->arena, cells, sizeof(double));
	table->count[1] = dp_alloc(table->arena, cells, sizeof(double));
	DP_TRY_ALLOC(table->code && table->count[0] && table->count[1]);
	DP_TRY(dp_slots_init(&table->table, cells, 2, table->arena));
	if (old.allocated == 0)
		return DP_OK;
	memcpy(table->code, old.code, sizeof(uint32_t) * old.cells * n);
	for (int side = 0; side < 2; side++)
	{
		memcpy(table->count[side], old.count[side], sizeof(double) * old.cells);
		dp_free(table->arena, old.count[side], old.allocated, sizeof(double));
	}
	for (uint64_t i = 0; i < table->cells; i++)
		*dp_slot_new(&table->table, hash_of(table->code + i * n, table->attributes)) =
			(uint32_t) (i + 1);
	dp_free(table->arena, old.code, old.allocated * n, sizeof(uint32_t));
	dp_slots_free(&old.table, table->arena);
	return DP_OK;
}

static DpStatus
add_row(CellTable *table, const uint32_t *code, int side)
{
	uint32_t *slot;

	if (table->cells == table->allocated)
		DP_TRY(widen(table, table->allocated == 0 ? CELLS_FIRST : 2 * table->allocated));
	slot = dp_slot_find(&table->table, hash_of(code, table->attributes), is_cell, table, code);
	if (*slot == 0)
	{
		memcpy(table->code + table->cells * table->attributes, code,
			   sizeof(uint32_t) * table->attributes);
		*slot = (uint32_t) ++table->cells;
	}
	table->count[side][*slot - 1]++;
	return DP_OK;
}

static DpStatus
add_table(CellTable *table, const DpCodedRows *rows, int side, const DpTick *tick)
{
	uint32_t n = table->attributes, batch;
	uint32_t **column = dp_alloc(table->arena, n, sizeof(uint32_t *));
	uint32_t *code = dp_alloc(table->arena, n, sizeof(uint32_t));

	DP_TRY_ALLOC(column && code);
	for (uint32_t a = 0; a < n; a++)
		if ((column[a] = dp_alloc(table->arena, DP_BATCH_ROWS, sizeof(uint32_t))) == NULL)
			return DP_ERR_MEMORY;
	rows->rewind(rows->context);
	while ((batch = rows->next(rows->context, column)) > 0)
	{
		dp_tick(tick, -1);
		for (uint32_t i = 0; i < batch; i++)
		{
			for (uint32_t a = 0; a < n; a++)
				code[a] = column[a][i];
			DP_TRY(add_row(table, code, side));
		}
	}
	for (uint32_t a = 0; a < n; a++)
		dp_free(table->arena, column[a], DP_BATCH_ROWS, sizeof(uint32_t));
	dp_free(table->arena, column, n, sizeof(uint32_t *));
	dp_free(table->arena, code, n, sizeof(uint32_t));
	return DP_OK;
}

DpStatus
dp_stack_cells(const DpDomain *domain, const DpCodedRows rows[2], uint64_t bytes_max,
			   DpStackedCells *out, const DpTick *tick, DpArena *arena)
{
	CellTable table = {.attributes = domain->attributes, .bytes_max = bytes_max, .arena = arena};

	for (int side = 0; side < 2; side++)
		DP_TRY(add_table(&table, &rows[side], side, tick));
	*out = (DpStackedCells){.cells = table.cells,
							.attributes = table.attributes,
							.count = {table.count[0], table.count[1]},
							.rows = {(double) rows[0].rows, (double) rows[1].rows}};
	out->value = dp_alloc(arena, table.cells * table.attributes, sizeof(double));
	DP_TRY_ALLOC(out->value);
	for (uint64_t i = 0; i < table.cells * table.attributes; i++)
		out->value[i] = table.code[i];
	dp_free(arena, table.code, table.allocated * table.attributes, sizeof(uint32_t));
	dp_slots_free(&table.table, arena);
	return DP_OK;
}

/* ---- scores ---- */

static bool
score_before(const void *context, uint64_t a, uint64_t b)
{
	const double *score = context;

	return score[a] < score[b];
}

/* Scores that differ by rounding alone are the same score. */
static bool
same_score(double a, double b)
{
	return b - a <= 1e-12;
}

static DpStatus
distance(const DpStackedCells *cells, const double *score, double *out, DpArena *arena)
{
	uint64_t *order = dp_alloc(arena, cells->cells, sizeof(uint64_t));
	double below[2] = {0, 0};

	*out = 0;
	DP_TRY_ALLOC(order);
	for (uint64_t i = 0; i < cells->cells; i++)
		order[i] = i;
	DP_TRY(dp_sort_indexes(order, cells->cells, score_before, score, arena));
	for (uint64_t i = 0; i < cells->cells; i++)
	{
		for (int side = 0; side < 2; side++)
			below[side] += cells->count[side][order[i]];
		if (i + 1 == cells->cells || !same_score(score[order[i]], score[order[i + 1]]))
			*out = fmax(*out, fabs(below[0] / cells->rows[0] - below[1] / cells->rows[1]));
	}
	dp_free(arena, order, cells->cells, sizeof(uint64_t));
	return DP_OK;
}

static double
synthetic_share(const DpStackedCells *cells)
{
	return cells->rows[1] / (cells->rows[0] + cells->rows[1]);
}

static double
mean_squared(const DpStackedCells *cells, const double *score)
{
	double c = synthetic_share(cells), sum = 0;

	for (uint64_t i = 0; i < cells->cells; i++)
		sum += (cells->count[0][i] + cells->count[1][i]) * (score[i] - c) * (score[i] - c);
	return sum / (cells->rows[0] + cells->rows[1]);
}

double
dp_pmse_expected(const DpStackedCells *cells, uint32_t terms)
{
	double c = synthetic_share(cells);

	return c * (1 - c) * (1 - c) * (terms - 1) / (cells->rows[0] + cells->rows[1]);
}

/* ---- the regression ---- */

/* The cells that have rows, one after another. */
static DpStatus
observations_of(const DpStackedCells *cells, DpObservations *out, DpArena *arena)
{
	double *outcome = dp_alloc(arena, cells->cells, sizeof(double));
	double *weight = dp_alloc(arena, cells->cells, sizeof(double));

	DP_TRY_ALLOC(outcome && weight);
	for (uint64_t i = 0; i < cells->cells; i++)
	{
		weight[i] = cells->count[0][i] + cells->count[1][i];
		outcome[i] = weight[i] > 0 ? cells->count[1][i] / weight[i] : 0;
	}
	*out = (DpObservations){.rows = cells->cells,
							.predictors = cells->attributes,
							.value = cells->value,
							.outcome = outcome,
							.weight = weight};
	return DP_OK;
}

DpStatus
dp_propensity_fit(const DpDomain *domain, const DpStackedCells *cells, bool pairs,
				  DpPropensity *out, const DpTick *tick, DpArena *arena)
{
	DpPredictor *predictor = dp_alloc(arena, domain->attributes, sizeof(DpPredictor));
	DpRegressionModel model = {.family = DP_FAMILY_LOGISTIC,
							   .predictor = predictor,
							   .predictors = domain->attributes,
							   .pairs = pairs,
							   .ridge = DP_PROPENSITY_RIDGE,
							   .progress = DP_PROPENSITY_PROGRESS};
	DpObservations rows;
	DpRegression fit;

	DP_TRY_ALLOC(predictor);
	for (uint32_t a = 0; a < domain->attributes; a++)
		predictor[a].levels = domain->attribute[a].levels;
	DP_TRY(observations_of(cells, &rows, arena));
	DP_TRY(dp_regression_fit(&model, &rows, &fit, tick, arena));
	out->terms = fit.design.terms;
	out->pmse = mean_squared(cells, fit.fitted);
	return distance(cells, fit.fitted, &out->ks, arena);
}

/* ---- synthetic rows that are drawn from the original ---- */

DpStatus
dp_stack_null(const DpStackedCells *cells, DpPrng *prng, DpStackedCells *out, DpArena *arena)
{
	double *below = dp_alloc(arena, cells->cells, sizeof(double)), sum = 0;

	*out = *cells;
	out->count[1] = dp_alloc(arena, cells->cells, sizeof(double));
	DP_TRY_ALLOC(below && out->count[1]);
	for (uint64_t i = 0; i < cells->cells; i++)
		below[i] = sum += cells->count[0][i];
	for (double drawn = 0; drawn < cells->rows[1]; drawn++)
	{
		double row = floor(dp_prng_unit(prng) * cells->rows[0]);
		uint64_t low = 0, high = cells->cells - 1;

		while (low < high) /* the first cell whose rows end above the row */
		{
			uint64_t middle = low + (high - low) / 2;

			if (below[middle] > row)
				high = middle;
			else
				low = middle + 1;
		}
		out->count[1][low]++;
	}
	dp_free(arena, below, cells->cells, sizeof(double));
	return DP_OK;
}
