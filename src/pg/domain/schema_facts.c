/*
 * schema_facts.c -- what the schema itself declares about a column: that it is boolean, the labels
 * of an enum, CHECK (column IN (...)) on the table or on the domain type. All of this is public, so
 * the custodian need not say it again.
 *
 * A list with a NULL in it constrains nothing, since a CHECK that is NULL passes.
 */
#include "pg/domain/schema_facts.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_enum.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pg_list.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "pg/domain/schema_checks.h"
#include "pg/server/arguments.h"
#include "pg/server/subtransaction.h"
#include "pg/server/values.h"

PG_FUNCTION_INFO_V1(dp_type_not_null);
#define LABEL_WORK 32 /* of reading a label of an enum */

/*
 * Whether an operator compares for equality as the column does. A comparison with a collation of
 * its own, under which different texts can be equal, allows more values than it lists.
 */
static bool
is_equality(Oid operator, Oid collation, const DpSubject *subject)
{
	return get_mergejoin_opfamilies(operator) != NIL &&
		   (!OidIsValid(collation) || collation == subject->collation ||
			get_collation_isdeterministic(collation));
}

/*
 * Whether two values of these types are equal just when their texts mean the same. A date and a
 * timestamptz are not like that: whether they are equal depends on the session's time zone.
 */
static bool
types_compare_as_text(Oid type, Oid base)
{
	char category;
	char base_category;
	bool preferred;

	if (type == base)
		return true;
	get_type_category_preferred(type, &category, &preferred);
	get_type_category_preferred(base, &base_category, &preferred);
	return category == base_category &&
		   (category == TYPCATEGORY_NUMERIC || category == TYPCATEGORY_STRING);
}

/* The text form of a value as the column prints it; NULL if the column cannot hold it. */
typedef struct ColumnText
{
	const DpSubject *subject;
	const char *words;
	char *text;
} ColumnText;

static void
print_as_column(void *argument)
{
	ColumnText *value = argument;
	const DpSubject *subject = value->subject;

	value->text =
		dp_value_out(dp_value_in(value->words, subject->type, subject->typmod), subject->type);
}

static char *
column_text(const char *words, const DpSubject *subject)
{
	ColumnText value = {.subject = subject, .words = words};

	return dp_run_in_subtransaction(print_as_column, &value) ? value.text : NULL;
}

/* Whether a text still means the value. It does not for 'b  ' in a varchar(2), or 1.25 in a
 * numeric(3,1). */
static bool
text_means(const char *words, Datum value, Oid type)
{
	TypeCacheEntry *cache = lookup_type_cache(type, TYPECACHE_EQ_OPR_FINFO);

	if (!OidIsValid(cache->eq_opr))
		return strcmp(words, dp_value_out(value, type)) == 0;
	return DatumGetBool(FunctionCall2Coll(&cache->eq_opr_finfo, DEFAULT_COLLATION_OID, value,
										  dp_value_in(words, type, -1)));
}

/* Adds a value that the constraint allows; false if it tells nothing about the column. */
static bool
value_add(Datum value, Oid type, const DpSubject *subject, List **values)
{
	Oid base = getBaseType(subject->type);
	char *words;

	if (!types_compare_as_text(getBaseType(type), base))
		return false;
	words = dp_value_out(value, type);
	if (subject->owner_code && (type != base || base != subject->type || subject->typmod >= 0))
	{
		words = column_text(words, subject);
		if (words != NULL && !text_means(words, value, getBaseType(type)))
			return true;
	}
	if (words != NULL)
		*values = lappend(*values, words);
	return true;
}

static bool
values_of_array(Node *node, const DpSubject *subject, List **values)
{
	Const *constant = dp_constant_of(node);
	Oid type;
	Datum *elements;
	bool *nulls;
	int n;

	if (constant == NULL)
		return false;
	type = ARR_ELEMTYPE(DatumGetArrayTypeP(constant->constvalue));
	elements = dp_elements(constant->constvalue, &nulls, &n);
	for (int i = 0; i < n; i++)
	{
		if (nulls[i] || !value_add(elements[i], type, subject, values))
			return false;
	}
	return n > 0;
}

static bool
values_of_comparison(OpExpr *comparison, const DpSubject *subject, List **values)
{
	Node *left;
	Node *right;
	Const *constant;

	if (list_length(comparison->args) != 2 ||
		!is_equality(comparison->opno, comparison->inputcollid, subject))
		return false;
	left = linitial(comparison->args);
	right = lsecond(comparison->args);
	if (!dp_is_subject(left, subject))
	{
		Node *swap = left;

		left = right;
		right = swap;
	}
	constant = dp_is_subject(left, subject) ? dp_constant_of(right) : NULL;
	return constant != NULL &&
		   value_add(constant->constvalue, constant->consttype, subject, values);
}

/* Appends a superset of the values for which expression can be true; false if it tells nothing. */
static bool
values_of_expression(Node *expression, const DpSubject *subject, List **values)
{
	ListCell *cell;

	check_stack_depth();
	if (dp_is_subject(expression, subject)) /* CHECK (flag) */
	{
		*values = lappend(*values, pstrdup("t"));
		return true;
	}
	if (IsA(expression, ScalarArrayOpExpr))
	{
		ScalarArrayOpExpr *any = (ScalarArrayOpExpr *) expression;

		return any->useOr && is_equality(any->opno, any->inputcollid, subject) &&
			   dp_is_subject(linitial(any->args), subject) &&
			   values_of_array(lsecond(any->args), subject, values);
	}
	if (IsA(expression, OpExpr))
		return values_of_comparison((OpExpr *) expression, subject, values);
	if (IsA(expression, BoolExpr) && ((BoolExpr *) expression)->boolop == OR_EXPR)
	{
		foreach (cell, ((BoolExpr *) expression)->args)
			if (!values_of_expression(lfirst(cell), subject, values))
				return false;
		return true;
	}
	if (IsA(expression, BoolExpr) && ((BoolExpr *) expression)->boolop == AND_EXPR)
	{
		foreach (cell, ((BoolExpr *) expression)->args)
		{
			List *some = NIL;

			if (values_of_expression(lfirst(cell), subject, &some))
			{
				*values = list_concat(*values, some);
				return true;
			}
		}
	}
	return false;
}

