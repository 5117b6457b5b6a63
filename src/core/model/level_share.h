/*
 * level_share.h -- which part of the rows has one level of an attribute, by what was released.
 */
#ifndef DP_LEVEL_SHARE_H
#define DP_LEVEL_SHARE_H

#include "core/model/model.h"

/*
 * The share, in 0..1, of rows that have a level of an attribute, as the smallest table with the
 * attribute tells it, or the rows that the model holds. Negative counts are taken as they are, so
 * that noise cancels out. The result is -1 where nothing tells it, or no rows are left.
 */
extern double dp_level_share(const DpModel *model, uint32_t attribute, uint32_t level);

#endif
