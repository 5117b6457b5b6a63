/*
 * test_sbhg.c -- plans that add up and are kept, for many combinations of options; parents; the two
 * rules for missing keys; margins at a huge epsilon.
 *
 * Covers sbhg_sampler.c.
 */
#include "core/model/noisy_table.h"
#include "core/methods/registry.h"
#include "core/plan/release_table.h"
#include "core/sample/sbhg/sbhg_sampler.h"

#include "unit_data.h"

#define REMAINDERS_MAX                                                                             \
	1000 /* nano-epsilon: each share leaves less than one for each of its parts */

#define P 4

static const uint32_t sizes[P] = {2, 3, 4, 5};

/* c1 follows c0, c2 follows c1, c3 follows c2, each with some independence. */
static UnitTable
chain_table(DpArena *arena, const DpDomain *domain, uint32_t rows)
{
	UnitTable table = unit_table(arena, domain, rows);
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){3, 0, 0});
	for (uint32_t i = 0; i < rows; i++)
	{
		table.code[0][i] = (uint32_t) dp_prng_below(&prng, sizes[0]);
		for (uint32_t a = 1; a < domain->attributes; a++)
			table.code[a][i] = dp_prng_below(&prng, 4) == 0
								   ? (uint32_t) dp_prng_below(&prng, sizes[a])
								   : table.code[a - 1][i];
	}
	return table;
}

typedef enum Order
{
	ORDER_PRIVATE,
	ORDER_RING,
	ORDER_FEATURES,
	ORDERS
} Order;

typedef struct Combination
{
	DpNeighbours neighbours;
	uint32_t rows_max;
	Order order;
	uint32_t parents;
	const char *dense_cells;
	bool open;
	bool delta;
} Combination;

static void
add_options(UnitOptions *options, DpArena *arena, const Combination *c)
{
	static const char *const digit[] = {"0", "1", "2", "3"};
	static const char *const features[P][P] = {
		{"", "c1", "c2 c1", "c3 c2 c1"},
		{"", "c0", "c0 c2", "c0 c2 c3"},
		{"", "c1", "c1 c3", "c3 c0 c1"},
		{"", "c2", "c0 c2", "c2 c1 c0"},
	};
	static const char *const keys[] = {"c0", "c1", "c2", "c3"};

	unit_number(options, "parents", digit[c->parents]);
	unit_number(options, "dense_cells", c->dense_cells);
	unit_number(options, "sweeps", "3");
	if (c->order == ORDER_RING)
	{
		unit_add_option(options, "column_order", DP_VALUE_LIST);
		unit_list(options, arena, NULL, "c2 c0 c3 c1");
	}
	if (c->order == ORDER_FEATURES)
	{
		unit_add_option(options, "network", DP_VALUE_MAP);
		for (int i = P; i-- > 0;)
			unit_list(options, arena, keys[i], features[i][c->parents]);
	}
}

/* Whether some table could have more than that many cells, by trying every set of parents. */
static bool
may_be_sparse(const Combination *c)
{
	static const uint32_t ring[] = {2, 0, 3, 1};
	static const uint32_t feature[P][3] = {{1, 2, 3}, {0, 2, 3}, {1, 3, 0}, {2, 0, 1}};
	uint64_t limit = strtoull(c->dense_cells, NULL, 10);

	if (c->open)
		return true;
	for (uint32_t set = 0; set < 1 << P; set++)
	{
		for (uint32_t child = 0; child < P; child++)
		{
			uint32_t wanted = 0;
			uint64_t cells = sizes[child];

			if ((uint32_t) __builtin_popcount(set) != c->parents || set >> child & 1)
				continue;
			for (uint32_t k = 0; k < c->parents; k++)
			{
				uint32_t place = 0;

				while (ring[place] != child)
					place++;
				if (c->order == ORDER_RING)
					wanted |= 1u << ring[(place + 2 * P - 1 - k) % P];
				if (c->order == ORDER_FEATURES)
					wanted |= 1u << feature[child][k];
			}
			/* With two features the lists above are not prefixes of each other. */
			if (c->order == ORDER_FEATURES && c->parents == 2)
				wanted = (const uint32_t[]){6, 5, 10, 5}[child];
			if (c->order == ORDER_FEATURES && c->parents == 1)
				wanted = (const uint32_t[]){2, 1, 2, 4}[child];
			if (c->order != ORDER_PRIVATE && set != wanted)
				continue;
			for (uint32_t k = 0; k < P; k++)
				cells *= set >> k & 1 ? sizes[k] : 1;
			if (cells > limit)
				return true;
		}
	}
	return false;
}

