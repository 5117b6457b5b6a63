/*
 * date_format.c -- patterns of to_char of which it is known what they read of a time.
 *
 * As PostgreSQL reads them: the longest keyword that stands there, in upper or in lower case, names of
 * months and days also with a capital. Left out: TM, which depends on lc_time, time zones, RM, TH, SP,
 * FX, and whatever other letters stand outside of double quotes.
 */
#include "pg/question/date_format.h"

#include <ctype.h>

#define PATTERN_LETTERS_MAX 1000
#define YEARS_WITH_ALL_DAYS 8 /* a leap year is among them, around 1900 too */

typedef enum Cycle
{
	BY_DAY,
	BY_WEEK,
	BY_YEAR,
	BY_NONE
} Cycle;

typedef enum Unit
{
	YEAR,
	QUARTER,
	MONTH,
	DAY,
	HOUR,
	MINUTE,
	SECOND,
	FINER
} Unit;

static const char *const unit_names[] = {"year", "quarter", "month",  "day",
										 "hour", "minute",  "second", NULL};

typedef struct Keyword
{
	const char *word;
	Unit unit;
	Cycle cycle;
} Keyword;

static const Keyword keywords[] = {
	{"A.D.", YEAR, BY_NONE}, {"A.M.", HOUR, BY_DAY},    {"AD", YEAR, BY_NONE},
	{"AM", HOUR, BY_DAY},    {"B.C.", YEAR, BY_NONE},   {"BC", YEAR, BY_NONE},
	{"CC", YEAR, BY_NONE},   {"DAY", DAY, BY_WEEK},     {"DDD", DAY, BY_YEAR},
	{"DD", DAY, BY_YEAR},    {"DY", DAY, BY_WEEK},      {"D", DAY, BY_WEEK},
	{"HH24", HOUR, BY_DAY},  {"HH12", HOUR, BY_DAY},    {"HH", HOUR, BY_DAY},
	{"IDDD", DAY, BY_NONE},  {"ID", DAY, BY_WEEK},      {"IW", DAY, BY_NONE},
	{"IYYY", DAY, BY_NONE},  {"IYY", DAY, BY_NONE},     {"IY", DAY, BY_NONE},
	{"I", DAY, BY_NONE},     {"J", DAY, BY_NONE},       {"MI", MINUTE, BY_DAY},
	{"MM", MONTH, BY_YEAR},  {"MONTH", MONTH, BY_YEAR}, {"MON", MONTH, BY_YEAR},
	{"MS", FINER, BY_DAY},   {"P.M.", HOUR, BY_DAY},    {"PM", HOUR, BY_DAY},
	{"Q", QUARTER, BY_YEAR}, {"SSSSS", SECOND, BY_DAY}, {"SSSS", SECOND, BY_DAY},
	{"SS", SECOND, BY_DAY},  {"US", FINER, BY_DAY},     {"WW", DAY, BY_YEAR},
	{"W", DAY, BY_YEAR},     {"Y,YYY", YEAR, BY_NONE},  {"YYYY", YEAR, BY_NONE},
	{"YYY", YEAR, BY_NONE},  {"YY", YEAR, BY_NONE},     {"Y", YEAR, BY_NONE},
};

static bool
is_name(const char *word)
{
	return strcmp(word, "DAY") == 0 || strcmp(word, "DY") == 0 || strcmp(word, "MONTH") == 0 ||
		   strcmp(word, "MON") == 0;
}

/* Whether a keyword stands there as PostgreSQL writes it. */
static bool
stands_at(const Keyword *keyword, const char *at)
{
	bool upper = true, lower = true, capital = is_name(keyword->word);

	for (size_t i = 0; keyword->word[i] != '\0'; i++)
	{
		char large = keyword->word[i], small = (char) tolower((unsigned char) large);

		upper &= at[i] == large;
		lower &= at[i] == small;
		capital &= at[i] == (i == 0 ? large : small);
		if (!upper && !lower && !capital)
			return false;
	}
	return true;
}

static const Keyword *
keyword_at(const char *at)
{
	const Keyword *longest = NULL;

	for (size_t i = 0; i < lengthof(keywords); i++)
		if (stands_at(&keywords[i], at) &&
			(longest == NULL || strlen(keywords[i].word) > strlen(longest->word)))
			longest = &keywords[i];
	return longest;
}

static bool
is_letter(char c)
{
	return isalpha((unsigned char) c) || (c & 0x80) != 0;
}

/* Behind a text in quotes; NULL: it does not end. */
static const char *
behind_quoted(const char *at)
{
	const char *end = strchr(at + 1, '"');

	return end == NULL || memchr(at, '\\', (size_t) (end - at)) != NULL ? NULL : end + 1;
}

static int
days_of(bool by_week, bool by_year)
{
	if (by_year)
		return by_week ? 0 : YEARS_WITH_ALL_DAYS * 366;
	return by_week ? 7 : 1;
}

bool
dp_date_format(const char *pattern, DpDateFormat *format)
{
	bool by[BY_NONE + 1] = {false};
	Unit finest = YEAR;
	const char *at = pattern;

	if (*pattern == '\0' || strlen(pattern) > PATTERN_LETTERS_MAX)
		return false;
	while (at != NULL && *at != '\0')
	{
		const Keyword *keyword;

		if (strncmp(at, "FM", 2) == 0 || strncmp(at, "fm", 2) == 0)
			at += 2;
		keyword = keyword_at(at);
		if (keyword != NULL)
		{
			finest = Max(finest, keyword->unit);
			by[keyword->cycle] = true;
			at += strlen(keyword->word);
			if (pg_strncasecmp(at, "th", 2) == 0 || pg_strncasecmp(at, "sp", 2) == 0)
				return false;
		}
		else if (*at == '"')
			at = behind_quoted(at);
		else if (is_letter(*at) || *at == '\\')
			return false;
		else if (*at != '\0')
			at++;
	}
	*format =
		(DpDateFormat){unit_names[finest], by[BY_NONE] ? 0 : days_of(by[BY_WEEK], by[BY_YEAR])};
	return at != NULL;
}
