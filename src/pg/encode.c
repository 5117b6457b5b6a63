/*
 * encode.c -- values of a column to codes of its domain. RELEASE WORKER ONLY:
 * what goes in is the data.
 *
 * Two values are the same level where the column's type says they are equal
 * (1.0 and 1.00, with a case-insensitive collation A and a), else where their
 * text forms are the same. A value outside the domain becomes the level for
 * the rest; nothing here can fail because of a value, except in the code of
 * the type itself.
 */
#include "scan.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

typedef enum EncoderKind
{
	ENCODE_BYTES, /* text and varchar under a deterministic collation */
	ENCODE_WORD,  /* passed by value, equal where the bits are */
	ENCODE_EQUAL, /* the type's own hash and equality */
	ENCODE_FORM,  /* text form */
	ENCODE_STEPS, /* bins of an integer-like type */
	ENCODE_ORDER  /* bins of any other ordered type */
} EncoderKind;

struct DpEncoder
{
	EncoderKind kind;
	Oid type;
	Oid collation;
	uint32 other; /* code of NULL and the rest */
	/* categories: an open-addressing hash table of codes */
	uint32 n;
	uint32 mask;
	uint32 *slot;      /* code + 1; 0 = free */
	uint32 *hash;      /* [n] */
	Datum *value;      /* [n], as the type has it; cstring for ENCODE_FORM */
	uint32 *length;    /* [n] bytes, ENCODE_BYTES */
	FmgrInfo function; /* equality, output or comparison */
	FmgrInfo hasher;
	/* bins */
	int64 *step; /* [n] edges */
};

/* ---- categories ---- */

static EncoderKind
categories_kind(Oid type, Oid collation, const TypeCacheEntry *cache)
{
	switch (type)
	{
		case BOOLOID:
		case CHAROID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case OIDOID:
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return ENCODE_WORD;
		case TEXTOID:
		case VARCHAROID:
			if (!OidIsValid(collation) || get_collation_isdeterministic(collation))
				return ENCODE_BYTES;
			break;
		default:
			if (get_typtype(type) == TYPTYPE_ENUM)
				return ENCODE_WORD;
	}
	return OidIsValid(cache->hash_proc) && OidIsValid(cache->eq_opr) ? ENCODE_EQUAL : ENCODE_FORM;
}

static uint32
value_hash(DpEncoder *encoder, Datum value)
{
	int64 word;

	switch (encoder->kind)
	{
		case ENCODE_BYTES:
			return hash_bytes((unsigned char *) VARDATA_ANY(DatumGetPointer(value)),
							  VARSIZE_ANY_EXHDR(DatumGetPointer(value)));
		case ENCODE_WORD:
			word = dp_value_word(encoder->type, value);
			return murmurhash32((uint32) word ^ murmurhash32((uint32) ((uint64) word >> 32)));
		case ENCODE_EQUAL:
			return DatumGetUInt32(FunctionCall1Coll(&encoder->hasher, encoder->collation, value));
		default:
			return hash_bytes((unsigned char *) DatumGetCString(value),
							  strlen(DatumGetCString(value)));
	}
}

static bool
value_equals(DpEncoder *encoder, uint32 code, Datum value)
{
	switch (encoder->kind)
	{
		case ENCODE_BYTES:
			return encoder->length[code] == VARSIZE_ANY_EXHDR(DatumGetPointer(value)) &&
				   memcmp(VARDATA_ANY(DatumGetPointer(encoder->value[code])),
						  VARDATA_ANY(DatumGetPointer(value)), encoder->length[code]) == 0;
		case ENCODE_WORD:
			return dp_value_word(encoder->type, encoder->value[code]) ==
				   dp_value_word(encoder->type, value);
		case ENCODE_EQUAL:
			return DatumGetBool(FunctionCall2Coll(&encoder->function, encoder->collation,
												  encoder->value[code], value));
		default:
			return strcmp(DatumGetCString(encoder->value[code]), DatumGetCString(value)) == 0;
	}
}

/* The slot of a value, or the free one where it would be. */
static uint32 *
slot_find(DpEncoder *encoder, Datum value, uint32 hash)
{
	for (uint32 i = hash & encoder->mask;; i = (i + 1) & encoder->mask)
	{
		uint32 *slot = &encoder->slot[i];

		if (*slot == 0 ||
			(encoder->hash[*slot - 1] == hash && value_equals(encoder, *slot - 1, value)))
			return slot;
	}
}

static void
category_add(DpEncoder *encoder, Datum value, uint32 code)
{
	uint32 hash = value_hash(encoder, value);
	uint32 *slot = slot_find(encoder, value, hash);

	encoder->hash[code] = hash;
	encoder->value[code] = value;
	if (encoder->kind == ENCODE_BYTES)
		encoder->length[code] = VARSIZE_ANY_EXHDR(DatumGetPointer(value));
	if (*slot == 0) /* of two labels that the type calls equal the first counts */
		*slot = code + 1;
}

