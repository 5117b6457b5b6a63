/*
 * test_association.c -- chi-square, Cramer's V and conditional distances of tables by hand.
 */
#include "core/evaluate/association.h"

#include "unit.h"

static DpPairMeasures
measures_of(const int64_t original[4], const int64_t synthetic[4], DpArena *arena)
{
	static const uint32_t levels[] = {2, 2};
	DpTablePair pair = {.n = 2, .levels = levels, .cells = 4, .count = {original, synthetic}};
	DpPairMeasures measures;

	for (int i = 0; i < 4; i++)
	{
		pair.total[0] += original[i];
		pair.total[1] += synthetic[i];
	}
	MUST(dp_pair_measures(&pair, &measures, arena));
	return measures;
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();
	DpPairMeasures m =
		measures_of((const int64_t[]){10, 20, 30, 40}, (const int64_t[]){5, 5, 0, 0}, &arena);

	CHECK_NEAR(m.association[0].chi_square, 0.79365079365079, 1e-12, "chi-square of 10 20 30 40");
	CHECK_I64(m.association[0].df, 1, "one degree of freedom");
	CHECK_NEAR(m.association[0].p, 0.373, 1e-3, "its p-value");
	CHECK_NEAR(m.association[0].cramers_v, sqrt(0.79365079365079 / 100), 1e-12, "Cramer's V");
	CHECK_I64(m.association[1].df, 0, "a level without rows does not count");
	CHECK(isnan(m.association[1].cramers_v) && m.association[1].p == 1, "then there is no V");
	/* given attribute 0: .3 (|1/3 - 1/2| + |2/3 - 1/2|) + .7 x 2 */
	CHECK_NEAR(m.given[0], 0.3 / 3 + 0.7 * 2, 1e-12, "a level without synthetic rows is 2 away");
	/* given attribute 1: the synthetic rows all have level 0 of attribute 0 */
	CHECK_NEAR(m.given[1], 0.4 * 2 * 0.75 + 0.6 * 2 * 2.0 / 3, 1e-12, "given the other one");
	m = measures_of((const int64_t[]){9, 0, 0, 9}, (const int64_t[]){1, 0, 0, 1}, &arena);
	CHECK_NEAR(m.association[0].cramers_v, 1, 1e-12, "equal columns have a V of 1");
	CHECK_NEAR(m.given[0] + m.given[1], 0, 1e-12, "equal conditional distributions are not apart");
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
