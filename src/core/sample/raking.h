/*
 * raking.h -- weights that keep sequentially drawn siblings consistent with their model.
 *
 * The children of a parent are drawn one after the other, each given the parent and the previous
 * siblings, so small errors of the model accumulate. Trial rows are drawn, and their one-way
 * marginals, alone and given each known attribute, are compared with those of the model. Where they
 * differ, the levels get weights, and the next trial uses them. This is post-processing: only the
 * fitted model is read.
 *
 * This is iterative proportional fitting (Deming and Stephan 1940) with the sums of a simulation in
 * the place of exact ones. As in stochastic approximation (Robbins and Monro 1951) later trials
 * change less, so that their noise averages out.
 */
#ifndef DP_RAKING_H
#define DP_RAKING_H

#include <stdbool.h>

#include "core/base/arena.h"
#include "core/base/status.h"

#define DP_RAKING_TRIALS 10  /* after which the weights hardly change */
#define DP_RAKING_ROWS 30000 /* of a table, in a trial, at most */
#define DP_RAKING_SIZES 7    /* of trials: 256 rows of the root, 512 and so on up to 16,384 */

typedef struct DpRaking DpRaking;

/*
 * Starts with weights of 1. fitted: what dp_graphical_sampler's query has fitted, which must
 * outlive it; known[a]: whether attribute a is known before a row is drawn; given[a]: whether what
 * is drawn is to depend on it as in the model (known ones alone).
 */
extern DpStatus dp_raking_build(const void *fitted, const bool *known, const bool *given,
								DpRaking **out, const DpTick *tick, DpArena *arena) DP_MUST_USE;
/* How probable the levels of each attribute were that is drawn, of one row. */
typedef struct DpRakingShares
{
	const double *const *share; /* [attributes][groups] */
	const uint64_t *version;    /* [attributes] another one where share may be */
} DpRakingShares;

/*
 * Counts one row of a trial: the known levels of codes, and what shares say of the levels of
 * each attribute that is drawn (dp_conditional_sampler_recorded). Probabilities vary less than
 * the levels that are drawn with them. weight > 0: of all rows of one parent it adds up to the
 * parent's. Costs little where rows follow each other that are alike in what is known.
 */
extern void dp_raking_count(DpRaking *raking, const uint32_t *codes, DpRakingShares shares,
							double weight);
/* Ends a trial: changes the weights by what was counted. false: rows are as the model says, and no
 * other trial is needed. Each trial should be of rows of its own. */
extern bool dp_raking_end_trial(DpRaking *raking);

/* How large trials are where so many rows of the root are drawn, from 0 to DP_RAKING_SIZES - 1.
 * rows: of the root in a trial. */
extern int dp_raking_size(uint64_t wanted, uint64_t *rows);
/* How many rows of a table below the root all of its trials draw, where so many of the root are
 * drawn and so many of the table belong to them. */
extern double dp_raking_trials_rows(double root_rows, double rows);

/* Which weights held for a row. */
typedef struct DpRakingPlace
{
	int trials;       /* that there had been */
	uint32_t *row;    /* [pairs that have weights] the row of the pair's table */
	bool *is_changed; /* [attributes] whether it has not the weights of the row before */
	bool
		*is_stale; /* [attributes] whoever changes its weights says so: the next row has new ones */
} DpRakingPlace;

/* That of no row yet. */
extern DpStatus dp_raking_place_new(const DpRaking *raking, DpRakingPlace **out,
									DpArena *arena) DP_MUST_USE;
/* The weights of the levels of each drawn attribute, given the known ones. weight[a] is set to one
 * number per group of levels, or kept if it is that of the row before. group[a]: the group of a
 * known attribute. */
extern void dp_raking_weigh(const DpRaking *raking, const uint32_t *group, DpRakingPlace *place,
							double *const *weight);

/* The weights after all trials, for another process of the same fit, which reads them instead of
 * running trials. */
extern size_t dp_raking_weights_bytes(const DpRaking *raking);
extern void dp_raking_weights_write(const DpRaking *raking, unsigned char *to);
extern DpStatus dp_raking_weights_read(const void *fitted, const bool *known,
									   const unsigned char *from, DpRaking **out,
									   DpArena *arena) DP_MUST_USE;

#endif
