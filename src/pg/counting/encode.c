/*
 * encode.c -- values of a column to codes of its domain. Exact data goes in; nothing here draws
 * noise.
 *
 * Two values are the same level if the column's type calls them equal (1.0 and 1.00; A and a under
 * a case-insensitive collation), or, for a type without equality, if their text forms are the same.
 * A value outside the domain gets the code that dp_code_outside says, mostly that of the level for
 * the rest. Nothing here fails because of a value, except the code of the type itself.
 *
 * This runs for each value, so the common cases are short: a small range of integers is a lookup
 * table, a text of up to 16 bytes is compared as two words and its length.
 */
#include "pg/counting/encode.h"

#include "catalog/namespace.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/typcache.h"

#include "pg/domain/grid.h"
#include "pg/server/values.h"

typedef enum EncoderKind
{
	ENCODE_TABLE, /* integer-like, of a small range: categories or bins */
	ENCODE_PLACE, /* integers, each of which is a finest cell of a range */
	ENCODE_BYTES, /* text, varchar and char under a deterministic collation */
	ENCODE_WORD,  /* integer-like categories */
	ENCODE_EQUAL, /* the type's own hash and equality */
	ENCODE_FORM,  /* text form */
	ENCODE_CELLS, /* the finest public cells of a range */
	ENCODE_RANGE, /* the bins of a range */
	ENCODE_STEPS, /* bins of an integer-like type */
	ENCODE_ORDER  /* bins of any other ordered type */
} EncoderKind;

#define PERFECT_MAX 4096  /* categories for which a hash without collisions is sought */
#define PERFECT_TRIES 100 /* seeds tried for each size of the table */
#define SEED_FIRST UINT64CONST(0x9e3779b97f4a7c15)
#define TABLE_SPAN_MAX 65536 /* integers that a table covers whatever the number of levels */

/* A text as words: up to 16 bytes of it are all in (first, last, length). */
typedef struct Bytes
{
	uint64 first; /* the first 8 bytes, or all of a shorter text */
	uint64 last;  /* the last 8 bytes */
	uint32 length;
	const char *at;
} Bytes;

/* A category of up to 16 bytes in the slot of its hash, so that one comparison finds it. */
typedef struct ShortSlot
{
	uint64 first;
	uint64 last;
	uint32 length; /* UINT32_MAX: free */
	uint32 code;
} ShortSlot;

struct DpEncoder
{
	EncoderKind kind;
	uint8 shift;  /* 64 - bits of an integer-like value */
	bool blanks;  /* ENCODE_BYTES: trailing blanks do not count */
	bool as_text; /* values arrive as text */
	uint32 other; /* code of NULL and the rest: dp_code_outside */
	/* ENCODE_TABLE, ENCODE_PLACE */
	int64 low;
	uint64 span;   /* low + span is the last one */
	uint32 below;  /* code of what is below low */
	uint32 above;  /* of what is above the last one */
	uint32 *table; /* [span + 1] */
	/* categories: an open-addressing hash table of codes */
	uint32 n;
	uint32 mask;
	uint32 *slot;     /* code + 1; 0 = free */
	uint64 seed;      /* ENCODE_BYTES: of the hash */
	bool perfect;     /* ENCODE_BYTES: no two categories want the same slot */
	ShortSlot *quick; /* ENCODE_BYTES: [mask + 1] */
	uint32 *hash;     /* [n] */
	Bytes *bytes;     /* [n], ENCODE_BYTES */
	Datum *value;     /* [n], as the type has it; cstring for ENCODE_FORM */
	/* bins */
	int64 *step; /* [n] edges */
	/* ranges */
	const DpGridCoder *coder;
	const DpRange *range;
	DpGridCells cells;
	uint32 *map;  /* [n + 1] of listed categories: the level of each, and of the rest; NULL: none */
	bool missing; /* values without a coordinate have the level of NULL */
	/* functions of the type */
	Oid type;
	Oid collation;
	Oid input_parameter;
	FmgrInfo function; /* equality, output or comparison */
	FmgrInfo hasher;
	FmgrInfo input;
};

/* ---- integer-like values ---- */

/* 64 - bits; -1 if the type is not integer-like: passed by value, equal where the bits are. */
static int
word_shift(Oid type)
{
	switch (type)
	{
		case BOOLOID:
		case CHAROID:
			return 56;
		case INT2OID:
			return 48;
		case INT4OID:
		case DATEOID:
			return 32;
		case INT8OID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return 0;
		default:
			return get_typtype(type) == TYPTYPE_ENUM ? 32 : -1;
	}
}

