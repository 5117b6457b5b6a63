/*
 * aim_candidates.c -- every subset of a set of a workload, and how much of the workload it is about.
 */
#include "core/methods/aim/aim_candidates.h"

#include "core/base/saturate.h"
#include "core/base/sort.h"
#include "core/domain/attribute_set.h"

#define TICK_SETS 64 /* between two ticks: each has up to 255 subsets */

/*
 * The downward closure of a workload. It is public. The weight of a set r is the sum over s of
 * c_s |r and s| (McKenna, Mullins, Sheldon, Miklau 2022, section 3.2). It is computed as a sum over the
 * attributes a of r: each adds the weights of all s that have a.
 */

static DpStatus
add_subsets(DpSetIndex *closure, const DpWorkloadSet *set)
{
	uint32_t member[DP_CANDIDATE_MEMBERS_MAX], number;

	for (uint32_t mask = 1; mask < UINT32_C(1) << set->of.n; mask++)
	{
		uint32_t n = 0;

		for (uint32_t k = 0; k < set->of.n; k++)
			if (mask >> k & 1)
				member[n++] = set->of.attribute[k];
		DP_TRY(dp_set_index_add(closure, &(DpAttributeSet){n, member}, &number));
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
open_closure(DpSetIndex *closure, const DpWorkload *workload, uint32_t attributes, DpArena *arena,
			 DpError *error)
{
	uint64_t capacity = attributes;

	for (uint32_t i = 0; i < workload->sets; i++)
	{
		if (workload->set[i].of.n > DP_CANDIDATE_MEMBERS_MAX)
			return too_many(error);
		capacity = dp_add_saturated(capacity, UINT64_C(1) << workload->set[i].of.n);
	}
	capacity = capacity < DP_CANDIDATES_MAX ? capacity : DP_CANDIDATES_MAX;
	return dp_set_index_init(closure, (uint32_t) capacity, arena);
}

static bool
comes_before(const void *context, uint64_t a, uint64_t b)
{
	const DpAttributeSet *x = (const DpAttributeSet *) context + a;
	const DpAttributeSet *y = (const DpAttributeSet *) context + b;

	return dp_attributes_compare(x->attribute, x->n, y->attribute, y->n) < 0;
}

static DpStatus
sort_closure(DpSetIndex *closure, DpCandidates *out)
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
	out->widest = out->set[out->n - 1].n;
	dp_free(closure->arena, order, closure->n, sizeof(*order));
	dp_set_index_free(closure, false);
	return DP_OK;
}

DpStatus
dp_candidates_make(const DpWorkload *workload, uint32_t attributes, DpCandidates *out,
				   const DpTick *tick, DpArena *arena, DpError *error)
{
	DpSetIndex closure;
	uint32_t number;

	DP_TRY(open_closure(&closure, workload, attributes, arena, error));
	for (uint32_t a = 0; a < attributes; a++)
		DP_TRY(dp_set_index_add(&closure, &(DpAttributeSet){1, &a}, &number));
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
		for (uint32_t k = 0; k < workload->set[i].of.n; k++)
			out->importance[workload->set[i].of.attribute[k]] +=
				(double) workload->set[i].weight_nano;
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

	if (set->n > candidates->widest)
		return DP_CANDIDATE_WEIGHT_ONE / DP_ORDER_WEIGHT;
	return (int64_t) (share * DP_CANDIDATE_WEIGHT_ONE + 0.5);
}

double
dp_candidates_most(const DpCandidates *candidates, const DpAttributeSet *set, uint32_t n)
{
	double most = 0;

	for (uint32_t i = 0; i < n && set[i].n <= candidates->widest; i++)
	{
		double importance = importance_of(candidates, &set[i]);

		most = importance > most ? importance : most;
	}
	return most;
}
