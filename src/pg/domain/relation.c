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
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "core/domain/pattern.h"
#include "core/domain/priors.h"
#include "core/domain/zeros.h"
#include "pg/budget/dataset.h"
#include "pg/domain/checks.h"
#include "pg/domain/distance.h"
#include "pg/domain/fill.h"
#include "pg/domain/resolution.h"
#include "pg/domain/schema_checks.h"
#include "pg/domain/schema_facts.h"
#include "pg/domain/schema_keys.h"
#include "pg/domain/schema_range.h"
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
	Jsonb *domain;    /* NULL: none */
	char *resolution; /* of a range; NULL: none */
	uint32 bins_max;
	char *offset_of;    /* NULL: none */
	char *derived_from; /* NULL: none */
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
	rows = dp_spi_read("SELECT column_name, type, kind, labels, other, complete, domain,"
					   " resolution, bins_max, offset_of, derived_from FROM @.dp_dataset_column"
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
		d->resolution = dp_spi_text(i, 8);
		d->bins_max = DatumGetInt32(dp_spi_value(i, 9, &isnull));
		if (isnull)
			d->bins_max = DP_GRID_BINS_DEFAULT;
		d->offset_of = dp_spi_text(i, 10);
		d->derived_from = dp_spi_text(i, 11);
		declarations = lappend(declarations, d);
		MemoryContextSwitchTo(spi);
	}
	dp_catalog_close(&elevation);
	return declarations;
}

/* The column that tells the dataset's units apart; NULL: none. */
static char *
unit_read(int32 dataset_id)
{
	MemoryContext caller = CurrentMemoryContext;
	DpElevation elevation;
	char *unit = NULL;

	dp_catalog_open(&elevation);
	if (dp_spi_read("SELECT unit_column FROM @.dp_dataset WHERE id = $1",
					DP_ARGUMENTS(DP_INT32(dataset_id))) > 0)
	{
		MemoryContext spi = MemoryContextSwitchTo(caller);

		unit = dp_spi_text(0, 1);
		MemoryContextSwitchTo(spi);
	}
	dp_catalog_close(&elevation);
	return unit;
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

static bool
is_range(const Declaration *d)
{
	return strcmp(d->kind, "range") == 0;
}

/* Whether the column is not modelled, and holds a declared pattern. */
static bool
is_filled(const Declaration *declaration)
{
	return strcmp(declaration->kind, "fill") == 0 || strcmp(declaration->kind, "key") == 0;
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
	if (is_filled(d))
		return; /* whether the pattern fits is seen where it is used */
	if (d->offset_of != NULL)
		dp_check_distance(relation, d->column, d->type, d->offset_of);
	if (d->offset_of != NULL || d->derived_from != NULL)
		return;
	if (is_range(d))
		return; /* it is read as of the base type, when the column is described */
	for (uint32 i = 0; i < d->labels_n && owner_code; i++)
		(void) dp_value_in(d->labels[i], column->atttypid, column->atttypmod);
	if (d->other && owner_code)
		(void) dp_value_in(d->other, column->atttypid, column->atttypmod);
}

/* An attribute whose bins are to be found on a grid. */
static void
range_apply(const DpGrid *grid, uint32 bins_max, bool nullable, DpAttribute *attribute)
{
	DpRange *range = palloc0(sizeof(DpRange));

	range->grid = *grid;
	range->state = DP_RANGE_ASKED;
	range->bins_max = bins_max;
	attribute->kind = DP_BINS;
	attribute->range = range;
	attribute->has_other = nullable;
}

typedef struct DeclaredGrid
{
	const Declaration *declaration;
	const DpColumn *column;
	DpGrid grid;
} DeclaredGrid;

static void
read_declared_grid(void *context)
{
	DeclaredGrid *declared = context;
	const Declaration *d = declared->declaration;
	DpBaseType type = dp_base_type(declared->column->type, declared->column->typmod);
	DpRangeWords words = {d->labels[0], d->labels[1], d->resolution};

	(void) dp_grid_declared(&words, &type, d->column, &declared->grid);
}

/* The column may have got another precision since. That is an error if strict, and else false. */
static bool
declared_range(const Declaration *d, bool strict, bool nullable, DpAttribute *attribute,
			   DpColumn *column)
{
	DeclaredGrid declared = {d, column, {0}};

	if (!dp_attempt(read_declared_grid, &declared))
	{
		if (!strict)
			return false;
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("the declared range of column \"%s\" does not fit its type any more",
							   d->column),
						errdetail("It is {%s,%s} at resolution %s, and the type is %s.",
								  d->labels[0], d->labels[1], d->resolution, attribute->type),
						errhint("Its custodian can run dp_define_column again.")));
	}
	range_apply(&declared.grid, d->bins_max, nullable, attribute);
	column->low = d->labels[0];
	column->high = d->labels[1];
	column->resolution = d->resolution;
	return true;
}

