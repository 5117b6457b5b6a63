/*
 * given.h -- what an analyst asks about: some levels of some attributes.
 *
 * A level has a weight from 0 to 1. It is a fraction where a range covers only a part of a bin. A
 * query holds public facts and the analyst's own words, and nothing of the data.
 */
#ifndef DP_GIVEN_H
#define DP_GIVEN_H

#include "core/domain/domain.h"

typedef struct DpGiven
{
	uint32_t attributes; /* those of the domain */
	double **weight;     /* [attributes][levels]; NULL for an attribute: every level counts fully */
	bool one_row; /* rows that meet it are drawn one at a time: dealing them out cannot pay */
} DpGiven;

/* The weight of one level; 1 where nothing is said. given may be NULL. */
static inline double
dp_given_weight(const DpGiven *given, uint32_t attribute, uint32_t level)
{
	return given == NULL || given->weight[attribute] == NULL ? 1 : given->weight[attribute][level];
}

#endif
