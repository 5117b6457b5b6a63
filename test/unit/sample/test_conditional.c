/*
 * test_conditional.c -- conditional distributions of dense and sparse tables, with direct and
 * hashed directories, against those computed cell by cell.
 *
 * Covers conditional_block.c.
 */
#include "core/sample/conditional.h"

#include "unit_data.h"

#define N 3

/* The distribution of one key at one level, summed over its alias columns. */
static bool
distribution_at(const DpConditional *conditional, uint32_t index, const uint32_t *row,
				double *distribution)
{
	const DpConditionalLevel *level = &conditional->level[index];
	DpPrng prng;
	uint32_t value;
	uint64_t draws = 0;

	memset(distribution, 0, conditional->target_levels * sizeof(*distribution));
	dp_prng_seed(&prng, (DpStream){5, row[0], index});
	for (; draws < 20000; draws++)
	{
		if (!dp_conditional_draw(conditional, level, row, &prng, &value))
			return false;
		distribution[value] += 1.0 / 20000;
	}
	return true;
}

/* The same from the table's cells. */
static bool
naive_distribution(const DpDomain *domain, const DpTable *table, uint32_t parents,
				   const uint32_t *row, double *distribution)
{
	double sum = 0;

	memset(distribution, 0,
		   domain->attribute[table->attribute[N - 1]].levels * sizeof(*distribution));
	for (uint64_t i = 0; i < table->cells; i++)
	{
		uint32_t code[N];
		uint64_t rest = i;
		bool equal = true;

		for (uint32_t k = N; k-- > 0;)
		{
			uint32_t levels = domain->attribute[table->attribute[k]].levels;

			code[k] = table->code != NULL ? table->code[i * N + k] : (uint32_t) (rest % levels);
			rest /= levels;
		}
		for (uint32_t k = 0; k < parents; k++)
			equal &= code[k] == row[table->attribute[k]];
		if (!equal)
			continue;
		distribution[code[N - 1]] += (double) table->value[i];
		sum += (double) table->value[i];
	}
	for (uint32_t k = 0; sum > 0 && k < domain->attribute[table->attribute[N - 1]].levels; k++)
		distribution[k] /= sum;
	return sum > 0;
}

static double
distance(const double *a, const double *b, uint32_t n)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += fabs(a[i] - b[i]);
	return sum / 2;
}

/* A block draws what its numbers make of each row by itself, and fewer rows are the first of more.
 */
static void
check_block(const DpConditional *conditional, const DpDomain *domain, uint32_t target,
			DpArena *arena, const char *what)
{
	DpCodeColumns block, fewer;
	DpPrng prng, own;
	bool same = true;

	MUST(dp_code_columns_init(&block, N, arena));
	MUST(dp_code_columns_init(&fewer, N, arena));
	for (uint32_t first = 0; first < conditional->levels; first++)
		for (int keep = 0; keep < 2; keep++)
		{
			uint64_t random[DP_BLOCK_ROWS];
			uint32_t codes[DP_BLOCK_ROWS * N];

			dp_prng_seed(&own, (DpStream){8, first, (uint64_t) keep});
			for (uint32_t i = 0; i < N * DP_BLOCK_ROWS; i++)
				block.code[i] = fewer.code[i] =
					(uint32_t) dp_prng_below(&own, domain->attribute[i / DP_BLOCK_ROWS].levels);
			block.rows = DP_BLOCK_ROWS;
			fewer.rows = 100;
			dp_code_columns_to_rows(&block, codes);
			prng = own;
			dp_conditional_draw_block(conditional, first, keep, &block, target, &prng);
			prng = own;
			dp_conditional_draw_block(conditional, first, keep, &fewer, target, &prng);
			dp_prng_fill(&own, random, DP_BLOCK_ROWS);
			for (uint32_t r = 0; r < DP_BLOCK_ROWS; r++)
			{
				uint32_t *row = codes + (size_t) r * N, value, level;

				level = dp_conditional_pick(conditional, first, row, random[r], &value);
				if (keep && level > first)
					value = row[target];
				same &= block.code[target * DP_BLOCK_ROWS + r] == value;
				same &= r >= 100 || fewer.code[target * DP_BLOCK_ROWS + r] == value;
			}
		}
	CHECK(same, "%s: a block holds what each row would be by itself", what);
}

