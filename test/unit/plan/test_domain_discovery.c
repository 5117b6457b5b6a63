/*
 * test_domain_discovery.c -- values of open columns: how a plan shares the budget among them,
 * and which values are named, by the distribution of the threshold.
 */
#include "core/mechanism/mechanism.h"
#include "core/mechanism/sparse_histogram.h"
#include "core/plan/domain_discovery.h"

#include "unit_data.h"
#include "unit_stat.h"

#define SHARE INT64_C(100000000)
#define RUNS 4000

static const uint32_t levels[] = {2, 2, 2, 2};
static const DpMethod nothing = {.name = "nothing"};

static const DpUniverse *
words(DpArena *arena)
{
	const char **word = dp_alloc(arena, 3, sizeof(*word));
	DpUniverse *universe = dp_alloc(arena, 1, sizeof(*universe));
	uint64_t dropped;

	word[0] = "w";
	word[1] = "often";
	word[2] = "some";
	MUST(dp_universe_list(word, 3, universe, &dropped, arena, NULL));
	return universe;
}

/* ---- plans ---- */

static DpStatus
plan_status(const DpDomain *domain, int64_t delta_atto, DpArena *arena, DpPlan *plan,
			DpError *error)
{
	static DpRequest request;

	request = (DpRequest){
		.domain = domain, .unit = {DP_ADD_REMOVE, 1}, .budget = {DP_EPSILON_ONE, delta_atto, 0}};
	*plan = (DpPlan){.method = &nothing,
					 .request = &request,
					 .remaining = request.budget,
					 .discovery_no_false_positives_nano = 900000000};
	return dp_domain_discovery_plan(plan, SHARE, arena, error);
}

static void
test_plan(void)
{
	DpArena arena = dp_arena_malloc();
	DpDomain domain = unit_domain(&arena, levels, 4);
	int64_t delta = INT64_C(1000000000001);
	int64_t threshold;
	DpError error;
	DpPlan plan;

	MUST(plan_status(&domain, delta, &arena, &plan, NULL));
	CHECK(dp_open_attributes(&domain) == 0 && plan.stages == 0 && plan.scans == 0 &&
			  plan.remaining.epsilon_nano == DP_EPSILON_ONE,
		  "where nothing is open nothing is planned");
	for (uint32_t a = 0; a < 3; a++)
		unit_open(&domain.attribute[a]);
	domain.attribute[1].universe = words(&arena);
	MUST(plan_status(&domain, delta, &arena, &plan, NULL));
	CHECK(dp_open_attributes(&domain) == 3 && plan.scans == 1, "three open columns, one scan");
	CHECK(plan.discovery.epsilon_nano == 33333333 && plan.discovery_pure.epsilon_nano == 33333333,
		  "each has a third of the share of epsilon");
	CHECK(plan.discovery.delta_atto == INT64_C(50000000000) && plan.discovery_pure.delta_atto == 0,
		  "the two without a universe have half of the share of delta");
	CHECK(plan.remaining.epsilon_nano == DP_EPSILON_ONE - 3 * 33333333 &&
			  plan.remaining.delta_atto == delta - INT64_C(100000000000),
		  "the method has what they leave");
	CHECK(plan.cost.epsilon_nano == 3 * 33333333 && plan.cost.delta_atto == INT64_C(100000000000),
		  "and stages cost what they have");
	MUST(dp_stability_threshold(
		&(DpStability){{33333333, INT64_C(50000000000), 0}, plan.request->unit}, &threshold));
	CHECK(plan.stages == 2 && plan.stage[1].threshold_rows == threshold &&
			  plan.stage[1].tables == 2 && plan.stage[0].tables == 1,
		  "a stage shows the threshold");
	CHECK_STATUS(plan_status(&domain, 19, &arena, &plan, &error), DP_ERR_ARGUMENT,
				 "a delta of which a column's part is nothing");
	CHECK(error.status == DP_ERR_ARGUMENT && strstr(error.message, "delta") != NULL, "says so");
	domain.attribute[0].universe = domain.attribute[2].universe = domain.attribute[1].universe;
	CHECK_OK(plan_status(&domain, 0, &arena, &plan, NULL), "with universes alone none is needed");
	dp_arena_malloc_free(&arena);
}

/* ---- values ---- */

typedef struct Values
{
	DpArena *arena;
	uint64_t n;
	const char *const *value;
	const int64_t *count;
	unsigned scans;
} Values;

