/*
 * unit_model.h -- a small model that has everything a model can have.
 */
#ifndef UNIT_MODEL_H
#define UNIT_MODEL_H

#include "core/model/model.h"

/* A model of sbhg with every feature: both kinds of attribute, other, NULL texts, a dense and a
 * sparse table, extreme values, a row count, parameters. */
static inline DpModel
unit_model(DpArena *arena)
{
	static const char *colours[] = {"red", "\xc3\xa9t\xc3\xa9"};
	static const char *edges[] = {"0", "10", "20", "inf"};
	static const int64_t dense[] = {0, 0, 0, -1, 5, 0, 0, INT64_MIN, INT64_MAX};
	static const int64_t sparse[] = {7, 300};
	static const uint32_t codes[] = {0, 2, 2, 0};
	static const uint32_t order[] = {1, 0};
	static const uint32_t other_order[] = {0, 1};
	static const int64_t count[] = {-3};
	DpModel model = {.method = "sbhg", .unit = {DP_ADD_REMOVE, 2}, .rows = 1000};

	model.domain.attributes = 2;
	model.domain.attribute = dp_alloc(arena, 2, sizeof(DpAttribute));
	model.domain.attribute[0] = (DpAttribute){
		.name = "colour", .type = "text", .has_other = true, .labels_n = 2, .labels = colours};
	model.domain.attribute[1] =
		(DpAttribute){.name = "size", .kind = DP_BINS, .labels_n = 4, .labels = edges};
	for (int i = 0; i < 2; i++)
		dp_attribute_count_levels(&model.domain.attribute[i]);
	model.tables = 3;
	model.table = dp_alloc(arena, 3, sizeof(DpTable));
	model.table[0] = (DpTable){.n = 2,
							   .attribute = dp_memdup(arena, order, sizeof(order)),
							   .storage = DP_DENSE,
							   .cells = 9,
							   .value = dp_memdup(arena, dense, sizeof(dense)),
							   .noise = DP_NOISE_LAPLACE,
							   .cost = {1000000000, 0, 0},
							   .sensitivity_l1 = 2};
	model.table[1] = (DpTable){.n = 2,
							   .attribute = dp_memdup(arena, other_order, sizeof(order)),
							   .storage = DP_SPARSE,
							   .cells = 2,
							   .value = dp_memdup(arena, sparse, sizeof(sparse)),
							   .code = dp_memdup(arena, codes, sizeof(codes)),
							   .noise = DP_NOISE_STABILITY,
							   .cost = {500000000, 1000, 0},
							   .sensitivity_l1 = 2,
							   .threshold_rows = 7};
	model.table[2] = (DpTable){.attribute = dp_alloc(arena, 0, 1),
							   .storage = DP_DENSE,
							   .cells = 1,
							   .value = dp_memdup(arena, count, sizeof(count)),
							   .noise = DP_NOISE_LAPLACE,
							   .cost = {1, 0, 0},
							   .sensitivity_l1 = 2};
	model.parameters = 2;
	model.parameter = dp_alloc(arena, 2, sizeof(DpParameter));
	model.parameter[0] = (DpParameter){"sweeps", 20};
	model.parameter[1] = (DpParameter){"offset", -1};
	return model;
}

/* The same with ranges in place of both attributes: of values, and of listed categories. */
static inline DpModel
unit_model_ranges(DpArena *arena)
{
	static const int64_t bin[] = {0, 10}, leaf[] = {0, 4, 10};
	static const uint64_t weight[] = {3, 0, 70};
	static const char *const words[] = {"a", "b", "c"};
	static const int64_t place[] = {0, 1, 2};
	DpModel model = unit_model(arena);
	DpRange values = {.grid = {DP_GRID_NUMBER, 0, 99, 5, 1},
					  .state = DP_RANGE_FOUND,
					  .bins = 2,
					  .bin = dp_memdup(arena, bin, sizeof(bin)),
					  .leaves = 3,
					  .leaf = dp_memdup(arena, leaf, sizeof(leaf)),
					  .weight = dp_memdup(arena, weight, sizeof(weight))};
	DpRange listed = {.grid = {DP_GRID_NUMBER, 0, 2, 1, 0},
					  .listed = dp_memdup(arena, words, sizeof(words)),
					  .state = DP_RANGE_FOUND,
					  .bins = 3,
					  .bin = dp_memdup(arena, place, sizeof(place)),
					  .leaves = 3,
					  .leaf = dp_memdup(arena, place, sizeof(place)),
					  .weight = dp_memdup(arena, weight, sizeof(weight))};
	const DpRange *ranges[] = {&values, &listed};

	for (int i = 0; i < 2; i++)
	{
		DpAttribute *attribute = &model.domain.attribute[i];

		*attribute = (DpAttribute){.name = attribute->name,
								   .type = "text",
								   .kind = DP_BINS,
								   .range = dp_memdup(arena, ranges[i], sizeof(DpRange)),
								   .has_other = i == 0,
								   .labels = dp_range_labels(ranges[i], arena),
								   .labels_n = ranges[i]->bins + 1};
		dp_attribute_count_levels(attribute);
	}
	return model;
}

/* The same with what only format 2 has: structure, and two sets. */
static inline DpModel
unit_model_structured(DpArena *arena)
{
	static const uint32_t structure[] = {3, UINT32_MAX, 0};
	static const DpReplicate sets[] = {{5, 2, 1}, {INT64_MAX, 1, 2}};
	DpModel model = unit_model(arena);

	model.structure_n = 3;
	model.structure = dp_memdup(arena, structure, sizeof(structure));
	model.replicates = 2;
	model.replicate = dp_memdup(arena, sets, sizeof(sets));
	return model;
}

