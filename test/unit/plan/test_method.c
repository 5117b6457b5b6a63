/*
 * test_method.c -- what all methods share: checks of a request, discovery of
 * open attributes, the meter, blocks of rows.
 */
#include "core/plan/method.h"
#include "core/model/noisy_table.h"
#include "core/plan/release_table.h"

#include "unit_data.h"

static void
test_registry(void)
{
	DpModel model = {.method = "nonsense"};
	const DpMethod *method;

	for (uint32_t i = 0; i < dp_methods_n; i++)
	{
		const DpMethod *m = dp_methods[i];

		CHECK(dp_method_find(m->name) == m, "%s is found", m->name);
		CHECK(m->plan && m->measure && m->sampler && m->sampler->prepare &&
				  (m->sampler->draw || m->sampler->fetch) && m->sampler->draw_cost && m->summary &&
				  m->guarantee && m->source,
			  "%s is complete", m->name);
		for (uint32_t k = 0; k < m->specs_n; k++)
			CHECK(m->specs[k].summary != NULL, "option %s has its sentence", m->specs[k].name);
	}
	CHECK(dp_method_find("nonsense") == NULL, "nonsense is not");
	CHECK_STATUS(dp_model_method(&model, &method, NULL), DP_ERR_CORRUPT,
				 "a model of it is not valid");
}

static DpStatus
plan_with(DpArena *arena, const DpDomain *domain, DpUnit unit, DpBudget budget,
		  const DpOptions *options, DpPlan *plan, DpError *error)
{
	DpRequest *request = dp_alloc(arena, 1, sizeof(*request));

	*request = (DpRequest){.domain = domain, .unit = unit, .budget = budget, .options = options};
	return dp_plan(dp_method_find("sbhg"), request, plan, arena, error);
}

static void
test_requests(DpArena *arena)
{
	const uint32_t levels[] = {2, 3};
	DpDomain domain = unit_domain(arena, levels, 2);
	DpDomain broken = unit_domain(arena, levels, 2);
	DpUnit unit = {DP_ADD_REMOVE, 1};
	DpUnit nobody = {DP_ADD_REMOVE, 0};
	DpBudget one = {DP_EPSILON_ONE, 0, 0};
	UnitOptions none = {.lists = 0};
	UnitOptions unknown = {.lists = 0};
	UnitOptions share = {.lists = 0};
	DpPlan plan;
	DpError error;

	unit_number(&unknown, "nonsense", "1");
	unit_number(&share, "open_share", "0.95");
	broken.attribute[1].name = "c0";
	CHECK_OK(plan_with(arena, &domain, unit, one, &none.options, &plan, &error), "a good request");
	CHECK_STATUS(plan_with(arena, &domain, nobody, one, &none.options, &plan, &error),
				 DP_ERR_ARGUMENT, "a unit of no rows");
	CHECK_STATUS(plan_with(arena, &domain, unit, (DpBudget){0, 0, 0}, &none.options, &plan, &error),
				 DP_ERR_ARGUMENT, "no epsilon");
	CHECK_STATUS(plan_with(arena, &domain, unit, (DpBudget){DP_EPSILON_NANO_MAX + 1, 0, 0},
						   &none.options, &plan, &error),
				 DP_ERR_ARGUMENT, "too much epsilon");
	CHECK_STATUS(plan_with(arena, &domain, unit, (DpBudget){1, DP_DELTA_ONE, 0}, &none.options,
						   &plan, &error),
				 DP_ERR_ARGUMENT, "delta 1");
	CHECK_STATUS(plan_with(arena, &domain, unit, (DpBudget){1, 0, 0}, &none.options, &plan, &error),
				 DP_ERR_ARGUMENT, "epsilon too small to be divided");
	CHECK_STATUS(plan_with(arena, &domain, unit, (DpBudget){DP_EPSILON_ONE, 0, 1}, &none.options,
						   &plan, &error),
				 DP_ERR_ARGUMENT, "a request has no rho");
	CHECK(plan_with(arena, &domain, unit, one, &unknown.options, &plan, &error) != DP_OK &&
			  error.message[0] != '\0',
		  "an unknown option: %s", error.message);
	CHECK(plan_with(arena, &domain, unit, one, &share.options, &plan, &error) != DP_OK,
		  "a common option out of its limits: %s", error.message);
	CHECK_STATUS(plan_with(arena, &broken, unit, one, &none.options, &plan, &error),
				 DP_ERR_ARGUMENT, "a broken domain");
}

