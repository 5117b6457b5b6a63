/*
 * extent.c -- between which values an expression lies, and that it raises no error for any row.
 *
 * docs/methods/sql.md proves each rule. Privacy rests on none of the ranges: whatever an expression
 * gives is clamped to the range that the noise was made for (core/domain/query.h). What rests on them
 * is that no function fails for a value that some row has, which would be a fact of the data. So an
 * argument that is computed with is within its range here, as expression_sql.c writes it, and a
 * function is refused, before anything is spent, where some value of its arguments' ranges would make
 * it fail.
 *
 * Ends are doubles, rounded outward (outward.h): what an integer, a numeric or a float can be is never
 * beyond them.
 */
#include "pg/question/extent.h"

#include <float.h>
#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "pg/question/date_format.h"
#include "pg/question/outward.h"
#include "pg/server/numbers.h"
#include "pg/server/values.h"

#define FLOAT_LARGEST 1e200
#define FLOAT_LEAST 1e-200
#define FLOAT_READ_LEAST 1e-30 /* what is nearer to 0 is read as 0 */
#define NUMERIC_LARGEST 1e300
#define LETTERS_MAX 65536

void
dp_refuse_expression(const DpRowExpression *expression, const char *detail, const char *hint)
{
	ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					errmsg("expression %s cannot be answered", dp_x_words(expression)),
					errdetail("%s", detail), errhint("%s", hint)));
}

static DpExtent
unknown(bool nullable)
{
	return (DpExtent){.digits = DP_DIGITS_UNKNOWN, .nullable = nullable};
}

static bool
is_float(Oid type)
{
	return type == FLOAT4OID || type == FLOAT8OID;
}

/* ---- what a type can hold ---- */

static bool
type_limits(Oid type, double *largest)
{
	switch (type)
	{
		case INT2OID:
			*largest = 32767;
			return true;
		case INT4OID:
			*largest = 2147483647;
			return true;
		case INT8OID:
			*largest = 9.2e18; /* that of the type, less what a double may be off */
			return true;
		case FLOAT4OID:
		case FLOAT8OID:
			*largest = FLOAT_LARGEST;
			return true;
		case NUMERICOID:
			*largest = NUMERIC_LARGEST;
			return true;
		case DATEOID:
			*largest = 2e6; /* days: 5,000 years */
			return true;
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			*largest = 1.7e17;
			return true;
		default:
			return false;
	}
}

static DpExtent
check_fits(DpExtent extent, const DpRowExpression *expression)
{
	double largest;

	if (!extent.ordered || !type_limits(expression->type, &largest) ||
		(extent.low >= -largest && extent.high <= largest))
		return extent;
	dp_refuse_expression(
		expression,
		psprintf("Its values can be too large for type %s.",
				 dp_expression_type_name(expression->type)),
		"Cast what it is computed from to numeric or bigint. What is known of columns stands in "
		"the view dp_columns.");
}

/* ---- columns and constants ---- */

/* A coordinate of a grid as a number, not nearer to the middle of the range than it is. */
static double
end_of_column(const DpGrid *grid, int64 coordinate, bool down)
{
	double steps = (double) coordinate * (double) grid->step, scale, end;

	if (grid->kind != DP_GRID_NUMBER || grid->digits == 0)
		return dp_outward_unless_whole(steps, down);
	scale = pow(10, grid->digits);
	end = steps / scale;
	if (end == rint(end) && end * scale == steps && fabs(steps) <= DP_EXACT_LARGEST)
		return end;
	return dp_outward(end, down);
}

static DpExtent
of_column(DpAsked *asked, const DpRowExpression *expression)
{
	const DpAskedColumn *column =
		dp_asked_column_values(asked, expression->relation, expression->name);
	const DpGrid *grid = &column->grid;
	DpExtent extent;

	if (!column->has_range)
		return unknown(column->nullable);
	extent = dp_between(end_of_column(grid, grid->first, true),
						end_of_column(grid, grid->last, false), column->digits, column->nullable);
	extent.assumed = column->assumed;
	if (expression->type == FLOAT4OID) /* its ends are read as such */
	{
		extent.low -= fabs(extent.low) * FLT_EPSILON;
		extent.high += fabs(extent.high) * FLT_EPSILON;
	}
	if (is_float(expression->type)) /* as it is read, less is 0 */
	{
		extent.least = FLOAT_READ_LEAST;
		extent.low = extent.low > 0 && extent.low < 2 * FLOAT_READ_LEAST ? 0 : extent.low;
		extent.high = extent.high < 0 && extent.high > -2 * FLOAT_READ_LEAST ? 0 : extent.high;
	}
	return extent;
}

