/*
 * sortable.c -- values as bytes in the order of their default B-tree operator class. The first byte
 * says whether a value is NULL.
 */
#include "pg/counting/sortable.h"

#include "catalog/pg_type.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

uint32
dp_sortable_bytes(Oid type)
{
	switch (getBaseType(type))
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return 1 + sizeof(int64);
		case UUIDOID:
			return 1 + UUID_LEN;
		default:
			return 0;
	}
}

static int64
number_of(Datum value, Oid type)
{
	switch (type)
	{
		case INT2OID:
			return DatumGetInt16(value);
		case INT4OID:
			return DatumGetInt32(value);
		case DATEOID:
			return DatumGetDateADT(value);
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return DatumGetTimestamp(value);
		default:
			return DatumGetInt64(value);
	}
}

void
dp_sortable_write(unsigned char *to, const NullableDatum *value, Oid type)
{
	uint64 number;

	memset(to, 0, type == UUIDOID ? 1 + UUID_LEN : 1 + sizeof(number));
	to[0] = value->isnull;
	if (value->isnull)
		return;
	if (type == UUIDOID)
	{
		memcpy(to + 1, DatumGetUUIDP(value->value)->data, UUID_LEN);
		return;
	}
	number = (uint64) number_of(value->value, type) ^ UINT64CONST(1) << 63;
	for (int i = 0; i < 8; i++)
		to[1 + i] = (unsigned char) (number >> (56 - 8 * i));
}
