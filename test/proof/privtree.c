/*
 * privtree.c -- PrivTree: its rule rounds up what a level costs, no decision overflows, and whatever
 * a public tree splits, stack and leaves stay within their bounds.
 */
#define BYTES_MAX 64
#include "proof_stub.h"

#include "core/accounting/privacy_unit.c"
#include "core/mechanism/privtree.c"

#ifndef CELLS
#define CELLS 3
#endif

static DpRng rng;
static bool charged;

bool
dp_epsilon_valid(int64_t epsilon_nano)
{
	return epsilon_nano >= 1 && epsilon_nano <= DP_EPSILON_NANO_MAX;
}

/* A divisor; the theorems do not depend on how much is reduced. */
uint64_t
dp_common_divisor(uint64_t a, uint64_t b)
{
	holds(a != 0 || b != 0);
	return 1;
}

int64_t
dp_rho_of_epsilon(int64_t epsilon_nano)
{
	int64_t rho_pico = nondet_int64();

	(void) epsilon_nano;
	given(rho_pico >= 0);
	return rho_pico;
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

DpStatus
dp_meter_charge(DpMeter *meter, DpBudget cost)
{
	(void) meter;
	(void) cost;
	holds(!charged);
	charged = nondet_bool();
	return charged ? DP_OK : DP_ERR_OVERDRAW;
}

DpStatus
dp_discrete_laplace(DpRng *r, uint64_t numerator, uint64_t denominator, int64_t *out)
{
	(void) r;
	holds(charged && numerator >= 1 && denominator >= 1);
	*out = nondet_int64();
	given(*out > INT64_MIN); /* a size with a sign: the theorem noise.laplace */
	return nondet_bool() ? DP_OK : DP_ERR_RANDOM;
}

/* For all goals: a rate that is given has the noise of one row at least, and less than 2^55 rows. Its
 * terms did not wrap around. */
void
prove_rate(void)
{
	DpPrivTree goal = {nondet_int64(),
					   {.neighbours = nondet_bool() ? DP_REPLACE_ONE : DP_ADD_REMOVE,
						.rows_max = nondet_uint32(),
						.rows_secret = nondet_bool()},
					   nondet_bool()};
	DpFraction rate;
	DpStatus status = rate_of(&goal, &rate);

	holds(status == DP_OK || status == DP_ERR_ARGUMENT || status == DP_ERR_RANGE);
	if (status != DP_OK)
		return;
	holds(rate.numerator >= 1 && rate.denominator / rate.numerator < LAM_MAX);
	holds(rate.denominator >= (uint64_t) DP_EPSILON_ONE * PATH_ONE_ROW);
}

static DpFraction any;

DpStatus
any_rate_of(const DpPrivTree *goal, DpFraction *rate)
{
	(void) goal;
	*rate = any;
	return nondet_bool() ? DP_OK : DP_ERR_RANGE;
}

#ifndef TERM_BITS
#define TERM_BITS 4
#endif

/* For all rates with terms below 2^TERM_BITS: what a count loses with each level is lam ln 2,
 * rounded up, by less than one row. */
void
prove_level(void)
{
	DpPrivTree goal = {.epsilon_nano = 1};
	DpPrivTreeRule rule;
	uint64_t lam_ln2, unit;

	any = (DpFraction){nondet_byte(), nondet_byte()};
	given(any.numerator >= 1 && any.numerator < 1 << TERM_BITS);
	given(any.denominator >= 1 && any.denominator < 1 << TERM_BITS);
	if (dp_privtree_rule(&goal, &rule) != DP_OK)
		return;
	lam_ln2 = any.denominator * LN2_NANO;
	unit = any.numerator * (uint64_t) DP_EPSILON_ONE;
	holds(rule.level_rows >= 1 && (uint64_t) rule.level_rows * unit >= lam_ln2);
	holds(((uint64_t) rule.level_rows - 1) * unit < lam_ln2);
}

/* A decision at any depth and cost of a level, about any counts: the biased count does not overflow,
 * and is not below what the depth is worth. */
void
prove_is_split(void)
{
	int64_t before[2] = {nondet_int64(), nondet_int64()}, level_rows = nondet_int64();
	Node node = {0, 1, (int) nondet_byte()};
	bool out;

	charged = true;
	given(before[0] >= 0 && before[1] >= before[0]);
	given(node.depth < DP_PRIVTREE_DEPTH_MAX);
	given(level_rows >= 1 && level_rows <= INT64_C(1) << 55);
	(void) is_split(&rng, (DpFraction){1, 1}, level_rows, &node, before, &out);
}

/* A tree that splits a node of two cells or more anywhere, or says what is no place in it. */
static uint32_t
any_place(const void *context, uint32_t low, uint32_t high)
{
	holds(low < high && high <= *(const uint32_t *) context && high - low >= 2);
	return nondet_uint32();
}

/* Up to CELLS cells with any counts, any tree, any noise, any failure: the leaves are ascending, the
 * first one begins at 0, none is outside, and there are no more than cells. */
void
prove_release(void)
{
	uint32_t cells = nondet_byte(), leaf[CELLS], leaves, i = nondet_uint32();
	int64_t counts[CELLS];
	DpMeter meter;
	const DpNoiseSource source = {.meter = &meter, .rng = &rng};
	DpPrivTree goal = {.epsilon_nano = 1, .concentrated = nondet_bool()};
	DpPublicTree tree = {.split = any_place, .context = &tree.cells};

	for (size_t k = 0; k < CELLS; k++)
		counts[k] = nondet_int64();
	given(cells <= CELLS);
	tree.cells = cells;
	any = (DpFraction){1, 1};
	if (dp_privtree_release(&source, &goal, &tree, counts, leaf, &leaves, NULL) != DP_OK)
		return;
	holds(charged && leaves >= 1 && leaves <= cells && leaf[0] == 0);
	given(i < leaves);
	holds(leaf[i] < cells && (i == 0 || leaf[i] > leaf[i - 1]));
}
