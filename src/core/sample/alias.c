/*
 * alias.c -- building alias tables.
 */
#include "core/sample/alias.h"

#include <math.h>

static uint32_t
outcome_at(const uint32_t *outcome, uint32_t i)
{
	return outcome == NULL ? i : outcome[i];
}

static void
fill_column(DpAliasEntry *table, const uint32_t *outcome, uint32_t own, uint32_t other,
			double height)
{
	table[own] = (DpAliasEntry){
		.threshold = (uint32_t) fmin(height * 4294967296.0, 4294967295.0),
		.own = outcome_at(outcome, own),
		.other = outcome_at(outcome, other),
	};
}

/*
 * dp_alias_build -- Vose, "A linear algorithm for generating random numbers
 * with a given distribution" (1991).
 *
 * Heights are scaled to mean 1. work holds two stacks: columns below 1 grow from its start,
 * columns of 1 or more from its end. A low column is filled up from a high one, which then may
 * become low. Rounding can leave columns at the end; their heights are 1 up to rounding, and each
 * keeps its own outcome alone.
 */
void
dp_alias_build(double *weight, const uint32_t *outcome, uint32_t n, uint32_t *work,
			   DpAliasEntry *table)
{
	double sum = 0;
	uint32_t low = 0;  /* work[0..low-1] */
	uint32_t high = n; /* work[high..n-1] */

	for (uint32_t i = 0; i < n; i++)
		sum += weight[i];
	for (uint32_t i = 0; i < n; i++)
	{
		weight[i] = weight[i] / sum * n;
		if (weight[i] < 1)
			work[low++] = i;
		else
			work[--high] = i;
	}
	while (low > 0 && high < n)
	{
		uint32_t small = work[--low];
		uint32_t large = work[high];

		fill_column(table, outcome, small, large, weight[small]);
		weight[large] -= 1 - weight[small];
		if (weight[large] < 1)
		{
			high++;
			work[low++] = large;
		}
	}
	while (low > 0)
	{
		low--;
		fill_column(table, outcome, work[low], work[low], 1);
	}
	for (; high < n; high++)
		fill_column(table, outcome, work[high], work[high], 1);
}

void
dp_alias_distribution(const DpAliasEntry *table, uint32_t n, double *distribution)
{
	for (uint32_t i = 0; i < n; i++)
	{
		double own = table[i].threshold * 0x1p-32;

		distribution[table[i].own] += own / n;
		distribution[table[i].other] += (1 - own) / n;
	}
}
