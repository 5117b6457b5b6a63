/*
 * answer.h -- queries that the model of a release answers, where its tables do not hold them.
 */
#ifndef DP_ANSWER_H
#define DP_ANSWER_H

#include "core/sample/monte_carlo.h"

/* One measurement of a release. */
typedef struct DpModelSource
{
	const DpModel *model; /* of one replicate */
	const DpSampler *sampler;
	const void *fitted;        /* by sampler->query; NULL: rows are drawn and counted */
	const DpMonteCarlo *drawn; /* rows that were drawn before, with all attributes; NULL: none */
	uint64_t rows_max;         /* how many rows that are drawn at random are counted; 0: all */
} DpModelSource;

/*
 * Sets basis and estimate of each answer whose basis is NONE: the mean over the sources. The
 * interval does not change; the estimate is clamped to it. out: as dp_measured_answer and
 * dp_frechet_bounds left it.
 */
extern DpStatus dp_model_answer(const DpMarginalQuery *query, const DpModelSource *source,
								uint32_t sources, DpGroupAnswer *out, const DpTick *tick,
								DpArena *arena, DpError *error) DP_MUST_USE;

#endif
