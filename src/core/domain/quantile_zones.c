/*
 * quantile_zones.c -- the parts of a range around a chosen leaf.
 */
#include "core/domain/query.h"

/* The bits of a distance: 0 has none, and 2^(i-1) to 2^i - 1 have i. */
static uint32_t
bits_of(uint32_t distance)
{
	uint32_t bits = 0;

	while (distance >> bits != 0)
		bits++;
	return bits;
}

uint32_t
dp_quantile_zone(uint32_t leaf, uint32_t chosen, uint32_t height)
{
	return leaf < chosen ? height - bits_of(chosen - leaf) : height + bits_of(leaf - chosen);
}

uint32_t
dp_quantile_zone_first(uint32_t chosen, uint32_t height)
{
	return dp_quantile_zone(0, chosen, height);
}

uint32_t
dp_quantile_zone_last(uint32_t chosen, uint32_t height)
{
	return dp_quantile_zone((UINT32_C(1) << height) - 1, chosen, height);
}

uint32_t
dp_quantile_zone_begin(uint32_t zone, uint32_t chosen, uint32_t height)
{
	uint32_t far;

	if (zone > height)
		return chosen + (UINT32_C(1) << (zone - height - 1));
	far = (UINT32_C(1) << (height - zone)) - 1;
	return far < chosen ? chosen - far : 0;
}
