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

/*
 * dp_categorical -- a mixture of the uniform distribution and the counted rows
 *
 * Why:         of base x levels + unit x total equally likely integers, the first
 *              base x levels stand for the categories, base each, the others for the
 *              rows, unit each: so category c has base + unit x count[c] of them.
 * Numerics:    integers only, one draw below their sum (rng.h: by rejection, no bias)
 */
DpStatus
dp_categorical(DpRng *rng, const DpHistogram *histogram, uint64_t unit, uint64_t base,
			   uint32_t *code)
{
	uint64_t uniform, rows, sum, drawn;

	if (__builtin_mul_overflow(base, (uint64_t) histogram->levels, &uniform) ||
		__builtin_mul_overflow(unit, (uint64_t) histogram->total, &rows) ||
		__builtin_add_overflow(uniform, rows, &sum))
		return DP_ERR_RANGE;
	if (sum == 0)
		return DP_ERR_ARGUMENT;
	DP_TRY(dp_rng_below(rng, sum, &drawn));
	*code = drawn < uniform ? (uint32_t) (drawn / base)
							: category_of_row(histogram, (drawn - uniform) / unit);
	return DP_OK;
}
