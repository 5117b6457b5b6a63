/*
 * test_perturbed.c -- perturbed draws: what alpha is, with which weights is drawn, that no draw
 * goes unpaid; the pseudo-counts of l-diversity.
 *
 * Covers ldiversity.c.
 */
#include "core/methods/pegs/ldiversity.h"
#include "core/mechanism/perturbed.h"

#include "unit.h"

/* ---- in place of the draw: what it was asked for ---- */

static uint64_t asked_unit;
static uint64_t asked_base;

DpStatus
dp_categorical(DpRng *rng, const DpHistogram *histogram, uint64_t unit, uint64_t base,
			   uint32_t *code)
{
	(void) rng;
	(void) histogram;
	asked_unit = unit;
	asked_base = base;
	*code = 0;
	return DP_OK;
}

static DpHistogram
small_histogram(void)
{
	static const uint32_t codes[] = {0, 2, 3};
	static const int64_t counts[] = {4, 1, 2};

	return (DpHistogram){.levels = 5, .n = 3, .code = codes, .count = counts, .total = 7};
}

/* ---- alpha ---- */

static DpPerturbedTerms
terms_of(int64_t epsilon_nano, DpNeighbours neighbours, uint32_t k, uint32_t p, uint32_t rows,
		 uint32_t sweeps)
{
	return (DpPerturbedTerms){.kind = DP_PERTURBED_COUNTS,
							  .unit = {neighbours, k},
							  .epsilon_nano = epsilon_nano,
							  .attributes = p,
							  .rows = rows,
							  .sweeps = sweeps};
}

static double
alpha_of(const DpPerturbedTerms *terms)
{
	DpAlpha alpha;

	MUST(dp_perturbed_alpha(terms, &alpha));
	return (double) alpha.base / (double) alpha.unit;
}

static void
check_alpha_values(void)
{
	DpPerturbedTerms terms = terms_of(DP_EPSILON_ONE, DP_ADD_REMOVE, 1, 2, 1, 1);

	CHECK_NEAR(alpha_of(&terms), 1 / expm1(.5), 1e-6, "a row: 1/(exp(eps/p) - 1)");
	terms.unit.neighbours = DP_REPLACE_ONE;
	CHECK_NEAR(alpha_of(&terms), 1 / expm1(.5), 1e-6, "the same under replacement");
	terms.sweeps = 3;
	CHECK_NEAR(alpha_of(&terms), 1 / expm1(1 / 6.), 1e-6, "three sweeps spend three times");
	terms.sweeps = 1;
	terms.rows = 5;
	CHECK_NEAR(alpha_of(&terms), 1 / expm1(.25), 1e-6, "a block under replacement: 2p entries");
	terms.unit.neighbours = DP_ADD_REMOVE;
	CHECK_NEAR(alpha_of(&terms), 1 / expm1(.5), 1e-6, "a block under add_remove: p entries");
	terms.unit.rows_max = 3;
	CHECK_NEAR(alpha_of(&terms), 1 / expm1(1 / 6.), 1e-6, "units of three rows: 3p entries");
	terms.rows = 2;
	CHECK_NEAR(alpha_of(&terms), 1.5 / expm1(.25), 1e-6, "but no more than a block draws from");
	terms.rows = 1;
	CHECK_NEAR(alpha_of(&terms), 3 / expm1(.5), 1e-6, "a row: all three may share its key");
	terms.kind = DP_PERTURBED_FITTED;
	CHECK_NEAR(alpha_of(&terms), 1 / expm1(.5), 1e-6, "fits: whatever a unit is");
}

/*
 * Checks (1 + mass/alpha)^factors <= e^epsilon with more digits than alpha was computed with, and
 * that it is not far below.
 */
static void
check_alpha_bound(void)
{
	static const int64_t epsilons[] = {
		1000, 123457, DP_EPSILON_ONE / 3, DP_EPSILON_ONE, 5 * DP_EPSILON_ONE, 40 * DP_EPSILON_ONE};
	int over = 0, slack = 0;

	for (size_t i = 0; i < sizeof(epsilons) / sizeof(epsilons[0]); i++)
	{
		for (uint32_t p = 1; p < 200; p += 7)
		{
			DpPerturbedTerms terms = terms_of(epsilons[i], DP_ADD_REMOVE, 1, p, 1, 1);
			long double spent = p * log1pl((long double) 1 / alpha_of(&terms));
			long double epsilon = (long double) epsilons[i] / DP_EPSILON_ONE;

			over += spent > epsilon;
			slack += spent < epsilon * .999L && alpha_of(&terms) > .001;
		}
	}
	CHECK_I64(over, 0, "alpha is never too small");
	CHECK_I64(slack, 0, "nor larger than it need be");
}

