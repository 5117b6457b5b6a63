/*
 * pmi_fit.h -- the regressions of perturbed multiple imputation. Each regresses one
 * attribute on others, with a penalty that is given or cross-validated. This is behind the
 * wall.
 */
#ifndef DP_PMI_FIT_H
#define DP_PMI_FIT_H

#include "core/estimate/elastic_net.h"
#include "core/select/parents.h"

#define DP_PMI_LAMBDAS 6
/* The values that cross-validation tries, largest first. */
extern const double dp_pmi_lambda[DP_PMI_LAMBDAS];
extern const DpNetEffort dp_pmi_effort;

typedef struct DpPmiSettings
{
	const DpParents *features; /* one for each attribute */
	double lambda;             /* 0 = cross-validated */
	double mixing;
	uint32_t folds;
} DpPmiSettings;

/* All distinct rows of the relation, and how often each occurs. */
typedef struct DpPmiData
{
	DpNetRows rows;
	int64_t *count; /* [rows.rows] */
} DpPmiData;

/* Counts the rows in one scan. */
extern DpStatus dp_pmi_count(const DpMeasurement *m, DpPmiData *data, DpError *error) DP_MUST_USE;
/* Fits the regression of one attribute. */
extern DpStatus dp_pmi_fit(const DpMeasurement *m, const DpPmiData *data,
						   const DpPmiSettings *settings, uint32_t attribute,
						   DpElasticNet *net) DP_MUST_USE;
/*
 * Writes f as integers >= 0 with the sum total >= 1. They are rounded down, and the largest
 * gets the rest. An f that is no distribution (not finite, or nothing positive) becomes
 * uniform.
 */
extern void dp_pmi_round(const double *f, uint32_t n, int64_t total, int64_t *out);

#endif
