/*
 * test_row_cache.c -- which rows of a unit are counted depends on its own rows, what tells it and the
 * key alone, whatever other units there are and in whatever order rows come; each row of a unit has the
 * same chance, equal ones too.
 */
#include "core/exact/row_cache.h"

#include "unit_data.h"

#define UNITS 40
#define ROWS_MAX 3
#define BYTES (DP_UNIT_BYTES + 2)

typedef struct Row
{
	uint32_t unit; /* what tells it */
	uint16_t value;
} Row;

/* Writes the rows as bytes, units numbered in the order in which they are first seen. */
static DpRowCache
rows_of(const Row *row, uint32_t n, unsigned char *bytes, uint32_t *hash)
{
	DpRowCache rows = {.bytes = BYTES, .rows = n, .row = bytes, .hash = hash};

	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t u = 0;

		while (u < rows.units && hash[u] != row[i].unit * 7919)
			u++;
		if (u == rows.units)
			hash[rows.units++] = row[i].unit * 7919;
		memcpy(bytes + i * BYTES, &u, sizeof(u));
		dp_row_field_write(bytes + i * BYTES + DP_UNIT_BYTES, 2, row[i].value);
	}
	return rows;
}

/* The values of the rows of a unit that are kept, as a sum of 16 to the power of the value. */
static uint64_t
kept_of(const Row *row, uint32_t n, uint32_t unit, const unsigned char *key, uint32_t *kept)
{
	static unsigned char bytes[4096 * BYTES];
	static uint32_t hash[4096], count[4096];
	DpArena arena = dp_arena_malloc();
	DpRowCache rows = rows_of(row, n, bytes, hash);
	bool *drops = dp_alloc(&arena, n, sizeof(*drops));
	uint64_t sum = 0;

	*kept = 0;
	dp_row_cache_count(&rows, count);
	MUST(dp_row_cache_bound(&rows, count, ROWS_MAX, key, drops, &arena));
	for (uint32_t i = 0; i < n; i++)
		if (row[i].unit == unit && !drops[i])
		{
			sum += UINT64_C(1) << (4 * row[i].value);
			++*kept;
		}
	dp_arena_malloc_free(&arena);
	return sum;
}

static uint32_t
fill(Row *row, DpPrng *prng, uint32_t without)
{
	uint32_t n = 0;

	for (uint32_t u = 0; u < UNITS; u++)
		for (uint32_t i = 0; i < 1 + u % 9; i++)
			if (u != without)
				row[n++] = (Row){u, (uint16_t) (i / 2)};
	for (uint32_t i = n; i > 1; i--)
	{
		uint32_t at = (uint32_t) dp_prng_below(prng, i);
		Row swapped = row[at];

		row[at] = row[i - 1];
		row[i - 1] = swapped;
	}
	return n;
}

static void
test_own_rows_alone(void)
{
	static Row one[4096], other[4096];
	unsigned wrong = 0, numbers = 0;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){52, 0, 0});
	for (uint32_t trial = 0; trial < 20; trial++)
	{
		unsigned char key[DP_SIPHASH_KEY_BYTES];
		uint32_t without = trial % UNITS, n = fill(one, &prng, UNITS);
		uint32_t m = fill(other, &prng, without);

		for (size_t i = 0; i < sizeof(key); i++)
			key[i] = (unsigned char) dp_prng_below(&prng, 256);
		for (uint32_t u = 0; u < UNITS; u++)
		{
			uint32_t kept, kept_beside, rows = 1 + u % 9;
			uint64_t all = kept_of(one, n, u, key, &kept);

			numbers += kept != (rows < ROWS_MAX ? rows : ROWS_MAX);
			if (u != without)
				wrong += all != kept_of(other, m, u, key, &kept_beside);
		}
	}
	CHECK_I64(numbers, 0, "a unit keeps all of its rows, or as many as the bound says");
	CHECK_I64(wrong, 0, "which ones does not depend on other units, nor on the order of rows");
}

/* Of nine rows, one of value 0 and eight of value 1, three are kept: the first one in a third. */
static void
test_even_chances(void)
{
	enum
	{
		KEYS = 6000
	};
	static Row row[9];
	DpPrng prng;
	uint32_t first = 0, kept;

	dp_prng_seed(&prng, (DpStream){53, 0, 0});
	for (uint32_t i = 0; i < 9; i++)
		row[i] = (Row){5, i > 0};
	for (uint32_t trial = 0; trial < KEYS; trial++)
	{
		unsigned char key[DP_SIPHASH_KEY_BYTES];

		for (size_t i = 0; i < sizeof(key); i++)
			key[i] = (unsigned char) dp_prng_below(&prng, 256);
		first += kept_of(row, 9, 5, key, &kept) % 16;
	}
	CHECK(first > KEYS / 3 - 200 && first < KEYS / 3 + 200,
		  "of equal rows each has its own chance (%u of %u)", first, KEYS);
}