/* Every key at every level. */
static void
check_all(const DpDomain *domain, const DpTable *table, int64_t rows, bool direct, DpArena *arena,
		  const char *what)
{
	DpConditional conditional;
	uint32_t first = domain->attribute[table->attribute[0]].levels;
	uint32_t second = domain->attribute[table->attribute[1]].levels;
	double worst = 0;
	bool same_keys = true;
	uint32_t found = 0;

	MUST(dp_conditional_build(
		&conditional,
		&(DpEstimatedTable){.domain = domain, .table = table, .estimate = NULL, .rows = rows}, true,
		NULL, arena));
	CHECK_I64(conditional.levels, 3, "%s: a level for 2, 1 and 0 parents", what);
	CHECK(conditional.level[0].direct == direct, "%s: directory is %s", what,
		  direct ? "direct" : "hashed");
	for (uint32_t i = 0; i < first; i += 1 + first / 50)
	{
		for (uint32_t k = 0; k < second; k += 1 + second / 50)
		{
			uint32_t row[N] = {0};

			row[table->attribute[0]] = i;
			row[table->attribute[1]] = k;
			for (uint32_t level = 0; level < 3; level++)
			{
				double a[64];
				double b[64];
				bool has = distribution_at(&conditional, level, row, a);

				same_keys &= has == naive_distribution(domain, table, 2 - level, row, b);
				found += has;
				if (has)
					worst = fmax(worst, distance(a, b, conditional.target_levels));
			}
		}
	}
	check_block(&conditional, domain, table->attribute[N - 1], arena, what);
	CHECK(same_keys, "%s: exactly the keys with mass are found", what);
	CHECK(worst < 0.03, "%s: %u distributions, distance at most %.4f", what, found, worst);
}

/* No key at any level, hence uniform. */
static void
test_no_information(DpArena *arena, const DpDomain *domain, const DpTable *table, int64_t rows,
					const char *what)
{
	const uint32_t row[N] = {0};
	DpConditional conditional;
	uint32_t value;
	bool found = false;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){2, 0, 0});
	MUST(dp_conditional_build(
		&conditional,
		&(DpEstimatedTable){.domain = domain, .table = table, .estimate = NULL, .rows = rows}, true,
		NULL, arena));
	for (uint32_t i = 0; i < conditional.levels; i++)
		found |= dp_conditional_draw(&conditional, &conditional.level[i], row, &prng, &value);
	CHECK(!found, "%s: no distribution", what);
}

static void
test_dense(DpArena *arena)
{
	const uint32_t levels[] = {6, 5, 4};
	uint32_t attribute[] = {2, 0, 1};
	DpDomain domain = unit_domain(arena, levels, 3);
	int64_t value[120];
	DpTable table = {.n = 3,
					 .attribute = attribute,
					 .storage = DP_DENSE,
					 .cells = 120,
					 .value = value,
					 .noise = DP_NOISE_LAPLACE};
	int64_t rows = 0;

	for (uint32_t i = 0; i < 120; i++)
		rows += value[i] = i < 30 || i % 7 < 3 ? 0 : (i * 31) % 50;
	check_all(&domain, &table, rows, true, arena, "dense");
	test_no_information(arena, &domain, &table, 0, "a total of no rows");
	for (uint32_t i = 0; i < 120; i++)
		value[i] = -(int64_t) (i % 3);
	test_no_information(arena, &domain, &table, rows, "no positive count");
}

/* The highest parent codes that 24 bits hold; keys scattered over 10^14. */
static void
test_sparse(DpArena *arena, uint32_t size, bool direct)
{
	const uint32_t levels[] = {8, size, size};
	uint32_t attribute[] = {1, 2, 0};
	DpDomain domain = {.attributes = 3, .attribute = dp_alloc(arena, 3, sizeof(DpAttribute))};
	uint32_t code[64 * N];
	int64_t value[64];
	DpTable table = {.n = 3,
					 .attribute = attribute,
					 .storage = DP_SPARSE,
					 .cells = 64,
					 .value = value,
					 .code = code,
					 .noise = DP_NOISE_STABILITY,
					 .threshold_rows = 1};

	for (uint32_t i = 0; i < 3; i++)
		domain.attribute[i].levels = levels[i];
	for (uint32_t i = 0; i < 64; i++)
	{
		uint32_t step = 1 + size / 50; /* as check_all() walks */

		code[i * N] = (i / 16) * 10 * step;
		code[i * N + 1] = (i / 4 % 4) * 10 * step;
		code[i * N + 2] = (i % 4) * 2 + i / 4 % 2;
		value[i] = 1 + (i * 17) % 23;
	}
	check_all(&domain, &table, 0, direct, arena, direct ? "sparse, small" : "sparse, large");
}

