/*
 * test_privbayes.c -- the score of several parents, the distribution and the privacy of
 * a whole release of a tiny table, and what comes out of larger ones.
 */
#include "core/base/index_list.h"
#include "core/select/pairs.h"
#include "core/methods/privbayes/network.h"
#include "core/methods/registry.h"
#include "core/select/subsets.h"

#include "unit_data.h"
#include "unit_stat.h"

/* ---- sets ---- */

static void
test_subsets(DpArena *arena)
{
	uint32_t levels[6] = {2, 3, 4, 2, 5, 3};
	DpDomain domain = unit_domain(arena, levels, 6);
	bool seen[20] = {false}, once = true;

	CHECK(dp_combinations(13, 3) == 286 && dp_combinations(3, 4) == 0 &&
			  dp_combinations(5, 0) == 1 && dp_combinations(1600, 1500) == UINT64_MAX,
		  "binomial coefficients");
	for (uint32_t a = 0; a < 6; a++)
		for (uint32_t b = a + 1; b < 6; b++)
			for (uint32_t c = b + 1; c < 6; c++)
			{
				uint32_t member[] = {a, b, c};
				uint64_t rank = dp_subset_rank(member, 3);

				once = once && rank < 20 && !seen[rank];
				seen[rank < 20 ? rank : 0] = true;
			}
	CHECK(once, "each set of three has a number of its own below 6 over 3");
	CHECK_I64(dp_subsets_total(6, 3), 35, "sets of two and three");
	CHECK_I64(dp_subsets_cost_estimate(&domain, 3, 100).scans, 1, "all of them in one scan");
}

/* ---- the score ---- */

/* The table of three attributes with 2 levels each, and the third's dependence on the pair. */
static int64_t
score_of(DpArena *arena, const int64_t *cells, uint32_t n, uint32_t position)
{
	uint32_t attribute[] = {0, 1, 2}, levels[] = {2, 2, 2};
	int64_t dense[8], score;
	DpMarginal table = {.arena = arena,
						.n = n,
						.attribute = attribute,
						.levels = levels,
						.storage = DP_DENSE,
						.cells = UINT64_C(1) << n,
						.dense = dense};

	for (uint64_t i = 0; i < table.cells; i++)
		table.total += dense[i] = cells[i];
	MUST(dp_dependence_on_rest(&table, position, &score, arena));
	return score;
}

static void
test_score(DpArena *arena)
{
	int64_t row_worst = 0, replaced_worst = 0;
	int64_t equal[8] = {50, 0, 0, 50, 0, 50, 50, 0}; /* the third is the sum of the others */
	DpPrng prng;

	CHECK_I64(score_of(arena, equal, 3, 2), 100 * DP_DEPENDENCE_UNIT,
			  "n R of a parity, which no pair shows: n/2 rows of 200");
	dp_prng_seed(&prng, (DpStream){1, 2, 3});
	for (int i = 0; i < 20000; i++)
	{
		int64_t cells[8], here, more, other;
		uint64_t a = dp_prng_below(&prng, 8), b = dp_prng_below(&prng, 8);

		for (int k = 0; k < 8; k++)
			cells[k] = (int64_t) dp_prng_below(&prng, dp_prng_below(&prng, 4) == 0 ? 30 : 2);
		cells[b]++;
		here = score_of(arena, cells, 3, 1);
		cells[a]++;
		more = score_of(arena, cells, 3, 1);
		cells[b]--;
		other = score_of(arena, cells, 3, 1);
		row_worst = llabs(more - here) > row_worst ? llabs(more - here) : row_worst;
		replaced_worst =
			llabs(other - here) > replaced_worst ? llabs(other - here) : replaced_worst;
	}
	CHECK(row_worst <= dp_dependence_sensitivity(&(DpUnit){DP_ADD_REMOVE, 1}) &&
			  row_worst > DP_DEPENDENCE_UNIT / 2,
		  "a row moves it by %.3f at most", (double) row_worst / DP_DEPENDENCE_UNIT);
	CHECK(replaced_worst <= dp_dependence_sensitivity(&(DpUnit){DP_REPLACE_ONE, 1}) &&
			  replaced_worst > DP_DEPENDENCE_UNIT / 2,
		  "a row replaced by %.3f", (double) replaced_worst / DP_DEPENDENCE_UNIT);
}

