/*
 * set_counts.c -- counting many sets of attributes in two tables of coded rows.
 *
 * The sets are divided into passes, each of which fits memory; a pass reads the codes of both
 * tables once. The tables of rows themselves were read once, when they were coded.
 */
#include "core/evaluate/set_counts.h"

#include "core/base/saturate.h"
#include "core/exact/count_kernel.h"
#include "core/exact/counts.h"

/* A set of at most so many cells is counted in an array, however few rows there are. */
#define DENSE_CELLS_MIN 65536
/* A set for which an array takes no more than this many times the memory of a hash table is counted
 * in an array, which is faster. */
#define DENSE_WORTH 2
#define PASS_SETS_MAX 20000 /* counts.c seeks no blocks for more */

static DpStorage
storage_of(const DpSetCounting *counting, const DpAttributeSet *set, uint64_t *bytes)
{
	const DpDomain *domain = counting->domain;
	uint64_t cells = dp_domain_cells(domain, set->attribute, set->n);
	/* 64 bits in a table and 32 in a block, for both tables of rows */
	uint64_t dense = dp_multiply_saturated(cells, 2 * (sizeof(int64_t) + sizeof(uint32_t)));
	uint64_t sparse = 0;

	for (int side = 0; side < 2; side++)
	{
		uint64_t rows = (uint64_t) counting->rows[side].rows;
		uint64_t used = cells < rows ? cells : rows;

		/* a table is there twice while it doubles, when it is half as large as in the end */
		sparse = dp_add_saturated(
			sparse, dp_marginal_bytes(domain, set->attribute, set->n, DP_SPARSE, used) / 2 * 3);
		/* the cells side by side, and in order */
		sparse = dp_add_saturated(sparse, 2 * used * (sizeof(uint64_t *) + 2 * sizeof(int64_t)));
	}
	if (cells <= DENSE_CELLS_MIN || (cells <= DP_DENSE_CELLS_MAX && dense / DENSE_WORTH <= sparse))
	{
		*bytes = dense;
		return DP_DENSE;
	}
	*bytes = sparse;
	return DP_SPARSE;
}

uint64_t
dp_set_bytes(const DpSetCounting *counting, uint32_t set)
{
	uint64_t bytes;

	(void) storage_of(counting, &counting->set[set], &bytes);
	return bytes;
}

/* One pass: the sets first..end-1 without those that are too large. */
typedef struct Pass
{
	DpSpec spec;
	uint32_t *number; /* [spec.sets] of the set in the job */
} Pass;

static DpStatus
pass_plan(const DpSetCounting *counting, uint32_t *next, const DpPairTaker *taker, Pass *pass,
		  DpArena *arena)
{
	uint32_t room = counting->sets - *next < PASS_SETS_MAX ? counting->sets - *next : PASS_SETS_MAX;
	uint64_t bytes_all = 0;

	*pass = (Pass){.spec = {.domain = *counting->domain}};
	pass->spec.set = dp_alloc(arena, room, sizeof(DpSpecSet));
	pass->number = dp_alloc(arena, room, sizeof(uint32_t));
	if (pass->spec.set == NULL || pass->number == NULL)
		return DP_ERR_MEMORY;
	for (; *next < counting->sets && pass->spec.sets < room; (*next)++)
	{
		const DpAttributeSet *set = &counting->set[*next];
		uint64_t bytes;
		DpStorage storage = storage_of(counting, set, &bytes);

		if (bytes > counting->bytes_max)
		{
			taker->leave_out(taker->context, *next, bytes);
			continue;
		}
		if (bytes_all + bytes > counting->bytes_max)
			break;
		bytes_all += bytes;
		pass->number[pass->spec.sets] = *next;
		pass->spec.set[pass->spec.sets++] =
			(DpSpecSet){.n = set->n, .attribute = (uint32_t *) set->attribute, .storage = storage};
	}
	return DP_OK;
}

static DpStatus
count_rows(const DpCodedRows *rows, DpCounts *counts, DpError *error)
{
	rows->rewind(rows->context);
	for (;;)
	{
		counts->rows = rows->next(rows->context, counts->code);
		if (counts->rows == 0)
			return dp_counts_settle(counts, error);
		DP_TRY(dp_counts_batch(counts, error));
	}
}

static DpStatus
pass_run(const DpSetCounting *counting, const Pass *pass, const DpPairTaker *taker, DpArena *arena,
		 DpError *error)
{
	DpCounts counts[2];

	for (int side = 0; side < 2; side++)
	{
		DP_TRY(dp_counts_init(&counts[side], &pass->spec, counting->tick, arena, error));
		DP_TRY(count_rows(&counting->rows[side], &counts[side], error));
	}
	for (uint32_t i = 0; i < pass->spec.sets; i++)
	{
		DpTablePair pair;

		dp_tick(counting->tick, -1);
		DP_TRY(dp_table_pair_make(&counts[0].table[i], &counts[1].table[i], &pair, arena));
		DP_TRY(taker->take(taker->context, pass->number[i], &pair));
		dp_marginal_free(&counts[0].table[i]);
		dp_marginal_free(&counts[1].table[i]);
	}
	return DP_OK;
}

DpStatus
dp_count_sets(const DpSetCounting *counting, const DpPairTaker *taker, const DpArenaSource *memory,
			  DpError *error)
{
	uint32_t next = 0;

	while (next < counting->sets)
	{
		DpArena *arena = memory->fresh(memory->context);
		DpStatus status;
		Pass pass;

		status = pass_plan(counting, &next, taker, &pass, arena);
		if (status == DP_OK && pass.spec.sets > 0)
			status = pass_run(counting, &pass, taker, arena, error);
		if (status != DP_OK)
			return dp_fail_filled(error, status);
	}
	return DP_OK;
}
