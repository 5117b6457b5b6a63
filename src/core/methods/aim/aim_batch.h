/*
 * aim_batch.h -- the tables that aim chooses between two fits: how many, and which not together.
 */
#ifndef DP_AIM_BATCH_H
#define DP_AIM_BATCH_H

#include "core/domain/attribute_set.h"

/*
 * The number of tables of the next batch. The first tables improve the model most, and the next
 * choices depend on them; later tables are many and improve it little, and a large model is slow to
 * fit. So batches begin with one table and grow in proportion to the tables chosen. chosen: tables
 * so far, without those of single columns at the start.
 */
extern uint32_t dp_aim_batch(uint64_t chosen);

/* The connected components that the tables of a batch make of their columns. */
typedef struct DpAimComponents
{
	uint32_t columns;
	uint32_t *to; /* [columns] the next column of its tree; itself at the root */
} DpAimComponents;

/* Begins a batch: each column is a tree of its own. */
extern void dp_aim_untie(DpAimComponents *components);
/* Puts the columns of a table into one component. */
extern void dp_aim_tie(DpAimComponents *components, const DpAttributeSet *set);
/*
 * Whether a table of the batch measures much of what a candidate would measure, so that the
 * candidate's score is out of date: they share two columns. forest: also if the candidate lies
 * within the table, or if its columns, two or more, are in one connected component.
 */
extern bool dp_aim_is_alike(const DpAimComponents *components, const DpAttributeSet *table,
							const DpAttributeSet *candidate, bool forest);

#endif
