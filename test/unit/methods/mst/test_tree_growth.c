/*
 * test_tree_growth.c -- scores of pairs that could join a tree: beside their definition, and
 * how far any one row moves them, by trying every row.
 */
#include "core/graphical/noisy_measurement.h"
#include "core/sample/graphical_fit.h"
#include "core/methods/registry.h"
#include "core/methods/mst/tree_growth.h"

#include <math.h>

#include "unit_data.h"

#define COLUMNS 5
#define PAIRS (COLUMNS * (COLUMNS - 1) / 2)
#define SETS (COLUMNS + PAIRS)
#define NOISE 3.0                 /* rows */
#define CELLS (2 * 3 * 2 * 3 * 2) /* rows that can be added */

static const uint32_t levels[COLUMNS] = {2, 3, 2, 3, 2};

/* What was released, and exact counts of one table. */
typedef struct World
{
	DpArena *arena;
	DpDomain domain;
	UnitTable table;
	DpOptions options;
	DpRequest request;
	DpPlan plan;
	DpMeter meter;
	DpPrng prng;
	DpRng rng;
	DpCounter counter;
	DpMeasurement m;
	DpModel model;
	DpGraphicalMeasure measure;
	uint32_t member[2 * SETS];
	DpAttributeSet set[SETS];
} World;

static void
list_sets(World *world)
{
	uint32_t *member = world->member, n = 0;

	for (uint32_t a = 0; a < COLUMNS; a++)
		for (uint32_t b = a; b < COLUMNS; b++)
		{
			member[0] = a;
			member[1] = b;
			world->set[n++] = (DpAttributeSet){b > a ? 2 : 1, member};
			member += 2;
		}
}

/* Columns that follow one another loosely: a chain with a common cause. */
static void
fill(World *world, uint32_t rows)
{
	for (uint32_t i = 0; i < rows; i++)
	{
		uint32_t cause = (uint32_t) dp_prng_below(&world->prng, 3), before = 0;

		for (uint32_t a = 0; a < COLUMNS; a++)
		{
			uint32_t pick = (uint32_t) dp_prng_below(&world->prng, 4);

			before = (pick == 0   ? (uint32_t) dp_prng_below(&world->prng, 6)
					  : pick == 1 ? before
								  : cause) %
					 levels[a];
			world->table.code[a][i] = before;
		}
	}
}

static void
open_world(World *world, DpArena *arena, uint32_t rows, uint64_t seed)
{
	DpError error = {0};

	*world = (World){.arena = arena};
	dp_prng_seed(&world->prng, (DpStream){seed, 1, 2});
	unit_fixed_rng(&world->rng, &world->prng, seed);
	world->domain = unit_domain(arena, levels, COLUMNS);
	world->table = unit_table(arena, &world->domain, rows);
	fill(world, rows);
	world->request = (DpRequest){
		.domain = &world->domain, .unit = {DP_ADD_REMOVE, 1}, .options = &world->options};
	world->request.budget = (DpBudget){.epsilon_nano = 20 * DP_EPSILON_ONE};
	MUST(dp_plan(dp_method_find("mst"), &world->request, &world->plan, arena, &error));
	dp_meter_init(&world->meter, world->plan.cost);
	world->counter = unit_counter(&world->table);
	world->m = (DpMeasurement){.plan = &world->plan,
							   .domain = &world->domain,
							   .counter = &world->counter,
							   .noise = {.meter = &world->meter, .rng = &world->rng},
							   .arena = arena};
	world->measure = (DpGraphicalMeasure){
		.m = &world->m,
		.privacy_measure = {.unit = world->request.unit, .all = world->request.budget.epsilon_nano},
		.cells_max = 1 << 16,
		.tables_capacity = SETS,
		.model = &world->model};
	list_sets(world);
	MUST(dp_graphical_open(&world->measure, world->set, SETS, &error));
	MUST(dp_graphical_release_one_way(
		&world->measure, (DpOneAmounts){DP_EPSILON_ONE, DP_EPSILON_ONE}, DP_GROUPING_HIERARCHIES));
	MUST(dp_graphical_fit(&world->measure.graphical, &dp_graphical_final_rule, NULL));
}

