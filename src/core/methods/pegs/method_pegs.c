/*
 * method_pegs.c -- rows drawn from perturbed conditional counts, behind the wall.
 *
 * pegs -- perturbed Gibbs sampler
 *
 * Inputs:      p attributes with R parents each, public or selected with budget; the
 *              number of rows, public; a public seed row for each block of rows
 * Output:      the rows themselves. A row redraws each attribute in turn, `sweeps` times,
 *              from (n_c + alpha) / (N + C alpha), where n_c of the N rows of the relation
 *              that agree with it on the parents have value c. With buckets n_c and N are
 *              those of all rows whose parents fall into the same bucket; with alpha margin
 *              common values have more than alpha, by a noisy margin
 * Neighbours:  the dataset's, units of several rows too
 * Guarantee:   epsilon-DP for all rows together, by basic, adaptive composition of the
 * selections and noisy margins, if any, and of blocks of rows, each by the perturbed mechanism
 *              (perturbed.c). What is stored is what was drawn; handing it out again is
 *              post-processing. Proof: docs/methods/pegs.md
 * Source:      the PeGS paper. Departures: blocks with reset need a larger alpha under
 *              replacement than the paper gives them; seeds are public, never rows of the
 *              data; the order by which attributes are hashed is public or paid for; the
 *              number of rows is a public option, since the relation's own is secret
 */
#include "core/base/saturate.h"
#include "core/methods/pegs_counts.h"
#include "core/methods/registry.h"
#include "core/plan/method.h"
#include "core/plan/release_table.h"
#include "core/sample/sampler.h"
#include "core/select/parents_plan.h"

static const DpOptionSpec specs[] = {
	DP_SPEC_ROWS,
	{
		.name = "block",
		.type = DP_OPTION_INTEGER,
		.fallback = "1",
		.minimum = 1,
		.maximum = 100000,
		.summary = "Rows that are drawn from one seed row for one share of epsilon; counts that "
				   "were drawn from once are uniform for the rest of the block.",
	},
	DP_SPEC_PARENTS,
	DP_SPEC_FEATURES,
	DP_SPEC_ATTRIBUTE_ORDER,
	DP_SPEC_SELECTION_SHARE,
	{
		.name = "buckets",
		.type = DP_OPTION_INTEGER,
		.minimum = 1,
		.maximum = 10000000,
		.summary = "Number of buckets of each column: combinations of parents that a public hash "
				   "puts into one bucket share their counts; left out: each has counts of its own.",
	},
	{
		.name = "alpha",
		.type = DP_OPTION_CHOICE,
		.fallback = "flat",
		.choices = "flat|margin",
		.summary = "Whether all values get the same pseudo-count, or common ones more, by a noisy "
				   "margin of the column.",
	},
	DP_SPEC_SHARE("margin_share", "0.1", "Share of epsilon for these margins."),
	DP_SPEC_ROW_SWEEPS,
	DP_SPEC_SEED_POOL,
};

typedef struct PegsPlan
{
	DpParentsPlan parents;
	DpRowRun run;
	DpPerturbedTerms terms;
	uint32_t buckets;
	int64_t epsilon_margin_nano; /* 0: alpha is flat */
} PegsPlan;

/* One noisy margin of each attribute, if they shape alpha. */
static DpStatus
plan_margins(DpPlan *plan, PegsPlan *pegs, int64_t *left_nano, DpError *error)
{
	const DpDomain *domain = plan->request->domain;
	int64_t share =
		dp_share_floor(plan->remaining.epsilon_nano, dp_plan_option(plan, "margin_share"));
	uint64_t cells = 0;

	if (dp_plan_option(plan, "alpha") == 0)
		return DP_OK;
	for (uint32_t a = 0; a < domain->attributes; a++)
		cells += domain->attribute[a].levels;
	pegs->epsilon_margin_nano = share / domain->attributes;
	*left_nano -= pegs->epsilon_margin_nano * domain->attributes;
	plan->scans++;
	plan->memory_bytes = dp_add_saturated(plan->memory_bytes, cells * 3 * sizeof(int64_t));
	dp_plan_counts(plan, cells * sizeof(int64_t));
	return dp_plan_laplace(plan, DP_STAGE_MARGINS, domain->attributes,
						   dp_cost_pure(pegs->epsilon_margin_nano), cells, error);
}

static DpStatus
pegs_plan(DpPlan *plan, DpArena *arena, DpError *error)
{
	const DpDomain *domain = plan->request->domain;
	uint32_t wanted = (uint32_t) dp_plan_option(plan, "parents");
	int64_t left_nano = plan->remaining.epsilon_nano;
	PegsPlan *pegs = dp_alloc(arena, 1, sizeof(*pegs));
	DpParents *parents;
	int64_t spent_nano;
	uint64_t bytes;

	DP_TRY_ALLOC(pegs);
	plan->private_data = pegs;
	pegs->buckets = (uint32_t) dp_plan_option(plan, "buckets");
	DP_TRY(dp_plan_row_release(plan, (uint32_t) dp_plan_option(plan, "block"), &pegs->run, error));
	wanted = wanted < domain->attributes ? wanted : domain->attributes - 1;
	DP_TRY(dp_parents_public(plan, wanted, &parents, arena, error));
	pegs->parents = (DpParentsPlan){.given = parents, .parents_n = wanted};
	DP_TRY(dp_parents_plan_selection(plan, &pegs->parents, dp_plan_option(plan, "selection_share"),
									 &spent_nano, error));
	DP_TRY(dp_pegs_memory(domain, parents, wanted, &bytes, arena));
	plan->memory_bytes = dp_add_saturated(plan->memory_bytes, bytes);
	dp_plan_counts(plan, bytes);
	plan->scans++;
	left_nano -= spent_nano;
	DP_TRY(plan_margins(plan, pegs, &left_nano, error));
	pegs->terms = dp_row_run_terms(plan, &pegs->run, DP_PERTURBED_COUNTS, left_nano);
	return dp_plan_perturbed(plan, &pegs->run, &pegs->terms, arena, error);
}

/* ---- behind the wall ---- */

static DpStatus
pegs_measure(const DpMeasurement *m, DpModel *model, DpError *error)
{
	const PegsPlan *pegs = m->plan->private_data;
	const DpParents *parents;

	DP_TRY(dp_parents_measure(m, &pegs->parents, &parents, error));
	return dp_pegs_make(m, &pegs->run, &pegs->terms,
						&(DpPegsShape){.parents = parents,
									   .buckets = pegs->buckets,
									   .epsilon_margin_nano = pegs->epsilon_margin_nano},
						model, error);
}

const DpMethod dp_method_pegs = {
	.name = "pegs",
	.summary = "Rows drawn behind the wall from perturbed conditional counts of each column given "
			   "a few others; the rows are the release.",
	.guarantee = "epsilon-DP",
	.source = "perturbed Gibbs sampler (PeGS), corrected",
	DP_SPECS(specs),
	.plan = pegs_plan,
	.measure = pegs_measure,
	.sampler = &dp_row_release_sampler,
};
