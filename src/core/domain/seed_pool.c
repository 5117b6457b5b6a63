/*
 * seed_pool.c -- public rows at which chains start.
 */
#include "core/domain/seed_pool.h"

static DpStatus
unfit(DpError *error)
{
	(void) dp_fail(error, DP_ERR_ARGUMENT,
				   "the seed pool does not fit the columns that are modelled");
	dp_fail_hint(error, "Ask again: the relation's domain has changed meanwhile.");
	return DP_ERR_ARGUMENT;
}

DpStatus
dp_seed_pool_check(const DpSeedPool *pool, const DpDomain *domain, DpError *error)
{
	int64_t before = 0;

	if (pool->attributes != domain->attributes || pool->n < 1 || pool->n > DP_SEED_POOL_ROWS_MAX ||
		pool->n * pool->attributes > DP_SEED_POOL_CODES_MAX)
		return unfit(error);
	for (uint64_t i = 0; i < pool->n; i++)
	{
		for (uint32_t a = 0; a < pool->attributes; a++)
		{
			if (pool->codes[i * pool->attributes + a] >= domain->attribute[a].levels)
				return unfit(error);
		}
		if (pool->upto[i] <= before)
			return unfit(error);
		before = pool->upto[i];
	}
	return DP_OK;
}
