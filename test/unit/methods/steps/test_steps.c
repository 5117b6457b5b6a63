/*
 * test_steps.c -- hierarchical trees: their privacy by enumeration of the whole release of a tiny
 * table, selection, branches, sparse layers, and that without noise the table comes back.
 *
 * Covers steps_nodes.c and steps_scores.c.
 */
#include "core/mechanism/disjoint.h"
#include "core/methods/registry.h"
#include "core/select/aic.h"
#include "core/methods/steps/steps_clusters.h"
#include "core/methods/steps/steps_plan.h"

#include "unit_data.h"
#include "unit_stat.h"

/* ---- the score ---- */

static void
test_aic(void)
{
	int64_t row_worst = 0, replaced_worst = 0, data_k_worst = 0;
	int64_t same[] = {5, 5}, skewed[] = {10, 0}, wide[] = {5, 5, 0, 0};
	DpUnit unit = {DP_REPLACE_ONE, 1};

	/* AIC of {5,5}: -2 ln(10!/(5! 5!) 2^-10) + 4 = 6.8044; of {10,0}: 0 + 4 */
	CHECK_NEAR((double) -dp_score_aic(same, 2) / DP_AIC_UNIT, 6.804417, 2e-3, "a fair coin");
	CHECK_NEAR((double) -dp_score_aic(skewed, 2) / DP_AIC_UNIT, 4, 2e-3, "one level has all");
	CHECK_NEAR((double) (dp_score_aic(same, 2) - dp_score_aic(wide, 4)) / DP_AIC_UNIT, 4, 2e-3,
			   "an empty level costs 2");
	for (int64_t a = 0; a <= 40; a++)
		for (int64_t b = 0; b <= 200; b = b < 40 ? b + 1 : b * 2)
		{
			int64_t here[] = {a, b}, more[] = {a + 1, b}, other[] = {a + 1, b - 1};
			int64_t score = dp_score_aic(here, 2);

			row_worst = llabs(dp_score_aic(more, 2) - score) > row_worst
							? llabs(dp_score_aic(more, 2) - score)
							: row_worst;
			if (b > 0 && llabs(dp_score_aic(other, 2) - score) > replaced_worst)
				replaced_worst = llabs(dp_score_aic(other, 2) - score);
			if (a == 0 && b > 0 &&
				llabs(dp_score_aic(more, 2) - dp_score_aic(&b, 1)) > data_k_worst)
				data_k_worst = llabs(dp_score_aic(more, 2) - dp_score_aic(&b, 1));
		}
	CHECK(row_worst <= dp_aic_row_sensitivity() && row_worst > 1024,
		  "a row moves it by %.3f at most", (double) row_worst / DP_AIC_UNIT);
	CHECK(replaced_worst <= dp_aic_sensitivity(&unit) && replaced_worst > 1024,
		  "a row replaced by %.3f", (double) replaced_worst / DP_AIC_UNIT);
	CHECK(data_k_worst > 3 * DP_AIC_UNIT, "with K from the data, as printed, by %.3f",
		  (double) data_k_worst / DP_AIC_UNIT);
}

/* ---- privacy of a whole release ---- */

/*
 * Two attributes of two levels, one layer above the last: 2 nodes and 4 cells.
 * Every output has a distribution that is a product over nodes, so that the worst ratio
 * between neighbours is the product of the worst ratios of nodes; what remains to
 * be enumerated is the selected order, which is summed over, and which the test
 * reads off as the attribute of the first table.
 */
typedef struct Split
{
	int64_t choose_nano;
	int64_t layer_nano;
	DpBudget cost;
} Split;

static Split
planned(DpArena *arena, const DpDomain *domain, DpUnit unit, DpBudget budget,
		const DpOptions *options)
{
	DpRequest request = {.domain = domain, .unit = unit, .budget = budget, .options = options};
	Split split;
	DpPlan plan;
	DpError error;

	MUST(dp_plan(dp_method_find("steps"), &request, &plan, arena, &error));
	split.choose_nano = plan.stage[0].each.epsilon_nano;
	split.layer_nano = plan.stage[1].each.epsilon_nano;
	split.cost = plan.cost;
	return split;
}

