/*
 * test_mechanism.c -- mechanisms at their edges: nothing is drawn without a charge, and nothing
 * exact is left where they fail.
 *
 * Covers stability_release.c.
 */
#include "core/mechanism/mechanism.h"

#include "unit_bench.h"

static const DpUnit row_added = {DP_ADD_REMOVE, 1};

static DpStatus
laplace(Bench *b, int64_t epsilon_nano, int64_t sensitivity)
{
	return dp_laplace_release(
		&(DpNoiseSource){.meter = &b->meter, .rng = &b->rng},
		(DpLaplace){.epsilon_nano = epsilon_nano, .sensitivity_l1 = sensitivity}, b->counts, 3,
		b->out);
}

static DpStatus
stability(Bench *b, int64_t epsilon_nano, int64_t delta_atto)
{
	return dp_stability_release(&(DpNoiseSource){.meter = &b->meter, .rng = &b->rng},
								&(DpStability){{epsilon_nano, delta_atto, 0}, row_added}, b->counts,
								3, b->out, &b->threshold);
}

static DpStatus
selection(Bench *b, int64_t epsilon_nano, int64_t sensitivity, size_t n)
{
	return dp_select(&(DpNoiseSource){.meter = &b->meter, .rng = &b->rng},
					 &(DpScores){b->counts, n, sensitivity}, epsilon_nano, &b->chosen);
}

static void
test_overdraw(void)
{
	Bench b;

	bench_init(&b, (DpBudget){1000, 10, INT64_MAX}, 100);
	CHECK_STATUS(laplace(&b, 1001, 1), DP_ERR_OVERDRAW, "Laplace over the limit");
	CHECK(untouched(&b) && b.meter.broken, "draws nothing, writes nothing, breaks the meter");
	CHECK_STATUS(laplace(&b, 1, 1), DP_ERR_OVERDRAW, "a smaller one fails too");
	CHECK_STATUS(stability(&b, 1, 1), DP_ERR_OVERDRAW, "so does every other mechanism");
	CHECK_STATUS(selection(&b, 1, 1, 3), DP_ERR_OVERDRAW, "on that meter");
	CHECK(untouched(&b), "and still nothing was drawn");
	bench_init(&b, (DpBudget){1000, 10, INT64_MAX}, 100);
	CHECK_STATUS(stability(&b, 1000, 11), DP_ERR_OVERDRAW, "stability over delta");
	CHECK(untouched(&b), "draws nothing");
	bench_init(&b, (DpBudget){1000, 10, INT64_MAX}, 100);
	CHECK_STATUS(selection(&b, 1001, 1, 3), DP_ERR_OVERDRAW, "selection over the limit");
	CHECK(untouched(&b), "draws nothing");
}

/* Each mechanism charges its rho, so that a limit of rho alone stops it. */
static void
test_overdraw_rho(void)
{
	const DpBudget limit = {1000000000, 10, dp_rho_of_epsilon(1000000000) - 1};
	Bench b;

	bench_init(&b, limit, 100);
	CHECK_STATUS(laplace(&b, 1000000000, 1), DP_ERR_OVERDRAW, "Laplace over rho");
	CHECK(untouched(&b), "draws nothing");
	bench_init(&b, limit, 100);
	CHECK_STATUS(stability(&b, 1000000000, 10), DP_ERR_OVERDRAW, "stability over rho");
	CHECK(untouched(&b), "draws nothing");
	bench_init(&b, limit, 100);
	CHECK_STATUS(selection(&b, 1000000000, 1, 3), DP_ERR_OVERDRAW, "selection over rho");
	CHECK(untouched(&b), "draws nothing");
	bench_init(&b, limit, 100);
	CHECK_STATUS(gaussian(&b, limit.rho_pico + 1, 1), DP_ERR_OVERDRAW, "Gaussian over rho");
	CHECK(untouched(&b) && b.meter.broken, "draws nothing, breaks the meter");
}

