/*
 * test_parent_priors.c -- what a parent's model tells of the rows that belong to its rows.
 */
#include "core/sample/parent_priors.h"

#include "core/domain/priors.h"
#include "core/sample/model_query.h"
#include "unit.h"

/* The parent: a of 2 levels, the number of children 0..3, b of 3 levels that no child knows. */
enum
{
	A,
	COUNT,
	B,
	CELLS = 24
};

static double joint[CELLS]; /* shares, row-major */

static DpStatus
fit(const DpModel *model, void **fitted, const DpTick *tick, DpArena *arena, DpError *error)
{
	(void) tick, (void) arena, (void) error;
	*fitted = (void *) model;
	return DP_OK;
}

static DpStatus
marginal(const void *fitted, const DpAttributeSet *set, double *out, const DpTick *tick,
		 DpArena *arena)
{
	const DpModel *model = fitted;

	(void) tick, (void) arena;
	for (uint64_t i = 0; i < dp_domain_cells(&model->domain, set->attribute, set->n); i++)
		out[i] = 0;
	for (uint32_t i = 0; i < CELLS; i++)
	{
		uint32_t code[] = {i / 12, i / 3 % 4, i % 3};
		uint64_t cell = 0;

		for (uint32_t k = 0; k < set->n; k++)
			cell =
				cell * model->domain.attribute[set->attribute[k]].levels + code[set->attribute[k]];
		out[cell] += joint[i];
	}
	return DP_OK;
}

static const DpModelQuery query = {.fit = fit, .marginal = marginal};
static const DpSampler sampler = {.query = &query};

static DpTable
table_over(uint32_t *attribute, uint32_t n)
{
	return (DpTable){.n = n,
					 .attribute = attribute,
					 .noise = DP_NOISE_LAPLACE,
					 .cost = {.epsilon_nano = 100000000},
					 .sensitivity_l1 = 1};
}

/* The share of a, and of a with a number of siblings, among the rows: by hand. */
static double
share_of(uint32_t a, uint32_t siblings, uint32_t full)
{
	double sum = 0, all = 0;

	for (uint32_t i = 0; i < CELLS; i++)
	{
		uint32_t m = i / 3 % 4;
		double weight = joint[i] * (m < full ? m : full);

		all += weight;
		sum += i / 12 == a && (siblings == 0 || m == siblings) ? weight : 0;
	}
	return sum / all;
}

static void
is_share(const DpPrior *prior, uint64_t cell, double share)
{
	double total = 0;

	for (uint64_t i = 0; i < prior->cells; i++)
		total += (double) prior->count[i];
	CHECK_NEAR((double) prior->count[cell] / total, share, 1e-9, "share of cell %d", (int) cell);
}

/* The child knows its siblings as attribute 1, and a as attribute 2: the other way round. */
static void
tells(DpArena *arena, uint32_t full, bool together)
{
	DpAttribute of_parent[] = {
		{.name = "a", .levels = 2}, {.name = "n", .levels = 4}, {.name = "b", .levels = 3}};
	DpAttribute of_child[] = {
		{.name = "own", .levels = 5}, {.name = "m", .levels = 3}, {.name = "p.a", .levels = 2}};
	uint32_t a[] = {A}, n[] = {COUNT}, b[] = {B}, a_b[] = {A, B}, a_n[] = {A, COUNT};
	DpTable table[] = {table_over(a, 1), table_over(n, 1), table_over(b, 1), table_over(a_b, 2),
					   table_over(a_n, 2)};
	DpModel parent = {.domain = {.attributes = 3, .attribute = of_parent},
					  .rows = 1000,
					  .tables = together ? 5 : 4,
					  .table = table};
	DpDomain child = {.attributes = 3, .attribute = of_child};
	const uint32_t known[] = {2, UINT32_MAX, UINT32_MAX};
	const DpParentPriors priors = {.parent = &parent,
								   .sampler = &sampler,
								   .known = known,
								   .count = COUNT,
								   .siblings = 1,
								   .full = full,
								   .scratch = arena};
	DpError error;

	MUST(dp_parent_priors_add(&priors, &child, NULL, arena, &error));
	MUST(dp_priors_check(&child, &error));
	/* b alone tells nothing; what lies within is left out */
	CHECK_I64(child.priors, together ? 1 : 2, "as many tables as are known");
	for (uint32_t level = 0; level < 2; level++)
	{
		const DpPrior *last = &child.prior[child.priors - 1];

		CHECK_I64(last->attribute[last->n - 1], 2, "the last attribute is that of the parent");
		if (!together)
			is_share(last, level, share_of(level, 0, full));
		for (uint32_t m = 1; together && m <= 3; m++)
			is_share(last, (m - 1) * 2 + level, share_of(level, m, full));
	}
	/* noise of 14 rows, of those parents that have children */
	CHECK_NEAR((double) child.prior[0].uncertainty_nano, 17e6, 3e6,
			   "the noise of the parent's table");
}

