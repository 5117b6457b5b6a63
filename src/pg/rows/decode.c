/*
 * decode.c -- codes to rows of the caller's type. Columns are matched by name, and those that the
 * release does not model are NULL.
 */
#include "pg/rows/decode.h"

#include "access/htup_details.h"
#include "access/tupdesc.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "core/rows/range_sampler.h"
#include "pg/domain/bins.h"
#include "pg/domain/derived.h"
#include "pg/domain/distance.h"
#include "pg/domain/grid.h"
#include "pg/domain/range_rules.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"
#include "pg/server/own_code.h"
#include "pg/server/values.h"

#define DISTANCE_PRECISION 100 /* digits of a distance between numerics */
#define TRIES_IN_LEAVES 64     /* of a bin that a range cuts */

typedef struct ColumnDecoder
{
	int attribute; /* domain index; -1: not modelled */
	uint32 other;  /* code of the level for the rest; the number of levels if there is none */
	bool other_isnull;
	Datum other_value;
	Datum *value;          /* [labels], of categories */
	bool *missing;         /* [labels]: a dictionary has no value for it; NULL: none of them */
	DpBins *bins;          /* of bins that are stated */
	DpRangeSampler *range; /* of bins that were found on a grid */
	DpGridCoder *coder;
	const DpRange *stated; /* of range */
	int64 first, last;     /* the coordinates of it that are drawn */
	int base;              /* a distance from this column is drawn; -1: the value itself */
	Oid type;              /* of what is drawn, never a domain */
	int32 typmod;
	Oid own_type; /* of the column, without domains around it */
	int32 own_typmod;
	bool is_fixed;
	Datum fixed;
} ColumnDecoder;

struct DpDecoder
{
	int columns;
	ColumnDecoder *column;
	int *order;    /* [columns] bases before distances from them */
	bool is_fixed; /* whether a column is */
};

static void
range_prepare(ColumnDecoder *column, const DpAttribute *attribute)
{
	DpArena arena = dp_arena_for(CurrentMemoryContext);

	column->stated = attribute->range;
	column->first = attribute->range->grid.first;
	column->last = attribute->range->grid.last;
	column->coder = dp_grid_coder(&attribute->range->grid, column->type, column->typmod);
	column->range = dp_range_sampler_create(attribute->range, &arena);
	if (column->range == NULL)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
}

static void
column_prepare(ColumnDecoder *column, const DpAttribute *attribute)
{
	DpValueContext context = {attribute->name, "levels", attribute->type, InvalidOid};

	column->other = attribute->has_other ? attribute->levels - 1 : attribute->levels;
	column->other_isnull = attribute->other == NULL;
	if (attribute->has_other && attribute->other)
		column->other_value =
			dp_column_value_in(attribute->other, column->type, column->typmod, &context);
	if (attribute->range != NULL)
	{
		range_prepare(column, attribute);
		return;
	}
	if (attribute->kind == DP_BINS)
	{
		column->bins = dp_bins_create(attribute, column->type, column->typmod);
		return;
	}
	column->value = palloc_extended(sizeof(Datum) * Max(attribute->labels_n, 1), MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < attribute->labels_n; i++)
		column->value[i] =
			dp_column_value_in(attribute->labels[i], column->type, column->typmod, &context);
}

static int
column_find(TupleDesc target, const char *name)
{
	for (int i = 0; i < target->natts; i++)
		if (!TupleDescAttr(target, i)->attisdropped &&
			strcmp(NameStr(TupleDescAttr(target, i)->attname), name) == 0)
			return i;
	return -1;
}

/* The column is drawn as a distance from another one of the row type. */
static void
offset_prepare(ColumnDecoder *column, TupleDesc target, int i, const char *base)
{
	Form_pg_attribute form = TupleDescAttr(target, i);
	int from = column_find(target, base);

	if (from < 0 || getBaseType(TupleDescAttr(target, from)->atttypid) != column->own_type ||
		!OidIsValid(dp_distance_type(column->own_type)))
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("column \"%s\" cannot be drawn without column \"%s\"",
							   NameStr(form->attname), base),
						errdetail("It is modelled as the distance from it."),
						errhint("Draw into a row type that has both, of one type.")));
	column->base = from;
	column->type = dp_distance_type(column->own_type);
	column->typmod = -1;
	/* a distance has as many digits as the column */
	if (column->own_type == NUMERICOID && column->own_typmod >= (int32) VARHDRSZ)
		column->typmod =
			((DISTANCE_PRECISION << 16) | ((column->own_typmod - VARHDRSZ) & 0x7ff)) + VARHDRSZ;
}