static void
test_refusals(void)
{
	Bench b;

	bench_init(&b, (DpBudget){INT64_MAX, DP_DELTA_ONE, INT64_MAX}, 100);
	CHECK_STATUS(laplace(&b, 0, 1), DP_ERR_ARGUMENT, "Laplace: epsilon 0");
	CHECK_STATUS(laplace(&b, -5, 1), DP_ERR_ARGUMENT, "Laplace: epsilon < 0");
	CHECK_STATUS(laplace(&b, 1, 0), DP_ERR_ARGUMENT, "Laplace: sensitivity 0");
	CHECK_STATUS(laplace(&b, 1, INT64_MAX), DP_ERR_RANGE, "Laplace: rate beyond 64 bits");
	CHECK_STATUS(laplace(&b, 1, INT64_C(1) << 26), DP_ERR_RANGE, "Laplace: noise over 2^55 rows");
	CHECK_STATUS(stability(&b, 1, 0), DP_ERR_ARGUMENT, "stability: delta 0");
	CHECK_STATUS(selection(&b, 1, 1, 0), DP_ERR_ARGUMENT, "selection: no candidates");
	CHECK_STATUS(selection(&b, 0, 1, 3), DP_ERR_ARGUMENT, "selection: epsilon 0");
	CHECK_STATUS(selection(&b, 1, -1, 3), DP_ERR_ARGUMENT, "selection: sensitivity < 0");
	CHECK_STATUS(selection(&b, 1, INT64_MAX, 3), DP_ERR_RANGE, "selection: rate beyond 64 bits");
	CHECK_STATUS(laplace(&b, DP_EPSILON_NANO_MAX, INT64_MAX), DP_ERR_RANGE,
				 "Laplace: a sensitivity that does not fit");
	CHECK_STATUS(selection(&b, DP_EPSILON_NANO_MAX, INT64_MAX, 3), DP_ERR_RANGE,
				 "selection: a sensitivity that does not fit");
	b.counts[1] = 0;
	CHECK_STATUS(stability(&b, 1, 1), DP_ERR_INTERNAL, "stability: an empty cell");
	CHECK(untouched(&b) && !b.meter.broken, "all before the charge: nothing drawn, nothing spent");
}

static bool
all_zeros(const int64_t *out)
{
	return out[0] == 0 && out[1] == 0 && out[2] == 0;
}

static void
test_failed_source(void)
{
	Bench b;

	bench_init(&b, (DpBudget){INT64_MAX, DP_DELTA_ONE, INT64_MAX}, 0);
	CHECK_STATUS(laplace(&b, 1000, 1), DP_ERR_RANDOM, "Laplace reports a failed source");
	CHECK(all_zeros(b.out), "and leaves zeros");
	memcpy(b.out, b.counts, sizeof(b.out));
	CHECK_STATUS(stability(&b, 1000, 1), DP_ERR_RANDOM, "so does stability");
	CHECK(all_zeros(b.out) && b.threshold == 77, "and leaves zeros");
	b.counts[2] = 9;
	CHECK_STATUS(selection(&b, 1000, 1, 3), DP_ERR_RANDOM, "so does selection");
	CHECK_I64(b.chosen, 77, "and chooses nothing");
	CHECK_I64(b.meter.spent.epsilon_nano, 3000, "what was charged stays charged");
	memcpy(b.out, b.counts, sizeof(b.out));
	CHECK_STATUS(gaussian(&b, 1000, 1), DP_ERR_RANDOM, "Gaussian reports it too");
	CHECK(all_zeros(b.out), "and leaves zeros");
}

