/*
 * test_fit_problem.c -- noisy tables as solvers take them: attributes of one level left
 * out, tables over the same set pooled, priors beside them, and what is refused.
 */
#include "core/sample/fit_entropic.h"

#include "core/domain/priors.h"
#include "unit_data.h"

static const uint32_t levels[] = {3, 1, 2, 4};
static const uint32_t a0[] = {0}, a01[] = {0, 1}, a02[] = {0, 2}, a1[] = {1}, a23[] = {2, 3};

static const int64_t count_a[] = {10, 20, 30}, count_b[] = {13, 14, 60};
static const double value_pair[] = {1, 2, 3, 4, 5, 6};
static const int64_t count_one[] = {60}, count_wide[] = {1, 2, 3, 4, 5, 6, 7, 8};

/* Two tables that are over attribute 0 alone, once 1 is left out; one over a constant; two more. */
static const DpFitTable tables[] = {
	{.of = {1, a0}, .cells = 3, .count = count_a, .variance = 4},
	{.of = {2, a01}, .cells = 3, .count = count_b, .variance = 2},
	{.of = {1, a1}, .cells = 1, .count = count_one, .variance = 1},
	{.of = {2, a02}, .cells = 6, .value = value_pair, .variance = 0},
	{.of = {2, a23}, .cells = 8, .count = count_wide, .variance = 9},
};

static DpFitInput
make_input(const DpDomain *domain)
{
	return (DpFitInput){.domain = domain,
						.tables = 5,
						.table = tables,
						.rows = 60,
						.solver = DP_SOLVER_ENTROPIC,
						.cell_limit = 24};
}

static void
test_tables(DpArena *arena)
{
	DpDomain domain = unit_domain(arena, levels, 4);
	DpFitInput input = make_input(&domain);
	uint64_t before = arena->bytes_used;
	DpFitProblem problem;
	bool pooled = true, same;

	MUST(dp_fit_problem(&input, true, &problem, arena, NULL));
	CHECK(problem.attributes == 3 && problem.cells == 24 && problem.index[1] == 2 &&
			  problem.levels[2] == 4,
		  "an attribute of one level is left out");
	CHECK(problem.tables == 3 && problem.table[0].mask == 1 && problem.table[1].mask == 3 &&
			  problem.table[2].mask == 6,
		  "tables over the same attributes are one, one over nothing is none");
	/* with weights 1/4 and 1/2: the second counts twice */
	for (int i = 0; i < 3; i++)
		pooled &=
			fabs(problem.table[0].value[i] - (double) (count_a[i] + 2 * count_b[i]) / 3) < 1e-12;
	CHECK(pooled, "their cells are the mean by inverse variance");
	CHECK_NEAR(problem.table[0].variance, 4.0 / 3, 1e-12, "which is surer than either");
	CHECK(problem.table[1].variance > 0 && problem.table[1].variance < 1e-10,
		  "a table without noise has hardly any");
	same = memcmp(problem.table[1].value, value_pair, sizeof(value_pair)) == 0;
	CHECK(same && problem.table[2].value[7] == 8, "values and counts are taken alike");
	CHECK(problem.rows == 60 && problem.residual == DP_FIT_RESIDUAL, "rows are the input's");
	dp_fit_problem_free(&problem, arena);
	CHECK(arena->bytes_used == before, "all memory comes back");
	input.rows = -5;
	MUST(dp_fit_problem(&input, false, &problem, arena, NULL));
	CHECK(problem.rows == 1 && problem.tables == 3 && problem.table[0].value == NULL,
		  "a plan has no values, and there is a row at least");
}

static void
test_priors(DpArena *arena)
{
	DpDomain domain = unit_domain(arena, levels, 4);
	uint32_t attribute[] = {2}, other[] = {0};
	int64_t counts[] = {300, 100}, other_counts[] = {1, 1, 2};
	DpPrior prior[] = {{1, other, 3, other_counts, 50000000}, {1, attribute, 2, counts, 100000000}};
	DpFitInput input = make_input(&domain);
	DpFitProblem problem;
	double weight = 1 / (3.0 * 3.0); /* of 5 percent of 60 rows */

	domain.prior = prior;
	domain.priors = 2;
	MUST(dp_fit_problem(&input, true, &problem, arena, NULL));
	CHECK(problem.tables == 4 && problem.table[3].mask == 2, "a prior is one more table");
	CHECK(problem.table[3].value[0] == 45 && problem.table[3].value[1] == 15, "of so many rows");
	CHECK_NEAR(problem.table[3].variance, 36, 1e-9, "as uncertain as it says");
	CHECK_NEAR(problem.table[0].value[0],
			   ((10 + 2 * 13) / 3.0 * 0.75 + 15 * weight) / (0.75 + weight), 1e-9,
			   "or it is pooled with the table that there is");
	input.solver = DP_SOLVER_CENTRED;
	MUST(dp_fit_problem(&input, true, &problem, arena, NULL));
	CHECK_I64(problem.tables, 3, "a solver that knows no noise has none");
}

