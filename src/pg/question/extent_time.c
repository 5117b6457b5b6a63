/*
 * extent_time.c -- between which values what is computed of dates and times lies.
 */
#include "pg/question/extent.h"

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
at_end(const DpArguments *a, double end)
{
	Datum value[8];
	Oid type = a->call->type;

	for (int i = 0; i < a->n; i++)
	{
		const DpRowExpression *each = dp_argument(a, i);

		if (dp_x_is_constant(each))
			value[i] = dp_value_in(each->text, each->type, -1);
		else if (each->type == DATEOID)
			value[i] = DateADTGetDatum((DateADT) end);
		else
			value[i] = TimestampGetDatum((Timestamp) end);
	}
	return dp_finite_number(a->n == 1 ? OidFunctionCall1(a->call->function->oid, value[0])
							   : OidFunctionCall2(a->call->function->oid, value[0], value[1]),
					 type);
}

static int
place_of_time(const DpArguments *a)
{
	int place = -1;

	for (int i = 0; i < a->n; i++)
	{
		if (dp_x_is_constant(dp_argument(a, i)) && ((DpRowExpression *) dp_argument(a, i))->text != NULL)
			continue;
		if (place >= 0 ||
			(dp_argument(a, i)->type != DATEOID && dp_argument(a, i)->type != TIMESTAMPOID &&
			 dp_argument(a, i)->type != TIMESTAMPTZOID))
			dp_refuse_expression(a->call, "What is done to a time must be a constant.", "Write it as one.");
		place = i;
	}
	if (place < 0)
		dp_refuse_expression(a->call, "It is of constants alone.", "Write its value.");
	if (!a->of[place].ordered)
		dp_refuse_expression(a->call,
			   psprintf("Nothing is known of the range of %s.", dp_x_words(dp_argument(a, place))),
			   "Its custodian can declare a range with dp_define_column.");
	return place;
}

DpExtent
dp_extent_of_time(const DpArguments *a)
{
	int place = place_of_time(a);
	double low = a->of[place].low, high = a->of[place].high;
	const char *zone;

	if (a->call->function->oid != F_TIMEZONE_TEXT_TIMESTAMPTZ)
		return dp_between(at_end(a, low), at_end(a, high), 0, dp_any_nullable(a));
	zone = dp_zone_name(((DpRowExpression *) dp_argument(a, 0))->text);
	if (zone == NULL)
		dp_refuse_expression(a->call, "Zones are known by the name of a place alone.",
			   "Write AT TIME ZONE 'UTC', or a zone as 'Europe/Berlin'.");
	dp_zone_local_range(zone, &low, &high);
	return dp_between(low, high, 0, dp_any_nullable(a));
}

DpExtent
dp_extent_of_part(const DpArguments *a)
{
	static const struct
	{
		const char *unit;
		double low, high;
		int digits;
	} parts[] = {
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
	static const char *const monotone[] = {"year",       "isoyear", "decade", "century",
										   "millennium", "epoch",   "julian"};
	const DpRowExpression *unit = dp_argument(a, 0);
	int place = place_of_time(a);
	double low = at_end(a, a->of[place].low); /* an error of its own for units that do not fit */

	for (size_t i = 0; i < lengthof(parts); i++)
		if (pg_strcasecmp(unit->text, parts[i].unit) == 0)
			return dp_between(parts[i].low, parts[i].high, parts[i].digits, dp_any_nullable(a));
	for (size_t i = 0; i < lengthof(monotone); i++)
		if (pg_strcasecmp(unit->text, monotone[i]) == 0)
			return dp_between(dp_outward_unless_whole(low, true),
						   dp_outward_unless_whole(at_end(a, a->of[place].high), false),
						   i < 5 ? 0 : 6, dp_any_nullable(a));
	dp_refuse_expression(a->call, "Nothing is known of that part of a time.",
		   "year, quarter, month, week, day, dow, hour and minute are known.");
}
