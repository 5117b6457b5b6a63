/*
 * steps_measure.c -- counting and releasing the layers of a tree.
 *
 * dp_steps_measure
 *
 * Inputs:      a plan; the order of attributes, public or to be selected
 * Output:      the model. Each dense layer has a table, or one for each set of attributes that
 *              its branches have; in these only the cells of its nodes are noisy, and all others
 *              are 0. Each larger layer has a sparse histogram. The number of rows is there if
 *              it was bought. The structure is the partition.
 * Neighbours:  the dataset's; a row is in one node of each layer, so a layer is a histogram
 * Guarantee:   (epsilon, 0)-DP: selection, row count and layers by basic composition. Which
 *              cells are nodes follows from the partition, which is public or released.
 */
#include "core/methods/steps/steps_plan.h"

#include "core/mechanism/mechanism.h"
#include "core/model/steps/layer_tables.h"
#include "core/model/noisy_table.h"
#include "core/plan/release_table.h"
#include "core/methods/steps/steps_clusters.h"

#define LAYERS "tree layers"

/* The exact tables of one dense layer. */
typedef struct Layer
{
	DpLayerTables tables;
	DpMarginal *exact; /* [tables.n] */
} Layer;

typedef struct Counted
{
	DpLayout layout;
	Layer *layer;     /* [layout.partition.layers] */
	DpMarginal *tail; /* [layout.tails] */
} Counted;

static DpStatus
make_layout(const DpMeasurement *m, const DpStepsPlan *steps, DpLayout *layout, DpError *error)
{
	const DpStepsShape *shape = &steps->shape;
	const uint32_t *order = shape->order;
	uint32_t selected[DP_ATTRIBUTES_MAX];
	DpLayerWidths widths = shape->widths;
	DpPartition partition;

	/* Values that were discovered can make such a tree too large. One order is taken then, at
	 * the same cost. */
	if (order == NULL && shape->branches && shape->widths.layers > 0 &&
		dp_steps_branches_fit(&steps->selection, m->domain))
	{
		dp_announce(m, "select order");
		DP_TRY(dp_steps_select_branches(m, &steps->selection, &partition, error));
		return dp_layout_below(layout, partition, shape->layer.dense_cells);
	}
	for (uint32_t a = 0; a < m->domain->attributes; a++)
		selected[a] = a;
	if (order == NULL && shape->widths.layers > 0)
	{
		dp_announce(m, "select order");
		if (shape->clusters)
			DP_TRY(dp_steps_select_clusters(m, &steps->selection, selected, &widths, error));
		else
			DP_TRY(dp_steps_select_order(m, &steps->selection, selected, error));
	}
	return dp_layout_from_order(layout, m->domain, &widths, order != NULL ? order : selected,
								shape->layer.dense_cells, m->arena);
}

/* ---- counting ---- */

static DpStatus
init_layer(const DpMeasurement *m, const DpPartition *partition, uint32_t l, Layer *layer,
		   DpError *error)
{
	DP_TRY(dp_layer_tables(partition, l, &layer->tables));
	layer->exact = dp_alloc(m->arena, layer->tables.n, sizeof(*layer->exact));
	DP_TRY_ALLOC(layer->exact);
	for (uint32_t t = 0; t < layer->tables.n; t++)
		DP_TRY(dp_marginal_init(&layer->exact[t], m->domain,
								&(DpAttributeSet){layer->tables.width, layer->tables.attribute +
																		   t * layer->tables.width},
								DP_DENSE, m->arena, error));
	return DP_OK;
}

