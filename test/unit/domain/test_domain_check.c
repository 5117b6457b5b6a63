/*
 * test_domain_check.c -- every invariant of a domain is checked, and copies share nothing with the
 * original.
 */
#include "core/domain/domain.h"

#include "unit_data.h"

typedef void (*Break)(DpDomain *domain);

static void
no_name(DpDomain *domain)
{
	domain->attribute[1].name = "";
}

static void
same_name(DpDomain *domain)
{
	domain->attribute[1].name = "c0";
}

static void
no_levels(DpDomain *domain)
{
	domain->attribute[0].labels_n = 0;
	domain->attribute[0].levels = 0;
}

static void
wrong_levels(DpDomain *domain)
{
	domain->attribute[0].levels++;
}

static void
missing_labels(DpDomain *domain)
{
	domain->attribute[0].labels = NULL;
}

static void
missing_label(DpDomain *domain)
{
	domain->attribute[0].labels[1] = NULL;
}

static void
one_edge(DpDomain *domain)
{
	domain->attribute[0].kind = DP_BINS;
	domain->attribute[0].labels_n = 1;
	domain->attribute[0].has_other = true;
	dp_attribute_count_levels(&domain->attribute[0]);
}

static void
unknown_kind(DpDomain *domain)
{
	domain->attribute[0].kind = (DpAttributeKind) 7;
}

static void
too_many_levels(DpDomain *domain)
{
	domain->attribute[0].labels_n = DP_LEVELS_MAX + 1;
	dp_attribute_count_levels(&domain->attribute[0]);
}

static void
open_with_levels(DpDomain *domain)
{
	domain->attribute[0].open = true;
	domain->attribute[0].has_other = true;
}

static void
open_without_other(DpDomain *domain)
{
	unit_open(&domain->attribute[0]);
	domain->attribute[0].has_other = false;
}

static void
no_attributes(DpDomain *domain)
{
	domain->attributes = 0;
}

static void
too_many_attributes(DpDomain *domain)
{
	domain->attributes = DP_ATTRIBUTES_MAX + 1;
}

static void
test_check(DpArena *arena)
{
	const struct
	{
		Break broken;
		const char *what;
	} cases[] = {
		{no_name, "no name"},
		{same_name, "a name twice"},
		{no_levels, "no levels"},
		{wrong_levels, "levels that do not match"},
		{missing_labels, "no labels"},
		{missing_label, "a missing label"},
		{one_edge, "one bin edge"},
		{unknown_kind, "an unknown kind"},
		{too_many_levels, "too many levels"},
		{open_with_levels, "open with levels"},
		{open_without_other, "open without other"},
		{no_attributes, "no attributes"},
		{too_many_attributes, "too many attributes"},
	};
	const uint32_t levels[] = {2, 3};
	DpError error;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		DpDomain domain = unit_domain(arena, levels, 2);

		MUST(dp_domain_check(&domain, &error));
		cases[i].broken(&domain);
		CHECK_STATUS(dp_domain_check(&domain, &error), DP_ERR_ARGUMENT, "%s is refused",
					 cases[i].what);
	}
}

static void
test_copy(DpArena *arena)
{
	const uint32_t levels[] = {2, 3};
	DpDomain domain = unit_domain(arena, levels, 2);
	DpArena small = dp_arena_malloc();
	DpDomain copy;

	domain.attribute[1].has_other = true;
	domain.attribute[1].other = "rest";
	dp_attribute_count_levels(&domain.attribute[1]);
	domain.attribute[0].type = NULL;
	MUST(dp_domain_copy(&domain, &copy, arena));
	CHECK_OK(dp_domain_check(&copy, NULL), "a copy is a domain");
	CHECK(copy.attribute[0].name != domain.attribute[0].name &&
			  copy.attribute[1].labels[2] != domain.attribute[1].labels[2] &&
			  copy.attribute[1].other != domain.attribute[1].other,
		  "it shares no text");
	CHECK_STRING(copy.attribute[1].labels[2], "v2", "labels are the same");
	CHECK_STRING(copy.attribute[1].other, "rest", "other is the same");
	CHECK(copy.attribute[0].type == NULL && copy.attribute[0].other == NULL, "NULL stays NULL");
	small.bytes_max = 100;
	CHECK_STATUS(dp_domain_copy(&domain, &copy, &small), DP_ERR_MEMORY, "no room is an error");
	dp_arena_malloc_free(&small);
}

/* What a stored model cannot hold is refused before anything is spent. */
static void
test_long_label(DpArena *arena)
{
	char *text = dp_alloc(arena, DP_TEXT_MAX + 2, 1);
	const char *labels[] = {text};
	DpAttribute attribute = {
		.name = "a", .type = "text", .labels_n = 1, .labels = labels, .levels = 1};
	DpDomain domain = {.attributes = 1, .attribute = &attribute};
	DpError error;

	memset(text, 'x', DP_TEXT_MAX);
	CHECK_STATUS(dp_domain_check(&domain, &error), DP_OK, "a label of %d bytes", DP_TEXT_MAX);
	text[DP_TEXT_MAX] = 'x';
	CHECK_STATUS(dp_domain_check(&domain, &error), DP_ERR_LIMIT, "and one more is too many");
	text[0] = '\0';
	attribute.has_other = true;
	attribute.levels = 2;
	attribute.other = text;
	CHECK_STATUS(dp_domain_check(&domain, &error), DP_OK, "other, short");
	text[0] = 'x';
	CHECK_STATUS(dp_domain_check(&domain, &error), DP_ERR_LIMIT, "other, too long");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_check(&arena);
	test_copy(&arena);
	test_long_label(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
