/*
 * subsets.c -- counting all small tables in few scans, and their scores.
 */
#include "core/select/subsets.h"

#include <string.h>

#include "core/base/index_list.h"
#include "core/base/saturate.h"
#include "core/select/pairs.h"

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

/* The sets that fit into one more scan, and those left for the next one. */
typedef struct Batch
{
	Walk next;  /* the first set of the batch after */
	bool ended; /* there is no such set */
	uint64_t cells;
	uint64_t members; /* of all its sets */
	uint64_t scored;  /* cells of each set, for each of its members */
	uint32_t tables;
} Batch;

/* Goes on to the next set that can be counted, and says whether it fits the scan. */
static bool
take_set(const DpDomain *domain, uint64_t cells_max, Batch *batch)
{
	for (; !batch->ended; batch->ended = !walk_next(&batch->next))
	{
		uint64_t cells = dp_domain_cells(domain, batch->next.member, batch->next.n);

		if (cells > cells_max)
			continue;
		if (batch->tables > 0 &&
			(batch->cells + cells > SCAN_CELLS_MAX || batch->tables == SCAN_TABLES_MAX))
			return false;
		batch->cells += cells;
		batch->members += batch->next.n;
		batch->scored += cells * batch->next.n;
		batch->tables++;
		return true;
	}
	return false;
}

static void
start_batch(Batch *batch)
{
	batch->cells = 0;
	batch->members = 0;
	batch->scored = 0;
	batch->tables = 0;
}

/* Takes as many sets from batch->next on as one scan may count. */
static void
skip_batch(const DpDomain *domain, uint64_t cells_max, Batch *batch)
{
	start_batch(batch);
	while (take_set(domain, cells_max, batch))
		batch->ended = !walk_next(&batch->next);
}

static Batch
first_batch(const DpDomain *domain, uint32_t members_max)
{
	Batch batch = {.next = {.attributes = domain->attributes, .members_max = members_max}};

	batch.ended = !walk_next(&batch.next);
	return batch;
}

DpSubsetsCostEstimate
dp_subsets_cost_estimate(const DpDomain *domain, uint32_t members_max, uint64_t cells_max)
{
	Batch batch = first_batch(domain, members_max);
	DpSubsetsCostEstimate cost_estimate = {0};

	for (; !batch.ended; cost_estimate.scans++)
	{
		uint64_t own;

		skip_batch(domain, cells_max, &batch);
		if (batch.tables == 0)
			break;
		own = batch.cells * sizeof(int64_t) + batch.tables * (uint64_t) sizeof(DpMarginal);
		cost_estimate.bytes = own > cost_estimate.bytes ? own : cost_estimate.bytes;
		cost_estimate.cells = batch.cells > cost_estimate.cells ? batch.cells : cost_estimate.cells;
		cost_estimate.members += batch.members;
		cost_estimate.scored += batch.scored;
	}
	if (cost_estimate.scans == 0 && dp_open_attributes(domain) > 0)
		cost_estimate.scans = 1;
	cost_estimate.bytes +=
		dp_subsets_total(domain->attributes, members_max) * members_max * sizeof(int64_t);
	return cost_estimate;
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
	DP_TRY_ALLOC(rest && own);
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
	Batch ahead = *batch;
	DpMarginal *table;
	uint32_t n;

	skip_batch(m->domain, cells_max, &ahead);
	n = ahead.tables;
	table = dp_alloc(m->arena, n, sizeof(*table));
	DP_TRY_ALLOC(table);
	start_batch(batch);
	for (; take_set(m->domain, cells_max, batch); batch->ended = !walk_next(&batch->next))
		DP_TRY(dp_marginal_init(&table[batch->tables - 1], m->domain,
								&(DpAttributeSet){batch->next.n, batch->next.member}, DP_DENSE,
								m->arena, error));
	if (n > 0)
		DP_TRY(dp_count_marginals(m, table, n, error));
	for (uint32_t i = 0; i < n; i++)
	{
		dp_tick(m->noise.tick, -1.0);
		DP_TRY(score_table(m, &table[i], subsets));
		dp_marginal_free(&table[i]);
	}
	dp_free(m->arena, table, n, sizeof(*table));
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
		DP_TRY_ALLOC(subsets->score[s]);
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