/* The same releases, beside exact counts with one row more, or less. */
static DpGraphicalMeasure
neighbour(const World *world, uint32_t row, int sign)
{
	DpGraphicalMeasure other = world->measure;
	uint32_t code[COLUMNS];

	for (uint32_t a = 0; a < COLUMNS; row /= levels[a], a++)
		code[a] = row % levels[a];
	other.exact = dp_memdup(world->arena, other.exact, SETS * sizeof(*other.exact));
	for (uint32_t i = 0; i < SETS; i++)
	{
		DpExactMarginal *exact = &other.exact[i];
		uint64_t cell = 0;

		for (uint32_t k = 0; k < exact->set.n; k++)
			cell = cell * levels[exact->set.attribute[k]] + code[exact->set.attribute[k]];
		exact->count = dp_memdup(world->arena, exact->count, exact->cells * sizeof(*exact->count));
		exact->count[cell] += sign;
	}
	return other;
}

/*
 * Pairs that no table has: the sensitivity must hold for any numbers, and these move scores
 * further.
 */
static void
scatter(World *world)
{
	for (uint32_t i = 0; i < SETS; i++)
		for (uint64_t k = 0;
			 world->measure.exact[i].set.n == 2 && k < world->measure.exact[i].cells; k++)
			world->measure.exact[i].count[k] = (int64_t) dp_prng_below(&world->prng, 200);
}

/* ---- the definition ---- */

static double
count_of(const World *world, uint32_t a, uint32_t x, uint32_t b, uint32_t y)
{
	for (uint32_t i = 0; i < SETS; i++)
	{
		const DpExactMarginal *exact = &world->measure.exact[i];

		if (exact->set.n == 2 && exact->set.attribute[0] == (a < b ? a : b) &&
			exact->set.attribute[1] == (a < b ? b : a))
			return (double) exact->count[a < b ? x * levels[b] + y : y * levels[a] + x];
	}
	return NAN;
}

static void
expect_pair(const World *world, uint32_t a, uint32_t b, double *out)
{
	uint32_t member[2] = {a < b ? a : b, a < b ? b : a};
	const DpAttributeSet set = {2, member};

	MUST(dp_graphical_marginal(&world->measure.graphical, &set, out));
}

/*
 * expected[a][b][] is from before the first pair, carried[i][a][] from when both were in the tree.
 */
typedef struct Tables
{
	double expected[COLUMNS][COLUMNS][9];
	double carried[COLUMNS][COLUMNS][9];
} Tables;

static double
distance_of(const World *world, const Tables *tables, uint32_t i, uint32_t j)
{
	double sum = 0;

	for (uint32_t x = 0; x < levels[i]; x++)
		for (uint32_t y = 0; y < levels[j]; y++)
			sum += fabs(count_of(world, i, x, j, y) -
						tables->expected[i][j][i < j ? x * levels[j] + y : y * levels[i] + x]);
	return sum;
}

/* What the distance would be by chance, and a part of what noise adds. */
static double
chance_of(const Tables *tables, uint32_t i, uint32_t j)
{
	uint32_t cells = levels[i] * levels[j];
	double sum = 0.3 * DP_ABSOLUTE_OF_NORMAL * NOISE * cells;

	for (uint32_t k = 0; k < cells; k++)
	{
		double mean = tables->expected[i][j][k];

		sum += mean < 1 ? 2 * mean * exp(-mean) : DP_ABSOLUTE_OF_NORMAL * sqrt(mean);
	}
	return sum;
}

static double
gain_of(const World *world, const Tables *tables, uint32_t a, uint32_t i, uint32_t j)
{
	const double *carried = tables->carried[i][a];
	double loss = 0;

	for (uint32_t z = 0; z < levels[a]; z++)
		for (uint32_t y = 0; y < levels[j]; y++)
		{
			double told = 0;

			for (uint32_t x = 0; x < levels[i]; x++)
			{
				double sum = 0;

				for (uint32_t w = 0; w < levels[a]; w++)
					sum += carried[i < a ? x * levels[a] + w : w * levels[i] + x];
				told += carried[i < a ? x * levels[a] + z : z * levels[i] + x] / sum *
						count_of(world, i, x, j, y);
			}
			loss += fabs(count_of(world, a, z, j, y) - told);
		}
	return distance_of(world, tables, a, j) - loss;
}

static void
keep_expected(const World *world, double table[COLUMNS][COLUMNS][9])
{
	for (uint32_t a = 0; a < COLUMNS; a++)
		for (uint32_t b = 0; b < COLUMNS; b++)
			if (a != b)
				expect_pair(world, a, b, table[a][b]);
}

/* ---- rounds ---- */

typedef struct List
{
	size_t n;
	int64_t sensitivity;
	uint32_t candidate[SETS];
	int64_t score[SETS];
} List;

static void
list_all(DpTreeGrowth *growth, List *list)
{
	dp_tree_growth_list(growth, 1 << 16, list->candidate, list->score, &list->n,
						&list->sensitivity);
}

