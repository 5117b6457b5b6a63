/*
 * unit_bench.h -- a mechanism on a source that counts its calls, and what one that must draw nothing
 * leaves.
 */
#ifndef UNIT_BENCH_H
#define UNIT_BENCH_H

#include "core/mechanism/mechanism.h"

#include "unit_stat.h"

/* Every call that must draw nothing is made on a source that counts. */
typedef struct Bench
{
	UnitSource source;
	DpRng rng;
	DpMeter meter;
	int64_t counts[3];
	int64_t out[3];
	int64_t threshold;
	size_t chosen;
} Bench;

static inline void
bench_init(Bench *bench, DpBudget limit, unsigned calls_good)
{
	*bench = (Bench){.source = {.calls_good = calls_good},
					 .counts = {5, 6, 7},
					 .out = {77, 77, 77},
					 .threshold = 77,
					 .chosen = 77};
	dp_rng_init(&bench->rng, unit_source_fill, &bench->source);
	dp_meter_init(&bench->meter, limit);
}

/* Nothing was drawn or charged. What a release would have written is what it was before, or zeros
 * after a release that failed. */
static inline bool
untouched(const Bench *b)
{
	bool same = true;

	for (int i = 0; i < 3; i++)
		same &= b->out[i] == b->out[0];
	return b->source.calls == 0 && b->meter.spent.epsilon_nano == 0 &&
		   b->meter.spent.rho_pico == 0 && same && (b->out[0] == 0 || b->out[0] == 77) &&
		   b->threshold == 77 && b->chosen == 77;
}

static inline DpStatus
gaussian(Bench *b, int64_t rho_pico, int64_t sensitivity_squared)
{
	return dp_gaussian_release(
		&(DpNoiseSource){.meter = &b->meter, .rng = &b->rng},
		(DpGaussian){.rho_pico = rho_pico, .sensitivity_l2_squared = sensitivity_squared},
		b->counts, 3, b->out);
}

static inline void
count_tick(void *context, double share_done)
{
	int *ticks = context;

	*ticks = share_done < 0.0 ? *ticks + 1 : -1000000;
}

#endif
