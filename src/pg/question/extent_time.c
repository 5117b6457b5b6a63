/*
 * extent_time.c -- between which values what is computed of dates and times lies.
 */
#include "pg/question/extent.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgroids.h"
#include "utils/timestamp.h"

#include "pg/question/outward.h"
#include "pg/question/time_zone.h"
#include "pg/server/values.h"

/* Calls the function at one end of the range of its one argument that is no constant. */
static double
at_end(const DpCallArguments *a, double end)
{
	Datum value[3];

	for (int i = 0; i < a->n; i++)
	{
		const DpRowExpression *each = dp_argument(a, i);

		if (dp_x_is_constant(each))
			value[i] = dp_value_in(each->text, each->type, -1);
		else if (each->type == DATEOID)
			value[i] = DateADTGetDatum((DateADT) end);
		else /* a time of a day is as long as a timestamp */
			value[i] = TimestampGetDatum((Timestamp) end);
	}
	return dp_finite_number(
		a->n == 1   ? OidFunctionCall1(a->call->function->oid, value[0])
		: a->n == 2 ? OidFunctionCall2(a->call->function->oid, value[0], value[1])
					: OidFunctionCall3(a->call->function->oid, value[0], value[1], value[2]),
		a->call->type);
}

/* Whether a function is monotone in an argument of the type, or takes a part of it. */
static bool
is_time_of(const DpCallArguments *a, Oid type)
{
	if (type == TIMEOID || type == INTERVALOID)
		return a->call->function->rule == DP_RULE_EXTRACT;
	return type == DATEOID || type == TIMESTAMPOID || type == TIMESTAMPTZOID;
}

static int
place_of_time(const DpCallArguments *a)
{
	int place = -1;

	for (int i = 0; i < a->n; i++)
	{
		if (dp_x_is_constant(dp_argument(a, i)) &&
			((DpRowExpression *) dp_argument(a, i))->text != NULL)
			continue;
		if (place >= 0 || !is_time_of(a, dp_argument(a, i)->type))
			dp_refuse_expression(a->call, "What is done to a time must be a constant.",
								 "Write it as one.");
		place = i;
	}
	if (place < 0)
		dp_refuse_expression(a->call, "It is of constants alone.", "Write its value.");
	if (!a->of[place].ordered && dp_argument(a, place)->type != INTERVALOID)
		dp_refuse_expression(
			a->call,
			psprintf("Nothing is known of the range of %s.", dp_x_words(dp_argument(a, place))),
			"Its custodian can declare a range with dp_define_column.");
	return place;
}

/* The zone that a constant names. */
static const char *
zone_of(const DpCallArguments *a, int i)
{
	const char *zone = dp_zone_name(((const DpRowExpression *) dp_argument(a, i))->text);

	if (zone == NULL)
		dp_refuse_expression(a->call, "Zones are known by the name of a place alone.",
							 "Write AT TIME ZONE 'UTC', or a zone as 'Europe/Berlin'.");
	return zone;
}

/* What clocks show is truncated, which keeps the order of what they show, and is a day off at most
 * when it is an instant again. */
static DpExtent
of_truncated_instant(const DpCallArguments *a, double low, double high)
{
	Datum unit = dp_value_in(((const DpRowExpression *) dp_argument(a, 0))->text, TEXTOID, -1);
	double end[2] = {low, high};

	dp_zone_local_range(zone_of(a, 2), &end[0], &end[1]);
	for (int i = 0; i < 2; i++)
		end[i] = dp_finite_number(
			DirectFunctionCall2(timestamp_trunc, unit, TimestampGetDatum((Timestamp) end[i])),
			TIMESTAMPOID);
	return dp_between(end[0] - (double) USECS_PER_DAY, end[1] + (double) USECS_PER_DAY, 0,
					  dp_any_nullable(a));
}

DpExtent
dp_extent_of_time(const DpCallArguments *a)
{
	int place = place_of_time(a);
	double low = a->of[place].low, high = a->of[place].high;

	switch (a->call->function->oid)
	{
		case F_DATE_BIN_INTERVAL_TIMESTAMP_TIMESTAMP:
		case F_DATE_BIN_INTERVAL_TIMESTAMPTZ_TIMESTAMPTZ:
			if (place != 1)
				dp_refuse_expression(a->call, "Where its bins begin must be a constant.",
									 "Write it as one.");
			return dp_between(at_end(a, low), at_end(a, high), 0, dp_any_nullable(a));
		case F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT:
			return of_truncated_instant(a, low, high);
		case F_TIMEZONE_TEXT_TIMESTAMPTZ:
			dp_zone_local_range(zone_of(a, 0), &low, &high);
			return dp_between(low, high, 0, dp_any_nullable(a));
		case F_TIMEZONE_TEXT_TIMESTAMP: /* clocks are less than a day off */
			(void) zone_of(a, 0);
			return dp_between(low - (double) USECS_PER_DAY, high + (double) USECS_PER_DAY, 0,
							  dp_any_nullable(a));
		default:
			return dp_between(at_end(a, low), at_end(a, high), 0, dp_any_nullable(a));
	}
}

