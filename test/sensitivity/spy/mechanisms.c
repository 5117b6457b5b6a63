/*
 * mechanisms.c -- each mechanism of src/core/mechanism, wrapped.
 *
 * The linker sends every call of dp_NAME from another file to __wrap_dp_NAME, and __real_dp_NAME is
 * the mechanism itself (ld --wrap). A wrapper writes down what the mechanism is handed and what it
 * is charged, lets it work, with random bytes of its own, and records what came out or puts in its
 * place what came out of the other database. A mechanism that another one calls is a part of it.
 *
 * A call that can draw nothing (noise->rng is NULL) rehearses a plan, which looks at no data.
 *
 * test/sensitivity/wrapped.py fails if a function that charges a meter or draws noise is not here.
 */
#include "pg/server/compat.h"

#include "core/mechanism/disjoint.h"
#include "core/mechanism/mechanism.h"
#include "core/mechanism/perturbed.h"
#include "core/mechanism/privtree.h"
#include "core/mechanism/sparse_histogram.h"

#include "spy.h"

/* Declares the mechanism and its wrapper, and begins the wrapper. */
#define WRAPPED(name, parameters)                                                                  \
	extern DpStatus __real_##name parameters;                                                      \
	extern DpStatus __wrap_##name parameters;                                                      \
	DpStatus __wrap_##name parameters

static int depth; /* mechanisms that are at work */
static DpRng random_of_mechanisms;

/* ---- what all wrappers do ---- */

/* One call: the source that the mechanism gets, and what the meter had spent before. */
typedef struct Watched
{
	DpNoiseSource noise;
	DpBudget spent;
} Watched;

static bool
is_watched(const DpNoiseSource *noise)
{
	return depth == 0 && noise->rng != NULL && dp_spy_mode() != SPY_OFF;
}

/* The line of the call is written by now, but for its cost. */
static Watched
start(const DpNoiseSource *noise)
{
	Watched watched = {.noise = *noise, .spent = noise->meter->spent};

	dp_rng_init(&random_of_mechanisms, dp_spy_fill, &dp_spy_stream_mechanisms);
	watched.noise.rng = &random_of_mechanisms;
	depth++;
	return watched;
}

/* Writes what the call was charged, and whether it was the first that its meter had to pay for. */
static DpStatus
finish(const Watched *watched, DpStatus status)
{
	const DpBudget spent = watched->noise.meter->spent;

	depth--;
	dp_spy_end();
	dp_spy_begin("paid");
	dp_spy_number("epsilon", spent.epsilon_nano - watched->spent.epsilon_nano);
	dp_spy_number("delta", spent.delta_atto - watched->spent.delta_atto);
	dp_spy_number("rho", spent.rho_pico - watched->spent.rho_pico);
	dp_spy_number("first", watched->spent.epsilon_nano == 0 && watched->spent.delta_atto == 0 &&
							   watched->spent.rho_pico == 0);
	dp_spy_number("status", status);
	dp_spy_end();
	return status;
}

static void
write_unit(const DpUnit *unit)
{
	dp_spy_number("rows", unit->rows_max);
	dp_spy_number("replace", unit->neighbours == DP_REPLACE_ONE);
}

/* A mechanism that rehearses, or that another one calls. */
#define PASS(call)                                                                                 \
	do                                                                                             \
	{                                                                                              \
		DpStatus passed_;                                                                          \
		depth++;                                                                                   \
		passed_ = (call);                                                                          \
		depth--;                                                                                   \
		return passed_;                                                                            \
	} while (0)

/* ---- noise on vectors ---- */

WRAPPED(dp_laplace_release,
		(const DpNoiseSource *noise, DpLaplace law, const int64_t *counts, size_t n, int64_t *out))
{
	Watched watched;

	if (!is_watched(noise))
		PASS(__real_dp_laplace_release(noise, law, counts, n, out));
	dp_spy_begin("laplace");
	dp_spy_number("n", (int64_t) n);
	dp_spy_number("epsilon", law.epsilon_nano);
	dp_spy_number("sensitivity", law.sensitivity_l1);
	dp_spy_vector(counts, n);
	watched = start(noise);
	DP_TRY(finish(&watched, __real_dp_laplace_release(&watched.noise, law, counts, n, out)));
	dp_spy_output("lap", out, n * sizeof(*out));
	return DP_OK;
}

