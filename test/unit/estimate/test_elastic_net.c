/*
 * test_elastic_net.c -- multinomial regression against known-good solutions, and
 * what holds of any: weights of rows count as copies, the objective never rises.
 *
 * The numbers are predictions of scikit-learn 1.9.1, LogisticRegression with
 * solver "saga", penalty "elasticnet", C = 1 / (rows x lambda), tol 1e-13, on
 * one-hot columns of the same 200 rows (make_rows below).
 */
#include "core/estimate/elastic_net.h"

#include "core/methods/pmi/pmi_fit.h"

#include "unit.h"

#define ROWS 200
#define COMBINATIONS 8

static const uint32_t levels[] = {3, 2, 4};
static const uint32_t feature[] = {1, 2};
static const DpNetEffort exact = {.tolerance = 1e-9, .passes_max = 20000};

typedef struct Known
{
	DpNetPenalty penalty;
	double f[COMBINATIONS][3];
} Known;

static const Known known[] = {
	{{0.01, 0.5},
	 {{0.4306433, 0.4241575, 0.1451992},
	  {0.1500355, 0.4771440, 0.3728205},
	  {0.3855213, 0.1795285, 0.4349502},
	  {0.4318158, 0.4302887, 0.1378954},
	  {0.4051988, 0.4507570, 0.1440442},
	  {0.1386620, 0.4980556, 0.3632825},
	  {0.3682592, 0.1936884, 0.4380524},
	  {0.4061504, 0.4571021, 0.1367475}}},
	{{0.05, 1},
	 {{0.3333862, 0.3903982, 0.2762155},
	  {0.2857143, 0.4183170, 0.2959687},
	  {0.3677376, 0.3275862, 0.3046762},
	  {0.3333862, 0.3903982, 0.2762155},
	  {0.3333862, 0.3903982, 0.2762155},
	  {0.2857143, 0.4183170, 0.2959687},
	  {0.3677376, 0.3275862, 0.3046762},
	  {0.3333862, 0.3903982, 0.2762155}}},
	{{0.1, 0},
	 {{0.3821004, 0.3907349, 0.2271647},
	  {0.2382175, 0.4291789, 0.3326036},
	  {0.3653417, 0.2625825, 0.3720758},
	  {0.3910901, 0.3994643, 0.2094456},
	  {0.3590761, 0.4207228, 0.2202011},
	  {0.2220011, 0.4582732, 0.3197258},
	  {0.3479437, 0.2865368, 0.3655195},
	  {0.3672775, 0.4298336, 0.2028889}}},
	{{0.003, 0.9},
	 {{0.4586124, 0.4264068, 0.1149808},
	  {0.1249847, 0.4874573, 0.3875580},
	  {0.3931700, 0.1569513, 0.4498787},
	  {0.4565206, 0.4244619, 0.1190176},
	  {0.4151039, 0.4689038, 0.1159924},
	  {0.1087624, 0.5153556, 0.3758820},
	  {0.3622824, 0.1757034, 0.4620142},
	  {0.4131939, 0.4667463, 0.1200598}}},
};

static uint32_t
next(uint32_t *state, uint32_t n)
{
	*state = (*state * 1103515245u + 12345u) & 0x7fffffffu;
	return (*state >> 16) % n;
}

static void
make_rows(uint32_t *codes)
{
	uint32_t state = 1;

	for (uint32_t i = 0; i < ROWS; i++)
	{
		uint32_t b = next(&state, 2);
		uint32_t c = next(&state, 4);

		codes[3 * i] = next(&state, 3) > 0 ? (b + c) % 3 : next(&state, 3);
		codes[3 * i + 1] = b;
		codes[3 * i + 2] = c;
	}
}

static DpNetRows
make_data(const uint32_t *codes, uint64_t rows, DpArena *arena)
{
	DpNetRows data = {.rows = rows, .attributes = 3, .levels = levels, .codes = codes};

	MUST(dp_net_rows_build(&data, arena));
	return data;
}

/* The largest difference of predictions from known ones. */
static double
error_of(const DpElasticNet *net, const Known *expected)
{
	double worst = 0, f[3];

	for (uint32_t i = 0; i < COMBINATIONS; i++)
	{
		uint32_t row[3] = {0, i / 4, i % 4};

		dp_elastic_net_predict(net, row, f);
		for (int c = 0; c < 3; c++)
			worst = fmax(worst, fabs(f[c] - expected->f[i][c]));
	}
	return worst;
}

static void
check_known(void)
{
	DpArena arena = dp_arena_malloc();
	uint32_t codes[3 * ROWS];
	double weight[ROWS];
	DpNetRows data;

	make_rows(codes);
	data = make_data(codes, ROWS, &arena);
	for (int i = 0; i < ROWS; i++)
		weight[i] = 1;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
	{
		DpElasticNet net;

		MUST(dp_elastic_net_init(&net, &data, 0, feature, 2, &arena));
		MUST(dp_elastic_net_fit(&net, weight, known[i].penalty, exact, NULL, &arena));
		CHECK(error_of(&net, &known[i]) < 1e-4,
			  "lambda %g, mixing %g: within %.1e of known, %u passes", known[i].penalty.lambda,
			  known[i].penalty.mixing, error_of(&net, &known[i]), net.passes);
		/* what rows are drawn from need not be that exact */
		MUST(dp_elastic_net_init(&net, &data, 0, feature, 2, &arena));
		MUST(dp_elastic_net_fit(&net, weight, known[i].penalty, dp_pmi_effort, NULL, &arena));
		CHECK(error_of(&net, &known[i]) < 2e-2, "as the method fits it: within %.1e, %u passes",
			  error_of(&net, &known[i]), net.passes);
	}
	dp_arena_malloc_free(&arena);
}

