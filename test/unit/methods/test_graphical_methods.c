/*
 * test_graphical_methods.c -- mst and aim from plan to rows: what is spent, what the model holds,
 * rows by either way of drawing, forged models.
 *
 * Covers method_mst.c, method_aim.c, aim_choice.c, aim_plan.c, graphical_measure.c,
 * graphical_prepare.c and noisy_measurement.c.
 */
#include <math.h>

#include "core/sample/graphical_fit.h"
#include "core/domain/workload.h"
#include "core/methods/registry.h"
#include "core/model/noisy_table.h"
#include "core/sample/model_query.h"

#include "unit_data.h"
#include "unit_model.h"

#define ROWS 4000

typedef struct Run
{
	DpArena *arena;
	DpDomain domain;
	UnitTable table;
	const int32_t *known; /* as in DpRequest */
	DpRequest request;
	DpPlan plan;
	DpMeter meter;
	DpModel model;
} Run;

/* b copies a, c is their sum with d, e is nearly always 0. */
static void
fill(Run *run, DpArena *arena)
{
	static const uint32_t levels[] = {3, 3, 3, 3, 5};
	DpPrng prng;

	run->arena = arena;
	run->known = NULL;
	run->domain = unit_domain(arena, levels, 5);
	run->table = unit_table(arena, &run->domain, ROWS);
	dp_prng_seed(&prng, (DpStream){1, 2, 3});
	for (uint32_t i = 0; i < ROWS; i++)
	{
		uint32_t a = (uint32_t) dp_prng_below(&prng, 3), d = (uint32_t) dp_prng_below(&prng, 3);

		run->table.code[0][i] = run->table.code[1][i] = a;
		run->table.code[2][i] = (a + d) % 3;
		run->table.code[3][i] = d;
		run->table.code[4][i] = i < 4 ? i + 1 : 0;
	}
}

/* option may be NULL. */
static void
run_with(Run *run, const char *name, DpNeighbours neighbours, int64_t delta_atto, uint32_t sets,
		 const DpOption *option)
{
	static DpOptions options;
	const DpMethod *method = dp_method_find(name);
	DpCounter counter = unit_counter(&run->table);
	DpError error = {0};
	DpPrng prng;
	DpRng rng;

	options = (DpOptions){option != NULL, (DpOption *) (uintptr_t) option};
	run->request = (DpRequest){
		.domain = &run->domain, .unit = {neighbours, 1}, .known = run->known, .options = &options};
	run->request.sets = sets;
	run->request.budget.epsilon_nano = 10 * DP_EPSILON_ONE;
	run->request.budget.delta_atto = delta_atto;
	MUST(dp_plan(method, &run->request, &run->plan, run->arena, &error));
	dp_meter_init(&run->meter, run->plan.cost);
	unit_fixed_rng(&rng, &prng, 45);
	MUST(dp_measure(&(DpMeasurement){.plan = &run->plan,
									 .counter = &counter,
									 .noise = {.meter = &run->meter, .rng = &rng},
									 .arena = run->arena},
					&run->model, &error));
}

static void
run_method(Run *run, const char *name, DpNeighbours neighbours, int64_t delta_atto, uint32_t sets)
{
	static const DpOption independent = {
		.name = "independent_sets", .kind = DP_VALUE_BOOLEAN, .flag = true};

	run_with(run, name, neighbours, delta_atto, sets, sets > 1 ? &independent : NULL);
}

static bool
budgets_equal(DpBudget a, DpBudget b)
{
	return a.rho_pico == b.rho_pico && a.delta_atto >= b.delta_atto &&
		   a.epsilon_nano >= b.epsilon_nano;
}

static uint32_t
count_kept(const DpModel *model, const DpMethod *method, void *sampler, uint32_t rows)
{
	uint32_t *codes = malloc(sizeof(uint32_t) * rows * 5), kept = 0;

	for (uint32_t first = 0; first < rows; first += DP_BLOCK_ROWS)
		dp_draw_block(method->sampler, sampler, model->domain.attributes,
					  &(DpRowBlock){{7, 1, first / DP_BLOCK_ROWS},
									rows - first < DP_BLOCK_ROWS ? rows - first : DP_BLOCK_ROWS},
					  codes + (size_t) first * 5, NULL);
	for (uint32_t i = 0; i < rows; i++)
		kept += codes[i * 5] == codes[i * 5 + 1];
	free(codes);
	return kept;
}

