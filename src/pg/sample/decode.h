/*
 * decode.h -- codes to values of the caller's row type.
 *
 * Post-processing: runs in the caller's backend, on what was released.
 */
#ifndef DPSYN_DECODE_H
#define DPSYN_DECODE_H

#include "postgres.h"

#include "utils/jsonb.h"

#include "core/base/prng.h"
#include "core/domain/domain.h"
#include "core/domain/rule.h"
#include "pg/domain/distance.h"
#include "pg/server/compat.h"

/*
 * Columns of a row type matched with attributes, for decode.h.
 *
 * Post-processing: runs in the caller's backend, on what was released.
 */

typedef struct DpDecoder DpDecoder;

/* Whose a row type is. InvalidOid for a record, since the caller chose its columns. */
extern Oid dp_row_type_owner(Oid type);

/* Matches the columns of target with attributes by name. derived: the columns that are made from
 * others (pg/domain/derived.h); NULL: none. ERROR if a label is no value of its column's
 * type. */
extern DpDecoder *dp_decoder_create(const DpDomain *domain, Jsonb *derived, TupleDesc target);
/* ERROR if no column matches. */
extern void dp_decoder_expect_columns(const DpDecoder *decoder);
/* From now on draws values of an attribute's bins inside of a range, as dp_bins_restrict does. */
extern void dp_decoder_restrict(DpDecoder *decoder, int attribute, const char *low,
								const char *high, bool closed);
/* The same for bins that were found on a grid, with the coordinates that belong to the range. */
extern void dp_decoder_restrict_range(DpDecoder *decoder, int attribute, int64 first, int64 last);
/* From now on a column of target, numbered from 0, has this value, whatever the codes say; a later
 * dp_decoder_unfix takes that back for all columns. */
extern void dp_decoder_fix(DpDecoder *decoder, int column, Datum value);
extern void dp_decoder_unfix(DpDecoder *decoder);
extern bool dp_decoder_is_fixed(const DpDecoder *decoder); /* whether a column has such a value */
/* From now on values of bins that were found are as probable as one another, or as they were found. */
extern void dp_decoder_even(DpDecoder *decoder, bool even);

/* Bases of distances that are columns of an ancestor, not of target. */
extern int dp_decoder_bases_above(const DpDecoder *decoder);
extern const DpBaseColumn *dp_decoder_base_above(const DpDecoder *decoder, int base);
/* From now on rows belong to one that has this value there. It stays the caller's. */
extern void dp_decoder_give_base(DpDecoder *decoder, int base, NullableDatum value);
extern NullableDatum dp_decoder_given_base(const DpDecoder *decoder, int base);
/* What a column is the distance from, in a row of which this much is known. */
extern NullableDatum dp_decoder_base(const DpDecoder *decoder, int column, const Datum *values,
									 const bool *nulls);

/* What a column is, for rules. */
typedef struct DpDecoded
{
	int attribute; /* that decides its value; -1: the column is NULL */
	int base;      /* the attribute is the distance from this column; -1: from none */
	int base_above; /* or from this one of ancestors, whose value it has where attribute is -1; -1: none */
	bool has_bins;     /* its value is drawn inside a bin */
	bool has_fields;   /* its value is composed of several attributes; attribute is -1 */
	bool is_looked_up; /* in a dictionary, so that its values are not those of the attribute */
	Oid type;          /* as which the labels of the attribute are read */
	int32 typmod;
	/* its values by the attribute's code, where nothing else decides them; NULL: something does */
	const NullableDatum *of_code;
} DpDecoded;

extern DpDecoded dp_decoded(const DpDecoder *decoder, int column);
/* The columns in an order in which bases come first: [columns of target]. */
extern const int *dp_decoder_order(const DpDecoder *decoder);

/* One row. codes: one for each attribute of the domain. prng places values inside their bins; NULL
 * if the domain has no bins. values and nulls: one for each column of target. */
extern void dp_decode_row(const DpDecoder *decoder, const uint32 *codes, DpPrng *prng,
						  Datum *values, bool *nulls);
/* The same for one column, numbered from 0. */
extern void dp_decode_column(const DpDecoder *decoder, int column, const uint32 *codes,
							 DpPrng *prng, Datum *values, bool *nulls);
/* Whether a column can have several values for these codes, given what it is a distance from. */
extern bool dp_decoder_varies(const DpDecoder *decoder, int column, const uint32 *codes);
/* The same, with the value inside a bin uniform over a part of it, in the units of rules; false:
 * the part holds no value. */
extern bool dp_decode_column_within(const DpDecoder *decoder, int column, const uint32 *codes,
									DpInterval within, DpPrng *prng, Datum *values, bool *nulls);

#endif
