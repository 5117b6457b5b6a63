/*
 * test_monotonicity.c -- zeros of rows in the order of an attribute: the row before has no larger
 * level, and "other" goes with any.
 */
#include "core/domain/monotonicity.h"

#include "core/domain/zeros.h"
#include "unit_data.h"

int
main(void)
{
	static const uint32_t levels[] = {4, 4, 2};
	DpArena malloced = dp_arena_malloc(), *arena = &malloced;
	DpDomain domain = unit_domain(arena, levels, 3);
	DpZeroTest test;
	DpError error;
	uint32_t wrong = 0;

	domain.attribute[0].has_other = domain.attribute[1].has_other = true;
	domain.attribute[0].labels_n = domain.attribute[1].labels_n = 3;
	CHECK_OK(dp_monotonicity(&domain, 1, 0, arena, &error), "zeros are added");
	CHECK_OK(dp_monotonicity(&domain, 1, 0, arena, &error), "and again");
	CHECK_I64(domain.zeros.sets, 1, "they are one set");
	CHECK_I64(domain.zeros.sets > 0 ? domain.zeros.set[0].tuples : 0, 3, "of three pairs");
	MUST(dp_zero_test_build(&test, &domain, NULL, 3, arena));
	for (uint32_t own = 0; own < 4; own++)
		for (uint32_t previous = 0; previous < 4; previous++)
		{
			uint32_t codes[] = {own, previous, 1};

			wrong +=
				dp_zero_test_forbids(&test, codes) != (own < 3 && previous < 3 && previous > own);
		}
	CHECK_I64(wrong, 0,
			  "a pair is forbidden if the level before is larger, and neither is \"other\"");
	dp_arena_malloc_free(arena);
	return unit_finish();
}
