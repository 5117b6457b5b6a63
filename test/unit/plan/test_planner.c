/*
 * test_planner.c -- plans of requests: what is refused, and that parts never exceed the whole.
 */
#include "unit_plan.h"

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

	test_requests(&arena);
	test_conversions(&arena);
	test_shares(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
