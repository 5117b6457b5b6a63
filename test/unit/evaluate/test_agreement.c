/*
 * test_agreement.c -- overlaps of intervals, and classes of significance.
 */
#include "core/base/code_key.h"
#include "core/evaluate/agreement.h"
#include "core/evaluate/regression.h"

#include "unit.h"

static void
test_agreement(void)
{
	DpConfidenceInterval a = {0, 4}, b = {3, 5}, c = {6, 7}, point = {1, 1};

	CHECK_NEAR(dp_interval_overlap(a, a), 1, 0, "the same intervals");
	CHECK_NEAR(dp_interval_overlap(a, b), (1 / 4.0 + 1 / 2.0) / 2, 1e-15, "some in common");
	CHECK_NEAR(dp_interval_overlap(b, a), dp_interval_overlap(a, b), 0, "either way");
	CHECK_NEAR(dp_interval_overlap(a, c), 0, 0, "nothing in common");
	CHECK_NEAR(dp_interval_overlap(point, a), 0.5, 0, "a point inside");
	CHECK_NEAR(dp_interval_overlap(point, point), 1, 0, "the same point");
	CHECK_NEAR(dp_interval_overlap(point, b), 0, 0, "a point outside");
	for (int of = 0; of < 8; of++)
	{
		static const char *const name[] = {"neutral", "I-", "II-", "worst",
										   "best",    "I+", "II+", "best"};

		CHECK_STRING(dp_significance_name(
						 dp_significance_class((of & 4) != 0, (of & 2) != 0, (of & 1) != 0)),
					 name[of], "class %d", of);
	}
}

int
main(void)
{
	test_agreement();
	return unit_finish();
}
