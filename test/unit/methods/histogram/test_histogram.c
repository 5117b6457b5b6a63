/*
 * test_histogram.c -- methods histogram and cathist, and open attributes with a universe: what is
 * planned, released and drawn.
 *
 * Covers cells.c, release_cells.c and histogram_sampler.c.
 */
#include "core/methods/registry.h"

#include "core/mechanism/sparse_histogram.h"
#include "core/plan/release_cells.h"
#include "unit_data.h"

static const uint32_t sizes[3] = {2, 3, 9};

/*
 * c0 and c1 are closed. c2 is open, with v0..v8 as values: v0 4000 times, v1 2000 times, v8 once.
 */
static DpDomain
domain_of(DpArena *arena)
{
	DpDomain domain = unit_domain(arena, sizes, 3);

	unit_open(&domain.attribute[2]);
	return domain;
}

static UnitTable
table_of(DpArena *arena, const DpDomain *domain)
{
	UnitTable table = unit_table(arena, domain, 6001);

	for (uint32_t i = 0; i < table.rows; i++)
	{
		table.code[0][i] = i % 2;
		table.code[1][i] = i % 3;
		table.code[2][i] = i == 6000 ? 8 : i % 3 == 2;
	}
	return table;
}

static DpUniverse *
list_of(DpArena *arena, const char *words)
{
	const char **value = dp_alloc(arena, strlen(words) + 1, sizeof(*value));
	DpUniverse *u = dp_alloc(arena, 1, sizeof(*u));
	char *copy = dp_strdup(arena, words);
	uint64_t n = 0, dropped;

	for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " "))
		value[n++] = word;
	CHECK_OK(dp_universe_list(value, n, u, &dropped, arena, NULL), "a list");
	return u;
}

/* "v" and a digit, among others: 1.9e16 values, 1.1e17 with the other columns. */
static DpUniverse *
huge(DpArena *arena)
{
	static const char *symbol[] = {"v", "0", "1", "2", "3", "4", "5", "6", "7"};
	DpUniverse *u = dp_alloc(arena, 1, sizeof(*u));

	CHECK(dp_universe_strings(
			  &(DpStringRange){.symbol = symbol, .symbols = 9, .length_min = 1, .length_max = 17},
			  u, arena, NULL) == DP_OK &&
			  u->size > UINT64_C(1) << 54,
		  "a universe of %" PRIu64 " values", u->size);
	return u;
}

/* Few values, which are too long together: 1.7e10 bytes. */
static DpUniverse *
long_texts(DpArena *arena)
{
	static const char *symbol[] = {"v"};
	DpUniverse *u = dp_alloc(arena, 1, sizeof(*u));

	CHECK_OK(dp_universe_strings(
				 &(DpStringRange){
					 .symbol = symbol, .symbols = 1, .length_min = 1, .length_max = 1 << 17},
				 u, arena, NULL),
			 "long texts");
	return u;
}

static DpStatus
run(UnitRelease *release, const char *method, UnitTable *table, UnitOptions *options,
	int64_t delta_atto, DpArena *arena)
{
	DpBudget budget = {.epsilon_nano = 4 * DP_EPSILON_ONE, .delta_atto = delta_atto};
	DpUnit unit = {DP_ADD_REMOVE, 1};
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, 5);
	return unit_release(release, method, table, unit, budget, &options->options, &rng, arena);
}

static int64_t
count_of(const DpModel *model, uint32_t t, const char *label)
{
	const DpTable *table = &model->table[t];
	const DpAttribute *attribute = &model->domain.attribute[table->attribute[table->n - 1]];
	int64_t sum = 0;

	for (uint64_t i = 0; i < table->cells; i++)
	{
		uint32_t code = table->storage == DP_SPARSE ? table->code[i * table->n + table->n - 1]
													: (uint32_t) (i % attribute->levels);

		if (code < attribute->labels_n && strcmp(attribute->labels[code], label) == 0)
			sum += table->value[i];
	}
	return sum;
}

