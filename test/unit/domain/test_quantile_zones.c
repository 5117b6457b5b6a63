/*
 * test_quantile_zones.c -- zones around a chosen leaf divide the leaves of a range.
 */
#include "core/domain/query.h"

#include "unit.h"

static uint32_t
count_wrong(uint32_t chosen, uint32_t height)
{
	uint32_t leaves = UINT32_C(1) << height, before = 0, wrong = 0;

	for (uint32_t leaf = 0; leaf < leaves; leaf++)
	{
		uint32_t zone = dp_quantile_zone(leaf, chosen, height);
		uint32_t distance = leaf < chosen ? chosen - leaf : leaf - chosen;
		uint32_t i = zone < height ? height - zone : zone - height;

		wrong += zone >= DP_ZONES_MAX(height) || (leaf > 0 && zone < before);
		wrong += i == 0 ? distance != 0 : distance < 1u << (i - 1) || distance >= 1u << i;
		wrong += dp_quantile_zone_begin(zone, chosen, height) > leaf;
		if (leaf == 0 || zone != before)
			wrong += dp_quantile_zone_begin(zone, chosen, height) != leaf;
		before = zone;
	}
	wrong += dp_quantile_zone_first(chosen, height) != dp_quantile_zone(0, chosen, height);
	wrong += dp_quantile_zone_last(chosen, height) != dp_quantile_zone(leaves - 1, chosen, height);
	return wrong;
}

int
main(void)
{
	for (uint32_t height = 0; height <= 6; height++)
	{
		uint32_t wrong = 0;

		for (uint32_t chosen = 0; chosen < UINT32_C(1) << height; chosen++)
			wrong += count_wrong(chosen, height);
		CHECK_I64(wrong, 0, "2^%u leaves: zones are runs of leaves by distance", height);
	}
	CHECK_I64(dp_quantile_zone(4095, 0, 12), 24, "the farthest leaf of 4096 is in the last zone");
	return unit_finish();
}
