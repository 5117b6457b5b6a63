/*
 * schema_range.c -- the range that the schema itself gives a column: by CHECK on the table or on
 * the domain type, by numeric(p,s), by the type's own limits. All of this is public.
 *
 * A CHECK is read as a set of intervals: a comparison of the column with a constant is a half-line,
 * AND narrows, OR widens, and what is not understood is the whole line. So what comes out always
 * contains every value that passes. An equation of the column with itself rounded, or of its
 * remainder with 0, gives the step of its values. Only operators of PostgreSQL itself are read, in
 * the order that the type itself has. Where the time zone has a say in the comparison, the bounds
 * hold in any.
 */
#include "pg/domain/resolution.h"
#include "pg/domain/schema_range.h"

#include <math.h>

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/nbtree.h"
#include "access/transam.h"
#include "catalog/pg_index.h"
#include "catalog/pg_proc.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pg_list.h"
#include "rewrite/rewriteHandler.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "pg/domain/grid.h"
#include "pg/domain/schema_checks.h"
#include "pg/domain/schema_keys.h"
#include "pg/server/arguments.h"
#include "pg/server/numbers.h"
#include "pg/server/subtransaction.h"

/* The values for which an expression can be true. */
typedef struct Values
{
	bool none; /* there are none but NULL */
	DpBounds bounds;
	Numeric step; /* of which they are multiples; NULL: of none that is known */
} Values;

static const Values anything;

/* ---- comparisons ---- */

/*
 * Whether a function casts numbers to numbers and keeps their order, as one to a wider type does. A
 * cast to a narrower one rounds, and what passes after rounding says less about what came in.
 */
static bool
widens(const FuncExpr *call)
{
	Oid from;

	if (call->funcid >= FirstNormalObjectId || list_length(call->args) != 1 ||
		call->funcformat == COERCE_EXPLICIT_CALL)
		return false;
	from = exprType(linitial(call->args));
	switch (call->funcresulttype)
	{
		case INT4OID:
			return from == INT2OID;
		case INT8OID:
			return from == INT2OID || from == INT4OID;
		case NUMERICOID:
		case FLOAT8OID:
			return dp_is_number(from) && from != FLOAT8OID;
		default:
			return false;
	}
}

static bool
is_subject_widened(Node *node, const DpSubject *subject)
{
	while (IsA(node, FuncExpr) && widens((FuncExpr *) node))
		node = linitial(((FuncExpr *) node)->args);
	return dp_is_subject(node, subject);
}

static bool
is_day(Oid type)
{
	return type == DATEOID || type == TIMESTAMPOID || type == TIMESTAMPTZOID;
}

/* As which of <, <=, =, >=, > PostgreSQL's own order of a type knows an operator; 0: as none. */
static int
strategy_of(Oid operator)
{
	Oid left;
	Oid right;
	TypeCacheEntry *order;

	if (operator>= FirstNormalObjectId)
		return 0;
	op_input_types(operator, & left, &right);
	if (func_volatile(get_opcode(operator)) != PROVOLATILE_IMMUTABLE &&
		!(is_day(left) && is_day(right)))
		return 0;
	order = lookup_type_cache(left, TYPECACHE_BTREE_OPFAMILY);
	return OidIsValid(order->btree_opf) ? get_op_opfamily_strategy(operator, order->btree_opf) : 0;
}

/* Whether positions of values of the two types can be compared. */
static bool
positions_compare(Oid type, Oid subject)
{
	return dp_type_has_range(type, -1) &&
		   (type == subject || (is_day(type) && is_day(subject)) ||
			(dp_grid_kind_of(type) == DP_GRID_NUMBER && type != CASHOID &&
			 dp_grid_kind_of(subject) == DP_GRID_NUMBER && subject != CASHOID));
}

/*
 * A day, or a time of one, beside a column of another type of these. A time with a zone compares
 * with others as the session's zone says: there is a day to spare.
 */
