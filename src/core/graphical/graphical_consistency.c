/*
 * graphical_consistency.c -- noisy tables made to agree, with impossible cells.
 *
 * Tables that count rows in impossible cells contradict the model. Where noise is small, the
 * potentials that would make up for it are out of reach. So what stands in these cells goes to the
 * other cells of the table in proportion. Then the tables are made to agree again, and both steps
 * take turns.
 */
#include "core/graphical/potentials.h"

#include <math.h>

#define ROUNDS_MAX 60
#define ENOUGH 0.01 /* standard deviations of noise left in an impossible cell */

/* Marks the impossible cells of a table; NULL: it has none. */
static DpStatus
find_forbidden(const DpGraphical *model, const DpNoisyMeasurement *table, double **out)
{
	double *potential = NULL;

	for (uint32_t f = 0; f < model->impossible.n; f++)
	{
		const DpAttributeSet *set = &model->impossible.table[f].set;
		DpWalk walk;

		if (!dp_set_within(set, &table->set))
			continue;
		if (potential == NULL)
			potential = dp_alloc(model->arena, table->cells, sizeof(*potential));
		DP_TRY_ALLOC(potential);
		DP_TRY(dp_walk_init(&walk, model->renumbering.levels, &table->set, set));
		dp_walk_add(&walk, potential, model->impossible.table[f].potential);
	}
	*out = potential;
	return DP_OK;
}

/* Moves what stands in impossible cells to the others. Returns the most that stood in one, in
 * standard deviations. */
static double
move(DpNoisyMeasurement *table, const double *potential)
{
	double most = 0, moved = 0, others = 0;

	for (uint64_t i = 0; i < table->cells; i++)
	{
		if (potential[i] < 0)
		{
			most = fmax(most, fabs(table->agreed[i]));
			moved += table->agreed[i];
			table->agreed[i] = 0;
		}
		else
			others += fmax(table->agreed[i], 0);
	}
	for (uint64_t i = 0; i < table->cells && others > 0; i++)
		if (potential[i] >= 0)
			table->agreed[i] += moved * fmax(table->agreed[i], 0) / others;
	return most / sqrt(table->variance);
}

static double
move_all(DpGraphical *model, double *const *potential)
{
	double most = 0;

	for (uint32_t i = 0; i < model->measured.n; i++)
		if (potential[i] != NULL)
			most = fmax(most, move(model->measured.table[i], potential[i]));
	return most;
}

DpStatus
dp_graphical_consistency(DpGraphical *model, DpInteractions *interactions, double total,
						 const DpTick *tick)
{
	double **potential = dp_alloc(model->arena, model->measured.n, sizeof(*potential));

	DP_TRY_ALLOC(potential);
	for (uint32_t i = 0; i < model->measured.n; i++)
		DP_TRY(find_forbidden(model, model->measured.table[i], &potential[i]));
	dp_interactions_make_consistent(interactions, total);
	for (int round = 0; round < ROUNDS_MAX && move_all(model, potential) > ENOUGH; round++)
	{
		dp_tick(tick, -1.0);
		dp_interactions_restore_consistency(interactions, total);
	}
	for (uint32_t i = 0; i < model->measured.n; i++)
		dp_free(model->arena, potential[i], model->measured.table[i]->cells, sizeof(double));
	dp_free(model->arena, potential, model->measured.n, sizeof(*potential));
	return DP_OK;
}
