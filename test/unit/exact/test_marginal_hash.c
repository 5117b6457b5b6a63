/*
 * test_marginal_hash.c -- the hash table of non-empty cells against an array of all
 * cells: counting, growing, order, and what happens when memory ends.
 */
#include "core/exact/marginal_hash.h"

#include "core/base/code_key.h"
#include "unit_data.h"

#define CELLS_MAX 6000
#define ROWS 20000

/* Cells of 3 attributes. Where keys are to have several words, there are 3 large attributes
 * more, which have their first level or their last one, as follows from the others. */
typedef struct Case
{
	DpDomain domain;
	DpMarginal marginal;
	uint32_t n;
	uint32_t *code[6];
	int64_t want[CELLS_MAX];
} Case;

static const uint32_t shape[] = {20, 15, 20};

static void
start(Case *c, DpArena *arena, bool wide)
{
	const uint32_t levels[6] = {20, 15, 20, 2, 2, 2};
	const uint32_t all[] = {3, 0, 1, 4, 5, 2}, few[] = {0, 1, 2};

	c->n = wide ? 6 : 3;
	c->domain = unit_domain(arena, levels, 6);
	for (int a = 3; a < 6; a++)
		c->domain.attribute[a].levels = DP_LEVELS_MAX;
	MUST(dp_marginal_init(&c->marginal, &c->domain, &(DpAttributeSet){c->n, wide ? all : few},
						  DP_SPARSE, arena, NULL));
	memset(c->want, 0, sizeof(c->want));
	for (uint32_t a = 0; a < 6; a++)
		c->code[a] = dp_alloc(arena, ROWS, sizeof(uint32_t));
}

static uint32_t
cell_of(const uint32_t *codes)
{
	return (codes[0] * shape[1] + codes[1]) * shape[2] + codes[2];
}

static uint32_t
large_code(const uint32_t *codes, uint32_t attribute)
{
	return codes[attribute - 3] % 2 ? DP_LEVELS_MAX - 1 : 0;
}

static DpStatus
add_rows(Case *c, DpPrng *prng)
{
	for (uint32_t i = 0; i < ROWS; i++)
	{
		uint32_t codes[3];

		for (uint32_t a = 0; a < 3; a++)
			c->code[a][i] = codes[a] = (uint32_t) dp_prng_below(prng, shape[a]);
		for (uint32_t a = 3; a < 6; a++)
			c->code[a][i] = large_code(codes, a);
		c->want[cell_of(codes)]++;
	}
	return dp_marginal_hash_add(&c->marginal, (const uint32_t *const *) c->code, ROWS);
}

/* Codes of attributes 0, 1, 2 of a slot; false if the large ones are not as they follow from
 * these. */
static bool
read_slot(const Case *c, uint64_t slot, uint32_t *codes)
{
	uint32_t all[6] = {0};
	bool right = true;

	for (uint32_t k = 0; k < c->n; k++)
		all[c->marginal.attribute[k]] =
			dp_key_get(&c->marginal.field[k], c->marginal.keys + slot * c->marginal.key_words);
	memcpy(codes, all, 3 * sizeof(*codes));
	for (uint32_t a = 3; a < c->n; a++)
		right &= all[a] == large_code(codes, a);
	return right;
}

static bool
holds_the_counts(const Case *c)
{
	uint64_t used = 0, cells = 0;

	for (uint64_t slot = 0; slot < c->marginal.capacity; slot++)
	{
		uint32_t codes[3];

		if (c->marginal.counts[slot] == 0)
			continue;
		used++;
		if (!read_slot(c, slot, codes) || c->marginal.counts[slot] != c->want[cell_of(codes)])
			return false;
	}
	for (uint32_t i = 0; i < CELLS_MAX; i++)
		cells += c->want[i] > 0;
	return used == cells && used == c->marginal.used;
}

static bool
is_ordered(const Case *c, DpArena *arena)
{
	const DpMarginal *m = &c->marginal;
	uint64_t *slot;

	MUST(dp_marginal_hash_order(m, &slot, arena));
	for (uint64_t i = 0; i < m->used; i++)
	{
		uint32_t codes[2][6] = {{0}, {0}};
		uint32_t k = 0;

		if (m->counts[slot[i]] == 0)
			return false;
		if (i == 0)
			continue;
		for (uint32_t j = 0; j < m->n; j++)
			for (int side = 0; side < 2; side++)
				codes[side][j] = dp_key_get(&m->field[j],
											m->keys + slot[i - 1 + (uint64_t) side] * m->key_words);
		while (k < m->n && codes[0][k] == codes[1][k])
			k++;
		if (k == m->n || codes[0][k] > codes[1][k])
			return false;
	}
	return true;
}

