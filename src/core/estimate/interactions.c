/*
 * interactions.c -- least squares over overlapping tables, interaction by interaction.
 *
 * A table over r is the sum of one part for each s within r (analysis of variance). The part is the
 * interaction of the attributes of s: it is constant along the others and has sum 0 along each
 * attribute of s. Parts of different s are orthogonal, so that the least squares problem falls
 * apart into one for each s. Each table r that holds s tells the part of s in the margin over s,
 * with the variance variance_r x prod of levels of r less s. The best estimate is the mean of what
 * they tell, weighted by inverse variance. The tables share these estimates of the parts, so that,
 * put together again, they are margins of one and the same table.
 */
#include "core/estimate/interactions.h"

#include <string.h>

#include "core/base/saturate.h"
#include "core/domain/attribute_set.h"
#include "core/estimate/strides.h"

/* Of a set of attributes, which the index of sets has. */
typedef struct Part
{
	uint64_t cells;
	double *sum;   /* [cells] */
	double weight; /* sum over the tables that hold it */
	double ease;   /* the same */
} Part;

/* One part in one table. */
typedef struct Place
{
	Part *part;
	double weight; /* 1 / variance of the margin's interaction as the table measures it */
	double ease;   /* weight / damping */
	DpWalk walk;
} Place;

struct DpInteractions
{
	DpArena *arena;
	const uint32_t *levels;
	DpNoisyMeasurement *const *measurement;
	uint32_t tables;
	DpSetIndex parts; /* their sets */
	Part *part;       /* [parts.capacity] */
	uint64_t places;
	Place *place; /* table after table; within a table by mask, from 1 on */
	uint64_t work_cells;
	double *work;
};

/* Lists the members of a set that a mask names. Returns the number of their cells. */
static uint64_t
subset(const DpNoisyMeasurement *measurement, const uint32_t *levels, uint32_t mask,
	   uint32_t *attribute, uint32_t *n)
{
	uint64_t cells = 1;

	*n = 0;
	for (uint32_t k = 0; k < measurement->set.n; k++)
	{
		if ((mask >> k & 1) == 0)
			continue;
		attribute[(*n)++] = measurement->set.attribute[k];
		cells *= levels[measurement->set.attribute[k]];
	}
	return cells;
}

static DpStatus
find_part(DpInteractions *all, const uint32_t *attribute, uint32_t n, uint64_t cells, Part **out)
{
	uint32_t known = all->parts.n, number;
	Part *part;

	DP_TRY(dp_set_index_add(&all->parts, &(DpAttributeSet){n, attribute}, &number));
	*out = part = &all->part[number];
	if (number < known)
		return DP_OK;
	part->cells = cells;
	part->sum = dp_alloc(all->arena, cells, sizeof(*part->sum));
	return part->sum == NULL ? DP_ERR_MEMORY : DP_OK;
}

uint32_t
dp_interactions_parts(uint32_t attributes)
{
	return attributes > DP_INTERACTIONS_MAX ? 0 : (UINT32_C(1) << attributes) - 1;
}

static uint32_t
parts_of(const DpNoisyMeasurement *measurement)
{
	return dp_interactions_parts(measurement->set.n);
}

uint64_t
dp_interactions_bytes(uint64_t parts)
{
	return dp_multiply_saturated(parts, sizeof(Part) + sizeof(DpAttributeSet) + sizeof(Place) +
											4 * sizeof(uint32_t));
}

static DpStatus
allocate(DpInteractions *all)
{
	uint64_t capacity = 1;

	for (uint32_t i = 0; i < all->tables; i++)
	{
		const DpNoisyMeasurement *measurement = all->measurement[i];

		capacity += parts_of(measurement);
		if (parts_of(measurement) > 0 && measurement->cells > all->work_cells)
			all->work_cells = measurement->cells;
	}
	if (capacity > DP_INTERACTION_PARTS_MAX + 1)
		return DP_ERR_LIMIT;
	DP_TRY(dp_set_index_init(&all->parts, (uint32_t) capacity, all->arena));
	all->part = dp_alloc(all->arena, capacity, sizeof(*all->part));
	all->place = dp_alloc(all->arena, capacity, sizeof(*all->place));
	all->work = dp_alloc(all->arena, all->work_cells, sizeof(*all->work));
	return all->part == NULL || all->place == NULL || all->work == NULL ? DP_ERR_MEMORY : DP_OK;
}

static DpStatus
take_apart(DpInteractions *all, const DpNoisyMeasurement *measurement)
{
	for (uint32_t mask = 1; mask <= parts_of(measurement); mask++)
	{
		uint32_t attribute[DP_INTERACTIONS_MAX], n;
		uint64_t cells = subset(measurement, all->levels, mask, attribute, &n);
		Place *place = &all->place[all->places++];

		DP_TRY(find_part(all, attribute, n, cells, &place->part));
		place->weight = (double) cells / ((double) measurement->cells * measurement->variance);
		place->ease = place->weight / measurement->damping;
		place->part->weight += place->weight;
		place->part->ease += place->ease;
		DP_TRY(dp_walk_init(&place->walk, all->levels, &measurement->set,
							&(DpAttributeSet){n, attribute}));
	}
	return DP_OK;
}

