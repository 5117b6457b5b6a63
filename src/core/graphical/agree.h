/*
 * graphical_agree.h -- what tables are to be fitted to: they agree with each other
 * and hold nothing in cells that cannot be.
 */
#ifndef DP_GRAPHICAL_AGREE_H
#define DP_GRAPHICAL_AGREE_H

#include "graphical.h"

/* Sets agreed of all tables of the model, of which interactions are. */
extern DpStatus dp_graphical_agree(DpGraphical *model, DpInteractions *interactions, double total,
								   const DpTick *tick) DP_MUST_USE;

#endif
