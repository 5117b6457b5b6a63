/*
 * baseline.c -- donors: by nothing, by the values of parents, or by a regression.
 */
#include "core/evaluate/baseline.h"

#include <math.h>
#include <string.h>

#include "core/base/saturate.h"
#include "core/base/sort.h"
#include "core/estimate/elastic_net.h"

#define SAMPLE_ROWS 20000 /* rows from which the dependence of columns is estimated */
#define PAIR_CELLS_MAX 4000000
#define LAMBDA 1e-4 /* a ridge that only keeps regressions finite */

static const DpNetEffort effort = {.tolerance = 1e-2, .passes_max = 20};

/* The rows of the table by a key of a column: those with equal keys stand together. */
typedef struct Donors
{
	uint32_t parents;
	uint32_t *parent; /* [parents] whose codes make the key */
	uint64_t *key;    /* [rows] ascending */
	uint32_t *row;    /* [rows] */
} Donors;

struct DpBaseline
{
	DpBaselineTask task;
	const DpTick *tick;
	DpArena *arena;
	Donors *donors; /* [attributes] of gibbs by parents, of imputation by the column itself */
	DpNetRows net_rows;
	DpElasticNet *net; /* [attributes] */
	uint32_t *code;    /* [attributes] of the row that is drawn */
	double *f;         /* [most levels] */
};

/* ---- keys ---- */

static uint64_t
mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0xff51afd7ed558ccd);
	return hash ^ (hash >> 32);
}

static uint64_t
key_of(const Donors *donors, const uint32_t *code)
{
	uint64_t key = UINT64_C(0x9e3779b97f4a7c15);

	for (uint32_t i = 0; i < donors->parents; i++)
		key = mix(key, (uint64_t) code[donors->parent[i]] + 1);
	return key;
}

static DpStatus
donors_build(const DpBaseline *baseline, Donors *donors)
{
	const DpBaselineRows *rows = &baseline->task.rows;
	DpArena *arena = baseline->arena;
	uint64_t *key = dp_alloc(arena, rows->rows, sizeof(uint64_t));
	uint64_t *order = dp_alloc(arena, rows->rows, sizeof(uint64_t));

	donors->key = dp_alloc(arena, rows->rows, sizeof(uint64_t));
	donors->row = dp_alloc(arena, rows->rows, sizeof(uint32_t));
	DP_TRY_ALLOC(key && order && donors->key && donors->row);
	for (uint64_t r = 0; r < rows->rows; r++)
		key[r] = key_of(donors, rows->code + r * rows->attributes);
	DP_TRY(dp_sort_numbers(key, rows->rows, order, arena));
	for (uint64_t i = 0; i < rows->rows; i++)
	{
		donors->key[i] = key[order[i]];
		donors->row[i] = (uint32_t) order[i];
	}
	dp_free(arena, key, rows->rows, sizeof(uint64_t));
	dp_free(arena, order, rows->rows, sizeof(uint64_t));
	return DP_OK;
}

/* A row with the key; any row if none has it. */
static uint32_t
donor_of(const DpBaseline *baseline, const Donors *donors, const uint32_t *code, DpPrng *prng)
{
	uint64_t rows = baseline->task.rows.rows, key = key_of(donors, code);
	uint64_t first = dp_first_at_least(donors->key, rows, key), end;

	if (first == rows || donors->key[first] != key)
		return (uint32_t) dp_prng_below(prng, rows);
	end = key == UINT64_MAX ? rows : dp_first_at_least(donors->key, rows, key + 1);
	return donors->row[first + dp_prng_below(prng, end - first)];
}

/* ---- parents ---- */

typedef struct Score
{
	double *of; /* [attributes] how much each says about the target */
	uint64_t *order;
	uint32_t *pair; /* [PAIR_CELLS_MAX] */
} Score;

static double
entropy_part(double n)
{
	return n > 0 ? n * log(n) : 0;
}

