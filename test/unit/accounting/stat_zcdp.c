/*
 * stat_zcdp.c -- what zCDP accounting promises, against exact divergences: the
 * hockey-stick divergence of compositions at the converted epsilon, and the
 * Renyi divergences of discrete Gaussian noise.
 */
#include "core/accounting/budget.h"

#include "unit.h"

static const int64_t deltas[] = {1000, 1000000000, 1000000000000, 10000000000000000,
								 200000000000000000};
#define DELTAS 5

static long double
normal_below(long double x)
{
	return erfcl(-x / sqrtl(2)) / 2;
}

/* Gaussian noise of any number of mechanisms has rho = mu^2/2 in sum (Balle, Wang 2018). */
static long double
hockey_gaussian(long double rho, long double epsilon)
{
	long double mu = sqrtl(2 * rho);

	return normal_below(mu / 2 - epsilon / mu) -
		   expl(epsilon) * normal_below(-mu / 2 - epsilon / mu);
}

/* The epsilon that the code gives, and the largest share of delta that is truly used there. */
static void
test_gaussian(void)
{
	long double most = 0, least = 1;
	bool sound = true;

	for (int d = 0; d < DELTAS; d++)
		for (int64_t rho = 1000000; rho <= 400 * DP_RHO_ONE; rho += rho / 3)
		{
			long double delta = (long double) deltas[d] * 1e-18L;
			long double epsilon = (long double) dp_epsilon_of_rho(
									  (DpBudget){.rho_pico = rho, .delta_atto = deltas[d]}) *
								  1e-9L;
			long double used = hockey_gaussian((long double) rho * 1e-12L, epsilon) / delta;

			sound = sound && used <= 1;
			most = fmaxl(most, used);
			least = fminl(least, used);
		}
	unit_note("the Gaussian uses %.3Lf to %.3Lf of delta", least, most);
	CHECK(sound, "Gaussian noise: the divergence at the converted epsilon is within delta");
	CHECK(most > 0.05L, "and of its order");
}

/* ln of the binomial probability of k of n with odds p. */
static long double
log_binomial(int n, int k, long double p)
{
	return lgammal(n + 1) - lgammal(k + 1) - lgammal(n - k + 1) + k * logl(p) +
		   (n - k) * log1pl(-p);
}

/*
 * n-fold randomised response: the worst of all epsilon-DP mechanisms, adaptively composed too
 * (Kairouz, Oh, Viswanath 2015). With delta0 each, anything at all happens in one of them.
 */
static long double
hockey_responses(int n, long double epsilon_each, long double delta_each, long double epsilon)
{
	long double p = 1 / (1 + expl(-epsilon_each)), kept = expl(n * log1pl(-delta_each)), sum = 0;

	for (int k = 0; k <= n; k++)
	{
		long double loss = (2 * k - n) * epsilon_each;

		if (loss > epsilon)
			sum += expl(log_binomial(n, k, p)) * -expm1l(epsilon - loss);
	}
	return (1 - kept) + kept * sum;
}

static void
test_responses(void)
{
	const int times[] = {1, 2, 10, 100, 1000};
	bool sound = true, approximate = true;
	long double most = 0;

	for (int64_t nano = 1000000; nano <= INT64_C(5000000000); nano += nano / 2)
		for (int t = 0; t < 5; t++)
			for (int d = 0; d < DELTAS; d++)
			{
				long double epsilon_each = (long double) nano * 1e-9L;
				long double delta = (long double) deltas[d] * 1e-18L, epsilon, used;
				DpBudget each = dp_cost_approximate(
							 (DpBudget){.epsilon_nano = nano, .delta_atto = deltas[d] / 100000}),
						 sum;

				MUST(dp_budget_multiply(each, (uint64_t) times[t], &sum));
				epsilon = (long double) dp_epsilon_of_rho(
							  (DpBudget){.rho_pico = sum.rho_pico, .delta_atto = deltas[d]}) *
						  1e-9L;
				used = hockey_responses(times[t], epsilon_each, 0, epsilon) / delta;
				sound = sound && used <= 1;
				most = fmaxl(most, used);
				used = hockey_responses(times[t], epsilon_each,
										(long double) each.delta_atto * 1e-18L, epsilon);
				approximate =
					approximate &&
					used <= (delta + (long double) sum.delta_atto * 1e-18L) * (1 + 1e-12L) + 1e-19L;
			}
	unit_note("randomised response uses up to %.3Lf of delta", most);
	CHECK(sound, "epsilon-DP, 1 to 1,000 times: within delta at the converted epsilon");
	CHECK(most > 0.01L, "and of its order");
	CHECK(approximate, "(epsilon, delta)-DP: within the sum of its deltas and that of conversion");
}

/* ---- discrete Gaussian noise ---- */

#define REACH 1200

typedef struct Distribution
{
	long double mass[2 * REACH + 1]; /* of -REACH..REACH */
	long double lost;                /* of all others, at most */
} Distribution;

