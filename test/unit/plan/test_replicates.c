/*
 * test_replicates.c -- several measurements in one release: their parts of the budget
 * add up to no more than it, and what each measured can be seen alone.
 */
#include "core/plan/replicates.h"

#include "unit_data.h"

/* A method that plans one dense stage, and measures so many tables of one cell and so many
 * integers. */
typedef struct Stub
{
	uint64_t tables, cells;
	uint32_t measured, structure;
	int64_t rows;
	unsigned measurements;
} Stub;

static Stub stub;

static DpStatus
stub_plan(DpPlan *plan, DpArena *arena, DpError *error)
{
	DpStage stage = {.name = "stub",
					 .tables = stub.tables,
					 .cells = stub.cells,
					 .noise_stddev_rows = 1,
					 .each = plan->remaining,
					 .total = dp_cost_pure(plan->remaining.epsilon_nano)};

	(void) arena;
	plan->scans += 2;
	return dp_plan_stage(plan, &stage, error);
}

/* The first value of each table, and each integer, is the number of the measurement. */
static DpStatus
stub_measure(const DpMeasurement *m, DpModel *model, DpError *error)
{
	(void) error;
	stub.measurements++;
	model->rows = stub.rows + stub.measurements;
	model->tables = stub.measured;
	model->table = dp_alloc(m->arena, stub.measured, sizeof(*model->table));
	for (uint32_t t = 0; t < stub.measured; t++)
	{
		model->table[t] = (DpTable){.storage = DP_DENSE, .cells = stub.cells};
		model->table[t].value = dp_alloc(m->arena, 1, sizeof(int64_t));
		model->table[t].value[0] = stub.measurements;
	}
	model->structure_n = stub.structure;
	model->structure = dp_alloc(m->arena, stub.structure, sizeof(*model->structure));
	for (uint32_t i = 0; i < stub.structure; i++)
		model->structure[i] = stub.measurements;
	return DP_OK;
}

static const DpMethod stub_method = {.name = "stub", .plan = stub_plan, .measure = stub_measure};

static DpPlan
start(DpRequest *request, DpBudget budget, uint32_t sets)
{
	*request = (DpRequest){.unit = {DP_ADD_REMOVE, 1}, .budget = budget, .sets = sets};
	return (DpPlan){.method = &stub_method, .request = request, .remaining = budget};
}

static void
test_divide(void)
{
	unsigned over = 0, wasted = 0;
	DpRequest request;
	DpError error;
	DpPlan plan;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){151, 0, 0});
	for (int round = 0; round < 2000; round++)
	{
		DpBudget budget = {1 + (int64_t) dp_prng_below(&prng, UINT64_C(1) << (1 + round % 49)),
						   (int64_t) dp_prng_below(&prng, UINT64_C(1) << (1 + round % 59)), 0};
		uint32_t sets = 2 + (uint32_t) dp_prng_below(&prng, 999);

		plan = start(&request, budget, sets);
		MUST(dp_replicates_divide(&plan, true, NULL));
		over += plan.sets != sets || plan.remaining.epsilon_nano * sets > budget.epsilon_nano ||
				plan.remaining.delta_atto * sets > budget.delta_atto;
		wasted += (plan.remaining.epsilon_nano + 1) * sets <= budget.epsilon_nano ||
				  (plan.remaining.delta_atto + 1) * sets <= budget.delta_atto;
	}
	CHECK_I64(over, 0, "2000 budgets: all parts together are no more");
	CHECK_I64(wasted, 0, "and no part could be larger");
	plan = start(&request, (DpBudget){1000, 0, 0}, 5);
	MUST(dp_replicates_divide(&plan, false, NULL));
	CHECK(plan.sets == 1 && plan.remaining.epsilon_nano == 1000,
		  "drawn from one measurement they have all of it");
	plan = start(&request, (DpBudget){1000, 0, 0}, 0);
	MUST(dp_replicates_divide(&plan, true, NULL));
	CHECK_I64(plan.sets, 1, "no number of sets is one");
	plan = start(&request, (DpBudget){1000, 0, 0}, DP_REPLICATES_MAX);
	CHECK_OK(dp_replicates_divide(&plan, true, &error), "as many as a model holds");
	plan = start(&request, (DpBudget){1000, 0, 0}, DP_REPLICATES_MAX + 1);
	CHECK_STATUS(dp_replicates_divide(&plan, true, &error), DP_ERR_ARGUMENT,
				 "one more is too many");
	CHECK(error.status == DP_ERR_ARGUMENT && error.hint[0] != '\0', "says the error");
}

