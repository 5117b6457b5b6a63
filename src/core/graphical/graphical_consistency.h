/*
 * graphical_consistency.h -- the tables that a model is fitted to: they agree with each other and
 * hold nothing in impossible cells.
 */
#ifndef DP_GRAPHICAL_CONSISTENCY_H
#define DP_GRAPHICAL_CONSISTENCY_H

#include "core/graphical/graphical_model.h"

/* Sets agreed of all tables of the model. interactions must be made from these tables. */
extern DpStatus dp_graphical_consistency(DpGraphical *model, DpInteractions *interactions,
										 double total, const DpTick *tick) DP_MUST_USE;

#endif
