/*
 * literals.c -- names and values in calls that are ready to be run.
 */
#include "pg/server/labels.h"

#include "mb/pg_wchar.h"
#include "utils/builtins.h"

/* Marks of the direction of writing, which show a line in another order than it is run in. */
static bool
is_direction(pg_wchar c)
{
	return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
		   (c >= 0x2066 && c <= 0x2069);
}

static bool
ends_line(pg_wchar c)
{
	return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x2028 || c == 0x2029;
}

/* The character at the place if it may not stand in a line, else 0. Other encodings than UTF-8 have
 * none but those of ASCII. */
static pg_wchar
refused(const char *at)
{
	pg_wchar c = (unsigned char) *at;

	if (IS_HIGHBIT_SET(*at))
	{
		if (GetDatabaseEncoding() != PG_UTF8)
			return 0;
		c = utf8_to_unicode((const unsigned char *) at);
	}
	return ends_line(c) || is_direction(c) ? c : 0;
}

/* The words with a blank for each run of such characters: what may stand behind "-- ". */
static char *
one_line(const char *words)
{
	StringInfoData line;
	bool was_refused = false;

	initStringInfo(&line);
	for (; *words; words += pg_mblen(words))
	{
		bool is_refused = refused(words) != 0;

		if (!is_refused)
			appendBinaryStringInfo(&line, words, pg_mblen(words));
		else if (!was_refused)
			appendStringInfoChar(&line, ' ');
		was_refused = is_refused;
	}
	return line.data;
}

char *
dp_literal(const char *words)
{
	StringInfoData literal;

	if (strcmp(one_line(words), words) == 0)
		return quote_literal_cstr(words);
	initStringInfo(&literal);
	appendStringInfoString(&literal, "E'");
	for (; *words; words += pg_mblen(words))
	{
		pg_wchar c = refused(words);

		if (c != 0)
			appendStringInfo(&literal, "\\u%04X", c);
		else if (*words == '\'' || *words == '\\')
			appendStringInfo(&literal, "%c%c", *words, *words);
		else
			appendBinaryStringInfo(&literal, words, pg_mblen(words));
	}
	appendStringInfoChar(&literal, '\'');
	return literal.data;
}

/* ---- SQL ---- */

PG_FUNCTION_INFO_V1(dp_literal_of);
PG_FUNCTION_INFO_V1(dp_one_line_of);

Datum
dp_literal_of(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(dp_literal(text_to_cstring(PG_GETARG_TEXT_PP(0)))));
}

Datum
dp_one_line_of(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(one_line(text_to_cstring(PG_GETARG_TEXT_PP(0)))));
}
