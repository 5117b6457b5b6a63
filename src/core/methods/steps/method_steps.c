/*
 * method_steps.c -- hierarchical trees: steps, uh and flat.
 *
 * steps -- statistical election to partition sequentially
 * uh    -- universal histogram: the same in a public random order
 * flat  -- flat Laplace, the full-dimensional histogram: one layer, all attributes
 *
 * Inputs:      L layers above the last, each a cross table over one or more attributes more than
 *              the one before; the order of attributes, which is public, or selected with
 *              budget for the whole tree or at each node
 * Output:      noisy counts of the nodes of all layers; rows are drawn from consistent
 *              nonnegative estimates of them
 * Neighbours:  the dataset's
 * Guarantee:   (epsilon, 0)-DP by basic composition of the selections (dp_steps_select_order,
 * dp_steps_select_clusters, dp_steps_select_branches), of the row count where no layer tells it,
 * and of H
 *              layers, each a histogram (dp_laplace_release or dp_sparse_histogram_release) at
 *              an equal share
 * Source:      the STEPS paper; universal histogram: Hay, Rastogi, Miklau, Suciu (2010).
 *              Departures: docs/methods/steps.md, errata. The main ones are exact least squares
 *              on the actual tree in place of phantom categories, nonnegativity from the top,
 *              sparse histograms where a layer is too large, and a public K in the score.
 */
#include "core/base/index_list.h"
#include "core/methods/registry.h"
#include "core/methods/steps/steps_plan.h"
#include "core/plan/method.h"
#include "core/plan/release_table.h"
#include "core/sample/steps/steps_sampler.h"

#define SPEC_LAYERS(value, words)                                                                  \
	{                                                                                              \
		.name = "layers", .type = DP_OPTION_INTEGER, .fallback = value, .minimum = 0,              \
		.maximum = DP_LAYERS_MAX, .summary = words                                                 \
	}
#define SPEC_LAYER_WIDTH                                                                           \
	{                                                                                              \
		.name = "layer_width", .type = DP_OPTION_INTEGER, .fallback = "1", .minimum = 1,           \
		.maximum = DP_LAYERS_MAX, .summary = "Columns that each layer above the last adds."        \
	}

static const DpOptionSpec steps_specs[] = {
	SPEC_LAYERS("2", "Layers above the last one, which is the cross table of all columns."),
	SPEC_LAYER_WIDTH,
	{
		.name = "column_order",
		.type = DP_OPTION_NAMES,
		.summary = "Public order of columns, the most important first; nothing is spent on "
				   "choosing it.",
	},
	{
		.name = "groups",
		.type = DP_OPTION_NAME_MAP,
		.summary = "Public layers: the list of columns that each one adds, by its number \"1\", "
				   "\"2\", and so on.",
	},
	{
		.name = "branches",
		.type = DP_OPTION_CHOICE,
		.fallback = "common",
		.choices = "common|own|clusters",
		.summary = "Whether one order is selected for the whole tree, each node selects how it is "
				   "split, or each layer above the last adds a group of columns of any size: the "
				   "one whose mean score differs most from that of the columns left over.",
	},
	{
		.name = "score",
		.type = DP_OPTION_CHOICE,
		.fallback = "aic",
		.choices = "aic|dependence|bic",
		.summary = "What selection goes by: Akaike's or the Bayesian criterion of each column, or "
				   "its dependence on the others.",
	},
	DP_SPEC_SHARE("selection_share", "0.1",
				  "Share of epsilon for selecting the order, where it is not public."),
	DP_SPEC_COUNT_SHARE,
	DP_SPEC_DENSE_LIMIT,
	DP_SPEC_NO_FALSE_POSITIVES,
};

static const DpOptionSpec uh_specs[] = {
	SPEC_LAYERS("16", "Layers above the last one; fewer where the columns are used up before."),
	SPEC_LAYER_WIDTH,
	{
		.name = "order_seed",
		.type = DP_OPTION_INTEGER,
		.fallback = "1",
		.minimum = 0,
		.maximum = INT64_MAX,
		.summary = "Public seed of the random order of columns.",
	},
	DP_SPEC_COUNT_SHARE,
	DP_SPEC_DENSE_LIMIT,
	DP_SPEC_NO_FALSE_POSITIVES,
};

static const DpOptionSpec flat_specs[] = {
	DP_SPEC_COUNT_SHARE,
	DP_SPEC_DENSE_LIMIT,
	DP_SPEC_NO_FALSE_POSITIVES,
};

static DpStatus
common_shape(const DpPlan *plan, DpStepsShape *shape, DpError *error)
{
	*shape = (DpStepsShape){
		.count_share_nano = dp_plan_option(plan, "count_share"),
		.layer = {.dense_cells = (uint64_t) dp_plan_option(plan, "dense_cells")},
	};
	return dp_plan_no_false_positives(plan, "no_false_positives",
									  dp_plan_option(plan, "no_false_positives"),
									  &shape->layer.no_false_positives_nano, error);
}

