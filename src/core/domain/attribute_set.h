/*
 * attribute_set.h -- sets of attributes of one domain.
 */
#ifndef DP_ATTRIBUTE_SET_H
#define DP_ATTRIBUTE_SET_H

#include "core/domain/domain.h"

typedef struct DpAttributeSet
{
	uint32_t n;
	const uint32_t
		*attribute; /* [n] distinct; ascending, except where their order lays out a table */
} DpAttributeSet;

/* Whether every attribute of a is one of b. */
extern bool dp_set_within(const DpAttributeSet *a, const DpAttributeSet *b);
extern bool dp_set_equal(const DpAttributeSet *a, const DpAttributeSet *b);
/* The cells of a table over the set, where attribute a has levels[a]; saturates. */
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

#endif
