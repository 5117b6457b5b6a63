/*
 * mechanism.c -- from counts and scores to releases: what is exact never stays behind, no candidate
 * is out of bounds, and no integer overflows on the way.
 *
 * Noise is any that a sampler may give, and each draw may fail. A greatest common divisor is 1, 2 or
 * 10^9 where that divides, which are those between which a product fits 64 bits or not.
 */
#define BYTES_MAX 64
#include "proof_stub.h"

/* Zeros in whole words. cbmc's own body loses what an array held where the size is not a constant. */
static void *
proof_memset(void *memory, int byte, size_t bytes)
{
	int64_t *word = memory;

	holds(byte == 0 && bytes % sizeof(*word) == 0);
	for (size_t i = 0; i < bytes / sizeof(*word); i++)
		word[i] = 0;
	return memory;
}

#define memset proof_memset

#include "core/mechanism/gaussian.c"
#include "core/mechanism/mechanism.c"
#include "core/mechanism/disjoint.c"
#include "core/mechanism/exponential.c"
#include "core/accounting/privacy_unit.c"

#ifndef CELLS
#define CELLS 3
#endif

static DpRng rng;
static bool charged; /* what the meter says, once it was asked */
static bool drew;

/* ---- what stands in for the rest ---- */

DpStatus
dp_meter_charge(DpMeter *meter, DpBudget cost)
{
	(void) meter;
	(void) cost;
	holds(!charged && !drew);
	charged = nondet_bool();
	return charged ? DP_OK : DP_ERR_OVERDRAW;
}

void
dp_meter_init(DpMeter *meter, DpBudget limit)
{
	(void) meter;
	(void) limit;
	charged = false;
	drew = false;
}

DpBudget
dp_cost_pure(int64_t epsilon_nano)
{
	return (DpBudget){.epsilon_nano = epsilon_nano};
}

DpBudget
dp_cost_concentrated(int64_t rho_pico)
{
	return (DpBudget){.rho_pico = rho_pico};
}

/* Noise is drawn after the charge alone. */
static DpStatus
any_noise(DpRng *r, uint64_t numerator, uint64_t denominator, int64_t *out)
{
	(void) r;
	holds(charged && numerator >= 1 && denominator >= 1);
	drew = true;
	*out = nondet_int64();
	return nondet_bool() ? DP_OK : nondet_bool() ? DP_ERR_RANDOM : DP_ERR_RANGE;
}

DpStatus
dp_discrete_laplace(DpRng *r, uint64_t numerator, uint64_t denominator, int64_t *out)
{
	return any_noise(r, numerator, denominator, out);
}

DpStatus
dp_discrete_gaussian(DpRng *r, uint64_t numerator, uint64_t denominator, int64_t *out)
{
	return any_noise(r, numerator, denominator, out);
}

DpStatus
dp_rng_below(DpRng *r, uint64_t bound, uint64_t *out)
{
	(void) r;
	holds(bound >= 1);
	*out = nondet_uint64();
	given(*out < bound);
	return nondet_bool() ? DP_OK : DP_ERR_RANDOM;
}

DpStatus
dp_bernoulli(DpRng *r, uint64_t numerator, uint64_t denominator, bool *out)
{
	(void) r;
	holds(denominator >= 1 && numerator <= denominator);
	*out = numerator == denominator || (numerator > 0 && nondet_bool());
	return nondet_bool() ? DP_OK : DP_ERR_RANDOM;
}

DpStatus
dp_bernoulli_exp(DpRng *r, uint64_t numerator, uint64_t denominator, bool *out)
{
	(void) r;
	holds(denominator >= 1);
	*out = numerator == 0 || nondet_bool();
	return nondet_bool() ? DP_OK : DP_ERR_RANDOM;
}

/* Any rate and any refusal of one, and some divisor. */
DpStatus
any_rate(DpLaplace law, DpFraction *rate)
{
	(void) law;
	*rate = (DpFraction){nondet_uint64(), nondet_uint64()};
	given(rate->numerator >= 1 && rate->denominator >= 1);
	return nondet_bool() ? DP_OK : nondet_bool() ? DP_ERR_RANGE : DP_ERR_ARGUMENT;
}

DpStatus
any_variance(DpGaussian law, DpFraction *variance)
{
	return any_rate((DpLaplace){law.rho_pico, law.sensitivity_l2_squared}, variance);
}

DpStatus
any_select_rate(const DpScores *scores, int64_t epsilon_nano, DpFraction *rate)
{
	return any_rate((DpLaplace){epsilon_nano, scores->sensitivity}, rate);
}

uint64_t
any_divisor(uint64_t a, uint64_t b)
{
	uint64_t divisor = nondet_bool() ? 1 : nondet_bool() ? 2 : DP_EPSILON_ONE;

	holds(a != 0 || b != 0);
	given(a % divisor == 0 && b % divisor == 0);
	return divisor;
}