/* ---- privacy of a whole release: three binary attributes, degree 1 ---- */

#define TABLES 6561 /* 3^8: each cell of the joint holds 0, 1 or 2 rows */

typedef struct Joint
{
	int64_t cell[8];
	int64_t pair[3][4]; /* (0,1), (0,2), (1,2) */
	int64_t score[3];
} Joint;

static int
pair_of(int a, int b)
{
	return a + b - 1;
}

static void
fill_joint(DpArena *arena, Joint *joint, int number)
{
	for (int i = 0; i < 8; i++, number /= 3)
	{
		int code[] = {i / 4, i / 2 % 2, i % 2};

		joint->cell[i] = number % 3;
		for (int a = 0; a < 3; a++)
			for (int b = a + 1; b < 3; b++)
				joint->pair[pair_of(a, b)][code[a] * 2 + code[b]] += joint->cell[i];
	}
	for (int k = 0; k < 3; k++)
		joint->score[k] = score_of(arena, joint->pair[k], 2, 0);
}

/* Permute-and-flip: P[the first of two]. */
static long double
choose_first(int64_t first, int64_t second, long double epsilon, long double sensitivity)
{
	long double coin = expl(-epsilon * (long double) llabs(first - second) / (2 * sensitivity));

	return first >= second ? 1 - coin / 2 : coin / 2;
}

/* P[second child is b, third's parent is first or b], given that the first is a. */
static long double
network_distribution(const Joint *joint, int a, int b, bool parent_first, long double epsilon,
					 long double sensitivity)
{
	int c = 3 - a - b;
	long double second =
		choose_first(joint->score[pair_of(a < b ? a : b, a < b ? b : a)],
					 joint->score[pair_of(a < c ? a : c, a < c ? c : a)], epsilon, sensitivity);
	long double third =
		choose_first(joint->score[pair_of(a < c ? a : c, a < c ? c : a)],
					 joint->score[pair_of(b < c ? b : c, b < c ? c : b)], epsilon, sensitivity);

	return second * (parent_first ? third : 1 - third);
}

static int64_t
distance_of(const int64_t *d, const int64_t *e)
{
	int64_t distance = 0;

	for (int i = 0; i < 4; i++)
		distance += llabs(d[i] - e[i]);
	return distance;
}

static long double
worst_ratio(const Joint *d, const Joint *e, long double select, long double each, DpUnit unit)
{
	long double sensitivity = (long double) dp_dependence_sensitivity(&unit), worst = 0;
	long double e0 = each / (long double) dp_unit_l1(&unit);

	for (int i = 0; i < 12; i++)
	{
		int a = i % 3, b = (a + 1 + i / 3 % 2) % 3, c = 3 - a - b;
		bool first = i / 6 == 0;
		int second = pair_of(a < b ? a : b, a < b ? b : a), with = first ? a : b;
		int third = pair_of(with < c ? with : c, with < c ? c : with);
		long double ratio = logl(network_distribution(d, a, b, first, select, sensitivity) /
								 network_distribution(e, a, b, first, select, sensitivity));

		ratio += e0 * (long double) (distance_of(d->pair[second], e->pair[second]) +
									 distance_of(d->pair[third], e->pair[third]));
		worst = fmaxl(worst, ratio);
	}
	return worst;
}

static DpPlan
plan_tiny(DpArena *arena, const DpDomain *domain, DpUnit unit, DpRequest *request,
		  UnitOptions *options)
{
	DpPlan plan;
	DpError error;

	unit_number(options, "parents", "1");
	*request = (DpRequest){.domain = domain,
						   .unit = unit,
						   .budget = {DP_EPSILON_ONE, 0, 0},
						   .options = &options->options};
	MUST(dp_plan(dp_method_find("privbayes"), request, &plan, arena, &error));
	return plan;
}

