/*
 * options.c -- checks a caller's options against those that a method declares.
 */
#include "core/domain/options.h"

#include <stdio.h>
#include <string.h>

#include "core/base/decimal.h"
#include "core/base/nearest_name.h"

#define NAMES_MAX 1600 /* columns of a relation */

#define SHARE_DIGITS 9
#define LIST_TEXT_BYTES 320 /* bytes of a list in a detail; longer lists are cut there anyway */

static const DpOptionSpec *
find_spec(const DpOptionSpec *specs, uint32_t n, const char *name)
{
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(specs[i].name, name) == 0)
			return &specs[i];
	return NULL;
}

/* NULL stands for "not given", whether it is absent or written as null. */
static const DpOption *
find_option(const DpOptions *options, const char *name)
{
	for (uint32_t i = 0; i < options->n; i++)
		if (strcmp(options->option[i].name, name) == 0)
			return options->option[i].kind == DP_VALUE_NULL ? NULL : &options->option[i];
	return NULL;
}

/* Length of the word at the start of "a|b|c". */
static size_t
word_length(const char *choices)
{
	return strcspn(choices, "|");
}

/* The index of word among choices, or -1. */
static int64_t
choice_index(const char *choices, const char *word)
{
	size_t length = strlen(word);

	for (int64_t index = 0;; index++)
	{
		size_t candidate = word_length(choices);

		if (candidate == length && memcmp(choices, word, length) == 0)
			return index;
		if (choices[candidate] == '\0')
			return -1;
		choices += candidate + 1;
	}
}

/* A decimal rounded both ways, so that a limit is never passed by rounding. */
typedef struct Bounds
{
	int64_t down;
	int64_t up;
} Bounds;

/* Rounds a text toward -infinity and toward +infinity. It may have a minus sign, which
 * dp_decimal_parse does not take. */
static DpStatus
parse_bounds(const char *text, int digits, Bounds *out)
{
	bool negative = text != NULL && text[0] == '-';
	Bounds size;

	if (negative && *++text == '+')
		return DP_ERR_ARGUMENT;
	DP_TRY(dp_decimal_parse(text, digits, false, &size.down));
	DP_TRY(dp_decimal_parse(text, digits, true, &size.up));
	*out = negative ? (Bounds){.down = -size.up, .up = -size.down} : size;
	return DP_OK;
}

static int
spec_digits(const DpOptionSpec *spec)
{
	return spec->type == DP_OPTION_SHARE ? SHARE_DIGITS : 0;
}

static bool
takes_sets(const DpOptionSpec *spec)
{
	return spec->type == DP_OPTION_SETS || spec->type == DP_OPTION_WEIGHTED_SETS;
}

static DpOptionKind
kind_wanted(DpOptionType type)
{
	switch (type)
	{
		case DP_OPTION_INTEGER:
		case DP_OPTION_INTEGER_OR_WORD:
		case DP_OPTION_MEMORY:
		case DP_OPTION_SHARE:
			return DP_VALUE_NUMBER;
		case DP_OPTION_BOOLEAN:
			return DP_VALUE_BOOLEAN;
		case DP_OPTION_CHOICE:
		case DP_OPTION_TEXT:
		case DP_OPTION_NAME:
			return DP_VALUE_STRING;
		case DP_OPTION_NAMES:
			return DP_VALUE_LIST;
		case DP_OPTION_NAME_MAP:
			return DP_VALUE_MAP;
		case DP_OPTION_DOMAIN:
			break;
		case DP_OPTION_SETS:
		case DP_OPTION_WEIGHTED_SETS:
			return DP_VALUE_SETS;
	}
	return DP_VALUE_OTHER;
}

