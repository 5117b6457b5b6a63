/*
 * test_nearest_name.c -- which name somebody meant.
 */
#include "core/base/nearest_name.h"

#include "unit.h"

#define LONG_62 "23456789012345678901234567890123456789012345678901234567890123"

static const char *
nearest(const char *wrong)
{
	static const char *const names[] = {"mst", "aim",       "marginal",        "mwem",       "pegs",
										"pmi", "privbayes", "pegs_ldiversity", ("a" LONG_62)};
	DpNearestName found = dp_nearest_name(wrong);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		dp_nearest_name_try(&found, names[i]);
	return found.found ? found.found : "(none)";
}

static void
test_edits(void)
{
	CHECK_STRING(nearest("mts"), "mst", "neighbours that change places are one edit");
	CHECK_STRING(nearest("mmst"), "mst", "a byte too many");
	CHECK_STRING(nearest("manal"), "(none)", "three edits of five bytes are too many");
	CHECK_STRING(nearest("marginl"), "marginal", "a byte too few");
	CHECK_STRING(nearest("prifbyaes"), "privbayes", "another byte, and two that changed places");
	CHECK_STRING(nearest("AIM"), "aim", "upper case");
	CHECK_STRING(nearest("ldiversity"), "(none)", "five edits are too many");
	CHECK_STRING(nearest("ms"), "(none)", "two bytes may have no edit");
	CHECK_STRING(nearest("nothing_like_it"), "(none)", "another word");
	CHECK_STRING(nearest("mwem"), "(none)", "the very name was not misspelt");
}

static void
test_order(void)
{
	CHECK_STRING(nearest("pms"), "pmi", "the nearest; of pmi and mst the one with fewer edits");
	CHECK_STRING(nearest("ami"), "aim", "the first of two that are as near stays");
}

static void
test_long(void)
{
	CHECK_STRING(nearest("b" LONG_62), "a" LONG_62, "names have 63 bytes at most");
	CHECK_STRING(nearest("a" LONG_62 "4"), "(none)", "and longer ones are like no other");
}

int
main(void)
{
	test_edits();
	test_order();
	test_long();
	return unit_finish();
}