/* As PostgreSQL compares intervals: a month has 30 days. */
static double
interval_number(const Interval *span)
{
	if (DP_INTERVAL_NOT_FINITE(span))
		return NAN;
	return ((double) span->month * DAYS_PER_MONTH + (double) span->day) * (double) USECS_PER_DAY +
		   (double) span->time;
}

double
dp_finite_number(Datum value, Oid type)
{
	if (type == TIMEOID)
		return (double) DatumGetTimeADT(value);
	if (type == INTERVALOID)
		return interval_number(DatumGetIntervalP(value));
	if (!dp_is_number(type) && (!dp_is_time(type) || isinf(dp_number_of_value(value, type))))
		return NAN;
	return dp_number_as_stored(value, type);
}

/* The digits after the point of a number as text. */
static int
digits_of(const char *text)
{
	const char *point = strchr(text, '.');

	if (strpbrk(text, "eE") != NULL)
		return DP_DIGITS_UNKNOWN;
	return point == NULL ? 0 : (int) strlen(point + 1);
}

/* A constant, which the nearest double stands for. */
static double
number_end(double number, const DpRowExpression *constant, bool down)
{
	return digits_of(constant->text) == 0 ? dp_outward_unless_whole(number, down)
										  : dp_outward(number, down);
}

static DpExtent
of_value(const DpRowExpression *expression)
{
	double number;
	DpExtent extent;

	if (expression->text == NULL)
		return (DpExtent){.empty = true, .digits = 0, .nullable = true};
	number =
		dp_finite_number(dp_value_in(expression->text, expression->type, -1), expression->type);
	if (isnan(number) || isinf(number))
		return unknown(false);
	if (is_float(expression->type))
		extent = dp_between(number, number, DP_DIGITS_UNKNOWN, false);
	else
		extent =
			dp_between(number_end(number, expression, true), number_end(number, expression, false),
					   digits_of(expression->text), false);
	extent.least = fabs(number);
	return extent;
}

/* ---- what several parts give ---- */

static DpExtent
united(DpExtent a, DpExtent b)
{
	if (a.empty || b.empty)
	{
		a = a.empty ? b : a;
		a.nullable = true;
		return a;
	}
	return (DpExtent){.ordered = a.ordered && b.ordered,
					  .low = Min(a.low, b.low),
					  .high = Max(a.high, b.high),
					  .digits = Max(a.digits, b.digits),
					  .least =
						  Min(a.least > 0 ? a.least : (a.low == 0 && a.high == 0 ? b.least : 0),
							  b.least > 0 ? b.least : (b.low == 0 && b.high == 0 ? a.least : 0)),
					  .nullable = a.nullable || b.nullable,
					  .assumed = a.assumed || b.assumed};
}

/* CASE, COALESCE, LEAST, GREATEST: one of the parts. */
static DpExtent
of_choice(DpAsked *asked, const DpRowExpression *expression)
{
	DpExtent extent = {.empty = true, .nullable = true};
	bool is_case = expression->kind == DP_X_CASE, any = false, all_nullable = true;
	double least = -INFINITY, most = INFINITY;
	int n = list_length(expression->arguments);

	for (int i = 0; i < n; i++)
	{
		DpExtent part = dp_extent_of(asked, list_nth(expression->arguments, i));

		if (is_case && i % 2 == 0 && i < n - 1)
			continue;
		all_nullable &= part.nullable;
		extent = any ? united(extent, part) : part;
		if (!part.nullable) /* the greatest is no less than a part that has a value */
		{
			least = Max(least, part.low);
			most = Min(most, part.high);
		}
		any = true;
	}
	if (!is_case)
		extent.nullable = all_nullable;
	if (extent.ordered && expression->kind == DP_X_GREATEST)
		extent.low = Max(extent.low, least);
	if (extent.ordered && expression->kind == DP_X_LEAST)
		extent.high = Min(extent.high, most);
	return extent;
}

