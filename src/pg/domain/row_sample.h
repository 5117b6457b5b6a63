/*
 * row_sample.h -- some rows of a relation, read once, for the statements of dp_suggest_columns,
 * which use them instead of all rows of a large relation.
 */
#ifndef DPSYN_ROW_SAMPLE_H
#define DPSYN_ROW_SAMPLE_H

#include "postgres.h"

/* In a function that is connected to SPI: makes the rows that were taken from the relation in this
 * transaction, if any, available to its statements as dp_sampled_rows. */
extern void dp_row_sample_offer(Oid relation);

#endif
