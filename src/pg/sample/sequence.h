/*
 * sequence.h -- the rows that belong to one row of a parent, in order of a column.
 *
 * Post-processing: runs in the caller's backend, on what was released.
 *
 * Rows are sorted by their codes when these are drawn. Those in one bin get values of it that
 * ascend, as if the values had been drawn first and the rows sorted by them: a row keeps its place,
 * and what belongs to it.
 */
#ifndef DPSYN_SEQUENCE_H
#define DPSYN_SEQUENCE_H

#include "pg/server/compat.h"

#include "pg/sample/draw_job.h"

typedef struct DpSequence DpSequence;

/* Sorts rows by the code of an attribute; the sort is stable. */
extern void dp_sequence_sort(uint32 *codes, uint32 rows, uint32 attributes, uint32 attribute);
/* For rows of a job, in order of an attribute; -1: in none. The job must outlive it. */
extern DpSequence *dp_sequence_create(const DpDrawJob *job, int attribute);
/* Chooses values for the next rows of a stream, which belong together. What it chooses is valid
 * until it chooses again, and lives in the current memory context. */
extern void dp_sequence_choose(DpSequence *sequence, DpRowStream *stream, uint32 rows);
/* Row number `row` of these, from its codes, with the value that was chosen, unless it breaks a
 * rule. */
extern void dp_sequence_row(DpSequence *sequence, DpRowStream *stream, uint32 row, Datum *values,
							bool *nulls);
/* Where a rule has changed values: sorts rows once more, [rows x columns]. What is filled stays. */
extern void dp_sequence_finalize(const DpSequence *sequence, uint32 rows, Datum *values,
								 bool *nulls);

#endif
