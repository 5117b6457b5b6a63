/*
 * encode_categories.c -- values to the numbers of categories: by a table of integers, by a hash of
 * short texts without collisions, or by the type's own hash and equality.
 */
#include "pg/counting/encoder.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "pg/server/values.h"

#define PERFECT_MAX 4096  /* categories for which a hash without collisions is sought */
#define PERFECT_TRIES 100 /* seeds tried for each size of the table */
#define SEED_FIRST UINT64CONST(0x9e3779b97f4a7c15)

/* ---- texts ---- */

static inline Bytes
bytes_of_varlena(const DpEncoder *encoder, Datum value)
{
	const char *at = VARDATA_ANY(DatumGetPointer(value));
	uint32 length = VARSIZE_ANY_EXHDR(DatumGetPointer(value));

	while (encoder->hash.blanks && length > 0 && at[length - 1] == ' ')
		length--;
	return bytes_of(at, length);
}

/* For texts that encode_bytes does not find: long, toasted or unlisted ones, and collisions. */
uint32
dp_encode_text(const DpEncoder *encoder, Datum value)
{
	Bytes bytes;

	value = PointerGetDatum(PG_DETOAST_DATUM_PACKED(value));
	bytes = bytes_of_varlena(encoder, value);
	for (uint32 i = bytes_hash(&bytes, encoder->hash.seed) & encoder->hash.mask;;
		 i = (i + 1) & encoder->hash.mask)
	{
		uint32 slot = encoder->hash.slot[i];

		if (slot == 0)
			return encoder->other;
		if (bytes_equal(&encoder->hash.bytes[slot - 1], &bytes))
			return slot - 1;
		if (encoder->hash.perfect)
			return encoder->other;
	}
}

/* ---- any type ---- */

static inline uint32
word_hash(int64 word)
{
	return (uint32) (((uint64) word * UINT64CONST(0x9e3779b97f4a7c15)) >> 32);
}

static uint32
value_hash(DpEncoder *encoder, Datum value)
{
	Bytes bytes;

	switch (encoder->kind)
	{
		case ENCODE_BYTES:
			bytes = bytes_of_varlena(encoder, value);
			return bytes_hash(&bytes, encoder->hash.seed);
		case ENCODE_WORD:
			return word_hash(word_of(encoder, value));
		case ENCODE_EQUAL:
			return DatumGetUInt32(
				FunctionCall1Coll(&encoder->type.hasher, encoder->type.collation, value));
		default:
			return hash_bytes((unsigned char *) DatumGetCString(value),
							  (int) strlen(DatumGetCString(value)));
	}
}

static bool
value_equals(DpEncoder *encoder, uint32 code, Datum value)
{
	Bytes bytes;

	switch (encoder->kind)
	{
		case ENCODE_BYTES:
			bytes = bytes_of_varlena(encoder, value);
			return bytes_equal(&encoder->hash.bytes[code], &bytes);
		case ENCODE_WORD:
			return word_of(encoder, encoder->value[code]) == word_of(encoder, value);
		case ENCODE_EQUAL:
			return DatumGetBool(FunctionCall2Coll(&encoder->type.function, encoder->type.collation,
												  encoder->value[code], value));
		default:
			return strcmp(DatumGetCString(encoder->value[code]), DatumGetCString(value)) == 0;
	}
}

/* The slot of a value, or the free one where it would be. */
static uint32 *
slot_find(DpEncoder *encoder, Datum value, uint32 hash)
{
	for (uint32 i = hash & encoder->hash.mask;; i = (i + 1) & encoder->hash.mask)
	{
		uint32 *slot = &encoder->hash.slot[i];

		if (*slot == 0 ||
			(encoder->hash.number[*slot - 1] == hash && value_equals(encoder, *slot - 1, value)))
			return slot;
	}
}

static void
category_add(DpEncoder *encoder, uint32 code)
{
	Datum value = encoder->value[code];
	uint32 hash = value_hash(encoder, value);
	uint32 *slot = slot_find(encoder, value, hash);

	encoder->hash.number[code] = hash;
	if (encoder->kind == ENCODE_BYTES)
		encoder->hash.bytes[code] = bytes_of_varlena(encoder, value);
	if (*slot == 0) /* if the type calls two labels equal, the first one counts */
		*slot = code + 1;
}

uint32
dp_encode_category(DpEncoder *encoder, Datum value)
{
	uint32 *slot;

	if (encoder->kind == ENCODE_FORM)
		value = CStringGetDatum(OutputFunctionCall(&encoder->type.function, value));
	slot = slot_find(encoder, value, value_hash(encoder, value));
	return *slot ? *slot - 1 : encoder->other;
}

static EncoderKind
categories_kind(const DpEncoder *encoder, const TypeCacheEntry *cache)
{
	bool bytes = !OidIsValid(encoder->type.collation) ||
				 get_collation_isdeterministic(encoder->type.collation);

	if (bytes && (encoder->type.id == TEXTOID || encoder->type.id == VARCHAROID ||
				  encoder->type.id == BPCHAROID))
		return ENCODE_BYTES;
	if (dp_encoder_word_shift(encoder->type.id) >= 0)
		return ENCODE_WORD;
	return OidIsValid(cache->hash_proc) && OidIsValid(cache->eq_opr) ? ENCODE_EQUAL : ENCODE_FORM;
}

