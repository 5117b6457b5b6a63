/*
 * seed_pool.c -- public rows at which chains start.
 */
#include "seed_pool.h"

#include <string.h>

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

static DpStatus
draw_uniform(const DpDomain *domain, DpRng *rng, uint32_t *row)
{
	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		uint64_t code;

		DP_TRY(dp_rng_below(rng, domain->attribute[a].levels, &code));
		row[a] = (uint32_t) code;
	}
	return DP_OK;
}

DpStatus
dp_seed_pool_draw(const DpSeedPool *pool, const DpDomain *domain, DpRng *rng, uint32_t *row)
{
	uint64_t copy;
	uint64_t low = 0, high;

	if (pool == NULL)
		return draw_uniform(domain, rng, row);
	high = pool->n - 1;
	DP_TRY(dp_rng_below(rng, (uint64_t) pool->upto[high], &copy));
	while (low < high) /* the first row with copy < upto */
	{
		uint64_t middle = low + (high - low) / 2;

		if (copy < (uint64_t) pool->upto[middle])
			high = middle;
		else
			low = middle + 1;
	}
	memcpy(row, pool->codes + low * pool->attributes, pool->attributes * sizeof(*row));
	return DP_OK;
}
