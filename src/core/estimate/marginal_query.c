/*
 * marginal_query.c -- what a question asks of each attribute.
 */
#include "core/estimate/marginal_query.h"

uint64_t
dp_marginal_query_groups(const DpMarginalQuery *question)
{
	return dp_domain_cells(question->domain, question->by.attribute, question->by.n);
}

bool
dp_marginal_query_gives(const DpMarginalQuery *question, uint32_t attribute)
{
	return question->given != NULL && question->given->weight[attribute] != NULL;
}

bool
dp_marginal_query_groups_by(const DpMarginalQuery *question, uint32_t attribute)
{
	for (uint32_t k = 0; k < question->by.n; k++)
		if (question->by.attribute[k] == attribute)
			return true;
	return false;
}

bool
dp_marginal_query_is_held(const DpMarginalQuery *question, const DpTable *table)
{
	for (uint32_t a = 0; a < question->domain->attributes; a++)
	{
		uint32_t k = 0;

		if (!dp_marginal_query_gives(question, a) && !dp_marginal_query_groups_by(question, a))
			continue;
		while (k < table->n && table->attribute[k] != a)
			k++;
		if (k == table->n)
			return false;
	}
	return true;
}

uint64_t
dp_marginal_query_step(const DpMarginalQuery *question, uint32_t attribute)
{
	uint64_t step = 1;

	for (uint32_t k = question->by.n; k-- > 0;)
	{
		if (question->by.attribute[k] == attribute)
			return step;
		step *= question->domain->attribute[question->by.attribute[k]].levels;
	}
	return 0;
}