/* The longest is from the earliest to the latest time: months first, then days, keep that order. */
DpExtent
dp_extent_of_age(const DpCallArguments *a)
{
	double ends[2][2] = {{a->of[0].low, a->of[1].high}, {a->of[0].high, a->of[1].low}}, age[2];

	for (int i = 0; i < 2; i++)
		age[i] = dp_finite_number(DirectFunctionCall2(timestamp_age,
													  TimestampGetDatum((Timestamp) ends[i][0]),
													  TimestampGetDatum((Timestamp) ends[i][1])),
								  INTERVALOID);
	return dp_between(age[0], age[1], 0, dp_any_nullable(a));
}

/* ---- parts ---- */

/* Parts that have the same values, whatever the time is. */
typedef struct Part
{
	const char *unit;
	double low, high;
	int digits;
} Part;

static const Part parts[] = {
	{"month", 1, 12, 0},
	{"day", 1, 31, 0},
	{"quarter", 1, 4, 0},
	{"week", 1, 53, 0},
	{"dow", 0, 6, 0},
	{"isodow", 1, 7, 0},
	{"doy", 1, 366, 0},
	{"hour", 0, 23, 0},
	{"minute", 0, 59, 0},
	{"second", 0, 60, 6},
	{"milliseconds", 0, 60000, 3},
	{"microseconds", 0, 60000000, 0},
};

/* Those of an interval, which can be negative. */
static const Part parts_of_interval[] = {
	{"month", -11, 11, 0},
	{"minute", -59, 59, 0},
	{"second", -60, 60, 6},
	{"milliseconds", -60000, 60000, 3},
	{"microseconds", -60000000, 60000000, 0},
};

static bool
find_part(const char *unit, const Part *part, size_t n, bool nullable, DpExtent *extent)
{
	for (size_t i = 0; i < n; i++)
		if (pg_strcasecmp(unit, part[i].unit) == 0)
		{
			*extent = dp_between(part[i].low, part[i].high, part[i].digits, nullable);
			return true;
		}
	return false;
}

static bool
is_age(const DpRowExpression *interval)
{
	return interval->kind == DP_X_CALL && interval->function->rule == DP_RULE_AGE;
}

/* Whether an interval has days of 24 hours, hours below that and no months: then it is as long as it
 * compares. */
static bool
is_span(const DpRowExpression *interval)
{
	return interval->kind == DP_X_CALL && interval->function->oid != F_INTERVAL_TIME &&
		   !is_age(interval);
}

/* A year is 360 days long as intervals compare. So are 11 months and 30 days, with hours less than 361. */
static DpExtent
of_years(const DpCallArguments *a)
{
	const double day = (double) USECS_PER_DAY;
	double low = a->of[1].low, high = a->of[1].high;

	return dp_between(trunc((low > 0 ? low - day : low) / (360 * day)),
					  trunc((high < 0 ? high + day : high) / (360 * day)), 0, dp_any_nullable(a));
}

/* An infinite one has no parts. */
static DpExtent
of_interval_part(const DpCallArguments *a, const char *unit)
{
	DpExtent extent;

	if (find_part(unit, parts_of_interval, lengthof(parts_of_interval), true, &extent))
		return extent;
	if (pg_strcasecmp(unit, "year") == 0 && is_age(dp_argument(a, 1)))
		return of_years(a);
	if (pg_strcasecmp(unit, "day") == 0 && a->of[1].ordered && is_span(dp_argument(a, 1)))
		return dp_between(trunc(dp_quotient(a->of[1].low, USECS_PER_DAY, true)),
						  trunc(dp_quotient(a->of[1].high, USECS_PER_DAY, false)), 0, true);
	if (pg_strcasecmp(unit, "hour") == 0 && is_span(dp_argument(a, 1)))
		return dp_between(-23, 23, 0, true);
	if (pg_strcasecmp(unit, "epoch") == 0 && a->of[1].ordered && is_span(dp_argument(a, 1)))
		return dp_between(dp_quotient(a->of[1].low, USECS_PER_SEC, true),
						  dp_quotient(a->of[1].high, USECS_PER_SEC, false), 6, dp_any_nullable(a));
	dp_refuse_expression(
		a->call, "Nothing is known of that part of an interval.",
		"month, minute and second are known, of a difference of timestamps day, hour and epoch, "
		"and of age() year.");
}

DpExtent
dp_extent_of_part(const DpCallArguments *a)
{
	static const char *const monotone[] = {"year",       "isoyear", "decade", "century",
										   "millennium", "epoch",   "julian"};
	const char *unit = ((const DpRowExpression *) dp_argument(a, 0))->text;
	int place = place_of_time(a);
	bool nullable = dp_any_nullable(a), is_time = dp_argument(a, place)->type == TIMEOID;
	DpExtent extent;
	double low;

	if (dp_argument(a, place)->type == INTERVALOID)
		return of_interval_part(a, unit);
	low = at_end(a, a->of[place].low); /* an error of its own for units that do not fit */
	if (find_part(unit, parts, lengthof(parts), nullable, &extent))
	{
		extent.high += is_time && pg_strcasecmp(unit, "hour") == 0; /* 24:00 */
		return extent;
	}
	for (size_t i = 0; i < lengthof(monotone); i++)
		if (pg_strcasecmp(unit, monotone[i]) == 0)
			return dp_between(dp_outward_unless_whole(low, true),
							  dp_outward_unless_whole(at_end(a, a->of[place].high), false),
							  i < 5 ? 0 : 6, nullable);
	dp_refuse_expression(a->call, "Nothing is known of that part of a time.",
						 "year, quarter, month, week, day, dow, hour and minute are known.");
}