static const char *
type_text(DpOptionType type)
{
	switch (type)
	{
		case DP_OPTION_INTEGER:
			return "an integer";
		case DP_OPTION_INTEGER_OR_WORD:
			return "an integer or a word";
		case DP_OPTION_MEMORY:
			return "an amount of memory";
		case DP_OPTION_SHARE:
			return "a number";
		case DP_OPTION_BOOLEAN:
			return "true or false";
		case DP_OPTION_CHOICE:
		case DP_OPTION_TEXT:
			return "a string";
		case DP_OPTION_NAME:
			return "a column name";
		case DP_OPTION_NAMES:
			return "a list of column names";
		case DP_OPTION_NAME_MAP:
			return "a map from column names to lists of column names";
		case DP_OPTION_DOMAIN:
			return "a domain";
		case DP_OPTION_SETS:
		case DP_OPTION_WEIGHTED_SETS:
			return "a list of sets of columns, or an integer";
	}
	return "of a known type";
}

static const char *
spec_example(const DpOptionSpec *spec)
{
	if (spec->example != NULL)
		return spec->example;
	switch (spec->type)
	{
		case DP_OPTION_INTEGER:
		case DP_OPTION_INTEGER_OR_WORD:
			return "3";
		case DP_OPTION_MEMORY:
			return "\"800MB\"";
		case DP_OPTION_SHARE:
			return "0.25";
		case DP_OPTION_BOOLEAN:
			return "true";
		case DP_OPTION_CHOICE:
		case DP_OPTION_TEXT:
			return "\"word\"";
		case DP_OPTION_NAME:
			return "\"a\"";
		case DP_OPTION_NAMES:
			return "[\"a\", \"b\"]";
		case DP_OPTION_NAME_MAP:
			return "{\"a\": [\"b\", \"c\"]}";
		case DP_OPTION_DOMAIN:
			return "{\"from\": 1, \"to\": 9}";
		case DP_OPTION_SETS:
			return "[[\"a\", \"b\"], [\"b\", \"c\", \"d\"]]";
		case DP_OPTION_WEIGHTED_SETS:
			return "{\"a,b\": 1, \"b,c,d\": 2}";
	}
	return "null";
}

static const char *
kind_text(DpOptionKind kind)
{
	switch (kind)
	{
		case DP_VALUE_NULL:
			return "null";
		case DP_VALUE_NUMBER:
			return "a number";
		case DP_VALUE_STRING:
			return "a string";
		case DP_VALUE_BOOLEAN:
			return "a boolean";
		case DP_VALUE_LIST:
			return "a list of strings";
		case DP_VALUE_MAP:
			return "a map of lists";
		case DP_VALUE_SETS:
			return "a list of sets";
		case DP_VALUE_OTHER:
			break;
	}
	return "something else";
}

static void
hint_default(const DpOptionSpec *spec, DpError *error)
{
	if (spec->fallback != NULL)
		dp_fail_hint(error, "Leave the option out for its default, %s.", spec->fallback);
	else
		dp_fail_hint(error, "The option may be left out.");
}

static DpStatus
fail_type(const DpOptionSpec *spec, const char *given, DpError *error)
{
	dp_fail(error, DP_ERR_ARGUMENT, "option \"%s\" must be %s", spec->name, type_text(spec->type));
	dp_fail_detail(error, "It is given as %s.", given);
	dp_fail_hint(error, "Write it like {\"%s\": %s}.", spec->name, spec_example(spec));
	return DP_ERR_ARGUMENT;
}

static DpStatus
fail_limits(const DpOptionSpec *spec, DpError *error)
{
	char low[32], high[32];

	dp_fail(error, DP_ERR_ARGUMENT, "option \"%s\" is outside its limits", spec->name);
	dp_fail_detail(error, "It must lie between %s and %s.",
				   dp_decimal_print(spec->minimum, spec_digits(spec), low),
				   dp_decimal_print(spec->maximum, spec_digits(spec), high));
	hint_default(spec, error);
	return DP_ERR_ARGUMENT;
}

