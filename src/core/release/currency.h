/*
 * currency.h -- what an adaptive release pays with: rho if it has a delta to convert it with, else
 * epsilon.
 *
 * With rho, tables get discrete Gaussian noise and selections are made by the exponential
 * mechanism. Amounts add up (zCDP) and are converted once, for the whole release. With epsilon,
 * tables get discrete Laplace noise and selections are made by permute-and-flip. Amounts add up by
 * basic composition.
 */
#ifndef DP_CURRENCY_H
#define DP_CURRENCY_H

#include "core/mechanism/mechanism.h"
#include "core/model/model.h"
#include "core/release/plan.h"

typedef struct DpCurrency
{
	bool concentrated; /* amounts are rho in 1e-12, else epsilon in 1e-9 */
	DpUnit unit;
	int64_t all; /* the whole amount for one measurement of plan->sets */
} DpCurrency;

/* The currency that follows from the request and what the plan has left for the method. */
extern DpCurrency dp_currency_of(const DpPlan *plan);
extern DpBudget dp_currency_cost(const DpCurrency *currency, int64_t amount);
/* The amount that halves the standard deviation of noise, or doubles the epsilon of a selection. */
extern int64_t dp_currency_twice_as_sure(const DpCurrency *currency, int64_t amount);
/* The standard deviation of the noise in a cell, in rows. */
extern double dp_currency_stddev(const DpCurrency *currency, int64_t amount);
/* The epsilon of a selection: a candidate is preferred by exp(epsilon gap/(2 sensitivity)). */
extern double dp_currency_selection_epsilon(const DpCurrency *currency, int64_t amount);

/* A stage that pays the same amount several times. */
typedef struct DpCurrencyStage
{
	const char *name;
	uint64_t times; /* tables or selections; no stage is planned for 0 */
	int64_t each;   /* amount */
} DpCurrencyStage;

/* A stage of rounds, each of which chooses a table and releases it. No round may pay less for
 * its table than release. */
typedef struct DpCurrencyRounds
{
	const char *name;
	uint64_t tables;     /* at most */
	int64_t select;      /* amount of the first selection */
	int64_t release;     /* amount of the first table */
	int64_t total;       /* amount of all rounds together */
	int64_t sensitivity; /* of the scores */
} DpCurrencyRounds;

/* Appends a stage of tables, of selections (by scores of the given sensitivity), or of rounds.
 * DP_ERR_ARGUMENT: the amount of one table or selection cannot be calibrated. */
extern DpStatus dp_currency_plan(DpPlan *plan, const DpCurrency *currency,
								 const DpCurrencyStage *paid, DpError *error) DP_MUST_USE;
extern DpStatus dp_currency_plan_selection(DpPlan *plan, const DpCurrency *currency,
										   const DpCurrencyStage *paid, int64_t sensitivity,
										   DpError *error) DP_MUST_USE;
extern DpStatus dp_currency_plan_rounds(DpPlan *plan, const DpCurrency *currency,
										const DpCurrencyRounds *rounds, DpError *error) DP_MUST_USE;

/* Adds noise to exact counts of cells, into which each row was counted once. out may not alias
 * exact. */
extern DpStatus dp_currency_release(const DpNoiseSource *noise, const DpCurrency *currency,
									int64_t amount, const int64_t *exact, uint64_t cells,
									int64_t *out) DP_MUST_USE;
extern DpStatus dp_currency_select(const DpNoiseSource *noise, const DpCurrency *currency,
								   int64_t amount, const DpScores *scores,
								   size_t *chosen) DP_MUST_USE;
/* Fills in the noise, cost and sensitivity of a table that was released for an amount. */
extern void dp_currency_describe(const DpCurrency *currency, int64_t amount, DpTable *table);

#endif
