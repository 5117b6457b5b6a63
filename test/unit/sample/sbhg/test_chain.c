/*
 * test_chain.c -- the distribution of a chain whose steps are in part computed, in part left out,
 * against the distribution of the whole chain, which is computed state by state from the cells of
 * the tables.
 */
#include "core/sample/sbhg/chain.h"
#include "core/sample/sbhg/sbhg_sampler.h"

#include "unit_data.h"

#define P 4
#define STATES 48
#define DRAWS 200000

static const uint32_t levels_of[P] = {2, 3, 2, 4};

/* One table for each attribute: its parents, then itself. */
typedef struct Tables
{
	DpTable table[P];
	DpParameter parameter[2];
	DpModel model;
	DpConditional conditional[P];
	DpChain chain;
} Tables;

/* Cells with counts of 1 to 9, each with the probability `filled` of 10, and one at least. */
static void
fill_table(DpTable *table, uint32_t filled, DpPrng *prng)
{
	uint64_t cells = 1;

	for (uint32_t k = 0; k < table->n; k++)
		cells *= levels_of[table->attribute[k]];
	table->cells = 0;
	for (uint64_t i = 0; i < cells; i++)
	{
		uint64_t rest = i;

		if (dp_prng_below(prng, 10) >= filled && !(i == cells - 1 && table->cells == 0))
			continue;
		for (uint32_t k = table->n; k-- > 0;)
		{
			uint32_t n = levels_of[table->attribute[k]];

			((uint32_t *) table->code)[table->cells * table->n + k] = (uint32_t) (rest % n);
			rest /= n;
		}
		((int64_t *) table->value)[table->cells++] = 1 + (int64_t) dp_prng_below(prng, 9);
	}
}

static void
make_tables(Tables *tables, uint32_t sweeps, bool keep, uint32_t filled, DpPrng *prng,
			DpArena *arena)
{
	DpError error;

	memset(tables, 0, sizeof(*tables));
	tables->parameter[0] = (DpParameter){"sweeps", (int64_t) sweeps};
	tables->parameter[1] = (DpParameter){"missing_key", keep};
	tables->model = (DpModel){.method = "sbhg",
							  .unit = {DP_REPLACE_ONE, 1},
							  .rows = 100,
							  .tables = P,
							  .table = tables->table,
							  .parameters = 2,
							  .parameter = tables->parameter};
	tables->model.domain = unit_domain(arena, levels_of, P);
	for (uint32_t a = 0; a < P; a++)
	{
		uint32_t *attribute = dp_alloc(arena, P, sizeof(*attribute));
		uint32_t n = 0;

		for (uint32_t b = 0; b < P; b++)
			if (b != a && dp_prng_below(prng, 5) < 2)
				attribute[n++] = b;
		attribute[n++] = a;
		tables->table[a] = (DpTable){.n = n,
									 .attribute = attribute,
									 .storage = DP_SPARSE,
									 .value = dp_alloc(arena, STATES, sizeof(int64_t)),
									 .code = dp_alloc(arena, STATES * P, sizeof(uint32_t)),
									 .noise = DP_NOISE_STABILITY,
									 .cost = {DP_EPSILON_ONE, 1, 0},
									 .sensitivity_l1 = 2,
									 .threshold_rows = 1};
		fill_table(&tables->table[a], filled, prng);
		MUST(dp_conditional_build(&tables->conditional[a],
								  &(DpEstimatedTable){.domain = &tables->model.domain,
													  .table = &tables->table[a],
													  .rows = 100},
								  !keep, NULL, arena));
	}
	MUST(dp_model_check(&tables->model, &error));
	tables->chain = (DpChain){P, sweeps, keep, tables->conditional};
}

/* ---- the whole chain ---- */

static void
codes_of(uint32_t state, uint32_t *codes)
{
	for (uint32_t a = P; a-- > 0; state /= levels_of[a])
		codes[a] = state % levels_of[a];
}

static uint32_t
state_of(const uint32_t *codes)
{
	uint32_t state = 0;

	for (uint32_t a = 0; a < P; a++)
		state = state * levels_of[a] + codes[a];
	return state;
}

