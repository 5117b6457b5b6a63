/*
 * test_page.c -- texts in a page: what is escaped, replaced and cut.
 */
#include "core/base/code_key.h"
#include "core/report/page.h"

#include "unit.h"

static DpArena arena;

/* What one text becomes, cut at so many columns. */
static const char *
put(int columns, const char *text)
{
	static DpPage page;

	dp_page_start(&page, &arena);
	if (columns < 0)
		dp_put(&page, "%s", text);
	else
		dp_put(&page, "%.*s", columns, text);
	return page.status == DP_OK ? page.text : "failed";
}

static void
check_text(int columns, const char *text, const char *want)
{
	const char *got = put(columns, text);

	if (!CHECK(strcmp(got, want) == 0, "\"%.20s\" is escaped", want))
		unit_note("got %s", got);
}

static void
test_escaping(void)
{
	check_text(-1, "<script>alert('1')</script>",
			   "&#60;script&#62;alert(&#39;1&#39;)&#60;/script&#62;");
	check_text(-1, "a\" onload=\"x", "a&#34; onload=&#34;x");
	check_text(-1, "&amp; %s %n", "&#38;amp; %s %n");
	check_text(-1, "caf\xC3\xA9", "caf&#233;");
	check_text(-1, "\xE4\xB8\xAD", "&#20013;");
	check_text(-1, "\xF0\x9F\x98\x80", "&#128512;");
	check_text(-1, NULL, "(null)");
}

/* Whatever is not a character that a page may hold becomes U+FFFD. */
static void
test_replaced(void)
{
	static const char *const bad[] = {
		"\x01",         "\x7F",         "\xC3",         "\x80",
		"\xC0\xAF",     "\xE0\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80",
		"\xEF\xBF\xBF", "\xE2\x80\xAE", "\xE2\x81\xA6", "\xEF\xBB\xBF"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
	{
		const char *got = put(-1, bad[i]);

		CHECK(strncmp(got, "&#65533;", 8) == 0 && strspn(got, "&#65533;") == strlen(got),
			  "bad character %u is replaced", (unsigned) i);
	}
}

static void
test_cutting(void)
{
	check_text(5, "abcde", "abcde");
	check_text(5, "abcdef", "abcd&#8230;");
	check_text(3, "\xE4\xB8\xAD\xE4\xB8\xAD", "&#20013;&#8230;");
	check_text(4, "\xE4\xB8\xAD\xE4\xB8\xAD", "&#20013;&#20013;");
	check_text(4, "WWWWW", "WW&#8230;");
	check_text(0, "a", "&#8230;");
	check_text(0, "", "");
	check_text(2, "<<<", "&#60;&#8230;");
}

static void
test_formats(void)
{
	DpPage page;
	char *large = malloc(100001);

	dp_page_start(&page, &arena);
	dp_put(&page, "<b a=\"%d\">%u %g %.2f %% %.*f</b>", -3, 7u, 0.5, 1.005, 1, 2.25);
	CHECK(strcmp(page.text, "<b a=\"-3\">7 0.5 1.00 % 2.2</b>") == 0, "numbers are formatted: %s",
		  page.text);
	memset(large, '<', 100000);
	large[100000] = '\0';
	dp_put(&page, "%s", large);
	CHECK_I64((int64_t) page.length, 30 + 500000, "a page grows");
	free(large);
}

static void
test_memory(void)
{
	DpArena small = dp_arena_malloc();
	DpPage page;

	small.bytes_max = 10000;
	dp_page_start(&page, &small);
	for (int i = 0; i < 10000; i++)
		dp_put(&page, "0123456789");
	CHECK_STATUS(page.status, DP_ERR_MEMORY, "a page says that it has no memory");
	dp_arena_malloc_free(&small);
}

int
main(void)
{
	arena = dp_arena_malloc();
	test_escaping();
	test_replaced();
	test_cutting();
	test_formats();
	test_memory();
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
