/*
 * network_factors.h -- a product of tables, each a distribution of some attributes given earlier
 * ones, on a junction tree.
 */
#ifndef DP_NETWORK_FACTORS_H
#define DP_NETWORK_FACTORS_H

#include "core/estimate/weights.h"
#include "core/sample/graphical_fit.h"

typedef struct DpNetworkTable
{
	DpEstimatedTable from;
	/* The last attribute given the others, where a key without weight falls back to a shorter
	 * prefix of them, as dp_conditional_draw_backoff does. Else all attributes together. */
	bool conditional;
} DpNetworkTable;

/* Fits a network in which each attribute is drawn once. DP_ERR_LIMIT: a table is not dense, or the
 * cliques have too many cells. */
extern DpStatus dp_network_factors(const DpModel *model, const DpNetworkTable *table,
								   uint32_t tables, DpGraphicalFit **out, const DpTick *tick,
								   DpArena *arena) DP_MUST_USE;
/* The same for all tables of a model that have attributes, each for these together. */
extern DpStatus dp_model_factors(const DpModel *model, DpGraphicalFit **out, const DpTick *tick,
								 DpArena *arena) DP_MUST_USE;

#endif
