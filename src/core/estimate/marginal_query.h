/*
 * marginal_query.h -- a query about groups of rows: which groups, among which rows.
 */
#ifndef DP_MARGINAL_QUERY_H
#define DP_MARGINAL_QUERY_H

#include "core/domain/attribute_set.h"
#include "core/domain/given.h"
#include "core/model/noisy_table.h"

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

#endif
