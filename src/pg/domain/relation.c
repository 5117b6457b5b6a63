/*
 * relation.c -- the public domain of a relation: what its schema declares and
 * what its custodian declared with dp_define_column.
 */
#include "pg/domain/relation.h"

#include "access/relation.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "storage/proc.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/jsonb.h"
#include "utils/rel.h"

#include "core/domain/priors.h"
#include "core/domain/zeros.h"
#include "pg/domain/schema_facts.h"
#include "pg/domain/universe.h"
#include "pg/server/arguments.h"
#include "pg/server/catalog.h"
#include "pg/server/values.h"

/* One row of dp_dataset_column. */
typedef struct Declaration
{
	char *column;
	Oid type;
	char *kind;
	const char **labels;
	uint32 labels_n;
	char *other;
	bool complete;
	Jsonb *domain; /* NULL: none */
	bool used;
} Declaration;

static void
labels_of_array(Datum array, const char ***labels, uint32 *labels_n)
{
	int n;
	Datum *elements = dp_text_elements(array, NULL, &n);

	*labels = palloc(sizeof(char *) * Max(n, 1));
	*labels_n = n;
	for (int i = 0; i < n; i++)
		(*labels)[i] = TextDatumGetCString(elements[i]);
}

/* A jsonb column of a row, copied, since it may be in the buffer of a table; NULL for NULL. */
static Jsonb *
domain_read(uint64 row, int column)
{
	bool isnull;
	Datum value = dp_spi_value(row, column, &isnull);

	return isnull ? NULL : DatumGetJsonbPCopy(value);
}

static List *
declarations_read(int32 dataset_id)
{
	MemoryContext caller = CurrentMemoryContext;
	List *declarations = NIL;
	DpElevation elevation;
	uint64 rows;

	dp_catalog_open(&elevation);
	rows = dp_spi_read("SELECT column_name, type, kind, labels, other, complete, domain FROM"
					   " @.dp_dataset_column"
					   " WHERE dataset = $1 ORDER BY column_name",
					   DP_ARGUMENTS(DP_INT32(dataset_id)));
	for (uint64 i = 0; i < rows; i++)
	{
		MemoryContext spi = MemoryContextSwitchTo(caller);
		Declaration *d = palloc0(sizeof(Declaration));
		bool isnull;

		d->column = dp_spi_text(i, 1);
		d->type = dp_spi_oid(i, 2);
		d->kind = dp_spi_text(i, 3);
		labels_of_array(dp_spi_value(i, 4, &isnull), &d->labels, &d->labels_n);
		d->other = dp_spi_text(i, 5);
		d->complete = dp_spi_bool(i, 6);
		d->domain = domain_read(i, 7);
		declarations = lappend(declarations, d);
		MemoryContextSwitchTo(spi);
	}
	dp_catalog_close(&elevation);
	return declarations;
}

static Declaration *
declaration_of(List *declarations, const char *column)
{
	ListCell *cell;

	foreach (cell, declarations)
	{
		Declaration *d = lfirst(cell);

		if (strcmp(d->column, column) == 0)
		{
			d->used = true;
			return d;
		}
	}
	return NULL;
}

/*
 * ERROR, before anything is spent, unless the declaration still fits the column: its type may be
 * another one by now, or a shorter varchar(n), or a domain with a new CHECK.
 */
static void
check_declaration(const Declaration *d, Oid relation, Form_pg_attribute column, bool owner_code)
{
	if (d->type != column->atttypid)
		ereport(
			ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg(
				 "column \"%s\" of relation %s has changed its type since its domain was declared",
				 d->column, dp_relation_label(relation)),
			 errdetail("It was %s and is %s.", format_type_be(d->type),
					   format_type_be(column->atttypid)),
			 errhint("Its custodian can run dp_define_column again.")));
	if (strcmp(d->kind, "open") == 0)
		dp_check_open(d->column, column->atttypid);
	for (uint32 i = 0; i < d->labels_n && owner_code; i++)
		(void) dp_value_in(d->labels[i], column->atttypid, column->atttypmod);
	if (d->other && owner_code)
		(void) dp_value_in(d->other, column->atttypid, column->atttypmod);
}

