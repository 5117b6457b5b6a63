/*
 * lifting_joint.c -- from given tables over any sets to the joint table of all attributes, one
 * size of sets after the other.
 *
 * A set that lies in a given table is a margin of the smallest such table. An attribute in no table
 * is uniform. Every other set is solved for (lifting.c). Negative cells and the sum are corrected
 * once, at the end.
 */
#include <math.h>
#include <string.h>

#include "core/base/prng.h"
#include "core/base/saturate.h"
#include "core/domain/domain_bytes.h"
#include "core/estimate/joint.h"
#include "core/estimate/lifting.h"

#define SUM_MIN 1e-9 /* the least sum of a table that is normalised */

uint64_t
dp_lifting_cells(const uint32_t *levels, uint32_t attributes)
{
	uint64_t cells = 1;

	for (uint32_t a = 0; a < attributes; a++)
		cells = dp_multiply_saturated(cells, (uint64_t) levels[a] + 1);
	return cells - 1;
}

/* All tables; and for the largest table the weights of each axis, right sides, solution and
 * gradients. */
uint64_t
dp_lifting_memory(const uint32_t *levels, uint32_t attributes)
{
	uint32_t all = UINT32_MAX >> (32 - attributes);
	uint64_t joint = dp_joint_set_cells(levels, all);
	uint64_t solving = dp_multiply_saturated(joint, attributes + 4);

	return dp_multiply_saturated(dp_add_saturated(dp_lifting_cells(levels, attributes), solving),
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
take_margin(DpLifting *lifting, const DpNoisyTable *given, uint32_t mask)
{
	uint64_t cells = dp_joint_set_cells(lifting->levels, mask);
	double *out = dp_alloc(lifting->arena, cells, sizeof(*out));
	uint32_t levels[DP_LIFTING_ATTRIBUTES_MAX], n, local;
	double sum = 0;

	DP_TRY_ALLOC(out);
	local = within(lifting->levels, given->mask, mask, levels, &n);
	dp_joint_project(levels, n, given->value, local, out);
	for (uint64_t i = 0; i < cells; i++)
		sum += out[i];
	for (uint64_t i = 0; i < cells && fabs(sum) > SUM_MIN; i++)
		out[i] /= sum;
	lifting->table[mask] = out;
	return DP_OK;
}

static DpStatus
take_uniform(DpLifting *lifting, uint32_t mask)
{
	uint64_t cells = dp_joint_set_cells(lifting->levels, mask);
	double *out = dp_alloc(lifting->arena, cells, sizeof(*out));

	DP_TRY_ALLOC(out);
	for (uint64_t i = 0; i < cells; i++)
		out[i] = 1 / (double) cells;
	lifting->table[mask] = out;
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
climb(DpLifting *lifting, const DpNoisyTables *given)
{
	uint32_t end = UINT32_C(1) << lifting->attributes;
	uint64_t state = random_state(given);

	for (uint32_t size = 1; size <= lifting->attributes; size++)
	{
		dp_tick(lifting->tick, (double) (size - 1) / lifting->attributes);
		for (uint32_t mask = 1; mask < end; mask++)
		{
			const DpNoisyTable *holder;

			if ((uint32_t) __builtin_popcount(mask) != size)
				continue;
			holder = smallest_holder(given, mask);
			if (holder != NULL)
				DP_TRY(take_margin(lifting, holder, mask));
			else if (size == 1)
				DP_TRY(take_uniform(lifting, mask));
			else
				DP_TRY(dp_lifting_one(lifting, mask, choose_target(mask, state)));
		}
	}
	return DP_OK;
}

DpStatus
dp_lifting_joint(const DpNoisyTables *given, DpLiftingRule rule, double *out, const DpTick *tick,
				 DpArena *arena)
{
	DpLifting lifting = {.levels = given->levels,
						 .attributes = given->attributes,
						 .lambda = rule.lambda,
						 .centred = rule.centred,
						 .arena = arena,
						 .tick = tick};
	uint32_t n;
	uint64_t cells;

	if (given->attributes < 1 || given->attributes > DP_LIFTING_ATTRIBUTES_MAX)
		return DP_ERR_LIMIT;
	n = UINT32_C(1) << given->attributes;
	lifting.table = dp_alloc(arena, n, sizeof(*lifting.table));
	DP_TRY_ALLOC(lifting.table);
	DP_TRY(climb(&lifting, given));
	cells = dp_joint_set_cells(given->levels, n - 1);
	memcpy(out, lifting.table[n - 1], cells * sizeof(*out));
	dp_clip_normalise(out, cells);
	for (uint32_t mask = 1; mask < n; mask++)
		dp_free(arena, lifting.table[mask], dp_joint_set_cells(given->levels, mask),
				sizeof(double));
	dp_free(arena, lifting.table, n, sizeof(*lifting.table));
	return DP_OK;
}
