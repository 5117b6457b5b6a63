/*
 * test_options.c -- what options accept, what they refuse, and what the
 * refusal says.
 */
#include "core/domain/options.h"

#include "unit.h"

static const DpOptionSpec specs[] = {
	{"depth", DP_OPTION_INTEGER, "3", 1, 10, NULL, "How deep."},
	{"offset", DP_OPTION_INTEGER, "-2", -5, 5, NULL, "Signed."},
	{"share", DP_OPTION_SHARE, "0.25", 1, 999999999, NULL, "Of the budget."},
	{"smooth", DP_OPTION_BOOLEAN, "true", 0, 0, NULL, "Whether."},
	{"solver", DP_OPTION_CHOICE, "entropic", 0, 0, "ridge|centred|entropic", "Which."},
	{"columns", DP_OPTION_NAMES, NULL, 0, 0, NULL, "Which ones."},
	{"parents", DP_OPTION_NAME_MAP, NULL, 0, 0, NULL, "Of each."},
	{"limit", DP_OPTION_INTEGER, NULL, 0, INT64_MAX, NULL, "No default."},
};
#define SPECS (sizeof(specs) / sizeof(*specs))

static DpError error;

static DpStatus
check(DpOption *option, uint32_t n)
{
	memset(&error, 0, sizeof(error));
	return dp_options_check(&(DpOptions){n, option}, specs, SPECS, "demo", &error);
}

static DpStatus
check_one(DpOption option)
{
	return check(&option, 1);
}

static DpStatus
check_number(const char *name, const char *text)
{
	return check_one((DpOption){.name = name, .kind = DP_VALUE_NUMBER, .text = text});
}

static DpStatus
check_string(const char *name, const char *text)
{
	return check_one((DpOption){.name = name, .kind = DP_VALUE_STRING, .text = text});
}

/* A refusal names the option, gives a detail and a remedy. */
static bool
explains(const char *word)
{
	return error.status != DP_OK && strstr(error.message, word) != NULL &&
		   error.detail[0] != '\0' && error.hint[0] != '\0';
}

