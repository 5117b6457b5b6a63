/*
 * sums.h -- exact statistics of groups of rows. SECRET: a DpSums never leaves the release worker.
 */
#ifndef DP_SUMS_H
#define DP_SUMS_H

#include "core/domain/query.h"

/*
 * A sum is exact in 128 bits: each row adds at most 2^62 and there are less than 2^64 rows. As an
 * integer of 64 bits it is cut at +-DP_SUM_MAX. Cutting brings no two sums further apart, so it
 * changes no sensitivity.
 */
#define DP_SUM_MAX (INT64_C(1) << 62)

typedef struct DpSumCells
{
	__int128 *sum; /* [cells]; of choices, zones and levels that occur: NULL */
	int64_t *leaf; /* [cells x 2^height] of the first choice of a column, for all of them */
	uint8_t *seen; /* [cells x levels] of levels that occur */
	uint32_t levels;
} DpSumCells;

typedef struct DpSums
{
	uint32_t n;
	const DpStatistic *statistic; /* [n] */
	uint64_t cells;
	DpSumCells *of; /* [n] */
	int64_t rows;   /* that passed the filter */
} DpSums;

/* One row, which passed the filter. */
typedef struct DpSumRow
{
	uint64_t cell;
	const bool *present;       /* [attributes] */
	const int64_t *coordinate; /* [attributes]; read where a range is needed */
	const uint32_t *code;      /* [attributes]; read where levels are counted */
} DpSumRow;

/* Makes empty sums. Levels of attributes are those of domain; values of its last level do not
 * count as distinct where it is "other". */
extern DpStatus dp_sums_init(DpSums *sums, const DpStatistic *statistic, uint32_t n,
							 const DpDomain *domain, uint64_t cells, DpArena *arena) DP_MUST_USE;
extern void dp_sums_add(DpSums *sums, const DpSumRow *row);
/* Writes a statistic that is one integer a group: out[cells]. */
extern void dp_sums_read(const DpSums *sums, uint32_t i, int64_t *out);
/* The leaves that a choice is among, or that zones are made of, group by group: [cells x
 * 2^height]. */
extern const int64_t *dp_sums_leaves(const DpSums *sums, uint32_t i);
/* Adds the rows of each zone around the chosen leaves, zone by zone, to out[zones x cells]. */
extern void dp_sums_zones(const DpSums *sums, uint32_t i, const uint32_t *chosen, int64_t *out);
/* The bytes of it all, from public sizes. */
extern uint64_t dp_sums_bytes(const DpStatistic *statistic, uint32_t n, const DpDomain *domain,
							  uint64_t cells);

#endif
