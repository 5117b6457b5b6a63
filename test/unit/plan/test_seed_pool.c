/*
 * test_seed_pool.c -- rows of a public pool are drawn by their copies, and a pool
 * that does not fit is refused.
 */

#include "unit_data.h"
#include "unit_stat.h"

#include "core/plan/row_release.h"

#define DRAWS 100000

static const uint32_t levels[] = {3, 4};
static const uint32_t codes[] = {2, 3, 0, 0, 1, 3, 2, 0, 0, 1};
static const int64_t upto[] = {1, 4, 5, 25, 100};

static void
refuse(const char *why, const DpSeedPool *pool, const DpDomain *domain)
{
	DpError error;

	CHECK_STATUS(dp_seed_pool_check(pool, domain, &error), DP_ERR_ARGUMENT, "%s", why);
}

static void
test_check(DpArena *arena)
{
	const DpDomain domain = unit_domain(arena, levels, 2);
	const DpSeedPool good = {2, 5, codes, upto};
	const uint32_t bad_codes[] = {2, 3, 0, 0, 1, 3, 2, 4, 0, 1};
	const int64_t none_first[] = {0, 4, 5, 25, 100}, none_later[] = {1, 4, 4, 25, 100};
	DpSeedPool pool = good;

	CHECK_OK(dp_seed_pool_check(&good, &domain, NULL), "a pool that fits");
	pool.attributes = 1;
	refuse("other columns", &pool, &domain);
	pool = good;
	pool.codes = bad_codes;
	refuse("a code that is no level", &pool, &domain);
	pool = good;
	pool.upto = none_first;
	refuse("a first row without a copy", &pool, &domain);
	pool.upto = none_later;
	refuse("a later one", &pool, &domain);
	pool = good;
	pool.n = 0;
	refuse("no rows", &pool, &domain);
	pool.n = DP_SEED_POOL_ROWS_MAX + 1;
	refuse("too many rows", &pool, &domain);
}

static uint32_t
row_of(const uint32_t *row)
{
	uint32_t i = 0;

	while (i < 5 && memcmp(row, codes + 2 * i, 2 * sizeof(*row)) != 0)
		i++;
	return i;
}

static void
test_draw(DpArena *arena)
{
	const DpDomain domain = unit_domain(arena, levels, 2);
	const double share[] = {0.01, 0.03, 0.01, 0.2, 0.75};
	uint64_t observed[6] = {0}, uniform[12] = {0};
	const DpSeedPool pool = {2, 5, codes, upto}, one = {2, 1, codes, upto};
	double equal[12];
	uint32_t row[2];
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, 101);
	for (int i = 0; i < DRAWS; i++)
	{
		MUST(dp_seed_pool_draw(&pool, &domain, &rng, row));
		observed[row_of(row)]++;
		MUST(dp_seed_pool_draw(NULL, &domain, &rng, row));
		uniform[row[0] * 4 + row[1]]++;
	}
	for (int i = 0; i < 12; i++)
		equal[i] = 1 / 12.0;
	CHECK_I64(observed[5], 0, "only rows of the pool are drawn");
	CHECK(unit_chi_square_p(observed, share, 5, DRAWS) > UNIT_P_MIN, "by their copies");
	CHECK(unit_chi_square_p(uniform, equal, 12, DRAWS) > UNIT_P_MIN,
		  "without a pool, all rows of the domain alike");
	MUST(dp_seed_pool_draw(&one, &domain, &rng, row));
	CHECK(row[0] == 2 && row[1] == 3, "a pool of one row gives that row");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_check(&arena);
	test_draw(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
