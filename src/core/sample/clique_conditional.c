/*
 * clique_conditional.c -- what is drawn at one clique of a graphical model.
 */
#include "core/sample/clique_conditional.h"

#include <math.h>

#include "core/base/row_major.h"

static DpStatus
split_sets(DpCliqueConditional *node, const DpClique *clique, DpArena *arena)
{
	uint32_t *drawn = dp_alloc(arena, clique->set.n, sizeof(*drawn));
	uint32_t n = 0;

	node->known =
		(DpAttributeSet){clique->separator.n, dp_memdup(arena, clique->separator.attribute,
														clique->separator.n * sizeof(*drawn))};
	DP_TRY_ALLOC(drawn && node->known.attribute);
	for (uint32_t k = 0; k < clique->set.n; k++)
		if (!dp_set_holds(&node->known, clique->set.attribute[k]))
			drawn[n++] = clique->set.attribute[k];
	node->drawn = (DpAttributeSet){n, drawn};
	return DP_OK;
}

/* Finds the step in cumulative of each attribute of the clique. Cells lie slice by slice. */
static void
find_steps(const DpCliqueConditional *node, const DpClique *clique, const uint32_t *levels,
		   uint64_t *step)
{
	for (uint32_t k = 0; k < clique->set.n; k++)
	{
		uint32_t a = clique->set.attribute[k];

		step[k] = dp_set_holds(&node->known, a) ? node->cells * dp_set_step(&node->known, levels, a)
												: dp_set_step(&node->drawn, levels, a);
	}
}

/* Copies the cells of the clique, in ascending order, to their slices. */
static DpStatus
fill_slices(DpCliqueConditional *node, const DpClique *clique, const uint32_t *levels,
			const double *cell, DpArena *arena)
{
	uint64_t *step = dp_alloc(arena, clique->set.n, sizeof(*step));
	uint32_t *size = dp_alloc(arena, clique->set.n, sizeof(*size));
	uint32_t *code = dp_alloc(arena, clique->set.n, sizeof(*code));
	uint64_t at = 0;

	DP_TRY_ALLOC(step && size && code);
	dp_set_levels(&clique->set, levels, size);
	find_steps(node, clique, levels, step);
	for (uint64_t i = 0; i < clique->cells; i++)
	{
		node->cumulative[at] = cell[i] > 0 ? cell[i] : 0;
		(void) dp_row_major_follow(size, step, clique->set.n, code, &at);
	}
	dp_free(arena, step, clique->set.n, sizeof(*step));
	dp_free(arena, size, clique->set.n, sizeof(*size));
	dp_free(arena, code, clique->set.n, sizeof(*code));
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
	DP_TRY_ALLOC(node->cumulative);
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
	return dp_set_equal(&a->known, &b->known);
}
