/*
 * test_alias.c -- alias tables hold the distribution exactly (summed over the columns),
 * and draws follow it.
 */
#include "core/sample/alias.h"

#include "unit_stat.h"

#define OUTCOMES 1000

/* The distribution that a table stands for: each column is 1/n high. */
static void
distribution_of(const DpAliasEntry *table, uint32_t n, double *probability, uint32_t outcomes)
{
	memset(probability, 0, outcomes * sizeof(*probability));
	for (uint32_t i = 0; i < n; i++)
	{
		double own = table[i].threshold * 0x1p-32;

		probability[table[i].own] += own / n;
		probability[table[i].other] += (1 - own) / n;
	}
}

static void
check_distribution(const double *weight, uint32_t n, const char *what)
{
	double used[OUTCOMES];
	double distribution[OUTCOMES];
	uint32_t work[OUTCOMES];
	DpAliasEntry table[OUTCOMES];
	double sum = 0;
	double worst = 0;
	bool impossible = false;

	memcpy(used, weight, n * sizeof(*used));
	for (uint32_t i = 0; i < n; i++)
		sum += weight[i];
	dp_alias_build(used, NULL, n, work, table);
	distribution_of(table, n, distribution, n);
	for (uint32_t i = 0; i < n; i++)
	{
		worst = fmax(worst, fabs(distribution[i] - weight[i] / sum));
		impossible |= weight[i] == 0 && distribution[i] > 0;
	}
	CHECK(worst < 1e-9 && !impossible, "the table of %s has the law", what);
}

static void
test_distributions(void)
{
	double weight[OUTCOMES];
	DpPrng prng;

	weight[0] = 17;
	check_distribution(weight, 1, "one outcome");
	weight[1] = 0;
	check_distribution(weight, 2, "one outcome and an impossible one");
	for (uint32_t i = 0; i < OUTCOMES; i++)
		weight[i] = 3;
	check_distribution(weight, OUTCOMES, "equal weights");
	for (uint32_t i = 0; i < OUTCOMES; i++)
		weight[i] = i % 3 == 0 ? 0 : 1.0 / (i + 1.0);
	check_distribution(weight, OUTCOMES, "a long tail with gaps");
	for (uint32_t i = 0; i < OUTCOMES; i++)
		weight[i] = ldexp(1, -(int) i);
	check_distribution(weight, OUTCOMES, "weights down to 2^-999");
	for (uint32_t i = 0; i < OUTCOMES; i++)
		weight[i] = i == 500 ? 0x1p62 : 0;
	check_distribution(weight, OUTCOMES, "one large weight among zeros");
	for (uint64_t seed = 0; seed < 200; seed++)
	{
		uint32_t n;

		dp_prng_seed(&prng, (DpStream){seed, 0, 0});
		n = 1 + (uint32_t) dp_prng_below(&prng, OUTCOMES);
		for (uint32_t i = 0; i < n; i++)
			weight[i] = (double) dp_prng_below(&prng, 50);
		weight[n / 2] = 1;
		check_distribution(weight, n, "random weights");
	}
}

static void
test_draws(void)
{
	double weight[50];
	double probability[50];
	uint32_t outcome[50];
	uint64_t observed[50] = {0};
	uint32_t work[50];
	DpAliasEntry table[50];
	DpPrng prng;
	double sum = 0;

	for (uint32_t i = 0; i < 50; i++)
	{
		outcome[i] = 49 - i;
		weight[i] = i == 7 ? 0 : 1 + (i * 37) % 50;
		sum += weight[i];
	}
	for (uint32_t i = 0; i < 50; i++)
		probability[outcome[i]] = weight[i] / sum;
	dp_alias_build(weight, outcome, 50, work, table);
	dp_prng_seed(&prng, (DpStream){11, 0, 0});
	for (int i = 0; i < 1000000; i++)
		observed[dp_alias_draw(table, 50, &prng)]++;
	CHECK_I64(observed[42], 0, "an outcome of weight 0 is never drawn");
	CHECK(unit_chi_square_p(observed, probability, 50, 1000000) > UNIT_P_MIN,
		  "10^6 draws pass chi-square");
}

int
main(void)
{
	test_distributions();
	test_draws();
	return unit_finish();
}