static void
test_method(DpArena *arena, const char *name, DpNeighbours neighbours, int64_t delta_atto)
{
	const DpMethod *method = dp_method_find(name);
	unsigned char *bytes;
	DpModel again;
	size_t length;
	void *sampler;
	Run run;

	fill(&run, arena);
	run_method(&run, name, neighbours, delta_atto, 1);
	CHECK(budgets_equal(run.meter.limit, run.plan.cost) &&
			  run.meter.spent.rho_pico <= run.plan.cost.rho_pico &&
			  run.meter.spent.epsilon_nano <= run.plan.cost.epsilon_nano,
		  "%s, %s, delta %s: spends no more than planned", name,
		  neighbours == DP_ADD_REMOVE ? "add/remove" : "replace", delta_atto > 0 ? "> 0" : "0");
	CHECK(run.table.scans == 1, "one scan");
	CHECK(neighbours == DP_ADD_REMOVE || run.model.rows == ROWS, "rows, where they are public");
	CHECK((run.model.table[0].noise == DP_NOISE_GAUSSIAN) == (delta_atto > 0), "its noise");
	MUST(dp_model_serialise(&run.model, &bytes, &length, arena, NULL));
	MUST(dp_model_parse(bytes, length, &again, arena, NULL));
	MUST(method->sampler->prepare(&again, &sampler, NULL, arena, NULL));
	CHECK(count_kept(&again, method, sampler, ROWS) > 9 * ROWS / 10, "columns that agree do so");
	dp_draw_expect(method->sampler, sampler, 100);
	CHECK(count_kept(&again, method, sampler, 100) > 80, "in any number of rows");
}

static void
test_sets(DpArena *arena)
{
	Run run;

	fill(&run, arena);
	run_method(&run, "mst", DP_ADD_REMOVE, 1000000000, 3);
	CHECK(run.model.replicates == 3 && run.meter.spent.rho_pico <= run.plan.cost.rho_pico,
		  "three measurements apart");
	CHECK(dp_epsilon_of_rho((DpBudget){.rho_pico = run.plan.cost.rho_pico,
									   .delta_atto = 1000000000}) <= 10 * DP_EPSILON_ONE &&
			  dp_epsilon_of_rho((DpBudget){.rho_pico = run.plan.cost.rho_pico,
										   .delta_atto = 1000000000}) > 99 * DP_EPSILON_ONE / 10,
		  "their rho together is what the whole budget buys");
}

static uint32_t
pairs_of(const DpModel *model)
{
	uint32_t pairs = 0;

	for (uint32_t t = 0; t < model->tables; t++)
		pairs += model->table[t].n == 2;
	return pairs;
}

/* Pairs that are released with so many trees at most, and the tables that repeat. */
static uint32_t
pairs_with(DpArena *arena, const char *trees, int64_t delta_atto, uint32_t *again)
{
	const DpOption option = {.name = "trees", .kind = DP_VALUE_NUMBER, .text = trees};
	Run run;

	fill(&run, arena);
	run_with(&run, "mst", DP_ADD_REMOVE, delta_atto, 1, &option);
	CHECK(run.meter.spent.rho_pico <= run.plan.cost.rho_pico &&
			  run.meter.spent.epsilon_nano <= run.plan.cost.epsilon_nano,
		  "%s trees share out what is planned for one", trees);
	*again = 0;
	for (uint32_t i = 0; i < run.model.tables; i++)
		for (uint32_t k = i + 1; k < run.model.tables; k++)
			*again +=
				run.model.table[i].n == run.model.table[k].n &&
				dp_attributes_compare(run.model.table[i].attribute, run.model.table[i].n,
									  run.model.table[k].attribute, run.model.table[k].n) == 0;
	return pairs_of(&run.model);
}

static void
test_trees(DpArena *arena)
{
	uint32_t again;

	CHECK_I64(pairs_with(arena, "1", 1000000000, &again), 4, "the pairs of one tree");
	CHECK_I64(pairs_with(arena, "2", 1000000000, &again), 8, "and of two");
	CHECK_I64(again, 0, "which have no pair in common");
	CHECK_I64(pairs_with(arena, "4", 1000000000, &again), 10,
			  "and all, where four trees have them");
	CHECK_I64(again, 0, "each of them once");
	CHECK_I64(pairs_with(arena, "4", 0, &again), 4, "without a delta there is one tree");
}

static uint32_t
count_shared(const DpTable *a, const DpTable *b)
{
	uint32_t shared = 0;

	for (uint32_t i = 0; i < a->n; i++)
		for (uint32_t k = 0; k < b->n; k++)
			shared += a->attribute[i] == b->attribute[k];
	return shared;
}

