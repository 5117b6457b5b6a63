/*
 * test_renumbering.c -- attributes numbered by their levels, and tables laid out by these numbers.
 */
#include "core/graphical/graphical_model.h"

#include <string.h>

#include "core/base/prng.h"
#include "unit.h"

#define ATTRIBUTES 7
#define CELLS_MAX 5000

/* The cell of a table over a set, given levels by attribute. */
static uint64_t
cell_at(const DpAttributeSet *set, const uint32_t *levels, const uint32_t *code)
{
	uint64_t cell = 0;

	for (uint32_t k = 0; k < set->n; k++)
		cell = cell * levels[set->attribute[k]] + code[set->attribute[k]];
	return cell;
}

/* Whether each cell of a table over a set is where both layouts say. */
static bool
is_laid_out(const DpRenumbering *renumbering, const uint32_t *levels, const DpAttributeSet *set,
			const double *outside, const DpRenumberedSet *within, const double *inside)
{
	uint32_t code[ATTRIBUTES] = {0}, renumbered[ATTRIBUTES];
	bool right = true;

	for (uint64_t i = 0; i < within->cells; i++)
	{
		for (uint32_t a = 0; a < ATTRIBUTES; a++)
			renumbered[renumbering->number != NULL ? renumbering->number[a] : a] = code[a];
		right &= inside[cell_at(&within->set, renumbering->levels, renumbered)] ==
				 outside[cell_at(set, levels, code)];
		for (uint32_t k = set->n; k-- > 0; code[set->attribute[k]] = 0)
			if (++code[set->attribute[k]] < levels[set->attribute[k]])
				break;
	}
	return right;
}

/* Whether numbers ascend with levels, and each stands for one attribute. */
static bool
is_numbered(const DpRenumbering *renumbering, const uint32_t *levels)
{
	uint32_t seen = 0;
	bool right = true;

	for (uint32_t a = 0; a < ATTRIBUTES; a++)
	{
		uint32_t number = renumbering->number[a];

		seen |= 1u << number;
		right &= renumbering->levels[number] == levels[a];
		right &= number == 0 || renumbering->levels[number - 1] <= levels[a];
	}
	return right && seen == (1u << ATTRIBUTES) - 1;
}

/* Lays out one table and takes it back, through the renumbering and through its inverse. */
static bool
round_trip(const DpRenumbering *renumbering, const DpRenumbering *back, const uint32_t *levels,
		   const DpAttributeSet *set, DpArena *arena)
{
	static double outside[CELLS_MAX], inside[CELLS_MAX], again[CELLS_MAX];
	DpRenumberedSet within, without;
	uint64_t bytes;
	bool right;

	MUST(dp_renumbered_set_init(&within, renumbering, set, arena));
	MUST(dp_renumbered_set_init(&without, back, &within.set, arena));
	bytes = within.cells * sizeof(double);
	for (uint64_t i = 0; i < within.cells; i++)
		outside[i] = (double) i;
	dp_renumbered_set_enter(&within, outside, inside);
	right = is_laid_out(renumbering, levels, set, outside, &within, inside);
	dp_renumbered_set_leave(&within, inside, again);
	right &= memcmp(outside, again, bytes) == 0;
	dp_renumbered_set_enter(&without, inside, again);
	right &= memcmp(outside, again, bytes) == 0 && dp_set_equal(&without.set, set);
	dp_renumbered_set_free(&within, arena);
	dp_renumbered_set_free(&without, arena);
	return right;
}

int
main(void)
{
	uint32_t wrong_numbers = 0, wrong_tables = 0, tables = 0;
	DpArena arena = dp_arena_malloc();
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){8, 5, 1});
	for (int round = 0; round < 200; round++)
	{
		uint32_t levels[ATTRIBUTES], attribute[ATTRIBUTES];
		DpAttributeSet set = {0, attribute};
		DpRenumbering renumbering, back, kept;

		for (uint32_t a = 0; a < ATTRIBUTES; a++)
			levels[a] = 1 + (uint32_t) dp_prng_below(&prng, 6);
		for (uint32_t a = 0; a < ATTRIBUTES && set.n < 4; a++)
			if (dp_prng_below(&prng, 2) == 0)
				attribute[set.n++] = a;
		MUST(dp_renumbering_init(&renumbering, levels, ATTRIBUTES, &arena));
		MUST(dp_renumbering_invert(&renumbering, &back, &arena));
		dp_renumbering_keep(&kept, levels, ATTRIBUTES);
		wrong_numbers += !is_numbered(&renumbering, levels);
		wrong_tables += !round_trip(&renumbering, &back, levels, &set, &arena);
		wrong_tables += !round_trip(&kept, &kept, levels, &set, &arena);
		tables += 2;
		dp_renumbering_free(&renumbering, &arena);
		dp_renumbering_free(&back, &arena);
		dp_renumbering_free(&kept, &arena);
	}
	CHECK(wrong_numbers == 0, "200 numberings: attributes with few levels come first");
	CHECK(wrong_tables == 0, "%u tables: each cell in its place, and back again", tables);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
