/*
 * asked_column.c -- what is publicly known of the columns of a question's relations: of protected ones
 * by their schema and what their custodians declared, of public tables by their rows.
 */
#include "pg/question/asked.h"

#include "access/htup_details.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/syscache.h"

#include "pg/budget/public_relation.h"
#include "pg/domain/public_table.h"
#include "pg/domain/range_attribute.h"
#include "pg/server/catalog.h"
#include "pg/server/foreign_key.h"
#include "pg/server/numbers.h"
#include "pg/server/values.h"

#define CENT_DIGITS 2 /* of money, as lc_monetary C reads it */

static DP_NORETURN void
no_such_column(Oid relation, const char *name)
{
	ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
					errmsg("relation \"%s\" has no column \"%s\" that a question can use",
						   dp_relation_words(relation), name),
					errhint("dp_query counts by columns of other types, as they are declared.")));
}

/* What its type says. */
static void
limits_of_type(DpAskedColumn *column)
{
	DpGrid *grid = &column->grid;

	column->has_range = column->assumed = true;
	*grid = (DpGrid){.kind = DP_GRID_NUMBER, .step = 1};
	switch (column->type)
	{
		case INT2OID:
			grid->first = PG_INT16_MIN;
			grid->last = PG_INT16_MAX;
			return;
		case INT4OID:
			grid->first = PG_INT32_MIN;
			grid->last = PG_INT32_MAX;
			return;
		default:
			column->has_range = column->assumed = false;
	}
}

static int
digits_of_type(Oid type, int32 typmod)
{
	if (dp_is_integer(type) || dp_is_time(type))
		return 0;
	return type == NUMERICOID && typmod >= (int32) VARHDRSZ
			   ? Max((((typmod - VARHDRSZ) & 0x7ff) ^ 1024) - 1024, 0)
			   : DP_DIGITS_UNKNOWN;
}

/* ---- of protected relations ---- */

/* Values as the column is read: those of money as numbers. */
static const char **
values_as_read(const DpAskedColumn *column, const char *const *value, uint32 values)
{
	const char **read = palloc(sizeof(char *) * (values + 1));
	int level = dp_values_begin();

	for (uint32 i = 0; i < values; i++)
		read[i] = getBaseType(column->column->type) == CASHOID
					  ? dp_value_out(
							DirectFunctionCall1(cash_numeric, dp_value_in(value[i], CASHOID, -1)),
							NUMERICOID)
					  : value[i];
	dp_values_end(level);
	return read;
}

static void
list_values(DpAskedColumn *column, const DpAttribute *attribute)
{
	column->lists = true;
	column->values = attribute->labels_n;
	column->value = values_as_read(column, attribute->labels, attribute->labels_n);
	column->complete = !attribute->has_other || (column->type == BOOLOID);
}

/* Whether nothing says which values it has: of money its type says no more. */
static bool
is_assumed(const DpColumn *column)
{
	return column->source != NULL &&
		   (strcmp(column->source, "assumed") == 0 ||
			(getBaseType(column->type) == CASHOID && strcmp(column->source, "type") == 0));
}

static void
describe_protected(const DpRelation *facts, DpAskedColumn *column)
{
	int a = dp_domain_find(&facts->domain, column->name);
	DpGrid grid;

	if (a < 0 || facts->column[a].field != NULL)
		return;
	if (facts->column[a].base != 0 || OidIsValid(facts->column[a].base_relation))
	{
		dp_asked_distance_describe(facts, (uint32) a, column);
		return;
	}
	column->attribute = &facts->domain.attribute[a];
	column->column = &facts->column[a];
	column->nullable |= column->column->nullable;
	if (dp_column_grid(column->attribute, column->column, &grid))
	{
		column->grid = grid;
		column->has_range = column->clamps = true;
		column->assumed = is_assumed(column->column);
		column->is_range = column->attribute->kind == DP_BINS;
	}
	if (column->attribute->kind == DP_CATEGORIES && !column->attribute->open)
		list_values(column, column->attribute);
	else if (column->attribute->range != NULL && column->attribute->range->listed != NULL)
	{
		column->lists = true;
		column->values = (uint32) column->attribute->range->grid.last + 1;
		column->value = values_as_read(column, column->attribute->range->listed, column->values);
		column->has_range = column->is_range = column->clamps = false;
	}
}

