/*
 * test_public.c -- zeros and priors told to a graphical model: of groups of levels, and
 * only as far as there is room.
 */
#include "core/graphical/noisy_measurement.h"

#include "unit_data.h"

static const uint32_t levels[] = {4, 3, 2};

/* Levels 1 and 3 of attribute 0 are one group; groups are 0, {1, 3} and 2. */
static void
make_groups(DpGrouping *grouping, const DpDomain *domain, DpArena *arena)
{
	MUST(dp_grouping_init(grouping, domain, arena));
	grouping->levels[0] = 3;
	grouping->group[0][3] = 1;
}

static const DpForbidden *
find_forbidden(const DpGraphical *model, uint32_t n, uint32_t first)
{
	for (uint32_t i = 0; i < model->impossible.n; i++)
		if (model->impossible.table[i].set.n == n &&
			model->impossible.table[i].set.attribute[0] == first)
			return &model->impossible.table[i];
	return NULL;
}

static bool
forbids_only(const DpForbidden *forbidden, uint64_t cells, uint64_t bits)
{
	if (forbidden == NULL || forbidden->cells != cells)
		return false;
	for (uint64_t i = 0; i < cells; i++)
		if (forbidden->potential[i] != (bits >> i & 1 ? DP_LOG_ZERO : 0))
			return false;
	return true;
}

static void
test_zeros(DpArena *arena)
{
	DpDomain domain = unit_domain(arena, levels, 3);
	uint32_t one[] = {1}, both[] = {0, 1}, other[] = {0, 2};
	uint32_t code_one[] = {2};
	/* with 1: of the group, both levels, only one, none; and a level that is its own group */
	uint32_t code_both[] = {1, 0, 1, 1, 2, 2, 3, 0};
	uint32_t code_other[] = {3, 1};
	DpZeroSet set[] = {{1, one, 1, code_one}, {2, both, 4, code_both}, {2, other, 1, code_other}};
	DpGraphical model;
	DpGrouping grouping;

	domain.zeros = (DpZeros){3, set};
	make_groups(&grouping, &domain, arena);
	MUST(dp_graphical_init(
		&model,
		&(DpGraphicalStart){
			.attributes = 3, .levels = grouping.levels, .total = 1000, .cells_max = 100000},
		arena));
	MUST(dp_graphical_add_public(&model, &grouping, 1000));
	CHECK_I64(model.impossible.n, 2, "a set of which no group is wholly forbidden tells nothing");
	CHECK(forbids_only(find_forbidden(&model, 1, 1), 3, 1 << 2), "a level is forbidden");
	CHECK(forbids_only(find_forbidden(&model, 2, 0), 9, 1 << 3 | 1 << 8),
		  "a cell of groups is where all its levels are, and only there");
	CHECK(dp_graphical_public_cells(dp_graphical_is_connected(&domain), 1600) == 100,
		  "zeros may take a sixteenth");
	CHECK_I64(dp_graphical_public_parts(&domain), 0, "they have no parts");
}

static void
test_priors(DpArena *arena)
{
	DpDomain domain = unit_domain(arena, levels, 3);
	uint32_t attributes[] = {0, 2};
	int64_t count[] = {10, 20, 30, 40, 50, 60, 70, 120};
	DpPrior prior = {2, attributes, 8, count, 20000000};
	const double want[] = {50, 100, 500, 800, 250, 300};
	DpGraphical model;
	DpGrouping grouping;
	bool right = true;

	domain.priors = 1;
	domain.prior = &prior;
	make_groups(&grouping, &domain, arena);
	MUST(dp_graphical_init(&model,
						   &(DpGraphicalStart){.attributes = 3,
											   .levels = grouping.levels,
											   .total = DP_TOTAL_UNKNOWN,
											   .cells_max = 100000},
						   arena));
	MUST(dp_graphical_add_public(&model, &grouping, 2000));
	CHECK(model.measured.n == 1 && model.measured.table[0]->cells == 6,
		  "a prior is one table of groups");
	for (int i = 0; i < 6; i++)
		right &= fabs(model.measured.table[0]->observed[i] - want[i]) < 1e-9;
	CHECK(right, "with its shares of the rows, of all levels of a group together");
	CHECK_NEAR(model.measured.table[0]->variance, 40.0 * 40.0 * 8 / 6, 1e-6,
			   "as uncertain as its levels together");
	CHECK(model.measured.total_weights == 0, "of how many rows there are it says nothing");
	CHECK_I64(dp_graphical_public_parts(&domain), dp_interactions_parts(2), "it has parts");
}

/* Where the public tables would have more than their part of the cells, they are left out. */
static void
test_room(DpArena *arena)
{
	DpDomain domain = unit_domain(arena, levels, 3);
	uint32_t all[] = {0, 1, 2}, code[] = {0, 0, 0};
	DpZeroSet set = {3, all, 1, code};
	DpGraphical model;
	DpGrouping grouping;

	domain.zeros = (DpZeros){1, &set};
	MUST(dp_grouping_init(&grouping, &domain, arena));
	MUST(dp_graphical_init(
		&model,
		&(DpGraphicalStart){
			.attributes = 3, .levels = grouping.levels, .total = 1000, .cells_max = 24 * 16},
		arena));
	MUST(dp_graphical_add_public(&model, &grouping, 1000));
	CHECK_I64(model.impossible.n, 1, "24 cells of 24 x 16");
	MUST(dp_graphical_init(
		&model,
		&(DpGraphicalStart){
			.attributes = 3, .levels = grouping.levels, .total = 1000, .cells_max = 24 * 16 - 1},
		arena));
	MUST(dp_graphical_add_public(&model, &grouping, 1000));
	CHECK_I64(model.impossible.n, 0, "of one less they are more than a sixteenth");
	domain.zeros.sets = 0;
	CHECK_I64(dp_graphical_public_cells(dp_graphical_is_connected(&domain), 1600), 0,
			  "nothing stated takes nothing");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_zeros(&arena);
	test_priors(&arena);
	test_room(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
