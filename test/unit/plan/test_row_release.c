/*
 * test_row_release.c -- releases that are rows: they hold what was drawn and no more, every set its
 * own; what plans refuse; models that say what they do not hold.
 *
 * Covers row_release_sampler.c and method_pegs_ldiversity.c.
 */
#include "core/sample/draw.h"
#include "core/plan/row_release.h"
#include "core/sample/sampler.h"
#include "core/sample/marginal/marginal_sampler.h"
#include "core/methods/registry.h"

#include "unit_data.h"

#define ROWS 600

static const uint32_t levels[] = {3, 2, 4, 1};

static UnitTable
make_table(DpArena *arena, DpDomain *domain)
{
	UnitTable table;

	*domain = unit_domain(arena, levels, 4);
	table = unit_table(arena, domain, ROWS);
	for (uint32_t i = 0; i < ROWS; i++)
	{
		for (uint32_t a = 0; a < 4; a++)
			table.code[a][i] = i % levels[a];
	}
	return table;
}

typedef struct Held
{
	const char *method;
	const char *rows;
	const char *parents;
	const char *l;
	const char *mechanism;
	const char *sets;
	bool pool;
} Held;

static void
set_options(UnitOptions *options, const Held *held)
{
	*options = (UnitOptions){.lists = 0};
	if (held->rows != NULL)
		unit_number(options, "rows", held->rows);
	if (held->parents != NULL)
		unit_number(options, "parents", held->parents);
	if (held->l != NULL)
		unit_number(options, "l", held->l);
	if (held->mechanism != NULL)
		unit_word(options, "mechanism", held->mechanism);
	if (held->sets != NULL)
		unit_add_option(options, "independent_sets", DP_VALUE_BOOLEAN)->flag = true;
	if (held->pool)
		unit_word(options, DP_OPTION_SEED_POOL, "pool");
}

/* Everything of one release; its memory is the arena's. */
typedef struct Made
{
	DpRequest request;
	DpPlan plan;
	DpModel model;
	DpError error;
} Made;

static DpStatus
make(const Held *held, UnitTable *table, int64_t epsilon_nano, const DpSeedPool *pool, Made *made,
	 DpArena *arena)
{
	DpCounter counter = unit_counter(table);
	UnitOptions *options = dp_alloc(arena, 1, sizeof(*options));
	DpMeter meter;
	DpPrng prng;
	DpRng rng;

	set_options(options, held);
	options->options.option = options->option;
	unit_fixed_rng(&rng, &prng, 5);
	made->request = (DpRequest){.domain = table->domain,
								.unit = {DP_ADD_REMOVE, 1},
								.budget = {epsilon_nano, 0, 0},
								.options = &options->options,
								.sets = held->sets != NULL ? (uint32_t) atoi(held->sets) : 1,
								.seeds = pool};
	DP_TRY(dp_plan(dp_method_find(held->method), &made->request, &made->plan, arena, &made->error));
	dp_meter_init(&meter, made->plan.cost);
	DP_TRY(dp_measure(&(DpMeasurement){.plan = &made->plan,
									   .counter = &counter,
									   .noise = {.meter = &meter, .rng = &rng},
									   .arena = arena},
					  &made->model, &made->error));
	CHECK(meter.spent.epsilon_nano <= epsilon_nano &&
			  meter.spent.epsilon_nano > epsilon_nano - 2000 - epsilon_nano / 100,
		  "%s spends what it was given: %lld of %lld", held->method,
		  (long long) meter.spent.epsilon_nano, (long long) epsilon_nano);
	return DP_OK;
}

