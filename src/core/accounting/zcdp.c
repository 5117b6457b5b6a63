/*
 * zcdp.c -- between (epsilon, delta)-DP and zero-concentrated DP.
 *
 * M is rho-zCDP if for neighbours D, D' and every alpha > 1 the Renyi divergence
 * of order alpha, 1/(alpha-1) ln sum over o of P[M(D)=o]^alpha P[M(D')=o]^(1-alpha),
 * is at most alpha rho; delta-approximately so, if that holds given events of
 * probability 1 - delta (Bun, Steinke, "Concentrated differential privacy:
 * simplifications, extensions, and lower bounds", 2016, definitions 1.1, 8.1).
 *
 * Floating point, but no noise: each result is a bound that is inflated by several
 * times what the roundings of its formula add up to, then rounded outward.
 */
#include <float.h>
#include <math.h>

#include "core/accounting/budget.h"

/* A bound of the relative error: there are several roundings, and libm's functions are right to
 * a few units in the last place. */
#define SLACK (16.0L * LDBL_EPSILON)

/* An upper bound of `units` as an integer: rounded up, or INT64_MAX where it does not fit. */
static int64_t
round_up(long double units)
{
	if (units <= 0)
		return 0;
	return units < 0x1p63L ? (int64_t) ceill(units) : INT64_MAX;
}

/*
 * dp_rho_of_epsilon -- an epsilon-DP mechanism is rho-zCDP, rho = epsilon tanh(epsilon/2)
 *
 * Inputs:      epsilon_nano >= 0; below 0: INT64_MAX
 * Output:      rho in pico, rounded up; never more than epsilon
 * Why:         the distributions of M on two neighbours are made from those of randomised
 *              response, p = 1/(1 + exp(-epsilon)) against 1-p and the other way
 *              round, by one post-processing (Kairouz, Oh, Viswanath, "The composition
 *              theorem for differential privacy", 2015), which raises no divergence.
 *              With e = epsilon, u = (alpha - 1/2) e, v = e/2:
 *                p^alpha (1-p)^(1-alpha) + (1-p)^alpha p^(1-alpha) = cosh u / cosh v,
 *              so D_alpha = (ln cosh u - ln cosh v)/(alpha-1). The function
 *              s -> ln cosh sqrt(s) has the slope tanh(x)/(2x) at s = x^2, which falls
 *              with x: it is concave, and lies under its tangent at v^2. With
 *              u^2 - v^2 = alpha (alpha-1) e^2:
 *                D_alpha <= alpha e^2 tanh(v)/(2v) = alpha e tanh(e/2).
 *              Tight: as alpha falls to 1, D_alpha tends to the slope's bound. Never
 *              more than e^2/2, the usual one (Bun, Steinke, proposition 1.4), as
 *              tanh(x) <= x.
 * Source:      the above; the same bound for the worst case in Harrison, Manurangsi,
 *              "Exact zCDP characterizations for fundamental differentially private
 *              mechanisms" (2025)
 * Numerics:    long double, inflated; epsilon itself is a bound, since tanh <= 1
 */
int64_t
dp_rho_of_epsilon(int64_t epsilon_nano)
{
	long double epsilon = (long double) epsilon_nano / (long double) DP_EPSILON_ONE;
	int64_t rho_pico, epsilon_pico;

	if (epsilon_nano < 0)
		return INT64_MAX;
	rho_pico = round_up(epsilon * tanhl(epsilon / 2) * (long double) DP_RHO_ONE * (1 + SLACK));
	if (__builtin_mul_overflow(epsilon_nano, DP_RHO_ONE / DP_EPSILON_ONE, &epsilon_pico))
		return rho_pico;
	return rho_pico < epsilon_pico ? rho_pico : epsilon_pico;
}

/* ln(1/delta), 0 < delta < 1, to a few units in the last place. 1 - delta is exact in atto. */
static long double
log_inverse(int64_t delta_atto)
{
	long double one = (long double) DP_DELTA_ONE;

	if (delta_atto > DP_DELTA_ONE / 2)
		return -log1pl(-(long double) (DP_DELTA_ONE - delta_atto) / one);
	return logl(one / (long double) delta_atto);
}

/*
 * The x = alpha - 1 > 0 that nearly makes the bound below smallest. The derivative of the
 * bound is rho - (L - ln(1+x))/x^2, L = ln(1/delta). It has one zero, where rho x^2 +
 * ln(1+x) = L: the left side grows with x, and both of its terms are at most L there. The
 * bound is flat around its minimum, and true at every x.
 */
