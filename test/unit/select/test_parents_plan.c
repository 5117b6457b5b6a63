/*
 * test_parents_plan.c -- what choosing parents costs and the largest tables it can lead to.
 */
#include "core/select/parents_plan.h"

#include "unit_data.h"
#include "unit_stat.h"

static const uint32_t levels[] = {2, 3, 4, 2};

static bool
parents_are(const DpParents *parents, uint32_t n, uint32_t first, uint32_t second)
{
	return parents->n == n && (n < 1 || parents->index[0] == first) &&
		   (n < 2 || parents->index[1] == second);
}

static DpStatus
plan_status(const DpDomain *domain, DpUnit unit, int64_t epsilon_nano, uint32_t parents_n,
			DpPlan *plan, int64_t *each, int64_t *spent)
{
	static DpRequest request;
	DpParentsPlan parents = {.parents_n = parents_n};
	DpStatus status;

	request = (DpRequest){.domain = domain, .unit = unit, .budget = {epsilon_nano, 0, 0}};
	*plan = (DpPlan){.request = &request, .remaining = request.budget};
	status = dp_parents_plan_selection(plan, &parents, 100000000, spent, NULL);
	*each = parents.epsilon_each_nano;
	return status;
}

static void
test_plan(const DpDomain *domain)
{
	const DpUnit unit = {DP_ADD_REMOVE, 1}, large = {DP_REPLACE_ONE, 2000000};
	int64_t each, spent;
	DpPlan plan;

	MUST(plan_status(domain, unit, DP_EPSILON_ONE, 2, &plan, &each, &spent));
	CHECK(each == 12500000 && spent == 100000000 && plan.cost.epsilon_nano == spent,
		  "8 selections share a tenth of epsilon");
	CHECK(plan.stages == 1 && plan.stage[0].tables == 8 && plan.scans == 1, "in one scan");
	MUST(plan_status(domain, unit, 1007, 2, &plan, &each, &spent));
	CHECK(each == 12 && spent == 96, "what does not divide is not spent");
	CHECK_STATUS(plan_status(domain, unit, 79, 2, &plan, &each, &spent), DP_ERR_ARGUMENT,
				 "a share of less than a nano each is too little");
	CHECK_STATUS(plan_status(domain, large, DP_EPSILON_ONE, 2, &plan, &each, &spent), DP_ERR_LIMIT,
				 "a unit of too many rows");
	plan.stages = 0;
	MUST(dp_parents_plan_selection(&plan, &(DpParentsPlan){&(DpParents){0}, 2, 0}, 100000000,
								   &spent, NULL));
	CHECK(plan.stages == 0 && spent == 0, "public parents are no stage and cost nothing");
}

static void
test_public(DpArena *arena, const DpDomain *domain)
{
	UnitOptions options = {.lists = 0};
	DpRequest request = {.domain = domain, .options = &options.options};
	DpPlan plan = {.request = &request};
	DpParents *parents;

	MUST(dp_parents_public(&plan, 2, &parents, arena, NULL));
	CHECK(parents == NULL, "two of three others must be selected");
	MUST(dp_parents_public(&plan, 3, &parents, arena, NULL));
	CHECK(parents != NULL && parents[2].n == 3, "all three need not");
	MUST(dp_parents_public(&plan, 0, &parents, arena, NULL));
	CHECK(parents != NULL && parents[2].n == 0, "nor none");
	unit_add_option(&options, "column_order", DP_VALUE_LIST);
	unit_list(&options, arena, NULL, "c0 c1 c2 c3");
	MUST(dp_parents_public(&plan, 1, &parents, arena, NULL));
	CHECK(parents != NULL && parents_are(&parents[2], 1, 1, 0), "a ring says which");
	unit_add_option(&options, "network", DP_VALUE_MAP);
	unit_list(&options, arena, "c0", "c1");
	CHECK_STATUS(dp_parents_public(&plan, 1, &parents, arena, NULL), DP_ERR_ARGUMENT,
				 "a ring and a map exclude each other");
}

/* Against all choices of parents. */
static void
test_largest(DpArena *arena)
{
	const uint32_t many[] = {3, 9, 2, 9, 5, 4};
	DpDomain domain = unit_domain(arena, many, 6);
	uint64_t by_size[6];
	unsigned wrong = 0;

	MUST(dp_parents_by_size(&domain, by_size, arena));
	for (uint32_t child = 0; child < 6; child++)
		for (uint32_t n = 0; n < 6; n++)
		{
			uint32_t table[6], got = dp_parents_largest_table(by_size, n, child, table);
			uint64_t most = 0, cells = dp_domain_cells(&domain, table, got);

			for (uint32_t mask = 0; mask < 64; mask++)
			{
				uint64_t product = many[child];

				if ((uint32_t) __builtin_popcount(mask) != n || (mask >> child & 1))
					continue;
				for (uint32_t a = 0; a < 6; a++)
					product *= mask >> a & 1 ? many[a] : 1;
				most = product > most ? product : most;
			}
			wrong += got != n + 1 || table[n] != child || cells != most;
		}
	CHECK_I64(wrong, 0, "the largest table with so many parents is the largest of all choices");
	unit_open(&domain.attribute[2]);
	MUST(dp_parents_by_size(&domain, by_size, arena));
	CHECK_I64(by_size[0], 2, "an open column counts as the largest");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();
	DpDomain domain = unit_domain(&arena, levels, 4);

	test_plan(&domain);
	test_public(&arena, &domain);
	test_largest(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
