/*
 * relation.c -- the public domain of a relation: what its schema declares and
 * what its custodian declared with dp_define_column.
 */
#include "pg/domain/relation.h"

#include "access/relation.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "storage/proc.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "core/domain/pattern.h"
#include "pg/budget/dataset.h"
#include "pg/domain/checks.h"
#include "pg/domain/declaration.h"
#include "pg/domain/distance_base.h"
#include "pg/domain/fill.h"
#include "pg/domain/grid.h"
#include "pg/domain/json_field.h"
#include "pg/domain/public_keys.h"
#include "pg/domain/key_capacity.h"
#include "pg/domain/range_attribute.h"
#include "pg/domain/range_part.h"
#include "pg/domain/schema_checks.h"
#include "pg/domain/schema_facts.h"
#include "pg/domain/schema_keys.h"
#include "pg/domain/schema_range.h"
#include "pg/server/arguments.h"
#include "pg/server/catalog.h"
#include "pg/server/values.h"

static bool
is_range(const DpDeclaration *d)
{
	return strcmp(d->kind, "range") == 0;
}

/* Whether the column is not modelled, and holds a declared pattern. */
static bool
is_filled(const DpDeclaration *declaration)
{
	return strcmp(declaration->kind, "fill") == 0 || strcmp(declaration->kind, "key") == 0;
}

static bool
is_declared_computed(const DpDeclaration *declaration)
{
	return strcmp(declaration->kind, "computed") == 0;
}

/*
 * ERROR, before anything is spent, unless the declaration still fits the column: its type may be
 * another one by now, or a shorter varchar(n), or a domain with a new CHECK.
 */
static void
check_declaration(const DpDeclaration *d, Oid relation, Form_pg_attribute column, bool owner_code)
{
	if (d->type != column->atttypid)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("column \"%s\" of relation \"%s\" has changed its type since its "
							   "domain was declared",
							   d->column, dp_relation_words(relation)),
						errdetail("It was %s and is %s.", format_type_be(d->type),
								  format_type_be(column->atttypid)),
						errhint("Its custodian can run dp_define_column again.")));
	if (strcmp(d->kind, "open") == 0)
		dp_check_open(d->column, column->atttypid);
	if (is_filled(d) || is_declared_computed(d))
		return; /* whether the pattern, or the expression, fits is seen where it is used */
	if (d->offset_of.column != NULL)
		dp_check_distance(relation, d->column, d->type, &d->offset_of);
	if (d->offset_of.column != NULL || d->derived_from != NULL)
		return;
	if (is_range(d))
		return; /* it is read as of the base type, when the column is described */
	for (uint32 i = 0; i < d->labels_n && owner_code; i++)
		(void) dp_value_in(d->labels[i], column->atttypid, column->atttypmod);
	if (d->other && owner_code)
		(void) dp_value_in(d->other, column->atttypid, column->atttypmod);
}

static void
declaration_apply(const DpDeclaration *d, bool nullable, DpAttribute *attribute)
{
	attribute->kind = strcmp(d->kind, "bins") == 0 ? DP_BINS : DP_CATEGORIES;
	attribute->open = strcmp(d->kind, "open") == 0;
	attribute->labels = d->labels;
	attribute->labels_n = d->labels_n;
	attribute->other = d->other;
	/* values outside bins are clamped, so only NULL needs the other level there */
	attribute->has_other = attribute->kind == DP_BINS ? nullable : !d->complete;
}

/* A distance is missing where the column has a value far from all others, which the level "other"
 * then stands for. */
static void
far_value_apply(const DpDeclaration *d, DpAttribute *attribute)
{
	attribute->other = d->other;
	attribute->has_other = true;
}

/* What is read of a public table, whose keys are the domain of what refers to it. */
typedef enum PublicRead
{
	READ_NO_KEY,
	READ_FIRST_KEY,
	READ_ALL_KEYS
} PublicRead;

/* What is known of the relation's columns but for their types and constraints. */
typedef struct Known
{
	List *declarations;
	List *unit; /* of char *: the columns that tell units apart, or rows of a parent */
	bool unit_of_parent;
	bool strict;
	PublicRead public_read;
	bool owner_code; /* CHECKs of domain types may run, which they never do for an analyst */
	DpChecks *checks;
} Known;

