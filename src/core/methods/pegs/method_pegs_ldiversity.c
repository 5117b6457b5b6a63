/*
 * method_pegs_ldiversity.c -- rows drawn from conditional counts that are mixed with
 * as much of the uniform distribution as entropy l-diversity asks for.
 *
 * pegs_ldiversity -- NO DIFFERENTIAL PRIVACY
 *
 * Inputs:      p attributes with public parents; l; the number of rows; public seed rows
 * Output:      rows, as of method pegs, but with an alpha of its own for each key: the
 *              smallest with which the distribution that a value is drawn from has an
 *              entropy of at least ln(l)
 * Guarantee:   none that holds against an attacker who knows other rows: alpha itself is
 *              a function of the counts. So only the custodian may ask for it and draw
 *              from it, nothing is debited, and the ledger says that it has no guarantee
 * Source:      the PeGS paper, its l-diversity variant
 */
#include "core/base/saturate.h"
#include "core/methods/pegs/ldiversity.h"
#include "core/methods/pegs_counts.h"
#include "core/methods/registry.h"
#include "core/plan/method.h"
#include "core/sample/sampler.h"
#include "core/select/parents_plan.h"

#define L_DIGITS 1e9 /* as options hold decimals */

static const DpOptionSpec specs[] = {
	{
		.name = "l",
		.type = DP_OPTION_SHARE,
		.minimum = INT64_C(1000000000),
		.maximum = INT64_C(1000000000) * DP_LEVELS_MAX,
		.summary = "Entropy of the distribution that a value is drawn from, as a number of equally "
				   "likely values; at most the levels of the smallest column.",
	},
	DP_SPEC_ROWS,
	DP_SPEC_PARENTS,
	DP_SPEC_FEATURES,
	DP_SPEC_ATTRIBUTE_ORDER,
	DP_SPEC_ROW_SWEEPS,
	DP_SPEC_SEED_POOL,
};

typedef struct DiversePlan
{
	const DpParents *parents;
	double l;
	DpRowRun run;
} DiversePlan;

/* l is feasible if even the column with the fewest levels has l levels. */
static DpStatus
read_l(const DpPlan *plan, double *l, DpError *error)
{
	const DpDomain *domain = plan->request->domain;
	const DpAttribute *smallest = &domain->attribute[0];

	if (!dp_option_given(plan->request->options, "l"))
		return dp_fail(error, DP_ERR_ARGUMENT, "option \"l\" must be given");
	*l = (double) dp_plan_option(plan, "l") / L_DIGITS;
	for (uint32_t i = 1; i < domain->attributes; i++)
	{
		if (domain->attribute[i].levels < smallest->levels)
			smallest = &domain->attribute[i];
	}
	if (*l <= smallest->levels)
		return DP_OK;
	(void) dp_fail(error, DP_ERR_ARGUMENT, "no distribution of column \"%s\" is that diverse",
				   smallest->name);
	dp_fail_detail(error, "l can be %u at most, the levels of that column.", smallest->levels);
	dp_fail_hint(error, "Lower l, or leave the column out with option \"columns\".");
	return DP_ERR_ARGUMENT;
}

/* Without a budget nothing can be selected. */
static DpStatus
read_parents(const DpPlan *plan, const DpParents **out, DpArena *arena, DpError *error)
{
	uint32_t others = plan->request->domain->attributes - 1;
	uint32_t wanted = (uint32_t) dp_plan_option(plan, "parents");
	DpParents *parents;

	DP_TRY(dp_parents_public(plan, wanted < others ? wanted : others, &parents, arena, error));
	*out = parents;
	if (parents != NULL)
		return DP_OK;
	(void) dp_fail(error, DP_ERR_ARGUMENT, "the parents of each column must be public");
	dp_fail_hint(error, "Give \"column_order\" or \"network\", or set parents to 0.");
	return DP_ERR_ARGUMENT;
}

static DpStatus
diverse_plan(DpPlan *plan, DpArena *arena, DpError *error)
{
	DiversePlan *diverse = dp_alloc(arena, 1, sizeof(*diverse));
	DpStage stage = {.name = "draw rows", .mechanism = "l-diverse counts: NO privacy guarantee"};
	uint64_t bytes;

	DP_TRY_ALLOC(diverse);
	plan->private_data = diverse;
	DP_TRY(read_l(plan, &diverse->l, error));
	DP_TRY(dp_plan_row_release(plan, 1, &diverse->run, error));
	DP_TRY(read_parents(plan, &diverse->parents, arena, error));
	DP_TRY(dp_pegs_memory(plan->request->domain, diverse->parents, 0, &bytes, arena));
	plan->memory_bytes = dp_add_saturated(plan->memory_bytes, bytes);
	dp_plan_counts(plan, bytes);
	plan->scans++;
	stage.tables = diverse->run.rows;
	return dp_plan_stage(plan, &stage, error);
}

/* ---- behind the wall ---- */

typedef struct DiverseDraws
{
	DpRng *rng;
	double l;
	DpExactConditional *conditional; /* [attributes] */
} DiverseDraws;

static DpStatus
draw_value(void *context, uint32_t attribute, const uint32_t *row, uint32_t *code)
{
	DiverseDraws *draws = context;
	DpHistogram *counts = dp_exact_conditional_find(&draws->conditional[attribute], row);
	DpAlpha alpha;

	DP_TRY(dp_ldiversity_alpha(counts, draws->l, &alpha));
	return dp_categorical(draws->rng, counts, alpha.unit, alpha.base, code);
}

static DpStatus
diverse_measure(const DpMeasurement *m, DpModel *model, DpError *error)
{
	const DiversePlan *diverse = m->plan->private_data;
	DiverseDraws draws = {.rng = m->noise.rng, .l = diverse->l};
	DpRowSource source = {.context = &draws, .draw = draw_value};

	draws.conditional = dp_alloc(m->arena, m->domain->attributes, sizeof(*draws.conditional));
	DP_TRY_ALLOC(draws.conditional);
	DP_TRY(dp_pegs_count(m, &(DpPegsShape){.parents = diverse->parents}, draws.conditional, error));
	dp_announce(m, "draw rows");
	return dp_row_release_make(m, &diverse->run, &source, model);
}

const DpMethod dp_method_pegs_ldiversity = {
	.name = "pegs_ldiversity",
	.summary =
		"As pegs, with perturbation that makes each distribution l-diverse: NOT differentially "
		"private, for the custodian alone.",
	.guarantee = "none: not differentially private",
	.source = "PeGS, l-diversity variant",
	DP_SPECS(specs),
	.unprotected = true,
	.plan = diverse_plan,
	.measure = diverse_measure,
	.sampler = &dp_row_release_sampler,
};