/* Makes layers of layer_width attributes. They leave at least `spare` attributes over. */
static DpLayerWidths
equal_widths(uint32_t layers, uint32_t width, uint32_t attributes, uint32_t spare)
{
	DpLayerWidths widths = {.layers = 0};
	uint32_t left = attributes > spare ? attributes - spare : 0;

	for (; widths.layers < layers && left > 0; widths.layers++)
	{
		widths.width[widths.layers] = width < left ? width : left;
		left -= widths.width[widths.layers];
	}
	return widths;
}

/* ---- public orders ---- */

/* Appends the columns of a list to the order. */
static DpStatus
place_names(const char *option, const DpNameList *list, const DpDomain *domain, uint32_t *order,
			uint32_t *placed, DpError *error)
{
	for (uint32_t i = 0; i < list->n; i++)
	{
		uint32_t found;

		DP_TRY(dp_option_column(option, domain, list->name[i], &found, error));
		if (dp_index_among(order, *placed, found))
			return dp_fail(error, DP_ERR_ARGUMENT, "option \"%s\" names column \"%s\" twice",
						   option, list->name[i]);
		order[(*placed)++] = found;
	}
	return DP_OK;
}

static void
place_rest(const DpDomain *domain, uint32_t *order, uint32_t placed)
{
	uint32_t at = placed;

	for (uint32_t a = 0; a < domain->attributes; a++)
		if (!dp_index_among(order, placed, a))
			order[at++] = a;
}

/* The list of group number l + 1, or NULL. */
static const DpNameList *
find_group(const DpOption *groups, uint32_t l)
{
	for (uint32_t i = 0; i < groups->lists; i++)
	{
		const char *key = groups->list[i].key;
		uint32_t number = 0;

		for (; *key >= '0' && *key <= '9' && number <= DP_LAYERS_MAX; key++)
			number = number * 10 + (uint32_t) (*key - '0');
		if (*key == '\0' && number == l + 1)
			return &groups->list[i];
	}
	return NULL;
}

static DpStatus
bad_groups(DpError *error)
{
	(void) dp_fail(error, DP_ERR_ARGUMENT, "option \"groups\" does not number its layers");
	dp_fail_detail(error, "There may be %d; each must have a column of its own.", DP_LAYERS_MAX);
	dp_fail_hint(error, "Write it like {\"1\": [\"a\"], \"2\": [\"b\", \"c\"]}.");
	return DP_ERR_ARGUMENT;
}

static DpStatus
order_from_groups(const DpPlan *plan, const DpOption *groups, DpStepsShape *shape, uint32_t *order,
				  DpError *error)
{
	const DpDomain *domain = plan->request->domain;
	uint32_t placed = 0;

	if (groups->lists > DP_LAYERS_MAX)
		return bad_groups(error);
	for (uint32_t l = 0; l < groups->lists; l++)
	{
		const DpNameList *list = find_group(groups, l);

		if (list == NULL || list->n == 0)
			return bad_groups(error);
		DP_TRY(place_names("groups", list, domain, order, &placed, error));
		shape->widths.width[shape->widths.layers++] = list->n;
	}
	place_rest(domain, order, placed);
	return DP_OK;
}

/*
 * Reads the order. It may name only the first attributes; then there are no layers for the others.
 */
static DpStatus
order_from_names(const DpPlan *plan, const DpOption *names, DpStepsShape *shape, uint32_t *order,
				 DpError *error)
{
	const DpDomain *domain = plan->request->domain;
	uint32_t placed = 0;

	DP_TRY(place_names("column_order", &names->list[0], domain, order, &placed, error));
	shape->widths = equal_widths((uint32_t) dp_plan_option(plan, "layers"),
								 (uint32_t) dp_plan_option(plan, "layer_width"), placed, 0);
	place_rest(domain, order, placed);
	return DP_OK;
}

