/*
 * exponential.c -- the exponential mechanism, accounted for in zCDP.
 */
#include <math.h>

#include "core/mechanism/internal.h"
#include "core/mechanism/mechanism.h"

/* The largest epsilon in nano with epsilon^2 <= 8 rho, that is, 1e-18 epsilon_nano^2 <= 8e-12
 * rho_pico. */
int64_t
dp_select_epsilon(int64_t rho_pico)
{
	unsigned __int128 square;
	int64_t root;

	if (rho_pico < 1)
		return 0;
	square = (unsigned __int128) rho_pico * 8000000;
	if (square >= (unsigned __int128) DP_EPSILON_NANO_MAX * DP_EPSILON_NANO_MAX)
		return DP_EPSILON_NANO_MAX;
	root = (int64_t) sqrtl((long double) square);
	while ((unsigned __int128) root * (unsigned __int128) root > square)
		root--;
	while ((unsigned __int128) (root + 1) * (unsigned __int128) (root + 1) <= square)
		root++;
	return root;
}

/* Finds the best score of the candidates that were not refused; false: there is none. */
static bool
find_best(const DpScores *scores, const bool *refused, int64_t *best)
{
	bool found = false;

	for (size_t i = 0; i < scores->n; i++)
	{
		if (refused != NULL && refused[i])
			continue;
		if (!found || scores->score[i] > *best)
			*best = scores->score[i];
		found = true;
	}
	return found;
}

/* Offers candidates that are drawn uniformly, until the coin of one comes up heads. The coin of
 * the best one always does. Those that were refused (or NULL) are not offered; *chosen is n where
 * no other is there. */
static DpStatus
offer(DpRng *rng, DpFraction rate, const DpScores *scores, const bool *refused, size_t *chosen)
{
	uint64_t candidate = scores->n;
	int64_t best = 0;
	bool heads = !find_best(scores, refused, &best);

	while (!heads)
	{
		DP_TRY(dp_rng_below(rng, scores->n, &candidate));
		if (refused != NULL && refused[candidate])
			continue;
		DP_TRY(dp_gap_survives(rng, rate, (uint64_t) best - (uint64_t) scores->score[candidate],
							   &heads));
	}
	*chosen = (size_t) candidate;
	return DP_OK;
}

/*
 * dp_select_concentrated -- the exponential mechanism: a good candidate, privately
 *
 * Inputs:      scores, n >= 1, larger is better, with sensitivity >= 1, how far any one
 *              score moves between neighbours, in the scores' unit; rho_pico >= 1
 * Output:      *chosen in 0..n-1, i with probability proportional to
 *              exp(epsilon score_i / (2 sensitivity)), epsilon = dp_select_epsilon(rho)
 * Neighbours:  the dataset's relation, already in the scores' sensitivity
 * Guarantee:   rho-zCDP, since epsilon^2/8 <= rho; charges dp_cost_concentrated
 * Why:         between neighbours, ln P[i]/P'[i] = epsilon (score_i - score'_i)/(2 sensitivity)
 *              plus a number that is the same for all i: it stays within an interval of length
 *              epsilon (bounded range). Let L be that logarithm, i drawn from P', and
 *              K(a) = ln E exp(a L). K(0) = K(1) = 0, and K'' is the variance of L under a tilted
 * distribution, which on an interval of length epsilon is at most epsilon^2/4. So K(a) -
 *              (epsilon^2/8) a (a-1) is concave and 0 at 0 and 1, hence at most 0 for a > 1, and
 *              the Renyi divergence K(a)/(a-1) is at most a epsilon^2/8. Permute-and-flip has no
 *              such bound here: its distribution is not of this form, so it is not taken.
 *              The distribution: candidates are drawn uniformly, and each is accepted with
 * exp(-epsilon (best - score)/(2 sensitivity)), so that the accepted one has the distribution
 *              above. At most n are drawn on average.
 * Source:      McSherry, Talwar (2007); Dong, Durfee, Rogers, "Optimal differential privacy
 *              composition for exponential mechanisms" (2020); Cesar, Rogers, "Bounding,
 *              concentrating, and truncating" (2021), lemma 3.2
 * Numerics:    integers only, as dp_select
 * Errors:      as dp_select
 */
DpStatus
dp_select_concentrated(const DpNoiseSource *noise, const DpScores *scores, int64_t rho_pico,
					   size_t *chosen)
{
	DpFraction rate;

	DP_TRY(dp_select_rate(scores, dp_select_epsilon(rho_pico), &rate));
	DP_TRY(dp_meter_charge(noise->meter, dp_cost_concentrated(rho_pico)));
	return offer(noise->rng, rate, scores, NULL, chosen);
}

/*
 * dp_select_allowed -- the exponential mechanism over those candidates that pass a test
 *
 * Inputs:      as dp_select_concentrated; a test of a candidate, which depends on public facts
 *              and on what was released before alone; refused[n], all false
 * Output:      *chosen in 0..n-1, among the candidates that pass with the probabilities of
 *              dp_select_concentrated over them alone; n if none passes. refused tells which
 *              candidates were tested and did not pass; it is SECRET.
 * Neighbours:  as dp_select_concentrated
 * Guarantee:   rho-zCDP; charges dp_cost_concentrated once
 * Why:         candidates are drawn by the exponential mechanism without replacement, until one
 *              passes. Let w_i = exp(epsilon score_i / (2 sensitivity)), and F be those that pass.
 *              Each draw takes i of those that are left with w_i over their sum, so it falls into
 *              F at some point, and given that it does it is i with w_i over the sum of F: this is
 * the same at each draw and for each history of refusals. So *chosen has the distribution of
 *              the exponential mechanism over F, which is fixed before the first draw. Its
 *              guarantee is that of dp_select_concentrated. Testing what is drawn, in place of all,
 *              changes the work and not the distribution.
 * Numerics:    integers only
 * Errors:      as dp_select
 */
DpStatus
dp_select_allowed(const DpNoiseSource *noise, const DpScores *scores, const DpAllowed *allowed,
				  int64_t rho_pico, size_t *chosen)
{
	DpFraction rate;
	size_t candidate;

	DP_TRY(dp_select_rate(scores, dp_select_epsilon(rho_pico), &rate));
	DP_TRY(dp_meter_charge(noise->meter, dp_cost_concentrated(rho_pico)));
	for (;;)
	{
		DP_TRY(offer(noise->rng, rate, scores, allowed->refused, &candidate));
		if (candidate == scores->n || allowed->test(allowed->context, candidate))
			break;
		allowed->refused[candidate] = true;
	}
	*chosen = candidate;
	return DP_OK;
}
