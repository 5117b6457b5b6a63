/*
 * test_refuse.c -- reasons why a plan is refused: their status, and which column they name.
 */
#include "core/plan/refuse.h"

#include "core/plan/method.h"
#include "unit_data.h"

int
main(void)
{
	static const uint32_t levels[] = {2, 3};
	DpArena arena = dp_arena_malloc();
	DpDomain domain = unit_domain(&arena, levels, 2);
	const DpRange range = {.state = DP_RANGE_REQUESTED};
	const DpMethod method = {.name = "plain"};
	DpRequest request = {.domain = &domain};
	DpPlan plan = {.request = &request, .method = &method};
	DpError error;

	CHECK_STATUS(dp_refuse_budget("tables", &error), DP_ERR_ARGUMENT, "too little budget");
	CHECK(strstr(error.message, "\"tables\"") != NULL, "the message names the stage");
	CHECK_STATUS(dp_refuse_delta("tables", "set dense_cells", &error), DP_ERR_ARGUMENT, "no delta");
	CHECK(strstr(error.hint, "set dense_cells") != NULL, "the hint names the remedy");
	CHECK_STATUS(dp_refuse_cells("tables", 4000000, "use flat", &error), DP_ERR_LIMIT,
				 "too many cells");
	CHECK(strstr(error.detail, "4000000") != NULL, "the detail has the limit");
	CHECK_STATUS(dp_refuse_unit("tables", &error), DP_ERR_LIMIT, "too large a unit");
	CHECK_OK(dp_refuse_open(&plan, "", &error), "no column is open");
	CHECK_OK(dp_refuse_ranges(&plan, &error), "none has a range");
	domain.attribute[1].open = true;
	domain.attribute[1].range = &range;
	CHECK_STATUS(dp_refuse_open(&plan, "Why.", &error), DP_ERR_ARGUMENT, "an open column");
	CHECK(strstr(error.detail, domain.attribute[1].name) != NULL && strstr(error.detail, "Why."),
		  "the detail names it and the reason");
	CHECK_STATUS(dp_refuse_ranges(&plan, &error), DP_ERR_ARGUMENT, "a column with a range");
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