static bool
plan_adds_up(const DpPlan *plan)
{
	DpBudget sum = {0, 0, 0};

	for (uint32_t i = 0; i < plan->stages; i++)
	{
		const DpStage *stage = &plan->stage[i];
		DpBudget total;

		if (dp_budget_multiply(stage->each, stage->tables, &total) != DP_OK ||
			total.epsilon_nano != stage->total.epsilon_nano ||
			total.delta_atto != stage->total.delta_atto ||
			total.rho_pico != stage->total.rho_pico || stage->each.epsilon_nano < 1 ||
			stage->each.rho_pico != dp_rho_of_epsilon(stage->each.epsilon_nano))
			return false;
		sum.epsilon_nano += total.epsilon_nano;
		sum.delta_atto += total.delta_atto;
		sum.rho_pico += total.rho_pico;
	}
	/* all of epsilon is charged, and all of delta or none; stages leave only remainders */
	return plan->cost.epsilon_nano == plan->request->budget.epsilon_nano &&
		   plan->cost.delta_atto == (sum.delta_atto > 0 ? plan->request->budget.delta_atto : 0) &&
		   sum.epsilon_nano <= plan->cost.epsilon_nano && sum.delta_atto <= plan->cost.delta_atto &&
		   sum.rho_pico == plan->cost.rho_pico &&
		   plan->cost.epsilon_nano - sum.epsilon_nano < REMAINDERS_MAX;
}

static const DpStage *
find_stage(const DpPlan *plan, const char *name)
{
	for (uint32_t i = 0; i < plan->stages; i++)
		if (strcmp(plan->stage[i].name, name) == 0)
			return &plan->stage[i];
	return NULL;
}

/* What the tables of a model cost. */
static DpBudget
tables_cost(const DpModel *model)
{
	DpBudget sum = {0, 0, 0};

	for (uint32_t i = 0; i < model->tables; i++)
	{
		sum.epsilon_nano += model->table[i].cost.epsilon_nano;
		sum.delta_atto += model->table[i].cost.delta_atto;
		sum.rho_pico += model->table[i].cost.rho_pico;
	}
	return sum;
}

static bool
kept_to_plan(const UnitRelease *release, const UnitTable *table, const Combination *c)
{
	const DpBudget *spent = &release->meter.spent;
	const DpStage *selection = find_stage(&release->plan, "select parents");
	DpBudget tables = tables_cost(&release->model);
	int64_t other = (selection != NULL ? selection->total.epsilon_nano : 0) +
					(c->open ? release->plan.discovery.epsilon_nano : 0);
	int64_t other_rho = (selection != NULL ? selection->total.rho_pico : 0) +
						(c->open ? release->plan.discovery.rho_pico : 0);

	return !release->meter.broken && spent->epsilon_nano <= release->plan.cost.epsilon_nano &&
		   release->plan.cost.epsilon_nano - spent->epsilon_nano < REMAINDERS_MAX &&
		   spent->delta_atto <= release->plan.cost.delta_atto &&
		   spent->epsilon_nano == tables.epsilon_nano + other &&
		   spent->rho_pico == tables.rho_pico + other_rho &&
		   spent->rho_pico <= release->plan.cost.rho_pico &&
		   spent->delta_atto == tables.delta_atto + release->plan.discovery.delta_atto * c->open &&
		   table->scans == release->plan.scans;
}

static bool
tables_as_specified(const DpModel *model, const Combination *c)
{
	uint64_t limit = strtoull(c->dense_cells, NULL, 10);

	for (uint32_t i = 0; i < P; i++)
	{
		const DpTable *table = &model->table[i];
		uint64_t cells = dp_domain_cells(&model->domain, table->attribute, table->n);

		if (table->n != c->parents + 1 || table->attribute[table->n - 1] != i ||
			(table->storage == DP_DENSE) != (cells <= limit) ||
			table->sensitivity_l1 != dp_unit_l1(&model->unit))
			return false;
	}
	return true;
}

