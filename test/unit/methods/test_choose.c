/*
 * test_choose.c -- the rule by which a method is chosen: by public facts alone,
 * never without an answer, and always one that plans where one can.
 */
#include "core/methods/choose.h"

#include "unit_data.h"

typedef struct Case
{
	uint32_t levels[100];
	uint32_t columns;
	double epsilon;
	uint64_t rows;
	bool delta;
	DpUnit unit;
} Case;

static const DpUnit one_row = {DP_ADD_REMOVE, 1};

static uint32_t
choose_with(const Case *c, const DpOptions *options, DpArena *arena, DpChoice *choice)
{
	DpDomain *domain = dp_alloc(arena, 1, sizeof(*domain));
	DpRequest request = {.domain = domain, .unit = c->unit, .options = options};
	DpChoiceFacts facts = {.request = &request, .rows = c->rows, .source = DP_ROWS_STATED};

	*domain = unit_domain(arena, c->levels, c->columns);
	request.budget.epsilon_nano = (int64_t) (c->epsilon * 1e9);
	request.budget.delta_atto = c->delta ? INT64_C(1000000000) : 0;
	facts.source = c->rows == 0 ? DP_ROWS_UNKNOWN : DP_ROWS_STATED;
	return dp_choose_methods(&facts, choice);
}

static uint32_t
choose(const Case *c, DpArena *arena, DpChoice *choice)
{
	static const DpOptions none;

	return choose_with(c, &none, arena, choice);
}

static bool
is_first(const Case *c, DpArena *arena, const char *method)
{
	DpChoice choice[DP_CHOICES_MAX];

	(void) choose(c, arena, choice);
	if (strcmp(choice[0].method->name, method) != 0)
		unit_note("chosen: %s, %s", choice[0].method->name, choice[0].reason);
	return strcmp(choice[0].method->name, method) == 0;
}

static void
test_examples(DpArena *arena)
{
	Case tiny = {{2, 2, 3, 3}, 4, 1, 500, false, one_row};
	Case plain = {{2, 3, 4}, 3, 1, 20000, false, one_row};
	Case nothing = {{10, 10, 10, 10, 10}, 5, 0.1, 500, false, one_row};
	Case thin = {{60, 60, 60, 60, 60, 60}, 6, 0.5, 5000, false, one_row};
	Case many = {.columns = 60, .epsilon = 0.03, .rows = 20000, .delta = true, .unit = one_row};
	Case pair = {{400, 300}, 2, 1, 20000, false, one_row};
	Case joint = {{10, 10, 10, 10, 10}, 5, 1, 20000, false, one_row};
	Case broad = {.columns = 40, .epsilon = 1, .rows = 50000, .unit = one_row};
	Case broader = {.columns = 100, .epsilon = 1, .rows = 50000, .delta = true, .unit = one_row};

	for (uint32_t a = 0; a < 40; a++)
		broad.levels[a] = 10;
	for (uint32_t a = 0; a < 60; a++)
		many.levels[a] = 2;
	for (uint32_t a = 0; a < 100; a++)
		broader.levels[a] = 2;
	CHECK(is_first(&tiny, arena, "flat"), "one table where it is small");
	tiny.delta = true;
	CHECK(is_first(&tiny, arena, "flat"), "with a delta too");
	CHECK(is_first(&plain, arena, "flat"), "and where noise is little beside its cells");
	CHECK(is_first(&nothing, arena, "marginal"), "single columns where nothing else can be told");
	CHECK(is_first(&thin, arena, "marginal"), "and where their levels are many for the signal");
	thin.delta = true;
	CHECK(is_first(&thin, arena, "marginal"), "with a delta too");
	thin.rows = 12000;
	CHECK(is_first(&thin, arena, "aim"), "and pairs where they are not");
	CHECK(is_first(&many, arena, "aim"), "but it is less for many columns, single ones too");
	many.delta = false;
	CHECK(is_first(&many, arena, "marginal"), "than Laplace noise is");
	CHECK(is_first(&pair, arena, "cipher"), "two columns have no parts to choose from");
	CHECK(is_first(&joint, arena, "aim"), "chosen parts else");
	joint.delta = true;
	CHECK(is_first(&joint, arena, "aim"), "with a delta too");
	CHECK(is_first(&broad, arena, "aim"), "and of a table that is too large to hold");
	CHECK(is_first(&broader, arena, "aim"), "with a delta many tables are chosen at a time");
	broader.delta = false;
	CHECK(is_first(&broader, arena, "mst"), "a tree where a fit for each would take minutes");
}

/* Only some methods know what is to be predicted, and there is always one. */
static void
test_predict(DpArena *arena)
{
	const Case cases[] = {{{2, 2, 3, 3}, 4, 1, 500, false, one_row},
						  {{400, 300}, 2, 1, 20000, false, one_row},
						  {{10, 10, 10, 10, 10}, 5, 1, 20000, true, one_row}};
	static const char *const methods[] = {"aim", "mst", "aim"};
	DpChoice choice[DP_CHOICES_MAX];
	UnitOptions given = {0};

	unit_word(&given, "predict", "c0");
	for (int i = 0; i < 3; i++)
	{
		uint32_t n = choose_with(&cases[i], &given.options, arena, choice);

		CHECK_STRING(choice[0].method->name, methods[i],
					 "a method that takes \"predict\" is first");
		for (uint32_t k = 0; k < n; k++)
			CHECK(strcmp(choice[k].method->name, "mst") == 0 ||
					  strcmp(choice[k].method->name, "aim") == 0,
				  "and no other follows");
	}
}

