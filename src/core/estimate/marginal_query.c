/*
 * marginal_query.c -- what a query asks of each attribute.
 */
#include "core/estimate/marginal_query.h"

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
	for (uint32_t k = 0; k < query->by.n; k++)
		if (query->by.attribute[k] == attribute)
			return true;
	return false;
}

bool
dp_marginal_query_is_held(const DpMarginalQuery *query, const DpTable *table)
{
	for (uint32_t a = 0; a < query->domain->attributes; a++)
	{
		uint32_t k = 0;

		if (!dp_marginal_query_gives(query, a) && !dp_marginal_query_groups_by(query, a))
			continue;
		while (k < table->n && table->attribute[k] != a)
			k++;
		if (k == table->n)
			return false;
	}
	return true;
}

uint64_t
dp_marginal_query_step(const DpMarginalQuery *query, uint32_t attribute)
{
	uint64_t step = 1;

	for (uint32_t k = query->by.n; k-- > 0;)
	{
		if (query->by.attribute[k] == attribute)
			return step;
		step *= query->domain->attribute[query->by.attribute[k]].levels;
	}
	return 0;
}
