/*
 * test_range.c -- ranges in each of their states: levels, invariants, copies, bytes.
 */
#include "core/domain/domain_bytes.h"
#include "core/domain/domain.h"

#include "unit.h"
#include "unit_arena.h"

static const int64_t bins[] = {-10, 0, 1, 50};
static const int64_t leaves[] = {-10, -3, 0, 1, 20, 50, 90};
static const uint64_t weights[] = {0, 3, 400, 0, 17, DP_RANGE_WEIGHT_MAX, 1};

static DpRange
found(DpArena *arena)
{
	return (DpRange){.grid = {DP_GRID_NUMBER, -10, 100, 5, 1},
					 .state = DP_RANGE_FOUND,
					 .bins = 4,
					 .bin = dp_memdup(arena, bins, sizeof(bins)),
					 .leaves = 7,
					 .leaf = dp_memdup(arena, leaves, sizeof(leaves)),
					 .weight = dp_memdup(arena, weights, sizeof(weights))};
}

static DpDomain
domain_of(DpArena *arena, const DpRange *range, bool nullable)
{
	DpDomain domain = {.attributes = 1, .attribute = dp_alloc(arena, 1, sizeof(DpAttribute))};
	DpAttribute *attribute = domain.attribute;

	attribute->name = "c";
	attribute->kind = DP_BINS;
	attribute->range = range;
	attribute->has_other = nullable;
	if (range->state == DP_RANGE_FOUND)
	{
		attribute->labels = dp_range_labels(range, arena);
		attribute->labels_n = range->bins + 1;
	}
	dp_attribute_count_levels(attribute);
	return domain;
}

static void
test_levels(DpArena *arena)
{
	DpRange range = {.grid = {DP_GRID_NUMBER, 0, 9, 1, 0}, .bins_max = 32};
	DpRange here = found(arena);
	DpDomain domain;

	CHECK_I64(dp_range_levels(&range), 10, "no more bins than values are asked for");
	range.grid.last = 1000000000;
	CHECK_I64(dp_range_levels(&range), 32, "or bins_max of them");
	range.state = DP_RANGE_CELLS;
	CHECK(dp_range_levels(&range) > 900000, "cells are many");
	domain = domain_of(arena, &here, true);
	CHECK_I64(domain.attribute[0].levels, 5, "four bins, and NULL");
	CHECK_OK(dp_domain_check(&domain, NULL), "found bins fit");
	CHECK_STRING(domain.attribute[0].labels[1], "0", "an edge is a text");
	CHECK_STRING(domain.attribute[0].labels[3], "25", "of the grid");
	CHECK_STRING(domain.attribute[0].labels[4], "50", "and the last one is the last value");
	CHECK(dp_range_bin(&here, -10) == 0 && dp_range_bin(&here, -1) == 0 &&
			  dp_range_bin(&here, 0) == 1 && dp_range_bin(&here, 49) == 2 &&
			  dp_range_bin(&here, 50) == 3 && dp_range_bin(&here, 100) == 3,
		  "coordinates have their bins");
	CHECK(dp_range_bin_last(&here, 1) == 0 && dp_range_bin_last(&here, 3) == 100 &&
			  dp_range_leaf_last(&here, 0) == -4 && dp_range_leaf_last(&here, 6) == 100,
		  "bins and leaves end");
}

static const char *const words[] = {"a", "b", "", "d", "\xc3\xa9"};
static const int64_t groups[] = {0, 3};
static const int64_t group_leaves[] = {0, 1, 3};
static const uint64_t group_weights[] = {92, 0, 5};

/* Five categories in two groups: a, b, "" and d, é. */
static DpRange
listed(DpArena *arena)
{
	return (DpRange){.grid = {DP_GRID_NUMBER, 0, 4, 1, 0},
					 .listed = dp_memdup(arena, words, sizeof(words)),
					 .state = DP_RANGE_FOUND,
					 .bins = 2,
					 .bin = dp_memdup(arena, groups, sizeof(groups)),
					 .leaves = 3,
					 .leaf = dp_memdup(arena, group_leaves, sizeof(group_leaves)),
					 .weight = dp_memdup(arena, group_weights, sizeof(group_weights))};
}

