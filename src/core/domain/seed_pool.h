/*
 * seed_pool.h -- public rows at which chains start: uniform over the domain, or
 * rows of a public table. Nothing here comes from a protected relation.
 */
#ifndef DP_SEED_POOL_H
#define DP_SEED_POOL_H

#include "core/domain/domain.h"

#define DP_SEED_POOL_ROWS_MAX 1000000   /* distinct rows */
#define DP_SEED_POOL_CODES_MAX 10000000 /* codes of all rows together */
#define DP_OPTION_SEED_POOL "seed_pool"

typedef struct DpSeedPool
{
	uint32_t attributes;
	uint64_t n;            /* distinct rows, >= 1 */
	const uint32_t *codes; /* [n x attributes] */
	const int64_t *upto;   /* [n] copies of this row and those before it: ascending, >= 1 */
} DpSeedPool;

/* DP_ERR_ARGUMENT unless every code of the pool is a level of the domain and upto ascends. */
extern DpStatus dp_seed_pool_check(const DpSeedPool *pool, const DpDomain *domain,
								   DpError *error) DP_MUST_USE;

#endif