static void
test_stages(void)
{
	DpRequest request = {.budget = {100, 10, 0}};
	DpPlan plan = {.request = &request};
	DpStage stage = {.name = "x", .total = {60, 5, 700}};
	DpError error;

	MUST(dp_plan_stage(&plan, &stage, &error));
	CHECK(plan.stages == 1 && plan.cost.epsilon_nano == 60 && plan.cost.delta_atto == 5 &&
			  plan.cost.rho_pico == 700,
		  "a stage adds its cost, its rho too, which no request names");
	CHECK_STATUS(dp_plan_stage(&plan, &stage, &error), DP_ERR_OVERDRAW, "epsilon is not overdrawn");
	stage.total = (DpBudget){1, 6, 0};
	CHECK_STATUS(dp_plan_stage(&plan, &stage, &error), DP_ERR_OVERDRAW, "delta is not overdrawn");
	CHECK(plan.stages == 1 && plan.cost.epsilon_nano == 60, "and nothing was added");
	stage.total = (DpBudget){0, 0, INT64_MAX};
	CHECK_STATUS(dp_plan_stage(&plan, &stage, &error), DP_ERR_RANGE, "rho does not wrap");
	stage.total = (DpBudget){0, 0, 0};
	for (int i = 1; i < DP_STAGES_MAX; i++)
		MUST(dp_plan_stage(&plan, &stage, &error));
	CHECK_STATUS(dp_plan_stage(&plan, &stage, &error), DP_ERR_INTERNAL, "one stage too many");
}

/* A method of two stages: one with epsilon, one with rho alone. */
typedef struct Mixture
{
	int64_t epsilon_nano;
	int64_t rho_pico;
} Mixture;

static Mixture mixture;

static DpStatus
mixture_plan(DpPlan *plan, DpArena *arena, DpError *error)
{
	DpStage noisy = {.name = "noisy", .total = dp_cost_pure(mixture.epsilon_nano)};
	DpStage gaussian = {.name = "Gaussian", .total = dp_cost_concentrated(mixture.rho_pico)};

	(void) arena;
	if (mixture.epsilon_nano > 0)
		DP_TRY(dp_plan_stage(plan, &noisy, error));
	return dp_plan_stage(plan, &gaussian, error);
}

static DpStatus
plan_mixture(DpArena *arena, const DpDomain *domain, int64_t epsilon_nano, int64_t rho_pico,
			 DpBudget budget, DpPlan *plan)
{
	static const DpMethod method = {.name = "mixture", .plan = mixture_plan};
	UnitOptions none = {.lists = 0};
	DpRequest request = {
		.domain = domain, .unit = {DP_ADD_REMOVE, 1}, .budget = budget, .options = &none.options};
	DpError error;

	mixture = (Mixture){epsilon_nano, rho_pico};
	return dp_plan(&method, &request, plan, arena, &error);
}

/* Rho alone is paid for by a conversion, which a plan may not forget or get wrong. */
static void
test_conversions(DpArena *arena)
{
	const uint32_t levels[] = {2, 3};
	const int64_t delta = DP_DELTA_ONE / 1000000000, epsilon = DP_EPSILON_ONE;
	const DpBudget budget = {epsilon, delta, 0};
	DpDomain domain = unit_domain(arena, levels, 2);
	int64_t all = dp_rho_of_budget((DpBudget){.epsilon_nano = epsilon, .delta_atto = delta}),
			half = dp_rho_of_budget((DpBudget){.epsilon_nano = epsilon / 2, .delta_atto = delta});
	int64_t little = epsilon / 20, shared = all - dp_rho_of_epsilon(little);
	DpPlan plan;

	CHECK_OK(plan_mixture(arena, &domain, 0, all, budget, &plan), "all of a request as rho");
	CHECK(plan.cost.epsilon_nano == epsilon && plan.cost.delta_atto == delta &&
			  plan.cost.rho_pico == all,
		  "it is charged epsilon, the delta of its conversion, and that rho");
	CHECK_STATUS(plan_mixture(arena, &domain, 0, all + 1, budget, &plan), DP_ERR_OVERDRAW,
				 "a pico more is refused");
	CHECK_STATUS(plan_mixture(arena, &domain, 0, 1, (DpBudget){epsilon, 0, 0}, &plan),
				 DP_ERR_OVERDRAW, "without a delta there is no conversion");
	CHECK_OK(plan_mixture(arena, &domain, epsilon / 2, half, budget, &plan),
			 "half of epsilon each, by sums");
	CHECK_STATUS(plan_mixture(arena, &domain, epsilon / 2 + 1, half, budget, &plan),
				 DP_ERR_OVERDRAW, "and a nano over");
	CHECK_OK(plan_mixture(arena, &domain, little, shared, budget, &plan),
			 "a little epsilon costs less as rho, and that counts too");
	CHECK_I64(plan.cost.rho_pico, all, "the rho of both is charged");
	CHECK(dp_rho_of_budget((DpBudget){.epsilon_nano = epsilon - little, .delta_atto = delta}) <
			  shared,
		  "sums would not have had room");
	CHECK_STATUS(plan_mixture(arena, &domain, little, shared + 1, budget, &plan), DP_ERR_OVERDRAW,
				 "a pico more is over both");
}