/* The model as bytes and back is the same bytes again. */
static void
check_bytes(const UnitRelease *r, DpArena *arena, const char *name)
{
	unsigned char *bytes, *again;
	size_t length = 0, length_again;
	DpModel parsed;
	DpError error;

	CHECK(dp_model_serialise(&r->model, &bytes, &length, arena, &error) == DP_OK &&
			  dp_model_parse(bytes, length, &parsed, arena, &error) == DP_OK &&
			  dp_model_serialise(&parsed, &again, &length_again, arena, &error) == DP_OK &&
			  length == length_again && memcmp(bytes, again, length) == 0,
		  "%s: %zu bytes, there and back", name, length);
}

static void
check_cathist(DpArena *arena, DpUniverse *universe, int64_t v8_at_most)
{
	DpDomain domain = domain_of(arena);
	UnitTable table = table_of(arena, &domain);
	UnitOptions options = {.names = 0};
	UnitRelease r;

	domain.attribute[2].universe = universe;
	if (!CHECK(run(&r, "histogram", &table, &options, 0, arena) == DP_OK, "three columns together"))
		return;
	CHECK(llabs(count_of(&r.model, 0, "v0") - 4000) < 40 &&
			  llabs(count_of(&r.model, 0, "v1") - 2000) < 40 &&
			  count_of(&r.model, 0, "v8") <= v8_at_most,
		  "frequent values with their counts");
	CHECK_I64(r.model.domain.attribute[2].open, false, "nothing is open any more");
	CHECK(r.model.domain.attribute[2].universe == NULL, "and needs no universe");
	CHECK_I64(domain.attribute[2].open, true, "the request's own domain is as it was");
	CHECK_I64(r.meter.spent.delta_atto, 0, "no delta");
	CHECK_I64(r.meter.spent.epsilon_nano, 4 * DP_EPSILON_ONE, "all of epsilon");
	CHECK_I64(table.scans, 1, "one scan");
	CHECK(llabs(r.model.rows - 6000) < 100, "rows by the cells that are told");
	check_bytes(&r, arena, "histogram");
}

static void
test_mechanisms(DpArena *arena)
{
	DpDomain domain = domain_of(arena);
	UnitTable table = table_of(arena, &domain);
	UnitOptions laplace = {.names = 0}, stability = {.names = 0};
	UnitRelease r;

	unit_word(&laplace, "mechanism", "laplace");
	unit_word(&stability, "mechanism", "stability");
	CHECK_STATUS(run(&r, "histogram", &table, &laplace, 0, arena), DP_ERR_ARGUMENT,
				 "noise on every cell needs a domain");
	CHECK_STATUS(run(&r, "histogram", &table, &stability, 0, arena), DP_ERR_ARGUMENT,
				 "stability needs a delta");
	if (CHECK(run(&r, "histogram", &table, &stability, 1000000000, arena) == DP_OK,
			  "but no domain: values are seen"))
	{
		CHECK(llabs(count_of(&r.model, 0, "v0") - 4000) < 40, "frequent values are told");
		CHECK_I64(count_of(&r.model, 0, "v8"), 0, "rare ones are not");
		check_bytes(&r, arena, "stability");
	}
	domain.attribute[2].universe = list_of(arena, "v0 v1 v5 v5");
	if (CHECK(run(&r, "histogram", &table, &laplace, 0, arena) == DP_OK, "with one"))
	{
		CHECK_I64((int64_t) r.model.table[0].cells, 18, "each cell is told, duplicates once");
		CHECK(llabs(count_of(&r.model, 0, "v0") - 4000) < 40 &&
				  llabs(count_of(&r.model, 0, "v5")) < 40,
			  "those that nobody has too");
		CHECK(!r.model.domain.attribute[2].has_other, "and nothing else");
		CHECK_I64(r.meter.spent.delta_atto, 0, "no delta is spent");
		check_bytes(&r, arena, "laplace");
	}
	domain.attribute[2].universe = huge(arena);
	CHECK_STATUS(run(&r, "histogram", &table, &laplace, 0, arena), DP_ERR_LIMIT,
				 "a domain too large for noise on every cell");
	domain.attribute[2].universe = long_texts(arena);
	CHECK_STATUS(run(&r, "histogram", &table, &laplace, 0, arena), DP_ERR_LIMIT,
				 "and one whose values could not be stored");
	CHECK_OK(run(&r, "histogram", &table, &stability, 1000000000, arena),
			 "where all are not told they may");
}