/* The value as a signed integer. (An OID above 2^31 comes out negative: equal ones stay equal.) */
static inline int64
word_of(const DpEncoder *encoder, Datum value)
{
	return (int64) ((uint64) value << encoder->shift) >> encoder->shift;
}

static inline uint32
word_hash(int64 word)
{
	return (uint32) (((uint64) word * UINT64CONST(0x9e3779b97f4a7c15)) >> 32);
}

static inline uint32
encode_table(const DpEncoder *encoder, Datum value)
{
	int64 word = word_of(encoder, value);
	uint64 place = (uint64) word - (uint64) encoder->low;

	if (likely(place <= encoder->span))
		return encoder->table[place];
	return word < encoder->low ? encoder->below : encoder->above;
}

/* A table of a million integers would not stay in a cache, and this one holds 0, 1, 2 ... */
static inline uint32
encode_place(const DpEncoder *encoder, Datum value)
{
	int64 word = word_of(encoder, value);
	uint64 place = (uint64) word - (uint64) encoder->low;

	if (likely(place <= encoder->span))
		return (uint32) place;
	return word < encoder->low ? 0 : (uint32) encoder->span;
}

/* Whether low .. high is worth a table for n levels; then allocates it. */
static bool
table_begin(DpEncoder *encoder, int64 low, int64 high, uint32 n)
{
	uint64 span = (uint64) high - (uint64) low;

	if (span >= TABLE_SPAN_MAX && span / 8 >= n)
		return false;
	encoder->kind = ENCODE_TABLE;
	encoder->low = low;
	encoder->span = span;
	encoder->table = palloc_extended(sizeof(uint32) * (span + 1), MCXT_ALLOC_HUGE);
	return true;
}

/* ---- short texts ---- */

static inline uint64
load_8(const char *at)
{
	uint64 word;

	memcpy(&word, at, 8);
	return word;
}

static inline uint32
load_4(const char *at)
{
	uint32 word;

	memcpy(&word, at, 4);
	return word;
}

/* The loads overlap, so that there is no loop, and stay within the text. */
static inline Bytes
bytes_of(const char *at, uint32 length)
{
	Bytes bytes = {.length = length, .at = at};

	if (length >= 8)
	{
		bytes.first = load_8(at);
		bytes.last = load_8(at + length - 8);
	}
	else if (length >= 4)
		bytes.first = load_4(at) | (uint64) load_4(at + length - 4) << 32;
	else if (length > 0)
		bytes.first = (unsigned char) at[0] | (unsigned char) at[length / 2] << 8 |
					  (unsigned char) at[length - 1] << 16;
	return bytes;
}

static inline uint32
bytes_hash(const Bytes *bytes, uint64 seed)
{
	uint64 hash = (bytes->first ^ bytes->length) * seed;

	/* texts differ most in their last byte, the highest one of a word, and a product carries only
	 * upwards: so the halves of that word are swapped first */
	hash ^= hash >> 32;
	hash ^= bytes->last >> 32 | bytes->last << 32;
	hash *= UINT64CONST(0xd6e8feb86659fd93);
	if (unlikely(bytes->length > 16))
		hash ^= (uint64) hash_bytes((const unsigned char *) bytes->at, (int) bytes->length) << 32;
	return (uint32) (hash >> 32);
}

static inline bool
bytes_equal(const Bytes *a, const Bytes *b)
{
	return a->first == b->first && a->last == b->last && a->length == b->length &&
		   (a->length <= 16 || memcmp(a->at + 8, b->at + 8, a->length - 16) == 0);
}

static inline Bytes
bytes_of_varlena(const DpEncoder *encoder, Datum value)
{
	const char *at = VARDATA_ANY(DatumGetPointer(value));
	uint32 length = VARSIZE_ANY_EXHDR(DatumGetPointer(value));

	while (encoder->blanks && length > 0 && at[length - 1] == ' ')
		length--;
	return bytes_of(at, length);
}

/* For texts that encode_bytes does not find: long, toasted or unlisted ones, and collisions. */
static pg_noinline uint32
encode_bytes_slowly(const DpEncoder *encoder, Datum value)
{
	Bytes bytes;

	value = PointerGetDatum(PG_DETOAST_DATUM_PACKED(value));
	bytes = bytes_of_varlena(encoder, value);
	for (uint32 i = bytes_hash(&bytes, encoder->seed) & encoder->mask;; i = (i + 1) & encoder->mask)
	{
		uint32 slot = encoder->slot[i];

		if (slot == 0)
			return encoder->other;
		if (bytes_equal(&encoder->bytes[slot - 1], &bytes))
			return slot - 1;
		if (encoder->perfect)
			return encoder->other;
	}
}