/* What is declared about a column, by the custodian or by the schema. */
typedef struct ColumnFacts
{
	DpDeclaration *declaration; /* NULL: none */
	bool has_values;            /* the schema lists them */
	const char **labels;        /* those values */
	uint32 labels_n;
	DpPublicKeys *keys;   /* of the public table that it refers to; NULL: none */
	bool is_without_keys; /* that table has no row that it could refer to */
	bool is_deep;         /* its type is a domain over too many others */
	bool is_unit;         /* it is among those that tell units apart, or rows of a parent */
	bool numbered;        /* it is to differ in each row */
	List *fields;         /* of DpDeclaration: of a jsonb column, modelled in place of it */
} ColumnFacts;

/* Whether the column, alone or together with others, refers to a protected relation: its values are
 * keys of persons. References to other relations, such as a catalogue of goods, are ordinary
 * values. */
static bool
refers_to_protected(Relation relation, AttrNumber number, bool alone)
{
	ListCell *cell;

	foreach (cell, dp_schema_refers_to(relation, number, alone))
	{
		DpDataset dataset;

		if (dp_dataset_find(lfirst_oid(cell), false, &dataset) && dataset.active)
			return true;
	}
	return false;
}

/* Describes a column. False if it has no public domain, or one that no longer fits its type; *why
 * then tells why. */
static bool
attribute_describe(Relation relation, int index, const ColumnFacts *facts, const Known *known,
				   DpAttribute *attribute, DpColumn *column, const char **why)
{
	Form_pg_attribute form = TupleDescAttr(RelationGetDescr(relation), index);
	const DpDeclaration *declaration = facts->declaration;
	bool nullable = !dp_schema_not_null(relation, known->checks, index);
	DpSchemaRange range;

	*why = "outdated";
	if (declaration && declaration->type != form->atttypid)
		return false;
	*why = "declared";
	if (declaration && is_filled(declaration))
		return false;
	*why = "computed";
	if (declaration && is_declared_computed(declaration))
		return false;
	*why = "outdated";
	attribute->name = pstrdup(NameStr(form->attname));
	attribute->type = dp_type_label(getBaseType(form->atttypid));
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
		if (declaration->offset_of.column != NULL &&
			!dp_distance_apply(relation, known->checks, &declaration->offset_of, attribute, column,
							   &nullable))
			return false;
		if (!is_range(declaration))
			declaration_apply(declaration, nullable, attribute);
		else if (!dp_range_declared(declaration, known->checks,
									declaration->offset_of.column == NULL ? form : NULL,
									known->strict, nullable, attribute, column))
			return false;
		if (declaration->offset_of.column != NULL && declaration->other != NULL)
			far_value_apply(declaration, attribute);
		column->domain = declaration->domain;
	}
	else if (form->attgenerated != '\0')
	{
		*why = "generated"; /* it is computed */
		return false;
	}
	else if (facts->is_deep)
	{
		*why = "not looked at";
		return false;
	}
	else if (facts->keys != NULL)
	{
		attribute->labels = facts->keys->label;
		attribute->labels_n = facts->keys->n;
		attribute->has_other = nullable;
		column->source = "public table";
		column->keys = facts->keys;
	}
	else if (facts->has_values)
	{
		attribute->labels = facts->labels;
		attribute->labels_n = facts->labels_n;
		attribute->has_other = nullable;
		column->source = "schema";
	}
	else if (facts->is_unit)
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
	else if (facts->is_without_keys)
	{
		*why = "empty public table"; /* it can be NULL alone */
		return false;
	}
	else if (refers_to_protected(relation, form->attnum, true))
	{
		*why = "foreign key";
		return false;
	}
	else if (dp_schema_range(relation, known->checks, form, &range, why))
	{
		dp_range_of_schema(&range, nullable, attribute, column);
		/* a column that refers to a protected table together with others is a part of a key, unless
		 * a CHECK declares it */
		if (strcmp(column->source, "check") != 0 &&
			refers_to_protected(relation, form->attnum, false))
		{
			*why = "foreign key";
			return false;
		}
	}
	else
		return false;
	column->nullable = nullable;
	dp_attribute_count_levels(attribute);
	return true;
}

/* Describes a field of a jsonb column, or a part of a range, which can always be missing; false as
 * above. */
