/*
 * row_sample.h -- some rows of a relation, read once, for the statements of dp_suggest_columns: they
 * stand for all rows where a relation has many.
 */
#ifndef DPSYN_ROW_SAMPLE_H
#define DPSYN_ROW_SAMPLE_H

#include "postgres.h"

/* Within a function that is connected to SPI: lets its statements read the rows that were taken of the
 * relation in this transaction, if any, as dp_sampled_rows. */
extern void dp_row_sample_offer(Oid relation);

#endif