/*
 * There are more values than a column may have levels: those with the largest counts stay, in their
 * order, and among equal counts the first.
 */
static void
test_largest(DpArena *arena)
{
	uint64_t index[] = {0, 10, 1, 11, 2, 12, 3, 13, 4, 14, 5, 15};
	int64_t value[] = {7, 9, 7, 3, 9, 7};
	static const uint64_t kept_index[] = {0, 10, 1, 11, 2, 12, 4, 14};
	static const int64_t kept_value[] = {7, 9, 7, 9};
	uint64_t n = 6;

	CHECK_OK(dp_cells_keep_largest(index, value, 2, &n, 4, arena), "four of six cells");
	CHECK(n == 4 && memcmp(index, kept_index, sizeof(kept_index)) == 0 &&
			  memcmp(value, kept_value, sizeof(kept_value)) == 0,
		  "those with the largest values, %" PRIu64, n);
	CHECK_OK(dp_cells_keep_largest(index, value, 2, &n, 9, arena), "nine of four");
	CHECK(n == 4 && memcmp(index, kept_index, sizeof(kept_index)) == 0, "are all");
	CHECK_OK(dp_cells_keep_largest(index, value, 2, &n, 0, arena), "none of four");
	CHECK_I64((int64_t) n, 0, "is none");
}

/* A cell that no row has is told as often as rho says: v2..v5 of four values, many times. */
static void
test_columns(DpArena *arena)
{
	DpDomain domain = domain_of(arena);
	UnitTable table = table_of(arena, &domain);
	UnitOptions options = {.names = 0}, joint = {.names = 0};
	UnitRelease r;
	uint32_t *codes;
	unsigned first = 0;

	unit_add_option(&joint, "joint", DP_VALUE_BOOLEAN)->flag = true;
	CHECK_STATUS(run(&r, "cathist", &table, &options, 0, arena), DP_ERR_ARGUMENT,
				 "an open column without a domain");
	domain.attribute[2].universe = huge(arena);
	if (!CHECK(run(&r, "cathist", &table, &options, 0, arena) == DP_OK, "each column by itself"))
		return;
	CHECK_I64(r.model.tables, 3, "three histograms");
	CHECK_I64(r.model.table[0].cost.epsilon_nano, 4 * DP_EPSILON_ONE / 3, "a third of epsilon");
	CHECK_I64(r.plan.stages, 3, "a stage each");
	CHECK_I64(table.scans, 2, "closed columns in one scan, open ones in another");
	codes = unit_draw(&r, arena, 6000, 1);
	for (uint32_t i = 0; i < 6000; i++)
		first += codes[i * 3 + 2] == 0;
	CHECK(abs((int) first - 4000) < 250, "values are drawn as often as they occur: %u", first);
	check_bytes(&r, arena, "cathist");
	if (CHECK(run(&r, "cathist", &table, &joint, 0, arena) == DP_OK, "all together"))
		CHECK_I64(r.model.tables, 1, "one histogram");
}