/* The extent of a part that is used unchanged: a column needs no range there. */
static DpExtent
of_operand(DpAsked *asked, const DpRowExpression *part)
{
	if (part->kind == DP_X_AS)
		return of_operand(asked, linitial(part->arguments));
	if (part->kind != DP_X_COLUMN)
		return dp_extent_of(asked, part);
	return unknown(dp_asked_column(asked, part->relation, part->name)->nullable);
}

static DpExtent
of_condition(DpAsked *asked, const DpRowExpression *expression)
{
	bool nullable = false;
	ListCell *cell;

	foreach (cell, expression->arguments)
		nullable |= of_operand(asked, lfirst(cell)).nullable;
	if (expression->kind == DP_X_EXISTS)
		dp_asked_check_below(asked, expression->relation);
	return unknown(nullable && expression->kind != DP_X_NULL && expression->kind != DP_X_EXISTS);
}

/* ---- functions ---- */

/* ERROR unless the range of an argument is known. */
static void
check_ordered(const DpCallArguments *a)
{
	for (int i = 0; i < a->n; i++)
		if (!a->of[i].ordered && !a->of[i].empty)
			dp_refuse_expression(
				a->call,
				psprintf("Nothing is known of the range of %s.", dp_x_words(dp_argument(a, i))),
				"Its custodian can declare a range with dp_define_column.");
}

static int
digits_sum(int a, int b)
{
	return a == DP_DIGITS_UNKNOWN || b == DP_DIGITS_UNKNOWN ? DP_DIGITS_UNKNOWN : a + b;
}

/* Floats must stay far from where they underflow, which is an error. */
static DpExtent
check_least(DpExtent extent, const DpCallArguments *a)
{
	if (is_float(a->call->type) && extent.least < FLOAT_LEAST)
		dp_refuse_expression(a->call, "Its values can be too small for a floating point number.",
							 "Compute with numeric.");
	return extent;
}

static DpExtent
of_sum(const DpCallArguments *a, bool minus)
{
	const DpExtent *x = &a->of[0], *y = &a->of[1];
	DpExtent sum = dp_between(dp_sum(x->low, minus ? -y->high : y->low, true),
							  dp_sum(x->high, minus ? -y->low : y->high, false),
							  Max(x->digits, y->digits), dp_any_nullable(a));

	if (is_float(a->call->type))
		sum.least = Min(x->least, y->least) * 1e-17; /* what cancelling leaves */
	return sum;
}

static DpExtent
of_product(const DpCallArguments *a)
{
	const DpExtent *x = &a->of[0], *y = &a->of[1];
	double of_x[2] = {x->low, x->high}, of_y[2] = {y->low, y->high};
	DpExtent product =
		dp_between(INFINITY, -INFINITY, digits_sum(x->digits, y->digits), dp_any_nullable(a));

	for (int i = 0; i < 4; i++)
	{
		product.low = Min(product.low, dp_product(of_x[i / 2], of_y[i % 2], true));
		product.high = Max(product.high, dp_product(of_x[i / 2], of_y[i % 2], false));
	}
	if (strcmp(dp_x_text(dp_argument(a, 0)), dp_x_text(dp_argument(a, 1))) == 0) /* a square */
		product.low = x->low > 0 || x->high < 0 ? Max(product.low, 0) : 0;
	product.least = x->least * y->least;
	return check_least(product, a);
}

/* By the divisors nearest to 0 and farthest from it on each side: on each side a quotient is
 * monotone. */
