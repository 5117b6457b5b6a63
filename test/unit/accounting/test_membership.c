/*
 * test_membership.c -- the bound on tests of membership, against the best test of the mechanism
 * that attains it.
 */
#include "core/accounting/budget.h"

#include "unit.h"

/*
 * Kairouz, Oh, Viswanath: four answers. With probability delta the answer tells which table it was,
 * otherwise it is randomised response with epsilon. The best test says "member" to every answer
 * that is more probable with the member.
 */
static double
advantage(double epsilon, double delta)
{
	double yes = exp(epsilon) / (1 + exp(epsilon));
	double with[4] = {delta, (1 - delta) * yes, (1 - delta) * (1 - yes), 0};
	double without[4] = {0, (1 - delta) * (1 - yes), (1 - delta) * yes, delta};
	double sum = 0;

	for (int i = 0; i < 4; i++)
		sum += with[i] > without[i] ? with[i] - without[i] : 0;
	return sum;
}

int
main(void)
{
	const double epsilon[] = {0, 1e-9, 0.1, 1, 2, 10, 30};
	const double delta[] = {0, 1e-9, 0.01, 0.5};

	for (int i = 0; i < 7; i++)
		for (int j = 0; j < 4; j++)
			CHECK_NEAR(dp_membership_advantage(epsilon[i], delta[j]),
					   advantage(epsilon[i], delta[j]), 1e-12, "epsilon %g, delta %g", epsilon[i],
					   delta[j]);
	CHECK_NEAR(dp_membership_advantage(1e6, 1), 1, 0, "no more than 1");
	return unit_finish();
}
