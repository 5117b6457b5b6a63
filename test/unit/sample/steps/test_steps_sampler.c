/*
 * test_steps_sampler.c -- rows of a small tree by the distribution that its tables tell: dense
 * layers that agree, and sparse ones that claim too much, too little, or nothing.
 */
#include "core/accounting/stddev.h"
#include "core/model/steps/steps_layout.h"
#include "core/sample/steps/steps_sampler.h"

#include "unit_data.h"
#include "unit_stat.h"

#define DRAWS 200000
#define CELLS 24

static const uint32_t levels[] = {3, 2, 4};
static uint32_t order[] = {0, 1, 2};

/* Rows of each cell; 1000 in all. */
static const int64_t joint[CELLS] = {100, 20, 0,  80, 50, 10, 30, 10, 0,  60, 40, 0,
									 100, 0,  90, 10, 70, 30, 20, 80, 50, 50, 60, 40};

static int64_t
margin(uint32_t attributes, uint32_t cell)
{
	uint32_t below = attributes == 1 ? 8 : attributes == 2 ? 4 : 1;
	int64_t sum = 0;

	for (uint32_t i = 0; i < below; i++)
		sum += joint[cell * below + i];
	return sum;
}

static DpTable
dense_layer(DpArena *arena, uint32_t attributes, uint32_t cells)
{
	DpTable table = {.n = attributes,
					 .attribute = order,
					 .storage = DP_DENSE,
					 .cells = cells,
					 .noise = DP_NOISE_LAPLACE,
					 .cost = {DP_EPSILON_ONE, 0, 0},
					 .sensitivity_l1 = 1};

	table.value = dp_alloc(arena, cells, sizeof(*table.value));
	for (uint32_t i = 0; i < cells; i++)
		table.value[i] = margin(attributes, i);
	return table;
}

/* A tree of layers of the first attribute, of one more each, and of the rest. Layers of more
 * cells than dense_cells are sparse tables, which the caller makes. */
static DpModel
make_model(DpArena *arena, uint32_t above, uint64_t dense_cells)
{
	const DpLayerWidths widths = {above, {1, 1}};
	DpModel model = {.rows = 1000, .unit = {DP_ADD_REMOVE, 1}};
	DpDomain *domain = dp_alloc(arena, 1, sizeof(*domain));
	DpLayout layout;

	*domain = unit_domain(arena, levels, 3);
	model.domain = *domain;
	model.table = dp_alloc(arena, 3, sizeof(*model.table));
	MUST(dp_layout_from_order(&layout, domain, &widths, order, dense_cells, arena));
	MUST(dp_layout_store(&layout, &model, arena));
	for (uint32_t l = 0; l < layout.partition.layers; l++)
		model.table[model.tables++] = dense_layer(arena, dp_layout_depth(&widths, 3, l),
												  (uint32_t) layout.partition.split[l].nodes);
	return model;
}

static DpStatus
prepare_status(const DpModel *model, DpArena *arena, void **sampler)
{
	DpError error = {.status = DP_OK};
	DpStatus status = dp_steps_sampler.prepare(model, sampler, NULL, arena, &error);

	return status == DP_ERR_CORRUPT && error.status != status ? DP_ERR_INTERNAL : status;
}

static double
distribution_p(const DpModel *model, DpArena *arena, const double *probability, uint64_t *observed)
{
	void *sampler;
	DpPrng prng;

	memset(observed, 0, CELLS * sizeof(*observed));
	MUST(prepare_status(model, arena, &sampler));
	dp_prng_seed(&prng, (DpStream){181, 0, 0});
	for (int i = 0; i < DRAWS; i++)
	{
		uint32_t codes[3];

		dp_steps_sampler.draw(sampler, &prng, codes);
		observed[(codes[0] * levels[1] + codes[1]) * levels[2] + codes[2]]++;
	}
	return unit_chi_square_p(observed, probability, CELLS, DRAWS);
}

static uint64_t
in_empty_cells(const double *probability, const uint64_t *observed)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < CELLS; i++)
		n += probability[i] == 0 ? observed[i] : 0;
	return n;
}

