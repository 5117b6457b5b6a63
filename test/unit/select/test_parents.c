/*
 * test_parents.c -- parents of attributes: given, and chosen privately.
 */
#include "core/select/parents.h"

#include "unit_data.h"
#include "unit_stat.h"

#define ROWS 40

static const uint32_t levels[] = {2, 3, 4, 2};

static const DpOption *
option_of(UnitOptions *options, DpArena *arena, const char *const (*list)[2], uint32_t n)
{
	*options = (UnitOptions){.lists = 0};
	unit_add_option(options, "network", DP_VALUE_MAP);
	for (uint32_t i = 0; i < n; i++)
		unit_list(options, arena, list[i][0], list[i][1]);
	return &options->option[0];
}

static void
refuse_map(const char *why, const char *word, const DpDomain *domain, DpArena *arena,
		   const char *const (*list)[2], uint32_t n, DpStatus want)
{
	UnitOptions options;
	DpParents parents[4];
	DpError error = {.status = DP_OK};
	DpStatus status =
		dp_parents_from_map(option_of(&options, arena, list, n), domain, 2, parents, arena, &error);

	CHECK_I64(status, want, "%s", why);
	CHECK(error.status == want && strstr(error.message, word) != NULL, "%s, says the error", why);
}

static bool
parents_are(const DpParents *parents, uint32_t n, uint32_t first, uint32_t second)
{
	return parents->n == n && (n < 1 || parents->index[0] == first) &&
		   (n < 2 || parents->index[1] == second);
}

static void
test_map(DpArena *arena, const DpDomain *domain)
{
	const char *const good[][2] = {{"c2", "c0 c3"}, {"c0", ""}, {"c3", "c1"}, {"c1", "c2"}};
	const char *const twice[][2] = {{"c0", ""}, {"c0", "c1"}};
	const char *const self[][2] = {{"c0", "c0"}}, *const same[][2] = {{"c0", "c1 c1"}};
	const char *const many[][2] = {{"c0", "c1 c2 c3"}}, *const unknown[][2] = {{"c0", "c9"}};
	const char *const no_child[][2] = {{"c9", "c0"}};
	UnitOptions options;
	DpParents parents[4];

	MUST(dp_parents_from_map(option_of(&options, arena, good, 4), domain, 2, parents, arena, NULL));
	CHECK(parents_are(&parents[0], 0, 0, 0) && parents_are(&parents[1], 1, 2, 0) &&
			  parents_are(&parents[2], 2, 0, 3) && parents_are(&parents[3], 1, 1, 0),
		  "a map is read as it stands, in any order");
	refuse_map("a column without an entry", "no entry", domain, arena, good, 3, DP_ERR_ARGUMENT);
	refuse_map("a column with two", "twice", domain, arena, twice, 2, DP_ERR_ARGUMENT);
	refuse_map("a column that is its own parent", "itself", domain, arena, self, 1,
			   DP_ERR_ARGUMENT);
	refuse_map("a parent twice", "one parent twice", domain, arena, same, 1, DP_ERR_ARGUMENT);
	refuse_map("too many parents", "too many", domain, arena, many, 1, DP_ERR_ARGUMENT);
	refuse_map("a parent that does not exist", "c9", domain, arena, unknown, 1, DP_ERR_UNDEFINED);
	refuse_map("a column that does not exist", "c9", domain, arena, no_child, 1, DP_ERR_UNDEFINED);
}

static DpStatus
ring_status(DpArena *arena, const DpDomain *domain, const char *names, DpParents *parents)
{
	UnitOptions options = {.lists = 0};

	unit_add_option(&options, "column_order", DP_VALUE_LIST);
	unit_list(&options, arena, NULL, names);
	return dp_parents_from_ring(&options.option[0], domain, 2, parents, arena, NULL);
}

static void
test_ring(DpArena *arena, const DpDomain *domain)
{
	DpParents parents[4];

	MUST(ring_status(arena, domain, "c2 c0 c3 c1", parents));
	CHECK(parents_are(&parents[2], 2, 1, 3) && parents_are(&parents[0], 2, 2, 1) &&
			  parents_are(&parents[3], 2, 0, 2) && parents_are(&parents[1], 2, 3, 0),
		  "on a ring each has those before it, the nearest first");
	CHECK_STATUS(ring_status(arena, domain, "c2 c0 c3", parents), DP_ERR_ARGUMENT,
				 "a ring that lacks a column");
	CHECK_STATUS(ring_status(arena, domain, "c2 c0 c3 c0", parents), DP_ERR_ARGUMENT,
				 "or has one twice");
	MUST(dp_parents_all(domain, parents, arena));
	CHECK(parents[1].n == 3 && parents[1].index[0] == 0 && parents[1].index[1] == 2 &&
			  parents[1].index[2] == 3,
		  "all parents are all others");
}

