/*
 * row_cache.c -- rows as bytes, and which of a unit's rows are counted.
 *
 * The rows of a unit are sorted by a keyed hash of their values, and the first ones are kept.
 * src/pg/worker/source.c does the same in SQL, and gives the reason. If rows have a hash of their
 * own, the same rows are kept as there. Equal rows have equal hashes, so the hash also includes the
 * number of the copy. Which copy has which number does not matter, since they are equal in
 * everything that is measured.
 */
#include "core/exact/row_cache.h"

#include "core/base/sort.h"

/* The rows of a unit, and memory for their order. */
typedef struct UnitOrder
{
	const unsigned char *key;
	uint64_t *hash;  /* [rows of the largest unit] */
	uint64_t *place; /* [rows of the largest unit] */
	DpArena *arena;
} UnitOrder;

static uint32_t
bytes_for(uint64_t largest)
{
	uint32_t bytes = 1;

	while (bytes < sizeof(largest) && largest >> (8 * bytes) != 0)
		bytes++;
	return bytes;
}

uint32_t
dp_row_field_bytes(const DpRowField *column)
{
	switch (column->kind)
	{
		case DP_FIELD_CODE:
			return bytes_for(column->levels);
		case DP_FIELD_COORDINATE:
			return bytes_for(dp_grid_size(&column->grid));
		case DP_FIELD_HASH:
			return sizeof(uint64_t);
		case DP_FIELD_SORTABLE:
			return column->levels;
		case DP_FIELD_PRESENT:
			break;
	}
	return 1;
}

void
dp_row_cache_count(const DpRowCache *rows, uint32_t *count)
{
	memset(count, 0, sizeof(*count) * rows->units);
	for (uint64_t i = 0; i < rows->rows; i++)
		count[dp_row_cache_unit(rows, i)]++;
}

void
dp_row_cache_by_unit(const DpRowCache *rows, const uint32_t *count, uint64_t *row, uint64_t *end)
{
	uint64_t n = 0;

	for (uint32_t u = 0; u < rows->units; u++)
	{
		end[u] = n;
		n += count[u];
	}
	for (uint64_t i = 0; i < rows->rows; i++)
		row[end[dp_row_cache_unit(rows, i)]++] = i;
}

/* ---- the order of a unit's rows ---- */

static uint64_t
hash_of_row(const DpRowCache *rows, uint64_t row, const unsigned char *key)
{
	const unsigned char *values = rows->row + row * rows->bytes + DP_UNIT_BYTES;
	uint32_t unit = dp_row_cache_unit(rows, row);
	DpSiphash hash;

	if (rows->hashed)
		return dp_row_field_read(values, sizeof(uint64_t));
	dp_siphash_start(&hash, key);
	dp_siphash_add(&hash, &rows->hash[unit], sizeof(rows->hash[unit]));
	dp_siphash_add(&hash, values, rows->bytes - DP_UNIT_BYTES);
	return dp_siphash_finish(&hash);
}

/* The hash of two numbers as dp_row_order computes it for a row, whose results are ordered as
 * signed integers. */
static uint64_t
hash_of_copy(uint64_t hash_of_row, uint64_t copy, const unsigned char *key)
{
	const uint64_t number[2] = {hash_of_row, copy}, length = sizeof(uint64_t);
	const unsigned char present = 1;
	DpSiphash hash;

	dp_siphash_start(&hash, key);
	for (int i = 0; i < 2; i++)
	{
		dp_siphash_add(&hash, &present, 1);
		dp_siphash_add(&hash, &length, sizeof(length));
		dp_siphash_add(&hash, &number[i], sizeof(number[i]));
	}
	return dp_siphash_finish(&hash) ^ UINT64_C(1) << 63;
}

/* Sorts the n rows of a unit: place[0] is the place of the first one. */
static DpStatus
order_unit(const DpRowCache *rows, const uint64_t *row, uint64_t n, const UnitOrder *order)
{
	uint64_t before = 0, copy = 0;

	for (uint64_t i = 0; i < n; i++)
		order->hash[i] = hash_of_row(rows, row[i], order->key);
	DP_TRY(dp_sort_numbers(order->hash, n, order->place, order->arena));
	for (uint64_t i = 0; i < n; i++)
	{
		uint64_t *hash = &order->hash[order->place[i]];

		copy = i > 0 && *hash == before ? copy + 1 : 1;
		before = *hash;
		*hash = hash_of_copy(before, copy, order->key);
	}
	return dp_sort_numbers(order->hash, n, order->place, order->arena);
}

/* The rows of units above the bound, unit by unit. end[u] follows the last row of unit u. */
static uint64_t *
rows_of_units(const DpRowCache *rows, const uint32_t *count, uint32_t rows_max, uint64_t *end,
			  DpArena *arena)
{
	uint64_t n = 0, *row;

	for (uint32_t u = 0; u < rows->units; u++)
	{
		end[u] = n;
		n += count[u] > rows_max ? count[u] : 0;
	}
	row = dp_alloc(arena, n + 1, sizeof(*row));
	for (uint64_t i = 0; row != NULL && i < rows->rows; i++)
	{
		uint32_t unit = dp_row_cache_unit(rows, i);

		if (count[unit] > rows_max)
			row[end[unit]++] = i;
	}
	return row;
}

static uint32_t
largest_of(const DpRowCache *rows, const uint32_t *count)
{
	uint32_t largest = 0;

	for (uint32_t u = 0; u < rows->units; u++)
		largest = count[u] > largest ? count[u] : largest;
	return largest;
}

DpStatus
dp_row_cache_bound(const DpRowCache *rows, const uint32_t *count, uint32_t rows_max,
				   const unsigned char key[DP_SIPHASH_KEY_BYTES], bool *drops, DpArena *arena)
{
	uint32_t largest = largest_of(rows, count);
	UnitOrder order = {.key = key, .arena = arena};
	uint64_t *end, *row;

	if (largest <= rows_max)
		return DP_OK;
	end = dp_alloc(arena, rows->units, sizeof(*end));
	order.hash = dp_alloc(arena, largest, sizeof(*order.hash));
	order.place = dp_alloc(arena, largest, sizeof(*order.place));
	if (end == NULL || order.hash == NULL || order.place == NULL)
		return DP_ERR_MEMORY;
	row = rows_of_units(rows, count, rows_max, end, arena);
	if (row == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t u = 0; u < rows->units; u++)
	{
		const uint64_t *of_unit;

		if (count[u] <= rows_max)
			continue;
		of_unit = row + (end[u] - count[u]);
		DP_TRY(order_unit(rows, of_unit, count[u], &order));
		for (uint32_t i = rows_max; i < count[u]; i++)
			drops[of_unit[order.place[i]]] = true;
	}
	return DP_OK;
}
