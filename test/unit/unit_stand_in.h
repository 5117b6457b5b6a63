/*
 * unit_stand_in.h -- stand-ins for the mechanisms: what they give back depends on a seed, on how
 * many calls there were before, and on nothing that they are handed.
 *
 * A test that the Makefile links with --wrap of MECHANISMS runs whole releases with them. Each call
 * is logged, with what is public of it and what is secret. What a method spends by any other means
 * is missing in stand_in.charged, so that a new mechanism cannot be forgotten here.
 */
#ifndef UNIT_STAND_IN_H
#define UNIT_STAND_IN_H

#include "core/mechanism/disjoint.h"
#include "core/mechanism/mechanism.h"
#include "core/mechanism/perturbed.h"
#include "core/mechanism/privtree.h"
#include "core/mechanism/sparse_histogram.h"

#include "unit.h"

typedef enum StandInKind
{
	STAND_IN_LAPLACE,
	STAND_IN_GAUSSIAN,
	STAND_IN_SELECT,
	STAND_IN_DISJOINT,
	STAND_IN_STABILITY,
	STAND_IN_SPARSE,
	STAND_IN_TREE,
	STAND_IN_DRAW,
	STAND_IN_KINDS,
	STAND_IN_SHOWN = STAND_IN_KINDS /* no mechanism: a stage, or progress, that the caller sees */
} StandInKind;

#define STAND_IN_PUBLIC 5

typedef struct StandInCall
{
	StandInKind kind;
	DpBudget cost;
	int64_t sensitivity;            /* as it was paid for; of a draw, nano-epsilon of its block */
	int64_t known[STAND_IN_PUBLIC]; /* whatever else is public: sizes, rules, a block's number */
	uint64_t n;
	const int64_t *value;   /* [n] SECRET */
	const uint64_t *index;  /* [n] SECRET: cells of a sparse histogram */
	double log_probability; /* SECRET: of the value that a draw gives back */
} StandInCall;

typedef struct StandIns
{
	uint64_t seed;
	int64_t width; /* noisy counts are in -width/8 .. 7 width/8 */
	bool silent;   /* no cell of a stability histogram reaches its threshold */
	DpArena *arena;
	size_t calls, capacity;
	StandInCall *call;
	DpBudget charged;
} StandIns;

static StandIns stand_in;

static inline StandInCall *
stand_in_log(StandInKind kind)
{
	StandInCall *call;

	if (stand_in.calls == stand_in.capacity)
	{
		size_t more = 2 * stand_in.capacity + 64;
		StandInCall *moved = dp_alloc(stand_in.arena, more, sizeof(*moved));

		if (stand_in.calls > 0)
			memcpy(moved, stand_in.call, stand_in.calls * sizeof(*moved));
		dp_free(stand_in.arena, stand_in.call, stand_in.capacity, sizeof(*moved));
		stand_in.call = moved;
		stand_in.capacity = more;
	}
	call = &stand_in.call[stand_in.calls++];
	call->kind = kind;
	return call;
}

/* Pays as the mechanism would, and logs what it was handed. */
static inline DpStatus
stand_in_call(const DpNoiseSource *noise, const StandInCall *given)
{
	StandInCall *call = stand_in_log(given->kind);

	*call = *given;
	if (given->n > 0)
		call->value = dp_memdup(stand_in.arena, given->value, given->n * sizeof(*given->value));
	if (given->n > 0 && given->index != NULL)
		call->index = dp_memdup(stand_in.arena, given->index, given->n * sizeof(*given->index));
	DP_TRY(dp_meter_charge(noise->meter, given->cost));
	return dp_budget_add(stand_in.charged, given->cost, &stand_in.charged);
}

/* The numbers that the call which was logged last gives back. */
static inline DpPrng
stand_in_numbers(void)
{
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){stand_in.seed, stand_in.calls, 0});
	return prng;
}

static inline void
stand_in_counts(size_t n, int64_t *out)
{
	DpPrng prng = stand_in_numbers();

	for (size_t i = 0; i < n; i++)
		out[i] = (int64_t) dp_prng_below(&prng, (uint64_t) stand_in.width) - stand_in.width / 8;
}

/* ---- the mechanisms, as the linker has them called ---- */

extern DpStatus __real_dp_laplace_release(const DpNoiseSource *noise, DpLaplace distribution,
										  const int64_t *counts, size_t n, int64_t *out);
extern DpStatus __real_dp_gaussian_release(const DpNoiseSource *noise, DpGaussian distribution,
										   const int64_t *counts, size_t n, int64_t *out);
extern DpStatus __real_dp_select(const DpNoiseSource *noise, const DpScores *scores,
								 int64_t epsilon_nano, size_t *chosen);