/* The same for each column. Noise is written over the counts, so each time they are a copy. */
static DpStatus
distinct(void *context, const DpDomain *domain, const uint32_t *attributes, uint32_t n,
		 DpValueCounts *out, DpError *error)
{
	Values *values = context;

	(void) domain;
	(void) attributes;
	(void) error;
	values->scans++;
	for (uint32_t i = 0; i < n; i++)
		out[i] = (DpValueCounts){
			.n = values->n,
			.value = dp_memdup(values->arena, values->value, values->n * sizeof(char *)),
			.count = dp_memdup(values->arena, values->count, values->n * sizeof(int64_t))};
	return DP_OK;
}

static bool
is_named(const DpAttribute *attribute, const char *text)
{
	for (uint32_t i = 0; i < attribute->labels_n; i++)
		if (strcmp(attribute->labels[i], text) == 0)
			return true;
	return false;
}

/* Column 0 of a domain with one open column, discovered; charged is what that cost. */
static DpAttribute
discover_one(const DpDomain *domain, Values *values, const DpPlan *plan, DpRng *rng,
			 DpBudget *charged)
{
	DpCounter counter = {.context = values, .distinct = distinct};
	DpDomain discovered;
	DpMeter meter;
	DpMeasurement m = {.plan = plan,
					   .domain = domain,
					   .counter = &counter,
					   .noise = {.meter = &meter, .rng = rng},
					   .arena = values->arena};

	dp_meter_init(&meter, plan->cost);
	MUST(dp_domain_discovery(&m, &discovered, NULL));
	*charged = meter.spent;
	return discovered.attribute[0];
}

/* How often each of two values is named, of counts beside the threshold. */
static void
test_distribution(bool universe, const char *what)
{
	DpArena arena = dp_arena_malloc();
	DpDomain domain = unit_domain(&arena, levels, 2);
	const char *const text[] = {"some", "outside", "often"};
	uint64_t often = 0, some = 0, outside = 0, unseen = 0, bad = 0;
	int64_t threshold, epsilon_nano;
	DpPlan plan;
	DpPrng prng;
	DpRng rng;

	unit_open(&domain.attribute[0]);
	domain.attribute[0].universe = universe ? words(&arena) : NULL;
	MUST(plan_status(&domain, DP_DELTA_ONE / 1000, &arena, &plan, NULL));
	threshold = plan.stage[0].threshold_rows;
	epsilon_nano = universe ? plan.discovery_pure.epsilon_nano : plan.discovery.epsilon_nano;
	unit_fixed_rng(&rng, &prng, 141);
	for (int run = 0; run < RUNS; run++)
	{
		DpArena scratch = dp_arena_malloc();
		const int64_t count[] = {threshold - 5, universe ? 1000 * threshold : 1, threshold};
		Values values = {.arena = &scratch, .n = 3, .value = text, .count = count};
		DpBudget charged;
		DpAttribute found = discover_one(&domain, &values, &plan, &rng, &charged);

		often += is_named(&found, "often");
		some += is_named(&found, "some");
		outside += is_named(&found, "outside");
		unseen += is_named(&found, "w");
		bad += found.open || found.universe != NULL || !found.has_other ||
			   found.levels != found.labels_n + 1 || values.scans != 1 ||
			   memcmp(&charged, &plan.cost, sizeof(charged)) != 0;
		dp_arena_malloc_free(&scratch);
	}
	{
		long double e0 = (long double) epsilon_nano * 1e-9L;
		double at[] = {(double) unit_laplace_above(e0, 0), 0};
		double below[] = {(double) unit_laplace_above(e0, 5), 0};
		double empty[] = {(double) unit_laplace_above(e0, threshold), 0};
		uint64_t seen[2] = {often, RUNS - often}, seen_below[2] = {some, RUNS - some};
		uint64_t seen_empty[2] = {unseen, RUNS - unseen};

		at[1] = 1 - at[0];
		below[1] = 1 - below[0];
		empty[1] = 1 - empty[0];
		CHECK(unit_chi_square_p(seen, at, 2, RUNS) > UNIT_P_MIN,
			  "%s: a value with T = %d rows is named as noise has it", what, (int) threshold);
		CHECK(unit_chi_square_p(seen_below, below, 2, RUNS) > UNIT_P_MIN,
			  "%s: and one with five rows less", what);
		CHECK(universe ? unit_chi_square_p(seen_empty, empty, 2, RUNS) > UNIT_P_MIN : unseen == 0,
			  "%s: a value that nobody has, if there is one", what);
		CHECK(universe ? outside == 0 : outside < RUNS / 500, "%s: hardly one with a row, or none",
			  what);
	}
	CHECK_I64((int64_t) bad, 0, "%s: the rest is one level, and the charge is the plan's", what);
	dp_arena_malloc_free(&arena);
}

