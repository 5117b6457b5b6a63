/*
 * test_grouping.c -- groups of rare levels, by count and by a hierarchy, and the level "other".
 */
#include "core/graphical/grouping.h"

#include <math.h>
#include <string.h>

#include "unit_data.h"

static void
test_groups(DpArena *arena)
{
	static const uint32_t levels[] = {5, 3};
	static const uint32_t wanted[] = {0, 1, 1, 2, 1, 0, 1, 2};
	static const uint32_t pair[] = {0, 1};
	const DpAttributeSet first = {1, pair}, both = {2, pair};
	int64_t many[] = {100, 1, -2, 50, 0}, few[] = {100, 1, 50};
	int64_t *noisy[] = {many, few};
	const double deviation[] = {10, 10};
	const int64_t count[] = {5, 1, 2, 3, 4};
	int64_t grouped[9], back[15], all[15];
	double picked[3];
	DpDomain domain = unit_domain(arena, levels, 2);
	DpGrouping grouping;

	MUST(dp_grouping_init(&grouping, &domain, arena));
	CHECK(grouping.levels[0] == 5 && dp_grouping_cells(&grouping, &both) == 15,
		  "at first each level is a group");
	MUST(dp_grouping_merge(&grouping, noisy, deviation, &(DpGroupingMerge){DP_GROUPING_ALL, 6},
						   arena));
	CHECK(memcmp(grouping.structure, wanted, sizeof(wanted)) == 0 && grouping.levels[0] == 3 &&
			  grouping.levels[1] == 3,
		  "levels below three deviations are one group; one alone stays what it is");
	MUST(dp_grouping_collapse(&grouping, &first, count, grouped, arena));
	CHECK(grouped[0] == 5 && grouped[1] == 7 && grouped[2] == 3, "sums over groups");
	MUST(dp_grouping_expand(&grouping, &first, grouped, back, arena));
	CHECK(back[0] == 5 && back[1] == 7 && back[2] == 0 && back[3] == 3 && back[4] == 0,
		  "a group's first level stands for it");
	MUST(dp_grouping_pick(&grouping, &first, back, picked, arena));
	CHECK(picked[0] == 5 && picked[1] == 7 && picked[2] == 3, "and gives it back");
	for (uint32_t i = 0; i < 15; i++)
		all[i] = 1;
	MUST(dp_grouping_collapse(&grouping, &both, all, grouped, arena));
	CHECK(grouped[0] == 1 && grouped[3] == 3 && grouped[5] == 3 && grouped[8] == 1,
		  "of two attributes");
	MUST(dp_grouping_merge(&grouping, noisy, deviation, &(DpGroupingMerge){DP_GROUPING_ALL, 4},
						   arena));
	CHECK(grouping.levels[0] + grouping.levels[1] <= 4, "fewer groups where there is no room");
	CHECK_STATUS(dp_grouping_merge(&grouping, noisy, deviation,
								   &(DpGroupingMerge){DP_GROUPING_ALL, 1}, arena),
				 DP_ERR_LIMIT, "each attribute needs one");
}

/* A list of 64 levels of ten rows, of which one has a thousand, and a short one. */
static void
test_long_lists(DpArena *arena)
{
	static const uint32_t levels[] = {64, 3};
	int64_t list[64], few[] = {1000, 1, 2}, *noisy[] = {list, few};
	DpDomain domain = unit_domain(arena, levels, 2);
	DpGroupingMerge merge = {DP_GROUPING_LONG, 1000};
	double deviation[] = {10, 10};
	DpGrouping grouping;

	for (uint32_t i = 0; i < 64; i++)
		list[i] = i == 0 ? 1000 : 10;
	MUST(dp_grouping_init(&grouping, &domain, arena));
	MUST(dp_grouping_merge(&grouping, noisy, deviation, &merge, arena));
	CHECK(grouping.levels[0] == 2 && grouping.levels[1] == 3,
		  "rare levels of a long list are one, and those of a short one stay");
	deviation[0] = 2;
	list[0] = 1000000;
	MUST(dp_grouping_init(&grouping, &domain, arena));
	MUST(dp_grouping_merge(&grouping, noisy, deviation, &merge, arena));
	CHECK(grouping.levels[0] == 64, "where there are rows enough a long list stays, too");
	deviation[0] = 10;
	list[0] = 500;
	MUST(dp_grouping_init(&grouping, &domain, arena));
	MUST(dp_grouping_merge(&grouping, noisy, deviation, &merge, arena));
	CHECK(grouping.levels[0] == 64, "and where most rows are of rare levels");
}

