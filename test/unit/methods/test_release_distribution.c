/*
 * test_release_distribution.c -- that what is released has the distribution its cost promises: the
 * noise of every cell, the number of rows, and the choice of an order.
 *
 * Sensitivities are numbers here, not the core's own functions: a table that is
 * off by a factor must not be measured by the same factor.
 *
 * Covers release_table.c and steps_measure.c.
 */
#include "core/methods/registry.h"

#include "unit_data.h"
#include "unit_stat.h"

#define P 3
#define ROWS 300
#define CELLS_MAX 12
#define NOISE_RELEASES 150
#define CHOICE_RELEASES 1500

static const uint32_t sizes[P] = {2, 3, 2};

/* c0 and c1 are even and independent; c2 is rare, and depends on both. */
static UnitTable
fixed_table(DpArena *arena, const DpDomain *domain)
{
	UnitTable table = unit_table(arena, domain, ROWS);

	for (uint32_t i = 0; i < ROWS; i++)
	{
		table.code[0][i] = i % 2;
		table.code[1][i] = i % 3;
		table.code[2][i] = i % 30 == 0;
	}
	return table;
}

/* Exact counts, the last attribute fastest. Returns how many cells. */
static uint32_t
count_cells(const UnitTable *table, const uint32_t *attributes, uint32_t n, int64_t *count)
{
	uint32_t cells = 1;

	for (uint32_t k = 0; k < n; k++)
		cells *= sizes[attributes[k]];
	memset(count, 0, CELLS_MAX * sizeof(*count));
	for (uint32_t i = 0; i < table->rows; i++)
	{
		uint32_t cell = 0;

		for (uint32_t k = 0; k < n; k++)
			cell = cell * sizes[attributes[k]] + table->code[attributes[k]][i];
		count[cell]++;
	}
	return cells;
}

/* ---- noise and rows ---- */

typedef struct Case
{
	const char *name;
	const char *method;
	const char *number[2]; /* an option and its value, or none */
	const char *order;     /* column_order, or none */
	uint32_t tables;       /* with noise on every cell */
} Case;

/* Sums over cells: |noise|, and its mean and variance by the distribution. */
typedef struct Noise
{
	double cells;
	double size;
	double size_mean;
	double size_variance;
	double sum;
	double sum_variance;
} Noise;

/* l1: the literal sensitivity. */
static void
add_noise(Noise *noise, const DpTable *out, const int64_t *exact, int64_t l1)
{
	double a = exp(-(double) out->cost.epsilon_nano * 1e-9 / (double) l1);
	double mean = 2 * a / (1 - a * a);
	double square = 2 * a / ((1 - a) * (1 - a));

	for (uint64_t i = 0; i < out->cells; i++)
	{
		double z = (double) (out->value[i] - exact[i]);

		noise->size += fabs(z);
		noise->sum += z;
	}
	noise->cells += (double) out->cells;
	noise->size_mean += (double) out->cells * mean;
	noise->size_variance += (double) out->cells * (square - mean * mean);
	noise->sum_variance += (double) out->cells * square;
}

static bool
is_selection(const DpStage *stage)
{
	return strncmp(stage->mechanism, "permute-and-flip", 16) == 0;
}

static int64_t
selection_cost(const DpPlan *plan)
{
	int64_t cost_nano = 0;

	for (uint32_t i = 0; i < plan->stages; i++)
		cost_nano += is_selection(&plan->stage[i]) ? plan->stage[i].total.epsilon_nano : 0;
	return cost_nano;
}

/* What a series of releases of one case adds up to. */
typedef struct Series
{
	Noise noise;
	unsigned tables;
	unsigned rows_differ;
	bool sensitivity_right;
	bool cost_right;
} Series;

static void
add_release(Series *series, const UnitRelease *release, const UnitTable *table, int64_t l1)
{
	const DpModel *model = &release->model;
	int64_t cost_nano = selection_cost(&release->plan);
	int64_t exact[CELLS_MAX];

	for (uint32_t t = 0; t < model->tables; t++)
	{
		const DpTable *out = &model->table[t];

		cost_nano += out->cost.epsilon_nano;
		series->sensitivity_right = series->sensitivity_right && out->sensitivity_l1 == l1;
		if (out->storage != DP_DENSE || out->n == 0 ||
			out->cells != count_cells(table, out->attribute, out->n, exact))
			continue;
		series->tables++;
		add_noise(&series->noise, out, exact, l1);
	}
	series->rows_differ += model->rows != ROWS;
	series->cost_right = series->cost_right && cost_nano <= release->request.budget.epsilon_nano &&
						 cost_nano <= release->meter.spent.epsilon_nano &&
						 cost_nano > release->request.budget.epsilon_nano - 1000;
}

