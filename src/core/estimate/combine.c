/*
 * combine.c -- combining rules, and the two distributions that they need.
 */
#include "core/estimate/combine.h"

#include <math.h>

#define DF_INFINITE 1e9 /* from here on the limit for infinite df is as good */

/* ---- incomplete beta and gamma functions ---- */

/* Lentz's continued fraction of the incomplete beta function (Press et al., 6.4). */
static double
beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), h;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	h = d;
	for (int i = 1; i <= 100000; i++)
	{
		double even = i * (b - i) * x / ((a + 2 * i - 1) * (a + 2 * i));
		double odd = -(a + i) * (a + b + i) * x / ((a + 2 * i) * (a + 2 * i + 1));
		double factor;

		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		h *= d * c;
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		factor = d * c;
		h *= factor;
		if (fabs(factor - 1) < 1e-15)
			break;
	}
	return h;
}

/* The regularised incomplete beta function I_x(a, b). */
static double
beta_regularised(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
									 : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* The most degrees of freedom of a test. Up to there the series below end within their bounds. */
#define DF_MAX 1e8

/* The regularised upper gamma function Q(s, x): by a series for x < s + 1, by a continued
 * fraction above. */
static double
gamma_above(double s, double x)
{
	double scale, term = 1 / s, sum = term;
	double b = x + 1 - s, c = 1e300, d = 1 / b, h = d;

	if (x <= 0)
		return 1;
	scale = exp(s * log(x) - x - lgamma(s));
	if (x < s + 1)
	{
		for (int i = 1; i < 1000000 && fabs(term) > 1e-17 * sum; i++)
			sum += term *= x / (s + i);
		return 1 - sum * scale;
	}
	for (int i = 1; i < 100000; i++)
	{
		double an = -i * (i - s), factor;

		b += 2;
		d = 1 / (an * d + b);
		c = b + an / c;
		factor = d * c;
		h *= factor;
		if (fabs(factor - 1) < 1e-15)
			break;
	}
	return scale * h;
}

double
dp_f_above(double x, double df1, double df2)
{
	if (!(x > 0))
		return 1;
	if (df2 >= DF_INFINITE)
		return gamma_above(df1 / 2, df1 * x / 2);
	return beta_regularised(df2 / 2, df1 / 2, df2 / (df2 + df1 * x));
}

/* P[|T| > t] is P[F(1, df) > t^2]. Bisection finds t without special care of the tails. */
double
dp_student_two_sided(double confidence, double df)
{
	double low = 0, high = 1;

	while (dp_f_above(high * high, 1, df) > 1 - confidence && high < 1e150)
		high *= 2;
	for (int i = 0; i < 200; i++)
	{
		double middle = low + (high - low) / 2;

		if (dp_f_above(middle * middle, 1, df) > 1 - confidence)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* ---- the rules ---- */

static bool
all_valid(const double *value, uint32_t m, bool nonnegative)
{
	for (uint32_t i = 0; i < m; i++)
		if (!isfinite(value[i]) || (nonnegative && value[i] < 0))
			return false;
	return true;
}

/* Sets *mean, and returns the variance between the values with denominator m - 1. */
static double
between(const double *value, uint32_t m, double *mean)
{
	double sum = 0, squares = 0;

	for (uint32_t i = 0; i < m; i++)
		sum += value[i] / m;
	for (uint32_t i = 0; i < m; i++)
		squares += (value[i] - sum) * (value[i] - sum);
	*mean = sum;
	return squares / (m - 1);
}

/*
 * dp_combine_estimates_of
 *
 * Let q_i and u_i be the estimates and squared standard errors of m sets, B the variance of the
 * q_i and W the mean of the u_i:
 *   private:         T = B/m + W, df = (m - 1) (1 + m W/B)^2. Each set has noise of its own, and W
 *                    already is the sampling variance of the data. Reiter, "Inference for
 *                    partially synthetic, public use microdata sets" (2003); for private sets Liu
 *                    (2016), STEPS paper, (8)-(10).
 *   fully synthetic: T = (1 + 1/m) B - W, df = (m - 1) (1 - W/((1 + 1/m) B))^2. The sets are drawn
 * from a posterior predictive distribution, so that W is counted in B once. T can come out
 * negative; then
 *   W, which is larger, is taken instead. Raghunathan, Reiter, Rubin (2003).
 * Without any difference between sets B is 0, and t is normal.
 */
DpStatus
dp_combine_estimates_of(const double *estimate, const double *standard_error, uint32_t m,
						double confidence, DpCombineRule rule, DpCombined *out)
{
	double b, w = 0, total, half;

	if (m < 2 || !all_valid(estimate, m, false) || !all_valid(standard_error, m, true) ||
		!(confidence > 0 && confidence < 1))
		return DP_ERR_ARGUMENT;
	b = between(estimate, m, &out->estimate);
	for (uint32_t i = 0; i < m; i++)
		w += standard_error[i] * standard_error[i] / m;
	if (rule == DP_COMBINE_PRIVATE)
	{
		total = b / m + w;
		out->df = b > 0 ? (m - 1) * pow(1 + m * w / b, 2) : INFINITY;
	}
	else
	{
		double inflated = (1 + 1.0 / m) * b;

		total = inflated > w ? inflated - w : w;
		out->df = inflated > w ? (m - 1) * pow(1 - w / inflated, 2) : INFINITY;
	}
	out->standard_error = sqrt(total);
	half = total > 0 ? out->standard_error * dp_student_two_sided(confidence, out->df) : 0;
	out->low = out->estimate - half;
	out->high = out->estimate + half;
	return DP_OK;
}

/*
 * dp_combine_chi_square_of -- m chi-square statistics with k degrees of freedom each
 *
 *   r = (1 + 1/m) x variance of the roots of the statistics, around the mean of the roots
 *   D = (mean/k - (m + 1)/(m - 1) r)/(1 + r)
 *   D ~ F(k, k^(-3/m) (m - 1) (1 + 1/r)^2)
 *
 * Li, Meng, Raghunathan, Rubin, "Significance levels from repeated p-values with multiply-imputed
 * data" (1991). The STEPS paper's (11) prints the variance without the square, and around the
 * root of the mean.
 */
DpStatus
dp_combine_chi_square_of(const double *statistic, uint32_t m, double df, DpCombinedTest *out)
{
	double mean = 0, root_mean = 0, roots = 0, r;

	if (m < 2 || !all_valid(statistic, m, true) || !(df > 0) || df > DF_MAX)
		return DP_ERR_ARGUMENT;
	for (uint32_t i = 0; i < m; i++)
	{
		mean += statistic[i] / m;
		root_mean += sqrt(statistic[i]) / m;
	}
	for (uint32_t i = 0; i < m; i++)
		roots += pow(sqrt(statistic[i]) - root_mean, 2) / (m - 1);
	r = (1 + 1.0 / m) * roots;
	out->statistic = (mean / df - (m + 1.0) / (m - 1.0) * r) / (1 + r);
	out->df1 = df;
	out->df2 = r > 0 ? pow(df, -3.0 / m) * (m - 1) * pow(1 + 1 / r, 2) : INFINITY;
	out->p = dp_f_above(out->statistic, out->df1, out->df2);
	return DP_OK;
}
