/*
 * test_graphical_limits.c -- mst and aim at the edges: budgets of nearly nothing, models without
 * room, more than a stored model can hold. What a plan accepts is measured.
 */
#include "core/accounting/stddev.h"
#include "core/graphical/graphical_model.h"
#include "core/methods/aim/aim_candidates.h"
#include "core/methods/registry.h"
#include "core/plan/graphical_measure.h"

#include <time.h>

#include "unit_data.h"

#define ROWS 300

typedef struct Case
{
	const char *method;
	uint32_t attributes, levels; /* of each */
	int64_t epsilon_nano, delta_atto;
	DpUnit unit;
	uint32_t sets;
	int64_t memory;
	bool group;
	const char *rounds; /* of aim; NULL: not given */
	uint64_t seed;
} Case;

static const Case usual = {.attributes = 4,
						   .levels = 3,
						   .epsilon_nano = DP_EPSILON_ONE,
						   .delta_atto = 1000000000,
						   .unit = {DP_ADD_REMOVE, 1},
						   .sets = 1,
						   .memory = 80,
						   .group = true};

typedef struct Run
{
	DpDomain domain;
	UnitTable table;
	DpOption option[4];
	DpOptions options;
	DpRequest request;
	DpPlan plan;
	DpMeter meter;
	DpModel model;
} Run;

static void
set_up(Run *run, const Case *of, DpArena *arena)
{
	uint32_t levels[UNIT_COLUMNS_MAX];

	for (uint32_t a = 0; a < of->attributes; a++)
		levels[a] = of->levels;
	run->domain = unit_domain(arena, levels, of->attributes);
	run->table = unit_table(arena, &run->domain, ROWS);
	for (uint32_t a = 0; a < of->attributes; a++)
		for (uint32_t i = 0; i < ROWS; i++)
			run->table.code[a][i] = (i * (a + 1) + i / 7) % of->levels;
	run->option[0] = (DpOption){.name = "independent_sets", .kind = DP_VALUE_BOOLEAN, .flag = true};
	run->option[1] = (DpOption){.name = "group_rare", .kind = DP_VALUE_BOOLEAN, .flag = of->group};
	run->option[2] = (DpOption){
		.name = "max_model_memory", .kind = DP_VALUE_NUMBER, .text = of->memory == 2 ? "2" : "80"};
	run->option[3] = (DpOption){.name = "rounds", .kind = DP_VALUE_NUMBER, .text = of->rounds};
	run->options = (DpOptions){of->rounds == NULL ? 3 : 4, run->option};
	run->request =
		(DpRequest){.domain = &run->domain,
					.unit = of->unit,
					.budget = {.epsilon_nano = of->epsilon_nano, .delta_atto = of->delta_atto},
					.options = &run->options,
					.sets = of->sets};
}

/* DP_OK where both plan and measurement are; what the plan refuses was not paid for. */
static DpStatus
run_case(Run *run, const Case *of, DpArena *arena, bool *planned)
{
	DpCounter counter = unit_counter(&run->table);
	DpStatus status;
	DpPrng prng;
	DpRng rng;

	set_up(run, of, arena);
	status = dp_plan(dp_method_find(of->method), &run->request, &run->plan, arena, NULL);
	*planned = status == DP_OK;
	if (!*planned)
		return status;
	dp_meter_init(&run->meter, run->plan.cost);
	unit_fixed_rng(&rng, &prng, 46 + of->seed);
	return dp_measure(&(DpMeasurement){.plan = &run->plan,
									   .counter = &counter,
									   .noise = {.meter = &run->meter, .rng = &rng},
									   .arena = arena},
					  &run->model, NULL);
}

static const char *const both[] = {"mst", "aim"};

/* Each charge rounds its rho up: many small ones come to more than one of the sum. */
static void
test_little(void)
{
	for (int m = 0; m < 2; m++)
		for (int64_t epsilon = 100; epsilon < DP_EPSILON_ONE; epsilon *= 7)
			for (int64_t delta = 0; delta <= 1000000000; delta += 1000000000)
			{
				DpArena arena = dp_arena_malloc();
				Case little = usual;
				bool planned;
				DpStatus status;
				Run run;

				little.method = both[m];
				little.epsilon_nano = epsilon;
				little.delta_atto = delta;
				status = run_case(&run, &little, &arena, &planned);
				CHECK(!planned || status == DP_OK, "%s, epsilon %g, delta %s: %s", both[m],
					  (double) epsilon * 1e-9, delta > 0 ? "> 0" : "0",
					  planned ? dp_status_text(status) : "refused");
				dp_arena_malloc_free(&arena);
			}
}

