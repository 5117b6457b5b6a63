/*
 * interactions.h -- overlapping noisy tables, made to agree by least squares in closed form.
 */
#ifndef DP_INTERACTIONS_H
#define DP_INTERACTIONS_H

#include "core/base/arena.h"
#include "core/domain/attribute_set.h"

#define DP_INTERACTIONS_MAX 10 /* attributes of a table that is taken apart into 2^n parts */

#define DP_INTERACTION_PARTS_MAX 4000000 /* parts of all tables together */

/* One noisy table. The noise of its cells is independent and has the same variance. */
typedef struct DpNoisyMeasurement
{
	DpAttributeSet set;
	uint64_t cells;
	const double *observed; /* [cells] rows */
	double variance;        /* rows^2, > 0 */
	double *agreed;         /* [cells] output */
	double damping;         /* > 0: what a potential costs (dp_interactions_share) */
} DpNoisyMeasurement;

/* The tables of one fit. They are taken apart once. */
typedef struct DpInteractions DpInteractions;

/* DP_ERR_LIMIT: more than DP_INTERACTION_PARTS_MAX parts. */
extern DpStatus dp_interactions_init(DpInteractions **out, DpNoisyMeasurement *const *measurement,
									 uint32_t n, const uint32_t *levels,
									 DpArena *arena) DP_MUST_USE;
/* The number of parts of a table with so many attributes, without its total; 0: it is not taken
 * apart. */
extern uint32_t dp_interactions_parts(uint32_t attributes);
/* Bytes for so many parts, without their cells. */
extern uint64_t dp_interactions_bytes(uint64_t parts);
extern void dp_interactions_free(DpInteractions *interactions);
/*
 * Consider the table over all attributes, of any sign and with the given total, that minimises the
 * sum of |margin - observed|^2 / variance over all tables. Sets agreed of each table to its margin.
 * A table of more than DP_INTERACTIONS_MAX attributes keeps what was observed and tells the others
 * nothing.
 */
extern void dp_interactions_make_consistent(DpInteractions *interactions, double total);
/* The same, with agreed in place of observed. */
extern void dp_interactions_restore_consistency(DpInteractions *interactions, double total);
/*
 * x holds the potentials of one table after the other. Replaces them by those for which the sum of
 * variance x damping x |x|^2 is smallest, among all with the same sum over the tables, up to a
 * constant.
 */
extern void dp_interactions_share(DpInteractions *interactions, double *x);

#endif
