/*
 * test_run.c -- a release from plan to model: it charges what was planned.
 *
 * Covers measurement.c and method.c.
 */
#include "core/plan/method.h"

#include "unit_plan.h"

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

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_discovery(&arena);
	test_two_open(&arena);
	test_measure(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
