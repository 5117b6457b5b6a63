/*
 * query_quantile.c -- where a quantile lies.
 */
#include "core/estimate/query_quantile.h"

#include <math.h>

#define ROUNDING 1e-9 /* of a confidence */

/* Whether an end can be trusted, with so many rows of the group on its own side of the quantile and
 * so many on the other. */
static bool
is_trusted(const DpStatistic *end, double own_rows, double other_rows)
{
	double aside = fabs((double) end->aside_rows);

	return own_rows >= aside && other_rows + aside >= end->height * log(2) * dp_choice_rows(end);
}

static uint32_t
lesser(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Between the ends lie 2 t rows, about. */
static double
stddev_of(const DpQuantileChoices *choices)
{
	double between = 2 * fabs((double) choices->end->aside_rows);

	if (between == 0)
		return -1;
	return fabs((double) choices->high - (double) choices->low) / between * sqrt(2) *
		   dp_choice_rows(choices->quantile);
}

DpQuantilePlace
dp_quantile_place(const DpQuantileChoices *choices, double confidence)
{
	double q = (double) choices->quantile->quantile_nano / 1e9;
	double below = q * choices->rows, above = (1 - q) * choices->rows;
	bool held = confidence <= dp_choice_confidence(choices->end) + ROUNDING;
	bool low = held && is_trusted(choices->end, below, above);
	bool high = held && is_trusted(choices->end, above, below);
	uint32_t last = (UINT32_C(1) << choices->end->height) - 1;

	return (DpQuantilePlace){
		.low = low ? lesser(choices->low, choices->chosen) : 0,
		.high = high ? last - lesser(last - choices->high, last - choices->chosen) : last,
		.stddev = low && high ? stddev_of(choices) : -1};
}
