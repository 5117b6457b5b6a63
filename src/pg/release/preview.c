/*
 * preview.c -- what a release will fill, cost and leave, said before it spends. All of it follows
 * from what is public: schema, declarations, request and ledger.
 */
#include "pg/release/preview.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "utils/builtins.h"

#include "core/base/decimal.h"
#include "core/base/saturate.h"
#include "core/domain/pattern.h"
#include "core/methods/noise_allocation.h"
#include "core/methods/registry.h"
#include "core/model/noise_share.h"
#include "core/plan/graphical_options.h"
#include "core/plan/planner.h"
#include "pg/domain/distance_base.h"
#include "pg/domain/public_keys.h"
#include "pg/domain/relation_rules.h"
#include "pg/domain/schema_keys.h"
#include "pg/domain/suggest.h"
#include "pg/question/asked.h"
#include "pg/release/expected.h"
#include "pg/server/catalog.h"
#include "pg/server/labels.h"

#define NAMES_MAX 20 /* columns that a message names; of more it says how many */

/* ---- columns ---- */

/* Whether nothing fills a column that is not modelled. What fills columns otherwise is asked
 * here. */
static bool
comes_back_null(const DpUnmodelled *column)
{
	return column->fill == NULL && !column->computed;
}

/* The columns of the rows; those that the caller left out are not among them, nor those that are
 * NULL because the custodian says so. */
typedef struct Columns
{
	List *filled;   /* of names */
	List *made_up;  /* of names: what they hold says nothing (pg/domain/fill.h) */
	List *null;     /* of DpUnmodelled */
	List *assumed;  /* of names: nothing says what range they have */
	List *refers;   /* of names: whether they are NULL is modelled */
	List *distance; /* of DpColumn: they are modelled as the distance from another */
	List *keys;     /* of DpColumn: they hold keys of public tables */
} Columns;

static bool
is_reference(const DpPrepared *prepared, const char *name)
{
	for (uint32 i = 0; i < prepared->own; i++)
	{
		ListCell *cell;

		foreach (cell, prepared->relation->column[i].refers)
			if (strcmp(lfirst(cell), name) == 0)
				return true;
	}
	return false;
}

static Columns
columns_of(const DpPrepared *prepared)
{
	const DpRelation *relation = prepared->relation;
	Columns columns = {0};
	ListCell *cell;

	for (uint32 i = 0; i < prepared->own; i++)
	{
		char *name = unconstify(char *, relation->domain.attribute[i].name);
		const char *source = relation->column[i].source; /* NULL: it stands in for a missing one */

		if (relation->column[i].refers != NIL || relation->column[i].exists)
			continue;
		columns.filled = lappend(columns.filled, name);
		if (source != NULL && strcmp(source, "assumed") == 0)
			columns.assumed = lappend(columns.assumed, name);
		if (dp_column_is_distance(&relation->column[i]))
			columns.distance = lappend(columns.distance, &relation->column[i]);
		if (relation->column[i].keys != NULL)
			columns.keys = lappend(columns.keys, &relation->column[i]);
	}
	foreach (cell, relation->unmodelled)
	{
		DpUnmodelled *column = lfirst(cell);

		if (is_reference(prepared, column->name))
			columns.refers = lappend(columns.refers, column->name);
		else if (comes_back_null(column))
			columns.null = lappend(columns.null, column);
		else if (column->computed)
			columns.filled = lappend(columns.filled, column->name);
		else if (!dp_pattern_is_null(column->fill))
			columns.made_up = lappend(columns.made_up, column->name);
	}
	return columns;
}

static void
append_name(StringInfo words, int number, const char *name)
{
	if (number < NAMES_MAX)
		appendStringInfo(words, "%s%s", number ? ", " : "", quote_identifier(name));
}

static void
append_rest(StringInfo words, int n)
{
	if (n > NAMES_MAX)
		appendStringInfo(words, " and %d more", n - NAMES_MAX);
}

