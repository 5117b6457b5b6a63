/*
 * public_lookup.c -- columns of public tables in a query of a relation that refers to them.
 *
 * A row of the relation refers to one row of the public table at most, so what it has there is a
 * function of the row itself and of public facts: noise and bounds are as for columns of its own.
 */
#include "pg/domain/public_lookup.h"

#include "catalog/pg_class.h"
#include "common/hashfn.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "pg/budget/public_relation.h"
#include "pg/server/catalog.h"
#include "pg/server/foreign_key.h"

/* ---- the domain of such a column ---- */

static void
column_add(DpRelation *relation, const DpColumn *by, const DpPublicLookup *lookup, char *name)
{
	const DpPublicColumn *of = lookup->of;
	DpAttribute attribute = {.type = format_type_with_typemod(of->type, of->typmod),
							 .kind = DP_CATEGORIES,
							 .labels = of->value,
							 .labels_n = of->values,
							 .has_other = by->nullable};
	DpColumn column = {.type = of->type,
					   .typmod = of->typmod,
					   .collation = of->collation,
					   .own_type = of->type,
					   .source = "public table",
					   .lookup = lookup};

	for (uint32 i = 0; i < lookup->keys->n; i++)
		attribute.has_other |= of->code[lookup->keys->row[i]] == DP_PUBLIC_NO_VALUE;
	column.nullable = attribute.has_other;
	dp_attribute_count_levels(&attribute);
	dp_relation_add(relation, name, &attribute, &column);
}

void
dp_public_column_add(DpRelation *relation, const char *name)
{
	if (dp_domain_find(&relation->domain, name) >= 0)
		return;
	for (uint32 a = 0; a < relation->domain.attributes; a++)
	{
		const DpColumn *by = &relation->column[a];
		const DpPublicColumn *of =
			by->keys == NULL || by->number <= 0
				? NULL
				: dp_public_column_find(by->keys, relation->domain.attribute[a].name, name);
		DpPublicLookup *lookup;

		if (of == NULL || of->values > DP_PUBLIC_VALUES_MAX)
			continue;
		lookup = palloc(sizeof(DpPublicLookup));
		*lookup = (DpPublicLookup){relation->oid, relation->domain.attribute[a].name, by->keys, of};
		column_add(relation, by, lookup, pstrdup(name));
		return;
	}
}

List *
dp_public_lookups(const DpRelation *relation)
{
	List *found = list_copy(relation->joined_public);

	for (uint32 a = 0; a < relation->domain.attributes; a++)
	{
		const DpColumn *column = &relation->column[a];

		if (column->above != NULL && column->above->column[column->above_attribute].lookup != NULL)
			column = &column->above->column[column->above_attribute];
		if (column->lookup == NULL)
			continue;
		found = list_append_unique_oid(found, column->lookup->keys->table->relation);
		for (const DpPublicColumn *of = column->lookup->of; of->via != NULL; of = of->via)
			found = list_append_unique_oid(found, of->relation);
	}
	return found;
}

/* ---- reading it ---- */

/* The foreign key of a column by itself to a key of the table. */
static const DpForeignKeyOperator *
operator_of(Oid from, const char *column, Oid to, AttrNumber key)
{
	ListCell *cell;

	foreach (cell, dp_foreign_keys(from))
	{
		const DpForeignKey *reference = lfirst(cell);

		if (reference->parent != to || reference->columns != 1 || reference->period ||
			strcmp(reference->column[0], column) != 0 ||
			strcmp(reference->key[0], get_attname(to, key, false)) != 0)
			continue;
		if (reference->obstacle != NULL)
			ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
							errmsg("column \"%s\" of relation \"%s\" does not say to which row of "
								   "relation \"%s\" it refers",
								   column, dp_relation_words(from), dp_relation_words(to)),
							errdetail("%s", reference->obstacle)));
		return &reference->equal[0];
	}
	ereport(ERROR, (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
					errmsg("a foreign key of relation \"%s\" was changed meanwhile",
						   dp_relation_words(from)),
					errdetail("Nothing was spent."), errhint("Try again.")));
}

/*
 * "(SELECT v FROM (SELECT id, brand FROM ONLY part) looked_up(k, v) WHERE k = part_id)". Columns of the
 * public table get other names, since the name of the row's own column must not mean one of them.
 */
static char *
value_in(Oid table, AttrNumber key, const char *read, const DpForeignKeyOperator *equal,
		 const char *column, const char *of)
{
	const char *mark = strcmp(column, "k") == 0 || strcmp(column, "v") == 0 ? "_" : "";
	char *k = psprintf("k%s", mark);

	return psprintf(
		"(SELECT v%s FROM (SELECT %s, %s FROM %s%s) looked_up(%s, v%s) WHERE %s)", mark,
		quote_identifier(get_attname(table, key, false)), read,
		get_rel_relkind(table) == RELKIND_PARTITIONED_TABLE ? "" : "ONLY ",
		dp_relation_label(table), k, mark,
		dp_foreign_key_compare(equal, k, psprintf("%s%s", of, quote_identifier(column))));
}

/* What reads a column of a public table in a row of it, for one that leads on from there. */
static char *
read_from(const DpPublicColumn *const *way, int steps)
{
	const DpPublicColumn *at = way[0];

	if (steps == 1)
		return pstrdup(quote_identifier(at->name));
	return value_in(way[1]->relation, way[1]->via_key, read_from(way + 1, steps - 1),
					operator_of(at->relation, at->name, way[1]->relation, way[1]->via_key),
					at->name, "");
}

char *
dp_public_lookup_expression(const DpPublicLookup *lookup, const char *of)
{
	const DpPublicTable *table = lookup->keys->table;
	const DpPublicColumn *way[8];
	int steps = 0;

	for (const DpPublicColumn *at = lookup->of; at != NULL; at = at->via)
	{
		if (steps == lengthof(way))
			elog(ERROR, "dpsyn: a public table is too far away");
		memmove(way + 1, way, sizeof(way[0]) * steps);
		way[0] = at;
		steps++;
	}
	return value_in(
		table->relation, lookup->keys->key, read_from(way, steps),
		operator_of(lookup->relation, lookup->column, table->relation, lookup->keys->key),
		lookup->column, of);
}

/* ---- what a release stands on ---- */

/* The keys of public tables that an attribute is read by; NULL: by none. */
static const DpPublicKeys *
keys_of(const DpColumn *column)
{
	return column->lookup != NULL ? column->lookup->keys : column->keys;
}

uint64
dp_public_digest(const DpRelation *relation)
{
	uint64 digest = relation->joined_digest;

	for (uint32 a = 0; a < relation->domain.attributes; a++)
		if (keys_of(&relation->column[a]) != NULL)
			digest =
				hash_combine64(digest, dp_public_keys_digest(keys_of(&relation->column[a]))) | 1;
	return digest;
}

void
dp_check_public_lookups(const DpRelation *relation)
{
	ListCell *cell;

	foreach (cell, dp_public_lookups(relation))
		dp_check_public(lfirst_oid(cell));
}

List *
dp_public_tables(const DpRelation *relation)
{
	List *found = dp_public_lookups(relation);

	for (uint32 a = 0; a < relation->domain.attributes; a++)
		if (keys_of(&relation->column[a]) != NULL)
			found = list_concat_unique_oid(found, keys_of(&relation->column[a])->table->relations);
	return found;
}

void
dp_check_public_tables(const DpRelation *relation)
{
	ListCell *cell;

	foreach (cell, dp_public_tables(relation))
		dp_check_public(lfirst_oid(cell));
}
