/*
 * stat_large_epsilon.c -- mst where there is next to no noise: a larger epsilon brings the model
 * nearer to the data, and in the end its pairs are those that were measured, with impossible
 * combinations and without.
 */
#include <math.h>

#include "core/domain/zeros.h"
#include "core/methods/registry.h"
#include "core/sample/model_query.h"

#include "unit_data.h"
#include "unit_model.h"

#define ROWS 1200
#define COLUMNS 17
#define LEVELS_MAX 21
#define SEEDS 1
#define MEASURED_MOST 0.005

/* Columns that decide each other in part, so that most cells of most pairs are empty. */
static const uint32_t levels[COLUMNS] = {6, 11, 8, 20, 7, 3, 1, 21, 3, 20, 5, 2, 21, 2, 17, 3, 5};

static void
fill(UnitTable *table)
{
	for (uint32_t r = 0; r < ROWS; r++)
	{
		uint32_t i = r + 1;
		const uint32_t code[COLUMNS] = {i % 10 < 5 ? i % 10 : 5,
										i % 10 < 4 ? 10 : i % 50 / 5,
										i % 10 < 5 && i % 10 != 2 ? 7 : i % 7,
										i / 60 % 20,
										i % 7,
										i % 30 / 3 % 3,
										0,
										i % 4 > 0 ? i % 300 / 15 : 20,
										i % 4 > 0 ? i % 2 : 2,
										i / 60 % 20,
										i % 5,
										i % 5 == 0,
										i % 5 == 0 ? 20 : i / 60 % 20,
										i % 2,
										i / 75,
										i % 30 / 10,
										i % 10 / 2};

		for (uint32_t a = 0; a < COLUMNS; a++)
			table->code[a][r] = code[a];
	}
}

/* Combinations of column a and the next one that no row has. */
static DpZeroSet
zeros_of(const UnitTable *table, uint32_t a)
{
	static bool seen[LEVELS_MAX * LEVELS_MAX];
	uint32_t second = levels[a + 1], cells = levels[a] * second;
	DpZeroSet set = {.n = 2, .attribute = dp_alloc(table->arena, 2, sizeof(uint32_t))};

	set.attribute[0] = a;
	set.attribute[1] = a + 1;
	set.code = dp_alloc(table->arena, 2 * (size_t) cells, sizeof(uint32_t));
	memset(seen, 0, sizeof(seen));
	for (uint32_t r = 0; r < ROWS; r++)
		seen[table->code[a][r] * second + table->code[a + 1][r]] = true;
	for (uint32_t i = 0; i < cells; i++)
		if (!seen[i])
		{
			set.code[2 * set.tuples] = i / second;
			set.code[2 * set.tuples++ + 1] = i % second;
		}
	return set;
}

/* Declares what the columns decide of each other. */
static void
declare_zeros(DpDomain *domain, const UnitTable *table)
{
	static const uint32_t first[] = {0, 1, 7, 11};

	domain->zeros.sets = 4;
	domain->zeros.set = dp_alloc(table->arena, 4, sizeof(DpZeroSet));
	for (uint32_t s = 0; s < 4; s++)
		domain->zeros.set[s] = zeros_of(table, first[s]);
	MUST(dp_zeros_canonical(&domain->zeros, table->arena, NULL));
}

typedef struct Run
{
	DpArena *arena;
	DpDomain domain;
	UnitTable table;
	DpModel model;
	void *fitted;
} Run;

static void
run_mst(Run *run, int64_t epsilon, uint64_t seed)
{
	const DpMethod *method = dp_method_find("mst");
	DpCounter counter = unit_counter(&run->table);
	DpRequest request = {
		.domain = &run->domain, .unit = {DP_ADD_REMOVE, 1}, .options = &(DpOptions){0}, .sets = 1};
	DpError error = {0};
	DpMeter meter;
	DpPrng prng;
	DpPlan plan;
	DpRng rng;

	request.budget = (DpBudget){.epsilon_nano = epsilon * DP_EPSILON_ONE, .delta_atto = 1000000000};
	MUST(dp_plan(method, &request, &plan, run->arena, &error));
	dp_meter_init(&meter, plan.cost);
	unit_fixed_rng(&rng, &prng, seed);
	MUST(dp_measure(&(DpMeasurement){.plan = &plan,
									 .counter = &counter,
									 .noise = {.meter = &meter, .rng = &rng},
									 .arena = run->arena},
					&run->model, &error));
	MUST(method->sampler->query->fit(&run->model, &run->fitted, NULL, run->arena, &error));
}

/* The total variation distance between the model and the data in a pair. */
static double
pair_distance(const Run *run, const uint32_t *pair)
{
	double share[LEVELS_MAX * LEVELS_MAX], sum = 0;
	uint32_t second = levels[pair[1]];

	MUST(dp_method_find("mst")->sampler->query->marginal(
		run->fitted, &(DpAttributeSet){2, (uint32_t *) (uintptr_t) pair}, share, NULL, run->arena));
	for (uint32_t r = 0; r < ROWS; r++)
		share[run->table.code[pair[0]][r] * second + run->table.code[pair[1]][r]] -= 1.0 / ROWS;
	for (uint32_t i = 0; i < levels[pair[0]] * second; i++)
		sum += fabs(share[i]) / 2;
	return sum;
}

static double
mean_distance(const Run *run)
{
	double sum = 0;

	for (uint32_t a = 0; a < COLUMNS; a++)
		for (uint32_t b = a + 1; b < COLUMNS; b++)
			sum += pair_distance(run, (const uint32_t[]){a, b});
	return sum / (COLUMNS * (COLUMNS - 1) / 2);
}

/* The largest one of the measured pairs. */
static double
measured_distance(const Run *run)
{
	double most = 0;

	for (uint32_t t = 0; t < run->model.tables; t++)
		if (run->model.table[t].n == 2)
			most = fmax(most, pair_distance(run, run->model.table[t].attribute));
	return most;
}

typedef struct Distances
{
	double mean, measured;
} Distances;

static Distances
distances_at(int64_t epsilon, bool zeros)
{
	Distances of = {0, 0};

	for (uint64_t seed = 1; seed <= SEEDS; seed++)
	{
		DpArena arena = dp_arena_malloc();
		Run run = {.arena = &arena, .domain = unit_domain(&arena, levels, COLUMNS)};

		run.table = unit_table(&arena, &run.domain, ROWS);
		fill(&run.table);
		if (zeros)
			declare_zeros(&run.domain, &run.table);
		run_mst(&run, epsilon, seed);
		of.mean += mean_distance(&run) / SEEDS;
		of.measured = fmax(of.measured, measured_distance(&run));
		dp_arena_malloc_free(&arena);
	}
	return of;
}

static void
test_epsilons(bool zeros)
{
	static const int64_t epsilon[] = {10, 100, 1000, 100000};
	double before = 1;

	for (uint32_t e = 0; e < 4; e++)
	{
		Distances of = distances_at(epsilon[e], zeros);

		CHECK(of.mean < before, "epsilon %lld%s: distance %.4f of pairs, less than %.4f before",
			  (long long) epsilon[e], zeros ? ", with zeros" : "", of.mean, before);
		before = of.mean;
		if (e == 3)
			CHECK(of.measured < MEASURED_MOST, "and %.5f of measured ones", of.measured);
	}
}

int
main(void)
{
	test_epsilons(false);
	test_epsilons(true);
	return unit_finish();
}
