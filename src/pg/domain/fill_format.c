/*
 * fill_format.c -- patterns for texts of which a CHECK says what they look like: sku ~
 * '^[A-Z]{2}[0-9]{4}$' makes AA{n:4}, and sku LIKE 'SKU-%' makes SKU-{n}.
 *
 * Of a regular expression literals, classes in brackets, counts, groups, branches and anchors
 * around a branch are read: the first branch of each group is taken. Whatever else there is in one
 * (classes by what they lack, look-ahead, back references) makes no pattern.
 */
#include "pg/domain/fill_format.h"

#include <ctype.h>

#include "catalog/pg_operator_d.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "utils/builtins.h"
#include "utils/rel.h"

#include "core/domain/pattern.h"
#include "pg/domain/schema_checks.h"

#define FORMAT_CHARACTERS_MAX 60
#define PATTERNS_MAX 20 /* of one column */
#define ANY_CHARACTER 'x'
#define ANY_DIGIT '0'

/* One text that an expression matches. */
typedef struct Format
{
	int n;
	char character[FORMAT_CHARACTERS_MAX];
	bool digit[FORMAT_CHARACTERS_MAX]; /* any digit would do */
	bool more[FORMAT_CHARACTERS_MAX];  /* and any number of them */
	bool begun;                        /* a ^ says that nothing is before it, */
	bool ended;                        /* and a $ that nothing comes behind it */
} Format;

/* A character of an expression, with its count. */
typedef struct Atom
{
	char character;
	bool digit;
	int times; /* at least */
	bool more;
} Atom;

/* ---- regular expressions ---- */

/* The bracket that closes [...]; NULL: there is none. A first ], [:alpha:] and what is escaped do
 * not close it. */
static const char *
class_end(const char *at)
{
	for (at += at[1] == ']' ? 2 : 1; *at != ']'; at++)
	{
		if (*at == '[' && at[1] != '\0' && strchr(":.=", at[1]) != NULL)
		{
			char close[] = {at[1], ']', '\0'};

			at = strstr(at + 2, close);
			if (at == NULL)
				return NULL;
			at++;
		}
		else if (*at == '\\')
			at++;
		if (*at == '\0')
			return NULL;
	}
	return at;
}

/* Reads [:digit:] and its like, which a class begins with. */
static bool
read_named_class(const char *at, Atom *atom)
{
	static const struct
	{
		const char *name;
		char character;
	} names[] = {{"[:digit:]", ANY_DIGIT},     {"[:xdigit:]", ANY_DIGIT},
				 {"[:alpha:]", ANY_CHARACTER}, {"[:alnum:]", ANY_CHARACTER},
				 {"[:lower:]", ANY_CHARACTER}, {"[:upper:]", 'X'}};

	for (size_t i = 0; i < lengthof(names); i++)
	{
		if (strncmp(at, names[i].name, strlen(names[i].name)) != 0)
			continue;
		atom->character = names[i].character;
		atom->digit = atom->character == ANY_DIGIT;
		return true;
	}
	return false;
}

/* Reads [...], of which the first character is taken; NULL: it is of another kind. */
static const char *
read_class(const char *at, Atom *atom)
{
	const char *end = class_end(at);

	if (end == NULL || at[1] == '^' || IS_HIGHBIT_SET(at[1]))
		return NULL;
	if (at[1] == '[' && strchr(":.=", at[2]) != NULL)
		return read_named_class(at + 1, atom) ? end + 1 : NULL;
	atom->digit = strncmp(at + 1, "0-9", 3) == 0 || strncmp(at + 1, "\\d", 2) == 0;
	atom->character = at[1];
	if (at[1] == '\\' && !atom->digit)
		return NULL;
	return end + 1;
}

