/*
 * steps_scores.c -- exact scores of attributes, for the layers of a tree.
 */
#include "core/methods/steps/steps_scores.h"

#include "core/select/aic.h"
#include "core/select/pairs.h"

int64_t
dp_steps_score_counts(const DpStepsSelection *selection, const int64_t *counts, uint64_t levels)
{
	return selection->bic ? dp_score_bic(counts, levels) : dp_score_aic(counts, levels);
}

static DpStatus
criterion_scores(const DpMeasurement *m, const DpStepsSelection *selection, int64_t *score,
				 DpError *error)
{
	uint32_t p = m->domain->attributes;
	DpMarginal *table = dp_alloc(m->arena, p, sizeof(*table));

	DP_TRY_ALLOC(table);
	for (uint32_t a = 0; a < p; a++)
		DP_TRY(dp_marginal_init(&table[a], m->domain, &(DpAttributeSet){1, &a}, DP_DENSE, m->arena,
								error));
	DP_TRY(dp_count_marginals(m, table, p, error));
	for (uint32_t a = 0; a < p; a++)
	{
		score[a] = dp_steps_score_counts(selection, table[a].dense, table[a].cells);
		dp_marginal_free(&table[a]);
	}
	dp_free(m->arena, table, p, sizeof(*table));
	return DP_OK;
}

DpStatus
dp_steps_scores(const DpMeasurement *m, const DpStepsSelection *selection, DpStepsScores *scores,
				DpError *error)
{
	*scores = (DpStepsScores){.attributes = m->domain->attributes};
	if (selection->dependence && m->domain->attributes > 1)
		return dp_pairs_score(m, DP_PAIR_DEPENDENCE, &scores->pairs, error);
	return criterion_scores(m, selection, scores->criterion, error);
}

void
dp_steps_scores_free(const DpMeasurement *m, DpStepsScores *scores)
{
	if (scores->pairs != NULL)
		dp_pairs_free(m, scores->pairs);
}

void
dp_steps_score_left(const DpStepsScores *scores, const uint32_t *candidate, uint32_t left,
					int64_t *score)
{
	const int64_t *pairs = scores->pairs;

	for (uint32_t i = 0; i < left; i++)
	{
		score[i] = pairs == NULL ? scores->criterion[candidate[i]] : 0;
		for (uint32_t k = 0; pairs != NULL && k < left; k++)
			if (k != i)
				score[i] += pairs[(uint64_t) candidate[i] * scores->attributes + candidate[k]];
	}
}
