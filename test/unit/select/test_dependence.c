/*
 * test_dependence.c -- the dependence score, and its sensitivity.
 */
#include "core/exact/marginal.h"
#include "core/select/pairs.h"

#include "unit_dependence.h"

static void
test_dependence(DpArena *arena)
{
	const uint32_t levels[] = {2, 2, 2};
	const uint32_t three[] = {0, 1, 2};
	const int64_t diagonal[] = {500000, 0, 0, 500000};
	DpUnit unit = {.neighbours = DP_ADD_REMOVE, .rows_max = 5};
	DpDomain domain = unit_domain(arena, levels, 3);
	DpMarginal marginal;
	int64_t score;

	MUST(dp_marginal_init(&marginal, &domain, &(DpAttributeSet){2, three}, DP_DENSE, arena, NULL));
	for (int i = 0; i < 4; i++)
		marginal.dense[i] = diagonal[i];
	marginal.total = 1000000;
	MUST(dp_marginal_dependence(&marginal, &score, arena));
	CHECK_I64(score, 512000000, "R of the diagonal is 1/2");
	marginal.dense[0] = marginal.dense[3] = INT64_C(1) << 50;
	marginal.total = INT64_C(1) << 51;
	MUST(dp_marginal_dependence(&marginal, &score, arena));
	CHECK_I64(score, INT64_C(1) << 60, "and so it is at 2^51 rows");
	marginal.total = INT64_C(1) << 62;
	CHECK_STATUS(dp_marginal_dependence(&marginal, &score, arena), DP_ERR_RANGE,
				 "2^62 rows are out of range");
	MUST(dp_marginal_init(&marginal, &domain, &(DpAttributeSet){3, three}, DP_DENSE, arena, NULL));
	CHECK_STATUS(dp_marginal_dependence(&marginal, &score, arena), DP_ERR_ARGUMENT,
				 "three attributes are no pair");
	CHECK_I64(dp_dependence_sensitivity(&unit), 2 * 1024 * 5, "sensitivity, add or remove");
	unit.neighbours = DP_REPLACE_ONE;
	CHECK_I64(dp_dependence_sensitivity(&unit), 3 * 1024 * 5, "sensitivity, replace");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_dependence(&arena);
	brute_force(&arena, 2, 2, 8);
	brute_force(&arena, 2, 3, 8);
	brute_force(&arena, 3, 3, 4);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
