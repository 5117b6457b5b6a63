/*
 * row_sample.h -- some rows of a relation, read once, which stand for all of them.
 */
#ifndef DPSYN_ROW_SAMPLE_H
#define DPSYN_ROW_SAMPLE_H

#include "pg/server/compat.h"

#include "access/tupdesc.h"
#include "utils/tuplestore.h"

struct DpSampleValues;

typedef struct DpRowSample
{
	Oid relation;
	TupleDesc row;
	Tuplestorestate *rows;
	double scale;                  /* rows of the relation for each row of the sample */
	struct DpSampleValues *values; /* of each column, once they are asked for; NULL before */
	int readers;                   /* statements that read it, for which it is kept */
} DpRowSample;

/* The sample of a relation in this transaction, which is taken where there is none. Only for who
 * may read the relation as its owner; the sample is in a memory context of its own. */
extern DpRowSample *dp_row_sample(Oid relation);

/* In a function that is connected to SPI: makes the rows that were taken from the relation in this
 * transaction, if any, available to its statements, and gives them; NULL: none. */
extern DpRowSample *dp_row_sample_offer(Oid relation);

extern void dp_offer_rows(const char *name, TupleDesc row, Tuplestorestate *rows);

/* The same for the values of those of its columns of which dp_values_taken was asked. */
extern void dp_sample_values_offer(const DpRowSample *sample);

#endif
