/*
 * test_query_layout.c -- the answers of a query in a model: what is stored is read, and whatever
 * stands there instead is refused or can be answered.
 */
#include "core/estimate/query_answer.h"

#include "unit_query.h"

static const int64_t rows[QUERY_GROUPS][QUERY_LEAVES] = {{3, 1, 4, 1, 5}, {0, 0, 9}};

/* Whether the model is refused; if it is not, every answer is computed. */
static bool
is_refused(const DpModel *model, bool *computed)
{
	DpArena arena = dp_arena_malloc();
	DpError error = {0};
	DpAnswerer *answerer;
	DpQueryLayout layout;
	DpAnswerValue value;
	bool refused = dp_query_layout_load(model, &layout, &arena, &error) != DP_OK ||
				   dp_answerer_create(model, &layout, 0.95, &answerer, NULL, &arena) != DP_OK;

	for (uint32_t m = 0; !refused && m < layout.measures; m++)
		for (uint64_t cell = 0; cell < layout.cells; cell++)
			*computed &= dp_answer_value(answerer, m, cell, &value) == DP_OK;
	dp_arena_malloc_free(&arena);
	return refused;
}

static void
test_mutations(DpModel *model)
{
	static const uint32_t odd[] = {0,  1,  2,  3,  6,          7,          8,
								   12, 13, 16, 63, 1000000000, UINT32_MAX, 0x80000000};
	uint32_t refused = 0, taken = 0;
	bool computed = true;

	for (uint32_t w = 0; w < model->structure_n; w++)
		for (size_t k = 0; k < sizeof(odd) / sizeof(odd[0]); k++)
		{
			uint32_t old = model->structure[w];

			if (odd[k] == old)
				continue;
			model->structure[w] = odd[k];
			if (is_refused(model, &computed))
				refused++;
			else
				taken++;
			model->structure[w] = old;
		}
	CHECK(computed, "of %u changed words %u are refused, and with the others all is answered",
		  refused + taken, refused);
	CHECK(refused > 500 && taken > 100, "both happen: %u, %u", refused, taken);
}

static void
test_lengths(DpModel *model)
{
	uint32_t n = model->structure_n, tables = model->tables;
	bool all = true, computed = true;

	for (model->structure_n = 0; model->structure_n < n; model->structure_n++)
		all &= is_refused(model, &computed);
	CHECK(all, "a structure that ends early is refused");
	for (model->tables = 0; model->tables < tables; model->tables++)
		all &= is_refused(model, &computed);
	CHECK(all, "and one without all of its tables");
	model->table[1].noise = DP_NOISE_STABILITY;
	CHECK(is_refused(model, &computed), "noise must be of a law that answers know");
	model->table[1].noise = DP_NOISE_LAPLACE;
	CHECK(!is_refused(model, &computed), "as it was, it is read");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();
	DpQueryLayout layout, read;
	DpModel model;
	DpError error = {0};

	query_model(rows, 1000000000, &model, &layout, &arena);
	MUST(dp_query_layout_load(&model, &read, &arena, &error));
	CHECK(read.cells == QUERY_GROUPS && read.statistics == layout.statistics &&
			  memcmp(read.statistic, layout.statistic,
					 layout.statistics * sizeof(*layout.statistic)) == 0,
		  "statistics are read as they were stored");
	CHECK_I64(read.rows_over, layout.rows_over, "how many units have more rows is read back");
	CHECK(memcmp(read.measure, layout.measure, layout.measures * sizeof(*layout.measure)) == 0,
		  "and measures");
	CHECK(read.choice[3][0] == layout.choice[3][0] && read.choice[3][1] == layout.choice[3][1],
		  "and choices");
	CHECK(read.table[4] == 3 && read.table[5] == 3 + DP_ZONES_MAX(QUERY_HEIGHT),
		  "zones have tables of their own");
	test_mutations(&model);
	test_lengths(&model);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