static void
test_privacy(Joint *joint, DpUnit unit)
{
	DpArena arena = dp_arena_malloc();
	uint32_t levels[] = {2, 2, 2};
	DpDomain domain = unit_domain(&arena, levels, 3);
	UnitOptions options = {.lists = 0};
	DpRequest request;
	DpPlan plan = plan_tiny(&arena, &domain, unit, &request, &options);
	long double select = (long double) plan.stage[0].each.epsilon_nano * 1e-9L;
	/*
	 * the plan counts one table a column; here the first is contained in the second, so two are
	 * released
	 */
	long double each = (long double) plan.stage[1].total.epsilon_nano / 2 * 1e-9L, worst = 0;
	int power[8] = {1, 3, 9, 27, 81, 243, 729, 2187};

	for (int i = 0; i < TABLES; i++)
		for (int k = 0; k < 8; k++)
		{
			if (joint[i].cell[k] == 2)
				continue;
			if (unit.neighbours == DP_ADD_REMOVE)
			{
				int j = i + power[k];

				worst = fmaxl(worst, worst_ratio(&joint[i], &joint[j], select, each, unit));
				worst = fmaxl(worst, worst_ratio(&joint[j], &joint[i], select, each, unit));
				continue;
			}
			for (int other = 0; other < 8; other++)
				if (other != k && joint[i].cell[other] > 0)
					worst = fmaxl(worst, worst_ratio(&joint[i], &joint[i + power[k] - power[other]],
													 select, each, unit));
		}
	CHECK(worst <= 1.0L, "%s: the worst log ratio of a release is %.4Lf of 1",
		  unit.neighbours ? "replace" : "add/remove", worst);
	CHECK(worst > 0.7L, "and the budget is used");
	dp_arena_malloc_free(&arena);
}

/* Releases follow the distribution of networks that was enumerated. */
static void
test_distribution(const Joint *joint)
{
	uint32_t levels[] = {2, 2, 2};
	uint64_t observed[12] = {0};
	double distribution[12];
	DpUnit unit = {DP_REPLACE_ONE, 1};
	long double sensitivity = (long double) dp_dependence_sensitivity(&unit), select = 0;
	const int releases = 6000;
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, 21);
	for (int r = 0; r < releases; r++)
	{
		DpArena arena = dp_arena_malloc();
		DpDomain domain = unit_domain(&arena, levels, 3);
		UnitTable table = unit_table(&arena, &domain, 16);
		UnitOptions options = {.lists = 0};
		UnitRelease release;
		uint32_t row = 0;
		int first;

		for (uint32_t i = 0; i < 8; i++)
			for (int64_t k = 0; k < joint->cell[i]; k++, row++)
				for (uint32_t a = 0; a < 3; a++)
					table.code[a][row] = i >> (2 - a) & 1;
		table.rows = row;
		unit_number(&options, "parents", "1");
		MUST(unit_release(&release, "privbayes", &table, unit,
						  (DpBudget){20 * DP_EPSILON_ONE, 0, 0}, &options.options, &rng, &arena));
		select = (long double) release.plan.stage[0].each.epsilon_nano * 1e-9L;
		first = (int) release.model.table[0].attribute[0];
		observed[first * 4 +
				 (release.model.table[0].attribute[1] == (uint32_t) (first + 1) % 3) * 2 +
				 (release.model.table[1].attribute[0] == (uint32_t) first)]++;
		dp_arena_malloc_free(&arena);
	}
	for (int a = 0; a < 3; a++)
		for (int next = 0; next < 2; next++)
			for (int parent = 0; parent < 2; parent++)
				distribution[a * 4 + next * 2 + parent] =
					(double) network_distribution(joint, a, (a + (next ? 1 : 2)) % 3, parent,
												  select, sensitivity) /
					3;
	CHECK(unit_chi_square_p(observed, distribution, 12, (uint64_t) releases) > UNIT_P_MIN,
		  "the networks of %d releases follow the enumerated law", releases);
}

/* ---- larger tables ---- */

