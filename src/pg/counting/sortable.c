/*
 * sortable.c -- values as bytes in the order of their default B-tree operator class. The first byte
 * says whether a value is NULL.
 */
#include "pg/counting/sortable.h"

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"
#include "utils/uuid.h"

#include "pg/server/numbers.h"
#include "pg/server/values.h"

uint32
dp_sortable_bytes(Oid type)
{
	const Oid base = getBaseType(type);

	if (dp_is_integer(base) || dp_is_time(base))
		return 1 + sizeof(int64);
	return base == UUIDOID ? 1 + UUID_LEN : 0;
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
	number = (uint64) dp_value_word(value->value, type) ^ UINT64CONST(1) << 63;
	for (int i = 0; i < 8; i++)
		to[1 + i] = (unsigned char) (number >> (56 - 8 * i));
}