/* c0: v0 .. v3 frequent, v4 .. once each. c1 closed. */
static UnitTable
open_table(DpArena *arena, DpDomain *domain, const uint32_t *levels)
{
	UnitTable table;

	*domain = unit_domain(arena, levels, 2);
	unit_open(&domain->attribute[0]);
	table = unit_table(arena, domain, 6000);
	for (uint32_t i = 0; i < 6000; i++)
	{
		table.code[0][i] = i < 5000 ? (i * 7) % 4 : i;
		table.code[1][i] = table.code[0][i] % levels[1];
	}
	return table;
}

static void
test_discovery(DpArena *arena)
{
	const uint32_t levels[] = {1, 2};
	DpDomain domain;
	UnitTable table = open_table(arena, &domain, levels);
	DpUnit unit = {DP_ADD_REMOVE, 1};
	DpBudget budget = {4 * DP_EPSILON_ONE, DP_DELTA_ONE / 1000000, 0};
	UnitOptions options = {.lists = 0};
	UnitRelease release;
	const DpAttribute *found;
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, 7);
	unit_number(&options, "open_share", "0.25");
	MUST(unit_release(&release, "sbhg", &table, unit, budget, &options.options, &rng, arena));
	found = &release.model.domain.attribute[0];
	CHECK(!found->open && found->labels_n == 4 && found->levels == 5,
		  "the four frequent values are found, the rest is other");
	for (uint32_t i = 0; i < found->labels_n; i++)
		CHECK(found->labels[i][1] == (char) ('0' + i), "bytewise order, place %u", i);
	CHECK_STRING(release.plan.stage[0].name, "discover values", "discovery is the first stage");
	CHECK(release.plan.discovery.epsilon_nano == DP_EPSILON_ONE &&
			  release.plan.discovery.delta_atto == DP_DELTA_ONE / 4000000 &&
			  release.plan.remaining.epsilon_nano == 3 * DP_EPSILON_ONE,
		  "a quarter of epsilon and delta, as asked");
	CHECK(domain.attribute[0].open, "the request's domain is untouched");
	CHECK_I64(release.plan.scans, table.scans, "scans are as planned");
	domain.attribute[0].other = "v2";
	MUST(unit_release(&release, "sbhg", &table, unit, budget, &options.options, &rng, arena));
	CHECK_I64(release.model.domain.attribute[0].labels_n, 3,
			  "a value that reads like other is other");
	budget.delta_atto = 3;
	CHECK_STATUS(
		unit_release(&release, "sbhg", &table, unit, budget, &options.options, &rng, arena),
		DP_ERR_ARGUMENT, "a quarter of 3e-18 is no delta");
	CHECK(strstr(release.error.hint, "open columns") != NULL, "the error says why: %s",
		  release.error.hint);
}

/* A second open attribute halves each share. */
static void
test_two_open(DpArena *arena)
{
	const uint32_t levels[] = {1, 2};
	DpDomain domain;
	UnitTable table = open_table(arena, &domain, levels);
	DpUnit unit = {DP_REPLACE_ONE, 1};
	DpBudget budget = {4 * DP_EPSILON_ONE + 7, DP_DELTA_ONE / 1000000 + 13, 0};
	UnitOptions options = {.lists = 0};
	UnitRelease release;
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, 8);
	unit_open(&domain.attribute[1]);
	MUST(unit_release(&release, "sbhg", &table, unit, budget, &options.options, &rng, arena));
	CHECK_I64(release.plan.discovery.epsilon_nano, DP_EPSILON_ONE / 5, "a twentieth each");
	CHECK_I64(release.model.domain.attribute[1].labels_n, 2, "both are discovered");
	CHECK(release.meter.spent.epsilon_nano <= budget.epsilon_nano &&
			  release.meter.spent.delta_atto <= budget.delta_atto,
		  "within the budget");
}

