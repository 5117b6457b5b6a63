/*
 * steps_scores.h -- what a choice of attributes for a tree goes by.
 */
#ifndef DP_STEPS_SCORES_H
#define DP_STEPS_SCORES_H

#include "core/model/steps/steps_layout.h"
#include "core/plan/measurement.h"

typedef struct DpStepsSelection
{
	bool dependence; /* the score is dependence, otherwise an information criterion */
	bool bic;        /* BIC, otherwise AIC */
	bool clusters;   /* groups are chosen (steps_clusters.h); widths are 1 then */
	DpLayerWidths widths;
	/* Epsilon of one choice. With branches that is one choice in all nodes of a layer. */
	int64_t epsilon_each_nano;
	uint64_t nodes_max;
} DpStepsSelection;

/* How well an attribute with these counts describes rows, by the criterion of the selection. SECRET. */
extern int64_t dp_steps_score_counts(const DpStepsSelection *selection, const int64_t *counts,
									 uint64_t levels);

/* The exact scores of all attributes. SECRET. */
typedef struct DpStepsScores
{
	uint32_t attributes;
	int64_t criterion[DP_ATTRIBUTES_MAX]; /* minus AIC or BIC */
	int64_t *pairs;                       /* n R of pairs; NULL: it is a criterion */
} DpStepsScores;

/* Counts what the scores need, in one scan. */
extern DpStatus dp_steps_scores(const DpMeasurement *m, const DpStepsSelection *selection,
								DpStepsScores *scores, DpError *error) DP_MUST_USE;
extern void dp_steps_scores_free(const DpMeasurement *m, DpStepsScores *scores);
/* score[left] of the attributes that are left. */
extern void dp_steps_score_left(const DpStepsScores *scores, const uint32_t *candidate,
								uint32_t left, int64_t *score);

#endif