static void
test_dense(DpArena *arena)
{
	DpModel model = make_model(arena, 2, CELLS);
	double probability[CELLS];
	uint64_t observed[CELLS];

	for (int i = 0; i < CELLS; i++)
		probability[i] = (double) joint[i] / 1000;
	CHECK(distribution_p(&model, arena, probability, observed) > UNIT_P_MIN,
		  "dense layers that agree are the law");
	CHECK(in_empty_cells(probability, observed) == 0, "an empty cell has no rows");
}

/* The first of two layers has 90 rows more in one node and 90 less in another. A node's own
 * count is believed against the sum of its 8 cells by the variances of both. */
static void
test_disagreeing(DpArena *arena, int64_t epsilon_above, int64_t epsilon_below)
{
	DpModel model = make_model(arena, 1, CELLS);
	double above =
		pow(dp_laplace_stddev((DpLaplace){.epsilon_nano = epsilon_above, .sensitivity_l1 = 1}), 2);
	double below =
		8 *
		pow(dp_laplace_stddev((DpLaplace){.epsilon_nano = epsilon_below, .sensitivity_l1 = 1}), 2);
	double each = 90 * below / (below + above) / 8;
	double probability[CELLS];
	uint64_t observed[CELLS];

	CHECK_I64(model.tables, 2, "two layers");
	model.table[0].cost.epsilon_nano = epsilon_above;
	model.table[1].cost.epsilon_nano = epsilon_below;
	model.table[0].value[0] += 90;
	model.table[0].value[2] -= 90;
	for (int i = 0; i < CELLS; i++)
		probability[i] = ((double) joint[i] + (i < 8 ? each : i < 16 ? 0 : -each)) / 1000;
	CHECK(distribution_p(&model, arena, probability, observed) > UNIT_P_MIN,
		  "layers that disagree are believed by their noise: %.2f rows a cell", each);
}

/* Attribute 0 is a dense layer of 300, 300, 400 rows; below it some cells over all attributes. */
static void
test_sparse(DpArena *arena)
{
	DpModel model = make_model(arena, 2, 3);
	uint32_t code[] = {0, 0, 0, 0, 0, 3, 0, 1, 1, 1, 0, 1, 1, 1, 2};
	int64_t value[] = {250, 150, 20, 30, 60};
	double probability[CELLS] = {0};
	uint64_t observed[CELLS];
	DpTable tail = {.n = 3,
					.attribute = order,
					.storage = DP_SPARSE,
					.cells = 5,
					.value = value,
					.code = code,
					.noise = DP_NOISE_SPARSE,
					.cost = {DP_EPSILON_ONE, 0, 0},
					.sensitivity_l1 = 1,
					.threshold_rows = 15};

	CHECK_I64(model.tables, 1, "with room for three nodes one layer is dense");
	model.table[model.tables++] = tail;
	/* 250 + 150 + 20 claimed of 300: projected, so 60 off each of the two and the third gone */
	probability[0] = 0.3 * 2 / 3;
	probability[3] = 0.3 / 3;
	/* 30 + 60 claimed of 300: in proportion */
	probability[8 + 1] = 0.3 / 3;
	probability[8 + 4 + 2] = 0.3 * 2 / 3;
	/* nothing claimed of 400 */
	for (int i = 16; i < 24; i++)
		probability[i] = 0.4 / 8;
	CHECK(distribution_p(&model, arena, probability, observed) > UNIT_P_MIN,
		  "cells share what their node has, and a node without any is uniform");
	CHECK(in_empty_cells(probability, observed) == 0, "nothing comes elsewhere");
	CHECK(dp_steps_sampler.draw_cost(&model, NULL) >= 1, "a row costs something");
}

/* Attribute 2 at level 3 cannot be. Rows that have it all the same are counted there, and in no
 * layer above, so that only the other cells tell anything. */
