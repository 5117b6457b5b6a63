/*
 * test_zeros.c -- structural zeros in their one form, and rows that avoid them.
 */
#include "core/domain/domain.h"
#include "core/domain/domain_bytes.h"

#include "unit_model.h"
#include "unit_zeros.h"

static const uint32_t small_levels[] = {2, 3, 4};

static void
test_canonical(DpArena *arena)
{
	DpZeroSet sets[] = {SET(arena, "20", "31", "10", "31", "01"), SET(arena, "1", "2", "0")};
	DpDomain domain = domain_with(arena, small_levels, 3, sets, 2);
	const DpZeros *zeros = &domain.zeros;
	static const uint32_t codes[] = {0, 1, 1, 0, 1, 3};

	CHECK_STATUS(dp_zeros_check(&domain, NULL), DP_ERR_ARGUMENT, "any order is not the one form");
	CHECK_OK(dp_zeros_canonical(&domain.zeros, arena, NULL), "it is brought to it");
	CHECK_OK(dp_zeros_check(&domain, NULL), "and holds");
	CHECK(zeros->set[0].n == 1 && zeros->set[0].code[0] == 0 && zeros->set[0].code[1] == 2,
		  "fewer attributes come first");
	CHECK(zeros->set[1].attribute[0] == 0 && zeros->set[1].attribute[1] == 2, "attributes ascend");
	CHECK(zeros->set[1].tuples == 3 && memcmp(zeros->set[1].code, codes, sizeof(codes)) == 0,
		  "with their codes, each combination once");
}

static DpStatus
canonical_status(DpArena *arena, DpZeroSet a, DpZeroSet b)
{
	DpZeroSet sets[] = {a, b};
	DpZeros zeros = {2, sets};

	return dp_zeros_canonical(&zeros, arena, NULL);
}

static DpStatus
check_status(DpArena *arena, DpZeroSet set)
{
	DpDomain domain = domain_with(arena, small_levels, 3, &set, 1);

	return dp_zeros_check(&domain, NULL);
}

static void
test_refused(DpArena *arena)
{
	DpZeroSet set = SET(arena, "01", "00", "01");
	DpZeroSet wide = {.n = DP_ZEROS_WIDTH_MAX + 1, .tuples = 1};
	DpDomain domain;

	CHECK_STATUS(canonical_status(arena, SET(arena, "11", "00"), set), DP_ERR_ARGUMENT,
				 "a column twice in a set");
	CHECK_STATUS(canonical_status(arena, SET(arena, "10", "00"), set), DP_ERR_ARGUMENT,
				 "two sets of the same columns");
	CHECK_STATUS(canonical_status(arena, wide, set), DP_ERR_ARGUMENT, "too many columns");
	CHECK_OK(check_status(arena, set), "a set that holds");
	CHECK_STATUS(check_status(arena, SET(arena, "03", "00")), DP_ERR_ARGUMENT, "no such column");
	CHECK_STATUS(check_status(arena, SET(arena, "01", "03")), DP_ERR_ARGUMENT, "no such level");
	CHECK_STATUS(check_status(arena, SET(arena, "10", "00")), DP_ERR_ARGUMENT, "columns descend");
	CHECK_STATUS(check_status(arena, SET(arena, "01", "01", "00")), DP_ERR_ARGUMENT,
				 "combinations descend");
	CHECK_STATUS(check_status(arena, SET(arena, "01", "01", "01")), DP_ERR_ARGUMENT,
				 "a combination twice");
	CHECK_STATUS(check_status(arena, SET(arena, "1", "0", "1", "2")), DP_ERR_ARGUMENT,
				 "nothing is left of a column");
	set.tuples = 0;
	CHECK_STATUS(check_status(arena, set), DP_ERR_ARGUMENT, "an empty set");
	set.tuples = DP_ZEROS_TUPLES_MAX + 1;
	CHECK_STATUS(check_status(arena, set), DP_ERR_ARGUMENT, "too many combinations");
	set.tuples = 2;
	set.n = 0;
	CHECK_STATUS(check_status(arena, set), DP_ERR_ARGUMENT, "no columns");
	set.n = 2;
	domain = domain_with(arena, small_levels, 3, &set, 1);
	unit_open(&domain.attribute[1]);
	CHECK_STATUS(dp_zeros_check(&domain, NULL), DP_ERR_ARGUMENT, "an open column");
	domain.zeros.sets = DP_ZEROS_SETS_MAX + 1;
	CHECK_STATUS(dp_domain_check(&domain, NULL), DP_ERR_ARGUMENT, "too many sets");
}