/* A text with a one-byte header, as nearly all short ones in a tuple have. */
static inline uint32
encode_bytes(const DpEncoder *encoder, Datum value)
{
	const char *at = (const char *) DatumGetPointer(value);
	/*
	 * a pointer to a toasted text has such a header too; its length wraps round to a large number
	 */
	uint32 length = (uint32) VARSIZE_SHORT(at) - (uint32) VARHDRSZ_SHORT;
	const ShortSlot *slot;
	Bytes bytes;

	if (unlikely(!VARATT_IS_SHORT(at) || length > 16))
		return encode_bytes_slowly(encoder, value);
	bytes = bytes_of(at + VARHDRSZ_SHORT, length);
	slot = &encoder->quick[bytes_hash(&bytes, encoder->seed) & encoder->mask];
	if (likely(slot->first == bytes.first && slot->last == bytes.last &&
			   slot->length == bytes.length))
		return slot->code;
	return encode_bytes_slowly(encoder, value);
}

/* ---- categories of any type ---- */

static uint32
value_hash(DpEncoder *encoder, Datum value)
{
	Bytes bytes;

	switch (encoder->kind)
	{
		case ENCODE_BYTES:
			bytes = bytes_of_varlena(encoder, value);
			return bytes_hash(&bytes, encoder->seed);
		case ENCODE_WORD:
			return word_hash(word_of(encoder, value));
		case ENCODE_EQUAL:
			return DatumGetUInt32(FunctionCall1Coll(&encoder->hasher, encoder->collation, value));
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
			return bytes_equal(&encoder->bytes[code], &bytes);
		case ENCODE_WORD:
			return word_of(encoder, encoder->value[code]) == word_of(encoder, value);
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
category_add(DpEncoder *encoder, uint32 code)
{
	Datum value = encoder->value[code];
	uint32 hash = value_hash(encoder, value);
	uint32 *slot = slot_find(encoder, value, hash);

	encoder->hash[code] = hash;
	if (encoder->kind == ENCODE_BYTES)
		encoder->bytes[code] = bytes_of_varlena(encoder, value);
	if (*slot == 0) /* if the type calls two labels equal, the first one counts */
		*slot = code + 1;
}

static uint32
encode_category(DpEncoder *encoder, Datum value)
{
	uint32 *slot;

	if (encoder->kind == ENCODE_FORM)
		value = CStringGetDatum(OutputFunctionCall(&encoder->function, value));
	slot = slot_find(encoder, value, value_hash(encoder, value));
	return *slot ? *slot - 1 : encoder->other;
}

static EncoderKind
categories_kind(const DpEncoder *encoder, const TypeCacheEntry *cache)
{
	bool bytes =
		!OidIsValid(encoder->collation) || get_collation_isdeterministic(encoder->collation);

	if (bytes &&
		(encoder->type == TEXTOID || encoder->type == VARCHAROID || encoder->type == BPCHAROID))
		return ENCODE_BYTES;
	if (word_shift(encoder->type) >= 0)
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

	for (uint32 mask = slots - 1; mask < slots * 8 && !encoder->perfect; mask = mask * 2 + 1)
	{
		uint64 seed = SEED_FIRST;

		for (int i = 0; i < PERFECT_TRIES && !encoder->perfect; i++)
		{
			encoder->perfect = seed_is_perfect(encoder, seed, mask, slot);
			if (encoder->perfect)
			{
				encoder->seed = seed;
				encoder->mask = mask;
			}
			seed = seed * UINT64CONST(0xd1342543de82ef95) + 2; /* odd stays odd */
		}
	}
	pfree(slot);
}

static void
quick_fill(DpEncoder *encoder)
{
	Size slots = (Size) encoder->mask + 1;

	encoder->quick = palloc_extended(sizeof(ShortSlot) * slots, MCXT_ALLOC_HUGE);
	for (Size i = 0; i < slots; i++)
	{
		const Bytes *bytes = encoder->slot[i] == 0 ? NULL : &encoder->bytes[encoder->slot[i] - 1];

		encoder->quick[i] = (ShortSlot){.length = PG_UINT32_MAX};
		if (bytes != NULL && bytes->length <= 16)
			encoder->quick[i] =
				(ShortSlot){bytes->first, bytes->last, bytes->length, encoder->slot[i] - 1};
	}
}

static void
categories_hash(DpEncoder *encoder)
{
	uint32 slots = 16;

	while (slots < 2 * encoder->n)
		slots *= 2;
	encoder->mask = slots - 1;
	encoder->seed = SEED_FIRST;
	if (encoder->kind == ENCODE_BYTES && encoder->n <= PERFECT_MAX)
		seek_perfect_seed(encoder, slots);
	encoder->slot = palloc_extended(sizeof(uint32) * ((Size) encoder->mask + 1),
									MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	encoder->hash = palloc_extended(sizeof(uint32) * (encoder->n + 1), MCXT_ALLOC_HUGE);
	if (encoder->kind == ENCODE_BYTES)
		encoder->bytes = palloc_extended(sizeof(Bytes) * (encoder->n + 1), MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < encoder->n; i++)
		category_add(encoder, i);
	if (encoder->kind == ENCODE_BYTES)
		quick_fill(encoder);
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
	if (encoder->n == 0 || !table_begin(encoder, low, high, encoder->n))
		return false;
	for (uint64 i = 0; i <= encoder->span; i++)
		encoder->table[i] = encoder->other;
	for (uint32 i = encoder->n; i-- > 0;)
		encoder->table[(uint64) word_of(encoder, encoder->value[i]) - (uint64) low] = i;
	encoder->below = encoder->above = encoder->other;
	return true;
}

static void
categories_prepare(DpEncoder *encoder, const char **labels)
{
	TypeCacheEntry *cache =
		lookup_type_cache(encoder->type, TYPECACHE_HASH_PROC_FINFO | TYPECACHE_EQ_OPR_FINFO);

	encoder->kind = categories_kind(encoder, cache);
	encoder->blanks = encoder->type == BPCHAROID;
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
	for (uint32 i = 0; i < encoder->n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		encoder->value[i] = encoder->kind == ENCODE_FORM
								? CStringGetDatum(pstrdup(labels[i]))
								: dp_value_in(labels[i], encoder->type, -1);
	}
	if (encoder->kind != ENCODE_WORD || !categories_table(encoder))
		categories_hash(encoder);
}

/* ---- bins ---- */

/* Whether edge i is at or below the value. */
static inline bool
edge_reached(DpEncoder *encoder, uint32 i, Datum value, int64 step)
{
	if (encoder->step != NULL)
		return encoder->step[i] <= step;
	return DatumGetInt32(FunctionCall2Coll(&encoder->function, encoder->collation,
										   encoder->value[i], value)) <= 0;
}

/* The bin [edge i, edge i+1) that holds the value. The last one is closed; values outside are
 * clamped. */
static uint32
find_bin(DpEncoder *encoder, Datum value, int64 step)
{
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

static void
bins_table(DpEncoder *encoder)
{
	uint32 last = encoder->n - 2;

	if (!table_begin(encoder, encoder->step[0], encoder->step[last + 1], encoder->n))
		return;
	for (uint64 i = 0; i <= encoder->span; i++)
		encoder->table[i] = find_bin(encoder, 0, encoder->low + (int64) i);
	encoder->below = 0;
	encoder->above = last;
}

static void
bins_prepare(DpEncoder *encoder, const DpAttribute *attribute)
{
	TypeCacheEntry *cache = lookup_type_cache(encoder->type, TYPECACHE_CMP_PROC_FINFO);

	/* others have no order, or, as enums, another one than that of their bits */
	if (!OidIsValid(cache->cmp_proc) || !dp_type_has_bins(encoder->type))
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("attribute \"%s\" has bins, which type %s cannot have",
							   attribute->name, format_type_be(encoder->type))));
	encoder->kind = ENCODE_ORDER;
	fmgr_info_copy(&encoder->function, &cache->cmp_proc_finfo, CurrentMemoryContext);
	for (uint32 i = 0; i < encoder->n; i++)
		encoder->value[i] = dp_value_in(attribute->labels[i], encoder->type, -1);
	if (word_shift(encoder->type) < 0)
		return;
	encoder->kind = ENCODE_STEPS;
	encoder->step = palloc_extended(sizeof(int64) * encoder->n, MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < encoder->n; i++)
		encoder->step[i] = word_of(encoder, encoder->value[i]);
	bins_table(encoder);
}

/* ---- ranges ---- */

static inline uint32
encode_coordinate(const DpEncoder *encoder, int64 coordinate)
{
	if (encoder->kind == ENCODE_CELLS)
		return dp_grid_cell(&encoder->cells, coordinate);
	return dp_range_bin(encoder->range, coordinate);
}

static inline uint32
encode_range(const DpEncoder *encoder, Datum value)
{
	int64 coordinate;

	if (unlikely(!dp_grid_coordinate(encoder->coder, value, &coordinate)) && encoder->missing)
		return encoder->other;
	return encode_coordinate(encoder, coordinate);
}

/* Integers, each of which has a coordinate: places in the range where each is a cell of its own,
 * or else a table of all values, where the range is not too wide for one. */
static void
range_of_integers(DpEncoder *encoder, const DpAttribute *attribute)
{
	const DpGrid *grid = &encoder->range->grid;
	EncoderKind kind = encoder->kind;
	int64 low, high;

	if (encoder->type != INT2OID && encoder->type != INT4OID && encoder->type != INT8OID)
		return;
	low = word_of(encoder, dp_grid_value(encoder->coder, grid->first));
	high = word_of(encoder, dp_grid_value(encoder->coder, grid->last));
	if (low > high)
		return;
	if (kind == ENCODE_CELLS && encoder->cells.single &&
		(uint64) high - (uint64) low == encoder->cells.n - 1)
	{
		encoder->kind = ENCODE_PLACE;
		encoder->low = low;
		encoder->span = encoder->cells.n - 1;
		return;
	}
	if (!table_begin(encoder, low, high, attribute->levels))
		return;
	encoder->kind = kind;
	for (uint64 i = 0; i <= encoder->span; i++)
	{
		Datum word = encoder->type == INT8OID ? Int64GetDatum(low + (int64) i)
											  : Int32GetDatum((int32) (low + (int64) i));

		encoder->table[i] = encode_range(encoder, word);
	}
	encoder->kind = ENCODE_TABLE;
	encoder->below = encoder->table[0];
	encoder->above = encoder->table[encoder->span];
}

static void
range_prepare(DpEncoder *encoder, const DpAttribute *attribute)
{
	const DpRange *range = attribute->range;

	encoder->range = range;
	encoder->kind = range->state == DP_RANGE_CELLS ? ENCODE_CELLS : ENCODE_RANGE;
	encoder->missing = attribute->has_other;
	encoder->coder = dp_grid_coder(&range->grid, encoder->type, -1);
	if (!dp_grid_coder_reads(encoder->coder))
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("attribute \"%s\" has a range, which values of type %s do not fit",
							   attribute->name, format_type_be(encoder->type))));
	dp_grid_cells(range->grid.first, range->grid.last, &encoder->cells);
	range_of_integers(encoder, attribute);
}

