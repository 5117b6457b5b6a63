/*
 * resolution.c -- from the ends of a range and a resolution to the grid of a column's values.
 *
 * This runs a few times for each column. So all of it is done with numeric, which is exact and of
 * any size, and only the grid that comes out is made of 64-bit integers.
 */
#include "pg/domain/resolution.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"

#include "pg/domain/grid.h"
#include "pg/server/arguments.h"
#include "pg/server/bridge.h"
#include "pg/server/numbers.h"
#include "pg/server/values.h"

#define REAL_STEPS ((int64) 1 << 53) /* a double tells all integers up to this one apart */

static bool
is_number(const DpBaseType *type)
{
	return dp_grid_kind_of(type->type) == DP_GRID_NUMBER;
}

/* ---- resolutions ---- */

static DP_NORETURN void
refuse_resolution(const char *column, const DpBaseType *type, const char *words, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("the range of column \"%s\" cannot have the resolution \"%s\"", column, words),
			 errdetail("%s", detail),
			 is_number(type)
				 ? errhint("For instance 1, 0.01 or 1000.")
				 : errhint("For instance %s.", type->type == DATEOID ? "'1 day' or '7 days'"
																	 : "'1 second' or '15 min'")));
}

/* Whether the words are a whole number, which is one of days. */
static bool
is_whole_number(const char *words)
{
	return words[0] != '\0' && strspn(words, "0123456789") == strlen(words);
}

