/*
 * renumbering.h -- numbers of attributes within a model, by their levels: few levels come first.
 *
 * A table is laid out with its last attribute in runs, and sums and products are fast along long
 * runs. So a model numbers its attributes anew, and lays out its tables by the new numbers.
 */
#ifndef DP_RENUMBERING_H
#define DP_RENUMBERING_H

#include "core/base/arena.h"
#include "core/domain/attribute_set.h"

typedef struct DpRenumbering
{
	uint32_t attributes;
	uint32_t *number;       /* [attributes] of each its number within; NULL: all keep theirs */
	const uint32_t *levels; /* [attributes] by numbers within */
} DpRenumbering;

/* A set of attributes as it is within, and how a table over it is laid out. */
typedef struct DpRenumberedSet
{
	DpAttributeSet set; /* ascending */
	uint64_t cells;
	uint64_t *place; /* [cells] where each cell within is outside; NULL: at the same place */
} DpRenumberedSet;

/* Numbers attributes by their levels; those with as many keep their order. */
extern DpStatus dp_renumbering_init(DpRenumbering *renumbering, const uint32_t *levels,
									uint32_t attributes, DpArena *arena) DP_MUST_USE;
/* Leaves all numbers as they are. levels[attributes] must outlive it. */
extern void dp_renumbering_keep(DpRenumbering *renumbering, const uint32_t *levels,
								uint32_t attributes);
/* The way back: what is within becomes outside. */
extern DpStatus dp_renumbering_invert(const DpRenumbering *renumbering, DpRenumbering *back,
									  DpArena *arena) DP_MUST_USE;
extern void dp_renumbering_free(DpRenumbering *renumbering, DpArena *arena);
/* Sets number[set->n] to the numbers of a set within, ascending. */
extern void dp_renumbering_set(const DpRenumbering *renumbering, const DpAttributeSet *set,
							   uint32_t *number);
extern DpStatus dp_renumbered_set_init(DpRenumberedSet *within, const DpRenumbering *renumbering,
									   const DpAttributeSet *set, DpArena *arena) DP_MUST_USE;
extern void dp_renumbered_set_free(DpRenumberedSet *within, DpArena *arena);
/* Lays out a table anew. from and to do not overlap. */
extern void dp_renumbered_set_enter(const DpRenumberedSet *within, const double *from, double *to);
extern void dp_renumbered_set_leave(const DpRenumberedSet *within, const double *from, double *to);

#endif