DpStatus
dp_interactions_init(DpInteractions **out, DpNoisyMeasurement *const *measurement, uint32_t n,
					 const uint32_t *levels, DpArena *arena)
{
	DpInteractions *all = dp_alloc(arena, 1, sizeof(*all));

	DP_TRY_ALLOC(all);
	*all =
		(DpInteractions){.arena = arena, .levels = levels, .measurement = measurement, .tables = n};
	DP_TRY(allocate(all));
	for (uint32_t i = 0; i < n; i++)
		DP_TRY(take_apart(all, measurement[i]));
	*out = all;
	return DP_OK;
}

void
dp_interactions_free(DpInteractions *all)
{
	for (uint32_t i = 0; i < all->parts.n; i++)
		dp_free(all->arena, all->part[i].sum, all->part[i].cells, sizeof(*all->part[i].sum));
	dp_free(all->arena, all->part, all->parts.capacity, sizeof(*all->part));
	dp_free(all->arena, all->place, all->parts.capacity, sizeof(*all->place));
	dp_free(all->arena, all->work, all->work_cells, sizeof(*all->work));
	dp_set_index_free(&all->parts, true);
	dp_free(all->arena, all, 1, sizeof(*all));
}

/* Subtracts the mean along each axis, so that only the interaction is left. */
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

static void
clear_parts(DpInteractions *all)
{
	for (uint32_t i = 0; i < all->parts.n; i++)
		memset(all->part[i].sum, 0, all->part[i].cells * sizeof(double));
}

/* Adds scale x the margin to the part. Centring is linear, so the parts are centred once, when
 * all tables have been added. */
static void
hear(DpInteractions *all, const Place *place, const double *table, double scale)
{
	Part *part = place->part;

	dp_walk_sum(&place->walk, table, all->work);
	for (uint64_t i = 0; i < part->cells; i++)
		part->sum[i] += scale * all->work[i];
}

static void
centre_parts(DpInteractions *all)
{
	for (uint32_t i = 0; i < all->parts.n; i++)
		centre(all->part[i].sum, all->part[i].cells, all->levels, &all->parts.set[i]);
}

static void
contribute(DpInteractions *all, const Place *place, double *table, double scale)
{
	const Part *part = place->part;

	for (uint64_t i = 0; i < part->cells; i++)
		all->work[i] = scale * part->sum[i];
	dp_walk_add(&place->walk, table, all->work);
}

static void
agree(DpInteractions *all, double total, bool again)
{
	const Place *place = all->place;

	clear_parts(all);
	for (uint32_t i = 0; i < all->tables; i++)
	{
		DpNoisyMeasurement *measurement = all->measurement[i];

		if (!again)
			memcpy(measurement->agreed, measurement->observed, measurement->cells * sizeof(double));
		for (uint32_t k = parts_of(measurement); k > 0; k--, place++)
			hear(all, place, measurement->agreed, place->weight / place->part->weight);
	}
	centre_parts(all);
	place = all->place;
	for (uint32_t i = 0; i < all->tables; i++)
	{
		DpNoisyMeasurement *measurement = all->measurement[i];

		for (uint64_t c = 0; c < measurement->cells && parts_of(measurement) > 0; c++)
			measurement->agreed[c] = total / (double) measurement->cells;
		/* the cells that a margin sums share its part */
		for (uint32_t k = parts_of(measurement); k > 0; k--, place++)
			contribute(all, place, measurement->agreed,
					   (double) place->part->cells / (double) measurement->cells);
	}
}

void
dp_interactions_make_consistent(DpInteractions *all, double total)
{
	agree(all, total, false);
}

void
dp_interactions_restore_consistency(DpInteractions *all, double total)
{
	agree(all, total, true);
}

/*
 * Each table that holds s may have a share of the part of s in the potentials. A share costs
 * variance x damping x (cells of r / cells of s) for each unit squared. So shares in proportion to
 * the eases cost least.
 */
void
dp_interactions_share(DpInteractions *all, double *x)
{
	const Place *place = all->place;
	uint64_t at = 0;

	clear_parts(all);
	for (uint32_t i = 0; i < all->tables; at += all->measurement[i++]->cells)
		for (uint32_t k = parts_of(all->measurement[i]); k > 0; k--, place++)
			hear(all, place, x + at,
				 (double) place->part->cells / (double) all->measurement[i]->cells);
	centre_parts(all);
	place = all->place;
	at = 0;
	for (uint32_t i = 0; i < all->tables; at += all->measurement[i++]->cells)
	{
		if (parts_of(all->measurement[i]) > 0)
			memset(x + at, 0, all->measurement[i]->cells * sizeof(*x));
		for (uint32_t k = parts_of(all->measurement[i]); k > 0; k--, place++)
			contribute(all, place, x + at, place->ease / place->part->ease);
	}
}