/* How much counts what is said of a pair. */
static double
share_of(uint32_t predicted, uint32_t a, uint32_t b)
{
	bool whole = predicted == DP_PREDICT_NONE || a == predicted || b == predicted;

	return whole ? 1 : 1.0 / DP_PREDICT_OTHERS;
}

/* The largest difference between a score and its definition, rows. */
static double
compare(const World *world, const Tables *tables, const bool *inside, const List *list,
		uint32_t predicted, double weight, double unit)
{
	double most = 0;

	for (size_t k = 0; k < list->n; k++)
	{
		const uint32_t *pair = world->measure.exact[list->candidate[k]].set.attribute;
		uint32_t i = inside[pair[1]] ? pair[1] : pair[0], j = inside[pair[1]] ? pair[0] : pair[1];
		double score = share_of(predicted, i, j) *
					   (distance_of(world, tables, i, j) - chance_of(tables, i, j));

		for (uint32_t a = 0; a < COLUMNS; a++)
			if (inside[a] && a != i)
				score += share_of(predicted, a, j) * weight * gain_of(world, tables, a, i, j);
		most = fmax(most, fabs(score - (double) list->score[k] / unit));
	}
	return most;
}

/* How far a score moves at most, as a multiple of the sensitivity; infinite if the lists differ. */
static double
find_move(const List *list, const List *other)
{
	int64_t most = 0;

	if (list->n != other->n || list->sensitivity != other->sensitivity)
		return INFINITY;
	for (size_t k = 0; k < list->n; k++)
	{
		int64_t gap = list->score[k] - other->score[k];

		if (list->candidate[k] != other->candidate[k])
			return INFINITY;
		gap = gap < 0 ? -gap : gap;
		most = gap > most ? gap : most;
	}
	return (double) most / (double) list->sensitivity;
}

static void
test_rounds(DpArena *arena, uint32_t predicted, int64_t weight, bool scattered, uint64_t seed)
{
	double unit =
		weight > 0 ? (double) DP_SCORE_UNIT * DP_TREE_WEIGHT_ONE * DP_KERNEL_ONE : DP_SCORE_UNIT;
	static DpGraphicalMeasure near[2 * CELLS];
	static DpTreeGrowth other[2 * CELLS];
	static Tables tables;
	bool inside[COLUMNS] = {false};
	DpTreeGrowth growth;
	static World world;
	List list, moved;

	open_world(&world, arena, 400, seed);
	if (scattered)
		scatter(&world);
	keep_expected(&world, tables.expected);
	MUST(dp_tree_growth_init(&growth, &world.measure, predicted, weight, NOISE));
	for (uint32_t k = 0; k < 2 * CELLS; k++)
	{
		near[k] = neighbour(&world, k / 2, k % 2 == 0 ? 1 : -1);
		MUST(dp_tree_growth_init(&other[k], &near[k], predicted, weight, NOISE));
	}
	for (uint32_t round = 0; round + 1 < COLUMNS; round++)
	{
		double most = 0, least, error;
		uint32_t chosen;

		list_all(&growth, &list);
		CHECK(list.n == (round == 0 ? PAIRS : (round + 1) * (COLUMNS - 1 - round)),
			  "round %u: all pairs that join one more", round);
		error = compare(&world, &tables, inside, &list, predicted,
						(double) weight / DP_TREE_WEIGHT_ONE, unit);
		CHECK(error < 2, "scores are as defined, to %.2g rows of %u", error, world.table.rows);
		for (uint32_t k = 0; k < 2 * CELLS; k++)
		{
			list_all(&other[k], &moved);
			most = fmax(most, find_move(&list, &moved));
		}
		least = weight == 0 || round == 0      ? 0.9
				: predicted != DP_PREDICT_NONE ? 0.1
				: scattered                    ? 0.51
											   : 0.2;
		CHECK(most <= 1 && most > least,
			  "no row moves a score by more than its sensitivity, of which it is %.2g", most);
		chosen = list.candidate[dp_prng_below(&world.prng, list.n)];
		MUST(dp_graphical_release(&world.measure, chosen, DP_EPSILON_ONE));
		MUST(dp_graphical_fit(&world.measure.graphical, &dp_graphical_final_rule, NULL));
		for (uint32_t k = 0; k < 2; k++)
		{
			uint32_t joined = world.measure.exact[chosen].set.attribute[k];

			for (uint32_t a = 0; a < COLUMNS && !inside[joined]; a++)
				if (a != joined)
				{
					expect_pair(&world, a, joined, tables.carried[a][joined]);
					expect_pair(&world, a, joined, tables.carried[joined][a]);
				}
			inside[joined] = true;
		}
		MUST(dp_tree_growth_join(&growth, chosen));
		for (uint32_t k = 0; k < 2 * CELLS; k++)
		{
			near[k].graphical = world.measure.graphical;
			MUST(dp_tree_growth_join(&other[k], chosen));
		}
	}
	list_all(&growth, &list);
	CHECK(list.n == 0, "then the tree spans all");
}

