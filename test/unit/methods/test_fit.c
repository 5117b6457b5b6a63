/*
 * test_fit.c -- cipher and mwem from plan to rows: plans, what they refuse, what they spend,
 * drawing. Covers method_cipher.c, method_mwem.c, fit_measure.c, fit_prepare.c and fit_entropic.c.
 */
#include "core/estimate/interactions.h"
#include "core/methods/registry.h"
#include "core/sample/fit.h"

#include "unit_data.h"

static const DpUnit one_added = {DP_ADD_REMOVE, 1}, one_replaced = {DP_REPLACE_ONE, 1};

static DpStatus
plan_of(DpArena *arena, const char *method, const DpDomain *domain, const DpOptions *options,
		DpUnit unit, DpPlan *plan, DpError *error)
{
	DpRequest *request = dp_alloc(arena, 1, sizeof(*request));

	*request = (DpRequest){
		.domain = domain, .unit = unit, .budget = {DP_EPSILON_ONE, 0, 0}, .options = options};
	return dp_plan(dp_method_find(method), request, plan, arena, error);
}

static void
test_plans(DpArena *arena)
{
	uint32_t levels[] = {2, 3, 4, 1}, wide[16], one[] = {1};
	DpDomain domain = unit_domain(arena, levels, 4), large;
	UnitOptions sets = {.options = {0, NULL}}, ridge = {.options = {0, NULL}};
	DpOptions none = {0, NULL};
	DpError error;
	DpPlan plan;

	for (int i = 0; i < 16; i++)
		wide[i] = 3;
	large = unit_domain(arena, wide, 16);
	MUST(plan_of(arena, "cipher", &domain, &none, one_added, &plan, &error));
	CHECK(plan.stages == 1 && plan.stage[0].tables == 6 && plan.scans == 1, "all pairs, one scan");
	CHECK_I64(plan.stage[0].each.epsilon_nano, DP_EPSILON_ONE / 6, "share the budget");
	CHECK_I64(plan.stage[0].cells, 6 + 8 + 2 + 12 + 3 + 4, "cells");
	MUST(plan_of(arena, "mwem", &domain, &none, one_replaced, &plan, &error));
	CHECK(plan.stages == 2 && plan.stage[0].tables == 6, "mwem: as many rounds as sets");
	MUST(plan_of(arena, "mwem", &domain, &none, one_added, &plan, &error));
	CHECK(plan.stages == 3 && plan.stage[0].each.epsilon_nano == DP_EPSILON_ONE / 50,
		  "mwem: where it is secret, the number of rows is bought");
	CHECK(plan_of(arena, "cipher", &large, &none, one_added, &plan, &error) == DP_ERR_LIMIT &&
			  strstr(error.detail, "43046721") != NULL &&
			  strstr(error.detail, "10000000") != NULL && strstr(error.hint, "cell_limit") != NULL,
		  "too many cells: number, limit, remedy");
	unit_number(&ridge, "cell_limit", "100000000");
	CHECK_OK(plan_of(arena, "cipher", &large, &ridge.options, one_added, &plan, &error),
			 "unless the limit is raised");
	CHECK(plan.memory_bytes > UINT64_C(43046721) * 8, "which is in the memory that is stated");
	unit_word(&ridge, "solver", "ridge");
	CHECK(plan_of(arena, "cipher", &large, &ridge.options, one_added, &plan, &error) ==
				  DP_ERR_LIMIT &&
			  strstr(error.hint, "entropic") != NULL,
		  "the step-up equations go through more cells");
	unit_add_option(&sets, "workload", DP_VALUE_LIST);
	unit_list(&sets, arena, NULL, "c0,c1 c2");
	CHECK(plan_of(arena, "cipher", &domain, &sets.options, one_added, &plan, &error) ==
				  DP_ERR_ARGUMENT &&
			  strstr(error.message, "c3") != NULL,
		  "a column in no set");
	domain.attribute[2].open = true;
	CHECK(plan_of(arena, "cipher", &domain, &none, one_added, &plan, &error) != DP_OK,
		  "open columns are refused");
	domain = unit_domain(arena, one, 1);
	CHECK_OK(plan_of(arena, "cipher", &domain, &none, one_added, &plan, &error),
			 "one column of one level is a table too");
}

/* c is the sum of a and b, d is c's copy. */
static UnitTable
table_of_four(DpArena *arena, const DpDomain *domain, uint32_t rows)
{
	UnitTable table = unit_table(arena, domain, rows);

	for (uint32_t i = 0; i < rows; i++)
	{
		table.code[0][i] = i % 3;
		table.code[1][i] = i / 3 % 3;
		table.code[2][i] = table.code[3][i] = (i + i / 3) % 3;
	}
	return table;
}