static DpExtent
of_quotient(const DpCallArguments *a)
{
	const DpExtent *x = &a->of[0], *y = &a->of[1];
	bool holds_zero = y->low <= 0 && y->high >= 0,
		 whole = a->call->type != NUMERICOID && !is_float(a->call->type);
	double divisor[4] = {y->low, y->high, holds_zero ? -y->least : y->low,
						 holds_zero ? y->least : y->high};
	DpExtent quotient = dp_between(INFINITY, -INFINITY, whole ? 0 : DP_DIGITS_UNKNOWN,
								   dp_any_nullable(a) || holds_zero);

	if (holds_zero && y->least == 0)
		dp_refuse_expression(a->call, "It is divided by what can be as near to 0 as you like.",
							 "Round the divisor, or use one with a range that does not hold 0.");
	for (int i = 0; i < 4; i++)
	{
		if (divisor[i] == 0 || divisor[i] < y->low || divisor[i] > y->high)
			continue;
		quotient.low = Min(quotient.low, dp_quotient(x->low, divisor[i], true));
		quotient.low = Min(quotient.low, dp_quotient(x->high, divisor[i], true));
		quotient.high = Max(quotient.high, dp_quotient(x->low, divisor[i], false));
		quotient.high = Max(quotient.high, dp_quotient(x->high, divisor[i], false));
	}
	if (quotient.low > quotient.high) /* the divisor is always 0 */
		return (DpExtent){.empty = true, .nullable = true};
	if (whole)
	{
		quotient.low = trunc(quotient.low);
		quotient.high = trunc(quotient.high);
	}
	else if (a->call->type == NUMERICOID) /* it has 16 digits */
	{
		quotient.low = dp_outward(quotient.low, true);
		quotient.high = dp_outward(quotient.high, false);
	}
	if (!whole)
		quotient.least = is_float(a->call->type) ? x->least / Max(fabs(y->low), fabs(y->high)) : 0;
	return check_least(quotient, a);
}

static DpExtent
of_modulo(const DpCallArguments *a)
{
	double most = Max(fabs(a->of[1].low), fabs(a->of[1].high));

	return dp_between(a->of[0].low >= 0 ? 0 : -most, a->of[0].high <= 0 ? 0 : most,
					  Max(a->of[0].digits, a->of[1].digits), true);
}

/* The end of a numeric that is rounded to FLOAT_DIGITS digits (expression_sql.c) before it is a float. */
static double
as_float(double end, bool down)
{
	return end == rint(end) ? end : dp_sum(end, down ? -1e-30 : 1e-30, down);
}

static DpExtent
of_same(const DpCallArguments *a)
{
	DpExtent same = a->of[0];

	if (is_float(a->call->type) && dp_argument(a, 0)->type == NUMERICOID)
	{
		same.least = same.digits == DP_DIGITS_UNKNOWN ? 1e-30 : pow(10, -same.digits);
		same.digits = DP_DIGITS_UNKNOWN;
		same.low = as_float(same.low, true);
		same.high = as_float(same.high, false);
	}
	return same;
}

/* The integer that a constant argument is; ERROR: it is no constant in least..largest. */
static int64
constant_of(const DpCallArguments *a, int i, int64 least, int64 largest)
{
	const DpRowExpression *constant = dp_argument(a, i);
	double number =
		dp_x_is_constant(constant) && constant->text != NULL ? strtod(constant->text, NULL) : NAN;

	if (!(number >= (double) least && number <= (double) largest))
		dp_refuse_expression(a->call,
							 psprintf("Argument %d must be a number between " INT64_FORMAT
									  " and " INT64_FORMAT " as it stands.",
									  i + 1, least, largest),
							 "Write it as a constant.");
	return (int64) number;
}

/* The multiple of 10^-digits next to an end, outward. */
static double
rounded_end(double end, int digits, bool down)
{
	double scaled = digits > 0 ? dp_outward(end * pow(10, digits), down)
							   : dp_quotient(end, pow(10, -digits), down);
	double whole = down ? floor(scaled) : ceil(scaled);

	return digits > 0 ? dp_outward(whole / pow(10, digits), down)
					  : dp_product(whole, pow(10, -digits), down);
}

/* Whether whole numbers are taken at or below an end, or above: floor is monotone. */
static bool
goes_down(Oid function, double end, bool otherwise)
{
	if (function == F_FLOOR_FLOAT8 || function == F_FLOOR_NUMERIC)
		return true;
	if (function == F_CEIL_NUMERIC || function == F_CEILING_NUMERIC)
		return false;
	return function == F_TRUNC_NUMERIC ? end > 0 : otherwise;
}