/* The counts of an attribute's values in the cells that agree with the row on the first parents. */
static double
counts_given(const DpTable *table, uint32_t parents, const uint32_t *codes, double *count)
{
	double sum = 0;

	memset(count, 0, 4 * sizeof(*count));
	for (uint64_t i = 0; i < table->cells; i++)
	{
		const uint32_t *cell = table->code + i * table->n;
		bool agrees = true;

		for (uint32_t k = 0; k < parents; k++)
			agrees &= cell[k] == codes[table->attribute[k]];
		if (agrees)
			count[cell[table->n - 1]] += (double) table->value[i];
		if (agrees)
			sum += (double) table->value[i];
	}
	return sum;
}

/* The distribution of a step's value by its definition. */
static void
naive_distribution(const Tables *tables, uint32_t sweep, uint32_t own, const uint32_t *codes,
				   double *distribution)
{
	const DpTable *table = &tables->table[own];
	double sum = 0;

	for (uint32_t parents = table->n; parents-- > 0 && sum == 0;)
	{
		if (sweep > 0 && tables->chain.keep && parents < table->n - 1)
			break;
		if (sweep == 0 && parents > 0)
			continue;
		sum = counts_given(table, parents, codes, distribution);
	}
	for (uint32_t v = 0; v < levels_of[own]; v++)
		distribution[v] = sum > 0 ? distribution[v] / sum : v == codes[own];
}

static void
naive_chain(const Tables *tables, uint32_t sweeps, double *distribution)
{
	double next[STATES], own[4];
	uint32_t codes[P];

	memset(distribution, 0, STATES * sizeof(*distribution));
	distribution[0] = 1;
	for (uint32_t step = 0; step < (sweeps + 1) * P; step++)
	{
		memset(next, 0, sizeof(next));
		for (uint32_t state = 0; state < STATES; state++)
		{
			codes_of(state, codes);
			naive_distribution(tables, step / P, step % P, codes, own);
			for (uint32_t v = 0; v < levels_of[step % P]; v++)
			{
				codes[step % P] = v;
				next[state_of(codes)] += distribution[state] * own[v];
			}
		}
		memcpy(distribution, next, sizeof(next));
	}
}

static double
distance(const double *a, const double *b)
{
	double sum = 0;

	for (uint32_t state = 0; state < STATES; state++)
		sum += fabs(a[state] - b[state]);
	return sum / 2;
}

/* ---- the distribution of a plan, by all that its moves can do ---- */

typedef struct Walk
{
	const Tables *tables;
	const DpChainPlan *plan;
	double distribution[STATES];
	uint32_t codes[P];
	uint32_t cell[P * 8];
} Walk;

static void walk(Walk *w, uint32_t number, double probability);

static void
walk_move(Walk *w, uint32_t number, double probability)
{
	const DpChainMove *move = &w->plan->move[number];
	uint32_t own = move->step % P, before = w->codes[own];
	double distribution[4];

	if (move->table != DP_CHAIN_NO_TABLE)
	{
		w->codes[own] = w->plan->table[move->table].value[move->place][w->cell[move->table]];
		walk(w, number + 1, probability);
	}
	else
	{
		naive_distribution(w->tables, move->step / P, own, w->codes, distribution);
		for (uint32_t v = 0; v < levels_of[own]; v++)
		{
			w->codes[own] = v;
			if (distribution[v] > 0)
				walk(w, number + 1, probability * distribution[v]);
		}
	}
	w->codes[own] = before;
}

static void
walk(Walk *w, uint32_t number, double probability)
{
	const DpChainMove *move = &w->plan->move[number];
	const DpDrawnSteps *table;
	double distribution[1024] = {0};

	if (number == w->plan->moves)
	{
		w->distribution[state_of(w->codes)] += probability;
		return;
	}
	if (!move->first)
	{
		walk_move(w, number, probability);
		return;
	}
	table = &w->plan->table[move->table];
	dp_alias_distribution(table->entry, table->cells, distribution);
	for (uint32_t i = 0; i < table->cells; i++)
	{
		w->cell[move->table] = i;
		walk_move(w, number, probability * distribution[i]);
	}
}

/* ---- tests ---- */