static int64_t
score_of(const int64_t *cells, int attribute)
{
	int64_t one_way[2];

	one_way[0] = attribute == 0 ? cells[0] + cells[1] : cells[0] + cells[2];
	one_way[1] = attribute == 0 ? cells[2] + cells[3] : cells[1] + cells[3];
	return dp_score_aic(one_way, 2);
}

/* P[attribute 0 is chosen] by permute-and-flip of two. As groups of one attribute, their scores are
 * the difference and its opposite, so the gap is twice as wide. */
static long double
chosen_first(const int64_t *cells, const Split *split, DpUnit unit, bool clusters)
{
	const DpStepsSelection selection = {.clusters = true};
	int64_t gap = (score_of(cells, 0) - score_of(cells, 1)) * (clusters ? 2 : 1);
	int64_t sensitivity =
		clusters ? dp_steps_cluster_sensitivity(&selection, &unit, 2) : dp_aic_sensitivity(&unit);
	long double coin = expl(-(long double) split->choose_nano * 1e-9L * (long double) llabs(gap) /
							(2 * (long double) sensitivity));

	return gap >= 0 ? 1 - coin / 2 : coin / 2;
}

/* Noise of a layer: the largest log ratio of any output is e0 times the L1 distance of counts. */
static long double
layers_ratio(const int64_t *d, const int64_t *e, int attribute, const Split *split, DpUnit unit)
{
	long double e0 = (long double) split->layer_nano * 1e-9L / (long double) dp_unit_l1(&unit);
	int64_t top[2] = {0, 0}, distance = 0;

	for (int i = 0; i < 4; i++)
	{
		int node = attribute == 0 ? i / 2 : i % 2;

		top[node] += d[i] - e[i];
		distance += llabs(d[i] - e[i]);
	}
	return e0 * (long double) (distance + llabs(top[0]) + llabs(top[1]));
}

static bool
neighbours(const int64_t *d, const int64_t *e, DpUnit unit)
{
	int64_t added = 0, removed = 0;

	for (int i = 0; i < 4; i++)
	{
		added += e[i] > d[i] ? e[i] - d[i] : 0;
		removed += d[i] > e[i] ? d[i] - e[i] : 0;
	}
	if (added > unit.rows_max || removed > unit.rows_max || added + removed == 0)
		return false;
	return unit.neighbours == DP_REPLACE_ONE || added == 0 || removed == 0;
}

static void
test_privacy(DpUnit unit, bool clusters)
{
	DpArena arena = dp_arena_malloc();
	const uint32_t levels[] = {2, 2};
	DpDomain domain = unit_domain(&arena, levels, 2);
	UnitOptions options = {.lists = 0};
	DpBudget budget = {DP_EPSILON_ONE, 0, 0};
	long double worst = 0;
	Split split;

	unit_number(&options, "layers", "1");
	unit_number(&options, "selection_share", "0.5");
	if (clusters)
		unit_word(&options, "branches", "clusters");
	split = planned(&arena, &domain, unit, budget, &options.options);
	for (int i = 0; i < 625; i++)
		for (int k = 0; k < 625; k++)
		{
			int64_t d[] = {i % 5, i / 5 % 5, i / 25 % 5, i / 125};
			int64_t e[] = {k % 5, k / 5 % 5, k / 25 % 5, k / 125};
			long double here, there;

			if (!neighbours(d, e, unit))
				continue;
			here = chosen_first(d, &split, unit, clusters);
			there = chosen_first(e, &split, unit, clusters);
			worst = fmaxl(worst, logl(here / there) + layers_ratio(d, e, 0, &split, unit));
			worst =
				fmaxl(worst, logl((1 - here) / (1 - there)) + layers_ratio(d, e, 1, &split, unit));
		}
	CHECK(worst <= (long double) split.cost.epsilon_nano * 1e-9L,
		  "%s, %u rows a unit, %s: the worst log ratio of a release is %.4Lf of 1",
		  unit.neighbours ? "replace" : "add/remove", unit.rows_max,
		  clusters ? "groups" : "an order", worst);
	CHECK(worst > 0.6L, "and the budget is used");
	dp_arena_malloc_free(&arena);
}

