/*
 * graphical_fit.h -- a distribution on a junction tree that rows can be drawn from and queries
 * answered by: what the queries of all models without a joint table share.
 */
#ifndef DP_GRAPHICAL_FIT_H
#define DP_GRAPHICAL_FIT_H

#include "core/graphical/belief.h"
#include "core/sample/graphical_sampler.h"
#include "core/sample/model_query.h"

/* The most cells of tables on the way to an answer. */
#define DP_GRAPHICAL_ANSWER_CELLS (UINT64_C(1) << 24)

typedef struct DpGraphicalFit
{
	DpGraphical graphical; /* its tree and belief are used */
	const DpDomain *domain;
	uint32_t *const *group; /* [attributes][levels of the domain]; NULL: every level is a group */
	const DpLevelSplit *const *split; /* [attributes][groups] */
	double **share; /* [attributes][levels of the domain] of its group; NULL where group is */
	uint64_t rows;
	bool systematic;
} DpGraphicalFit;

/* Fills share from group and split. */
extern DpStatus dp_graphical_fit_shares(DpGraphicalFit *fit, DpArena *arena) DP_MUST_USE;
/* Splits in which every level is a group of its own. */
extern DpStatus dp_graphical_single_splits(const DpDomain *domain, const DpLevelSplit *const **out,
										   DpArena *arena) DP_MUST_USE;
/* These are marginal and compile of a DpModelQuery (sampler.h). */
extern DpStatus dp_graphical_fit_marginal(const void *fit, const DpAttributeSet *set, double *out,
										  const DpTick *tick, DpArena *arena);
extern DpStatus dp_graphical_fit_compile(const void *fit, const DpGiven *given, void **state,
										 const DpTick *tick, DpArena *arena, DpError *error);

#endif