static double
share_kept(const UnitRelease *release, DpArena *arena, bool of_three)
{
	uint32_t *codes = unit_draw(release, arena, 4000, 9);
	int kept = 0;

	for (int i = 0; i < 4000; i++)
	{
		const uint32_t *row = codes + 4 * i;

		kept += of_three ? row[2] == (row[0] + row[1]) % 3 : row[3] == row[2];
	}
	return kept / 4000.0;
}

static void
check_release(DpArena *arena, const char *method, const char *solver, DpUnit unit, DpRng *rng)
{
	uint32_t levels[] = {3, 3, 3, 3};
	DpDomain domain = unit_domain(arena, levels, 4);
	UnitTable table = table_of_four(arena, &domain, 900);
	UnitOptions options = {.options = {0, NULL}};
	UnitRelease release;

	unit_number(&options, "workload", "3");
	if (solver != NULL)
		unit_word(&options, "solver", solver);
	if (!CHECK(unit_release(&release, method, &table, unit, (DpBudget){400 * DP_EPSILON_ONE, 0, 0},
							&options.options, rng, arena) == DP_OK,
			   "%s %s: released", method, solver ? solver : ""))
		return;
	CHECK_I64(table.scans, 1, "in one scan");
	CHECK(release.meter.spent.epsilon_nano <= 400 * DP_EPSILON_ONE &&
			  release.meter.spent.epsilon_nano > 400 * DP_EPSILON_ONE - 1000,
		  "for all of the budget");
	CHECK(llabs(release.model.rows - 900) < 20, "the number of rows");
	CHECK(share_kept(&release, arena, true) > 0.95, "what three columns say of each other");
	CHECK(share_kept(&release, arena, false) > 0.95, "and what two");
}

static void
test_releases(DpArena *arena)
{
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, 35);
	check_release(arena, "cipher", "entropic", one_added, &rng);
	check_release(arena, "cipher", "entropic", one_replaced, &rng);
	check_release(arena, "cipher", "centred", one_added, &rng);
	check_release(arena, "cipher", "ridge", one_replaced, &rng);
	check_release(arena, "mwem", NULL, one_added, &rng);
	check_release(arena, "mwem", NULL, one_replaced, &rng);
}

/* mwem takes the set that has something to tell first. */
static void
test_choice(DpArena *arena)
{
	uint32_t levels[] = {3, 3, 3, 3};
	DpDomain domain = unit_domain(arena, levels, 4);
	UnitTable table = table_of_four(arena, &domain, 900);
	UnitOptions options = {.options = {0, NULL}};
	UnitRelease release;
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, 36);
	unit_number(&options, "rounds", "1");
	MUST(unit_release(&release, "mwem", &table, one_replaced,
					  (DpBudget){100 * DP_EPSILON_ONE, 0, 0}, &options.options, &rng, arena));
	CHECK(release.model.tables == 1 && release.model.table[0].attribute[0] == 2 &&
			  release.model.table[0].attribute[1] == 3,
		  "the only pair that is not independent");
}

static void
test_drawing(DpArena *arena)
{
	uint32_t levels[] = {1, 5, 1, 4}, both[] = {1, 3};
	DpDomain domain = unit_domain(arena, levels, 4);
	double value[20], seen[20] = {0}, chi = 0, sum = 0;
	DpFitTable table = {.of = {2, both}, .cells = 20, .value = value};
	DpFitInput input = {.domain = &domain,
						.tables = 1,
						.table = &table,
						.cell_limit = 1000,
						.solver = DP_SOLVER_RIDGE,
						.lambda = 1};
	void *sampler;
	DpPrng prng;

	for (int i = 0; i < 20; i++)
		sum += value[i] = i % 7 == 3 ? 0 : 1 + i;
	input.rows = sum;
	MUST(dp_fit_prepare(&input, &sampler, NULL, arena, NULL));
	dp_prng_seed(&prng, (DpStream){5, 5, 5});
	for (int i = 0; i < 200000; i++)
	{
		uint32_t codes[4];

		dp_fit_draw(sampler, &prng, codes);
		seen[codes[0] + codes[2] == 0 ? codes[1] * 4 + codes[3] : 3]++;
	}
	for (int i = 0; i < 20; i++)
	{
		double want = 200000 * value[i] / sum;

		chi += want > 0 ? (seen[i] - want) * (seen[i] - want) / want : 0;
	}
	CHECK(seen[3] + seen[10] + seen[17] == 0, "cells without weight never come");
	CHECK(chi < 60, "the others as often as they should: chi-square %.1f of 16", chi);
}

