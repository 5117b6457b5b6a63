/*
 * aim_batch.c -- the tables that aim chooses between two fits.
 */
#include "core/methods/aim_batch.h"

#define CHOSEN_FOR_ONE_MORE 24 /* tables, after which a batch has one more */
#define SHARED_MOST 1          /* columns that two tables of a batch may share */

uint32_t
dp_aim_batch(uint64_t chosen)
{
	return 1 + (uint32_t) (chosen / CHOSEN_FOR_ONE_MORE);
}

void
dp_aim_untie(DpAimTies *ties)
{
	for (uint32_t a = 0; a < ties->columns; a++)
		ties->to[a] = a;
}

static uint32_t
root_of(const DpAimTies *ties, uint32_t column)
{
	while (ties->to[column] != column)
		column = ties->to[column];
	return column;
}

void
dp_aim_tie(DpAimTies *ties, const DpAttributeSet *set)
{
	for (uint32_t k = 1; k < set->n; k++)
		ties->to[root_of(ties, set->attribute[k])] = root_of(ties, set->attribute[0]);
}

static bool
is_tied(const DpAimTies *ties, const DpAttributeSet *set)
{
	for (uint32_t k = 1; k < set->n; k++)
		if (root_of(ties, set->attribute[k]) != root_of(ties, set->attribute[0]))
			return false;
	return set->n > 1;
}

static uint32_t
count_shared(const DpAttributeSet *a, const DpAttributeSet *b)
{
	uint32_t shared = 0;

	for (uint32_t i = 0, k = 0; i < a->n && k < b->n;)
	{
		uint32_t x = a->attribute[i], y = b->attribute[k];

		shared += x == y;
		i += x <= y;
		k += y <= x;
	}
	return shared;
}

bool
dp_aim_is_alike(const DpAimTies *ties, const DpAttributeSet *table, const DpAttributeSet *candidate,
				bool forest)
{
	uint32_t shared = count_shared(table, candidate);

	return shared > SHARED_MOST || (forest && (shared == candidate->n || is_tied(ties, candidate)));
}