static void
schema_range(const DpSchemaRange *range, bool nullable, DpAttribute *attribute, DpColumn *column)
{
	char text[DP_GRID_TEXT_BYTES];

	range_apply(&range->grid, DP_GRID_BINS_DEFAULT, nullable, attribute);
	column->source = range->source;
	(void) dp_grid_print(&range->grid, range->grid.first, text);
	column->low = pstrdup(text);
	(void) dp_grid_print(&range->grid, range->grid.last, text);
	column->high = pstrdup(text);
	column->resolution = range->resolution;
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

/*
 * Makes the column one of distances. nullable becomes true where the base can be NULL. false: the
 * base is not there any more, or of another type.
 */
static bool
offset_apply(Relation relation, const Declaration *d, DpAttribute *attribute, DpColumn *column,
			 bool *nullable)
{
	TupleDesc desc = RelationGetDescr(relation);

	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute form = TupleDescAttr(desc, i);

		if (form->attisdropped || strcmp(NameStr(form->attname), d->offset_of) != 0 ||
			getBaseType(form->atttypid) != getBaseType(column->type))
			continue;
		column->base = form->attnum;
		column->base_name = d->offset_of;
		column->type = dp_distance_type(column->type);
		column->typmod = -1;
		column->collation = InvalidOid;
		attribute->type = format_type_with_typemod(column->type, -1);
		*nullable |= !dp_schema_not_null(relation, i);
		return true;
	}
	return false;
}

/* What is known of the relation's columns but for their types and constraints. */
typedef struct Known
{
	List *declarations;
	char *unit; /* the column that tells units apart; NULL: none */
	bool strict;
	bool owner_code; /* CHECKs of domain types may run, which they never do for an analyst */
} Known;

/* What is declared about a column, by the custodian or by the schema. */
typedef struct ColumnFacts
{
	Declaration *declaration; /* NULL: none */
	bool has_values;          /* the schema lists them */
	const char **labels;      /* those values */
	uint32 labels_n;
	bool numbered; /* it is to differ in each row */
} ColumnFacts;

/* Describes a column. False if it has no public domain, or one that no longer fits its type; *why
 * then tells why. */
