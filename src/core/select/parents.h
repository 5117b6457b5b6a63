/*
 * parents.h -- which attributes each attribute is conditioned on: given by
 * the caller as public knowledge, or selected with budget.
 */
#ifndef DP_PARENTS_H
#define DP_PARENTS_H

#include "core/select/pairs.h"

/* The parents of one attribute: indexes in the domain, most important first; never the attribute
 * itself. */
typedef struct DpParents
{
	uint32_t n;
	uint32_t *index;
} DpParents;

/* Reads parents from a NAME_MAP with exactly one entry for each attribute of the domain, and
 * with at most parents_max names in each. parents has space for domain->attributes.
 * DP_ERR_ARGUMENT, DP_ERR_UNDEFINED. */
extern DpStatus dp_parents_from_map(const DpOption *option, const DpDomain *domain,
									uint32_t parents_max, DpParents *parents, DpArena *arena,
									DpError *error) DP_MUST_USE;
/* Reads parents from NAMES, a ring in which each attribute occurs once: the parents of an
 * attribute are the parents_n that precede it, nearest first. */
extern DpStatus dp_parents_from_ring(const DpOption *option, const DpDomain *domain,
									 uint32_t parents_n, DpParents *parents, DpArena *arena,
									 DpError *error) DP_MUST_USE;
/* Makes all other attributes, in their order, the parents. There is nothing left to choose then. */
extern DpStatus dp_parents_all(const DpDomain *domain, DpParents *parents,
							   DpArena *arena) DP_MUST_USE;
/* How the parents of all attributes are found: they are public, or selected. */
typedef struct DpParentsPlan
{
	const DpParents *given;    /* [attributes] public; NULL: to be selected */
	uint32_t parents_n;        /* to select for each attribute */
	int64_t epsilon_each_nano; /* epsilon of one selection; there are attributes x parents_n */
	DpPairScore score;         /* what selections go by */
} DpParentsPlan;

/* Selects parents, for each attribute without replacement. parents.c has the proof. */
extern DpStatus dp_parents_select(const DpMeasurement *m, const DpParentsPlan *plan,
								  DpParents *parents, DpError *error) DP_MUST_USE;

#endif