static void
declaration_apply(const Declaration *d, bool nullable, DpAttribute *attribute)
{
	attribute->kind = strcmp(d->kind, "bins") == 0 ? DP_BINS : DP_CATEGORIES;
	attribute->open = strcmp(d->kind, "open") == 0;
	attribute->labels = d->labels;
	attribute->labels_n = d->labels_n;
	attribute->other = d->other;
	/* values outside bins are clamped, so only NULL needs the other level there */
	attribute->has_other = attribute->kind == DP_BINS ? nullable : !d->complete;
}

/* Describes a column; false if it has no public domain, or one that no longer fits its type. */
static bool
attribute_describe(Relation relation, int index, const Declaration *declaration, bool owner_code,
				   DpAttribute *attribute, DpColumn *column)
{
	Form_pg_attribute form = TupleDescAttr(RelationGetDescr(relation), index);
	bool nullable = !dp_schema_not_null(relation, index);

	if (declaration && declaration->type != form->atttypid)
		return false;
	attribute->name = pstrdup(NameStr(form->attname));
	attribute->type = format_type_with_typemod(form->atttypid, form->atttypmod);
	*column =
		(DpColumn){form->attnum, form->atttypid, form->atttypmod, form->attcollation, NULL, NULL};
	if (declaration)
	{
		declaration_apply(declaration, nullable, attribute);
		column->source = "declared";
		column->domain = declaration->domain;
	}
	else if (dp_schema_values(relation, form, owner_code, &attribute->labels, &attribute->labels_n))
	{
		attribute->has_other = nullable;
		column->source = "schema";
	}
	else
		return false;
	dp_attribute_count_levels(attribute);
	return true;
}

static void
check_all_used(List *declarations, Oid relation)
{
	ListCell *cell;

	foreach (cell, declarations)
	{
		Declaration *d = lfirst(cell);

		if (!d->used)
			ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
							errmsg("column \"%s\" of relation %s has a declared domain but does "
								   "not exist any more",
								   d->column, dp_relation_label(relation)),
							errhint("Its custodian can declare it under its new name, or drop the "
									"declaration: dp_define_column with no domain.")));
	}
}

static DpUnmodelled *
unmodelled_create(Form_pg_attribute form, const Declaration *declaration)
{
	DpUnmodelled *column = palloc(sizeof(DpUnmodelled));

	*column = (DpUnmodelled){form->attnum,
							 form->atttypid,
							 form->atttypmod,
							 form->attcollation,
							 pstrdup(NameStr(form->attname)),
							 declaration ? "outdated" : NULL};
	return column;
}

#define LOCK_TIMEOUT_MS 2000 /* as the release worker's, before it spends */

