/*
 * association.h -- how two attributes hang together, in each of two tables of rows.
 *
 * SECRET: it is computed from exact counts, of rows that the caller may read.
 */
#ifndef DP_ASSOCIATION_H
#define DP_ASSOCIATION_H

#include "core/evaluate/table_pair.h"

typedef struct DpAssociation
{
	double chi_square; /* Pearson's, of independence */
	double df;         /* levels without rows do not count; 0: one attribute has one level alone */
	double p;          /* of as large a chi_square where they are independent; 1 where df is 0 */
	double cramers_v;  /* NaN where df is 0 */
} DpAssociation;

/*
 * The distance of the conditional distributions of one attribute given the other: the sum over the
 * levels g of the given one of P(g) sum |P(x | g) - Q(x | g)|, where P is the first table and Q the
 * second. Where Q has no row with g, the inner sum is 2, its maximum.
 */
typedef struct DpPairMeasures
{
	DpAssociation association[2]; /* of each table */
	double given[2];              /* the distance given attribute 0, and given attribute 1 */
} DpPairMeasures;

/* pair: of two attributes. */
extern DpStatus dp_pair_measures(const DpTablePair *pair, DpPairMeasures *measures,
								 DpArena *arena) DP_MUST_USE;

#endif
