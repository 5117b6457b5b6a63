/*
 * test_pairs.c -- the dependence of all pairs and of all small sets: scores against
 * their definition, from one scan; the renumbering of sets is a bijection.
 */
#include "core/base/combinations.h"
#include "core/select/pairs.h"
#include "core/select/subsets.h"

#include "unit_data.h"

#define ATTRIBUTES 5
#define ROWS 60

static const uint32_t levels[ATTRIBUTES] = {3, 2, 4, 1, 5};

static UnitTable
random_table(DpArena *arena, const DpDomain *domain, uint64_t seed)
{
	UnitTable table = unit_table(arena, domain, ROWS);
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){seed, 0, 0});
	for (uint32_t i = 0; i < ROWS; i++)
		for (uint32_t a = 0; a < domain->attributes; a++)
			table.code[a][i] = (uint32_t) dp_prng_below(
				&prng, 1 + dp_prng_below(&prng, domain->attribute[a].levels));
	return table;
}

/* The combination of codes that a row has of the members but one. */
static uint64_t
rest_of(const UnitTable *table, const uint32_t *member, uint32_t n, uint32_t without, uint32_t row)
{
	uint64_t cell = 0;

	for (uint32_t k = 0; k < n; k++)
		if (k != without)
			cell = cell * table->domain->attribute[member[k]].levels + table->code[member[k]][row];
	return cell;
}

/* floor(1024 sum over all cells of |n t - r c| / (2 n)), t, r and c counted cell by cell. */
static int64_t
plain_score(const UnitTable *table, const uint32_t *member, uint32_t n, uint32_t position)
{
	uint64_t rests = 1;
	int64_t sum = 0;

	for (uint32_t k = 0; k < n; k++)
		rests *= k == position ? 1 : table->domain->attribute[member[k]].levels;
	for (uint64_t r = 0; r < rests; r++)
		for (uint32_t c = 0; c < table->domain->attribute[member[position]].levels; c++)
		{
			int64_t both = 0, row = 0, column = 0;

			for (uint32_t i = 0; i < table->rows; i++)
			{
				bool is_rest = rest_of(table, member, n, position, i) == r;
				bool is_own = table->code[member[position]][i] == c;

				both += is_rest && is_own;
				row += is_rest;
				column += is_own;
			}
			sum += llabs((int64_t) table->rows * both - row * column);
		}
	return 1024 * sum / (2 * (int64_t) table->rows);
}

static DpMeasurement
measurement(const DpDomain *domain, const DpCounter *counter, DpArena *arena)
{
	return (DpMeasurement){.domain = domain, .counter = counter, .arena = arena};
}

static void
test_scores(void)
{
	DpArena arena = dp_arena_malloc();
	DpDomain domain = unit_domain(&arena, levels, ATTRIBUTES);
	unsigned wrong = 0, scans = 0;
	int64_t most = 0;

	for (uint64_t seed = 0; seed < 20; seed++)
	{
		UnitTable table = random_table(&arena, &domain, seed);
		DpCounter counter = unit_counter(&table);
		DpMeasurement m = measurement(&domain, &counter, &arena);
		uint64_t before = arena.bytes_used;
		int64_t *score;

		MUST(dp_pairs_score(&m, DP_PAIR_DEPENDENCE, &score, NULL));
		scans += table.scans;
		for (uint32_t a = 0; a < ATTRIBUTES; a++)
			for (uint32_t b = 0; b < ATTRIBUTES; b++)
			{
				const uint32_t pair[] = {a, b};
				int64_t want = a == b ? 0 : plain_score(&table, pair, 2, 1);

				wrong += score[a * ATTRIBUTES + b] != want;
				most = want > most ? want : most;
			}
		dp_pairs_free(&m, score);
		wrong += arena.bytes_used != before;
	}
	CHECK_I64(wrong, 0, "20 tables: the score of each pair, both ways round, is its definition's");
	CHECK_I64(scans, 20, "one scan each");
	CHECK(most > 5000, "some pairs depend");
	dp_arena_malloc_free(&arena);
}

/* A pair with more than four million cells is hashed; its score is the same. */
static void
test_large(void)
{
	DpArena arena = dp_arena_malloc();
	const uint32_t few[] = {3, 5, 2};
	DpDomain domain = unit_domain(&arena, few, 3);
	UnitTable table = random_table(&arena, &domain, 7);
	DpCounter counter = unit_counter(&table);
	DpMeasurement m = measurement(&domain, &counter, &arena);
	int64_t *score, want[9];
	uint64_t dense;

	MUST(dp_pairs_score(&m, DP_PAIR_DEPENDENCE, &score, NULL));
	memcpy(want, score, sizeof(want));
	dense = dp_pairs_memory(&domain);
	domain.attribute[0].levels = domain.attribute[1].levels = 20000; /* that no row has */
	MUST(dp_pairs_score(&m, DP_PAIR_DEPENDENCE, &score, NULL));
	CHECK(memcmp(score, want, sizeof(want)) == 0, "levels that no row has change no score");
	CHECK(dense < 10000 && dp_pairs_memory(&domain) < UINT64_C(400000000) * 8,
		  "a pair of 4 x 10^8 cells is not counted as an array");
	unit_open(&domain.attribute[2]);
	CHECK(dp_pairs_memory(&domain) > dense, "an open column counts as large");
	dp_arena_malloc_free(&arena);
}