/* Whether two tables that follow each other share more than one column. */
static bool
overlap(const DpModel *model, uint32_t first)
{
	for (uint32_t t = first; t + 1 < model->tables; t++)
		if (count_shared(&model->table[t], &model->table[t + 1]) > 1)
			return true;
	return false;
}

static void
test_batch(DpArena *arena)
{
	static const DpOption batch = {.name = "batch", .kind = DP_VALUE_NUMBER, .text = "9"};
	static const DpOption one = {.name = "batch", .kind = DP_VALUE_NUMBER, .text = "1"};
	Run run;

	fill(&run, arena);
	run_with(&run, "aim", DP_ADD_REMOVE, 1000000000, 1, &batch);
	CHECK(run.model.tables > 7 && count_shared(&run.model.table[5], &run.model.table[6]) <= 1,
		  "tables of a batch share a column at most");
	fill(&run, arena);
	run_with(&run, "aim", DP_ADD_REMOVE, 1000000000, 1, &one);
	CHECK(overlap(&run.model, 5), "those of two batches may share more");
}

/* Rows are drawn given a, c and d: no other table is of them alone. That of d, which tells what
 * siblings were, costs an eighth. */
static void
test_known(DpArena *arena, int64_t delta_atto)
{
	static const int32_t known[] = {DP_KNOWN, DP_DRAWN, DP_KNOWN, 1, DP_DRAWN};
	uint32_t known_alone = 0, wider = 0;
	int64_t one[5];
	Run run;

	fill(&run, arena);
	run.known = known;
	run_with(&run, "aim", DP_ADD_REMOVE, delta_atto, 1, NULL);
	for (uint32_t t = 0; t < run.model.tables; t++)
	{
		const DpTable *table = &run.model.table[t];

		if (t < 5)
			one[table->attribute[0]] =
				delta_atto > 0 ? table->cost.rho_pico : table->cost.epsilon_nano;
		wider += table->n > 1;
		known_alone += t >= 5 && !dp_workload_draws(table->attribute, table->n, known);
	}
	CHECK(wider > 3 && known_alone == 0, "tables of what is known alone are none of %u", wider);
	CHECK(one[0] == one[1] && one[0] == one[2] && one[0] == one[4] && one[0] / 8 == one[3],
		  "what siblings were costs an eighth, delta %s", delta_atto > 0 ? "> 0" : "0");
	CHECK(run.meter.spent.rho_pico <= run.plan.cost.rho_pico &&
			  run.meter.spent.epsilon_nano <= run.plan.cost.epsilon_nano &&
			  (delta_atto > 0 ? run.meter.spent.rho_pico > run.plan.cost.rho_pico / 10 * 9
							  : run.meter.spent.epsilon_nano > run.plan.cost.epsilon_nano / 10 * 9),
		  "the rest goes to the others");
}

#define MANY 42

/* Columns with one cause: all pairs of them are as far from what was expected at first. */
static void
fill_many(Run *run, DpArena *arena)
{
	uint32_t levels[MANY];
	DpPrng prng;

	for (uint32_t a = 0; a < MANY; a++)
		levels[a] = 2;
	run->arena = arena;
	run->known = NULL;
	run->domain = unit_domain(arena, levels, MANY);
	run->table = unit_table(arena, &run->domain, ROWS);
	dp_prng_seed(&prng, (DpStream){4, 5, 6});
	for (uint32_t i = 0; i < ROWS; i++)
	{
		uint32_t cause = (uint32_t) dp_prng_below(&prng, 2);

		for (uint32_t a = 0; a < MANY; a++)
			run->table.code[a][i] = dp_prng_below(&prng, 10) < 8 ? cause : 1 - cause;
	}
}

static uint32_t
root_of(const uint32_t *tied_to, uint32_t column)
{
	while (tied_to[column] != column)
		column = tied_to[column];
	return column;
}

/* Pairs that no other way of the tables before them ties. */
static uint32_t
count_branches(const DpTable *table, uint32_t n)
{
	uint32_t tied_to[MANY], branches = 0;

	for (uint32_t a = 0; a < MANY; a++)
		tied_to[a] = a;
	for (uint32_t t = 0; t < n; t++)
	{
		uint32_t a = root_of(tied_to, table[t].attribute[0]);
		uint32_t b = table[t].n == 2 ? root_of(tied_to, table[t].attribute[1]) : a;

		tied_to[a] = b;
		branches += a != b;
	}
	return branches;
}

