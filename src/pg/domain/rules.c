/*
 * rules.c -- a CHECK as a rule of core/domain/rule.h: AND, OR and NOT of comparisons of linear forms,
 * and of conditions that the levels of categories decide.
 *
 * Every number is counted in millionths: 1 is 1000000, and so is a second. So dates, timestamps
 * and intervals can be compared, and what has up to six digits after the point is an integer, which
 * a double holds exactly. Conditions over categories alone are evaluated, level by level. Whatever
 * else there is may be true, false or NULL, as far as the rule knows; it is kept when rows are
 * drawn.
 */
#include "pg/domain/rules.h"

#include <math.h>

#include "access/stratnum.h"
#include "access/transam.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "pg/domain/range_rules.h"
#include "pg/domain/relation.h"
#include "pg/domain/schema_checks.h"
#include "pg/server/own_code.h"
#include "pg/server/values.h"

#define MILLIONTHS 1e6
#define DAY_MILLIONTHS ((double) USECS_PER_DAY)
#define EVALUATIONS_MAX 10000 /* combinations of levels at which a condition is evaluated */

typedef struct Compiler
{
	const DpRulePlace *place;
	DpRule *rule;
} Compiler;

static uint32
position_of(Compiler *compiler, uint32 attribute)
{
	DpRule *rule = compiler->rule;
	uint32 known = Min(rule->n, DP_ZEROS_WIDTH_MAX);

	for (uint32 p = 0; p < known; p++)
		if (rule->attribute[p] == attribute)
			return p;
	if (rule->n < DP_ZEROS_WIDTH_MAX)
		rule->attribute[rule->n] = attribute;
	return rule->n++;
}

static const DpRuleColumn *
column_of(const Compiler *compiler, const Var *var)
{
	static const DpRuleColumn none = {-1, 0};

	return var->varattno <= compiler->place->columns ? &compiler->place->column[var->varattno - 1]
													 : &none;
}

/* ---- numbers ---- */

bool
dp_rule_number(Datum value, Oid type, double *number)
{
	const Interval *interval;
	const char *words;
	int64 millionths;

	switch (type)
	{
		case DATEOID:
			*number = DatumGetDateADT(value) * DAY_MILLIONTHS;
			return !DATE_NOT_FINITE(DatumGetDateADT(value));
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			*number = (double) DatumGetTimestamp(value);
			return !TIMESTAMP_NOT_FINITE(DatumGetTimestamp(value)) &&
				   fabs(*number) < 9007199254740992.0;
		case INTERVALOID:
			interval = DatumGetIntervalP(value);
			*number = interval->day * DAY_MILLIONTHS + (double) interval->time;
			return interval->month == 0 && fabs(*number) < 9007199254740992.0;
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case NUMERICOID:
		case FLOAT4OID:
		case FLOAT8OID:
			words = dp_value_out(value, type);
			if (!dp_universe_read_number(words, strlen(words), 6, &millionths))
				return false;
			*number = (double) millionths;
			return fabs(*number) < 9007199254740992.0;
		default:
			return false;
	}
}

static bool
is_number(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID || type == NUMERICOID;
}

static bool
is_number_or_time(Oid type)
{
	return is_number(type) || type == FLOAT4OID || type == FLOAT8OID || type == DATEOID ||
		   type == TIMESTAMPOID || type == TIMESTAMPTZOID || type == INTERVALOID;
}

static void
label_interval(const char *label, Oid type, int32 typmod, DpInterval *interval)
{
	double number;

	/* what cannot be said exactly may be any number */
	if (dp_rule_number(dp_value_in(label, type, typmod), type, &number))
		*interval = (DpInterval){number, number};
	else
		*interval = (DpInterval){-INFINITY, INFINITY};
}