static void
gaussian_distribution(Distribution *distribution, long double variance)
{
	long double sum = 0;

	distribution->lost = 0;
	for (int z = -REACH; z <= REACH; z++)
		sum += distribution->mass[z + REACH] = expl(-(long double) z * z / (2 * variance));
	for (int z = 0; z <= 2 * REACH; z++)
		distribution->mass[z] /= sum;
}

static void
convolve(Distribution *sum, const Distribution *one)
{
	static Distribution out;

	out = (Distribution){.lost = sum->lost + one->lost};
	for (int a = 0; a <= 2 * REACH; a++)
		for (int b = 0; b <= 2 * REACH; b++)
		{
			long double mass = sum->mass[a] * one->mass[b];

			if (mass < 1e-40L)
				continue;
			if (a + b < REACH || a + b > 3 * REACH)
				out.lost += mass;
			else
				out.mass[a + b - REACH] += mass;
		}
	out.lost += 1e-30L; /* what was left out above */
	*sum = out;
}

/*
 * n noises of one variance v, each shifted by s between neighbours: the likelihood ratio at their
 * sum z is exp((n s^2 - 2 s z)/(2 v)), so the sum tells all.
 */
static long double
hockey_sum(const Distribution *sum, int n, int s, long double variance, long double epsilon)
{
	long double total = sum->lost;

	for (int z = -REACH; z <= REACH; z++)
	{
		long double loss = ((long double) n * s * s - 2.0L * s * z) / (2 * variance);

		if (loss > epsilon)
			total += sum->mass[z + REACH] * -expm1l(epsilon - loss);
	}
	return total;
}

static void
test_discrete_gaussian(long double variance)
{
	static Distribution one, sum;
	bool sound = true;
	long double most = 0;

	gaussian_distribution(&one, variance);
	sum = one;
	for (int n = 1; n <= 6; n++)
	{
		for (int s = 1; s <= 3; s++)
			for (int d = 0; d < DELTAS; d++)
			{
				int64_t rho = (int64_t) ceill(1e12L * n * s * s / (2 * variance));
				long double epsilon = (long double) dp_epsilon_of_rho(
										  (DpBudget){.rho_pico = rho, .delta_atto = deltas[d]}) *
									  1e-9L;
				long double used = hockey_sum(&sum, n, s, variance, epsilon) * 1e18L;

				sound = sound && used <= (long double) deltas[d];
				most = fmaxl(most, used / (long double) deltas[d]);
			}
		convolve(&sum, &one);
	}
	CHECK(sound && most > 1e-3L,
		  "discrete Gaussian noise, sigma^2 = %.4Lg: up to %.3Lf of delta at the converted epsilon",
		  variance, most);
}

/* The sum is centred where its terms are largest: far from 0 for a large order. */
static long double
renyi_discrete_gaussian(long double variance, int shift, long double alpha)
{
	long double centre = (1 - alpha) * shift, sum = 0, mass = 0;
	int reach = (int) (40 * sqrtl(variance)) + 20, middle = (int) floorl(centre);

	/*
	 * p^alpha q^(1-alpha) is exp(alpha (alpha-1) shift^2/(2v)) exp(-(z - centre)^2/(2v)) over mass
	 */
	for (int z = -reach; z <= reach; z++)
	{
		long double p = -(long double) (z + middle) * (z + middle) / (2 * variance);
		long double q = -(long double) (z + middle - shift) * (z + middle - shift) / (2 * variance);

		sum += expl(alpha * p + (1 - alpha) * q -
					alpha * (alpha - 1) * shift * shift / (2 * variance));
		mass += expl(-(long double) z * z / (2 * variance));
	}
	return alpha * shift * shift / (2 * variance) + logl(sum / mass) / (alpha - 1);
}

static void
test_renyi(void)
{
	static const long double variances[] = {0.05L, 0.11L, 0.25L, 0.5L, 1, 2.3L, 9, 30, 400};
	static const long double alphas[] = {1.001L, 1.1L, 1.5L, 2, 2.5L, 4, 7.3L, 16, 50};
	unsigned over = 0, below = 0;
	long double attained = 0;

	for (int v = 0; v < 9; v++)
		for (int a = 0; a < 9; a++)
			for (int shift = 1; shift <= 5; shift++)
			{
				long double bound = alphas[a] * shift * shift / (2 * variances[v]);
				long double divergence = renyi_discrete_gaussian(variances[v], shift, alphas[a]);

				over += divergence > bound * (1 + 1e-14L);
				below += divergence < bound * 0.99L;
				attained = fmaxl(attained, divergence / bound);
			}
	CHECK_I64(over, 0,
			  "no divergence of shifted discrete Gaussians is over alpha shift^2/(2 sigma^2)");
	CHECK_NEAR(attained, 1, 1e-12L, "which is attained");
	CHECK(below > 10, "but not where sigma is small and the centre no integer: %u cases", below);
}

int
main(void)
{
	test_gaussian();
	test_responses();
	test_discrete_gaussian(0.3L);
	test_discrete_gaussian(2);
	test_discrete_gaussian(100.0L / 3);
	test_discrete_gaussian(1000);
	test_renyi();
	return unit_finish();
}
