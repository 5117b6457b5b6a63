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

#include "access/tupmacs.h"
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
	uint64 place = (uint64) word - (uint64) encoder->table.low;

	if (likely(place <= encoder->table.span))
		return encoder->table.code[place];
	if (is_endless(encoder, word))
		return encoder->other;
	return word < encoder->table.low ? encoder->table.below : encoder->table.above;
}

/* A table of a million integers would not stay in a cache, and this one holds 0, 1, 2 ... */
static inline uint32
encode_place(const DpEncoder *encoder, Datum value)
{
	int64 word = word_of(encoder, value);
	uint64 place = (uint64) word - (uint64) encoder->table.low;

	if (likely(place <= encoder->table.span))
		return (uint32) place;
	if (is_endless(encoder, word))
		return encoder->other;
	return word < encoder->table.low ? 0 : (uint32) encoder->table.span;
}

/* Whether low .. high is worth a table for n levels; then allocates it. */
bool
dp_encoder_table_begin(DpEncoder *encoder, int64 low, int64 high, uint32 n)
{
	uint64 span = (uint64) high - (uint64) low;

	if (span >= TABLE_SPAN_MAX && span / 8 >= n)
		return false;
	encoder->kind = ENCODE_TABLE;
	encoder->table.low = low;
	encoder->table.span = span;
	encoder->table.code = palloc_extended(sizeof(uint32) * (span + 1), MCXT_ALLOC_HUGE);
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
	slot = &encoder->hash.quick[bytes_hash(&bytes, encoder->hash.seed) & encoder->hash.mask];
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
	return get_typcollation(encoder->type.id);
}

static void
input_prepare(DpEncoder *encoder)
{
	Oid function;

	getTypeInputInfo(encoder->type.id, &function, &encoder->type.input_parameter);
	fmgr_info(function, &encoder->type.input);
}

static void
encoder_prepare(DpEncoder *encoder, const DpSpec *spec, uint32 a, Oid type, DpValueForm form)
{
	const DpAttribute *attribute = &spec->domain.attribute[a];
	int shift;

	encoder->type.id = form == DP_FORM_TEXT ? type_of_text(attribute) : getBaseType(type);
	encoder->as_text =
		form == DP_FORM_TEXT && encoder->type.id != TEXTOID && encoder->type.id != BPCHAROID;
	encoder->type.collation =
		collation_of(encoder, spec->collation == NULL ? NULL : spec->collation[a]);
	shift = dp_encoder_word_shift(encoder->type.id);
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
	encoder->indirect = encoder->as_text || encoder->map != NULL;
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
		value = InputFunctionCall(&encoder->type.input, TextDatumGetCString(value),
								  encoder->type.input_parameter, -1);
	switch (encoder->kind)
	{
		case ENCODE_TABLE:
			return encode_table(encoder, value);
		case ENCODE_PLACE:
			return encode_place(encoder, value);
		case ENCODE_BYTES:
			return encode_bytes(encoder, value);
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

/* A value whose code is looked up in more than one step, or NULL. */
static pg_noinline uint32
encode_indirect(DpEncoder *encoder, Datum value, bool isnull)
{
	uint32 code = isnull ? encoder->other : encode_uncommon(encoder, value);

	return encoder->map != NULL ? encoder->map[code] : code;
}

static inline uint32
encode_value(DpEncoder *encoder, Datum value, bool isnull)
{
	if (unlikely(isnull || encoder->indirect))
		return encode_indirect(encoder, value, isnull);
	if (encoder->kind == ENCODE_TABLE)
		return encode_table(encoder, value);
	if (encoder->kind == ENCODE_BYTES)
		return encode_bytes(encoder, value);
	if (encoder->kind == ENCODE_PLACE)
		return encode_place(encoder, value);
	return encode_uncommon(encoder, value);
}

DpEncoder *
dp_encoder_at(DpEncoder *encoders, uint32 attribute)
{
	return &encoders[attribute];
}

uint32
dp_encode_value(DpEncoder *encoder, const NullableDatum *value)
{
	return encode_value(encoder, value->value, value->isnull);
}

void
dp_encode_row(DpEncoder *encoders, uint32 n, const NullableDatum *value, DpCounts *counts)
{
	uint32 *const *code = counts->code;
	uint32 row = counts->rows;

	for (uint32 a = 0; a < n; a++)
		code[a][row] = encode_value(&encoders[a], value[a].value, value[a].isnull);
}

void
dp_encode_columns(DpEncoder *encoders, uint32 n, const uint32 *column, const Datum *values,
				  const bool *isnull, DpCounts *counts)
{
	uint32 *const *code = counts->code;
	uint32 row = counts->rows;

	for (uint32 a = 0; a < n; a++)
		code[a][row] = encode_value(&encoders[a], values[column[a]], isnull[column[a]]);
}

void
dp_encode_tuple(DpEncoder *encoders, uint32 n, const DpTuplePlace *place, const char *data,
				DpCounts *counts)
{
	uint32 *const *code = counts->code;
	uint32 row = counts->rows;

	for (uint32 a = 0; a < n; a++)
	{
		Datum value = fetch_att(data + place[a].at, place[a].by_value, place[a].length);

		code[a][row] = encode_value(&encoders[a], value, false);
	}
}
