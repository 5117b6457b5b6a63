/*
 * encode_bins.c -- values to the numbers of bins: declared ones, those of a range, and the finest
 * public cells of a range.
 */
#include "pg/counting/encoder.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "pg/server/values.h"

/* ---- bins ---- */

/* The bin [edge i, edge i+1) that holds the value. The last one is closed; values outside are
 * clamped. */
static uint32
bin_in_order(DpEncoder *encoder, Datum value)
{
	uint32 low = 0;               /* the bin is in low .. */
	uint32 high = encoder->n - 2; /* .. high */

	while (low < high)
	{
		uint32 middle = low + (high - low + 1) / 2;

		if (DatumGetInt32(FunctionCall2Coll(&encoder->type.function, encoder->type.collation,
											encoder->value[middle], value)) <= 0)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

uint32
dp_encode_bin(DpEncoder *encoder, Datum value)
{
	int64 word;

	if (encoder->kind == ENCODE_ORDER)
		return bin_in_order(encoder, value);
	word = word_of(encoder, value);
	return unlikely(is_endless(encoder, word)) ? encoder->other
											   : dp_bin_find(encoder->finder, word);
}

/* The last edge is no begin of a bin. */
static void
find_among(DpEncoder *encoder, const int64 *edge, uint32 bins)
{
	encoder->finder = palloc(sizeof(DpBinFinder));
	dp_bin_finder_init(encoder->finder, edge, bins);
}

static void
bins_table(DpEncoder *encoder, const int64 *edge)
{
	uint32 last = encoder->n - 2;

	if (!dp_encoder_table_begin(encoder, edge[0], edge[last + 1], encoder->n))
		return;
	for (uint64 i = 0; i <= encoder->table.span; i++)
		encoder->table.code[i] = dp_bin_find(encoder->finder, encoder->table.low + (int64) i);
	encoder->table.below = 0;
	encoder->table.above = last;
}

void
dp_encoder_of_bins(DpEncoder *encoder, const DpAttribute *attribute)
{
	TypeCacheEntry *cache = lookup_type_cache(encoder->type.id, TYPECACHE_CMP_PROC_FINFO);
	int64 *edge;

	/* others have no order, or, as enums, another one than that of their bits */
	if (!OidIsValid(cache->cmp_proc) || !dp_type_has_bins(encoder->type.id))
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("attribute \"%s\" has bins, which type %s cannot have",
							   attribute->name, format_type_be(encoder->type.id))));
	encoder->kind = ENCODE_ORDER;
	fmgr_info_copy(&encoder->type.function, &cache->cmp_proc_finfo, CurrentMemoryContext);
	for (uint32 i = 0; i < encoder->n; i++)
		encoder->value[i] = dp_value_in(attribute->labels[i], encoder->type.id, -1);
	if (dp_encoder_word_shift(encoder->type.id) < 0)
		return;
	encoder->kind = ENCODE_STEPS;
	edge = palloc_extended(sizeof(int64) * encoder->n, MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < encoder->n; i++)
		edge[i] = word_of(encoder, encoder->value[i]);
	find_among(encoder, edge, encoder->n - 1);
	bins_table(encoder, edge);
}

/* ---- ranges ---- */

static inline uint32
encode_coordinate(const DpEncoder *encoder, int64 coordinate)
{
	if (encoder->kind == ENCODE_CELLS)
		return dp_grid_cell(&encoder->range.cells, coordinate);
	return dp_bin_find(encoder->finder, coordinate);
}

uint32
dp_encode_range(const DpEncoder *encoder, Datum value)
{
	int64 coordinate;

	if (unlikely(!dp_grid_coordinate(encoder->range.coder, value, &coordinate)) &&
		encoder->range.missing)
		return encoder->other;
	return encode_coordinate(encoder, coordinate);
}

/* Whether values of an integer-like type can be infinite. */
static bool
type_is_endless(Oid type)
{
	return type == DATEOID || type == TIMESTAMPOID || type == TIMESTAMPTZOID;
}

