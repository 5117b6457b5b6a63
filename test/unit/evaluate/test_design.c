/*
 * test_design.c -- terms of a regression: which there are, and those of a row.
 */
#include "core/evaluate/regression.h"

#include "unit.h"

static const DpPredictor predictors[] = {{0, 0}, {3, 1}, {2, 0}};

static void
test_terms(DpArena *arena)
{
	DpDesign design;
	DpDesignRow row;

	CHECK_I64(dp_design_terms(predictors, 3, false), 1 + 1 + 2 + 1,
			  "a number has a term, a category one for each level but its reference");
	CHECK_I64(dp_design_terms(predictors, 3, true), 5 + 2, "pairs are those of two categories");
	MUST(dp_design_init(&design, predictors, 3, true, arena));
	MUST(dp_design_row_init(&row, &design, arena));
	dp_design_row(&design, (const double[]){2.5, 2, 1}, &row);
	CHECK_I64(row.n, 5, "intercept, number, both levels, and their product");
	CHECK(row.term[0] == 0 && row.x[0] == 1, "the intercept is first");
	CHECK(row.x[1] == 2.5 && dp_design_predictor(&design, row.term[1]) == 0, "the number");
	CHECK(dp_design_predictor(&design, row.term[2]) == 1 &&
			  dp_design_level(&design, row.term[2]) == 2,
		  "level 2 of the first category");
	CHECK(dp_design_predictor(&design, row.term[3]) == 2 &&
			  dp_design_level(&design, row.term[3]) == 1,
		  "level 1 of the second");
	dp_design_row(&design, (const double[]){2.5, 1, 0}, &row);
	CHECK_I64(row.n, 2, "references have no term");
}

static void
test_standardise(DpArena *arena)
{
	static const double value[] = {1, 0, 0, 5, 1, 1}, outcome[] = {0, 1}, weight[] = {3, 1};
	const DpObservations rows = {2, 3, value, outcome, weight};
	DpDesign design;
	DpDesignRow row;
	double first;

	MUST(dp_design_init(&design, predictors, 3, false, arena));
	MUST(dp_design_row_init(&row, &design, arena));
	dp_design_standardise(&design, &rows);
	dp_design_row(&design, value, &row);
	first = row.x[1];
	dp_design_row(&design, value + 3, &row);
	CHECK_NEAR(3 * first + row.x[1], 0, 1e-12, "the mean of weighted rows is 0");
	CHECK_NEAR((3 * first * first + row.x[1] * row.x[1]) / 4, 1, 1e-12, "and their variance 1");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_terms(&arena);
	test_standardise(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