/* A coin that is always heads for a gap of 0. */
DpStatus
any_survival(DpRng *r, DpFraction rate, uint64_t gap, bool *out)
{
	(void) r;
	(void) rate;
	*out = gap == 0 || nondet_bool();
	return nondet_bool() ? DP_OK : DP_ERR_RANDOM;
}

/* ---- counts ---- */

static void
any_counts(int64_t *counts)
{
	for (size_t i = 0; i < CELLS; i++)
		counts[i] = nondet_int64();
}

/* Noise on up to CELLS counts, in place or not: after an error, at whatever cell, nothing but zeros
 * is there. Otherwise the counts themselves are as they were, where they are not the output. */
void
prove_noise_add(void)
{
	int64_t counts[CELLS], before[CELLS], apart[CELLS];
	size_t n = nondet_byte(), i = nondet_byte();
	bool in_place = nondet_bool();
	int64_t *out = in_place ? counts : apart;
	const DpNoiseSource source = {.rng = &rng};
	DpStatus status;

	any_counts(counts);
	any_counts(apart);
	memcpy(before, counts, sizeof(before));
	given(n <= CELLS && i < n);
	charged = true;
	status = dp_noise_add(&source, (DpNoiseDistribution){any_noise, {1, 1}}, counts, n, out);
	holds(status == DP_OK || out[i] == 0);
	holds(in_place || counts[i] == before[i]);
}

/* One count: its sum with the noise is exact, or out of range. */
void
prove_noisy_count(void)
{
	int64_t count = nondet_int64(), out;

	charged = true;
	if (dp_noisy_count(&rng, (DpNoiseDistribution){any_noise, {1, 1}}, count, &out) == DP_OK)
		holds((__int128) out - count <= INT64_MAX && (__int128) out - count >= INT64_MIN);
}

/* The Laplace and the Gaussian mechanism in place, whatever fails and wherever: no noise before the
 * charge, one charge, and zeros after an error. */
void
prove_release(void)
{
	int64_t counts[CELLS];
	size_t n = nondet_byte(), i = nondet_byte();
	DpMeter meter;
	const DpNoiseSource source = {.meter = &meter, .rng = &rng};
	DpStatus status;

	any_counts(counts);
	given(n <= CELLS && i < n);
	charged = false;
	if (nondet_bool())
		status = dp_laplace_release(&source, (DpLaplace){nondet_int64(), nondet_int64()}, counts, n,
									counts);
	else
		status = dp_gaussian_release(&source, (DpGaussian){nondet_int64(), nondet_int64()}, counts,
									 n, counts);
	holds(status == DP_OK || counts[i] == 0);
	holds(status != DP_OK || charged);
}

/* ---- rates ---- */

/* For all epsilon and sensitivities: a rate that is accepted is no larger than epsilon over the
 * sensitivity, its terms are at least 1, and neither a sensitivity that saturated nor noise of more
 * than 2^55 rows is accepted. */
void
prove_laplace_rate(void)
{
	DpLaplace law = {nondet_int64(), nondet_int64()};
	DpFraction rate;
	DpStatus status = dp_laplace_rate(law, &rate);

	holds(status == DP_OK || status == DP_ERR_ARGUMENT || status == DP_ERR_RANGE);
	holds((status == DP_ERR_ARGUMENT) == (law.epsilon_nano < 1 || law.sensitivity_l1 < 1 ||
										  law.epsilon_nano > DP_EPSILON_NANO_MAX));
	if (status == DP_OK)
		holds(rate.numerator >= 1 && rate.denominator >= 1 &&
			  law.sensitivity_l1 < DP_SENSITIVITY_TOO_LARGE &&
			  rate.denominator / rate.numerator < LAPLACE_B_MAX);
}

/* So of a selection; there are no bounds of width, since it has no noise. */
void
prove_select_rate(void)
{
	DpScores scores = {.n = nondet_byte(), .sensitivity = nondet_int64()};
	int64_t epsilon_nano = nondet_int64();
	DpFraction rate;
	DpStatus status = dp_select_rate(&scores, epsilon_nano, &rate);

	holds(status != DP_OK || (scores.n >= 1 && scores.sensitivity >= 1 && epsilon_nano >= 1 &&
							  scores.sensitivity < DP_SENSITIVITY_TOO_LARGE &&
							  rate.numerator >= 1 && rate.denominator >= 1));
	holds(status == DP_OK || status == DP_ERR_ARGUMENT || status == DP_ERR_RANGE);
}

/* With real divisors, for epsilon and sensitivities below RATE_MAX and units of up to 3: the rate is
 * epsilon over unit times sensitivity, exactly. */
#ifndef RATE_MAX
#define RATE_MAX 8
#endif

void
prove_rate_exact(void)
{
	int64_t epsilon = nondet_byte(), sensitivity = nondet_byte();
	uint64_t unit = nondet_byte();
	DpFraction rate;

	given(epsilon >= 1 && epsilon < RATE_MAX && sensitivity >= 1 && sensitivity < RATE_MAX);
	given(unit >= 1 && unit <= 3);
	holds(reduced_rate(epsilon, unit, sensitivity, &rate) == DP_OK);
	holds(rate.numerator * unit * (uint64_t) sensitivity == rate.denominator * (uint64_t) epsilon);
}