/* A pair too large for what room is left: the tree ends, another begins. */
static void
test_forest(DpArena *arena)
{
	static World world;
	DpTreeGrowth growth;
	List list;

	open_world(&world, arena, 100, 9);
	MUST(dp_tree_growth_init(&growth, &world.measure, DP_PREDICT_NONE, DP_TREE_WEIGHT_ONE, NOISE));
	for (uint32_t a = 0; a < COLUMNS; a++)
		for (uint32_t b = 0; b < COLUMNS; b++)
			if ((a < 2) != (b < 2)) /* {0, 1} and {2, 3, 4} do not meet */
				growth.pair[a * COLUMNS + b] = UINT32_MAX;
	list_all(&growth, &list);
	CHECK(list.n == 4, "pairs within each part");
	MUST(dp_tree_growth_join(&growth, growth.pair[0 * COLUMNS + 1]));
	list_all(&growth, &list);
	CHECK(list.n == 3 && list.sensitivity == dp_tree_growth_sensitivity(DP_TREE_WEIGHT_ONE, 0),
		  "nothing can join the tree: another one begins, with the sensitivity of a first pair");
	MUST(dp_tree_growth_join(&growth, growth.pair[3 * COLUMNS + 4]));
	list_all(&growth, &list);
	CHECK(list.n == 2, "and goes on");
	MUST(dp_tree_growth_join(&growth, growth.pair[2 * COLUMNS + 3]));
	list_all(&growth, &list);
	CHECK(list.n == 0, "until none is left");
}

/*
 * Zeros tie columns 0 and 2 through column 1. The tables are so large that no expectation can be
 * computed, as in a model of some GB with zeros between columns of thousands of levels.
 */
static void
test_too_wide(DpArena *arena)
{
	static const uint32_t wide[3] = {130, 66, 130};
	static const uint32_t member[3][2] = {{0, 1}, {1, 2}, {0, 2}};
	const DpFitRule rule = {.ridge = 0.1, .tolerance = 0.1, .evaluations_max = 2};
	const DpDomain domain = {.attributes = 3};
	const DpMeasurement m = {.domain = &domain, .arena = arena};
	const uint64_t zero = 5;
	DpExactMarginal exact[3];
	DpModel model = {0};
	DpGraphicalMeasure measure = {.m = &m, .marginals = 3, .exact = exact, .model = &model};
	DpTreeGrowth growth;

	MUST(dp_graphical_init(
		&measure.graphical,
		&(DpGraphicalStart){
			.attributes = 3, .levels = wide, .total = 100, .cells_max = (130 + 130) * 66},
		arena));
	measure.grouping.levels = dp_memdup(arena, wide, sizeof(wide));
	for (int i = 0; i < 3; i++)
	{
		exact[i] = (DpExactMarginal){.set = {2, member[i]}};
		exact[i].cells = (uint64_t) wide[member[i][0]] * wide[member[i][1]];
		exact[i].count = dp_alloc(arena, exact[i].cells, sizeof(int64_t));
		if (i < 2)
			MUST(dp_graphical_forbid(&measure.graphical, &exact[i].set, &zero, 1));
	}
	MUST(dp_graphical_fit(&measure.graphical, &rule, NULL));
	MUST(dp_tree_growth_init(&growth, &measure, DP_PREDICT_NONE, DP_TREE_WEIGHT_ONE, NOISE));
	CHECK(growth.pair[0 * 3 + 1] == 0 && growth.pair[2 * 3 + 1] == 1, "pairs that can join");
	CHECK(growth.pair[0 * 3 + 2] == UINT32_MAX && growth.pair[2 * 3 + 0] == UINT32_MAX,
		  "a pair whose expected table takes too much work is none of them, and no error");
	dp_tree_growth_free(&growth);
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	for (uint64_t seed = 1; seed <= 3; seed++)
		for (int64_t weight = 0; weight <= DP_TREE_WEIGHT_ONE; weight += 2)
			for (int scattered = 0; scattered < 2; scattered++)
			{
				test_rounds(&arena, DP_PREDICT_NONE, weight, scattered, seed);
				test_rounds(&arena, (uint32_t) seed, weight, scattered, seed);
			}
	test_forest(&arena);
	test_too_wide(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
