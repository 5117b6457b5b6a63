/*
 * schema_facts.c -- what the schema itself declares about a column: that it is boolean, the labels
 * of an enum, CHECK (column IN (...)) on the table or on the domain type. All of this is public, so
 * the custodian need not say it again.
 *
 * A fact counts only if PostgreSQL enforces it for every row. So constraints that are NOT VALID,
 * NOT ENFORCED or NO INHERIT do not count, nor do those of foreign tables. A list with a NULL in it
 * constrains nothing, since a CHECK that is NULL passes.
 */
#include "pg/domain/schema_facts.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_inherits.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pg_list.h"
#include "nodes/primnodes.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "pg/server/attempt.h"
#include "pg/server/values.h"

/*
 * The column that an expression is about. It appears as a Var of the table, or as VALUE of a
 * domain.
 */
typedef struct Subject
{
	AttrNumber number; /* 0: VALUE */
	Oid type;
	int32 typmod;
	Oid collation;
	bool owner_code; /* the input function of the column's type may run, and so a domain's CHECK */
} Subject;

static bool
is_subject(Node *node, const Subject *subject)
{
	while (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	if (subject->number == 0)
		return IsA(node, CoerceToDomainValue);
	return IsA(node, Var) && ((Var *) node)->varattno == subject->number &&
		   ((Var *) node)->varlevelsup == 0;
}

/*
 * Whether an operator compares for equality as the column does. A comparison with a collation of
 * its own, under which different texts can be equal, allows more values than it lists.
 */
static bool
is_equality(Oid operator, Oid collation, const Subject *subject)
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
	const Subject *subject;
	const char *words;
	char *text;
} ColumnText;

static void
print_as_column(void *argument)
{
	ColumnText *value = argument;
	const Subject *subject = value->subject;

	value->text =
		dp_value_out(dp_value_in(value->words, subject->type, subject->typmod), subject->type);
}

static char *
column_text(const char *words, const Subject *subject)
{
	ColumnText value = {.subject = subject, .words = words};

	return dp_attempt(print_as_column, &value) ? value.text : NULL;
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
value_add(Datum value, Oid type, const Subject *subject, List **values)
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
is_users_function(Oid function, void *context)
{
	return function >= FirstNormalObjectId;
}

/* Whether it is a cast of PostgreSQL's own that does not pad: 'a'::char(10000000) is ten million
 * bytes. */
static bool
is_plain_cast(const FuncExpr *call)
{
	return (call->funcformat == COERCE_EXPLICIT_CAST || call->funcformat == COERCE_IMPLICIT_CAST) &&
		   call->funcresulttype != BPCHAROID && call->funcresulttype != BITOID;
}

/* Whether it is a sign, or arithmetic whose result is an integer: 9.9 ^ 99999 would take long. */
static bool
is_plain_arithmetic(const OpExpr *operation)
{
	return list_length(operation->args) == 1 || operation->opresulttype == INT2OID ||
		   operation->opresulttype == INT4OID || operation->opresulttype == INT8OID;
}

/*
 * Whether there is more in an expression than constants, plain arithmetic, plain casts, and arrays
 * of these. To learn a fact nothing is run that a user wrote or that could take long.
 */
static bool
computes(Node *node, void *context)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_FuncExpr:
			if (!is_plain_cast((FuncExpr *) node))
				return true;
			break;
		case T_OpExpr:
			if (!is_plain_arithmetic((OpExpr *) node))
				return true;
			break;
		case T_List:
		case T_Const:
		case T_ArrayExpr:
		case T_RelabelType:
		case T_CoerceViaIO:
		case T_ArrayCoerceExpr:
		case T_CaseTestExpr: /* stands for an element, in a cast of arrays */
			break;
		default:
			return true;
	}
	return check_functions_in_node(node, is_users_function, NULL) ||
		   expression_tree_walker(node, computes, context);
}

