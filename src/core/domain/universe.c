/*
 * universe.c -- sizes and maps of public sets that are never written out.
 *
 * Each kind finds a candidate index from a text in its own way. Then dp_universe_find writes
 * out the value with that index and compares it. So whatever is found has exactly that text:
 * a number that could be written in several ways ("007", "+7") is found only as it is
 * printed.
 */
#include "core/domain/universe.h"

#include <string.h>

#include "core/base/calendar.h"
#include "core/base/saturate.h"
#include "core/base/sort.h"

#define DATE_BYTES 10 /* YYYY-MM-DD */
#define NUMBER_BYTES 24

static DpStatus
too_large(DpError *error)
{
	(void) dp_fail(error, DP_ERR_LIMIT, "a domain has too many values");
	dp_fail_detail(error, "The limit is %llu.", (unsigned long long) DP_UNIVERSE_SIZE_MAX);
	dp_fail_hint(error, "A smaller domain also gives a lower threshold.");
	return DP_ERR_LIMIT;
}

static DpStatus
empty(DpError *error)
{
	(void) dp_fail(error, DP_ERR_ARGUMENT, "a domain is empty");
	dp_fail_hint(error, "A domain needs at least one value.");
	return DP_ERR_ARGUMENT;
}

static DpStatus
text_too_long(DpError *error)
{
	(void) dp_fail(error, DP_ERR_LIMIT, "a domain has a value that is too long");
	dp_fail_detail(error, "A value may have at most %d bytes.", DP_TEXT_MAX);
	return DP_ERR_LIMIT;
}

static DpStatus
checked(const DpUniverse *universe, DpError *error)
{
	if (universe->size == 0)
		return empty(error);
	if (universe->size > DP_UNIVERSE_SIZE_MAX)
		return too_large(error);
	if (universe->text_bytes > DP_TEXT_MAX)
		return text_too_long(error);
	return DP_OK;
}

/* ---- lists ---- */

static bool
text_before(const void *context, uint64_t a, uint64_t b)
{
	const char *const *value = context;

	return strcmp(value[a], value[b]) < 0;
}

static bool
is_ascending(const char **value, uint64_t n)
{
	for (uint64_t i = 1; i < n; i++)
		if (strcmp(value[i - 1], value[i]) >= 0)
			return false;
	return true;
}

static DpStatus
sort_texts(const char **value, uint64_t n, DpArena *arena)
{
	uint64_t *order = dp_alloc(arena, n, sizeof(*order));
	const char **sorted = dp_alloc(arena, n, sizeof(*sorted));

	DP_TRY_ALLOC(order && sorted);
	for (uint64_t i = 0; i < n; i++)
		order[i] = i;
	DP_TRY(dp_sort_indexes(order, n, text_before, value, arena));
	for (uint64_t i = 0; i < n; i++)
		sorted[i] = value[order[i]];
	memcpy(value, sorted, n * sizeof(*value));
	dp_free(arena, order, n, sizeof(*order));
	dp_free(arena, sorted, n, sizeof(*sorted));
	return DP_OK;
}

DpStatus
dp_universe_list(const char **value, uint64_t n, DpUniverse *out, uint64_t *dropped, DpArena *arena,
				 DpError *error)
{
	*out = (DpUniverse){.kind = DP_UNIVERSE_LIST, .value = value};
	*dropped = 0;
	if (n > DP_UNIVERSE_LIST_MAX)
	{
		(void) dp_fail(error, DP_ERR_LIMIT, "a domain lists too many values");
		dp_fail_detail(error, "The limit of a list or dictionary is %d.", DP_UNIVERSE_LIST_MAX);
		dp_fail_hint(error, "A range, an alphabet or a product needs no list.");
		return DP_ERR_LIMIT;
	}
	if (!is_ascending(value, n))
		DP_TRY(sort_texts(value, n, arena));
	for (uint64_t i = 0; i < n; i++)
	{
		size_t bytes = strlen(value[i]);

		if (out->size > 0 && strcmp(value[out->size - 1], value[i]) == 0)
			continue;
		value[out->size++] = value[i];
		out->text_bytes = bytes > out->text_bytes ? bytes : out->text_bytes;
		out->memory_bytes += bytes + 1 + sizeof(*value);
	}
	*dropped = n - out->size;
	return checked(out, error);
}

