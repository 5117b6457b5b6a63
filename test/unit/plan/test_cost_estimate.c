/*
 * test_cost_estimate.c -- what a release is expected to do is what it does, counted, and what that
 * takes grows with it.
 */
#include "core/plan/plan.h"

#include "core/methods/registry.h"
#include "unit_data.h"

static DpPlan
plan_of(const char *method, uint32_t columns, UnitOptions *given, DpArena *arena)
{
	DpDomain *domain = dp_alloc(arena, 1, sizeof(*domain));
	DpRequest *request = dp_alloc(arena, 1, sizeof(*request));
	uint32_t levels[100];
	DpError error = {0};
	DpPlan plan;

	for (uint32_t a = 0; a < columns; a++)
		levels[a] = 10;
	*domain = unit_domain(arena, levels, columns);
	*request = (DpRequest){.domain = domain,
						   .unit = {DP_ADD_REMOVE, 1},
						   .budget = {.epsilon_nano = DP_EPSILON_ONE, .delta_atto = 1000000000},
						   .options = &given->options};
	MUST(dp_plan(dp_method_find(method), request, &plan, arena, &error));
	return plan;
}

static void
test_growth(DpArena *arena)
{
	static const char *const methods[] = {"mst", "aim", "sbhg", "privbayes"};
	UnitOptions none = {0}, one_parent = {0};

	unit_number(&one_parent, "parents", "1");
	for (int i = 0; i < 4; i++)
	{
		UnitOptions *given = strcmp(methods[i], "privbayes") == 0 ? &one_parent : &none;
		DpPlan narrow = plan_of(methods[i], 8, given, arena);
		DpPlan wide = plan_of(methods[i], 24, given, arena);

		CHECK(dp_plan_seconds(&narrow, 0) > 0, "%s takes some time", methods[i]);
		CHECK(dp_plan_seconds(&wide, 0) >= dp_plan_seconds(&narrow, 0), "%s: more columns, no less",
			  methods[i]);
		/* with so many, as with 0, all tables are clear of their noise */
		CHECK(dp_plan_seconds(&wide, 1000000000) - dp_plan_seconds(&wide, 0) >
				  dp_plan_seconds(&narrow, 1000000000) - dp_plan_seconds(&narrow, 0),
			  "%s: a row of more columns takes longer", methods[i]);
		CHECK(dp_plan_bytes(&wide, 0) > dp_cost_estimate_worker_bytes(24) &&
				  dp_plan_bytes(&wide, 0) <= dp_cost_estimate_worker_bytes(24) + wide.memory_bytes,
			  "%s: memory is expected, and no more than the bound", methods[i]);
	}
}

static void
test_memory(DpArena *arena)
{
	UnitOptions little = {0}, much = {0}, some = {0}, pairs = {0};
	DpPlan a, b, c, d, e;

	unit_number(&little, "max_model_memory", "40");
	unit_number(&much, "max_model_memory", "1280");
	unit_number(&some, "max_model_memory", "640");
	a = plan_of("aim", 12, &little, arena);
	b = plan_of("aim", 12, &much, arena);
	CHECK(dp_plan_seconds(&b, 0) > 4 * dp_plan_seconds(&a, 0), "a larger model takes longer");
	CHECK(dp_plan_bytes(&b, 0) > 5 * dp_plan_bytes(&a, 0), "and more memory");
	CHECK(dp_plan_seconds(&b, 1000) < dp_plan_seconds(&b, 0) / 2,
		  "few rows do not let it grow so large");
	unit_number(&pairs, "workload", "2");
	e = plan_of("aim", 12, &pairs, arena);
	CHECK(dp_plan_bytes(&e, 10000000) > 1.2 * dp_plan_bytes(&e, 20000),
		  "where all pairs are far above their noise they fill the room of the model");
	c = plan_of("aim", 3, &some, arena);
	d = plan_of("aim", 3, &much, arena);
	CHECK(dp_plan_seconds(&c, 0) == dp_plan_seconds(&d, 0),
		  "it is no larger than the table of all columns");
}

/* ---- what is done ---- */

typedef struct Tally
{
	UnitTable *table;
	DpCounter counter; /* of the table */
	double members, hashed;
	unsigned scans;
	uint64_t cells; /* of the dense tables of one scan, at most */
} Tally;