static void
categories_prepare(DpEncoder *encoder, const DpAttribute *attribute, const DpColumn *column)
{
	TypeCacheEntry *cache =
		lookup_type_cache(encoder->type, TYPECACHE_HASH_PROC_FINFO | TYPECACHE_EQ_OPR_FINFO);
	uint32 slots = 16;

	encoder->kind = categories_kind(encoder->type, encoder->collation, cache);
	if (encoder->kind == ENCODE_EQUAL)
	{
		fmgr_info_copy(&encoder->function, &cache->eq_opr_finfo, CurrentMemoryContext);
		fmgr_info_copy(&encoder->hasher, &cache->hash_proc_finfo, CurrentMemoryContext);
	}
	else if (encoder->kind == ENCODE_FORM)
	{
		Oid function;
		bool varlena;

		getTypeOutputInfo(encoder->type, &function, &varlena);
		fmgr_info(function, &encoder->function);
	}
	encoder->n = attribute->labels_n;
	while (slots < 2 * encoder->n)
		slots *= 2;
	encoder->mask = slots - 1;
	encoder->slot = palloc_extended(sizeof(uint32) * slots, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	encoder->hash = palloc_extended(sizeof(uint32) * (encoder->n + 1), MCXT_ALLOC_HUGE);
	encoder->length = palloc_extended(sizeof(uint32) * (encoder->n + 1), MCXT_ALLOC_HUGE);
	encoder->value = palloc_extended(sizeof(Datum) * (encoder->n + 1), MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < encoder->n; i++)
		category_add(encoder,
					 encoder->kind == ENCODE_FORM
						 ? CStringGetDatum(attribute->labels[i])
						 : dp_value_in(attribute->labels[i], encoder->type, column->typmod),
					 i);
}

static uint32
encode_category(DpEncoder *encoder, Datum value)
{
	uint32 *slot;

	if (encoder->kind == ENCODE_BYTES)
		value = PointerGetDatum(PG_DETOAST_DATUM_PACKED(value));
	else if (encoder->kind == ENCODE_FORM)
		value = CStringGetDatum(OutputFunctionCall(&encoder->function, value));
	slot = slot_find(encoder, value, value_hash(encoder, value));
	return *slot ? *slot - 1 : encoder->other;
}

/* ---- bins ---- */

static void
bins_prepare(DpEncoder *encoder, const DpAttribute *attribute, const DpColumn *column)
{
	bool steps =
		encoder->type != FLOAT4OID && encoder->type != FLOAT8OID && encoder->type != NUMERICOID;
	TypeCacheEntry *cache = lookup_type_cache(encoder->type, TYPECACHE_CMP_PROC_FINFO);

	encoder->kind = steps ? ENCODE_STEPS : ENCODE_ORDER;
	encoder->n = attribute->labels_n;
	encoder->step = palloc(sizeof(int64) * encoder->n);
	encoder->value = palloc(sizeof(Datum) * encoder->n);
	fmgr_info_copy(&encoder->function, &cache->cmp_proc_finfo, CurrentMemoryContext);
	for (uint32 i = 0; i < encoder->n; i++)
	{
		encoder->value[i] = dp_value_in(attribute->labels[i], encoder->type, column->typmod);
		if (steps)
			encoder->step[i] = dp_value_word(encoder->type, encoder->value[i]);
	}
}

/* Whether edge i is at or below the value. */
static inline bool
edge_reached(DpEncoder *encoder, uint32 i, Datum value, int64 step)
{
	if (encoder->kind == ENCODE_STEPS)
		return encoder->step[i] <= step;
	return DatumGetInt32(FunctionCall2Coll(&encoder->function, encoder->collation,
										   encoder->value[i], value)) <= 0;
}

/* The bin [edge i, edge i+1) that holds the value; the last one is closed, values outside are clamped. */
static uint32
encode_bin(DpEncoder *encoder, Datum value)
{
	int64 step = encoder->kind == ENCODE_STEPS ? dp_value_word(encoder->type, value) : 0;
	uint32 low = 0;               /* the bin is in low .. */
	uint32 high = encoder->n - 2; /* .. high */

	while (low < high)
	{
		uint32 middle = low + (high - low + 1) / 2;

		if (edge_reached(encoder, middle, value, step))
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* ---- both ---- */

DpEncoder *
dp_encoder_create(const DpAttribute *attribute, const DpColumn *column)
{
	DpEncoder *encoder = palloc0(sizeof(DpEncoder));

	encoder->type = getBaseType(column->type);
	encoder->collation = column->collation;
	/* without a level for the rest nothing else can occur; should it, it counts as the first level */
	encoder->other = attribute->has_other ? attribute->levels - 1 : 0;
	if (attribute->kind == DP_BINS)
		bins_prepare(encoder, attribute, column);
	else
		categories_prepare(encoder, attribute, column);
	return encoder;
}

uint32
dp_encode(DpEncoder *encoder, Datum value, bool isnull)
{
	if (isnull)
		return encoder->other;
	if (encoder->kind == ENCODE_STEPS || encoder->kind == ENCODE_ORDER)
		return encode_bin(encoder, value);
	return encode_category(encoder, value);
}
