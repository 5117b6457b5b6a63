/*
 * test_intruder.c -- unique rows, matches and guesses of a table that one counts by hand.
 */
#include "core/evaluate/intruder.h"

#include "unit.h"

/* known (3 levels) x secret (2 levels): known 0 is one person, known 1 five, known 2 two; there are
 * synthetic rows with known 0 and 1. */
static const int64_t original[] = {0, 1, 4, 1, 0, 2}, synthetic[] = {0, 1, 1, 3, 0, 0};
static const uint32_t levels[] = {3, 2};
static const double number[] = {10, 20};

int
main(void)
{
	DpArena arena = dp_arena_malloc();
	const DpTablePair pair = {
		.n = 2, .levels = levels, .cells = 6, .count = {original, synthetic}, .total = {8, 5}};
	const DpIntruderTask task = {&pair, number}, words = {&pair, NULL};
	DpIntruder found;

	MUST(dp_intruder(&task, &found, &arena));
	CHECK(found.unique[0] == 1 && found.unique[1] == 1, "one row of each table is unique");
	CHECK(found.meets_unique == 1 && found.unique_met == 1, "they agree");
	CHECK_I64(found.met, 6, "six persons agree with a synthetic row");
	CHECK(found.all.persons == 8 && found.all.numbers == 8, "all persons are guessed");
	/* known 0: level 1, right; known 1: level 1, 1 of 5; known 2: no match, commonest is 1 */
	CHECK_I64(found.all.right, 1 + 1 + 2, "right guesses by the matching rows");
	CHECK_I64(found.all.right_baseline, 4, "and by the commonest level, of which both are");
	/* known 1: the mean is 17.5; known 2: that of all synthetic rows, 18 */
	CHECK_NEAR(found.all.error, (0 + 4 * 7.5 + 2.5 + 2 * 2) / 8, 1e-12, "errors of numbers");
	CHECK_NEAR(found.all.error_baseline, 5, 1e-12, "and by the mean of the original");
	CHECK(found.of_unique.persons == 1 && found.of_unique.right == 1, "the unique person");
	MUST(dp_intruder(&words, &found, &arena));
	CHECK(found.all.numbers == 0 && isnan(found.all.error), "words have no error");
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
