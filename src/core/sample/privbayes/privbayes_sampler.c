/*
 * privbayes_sampler.c -- consistent nonnegative tables of a network, and
 * ancestral sampling from them.
 */
#include "core/sample/privbayes/privbayes_sampler.h"

#include <math.h>

#include "core/estimate/consistency.h"
#include "core/sample/conditional.h"
#include "core/sample/graphical_fit.h"
#include "core/sample/network_factors.h"
#include "core/sample/table_sampler.h"

#define FIRST_STREAM UINT64_C(0xa0761d6478bd642f) /* keeps the first table apart from others */
#define NOISE_ROWS_MAX 1.5 /* most noise in a projected table, as a share of its rows */

typedef struct PrivBayesSampler
{
	const DpModel *model;
	DpTableSampler first;
	uint32_t conditionals;
	DpConditional *conditional; /* for each of the other tables, in order */
	DpCodeColumns block;
	uint32_t *row; /* [attributes] scratch */
} PrivBayesSampler;

/* Whether each attribute is drawn once: those of the first table, then the last attribute of
 * each table, given earlier ones. */
static bool
tables_fit(const DpModel *model, uint32_t *tables)
{
	bool drawn[DP_ATTRIBUTES_MAX] = {false};
	uint32_t n = 0;

	*tables = model->tables;
	if (*tables > 0 && model->table[*tables - 1].n == 0)
		(*tables)--;
	for (uint32_t t = 0; t < *tables; t++)
	{
		const DpTable *table = &model->table[t];
		uint32_t known = t == 0 ? 0 : table->n - 1;

		if (table->n < 1 || table->n > DP_SUBSET_MAX || table->storage != DP_DENSE ||
			table->cells > UINT32_MAX)
			return false;
		for (uint32_t k = 0; k < table->n; k++)
		{
			if (drawn[table->attribute[k]] != (k < known))
				return false;
			drawn[table->attribute[k]] = true;
			n += k >= known;
		}
	}
	return n == model->domain.attributes;
}

static DpStatus
compile_conditionals(PrivBayesSampler *sampler, double **estimate, const DpTick *tick,
					 DpArena *arena)
{
	const DpModel *model = sampler->model;

	sampler->conditional = dp_alloc(arena, sampler->conditionals, sizeof(*sampler->conditional));
	DP_TRY_ALLOC(sampler->conditional);
	for (uint32_t i = 0; i < sampler->conditionals; i++)
	{
		dp_tick(tick, (double) i / sampler->conditionals);
		DP_TRY(dp_conditional_build(&sampler->conditional[i],
									&(DpEstimatedTable){.domain = &model->domain,
														.table = &model->table[i + 1],
														.estimate = estimate[i + 1],
														.rows = model->rows},
									true, tick, arena));
	}
	return DP_OK;
}

/*
 * The noise that would be left in a table after its negative counts are cut off: cells x E[max(Z,
 * 0)] = cells x a/(1 - a^2) rows.
 */
static double
noise_rows(const DpTable *table)
{
	double e0 = (double) table->cost.epsilon_nano / (1e9 * (double) table->sensitivity_l1);

	return (double) table->cells * exp(-e0) / -expm1(-2 * e0);
}

/*
 * Cuts off negative counts in a table that is little but noise. The projection would keep the few
 * largest of its cells, which are arbitrary; cutting off leaves all of it near uniform. Both are
 * post-processing. Public and released numbers decide which is taken.
 */
static void
flatten_noise(const DpModel *model, uint32_t tables, double **estimate)
{
	double rows = (double) model->rows;

	for (uint32_t t = 0; t < tables; t++)
	{
		const DpTable *table = &model->table[t];
		double sum = 0;

		if (noise_rows(table) <= NOISE_ROWS_MAX * rows)
			continue;
		for (uint64_t i = 0; i < table->cells; i++)
			sum += table->value[i] > 0 ? (double) table->value[i] : 0;
		for (uint64_t i = 0; i < table->cells && sum > 0; i++)
			estimate[t][i] = table->value[i] > 0 ? (double) table->value[i] * rows / sum : 0;
	}
}

