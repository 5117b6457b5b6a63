/*
 * distinct_rows.h -- the distinct rows of some columns of a relation, with how many rows of the
 * relation each of them is. They are read once, with the rights of the caller.
 */
#ifndef DPSYN_DISTINCT_ROWS_H
#define DPSYN_DISTINCT_ROWS_H

#include "pg/server/compat.h"

#include "pg/server/text_table.h"

typedef enum DpReadForm
{
	DP_READ_TEXT = 0, /* as a category, by its text form */
	DP_READ_NUMBER,
	DP_READ_TIME /* a date or a timestamp as a number: days since 1970 */
} DpReadForm;

/*
 * A column of relations that are read one after another; its levels are the values of all of them.
 */
typedef struct DpReadColumn
{
	char *name;
	DpReadForm form;
	text_table_hash *table; /* of texts: their numbers in the order in which they were seen */
	char **level;           /* [levels] */
	uint32 levels;
	uint32 levels_allocated;
} DpReadColumn;

typedef struct DpDistinctRows
{
	uint64 rows;
	uint32 columns;
	double *value;  /* [rows x columns] a number, or the number of a level; NaN: NULL, or a number
					 * that is not finite */
	double *weight; /* [rows] */
} DpDistinctRows;

/* How a column of the relation is read, if it is not wanted as a category. ERROR if there is no
 * such column. */
extern DpReadForm dp_read_form(Oid relation, const char *column);
extern DpReadColumn dp_read_column(const char *name, DpReadForm form);
/* Reads a relation. ERROR if a column cannot be read in its form. */
extern void dp_distinct_read(Oid relation, DpReadColumn *column, uint32 n, DpDistinctRows *out);

#endif
