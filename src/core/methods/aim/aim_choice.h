/*
 * aim_choice.h -- behind the wall: which tables aim may choose, their scores, and the choice.
 */
#ifndef DP_AIM_CHOICE_H
#define DP_AIM_CHOICE_H

#include "core/methods/aim/aim_batch.h"
#include "core/methods/aim/aim_change.h"
#include "core/methods/aim/aim_plan.h"
#include "core/plan/graphical_score.h"

typedef struct DpAimChoice
{
	/* given to dp_aim_choice_open */
	const DpAimPlan *plan;
	DpGraphicalMeasure *measure;
	double most; /* the largest importance of a candidate */
	/* given to each call below; public or a function of what was released */
	uint64_t limit; /* cells that the model may have by now */
	uint64_t
		in_time;    /* cells that can be fitted in the expected time: less than limit where late */
	int64_t select; /* amount of a selection */
	double stddev;  /* noise of the table to be chosen */
	/* the candidates of this batch */
	size_t n;
	uint32_t *candidate; /* [n] numbers of marginals */
	int64_t *score;      /* [n] SECRET */
	DpAimComponents components;
	bool first; /* nothing was chosen from this list yet */
	/* its own */
	double *expected; /* [measure->largest] scratch: expected counts */
	bool *refused;    /* [marginals] scratch of a selection */
	bool *wide;    /* [marginals] too large to be summed: not scored until a clique contains it */
	int64_t *gain; /* [marginals] SECRET as last scored */
	bool *current; /* [marginals] whether that score can still be used */
	bool listed;   /* a list was made before */
	bool quieter;  /* this list has less noise than the one before */
	uint32_t last_of_order; /* of more columns than the workload's sets, the last that was chosen */
	double rows;            /* of the relation, as released or public */
	DpAimChange change;     /* movement of the fits on pairs since each set was scored */
	double gain_stddev;     /* the noise that gains were scored with */
} DpAimChoice;

extern DpStatus dp_aim_choice_open(DpAimChoice *choice) DP_MUST_USE;
extern void dp_aim_choice_close(DpAimChoice *choice);
/* Begins a batch: lists and scores the candidates by the last fit. */
extern DpStatus dp_aim_choice_list(DpAimChoice *choice) DP_MUST_USE;
/*
 * Selects one of the list privately and takes it off, with all that are too much like it
 * (aim_batch.h). *chosen: the number of its exact; marginals where none fits any more.
 */
extern DpStatus dp_aim_choose(DpAimChoice *choice, uint32_t *chosen) DP_MUST_USE;

#endif
