/*
 * decode.h -- codes to values of the caller's row type.
 *
 * Post-processing: runs in the caller's backend, on what was released.
 */
#ifndef DPSYN_DECODE_H
#define DPSYN_DECODE_H

#include "pg/server/compat.h"

#include "core/base/prng.h"
#include "core/domain/domain.h"

typedef struct DpDecoder DpDecoder;

/* Matches the columns of target with attributes by name. ERROR if none matches, or a label is no
 * value of its column's type. */
extern DpDecoder *dp_decoder_create(const DpDomain *domain, TupleDesc target);
/* From now on draws values of an attribute's bins inside of a range, as dp_bins_restrict does. */
extern void dp_decoder_restrict(DpDecoder *decoder, int attribute, const char *low,
								const char *high, bool closed);
/* One row. codes: one for each attribute of the domain. prng places values inside their bins; NULL
 * if the domain has no bins. values and nulls: one for each column of target. */
extern void dp_decode_row(const DpDecoder *decoder, const uint32 *codes, DpPrng *prng,
						  Datum *values, bool *nulls);

#endif
