/*
 * test_noise_exact.c -- geometric, discrete Laplace and discrete Gaussian noise,
 * and selection, by enumeration of the coins and uniform integers that they draw. The coins here
 * have the odds that test_bernoulli_exact.c shows the real ones to have.
 */
#include "core/mechanism/mechanism.h"
#include "core/noise/noise.h"

#include "unit_walk.h"

/* Noise draws a uniform integer at the start of each of its attempts, and nowhere else. */
DpStatus
dp_rng_below(DpRng *rng, uint64_t bound, uint64_t *out)
{
	DP_TRY(walk_start(rng->context));
	return walk_uniform(rng->context, bound, out);
}

DpStatus
dp_rng_bit(DpRng *rng, bool *out)
{
	return walk_coin(rng->context, 0.5L, out);
}

DpStatus
dp_bernoulli(DpRng *rng, uint64_t numerator, uint64_t denominator, bool *out)
{
	return walk_coin(rng->context, (long double) numerator / (long double) denominator, out);
}

DpStatus
dp_bernoulli_exp(DpRng *rng, uint64_t numerator, uint64_t denominator, bool *out)
{
	return walk_coin(rng->context, expl(-(long double) numerator / (long double) denominator), out);
}

DpStatus
dp_bernoulli_exp_square(DpRng *rng, unsigned __int128 x, uint64_t a, uint64_t b, bool *out)
{
	long double odds =
		expl(-((long double) x / (long double) a) * ((long double) x / (long double) b));

	return walk_coin(rng->context, odds, out);
}

typedef struct Fraction
{
	uint64_t numerator;
	uint64_t denominator;
} Fraction;

static const Fraction rates[] = {{1, 1}, {1, 2}, {2, 3},  {3, 1}, {3, 2},
								 {1, 4}, {2, 4}, {3, 10}, {7, 50}};

static long double
rate_of(const Fraction *x)
{
	return (long double) x->numerator / (long double) x->denominator;
}

static DpStatus
sample_geometric(DpRng *rng, const void *parameter, int *outcome)
{
	const Fraction *x = parameter;
	uint64_t y;

	DP_TRY(dp_geometric_exp(rng, x->numerator, x->denominator, &y));
	*outcome = y < WALK_OUTCOMES ? (int) y : -1;
	return DP_OK;
}

static DpStatus
sample_laplace(DpRng *rng, const void *parameter, int *outcome)
{
	const Fraction *x = parameter;
	int64_t z;

	DP_TRY(dp_discrete_laplace(rng, x->numerator, x->denominator, &z));
	*outcome = z > -WALK_OUTCOMES / 2 && z < WALK_OUTCOMES / 2 ? (int) z + WALK_OUTCOMES / 2 : -1;
	return DP_OK;
}

static void
test_geometric(const Fraction *x)
{
	long double truth[WALK_OUTCOMES], e0 = rate_of(x);
	Walk walk;

	for (int y = 0; y < WALK_OUTCOMES; y++)
		truth[y] = -expm1l(-e0) * expl(-e0 * y);
	walk_all(&walk, 1e-18L, sample_geometric, x);
	CHECK(walk_agrees(&walk, truth) && walk.lost < 1e-12L,
		  "geometric %" PRIu64 "/%" PRIu64 ": exact within %.1Le", x->numerator, x->denominator,
		  walk.lost);
}

/*
 * Epsilon-DP of what was enumerated: one row moves the distribution by one place, and no
 * probability may change by more than e^e0. Left out: what lost mass could move
 * by 1e-9.
 */
static long double
worst_ratio(const Walk *walk)
{
	long double worst = 0;

	for (int i = 1; i < WALK_OUTCOMES; i++)
	{
		long double p = walk->mass[i], q = walk->mass[i - 1];

		if (fminl(p, q) > 1e9L * walk->lost)
			worst = fmaxl(worst, logl(fmaxl(p, q) / fminl(p, q)));
	}
	return worst;
}

static void
test_laplace(const Fraction *x)
{
	long double truth[WALK_OUTCOMES], e0 = rate_of(x);
	Walk walk;

	for (int i = 0; i < WALK_OUTCOMES; i++)
		truth[i] = unit_laplace_mass(e0, i - WALK_OUTCOMES / 2);
	truth[0] = 0; /* counts as outside */
	walk_all(&walk, 1e-18L, sample_laplace, x);
	CHECK(walk_agrees(&walk, truth) && walk.lost < 1e-12L,
		  "discrete Laplace %" PRIu64 "/%" PRIu64 ": exact within %.1Le", x->numerator,
		  x->denominator, walk.lost);
	CHECK_NEAR(worst_ratio(&walk), e0, 1e-9L, "and a row changes no probability by more than e^e0");
}

static DpStatus
sample_gaussian(DpRng *rng, const void *parameter, int *outcome)
{
	const Fraction *x = parameter;
	int64_t z;

	DP_TRY(dp_discrete_gaussian(rng, x->numerator, x->denominator, &z));
	*outcome = z > -WALK_OUTCOMES / 2 && z < WALK_OUTCOMES / 2 ? (int) z + WALK_OUTCOMES / 2 : -1;
	return DP_OK;
}

static const Fraction variances[] = {{1, 1},
									 {1, 2},
									 {2, 1},
									 {1, 20},
									 {7, 3},
									 {9, 1},
									 {899, 100},
									 {17, 1},
									 {1, 1000},
									 {400, 7},
									 {500000000000, 999999999989}};

