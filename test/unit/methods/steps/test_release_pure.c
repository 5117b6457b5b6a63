/*
 * test_release_pure.c -- one table with noise and no delta: dense or sparse by its
 * size alone, charged once, and its cells those that noise lets through.
 */
#include "core/accounting/stddev.h"
#include "core/mechanism/sparse_histogram.h"
#include "core/methods/steps/steps_plan.h"

#include "unit_data.h"
#include "unit_stat.h"

#define TOLERANCE INT64_C(900000000)

static const DpMethod nothing = {.name = "nothing"};

static DpPlan
start(DpRequest *request, int64_t epsilon_nano, uint32_t rows_max)
{
	*request = (DpRequest){.unit = {DP_REPLACE_ONE, rows_max}, .budget = {epsilon_nano, 0, 0}};
	return (DpPlan){.method = &nothing, .request = request, .remaining = request->budget};
}

static void
test_plan(void)
{
	DpRequest request;
	DpPlan plan = start(&request, DP_EPSILON_ONE, 1);
	int64_t fifth = DP_EPSILON_ONE / 5;
	DpSparseRule rule;
	DpError error;

	MUST(dp_plan_pure(&plan, "a", &(DpPureRelease){fifth, 1000, TOLERANCE}, 1000, true, NULL));
	CHECK(strcmp(plan.stage[0].mechanism, "discrete Laplace") == 0 && plan.stage[0].cells == 1000 &&
			  plan.stage[0].threshold_rows == 0 &&
			  plan.stage[0].noise_stddev_rows ==
				  dp_laplace_stddev((DpLaplace){.epsilon_nano = fifth, .sensitivity_l1 = 2}),
		  "a table of as many cells as may be dense has noise on each");
	MUST(dp_plan_pure(&plan, "b", &(DpPureRelease){fifth, 1000, TOLERANCE}, 1001, true, NULL));
	MUST(dp_sparse_histogram_plan(&(DpSparseHistogram){fifth, request.unit, 1001}, TOLERANCE,
								  &rule));
	CHECK(strcmp(plan.stage[1].mechanism, "sparse histogram") == 0 && plan.stage[1].cells == 1001 &&
			  plan.stage[1].threshold_rows == rule.threshold_rows &&
			  plan.stage[1].false_positives == rule.false_positives,
		  "one of more has a threshold");
	MUST(dp_plan_pure(&plan, "c", &(DpPureRelease){fifth, 1000, TOLERANCE}, 1001, false, NULL));
	CHECK(strcmp(plan.stage[2].mechanism, "discrete Laplace or sparse histogram") == 0 &&
			  plan.stage[2].cells == 0,
		  "where its size is not certain it may be either");
	CHECK(plan.cost.epsilon_nano == 3 * fifth && plan.cost.delta_atto == 0, "none needs a delta");
	CHECK_STATUS(dp_plan_pure(&plan, "d", &(DpPureRelease){0, 1000, TOLERANCE}, 1001, true, &error),
				 DP_ERR_ARGUMENT, "a sparse one for nothing");
	CHECK_STATUS(dp_plan_pure(&plan, "d", &(DpPureRelease){0, 1000, TOLERANCE}, 10, true, &error),
				 DP_ERR_ARGUMENT, "a dense one for nothing");
	CHECK_STATUS(dp_plan_pure(&plan, "d", &(DpPureRelease){fifth, 1000, TOLERANCE},
							  DP_SPARSE_HISTOGRAM_CELLS_MAX + 1, true, &error),
				 DP_ERR_LIMIT, "more cells than a sparse one can have");
	CHECK(error.status == DP_ERR_LIMIT && strstr(error.message, "\"d\"") != NULL,
		  "the error names the stage");
}

/* ---- behind the wall ---- */

#define ROWS 3000

static const uint32_t levels[] = {40, 3, 50};

static void
count_rows(DpArena *arena, const DpDomain *domain, DpStorage storage, DpMarginal *exact)
{
	static uint32_t code[3][ROWS];
	static const uint32_t order[] = {2, 0, 1}, some[] = {7, 1, 13};
	const uint32_t *column[] = {code[0], code[1], code[2]};
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){161, 0, 0});
	for (uint32_t i = 0; i < ROWS;
		 i++) /* a third of the rows in each of two cells, the others anywhere */
		for (uint32_t a = 0; a < 3; a++)
			code[a][i] = i % 3 == 0   ? levels[a] - 1
						 : i % 3 == 1 ? some[a]
									  : (uint32_t) dp_prng_below(&prng, levels[a]);
	MUST(dp_marginal_init(exact, domain, &(DpAttributeSet){3, order}, storage, arena, NULL));
	MUST(dp_marginal_add(exact, column, ROWS));
}

typedef struct Released
{
	DpMarginal exact;
	DpTable table;
	DpMeter meter;
} Released;

