/*
 * test_sibling_rows.c -- rows of a tree against the same by the definition: which rows of a parent
 * are read, in which order, and how often each counts, depends on the rows of this parent alone.
 */
#include "core/exact/sibling_rows.h"

#include "unit_data.h"

#define PARENTS 30
#define ROWS 400
#define BYTES (DP_UNIT_BYTES + 8 + 2 + 1) /* hash, reference, order */

static const unsigned char key[DP_SIPHASH_KEY_BYTES] = {9, 8, 7};
static const DpRowBytes reference = {DP_UNIT_BYTES + 8, 2}, order = {DP_UNIT_BYTES + 10, 1};

static void
write_row(unsigned char *row, uint64_t hash, unsigned parent, unsigned place)
{
	memset(row, 0, DP_UNIT_BYTES);
	dp_row_field_write(row + DP_UNIT_BYTES, 8, hash);
	dp_row_field_write(row + reference.at, 2, parent);
	dp_row_field_write(row + order.at, 1, place);
}

static int64_t
hash_of(const unsigned char *row)
{
	return (int64_t) dp_row_field_read(row + DP_UNIT_BYTES, 8);
}

static unsigned
parent_of(const unsigned char *row)
{
	return (unsigned) dp_row_field_read(row + reference.at, 2);
}

/* How many rows of the same parent come before one, by the hash, or by the order and then the hash,
 * of those that are read. */
static unsigned
before(const unsigned char *rows, uint32_t n, uint32_t i, bool by_order, uint32_t rows_max)
{
	const unsigned char *row = rows + i * BYTES;
	unsigned found = 0;

	for (uint32_t other = 0; other < n; other++)
	{
		const unsigned char *at = rows + other * BYTES;
		int compared = by_order ? memcmp(at + order.at, row + order.at, 1) : 0;

		if (parent_of(at) == parent_of(row) &&
			(compared != 0 ? compared < 0 : hash_of(at) < hash_of(row)) &&
			(!by_order || before(rows, n, other, false, 0) < rows_max))
			found++;
	}
	return found;
}

static unsigned
siblings_of(const unsigned char *rows, uint32_t n, uint32_t i)
{
	unsigned found = 0;

	for (uint32_t other = 0; other < n; other++)
		found += parent_of(rows + other * BYTES) == parent_of(rows + i * BYTES);
	return found;
}

/* The parent of number p has the key 2 p; references to odd keys lead nowhere. */
static DpSiblingRows
parents_create(unsigned char *bytes, DpArena *arena)
{
	DpSiblingRows parents = {.cache = {.bytes = BYTES, .rows = PARENTS, .row = bytes}};

	for (unsigned p = 0; p < PARENTS; p++)
		write_row(bytes + p * BYTES, p, 2 * p, 0);
	MUST(dp_sibling_rows_root(&parents, arena));
	parents.copies[3] = 5;
	return parents;
}

static void
check_against_definition(DpTreeLink link, DpPrng *prng)
{
	static unsigned char above[PARENTS * BYTES], bytes[ROWS * BYTES];
	DpArena arena = dp_arena_malloc();
	DpSiblingRows parents = parents_create(above, &arena);
	DpSiblingRows rows = {.cache = {.bytes = BYTES, .rows = ROWS, .row = bytes}};
	uint64_t count[PARENTS], read = 0;
	unsigned wrong = 0, numbers = 0, uneven = 0;
	DpRowIndex index;

	for (uint32_t i = 0; i < ROWS; i++)
		write_row(bytes + i * BYTES, dp_prng_below(prng, UINT64_C(1) << 62) << 2,
				  (unsigned) dp_prng_below(prng, 2 * PARENTS), (unsigned) dp_prng_below(prng, 4));
	MUST(dp_row_index_create(&index, &parents, reference, key, &arena));
	MUST(dp_sibling_rows_below(&rows, &index, &link, &arena));
	dp_sibling_rows_count(&rows.cache, reference, &index, count);
	for (uint32_t i = 0; i < ROWS; i++)
		read += parent_of(bytes + i * BYTES) % 2 == 0 &&
				before(bytes, ROWS, i, false, 0) < link.rows_max;
	CHECK_I64(rows.rows, read, "each row that belongs to a parent is read, up to the bound");
	for (uint64_t at = 0, first = 0; at < rows.rows; at++)
	{
		uint32_t i = (uint32_t) rows.row[at], p = parent_of(bytes + i * BYTES) / 2;
		uint32_t all = siblings_of(bytes, ROWS, i), m = all < link.rows_max ? all : link.rows_max;
		uint32_t times = (m < link.full ? m : link.full) * link.full_row;
		uint32_t place = before(bytes, ROWS, i, false, 0);

		first = at > 0 && rows.parent[at - 1] == rows.parent[at] ? first : at;
		wrong += rows.parent[at] != p || rows.siblings[at] != m || place >= link.rows_max ||
				 at - first != before(bytes, ROWS, i, link.order.n > 0, link.rows_max);
		wrong += rows.copies[at] != (p == 3 ? 5 : 1) * (times / m + (place < times % m ? 1 : 0));
		numbers += count[p] != all;
	}
	for (uint64_t at = 0; at < rows.rows;)
	{
		uint64_t p = rows.parent[at], m = rows.siblings[at], copies = 0;

		for (; at < rows.rows && rows.parent[at] == p; at++)
			copies += rows.copies[at];
		uneven += copies != (p == 3 ? 5U : 1U) * (m < link.full ? m : link.full) * link.full_row;
	}
	CHECK_I64(wrong, 0, "with its parent, siblings, place and copies");
	CHECK_I64(numbers, 0, "all rows of a parent are counted");
	CHECK_I64(uneven, 0, "the rows of a parent count in all as often as they may");
	dp_arena_malloc_free(&arena);
}

static void
test_no_rows(void)
{
	DpArena arena = dp_arena_malloc();
	DpSiblingRows parents = {.cache = {.bytes = BYTES}}, rows = parents;
	DpTreeLink link = {.reference = reference, .rows_max = 3, .full = 1, .full_row = 3};
	DpRowIndex index;

	MUST(dp_sibling_rows_root(&parents, &arena));
	MUST(dp_row_index_create(&index, &parents, reference, key, &arena));
	MUST(dp_sibling_rows_below(&rows, &index, &link, &arena));
	CHECK_I64(rows.rows, 0, "no rows of no parents");
	dp_arena_malloc_free(&arena);
}

int
main(void)
{
	DpTreeLink link = {.reference = reference, .rows_max = 8, .full = 1, .full_row = 8};
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){71, 0, 0});
	check_against_definition(link, &prng);
	link.order = order;
	check_against_definition(link, &prng);
	link = (DpTreeLink){reference, order, .rows_max = 5, .full = 3, .full_row = 1};
	check_against_definition(link, &prng);
	link = (DpTreeLink){reference, order, .rows_max = 1, .full = 1, .full_row = 1};
	check_against_definition(link, &prng);
	test_no_rows();
	return unit_finish();
}
