/*
 * interactions.c -- least squares over overlapping tables, interaction by
 * interaction.
 *
 * A table over r is the sum of one part for each s within r: the interaction of the
 * attributes of s, constant along the others and with sum 0 along each of its own
 * (analysis of variance). Parts of different s are orthogonal, so that the least
 * squares problem falls apart: of the margin over s, the part of s alone is told by
 * each table r that holds s with the variance variance_r x prod of levels of r less s,
 * and the best estimate is their mean weighted by inverse variance. Put together again,
 * the estimates are margins of one and the same table, since they share the parts.
 */
#include "interactions.h"

#include <string.h>

#include "strides.h"

typedef struct Part
{
	DpAttributeSet set;
	uint64_t cells;
	double *sum; /* [cells] of weight x part, then the part of the margin over set */
	double weight;
} Part;

typedef struct Parts
{
	uint32_t n, capacity;
	Part *part;
	uint32_t slots; /* a power of two */
	uint32_t *slot; /* hash table: number of a part + 1 */
	const uint32_t *levels;
	DpArena *arena;
} Parts;

static uint64_t
hash_set(const uint32_t *attribute, uint32_t n)
{
	uint64_t hash = n;

	for (uint32_t k = 0; k < n; k++)
		hash = (hash ^ attribute[k]) * UINT64_C(0x9e3779b97f4a7c15) + (hash >> 29);
	return hash ^ hash >> 32;
}

/* The members of a set that a mask names, and their cells. */
static uint64_t
subset(const DpEvidence *evidence, const uint32_t *levels, uint32_t mask, uint32_t *attribute,
	   uint32_t *n)
{
	uint64_t cells = 1;

	*n = 0;
	for (uint32_t k = 0; k < evidence->set.n; k++)
	{
		if ((mask >> k & 1) == 0)
			continue;
		attribute[(*n)++] = evidence->set.attribute[k];
		cells *= levels[evidence->set.attribute[k]];
	}
	return cells;
}

static DpStatus
find_part(Parts *parts, const uint32_t *attribute, uint32_t n, uint64_t cells, Part **out)
{
	const DpAttributeSet set = {n, attribute};
	uint64_t slot = hash_set(attribute, n) & (parts->slots - 1);
	Part *part;

	for (; parts->slot[slot] != 0; slot = (slot + 1) & (parts->slots - 1))
	{
		*out = &parts->part[parts->slot[slot] - 1];
		if (dp_set_equal(&(*out)->set, &set))
			return DP_OK;
	}
	*out = part = &parts->part[parts->n];
	part->set = (DpAttributeSet){n, dp_memdup(parts->arena, attribute, n * sizeof(*attribute))};
	part->cells = cells;
	part->sum = dp_alloc(parts->arena, cells, sizeof(*part->sum));
	if (part->set.attribute == NULL || part->sum == NULL)
		return DP_ERR_MEMORY;
	parts->slot[slot] = ++parts->n;
	return DP_OK;
}

/* Takes the mean along each axis off, so that only the interaction is left. */
static void
centre(double *cell, uint64_t cells, const uint32_t *levels, const DpAttributeSet *set)
{
	uint64_t inner = 1;

	for (uint32_t k = set->n; k-- > 0;)
	{
		uint32_t size = levels[set->attribute[k]];

		for (uint64_t block = 0; block < cells; block += inner * size)
			for (uint64_t i = 0; i < inner; i++)
			{
				double *line = cell + block + i;
				double mean = 0;

				for (uint32_t l = 0; l < size; l++)
					mean += line[l * inner];
				mean /= size;
				for (uint32_t l = 0; l < size; l++)
					line[l * inner] -= mean;
			}
		inner *= size;
	}
}

static bool
is_apart(const DpEvidence *evidence)
{
	return evidence->set.n > DP_INTERACTIONS_MAX;
}