/* c0 decides c1 mostly, c2 sometimes, and c3 hardly. */
static UnitTable
dependent_table(DpArena *arena, const DpDomain *domain)
{
	UnitTable table = unit_table(arena, domain, ROWS);

	for (uint32_t i = 0; i < ROWS; i++)
	{
		table.code[0][i] = i % 2;
		table.code[1][i] = i % 10 < 7 ? i % 2 : 2;
		table.code[2][i] = i % 10 < 5 ? i % 2 : 2 + i / 5 % 2;
		table.code[3][i] = i / 4 % 2;
	}
	return table;
}

/* floor(1024 sum |n t - r c| / (2 n)) of two columns. */
static int64_t
plain_score(const UnitTable *table, uint32_t a, uint32_t b)
{
	int64_t both[4][4] = {{0}}, row[4] = {0}, column[4] = {0}, sum = 0;

	for (uint32_t i = 0; i < ROWS; i++)
	{
		both[table->code[a][i]][table->code[b][i]]++;
		row[table->code[a][i]]++;
		column[table->code[b][i]]++;
	}
	for (int r = 0; r < 4; r++)
		for (int c = 0; c < 4; c++)
			sum += llabs(ROWS * both[r][c] - row[r] * column[c]);
	return 1024 * sum / (2 * ROWS);
}

static void
test_distribution(DpArena *arena, const DpDomain *domain, DpUnit unit, int64_t sensitivity)
{
	UnitTable table = dependent_table(arena, domain);
	DpCounter counter = unit_counter(&table);
	DpRequest request = {.domain = domain, .unit = unit};
	DpPlan plan = {.request = &request};
	int64_t score[4] = {0}, each = INT64_C(300000000) * sensitivity / 2048;
	uint64_t observed[4] = {0};
	double probability[4] = {0};
	bool fits = true;
	DpMeter meter;
	DpPrng prng;
	DpRng rng;
	DpMeasurement m = {.plan = &plan,
					   .domain = domain,
					   .counter = &counter,
					   .noise = {.meter = &meter, .rng = &rng},
					   .arena = arena};

	unit_fixed_rng(&rng, &prng, 121);
	for (uint32_t a = 1; a < 4; a++)
		score[a] = plain_score(&table, 0, a);
	unit_permute_and_flip(score + 1, (double) each * 1e-9 / (2 * (double) sensitivity),
						  probability + 1);
	for (int i = 0; i < 3000; i++)
	{
		DpParents parents[4];
		DpBudget cost;

		MUST(dp_budget_multiply(dp_cost_pure(each), 8, &cost));
		dp_meter_init(&meter, cost);
		MUST(dp_parents_select(&m, &(DpParentsPlan){NULL, 2, each}, parents, NULL));
		observed[parents[0].index[0]]++;
		fits &= meter.spent.epsilon_nano == cost.epsilon_nano && meter.spent.delta_atto == 0;
		for (uint32_t a = 0; a < 4; a++)
			fits &= parents[a].n == 2 && parents[a].index[0] != parents[a].index[1] &&
					parents[a].index[0] != a && parents[a].index[1] != a;
	}
	CHECK(fits, "sensitivity %d: two parents each, distinct, for one charge each",
		  (int) sensitivity);
	CHECK(probability[3] > 0.05 && probability[1] < 0.7, "none is certain");
	CHECK(unit_chi_square_p(observed, probability, 4, 3000) > UNIT_P_MIN,
		  "sensitivity %d: the first follows permute-and-flip", (int) sensitivity);
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();
	DpDomain domain = unit_domain(&arena, levels, 4);

	test_map(&arena, &domain);
	test_ring(&arena, &domain);
	test_distribution(&arena, &domain, (DpUnit){DP_ADD_REMOVE, 1}, 2 * 1024);
	test_distribution(&arena, &domain, (DpUnit){DP_REPLACE_ONE, 2}, 2 * 3 * 1024);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