/* Categories, each of which has the level of its place in the list. */
static void
listed_prepare(DpEncoder *encoder, const DpRange *range)
{
	uint32 outside = encoder->other;

	encoder->n = (uint32) range->grid.last + 1;
	encoder->value = palloc_extended(sizeof(Datum) * (encoder->n + 1), MCXT_ALLOC_HUGE);
	encoder->other = encoder->n;
	categories_prepare(encoder, range->listed);
	dp_grid_cells(range->grid.first, range->grid.last, &encoder->cells);
	encoder->map = palloc_extended(sizeof(uint32) * (encoder->n + 1), MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < encoder->n; i++)
		encoder->map[i] = range->state == DP_RANGE_CELLS ? dp_grid_cell(&encoder->cells, i)
														 : dp_range_bin(range, i);
	encoder->map[encoder->n] = outside;
}

/* ---- both ---- */

/* Whether the attribute's bins can be of the type. */
static bool
type_serves(const DpAttribute *attribute, Oid type)
{
	return attribute->range != NULL ? dp_type_has_range(type, -1) : dp_type_has_bins(type);
}

/*
 * The type as which texts of an attribute are read. It is the column's type where equal values have
 * several texts (true and t, 1.0 and 1.00; char(n) ignores blanks at the end), or where bins need
 * an order. Else it is text.
 */
