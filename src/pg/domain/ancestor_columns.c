/*
 * ancestor_columns.c -- which column of which ancestor a name means.
 */
#include "pg/domain/ancestor_columns.h"

#include "utils/lsyscache.h"

#include "pg/budget/parent.h"
#include "pg/domain/public_lookup.h"

/* What follows "patients." in a name; NULL: it does not begin so. */
static const char *
name_within(const char *name, Oid relation)
{
	const char *table = get_rel_name(relation);
	size_t length = table == NULL ? 0 : strlen(table);

	return table != NULL && strncmp(name, table, length) == 0 && name[length] == '.'
			   ? name + length + 1
			   : NULL;
}

static void
add_of(DpRelation *relation, Oid parent, const char *column, const char *name)
{
	DpRelation *above = NULL;
	DpDataset dataset;
	DpColumn added;
	uint32 a;
	ListCell *cell;

	foreach (cell, dp_relations_above(relation))
		if (((const DpRelation *) lfirst(cell))->oid == parent)
			above = lfirst(cell);
	dp_dataset_get(parent, false, &dataset);
	if (above == NULL)
		above = dp_relation_domain(parent, dataset.id, true);
	dp_public_column_add(above, column);
	a = dp_relation_attribute(above, column);
	added = above->column[a];
	/* how it is read from its own row is what the ancestor knows */
	added.number = 0;
	added.base = 0;
	added.base_name = NULL;
	added.base_end = DP_NO_RANGE_PART;
	added.base_relation = InvalidOid;
	added.field = NULL;
	added.lookup = NULL;
	added.above = above;
	added.above_attribute = a;
	dp_relation_add(relation, pstrdup(name), &above->domain.attribute[a], &added);
}

void
dp_column_above_add(DpRelation *relation, const DpDataset *dataset, const char *name)
{
	ListCell *cell;

	if (dp_domain_find(&relation->domain, name) >= 0)
		return;
	foreach (cell, dp_dataset_parents(dataset))
	{
		const char *column = name_within(name, lfirst_oid(cell));

		if (column == NULL)
			continue;
		add_of(relation, lfirst_oid(cell), column, name);
		return;
	}
	dp_public_column_add(relation, name);
}

List *
dp_relations_above(const DpRelation *relation)
{
	List *above = list_copy(relation->joined_above);

	for (uint32 i = 0; i < relation->domain.attributes; i++)
		if (relation->column[i].above != NULL)
			above = list_append_unique_ptr(
				above, unconstify(struct DpRelation *, relation->column[i].above));
	return above;
}