static Series
run_series(const Case *c, UnitTable *table, DpUnit unit, int64_t l1)
{
	Series series = {.sensitivity_right = true, .cost_right = true};
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, unit_run.checks); /* draws of its own for each case */
	for (int i = 0; i < NOISE_RELEASES; i++)
	{
		DpArena arena = dp_arena_malloc();
		UnitOptions options = {.lists = 0};
		UnitRelease release;

		if (c->number[0] != NULL)
			unit_number(&options, c->number[0], c->number[1]);
		if (c->order != NULL)
		{
			unit_add_option(&options, "column_order", DP_VALUE_LIST);
			unit_list(&options, &arena, NULL, c->order);
		}
		MUST(unit_release(&release, c->method, table, unit, (DpBudget){DP_EPSILON_ONE / 2, 0, 0},
						  &options.options, &rng, &arena));
		add_release(&series, &release, table, l1);
		dp_arena_malloc_free(&arena);
	}
	return series;
}

static void
test_noise(const Case *c, UnitTable *table, DpUnit unit)
{
	int64_t l1 = unit.neighbours == DP_ADD_REMOVE ? 1 * unit.rows_max : 2 * unit.rows_max;
	Series series = run_series(c, table, unit, l1);
	const Noise *noise = &series.noise;

	unit_note("%s, %s, %u rows a unit", c->name, unit.neighbours ? "replace" : "add/remove",
			  unit.rows_max);
	CHECK_I64(series.tables, c->tables * NOISE_RELEASES, "tables with noise on every cell");
	CHECK(series.sensitivity_right, "their sensitivity is %" PRId64, l1);
	CHECK_NEAR(noise->size / noise->cells, noise->size_mean / noise->cells,
			   6 * sqrt(noise->size_variance) / noise->cells,
			   "the mean size of noise is that of sensitivity %" PRId64, l1);
	CHECK_NEAR(noise->sum / noise->cells, 0, 6 * sqrt(noise->sum_variance) / noise->cells,
			   "its mean is 0");
	CHECK(series.cost_right, "tables and selections add up to what was asked for");
	if (unit.neighbours == DP_REPLACE_ONE && unit.rows_max == 1)
		CHECK_I64(series.rows_differ, 0, "the number of rows is public");
	else
		CHECK(series.rows_differ > NOISE_RELEASES * 3 / 4,
			  "the number of rows is another one in %u of %d releases", series.rows_differ,
			  NOISE_RELEASES);
}

/* ---- the choice of an order ---- */

/* ln c! - c ln c + c */
static double
factorial_rest(int64_t count)
{
	double c = (double) count;

	return count == 0 ? 0 : lgamma(c + 1) - c * log(c) + c;
}

/* Minus AIC of each attribute alone, in 1/1024. */
static void
aic_scores(const UnitTable *table, int64_t *score)
{
	int64_t count[CELLS_MAX];

	for (uint32_t a = 0; a < P; a++)
	{
		uint32_t levels = count_cells(table, &a, 1, count);
		double aic = 2 * (double) levels - 2 * factorial_rest(ROWS);

		for (uint32_t k = 0; k < levels; k++)
			aic += 2 * factorial_rest(count[k]);
		score[a] = -(int64_t) floor(1024 * aic);
	}
}

/* Sum over the others of floor(1024 sum |n t - r c| / (2 n)). */
static void
dependence_scores(const UnitTable *table, int64_t *score)
{
	int64_t count[CELLS_MAX], row[CELLS_MAX], column[CELLS_MAX];

	memset(score, 0, P * sizeof(*score));
	for (uint32_t a = 0; a < P; a++)
		for (uint32_t b = a + 1; b < P; b++)
		{
			const uint32_t both[] = {a, b};
			int64_t sum = 0;

			(void) count_cells(table, &a, 1, row);
			(void) count_cells(table, &b, 1, column);
			for (uint32_t i = 0, cells = count_cells(table, both, 2, count); i < cells; i++)
				sum += llabs(ROWS * count[i] - row[i / sizes[b]] * column[i % sizes[b]]);
			score[a] += 1024 * sum / (2 * ROWS);
			score[b] += 1024 * sum / (2 * ROWS);
		}
}