/* For all terms below 2^TERM_BITS, the limit being 2^LIMIT_BITS by an edit: the variance that is
 * used is at least the one that is asked for, exceeds it by less than one part in half the limit,
 * and its terms are within the limit. */
#ifndef TERM_BITS
#define TERM_BITS 8
#endif

void
prove_fit_terms(void)
{
	uint32_t numerator = nondet_uint32(), denominator = nondet_uint32();
	const uint32_t most = (uint32_t) DP_GAUSSIAN_TERM_MAX;
	DpFraction out;
	DpStatus status;

	given(numerator >= 1 && numerator < 1U << TERM_BITS && denominator >= 1);
	given(denominator < most);
	status = fit_terms(numerator, denominator, &out);
	holds(status == DP_OK || (status == DP_ERR_RANGE && numerator > most * denominator));
	if (status != DP_OK)
		return;
	holds(out.numerator >= 1 && out.numerator <= most && out.denominator >= 1 &&
		  out.denominator <= most);
	holds(out.numerator * denominator >= numerator * out.denominator);
	holds((out.numerator * denominator - numerator * out.denominator) * most <=
		  2 * (uint64_t) numerator * out.denominator);
}

/* ---- selection ---- */

/* Permute-and-flip and the exponential mechanism, over up to CELLS scores of any value: what is
 * chosen is a candidate, and an error chooses none. A gap of scores has 64 bits without a sign. */
void
prove_select(void)
{
	int64_t score[CELLS];
	DpScores scores = {score, nondet_byte(), nondet_int64()};
	DpMeter meter;
	const DpNoiseSource source = {.meter = &meter, .rng = &rng};
	size_t chosen = CELLS + 1;
	DpStatus status;

	any_counts(score);
	given(scores.n >= 1 && scores.n <= CELLS);
	charged = false;
	status = dp_select(&source, &scores, nondet_int64(), &chosen);
	holds(status == DP_OK ? chosen < scores.n : chosen == CELLS + 1);
	holds(status != DP_OK || charged);
}

/* The exponential mechanism over those candidates that were not refused: what is offered was not,
 * and is no candidate only where all were. */
void
prove_offer(void)
{
	int64_t score[CELLS];
	bool refused[CELLS], all = true;
	DpScores scores = {score, nondet_byte(), 1};
	size_t chosen = CELLS + 1;
	DpStatus status;

	any_counts(score);
	given(scores.n >= 1 && scores.n <= CELLS);
	for (size_t i = 0; i < CELLS; i++)
	{
		refused[i] = nondet_bool();
		all = all && (refused[i] || i >= scores.n);
	}
	status = offer(&rng, (DpFraction){1, 1}, &scores, refused, &chosen);
	if (status == DP_OK)
		holds(all ? chosen == scores.n : chosen < scores.n && !refused[chosen]);
	else
		holds(chosen == CELLS + 1);
}

/* Only the best score's own gap is 0 where scores differ, and no gap is wrapped: it is the exact
 * difference. */
void
prove_best(void)
{
	int64_t score[CELLS];
	DpScores scores = {score, nondet_byte(), 1};
	size_t i = nondet_byte();
	int64_t best;

	any_counts(score);
	given(scores.n >= 1 && scores.n <= CELLS && i < scores.n);
	best = dp_best_score(&scores);
	holds(best >= score[i]);
	holds((__int128) best - score[i] == (__int128) ((uint64_t) best - (uint64_t) score[i]));
}

/* A gap of PIECE_BITS bits: the coins of exp(-rate gap) are asked for no part that is not there, and
 * a gap of 0 always survives. */
void
prove_gap_survives(void)
{
	DpFraction rate = {nondet_uint64(), nondet_uint64()};
	uint64_t gap = nondet_uint64();
	bool before = nondet_bool(), out = before;
	DpStatus status;

	given(rate.numerator >= 1 && rate.denominator >= 1);
	status = dp_gap_survives(&rng, rate, gap, &out);
	holds(status == DP_OK || out == before);
	holds(status != DP_OK || gap > 0 || out);
}

/* ---- shares of a disjoint selection ---- */

/* For units of ROWS rows: L1 times an epsilon's share is within it, and L1^2 times a rho's. */
#ifndef ROWS
#define ROWS 3
#endif

void
prove_disjoint(void)
{
	DpUnit unit = {.neighbours = nondet_bool() ? DP_REPLACE_ONE : DP_ADD_REMOVE, .rows_max = ROWS};
	const int64_t l1 = unit.neighbours == DP_REPLACE_ONE ? 2 * ROWS : ROWS;
	int64_t epsilon_nano = nondet_int64(), rho_pico = nondet_int64();

	given(epsilon_nano >= 0 && rho_pico >= 0);
	holds((__int128) dp_disjoint_epsilon(epsilon_nano, unit) * l1 <= epsilon_nano);
	holds((__int128) dp_disjoint_rho(rho_pico, unit) * l1 * l1 <= rho_pico);
}
