/*
 * graphical_prepare.c -- fitting a stored model and compiling its sampler.
 */
#include "core/sample/graphical_fit.h"

#include <math.h>

#include "core/estimate/weights.h"
#include "core/graphical/noisy_measurement.h"
#include "core/model/noisy_table.h"

/* ---- a stored model ---- */

static bool
ascends(const DpTable *table)
{
	for (uint32_t k = 1; k < table->n; k++)
		if (table->attribute[k] <= table->attribute[k - 1])
			return false;
	return true;
}

static DpStatus
check_tables(const DpModel *model, DpError *error)
{
	uint32_t p = model->domain.attributes;
	bool fit = p > 0 && model->tables >= p;

	for (uint32_t t = 0; t < model->tables && fit; t++)
	{
		const DpTable *table = &model->table[t];

		fit = table->storage == DP_DENSE && table->n >= 1 && ascends(table) &&
			  (t >= p || (table->n == 1 && table->attribute[0] == t));
	}
	return fit ? DP_OK
			   : dp_fail(error, DP_ERR_CORRUPT,
						 "stored model: its tables are not those of a graphical model");
}

/* Reads the potentials of the model, from which the graphical model then starts. *given: whether
 * there are any. */
static DpStatus
read_potentials(const DpModel *model, const DpGrouping *grouping, DpGraphical *graphical,
				bool *given, DpError *error)
{
	const uint32_t *bits = model->structure + grouping->structure_n;

	*given = model->structure_n > grouping->structure_n;
	if (!*given)
		return DP_OK;
	if (model->structure_n - grouping->structure_n != graphical->potentials.n)
		return dp_fail(error, DP_ERR_CORRUPT, "stored model: it has not one potential a cell");
	for (uint64_t i = 0; i < graphical->potentials.n; i++)
	{
		if (!dp_potential_unpack(bits[i], &graphical->potentials.value[i]))
			return dp_fail(error, DP_ERR_CORRUPT, "stored model: a potential is impossible");
	}
	graphical->measured.fitted = graphical->measured.n;
	return DP_OK;
}

/* Adds the tables in the order in which they were measured. Public sets come after the
 * attributes' own tables. */
static DpStatus
add_tables(const DpModel *model, const DpGrouping *grouping, DpGraphical *graphical,
		   const DpTick *tick, DpArena *arena)
{
	for (uint32_t t = 0; t < model->tables; t++)
	{
		dp_tick(tick, -1.0);
		DP_TRY(dp_graphical_add_table(graphical, grouping, &model->table[t], arena));
		if (t + 1 == model->domain.attributes)
			DP_TRY(dp_graphical_add_public(graphical, grouping, dp_graphical_total(graphical)));
	}
	return DP_OK;
}

/* DP_ERR_LIMIT: its cliques are larger than it says. */
static DpStatus
fit_model(const DpModel *model, const DpGrouping *grouping, DpGraphical *graphical,
		  const DpTick *tick, DpArena *arena, DpError *error)
{
	int64_t cells = dp_model_parameter(model, DP_PARAMETER_CELLS, 0);
	int64_t damping = dp_model_parameter(model, DP_PARAMETER_DAMPING, 0);
	bool is_public = dp_unit_rows_public(&model->unit);
	DpFitRule rule = dp_graphical_rule_for(&dp_graphical_final_rule, model->domain.attributes);
	bool given;

	if (cells < 1 || (uint64_t) cells > DP_GRAPHICAL_CELLS_MAX || damping < 0)
		return dp_fail(error, DP_ERR_CORRUPT, "stored model: its size is impossible");
	DP_TRY(dp_graphical_init(
		graphical,
		&(DpGraphicalStart){.attributes = model->domain.attributes,
							.levels = grouping->levels,
							.total = is_public ? (double) model->rows : DP_TOTAL_UNKNOWN,
							.cells_max = (uint64_t) cells,
							.damping = (double) damping},
		arena));
	DP_TRY(add_tables(model, grouping, graphical, tick, arena));
	DP_TRY(read_potentials(model, grouping, graphical, &given, error));
	if (given)
		rule = (DpFitRule){.ridge = 1, .tolerance = INFINITY, .evaluations_max = 1};
	return dp_graphical_fit(graphical, &rule, tick);
}