/* A release in place that fails before its charge has not touched the exact counts yet. */
static void
test_refused_in_place(void)
{
	const DpLaplace refused[] = {{0, 1}, {1, INT64_MAX}, {1001, 1}};
	const DpGaussian too_wide[] = {{0, 1}, {1, INT64_C(1) << 62}, {2000, 1}};
	const DpStability goals[] = {
		{{1, 0, 0}, row_added}, {{1, 1, 0}, row_added}, {{1001, 1, 0}, row_added}};

	for (int i = 0; i < 3; i++)
	{
		Bench b;
		DpNoiseSource source = {.meter = &b.meter, .rng = &b.rng};
		int64_t rows;

		bench_init(&b, (DpBudget){1000, 1, 1000}, 100);
		CHECK(dp_laplace_release(&source, refused[i], b.counts, 3, b.counts) != DP_OK &&
				  all_zeros(b.counts),
			  "Laplace that is refused leaves no exact count");
		bench_init(&b, (DpBudget){1000, 1, 1000}, 100);
		CHECK(dp_gaussian_release(&source, too_wide[i], b.counts, 3, b.counts) != DP_OK &&
				  all_zeros(b.counts),
			  "nor does Gaussian");
		bench_init(&b, (DpBudget){1000, 1, 1000}, 100);
		b.counts[1] = i == 1 ? 0 : 8; /* an empty cell, which is refused */
		CHECK(dp_stability_release(&source, &goals[i], b.counts, 3, b.counts, &rows) != DP_OK &&
				  all_zeros(b.counts),
			  "nor does the stability histogram");
		CHECK_I64((int64_t) b.source.calls, 0, "and none has drawn");
	}
}

/* b = 1e15 rows and counts at the ends of 63 bits: each draw has an even chance to overflow. */
static void
test_overflow(DpRng *rng)
{
	unsigned failed = 0, bad = 0;

	for (int i = 0; i < 200; i++)
	{
		Bench b;
		DpStatus status;

		bench_init(&b, (DpBudget){INT64_MAX, DP_DELTA_ONE, INT64_MAX}, 0);
		b.counts[1] = INT64_MAX;
		b.counts[2] = INT64_MIN;
		memcpy(b.out, b.counts, sizeof(b.out));
		status = dp_laplace_release(&(DpNoiseSource){.meter = &b.meter, .rng = rng},
									(DpLaplace){.epsilon_nano = 1, .sensitivity_l1 = 1000000},
									b.out, 3, b.out);
		failed += status == DP_ERR_RANGE;
		bad += status == DP_ERR_RANGE ? !all_zeros(b.out) : status != DP_OK;
		b.counts[2] = INT64_MAX;
		status = dp_stability_release(&(DpNoiseSource){.meter = &b.meter, .rng = rng},
									  &(DpStability){{1, 1000, 0}, row_added}, b.counts, 3, b.out,
									  &b.threshold);
		bad += status == DP_ERR_RANGE ? !all_zeros(b.out) : status != DP_OK;
	}
	CHECK(failed > 100 && failed < 200 && bad == 0, "count + Z over 63 bits: DP_ERR_RANGE, zeros");
}

