/*
 * fill_format.c -- patterns for texts whose form a CHECK prescribes: sku ~ '^[A-Z]{2}[0-9]{4}$'
 * gives {n:[A-Z]:2}{n:[0-9]:4}, and sku LIKE 'SKU-%' gives SKU-{n}.
 *
 * A regular expression in PostgreSQL's syntax is converted to a sequence of character sets, each
 * with a least and a largest number of repetitions. Of alternatives the first is taken. An
 * expression with an unsupported construct, such as a look-ahead or a back reference, gives no
 * pattern; the construct is named.
 */
#include "pg/domain/fill_format.h"

#include <ctype.h>
#include <math.h>

#include "catalog/pg_operator_d.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "utils/builtins.h"
#include "utils/rel.h"

#include "core/domain/pattern.h"
#include "pg/domain/fill_capacity.h"
#include "pg/domain/schema_checks.h"

#define PATTERNS_MAX 20 /* of one column */
#define LENGTH_USUAL 8  /* characters of an unbounded repetition */
#define NUMBERS_WANTED UINT64_C(1000000000)
#define ANY_CHARACTER 'x'

/* ---- regular expressions ---- */

static bool
is_digits(const DpFormatAtom *atom)
{
	return atom->set.n == 10 && atom->set.has['0'] && atom->set.has['9'];
}

/* The number of repetitions of a place: the usual one, within its limits. */
static int
usual_times(const DpFormatAtom *atom)
{
	int usual = is_digits(atom) && atom->most >= 0 ? DP_PATTERN_DIGITS_MAX : LENGTH_USUAL;

	if (atom->set.n <= 1)
		return atom->least; /* always the same character */
	usual = Max(atom->least, usual);
	return atom->most >= 0 ? Min(atom->most, usual) : usual;
}

/* The number of texts, given the number of repetitions of each place. */
static double
numbers_of(const DpFormat *format, const int *times)
{
	double numbers = 1;

	for (int i = 0; i < format->atoms; i++)
		numbers *= pow(Max(format->atom[i].set.n, 1), times[i]);
	return numbers;
}

/* Lengthens a text until it can number enough rows, or shortens it until it fits the type. */
static void
times_fit(const DpFormat *format, bool unique, int characters, int *times)
{
	int length = 0;

	for (int i = 0; i < format->atoms; i++)
		length += times[i] = usual_times(&format->atom[i]);
	for (int i = 0; unique && i < format->atoms; i++)
		while (format->atom[i].set.n > 1 && times[i] < DP_FORMAT_TIMES_MAX &&
			   (format->atom[i].most < 0 || times[i] < format->atom[i].most) &&
			   (characters < 0 || length < characters) &&
			   numbers_of(format, times) < NUMBERS_WANTED)
		{
			times[i]++;
			length++;
		}
	for (int i = format->atoms - 1; characters >= 0 && i >= 0; i--)
		while (length > characters && times[i] > format->atom[i].least)
		{
			times[i]--;
			length--;
		}
}

/* The place of an unbounded run of digits, or else, if nothing else varies, of the only run of
 * digits, with its length. -1: there is none. */
static int
number_place(const DpFormat *format, const int *times, int *digits)
{
	int place = -1;

	*digits = 0;
	for (int i = 0; i < format->atoms; i++)
		if (is_digits(&format->atom[i]) && format->atom[i].most < 0)
			return i;
	for (int i = 0; i < format->atoms; i++)
	{
		if (format->atom[i].set.n <= 1 || times[i] == 0)
			continue;
		if (!is_digits(&format->atom[i]) || (place >= 0 && place + 1 != i))
			return -1;
		place = i;
		*digits += times[i];
	}
	return *digits <= DP_PATTERN_DIGITS_MAX ? place : -1;
}

/* a-z for a run of characters. */
static void
append_set(StringInfo pattern, const DpCharacterSet *set)
{
	for (int c = 0; c < 128; c++)
	{
		int last = c;

		if (!set->has[c])
			continue;
		while (last + 1 < 128 && set->has[last + 1] && isalnum(c) && isalnum(last + 1))
			last++;
		if (strchr("]\\-", c) != NULL)
			appendStringInfoChar(pattern, '\\');
		appendStringInfoChar(pattern, (char) c);
		if (last > c + 1)
			appendStringInfo(pattern, "-%c", last);
		if (last > c + 1)
			c = last;
	}
}

static void
append_atom(StringInfo pattern, const DpFormatAtom *atom, int times, bool numbered)
{
	if (atom->set.n > 1 && times > 0)
	{
		appendStringInfoString(pattern, numbered ? "{n:[" : "{[");
		append_set(pattern, &atom->set);
		appendStringInfo(pattern, "]:%d}", times);
		return;
	}
	for (int i = 0; i < times; i++)
		for (int c = 0; atom->set.n > 0 && c < 128; c++)
			if (atom->set.has[c])
				appendStringInfoChar(pattern, (char) c);
	for (int i = 0; atom->set.n == 0 && i < times; i++)
		appendStringInfoString(pattern, atom->literal);
}

