/*
 * relation.c -- the public domain of a relation: what its schema declares and
 * what its custodian declared with dp_define_column.
 */
#include "dpsyn.h"

#include "access/relation.h"
#include "catalog/pg_class.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "prior.h"
#include "zeros.h"

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
	Datum *elements;
	int n;

	deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false, TYPALIGN_INT, &elements, NULL,
					  &n);
	*labels = palloc(sizeof(char *) * Max(n, 1));
	*labels_n = n;
	for (int i = 0; i < n; i++)
		(*labels)[i] = TextDatumGetCString(elements[i]);
}

/* NULL for NULL. A value may be in the buffer of a table: copied. */
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
	Oid types[1] = {INT4OID};
	Datum values[1] = {Int32GetDatum(dataset_id)};
	List *declarations = NIL;
	DpElevation elevation;
	uint64 rows;

	dp_elevate(&elevation);
	SPI_connect();
	rows = dp_spi("SELECT column_name, type, kind, labels, other, complete, domain FROM"
				  " @.dp_dataset_column"
				  " WHERE dataset = $1 ORDER BY column_name",
				  SPI_OK_SELECT, 1, types, values, NULL, true);
	for (uint64 i = 0; i < rows; i++)
	{
		HeapTuple row = SPI_tuptable->vals[i];
		TupleDesc desc = SPI_tuptable->tupdesc;
		MemoryContext spi = MemoryContextSwitchTo(caller);
		Declaration *d = palloc0(sizeof(Declaration));
		char *other = SPI_getvalue(row, desc, 5);
		bool isnull;

		d->column = pstrdup(SPI_getvalue(row, desc, 1));
		d->type = dp_spi_oid(i, 2);
		d->kind = pstrdup(SPI_getvalue(row, desc, 3));
		labels_of_array(dp_spi_value(i, 4, &isnull), &d->labels, &d->labels_n);
		d->other = other ? pstrdup(other) : NULL;
		d->complete = dp_spi_bool(i, 6);
		d->domain = domain_read(i, 7);
		declarations = lappend(declarations, d);
		MemoryContextSwitchTo(spi);
	}
	SPI_finish();
	dp_unelevate(&elevation);
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
 * What was declared must still fit, and say so before anything is spent: the
 * type may be another one, or a narrower varchar(n), or a domain with a new CHECK.
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

/* false: the column has no public domain, or one that no longer fits its type. */
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

DpRelation *
dp_relation_domain(Oid oid, int32 dataset_id, bool strict)
{
	List *declarations = dataset_id ? declarations_read(dataset_id) : NIL;
	Relation relation = try_relation_open(oid, AccessShareLock);
	DpRelation *result = palloc0(sizeof(DpRelation));
	DpElevation elevation;
	bool owner_code; /* domain types may run their CHECKs: never for an analyst */
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
dp_relation_restrict(DpRelation *relation, const DpOptions *options)
{
	const DpOption *option = dp_option_lists(options, "attributes");
	DpDomain *domain = &relation->domain;
	uint32 *renumbered;
	bool *keep;
	uint32 kept = 0;

	if (option == NULL || option->kind != DP_VALUE_LIST)
		return; /* planning refuses any other kind */
	keep = palloc0(sizeof(bool) * Max(domain->attributes, 1));
	for (uint32 i = 0; i < option->list[0].n; i++)
	{
		const char *name = option->list[0].name[i];
		int index = dp_domain_find(domain, name);

		if (index < 0)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("column \"%s\" of relation %s does not exist or has no public domain",
							name, dp_relation_label(relation->oid)),
					 errhint("Its custodian can declare one with dp_define_column; see the "
							 "view dp_columns.")));
		keep[index] = true;
	}
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
	relation->unmodelled = NIL; /* left out on purpose */
}

/* ---- domains that are too large to list ---- */

/* Makes room for a column that had no domain, in column order; -1: there is no such column. */
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
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
						errmsg("column \"%s\" of relation %s does not exist", name,
							   dp_relation_label(relation->oid)),
						errdetail("A domain was given for it.")));
	attribute = &relation->domain.attribute[index];
	attribute->kind = DP_CATEGORIES;
	attribute->open = true;
	attribute->has_other = true;
	attribute->other = NULL; /* what lies outside is left out, not counted with the rest */
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