static DpStatus
steps_plan(DpPlan *plan, DpArena *arena, DpError *error)
{
	const DpOption *names = dp_option_lists(plan->request->options, "column_order");
	const DpOption *groups = dp_option_lists(plan->request->options, "groups");
	uint32_t attributes = plan->request->domain->attributes;
	uint32_t *order = dp_alloc(arena, attributes, sizeof(*order));
	DpStepsShape shape;
	DpStepsPlan *steps;

	DP_TRY_ALLOC(order);
	DP_TRY(common_shape(plan, &shape, error));
	shape.branches = dp_plan_option(plan, "branches") == 1;
	shape.dependence = dp_plan_option(plan, "score") == 1;
	shape.bic = dp_plan_option(plan, "score") == 2;
	shape.clusters = dp_plan_option(plan, "branches") == 2;
	shape.selection_share_nano = dp_plan_option(plan, "selection_share");
	if (shape.clusters && (names != NULL || groups != NULL))
		return dp_fail(error, DP_ERR_ARGUMENT,
					   "option \"branches\" selects \"clusters\", and \"column_order\" and "
					   "\"groups\" say them");
	if (names != NULL && groups != NULL)
		return dp_fail(error, DP_ERR_ARGUMENT,
					   "options \"column_order\" and \"groups\" exclude each other");
	if (groups != NULL)
		DP_TRY(order_from_groups(plan, groups, &shape, order, error));
	else if (names != NULL)
		DP_TRY(order_from_names(plan, names, &shape, order, error));
	else
		/* The attributes that are left last need not be chosen. */
		shape.widths = equal_widths(
			(uint32_t) dp_plan_option(plan, "layers"),
			shape.clusters ? 1 : (uint32_t) dp_plan_option(plan, "layer_width"), attributes, 1);
	if (groups != NULL || names != NULL)
		shape.order = order;
	DP_TRY(dp_steps_plan(plan, &shape, &steps, arena, error));
	plan->private_data = steps;
	return DP_OK;
}

/* The shuffle of Fisher and Yates, from a public seed. So the order tells nothing about the
 * data. */
static void
shuffle(uint32_t *order, uint32_t n, uint64_t seed)
{
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){seed, 0, 0});
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	for (uint32_t i = n; i > 1; i--)
	{
		uint32_t k = (uint32_t) dp_prng_below(&prng, i);
		uint32_t swapped = order[i - 1];

		order[i - 1] = order[k];
		order[k] = swapped;
	}
}

static DpStatus
uh_plan(DpPlan *plan, DpArena *arena, DpError *error)
{
	uint32_t attributes = plan->request->domain->attributes;
	uint32_t *order = dp_alloc(arena, attributes, sizeof(*order));
	DpStepsShape shape;
	DpStepsPlan *steps;

	DP_TRY_ALLOC(order);
	DP_TRY(common_shape(plan, &shape, error));
	shuffle(order, attributes, (uint64_t) dp_plan_option(plan, "order_seed"));
	shape.order = order;
	shape.widths = equal_widths((uint32_t) dp_plan_option(plan, "layers"),
								(uint32_t) dp_plan_option(plan, "layer_width"), attributes, 0);
	DP_TRY(dp_steps_plan(plan, &shape, &steps, arena, error));
	plan->private_data = steps;
	return DP_OK;
}

static DpStatus
flat_plan(DpPlan *plan, DpArena *arena, DpError *error)
{
	uint32_t attributes = plan->request->domain->attributes;
	uint32_t *order = dp_alloc(arena, attributes, sizeof(*order));
	DpStepsShape shape;
	DpStepsPlan *steps;

	DP_TRY_ALLOC(order);
	DP_TRY(common_shape(plan, &shape, error));
	place_rest(plan->request->domain, order, 0);
	shape.order = order;
	DP_TRY(dp_steps_plan(plan, &shape, &steps, arena, error));
	plan->private_data = steps;
	return DP_OK;
}

static DpStatus
steps_measure(const DpMeasurement *m, DpModel *model, DpError *error)
{
	return dp_steps_measure(m, m->plan->private_data, model, error);
}

const DpMethod dp_method_steps = {
	.name = "steps",
	.summary = "A tree of cross tables, the most important columns first, made consistent by "
			   "least squares.",
	.guarantee = "epsilon-DP; (epsilon, delta)-DP with open columns",
	.source = "STEPS, corrected",
	DP_SPECS(steps_specs),
	.plan = steps_plan,
	.measure = steps_measure,
	.sampler = &dp_steps_sampler,
};

const DpMethod dp_method_uh = {
	.name = "uh",
	.summary = "The tree of steps with its columns in a public random order.",
	.guarantee = "epsilon-DP; (epsilon, delta)-DP with open columns",
	.source = "universal histogram, Hay, Rastogi, Miklau, Suciu 2010",
	DP_SPECS(uh_specs),
	.plan = uh_plan,
	.measure = steps_measure,
	.sampler = &dp_steps_sampler,
};

const DpMethod dp_method_flat = {
	.name = "flat",
	.summary = "One cross table of all columns with noise and no delta, however large it is.",
	.guarantee = "epsilon-DP; (epsilon, delta)-DP with open columns",
	.source = "flat Laplace; sparse histogram: Cormode, Procopiuc, Srivastava, Tran 2012",
	DP_SPECS(flat_specs),
	.plan = flat_plan,
	.measure = steps_measure,
	.sampler = &dp_steps_sampler,
};
