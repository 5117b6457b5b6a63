/*
 * row_release_sampler.h -- hands out the rows that a release holds (plan/row_release.h).
 */
#ifndef DP_ROW_RELEASE_SAMPLER_H
#define DP_ROW_RELEASE_SAMPLER_H

#include "core/sample/sampler.h"

/* Its prepare returns DP_ERR_CORRUPT unless the model holds rows. */
extern const DpSampler dp_row_release_sampler;

#endif
