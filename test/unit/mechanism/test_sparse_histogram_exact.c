/*
 * test_sparse_histogram_exact.c -- the sparse histogram by enumeration: that the code has
 * the distribution that its proof speaks of, and that this distribution keeps epsilon between all
 * neighbours of tiny domains, under both relations.
 */
#include "core/mechanism/sparse_histogram.h"

#include "unit_sparse.h"

/* ---- the distribution of a cell ---- */

typedef struct Setting
{
	int64_t epsilon_nano;
	DpUnit unit;
	DpSparseRule rule;
	int64_t counts[CELLS];
} Setting;

static long double
rate_of(const Setting *s)
{
	return (long double) s->epsilon_nano * 1e-9L / (long double) dp_unit_l1(&s->unit);
}

/* ---- the code follows it ---- */

static int
code_of(const DpSparseCells *cells, int64_t threshold)
{
	int value[CELLS] = {0};
	int code = 0;

	for (uint64_t i = 0; i < cells->n; i++)
	{
		int64_t above = cells->value[i] - threshold;

		if (cells->index[i] >= CELLS || above < 0 ||
			(i > 0 && cells->index[i] <= cells->index[i - 1]))
			return -1;
		value[cells->index[i]] = 1 + (int) (above < VALUES - 2 ? above : VALUES - 2);
	}
	for (int i = 0; i < CELLS; i++)
		code = code * VALUES + value[i];
	return code;
}

static DpStatus
sample(DpRng *rng, const void *parameter, int *outcome)
{
	const Setting *s = parameter;
	DpArena arena = dp_arena_malloc();
	uint64_t index[CELLS], n = 0;
	int64_t counts[CELLS];
	DpSparseCells cells;
	DpStatus status;
	DpMeter meter;

	for (uint64_t i = 0; i < CELLS; i++)
		if (s->counts[i] > 0)
		{
			counts[n] = s->counts[i];
			index[n++] = i;
		}
	dp_meter_init(&meter, dp_cost_pure(s->epsilon_nano));
	status = dp_sparse_histogram_release(&(DpNoiseSource){.meter = &meter, .rng = rng}, &s->rule,
										 &(DpOccupiedCells){n, index, counts}, &cells, &arena);
	*outcome = status == DP_OK ? code_of(&cells, s->rule.threshold_rows) : -1;
	dp_arena_malloc_free(&arena);
	return status;
}

static void
test_distribution(const Setting *s)
{
	long double truth[WALK_OUTCOMES] = {0}, distribution[CELLS][VALUES];
	Walk walk;

	for (int i = 0; i < CELLS; i++)
		cell_distribution(rate_of(s), s->rule.threshold_rows, empty_shows(&s->rule), s->counts[i],
						  distribution[i]);
	for (int a = 0; a < VALUES; a++)
		for (int b = 0; b < VALUES; b++)
			for (int c = 0; c < VALUES; c++)
				truth[(a * VALUES + b) * VALUES + c] =
					distribution[0][a] * distribution[1][b] * distribution[2][c];
	walk_all(&walk, 1e-16L, sample, s);
	CHECK(walk_agrees(&walk, truth) && walk.lost < 1e-9L,
		  "counts %d %d %d, T %d, %u thinning bits: the distribution of the proof, within %.1Le",
		  (int) s->counts[0], (int) s->counts[1], (int) s->counts[2], (int) s->rule.threshold_rows,
		  s->rule.thinning_bits, walk.lost);
}

static void
test_distributions(void)
{
	static const int64_t counts[][CELLS] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 1, 3}, {2, 0, 4}};
	Setting s = {.epsilon_nano = DP_EPSILON_ONE, .unit = {DP_ADD_REMOVE, 1}};

	for (int64_t t = 1; t <= 3; t++)
		for (int c = 0; c < 5; c++)
		{
			MUST(dp_sparse_histogram_rule(&(DpSparseHistogram){s.epsilon_nano, s.unit, CELLS}, t,
										  &s.rule));
			memcpy(s.counts, counts[c], sizeof(s.counts));
			test_distribution(&s);
		}
	/* Thinning is for huge domains only: here the same odds with one bit of it. */
	s.rule.gap_numerator *= 2;
	s.rule.thinning_bits = 1;
	CHECK_I64(sample(NULL, &s, &(int){0}), DP_ERR_ARGUMENT, "a rule of other numbers is refused");
}

/* ---- the distribution is private ---- */