static DpStatus
check_number(const DpOptionSpec *spec, const DpOption *option, DpError *error)
{
	Bounds value;
	DpStatus status = parse_bounds(option->text, spec_digits(spec), &value);

	if (status == DP_ERR_RANGE)
		return fail_limits(spec, error);
	if (status != DP_OK)
		return fail_type(spec, "something that is not a finite number", error);
	if (spec->type != DP_OPTION_SHARE && value.down != value.up)
		return fail_type(spec, "a fraction", error);
	if (value.down < spec->minimum || value.up > spec->maximum)
		return fail_limits(spec, error);
	return DP_OK;
}

/* "a|b|c" as "a, b, c". */
static void
spell_choices(const char *choices, char *text, size_t size)
{
	size_t used = 0;

	for (; *choices != '\0' && used + 3 < size; choices++)
	{
		text[used++] = *choices == '|' ? ',' : *choices;
		if (*choices == '|')
			text[used++] = ' ';
	}
	text[used] = '\0';
}

static DpStatus
check_choice(const DpOptionSpec *spec, const DpOption *option, DpError *error)
{
	char words[LIST_TEXT_BYTES];

	if (option->text != NULL && choice_index(spec->choices, option->text) >= 0)
		return DP_OK;
	spell_choices(spec->choices, words, sizeof(words));
	dp_fail(error, DP_ERR_ARGUMENT, "option \"%s\" has no choice \"%s\"", spec->name,
			option->text != NULL ? option->text : "");
	dp_fail_detail(error, "The choices are: %s.", words);
	hint_default(spec, error);
	return DP_ERR_ARGUMENT;
}

static DpStatus
fail_name(const DpOptionSpec *spec, const char *name, DpError *error)
{
	if (name == NULL || name[0] == '\0')
	{
		dp_fail(error, DP_ERR_ARGUMENT, "option \"%s\" holds an empty column name", spec->name);
		dp_fail_detail(error, "Each name must be a string of at least one character.");
	}
	else
	{
		dp_fail(error, DP_ERR_ARGUMENT, "option \"%s\" names column \"%s\" twice", spec->name,
				name);
		dp_fail_detail(error, "Within one list, and as a key, a column may stand once.");
	}
	dp_fail_hint(error, "Write it like {\"%s\": %s}.", spec->name, spec_example(spec));
	return DP_ERR_ARGUMENT;
}

/* A list can have no more names than a relation has columns: names are compared with each other. */
static DpStatus
fail_many(const DpOptionSpec *spec, DpError *error)
{
	(void) dp_fail(error, DP_ERR_LIMIT, "option \"%s\" names too many columns", spec->name);
	dp_fail_detail(error, "It may name at most %d.", NAMES_MAX);
	dp_fail_hint(error, "A relation has no more.");
	return DP_ERR_LIMIT;
}

static DpStatus
check_list(const DpOptionSpec *spec, const DpNameList *list, DpError *error)
{
	if (list->n > NAMES_MAX)
		return fail_many(spec, error);
	for (uint32_t i = 0; i < list->n; i++)
	{
		if (list->name[i] == NULL || list->name[i][0] == '\0')
			return fail_name(spec, NULL, error);
		for (uint32_t j = 0; j < i; j++)
			if (strcmp(list->name[i], list->name[j]) == 0)
				return fail_name(spec, list->name[i], error);
	}
	return DP_OK;
}

static DpStatus
check_map(const DpOptionSpec *spec, const DpOption *option, DpError *error)
{
	if (option->lists > NAMES_MAX)
		return fail_many(spec, error);
	for (uint32_t i = 0; i < option->lists; i++)
	{
		const char *key = option->list[i].key;

		if (key == NULL || key[0] == '\0')
			return fail_name(spec, NULL, error);
		for (uint32_t j = 0; j < i; j++)
			if (strcmp(key, option->list[j].key) == 0)
				return fail_name(spec, key, error);
		DP_TRY(check_list(spec, &option->list[i], error));
	}
	return DP_OK;
}

