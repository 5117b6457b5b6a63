/*
 * clique_conditional.c -- what is drawn at one clique of a graphical model.
 */
#include "core/sample/clique_conditional.h"

#include <math.h>

#include <string.h>

static DpStatus
split_sets(DpCliqueConditional *node, const DpClique *clique, DpArena *arena)
{
	uint32_t *drawn = dp_alloc(arena, clique->set.n, sizeof(*drawn));
	uint32_t k = 0;

	node->known = clique->separator.n;
	node->known_attribute =
		dp_memdup(arena, clique->separator.attribute, node->known * sizeof(*drawn));
	node->drawn_attribute = drawn;
	if (drawn == NULL || node->known_attribute == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t i = 0; i < clique->set.n; i++)
	{
		if (k < node->known && clique->set.attribute[i] == node->known_attribute[k])
			k++;
		else
			drawn[node->drawn++] = clique->set.attribute[i];
	}
	return DP_OK;
}

static uint32_t
place_of(const uint32_t *attribute, uint32_t n, uint32_t wanted)
{
	for (uint32_t k = 0; k < n; k++)
		if (attribute[k] == wanted)
			return k;
	return n;
}

/* Finds the step in cumulative of each attribute of the clique. Cells lie slice by slice. */
static void
find_steps(const DpCliqueConditional *node, const DpClique *clique, const uint32_t *levels,
		   uint64_t *step)
{
	uint64_t at = 1;

	for (uint32_t k = node->drawn; k-- > 0; at *= levels[node->drawn_attribute[k]])
		step[place_of(clique->set.attribute, clique->set.n, node->drawn_attribute[k])] = at;
	for (uint32_t k = node->known; k-- > 0; at *= levels[node->known_attribute[k]])
		step[place_of(clique->set.attribute, clique->set.n, node->known_attribute[k])] = at;
}

/* Copies the cells of the clique, in ascending order, to their slices. */
static DpStatus
fill_slices(DpCliqueConditional *node, const DpClique *clique, const uint32_t *levels,
			const double *cell, DpArena *arena)
{
	uint64_t *step = dp_alloc(arena, clique->set.n, sizeof(*step));
	uint32_t *digit = dp_alloc(arena, clique->set.n, sizeof(*digit));
	uint64_t at = 0;

	if (step == NULL || digit == NULL)
		return DP_ERR_MEMORY;
	find_steps(node, clique, levels, step);
	for (uint64_t i = 0; i < clique->cells; i++)
	{
		node->cumulative[at] = cell[i] > 0 ? cell[i] : 0;
		for (uint32_t k = clique->set.n; k-- > 0;)
		{
			at += step[k];
			if (++digit[k] < levels[clique->set.attribute[k]])
				break;
			at -= step[k] * digit[k];
			digit[k] = 0;
		}
	}
	dp_free(arena, step, clique->set.n, sizeof(*step));
	dp_free(arena, digit, clique->set.n, sizeof(*digit));
	return DP_OK;
}

/* Turns weights into cumulative shares. A slice without any weight becomes uniform. What stands
 * behind the last cell with a weight is never drawn, however the sums are rounded. */
static void
accumulate(double *weight, uint64_t n)
{
	double sum = 0, so_far = 0;
	uint64_t last = n - 1;
	bool any;

	for (uint64_t i = 0; i < n; i++)
		sum += weight[i];
	any = sum > 0 && sum < 1e300;
	while (any && last > 0 && weight[last] <= 0)
		last--;
	for (uint64_t i = 0; i < n; i++)
	{
		so_far += any ? weight[i] / sum : 1.0 / (double) n;
		weight[i] = i >= last || so_far > 1 ? 1 : so_far;
	}
}

DpStatus
dp_clique_conditional_compile(const DpGraphical *model, uint32_t number, DpCliqueConditional *node,
							  DpArena *arena)
{
	const DpClique *clique = &model->tree.clique[number];

	DP_TRY(split_sets(node, clique, arena));
	node->slices = clique->separator_cells;
	node->cells = clique->cells / clique->separator_cells;
	if (node->slices > UINT32_MAX || node->cells > UINT32_MAX)
		return DP_ERR_LIMIT;
	node->cumulative = dp_alloc(arena, clique->cells, sizeof(double));
	if (node->cumulative == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(fill_slices(node, clique, model->levels, model->belief.clique[number].cell, arena));
	for (uint64_t slice = 0; slice < node->slices; slice++)
		accumulate(node->cumulative + slice * node->cells, node->cells);
	return DP_OK;
}

uint64_t
dp_cumulative_find(const double *cumulative, uint64_t n, double u)
{
	uint64_t low = 0, high = n - 1;

	while (low < high)
	{
		uint64_t middle = low + (high - low) / 2;

		if (cumulative[middle] > u)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

uint64_t
dp_cumulative_last(const double *cumulative, uint64_t n)
{
	return dp_cumulative_find(cumulative, n, nextafter(cumulative[n - 1], 0));
}

bool
dp_graphical_know_the_same(const DpCliqueConditional *a, const DpCliqueConditional *b)
{
	return a->known == b->known && memcmp(a->known_attribute, b->known_attribute,
										  a->known * sizeof(*a->known_attribute)) == 0;
}
