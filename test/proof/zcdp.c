/*
 * zcdp.c -- the searches for a rho and for a threshold end at a value for which the promised bound
 * itself was found to hold. What the bounds are worth is the subject of outward.c.
 */
#define BYTES_MAX 64
#include "proof_stub.h"

#include "core/mechanism/internal.h"

#include "core/accounting/privacy_unit.c"
#include "core/accounting/zcdp.c"
#include "core/mechanism/stability.c"
#include "core/mechanism/stability_release.c"

bool
dp_epsilon_valid(int64_t epsilon_nano)
{
	return epsilon_nano >= 1 && epsilon_nano <= DP_EPSILON_NANO_MAX;
}

DpLaplace
dp_unit_laplace(const DpUnit *unit, int64_t epsilon_nano)
{
	return (DpLaplace){.epsilon_nano = epsilon_nano, .sensitivity_l1 = dp_unit_l1(unit)};
}

DpBudget
dp_cost_approximate(DpBudget spent)
{
	return spent;
}

/* Up to which value a bound was found to hold, of those that were asked for. */
static int64_t held = -1, failed = -1, limit;

/* Any function of rho at all, which need not even grow: what was asked for last is remembered. */
int64_t
any_epsilon_of_rho(DpBudget rho_and_delta)
{
	int64_t epsilon_nano = rho_and_delta.rho_pico == 0 ? 0 : nondet_int64();

	holds(rho_and_delta.rho_pico >= 0);
	if (epsilon_nano <= limit)
		held = rho_and_delta.rho_pico;
	else
		failed = rho_and_delta.rho_pico;
	return epsilon_nano;
}

/* The rho that a budget buys is one whose epsilon was found to be within it, or 0, which costs
 * nothing; and the next one was found to be too much, unless it is the largest that there is. */
void
prove_rho_of_budget(void)
{
	DpBudget asked = {.epsilon_nano = nondet_int64(), .delta_atto = nondet_int64()};
	int64_t rho_pico;

	limit = asked.epsilon_nano;
	rho_pico = dp_rho_of_budget(asked);
	holds(rho_pico >= 0);
	holds(rho_pico == 0 || rho_pico == held);
	holds(rho_pico == 0 || failed == -1 || failed == rho_pico + 1);
	holds(rho_pico == 0 ||
		  (asked.epsilon_nano >= 0 && asked.delta_atto >= 1 && asked.delta_atto <= DP_DELTA_ONE));
}

/* Any function of a threshold. */
int64_t
any_delta(int64_t epsilon_nano, DpUnit unit, int64_t threshold_rows)
{
	int64_t delta_atto = nondet_int64();

	(void) epsilon_nano;
	(void) unit;
	given(delta_atto >= 1 && delta_atto <= DP_DELTA_ONE);
	if (delta_atto <= limit)
		held = threshold_rows;
	return delta_atto;
}

/* The threshold is one whose delta was found to be within the budget, above the rows of a unit and no
 * more than the limit. An error sets none. */
void
prove_threshold(void)
{
	DpStability goal = {{nondet_int64(), nondet_int64(), 0},
						{.neighbours = nondet_bool() ? DP_REPLACE_ONE : DP_ADD_REMOVE,
						 .rows_max = nondet_uint32(),
						 .rows_secret = nondet_bool()}};
	int64_t threshold = -7;
	DpStatus status;

	given(goal.unit.rows_max < THRESHOLD_ROWS_MAX);
	limit = goal.budget.delta_atto;
	status = dp_stability_threshold(&goal, &threshold);
	if (status != DP_OK)
	{
		holds(threshold == -7 && (status == DP_ERR_ARGUMENT || status == DP_ERR_RANGE));
		return;
	}
	holds(threshold == held && threshold > (int64_t) goal.unit.rows_max);
	holds(threshold <= THRESHOLD_ROWS_MAX);
}

/* ---- the release ---- */

#define CELLS 2

static DpRng rng;
static bool charged;
static int64_t t;

DpStatus
any_threshold(const DpStability *goal, int64_t *threshold_rows)
{
	(void) goal;
	t = nondet_int64();
	given(t >= 2);
	*threshold_rows = t;
	return nondet_bool() ? DP_OK : DP_ERR_RANGE;
}

DpStatus
dp_laplace_rate(DpLaplace law, DpFraction *rate)
{
	(void) law;
	*rate = (DpFraction){1, 1};
	return nondet_bool() ? DP_OK : DP_ERR_RANGE;
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

/* Its own theorem is noise_add. */
DpStatus
dp_noise_add(const DpNoiseSource *noise, DpNoiseDistribution law, const int64_t *counts, size_t n,
			 int64_t *out)
{
	bool fails = nondet_bool();

	(void) noise;
	(void) law;
	(void) counts;
	holds(charged);
	for (size_t i = 0; i < n; i++)
		out[i] = fails ? 0 : nondet_int64();
	return fails ? DP_ERR_RANDOM : DP_OK;
}

DpStatus
dp_noise_cleared(DpStatus status, int64_t *out, size_t n)
{
	for (size_t i = 0; i < n && status != DP_OK; i++)
		out[i] = 0;
	return status;
}

/* The stability histogram over up to 2 cells, in place: a cell is silent, or at the threshold or
 * above it. No empty cell gets noise. After an error all is 0. */
void
prove_stability(void)
{
	int64_t counts[CELLS], before[CELLS], threshold = -7;
	size_t n = nondet_byte(), i = nondet_byte();
	DpMeter meter;
	const DpNoiseSource source = {.meter = &meter, .rng = &rng};
	DpStability goal = {{nondet_int64(), nondet_int64(), 0}, {.rows_max = nondet_uint32()}};
	DpStatus status;

	for (size_t k = 0; k < CELLS; k++)
		before[k] = counts[k] = nondet_int64();
	given(n <= CELLS && i < n);
	status = dp_stability_release(&source, &goal, counts, n, counts, &threshold);
	if (status != DP_OK)
	{
		holds(counts[i] == 0 && threshold == -7);
		return;
	}
	holds(charged && threshold == t && before[i] >= 1);
	holds(counts[i] == 0 || counts[i] >= threshold);
}