WRAPPED(dp_gaussian_release,
		(const DpNoiseSource *noise, DpGaussian law, const int64_t *counts, size_t n, int64_t *out))
{
	Watched watched;

	if (!is_watched(noise))
		PASS(__real_dp_gaussian_release(noise, law, counts, n, out));
	dp_spy_begin("gaussian");
	dp_spy_number("n", (int64_t) n);
	dp_spy_number("rho", law.rho_pico);
	dp_spy_number("sensitivity", law.sensitivity_l2_squared);
	dp_spy_vector(counts, n);
	watched = start(noise);
	DP_TRY(finish(&watched, __real_dp_gaussian_release(&watched.noise, law, counts, n, out)));
	dp_spy_output("gau", out, n * sizeof(*out));
	return DP_OK;
}

/* ---- choices ---- */

static void
write_scores(const char *kind, const DpScores *scores, const char *currency, int64_t amount)
{
	dp_spy_begin(kind);
	dp_spy_number("n", (int64_t) scores->n);
	dp_spy_number(currency, amount);
	dp_spy_number("sensitivity", scores->sensitivity);
	dp_spy_vector(scores->score, scores->n);
}

WRAPPED(dp_select,
		(const DpNoiseSource *noise, const DpScores *scores, int64_t epsilon_nano, size_t *chosen))
{
	Watched watched;

	if (!is_watched(noise))
		PASS(__real_dp_select(noise, scores, epsilon_nano, chosen));
	write_scores("flip", scores, "epsilon", epsilon_nano);
	watched = start(noise);
	DP_TRY(finish(&watched, __real_dp_select(&watched.noise, scores, epsilon_nano, chosen)));
	dp_spy_output("fli", chosen, sizeof(*chosen));
	return DP_OK;
}

WRAPPED(dp_select_concentrated,
		(const DpNoiseSource *noise, const DpScores *scores, int64_t rho_pico, size_t *chosen))
{
	Watched watched;

	if (!is_watched(noise))
		PASS(__real_dp_select_concentrated(noise, scores, rho_pico, chosen));
	write_scores("exponential", scores, "rho", rho_pico);
	watched = start(noise);
	DP_TRY(
		finish(&watched, __real_dp_select_concentrated(&watched.noise, scores, rho_pico, chosen)));
	dp_spy_output("exp", chosen, sizeof(*chosen));
	return DP_OK;
}

/* Which candidates pass the test decides what the choice is from, so it must be public. */
static void
write_allowed(const DpScores *scores, const DpAllowed *allowed)
{
	dp_spy_end();
	dp_spy_begin("allowed");
	dp_spy_number("n", (int64_t) scores->n);
	dp_spy_places();
	for (size_t i = 0; i < scores->n; i++)
		dp_spy_place(i, allowed->test(allowed->context, i));
}

WRAPPED(dp_select_allowed, (const DpNoiseSource *noise, const DpScores *scores,
							const DpAllowed *allowed, int64_t rho_pico, size_t *chosen))
{
	Watched watched;

	if (!is_watched(noise))
		PASS(__real_dp_select_allowed(noise, scores, allowed, rho_pico, chosen));
	write_scores("exponential_allowed", scores, "rho", rho_pico);
	write_allowed(scores, allowed);
	watched = start(noise);
	DP_TRY(finish(&watched,
				  __real_dp_select_allowed(&watched.noise, scores, allowed, rho_pico, chosen)));
	dp_spy_output("all", chosen, sizeof(*chosen));
	return DP_OK;
}

static void
write_groups(const char *kind, const DpDisjointScores *scores, const char *currency, int64_t amount,
			 const DpUnit *unit)
{
	dp_spy_begin(kind);
	dp_spy_number("groups", (int64_t) scores->groups);
	dp_spy_number("candidates", (int64_t) scores->candidates);
	dp_spy_number(currency, amount);
	dp_spy_number("sensitivity", scores->row_sensitivity);
	write_unit(unit);
	dp_spy_vector(scores->score, scores->groups * scores->candidates);
}

