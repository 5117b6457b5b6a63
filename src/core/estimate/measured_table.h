/*
 * measured_table.h -- what one noisy table says of each group of a query: sums of its cells.
 */
#ifndef DP_MEASURED_TABLE_H
#define DP_MEASURED_TABLE_H

#include "core/estimate/marginal_query.h"
#include "core/estimate/noise_distribution.h"

typedef struct DpMeasuredTable
{
	const DpTable *table; /* only dense ones with additive noise are used */
	/* [attributes of the domain] the group of each level, where the table counts groups of levels.
	 * A group stands at its first level. NULL: each level by itself. */
	uint32_t *const *group;
	const bool *noisy; /* [cells] whether the cell was measured; NULL: all were */
} DpMeasuredTable;

/* Sums over the cells of one table that belong to one group: c is the weight of a cell. */
typedef struct DpCellSums
{
	double value;   /* sum of c x noisy count */
	double cells;   /* cells with c > 0 */
	double weights; /* sum of c */
	double squares; /* sum of c^2 */
	double fourths; /* sum of c^4 */
	bool unusable;  /* some cell of the group was not measured by itself */
} DpCellSums;

#define DP_NO_LEVEL UINT32_MAX

/* One attribute of a table. */
typedef struct DpAxis
{
	uint32_t levels;
	const double *weight; /* [levels] of the condition; NAN where those of one group differ */
	double *own;          /* what weight points to, where it was made for this table */
	const bool *single;   /* [levels] whether the level is counted by itself; NULL: all are */
	uint64_t step;        /* of by; 0: not in by */
	/* The level that is counted together with the level "other", and nothing else: its cells
	 * answer for it, and hold a few rows more. DP_NO_LEVEL: there is none. */
	uint32_t with_other;
	bool other_differs; /* the condition takes that level, and not "other" */
} DpAxis;

typedef struct DpTableSums
{
	const DpTable *table;
	DpNoiseTerm term;
	DpAxis *axis;      /* [attributes of the table] */
	DpCellSums *group; /* [groups] */
	DpCellSums all;    /* every cell, with weight 1 */
	DpCellSums given;  /* every cell, with the weight of the condition */
} DpTableSums;

/* Where a cell belongs. */
typedef struct DpCellPlace
{
	double weight; /* NAN: its levels have different ones */
	uint64_t group;
	bool single;   /* all its levels are counted by themselves */
	bool by_alone; /* those of by are, but for rows of "other" */
} DpCellPlace;

extern DpCellPlace dp_cell_place(const DpAxis *axis, uint32_t n, const uint32_t *code);
/* Goes on to the next cell in row-major order. */
extern void dp_cell_next(const DpAxis *axis, uint32_t n, uint32_t *code);

/* Whether rows of "other" are counted in a group of the query, for one axis. */
extern bool dp_axis_has_other(const DpAxis *axis, uint64_t group);

extern DpStatus dp_table_sums(const DpMarginalQuery *query, const DpMeasuredTable *from,
							  DpTableSums *sums, const DpTick *tick, DpArena *arena) DP_MUST_USE;
extern void dp_table_sums_free(DpTableSums *sums, uint64_t groups, DpArena *arena);

#endif