/* A release of aim over the same attributes, with groups. Its Gaussian noise makes it format 3. */
static inline DpModel
unit_model_gaussian(DpArena *arena)
{
	static const int64_t first[] = {400, -3, 600}, second[] = {500, 0, 0};
	static const int64_t both[] = {200, 0, 210, 0, 0, 0, 290, 0, 310};
	static const int64_t *values[] = {first, second, both};
	static const uint32_t attributes[] = {0, 1, 0, 1};
	static const uint32_t structure[] = {0, 1, 2, 0, 1, 1};
	static const uint32_t cells[] = {3, 3, 9};
	DpModel model = unit_model(arena);

	model.method = "aim";
	model.parameters = 2;
	model.parameter[0] = (DpParameter){"model_cells", 1000};
	model.parameter[1] = (DpParameter){"systematic", 0};
	model.structure_n = 6;
	model.structure = dp_memdup(arena, structure, sizeof(structure));
	for (uint32_t t = 0; t < 3; t++)
		model.table[t] =
			(DpTable){.n = t < 2 ? 1 : 2,
					  .attribute = dp_memdup(arena, attributes + t, 2 * sizeof(*attributes)),
					  .storage = DP_DENSE,
					  .cells = cells[t],
					  .value = dp_memdup(arena, values[t], cells[t] * sizeof(int64_t)),
					  .noise = DP_NOISE_GAUSSIAN,
					  .cost = {0, 0, INT64_C(5000000000) + t},
					  .sensitivity_l1 = 2,
					  .sensitivity_l2_squared = 4};
	return model;
}

/* unit_model_structured with zeros and a prior, which make it format 4. */
static inline DpModel
unit_model_zeros(DpArena *arena)
{
	static const uint32_t attributes[] = {0, 0, 1};
	static const uint32_t codes[] = {1, 0, 2, 2, 0};
	static const int64_t counts[] = {0, 5, 300, 0, 0, 0, 70000, 1, INT64_C(1) << 40};
	DpModel model = unit_model_structured(arena);
	DpZeroSet *set = dp_alloc(arena, 2, sizeof(*set));

	set[0] = (DpZeroSet){1, dp_memdup(arena, attributes, sizeof(*attributes)), 1,
						 dp_memdup(arena, codes, sizeof(*codes))};
	set[1] = (DpZeroSet){2, dp_memdup(arena, attributes + 1, 2 * sizeof(*attributes)), 2,
						 dp_memdup(arena, codes + 1, 4 * sizeof(*codes))};
	model.domain.zeros = (DpZeros){2, set};
	model.domain.priors = 1;
	model.domain.prior = dp_alloc(arena, 1, sizeof(DpPrior));
	model.domain.prior[0] =
		(DpPrior){2, dp_memdup(arena, attributes + 1, 2 * sizeof(*attributes)), 9,
				  dp_memdup(arena, counts, sizeof(counts)), INT64_C(10000000)};
	return model;
}

/* A release of mst: the tables of both columns and of the pair, groups, potentials. */
static inline DpModel
unit_model_graphical(DpArena *arena)
{
	static const int64_t values[3][9] = {
		{40, -3, 9}, {30, 1, 2}, {20, 8, 0, -2, 0, 0, INT64_MIN, 5, 0}};
	static const uint32_t structure[6 + 11] = {0,
											   1,
											   2,
											   0,
											   1,
											   1, /* potentials: 1.0, -2.0 */
											   UINT32_C(0x3f800000),
											   UINT32_C(0xc0000000)};
	static const uint32_t order[] = {0, 1};
	DpModel model = unit_model(arena);

	model.method = "mst";
	model.table = dp_alloc(arena, 3, sizeof(DpTable));
	for (uint32_t t = 0; t < 3; t++)
	{
		uint32_t n = t < 2 ? 1 : 2, cells = t < 2 ? 3 : 9;

		model.table[t] = (DpTable){.n = n,
								   .attribute = dp_memdup(arena, order + t % 2, n * sizeof(*order)),
								   .storage = DP_DENSE,
								   .cells = cells,
								   .value = dp_memdup(arena, values[t], cells * sizeof(int64_t)),
								   .noise = DP_NOISE_GAUSSIAN,
								   .cost = {0, 0, 1000000},
								   .sensitivity_l1 = 1,
								   .sensitivity_l2_squared = 1};
	}
	model.parameter[0] = (DpParameter){"model_cells", 1000};
	model.parameter[1] = (DpParameter){"systematic", 1};
	model.structure_n = sizeof(structure) / sizeof(*structure);
	model.structure = dp_memdup(arena, structure, sizeof(structure));
	return model;
}

/* A release of pegs: rows alone, the same in both sets. */
static inline DpModel
unit_model_rows(DpArena *arena)
{
	static const uint32_t codes[] = {0, 1, 2, 2, 1, 0, 0, 0, 2, 2, 1, 1};
	static const DpReplicate sets[] = {{3, 0, 6}, {3, 0, 6}};
	DpModel model = unit_model(arena);

	model.method = "pegs";
	model.rows = 3;
	model.tables = 0;
	model.parameters = 1;
	model.parameter[0] = (DpParameter){DP_MODEL_HOLDS_ROWS, 1};
	model.structure_n = 12;
	model.structure = dp_memdup(arena, codes, sizeof(codes));
	model.replicates = 2;
	model.replicate = dp_memdup(arena, sets, sizeof(sets));
	return model;
}

#endif
