/*
 * stat_accounts.c -- two accounts, either of which allows: what an adversary can reach who sees
 * the loss so far and chooses the next release by it, computed exactly.
 *
 * The releases are the worst of their kind: randomised response of epsilon, and one that tells
 * everything with probability delta (Kairouz, Oh, Viswanath 2015). A recursion over all states
 * finds the largest sum over outcomes of max(0, P - e^epsilon P').
 */
#include "core/accounting/budget.h"

#include "unit.h"

#define SMALL_NANO                                                                                 \
	INT64_C(50000000) /* epsilon of a small release; a large one has LARGE times it */
#define LARGE 5
#define CAP 20 /* the total epsilon, in small releases */
#define SMALLS 80
#define LARGES 5
#define TELLS 3 /* releases of delta alone, each with a quarter of the total delta */
#define REACH (SMALLS + LARGE * LARGES)

typedef struct Total
{
	int64_t delta_atto; /* that the deltas of releases may add up to */
	int64_t rho_pico;
	int64_t tell_atto; /* delta of one release that has nothing else */
	bool basic;        /* whether the sum of epsilons may decide */
} Total;

static long double worst[SMALLS + 2][LARGES + 2][TELLS + 2][2 * REACH + 1];
static bool known[SMALLS + 2][LARGES + 2][TELLS + 2][2 * REACH + 1];

static bool
allows(const Total *total, int smalls, int larges, int tells)
{
	int64_t rho =
		smalls * dp_rho_of_epsilon(SMALL_NANO) + larges * dp_rho_of_epsilon(LARGE * SMALL_NANO);

	return smalls <= SMALLS && larges <= LARGES && tells <= TELLS &&
		   tells * total->tell_atto <= total->delta_atto &&
		   ((total->basic && smalls + LARGE * larges <= CAP) || rho <= total->rho_pico);
}

static long double reach(const Total *total, int smalls, int larges, int tells, int loss);

static long double
respond(const Total *total, int smalls, int larges, int tells, int loss, int step)
{
	long double p = 1 / (1 + expl(-(long double) step * SMALL_NANO * 1e-9L));

	return p * reach(total, smalls, larges, tells, loss + step) +
		   (1 - p) * reach(total, smalls, larges, tells, loss - step);
}

/* The most that can be reached from a state, on the mean under P. */
static long double
reach(const Total *total, int smalls, int larges, int tells, int loss)
{
	long double *best = &worst[smalls][larges][tells][loss + REACH];
	long double told = (long double) total->tell_atto * 1e-18L;

	if (known[smalls][larges][tells][loss + REACH])
		return *best;
	known[smalls][larges][tells][loss + REACH] = true;
	*best = loss > CAP ? -expm1l((long double) (CAP - loss) * SMALL_NANO * 1e-9L) : 0;
	if (allows(total, smalls + 1, larges, tells))
		*best = fmaxl(*best, respond(total, smalls + 1, larges, tells, loss, 1));
	if (allows(total, smalls, larges + 1, tells))
		*best = fmaxl(*best, respond(total, smalls, larges + 1, tells, loss, LARGE));
	if (allows(total, smalls, larges, tells + 1))
		*best = fmaxl(*best, told + (1 - told) * reach(total, smalls, larges, tells + 1, loss));
	return *best;
}

static long double
most(const Total *total)
{
	memset(known, 0, sizeof(known));
	return reach(total, 0, 0, 0, 0);
}

static void
test_total(int64_t delta_atto)
{
	int64_t conversion = delta_atto / 2;
	Total both = {.delta_atto = delta_atto - conversion,
				  .rho_pico = dp_rho_of_budget(
					  (DpBudget){.epsilon_nano = CAP * SMALL_NANO, .delta_atto = conversion}),
				  .tell_atto = delta_atto / 2,
				  .basic = true};
	Total rho_alone = both, twice = both, whole = both;
	long double delta = (long double) delta_atto * 1e-18L, used = most(&both) / delta;

	CHECK(used <= 1, "either account allows, delta %.0Le: %.3Lf of delta", delta, used);
	rho_alone.basic = false;
	CHECK(used >= most(&rho_alone) / delta, "which is no less than under rho alone, %.3Lf",
		  most(&rho_alone) / delta);
	twice.rho_pico *= 3;
	CHECK(most(&twice) / delta > 1, "and three times the rho would be found out");
	whole.delta_atto = delta_atto;
	used = most(&whole) / delta;
	CHECK(used > 1 || delta_atto < 1000000000000000,
		  "if all of delta were for releases where epsilon decides: %.4Lf of delta", used);
}

int
main(void)
{
	test_total(INT64_C(10000000000000000));
	test_total(INT64_C(1000000000000000));
	test_total(INT64_C(1000000000000));
	return unit_finish();
}