static void
append_names(StringInfo words, const List *names)
{
	int n = 0;
	ListCell *cell;

	foreach (cell, names)
		append_name(words, n++, lfirst(cell));
	append_rest(words, n);
}

static void
append_distances(StringInfo words, const DpRelation *relation, const List *distances)
{
	int n = 0;
	ListCell *cell;

	if (distances != NIL)
		appendStringInfoString(words, ". As a distance: ");
	foreach (cell, distances)
	{
		const DpColumn *column = lfirst(cell);
		const DpDistanceBase base = dp_distance_base_of(column);

		append_name(words, n, relation->domain.attribute[column - relation->column].name);
		if (n++ < NAMES_MAX)
			appendStringInfo(words, " from %s", dp_distance_base_label(&base));
	}
	append_rest(words, n);
}

/* ". Computed: total = net + tax": those that keep an equation by it. */
static void
append_computed(StringInfo words, const List *computed)
{
	int n = 0;
	const ListCell *cell;

	if (computed != NIL)
		appendStringInfoString(words, ". Computed: ");
	foreach (cell, computed)
	{
		const DpComputed *column = lfirst(cell);

		append_name(words, n, column->column);
		if (n++ < NAMES_MAX)
			appendStringInfo(words, " = %s", column->words);
	}
	append_rest(words, n);
}

/* "part (20000 of parts, by parts.brand, parts.size)": levels that noise drowns are joined. */
static void
append_keys(StringInfo words, const DpRelation *relation, const List *keys)
{
	int n = 0;
	ListCell *cell;

	if (keys != NIL)
		appendStringInfoString(words, ". Keys of public tables: ");
	foreach (cell, keys)
	{
		const DpColumn *column = lfirst(cell);
		const char *levels = dp_public_levels(column->keys);

		append_name(words, n, relation->domain.attribute[column - relation->column].name);
		if (n++ < NAMES_MAX)
			appendStringInfo(words, " (%u of %s%s%s)", column->keys->n,
							 dp_relation_label(column->keys->table->relation),
							 levels[0] == '\0' ? "" : ", by ", levels);
	}
	append_rest(words, n);
}

/* What rows of one parent do not have alike. */
static void
append_distinct(StringInfo words, const DpRelation *relation)
{
	const char *before = ". Distinct inside a parent: ";
	ListCell *cell, *name;

	foreach (cell, relation->distinct)
	{
		const DpDistinct *set = lfirst(cell);

		foreach (name, set->columns)
		{
			appendStringInfo(words, "%s%s", before, quote_identifier(lfirst(name)));
			before = " with ";
		}
		before = set->columns != NIL ? ", " : before;
	}
}

static void
append_columns(StringInfo words, const DpPrepared *prepared, const Columns *columns, bool below)
{
	int n = 0;
	ListCell *cell;

	appendStringInfoString(words, columns->filled != NIL ? "Filled: " : "Filled: nothing");
	append_names(words, columns->filled);
	if (columns->made_up != NIL)
		appendStringInfoString(words, ". Made up: ");
	append_names(words, columns->made_up);
	if (columns->refers != NIL)
		appendStringInfoString(words, ". Made up, or NULL as often as there: ");
	append_names(words, columns->refers);
	if (columns->null != NIL)
		appendStringInfoString(words, ". NULL in every row: ");
	foreach (cell, columns->null)
		append_name(words, n++, ((DpUnmodelled *) lfirst(cell))->name);
	append_rest(words, n);
	if (columns->assumed != NIL)
		appendStringInfoString(words, ". Of an assumed range: ");
	append_names(words, columns->assumed);
	append_distances(words, prepared->relation, columns->distance);
	append_computed(words, prepared->relation->computed);
	append_keys(words, prepared->relation, columns->keys);
	if (below)
		append_distinct(words, prepared->relation);
	appendStringInfoChar(words, '.');
}

