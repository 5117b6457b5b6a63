/*
 * test_regression.c -- regressions beside known coefficients.
 *
 * Covers regression_pass.c.
 */
#include "core/base/code_key.h"
#include "core/evaluate/regression.h"
#include "core/evaluate/table_pair.h"

#include "unit.h"

#define ROWS 40
#define PAIR_ROWS 60
#define MANY_LEVELS 600

typedef struct Rows
{
	double value[MANY_LEVELS * 3 * 2];
	double outcome[MANY_LEVELS * 3];
	double weight[MANY_LEVELS * 3];
} Rows;

static Rows data;

static uint32_t
next(uint32_t *state, uint32_t n)
{
	*state = (*state * 1103515245u + 12345u) & 0x7fffffffu;
	return (*state >> 16) % n;
}

/* A category with three levels, and a number far from 0. */
static DpObservations
make_rows(DpFamily family)
{
	uint32_t state = 1;

	for (int i = 0; i < ROWS; i++)
	{
		double number, event;

		data.value[2 * i] = next(&state, 3);
		data.value[2 * i + 1] = 1e6 + next(&state, 1000) / 8.0;
		number = next(&state, 100) / 4.0 + data.value[2 * i] + (data.value[2 * i + 1] - 1e6) / 100;
		event = next(&state, 100) < 30 + 20 * data.value[2 * i] ? 1 : 0;
		data.outcome[i] = family == DP_FAMILY_LINEAR ? number : event;
		data.weight[i] = 1 + next(&state, 3);
	}
	return (DpObservations){.rows = ROWS,
							.predictors = 2,
							.value = data.value,
							.outcome = data.outcome,
							.weight = data.weight};
}

static const DpPredictor predictors[] = {{.levels = 3, .reference = 1}, {.levels = 0}};

static void
check_near_all(const double *got, const double *want, uint32_t n, const char *what)
{
	for (uint32_t i = 0; i < n; i++)
		CHECK_NEAR(got[i] / want[i], 1, 1e-9, "%s %u", what, i);
}

static void
test_known(void)
{
	static const double linear[] = {-28805.630551955324, -0.5885710534709225, 2.6488624775668286,
									0.02881733681339774};
	static const double linear_error[] = {23708.356350544407, 2.3706217409337618,
										  2.0921117535492315, 0.023706672112029994};
	static const double logistic[] = {8816.157204100042, -1.1173996960843147, 0.5695019864761621,
									  -0.008815459167803748};
	static const double logistic_error[] = {6612.891550222555, 0.662544836125725,
											0.5703552559772854, 0.006612417086995647};
	DpArena arena = dp_arena_malloc();
	DpRegressionModel model = {.predictor = predictors, .predictors = 2};
	DpObservations rows = make_rows(DP_FAMILY_LINEAR);
	DpRegression fit;

	CHECK_OK(dp_regression_fit(&model, &rows, &fit, NULL, &arena), "a linear model");
	check_near_all(fit.coefficient, linear, 4, "linear coefficient");
	check_near_all(fit.standard_error, linear_error, 4, "linear standard error");
	CHECK_NEAR(fit.df, fit.rows - 4, 0, "degrees of freedom");
	rows = make_rows(DP_FAMILY_LOGISTIC);
	model.family = DP_FAMILY_LOGISTIC;
	CHECK_OK(dp_regression_fit(&model, &rows, &fit, NULL, &arena), "a logistic model");
	check_near_all(fit.coefficient, logistic, 4, "logistic coefficient");
	check_near_all(fit.standard_error, logistic_error, 4, "logistic standard error");
	dp_arena_malloc_free(&arena);
}

/* Weighted rows are rows that come several times; shares of events are rows of both outcomes. */
static void
test_weights(void)
{
	DpArena arena = dp_arena_malloc();
	DpRegressionModel model = {
		.family = DP_FAMILY_LOGISTIC, .predictor = predictors, .predictors = 2};
	double value[] = {0, 1, 1, 2, 2, 5, 0, 1, 1, 2, 2, 5};
	double outcome[] = {1, 1, 1, 0, 0, 0}, weight[] = {1, 2, 1, 3, 1, 4};
	double shares[] = {0.25, 2 / 3.0, 0.2}, sums[] = {4, 3, 5};
	DpObservations both = {
		.rows = 6, .predictors = 2, .value = value, .outcome = outcome, .weight = weight};
	DpObservations mixed = {
		.rows = 3, .predictors = 2, .value = value, .outcome = shares, .weight = sums};
	DpPredictor numbers[] = {{.levels = 0}, {.levels = 0}};
	DpRegression a, b;

	model.predictor = numbers;
	CHECK_OK(dp_regression_fit(&model, &both, &a, NULL, &arena), "rows of both outcomes");
	CHECK_OK(dp_regression_fit(&model, &mixed, &b, NULL, &arena), "shares of events");
	for (int t = 0; t < 3; t++)
	{
		CHECK_NEAR(a.coefficient[t], b.coefficient[t], 1e-9, "the same coefficient %d", t);
		CHECK_NEAR(a.standard_error[t], b.standard_error[t], 1e-9, "the same error %d", t);
	}
	CHECK_NEAR(b.fitted[0], 0.25, 1e-9, "three terms for three rows fit them all");
	dp_arena_malloc_free(&arena);
}