static bool
field_describe(Relation relation, Form_pg_attribute form, const DpDeclaration *declaration,
			   const Known *known, DpAttribute *attribute, DpColumn *column)
{
	DpJsonField *field = dp_json_field_of_name(declaration->column, declaration->type);

	bool nullable = field->part == DP_NO_RANGE_PART || !declaration->complete;

	field->not_null = dp_schema_not_null(relation, known->checks, form->attnum - 1);
	field->range = form->atttypid;
	attribute->name = declaration->column;
	attribute->type = dp_type_label(getBaseType(declaration->type));
	*column = (DpColumn){.number = form->attnum,
						 .type = declaration->type,
						 .typmod = -1,
						 .collation = get_typcollation(declaration->type),
						 .own_type = form->atttypid,
						 .source = declaration->assumed ? "type" : "declared",
						 .domain = declaration->domain,
						 .nullable = nullable,
						 .field = field};
	if (field->type != dp_json_field_type(field))
		return false;
	if (!is_range(declaration))
		declaration_apply(declaration, nullable, attribute);
	else if (!dp_range_declared(declaration, known->checks, NULL, known->strict, nullable,
								attribute, column))
		return false;
	dp_attribute_count_levels(attribute);
	return true;
}

/* What is modelled in place of a column. */
static List *
fields_of(Relation relation, const Known *known, Form_pg_attribute form, const ColumnFacts *facts)
{
	if (form->atttypid == JSONBOID)
		return dp_declarations_of_json(known->declarations, NameStr(form->attname));
	if (dp_type_has_range_parts(form->atttypid) && !facts->is_deep && !facts->is_unit &&
		!facts->has_values && form->attgenerated == '\0' &&
		!dp_schema_refers(relation, form->attnum))
		return dp_declarations_of_range(
			known->declarations, NameStr(form->attname), form->atttypid,
			dp_schema_not_null(relation, known->checks, form->attnum - 1));
	return NIL;
}

static void
check_all_used(List *declarations, Oid relation)
{
	ListCell *cell;

	foreach (cell, declarations)
	{
		DpDeclaration *d = lfirst(cell);

		if (!d->used)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("column \"%s\" of relation \"%s\" has a declared domain but does "
							"not exist any more",
							d->column, dp_relation_words(relation)),
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
				  const DpDeclaration *declaration, const char *why)
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
	if (strcmp(why, "computed") == 0)
		column->expression = declaration->labels[0];
	return column;
}

/* What decides which columns are to differ in each row. */
static DpKeyFacts
key_facts(Relation relation, const ColumnFacts *facts, const Known *known)
{
	int n = Max(RelationGetDescr(relation)->natts, 1);
	bool *described = palloc0(sizeof(bool) * n), *unique = palloc0(sizeof(bool) * n);
	bool *unit = palloc0(sizeof(bool) * n), *place = palloc0(sizeof(bool) * n);
	bool *refers = palloc0(sizeof(bool) * n), *protected = palloc0(sizeof(bool) * n);
	bool *bounded = palloc0(sizeof(bool) * n), *modelled = palloc0(sizeof(bool) * n);
	bool *in_key = palloc0(sizeof(bool) * n);
	ListCell *cell, *column;

	foreach (cell, dp_schema_keys_all(relation))
		foreach (column, ((DpSchemaKey *) lfirst(cell))->columns)
			in_key[lfirst_int(column) - 1] = true;
	for (int i = 0; i < RelationGetDescr(relation)->natts; i++)
	{
		Form_pg_attribute form = TupleDescAttr(RelationGetDescr(relation), i);
		const DpDeclaration *declaration = facts[i].declaration;
		bool filled = declaration != NULL && is_filled(declaration);
		bool computed = declaration != NULL && is_declared_computed(declaration);

		if (form->attisdropped)
			continue;
		unit[i] = facts[i].is_unit;
		described[i] = declaration != NULL || facts[i].has_values || facts[i].keys != NULL;
		unique[i] = filled && dp_pattern_facts(declaration->labels[0]).unique;
		place[i] = filled && dp_pattern_facts(declaration->labels[0]).place;
		refers[i] = dp_schema_refers(relation, form->attnum);
		protected[i] = refers_to_protected(relation, form->attnum, true) ||
					   refers_to_protected(relation, form->attnum, false) ||
					   facts[i].is_without_keys; /* it says as little */
		bounded[i] = in_key[i] && !facts[i].is_deep && dp_schema_is_bounded(known->checks, form);
		modelled[i] = !filled && !computed &&
					  (described[i] || facts[i].fields != NIL ||
					   (!protected[i] && !facts[i].is_deep &&
						dp_type_has_range(form->atttypid, form->atttypmod)));
	}
	return (DpKeyFacts){.described = described,
						.unique = unique,
						.place = place,
						.unit = unit,
						.unit_repeats = known->unit_of_parent,
						.refers = refers,
						.refers_to_protected = protected,
						.bounded = bounded,
						.modelled = modelled};
}

