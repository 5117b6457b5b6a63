/*
 * encode.h -- values of columns to codes of their domain. For what may see the
 * data: the exact aggregates, and so the release worker.
 */
#ifndef DP_ENCODE_H
#define DP_ENCODE_H

#include "dpsyn.h"

#include "marginal_counts.h"

typedef struct DpEncoder DpEncoder;

/* How values arrive. */
typedef enum DpValueForm
{
	DP_FORM_TYPED, /* as the column's type has them */
	DP_FORM_TEXT   /* as text, in the text form of the column's type */
} DpValueForm;

/*
 * An encoder for each attribute of a spec, [attributes]. type: [attributes] of
 * the values. The text of labels is read by the types' input functions.
 */
extern DpEncoder *dp_encoders_create(const DpSpec *spec, const Oid *type, DpValueForm form);
/* The code of one value of an attribute whose encoder this is. */
extern uint32 dp_encode_value(DpEncoder *encoder, const NullableDatum *value);
/* An encoder of those created together. */
extern DpEncoder *dp_encoder_at(DpEncoder *encoders, uint32 attribute);
/* Writes one row of codes at counts->rows. Memory it needs is the current context's. */
extern void dp_encode_row(DpEncoder *encoder, uint32 n, const NullableDatum *value,
						  DpCounts *counts);

#endif