static bool
draws_survive_storage(const UnitRelease *release, DpArena *arena)
{
	const uint32_t *codes = unit_draw(release, arena, 200, 1);
	UnitRelease stored = *release;
	unsigned char *bytes;
	size_t length;

	MUST(dp_model_serialise(&release->model, &bytes, &length, arena, NULL));
	MUST(dp_model_parse(bytes, length, &stored.model, arena, NULL));
	MUST(release->plan.method->sampler->prepare(&stored.model, &stored.sampler, NULL, arena, NULL));
	for (uint32_t i = 0; i < 200 * P; i++)
		if (codes[i] >= release->model.domain.attribute[i % P].levels)
			return false;
	return memcmp(codes, unit_draw(&stored, arena, 200, 1), 200 * P * sizeof(*codes)) == 0;
}

static void
check_combination(const Combination *c, DpRng *rng)
{
	DpArena arena = dp_arena_malloc();
	DpDomain domain = unit_domain(&arena, sizes, P);
	UnitTable table = chain_table(&arena, &domain, 700);
	UnitOptions options = {.lists = 0};
	DpUnit unit = {c->neighbours, c->rows_max};
	DpBudget budget = {3 * DP_EPSILON_ONE + 1, c->delta ? DP_DELTA_ONE / 1000 + 7 : 0, 0};
	UnitRelease release;
	DpStatus status;
	bool selects = c->order == ORDER_PRIVATE && c->parents > 0 && c->parents < P - 1;

	if (c->open)
		unit_open(&domain.attribute[2]);
	add_options(&options, &arena, c);
	status = unit_release(&release, "sbhg", &table, unit, budget, &options.options, rng, &arena);
	if (!c->delta && may_be_sparse(c))
		CHECK(status == DP_ERR_ARGUMENT && table.scans == 0,
			  "refused without delta, before any scan");
	else if (CHECK(status == DP_OK, "a release"))
	{
		CHECK(plan_adds_up(&release.plan), "the plan is the sum of its stages");
		CHECK(kept_to_plan(&release, &table, c), "and measure keeps to it");
		CHECK(tables_as_specified(&release.model, c), "tables are as specified");
		CHECK((find_stage(&release.plan, "select parents") != NULL) == selects,
			  "selection is paid only where there is a choice");
		CHECK((release.plan.cost.delta_atto > 0) == may_be_sparse(c), "delta only where needed");
		/* Unless one row replaces one, nothing but the noisy tables may tell the number of rows. */
		CHECK_I64(release.model.rows,
				  dp_unit_rows_public(&unit) ? 700 : dp_rows_estimate(&release.model), "rows");
		CHECK(draws_survive_storage(&release, &arena), "stored and parsed, it draws the same");
	}
	dp_arena_malloc_free(&arena);
}

static void
test_combinations(void)
{
	static const char *const dense[] = {"0", "10", "60", "10000"};
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, 21);
	for (uint32_t i = 0; i < 2 * 2 * ORDERS * 4 * 4 * 2 * 2; i++)
	{
		uint32_t rest = i;
		Combination c;

		c.neighbours = (DpNeighbours) (rest % 2);
		rest /= 2;
		c.rows_max = rest % 2 == 0 ? 1 : 3;
		rest /= 2;
		c.order = (Order) (rest % ORDERS);
		rest /= ORDERS;
		c.parents = rest % 4;
		rest /= 4;
		c.dense_cells = dense[rest % 4];
		rest /= 4;
		c.open = rest % 2 == 1;
		c.delta = rest / 2 == 1;
		unit_note("%s, %u rows a unit, order %d, %u parents, dense_cells %s%s%s",
				  c.neighbours ? "replace" : "add/remove", c.rows_max, (int) c.order, c.parents,
				  c.dense_cells, c.open ? ", open" : "", c.delta ? ", delta" : "");
		check_combination(&c, &rng);
	}
}

typedef struct Bad
{
	const char *option;
	const char *names[P + 1]; /* of a ring: one; of features: by attribute */
	DpStatus status;
	const char *what;
} Bad;

