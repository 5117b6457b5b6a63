/*
 * hierarchy.c -- the public binary tree over a hierarchy.
 */
#include "core/domain/hierarchy.h"

uint32_t
dp_hierarchy_split(const uint8_t *border, uint32_t low, uint32_t high)
{
	uint32_t borders = 0, middle;
	uint8_t coarsest = 0;

	for (uint32_t i = low + 1; i < high; i++)
	{
		borders = border[i] > coarsest ? 0 : borders;
		coarsest = border[i] > coarsest ? border[i] : coarsest;
		borders += border[i] == coarsest;
	}
	middle = borders / 2;
	for (uint32_t i = low + 1; i < high; i++)
		if (border[i] == coarsest && middle-- == 0)
			return i;
	return low + 1; /* does not happen: there is a coarsest border */
}