static void
test_release(DpRng *rng)
{
	static int64_t counts[20000];
	int ticks = 0;
	DpTick tick = {count_tick, &ticks};
	int64_t threshold = 0;
	bool right = true;
	DpMeter meter;

	for (size_t i = 0; i < 20000; i++)
		counts[i] = i % 2 == 0 ? 1 : 1000;
	dp_meter_init(&meter, (DpBudget){1500000000, 1000000000, 2 * DP_RHO_ONE});
	MUST(dp_stability_release(&(DpNoiseSource){.meter = &meter, .rng = rng, .tick = &tick},
							  &(DpStability){{1000000000, 1000000000, 0}, row_added}, counts, 20000,
							  counts, &threshold));
	for (size_t i = 0; i < 20000; i++)
		right = right && (i % 2 == 0 ? counts[i] == 0 : llabs(counts[i] - 1000) < 60);
	CHECK(right, "singletons are silent, large cells show; noisy may alias counts");
	CHECK_I64(threshold, 22, "T is reported");
	CHECK(ticks >= 4, "the tick is called, and told no share of secret work");
	CHECK(meter.spent.epsilon_nano == 1000000000 && meter.spent.delta_atto == 1000000000 &&
			  meter.spent.rho_pico == dp_rho_of_epsilon(1000000000),
		  "exactly the cost is charged, its rho with it");
	MUST(dp_laplace_release(&(DpNoiseSource){.meter = &meter, .rng = rng, .tick = &tick},
							(DpLaplace){.epsilon_nano = 500000000, .sensitivity_l1 = 1}, counts,
							20000, counts));
	CHECK_I64(meter.spent.epsilon_nano, 1500000000, "Laplace charges epsilon");
	CHECK_I64(meter.spent.delta_atto, 1000000000, "and no delta");
	for (size_t i = 0; i < 20000; i++)
		counts[i] = 5;
	MUST(dp_laplace_release(
		&(DpNoiseSource){.meter = &(DpMeter){.limit = dp_cost_pure(DP_EPSILON_NANO_MAX)},
						 .rng = rng},
		(DpLaplace){.epsilon_nano = DP_EPSILON_NANO_MAX, .sensitivity_l1 = 1}, counts, 20000,
		counts));
	for (size_t i = 0; i < 20000; i++)
		right = right && counts[i] == 5;
	CHECK(right, "epsilon 1e6 moves no count in 20,000 by a row");
	CHECK_STATUS(dp_laplace_release(&(DpNoiseSource){.meter = &meter, .rng = rng},
									(DpLaplace){.epsilon_nano = 1, .sensitivity_l1 = 1}, NULL, 0,
									NULL),
				 DP_ERR_OVERDRAW, "no cells at all still have to be paid for");
}

/* Gaps that need all 64 bits, and a product with epsilon that needs 114. */
static void
test_select_extremes(DpRng *rng)
{
	const int64_t apart[] = {INT64_MIN, INT64_MAX, INT64_MIN, 0};
	const int64_t equal[] = {INT64_MAX, INT64_MAX, INT64_MAX};
	unsigned seen[3] = {0, 0, 0};
	DpMeter meter;
	size_t chosen = 9, first = 9;
	bool best = true;

	for (int i = 0; i < 500; i++)
	{
		dp_meter_init(&meter, (DpBudget){INT64_MAX, 0, INT64_MAX});
		MUST(dp_select(&(DpNoiseSource){.meter = &meter, .rng = rng}, &(DpScores){apart, 4, 1},
					   DP_EPSILON_NANO_MAX, &chosen));
		best = best && chosen == 1;
		MUST(dp_select(&(DpNoiseSource){.meter = &meter, .rng = rng}, &(DpScores){apart, 4, 1}, 1,
					   &chosen));
		best = best && chosen == 1;
		MUST(dp_select(&(DpNoiseSource){.meter = &meter, .rng = rng}, &(DpScores){equal, 3, 1},
					   1000000000, &chosen));
		seen[chosen]++;
		MUST(dp_select(&(DpNoiseSource){.meter = &meter, .rng = rng}, &(DpScores){equal, 1, 1},
					   1000000000, &first));
		best = best && first == 0;
	}
	CHECK(best, "a candidate 2^64 ahead always wins, a sole one too");
	CHECK(seen[0] > 90 && seen[1] > 90 && seen[2] > 90, "equals are chosen equally");
	CHECK_OK(dp_select(&(DpNoiseSource){.meter = &meter, .rng = rng},
					   &(DpScores){equal, 3, INT64_C(13194139530240)}, 1000000000, &chosen),
			 "a sensitivity of 1.3e13 is fine where the fraction reduces");
}

int
main(void)
{
	DpRng rng;

	unit_seeded(&rng);
	test_overdraw();
	test_overdraw_rho();
	test_refusals();
	test_failed_source();
	test_refused_in_place();
	test_overflow(&rng);
	test_release(&rng);
	test_select_extremes(&rng);
	unit_seeded_end(&rng);
	return unit_finish();
}