static const char *
read_character(const char *at, Atom *atom)
{
	*atom = (Atom){.character = *at, .times = 1};
	if (IS_HIGHBIT_SET(*at))
		return NULL; /* it has more than one byte */
	switch (*at)
	{
		case '[':
			return read_class(at, atom);
		case '\\':
			atom->digit = at[1] == 'd';
			atom->character = at[1] == 'w' ? ANY_CHARACTER : at[1];
			if (at[1] == '\0' || (isalnum((unsigned char) at[1]) && at[1] != 'd' && at[1] != 'w'))
				return NULL;
			return at + 2;
		case '.':
			atom->character = ANY_CHARACTER;
			return at + 1;
		default:
			return strchr("()|{}*+?^$", *at) == NULL ? at + 1 : NULL;
	}
}

/* Reads {m}, {m,}, {m,n}, +, * or ?, if there is one. Of {m,n} digits there are n, so that many
 * numbers fit. */
static const char *
read_count(const char *at, Atom *atom)
{
	char *end;

	if (*at == '+' || *at == '*' || *at == '?')
	{
		atom->times = *at == '+' ? 1 : 0;
		atom->more = *at != '?';
		return at + 1;
	}
	if (*at != '{')
		return at;
	atom->times = (int) strtol(at + 1, &end, 10);
	atom->more = strncmp(end, ",}", 2) == 0;
	if (*end == ',')
	{
		long most = strtol(end + 1, &end, 10);

		if (!atom->more && atom->digit)
			atom->times = most <= FORMAT_CHARACTERS_MAX ? (int) most : -1;
	}
	return *end == '}' && atom->times >= 0 && atom->times <= FORMAT_CHARACTERS_MAX ? end + 1 : NULL;
}

static bool
add_character(const Atom *atom, Format *format)
{
	if (format->n + atom->times > FORMAT_CHARACTERS_MAX)
		return false;
	for (int i = 0; i < atom->times; i++, format->n++)
	{
		format->character[format->n] = atom->digit ? ANY_DIGIT : atom->character;
		format->digit[format->n] = atom->digit;
		format->more[format->n] = atom->more;
	}
	return true;
}

/* Makes the characters from begin on be there so many times, as the count of a group says. */
static bool
repeat_group(int begin, const Atom *group, Format *format)
{
	int length = format->n - begin;

	if (begin + length * group->times > FORMAT_CHARACTERS_MAX)
		return false;
	format->n = begin + length * group->times;
	for (int i = begin + length; i < format->n; i++)
	{
		format->character[i] = format->character[i - length];
		format->digit[i] = format->digit[i - length];
		format->more[i] = format->more[i - length];
	}
	return true;
}

static const char *read_branches(const char *at, Format *format);

/* Reads (...) or (?:...), of which the first character is taken. */
static const char *
read_group(const char *at, Format *format)
{
	Format before = *format;
	Atom group = {.times = 1};
	bool anchored;

	at += strncmp(at, "(?:", 3) == 0 ? 3 : 1;
	format->begun = false;
	at = *at == '?' ? NULL : read_branches(at, format);
	if (at == NULL || *at != ')')
		return NULL;
	anchored = format->begun || format->ended != before.ended;
	format->begun |= before.begun;
	at = read_count(at + 1, &group);
	if (at == NULL || (anchored && group.times > 1) || !repeat_group(before.n, &group, format))
		return NULL;
	if (group.times == 0)
		*format = before;
	return at;
}

/* Whether a branch ends here. */
static bool
ends_branch(char character)
{
	return character == '\0' || character == '|' || character == ')';
}

/* Reads up to the end of a branch, with its anchors. */
static const char *
read_branch(const char *at, Format *format)
{
	if (*at == '^' && format->n > 0)
		return NULL;
	format->begun |= *at == '^';
	at += *at == '^';
	while (at != NULL && !ends_branch(*at))
	{
		Format before = {.n = format->n, .ended = format->ended};
		Atom atom;

		if (*at == '$' && ends_branch(at[1]))
		{
			format->ended = true;
			return at + 1;
		}
		if (*at == '(')
			at = read_group(at, format);
		else
		{
			at = read_character(at, &atom);
			at = at == NULL ? NULL : read_count(at, &atom);
			at = at != NULL && add_character(&atom, format) ? at : NULL;
		}
		if (before.ended && format->n > before.n)
			return NULL;
	}
	return at;
}

