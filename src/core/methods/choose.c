/*
 * choose.c -- the rule by which a method is chosen.
 *
 * Two numbers decide. One is the number of cells of the joint table of all columns. The
 * other is the signal, rows x epsilon / L1 sensitivity, which says how many times larger
 * a table's total is than the scale of its noise. A cell of a table can tell as much as
 * the signal over the number of cells.
 *
 * A line says for which facts a method is good. The first line wins that holds and whose
 * method exists; the others stand behind it, in case a plan fails. A new method is a new
 * line. Thresholds come from docs/choosing.md (`make bench ONLY=choose`).
 */
#include "core/methods/choose.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/methods/registry.h"
#include "core/plan/graphical_options.h"

/* With more columns aim's rounds take minutes. With a delta each has a batch of tables. */
#define ROUNDS_COLUMNS_MAX 64
#define BATCHES_COLUMNS_MAX 256
#define ROWS_ASSUMED 10000 /* assumed where nobody states it: a table for which a choice matters */

/* How many times larger the signal must be than the levels of all columns together, before pairs
 * tell more than noise. Over more columns than this Gaussian noise, which takes a delta, is less
 * than Laplace noise for single columns, too, and aim and mst have it. */
#define LEVEL_SIGNAL 9
#define LAPLACE_COLUMNS_MAX 20

typedef struct Facts
{
	uint32_t columns;
	double levels;  /* of all columns together: cells of their tables */
	uint64_t cells; /* cells of the joint table; saturated */
	double signal;
	bool open, delta;
} Facts;

typedef struct Line
{
	const char *method;
	bool (*suits)(const Facts *facts);
	const char *why;
} Line;

/* ---- conditions ---- */

/* Whether cells are many times their noise on average: then the noisy joint table loses next to
 * nothing. */
static bool
joint_tells_all(const Facts *facts)
{
	return facts->signal >= 30 * (double) facts->cells;
}

/* There is too little signal to choose tables by. */
static bool
tiny_joint(const Facts *facts)
{
	return facts->cells <= 2000 && facts->signal < 1000;
}

static bool
tells_of_columns(const Facts *facts)
{
	bool gaussian = facts->delta && facts->columns > LAPLACE_COLUMNS_MAX;

	return facts->signal < 100 || (!gaussian && facts->signal < LEVEL_SIGNAL * facts->levels);
}

static bool
wide(const Facts *facts)
{
	return facts->columns > 2;
}

/* Few enough columns to score all sets of a few in each round. */
static bool
wide_but_not_very(const Facts *facts)
{
	return wide(facts) &&
		   facts->columns <= (facts->delta ? BATCHES_COLUMNS_MAX : ROUNDS_COLUMNS_MAX);
}

static bool
joint_can_be_held(const Facts *facts)
{
	return facts->cells <= UINT64_C(10000000);
}

/* Tables of three columns are still too sparse for this many rows. */
static bool
huge_joint(const Facts *facts)
{
	return !joint_can_be_held(facts) && facts->signal < 200000;
}

static bool
any(const Facts *facts)
{
	(void) facts;
	return true;
}

/* ---- the rule ---- */

static const Line lines[] = {
	{"flat", joint_tells_all, "counts stand out of the noise in a table of all columns"},
	{"flat", tiny_joint, "at so small a budget no model beats one small table of all columns"},
	{"marginal", tells_of_columns,
	 "so few rows at so small an epsilon support single columns at most"},
	{"aim", wide_but_not_very,
	 "tables of a few columns each, chosen where they matter, come nearest"},
	{"mst", wide, "tables along a tree of pairs come near at little cost"},
	{"cipher", joint_can_be_held, "the joint table that fits noisy tables of pairs comes near"},
	{"sbhg", huge_joint, "histograms of each column given a few others take any domain"},
	{"privbayes", any, "a network has tables of few columns, and as few as the rows can fill"},
	{"sbhg", any, "histograms of each column given a few others take any domain"},
	{"flat", any, "one table of all columns takes any budget"},
	{"mst", any, "tables of pairs along a tree"}, /* takes option "predict" for two columns, too */
};

uint64_t
dp_assumed_rows(const DpChoiceFacts *facts)
{
	return facts->source == DP_ROWS_UNKNOWN ? ROWS_ASSUMED : facts->rows;
}

