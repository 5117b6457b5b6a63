/*
 * attribute_set.c -- comparing and counting sets of attributes.
 */
#include "core/domain/attribute_set.h"

#include "core/base/saturate.h"

uint64_t
dp_set_cells(const DpAttributeSet *set, const uint32_t *levels)
{
	uint64_t cells = 1;

	for (uint32_t k = 0; k < set->n; k++)
		cells = dp_multiply_saturated(cells, levels[set->attribute[k]]);
	return cells;
}

void
dp_set_levels(const DpAttributeSet *set, const uint32_t *levels, uint32_t *size)
{
	for (uint32_t k = 0; k < set->n; k++)
		size[k] = levels[set->attribute[k]];
}

uint64_t
dp_set_step(const DpAttributeSet *set, const uint32_t *levels, uint32_t attribute)
{
	uint64_t step = 1;

	for (uint32_t k = set->n; k-- > 0; step *= levels[set->attribute[k]])
		if (set->attribute[k] == attribute)
			return step;
	return 0;
}

void
dp_set_steps_along(const DpAttributeSet *table, const uint32_t *size, const DpAttributeSet *along,
				   uint64_t *step)
{
	for (uint32_t k = 0; k < along->n; k++)
	{
		uint32_t place = dp_index_place(table->attribute, table->n, along->attribute[k]);

		step[k] = place < table->n ? 1 : 0;
		for (uint32_t i = place + 1; i < table->n; i++)
			step[k] *= size[i];
	}
}

int
dp_attributes_compare(const uint32_t *a, uint32_t a_n, const uint32_t *b, uint32_t b_n)
{
	if (a_n != b_n)
		return a_n < b_n ? -1 : 1;
	for (uint32_t k = 0; k < a_n; k++)
	{
		if (a[k] != b[k])
			return a[k] < b[k] ? -1 : 1;
	}
	return 0;
}

DpStatus
dp_attributes_check(const DpDomain *domain, const uint32_t *attribute, uint32_t n, const char *what,
					DpError *error)
{
	for (uint32_t k = 0; k < n; k++)
	{
		if (attribute[k] >= domain->attributes)
			return dp_fail(error, DP_ERR_ARGUMENT, "a column of %s does not exist", what);
		if (k > 0 && attribute[k] <= attribute[k - 1])
			return dp_fail(error, DP_ERR_ARGUMENT, "the columns of %s do not ascend", what);
		if (domain->attribute[attribute[k]].open)
			return dp_fail(error, DP_ERR_ARGUMENT,
						   "column \"%s\" of %s has values that are yet to be discovered",
						   domain->attribute[attribute[k]].name, what);
	}
	return DP_OK;
}

bool
dp_attributes_renumber(uint32_t *attribute, uint32_t n, const uint32_t *index)
{
	for (uint32_t k = 0; k < n; k++)
		if (index[attribute[k]] == UINT32_MAX)
			return false;
	for (uint32_t k = 0; k < n; k++)
		attribute[k] = index[attribute[k]];
	return true;
}

bool
dp_set_within(const DpAttributeSet *a, const DpAttributeSet *b)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < b->n && k < a->n; i++)
		k += b->attribute[i] == a->attribute[k];
	return k == a->n;
}

uint32_t
dp_set_shared(const DpAttributeSet *a, const DpAttributeSet *b)
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
dp_set_equal(const DpAttributeSet *a, const DpAttributeSet *b)
{
	return a->n == b->n && dp_set_within(a, b);
}
