/*
 * relation_change.c -- what a request makes of the domain of a relation: columns that it leaves out
 * or adds, and domains that it gives.
 */
#include "pg/domain/relation.h"

#include "nodes/pg_list.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "core/domain/priors.h"
#include "core/domain/zeros.h"
#include "pg/domain/tree_names.h"
#include "pg/domain/universe.h"
#include "pg/server/catalog.h"
#include "pg/server/values.h"

/* The caller left columns out on purpose. Columns that cost nothing are filled all the same. */
static void
unmodelled_restrict(DpRelation *relation)
{
	List *filled = NIL;
	ListCell *cell;

	foreach (cell, relation->unmodelled)
		if (((DpUnmodelled *) lfirst(cell))->fill != NULL ||
			((DpUnmodelled *) lfirst(cell))->expression != NULL)
			filled = lappend(filled, lfirst(cell));
	relation->unmodelled = filled;
	relation->broken_check = NULL;
	relation->broken_keys = NULL;
	relation->key_capacities = NIL;
}

/* The attribute by which all rows are counted if no column is named: one with levels, if there is
 * one. */
static uint32
countable_attribute(const DpDomain *domain)
{
	for (uint32 i = 0; i < domain->attributes; i++)
		if (!domain->attribute[i].open)
			return i;
	return 0;
}

/* Leaves out the other attributes. */
static void
attributes_keep(DpRelation *relation, const bool *keep)
{
	DpDomain *domain = &relation->domain;
	uint32 *renumbered = palloc(sizeof(uint32) * Max(domain->attributes, 1));
	uint32 kept = 0;

	for (uint32 i = 0; i < domain->attributes; i++)
	{
		renumbered[i] = keep[i] ? kept : UINT32_MAX;
		if (!keep[i])
			continue;
		domain->attribute[kept] = domain->attribute[i];
		relation->column[kept++] = relation->column[i];
	}
	dp_zeros_restrict(&domain->zeros, renumbered);
	dp_priors_restrict(domain, renumbered);
	domain->attributes = kept;
}

void
dp_relation_restrict(DpRelation *relation, const DpOptions *options)
{
	const DpOption *option = dp_option_lists(options, "columns");
	DpDomain *domain = &relation->domain;
	bool *keep;

	if (option == NULL || option->kind != DP_VALUE_LIST)
		return; /* any other kind is refused when the release is planned */
	keep = palloc0(sizeof(bool) * Max(domain->attributes, 1));
	for (uint32 i = 0; i < option->list[0].n; i++)
		keep[dp_relation_attribute(relation, option->list[0].name[i])] = true;
	if (option->list[0].n == 0 && domain->attributes > 0)
		keep[countable_attribute(domain)] = true;
	attributes_keep(relation, keep);
	unmodelled_restrict(relation);
}

DpUnmodelled *
dp_relation_unmodel(DpRelation *relation, uint32 attribute)
{
	bool *keep = palloc(sizeof(bool) * relation->domain.attributes);
	const DpColumn *modelled = &relation->column[attribute];
	DpUnmodelled *column = palloc(sizeof(DpUnmodelled));

	*column = (DpUnmodelled){.number = modelled->number,
							 .type = modelled->own_type,
							 .typmod = modelled->own_type == modelled->type ? modelled->typmod : -1,
							 .collation = modelled->collation,
							 .name = pstrdup(relation->domain.attribute[attribute].name)};
	relation->unmodelled = lappend(relation->unmodelled, column);
	memset(keep, true, sizeof(bool) * relation->domain.attributes);
	keep[attribute] = false;
	attributes_keep(relation, keep);
	return column;
}

void
dp_relation_derive(DpRelation *relation, const char *name, const char *base, const char *table)
{
	int at = dp_domain_find(&relation->domain, name);
	DpUnmodelled *column = NULL;
	DpDerived *derived = palloc(sizeof(DpDerived));
	ListCell *cell;

	if (at >= 0)
		(void) dp_relation_unmodel(relation, (uint32) at);
	foreach (cell, relation->unmodelled)
		if (strcmp(((DpUnmodelled *) lfirst(cell))->name, name) == 0)
			column = lfirst(cell);
	if (column == NULL)
		elog(ERROR, "dpsyn: a column that is derived is unknown");
	foreach (cell, relation->derived) /* what a dictionary gives for it */
		if (strcmp(((DpDerived *) lfirst(cell))->base, name) == 0)
			((DpDerived *) lfirst(cell))->base =
				table == NULL ? base : dp_tree_parent_name(table, base);
	column->source = "derived";
	column->fill = column->problem = NULL;
	column->computed = true;
	*derived = (DpDerived){.column = column->name, .base = base, .table = table};
	relation->derived = lappend(relation->derived, derived);
}

