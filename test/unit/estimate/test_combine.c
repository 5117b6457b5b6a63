/*
 * test_combine.c -- combining rules against figures of other programs and by
 * hand.
 */
#include "core/estimate/combine.h"

#include "unit.h"

static void
test_distributions(void)
{
	/* tables of t and F */
	CHECK_NEAR(dp_student_two_sided(0.95, 1), 12.7062047362, 1e-8, "t, 1 df");
	CHECK_NEAR(dp_student_two_sided(0.95, 4), 2.7764451052, 1e-9, "t, 4 df");
	CHECK_NEAR(dp_student_two_sided(0.99, 30), 2.7499956536, 1e-9, "t, 30 df");
	CHECK_NEAR(dp_student_two_sided(0.95, INFINITY), 1.9599639845, 1e-9, "the normal law");
	CHECK_NEAR(dp_student_two_sided(0.95, 1e8), 1.9599639845, 1e-7, "nearly the normal law");
	CHECK_NEAR(dp_f_above(4.9646027437, 1, 10), 0.05, 1e-9, "F, 1 and 10 df");
	CHECK_NEAR(dp_f_above(3.4780496908, 4, 10), 0.05, 1e-9, "F, 4 and 10 df");
	CHECK_NEAR(dp_f_above(9.487729037 / 4, 4, INFINITY), 0.05, 1e-9, "chi-square, 4 df");
	CHECK_NEAR(dp_f_above(2, 2, 2), 1.0 / 3, 1e-12, "F, 2 and 2 df, in closed form");
	CHECK(dp_f_above(0, 3, 3) == 1 && dp_f_above(-1, 3, 3) == 1, "F is positive");
}

static void
test_estimates(void)
{
	const double q[] = {1, 2, 3, 6}, se[] = {1, 1, 2, 2};
	DpCombined c;

	/* mean 3, B = (4 + 1 + 0 + 9)/3 = 14/3, W = 2.5 */
	MUST(dp_combine_estimates_of(q, se, 4, 0.95, DP_COMBINE_PRIVATE, &c));
	CHECK_NEAR(c.estimate, 3, 1e-12, "the mean");
	CHECK_NEAR(c.standard_error, sqrt(14.0 / 12 + 2.5), 1e-12, "T = B/m + W");
	CHECK_NEAR(c.df, 3 * pow(1 + 4 * 2.5 * 3 / 14, 2), 1e-9, "df = (m - 1)(1 + m W/B)^2");
	CHECK_NEAR(c.high - c.low, 2 * c.standard_error * dp_student_two_sided(0.95, c.df), 1e-9,
			   "the interval");
	CHECK_NEAR(c.high + c.low, 6, 1e-12, "around the estimate");
	MUST(dp_combine_estimates_of(q, se, 4, 0.95, DP_COMBINE_FULLY_SYNTHETIC, &c));
	CHECK_NEAR(c.standard_error, sqrt(1.25 * 14 / 3 - 2.5), 1e-12, "T = (1 + 1/m) B - W");
	CHECK_NEAR(c.df, 3 * pow(1 - 2.5 / (1.25 * 14 / 3), 2), 1e-9, "df of Raghunathan and others");
	MUST(dp_combine_estimates_of((double[]){1, 1}, (double[]){2, 2}, 2, 0.95,
								 DP_COMBINE_FULLY_SYNTHETIC, &c));
	CHECK_NEAR(c.standard_error, 2, 1e-12, "a negative T gives way to W");
	MUST(dp_combine_estimates_of((double[]){1, 1}, (double[]){2, 2}, 2, 0.95, DP_COMBINE_PRIVATE,
								 &c));
	CHECK(isinf(c.df), "sets that agree: normal");
	CHECK_NEAR(c.high, 1 + 2 * 1.9599639845, 1e-8, "the normal interval");
	MUST(dp_combine_estimates_of((double[]){1, 1}, (double[]){0, 0}, 2, 0.95, DP_COMBINE_PRIVATE,
								 &c));
	CHECK(c.low == 1 && c.high == 1, "no uncertainty at all");
}

static void
test_chi_square(void)
{
	const double x[] = {4, 9, 16};
	DpCombinedTest t;

	/* roots 2 3 4: variance 1, r = 4/3; mean 29/3; D = (29/9 - 2 x 4/3)/(7/3) */
	MUST(dp_combine_chi_square_of(x, 3, 3, &t));
	CHECK_NEAR(t.statistic, (29.0 / 9 - 8.0 / 3) / (7.0 / 3), 1e-12, "D, with the square");
	CHECK_NEAR(t.df2, 2 * pow(1.75, 2) / 3, 1e-12, "k^(-3/m) (m - 1) (1 + 1/r)^2");
	CHECK_NEAR(t.p, dp_f_above(t.statistic, 3, t.df2), 1e-12, "its p-value");
	MUST(dp_combine_chi_square_of((double[]){9.487729037, 9.487729037}, 2, 4, &t));
	CHECK_NEAR(t.p, 0.05, 1e-9, "equal statistics: that of each");
}

static void
test_arguments(void)
{
	DpCombinedTest t;
	DpCombined c;

	CHECK_STATUS(
		dp_combine_estimates_of((double[]){1}, (double[]){1}, 1, 0.95, DP_COMBINE_PRIVATE, &c),
		DP_ERR_ARGUMENT, "one set");
	CHECK_STATUS(dp_combine_estimates_of((double[]){1, 2}, (double[]){1, -1}, 2, 0.95,
										 DP_COMBINE_PRIVATE, &c),
				 DP_ERR_ARGUMENT, "a negative standard error");
	CHECK_STATUS(dp_combine_estimates_of((double[]){1, NAN}, (double[]){1, 1}, 2, 0.95,
										 DP_COMBINE_PRIVATE, &c),
				 DP_ERR_ARGUMENT, "not a number");
	CHECK_STATUS(
		dp_combine_estimates_of((double[]){1, 2}, (double[]){1, 1}, 2, 1, DP_COMBINE_PRIVATE, &c),
		DP_ERR_ARGUMENT, "certainty");
	CHECK_STATUS(dp_combine_chi_square_of((double[]){1, 2}, 2, 0, &t), DP_ERR_ARGUMENT, "0 df");
}

int
main(void)
{
	test_distributions();
	test_estimates();
	test_chi_square();
	test_arguments();
	return unit_finish();
}