static void
test_plans(void)
{
	static const DpChainLimits limits[] = {{1024, 1 << 20, false},
										   {24, 1 << 20, false},
										   {6, 1 << 20, false},
										   {1024, 30, false},
										   {0, 0, false}};
	uint32_t moves[5] = {0};
	double worst = 0;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){31, 0, 0});
	for (int trial = 0; trial < 60; trial++)
	{
		DpArena arena = dp_arena_malloc();
		double distribution[STATES];
		Tables tables;

		make_tables(&tables, trial % 3 == 0 ? 1 : 2, trial % 2 == 1, trial % 5 == 0 ? 10 : 6, &prng,
					&arena);
		naive_chain(&tables, tables.chain.sweeps, distribution);
		for (int i = 0; i < 5; i++)
		{
			DpChainPlan plan;
			Walk w = {.tables = &tables, .plan = &plan};

			MUST(dp_chain_plan(&tables.chain, &limits[i], &plan, NULL, &arena));
			walk(&w, 0, 1);
			worst = fmax(worst, distance(w.distribution, distribution));
			moves[i] += plan.moves;
		}
		dp_arena_malloc_free(&arena);
	}
	CHECK(worst < 1e-8, "whatever is computed, the law is that of the chain, within %.1e", worst);
	CHECK_I64(moves[0], 60 * P, "where all is computed, a row has a value for each attribute");
	CHECK(moves[0] < moves[2] && moves[2] < moves[4], "smaller tables leave more to be drawn");
	CHECK(moves[4] < 160 * P, "what nobody looks at is not drawn: %u steps of %u", moves[4],
		  160 * P);
}

/* With one parent each, all but the last values follow from a distribution that is computed,
 * however many sweeps there are. */
static void
test_one_parent(DpArena *arena)
{
	static uint32_t pair[P][2] = {{1, 0}, {0, 1}, {1, 2}, {2, 3}};
	DpChainLimits limits = {12, 1 << 20, false};
	DpChainPlan plan;
	Tables tables;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){32, 0, 0});
	make_tables(&tables, 2, false, 10, &prng, arena);
	tables.chain.sweeps = 500;
	for (uint32_t a = 0; a < P; a++)
	{
		tables.table[a].n = 2;
		tables.table[a].attribute = pair[a];
		fill_table(&tables.table[a], 10, &prng);
		MUST(dp_conditional_build(&tables.conditional[a],
								  &(DpEstimatedTable){.domain = &tables.model.domain,
													  .table = &tables.table[a],
													  .rows = 100},
								  true, NULL, arena));
	}
	MUST(dp_chain_plan(&tables.chain, &limits, &plan, NULL, arena));
	CHECK(plan.moves <= P + 1, "500 sweeps of a tree take %u draws", plan.moves);
}

/* Attribute 2 depends on 0 and 3, which have no parents, and keeps its value where a key is
 * missing: so its steps look back for ever, and each sweep begins two tables. They stay within
 * their limit, and rows are drawn from what is planned. */
static void
test_many_tables(DpArena *arena)
{
	static uint32_t set[P][3] = {{0}, {0, 1}, {0, 3, 2}, {3}};
	static const uint32_t n[P] = {1, 2, 3, 1};
	uint32_t codes[P] = {0};
	DpChainLimits limits = {15, 1 << 20, false};
	DpChainPlan plan;
	Tables tables;
	DpError error;
	DpPrng prng;
	void *state;

	dp_prng_seed(&prng, (DpStream){34, 0, 0});
	make_tables(&tables, 2, true, 10, &prng, arena);
	tables.chain.sweeps = 5000;
	tables.parameter[0].value = 5000;
	for (uint32_t a = 0; a < P; a++)
	{
		tables.table[a].n = n[a];
		tables.table[a].attribute = set[a];
		fill_table(&tables.table[a], a == 2 ? 3 : 10, &prng);
		MUST(dp_conditional_build(&tables.conditional[a],
								  &(DpEstimatedTable){.domain = &tables.model.domain,
													  .table = &tables.table[a],
													  .rows = 100},
								  false, NULL, arena));
	}
	MUST(dp_chain_plan(&tables.chain, &limits, &plan, NULL, arena));
	CHECK(plan.tables > 1000 && plan.tables <= DP_CHAIN_TABLES_MAX, "%u tables of 5000 sweeps",
		  plan.tables);
	MUST(dp_sbhg_sampler.prepare(&tables.model, &state, NULL, arena, &error));
	for (int i = 0; i < 100; i++)
		dp_sbhg_sampler.draw(state, &prng, codes);
	CHECK(codes[1] < levels_of[1] && codes[3] < levels_of[3], "rows are drawn from many sweeps");
}

static void
count_rows(const uint32_t *codes, uint32_t rows, double *distribution)
{
	for (uint32_t r = 0; r < rows; r++)
		distribution[state_of(codes + (size_t) r * P)] += 1.0 / DRAWS;
}