static void
test_counting(bool wide)
{
	static Case c;
	DpArena arena = dp_arena_malloc();
	const char *what = wide ? "keys of several words" : "keys of one word";
	bool power = true;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){41, 0, 0});
	start(&c, &arena, wide);
	CHECK(wide == (c.marginal.key_words > 1), "%s", what);
	for (int round = 0; round < 2; round++)
	{
		MUST(add_rows(&c, &prng));
		CHECK(holds_the_counts(&c), "%s: every cell has its rows", what);
		CHECK(is_ordered(&c, &arena), "%s: in the order of codes", what);
	}
	power = c.marginal.capacity == dp_marginal_hash_capacity(c.marginal.used);
	CHECK(power && c.marginal.used <= c.marginal.capacity / 3 * 2,
		  "%s: it grew to the size that was told, and is two thirds full at most", what);
	c.code[1][77] = shape[1];
	CHECK_STATUS(dp_marginal_hash_add(&c.marginal, (const uint32_t *const *) c.code, 100),
				 DP_ERR_INTERNAL, "%s: a code that is no level is a bug", what);
	dp_arena_malloc_free(&arena);
}

static void
test_sizes(void)
{
	unsigned wrong = 0;

	for (uint64_t used = 0; used < 20000; used++)
	{
		uint64_t capacity = dp_marginal_hash_capacity(used);

		wrong += (capacity & (capacity - 1)) != 0 || capacity < 256 || capacity / 3 * 2 < used ||
				 (capacity > 256 && capacity / 2 / 3 * 2 >= used);
	}
	CHECK_I64(wrong, 0, "a table has the least power of two that is two thirds full at most");
	CHECK(dp_marginal_hash_capacity(UINT64_MAX) == UINT64_C(1) << 62, "up to 2^62");
	CHECK(dp_marginal_hash_bytes(512, 3) == 512 * 32, "a slot takes its key and a count");
	CHECK(dp_marginal_hash_bytes(UINT64_C(1) << 62, 3) == UINT64_MAX, "bytes saturate");
}

/* Where a larger table does not fit, the one that there is stays as it was. */
static void
test_memory(void)
{
	static Case c;
	DpArena arena = dp_arena_malloc();
	uint64_t key = 0, used = 0;
	DpStatus status = DP_OK;
	int64_t sum = 0;

	start(&c, &arena, false);
	arena.bytes_max = arena.bytes_used + 1000;
	for (uint64_t i = 0; i < 1000 && status == DP_OK; i++)
	{
		key = i << (64 - 14); /* the first 14 bits: 20 x 15 x 20 levels need 5 + 4 + 5 */
		status = dp_marginal_hash_bump(&c.marginal, &key, 3);
		used += status == DP_OK;
	}
	CHECK_I64(status, DP_ERR_MEMORY, "a table that may not grow");
	CHECK_I64(used, 256 / 3 * 2, "is full at two thirds");
	CHECK_STATUS(dp_marginal_hash_bump(&c.marginal, &key, 3), DP_ERR_MEMORY, "and stays so");
	key = 0;
	MUST(dp_marginal_hash_bump(&c.marginal, &key, 1));
	for (uint64_t slot = 0; slot < c.marginal.capacity; slot++)
		sum += c.marginal.counts[slot];
	CHECK(sum == 3 * (int64_t) used + 1 && c.marginal.used == used,
		  "cells that are there are counted on");
	MUST(dp_marginal_hash_bump(&c.marginal, &key, INT64_MAX - 4));
	CHECK_STATUS(dp_marginal_hash_bump(&c.marginal, &key, 1), DP_ERR_RANGE, "up to 2^63 - 1");
	dp_arena_malloc_free(&arena);
}

int
main(void)
{
	test_counting(false);
	test_counting(true);
	test_sizes();
	test_memory();
	return unit_finish();
}