extern DpStatus __real_dp_select_concentrated(const DpNoiseSource *noise, const DpScores *scores,
											  int64_t rho_pico, size_t *chosen);
extern DpStatus __real_dp_select_allowed(const DpNoiseSource *noise, const DpScores *scores,
										 const DpAllowed *allowed, int64_t rho_pico,
										 size_t *chosen);
extern DpStatus __real_dp_perturbed_begin(DpPerturbed *perturbed);
extern DpStatus __wrap_dp_laplace_release(const DpNoiseSource *noise, DpLaplace distribution,
										  const int64_t *counts, size_t n, int64_t *out);
extern DpStatus __wrap_dp_gaussian_release(const DpNoiseSource *noise, DpGaussian distribution,
										   const int64_t *counts, size_t n, int64_t *out);
extern DpStatus __wrap_dp_select(const DpNoiseSource *noise, const DpScores *scores,
								 int64_t epsilon_nano, size_t *chosen);
extern DpStatus __wrap_dp_select_concentrated(const DpNoiseSource *noise, const DpScores *scores,
											  int64_t rho_pico, size_t *chosen);
extern DpStatus __wrap_dp_select_allowed(const DpNoiseSource *noise, const DpScores *scores,
										 const DpAllowed *allowed, int64_t rho_pico,
										 size_t *chosen);
extern DpStatus __wrap_dp_select_disjoint(const DpNoiseSource *noise,
										  const DpDisjointScores *scores, int64_t epsilon_nano,
										  DpUnit unit, uint32_t *chosen);
extern DpStatus __wrap_dp_select_disjoint_concentrated(const DpNoiseSource *noise,
													   const DpDisjointScores *scores,
													   int64_t rho_pico, DpUnit unit,
													   uint32_t *chosen);
extern DpStatus __wrap_dp_stability_release(const DpNoiseSource *noise, const DpStability *goal,
											const int64_t *counts, size_t n, int64_t *noisy,
											int64_t *threshold_rows);
extern DpStatus __wrap_dp_sparse_histogram_release(const DpNoiseSource *noise,
												   const DpSparseRule *rule,
												   const DpOccupiedCells *occupied,
												   DpSparseCells *out, DpArena *arena);
extern DpStatus __wrap_dp_privtree_release(const DpNoiseSource *noise, const DpPrivTree *goal,
										   const DpPublicTree *tree, const int64_t *counts,
										   uint32_t *leaf, uint32_t *leaves, DpArena *arena);
extern DpStatus __wrap_dp_perturbed_begin(DpPerturbed *perturbed);
extern DpStatus __wrap_dp_perturbed_draw(DpPerturbed *perturbed, DpHistogram *counts,
										 uint32_t *code);

/* Without a source of bytes it is a plan that rehearses: that is left to the mechanism. */
DpStatus
__wrap_dp_laplace_release(const DpNoiseSource *noise, DpLaplace distribution, const int64_t *counts,
						  size_t n, int64_t *out)
{
	if (noise->rng == NULL)
		return __real_dp_laplace_release(noise, distribution, counts, n, out);
	DP_TRY(stand_in_call(noise, &(StandInCall){.kind = STAND_IN_LAPLACE,
											   .cost = dp_cost_pure(distribution.epsilon_nano),
											   .sensitivity = distribution.sensitivity_l1,
											   .known = {(int64_t) n},
											   .n = n,
											   .value = counts}));
	stand_in_counts(n, out);
	return DP_OK;
}

DpStatus
__wrap_dp_gaussian_release(const DpNoiseSource *noise, DpGaussian distribution,
						   const int64_t *counts, size_t n, int64_t *out)
{
	if (noise->rng == NULL)
		return __real_dp_gaussian_release(noise, distribution, counts, n, out);
	DP_TRY(stand_in_call(noise, &(StandInCall){.kind = STAND_IN_GAUSSIAN,
											   .cost = dp_cost_concentrated(distribution.rho_pico),
											   .sensitivity = distribution.sensitivity_l2_squared,
											   .known = {(int64_t) n},
											   .n = n,
											   .value = counts}));
	stand_in_counts(n, out);
	return DP_OK;
}

static DpStatus
stand_in_select(const DpNoiseSource *noise, const DpScores *scores, DpBudget cost, size_t *chosen)
{
	DpPrng prng;

	DP_TRY(stand_in_call(noise, &(StandInCall){.kind = STAND_IN_SELECT,
											   .cost = cost,
											   .sensitivity = scores->sensitivity,
											   .known = {(int64_t) scores->n},
											   .n = scores->n,
											   .value = scores->score}));
	prng = stand_in_numbers();
	*chosen = (size_t) dp_prng_below(&prng, scores->n);
	return DP_OK;
}

