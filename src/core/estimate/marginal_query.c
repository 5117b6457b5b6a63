/*
 * marginal_query.c -- what a query asks of each attribute.
 */
#include "core/estimate/measured.h"

uint64_t
dp_marginal_query_groups(const DpMarginalQuery *query)
{
	return dp_domain_cells(query->domain, query->by.attribute, query->by.n);
}

bool
dp_marginal_query_gives(const DpMarginalQuery *query, uint32_t attribute)
{
	return query->given != NULL && query->given->weight[attribute] != NULL;
}

bool
dp_marginal_query_groups_by(const DpMarginalQuery *query, uint32_t attribute)
{
	return dp_set_holds(&query->by, attribute);
}

bool
dp_marginal_query_is_held(const DpMarginalQuery *query, const DpTable *table)
{
	for (uint32_t a = 0; a < query->domain->attributes; a++)
		if ((dp_marginal_query_gives(query, a) || dp_marginal_query_groups_by(query, a)) &&
			!dp_index_among(table->attribute, table->n, a))
			return false;
	return true;
}

uint64_t
dp_marginal_query_step(const DpMarginalQuery *query, uint32_t attribute)
{
	uint32_t place = dp_index_place(query->by.attribute, query->by.n, attribute);

	return place == query->by.n ? 0
								: dp_domain_cells(query->domain, query->by.attribute + place + 1,
												  query->by.n - place - 1);
}
