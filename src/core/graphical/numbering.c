/*
 * numbering.c -- numbers of attributes by their levels, and tables laid out by these numbers.
 */
#include "core/graphical/numbering.h"

#include <string.h>

#include "core/base/saturate.h"

void
dp_numbering_keep(DpNumbering *numbering, const uint32_t *levels, uint32_t attributes)
{
	*numbering = (DpNumbering){.attributes = attributes, .levels = levels};
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
allocate(DpNumbering *numbering, uint32_t attributes, DpArena *arena)
{
	uint32_t *levels = dp_alloc(arena, attributes, sizeof(*levels));

	*numbering = (DpNumbering){.attributes = attributes, .levels = levels};
	numbering->number = dp_alloc(arena, attributes, sizeof(*numbering->number));
	return levels == NULL || numbering->number == NULL ? DP_ERR_MEMORY : DP_OK;
}

static void
assign(DpNumbering *numbering, uint32_t a, uint32_t number, uint32_t levels)
{
	numbering->number[a] = number;
	((uint32_t *) (uintptr_t) numbering->levels)[number] = levels;
}

DpStatus
dp_numbering_init(DpNumbering *numbering, const uint32_t *levels, uint32_t attributes,
				  DpArena *arena)
{
	DP_TRY(allocate(numbering, attributes, arena));
	for (uint32_t a = 0; a < attributes; a++)
		assign(numbering, a, rank_of(levels, attributes, a), levels[a]);
	return DP_OK;
}

DpStatus
dp_numbering_invert(const DpNumbering *numbering, DpNumbering *back, DpArena *arena)
{
	if (numbering->number == NULL)
	{
		*back = *numbering;
		return DP_OK;
	}
	DP_TRY(allocate(back, numbering->attributes, arena));
	for (uint32_t a = 0; a < numbering->attributes; a++)
		assign(back, numbering->number[a], a, numbering->levels[numbering->number[a]]);
	return DP_OK;
}

void
dp_numbering_free(DpNumbering *numbering, DpArena *arena)
{
	uint32_t n = numbering->attributes;

	if (numbering->number != NULL)
	{
		dp_free(arena, numbering->number, n, sizeof(*numbering->number));
		dp_free(arena, (void *) (uintptr_t) numbering->levels, n, sizeof(*numbering->levels));
	}
	*numbering = (DpNumbering){0};
}

void
dp_numbering_set(const DpNumbering *numbering, const DpAttributeSet *set, uint32_t *number)
{
	for (uint32_t k = 0; k < set->n; k++)
	{
		uint32_t a = set->attribute[k], i = k;

		a = numbering->number != NULL ? numbering->number[a] : a;
		for (; i > 0 && number[i - 1] > a; i--)
			number[i] = number[i - 1];
		number[i] = a;
	}
}

/* ---- tables ---- */

/* The step outside from one level of an attribute within to the next. */
static uint64_t
step_outside(const DpNumbering *numbering, const DpAttributeSet *set, uint32_t number)
{
	uint64_t step = 1;

	for (uint32_t k = set->n; k-- > 0;)
	{
		uint32_t other = numbering->number[set->attribute[k]];

		if (other == number)
			break;
		step *= numbering->levels[other];
	}
	return step;
}

/* From the first attribute on: the cells of the attributes so far become those with one more, the
 * last ones first, so that nothing is overwritten before it is read. */
static void
find_places(DpWithin *within, const DpNumbering *numbering, const DpAttributeSet *set)
{
	uint64_t cells = 1;

	within->place[0] = 0;
	for (uint32_t k = 0; k < set->n; k++)
	{
		uint32_t number = within->set.attribute[k], levels = numbering->levels[number];
		uint64_t step = step_outside(numbering, set, number);

		for (uint64_t i = cells; i-- > 0;)
			for (uint32_t j = levels; j-- > 0;)
				within->place[i * levels + j] = within->place[i] + j * step;
		cells *= levels;
	}
}

static bool
is_laid_out_alike(const DpNumbering *numbering, const DpAttributeSet *set)
{
	for (uint32_t k = 1; k < set->n && numbering->number != NULL; k++)
		if (numbering->number[set->attribute[k - 1]] > numbering->number[set->attribute[k]])
			return false;
	return true;
}

DpStatus
dp_within_init(DpWithin *within, const DpNumbering *numbering, const DpAttributeSet *set,
			   DpArena *arena)
{
	uint32_t *number = dp_alloc(arena, set->n, sizeof(*number));

	*within = (DpWithin){.set = {set->n, number}, .cells = 1};
	if (number == NULL)
		return DP_ERR_MEMORY;
	dp_numbering_set(numbering, set, number);
	for (uint32_t k = 0; k < set->n; k++)
		within->cells = dp_multiply_saturated(within->cells, numbering->levels[number[k]]);
	if (is_laid_out_alike(numbering, set))
		return DP_OK;
	within->place = dp_alloc(arena, within->cells, sizeof(*within->place));
	if (within->place == NULL)
		return DP_ERR_MEMORY;
	find_places(within, numbering, set);
	return DP_OK;
}

void
dp_within_free(DpWithin *within, DpArena *arena)
{
	if (within->place != NULL)
		dp_free(arena, within->place, within->cells, sizeof(*within->place));
	dp_free(arena, (void *) (uintptr_t) within->set.attribute, within->set.n, sizeof(uint32_t));
	*within = (DpWithin){0};
}

void
dp_within_enter(const DpWithin *within, const double *from, double *to)
{
	if (within->place == NULL)
		memcpy(to, from, within->cells * sizeof(*to));
	for (uint64_t i = 0; i < within->cells && within->place != NULL; i++)
		to[i] = from[within->place[i]];
}

void
dp_within_leave(const DpWithin *within, const double *from, double *to)
{
	if (within->place == NULL)
		memcpy(to, from, within->cells * sizeof(*to));
	for (uint64_t i = 0; i < within->cells && within->place != NULL; i++)
		to[within->place[i]] = from[i];
}
