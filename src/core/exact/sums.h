/*
 * sums.h -- exact statistics of groups of rows. SECRET: a DpSums never leaves the release worker.
 */
#ifndef DP_SUMS_H
#define DP_SUMS_H

#include "core/domain/query.h"
#include "core/domain/unit_sizes.h"

/*
 * A sum is exact in 128 bits: each row adds at most 2^62 and there are less than 2^64 rows. As an
 * integer of 64 bits it is cut at +-DP_SUM_MAX. Cutting brings no two sums further apart, so it
 * changes no sensitivity.
 */
#define DP_SUM_MAX (INT64_C(1) << 62)

/* Memory of an arena is aligned to 8 bytes, as PostgreSQL's is, and not to the 16 of the plain
 * type. */
typedef __int128 DpWideSum __attribute__((aligned(8)));

typedef struct DpSumCells
{
	DpWideSum *sum; /* [cells]; of choices, zones and levels that occur: NULL */
	int64_t *leaf;  /* [cells x 2^height] of the first choice of a column, for all of them */
	uint8_t *seen;  /* [cells x levels] of levels that occur */
	uint32_t levels;
	DpWideSum *of_unit; /* [cells] by_unit: of the current unit alone */
	DpUnitSizes sizes;  /* units are counted by size: the classes */
	int64_t *units;     /* [classes] units by size; NULL: units are not counted */
} DpSumCells;

/* The cells that contain rows of the current unit. */
typedef struct DpUnitCells
{
	uint64_t n;
	uint64_t *cell; /* [cells] */
	bool *is_in;    /* [cells] */
} DpUnitCells;

typedef struct DpSums
{
	uint32_t n;
	const DpStatistic *statistic; /* [n] */
	uint64_t cells;
	DpSumCells *of; /* [n] */
	int64_t rows;   /* that passed the filter */
	bool by_unit;   /* rows must come unit by unit, each unit followed by dp_sums_end_unit */
	DpUnitCells unit;
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
/* Prepares to count units by what they add to each statistic that is by_unit, and nothing else.
 * sizes: [n]. */
extern DpStatus dp_sums_init_sizes(DpSums *sums, const DpStatistic *statistic, uint32_t n,
								   const DpUnitSizes *sizes, uint64_t cells,
								   DpArena *arena) DP_MUST_USE;
/*
 * Ends a unit, after its last row. For a statistic that is by_unit let v be the vector that the
 * rows of the unit add to the cells, and |v| its L1 norm. If |v| > unit_max, each entry becomes v
 * unit_max / |v|, rounded towards 0. So the vector of a unit is a function of its own rows, and its
 * L1 norm is at most unit_max.
 */
extern void dp_sums_end_unit(DpSums *sums);
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