static void
test_refusals(DpArena *arena)
{
	static const Bad cases[] = {
		{"column_order", {"c0 c1 c2"}, DP_ERR_ARGUMENT, "a ring that lacks one"},
		{"column_order", {"c0 c1 c2 c2"}, DP_ERR_ARGUMENT, "a ring with one twice"},
		{"column_order", {"c0 c1 c2 c4"}, DP_ERR_UNDEFINED, "a ring with an unknown one"},
		{"column_order", {"c0 c1 c2 c3 c0"}, DP_ERR_ARGUMENT, "a ring that goes round"},
		{"network", {"", "", ""}, DP_ERR_ARGUMENT, "features that lack one"},
		{"network", {"c1", "c1", "", ""}, DP_ERR_ARGUMENT, "its own parent"},
		{"network", {"c1 c1", "", "", ""}, DP_ERR_ARGUMENT, "a parent twice"},
		{"network", {"c7", "", "", ""}, DP_ERR_UNDEFINED, "an unknown parent"},
		{"network", {"", "", "", "", ""}, DP_ERR_UNDEFINED, "an unknown child"},
	};
	static const char *const keys[] = {"c0", "c1", "c2", "c3", "c4"};
	DpDomain domain = unit_domain(arena, sizes, P);
	UnitTable table = chain_table(arena, &domain, 10);
	DpUnit unit = {DP_ADD_REMOVE, 1};
	DpBudget budget = {DP_EPSILON_ONE, 0, 0};
	UnitOptions both = {.lists = 0};
	UnitRelease release;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		UnitOptions options = {.lists = 0};
		bool map = strcmp(cases[i].option, "network") == 0;

		unit_add_option(&options, cases[i].option, map ? DP_VALUE_MAP : DP_VALUE_LIST);
		for (int k = 0; k <= P && cases[i].names[k] != NULL; k++)
			unit_list(&options, arena, map ? keys[k] : NULL, cases[i].names[k]);
		CHECK_STATUS(
			unit_release(&release, "sbhg", &table, unit, budget, &options.options, NULL, arena),
			cases[i].status, "%s: refused", cases[i].what);
		unit_note("%s", release.error.message);
	}
	unit_add_option(&both, "column_order", DP_VALUE_LIST);
	unit_list(&both, arena, NULL, "c0 c1 c2 c3");
	unit_add_option(&both, "network", DP_VALUE_MAP);
	for (int k = 0; k < P; k++)
		unit_list(&both, arena, keys[k], "");
	CHECK_STATUS(unit_release(&release, "sbhg", &table, unit, budget, &both.options, NULL, arena),
				 DP_ERR_ARGUMENT, "a ring and features: refused");
}

/* Ten columns that together could hold more dense cells than a model may. */
static void
test_cell_limit(DpArena *arena)
{
	uint32_t levels[12];
	DpUnit unit = {DP_ADD_REMOVE, 1};
	UnitOptions options = {.lists = 0};
	DpRequest request = {.unit = unit, .budget = {DP_EPSILON_ONE, 0, 0}};
	DpDomain domain;
	DpPlan plan;
	DpError error;

	for (int i = 0; i < 12; i++)
		levels[i] = 3000;
	domain = unit_domain(arena, levels, 12);
	unit_number(&options, "dense_cells", "10000000");
	request.domain = &domain;
	request.options = &options.options;
	CHECK_STATUS(dp_plan(dp_method_find("sbhg"), &request, &plan, arena, &error), DP_ERR_LIMIT,
				 "12 tables of 9e6 cells are over the limit");
	domain.attributes = 11;
	CHECK_OK(dp_plan(dp_method_find("sbhg"), &request, &plan, arena, &error), "11 are not");
	CHECK(plan.memory_bytes > 11 * UINT64_C(9000000) * 16, "and memory is foretold");
}

