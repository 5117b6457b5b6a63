/*
 * query_answer.h -- what noisy statistics say of the measures that were asked for, and how far off
 * that can be. It is post-processing: it sees a released model alone.
 */
#ifndef DP_QUERY_ANSWER_H
#define DP_QUERY_ANSWER_H

#include "core/model/query_layout.h"

typedef struct DpAnswerValue
{
	double estimate; /* NAN: the group is too small to tell */
	double std_error;
	double low, high;
} DpAnswerValue;

typedef struct DpAnswerer DpAnswerer;

/* Prepares the answers of a model. confidence is in (0, 1); the model and its layout must outlive
 * the answerer. */
extern DpStatus dp_answerer_create(const DpModel *model, const DpQueryLayout *layout,
								   double confidence, DpAnswerer **out, const DpTick *tick,
								   DpArena *arena) DP_MUST_USE;
/*
 * Half of the interval of a measure, as far as public facts tell: it reads no cell.
 *
 * Of counts and sums it is that of every group. Of a mean, divided by the number of rows that was
 * released for the group, it is the most by which an end lies off the quotient: the noise is the
 * largest where the mean is an end of the range. Of a variance the same, but to the first order in
 * the noise; of a deviation it is that of the variance. Of a quantile it is a number of rows: an
 * end passes the edge of a zone if the noisy number of rows between that and the quantile is
 * larger, so it reaches so many rows to each side, and on to the next edge.
 */
extern double dp_answer_half_width(const DpAnswerer *answerer, uint32_t measure);
/* One measure of one group. */
extern DpStatus dp_answer_value(DpAnswerer *answerer, uint32_t measure, uint64_t cell,
								DpAnswerValue *out) DP_MUST_USE;
/*
 * What one measure of one group would be if the noise of its statistics came once more upon what was
 * released: [DP_QUERY_DRAWS] numbers. Draw d has the same noises in all measures of a group, so
 * that what is computed from several of them has its joint distribution. false: a quantile, of which
 * there are none.
 */
extern bool dp_answer_draws(const DpAnswerer *answerer, uint32_t measure, uint64_t cell,
							double *draw) DP_MUST_USE;

#endif