static DpStatus
privbayes_prepare(const DpModel *model, void **out, const DpTick *tick, DpArena *arena,
				  DpError *error)
{
	PrivBayesSampler *sampler = dp_alloc(arena, 1, sizeof(*sampler));
	double **estimate;
	uint32_t tables;

	DP_TRY_ALLOC(sampler);
	if (!tables_fit(model, &tables))
		return dp_fail(error, DP_ERR_CORRUPT,
					   "stored model: its tables are not those of a network");
	sampler->model = model;
	sampler->conditionals = tables - 1;
	DP_TRY(dp_consistency_make(model, &estimate, tick, arena));
	flatten_noise(model, tables, estimate);
	DP_TRY(dp_table_sampler_prepare(&(DpEstimatedTable){.domain = &sampler->model->domain,
														.table = &sampler->model->table[0],
														.estimate = estimate[0],
														.rows = sampler->model->rows},
									&sampler->first, arena, error));
	DP_TRY(compile_conditionals(sampler, estimate, tick, arena));
	DP_TRY(dp_code_columns_init(&sampler->block, model->domain.attributes, arena));
	sampler->row = dp_alloc(arena, model->domain.attributes, sizeof(*sampler->row));
	DP_TRY_ALLOC(sampler->row);
	dp_consistency_free(model, estimate, arena);
	*out = sampler;
	return DP_OK;
}

static void
privbayes_draw(const void *sampler_in, DpPrng *prng, uint32_t *codes)
{
	const PrivBayesSampler *sampler = sampler_in;

	dp_table_sampler_draw(&sampler->first, prng, codes);
	for (uint32_t i = 0; i < sampler->conditionals; i++)
	{
		const DpTable *table = &sampler->model->table[i + 1];

		codes[table->attribute[table->n - 1]] =
			dp_conditional_draw_backoff(&sampler->conditional[i], 0, codes, prng);
	}
}

/* The columns of the first table, row by row, from a stream of their own. */
static void
draw_first(PrivBayesSampler *sampler, DpStream stream)
{
	const DpTable *table = &sampler->model->table[0];
	DpPrng prng;

	stream.seed ^= FIRST_STREAM;
	dp_prng_seed(&prng, stream);
	for (uint32_t r = 0; r < sampler->block.rows; r++)
	{
		dp_table_sampler_draw(&sampler->first, &prng, sampler->row);
		for (uint32_t k = 0; k < table->n; k++)
			sampler->block.code[(size_t) table->attribute[k] * DP_BLOCK_ROWS + r] =
				sampler->row[table->attribute[k]];
	}
}

static void
privbayes_draw_block(void *sampler_in, const DpRowBlock *rows, uint32_t *codes, const DpTick *tick)
{
	PrivBayesSampler *sampler = sampler_in;
	DpPrng prng;

	sampler->block.rows = rows->rows;
	draw_first(sampler, rows->stream);
	dp_prng_seed(&prng, rows->stream);
	for (uint32_t i = 0; i < sampler->conditionals; i++)
	{
		const DpTable *table = &sampler->model->table[i + 1];

		dp_tick(tick, -1.0);
		dp_conditional_draw_block(&sampler->conditional[i], 0, false, &sampler->block,
								  table->attribute[table->n - 1], &prng);
	}
	dp_code_columns_to_rows(&sampler->block, codes);
}

static uint64_t
privbayes_draw_cost(const DpModel *model, const void *state)
{
	(void) state;
	return model->domain.attributes;
}

/* ---- queries ---- */

static DpStatus
privbayes_fit(const DpModel *model, void **out, const DpTick *tick, DpArena *arena, DpError *error)
{
	DpNetworkTable *network = dp_alloc(arena, model->tables, sizeof(*network));
	DpGraphicalFit *fit;
	double **estimate;
	uint32_t tables;

	DP_TRY_ALLOC(network);
	if (!tables_fit(model, &tables))
		return dp_fail(error, DP_ERR_CORRUPT,
					   "stored model: its tables are not those of a network");
	DP_TRY(dp_consistency_make(model, &estimate, tick, arena));
	flatten_noise(model, tables, estimate);
	for (uint32_t t = 0; t < tables; t++)
		network[t] = (DpNetworkTable){.from = {.domain = &model->domain,
											   .table = &model->table[t],
											   .estimate = estimate[t],
											   .rows = model->rows},
									  .conditional = t > 0};
	DP_TRY(dp_network_factors(model, network, tables, &fit, tick, arena));
	dp_consistency_free(model, estimate, arena);
	*out = fit;
	return DP_OK;
}

static const DpModelQuery privbayes_query = {
	.fit = privbayes_fit,
	.marginal = dp_graphical_fit_marginal,
	.compile = dp_graphical_fit_compile,
	.sampler = &dp_graphical_sampler,
};

const DpSampler dp_privbayes_sampler = {
	.prepare = privbayes_prepare,
	.draw = privbayes_draw,
	.draw_block = privbayes_draw_block,
	.draw_cost = privbayes_draw_cost,
	.query = &privbayes_query,
};
