/*
 * privacy_measure.h -- what an adaptive release pays with: rho if it has a delta to convert it
 * with, else epsilon.
 *
 * With rho, tables get discrete Gaussian noise and selections are made by the exponential
 * mechanism. Amounts add up (zCDP) and are converted once, for the whole release. With epsilon,
 * tables get discrete Laplace noise and selections are made by permute-and-flip. Amounts add up by
 * basic composition.
 */
#ifndef DP_PRIVACY_MEASURE_H
#define DP_PRIVACY_MEASURE_H

#include "core/mechanism/mechanism.h"
#include "core/model/model.h"
#include "core/plan/plan.h"

typedef struct DpPrivacyMeasure
{
	bool concentrated; /* amounts are rho in 1e-12, else epsilon in 1e-9 */
	DpUnit unit;
	int64_t all; /* the whole amount for one measurement of plan->sets */
} DpPrivacyMeasure;

/* The privacy_measure that follows from the request and what the plan has left for the method. */
extern DpPrivacyMeasure dp_privacy_measure_of(const DpPlan *plan);
extern DpBudget dp_privacy_measure_cost(const DpPrivacyMeasure *privacy_measure, int64_t amount);
/* The amount that halves the standard deviation of noise, or doubles the epsilon of a selection. */
extern int64_t dp_privacy_measure_anneal(const DpPrivacyMeasure *privacy_measure, int64_t amount);
/* The standard deviation of the noise in a cell, in rows. */
extern double dp_privacy_measure_stddev(const DpPrivacyMeasure *privacy_measure, int64_t amount);
/* The epsilon of a selection: a candidate is preferred by exp(epsilon gap/(2 sensitivity)). */
extern double dp_privacy_measure_selection_epsilon(const DpPrivacyMeasure *privacy_measure,
												   int64_t amount);

/* A stage that pays the same amount several times. */
typedef struct DpPrivacyMeasureStage
{
	const char *name;
	uint64_t times; /* tables or selections; no stage is planned for 0 */
	int64_t each;   /* amount */
} DpPrivacyMeasureStage;

/* A stage of rounds, each of which chooses a table and releases it. No round may pay less for
 * its table than release. */
typedef struct DpPrivacyMeasureRounds
{
	const char *name;
	uint64_t tables;     /* at most */
	int64_t select;      /* amount of the first selection */
	int64_t release;     /* amount of the first table */
	int64_t total;       /* amount of all rounds together */
	int64_t sensitivity; /* of the scores */
} DpPrivacyMeasureRounds;

/* Appends a stage of tables, of selections (by scores of the given sensitivity), or of rounds.
 * DP_ERR_ARGUMENT: the amount of one table or selection cannot be calibrated. */
extern DpStatus dp_privacy_measure_plan(DpPlan *plan, const DpPrivacyMeasure *privacy_measure,
										const DpPrivacyMeasureStage *paid,
										DpError *error) DP_MUST_USE;
extern DpStatus dp_privacy_measure_plan_selection(DpPlan *plan,
												  const DpPrivacyMeasure *privacy_measure,
												  const DpPrivacyMeasureStage *paid,
												  int64_t sensitivity, DpError *error) DP_MUST_USE;
extern DpStatus dp_privacy_measure_plan_rounds(DpPlan *plan,
											   const DpPrivacyMeasure *privacy_measure,
											   const DpPrivacyMeasureRounds *rounds,
											   DpError *error) DP_MUST_USE;

/* Adds noise to exact counts of cells, into which each row was counted once. out may not alias
 * exact. */
extern DpStatus dp_privacy_measure_release(const DpNoiseSource *noise,
										   const DpPrivacyMeasure *privacy_measure, int64_t amount,
										   const int64_t *exact, uint64_t cells,
										   int64_t *out) DP_MUST_USE;
extern DpStatus dp_privacy_measure_select(const DpNoiseSource *noise,
										  const DpPrivacyMeasure *privacy_measure, int64_t amount,
										  const DpScores *scores, size_t *chosen) DP_MUST_USE;
/* Fills in the noise, cost and sensitivity of a table that was released for an amount. */
extern void dp_privacy_measure_describe(const DpPrivacyMeasure *privacy_measure, int64_t amount,
										DpTable *table);

#endif
