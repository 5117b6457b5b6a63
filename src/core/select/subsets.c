/*
 * subsets.c -- counting all small tables in few scans, and their scores.
 */
#include "core/select/subsets.h"

#include <string.h>

#include "core/base/combinations.h"
#include "core/base/saturate.h"
#include "core/select/dependence.h"

#define SCAN_CELLS_MAX UINT64_C(32000000) /* cells counted at once: 256 MB */
#define SCAN_TABLES_MAX 100000

uint64_t
dp_subsets_total(uint32_t attributes, uint32_t members_max)
{
	uint64_t total = 0;

	for (uint32_t s = 2; s <= members_max; s++)
		total = dp_add_saturated(total, dp_combinations(attributes, s));
	return total;
}

/* ---- walking all sets ---- */

typedef struct Walk
{
	uint32_t attributes;
	uint32_t members_max;
	uint32_t n; /* members of the present set; 0 = the walk has not begun */
	uint32_t member[DP_SUBSET_MAX];
} Walk;

/* The walk goes by size, and within one size in ascending order. */
static bool
walk_next(Walk *walk)
{
	uint32_t at = walk->n;

	while (at > 0 && walk->member[at - 1] == walk->attributes - (walk->n - at) - 1)
		at--;
	if (at == 0)
	{
		walk->n = walk->n == 0 ? 2 : walk->n + 1;
		if (walk->n > walk->members_max || walk->n > walk->attributes)
			return false;
		for (uint32_t i = 0; i < walk->n; i++)
			walk->member[i] = i;
		return true;
	}
	walk->member[at - 1]++;
	for (uint32_t i = at; i < walk->n; i++)
		walk->member[i] = walk->member[i - 1] + 1;
	return true;
}

/* What fits into one more scan, and what is left over for the next. */
typedef struct Batch
{
	Walk next;  /* the first set of the batch after */
	bool ended; /* there is no such set */
	uint64_t cells;
	uint32_t tables;
} Batch;

/* Takes as many sets from batch->next on as one scan may count. visit may be NULL. */
static DpStatus
fill_batch(const DpDomain *domain, uint64_t cells_max, Batch *batch,
		   DpStatus (*visit)(void *context, const Walk *set), void *context)
{
	batch->cells = 0;
	batch->tables = 0;
	for (; !batch->ended; batch->ended = !walk_next(&batch->next))
	{
		uint64_t cells = dp_domain_cells(domain, batch->next.member, batch->next.n);

		if (cells > cells_max)
			continue;
		if (batch->tables > 0 &&
			(batch->cells + cells > SCAN_CELLS_MAX || batch->tables == SCAN_TABLES_MAX))
			return DP_OK;
		batch->cells += cells;
		batch->tables++;
		if (visit != NULL)
			DP_TRY(visit(context, &batch->next));
	}
	return DP_OK;
}

static Batch
first_batch(const DpDomain *domain, uint32_t members_max)
{
	Batch batch = {.next = {.attributes = domain->attributes, .members_max = members_max}};

	batch.ended = !walk_next(&batch.next);
	return batch;
}

DpStatus
dp_subsets_forecast(const DpDomain *domain, uint32_t members_max, uint64_t cells_max,
					uint32_t *scans, uint64_t *bytes)
{
	Batch batch = first_batch(domain, members_max);

	*bytes = 0;
	for (*scans = 0; !batch.ended; (*scans)++)
	{
		uint64_t own;

		DP_TRY(fill_batch(domain, cells_max, &batch, NULL, NULL));
		if (batch.tables == 0)
			break;
		own = batch.cells * sizeof(int64_t) + batch.tables * (uint64_t) sizeof(DpMarginal);
		*bytes = own > *bytes ? own : *bytes;
	}
	if (*scans == 0 && dp_open_attributes(domain) > 0)
		*scans = 1;
	*bytes += dp_subsets_total(domain->attributes, members_max) * members_max * sizeof(int64_t);
	return DP_OK;
}

/* ---- scores ---- */

/*
 * Takes the table as [before][levels][after]: a level of the attribute at `position`, and a
 * configuration of the others. The result is the sum of |n t - r c| over all cells, empty
 * ones too.
 */
static unsigned __int128
sum_differences(const DpMarginal *table, uint64_t levels, uint64_t after, const int64_t *rest,
				const int64_t *own)
{
	unsigned __int128 sum = 0;
	uint64_t block = levels * after;

	for (uint64_t i = 0; i < table->cells; i++)
	{
		uint64_t other = i / block * after + i % after;
		__int128 difference = (__int128) table->total * table->dense[i] -
							  (__int128) rest[other] * own[i / after % levels];

		sum += (unsigned __int128) (difference < 0 ? -difference : difference);
	}
	return sum;
}