/* What is stored is what is handed out, by every stream and in blocks. */
static void
check_handed_out(const Held *held)
{
	DpArena arena = dp_arena_malloc();
	DpDomain domain;
	UnitTable table = make_table(&arena, &domain);
	int64_t epsilon = strcmp(held->method, "pegs_ldiversity") == 0 ? 0 : 100 * DP_EPSILON_ONE;
	uint32_t rows = (uint32_t) atoi(held->rows);
	uint32_t *codes = dp_alloc(&arena, DP_BLOCK_ROWS, 4 * sizeof(*codes));
	unsigned char *bytes;
	size_t length;
	DpModel parsed;
	DpError error;
	Made made;
	void *sampler;
	bool same = true;

	MUST(make(held, &table, epsilon, NULL, &made, &arena));
	CHECK(dp_model_holds_rows(&made.model) && made.model.rows == rows && made.model.tables == 0,
		  "%s holds rows and nothing else", held->method);
	MUST(dp_model_serialise(&made.model, &bytes, &length, &arena, &error));
	MUST(dp_model_parse(bytes, length, &parsed, &arena, &error));
	MUST(made.plan.method->sampler->prepare(&parsed, &sampler, NULL, &arena, &error));
	for (uint64_t seed = 0; seed < 2; seed++)
	{
		for (uint32_t first = 0; first < rows; first += DP_BLOCK_ROWS)
		{
			uint32_t n = rows - first < DP_BLOCK_ROWS ? rows - first : DP_BLOCK_ROWS;

			dp_draw_block(made.plan.method->sampler, sampler, 4,
						  &(DpRowBlock){{seed, 1, first / DP_BLOCK_ROWS}, n}, codes, NULL);
			same = same &&
				   memcmp(codes, made.model.structure + 4 * first, 4 * n * sizeof(*codes)) == 0;
		}
	}
	CHECK(same, "%s hands them out as they are, whatever the seed", held->method);
	dp_arena_malloc_free(&arena);
}

static void
check_sets(void)
{
	const Held held = {.method = "pegs", .rows = "40", .parents = "0", .sets = "3"};
	DpArena arena = dp_arena_malloc();
	DpDomain domain;
	UnitTable table = make_table(&arena, &domain);
	DpModel first, third;
	Made made;

	MUST(make(&held, &table, DP_EPSILON_ONE, NULL, &made, &arena));
	MUST(dp_model_view(&made.model, 1, &first));
	MUST(dp_model_view(&made.model, 3, &third));
	CHECK(first.rows == 40 && third.rows == 40 &&
			  memcmp(first.structure, third.structure, 160 * sizeof(uint32_t)) != 0,
		  "each set has rows of its own");
	CHECK_OK(dp_model_check(&third, NULL), "a set is a model");
	CHECK_I64(made.plan.stage[0].each.epsilon_nano, DP_EPSILON_ONE / 3 / 40,
			  "and a third of epsilon");
	dp_arena_malloc_free(&arena);
}

/* A pool of two rows: columns that are not drawn keep the values of the seed. */
static void
check_pool(void)
{
	static const uint32_t codes[] = {0, 0, 0, 0, 2, 1, 3, 0};
	static const int64_t upto[] = {1, 4};
	DpSeedPool pool = {.attributes = 4, .n = 2, .codes = codes, .upto = upto};
	DpArena arena = dp_arena_malloc();
	DpDomain domain = unit_domain(&arena, levels, 4);
	DpPrng prng;
	DpRng rng;
	int second = 0;
	bool whole = true;

	unit_fixed_rng(&rng, &prng, 1);
	for (int i = 0; i < 4000; i++)
	{
		uint32_t row[4];

		MUST(dp_seed_pool_draw(&pool, &domain, &rng, row));
		whole = whole &&
				(memcmp(row, codes, sizeof(row)) == 0 || memcmp(row, codes + 4, sizeof(row)) == 0);
		second += row[0] == 2;
	}
	CHECK(whole, "seeds are rows of the pool");
	CHECK(second > 2850 && second < 3150, "each copy is as likely: %d of 4000, 3000 expected",
		  second);
	CHECK_OK(dp_seed_pool_check(&pool, &domain, NULL), "a pool that fits");
	pool.attributes = 3;
	CHECK_STATUS(dp_seed_pool_check(&pool, &domain, NULL), DP_ERR_ARGUMENT, "of other columns");
	pool.attributes = 4;
	domain.attribute[0].levels = 2;
	CHECK_STATUS(dp_seed_pool_check(&pool, &domain, NULL), DP_ERR_ARGUMENT,
				 "a code that is no level");
	dp_arena_malloc_free(&arena);
}