/* Whether the option "partial" asks for rows with little information. */
static bool
is_partial(const DpPrepared *prepared)
{
	return dp_option_integer(&prepared->options, dp_common_specs, dp_common_specs_n, "partial") !=
		   0;
}

/* Whether so many columns would be NULL that the option "partial" is needed. */
static bool
is_refused(const DpPrepared *prepared, const Columns *columns)
{
	return list_length(columns->filled) + list_length(columns->made_up) +
				   list_length(columns->refers) <
			   list_length(columns->null) &&
		   !is_partial(prepared);
}

/* The calls that declare the columns, and the ways out. */
static char *
calls_for(const DpPrepared *prepared, const Columns *columns)
{
	Oid relation = prepared->relation->oid;
	StringInfoData calls;
	int n = list_length(columns->null);

	initStringInfo(&calls);
	for (int i = 0; i < Min(n, NAMES_MAX); i++)
	{
		char *call = dp_suggest_call(relation, list_nth(columns->null, i));

		if (call == NULL)
			continue;
		if (calls.len == 0)
			appendStringInfoString(&calls,
								   "Its custodian can declare what is publicly known of them, "
								   "such as the ends of ranges:");
		appendStringInfo(&calls, "\n%s", call);
	}
	appendStringInfo(&calls,
					 "%s such rows with the option partial => true, or name "
					 "the columns that are wanted with the option columns.",
					 calls.len == 0 ? "Take" : "\nOr take");
	return calls.data;
}

void
dp_check_columns(const DpPrepared *prepared)
{
	Columns columns = columns_of(prepared);
	StringInfoData words;

	if (!is_refused(prepared, &columns))
		return;
	initStringInfo(&words);
	append_columns(&words, prepared, &columns, false);
	ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					errmsg("most columns of relation \"%s\" would be NULL",
						   dp_relation_words(prepared->relation->oid)),
					errdetail("%s Nothing was spent.", words.data),
					errhint("%s", calls_for(prepared, &columns))));
}

/* ---- noise ---- */

static char *
rows_words(double rows)
{
	if (rows < 0.01)
		return "less than 0.01";
	return rows < 1000 ? psprintf("%.3g", rows) : psprintf("%.0f", rows);
}

static void
append_deviation(StringInfo words, const DpPlan *plan)
{
	double low, high;

	if (plan->request->query != NULL)
		return; /* its noise is in the units of each measure */
	dp_plan_noise(plan, &low, &high);
	if (high == 0)
		return;
	appendStringInfo(words, " Noise on a count has a standard deviation of %s", rows_words(low));
	if (strcmp(rows_words(low), rows_words(high)) != 0)
		appendStringInfo(words, " to %s", rows_words(high));
	appendStringInfoString(words, " rows.");
}

/* Whether most columns have no declaration and no constraint. */
static bool
is_undeclared(const DpPrepared *prepared)
{
	uint32 undeclared = 0;

	for (uint32 i = 0; i < prepared->own; i++)
	{
		const char *source = prepared->relation->column[i].source;

		undeclared +=
			source != NULL && (strcmp(source, "type") == 0 || strcmp(source, "assumed") == 0);
	}
	return undeclared > prepared->own / 2;
}

#define UNDECLARED_STDDEVS 5 /* of all that a type can hold, what has so many rows is found */

/* The number of rows below which a release is mostly noise; 0: not known. No bins are found where all
 * rows are within a standard deviation. */
static double
rows_of_noise(const DpPrepared *prepared)
{
	const DpPlan *plan = &prepared->plan;
	double found = is_undeclared(prepared) ? UNDECLARED_STDDEVS : 1;
	double least = 0, rows = 0;

	if (plan->request->query != NULL)
		return 0;
	for (uint32 i = 0; i < plan->stages; i++)
	{
		double stddev = plan->stage[i].known ? 0 : plan->stage[i].noise_stddev_rows;

		if (plan->stage[i].finds_bins)
			rows = Max(rows, found * stddev);
		else if (stddev > 0 && (least == 0 || stddev < least))
			least = stddev;
	}
	return Max(rows, dp_noise_rows(least));
}