/* ---- of public tables ---- */

/* Runs a statement about one column of a public table, as its owner; the texts of its one row of
 * values, or of its first column's. */
static List *
read_public(Oid relation, const char *select, const char *rest, bool across)
{
	char *statement =
		psprintf("SELECT %s FROM %s%s%s", select,
				 get_rel_relkind(relation) == RELKIND_PARTITIONED_TABLE ? "" : "ONLY ",
				 dp_relation_label(relation), rest);
	MemoryContext caller = CurrentMemoryContext;
	DpUserContext user_context;
	List *texts = NIL;
	int level;

	dp_public_open(&user_context, relation, statement);
	level = dp_values_begin();
	if (SPI_execute(statement, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "dpsyn: a public table cannot be read");
	for (uint64 i = 0; i < (across ? (uint64) SPI_tuptable->tupdesc->natts : SPI_processed); i++)
	{
		bool isnull;
		int number = across ? (int) i + 1 : 1;
		Datum value = SPI_getbinval(SPI_tuptable->vals[across ? 0 : i], SPI_tuptable->tupdesc,
									number, &isnull);
		char *text =
			isnull ? NULL
				   : dp_value_out(value, getBaseType(SPI_gettypeid(SPI_tuptable->tupdesc, number)));
		MemoryContext spi = MemoryContextSwitchTo(caller);

		texts = lappend(texts, text == NULL ? NULL : pstrdup(text));
		MemoryContextSwitchTo(spi);
	}
	dp_values_end(level);
	dp_public_close(&user_context);
	return texts;
}

static void
digest_add(DpAsked *asked, const char *text)
{
	if (text != NULL)
		asked->digest =
			hash_combine64(asked->digest, hash_bytes_extended((const unsigned char *) text,
															  (int) strlen(text), 0)) |
			1;
}

static void
check_public(DpAskedRelation *of)
{
	if (!of->is_checked)
		dp_check_public(of->relation);
	of->is_checked = true;
}

List *
dp_asked_read_public(DpAsked *asked, uint32 relation, const char *select, const char *rest)
{
	DpAskedRelation *of = list_nth(asked->relations, (int) relation);
	List *texts;
	ListCell *cell;

	check_public(of);
	texts = read_public(of->relation, select, rest, false);
	foreach (cell, texts)
		digest_add(asked, lfirst(cell));
	return texts;
}

/* The grid that goes from one value to another. */
static void
range_of_ends(DpAskedColumn *column, const char *low, const char *high)
{
	DpAttribute attribute = {.kind = DP_BINS, .labels_n = 2};
	DpColumn of = {.type = column->type, .typmod = -1};
	const char *ends[2] = {low, high};

	attribute.labels = ends;
	column->has_range = column->clamps = dp_column_grid(&attribute, &of, &column->grid);
}

static void
describe_public(DpAsked *asked, DpAskedRelation *of, DpAskedColumn *column)
{
	const char *name =
		psprintf("%s%s", quote_identifier(column->name),
				 column->is_cast && column->type == NUMERICOID ? "::pg_catalog.numeric" : "");
	List *values, *ends;
	ListCell *cell;

	check_public(of);
	values = read_public(
		of->relation, psprintf("DISTINCT %s", name),
		psprintf(" WHERE %s IS NOT NULL ORDER BY 1 LIMIT %d", name, DP_PUBLIC_VALUES_MAX + 1),
		false);
	if (list_length(values) <= DP_PUBLIC_VALUES_MAX)
	{
		column->lists = column->complete = true;
		column->value = palloc(sizeof(char *) * (list_length(values) + 1));
		column->values = 0; /* in place of those that its type has */
		foreach (cell, values)
		{
			column->value[column->values++] = lfirst(cell);
			digest_add(asked, lfirst(cell));
		}
	}
	column->has_range = column->assumed = false;
	if (column->type == TEXTOID || column->type == VARCHAROID || column->type == BPCHAROID ||
		column->type == BOOLOID || column->type == UUIDOID || type_is_enum(column->type))
		return;
	ends = read_public(of->relation, psprintf("pg_catalog.min(%s), pg_catalog.max(%s)", name, name),
					   "", true);
	if (linitial(ends) == NULL)
		return;
	range_of_ends(column, linitial(ends), lsecond(ends));
	digest_add(asked, linitial(ends));
	digest_add(asked, lsecond(ends));
}

/* Whether more than its type says which values it has. */
static bool
is_declared(const DpAskedColumn *column)
{
	const char *source = column->attribute == NULL ? NULL : column->column->source;

	return source != NULL && strcmp(source, "assumed") != 0 && strcmp(source, "type") != 0;
}

/* The values of a column that refers to a public table by itself are its keys. */
static void
describe_reference(DpAsked *asked, const DpAskedRelation *of, DpAskedColumn *column)
{
	ListCell *cell;

	foreach (cell, dp_foreign_keys(of->relation))
	{
		const DpForeignKey *key = lfirst(cell);
		DpAskedRelation public = {.relation = key->parent, .is_public = true};
		DpAskedColumn keys = {.type = column->type, .is_cast = column->is_cast};

		if (key->columns != 1 || key->period || key->obstacle != NULL ||
			strcmp(key->column[0], column->name) != 0 || !dp_relation_is_public(key->parent))
			continue;
		keys.name = key->key[0];
		describe_public(asked, &public, &keys);
		if (!keys.lists)
			return;
		asked->keys_of = list_append_unique_oid(asked->keys_of, key->parent);
		column->lists = true;
		column->complete = key->is_valid;
		column->value = keys.value;
		column->values = keys.values;
		column->has_range = column->clamps = keys.has_range;
		column->assumed = false;
		column->grid = keys.grid;
		return;
	}
}

/* ---- any ---- */

DpAskedColumn *
dp_asked_column_describe(const DpAskedRelation *of, const char *name)
{
	AttrNumber number = get_attnum(of->relation, name);
	DpAskedColumn *column = palloc0(sizeof(DpAskedColumn));
	HeapTuple tuple;
	Form_pg_attribute form;
	int32 typmod;
	Oid own;

	if (number <= 0)
		no_such_column(of->relation, name);
	tuple = SearchSysCache2(ATTNUM, ObjectIdGetDatum(of->relation), Int16GetDatum(number));
	if (!HeapTupleIsValid(tuple))
		no_such_column(of->relation, name);
	form = (Form_pg_attribute) GETSTRUCT(tuple);
	typmod = form->atttypmod;
	own = getBaseTypeAndTypmod(form->atttypid, &typmod);
	column->type = dp_expression_type_read(own);
	column->is_cast = column->type != form->atttypid;
	column->ignores_case = column->type == TEXTOID && own != TEXTOID;
	column->collation = form->attcollation;
	column->nullable = !form->attnotnull || of->outer;
	if (!OidIsValid(column->type) ||
		(OidIsValid(form->attcollation) && !get_collation_isdeterministic(form->attcollation)) ||
		(column->ignores_case && form->attcollation != DEFAULT_COLLATION_OID))
		no_such_column(of->relation, name);
	ReleaseSysCache(tuple);
	column->name = pstrdup(name);
	column->digits = own == CASHOID ? CENT_DIGITS : digits_of_type(column->type, typmod);
	limits_of_type(column);
	if (!of->is_public)
		describe_protected(of->facts, column);
	column->is_unread = of->is_public || (!column->lists && !is_declared(column));
	if (column->type == BOOLOID && !column->lists)
	{
		static const char *const both[] = {"f", "t"};

		column->lists = column->complete = true;
		column->value = (const char **) both;
		column->values = 2;
	}
	return column;
}

void
dp_asked_column_read(DpAsked *asked, DpAskedRelation *of, DpAskedColumn *column)
{
	if (of->is_public)
		describe_public(asked, of, column);
	else
		describe_reference(asked, of, column);
}