/* Disjoint choices: all score tables of two groups, against the worst change of one row, or two. */
static void
test_disjoint(DpUnit unit)
{
	const int64_t sensitivity = 2, epsilon_nano = DP_EPSILON_ONE;
	int64_t each = dp_disjoint_epsilon(epsilon_nano, unit);
	int64_t scores[] = {0, 1, 4, 0};
	uint32_t chosen[2];
	DpMeter meter;
	DpPrng prng;
	DpRng rng;
	uint64_t observed[4] = {0};
	double distribution[4], first, second;

	unit_fixed_rng(&rng, &prng, 5);
	for (int i = 0; i < 40000; i++)
	{
		dp_meter_init(&meter, dp_cost_pure(epsilon_nano));
		MUST(dp_select_disjoint(&(DpNoiseSource){.meter = &meter, .rng = &rng},
								&(DpDisjointScores){scores, 2, 2, sensitivity}, epsilon_nano, unit,
								chosen));
		observed[chosen[0] * 2 + chosen[1]]++;
	}
	CHECK_I64(meter.spent.epsilon_nano, epsilon_nano, "two groups are charged for once");
	first = exp(-(double) each * 1e-9 * 1 / (2 * sensitivity)) / 2;
	second = exp(-(double) each * 1e-9 * 4 / (2 * sensitivity)) / 2;
	distribution[0] = first * (1 - second);
	distribution[1] = first * second;
	distribution[2] = (1 - first) * (1 - second);
	distribution[3] = (1 - first) * second;
	CHECK(unit_chi_square_p(observed, distribution, 4, 40000) > UNIT_P_MIN,
		  "each group chooses with epsilon / %" PRId64, dp_unit_l1(&unit));
	CHECK_STATUS(dp_select_disjoint(&(DpNoiseSource){.meter = &meter, .rng = &rng},
									&(DpDisjointScores){scores, 2, 2, sensitivity}, epsilon_nano,
									unit, chosen),
				 DP_ERR_OVERDRAW, "and no more than was paid");
}

/* ---- releases ---- */

/* Dependent columns: the first decides much of the others, in ways that differ by branch. */
static UnitTable
dependent_table(DpArena *arena, const DpDomain *domain, uint32_t rows)
{
	UnitTable table = unit_table(arena, domain, rows);

	for (uint32_t i = 0; i < rows; i++)
		for (uint32_t a = 0; a < domain->attributes; a++)
		{
			uint32_t levels = domain->attribute[a].levels;
			uint32_t first = (i * i + i / 7) % domain->attribute[0].levels;

			table.code[a][i] = a == 0 ? first : (i % 3 == 0 ? i / 5 + a : first * a + 1) % levels;
		}
	return table;
}

static uint64_t
cell_of(const DpDomain *domain, const uint32_t *codes)
{
	uint64_t cell = 0;

	for (uint32_t a = 0; a < domain->attributes; a++)
		cell = cell * domain->attribute[a].levels + codes[a];
	return cell;
}

/* Total variation distance between the table and rows drawn from the release. */
static double
distance(const UnitRelease *release, const UnitTable *table, DpArena *arena, uint32_t rows)
{
	const DpDomain *domain = &release->model.domain;
	uint32_t p = domain->attributes;
	uint32_t all[UNIT_COLUMNS_MAX], row[UNIT_COLUMNS_MAX];
	uint32_t *codes = unit_draw(release, arena, rows, 7);
	uint64_t cells;
	double *difference, sum = 0;

	for (uint32_t a = 0; a < p; a++)
		all[a] = a;
	cells = dp_domain_cells(domain, all, p);
	difference = dp_alloc(arena, cells, sizeof(double));
	for (uint32_t i = 0; i < rows; i++)
		difference[cell_of(domain, codes + (size_t) i * p)] += 1.0 / rows;
	for (uint32_t i = 0; i < table->rows; i++)
	{
		for (uint32_t a = 0; a < p; a++)
			row[a] = table->code[a][i];
		difference[cell_of(domain, row)] -= 1.0 / table->rows;
	}
	for (uint64_t i = 0; i < cells; i++)
		sum += fabs(difference[i]) / 2;
	return sum;
}

typedef struct Case
{
	const char *name;
	const char *method;
	const char *number[4][2]; /* options */
	const char *word[2][2];
	const char *order;
	unsigned scans;
	uint32_t stages;
} Case;

