/*
 * aim_choice.c -- which tables aim may choose, their scores, and the choice.
 *
 * Which tables are candidates depends on public sizes and on what was released. The proof, and that
 * of the score's sensitivity, is in docs/methods/aim.md.
 */
#include "core/methods/aim/aim_choice.h"

#include <string.h>

#include "core/domain/workload.h"
#include "core/mechanism/mechanism.h"
#include "core/methods/aim/aim_order.h"

/*
 * The score of a set of more than two columns is reused until the expected counts of its pairs have
 * changed by this multiple of the scale of a selection's noise.
 */
#define CHANGE_KEPT 1
#define PAIRS_CAPACITY 0.6 /* of the model's cells: 0 to 1 */
/* Cost of a score: a constant and each scored cell, beside the query for its expected counts. */
#define SECONDS_A_SCORE 9e-6
#define SECONDS_A_SCORED_CELL 1e-8

DpStatus
dp_aim_choice_open(DpAimChoice *choice)
{
	const DpGraphicalMeasure *measure = choice->measure;
	DpArena *arena = measure->m->arena;
	uint32_t n = measure->marginals, p = measure->m->domain->attributes;

	DP_TRY(dp_aim_change_open(&choice->scores.change, measure, choice->plan->changes_cells));
	choice->list.components.columns = p;
	choice->last_of_order = n;
	choice->list.components.to = dp_alloc(arena, p, sizeof(*choice->list.components.to));
	choice->expected = dp_alloc(arena, measure->largest, sizeof(*choice->expected));
	choice->refused = dp_alloc(arena, n, sizeof(*choice->refused));
	choice->list.candidate = dp_alloc(arena, n, sizeof(*choice->list.candidate));
	choice->list.score = dp_alloc(arena, n, sizeof(*choice->list.score));
	choice->wide = dp_alloc(arena, n, sizeof(*choice->wide));
	choice->scores.gain = dp_alloc(arena, n, sizeof(*choice->scores.gain));
	choice->scores.current = dp_alloc(arena, n, sizeof(*choice->scores.current));
	return choice->list.components.to == NULL || choice->expected == NULL ||
				   choice->refused == NULL || choice->list.candidate == NULL ||
				   choice->list.score == NULL || choice->wide == NULL ||
				   choice->scores.gain == NULL || choice->scores.current == NULL
			   ? DP_ERR_MEMORY
			   : DP_OK;
}

void
dp_aim_choice_close(DpAimChoice *choice)
{
	DpArena *arena = choice->measure->m->arena;
	uint32_t n = choice->measure->marginals;

	dp_aim_change_close(&choice->scores.change);
	dp_free(arena, choice->list.components.to, choice->list.components.columns,
			sizeof(*choice->list.components.to));
	dp_free(arena, choice->expected, choice->measure->largest, sizeof(*choice->expected));
	dp_free(arena, choice->refused, n, sizeof(*choice->refused));
	dp_free(arena, choice->list.candidate, n, sizeof(*choice->list.candidate));
	dp_free(arena, choice->list.score, n, sizeof(*choice->list.score));
	dp_free(arena, choice->wide, n, sizeof(*choice->wide));
	dp_free(arena, choice->scores.gain, n, sizeof(*choice->scores.gain));
	dp_free(arena, choice->scores.current, n, sizeof(*choice->scores.current));
}

/* ---- the list ---- */

/* The cells that the model may have with a candidate. A pair of large columns needs its cells
 * before sets of small columns have taken them: it may have most of the cells from the start. */
static uint64_t
limit_of(const DpAimChoice *choice, uint32_t i)
{
	uint64_t pairs = (uint64_t) (PAIRS_CAPACITY * (double) choice->plan->cells_max);

	if (!choice->plan->forest && choice->measure->exact[i].set.n == 2 &&
		pairs > choice->allowed.limit)
		return pairs < choice->allowed.in_time ? pairs : choice->allowed.in_time;
	return choice->allowed.limit < choice->allowed.in_time ? choice->allowed.limit
														   : choice->allowed.in_time;
}

/* Whether the cliques can contain a candidate. If candidates are checked when they are drawn, this
 * compares with the present junction tree alone. */
static bool
has_cliques(DpAimChoice *choice, uint32_t i)
{
	return choice->plan->ask_later
			   ? dp_graphical_grows(choice->measure, i, limit_of(choice, i))
			   : dp_graphical_has_cliques(choice->measure, i, limit_of(choice, i));
}

/* Whether all attributes of a set are given when rows are drawn: such a set has its table already,
 * and is no candidate. */