/* ---- labels ---- */

static void
test_labels(void)
{
	DpArena arena = dp_arena_malloc();
	DpDomain domain = unit_domain(&arena, levels, 1);
	char *too_long = dp_alloc(&arena, DP_TEXT_MAX + 2, 1);
	const char *const text[] = {"b", "\xc3\xa9", "rest", "a", "B", too_long, "ab"};
	const int64_t count[] = {900000, 900000, 900000, 900000, 900000, 900000, 900000};
	const char *const want[] = {"B", "a", "ab", "b", "\xc3\xa9"};
	Values values = {.arena = &arena, .n = 7, .value = text, .count = count};
	DpAttribute found;
	DpBudget charged;
	bool sorted;
	DpPlan plan;
	DpPrng prng;
	DpRng rng;

	memset(too_long, 'x', DP_TEXT_MAX + 1);
	unit_fixed_rng(&rng, &prng, 142);
	unit_open(&domain.attribute[0]);
	domain.attribute[0].other = "rest";
	MUST(plan_status(&domain, DP_DELTA_ONE / 1000, &arena, &plan, NULL));
	found = discover_one(&domain, &values, &plan, &rng, &charged);
	sorted = found.labels_n == 5;
	for (uint32_t i = 0; sorted && i < 5; i++)
		sorted = strcmp(found.labels[i], want[i]) == 0;
	CHECK(sorted, "labels are in bytewise order, without what is written as the rest is");
	CHECK(domain.attribute[0].open && domain.attribute[0].labels_n == 0,
		  "the domain that was asked for stays open");
	domain.attribute[0].universe = words(&arena);
	domain.attribute[0].other = "often";
	MUST(plan_status(&domain, 0, &arena, &plan, NULL));
	sorted = true;
	for (int run = 0; run < 300; run++)
	{
		const char *const two[] = {"often", "some"};

		values.n = 2;
		values.value = two;
		found = discover_one(&domain, &values, &plan, &rng, &charged);
		sorted &= is_named(&found, "some") && !is_named(&found, "often");
	}
	CHECK(sorted, "nor is that named which is in a universe");
	dp_arena_malloc_free(&arena);
}

/* ---- no more than there is room for ---- */

/* Of seven values the three with the most rows, by counts so far apart that noise does not matter;
 * among equal ones the first. */
static void
test_most(bool universe)
{
	DpArena arena = dp_arena_malloc();
	DpDomain domain = unit_domain(&arena, levels, 2), bound;
	const char *const text[] = {"often", "e", "w", "a", "some", "b", "d"};
	const int64_t count[] = {9000000, 1000000, 8000000, 2000000, 7000000, 3000000, 4000000};
	Values values = {.arena = &arena, .n = 7, .value = text, .count = count};
	DpAttribute found;
	DpBudget charged;
	DpPlan plan;
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, 143);
	unit_open(&domain.attribute[0]);
	domain.attribute[0].universe = universe ? words(&arena) : NULL;
	MUST(plan_status(&domain, DP_DELTA_ONE / 1000, &arena, &plan, NULL));
	for (plan.open_levels = 1; plan.open_levels < 4; plan.open_levels++)
	{
		found = discover_one(&domain, &values, &plan, &rng, &charged);
		MUST(dp_domain_discovery_bound(&plan, &bound, &arena));
		CHECK(found.labels_n == plan.open_levels && is_named(&found, "often") &&
				  is_named(&found, "w") == (plan.open_levels > 1) &&
				  is_named(&found, "some") == (plan.open_levels > 2),
			  "the %u commonest values are kept", (unsigned) plan.open_levels);
		CHECK(found.levels == bound.attribute[0].levels && !bound.attribute[0].open &&
				  bound.attribute[1].levels == 2 && domain.attribute[0].open,
			  "as the plan expects at most");
	}
	plan.open_levels = 100;
	MUST(dp_domain_discovery_bound(&plan, &bound, &arena));
	CHECK(bound.attribute[0].levels == (universe ? 4 : 101), "no more than a universe has");
	found = discover_one(&domain, &values, &plan, &rng, &charged);
	CHECK_I64(found.labels_n, universe ? 3 : 7, "all of them where there is room");
	dp_arena_malloc_free(&arena);
}

int
main(void)
{
	test_most(false);
	test_most(true);
	test_plan();
	test_distribution(false, "any value");
	test_distribution(true, "a universe");
	test_labels();
	return unit_finish();
}