/* NULL if there is none. Nobody who locks the relation keeps a caller waiting for long. */
static Relation
open_soon(Oid oid)
{
	int level = NewGUCNestLevel();
	Relation relation;

	if (LockTimeout == 0 || LockTimeout > LOCK_TIMEOUT_MS)
		(void) set_config_option("lock_timeout", CppAsString2(LOCK_TIMEOUT_MS), PGC_USERSET,
								 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	relation = try_relation_open(oid, AccessShareLock);
	AtEOXact_GUC(false, level);
	return relation;
}

DpRelation *
dp_relation_domain(Oid oid, int32 dataset_id, bool strict)
{
	List *declarations = dataset_id ? declarations_read(dataset_id) : NIL;
	Relation relation = open_soon(oid);
	DpRelation *result = palloc0(sizeof(DpRelation));
	DpElevation elevation;
	bool owner_code; /* CHECKs of domain types may run, which they never do for an analyst */
	int level;
	int n;

	if (relation == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
						errmsg("relation with OID %u does not exist", oid)));
	owner_code = has_privs_of_role(GetUserId(), relation->rd_rel->relowner);
	dp_become_owner(&elevation, relation->rd_rel->relowner);
	level = dp_values_begin();
	n = RelationGetDescr(relation)->natts;
	result->oid = oid;
	result->domain.attribute = palloc0(sizeof(DpAttribute) * Max(n, 1));
	result->column = palloc0(sizeof(DpColumn) * Max(n, 1));
	for (int i = 0; i < n; i++)
	{
		DpAttribute *attribute = &result->domain.attribute[result->domain.attributes];
		Form_pg_attribute form = TupleDescAttr(RelationGetDescr(relation), i);
		Declaration *declaration;

		if (form->attisdropped)
			continue;
		declaration = declaration_of(declarations, NameStr(form->attname));
		if (strict && declaration)
			check_declaration(declaration, oid, form, owner_code);
		if (attribute_describe(relation, i, declaration, owner_code, attribute,
							   &result->column[result->domain.attributes]))
			result->domain.attributes++;
		else
		{
			result->unmodelled = lappend(result->unmodelled, unmodelled_create(form, declaration));
			MemSet(attribute, 0, sizeof(*attribute));
		}
	}
	dp_values_end(level);
	dp_unelevate(&elevation);
	relation_close(relation, AccessShareLock);
	if (strict)
		check_all_used(declarations, oid);
	return result;
}

void
dp_no_public_domain(const DpRelation *relation, const char *name)
{
	ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
					errmsg("column \"%s\" of relation %s does not exist or has no public domain",
						   name, dp_relation_label(relation->oid)),
					errhint("Its custodian can declare one with dp_define_column; see the view "
							"dp_columns.")));
}

uint32
dp_relation_attribute(const DpRelation *relation, const char *name)
{
	int index = dp_domain_find(&relation->domain, name);

	if (index < 0)
		dp_no_public_domain(relation, name);
	return (uint32) index;
}

/* The attribute by which all rows are counted where no column is named: one with levels, if there
 * is one. */
static uint32
countable_attribute(const DpDomain *domain)
{
	for (uint32 i = 0; i < domain->attributes; i++)
		if (!domain->attribute[i].open)
			return i;
	return 0;
}

void
dp_relation_restrict(DpRelation *relation, const DpOptions *options)
{
	const DpOption *option = dp_option_lists(options, "attributes");
	DpDomain *domain = &relation->domain;
	uint32 *renumbered;
	bool *keep;
	uint32 kept = 0;

	if (option == NULL || option->kind != DP_VALUE_LIST)
		return; /* any other kind is refused when the release is planned */
	keep = palloc0(sizeof(bool) * Max(domain->attributes, 1));
	for (uint32 i = 0; i < option->list[0].n; i++)
		keep[dp_relation_attribute(relation, option->list[0].name[i])] = true;
	if (option->list[0].n == 0 && domain->attributes > 0)
		keep[countable_attribute(domain)] = true;
	renumbered = palloc(sizeof(uint32) * Max(domain->attributes, 1));
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
	relation->unmodelled = NIL; /* the caller left them out on purpose */
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
	/* both arrays have a place for each column of the relation */
	memmove(&domain->attribute[at + 1], &domain->attribute[at],
			sizeof(DpAttribute) * (domain->attributes - at));
	memmove(&relation->column[at + 1], &relation->column[at],
			sizeof(DpColumn) * (domain->attributes - at));
	domain->attributes++;
	relation->column[at] =
		(DpColumn){found->number, found->type, found->typmod, found->collation, "asserted", NULL};
	domain->attribute[at] = (DpAttribute){
		.name = found->name, .type = format_type_with_typemod(found->type, found->typmod)};
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
	attribute->open = true;
	attribute->has_other = true;
	attribute->other = NULL; /* values outside the domain are left out, not counted with the rest */
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
