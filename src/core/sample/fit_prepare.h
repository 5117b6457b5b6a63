/*
 * fit_prepare.h -- rows from a release that is a list of noisy dense tables
 * (methods/fit_measure.h). cipher and mwem share this sampler.
 */
#ifndef DP_FIT_PREPARE_H
#define DP_FIT_PREPARE_H

#include "core/sample/fit.h"
#include "core/sample/sampler.h"

/* Turns a noisy table into the form that solvers take. DP_ERR_CORRUPT: it is not dense with
 * Laplace noise. */
extern DpStatus dp_fit_table(const DpTable *table, DpFitTable *out) DP_MUST_USE;

extern const DpSampler dp_fit_sampler;

#endif
