/*
 * hierarchy.c -- the public binary tree over a hierarchy.
 */
#include "core/domain/range.h"

uint32_t
dp_hierarchy_split(const uint8_t *boundary, uint32_t low, uint32_t high)
{
	uint32_t boundaries = 0, middle;
	uint8_t coarsest = 0;

	for (uint32_t i = low + 1; i < high; i++)
	{
		boundaries = boundary[i] > coarsest ? 0 : boundaries;
		coarsest = boundary[i] > coarsest ? boundary[i] : coarsest;
		boundaries += boundary[i] == coarsest;
	}
	middle = boundaries / 2;
	for (uint32_t i = low + 1; i < high; i++)
		if (boundary[i] == coarsest && middle-- == 0)
			return i;
	return low + 1; /* does not happen: there is a coarsest boundary */
}
