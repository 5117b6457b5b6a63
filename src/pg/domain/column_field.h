/*
 * column_field.h -- what stands for a column that is modelled by several: a field of a jsonb column
 * (json_field.h), or a part of a range (range_part.h).
 *
 * Runs in any process; it sees no data.
 */
#ifndef DPSYN_COLUMN_FIELD_H
#define DPSYN_COLUMN_FIELD_H

#include "pg/server/compat.h"

#include "nodes/pg_list.h"

/* What a range is modelled by. */
typedef enum DpRangePart
{
	DP_NO_RANGE_PART = 0,
	DP_RANGE_BOUNDS, /* which ends it has */
	DP_RANGE_LOWER,  /* its lower end; the upper one, where it has no other */
	DP_RANGE_UPPER   /* the distance from the lower end to the upper one */
} DpRangePart;

typedef struct DpJsonField
{
	const char *name;   /* meta->'address'->>'floor', in the same form however it is written */
	const char *column; /* meta */
	List *keys;         /* of char *: address, floor */
	Oid type;           /* in which values are modelled */
	bool not_null;      /* the column is: where all fields are missing, it is {} */
	DpRangePart part;   /* of a range column, which has no keys; 0: it is a jsonb column */
	Oid range;          /* the type of that column; InvalidOid: not known yet */
} DpJsonField;

#endif