static void
set_options(const Case *c, UnitOptions *options, DpArena *arena)
{
	for (int i = 0; i < 4 && c->number[i][0] != NULL; i++)
		unit_number(options, c->number[i][0], c->number[i][1]);
	for (int i = 0; i < 2 && c->word[i][0] != NULL; i++)
		unit_word(options, c->word[i][0], c->word[i][1]);
	if (c->order != NULL)
	{
		unit_add_option(options, "column_order", DP_VALUE_LIST);
		unit_list(options, arena, NULL, c->order);
	}
}

/* With an epsilon that hides nothing the whole table comes back, whatever the tree. */
static void
test_case(const Case *c)
{
	DpArena arena = dp_arena_malloc();
	const uint32_t levels[] = {4, 3, 2, 5};
	DpDomain domain = unit_domain(&arena, levels, 4);
	UnitTable table = dependent_table(&arena, &domain, 3000);

	for (int neighbours_kind = DP_ADD_REMOVE; neighbours_kind <= DP_REPLACE_ONE; neighbours_kind++)
	{
		UnitOptions options = {.lists = 0};
		UnitRelease release;
		DpModel parsed;
		unsigned char *bytes;
		size_t length;
		DpPrng prng;
		DpRng rng;

		unit_fixed_rng(&rng, &prng, 3);
		table.scans = 0;
		set_options(c, &options, &arena);
		MUST(unit_release(&release, c->method, &table, (DpUnit){(DpNeighbours) neighbours_kind, 1},
						  (DpBudget){100000 * DP_EPSILON_ONE, 0, 0}, &options.options, &rng,
						  &arena));
		CHECK(table.scans == c->scans && release.plan.scans == c->scans &&
				  release.plan.stages == c->stages,
			  "%s: %u scans, %u stages", c->name, c->scans, c->stages);
		CHECK(release.meter.spent.epsilon_nano <= 100000 * DP_EPSILON_ONE &&
				  release.meter.spent.epsilon_nano > 99999 * DP_EPSILON_ONE,
			  "all of the budget is spent");
		CHECK_I64(release.model.rows, 3000, "the rows are known");
		CHECK_NEAR(distance(&release, &table, &arena, 200000), 0, 0.02, "the table comes back");
		MUST(dp_model_serialise(&release.model, &bytes, &length, &arena, &release.error));
		CHECK_OK(dp_model_parse(bytes, length, &parsed, &arena, &release.error), "as bytes, too");
		release.model = parsed;
		MUST(release.plan.method->sampler->prepare(&release.model, &release.sampler, NULL, &arena,
												   &release.error));
		CHECK_NEAR(distance(&release, &table, &arena, 200000), 0, 0.02, "which draw the same");
	}
	dp_arena_malloc_free(&arena);
}

