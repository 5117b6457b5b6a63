/*
 * test_information.c -- mutual information as an integer score: its value, and that no row moves
 * it further than its sensitivity says.
 */
#include "core/select/pairs.h"

#include "unit_data.h"

#define SIDE 3

static int64_t
score_of(DpArena *arena, const int64_t *cells)
{
	uint32_t attribute[] = {0, 1}, levels[] = {SIDE, SIDE};
	int64_t dense[SIDE * SIDE], score;
	DpMarginal table = {.arena = arena,
						.n = 2,
						.attribute = attribute,
						.levels = levels,
						.storage = DP_DENSE,
						.cells = SIDE * SIDE,
						.dense = dense};

	for (int i = 0; i < SIDE * SIDE; i++)
		table.total += dense[i] = cells[i];
	MUST(dp_marginal_information(&table, &score, arena));
	return score;
}

/* From its definition. */
static double
plain_information(const int64_t *cells)
{
	double row[SIDE] = {0}, column[SIDE] = {0}, n = 0, sum = 0;

	for (int i = 0; i < SIDE * SIDE; i++)
	{
		row[i / SIDE] += (double) cells[i];
		column[i % SIDE] += (double) cells[i];
		n += (double) cells[i];
	}
	for (int i = 0; i < SIDE * SIDE; i++)
		if (cells[i] > 0)
			sum +=
				(double) cells[i] * log((double) cells[i] * n / (row[i / SIDE] * column[i % SIDE]));
	return DP_INFORMATION_UNIT * sum;
}

static void
test_values(DpArena *arena)
{
	const int64_t none[SIDE * SIDE] = {0}, equal[SIDE * SIDE] = {40, 0, 0, 0, 40, 0, 0, 0, 40};
	double worst = 0;
	DpPrng prng;

	CHECK_I64(score_of(arena, none), 0, "no rows have no information");
	CHECK_NEAR((double) score_of(arena, equal), DP_INFORMATION_UNIT * 120 * log(3), 1.01,
			   "equal columns of three equal levels: n ln 3");
	dp_prng_seed(&prng, (DpStream){1, 0, 0});
	for (int i = 0; i < 2000; i++)
	{
		int64_t cells[SIDE * SIDE];
		uint64_t most = UINT64_C(2) << (i % 28);

		for (int k = 0; k < SIDE * SIDE; k++)
			cells[k] = (int64_t) dp_prng_below(&prng, most);
		worst = fmax(worst, fabs((double) score_of(arena, cells) - plain_information(cells)) -
								1e-9 * plain_information(cells));
	}
	CHECK(worst < 3, "2000 tables: %g away from the definition", worst);
}

/* Tables of all sizes, with empty cells and beyond 2^32 rows: a row more, or in another cell. */
static void
test_sensitivity(DpArena *arena)
{
	int64_t one = dp_information_sensitivity(&(DpUnit){DP_ADD_REMOVE, 1});
	int64_t moved = dp_information_sensitivity(&(DpUnit){DP_REPLACE_ONE, 1});
	int64_t row_worst = 0, moved_worst = 0;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){2, 0, 0});
	for (int i = 0; i < 60000; i++)
	{
		int64_t cells[SIDE * SIDE], here, more, other;
		uint64_t a = dp_prng_below(&prng, SIDE * SIDE), b = dp_prng_below(&prng, SIDE * SIDE);

		for (int k = 0; k < SIDE * SIDE; k++)
			cells[k] = dp_prng_below(&prng, 3) != 0
						   ? 0
						   : (int64_t) dp_prng_below(&prng, UINT64_C(2) << (i % 45));
		cells[b]++;
		here = score_of(arena, cells);
		cells[a]++;
		more = score_of(arena, cells);
		cells[b]--;
		other = score_of(arena, cells);
		row_worst = llabs(more - here) > row_worst ? llabs(more - here) : row_worst;
		moved_worst = llabs(other - here) > moved_worst ? llabs(other - here) : moved_worst;
	}
	CHECK(row_worst <= one, "a row moves it by %lld of at most %lld", (long long) row_worst,
		  (long long) one);
	CHECK(moved_worst <= moved, "a row replaced by %lld of at most %lld", (long long) moved_worst,
		  (long long) moved);
	CHECK(row_worst > one - DP_INFORMATION_UNIT / 8 && moved_worst > one,
		  "the bound of a row is met, and that of another one needs more");
	CHECK_I64(dp_information_sensitivity(&(DpUnit){DP_REPLACE_ONE, 5}) - 1, 5 * (moved - 1),
			  "a unit of five rows moves it five times as far");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_values(&arena);
	test_sensitivity(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