/* Rows of the sampler, one by one and by blocks. */
static void
test_rows(DpPrng *prng, bool keep, DpArena *arena)
{
	static uint32_t codes[DP_BLOCK_ROWS * P];
	double distribution[STATES], single[STATES] = {0}, block[STATES] = {0};
	DpError error;
	Tables tables;
	void *state;

	make_tables(&tables, 3, keep, 6, prng, arena);
	naive_chain(&tables, 3, distribution);
	MUST(dp_sbhg_sampler.prepare(&tables.model, &state, NULL, arena, &error));
	for (uint32_t i = 0; i < DRAWS; i++)
	{
		dp_sbhg_sampler.draw(state, prng, codes);
		count_rows(codes, 1, single);
	}
	for (uint32_t i = 0; i < DRAWS; i += DP_BLOCK_ROWS)
	{
		DpRowBlock rows = {{3, 1, i / DP_BLOCK_ROWS}, DP_BLOCK_ROWS};

		if (rows.rows > DRAWS - i)
			rows.rows = DRAWS - i;
		dp_sbhg_sampler.draw_block(state, &rows, codes, NULL);
		count_rows(codes, rows.rows, block);
	}
	CHECK(distance(single, distribution) < .01,
		  "rows have the distribution of the chain, within %.4f", distance(single, distribution));
	CHECK(distance(block, distribution) < .01, "and so do blocks, within %.4f",
		  distance(block, distribution));
}

/* ---- traces ---- */

typedef struct Seen
{
	uint32_t sweep;              /* the row after this sweep is looked at */
	double distribution[STATES]; /* of it */
	uint32_t codes[P];           /* after the last step */
	bool jumped;                 /* a step had a probability of zero */
	const Tables *tables;
} Seen;

static void
see(void *context, const DpChainStep *step, const uint32_t *codes)
{
	Seen *seen = context;
	uint32_t before[P];
	double distribution[4];

	memcpy(before, codes, sizeof(before));
	if (step->sweep > 0)
		before[step->attribute] = step->before;
	naive_distribution(seen->tables, step->sweep, step->attribute, before, distribution);
	seen->jumped |= !(distribution[step->after] > 0) || codes[step->attribute] != step->after;
	memcpy(seen->codes, codes, sizeof(seen->codes));
	if (step->sweep == seen->sweep && step->attribute == P - 1)
		seen->distribution[state_of(codes)] += 1.0 / 20480;
}

/* A trace ends in the row of the block, and on the way it has the distribution of the chain. */
static void
test_traces(DpPrng *prng, bool keep, DpArena *arena)
{
	static uint32_t codes[DP_BLOCK_ROWS * P];
	uint32_t row[P] = {0};
	Seen seen = {.sweep = 1};
	DpChainView view = {&seen, see};
	bool ends = true;
	double distribution[STATES];
	DpSbhgTrace *trace;
	DpError error;
	Tables tables;
	void *state;

	make_tables(&tables, 3, keep, 6, prng, arena);
	seen.tables = &tables;
	naive_chain(&tables, 1, distribution);
	MUST(dp_sbhg_sampler.prepare(&tables.model, &state, NULL, arena, &error));
	MUST(dp_sbhg_trace_prepare(&tables.model, &trace, NULL, arena, &error));
	for (uint32_t i = 0; i < 20; i++)
	{
		DpRowBlock rows = {{3, 1, i}, DP_BLOCK_ROWS};

		dp_sbhg_sampler.draw_block(state, &rows, codes, NULL);
		for (uint32_t r = 0; r < DP_BLOCK_ROWS; r++)
		{
			dp_sbhg_trace(trace, &rows.stream, r, &view, row);
			ends &= memcmp(seen.codes, codes + (size_t) r * P, sizeof(seen.codes)) == 0;
		}
	}
	CHECK(ends, "a trace ends in its row");
	CHECK(!seen.jumped, "no step does what it cannot do");
	CHECK(distance(seen.distribution, distribution) < .025,
		  "after a sweep it has the distribution of the chain, within %.4f",
		  distance(seen.distribution, distribution));
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();
	DpPrng prng;

	test_plans();
	test_one_parent(&arena);
	test_many_tables(&arena);
	dp_prng_seed(&prng, (DpStream){33, 0, 0});
	for (int trial = 0; trial < 6; trial++)
	{
		test_rows(&prng, trial % 2 == 1, &arena);
		test_traces(&prng, trial % 2 == 1, &arena);
	}
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