/* The first batch of many columns is a tree of all; later ones know what it told. */
static void
test_many(DpArena *arena)
{
	Run run;

	fill_many(&run, arena);
	run_method(&run, "aim", DP_ADD_REMOVE, 1000000000, 1);
	CHECK_I64(count_branches(run.model.table + MANY, MANY - 1), MANY - 1,
			  "the pairs of a batch of many columns close no circle");
	CHECK(run.model.tables >= 2 * MANY - 1 && run.meter.spent.rho_pico <= run.plan.cost.rho_pico,
		  "and there are more batches");
}

/* The largest distance between tables of two pairs that two models expect, in rows. */
static double
farthest(DpArena *arena, const DpModel *a, const DpModel *b)
{
	const DpModelQuery *query = dp_method_find(a->method)->sampler->query;
	double x[64], y[64], most = 0;
	void *first, *second;

	MUST(query->fit(a, &first, NULL, arena, NULL));
	MUST(query->fit(b, &second, NULL, arena, NULL));
	for (uint32_t t = a->domain.attributes; t < a->tables; t++)
	{
		const DpAttributeSet set = {a->table[t].n, a->table[t].attribute};

		MUST(query->marginal(first, &set, x, NULL, arena));
		MUST(query->marginal(second, &set, y, NULL, arena));
		for (uint64_t i = 0; i < a->table[t].cells; i++)
			most = fmax(most, fabs(x[i] - y[i]) * (double) a->rows);
	}
	return most;
}

/* The model of mst says how stiff its pairs are, so that it is fitted again as it was. */
static void
test_damping(DpArena *arena)
{
	DpModel again, stiffer;
	double noise;
	Run run;

	fill(&run, arena);
	run_method(&run, "mst", DP_ADD_REMOVE, 1000000000, 1);
	CHECK_I64(dp_model_parameter(&run.model, "stiffness", 0), 1, "pairs of mst are not stiff");
	noise = sqrt(dp_table_variance(&run.model.table[run.domain.attributes]));
	again = run.model;
	again.structure_n = 17; /* the groups alone */
	stiffer = again;
	stiffer.parameter = dp_memdup(arena, again.parameter, again.parameters * sizeof(DpParameter));
	for (uint32_t i = 0; i < stiffer.parameters; i++)
		if (strcmp(stiffer.parameter[i].name, "stiffness") == 0)
			stiffer.parameter[i].value = 1000;
	CHECK(farthest(arena, &run.model, &again) < 0.1 * noise,
		  "without potentials it is fitted as it was, %.3f of %.3f rows",
		  farthest(arena, &run.model, &again), noise);
	CHECK(farthest(arena, &run.model, &stiffer) > 0.5 * noise,
		  "which one of stiff pairs is not, %.3f rows", farthest(arena, &run.model, &stiffer));
	for (uint32_t i = 0; i < stiffer.parameters; i++)
		if (strcmp(stiffer.parameter[i].name, "stiffness") == 0)
			stiffer.parameter[i].value = -1;
	CHECK_STATUS(
		dp_method_find("mst")->sampler->query->fit(&stiffer, &(void *){NULL}, NULL, arena, NULL),
		DP_ERR_CORRUPT, "a stiffness that cannot be");
}

/* How many of the rows have the last level of the last attribute, whose table says so many. */
static uint32_t
count_rest(DpArena *arena, const Run *run, double deviations)
{
	const DpMethod *method = dp_method_find("mst");
	uint32_t rows = 10 * ROWS, rest = 0, *codes = malloc(sizeof(uint32_t) * rows * 5);
	DpModel model = run->model;
	void *sampler;

	model.table = dp_memdup(arena, model.table, model.tables * sizeof(*model.table));
	model.table[4].value = dp_memdup(arena, model.table[4].value, 5 * sizeof(int64_t));
	model.table[4].value[4] = (int64_t) ceil(deviations * sqrt(dp_table_variance(&model.table[4])));
	MUST(method->sampler->prepare(&model, &sampler, NULL, arena, NULL));
	for (uint32_t first = 0; first < rows; first += DP_BLOCK_ROWS)
		dp_draw_block(method->sampler, sampler, 5,
					  &(DpRowBlock){{7, 1, first / DP_BLOCK_ROWS},
									rows - first < DP_BLOCK_ROWS ? rows - first : DP_BLOCK_ROWS},
					  codes + (size_t) first * 5, NULL);
	for (uint32_t i = 0; i < rows; i++)
		rest += codes[i * 5 + 4] == 4;
	free(codes);
	return rest;
}

