/*
 * test_view_selection.c -- each set that is asked for is a margin of exactly one table that is
 * counted, and these keep within their bound.
 */
#include "core/exact/view_selection.h"

#include "unit_counts.h"

#define ATTRIBUTES_MAX 75

static bool
block_holds(const DpBlock *block, const DpSpecSet *set)
{
	for (uint32_t k = 0; k < set->n; k++)
	{
		uint32_t i = 0;

		while (i < block->of.n && block->of.attribute[i] != set->attribute[k])
			i++;
		if (i == block->of.n)
			return false;
	}
	return true;
}

/* Distinct attributes with the levels that the domain says, and the cells that these have. */
static bool
block_is_sound(const DpSpec *spec, const DpBlock *block)
{
	uint64_t cells = 1;

	for (uint32_t k = 0; k < block->of.n; k++)
	{
		for (uint32_t i = 0; i < k; i++)
			if (block->of.attribute[i] == block->of.attribute[k])
				return false;
		if (block->levels[k] != spec->domain.attribute[block->of.attribute[k]].levels)
			return false;
		cells *= block->levels[k];
	}
	return cells == block->cells && block->sets >= 1;
}

/* Over its bound a block is one of its own sets, which was asked for as it is. */
static bool
block_fits(const DpSpec *spec, const DpBlock *block, uint64_t cells_max)
{
	if (block->cells <= cells_max)
		return true;
	for (uint32_t i = 0; i < block->sets; i++)
		if (spec->set[block->set[i]].n == block->of.n)
			return true;
	return false;
}

/* set_cells_max: of the sets that are in a block; those over no attribute are in none. */
static bool
cover_of_some_is_sound(const DpSpec *spec, uint64_t cells_max, uint64_t set_cells_max,
					   const DpViewSelection *selection, DpArena *arena)
{
	uint32_t *times = dp_alloc(arena, spec->sets, sizeof(*times));
	uint64_t cells = 0;

	for (uint32_t b = 0; b < selection->blocks; b++)
	{
		const DpBlock *block = &selection->block[b];

		if (!block_is_sound(spec, block) || !block_fits(spec, block, cells_max))
			return false;
		cells += block->cells;
		for (uint32_t i = 0; i < block->sets; i++)
		{
			if (block->set[i] >= spec->sets || !block_holds(block, &spec->set[block->set[i]]))
				return false;
			times[block->set[i]]++;
		}
	}
	for (uint32_t s = 0; s < spec->sets; s++)
		if (times[s] != (spec->set[s].storage == DP_DENSE && spec->set[s].n > 0 &&
						 dp_spec_cells(spec, s) <= set_cells_max))
			return false;
	return cells == selection->cells;
}

static bool
cover_is_sound(const DpSpec *spec, uint64_t cells_max, const DpViewSelection *selection,
			   DpArena *arena)
{
	return cover_of_some_is_sound(spec, cells_max, UINT64_MAX, selection, arena);
}

static DpSpec
random_spec(DpPrng *prng, DpArena *arena)
{
	uint32_t levels[12], n = 3 + (uint32_t) dp_prng_below(prng, 10);
	uint32_t sets = 1 + (uint32_t) dp_prng_below(prng, 60);
	DpSpec spec;

	for (uint32_t a = 0; a < n; a++)
		levels[a] = 1 + (uint32_t) dp_prng_below(prng, 12);
	spec = (DpSpec){.domain = unit_domain(arena, levels, n)};
	spec.set = dp_alloc(arena, sets, sizeof(*spec.set));
	while (spec.sets < sets)
	{
		uint32_t member[3], first = (uint32_t) dp_prng_below(prng, n);

		for (uint32_t k = 0; k < 3; k++)
			member[k] = (first + k * (1 + spec.sets % 2)) % n;
		unit_add_set(&spec, arena, dp_prng_below(prng, 5) == 0 ? DP_SPARSE : DP_DENSE,
					 1 + (uint32_t) dp_prng_below(prng, n > 4 ? 3 : 2), member);
	}
	return spec;
}

