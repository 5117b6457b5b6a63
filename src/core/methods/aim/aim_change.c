/*
 * aim_change.c -- how far the expected counts of pairs have moved over the fits.
 *
 * The way of a pair is the sum of the L1 distances between its expected counts of consecutive fits.
 * So it is at least the distance between those of the first and the last fit.
 */
#include "core/methods/aim/aim_choice.h"

#include <math.h>
#include <string.h>

#define NONE UINT32_MAX

static DpStatus
follow_pairs(DpAimChange *change, uint64_t cells_max)
{
	const DpGraphicalMeasure *measure = change->measure;
	size_t pairs = (size_t) change->columns * change->columns;
	uint64_t cells = 0;

	change->pair = dp_alloc(measure->m->arena, pairs, sizeof(*change->pair));
	if (change->pair == NULL)
		return DP_ERR_MEMORY;
	for (size_t k = 0; k < pairs; k++)
		change->pair[k] = NONE;
	for (uint32_t i = 0; i < measure->marginals; i++)
	{
		const DpExactMarginal *exact = &measure->exact[i];

		if (exact->set.n != 2 || exact->cells > cells_max - cells)
			continue;
		cells += exact->cells;
		change->expected[i] = dp_alloc(measure->m->arena, exact->cells, sizeof(double));
		if (change->expected[i] == NULL)
			return DP_ERR_MEMORY;
		change->pair[exact->set.attribute[0] * change->columns + exact->set.attribute[1]] = i;
	}
	return DP_OK;
}

DpStatus
dp_aim_change_open(DpAimChange *change, const DpGraphicalMeasure *measure, uint64_t cells_max)
{
	DpArena *arena = measure->m->arena;

	*change = (DpAimChange){.measure = measure, .columns = measure->m->domain->attributes};
	change->expected = dp_alloc(arena, measure->marginals, sizeof(*change->expected));
	change->way = dp_alloc(arena, measure->marginals, sizeof(*change->way));
	change->at_score = dp_alloc(arena, measure->marginals, sizeof(*change->at_score));
	if (change->expected == NULL || change->way == NULL || change->at_score == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t i = 0; i < measure->marginals; i++)
		change->at_score[i] = INFINITY;
	return cells_max > 0 ? follow_pairs(change, cells_max) : DP_OK;
}

void
dp_aim_change_close(DpAimChange *change)
{
	DpArena *arena = change->measure->m->arena;
	uint32_t n = change->measure->marginals;

	for (uint32_t i = 0; i < n; i++)
		dp_free(arena, change->expected[i], change->measure->exact[i].cells, sizeof(double));
	dp_free(arena, change->pair, (size_t) change->columns * change->columns, sizeof(*change->pair));
	dp_free(arena, change->expected, n, sizeof(*change->expected));
	dp_free(arena, change->way, n, sizeof(*change->way));
	dp_free(arena, change->at_score, n, sizeof(*change->at_score));
}

/* The sum of the ways of all pairs of a set. */
static double
ways_of(const DpAimChange *change, uint32_t i)
{
	const DpAttributeSet *set = &change->measure->exact[i].set;
	double sum = 0;

	for (uint32_t a = 0; a < set->n; a++)
		for (uint32_t b = a + 1; b < set->n; b++)
		{
			uint32_t pair = change->pair[set->attribute[a] * change->columns + set->attribute[b]];

			sum += pair == NONE ? INFINITY : change->way[pair];
		}
	return sum;
}

void
dp_aim_change_scored(DpAimChange *change, uint32_t i, const double *expected)
{
	const DpExactMarginal *exact = &change->measure->exact[i];
	double *before = change->expected[i];

	if (exact->set.n > 2 && change->pair != NULL)
		change->at_score[i] = ways_of(change, i);
	if (before == NULL)
		return;
	for (uint64_t k = 0; k < exact->cells; k++)
		change->way[i] += fabs(expected[k] - before[k]);
	memcpy(before, expected, exact->cells * sizeof(*before));
}

double
dp_aim_change_since(const DpAimChange *change, uint32_t i)
{
	if (!isfinite(change->at_score[i]))
		return INFINITY;
	return ways_of(change, i) - change->at_score[i];
}
