/*
 * test_counts_bytes.c -- partial counts as bytes: what is read back, a golden vector, and bytes
 * that are forged.
 */

#include <setjmp.h>

#include "unit_counts.h"

static const uint32_t few[] = {3, 1, 7, 2, 16};
static const uint32_t many[] = {5, 9, 2, 14, 3, 6, 1, 8, 4, 12, 7, 2, 10, 3};

static void
check_bytes(const char *name, const uint32_t *levels, uint32_t n, uint32_t rows)
{
	DpArena arena = dp_arena_malloc();
	DpSpec spec = unit_spec(&arena, levels, n);
	DpSpec parsed;
	DpCountsView view;
	DpCounts counts;
	DpCounts again;
	DpMarginal one;
	UnitBytes bytes;
	UnitBytes twice;
	DpPrng prng;
	DpError error;
	bool alone = true;

	dp_prng_seed(&prng, (DpStream){rows, n, 3});
	MUST(dp_counts_init(&counts, &spec, NULL, &arena, NULL));
	MUST(unit_add_rows(&counts, NULL, &prng, rows, NULL));
	bytes = unit_bytes(&counts, &arena);
	CHECK_OK(dp_counts_view(bytes.at, bytes.length, &view, &error), "%s: bytes are read", name);
	CHECK_I64(view.rows, rows, "%s: with their rows", name);
	CHECK_OK(dp_counts_check(&view, &parsed, NULL, &arena, &error), "%s: and hold what they must",
			 name);
	MUST(dp_counts_init(&again, &parsed, NULL, &arena, NULL));
	MUST(dp_counts_add_bytes(&again, &view, &error));
	twice = unit_bytes(&again, &arena);
	CHECK(twice.length == bytes.length && memcmp(twice.at, bytes.at, bytes.length) == 0,
		  "%s: written again they are the same", name);
	for (uint32_t s = 0; s < spec.sets; s++)
	{
		MUST(dp_marginal_init(&one, &parsed.domain,
							  &(DpAttributeSet){parsed.set[s].n, parsed.set[s].attribute},
							  parsed.set[s].storage, &arena, NULL));
		MUST(dp_counts_read_set(&view, &parsed, s, &one, &error));
		alone &= unit_same_table(&one, &counts.table[s], &arena);
	}
	CHECK(alone, "%s: each set is read alone", name);
	CHECK_STATUS(dp_counts_read_set(&view, &parsed, spec.sets, &one, &error), DP_ERR_ARGUMENT,
				 "%s: but not one more", name);
	MUST(dp_counts_add_bytes(&again, &view, &error));
	CHECK_I64(dp_counts_rows(&again), 2 * (int64_t) rows, "%s: they add up", name);
	dp_arena_malloc_free(&arena);
}

