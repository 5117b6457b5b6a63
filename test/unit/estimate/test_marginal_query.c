/*
 * test_marginal_query.c -- what a query about groups asks of each attribute.
 */
#include "core/estimate/measured.h"

#include "unit_data.h"

int
main(void)
{
	static const uint32_t levels[] = {2, 3, 4};
	DpArena arena = dp_arena_malloc();
	DpDomain domain = unit_domain(&arena, levels, 3);
	double first[] = {1, 0};
	double *weight[] = {first, NULL, NULL};
	const DpGiven given = {3, weight, false};
	const DpMarginalQuery query = {
		.domain = &domain, .by = {2, (const uint32_t[]){1, 2}}, .given = &given};
	const DpMarginalQuery all = {.domain = &domain};
	uint32_t attributes[] = {0, 1, 2};
	const DpTable whole = {.n = 3, .attribute = attributes},
				  part = {.n = 2, .attribute = attributes};

	CHECK_I64(dp_marginal_query_groups(&query), 12, "groups are combinations of levels");
	CHECK_I64(dp_marginal_query_groups(&all), 1, "without columns there is one");
	CHECK(dp_marginal_query_gives(&query, 0) && !dp_marginal_query_gives(&query, 1) &&
			  !dp_marginal_query_gives(&all, 0),
		  "the condition is on attribute 0");
	CHECK(dp_marginal_query_groups_by(&query, 2) && !dp_marginal_query_groups_by(&query, 0),
		  "groups are by attributes 1 and 2");
	CHECK(dp_marginal_query_step(&query, 1) == 4 && dp_marginal_query_step(&query, 2) == 1 &&
			  dp_marginal_query_step(&query, 0) == 0,
		  "steps are row-major");
	CHECK(dp_marginal_query_is_held(&query, &whole) && !dp_marginal_query_is_held(&query, &part),
		  "a table must be over all three");
	CHECK(dp_marginal_query_is_held(&all, &part), "any table has the number of rows");
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