static void
test_ridge(void)
{
	static const double known[] = {0.5234255051484928, 0.044973422029946926, -0.29045523687843705,
								   0.3461296389522583, -1.1871534993033102,  0.21703937580922977};
	static const DpPredictor two[] = {{.levels = 3}, {.levels = 2}};
	DpArena arena = dp_arena_malloc();
	DpRegressionModel model = {.family = DP_FAMILY_LOGISTIC,
							   .predictor = two,
							   .predictors = 2,
							   .pairs = true,
							   .ridge = 0.5};
	DpObservations rows = {.rows = PAIR_ROWS,
						   .predictors = 2,
						   .value = data.value,
						   .outcome = data.outcome,
						   .weight = data.weight};
	uint32_t state = 7;
	DpRegression fit;

	for (int i = 0; i < PAIR_ROWS; i++)
	{
		data.value[2 * i] = next(&state, 3);
		data.value[2 * i + 1] = next(&state, 2);
		data.outcome[i] = next(&state, 2);
		data.weight[i] = 1;
	}
	CHECK_OK(dp_regression_fit(&model, &rows, &fit, NULL, &arena), "pairs, with a ridge");
	CHECK_I64(fit.design.terms, 6, "1 + 2 + 1 + 2 x 1 terms");
	/* numpy's order: the terms of a pair are those of the first column within the second */
	check_near_all(fit.coefficient, known, 6, "coefficient with a ridge");
	dp_arena_malloc_free(&arena);
}

/* So many terms are fitted by quasi-Newton steps. Level by level the optimum is
 * n (share - p) = ridge x coefficient. */
static void
test_many_terms(void)
{
	DpPredictor many = {.levels = MANY_LEVELS};
	DpArena arena = dp_arena_malloc();
	DpRegressionModel model = {
		.family = DP_FAMILY_LOGISTIC, .predictor = &many, .predictors = 1, .ridge = 0.01};
	DpObservations rows = {.rows = MANY_LEVELS * 3,
						   .predictors = 1,
						   .value = data.value,
						   .outcome = data.outcome,
						   .weight = data.weight};
	double worst = 0, sum = 0;
	uint32_t state = 3;
	DpRegression fit;

	for (uint32_t i = 0; i < rows.rows; i++)
	{
		data.value[i] = i / 3;
		data.outcome[i] = next(&state, 2);
		data.weight[i] = 1 + next(&state, 9);
	}
	CHECK_OK(dp_regression_fit(&model, &rows, &fit, NULL, &arena), "600 levels, with a ridge");
	for (uint32_t level = 0; level < MANY_LEVELS; level++)
	{
		double slope = level == 0 ? 0 : -0.01 * fit.coefficient[level];

		for (uint32_t i = 3 * level; i < 3 * level + 3; i++)
			slope += data.weight[i] * (data.outcome[i] - fit.fitted[i]);
		if (level > 0)
			worst = fmax(worst, fabs(slope));
		sum += slope + (level > 0 ? 0.01 * fit.coefficient[level] : 0);
	}
	CHECK_NEAR(worst, 0, 1e-4, "no coefficient has a slope left");
	CHECK_NEAR(sum, 0, 1e-4, "nor has the intercept");
	dp_arena_malloc_free(&arena);
}