/* The value is an integer, texts or sets. What they say is read later, with the domain
 * (workload.c). */
static DpStatus
check_sets(const DpOptionSpec *spec, const DpOption *option, DpError *error)
{
	if (option->kind == DP_VALUE_NUMBER)
		return check_number(spec, option, error);
	if (option->kind == DP_VALUE_LIST && option->lists == 1)
		return DP_OK;
	if (option->kind != DP_VALUE_SETS)
		return fail_type(spec, kind_text(option->kind), error);
	for (uint32_t i = 0; i < option->lists; i++)
	{
		if (spec->type == DP_OPTION_WEIGHTED_SETS || option->weight == NULL ||
			option->weight[i] == NULL)
			continue;
		(void) dp_fail(error, DP_ERR_ARGUMENT, "option \"%s\" takes no weights", spec->name);
		dp_fail_detail(error, "Its sets all count the same.");
		dp_fail_hint(error, "Write it like {\"%s\": %s}.", spec->name, spec_example(spec));
		return DP_ERR_ARGUMENT;
	}
	return DP_OK;
}

/* An integer may come as a string of digits, as a caller's language may hand it on. */
static bool
is_word(const DpOptionSpec *spec, const DpOption *option)
{
	return spec->type == DP_OPTION_INTEGER_OR_WORD && option->kind == DP_VALUE_STRING &&
		   (option->text == NULL || option->text[0] < '0' || option->text[0] > '9');
}

static DpStatus
check_value(const DpOptionSpec *spec, const DpOption *option, DpError *error)
{
	if (option->kind == DP_VALUE_NULL || spec->type == DP_OPTION_DOMAIN ||
		(spec->type == DP_OPTION_MEMORY && option->kind == DP_VALUE_STRING))
		return DP_OK;
	if (takes_sets(spec))
		return check_sets(spec, option, error);
	if (is_word(spec, option))
		return check_choice(spec, option, error);
	if (spec->type == DP_OPTION_INTEGER_OR_WORD && option->kind == DP_VALUE_STRING)
		return check_number(spec, option, error);
	if (option->kind != kind_wanted(spec->type))
		return fail_type(spec, kind_text(option->kind), error);
	switch (spec->type)
	{
		case DP_OPTION_INTEGER:
		case DP_OPTION_INTEGER_OR_WORD:
		case DP_OPTION_MEMORY:
		case DP_OPTION_SHARE:
			return check_number(spec, option, error);
		case DP_OPTION_CHOICE:
			return check_choice(spec, option, error);
		case DP_OPTION_NAMES:
			return option->lists == 1 ? check_list(spec, &option->list[0], error)
									  : fail_type(spec, "no list", error);
		case DP_OPTION_NAME_MAP:
			return check_map(spec, option, error);
		case DP_OPTION_BOOLEAN:
		case DP_OPTION_TEXT:
		case DP_OPTION_NAME:
		case DP_OPTION_DOMAIN:
		case DP_OPTION_SETS:
		case DP_OPTION_WEIGHTED_SETS:
			break;
	}
	return DP_OK;
}

static DpStatus
fail_unknown(const char *name, const DpOptionSpec *specs, uint32_t n, const char *method,
			 DpError *error)
{
	DpNearestName meant = dp_nearest_name(name);
	char names[LIST_TEXT_BYTES] = "";
	size_t used = 0;

	for (uint32_t i = 0; i < n; i++)
		dp_nearest_name_try(&meant, specs[i].name);
	for (uint32_t i = 0; i < n && used < sizeof(names); i++)
	{
		int length =
			snprintf(names + used, sizeof(names) - used, "%s%s", i > 0 ? ", " : "", specs[i].name);

		used += length > 0 ? (size_t) length : 0;
	}
	dp_fail(error, DP_ERR_UNDEFINED, "method \"%s\" has no option \"%s\"", method, name);
	if (n > 0)
		dp_fail_detail(error, "Its options are: %s%s", names, used < sizeof(names) ? "." : "...");
	else
		dp_fail_detail(error, "It has no options.");
	if (meant.found)
		dp_fail_hint(error, "Did you mean \"%s\"?", meant.found);
	else
		dp_fail_hint(error, "See dp_methods for the options with their defaults and limits.");
	return DP_ERR_UNDEFINED;
}

