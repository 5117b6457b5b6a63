/*
 * seed_draw.c -- rows drawn from a seed pool.
 */
#include "core/plan/seed_draw.h"

#include <string.h>

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