/* ---- groups back to levels ---- */

/* Computes the shares of the levels of a group: their noisy counts without most of the noise,
 * projected on the simplex of the rows of the group. */
static DpStatus
fill_split(DpLevelSplit *split, const DpAttribute *attribute, const DpTable *table, double rows,
		   DpArena *arena)
{
	double *work = dp_alloc(arena, split->n, sizeof(*work));
	double so_far = 0, total = rows > 1 ? rows : 1;
	uint32_t n = split->n;

	split->cumulative = dp_alloc(arena, split->n, sizeof(*split->cumulative));
	DP_TRY_ALLOC(work && split->cumulative);
	for (uint32_t i = 0; i < split->n; i++)
		split->cumulative[i] = (double) table->value[split->level[i]];
	/* "other" is the last level; it is not alone, so others share the rows */
	if (split->level[n - 1] == attribute->levels - 1 && dp_table_other_is_noise(table, attribute))
		split->cumulative[--n] = 0;
	dp_shrink_noisy(split->cumulative, n, dp_table_variance(table));
	dp_simplex_project(split->cumulative, n, work, total);
	for (uint32_t i = 0; i < split->n; i++)
	{
		so_far += split->cumulative[i] / total;
		split->cumulative[i] = so_far;
	}
	split->cumulative[split->n - 1] = 1;
	dp_free(arena, work, split->n, sizeof(*work));
	return DP_OK;
}

static DpStatus
split_attribute(const DpModel *model, const DpGrouping *grouping, const DpGraphical *graphical,
				uint32_t attribute, DpLevelSplit *split, DpArena *arena)
{
	const DpTable *table = &model->table[attribute];
	const DpAttributeSet set = {1, table->attribute};
	uint32_t groups = grouping->levels[attribute];
	uint32_t *level = dp_alloc(arena, table->cells, sizeof(*level));
	double *rows = dp_alloc(arena, groups, sizeof(*rows));

	DP_TRY_ALLOC(level && rows);
	DP_TRY(dp_graphical_marginal(graphical, &set, rows));
	for (uint32_t i = 0; i < table->cells; i++)
		split[grouping->group[attribute][i]].n++;
	for (uint32_t g = 0; g < groups; level += split[g++].n)
		split[g].level = level;
	for (uint32_t g = 0; g < groups; g++)
		split[g].n = 0;
	for (uint32_t i = 0; i < table->cells; i++)
	{
		DpLevelSplit *of = &split[grouping->group[attribute][i]];

		of->level[of->n++] = i;
	}
	for (uint32_t g = 0; g < groups; g++)
		if (split[g].n > 1)
			DP_TRY(
				fill_split(&split[g], &model->domain.attribute[attribute], table, rows[g], arena));
	dp_free(arena, rows, groups, sizeof(*rows));
	return DP_OK;
}

static DpStatus
make_splits(const DpModel *model, const DpGrouping *grouping, const DpGraphical *graphical,
			const DpLevelSplit *const **out, DpArena *arena)
{
	uint32_t p = model->domain.attributes;
	DpLevelSplit **split = dp_alloc(arena, p, sizeof(*split));

	DP_TRY_ALLOC(split);
	for (uint32_t a = 0; a < p; a++)
	{
		split[a] = dp_alloc(arena, grouping->levels[a], sizeof(**split));
		DP_TRY_ALLOC(split[a]);
		DP_TRY(split_attribute(model, grouping, graphical, a, split[a], arena));
	}
	*out = (const DpLevelSplit *const *) split;
	return DP_OK;
}

/* ---- what the tables hold ---- */

