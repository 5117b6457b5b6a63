/*
 * fit_graphical.h -- noisy tables to rows by a graphical model: no joint table, so
 * that there may be as many attributes as the cliques of the tables have room for.
 */
#ifndef DP_FIT_GRAPHICAL_H
#define DP_FIT_GRAPHICAL_H

#include "fit.h"
#include "graphical_sampler.h"

/* The cells of all cliques against input->cell_limit. DP_ERR_LIMIT. */
extern DpStatus dp_fit_graphical_check(const DpFitInput *input, DpArena *arena,
									   DpError *error) DP_MUST_USE;
/* Of a checked input: fit and sampler. */
extern DpStatus dp_fit_graphical_memory(const DpFitInput *input, DpArena *arena,
										uint64_t *bytes) DP_MUST_USE;
extern DpStatus dp_fit_graphical(const DpFitInput *input, DpArena *arena, const DpTick *tick,
								 DpGraphicalSampler **out, DpError *error) DP_MUST_USE;

#endif