static DpRuleAxis
axis_of(const DpAttribute *attribute, Oid type, int32 typmod)
{
	DpRuleAxis axis = {NULL, UINT32_MAX};
	DpInterval *level;
	uint32 named = attribute->levels - attribute->has_other;

	if (attribute->has_other && attribute->other == NULL)
		axis.missing = named;
	type = getBaseTypeAndTypmod(type, &typmod);
	if (!dp_attribute_has_levels(attribute) || attribute->levels == 0 || !is_number_or_time(type))
		return axis;
	level = palloc_extended(sizeof(DpInterval) * attribute->levels, MCXT_ALLOC_HUGE);
	if (attribute->range != NULL)
		for (uint32 i = 0; i < named; i++)
			level[i] = dp_range_interval(attribute->range, i);
	else if (attribute->kind == DP_BINS)
	{
		DpBins *bins = dp_bins_create(attribute, type, typmod);

		for (uint32 i = 0; i < named; i++)
			level[i] = dp_bins_interval(bins, i);
	}
	for (uint32 i = 0; attribute->kind != DP_BINS && i < named; i++)
		label_interval(attribute->labels[i], type, typmod, &level[i]);
	if (attribute->has_other && attribute->other != NULL)
		label_interval(attribute->other, type, typmod, &level[named]);
	else if (attribute->has_other)
		level[named] = (DpInterval){-INFINITY, INFINITY};
	axis.level = level;
	return axis;
}

DpRuleAxis *
dp_rule_axes(const DpRulePlace *place)
{
	uint32 n = place->domain->attributes;
	DpRuleAxis *axis = palloc(sizeof(DpRuleAxis) * Max(n, 1));
	int level = dp_values_begin();

	for (uint32 a = 0; a < n; a++)
		axis[a] = axis_of(&place->domain->attribute[a], place->type[a], place->typmod[a]);
	dp_values_end(level);
	return axis;
}

/* ---- linear forms ---- */

/* The sum of coefficient x attribute, and a constant. */
typedef struct Form
{
	bool isnull;      /* a column that is always NULL is in it */
	uint32 roundings; /* each by at most 2^-53 of what is rounded */
	double constant;
	double constant_sum; /* of magnitudes, before they cancel out */
	uint32 n;
	uint32 attribute[DP_ZEROS_WIDTH_MAX];
	double coefficient[DP_ZEROS_WIDTH_MAX];
	double coefficient_sum[DP_ZEROS_WIDTH_MAX]; /* of magnitudes */
} Form;

/* Decimals are seldom doubles, so what is computed from them is rounded. */
static double
form_product(Form *form, double a, double b)
{
	double result = a * b;

	form->roundings += fma(a, b, -result) != 0;
	return result;
}

static double
form_quotient(Form *form, double a, double b)
{
	double result = a / b;

	form->roundings += fma(result, b, -a) != 0;
	return result;
}

static double
form_sum(Form *form, double a, double b)
{
	double result = a + b;
	double part = result - a;

	form->roundings += (a - (result - part)) + (b - part) != 0;
	return result;
}

/* How far a sum is off at most, twice as much as it could be. */
static double
form_error(const Form *form, double magnitudes)
{
	return form->roundings * ldexp(magnitudes, -51);
}

static bool
form_add(Form *form, uint32 attribute, double coefficient)
{
	for (uint32 k = 0; k < form->n; k++)
		if (form->attribute[k] == attribute)
		{
			form->coefficient[k] = form_sum(form, form->coefficient[k], coefficient);
			form->coefficient_sum[k] += fabs(coefficient);
			return true;
		}
	if (form->n == DP_ZEROS_WIDTH_MAX)
		return false;
	form->attribute[form->n] = attribute;
	form->coefficient_sum[form->n] = fabs(coefficient);
	form->coefficient[form->n++] = coefficient;
	return true;
}

/* A day of a distance between dates is the number 1. */
static double
distance_unit(Oid type)
{
	return type == DATEOID ? DAY_MILLIONTHS / MILLIONTHS : 1;
}

static bool
form_of_column(const Compiler *compiler, const DpRuleColumn *column, Oid type, double factor,
			   Form *form)
{
	if (column->attribute < 0)
	{
		form->isnull = true;
		return true;
	}
	if (column->base == 0)
		return form_add(form, (uint32) column->attribute, factor);
	/* the base has the same type */
	return form_add(form, (uint32) column->attribute,
					form_product(form, factor, distance_unit(type))) &&
		   form_of_column(compiler, &compiler->place->column[column->base - 1], type, factor, form);
}

static bool form_of(const Compiler *compiler, Node *node, double factor, Form *form);

