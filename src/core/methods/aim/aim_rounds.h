/*
 * aim_rounds.h -- behind the wall: the rounds of aim, each of which chooses and releases tables and
 * fits them.
 */
#ifndef DP_AIM_ROUNDS_H
#define DP_AIM_ROUNDS_H

#include "core/methods/aim/aim_plan.h"
#include "core/plan/graphical_score.h"

/* Spends what the plan has for rounds. The tables of one attribute were released and fitted before;
 * the last fit is left to dp_graphical_close. most: dp_candidates_most of all that may be
 * chosen. */
extern DpStatus dp_aim_run_rounds(const DpAimPlan *plan, DpGraphicalMeasure *measure,
								  double most) DP_MUST_USE;

#endif