static void
check_refused(const Held *held, int64_t epsilon_nano, DpStatus expected, const char *what)
{
	DpArena arena = dp_arena_malloc();
	DpDomain domain;
	UnitTable table = make_table(&arena, &domain);
	Made made = {.error = {0}};

	CHECK_STATUS(make(held, &table, epsilon_nano, NULL, &made, &arena), expected, "%s", what);
	CHECK_I64(table.scans, 0, "before any scan: %s", made.error.message);
	dp_arena_malloc_free(&arena);
}

static void
check_refusals(void)
{
	const int64_t one = DP_EPSILON_ONE;
	Held held = {.method = "pegs", .parents = "0"};

	check_refused(&held, one, DP_ERR_ARGUMENT, "no number of rows");
	held.rows = "2500001";
	check_refused(&held, 1000 * one, DP_ERR_LIMIT, "more codes than a model holds");
	held.rows = "1000000";
	check_refused(&held, one / 2000, DP_ERR_ARGUMENT, "less than a nano each");
	held = (Held){.method = "pegs_ldiversity", .rows = "5", .parents = "0", .l = "1.5"};
	check_refused(&held, 0, DP_ERR_ARGUMENT, "l above the levels of the smallest column");
	held.l = "1";
	check_refused(&held, one, DP_ERR_ARGUMENT, "a budget for what is not private");
	held.parents = "1";
	check_refused(&held, 0, DP_ERR_ARGUMENT, "parents that would have to be selected");
	held = (Held){.method = "marginal", .rows = "5"};
	check_refused(&held, one, DP_ERR_ARGUMENT, "rows of noisy margins");
}

/* A pool that was asked for and did not come is not silently another one. */
static void
check_missing_pool(void)
{
	const Held held = {.method = "pegs", .rows = "5", .parents = "0", .pool = true};
	DpArena arena = dp_arena_malloc();
	DpDomain domain;
	UnitTable table = make_table(&arena, &domain);
	Made made;

	CHECK_STATUS(make(&held, &table, DP_EPSILON_ONE, NULL, &made, &arena), DP_ERR_INTERNAL,
				 "no pool, no rows");
	dp_arena_malloc_free(&arena);
}

/*
 * Drawing more rows than there are, where zeros forbid some, is an error: such a method cannot draw
 * other ones.
 */
static void
check_beyond(void)
{
	const Held held = {.method = "pegs", .rows = "1", .parents = "0"};
	static uint32_t attribute[] = {0}, code[] = {0};
	DpZeroSet zero = {.n = 1, .attribute = attribute, .tuples = 1, .code = code};
	DpArena arena = dp_arena_malloc();
	DpDomain domain;
	UnitTable table = make_table(&arena, &domain);
	uint32_t codes[8];
	DpDrawer drawer;
	DpError error;
	Made made;

	MUST(make(&held, &table, DP_EPSILON_ONE, NULL, &made, &arena));
	made.model.structure[0] = 1;
	made.model.domain.zeros = (DpZeros){.sets = 1, .set = &zero};
	MUST(dp_drawer_prepare(unit_sampler(&made.model), &made.model, &drawer, NULL, &arena, &error));
	CHECK_OK(dp_draw_rows(&drawer, &(DpRowBlock){{1, 1, 0}, 1}, codes, NULL, &error),
			 "the row that is held");
	CHECK_STATUS(dp_draw_rows(&drawer, &(DpRowBlock){{1, 1, 0}, 2}, codes, NULL, &error),
				 DP_ERR_LIMIT, "a row that is not, and that zeros forbid");
	dp_arena_malloc_free(&arena);
}

