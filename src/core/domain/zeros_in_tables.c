/*
 * zeros_in_tables.c -- structural zeros in the tables and rows of an estimate.
 */
#include "core/base/index_list.h"
#include "core/base/row_major.h"
#include "core/domain/zeros.h"

#define BITS_EACH_MAX UINT64_C(1048576)   /* bits of one set: 128 kB */
#define BITS_TOTAL_MAX UINT64_C(67108864) /* bits of all sets of a test: 8 MB */

/* ---- dense tables ---- */

/* The axes of the cells that a tuple leaves free. */
typedef struct Axes
{
	uint32_t n;
	uint32_t size[DP_ATTRIBUTES_MAX];
	uint64_t step[DP_ATTRIBUTES_MAX];
} Axes;

/* Sets position[k] to the place of the set's k-th attribute in the list. The result is false if
 * one is not in it. */
static bool
positions_in(const DpZeroSet *set, const uint32_t *attributes, uint32_t n, uint32_t *position)
{
	for (uint32_t k = 0; k < set->n; k++)
	{
		position[k] = dp_index_place(attributes, n, set->attribute[k]);
		if (position[k] == n)
			return false;
	}
	return true;
}

bool
dp_zeros_within(const DpDomain *domain, const uint32_t *attributes, uint32_t n)
{
	uint32_t position[DP_ZEROS_WIDTH_MAX];

	for (uint32_t s = 0; s < domain->zeros.sets; s++)
	{
		if (positions_in(&domain->zeros.set[s], attributes, n, position))
			return true;
	}
	return false;
}

/* Finds the axes that the set does not name. */
static void
free_axes(const DpDomain *domain, const uint32_t *attributes, uint32_t n, const uint64_t *stride,
		  const DpZeroLookup *lookup, Axes *axes)
{
	axes->n = 0;
	for (uint32_t k = 0; k < n; k++)
		if (!dp_index_among(lookup->position, lookup->set->n, k))
			axes->n = dp_row_major_append(axes->size, axes->step, axes->n,
										  domain->attribute[attributes[k]].levels, stride[k]);
}

/* Fills the cells at offset and everywhere along the free axes. */
static void
fill_from(uint64_t offset, const Axes *axes, double value, double *cells)
{
	uint32_t code[DP_ATTRIBUTES_MAX] = {0};
	uint32_t outer = axes->n > 0 ? axes->n - 1 : 0;
	uint64_t run = axes->n > 0 ? axes->size[outer] : 1;
	uint64_t step = axes->n > 0 ? axes->step[outer] : 0;

	do
		for (uint64_t i = 0; i < run; i++)
			cells[offset + i * step] = value;
	while (dp_row_major_follow(axes->size, axes->step, outer, code, &offset));
}

static void
row_major(const DpDomain *domain, const uint32_t *attributes, uint32_t n, uint64_t *stride)
{
	uint64_t cells = 1;

	for (uint32_t k = n; k-- > 0;)
	{
		stride[k] = cells;
		cells *= domain->attribute[attributes[k]].levels;
	}
}

void
dp_zeros_fill(const DpDomain *domain, const uint32_t *attributes, uint32_t n, double value,
			  double *cells)
{
	uint64_t stride[DP_ATTRIBUTES_MAX];
	Axes axes;

	if (domain->zeros.sets == 0)
		return;
	row_major(domain, attributes, n, stride);
	for (uint32_t s = 0; s < domain->zeros.sets; s++)
	{
		const DpZeroSet *set = &domain->zeros.set[s];
		DpZeroLookup lookup = {.set = set};

		if (!positions_in(set, attributes, n, lookup.position))
			continue;
		free_axes(domain, attributes, n, stride, &lookup, &axes);
		for (uint64_t i = 0; i < set->tuples; i++)
		{
			uint64_t offset = 0;

			for (uint32_t k = 0; k < set->n; k++)
				offset += set->code[i * set->n + k] * stride[lookup.position[k]];
			fill_from(offset, &axes, value, cells);
		}
	}
}

/* Sets cell[set->tuples] to the row-major index of each combination in the table over the set's
 * own attributes. */
static void
set_cells(const DpDomain *domain, const DpZeroSet *set, uint64_t *cell)
{
	uint64_t stride[DP_ZEROS_WIDTH_MAX];

	row_major(domain, set->attribute, set->n, stride);
	for (uint64_t i = 0; i < set->tuples; i++)
	{
		cell[i] = 0;
		for (uint32_t k = 0; k < set->n; k++)
			cell[i] += set->code[i * set->n + k] * stride[k];
	}
}

