/*
 * parents_number.c -- how many parents pay off.
 *
 * One parent more makes a table tell more, and spreads its rows over more noisy cells.
 */
#include "core/methods/sbhg/parents_number.h"

#include <math.h>

#include "core/base/saturate.h"
#include "core/mechanism/mechanism.h"
#include "core/plan/release_table.h"
#include "core/select/pairs.h"
#include "core/select/subsets.h"

DpStatus
dp_parents_number_bound(const DpDomain *domain, uint32_t wanted, uint64_t cells_max, uint32_t *most,
						DpArena *arena)
{
	uint64_t by_size[DP_ATTRIBUTES_MAX];
	uint32_t attributes[DP_ATTRIBUTES_MAX];
	uint32_t n;

	DP_TRY(dp_parents_by_size(domain, by_size, arena));
	for (n = 0; n < wanted; n++)
	{
		/* The largest attribute's table is among the largest of all. */
		uint32_t in_table =
			dp_parents_largest_table(by_size, n + 1, (uint32_t) by_size[0], attributes);

		if (dp_table_storage(domain, attributes, in_table, cells_max) != DP_DENSE)
			break;
	}
	*most = n;
	return DP_OK;
}

/* All tables with 1 to `most` parents, at their largest. */
static DpStatus
tables_memory(const DpDomain *domain, uint32_t most, uint64_t *bytes, DpArena *arena)
{
	uint64_t by_size[DP_ATTRIBUTES_MAX];
	uint32_t attributes[DP_ATTRIBUTES_MAX];

	*bytes = 0;
	DP_TRY(dp_parents_by_size(domain, by_size, arena));
	for (uint32_t i = 0; i < domain->attributes; i++)
		for (uint32_t n = 1; n <= most; n++)
		{
			uint32_t in_table = dp_parents_largest_table(by_size, n, i, attributes);

			*bytes =
				dp_add_saturated(*bytes, dp_table_memory(domain, attributes, in_table, DP_DENSE));
		}
	return DP_OK;
}

static int64_t
sensitivity_of(const DpDomain *domain, const DpUnit *unit)
{
	return dp_dependence_sensitivity(unit) * (int64_t) domain->attributes;
}

DpStatus
dp_parents_number_plan(DpPlan *plan, const DpParentsNumber *number, DpArena *arena, DpError *error)
{
	const DpDomain *domain = plan->request->domain;
	DpStage stage = {
		.name = DP_STAGE_NUMBER, .tables = 1, .each = dp_cost_pure(number->epsilon_nano)};
	uint64_t bytes;

	DP_TRY(dp_plan_selection(plan, &stage, sensitivity_of(domain, &plan->request->unit), error));
	DP_TRY(tables_memory(domain, number->most, &bytes, arena));
	plan->memory_bytes = dp_add_saturated(plan->memory_bytes, bytes);
	dp_plan_counts(plan, bytes);
	plan->scans++;
	return DP_OK;
}

/* ---- behind the wall ---- */

static DpStatus
count_tables(const DpMeasurement *m, uint32_t most, const DpParents *parents, DpMarginal *exact,
			 DpError *error)
{
	uint32_t attributes[DP_ATTRIBUTES_MAX];
	uint64_t tables = 0;

	for (uint32_t i = 0; i < m->domain->attributes; i++)
		for (uint32_t n = 1; n <= most; n++)
		{
			DpParents first = {.n = n, .index = parents[i].index};
			DpAttributeSet set = {dp_parents_table(&first, i, attributes), attributes};

			DP_TRY(dp_marginal_init(&exact[tables++], m->domain, &set, DP_DENSE, m->arena, error));
		}
	return dp_count_marginals(m, exact, tables, error);
}

/* What the noise of a table adds to half its L1 distance from the truth, in the score's unit: a
 * cell is off by about its standard deviation / sqrt 2. Public. */
static int64_t
noise_of(const DpParentsNumber *number, uint64_t cells)
{
	double rows = dp_laplace_stddev(number->distribution) / (2 * sqrt(2));
	double noise = DP_DEPENDENCE_UNIT * rows * (double) cells;

	return noise < 1e15 ? llround(noise) : INT64_C(1000000000000000);
}

/* score[n] for n = 0..most parents. SECRET. */
static DpStatus
score_numbers(const DpMeasurement *m, const DpParentsNumber *number, DpMarginal *exact,
			  int64_t *score)
{
	uint32_t attributes = m->domain->attributes;

	for (uint32_t i = 0; i < attributes; i++)
	{
		score[0] -= noise_of(number, m->domain->attribute[i].levels);
		for (uint32_t n = 1; n <= number->most; n++, exact++)
		{
			int64_t dependence;

			dp_tick(m->noise.tick, -1.0);
			DP_TRY(dp_dependence_on_rest(exact, n, &dependence, m->arena));
			score[n] += dependence - noise_of(number, exact->cells);
			dp_marginal_free(exact);
		}
	}
	return DP_OK;
}

/*
 * dp_parents_number_choose -- how many parents each attribute has
 *
 * Inputs:      parents, number->most of each attribute, released or public, best first
 * Output:      one number for all attributes; parents are shortened to it
 * Score:       of k parents: the sum over the attributes of n R(attribute; its first k parents
 *              together), which is how far, in rows, the attribute's table is from what it would
 *              be without them, less what the noise on all cells of that table adds to the same
 *              distance (public: number of cells and distribution of the noise)
 * Neighbours:  the dataset's. Each n R is an integer score that moves by at most
 *              dp_dependence_sensitivity, whatever the number of parents, since they are one
 *              attribute of many levels; so the sum of p of them moves by at most p times that
 * Guarantee:   (epsilon, 0)-DP: one permute-and-flip (dp_select)
 * Source:      the SBHG paper takes the number that is best on the data, which is not private. The
 *              score is in the manner of theta-usefulness of Zhang et al., PrivBayes (2014)
 */
DpStatus
dp_parents_number_choose(const DpMeasurement *m, const DpParentsNumber *number, DpParents *parents,
						 DpError *error)
{
	uint64_t tables = (uint64_t) m->domain->attributes * number->most;
	DpMarginal *exact = dp_alloc(m->arena, tables, sizeof(*exact));
	int64_t *score = dp_alloc(m->arena, number->most + 1, sizeof(*score));
	DpScores scores = {.score = score,
					   .n = number->most + 1,
					   .sensitivity = sensitivity_of(m->domain, &m->plan->request->unit)};
	size_t chosen;

	DP_TRY_ALLOC(exact && score);
	dp_announce(m, DP_STAGE_NUMBER);
	DP_TRY(count_tables(m, number->most, parents, exact, error));
	DP_TRY(score_numbers(m, number, exact, score));
	DP_TRY(dp_select(&m->noise, &scores, number->epsilon_nano, &chosen));
	for (uint32_t i = 0; i < m->domain->attributes; i++)
		parents[i].n = (uint32_t) chosen;
	dp_free(m->arena, exact, tables, sizeof(*exact));
	dp_free(m->arena, score, number->most + 1, sizeof(*score));
	return DP_OK;
}
