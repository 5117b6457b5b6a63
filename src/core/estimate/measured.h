/*
 * measured.h -- counts and shares of groups straight from noisy tables, each with the exact
 * distribution of its noise. No model takes part, so an interval holds whatever the data are.
 *
 * dp_measured_answer
 *
 * A query asks for the groups of some attributes (by), among the rows that meet a condition
 * (given). Let r be by and the attributes of the condition. Each table over a set that holds r
 * gives an unbiased estimate of a group: the sum of its cells, each times the weight of its levels.
 * The noises of cells are independent, so its variance is v times the sum of the squared weights,
 * where v is the variance of a cell. Estimates of different tables are independent of each other.
 * The best unbiased combination of them has weights in proportion to 1/variance.
 *
 * A level may be counted together with the level "other", where that one is rare. Its cells
 * then answer for it, and hold a few rows more, which a table of this attribute alone bounds: so
 * the interval reaches down by that bound. Both hold together with the confidence asked for, as
 * each has its part of what may fail (Bonferroni).
 *
 * Cells that structural zeros forbid are 0 without noise. A cell that holds no noise of its own
 * (see DpMeasuredTable) tells nothing.
 *
 * A share is the ratio of a group to a total, both from the same tables. The noise of X/D about p
 * is that of (X - pD)/D, to first order in the noise of D. X - pD is a sum of independent noises: a
 * cell in the group has coefficient 1 - p, and any other cell of the total p.
 */
#ifndef DP_MEASURED_H
#define DP_MEASURED_H

#include "core/domain/attribute_set.h"
#include "core/domain/given.h"
#include "core/estimate/noise_distribution.h"
#include "core/model/noisy_table.h"

/* What one noisy table says of each group of a query: sums of its cells. */

/* A query about groups of rows: which groups, among which rows. */

typedef enum DpAnswerMeasure
{
	DP_MEASURE_COUNT = 0,
	DP_MEASURE_SHARE = 1, /* of all rows */
	DP_MEASURE_RATE = 2   /* of the rows that meet the condition */
} DpAnswerMeasure;

typedef struct DpMarginalQuery
{
	const DpDomain *domain;
	DpAttributeSet by; /* ascending */
	const DpGiven *given;
	DpAnswerMeasure measure;
	double
		confidence; /* in (0, 1); 0: of measured answers, no intervals but for what "other" adds */
	double rows_public; /* the number of rows, where it is public; else negative */
} DpMarginalQuery;

/* The number of groups of a query; saturates. */
extern uint64_t dp_marginal_query_groups(const DpMarginalQuery *query);
/* Whether the condition of the query speaks of the attribute. */
extern bool dp_marginal_query_gives(const DpMarginalQuery *query, uint32_t attribute);
/* Whether the query groups by it. */
extern bool dp_marginal_query_groups_by(const DpMarginalQuery *query, uint32_t attribute);
/* The step of the attribute among the groups; 0: it is not in by. */
extern uint64_t dp_marginal_query_step(const DpMarginalQuery *query, uint32_t attribute);
/* Whether the table is over every attribute that the query names. */
extern bool dp_marginal_query_is_held(const DpMarginalQuery *query, const DpTable *table);

typedef struct DpMeasuredTable
{
	const DpTable *table; /* only dense ones with additive noise are used */
	/* [attributes of the domain] the group of each level, where the table counts groups of levels.
	 * A group stands at its first level. NULL: each level by itself. */
	uint32_t *const *group;
	const bool *noisy; /* [cells] whether the cell was measured; NULL: all were */
} DpMeasuredTable;

#define DP_ANSWER_CELLS_MAX 1000000

typedef enum DpBasis
{
	DP_BASIS_NONE = 0, /* no table holds it */
	DP_BASIS_MEASURED,
	DP_BASIS_ZERO,   /* it cannot occur, by public knowledge */
	DP_BASIS_PUBLIC, /* the number of rows is public */
	DP_BASIS_MODEL,
	DP_BASIS_SIMULATED,  /* rows drawn from the model were counted */
	DP_BASIS_ROW_RELEASE /* the rows that the release consists of were counted */
} DpBasis;

/* NAN where nothing is known. */
typedef struct DpGroupAnswer
{
	DpBasis basis;
	double estimate, std_error, low, high;
	double other; /* rows of "other" that are counted with a measured group, at most; 0: none */
} DpGroupAnswer;

/*
 * Answers each group that some table contains, in row-major order of by:
 * out[dp_marginal_query_groups()]. The others stay DP_BASIS_NONE. DP_ERR_LIMIT: there are more than
 * DP_ANSWER_CELLS_MAX groups.
 */
extern DpStatus dp_measured_answer(const DpMarginalQuery *query, const DpMeasuredTable *table,
								   uint32_t tables, DpGroupAnswer *out, const DpTick *tick,
								   DpArena *arena) DP_MUST_USE;

#endif
