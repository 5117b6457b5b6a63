/*
 * categorical.c -- one category of many, by integer weights.
 */
#include "core/noise/categorical.h"

/* The category of a row, where rows are numbered in the order in which counts are listed. */
static uint32_t
category_of_row(const DpHistogram *histogram, uint64_t row)
{
	uint64_t low = 0, high = histogram->n - 1;

	while (histogram->upto != NULL && low < high) /* the first with row < upto */
	{
		uint64_t middle = low + (high - low) / 2;

		if (row < (uint64_t) histogram->upto[middle])
			high = middle;
		else
			low = middle + 1;
	}
	if (histogram->upto != NULL)
		return histogram->code[low];
	for (uint64_t i = 0; i + 1 < histogram->n; i++)
	{
		if (row < (uint64_t) histogram->count[i])
			return histogram->code[i];
		row -= (uint64_t) histogram->count[i];
	}
	return histogram->code[histogram->n - 1];
}

/* The first category with number < upto. */
static uint32_t
category_of_extra(const DpHistogram *histogram, uint64_t number)
{
	uint32_t low = 0, high = histogram->levels - 1;

	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;

		if (number < histogram->extra_upto[middle])
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/*
 * dp_categorical -- a mixture of a public distribution and the counted rows
 *
 * Why:         of base x levels + E + unit x total equally likely integers, E the sum of
 *              extra, the first base x levels stand for the categories, base each, the
 *              next E for the categories too, extra[c] each, the others for the rows, unit
 *              each: so category c has base + extra[c] + unit x count[c] of them.
 * Numerics:    integers only, one draw below their sum (rng.h: by rejection, no bias)
 */
DpStatus
dp_categorical(DpRng *rng, const DpHistogram *histogram, uint64_t unit, uint64_t base,
			   uint32_t *code)
{
	uint64_t extra =
		histogram->extra_upto == NULL ? 0 : histogram->extra_upto[histogram->levels - 1];
	uint64_t uniform, shaped, rows, sum, drawn;

	if (__builtin_mul_overflow(base, (uint64_t) histogram->levels, &uniform) ||
		__builtin_mul_overflow(unit, (uint64_t) histogram->total, &rows) ||
		__builtin_add_overflow(uniform, extra, &shaped) ||
		__builtin_add_overflow(shaped, rows, &sum))
		return DP_ERR_RANGE;
	if (sum == 0)
		return DP_ERR_ARGUMENT;
	DP_TRY(dp_rng_below(rng, sum, &drawn));
	if (drawn < uniform)
		*code = (uint32_t) (drawn / base);
	else if (drawn < shaped)
		*code = category_of_extra(histogram, drawn - uniform);
	else
		*code = category_of_row(histogram, (drawn - shaped) / unit);
	return DP_OK;
}