DpStatus
__wrap_dp_select(const DpNoiseSource *noise, const DpScores *scores, int64_t epsilon_nano,
				 size_t *chosen)
{
	if (noise->rng == NULL)
		return __real_dp_select(noise, scores, epsilon_nano, chosen);
	return stand_in_select(noise, scores, dp_cost_pure(epsilon_nano), chosen);
}

DpStatus
__wrap_dp_select_concentrated(const DpNoiseSource *noise, const DpScores *scores, int64_t rho_pico,
							  size_t *chosen)
{
	if (noise->rng == NULL)
		return __real_dp_select_concentrated(noise, scores, rho_pico, chosen);
	return stand_in_select(noise, scores, dp_cost_concentrated(rho_pico), chosen);
}

/* The first that passes from a candidate on that the seed chooses. */
DpStatus
__wrap_dp_select_allowed(const DpNoiseSource *noise, const DpScores *scores,
						 const DpAllowed *allowed, int64_t rho_pico, size_t *chosen)
{
	size_t first;

	if (noise->rng == NULL)
		return __real_dp_select_allowed(noise, scores, allowed, rho_pico, chosen);
	DP_TRY(stand_in_select(noise, scores, dp_cost_concentrated(rho_pico), &first));
	*chosen = scores->n;
	for (size_t i = 0; i < scores->n && *chosen == scores->n; i++)
		if (allowed->test(allowed->context, (first + i) % scores->n))
			*chosen = (first + i) % scores->n;
	return DP_OK;
}

static DpStatus
stand_in_disjoint(const DpNoiseSource *noise, const DpDisjointScores *scores, DpBudget cost,
				  DpUnit unit, uint32_t *chosen)
{
	DpPrng prng;

	DP_TRY(stand_in_call(noise,
						 &(StandInCall){.kind = STAND_IN_DISJOINT,
										.cost = cost,
										.sensitivity = scores->row_sensitivity,
										.known = {(int64_t) scores->groups,
												  (int64_t) scores->candidates, dp_unit_l1(&unit)},
										.n = scores->groups * scores->candidates,
										.value = scores->score}));
	prng = stand_in_numbers();
	for (uint64_t g = 0; g < scores->groups; g++)
		chosen[g] = (uint32_t) dp_prng_below(&prng, scores->candidates);
	return DP_OK;
}

DpStatus
__wrap_dp_select_disjoint(const DpNoiseSource *noise, const DpDisjointScores *scores,
						  int64_t epsilon_nano, DpUnit unit, uint32_t *chosen)
{
	return stand_in_disjoint(noise, scores, dp_cost_pure(epsilon_nano), unit, chosen);
}

DpStatus
__wrap_dp_select_disjoint_concentrated(const DpNoiseSource *noise, const DpDisjointScores *scores,
									   int64_t rho_pico, DpUnit unit, uint32_t *chosen)
{
	return stand_in_disjoint(noise, scores, dp_cost_concentrated(rho_pico), unit, chosen);
}

/* Which cells there are is secret: so only tables that fill the same ones may hear of any. */
DpStatus
__wrap_dp_stability_release(const DpNoiseSource *noise, const DpStability *goal,
							const int64_t *counts, size_t n, int64_t *noisy,
							int64_t *threshold_rows)
{
	DpBudget budget = goal->budget;
	DpPrng prng;

	DP_TRY(dp_stability_threshold(goal, threshold_rows));
	DP_TRY(stand_in_call(noise, &(StandInCall){.kind = STAND_IN_STABILITY,
											   .cost = dp_cost_approximate(budget),
											   .sensitivity = dp_unit_l1(&goal->unit),
											   .n = n,
											   .value = counts}));
	prng = stand_in_numbers();
	for (size_t i = 0; i < n; i++)
	{
		bool heard = !stand_in.silent && dp_prng_below(&prng, 4) > 0;

		noisy[i] = heard ? *threshold_rows + (int64_t) dp_prng_below(&prng, 40) : 0;
	}
	return DP_OK;
}