WRAPPED(dp_select_disjoint, (const DpNoiseSource *noise, const DpDisjointScores *scores,
							 int64_t epsilon_nano, DpUnit unit, uint32_t *chosen))
{
	Watched watched;

	if (!is_watched(noise))
		PASS(__real_dp_select_disjoint(noise, scores, epsilon_nano, unit, chosen));
	write_groups("flip_disjoint", scores, "epsilon", epsilon_nano, &unit);
	watched = start(noise);
	DP_TRY(finish(&watched,
				  __real_dp_select_disjoint(&watched.noise, scores, epsilon_nano, unit, chosen)));
	dp_spy_output("dis", chosen, scores->groups * sizeof(*chosen));
	return DP_OK;
}

WRAPPED(dp_select_disjoint_concentrated,
		(const DpNoiseSource *noise, const DpDisjointScores *scores, int64_t rho_pico, DpUnit unit,
		 uint32_t *chosen))
{
	Watched watched;

	if (!is_watched(noise))
		PASS(__real_dp_select_disjoint_concentrated(noise, scores, rho_pico, unit, chosen));
	write_groups("exponential_disjoint", scores, "rho", rho_pico, &unit);
	watched = start(noise);
	DP_TRY(finish(&watched, __real_dp_select_disjoint_concentrated(&watched.noise, scores, rho_pico,
																   unit, chosen)));
	dp_spy_output("dic", chosen, scores->groups * sizeof(*chosen));
	return DP_OK;
}

/* ---- the stability histogram ---- */

/*
 * Its cells are those of the data, and a cell that shows must be in both databases. So what came
 * out is not taken: cells with more rows than one unit can have show, with their threshold or a
 * little more, and no others do. This is an output that either database can have.
 */
static void
show_large_cells(const DpStability *goal, const int64_t *counts, size_t n, int64_t threshold,
				 int64_t *noisy)
{
	for (size_t i = 0; i < n; i++)
	{
		noisy[i] = counts[i] > goal->unit.rows_max ? Max(counts[i], threshold) : 0;
		if (noisy[i] == 0)
			continue;
		dp_spy_put("sta", dp_spy_cell_name(counts, n, i), strlen(dp_spy_cell_name(counts, n, i)));
		dp_spy_put("val", &noisy[i], sizeof(noisy[i]));
	}
	dp_spy_put("end", NULL, 0);
}

static void
show_same_cells(const int64_t *counts, size_t n, int64_t *noisy)
{
	char *cell_name;
	size_t bytes;

	memset(noisy, 0, n * sizeof(*noisy));
	while ((cell_name = dp_spy_get("sta", &bytes)) != NULL)
	{
		bool found = false;
		int64_t value = 0;

		dp_spy_output("val", &value, sizeof(value));
		cell_name[bytes] = '\0';
		for (size_t i = 0; i < n && !found; i++)
		{
			found = strcmp(dp_spy_cell_name(counts, n, i), cell_name) == 0;
			if (found)
				noisy[i] = value;
		}
		if (!found)
			dp_spy_wrong("a cell with more rows than one unit has is gone");
		free(cell_name);
	}
	free(dp_spy_get("end", &bytes));
}

WRAPPED(dp_stability_release,
		(const DpNoiseSource *noise, const DpStability *goal, const int64_t *counts, size_t n,
		 int64_t *noisy, int64_t *threshold_rows))
{
	Watched watched;
	int64_t *exact;

	if (!is_watched(noise))
		PASS(__real_dp_stability_release(noise, goal, counts, n, noisy, threshold_rows));
	dp_spy_begin("stability");
	dp_spy_number("epsilon", goal->budget.epsilon_nano);
	dp_spy_number("delta", goal->budget.delta_atto);
	write_unit(&goal->unit);
	dp_spy_places();
	for (size_t i = 0; i < n; i++)
	{
		if (dp_spy_cell_name(counts, n, i) == NULL)
			elog(ERROR, "spy: nobody knows which cells these are");
		dp_spy_named(dp_spy_cell_name(counts, n, i), counts[i]);
	}
	exact = palloc(sizeof(*exact) * Max(n, 1)); /* noisy may be the same array */
	memcpy(exact, counts, sizeof(*exact) * n);
	watched = start(noise);
	DP_TRY(finish(&watched, __real_dp_stability_release(&watched.noise, goal, counts, n, exact,
														threshold_rows)));
	if (dp_spy_mode() == SPY_RECORD)
		show_large_cells(goal, counts, n, *threshold_rows, exact);
	else
		show_same_cells(counts, n, exact);
	memcpy(noisy, exact, sizeof(*exact) * n);
	pfree(exact);
	dp_spy_begin("threshold");
	dp_spy_number("rows", *threshold_rows);
	dp_spy_end();
	return DP_OK;
}