/* Units so large that noise is as wide as 64 bits allow. */
static void
test_wide(int64_t delta_atto)
{
	for (int m = 0; m < 2; m++)
		for (uint32_t rows_max = 100; rows_max <= 100000000; rows_max *= 10)
			for (int64_t epsilon = 1000; epsilon < DP_EPSILON_ONE; epsilon *= 100)
			{
				DpArena arena = dp_arena_malloc();
				Case wide = usual;
				bool planned;
				DpStatus status;
				Run run;

				wide.method = both[m];
				wide.unit = (DpUnit){DP_REPLACE_ONE, rows_max};
				wide.epsilon_nano = epsilon;
				wide.delta_atto = delta_atto;
				wide.levels = 40;
				status = run_case(&run, &wide, &arena, &planned);
				CHECK(!planned || status == DP_OK, "%s, units of %u rows, epsilon %g: %s", both[m],
					  rows_max, (double) epsilon * 1e-9,
					  planned ? dp_status_text(status) : "refused");
				dp_arena_malloc_free(&arena);
			}
}

/* Fewer rounds than columns, and more: all that there is is spent, and no more. */
static void
test_rounds(void)
{
	static const char *const rounds[] = {"1", "2", "4", "5", "7", "300"};

	for (size_t i = 0; i < sizeof(rounds) / sizeof(rounds[0]); i++)
		for (uint32_t attributes = 1; attributes <= 4; attributes += 3)
			for (int64_t delta = 0; delta <= 1000000000; delta += 1000000000)
			{
				DpArena arena = dp_arena_malloc();
				Case some = usual;
				int64_t spent, planned_cost, first = 0;
				bool planned;
				Run run;

				some.method = "aim";
				some.attributes = attributes;
				some.rounds = rounds[i];
				some.delta_atto = delta;
				MUST(run_case(&run, &some, &arena, &planned));
				spent = delta > 0 ? run.meter.spent.rho_pico : run.meter.spent.epsilon_nano;
				planned_cost = delta > 0 ? run.plan.cost.rho_pico : run.plan.cost.epsilon_nano;
				for (uint32_t t = attributes; t < run.model.tables; t++)
				{
					DpBudget cost = run.model.table[t].cost;
					int64_t amount = delta > 0 ? cost.rho_pico : cost.epsilon_nano;

					first = t == attributes || amount < first ? amount : first;
				}
				CHECK(spent <= planned_cost && spent > planned_cost / 10 * 9,
					  "%s rounds, %u columns", rounds[i], attributes);
				CHECK(run.model.tables > attributes &&
						  (delta > 0 ? dp_gaussian_stddev((DpGaussian){.rho_pico = first,
																	   .sensitivity_l2_squared = 1})
									 : dp_laplace_stddev((DpLaplace){.epsilon_nano = first,
																	 .sensitivity_l1 = 1})) <=
							  run.plan.stage[1].noise_stddev_rows * (1 + 1e-9),
					  "no table has more noise than the plan says");
				dp_arena_malloc_free(&arena);
			}
}

/* Each pair fits the model's 16,384 cells, a tree of them does not. */
static void
test_no_room(void)
{
	for (int m = 0; m < 2; m++)
	{
		DpArena arena = dp_arena_malloc();
		Case large = usual;
		bool planned;
		uint32_t pairs = 0;
		void *sampler;
		Run run;

		large.method = both[m];
		large.attributes = 5;
		large.levels = 80;
		large.memory = 2;
		large.group = false;
		large.epsilon_nano = 100 * DP_EPSILON_ONE;
		MUST(run_case(&run, &large, &arena, &planned));
		for (uint32_t t = 0; t < run.model.tables; t++)
			pairs += run.model.table[t].n > 1;
		CHECK(pairs >= 1 && pairs <= 2, "%s: as many pairs as there is room for: %u", both[m],
			  pairs);
		CHECK_STATUS(
			dp_method_find(both[m])->sampler->prepare(&run.model, &sampler, NULL, &arena, NULL),
			DP_OK, "and the model can be drawn from");
		dp_arena_malloc_free(&arena);
	}
}