/* c0 free; c1 by c0; c2 by both; c3 by c2; c4 free: a network of degree 2. */
static UnitTable
network_table(DpArena *arena, const DpDomain *domain, uint32_t rows)
{
	UnitTable table = unit_table(arena, domain, rows);
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){9, 9, 9});
	for (uint32_t i = 0; i < rows; i++)
	{
		uint32_t c0 = (uint32_t) dp_prng_below(&prng, 3);
		uint32_t c1 = dp_prng_below(&prng, 4) == 0 ? 1 : c0 % 2;
		uint32_t c2 = dp_prng_below(&prng, 5) == 0 ? 2 : (c0 + c1) % 3;
		uint32_t c3 = dp_prng_below(&prng, 6) == 0 ? 3 : c2;

		table.code[0][i] = c0;
		table.code[1][i] = c1;
		table.code[2][i] = c2;
		table.code[3][i] = c3;
		table.code[4][i] = (uint32_t) dp_prng_below(&prng, 2);
	}
	return table;
}

static double
distance(const UnitRelease *release, const UnitTable *table, DpArena *arena)
{
	const uint32_t rows = 200000, stride[] = {48, 24, 8, 2, 1};
	uint32_t *codes = unit_draw(release, arena, rows, 7);
	double difference[144] = {0}, sum = 0;

	for (uint32_t i = 0; i < rows; i++)
	{
		uint32_t cell = 0;

		for (uint32_t a = 0; a < 5; a++)
			cell += codes[i * 5 + a] * stride[a];
		difference[cell] += 1.0 / rows;
	}
	for (uint32_t i = 0; i < table->rows; i++)
	{
		uint32_t cell = 0;

		for (uint32_t a = 0; a < 5; a++)
			cell += table->code[a][i] * stride[a];
		difference[cell] -= 1.0 / table->rows;
	}
	for (int i = 0; i < 144; i++)
		sum += fabs(difference[i]) / 2;
	return sum;
}

static void
test_releases(DpArena *arena)
{
	uint32_t levels[] = {3, 2, 3, 4, 2};
	DpDomain domain = unit_domain(arena, levels, 5);
	UnitTable table = network_table(arena, &domain, 20000);
	DpUnit unit = {DP_ADD_REMOVE, 1};
	DpBudget budget = {10000 * DP_EPSILON_ONE, 0, 0};
	const char *degree[] = {"0", "1", "2", "4"};
	double error[4];
	UnitRelease release;
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, 3);
	for (int i = 0; i < 4; i++)
	{
		UnitOptions options = {.lists = 0};

		table.scans = 0;
		unit_number(&options, "parents", degree[i]);
		MUST(unit_release(&release, "privbayes", &table, unit, budget, &options.options, &rng,
						  arena));
		error[i] = distance(&release, &table, arena);
		CHECK(table.scans == release.plan.scans && table.scans == (i == 0 ? 1 : 2),
			  "degree %s: %u scans, as planned", degree[i], table.scans);
		CHECK_I64(release.model.tables, i == 0 ? 5 : 5 - (i == 3 ? 4 : i), "and so many tables");
		CHECK(release.meter.spent.epsilon_nano > budget.epsilon_nano * 99 / 100 || i == 0,
			  "all of the budget is spent");
		CHECK(release.model.rows == 20000, "the tables tell the rows");
	}
	unit_note("tvd by degree: %.3f %.3f %.3f %.3f", error[0], error[1], error[2], error[3]);
	CHECK(error[2] < 0.02 && error[3] < 0.02, "a network of degree 2 is found, and all of a table");
	CHECK(error[0] > 0.3 && error[1] > 0.02, "which fewer parents cannot say");
}

