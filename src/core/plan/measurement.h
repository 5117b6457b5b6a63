/*
 * measurement.h -- what a method gets behind the wall: the data as counts, the budget as a meter,
 * and the noise source. All of it but the plan is SECRET.
 */
#ifndef DP_MEASUREMENT_H
#define DP_MEASUREMENT_H

#include "core/exact/marginal.h"
#include "core/exact/sums.h"
#include "core/mechanism/noise_source.h"
#include "core/plan/plan.h"
#include "core/sample/parent_priors.h"

/* Exact counts of the distinct text values of one open attribute, without NULL. SECRET. */
typedef struct DpValueCounts
{
	uint64_t n;
	const char **value;
	int64_t *count;
} DpValueCounts;

/*
 * Exact counts of the non-empty cells over n attributes, some of them open. SECRET. An index of a
 * closed attribute is a code. An index of an open one is that of a value in its universe, or in
 * `seen` if it has no universe; there DP_CELL_OTHER stands for NULL and for what cannot be a label.
 * Rows with a value outside a universe, NULL included, are in no cell.
 */
#define DP_CELL_OTHER UINT64_MAX
typedef struct DpCells
{
	uint32_t n;
	const uint32_t *attribute; /* [n] index in the domain; distinct */
	uint64_t cells;
	uint64_t *index; /* [cells x n]; each combination once, in any order until they are final */
	int64_t *count;  /* [cells] */
	int64_t rows;    /* rows of the relation, whether in a cell or not */
	/* [n] the distinct values of open attributes without a universe, and their number */
	uint64_t *seen_n;
	const char ***seen;
} DpCells;

/* The data as measure sees it. Each call is one scan, and all scans use one snapshot. */
typedef struct DpCounter
{
	void *context;
	/* Adds every row to each of the n marginals (initialised, over domain). */
	DpStatus (*count)(void *context, const DpDomain *domain, DpMarginal *const *marginals,
					  uint32_t n, DpError *error);
	/* Counts the distinct values of the listed open attributes of domain. */
	DpStatus (*distinct)(void *context, const DpDomain *domain, const uint32_t *attributes,
						 uint32_t n, DpValueCounts *out, DpError *error);
	/* Counts the cells of each of the n sets. Their n and attribute are given; seen_n and seen
	 * are [n], zeroed. */
	DpStatus (*cells)(void *context, const DpDomain *domain, DpCells *sets, uint32_t n,
					  DpError *error);
	/* Adds every row that passes the filter of query to sums, in the cell of its groups. */
	DpStatus (*sums)(void *context, const DpDomain *domain, const DpQuery *query, DpSums *sums,
					 DpError *error);
	/*
	 * Counts units by their number of rows in the query: count[i] units have more than last[i - 1]
	 * and at most last[i] rows. Units with more are in the last class. NULL: no query finds its
	 * bound.
	 */
	DpStatus (*units)(void *context, const DpDomain *domain, const DpQuery *query,
					  const uint32_t *last, uint32_t classes, int64_t *count, DpError *error);
	/* Limits the rows of a unit that are read from now on. */
	void (*bound)(void *context, uint32_t rows_max);
} DpCounter;

/* What measure gets behind the wall. The caller of dp_measure fills in all but the domain. */
typedef struct DpMeasurement
{
	const DpPlan *plan;
	const DpDomain *domain; /* discovered: no attribute is open, unless the method keeps_open */
	/* [attributes] for an attribute that takes the bins of an earlier table (DP_RANGE_TAKEN): the
	 * attribute there. NULL: there is none. */
	const DpAttribute *const *taken;
	/* The marginals of known attributes by the model of a table that was measured before. NULL:
	 * there is none. */
	const DpParentPriors *parent_priors;
	const DpCounter *counter;
	DpNoiseSource noise;
	DpArena *arena;
	void (*stage)(void *context, const char *name); /* announces a public stage name; may be NULL */
	void *stage_context;
} DpMeasurement;

/* Counts every row into each of n initialised marginals, in one scan. */
extern DpStatus dp_count_marginals(const DpMeasurement *m, DpMarginal *exact, uint64_t n,
								   DpError *error) DP_MUST_USE;

/* Tells the waiting session that a stage begins. Its name is public. */
static inline void
dp_announce(const DpMeasurement *m, const char *name)
{
	if (m->stage != NULL)
		m->stage(m->stage_context, name);
}

#endif