static Oid
type_of_text(const DpAttribute *attribute)
{
	Oid type = dp_type_of_label(attribute->type);

	if (OidIsValid(type))
		type = getBaseType(type);
	if (attribute->kind == DP_BINS &&
		(attribute->range == NULL || attribute->range->listed == NULL) &&
		(!OidIsValid(type) || !type_serves(attribute, type)))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("the bins of attribute \"%s\" are of an unknown type", attribute->name),
				 errhint("The spec must say what type it is: integer, numeric, date, ...")));
	if (!OidIsValid(type) || type == VARCHAROID || type == NAMEOID ||
		get_typtype(type) == TYPTYPE_ENUM)
		return TEXTOID;
	return type;
}

/* The collation that the spec names. If it names none, texts that are equal are the same bytes, as
 * under the type's own. */
static Oid
collation_of(const DpEncoder *encoder, const char *label)
{
	if (label != NULL)
		return get_collation_oid(DP_QUALIFIED_NAME(label), false);
	return get_typcollation(encoder->type);
}

static void
input_prepare(DpEncoder *encoder)
{
	Oid function;

	getTypeInputInfo(encoder->type, &function, &encoder->input_parameter);
	fmgr_info(function, &encoder->input);
}

static void
encoder_prepare(DpEncoder *encoder, const DpSpec *spec, uint32 a, Oid type, DpValueForm form)
{
	const DpAttribute *attribute = &spec->domain.attribute[a];
	int shift;

	encoder->type = form == DP_FORM_TEXT ? type_of_text(attribute) : getBaseType(type);
	encoder->as_text =
		form == DP_FORM_TEXT && encoder->type != TEXTOID && encoder->type != BPCHAROID;
	encoder->collation = collation_of(encoder, spec->collation == NULL ? NULL : spec->collation[a]);
	shift = word_shift(encoder->type);
	encoder->shift = shift < 0 ? 0 : (uint8) shift;
	encoder->other = dp_code_outside(spec, a);
	encoder->n = attribute->labels_n;
	encoder->value = palloc_extended(sizeof(Datum) * (encoder->n + 1), MCXT_ALLOC_HUGE);
	if (encoder->as_text)
		input_prepare(encoder);
	if (attribute->range != NULL && attribute->range->listed != NULL)
		listed_prepare(encoder, attribute->range);
	else if (attribute->range != NULL)
		range_prepare(encoder, attribute);
	else if (attribute->kind == DP_BINS)
		bins_prepare(encoder, attribute);
	else
		categories_prepare(encoder, attribute->labels);
}