static void
bounds_beside_day(Oid type, Oid subject, DpBounds *bounds)
{
	Numeric day = dp_numeric_whole(USECS_PER_DAY);
	bool by_zone = type == TIMESTAMPTZOID || subject == TIMESTAMPTZOID;
	Numeric spare = subject == DATEOID ? dp_numeric_whole(1) : day;
	PGFunction convert = subject == DATEOID ? numeric_div : numeric_mul;

	if (type == subject)
		return;
	if (bounds->low != NULL && (type == DATEOID || subject == DATEOID))
		bounds->low = dp_numeric_call(convert, bounds->low, day);
	if (bounds->high != NULL && (type == DATEOID || subject == DATEOID))
		bounds->high = dp_numeric_call(convert, bounds->high, day);
	if (bounds->low != NULL && by_zone)
		bounds->low = dp_numeric_call(numeric_sub, bounds->low, spare);
	if (bounds->high != NULL && by_zone)
		bounds->high = dp_numeric_call(numeric_add, bounds->high, spare);
	if (by_zone || subject == DATEOID) /* a quotient is rounded */
		bounds->above = bounds->below = false;
}

/* The column is to a value as the strategy says. */
static Values
values_beside(Datum value, Oid type, int strategy, const DpSubject *subject)
{
	Values values = anything;
	Numeric position;

	type = getBaseType(type);
	if (!positions_compare(type, getBaseType(subject->type)))
		return anything;
	position = dp_position_of(value, type);
	if (position == NULL) /* infinite: it bounds nothing that has a coordinate */
		return anything;
	if (strategy == BTGreaterStrategyNumber || strategy == BTGreaterEqualStrategyNumber ||
		strategy == BTEqualStrategyNumber)
		values.bounds.low = position;
	if (strategy == BTLessStrategyNumber || strategy == BTLessEqualStrategyNumber ||
		strategy == BTEqualStrategyNumber)
		values.bounds.high = position;
	values.bounds.above = strategy == BTGreaterStrategyNumber;
	values.bounds.below = strategy == BTLessStrategyNumber;
	if (is_day(type))
		bounds_beside_day(type, getBaseType(subject->type), &values.bounds);
	return values;
}

/* The length of a unit of date_trunc that is the same in every zone and year; NULL: it is none. */
static Numeric
length_of_unit(const char *unit)
{
	static const struct
	{
		const char *name;
		int64 length;
	} units[] = {{"day", USECS_PER_DAY},
				 {"hour", USECS_PER_HOUR},
				 {"minute", USECS_PER_MINUTE},
				 {"second", USECS_PER_SEC},
				 {"milliseconds", 1000}};

	for (size_t i = 0; i < lengthof(units); i++)
		if (strcmp(units[i].name, unit) == 0)
			return dp_numeric_whole(units[i].length);
	return NULL;
}

/* The step of what a function of PostgreSQL's own rounds the column to; NULL: it rounds none. */
static Numeric
step_of_rounding(const FuncExpr *call, const DpSubject *subject)
{
	const char *name = call->funcid < FirstUnpinnedObjectId ? get_func_name(call->funcid) : NULL;
	int n = list_length(call->args);
	const Const *more = NULL;
	int32 digits;

	if (name == NULL || n == 0 || n > 2)
		return NULL;
	if (strcmp(name, "date_trunc") == 0)
	{
		more = dp_constant_of(linitial(call->args));
		return more == NULL || getBaseType(subject->type) != TIMESTAMPOID ||
					   !dp_is_subject(llast(call->args), subject)
				   ? NULL
				   : length_of_unit(text_to_cstring(DatumGetTextPP(more->constvalue)));
	}
	if (!is_subject_widened(linitial(call->args), subject) ||
		!dp_is_number(getBaseType(subject->type)) ||
		strstr(" round trunc floor ceil ceiling ", psprintf(" %s ", name)) == NULL)
		return NULL;
	if (n == 1)
		return dp_numeric_whole(1);
	more = dp_constant_of(lsecond(call->args));
	digits = more == NULL ? 0 : DatumGetInt32(more->constvalue);
	/* the least integer has no absolute value */
	return more == NULL || digits < -DP_GRID_DIGITS_MAX || digits > DP_GRID_DIGITS_MAX
			   ? NULL
			   : dp_numeric_power_of_ten(-digits);
}