/* One attribute, attributes with one level, single rounds. */
static void
test_least(void)
{
	for (int m = 0; m < 2; m++)
		for (uint32_t attributes = 1; attributes <= 3; attributes += 2)
			for (uint32_t levels = 1; levels <= 2; levels++)
				for (int64_t delta = 0; delta <= 1000000000; delta += 1000000000)
				{
					DpArena arena = dp_arena_malloc();
					Case least = usual;
					uint32_t codes[3];
					DpPrng prng;
					bool planned;
					void *sampler;
					Run run;

					least.method = both[m];
					least.attributes = attributes;
					least.levels = levels;
					least.delta_atto = delta;
					MUST(run_case(&run, &least, &arena, &planned));
					MUST(dp_method_find(both[m])->sampler->prepare(&run.model, &sampler, NULL,
																   &arena, NULL));
					dp_prng_seed(&prng, (DpStream){1, 1, 1});
					dp_method_find(both[m])->sampler->draw(sampler, &prng, codes);
					CHECK(codes[0] < levels, "%s: %u columns with %u levels", both[m], attributes,
						  levels);
					dp_arena_malloc_free(&arena);
				}
}

/* Sets that are measured apart leave no more than their tables. */
static void
test_memory(void)
{
	for (int m = 0; m < 2; m++)
	{
		uint64_t used[2];

		for (uint32_t sets = 2; sets <= 12; sets += 10)
		{
			DpArena arena = dp_arena_malloc();
			Case many = usual;
			uint64_t before;
			bool planned;
			Run run;

			many.method = both[m];
			many.levels = 40;
			many.sets = sets;
			many.epsilon_nano = 100 * DP_EPSILON_ONE;
			MUST(run_case(&run, &many, &arena, &planned));
			before = arena.bytes_used;
			for (uint32_t t = 0; t < run.model.tables; t++)
				before -= run.model.table[t].cells * sizeof(int64_t);
			used[sets > 2] = before - 2 * run.model.structure_n * sizeof(uint32_t);
			CHECK(arena.bytes_used <= run.plan.memory_bytes, "%s, %u sets: %llu bytes of %llu",
				  both[m], sets, (unsigned long long) arena.bytes_used,
				  (unsigned long long) run.plan.memory_bytes);
			dp_arena_malloc_free(&arena);
		}
		CHECK(used[1] < used[0] + 10 * 20000 * (m + 1), "%s: little is left of each: %llu, %llu",
			  both[m], (unsigned long long) used[0], (unsigned long long) used[1]);
	}
}

/* What no stored model can hold is refused by the plan. */
static void
test_many_sets(void)
{
	for (int m = 0; m < 2; m++)
	{
		DpArena arena = dp_arena_malloc();
		Case many = usual;
		bool planned;
		DpStatus status;
		Run run;

		many.method = both[m];
		many.levels = 4000;
		many.sets = 1000;
		many.epsilon_nano = 1000 * DP_EPSILON_ONE;
		set_up(&run, &many, &arena);
		status = run_case(&run, &many, &arena, &planned);
		CHECK(!planned && status == DP_ERR_LIMIT, "%s: too many levels for a thousand sets: %s",
			  both[m], dp_status_text(status));
		dp_arena_malloc_free(&arena);
	}
}

/*
 * The noise of counts has the variance that the unit's L2 sensitivity and the charged rho ask for.
 */
static void
test_noise(void)
{
	double squares = 0, expected = 0;

	for (uint64_t seed = 0; seed < 400; seed++)
	{
		DpArena arena = dp_arena_malloc();
		Case noisy = usual;
		bool planned;
		Run run;

		noisy.method = both[seed % 2];
		noisy.attributes = 2;
		noisy.levels = 2;
		noisy.unit = (DpUnit){DP_REPLACE_ONE, 2};
		noisy.seed = seed;
		MUST(run_case(&run, &noisy, &arena, &planned));
		for (uint32_t a = 0; a < 2; a++)
		{
			double rho = (double) run.plan.stage[0].each.rho_pico / (double) DP_RHO_ONE;
			int64_t count[2] = {0, 0};

			for (uint32_t i = 0; i < ROWS; i++)
				count[run.table.code[a][i]]++;
			for (int k = 0; k < 2; k++)
			{
				double noise = (double) (run.model.table[a].value[k] - count[k]);

				squares += noise * noise * 2 * rho;
				expected += 8; /* 2 k^2 */
			}
		}
		dp_arena_malloc_free(&arena);
	}
	CHECK(squares > 0.8 * expected && squares < 1.2 * expected,
		  "the noise's variance is L2^2/(2 rho): %.3f of it", squares / expected);
}

