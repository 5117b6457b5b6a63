/*
 * query_quantile.c -- where a quantile lies.
 */
#include "core/estimate/query_quantile.h"

#include <math.h>

#include "core/estimate/noise_law.h"

/* Of what may fail, a half is left to the choice, a quarter to the leaves between, an eighth to each
 * of the two cumulated counts. */
void
dp_quantile_law(const DpTable *leaves, uint32_t height, double confidence, DpQuantileLaw *law)
{
	DpNoiseTerm term = dp_noise_term(leaves);

	*law = (DpQuantileLaw){.table = leaves, .height = height, .confidence = confidence};
	for (uint32_t h = 0; h <= height; h++)
	{
		double wide;

		term.count = ldexp(1, (int) h);
		law->half[h] = dp_noise_law_half_width(&(DpNoiseSum){1, &term}, 1 - (1 - confidence) / 2);
		wide = dp_noise_law_half_width(&(DpNoiseSum){1, &term}, 1 - (1 - confidence) / 4);
		law->cumulated = fmax(law->cumulated, wide / sqrt(term.count));
	}
}

double
dp_choice_distance(const DpStatistic *choice, double confidence)
{
	double leaves = ldexp(1, (int) choice->height);

	return (double) dp_choice_margin_rows(choice) +
		   log(2 * leaves / (1 - confidence)) * dp_choice_rows(choice);
}

/* One side of the interval of the noise of n leaves together. Between powers of two it grows as the
 * root of n, from the larger of what both ends tell. */
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

/* One group. */
typedef struct Group
{
	const DpQuantileLaw *law;
	const int64_t *leaf;
	double q;
	double all; /* sum of the leaves */
	double distance;
} Group;

/*
 * Whether the cumulated counts rule out that the leaf holds the quantile: then the rows to its end
 * are q n or more, and those before it q n or less. The noise of (1 - q) x the leaves up to some place
 * minus q x those after it is that of both together.
 */
static bool
is_ruled_out(const Group *group, double before, uint32_t v)
{
	double q = group->q, leaves = ldexp(1, (int) group->law->height);
	double end = before + (double) group->leaf[v] - q * group->all;
	double spread_end = (1 - q) * (1 - q) * (v + 1.0) + q * q * (leaves - v - 1);
	double spread_begin = (1 - q) * (1 - q) * v + q * q * (leaves - v);

	return end < -group->law->cumulated * sqrt(spread_end) ||
		   before - q * group->all > group->law->cumulated * sqrt(spread_begin);
}

static double
sum_before(const int64_t *leaf, uint32_t v)
{
	double sum = 0;

	for (uint32_t u = 0; u < v; u++)
		sum += (double) leaf[u];
	return sum;
}

/* The farthest leaf in one direction that is not ruled out. */
static uint32_t
farthest(const Group *group, uint32_t chosen, int step)
{
	uint32_t last = step < 0 ? 0 : (UINT32_C(1) << group->law->height) - 1;
	uint32_t found = chosen, between = 0;
	double sum = 0, before = sum_before(group->leaf, chosen);

	for (uint32_t v = chosen; v != last; between++)
	{
		before += step < 0 ? 0 : (double) group->leaf[v];
		v = step < 0 ? v - 1 : v + 1;
		before -= step < 0 ? (double) group->leaf[v] : 0;
		if (sum <= group->distance + half_of(group->law, between) &&
			!is_ruled_out(group, before, v))
			found = v;
		sum += (double) group->leaf[v];
	}
	return found;
}

DpQuantilePlace
dp_quantile_place(const DpQuantileLaw *law, const DpStatistic *choice, uint32_t chosen,
				  uint64_t cell)
{
	Group group = {.law = law,
				   .leaf = law->table->value + (cell << law->height),
				   .q = (double) choice->quantile_nano / 1e9,
				   .distance = dp_choice_distance(choice, law->confidence)};

	group.all = sum_before(group.leaf, UINT32_C(1) << law->height);
	return (DpQuantilePlace){
		.chosen = chosen, .low = farthest(&group, chosen, -1), .high = farthest(&group, chosen, 1)};
}
