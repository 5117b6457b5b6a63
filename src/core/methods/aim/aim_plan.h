/*
 * aim_plan.h -- what aim will do, from public facts: candidates, rounds and their amounts, batches.
 */
#ifndef DP_AIM_PLAN_H
#define DP_AIM_PLAN_H

#include "core/methods/aim/aim_candidates.h"
#include "core/plan/graphical_measure.h"
#include "core/plan/privacy_measure.h"

#define DP_AIM_ONE_WAY "tables of one column"
#define DP_AIM_CHOSEN "choose and release tables"
#define DP_AIM_FEW_COLUMNS 20 /* with more, scoring all candidates takes longest */

typedef struct DpAimPlan
{
	DpPrivacyMeasure privacy_measure;
	DpCandidates candidates;
	uint64_t cells_max; /* most cells of all cliques */
	DpOneAmounts one;   /* for the table of one attribute */
	uint32_t siblings;  /* attributes that tell what siblings were */
	DpPrivacyMeasureRounds rounds;
	int64_t share_nano; /* share of a round's amount that its selection gets */
	uint32_t tables_max;
	uint64_t changes_cells; /* most cells of the tracked pairs (aim_change.c) */
	uint32_t batch;         /* maximal number of tables between two fits */
	bool grows;             /* batches begin with one table */
	bool ask_later;         /* whether a candidate fits is checked when it is drawn */
	bool forest; /* no pair of a batch has columns that its other tables connect already */
	DpGroupingOf group;
	bool systematic;
} DpAimPlan;

/* Checks the options and appends the stages. *out comes from arena. Errors are those that a caller
 * can see before anything is spent. */
extern DpStatus dp_aim_plan(DpPlan *plan, DpAimPlan **out, DpArena *arena,
							DpError *error) DP_MUST_USE;

#endif