/* Of column % step or mod(column, step), the step; NULL: it is something else. */
static Numeric
step_of_remainder(Node *node, const DpSubject *subject)
{
	bool call = IsA(node, FuncExpr);
	List *args = call ? ((FuncExpr *) node)->args : NIL;
	const Const *constant = NULL;
	Numeric step = NULL;

	if (call && (((FuncExpr *) node)->funcid >= FirstUnpinnedObjectId ||
				 strcmp(get_func_name(((FuncExpr *) node)->funcid), "mod") != 0))
		return NULL;
	if (IsA(node, OpExpr) && ((OpExpr *) node)->opno < FirstUnpinnedObjectId &&
		strcmp(get_opname(((OpExpr *) node)->opno), "%") == 0)
		args = ((OpExpr *) node)->args;
	if (list_length(args) == 2 && is_subject_widened(linitial(args), subject))
		constant = dp_constant_of(lsecond(args));
	if (constant != NULL && dp_is_number(constant->consttype))
		step = dp_position_of(constant->constvalue, constant->consttype);
	return step != NULL && dp_numeric_compare(step, dp_numeric_whole(0)) > 0 ? step : NULL;
}

/* column = round(column, digits), or column % step = 0. */
static Numeric
step_of_equation(Node *side, Node *other, const DpSubject *subject)
{
	Numeric step = step_of_remainder(side, subject);
	const Const *zero = step == NULL ? NULL : dp_constant_of(other);
	Numeric position = zero == NULL ? NULL : dp_position_of(zero->constvalue, zero->consttype);

	if (IsA(other, FuncExpr) && is_subject_widened(side, subject))
		return step_of_rounding((FuncExpr *) other, subject);
	return position != NULL && dp_numeric_compare(position, dp_numeric_whole(0)) == 0 ? step : NULL;
}

static Values
values_of_comparison(Oid operator, List * args, const DpSubject *subject)
{
	Node *left;
	Node *right;
	Const *constant;
	int strategy;
	Values values = anything;

	if (list_length(args) != 2 || !OidIsValid(operator))
		return anything;
	left = linitial(args);
	right = lsecond(args);
	if (strategy_of(operator) == BTEqualStrategyNumber)
		values.step = step_of_equation(left, right, subject);
	if (values.step == NULL && strategy_of(operator) == BTEqualStrategyNumber)
		values.step = step_of_equation(right, left, subject);
	if (values.step != NULL)
		return values;
	if (!is_subject_widened(left, subject))
	{
		Node *swap = left;

		left = right;
		right = swap;
		operator= get_commutator(operator);
	}
	if (!OidIsValid(operator) || !is_subject_widened(left, subject))
		return anything;
	strategy = strategy_of(operator);
	constant = strategy == 0 ? NULL : dp_constant_of(right);
	if (constant == NULL)
		return anything;
	return values_beside(constant->constvalue, constant->consttype, strategy, subject);
}

/* ---- whole expressions ---- */

static Values values_of(Node *expression, const DpSubject *subject);

static Values
either(const Values *a, const Values *b)
{
	Values values = *a;

	if (a->none || b->none)
		return a->none ? *b : *a;
	dp_bounds_widen(&values.bounds, &b->bounds);
	if (b->step == NULL || a->step == NULL || dp_numeric_compare(a->step, b->step) != 0)
		values.step = NULL;
	return values;
}

static Values
both(const Values *a, const Values *b)
{
	Values values = *a;

	if (a->none || b->none)
		return a->none ? *a : *b;
	dp_bounds_narrow(&values.bounds, &b->bounds);
	if (values.step == NULL || (b->step != NULL && dp_numeric_compare(b->step, values.step) > 0))
		values.step = b->step;
	return values;
}

/* column = ANY (list) */
static Values
values_of_list(ScalarArrayOpExpr *any, const DpSubject *subject)
{
	Values values = {.none = true};
	Const *list = NULL;
	Oid type;
	Datum *elements;
	bool *nulls;
	int n;

	if (any->useOr && is_subject_widened(linitial(any->args), subject) &&
		strategy_of(any->opno) == BTEqualStrategyNumber)
		list = dp_constant_of(lsecond(any->args));
	if (list == NULL)
		return anything;
	type = ARR_ELEMTYPE(DatumGetArrayTypeP(list->constvalue));
	elements = dp_elements(list->constvalue, &nulls, &n);
	for (int i = 0; i < n; i++)
	{
		Values one;

		if (nulls[i]) /* a CHECK that is NULL passes */
			return anything;
		one = values_beside(elements[i], type, BTEqualStrategyNumber, subject);
		values = either(&values, &one);
	}
	return values;
}

