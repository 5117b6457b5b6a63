/*
 * test_cathist_exact.c -- CatHist by enumeration: what method histogram releases
 * of a tiny domain has the distribution of the proof, from values to labels; this distribution
 * keeps epsilon between all neighbours, under both relations; and what the paper gets wrong, and
 * other ways to get it wrong, does not, by the very same check.
 */
#include "core/methods/registry.h"

#include "unit_data.h"
#include "unit_sparse.h"

#define OUTCOMES (VALUES * VALUES * VALUES)
#define COUNT_MAX 2
#define TABLES ((COUNT_MAX + 1) * (COUNT_MAX + 1) * (COUNT_MAX + 1))

/* ---- the code follows the distribution ---- */

typedef struct Release
{
	int64_t counts[CELLS];
	int64_t outside; /* rows with values that are not in the domain */
	DpUnit unit;
	int64_t epsilon_nano;
	DpSparseRule rule;
} Release;

static const char *values[CELLS] = {"v1", "v3", "v7"};

/* An outcome as a number, by the labels of the model; -1 for what cannot be. */
static int
outcome_of(const DpModel *model, int64_t threshold)
{
	const DpTable *table = &model->table[0];
	int value[CELLS] = {0}, code = 0;

	for (uint64_t i = 0; i < table->cells; i++)
	{
		int64_t above = table->value[i] - threshold;
		int cell = 0;

		if (above < 0 || table->code[i] >= model->domain.attribute[0].labels_n)
			return -1;
		while (cell < CELLS &&
			   strcmp(model->domain.attribute[0].labels[table->code[i]], values[cell]) != 0)
			cell++;
		if (cell == CELLS || value[cell] != 0)
			return -1;
		value[cell] = 1 + (int) (above < VALUES - 2 ? above : VALUES - 2);
	}
	for (int i = 0; i < CELLS; i++)
		code = code * VALUES + value[i];
	return code;
}

static UnitTable
table_of(const Release *r, DpArena *arena, const DpDomain *domain)
{
	static const uint32_t raw[CELLS] = {1, 3, 7};
	UnitTable table = unit_table(
		arena, domain, (uint32_t) (r->counts[0] + r->counts[1] + r->counts[2] + r->outside));
	uint32_t row = 0;

	for (int64_t i = 0; i < r->outside; i++)
		table.code[0][row++] = 5;
	for (int cell = 0; cell < CELLS; cell++)
		for (int64_t i = 0; i < r->counts[cell]; i++)
			table.code[0][row++] = raw[cell];
	return table;
}

static DpStatus
sample(DpRng *rng, const void *parameter, int *outcome)
{
	static const uint32_t levels[] = {8};
	const Release *r = parameter;
	DpArena arena = dp_arena_malloc();
	DpDomain domain = unit_domain(&arena, levels, 1);
	DpBudget budget = {.epsilon_nano = r->epsilon_nano};
	DpOptions none = {0};
	UnitRelease release;
	DpUniverse universe;
	UnitTable table;
	uint64_t dropped;
	const char **list = dp_memdup(&arena, values, sizeof(values));
	DpStatus status = dp_universe_list(list, CELLS, &universe, &dropped, &arena, NULL);

	unit_open(&domain.attribute[0]);
	domain.attribute[0].universe = &universe;
	table = table_of(r, &arena, &domain);
	if (status == DP_OK)
		status = unit_release(&release, "histogram", &table, r->unit, budget, &none, rng, &arena);
	*outcome = status == DP_OK ? outcome_of(&release.model, r->rule.threshold_rows) : -1;
	if (status == DP_OK && release.meter.spent.epsilon_nano != r->epsilon_nano)
		*outcome = -1;
	dp_arena_malloc_free(&arena);
	return status;
}

static long double
rate_of(int64_t epsilon_nano, DpUnit unit)
{
	return (long double) epsilon_nano * 1e-9L / (long double) dp_unit_l1(&unit);
}

static void
test_distribution(const Release *r)
{
	long double truth[WALK_OUTCOMES] = {0}, distribution[CELLS][VALUES];
	Walk walk;

	for (int i = 0; i < CELLS; i++)
		cell_distribution(rate_of(r->epsilon_nano, r->unit), r->rule.threshold_rows,
						  empty_shows(&r->rule), r->counts[i], distribution[i]);
	for (int o = 0; o < OUTCOMES; o++)
		truth[o] = distribution[0][o / VALUES / VALUES] * distribution[1][o / VALUES % VALUES] *
				   distribution[2][o % VALUES];
	walk_all(&walk, 1e-7L, sample, r);
	CHECK(walk_agrees(&walk, truth) && walk.lost < 1e-4L,
		  "%s, counts %d %d %d and %d outside, T %d: the distribution of the proof, within %.1Le",
		  r->unit.neighbours ? "replace" : "add/remove", (int) r->counts[0], (int) r->counts[1],
		  (int) r->counts[2], (int) r->outside, (int) r->rule.threshold_rows, walk.lost);
}

