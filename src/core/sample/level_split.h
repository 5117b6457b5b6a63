/*
 * level_split.h -- the levels of which an attribute of a model is made of groups.
 */
#ifndef DP_LEVEL_SPLIT_H
#define DP_LEVEL_SPLIT_H

#include "core/base/status.h"

/* How the levels of a group are distinguished: by cumulative shares of its levels. */
typedef struct DpLevelSplit
{
	uint32_t n;         /* number of levels; 1: there is nothing to tell apart */
	uint32_t *level;    /* [n] */
	double *cumulative; /* [n], the last one 1 */
} DpLevelSplit;

#endif
