/*
 * monotonicity.h -- rows that follow each other in order of an attribute: what the row before had
 * is no more than what a row has.
 *
 * This is public wherever the rows were put in that order before they were counted.
 */
#ifndef DP_MONOTONICITY_H
#define DP_MONOTONICITY_H

#include "core/domain/domain.h"

/*
 * Adds to the zeros of the domain each pair of levels in which previous is above own, both with the
 * same ascending bins. The level "other" of either goes with any level of the other one. Adds none
 * where there would be too many (DP_ZEROS_TUPLES_MAX).
 */
extern DpStatus dp_monotonicity(DpDomain *domain, uint32_t previous, uint32_t own, DpArena *arena,
								DpError *error) DP_MUST_USE;

#endif
