/*
 * steps_select.h -- which attributes come first, chosen with budget: one order
 * for the whole tree, or another choice at each node.
 */
#ifndef DP_STEPS_SELECT_H
#define DP_STEPS_SELECT_H

#include "core/model/steps_layout.h"
#include "core/release/measurement.h"

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

/* How many choices are charged for. They cover all attributes above the last layer. */
extern uint32_t dp_steps_choices(const DpLayerWidths *widths, uint32_t attributes);
/* Whether dp_select can take such scores for such a unit. */
extern bool dp_steps_selectable(const DpStepsSelection *selection, DpUnit unit,
								uint32_t attributes);
/*
 * Whether a tree with branches of its own can be counted, whatever is chosen. Layers above
 * the last must have at most nodes_max nodes, and at most DP_BRANCH_CELLS_MAX cells may be
 * counted at once. Open attributes count as one level, so the answer is then that of the
 * best case.
 */
#define DP_BRANCH_CELLS_MAX UINT64_C(20000000)
extern bool dp_steps_branches_fit(const DpStepsSelection *selection, const DpDomain *domain);

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

/* Sets order[attributes] to the chosen attributes, then all others in the domain's order. It
 * takes one scan. */
extern DpStatus dp_steps_select_order(const DpMeasurement *m, const DpStepsSelection *selection,
									  uint32_t *order, DpError *error) DP_MUST_USE;
/* Makes the layers above the last one, where each node has a choice of its own. It takes one
 * scan a layer. */
extern DpStatus dp_steps_select_branches(const DpMeasurement *m, const DpStepsSelection *selection,
										 DpPartition *partition, DpError *error) DP_MUST_USE;

#endif
