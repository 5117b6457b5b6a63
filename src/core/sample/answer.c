/*
 * answer.c -- groups summed from the shares of a model, or from rows that are drawn from it.
 */
#include "core/sample/answer.h"

#include <math.h>
#include <string.h>

#define MARGIN_CELLS_MAX (UINT64_C(1) << 24)

/* Shares of all rows. */
typedef struct Shares
{
	double *group; /* [groups] that meet the condition */
	double given;  /* of all that meet the condition */
	uint64_t groups;
	DpBasis basis;
} Shares;

/* The attributes that a query names, ascending, and the step of each among the groups. */
typedef struct Named
{
	DpAttributeSet set;
	uint32_t *attribute;
	uint64_t *step;
} Named;

static DpStatus
find_named(const DpMarginalQuery *query, Named *named, DpArena *arena)
{
	uint32_t p = query->domain->attributes, n = 0;

	named->attribute = dp_alloc(arena, p, sizeof(*named->attribute));
	named->step = dp_alloc(arena, p, sizeof(*named->step));
	DP_TRY_ALLOC(named->attribute && named->step);
	for (uint32_t a = 0; a < p; a++)
	{
		uint64_t step = dp_marginal_query_step(query, a);

		if (step == 0 && !dp_marginal_query_gives(query, a))
			continue;
		named->step[n] = step;
		named->attribute[n++] = a;
	}
	named->set = (DpAttributeSet){n, named->attribute};
	return DP_OK;
}

static void
add_share(const DpMarginalQuery *query, const Named *named, const uint32_t *code, double share,
		  Shares *shares)
{
	uint64_t group = 0;

	for (uint32_t k = 0; k < named->set.n; k++)
	{
		group += named->step[k] * code[k];
		share *= dp_given_weight(query->given, named->attribute[k], code[k]);
	}
	shares->group[group] += share;
	shares->given += share;
}

/* ---- shares that the model knows ---- */

static DpStatus
sum_margin(const DpMarginalQuery *query, const Named *named, const DpModelSource *source,
		   Shares *shares, const DpTick *tick, DpArena *arena)
{
	uint64_t cells = dp_domain_cells(query->domain, named->attribute, named->set.n);
	uint32_t *code;
	double *margin;
	DpStatus status;

	if (cells > MARGIN_CELLS_MAX)
		return DP_ERR_LIMIT;
	margin = dp_alloc(arena, cells, sizeof(*margin));
	code = dp_alloc(arena, named->set.n, sizeof(*code));
	DP_TRY_ALLOC(margin && code);
	status = source->sampler->query->marginal(source->fitted, &named->set, margin, tick, arena);
	for (uint64_t i = 0; i < cells && status == DP_OK; i++)
	{
		add_share(query, named, code, margin[i], shares);
		for (uint32_t k = named->set.n; k-- > 0; code[k] = 0)
			if (++code[k] < query->domain->attribute[named->attribute[k]].levels)
				break;
	}
	dp_free(arena, margin, cells, sizeof(*margin));
	dp_free(arena, code, named->set.n, sizeof(*code));
	return status;
}

/* ---- shares among rows ---- */

typedef struct BlockRows
{
	uint32_t code[DP_BLOCK_ROWS]; /* of one attribute */
	uint32_t group[DP_BLOCK_ROWS];
	double weight[DP_BLOCK_ROWS];
} BlockRows;

/* Adds n rows, of weight 1 each before the condition. The groups are DP_ANSWER_CELLS_MAX at most.
 */
static void
add_rows(const DpMarginalQuery *query, const Named *named, const DpMonteCarlo *drawn,
		 uint64_t first, uint32_t n, BlockRows *block, Shares *shares)
{
	for (uint32_t i = 0; i < n; i++)
	{
		block->group[i] = 0;
		block->weight[i] = 1;
	}
	for (uint32_t k = 0; k < named->set.n; k++)
	{
		uint32_t a = named->attribute[k], step = (uint32_t) named->step[k];

		dp_monte_carlo_codes(drawn, a, first, n, block->code);
		for (uint32_t i = 0; i < n; i++)
			block->group[i] += step * block->code[i];
		for (uint32_t i = 0; i < n && dp_marginal_query_gives(query, a); i++)
			block->weight[i] *= dp_given_weight(query->given, a, block->code[i]);
	}
	for (uint32_t i = 0; i < n; i++)
	{
		shares->group[block->group[i]] += block->weight[i];
		shares->given += block->weight[i];
	}
}

