/*
 * translate_time.c -- calls that depend on the session's time zone or clock, as calls of a question that
 * do not: extract, date_trunc, to_char and age of instants are those of what clocks show.
 */
#include "pg/sql/translate.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/timestamp.h"

#include "pg/question/date_format.h"
#include "pg/question/time_zone.h"
#include "pg/server/values.h"

static DpRowExpression *shown(DpTranslation *translation, const Node *time);

static bool
is_cast(const Node *node, Oid function)
{
	return IsA(node, FuncExpr) && ((const FuncExpr *) node)->funcid == function;
}

/* The name of a time zone, if its clocks are known. */
static DpRowExpression *
known_zone(const DpTranslation *translation, const Node *node, const char *zone)
{
	const char *known = dp_zone_name(zone);

	if (known == NULL)
		dp_translation_refuse(translation, node, psprintf("time zone %s", quote_literal_cstr(zone)),
							  "UTC is known, and zones of places, as Europe/Berlin.");
	return dp_x_value(TEXTOID, known);
}

/* The same of an argument of a call. */
static DpRowExpression *
zone_argument(DpTranslation *translation, const Node *node, const Node *argument)
{
	DpRowExpression *zone = dp_translate(translation, argument);

	if (!dp_x_is_constant(zone) || zone->text == NULL)
		dp_translation_refuse(translation, node, "a time zone that depends on a row", NULL);
	return known_zone(translation, node, zone->text);
}

static DpRowExpression *
session_zone(const DpTranslation *translation, const Node *node)
{
	return known_zone(translation, node, pg_get_timezone_name(session_timezone));
}

/* What clocks of a time zone show at an instant. */
static DpRowExpression *
local_time(DpTranslation *translation, DpRowExpression *zone, const Node *instant)
{
	DpRowExpression *at = dp_translate(translation, instant);
	Datum shows;

	if (!dp_x_is_constant(at))
		return dp_x_call(dp_function_of(F_TIMEZONE_TEXT_TIMESTAMPTZ), list_make2(zone, at));
	if (at->text == NULL)
		return dp_x_value(TIMESTAMPOID, NULL);
	shows = DirectFunctionCall2(timestamptz_zone, CStringGetTextDatum(zone->text),
								dp_value_in(at->text, TIMESTAMPTZOID, -1));
	return dp_x_value(TIMESTAMPOID, dp_value_out(shows, TIMESTAMPOID));
}

static DpRowExpression *
midnight(DpTranslation *translation, const Node *day)
{
	return dp_x_call(dp_function_of(F_TIMESTAMP_DATE), list_make1(dp_translate(translation, day)));
}

/* t + interval and t - interval of whole days and months, which clocks add; NULL: it is something else. */
static DpRowExpression *
days_later(DpTranslation *translation, const Node *time)
{
	const OpExpr *sum = (const OpExpr *) time;
	DpRowExpression *span;
	Oid function;

	if (!IsA(time, OpExpr) ||
		(sum->opfuncid != F_TIMESTAMPTZ_PL_INTERVAL && sum->opfuncid != F_TIMESTAMPTZ_MI_INTERVAL))
		return NULL;
	span = dp_translate(translation, lsecond(sum->args));
	if (!dp_x_is_constant(span) || span->text == NULL ||
		DatumGetIntervalP(dp_value_in(span->text, INTERVALOID, -1))->time != 0)
		dp_translation_refuse(translation, time, "hours added to a timestamp with time zone",
							  "Add days or months, or AT TIME ZONE first.");
	function = sum->opfuncid == F_TIMESTAMPTZ_PL_INTERVAL ? F_TIMESTAMP_PL_INTERVAL
														  : F_TIMESTAMP_MI_INTERVAL;
	return dp_x_call(dp_function_of(function),
					 list_make2(shown(translation, linitial(sum->args)), span));
}

/*
 * The local time of the session at an instant. The local time of midnight of a day, of a truncated
 * time, and of a time some days later follows from local time alone, so its range is known for each
 * value of a column.
 */
static DpRowExpression *
shown(DpTranslation *translation, const Node *time)
{
	const FuncExpr *call = (const FuncExpr *) time;
	DpRowExpression *later;

	if (is_cast(time, F_TIMESTAMP_DATE) || is_cast(time, F_TIMESTAMPTZ_DATE))
		return midnight(translation, linitial(call->args));
	if (exprType(time) != TIMESTAMPTZOID)
		return dp_translate(translation, time);
	if (is_cast(time, F_DATE_TRUNC_TEXT_TIMESTAMPTZ))
		return dp_x_call(dp_function_of(F_DATE_TRUNC_TEXT_TIMESTAMP),
						 list_make2(dp_translate(translation, linitial(call->args)),
									shown(translation, lsecond(call->args))));
	later = days_later(translation, time);
	return later != NULL ? later : local_time(translation, session_zone(translation, time), time);
}