/* In the positions of the type. */
static Numeric
span_of_words(const char *words, const DpBaseType *type, const char *column)
{
	const char *unit = type->type == DATEOID && is_whole_number(words) ? " days" : "";
	Interval *span = DatumGetIntervalP(
		DirectFunctionCall3(interval_in, CStringGetDatum(psprintf("%s%s", words, unit)),
							ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
	Numeric length;

	if (DP_INTERVAL_NOT_FINITE(span) || span->month != 0)
		refuse_resolution(column, type, words, "A month has no fixed length.");
	length = dp_position_of(IntervalPGetDatum(span), INTERVALOID);
	if (type->type != DATEOID)
		return length;
	if (dp_numeric_compare(dp_numeric_call(numeric_mod, length, dp_numeric_whole(USECS_PER_DAY)),
						   dp_numeric_whole(0)) != 0)
		refuse_resolution(column, type, words, "Dates are whole days.");
	return dp_numeric_call(numeric_div_trunc, length, dp_numeric_whole(USECS_PER_DAY));
}

/*
 * The resolution that words mean: a number, or a span of time of fixed length, "1 day". ERROR
 * unless it is above 0 and a whole number of the smallest steps of the type. column: for messages.
 */
static Numeric
resolution_read(const char *words, const DpBaseType *type, const char *column)
{
	Numeric resolution = is_number(type)
							 ? dp_position_of(NumericGetDatum(dp_numeric(words)), NUMERICOID)
							 : span_of_words(words, type, column);
	Numeric step = dp_type_step(type);

	if (resolution == NULL || dp_numeric_compare(resolution, dp_numeric_whole(0)) <= 0)
		refuse_resolution(column, type, words, "It must be above 0.");
	if (dp_numeric_digits(resolution) > DP_GRID_DIGITS_MAX)
		refuse_resolution(
			column, type, words,
			psprintf("It has more than %d digits after the point.", DP_GRID_DIGITS_MAX));
	if (step != NULL && dp_numeric_compare(dp_numeric_call(numeric_mod, resolution, step),
										   dp_numeric_whole(0)) != 0)
		refuse_resolution(column, type, words,
						  psprintf("Values of type %s are multiples of %s.",
								   format_type_with_typemod(type->type, type->typmod),
								   dp_resolution_words(step, type)));
	return resolution;
}

/* 1, 2 or 5 times a power of ten, at most a millionth of the width, which is above 0. */
static Numeric
part_of_width(Numeric width)
{
	Numeric part = dp_numeric_call(numeric_mul, width, dp_numeric("0.000001"));
	const int leading[] = {5, 2, 1};
	/* the power that is at most the part: the digits before the point tell, or the zeros behind */
	int exponent = (int) floor(log10(dp_position_real(part))) + 1;

	for (;; exponent--)
		for (size_t i = 0; i < lengthof(leading); i++)
		{
			Numeric round = dp_numeric_call(numeric_mul, dp_numeric_whole(leading[i]),
											dp_numeric_power_of_ten(exponent));

			if (dp_numeric_compare(round, part) <= 0)
				return round;
		}
}

Numeric
dp_resolution_default(const DpBaseType *type, const DpBounds *bounds)
{
	Numeric step = dp_type_step(type);
	Numeric width;

	switch (type->type)
	{
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case TIMEOID:
		case TIMETZOID:
			return type->typmod < 0 ? dp_numeric_whole(USECS_PER_SEC) : step;
		case INTERVALOID:
			return dp_numeric_compare(step, dp_numeric_whole(1)) == 0
					   ? dp_numeric_whole(USECS_PER_SEC)
					   : step;
		default:
			if (step != NULL)
				return step;
	}
	width = dp_numeric_call(numeric_sub, bounds->high, bounds->low);
	return dp_numeric_compare(width, dp_numeric_whole(0)) > 0 ? part_of_width(width)
															  : dp_numeric_whole(1);
}

Numeric
dp_resolution_assumed(const DpBaseType *type)
{
	Numeric step = dp_type_step(type);
	Numeric millionth = dp_numeric_power_of_ten(-6);

	return step != NULL && dp_numeric_compare(step, millionth) > 0 ? step : millionth;
}

char *
dp_resolution_words(Numeric resolution, const DpBaseType *type)
{
	Interval *span;
	int64 length;
	int level;
	char *words;

	if (is_number(type))
		return dp_numeric_words(resolution);
	if (type->type == DATEOID)
		resolution = dp_numeric_call(numeric_mul, resolution, dp_numeric_whole(USECS_PER_DAY));
	if (!dp_numeric_to_int64(resolution, &length))
		length = PG_INT64_MAX; /* no range has so coarse a grid: it is refused elsewhere */
	span = palloc0(sizeof(Interval));
	span->day = (int32) (length / USECS_PER_DAY);
	span->time = length % USECS_PER_DAY;
	level = dp_values_begin();
	words = DatumGetCString(DirectFunctionCall1(interval_out, IntervalPGetDatum(span)));
	dp_values_end(level);
	return words;
}

/* ---- grids ---- */

/* The number of the last multiple of the resolution that is at the position or below it; *exact: at
 * it. */
static Numeric
multiple_below(Numeric position, Numeric resolution, bool *exact)
{
	Numeric quotient = dp_numeric_call(numeric_div_trunc, position, resolution);
	int order = dp_numeric_compare(dp_numeric_call(numeric_mul, quotient, resolution), position);

	*exact = order == 0;
	return order > 0 ? dp_numeric_call(numeric_sub, quotient, dp_numeric_whole(1)) : quotient;
}

static DpStatus
too_wide(DpError *error)
{
	(void) dp_fail(error, DP_ERR_LIMIT, "a range is too wide for its resolution");
	dp_fail_hint(error, "Choose a coarser resolution or a narrower range.");
	return DP_ERR_LIMIT;
}

/* The resolution as step x 10^-digits. */
static DpStatus
grid_steps(Numeric resolution, const DpBaseType *type, DpGrid *grid, DpError *error)
{
	grid->kind = dp_grid_kind_of(type->type);
	grid->digits = dp_numeric_digits(resolution);
	if (grid->digits > DP_GRID_DIGITS_MAX ||
		!dp_numeric_to_int64(
			dp_numeric_call(numeric_mul, resolution, dp_numeric_power_of_ten(grid->digits)),
			&grid->step))
		return too_wide(error);
	return DP_OK;
}

/* Whether neighbours on the grid are different floating point numbers. */
static bool
reals_are_apart(const DpGrid *grid)
{
	__int128 first = (__int128) grid->first * grid->step;
	__int128 last = (__int128) grid->last * grid->step;

	return first >= -REAL_STEPS && last <= REAL_STEPS;
}

/* The number of the first multiple of the resolution within bounds that have a low end. */
static Numeric
first_multiple(const DpBounds *bounds, Numeric resolution)
{
	bool exact;
	Numeric below = multiple_below(bounds->low, resolution, &exact);

	return exact && !bounds->above ? below
								   : dp_numeric_call(numeric_add, below, dp_numeric_whole(1));
}

/* The same of the last one, and a high end. */
static Numeric
last_multiple(const DpBounds *bounds, Numeric resolution)
{
	bool exact;
	Numeric below = multiple_below(bounds->high, resolution, &exact);

	return exact && bounds->below ? dp_numeric_call(numeric_sub, below, dp_numeric_whole(1))
								  : below;
}

DpStatus
dp_bounds_grid(const DpBounds *bounds, Numeric resolution, const DpBaseType *type, DpGrid *grid,
			   DpError *error)
{
	Numeric first = first_multiple(bounds, resolution);
	Numeric last = last_multiple(bounds, resolution);

	if (dp_numeric_compare(first, last) > 0)
	{
		(void) dp_fail(error, DP_ERR_ARGUMENT, "a range holds no multiple of its resolution");
		dp_fail_hint(error, "Choose a finer resolution or a wider range.");
		return DP_ERR_ARGUMENT;
	}
	DP_TRY(grid_steps(resolution, type, grid, error));
	if (!dp_numeric_to_int64(first, &grid->first) || !dp_numeric_to_int64(last, &grid->last))
		return too_wide(error);
	DP_TRY(dp_grid_check(grid, error));
	if ((type->type == FLOAT4OID || type->type == FLOAT8OID) && !reals_are_apart(grid))
		return too_wide(error);
	return DP_OK;
}

bool
dp_grid_narrow(DpGrid *grid, const DpBounds *bounds)
{
	Numeric resolution = dp_numeric_call(numeric_mul, dp_numeric_whole(grid->step),
										 dp_numeric_power_of_ten(-grid->digits));
	Numeric first = dp_numeric_whole(grid->first), last = dp_numeric_whole(grid->last);
	DpGrid narrow = *grid;

	if (bounds->low != NULL && dp_numeric_compare(first_multiple(bounds, resolution), first) > 0)
		first = first_multiple(bounds, resolution);
	if (bounds->high != NULL && dp_numeric_compare(last_multiple(bounds, resolution), last) < 0)
		last = last_multiple(bounds, resolution);
	if (dp_numeric_compare(first, last) > 0 || !dp_numeric_to_int64(first, &narrow.first) ||
		!dp_numeric_to_int64(last, &narrow.last) ||
		(narrow.first == grid->first && narrow.last == grid->last))
		return false;
	*grid = narrow;
	return true;
}

/* ---- what a custodian declares ---- */

void
dp_check_has_range(const char *column, Oid type, int32 typmod)
{
	if (dp_type_has_range(type, typmod))
		return;
	ereport(
		ERROR,
		(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		 errmsg("column \"%s\" of type %s cannot have a range", column,
				format_type_with_typemod(type, typmod)),
		 errdetail("Ranges are for numbers, money, dates, times, timestamps, and intervals that "
				   "hold more than months."),
		 errhint("Declare categories, or open => true.")));
}

void
dp_range_ends(Datum array, const char *column, DpRangeWords *words)
{
	int n;
	bool *nulls;
	Datum *texts = dp_elements(array, &nulls, &n);

	if (n != 2 || nulls[0] || nulls[1])
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the range of column \"%s\" must have two ends", column),
						errhint("For instance range => '{0,120}'.")));
	words->low = TextDatumGetCString(texts[0]);
	words->high = TextDatumGetCString(texts[1]);
}