/* The constant that node folds to; NULL if it is none. */
static Const *
constant_of(Node *node)
{
	if (computes(node, NULL))
		return NULL;
	node = eval_const_expressions(NULL, node);
	if (!IsA(node, Const) || ((Const *) node)->constisnull)
		return NULL;
	return (Const *) node;
}

static bool
values_of_array(Node *node, const Subject *subject, List **values)
{
	Const *constant = constant_of(node);
	ArrayType *array;
	Datum *elements;
	bool *nulls;
	int n;
	int16 length;
	bool byval;
	char align;

	if (constant == NULL)
		return false;
	array = DatumGetArrayTypeP(constant->constvalue);
	get_typlenbyvalalign(ARR_ELEMTYPE(array), &length, &byval, &align);
	deconstruct_array(array, ARR_ELEMTYPE(array), length, byval, align, &elements, &nulls, &n);
	for (int i = 0; i < n; i++)
	{
		if (nulls[i] || !value_add(elements[i], ARR_ELEMTYPE(array), subject, values))
			return false;
	}
	return n > 0;
}

static bool
values_of_comparison(OpExpr *comparison, const Subject *subject, List **values)
{
	Node *left;
	Node *right;
	Const *constant;

	if (list_length(comparison->args) != 2 ||
		!is_equality(comparison->opno, comparison->inputcollid, subject))
		return false;
	left = linitial(comparison->args);
	right = lsecond(comparison->args);
	if (!is_subject(left, subject))
	{
		Node *swap = left;

		left = right;
		right = swap;
	}
	constant = is_subject(left, subject) ? constant_of(right) : NULL;
	return constant != NULL &&
		   value_add(constant->constvalue, constant->consttype, subject, values);
}