static void
range_table(DpEncoder *encoder, EncoderKind kind)
{
	encoder->kind = kind; /* of how the table is filled */
	for (uint64 i = 0; i <= encoder->table.span; i++)
	{
		int64 word = encoder->table.low + (int64) i;

		encoder->table.code[i] = dp_encode_range(
			encoder, encoder->shift == 0 ? Int64GetDatum(word) : Int32GetDatum((int32) word));
	}
	encoder->kind = ENCODE_TABLE;
	encoder->table.below = encoder->table.code[0];
	encoder->table.above = encoder->table.code[encoder->table.span];
}

/* A value is at or above the first coordinate of a bin if it is so above that one's value. */
static void
bins_of_words(DpEncoder *encoder, const DpRange *range)
{
	int64 *edge = palloc_extended(sizeof(int64) * range->bins, MCXT_ALLOC_HUGE);

	for (uint32 i = 0; i < range->bins; i++)
		edge[i] = word_of(encoder, dp_grid_value(encoder->range.coder, range->bin[i]));
	encoder->kind = ENCODE_STEPS;
	find_among(encoder, edge, range->bins);
}

/* Integer-like values, in the order of their coordinates: places in the range where each is a cell
 * of its own, a table of all values where the range is not too wide for one, or the edges of bins.
 */
static void
range_of_words(DpEncoder *encoder, const DpAttribute *attribute)
{
	const DpRange *range = attribute->range;
	EncoderKind kind = encoder->kind;
	int64 low, high;

	if (dp_encoder_word_shift(encoder->type.id) < 0)
		return;
	encoder->endless = encoder->range.missing && type_is_endless(encoder->type.id);
	low = word_of(encoder, dp_grid_value(encoder->range.coder, range->grid.first));
	high = word_of(encoder, dp_grid_value(encoder->range.coder, range->grid.last));
	if (low > high)
		return;
	if (kind == ENCODE_CELLS && encoder->range.cells.single &&
		(uint64) high - (uint64) low == encoder->range.cells.n - 1)
	{
		encoder->kind = ENCODE_PLACE;
		encoder->table.low = low;
		encoder->table.span = encoder->range.cells.n - 1;
	}
	else if (dp_encoder_table_begin(encoder, low, high, attribute->levels))
		range_table(encoder, kind);
	else if (kind == ENCODE_RANGE)
		bins_of_words(encoder, range);
}

void
dp_encoder_of_range(DpEncoder *encoder, const DpAttribute *attribute)
{
	const DpRange *range = attribute->range;

	encoder->kind = range->state == DP_RANGE_CELLS ? ENCODE_CELLS : ENCODE_RANGE;
	encoder->range.missing = attribute->has_other;
	encoder->range.coder = dp_grid_coder(&range->grid, encoder->type.id, -1);
	if (!dp_grid_coder_reads(encoder->range.coder))
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("attribute \"%s\" has a range, which values of type %s do not fit",
							   attribute->name, format_type_be(encoder->type.id))));
	dp_grid_cells(&range->grid, &encoder->range.cells);
	if (encoder->kind == ENCODE_RANGE) /* of bins that are yet to be found there are none */
		find_among(encoder, range->bin, range->bins);
	range_of_words(encoder, attribute);
}

/* Categories, each of which has the level of its place in the list. */
void
dp_encoder_of_listed(DpEncoder *encoder, const DpRange *range)
{
	uint32 outside = encoder->other;

	encoder->n = (uint32) range->grid.last + 1;
	encoder->value = palloc_extended(sizeof(Datum) * (encoder->n + 1), MCXT_ALLOC_HUGE);
	encoder->other = encoder->n;
	dp_encoder_of_categories(encoder, range->listed);
	dp_grid_cells(&range->grid, &encoder->range.cells);
	encoder->map = palloc_extended(sizeof(uint32) * (encoder->n + 1), MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < encoder->n; i++)
		encoder->map[i] = range->state == DP_RANGE_CELLS ? dp_grid_cell(&encoder->range.cells, i)
														 : dp_range_bin(range, i);
	encoder->map[encoder->n] = outside;
}
