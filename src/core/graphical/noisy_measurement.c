/*
 * noisy_measurement.c -- adding noisy measurements to a fit, and potentials as bits.
 */
#include "core/graphical/noisy_measurement.h"

#include <math.h>
#include <string.h>

#include "core/model/noisy_table.h"

#define RUNS_OF_MANY 4
#define POTENTIAL_MAX 1e9f
#define VARIANCE_LEAST 1e-6 /* rows^2: noise that is all but absent */

const DpFitRule dp_graphical_final_rule = {
	.ridge = 0.05, .tolerance = 0.02, .evaluations_max = 200};
const DpFitRule dp_graphical_round_rule = {.ridge = 0.05, .tolerance = 0.1, .evaluations_max = 20};

DpFitRule
dp_graphical_rule_for(const DpFitRule *rule, uint32_t attributes)
{
	DpFitRule of = *rule;

	if (attributes > DP_MANY_ATTRIBUTES)
		of.evaluations_max *= RUNS_OF_MANY;
	return of;
}

/* The count of a group is the sum over its levels, and its noise the sum of theirs. The model
 * takes one variance for all groups, the mean. */
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

	DP_TRY_ALLOC(observed);
	if (table->n == 1)
		DP_TRY(collapse_one(grouping, table, observed, &variance));
	else
		DP_TRY(dp_grouping_pick(grouping, &set, table->value, observed, arena));
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

static uint32_t
pack(double potential)
{
	/* for impossible cells that were counted, any number will do */
	float value = (float) fmax(-POTENTIAL_MAX, fmin(POTENTIAL_MAX, potential));
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

bool
dp_potential_unpack(uint32_t bits, double *potential)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	*potential = value;
	return fabsf(value) <= POTENTIAL_MAX;
}

static bool
are_moderate(const DpGraphical *graphical)
{
	for (uint64_t i = 0; i < graphical->potentials.n; i++)
		if (!(fabs(graphical->potentials.value[i]) < POTENTIAL_MAX))
			return false;
	return true;
}

DpStatus
dp_graphical_keep(const DpGraphical *graphical, const DpGrouping *grouping, uint64_t most,
				  DpModel *model, DpArena *arena)
{
	uint32_t groups = grouping->structure_n;
	uint64_t n = groups + graphical->potentials.n;
	double *potential = dp_alloc(arena, graphical->potentials.n, sizeof(*potential));

	if (n > most || !are_moderate(graphical))
		n = groups;
	model->structure_n = (uint32_t) n;
	model->structure = dp_alloc(arena, n, sizeof(*model->structure));
	DP_TRY_ALLOC(model->structure && potential);
	memcpy(model->structure, grouping->structure, groups * sizeof(*model->structure));
	DP_TRY(dp_graphical_potentials(graphical, potential));
	for (uint64_t i = groups; i < n; i++)
		model->structure[i] = pack(potential[i - groups]);
	dp_free(arena, potential, graphical->potentials.n, sizeof(*potential));
	return DP_OK;
}