/* Against all rows there are: one is found where there is one, what is fixed stays, and a row that is
 * allowed is left alone. */
static void
test_avoid(DpArena *arena)
{
	DpZeroSet sets[] = {SET(arena, "01", "00", "01", "10", "11"),
						SET(arena, "12", "20", "21", "22", "23"), SET(arena, "02", "13")};
	DpDomain domain = domain_with(arena, small_levels, 3, sets, 3);
	DpZeroTest test;

	domain.zeros.set[1].tuples = 3;
	MUST(dp_zero_test_build(&test, &domain, NULL, 0, arena));
	for (uint32_t row = 0; row < 24; row++)
		for (uint32_t mask = 0; mask < 8; mask++)
		{
			const uint32_t from[] = {row / 12, row / 4 % 3, row % 4};
			const bool fixed[] = {mask & 1, mask & 2, mask & 4};
			uint32_t codes[] = {from[0], from[1], from[2]};
			bool found = dp_zeros_avoid(&domain, fixed, codes) == DP_OK, is_there = false;

			for (uint32_t other = 0; other < 24; other++)
			{
				const uint32_t to[] = {other / 12, other / 4 % 3, other % 4};
				bool fits = !dp_zero_test_forbids(&test, to);

				for (int a = 0; a < 3; a++)
					fits = fits && (!fixed[a] || to[a] == from[a]);
				is_there = is_there || fits;
			}
			CHECK(found == is_there, "a row is found where there is one");
			for (int a = 0; a < 3 && found; a++)
				CHECK(!fixed[a] || codes[a] == from[a], "what is fixed stays");
			CHECK(!found || !dp_zero_test_forbids(&test, codes), "no zero forbids it");
			CHECK(dp_zero_test_forbids(&test, from) || memcmp(codes, from, sizeof(codes)) == 0,
				  "an allowed row stays");
		}
}

static void
test_possible(DpArena *arena)
{
	/* 0 needs 1 = 2, which 2 forbids at every level */
	DpZeroSet sets[] = {SET(arena, "01", "00", "01", "10", "11"),
						SET(arena, "12", "20", "21", "22", "23")};
	DpDomain domain = domain_with(arena, small_levels, 3, sets, 2);

	CHECK_STATUS(dp_zeros_possible(&domain, NULL), DP_ERR_ARGUMENT, "sets that leave no row");
	domain.zeros.set[1].tuples = 3;
	CHECK_OK(dp_zeros_possible(&domain, NULL), "one row is left");
	domain.zeros.sets = 0;
	CHECK_OK(dp_zeros_possible(&domain, NULL), "no zeros");
}

static void
test_restrict(DpArena *arena)
{
	DpZeroSet sets[] = {SET(arena, "2", "1"), SET(arena, "02", "03"), SET(arena, "12", "00")};
	DpDomain domain = domain_with(arena, small_levels, 3, sets, 3);
	static const uint32_t index[] = {UINT32_MAX, 0, 1};
	DpZeros copy;

	MUST(dp_zeros_copy(&domain.zeros, &copy, arena));
	dp_zeros_restrict(&copy, index);
	CHECK(copy.sets == 2 && copy.set[0].attribute[0] == 1 && copy.set[1].attribute[0] == 0 &&
			  copy.set[1].attribute[1] == 1,
		  "sets of other columns are dropped, the rest renumbered");
	CHECK(domain.zeros.sets == 3 && domain.zeros.set[0].attribute[0] == 2, "a copy is deep");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_canonical(&arena);
	test_refused(&arena);
	test_avoid(&arena);
	test_possible(&arena);
	test_restrict(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
