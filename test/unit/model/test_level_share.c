/*
 * test_level_share.c -- the share of a level, by a dense table, a sparse one and rows.
 */
#include "core/model/noise_share.h"

#include "unit.h"

/* Three attributes of 2, 3 and 2 levels. */
static DpAttribute attributes[3] = {{.levels = 2}, {.levels = 3}, {.levels = 2}};

static DpModel
model_of(DpTable *table, uint32_t tables)
{
	return (DpModel){
		.domain = {.attributes = 3, .attribute = attributes}, .tables = tables, .table = table};
}

static void
test_dense(void)
{
	uint32_t both[2] = {1, 2}, one = 1, rows = 0;
	int64_t cells[6] = {1, 2, 3, 4, -5, 5};
	int64_t margin[3] = {30, 10, -40};
	int64_t count = 7;
	DpTable table[3] = {
		{.n = 0, .attribute = &rows, .cells = 1, .value = &count},
		{.n = 2, .attribute = both, .cells = 6, .value = cells},
		{.n = 1, .attribute = &one, .cells = 3, .value = margin},
	};
	DpModel model = model_of(table, 2);

	CHECK_NEAR(dp_level_share(&model, 1, 0), 0.3, 1e-12, "dense: attribute 1, level 0");
	CHECK_NEAR(dp_level_share(&model, 1, 1), 0.7, 1e-12, "dense: attribute 1, level 1");
	CHECK_NEAR(dp_level_share(&model, 1, 2), 0.0, 1e-12, "dense: attribute 1, level 2");
	CHECK_NEAR(dp_level_share(&model, 2, 0), 0, 1e-12,
			   "dense: attribute 2, level 0"); /* 1 + 3 - 5 of 10 */
	CHECK_NEAR(dp_level_share(&model, 2, 1), 1, 1e-12,
			   "dense: attribute 2, level 1"); /* 11 of 10 */
	CHECK_NEAR(dp_level_share(&model, 0, 0), -1, 1e-12, "dense: attribute 0, level 0");
	/* the smaller table tells it, and here there are no rows in all */
	model.tables = 3;
	CHECK_NEAR(dp_level_share(&model, 1, 0), -1, 1e-12, "dense: attribute 1, level 0");
	margin[2] = 0;
	CHECK_NEAR(dp_level_share(&model, 1, 0), 0.75, 1e-12, "dense: attribute 1, level 0");
}

static void
test_sparse(void)
{
	uint32_t both[2] = {2, 0};
	uint32_t code[6] = {0, 0, 0, 1, 1, 1};
	int64_t value[3] = {6, 3, 1};
	DpTable table = {
		.n = 2, .attribute = both, .storage = DP_SPARSE, .cells = 3, .value = value, .code = code};
	DpModel model = model_of(&table, 1);

	CHECK_NEAR(dp_level_share(&model, 0, 1), 0.4, 1e-12, "sparse: attribute 0, level 1");
	CHECK_NEAR(dp_level_share(&model, 2, 0), 0.9, 1e-12, "sparse: attribute 2, level 0");
	table.cells = 0;
	CHECK_NEAR(dp_level_share(&model, 2, 0), -1, 1e-12, "sparse: attribute 2, level 0");
}

static void
test_rows(void)
{
	DpParameter holds = {DP_MODEL_HOLDS_ROWS, 1};
	uint32_t codes[12] = {0, 2, 1, 1, 2, 0, 1, 0, 0, 1, 1, 0};
	DpModel model = model_of(NULL, 0);

	model.parameters = 1;
	model.parameter = &holds;
	model.structure_n = 12;
	model.structure = codes;
	CHECK_NEAR(dp_level_share(&model, 0, 1), 0.75, 1e-12, "rows: attribute 0, level 1");
	CHECK_NEAR(dp_level_share(&model, 1, 2), 0.5, 1e-12, "rows: attribute 1, level 2");
	CHECK_NEAR(dp_level_share(&model, 2, 1), 0.25, 1e-12, "rows: attribute 2, level 1");
	model.structure_n = 0;
	CHECK_NEAR(dp_level_share(&model, 0, 1), -1, 1e-12, "rows: attribute 0, level 1");
}

int
main(void)
{
	test_dense();
	test_sparse();
	test_rows();
	return unit_finish();
}