static Values
values_of_bool(BoolExpr *expression, const DpSubject *subject)
{
	bool narrows = expression->boolop == AND_EXPR;
	Values values = anything;
	ListCell *cell;

	if (expression->boolop == NOT_EXPR)
	{
		OpExpr *negated = linitial(expression->args);

		return IsA(negated, OpExpr)
				   ? values_of_comparison(get_negator(negated->opno), negated->args, subject)
				   : anything;
	}
	values.none = !narrows;
	foreach (cell, expression->args)
	{
		Values one = values_of(lfirst(cell), subject);

		values = narrows ? both(&values, &one) : either(&values, &one);
	}
	return values;
}

static Values
values_of(Node *expression, const DpSubject *subject)
{
	check_stack_depth();
	switch (nodeTag(expression))
	{
		case T_OpExpr:
			return values_of_comparison(((OpExpr *) expression)->opno,
										((OpExpr *) expression)->args, subject);
		case T_ScalarArrayOpExpr:
			return values_of_list((ScalarArrayOpExpr *) expression, subject);
		case T_BoolExpr:
			return values_of_bool((BoolExpr *) expression, subject);
		case T_NullTest: /* column IS NULL OR ...: NULL has a level of its own */
			if (((NullTest *) expression)->nulltesttype == IS_NULL &&
				dp_is_subject((Node *) ((NullTest *) expression)->arg, subject))
				return (Values){.none = true};
			return anything;
		default:
			return anything;
	}
}

/* ---- columns ---- */

typedef struct Search
{
	DpChecks *checks;
	DpSubject subject;
	Values values;
} Search;

static bool
narrow_by_check(Node *expression, const DpSubject *subject, void *context)
{
	Search *search = context;
	Values more = values_of(expression, subject);

	search->values = both(&search->values, &more);
	return false;
}

static void
search_checks(void *context)
{
	Search *search = context;

	(void) dp_checks_visit(search->checks, &search->subject, narrow_by_check, search);
}

/* Whether a unique index is over this column alone. A column of the primary key is given by the
 * table whatever stands beside it. */
static const char *
unique_by_index(Oid oid, AttrNumber number)
{
	HeapTuple tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(oid));
	Form_pg_index index;
	const char *found = NULL;

	if (!HeapTupleIsValid(tuple))
		return NULL;
	index = (Form_pg_index) GETSTRUCT(tuple);
	if (index->indisunique && index->indisvalid &&
		heap_attisnull(tuple, Anum_pg_index_indpred, NULL))
		for (int i = 0; i < index->indnkeyatts && found == NULL; i++)
			if (index->indkey.values[i] == number)
				found = index->indisprimary ? "primary key"
											: (index->indnkeyatts == 1 ? "unique" : NULL);
	ReleaseSysCache(tuple);
	return found;
}

static bool
calls_nextval(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, NextValueExpr) ||
		(IsA(node, FuncExpr) && ((FuncExpr *) node)->funcid == F_NEXTVAL))
		return true;
	return expression_tree_walker(node, calls_nextval, context);
}

static bool
has_sequence(Relation relation, AttrNumber number)
{
	TupleConstr *constraints = RelationGetDescr(relation)->constr;

	if (TupleDescAttr(RelationGetDescr(relation), number - 1)->attidentity != '\0')
		return true;
	for (int i = 0; constraints != NULL && i < constraints->num_defval; i++)
		if (constraints->defval[i].adnum == number &&
			calls_nextval(dp_default_read(constraints->defval[i].adbin), NULL))
			return true;
	return false;
}

const char *
dp_schema_given(Relation relation, AttrNumber number)
{
	const char *found = NULL;
	List *indexes;
	ListCell *cell;

	if (TupleDescAttr(RelationGetDescr(relation), number - 1)->attgenerated != '\0')
		return "generated";
	indexes = RelationGetIndexList(relation);
	foreach (cell, indexes)
		if (found == NULL || strcmp(found, "unique") == 0)
		{
			const char *more = unique_by_index(lfirst_oid(cell), number);

			found = more != NULL ? more : found;
		}
	list_free(indexes);
	if (found == NULL && has_sequence(relation, number))
		found = "sequence";
	return found;
}

/* What CHECKs allow; false if they say nothing of the ends. */
static bool
bounds_of_checks(DpChecks *checks, Form_pg_attribute attribute, DpBounds *bounds, Numeric *step)
{
	Search search = {checks,
					 {attribute->attnum, attribute->atttypid, attribute->atttypmod,
					  attribute->attcollation, false},
					 anything};

	if (!dp_run_in_subtransaction(search_checks, &search))
		search.values = anything;
	*bounds = search.values.bounds;
	*step = search.values.step;
	return !search.values.none && (bounds->low != NULL || bounds->high != NULL);
}

