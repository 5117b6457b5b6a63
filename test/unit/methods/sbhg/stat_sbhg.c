/*
 * stat_sbhg.c -- the distribution of millions of SBHG rows, and what a draw costs.
 */
#include "core/methods/registry.h"
#include "core/sample/sbhg/sbhg_sampler.h"

#include "unit_data.h"
#include "unit_stat.h"

#define ROWS 2000000

/* A joint over up to 3 attributes, dependent, with an empty cell. Row-major. */
static void
make_joint(int64_t *joint, const uint32_t *levels)
{
	for (uint32_t a = 0; a < levels[0]; a++)
		for (uint32_t b = 0; b < levels[1]; b++)
			for (uint32_t c = 0; c < levels[2]; c++)
				joint[(a * levels[1] + b) * levels[2] + c] =
					(a + b + c) % 5 == 4 ? 0 : 20 + (a == b ? 300 : 0) + (b == c ? 200 : 0) + 7 * a;
}

/* Rows of the joint: each cell as often as it counts. */
static UnitTable
table_of(DpArena *arena, const DpDomain *domain, const int64_t *joint, const uint32_t *levels)
{
	uint32_t cells = levels[0] * levels[1] * levels[2];
	uint32_t rows = 0;
	UnitTable table;

	for (uint32_t i = 0; i < cells; i++)
		rows += (uint32_t) joint[i];
	table = unit_table(arena, domain, rows);
	rows = 0;
	for (uint32_t i = 0; i < cells; i++)
	{
		for (int64_t k = 0; k < joint[i]; k++, rows++)
		{
			uint32_t rest = i;

			for (uint32_t a = domain->attributes; a-- > 0; rest /= levels[a])
				table.code[a][rows] = rest % levels[a];
		}
	}
	return table;
}

/* With full conditionals the joint is the stationary distribution of a sequential scan, exactly. */
static void
test_stationary(const uint32_t *levels, uint32_t p, const char *parents, const char *dense_cells)
{
	DpArena arena = dp_arena_malloc();
	DpDomain domain = unit_domain(&arena, levels, p);
	uint32_t cells = levels[0] * levels[1] * levels[2];
	int64_t joint[64];
	double probability[64];
	uint64_t observed[64] = {0};
	double distance = 0;
	DpUnit unit = {DP_REPLACE_ONE, 1};
	DpBudget budget = {DP_EPSILON_NANO_MAX, DP_DELTA_ONE / 1000, 0};
	UnitOptions options = {.lists = 0};
	UnitRelease release;
	UnitTable table;
	uint32_t *drawn;
	DpPrng prng;
	DpRng rng;

	make_joint(joint, levels);
	table = table_of(&arena, &domain, joint, levels);
	unit_number(&options, "parents", parents);
	unit_number(&options, "dense_cells", dense_cells);
	unit_fixed_rng(&rng, &prng, 31);
	MUST(unit_release(&release, "sbhg", &table, unit, budget, &options.options, &rng, &arena));
	drawn = unit_draw(&release, &arena, ROWS, 77);
	for (uint32_t i = 0; i < ROWS; i++)
	{
		uint32_t cell = 0;

		for (uint32_t a = 0; a < p; a++)
			cell = cell * levels[a] + drawn[i * p + a];
		observed[cell]++;
	}
	for (uint32_t i = 0; i < cells; i++)
	{
		probability[i] = (double) joint[i] / table.rows;
		distance += fabs(probability[i] - (double) observed[i] / ROWS) / 2;
	}
	CHECK(distance < 0.002, "%u attributes, dense_cells %s: distance %.5f", p, dense_cells,
		  distance);
	CHECK(unit_chi_square_p(observed, probability, cells, ROWS) > UNIT_P_MIN,
		  "and chi-square finds no difference, nor dependent rows");
	dp_arena_malloc_free(&arena);
}

/* Sizes of a well-known census extract, binned; a chain with noise. */
static const uint32_t census[] = {15, 9, 16, 7, 15, 6, 5, 2, 11, 10, 12, 42, 2};
#define CENSUS_P 13

static UnitTable
census_table(DpArena *arena, const DpDomain *domain, uint32_t rows)
{
	UnitTable table = unit_table(arena, domain, rows);
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){8, 0, 0});
	for (uint32_t i = 0; i < rows; i++)
	{
		double u = dp_prng_unit(&prng);

		for (uint32_t a = 0; a < CENSUS_P; a++)
		{
			u = dp_prng_below(&prng, 3) == 0 ? dp_prng_unit(&prng) : u;
			table.code[a][i] = (uint32_t) (u * u * census[a]);
		}
	}
	return table;
}

