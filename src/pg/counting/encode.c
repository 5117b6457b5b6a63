/*
 * encode.c -- values of a column to codes of its domain. Exact data goes in; nothing here draws
 * noise.
 *
 * Two values are the same level if the column's type calls them equal (1.0 and 1.00; A and a under
 * a case-insensitive collation), or, for a type without equality, if their text forms are the same.
 * A value outside the domain gets the code that dp_code_outside says, mostly that of the level
 * "other". Nothing here fails because of a value, except the code of the type itself.
 *
 * This runs for each value, so the common cases are short: a small range of integers is a lookup
 * table, a text of up to 16 bytes is compared as two words and its length.
 */
#include "pg/counting/encode.h"

#include "catalog/namespace.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"

#include "pg/counting/encoder.h"
#include "pg/server/values.h"

#define TABLE_SPAN_MAX 65536 /* integers that a table covers whatever the number of levels */

/* ---- integers ---- */

int
dp_encoder_word_shift(Oid type)
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

static inline uint32
encode_table(const DpEncoder *encoder, Datum value)
{
	int64 word = word_of(encoder, value);
	uint64 place = (uint64) word - (uint64) encoder->low;

	if (likely(place <= encoder->span))
		return encoder->table[place];
	if (is_endless(encoder, word))
		return encoder->other;
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
	if (is_endless(encoder, word))
		return encoder->other;
	return word < encoder->low ? 0 : (uint32) encoder->span;
}

/* Whether low .. high is worth a table for n levels; then allocates it. */
bool
dp_encoder_table_begin(DpEncoder *encoder, int64 low, int64 high, uint32 n)
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
		return dp_encode_text(encoder, value);
	bytes = bytes_of(at + VARHDRSZ_SHORT, length);
	slot = &encoder->quick[bytes_hash(&bytes, encoder->seed) & encoder->mask];
	if (likely(slot->first == bytes.first && slot->last == bytes.last &&
			   slot->length == bytes.length))
		return slot->code;
	return dp_encode_text(encoder, value);
}

/* ---- encoders ---- */

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
	shift = dp_encoder_word_shift(encoder->type);
	encoder->shift = shift < 0 ? 0 : (uint8) shift;
	encoder->other = dp_code_outside(spec, a);
	encoder->n = attribute->labels_n;
	encoder->value = palloc_extended(sizeof(Datum) * (encoder->n + 1), MCXT_ALLOC_HUGE);
	if (encoder->as_text)
		input_prepare(encoder);
	if (attribute->range != NULL && attribute->range->listed != NULL)
		dp_encoder_of_listed(encoder, attribute->range);
	else if (attribute->range != NULL)
		dp_encoder_of_range(encoder, attribute);
	else if (attribute->kind == DP_BINS)
		dp_encoder_of_bins(encoder, attribute);
	else
		dp_encoder_of_categories(encoder, attribute->labels);
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
			return dp_encode_range(encoder, value);
		case ENCODE_STEPS:
		case ENCODE_ORDER:
			return dp_encode_bin(encoder, value);
		default:
			return dp_encode_category(encoder, value);
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