bool
dp_schema_type_not_null(Oid type)
{
	while (get_typtype(type) == TYPTYPE_DOMAIN)
	{
		HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
		bool not_null = HeapTupleIsValid(tuple) && ((Form_pg_type) GETSTRUCT(tuple))->typnotnull;

		if (HeapTupleIsValid(tuple))
			ReleaseSysCache(tuple);
		if (not_null)
			return true;
		type = dp_domain_base(type);
	}
	return false;
}

Datum
dp_type_not_null(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(dp_schema_type_not_null(PG_GETARG_OID(0)));
}

bool
dp_schema_not_null(Relation relation, const DpChecks *checks, int index)
{
	char kind = relation->rd_rel->relkind;

	if ((kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE) || !checks->enforced)
		return false;
	if (dp_schema_type_not_null(TupleDescAttr(RelationGetDescr(relation), index)->atttypid))
		return true;
	/* a child table may have dropped its NOT NULL, a partition may not */
	if (kind == RELKIND_RELATION && relation->rd_rel->relhassubclass)
		return false;
	return DP_COLUMN_IS_NOT_NULL(RelationGetDescr(relation), index);
}

/* NIL if they are more than there is work for. */
static List *
enum_labels(Oid type, DpWork *work, bool *unseen)
{
	Relation catalog = table_open(EnumRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;
	List *labels = NIL;

	/* the index orders by sort position */
	ScanKeyInit(&key, Anum_pg_enum_enumtypid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(type));
	scan = systable_beginscan(catalog, EnumTypIdSortOrderIndexId, true, NULL, 1, &key);
	while (!*unseen && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		*unseen = !dp_work_spend(work, LABEL_WORK);
		labels = lappend(labels, pstrdup(NameStr(((Form_pg_enum) GETSTRUCT(tuple))->enumlabel)));
	}
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return *unseen ? NIL : labels;
}

/* Those of the values of a type that a domain over it takes. */
static List *
values_of_domain(List *texts, const DpSubject *subject)
{
	List *values = NIL;
	ListCell *cell;

	foreach (cell, texts)
	{
		char *words = column_text(lfirst(cell), subject);

		if (words != NULL)
			values = lappend(values, words);
	}
	return values;
}

/* A text, and where it came. */
typedef struct Listed
{
	const char *words;
	int place;
} Listed;

static int
compare_listed(const void *a, const void *b)
{
	int order = strcmp(((const Listed *) a)->words, ((const Listed *) b)->words);

	return order != 0 ? order : ((const Listed *) a)->place - ((const Listed *) b)->place;
}

/* Distinct texts, in the order given. */
static void
labels_from_list(List *values, const char ***labels, uint32 *labels_n)
{
	int n = list_length(values);
	Listed *listed = palloc_extended(sizeof(Listed) * Max(n, 1), MCXT_ALLOC_HUGE);
	const char **words = palloc_extended(sizeof(char *) * Max(n, 1), MCXT_ALLOC_HUGE);
	ListCell *cell;

	foreach (cell, values)
		listed[foreach_current_index(cell)] = (Listed){lfirst(cell), foreach_current_index(cell)};
	qsort(listed, n, sizeof(Listed), compare_listed);
	for (int i = 0; i < n; i++)
		words[listed[i].place] =
			i > 0 && strcmp(listed[i].words, listed[i - 1].words) == 0 ? NULL : listed[i].words;
	*labels = words;
	*labels_n = 0;
	for (int i = 0; i < n; i++)
		if (words[i] != NULL)
			words[(*labels_n)++] = words[i];
	pfree(listed);
}

typedef struct Facts
{
	DpChecks *checks;
	DpSubject subject;
	List *values;
	bool unseen; /* there are more than are read */
} Facts;

static bool
values_of_check(Node *expression, const DpSubject *subject, void *context)
{
	List *some = NIL;

	if (!values_of_expression(expression, subject, &some))
		return false;
	((Facts *) context)->values = some;
	return true;
}

static void
find_values(void *argument)
{
	Facts *facts = argument;
	const DpSubject *subject = &facts->subject;
	Oid base = getBaseType(subject->type);

	if (dp_checks_visit(facts->checks, subject, values_of_check, facts))
		return;
	if (base == BOOLOID)
		facts->values = list_make2("f", "t");
	else if (get_typtype(base) == TYPTYPE_ENUM)
		facts->values = enum_labels(base, &facts->checks->work, &facts->unseen);
	/* who may not run the CHECKs of a domain takes it for one that takes all values */
	if (base != subject->type && subject->owner_code)
		facts->values = values_of_domain(facts->values, subject);
}

bool
dp_schema_values(DpChecks *checks, Form_pg_attribute attribute, bool owner_code,
				 const char ***labels, uint32 *labels_n)
{
	Facts facts = {checks,
				   {attribute->attnum, attribute->atttypid, attribute->atttypmod,
					attribute->attcollation, owner_code},
				   NIL,
				   false};

	*labels_n = 0;
	if (!dp_run_in_subtransaction(find_values, &facts))
		return false;
	if (facts.unseen)
		checks->unseen = bms_add_member(checks->unseen, attribute->attnum);
	labels_from_list(facts.values, labels, labels_n);
	return *labels_n > 0;
}