/* Where the child has other levels of an attribute, cells would be counted outside of the tables. */
static void
checks_levels(DpArena *arena)
{
	DpAttribute of_parent[] = {{.name = "a", .levels = 2}, {.name = "n", .levels = 4}};
	DpAttribute of_child[] = {{.name = "m", .levels = 3}, {.name = "p.a", .levels = 2}};
	DpModel parent = {.domain = {.attributes = 2, .attribute = of_parent}};
	DpDomain child = {.attributes = 2, .attribute = of_child};
	const uint32_t known[] = {1, UINT32_MAX};
	const DpParentPriors priors = {
		.parent = &parent, .sampler = &sampler, .known = known, .count = COUNT, .scratch = arena};
	DpError error = {0};

	MUST(dp_parent_priors_check(&priors, &child, &error));
	of_child[1].levels = 3;
	CHECK_I64(dp_parent_priors_add(&priors, &child, NULL, arena, &error), DP_ERR_INTERNAL,
			  "an attribute of other levels");
}

/* The parent was priors of a and its number together, and measured neither with the other. */
static void
tells_its_priors(DpArena *arena)
{
	DpAttribute of_parent[] = {
		{.name = "a", .levels = 2}, {.name = "n", .levels = 4}, {.name = "b", .levels = 3}};
	DpAttribute of_child[] = {
		{.name = "own", .levels = 5}, {.name = "p.a", .levels = 2}, {.name = "p.b", .levels = 3}};
	uint32_t a[] = {A}, b[] = {B}, n[] = {COUNT}, a_b[] = {A, B};
	int64_t count[] = {1, 1, 1, 1, 1, 1};
	DpTable table[] = {table_over(a, 1), table_over(b, 1), table_over(n, 1)};
	DpPrior prior = {.n = 2,
					 .attribute = a_b,
					 .cells = 6,
					 .count = count,
					 .uncertainty_nano = DP_PRIOR_UNCERTAINTY_ONE / 100};
	DpModel parent = {
		.domain = {.attributes = 3, .attribute = of_parent, .priors = 1, .prior = &prior},
		.rows = 1000,
		.tables = 3,
		.table = table};
	DpDomain child = {.attributes = 3, .attribute = of_child};
	const uint32_t known[] = {1, UINT32_MAX, 2};
	const DpParentPriors priors = {.parent = &parent,
								   .sampler = &sampler,
								   .known = known,
								   .count = COUNT,
								   .siblings = UINT32_MAX,
								   .full = 1,
								   .scratch = arena};
	DpError error;

	MUST(dp_parent_priors_add(&priors, &child, NULL, arena, &error));
	CHECK_I64(child.priors, 1, "single columns lie within what the parent was told");
	CHECK_I64(child.prior[0].n, 2, "both columns go together");
	for (uint32_t cell = 0; cell < 6; cell++)
	{
		double sum = 0, all = 0;

		for (uint32_t i = 0; i < CELLS; i++)
		{
			double weight = i / 3 % 4 > 0 ? joint[i] : 0;

			all += weight;
			sum += i / 12 * 3 + i % 3 == cell ? weight : 0;
		}
		is_share(&child.prior[0], cell, sum / all);
	}
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();
	double all = 0;

	for (uint32_t i = 0; i < CELLS; i++)
		all += joint[i] = (i * i) % 7 + 1;
	for (uint32_t i = 0; i < CELLS; i++)
		joint[i] /= all;
	for (uint32_t full = 1; full <= 3; full++)
	{
		tells(&arena, full, false);
		tells(&arena, full, true);
	}
	tells_its_priors(&arena);
	checks_levels(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