static void
refuse(DpFitInput input, DpArena *arena, DpStatus want, const char *why)
{
	DpError error = {.status = DP_OK};
	DpFitProblem problem;

	CHECK_STATUS(dp_fit_problem(&input, true, &problem, arena, &error), want, "%s", why);
	CHECK(error.status == want, "%s, says the error", why);
}

static void
test_refused(DpArena *arena)
{
	const uint32_t descending[] = {2, 0}, unknown[] = {4};
	DpDomain domain = unit_domain(arena, levels, 4), none = {.attributes = 0};
	DpFitInput input = make_input(&domain);
	DpFitTable table = tables[3];
	DpFitProblem problem;

	input.cell_limit = 23;
	refuse(input, arena, DP_ERR_LIMIT, "more cells than the limit");
	input.cell_limit = 24;
	input.tables = 1;
	input.table = &table;
	CHECK_OK(dp_fit_problem(&input, true, &problem, arena, NULL), "as many");
	table.of.attribute = descending;
	refuse(input, arena, DP_ERR_ARGUMENT, "attributes that do not ascend");
	table = tables[3];
	table.cells = 5;
	refuse(input, arena, DP_ERR_ARGUMENT, "a table of other sizes");
	table = tables[3];
	table.variance = -1;
	refuse(input, arena, DP_ERR_ARGUMENT, "a negative variance");
	table.variance = INFINITY;
	refuse(input, arena, DP_ERR_ARGUMENT, "one that is infinite");
	table = tables[0];
	table.of.attribute = unknown;
	refuse(input, arena, DP_ERR_ARGUMENT, "an attribute that does not exist");
	input.domain = &none;
	refuse(input, arena, DP_ERR_ARGUMENT, "no attributes");
}

/* Zeros over attributes 0 and 1: the second has one level, so that its code says nothing. */
static void
test_zeros(DpArena *arena)
{
	DpDomain domain = unit_domain(arena, levels, 4);
	uint32_t one[] = {3}, two[] = {0, 1}, three[] = {0, 2, 3};
	uint32_t code_one[] = {1}, code_two[] = {2, 0}, code_three[] = {0, 0, 0, 1, 1, 3};
	DpZeroSet set[] = {{1, one, 1, code_one}, {2, two, 1, code_two}, {3, three, 2, code_three}};
	DpFitInput input = make_input(&domain);
	double cells[12] = {0};
	uint32_t mask[8] = {3};
	DpFitProblem problem;
	unsigned wrong = 0;

	domain.zeros = (DpZeros){3, set};
	MUST(dp_fit_problem(&input, false, &problem, arena, NULL));
	CHECK(!dp_fit_zeros_fill(&problem, 2, cells, -1), "a set without zeros is not filled");
	CHECK(dp_fit_zeros_fill(&problem, 5, cells, -1), "one with zeros is");
	for (uint32_t i = 0; i < 12; i++)
		wrong += cells[i] != (i % 4 == 1 || i / 4 == 2 ? -1 : 0);
	CHECK_I64(wrong, 0, "where they say, and nowhere else");
	CHECK_I64(dp_fit_zero_masks(&problem, 1, mask, 7), 2, "one set holds all that are not held");
	CHECK_I64(mask[1], 7, "it is the widest");
	CHECK_I64(dp_fit_zero_masks(&problem, 1, mask, 0), 1, "without room there is none");
	mask[0] = 4;
	domain.zeros.sets = 2;
	CHECK(dp_fit_zero_masks(&problem, 1, mask, 7) == 2 && mask[1] == 1,
		  "one that is held already is not added");
	mask[0] = 3;
	domain.zeros.sets = 1;
	CHECK(dp_fit_zero_masks(&problem, 1, mask, 7) == 2 && mask[1] == 4, "the first set is one too");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_tables(&arena);
	test_priors(&arena);
	test_refused(&arena);
	test_zeros(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