DpStatus
__wrap_dp_sparse_histogram_release(const DpNoiseSource *noise, const DpSparseRule *rule,
								   const DpOccupiedCells *occupied, DpSparseCells *out,
								   DpArena *arena)
{
	enum
	{
		RELEASED_MAX = 20
	};
	uint64_t next = 0;
	DpPrng prng;

	DP_TRY(stand_in_call(
		noise, &(StandInCall){.kind = STAND_IN_SPARSE,
							  .cost = dp_cost_pure(rule->histogram.epsilon_nano),
							  .sensitivity = dp_unit_l1(&rule->histogram.unit),
							  .known = {(int64_t) rule->histogram.cells, rule->threshold_rows,
										(int64_t) rule->gap_numerator, rule->thinning_bits},
							  .n = occupied->n,
							  .value = occupied->count,
							  .index = occupied->index}));
	prng = stand_in_numbers();
	*out = (DpSparseCells){.capacity = RELEASED_MAX,
						   .index = dp_alloc(arena, RELEASED_MAX, sizeof(*out->index)),
						   .value = dp_alloc(arena, RELEASED_MAX, sizeof(*out->value))};
	if (out->index == NULL || out->value == NULL)
		return DP_ERR_MEMORY;
	while (out->n < RELEASED_MAX)
	{
		next += dp_prng_below(&prng, 5);
		if (next >= rule->histogram.cells)
			break;
		out->index[out->n] = next++;
		out->value[out->n++] = rule->threshold_rows + (int64_t) dp_prng_below(&prng, 30);
	}
	return DP_OK;
}

static void
stand_in_leaves(const DpPublicTree *tree, DpPrng *prng, uint32_t low, uint32_t high, uint32_t *leaf,
				uint32_t *leaves)
{
	uint32_t middle;

	if (high - low < 2 || dp_prng_below(prng, 3) == 0)
	{
		leaf[(*leaves)++] = low;
		return;
	}
	middle = tree->split(tree->context, low, high);
	stand_in_leaves(tree, prng, low, middle, leaf, leaves);
	stand_in_leaves(tree, prng, middle, high, leaf, leaves);
}

/* The sensitivity is what a unit can take of the sum over paths, in 1/28:
 * docs/methods/ranges.md. */
DpStatus
__wrap_dp_privtree_release(const DpNoiseSource *noise, const DpPrivTree *goal,
						   const DpPublicTree *tree, const int64_t *counts, uint32_t *leaf,
						   uint32_t *leaves, DpArena *arena)
{
	int64_t path = goal->unit.neighbours == DP_REPLACE_ONE ? 101 : 73;
	DpPrivTreeRule rule;
	DpPrng prng;

	(void) arena;
	DP_TRY(dp_privtree_rule(goal, &rule));
	DP_TRY(stand_in_call(noise, &(StandInCall){.kind = STAND_IN_TREE,
											   .cost = dp_privtree_cost(goal),
											   .sensitivity = path * goal->unit.rows_max,
											   .known = {tree->cells, rule.level_rows,
														 (int64_t) rule.noise_numerator,
														 (int64_t) rule.noise_denominator},
											   .n = tree->cells,
											   .value = counts}));
	prng = stand_in_numbers();
	*leaves = 0;
	stand_in_leaves(tree, &prng, 0, tree->cells, leaf, leaves);
	return DP_OK;
}

DpStatus
__wrap_dp_perturbed_begin(DpPerturbed *perturbed)
{
	DP_TRY(__real_dp_perturbed_begin(perturbed));
	return dp_budget_add(stand_in.charged, dp_cost_pure(perturbed->terms.epsilon_nano),
						 &stand_in.charged);
}

/* ln P[code], by the distribution that perturbed.h states. */
static inline double
stand_in_draw_distribution(const DpPerturbed *perturbed, const DpHistogram *counts, uint32_t code)
{
	const DpPerturbedTerms *terms = &perturbed->terms;
	double alpha = (double) perturbed->alpha.base / (double) perturbed->alpha.unit;
	double rows = 1, count = 0;

	if (terms->kind == DP_PERTURBED_FITTED)
		rows = 1 / (double) perturbed->alpha.unit;
	else if (terms->rows > 1 && counts->visited == perturbed->block)
		rows = 0;
	for (uint64_t i = 0; i < counts->n; i++)
		if (counts->code[i] == code)
			count = (double) counts->count[i];
	return log((rows * count + alpha) / (rows * (double) counts->total + alpha * counts->levels));
}

DpStatus
__wrap_dp_perturbed_draw(DpPerturbed *perturbed, DpHistogram *counts, uint32_t *code)
{
	StandInCall *call = stand_in_log(STAND_IN_DRAW);
	DpPrng prng = stand_in_numbers();

	if (perturbed->draws_left == 0)
		return DP_ERR_OVERDRAW;
	perturbed->draws_left--;
	*code = (uint32_t) dp_prng_below(&prng, counts->levels);
	call->sensitivity = perturbed->terms.epsilon_nano;
	call->known[0] = counts->levels;
	call->known[1] = (int64_t) perturbed->alpha.base;
	call->known[2] = (int64_t) perturbed->alpha.unit;
	call->known[3] = (int64_t) perturbed->block;
	call->log_probability = stand_in_draw_distribution(perturbed, counts, *code);
	counts->visited = perturbed->block;
	return DP_OK;
}

#endif