static void
count_tick(void *context, double share_done)
{
	(void) share_done;
	++*(int *) context;
}

/* Each new table is one more run of belief propagation: a long time, where there are thousands. */
static void
test_ticks(void)
{
	const DpFitRule once = {.ridge = 0.1, .tolerance = 1e9, .evaluations_max = 1};
	uint32_t levels[] = {2, 2, 2}, all[] = {0, 1, 2}, pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
	const double observed[] = {3, 1, 2, 2, 1, 1, 0, 2};
	DpArena arena = dp_arena_malloc();
	int ticks = 0, before;
	const DpTick tick = {count_tick, &ticks};
	DpGraphical graphical;

	MUST(dp_graphical_init(
		&graphical,
		&(DpGraphicalStart){.attributes = 3, .levels = levels, .total = 12, .cells_max = 100},
		&arena));
	MUST(dp_graphical_add(&graphical, &(DpAttributeSet){3, all}, observed, 1));
	MUST(dp_graphical_fit(&graphical, &once, &tick));
	before = ticks;
	for (int i = 0; i < 3; i++)
		MUST(dp_graphical_add(&graphical, &(DpAttributeSet){2, pairs[i]}, observed, 1));
	MUST(dp_graphical_fit(&graphical, &once, &tick));
	CHECK(ticks >= before + 3, "a fit can be ended between tables");
	dp_arena_malloc_free(&arena);
}

/* Plans aim over so many binary columns, with what a number of options say (NULL: nothing). */
static DpStatus
plan_columns(uint32_t columns, const char *workload, const char *batch, uint64_t *sets,
			 DpError *error)
{
	DpArena arena = dp_arena_malloc();
	uint32_t levels[UNIT_COLUMNS_MAX];
	UnitOptions options = {.lists = 0};
	DpDomain domain;
	DpRequest request;
	DpPlan plan;
	DpStatus status;

	for (uint32_t a = 0; a < columns; a++)
		levels[a] = 2;
	domain = unit_domain(&arena, levels, columns);
	if (workload != NULL)
		unit_number(&options, "workload", workload);
	if (batch != NULL)
		unit_number(&options, "batch", batch);
	request =
		(DpRequest){.domain = &domain, .unit = {DP_ADD_REMOVE, 1}, .options = &options.options};
	request.budget = (DpBudget){.epsilon_nano = DP_EPSILON_ONE, .delta_atto = 1000000000};
	status = dp_plan(dp_method_find("aim"), &request, &plan, &arena, error);
	*sets = status == DP_OK ? plan.scan_bytes / sizeof(int64_t) / 4 : 0;
	dp_arena_malloc_free(&arena);
	return status;
}

/* With many columns the default workload is pairs, and what would take hours is refused. */
static void
test_columns(void)
{
	DpError error = {0};
	uint64_t sets;

	CHECK(plan_columns(40, NULL, NULL, &sets, &error) == DP_OK && sets == 2 * 9880,
		  "40 columns: triples");
	CHECK(plan_columns(41, NULL, NULL, &sets, &error) == DP_OK && sets == 820, "41 columns: pairs");
	CHECK(plan_columns(41, "3", NULL, &sets, &error) == DP_OK && sets == 2 * 10660,
		  "unless asked for");
	CHECK(plan_columns(100, NULL, NULL, &sets, &error) == DP_OK && sets == 4950,
		  "100 columns: pairs");
	CHECK(plan_columns(100, "3", NULL, &sets, &error) == DP_OK, "triples, many at a time");
	CHECK_STATUS(plan_columns(100, "3", "1", &sets, &error), DP_ERR_LIMIT,
				 "all triples of them, one at a time");
	CHECK(strstr(error.hint, "\"workload\" 2") != NULL && strstr(error.hint, "mst") != NULL &&
			  strstr(error.hint, "batch") != NULL,
		  "the hint names the ways out");
}