/* Whether with this seed and size no two categories want the same slot. slot: scratch memory. */
static bool
seed_is_perfect(const DpEncoder *encoder, uint64 seed, uint32 mask, uint32 *slot)
{
	bool perfect = true;

	memset(slot, 0, sizeof(uint32) * ((Size) mask + 1));
	for (uint32 i = 0; i < encoder->n && perfect; i++)
	{
		Bytes bytes = bytes_of_varlena(encoder, encoder->value[i]);
		uint32 *wanted = &slot[bytes_hash(&bytes, seed) & mask];

		if (*wanted != 0)
		{
			Bytes there = bytes_of_varlena(encoder, encoder->value[*wanted - 1]);

			perfect = bytes_equal(&bytes, &there);
		}
		*wanted = i + 1;
	}
	return perfect;
}

/*
 * Looks for a hash without collisions, in a table of 2 to 16 slots a category. A probe that must go
 * on is a branch that the processor cannot predict; it costs more than the rest of encoding a
 * value.
 */
static void
seek_perfect_seed(DpEncoder *encoder, uint32 slots)
{
	uint32 *slot = palloc(sizeof(uint32) * slots * 8);
	EncoderHash *hash = &encoder->hash;

	for (uint32 mask = slots - 1; mask < slots * 8 && !hash->perfect; mask = mask * 2 + 1)
	{
		uint64 seed = SEED_FIRST;

		for (int i = 0; i < PERFECT_TRIES && !hash->perfect; i++)
		{
			hash->perfect = seed_is_perfect(encoder, seed, mask, slot);
			if (hash->perfect)
			{
				hash->seed = seed;
				hash->mask = mask;
			}
			seed = seed * UINT64CONST(0xd1342543de82ef95) + 2; /* odd stays odd */
		}
	}
	pfree(slot);
}

static void
quick_fill(EncoderHash *hash)
{
	Size slots = (Size) hash->mask + 1;

	hash->quick = palloc_extended(sizeof(ShortSlot) * slots, MCXT_ALLOC_HUGE);
	for (Size i = 0; i < slots; i++)
	{
		const Bytes *bytes = hash->slot[i] == 0 ? NULL : &hash->bytes[hash->slot[i] - 1];

		hash->quick[i] = (ShortSlot){.length = PG_UINT32_MAX};
		if (bytes != NULL && bytes->length <= 16)
			hash->quick[i] =
				(ShortSlot){bytes->first, bytes->last, bytes->length, hash->slot[i] - 1};
	}
}

static void
categories_hash(DpEncoder *encoder)
{
	EncoderHash *hash = &encoder->hash;
	uint32 slots = 16;

	while (slots < 2 * encoder->n)
		slots *= 2;
	hash->mask = slots - 1;
	hash->seed = SEED_FIRST;
	if (encoder->kind == ENCODE_BYTES && encoder->n <= PERFECT_MAX)
		seek_perfect_seed(encoder, slots);
	hash->slot = palloc_extended(sizeof(uint32) * ((Size) hash->mask + 1),
								 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	hash->number = palloc_extended(sizeof(uint32) * (encoder->n + 1), MCXT_ALLOC_HUGE);
	if (encoder->kind == ENCODE_BYTES)
		hash->bytes = palloc_extended(sizeof(Bytes) * (encoder->n + 1), MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < encoder->n; i++)
		category_add(encoder, i);
	if (encoder->kind == ENCODE_BYTES)
		quick_fill(hash);
}

/* false: the categories are too far apart for a table. */
static bool
categories_table(DpEncoder *encoder)
{
	int64 low = PG_INT64_MAX;
	int64 high = PG_INT64_MIN;

	for (uint32 i = 0; i < encoder->n; i++)
	{
		low = Min(low, word_of(encoder, encoder->value[i]));
		high = Max(high, word_of(encoder, encoder->value[i]));
	}
	if (encoder->n == 0 || !dp_encoder_table_begin(encoder, low, high, encoder->n))
		return false;
	for (uint64 i = 0; i <= encoder->table.span; i++)
		encoder->table.code[i] = encoder->other;
	for (uint32 i = encoder->n; i-- > 0;)
		encoder->table.code[(uint64) word_of(encoder, encoder->value[i]) - (uint64) low] = i;
	encoder->table.below = encoder->table.above = encoder->other;
	return true;
}

void
dp_encoder_of_categories(DpEncoder *encoder, const char **labels)
{
	TypeCacheEntry *cache =
		lookup_type_cache(encoder->type.id, TYPECACHE_HASH_PROC_FINFO | TYPECACHE_EQ_OPR_FINFO);

	encoder->kind = categories_kind(encoder, cache);
	encoder->hash.blanks = encoder->type.id == BPCHAROID;
	if (encoder->kind == ENCODE_EQUAL)
	{
		fmgr_info_copy(&encoder->type.function, &cache->eq_opr_finfo, CurrentMemoryContext);
		fmgr_info_copy(&encoder->type.hasher, &cache->hash_proc_finfo, CurrentMemoryContext);
	}
	else if (encoder->kind == ENCODE_FORM)
	{
		Oid function;
		bool varlena;

		getTypeOutputInfo(encoder->type.id, &function, &varlena);
		fmgr_info(function, &encoder->type.function);
	}
	for (uint32 i = 0; i < encoder->n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		encoder->value[i] = encoder->kind == ENCODE_FORM
								? CStringGetDatum(pstrdup(labels[i]))
								: dp_value_in(labels[i], encoder->type.id, -1);
	}
	if (encoder->kind != ENCODE_WORD || !categories_table(encoder))
		categories_hash(encoder);
}
