/*
 * combinations.c -- the combinatorial number system.
 */
#include "core/base/index_list.h"

#include "core/base/saturate.h"

uint64_t
dp_combinations(uint32_t n, uint32_t k)
{
	uint64_t ways = 1;

	for (uint32_t i = 0; i < k; i++)
	{
		if (n < k)
			return 0;
		ways = dp_multiply_saturated(ways, n - i);
		if (ways == UINT64_MAX)
			return ways;
		ways /= i + 1;
	}
	return ways;
}

/* In the combinatorial number system the set c_1 < c_2 < ... has the number: sum of (c_i over
 * i). */
uint64_t
dp_subset_rank(const uint32_t *member, uint32_t n)
{
	uint64_t rank = 0;

	for (uint32_t i = 0; i < n; i++)
		rank += dp_combinations(member[i], i + 1);
	return rank;
}

void
dp_combination_next(uint32_t *member, uint32_t n, uint32_t of)
{
	uint32_t i = n - 1;

	while (i > 0 && member[i] == of - n + i)
		i--;
	member[i]++;
	for (uint32_t k = i + 1; k < n; k++)
		member[k] = member[k - 1] + 1;
}
