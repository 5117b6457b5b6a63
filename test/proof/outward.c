/*
 * outward.c -- bounds in floating point are on the safe side. This is a test and no proof: a model
 * checker does not get through exp and log. Each bound is held against the same formula in
 * __float128, which has 113 bits where a long double has 64, for all small inputs, for the ends of
 * the types, and for very many random ones of all sizes. What only integers decide is compared exactly.
 *
 * A bound must also be close: one that is far too safe spends budget for nothing, and a test that
 * accepts anything above would not notice that a formula is another one.
 */
#include <quadmath.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/accounting/privacy_unit.c"
#include "core/accounting/stddev.c"
#include "core/accounting/zcdp.c"
#undef SLACK
#include "core/mechanism/exponential.c"
#include "core/mechanism/perturbed.c"
#include "core/mechanism/stability.c"
#define grow grow_cells
#include "core/mechanism/sparse_histogram.c"

#ifndef DRAWS
#define DRAWS 40000 /* random inputs */
#endif
#define SMALL 20000  /* all inputs up to this one */
#define CLOSE 1e-9Q  /* how much too safe a bound may be, relative to it */
#define EXACT 1e-30Q /* how much the formula in __float128 may be wrong by, relative to it */

/* ---- what is not called ---- */

#define NEVER(declaration)                                                                         \
	declaration                                                                                    \
	{                                                                                              \
		abort();                                                                                   \
	}
/* clang-format off */
NEVER(DpStatus dp_meter_charge(DpMeter *m, DpBudget c))
NEVER(DpStatus dp_gap_survives(DpRng *r, DpFraction f, uint64_t g, bool *o))
NEVER(DpStatus dp_rng_below(DpRng *r, uint64_t b, uint64_t *o))
NEVER(DpStatus dp_select_rate(const DpScores *s, int64_t e, DpFraction *f))
NEVER(DpStatus dp_categorical(DpRng *r, const DpHistogram *h, uint64_t u, uint64_t b, uint32_t *c))
NEVER(DpStatus dp_noise_add(const DpNoiseSource *s, DpNoiseDistribution l, const int64_t *c, size_t n, int64_t *o))
NEVER(DpStatus dp_noise_cleared(DpStatus s, int64_t *o, size_t n))
NEVER(DpStatus dp_noisy_count(DpRng *r, DpNoiseDistribution l, int64_t c, int64_t *o))
NEVER(DpStatus dp_discrete_laplace(DpRng *r, uint64_t n, uint64_t d, int64_t *o))
NEVER(DpStatus dp_geometric_exp(DpRng *r, uint64_t n, uint64_t d, uint64_t *o))
NEVER(DpStatus dp_bernoulli(DpRng *r, uint64_t n, uint64_t d, bool *o))
NEVER(DpBudget dp_cost_pure(int64_t e))
NEVER(DpBudget dp_cost_approximate(DpBudget b))
NEVER(DpBudget dp_cost_concentrated(int64_t r))
NEVER(void *dp_alloc(DpArena *a, size_t n, size_t s))
NEVER(void dp_free(DpArena *a, void *p, size_t n, size_t s))
/* clang-format on */

/* ---- what is: as mechanism.c has them ---- */

bool
dp_epsilon_valid(int64_t epsilon_nano)
{
	return epsilon_nano >= 1 && epsilon_nano <= DP_EPSILON_NANO_MAX;
}

long double
dp_laplace_exponent(DpLaplace law)
{
	return (long double) law.epsilon_nano /
		   ((long double) DP_EPSILON_ONE * (long double) law.sensitivity_l1);
}

DpStatus
dp_laplace_rate(DpLaplace law, DpFraction *rate)
{
	*rate = (DpFraction){1, 1};
	return law.sensitivity_l1 >= 1 ? DP_OK : DP_ERR_ARGUMENT;
}

/* ---- the test ---- */

static uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
static long looked_at;

static uint64_t
next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

/* A number in 1..most, of any size up to that one. */
static int64_t
any_size(int64_t most)
{
	uint64_t number = next() >> (next() % 64);

	return (int64_t) (number % (uint64_t) most) + 1;
}

static void
must(bool holds, const char *what, int64_t a, int64_t b, int64_t c)
{
	looked_at++;
	if (holds)
		return;
	printf("%s does not hold: %lld %lld %lld\n", what, (long long) a, (long long) b, (long long) c);
	exit(1);
}

