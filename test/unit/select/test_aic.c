/*
 * test_aic.c -- the score of AIC is what its words say, and moves no further than they say.
 */
#include "core/select/aic.h"

#include "unit.h"

/* The same from the logarithms of factorials; right to a unit while these are small. */
static double
reference(const int64_t *count, uint64_t levels)
{
	double n = 0, sum = 0;

	for (uint64_t k = 0; k < levels; k++)
		n += (double) count[k];
	sum = lgamma(n + 1);
	for (uint64_t k = 0; k < levels; k++)
		if (count[k] > 0)
			sum += (double) count[k] * log((double) count[k] / n) - lgamma((double) count[k] + 1);
	return -DP_AIC_UNIT * (2 * (double) levels - 2 * sum);
}

static void
test_values(void)
{
	double worst = 0;

	for (int64_t a = 0; a < 70; a++)
		for (int64_t b = 0; b < 70; b++)
			for (int64_t c = 0; c < 3; c++)
			{
				const int64_t count[] = {a, b, c};

				worst = fmax(worst, fabs((double) dp_score_aic(count, 3) - reference(count, 3)));
			}
	CHECK(worst < 1.001, "scores are minus AIC, rounded: %g away at most", worst);
}

/* One row more in any level, at counts small and large, and with many other levels beside. */
static void
test_sensitivity(void)
{
	static int64_t count[200000];
	const uint64_t levels[] = {1, 2, 200000};
	const DpUnit one = {DP_ADD_REMOVE, 1};

	for (uint64_t k = 0; k < 200000; k++)
		count[k] = (int64_t) (k * k % 100003);
	for (int i = 0; i < 3; i++)
	{
		int64_t worst = 0;

		for (int64_t size = 0; size < INT64_C(1) << 50; size = size < 40 ? size + 1 : size * 3)
		{
			int64_t before, moved;

			count[0] = size;
			before = dp_score_aic(count, levels[i]);
			count[0]++;
			moved = llabs(dp_score_aic(count, levels[i]) - before);
			worst = moved > worst ? moved : worst;
		}
		CHECK(worst <= dp_aic_sensitivity(&one), "a row moves the score of %llu levels by %lld",
			  (unsigned long long) levels[i], (long long) worst);
	}
}

int
main(void)
{
	test_values();
	test_sensitivity();
	return unit_finish();
}