static uint32_t stages_seen;

static void
see_stage(void *context, const char *name)
{
	const DpPlan *plan = context;

	for (uint32_t i = 0; i < plan->stages; i++)
	{
		if (strcmp(plan->stage[i].name, name) == 0)
		{
			stages_seen++;
			return;
		}
	}
	CHECK(false, "stage %s was not planned", name);
}

static void
test_measure(DpArena *arena)
{
	const uint32_t levels[] = {1, 2};
	DpDomain domain;
	UnitTable table = open_table(arena, &domain, levels);
	DpCounter counter = unit_counter(&table);
	UnitOptions options = {.lists = 0};
	DpBudget budget = {DP_EPSILON_ONE, DP_DELTA_ONE / 1000000, 0};
	DpUnit unit = {DP_ADD_REMOVE, 1};
	DpMeter meter;
	DpModel model;
	DpPlan plan;
	DpError error;
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, 9);
	MUST(plan_with(arena, &domain, unit, budget, &options.options, &plan, &error));
	dp_meter_init(&meter,
				  (DpBudget){plan.cost.epsilon_nano - 1, plan.cost.delta_atto, plan.cost.rho_pico});
	CHECK_STATUS(dp_measure(&(DpMeasurement){.plan = &plan,
											 .counter = &counter,
											 .noise = {.meter = &meter, .rng = &rng},
											 .arena = arena},
							&model, &error),
				 DP_ERR_OVERDRAW, "a meter that holds too little is refused");
	CHECK(table.scans == 0 && meter.spent.epsilon_nano == 0, "before any data is read");
	dp_meter_init(&meter,
				  (DpBudget){plan.cost.epsilon_nano, plan.cost.delta_atto, plan.cost.rho_pico - 1});
	CHECK_STATUS(dp_measure(&(DpMeasurement){.plan = &plan,
											 .counter = &counter,
											 .noise = {.meter = &meter, .rng = &rng},
											 .arena = arena},
							&model, &error),
				 DP_ERR_OVERDRAW, "so is one that holds too little rho");
	dp_meter_init(&meter, plan.cost);
	MUST(dp_measure(&(DpMeasurement){.plan = &plan,
									 .counter = &counter,
									 .noise = {.meter = &meter, .rng = &rng},
									 .arena = arena,
									 .stage = see_stage,
									 .stage_context = &plan},
					&model, &error));
	CHECK_I64(stages_seen, 2, "stages are announced by their planned names");
	CHECK_STRING(model.method, "sbhg", "the model names its method");
}

/* The mean of exact numbers of different variance. */
static void
test_rows_estimate(DpArena *arena)
{
	int64_t one[] = {100, 50, 50};
	int64_t two[] = {260};
	DpTable table[2] = {
		{.cells = 3,
		 .value = one,
		 .noise = DP_NOISE_LAPLACE,
		 .cost = {1000000, 0, 0},
		 .sensitivity_l1 = 1},
		{.cells = 1,
		 .value = two,
		 .noise = DP_NOISE_LAPLACE,
		 .cost = {1000000, 0, 0},
		 .sensitivity_l1 = 1},
	};
	DpModel model = {.tables = 2, .table = table};

	(void) arena;
	CHECK_I64(dp_rows_estimate(&model), 245, "three cells have three times the variance of one");
	CHECK(fabs(dp_rows_stddev(&model) / (sqrt(2) * 1000 * sqrt(0.75)) - 1) < 1e-6,
		  "and together they have three quarters of its variance");
	one[0] = two[0] = -1000000;
	CHECK_I64(dp_rows_estimate(&model), 0, "a negative total is 0 rows");
	table[0].noise = DP_NOISE_STABILITY;
	two[0] = 77;
	CHECK_I64(dp_rows_estimate(&model), 77, "stability histograms tell no total");
	table[1].cost.epsilon_nano = DP_EPSILON_NANO_MAX;
	CHECK_I64(dp_rows_estimate(&model), 77, "a variance of 0 is no trouble");
	two[0] = INT64_MAX;
	CHECK_I64(dp_rows_estimate(&model), INT64_C(1) << 62, "nor is a huge count");
	model.tables = 1;
	CHECK(isinf(dp_rows_stddev(&model)), "a stability histogram alone has no accuracy");
	model.unit = (DpUnit){DP_REPLACE_ONE, 1};
	CHECK(dp_rows_stddev(&model) == 0, "a public number is exact");
}