static Facts
facts_of(const DpChoiceFacts *given)
{
	const DpRequest *request = given->request;
	const DpDomain *domain = request->domain;
	uint32_t all[DP_ATTRIBUTES_MAX] = {0};
	double rows = (double) dp_assumed_rows(given), levels = 0;

	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		all[a] = a;
		levels += domain->attribute[a].open ? 0 : domain->attribute[a].levels;
	}
	return (Facts){
		.columns = domain->attributes,
		.levels = levels,
		.cells = dp_domain_cells(domain, all, domain->attributes),
		.signal = rows * (double) request->budget.epsilon_nano * 1e-9 /
				  (double) dp_unit_l1(&request->unit),
		.open = dp_open_attributes(domain) > 0,
		.delta = request->budget.delta_atto > 0,
	};
}

/* Writes two significant digits: the text is no finer than what decides. */
static const char *
about(double value, char *words, size_t size)
{
	double unit = value < 10 ? 1 : pow(10, floor(log10(value)) - 1);

	(void) snprintf(words, size, value < 1e6 ? "%.0f" : "%.1e", round(value / unit) * unit);
	return words;
}

static void
explain(const Line *line, const DpChoiceFacts *given, const Facts *facts, DpChoice *choice)
{
	static const char *const sources[] = {"assumed", "as stated", "as released before"};
	double rows = (double) dp_assumed_rows(given);
	char cells[32], rows_words[32];

	(void) snprintf(choice->reason, sizeof(choice->reason),
					"%s (columns %u, cells of all together %s, rows about %s, %s, epsilon %g)",
					line->why, facts->columns,
					facts->open ? "unknown" : about((double) facts->cells, cells, sizeof(cells)),
					about(rows, rows_words, sizeof(rows_words)), sources[given->source],
					(double) given->request->budget.epsilon_nano * 1e-9);
}

static bool
is_there(const DpChoice *choice, uint32_t n, const DpMethod *method)
{
	for (uint32_t i = 0; i < n; i++)
	{
		if (choice[i].method == method)
			return true;
	}
	return false;
}

/* Other options are those of every method. */
static bool
takes_options(const DpMethod *method, const DpOptions *options)
{
	if (!dp_option_given(options, DP_OPTION_PREDICT))
		return true;
	for (uint32_t i = 0; i < method->specs_n; i++)
		if (strcmp(method->specs[i].name, DP_OPTION_PREDICT) == 0)
			return true;
	return false;
}

uint32_t
dp_choose_methods(const DpChoiceFacts *given, DpChoice *choice)
{
	Facts facts = facts_of(given);
	uint32_t n = 0;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
	{
		const DpMethod *method = dp_method_find(lines[i].method);

		if (method == NULL || !lines[i].suits(&facts) || is_there(choice, n, method) ||
			!takes_options(method, given->request->options))
			continue;
		choice[n].method = method;
		choice[n].last_resort = lines[i].suits == any;
		explain(&lines[i], given, &facts, &choice[n]);
		n++;
	}
	return n;
}

/* ---- several tables ---- */

static const Line tree_lines[] = {
	{"aim", wide_but_not_very,
	 "tables of a few columns each, chosen where they matter, come nearest"},
	{"mst", any, "tables along a tree of pairs come near at little cost"},
};

bool
dp_aim_suits_tree(const DpTreeChoiceFacts *given)
{
	Facts facts = {.columns = given->columns, .delta = given->delta};

	return !wide(&facts) || wide_but_not_very(&facts);
}

void
dp_tree_choice_reason(const DpMethod *method, const DpTreeChoiceFacts *facts, char *reason,
					  size_t size)
{
	const char *why = "";
	char rows[32], columns[32] = "not known";

	for (size_t i = 0; i < sizeof(tree_lines) / sizeof(tree_lines[0]); i++)
		if (strcmp(tree_lines[i].method, method->name) == 0)
			why = tree_lines[i].why;
	if (facts->columns > 0)
		(void) snprintf(columns, sizeof(columns), "up to %u", facts->columns);
	(void) snprintf(reason, size, "%s (tables %u, columns of a model %s, rows of all %s%s)", why,
					facts->tables, columns, facts->rows > 0 ? "about " : "not known",
					facts->rows > 0 ? about((double) facts->rows, rows, sizeof(rows)) : "");
}