/* A model that somebody wrote: columns that no table has, or two have. */
static void
test_forged(DpArena *arena)
{
	DpDomain domain = domain_of(arena);
	UnitTable table = table_of(arena, &domain);
	UnitOptions options = {.names = 0};
	UnitRelease r;
	DpError error;
	void *sampler;

	domain.attribute[2].universe = list_of(arena, "v0 v1");
	if (!CHECK(run(&r, "cathist", &table, &options, 0, arena) == DP_OK, "a release"))
		return;
	r.model.table[1].attribute[0] = 0;
	CHECK_STATUS(r.plan.method->sampler->prepare(&r.model, &sampler, NULL, arena, &error),
				 DP_ERR_CORRUPT, "two tables of one column");
	r.model.table[1].attribute[0] = 1;
	r.model.tables = 2;
	CHECK_STATUS(r.plan.method->sampler->prepare(&r.model, &sampler, NULL, arena, &error),
				 DP_ERR_CORRUPT, "a column without a table");
}

/* Nothing reaches the threshold: rows are drawn all the same, of the rest. */
static void
test_nothing(DpArena *arena)
{
	DpDomain domain = domain_of(arena);
	UnitTable table = table_of(arena, &domain);
	UnitOptions options = {.names = 0};
	UnitRelease r;
	uint32_t *codes;

	table.rows = 3;
	domain.attribute[2].universe = huge(arena);
	if (!CHECK(run(&r, "cathist", &table, &options, 0, arena) == DP_OK, "three rows"))
		return;
	CHECK_I64((int64_t) r.model.table[2].cells, 0, "no value is told");
	codes = unit_draw(&r, arena, 10, 1);
	CHECK_I64(codes[2], 0, "the one level that there is");
	check_bytes(&r, arena, "an empty histogram");
}

/* ---- discovery within a universe, for any method ---- */

static void
test_discovery(DpArena *arena)
{
	DpDomain domain = domain_of(arena);
	UnitTable table = table_of(arena, &domain);
	UnitOptions options = {.names = 0};
	UnitRelease r;

	CHECK_STATUS(run(&r, "flat", &table, &options, 0, arena), DP_ERR_ARGUMENT,
				 "any values: a delta is needed");
	domain.attribute[2].universe = list_of(arena, "v0 v1 v2 v3");
	if (!CHECK(run(&r, "flat", &table, &options, 0, arena) == DP_OK, "values of a domain: none"))
		return;
	CHECK_STRING(r.plan.stage[0].name, "discover values of domains", "the first stage");
	CHECK_I64((int64_t) r.plan.stage[0].cells, 4, "of a domain of four");
	CHECK(r.plan.stage[0].threshold_rows > 0 && r.plan.stage[0].false_positives > 0,
		  "with a threshold and random values");
	CHECK_I64(r.plan.discovery_pure.epsilon_nano, 4 * DP_EPSILON_ONE / 10, "a tenth of epsilon");
	CHECK_I64(r.plan.discovery.epsilon_nano, 0, "nothing for values without a domain");
	CHECK_I64(r.plan.cost.delta_atto, 0, "no delta");
	CHECK_I64(r.model.domain.attribute[2].labels_n, 2, "two values are found");
	CHECK_STRING(r.model.domain.attribute[2].labels[1], "v1", "the second of them");
	CHECK_I64(r.model.domain.attribute[2].levels, 3, "and a level \"other\", v8 among it");
	CHECK(r.model.domain.attribute[2].universe == NULL, "the model needs no universe");
	domain.attribute[2].other = "v1";
	CHECK_OK(run(&r, "flat", &table, &options, 0, arena), "one of them stands for other values");
	CHECK_I64(r.model.domain.attribute[2].labels_n, 1, "and is no label beside it");
	domain.attribute[2].other = NULL;
	domain.attribute[2].universe = huge(arena);
	CHECK_OK(run(&r, "flat", &table, &options, 0, arena), "values of a huge domain");
	CHECK_I64(r.model.domain.attribute[2].labels_n, 2, "are found as well");
}