static void
test_blocks(DpArena *arena)
{
	const uint32_t levels[] = {50, 40, 30};
	DpDomain domain = unit_domain(arena, levels, 3);
	UnitTable table = unit_table(arena, &domain, 4000);
	UnitOptions options = {.lists = 0};
	DpUnit unit = {DP_ADD_REMOVE, 1};
	DpBudget budget = {DP_EPSILON_ONE, 0, 0};
	UnitRelease release;
	uint32_t a[300];
	uint32_t b[300];
	DpPrng prng;
	DpRng rng;

	for (uint32_t i = 0; i < 4000; i++)
		for (uint32_t k = 0; k < 3; k++)
			table.code[k][i] = (i * (k + 3) / 7) % levels[k];
	unit_fixed_rng(&rng, &prng, 10);
	MUST(unit_release(&release, "sbhg", &table, unit, budget, &options.options, &rng, arena));
	dp_draw_block(release.plan.method->sampler, release.sampler, 3, &(DpRowBlock){{1, 2, 3}, 100},
				  a, NULL);
	dp_draw_block(release.plan.method->sampler, release.sampler, 3, &(DpRowBlock){{1, 2, 3}, 100},
				  b, NULL);
	CHECK(memcmp(a, b, sizeof(a)) == 0, "a block is the same every time");
	memset(b, 0, sizeof(b));
	dp_draw_block(release.plan.method->sampler, release.sampler, 3, &(DpRowBlock){{1, 2, 3}, 40}, b,
				  NULL);
	CHECK(memcmp(a, b, 120 * sizeof(*a)) == 0 && b[120] == 0, "fewer rows are its beginning");
	dp_draw_block(release.plan.method->sampler, release.sampler, 3, &(DpRowBlock){{4, 2, 3}, 100},
				  b, NULL);
	CHECK(memcmp(a, b, sizeof(a)) != 0, "another seed gives others");
	dp_draw_block(release.plan.method->sampler, release.sampler, 3, &(DpRowBlock){{1, 4, 3}, 100},
				  b, NULL);
	CHECK(memcmp(a, b, sizeof(a)) != 0, "so does another set");
	dp_draw_block(release.plan.method->sampler, release.sampler, 3, &(DpRowBlock){{1, 2, 4}, 100},
				  b, NULL);
	CHECK(memcmp(a, b, sizeof(a)) != 0, "so does another block");
}

/* Two plans that have one budget together, by halves. */
static void
test_shares(DpArena *arena)
{
	const uint32_t levels[] = {2, 3};
	DpDomain domain = unit_domain(arena, levels, 2);
	UnitOptions none = {.lists = 0};
	DpBudget asked = {DP_EPSILON_ONE, INT64_C(1000000000), 0};
	DpBudget half = {DP_EPSILON_ONE / 2, INT64_C(500000000), 0};
	DpRequest request = {
		.domain = &domain, .unit = {DP_ADD_REMOVE, 1}, .budget = half, .options = &none.options};
	DpPlan alone, shared;
	const DpPlan *two[] = {&shared, &shared}, *three[] = {&shared, &shared, &shared};
	DpBudget cost;

	MUST(dp_plan(dp_method_find("aim"), &request, &alone, arena, NULL));
	request.share_nano = DP_EPSILON_ONE / 2;
	MUST(dp_plan(dp_method_find("aim"), &request, &shared, arena, NULL));
	CHECK(shared.cost.rho_pico > 18 * (alone.cost.rho_pico / 10), "rho that is shared out is more");
	MUST(dp_plans_check(two, 2, asked, &cost));
	CHECK(cost.epsilon_nano == asked.epsilon_nano && cost.delta_atto == asked.delta_atto &&
			  cost.rho_pico == 2 * shared.cost.rho_pico && cost.rho_pico <= dp_rho_of_budget(asked),
		  "both are charged what was asked for, and their rho is within it");
	CHECK_STATUS(dp_plans_check(three, 3, asked, &cost), DP_ERR_OVERDRAW, "a third is too much");
	CHECK_STATUS(dp_plans_check(two, 2, half, &cost), DP_ERR_OVERDRAW, "and two are, for one half");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_registry();
	test_requests(&arena);
	test_stages();
	test_conversions(&arena);
	test_discovery(&arena);
	test_two_open(&arena);
	test_measure(&arena);
	test_rows_estimate(&arena);
	test_blocks(&arena);
	test_shares(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