/* A sum across cliques that is too large is a limit, and leaves nothing behind. */
static void
test_across(void)
{
	const uint32_t levels[] = {2, 2, 2, 2}, pairs[3][2] = {{0, 1}, {1, 2}, {2, 3}}, ends[] = {0, 3};
	const DpFitRule rule = {.ridge = 0.1, .tolerance = 0.1, .evaluations_max = 10};
	double observed[] = {4, 3, 2, 1}, out[4];
	DpArena arena = dp_arena_malloc();
	DpAttributeSet set = {2, ends};
	DpGraphical graphical;
	uint64_t before;

	MUST(dp_graphical_init(
		&graphical,
		&(DpGraphicalStart){.attributes = 4, .levels = levels, .total = 10, .cells_max = 100},
		&arena));
	for (int i = 0; i < 3; i++)
		MUST(dp_graphical_add(&graphical, &(DpAttributeSet){2, pairs[i]}, observed, 1));
	MUST(dp_graphical_fit(&graphical, &rule, NULL));
	dp_belief_forget(&graphical.belief);
	before = arena.bytes_used;
	MUST(dp_belief_keep(&graphical.belief, 100, &arena));
	for (uint64_t cells = 1; cells < 4; cells++)
		CHECK_STATUS(dp_belief_marginal(&graphical.belief, &set, cells, out, &arena), DP_ERR_LIMIT,
					 "%llu cells are too few", (unsigned long long) cells);
	dp_belief_forget(&graphical.belief);
	CHECK(arena.bytes_used == before, "nothing is left behind");
	MUST(dp_belief_marginal(&graphical.belief, &set, 100, out, &arena));
	CHECK(arena.bytes_used == before && fabs(out[0] + out[1] + out[2] + out[3] - 10) < 1e-9,
		  "nor by one that fits");
	dp_arena_malloc_free(&arena);
}

/* A hundred thousand sets are planned in a second, and it is never long until the next tick. */
static void
test_cover(void)
{
	DpArena arena = dp_arena_malloc();
	uint32_t levels[22];
	int ticks = 0;
	const DpTick tick = {count_tick, &ticks};
	DpGraphicalSizes sizes = {.counted = 0}, fitting = {.counted = 0};
	DpDomain domain;
	DpWorkloadQuery query = {
		.option = "workload", .size = 6, .domain = &domain, .sets_max = DP_CANDIDATES_MAX};
	DpWorkload workload;
	DpCandidates candidates;
	clock_t begun;

	for (uint32_t a = 0; a < 22; a++)
		levels[a] = 2;
	domain = unit_domain(&arena, levels, 22);
	MUST(dp_workload_read(&query, &workload, &arena, NULL));
	MUST(dp_candidates_make(&workload, 22, &candidates, &tick, &arena, NULL));
	CHECK(ticks >= (int) workload.sets / 100, "the closure ticks: %d", ticks);
	ticks = 0;
	begun = clock();
	MUST(
		dp_graphical_plan_counts(&domain, candidates.set, candidates.n, 64, &sizes, &tick, &arena));
	CHECK(clock() - begun < 10 * CLOCKS_PER_SEC, "%u sets are planned soon", candidates.n);
	CHECK(ticks >= (int) candidates.n / 1000, "with ticks: %d", ticks);
	CHECK_I64((int64_t) sizes.counted, 74613 * 64, "counted are the sets of six");
	CHECK_I64((int64_t) sizes.largest, 64, "of which each has so many cells");
	MUST(dp_graphical_plan_counts(&domain, candidates.set, candidates.n, 32, &fitting, NULL,
								  &arena));
	CHECK_I64((int64_t) fitting.counted, 26334 * 32, "or of five, where six do not fit");
	dp_arena_malloc_free(&arena);
}

int
main(void)
{
	test_little();
	test_columns();
	test_wide(0);
	test_wide(1000000000);
	test_rounds();
	test_no_room();
	test_many_sets();
	test_least();
	test_memory();
	test_across();
	test_ticks();
	test_noise();
	test_cover();
	return unit_finish();
}