/* One of each kind: epsilon in equal parts, delta for the one without a domain alone. */
static void
test_both(DpArena *arena)
{
	DpDomain domain = domain_of(arena);
	UnitTable table;
	UnitOptions options = {.names = 0};
	UnitRelease r;

	unit_open(&domain.attribute[1]);
	domain.attribute[1].universe = list_of(arena, "v0 v1 v2");
	table = table_of(arena, &domain);
	if (!CHECK(run(&r, "flat", &table, &options, 1000000000000, arena) == DP_OK, "both kinds"))
		return;
	CHECK_I64(r.plan.stages >= 2 ? r.plan.stage[1].each.delta_atto : 0, 100000000000,
			  "delta for one of them");
	CHECK_I64(r.plan.stage[0].each.delta_atto, 0, "none for the other");
	CHECK_I64(r.plan.stage[0].each.epsilon_nano, r.plan.stage[1].each.epsilon_nano,
			  "epsilon in equal parts");
	CHECK_I64(r.model.domain.attribute[1].labels_n, 3, "three values");
	CHECK_I64(r.model.domain.attribute[2].labels_n, 2, "two values");
}

static void
test_limits(DpArena *arena)
{
	DpDomain domain = domain_of(arena);
	UnitTable table = table_of(arena, &domain);
	UnitOptions options = {.names = 0}, sets = {.names = 0};
	DpBudget budget = {.epsilon_nano = DP_EPSILON_ONE};
	DpRequest request = {
		.domain = &domain, .unit = {DP_ADD_REMOVE, 1}, .budget = budget, .sets = 2};
	UnitRelease r;
	DpError error;
	DpPlan plan;

	unit_open(&domain.attribute[1]);
	domain.attribute[1].universe = domain.attribute[2].universe = huge(arena);
	CHECK_STATUS(run(&r, "histogram", &table, &options, 0, arena), DP_ERR_LIMIT,
				 "a product of more than 1e18 cells");
	CHECK_I64(table.scans, 0, "is refused without a look");
	unit_add_option(&sets, "independent_sets", DP_VALUE_BOOLEAN)->flag = true;
	request.options = &sets.options;
	CHECK_STATUS(dp_plan(dp_method_find("cathist"), &request, &plan, arena, &error),
				 DP_ERR_ARGUMENT, "independent sets of columns whose values are found");
}

/* Gaps of more than 64 bits: at such an epsilon one in 50 is. None may fail what was paid for. */
static void
test_large_epsilon(DpArena *arena)
{
	DpUnit unit = {DP_ADD_REMOVE, 1};
	int64_t epsilon_nano = 2000 * DP_EPSILON_ONE;
	unsigned failed = 0, shown = 0;
	DpSparseCells out;
	DpSparseRule rule;
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, 3);
	CHECK_OK(dp_sparse_histogram_rule(&(DpSparseHistogram){epsilon_nano, unit, 1000}, 1, &rule),
			 "a rule");
	for (int i = 0; i < 1000; i++)
	{
		DpMeter meter;

		dp_meter_init(&meter, dp_cost_pure(epsilon_nano));
		failed +=
			dp_sparse_histogram_release(&(DpNoiseSource){.meter = &meter, .rng = &rng}, &rule,
										&(DpOccupiedCells){0, NULL, NULL}, &out, arena) != DP_OK;
		shown += out.n > 0;
	}
	CHECK_I64(failed, 0, "no release fails at epsilon 2000");
	CHECK_I64(shown, 0, "and no empty cell shows");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	check_cathist(&arena, list_of(&arena, "v0 v1 v2 v3 v4 v5 v6 v7 v8"), 20);
	check_cathist(&arena, list_of(&arena, "v1 v0 v5"), 0);
	check_cathist(&arena, huge(&arena), 0);
	test_mechanisms(&arena);
	test_largest(&arena);
	test_columns(&arena);
	test_forged(&arena);
	test_nothing(&arena);
	test_discovery(&arena);
	test_both(&arena);
	test_limits(&arena);
	test_large_epsilon(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