static long double
excess(long double distribution[][2][VALUES], int cell, long double here, long double there)
{
	long double sum = 0;

	if (cell == CELLS)
		return fmaxl(here - there, 0);
	for (int v = 0; v < VALUES; v++)
		sum += excess(distribution, cell + 1, here * distribution[cell][0][v],
					  there * distribution[cell][1][v]);
	return sum;
}

/* Sum of max(P - e^epsilon Q, 0) over all outputs. */
static long double
hockey(const Setting *s, long double p0, const int64_t *here, const int64_t *there,
	   long double epsilon)
{
	long double distribution[CELLS][2][VALUES];

	for (int i = 0; i < CELLS; i++)
	{
		cell_distribution(rate_of(s), s->rule.threshold_rows, p0, here[i], distribution[i][0]);
		cell_distribution(rate_of(s), s->rule.threshold_rows, p0, there[i], distribution[i][1]);
	}
	return excess(distribution, 0, 1, expl(epsilon));
}

static bool
are_neighbours(const int64_t *d, const int64_t *e, DpUnit unit)
{
	int64_t added = 0, removed = 0;

	for (int i = 0; i < CELLS; i++)
	{
		added += e[i] > d[i] ? e[i] - d[i] : 0;
		removed += d[i] > e[i] ? d[i] - e[i] : 0;
	}
	if (unit.neighbours == DP_REPLACE_ONE)
		return added <= unit.rows_max && removed <= unit.rows_max && added + removed > 0;
	return (added == 0 || removed == 0) && added + removed <= unit.rows_max && added + removed > 0;
}

static long double
worst_of(const Setting *s, long double p0, long double share)
{
	long double worst = 0, epsilon = share * (long double) s->epsilon_nano * 1e-9L;

	for (int i = 0; i < 125; i++)
		for (int k = 0; k < 125; k++)
		{
			int64_t d[CELLS] = {i % 5, i / 5 % 5, i / 25}, e[CELLS] = {k % 5, k / 5 % 5, k / 25};

			if (are_neighbours(d, e, s->unit))
				worst = fmaxl(worst, hockey(s, p0, d, e, epsilon));
		}
	return worst;
}

static void
test_private(DpUnit unit, int64_t epsilon_nano)
{
	Setting s = {.epsilon_nano = epsilon_nano, .unit = unit};
	long double at = 0, under = 0, low = 0, high = 0;

	for (int64_t t = 1; t <= 3; t++)
	{
		long double p_t, p0;

		MUST(dp_sparse_histogram_rule(&(DpSparseHistogram){epsilon_nano, unit, CELLS}, t, &s.rule));
		p_t = unit_laplace_above(rate_of(&s), t);
		p0 = empty_shows(&s.rule);
		at = fmaxl(at, worst_of(&s, p0, 1));
		under = fmaxl(under, worst_of(&s, p0, 0.99L));
		low = fmaxl(low, worst_of(&s, 0.98L * p_t, 1));
		high = fmaxl(high, worst_of(&s, fminl(1.05L * expl(2 * rate_of(&s)) * p_t, 1), 1));
	}
	CHECK(at < 1e-15L, "%s, %u rows a unit, epsilon %.2f: no divergence at epsilon",
		  unit.neighbours ? "replace" : "add/remove", unit.rows_max, (double) epsilon_nano * 1e-9);
	CHECK(under > 1e-6L, "some at 0.99 epsilon: %.1Le", under);
	/* Or the check would not bite. The lower end of the interval is sharp, the upper one is not. */
	CHECK(low > 1e-9L, "p0 under p_T breaks it: %.1Le", low);
	CHECK(high > 1e-9L, "so does p0 over e^(2 e0) p_T: %.1Le", high);
}

/* p0 within its interval, for all kinds of numbers; T as small as the tolerance allows. */
static void
test_rules(void)
{
	static const int64_t epsilons[] = {100000, 1000000, 100000000, 1000000000, 30000000000};
	static const uint64_t domains[] = {
		1, 100, 65536, 1300000, UINT64_C(1500000000000), UINT64_C(1) << 60};
	static const int64_t tolerances[] = {1000, 500000000, 900000000, 999000000};
	bool inside = true, tolerable = true, least = true;

	for (int e = 0; e < 5; e++)
		for (int d = 0; d < 6; d++)
			for (int i = 0; i < 4; i++)
			{
				DpUnit unit = {i % 2 ? DP_REPLACE_ONE : DP_ADD_REMOVE, 1 + (uint32_t) i % 3};
				Setting s = {.epsilon_nano = epsilons[e], .unit = unit};
				long double p_t, p0, e0 = rate_of(&s), rho = (long double) tolerances[i] * 1e-9L;
				long double cells = (long double) domains[d];

				MUST(dp_sparse_histogram_plan(&(DpSparseHistogram){epsilons[e], unit, domains[d]},
											  tolerances[i], &s.rule));
				p0 = empty_shows(&s.rule);
				p_t = unit_laplace_above(e0, s.rule.threshold_rows);
				inside = inside && p0 >= p_t && p0 <= p_t * expl(e0);
				tolerable = tolerable && expl(cells * log1pl(-p_t)) >= rho * (1 - 1e-12L);
				p_t = unit_laplace_above(e0, s.rule.threshold_rows - 1);
				least = least && (s.rule.threshold_rows == 1 || expl(cells * log1pl(-p_t)) < rho);
			}
	CHECK(inside, "an empty cell shows with p_T at least and e^e0 p_T at most");
	CHECK(tolerable, "and none shows with the tolerance at least");
	CHECK(least, "T is the smallest such");
}