/* With hardly any noise the best parent is found: that of the chain. */
static void
test_selection(DpArena *arena)
{
	DpDomain domain = unit_domain(arena, sizes, P);
	UnitTable table = chain_table(arena, &domain, 5000);
	DpUnit unit = {DP_REPLACE_ONE, 1};
	DpBudget budget = {100 * DP_EPSILON_ONE, 0, 0};
	UnitOptions options = {.lists = 0};
	UnitRelease release;
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, 5);
	MUST(unit_release(&release, "sbhg", &table, unit, budget, &options.options, &rng, arena));
	CHECK(release.model.table[0].attribute[0] == 1 && release.model.table[3].attribute[0] == 2,
		  "the ends of the chain get their neighbours");
	unit_number(&options, "parents", "2");
	MUST(unit_release(&release, "sbhg", &table, unit, budget, &options.options, &rng, arena));
	CHECK(release.model.table[1].attribute[0] + release.model.table[1].attribute[1] == 2 &&
			  release.model.table[0].attribute[0] == 1 && release.model.table[0].attribute[1] == 2,
		  "two parents, the best first");
}

/* The ring c2 c0 c3 c1: the nearest that precedes comes first, round the corner too. */
static void
test_ring(DpArena *arena)
{
	static const uint32_t expected[P][2] = {{2, 1}, {3, 0}, {1, 3}, {0, 2}};
	DpDomain domain = unit_domain(arena, sizes, P);
	UnitTable table = chain_table(arena, &domain, 10);
	DpUnit unit = {DP_REPLACE_ONE, 1};
	DpBudget budget = {DP_EPSILON_ONE, 0, 0};
	UnitOptions options = {.lists = 0};
	UnitRelease release;
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, 5);
	unit_number(&options, "parents", "2");
	unit_add_option(&options, "column_order", DP_VALUE_LIST);
	unit_list(&options, arena, NULL, "c2 c0 c3 c1");
	MUST(unit_release(&release, "sbhg", &table, unit, budget, &options.options, &rng, arena));
	for (uint32_t i = 0; i < P; i++)
		CHECK(memcmp(release.model.table[i].attribute, expected[i], sizeof(expected[i])) == 0,
			  "c%u has the two that precede it in the ring", i);
}

static double
pair_distance(const UnitTable *table, const uint32_t *drawn, uint32_t rows, uint32_t a, uint32_t b)
{
	double difference[25] = {0};
	double sum = 0;

	for (uint32_t i = 0; i < table->rows; i++)
		difference[table->code[a][i] * 5 + table->code[b][i]] += 1.0 / table->rows;
	for (uint32_t i = 0; i < rows; i++)
		difference[drawn[P * i + a] * 5 + drawn[P * i + b]] -= 1.0 / rows;
	for (int i = 0; i < 25; i++)
		sum += fabs(difference[i]);
	return sum / 2;
}

/*
 * With full conditionals and hardly any noise every margin comes back. sparse: from stability
 * histograms.
 */
static void
test_margins(DpArena *arena, bool sparse)
{
	DpDomain domain = unit_domain(arena, sizes, P);
	UnitTable table = chain_table(arena, &domain, 20000);
	DpUnit unit = {DP_ADD_REMOVE, 1};
	DpBudget budget = {DP_EPSILON_NANO_MAX, sparse ? DP_DELTA_ONE / 1000 : 0, 0};
	UnitOptions options = {.lists = 0};
	UnitRelease release;
	uint32_t *drawn;
	double worst_one = 0;
	double worst_two = 0;
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, 6);
	unit_number(&options, "parents", "3");
	if (sparse)
		unit_number(&options, "dense_cells", "0");
	MUST(unit_release(&release, "sbhg", &table, unit, budget, &options.options, &rng, arena));
	drawn = unit_draw(&release, arena, 20000, 3);
	for (uint32_t a = 0; a < P; a++)
	{
		worst_one = fmax(worst_one, pair_distance(&table, drawn, 20000, a, a));
		for (uint32_t b = 0; b < a; b++)
			worst_two = fmax(worst_two, pair_distance(&table, drawn, 20000, a, b));
	}
	CHECK_I64(release.model.rows, 20000, "the rows are exact");
	CHECK(worst_one < 0.015, "%s: one-way margins within %.4f", sparse ? "sparse" : "dense",
		  worst_one);
	CHECK(worst_two < 0.025, "%s: two-way margins within %.4f", sparse ? "sparse" : "dense",
		  worst_two);
}

