/*
 * graphical_prepare.c -- fitting a stored model and compiling its sampler.
 */
#include "graphical_prepare.h"

#include <math.h>
#include <string.h>

#include "graphical_public.h"
#include "graphical_sampler.h"
#include "release_table.h"
#include "simplex.h"

#define POTENTIAL_MAX 1e9f
#define VARIANCE_LEAST 1e-6 /* rows^2: noise that is all but absent */

const DpFitRule dp_graphical_final_rule = {
	.ridge = 0.05, .tolerance = 0.02, .evaluations_max = 200};
const DpFitRule dp_graphical_round_rule = {.ridge = 0.1, .tolerance = 0.05, .evaluations_max = 40};

/* ---- tables to evidence ---- */

/* A group of an attribute's own table is the sum of its levels, and has their noise: on average. */
static DpStatus
collapse_one(const DpGrouping *grouping, const DpTable *table, double *observed, double *variance)
{
	uint32_t a = table->attribute[0], groups = grouping->levels[a];

	memset(observed, 0, groups * sizeof(*observed));
	for (uint64_t i = 0; i < table->cells; i++)
		observed[grouping->group[a][i]] += (double) table->value[i];
	*variance *= (double) table->cells / groups;
	return DP_OK;
}

DpStatus
dp_graphical_add_table(DpGraphical *graphical, const DpGrouping *grouping, const DpTable *table,
					   DpArena *arena)
{
	const DpAttributeSet set = {table->n, table->attribute};
	double variance = fmax(dp_table_variance(table), VARIANCE_LEAST);
	uint64_t cells = dp_grouping_cells(grouping, &set);
	double *observed = dp_alloc(arena, cells, sizeof(*observed));

	if (observed == NULL)
		return DP_ERR_MEMORY;
	if (table->n == 1)
		DP_TRY(collapse_one(grouping, table, observed, &variance));
	else
		DP_TRY(dp_grouping_pick(grouping, &set, table->value, arena, observed));
	DP_TRY(dp_graphical_add(graphical, &set, observed, variance));
	dp_free(arena, observed, cells, sizeof(*observed));
	return DP_OK;
}

int64_t
dp_graphical_rows(const DpGraphical *graphical)
{
	double total = dp_graphical_total(graphical);

	return total <= 0 ? 0 : total >= 0x1p62 ? INT64_C(1) << 62 : (int64_t) llround(total);
}

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

