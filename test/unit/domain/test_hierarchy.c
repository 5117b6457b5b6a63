/*
 * test_hierarchy.c -- where the public tree over a hierarchy splits an interval of places.
 */
#include "core/domain/range.h"

#include "unit.h"

/* Splits down to single places. Counts splits that separate a node while one of a coarser level is
 * still whole, and the deepest level. */
static uint32_t
walk(const uint8_t *boundary, uint32_t low, uint32_t high, uint32_t depth, uint32_t *wrong)
{
	uint32_t at, left, right;
	uint8_t coarsest = 0;

	if (high - low < 2)
		return depth;
	at = dp_hierarchy_split(boundary, low, high);
	*wrong += at <= low || at >= high;
	for (uint32_t i = low + 1; i < high; i++)
		coarsest = boundary[i] > coarsest ? boundary[i] : coarsest;
	*wrong += boundary[at] != coarsest;
	left = walk(boundary, low, at, depth + 1, wrong);
	right = walk(boundary, at, high, depth + 1, wrong);
	return left > right ? left : right;
}

int
main(void)
{
	static const uint8_t two[] = {2, 0, 0, 1, 0, 2, 0, 1, 0, 0, 2, 1}, flat[64] = {0};
	uint32_t wrong = 0, depth;

	CHECK_I64(dp_hierarchy_split(two, 0, 12), 10, "of boundaries at 5 and 10 the middle one");
	CHECK_I64(dp_hierarchy_split(two, 0, 5), 3, "within a node the boundary of the level below");
	CHECK_I64(dp_hierarchy_split(two, 3, 5), 4, "two places");
	walk(two, 0, 12, 0, &wrong);
	depth = walk(flat, 0, 64, 0, &wrong);
	CHECK_I64(wrong, 0, "a split is at a coarsest boundary inside");
	CHECK(depth <= 7, "without nodes the tree has the depth of a balanced one");
	return unit_finish();
}