/* extract(part from t). The epoch is the same in all zones. */
static DpRowExpression *
part_of_instant(DpTranslation *translation, const List *arguments, Oid of_timestamp)
{
	const Node *instant = lsecond(arguments);
	DpRowExpression *part = dp_translate(translation, linitial(arguments));
	bool epoch = part->text != NULL && pg_strcasecmp(part->text, "epoch") == 0;

	return dp_x_call(
		dp_function_of(of_timestamp),
		list_make2(part,
				   epoch ? local_time(translation, known_zone(translation, instant, "UTC"), instant)
						 : shown(translation, instant)));
}

/* The instant at which clocks of a zone show a time. */
static DpRowExpression *
instant_of(DpRowExpression *zone, DpRowExpression *time)
{
	return dp_x_call(dp_function_of(F_TIMEZONE_TEXT_TIMESTAMP), list_make2(zone, time));
}

/* What is shown in the session's zone, as an instant. */
static DpRowExpression *
instant_shown(DpTranslation *translation, const Node *time)
{
	return instant_of(session_zone(translation, time), shown(translation, time));
}

/* date_trunc(unit, t, zone) */
static DpRowExpression *
truncated_instant(DpTranslation *translation, const List *arguments, DpRowExpression *zone)
{
	return dp_x_call(dp_function_of(F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT),
					 list_make3(dp_translate(translation, linitial(arguments)),
								dp_translate(translation, lsecond(arguments)), zone));
}

/* date_trunc(unit, t), in the session's zone: of an instant by its own offset, where clocks show an hour
 * twice. */
static DpRowExpression *
truncated_in_session(DpTranslation *translation, const Node *node, const List *arguments)
{
	const DpRowExpression *clock = shown(translation, lsecond(arguments));

	return clock->function->oid == F_TIMEZONE_TEXT_TIMESTAMPTZ
			   ? truncated_instant(translation, arguments, session_zone(translation, node))
			   : instant_shown(translation, node);
}

/* to_char(t, pattern) */
static DpRowExpression *
formatted(DpTranslation *translation, const Node *node, const List *arguments)
{
	DpRowExpression *pattern = dp_translate(translation, lsecond(arguments));
	DpDateFormat format;

	if (!dp_x_is_constant(pattern) || pattern->text == NULL ||
		!dp_date_format(pattern->text, &format))
		dp_translation_refuse(
			translation, node, "this pattern of to_char",
			"Known are YYYY, MM, DD, Q, IYYY, IW, D, DY, DAY, MON, MONTH, HH24, MI, "
			"SS and the like, and texts in double quotes; not TM, TZ, OF and RM.");
	return dp_x_call(dp_function_of(F_TO_CHAR_TIMESTAMP_TEXT),
					 list_make2(shown(translation, linitial(arguments)), pattern));
}

/* ---- ages ---- */

static bool
is_age(Oid function)
{
	return function == F_AGE_TIMESTAMP_TIMESTAMP || function == F_AGE_TIMESTAMPTZ_TIMESTAMPTZ ||
		   function == F_AGE_TIMESTAMP || function == F_AGE_TIMESTAMPTZ;
}

/* The beginning of the day on which the statement runs, by the session's clock. */
static DpRowExpression *
today(void)
{
	TimestampTz now = GetCurrentTransactionStartTimestamp();
	Datum local = DirectFunctionCall1(timestamptz_timestamp, TimestampTzGetDatum(now));

	local = DirectFunctionCall2(timestamp_trunc, CStringGetTextDatum("day"), local);
	return dp_x_value(TIMESTAMPOID, dp_value_out(local, TIMESTAMPOID));
}

/* extract(year FROM age(t, u)); age(t) is from today. */
static DpRowExpression *
part_of_age(DpTranslation *translation, Oid function, const List *arguments)
{
	const List *times = castNode(FuncExpr, lsecond(arguments))->args;
	DpRowExpression *until =
		list_length(times) == 1 ? today() : shown(translation, linitial(times));

	return dp_x_call(dp_function_of(function),
					 list_make2(dp_translate(translation, linitial(arguments)),
								dp_x_call(dp_function_of(F_AGE_TIMESTAMP_TIMESTAMP),
										  list_make2(until, shown(translation, llast(times))))));
}