static DpStatus
plan_status(DpPlan *plan, DpRequest *request, uint32_t sets, uint64_t tables, uint64_t cells,
			DpError *error)
{
	stub = (Stub){.tables = tables, .cells = cells};
	*plan = start(request, (DpBudget){DP_EPSILON_ONE + 1, 0, 0}, sets);
	MUST(dp_replicates_divide(plan, true, NULL));
	return dp_replicates_plan(plan, NULL, error);
}

static void
test_plan(void)
{
	DpRequest request;
	DpBudget three;
	DpError error;
	DpPlan plan;

	MUST(plan_status(&plan, &request, 3, 5, 70, NULL));
	MUST(dp_budget_multiply(dp_cost_pure(plan.remaining.epsilon_nano), 3, &three));
	CHECK(memcmp(&plan.cost, &three, sizeof(three)) == 0 &&
			  memcmp(&plan.stage[0].total, &three, sizeof(three)) == 0,
		  "three sets cost three times what one does");
	CHECK(plan.cost.epsilon_nano <= DP_EPSILON_ONE + 1 &&
			  plan.cost.epsilon_nano >= DP_EPSILON_ONE - 1,
		  "which is what there is");
	CHECK(plan.stage[0].tables == 15 && plan.stage[0].cells == 210 && plan.scans == 6,
		  "so do tables, cells and scans");
	CHECK_I64(plan.memory_bytes, 210 * sizeof(int64_t), "cells of all sets are kept in memory");
	MUST(plan_status(&plan, &request, 1, 5, 70, NULL));
	CHECK(plan.stage[0].tables == 5 && plan.scans == 2, "one set is the method's own plan");
	CHECK_OK(plan_status(&plan, &request, 10, 10000, 1, NULL), "as many tables as a model holds");
	CHECK_STATUS(plan_status(&plan, &request, 10, 10001, 1, &error), DP_ERR_LIMIT,
				 "ten more are too many");
	CHECK_OK(plan_status(&plan, &request, 10, 1, 10000000, NULL), "as many cells");
	CHECK_STATUS(plan_status(&plan, &request, 10, 1, 10000001, &error), DP_ERR_LIMIT,
				 "ten more are too many");
	CHECK(error.status == DP_ERR_LIMIT, "says the error");
}

static DpStatus
measure_status(DpArena *arena, uint32_t sets, Stub what, DpModel *model)
{
	DpRequest request;
	DpPlan plan = start(&request, (DpBudget){DP_EPSILON_ONE, 0, 0}, sets);
	DpMeasurement m = {.plan = &plan, .arena = arena};

	stub = what;
	plan.sets = sets;
	*model = (DpModel){.method = "stub"};
	return dp_replicates_measure(&m, model, NULL);
}

static void
test_measure(void)
{
	DpArena arena = dp_arena_malloc();
	bool own = true;
	DpModel model, view;

	MUST(measure_status(&arena, 4, (Stub){.cells = 1, .measured = 3, .structure = 2, .rows = 100},
						&model));
	CHECK(stub.measurements == 4 && model.replicates == 4 && model.tables == 12 &&
			  model.structure_n == 8,
		  "four sets are measured, and all they measured is kept");
	for (uint32_t set = 1; set <= 4; set++)
	{
		MUST(dp_model_view(&model, set, &view));
		own &= view.tables == 3 && view.structure_n == 2 && view.rows == 100 + set;
		for (uint32_t t = 0; t < 3; t++)
			own &= view.table[t].value[0] == set;
		own &= view.structure[0] == set && view.structure[1] == set;
	}
	CHECK(own, "each sees its own tables, integers and number of rows");
	MUST(measure_status(&arena, 1, (Stub){.cells = 1, .measured = 3}, &model));
	CHECK(stub.measurements == 1 && model.replicates == 0 && model.tables == 3,
		  "one set is no set");
	CHECK_STATUS(
		measure_status(&arena, 3, (Stub){.cells = DP_MODEL_CELLS_MAX / 2, .measured = 1}, &model),
		DP_ERR_LIMIT, "more cells than a model holds");
	CHECK_I64(stub.measurements, 3, "are refused as soon as there are");
	CHECK_STATUS(measure_status(&arena, 3, (Stub){.structure = 4000000}, &model), DP_ERR_LIMIT,
				 "so are more integers");
	dp_arena_malloc_free(&arena);
}

int
main(void)
{
	test_divide();
	test_plan();
	test_measure();
	return unit_finish();
}