/* dp_row_order of a row of two numbers. */
static int64_t
order_of(uint64_t hash, uint64_t copy, const unsigned char *key)
{
	const uint64_t length = 8;
	DpSiphash siphash;

	dp_siphash_start(&siphash, key);
	dp_siphash_add(&siphash, "\1", 1);
	dp_siphash_add(&siphash, &length, 8);
	dp_siphash_add(&siphash, &hash, 8);
	dp_siphash_add(&siphash, "\1", 1);
	dp_siphash_add(&siphash, &length, 8);
	dp_siphash_add(&siphash, &copy, 8);
	return (int64_t) dp_siphash_finish(&siphash);
}

/* Rows with a hash of their own are chosen as the statement does it that reads them in SQL. */
static void
test_given_hash(void)
{
	enum
	{
		ROWS = 20,
		ROW_BYTES = DP_UNIT_BYTES + 8 + 1
	};
	static const unsigned char key[DP_SIPHASH_KEY_BYTES] = {7, 1, 3};
	static unsigned char bytes[ROWS * ROW_BYTES];
	static const uint32_t hash[1] = {5}, count[1] = {ROWS};
	DpArena arena = dp_arena_malloc();
	DpRowCache rows = {
		.bytes = ROW_BYTES, .rows = ROWS, .row = bytes, .hashed = true, .units = 1, .hash = hash};
	int64_t order[ROWS];
	bool drops[ROWS] = {false};
	unsigned wrong = 0, kept = 0;

	for (uint64_t i = 0; i < ROWS; i++)
	{
		uint64_t own = (i / 2) * UINT64_C(0x9e3779b97f4a7c15); /* two rows each */

		dp_row_field_write(bytes + i * ROW_BYTES + DP_UNIT_BYTES, 8, own);
		dp_row_field_write(bytes + i * ROW_BYTES + DP_UNIT_BYTES + 8, 1, i % 3);
		order[i] = order_of(own, 1 + i % 2, key);
	}
	MUST(dp_row_cache_bound(&rows, count, ROWS_MAX, key, drops, &arena));
	for (uint32_t i = 0; i < ROWS; i++)
	{
		unsigned before = 0;

		for (uint32_t other = 0; other < ROWS; other++)
			before += order[other] < order[i];
		kept += !drops[i];
		wrong += drops[i] != (before >= ROWS_MAX);
	}
	CHECK_I64(kept, ROWS_MAX, "as many as the bound says");
	CHECK_I64(wrong, 0, "those that come first by the hash of the row and the number of the copy");
	dp_arena_malloc_free(&arena);
}

static void
test_by_unit(void)
{
	static Row row[4096];
	static unsigned char bytes[4096 * BYTES];
	static uint32_t hash[4096], count[4096];
	static uint64_t order[4096], end[4096];
	static bool seen[4096];
	DpPrng prng;
	DpRowCache rows;
	uint64_t at = 0;
	unsigned wrong = 0;
	uint32_t n;

	dp_prng_seed(&prng, (DpStream){54, 0, 0});
	n = fill(row, &prng, UNITS);
	rows = rows_of(row, n, bytes, hash);
	dp_row_cache_count(&rows, count);
	dp_row_cache_by_unit(&rows, count, order, end);
	for (uint32_t u = 0; u < rows.units; u++)
	{
		wrong += end[u] - at != count[u];
		for (; at < end[u]; at++)
		{
			wrong += dp_row_cache_unit(&rows, order[at]) != u || seen[order[at]];
			seen[order[at]] = true;
		}
	}
	CHECK_I64(wrong, 0, "unit by unit, each row once");
	CHECK_I64(at, n, "all rows");
}

static void
test_bytes(void)
{
	DpRowField code = {.kind = DP_FIELD_CODE, .levels = 255};
	DpRowField place = {.kind = DP_FIELD_COORDINATE,
						.grid = {.first = -5, .last = 65529, .step = 1}};
	unsigned char bytes[8];

	CHECK_I64(dp_row_field_bytes(&code), 1, "255 levels take a byte");
	CHECK_I64(dp_row_field_bytes(&place), 2, "65,535 coordinates and a missing one take two");
	place.grid.last++;
	CHECK_I64(dp_row_field_bytes(&place), 3, "one more takes three");
	dp_row_field_write(bytes, 5, UINT64_C(0x123456789a));
	CHECK(dp_row_field_read(bytes, 5) == UINT64_C(0x123456789a), "what is written is read");
}

int
main(void)
{
	test_own_rows_alone();
	test_even_chances();
	test_given_hash();
	test_by_unit();
	test_bytes();
	return unit_finish();
}
