/*
 * row_former.h -- tuples of a job's rows, formed of pieces that are kept.
 *
 * Post-processing: runs in the caller's backend, on what was released.
 */
#ifndef DPSYN_ROW_FORMER_H
#define DPSYN_ROW_FORMER_H

#include "pg/server/compat.h"

#include "access/htup.h"

#include "pg/rows/draw_job.h"

typedef struct DpRowFormer DpRowFormer;

/* job: with decoder, filler, rules and row; it must outlive the former. */
extern DpRowFormer *dp_row_former_create(const DpDrawJob *job);
/* The next row of a block, as heap_form_tuple makes it, in the current memory context. */
extern HeapTuple dp_row_form(DpRowFormer *former, DpRowStream *stream);

#endif
