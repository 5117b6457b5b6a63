/*
 * aim_batch.c -- the tables that aim chooses between two fits.
 */
#include "core/methods/aim/aim_batch.h"

#define CHOSEN_FOR_ONE_MORE 24 /* tables, after which a batch has one more */
#define SHARED_MOST 1          /* columns that two tables of a batch may share */

uint32_t
dp_aim_batch(uint64_t chosen)
{
	return 1 + (uint32_t) (chosen / CHOSEN_FOR_ONE_MORE);
}

void
dp_aim_untie(DpAimComponents *components)
{
	for (uint32_t a = 0; a < components->columns; a++)
		components->to[a] = a;
}

static uint32_t
root_of(const DpAimComponents *components, uint32_t column)
{
	while (components->to[column] != column)
		column = components->to[column];
	return column;
}

void
dp_aim_tie(DpAimComponents *components, const DpAttributeSet *set)
{
	for (uint32_t k = 1; k < set->n; k++)
		components->to[root_of(components, set->attribute[k])] =
			root_of(components, set->attribute[0]);
}

static bool
is_connected(const DpAimComponents *components, const DpAttributeSet *set)
{
	for (uint32_t k = 1; k < set->n; k++)
		if (root_of(components, set->attribute[k]) != root_of(components, set->attribute[0]))
			return false;
	return set->n > 1;
}

bool
dp_aim_is_alike(const DpAimComponents *components, const DpAttributeSet *table,
				const DpAttributeSet *candidate, bool forest)
{
	uint32_t shared = dp_set_shared(table, candidate);

	return shared > SHARED_MOST ||
		   (forest && (shared == candidate->n || is_connected(components, candidate)));
}