static DpStatus
exact_count(void *context, const DpDomain *domain, DpMarginal *const *marginals, uint32_t n,
			DpError *error)
{
	Tally *exact = context;
	uint64_t cells = 0;

	exact->scans++;
	for (uint32_t i = 0; i < n; i++)
	{
		bool dense = marginals[i]->storage == DP_DENSE;

		exact->hashed += !dense;
		exact->members += dense ? marginals[i]->n : 0;
		cells += dense ? marginals[i]->cells : 0;
	}
	exact->cells = cells > exact->cells ? cells : exact->cells;
	return exact->counter.count(exact->table, domain, marginals, n, error);
}

static DpStatus
exact_cells(void *context, const DpDomain *domain, DpCells *sets, uint32_t n, DpError *error)
{
	Tally *exact = context;

	exact->scans++;
	exact->hashed += n;
	return exact->counter.cells(exact->table, domain, sets, n, error);
}

static bool
is_near(double expected, double counted)
{
	return expected <= 2 * counted && counted <= 2 * expected;
}

/* One release over the table, with the true number of rows told. */
static void
check_work(const char *method, int64_t epsilon_nano, const char *option, UnitTable *table,
		   DpArena *arena)
{
	UnitOptions given = {0};
	Tally exact = {.table = table, .counter = unit_counter(table)};
	DpCounter counter = exact.counter;
	DpRequest request = {.domain = table->domain,
						 .unit = {DP_REPLACE_ONE, 1},
						 .budget = {.epsilon_nano = epsilon_nano, .delta_atto = 1000000000},
						 .options = &given.options};
	DpPrng prng;
	DpRng rng;
	DpCostEstimate expected;
	DpModel model;
	DpMeter meter;
	DpError error = {0};
	DpPlan plan;

	counter.context = &exact;
	counter.count = exact_count;
	counter.cells = exact_cells;
	if (option != NULL)
		unit_number(&given, option, "100");
	MUST(dp_plan(dp_method_find(method), &request, &plan, arena, &error));
	dp_meter_init(&meter, plan.cost);
	unit_fixed_rng(&rng, &prng, 1);
	MUST(dp_measure(&(DpMeasurement){.plan = &plan,
									 .counter = &counter,
									 .noise = {.meter = &meter, .rng = &rng},
									 .arena = arena},
					&model, &error));
	expected = dp_plan_cost_estimate(&plan, table->rows);
	CHECK(is_near((double) expected.scans, exact.scans), "%s %s: %llu scans, %u expected", method,
		  option == NULL ? "" : option, (unsigned long long) exact.scans,
		  (unsigned) expected.scans);
	CHECK(is_near(expected.members + expected.hashed, exact.members + exact.hashed),
		  "%s %s: a row is counted %g times, %g expected", method, option == NULL ? "" : option,
		  exact.members + exact.hashed, expected.members + expected.hashed);
	CHECK((exact.hashed > 0) == (expected.hashed > 0), "%s: tables are looked up or not", method);
	CHECK(dp_cost_estimate_bytes_of(&expected, table->rows) >= exact.cells * sizeof(int64_t),
		  "%s: the exact tables are among the bytes", method);
}

static void
test_work(DpArena *arena)
{
	const uint32_t levels[] = {3, 4, 2, 5, 3, 2, 6, 4};
	DpDomain domain = unit_domain(arena, levels, 8);
	UnitTable table = unit_table(arena, &domain, 4000);

	for (uint32_t a = 0; a < 8; a++)
		for (uint32_t i = 0; i < table.rows; i++)
			table.code[a][i] = (i * (a + 1) / 7 + i % 3) % levels[a];
	for (int64_t epsilon = DP_EPSILON_ONE / 10; epsilon <= 10 * DP_EPSILON_ONE; epsilon *= 10)
	{
		check_work("mst", epsilon, NULL, &table, arena);
		check_work("aim", epsilon, NULL, &table, arena);
		check_work("privbayes", epsilon, NULL, &table, arena);
		check_work("privbayes", epsilon, "cell_limit", &table, arena);
		check_work("sbhg", epsilon, NULL, &table, arena);
		check_work("steps", epsilon, NULL, &table, arena);
		check_work("flat", epsilon, NULL, &table, arena);
		check_work("flat", epsilon, "dense_cells", &table, arena);
		check_work("cipher", epsilon, NULL, &table, arena);
		check_work("mwem", epsilon, NULL, &table, arena);
		check_work("marginal", epsilon, NULL, &table, arena);
	}
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_growth(&arena);
	test_memory(&arena);
	test_work(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
