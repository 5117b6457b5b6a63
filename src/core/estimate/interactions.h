/*
 * interactions.h -- noisy tables that overlap, made to agree by least squares, in
 * closed form.
 */
#ifndef DP_INTERACTIONS_H
#define DP_INTERACTIONS_H

#include "junction_tree.h"

#define DP_INTERACTIONS_MAX 10 /* attributes of a table that is taken apart: it has 2^n parts */

#define DP_INTERACTION_PARTS_MAX 4000000 /* of all tables */

/* One noisy table: the same variance in each cell, independent. */
typedef struct DpEvidence
{
	DpAttributeSet set;
	uint64_t cells;
	const double *observed; /* [cells] rows */
	double variance;        /* rows^2, > 0 */
	double *agreed;         /* [cells] output */
} DpEvidence;

/* The tables of one fit, taken apart once. */
typedef struct DpInteractions DpInteractions;

/* DP_ERR_LIMIT: more than DP_INTERACTION_PARTS_MAX parts. */
extern DpStatus dp_interactions_init(DpInteractions **out, DpEvidence *const *evidence, uint32_t n,
									 const uint32_t *levels, DpArena *arena) DP_MUST_USE;
/* Parts of a table over so many attributes, but for its total; 0: it is not taken apart. */
extern uint32_t dp_interactions_parts(uint32_t attributes);
/* Bytes for so many parts, but for their cells. */
extern uint64_t dp_interactions_bytes(uint64_t parts);
extern void dp_interactions_free(DpInteractions *interactions);
/*
 * agreed: the margins of the table over all attributes, of any sign, that minimises the sum of
 * |margin - observed|^2 / variance over all tables, among those that add up to total. Tables of more than
 * DP_INTERACTIONS_MAX attributes keep what was observed and tell the others nothing.
 */
extern void dp_interactions_agree(DpInteractions *interactions, double total);
/* The same of what is in agreed in place of what was observed. */
extern void dp_interactions_agree_again(DpInteractions *interactions, double total);
/*
 * Potentials x, of one table after the other, as those with the same sum over all tables, up to a constant,
 * for which the sum of variance |x|^2 is smallest.
 */
extern void dp_interactions_share(DpInteractions *interactions, double *x);

#endif