static void
test_distributions(void)
{
	static const int64_t counts[][2][CELLS] = {{{0, 0, 0}, {1, 0, 2}}, {{0, 2, 0}, {3, 0, 1}}};

	for (int neighbours = DP_ADD_REMOVE; neighbours <= DP_REPLACE_ONE; neighbours++)
		for (int c = 0; c < 2; c++)
		{
			Release r = {.unit = {(DpNeighbours) neighbours, 1},
						 .epsilon_nano = 3 * DP_EPSILON_ONE / 2,
						 .outside = 2 * c};

			memcpy(r.counts, counts[neighbours][c], sizeof(r.counts));
			MUST(dp_sparse_histogram_plan(&(DpSparseHistogram){r.epsilon_nano, r.unit, CELLS},
										  900000000, &r.rule));
			test_distribution(&r);
		}
}

/* ---- distributions, right and wrong ---- */

typedef enum Variant
{
	RIGHT,
	EXPECTED_NUMBER,  /* the paper's line 8: as many random values as are expected, at least one */
	WHOLE_DOMAIN,     /* Binomial(n, p) of all values, also of those that occur */
	WHOLE_SIZE,       /* Binomial(n, p) of those that do not occur */
	WITH_REPLACEMENT, /* Binomial(n - |C|, p) draws of them, which may meet */
	HALF_SENSITIVITY, /* noise for one row more or less, where one is replaced */
	UNDER_THE_TAIL    /* random values rarer than noise alone would show them */
} Variant;

static const char *const names[] = {"CatHist",
									"an expected number of random values",
									"random values of the whole domain",
									"as many random values as if all were empty",
									"random values with replacement",
									"the sensitivity of add/remove under replacement",
									"random values too rare"};

static long double
choose(int n, int k)
{
	long double product = 1;

	for (int i = 0; i < k; i++)
		product = product * (n - i) / (i + 1);
	return product;
}

static long double
binomial(int n, int k, long double p)
{
	return choose(n, k) * powl(p, k) * powl(1 - p, n - k);
}

/* The probability that k draws with replacement show s of m empty cells. */
static long double
distinct_draws(int m, int k, int s)
{
	long double sum = 0;

	for (int j = 0; j <= s; j++)
		sum += ((s - j) % 2 ? -1 : 1) * choose(s, j) * powl((long double) j / m, k);
	return k == 0 ? s == 0 : choose(m, s) * sum;
}

/* The probability that s of m empty cells are shown. */
static long double
shown(Variant variant, int m, int s, long double p)
{
	long double sum = 0;

	if (m == 0)
		return s == 0;
	switch (variant)
	{
		case EXPECTED_NUMBER:
			return s == 1;
		case WHOLE_SIZE:
			for (int k = 0; k <= CELLS; k++)
				sum += (k < m ? k : m) == s ? binomial(CELLS, k, p) : 0;
			return sum;
		case WITH_REPLACEMENT:
			for (int k = 0; k <= m; k++)
				sum += binomial(m, k, p) * distinct_draws(m, k, s);
			return sum;
		default:
			return binomial(m, s, p);
	}
}

/* The distribution of all outcomes. */
static void
distribution_of(Variant variant, long double e0, int64_t t, long double p, const int64_t *counts,
				long double *out)
{
	long double cell[CELLS][VALUES], random[VALUES], these[CELLS + 1];
	int empty = 0;

	cell_distribution(e0, t, 1, 0, random); /* T + G, as it is always shown */
	for (int i = 0; i < CELLS; i++)
	{
		empty += counts[i] == 0;
		cell_distribution(e0, t, 0, counts[i], cell[i]);
		for (int v = 1; v < VALUES && variant == WHOLE_DOMAIN && counts[i] > 0; v++)
			cell[i][v] += cell[i][0] * p * random[v];
		if (variant == WHOLE_DOMAIN && counts[i] > 0)
			cell[i][0] *= 1 - p;
	}
	for (int s = 0; s <= empty; s++)
		these[s] = shown(variant, empty, s, p) / choose(empty, s);
	for (int o = 0; o < OUTCOMES; o++)
	{
		int value[CELLS] = {o / VALUES / VALUES, o / VALUES % VALUES, o % VALUES}, s = 0;

		out[o] = 1;
		for (int i = 0; i < CELLS; i++)
		{
			if (counts[i] > 0)
				out[o] *= cell[i][value[i]];
			else if (value[i] > 0)
			{
				out[o] *= random[value[i]];
				s++;
			}
		}
		out[o] *= these[s];
	}
}

/* ---- the check ---- */

static bool
are_neighbours(const int64_t *d, const int64_t *e, DpNeighbours neighbours)
{
	int64_t more = 0, less = 0;

	for (int i = 0; i < CELLS; i++)
	{
		more += e[i] > d[i] ? e[i] - d[i] : 0;
		less += d[i] > e[i] ? d[i] - e[i] : 0;
	}
	return neighbours == DP_REPLACE_ONE ? more == 1 && less == 1 : more + less == 1;
}