static DpStatus
init_counted(const DpMeasurement *m, Counted *counted, uint32_t *tables_n, DpError *error)
{
	const DpLayout *layout = &counted->layout;

	counted->layer = dp_alloc(m->arena, layout->partition.layers, sizeof(*counted->layer));
	counted->tail = dp_alloc(m->arena, layout->tails, sizeof(*counted->tail));
	DP_TRY_ALLOC(counted->layer && counted->tail);
	*tables_n = layout->tails;
	for (uint32_t l = 0; l < layout->partition.layers; l++)
	{
		DP_TRY(init_layer(m, &layout->partition, l, &counted->layer[l], error));
		*tables_n += counted->layer[l].tables.n;
	}
	for (uint32_t t = 0; t < layout->tails; t++)
		DP_TRY(dp_marginal_init(&counted->tail[t], m->domain,
								&(DpAttributeSet){layout->tail_width[t], layout->tail_attribute},
								DP_SPARSE, m->arena, error));
	return DP_OK;
}

static DpStatus
count_all(const DpMeasurement *m, Counted *counted, DpError *error)
{
	uint32_t n, at = 0;
	DpMarginal **tables;

	DP_TRY(init_counted(m, counted, &n, error));
	tables = dp_alloc(m->arena, n, sizeof(*tables));
	DP_TRY_ALLOC(tables);
	for (uint32_t l = 0; l < counted->layout.partition.layers; l++)
		for (uint32_t t = 0; t < counted->layer[l].tables.n; t++)
			tables[at++] = &counted->layer[l].exact[t];
	for (uint32_t t = 0; t < counted->layout.tails; t++)
		tables[at++] = &counted->tail[t];
	DP_TRY(m->counter->count(m->counter->context, m->domain, tables, n, error));
	dp_free(m->arena, tables, n, sizeof(*tables));
	return DP_OK;
}

/* ---- releasing ---- */

/* Collects the exact counts of a layer's nodes. A node's count is a cell of the table that it
 * shares with its siblings. */
static void
gather(const DpSplit *split, const Layer *layer, int64_t *count)
{
	for (uint64_t v = 0; v < split->nodes_above; v++)
	{
		const DpMarginal *exact = &layer->exact[dp_layer_table_of(&layer->tables, v)];

		for (uint64_t u = split->first[v]; u < split->first[v + 1]; u++)
			count[u] = exact->dense[layer->tables.cell == NULL ? u : layer->tables.cell[u]];
	}
}

static void
scatter(const DpSplit *split, const Layer *layer, const int64_t *noisy, DpTable *out)
{
	for (uint64_t v = 0; v < split->nodes_above; v++)
	{
		const DpTable *table = &out[dp_layer_table_of(&layer->tables, v)];

		for (uint64_t u = split->first[v]; u < split->first[v + 1]; u++)
			table->value[layer->tables.cell == NULL ? u : layer->tables.cell[u]] = noisy[u];
	}
}

/* Makes tables of zeros for the noisy counts of nodes. */
static DpStatus
empty_tables(const DpMeasurement *m, const Layer *layer, int64_t epsilon_nano, DpTable *out)
{
	for (uint32_t t = 0; t < layer->tables.n; t++)
	{
		DP_TRY(dp_table_describe(m, &layer->exact[t], &out[t]));
		out[t].noise = DP_NOISE_LAPLACE;
		out[t].cost = dp_cost_pure(epsilon_nano);
		out[t].cells = layer->exact[t].cells;
		out[t].value = dp_alloc(m->arena, out[t].cells, sizeof(*out[t].value));
		DP_TRY_ALLOC(out[t].value);
	}
	return DP_OK;
}

static DpStatus
release_layer(const DpMeasurement *m, const DpSplit *split, Layer *layer, int64_t epsilon_nano,
			  DpTable *out)
{
	int64_t *count = dp_alloc(m->arena, split->nodes, sizeof(*count));

	DP_TRY_ALLOC(count);
	gather(split, layer, count);
	DP_TRY(empty_tables(m, layer, epsilon_nano, out));
	for (uint32_t t = 0; t < layer->tables.n; t++)
		dp_marginal_free(&layer->exact[t]);
	DP_TRY(dp_laplace_release(&m->noise, dp_unit_laplace(&m->plan->request->unit, epsilon_nano),
							  count, split->nodes, count));
	scatter(split, layer, count, out);
	dp_free(m->arena, count, split->nodes, sizeof(*count));
	return DP_OK;
}

