/*
 * public_model.h -- rows of a model that says nothing, to be held against the rules of a table before
 * anything is paid for.
 *
 * The model is that of a release that says nothing: every level of every column is as probable as
 * any other, a range is one bin, and an open column has no values. What its rows can never be, rows
 * of a release can hardly be. They are decoded, filled and kept to the rules of the row type as
 * those of a release are, so that whatever fails there fails here, for nothing.
 *
 * Runs in the caller's backend, and reads the schema and the declarations alone.
 */
#ifndef DPSYN_PUBLIC_MODEL_H
#define DPSYN_PUBLIC_MODEL_H

#include "pg/server/compat.h"

#include "pg/budget/dataset.h"
#include "pg/domain/relation.h"
#include "pg/sample/draw_job.h"

/* So many rows of a relation's public model, in a row type. It does not warn of rules that they
 * break. */
extern DpDrawJob *dp_public_job(const DpRelation *relation, TupleDesc row, uint64 rows,
								uint64 seed);
/* Gives such rows of a dataset, as what their distances are from, a row of each ancestor, the same for
 * all. */
extern void dp_public_bases(DpDrawJob *job, const DpDataset *dataset);

#endif
