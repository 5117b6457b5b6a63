/*
 * saturate.h -- sizes that stop at UINT64_MAX instead of wrapping round, so
 * that one comparison with a limit at the end of a computation is enough.
 */
#ifndef DP_SATURATE_H
#define DP_SATURATE_H

#include <stdint.h>

#include "core/base/status.h"

static inline uint64_t
dp_add_saturated(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static inline uint64_t
dp_multiply_saturated(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/* Of a number that is not negative. */
static inline uint64_t
dp_floor_saturated(double number)
{
	return number < 0x1p64 ? (uint64_t) number : UINT64_MAX;
}

static inline uint64_t
dp_product_saturated(const uint32_t *factors, uint32_t n)
{
	uint64_t product = 1;

	for (uint32_t i = 0; i < n; i++)
		product = dp_multiply_saturated(product, factors[i]);
	return product;
}

#endif
