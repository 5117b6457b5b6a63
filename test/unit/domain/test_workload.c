/*
 * test_workload.c -- sets of attributes as users write them.
 */
#include "core/base/decimal.h"
#include "core/domain/workload.h"

#include "unit_data.h"

static const DpOptionSpec specs[] = {
	{"marginals", DP_OPTION_SETS, "2", 1, 8, NULL, "Which."},
	{"workload", DP_OPTION_WEIGHTED_SETS, "3", 1, 8, NULL, "Which, with weights."},
};
#define SPECS (sizeof(specs) / sizeof(*specs))

static DpError error;
static const DpWorkloadQuery wide = {.sets_max = DP_WORKLOAD_SETS_MAX};

/* Attributes a, b, c, "x,y" and "q""", of 2, 3, 4, 5 and 6 levels. */
static DpDomain
domain_of_five(DpArena *arena)
{
	static const char *const names[] = {"a", "b", "c", "x,y", "q\""};
	uint32_t levels[] = {2, 3, 4, 5, 6};
	DpDomain domain = unit_domain(arena, levels, 5);

	for (uint32_t i = 0; i < 5; i++)
		domain.attribute[i].name = names[i];
	return domain;
}

/* "01:1 12:2.5" for sets {0, 1} and {1, 2} and their weights. */
static const char *
spell(const DpWorkload *workload)
{
	static char text[1024];
	size_t used = 0;
	char weight[DP_DECIMAL_BYTES];

	text[0] = '\0';
	for (uint32_t i = 0; i < workload->sets && used < sizeof(text); i++)
	{
		used += (size_t) snprintf(text + used, sizeof(text) - used, "%s", i > 0 ? " " : "");
		for (uint32_t k = 0; k < workload->set[i].of.n; k++)
			used += (size_t) snprintf(text + used, sizeof(text) - used, "%u",
									  workload->set[i].of.attribute[k]);
		used += (size_t) snprintf(text + used, sizeof(text) - used, ":%s",
								  dp_decimal_print(workload->set[i].weight_nano, 9, weight));
	}
	return text;
}

static DpStatus
read_option(DpArena *arena, DpOption *option, const DpDomain *domain, const DpWorkloadQuery *limits,
			DpWorkload *workload)
{
	DpOptions options = {option == NULL ? 0 : 1, option};
	DpWorkloadQuery query = *limits;

	memset(&error, 0, sizeof(error));
	DP_TRY(dp_options_check(&options, specs, SPECS, "demo", &error));
	query.option = option == NULL ? "marginals" : option->name;
	query.given = dp_option_lists(&options, query.option);
	query.size = (uint32_t) dp_option_integer(&options, specs, SPECS, query.option);
	query.domain = domain;
	return dp_workload_read(&query, workload, arena, &error);
}

static bool
explains(const char *word)
{
	return strstr(error.message, word) != NULL && error.hint[0] != '\0';
}

static void
check_texts(DpArena *arena, const char **text, uint32_t n, const char *want)
{
	DpDomain domain = domain_of_five(arena);
	DpNameList list = {.n = n, .name = text};
	DpOption option = {.name = "marginals", .kind = DP_VALUE_LIST, .lists = 1, .list = &list};
	DpWorkload workload;

	if (!CHECK(read_option(arena, &option, &domain, &wide, &workload) == DP_OK, "taken: %s",
			   text[0]))
		return;
	CHECK_STRING(spell(&workload), want, "and means %s", want);
}

static void
refuse_text(DpArena *arena, const char *text, DpStatus want, const char *word)
{
	DpDomain domain = domain_of_five(arena);
	DpNameList list = {.n = 1, .name = &text};
	DpOption option = {.name = "marginals", .kind = DP_VALUE_LIST, .lists = 1, .list = &list};
	DpWorkload workload;
	DpStatus got = read_option(arena, &option, &domain, &wide, &workload);

	CHECK(got == want && explains(word), "refused: '%s' (%s)", text ? text : "", error.message);
}