DpStatus
dp_dependence_on_rest(const DpMarginal *table, uint32_t position, int64_t *score, DpArena *arena)
{
	uint64_t levels = table->levels[position];
	uint64_t others = table->cells / levels;
	uint64_t after = 1;
	int64_t *rest, *own;

	*score = 0;
	if (table->storage != DP_DENSE || position >= table->n)
		return DP_ERR_ARGUMENT;
	if (table->total < 0 || table->total >= INT64_C(1) << 52)
		return DP_ERR_RANGE;
	if (table->total == 0)
		return DP_OK;
	for (uint32_t k = position + 1; k < table->n; k++)
		after *= table->levels[k];
	rest = dp_alloc(arena, others, sizeof(*rest));
	own = dp_alloc(arena, levels, sizeof(*own));
	if (rest == NULL || own == NULL)
		return DP_ERR_MEMORY;
	for (uint64_t i = 0; i < table->cells; i++)
	{
		rest[i / (levels * after) * after + i % after] += table->dense[i];
		own[i / after % levels] += table->dense[i];
	}
	*score = (int64_t) (DP_DEPENDENCE_UNIT * sum_differences(table, levels, after, rest, own) /
						(2 * (unsigned __int128) table->total));
	dp_free(arena, rest, others, sizeof(*rest));
	dp_free(arena, own, levels, sizeof(*own));
	return DP_OK;
}

/* ---- one scan after the other ---- */

typedef struct Counting
{
	const DpMeasurement *m;
	DpError *error;
	DpMarginal *table; /* [tables] of this batch */
	uint32_t tables;
} Counting;

static DpStatus
add_table(void *context, const Walk *set)
{
	Counting *counting = context;

	return dp_marginal_init(&counting->table[counting->tables++], counting->m->domain,
							&(DpAttributeSet){set->n, set->member}, DP_DENSE, counting->m->arena,
							counting->error);
}

static DpStatus
score_table(const DpMeasurement *m, const DpMarginal *table, DpSubsets *subsets)
{
	int64_t *score =
		subsets->score[table->n] + dp_subset_rank(table->attribute, table->n) * table->n;

	for (uint32_t k = 0; k < table->n; k++)
		DP_TRY(dp_dependence_on_rest(table, k, &score[k], m->arena));
	return DP_OK;
}

static DpStatus
count_batch(const DpMeasurement *m, uint64_t cells_max, Batch *batch, DpSubsets *subsets,
			DpError *error)
{
	Counting counting = {.m = m, .error = error};
	Batch ahead = *batch;
	uint32_t n;

	DP_TRY(fill_batch(m->domain, cells_max, &ahead, NULL, NULL));
	n = ahead.tables;
	counting.table = dp_alloc(m->arena, n, sizeof(*counting.table));
	if (counting.table == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(fill_batch(m->domain, cells_max, batch, add_table, &counting));
	if (n > 0)
		DP_TRY(dp_count_marginals(m, counting.table, n, error));
	for (uint32_t i = 0; i < n; i++)
	{
		dp_tick(m->noise.tick, -1.0);
		DP_TRY(score_table(m, &counting.table[i], subsets));
		dp_marginal_free(&counting.table[i]);
	}
	dp_free(m->arena, counting.table, n, sizeof(*counting.table));
	return DP_OK;
}

DpStatus
dp_subsets_score(const DpMeasurement *m, uint32_t members_max, uint64_t cells_max,
				 DpSubsets *subsets, DpError *error)
{
	Batch batch = first_batch(m->domain, members_max);

	*subsets = (DpSubsets){.attributes = m->domain->attributes, .members_max = members_max};
	for (uint32_t s = 2; s <= members_max; s++)
	{
		uint64_t n = dp_combinations(subsets->attributes, s) * s;

		subsets->score[s] = dp_alloc(m->arena, n, sizeof(int64_t));
		if (subsets->score[s] == NULL)
			return DP_ERR_MEMORY;
		memset(subsets->score[s], 0xff, n * sizeof(int64_t)); /* all scores are -1 at first */
	}
	while (!batch.ended)
		DP_TRY(count_batch(m, cells_max, &batch, subsets, error));
	return DP_OK;
}

void
dp_subsets_free(const DpMeasurement *m, DpSubsets *subsets)
{
	for (uint32_t s = 2; s <= subsets->members_max; s++)
		dp_free(m->arena, subsets->score[s], dp_combinations(subsets->attributes, s) * s,
				sizeof(int64_t));
	*subsets = (DpSubsets){.attributes = 0};
}
