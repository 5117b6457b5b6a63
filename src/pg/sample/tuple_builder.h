/*
 * tuple_builder.h -- tuples of a job's rows, formed of pieces that are kept.
 *
 * Post-processing: runs in the caller's backend, on what was released.
 */
#ifndef DPSYN_TUPLE_BUILDER_H
#define DPSYN_TUPLE_BUILDER_H

#include "pg/server/compat.h"

#include "access/htup.h"

#include "pg/sample/draw_job.h"

typedef struct DpTupleBuilder DpTupleBuilder;

/* job: with decoder, placeholders, rules and row; it must outlive the former. */
extern DpTupleBuilder *dp_tuple_builder_create(const DpDrawJob *job);
/* The next row of a block, as heap_form_tuple makes it, in the current memory context. */
extern HeapTuple dp_row_form(DpTupleBuilder *builder, DpRowStream *stream);

#endif
