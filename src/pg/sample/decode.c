/*
 * decode.c -- codes to values of the caller's row type, by a decoder (decoder.h).
 */
#include "pg/sample/decode.h"

#include "utils/fmgrprotos.h"

#include "pg/sample/column_decoder.h"
#include "pg/domain/distance.h"
#include "pg/domain/range_rules.h"

/* Makes a distance the value of its column, which is the base itself where nothing else is drawn. */
static void
add_base(const DpDecoder *decoder, int i, Datum *values, bool *nulls)
{
	const ColumnDecoder *column = &decoder->column[i];
	bool copied = column->attribute < 0;
	NullableDatum base;

	if ((column->base < 0 && column->base_above < 0) || (nulls[i] && !copied))
		return;
	base = column->base_above >= 0 ? decoder->base_above[column->base_above].value
								   : (NullableDatum){values[column->base], nulls[column->base]};
	nulls[i] = base.isnull;
	if (!base.isnull)
		values[i] =
			copied ? base.value
				   : dp_distance_add(base.value, values[i], column->own_type, column->own_typmod);
}

/* The value, or the category, of a coordinate. */
static Datum
value_at(const ColumnDecoder *column, int64 coordinate)
{
	Datum value;

	if (column->coder == NULL)
		return column->value[coordinate];
	value = dp_grid_value(column->coder, coordinate);
	return column->cells != NULL && column->type == NUMERICOID
			   ? DirectFunctionCall1(numeric_trim_scale, value)
			   : value;
}

/* The coordinate that is drawn for one of a bin, both in first..last: the same, or a rounder one.
 */
static int64
rounded(const ColumnDecoder *column, uint32 code, int64 coordinate, int64 first, int64 last)
{
	const DpRange *found = column->found;

	return column->cells == NULL
			   ? coordinate
			   : dp_grid_round(column->cells, coordinate, Max(first, found->bin[code]),
							   Min(last, dp_range_bin_last(found, code)));
}

/* A value of a bin that was found, among those that are drawn of it. */
static int64
draw_found(const ColumnDecoder *column, uint32 code, DpPrng *prng)
{
	const DpGrid *grid = &column->found->grid;
	int64 coordinate;

	if ((column->first == grid->first && column->last == grid->last) ||
		!dp_range_draw_between(column->range, code, column->first, column->last, prng, &coordinate))
		return rounded(column, code, dp_range_draw(column->range, code, prng), grid->first,
					   grid->last);
	return rounded(column, code, coordinate, column->first, column->last);
}

/* The value of an attribute, or the distance. */
static void
decode_attribute(const ColumnDecoder *column, const uint32 *codes, DpPrng *prng, Datum *value,
				 bool *isnull)
{
	uint32 code = codes[column->attribute];

	if (decode_null(column, code, value, isnull))
		return;
	*isnull = false;
	if (column->range)
		*value = value_at(column, draw_found(column, code, prng));
	else if (column->bins)
		*value = dp_bins_draw(column->bins, code, prng);
	else
		*value = column->value[code];
}

static void
decode_fields(const ColumnDecoder *column, const uint32 *codes, DpPrng *prng, Datum *value,
			  bool *isnull)
{
	Datum *values = palloc(sizeof(Datum) * column->fields);
	bool *nulls = palloc(sizeof(bool) * column->fields);

	for (int k = 0; k < column->fields; k++)
		decode_attribute(&column->part[k], codes, prng, &values[k], &nulls[k]);
	*isnull = !dp_json_fields_object(column->field, column->fields, values, nulls, value) &&
			  !column->not_null;
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
		decode_attribute(column, codes, prng, &values[i], &nulls[i]);
	else if (column->fields > 0)
		decode_fields(column, codes, prng, &values[i], &nulls[i]);
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
		int64 first;
		int64 last;

		dp_range_coordinates(&column->found->grid, within, &first, &last);
		first = Max(first, column->first);
		last = Min(last, column->last);
		if (!dp_range_draw_between(column->range, code, first, last, prng, &coordinate))
			return false;
		values[i] = value_at(column, rounded(column, code, coordinate, first, last));
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