/* The format is fixed: these bytes were written by version 1. */
static void
check_golden(void)
{
	static const unsigned char golden[] = {
		1,   48,                                        /* version, length of the spec */
		1,   0,  2,                                     /* version, clamps, attributes */
		0,   2,  'c', '0', 2, 2, 'v', '0', 2, 'v', '1', /* c0: v0, v1; no type */
		0,   2,  'c', '1', 3, 2, 'v', '0', 2, 'v', '1', 2, 'v', '2', /* c1 */
		1,   1,  'C', 0,                                             /* collations */
		2,                                                           /* sets */
		0,   2,  0,   1,                                             /* dense (c0, c1) */
		1,   1,  1,                                                  /* hashed (c1) */
		0,   0,  0,   0,   0, 0, 0,   0,                             /* digest, below */
		131, 2,                                                      /* 259 rows */
		2,   7,  6,                                                  /* sets, their lengths */
		0,   0,  129, 2,   0, 2, 2,                                  /* 0 257 0 0 0 2 */
		2,   1,  129, 2,   2, 2,                                     /* 1: 257, 2: 2 */
	};
	DpArena arena = dp_arena_malloc();
	DpSpec spec = {.domain = unit_domain(&arena, (const uint32_t[]){2, 3}, 2)};
	unsigned char want[sizeof(golden)];
	const char *collation[] = {"C", NULL};
	DpCounts counts;
	UnitBytes bytes;
	uint64_t hash = UINT64_C(14695981039346656037);

	spec.collation = collation;
	spec.domain.attribute[0].type = NULL;
	spec.domain.attribute[1].type = NULL;
	spec.set = dp_alloc(&arena, 2, sizeof(*spec.set));
	unit_add_set(&spec, &arena, DP_DENSE, 2, (uint32_t[]){0, 1});
	unit_add_set(&spec, &arena, DP_SPARSE, 1, (uint32_t[]){1});
	memcpy(want, golden, sizeof(golden));
	for (int i = 2; i < 42; i++)
		hash = (hash ^ want[i]) * UINT64_C(1099511628211);
	for (int i = 0; i < 8; i++)
		want[42 + i] = (unsigned char) (hash >> (8 * i));
	MUST(dp_counts_init(&counts, &spec, NULL, &arena, NULL));
	for (int i = 0; i < 259; i++)
	{
		dp_counts_put(&counts, 0, i < 257 ? 0 : 1);
		dp_counts_put(&counts, 1, i < 257 ? 1 : 2);
		counts.rows++;
	}
	bytes = unit_bytes(&counts, &arena);
	CHECK_I64(bytes.length, sizeof(want), "the golden bytes are as many");
	CHECK(bytes.length == sizeof(want) && memcmp(bytes.at, want, sizeof(want)) == 0,
		  "and the same, whatever the byte order of this machine");
	dp_arena_malloc_free(&arena);
}

/* Every cut and every changed byte is refused, or means other counts that hold. */
static void
check_corruption(void)
{
	DpArena arena = dp_arena_malloc();
	DpSpec spec = unit_spec(&arena, (const uint32_t[]){2, 3}, 2);
	DpCounts counts;
	UnitBytes bytes;
	DpPrng prng;
	DpError error;
	bool cut_refused = true;
	unsigned refused = 0;
	unsigned spec_accepted = 0;

	dp_prng_seed(&prng, (DpStream){5, 0, 0});
	MUST(dp_counts_init(&counts, &spec, NULL, &arena, NULL));
	MUST(unit_add_rows(&counts, NULL, &prng, 20, NULL));
	bytes = unit_bytes(&counts, &arena);
	for (size_t length = 0; length < bytes.length; length++)
	{
		/* a copy of its own size, so that reading beyond it is seen */
		unsigned char *cut = dp_memdup(&arena, bytes.at, length);
		DpCountsView view;
		DpSpec parsed;

		cut_refused &= dp_counts_view(cut, length, &view, &error) == DP_ERR_CORRUPT ||
					   dp_counts_check(&view, &parsed, NULL, &arena, &error) == DP_ERR_CORRUPT;
	}
	CHECK(cut_refused, "every cut is refused");
	for (size_t i = 0; i < bytes.length; i++)
	{
		for (unsigned value = 0; value < 256; value++)
		{
			unsigned char kept = bytes.at[i];
			DpCountsView view;
			DpSpec parsed;

			if (value == kept)
				continue;
			bytes.at[i] = (unsigned char) value;
			if (dp_counts_view(bytes.at, bytes.length, &view, &error) != DP_OK ||
				dp_counts_check(&view, &parsed, NULL, &arena, &error) != DP_OK)
				refused++;
			else if (i >= 2 && i < 2 + bytes.spec_length)
				spec_accepted++;
			bytes.at[i] = kept;
		}
	}
	CHECK_I64(spec_accepted, 0, "every changed byte of the spec is refused");
	CHECK(refused > 200 * bytes.length, "%u of %zu changes are refused", refused,
		  255 * bytes.length);
	dp_arena_malloc_free(&arena);
}

int
main(void)
{
	check_bytes("few", few, 5, 700);
	check_bytes("none", few, 5, 0);
	check_bytes("many", many, 14, 40);
	check_golden();
	check_corruption();
	return unit_finish();
}
