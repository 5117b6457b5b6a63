/*
 * candidates.c -- the downward closure of a workload. It is public.
 *
 * The weight of a set r is the sum over s of c_s |r and s| (McKenna, Mullins, Sheldon,
 * Miklau 2022, section 3.2). It is computed as a sum over the attributes a of r: each adds
 * the weights of all s that have a.
 */
#include "core/methods/aim/candidates.h"

#include "core/base/saturate.h"
#include "core/base/sort.h"

#define TICK_SETS 64 /* between two ticks: each has up to 255 subsets */

typedef struct Closure
{
	DpArena *arena;
	uint32_t n, capacity;
	DpAttributeSet *set;
	uint32_t slots; /* a power of two */
	uint32_t *slot; /* number of a set + 1; 0 = free */
} Closure;

static uint64_t
hash_members(const uint32_t *member, uint32_t n)
{
	uint64_t hash = n;

	for (uint32_t k = 0; k < n; k++)
	{
		hash = (hash ^ member[k]) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 32;
	}
	return hash;
}

static DpStatus
add_set(Closure *closure, const uint32_t *member, uint32_t n)
{
	const DpAttributeSet set = {n, member};
	uint64_t slot = hash_members(member, n) & (closure->slots - 1);
	DpAttributeSet *new;

	for (; closure->slot[slot] != 0; slot = (slot + 1) & (closure->slots - 1))
		if (dp_set_equal(&closure->set[closure->slot[slot] - 1], &set))
			return DP_OK;
	if (closure->n == closure->capacity)
		return DP_ERR_LIMIT;
	new = &closure->set[closure->n];
	new->n = n;
	new->attribute = dp_memdup(closure->arena, member, n * sizeof(*member));
	if (new->attribute == NULL)
		return DP_ERR_MEMORY;
	closure->slot[slot] = ++closure->n;
	return DP_OK;
}

static DpStatus
add_subsets(Closure *closure, const DpWorkloadSet *set)
{
	uint32_t member[DP_CANDIDATE_MEMBERS_MAX];

	for (uint32_t mask = 1; mask < UINT32_C(1) << set->n; mask++)
	{
		uint32_t n = 0;

		for (uint32_t k = 0; k < set->n; k++)
			if (mask >> k & 1)
				member[n++] = set->attribute[k];
		DP_TRY(add_set(closure, member, n));
	}
	return DP_OK;
}

static DpStatus
too_many(DpError *error)
{
	(void) dp_fail(error, DP_ERR_LIMIT, "the workload has too many subsets");
	dp_fail_detail(error, "A set may have at most %d columns, and all sets together %d subsets.",
				   DP_CANDIDATE_MEMBERS_MAX, DP_CANDIDATES_MAX);
	dp_fail_hint(error, "List fewer or smaller sets in \"workload\".");
	return DP_ERR_LIMIT;
}

static DpStatus
open_closure(Closure *closure, const DpWorkload *workload, uint32_t attributes, DpArena *arena,
			 DpError *error)
{
	uint64_t capacity = attributes;

	for (uint32_t i = 0; i < workload->sets; i++)
	{
		if (workload->set[i].n > DP_CANDIDATE_MEMBERS_MAX)
			return too_many(error);
		capacity = dp_add_saturated(capacity, UINT64_C(1) << workload->set[i].n);
	}
	capacity = capacity < DP_CANDIDATES_MAX ? capacity : DP_CANDIDATES_MAX;
	*closure = (Closure){.arena = arena, .capacity = (uint32_t) capacity, .slots = 4};
	while (closure->slots < 2 * closure->capacity)
		closure->slots *= 2;
	closure->set = dp_alloc(arena, capacity, sizeof(*closure->set));
	closure->slot = dp_alloc(arena, closure->slots, sizeof(*closure->slot));
	return closure->set == NULL || closure->slot == NULL ? DP_ERR_MEMORY : DP_OK;
}

static bool
comes_before(const void *context, uint64_t a, uint64_t b)
{
	const DpAttributeSet *x = (const DpAttributeSet *) context + a;
	const DpAttributeSet *y = (const DpAttributeSet *) context + b;

	if (x->n != y->n)
		return x->n < y->n;
	for (uint32_t k = 0; k < x->n; k++)
		if (x->attribute[k] != y->attribute[k])
			return x->attribute[k] < y->attribute[k];
	return false;
}

static DpStatus
sort_closure(Closure *closure, DpCandidates *out)
{
	uint64_t *order = dp_alloc(closure->arena, closure->n, sizeof(*order));

	out->set = dp_alloc(closure->arena, closure->n, sizeof(*out->set));
	if (order == NULL || out->set == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t i = 0; i < closure->n; i++)
		order[i] = i;
	DP_TRY(dp_sort_indexes(order, closure->n, comes_before, closure->set, closure->arena));
	for (uint32_t i = 0; i < closure->n; i++)
		out->set[i] = closure->set[order[i]];
	out->n = closure->n;
	dp_free(closure->arena, order, closure->n, sizeof(*order));
	dp_free(closure->arena, closure->set, closure->capacity, sizeof(*closure->set));
	dp_free(closure->arena, closure->slot, closure->slots, sizeof(*closure->slot));
	return DP_OK;
}

DpStatus
dp_candidates_make(const DpWorkload *workload, uint32_t attributes, DpCandidates *out,
				   const DpTick *tick, DpArena *arena, DpError *error)
{
	Closure closure;

	DP_TRY(open_closure(&closure, workload, attributes, arena, error));
	for (uint32_t a = 0; a < attributes; a++)
		DP_TRY(add_set(&closure, &a, 1));
	for (uint32_t i = 0; i < workload->sets; i++)
	{
		DpStatus status = add_subsets(&closure, &workload->set[i]);

		if (i % TICK_SETS == 0)
			dp_tick(tick, -1.0);
		if (status != DP_OK)
			return status == DP_ERR_LIMIT ? too_many(error) : status;
	}
	out->importance = dp_alloc(arena, attributes, sizeof(*out->importance));
	if (out->importance == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t i = 0; i < workload->sets; i++)
		for (uint32_t k = 0; k < workload->set[i].n; k++)
			out->importance[workload->set[i].attribute[k]] += (double) workload->set[i].weight_nano;
	return sort_closure(&closure, out);
}

static double
importance_of(const DpCandidates *candidates, const DpAttributeSet *set)
{
	double sum = 0;

	for (uint32_t k = 0; k < set->n; k++)
		sum += candidates->importance[set->attribute[k]];
	return sum;
}

int64_t
dp_candidate_weight(const DpCandidates *candidates, const DpAttributeSet *set, double most)
{
	double share = importance_of(candidates, set) / most;

	return (int64_t) (share * DP_CANDIDATE_WEIGHT_ONE + 0.5);
}

double
dp_candidates_most(const DpCandidates *candidates, const DpAttributeSet *set, uint32_t n)
{
	double most = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		double importance = importance_of(candidates, &set[i]);

		most = importance > most ? importance : most;
	}
	return most;
}