static void
check_alpha_limits(void)
{
	DpPerturbedTerms terms = terms_of(1, DP_ADD_REMOVE, 1, 1000, 1, 1);
	DpAlpha alpha;

	CHECK_STATUS(dp_perturbed_alpha(&terms, &alpha), DP_ERR_RANGE, "hardly any epsilon");
	terms.epsilon_nano = DP_EPSILON_NANO_MAX;
	MUST(dp_perturbed_alpha(&terms, &alpha));
	CHECK(alpha.base == 1 && alpha.unit == DP_ALPHA_UNIT_MAX, "a huge epsilon: the least alpha");
	terms.epsilon_nano = 0;
	CHECK_STATUS(dp_perturbed_alpha(&terms, &alpha), DP_ERR_ARGUMENT, "no epsilon");
	terms.epsilon_nano = DP_EPSILON_ONE;
	terms.attributes = 0;
	CHECK_STATUS(dp_perturbed_alpha(&terms, &alpha), DP_ERR_ARGUMENT, "no attributes");
	terms.attributes = 1;
	terms.kind = DP_PERTURBED_FITTED;
	terms.rows = 2;
	CHECK_STATUS(dp_perturbed_alpha(&terms, &alpha), DP_ERR_ARGUMENT, "fits cannot be reset");
}

/* ---- paying ---- */

static void
check_paying(void)
{
	DpPerturbedTerms terms = terms_of(DP_EPSILON_ONE / 4, DP_ADD_REMOVE, 1, 2, 1, 1);
	DpHistogram histogram = small_histogram();
	DpPerturbed perturbed;
	DpMeter meter;
	uint32_t code;

	dp_meter_init(&meter, (DpBudget){DP_EPSILON_ONE / 2, 0, DP_RHO_ONE});
	MUST(dp_perturbed_init(&perturbed, &(DpNoiseSource){.meter = &meter}, &terms));
	CHECK_STATUS(dp_perturbed_draw(&perturbed, &histogram, &code), DP_ERR_OVERDRAW,
				 "no draw before a block is paid for");
	CHECK_OK(dp_perturbed_begin(&perturbed), "a first block");
	CHECK_I64(meter.spent.epsilon_nano, DP_EPSILON_ONE / 4, "costs its epsilon");
	CHECK_I64(meter.spent.rho_pico, dp_rho_of_epsilon(DP_EPSILON_ONE / 4), "and its rho");
	CHECK_OK(dp_perturbed_draw(&perturbed, &histogram, &code), "a first draw");
	CHECK_OK(dp_perturbed_draw(&perturbed, &histogram, &code), "a second draw");
	CHECK_STATUS(dp_perturbed_draw(&perturbed, &histogram, &code), DP_ERR_OVERDRAW,
				 "no third draw of two columns");
	CHECK_OK(dp_perturbed_begin(&perturbed), "a second block");
	CHECK_STATUS(dp_perturbed_begin(&perturbed), DP_ERR_OVERDRAW, "no third block");
	CHECK_STATUS(dp_perturbed_draw(&perturbed, &histogram, &code), DP_ERR_OVERDRAW,
				 "nor the draws of the second");
}

static void
check_reset(void)
{
	DpPerturbedTerms terms = terms_of(DP_EPSILON_ONE, DP_ADD_REMOVE, 1, 1, 2, 1);
	DpHistogram histogram = small_histogram();
	DpPerturbed perturbed;
	DpMeter meter;
	uint32_t code;

	dp_meter_init(&meter, (DpBudget){4 * DP_EPSILON_ONE, 0, 4 * DP_RHO_ONE});
	MUST(dp_perturbed_init(&perturbed, &(DpNoiseSource){.meter = &meter}, &terms));
	MUST(dp_perturbed_begin(&perturbed));
	MUST(dp_perturbed_draw(&perturbed, &histogram, &code));
	CHECK(asked_unit == perturbed.alpha.unit && asked_base == perturbed.alpha.base,
		  "the first draw is from the counts");
	MUST(dp_perturbed_draw(&perturbed, &histogram, &code));
	CHECK(asked_unit == 0 && asked_base > 0, "the second from the same histogram is uniform");
	MUST(dp_perturbed_begin(&perturbed));
	MUST(dp_perturbed_draw(&perturbed, &histogram, &code));
	CHECK(asked_unit == perturbed.alpha.unit, "a new block begins anew");
}