/* Which columns are to differ in each row, or among the rows of one parent. */
static DpKeyKind *
columns_keys(Relation relation, ColumnFacts *facts, const Known *known, List **sets)
{
	DpKeyFacts of = key_facts(relation, facts, known);
	DpKeyKind *keys = dp_schema_keys(relation, &of, sets);

	for (int i = 0; i < RelationGetDescr(relation)->natts; i++)
		facts[i].numbered = keys[i] != DP_NO_KEY;
	return keys;
}

/* Whether the keys of a public table are what the column holds, if it refers to one: nothing else is
 * declared of it, and it does not tell whose a row is. */
static bool
refers_to_public(Relation relation, Form_pg_attribute form, const ColumnFacts *facts)
{
	return facts->declaration == NULL && !facts->is_deep && !facts->is_unit &&
		   form->attgenerated == '\0' && dp_schema_refers_to(relation, form->attnum, true) != NIL &&
		   !refers_to_protected(relation, form->attnum, true);
}

static void
keys_apply(ColumnFacts *facts, DpPublicKeys *keys)
{
	facts->is_without_keys = keys != NULL && keys->n == 0;
	facts->keys = facts->is_without_keys ? NULL : keys;
}

/* What is declared about each column. A declaration that no longer fits is an error if strict. */
static ColumnFacts *
facts_gather(Relation relation, const Known *known)
{
	TupleDesc row = RelationGetDescr(relation);
	ColumnFacts *facts = palloc0(sizeof(ColumnFacts) * Max(row->natts, 1));
	List *keys = NIL;

	for (int i = 0; i < row->natts; i++)
	{
		Form_pg_attribute form = TupleDescAttr(row, i);

		if (form->attisdropped)
			continue;
		facts[i].is_unit = dp_is_listed(known->unit, NameStr(form->attname));
		facts[i].declaration = dp_declaration_of(known->declarations, NameStr(form->attname));
		facts[i].is_deep = dp_domain_is_deep(form->atttypid);
		if (known->public_read != READ_NO_KEY && refers_to_public(relation, form, &facts[i]))
			keys_apply(&facts[i],
					   known->public_read == READ_FIRST_KEY
						   ? dp_public_keys_read_first(relation, form->attnum, &keys)
						   : dp_public_keys_read(relation, form->attnum, known->strict, &keys));
		if (facts[i].declaration == NULL && facts[i].keys == NULL && !facts[i].is_deep)
			facts[i].has_values = dp_schema_values(known->checks, form, known->owner_code,
												   &facts[i].labels, &facts[i].labels_n);
		else if (facts[i].declaration != NULL && known->strict)
			check_declaration(facts[i].declaration, RelationGetRelid(relation), form,
							  known->owner_code);
	}
	for (int i = 0; i < row->natts; i++)
		if (!TupleDescAttr(row, i)->attisdropped && facts[i].declaration == NULL)
			facts[i].fields = fields_of(relation, known, TupleDescAttr(row, i), &facts[i]);
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
	return !attribute->open && (attribute->range == NULL || !dp_range_is_unknown(attribute->range));
}

/* Lists the columns that dictionaries give. Their bases must be modelled, by categories. */
static void
derived_read(List *declarations, DpRelation *relation)
{
	ListCell *cell;
	ListCell *other;

	foreach (cell, declarations)
	{
		DpDeclaration *d = lfirst(cell);
		int base = d->derived_from ? dp_domain_find(&relation->domain, d->derived_from) : -1;
		DpDerived *derived;

		if (!d->used || base < 0 || d->domain == NULL ||
			relation->domain.attribute[base].kind != DP_CATEGORIES)
			continue;
		derived = palloc(sizeof(DpDerived));
		*derived = (DpDerived){d->column, d->derived_from, .dictionary = d->domain};
		relation->derived = lappend(relation->derived, derived);
		foreach (other, relation->unmodelled)
			if (strcmp(((DpUnmodelled *) lfirst(other))->name, d->column) == 0)
				((DpUnmodelled *) lfirst(other))->computed = true;
	}
}

/* Describes the fields that stand for a column. */
static void
fields_add(Relation relation, Form_pg_attribute form, const ColumnFacts *facts, const Known *known,
		   DpRelation *result)
{
	bool any = false;
	ListCell *cell;

	foreach (cell, facts->fields)
	{
		DpAttribute *attribute = &result->domain.attribute[result->domain.attributes];

		if (field_describe(relation, form, lfirst(cell), known, attribute,
						   &result->column[result->domain.attributes]))
		{
			result->domain.attributes++;
			any = true;
		}
		else
			MemSet(attribute, 0, sizeof(*attribute));
	}
	result->unmodelled = lappend(
		result->unmodelled, unmodelled_create(result, form, NULL, any ? "fields" : "outdated"));
	((DpUnmodelled *) llast(result->unmodelled))->computed = any;
}

