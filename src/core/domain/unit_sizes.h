/*
 * unit_sizes.h -- classes of units by how much they add: rows, or a sum.
 *
 * Class 0 has the sizes up to `least`, class i those above 2^(i-1) and up to 2^i times `least`, and
 * the last class all larger ones. Classes follow from public facts. A unit is in at most one class.
 */
#ifndef DP_UNIT_SIZES_H
#define DP_UNIT_SIZES_H

#include "core/base/status.h"

#define DP_UNIT_CLASSES_MAX 32

typedef struct DpUnitSizes
{
	int64_t least; /* >= 1: the last size of class 0 */
	int64_t most;  /* >= least: of any unit */
} DpUnitSizes;

extern uint32_t dp_unit_classes(DpUnitSizes sizes);
/* The largest size in a class. */
extern int64_t dp_unit_class_last(DpUnitSizes sizes, uint32_t class);
/* The class of a size; the last one for sizes above `most`. */
extern uint32_t dp_unit_class(DpUnitSizes sizes, unsigned __int128 size);

#endif
