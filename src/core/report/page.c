/*
 * page.c -- the text of an HTML page: growing, formatting, escaping.
 */
#include "core/report/page.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CAPACITY_FIRST 4096
#define SPEC_MAX 16   /* bytes of one conversion: "%-8.3f" */
#define NUMBER_MAX 64 /* bytes of one formatted number */
#define REPLACEMENT 0xFFFD
#define ELLIPSIS 0x2026

void
dp_page_start(DpPage *page, DpArena *arena)
{
	*page = (DpPage){.arena = arena, .status = DP_OK};
}

static void
fail(DpPage *page, DpStatus status)
{
	if (page->status == DP_OK)
		page->status = status;
}

/* ---- bytes ---- */

static bool
reserve(DpPage *page, size_t more)
{
	size_t capacity = page->capacity == 0 ? CAPACITY_FIRST : page->capacity;
	char *text;

	if (page->status != DP_OK)
		return false;
	while (capacity - page->length <= more && capacity <= SIZE_MAX / 4)
		capacity *= 2;
	if (capacity == page->capacity)
		return true;
	text = capacity - page->length > more ? dp_alloc(page->arena, capacity, 1) : NULL;
	if (text == NULL)
	{
		fail(page, DP_ERR_MEMORY);
		return false;
	}
	if (page->length > 0)
		memcpy(text, page->text, page->length);
	dp_free(page->arena, page->text, page->capacity, 1);
	page->text = text;
	page->capacity = capacity;
	return true;
}

static void
put_bytes(DpPage *page, const char *bytes, size_t n)
{
	if (!reserve(page, n))
		return;
	memcpy(page->text + page->length, bytes, n);
	page->length += n;
	page->text[page->length] = '\0';
}

void
dp_put_markup(DpPage *page, const char *markup)
{
	put_bytes(page, markup, strlen(markup));
}

/* ---- characters ---- */

/* The character at *at, which moves on; REPLACEMENT for bytes that are no UTF-8. */
static uint32_t
next_character(const unsigned char **at)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *byte = *at;
	unsigned n = byte[0] < 0x80   ? 1
				 : byte[0] < 0xC2 ? 0
				 : byte[0] < 0xE0 ? 2
				 : byte[0] < 0xF0 ? 3
				 : byte[0] < 0xF5 ? 4
								  : 0;
	uint32_t code;

	*at = byte + 1;
	if (n == 0)
		return REPLACEMENT;
	if (n == 1)
		return byte[0];
	code = byte[0] & (0x7Fu >> n);
	for (unsigned i = 1; i < n; i++)
	{
		if ((byte[i] & 0xC0) != 0x80)
			return REPLACEMENT;
		code = code << 6 | (byte[i] & 0x3F);
	}
	if (code < least[n] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
		return REPLACEMENT;
	*at = byte + n;
	return code;
}

/* Whether a page may hold the character: XML allows it, and it does not turn what follows. */
static bool
is_allowed(uint32_t code)
{
	if (code < 0x20)
		return code == '\t' || code == '\n';
	return !(code >= 0x7F && code < 0xA0) && !(code >= 0x200B && code <= 0x200F) &&
		   !(code >= 0x2028 && code <= 0x202E) && !(code >= 0x2060 && code <= 0x206F) &&
		   code != 0xFEFF && (code & 0xFFFE) != 0xFFFE;
}

/* How many halves of a column a character takes, about, in a font whose widths differ. */
static unsigned
halves_of(uint32_t code)
{
	if (code >= 0x300 && code <= 0x36F)
		return 0;
	if ((code >= 0x1100 && code <= 0x11FF) || (code >= 0x2E80 && code <= 0xD7FF) ||
		(code >= 0xF900 && code <= 0xFAFF) || (code >= 0xFF00 && code <= 0xFF60) || code >= 0x10000)
		return 4;
	return (code >= 'A' && code <= 'Z' && code != 'I') || code == 'm' || code == 'w' ||
				   code == '%' || code == '@'
			   ? 3
			   : 2;
}