/* The column has for each level of another column the value of a dictionary. */
static void
dictionary_prepare(ColumnDecoder *column, const DpAttribute *base, Jsonb *dictionary)
{
	char *words;

	column->value = palloc_extended(sizeof(Datum) * Max(base->labels_n, 1), MCXT_ALLOC_HUGE);
	column->missing = palloc_extended(Max(base->labels_n, 1), MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < base->labels_n; i++)
	{
		words = dp_dictionary_look_up(dictionary, base->labels[i]);
		column->missing[i] = words == NULL;
		if (words != NULL)
			column->value[i] = dp_value_in(words, column->type, column->typmod);
	}
	column->other = base->has_other ? base->levels - 1 : base->levels;
	words = base->has_other && base->other ? dp_dictionary_look_up(dictionary, base->other) : NULL;
	column->other_isnull = words == NULL;
	if (words != NULL)
		column->other_value = dp_value_in(words, column->type, column->typmod);
}

Oid
dp_row_type_owner(Oid type)
{
	HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	Oid owner;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for type %u", type);
	owner = type == RECORDOID ? InvalidOid : ((Form_pg_type) GETSTRUCT(tuple))->typowner;
	ReleaseSysCache(tuple);
	return owner;
}

/* false: the release says nothing of the column. The CHECK of a domain type is left to who takes
 * the rows. */
static bool
column_create(ColumnDecoder *column, const DpDomain *domain, Jsonb *derived, TupleDesc target,
			  int i)
{
	Oid owner = dp_row_type_owner(target->tdtypeid);
	Form_pg_attribute form = TupleDescAttr(target, i);
	const char *name = NameStr(form->attname);
	DpDerivation derivation = {0};

	*column = (ColumnDecoder){.attribute = -1, .base = -1, .own_typmod = form->atttypmod};
	if (form->attisdropped)
		return false;
	column->own_type = getBaseTypeAndTypmod(form->atttypid, &column->own_typmod);
	column->type = column->own_type;
	column->typmod = column->own_typmod;
	column->attribute = dp_domain_find(domain, name);
	(void) dp_derivation_find(derived, name, &derivation);
	if (column->attribute < 0 && derivation.dictionary != NULL)
	{
		column->attribute = dp_domain_find(domain, derivation.base);
		if (column->attribute < 0 || domain->attribute[column->attribute].kind != DP_CATEGORIES)
		{
			column->attribute = -1;
			return false;
		}
		dp_check_type_readable(name, form->atttypid, owner);
		dictionary_prepare(column, &domain->attribute[column->attribute], derivation.dictionary);
		return true;
	}
	if (column->attribute < 0)
		return false;
	dp_check_type_readable(name, form->atttypid, owner);
	if (derivation.is_offset)
		offset_prepare(column, target, i, derivation.base);
	column_prepare(column, &domain->attribute[column->attribute]);
	return true;
}

static int *
order_create(const DpDecoder *decoder)
{
	int *order = palloc(sizeof(int) * Max(decoder->columns, 1));
	int n = 0;

	for (int i = 0; i < decoder->columns; i++)
		if (decoder->column[i].base < 0)
			order[n++] = i;
	for (int i = 0; i < decoder->columns; i++)
		if (decoder->column[i].base >= 0)
			order[n++] = i;
	return order;
}

/* Reading a label can run the CHECK of a domain inside its type. It does so only as the owner of
 * the row type. */
DpDecoder *
dp_decoder_create(const DpDomain *domain, Jsonb *derived, TupleDesc target)
{
	DpDecoder *decoder = palloc0(sizeof(DpDecoder));
	DpElevation elevation;
	bool any = false;
	int level;

	dp_become_owner(&elevation, dp_row_type_owner(target->tdtypeid));
	level = dp_values_begin();
	decoder->columns = target->natts;
	decoder->column = palloc0(sizeof(ColumnDecoder) * Max(target->natts, 1));
	for (int i = 0; i < target->natts; i++)
		any |= column_create(&decoder->column[i], domain, derived, target, i);
	decoder->order = order_create(decoder);
	dp_values_end(level);
	dp_unelevate(&elevation);
	if (!any)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("the row type has no column of the release"),
				 errhint("Draw into the row type of the protected relation, NULL::relation, or "
						 "one with columns of the same names.")));
	return decoder;
}

void
dp_decoder_restrict(DpDecoder *decoder, int attribute, const char *low, const char *high,
					bool closed)
{
	int level = dp_values_begin();

	for (int i = 0; i < decoder->columns; i++)
		if (decoder->column[i].attribute == attribute && decoder->column[i].bins != NULL)
			dp_bins_restrict(decoder->column[i].bins, low, high, closed);
	dp_values_end(level);
}

void
dp_decoder_restrict_range(DpDecoder *decoder, int attribute, int64 first, int64 last)
{
	for (int i = 0; i < decoder->columns; i++)
		if (decoder->column[i].attribute == attribute && decoder->column[i].range != NULL)
		{
			decoder->column[i].first = first;
			decoder->column[i].last = last;
		}
}

