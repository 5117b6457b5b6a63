/*
 * encode.h -- values of columns to codes of their domain.
 *
 * SECRET: values of rows go through it, in the exact aggregates and in the release worker.
 */
#ifndef DPSYN_ENCODE_H
#define DPSYN_ENCODE_H

#include "pg/server/compat.h"

#include "core/exact/counts.h"

typedef struct DpEncoder DpEncoder;

/* How values arrive. */
typedef enum DpValueForm
{
	DP_FORM_TYPED, /* as values of the column's type */
	DP_FORM_TEXT   /* as values of type text, which hold the text form of the column's type */
} DpValueForm;

/*
 * Encoders for the attributes of a spec, [attributes], in the current memory context. type:
 * [attributes], of the values; not read for DP_FORM_TEXT. Labels are read by the types' input
 * functions, so code of users may run. ERROR if a label is no value of its type.
 */
extern DpEncoder *dp_encoders_create(const DpSpec *spec, const Oid *type, DpValueForm form);
/* The encoder of one attribute. */
extern DpEncoder *dp_encoder_at(DpEncoder *encoders, uint32 attribute);
/* The code of one value. */
extern uint32 dp_encode_value(DpEncoder *encoder, const NullableDatum *value);
/* Writes the codes of a row of n values at counts->rows. What it allocates is left in the current
 * memory context. */
extern void dp_encode_row(DpEncoder *encoders, uint32 n, const NullableDatum *value,
						  DpCounts *counts);
/* The same of columns of a larger row: column: [n], where they are in it. */
extern void dp_encode_columns(DpEncoder *encoders, uint32 n, const uint32 *column,
							  const Datum *values, const bool *isnull, DpCounts *counts);

/* Where a column is in the data of each tuple. */
typedef struct DpTuplePlace
{
	uint32 at;
	int length;
	bool by_value;
} DpTuplePlace;

/* The same of a tuple without NULLs. place: [n]. */
extern void dp_encode_tuple(DpEncoder *encoders, uint32 n, const DpTuplePlace *place,
							const char *data, DpCounts *counts);

#endif