/*
 * Rows that zeros forbid are never returned: others take their places, and it is an error if there
 * is no other.
 */
static void
check_forbidden(void)
{
	const Held held = {.method = "pegs", .rows = "9", .parents = "0"};
	static uint32_t attribute[] = {0}, code[] = {2};
	DpZeroSet zero = {.n = 1, .attribute = attribute, .tuples = 1, .code = code};
	DpArena arena = dp_arena_malloc();
	DpDomain domain;
	UnitTable table = make_table(&arena, &domain);
	uint32_t codes[36];
	DpDrawer drawer;
	DpError error;
	Made made;
	int forbidden = 0;

	MUST(make(&held, &table, DP_EPSILON_ONE, NULL, &made, &arena));
	for (uint32_t row = 0; row < 9; row++)
		made.model.structure[4 * row] = row % 2 == 0 ? 2 : row / 2 % 2;
	made.model.domain.zeros = (DpZeros){.sets = 1, .set = &zero};
	MUST(dp_drawer_prepare(unit_sampler(&made.model), &made.model, &drawer, NULL, &arena, &error));
	CHECK_OK(dp_draw_rows(&drawer, &(DpRowBlock){{1, 1, 0}, 9}, codes, NULL, &error),
			 "rows of which some are");
	for (uint32_t row = 0; row < 9; row++)
		forbidden += codes[4 * row] == 2;
	CHECK_I64(forbidden, 0, "none of them is handed out");
	for (uint32_t row = 0; row < 9; row++)
		made.model.structure[4 * row] = 2;
	CHECK_STATUS(
		dp_drawer_prepare(unit_sampler(&made.model), &made.model, &drawer, NULL, &arena, &error),
		DP_ERR_LIMIT, "there is no other");
	dp_arena_malloc_free(&arena);
}

static void
check_forged(void)
{
	const Held held = {.method = "pegs", .rows = "10", .parents = "0"};
	DpArena arena = dp_arena_malloc();
	DpDomain domain;
	UnitTable table = make_table(&arena, &domain);
	uint32_t codes[4];
	DpError error;
	void *sampler;
	Made made;

	MUST(make(&held, &table, DP_EPSILON_ONE, NULL, &made, &arena));
	made.model.rows = 11;
	CHECK_STATUS(dp_model_check(&made.model, &error), DP_ERR_CORRUPT, "more rows than there are");
	made.model.rows = 10;
	made.model.structure[7] = 1;
	CHECK_STATUS(dp_model_check(&made.model, &error), DP_ERR_CORRUPT, "a code that is no level");
	made.model.structure[7] = 0;
	CHECK_OK(dp_model_check(&made.model, &error), "as it was");
	MUST(dp_row_release_sampler.prepare(&made.model, &sampler, NULL, &arena, &error));
	CHECK(dp_row_release_sampler.fetch(sampler, UINT64_MAX, codes) && codes[0] == 0,
		  "past the last row is no memory of others");
	made.model.parameter[0].value = 0;
	CHECK_STATUS(dp_row_release_sampler.prepare(&made.model, &sampler, NULL, &arena, &error),
				 DP_ERR_CORRUPT, "a model without rows");
	CHECK_STATUS(dp_marginal_sampler.prepare(&made.model, &sampler, NULL, &arena, &error),
				 DP_ERR_CORRUPT, "nor with the margins of another");
	dp_arena_malloc_free(&arena);
}

int
main(void)
{
	static const Held held[] = {
		{.method = "pegs", .rows = "1500", .parents = "1"},
		{.method = "pegs_ldiversity", .rows = "20", .parents = "0", .l = "1"},
		{.method = "pmi", .rows = "30"},
		{.method = "marginal", .rows = "30", .mechanism = "bootstrap"}};

	for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); i++)
		check_handed_out(&held[i]);
	check_sets();
	check_pool();
	check_refusals();
	check_missing_pool();
	check_forbidden();
	check_beyond();
	check_forged();
	return unit_finish();
}
