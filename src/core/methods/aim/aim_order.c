/*
 * aim_order.c -- which sets of more columns than the default workload's are candidates.
 */
#include "core/methods/aim/aim_order.h"

#include <string.h>

#include "core/base/index_list.h"
#include "core/base/saturate.h"
#include "core/plan/graphical_options.h"

#define LOOKED_AT_MOST 50000 /* sets of a size */
#define SIZES 64             /* cells of a set: powers of two */
#define TICK_SETS 256

/* What the sets of a number of columns have, by the k of the smallest 2^k that is no less than the
 * cells of one. */
typedef struct Sizes
{
	uint64_t sets[SIZES], cells[SIZES];
} Sizes;

/* All sets of n columns that may be added. */
typedef struct Sets
{
	const DpAimOrder *order;
	uint32_t n;      /* columns of a set */
	uint32_t others; /* columns of which it has `chosen`, beside the predicted one */
	uint32_t chosen;
	uint32_t picked[DP_CANDIDATE_MEMBERS_MAX];
	uint32_t member[DP_CANDIDATE_MEMBERS_MAX]; /* of the present set, ascending */
	uint64_t left;
} Sets;

static uint64_t
begin(Sets *sets, const DpAimOrder *order, uint32_t n)
{
	bool all = order->predicted == DP_PREDICT_NONE;

	*sets = (Sets){.order = order,
				   .n = n,
				   .others = order->domain->attributes - (all ? 0 : 1),
				   .chosen = n - (all ? 0 : 1)};
	sets->left = sets->chosen <= sets->others ? dp_combinations(sets->others, sets->chosen) : 0;
	for (uint32_t k = 0; k < sets->chosen; k++)
		sets->picked[k] = k;
	return sets->left;
}

/* Writes the present set to member, and goes on. */
static bool
next(Sets *sets)
{
	uint32_t predicted = sets->order->predicted;

	if (sets->left == 0)
		return false;
	for (uint32_t k = 0; k < sets->chosen; k++)
		sets->member[k] = sets->picked[k] + (sets->picked[k] >= predicted);
	if (sets->chosen < sets->n)
		sets->member[sets->chosen] = predicted;
	dp_index_sort(sets->member, sets->n);
	if (--sets->left > 0)
		dp_combination_next(sets->picked, sets->chosen, sets->others);
	if (sets->left % TICK_SETS == 0)
		dp_tick(sets->order->tick, -1.0);
	return true;
}

/* The place of the present set in Sizes; SIZES: it may not be added. */
static uint32_t
size_of(const Sets *sets, uint64_t *cells)
{
	const DpAimOrder *order = sets->order;
	const DpAttributeSet set = {sets->n, sets->member};
	uint32_t size = 0;

	*cells = dp_domain_cells(order->domain, set.attribute, set.n);
	if (*cells > order->cells_max ||
		(order->known != NULL && !dp_workload_is_of_use(&set, order->known)))
		return SIZES;
	while (size < SIZES - 1 && *cells > UINT64_C(1) << size)
		size++;
	return size;
}

/* The largest size of sets for which all sets fit, and subtracts their cells and columns from what
 * is left. 0: not even the smallest. */
static uint32_t
size_that_goes_in(const Sizes *sizes, uint32_t n, DpAimOrder *left, uint64_t *members)
{
	uint32_t size = 0;

	while (size < SIZES && sizes->sets[size] <= left->sets_max &&
		   sizes->cells[size] <= left->cells_max && sizes->sets[size] * n <= *members)
	{
		left->sets_max -= sizes->sets[size];
		left->cells_max -= sizes->cells[size];
		*members -= sizes->sets[size] * n;
		size++;
	}
	return size;
}

static DpStatus
append(const Sets *sets, DpCandidates *candidates, DpArena *arena)
{
	const uint32_t *member = dp_memdup(arena, sets->member, sets->n * sizeof(*sets->member));

	if (member == NULL)
		return DP_ERR_MEMORY;
	candidates->set[candidates->n++] = (DpAttributeSet){sets->n, member};
	return DP_OK;
}

static DpStatus
reserve(DpCandidates *candidates, uint64_t more, DpArena *arena)
{
	DpAttributeSet *set = dp_alloc(arena, candidates->n + more, sizeof(*set));

	if (set == NULL)
		return DP_ERR_MEMORY;
	memcpy(set, candidates->set, candidates->n * sizeof(*set));
	candidates->set = set;
	return DP_OK;
}

/* Adds sets of n columns, in lexicographic order. */
static DpStatus
add_of(const DpAimOrder *order, uint32_t n, DpAimOrder *left, uint64_t *members,
	   DpCandidates *candidates, DpArena *arena)
{
	Sizes sizes = {.sets = {0}};
	uint64_t cells, before = left->sets_max;
	uint32_t size;
	Sets sets;

	if (begin(&sets, order, n) > LOOKED_AT_MOST)
		return DP_OK;
	while (next(&sets))
	{
		size = size_of(&sets, &cells);
		if (size == SIZES)
			continue;
		sizes.sets[size]++;
		sizes.cells[size] = dp_add_saturated(sizes.cells[size], cells);
	}
	size = size_that_goes_in(&sizes, n, left, members);
	DP_TRY(reserve(candidates, before - left->sets_max, arena));
	(void) begin(&sets, order, n);
	while (next(&sets))
		if (size_of(&sets, &cells) < size)
			DP_TRY(append(&sets, candidates, arena));
	return DP_OK;
}

DpStatus
dp_aim_order_add(const DpAimOrder *order, DpCandidates *candidates, DpArena *arena)
{
	DpAimOrder left = *order;
	uint64_t members = order->members_max;

	for (uint32_t n = candidates->widest + 1; n <= DP_CANDIDATE_MEMBERS_MAX; n++)
		DP_TRY(add_of(order, n, &left, &members, candidates, arena));
	return DP_OK;
}
