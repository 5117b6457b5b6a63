/*
 * listed.c -- which columns of categories are grouped.
 */
#include "pg/domain/declared_facts.h"

#include "utils/lsyscache.h"

#define CATEGORIES_MAX 256 /* that a model tells apart */
#define GROUPS_MAX 64      /* of more */
/* For methods that choose their tables by the noise in them: the noise of a count is proportional
 * to 1 / epsilon, so with a larger epsilon more levels are clear of it. The limits are multiplied
 * by at most this. */
#define MORE_MAX 4
#define EPSILON_ONE INT64_C(1000000000)

/* Whether zeros or priors name levels of the attribute. */
static bool
has_named_levels(const DpDomain *domain, uint32 attribute)
{
	for (uint32 s = 0; s < domain->zeros.sets; s++)
		for (uint32 k = 0; k < domain->zeros.set[s].n; k++)
			if (domain->zeros.set[s].attribute[k] == attribute)
				return true;
	for (uint32 p = 0; p < domain->priors; p++)
		for (uint32 k = 0; k < domain->prior[p].n; k++)
			if (domain->prior[p].attribute[k] == attribute)
				return true;
	return false;
}

/* Whether a dictionary has a value for each of its categories. */
static bool
is_base(const DpRelation *relation, const char *name)
{
	ListCell *cell;

	foreach (cell, relation->derived)
		if (strcmp(((DpDerived *) lfirst(cell))->base, name) == 0)
			return true;
	return false;
}

/* Numbers have ranges where their order means something. */
static bool
is_text(Oid type)
{
	char category;
	bool preferred;

	get_type_category_preferred(getBaseType(type), &category, &preferred);
	return category == TYPCATEGORY_STRING;
}

static uint32
times_more(bool chosen, int64 epsilon_nano)
{
	int64 times = chosen ? epsilon_nano / EPSILON_ONE : 1;

	return (uint32) Max(1, Min(times, MORE_MAX));
}

static bool
is_grouped(const DpRelation *relation, uint32 a, uint32 times)
{
	const DpAttribute *attribute = &relation->domain.attribute[a];
	bool has_hierarchy = attribute->boundary != NULL;

	return attribute->kind == DP_CATEGORIES && !attribute->open &&
		   attribute->labels_n > (has_hierarchy ? GROUPS_MAX : CATEGORIES_MAX * times) &&
		   attribute->labels_n <= DP_GRID_CELLS_MAX && attribute->other == NULL &&
		   (has_hierarchy || relation->column[a].keys != NULL ||
			is_text(relation->column[a].type)) &&
		   !relation->column[a].inherited && !has_named_levels(&relation->domain, a) &&
		   !is_base(relation, attribute->name);
}

void
dp_relation_group_categories(DpRelation *relation, bool chosen, int64 epsilon_nano)
{
	uint32 times = times_more(chosen, epsilon_nano);

	for (uint32 a = 0; a < relation->domain.attributes; a++)
	{
		DpAttribute *attribute = &relation->domain.attribute[a];
		DpRange *range;

		if (!is_grouped(relation, a, times))
			continue;
		range = palloc0(sizeof(DpRange));
		range->grid = (DpGrid){
			.kind = DP_GRID_NUMBER, .first = 0, .last = attribute->labels_n - 1, .step = 1};
		range->listed = attribute->labels;
		range->boundary = attribute->boundary;
		attribute->boundary = NULL;
		range->state = DP_RANGE_REQUESTED;
		range->bins_max = GROUPS_MAX * times;
		attribute->kind = DP_BINS;
		attribute->range = range;
		attribute->labels = NULL;
		attribute->labels_n = 0;
		dp_attribute_count_levels(attribute);
	}
}