/* Appends a superset of the values for which expression can be true; false if it tells nothing. */
static bool
values_of_expression(Node *expression, const Subject *subject, List **values)
{
	ListCell *cell;

	check_stack_depth();
	if (is_subject(expression, subject)) /* CHECK (flag) */
	{
		*values = lappend(*values, pstrdup("t"));
		return true;
	}
	if (IsA(expression, ScalarArrayOpExpr))
	{
		ScalarArrayOpExpr *any = (ScalarArrayOpExpr *) expression;

		return any->useOr && is_equality(any->opno, any->inputcollid, subject) &&
			   is_subject(linitial(any->args), subject) &&
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

/* PostgreSQL does not enforce the constraints of a foreign table, which a partition may be. */
static bool
constraints_are_enforced(Relation relation)
{
	ListCell *cell;

	if (relation->rd_rel->relkind == RELKIND_FOREIGN_TABLE)
		return false;
	if (!relation->rd_rel->relhassubclass)
		return true;
	foreach (cell, find_all_inheritors(RelationGetRelid(relation), NoLock, NULL))
		if (get_rel_relkind(lfirst_oid(cell)) == RELKIND_FOREIGN_TABLE)
			return false;
	return true;
}

/* Whether the type is a domain with NOT NULL, or over one. */
static bool
type_is_not_null(Oid type)
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

bool
dp_schema_not_null(Relation relation, int index)
{
	char kind = relation->rd_rel->relkind;

	if ((kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE) ||
		!constraints_are_enforced(relation))
		return false;
	if (type_is_not_null(TupleDescAttr(RelationGetDescr(relation), index)->atttypid))
		return true;
	/* a child table may have dropped its NOT NULL, a partition may not */
	if (kind == RELKIND_RELATION && relation->rd_rel->relhassubclass)
		return false;
	return DP_COLUMN_IS_NOT_NULL(RelationGetDescr(relation), index);
}

static bool
values_of_table_checks(Relation relation, const Subject *subject, List **values)
{
	TupleConstr *constraints = RelationGetDescr(relation)->constr;

	if (constraints == NULL || !constraints_are_enforced(relation))
		return false;
	for (int i = 0; i < constraints->num_check; i++)
	{
		ConstrCheck *check = &constraints->check[i];
		List *some = NIL;

		if (!check->ccvalid || check->ccnoinherit || !DP_CHECK_IS_ENFORCED(check))
			continue;
		if (values_of_expression(stringToNode(check->ccbin), subject, &some))
		{
			*values = some;
			return true;
		}
	}
	return false;
}

static bool
values_of_domain_checks(const Subject *subject, List **values)
{
	Relation catalog = table_open(ConstraintRelationId, AccessShareLock);
	Subject value = {.number = 0,
					 .type = subject->type,
					 .typmod = subject->typmod,
					 .collation = subject->collation,
					 .owner_code = subject->owner_code};
	Oid type = subject->type;
	bool found = false;

	while (!found && get_typtype(type) == TYPTYPE_DOMAIN)
	{
		ScanKeyData key;
		SysScanDesc scan;
		HeapTuple tuple;

		ScanKeyInit(&key, Anum_pg_constraint_contypid, BTEqualStrategyNumber, F_OIDEQ,
					ObjectIdGetDatum(type));
		scan = systable_beginscan(catalog, ConstraintTypidIndexId, true, NULL, 1, &key);
		while (!found && HeapTupleIsValid(tuple = systable_getnext(scan)))
		{
			Form_pg_constraint constraint = (Form_pg_constraint) GETSTRUCT(tuple);
			List *some = NIL;
			bool isnull;
			Datum words;

			if (constraint->contype != CONSTRAINT_CHECK || !constraint->convalidated)
				continue;
			words =
				heap_getattr(tuple, Anum_pg_constraint_conbin, RelationGetDescr(catalog), &isnull);
			if (!isnull &&
				values_of_expression(stringToNode(TextDatumGetCString(words)), &value, &some))
			{
				*values = some;
				found = true;
			}
		}
		systable_endscan(scan);
		type = dp_domain_base(type);
	}
	table_close(catalog, AccessShareLock);
	return found;
}

static List *
enum_labels(Oid type)
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
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		labels = lappend(labels, pstrdup(NameStr(((Form_pg_enum) GETSTRUCT(tuple))->enumlabel)));
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return labels;
}

/* Those of the values of a type that a domain over it takes. */
static List *
values_of_domain(List *texts, const Subject *subject)
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

/* Distinct texts, in the order given. */
static void
labels_from_list(List *values, const char ***labels, uint32 *labels_n)
{
	ListCell *cell;

	*labels = palloc(sizeof(char *) * Max(list_length(values), 1));
	*labels_n = 0;
	foreach (cell, values)
	{
		const char *words = lfirst(cell);
		bool seen = false;

		for (uint32 i = 0; i < *labels_n && !seen; i++)
			seen = strcmp((*labels)[i], words) == 0;
		if (!seen)
			(*labels)[(*labels_n)++] = words;
	}
}

typedef struct Facts
{
	Relation relation;
	Subject subject;
	List *values;
} Facts;

static void
find_values(void *argument)
{
	Facts *facts = argument;
	const Subject *subject = &facts->subject;
	Oid base = getBaseType(subject->type);

	if (values_of_table_checks(facts->relation, subject, &facts->values) ||
		values_of_domain_checks(subject, &facts->values))
		return;
	if (base == BOOLOID)
		facts->values = list_make2("f", "t");
	else if (get_typtype(base) == TYPTYPE_ENUM)
		facts->values = enum_labels(base);
	if (base != subject->type)
		facts->values = values_of_domain(facts->values, subject);
}

bool
dp_schema_values(Relation relation, Form_pg_attribute attribute, bool owner_code,
				 const char ***labels, uint32 *labels_n)
{
	Facts facts = {relation,
				   {attribute->attnum, attribute->atttypid, attribute->atttypmod,
					attribute->attcollation, owner_code},
				   NIL};

	*labels_n = 0;
	if (!dp_attempt(find_values, &facts))
		return false;
	labels_from_list(facts.values, labels, labels_n);
	return *labels_n > 0;
}