static bool
is_resolution(Numeric step, const DpBaseType *type)
{
	Numeric of_type = dp_type_step(type);

	return step != NULL && dp_numeric_digits(step) <= DP_GRID_DIGITS_MAX &&
		   (of_type == NULL || dp_numeric_compare(dp_numeric_call(numeric_mod, step, of_type),
												  dp_numeric_whole(0)) == 0);
}

/* Narrows what the type holds to what CHECKs allow, and finds the resolution; false if an end is
 * missing, and cannot be assumed. */
static bool
bounds_of_column(DpChecks *checks, Form_pg_attribute attribute, const DpBaseType *type,
				 DpBounds *bounds, Numeric *resolution, const char **source)
{
	DpBounds checked;
	Numeric step;
	bool assumed;

	*bounds = (DpBounds){0};
	(void) dp_bounds_of_type(type, bounds);
	*source = "type";
	if (bounds_of_checks(checks, attribute, &checked, &step))
	{
		dp_bounds_narrow(bounds, &checked);
		*source = "check";
	}
	dp_bounds_in_years(type, &checked, bounds);
	assumed = bounds->low == NULL || bounds->high == NULL;
	if (assumed && !dp_bounds_assume(type, bounds))
		return false;
	if (assumed)
		*source = "assumed";
	*resolution = is_resolution(step, type) ? step
				  : assumed                 ? dp_resolution_assumed(type)
											: dp_resolution_default(type, bounds);
	return true;
}

/* Whether a value of a column of type real passes the bounds that it is compared with as a number
 * of double precision: the real next to 0.1 is above 0.1. */
static bool
real_is_within(const DpGrid *grid, int64 coordinate, const DpBounds *bounds)
{
	DpGridCoder *coder = dp_grid_coder(grid, FLOAT4OID, -1);
	double value = DatumGetFloat4(dp_grid_value(coder, coordinate));
	double low = bounds->low == NULL ? -INFINITY : dp_position_real(bounds->low);
	double high = bounds->high == NULL ? INFINITY : dp_position_real(bounds->high);

	return (bounds->above ? value > low : value >= low) &&
		   (bounds->below ? value < high : value <= high);
}

static void
keep_within(DpGrid *grid, const DpBaseType *type, const DpBounds *bounds)
{
	if (type->type != FLOAT4OID)
		return;
	if (grid->first < grid->last && !real_is_within(grid, grid->first, bounds))
		grid->first++;
	if (grid->first < grid->last && !real_is_within(grid, grid->last, bounds))
		grid->last--;
}

bool
dp_schema_range(Relation relation, DpChecks *checks, Form_pg_attribute attribute,
				DpSchemaRange *range, const char **why)
{
	DpBaseType type = dp_base_type(attribute->atttypid, attribute->atttypmod);
	DpBounds bounds;
	Numeric resolution;

	*why = dp_schema_given(relation, attribute->attnum);
	/* keys that can be numbered are (schema_keys.h) */
	if (*why != NULL && strcmp(*why, "generated") == 0)
		return false;
	*why = "no domain";
	if (!dp_type_has_range(attribute->atttypid, attribute->atttypmod))
		return false;
	*why = "no range";
	if (!bounds_of_column(checks, attribute, &type, &bounds, &resolution, &range->source))
		return false;
	if (dp_bounds_grid(&bounds, resolution, &type, &range->grid, NULL) != DP_OK)
		return false;
	keep_within(&range->grid, &type, &bounds);
	range->resolution = dp_resolution_words(resolution, &type);
	return true;
}

bool
dp_schema_is_bounded(DpChecks *checks, Form_pg_attribute attribute)
{
	DpBounds bounds;
	Numeric step;

	return dp_type_has_range(attribute->atttypid, attribute->atttypmod) &&
		   bounds_of_checks(checks, attribute, &bounds, &step) && bounds.low != NULL &&
		   bounds.high != NULL;
}

bool
dp_schema_narrow(DpChecks *checks, Form_pg_attribute attribute, DpGrid *grid)
{
	DpBaseType type = dp_base_type(attribute->atttypid, attribute->atttypmod);
	DpBounds bounds;
	Numeric step;

	if (!bounds_of_checks(checks, attribute, &bounds, &step) || !dp_grid_narrow(grid, &bounds))
		return false;
	keep_within(grid, &type, &bounds);
	return true;
}
