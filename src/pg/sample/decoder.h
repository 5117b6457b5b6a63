/*
 * decoder.h -- columns of a row type matched with attributes, for decode.h.
 * 
 * Post-processing: runs in the caller's backend, on what was released.
 */
#ifndef DPSYN_DECODER_H
#define DPSYN_DECODER_H

#include "pg/server/compat.h"

#include "utils/jsonb.h"

#include "core/domain/domain.h"
#include "pg/domain/distance.h"

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

/* What distances are from that stands in no column of target. */
extern int dp_decoder_bases_above(const DpDecoder *decoder);
extern const DpBaseColumn *dp_decoder_base_above(const DpDecoder *decoder, int base);
/* From now on rows belong to one that has this value there. It stays the caller's. */
extern void dp_decoder_give_base(DpDecoder *decoder, int base, NullableDatum value);
extern NullableDatum dp_decoder_given_base(const DpDecoder *decoder, int base);

/* What a column is, for rules. */
typedef struct DpDecoded
{
	int attribute; /* that decides its value; -1: the column is NULL */
	int base;      /* the attribute is the distance from this column; -1: from none */
	int base_above; /* or from this one of ancestors, whose value it has where attribute is -1; -1: none */
	bool has_bins;     /* its value is drawn inside a bin */
	bool has_fields;   /* it is put together from several attributes; attribute is -1 */
	bool is_looked_up; /* in a dictionary, so that its values are not those of the attribute */
	Oid type;          /* as which the labels of the attribute are read */
	int32 typmod;
	/* its values by the attribute's code, where nothing else decides them; NULL: something does */
	const NullableDatum *of_code;
} DpDecoded;

extern DpDecoded dp_decoded(const DpDecoder *decoder, int column);
/* The columns in an order in which bases come first: [columns of target]. */
extern const int *dp_decoder_order(const DpDecoder *decoder);

#endif
