/*
 * rule_forms.c -- the numbers that rules compare, and expressions of columns as linear forms of
 * them.
 */
#include "pg/domain/rule_compiler.h"

#include <math.h>

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "pg/domain/range_rules.h"
#include "pg/domain/relation.h"
#include "pg/domain/rules.h"
#include "pg/server/numbers.h"
#include "pg/server/values.h"

#define MILLIONTHS 1e6
#define DAY_MILLIONTHS ((double) USECS_PER_DAY)

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
	return dp_is_integer(type) || type == NUMERICOID;
}

bool
dp_rule_is_ordered(Oid type)
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

/* Whether an attribute is the distance of a column from another one. */
static bool
is_distance(const DpRulePlace *place, uint32 attribute)
{
	for (int i = 0; i < place->columns; i++)
		if (place->column[i].attribute == (int) attribute)
			return place->column[i].base != 0 || place->column[i].from_above;
	return false;
}

/* The level "other" of a distance is none. */
static DpRuleAxis
axis_of(const DpRulePlace *place, uint32 a)
{
	const DpAttribute *attribute = &place->domain->attribute[a];
	DpRuleAxis axis = {NULL, UINT32_MAX};
	DpInterval *level;
	uint32 named = attribute->levels - attribute->has_other;
	bool has_value = attribute->other != NULL && !is_distance(place, a);
	int32 typmod = place->typmod[a];
	Oid type = getBaseTypeAndTypmod(place->type[a], &typmod);

	if (attribute->has_other && !has_value)
		axis.missing = named;
	if (!dp_attribute_has_levels(attribute) || attribute->levels == 0 || !dp_rule_is_ordered(type))
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
	if (attribute->has_other && has_value)
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
		axis[a] = axis_of(place, a);
	dp_values_end(level);
	return axis;
}

/* ---- linear forms ---- */

/* Decimals are seldom doubles, so what is computed from them is rounded. */
static double
form_product(DpRuleForm *form, double a, double b)
{
	double result = a * b;

	form->roundings += fma(a, b, -result) != 0;
	return result;
}

static double
form_quotient(DpRuleForm *form, double a, double b)
{
	double result = a / b;

	form->roundings += fma(result, b, -a) != 0;
	return result;
}

static double
form_sum(DpRuleForm *form, double a, double b)
{
	double result = a + b;
	double part = result - a;

	form->roundings += (a - (result - part)) + (b - part) != 0;
	return result;
}

/* How far a sum is off at most, twice as much as it could be. */
double
dp_rule_form_error(const DpRuleForm *form, double magnitudes)
{
	return form->roundings * ldexp(magnitudes, -51);
}

static bool
form_add(DpRuleForm *form, uint32 attribute, double coefficient)
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
form_of_column(const DpRuleCompiler *compiler, const DpRuleColumn *column, Oid type, double factor,
			   DpRuleForm *form)
{
	if (column->from_above || (column->attribute < 0 && column->refers > 0))
		return false;
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

/* Casts that keep every value, if they do not fail: of an integer, to a wider number, and of a date
 * to its midnight. */
static bool
is_clique_growth(const FuncExpr *call)
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
		return is_number(to) || to == FLOAT8OID;
	return from == INT8OID && is_number(to);
}

static bool
form_of_product(const DpRuleCompiler *compiler, Node *left, Node *right, double factor,
				DpRuleForm *form)
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
	return dp_rule_form(compiler, left,
						form_product(form, factor, form_quotient(form, number, MILLIONTHS)), form);
}

/* In another unit, which need not be a double: a day is 1 / 86400 of one. */
static bool
form_of_part(const DpRuleCompiler *compiler, Node *node, double factor, double unit,
			 DpRuleForm *form)
{
	form->roundings += floor(unit) != unit;
	return dp_rule_form(compiler, node, form_product(form, factor, unit), form);
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
form_of_operation(const DpRuleCompiler *compiler, const OpExpr *operation, double factor,
				  DpRuleForm *form)
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
		return strcmp(name, "-") == 0 && dp_rule_form(compiler, left, -factor, form);
	right = lsecond(operation->args);
	left_type = getBaseType(exprType(left));
	right_type = getBaseType(exprType(right));
	if (strcmp(name, "*") == 0)
		return is_number(operation->opresulttype) &&
			   form_of_product(compiler, left, right, factor, form);
	if (strcmp(name, "+") != 0 && strcmp(name, "-") != 0)
		return false;
	if (!dp_rule_is_ordered(left_type) || !dp_rule_is_ordered(right_type) ||
		!dp_rule_is_ordered(operation->opresulttype))
		return false;
	sign = strcmp(name, "-") == 0 ? -1 : 1;
	return form_of_part(compiler, left, factor,
						unit_within(left_type, right_type, operation->opresulttype), form) &&
		   form_of_part(compiler, right, sign * factor,
						unit_within(right_type, left_type, operation->opresulttype), form);
}

/* Adds factor x node to the form; false if it is not linear. */
bool
dp_rule_form(const DpRuleCompiler *compiler, Node *node, double factor, DpRuleForm *form)
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
		return dp_rule_is_ordered(getBaseType(exprType(node))) &&
			   form_of_column(compiler, dp_rule_column(compiler, (Var *) node),
							  getBaseType(exprType(node)), factor, form);
	if (IsA(node, FuncExpr))
		return is_clique_growth((FuncExpr *) node) &&
			   dp_rule_form(compiler, linitial(((FuncExpr *) node)->args), factor, form);
	return IsA(node, OpExpr) && form_of_operation(compiler, (OpExpr *) node, factor, form);
}
