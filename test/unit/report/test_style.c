/*
 * test_style.c -- head and foot of a page.
 */
#include "core/base/code_key.h"
#include "core/report/page.h"

#include "unit.h"

static DpArena arena;

/* Nothing is loaded, nothing runs. */
static void
test_head(void)
{
	static const char *const banned[] = {"<script", "<link", "url(", "@import", "http", "src="};
	DpPage page;

	dp_page_start(&page, &arena);
	dp_put_page_head(&page, "<b>");
	dp_put_page_foot(&page);
	for (size_t i = 0; i < sizeof(banned) / sizeof(banned[0]); i++)
		CHECK(strstr(page.text, banned[i]) == NULL, "the page has no %s", banned[i]);
	CHECK(strstr(page.text, "<title>&#60;b&#62;</title>") != NULL, "the title is escaped");
}

int
main(void)
{
	arena = dp_arena_malloc();
	test_head();
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
