/*
 * test_answer.c -- what is answered from a release of every method: intervals that hold the truth
 * as often as they say, shares of the model that are those of its rows, and rows under a condition.
 *
 * Noise comes from a fixed stream, so that no check fails by chance.
 *
 * Covers model_query.c, graphical_fit.c, monte_carlo.c and marginal_sampler.c.
 */
#include "core/estimate/frechet_bounds.h"
#include "core/sample/answer.h"

#include "unit_data.h"

#define P 4
#define ROWS 2000
#define CELLS_MAX 48
#define DRAWS 100000
#define RELEASES 120

static const uint32_t sizes[P] = {2, 3, 2, 4};

static UnitTable
some_table(DpArena *arena, const DpDomain *domain)
{
	UnitTable table = unit_table(arena, domain, ROWS);

	for (uint32_t i = 0; i < ROWS; i++)
	{
		table.code[0][i] = i % 5 == 0;
		table.code[1][i] = (i % 5 + i / 7) % 3;
		table.code[2][i] = (i % 5 == 0) ^ (i % 11 == 0);
		table.code[3][i] = i % 3 == 0 ? table.code[1][i] : i % 4;
	}
	return table;
}

typedef struct Subject
{
	const char *method, *dense_cells, *branches; /* options: NULL: the default */
} Subject;

static void
release(UnitRelease *out, const Subject *subject, UnitTable *table, DpUnit unit,
		int64_t epsilon_nano, DpRng *rng, DpArena *arena)
{
	UnitOptions options = {.lists = 0};
	bool gaussian = dp_method_find(subject->method)->gaussian;

	if (subject->dense_cells != NULL)
		unit_number(&options, "dense_cells", subject->dense_cells);
	if (subject->branches != NULL)
		unit_word(&options, "branches", subject->branches);
	MUST(unit_release(out, subject->method, table, unit,
					  (DpBudget){epsilon_nano, gaussian ? INT64_C(1000000000000) : 0, 0},
					  &options.options, rng, arena));
}

/* ---- coverage ---- */

typedef struct Coverage
{
	unsigned held[DP_BASIS_ROW_RELEASE + 1], asked[DP_BASIS_ROW_RELEASE + 1];
} Coverage;

static void
count_held(const DpMarginalQuery *question, const UnitTable *table, const DpGroupAnswer *answer,
		   Coverage *coverage)
{
	double truth[CELLS_MAX] = {0};
	uint64_t groups = dp_marginal_query_groups(question);

	for (uint32_t i = 0; i < table->rows; i++)
	{
		uint64_t b = 0;

		for (uint32_t k = 0; k < question->by.n; k++)
			b = b * sizes[question->by.attribute[k]] + table->code[question->by.attribute[k]][i];
		truth[b]++;
	}
	for (uint64_t b = 0; b < groups; b++)
	{
		if (isnan(answer[b].low))
			continue;
		coverage->asked[answer[b].basis]++;
		coverage->held[answer[b].basis] += answer[b].low <= truth[b] && truth[b] <= answer[b].high;
	}
}

static void
ask_all(const UnitRelease *out, const UnitTable *table, Coverage *coverage, DpArena *arena)
{
	const DpModel *model = &out->model;
	DpMeasuredTable *measured;
	DpGroupAnswer answer[CELLS_MAX];
	bool is_public = dp_unit_rows_public(&model->unit);

	MUST(dp_measured_tables(dp_method_find(model->method)->sampler, model, &measured, arena, NULL));
	for (uint32_t mask = 1; mask < 1u << P; mask++)
	{
		uint32_t by[P], n = 0;
		DpMarginalQuery question = {.domain = &model->domain,
									.confidence = 0.95,
									.rows_public = is_public ? (double) model->rows : -1};

		for (uint32_t a = 0; a < P; a++)
			if (mask >> a & 1)
				by[n++] = a;
		question.by = (DpAttributeSet){n, by};
		MUST(dp_measured_answer(&question, measured, model->tables, answer, NULL, arena));
		MUST(dp_frechet_bounds(&question, measured, model->tables, answer, NULL, arena));
		count_held(&question, table, answer, coverage);
	}
}

static void
test_coverage(Subject subject, DpUnit unit, UnitTable *table)
{
	const char *method = subject.method;
	Coverage coverage = {.held = {0}};
	double measured, bounded;
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, 17);
	for (int i = 0; i < RELEASES; i++)
	{
		DpArena arena = dp_arena_malloc();
		UnitRelease out;

		release(&out, &subject, table, unit, INT64_C(500000000), &rng, &arena);
		ask_all(&out, table, &coverage, &arena);
		dp_arena_malloc_free(&arena);
	}
	measured = coverage.held[DP_BASIS_MEASURED] / (double) coverage.asked[DP_BASIS_MEASURED];
	bounded = coverage.asked[DP_BASIS_NONE] == 0
				  ? 1
				  : coverage.held[DP_BASIS_NONE] / (double) coverage.asked[DP_BASIS_NONE];
	CHECK(measured > 0.935 && measured < 0.97, "%s, %s: %.3f of %u measured intervals hold", method,
		  unit.neighbours ? "replace" : "add/remove", measured, coverage.asked[DP_BASIS_MEASURED]);
	CHECK(bounded > 0.95, "%s: %.3f of %u bounds hold", method, bounded,
		  coverage.asked[DP_BASIS_NONE]);
}

/* ---- models ---- */