/* What one table says of one interaction. */
static DpStatus
hear(Parts *parts, const DpEvidence *evidence, uint32_t mask, double *margin)
{
	uint32_t attribute[DP_INTERACTIONS_MAX], n;
	uint64_t cells = subset(evidence, parts->levels, mask, attribute, &n);
	double weight = (double) cells / ((double) evidence->cells * evidence->variance);
	const DpAttributeSet set = {n, attribute};
	DpWalk walk;
	Part *part;

	DP_TRY(find_part(parts, attribute, n, cells, &part));
	DP_TRY(
		dp_walk_init(&walk, parts->levels, evidence->set.attribute, evidence->set.n, attribute, n));
	dp_walk_sum(&walk, evidence->observed, margin);
	centre(margin, cells, parts->levels, &set);
	part->weight += weight;
	for (uint64_t i = 0; i < cells; i++)
		part->sum[i] += weight * margin[i];
	return DP_OK;
}

/* The table whose interactions are the estimates: a margin's part is shared by the cells it sums. */
static DpStatus
put_together(Parts *parts, DpEvidence *evidence, double total, double *share)
{
	for (uint64_t i = 0; i < evidence->cells; i++)
		evidence->agreed[i] = total / (double) evidence->cells;
	for (uint32_t mask = 1; mask < UINT32_C(1) << evidence->set.n; mask++)
	{
		uint32_t attribute[DP_INTERACTIONS_MAX], n;
		uint64_t cells = subset(evidence, parts->levels, mask, attribute, &n);
		DpWalk walk;
		Part *part;

		DP_TRY(find_part(parts, attribute, n, cells, &part));
		for (uint64_t i = 0; i < cells; i++)
			share[i] = part->sum[i] / part->weight * (double) cells / (double) evidence->cells;
		DP_TRY(dp_walk_init(&walk, parts->levels, evidence->set.attribute, evidence->set.n,
							attribute, n));
		dp_walk_add(&walk, evidence->agreed, share);
	}
	return DP_OK;
}

static DpStatus
prepare_parts(Parts *parts, DpEvidence *const *evidence, uint32_t n, uint64_t *cells_most)
{
	uint64_t capacity = 1;

	*cells_most = 1;
	for (uint32_t i = 0; i < n; i++)
	{
		if (is_apart(evidence[i]))
			continue;
		capacity += UINT64_C(1) << evidence[i]->set.n;
		*cells_most = evidence[i]->cells > *cells_most ? evidence[i]->cells : *cells_most;
	}
	if (capacity > UINT32_MAX / 4)
		return DP_ERR_LIMIT;
	parts->capacity = (uint32_t) capacity;
	for (parts->slots = 4; parts->slots < 2 * parts->capacity;)
		parts->slots *= 2;
	parts->part = dp_alloc(parts->arena, parts->capacity, sizeof(*parts->part));
	parts->slot = dp_alloc(parts->arena, parts->slots, sizeof(*parts->slot));
	return parts->part == NULL || parts->slot == NULL ? DP_ERR_MEMORY : DP_OK;
}

static void
free_parts(Parts *parts)
{
	for (uint32_t i = 0; i < parts->n; i++)
	{
		Part *part = &parts->part[i];

		dp_free(parts->arena, (void *) (uintptr_t) part->set.attribute, part->set.n,
				sizeof(*part->set.attribute));
		dp_free(parts->arena, part->sum, part->cells, sizeof(*part->sum));
	}
	dp_free(parts->arena, parts->part, parts->capacity, sizeof(*parts->part));
	dp_free(parts->arena, parts->slot, parts->slots, sizeof(*parts->slot));
}

DpStatus
dp_interactions_agree(DpEvidence *const *evidence, uint32_t n, const uint32_t *levels, double total,
					  DpArena *arena)
{
	Parts parts = {.levels = levels, .arena = arena};
	uint64_t cells;
	double *work;

	DP_TRY(prepare_parts(&parts, evidence, n, &cells));
	work = dp_alloc(arena, cells, sizeof(*work));
	if (work == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t mask = 1; !is_apart(evidence[i]) && mask < UINT32_C(1) << evidence[i]->set.n;
			 mask++)
			DP_TRY(hear(&parts, evidence[i], mask, work));
	for (uint32_t i = 0; i < n; i++)
	{
		if (is_apart(evidence[i]))
			memcpy(evidence[i]->agreed, evidence[i]->observed, evidence[i]->cells * sizeof(*work));
		else
			DP_TRY(put_together(&parts, evidence[i], total, work));
	}
	dp_free(arena, work, cells, sizeof(*work));
	free_parts(&parts);
	return DP_OK;
}
