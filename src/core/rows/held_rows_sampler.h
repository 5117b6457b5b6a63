/*
 * held_rows_sampler.h -- hands out the rows that a release holds (release/held_rows.h).
 */
#ifndef DP_HELD_ROWS_SAMPLER_H
#define DP_HELD_ROWS_SAMPLER_H

#include "core/rows/sampler.h"

/* Its prepare returns DP_ERR_CORRUPT unless the model holds rows. */
extern const DpSampler dp_held_rows_sampler;

#endif