/* ---- trees of bins ---- */

#define LOOK_AT_LEVELS 8

/* Where the upper levels of a public tree split, in one number. */
static uint64_t
look_at_splits(const DpPublicTree *tree, uint32_t low, uint32_t high, int levels)
{
	uint32_t middle;

	if (high - low < 2 || levels == 0)
		return high;
	middle = tree->split(tree->context, low, high);
	return (middle + 31 * look_at_splits(tree, low, middle, levels - 1) +
			1009 * look_at_splits(tree, middle, high, levels - 1)) %
		   UINT64_C(1000000000039);
}

WRAPPED(dp_privtree_release,
		(const DpNoiseSource *noise, const DpPrivTree *goal, const DpPublicTree *tree,
		 const int64_t *counts, uint32_t *leaf, uint32_t *leaves, DpArena *arena))
{
	Watched watched;
	size_t bytes;
	uint32_t *same;

	if (!is_watched(noise))
		PASS(__real_dp_privtree_release(noise, goal, tree, counts, leaf, leaves, arena));
	dp_spy_begin("privtree");
	dp_spy_number("cells", tree->cells);
	dp_spy_number("splits", (int64_t) look_at_splits(tree, 0, tree->cells, LOOK_AT_LEVELS));
	dp_spy_number("epsilon", goal->epsilon_nano);
	dp_spy_number("concentrated", goal->concentrated);
	write_unit(&goal->unit);
	dp_spy_vector(counts, tree->cells);
	watched = start(noise);
	DP_TRY(finish(&watched, __real_dp_privtree_release(&watched.noise, goal, tree, counts, leaf,
													   leaves, arena)));
	if (dp_spy_mode() == SPY_RECORD)
	{
		dp_spy_put("tre", leaf, *leaves * sizeof(*leaf));
		return DP_OK;
	}
	same = dp_spy_get("tre", &bytes);
	if (same == NULL || bytes > tree->cells * sizeof(*leaf))
		dp_spy_wrong("there is no such tree of the other database");
	else
	{
		memcpy(leaf, same, bytes);
		*leaves = (uint32_t) (bytes / sizeof(*leaf));
	}
	free(same);
	return DP_OK;
}

/* ---- the sparse histogram ---- */

/* Takes the cells that the other database gave out. */
static DpStatus
take_cells(DpSparseCells *out, DpArena *arena)
{
	size_t index_bytes = 0, value_bytes = 0;
	uint64_t *index = dp_spy_get("spi", &index_bytes);
	int64_t *value = dp_spy_get("spv", &value_bytes);

	if (index == NULL || value == NULL || index_bytes != value_bytes)
		dp_spy_wrong("there is no such histogram of the other database");
	else
	{
		out->n = index_bytes / sizeof(*index);
		out->capacity = out->n + 1;
		out->index = dp_alloc(arena, out->capacity, sizeof(*out->index));
		out->value = dp_alloc(arena, out->capacity, sizeof(*out->value));
		if (out->index == NULL || out->value == NULL)
			return DP_ERR_MEMORY;
		memcpy(out->index, index, index_bytes);
		memcpy(out->value, value, value_bytes);
	}
	free(index);
	free(value);
	return DP_OK;
}

