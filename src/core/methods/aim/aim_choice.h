/*
 * aim_choice.h -- behind the wall: which tables aim may choose, their scores, and the choice.
 */
#ifndef DP_AIM_CHOICE_H
#define DP_AIM_CHOICE_H

#include "core/methods/aim/aim_batch.h"
#include "core/methods/aim/aim_plan.h"
#include "core/plan/graphical_measure.h"
#include "core/plan/graphical_score.h"

/*
 * How far the expected counts of the pairs of a set have moved since the set was scored. This is a
 * function of released numbers and of which sets were scored. It decides which scores are computed
 * again.
 */

typedef struct DpAimChange
{
	const DpGraphicalMeasure *measure;
	uint32_t columns;
	uint32_t *pair;    /* [columns x columns] index of its marginal, or none; NULL: none */
	double **expected; /* [marginals] counts of a pair when last scored; NULL: not tracked */
	double *way;       /* [marginals] way of a pair so far, in rows, L1 */
	double *at_score;  /* [marginals] ways of its pairs when last scored; infinite: never */
} DpAimChange;

/* Tracks pairs, in their order, while they have at most the given number of cells together. */
extern DpStatus dp_aim_change_open(DpAimChange *change, const DpGraphicalMeasure *measure,
								   uint64_t cells_max) DP_MUST_USE;
extern void dp_aim_change_close(DpAimChange *change);
/* Records that a marginal was scored, with its expected counts of the last fit. */
extern void dp_aim_change_scored(DpAimChange *change, uint32_t i, const double *expected);
/* How far the pairs of a set have moved since it was scored: rows, in L1, summed over the pairs.
 * Infinite if a pair is not tracked, or if the set has fewer than three columns. */
extern double dp_aim_change_since(const DpAimChange *change, uint32_t i);

/* What a batch may add to the model: public, or a function of what was released. */
typedef struct DpAimAllowed
{
	uint64_t limit; /* cells that the model may have by now */
	uint64_t
		in_time; /* cells that can be fitted in the expected time: less than limit where late */
	double seconds_most; /* of all fits and scores: then no new sets of more columns are scored */
} DpAimAllowed;

/* The candidates of a batch. */
typedef struct DpAimList
{
	size_t n;
	uint32_t *candidate; /* [n] numbers of marginals */
	int64_t *score;      /* [n] SECRET */
	DpAimComponents components;
	bool is_whole;   /* nothing was chosen from it yet */
	bool is_quieter; /* it has less noise than the one before */
	bool is_later;   /* there was one before */
} DpAimList;

/* The scores that marginals had last. */
typedef struct DpAimScores
{
	int64_t *gain;      /* [marginals] SECRET */
	bool *current;      /* [marginals] whether it can still be used */
	double stddev;      /* the noise that gains were scored with */
	DpAimChange change; /* movement of the fits on pairs since each set was scored */
} DpAimScores;

typedef struct DpAimChoice
{
	/* given to dp_aim_choice_open */
	const DpAimPlan *plan;
	DpGraphicalMeasure *measure;
	double most; /* the largest importance of a candidate */
	/* set before each call below; public or a function of what was released */
	DpAimAllowed allowed;
	int64_t select; /* amount of a selection */
	double stddev;  /* noise of the table to be chosen */
	/* its own */
	DpAimList list;
	DpAimScores scores;
	double *expected; /* [measure->largest] scratch: expected counts */
	bool *refused;    /* [marginals] scratch of a selection */
	bool *wide; /* [marginals] too large to be summed: not scored until a clique contains it */
	uint32_t last_of_order; /* of more columns than the workload's sets, the last that was chosen */
	double rows;            /* of the relation, as released or public */
} DpAimChoice;

extern DpStatus dp_aim_choice_open(DpAimChoice *choice) DP_MUST_USE;
extern void dp_aim_choice_close(DpAimChoice *choice);
/* Begins a batch: lists and scores the candidates by the last fit. */
extern DpStatus dp_aim_choice_list(DpAimChoice *choice) DP_MUST_USE;
/*
 * Selects a candidate of the list privately, and removes it and all that overlap with it too much
 * (aim_batch.h) from the list. *chosen: the number of its exact table; `marginals` if no candidate
 * fits any more.
 */
extern DpStatus dp_aim_choose(DpAimChoice *choice, uint32_t *chosen) DP_MUST_USE;

#endif