static double
seconds_of(clock_t from)
{
	return (double) (clock() - from) / CLOCKS_PER_SEC;
}

static void
report_speed(const char *parents, const char *dense_cells, double limit_ns)
{
	DpArena arena = dp_arena_malloc();
	DpDomain domain = unit_domain(&arena, census, CENSUS_P);
	UnitTable table = census_table(&arena, &domain, 48842);
	DpUnit unit = {DP_ADD_REMOVE, 1};
	DpBudget budget = {DP_EPSILON_ONE, DP_DELTA_ONE / 1000000000, 0};
	UnitOptions options = {.lists = 0};
	UnitRelease release;
	const uint32_t rows = 50000;
	double measure_seconds;
	double ns;
	clock_t start;
	uint64_t draws;
	DpError error;
	void *state;
	DpRng rng;

	unit_number(&options, "parents", parents);
	unit_number(&options, "dense_cells", dense_cells);
	unit_seeded(&rng);
	start = clock();
	MUST(unit_release(&release, "sbhg", &table, unit, budget, &options.options, &rng, &arena));
	measure_seconds = seconds_of(start);
	MUST(dp_sbhg_sampler.prepare(&release.model, &state, NULL, &arena, &error));
	draws = dp_sbhg_sampler.draw_cost(&release.model, state);
	start = clock();
	(void) unit_draw(&release, &arena, rows, 1);
	ns = 1e9 * seconds_of(start) / rows;
	unit_note("13 columns, %s parents, dense_cells %s: plan, measure and prepare %.3f s; "
			  "%.0f ns a row with %u of 273 steps, %.0f rows/s",
			  parents, dense_cells, measure_seconds, ns, (unsigned) draws, 1e9 / ns);
	CHECK(ns < limit_ns, "a row takes less than %.0f ns", limit_ns);
	unit_seeded_end(&rng);
	dp_arena_malloc_free(&arena);
}

static void
report_counting(void)
{
	DpArena arena = dp_arena_malloc();
	DpDomain domain = unit_domain(&arena, census, CENSUS_P);
	UnitTable table = census_table(&arena, &domain, 48842);
	const uint32_t wide[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
	const uint32_t pair[] = {4, 11};
	clock_t start;

	for (int storage = DP_DENSE; storage <= DP_SPARSE; storage++)
	{
		DpMarginal marginal;

		MUST(dp_marginal_init(&marginal, &domain, &(DpAttributeSet){2, pair}, (DpStorage) storage,
							  &arena, NULL));
		start = clock();
		for (int i = 0; i < 20; i++)
			MUST(dp_marginal_add(&marginal, (const uint32_t *const *) table.code, table.rows));
		unit_note("counting a pair, %s: %.1f ns a row", storage == DP_DENSE ? "dense" : "sparse",
				  unit_ns_each(start, 20.0 * table.rows));
		CHECK_I64(marginal.total, 20 * table.rows, "all rows were counted");
	}
	for (int i = 0; i < 3; i++)
	{
		DpMarginal marginal;
		uint32_t *codes;
		int64_t *counts;
		uint64_t used;

		MUST(dp_marginal_init(&marginal, &domain, &(DpAttributeSet){CENSUS_P, wide}, DP_SPARSE,
							  &arena, NULL));
		start = clock();
		MUST(dp_marginal_add(&marginal, (const uint32_t *const *) table.code, table.rows));
		unit_note("counting all 13 columns, sparse: %.1f ns a row",
				  unit_ns_each(start, table.rows));
		start = clock();
		MUST(dp_marginal_cells(&marginal, &codes, &counts, &used, &arena));
		unit_note("listing %" PRIu64 " cells in order: %.1f ns each", used,
				  unit_ns_each(start, (double) used));
	}
	dp_arena_malloc_free(&arena);
}

int
main(void)
{
	static const uint32_t two[] = {4, 5, 1};
	static const uint32_t three[] = {3, 4, 3};

	test_stationary(two, 2, "1", "10000");
	test_stationary(two, 2, "1", "0");
	test_stationary(three, 3, "2", "10000");
	/* Limits are loose: they are to find a draw that became a scan, not a busy machine. */
	report_speed("1", "10000", 400);
	report_speed("2", "10000", 4000);
	report_speed("2", "0", 10000);
	report_speed("4", "0", 20000);
	report_counting();
	return unit_finish();
}