static Numeric
declared_end(const char *words, const DpBaseType *type, const char *column)
{
	DpValueContext context = {.column = column, .what = "ends of the range"};
	Numeric end =
		dp_position_of(dp_column_value_in(words, type->type, type->typmod, &context), type->type);

	if (end == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the range of column \"%s\" is not finite", column),
						errdetail("\"%s\" is no end of a range.", words),
						errhint("Give the public limits of plausible values; values outside are "
								"clamped.")));
	return end;
}

static void
check_ends(const DpBounds *bounds, const DpBaseType *type, const char *column)
{
	DpBounds all;

	if (dp_numeric_compare(bounds->low, bounds->high) >= 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the range of column \"%s\" is empty", column),
						errdetail("Its first end must be below its second."),
						errhint("For instance range => '{0,120}'.")));
	if (type->type == TIMETZOID && dp_bounds_of_type(type, &all) &&
		(dp_numeric_compare(bounds->low, all.low) < 0 ||
		 dp_numeric_compare(bounds->high, all.high) > 0))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the range of column \"%s\" is not within a day", column),
						errdetail("Times with time zone are modelled at UTC."),
						errhint("Give ends at UTC, as 08:00+00.")));
}

/* A number with more digits than anybody reads is cut. */
static char *
words_cut(char *words)
{
	return strlen(words) > 40 ? psprintf("%.37s...", words) : words;
}

char *
dp_grid_declared(const DpRangeWords *words, const DpBaseType *type, const char *column,
				 DpGrid *grid)
{
	DpBounds bounds = {.low = declared_end(words->low, type, column),
					   .high = declared_end(words->high, type, column)};
	Numeric resolution;
	DpError error = {0};
	DpStatus status;

	check_ends(&bounds, type, column);
	resolution = words->resolution == NULL ? dp_resolution_default(type, &bounds)
										   : resolution_read(words->resolution, type, column);
	status = dp_bounds_grid(&bounds, resolution, type, grid, &error);
	if (status != DP_OK)
		ereport(ERROR, (errcode(dp_status_sqlstate(status)), errmsg("%s", error.message),
						errdetail("Column \"%s\", resolution %s.", column,
								  words_cut(dp_resolution_words(resolution, type))),
						error.hint[0] ? errhint("%s", error.hint) : 0));
	return dp_resolution_words(resolution, type);
}
