/*
 * domain_check.c -- what a domain must satisfy before anything is planned for it.
 */
#include "core/domain/domain.h"

#include <string.h>

#include "core/domain/priors.h"
#include "core/domain/zeros.h"

/* An open attribute has no level yet. It needs a level for the values that stay unreleased
 * later. */
static DpStatus
check_open(const DpAttribute *attribute, DpError *error)
{
	if (attribute->kind != DP_CATEGORIES || attribute->range != NULL || attribute->labels_n != 0 ||
		attribute->levels != 0)
		return dp_fail(error, DP_ERR_ARGUMENT,
					   "open attribute \"%s\" has levels before they were discovered",
					   attribute->name);
	if (!attribute->has_other)
		return dp_fail(error, DP_ERR_ARGUMENT,
					   "open attribute \"%s\" has no level for unreleased values", attribute->name);
	return DP_OK;
}

/* The labels of a range say nothing that its coordinates do not, so they must be those. Before its
 * bins are found a range has none. */
static DpStatus
check_range(const DpAttribute *attribute, DpError *error)
{
	const DpRange *range = attribute->range;
	uint32_t labels_n = range->state == DP_RANGE_FOUND ? range->bins + 1 : 0;
	char text[DP_GRID_TEXT_BYTES];

	DP_TRY(dp_range_check(range, error));
	if (attribute->kind != DP_BINS || attribute->labels_n != labels_n)
		return dp_fail(error, DP_ERR_ARGUMENT, "attribute \"%s\" does not fit its range",
					   attribute->name);
	for (uint32_t i = 0; i < labels_n; i++)
	{
		const char *own =
			dp_range_text(range, i < range->bins ? range->bin[i] : range->grid.last, text);

		if (attribute->labels == NULL || attribute->labels[i] == NULL ||
			strcmp(attribute->labels[i], own) != 0)
			return dp_fail(error, DP_ERR_ARGUMENT,
						   "attribute \"%s\" has labels that are not those of its range",
						   attribute->name);
	}
	return DP_OK;
}

static DpStatus
check_levels(const DpAttribute *attribute, DpError *error)
{
	DpAttribute expected = *attribute;

	if (attribute->kind != DP_CATEGORIES && attribute->kind != DP_BINS)
		return dp_fail(error, DP_ERR_ARGUMENT, "attribute \"%s\" is of an unknown kind",
					   attribute->name);
	if (attribute->labels_n > DP_LEVELS_MAX || attribute->levels > DP_LEVELS_MAX)
	{
		(void) dp_fail(error, DP_ERR_ARGUMENT, "attribute \"%s\" has too many levels",
					   attribute->name);
		dp_fail_detail(error, "An attribute may have at most %d levels.", DP_LEVELS_MAX);
		return DP_ERR_ARGUMENT;
	}
	if (attribute->range != NULL)
		DP_TRY(check_range(attribute, error));
	else if (attribute->kind == DP_BINS && attribute->labels_n < 2)
		return dp_fail(error, DP_ERR_ARGUMENT, "attribute \"%s\" needs at least two bin edges",
					   attribute->name);
	dp_attribute_count_levels(&expected);
	if (attribute->levels == 0 || attribute->levels != expected.levels)
		return dp_fail(error, DP_ERR_ARGUMENT,
					   "attribute \"%s\" has no levels, or not as many as labels", attribute->name);
	return DP_OK;
}

/* NULL fits too. */
static bool
text_fits(const char *text)
{
	return text == NULL || strlen(text) <= DP_TEXT_MAX;
}

static DpStatus
check_texts(const DpAttribute *attribute, DpError *error)
{
	bool fit =
		text_fits(attribute->name) && text_fits(attribute->type) && text_fits(attribute->other);

	for (uint32_t i = 0; i < attribute->labels_n && fit; i++)
		fit = text_fits(attribute->labels[i]);
	if (fit)
		return DP_OK;
	(void) dp_fail(error, DP_ERR_LIMIT, "attribute \"%.64s\" has a label that is too long",
				   attribute->name);
	dp_fail_detail(error, "A label may have at most %d bytes.", DP_TEXT_MAX);
	return DP_ERR_LIMIT;
}

static DpStatus
check_attribute(const DpAttribute *attribute, DpError *error)
{
	if (attribute->name == NULL || attribute->name[0] == '\0')
		return dp_fail(error, DP_ERR_ARGUMENT, "an attribute has no name");
	if (attribute->open)
		return check_open(attribute, error);
	DP_TRY(check_levels(attribute, error));
	if (attribute->labels_n > 0 && attribute->labels == NULL)
		return dp_fail(error, DP_ERR_ARGUMENT, "attribute \"%s\" has no labels", attribute->name);
	for (uint32_t i = 0; i < attribute->labels_n; i++)
	{
		if (attribute->labels[i] == NULL)
			return dp_fail(error, DP_ERR_ARGUMENT, "attribute \"%s\" lacks a label",
						   attribute->name);
	}
	return check_texts(attribute, error);
}

DpStatus
dp_domain_check(const DpDomain *domain, DpError *error)
{
	if (domain->attributes == 0 || domain->attribute == NULL)
		return dp_fail(error, DP_ERR_ARGUMENT, "the domain has no attributes");
	if (domain->attributes > DP_ATTRIBUTES_MAX)
		return dp_fail(error, DP_ERR_ARGUMENT, "the domain has more than %d attributes",
					   DP_ATTRIBUTES_MAX);
	for (uint32_t i = 0; i < domain->attributes; i++)
	{
		const DpAttribute *attribute = &domain->attribute[i];

		DP_TRY(check_attribute(attribute, error));
		/* Names before i are set and unique already, so the first name that is found decides. */
		if (dp_domain_find(domain, attribute->name) != (int) i)
			return dp_fail(error, DP_ERR_ARGUMENT, "attribute \"%s\" occurs twice",
						   attribute->name);
	}
	DP_TRY(dp_zeros_check(domain, error));
	return dp_priors_check(domain, error);
}

/* NULL stays NULL; false only when memory is exhausted. */
static bool
copy_text(const char *from, const char **to, DpArena *arena)
{
	*to = from == NULL ? NULL : dp_strdup(arena, from);
	return from == NULL || *to != NULL;
}

static DpStatus
copy_attribute(const DpAttribute *from, DpAttribute *to, DpArena *arena)
{
	*to = *from;
	to->labels = dp_alloc(arena, from->labels_n, sizeof(*to->labels));
	if (to->labels == NULL || !copy_text(from->name, &to->name, arena) ||
		!copy_text(from->type, &to->type, arena) || !copy_text(from->other, &to->other, arena))
		return DP_ERR_MEMORY;
	for (uint32_t i = 0; i < from->labels_n; i++)
	{
		if (!copy_text(from->labels[i], &to->labels[i], arena))
			return DP_ERR_MEMORY;
	}
	to->range = from->range == NULL ? NULL : dp_range_copy(from->range, arena);
	return from->range != NULL && to->range == NULL ? DP_ERR_MEMORY : DP_OK;
}

DpStatus
dp_domain_copy(const DpDomain *from, DpDomain *to, DpArena *arena)
{
	to->attributes = from->attributes;
	to->attribute = dp_alloc(arena, from->attributes, sizeof(*to->attribute));
	DP_TRY_ALLOC(to->attribute);
	for (uint32_t i = 0; i < from->attributes; i++)
		DP_TRY(copy_attribute(&from->attribute[i], &to->attribute[i], arena));
	DP_TRY(dp_zeros_copy(&from->zeros, &to->zeros, arena));
	return dp_priors_copy(from, to, arena);
}