/* characters: the most that fit; -1: any number. unread: receives the unsupported part of an
 * expression. */
static char *
pattern_of_expression(const char *expression, bool unique, int characters, const char **unread)
{
	DpFormat *format = palloc(sizeof(DpFormat));
	int times[DP_FORMAT_ATOMS_MAX];
	int place = -1, digits = 0;
	StringInfoData pattern;

	if (!dp_format_of_regex(expression, format))
	{
		*unread = format->unread;
		return NULL;
	}
	times_fit(format, unique, characters, times);
	if (unique && numbers_of(format, times) < 2)
		return NULL;
	if (unique)
		place = number_place(format, times, &digits);
	initStringInfo(&pattern);
	for (int i = 0; i < format->atoms; i++)
	{
		if (place < 0 || (digits == 0 && i != place) || (digits > 0 && format->atom[i].set.n <= 1))
			append_atom(&pattern, &format->atom[i], times[i], unique && place < 0);
		else if (i == place && digits > 0)
			appendStringInfo(&pattern, "{n:%d}", digits);
		else if (i == place) /* at least the required number of digits */
		{
			for (int k = 1; k < format->atom[i].least; k++)
				appendStringInfoChar(&pattern, '0');
			appendStringInfoString(&pattern, DP_PATTERN_NUMBER);
		}
	}
	return pattern.data;
}

/* ---- LIKE ---- */

static char *
pattern_of_like(const char *at, bool unique)
{
	StringInfoData pattern;
	bool numbered = false;

	initStringInfo(&pattern);
	for (; *at != '\0'; at++)
	{
		if (*at == '%' && unique && !numbered)
		{
			appendStringInfoString(&pattern, DP_PATTERN_NUMBER);
			numbered = true;
		}
		else if (*at == '_')
			appendStringInfoChar(&pattern, ANY_CHARACTER);
		else if (*at == '\\' && at[1] != '\0')
			appendStringInfoChar(&pattern, *++at);
		else if (*at != '%')
			appendStringInfoChar(&pattern, *at);
	}
	return unique && !numbered ? NULL : pattern.data;
}

/* ---- CHECKs ---- */

typedef struct Search
{
	bool unique;
	int characters; /* the most that fit; -1: any number */
	List *patterns;
	List *few; /* patterns that can number only few rows */
	const char *unread;
} Search;

static char *
pattern_of_comparison(const OpExpr *comparison, const DpSubject *subject, Search *search)
{
	Const *constant;
	char *words;

	if (list_length(comparison->args) != 2 || !dp_is_subject(linitial(comparison->args), subject))
		return NULL;
	constant = dp_constant_of(lsecond(comparison->args));
	if (constant == NULL || constant->consttype != TEXTOID)
		return NULL;
	words = TextDatumGetCString(constant->constvalue);
	if (comparison->opno == OID_TEXT_REGEXEQ_OP || comparison->opno == OID_BPCHAR_REGEXEQ_OP ||
		comparison->opno == OID_TEXT_ICREGEXEQ_OP || comparison->opno == OID_BPCHAR_ICREGEXEQ_OP)
		return pattern_of_expression(words, search->unique, search->characters, &search->unread);
	if (comparison->opno == OID_TEXT_LIKE_OP || comparison->opno == OID_BPCHAR_LIKE_OP)
		return pattern_of_like(words, search->unique);
	return NULL;
}

static bool
look_at(Node *expression, const DpSubject *subject, void *context)
{
	Search *search = context;

	if (IsA(expression, BoolExpr) && ((BoolExpr *) expression)->boolop != NOT_EXPR)
	{
		ListCell *cell;

		foreach (cell, ((BoolExpr *) expression)->args)
			if (list_length(search->patterns) + list_length(search->few) < PATTERNS_MAX)
				(void) look_at(lfirst(cell), subject, context);
	}
	else if (IsA(expression, OpExpr))
	{
		char *pattern = pattern_of_comparison((OpExpr *) expression, subject, search);

		if (pattern != NULL && search->unique &&
			dp_fill_capacity(pattern, subject->type, subject->typmod) < NUMBERS_WANTED)
			search->few = lappend(search->few, pattern);
		else if (pattern != NULL)
			search->patterns = lappend(search->patterns, pattern);
	}
	return false;
}

List *
dp_fill_formats(Relation relation, DpChecks *checks, int index, bool unique, const char **unread)
{
	Form_pg_attribute form = TupleDescAttr(RelationGetDescr(relation), index);
	Search search = {.unique = unique,
					 .characters = dp_fill_characters_max(form->atttypid, form->atttypmod)};

	(void) dp_checks_visit(checks,
						   &(DpSubject){.number = form->attnum,
										.type = form->atttypid,
										.typmod = form->atttypmod,
										.collation = form->attcollation},
						   look_at, &search);
	*unread = search.unread;
	return list_concat(search.patterns, search.few);
}