/*
 * c0 given (c1, c2), released for (0,0), where c0 is 1, and for (1,1), where it
 * is 0; c1 is always 0 and c2 always 1. So the key (0,1) is missing: the start,
 * an even margin, stays, or the prefix c1 = 0 says 1.
 */
static void
test_missing_key(DpArena *arena)
{
	const uint32_t levels[] = {2, 2, 2};
	uint32_t attribute[] = {1, 2, 0, 1, 2};
	uint32_t code[] = {0, 0, 1, 1, 1, 0, 0, 1};
	int64_t value[] = {10, 10, 10, 10};
	DpParameter parameter[] = {{"sweeps", 5}, {"missing_key", 1}};
	DpTable table[3];
	DpModel model = {.method = "sbhg",
					 .unit = {DP_REPLACE_ONE, 1},
					 .rows = 20,
					 .tables = 3,
					 .table = table,
					 .parameters = 2,
					 .parameter = parameter};
	uint32_t ones[2] = {0, 0};
	uint32_t row[3];
	void *sampler;
	DpPrng prng;
	DpError error;

	model.domain = unit_domain(arena, levels, 3);
	table[0] = (DpTable){.n = 3,
						 .attribute = attribute,
						 .storage = DP_SPARSE,
						 .cells = 2,
						 .value = value,
						 .code = code,
						 .noise = DP_NOISE_STABILITY,
						 .cost = {DP_EPSILON_ONE, 1, 0},
						 .sensitivity_l1 = 2,
						 .threshold_rows = 3};
	table[1] = table[2] = table[0];
	for (int i = 1; i < 3; i++)
	{
		table[i].n = table[i].cells = 1;
		table[i].attribute = attribute + 2 + i;
		table[i].code = code + 5 + i;
	}
	MUST(dp_model_check(&model, &error));
	for (int reject = 0; reject < 2; reject++)
	{
		parameter[1].value = reject;
		MUST(dp_sbhg_sampler.prepare(&model, &sampler, NULL, arena, &error));
		dp_prng_seed(&prng, (DpStream){12, 0, 0});
		for (int i = 0; i < 10000; i++)
		{
			dp_sbhg_sampler.draw(sampler, &prng, row);
			ones[reject] += row[0];
			if (row[1] != 0 || row[2] != 1)
				CHECK(false, "a row that cannot be");
		}
	}
	CHECK_I64(ones[0], 10000, "backoff takes the prefix");
	CHECK_NEAR(ones[1], 5000, 300, "reject keeps the start");
	parameter[0].value = 0;
	CHECK_STATUS(dp_sbhg_sampler.prepare(&model, &sampler, NULL, arena, &error), DP_ERR_CORRUPT,
				 "no sweeps are refused");
	parameter[0].value = 1;
	table[2].attribute = attribute + 3;
	CHECK_STATUS(dp_sbhg_sampler.prepare(&model, &sampler, NULL, arena, &error), DP_ERR_CORRUPT,
				 "tables of other targets are refused");
}

static void
test_no_rows(DpArena *arena)
{
	DpDomain domain = unit_domain(arena, sizes, P);
	UnitTable table = chain_table(arena, &domain, 0);
	DpBudget budget = {DP_EPSILON_ONE / 100, DP_DELTA_ONE / 1000000, 0};
	UnitRelease release;
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, 13);
	for (int neighbours = DP_ADD_REMOVE; neighbours <= DP_REPLACE_ONE; neighbours++)
	{
		for (int sparse = 0; sparse < 2; sparse++)
		{
			DpUnit unit = {(DpNeighbours) neighbours, 1};
			UnitOptions options = {.lists = 0};

			if (sparse)
				unit_number(&options, "dense_cells", "0");
			if (sparse)
				unit_word(&options, "missing_key", "reject");
			MUST(unit_release(&release, "sbhg", &table, unit, budget, &options.options, &rng,
							  arena));
			CHECK(draws_survive_storage(&release, arena), "an empty table is released and drawn");
		}
	}
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_combinations();
	test_refusals(&arena);
	test_cell_limit(&arena);
	test_selection(&arena);
	test_ring(&arena);
	test_margins(&arena, false);
	test_margins(&arena, true);
	test_missing_key(&arena);
	test_no_rows(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