WRAPPED(dp_sparse_histogram_release,
		(const DpNoiseSource *noise, const DpSparseRule *rule, const DpOccupiedCells *occupied,
		 DpSparseCells *out, DpArena *arena))
{
	Watched watched;

	if (!is_watched(noise))
		PASS(__real_dp_sparse_histogram_release(noise, rule, occupied, out, arena));
	dp_spy_begin("sparse");
	dp_spy_number("cells", (int64_t) rule->histogram.cells);
	dp_spy_number("epsilon", rule->histogram.epsilon_nano);
	dp_spy_number("threshold", rule->threshold_rows);
	dp_spy_number("gap", (int64_t) rule->gap_numerator);
	dp_spy_number("thinning", rule->thinning_bits);
	write_unit(&rule->histogram.unit);
	dp_spy_places();
	for (uint64_t i = 0; i < occupied->n; i++)
		dp_spy_place(occupied->index[i], occupied->count[i]);
	watched = start(noise);
	DP_TRY(finish(&watched,
				  __real_dp_sparse_histogram_release(&watched.noise, rule, occupied, out, arena)));
	if (dp_spy_mode() == SPY_REPLAY)
		return take_cells(out, arena);
	dp_spy_put("spi", out->index, out->n * sizeof(*out->index));
	dp_spy_put("spv", out->value, out->n * sizeof(*out->value));
	return DP_OK;
}

/* ---- draws from perturbed distributions ---- */

WRAPPED(dp_perturbed_begin, (DpPerturbed * perturbed))
{
	const DpPerturbedTerms *terms = &perturbed->terms;
	Watched watched;

	if (!is_watched(&perturbed->noise))
		PASS(__real_dp_perturbed_begin(perturbed));
	dp_spy_begin("block");
	dp_spy_number("fitted", terms->kind == DP_PERTURBED_FITTED);
	dp_spy_number("epsilon", terms->epsilon_nano);
	dp_spy_number("columns", terms->attributes);
	dp_spy_number("draws", terms->rows);
	dp_spy_number("sweeps", terms->sweeps);
	dp_spy_number("base", (int64_t) perturbed->alpha.base);
	dp_spy_number("unit", (int64_t) perturbed->alpha.unit);
	write_unit(&terms->unit);
	watched = start(&perturbed->noise);
	return finish(&watched, __real_dp_perturbed_begin(perturbed));
}

/* The counts, those that weigh nothing any more, and what each category has beyond alpha. */
static void
write_histogram(const DpPerturbed *perturbed, const DpHistogram *counts)
{
	dp_spy_begin("draw");
	dp_spy_number("levels", counts->levels);
	dp_spy_number("drawn_before", counts->visited == perturbed->block);
	dp_spy_places();
	for (uint64_t i = 0; i < counts->n; i++)
		dp_spy_place(counts->code[i], counts->count[i]);
	dp_spy_end();
	if (counts->extra_upto == NULL)
		return;
	dp_spy_begin("extra");
	dp_spy_places();
	for (uint32_t c = 0; c < counts->levels; c++)
		dp_spy_place(c,
					 (int64_t) (counts->extra_upto[c] - (c > 0 ? counts->extra_upto[c - 1] : 0)));
	dp_spy_end();
}

WRAPPED(dp_perturbed_draw, (DpPerturbed * perturbed, DpHistogram *counts, uint32_t *code))
{
	DpRng *own = perturbed->noise.rng;
	DpStatus status;

	if (!is_watched(&perturbed->noise))
		PASS(__real_dp_perturbed_draw(perturbed, counts, code));
	write_histogram(perturbed, counts);
	dp_rng_init(&random_of_mechanisms, dp_spy_fill, &dp_spy_stream_mechanisms);
	perturbed->noise.rng = &random_of_mechanisms;
	depth++;
	status = __real_dp_perturbed_draw(perturbed, counts, code);
	depth--;
	perturbed->noise.rng = own;
	DP_TRY(status);
	dp_spy_output("dra", code, sizeof(*code));
	return DP_OK;
}

/* ---- the meter, and randomness ---- */

/* Nothing but a mechanism may charge the meter of a release. */
WRAPPED(dp_meter_charge, (DpMeter * meter, DpBudget cost))
{
	if (depth == 0 && dp_spy_mode() != SPY_OFF)
		dp_spy_wrong("a meter is charged by something that is not wrapped");
	return __real_dp_meter_charge(meter, cost);
}

extern bool __real_pg_strong_random(void *buffer, size_t bytes);
extern bool __wrap_pg_strong_random(void *buffer, size_t bytes);

/* The key of bounding, and what a release draws by itself, are the same for both databases. */
bool
__wrap_pg_strong_random(void *buffer, size_t bytes)
{
	if (dp_spy_mode() == SPY_OFF)
		return __real_pg_strong_random(buffer, bytes);
	return dp_spy_fill(&dp_spy_stream_own, buffer, bytes);
}