static void
release(Released *r, DpArena *arena, DpStorage storage, int64_t epsilon_nano, DpRng *rng)
{
	DpDomain domain = unit_domain(arena, levels, 3);
	DpRequest request;
	DpPlan plan = start(&request, epsilon_nano, 1);
	DpMeasurement m = {.plan = &plan,
					   .domain = &domain,
					   .noise = {.meter = &r->meter, .rng = rng},
					   .arena = arena};

	count_rows(arena, &domain, storage, &r->exact);
	dp_meter_init(&r->meter, dp_cost_pure(epsilon_nano));
	MUST(dp_table_release_pure(
		&m, &r->exact,
		&(DpPureRelease){.epsilon_nano = epsilon_nano, .no_false_positives_nano = TOLERANCE},
		&r->table));
}

typedef struct Cells
{
	uint32_t *code;
	int64_t *count;
	uint64_t n;
} Cells;

static int64_t
count_of(const Cells *cells, const uint32_t *codes)
{
	for (uint64_t i = 0; i < cells->n; i++)
		if (memcmp(cells->code + 3 * i, codes, 3 * sizeof(*codes)) == 0)
			return cells->count[i];
	return 0;
}

/* Whether codes stand before others. */
static bool
before(const uint32_t *codes, const uint32_t *others)
{
	uint32_t k = 0;

	while (k < 2 && codes[k] == others[k])
		k++;
	return codes[k] < others[k];
}

static bool
describes(const Released *r, int64_t epsilon_nano)
{
	DpBudget cost = dp_cost_pure(epsilon_nano);

	return r->table.n == 3 && r->table.attribute[0] == 2 && r->table.attribute[2] == 1 &&
		   memcmp(&r->table.cost, &cost, sizeof(cost)) == 0 && r->table.sensitivity_l1 == 2 &&
		   memcmp(&r->meter.spent, &cost, sizeof(cost)) == 0;
}

static void
test_dense(DpRng *rng)
{
	DpArena arena = dp_arena_malloc();
	double squares = 0,
		   stddev =
			   dp_laplace_stddev((DpLaplace){.epsilon_nano = DP_EPSILON_ONE, .sensitivity_l1 = 2});
	Released r;

	release(&r, &arena, DP_DENSE, DP_EPSILON_ONE, rng);
	CHECK(describes(&r, DP_EPSILON_ONE) && r.table.noise == DP_NOISE_LAPLACE &&
			  r.table.cells == 6000,
		  "dense: charged once, and says how it was made");
	for (uint64_t i = 0; i < 6000; i++)
		squares += pow((double) (r.table.value[i] - r.exact.dense[i]), 2);
	CHECK_NEAR(sqrt(squares / 6000), stddev, 0.15 * stddev, "dense: noise on every cell");
	dp_arena_malloc_free(&arena);
}

/* Noise is small beside T, so that the cells that are far above it come, and hardly another. */
static void
test_sparse(DpRng *rng)
{
	const uint32_t first[] = {13, 7, 1}, last[] = {49, 39, 2};
	unsigned wrong = 0, random = 0;
	const DpUnit unit = {DP_REPLACE_ONE, 1};
	double squares = 0;
	uint64_t cells = 0;
	DpSparseRule rule;

	MUST(dp_sparse_histogram_plan(&(DpSparseHistogram){DP_EPSILON_ONE, unit, 6000}, TOLERANCE,
								  &rule));
	for (int run = 0; run < 60; run++)
	{
		DpArena arena = dp_arena_malloc();
		bool has_first = false, has_last = false;
		Cells exact;
		Released r;

		release(&r, &arena, DP_SPARSE, DP_EPSILON_ONE, rng);
		wrong += !describes(&r, DP_EPSILON_ONE) || r.table.noise != DP_NOISE_SPARSE ||
				 r.table.storage != DP_SPARSE || r.table.threshold_rows != rule.threshold_rows;
		MUST(dp_marginal_cells(&r.exact, &exact.code, &exact.count, &exact.n, &arena));
		for (uint64_t i = 0; i < r.table.cells; i++)
		{
			const uint32_t *code = r.table.code + 3 * i;
			int64_t count = count_of(&exact, code);

			wrong += r.table.value[i] < r.table.threshold_rows || code[0] >= 50 || code[1] >= 40 ||
					 code[2] >= 3 || (i > 0 && !before(code - 3, code));
			has_first |= memcmp(code, first, sizeof(first)) == 0;
			has_last |= memcmp(code, last, sizeof(last)) == 0;
			random += count == 0;
			if (count > 900)
			{
				squares += pow((double) (r.table.value[i] - count), 2);
				cells++;
			}
		}
		wrong += !has_first || !has_last;
		dp_arena_malloc_free(&arena);
	}
	CHECK_I64(wrong, 0, "sparse: cells ascend, reach T, and the large ones are all there");
	CHECK_I64(cells, 120, "sparse: two in each release");
	CHECK_NEAR(sqrt(squares / 120),
			   dp_laplace_stddev((DpLaplace){.epsilon_nano = DP_EPSILON_ONE, .sensitivity_l1 = 2}),
			   1.2, "sparse: with noise of the stated width");
	CHECK(random < 25, "sparse: a cell that nobody has comes in one release of ten (%u of 60)",
		  random);
}

int
main(void)
{
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, 162);
	test_plan();
	test_dense(&rng);
	test_sparse(&rng);
	return unit_finish();
}