static double
noise_share(const DpPrepared *prepared, int64 rows)
{
	return dp_noise_share(rows_of_noise(prepared), (double) rows);
}

/* Whether most of the result will be noise, for the stated number of rows. */
static bool
is_noise(const DpReleaseRequest *request, const DpPrepared *prepared)
{
	return noise_share(prepared, request->table_rows) > DP_NOISE_MOST;
}

/* Two digits. */
static char *
about_rows(double rows)
{
	double unit = pow(10, fmax(floor(log10(rows)) - 1, 0));

	return psprintf("%.0f", ceil(rows / unit) * unit);
}

/* Most tables have more rows. A smaller number of rows is not mentioned in the NOTICE. */
#define ROWS_ORDINARY 1000

static void
append_noise(StringInfo words, const DpReleaseRequest *request, const DpPrepared *prepared)
{
	double rows = rows_of_noise(prepared);
	double share = noise_share(prepared, request->table_rows);

	append_deviation(words, &prepared->plan);
	if (share >= DP_NOISE_WORTH_A_WORD)
		appendStringInfo(words, " Of " INT64_FORMAT " rows %s will be noise, of about %s half.",
						 request->table_rows, dp_noise_share_words(share), about_rows(rows));
	else if (rows >= ROWS_ORDINARY)
		appendStringInfo(words, " Of fewer than about %s rows most would be noise.",
						 about_rows(rows));
}

#define COLUMNS_WIDE 64
#define ROWS_ASSUMED 10000 /* of a table without a known number of rows, as in dp_choose_methods */

/* Whether the rows have so much noise that the option "partial" is needed. */
static bool
is_refused_for_noise(const DpReleaseRequest *request, const DpPrepared *prepared, int64 *rows)
{
	if (prepared->own <= COLUMNS_WIDE || !is_undeclared(prepared) || is_partial(prepared) ||
		dp_option_given(&prepared->options, "columns") || prepared->plan.request->query != NULL ||
		prepared->plan.method->unprotected)
		return false;
	*rows = dp_rows_known(request, prepared);
	if (*rows == 0)
		*rows = ROWS_ASSUMED;
	return noise_share(prepared, *rows) > DP_NOISE_MOST;
}

/* The hint how to get less noise. */
static const char *
less_noise(const DpPrepared *prepared)
{
	return psprintf("Name fewer columns with the option columns, have their ranges declared "
					"(dp_suggest_columns(%s) writes the calls), or give more epsilon. The option "
					"partial => true takes such rows.",
					dp_literal(dp_relation_label(prepared->relation->oid)));
}

void
dp_check_noise(const DpReleaseRequest *request, const DpPrepared *prepared)
{
	int64 rows;

	if (!is_refused_for_noise(request, prepared, &rows))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("%s of what rows of relation \"%s\" say would be noise",
					dp_noise_share_words(noise_share(prepared, rows)),
					dp_relation_words(prepared->relation->oid)),
			 errdetail("It has %u columns, and nothing is declared of most. Of about " INT64_FORMAT
					   " rows, half would be noise if they were about %s. Nothing was spent.",
					   prepared->own, rows, about_rows(rows_of_noise(prepared))),
			 errhint("%s", less_noise(prepared))));
}

/* ---- rows that are left out ---- */

/* The bound is public. The number of rows beyond it is not, so it is not mentioned. */
static void
append_bounding(StringInfo words, const DpPrepared *prepared)
{
	const DpDataset *dataset = &prepared->dataset;
	const DpQuery *query = prepared->request.query;
	uint32 rows = query != NULL ? prepared->request.unit.rows_max : dataset->unit.rows_max;
	char *most = query != NULL && dp_query_finds_bounds(&prepared->plan)
					 ? psprintf("what fits, %u at most,", rows)
					 : psprintf("%u", rows);

	if (OidIsValid(dataset->parent))
		appendStringInfo(words,
						 " Rows that belong to one row of %s beyond %s are missing, and rows of "
						 "which none is known; nothing is scaled up to make good for them.",
						 dp_relation_label(dataset->budget_relation), most);
	else if (dataset->unit_column != NULL)
		appendStringInfo(words,
						 " Rows of a unit (%s) beyond %s are missing, and rows where it is NULL; "
						 "nothing is scaled up to make good for them.",
						 quote_identifier(dataset->unit_column), most);
}

