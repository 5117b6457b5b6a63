/*
 * currency.h -- what an adaptive release pays with: rho, where it has a delta to
 * convert it with, else epsilon.
 *
 * With rho, tables get discrete Gaussian noise and selections are the exponential
 * mechanism; amounts add up (zCDP) and are converted once, for the whole release. With
 * epsilon, tables get discrete Laplace noise, selections are permute-and-flip, and amounts
 * add up by basic composition.
 */
#ifndef DP_CURRENCY_H
#define DP_CURRENCY_H

#include "method.h"

typedef struct DpCurrency
{
	bool concentrated; /* amounts are rho in pico, else epsilon in nano */
	DpUnit unit;
	int64_t all; /* for one measurement, of plan->sets */
} DpCurrency;

/* From the request and what the plan has left for the method. */
extern DpCurrency dp_currency_of(const DpPlan *plan);
extern DpBudget dp_currency_cost(const DpCurrency *currency, int64_t amount);
/* What halves the standard deviation of noise, or doubles the epsilon of a selection. */
extern int64_t dp_currency_twice_as_sure(const DpCurrency *currency, int64_t amount);
/* Standard deviation of the noise in a cell, rows. */
extern double dp_currency_stddev(const DpCurrency *currency, int64_t amount);
/* The epsilon of a selection: a candidate is preferred by exp(epsilon gap/(2 sensitivity)). */
extern double dp_currency_selection_epsilon(const DpCurrency *currency, int64_t amount);
/* Appends a stage of so many tables for an amount each. DP_ERR_ARGUMENT, here and below, where the
 * amount of one table or selection cannot be calibrated. */
extern DpStatus dp_currency_plan(DpPlan *plan, const DpCurrency *currency, const char *name,
								 uint64_t tables, int64_t each, uint64_t cells,
								 DpError *error) DP_MUST_USE;
extern DpStatus dp_currency_plan_selection(DpPlan *plan, const DpCurrency *currency,
										   const char *name, uint64_t selections, int64_t each,
										   int64_t sensitivity, DpError *error) DP_MUST_USE;
/*
 * Appends a stage for rounds that choose a table and release it, at most tables of them, at first for
 * select and release, all together total. No round may pay less for its table than release.
 */
extern DpStatus dp_currency_plan_rounds(DpPlan *plan, const DpCurrency *currency, const char *name,
										uint64_t tables, int64_t select, int64_t release,
										int64_t total, int64_t sensitivity,
										DpError *error) DP_MUST_USE;
/* Noise on cells exact counts, into which each row was counted once; out may not alias. */
extern DpStatus dp_currency_release(const DpMeasurement *m, const DpCurrency *currency,
									const int64_t *exact, uint64_t cells, int64_t amount,
									int64_t *out) DP_MUST_USE;
extern DpStatus dp_currency_select(const DpMeasurement *m, const DpCurrency *currency,
								   const int64_t *scores, size_t n, int64_t amount,
								   int64_t sensitivity, size_t *chosen) DP_MUST_USE;
/* Noise, cost and sensitivity of a table that was released for an amount. */
extern void dp_currency_describe(const DpCurrency *currency, int64_t amount, DpTable *table);

#endif