static bool
list_find(const DpUniverse *u, const char *text, size_t length, uint64_t *index)
{
	uint64_t low = 0, high = u->size - 1;

	while (low < high)
	{
		uint64_t middle = low + (high - low) / 2;

		if (strncmp(u->value[middle], text, length) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	*index = low;
	return true;
}

/* ---- numbers and dates ---- */

/* How many of first, first + step, ... are at most last. The result is 0 if there are none, and
 * saturates. */
static uint64_t
steps_between(int64_t first, int64_t last, int64_t step)
{
	if (last < first)
		return 0;
	return dp_add_saturated(((uint64_t) last - (uint64_t) first) / (uint64_t) step, 1);
}

static DpStatus
bad_step(DpError *error)
{
	return dp_fail(error, DP_ERR_ARGUMENT, "the step of a domain must be above 0");
}

DpStatus
dp_universe_numbers(const DpNumberRange *range, DpUniverse *out, DpError *error)
{
	*out = (DpUniverse){.kind = DP_UNIVERSE_NUMBERS,
						.first = range->first,
						.step = range->step,
						.digits = range->digits,
						.text_bytes = NUMBER_BYTES,
						.memory_bytes = sizeof(*out)};
	if (range->step < 1)
		return bad_step(error);
	if (range->digits < 0 || range->digits > DP_UNIVERSE_DIGITS_MAX)
		return dp_fail(error, DP_ERR_ARGUMENT, "the numbers of a domain have too many digits");
	out->size = steps_between(range->first, range->last, range->step);
	return checked(out, error);
}

static int64_t
step_of(const DpUniverse *u, uint64_t index)
{
	return (int64_t) ((uint64_t) u->first + index * (uint64_t) u->step);
}

/* v x 10^-digits without trailing zeros after the point. */
static size_t
print_number(int64_t v, int digits, char *buffer)
{
	uint64_t size = v < 0 ? -(uint64_t) v : (uint64_t) v;
	char *at = buffer;
	char reversed[NUMBER_BYTES] = "";
	int n = 0;

	for (; digits > 0 && size % 10 == 0; digits--)
		size /= 10;
	for (int k = 0; size > 0 || k <= digits; k++)
	{
		if (k == digits && digits > 0)
			reversed[n++] = '.';
		reversed[n++] = (char) ('0' + size % 10);
		size /= 10;
	}
	if (v < 0)
		*at++ = '-';
	while (n > 0)
		*at++ = reversed[--n];
	*at = '\0';
	return (size_t) (at - buffer);
}

/* Reads a number leniently, in units of 10^-digits. The caller compares the text with the printed
 * value. */
bool
dp_universe_read_number(const char *text, size_t length, int digits, int64_t *out)
{
	bool negative = length > 0 && text[0] == '-';
	int after = -1; /* digits after the point so far */
	int64_t v = 0;

	for (size_t i = negative; i < length; i++)
	{
		if (text[i] == '.' && after < 0)
		{
			after = 0;
			continue;
		}
		if (text[i] < '0' || text[i] > '9' || (after >= 0 && ++after > digits) ||
			__builtin_mul_overflow(v, 10, &v) ||
			__builtin_sub_overflow(v, text[i] - '0',
								   &v)) /* downwards, since INT64_MIN has no opposite */
			return false;
	}
	for (after = after < 0 ? 0 : after; after < digits; after++)
		if (__builtin_mul_overflow(v, 10, &v))
			return false;
	if (!negative && v == INT64_MIN)
		return false;
	*out = negative ? v : -v;
	return length > (size_t) negative;
}

static size_t
print_date(int64_t days, char *buffer)
{
	DpDay date = dp_day_of(days);
	int written = (int) date.year;

	for (int k = 3; k >= 0; k--, written /= 10)
		buffer[k] = (char) ('0' + written % 10);
	buffer[4] = buffer[7] = '-';
	buffer[5] = (char) ('0' + date.month / 10);
	buffer[6] = (char) ('0' + date.month % 10);
	buffer[8] = (char) ('0' + date.day / 10);
	buffer[9] = (char) ('0' + date.day % 10);
	buffer[DATE_BYTES] = '\0';
	return DATE_BYTES;
}

static bool
read_date(const char *text, size_t length, int64_t *out)
{
	int part[3] = {0, 0, 0};
	char again[DATE_BYTES + 1];

	if (length != DATE_BYTES)
		return false;
	for (int i = 0, k = 0; i < DATE_BYTES; i++)
	{
		bool dash = i == 4 || i == 7;

		if (dash ? text[i] != '-' : text[i] < '0' || text[i] > '9')
			return false;
		if (dash)
			k++;
		else
			part[k] = part[k] * 10 + (text[i] - '0');
	}
	if (part[0] < 1 || part[1] < 1 || part[1] > 12 || part[2] < 1 || part[2] > 31)
		return false;
	*out = dp_days_of((DpDay){part[0], part[1], part[2]});
	(void) print_date(*out, again);
	return memcmp(again, text, DATE_BYTES) == 0; /* this refuses the 30th of February */
}

DpStatus
dp_universe_dates(const char *first, const char *last, int64_t step, DpUniverse *out,
				  DpError *error)
{
	int64_t end;

	*out = (DpUniverse){.kind = DP_UNIVERSE_DATES,
						.step = step,
						.text_bytes = DATE_BYTES,
						.memory_bytes = sizeof(*out)};
	if (!read_date(first, strlen(first), &out->first) || !read_date(last, strlen(last), &end))
	{
		(void) dp_fail(error, DP_ERR_ARGUMENT, "a domain of dates has an invalid end");
		dp_fail_detail(error, "Dates are written YYYY-MM-DD, from 0001-01-01 to 9999-12-31.");
		return DP_ERR_ARGUMENT;
	}
	if (step < 1)
		return bad_step(error);
	out->size = steps_between(out->first, end, step);
	return checked(out, error);
}

static bool
grid_find(const DpUniverse *u, const char *text, size_t length, uint64_t *index)
{
	uint64_t distance;
	int64_t v;
	bool read = u->kind == DP_UNIVERSE_DATES ? read_date(text, length, &v)
											 : dp_universe_read_number(text, length, u->digits, &v);

	if (!read || v < u->first)
		return false;
	distance = (uint64_t) v - (uint64_t) u->first;
	*index = distance / (uint64_t) u->step;
	return distance % (uint64_t) u->step == 0 && *index < u->size;
}

/* ---- strings ---- */

static DpStatus
sort_symbols(DpUniverse *u, DpArena *arena)
{
	u->by_text = dp_alloc(arena, u->symbols, sizeof(*u->by_text));
	DP_TRY_ALLOC(u->by_text);
	for (uint32_t i = 0; i < u->symbols; i++)
		u->by_text[i] = i;
	return dp_sort_indexes(u->by_text, u->symbols, text_before, u->symbol, arena);
}

/* In bytewise order all texts that start with a text stand right behind it. */
static DpStatus
check_symbols(const DpUniverse *u, DpError *error)
{
	for (uint32_t i = 0; i < u->symbols; i++)
	{
		const char *symbol = u->symbol[u->by_text[i]];

		if (*symbol == '\0' || (i + 1 < u->symbols &&
								strncmp(symbol, u->symbol[u->by_text[i + 1]], strlen(symbol)) == 0))
			return dp_fail(error, DP_ERR_ARGUMENT,
						   "an alphabet has a character twice, or an empty one");
	}
	return DP_OK;
}

static uint64_t
power(uint64_t base, uint32_t exponent)
{
	uint64_t product = 1;

	for (uint32_t i = 0; i < exponent && product <= DP_UNIVERSE_SIZE_MAX && base != 1; i++)
		product = dp_multiply_saturated(product, base);
	return product;
}

DpStatus
dp_universe_strings(const DpStringRange *range, DpUniverse *out, DpArena *arena, DpError *error)
{
	const char **symbol = range->symbol;
	uint32_t n = range->symbols;
	size_t longest = 0;

	*out = (DpUniverse){.kind = DP_UNIVERSE_STRINGS,
						.symbols = n,
						.symbol = symbol,
						.length_min = range->length_min,
						.length_max = range->length_max};
	if (n > DP_UNIVERSE_SYMBOLS_MAX)
		return dp_fail(error, DP_ERR_LIMIT, "an alphabet has more than %d characters",
					   DP_UNIVERSE_SYMBOLS_MAX);
	if (range->length_max > DP_TEXT_MAX)
		return text_too_long(error);
	DP_TRY(sort_symbols(out, arena));
	DP_TRY(check_symbols(out, error));
	for (uint32_t i = 0; i < n; i++)
		longest = strlen(symbol[i]) > longest ? strlen(symbol[i]) : longest;
	for (uint32_t length = range->length_min;
		 n > 0 && length <= range->length_max && out->size <= DP_UNIVERSE_SIZE_MAX; length++)
		out->size = dp_add_saturated(out->size, power(n, length));
	out->text_bytes = longest * range->length_max;
	out->memory_bytes =
		dp_multiply_saturated(n, longest + 1 + sizeof(*symbol) + sizeof(*out->by_text));
	return checked(out, error);
}

static size_t
strings_value(const DpUniverse *u, uint64_t index, char *buffer)
{
	uint32_t length = u->length_min;
	uint64_t weight;
	char *at = buffer;

	for (weight = power(u->symbols, length); index >= weight; weight = power(u->symbols, ++length))
		index -= weight;
	for (uint32_t k = 0; k < length; k++)
	{
		const char *symbol;

		weight /= u->symbols; /* symbols^(length - k - 1), 1 at last */
		symbol = u->symbol[index / weight];
		index %= weight;
		while (*symbol != '\0')
			*at++ = *symbol++;
	}
	*at = '\0';
	return (size_t) (at - buffer);
}

/*
 * The symbol that text starts with; there is at most one. The result is u->symbols if there
 * is none. It is the last symbol that is not behind text, since every symbol between the two
 * starts with it.
 */
static uint32_t
first_symbol(const DpUniverse *u, const char *text, size_t length, size_t *bytes)
{
	uint32_t low = 0, high = u->symbols;

	while (low < high) /* low: the number of symbols that are known not to be behind text */
	{
		uint32_t middle = low + (high - low) / 2;
		const char *symbol = u->symbol[u->by_text[middle]];
		int order = strncmp(symbol, text, length);

		if (order < 0 || (order == 0 && strlen(symbol) <= length))
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return u->symbols;
	*bytes = strlen(u->symbol[u->by_text[low - 1]]);
	if (*bytes > length || memcmp(u->symbol[u->by_text[low - 1]], text, *bytes) != 0)
		return u->symbols;
	return (uint32_t) u->by_text[low - 1];
}

static bool
strings_find(const DpUniverse *u, const char *text, size_t length, uint64_t *index)
{
	uint64_t value = 0;
	uint32_t characters = 0;

	for (size_t at = 0, bytes; at < length; at += bytes, characters++)
	{
		uint32_t symbol = first_symbol(u, text + at, length - at, &bytes);

		if (symbol == u->symbols || characters == u->length_max)
			return false;
		value = value * u->symbols + symbol; /* below symbols^length_max, which fits */
	}
	if (characters < u->length_min)
		return false;
	for (uint32_t shorter = u->length_min; shorter < characters; shorter++)
		value += power(u->symbols, shorter);
	*index = value;
	return true;
}

/* ---- products ---- */

static bool
list_has(const char **text, uint64_t n, char character)
{
	for (uint64_t i = 0; i < n; i++)
		if (strchr(text[i], character) != NULL)
			return true;
	return false;
}

/* Whether a value might contain that character. */
static bool
can_have(const DpUniverse *u, char character)
{
	switch (u->kind)
	{
		case DP_UNIVERSE_LIST:
			return list_has(u->value, u->size, character);
		case DP_UNIVERSE_STRINGS:
			return list_has(u->symbol, u->symbols, character);
		case DP_UNIVERSE_PRODUCT:
			for (uint32_t i = 0; i < u->parts; i++)
				if (can_have(u->part[i], character))
					return true;
			return u->separator == character;
		default:
			return strchr("-.0123456789", character) != NULL;
	}
}

DpStatus
dp_universe_product(const DpUniverse **part, uint32_t n, char separator, DpUniverse *out,
					DpError *error)
{
	*out = (DpUniverse){.kind = DP_UNIVERSE_PRODUCT,
						.size = n > 0 ? 1 : 0,
						.text_bytes = n > 0 ? n - 1 : 0,
						.parts = n,
						.part = part,
						.separator = separator};
	if (n > DP_UNIVERSE_PARTS_MAX)
		return dp_fail(error, DP_ERR_LIMIT, "a product of domains has more than %d parts",
					   DP_UNIVERSE_PARTS_MAX);
	if (separator < 1 || separator > 126)
		return dp_fail(error, DP_ERR_ARGUMENT, "a separator must be one ASCII character");
	for (uint32_t i = 0; i < n; i++)
	{
		if (i + 1 < n && can_have(part[i], separator))
		{
			(void) dp_fail(error, DP_ERR_ARGUMENT,
						   "the separator of a product occurs in the values of a part");
			dp_fail_detail(error, "A text could then be more than one combination.");
			return DP_ERR_ARGUMENT;
		}
		out->size = dp_multiply_saturated(out->size, part[i]->size);
		out->text_bytes += part[i]->text_bytes;
		out->memory_bytes += part[i]->memory_bytes;
	}
	return checked(out, error);
}

static size_t
product_value(const DpUniverse *u, uint64_t index, char *buffer)
{
	uint64_t digit[DP_UNIVERSE_PARTS_MAX];
	char *at = buffer;

	for (uint32_t i = u->parts; i-- > 0; index /= u->part[i]->size)
		digit[i] = index % u->part[i]->size;
	for (uint32_t i = 0; i < u->parts; i++)
	{
		if (i > 0)
			*at++ = u->separator;
		at += dp_universe_value(u->part[i], digit[i], at);
	}
	return (size_t) (at - buffer);
}

static bool
product_find(const DpUniverse *u, const char *text, size_t length, char *scratch, uint64_t *index)
{
	const char *end = text + length;
	uint64_t found, value = 0;

	for (uint32_t i = 0; i < u->parts; i++)
	{
		const char *stop = i + 1 < u->parts && text < end
							   ? memchr(text, u->separator, (size_t) (end - text))
							   : end;

		if (stop == NULL || (i + 1 < u->parts && stop == end) ||
			!dp_universe_find(u->part[i], text, (size_t) (stop - text), scratch, &found))
			return false;
		value = value * u->part[i]->size + found;
		text = stop + (stop < end); /* behind the separator */
	}
	*index = value;
	return true;
}

/* ---- all ---- */

uint64_t
dp_universe_all_bytes(const DpUniverse *u)
{
	uint64_t bytes = dp_multiply_saturated(u->size, u->text_bytes + 1);

	if (u->kind == DP_UNIVERSE_LIST)
		return u->memory_bytes < bytes ? u->memory_bytes : bytes;
	if (u->kind != DP_UNIVERSE_PRODUCT)
		return bytes;
	/* Each value of a part occurs once for each combination of the other parts. Its NUL becomes
	 * the separator. */
	bytes = 0;
	for (uint32_t i = 0; i < u->parts; i++)
		bytes = dp_add_saturated(bytes, dp_multiply_saturated(dp_universe_all_bytes(u->part[i]),
															  u->size / u->part[i]->size));
	return bytes;
}

size_t
dp_universe_value(const DpUniverse *u, uint64_t index, char *buffer)
{
	size_t length;

	switch (u->kind)
	{
		case DP_UNIVERSE_NUMBERS:
			return print_number(step_of(u, index), u->digits, buffer);
		case DP_UNIVERSE_DATES:
			return print_date(step_of(u, index), buffer);
		case DP_UNIVERSE_STRINGS:
			return strings_value(u, index, buffer);
		case DP_UNIVERSE_PRODUCT:
			return product_value(u, index, buffer);
		default:
			length = strlen(u->value[index]);
			memcpy(buffer, u->value[index], length + 1);
			return length;
	}
}

static bool
candidate(const DpUniverse *u, const char *text, size_t length, char *scratch, uint64_t *index)
{
	switch (u->kind)
	{
		case DP_UNIVERSE_NUMBERS:
		case DP_UNIVERSE_DATES:
			return grid_find(u, text, length, index);
		case DP_UNIVERSE_STRINGS:
			return strings_find(u, text, length, index);
		case DP_UNIVERSE_PRODUCT:
			return product_find(u, text, length, scratch, index);
		default:
			return list_find(u, text, length, index);
	}
}

bool
dp_universe_find(const DpUniverse *u, const char *text, size_t length, char *scratch,
				 uint64_t *index)
{
	return length <= u->text_bytes && candidate(u, text, length, scratch, index) &&
		   dp_universe_value(u, *index, scratch) == length && memcmp(scratch, text, length) == 0;
}
