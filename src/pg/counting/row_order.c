/*
 * row_order.c -- dp_row_order: a keyed hash of a row's values, by which a release chooses which
 * rows of a unit to count (src/pg/worker/source.c).
 */
#include "pg/server/compat.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "utils/typcache.h"

#include "pg/counting/row_cache.h"

PG_FUNCTION_INFO_V1(dp_row_order);

/* Of values of any length that is hashed too, so that ('a', 'bc') and ('ab', 'c') differ. */
static void
hash_bytes_of(DpSiphash *hash, const void *bytes, size_t n)
{
	uint64 length = n;

	dp_siphash_add(hash, &length, sizeof(length));
	dp_siphash_add(hash, bytes, n);
}

static void hash_row(DpSiphash *hash, HeapTupleHeader header);

/* A toasted value has the same hash as a plain one; a row within the row has that of its values,
 * whatever number this session has given its type. */
static void
hash_value(DpSiphash *hash, Datum value, const DpStorageForm *form)
{
	if (form->type == RECORDOID)
		hash_row(hash, DatumGetHeapTupleHeader(value));
	else if (form->by_value)
		dp_siphash_add(hash, &value, sizeof(value));
	else if (form->length > 0)
		dp_siphash_add(hash, DatumGetPointer(value), form->length);
	else if (form->length == -2)
		hash_bytes_of(hash, DatumGetCString(value), strlen(DatumGetCString(value)));
	else
	{
		struct varlena *plain = PG_DETOAST_DATUM_PACKED(value);

		hash_bytes_of(hash, VARDATA_ANY(plain), VARSIZE_ANY_EXHDR(plain));
		if ((Pointer) plain != DatumGetPointer(value))
			pfree(plain);
	}
}

void
dp_row_order_add(DpSiphash *hash, const NullableDatum *value, const DpStorageForm *form)
{
	unsigned char present = !value->isnull;

	dp_siphash_add(hash, &present, 1);
	if (present)
		hash_value(hash, value->value, form);
}

static void
hash_row(DpSiphash *hash, HeapTupleHeader header)
{
	TupleDesc desc =
		lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(header), HeapTupleHeaderGetTypMod(header));
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(header), .t_data = header};
	Datum *values = palloc(sizeof(Datum) * Max(desc->natts, 1));
	bool *nulls = palloc(sizeof(bool) * Max(desc->natts, 1));

	heap_deform_tuple(&tuple, desc, values, nulls);
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(desc, i);

		dp_row_order_add(hash, &(NullableDatum){values[i], nulls[i]},
						 &(DpStorageForm){column->atttypid, column->attlen, column->attbyval});
	}
	pfree(values);
	pfree(nulls);
	ReleaseTupleDesc(desc);
}

Datum
dp_row_order(PG_FUNCTION_ARGS)
{
	bytea *key = PG_GETARG_BYTEA_PP(0);
	DpSiphash hash;

	if (VARSIZE_ANY_EXHDR(key) != DP_SIPHASH_KEY_BYTES)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the key must have %d bytes", DP_SIPHASH_KEY_BYTES)));
	dp_siphash_start(&hash, (const unsigned char *) VARDATA_ANY(key));
	hash_row(&hash, PG_GETARG_HEAPTUPLEHEADER(1));
	PG_RETURN_INT64((int64) dp_siphash_finish(&hash));
}