/* ---- all of them ---- */

/* extract(part FROM t), or of an age. */
static DpRowExpression *
part_of(DpTranslation *translation, Oid function, const List *arguments)
{
	const FuncExpr *of = lsecond(arguments);

	switch (function)
	{
		case F_EXTRACT_TEXT_TIMESTAMPTZ:
			return part_of_instant(translation, arguments, F_EXTRACT_TEXT_TIMESTAMP);
		case F_DATE_PART_TEXT_TIMESTAMPTZ:
			return part_of_instant(translation, arguments, F_DATE_PART_TEXT_TIMESTAMP);
		case F_DATE_PART_TEXT_DATE:
			return dp_x_call(dp_function_of(F_DATE_PART_TEXT_TIMESTAMP),
							 list_make2(dp_translate(translation, linitial(arguments)),
										midnight(translation, lsecond(arguments))));
		case F_EXTRACT_TEXT_INTERVAL:
		case F_DATE_PART_TEXT_INTERVAL:
			return IsA(of, FuncExpr) && is_age(of->funcid)
					   ? part_of_age(translation, function, arguments)
					   : NULL;
		default:
			return NULL;
	}
}

DpRowExpression *
dp_translate_time(DpTranslation *translation, const Node *node, Oid function, const List *arguments)
{
	const Node *first = arguments == NIL ? NULL : linitial(arguments);

	switch (function)
	{
		case F_TIMEZONE_TEXT_TIMESTAMPTZ:
			return local_time(translation, zone_argument(translation, node, first),
							  lsecond(arguments));
		case F_TIMEZONE_TEXT_TIMESTAMP:
			return instant_of(zone_argument(translation, node, first),
							  dp_translate(translation, lsecond(arguments)));
		case F_DATE_TRUNC_TEXT_TIMESTAMPTZ:
			return truncated_in_session(translation, node, arguments);
		case F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT:
			return truncated_instant(translation, arguments,
									 zone_argument(translation, node, lthird(arguments)));
		case F_TIMESTAMPTZ_DATE:
		case F_TIMESTAMPTZ_PL_INTERVAL:
		case F_TIMESTAMPTZ_MI_INTERVAL:
			return instant_shown(translation, node);
		case F_TIMESTAMP_TIMESTAMPTZ:
			return shown(translation, first);
		case F_TIME_TIMESTAMPTZ:
			return dp_x_call(dp_function_of(F_TIME_TIMESTAMP),
							 list_make1(shown(translation, first)));
		case F_DATE_TIMESTAMPTZ:
			return dp_x_call(dp_function_of(F_DATE_TIMESTAMP),
							 list_make1(shown(translation, first)));
		case F_TO_CHAR_TIMESTAMP_TEXT:
		case F_TO_CHAR_TIMESTAMPTZ_TEXT:
			return formatted(translation, node, arguments);
		default:
			break;
	}
	if (is_age(function))
		dp_translation_refuse(
			translation, node, "age() by itself",
			"Take its years, extract(year FROM age(...)), or subtract dates: that "
			"gives days.");
	return list_length(arguments) == 2 ? part_of(translation, function, arguments) : NULL;
}

/* ---- groups ---- */

DpRowExpression *
dp_translate_group(DpTranslation *translation, const Node *node, const char **zone)
{
	const List *arguments = IsA(node, FuncExpr) ? ((const FuncExpr *) node)->args : NIL;
	DpRowExpression *unit, *time;

	*zone = NULL;
	if (!is_cast(node, F_DATE_TRUNC_TEXT_TIMESTAMPTZ) &&
		!is_cast(node, F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT))
		return dp_folded_group(translation->asked, dp_translate(translation, node));
	unit = dp_translate(translation, linitial(arguments));
	if (!dp_x_is_constant(unit))
		return dp_translate(translation, node);
	if (list_length(arguments) == 2)
	{
		time = shown(translation, lsecond(arguments));
		*zone = session_zone(translation, node)->text;
	}
	else
	{
		DpRowExpression *named = zone_argument(translation, node, lthird(arguments));

		time = local_time(translation, named, lsecond(arguments));
		*zone = named->text;
	}
	return dp_x_call(dp_function_of(F_DATE_TRUNC_TEXT_TIMESTAMP), list_make2(unit, time));
}