static void
test_random(void)
{
	const uint64_t bounds[] = {0, 1, 30, 500, 4096, UINT64_MAX};
	unsigned wrong = 0, several = 0;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){61, 0, 0});
	for (int round = 0; round < 300; round++)
	{
		DpArena arena = dp_arena_malloc();
		DpSpec spec = random_spec(&prng, &arena);

		for (int i = 0; i < 6; i++)
		{
			DpViewSelection selection;

			MUST(dp_view_selection(&spec, bounds[i], &selection, NULL, &arena));
			wrong += !cover_is_sound(&spec, bounds[i], &selection, &arena);
			several += selection.blocks < spec.sets;
			MUST(dp_view_selection_runs(&spec, bounds[i], 100, &selection, NULL, &arena));
			wrong += !cover_of_some_is_sound(&spec, bounds[i], 100, &selection, &arena);
		}
		dp_arena_malloc_free(&arena);
	}
	CHECK_I64(wrong, 0, "300 specs, six bounds: each dense set is in one block, no other is");
	CHECK(several > 1000, "most blocks hold several");
}

static void
add_pairs(DpSpec *spec, uint32_t n, DpArena *arena)
{
	spec->set = dp_alloc(arena, n * n, sizeof(*spec->set));
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = a + 1; b < n; b++)
			unit_add_set(spec, arena, DP_DENSE, 2, (const uint32_t[]){a, b});
}

/* What the file promises of columns like those of Adult. */
static void
test_pairs(void)
{
	static const uint32_t levels[] = {15, 9, 16, 7, 15, 6, 5, 2, 12, 42, 2, 10};
	DpArena arena = dp_arena_malloc();
	DpSpec spec = {.domain = unit_domain(&arena, levels, 12)};
	DpViewSelection selection;

	add_pairs(&spec, 12, &arena);
	MUST(dp_view_selection(&spec, 4096, &selection, NULL, &arena));
	CHECK(selection.blocks <= 22 && cover_is_sound(&spec, 4096, &selection, &arena),
		  "66 pairs of 12 columns are in %u blocks", selection.blocks);
	MUST(dp_view_selection(&spec, 0, &selection, NULL, &arena));
	CHECK_I64(selection.blocks, 66, "without room, in one each");
	MUST(dp_view_selection(&spec, UINT64_MAX, &selection, NULL, &arena));
	CHECK_I64(selection.blocks, 1, "with all the room there is, in one");
	dp_arena_malloc_free(&arena);
}

/* More sets than are looked at together. */
static void
test_many(void)
{
	uint32_t levels[ATTRIBUTES_MAX];
	DpArena arena = dp_arena_malloc();
	DpSpec spec;
	DpViewSelection selection;

	for (uint32_t a = 0; a < ATTRIBUTES_MAX; a++)
		levels[a] = 2 + a % 3;
	spec = (DpSpec){.domain = unit_domain(&arena, levels, ATTRIBUTES_MAX)};
	add_pairs(&spec, ATTRIBUTES_MAX, &arena);
	MUST(dp_view_selection(&spec, 4096, &selection, NULL, &arena));
	CHECK(cover_is_sound(&spec, 4096, &selection, &arena) && selection.blocks < spec.sets / 5,
		  "%u pairs are in %u blocks", spec.sets, selection.blocks);
	MUST(dp_view_selection_runs(&spec, 1024, 65536, &selection, NULL, &arena));
	CHECK(cover_is_sound(&spec, 1024, &selection, &arena) && selection.blocks < spec.sets / 3,
		  "as runs of at most 1024 cells in %u", selection.blocks);
	dp_arena_malloc_free(&arena);
}

int
main(void)
{
	test_random();
	test_pairs();
	test_many();
	return unit_finish();
}
