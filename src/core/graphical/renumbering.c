/*
 * renumbering.c -- numbers of attributes by their levels, and tables laid out by these numbers.
 */
#include "core/graphical/graphical_model.h"

#include <string.h>

#include "core/base/saturate.h"

void
dp_renumbering_keep(DpRenumbering *renumbering, const uint32_t *levels, uint32_t attributes)
{
	*renumbering = (DpRenumbering){.attributes = attributes, .levels = levels};
}

/* The number of attributes that go before one. */
static uint32_t
rank_of(const uint32_t *levels, uint32_t attributes, uint32_t a)
{
	uint32_t rank = 0;

	for (uint32_t b = 0; b < a; b++)
		rank += levels[b] <= levels[a];
	for (uint32_t b = a + 1; b < attributes; b++)
		rank += levels[b] < levels[a];
	return rank;
}

static DpStatus
allocate(DpRenumbering *renumbering, uint32_t attributes, DpArena *arena)
{
	uint32_t *levels = dp_alloc(arena, attributes, sizeof(*levels));

	*renumbering = (DpRenumbering){.attributes = attributes, .levels = levels};
	renumbering->number = dp_alloc(arena, attributes, sizeof(*renumbering->number));
	return levels == NULL || renumbering->number == NULL ? DP_ERR_MEMORY : DP_OK;
}

static void
assign(DpRenumbering *renumbering, uint32_t a, uint32_t number, uint32_t levels)
{
	renumbering->number[a] = number;
	((uint32_t *) (uintptr_t) renumbering->levels)[number] = levels;
}

DpStatus
dp_renumbering_init(DpRenumbering *renumbering, const uint32_t *levels, uint32_t attributes,
					DpArena *arena)
{
	DP_TRY(allocate(renumbering, attributes, arena));
	for (uint32_t a = 0; a < attributes; a++)
		assign(renumbering, a, rank_of(levels, attributes, a), levels[a]);
	return DP_OK;
}

DpStatus
dp_renumbering_invert(const DpRenumbering *renumbering, DpRenumbering *back, DpArena *arena)
{
	if (renumbering->number == NULL)
	{
		*back = *renumbering;
		return DP_OK;
	}
	DP_TRY(allocate(back, renumbering->attributes, arena));
	for (uint32_t a = 0; a < renumbering->attributes; a++)
		assign(back, renumbering->number[a], a, renumbering->levels[renumbering->number[a]]);
	return DP_OK;
}

void
dp_renumbering_free(DpRenumbering *renumbering, DpArena *arena)
{
	uint32_t n = renumbering->attributes;

	if (renumbering->number != NULL)
	{
		dp_free(arena, renumbering->number, n, sizeof(*renumbering->number));
		dp_free(arena, (void *) (uintptr_t) renumbering->levels, n, sizeof(*renumbering->levels));
	}
	*renumbering = (DpRenumbering){0};
}

void
dp_renumbering_set(const DpRenumbering *renumbering, const DpAttributeSet *set, uint32_t *number)
{
	for (uint32_t k = 0; k < set->n; k++)
	{
		uint32_t a = set->attribute[k], i = k;

		a = renumbering->number != NULL ? renumbering->number[a] : a;
		for (; i > 0 && number[i - 1] > a; i--)
			number[i] = number[i - 1];
		number[i] = a;
	}
}

/* ---- tables ---- */

/* The step outside from one level of an attribute within to the next. */
static uint64_t
step_outside(const DpRenumbering *renumbering, const DpAttributeSet *set, uint32_t number)
{
	uint64_t step = 1;

	for (uint32_t k = set->n; k-- > 0;)
	{
		uint32_t other = renumbering->number[set->attribute[k]];

		if (other == number)
			break;
		step *= renumbering->levels[other];
	}
	return step;
}

/* From the first attribute on: the cells of the attributes so far become those with one more, the
 * last ones first, so that nothing is overwritten before it is read. */
static void
find_places(DpRenumberedSet *within, const DpRenumbering *renumbering, const DpAttributeSet *set)
{
	uint64_t cells = 1;

	within->place[0] = 0;
	for (uint32_t k = 0; k < set->n; k++)
	{
		uint32_t number = within->set.attribute[k], levels = renumbering->levels[number];
		uint64_t step = step_outside(renumbering, set, number);

		for (uint64_t i = cells; i-- > 0;)
			for (uint32_t j = levels; j-- > 0;)
				within->place[i * levels + j] = within->place[i] + j * step;
		cells *= levels;
	}
}

static bool
is_laid_out_alike(const DpRenumbering *renumbering, const DpAttributeSet *set)
{
	for (uint32_t k = 1; k < set->n && renumbering->number != NULL; k++)
		if (renumbering->number[set->attribute[k - 1]] > renumbering->number[set->attribute[k]])
			return false;
	return true;
}

DpStatus
dp_renumbered_set_init(DpRenumberedSet *within, const DpRenumbering *renumbering,
					   const DpAttributeSet *set, DpArena *arena)
{
	uint32_t *number = dp_alloc(arena, set->n, sizeof(*number));

	*within = (DpRenumberedSet){.set = {set->n, number}, .cells = 1};
	DP_TRY_ALLOC(number);
	dp_renumbering_set(renumbering, set, number);
	for (uint32_t k = 0; k < set->n; k++)
		within->cells = dp_multiply_saturated(within->cells, renumbering->levels[number[k]]);
	if (is_laid_out_alike(renumbering, set))
		return DP_OK;
	within->place = dp_alloc(arena, within->cells, sizeof(*within->place));
	DP_TRY_ALLOC(within->place);
	find_places(within, renumbering, set);
	return DP_OK;
}

void
dp_renumbered_set_free(DpRenumberedSet *within, DpArena *arena)
{
	if (within->place != NULL)
		dp_free(arena, within->place, within->cells, sizeof(*within->place));
	dp_free(arena, (void *) (uintptr_t) within->set.attribute, within->set.n, sizeof(uint32_t));
	*within = (DpRenumberedSet){0};
}

void
dp_renumbered_set_enter(const DpRenumberedSet *within, const double *from, double *to)
{
	if (within->place == NULL)
		memcpy(to, from, within->cells * sizeof(*to));
	for (uint64_t i = 0; i < within->cells && within->place != NULL; i++)
		to[i] = from[within->place[i]];
}

void
dp_renumbered_set_leave(const DpRenumberedSet *within, const double *from, double *to)
{
	if (within->place == NULL)
		memcpy(to, from, within->cells * sizeof(*to));
	for (uint64_t i = 0; i < within->cells && within->place != NULL; i++)
		to[within->place[i]] = from[i];
}
