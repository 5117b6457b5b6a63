/*
 * aim_pace.h -- how large batches and the model may become, so that a release keeps to the time that
 * was expected.
 *
 * Time is that of DpGraphical.seconds: a price for each step. So all of this follows from public and
 * released numbers, and a slower machine chooses the same tables.
 */
#ifndef DP_AIM_PACE_H
#define DP_AIM_PACE_H

#include <stdint.h>

typedef struct DpAimPace
{
	double seconds_left;   /* for all remaining rounds and the last fit; 0 or less: none */
	double seconds_last;   /* of the last round; 0: there was none */
	double seconds_a_cell; /* of the cliques, in a run of belief propagation */
	double tables_left;    /* that the rest of the budget lasts for at the present rate */
	uint32_t batch_most;
} DpAimPace;

/* What all fits and scores of a release may take that was expected to take so long. */
extern double dp_aim_pace_seconds(double expected);
/* The number of tables of the next batch, given the usual number: more if rounds as long as the
 * last one would exceed the time that is left. */
extern uint32_t dp_aim_pace_batch(const DpAimPace *pace, uint32_t usual);
/*
 * Cells that the cliques may have so that they can be fitted in the seconds that are left: in as
 * many rounds as the largest batches make, and in the last fit. The present cliques always may be.
 */
extern uint64_t dp_aim_pace_cells(const DpAimPace *pace, uint64_t present);

#endif