DpEncoder *
dp_encoders_create(const DpSpec *spec, const Oid *type, DpValueForm form)
{
	uint32 n = spec->domain.attributes;
	DpEncoder *encoder = palloc0(sizeof(DpEncoder) * n);
	int level = dp_values_begin();

	for (uint32 a = 0; a < n; a++)
		encoder_prepare(&encoder[a], spec, a, type == NULL ? InvalidOid : type[a], form);
	dp_values_end(level);
	return encoder;
}

static pg_noinline uint32
encode_uncommon(DpEncoder *encoder, Datum value)
{
	if (encoder->as_text)
		value = InputFunctionCall(&encoder->input, TextDatumGetCString(value),
								  encoder->input_parameter, -1);
	switch (encoder->kind)
	{
		case ENCODE_TABLE:
			return encode_table(encoder, value);
		case ENCODE_PLACE:
			return encode_place(encoder, value);
		case ENCODE_CELLS:
		case ENCODE_RANGE:
			return encode_range(encoder, value);
		case ENCODE_STEPS:
			return find_bin(encoder, 0, word_of(encoder, value));
		case ENCODE_ORDER:
			return find_bin(encoder, value, 0);
		default:
			return encode_category(encoder, value);
	}
}

static inline uint32
encode_direct(DpEncoder *encoder, const NullableDatum *value)
{
	if (value->isnull)
		return encoder->other;
	if (encoder->as_text)
		return encode_uncommon(encoder, value->value);
	if (encoder->kind == ENCODE_TABLE)
		return encode_table(encoder, value->value);
	if (encoder->kind == ENCODE_BYTES)
		return encode_bytes(encoder, value->value);
	if (encoder->kind == ENCODE_PLACE)
		return encode_place(encoder, value->value);
	return encode_uncommon(encoder, value->value);
}

static inline uint32
encode_value(DpEncoder *encoder, const NullableDatum *value)
{
	uint32 code = encode_direct(encoder, value);

	return unlikely(encoder->map != NULL) ? encoder->map[code] : code;
}

DpEncoder *
dp_encoder_at(DpEncoder *encoders, uint32 attribute)
{
	return &encoders[attribute];
}

uint32
dp_encode_value(DpEncoder *encoder, const NullableDatum *value)
{
	return encode_value(encoder, value);
}

void
dp_encode_row(DpEncoder *encoders, uint32 n, const NullableDatum *value, DpCounts *counts)
{
	for (uint32 a = 0; a < n; a++)
		dp_counts_put(counts, a, encode_value(&encoders[a], &value[a]));
}