static long double
best_order(long double rho, long double log_inverse_delta)
{
	long double low = 0;
	long double high = fminl(sqrtl(log_inverse_delta / rho), expm1l(log_inverse_delta));

	for (int i = 0; i < 64; i++)
	{
		long double middle = low + (high - low) / 2;

		if (rho * middle * middle + log1pl(middle) < log_inverse_delta)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/*
 * alpha rho + ln(1 - 1/alpha) + (L - ln alpha)/(alpha - 1) at alpha = 1 + x, inflated. The
 * terms cancel, so the slack is relative to the sum of their sizes.
 */
static long double
epsilon_upper(long double rho, long double log_inverse_delta, long double x)
{
	long double divergence = (1 + x) * rho;
	long double log_ratio = log1pl(1 / x); /* ln(alpha/(alpha-1)) */
	long double log_order = log1pl(x);
	long double sizes = divergence + log_ratio + (log_inverse_delta + log_order) / x;

	return divergence - log_ratio + (log_inverse_delta - log_order) / x + SLACK * sizes;
}

/*
 * dp_epsilon_of_rho -- a rho-zCDP mechanism is (epsilon, delta)-DP
 *
 * Inputs:      rho_pico >= 0; delta_atto in 0..DP_DELTA_ONE; else INT64_MAX
 * Output:      epsilon in nano, rounded up; 0 for rho 0 or delta 1, INT64_MAX for
 *              delta 0 and rho > 0, and wherever it would be more
 * Why:         for any alpha > 1 a Renyi divergence of alpha rho gives
 *                delta = exp((alpha-1)(alpha rho - epsilon)) / (alpha-1)
 *                        (1 - 1/alpha)^alpha,
 *              since max(0, 1 - e^epsilon/r) <= c r^(alpha-1) for all r > 0, with the
 *              c that makes them touch, and the mean of r^(alpha-1), r the likelihood
 *              ratio, is exp((alpha-1) D_alpha). Solved for epsilon, and smallest over
 *              alpha:
 *                epsilon = alpha rho + ln(1 - 1/alpha)
 *                          + (ln(1/delta) - ln(alpha))/(alpha-1).
 *              A delta0-approximately rho-zCDP mechanism has delta0 more.
 * Source:      Canonne, Kamath, Steinke, "The discrete Gaussian for differential
 *              privacy" (2020), proposition 12, corollary 13
 * Numerics:    long double, inflated. Every alpha is a bound, so that the search
 *              for the best need not be exact.
 */
int64_t
dp_epsilon_of_rho(DpBudget rho_and_delta)
{
	int64_t rho_pico = rho_and_delta.rho_pico;
	int64_t delta_atto = rho_and_delta.delta_atto;
	long double rho = (long double) rho_pico / (long double) DP_RHO_ONE;
	long double log_inverse_delta, epsilon;

	if (rho_pico < 0 || delta_atto < 0 || delta_atto > DP_DELTA_ONE)
		return INT64_MAX;
	if (rho_pico == 0 || delta_atto == DP_DELTA_ONE)
		return 0;
	if (delta_atto == 0)
		return INT64_MAX;
	log_inverse_delta = log_inverse(delta_atto);
	epsilon = epsilon_upper(rho, log_inverse_delta, best_order(rho, log_inverse_delta));
	return round_up(epsilon * (long double) DP_EPSILON_ONE * (1 + SLACK));
}

/*
 * The search bisects on the very bound that is promised, as that for thresholds does. The
 * bound grows with rho but for roundings of 1e-18. Throughout, low keeps to epsilon and high
 * exceeds it.
 */
int64_t
dp_rho_of_budget(DpBudget epsilon_and_delta)
{
	int64_t epsilon_nano = epsilon_and_delta.epsilon_nano;
	int64_t delta_atto = epsilon_and_delta.delta_atto;
	int64_t low = 0, high = INT64_MAX;

	if (epsilon_nano < 0 || delta_atto < 1 || delta_atto > DP_DELTA_ONE)
		return 0;
	if (dp_epsilon_of_rho((DpBudget){.rho_pico = high, .delta_atto = delta_atto}) <= epsilon_nano)
		return high;
	while (high - low > 1)
	{
		int64_t middle = low + (high - low) / 2;

		if (dp_epsilon_of_rho((DpBudget){.rho_pico = middle, .delta_atto = delta_atto}) <=
			epsilon_nano)
			low = middle;
		else
			high = middle;
	}
	return low;
}
