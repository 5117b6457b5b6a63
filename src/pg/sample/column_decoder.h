/*
 * column_decoder.h -- what a decoder is made of: for the files that make and use one.
 *
 * Post-processing: runs in the caller's backend, on what was released.
 */
#ifndef DPSYN_COLUMN_DECODER_H
#define DPSYN_COLUMN_DECODER_H

#include "pg/server/compat.h"

#include "core/sample/range_sampler.h"
#include "pg/domain/bins.h"
#include "pg/domain/distance.h"
#include "pg/domain/grid.h"
#include "pg/domain/json_field.h"

typedef struct ColumnDecoder
{
	int attribute; /* domain index; -1: not modelled */
	uint32 other;  /* code of the level "other"; the number of levels if there is none */
	bool other_isnull;
	Datum other_value;
	Datum *value;          /* [labels] of categories, or of all that bins are groups of */
	bool *missing;         /* [labels]: a dictionary has no value for it; NULL: none of them */
	DpBins *bins;          /* of bins that are stated */
	DpRangeSampler *range; /* of bins that were found on a grid */
	DpGridCoder *coder;
	const DpRange *found; /* of range */
	DpGridCells *cells; /* of values that are rounded as far as their cell allows; NULL: none are */
	int64 first, last;  /* the coordinates of the grid that are drawn */
	int base;           /* a distance from this column is drawn; -1: from none of the row */
	int base_above;     /* or from this one of what is given with the row; -1: from none */
	Oid type;           /* of what is drawn, never a domain */
	int32 typmod;
	Oid own_type; /* of the column, without domains around it */
	int32 own_typmod;
	/* a jsonb column that is put together from fields, or a range from its parts */
	int fields;
	struct ColumnDecoder *part; /* [fields] */
	DpJsonField **field;        /* [fields] */
	bool not_null;              /* it is empty where all fields are missing */
	bool is_fixed;
	Datum fixed;
	/* where a code alone decides the value: [levels] of it; NULL: something else does, too */
	const NullableDatum *of_code;
} ColumnDecoder;

/* A column of a row that rows belong to, and its value. */
typedef struct BaseAbove
{
	DpBaseColumn column;
	NullableDatum value; /* of the rows that are decoded now; NULL until it is given */
} BaseAbove;

typedef struct DpDecoder
{
	int columns;
	ColumnDecoder *column;
	int *order; /* [columns] bases before distances from them */
	int bases_above;
	BaseAbove *base_above; /* [columns] of which so many are filled */
	bool is_fixed;         /* whether a column is */
	bool any;              /* whether the release has a column */
} DpDecoder;

/* What an attribute says, where it does not say NULL: the value, or the distance. */
static inline bool
decode_null(const ColumnDecoder *column, uint32 code, Datum *value, bool *isnull)
{
	*value = 0;
	*isnull = true;
	if (code == column->other)
	{
		*value = column->other_value;
		*isnull = column->other_isnull;
		return true;
	}
	return column->missing != NULL && column->missing[code];
}

#endif
