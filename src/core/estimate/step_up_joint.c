/*
 * step_up_joint.c -- from given tables over any sets to the joint table of all attributes, one
 * size of sets after the other.
 *
 * A set that lies in a given table is a margin of the smallest such table. An attribute in no table
 * is uniform. Every other set is solved for (step_up.c). Negative cells and the sum are corrected
 * once, at the end.
 */
#include <math.h>
#include <string.h>

#include "core/base/prng.h"
#include "core/base/saturate.h"
#include "core/domain/domain_bytes.h"
#include "core/estimate/joint.h"
#include "core/estimate/step_up.h"

#define SUM_MIN 1e-9 /* the least sum of a table that is normalised */

uint64_t
dp_step_up_cells(const uint32_t *levels, uint32_t attributes)
{
	uint64_t cells = 1;

	for (uint32_t a = 0; a < attributes; a++)
		cells = dp_multiply_saturated(cells, (uint64_t) levels[a] + 1);
	return cells - 1;
}

/* All tables; and for the largest table the weights of each axis, right sides, solution and
 * gradients. */
uint64_t
dp_step_up_memory(const uint32_t *levels, uint32_t attributes)
{
	uint32_t all = UINT32_MAX >> (32 - attributes);
	uint64_t joint = dp_joint_set_cells(levels, all);
	uint64_t solving = dp_multiply_saturated(joint, attributes + 4);

	return dp_multiply_saturated(dp_add_saturated(dp_step_up_cells(levels, attributes), solving),
								 sizeof(double));
}

/* The given table with the fewest cells that contains a set, or NULL. */
static const DpNoisyTable *
smallest_holder(const DpNoisyTables *given, uint32_t mask)
{
	const DpNoisyTable *best = NULL;

	for (uint32_t t = 0; t < given->tables; t++)
	{
		if ((mask & ~given->table[t].mask) == 0 &&
			(best == NULL || given->table[t].cells < best->cells))
			best = &given->table[t];
	}
	return best;
}

/* Lists the levels of the attributes of mask alone, for dp_joint_project. Returns the attributes
 * of inner as bits among them. */
static uint32_t
within(const uint32_t *levels, uint32_t mask, uint32_t inner, uint32_t *out, uint32_t *n)
{
	uint32_t local = 0;

	*n = 0;
	for (uint32_t a = 0; mask >> a != 0; a++)
	{
		if ((mask >> a & 1) == 0)
			continue;
		local |= (inner >> a & 1) << *n;
		out[(*n)++] = levels[a];
	}
	return local;
}

/* Sets table[mask] to the margin of a given table, as proportions. */
static DpStatus
take_margin(DpStepUp *step_up, const DpNoisyTable *given, uint32_t mask)
{
	uint64_t cells = dp_joint_set_cells(step_up->levels, mask);
	double *out = dp_alloc(step_up->arena, cells, sizeof(*out));
	uint32_t levels[DP_STEP_UP_ATTRIBUTES_MAX], n, local;
	double sum = 0;

	if (out == NULL)
		return DP_ERR_MEMORY;
	local = within(step_up->levels, given->mask, mask, levels, &n);
	dp_joint_project(levels, n, given->value, local, out);
	for (uint64_t i = 0; i < cells; i++)
		sum += out[i];
	for (uint64_t i = 0; i < cells && fabs(sum) > SUM_MIN; i++)
		out[i] /= sum;
	step_up->table[mask] = out;
	return DP_OK;
}

static DpStatus
take_uniform(DpStepUp *step_up, uint32_t mask)
{
	uint64_t cells = dp_joint_set_cells(step_up->levels, mask);
	double *out = dp_alloc(step_up->arena, cells, sizeof(*out));

	if (out == NULL)
		return DP_ERR_MEMORY;
	for (uint64_t i = 0; i < cells; i++)
		out[i] = 1 / (double) cells;
	step_up->table[mask] = out;
	return DP_OK;
}

/*
 * The paper draws the target at random. Here the randomness comes from the noisy tables themselves,
 * so that a release means the same distribution whenever rows are drawn from it.
 */
static uint64_t
random_state(const DpNoisyTables *given)
{
	uint64_t state = 0;

	for (uint32_t t = 0; t < given->tables; t++)
		state ^= dp_bytes_digest((const unsigned char *) given->table[t].value,
								 given->table[t].cells * sizeof(*given->table[t].value)) +
				 t;
	return state;
}

static uint32_t
choose_target(uint32_t mask, uint64_t state)
{
	uint32_t n = (uint32_t) __builtin_popcount(mask);
	uint32_t a = 0, pick;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){state, mask, 0});
	pick = (uint32_t) dp_prng_below(&prng, n);

	for (;; a++)
	{
		if ((mask >> a & 1) && pick-- == 0)
			return a;
	}
}

static DpStatus
climb(DpStepUp *step_up, const DpNoisyTables *given)
{
	uint32_t end = UINT32_C(1) << step_up->attributes;
	uint64_t state = random_state(given);

	for (uint32_t size = 1; size <= step_up->attributes; size++)
	{
		dp_tick(step_up->tick, (double) (size - 1) / step_up->attributes);
		for (uint32_t mask = 1; mask < end; mask++)
		{
			const DpNoisyTable *holder;

			if ((uint32_t) __builtin_popcount(mask) != size)
				continue;
			holder = smallest_holder(given, mask);
			if (holder != NULL)
				DP_TRY(take_margin(step_up, holder, mask));
			else if (size == 1)
				DP_TRY(take_uniform(step_up, mask));
			else
				DP_TRY(dp_step_up_one(step_up, mask, choose_target(mask, state)));
		}
	}
	return DP_OK;
}

DpStatus
dp_step_up_joint(const DpNoisyTables *given, DpStepUpRule rule, double *out, const DpTick *tick,
				 DpArena *arena)
{
	DpStepUp step_up = {.levels = given->levels,
						.attributes = given->attributes,
						.lambda = rule.lambda,
						.centred = rule.centred,
						.arena = arena,
						.tick = tick};
	uint32_t n;
	uint64_t cells;

	if (given->attributes < 1 || given->attributes > DP_STEP_UP_ATTRIBUTES_MAX)
		return DP_ERR_LIMIT;
	n = UINT32_C(1) << given->attributes;
	step_up.table = dp_alloc(arena, n, sizeof(*step_up.table));
	if (step_up.table == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(climb(&step_up, given));
	cells = dp_joint_set_cells(given->levels, n - 1);
	memcpy(out, step_up.table[n - 1], cells * sizeof(*out));
	dp_clip_normalise(out, cells);
	for (uint32_t mask = 1; mask < n; mask++)
		dp_free(arena, step_up.table[mask], dp_joint_set_cells(given->levels, mask),
				sizeof(double));
	dp_free(arena, step_up.table, n, sizeof(*step_up.table));
	return DP_OK;
}
