/*
 * test_steps_plan.c -- what a hierarchical release will do: choices, the row count and
 * layers share epsilon, and none of it depends on anything but public sizes.
 */
#include "core/methods/steps/steps_plan.h"

#include "unit_data.h"

#define NANO_TENTH INT64_C(100000000)

static const DpMethod nothing = {.name = "nothing"};
static const uint32_t levels[] = {3, 4, 5, 6};
static const uint32_t order[] = {3, 0, 2, 1};

typedef struct Planned
{
	DpRequest request;
	DpPlan plan;
	DpStepsPlan *steps;
	DpError error;
} Planned;

static DpStatus
plan_status(Planned *p, const DpDomain *domain, const DpStepsShape *shape, int64_t epsilon_nano,
			DpNeighbours neighbours, DpArena *arena)
{
	p->request =
		(DpRequest){.domain = domain, .unit = {neighbours, 1}, .budget = {epsilon_nano, 0, 0}};
	p->plan = (DpPlan){.method = &nothing, .request = &p->request, .remaining = p->request.budget};
	p->error.status = DP_OK;
	return dp_steps_plan(&p->plan, shape, &p->steps, arena, &p->error);
}

static DpStepsShape
make_shape(const uint32_t *public_order, uint64_t dense_cells)
{
	return (DpStepsShape){
		.widths = {2, {1, 2}},
		.order = public_order,
		.selection_share_nano = NANO_TENTH,
		.count_share_nano = NANO_TENTH / 5,
		.layer = {.dense_cells = dense_cells, .no_false_positives_nano = 900000000}};
}

static void
test_public(DpArena *arena, const DpDomain *domain)
{
	DpStepsShape shape = make_shape(order, 1000);
	Planned p;

	MUST(plan_status(&p, domain, &shape, DP_EPSILON_ONE, DP_ADD_REMOVE, arena));
	CHECK(p.plan.stages == 3 && p.plan.scans == 1, "a public order and dense layers: layers alone");
	CHECK(p.plan.stage[0].cells == 6 && p.plan.stage[1].cells == 6 * 3 * 5 &&
			  p.plan.stage[2].cells == 6 * 3 * 5 * 4,
		  "each has the cells of its attributes in that order");
	CHECK(p.steps->shape.layer.epsilon_nano == DP_EPSILON_ONE / 3 &&
			  p.steps->epsilon_rows_nano == 0 &&
			  p.plan.cost.epsilon_nano == 3 * (DP_EPSILON_ONE / 3),
		  "and a third of epsilon");
	CHECK_STRING(p.plan.stage[2].name, "layer 3", "layers are numbered from 1");
	shape.layer.dense_cells = 5;
	MUST(plan_status(&p, domain, &shape, DP_EPSILON_ONE, DP_ADD_REMOVE, arena));
	CHECK(p.plan.stages == 4 && p.steps->epsilon_rows_nano == NANO_TENTH / 5,
		  "where no layer is dense rows are counted, with a share");
	CHECK(p.steps->shape.layer.epsilon_nano == (DP_EPSILON_ONE - NANO_TENTH / 5) / 3,
		  "layers share what is left");
	CHECK(p.plan.stage[1].threshold_rows > 0, "sparse layers have a threshold");
	MUST(plan_status(&p, domain, &shape, DP_EPSILON_ONE, DP_REPLACE_ONE, arena));
	CHECK(p.plan.stages == 3 && p.steps->epsilon_rows_nano == 0,
		  "a number of rows that is public is not");
}

static void
test_selected(DpArena *arena, const DpDomain *domain)
{
	DpStepsShape shape = make_shape(NULL, 1000);
	DpStepsShape small = make_shape(NULL, 100);
	Planned p;

	MUST(plan_status(&p, domain, &shape, DP_EPSILON_ONE, DP_ADD_REMOVE, arena));
	CHECK(p.plan.stages == 4 && p.plan.scans == 2 && p.plan.stage[0].tables == 3,
		  "an order that is selected takes three choices and a scan");
	CHECK(p.steps->selection.epsilon_each_nano == NANO_TENTH / 3 &&
			  p.steps->shape.layer.epsilon_nano == (DP_EPSILON_ONE - 3 * (NANO_TENTH / 3)) / 3,
		  "choices share a tenth, layers what is left");
	CHECK(p.plan.stage[1].cells == 6 && p.plan.stage[2].cells == 6 * 5 * 4,
		  "layers are reckoned as large as any choice makes them");
	MUST(plan_status(&p, domain, &small, DP_EPSILON_ONE, DP_ADD_REMOVE, arena));
	CHECK_STRING(p.plan.stage[2].mechanism, "discrete Laplace or sparse histogram",
				 "a layer that may turn out small enough is either");
	CHECK_STRING(p.plan.stage[3].mechanism, "sparse histogram", "the last one is certain");
	small.branches = true;
	CHECK_STATUS(plan_status(&p, domain, &small, DP_EPSILON_ONE, DP_ADD_REMOVE, arena),
				 DP_ERR_LIMIT, "branches need layers that are dense whatever is chosen");
	shape.branches = true;
	MUST(plan_status(&p, domain, &shape, DP_EPSILON_ONE, DP_ADD_REMOVE, arena));
	CHECK_I64(p.plan.scans, 3, "and take a scan for each layer");
}

/* Whatever epsilon is, all stages together cost no more, and a plan that is too poor says so. */
static void
test_sums(DpArena *arena, const DpDomain *domain)
{
	unsigned over = 0, poor = 0, silent = 0;

	for (int64_t epsilon = 1; epsilon < DP_EPSILON_ONE; epsilon += 1 + epsilon / 3)
		for (int selected = 0; selected < 2; selected++)
			for (uint64_t dense = 5; dense <= 1000; dense += 995)
			{
				DpStepsShape shape = make_shape(selected ? NULL : order, dense);
				DpStatus status;
				int64_t sum = 0;
				Planned p;

				status = plan_status(&p, domain, &shape, epsilon, DP_ADD_REMOVE, arena);
				if (status != DP_OK)
				{
					poor++;
					silent += p.error.status != status;
					continue;
				}
				for (uint32_t i = 0; i < p.plan.stages; i++)
					sum += p.plan.stage[i].total.epsilon_nano;
				over += sum > epsilon || sum != p.plan.cost.epsilon_nano;
			}
	CHECK_I64(over, 0, "stages never cost more than there is");
	CHECK(poor > 10, "very little epsilon is too little");
	CHECK_I64(silent, 0, "and the error says so");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();
	DpDomain domain = unit_domain(&arena, levels, 4);

	test_public(&arena, &domain);
	test_selected(&arena, &domain);
	test_sums(&arena, &domain);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