static bool
is_known(const DpAimChoice *choice, const DpAttributeSet *set)
{
	const int32_t *known = choice->measure->m->plan->request->known;

	return known != NULL && !dp_workload_draws(set->attribute, set->n, known);
}

static bool
is_of_order(const DpAimChoice *choice, uint32_t i)
{
	return choice->measure->exact[i].set.n > choice->plan->candidates.widest;
}

static bool
is_late(const DpAimChoice *choice)
{
	return choice->measure->graphical.seconds >= choice->allowed.seconds_most;
}

/* Whether a set of more columns than the workload's is among the candidates: where its cells hold
 * rows enough for the noise, and if it is scored for this list or was before, and no table that
 * shares two columns with it was released since. The last one that was released stays. */
static bool
may_be_of_order(const DpAimChoice *choice, uint32_t i)
{
	return ((choice->list.is_quieter && !is_late(choice)) || choice->scores.current[i] ||
			i == choice->last_of_order) &&
		   choice->rows >=
			   DP_ORDER_ROWS_A_CELL * choice->stddev * (double) choice->measure->exact[i].cells;
}

static bool
may_be_chosen(DpAimChoice *choice, uint32_t i)
{
	const DpAttributeSet *set = &choice->measure->exact[i].set;

	return !is_known(choice, set) && (!is_of_order(choice, i) || may_be_of_order(choice, i)) &&
		   dp_graphical_can_hold(choice->measure, i) &&
		   (!choice->wide[i] || dp_graph_joins(&choice->measure->graphical.graph, set)) &&
		   has_cliques(choice, i);
}

/* Scores a candidate by the last fit, or by the one before it that is still good enough. */
static DpStatus
score(DpAimChoice *choice, uint32_t i)
{
	DpGraphical *model = &choice->measure->graphical;
	double before = dp_belief_seconds(&model->belief);
	DpStatus status;

	if (choice->scores.current[i])
		return DP_OK;
	status = dp_graphical_gain(choice->measure, i, choice->stddev, choice->expected,
							   &choice->scores.gain[i]);
	choice->scores.current[i] = status == DP_OK;
	if (status == DP_OK)
		dp_aim_change_scored(&choice->scores.change, i, choice->expected);
	model->seconds += SECONDS_A_SCORE +
					  SECONDS_A_SCORED_CELL * (double) choice->measure->exact[i].cells +
					  dp_belief_seconds(&model->belief) - before;
	return status;
}

/* Scores a candidate and appends it to the list, unless its sum is too large, which public sizes
 * and what is released decide. The weight is public, so the sensitivity is that of the gain times
 * the largest weight, DP_CANDIDATE_WEIGHT_ONE. */
static DpStatus
append(DpAimChoice *choice, uint32_t i, int64_t weight)
{
	DpStatus status = score(choice, i);

	choice->wide[i] = status == DP_ERR_LIMIT;
	if (choice->wide[i])
		return DP_OK;
	DP_TRY(status);
	if (__builtin_mul_overflow(choice->scores.gain[i], weight, &choice->list.score[choice->list.n]))
		return DP_ERR_RANGE;
	choice->list.candidate[choice->list.n++] = i;
	return DP_OK;
}

/* Rows by which candidates must differ before a selection tells them apart. */
static double
selection_scale(const DpAimChoice *choice)
{
	const DpPrivacyMeasure *measure = &choice->plan->privacy_measure;

	return 2 * (double) dp_unit_l1(&measure->unit) /
		   dp_privacy_measure_selection_epsilon(measure, choice->select);
}

/*
 * Whether the last score of a candidate can be used for this list. Sets larger than those of the
 * workload are scored when the noise has been reduced, because then smaller sets gained less than
 * the noise, and while there is time. Each remains a candidate until a table is released that shares
 * two columns with it.
 */
static bool
is_good(const DpAimChoice *choice, uint32_t i)
{
	if (!choice->scores.current[i])
		return false;
	if (is_of_order(choice, i))
		return !choice->list.is_quieter || is_late(choice);
	return !choice->list.is_quieter &&
		   dp_aim_change_since(&choice->scores.change, i) <= CHANGE_KEPT * selection_scale(choice);
}

static void
begin_list(DpAimChoice *choice)
{
	choice->list.n = 0;
	choice->list.is_whole = true;
	choice->list.is_quieter = choice->list.is_later && choice->stddev != choice->scores.stddev;
	choice->list.is_later = true;
	choice->scores.stddev = choice->stddev;
	choice->rows = dp_graphical_total(&choice->measure->graphical);
	dp_aim_untie(&choice->list.components);
}

