/*
 * pmi_fit.h -- the regressions of perturbed multiple imputation: one of each
 * attribute on others, with a penalty that is given or cross-validated. Behind
 * the wall.
 */
#ifndef DP_PMI_FIT_H
#define DP_PMI_FIT_H

#include "elastic_net.h"
#include "method.h"
#include "parents.h"

#define DP_PMI_LAMBDAS 6
/* What cross-validation tries, largest first. */
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

/* One scan. */
extern DpStatus dp_pmi_count(const DpMeasurement *m, DpPmiData *data, DpError *error) DP_MUST_USE;
/* The regression of one attribute. */
extern DpStatus dp_pmi_fit(const DpMeasurement *m, const DpPmiData *data,
						   const DpPmiSettings *settings, uint32_t attribute,
						   DpElasticNet *net) DP_MUST_USE;
/*
 * f, any numbers, as integers >= 0 with the sum total >= 1: rounded down, the rest to
 * the largest. What is no distribution (not finite, nothing positive) becomes uniform.
 */
extern void dp_pmi_round(const double *f, uint32_t n, int64_t total, int64_t *out);

#endif