/* ---- open columns ---- */

/*
 * The smallest threshold that a value of an open column must reach; 0: there is none. Values are
 * found in the first stages, or by a method that keeps columns open in its own.
 */
static int64
threshold_of(const DpPlan *plan, const DpDomain *domain)
{
	uint32 stages = (plan->discovery.epsilon_nano > 0) + (plan->discovery_pure.epsilon_nano > 0);
	int64 threshold = 0;

	if (dp_open_attributes(domain) == 0)
		return 0;
	if (plan->method->keeps_open)
		stages = plan->stages;
	for (uint32 i = 0; i < stages; i++)
	{
		int64 rows = plan->stage[i].threshold_rows;

		if (rows > 0 && (threshold == 0 || rows < threshold))
			threshold = rows;
	}
	return threshold;
}

static void
append_open(StringInfo words, const DpReleaseRequest *request, const DpPrepared *prepared)
{
	int64 threshold = threshold_of(&prepared->plan, &prepared->relation->domain);
	int64 rows = threshold > 0 ? dp_rows_known(request, prepared) : 0;

	if (threshold == 0)
		return;
	appendStringInfo(
		words,
		" A value of an open column is found where its noisy count reaches " INT64_FORMAT ".",
		threshold);
	if (rows > 0 && rows < threshold)
		appendStringInfo(words, " About " INT64_FORMAT " rows are too few for any.", rows);
	else if (rows > 0)
		appendStringInfo(words,
						 " About " INT64_FORMAT " rows are enough for " INT64_FORMAT
						 " such values of a column.",
						 rows, rows / threshold);
}

/* ---- time ---- */

#define SECONDS_WORTH_A_WORD 10

static char *
time_words(double seconds)
{
	return seconds < 120 ? psprintf("%.0f seconds", seconds)
						 : psprintf("%.0f minutes", seconds / 60);
}

static bool
has_option(const DpMethod *method, const char *name)
{
	for (uint32 i = 0; i < method->specs_n; i++)
		if (strcmp(method->specs[i].name, name) == 0)
			return true;
	return false;
}

/* Only of a release that whoever waits may wonder about. */
static void
append_time(StringInfo words, const DpReleaseRequest *request, const DpPrepared *prepared)
{
	double seconds =
		dp_cost_estimate_seconds(request, prepared) +
		(request->draws || prepared->tree != NULL ? dp_cost_estimate_draw_seconds(request, prepared)
												  : 0);

	if (seconds < SECONDS_WORTH_A_WORD)
		return;
	appendStringInfo(words, " It is expected to take %s", time_words(seconds));
	appendStringInfoString(words, has_option(prepared->plan.method, DP_OPTION_EFFORT)
									  ? ", and less with the option effort as fast."
									  : ".");
}

/* ---- all of it ---- */

static const char *
columns_hint(const DpPrepared *prepared, bool together)
{
	Columns columns = columns_of(prepared);

	if (columns.null == NIL)
		return NULL;
	if (is_refused(prepared, &columns))
		return psprintf("It will be refused, since most columns are NULL. %s",
						calls_for(prepared, &columns));
	return psprintf(
		"The custodian can declare columns with dp_define_column (dp_suggest_columns(%s) "
		"writes the calls)%s.",
		dp_literal(dp_relation_label(prepared->relation->oid)),
		together ? "" : ", and the option columns names those that are wanted");
}

