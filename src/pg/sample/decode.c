/*
 * decode.c -- codes to values of the caller's row type, by a decoder (decoder.c).
 */
#include "pg/sample/decode.h"

#include "utils/fmgrprotos.h"

#include "pg/sample/column_decoder.h"
#include "pg/domain/distance.h"
#include "pg/domain/range_part.h"
#include "pg/domain/range_rules.h"

NullableDatum
dp_decoder_base(const DpDecoder *decoder, int i, const Datum *values, const bool *nulls)
{
	const ColumnDecoder *column = &decoder->column[i];
	BaseAbove *above = column->base_above < 0 ? NULL : &decoder->base_above[column->base_above];
	NullableDatum base = {0, true};

	if (column->base >= 0)
		base = (NullableDatum){values[column->base], nulls[column->base]};
	if (above != NULL)
	{
		if (column->base >= 0)
			above->value = base.isnull ? base : dp_range_end(base.value, above->range, above->end);
		base = above->value;
	}
	if (column->base >= 0 && !base.isnull)
		base.value = dp_distance_base_value(base.value, column->base_type, column->own.type);
	return base;
}

/* Makes a distance the value of its column, which is the base itself where nothing else is drawn.
 * The level "other" is none: NULL, or a value of the column. */
static void
add_base(const DpDecoder *decoder, int i, const uint32 *codes, Datum *values, bool *nulls)
{
	const ColumnDecoder *column = &decoder->column[i];
	bool copied = column->attribute < 0;
	NullableDatum base;

	if ((column->base < 0 && column->base_above < 0) ||
		(!copied && (nulls[i] || codes[column->attribute] == column->other)))
		return;
	base = dp_decoder_base(decoder, i, values, nulls);
	nulls[i] = base.isnull;
	if (!base.isnull)
		values[i] =
			copied ? base.value
				   : dp_distance_add(base.value, values[i], column->own.type, column->own.typmod);
}

/* The value, or the category, of a coordinate. */
static Datum
value_at(const ColumnDecoder *column, int64 coordinate)
{
	Datum value;

	if (column->range.coder == NULL)
		return column->value[coordinate];
	value = dp_grid_value(column->range.coder, coordinate);
	return column->range.cells != NULL && column->drawn.type == NUMERICOID
			   ? DirectFunctionCall1(numeric_trim_scale, value)
			   : value;
}

/* The coordinate that is drawn for one of a bin, both in first..last: the same, or a rounder one.
 */
static int64
rounded(const ColumnDecoder *column, uint32 code, int64 coordinate, int64 first, int64 last)
{
	const DpRange *found = column->range.found;

	return column->range.cells == NULL
			   ? coordinate
			   : dp_grid_round(column->range.cells, coordinate, Max(first, found->bin[code]),
							   Min(last, dp_range_bin_last(found, code)));
}

/* A coordinate of a bin in first..last, whatever was found there; false: it has none. */
static bool
draw_even(const DpRange *found, uint32 code, int64 first, int64 last, DpPrng *prng,
		  int64 *coordinate)
{
	uint64 width;

	first = Max(first, found->bin[code]);
	last = Min(last, dp_range_bin_last(found, code));
	width = (uint64) last - (uint64) first;
	if (first > last)
		return false;
	*coordinate =
		(int64) ((uint64) first +
				 (width == PG_UINT64_MAX ? dp_prng_u64(prng) : dp_prng_below(prng, width + 1)));
	return true;
}

static bool
draw_between(const DpDecoder *decoder, const ColumnDecoder *column, uint32 code, int64 first,
			 int64 last, DpPrng *prng, int64 *coordinate)
{
	return decoder->even
			   ? draw_even(column->range.found, code, first, last, prng, coordinate)
			   : dp_range_draw_between(column->range.sampler, code, first, last, prng, coordinate);
}

/* A value of a bin that was found, among those that are drawn of it. */
static int64
draw_found(const DpDecoder *decoder, const ColumnDecoder *column, uint32 code, DpPrng *prng)
{
	const DpGrid *grid = &column->range.found->grid;
	int64 coordinate;

	if ((!decoder->even && column->range.first == grid->first &&
		 column->range.last == grid->last) ||
		!draw_between(decoder, column, code, column->range.first, column->range.last, prng,
					  &coordinate))
		return rounded(column, code, dp_range_draw(column->range.sampler, code, prng), grid->first,
					   grid->last);
	return rounded(column, code, coordinate, column->range.first, column->range.last);
}