static int64_t
rows_counted(const Counted *counted)
{
	return counted->layout.partition.layers > 0 ? counted->layer[0].exact[0].total
												: counted->tail[0].total;
}

static uint32_t
tables_of(const Counted *counted, const DpStepsPlan *steps)
{
	uint32_t n = counted->layout.tails + (steps->epsilon_rows_nano > 0);

	for (uint32_t l = 0; l < counted->layout.partition.layers; l++)
		n += counted->layer[l].tables.n;
	return n;
}

static DpStatus
release_all(const DpMeasurement *m, const DpStepsPlan *steps, Counted *counted, int64_t rows,
			DpModel *model)
{
	DpTable *out;

	model->tables = tables_of(counted, steps);
	model->table = dp_alloc(m->arena, model->tables, sizeof(*model->table));
	DP_TRY_ALLOC(model->table);
	out = model->table;
	for (uint32_t l = 0; l < counted->layout.partition.layers; l++)
	{
		DP_TRY(release_layer(m, &counted->layout.partition.split[l], &counted->layer[l],
							 steps->shape.layer.epsilon_nano, out));
		out += counted->layer[l].tables.n;
	}
	for (uint32_t t = 0; t < counted->layout.tails; t++)
	{
		DP_TRY(dp_table_release_pure(m, &counted->tail[t], &steps->shape.layer, out++));
		dp_marginal_free(&counted->tail[t]);
	}
	if (steps->epsilon_rows_nano > 0)
		DP_TRY(dp_rows_release(m, rows, dp_cost_pure(steps->epsilon_rows_nano), out));
	return DP_OK;
}

/* ---- the number of rows ---- */

/* The mean of what the dense layers and the row count tell, weighted by inverse variance. A
 * layer's variance is that of its nodes, since the cells of its tables that are no nodes are 0. */
static int64_t
estimate_rows(const DpStepsPlan *steps, const Counted *counted, const DpModel *model)
{
	const DpTable *table = model->table;
	DpRowsMean mean = {0};

	for (uint32_t l = 0; l < counted->layout.partition.layers; l++)
	{
		double nodes = (double) counted->layout.partition.split[l].nodes;
		double variance = nodes * dp_table_variance(table), total = 0;

		for (uint32_t t = 0; t < counted->layer[l].tables.n; t++)
			total += dp_table_total(table++);
		dp_rows_mean_add(&mean, (DpRowsEstimate){.rows = total, .variance = variance});
	}
	table = &model->table[model->tables - 1];
	if (steps->epsilon_rows_nano > 0)
		dp_rows_mean_add(&mean, (DpRowsEstimate){.rows = dp_table_total(table),
												 .variance = dp_table_variance(table)});
	return dp_rows_whole(dp_rows_mean(&mean));
}

static DpStatus
too_large(DpStatus status, DpError *error)
{
	if (status != DP_ERR_LIMIT || error == NULL || error->status != DP_OK)
		return status;
	return dp_fail(error, status, "the tree that was selected has too many tables or nodes");
}

DpStatus
dp_steps_measure(const DpMeasurement *m, const DpStepsPlan *steps, DpModel *model, DpError *error)
{
	Counted counted = {.tail = NULL};
	int64_t rows;
	DpStatus status = make_layout(m, steps, &counted.layout, error);

	if (status != DP_OK)
		return too_large(status, error);
	dp_announce(m, LAYERS);
	DP_TRY(count_all(m, &counted, error));
	rows = rows_counted(&counted);
	DP_TRY(release_all(m, steps, &counted, rows, model));
	model->rows =
		dp_unit_rows_public(&m->plan->request->unit) ? rows : estimate_rows(steps, &counted, model);
	return dp_layout_store(&counted.layout, model, m->arena);
}
