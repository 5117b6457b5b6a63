/*
 * unit_conditional.h -- rows of the model of unit_distribution.h given attributes that are known,
 * and trials of their weights.
 */
#ifndef UNIT_CONDITIONAL_H
#define UNIT_CONDITIONAL_H

#include "core/sample/conditional_sampler.h"

#include <math.h>

#include "unit_distribution.h"

typedef struct Conditional
{
	Distribution distribution;
	DpGraphicalFit fit;
	DpConditionalSampler *rows;
	DpRaking *raking; /* NULL: rows have no weights */
	DpPrng prng;
} Conditional;

/* given: what weights are found given; NULL: rows have none. */
static inline void
build_conditional(DpArena *arena, const bool *known, const bool *given, uint64_t seed,
				  Conditional *c)
{
	*c = (Conditional){.rows = NULL};
	build_distribution(arena, false, ROWS, &c->distribution);
	c->fit.graphical = c->distribution.model;
	c->fit.split = c->distribution.splits;
	MUST(dp_conditional_sampler_build(&c->fit, known, &c->rows, arena));
	dp_prng_seed(&c->prng, (DpStream){seed, 1, 1});
	if (given == NULL)
		return;
	MUST(dp_raking_build(&c->fit, known, given, &c->raking, NULL, arena));
	MUST(dp_conditional_sampler_weigh(c->rows, c->raking, arena));
}

/* The distance of b given a, over rows, from the distribution. */
static inline double
distance_given_a(const Distribution *distribution, const double *count)
{
	double distance = 0, all = 0;

	for (uint32_t a = 0; a < 3; a++)
	{
		double rows = 0, share = 0;

		for (uint32_t b = 0; b < 4; b++)
		{
			rows += count[a * 4 + b];
			share += distribution->share[a * 8 + b * 2] + distribution->share[a * 8 + b * 2 + 1];
		}
		for (uint32_t b = 0; b < 4; b++)
			distance += fabs(count[a * 4 + b] - rows *
													(distribution->share[a * 8 + b * 2] +
													 distribution->share[a * 8 + b * 2 + 1]) /
													share) /
						2;
		all += rows;
	}
	return distance / all;
}

/* Draws b given an a of the distribution and a c that follows from a, of which the model knows
 * nothing. */
static inline double
trial_of_raking(Conditional *c, bool *again)
{
	double count[12] = {0};

	dp_conditional_sampler_record(c->rows, true);
	for (uint32_t i = 0; i < 30 * ROWS; i++)
	{
		double at = dp_prng_unit(&c->prng);
		uint32_t codes[ATTRIBUTES] = {0}, cell;

		for (cell = 0; cell + 1 < CELLS && at >= c->distribution.share[cell]; cell++)
			at -= c->distribution.share[cell];
		codes[0] = cell / 8;
		codes[2] = codes[0] != 1;
		dp_conditional_sampler_condition(c->rows, codes);
		dp_conditional_row_sampler.draw(c->rows, &c->prng, codes);
		dp_raking_count(c->raking, codes, dp_conditional_sampler_recorded(c->rows), 1);
		count[codes[0] * 4 + codes[1]]++;
	}
	*again = dp_raking_end_trial(c->raking);
	return distance_given_a(&c->distribution, count);
}

#endif