static DpExtent
of_rounded(const DpCallArguments *a)
{
	int digits = a->n > 1 ? (int) constant_of(a, 1, -15, 15) : 0;
	Oid function = a->call->function->oid;
	DpExtent extent = a->of[0];

	if (extent.digits <= digits) /* it is rounded already */
		return extent;
	if (digits == 0)
		return dp_between(rounded_end(extent.low, 0, goes_down(function, extent.low, true)),
						  rounded_end(extent.high, 0, goes_down(function, extent.high, false)), 0,
						  dp_any_nullable(a));
	return dp_between(rounded_end(extent.low, digits, true),
					  rounded_end(extent.high, digits, false), digits, dp_any_nullable(a));
}

/* The number of steps of 10^-scale to which an end is rounded, which is the nearest one. */
static double
steps_end(double end, int scale, bool down)
{
	double steps = end * pow(10, scale), nearest = rint(steps);

	if (fabs(steps) < 1e9 && fabs(steps - nearest) < 1e-3)
		return nearest;
	steps = dp_outward(steps, down);
	return down ? floor(steps) : ceil(steps);
}

static DpExtent
of_precision(const DpCallArguments *a)
{
	int32 typmod = (int32) constant_of(a, 1, VARHDRSZ, PG_INT32_MAX) - VARHDRSZ;
	int precision = (typmod >> 16) & 0xffff, scale = ((typmod & 0x7ff) ^ 1024) - 1024;
	double low = steps_end(a->of[0].low, scale, true),
		   high = steps_end(a->of[0].high, scale, false);
	double limit = pow(10, precision);

	if (low <= -limit || high >= limit)
		dp_refuse_expression(a->call, "Its values can have more digits than that.",
							 "Cast it to numeric.");
	return dp_between(scale > 0 ? dp_outward(low / pow(10, scale), true) : low * pow(10, -scale),
					  scale > 0 ? dp_outward(high / pow(10, scale), false) : high * pow(10, -scale),
					  Max(scale, 0), dp_any_nullable(a));
}

static DpExtent
of_absolute(const DpCallArguments *a)
{
	DpExtent extent = a->of[0];

	extent.low = a->of[0].low > 0 ? a->of[0].low : a->of[0].high < 0 ? -a->of[0].high : 0;
	extent.high = Max(fabs(a->of[0].low), fabs(a->of[0].high));
	return extent;
}

/* The extent of the decimal that PostgreSQL prints for a float: of the same sign, and off by at
 * most half of its last digit. */
static DpExtent
of_decimal(const DpCallArguments *a)
{
	double share = dp_argument(a, 0)->type == FLOAT4OID ? 1e-5 : 1e-14;
	DpExtent extent = a->of[0];

	extent.low -= fabs(extent.low) * share;
	extent.high += fabs(extent.high) * share;
	extent.least *= 1 - share;
	return extent;
}

static DpExtent
of_exponential(const DpCallArguments *a)
{
	double low = exp(a->of[0].low), high = exp(a->of[0].high);
	DpExtent extent =
		dp_between(low - low * 1e-14, high + high * 1e-14, DP_DIGITS_UNKNOWN, dp_any_nullable(a));

	extent.least = extent.low;
	return check_least(extent, a);
}

static bool
is_decimal_logarithm(Oid function)
{
	return function == F_LOG_FLOAT8 || function == F_LOG10_FLOAT8 || function == F_LOG_NUMERIC ||
		   function == F_LOG10_NUMERIC;
}

static DpExtent
of_root_or_logarithm(const DpCallArguments *a)
{
	bool root = a->call->function->rule == DP_RULE_SQRT;
	DpExtent extent;

	if (root ? a->of[0].low < 0 : a->of[0].low <= 0)
		dp_refuse_expression(
			a->call, "It is not defined for all values that its argument can have.",
			root ? "Take the root of greatest(x, 0)." : "Take it of greatest(x, 1).");
	extent = root ? dp_between(sqrt(a->of[0].low), sqrt(a->of[0].high), DP_DIGITS_UNKNOWN,
							   dp_any_nullable(a))
				  : dp_between(log(a->of[0].low), log(a->of[0].high), DP_DIGITS_UNKNOWN,
							   dp_any_nullable(a));
	if (is_decimal_logarithm(a->call->function->oid))
	{
		extent.low /= M_LN10;
		extent.high /= M_LN10;
	}
	extent.low = extent.low - fabs(extent.low) * 1e-14;
	extent.high = extent.high + fabs(extent.high) * 1e-14;
	extent.least = root ? sqrt(a->of[0].least) : 0;
	return extent;
}