static DpStatus
check_once(const DpOptions *options, uint32_t index, DpError *error)
{
	const char *name = options->option[index].name;

	for (uint32_t i = 0; i < index; i++)
		if (strcmp(options->option[i].name, name) == 0)
		{
			dp_fail(error, DP_ERR_ARGUMENT, "option \"%s\" is given twice", name);
			dp_fail_detail(error, "Each option may be given once.");
			dp_fail_hint(error, "Remove one of the two.");
			return DP_ERR_ARGUMENT;
		}
	return DP_OK;
}

DpStatus
dp_options_check(const DpOptions *options, const DpOptionSpec *specs, uint32_t n,
				 const char *method, DpError *error)
{
	for (uint32_t i = 0; i < options->n; i++)
	{
		const DpOption *option = &options->option[i];
		const DpOptionSpec *spec = find_spec(specs, n, option->name);

		if (spec == NULL)
			return fail_unknown(option->name, specs, n, method, error);
		DP_TRY(check_once(options, i, error));
		DP_TRY(check_value(spec, option, error));
	}
	return DP_OK;
}

bool
dp_option_given(const DpOptions *options, const char *name)
{
	return find_option(options, name) != NULL;
}

/* The integer that a text stands for; a share that is not whole in 1e-9 rounds down. */
static int64_t
text_value(const DpOptionSpec *spec, const char *text)
{
	Bounds value;

	if (text == NULL)
		return 0;
	if (spec->type == DP_OPTION_BOOLEAN)
		return strcmp(text, "true") == 0;
	if (spec->type == DP_OPTION_CHOICE)
		return choice_index(spec->choices, text);
	return parse_bounds(text, spec_digits(spec), &value) == DP_OK ? value.down : 0;
}

/* An option that has neither value nor default reads as 0. */
int64_t
dp_option_integer(const DpOptions *options, const DpOptionSpec *specs, uint32_t n, const char *name)
{
	const DpOptionSpec *spec = find_spec(specs, n, name);
	const DpOption *option = find_option(options, name);

	if (spec == NULL)
		return 0;
	if (option == NULL)
		return text_value(spec, spec->fallback);
	if (is_word(spec, option))
		return -1 - choice_index(spec->choices, option->text);
	return option->kind == DP_VALUE_BOOLEAN ? option->flag : text_value(spec, option->text);
}

const DpOption *
dp_option_lists(const DpOptions *options, const char *name)
{
	return find_option(options, name);
}

const char *
dp_option_text(const DpOptions *options, const char *name)
{
	const DpOption *option = find_option(options, name);

	return option == NULL ? NULL : option->text;
}

DpStatus
dp_option_column(const char *option, const DpDomain *domain, const char *column, uint32_t *index,
				 DpError *error)
{
	int found = dp_domain_find(domain, column);

	if (found < 0)
	{
		const char *meant = dp_domain_nearest(domain, column);

		(void) dp_fail(error, DP_ERR_UNDEFINED,
					   "option \"%s\" names column \"%s\", "
					   "which is not among those modelled",
					   option, column);
		if (meant)
			dp_fail_hint(error, "Did you mean \"%s\"?", meant);
		else
			dp_fail_hint(error,
						 "Modelled are the columns with a defined domain, or those listed in "
						 "option \"columns\".");
		return DP_ERR_UNDEFINED;
	}
	*index = (uint32_t) found;
	return DP_OK;
}