/* ---- rows ---- */

/* Makes a bit for each combination, where there are few of them. */
static DpStatus
build_bits(DpZeroLookup *lookup, const DpDomain *domain, uint64_t *bits_total, DpArena *arena)
{
	const DpZeroSet *set = lookup->set;
	uint64_t cells = dp_domain_cells(domain, set->attribute, set->n);
	uint64_t *cell;

	if (cells > BITS_EACH_MAX || cells > BITS_TOTAL_MAX - *bits_total)
		return DP_OK;
	*bits_total += cells;
	row_major(domain, set->attribute, set->n, lookup->stride);
	lookup->bits = dp_alloc(arena, cells / 64 + 1, sizeof(*lookup->bits));
	cell = dp_alloc(arena, set->tuples, sizeof(*cell));
	DP_TRY_ALLOC(lookup->bits && cell);
	set_cells(domain, set, cell);
	for (uint64_t i = 0; i < set->tuples; i++)
		lookup->bits[cell[i] / 64] |= UINT64_C(1) << cell[i] % 64;
	dp_free(arena, cell, set->tuples, sizeof(*cell));
	return DP_OK;
}

DpStatus
dp_zero_test_build(DpZeroTest *test, const DpDomain *domain, const uint32_t *attributes, uint32_t n,
				   DpArena *arena)
{
	uint64_t bits_total = 0;

	*test = (DpZeroTest){.n = 0};
	if (domain->zeros.sets == 0)
		return DP_OK;
	test->lookup = dp_alloc(arena, domain->zeros.sets, sizeof(*test->lookup));
	DP_TRY_ALLOC(test->lookup);
	for (uint32_t s = 0; s < domain->zeros.sets; s++)
	{
		DpZeroLookup *lookup = &test->lookup[test->n];

		lookup->set = &domain->zeros.set[s];
		if (attributes == NULL)
			for (uint32_t k = 0; k < lookup->set->n; k++)
				lookup->position[k] = lookup->set->attribute[k];
		else if (!positions_in(lookup->set, attributes, n, lookup->position))
			continue;
		DP_TRY(build_bits(lookup, domain, &bits_total, arena));
		test->n++;
	}
	return DP_OK;
}

/* -1, 0 or 1 as a tuple stands before, with or after the codes of a row. */
static int
compare_tuple(const DpZeroLookup *lookup, uint64_t tuple, const uint32_t *codes)
{
	const DpZeroSet *set = lookup->set;
	const uint32_t *code = set->code + tuple * set->n;

	for (uint32_t k = 0; k < set->n; k++)
	{
		uint32_t wanted = codes[lookup->position[k]];

		if (code[k] != wanted)
			return code[k] < wanted ? -1 : 1;
	}
	return 0;
}

bool
dp_zero_lookup_holds(const DpZeroLookup *lookup, const uint32_t *codes)
{
	uint64_t low = 0, high = lookup->set->tuples;

	while (low < high)
	{
		uint64_t middle = low + (high - low) / 2;
		int order = compare_tuple(lookup, middle, codes);

		if (order == 0)
			return true;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

static bool
lookup_forbids(const DpZeroLookup *lookup, const uint32_t *codes)
{
	uint64_t cell = 0;

	if (lookup->bits == NULL)
		return dp_zero_lookup_holds(lookup, codes);
	for (uint32_t k = 0; k < lookup->set->n; k++)
		cell += codes[lookup->position[k]] * lookup->stride[k];
	return (lookup->bits[cell / 64] >> cell % 64 & 1) != 0;
}

bool
dp_zero_test_forbids(const DpZeroTest *test, const uint32_t *codes)
{
	for (uint32_t i = 0; i < test->n; i++)
	{
		if (lookup_forbids(&test->lookup[i], codes))
			return true;
	}
	return false;
}

bool
dp_zero_test_forbids_known(const DpZeroTest *test, const bool *known, const uint32_t *codes)
{
	for (uint32_t i = 0; i < test->n; i++)
	{
		const DpZeroLookup *lookup = &test->lookup[i];
		bool all = true;

		for (uint32_t k = 0; k < lookup->set->n; k++)
			all &= known[lookup->position[k]];
		if (all && lookup_forbids(lookup, codes))
			return true;
	}
	return false;
}