static void
check_fitted(void)
{
	DpPerturbedTerms terms = terms_of(DP_EPSILON_ONE, DP_ADD_REMOVE, 1, 2, 1, 1);
	int64_t f[] = {0, 0, 0};
	uint32_t all[] = {0, 1, 2};
	DpHistogram fitted = {.levels = 3, .n = 3, .code = all, .count = f};
	DpPerturbed perturbed;
	DpMeter meter;
	uint32_t code;

	terms.kind = DP_PERTURBED_FITTED;
	dp_meter_init(&meter, (DpBudget){DP_EPSILON_ONE, 0, DP_RHO_ONE});
	MUST(dp_perturbed_init(&perturbed, &(DpNoiseSource){.meter = &meter}, &terms));
	MUST(dp_perturbed_begin(&perturbed));
	CHECK_STATUS(dp_perturbed_draw(&perturbed, &fitted, &code), DP_ERR_INTERNAL,
				 "what is no distribution is not drawn from");
	f[0] = (int64_t) perturbed.alpha.unit;
	fitted.total = f[0];
	MUST(dp_perturbed_draw(&perturbed, &fitted, &code));
	CHECK(asked_unit == 1 && asked_base == perturbed.alpha.base, "(f + alpha) / (1 + C alpha)");
}

/* ---- l-diversity ---- */

typedef struct Diverse
{
	int64_t count[4];
	uint32_t levels;
	double l;
	double alpha; /* of the public prototype, by bisection */
} Diverse;

/* The entropy of (n_c + alpha) / (N + C alpha), in nats. */
static double
diverse_entropy(const DpHistogram *histogram, DpAlpha alpha)
{
	double base = (double) alpha.base;
	double rows = (double) alpha.unit * (double) histogram->total;
	double entropy = 0;

	for (uint64_t c = 0; c < histogram->levels; c++)
	{
		double count = c < histogram->n ? (double) histogram->count[c] : 0;
		double p = ((double) alpha.unit * count + base) / (rows + histogram->levels * base);

		entropy -= p > 0 ? p * log(p) : 0;
	}
	return entropy;
}

static void
check_diverse(const Diverse *diverse)
{
	static const uint32_t all[] = {0, 1, 2, 3};
	uint32_t code[4];
	int64_t count[4];
	DpHistogram histogram = {.levels = diverse->levels, .code = code, .count = count};
	DpAlpha alpha;

	for (uint32_t c = 0; c < diverse->levels; c++)
	{
		if (diverse->count[c] == 0)
			continue;
		code[histogram.n] = all[c];
		count[histogram.n++] = diverse->count[c];
		histogram.total += diverse->count[c];
	}
	MUST(dp_ldiversity_alpha(&histogram, diverse->l, &alpha));
	CHECK_NEAR((double) alpha.base / (double) alpha.unit, diverse->alpha,
			   1e-6 * diverse->alpha + 1e-6, "the pseudo-count for l = %g", diverse->l);
	CHECK(diverse_entropy(&histogram, alpha) >= log(diverse->l) - 1e-12,
		  "its entropy is ln(l) at least");
	if (alpha.base > 1)
	{
		alpha.base -= 1 + alpha.base / 1000000;
		CHECK(diverse_entropy(&histogram, alpha) < log(diverse->l), "and a smaller one's is not");
	}
}

static void
check_ldiversity(void)
{
	static const Diverse cases[] = {{{10, 0, 0}, 3, 2.0, 1.7220608411860756},
									{{8, 1, 0, 0}, 4, 2.5, 0.9277794867375347},
									{{0, 0, 100, 0}, 4, 3.9, 160.3166330136537},
									{{3, 3, 0}, 3, 2.5, 0.6305461611492664},
									{{1000000, 1}, 2, 1.5, 194977.0448728838},
									{{5, 3, 1, 1}, 4, 3.2, 0},
									{{7, 2}, 2, 1, 0}};
	DpHistogram none = {.levels = 3};
	DpHistogram histogram = small_histogram();
	DpAlpha alpha;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_diverse(&cases[i]);
	MUST(dp_ldiversity_alpha(&none, 2, &alpha));
	CHECK(alpha.base == 1 && alpha.unit == 0, "without rows: uniform");
	MUST(dp_ldiversity_alpha(&histogram, 5, &alpha));
	CHECK(alpha.base == 1 && alpha.unit == 0, "as diverse as there are levels: uniform");
	CHECK_STATUS(dp_ldiversity_alpha(&histogram, 5.1, &alpha), DP_ERR_ARGUMENT, "more than that");
	CHECK_STATUS(dp_ldiversity_alpha(&histogram, .5, &alpha), DP_ERR_ARGUMENT, "below one");
}

int
main(void)
{
	check_alpha_values();
	check_alpha_bound();
	check_alpha_limits();
	check_paying();
	check_reset();
	check_fitted();
	check_ldiversity();
	return unit_finish();
}
