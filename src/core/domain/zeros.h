/*
 * zeros.h -- structural zeros: combinations of levels that cannot occur, known
 * publicly and stated by the custodian as a part of the domain (DpDomain.zeros).
 *
 * Nothing here has to do with privacy. Rows that hold such a combination all the
 * same are counted as others are, and get their noise; afterwards the estimate
 * gives the combination probability 0, which is post-processing.
 *
 * An estimator uses them in one of two ways:
 *
 *   dp_zeros_fill()  on every table of its own that it makes a probability of (a
 *                    joint, a clique, a marginal, a node and its parents), before it
 *                    normalises: 0 for masses, -INFINITY for logarithms and for what
 *                    dp_simplex_project() is to project;
 *   dp_draw_rows()   (draw.h) draws a row again that holds one, for all that the
 *                    tables do not show. It stands behind every method.
 */
#ifndef DP_ZEROS_H
#define DP_ZEROS_H

#include "domain.h"

#define DP_ZEROS_SETS_MAX 1000     /* sets of columns */
#define DP_ZEROS_WIDTH_MAX 8       /* columns of a set */
#define DP_ZEROS_TUPLES_MAX 100000 /* combinations, of all sets together */

/* Brings sets in any order of attributes and tuples to the one form that dp_zeros_check() wants, in place.
 * A tuple that occurs twice becomes one. DP_ERR_ARGUMENT: an attribute twice in a set, a set twice. */
extern DpStatus dp_zeros_canonical(DpZeros *zeros, DpArena *arena, DpError *error) DP_MUST_USE;
/* Limits, order, indexes and codes of domain->zeros, and that no set forbids all there is. DP_ERR_ARGUMENT. */
extern DpStatus dp_zeros_check(const DpDomain *domain, DpError *error) DP_MUST_USE;
/* Whether any row is left: a search over the attributes that zeros name. DP_ERR_ARGUMENT if there is surely none;
 * DP_OK if there is one, or if so many steps did not tell. */
extern DpStatus dp_zeros_possible(const DpDomain *domain, DpError *error) DP_MUST_USE;
extern DpStatus dp_zeros_copy(DpArena *arena, const DpZeros *from, DpZeros *to) DP_MUST_USE;
/* Drops the sets of which an attribute is not kept, and renumbers the others. index[a]: a's new number,
 * ascending; UINT32_MAX: not kept. In place. */
extern void dp_zeros_restrict(DpZeros *zeros, const uint32_t *index);

/* Whether all attributes of any set are among these: else a table over them has no forbidden cell. */
extern bool dp_zeros_within(const DpDomain *domain, const uint32_t *attributes, uint32_t n);
/*
 * Sets every forbidden cell of a dense table to value. The cell of codes c is at the sum
 * of c[k] x stride[k]; stride NULL: row-major, the last attribute fastest, as DpTable and
 * DpMarginal have them. Sets that are not within the attributes do nothing.
 */
extern void dp_zeros_fill(const DpDomain *domain, const uint32_t *attributes, uint32_t n,
						  const uint64_t *stride, double value, double *cells);

/* The row-major index of each combination in the table over the set's own attributes. cell[set->tuples]. */
extern void dp_zero_set_cells(const DpDomain *domain, const DpZeroSet *set, uint64_t *cell);

/* ---- one row, or one cell, at a time ---- */

typedef struct DpZeroLookup
{
	const DpZeroSet *set;
	uint32_t position[DP_ZEROS_WIDTH_MAX]; /* of its attributes in the codes */
	uint64_t stride[DP_ZEROS_WIDTH_MAX];   /* in bits */
	uint64_t *bits;                        /* NULL: many cells, so the tuples are searched */
} DpZeroLookup;

typedef struct DpZeroTest
{
	uint32_t n; /* 0: nothing is forbidden */
	DpZeroLookup *lookup;
} DpZeroTest;

/* Of codes of these attributes in this order; NULL: of all attributes of the domain. The test points into
 * domain. */
extern DpStatus dp_zero_test_build(DpZeroTest *test, DpArena *arena, const DpDomain *domain,
								   const uint32_t *attributes, uint32_t n) DP_MUST_USE;
extern bool dp_zero_test_forbids(const DpZeroTest *test, const uint32_t *codes);
/* The same where only codes of known attributes (known[position]) are there: by these alone. */
extern bool dp_zero_test_forbids_known(const DpZeroTest *test, const bool *known,
									   const uint32_t *codes);

#endif