/* Reads branches, of which the first one counts. */
static const char *
read_branches(const char *at, Format *format)
{
	Format before = *format;

	check_stack_depth();
	at = read_branch(at, format);
	while (at != NULL && *at == '|')
	{
		Format other = before;

		at = read_branch(at + 1, &other);
	}
	return at;
}

static bool
read_expression(const char *at, Format *format)
{
	*format = (Format){.n = 0};
	at = read_branches(at, format);
	return at != NULL && *at == '\0';
}

/* The first run of digits that may go on, or else the longest one. */
static int
longest_run(const Format *format, int *begin)
{
	int most = 0;

	for (int i = 0; i < format->n; i++)
	{
		int length = 0;

		while (i + length < format->n && format->digit[i + length])
			length++;
		if (length > most)
		{
			most = length;
			*begin = i;
		}
		if (length > 0 && format->more[i + length - 1])
		{
			*begin = i;
			return length;
		}
		i += length;
	}
	return most;
}

static char *
pattern_of_expression(const char *expression, bool unique)
{
	StringInfoData pattern;
	Format format;
	int begin = 0;
	int length;

	if (!read_expression(expression, &format))
		return NULL;
	length = unique ? longest_run(&format, &begin) : 0;
	if ((unique && length == 0) || length > DP_PATTERN_DIGITS_MAX)
		return NULL;
	initStringInfo(&pattern);
	for (int i = 0; i < format.n; i++)
	{
		if (length == 0 || i != begin)
			appendStringInfoChar(&pattern, format.character[i]);
		else
		{
			i += length - 1;
			if (format.more[i]) /* as many digits as there have to be, or more */
				appendStringInfo(&pattern, "%.*s" DP_PATTERN_NUMBER, length - 1,
								 &format.character[begin]);
			else
				appendStringInfo(&pattern, "{n:%d}", length);
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
	List *patterns;
} Search;

static char *
pattern_of_comparison(const OpExpr *comparison, const DpSubject *subject, bool unique)
{
	Const *constant;
	char *words;

	if (list_length(comparison->args) != 2 || !dp_is_subject(linitial(comparison->args), subject))
		return NULL;
	constant = dp_constant_of(lsecond(comparison->args));
	if (constant == NULL || constant->consttype != TEXTOID)
		return NULL;
	words = TextDatumGetCString(constant->constvalue);
	if (comparison->opno == OID_TEXT_REGEXEQ_OP || comparison->opno == OID_BPCHAR_REGEXEQ_OP)
		return pattern_of_expression(words, unique);
	if (comparison->opno == OID_TEXT_LIKE_OP || comparison->opno == OID_BPCHAR_LIKE_OP)
		return pattern_of_like(words, unique);
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
			if (list_length(search->patterns) < PATTERNS_MAX)
				(void) look_at(lfirst(cell), subject, context);
	}
	else if (IsA(expression, OpExpr))
	{
		char *pattern = pattern_of_comparison((OpExpr *) expression, subject, search->unique);

		if (pattern != NULL)
			search->patterns = lappend(search->patterns, pattern);
	}
	return false;
}

List *
dp_fill_formats(Relation relation, DpChecks *checks, int index, bool unique)
{
	Form_pg_attribute form = TupleDescAttr(RelationGetDescr(relation), index);
	Search search = {.unique = unique};

	(void) dp_checks_visit(checks,
						   &(DpSubject){.number = form->attnum,
										.type = form->atttypid,
										.typmod = form->atttypmod,
										.collation = form->attcollation},
						   look_at, &search);
	return search.patterns;
}