/* The value of an attribute, or the distance. */
static void
decode_attribute(const DpDecoder *decoder, const ColumnDecoder *column, const uint32 *codes,
				 DpPrng *prng, Datum *value, bool *isnull)
{
	uint32 code = codes[column->attribute];

	if (decode_null(column, code, value, isnull))
		return;
	*isnull = false;
	if (column->range.sampler)
		*value = value_at(column, draw_found(decoder, column, code, prng));
	else if (column->bins)
		*value = dp_bins_draw(column->bins, code, prng);
	else
		*value = column->value[code];
}

static void
decode_fields(const DpDecoder *decoder, const ColumnDecoder *column, const uint32 *codes,
			  DpPrng *prng, Datum *value, bool *isnull)
{
	const FieldsDecoder *fields = &column->fields;
	Datum *values = palloc(sizeof(Datum) * fields->n);
	bool *nulls = palloc(sizeof(bool) * fields->n);

	for (int k = 0; k < fields->n; k++)
		decode_attribute(decoder, &fields->part[k], codes, prng, &values[k], &nulls[k]);
	*isnull =
		!dp_json_fields_object(fields->field, fields->n, values, nulls, value) && !fields->not_null;
	pfree(values);
	pfree(nulls);
}

void
dp_decode_column(const DpDecoder *decoder, int i, const uint32 *codes, DpPrng *prng, Datum *values,
				 bool *nulls)
{
	const ColumnDecoder *column = &decoder->column[i];

	values[i] = 0;
	nulls[i] = true;
	if (column->is_fixed)
	{
		values[i] = column->fixed;
		nulls[i] = false;
		return;
	}
	if (column->attribute >= 0)
		decode_attribute(decoder, column, codes, prng, &values[i], &nulls[i]);
	else if (column->fields.n > 0)
		decode_fields(decoder, column, codes, prng, &values[i], &nulls[i]);
	add_base(decoder, i, codes, values, nulls);
}

bool
dp_decode_column_within(const DpDecoder *decoder, int i, const uint32 *codes, DpInterval within,
						DpPrng *prng, Datum *values, bool *nulls)
{
	const ColumnDecoder *column = &decoder->column[i];
	uint32 code = column->attribute < 0 ? 0 : codes[column->attribute];
	int64 coordinate;

	if ((column->range.sampler == NULL && column->bins == NULL) || column->is_fixed ||
		decode_null(column, code, &values[i], &nulls[i]))
	{
		dp_decode_column(decoder, i, codes, prng, values, nulls);
		return true;
	}
	nulls[i] = false;
	if (column->range.sampler)
	{
		int64 first;
		int64 last;

		dp_range_coordinates(&column->range.found->grid, within, &first, &last);
		first = Max(first, column->range.first);
		last = Min(last, column->range.last);
		if (!draw_between(decoder, column, code, first, last, prng, &coordinate))
			return false;
		values[i] = value_at(column, rounded(column, code, coordinate, first, last));
	}
	else if (!dp_bins_draw_within(column->bins, code, within, prng, &values[i]))
		return false;
	add_base(decoder, i, codes, values, nulls);
	return true;
}

bool
dp_decoder_varies(const DpDecoder *decoder, int i, const uint32 *codes)
{
	const ColumnDecoder *column = &decoder->column[i];
	uint32 code = column->attribute < 0 ? 0 : codes[column->attribute];

	if (column->is_fixed)
		return false;
	if (column->attribute < 0)
		return column->fields.n > 0;
	if (column->range.sampler != NULL && code != column->other)
		return column->range.found->bin[code] < dp_range_bin_last(column->range.found, code);
	return column->bins != NULL && code != column->other;
}

void
dp_decode_row(const DpDecoder *decoder, const uint32 *codes, DpPrng *prng, Datum *values,
			  bool *nulls)
{
	for (int k = 0; k < decoder->columns; k++)
	{
		int i = decoder->order[k];
		const ColumnDecoder *column = &decoder->column[i];

		if (column->of_code == NULL || column->is_fixed)
		{
			dp_decode_column(decoder, i, codes, prng, values, nulls);
			continue;
		}
		values[i] = column->of_code[codes[column->attribute]].value;
		nulls[i] = column->of_code[codes[column->attribute]].isnull;
	}
}
