/*
 * zeros.h -- structural zeros: combinations of levels that cannot occur, known
 * publicly and stated by the custodian as a part of the domain (DpDomain.zeros).
 *
 * Nothing here has to do with privacy. A row that holds such a combination all the
 * same is counted like any other, and its counts get noise. Afterwards the estimate
 * gives the combination probability 0, which is post-processing.
 *
 * Zeros take effect in two places:
 *
 *   dp_zeros_fill()  An estimator calls it on every table that it makes probabilities
 *                    of (a joint, a clique, a marginal, a node and its parents), before
 *                    it normalises. The value is 0 for masses, and -INFINITY for
 *                    logarithms and for what dp_simplex_project() will project.
 *   dp_draw_rows()   (draw.h) It draws a row again if the row holds a zero that the
 *                    tables do not show. It stands behind every sampler.
 */
#ifndef DP_ZEROS_H
#define DP_ZEROS_H

#include "core/domain/domain.h"

#define DP_ZEROS_SETS_MAX 1000     /* sets of columns */
#define DP_ZEROS_WIDTH_MAX 8       /* columns of a set */
#define DP_ZEROS_TUPLES_MAX 100000 /* combinations, of all sets together */

/* Brings sets into the one form that dp_zeros_check() wants, in place. Before, attributes and
 * tuples may be in any order. A tuple that occurs twice becomes one. DP_ERR_ARGUMENT: a set has
 * an attribute twice, or two sets have the same attributes. */
extern DpStatus dp_zeros_canonical(DpZeros *zeros, DpArena *arena, DpError *error) DP_MUST_USE;
/* Checks limits, order, indexes and codes of domain->zeros, and that no set forbids every
 * combination. DP_ERR_ARGUMENT. */
extern DpStatus dp_zeros_check(const DpDomain *domain, DpError *error) DP_MUST_USE;
/* Searches the attributes that zeros name for a row that is not forbidden. DP_ERR_ARGUMENT:
 * there is surely none. DP_OK: there is one, or the limit of steps did not suffice to tell. */
extern DpStatus dp_zeros_possible(const DpDomain *domain, DpError *error) DP_MUST_USE;
/* Changes codes of attributes that are not fixed (NULL: none is) until no zero forbids the row. The first that a
 * search finds serves, in which each code runs in a circle from what it is. DP_ERR_LIMIT: there is none,
 * or the limit of steps did not suffice; codes may have changed. */
extern DpStatus dp_zeros_avoid(const DpDomain *domain, const bool *fixed,
							   uint32_t *codes) DP_MUST_USE;
extern DpStatus dp_zeros_copy(const DpZeros *from, DpZeros *to, DpArena *arena) DP_MUST_USE;
/* Drops each set that has an attribute that is not kept, and renumbers the attributes of the
 * others, in place. index[a] is the new number of a, ascending, or UINT32_MAX if a is not kept. */
extern void dp_zeros_restrict(DpZeros *zeros, const uint32_t *index);

/* Whether all attributes of some set are among these. If not, a table over them has no forbidden
 * cell. */
extern bool dp_zeros_within(const DpDomain *domain, const uint32_t *attributes, uint32_t n);
/*
 * Sets every forbidden cell of a dense, row-major table to value. Sets that are not within the
 * attributes do nothing.
 */
extern void dp_zeros_fill(const DpDomain *domain, const uint32_t *attributes, uint32_t n,
						  double value, double *cells);

/* ---- one row, or one cell, at a time ---- */

typedef struct DpZeroLookup
{
	const DpZeroSet *set;
	uint32_t position[DP_ZEROS_WIDTH_MAX]; /* places of its attributes in the codes */
	uint64_t stride[DP_ZEROS_WIDTH_MAX];   /* in bits; see bits */
	uint64_t *bits; /* NULL: there are too many cells for a bit each; the tuples are searched */
} DpZeroLookup;

/* Whether codes hold one of the set's combinations, by a search of its tuples. */
extern bool dp_zero_lookup_holds(const DpZeroLookup *lookup, const uint32_t *codes);

typedef struct DpZeroTest
{
	uint32_t n; /* 0: nothing is forbidden */
	DpZeroLookup *lookup;
} DpZeroTest;

/* Prepares a test of codes of these attributes in this order, or of all attributes of the domain
 * where attributes is NULL. The test points into domain. */
extern DpStatus dp_zero_test_build(DpZeroTest *test, const DpDomain *domain,
								   const uint32_t *attributes, uint32_t n,
								   DpArena *arena) DP_MUST_USE;
extern bool dp_zero_test_forbids(const DpZeroTest *test, const uint32_t *codes);
/* The same test where only the codes of some attributes are there (known[position]). It uses
 * these alone. */
extern bool dp_zero_test_forbids_known(const DpZeroTest *test, const bool *known,
									   const uint32_t *codes);

#endif
