/*
 * parents.h -- which attributes each attribute is conditioned on: given by
 * the caller as public knowledge, or selected with budget.
 */
#ifndef DP_PARENTS_H
#define DP_PARENTS_H

#include "method.h"

/* For one attribute: indexes in the domain, most important first; never itself. */
typedef struct DpParents
{
	uint32_t n;
	uint32_t *index;
} DpParents;

/* From a NAME_MAP with exactly one entry for each attribute of the domain, of at most parents_max
 * names each. parents has room for domain->attributes. DP_ERR_ARGUMENT, DP_ERR_UNDEFINED. */
extern DpStatus dp_parents_from_map(const DpOption *option, const DpDomain *domain,
									uint32_t parents_max, DpArena *arena, DpParents *parents,
									DpError *error) DP_MUST_USE;
/* From NAMES, a ring with each attribute once: the parents_n that precede it, nearest first. */
extern DpStatus dp_parents_from_ring(const DpOption *option, const DpDomain *domain,
									 uint32_t parents_n, DpArena *arena, DpParents *parents,
									 DpError *error) DP_MUST_USE;
/* All other attributes, in their order: what there is when nothing is left to choose. */
extern DpStatus dp_parents_all(const DpDomain *domain, DpArena *arena,
							   DpParents *parents) DP_MUST_USE;
/*
 * parents_n for each attribute, without replacement, by attributes x parents_n
 * selections with epsilon_each_nano: see the comment in parents.c.
 */
extern DpStatus dp_parents_select(const DpMeasurement *m, uint32_t parents_n,
								  int64_t epsilon_each_nano, DpParents *parents,
								  DpError *error) DP_MUST_USE;

#endif
