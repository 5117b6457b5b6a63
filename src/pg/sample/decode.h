/*
 * decode.h -- codes to values of the caller's row type.
 *
 * Post-processing: runs in the caller's backend, on what was released.
 */
#ifndef DPSYN_DECODE_H
#define DPSYN_DECODE_H

#include "pg/server/compat.h"

#include "core/base/prng.h"
#include "core/domain/rule.h"
#include "pg/sample/decoder.h"

/* One row. codes: one for each attribute of the domain. prng places values inside their bins; NULL
 * if the domain has no bins. values and nulls: one for each column of target. */
extern void dp_decode_row(const DpDecoder *decoder, const uint32 *codes, DpPrng *prng,
						  Datum *values, bool *nulls);
/* The same for one column, numbered from 0. */
extern void dp_decode_column(const DpDecoder *decoder, int column, const uint32 *codes,
							 DpPrng *prng, Datum *values, bool *nulls);
/* The same, with the value inside a bin uniform over a part of it, in the units of rules; false:
 * the part holds no value. */
extern bool dp_decode_column_within(const DpDecoder *decoder, int column, const uint32 *codes,
									DpInterval within, DpPrng *prng, Datum *values, bool *nulls);

#endif