static void
test_cases(void)
{
	static const Case cases[] = {
		{"public order", "steps", {{0}}, {{0}}, "c1 c0", 1, 3},
		{"all columns in layers", "steps", {{"layers", "4"}}, {{0}}, "c3 c1 c0 c2", 1, 4},
		{"wide layers",
		 "steps",
		 {{"layers", "2"}, {"layer_width", "2"}},
		 {{0}},
		 "c3 c1 c0 c2",
		 1,
		 2},
		{"selected order", "steps", {{0}}, {{0}}, NULL, 2, 4},
		{"by dependence", "steps", {{0}}, {{"score", "dependence"}}, NULL, 2, 4},
		{"branches", "steps", {{0}}, {{"branches", "own"}}, NULL, 3, 4},
		{"three layers of branches",
		 "steps",
		 {{"layers", "3"}},
		 {{"branches", "own"}, {"score", "dependence"}},
		 NULL,
		 4,
		 5},
		{"wide branches",
		 "steps",
		 {{"layers", "1"}, {"layer_width", "2"}},
		 {{"branches", "own"}},
		 NULL,
		 2,
		 3},
		{"branches over a sparse layer",
		 "steps",
		 {{"dense_cells", "60"}},
		 {{"branches", "own"}},
		 NULL,
		 3,
		 4},
		{"sparse layers",
		 "steps",
		 {{"dense_cells", "5"}, {"layers", "4"}},
		 {{0}},
		 "c3 c1 c0 c2",
		 1,
		 4},
		{"uh", "uh", {{0}}, {{0}}, NULL, 1, 4},
		{"uh with a sparse layer", "uh", {{"dense_cells", "100"}}, {{0}}, NULL, 1, 4},
		{"flat", "flat", {{0}}, {{0}}, NULL, 1, 1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		test_case(&cases[i]);
}

/* One sparse table: under add/remove the rows must be bought. */
static void
test_sparse_flat(void)
{
	DpArena arena = dp_arena_malloc();
	const uint32_t levels[] = {4, 3, 2, 5};
	DpDomain domain = unit_domain(&arena, levels, 4);
	UnitTable table = dependent_table(&arena, &domain, 3000);
	UnitOptions options = {.lists = 0};
	UnitRelease release;
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, 3);
	unit_number(&options, "dense_cells", "0");
	MUST(unit_release(&release, "flat", &table, (DpUnit){DP_ADD_REMOVE, 1},
					  (DpBudget){1000 * DP_EPSILON_ONE, 0, 0}, &options.options, &rng, &arena));
	CHECK(release.plan.stages == 2 && release.model.tables == 2 &&
			  release.plan.stage[1].threshold_rows >= 1 && release.plan.stage[1].cells == 120,
		  "row count and one sparse histogram of 120 cells");
	CHECK(release.model.table[0].noise == DP_NOISE_SPARSE && release.model.table[1].n == 0 &&
			  release.model.rows == 3000,
		  "as planned");
	CHECK_NEAR(distance(&release, &table, &arena, 200000), 0, 0.02, "the table comes back");
	dp_arena_malloc_free(&arena);
}

/* 10^12 cells: the cost is that of rows, and random cells are as many as the plan says. */
static void
test_huge(void)
{
	const uint32_t levels[] = {1000, 1000, 1000, 1000};
	DpUnit unit = {DP_ADD_REMOVE, 1};
	UnitOptions options = {.lists = 0};
	double expected = 0, seen = 0;
	uint64_t bytes_max = 0;
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, 11);
	unit_number(&options, "no_false_positives", "0.000000002");
	for (int i = 0; i < 20; i++)
	{
		DpArena arena = dp_arena_malloc();
		DpDomain domain = unit_domain(&arena, levels, 4);
		UnitTable table = unit_table(&arena, &domain, 2000); /* all in one cell */
		UnitRelease release;

		MUST(unit_release(&release, "flat", &table, unit, (DpBudget){DP_EPSILON_ONE, 0, 0},
						  &options.options, &rng, &arena));
		expected += release.plan.stage[1].false_positives;
		seen += (double) release.model.table[0].cells - 1;
		bytes_max = arena.bytes_used > bytes_max ? arena.bytes_used : bytes_max;
		CHECK(release.plan.memory_bytes > 0 &&
				  release.model.table[0].threshold_rows == release.plan.stage[1].threshold_rows,
			  "the threshold is the planned one");
		dp_arena_malloc_free(&arena);
	}
	CHECK_NEAR(seen, expected, 5 * sqrt(expected), "%.0f random cells where the plan says %.1f",
			   seen, expected);
	CHECK(bytes_max < 4000000, "in %.1f MB", (double) bytes_max / 1e6);
}

/* ---- errors ---- */

static DpStatus
plan_status(DpArena *arena, const DpDomain *domain, const char *method, const UnitOptions *options,
			int64_t epsilon_nano, DpError *error)
{
	DpRequest request = {.domain = domain,
						 .unit = {DP_ADD_REMOVE, 1},
						 .budget = {epsilon_nano, 0, 0},
						 .options = &options->options};
	DpPlan plan;

	return dp_plan(dp_method_find(method), &request, &plan, arena, error);
}