static bool
attribute_describe(Relation relation, int index, const ColumnFacts *facts, const Known *known,
				   DpAttribute *attribute, DpColumn *column, const char **why)
{
	Form_pg_attribute form = TupleDescAttr(RelationGetDescr(relation), index);
	const Declaration *declaration = facts->declaration;
	bool nullable = !dp_schema_not_null(relation, index);
	bool is_unit = known->unit != NULL && strcmp(known->unit, NameStr(form->attname)) == 0;
	DpSchemaRange range;

	*why = "outdated";
	if (declaration && declaration->type != form->atttypid)
		return false;
	*why = "declared";
	if (declaration && is_filled(declaration))
		return false;
	*why = "outdated";
	attribute->name = pstrdup(NameStr(form->attname));
	attribute->type = format_type_with_typemod(form->atttypid, form->atttypmod);
	*column = (DpColumn){.number = form->attnum,
						 .type = form->atttypid,
						 .typmod = form->atttypmod,
						 .collation = form->attcollation,
						 .own_type = form->atttypid};
	if (declaration && declaration->derived_from != NULL)
	{
		*why = "derived";
		return false;
	}
	if (declaration)
	{
		column->source = "declared";
		if (declaration->offset_of != NULL &&
			!offset_apply(relation, declaration, attribute, column, &nullable))
			return false;
		if (!is_range(declaration))
			declaration_apply(declaration, nullable, attribute);
		else if (!declared_range(declaration, known->strict, nullable, attribute, column))
			return false;
		column->domain = declaration->domain;
	}
	else if (form->attgenerated != '\0')
	{
		*why = "generated"; /* it is computed */
		return false;
	}
	else if (facts->has_values)
	{
		attribute->labels = facts->labels;
		attribute->labels_n = facts->labels_n;
		attribute->has_other = nullable;
		column->source = "schema";
	}
	else if (is_unit)
	{
		*why = "unit";
		return false;
	}
	else if (facts->numbered)
	{
		*why = dp_schema_given(relation, form->attnum);
		if (*why == NULL)
			*why = "unique"; /* with others */
		return false;
	}
	else if (dp_schema_range(relation, form, &range, why))
		schema_range(&range, nullable, attribute, column);
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

/* Whether a generated column is computed from other columns that are there. */
static bool
is_computed(const DpRelation *relation, Form_pg_attribute form)
{
	ListCell *cell;

	foreach (cell, relation->generated)
		if (((DpCheck *) lfirst(cell))->column == form->attnum)
			return ((DpCheck *) lfirst(cell))->expression != NULL;
	return false;
}

static DpUnmodelled *
unmodelled_create(const DpRelation *relation, Form_pg_attribute form,
				  const Declaration *declaration, const char *why)
{
	DpUnmodelled *column = palloc(sizeof(DpUnmodelled));

	*column = (DpUnmodelled){.number = form->attnum,
							 .type = form->atttypid,
							 .typmod = form->atttypmod,
							 .collation = form->attcollation,
							 .name = pstrdup(NameStr(form->attname)),
							 .source = why,
							 .computed = is_computed(relation, form)};
	if (strcmp(why, "declared") == 0)
	{
		column->fill = declaration->labels[0];
		column->key = strcmp(declaration->kind, "key") == 0;
	}
	return column;
}

/* Which columns are to differ in each row. */
static bool *
columns_numbered(Relation relation, ColumnFacts *facts, const char *unit)
{
	int n = RelationGetDescr(relation)->natts;
	bool *described = palloc0(sizeof(bool) * Max(n, 1));
	bool *unique = palloc0(sizeof(bool) * Max(n, 1));
	bool *numbered;

	for (int i = 0; i < n; i++)
	{
		const Declaration *declaration = facts[i].declaration;

		described[i] = declaration != NULL || facts[i].has_values;
		unique[i] = declaration != NULL && is_filled(declaration) &&
					dp_pattern_is_unique(declaration->labels[0]);
	}
	numbered = dp_schema_keys(
		relation, &(DpKeyFacts){.described = described, .unique = unique, .unit = unit});
	for (int i = 0; i < n; i++)
		facts[i].numbered = numbered[i];
	return numbered;
}

/* What is declared about each column. A declaration that no longer fits is an error if strict. */
static ColumnFacts *
facts_gather(Relation relation, const Known *known)
{
	TupleDesc row = RelationGetDescr(relation);
	ColumnFacts *facts = palloc0(sizeof(ColumnFacts) * Max(row->natts, 1));

	for (int i = 0; i < row->natts; i++)
	{
		Form_pg_attribute form = TupleDescAttr(row, i);

		if (form->attisdropped)
			continue;
		facts[i].declaration = declaration_of(known->declarations, NameStr(form->attname));
		if (facts[i].declaration == NULL)
			facts[i].has_values = dp_schema_values(relation, form, known->owner_code,
												   &facts[i].labels, &facts[i].labels_n);
		else if (known->strict)
			check_declaration(facts[i].declaration, RelationGetRelid(relation), form,
							  known->owner_code);
	}
	return facts;
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

bool
dp_attribute_has_levels(const DpAttribute *attribute)
{
	return !attribute->open &&
		   (attribute->range == NULL || attribute->range->state != DP_RANGE_ASKED);
}

/* Lists the columns that dictionaries give. Their bases must be modelled, by categories. */
static void
derived_read(List *declarations, DpRelation *relation)
{
	ListCell *cell;
	ListCell *other;

	foreach (cell, declarations)
	{
		Declaration *d = lfirst(cell);
		int base = d->derived_from ? dp_domain_find(&relation->domain, d->derived_from) : -1;
		DpDerived *derived;

		if (!d->used || base < 0 || d->domain == NULL ||
			relation->domain.attribute[base].kind != DP_CATEGORIES)
			continue;
		derived = palloc(sizeof(DpDerived));
		*derived = (DpDerived){d->column, d->derived_from, d->domain};
		relation->derived = lappend(relation->derived, derived);
		foreach (other, relation->unmodelled)
			if (strcmp(((DpUnmodelled *) lfirst(other))->name, d->column) == 0)
				((DpUnmodelled *) lfirst(other))->computed = true;
	}
}

DpRelation *
dp_relation_domain(Oid oid, int32 dataset_id, bool strict)
{
	Known known = {.declarations = dataset_id ? declarations_read(dataset_id) : NIL,
				   .unit = dataset_id ? unit_read(dataset_id) : NULL,
				   .strict = strict};
	Relation relation = open_soon(oid);
	DpRelation *result = palloc0(sizeof(DpRelation));
	const bool *numbered;
	ColumnFacts *facts;
	DpElevation elevation;
	int level;
	int n;

	if (relation == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
						errmsg("relation with OID %u does not exist", oid)));
	known.owner_code = has_privs_of_role(GetUserId(), relation->rd_rel->relowner);
	dp_become_owner(&elevation, relation->rd_rel->relowner);
	level = dp_values_begin();
	n = RelationGetDescr(relation)->natts;
	result->oid = oid;
	result->columns = n;
	result->checks = dp_checks_read(relation);
	result->generated = dp_generated_read(relation);
	result->domain.attribute = palloc0(sizeof(DpAttribute) * Max(n, 1));
	result->column = palloc0(sizeof(DpColumn) * Max(n, 1));
	facts = facts_gather(relation, &known);
	numbered = columns_numbered(relation, facts, known.unit);
	for (int i = 0; i < n; i++)
	{
		DpAttribute *attribute = &result->domain.attribute[result->domain.attributes];
		Form_pg_attribute form = TupleDescAttr(RelationGetDescr(relation), i);
		const char *why;

		if (form->attisdropped)
			continue;
		if (attribute_describe(relation, i, &facts[i], &known, attribute,
							   &result->column[result->domain.attributes], &why))
			result->domain.attributes++;
		else
		{
			result->unmodelled = lappend(
				result->unmodelled, unmodelled_create(result, form, facts[i].declaration, why));
			MemSet(attribute, 0, sizeof(*attribute));
		}
	}
	dp_fill_plan(relation, numbered, result);
	dp_values_end(level);
	dp_unelevate(&elevation);
	relation_close(relation, AccessShareLock);
	derived_read(known.declarations, result);
	if (strict)
		check_all_used(known.declarations, oid);
	return result;
}

DpRelation *
dp_relation_protected(Oid relation)
{
	DpDataset dataset;

	if (!dp_dataset_find(relation, false, &dataset) || !dataset.active)
		return NULL;
	return dp_relation_domain(relation, dataset.id, false);
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

/* The caller left columns out on purpose. What costs nothing is filled all the same. */
static void
unmodelled_restrict(DpRelation *relation)
{
	List *filled = NIL;
	ListCell *cell;

	foreach (cell, relation->unmodelled)
		if (((DpUnmodelled *) lfirst(cell))->fill != NULL)
			filled = lappend(filled, lfirst(cell));
	relation->unmodelled = filled;
	relation->broken_check = NULL;
	relation->broken_keys = NULL;
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
	unmodelled_restrict(relation);
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
	relation->column[at] = (DpColumn){.number = found->number,
									  .type = found->type,
									  .typmod = found->typmod,
									  .collation = found->collation,
									  .source = "asserted"};
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
	attribute->range = NULL;
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