static uint64_t
rows_counted(const DpModelSource *source, const DpMonteCarlo *drawn)
{
	bool fewer = source->rows_max > 0 && source->rows_max < drawn->rows;

	/* the rows of a release may be in some order */
	return fewer && !dp_model_holds_rows(source->model) ? source->rows_max : drawn->rows;
}

static DpStatus
count_rows(const DpMarginalQuery *query, const Named *named, const DpModelSource *source,
		   Shares *shares, const DpTick *tick, DpArena *arena, DpError *error)
{
	BlockRows *block = dp_alloc(arena, 1, sizeof(*block));
	const DpMonteCarlo *drawn = source->drawn;
	DpMonteCarlo fresh;
	uint64_t rows;

	DP_TRY_ALLOC(block);
	if (drawn == NULL)
	{
		DP_TRY(dp_monte_carlo_make(source->sampler, source->model, &named->set, &fresh, tick, arena,
								   error));
		drawn = &fresh;
	}
	rows = rows_counted(source, drawn);
	for (uint64_t row = 0; row < rows; row += DP_BLOCK_ROWS)
	{
		uint64_t left = rows - row;

		dp_tick(tick, (double) row / (double) rows);
		add_rows(query, named, drawn, row,
				 left < DP_BLOCK_ROWS ? (uint32_t) left : (uint32_t) DP_BLOCK_ROWS, block, shares);
	}
	for (uint64_t b = 0; b < shares->groups && rows > 0; b++)
		shares->group[b] /= (double) rows;
	shares->given /= rows > 0 ? (double) rows : 1;
	shares->basis = dp_model_holds_rows(source->model) ? DP_BASIS_ROW_RELEASE : DP_BASIS_SIMULATED;
	dp_free(arena, block, 1, sizeof(*block));
	return DP_OK;
}

/* ---- answers ---- */

static DpStatus
ask_source(const DpMarginalQuery *query, const Named *named, const DpModelSource *source,
		   Shares *shares, const DpTick *tick, DpArena *arena, DpError *error)
{
	DpStatus status = DP_ERR_LIMIT;

	memset(shares->group, 0, shares->groups * sizeof(*shares->group));
	shares->given = 0;
	shares->basis = DP_BASIS_MODEL;
	if (source->fitted != NULL)
		status = sum_margin(query, named, source, shares, tick, arena);
	if (status == DP_ERR_LIMIT)
		status = count_rows(query, named, source, shares, tick, arena, error);
	return status;
}

static double
rows_of(const DpMarginalQuery *query, const DpModelSource *source)
{
	if (query->measure == DP_MEASURE_SHARE)
		return 1;
	return query->rows_public >= 0 ? query->rows_public : (double) source->model->rows;
}

DpStatus
dp_model_answer(const DpMarginalQuery *query, const DpModelSource *source, uint32_t sources,
				DpGroupAnswer *out, const DpTick *tick, DpArena *arena, DpError *error)
{
	Shares shares = {.groups = dp_marginal_query_groups(query)};
	double *sum = dp_alloc(arena, shares.groups, sizeof(*sum));
	DpBasis basis = DP_BASIS_MODEL;
	Named named;

	shares.group = dp_alloc(arena, shares.groups, sizeof(*shares.group));
	DP_TRY_ALLOC(shares.group && sum);
	DP_TRY(find_named(query, &named, arena));
	for (uint32_t s = 0; s < sources; s++)
	{
		double scale = rows_of(query, &source[s]);

		DP_TRY(ask_source(query, &named, &source[s], &shares, tick, arena, error));
		if (query->measure == DP_MEASURE_RATE)
			scale = shares.given > 0 ? 1 / shares.given : NAN;
		for (uint64_t b = 0; b < shares.groups; b++)
			sum[b] += shares.group[b] * scale / sources;
		basis = shares.basis;
	}
	for (uint64_t b = 0; b < shares.groups; b++)
	{
		if (out[b].basis != DP_BASIS_NONE)
			continue;
		out[b].basis = basis;
		out[b].estimate = sum[b];
		if (!isnan(out[b].low) && !isnan(sum[b]))
			out[b].estimate = fmin(fmax(sum[b], out[b].low), out[b].high);
	}
	return DP_OK;
}