static void
test_listed(DpArena *arena)
{
	DpRange range = listed(arena);
	DpDomain domain = domain_of(arena, &range, true), copy;
	uint8_t border[] = {0, 0, 1, 2, 1};

	CHECK_OK(dp_domain_check(&domain, NULL), "groups of categories fit");
	CHECK_STRING(domain.attribute[0].labels[1], "d", "an edge is a category");
	CHECK_STRING(domain.attribute[0].labels[2], "\xc3\xa9",
				 "and the last one is the last category");
	CHECK_NEAR(dp_range_share(&range, 0, 0, 0), 100.0 / 108, 1e-12,
			   "a category has the part of its leaf, and some of half a row");
	CHECK_NEAR(dp_range_share(&range, 0, 1, 1), 4.0 / 108, 1e-12, "one without weight, too");
	CHECK_NEAR(dp_range_share(&range, 0, 0, 4), 1, 1e-12, "a whole group is 1");
	CHECK_NEAR(dp_range_share(&range, 1, 0, 2), 0, 1e-12, "and other groups have no part");
	range.boundary = border;
	MUST(dp_domain_copy(&domain, &copy, arena));
	border[3] = 0;
	CHECK(copy.attribute[0].range->boundary[3] == 2, "a copy holds its own hierarchy");
	range.listed[0] = range.listed[1] = "gone";
	CHECK_OK(dp_domain_check(&copy, NULL), "a copy holds its own categories");
	CHECK_STRING(copy.attribute[0].range->listed[1], "b", "all of them");
	range = listed(arena);
	range.grid.last = 5;
	range.grid.digits = 1;
	CHECK(dp_range_check(&range, NULL) != DP_OK, "categories have places, not values");
}

typedef void (*Break)(DpRange *range);

static void
late_first_bin(DpRange *range)
{
	range->bin[0] = -9;
}

static void
bin_without_leaf(DpRange *range)
{
	range->bin[2] = 2;
}

static void
leaf_beyond(DpRange *range)
{
	range->leaf[6] = 101;
}

static void
leaf_twice(DpRange *range)
{
	range->leaf[4] = 1;
}

static void
heavy_leaf(DpRange *range)
{
	range->weight[1] = DP_RANGE_WEIGHT_MAX + 1;
}

static void
no_bins(DpRange *range)
{
	range->bins = 0;
}

static void
few_leaves(DpRange *range)
{
	range->leaves = 3;
}

static void
bad_grid(DpRange *range)
{
	range->grid.step = 0;
}

static void
asks_too_much(DpRange *range)
{
	range->state = DP_RANGE_REQUESTED;
	range->bins_max = DP_GRID_BINS_MAX + 1;
}

static void
unknown_state(DpRange *range)
{
	range->state = (DpRangeState) 3;
}

static void
test_check(DpArena *arena)
{
	static const Break breaks[] = {late_first_bin, bin_without_leaf, leaf_beyond, leaf_twice,
								   heavy_leaf,     no_bins,          few_leaves,  bad_grid,
								   asks_too_much,  unknown_state};
	DpRange range = found(arena);
	DpDomain domain = domain_of(arena, &range, false);

	for (size_t i = 0; i < sizeof(breaks) / sizeof(*breaks); i++)
	{
		DpRange broken = found(arena);

		breaks[i](&broken);
		CHECK(dp_range_check(&broken, NULL) != DP_OK, "broken range %zu is refused", i);
	}
	domain.attribute[0].labels[1] = "0.0";
	CHECK(dp_domain_check(&domain, NULL) != DP_OK, "labels are the edges' only texts");
	domain = domain_of(arena, &range, true);
	domain.attribute[0].other = "9999-12-31";
	CHECK(dp_domain_check(&domain, NULL) == DP_OK, "the level \"other\" can be a far value");
	domain.attribute[0].has_other = false;
	CHECK(dp_domain_check(&domain, NULL) != DP_OK, "which needs that level");
}

