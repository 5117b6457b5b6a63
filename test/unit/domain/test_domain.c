/*
 * test_domain.c -- levels, cells and names of domains.
 */
#include "core/domain/domain.h"

#include "unit_data.h"

static void
test_levels(void)
{
	DpAttribute attribute = {.kind = DP_CATEGORIES, .labels_n = 3};

	dp_attribute_count_levels(&attribute);
	CHECK_I64(attribute.levels, 3, "three categories are three levels");
	attribute.has_other = true;
	dp_attribute_count_levels(&attribute);
	CHECK_I64(attribute.levels, 4, "other is one more");
	attribute.kind = DP_BINS;
	dp_attribute_count_levels(&attribute);
	CHECK_I64(attribute.levels, 3, "three edges are two bins, and other");
	attribute.labels_n = 0;
	dp_attribute_count_levels(&attribute);
	CHECK_I64(attribute.levels, 1, "no edges do not wrap round");
	attribute.kind = DP_CATEGORIES;
	attribute.open = true;
	dp_attribute_count_levels(&attribute);
	CHECK_I64(attribute.levels, 0, "an open attribute has no levels");
}

static void
test_cells(DpArena *arena)
{
	const uint32_t levels[] = {1000, 1000, 1000, 1000, 1000, 1000, 16, 2, 1};
	const uint32_t order[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
	DpDomain domain = unit_domain(arena, levels, 9);

	CHECK_I64(dp_domain_cells(&domain, order, 0), 1, "no attribute has one cell");
	CHECK_I64(dp_domain_cells(&domain, order + 6, 3), 32, "cells multiply");
	CHECK(dp_domain_cells(&domain, order, 7) == UINT64_C(16000000000000000000),
		  "a product just below 2^64 is exact");
	CHECK(dp_domain_cells(&domain, order, 9) == DP_CELLS_SATURATED, "one above it saturates");
	unit_open(&domain.attribute[8]);
	CHECK(dp_domain_cells(&domain, order + 8, 1) == DP_CELLS_SATURATED,
		  "an open attribute saturates");
	CHECK_I64(dp_domain_find(&domain, "c7"), 7, "a name is found");
	CHECK_I64(dp_domain_find(&domain, "c"), -1, "a prefix of a name is not");
}

static void
test_same_labels(void)
{
	const char *one[] = {"a", "b"}, *other[] = {"a", "b"}, *swapped[] = {"b", "a"};
	DpAttribute a = {.kind = DP_CATEGORIES, .labels_n = 2, .labels = one};
	DpAttribute b = {.kind = DP_CATEGORIES, .labels_n = 2, .labels = other};

	CHECK(dp_attribute_same_labels(&a, &b), "labels are compared as texts");
	b.labels = swapped;
	CHECK(!dp_attribute_same_labels(&a, &b), "in their order");
	b.labels = other;
	b.labels_n = 1;
	CHECK(!dp_attribute_same_labels(&a, &b), "all of them");
	b.labels_n = 2;
	b.has_other = true;
	CHECK(!dp_attribute_same_labels(&a, &b), "with or without other");
	b.has_other = false;
	b.kind = DP_BINS;
	CHECK(!dp_attribute_same_labels(&a, &b), "edges of bins are no categories");
	b.kind = DP_CATEGORIES;
	b.labels = NULL;
	CHECK(!dp_attribute_same_labels(&a, &b), "no labels are others");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_levels();
	test_cells(&arena);
	test_same_labels();
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