static void
test_texts(DpArena *arena)
{
	const char *pairs[] = {"b,a", " c , b ", "a"};
	const char *twice[] = {"a,b", "c", "b,a"};
	const char *quoted[] = {"\"x,y\", a", "\"q\"\"\" , b", "c,\"b\""};

	check_texts(arena, pairs, 3, "0:1 01:1 12:1");
	check_texts(arena, twice, 3, "2:1 01:2");
	check_texts(arena, quoted, 3, "03:1 12:1 14:1");
	refuse_text(arena, "", DP_ERR_ARGUMENT, "empty set");
	refuse_text(arena, "  ", DP_ERR_ARGUMENT, "empty set");
	refuse_text(arena, NULL, DP_ERR_ARGUMENT, "empty set");
	refuse_text(arena, "a,", DP_ERR_ARGUMENT, "empty column name");
	refuse_text(arena, ",a", DP_ERR_ARGUMENT, "empty column name");
	refuse_text(arena, "\"\"", DP_ERR_ARGUMENT, "empty column name");
	refuse_text(arena, "a,b,a", DP_ERR_ARGUMENT, "twice");
	refuse_text(arena, "\"a", DP_ERR_ARGUMENT, "quotes");
	refuse_text(arena, "\"a\"\"", DP_ERR_ARGUMENT, "quotes");
	refuse_text(arena, "\"a\"b", DP_ERR_ARGUMENT, "between");
	refuse_text(arena, "a,d", DP_ERR_UNDEFINED, "\"d\"");
	refuse_text(arena, "A", DP_ERR_UNDEFINED, "\"A\"");
}

static void
test_sizes(DpArena *arena)
{
	DpDomain domain = domain_of_five(arena);
	DpOption number = {.name = "marginals", .kind = DP_VALUE_NUMBER, .text = "4"};
	DpWorkloadQuery tight = {.sets_max = 5, .cells_max = 100000};
	DpWorkload workload;

	MUST(read_option(arena, NULL, &domain, &wide, &workload));
	CHECK_I64(workload.sets, 10, "by default all pairs");
	CHECK_I64(dp_workload_cells(&workload, &domain), 155, "with their cells");
	MUST(read_option(arena, &number, &domain, &tight, &workload));
	CHECK_STRING(spell(&workload), "0123:1 0124:1 0134:1 0234:1 1234:1", "all sets of four");
	number.text = "2";
	CHECK(read_option(arena, &number, &domain, &tight, &workload) == DP_ERR_LIMIT &&
			  strstr(error.detail, "5") != NULL,
		  "more sets than the limit");
	tight = (DpWorkloadQuery){.sets_max = 10, .cells_max = 154};
	CHECK(read_option(arena, &number, &domain, &tight, &workload) == DP_ERR_LIMIT &&
			  strstr(error.detail, "155 cells; the limit is 154") != NULL,
		  "more cells than the limit");
	domain.attribute[4].open = true;
	CHECK_OK(read_option(arena, &number, &domain, &tight, &workload),
			 "sets of open columns have no cells yet");
	number.text = "6";
	CHECK(read_option(arena, &number, &domain, &wide, &workload) == DP_ERR_ARGUMENT &&
			  explains("sets of 6"),
		  "sets larger than the domain");
	number.text = "1.5";
	CHECK(read_option(arena, &number, &domain, &wide, &workload) == DP_ERR_ARGUMENT, "a fraction");
	number.text = "9";
	CHECK(read_option(arena, &number, &domain, &wide, &workload) == DP_ERR_ARGUMENT,
		  "beyond the option's limits");
	domain.attributes = 1;
	MUST(read_option(arena, NULL, &domain, &wide, &workload));
	CHECK_STRING(spell(&workload), "0:1", "the default never asks for more columns than there are");
	domain.attributes = 1600;
	number.text = "8";
	CHECK_STATUS(read_option(arena, &number, &domain, &wide, &workload), DP_ERR_LIMIT,
				 "1600 over 8 is too many, and found without counting");
}