static void
test_public_network(DpArena *arena)
{
	uint32_t levels[] = {3, 2, 3, 4, 2};
	DpDomain domain = unit_domain(arena, levels, 5);
	UnitTable table = network_table(arena, &domain, 20000);
	UnitOptions options = {.lists = 0};
	UnitRelease release;
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, 3);
	unit_add_option(&options, "network", DP_VALUE_MAP);
	unit_list(&options, arena, "c3", "c2");
	unit_list(&options, arena, "c2", "c0 c1");
	unit_list(&options, arena, "c1", "c0");
	unit_list(&options, arena, "c0", "");
	unit_list(&options, arena, "c4", "");
	MUST(unit_release(&release, "privbayes", &table, (DpUnit){DP_ADD_REMOVE, 1},
					  (DpBudget){10000 * DP_EPSILON_ONE, 0, 0}, &options.options, &rng, arena));
	CHECK(release.plan.stages == 1 && release.plan.scans == 1 && release.plan.stage[0].cells > 0 &&
			  distance(&release, &table, arena) < 0.02,
		  "a public network costs nothing");
	options.list[0].name[0] = "c3";
	CHECK_STATUS(unit_release(&release, "privbayes", &table, (DpUnit){DP_ADD_REMOVE, 1},
							  (DpBudget){DP_EPSILON_ONE, 0, 0}, &options.options, &rng, arena),
				 DP_ERR_ARGUMENT, "a column cannot depend on itself");
	options.list[0].name[0] = "c2";
	options.list[3].n = 1;
	options.list[3].name = options.list[0].name;
	CHECK_STATUS(unit_release(&release, "privbayes", &table, (DpUnit){DP_ADD_REMOVE, 1},
							  (DpBudget){DP_EPSILON_ONE, 0, 0}, &options.options, &rng, arena),
				 DP_ERR_ARGUMENT, "nor in a circle");
}

/* ---- the theta rule ---- */

static void
test_degree(DpArena *arena)
{
	uint32_t levels[16];
	DpDomain domain;
	bool rule = true;

	for (int i = 0; i < 16; i++)
		levels[i] = 2;
	domain = unit_domain(arena, levels, 16);
	for (int64_t rows = 100; rows < 10000000; rows *= 3)
	{
		uint32_t k = dp_network_degree(6, &domain, rows, (DpLaplace){700000000, 2}, 4);
		uint32_t paper = 0;

		for (uint32_t d = 1; d <= 6; d++)
			if ((double) rows * 0.7 / ((16 - d) * pow(2, d + 2)) >= 4)
				paper = d;
		rule = rule && k == paper;
	}
	CHECK(rule, "binary attributes, replacement: the paper's rule");
	CHECK(dp_network_degree(6, &domain, 0, (DpLaplace){1, 2}, 4) == 0, "no rows, no parents");
}

static void
test_chosen_degree(DpArena *arena)
{
	uint32_t levels[] = {3, 2, 3, 4, 2};
	DpDomain domain = unit_domain(arena, levels, 5);
	UnitTable table = network_table(arena, &domain, 20000);
	UnitOptions options = {.lists = 0};
	UnitRelease release;
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, 3);
	for (int neighbours = DP_ADD_REMOVE; neighbours <= DP_REPLACE_ONE; neighbours++)
	{
		bool bought = neighbours == DP_ADD_REMOVE;

		table.scans = 0;
		MUST(unit_release(&release, "privbayes", &table, (DpUnit){(DpNeighbours) neighbours, 1},
						  (DpBudget){DP_EPSILON_ONE, 0, 0}, &options.options, &rng, arena));
		CHECK(release.plan.stages == (bought ? 3u : 2u) && table.scans == 3 &&
				  release.plan.scans == 3,
			  "no degree: the rows are %s", bought ? "bought" : "public");
		CHECK(release.model.table[0].n > 2, "and allow for more than one parent");
		CHECK((release.model.table[release.model.tables - 1].n == 0) == bought,
			  "what was bought is kept");
		CHECK_NEAR(distance(&release, &table, arena), 0, 0.12, "the release is useful");
		MUST(unit_release(&release, "privbayes", &table, (DpUnit){(DpNeighbours) neighbours, 1},
						  (DpBudget){DP_EPSILON_ONE / 10000, 0, 0}, &options.options, &rng, arena));
		CHECK(release.model.tables == 5 + (uint32_t) bought, "next to no epsilon: no parents");
	}
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();
	Joint *joint = dp_alloc(&arena, TABLES, sizeof(*joint));

	test_subsets(&arena);
	test_score(&arena);
	for (int i = 0; i < TABLES; i++)
		fill_joint(&arena, &joint[i], i);
	test_privacy(joint, (DpUnit){DP_ADD_REMOVE, 1});
	test_privacy(joint, (DpUnit){DP_REPLACE_ONE, 1});
	test_distribution(&joint[4 + 9 * 2 + 729 + 2187]);
	test_releases(&arena);
	test_public_network(&arena);
	test_degree(&arena);
	test_chosen_degree(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