void
dp_relation_add(DpRelation *relation, char *name, const DpAttribute *attribute,
				const DpColumn *column)
{
	DpDomain *domain = &relation->domain;
	DpAttribute added = *attribute;  /* copies, since both may be of this relation, */
	DpColumn added_column = *column; /* whose arrays move */
	uint32 n = domain->attributes + 1;

	added.name = name;
	domain->attribute = repalloc(domain->attribute, sizeof(DpAttribute) * n);
	relation->column = repalloc(relation->column, sizeof(DpColumn) * n);
	domain->attribute[domain->attributes] = added;
	relation->column[domain->attributes++] = added_column;
}

/* ---- domains that are too large to list ---- */

/*
 * Makes an attribute, in column order, of a column that had no domain; -1: there is no such column.
 */
static int
adopt_unmodelled(DpRelation *relation, const char *name)
{
	DpDomain *domain = &relation->domain;
	DpUnmodelled *found = NULL;
	uint32 at = 0;
	ListCell *cell;

	foreach (cell, relation->unmodelled)
		if (strcmp(((DpUnmodelled *) lfirst(cell))->name, name) == 0)
			found = lfirst(cell);
	if (found == NULL)
		return -1;
	relation->unmodelled = list_delete_ptr(relation->unmodelled, found);
	while (at < domain->attributes && relation->column[at].number < found->number)
		at++;
	/* both arrays have a place for each column of the relation, and one for each field */
	memmove(&domain->attribute[at + 1], &domain->attribute[at],
			sizeof(DpAttribute) * (domain->attributes - at));
	memmove(&relation->column[at + 1], &relation->column[at],
			sizeof(DpColumn) * (domain->attributes - at));
	domain->attributes++;
	relation->column[at] = (DpColumn){.number = found->number,
									  .type = found->type,
									  .typmod = found->typmod,
									  .collation = found->collation,
									  .source = "asserted"};
	domain->attribute[at] =
		(DpAttribute){.name = found->name, .type = dp_type_label(getBaseType(found->type))};
	return (int) at;
}

static void
assert_domain(DpRelation *relation, const char *name, Jsonb *value)
{
	int index = dp_domain_find(&relation->domain, name);
	DpAttribute *attribute;

	if (index < 0)
		index = adopt_unmodelled(relation, name);
	if (index < 0)
		dp_no_such_column(name, relation->oid, "A domain was given for it.");
	attribute = &relation->domain.attribute[index];
	attribute->kind = DP_CATEGORIES;
	attribute->range = NULL;
	attribute->open = true;
	attribute->has_other = true;
	attribute->other = NULL; /* values outside the domain are left out, not counted as "other" */
	attribute->labels_n = 0;
	dp_attribute_count_levels(attribute);
	relation->column[index].domain = value;
	relation->column[index].source = "asserted";
}

void
dp_relation_assert_domains(DpRelation *relation, Jsonb *domains)
{
	JsonbIterator *iterator = JsonbIteratorInit(&domains->root);
	JsonbValue value;
	JsonbIteratorToken token;
	char *name = NULL;

	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
			name = pnstrdup(value.val.string.val, value.val.string.len);
		else if (token == WJB_VALUE)
			assert_domain(relation, name, JsonbValueToJsonb(&value));
	}
}

void
dp_relation_read_domains(DpRelation *relation, DpArena *arena)
{
	for (uint32 i = 0; i < relation->domain.attributes; i++)
	{
		const DpColumn *column = &relation->column[i];
		DpAttribute *attribute = &relation->domain.attribute[i];

		if (attribute->open && column->domain != NULL)
			attribute->universe = dp_universe_from_json(column->domain, attribute->name,
														column->type, column->typmod, arena);
	}
}