/* More noise a row, the same choice as fewer rows. */
static void
test_signal(DpArena *arena)
{
	Case few = {{3, 3, 3, 3, 3, 3, 2}, 7, 1, 250, false, one_row};
	Case many = few;
	DpChoice a[DP_CHOICES_MAX], b[DP_CHOICES_MAX];
	bool same = true;

	many.unit = (DpUnit){DP_REPLACE_ONE, 5};
	for (uint64_t rows = 1; rows < 1000000; rows *= 3)
	{
		few.rows = rows;
		many.rows = 10 * rows;
		same &= choose(&few, arena, a) == choose(&many, arena, b) && a[0].method == b[0].method;
	}
	CHECK(same, "rows x epsilon / sensitivity is all that counts of them");
	few.rows = 0;
	MUST(choose(&few, arena, a) > 0 ? DP_OK : DP_ERR_INTERNAL);
	CHECK(strstr(a[0].reason, "assumed") != NULL, "an assumption is called one");
}

/* Any facts have an answer, whose first is not repeated; one of them plans. */
static void
test_everything(DpArena *arena)
{
	static const double epsilons[] = {1e-9, 0.001, 0.1, 1, 10, 1000};
	DpPrng prng;
	unsigned none = 0, twice = 0, unplanned = 0;

	dp_prng_seed(&prng, (DpStream){47, 1, 1});
	for (int i = 0; i < 300; i++)
	{
		Case c = {.columns = 1 + (uint32_t) dp_prng_below(&prng, 40), .unit = one_row};
		DpChoice choice[DP_CHOICES_MAX];
		uint32_t n;
		bool planned = false;
		static DpOptions no_options;

		for (uint32_t a = 0; a < c.columns; a++)
			c.levels[a] = 2 + (uint32_t) dp_prng_below(&prng, i % 2 ? 3 : 30);
		c.epsilon = epsilons[dp_prng_below(&prng, 6)];
		c.rows = dp_prng_below(&prng, 4) * 10000;
		c.delta = dp_prng_below(&prng, 2) == 0;
		n = choose(&c, arena, choice);
		none += n == 0;
		for (uint32_t k = 0; k < n && !planned; k++)
		{
			DpDomain domain = unit_domain(arena, c.levels, c.columns);
			DpRequest request = {.domain = &domain, .unit = c.unit, .options = &no_options};
			DpPlan plan;

			for (uint32_t j = 0; j < k; j++)
				twice += choice[j].method == choice[k].method;
			request.budget.epsilon_nano = (int64_t) (c.epsilon * 1e9 + 0.5);
			request.budget.delta_atto = c.delta ? INT64_C(1000000000) : 0;
			planned = dp_plan(choice[k].method, &request, &plan, arena, NULL) == DP_OK;
		}
		/* an epsilon of 1e-9 or 1e-3 divided by 40 columns may be too small for any method */
		unplanned += !planned && c.epsilon >= 0.1;
	}
	CHECK_I64(none, 0, "there is always a candidate");
	CHECK_I64(twice, 0, "none comes twice");
	CHECK_I64(unplanned, 0, "one of them plans");
}

/* Tables that are released together: aim, unless a model has more columns than it scores. */
static void
test_trees(void)
{
	DpTreeChoiceFacts facts = {.tables = 3, .columns = 64, .rows = 1234567};
	char reason[320];

	CHECK(dp_aim_suits_tree(&facts), "aim suits a tree");
	facts.columns = 65;
	CHECK(!dp_aim_suits_tree(&facts), "more columns are too many without a delta");
	facts.delta = true;
	CHECK(dp_aim_suits_tree(&facts), "and not with one");
	facts.columns = 257;
	CHECK(!dp_aim_suits_tree(&facts), "up to a limit");
	facts.columns = 1;
	CHECK(dp_aim_suits_tree(&facts), "a single column is no obstacle");
	facts.columns = 0;
	CHECK(dp_aim_suits_tree(&facts), "nor is a number that is not known");
	dp_tree_choice_reason(dp_method_find("mst"), &facts, reason, sizeof(reason));
	CHECK(strstr(reason, "tree of pairs") && strstr(reason, "model not known") &&
			  strstr(reason, "about 1.2e+06"),
		  "the reason says what decided: %s", reason);
	facts = (DpTreeChoiceFacts){.tables = 2, .columns = 9};
	dp_tree_choice_reason(dp_method_find("aim"), &facts, reason, sizeof(reason));
	CHECK(strstr(reason, "up to 9, rows of all not known"), "and what is not known: %s", reason);
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_examples(&arena);
	test_signal(&arena);
	test_predict(&arena);
	test_everything(&arena);
	test_trees();
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
