/*
 * test_bin_finder.c -- the finder agrees with a look at every edge, near and far from edges.
 */
#include "core/exact/bin_finder.h"

#include "unit.h"

static uint32_t
plainly(const int64_t *edge, uint32_t n, int64_t number)
{
	uint32_t at = 0;

	while (at + 1 < n && edge[at + 1] <= number)
		at++;
	return at;
}

static void
check_edges(const int64_t *edge, uint32_t n, const char *what)
{
	static DpBinFinder finder;
	const int64_t far[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1, INT64_MAX};
	uint32_t wrong = 0;

	dp_bin_finder_init(&finder, edge, n);
	for (size_t i = 0; i < sizeof(far) / sizeof(far[0]); i++)
		wrong += dp_bin_find(&finder, far[i]) != plainly(edge, n, far[i]);
	for (uint32_t i = 0; i < n; i++)
		for (int64_t more = -2; more <= 2; more++)
		{
			int64_t number;

			if (!__builtin_add_overflow(edge[i], more, &number))
				wrong += dp_bin_find(&finder, number) != plainly(edge, n, number);
		}
	for (uint32_t i = 0; i + 1 < n; i++)
	{
		int64_t middle =
			(int64_t) ((uint64_t) edge[i] + ((uint64_t) edge[i + 1] - (uint64_t) edge[i]) / 2);

		wrong += dp_bin_find(&finder, middle) != plainly(edge, n, middle);
	}
	CHECK_I64(wrong, 0, "%s", what);
}

int
main(void)
{
	static int64_t many[3000];
	const int64_t one[] = {5}, two[] = {5, 9}, next[] = {0, 1, 2, 3, 4, 5, 6, 7};
	const int64_t widest[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX};
	const int64_t crowded[] = {INT64_MIN, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, INT64_MAX - 1, INT64_MAX};

	check_edges(one, 1, "one edge");
	check_edges(two, 2, "two edges");
	check_edges(next, 8, "edges beside each other");
	check_edges(widest, 6, "edges as far apart as can be");
	check_edges(crowded, 13, "many edges in one slot");
	for (int64_t i = 0; i < 3000; i++)
		many[i] = i * i * i - 1000000;
	check_edges(many, 3000, "more edges than slots");
	return unit_finish();
}
