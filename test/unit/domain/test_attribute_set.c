/*
 * test_attribute_set.c -- sets of attributes: cells and codes, parts of each other, order,
 * renumbering, and the check of what a caller hands over.
 */
#include "core/domain/attribute_set.h"

#include "unit_data.h"

#define SET(...)                                                                                   \
	{                                                                                              \
		sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), (const uint32_t[])             \
		{                                                                                          \
			__VA_ARGS__                                                                            \
		}                                                                                          \
	}

static const uint32_t levels[] = {3, 2, 4, 5};

static void
test_cells(void)
{
	const DpAttributeSet set = SET(0, 2, 3), along = SET(1, 2);
	uint32_t size[3], codes[4] = {0}, wrong = 0;
	uint64_t step[2];

	dp_set_levels(&set, levels, size);
	CHECK(size[0] == 3 && size[1] == 4 && size[2] == 5, "axes have the levels of attributes");
	CHECK_I64(dp_set_cells(&set, levels), 60, "cells");
	CHECK_I64(dp_set_step(&set, levels, 2), 5, "the step of attribute 2");
	CHECK_I64(dp_set_step(&set, levels, 1), 0, "a set without attribute 1");
	dp_set_steps_along(&set, size, &along, step);
	CHECK(step[0] == 0 && step[1] == 5, "steps along another set");
	for (uint64_t cell = 0; cell < 60; cell++)
	{
		dp_set_codes(&set, levels, cell, codes);
		wrong += dp_set_cell(&set, levels, codes) != cell;
		wrong += codes[0] * 20 + codes[2] * 5 + codes[3] != cell;
	}
	CHECK_I64(wrong, 0, "cells are row-major, and codes come back");
}

static void
test_order(void)
{
	const DpAttributeSet a = SET(0, 2), b = SET(0, 1, 2), c = SET(1, 3);

	CHECK(dp_set_within(&a, &b) && !dp_set_within(&b, &a), "within");
	CHECK(dp_set_equal(&a, &a) && !dp_set_equal(&a, &c), "equal");
	CHECK_I64(dp_set_shared(&b, &c), 1, "shared");
	CHECK(dp_set_holds(&c, 3) && !dp_set_holds(&c, 2), "holds");
	CHECK(dp_attributes_compare(a.attribute, a.n, b.attribute, b.n) < 0, "smaller sets come first");
	CHECK(dp_attributes_compare(c.attribute, c.n, a.attribute, a.n) > 0, "then by attributes");
	CHECK_I64(dp_attributes_compare(c.attribute, c.n, c.attribute, c.n), 0, "a set beside itself");
}

static void
test_renumber(void)
{
	static const uint32_t index[] = {UINT32_MAX, 0, 1, 2};
	uint32_t kept[] = {1, 3}, lost[] = {0, 3};

	CHECK(dp_attributes_renumber(kept, 2, index) && kept[0] == 0 && kept[1] == 2, "renumbered");
	CHECK(!dp_attributes_renumber(lost, 2, index) && lost[0] == 0 && lost[1] == 3,
		  "a set with an attribute that is not kept is left as it was");
}

static void
test_check(DpArena *arena)
{
	DpDomain domain = unit_domain(arena, levels, 4);
	DpError error;

	CHECK_OK(dp_attributes_check(&domain, (const uint32_t[]){0, 3}, 2, "a prior", &error), "valid");
	CHECK_STATUS(dp_attributes_check(&domain, (const uint32_t[]){3, 0}, 2, "a prior", &error),
				 DP_ERR_ARGUMENT, "attributes must ascend");
	CHECK(strstr(error.message, "a prior") != NULL, "the error says whose they are");
	CHECK_STATUS(dp_attributes_check(&domain, (const uint32_t[]){1, 1}, 2, "a prior", NULL),
				 DP_ERR_ARGUMENT, "none occurs twice");
	CHECK_STATUS(dp_attributes_check(&domain, (const uint32_t[]){4}, 1, "a prior", NULL),
				 DP_ERR_ARGUMENT, "there is no attribute 4");
}

int
main(void)
{
	DpArena malloced = dp_arena_malloc(), *arena = &malloced;

	test_cells();
	test_order();
	test_renumber();
	test_check(arena);
	dp_arena_malloc_free(arena);
	return unit_finish();
}