/* In a table over several attributes, only the first level of a group has a value. */
static DpStatus
graphical_measured(const DpModel *model, DpMeasuredTable *table, DpArena *arena, DpError *error)
{
	DpGrouping grouping;

	DP_TRY(check_tables(model, error));
	DP_TRY(dp_grouping_parse(&grouping, model, arena, error));
	for (uint32_t t = 0; t < model->tables; t++)
	{
		const DpAttributeSet set = {model->table[t].n, model->table[t].attribute};

		if (set.n == 1)
			continue;
		table[t].group = grouping.group;
		DP_TRY(dp_grouping_firsts(&grouping, &set, &table[t].noisy, arena));
	}
	return DP_OK;
}

/* ---- the fit ---- */

static DpStatus
graphical_fit(const DpModel *model, void **out, const DpTick *tick, DpArena *arena, DpError *error)
{
	DpGraphicalFit *fit = dp_alloc(arena, 1, sizeof(*fit));
	DpGrouping *grouping = dp_alloc(arena, 1, sizeof(*grouping));
	DpStatus status;

	DP_TRY_ALLOC(fit && grouping);
	DP_TRY(check_tables(model, error));
	DP_TRY(dp_grouping_parse(grouping, model, arena, error));
	status = fit_model(model, grouping, &fit->graphical, tick, arena, error);
	if (status == DP_ERR_LIMIT)
		return dp_fail(error, DP_ERR_CORRUPT, "stored model: its cliques are larger than it says");
	DP_TRY(status);
	DP_TRY(make_splits(model, grouping, &fit->graphical, &fit->split, arena));
	dp_belief_forget(&fit->graphical.belief); /* what is shared keeps nothing for itself */
	fit->domain = &model->domain;
	fit->group = grouping->group;
	fit->rows = (uint64_t) model->rows;
	fit->systematic = dp_model_parameter(model, DP_PARAMETER_SYSTEMATIC, 1) != 0;
	DP_TRY(dp_graphical_fit_shares(fit, arena));
	*out = fit;
	return DP_OK;
}

/* Without the potentials, which are those of other priors. */
static DpStatus
graphical_refit(DpModel *model, const DpTick *tick, DpArena *arena, DpError *error)
{
	DpModel bare = *model;
	DpGrouping grouping;
	DpGraphical graphical;

	DP_TRY(check_tables(model, error));
	DP_TRY(dp_grouping_parse(&grouping, model, arena, error));
	bare.structure_n = grouping.structure_n;
	DP_TRY(fit_model(&bare, &grouping, &graphical, tick, arena, error));
	DP_TRY(dp_graphical_keep(&graphical, &grouping, DP_MODEL_STRUCTURE_MAX, model, arena));
	dp_graphical_free(&graphical);
	return DP_OK;
}

static DpStatus
graphical_prepare(const DpModel *model, void **sampler, const DpTick *tick, DpArena *arena,
				  DpError *error)
{
	void *fitted;

	DP_TRY(graphical_fit(model, &fitted, tick, arena, error));
	DP_TRY(dp_graphical_fit_compile(fitted, NULL, sampler, tick, arena, error));
	dp_graphical_free(&((DpGraphicalFit *) fitted)->graphical);
	return DP_OK;
}

/* The rows of a batch are dealt together, so that other workers could not help. */
static uint64_t
graphical_draw_cost(const DpModel *model, const void *state)
{
	(void) state;
	bool systematic = dp_model_parameter(model, DP_PARAMETER_SYSTEMATIC, 1) != 0;

	return systematic ? 1 : model->domain.attributes;
}

static const DpModelQuery graphical_query = {
	.fit = graphical_fit,
	.refit = graphical_refit,
	.marginal = dp_graphical_fit_marginal,
	.compile = dp_graphical_fit_compile,
	.sampler = &dp_graphical_sampler,
};

const DpSampler dp_graphical_sampler = {
	.prepare = graphical_prepare,
	.draw = dp_graphical_draw,
	.draw_cost = graphical_draw_cost,
	.draw_block = dp_graphical_draw_block,
	.expect = dp_graphical_expect,
	.query = &graphical_query,
	.measured = graphical_measured,
};