uint32_t
dp_potential_pack(double potential)
{
	/* of cells that cannot be, but were counted, any number will do */
	float value = (float) fmax(-POTENTIAL_MAX, fmin(POTENTIAL_MAX, potential));
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

bool
dp_potentials_fit(const DpGraphical *graphical)
{
	for (uint64_t i = 0; i < graphical->parameters; i++)
		if (!(fabs(graphical->parameter[i]) < POTENTIAL_MAX))
			return false;
	return true;
}

/* *given: the model has the potentials, and the graphical model starts from them. */
static DpStatus
read_potentials(const DpModel *model, const DpGrouping *grouping, DpGraphical *graphical,
				bool *given, DpError *error)
{
	const uint32_t *bits = model->structure + grouping->structure_n;

	*given = model->structure_n > grouping->structure_n;
	if (!*given)
		return DP_OK;
	if (model->structure_n - grouping->structure_n != graphical->parameters)
		return dp_fail(error, DP_ERR_CORRUPT, "stored model: it has not one potential a cell");
	for (uint64_t i = 0; i < graphical->parameters; i++)
	{
		float value;

		memcpy(&value, &bits[i], sizeof(value));
		if (!(fabsf(value) <= POTENTIAL_MAX))
			return dp_fail(error, DP_ERR_CORRUPT, "stored model: a potential is impossible");
		graphical->parameter[i] = value;
	}
	graphical->fitted = graphical->tables;
	return DP_OK;
}

/* In the order in which they were measured; what is public came after the attributes' own. */
static DpStatus
add_tables(const DpModel *model, const DpGrouping *grouping, DpGraphical *graphical, DpArena *arena,
		   const DpTick *tick)
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

static DpStatus
fit_model(const DpModel *model, const DpGrouping *grouping, DpArena *arena, const DpTick *tick,
		  DpGraphical *graphical, DpError *error)
{
	int64_t cells = dp_model_parameter(model, DP_PARAMETER_CELLS, 0);
	bool is_public = dp_unit_rows_public(&model->unit);
	DpFitRule rule = dp_graphical_final_rule;
	DpStatus status;
	bool given;

	if (cells < 1 || (uint64_t) cells > DP_GRAPHICAL_CELLS_MAX)
		return dp_fail(error, DP_ERR_CORRUPT, "stored model: its size is impossible");
	DP_TRY(dp_graphical_init(graphical, grouping->levels, model->domain.attributes,
							 is_public ? (double) model->rows : DP_TOTAL_UNKNOWN, (uint64_t) cells,
							 arena));
	DP_TRY(add_tables(model, grouping, graphical, arena, tick));
	DP_TRY(read_potentials(model, grouping, graphical, &given, error));
	if (given)
		rule = (DpFitRule){.ridge = 1, .tolerance = INFINITY, .evaluations_max = 1};
	status = dp_graphical_fit(graphical, &rule, tick);
	if (status == DP_ERR_LIMIT)
		return dp_fail(error, DP_ERR_CORRUPT, "stored model: its cliques are larger than it says");
	return status;
}

/* ---- groups back to levels ---- */

/* Shares of a group's levels: their noisy counts, projected on the simplex of the group's rows. */
static DpStatus
fill_split(DpSplit *split, const DpTable *table, double rows, DpArena *arena)
{
	double *work = dp_alloc(arena, split->n, sizeof(*work));
	double so_far = 0, total = rows > 1 ? rows : 1;

	split->cumulative = dp_alloc(arena, split->n, sizeof(*split->cumulative));
	if (work == NULL || split->cumulative == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t i = 0; i < split->n; i++)
		split->cumulative[i] = (double) table->value[split->level[i]];
	dp_simplex_project(split->cumulative, split->n, total, work);
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
				uint32_t attribute, DpArena *arena, DpSplit *split)
{
	const DpTable *table = &model->table[attribute];
	const DpAttributeSet set = {1, table->attribute};
	uint32_t groups = grouping->levels[attribute];
	uint32_t *level = dp_alloc(arena, table->cells, sizeof(*level));
	double *rows = dp_alloc(arena, groups, sizeof(*rows));

	if (level == NULL || rows == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(dp_graphical_marginal(graphical, &set, rows));
	for (uint32_t i = 0; i < table->cells; i++)
		split[grouping->group[attribute][i]].n++;
	for (uint32_t g = 0; g < groups; level += split[g++].n)
		split[g].level = level;
	for (uint32_t g = 0; g < groups; g++)
		split[g].n = 0;
	for (uint32_t i = 0; i < table->cells; i++)
	{
		DpSplit *of = &split[grouping->group[attribute][i]];

		of->level[of->n++] = i;
	}
	for (uint32_t g = 0; g < groups; g++)
		if (split[g].n > 1)
			DP_TRY(fill_split(&split[g], table, rows[g], arena));
	dp_free(arena, rows, groups, sizeof(*rows));
	return DP_OK;
}

static DpStatus
make_splits(const DpModel *model, const DpGrouping *grouping, const DpGraphical *graphical,
			DpArena *arena, const DpSplit *const **out)
{
	uint32_t p = model->domain.attributes;
	DpSplit **split = dp_alloc(arena, p, sizeof(*split));

	if (split == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t a = 0; a < p; a++)
	{
		split[a] = dp_alloc(arena, grouping->levels[a], sizeof(**split));
		if (split[a] == NULL)
			return DP_ERR_MEMORY;
		DP_TRY(split_attribute(model, grouping, graphical, a, arena, split[a]));
	}
	*out = (const DpSplit *const *) split;
	return DP_OK;
}

DpStatus
dp_graphical_prepare(const DpModel *model, DpArena *arena, const DpTick *tick, void **sampler,
					 DpError *error)
{
	bool systematic = dp_model_parameter(model, DP_PARAMETER_SYSTEMATIC, 1) != 0;
	const DpSplit *const *split;
	DpGraphicalSampler *built;
	DpGraphical graphical;
	DpGrouping grouping;

	DP_TRY(check_tables(model, error));
	DP_TRY(dp_grouping_parse(&grouping, model, arena, error));
	DP_TRY(fit_model(model, &grouping, arena, tick, &graphical, error));
	DP_TRY(make_splits(model, &grouping, &graphical, arena, &split));
	DP_TRY(dp_graphical_sampler_build(&graphical, split, (uint64_t) model->rows, systematic, arena,
									  &built));
	dp_graphical_free(&graphical);
	*sampler = built;
	return DP_OK;
}

/* Rows of a tile are dealt together: other workers could not help. */
uint64_t
dp_graphical_draw_cost(const DpModel *model)
{
	bool systematic = dp_model_parameter(model, DP_PARAMETER_SYSTEMATIC, 1) != 0;

	return systematic ? 1 : model->domain.attributes;
}
