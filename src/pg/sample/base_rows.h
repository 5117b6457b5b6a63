/*
 * base_rows.h -- columns of rows that other rows belong to, from which these have their distances:
 * the order's date, for lines that are shipped so many days after it.
 *
 * The row that a row belongs to is made once more, with the seed that makes it wherever it is asked
 * for, and with all that it takes to make it: rules, keys and what stands in for NULL. So it is the
 * same row, as far as it is drawn into the same columns under the same rules.
 *
 * Post-processing: runs in the caller's backend, on what was released.
 */
#ifndef DPSYN_BASE_ROWS_H
#define DPSYN_BASE_ROWS_H

#include "pg/server/compat.h"

#include "pg/domain/json_field.h"
#include "pg/sample/draw_job.h"

/* Rows of a table that the rows of a job belong to. */
typedef struct DpBaseTable
{
	const char *name;
	DpDrawJob *job; /* of its rows */
	int up;         /* 0: the parent, 1: the row that this belongs to, and so on */
} DpBaseTable;

/* The names of the tables that contain bases of the decoder's distances, each once; NIL: none. */
extern List *dp_base_tables(const DpDecoder *decoder);
/* Where a row type has what a distance is from. */
typedef struct DpBaseIn
{
	int column;      /* numbered from 0 */
	DpRangePart end; /* of it; DP_NO_RANGE_PART: its value */
	Oid type;        /* of the column */
	Oid from, as;    /* types of what it is, and of what is asked for */
} DpBaseIn;

/* ERROR where it has none, of the distance's type. */
extern DpBaseIn dp_base_in(TupleDesc row, const DpBaseColumn *base);
extern NullableDatum dp_base_value(const DpBaseIn *in, const Datum *values, const bool *nulls);
/* What a job's distances are from. tables: of DpBaseTable, one for each of dp_base_tables. */
extern DpBaseSource *dp_base_source(const DpDrawJob *job, const List *tables);

#endif
