/*
 * unit_counts.h -- specs and counts for tests: every pair, a hashed triple, and
 * rows from a seed.
 */
#ifndef UNIT_COUNTS_H
#define UNIT_COUNTS_H

#include "core/exact/counts.h"
#include "core/exact/count_kernel.h"
#include "core/noise/rng.h"

#include "unit_data.h"

static inline void
unit_add_set(DpSpec *spec, DpArena *arena, DpStorage storage, uint32_t n, const uint32_t *attribute)
{
	DpSpecSet *set = &spec->set[spec->sets++];

	*set = (DpSpecSet){.n = n, .storage = storage};
	set->attribute = dp_memdup(arena, attribute, n * sizeof(*attribute));
}

/*
 * The sets are all pairs, dense; all single attributes, dense and hashed; all attributes together,
 * hashed; and the last pair in descending order.
 */
static inline DpSpec
unit_spec(DpArena *arena, const uint32_t *levels, uint32_t n)
{
	DpSpec spec = {.domain = unit_domain(arena, levels, n)};
	uint32_t all[UNIT_COLUMNS_MAX];

	spec.collation = dp_alloc(arena, n, sizeof(*spec.collation));
	spec.set = dp_alloc(arena, (size_t) n * n + 2 * n + 2, sizeof(*spec.set));
	for (uint32_t a = 0; a < n; a++)
	{
		all[a] = a;
		unit_add_set(&spec, arena, DP_DENSE, 1, &a);
		unit_add_set(&spec, arena, DP_SPARSE, 1, &a);
		for (uint32_t b = a + 1; b < n; b++)
			unit_add_set(&spec, arena, DP_DENSE, 2, (uint32_t[]){a, b});
	}
	if (n > 1)
		unit_add_set(&spec, arena, DP_DENSE, 2, (uint32_t[]){n - 1, n - 2});
	unit_add_set(&spec, arena, DP_SPARSE, n, all);
	return spec;
}

/* Adds rows; to reference too, by the slow and plain way, where that is not NULL. */
static inline DpStatus
unit_add_rows(DpCounts *counts, DpMarginal *reference, DpPrng *prng, uint32_t rows, DpError *error)
{
	const DpSpec *spec = counts->spec;
	uint32_t row[UNIT_COLUMNS_MAX];
	const uint32_t *column[UNIT_COLUMNS_MAX];

	for (uint32_t i = 0; i < rows; i++)
	{
		for (uint32_t a = 0; a < spec->domain.attributes; a++)
		{
			row[a] = (uint32_t) dp_prng_below(prng, spec->domain.attribute[a].levels);
			row[a] = (uint32_t) dp_prng_below(prng, row[a] + 1);
			column[a] = &row[a];
			dp_counts_put(counts, a, row[a]);
		}
		for (uint32_t s = 0; reference != NULL && s < spec->sets; s++)
			DP_TRY(dp_marginal_add(&reference[s], column, 1));
		if (++counts->rows == DP_BATCH_ROWS)
			DP_TRY(dp_counts_batch(counts, error));
	}
	return DP_OK;
}

static inline DpMarginal *
unit_reference(DpArena *arena, const DpSpec *spec)
{
	DpMarginal *table = dp_alloc(arena, spec->sets, sizeof(*table));

	for (uint32_t s = 0; s < spec->sets; s++)
		MUST(dp_marginal_init(&table[s], &spec->domain,
							  &(DpAttributeSet){spec->set[s].n, spec->set[s].attribute},
							  spec->set[s].storage, arena, NULL));
	return table;
}

static inline bool
unit_same_table(const DpMarginal *a, const DpMarginal *b, DpArena *arena)
{
	uint32_t *code[2];
	int64_t *count[2];
	uint64_t used[2];

	MUST(dp_marginal_cells(a, &code[0], &count[0], &used[0], arena));
	MUST(dp_marginal_cells(b, &code[1], &count[1], &used[1], arena));
	return a->total == b->total && used[0] == used[1] &&
		   memcmp(code[0], code[1], used[0] * a->n * sizeof(**code)) == 0 &&
		   memcmp(count[0], count[1], used[0] * sizeof(**count)) == 0;
}

static inline bool
unit_same_tables(const DpMarginal *a, const DpMarginal *b, uint32_t sets, DpArena *arena)
{
	for (uint32_t s = 0; s < sets; s++)
	{
		if (!unit_same_table(&a[s], &b[s], arena))
			return false;
	}
	return true;
}

typedef struct UnitBytes
{
	unsigned char *spec;
	size_t spec_length;
	unsigned char *at;
	size_t length;
} UnitBytes;

static inline UnitBytes
unit_bytes(DpCounts *counts, DpArena *arena)
{
	UnitBytes bytes;

	MUST(dp_counts_finalize(counts, NULL));
	MUST(dp_spec_serialise(counts->spec, &bytes.spec, &bytes.spec_length, NULL, arena, NULL));
	MUST(dp_counts_serialise(counts, (DpBytes){bytes.spec, bytes.spec_length}, &bytes.at,
							 &bytes.length, arena, NULL));
	return bytes;
}

#endif
