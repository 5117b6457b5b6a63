/*
 * parents.c -- public and selected parents.
 */
#include "core/select/parents.h"

#include "core/base/index_list.h"
#include "core/mechanism/mechanism.h"

static DpStatus
allocate_parents(uint32_t n, DpParents *parents, DpArena *arena)
{
	parents->n = n;
	parents->index = dp_alloc(arena, n, sizeof(*parents->index));
	return parents->index == NULL ? DP_ERR_MEMORY : DP_OK;
}

static DpStatus
too_many_parents(const DpOption *option, const char *child, uint32_t parents_max, DpError *error)
{
	(void) dp_fail(error, DP_ERR_ARGUMENT, "option \"%s\" gives column \"%s\" too many parents",
				   option->name, child);
	dp_fail_detail(error, "The limit is %u.", parents_max);
	return DP_ERR_ARGUMENT;
}

/* Reads the columns of a list. parents has space for them. */
static DpStatus
read_list(const DpOption *option, const DpNameList *list, const DpDomain *domain, uint32_t child,
		  DpParents *parents, DpError *error)
{
	for (uint32_t i = 0; i < list->n; i++)
	{
		uint32_t index;

		DP_TRY(dp_option_column(option->name, domain, list->name[i], &index, error));
		if (index == child || dp_index_among(parents->index, i, index))
			return dp_fail(error, DP_ERR_ARGUMENT,
						   "option \"%s\" gives column \"%s\" itself or one parent twice",
						   option->name, list->key);
		parents->index[i] = index;
	}
	return DP_OK;
}

DpStatus
dp_parents_from_map(const DpOption *option, const DpDomain *domain, uint32_t parents_max,
					DpParents *parents, DpArena *arena, DpError *error)
{
	for (uint32_t i = 0; i < domain->attributes; i++)
		parents[i] = (DpParents){.n = 0, .index = NULL};
	for (uint32_t i = 0; i < option->lists; i++)
	{
		const DpNameList *list = &option->list[i];
		uint32_t child;

		DP_TRY(dp_option_column(option->name, domain, list->key, &child, error));
		if (parents[child].index != NULL)
			return dp_fail(error, DP_ERR_ARGUMENT, "option \"%s\" names column \"%s\" twice",
						   option->name, list->key);
		if (list->n > parents_max)
			return too_many_parents(option, list->key, parents_max, error);
		DP_TRY(allocate_parents(list->n, &parents[child], arena));
		DP_TRY(read_list(option, list, domain, child, &parents[child], error));
	}
	for (uint32_t i = 0; i < domain->attributes; i++)
	{
		if (parents[i].index != NULL)
			continue;
		(void) dp_fail(error, DP_ERR_ARGUMENT, "option \"%s\" has no entry for column \"%s\"",
					   option->name, domain->attribute[i].name);
		dp_fail_hint(error, "An empty list says that the column depends on no other.");
		return DP_ERR_ARGUMENT;
	}
	return DP_OK;
}

/* ring[i] is the attribute at position i; each attribute occurs once. */
static DpStatus
read_ring(const DpOption *option, const DpDomain *domain, uint32_t *ring, DpError *error)
{
	const DpNameList *list = option->lists > 0 ? &option->list[0] : NULL;
	uint32_t n = list == NULL ? 0 : list->n;

	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t index;

		DP_TRY(dp_option_column(option->name, domain, list->name[i], &index, error));
		if (dp_index_among(ring, i, index))
			return dp_fail(error, DP_ERR_ARGUMENT, "option \"%s\" names column \"%s\" twice",
						   option->name, list->name[i]);
		ring[i] = index;
	}
	if (n == domain->attributes)
		return DP_OK;
	(void) dp_fail(error, DP_ERR_ARGUMENT, "option \"%s\" does not name every modelled column",
				   option->name);
	dp_fail_detail(error, "It names %u of %u.", n, domain->attributes);
	return DP_ERR_ARGUMENT;
}

DpStatus
dp_parents_from_ring(const DpOption *option, const DpDomain *domain, uint32_t parents_n,
					 DpParents *parents, DpArena *arena, DpError *error)
{
	uint32_t ring[DP_ATTRIBUTES_MAX];
	uint32_t n = domain->attributes;

	DP_TRY(read_ring(option, domain, ring, error));
	for (uint32_t i = 0; i < n; i++)
	{
		DpParents *own = &parents[ring[i]];

		DP_TRY(allocate_parents(parents_n, own, arena));
		for (uint32_t k = 0; k < parents_n; k++)
			own->index[k] = ring[(i + n - 1 - k) % n];
	}
	return DP_OK;
}

DpStatus
dp_parents_all(const DpDomain *domain, DpParents *parents, DpArena *arena)
{
	for (uint32_t i = 0; i < domain->attributes; i++)
	{
		DP_TRY(allocate_parents(domain->attributes - 1, &parents[i], arena));
		for (uint32_t k = 0; k + 1 < domain->attributes; k++)
			parents[i].index[k] = k < i ? k : k + 1;
	}
	return DP_OK;
}

/* Selects parents one after another from the candidates that are left. */
static DpStatus
select_for(const DpMeasurement *m, const DpParentsPlan *plan, uint32_t child, const int64_t *score,
		   DpParents *parents)
{
	int64_t sensitivity = dp_pairs_sensitivity(plan->score, &m->plan->request->unit);
	uint32_t candidate[DP_ATTRIBUTES_MAX];
	int64_t candidate_score[DP_ATTRIBUTES_MAX];
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->domain->attributes; i++)
	{
		if (i != child)
			candidate[n++] = i;
	}
	for (uint32_t k = 0; k < parents->n; k++, n--)
	{
		size_t chosen;

		for (uint32_t i = 0; i < n; i++)
			candidate_score[i] = score[candidate[i]];
		DP_TRY(dp_select(&m->noise,
						 &(DpScores){.score = candidate_score, .n = n, .sensitivity = sensitivity},
						 plan->epsilon_each_nano, &chosen));
		parents->index[k] = candidate[chosen];
		candidate[chosen] = candidate[n - 1];
	}
	return DP_OK;
}

/*
 * dp_parents_select -- the attributes that each attribute depends on most
 *
 * Inputs:      exact scores of all pairs, from one scan: dependence or mutual information;
 *              parents_n <= attributes - 1
 * Output:      parents_n distinct parents for each attribute, best first
 * Neighbours:  the dataset's, by dp_pairs_sensitivity: of dependence 2 score rows under
 *              add/remove, 3 under replacement, times rows_max
 * Guarantee:   (attributes x parents_n x epsilon_each, 0)-DP: each choice is one
 *              permute-and-flip among candidates that earlier choices left, which are
 *              released, so basic composition holds for adaptive choices
 * Source:      dependence: Zhang et al., PrivBayes (2014); the SBHG paper ranks by exact mutual
 *              information free of charge, which is not private
 */
DpStatus
dp_parents_select(const DpMeasurement *m, const DpParentsPlan *plan, DpParents *parents,
				  DpError *error)
{
	int64_t *score;

	DP_TRY(dp_pairs_score(m, plan->score, &score, error));
	for (uint32_t i = 0; i < m->domain->attributes; i++)
	{
		dp_tick(m->noise.tick, -1.0);
		DP_TRY(allocate_parents(plan->parents_n, &parents[i], m->arena));
		DP_TRY(select_for(m, plan, i, score + (uint64_t) i * m->domain->attributes, &parents[i]));
	}
	dp_pairs_free(m, score);
	return DP_OK;
}