/* What is not in a list is drawn only where it stands out of the noise. */
static void
test_rest(DpArena *arena)
{
	Run run;

	fill(&run, arena);
	run.domain.attribute[4].has_other = true;
	run.domain.attribute[4].labels_n = 4;
	run_method(&run, "mst", DP_ADD_REMOVE, 1000000000, 1);
	CHECK_I64(count_rest(arena, &run, 0), 0, "no row of a rest without a count");
	CHECK_I64(count_rest(arena, &run, 1.5), 0, "nor of one that may be noise");
	CHECK(count_rest(arena, &run, 4) > 10, "rows of one that is clear of it");
}

/* A model that says something impossible is refused, one that is odd is drawn from. */
static void
test_forged(DpArena *arena)
{
	const DpMethod *method = dp_method_find("aim");
	uint32_t *structure;
	void *sampler;
	DpModel model;
	Run run;

	fill(&run, arena);
	run_method(&run, "aim", DP_ADD_REMOVE, 1000000000, 1);
	structure = run.model.structure;
	model = run.model;
	model.tables = 4;
	CHECK_STATUS(method->sampler->prepare(&model, &sampler, NULL, arena, NULL), DP_ERR_CORRUPT,
				 "without a table of each attribute");
	model = run.model;
	model.structure_n--;
	CHECK_STATUS(method->sampler->prepare(&model, &sampler, NULL, arena, NULL), DP_ERR_CORRUPT,
				 "a potential is missing");
	model = run.model;
	model.structure_n = 17; /* the groups alone */
	CHECK(method->sampler->prepare(&model, &sampler, NULL, arena, NULL) == DP_OK &&
			  count_kept(&model, method, sampler, ROWS) > 9 * ROWS / 10,
		  "without potentials it is fitted again");
	model.structure = dp_memdup(arena, structure, run.model.structure_n * sizeof(*structure));
	model.structure_n = run.model.structure_n;
	model.structure[0] = 1;
	CHECK_STATUS(method->sampler->prepare(&model, &sampler, NULL, arena, NULL), DP_ERR_CORRUPT,
				 "a group without a first level");
	model.structure[0] = 0;
	model.structure[20] = UINT32_C(0x7fc00000); /* not a number */
	CHECK_STATUS(method->sampler->prepare(&model, &sampler, NULL, arena, NULL), DP_ERR_CORRUPT,
				 "a potential that is no number");
	model = run.model;
	model.parameter[0].value = 30;
	CHECK_STATUS(method->sampler->prepare(&model, &sampler, NULL, arena, NULL), DP_ERR_CORRUPT,
				 "cliques larger than it says");
	model.parameter[0].value = INT64_MAX;
	CHECK_STATUS(method->sampler->prepare(&model, &sampler, NULL, arena, NULL), DP_ERR_CORRUPT,
				 "more cells than there may be");
}

/* Rows can be drawn from the model that the fuzzer edits, with its potentials and without them. */
static void
test_small(DpArena *arena)
{
	DpModel model = unit_model_graphical(arena);
	const DpMethod *method = dp_method_find(model.method);
	uint32_t codes[2] = {9, 9};
	void *sampler;

	MUST(dp_model_check(&model, NULL));
	CHECK_STATUS(method->sampler->prepare(&model, &sampler, NULL, arena, NULL), DP_OK,
				 "a small model");
	dp_draw_block(method->sampler, sampler, 2, &(DpRowBlock){{1, 1, 0}, 1}, codes, NULL);
	CHECK(codes[0] < 3 && codes[1] < 3, "a row of it");
	model.structure_n = 6;
	CHECK_STATUS(method->sampler->prepare(&model, &sampler, NULL, arena, NULL), DP_OK,
				 "fitted, though a count is impossible");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	for (int relation = DP_ADD_REMOVE; relation <= DP_REPLACE_ONE; relation++)
		for (int64_t delta = 0; delta <= 1000000000; delta += 1000000000)
		{
			test_method(&arena, "mst", (DpNeighbours) relation, delta);
			test_method(&arena, "aim", (DpNeighbours) relation, delta);
		}
	test_sets(&arena);
	test_trees(&arena);
	test_batch(&arena);
	test_known(&arena, 0);
	test_known(&arena, 1000000000);
	test_many(&arena);
	test_damping(&arena);
	test_rest(&arena);
	test_forged(&arena);
	test_small(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