static DpExtent
of_bucket(const DpCallArguments *a)
{
	int64 buckets = constant_of(a, 3, 1, 1000000);

	for (int i = 1; i < 3; i++)
		if (!dp_x_is_constant(dp_argument(a, i)))
			dp_refuse_expression(a->call, "The ends of its buckets must be constants.",
								 "Write numbers.");
	if (a->of[1].low == a->of[2].low)
		dp_refuse_expression(a->call, "Its buckets have no width.", "Write two ends that differ.");
	return dp_between(0, (double) buckets + 1, 0, dp_any_nullable(a));
}

/* ---- texts ---- */

static void
check_pattern(const DpCallArguments *a)
{
	const DpRowExpression *pattern = dp_argument(a, 1);

	if (!dp_x_is_constant(pattern) || pattern->text == NULL)
		dp_refuse_expression(a->call, "The pattern must be a constant.", "Write it as one.");
	for (const char *at = pattern->text; *at; at++)
		if (*at == '\\' && *++at == '\0')
			dp_refuse_expression(a->call, "The pattern ends with an escape character.",
								 "Write it twice.");
}

/* ERROR unless the replacement is no longer than the replaced text. */
static void
check_replacement(const DpCallArguments *a)
{
	const DpRowExpression *from = dp_argument(a, 1), *to = dp_argument(a, 2);

	if (!dp_x_is_constant(from) || !dp_x_is_constant(to) || from->text == NULL ||
		to->text == NULL || strlen(to->text) > strlen(from->text))
		dp_refuse_expression(a->call, "A text could become too long.",
							 "Replace a constant by one that is no longer, or write CASE.");
}

/* A text that is cut by constants. */
static void
check_cut(const DpCallArguments *a)
{
	Oid function = a->call->function->oid;
	bool pads = function == F_LPAD_TEXT_INT4 || function == F_LPAD_TEXT_INT4_TEXT ||
				function == F_RPAD_TEXT_INT4 || function == F_RPAD_TEXT_INT4_TEXT;

	if (function == F_REPLACE)
		check_replacement(a);
	for (int i = 1; i < a->n; i++)
		if (dp_argument(a, i)->type == INT4OID)
			(void) constant_of(a, i,
							   function == F_SPLIT_PART ? 1
							   : i == 2                 ? 0
														: -LETTERS_MAX,
							   pads ? LETTERS_MAX : PG_INT32_MAX);
}

/* A pattern reads the clock alone, and of an infinite time nothing. */
static DpExtent
of_format(const DpCallArguments *a)
{
	const DpRowExpression *pattern = dp_argument(a, 1);
	DpDateFormat format;

	if (!dp_x_is_constant(pattern) || pattern->text == NULL ||
		!dp_date_format(pattern->text, &format))
		dp_refuse_expression(a->call, "The pattern is not one of those that are known.",
							 "Write date_trunc or extract.");
	return unknown(a->of[0].nullable || !a->of[0].ordered);
}

static DpExtent
of_length(const DpCallArguments *a)
{
	return dp_between(0, LETTERS_MAX * (double) list_length(dp_x_columns(a->call, NIL)), 0,
					  dp_any_nullable(a));
}