/* Shares of the first and the last attribute among rows that a solver's sampler draws. */
static void
draw_ends(DpFitInput *input, DpSolver solver, DpArena *arena, double *share)
{
	void *sampler;
	DpPrng prng;

	input->solver = solver;
	MUST(dp_fit_check(input, arena, NULL));
	MUST(dp_fit_prepare(input, &sampler, NULL, arena, NULL));
	dp_prng_seed(&prng, (DpStream){7, 7, 7});
	for (int i = 0; i < 100000; i++)
	{
		uint32_t codes[4];

		dp_fit_draw(sampler, &prng, codes);
		share[codes[0] * 3 + codes[3]] += 1e-5;
	}
}

/* Cells are few, but sets of 7 of 18 binary columns have four million subsets. */
static void
test_parts(DpArena *arena)
{
	UnitOptions options = {.options = {0, NULL}};
	uint32_t levels[18];
	DpDomain domain;
	DpError error;
	DpPlan plan;

	for (int i = 0; i < 18; i++)
		levels[i] = 2;
	domain = unit_domain(arena, levels, 18);
	unit_word(&options, "solver", "graphical");
	unit_number(&options, "workload", "7");
	CHECK(plan_of(arena, "cipher", &domain, &options.options, one_added, &plan, &error) ==
				  DP_ERR_LIMIT &&
			  strstr(error.detail, "4041648") != NULL,
		  "more than a fit can take apart is refused by the plan");
	domain.attributes = 17;
	CHECK_OK(plan_of(arena, "cipher", &domain, &options.options, one_added, &plan, &error),
			 "fewer are not");
	CHECK(plan.memory_bytes > dp_interactions_bytes(2469896),
		  "and are in the memory that is stated");
}

/* Consistent tables along a chain: both find the distribution of largest entropy. */
static void
test_graphical(DpArena *arena)
{
	uint32_t levels[] = {2, 1, 3, 3}, first[] = {0, 2}, second[] = {2, 3};
	DpDomain domain = unit_domain(arena, levels, 4);
	const double one[] = {30, 10, 20, 5, 25, 10}, two[] = {5, 10, 20, 15, 15, 5, 10, 5, 15};
	DpFitTable table[] = {{{2, first}, 6, NULL, one, 1e-4}, {{2, second}, 9, NULL, two, 1e-4}};
	DpFitInput input = {
		.domain = &domain, .tables = 2, .table = table, .rows = 100, .cell_limit = 18};
	double share[2][6] = {{0}};
	uint32_t wide[60], ends[2] = {0, 1};
	DpError error;
	uint64_t bytes;

	draw_ends(&input, DP_SOLVER_ENTROPIC, arena, share[0]);
	draw_ends(&input, DP_SOLVER_GRAPHICAL, arena, share[1]);
	for (int i = 0; i < 6; i++)
	{
		double want = 0; /* the ends are independent given the middle */

		for (int k = 0; k < 3; k++)
			want += one[i / 3 * 3 + k] * two[k * 3 + i % 3] / (one[k] + one[3 + k]) / 100;
		CHECK_NEAR(share[0][i], want, 0.01, "entropic: cell %d of the ends", i);
		CHECK_NEAR(share[1][i], want, 0.01, "graphical: cell %d of the ends", i);
	}
	for (int a = 0; a < 60; a++)
		wide[a] = 4;
	domain = unit_domain(arena, wide, 60);
	table[0] = (DpFitTable){.of = {2, ends}, .cells = 16, .variance = 1};
	input = (DpFitInput){.domain = &domain, .tables = 1, .table = table, .cell_limit = 1000};
	CHECK_STATUS(dp_fit_check(&input, arena, &error), DP_ERR_LIMIT, "no joint table of 4^60");
	input.solver = DP_SOLVER_GRAPHICAL;
	CHECK_OK(dp_fit_check(&input, arena, &error), "cliques need none");
	MUST(dp_fit_memory(&input, &bytes, arena));
	CHECK(bytes > 0 && bytes < 1000000, "nor its memory");
	input.cell_limit = 100;
	CHECK_STATUS(dp_fit_check(&input, arena, &error), DP_ERR_LIMIT, "but they have a limit");
	CHECK(error.hint[0] != '\0', "with a remedy");
}