/* Rounded to a whole number, so at most one more than it need be, but for what rounding adds. */
static bool
close_above(__float128 bound, __float128 exact)
{
	return bound >= exact * (1 - EXACT) && bound <= exact * (1 + CLOSE) + 1;
}

static void
look_at_rho_of_epsilon(int64_t epsilon_nano)
{
	__float128 epsilon = (__float128) epsilon_nano / 1000000000;
	__float128 rho = epsilon * tanhq(epsilon / 2) * 1000000000000;
	int64_t bound = dp_rho_of_epsilon(epsilon_nano);

	must(bound == INT64_MAX ? rho >= 0x1p62Q : close_above(bound, rho), "rho of epsilon",
		 epsilon_nano, bound, 0);
}

/* The bound that is promised, minimised over orders by golden section; every order is a true bound, so
 * the code's epsilon is at least the smallest of them, less nothing. */
static __float128
bound_at(__float128 rho, __float128 log_inverse_delta, __float128 x)
{
	return (1 + x) * rho - log1pq(1 / x) + (log_inverse_delta - log1pq(x)) / x;
}

static __float128
smallest_epsilon(__float128 rho, __float128 l)
{
	__float128 low = -80, high = 80; /* of ln x */

	for (int i = 0; i < 140; i++)
	{
		__float128 a = low + (high - low) * 0.382Q, b = high - (high - low) * 0.382Q;

		if (bound_at(rho, l, expq(a)) < bound_at(rho, l, expq(b)))
			high = b;
		else
			low = a;
	}
	return bound_at(rho, l, expq(low));
}

static void
look_at_epsilon_of_rho(int64_t rho_pico, int64_t delta_atto)
{
	const __float128 one = DP_DELTA_ONE;
	__float128 rho = (__float128) rho_pico / 1000000000000, l = logq(one / delta_atto), exact;
	int64_t bound = dp_epsilon_of_rho((DpBudget){.rho_pico = rho_pico, .delta_atto = delta_atto});

	exact = smallest_epsilon(rho, l) * 1000000000;
	if (exact < 0)
		exact = 0;
	must(bound == INT64_MAX ? exact > 0x1p62Q
							: bound >= exact && bound <= exact * (1 + CLOSE) + 1 + 1e-7Q * l,
		 "epsilon of rho", rho_pico, delta_atto, bound);
}

static void
look_at_rho_of_budget(int64_t epsilon_nano, int64_t delta_atto)
{
	int64_t rho_pico =
		dp_rho_of_budget((DpBudget){.epsilon_nano = epsilon_nano, .delta_atto = delta_atto});
	__float128 exact;

	if (rho_pico == 0 || rho_pico == INT64_MAX)
		return;
	exact = smallest_epsilon((__float128) rho_pico / 1000000000000,
							 logq((__float128) DP_DELTA_ONE / delta_atto));
	must(exact * 1000000000 <= epsilon_nano, "rho of a budget", epsilon_nano, delta_atto, rho_pico);
}

/* max(tau_k, k tau_1), tau_m = a^(T-m)/(1+a). */
static void
look_at_delta(int64_t epsilon_nano, DpUnit unit, int64_t threshold)
{
	__float128 e0 = (__float128) epsilon_nano / 1000000000 / dp_unit_l1(&unit);
	int64_t k = unit.rows_max, bound = dp_stability_delta(epsilon_nano, unit, threshold);
	__float128 below = 1 + expq(-e0), one, each, exact;

	if (threshold <= k)
	{
		must(bound == DP_DELTA_ONE, "delta of a threshold within a unit", epsilon_nano, k,
			 threshold);
		return;
	}
	one = expq(-e0 * (threshold - k)) / below;
	each = k * expq(-e0 * (threshold - 1)) / below;
	exact = (one > each ? one : each) * DP_DELTA_ONE;
	must(exact >= DP_DELTA_ONE ? bound == DP_DELTA_ONE : close_above(bound, exact),
		 "delta of a threshold", epsilon_nano, k, threshold);
}

/* p_T <= (1 - exp(-s/2^62)) 2^-r <= e^e0 p_T. */
static void
look_at_gaps(int64_t epsilon_nano, DpUnit unit, int64_t threshold)
{
	DpSparseHistogram histogram = {.epsilon_nano = epsilon_nano, .unit = unit, .cells = 1000};
	__float128 e0 = (__float128) epsilon_nano / 1000000000 / dp_unit_l1(&unit), p, above, hit;
	DpSparseRule rule;

	if (dp_sparse_histogram_rule(&histogram, threshold, &rule) != DP_OK)
		return;
	p = expq(-e0 * threshold) / (1 + expq(-e0));
	hit = -expm1q(-ldexpq((__float128) rule.gap_numerator, -GAP_DENOMINATOR_BITS));
	hit = ldexpq(hit, -(int) rule.thinning_bits);
	above = expq(-e0 * (threshold - 1)) / (1 + expq(-e0));
	must(hit >= p && hit <= above, "odds of an empty cell", epsilon_nano, unit.rows_max, threshold);
}