/* Pairs come before larger sets, so that their movement is known. */
DpStatus
dp_aim_choice_list(DpAimChoice *choice)
{
	const DpGraphicalMeasure *measure = choice->measure;

	begin_list(choice);
	if (choice->plan->ask_later)
		DP_TRY(dp_graphical_query(choice->measure));
	for (uint32_t i = 0; i < measure->marginals; i++)
	{
		int64_t weight =
			dp_candidate_weight(&choice->plan->candidates, &measure->exact[i].set, choice->most);

		dp_tick(measure->m->noise.tick, -1.0);
		choice->scores.current[i] = is_good(choice, i);
		if (weight != 0 && may_be_chosen(choice, i))
			DP_TRY(append(choice, i, weight));
	}
	return DP_OK;
}

/* ---- the choice ---- */

static void
drop(DpAimChoice *choice, size_t at)
{
	choice->list.candidate[at] = choice->list.candidate[--choice->list.n];
	choice->list.score[at] = choice->list.score[choice->list.n];
}

static bool
fits(void *context, size_t at)
{
	DpAimChoice *choice = context;
	uint32_t i = choice->list.candidate[at];

	return dp_graphical_fits(choice->measure, i, limit_of(choice, i));
}

/* Drops the candidates that no longer fit, given the tables that this batch has released. */
static void
drop_unfit(DpAimChoice *choice)
{
	for (size_t at = choice->list.n; at-- > 0;)
		if (!fits(choice, at))
			drop(choice, at);
}

/* Marks the candidates that overlap with the table that is released now: they are scored anew. */
static void
outdate(DpAimChoice *choice, uint32_t chosen)
{
	const DpExactMarginal *exact = choice->measure->exact;

	for (uint32_t i = 0; i < choice->measure->marginals; i++)
		if (i == chosen ||
			dp_aim_is_alike(&choice->list.components, &exact[chosen].set, &exact[i].set, false))
			choice->scores.current[i] = false;
}

/* Drops the chosen candidate, and those that overlap with it too much. */
static void
drop_alike(DpAimChoice *choice, uint32_t chosen)
{
	const DpExactMarginal *exact = choice->measure->exact;
	bool forest = choice->plan->forest;

	dp_aim_tie(&choice->list.components, &exact[chosen].set);
	for (size_t at = choice->list.n; at-- > 0;)
	{
		uint32_t i = choice->list.candidate[at];

		if (i == chosen ||
			dp_aim_is_alike(&choice->list.components, &exact[chosen].set, &exact[i].set, forest))
			drop(choice, at);
	}
}

/*
 * Selects a candidate that fits; *at is n where none does. The first of a batch is one of those
 * that were listed as fitting. With a delta and a batch those are listed for which the tree that is
 * there can grow, and whatever is drawn is checked again with those drawn before: to ask all of the
 * tree that would be built takes longest where columns are many.
 */
static DpStatus
draw(DpAimChoice *choice, size_t *at)
{
	const DpNoiseSource *noise = &choice->measure->m->noise;
	const DpAllowed allowed = {.test = fits, .context = choice, .refused = choice->refused};
	DpScores scores = {.score = choice->list.score,
					   .n = choice->list.n,
					   .sensitivity = choice->plan->rounds.sensitivity};

	if (choice->plan->ask_later)
	{
		DP_TRY(dp_graphical_query(choice->measure));
		memset(choice->refused, 0, choice->list.n * sizeof(*choice->refused));
		return dp_select_allowed(noise, &scores, &allowed, choice->select, at);
	}
	if (!choice->list.is_whole)
		drop_unfit(choice);
	*at = scores.n = choice->list.n;
	return choice->list.n > 0 ? dp_privacy_measure_select(noise, &choice->plan->privacy_measure,
														  choice->select, &scores, at)
							  : DP_OK;
}

DpStatus
dp_aim_choose(DpAimChoice *choice, uint32_t *chosen)
{
	size_t at;

	*chosen = choice->measure->marginals;
	if (choice->list.n == 0)
		return DP_OK;
	DP_TRY(draw(choice, &at));
	choice->list.is_whole = false;
	if (at == choice->list.n)
		return DP_OK;
	*chosen = choice->list.candidate[at];
	outdate(choice, *chosen);
	if (is_of_order(choice, *chosen))
		choice->last_of_order = *chosen;
	drop_alike(choice, *chosen);
	return DP_OK;
}