/* Permute-and-flip: each flips a coin, heads with exp(-rate (best - score)); one of the heads. */
static void
choice_distribution(const int64_t *score, double rate, double *distribution)
{
	int64_t best = INT64_MIN;

	for (int a = 0; a < P; a++)
	{
		distribution[a] = 0;
		best = score[a] > best ? score[a] : best;
	}
	for (unsigned heads = 1; heads < 1U << P; heads++)
	{
		double probability = 1;

		for (int a = 0; a < P; a++)
		{
			double coin = exp(-rate * (double) (best - score[a]));

			probability *= heads >> a & 1 ? coin : 1 - coin;
		}
		for (int a = 0; a < P; a++)
			distribution[a] += heads >> a & 1 ? probability / __builtin_popcount(heads) : 0;
	}
}

/*
 * epsilon over twice the sensitivity, in the score's unit. One order: AIC moves by
 * 2 for each row of a unit, and 2/1024 for rounding, the dependence on two others by
 * 2 x 2, replaced by 2 x 3. Branches: by what a single row moves, with epsilon
 * divided by the rows that join or leave.
 */
static double
choice_rate(bool own, bool dependence, DpUnit unit, double epsilon)
{
	double k = unit.rows_max;
	bool replaced = unit.neighbours == DP_REPLACE_ONE;

	if (own)
		return epsilon / (replaced ? 2 * k : 1 * k) / (2 * (dependence ? 4096.0 : 2050.0));
	if (dependence)
		return epsilon / (2 * (replaced ? 6144.0 : 4096.0) * k);
	return epsilon / (2 * (2048.0 * k + 2));
}

static void
test_choice(bool own, bool dependence, UnitTable *table, DpUnit unit)
{
	DpBudget budget = {(own ? 4 : 2) * DP_EPSILON_ONE, 0, 0};
	uint64_t observed[P] = {0};
	int64_t score[P], each_nano = 0;
	double distribution[P], p;
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, unit_run.checks); /* draws of its own for each case */
	for (int i = 0; i < CHOICE_RELEASES; i++)
	{
		DpArena arena = dp_arena_malloc();
		UnitOptions options = {.lists = 0};
		UnitRelease release;

		unit_number(&options, "layers", "1");
		unit_number(&options, "selection_share", "0.5");
		unit_word(&options, "branches", own ? "own" : "common");
		unit_word(&options, "score", dependence ? "dependence" : "aic");
		MUST(unit_release(&release, "steps", table, unit, budget, &options.options, &rng, &arena));
		each_nano = is_selection(&release.plan.stage[0]) && release.plan.stage[0].tables == 1
						? release.plan.stage[0].each.epsilon_nano
						: 0;
		if (release.model.table[0].n == 1)
			observed[release.model.table[0].attribute[0]]++;
		dp_arena_malloc_free(&arena);
	}
	if (dependence)
		dependence_scores(table, score);
	else
		aic_scores(table, score);
	choice_distribution(score, choice_rate(own, dependence, unit, (double) each_nano * 1e-9),
						distribution);
	p = unit_chi_square_p(observed, distribution, P, CHOICE_RELEASES);
	unit_note("%s, %s, %s, %u rows a unit: %.3f %.3f %.3f where the law says %.3f %.3f %.3f",
			  own ? "own" : "common", dependence ? "dependence" : "aic",
			  unit.neighbours ? "replace" : "add/remove", unit.rows_max,
			  (double) observed[0] / CHOICE_RELEASES, (double) observed[1] / CHOICE_RELEASES,
			  (double) observed[2] / CHOICE_RELEASES, distribution[0], distribution[1],
			  distribution[2]);
	CHECK_I64(each_nano, budget.epsilon_nano / 2, "half of epsilon buys one choice");
	CHECK(p > UNIT_P_MIN, "the first attribute has the distribution of its score: p = %.2g", p);
}

int
main(void)
{
	static const Case cases[] = {
		{"sba", "sba", {"dense_cells", "1000"}, NULL, 1},
		{"sbhg", "sbhg", {"parents", "1"}, NULL, 3},
		{"steps", "steps", {NULL}, "c1 c0", 3},
		{"uh", "uh", {NULL}, NULL, 3},
		{"flat", "flat", {NULL}, NULL, 1},
		{"privbayes", "privbayes", {"parents", "1"}, NULL, 2},
	};
	DpArena arena = dp_arena_malloc();
	DpDomain domain = unit_domain(&arena, sizes, P);
	UnitTable table = fixed_table(&arena, &domain);

	for (int i = 0; i < 4; i++)
	{
		DpUnit unit = {i < 2 ? DP_ADD_REMOVE : DP_REPLACE_ONE, 1 + (uint32_t) i % 2};

		for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++)
			test_noise(&cases[c], &table, unit);
		for (int k = 0; k < 4; k++)
			test_choice(k / 2 == 1, k % 2 == 1, &table, unit);
	}
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
