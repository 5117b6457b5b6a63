/*
 * test_aic.c -- the scores of AIC and BIC are what their words say, and move no further than they
 * say.
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

static void
test_bic(void)
{
	double worst = 0;

	for (int64_t a = 0; a < 70; a++)
		for (int64_t b = 0; b < 70; b++)
		{
			const int64_t count[] = {a, b, 1};
			double n = a + b + 1 > 3 ? (double) (a + b + 1) : 3;
			double want = reference(count, 3) + DP_AIC_UNIT * 3 * (2 - log(n));

			worst = fmax(worst, fabs((double) dp_score_bic(count, 3) - want));
		}
	CHECK(worst < 1.51, "minus BIC has ln n in place of 2: %g away at most", worst);
}

/* One row more in any level, at counts small and large, and with many other levels beside. */
static void
test_sensitivity(const char *what, int64_t (*score)(const int64_t *, uint64_t), int64_t most,
				 int64_t least)
{
	static int64_t count[200000];
	const uint64_t levels[] = {1, 2, 200000};
	int64_t farthest = 0;

	for (uint64_t k = 0; k < 200000; k++)
		count[k] = (int64_t) (k * k % 100003);
	for (int i = 0; i < 3; i++)
	{
		int64_t worst = 0;

		for (int64_t size = 0; size < INT64_C(1) << 50; size = size < 40 ? size + 1 : size * 3)
		{
			int64_t before, moved;

			count[0] = size;
			before = score(count, levels[i]);
			count[0]++;
			moved = llabs(score(count, levels[i]) - before);
			worst = moved > worst ? moved : worst;
		}
		CHECK(worst <= most, "%s: a row moves the score of %llu levels by %lld", what,
			  (unsigned long long) levels[i], (long long) worst);
		farthest = worst > farthest ? worst : farthest;
	}
	CHECK(farthest >= least, "%s: and sometimes by as much as %lld", what, (long long) least);
}

int
main(void)
{
	const DpUnit one = {DP_ADD_REMOVE, 1};

	test_values();
	test_bic();
	test_sensitivity("AIC", dp_score_aic, dp_aic_sensitivity(&one), DP_AIC_UNIT / 4);
	test_sensitivity("BIC", dp_score_bic, dp_bic_sensitivity(&one), DP_AIC_UNIT / 4);
	return unit_finish();
}