static void
test_errors(void)
{
	DpArena arena = dp_arena_malloc();
	const uint32_t levels[] = {4, 3, 2, 5};
	uint32_t many[UNIT_COLUMNS_MAX];
	DpDomain domain = unit_domain(&arena, levels, 4), wide;
	UnitOptions options = {.lists = 0};
	DpError error;

	unit_add_option(&options, "column_order", DP_VALUE_LIST);
	unit_list(&options, &arena, NULL, "c1 nobody");
	CHECK_STATUS(plan_status(&arena, &domain, "steps", &options, DP_EPSILON_ONE, &error),
				 DP_ERR_UNDEFINED, "an order names a column that is not there");
	options = (UnitOptions){.lists = 0};
	unit_add_option(&options, "groups", DP_VALUE_MAP);
	unit_list(&options, &arena, "1", "c1");
	unit_list(&options, &arena, "3", "c2");
	CHECK_STATUS(plan_status(&arena, &domain, "steps", &options, DP_EPSILON_ONE, &error),
				 DP_ERR_ARGUMENT, "a layer is missing");
	options = (UnitOptions){.lists = 0};
	unit_add_option(&options, "groups", DP_VALUE_MAP);
	unit_list(&options, &arena, "2", "c1 c3");
	unit_list(&options, &arena, "1", "c2");
	CHECK_OK(plan_status(&arena, &domain, "steps", &options, DP_EPSILON_ONE, &error),
			 "layers in any order of writing");
	options = (UnitOptions){.lists = 0};
	CHECK_STATUS(plan_status(&arena, &domain, "steps", &options, 10, &error), DP_ERR_ARGUMENT,
				 "an epsilon that is too small");
	for (int i = 0; i < UNIT_COLUMNS_MAX; i++)
		many[i] = 30;
	wide = unit_domain(&arena, many, 20);
	CHECK_STATUS(plan_status(&arena, &wide, "flat", &options, DP_EPSILON_ONE, &error), DP_ERR_LIMIT,
				 "30^20 cells");
	CHECK(strstr(error.hint, "columns") != NULL, "the hint names the way out");
	unit_word(&options, "branches", "own");
	unit_number(&options, "layers", "6");
	wide = unit_domain(&arena, many, 8);
	CHECK_STATUS(plan_status(&arena, &wide, "steps", &options, DP_EPSILON_ONE, &error),
				 DP_ERR_LIMIT, "a tree of branches that is too large");
	dp_arena_malloc_free(&arena);
}

/* A model whose structure does not fit its tables is refused. */
static void
test_corrupt(void)
{
	DpArena arena = dp_arena_malloc();
	const uint32_t levels[] = {4, 3, 2, 5};
	DpDomain domain = unit_domain(&arena, levels, 4);
	UnitTable table = dependent_table(&arena, &domain, 100);
	UnitOptions options = {.lists = 0};
	UnitRelease release;
	bool refused = true;
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, 3);
	unit_word(&options, "branches", "own");
	MUST(unit_release(&release, "steps", &table, (DpUnit){DP_ADD_REMOVE, 1},
					  (DpBudget){10 * DP_EPSILON_ONE, 0, 0}, &options.options, &rng, &arena));
	for (uint32_t i = 0; i < release.model.structure_n; i++)
	{
		uint32_t held = release.model.structure[i];

		for (uint32_t wrong = 0; wrong < 20; wrong++)
		{
			DpStatus status;

			release.model.structure[i] = wrong;
			status = release.plan.method->sampler->prepare(&release.model, &release.sampler, NULL,
														   &arena, &release.error);
			refused = refused && (status == DP_ERR_CORRUPT || status == DP_OK) &&
					  (wrong < 4 || wrong == held || status == DP_ERR_CORRUPT);
		}
		release.model.structure[i] = held;
	}
	release.model.structure_n--;
	refused =
		refused && release.plan.method->sampler->prepare(&release.model, &release.sampler, NULL,
														 &arena, &release.error) == DP_ERR_CORRUPT;
	CHECK(refused, "a structure that does not fit is refused");
	dp_arena_malloc_free(&arena);
}

int
main(void)
{
	test_aic();
	for (uint32_t rows_max = 1; rows_max <= 2; rows_max++)
	{
		for (int clusters = 0; clusters < 2; clusters++)
		{
			test_privacy((DpUnit){DP_ADD_REMOVE, rows_max}, clusters);
			test_privacy((DpUnit){DP_REPLACE_ONE, rows_max}, clusters);
		}
		test_disjoint((DpUnit){DP_ADD_REMOVE, rows_max});
		test_disjoint((DpUnit){DP_REPLACE_ONE, rows_max});
	}
	test_cases();
	test_sparse_flat();
	test_huge();
	test_errors();
	test_corrupt();
	return unit_finish();
}
