/*
 * test_frechet_bounds.c -- bounds of groups that no table holds, for every joint with the margins.
 */
#include "core/estimate/frechet_bounds.h"
#include "core/estimate/measured.h"

#include "unit_measured.h"

/* Levels 0 and 2 of attribute 1 are counted together, at level 0. */
static void
test_groups(DpArena *arena, DpDomain *domain)
{
	const uint32_t set[] = {0, 1};
	uint32_t first[] = {0, 1}, second[] = {0, 1, 0}, third[] = {0, 1}, by[] = {1};
	uint32_t *group[P] = {first, second, third};
	bool noisy[] = {true, true, false, true, true, false};
	double same[] = {1, 0, 1}, *weights[P] = {NULL, same, NULL};
	DpGiven given = {.attributes = P, .weight = weights};
	DpMarginalQuery question = {
		.domain = domain, .by = {1, by}, .confidence = 0.95, .rows_public = -1};
	DpGroupAnswer answer[6];
	DpMeasuredTable from = {.group = group, .noisy = noisy};
	DpTable table;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){5, 0, 0});
	table = random_table(arena, set, 2, 20000000, &prng);
	from.table = &table;
	MUST(dp_measured_answer(&question, &from, 1, answer, NULL, arena));
	CHECK(answer[0].basis == DP_BASIS_NONE && answer[2].basis == DP_BASIS_NONE,
		  "a level of a group is not measured");
	CHECK_NEAR(answer[1].estimate, (double) (table.value[1] + table.value[4]), 0, "others are");
	MUST(dp_frechet_bounds(&question, &from, 1, answer, NULL, arena));
	CHECK(isnan(answer[0].low), "one table that does not tell bounds nothing");
	question.by.n = 0;
	question.given = &given;
	MUST(dp_measured_answer(&question, &from, 1, answer, NULL, arena));
	CHECK_NEAR(answer[0].estimate, (double) (table.value[0] + table.value[3]), 0,
			   "a condition on the whole group is measured");
	same[2] = 0.5;
	MUST(dp_measured_answer(&question, &from, 1, answer, NULL, arena));
	CHECK(answer[0].basis == DP_BASIS_NONE, "one on a part of it is not");
	from.group = NULL;
	question.given = NULL;
	MUST(dp_measured_answer(&question, &from, 1, answer, NULL, arena));
	CHECK(answer[0].basis == DP_BASIS_NONE, "nor is a total with a cell that was left out");
}

/* With hardly any noise: 30 + 80 - 100 = 10 at least, and 30 at most. */
static void
test_bounds(DpArena *arena, DpDomain *domain)
{
	const uint32_t sets[] = {0, 2};
	uint32_t by[] = {0, 2};
	DpMarginalQuery question = {
		.domain = domain, .by = {2, by}, .confidence = 0.95, .rows_public = -1};
	DpGroupAnswer answer[4];
	DpTable table[2];
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){6, 0, 0});
	for (uint32_t t = 0; t < 2; t++)
	{
		table[t] = random_table(arena, &sets[t], 1, INT64_C(50000000000), &prng);
		table[t].value[0] = t == 0 ? 30 : 80;
		table[t].value[1] = t == 0 ? 70 : 20;
	}
	MUST(dp_measured_answer(&question, measured(arena, table, 2), 2, answer, NULL, arena));
	MUST(dp_frechet_bounds(&question, measured(arena, table, 2), 2, answer, NULL, arena));
	CHECK(answer[0].low == 10 && answer[0].high == 30, "bounds of a pair from two columns");
	CHECK(answer[3].low == 0 && answer[3].high == 20, "which are 0 at least");
}

/* All parts and the total hold together: each is answered with a third of what may fail. */
static void
test_bounds_together(DpArena *arena, DpDomain *domain)
{
	const uint32_t sets[] = {0, 2};
	uint32_t by[] = {0, 2};
	DpMarginalQuery question = {
		.domain = domain, .by = {2, by}, .confidence = 0.95, .rows_public = -1};
	DpGroupAnswer answer[4], part[2];
	DpTable table[2];
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){8, 0, 0});
	for (uint32_t t = 0; t < 2; t++)
	{
		table[t] = random_table(arena, &sets[t], 1, 100000000, &prng);
		table[t].value[0] = t == 0 ? 300 : 8000;
		table[t].value[1] = t == 0 ? 9000 : 1000;
	}
	MUST(dp_measured_answer(&question, measured(arena, table, 2), 2, answer, NULL, arena));
	MUST(dp_frechet_bounds(&question, measured(arena, table, 2), 2, answer, NULL, arena));
	question.by = (DpAttributeSet){1, by};
	question.confidence = 1 - 0.05 / 3;
	MUST(dp_measured_answer(&question, measured(arena, table, 1), 1, part, NULL, arena));
	CHECK_NEAR(answer[0].high, part[0].high, 1e-9, "the bound of the smaller part, with its share");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();
	DpDomain domain = unit_domain(&arena, sizes, P);

	test_groups(&arena, &domain);
	test_bounds(&arena, &domain);
	test_bounds_together(&arena, &domain);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