static void
test_backoff(DpArena *arena)
{
	const uint32_t levels[] = {3, 3, 2};
	uint32_t attribute[] = {0, 1, 2};
	DpDomain domain = unit_domain(arena, levels, 3);
	uint32_t code[] = {0, 0, 1, 0, 1, 0};
	int64_t value[] = {5, 7};
	DpTable table = {.n = 3,
					 .attribute = attribute,
					 .storage = DP_SPARSE,
					 .cells = 2,
					 .value = value,
					 .code = code,
					 .noise = DP_NOISE_STABILITY,
					 .threshold_rows = 1};
	const uint32_t known[] = {0, 1, 9};
	const uint32_t prefix[] = {0, 2, 9};
	const uint32_t unknown[] = {2, 2, 9};
	DpConditional conditional;
	uint32_t ones[3] = {0};
	DpPrng prng;

	MUST(dp_conditional_build(
		&conditional,
		&(DpEstimatedTable){.domain = &domain, .table = &table, .estimate = NULL, .rows = 0}, true,
		NULL, arena));
	dp_prng_seed(&prng, (DpStream){1, 0, 0});
	for (int i = 0; i < 24000; i++)
	{
		ones[0] += dp_conditional_draw_backoff(&conditional, 0, known, &prng);
		ones[1] += dp_conditional_draw_backoff(&conditional, 0, prefix, &prng);
		ones[2] += dp_conditional_draw_backoff(&conditional, 0, unknown, &prng);
	}
	CHECK_I64(ones[0], 0, "a known key has its own distribution");
	CHECK_NEAR(ones[1], 10000, 500, "a known prefix has its margin");
	CHECK_NEAR(ones[2], 10000, 500, "an unknown key has the attribute's margin");
	table.cells = 0;
	MUST(dp_conditional_build(
		&conditional,
		&(DpEstimatedTable){.domain = &domain, .table = &table, .estimate = NULL, .rows = 0}, true,
		NULL, arena));
	ones[0] = 0;
	for (int i = 0; i < 24000; i++)
		ones[0] += dp_conditional_draw_backoff(&conditional, 0, known, &prng);
	CHECK_NEAR(ones[0], 12000, 500, "with nothing released it is uniform");
	MUST(dp_conditional_build(
		&conditional,
		&(DpEstimatedTable){.domain = &domain, .table = &table, .estimate = NULL, .rows = 0}, false,
		NULL, arena));
	CHECK_I64(conditional.levels, 2, "without prefixes there are two levels");
}

/* Thirty parents: the whole key is found, and what shares a prefix that is long enough falls back
 * to it. */
static void
test_many_parents(DpArena *arena)
{
	uint32_t levels[31], attribute[31], row[31], code[2 * 31] = {0};
	int64_t value[] = {6, 9};
	DpDomain domain;
	DpTable table = {.n = 31,
					 .attribute = attribute,
					 .storage = DP_SPARSE,
					 .cells = 2,
					 .value = value,
					 .code = code,
					 .noise = DP_NOISE_STABILITY,
					 .threshold_rows = 1};
	DpConditional conditional;
	uint32_t drawn[3];
	DpPrng prng;

	for (uint32_t k = 0; k < 31; k++)
	{
		levels[k] = 7;
		attribute[k] = k;
		code[31 + k] = k == 30 ? 2 : 5;
	}
	domain = unit_domain(arena, levels, 31);
	MUST(dp_conditional_build(
		&conditional,
		&(DpEstimatedTable){.domain = &domain, .table = &table, .estimate = NULL, .rows = 0}, true,
		NULL, arena));
	CHECK(conditional.levels == DP_CONDITIONAL_PREFIXES + 1 && conditional.level[0].parents == 30 &&
			  conditional.level[DP_CONDITIONAL_PREFIXES].parents == 0,
		  "prefixes are spread from all parents to none");
	dp_prng_seed(&prng, (DpStream){1, 0, 0});
	for (int i = 0; i < 3; i++)
	{
		for (uint32_t k = 0; k < 31; k++)
			row[k] = i == 0 || (i == 1 && k == 29) ? 0 : 5;
		if (i == 1)
			row[29] = 3; /* the last parent is unknown, the others are not */
		drawn[i] = dp_conditional_draw_backoff(&conditional, 0, row, &prng);
	}
	CHECK(drawn[0] == 0 && drawn[1] == 2 && drawn[2] == 2, "keys of thirty parents");
	MUST(dp_conditional_build(
		&conditional,
		&(DpEstimatedTable){.domain = &domain, .table = &table, .estimate = NULL, .rows = 0}, false,
		NULL, arena));
	CHECK(conditional.levels == 2 && conditional.level[0].parents == 30, "or all parents and none");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_dense(&arena);
	test_sparse(&arena, 32, true);
	test_sparse(&arena, 200, false);
	test_sparse(&arena, DP_LEVELS_MAX, false);
	test_backoff(&arena);
	test_many_parents(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
