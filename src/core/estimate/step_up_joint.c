/*
 * step_up_joint.c -- from given tables over any sets to the joint table of all
 * attributes, one size of sets after the other.
 *
 * A set that lies in a given table is a margin of the smallest such table; an attribute in
 * none is uniform; every other set is solved for (step_up.c). Negative cells and the sum are
 * put right once, at the end.
 */
#include "step_up.h"

#include <math.h>
#include <string.h>

#include "bytes.h"
#include "joint.h"
#include "rng.h"
#include "saturate.h"

#define SUM_MIN 1e-9 /* of a table that is normalised */

uint64_t
dp_step_up_cells(const uint32_t *levels, uint32_t attributes)
{
	uint64_t cells = 1;

	for (uint32_t a = 0; a < attributes; a++)
		cells = dp_multiply_saturated(cells, (uint64_t) levels[a] + 1);
	return cells - 1;
}

/* All tables; of the largest the weights of each axis, right sides, solution and gradients. */
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
smallest_holder(const DpNoisyTable *given, uint32_t tables, uint32_t mask)
{
	const DpNoisyTable *best = NULL;

	for (uint32_t t = 0; t < tables; t++)
	{
		if ((mask & ~given[t].mask) == 0 && (best == NULL || given[t].cells < best->cells))
			best = &given[t];
	}
	return best;
}

/* levels of only the attributes of mask, for dp_joint_project; and the bits of inner among them */
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

/* The margin of a given table, as proportions. */
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
 * The paper draws the target at random: here too, but from the noisy tables themselves, so that a
 * release means the same distribution whenever it is drawn from.
 */
static uint64_t
random_state(const DpNoisyTable *given, uint32_t tables)
{
	uint64_t state = 0;

	for (uint32_t t = 0; t < tables; t++)
		state ^= dp_bytes_digest((const unsigned char *) given[t].value,
								 given[t].cells * sizeof(*given[t].value)) +
				 t;
	return state;
}

static uint32_t
choose_target(uint32_t mask, uint64_t state)
{
	uint32_t n = (uint32_t) __builtin_popcount(mask);
	uint32_t a = 0, pick;
	DpPrng prng;

	dp_prng_seed(&prng, state, mask, 0);
	pick = (uint32_t) dp_prng_below(&prng, n);

	for (;; a++)
	{
		if ((mask >> a & 1) && pick-- == 0)
			return a;
	}
}

static DpStatus
climb(DpStepUp *step_up, const DpNoisyTable *given, uint32_t tables)
{
	uint32_t end = UINT32_C(1) << step_up->attributes;
	uint64_t state = random_state(given, tables);

	for (uint32_t size = 1; size <= step_up->attributes; size++)
	{
		dp_tick(step_up->tick, (double) (size - 1) / step_up->attributes);
		for (uint32_t mask = 1; mask < end; mask++)
		{
			const DpNoisyTable *holder;

			if ((uint32_t) __builtin_popcount(mask) != size)
				continue;
			holder = smallest_holder(given, tables, mask);
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
dp_step_up_joint(const uint32_t *levels, uint32_t attributes, const DpNoisyTable *given,
				 uint32_t tables, double lambda, bool centred, DpArena *arena, const DpTick *tick,
				 double *out)
{
	DpStepUp step_up = {.levels = levels,
						.attributes = attributes,
						.lambda = lambda,
						.centred = centred,
						.arena = arena,
						.tick = tick};
	uint32_t n;
	uint64_t cells;

	if (attributes < 1 || attributes > DP_STEP_UP_ATTRIBUTES_MAX)
		return DP_ERR_LIMIT;
	n = UINT32_C(1) << attributes;
	step_up.table = dp_alloc(arena, n, sizeof(*step_up.table));
	if (step_up.table == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(climb(&step_up, given, tables));
	cells = dp_joint_set_cells(levels, n - 1);
	memcpy(out, step_up.table[n - 1], cells * sizeof(*out));
	dp_clip_normalise(out, cells);
	for (uint32_t mask = 1; mask < n; mask++)
		dp_free(arena, step_up.table[mask], dp_joint_set_cells(levels, mask), sizeof(double));
	dp_free(arena, step_up.table, n, sizeof(*step_up.table));
	return DP_OK;
}
