/*
 * pairs.c -- all two-way tables in one scan, and their scores.
 */
#include "core/select/pairs.h"

#include "core/base/saturate.h"
#include "core/plan/release_table.h"
#include "core/select/dependence.h"
#include "core/select/information.h"

#define PAIR_CELLS_MAX UINT64_C(4000000)    /* cells of one dense pair */
#define PAIRS_CELLS_MAX UINT64_C(128000000) /* cells of all dense pairs: 1 GB */

static uint64_t
pairs_n(const DpDomain *domain)
{
	return (uint64_t) domain->attributes * (domain->attributes - 1) / 2;
}

/* Large pairs are sparse, with the same score. With many pairs each may take less memory. */
static DpStorage
pair_storage(const DpDomain *domain, const uint32_t pair[2])
{
	uint64_t share = PAIRS_CELLS_MAX / pairs_n(domain);

	return dp_table_storage(domain, pair, 2, share < PAIR_CELLS_MAX ? share : PAIR_CELLS_MAX);
}

uint64_t
dp_pairs_memory(const DpDomain *domain)
{
	uint32_t pair[2];
	uint64_t bytes = 0;

	for (pair[0] = 0; pair[0] < domain->attributes; pair[0]++)
	{
		for (pair[1] = pair[0] + 1; pair[1] < domain->attributes; pair[1]++)
			bytes = dp_add_saturated(bytes,
									 dp_table_memory(domain, pair, 2, pair_storage(domain, pair)));
	}
	return bytes;
}

static DpStatus
init_pairs(const DpMeasurement *m, DpMarginal *table, DpError *error)
{
	uint32_t pair[2];
	uint32_t i = 0;

	for (pair[0] = 0; pair[0] < m->domain->attributes; pair[0]++)
	{
		for (pair[1] = pair[0] + 1; pair[1] < m->domain->attributes; pair[1]++, i++)
			DP_TRY(dp_marginal_init(&table[i], m->domain, &(DpAttributeSet){2, pair},
									pair_storage(m->domain, pair), m->arena, error));
	}
	return DP_OK;
}

int64_t
dp_pairs_sensitivity(DpPairScore by, const DpUnit *unit)
{
	return by == DP_PAIR_INFORMATION ? dp_information_sensitivity(unit)
									 : dp_dependence_sensitivity(unit);
}

static DpStatus
score_pairs(const DpMeasurement *m, DpPairScore by, DpMarginal *table, uint64_t n, int64_t *score)
{
	uint32_t attributes = m->domain->attributes;

	for (uint64_t i = 0; i < n; i++)
	{
		uint32_t a = table[i].attribute[0];
		uint32_t b = table[i].attribute[1];
		int64_t value;

		dp_tick(m->noise.tick, -1.0);
		if (by == DP_PAIR_INFORMATION)
			DP_TRY(dp_marginal_information(&table[i], &value, m->arena));
		else
			DP_TRY(dp_marginal_dependence(&table[i], &value, m->arena));
		score[(uint64_t) a * attributes + b] = value;
		score[(uint64_t) b * attributes + a] = value;
		dp_marginal_free(&table[i]);
	}
	return DP_OK;
}

DpStatus
dp_pairs_score(const DpMeasurement *m, DpPairScore by, int64_t **score, DpError *error)
{
	uint64_t n = pairs_n(m->domain);
	DpMarginal *table = dp_alloc(m->arena, n, sizeof(*table));

	*score = dp_alloc(m->arena, m->domain->attributes, m->domain->attributes * sizeof(**score));
	if (table == NULL || *score == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(init_pairs(m, table, error));
	DP_TRY(dp_count_marginals(m, table, n, error));
	DP_TRY(score_pairs(m, by, table, n, *score));
	dp_free(m->arena, table, n, sizeof(*table));
	return DP_OK;
}

void
dp_pairs_free(const DpMeasurement *m, int64_t *score)
{
	dp_free(m->arena, score, m->domain->attributes, m->domain->attributes * sizeof(*score));
}
