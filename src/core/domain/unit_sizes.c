/*
 * unit_sizes.c -- classes of units by how much they add.
 */
#include "core/domain/unit_sizes.h"

uint32_t
dp_unit_classes(DpUnitSizes sizes)
{
	uint32_t classes = 1;

	while (classes < DP_UNIT_CLASSES_MAX &&
		   (unsigned __int128) sizes.least << (classes - 1) < (unsigned __int128) sizes.most)
		classes++;
	return classes;
}

int64_t
dp_unit_class_last(DpUnitSizes sizes, uint32_t class)
{
	return class + 1 < dp_unit_classes(sizes) ? sizes.least << class : sizes.most;
}

uint32_t
dp_unit_class(DpUnitSizes sizes, unsigned __int128 size)
{
	uint32_t class = 0, classes = dp_unit_classes(sizes);

	while (class + 1 < classes && size > (unsigned __int128) dp_unit_class_last(sizes, class))
		class ++;
	return class;
}
