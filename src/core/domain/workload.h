/*
 * workload.h -- the sets of attributes that an option of type SETS or
 * WEIGHTED_SETS asks for: whose marginals are to be counted, or to be right.
 */
#ifndef DP_WORKLOAD_H
#define DP_WORKLOAD_H

#include "options.h"

#define DP_WORKLOAD_SETS_MAX 100000
#define DP_WEIGHT_ONE INT64_C(1000000000)                /* weight = 1 in 1e-9 */
#define DP_WEIGHT_MAX (INT64_C(1000000) * DP_WEIGHT_ONE) /* of one set, duplicates added up */

typedef struct DpWorkloadSet
{
	uint32_t n;          /* attributes, >= 1 */
	uint32_t *attribute; /* [n] index in the domain, ascending */
	int64_t weight_nano; /* >= 1; DP_WEIGHT_ONE unless the user says otherwise */
} DpWorkloadSet;

/* Distinct sets, smaller ones first, those of one size in lexicographic order. */
typedef struct DpWorkload
{
	uint32_t sets;
	DpWorkloadSet *set;
} DpWorkload;

/* What a workload may be at most: known before anything is spent. */
typedef struct DpWorkloadLimits
{
	uint32_t sets_max;
	/* of all sets together, one that names an open attribute left out: how many levels that will have
	 * is not known, and is for the method to see to. 0: no limit */
	uint64_t cells_max;
} DpWorkloadLimits;

/*
 * The workload that a checked option stands for; its default if it is not given, with all attributes
 * in one set where there are fewer than the default asks for. Sets that are listed twice become one,
 * and their weights add up; a set may lie within another. DP_ERR_UNDEFINED: a column that is not
 * modelled; DP_ERR_ARGUMENT: no set, an empty one, one that names a column twice, a set larger than the
 * domain, a weight out of range; DP_ERR_LIMIT.
 */
extern DpStatus dp_workload_read(const DpOptions *options, const DpOptionSpec *specs, uint32_t n,
								 const char *name, const DpDomain *domain,
								 const DpWorkloadLimits *limits, DpArena *arena,
								 DpWorkload *workload, DpError *error) DP_MUST_USE;
/* All sets of size attributes, 1 <= size <= attributes, each of weight 1. DP_ERR_LIMIT: more than sets_max. */
extern DpStatus dp_workload_all(uint32_t attributes, uint32_t size, uint32_t sets_max,
								DpArena *arena, DpWorkload *workload) DP_MUST_USE;
/* Cells of all sets; saturates. */
extern uint64_t dp_workload_cells(const DpWorkload *workload, const DpDomain *domain);
/* The first attribute in no set, or attributes where each is in one. */
extern uint32_t dp_workload_uncovered(const DpWorkload *workload, uint32_t attributes);
/* Whether each attribute of a is one of b; both ascending. */
extern bool dp_workload_within(const DpWorkloadSet *a, const DpWorkloadSet *b);

#endif
