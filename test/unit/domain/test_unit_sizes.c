/*
 * test_unit_sizes.c -- classes of units by size: each size is in one class, and ends are those that
 * the header names.
 */
#include "core/domain/unit_sizes.h"

#include "unit.h"

static void
test_classes(DpUnitSizes sizes, uint32_t classes, const char *what)
{
	uint32_t wrong = 0;

	CHECK_I64(dp_unit_classes(sizes), classes, "%s: classes", what);
	CHECK_I64(dp_unit_class_last(sizes, classes - 1), sizes.most, "%s: the last has the rest",
			  what);
	for (uint32_t class = 0; class < classes; class ++)
	{
		int64_t last = dp_unit_class_last(sizes, class);

		wrong += dp_unit_class(sizes, (unsigned __int128) last) != class;
		if (class + 1 < classes)
		{
			wrong += dp_unit_class(sizes, (unsigned __int128) last + 1) != class + 1;
			wrong += last != sizes.least << class;
		}
	}
	CHECK_I64(wrong, 0, "%s: a class ends at 2^i times the least", what);
	CHECK_I64(dp_unit_class(sizes, 0), 0, "%s: 0 is in the first", what);
	CHECK_I64(dp_unit_class(sizes, (unsigned __int128) 1 << 100), classes - 1,
			  "%s: what is above is in the last", what);
}

int
main(void)
{
	test_classes((DpUnitSizes){1, 1}, 1, "one row");
	test_classes((DpUnitSizes){1, 8}, 4, "8 rows");
	test_classes((DpUnitSizes){1, 9}, 5, "9 rows");
	test_classes((DpUnitSizes){3, 100}, 7, "3 to 100");
	test_classes((DpUnitSizes){1, INT64_MAX}, DP_UNIT_CLASSES_MAX, "any number");
	return unit_finish();
}
