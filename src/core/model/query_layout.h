/*
 * query_layout.h -- how the answers of a query stand in a model: its tables, and the structure that
 * says what they are.
 *
 * Each statistic is a dense table over the groups, and the unit of its values is what one row adds.
 * Zones are several such tables, one after another. A choice has no table: the leaf that was chosen
 * in each group stands in the structure.
 */
#ifndef DP_QUERY_LAYOUT_H
#define DP_QUERY_LAYOUT_H

#include "core/domain/query.h"
#include "core/model/model.h"

typedef struct DpQueryLayout
{
	uint32_t by;
	uint32_t *by_attribute; /* [by] in the domain of the model */
	uint64_t cells;         /* groups */
	uint32_t statistics;
	DpStatistic *statistic;
	uint32_t *table;   /* [statistics] its first table; of a choice, nothing */
	int64_t rows_over; /* estimated number of units above the bound of rows; -1: not estimated */
	uint32_t **choice; /* [statistics][cells] of a choice; else NULL */
	DpGrid *grid;      /* [statistics] of its column */
	uint32_t measures;
	DpMeasure *measure;
} DpQueryLayout;

/* How many tables a statistic has. */
extern uint32_t dp_statistic_tables(const DpStatistic *statistic);
/* Writes the layout, but for table, which follows from it, into the structure. */
extern DpStatus dp_query_layout_store(const DpQueryLayout *layout, DpModel *model,
									  DpArena *arena) DP_MUST_USE;
/* Reads it back and checks it against the tables. DP_ERR_CORRUPT: the model does not hold one. */
extern DpStatus dp_query_layout_load(const DpModel *model, DpQueryLayout *layout, DpArena *arena,
									 DpError *error) DP_MUST_USE;

#endif
