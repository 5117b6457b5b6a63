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
/* One measure of one group. */
extern DpStatus dp_answer_value(DpAnswerer *answerer, uint32_t measure, uint64_t cell,
								DpAnswerValue *out) DP_MUST_USE;

#endif