static void
put_character(DpPage *page, uint32_t code)
{
	char bytes[16];

	if (!is_allowed(code))
		code = REPLACEMENT;
	if (code < 0x7F && strchr("&<>\"'", (int) code) == NULL)
	{
		bytes[0] = (char) code;
		put_bytes(page, bytes, 1);
		return;
	}
	put_bytes(page, bytes, (size_t) snprintf(bytes, sizeof(bytes), "&#%u;", (unsigned) code));
}

/* The bytes of text that fit into so many columns. */
static const unsigned char *
cut_at(const unsigned char *text, unsigned columns_max)
{
	unsigned halves = 0;

	while (*text != '\0')
	{
		const unsigned char *after = text;

		halves += halves_of(next_character(&after));
		if (halves > 2 * columns_max)
			return text;
		text = after;
	}
	return text;
}

/* columns_max: negative for all of it. */
static void
put_escaped(DpPage *page, const char *words, int columns_max)
{
	const unsigned char *text = (const unsigned char *) (words == NULL ? "(null)" : words);
	const unsigned char *end = text + strlen((const char *) text);
	bool cut = columns_max >= 0 && *cut_at(text, (unsigned) columns_max) != '\0';

	if (cut)
		end = cut_at(text, columns_max > 0 ? (unsigned) columns_max - 1 : 0);
	while (text < end && page->status == DP_OK)
		put_character(page, next_character(&text));
	if (cut)
		put_character(page, ELLIPSIS);
}

/* ---- formats ---- */

/* One conversion of a format: "%.*s" has a precision that is an argument. */
typedef struct Conversion
{
	char spec[SPEC_MAX];
	size_t length;
	bool starred;
	char letter;
} Conversion;

/* Reads the conversion that begins with the % at *at, which moves behind it. */
static bool
read_conversion(const char **at, Conversion *conversion)
{
	*conversion = (Conversion){.length = 0};
	do
	{
		char c = **at;

		if (c == '\0' || conversion->length + 1 >= SPEC_MAX)
			return false;
		conversion->starred = conversion->starred || c == '*';
		conversion->spec[conversion->length++] = c;
		conversion->letter = c;
		(*at)++;
	} while (conversion->length < 2 || strchr("-+ #0123456789.*", conversion->letter) != NULL);
	conversion->spec[conversion->length] = '\0';
	return true;
}

static int
print_number(char *number, const Conversion *conversion, int precision, double value)
{
	return conversion->starred ? snprintf(number, NUMBER_MAX, conversion->spec, precision, value)
							   : snprintf(number, NUMBER_MAX, conversion->spec, value);
}

static int
print_integer(char *number, const Conversion *conversion, unsigned value)
{
	return snprintf(number, NUMBER_MAX, conversion->spec, value);
}

void
dp_put(DpPage *page, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	while (*format != '\0' && page->status == DP_OK)
	{
		size_t plain = strcspn(format, "%");
		Conversion conversion;
		char number[NUMBER_MAX];
		int precision = -1, length = 0;

		put_bytes(page, format, plain);
		format += plain;
		if (*format == '\0')
			break;
		if (!read_conversion(&format, &conversion))
		{
			fail(page, DP_ERR_INTERNAL);
			break;
		}
		if (conversion.starred)
			precision = va_arg(arguments, int);
		switch (conversion.letter)
		{
			case 's':
				put_escaped(page, va_arg(arguments, const char *), precision);
				continue;
			case '%':
				number[length++] = '%';
				break;
			case 'd':
			case 'u':
				length = print_integer(number, &conversion, va_arg(arguments, unsigned));
				break;
			case 'f':
			case 'g':
				length = print_number(number, &conversion, precision, va_arg(arguments, double));
				break;
			default:
				length = -1;
		}
		if (length < 0 || length >= NUMBER_MAX)
			fail(page, DP_ERR_INTERNAL);
		else
			put_bytes(page, number, (size_t) length);
	}
	va_end(arguments);
}