/* Nothing positive, two tables over one set, a table of nothing but one level. */
static void
test_odd_inputs(DpArena *arena)
{
	uint32_t levels[] = {1, 2}, first[] = {0}, second[] = {1}, wrong[] = {1, 0};
	DpDomain domain = unit_domain(arena, levels, 2);
	const int64_t minus[] = {-5, -7}, ten[] = {30, 10}, less[] = {10, 30}, one[] = {3};
	DpFitTable table[] = {{{1, second}, 2, minus, NULL, 1}, {{1, first}, 1, one, NULL, 1}};
	DpFitTable two[] = {{{1, second}, 2, ten, NULL, 1}, {{1, second}, 2, less, NULL, 3}};
	DpFitTable disorder = {{2, wrong}, 2, ten, NULL, 1};
	DpFitInput input = {
		.domain = &domain, .tables = 2, .table = table, .cell_limit = 10, .rows = -3};
	double *margin[1];
	uint32_t codes[2];
	uint64_t used;
	void *sampler;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){1, 1, 1});
	for (int solver = DP_SOLVER_ENTROPIC; solver <= DP_SOLVER_RIDGE; solver++)
	{
		input.solver = (DpSolver) solver;
		input.lambda = 0.001;
		CHECK_OK(dp_fit_prepare(&input, &sampler, NULL, arena, NULL), "nothing positive: solver %d",
				 solver);
		dp_fit_draw(sampler, &prng, codes);
		CHECK(codes[0] == 0 && codes[1] < 2, "still draws");
	}
	input =
		(DpFitInput){.domain = &domain, .tables = 2, .table = two, .cell_limit = 10, .rows = 40};
	MUST(dp_fit_margins(&input, &(DpFitWanted){.n = 1, .table = two, .margin = margin}, NULL, arena,
						NULL));
	CHECK(margin[0][0] > 0.55 && margin[0][0] < 0.64,
		  "two tables over one set are pooled by inverse variance");
	used = arena->bytes_used;
	MUST(dp_fit_margins(&input, &(DpFitWanted){.n = 1, .table = two, .margin = margin}, NULL, arena,
						NULL));
	CHECK(arena->bytes_used == used + 2 * sizeof(double),
		  "of a fit that is made again and again nothing stays but the margins");
	input.tables = 0;
	MUST(dp_fit_margins(&input, &(DpFitWanted){.n = 1, .table = two, .margin = margin}, NULL, arena,
						NULL));
	CHECK_NEAR(margin[0][0], 0.5, 1e-12, "no table: uniform");
	input.tables = 1;
	input.table = &disorder;
	CHECK_STATUS(dp_fit_prepare(&input, &sampler, NULL, arena, NULL), DP_ERR_ARGUMENT,
				 "attributes out of order are refused");
}

/* FNV-1a, as the format has it. */
static void
seal(unsigned char *bytes, size_t length)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (size_t i = 0; i + 8 < length; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
	for (size_t i = 0; i < 8; i++)
		bytes[length - 8 + i] = (unsigned char) (hash >> (8 * i));
}

/* Prepares and draws from bytes, if they are a model; false if a code is no level. */
static bool
survives(const unsigned char *bytes, size_t length, DpPrng *prng, int *drawn)
{
	DpArena arena = dp_arena_malloc();
	const DpMethod *method;
	uint32_t codes[DP_ATTRIBUTES_MAX];
	bool sound = true;
	DpModel model;
	void *sampler;

	arena.bytes_max = 4 << 20;
	if (dp_model_parse(bytes, length, &model, &arena, NULL) == DP_OK &&
		dp_model_method(&model, &method, NULL) == DP_OK &&
		method->sampler->prepare(&model, &sampler, NULL, &arena, NULL) == DP_OK)
	{
		++*drawn;
		for (int i = 0; i < 5; i++)
		{
			method->sampler->draw(sampler, prng, codes);
			for (uint32_t a = 0; a < model.domain.attributes; a++)
				sound = sound && codes[a] < model.domain.attribute[a].levels;
		}
	}
	dp_arena_malloc_free(&arena);
	return sound;
}

static void
check_forged(DpArena *arena, const char *method)
{
	uint32_t levels[] = {3, 2, 4};
	DpDomain domain = unit_domain(arena, levels, 3);
	UnitTable table = unit_table(arena, &domain, 50);
	DpOptions none = {0, NULL};
	UnitRelease release;
	unsigned char *bytes, *forged;
	size_t length;
	bool sound = true;
	int drawn = 0;
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, 37);
	MUST(unit_release(&release, method, &table, one_added, (DpBudget){DP_EPSILON_ONE, 0, 0}, &none,
					  &rng, arena));
	MUST(dp_model_serialise(&release.model, &bytes, &length, arena, NULL));
	forged = dp_alloc(arena, length, 1);
	for (int i = 0; i < 2500; i++)
	{
		memcpy(forged, bytes, length);
		for (uint64_t edits = 1 + dp_prng_below(&prng, 4); edits > 0; edits--)
			forged[dp_prng_below(&prng, length - 8)] = (unsigned char) dp_prng_u64(&prng);
		seal(forged, length);
		sound = survives(forged, length, &prng, &drawn) && sound;
	}
	CHECK(sound && drawn > 100, "%s: %d of 2500 forged models are drawn from, all within levels",
		  method, drawn);
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_plans(&arena);
	test_releases(&arena);
	test_choice(&arena);
	test_drawing(&arena);
	test_graphical(&arena);
	test_parts(&arena);
	test_odd_inputs(&arena);
	check_forged(&arena, "cipher");
	check_forged(&arena, "mwem");
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
