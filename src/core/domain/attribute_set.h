/*
 * attribute_set.h -- sets of attributes of one domain.
 */
#ifndef DP_ATTRIBUTE_SET_H
#define DP_ATTRIBUTE_SET_H

#include "core/base/index_list.h"
#include "core/base/slot_table.h"
#include "core/domain/domain.h"

typedef struct DpAttributeSet
{
	uint32_t n;
	const uint32_t
		*attribute; /* [n] distinct; ascending, except where their order lays out a table */
} DpAttributeSet;

static inline bool
dp_set_holds(const DpAttributeSet *set, uint32_t attribute)
{
	return dp_index_among(set->attribute, set->n, attribute);
}

/* Of a table over a set, where attribute a has levels[a]: the levels of its axes; how far an
 * attribute moves, 0 if the set lacks it; the cell that has a row's codes, of which codes[a] is
 * that of a; and the codes of a cell. */
extern void dp_set_levels(const DpAttributeSet *set, const uint32_t *levels, uint32_t *size);
extern uint64_t dp_set_step(const DpAttributeSet *set, const uint32_t *levels, uint32_t attribute);
/* How far each attribute of another set moves in a table whose axes have the levels size[k]; 0
 * where the table lacks it. */
extern void dp_set_steps_along(const DpAttributeSet *table, const uint32_t *size,
							   const DpAttributeSet *along, uint64_t *step);

static inline uint64_t
dp_set_cell(const DpAttributeSet *set, const uint32_t *levels, const uint32_t *codes)
{
	uint64_t cell = 0;

	for (uint32_t k = 0; k < set->n; k++)
		cell = cell * levels[set->attribute[k]] + codes[set->attribute[k]];
	return cell;
}

static inline void
dp_set_codes(const DpAttributeSet *set, const uint32_t *levels, uint64_t cell, uint32_t *codes)
{
	for (uint32_t k = set->n; k-- > 0; cell /= levels[set->attribute[k]])
		codes[set->attribute[k]] = (uint32_t) (cell % levels[set->attribute[k]]);
}

/* Whether every attribute of a is one of b. */
extern bool dp_set_within(const DpAttributeSet *a, const DpAttributeSet *b);
/* The number of attributes that two ascending sets share. */
extern uint32_t dp_set_shared(const DpAttributeSet *a, const DpAttributeSet *b);
extern bool dp_set_equal(const DpAttributeSet *a, const DpAttributeSet *b);
/* The cells of such a table; saturates. */
extern uint64_t dp_set_cells(const DpAttributeSet *set, const uint32_t *levels);
/* Checks that attributes exist, ascend and have levels. The error says that they are those of
 * `what`. DP_ERR_ARGUMENT. */
extern DpStatus dp_attributes_check(const DpDomain *domain, const uint32_t *attribute, uint32_t n,
									const char *what, DpError *error) DP_MUST_USE;
/* Renumbers attributes in place: index[a] is the new number of a. The result is false, and
 * nothing is changed, if one of them is not kept (its index is UINT32_MAX). */
extern bool dp_attributes_renumber(uint32_t *attribute, uint32_t n, const uint32_t *index);
/* Less than, equal to or greater than 0 where a stands before, with or after b. Sets with fewer
 * attributes come first, and sets of one size are in lexicographic order. */
extern int dp_attributes_compare(const uint32_t *a, uint32_t a_n, const uint32_t *b, uint32_t b_n);

/* Distinct sets of attributes, numbered as they come. */

typedef struct DpSetIndex
{
	DpArena *arena;
	uint32_t n, capacity;
	DpAttributeSet *set; /* [n] copies, in the order in which they came */
	DpSlotTable table;
} DpSetIndex;

extern DpStatus dp_set_index_init(DpSetIndex *index, uint32_t capacity, DpArena *arena) DP_MUST_USE;
/* The number of a set, index->n so far where it is new. DP_ERR_LIMIT: it would be one too many. */
extern DpStatus dp_set_index_add(DpSetIndex *index, const DpAttributeSet *set,
								 uint32_t *number) DP_MUST_USE;
/* Frees the index, and the sets too if with_sets. */
extern void dp_set_index_free(DpSetIndex *index, bool with_sets);

#endif
