/*
 * test_parents_number.c -- the number of parents that pays off: bounded by public sizes, and chosen
 * by the distribution that was planned, for what was planned.
 */
#include "core/methods/sbhg/parents_number.h"

#include "unit_data.h"
#include "unit_stat.h"

#define P 4
#define ROWS 64
#define MOST 2

static const uint32_t levels[P] = {2, 2, 2, 2};

/* c3 is the sum of c1 and c2, which no pair shows; c0 is c1. */
static UnitTable
parity_table(DpArena *arena, const DpDomain *domain)
{
	UnitTable table = unit_table(arena, domain, ROWS);

	for (uint32_t i = 0; i < ROWS; i++)
	{
		table.code[1][i] = i & 1;
		table.code[2][i] = i >> 1 & 1;
		table.code[3][i] = table.code[1][i] ^ table.code[2][i];
		table.code[0][i] = table.code[1][i];
	}
	return table;
}

/* c1, c2 for c3; and so on: the most important first. */
static void
set_parents(uint32_t index[P][MOST], DpParents *parents)
{
	static const uint32_t chosen[P][MOST] = {{1, 2}, {0, 2}, {3, 1}, {1, 2}};

	memcpy(index, chosen, sizeof(chosen));
	for (uint32_t a = 0; a < P; a++)
		parents[a] = (DpParents){MOST, index[a]};
}

/* n R in 1/1024: 32 rows for c0 and c1 of one parent, of which c0 decides c1 and the other way
 * round, none for c2 and c3; with two parents all four are decided, 32 rows each. */
static void
plain_scores(const DpParentsNumber *number, int64_t *score)
{
	double noise = dp_laplace_stddev(number->distribution) / (2 * sqrt(2)) * 1024;

	score[0] = -P * llround(noise * 2);
	score[1] = 1024 * 64 - P * llround(noise * 4);
	score[2] = 1024 * 128 - P * llround(noise * 8);
}

static void
test_distribution(DpArena *arena, const DpDomain *domain, DpUnit unit, int64_t row_sensitivity)
{
	UnitTable table = parity_table(arena, domain);
	DpCounter counter = unit_counter(&table);
	DpRequest request = {.domain = domain, .unit = unit};
	DpPlan plan = {.request = &request};
	int64_t sensitivity = P * row_sensitivity * unit.rows_max * 1024;
	DpParentsNumber number = {.most = MOST,
							  .epsilon_nano = INT64_C(100000000) * row_sensitivity * unit.rows_max,
							  .distribution =
								  dp_unit_laplace(&unit, INT64_C(400000000) * unit.rows_max)};
	uint64_t observed[3] = {0};
	int64_t score[3];
	double distribution[3];
	bool fits = true;
	DpMeter meter;
	DpPrng prng;
	DpRng rng;
	DpMeasurement m = {.plan = &plan,
					   .domain = domain,
					   .counter = &counter,
					   .noise = {.meter = &meter, .rng = &rng},
					   .arena = arena};

	unit_fixed_rng(&rng, &prng, 7);
	plain_scores(&number, score);
	unit_permute_and_flip(score, (double) number.epsilon_nano * 1e-9 / (2 * (double) sensitivity),
						  distribution);
	for (int i = 0; i < 3000; i++)
	{
		uint32_t index[P][MOST];
		DpParents parents[P];

		set_parents(index, parents);
		dp_meter_init(&meter, dp_cost_pure(number.epsilon_nano));
		MUST(dp_parents_number_choose(&m, &number, parents, NULL));
		fits &= meter.spent.epsilon_nano == number.epsilon_nano && meter.spent.delta_atto == 0;
		for (uint32_t a = 1; a < P; a++)
			fits &= parents[a].n == parents[0].n;
		observed[parents[0].n <= MOST ? parents[0].n : 0]++;
	}
	CHECK(fits, "one number for all, for one charge");
	CHECK(distribution[2] < 0.9 && distribution[0] > 0.02,
		  "none is certain, and none is out of the question");
	CHECK(unit_chi_square_p(observed, distribution, 3, 3000) > UNIT_P_MIN,
		  "it follows permute-and-flip with the sensitivity of a sum of %d", P);
}

static void
test_bound(DpArena *arena)
{
	const uint32_t sizes[] = {10, 3, 7, 2};
	DpDomain domain = unit_domain(arena, sizes, 4);
	const uint64_t cells[] = {9, 10, 69, 70, 209, 210, 419, 420};
	const uint32_t want[] = {0, 0, 0, 1, 1, 2, 2, 3};
	unsigned wrong = 0;
	uint32_t most;

	for (int i = 0; i < 8; i++)
	{
		MUST(dp_parents_number_bound(&domain, 3, cells[i], &most, arena));
		wrong += most != want[i];
	}
	CHECK_I64(wrong, 0, "as many parents as keep the largest of all tables within the cells");
	MUST(dp_parents_number_bound(&domain, 1, 420, &most, arena));
	CHECK_I64(most, 1, "and no more than are wanted");
	unit_open(&domain.attribute[3]);
	MUST(dp_parents_number_bound(&domain, 3, 1000000, &most, arena));
	CHECK_I64(most, 0, "with an open column it is not known how large a table is");
}

static void
test_plan(DpArena *arena, const DpDomain *domain)
{
	const DpParentsNumber number = {MOST, 50000000, {400000000, 1}};
	const DpParentsNumber nothing = {MOST, 0, {400000000, 1}};
	DpRequest request = {
		.domain = domain, .unit = {DP_ADD_REMOVE, 1}, .budget = {DP_EPSILON_ONE, 0, 0}};
	DpPlan plan = {.request = &request, .remaining = request.budget};

	MUST(dp_parents_number_plan(&plan, &number, arena, NULL));
	CHECK(plan.stages == 1 && plan.stage[0].tables == 1 && plan.cost.epsilon_nano == 50000000 &&
			  plan.cost.delta_atto == 0 && plan.scans == 1,
		  "one choice, one scan");
	CHECK_STATUS(dp_parents_number_plan(&plan, &nothing, arena, NULL), DP_ERR_ARGUMENT,
				 "a choice for nothing");
	request.unit = (DpUnit){DP_REPLACE_ONE, 1000000};
	CHECK_STATUS(dp_parents_number_plan(&plan, &number, arena, NULL), DP_ERR_LIMIT,
				 "a unit of too many rows");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();
	DpDomain domain = unit_domain(&arena, levels, P);

	test_distribution(&arena, &domain, (DpUnit){DP_ADD_REMOVE, 1}, 2);
	test_distribution(&arena, &domain, (DpUnit){DP_REPLACE_ONE, 2}, 3);
	test_bound(&arena);
	test_plan(&arena, &domain);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
