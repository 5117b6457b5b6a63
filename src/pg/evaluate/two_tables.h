/*
 * two_tables.h -- two tables of rows beside each other, read once each with the rights of the caller.
 *
 * Runs in the caller's backend. Whoever calls it can read both relations; nothing here reads a row
 * by any other right, and nothing draws noise or spends budget.
 */
#ifndef DPSYN_TWO_TABLES_H
#define DPSYN_TWO_TABLES_H

#include "pg/server/compat.h"

#include "executor/tuptable.h"
#include "fmgr.h"
#include "nodes/pg_list.h"
#include "utils/tuplestore.h"

#include "core/evaluate/set_counts.h"
#include "core/evaluate/value_codes.h"
#include "core/exact/count_kernel.h"
#include "pg/evaluate/side.h"

/* What is compared of the values of a column. */
typedef enum DpValueKind
{
	DP_KIND_NUMBER, /* numbers; of dates and timestamps, seconds since 1970 */
	DP_KIND_WORD,   /* values that are passed by value, as integers; no order is meant */
	DP_KIND_TEXT    /* texts, or text forms */
} DpValueKind;

/* A column that both relations have. */
typedef struct DpComparedColumn
{
	const char *name;
	Oid type[2];  /* base types */
	Oid own_type; /* of the original, as it is declared */
	int32 own_typmod;
	Oid collation; /* of the original */
	DpValueKind kind;
	bool time;            /* a number that is a time */
	const char *left_out; /* why it is not compared after all; NULL: it is */
	DpValueCodes values;
	int64 nulls[2];
	uint32 *order;    /* [values.n - 1] the values, ascending */
	uint32 levels;    /* with that of NULL, which is the last one, where there is any */
	uint32 *level;    /* [values.n] */
	const char *bins; /* how the values were binned, in words; NULL: each value is a level */
} DpComparedColumn;

/* Value codes of one relation, row by row, in memory or in a temporary file. */
typedef struct DpCodeRows DpCodeRows;

typedef struct DpTwoTables
{
	Oid relation[2];
	const char *from[2]; /* what is read in place of the relation, as after FROM; NULL: itself */
	List *sources[2];    /* OIDs of the relations that stand in from */
	bool may_be_empty;   /* a side without rows is no error */
	uint64 memory;       /* bytes, for all of it */
	uint32 bins_max;
	bool each_value; /* each value is a level, also of numbers */
	bool rounds;     /* numbers beyond some of each column are rounded, to fit memory */
	List *wanted;    /* of char *: the columns; NIL: all that both have */
	MemoryContext context;
	DpArena arena; /* of what is known of the columns */
	uint32 columns;
	DpComparedColumn *column;
	List *skipped; /* of DpSkipped: columns that are not compared */
	int64 rows[2];
	DpCodeRows *codes[2];
	/* the columns that have levels, as attributes */
	DpDomain domain;
	uint32 *column_of; /* [domain.attributes] */
} DpTwoTables;

typedef struct DpSkipped
{
	const char *column;
	const char *why;
} DpSkipped;

/* ---- columns.c ---- */

/* ERROR unless rows can be read from the relation. argument: its name, for the message. */
extern void dp_check_readable(Oid relation, const char *argument);
/* Takes the first two arguments of a function, original and synthetic. What is kept is kept in the
 * current context. ERROR where one is NULL, or no rows can be read from it. */
extern void dp_two_tables_arguments(FunctionCallInfo fcinfo, DpTwoTables *tables);
/* The same of two relations that are known. */
extern void dp_two_tables_take(DpTwoTables *tables, Oid original, Oid synthetic);
/* Finds the columns to compare. */
extern void dp_two_tables_columns(DpTwoTables *tables);
/* The relations that are read for a side. */
extern const List *dp_two_tables_sources(const DpTwoTables *tables, DpSide side);
extern void dp_two_tables_skip(DpTwoTables *tables, const char *column, const char *why);

/* ---- read_rows.c ---- */

/* Reads both relations, once each. ERROR where the caller may not, or where one has no rows, unless
 * may_be_empty is set. */
extern void dp_two_tables_read(DpTwoTables *tables);

/* Gives the rows back. What is known of the columns stays. */
extern void dp_two_tables_end(DpTwoTables *tables);

/* ---- column_levels.c ---- */

/* Makes levels of the values of all columns. */
extern void dp_two_tables_levels(DpTwoTables *tables);

/* ---- code_rows.c ---- */

extern DpCodeRows *dp_code_rows_create(uint32 columns, uint64 bytes);
/* Where the first code of the row that is being filled stands. That of the next column stands
 * DP_CODES_STRIDE further: a line of the cache more than a batch, so that a row's codes do not fall
 * upon the same few lines. */
#define DP_CODES_STRIDE (DP_BATCH_ROWS + 16)
extern uint32 *dp_code_rows_place(DpCodeRows *rows);
/* Ends the row. true: the batch is full, and must be flushed. */
extern bool dp_code_rows_put(DpCodeRows *rows);
/* The batch that is being filled: how many rows it has, and their codes of a column. */
extern uint32 dp_code_rows_filled(const DpCodeRows *rows);
extern const uint32 *dp_code_rows_column(const DpCodeRows *rows, uint32 column);
/* Keeps the batch, and begins another. */
extern void dp_code_rows_flush(DpCodeRows *rows);
/* Its temporary file, if there is one, goes with it. */
extern void dp_code_rows_free(DpCodeRows *rows);
extern void dp_code_rows_rewind(DpCodeRows *rows);
/* The next batch, of at most DP_BATCH_ROWS rows: how many there are, 0 at the end. */
extern uint32 dp_code_rows_next(DpCodeRows *rows);
/* The codes of a column in this batch. */
extern void dp_code_rows_read(const DpCodeRows *rows, uint32 column, uint32 *code);

/* Rows of levels, for the core. */
extern DpCodedRows dp_two_tables_rows(DpTwoTables *tables, DpSide side);
/* What the tables of a pass may take. */
extern uint64 dp_two_tables_memory_left(const DpTwoTables *tables);

#endif
