/*
 * page.h -- the text of an HTML page, into which names and values of any kind are put.
 *
 * Names and values come through dp_put, which escapes each %s. So markup is what stands in the
 * format, and a name that looks like markup stays a name. The page is ASCII: other characters are
 * written as numbers (&#233;), and no difference of encodings between server, client and file can
 * garble it. It is well-formed XML too.
 */
#ifndef DP_PAGE_H
#define DP_PAGE_H

#include "core/base/arena.h"
#include "core/base/status.h"

/* A page that is being written. status stays at the first failure, and later calls do nothing. */
typedef struct DpPage
{
	DpArena *arena;
	DpStatus status;
	char *text; /* NUL-terminated once something was put */
	size_t length;
	size_t capacity;
	uint32_t figures; /* numbers the ids of the page */
} DpPage;

extern void dp_page_start(DpPage *page, DpArena *arena);

/*
 * Adds formatted text. Formats are those of printf, of which there are %s, %d, %u, %g, %f and %%,
 * with flags, width and precision for numbers. A %s is escaped for use in text and in quoted
 * attributes. Its precision, "%.*s", is the number of columns after which it is cut, with an
 * ellipsis; wide letters take one and a half, characters of East Asia two. NULL is written as
 * "(null)". Text is UTF-8; what is not valid, or not allowed in XML, and characters that turn the
 * direction of writing, become U+FFFD.
 */
extern void dp_put(DpPage *page, const char *format, ...) DP_PRINTF(2, 3);
/* Adds markup as it is: for what stands in the source, never for a name or a value. */
extern void dp_put_markup(DpPage *page, const char *markup);

/* Numbers as a report writes them. */

/* A number in words. What is not finite is written as "unknown". */
typedef struct DpWritten
{
	char text[48];
} DpWritten;

/* Rows, rounded to a whole number, with commas: 48,842. */
extern DpWritten dp_written_count(double value);
/* Three significant digits: 12.3, 0.00123, 1e-09, 48,842. */
extern DpWritten dp_written_number(double value);
/* A share as a percentage: 12.3 %; below 0.1 % with two significant digits, or 0 %. The sign stands
 * on the line of its number. */
extern DpWritten dp_written_percent(double share);

/* Head and foot of a report's page, with all of its style. */

/* Everything from the doctype to <main>. */
extern void dp_put_page_head(DpPage *page, const char *title);
extern void dp_put_page_foot(DpPage *page);

#endif
