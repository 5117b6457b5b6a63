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

#include "pg/sample/draw_job.h"

/* Rows of a table that the rows of a job belong to. */
typedef struct DpBaseTable
{
	const char *name;
	DpDrawJob *job; /* of its rows */
	int up;         /* 0: the parent, 1: the row that this belongs to, and so on */
} DpBaseTable;

/* The tables that a decoder's distances are from, by name, each once; NIL: none. */
extern List *dp_base_tables(const DpDecoder *decoder);
/* The column, numbered from 0, of a row type that a distance is from. ERROR where it has none, of the
 * distance's type. */
extern int dp_base_column(TupleDesc row, const DpBaseColumn *base);
/* What a job's distances are from. tables: of DpBaseTable, one for each of dp_base_tables. */
extern DpBaseSource *dp_base_source(const DpDrawJob *job, const List *tables);

#endif