/* ---- sets ---- */

static void
test_numbers(void)
{
	static uint64_t pascal[70][70];
	unsigned wrong = 0, ranks = 0;

	for (uint32_t n = 0; n < 65; n++)
		for (uint32_t k = 0; k <= n; k++)
		{
			pascal[n][k] = k == 0 || k == n ? 1 : pascal[n - 1][k - 1] + pascal[n - 1][k];
			if (k <= 8)
				wrong += dp_combinations(n, k) != pascal[n][k];
		}
	CHECK_I64(wrong, 0, "n over k is Pascal's");
	CHECK(dp_combinations(3, 4) == 0 && dp_combinations(0, 0) == 1, "0 where there is none");
	CHECK(dp_combinations(1600, 300) == UINT64_MAX, "it saturates");
	for (uint32_t size = 1; size <= DP_SUBSET_MAX; size++)
	{
		bool taken[1 << 11] = {false};

		for (uint32_t mask = 0; mask < 1 << 11; mask++)
		{
			uint32_t member[11], n = 0;
			uint64_t rank;

			for (uint32_t a = 0; a < 11; a++)
				if (mask >> a & 1)
					member[n++] = a;
			if (n != size)
				continue;
			rank = dp_subset_rank(member, n);
			wrong += rank >= pascal[11][size] || taken[rank];
			taken[rank] = true;
			ranks++;
		}
	}
	CHECK_I64(wrong, 0, "every set of a size has a number of its own, below their count");
	CHECK_I64(ranks, 11 + 55 + 165 + 330 + 462 + 462 + 330, "all sets of up to seven of eleven");
	CHECK(dp_subsets_total(11, 7) == ranks - 11, "as many as it says, from two members on");
}

static void
test_subsets(void)
{
	DpArena arena = dp_arena_malloc();
	DpDomain domain = unit_domain(&arena, levels, ATTRIBUTES);
	UnitTable table = random_table(&arena, &domain, 3);
	DpCounter counter = unit_counter(&table);
	DpMeasurement m = measurement(&domain, &counter, &arena);
	uint64_t before = arena.bytes_used, cells_max = 30, members = 0;
	unsigned wrong = 0, left_out = 0;
	DpSubsetsCostEstimate forecast = dp_subsets_cost_estimate(&domain, 4, cells_max);
	DpSubsets subsets;

	MUST(dp_subsets_score(&m, 4, cells_max, &subsets, NULL));
	for (uint32_t mask = 0; mask < 1 << ATTRIBUTES; mask++)
	{
		uint32_t member[ATTRIBUTES], n = 0;
		uint64_t cells = 1;

		for (uint32_t a = 0; a < ATTRIBUTES; a++)
			if (mask >> a & 1)
			{
				member[n++] = a;
				cells *= levels[a];
			}
		if (n < 2 || n > 4)
			continue;
		left_out += cells > cells_max;
		members += cells > cells_max ? 0 : n;
		for (uint32_t k = 0; k < n; k++)
		{
			int64_t want = cells > cells_max ? -1 : plain_score(&table, member, n, k);

			wrong += subsets.score[n][dp_subset_rank(member, n) * n + k] != want;
		}
	}
	CHECK_I64(wrong, 0, "the score of each member of each set, -1 where the set is too large");
	CHECK(left_out > 3, "some are");
	CHECK(forecast.scans == 1 && table.scans == 1, "one scan, as forecast");
	CHECK_I64(forecast.members, members, "and as many attributes of tables");
	dp_subsets_free(&m, &subsets);
	CHECK(arena.bytes_used == before, "all memory comes back");
	domain.attribute[0].levels = domain.attribute[1].levels = domain.attribute[2].levels = 5000;
	forecast = dp_subsets_cost_estimate(&domain, 2, UINT64_C(25000000));
	CHECK_I64(forecast.scans, 3, "sets that do not fit one scan take several");
	CHECK(forecast.bytes > UINT64_C(25000000) * 8 && forecast.bytes < UINT64_C(33000000) * 8,
		  "no more than fits is counted at once");
	dp_arena_malloc_free(&arena);
}

int
main(void)
{
	test_scores();
	test_large();
	test_numbers();
	test_subsets();
	return unit_finish();
}