void
dp_decoder_fix(DpDecoder *decoder, int column, Datum value)
{
	decoder->is_fixed = true;
	decoder->column[column].is_fixed = true;
	decoder->column[column].fixed = value;
}

void
dp_decoder_unfix(DpDecoder *decoder)
{
	decoder->is_fixed = false;
	for (int i = 0; i < decoder->columns; i++)
		decoder->column[i].is_fixed = false;
}

bool
dp_decoder_is_fixed(const DpDecoder *decoder)
{
	return decoder->is_fixed;
}

/* What an attribute says, where it does not say NULL: the value, or the distance. */
static bool
decode_null(const ColumnDecoder *column, uint32 code, Datum *value, bool *isnull)
{
	*value = 0;
	*isnull = true;
	if (code == column->other)
	{
		*value = column->other_value;
		*isnull = column->other_isnull;
		return true;
	}
	return column->missing != NULL && column->missing[code];
}

/* Makes a distance the value of its column. */
static void
add_base(const DpDecoder *decoder, int i, Datum *values, bool *nulls)
{
	const ColumnDecoder *column = &decoder->column[i];

	if (column->base < 0 || nulls[i])
		return;
	nulls[i] = nulls[column->base];
	if (!nulls[i])
		values[i] =
			dp_distance_add(values[column->base], values[i], column->own_type, column->own_typmod);
}

/* A value of a bin that was found, among those that are drawn of it: by the leaves of the bin, or
 * evenly where these hardly ever give one. */
static int64
draw_found(const ColumnDecoder *column, uint32 code, DpPrng *prng)
{
	int64 first = Max(column->first, column->stated->bin[code]);
	int64 last = Min(column->last, dp_range_bin_last(column->stated, code));

	for (int try = 0; try < TRIES_IN_LEAVES; try++)
	{
		int64 coordinate = dp_range_draw(column->range, code, prng);

		if ((coordinate >= first && coordinate <= last) || first > last)
			return coordinate;
	}
	return dp_prng_between(prng, first, last);
}

void
dp_decode_column(const DpDecoder *decoder, int i, const uint32 *codes, DpPrng *prng, Datum *values,
				 bool *nulls)
{
	const ColumnDecoder *column = &decoder->column[i];
	uint32 code = column->attribute < 0 ? 0 : codes[column->attribute];

	if (column->attribute < 0 || column->is_fixed)
	{
		values[i] = column->is_fixed ? column->fixed : 0;
		nulls[i] = !column->is_fixed;
		return;
	}
	if (!decode_null(column, code, &values[i], &nulls[i]))
	{
		nulls[i] = false;
		if (column->range)
			values[i] = dp_grid_value(column->coder, draw_found(column, code, prng));
		else if (column->bins)
			values[i] = dp_bins_draw(column->bins, code, prng);
		else
			values[i] = column->value[code];
	}
	add_base(decoder, i, values, nulls);
}

bool
dp_decode_column_within(const DpDecoder *decoder, int i, const uint32 *codes, DpInterval within,
						DpPrng *prng, Datum *values, bool *nulls)
{
	const ColumnDecoder *column = &decoder->column[i];
	uint32 code = column->attribute < 0 ? 0 : codes[column->attribute];
	int64 coordinate;

	if ((column->range == NULL && column->bins == NULL) || column->is_fixed ||
		decode_null(column, code, &values[i], &nulls[i]))
	{
		dp_decode_column(decoder, i, codes, prng, values, nulls);
		return true;
	}
	nulls[i] = false;
	if (column->range)
	{
		if (!dp_range_draw_within(column->stated, code, within, column->first, column->last, prng,
								  &coordinate))
			return false;
		values[i] = dp_grid_value(column->coder, coordinate);
	}
	else if (!dp_bins_draw_within(column->bins, code, within, prng, &values[i]))
		return false;
	add_base(decoder, i, values, nulls);
	return true;
}

void
dp_decode_row(const DpDecoder *decoder, const uint32 *codes, DpPrng *prng, Datum *values,
			  bool *nulls)
{
	for (int k = 0; k < decoder->columns; k++)
		dp_decode_column(decoder, decoder->order[k], codes, prng, values, nulls);
}

DpDecoded
dp_decoded(const DpDecoder *decoder, int i)
{
	const ColumnDecoder *column = &decoder->column[i];

	return (DpDecoded){.attribute = column->attribute,
					   .base = column->base,
					   .has_bins = column->bins != NULL || column->range != NULL,
					   .is_looked_up = column->missing != NULL,
					   .type = column->type,
					   .typmod = column->typmod};
}

const int *
dp_decoder_order(const DpDecoder *decoder)
{
	return decoder->order;
}