/* Casts that keep every value: to a wider number, and of a date to its midnight. */
static bool
is_widening(const FuncExpr *call)
{
	Oid from = exprType(linitial(call->args));
	Oid to = call->funcresulttype;

	if (list_length(call->args) != 1 || call->funcformat == COERCE_EXPLICIT_CALL)
		return false;
	if (from == DATEOID)
		return to == TIMESTAMPOID;
	if (from == FLOAT4OID)
		return to == FLOAT8OID;
	if (from == INT2OID || from == INT4OID)
		return (is_number(to) && to != INT2OID) || to == FLOAT8OID;
	return from == INT8OID && to == NUMERICOID;
}

static bool
form_of_product(const Compiler *compiler, Node *left, Node *right, double factor, Form *form)
{
	double number;

	if (IsA(left, Const))
	{
		Node *swap = left;

		left = right;
		right = swap;
	}
	if (!IsA(right, Const) || ((Const *) right)->constisnull || !is_number(exprType(left)) ||
		!dp_rule_number(((Const *) right)->constvalue, exprType(right), &number) ||
		!is_number(exprType(right)))
		return false;
	return form_of(compiler, left,
				   form_product(form, factor, form_quotient(form, number, MILLIONTHS)), form);
}

/* In another unit, which need not be a double: a day is 1 / 86400 of one. */
static bool
form_of_part(const Compiler *compiler, Node *node, double factor, double unit, Form *form)
{
	form->roundings += floor(unit) != unit;
	return form_of(compiler, node, form_product(form, factor, unit), form);
}

/* The unit of the argument of + or -, in that of its result: a day is the number 1. */
static double
unit_within(Oid argument, Oid other, Oid result)
{
	if (argument == DATEOID && other == DATEOID)
		return MILLIONTHS / DAY_MILLIONTHS;
	if (result == DATEOID && argument != DATEOID)
		return DAY_MILLIONTHS / MILLIONTHS;
	return 1;
}

static bool
form_of_operation(const Compiler *compiler, const OpExpr *operation, double factor, Form *form)
{
	char *name = get_opname(operation->opno);
	Node *left = linitial(operation->args);
	Node *right;
	Oid left_type;
	Oid right_type;
	double sign;

	/* an operator of a user's may have any function, and any name */
	if (operation->opno >= FirstUnpinnedObjectId)
		return false;
	/* arithmetic of floating point rounds */
	if (operation->opresulttype == FLOAT4OID || operation->opresulttype == FLOAT8OID)
		return false;
	if (list_length(operation->args) == 1)
		return strcmp(name, "-") == 0 && form_of(compiler, left, -factor, form);
	right = lsecond(operation->args);
	left_type = getBaseType(exprType(left));
	right_type = getBaseType(exprType(right));
	if (strcmp(name, "*") == 0)
		return is_number(operation->opresulttype) &&
			   form_of_product(compiler, left, right, factor, form);
	if (strcmp(name, "+") != 0 && strcmp(name, "-") != 0)
		return false;
	if (!is_number_or_time(left_type) || !is_number_or_time(right_type) ||
		!is_number_or_time(operation->opresulttype))
		return false;
	sign = strcmp(name, "-") == 0 ? -1 : 1;
	return form_of_part(compiler, left, factor,
						unit_within(left_type, right_type, operation->opresulttype), form) &&
		   form_of_part(compiler, right, sign * factor,
						unit_within(right_type, left_type, operation->opresulttype), form);
}

