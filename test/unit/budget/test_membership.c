/*
 * test_membership.c -- the most that a test of membership can win.
 */
#include "unit.h"

#include "core/budget/budget.h"

int
main(void)
{
	/* against the bound as it is written, and randomised response, which attains it */
	for (double epsilon = 0; epsilon < 20; epsilon += 0.5)
	{
		double e = exp(epsilon), delta = 0.001;

		CHECK_NEAR(dp_membership_advantage(epsilon, 0), e / (1 + e) - 1 / (1 + e), 1e-12,
				   "randomised response with epsilon %g", epsilon);
		CHECK_NEAR(dp_membership_advantage(epsilon, delta), fmin((e - 1 + 2 * delta) / (e + 1), 1),
				   1e-12, "with a delta");
	}
	CHECK_NEAR(dp_membership_advantage(1e6, 0), 1, 0, "a large epsilon bounds nothing");
	CHECK_NEAR(dp_membership_advantage(0, 1), 1, 0, "nor does a delta of 1");
	return unit_finish();
}