static DpExtent
of_call(const DpCallArguments *a)
{
	DpFunctionRule rule = a->call->function->rule;

	for (int i = 0; i < a->n; i++)
		if (a->of[i].empty) /* all of them are strict */
			return (DpExtent){.empty = true, .nullable = true};
	if (rule >= DP_RULE_ADD && rule <= DP_RULE_PRECISION)
		check_ordered(a);
	switch (rule)
	{
		case DP_RULE_ADD:
		case DP_RULE_SUBTRACT:
			return of_sum(a, rule == DP_RULE_SUBTRACT);
		case DP_RULE_MULTIPLY:
			return of_product(a);
		case DP_RULE_DIVIDE:
			return of_quotient(a);
		case DP_RULE_MODULO:
			return of_modulo(a);
		case DP_RULE_NEGATE:
		{
			DpExtent negative = a->of[0];

			negative.low = -a->of[0].high;
			negative.high = -a->of[0].low;
			return negative;
		}
		case DP_RULE_SAME:
			return of_same(a);
		case DP_RULE_DECIMAL:
			return of_decimal(a);
		case DP_RULE_ABS:
			return of_absolute(a);
		case DP_RULE_SIGN:
			return dp_between(-1, 1, 0, dp_any_nullable(a));
		case DP_RULE_ROUND:
			return of_rounded(a);
		case DP_RULE_SQRT:
		case DP_RULE_LN:
			return of_root_or_logarithm(a);
		case DP_RULE_EXP:
			return of_exponential(a);
		case DP_RULE_BUCKET:
			return of_bucket(a);
		case DP_RULE_PRECISION:
			return of_precision(a);
		case DP_RULE_TIME:
			return dp_extent_of_time(a);
		case DP_RULE_EXTRACT:
			return dp_extent_of_part(a);
		case DP_RULE_CLOCK:
			return dp_between(0, (double) USECS_PER_DAY - 1, 0, true); /* NULL of infinite ones */
		case DP_RULE_AGE:
			check_ordered(a);
			return dp_extent_of_age(a);
		case DP_RULE_FORMAT:
			return of_format(a);
		case DP_RULE_LIKE:
			check_pattern(a);
			break;
		case DP_RULE_TEXT:
			check_cut(a);
			break;
		case DP_RULE_LENGTH:
			return of_length(a);
		case DP_RULE_BOOLEAN_NUMBER:
			return dp_between(0, 1, 0, dp_any_nullable(a));
		case DP_RULE_COMPARE:
			break;
	}
	return unknown(dp_any_nullable(a));
}

static DpExtent
of_printed(DpAsked *asked, const DpRowExpression *expression)
{
	const DpRowExpression *argument = linitial(expression->arguments);
	DpExtent extent = of_operand(asked, argument);

	if (argument->type == NUMERICOID && dp_extent_of(asked, argument).digits > 0)
		dp_refuse_expression(expression, "How many digits a number has as text is not known.",
							 "Cast it to integer, round it, or group by the number itself.");
	return unknown(extent.nullable);
}

DpExtent
dp_extent_of(DpAsked *asked, const DpRowExpression *expression)
{
	DpCallArguments a = {.call = expression};
	bool assumed = false;
	DpExtent extent;
	ListCell *cell;

	check_stack_depth();
	dp_check_collation(asked, expression);
	switch (expression->kind)
	{
		case DP_X_COLUMN:
			return of_column(asked, expression);
		case DP_X_VALUE:
			return of_value(expression);
		case DP_X_CALL:
			break;
		case DP_X_AS:
			return dp_extent_of(asked, linitial(expression->arguments));
		case DP_X_TEXT:
			return of_printed(asked, expression);
		case DP_X_CASE:
		case DP_X_COALESCE:
		case DP_X_LEAST:
		case DP_X_GREATEST:
			return of_choice(asked, expression);
		default:
			return of_condition(asked, expression);
	}
	if (list_length(expression->arguments) > (int) lengthof(a.of))
		elog(ERROR, "dpsyn: a function with too many arguments");
	foreach (cell, expression->arguments)
	{
		a.of[a.n] = dp_function_reads_as_is(expression->function)
						? of_operand(asked, lfirst(cell))
						: dp_extent_of(asked, lfirst(cell));
		assumed |= a.of[a.n++].assumed;
	}
	extent = check_fits(of_call(&a), expression);
	if (expression->function->rule <= DP_RULE_ROUND)
		extent.assumed = assumed && expression->function->rule != DP_RULE_COMPARE &&
						 expression->function->rule != DP_RULE_SIGN &&
						 expression->function->rule != DP_RULE_MODULO;
	return extent;
}
