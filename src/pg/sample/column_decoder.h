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
#include "pg/domain/bounds.h"
#include "pg/domain/distance.h"
#include "pg/domain/grid.h"
#include "pg/domain/json_field.h"

/* Bins that were found on a grid. */
typedef struct RangeDecoder
{
	DpRangeSampler *sampler; /* NULL: the column has no such bins */
	DpGridCoder *coder;
	const DpRange *found;
	DpGridCells *cells; /* of values that are rounded as far as their cell allows; NULL: none are */
	int64 first, last;  /* the coordinates of the grid that are drawn */
} RangeDecoder;

/* A jsonb column that is put together from fields, or a range from its parts. */
typedef struct FieldsDecoder
{
	int n;
	struct ColumnDecoder *part; /* [n] */
	DpJsonField **field;        /* [n] */
	bool not_null;              /* it is empty where all fields are missing */
} FieldsDecoder;

typedef struct ColumnDecoder
{
	int attribute; /* domain index; -1: not modelled */
	uint32 other;  /* code of the level "other"; the number of levels if there is none */
	NullableDatum other_value;
	Datum *value;  /* [labels] of categories, or of all that bins are groups of */
	bool *missing; /* [labels]: a dictionary has no value for it; NULL: none of them */
	DpBins *bins;  /* of bins that are stated */
	RangeDecoder range;
	int base; /* a distance from this column, or its end, is drawn; -1: from none of the row */
	int base_above;   /* from this one of what is given with the row, or that end; -1: from none */
	Oid base_type;    /* of base, or its end */
	DpBaseType drawn; /* of what is drawn, never a domain */
	DpBaseType own;   /* of the column, without domains around it */
	FieldsDecoder fields;
	bool is_fixed;
	Datum fixed;
	/* where a code alone decides the value: [levels] of it; NULL: something else does, too */
	const NullableDatum *of_code;
} ColumnDecoder;

/* A column of a row that rows belong to, or an end of a range of the row itself, and its value. */
typedef struct BaseAbove
{
	DpBaseColumn column;
	DpRangePart end;     /* of the row itself */
	Oid range;           /* of which type */
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
	bool even;             /* values of a bin that was found are as probable as one another */
} DpDecoder;

/* What an attribute says, where it does not say NULL: the value, or the distance. */
static inline bool
decode_null(const ColumnDecoder *column, uint32 code, Datum *value, bool *isnull)
{
	*value = 0;
	*isnull = true;
	if (code == column->other)
	{
		*value = column->other_value.value;
		*isnull = column->other_value.isnull;
		return true;
	}
	return column->missing != NULL && column->missing[code];
}

#endif