/* Joins two hints, each of which may be missing. */
static const char *
joined(const char *first, const char *second)
{
	return first == NULL ? second : second == NULL ? first : psprintf("%s %s", first, second);
}

static const char *
noise_hint(void)
{
	return "Fewer columns (options columns and attributes), columns that the custodian declares, "
		   "and a larger epsilon leave less of it.";
}

/* With several relations, the hint of the first that has one. */
static const char *
hint_of(const DpPrepared *const *table, int tables)
{
	const char *hint = NULL;

	for (int i = 0; i < tables && hint == NULL; i++)
		hint = columns_hint(table[i], tables > 1);
	return hint;
}

/* What becomes of the columns and rows of one relation. */
static void
append_relation(StringInfo words, const DpReleaseRequest *request, const DpPrepared *prepared,
				bool below)
{
	Columns columns = columns_of(prepared);

	append_columns(words, prepared, &columns, below);
	append_noise(words, request, prepared);
	append_open(words, request, prepared);
	append_bounding(words, prepared);
}

static void
notice_broken_keys(const DpRelation *relation)
{
	if (relation->broken_keys == NULL)
		return;
	ereport(NOTICE,
			(errmsg("rows may repeat what is UNIQUE in the relation: %s", relation->broken_keys),
			 errdetail("All columns of these indexes are modelled."),
			 errhint("The custodian can have one of them numbered: "
					 "dp_define_column(..., key => true).")));
}

static const char *
choice_hint(const DpReleaseRequest *request)
{
	if (request->tree != NULL && request->tree[0] != '\0')
		return psprintf(
			"The view dp_methods says what each method does. dp_release(..., '%s', ...), "
			"or the option method of dp_create_synthetic, asks for this one by name.",
			request->method);
	return psprintf(
		"The view dp_methods says what each method does. dp_synthesize_%s asks for this "
		"one by name, and takes its options.",
		request->method);
}

void
dp_preview(const DpReleaseRequest *request, const DpPrepared *prepared)
{
	int tables = prepared->tree != NULL ? prepared->tree->tables : 1;
	const DpPrepared **table = palloc(sizeof(DpPrepared *) * tables);
	const char *chosen = request->chosen_since;
	const char *hint;
	StringInfoData words;
	bool noise = false;
	int64 rows;

	if (dp_asked_by_select(prepared->relation)) /* EXPLAIN of the question says more */
	{
		ereport(NOTICE, (errmsg("the release costs %s", dp_cost_words(prepared))));
		return;
	}
	for (int i = 0; i < tables; i++)
		table[i] = i == 0 ? prepared : prepared->part[i];
	hint = hint_of(table, tables);
	initStringInfo(&words);
	if (chosen != NULL)
	{
		appendStringInfo(&words, "Chosen since %s. ", chosen);
		hint = joined(choice_hint(request), hint);
	}
	for (int i = 0; i < tables; i++)
	{
		if (tables > 1)
			appendStringInfo(&words, "%sOf %s: ", i > 0 ? "\n" : "",
							 quote_identifier(prepared->tree->table[i].name));
		append_relation(&words, request, table[i], i > 0);
		noise |= is_noise(request, table[i]);
		dp_notice_unkept(table[i]->relation);
	}
	append_time(&words, request, prepared);
	hint = joined(dp_delta_hint(request, table, tables), hint);
	if (is_refused_for_noise(request, prepared, &rows))
	{
		noise = true;
		hint = psprintf("It will be refused, since most of it is noise. %s", less_noise(prepared));
	}
	else if (noise)
		hint = joined(noise_hint(), hint);
	ereport(noise ? WARNING : NOTICE,
			(chosen != NULL ? errmsg("method \"%s\" was chosen, and the release costs %s",
									 request->method, dp_cost_words(prepared))
							: errmsg("the release costs %s", dp_cost_words(prepared)),
			 errdetail("%s", words.data), hint ? errhint("%s", hint) : 0));
	for (int i = 0; i < tables; i++)
		notice_broken_keys(table[i]->relation);
}