/* Adds factor x node to the form; false if it is not linear. */
static bool
form_of(const Compiler *compiler, Node *node, double factor, Form *form)
{
	double number;

	check_stack_depth();
	while (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	if (IsA(node, Const))
	{
		if (((Const *) node)->constisnull)
			form->isnull = true;
		else if (dp_rule_number(((Const *) node)->constvalue, exprType(node), &number))
		{
			number = form_product(form, factor, number);
			form->constant = form_sum(form, form->constant, number);
			form->constant_sum += fabs(number);
		}
		else
			return false;
		return true;
	}
	if (IsA(node, Var))
		return is_number_or_time(getBaseType(exprType(node))) &&
			   form_of_column(compiler, column_of(compiler, (Var *) node),
							  getBaseType(exprType(node)), factor, form);
	if (IsA(node, FuncExpr))
		return is_widening((FuncExpr *) node) &&
			   form_of(compiler, linitial(((FuncExpr *) node)->args), factor, form);
	return IsA(node, OpExpr) && form_of_operation(compiler, (OpExpr *) node, factor, form);
}

/* ---- conditions ---- */

static DpRuleNode *
node_create(DpRuleKind kind, uint32 n)
{
	DpRuleNode *node = palloc0(sizeof(DpRuleNode));

	node->kind = kind;
	node->n = n;
	node->child = palloc0(sizeof(DpRuleNode *) * Max(n, 1));
	node->position = palloc0(sizeof(uint32) * Max(n, 1));
	node->coefficient = palloc0(sizeof(double) * Max(n, 1));
	return node;
}

static DpRuleNode *
node_constant(unsigned truth)
{
	DpRuleNode *node = node_create(DP_RULE_CONSTANT, 0);

	node->truth = truth;
	return node;
}

static unsigned
truth_of_value(Datum value, bool isnull)
{
	if (isnull)
		return DP_CAN_BE_NULL;
	return DatumGetBool(value) ? DP_CAN_BE_TRUE : DP_CAN_BE_FALSE;
}

static unsigned
negated(unsigned truth, bool negate)
{
	unsigned result = truth & DP_CAN_BE_NULL;

	if (!negate)
		return truth;
	if (truth & DP_CAN_BE_TRUE)
		result |= DP_CAN_BE_FALSE;
	if (truth & DP_CAN_BE_FALSE)
		result |= DP_CAN_BE_TRUE;
	return result;
}

/* The comparison that an operator is, by the order of its type. */
static bool
comparison_of(Oid operator, DpComparison * comparison)
{
	List *meanings = operator<FirstUnpinnedObjectId ? DP_MEANINGS_OF_OPERATOR(operator) : NIL;
	static const DpComparison by_strategy[] = {DP_EQUAL, DP_BELOW,    DP_AT_MOST,
											   DP_EQUAL, DP_AT_LEAST, DP_ABOVE};

	if (meanings == NIL)
		return false;
	switch (DP_MEANING_STRATEGY(linitial(meanings)))
	{
		case BTLessStrategyNumber:
		case BTLessEqualStrategyNumber:
		case BTEqualStrategyNumber:
		case BTGreaterEqualStrategyNumber:
		case BTGreaterStrategyNumber:
			*comparison = by_strategy[DP_MEANING_STRATEGY(linitial(meanings))];
			return true;
		default: /* <>, which no B-tree has a strategy for */
			*comparison = DP_DIFFERENT;
			return true;
	}
}

static DpRuleNode *
compile_comparison(Compiler *compiler, OpExpr *operation, bool negate)
{
	DpRuleNode *node;
	Form form = {0};
	DpComparison comparison;

	if (list_length(operation->args) != 2 || !comparison_of(operation->opno, &comparison) ||
		!is_number_or_time(getBaseType(exprType(linitial(operation->args)))) ||
		!form_of(compiler, linitial(operation->args), 1, &form) ||
		!form_of(compiler, lsecond(operation->args), -1, &form))
		return node_constant(DP_CAN_BE_ANY);
	if (form.isnull)
		return node_constant(DP_CAN_BE_NULL);
	node = node_create(DP_RULE_LINEAR, form.n);
	node->comparison = negate ? dp_comparison_opposite(comparison) : comparison;
	node->constant = form.constant;
	node->constant_error = form_error(&form, form.constant_sum);
	node->error = palloc(sizeof(double) * Max(form.n, 1));
	for (uint32 k = 0; k < form.n; k++)
	{
		/* an attribute that cancels out can still be NULL */
		node->position[k] = position_of(compiler, form.attribute[k]);
		node->coefficient[k] = form.coefficient[k];
		node->error[k] = form_error(&form, form.coefficient_sum[k]);
	}
	return node;
}

/* ---- conditions that are evaluated, level by level ---- */

typedef struct Evaluation
{
	const Compiler *compiler;
	Node *condition;
	uint32 n;
	uint32 attribute[DP_ZEROS_WIDTH_MAX];
	Datum *value[DP_ZEROS_WIDTH_MAX]; /* of each level, in the column's type */
	uint32 codes[DP_ZEROS_WIDTH_MAX];
	unsigned char *truth;
	bool known;
} Evaluation;

static int
evaluation_find(const Evaluation *evaluation, int attribute)
{
	for (uint32 k = 0; k < evaluation->n; k++)
		if ((int) evaluation->attribute[k] == attribute)
			return (int) k;
	return -1;
}

/* Lists the attributes of a condition; true if its value does not depend on levels alone. */
static bool
gather(Node *node, void *context)
{
	Evaluation *evaluation = context;
	const DpRulePlace *place = evaluation->compiler->place;

	if (node == NULL)
		return false;
	if (IsA(node, SQLValueFunction))
		return true;
	if (IsA(node, Var))
	{
		const DpRuleColumn *column = column_of(evaluation->compiler, (Var *) node);
		const DpAttribute *attribute;

		if (column->attribute < 0)
			return false;
		attribute = &place->domain->attribute[column->attribute];
		if (column->base != 0 || attribute->open || attribute->kind == DP_BINS ||
			dp_type_runs_code(getBaseType(place->type[column->attribute])))
			return true;
		if (evaluation_find(evaluation, column->attribute) >= 0)
			return false;
		if (evaluation->n == DP_ZEROS_WIDTH_MAX)
			return true;
		evaluation->attribute[evaluation->n++] = (uint32) column->attribute;
		return false;
	}
	return expression_tree_walker(node, gather, context);
}

static Node *
put_level(Node *node, void *context)
{
	const Evaluation *evaluation = context;

	if (node == NULL)
		return NULL;
	if (IsA(node, Var))
	{
		const Var *var = (const Var *) node;
		int k = evaluation_find(evaluation, column_of(evaluation->compiler, var)->attribute);
		const DpAttribute *attribute;
		Datum value = 0;
		bool isnull = true;

		if (k >= 0)
		{
			attribute = &evaluation->compiler->place->domain->attribute[evaluation->attribute[k]];
			isnull = attribute->has_other && attribute->other == NULL &&
					 evaluation->codes[k] == attribute->levels - 1;
			value = isnull ? (Datum) 0 : evaluation->value[k][evaluation->codes[k]];
		}
		return (Node *) makeConst(var->vartype, var->vartypmod, var->varcollid,
								  get_typlen(var->vartype), value, isnull,
								  get_typbyval(var->vartype));
	}
	return expression_tree_mutator(node, put_level, unconstify(Evaluation *, evaluation));
}

/* The values of the levels of an attribute. The type's CHECKs, if it is a domain, do not run. */
static Datum *
level_values(const DpRulePlace *place, uint32 index)
{
	const DpAttribute *attribute = &place->domain->attribute[index];
	uint32 named = attribute->levels - attribute->has_other;
	Datum *value = palloc0(sizeof(Datum) * attribute->levels);
	int32 typmod = place->typmod[index];
	Oid type = getBaseTypeAndTypmod(place->type[index], &typmod);

	for (uint32 i = 0; i < named; i++)
		value[i] = dp_value_in(attribute->labels[i], type, typmod);
	if (attribute->has_other && attribute->other != NULL)
		value[named] = dp_value_in(attribute->other, type, typmod);
	return value;
}

static bool
next_levels(Evaluation *evaluation)
{
	const DpDomain *domain = evaluation->compiler->place->domain;

	for (uint32 k = evaluation->n; k-- > 0;)
	{
		if (++evaluation->codes[k] < domain->attribute[evaluation->attribute[k]].levels)
			return true;
		evaluation->codes[k] = 0;
	}
	return false;
}

static void
evaluate(void *argument)
{
	Evaluation *evaluation = argument;
	uint64 cell = 0;

	for (uint32 k = 0; k < evaluation->n; k++)
		evaluation->value[k] = level_values(evaluation->compiler->place, evaluation->attribute[k]);
	do
	{
		Node *result;

		CHECK_FOR_INTERRUPTS();
		result = eval_const_expressions(NULL, put_level(evaluation->condition, evaluation));
		if (!IsA(result, Const))
			return;
		evaluation->truth[cell++] = (unsigned char) truth_of_value(((Const *) result)->constvalue,
																   ((Const *) result)->constisnull);
	} while (next_levels(evaluation));
	evaluation->known = true;
}

/* NULL if the condition cannot be evaluated for levels. */
static DpRuleNode *
compile_levels(Compiler *compiler, Node *condition, bool negate)
{
	Evaluation evaluation = {.compiler = compiler, .condition = condition};
	uint64 cells;
	DpRuleNode *node;

	if (gather(condition, &evaluation))
		return NULL;
	cells = dp_domain_cells(compiler->place->domain, evaluation.attribute, evaluation.n);
	if (cells > EVALUATIONS_MAX)
		return NULL;
	evaluation.truth = palloc0(cells);
	if (!dp_attempt(evaluate, &evaluation) || !evaluation.known)
		return NULL;
	node = node_create(DP_RULE_LEVELS, evaluation.n);
	node->levels = evaluation.truth;
	for (uint64 cell = 0; cell < cells; cell++)
		evaluation.truth[cell] = (unsigned char) negated(evaluation.truth[cell], negate);
	for (uint32 k = 0; k < evaluation.n; k++)
		node->position[k] = position_of(compiler, evaluation.attribute[k]);
	return node;
}

/* ---- NULL or not, whatever the kind of the levels ---- */

static DpRuleNode *
compile_missing(Compiler *compiler, const DpRuleColumn *column, bool is_null)
{
	const DpAttribute *attribute;
	DpRuleNode *node;
	unsigned char *truth;

	if (column->attribute < 0)
		return node_constant(is_null ? DP_CAN_BE_TRUE : DP_CAN_BE_FALSE);
	attribute = &compiler->place->domain->attribute[column->attribute];
	if (attribute->open)
		return node_constant(DP_CAN_BE_TRUE | DP_CAN_BE_FALSE);
	truth = palloc0(Max(attribute->levels, 1));
	for (uint32 i = 0; i < attribute->levels; i++)
	{
		bool missing =
			attribute->has_other && attribute->other == NULL && i == attribute->levels - 1;

		truth[i] = missing == is_null ? DP_CAN_BE_TRUE : DP_CAN_BE_FALSE;
	}
	node = node_create(DP_RULE_LEVELS, 1);
	node->levels = truth;
	node->position[0] = position_of(compiler, (uint32) column->attribute);
	return node;
}

/* A distance is no value where its base is none. */
static DpRuleNode *
compile_null(Compiler *compiler, const DpRuleColumn *column, bool is_null)
{
	DpRuleNode *own = compile_missing(compiler, column, is_null);
	DpRuleNode *both;

	if (column->base == 0)
		return own;
	both = node_create(is_null ? DP_RULE_OR : DP_RULE_AND, 2);
	both->child[0] = own;
	both->child[1] = compile_null(compiler, &compiler->place->column[column->base - 1], is_null);
	return both;
}

/* ---- all of a CHECK ---- */

static DpRuleNode *compile(Compiler *compiler, Node *node, bool negate);

static DpRuleNode *
compile_logic(Compiler *compiler, const BoolExpr *logic, bool negate)
{
	bool is_and = (logic->boolop == AND_EXPR) != negate;
	DpRuleNode *node;
	ListCell *cell;

	if (logic->boolop == NOT_EXPR)
		return compile(compiler, linitial(logic->args), !negate);
	node = node_create(is_and ? DP_RULE_AND : DP_RULE_OR, list_length(logic->args));
	foreach (cell, logic->args)
		node->child[foreach_current_index(cell)] = compile(compiler, lfirst(cell), negate);
	return node;
}

static DpRuleNode *
compile(Compiler *compiler, Node *node, bool negate)
{
	DpRuleNode *levels;

	check_stack_depth();
	while (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	if (IsA(node, NullTest) && IsA(((NullTest *) node)->arg, Var))
		return compile_null(compiler, column_of(compiler, (Var *) ((NullTest *) node)->arg),
							(((NullTest *) node)->nulltesttype == IS_NULL) != negate);
	levels = compile_levels(compiler, node, negate);
	if (levels != NULL)
		return levels;
	if (IsA(node, BoolExpr))
		return compile_logic(compiler, (BoolExpr *) node, negate);
	if (IsA(node, OpExpr))
		return compile_comparison(compiler, (OpExpr *) node, negate);
	return node_constant(DP_CAN_BE_ANY);
}

void
dp_rule_compile(const DpCheck *check, const DpRulePlace *place, DpRule *rule)
{
	Compiler compiler = {place, rule};
	int level = dp_values_begin();

	*rule = (DpRule){.name = check->name};
	rule->root = check->expression == NULL ? node_constant(DP_CAN_BE_ANY)
										   : compile(&compiler, check->expression, false);
	dp_values_end(level);
	if (rule->n > DP_ZEROS_WIDTH_MAX)
		rule->root = NULL;
}