/* Mutual information in nats times rows, less what chance adds on average (Miller and Madow). */
static double
dependence(const DpBaselineRows *rows, uint32_t a, uint32_t b, uint32_t *pair)
{
	uint64_t cells = dp_multiply_saturated(rows->levels[a], rows->levels[b]);
	uint64_t step = rows->rows / SAMPLE_ROWS + 1, n = 0, seen_a = 0, seen_b = 0;
	double sum = 0;

	if (cells > PAIR_CELLS_MAX)
		return -1;
	memset(pair, 0, sizeof(uint32_t) * cells);
	for (uint64_t r = 0; r < rows->rows; r += step, n++)
	{
		const uint32_t *code = rows->code + r * rows->attributes;

		pair[(uint64_t) code[a] * rows->levels[b] + code[b]]++;
	}
	for (uint32_t i = 0; i < rows->levels[a]; i++)
	{
		uint64_t line = 0;

		for (uint32_t k = 0; k < rows->levels[b]; k++)
		{
			uint32_t count = pair[(uint64_t) i * rows->levels[b] + k];

			sum += entropy_part(count);
			line += count;
		}
		sum -= entropy_part((double) line);
		seen_a += line > 0;
	}
	for (uint32_t k = 0; k < rows->levels[b]; k++)
	{
		uint64_t line = 0;

		for (uint32_t i = 0; i < rows->levels[a]; i++)
			line += pair[(uint64_t) i * rows->levels[b] + k];
		sum -= entropy_part((double) line);
		seen_b += line > 0;
	}
	sum += entropy_part((double) n);
	return sum - ((double) seen_a - 1) * ((double) seen_b - 1) / 2;
}

static bool
more_dependent(const void *context, uint64_t a, uint64_t b)
{
	const double *score = context;

	return score[a] > score[b];
}

/* The columns that tell most of the target come first. */
static DpStatus
choose_parents(const DpBaseline *baseline, uint32_t target, Score *score, Donors *donors)
{
	const DpBaselineRows *rows = &baseline->task.rows;
	uint32_t n = rows->attributes;

	donors->parents = baseline->task.parents < n - 1 ? baseline->task.parents : n - 1;
	donors->parent = dp_alloc(baseline->arena, n, sizeof(uint32_t));
	DP_TRY_ALLOC(donors->parent);
	for (uint32_t a = 0; a < n; a++)
	{
		dp_tick(baseline->tick, -1);
		score->order[a] = a;
		score->of[a] = a == target                ? -INFINITY
					   : donors->parents == n - 1 ? 0
												  : dependence(rows, target, a, score->pair);
	}
	DP_TRY(dp_sort_indexes(score->order, n, more_dependent, score->of, baseline->arena));
	for (uint32_t i = 0; i < donors->parents; i++)
		donors->parent[i] = (uint32_t) score->order[i];
	return DP_OK;
}

static DpStatus
prepare_gibbs(DpBaseline *baseline)
{
	uint32_t n = baseline->task.rows.attributes;
	Score score = {.of = dp_alloc(baseline->arena, n, sizeof(double)),
				   .order = dp_alloc(baseline->arena, n, sizeof(uint64_t)),
				   .pair = dp_alloc(baseline->arena, PAIR_CELLS_MAX, sizeof(uint32_t))};

	DP_TRY_ALLOC(score.of && score.order && score.pair);
	for (uint32_t a = 0; a < n; a++)
	{
		DP_TRY(choose_parents(baseline, a, &score, &baseline->donors[a]));
		DP_TRY(donors_build(baseline, &baseline->donors[a]));
	}
	dp_free(baseline->arena, score.pair, PAIR_CELLS_MAX, sizeof(uint32_t));
	return DP_OK;
}

/* ---- regressions ---- */

static DpStatus
fit_net(DpBaseline *baseline, uint32_t target, const double *weight)
{
	const DpBaselineRows *rows = &baseline->task.rows;
	uint32_t *feature = dp_alloc(baseline->arena, rows->attributes, sizeof(uint32_t));
	uint32_t features = 0;

	DP_TRY_ALLOC(feature);
	for (uint32_t a = 0; a < rows->attributes; a++)
		if (a != target)
			feature[features++] = a;
	DP_TRY(dp_elastic_net_init(&baseline->net[target], &baseline->net_rows, target, feature,
							   features, baseline->arena));
	return dp_elastic_net_fit(&baseline->net[target], weight,
							  (DpNetPenalty){.lambda = LAMBDA, .mixing = 0}, effort, baseline->tick,
							  baseline->arena);
}

static uint64_t
parameters(const DpBaselineRows *rows)
{
	uint64_t levels = 0, sum = 0;

	for (uint32_t a = 0; a < rows->attributes; a++)
		levels = dp_add_saturated(levels, rows->levels[a]);
	for (uint32_t a = 0; a < rows->attributes; a++)
		sum = dp_add_saturated(sum, dp_multiply_saturated(levels, rows->levels[a]));
	return sum;
}

