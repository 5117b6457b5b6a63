/*
 * clique_conditional.h -- the distribution of the attributes of a clique that its separator lacks,
 * given those of the separator.
 */
#ifndef DP_CLIQUE_CONDITIONAL_H
#define DP_CLIQUE_CONDITIONAL_H

#include "core/graphical/graphical.h"

typedef struct DpCliqueConditional
{
	DpAttributeSet known;   /* attributes of the separator */
	DpAttributeSet drawn;   /* the others */
	uint64_t slices, cells; /* cells of the separator; cells in each slice; both fit 32 bits */
	double *cumulative;     /* [slices x cells], the last of each slice 1 */
} DpCliqueConditional;

/* Compiles a clique of a fitted model, which need not outlive the node. DP_ERR_LIMIT: it has more
 * than 2^32 - 1 slices or cells in a slice. */
extern DpStatus dp_clique_conditional_compile(const DpGraphical *model, uint32_t number,
											  DpCliqueConditional *node,
											  DpArena *arena) DP_MUST_USE;
/* Whether two nodes have the same separator. */
extern bool dp_graphical_know_the_same(const DpCliqueConditional *a, const DpCliqueConditional *b);
/* The first of n places whose cumulative share is above u; n >= 1, the last share is 1, u < 1. */
extern uint64_t dp_cumulative_find(const double *cumulative, uint64_t n, double u);
/* The last cell that has a weight. */
extern uint64_t dp_cumulative_last(const double *cumulative, uint64_t n);

#endif
