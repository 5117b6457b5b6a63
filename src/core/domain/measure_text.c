/*
 * measure_text.c -- measures as text, such as avg(x) or quantile(x, 0.9): read and written.
 */
#include "core/domain/query.h"

#include <stdio.h>
#include <string.h>

#include "core/base/decimal.h"

#define NANO INT64_C(1000000000)

/* ---- reading ---- */

static const struct
{
	const char *name;
	DpMeasureKind kind;
} names[] = {
	{"count", DP_COUNT},   {"sum", DP_SUM},         {"avg", DP_AVG},           {"var", DP_VAR},
	{"stddev", DP_STDDEV}, {"median", DP_QUANTILE}, {"quantile", DP_QUANTILE},
};

typedef struct Reader
{
	const char *text; /* all of it, for the error */
	const char *at;
	DpArena *arena;
} Reader;

static DpStatus
refuse(const Reader *reader, DpError *error)
{
	(void) dp_fail(error, DP_ERR_ARGUMENT, "\"%.100s\" is no measure", reader->text);
	dp_fail_hint(error, "Write count(*), count(x), count(distinct x), sum(x), avg(x), var(x), "
						"stddev(x), median(x) or quantile(x, 0.9), with the name of a column.");
	return DP_ERR_ARGUMENT;
}

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80) != 0;
}

/* Whether a name goes on here. A point is a part of it: patients.age. */
static bool
is_name(const char *at)
{
	return is_letter(*at) || (*at >= '0' && *at <= '9') || *at == '$' ||
		   (*at == '.' && is_letter(at[1]));
}

static void
skip_space(Reader *reader)
{
	while (is_space(*reader->at))
		reader->at++;
}

static bool
take(Reader *reader, char c)
{
	skip_space(reader);
	if (*reader->at != c)
		return false;
	reader->at++;
	return true;
}

/* A name in double quotes, in which two stand for one. NULL: it has no end, or is empty. */
static char *
read_quoted(Reader *reader)
{
	char *name = dp_alloc(reader->arena, strlen(reader->at) + 1, 1);
	size_t n = 0;

	for (reader->at++; name != NULL && *reader->at != '\0'; reader->at++)
	{
		if (*reader->at == '"' && *++reader->at != '"')
			return n > 0 ? name : NULL;
		name[n++] = *reader->at;
	}
	return NULL;
}

/* A name as SQL has it: in quotes, or folded to lower case. NULL: there is none. */
static char *
read_name(Reader *reader)
{
	const char *begin;
	char *name;

	skip_space(reader);
	if (*reader->at == '"')
		return read_quoted(reader);
	if (!is_letter(*reader->at))
		return NULL;
	begin = reader->at;
	while (is_name(reader->at))
		reader->at++;
	name = dp_alloc(reader->arena, (size_t) (reader->at - begin) + 1, 1);
	for (size_t i = 0; name != NULL && begin + i < reader->at; i++)
		name[i] = begin[i] >= 'A' && begin[i] <= 'Z' ? (char) (begin[i] - 'A' + 'a') : begin[i];
	return name;
}

static bool
read_share(Reader *reader, int64_t *nano)
{
	char digits[32];
	size_t n = 0;

	skip_space(reader);
	while (n + 1 < sizeof(digits) &&
		   ((*reader->at >= '0' && *reader->at <= '9') || *reader->at == '.'))
		digits[n++] = *reader->at++;
	digits[n] = '\0';
	return dp_decimal_parse(digits, 9, false, nano) == DP_OK && *nano > 0 && *nano < NANO;
}

/* What stands between the parentheses, and the closing one. */
static bool
read_arguments(Reader *reader, bool quantile, DpMeasure *measure, const char **column)
{
	if (measure->kind == DP_COUNT && take(reader, '*'))
	{
		measure->kind = DP_COUNT_ROWS;
		return take(reader, ')');
	}
	*column = read_name(reader);
	if (*column != NULL && measure->kind == DP_COUNT && strcmp(*column, "distinct") == 0)
	{
		skip_space(reader);
		if (*reader->at != ')')
		{
			measure->kind = DP_COUNT_DISTINCT;
			*column = read_name(reader);
		}
	}
	if (*column == NULL ||
		(quantile && (!take(reader, ',') || !read_share(reader, &measure->quantile_nano))))
		return false;
	return take(reader, ')');
}

DpStatus
dp_measure_read(const char *text, DpMeasure *measure, const char **column, DpArena *arena,
				DpError *error)
{
	Reader reader = {.text = text, .at = text, .arena = arena};
	const char *name = read_name(&reader);
	uint32_t i = 0;

	*column = NULL;
	while (name != NULL && i < sizeof(names) / sizeof(names[0]) && strcmp(names[i].name, name) != 0)
		i++;
	if (name == NULL || i == sizeof(names) / sizeof(names[0]) || !take(&reader, '('))
		return refuse(&reader, error);
	*measure = (DpMeasure){.kind = names[i].kind, .column = DP_NO_COLUMN};
	if (measure->kind == DP_QUANTILE)
		measure->quantile_nano = NANO / 2;
	if (!read_arguments(&reader, strcmp(name, "quantile") == 0, measure, column))
		return refuse(&reader, error);
	skip_space(&reader);
	return *reader.at == '\0' ? DP_OK : refuse(&reader, error);
}

/* ---- writing ---- */

/* The column as SQL would need it. */
static void
write_name(const char *column, char *out)
{
	bool plain = is_letter(column[0]);
	size_t n = 0;

	for (const char *c = column; *c != '\0'; c++)
		plain = plain && is_name(c) && !(*c >= 'A' && *c <= 'Z');
	if (!plain)
		out[n++] = '"';
	for (const char *c = column; *c != '\0'; c++)
	{
		if (*c == '"')
			out[n++] = '"';
		out[n++] = *c;
	}
	if (!plain)
		out[n++] = '"';
	out[n] = '\0';
}

DpStatus
dp_measure_write(const DpMeasure *measure, const char *column, const char **text, DpArena *arena)
{
	static const char *const words[] = {[DP_COUNT_ROWS] = "count(*",
										[DP_COUNT] = "count(",
										[DP_COUNT_DISTINCT] = "count(distinct ",
										[DP_SUM] = "sum(",
										[DP_AVG] = "avg(",
										[DP_VAR] = "var(",
										[DP_STDDEV] = "stddev(",
										[DP_QUANTILE] = "quantile("};
	size_t size = 64 + 2 * (column == NULL ? 0 : strlen(column));
	char *name = dp_alloc(arena, size, 1), *out = dp_alloc(arena, size, 1);
	char share[32];

	DP_TRY_ALLOC(name && out);
	if (column != NULL)
		write_name(column, name);
	if (measure->kind != DP_QUANTILE)
		(void) snprintf(out, size, "%s%s)", words[measure->kind], name);
	else if (measure->quantile_nano == NANO / 2)
		(void) snprintf(out, size, "median(%s)", name);
	else
		(void) snprintf(out, size, "quantile(%s, %s)", name,
						dp_decimal_print(measure->quantile_nano, 9, share));
	*text = out;
	return DP_OK;
}
