/*
 * test_sets.c -- independent sets: every method that can be drawn from measures as
 * often as there are sets, for the budget of one.
 */
#include "core/methods/registry.h"

#include "unit_data.h"

typedef struct Drawn
{
	UnitTable table;
	DpRequest request;
	DpPlan plan;
	DpMeter meter;
	DpModel model;
	DpError error;
} Drawn;

static DpStatus
measure(Drawn *d, DpArena *arena, const char *method, const UnitOptions *options, uint32_t sets,
		DpNeighbours neighbours, int64_t delta_atto)
{
	DpCounter counter = unit_counter(&d->table);
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, 17);
	d->request = (DpRequest){.domain = d->table.domain,
							 .unit = {neighbours, 1},
							 .budget = {DP_EPSILON_ONE, delta_atto, 0},
							 .options = &options->options,
							 .sets = sets};
	DP_TRY(dp_plan(dp_method_find(method), &d->request, &d->plan, arena, &d->error));
	dp_meter_init(&d->meter, d->plan.cost);
	return dp_measure(&(DpMeasurement){.plan = &d->plan,
									   .counter = &counter,
									   .noise = {.meter = &d->meter, .rng = &rng},
									   .arena = arena},
					  &d->model, &d->error);
}

static Drawn
prepare_table(DpArena *arena, DpDomain *domain)
{
	const uint32_t levels[] = {4, 3, 2};
	Drawn d = {.plan = {.stages = 0}};

	*domain = unit_domain(arena, levels, 3);
	d.table = unit_table(arena, domain, 1200);
	for (uint32_t i = 0; i < 1200; i++)
		for (uint32_t a = 0; a < 3; a++)
			d.table.code[a][i] = (i / (a + 1)) % levels[a];
	return d;
}

/* Each set is a model of its own, which draws rows; no two have the same noise. */
static void
check_sets(const Drawn *d, DpArena *arena, const char *method)
{
	bool draws = true, differ = true;
	DpModel view[4];

	for (uint32_t set = 0; set < 4; set++)
	{
		uint32_t codes[3];
		DpError error;
		void *sampler;
		DpPrng prng;

		MUST(dp_model_view(&d->model, set + 1, &view[set]));
		MUST(dp_model_check(&view[set], &error));
		MUST(d->plan.method->sampler->prepare(&view[set], &sampler, NULL, arena, &error));
		dp_prng_seed(&prng, (DpStream){1, 2, 3});
		d->plan.method->sampler->draw(sampler, &prng, codes);
		draws = draws && codes[0] < 4 && codes[1] < 3 && codes[2] < 2 && view[set].rows > 0 &&
				view[set].rows < 12000;
		for (uint32_t other = 0; other < set; other++)
			differ = differ && (view[set].table[0].cells != view[other].table[0].cells ||
								memcmp(view[set].table[0].value, view[other].table[0].value,
									   view[set].table[0].cells * sizeof(int64_t)) != 0);
	}
	CHECK(draws, "%s: each set draws rows, and knows how many", method);
	CHECK(differ, "%s: each has noise of its own", method);
}

static void
test_method(const char *method, DpNeighbours neighbours)
{
	DpArena arena = dp_arena_malloc();
	DpDomain domain;
	Drawn one = prepare_table(&arena, &domain), four = one;
	UnitOptions options = {.lists = 0};
	/* a method that has no guarantee without a delta needs one */
	bool needs_delta = strcmp(dp_method_find(method)->guarantee, "(epsilon, delta)-DP") == 0;
	int64_t delta = needs_delta ? DP_DELTA_ONE / 1000 : 0;

	MUST(measure(&one, &arena, method, &options, 4, neighbours, delta));
	CHECK(one.model.replicates == 0 && one.plan.sets == 1,
		  "%s: sets are drawn from one measurement", method);
	unit_add_option(&options, "independent_sets", DP_VALUE_BOOLEAN)->flag = true;
	MUST(measure(&four, &arena, method, &options, 4, neighbours, delta));
	CHECK(four.model.replicates == 4 && four.plan.scans == 4 * one.plan.scans &&
			  four.table.scans == four.plan.scans,
		  "%s: or each from its own, in as many scans", method);
	CHECK(four.plan.cost.epsilon_nano == one.plan.cost.epsilon_nano &&
			  four.plan.cost.delta_atto == one.plan.cost.delta_atto &&
			  four.meter.spent.epsilon_nano <= four.plan.cost.epsilon_nano,
		  "%s: which cost as much together", method);
	CHECK(four.plan.stage[0].each.epsilon_nano <= one.plan.stage[0].each.epsilon_nano / 4 + 1 &&
			  four.plan.stage[0].tables == 4 * one.plan.stage[0].tables,
		  "%s: a part of the budget each", method);
	check_sets(&four, &arena, method);
	dp_arena_malloc_free(&arena);
}

int
main(void)
{
	for (uint32_t i = 0; i < dp_methods_n; i++)
	{
		if (dp_methods[i]->sampler->draw == NULL)
			continue; /* rows are the release: test_row_release.c */
		test_method(dp_methods[i]->name, DP_ADD_REMOVE);
		test_method(dp_methods[i]->name, DP_REPLACE_ONE);
	}
	return unit_finish();
}