/* Blocks {0,1,2}, {3,4} and {5}, chapters {0..4} and {5}, and the rest. */
static void
test_hierarchy(DpArena *arena)
{
	static const uint32_t levels[] = {7, 7};
	static const uint8_t border[] = {0, 0, 0, 1, 0, 2};
	static const uint32_t wanted[] = {0, 1, 0, 2, 2, 3, 3, 0, 1, 0, 0, 2, 0, 2};
	int64_t stays[] = {25, 100, 24, 20, 25, 3, 5}, goes_on[] = {5, 100, 9, 0, 20, 50, 1};
	int64_t *noisy[] = {stays, goes_on};
	const double deviation[] = {10, 10};
	DpDomain domain = unit_domain(arena, levels, 2);
	DpGrouping grouping;

	for (uint32_t a = 0; a < 2; a++)
	{
		domain.attribute[a].has_other = true;
		domain.attribute[a].labels_n = 6;
		domain.attribute[a].boundary = border;
	}
	MUST(dp_grouping_init(&grouping, &domain, arena));
	MUST(dp_grouping_merge(&grouping, noisy, deviation,
						   &(DpGroupingMerge){DP_GROUPING_HIERARCHIES, 0}, arena));
	CHECK(memcmp(grouping.structure, wanted, 7 * sizeof(*wanted)) == 0,
		  "rare levels stay with those of their block, and leave the frequent one alone");
	CHECK(grouping.group[1][0] == grouping.group[1][2] && grouping.group[1][1] == 1 &&
			  grouping.group[1][0] == grouping.group[1][3] &&
			  grouping.group[1][0] == grouping.group[1][4] && grouping.group[1][5] == 2 &&
			  grouping.group[1][6] == 0,
		  "rare blocks go on together to their chapter, and to the rest of all");
	domain.attribute[0].boundary = NULL;
	MUST(dp_grouping_init(&grouping, &domain, arena));
	MUST(dp_grouping_merge(&grouping, noisy, deviation,
						   &(DpGroupingMerge){DP_GROUPING_HIERARCHIES, 0}, arena));
	CHECK_I64(grouping.levels[0], 7, "who has no hierarchy is left alone");
}

/* The level "other" is the last one. */
static void
test_rest(DpArena *arena)
{
	static const uint32_t levels[] = {4, 4, 4, 1};
	static const uint32_t wanted[] = {0, 1, 2, 1, 0, 1, 2, 3, 0, 1, 0, 0, 0};
	int64_t joins[] = {100, 40, 60, 29}, stays[] = {100, 40, 60, 30}, rare[] = {1, 90, 2, 3};
	int64_t alone[] = {0};
	int64_t *noisy[] = {joins, stays, rare, alone};
	const double deviation[] = {10, 10, 10, 10};
	DpDomain domain = unit_domain(arena, levels, 4);
	DpGrouping grouping;
	DpModel model = {.domain = domain};

	for (uint32_t a = 0; a < 4; a++)
		domain.attribute[a].has_other = true;
	MUST(dp_grouping_init(&grouping, &domain, arena));
	MUST(dp_grouping_join_other(&grouping, noisy, deviation, arena));
	CHECK(memcmp(grouping.structure, wanted, 8 * sizeof(*wanted)) == 0 && grouping.levels[0] == 3 &&
			  grouping.levels[1] == 4,
		  "a rare rest joins the smallest level, another one stays");
	CHECK(grouping.levels[3] == 1, "a level without others stays");
	MUST(dp_grouping_merge(&grouping, noisy, deviation, &(DpGroupingMerge){DP_GROUPING_ALL, 20},
						   arena));
	MUST(dp_grouping_join_other(&grouping, noisy, deviation, arena));
	CHECK(memcmp(grouping.structure, wanted, sizeof(wanted)) == 0 && grouping.levels[2] == 2,
		  "and so does a rest that is rare together with others");
	model.structure = grouping.structure;
	model.structure_n = grouping.structure_n;
	MUST(dp_grouping_parse(&grouping, &model, arena, NULL));
	CHECK(grouping.levels[0] == 3 && grouping.levels[1] == 4 && grouping.levels[2] == 2,
		  "a model gives the same groups back");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_groups(&arena);
	test_long_lists(&arena);
	test_hierarchy(&arena);
	test_rest(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