static void
counts_of(int number, int64_t *counts)
{
	for (int i = 0; i < CELLS; i++, number /= COUNT_MAX + 1)
		counts[i] = number % (COUNT_MAX + 1);
}

/*
 * The largest sum of max(P - e^epsilon Q, 0) over neighbours. It is 0 just when the release is
 * epsilon-DP on this domain.
 */
static long double
worst_of(Variant variant, DpNeighbours neighbours, int64_t epsilon_nano, int64_t t)
{
	static long double distribution[TABLES][OUTCOMES];
	DpUnit noise = {variant == HALF_SENSITIVITY ? DP_ADD_REMOVE : neighbours, 1};
	long double e0 = rate_of(epsilon_nano, noise), p = unit_laplace_above(e0, t), worst = 0;
	long double factor = expl((long double) epsilon_nano * 1e-9L);
	int64_t d[CELLS], e[CELLS];

	for (int i = 0; i < TABLES; i++)
	{
		counts_of(i, d);
		distribution_of(variant, e0, t, variant == UNDER_THE_TAIL ? 0.98L * p : p, d,
						distribution[i]);
	}
	for (int i = 0; i < TABLES; i++)
		for (int k = 0; k < TABLES; k++)
		{
			long double excess = 0;

			counts_of(i, d);
			counts_of(k, e);
			if (!are_neighbours(d, e, neighbours))
				continue;
			for (int o = 0; o < OUTCOMES; o++)
				excess += fmaxl(distribution[i][o] - factor * distribution[k][o], 0);
			worst = fmaxl(worst, excess);
		}
	return worst;
}

static void
test_private(DpNeighbours neighbours, int64_t epsilon_nano)
{
	const char *relation = neighbours == DP_REPLACE_ONE ? "replace" : "add/remove";

	for (Variant v = RIGHT; v <= UNDER_THE_TAIL; v++)
	{
		long double worst = 0;

		if (v == HALF_SENSITIVITY && neighbours == DP_ADD_REMOVE)
			continue;
		for (int64_t t = 1; t <= 3; t++)
			worst = fmaxl(worst, worst_of(v, neighbours, epsilon_nano, t));
		if (v == RIGHT)
			CHECK(worst < 1e-15L, "%s, epsilon %.2f: %s keeps it", relation,
				  (double) epsilon_nano * 1e-9, names[v]);
		else
			CHECK(worst > 1e-6L, "%s, epsilon %.2f: %s: caught, by %.1Le", relation,
				  (double) epsilon_nano * 1e-9, names[v], worst);
	}
}

/* Laws add up to 1, also the wrong ones: or the check would prove little. */
static void
test_sums(void)
{
	static const int64_t counts[] = {2, 0, 0};
	long double distribution[OUTCOMES];

	for (Variant v = RIGHT; v <= UNDER_THE_TAIL; v++)
	{
		long double sum = 0;

		distribution_of(v, 0.7L, 2, unit_laplace_above(0.7L, 2), counts, distribution);
		for (int o = 0; o < OUTCOMES; o++)
			sum += distribution[o];
		CHECK_NEAR(sum, 1, 1e-15, "%s: a law", names[v]);
	}
}

/* rho is the probability of no random value, and not, as the paper's words have it, of one. */
static void
test_rho(void)
{
	static const int64_t rhos[] = {100000000, 900000000, 990000000};
	DpUnit unit = {DP_ADD_REMOVE, 1};
	uint64_t size = UINT64_C(29400000000);

	for (int i = 0; i < 3; i++)
	{
		long double rho = (long double) rhos[i] * 1e-9L, none, reversed;
		DpSparseRule rule;

		MUST(dp_sparse_histogram_plan(&(DpSparseHistogram){100000000, unit, size}, rhos[i], &rule));
		none = expl((long double) size * log1pl(-empty_shows(&rule)));
		MUST(dp_sparse_histogram_plan(&(DpSparseHistogram){100000000, unit, size},
									  DP_EPSILON_ONE - rhos[i], &rule));
		reversed = expl((long double) size * log1pl(-empty_shows(&rule)));
		CHECK(none >= rho * (1 - 1e-9L) && none < rho + 0.03L,
			  "rho %.2Lf: no random value with %.4Lf", rho, none);
		CHECK(fabsl(reversed - rho) > 0.05L, "reversed it would be %.4Lf", reversed);
	}
}

int
main(void)
{
	test_distributions();
	test_sums();
	for (int neighbours = DP_ADD_REMOVE; neighbours <= DP_REPLACE_ONE; neighbours++)
	{
		test_private((DpNeighbours) neighbours, 500000000);
		test_private((DpNeighbours) neighbours, DP_EPSILON_ONE);
	}
	test_rho();
	return unit_finish();
}