/* The share of rows in each cell of a set. */
static void
draw_shares(const DpSampler *sampler, void *state, const DpAttributeSet *set, double *share)
{
	static uint32_t codes[DP_BLOCK_ROWS * P];

	memset(share, 0, CELLS_MAX * sizeof(*share));
	dp_draw_expect(sampler, state, DRAWS);
	for (uint32_t row = 0; row < DRAWS; row += DP_BLOCK_ROWS)
	{
		DpRowBlock block = {{3, 1, row / DP_BLOCK_ROWS},
							DRAWS - row < DP_BLOCK_ROWS ? DRAWS - row : DP_BLOCK_ROWS};

		dp_draw_block(sampler, state, P, &block, codes, NULL);
		for (uint32_t i = 0; i < block.rows; i++)
		{
			uint32_t cell = 0;

			for (uint32_t k = 0; k < set->n; k++)
				cell = cell * sizes[set->attribute[k]] + codes[i * P + set->attribute[k]];
			share[cell] += 1.0 / DRAWS;
		}
	}
}

/* Five standard deviations of a share among so many rows. */
static double
excess(const double *got, const double *want)
{
	double worst = 0;

	for (uint32_t i = 0; i < CELLS_MAX; i++)
	{
		double p = fmin(fmax(want[i], 0), 1), stddev = sqrt(p * (1 - p) / DRAWS);

		worst = fmax(worst, fabs(got[i] - want[i]) - 5 * stddev);
	}
	return worst;
}

static void
test_model(Subject subject, int64_t epsilon_nano, UnitTable *table, DpArena *arena)
{
	const char *method = subject.method;
	const DpSampler *sampler = dp_method_find(method)->sampler;
	uint32_t every[] = {0, 1, 2, 3}, pair[] = {1, 3};
	DpAttributeSet all = {P, every}, some = {2, pair};
	double weight_1[] = {0, 1, 0.5}, weight_3[] = {1, 0, 1, 0};
	double *weights[P] = {NULL, weight_1, NULL, weight_3};
	DpGiven given = {.attributes = P, .weight = weights};
	double shares[CELLS_MAX] = {0}, drawn[CELLS_MAX], own[CELLS_MAX] = {0}, sum = 0;
	void *fitted, *state;
	UnitRelease out;
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, 5);
	release(&out, &subject, table, (DpUnit){DP_ADD_REMOVE, 1}, epsilon_nano, &rng, arena);
	MUST(sampler->query->fit(&out.model, &fitted, NULL, arena, NULL));
	MUST(sampler->query->marginal(fitted, &all, shares, NULL, arena));
	MUST(sampler->prepare(&out.model, &state, NULL, arena, NULL));
	draw_shares(sampler, state, &all, drawn);
	CHECK(excess(drawn, shares) < 1e-4, "%s: shares are those of rows (%g off)", method,
		  excess(drawn, shares));
	MUST(sampler->query->marginal(fitted, &some, own, NULL, arena));
	for (uint32_t i = 0; i < CELLS_MAX; i++)
		own[i / 8 % 3 * 4 + i % 4] -= shares[i];
	for (uint32_t i = 0; i < 12; i++)
		sum = fmax(sum, fabs(own[i]));
	CHECK(sum < 1e-9, "%s: sums of shares are shares", method);
	sum = 0;
	for (uint32_t i = 0; i < CELLS_MAX; i++)
	{
		shares[i] *= weight_1[i / 8 % 3] * weight_3[i % 4];
		sum += shares[i];
	}
	for (uint32_t i = 0; i < CELLS_MAX; i++)
		shares[i] /= sum;
	MUST(sampler->query->compile(fitted, &given, &state, NULL, arena, NULL));
	draw_shares(sampler->query->sampler, state, &all, drawn);
	CHECK(excess(drawn, shares) < 1e-4,
		  "%s: rows under a condition are as the shares given it "
		  "(%g off)",
		  method, excess(drawn, shares));
	weight_3[0] = weight_3[2] = 0;
	CHECK_STATUS(sampler->query->compile(fitted, &given, &state, NULL, arena, NULL),
				 DP_ERR_ARGUMENT, "what nothing meets is refused");
	dp_arena_malloc_free(arena);
}

int
main(void)
{
	/* with few dense cells, nodes without a released cell leave the attributes below open */
	const Subject models[] = {{"mst"},
							  {"aim"},
							  {"cipher"},
							  {"mwem"},
							  {"privbayes"},
							  {"steps"},
							  {"uh"},
							  {"flat"},
							  {"marginal"},
							  {"steps", "3", NULL},
							  {"steps", NULL, "own"}};
	DpArena arena = dp_arena_malloc();
	DpDomain domain = unit_domain(&arena, sizes, P);
	UnitTable table = some_table(&arena, &domain);

	test_coverage((Subject){"cipher"}, (DpUnit){DP_ADD_REMOVE, 1}, &table);
	test_coverage((Subject){"cipher"}, (DpUnit){DP_REPLACE_ONE, 1}, &table);
	test_coverage((Subject){"mst"}, (DpUnit){DP_ADD_REMOVE, 3}, &table);
	test_coverage((Subject){"mst"}, (DpUnit){DP_REPLACE_ONE, 1}, &table);
	test_coverage((Subject){"steps"}, (DpUnit){DP_ADD_REMOVE, 1}, &table);
	/* only the cells of its own nodes say something in the tables of a branch */
	test_coverage((Subject){"steps", NULL, "own"}, (DpUnit){DP_ADD_REMOVE, 1}, &table);
	/* with much noise whole rows of conditional tables are 0, and are told by fewer parents */
	for (size_t i = 0; i < 2 * sizeof(models) / sizeof(*models); i++)
	{
		DpArena own = dp_arena_malloc();

		test_model(models[i / 2], i % 2 == 0 ? INT64_C(2000000000) : 30000000, &table, &own);
	}
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