/* Rows of weight 3 are three rows; rows of weight 0 are none. */
static void
check_weights(void)
{
	DpArena arena = dp_arena_malloc();
	uint32_t codes[3 * ROWS], copied[9 * ROWS];
	double weight[ROWS], one[3 * ROWS], f[3], g[3];
	DpNetRows data, copies;
	DpElasticNet net, other;
	uint32_t n = 0;
	double worst = 0;

	make_rows(codes);
	for (uint32_t i = 0; i < ROWS; i++)
	{
		weight[i] = i % 4;
		for (uint32_t k = 0; k < i % 4; k++, n++)
			memcpy(copied + 3 * n, codes + 3 * i, 3 * sizeof(*codes));
	}
	for (uint32_t i = 0; i < 3 * ROWS; i++)
		one[i] = 1;
	data = make_data(codes, ROWS, &arena);
	copies = make_data(copied, n, &arena);
	MUST(dp_elastic_net_init(&net, &data, 0, feature, 2, &arena));
	MUST(dp_elastic_net_init(&other, &copies, 0, feature, 2, &arena));
	MUST(dp_elastic_net_fit(&net, weight, known[0].penalty, exact, NULL, &arena));
	MUST(dp_elastic_net_fit(&other, one, known[0].penalty, exact, NULL, &arena));
	for (uint32_t i = 0; i < COMBINATIONS; i++)
	{
		uint32_t row[3] = {0, i / 4, i % 4};

		dp_elastic_net_predict(&net, row, f);
		dp_elastic_net_predict(&other, row, g);
		for (int c = 0; c < 3; c++)
			worst = fmax(worst, fabs(f[c] - g[c]));
	}
	CHECK(worst < 1e-7, "weights are copies: within %.1e", worst);
	dp_arena_malloc_free(&arena);
}

static double
objective(const DpElasticNet *net, const double *weight, DpNetPenalty penalty, DpArena *arena)
{
	double loss, lasso = 0, ridge = 0;

	MUST(dp_elastic_net_loss(net, weight, &loss, arena));
	for (uint32_t k = 0; k < net->features; k++)
	{
		for (uint32_t i = 0; i < levels[net->feature[k]] * net->classes; i++)
		{
			lasso += fabs(net->weight[k][i]);
			ridge += net->weight[k][i] * net->weight[k][i];
		}
	}
	return loss / ROWS +
		   penalty.lambda * (penalty.mixing * lasso + (1 - penalty.mixing) / 2 * ridge);
}

static void
check_descent(void)
{
	DpArena arena = dp_arena_malloc();
	const DpNetEffort once = {.tolerance = 0, .passes_max = 1};
	const DpNetPenalty penalty = {0.0001, 0.5};
	uint32_t codes[3 * ROWS];
	double weight[ROWS], last = INFINITY;
	DpNetRows data;
	DpElasticNet net;
	int rises = 0;

	make_rows(codes);
	for (int i = 0; i < ROWS; i++)
	{
		codes[3 * i] = codes[3 * i + 2] % 3; /* separable */
		weight[i] = 1;
	}
	data = make_data(codes, ROWS, &arena);
	MUST(dp_elastic_net_init(&net, &data, 0, feature, 2, &arena));
	for (int i = 0; i < 200; i++)
	{
		double now;

		MUST(dp_elastic_net_fit(&net, weight, penalty, once, NULL, &arena));
		now = objective(&net, weight, penalty, &arena);
		rises += now > last + 1e-12;
		last = now;
	}
	CHECK_I64(rises, 0, "no pass raises the objective");
	CHECK(last < 0.02, "separable classes are distinguished: objective %.4f", last);
	dp_arena_malloc_free(&arena);
}

static void
check_nothing(void)
{
	DpArena arena = dp_arena_malloc();
	DpNetRows data = make_data(NULL, 0, &arena);
	DpElasticNet net;
	uint32_t row[3] = {0, 1, 2};
	double f[3];

	MUST(dp_elastic_net_init(&net, &data, 0, feature, 2, &arena));
	MUST(dp_elastic_net_fit(&net, NULL, known[0].penalty, exact, NULL, &arena));
	dp_elastic_net_predict(&net, row, f);
	CHECK_NEAR(f[0], 1.0 / 3, 1e-15, "without rows all classes are alike");
	dp_arena_malloc_free(&arena);
}

/* Rounding gives a point of the simplex, whatever it is given. */
static void
check_rounding(void)
{
	static const double f[][4] = {{0.25, 0.25, 0.25, 0.25},
								  {1, 0, 0, 0},
								  {0.1, 0.2, 0.3, 0.4},
								  {NAN, 0.5, 0.5, 0},
								  {INFINITY, 1, 1, 1},
								  {0, 0, 0, 0},
								  {-1, 2, 0, 0},
								  {1e-300, 1e-300, 0, 0},
								  {NAN, NAN, NAN, NAN},
								  {-INFINITY, -1, -2, -3},
								  {1e308, 1e308, 1e308, 1}};
	static const int64_t totals[] = {1, 2, 7, 1 << 22};

	for (size_t i = 0; i < sizeof(f) / sizeof(f[0]); i++)
	{
		bool good = true;

		for (size_t k = 0; k < sizeof(totals) / sizeof(totals[0]); k++)
		{
			int64_t out[4], sum = 0;

			dp_pmi_round(f[i], 4, totals[k], out);
			for (int c = 0; c < 4; c++)
			{
				good = good && out[c] >= 0;
				sum += out[c];
			}
			good = good && sum == totals[k];
		}
		CHECK(good, "case %zu is rounded to the simplex", i);
	}
}

int
main(void)
{
	check_known();
	check_weights();
	check_descent();
	check_nothing();
	check_rounding();
	return unit_finish();
}