static DpStatus
prepare_imputation(DpBaseline *baseline)
{
	const DpBaselineRows *rows = &baseline->task.rows;
	double *weight = dp_alloc(baseline->arena, rows->rows, sizeof(double));
	uint32_t most = 0;

	if (parameters(rows) > DP_BASELINE_PARAMETERS_MAX)
		return DP_ERR_LIMIT;
	baseline->net_rows = (DpNetRows){.rows = rows->rows,
									 .attributes = rows->attributes,
									 .levels = rows->levels,
									 .codes = rows->code};
	baseline->net = dp_alloc(baseline->arena, rows->attributes, sizeof(DpElasticNet));
	DP_TRY_ALLOC(weight && baseline->net);
	for (uint64_t r = 0; r < rows->rows; r++)
		weight[r] = 1;
	DP_TRY(dp_net_rows_build(&baseline->net_rows, baseline->arena));
	for (uint32_t a = 0; a < rows->attributes; a++)
	{
		Donors *donors = &baseline->donors[a];

		most = rows->levels[a] > most ? rows->levels[a] : most;
		donors->parents = 1;
		donors->parent = dp_alloc(baseline->arena, 1, sizeof(uint32_t));
		DP_TRY_ALLOC(donors->parent);
		donors->parent[0] = a;
		DP_TRY(donors_build(baseline, donors));
		DP_TRY(fit_net(baseline, a, weight));
	}
	baseline->f = dp_alloc(baseline->arena, most, sizeof(double));
	return baseline->f == NULL ? DP_ERR_MEMORY : DP_OK;
}

DpStatus
dp_baseline_prepare(const DpBaselineTask *task, DpBaseline **out, const DpTick *tick,
					DpArena *arena)
{
	DpBaseline *baseline = dp_alloc(arena, 1, sizeof(DpBaseline));

	DP_TRY_ALLOC(baseline);
	*baseline = (DpBaseline){.task = *task, .tick = tick, .arena = arena};
	baseline->donors = dp_alloc(arena, task->rows.attributes, sizeof(Donors));
	baseline->code = dp_alloc(arena, task->rows.attributes, sizeof(uint32_t));
	DP_TRY_ALLOC(baseline->donors && baseline->code);
	*out = baseline;
	if (task->method == DP_BASELINE_GIBBS)
		return prepare_gibbs(baseline);
	return task->method == DP_BASELINE_IMPUTATION ? prepare_imputation(baseline) : DP_OK;
}

/* ---- draws ---- */

/* A level with the probability that the regression gives it. */
static void
impute(DpBaseline *baseline, uint32_t target, DpPrng *prng)
{
	uint32_t levels = baseline->task.rows.levels[target], level = 0;
	double u = dp_prng_unit(prng), below;

	dp_elastic_net_predict(&baseline->net[target], baseline->code, baseline->f);
	for (below = baseline->f[0]; level + 1 < levels && below <= u;)
		below += baseline->f[++level];
	baseline->code[target] = level;
}

void
dp_baseline_draw(DpBaseline *baseline, uint64_t row, uint32_t *donor)
{
	const DpBaselineTask *task = &baseline->task;
	uint32_t n = task->rows.attributes, start;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){.seed = task->seed, .block = row});
	start = (uint32_t) dp_prng_below(&prng, task->rows.rows);
	memcpy(baseline->code, task->rows.code + (uint64_t) start * n, sizeof(uint32_t) * n);
	for (uint32_t a = 0; a < n; a++)
		donor[a] = task->method == DP_BASELINE_MARGINAL
					   ? (uint32_t) dp_prng_below(&prng, task->rows.rows)
					   : start;
	if (task->method != DP_BASELINE_GIBBS && task->method != DP_BASELINE_IMPUTATION)
		return;
	for (uint32_t sweep = 0; sweep < task->sweeps; sweep++)
		for (uint32_t a = 0; a < n; a++)
		{
			if (task->method == DP_BASELINE_IMPUTATION)
				impute(baseline, a, &prng);
			donor[a] = donor_of(baseline, &baseline->donors[a], baseline->code, &prng);
			baseline->code[a] = task->rows.code[(uint64_t) donor[a] * n + a];
		}
}