static void
test_numbers(void)
{
	static const struct
	{
		const char *name;
		const char *text;
		DpStatus want;
	} cases[] = {
		{"depth", "1", DP_OK},
		{"depth", "10", DP_OK},
		{"depth", "1e1", DP_OK},
		{"depth", "3.0", DP_OK},
		{"depth", "0", DP_ERR_ARGUMENT},
		{"depth", "11", DP_ERR_ARGUMENT},
		{"depth", "-3", DP_ERR_ARGUMENT},
		{"depth", "3.5", DP_ERR_ARGUMENT},
		{"depth", "1e30", DP_ERR_ARGUMENT},
		{"depth", "-1e30", DP_ERR_ARGUMENT},
		{"depth", "", DP_ERR_ARGUMENT},
		{"depth", NULL, DP_ERR_ARGUMENT},
		{"depth", "NaN", DP_ERR_ARGUMENT},
		{"offset", "-5", DP_OK},
		{"offset", "-6", DP_ERR_ARGUMENT},
		{"offset", "-+5", DP_ERR_ARGUMENT},
		{"offset", "--5", DP_ERR_ARGUMENT},
		{"share", "0.5", DP_OK},
		{"share", "0.333333333333333333333", DP_OK},
		{"share", "0.000000001", DP_OK},
		{"share", "0.0000000001", DP_ERR_ARGUMENT},
		{"share", "0.999999999", DP_OK},
		{"share", "0.9999999991", DP_ERR_ARGUMENT},
		{"share", "1", DP_ERR_ARGUMENT},
		{"limit", "9223372036854775807", DP_OK},
		{"limit", "9223372036854775808", DP_ERR_ARGUMENT},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
	{
		DpStatus got = check_number(cases[i].name, cases[i].text);

		CHECK(got == cases[i].want && (got == DP_OK || explains(cases[i].name)), "%s: %s is %s",
			  cases[i].name, cases[i].text ? cases[i].text : "(null)",
			  cases[i].want == DP_OK ? "taken" : "refused");
	}
	CHECK(check_number("depth", "11") != DP_OK && strstr(error.detail, "between 1 and 10") != NULL,
		  "a refusal states the limits of an integer");
	CHECK(check_number("share", "1") != DP_OK &&
			  strstr(error.detail, "between 0.000000001 and 0.999999999") != NULL &&
			  strstr(error.hint, "0.25") != NULL,
		  "and of a share, with its default");
}

static void
test_kinds(void)
{
	static const char *const names[] = {"depth", "share", "smooth", "solver", "columns", "parents"};
	const DpOptionKind right[] = {DP_VALUE_NUMBER, DP_VALUE_NUMBER, DP_VALUE_BOOLEAN,
								  DP_VALUE_STRING, DP_VALUE_LIST,   DP_VALUE_MAP};
	DpNameList list = {.n = 0};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		for (int kind = DP_VALUE_NUMBER; kind <= DP_VALUE_OTHER; kind++)
		{
			DpStatus got = check_one((DpOption){.name = names[i],
												.kind = (DpOptionKind) kind,
												.text = i == 3 ? "ridge" : "0.5",
												.lists = kind == DP_VALUE_LIST ? 1 : 0,
												.list = &list});

			if (kind == (int) right[i])
				CHECK(got == DP_OK || i == 0, "%s takes its kind", names[i]);
			else
				CHECK(got == DP_ERR_ARGUMENT && explains(names[i]), "%s refuses kind %d", names[i],
					  kind);
		}
	CHECK_OK(check_one((DpOption){.name = "depth", .kind = DP_VALUE_NULL}),
			 "null is the same as not given");
	CHECK_STATUS(check_one((DpOption){.name = "depht", .kind = DP_VALUE_NULL}), DP_ERR_UNDEFINED,
				 "but its name is checked");
}

static void
test_choices(void)
{
	CHECK_OK(check_string("solver", "ridge"), "first choice");
	CHECK_OK(check_string("solver", "centred"), "middle choice");
	CHECK_OK(check_string("solver", "entropic"), "last choice");
	CHECK_STATUS(check_string("solver", "rid"), DP_ERR_ARGUMENT, "a prefix is no choice");
	CHECK(explains("solver") && strstr(error.detail, "ridge, centred, entropic.") != NULL,
		  "the refusal lists the choices");
	CHECK_STATUS(check_string("solver", "ridge|centred"), DP_ERR_ARGUMENT, "nor are two");
	CHECK_STATUS(check_string("solver", ""), DP_ERR_ARGUMENT, "nor is nothing");
	CHECK_STATUS(check_string("solver", "Ridge"), DP_ERR_ARGUMENT, "case counts");
}

static void
test_names(void)
{
	const char *good[] = {"a", "b"}, *twice[] = {"a", "b", "a"}, *empty[] = {"a", ""};
	DpNameList list = {.n = 2, .name = good};
	DpNameList map[] = {{"x", 2, good}, {"y", 1, good}};
	DpOption names = {.name = "columns", .kind = DP_VALUE_LIST, .lists = 1, .list = &list};
	DpOption parents = {.name = "parents", .kind = DP_VALUE_MAP, .lists = 2, .list = map};

	CHECK_OK(check(&names, 1), "a list of names");
	CHECK_OK(check(&parents, 1), "a map of lists; lists may share a name");
	list = (DpNameList){.n = 3, .name = twice};
	CHECK(check(&names, 1) == DP_ERR_ARGUMENT && explains("columns"), "a name twice is refused");
	list = (DpNameList){.n = 2, .name = empty};
	CHECK(check(&names, 1) == DP_ERR_ARGUMENT && explains("columns"), "so is an empty one");
	map[1].key = "x";
	CHECK(check(&parents, 1) == DP_ERR_ARGUMENT && explains("parents"), "so is a key twice");
	map[1] = (DpNameList){"y", 3, twice};
	CHECK(check(&parents, 1) == DP_ERR_ARGUMENT && explains("parents"), "and within a map's list");
	map[1].key = NULL;
	CHECK(check(&parents, 1) == DP_ERR_ARGUMENT && explains("parents"), "a map needs its keys");
	names.lists = 0;
	CHECK(check(&names, 1) == DP_ERR_ARGUMENT && explains("columns"), "a list must be there");
}

static void
test_unknown(void)
{
	static DpOptionSpec many[100];
	static char spec_names[100][24];
	DpOption twice[] = {{.name = "depth", .kind = DP_VALUE_NUMBER, .text = "3"},
						{.name = "smooth", .kind = DP_VALUE_BOOLEAN},
						{.name = "depth", .kind = DP_VALUE_NULL}};
	DpOption unknown = {.name = "depht", .kind = DP_VALUE_NUMBER, .text = "3"};

	CHECK_STATUS(check(&unknown, 1), DP_ERR_UNDEFINED, "an unknown option");
	CHECK(explains("depht") && strstr(error.message, "demo") != NULL, "is named with its method");
	for (size_t i = 0; i < SPECS; i++)
		CHECK(strstr(error.detail, specs[i].name) != NULL, "the detail lists %s", specs[i].name);
	CHECK(check(twice, 3) == DP_ERR_ARGUMENT && explains("depth"), "an option twice is refused");
	CHECK_OK(check(twice, 2), "two different ones are fine");
	CHECK_OK(check(NULL, 0), "so are none");
	for (int i = 0; i < 100; i++)
	{
		snprintf(spec_names[i], sizeof(spec_names[i]), "option_%d", i);
		many[i].name = spec_names[i];
	}
	CHECK_STATUS(dp_options_check(&(DpOptions){1, &unknown}, many, 100, "demo", &error),
				 DP_ERR_UNDEFINED, "a list that is too long for the detail");
	CHECK_STRING(error.detail + strlen(error.detail) - 3, "...", "is cut visibly");
	CHECK_STATUS(dp_options_check(&(DpOptions){1, &unknown}, NULL, 0, "demo", &error),
				 DP_ERR_UNDEFINED, "a method without options");
	CHECK(explains("depht"), "says so");
	CHECK_STATUS(dp_options_check(&(DpOptions){1, &unknown}, specs, SPECS, "demo", NULL),
				 DP_ERR_UNDEFINED, "no DpError is fine");
}

static void
test_reads(void)
{
	DpNameList list = {.n = 0};
	DpOption given[] = {
		{.name = "depth", .kind = DP_VALUE_NUMBER, .text = "7.0"},
		{.name = "offset", .kind = DP_VALUE_NUMBER, .text = "-4"},
		{.name = "share", .kind = DP_VALUE_NUMBER, .text = "0.3333333339"},
		{.name = "smooth", .kind = DP_VALUE_BOOLEAN, .flag = false},
		{.name = "solver", .kind = DP_VALUE_STRING, .text = "centred"},
		{.name = "columns", .kind = DP_VALUE_LIST, .lists = 1, .list = &list},
		{.name = "parents", .kind = DP_VALUE_NULL},
	};
	static const struct
	{
		const char *name;
		int64_t given;
		int64_t fallback;
	} want[] = {{"depth", 7, 3},  {"offset", -4, -2}, {"share", 333333333, 250000000},
				{"smooth", 0, 1}, {"solver", 1, 2},   {"limit", 0, 0}};
	DpOptions options = {sizeof(given) / sizeof(*given), given}, none = {0, NULL};

	CHECK_OK(dp_options_check(&options, specs, SPECS, "demo", &error), "all options at once");
	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++)
	{
		CHECK_I64(dp_option_integer(&options, specs, SPECS, want[i].name), want[i].given,
				  "%s: the value", want[i].name);
		CHECK_I64(dp_option_integer(&none, specs, SPECS, want[i].name), want[i].fallback,
				  "%s: the default", want[i].name);
	}
	CHECK(dp_option_given(&options, "depth") && !dp_option_given(&options, "limit"), "given");
	CHECK(!dp_option_given(&options, "parents"), "null is not given");
	CHECK(dp_option_lists(&options, "columns") == &given[5], "lists come back as they are");
	CHECK(dp_option_lists(&options, "parents") == NULL, "or not at all");
}

/*
 * They are refused before names are compared with each other, which takes time quadratic in their
 * number.
 */
static void
test_many(void)
{
	const uint32_t n = 200000;
	const char **name = calloc(n, sizeof(*name));
	DpNameList list = {NULL, n, name};
	DpOption option = {.name = "columns", .kind = DP_VALUE_LIST, .lists = 1, .list = &list};

	for (uint32_t i = 0; i < n; i++)
		name[i] = "distinct until compared";
	CHECK_STATUS(check_one(option), DP_ERR_LIMIT, "a list longer than a relation has columns");
	CHECK(explains("columns"), "and says so");
	free(name);
}

int
main(void)
{
	test_numbers();
	test_kinds();
	test_choices();
	test_names();
	test_unknown();
	test_reads();
	test_many();
	return unit_finish();
}
