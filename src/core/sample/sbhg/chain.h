/*
 * chain.h -- which steps of a Gibbs chain a row needs, and from what it starts.
 *
 * A chain starts with each attribute drawn from its margin (sweep 0), and then draws each attribute
 * again given the present values of its parents, sweep by sweep. Only the last values
 * are wanted. So
 *
 *   - a step is needed only if a last value depends on it: what is drawn again before anybody looks
 *     at it need not be drawn;
 * - as long as the values that later steps look at have few combinations, their joint distribution
 * is
 *     computed once, step by step, in place of being drawn for each row. A row then starts from
 *     that distribution.
 *
 * What is left has exactly the distribution of the chain, up to the rounding of floating-point
 * sums.
 */
#ifndef DP_CHAIN_H
#define DP_CHAIN_H

#include "core/sample/conditional.h"

typedef struct DpChain
{
	uint32_t attributes;
	uint32_t sweeps;
	bool keep;                        /* a value stays where the key of its parents is missing */
	const DpConditional *conditional; /* [attributes], in the order of a sweep */
} DpChain;

/* A step of the chain: sweep x attributes + attribute. */
static inline uint32_t
dp_chain_step(const DpChain *chain, uint32_t sweep, uint32_t attribute)
{
	return sweep * chain->attributes + attribute;
}

/* The level of an attribute's conditional that a sweep begins with. */
static inline uint32_t
dp_chain_level(const DpChain *chain, uint32_t sweep, uint32_t attribute)
{
	return sweep == 0 ? chain->conditional[attribute].levels - 1 : 0;
}

/* The joint distribution of the values of some steps. */
typedef struct DpStepTable
{
	uint32_t n;
	uint32_t *step;   /* [n] */
	uint32_t *levels; /* [n] */
	uint64_t cells;   /* the last step's value varies fastest */
	double *weight;   /* [cells] */
} DpStepTable;

/* A table from which values of several steps are drawn at once. */
typedef struct DpDrawnSteps
{
	uint32_t n;
	uint32_t cells;
	DpAliasEntry *entry; /* [cells] */
	uint32_t **value;    /* [n][cells] */
} DpDrawnSteps;

#define DP_CHAIN_NO_TABLE UINT32_MAX
#define DP_CHAIN_STEPS_MAX (DP_ATTRIBUTES_MAX + 1)  /* of a table */
#define DP_CHAIN_TABLES_MAX (2 * DP_ATTRIBUTES_MAX) /* of a plan */

/* What is done for a row, in the order of the chain. */
typedef struct DpChainMove
{
	uint32_t step;
	uint32_t
		/* the table that contains the value; DP_CHAIN_NO_TABLE: it is drawn given its parents */
		table;
	uint32_t place; /* in the table */
	bool first;     /* the table's cell is drawn now */
} DpChainMove;

typedef struct DpChainPlan
{
	uint32_t moves;
	DpChainMove *move;
	uint32_t tables; /* at most DP_CHAIN_TABLES_MAX */
	DpDrawnSteps *table;
	/* If it is kept: the table of each step that was summed, with the values that no later step
	 * looks at, in the order of the chain. The steps before a row's first move can be drawn
	 * backward from them. */
	uint32_t histories;
	DpStepTable *history;
} DpChainPlan;

typedef struct DpChainLimits
{
	uint64_t cells; /* of a joint distribution, with the value that is drawn next */
	uint64_t work;  /* cells in all */
	bool keep_history;
} DpChainLimits;

extern DpStatus dp_chain_plan(const DpChain *chain, const DpChainLimits *limits, DpChainPlan *plan,
							  const DpTick *tick, DpArena *arena) DP_MUST_USE;

#endif
