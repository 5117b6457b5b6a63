/*
 * fit_graphical.h -- the solver "graphical": noisy tables to rows by a graphical model. It has no
 * joint table, so there may be as many attributes as the cliques of the tables can hold.
 */
#ifndef DP_FIT_GRAPHICAL_H
#define DP_FIT_GRAPHICAL_H

#include "core/sample/fit_input.h"
#include "core/sample/graphical_fit.h"

/* Compares the cells of all cliques with input->cell_limit. DP_ERR_LIMIT: they are more. */
extern DpStatus dp_fit_graphical_check(const DpFitInput *input, DpArena *arena,
									   DpError *error) DP_MUST_USE;
/* The bytes that fit and sampler need, for a checked input. */
extern DpStatus dp_fit_graphical_memory(const DpFitInput *input, uint64_t *bytes,
										DpArena *arena) DP_MUST_USE;
extern DpStatus dp_fit_graphical(const DpFitInput *input, DpGraphicalFit **out, const DpTick *tick,
								 DpArena *arena, DpError *error) DP_MUST_USE;

#endif