/* Adds a column to those that are modelled or to the others. */
static void
column_add(Relation relation, int i, const ColumnFacts *facts, const Known *known,
		   DpRelation *result)
{
	Form_pg_attribute form = TupleDescAttr(RelationGetDescr(relation), i);
	DpAttribute *attribute = &result->domain.attribute[result->domain.attributes];
	const char *why;

	if (facts->fields != NIL)
		fields_add(relation, form, facts, known, result);
	else if (attribute_describe(relation, i, facts, known, attribute,
								&result->column[result->domain.attributes], &why))
		result->domain.attributes++;
	else
	{
		if ((strcmp(why, "no domain") == 0 || strcmp(why, "no range") == 0) &&
			bms_is_member(form->attnum, known->checks->unseen))
			why = "not looked at";
		result->unmodelled =
			lappend(result->unmodelled, unmodelled_create(result, form, facts->declaration, why));
		MemSet(attribute, 0, sizeof(*attribute));
	}
}

static DpRelation *
domain_read(Oid oid, int32 dataset_id, bool strict, PublicRead public_read)
{
	Known known = {.declarations = dataset_id ? dp_declarations_read(dataset_id) : NIL,
				   .strict = strict,
				   .public_read = public_read};
	Relation relation = open_soon(oid);
	DpRelation *result = palloc0(sizeof(DpRelation));
	const DpKeyKind *keys;
	ColumnFacts *facts;
	DpUserContext user_context;
	int level;
	int most; /* attributes */
	int n;

	if (relation == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
						errmsg("relation with OID %u does not exist", oid)));
	if (dataset_id)
		known.unit = dp_unit_read(oid, dataset_id, &known.unit_of_parent);
	known.owner_code = dp_may_become(GetUserId(), relation->rd_rel->relowner);
	dp_become_owner(&user_context, relation->rd_rel->relowner);
	level = dp_values_begin();
	n = RelationGetDescr(relation)->natts;
	result->oid = oid;
	result->columns = n;
	known.checks = dp_checks_read(relation);
	result->checks = dp_checks_of_rows(relation, known.checks);
	result->of_now = known.checks->of_now;
	result->generated = dp_generated_read(relation, &known.checks->work);
	facts = facts_gather(relation, &known);
	keys = columns_keys(relation, facts, &known, &result->distinct);
	most =
		DP_RANGE_UPPER * n + list_length(known.declarations) + 1; /* parts of ranges, or fields */
	result->domain.attribute = palloc0(sizeof(DpAttribute) * most);
	result->column = palloc0(sizeof(DpColumn) * most);
	for (int i = 0; i < n; i++)
		if (!TupleDescAttr(RelationGetDescr(relation), i)->attisdropped)
			column_add(relation, i, &facts[i], &known, result);
	dp_fill_plan(relation, known.checks, keys, result);
	result->key_capacities = dp_key_capacities(relation, known.checks, result);
	dp_values_end(level);
	dp_unelevate(&user_context);
	relation_close(relation, AccessShareLock);
	derived_read(known.declarations, result);
	if (strict)
		check_all_used(known.declarations, oid);
	return result;
}

DpRelation *
dp_relation_domain(Oid oid, int32 dataset_id, bool strict)
{
	return domain_read(oid, dataset_id, strict, READ_ALL_KEYS);
}

DpRelation *
dp_relation_columns(Oid oid, int32 dataset_id, bool strict)
{
	return domain_read(oid, dataset_id, strict, READ_NO_KEY);
}

DpRelation *
dp_relation_roles(Oid oid, int32 dataset_id)
{
	return domain_read(oid, dataset_id, false, READ_FIRST_KEY);
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
	const char *meant = dp_domain_nearest(&relation->domain, name);

	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("column \"%s\" of relation \"%s\" does not exist or has no public domain", name,
					dp_relation_words(relation->oid)),
			 meant ? errhint("Did you mean \"%s\"?", meant)
				   : errhint("Its custodian can declare one with dp_define_column; see the "
							 "view dp_columns.")));
}

uint32
dp_relation_attribute(const DpRelation *relation, const char *name)
{
	int index = dp_domain_find(&relation->domain, name);

	if (index < 0)
		dp_no_public_domain(relation, name);
	return (uint32) index;
}