/* factors ln(1 + mass/alpha) <= epsilon. */
static void
look_at_alpha(const DpPerturbedTerms *terms)
{
	Worst worst = worst_case(terms);
	__float128 spent, epsilon = (__float128) terms->epsilon_nano / 1000000000;
	DpAlpha alpha;

	if (dp_perturbed_alpha(terms, &alpha) != DP_OK)
		return;
	spent = worst.factors * log1pq((__float128) worst.mass * alpha.unit / alpha.base);
	must(spent <= epsilon, "alpha of a block", terms->epsilon_nano, (int64_t) alpha.base,
		 (int64_t) alpha.unit);
}

/* Exact, in 128 bits. */
static void
look_at_select_epsilon(int64_t rho_pico)
{
	unsigned __int128 square = (unsigned __int128) rho_pico * 8000000;
	unsigned __int128 e = (unsigned __int128) dp_select_epsilon(rho_pico);

	must(e * e <= square && (e == DP_EPSILON_NANO_MAX || (e + 1) * (e + 1) > square),
		 "epsilon of a selection", rho_pico, (int64_t) e, 0);
}

static DpUnit
any_unit(void)
{
	return (DpUnit){.neighbours = next() % 2 ? DP_REPLACE_ONE : DP_ADD_REMOVE,
					.rows_max = (uint32_t) any_size(next() % 2 ? 4 : 1000000)};
}

static int64_t
any_epsilon(void)
{
	return any_size(DP_EPSILON_NANO_MAX);
}

/* Each of them looks at all small inputs, the ends, and random ones. */

static void
test_rho_of_epsilon(void)
{
	for (int64_t i = 0; i <= SMALL; i++)
		look_at_rho_of_epsilon(i);
	look_at_rho_of_epsilon(INT64_MAX);
	for (int i = 0; i < DRAWS; i++)
		look_at_rho_of_epsilon(any_size(INT64_MAX));
}

static void
test_select_epsilon(void)
{
	for (int64_t i = 1; i <= SMALL; i++)
		look_at_select_epsilon(i);
	look_at_select_epsilon(INT64_MAX);
	for (int i = 0; i < DRAWS; i++)
		look_at_select_epsilon(any_size(INT64_MAX));
}

static void
test_epsilon_of_rho(void)
{
	for (int i = 0; i < DRAWS / 200; i++)
	{
		int64_t delta = any_size(DP_DELTA_ONE / 2);

		look_at_epsilon_of_rho(any_size(INT64_C(1) << 62), delta);
		look_at_rho_of_budget(any_epsilon(), delta);
	}
}

static void
test_delta(void)
{
	for (int64_t epsilon = 1; epsilon <= 100; epsilon++)
		for (int64_t t = 0; t <= 50; t++)
			look_at_delta(epsilon * DP_EPSILON_ONE / 10, any_unit(), t);
	for (int i = 0; i < DRAWS; i++)
	{
		DpUnit unit = any_unit();
		int64_t near = (int64_t) unit.rows_max + any_size(100);

		look_at_delta(any_epsilon(), unit, i % 2 ? near : any_size(INT64_C(1) << 50));
	}
}

static void
test_gaps(void)
{
	for (int64_t epsilon = 1; epsilon <= 100; epsilon++)
		for (int64_t t = 1; t <= 50; t++)
			look_at_gaps(epsilon * DP_EPSILON_ONE / 10, any_unit(), t);
	for (int i = 0; i < DRAWS; i++)
		look_at_gaps(any_epsilon(), any_unit(), any_size(1000));
}

static void
test_alpha(void)
{
	for (int i = 0; i < DRAWS; i++)
		look_at_alpha(&(DpPerturbedTerms){.kind = DP_PERTURBED_COUNTS,
										  .unit = any_unit(),
										  .epsilon_nano = any_epsilon(),
										  .attributes = (uint32_t) any_size(1600),
										  .rows = (uint32_t) any_size(1000),
										  .sweeps = (uint32_t) any_size(100)});
}

int
main(void)
{
	TEST();
	printf("%ld statements hold\n", looked_at);
	return 0;
}