static void
test_weights(DpArena *arena)
{
	DpDomain domain = domain_of_five(arena);
	const char *ab[] = {"b", "a"}, *bad[] = {"a", ""}, *weight[] = {"2.5", NULL, "1e-9"};
	DpNameList list[] = {{"c,b", 0, NULL}, {NULL, 2, ab}, {"a", 0, NULL}};
	DpOption option = {
		.name = "workload", .kind = DP_VALUE_SETS, .lists = 3, .list = list, .weight = weight};
	DpWorkload workload;

	MUST(read_option(arena, &option, &domain, &wide, &workload));
	CHECK_STRING(spell(&workload), "0:0.000000001 01:1 12:2.5", "weights belong to their sets");
	list[2] = (DpNameList){"b, c", 0, NULL};
	MUST(read_option(arena, &option, &domain, &wide, &workload));
	CHECK_STRING(spell(&workload), "01:1 12:2.500000001", "and add up");
	option.name = "marginals";
	CHECK(read_option(arena, &option, &domain, &wide, &workload) == DP_ERR_ARGUMENT &&
			  explains("no weights"),
		  "where the option takes none, they are refused");
	option.weight = NULL;
	CHECK_OK(read_option(arena, &option, &domain, &wide, &workload), "without weights it does");
	option = (DpOption){
		.name = "workload", .kind = DP_VALUE_SETS, .lists = 3, .list = list, .weight = weight};
	for (int i = 0; i < 4; i++)
	{
		static const char *const wrong[] = {"0", "1e-10", "1000001", "-1"};

		weight[0] = wrong[i];
		CHECK(read_option(arena, &option, &domain, &wide, &workload) == DP_ERR_ARGUMENT &&
				  explains("weight"),
			  "no weight: %s", wrong[i]);
	}
	weight[0] = weight[2] = "1000000";
	CHECK(read_option(arena, &option, &domain, &wide, &workload) == DP_ERR_ARGUMENT &&
			  explains("weight"),
		  "nor is a sum over the limit");
	list[1].name = bad;
	CHECK(read_option(arena, &option, &domain, &wide, &workload) == DP_ERR_ARGUMENT,
		  "an empty name");
	list[1] = (DpNameList){NULL, 0, NULL};
	CHECK(read_option(arena, &option, &domain, &wide, &workload) == DP_ERR_ARGUMENT &&
			  explains("empty set"),
		  "an empty list");
	option.lists = 0;
	CHECK(read_option(arena, &option, &domain, &wide, &workload) == DP_ERR_ARGUMENT &&
			  explains("no sets"),
		  "no sets at all");
}

/* a is drawn, b and c are known, and what is known in "x,y" tells of a; the fifth is drawn. */
static void
test_known(DpArena *arena)
{
	DpDomain domain = domain_of_five(arena);
	const int32_t known[] = {DP_DRAWN, DP_KNOWN, DP_KNOWN, 0, DP_DRAWN};
	const uint32_t some[] = {1, 3, 4};
	const int32_t all[] = {DP_KNOWN, DP_KNOWN, DP_KNOWN, DP_KNOWN, DP_KNOWN};
	DpWorkloadQuery query = wide;
	DpWorkload workload;

	query.option = "marginals";
	query.size = 2;
	query.domain = &domain;
	query.known = known;
	MUST(dp_workload_read(&query, &workload, arena, &error));
	CHECK_STRING(spell(&workload), "01:1 02:1 03:1 04:1 14:1 24:1",
				 "what is known stands with what is drawn, and what tells of one with that one");
	query.known = all;
	MUST(dp_workload_read(&query, &workload, arena, &error));
	CHECK_I64(workload.sets, 10, "where nothing is drawn, all pairs stay");
	CHECK(dp_workload_draws(some, 3, known) && !dp_workload_draws(some, 2, known),
		  "whether anything is drawn");
}

static void
test_marginal_queries(DpArena *arena)
{
	DpDomain domain = domain_of_five(arena);
	const char *text[] = {"a,b,c", "b,c", "\"x,y\""};
	DpNameList list = {.n = 3, .name = text};
	DpOption option = {.name = "marginals", .kind = DP_VALUE_LIST, .lists = 1, .list = &list};
	DpWorkload workload;

	MUST(read_option(arena, &option, &domain, &wide, &workload));
	CHECK_I64(dp_workload_uncovered(&workload, 5), 4, "the attribute in no set");
	CHECK_I64(dp_workload_uncovered(&workload, 4), 4, "none of the first four is");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_texts(&arena);
	test_sizes(&arena);
	test_weights(&arena);
	test_known(&arena);
	test_marginal_queries(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
