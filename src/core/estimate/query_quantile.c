/*
 * query_quantile.c -- where a quantile lies.
 */
#include "core/estimate/query_quantile.h"

#include <math.h>

#include "core/estimate/noise_law.h"

void
dp_quantile_law(const DpTable *leaves, uint32_t height, double confidence, DpQuantileLaw *law)
{
	DpNoiseTerm term = dp_noise_term(leaves);

	*law = (DpQuantileLaw){.table = leaves, .height = height, .confidence = confidence};
	for (uint32_t h = 0; h <= height; h++)
	{
		term.count = ldexp(1, (int) h);
		law->half[h] = dp_noise_law_half_width(&(DpNoiseSum){1, &term}, confidence);
	}
}

double
dp_choice_distance(const DpStatistic *choice, double confidence)
{
	double leaves = ldexp(1, (int) choice->height);

	return (double) dp_choice_margin_rows(choice) +
		   log(2 * leaves / (1 - confidence)) * dp_choice_rows(choice);
}

/*
 * One side of the interval of the noise of n leaves together; each side fails with half of the
 * probability. Between powers of two it grows as the root of n or more slowly, from the larger of
 * what both ends tell.
 */
static double
half_of(const DpQuantileLaw *law, uint32_t n)
{
	uint32_t h = 0;
	double below, above;

	if (n == 0)
		return 0;
	while (h < law->height && UINT32_C(2) << h <= n)
		h++;
	below = law->half[h] / sqrt(ldexp(1, (int) h));
	above = h < law->height ? law->half[h + 1] / sqrt(ldexp(1, (int) h + 1)) : below;
	return sqrt(n) * fmax(below, above);
}

/* The farthest leaf in one direction that is not ruled out. */
static uint32_t
farthest(const DpQuantileLaw *law, const int64_t *leaf, uint32_t chosen, double distance, int step)
{
	uint32_t last = step < 0 ? 0 : (UINT32_C(1) << law->height) - 1, found = chosen, between = 0;
	double sum = 0;

	for (uint32_t v = chosen; v != last; between++)
	{
		v = step < 0 ? v - 1 : v + 1;
		if (sum <= distance + half_of(law, between))
			found = v;
		sum += (double) leaf[v];
	}
	return found;
}

DpQuantilePlace
dp_quantile_place(const DpQuantileLaw *law, const DpStatistic *choice, uint32_t chosen,
				  uint64_t cell)
{
	const int64_t *leaf = law->table->value + (cell << law->height);
	double distance = dp_choice_distance(choice, law->confidence);

	return (DpQuantilePlace){.chosen = chosen,
							 .low = farthest(law, leaf, chosen, distance, -1),
							 .high = farthest(law, leaf, chosen, distance, 1)};
}
