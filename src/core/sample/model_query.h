/*
 * model_query.h -- queries of a model, in place of rows drawn from it.
 */
#ifndef DP_MODEL_QUERY_H
#define DP_MODEL_QUERY_H

#include "core/estimate/measured.h"
#include "core/sample/sampler.h"

/*
 * A model that answers queries without drawing rows. fit does the expensive part; its result is
 * read-only, so that many queries and samplers may share it.
 */
typedef struct DpModelQuery
{
	/* The model must outlive what is fitted. DP_ERR_LIMIT: this model is too large to be asked;
	 * rows can be drawn from it all the same. */
	DpStatus (*fit)(const DpModel *model, void **fitted, const DpTick *tick, DpArena *arena,
					DpError *error);
	/* Fits a model anew whose priors are others now. Where it keeps a fit, that is replaced, by one
	 * from arena. NULL: its model takes no priors. DP_ERR_LIMIT: with these priors the
	 * model is larger than it may be, and is as it was. */
	DpStatus (*refit)(DpModel *model, const DpTick *tick, DpArena *arena, DpError *error);
	/* Computes the expected shares of all rows in the cells of a set, which ascends: out[product of
	 * levels], row-major, with sum 1. DP_ERR_LIMIT: the way to them is too large. */
	DpStatus (*marginal)(const void *fitted, const DpAttributeSet *set, double *out,
						 const DpTick *tick, DpArena *arena);
	/* Makes a state of the sampler that draws rows as they are given a condition; NULL: none.
	 * DP_ERR_ARGUMENT: the model gives such rows no probability. */
	DpStatus (*compile)(const void *fitted, const DpGiven *given, void **state, const DpTick *tick,
						DpArena *arena, DpError *error);
	const DpSampler *sampler; /* whose states compile makes */
	/* Whether its distribution excludes every structural zero, so that no row is drawn again. NULL:
	 * no. */
	bool (*keeps_zeros)(const void *fitted);
} DpModelQuery;

/* The error of a condition that has no probability. */
extern DpStatus dp_fail_impossible(DpError *error);

/* The tables of all replicates of a model, model->tables of them. */
extern DpStatus dp_measured_tables(const DpSampler *sampler, const DpModel *model,
								   DpMeasuredTable **out, DpArena *arena,
								   DpError *error) DP_MUST_USE;

#endif