/* ---- bytes ---- */

static unsigned char *
write_domain(DpArena *arena, const DpDomain *domain, size_t *length)
{
	DpWriter writer = {0};

	dp_put_domain(&writer, domain);
	*length = writer.length;
	writer = (DpWriter){.bytes = dp_alloc(arena, *length, 1)};
	dp_put_domain(&writer, domain);
	return writer.bytes;
}

/* From a block of the exact size, so that a sanitizer sees a byte read too many. */
static DpStatus
read_domain(DpArena *arena, const unsigned char *bytes, size_t length, DpDomain *domain)
{
	unsigned char *copy = dp_memdup(arena, bytes, length);
	DpReader reader = {.name = "test", .at = copy, .end = copy + length, .arena = arena};

	*domain = (DpDomain){0};
	dp_get_domain(&reader, domain);
	if (reader.status == DP_OK && reader.at != reader.end)
		return DP_ERR_CORRUPT;
	return reader.status != DP_OK ? reader.status : dp_domain_check(domain, NULL);
}

/* What is read from changed bytes is either refused, or written as just these bytes. */
static void
test_bytes(DpArena *arena, const DpRange *range, const char *what)
{
	DpDomain domain = domain_of(arena, range, true), read;
	size_t length, again_length;
	unsigned char *bytes = write_domain(arena, &domain, &length);
	unsigned char *again;
	int failures = 0;

	CHECK_OK(read_domain(arena, bytes, length, &read), "%s: bytes are read", what);
	again = write_domain(arena, &read, &again_length);
	CHECK(again_length == length && memcmp(again, bytes, length) == 0, "%s: and the same", what);
	for (size_t cut = 0; cut < length; cut++)
		failures += read_domain(arena, bytes, cut, &read) == DP_OK;
	CHECK_I64(failures, 0, "%s: no part of them is read", what);
	for (size_t i = 0; i < length; i++)
		for (int value = 0; value < 256; value++)
		{
			unsigned char old = bytes[i];

			bytes[i] = (unsigned char) value;
			if (read_domain(arena, bytes, length, &read) == DP_OK)
			{
				again = write_domain(arena, &read, &again_length);
				failures += again_length != length || memcmp(again, bytes, length) != 0;
			}
			bytes[i] = old;
		}
	CHECK_I64(failures, 0, "%s: each domain has one form", what);
}

static void
test_copy(DpArena *arena)
{
	DpRange range = found(arena);
	DpDomain domain = domain_of(arena, &range, true), copy;
	size_t length[2];
	unsigned char *bytes[2];

	MUST(dp_domain_copy(&domain, &copy, arena));
	bytes[0] = write_domain(arena, &copy, &length[0]);
	range.bin[1] = range.leaf[2] = -1;
	range.weight[0] = 9;
	CHECK_OK(dp_domain_check(&copy, NULL), "a copy holds its own bins");
	bytes[1] = write_domain(arena, &copy, &length[1]);
	CHECK(length[0] == length[1] && memcmp(bytes[0], bytes[1], length[0]) == 0, "and leaves");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();
	DpRange asked = {.grid = {DP_GRID_DATE, -50000, 9000, 1, 0}, .bins_max = 20};
	DpRange cells = {.grid = {DP_GRID_TIMESTAMP, -5, INT64_C(1) << 55, 3, 0},
					 .state = DP_RANGE_CELLS};
	DpRange here;

	test_levels(&arena);
	test_check(&arena);
	here = found(&arena);
	test_bytes(&arena, &here, "found");
	test_bytes(&arena, &asked, "asked");
	test_bytes(&arena, &cells, "cells");
	test_copy(&arena);
	test_listed(&arena);
	here = listed(&arena);
	test_bytes(&arena, &here, "listed");
	here.state = DP_RANGE_REQUESTED;
	here.bins_max = 2;
	test_bytes(&arena, &here, "listed and asked");
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
