/*
 * test_discrete_gaussian.c -- the discrete Gaussian sampler at the ends of its range.
 */
#include "core/base/code_key.h"
#include "core/noise/noise.h"

#include "unit_stat.h"

/* The ends of what a variance may be: sigma of 2^30 rows and of 2^-30. */
static void
test_gaussian_ends(DpRng *rng)
{
	const uint64_t most = DP_GAUSSIAN_TERM_MAX;
	double squares = 0, sigma = (double) (1 << 30);
	bool zeros = true;
	int64_t z;

	for (int i = 0; i < 4000; i++)
	{
		MUST(dp_discrete_gaussian(rng, most, 1, &z));
		squares += (double) z * (double) z;
		MUST(dp_discrete_gaussian(rng, 1, most, &z));
		zeros = zeros && z == 0;
		MUST(dp_discrete_gaussian(rng, most - 1, most, &z));
		zeros = zeros && llabs(z) < 12;
	}
	/* six standard errors of the mean of 4,000 squares */
	CHECK_NEAR(squares / 4000 / (sigma * sigma), 1, 6 * sqrt(2.0 / 4000), "sigma of 2^30 rows");
	CHECK(zeros, "sigma of 2^-30 rows is no noise, of 1 row a little");
}

int
main(void)
{
	DpRng rng;

	unit_seeded(&rng);
	test_gaussian_ends(&rng);
	unit_seeded_end(&rng);
	return unit_finish();
}