static void
test_states(void)
{
	/* the number is twice the code; level 2 is always an event */
	double value[] = {0, 0, 0, 0, 1, 2, 1, 2, 2, 4, 2, 4};
	double outcome[] = {0, 1, 0, 1, 1, 1}, weight[] = {3, 2, 2, 4, 1, 2};
	static const DpPredictor both[] = {{.levels = 4}, {.levels = 0}};
	bool left_out[5] = {[1] = true};
	DpArena arena = dp_arena_malloc();
	DpRegressionModel model = {.family = DP_FAMILY_LOGISTIC, .predictor = both, .predictors = 2};
	DpObservations rows = {
		.rows = 6, .predictors = 2, .value = value, .outcome = outcome, .weight = weight};
	DpRegression fit;

	CHECK_OK(dp_regression_fit(&model, &rows, &fit, NULL, &arena), "a model with gaps");
	CHECK_I64(fit.state, DP_FIT_DONE, "it is fitted");
	CHECK_I64(fit.term_state[0], DP_TERM_FITTED, "the intercept is");
	CHECK_I64(fit.term_state[1], DP_TERM_FITTED, "level 1 is");
	CHECK_I64(fit.term_state[2], DP_TERM_SEPARATED, "level 2 is separated");
	CHECK_I64(fit.term_state[3], DP_TERM_ABSENT, "no row has level 3");
	CHECK_I64(fit.term_state[4], DP_TERM_COLLINEAR, "the number is collinear");
	CHECK_NEAR(fit.coefficient[0], log(2 / 3.0), 1e-12, "the log odds of level 0");
	CHECK_NEAR(fit.coefficient[1], log(2.0) - log(2 / 3.0), 1e-12, "and of level 1");
	CHECK_NEAR(fit.standard_error[1], sqrt(1 / 3.0 + 1 / 2.0 + 1 / 2.0 + 1 / 4.0), 1e-12,
			   "and its error");
	model.left_out = left_out;
	CHECK_OK(dp_regression_fit(&model, &rows, &fit, NULL, &arena), "without level 1");
	CHECK_I64(fit.term_state[1], DP_TERM_LEFT_OUT, "it is left out");
	CHECK(fit.term_state[4] != DP_TERM_COLLINEAR, "now the number is not collinear");
	model.left_out = NULL;
	outcome[0] = outcome[2] = 1;
	CHECK_OK(dp_regression_fit(&model, &rows, &fit, NULL, &arena), "one outcome");
	CHECK_I64(fit.state, DP_FIT_CONSTANT, "it is constant");
	outcome[0] = outcome[1] = 0;
	CHECK_OK(dp_regression_fit(&model, &rows, &fit, NULL, &arena), "level 0 without events");
	CHECK_I64(fit.state, DP_FIT_SEPARATED, "all is separated");
	rows.rows = 0;
	CHECK_OK(dp_regression_fit(&model, &rows, &fit, NULL, &arena), "no rows");
	CHECK_I64(fit.state, DP_FIT_EMPTY, "there are none");
	rows.rows = 2;
	outcome[0] = 7;
	weight[0] = weight[1] = 1;
	value[2] = 1;
	model.family = DP_FAMILY_LINEAR;
	CHECK_OK(dp_regression_fit(&model, &rows, &fit, NULL, &arena), "two rows, two terms");
	CHECK_I64(fit.state, DP_FIT_FEW_ROWS, "they are too few");
	CHECK_STATUS(dp_regression_fit(&(DpRegressionModel){.predictor = &(DpPredictor){.levels = 2002},
														.predictors = 1},
								   &rows, &fit, NULL, &arena),
				 DP_ERR_LIMIT, "too many terms");
	dp_arena_malloc_free(&arena);
}

/* Whatever is refused, nothing is lost and nothing else happens. */
static void
test_memory(void)
{
	DpObservations rows = make_rows(DP_FAMILY_LOGISTIC);
	DpRegressionModel model = {
		.family = DP_FAMILY_LOGISTIC, .predictor = predictors, .predictors = 2};
	uint64_t refused = 0;

	for (uint64_t bytes = 8; bytes < 8192; bytes += 24)
	{
		DpArena arena = dp_arena_malloc();
		DpRegression fit;
		DpStatus status;

		arena.bytes_max = bytes;
		status = dp_regression_fit(&model, &rows, &fit, NULL, &arena);
		refused += status == DP_ERR_MEMORY;
		if (status != DP_OK && status != DP_ERR_MEMORY)
			CHECK(false, "status %d with %" PRIu64 " bytes", (int) status, bytes);
		dp_arena_malloc_free(&arena);
	}
	CHECK(refused > 10 && refused < 8192 / 24, "too little memory is said, enough is enough");
}

/* The third column is the sum of the first two. */
static void
test_factor(void)
{
	double matrix[] = {4, 0, 0, 2, 5, 0, 6, 7, 13}, b[] = {8, 12, 0}, z[3], a[] = {1, 1, 0};
	DpArena arena = dp_arena_malloc();
	DpFactor factor;
	uint32_t kept;
	double square;

	CHECK_OK(dp_factor_init(&factor, 3, &arena), "a matrix");
	memcpy(factor.l, matrix, sizeof(matrix));
	kept = dp_factor_make(&factor, 1e-10, NULL);
	CHECK_I64(kept, 2, "two columns are kept");
	CHECK(!factor.kept[2], "the third is not");
	dp_factor_combination(&factor, 2, z);
	CHECK(fabs(z[0] - 1) < 1e-12 && fabs(z[1] - 1) < 1e-12, "it is the sum of the others");
	dp_factor_solve(&factor, b); /* 4 x + 2 y = 8, 2 x + 5 y = 12 */
	CHECK(fabs(b[0] - 1) < 1e-12 && fabs(b[1] - 2) < 1e-12 && b[2] == 0, "the solution");
	square = dp_factor_square(&factor, a);
	CHECK_NEAR(square, (5 - 4 + 4) / 16.0, 1e-12, "a' M^-1 a");
	dp_factor_free(&factor, &arena);
	CHECK_I64(arena.bytes_used, 0, "all memory came back");
	dp_arena_malloc_free(&arena);
}

int
main(void)
{
	test_known();
	test_weights();
	test_ridge();
	test_many_terms();
	test_states();
	test_memory();
	test_factor();
	return unit_finish();
}