static void
test_zeros(DpArena *arena)
{
	uint32_t attribute[] = {2}, tuple[] = {3};
	DpZeroSet set = {1, attribute, 1, tuple};
	DpModel model = make_model(arena, 1, CELLS);
	double probability[CELLS];
	uint64_t observed[CELLS];
	int64_t rows = 0;

	model.domain.zeros = (DpZeros){1, &set};
	for (uint32_t i = 0; i < CELLS; i++)
	{
		probability[i] = i % 4 == 3 ? 0 : (double) joint[i];
		rows += i % 4 == 3 ? 0 : joint[i];
		model.table[0].value[i / 8] -= i % 4 == 3 ? joint[i] : 0;
		model.table[1].value[i] += i == 3 ? 500 : 0;
	}
	for (uint32_t i = 0; i < CELLS; i++)
		probability[i] /= (double) rows;
	model.rows = rows;
	CHECK(distribution_p(&model, arena, probability, observed) > UNIT_P_MIN,
		  "with zeros the law is that of the cells that can be");
	CHECK_I64(in_empty_cells(probability, observed), 0, "what cannot be is never drawn");
}

/* A released cell that cannot be: the others of its node share all that the node has. */
static void
test_sparse_zeros(DpArena *arena)
{
	uint32_t attribute[] = {2}, tuple[] = {3};
	DpZeroSet set = {1, attribute, 1, tuple};
	DpModel model = make_model(arena, 2, 3);
	uint32_t code[] = {0, 0, 0, 0, 0, 3, 0, 1, 1, 1, 0, 0, 2, 1, 2};
	int64_t value[] = {200, 150, 40, 50, 60};
	double probability[CELLS] = {[0] = 0.25, [5] = 0.05, [8] = 0.3, [22] = 0.4};
	uint64_t observed[CELLS];

	model.domain.zeros = (DpZeros){1, &set};
	model.table[model.tables++] = (DpTable){.n = 3,
											.attribute = order,
											.storage = DP_SPARSE,
											.cells = 5,
											.value = value,
											.code = code,
											.noise = DP_NOISE_SPARSE,
											.cost = {DP_EPSILON_ONE, 0, 0},
											.sensitivity_l1 = 1,
											.threshold_rows = 15};
	CHECK(distribution_p(&model, arena, probability, observed) > UNIT_P_MIN,
		  "a released cell that cannot be gets nothing");
	CHECK_I64(in_empty_cells(probability, observed), 0, "nor does any other");
}

static void
test_corrupt(DpArena *arena)
{
	DpModel model = make_model(arena, 2, CELLS);
	uint32_t other[] = {1, 0};
	void *sampler;

	MUST(prepare_status(&model, arena, &sampler));
	model.tables = 2;
	CHECK_STATUS(prepare_status(&model, arena, &sampler), DP_ERR_CORRUPT,
				 "a layer without its table");
	model = make_model(arena, 2, CELLS);
	model.table[1].attribute = other;
	CHECK_STATUS(prepare_status(&model, arena, &sampler), DP_ERR_CORRUPT,
				 "a table over attributes in another order");
	model = make_model(arena, 2, CELLS);
	model.table[1].storage = DP_SPARSE;
	CHECK_STATUS(prepare_status(&model, arena, &sampler), DP_ERR_CORRUPT, "a sparse one between");
	model = make_model(arena, 2, 6);
	model.table[model.tables++] = dense_layer(arena, 3, 24);
	CHECK_STATUS(prepare_status(&model, arena, &sampler), DP_ERR_CORRUPT,
				 "a dense one below the layers");
	model = make_model(arena, 2, CELLS);
	model.structure[0] = 99;
	CHECK_STATUS(prepare_status(&model, arena, &sampler), DP_ERR_CORRUPT, "no layout");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_dense(&arena);
	test_disagreeing(&arena, DP_EPSILON_ONE, DP_EPSILON_ONE);
	test_disagreeing(&arena, DP_EPSILON_ONE / 4, DP_EPSILON_ONE);
	test_sparse(&arena);
	test_zeros(&arena);
	test_sparse_zeros(&arena);
	test_corrupt(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