static void
test_gaussian(const Fraction *variance)
{
	long double truth[WALK_OUTCOMES], v = rate_of(variance), sum = 0;
	Walk walk;

	for (int i = 0; i < WALK_OUTCOMES; i++)
	{
		long double z = i - WALK_OUTCOMES / 2;

		sum += truth[i] = i == 0 ? 0 : expl(-z * z / (2 * v)); /* 0 counts as outside */
	}
	for (int i = 0; i < WALK_OUTCOMES; i++)
		truth[i] /= sum;
	walk_all(&walk, 1e-18L, sample_gaussian, variance);
	CHECK(walk_agrees(&walk, truth) && walk.lost < 1e-12L,
		  "discrete Gaussian, sigma^2 %" PRIu64 "/%" PRIu64 ": exact within %.1Le",
		  variance->numerator, variance->denominator, walk.lost);
}

/* Permute-and-flip as the paper states it: over all orders, the first whose coin comes up. */
#define CANDIDATES 4

static void
paper_walk(const long double *heads, unsigned left, int left_n, long double reached,
		   long double *distribution)
{
	for (int i = 0; i < CANDIDATES; i++)
		if (left & 1u << i)
		{
			long double turn = reached / left_n;

			distribution[i] += turn * heads[i];
			paper_walk(heads, left & ~(1u << i), left_n - 1, turn * (1 - heads[i]), distribution);
		}
}

static void
paper_distribution(const int64_t *scores, long double epsilon, long double sensitivity,
				   long double *distribution)
{
	long double heads[CANDIDATES];
	int64_t best = scores[0];

	for (int i = 1; i < CANDIDATES; i++)
		best = scores[i] > best ? scores[i] : best;
	for (int i = 0; i < CANDIDATES; i++)
		heads[i] = expl(-epsilon * (long double) (best - scores[i]) / (2 * sensitivity));
	for (int i = 0; i < WALK_OUTCOMES; i++)
		distribution[i] = 0;
	paper_walk(heads, (1u << CANDIDATES) - 1, CANDIDATES, 1, distribution);
}

typedef struct Selection
{
	int64_t scores[CANDIDATES];
	int64_t epsilon_nano;
	int64_t sensitivity;
} Selection;

static DpStatus
sample_select(DpRng *rng, const void *parameter, int *outcome)
{
	const Selection *s = parameter;
	DpMeter meter;
	size_t chosen;

	dp_meter_init(&meter, dp_cost_pure(s->epsilon_nano));
	DP_TRY(dp_select(&(DpNoiseSource){.meter = &meter, .rng = rng},
					 &(DpScores){s->scores, CANDIDATES, s->sensitivity}, s->epsilon_nano, &chosen));
	*outcome = (int) chosen;
	return DP_OK;
}

static void
test_select(void)
{
	static const int64_t base[][CANDIDATES] = {{0, 0, 0, 0}, {1, 0, 0, 0},     {0, 1, 2, 3},
											   {9, 1, 0, 8}, {-2, -2, -5, -3}, {40, 0, -40, 3}};
	static const int64_t epsilon[] = {1000000, 300000001, 1000000000, 4000000000};

	for (size_t e = 0; e < 4; e++)
		for (size_t b = 0; b < sizeof(base) / sizeof(*base); b++)
		{
			Selection s = {.epsilon_nano = epsilon[e], .sensitivity = 1 + (int64_t) b % 3};
			long double distribution[WALK_OUTCOMES];
			Walk walk;

			memcpy(s.scores, base[b], sizeof(s.scores));
			paper_distribution(s.scores, (long double) s.epsilon_nano * 1e-9L,
							   (long double) s.sensitivity, distribution);
			walk_all(&walk, 1e-30L, sample_select, &s);
			CHECK(walk_agrees(&walk, distribution) && walk.lost < 1e-15L,
				  "selection, epsilon %g, scores %zu: the paper's law, exactly",
				  (double) s.epsilon_nano * 1e-9, b);
		}
}

/* Every score moves by up to the sensitivity, all on their own: the largest change of a log
 * probability, over all neighbours of all score vectors of a grid. */
static void
test_select_private(int64_t epsilon_nano)
{
	long double worst = 0;
	Walk here, there;

	for (int base = 0; base < 64; base++)
	{
		Selection s = {{base % 4 * 2, base / 4 % 4 * 2, base / 16 * 2, 3}, epsilon_nano, 2};

		walk_all(&here, 0, sample_select, &s);
		for (int move = 0; move < 81; move++)
		{
			Selection t = s;

			for (int i = 0, m = move; i < CANDIDATES; i++, m /= 3)
				t.scores[i] += (m % 3 - 1) * s.sensitivity;
			walk_all(&there, 0, sample_select, &t);
			for (int i = 0; i < CANDIDATES; i++)
				worst = fmaxl(worst, fabsl(logl(here.mass[i] / there.mass[i])));
		}
	}
	CHECK(worst <= (long double) epsilon_nano * 1e-9L + 1e-12L,
		  "selection at epsilon %g: the worst log ratio is %.6Lf", (double) epsilon_nano * 1e-9,
		  worst);
	CHECK(worst >= 0.75L * (long double) epsilon_nano * 1e-9L, "and the budget is used");
}

int
main(void)
{
	for (size_t r = 0; r < sizeof(rates) / sizeof(*rates); r++)
	{
		test_geometric(&rates[r]);
		test_laplace(&rates[r]);
	}
	for (size_t v = 0; v < sizeof(variances) / sizeof(*variances); v++)
		test_gaussian(&variances[v]);
	test_select();
	test_select_private(100000000);
	test_select_private(1000000000);
	test_select_private(3000000000);
	return unit_finish();
}
