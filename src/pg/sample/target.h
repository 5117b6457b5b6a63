/*
 * target.h -- messages about a row type that does not fit a release, and of rows without a seed.
 *
 * Runs in the caller's backend, on what was released.
 */
#ifndef DPSYN_TARGET_H
#define DPSYN_TARGET_H

#include "postgres.h"

#include "access/htup.h"

#include "pg/sample/decode.h"
#include "pg/sample/draw_job.h"
#include "pg/sample/row_rules.h"
#include "pg/sample/store.h"
#include "pg/server/compat.h"

/* The row type that the caller's column definition list gives. */
extern TupleDesc dp_listed_row(FunctionCallInfo fcinfo);
/* The relation of this name, as a statement would find it. */
extern Oid dp_relation_named(const char *name);
/* ERROR unless each column is one of the relation's, and of its type. */
extern void dp_check_listed(TupleDesc row, Oid relation);
/* ERROR unless the release is of the relation of this name. */
extern void dp_check_release_of(const DpStored *stored, const char *relation);
/* NOTICE of columns that the release does not have and the rules do not compute, where the row type
 * is another relation's, or a list of columns. */
extern void dp_note_absent(const DpStored *stored, const DpDecoder *decoder,
						   const DpRowRules *rules, TupleDesc row);
/* NOTICE, once a session, where rows of a release are drawn again without a seed. */
extern void dp_note_other_rows(int64 release);

/*
 * Tuples of a job's rows, formed of pieces that are kept.
 *
 * Post-processing: runs in the caller's backend, on what was released.
 */

typedef struct DpTupleBuilder DpTupleBuilder;

/* job: with decoder, placeholders, rules and row; it must outlive the former. */
extern DpTupleBuilder *dp_tuple_builder_create(const DpDrawJob *job);
/* The next row of a block, as heap_form_tuple makes it, in the current memory context. */
extern HeapTuple dp_row_form(DpTupleBuilder *builder, DpRowStream *stream);

#endif
