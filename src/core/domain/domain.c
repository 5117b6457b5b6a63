/*
 * domain.c -- the public domain: sizes and look-up.
 */
#include "core/domain/domain.h"

#include <string.h>

#include "core/base/nearest_name.h"
#include "core/base/saturate.h"

void
dp_attribute_count_levels(DpAttribute *attribute)
{
	uint32_t named = attribute->labels_n;

	/* A list of k edges has k - 1 bins. */
	if (attribute->kind == DP_BINS && named > 0)
		named--;
	if (attribute->range != NULL)
		named = dp_range_levels(attribute->range);
	attribute->levels = attribute->open ? 0 : named + (attribute->has_other ? 1 : 0);
}

bool
dp_attribute_has_null(const DpAttribute *attribute)
{
	return attribute->has_other && attribute->other == NULL;
}

bool
dp_attribute_same_labels(const DpAttribute *a, const DpAttribute *b)
{
	if (a->kind != b->kind || a->labels_n != b->labels_n || a->has_other != b->has_other ||
		(a->labels == NULL) != (b->labels == NULL))
		return false;
	for (uint32_t i = 0; a->labels != NULL && i < a->labels_n; i++)
		if (a->labels[i] != b->labels[i] && (a->labels[i] == NULL || b->labels[i] == NULL ||
											 strcmp(a->labels[i], b->labels[i]) != 0))
			return false;
	return true;
}

DpStatus
dp_attribute_label_bins(DpAttribute *attribute, DpArena *arena)
{
	attribute->labels = dp_range_labels(attribute->range, arena);
	attribute->labels_n = attribute->range->bins + 1;
	dp_attribute_count_levels(attribute);
	return attribute->labels == NULL ? DP_ERR_MEMORY : DP_OK;
}

int
dp_domain_find(const DpDomain *domain, const char *name)
{
	for (uint32_t i = 0; i < domain->attributes; i++)
	{
		if (strcmp(domain->attribute[i].name, name) == 0)
			return (int) i;
	}
	return -1;
}

const char *
dp_domain_nearest(const DpDomain *domain, const char *name)
{
	DpNearestName nearest = dp_nearest_name(name);

	for (uint32_t i = 0; i < domain->attributes; i++)
		dp_nearest_name_try(&nearest, domain->attribute[i].name);
	return nearest.found;
}

uint64_t
dp_domain_cells(const DpDomain *domain, const uint32_t *attributes, uint32_t n)
{
	uint64_t cells = 1;

	for (uint32_t i = 0; i < n; i++)
	{
		const DpAttribute *attribute = &domain->attribute[attributes[i]];

		if (attribute->open)
			return DP_CELLS_SATURATED;
		cells = dp_multiply_saturated(cells, attribute->levels);
	}
	return cells;
}

void
dp_domain_levels(const DpDomain *domain, const uint32_t *attributes, uint32_t n, uint32_t *levels)
{
	for (uint32_t k = 0; k < n; k++)
		levels[k] = domain->attribute[attributes[k]].levels;
}

uint64_t
dp_domain_cell(const DpDomain *domain, const uint32_t *attributes, uint32_t n,
			   const uint32_t *codes)
{
	uint64_t cell = 0;

	for (uint32_t k = 0; k < n; k++)
		cell = cell * domain->attribute[attributes[k]].levels + codes[attributes[k]];
	return cell;
}

uint32_t
dp_open_attributes(const DpDomain *domain)
{
	uint32_t open = 0;

	for (uint32_t i = 0; i < domain->attributes; i++)
		open += domain->attribute[i].open;
	return open;
}

uint32_t
dp_requested_ranges(const DpDomain *domain)
{
	uint32_t requested = 0;

	for (uint32_t i = 0; i < domain->attributes; i++)
	{
		const DpRange *range = domain->attribute[i].range;

		requested += range != NULL && range->state == DP_RANGE_REQUESTED;
	}
	return requested;
}

uint32_t
dp_unknown_ranges(const DpDomain *domain)
{
	uint32_t unknown = 0;

	for (uint32_t i = 0; i < domain->attributes; i++)
		unknown +=
			domain->attribute[i].range != NULL && dp_range_is_unknown(domain->attribute[i].range);
	return unknown;
}

uint64_t
dp_attribute_size(const DpAttribute *attribute)
{
	if (!attribute->open)
		return attribute->levels;
	return attribute->universe != NULL ? attribute->universe->size : UINT64_MAX;
}

uint64_t
dp_cells_size(const DpDomain *domain, const uint32_t *attributes, uint32_t n)
{
	uint64_t size = 1;

	for (uint32_t k = 0; k < n; k++)
		size = dp_multiply_saturated(size, dp_attribute_size(&domain->attribute[attributes[k]]));
	return size;
}

bool
dp_cells_any_open(const DpDomain *domain, const uint32_t *attributes, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		if (domain->attribute[attributes[k]].open)
			return true;
	return false;
}
