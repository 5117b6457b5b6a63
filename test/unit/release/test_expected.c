/*
 * test_expected.c -- what a release is expected to take grows with what it does.
 */
#include "core/release/plan.h"

#include "core/methods/registry.h"
#include "unit_data.h"

static DpPlan
plan_of(const char *method, uint32_t columns, UnitOptions *given, DpArena *arena)
{
	DpDomain *domain = dp_alloc(arena, 1, sizeof(*domain));
	DpRequest *request = dp_alloc(arena, 1, sizeof(*request));
	uint32_t levels[100];
	DpError error = {0};
	DpPlan plan;

	for (uint32_t a = 0; a < columns; a++)
		levels[a] = 10;
	*domain = unit_domain(arena, levels, columns);
	*request = (DpRequest){.domain = domain,
						   .unit = {DP_ADD_REMOVE, 1},
						   .budget = {.epsilon_nano = DP_EPSILON_ONE, .delta_atto = 1000000000},
						   .options = &given->options};
	MUST(dp_plan(dp_method_find(method), request, &plan, arena, &error));
	return plan;
}

static void
test_growth(DpArena *arena)
{
	static const char *const methods[] = {"mst", "aim", "sbhg", "privbayes"};
	UnitOptions none = {0};

	for (int i = 0; i < 4; i++)
	{
		DpPlan narrow = plan_of(methods[i], 8, &none, arena);
		DpPlan wide = plan_of(methods[i], 24, &none, arena);

		CHECK(dp_plan_seconds(&narrow, 0) > 0, "%s takes some time", methods[i]);
		CHECK(dp_plan_seconds(&wide, 0) >= dp_plan_seconds(&narrow, 0), "%s: more columns, no less",
			  methods[i]);
		CHECK(dp_plan_seconds(&wide, 1000000) - dp_plan_seconds(&wide, 0) >
				  dp_plan_seconds(&narrow, 1000000) - dp_plan_seconds(&narrow, 0),
			  "%s: a row of more columns takes longer", methods[i]);
		CHECK(dp_plan_bytes(&wide, 0) > 0 && dp_plan_bytes(&wide, 0) <= wide.memory_bytes,
			  "%s: memory is expected, and no more than the bound", methods[i]);
	}
}

static void
test_memory(DpArena *arena)
{
	UnitOptions little = {0}, much = {0}, some = {0};
	DpPlan a, b, c, d;

	unit_number(&little, "max_model_memory", "40");
	unit_number(&much, "max_model_memory", "1280");
	unit_number(&some, "max_model_memory", "640");
	a = plan_of("aim", 12, &little, arena);
	b = plan_of("aim", 12, &much, arena);
	CHECK(dp_plan_seconds(&b, 0) > 10 * dp_plan_seconds(&a, 0), "a larger model takes longer");
	CHECK(dp_plan_bytes(&b, 0) > 5 * dp_plan_bytes(&a, 0), "and more memory");
	CHECK(dp_plan_seconds(&b, 1000) < dp_plan_seconds(&b, 0) / 2,
		  "few rows do not let it grow so large");
	c = plan_of("aim", 3, &some, arena);
	d = plan_of("aim", 3, &much, arena);
	CHECK(dp_plan_seconds(&c, 0) == dp_plan_seconds(&d, 0),
		  "it is no larger than the table of all columns");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_growth(&arena);
	test_memory(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