static void
test_arguments(void)
{
	DpUnit unit = {DP_ADD_REMOVE, 1};
	DpArena arena = dp_arena_malloc();
	uint64_t index[2] = {1, 1};
	int64_t counts[2] = {1, 1};
	DpSparseCells out;
	DpSparseRule rule;
	DpMeter meter;

	CHECK_STATUS(dp_sparse_histogram_plan(
					 &(DpSparseHistogram){1, (DpUnit){DP_REPLACE_ONE, 1u << 31}, UINT64_C(1) << 60},
					 1, &rule),
				 DP_ERR_RANGE, "an epsilon that is too small");
	CHECK_STATUS(dp_sparse_histogram_plan(&(DpSparseHistogram){1000, unit, (UINT64_C(1) << 60) + 1},
										  1, &rule),
				 DP_ERR_ARGUMENT, "too many cells");
	CHECK_STATUS(dp_sparse_histogram_plan(&(DpSparseHistogram){1000, unit, 0}, 1, &rule),
				 DP_ERR_ARGUMENT, "no cells");
	CHECK_STATUS(
		dp_sparse_histogram_plan(&(DpSparseHistogram){1000, unit, 5}, DP_EPSILON_ONE, &rule),
		DP_ERR_ARGUMENT, "a tolerance of 1");
	CHECK_STATUS(dp_sparse_histogram_rule(&(DpSparseHistogram){1000, unit, 5}, 0, &rule),
				 DP_ERR_ARGUMENT, "T = 0");
	MUST(dp_sparse_histogram_rule(&(DpSparseHistogram){DP_EPSILON_ONE, unit, 5}, 2, &rule));
	dp_meter_init(&meter, dp_cost_pure(DP_EPSILON_ONE));
	CHECK_STATUS(dp_sparse_histogram_release(&(DpNoiseSource){.meter = &meter}, &rule,
											 &(DpOccupiedCells){2, index, counts}, &out, &arena),
				 DP_ERR_INTERNAL, "one cell twice");
	index[0] = 0;
	counts[1] = 0;
	CHECK_STATUS(dp_sparse_histogram_release(&(DpNoiseSource){.meter = &meter}, &rule,
											 &(DpOccupiedCells){2, index, counts}, &out, &arena),
				 DP_ERR_INTERNAL, "an empty cell among them");
	CHECK_I64(meter.spent.epsilon_nano, 0, "nothing was charged");
	counts[1] = 1;
	dp_meter_init(&meter, dp_cost_pure(DP_EPSILON_ONE - 1));
	CHECK_STATUS(dp_sparse_histogram_release(&(DpNoiseSource){.meter = &meter}, &rule,
											 &(DpOccupiedCells){2, index, counts}, &out, &arena),
				 DP_ERR_OVERDRAW, "a meter that holds less");
	rule.histogram.epsilon_nano /= 2;
	CHECK_STATUS(dp_sparse_histogram_release(&(DpNoiseSource){.meter = &meter}, &rule,
											 &(DpOccupiedCells){2, index, counts}, &out, &arena),
				 DP_ERR_ARGUMENT, "a rule that was made for another epsilon");
	dp_arena_malloc_free(&arena);
}

int
main(void)
{
	test_distributions();
	for (uint32_t rows_max = 1; rows_max <= 2; rows_max++)
		for (int neighbours = DP_ADD_REMOVE; neighbours <= DP_REPLACE_ONE; neighbours++)
		{
			test_private((DpUnit){(DpNeighbours) neighbours, rows_max}, 500000000);
			test_private((DpUnit){(DpNeighbours) neighbours, rows_max}, 2000000000);
		}
	test_rules();
	test_arguments();
	return unit_finish();
}
