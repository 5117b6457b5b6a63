/*
 * answer.c -- answering a question: from the store where it was asked before, else by a release.
 *
 * What comes out is post-processing of what was paid for.
 */
#include "pg/sql/question_plan.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "core/base/row_major.h"
#include "core/domain/query.h"
#include "pg/release/several.h"
#include "pg/sample/sample.h"
#include "pg/sample/stored_answers.h"
#include "pg/server/bridge.h"
#include "pg/server/values.h"
#include "pg/sql/stored_release.h"

/* ---- what was asked before ---- */

bool
dp_asked_is_old(TimestampTz asked, const DpAskFor *ask)
{
	TimestampTz until;

	if (ask->refresh == NULL)
		return dp_stored_answers_old(asked, ask->began);
	until = DatumGetTimestampTz(DirectFunctionCall2(
		timestamptz_pl_interval, TimestampTzGetDatum(asked), IntervalPGetDatum(ask->refresh)));
	return until < ask->began;
}

/* ---- reading it ---- */

typedef struct Reading
{
	const DpQuestionPlan *plan;
	DpStoredAnswers of;
} Reading;

static void
reading_prepare(const DpStored *stored, const DpQuestionPlan *plan, double confidence,
				Reading *reading, DpArena *arena)
{
	reading->plan = plan;
	dp_stored_answers_open(&reading->of, stored, confidence, arena);
	if (reading->of.layout.by != (uint32) list_length(plan->groups) ||
		reading->of.layout.measures != (uint32) list_length(plan->measures))
		elog(ERROR, "dpsyn: a stored answer is of another question");
}

/* The label of a group's value; NULL: the rest, or NULL itself. */
static const char *
label_of(const Reading *reading, uint32 k)
{
	const DpAttribute *attribute =
		&reading->of.model->domain.attribute[reading->of.layout.by_attribute[k]];

	if (reading->of.codes[k] < attribute->labels_n)
		return attribute->labels[reading->of.codes[k]];
	return attribute->other;
}

/* Values of labels are read once, not in each group again. */
static void
group_values(const Reading *reading, DpQuestionGroup *group)
{
	uint32 n = reading->of.layout.by;

	group->value = palloc0(sizeof(Datum) * (n + 1));
	group->isnull = palloc0(sizeof(bool) * (n + 1));
	for (uint32 k = 0; k < n; k++)
	{
		const char *label = label_of(reading, k);
		bool zoned = list_nth(reading->plan->zones, (int) k) != NULL;
		Oid type = list_nth_oid(reading->plan->groups, (int) k);

		group->isnull[k] = label == NULL;
		if (label != NULL)
			group->value[k] = dp_value_in(label, zoned ? TIMESTAMPOID : getBaseType(type), -1);
	}
}

/* As a time zone has it, which is not that in which labels are read. */
static void
group_zones(const Reading *reading, DpQuestionGroup *group)
{
	for (uint32 k = 0; k < reading->of.layout.by; k++)
	{
		const char *zone = list_nth(reading->plan->zones, (int) k);

		if (zone != NULL && !group->isnull[k])
			group->value[k] =
				DirectFunctionCall2(timestamp_zone, CStringGetTextDatum(zone), group->value[k]);
	}
}

/* The factor (n - 1) / n that turns the variance of a sample into that of a population, with the
 * noisy number of rows from which the variance was computed. */
static double
population_share(const Reading *reading, uint32 measure, uint64 cell)
{
	const DpQueryLayout *layout = &reading->of.layout;
	int i = dp_statistic_find(layout->statistic, layout->statistics, DP_STATISTIC_PRESENT,
							  layout->measure[measure].column);
	double n;

	if (i < 0)
		i = dp_statistic_find(layout->statistic, layout->statistics, DP_STATISTIC_ROWS,
							  DP_NO_COLUMN);
	if (i < 0)
		return 1;
	n = (double) reading->of.model->table[layout->table[i]].value[cell];
	return n > 2 ? (n - 1) / n : 1;
}

static void
scale(DpQuestionValue *value, double share)
{
	value->estimate *= share;
	value->std_error *= share;
	value->low *= share;
	value->high *= share;
}

static DpQuestionValue
value_of(const Reading *reading, uint32 measure, uint64 cell)
{
	const DpQuestionMeasure *asked = list_nth(reading->plan->measures, (int) measure);
	DpAnswerValue value = dp_stored_answers_value(&reading->of, measure, cell);
	DpQuestionValue result = {!isnan(value.estimate), value.estimate, value.std_error, value.low,
							  value.high};

	if (asked->kind == DP_ASK_VAR_POP)
		scale(&result, population_share(reading, measure, cell));
	else if (asked->kind == DP_ASK_STDDEV_POP)
		scale(&result, sqrt(population_share(reading, measure, cell)));
	return result;
}

static bool
adds_up(const DpQuestionMeasure *measure)
{
	return measure->kind == DP_ASK_COUNT_ROWS || measure->kind == DP_ASK_COUNT ||
		   measure->kind == DP_ASK_SUM;
}

/* Whether a number tells nothing: an interval that contains 0, or all that a percentile can be. */
static bool
tells_nothing(const Reading *reading, uint32 measure, const DpQuestionValue *value)
{
	const DpQuestionMeasure *asked = list_nth(reading->plan->measures, (int) measure);
	const DpQueryLayout *layout = &reading->of.layout;
	int i;

	if (!value->known)
		return true;
	if (adds_up(asked))
		return value->low <= 0 && value->high >= 0;
	if (asked->kind != DP_ASK_PERCENTILE_CONT && asked->kind != DP_ASK_PERCENTILE_DISC)
		return false;
	i = dp_statistic_find(layout->statistic, layout->statistics, DP_STATISTIC_CHOICE,
						  layout->measure[measure].column);
	return (value->high - value->low) / dp_coordinate_unit(&layout->grid[i]) >
		   (double) (layout->statistic[i].last - layout->statistic[i].first) - 0.5;
}

/*
 * A group of the rest, or of NULL, that is not clear of noise is most often there because a column may
 * be NULL, and never is.
 */
static bool
is_noise(const Reading *reading, const DpQuestionGroup *group)
{
	bool any = false;

	for (uint32 k = 0; k < reading->of.layout.by; k++)
		any |= group->isnull[k];
	if (!any)
		return false;
	for (uint32 m = 0; m < reading->of.layout.measures; m++)
		if (!tells_nothing(reading, m, &group->measure[m]))
			return false;
	return true;
}

static List *
read_groups(const Reading *reading)
{
	List *groups = NIL;
	int level = dp_values_begin();
	ListCell *cell;

	for (uint64 i = 0; i < reading->of.layout.cells; i++)
	{
		DpQuestionGroup *group = palloc0(sizeof(DpQuestionGroup));

		if (!dp_stored_answers_group(&reading->of, i))
			continue;
		group_values(reading, group);
		group->cell = i;
		group->measure = palloc(sizeof(DpQuestionValue) * reading->of.layout.measures);
		for (uint32 m = 0; m < reading->of.layout.measures; m++)
			group->measure[m] = value_of(reading, m, i);
		if (!is_noise(reading, group))
			groups = lappend(groups, group);
	}
	dp_values_end(level);
	foreach (cell, groups)
		group_zones(reading, lfirst(cell));
	return groups;
}

/* ---- what it rests on ---- */

/* The basis "measured", with the contribution bounds. */
static char *
basis_words(const DpStoredAnswers *answers)
{
	char *bounds = dp_stored_answers_bounds(answers);

	return bounds == NULL ? pstrdup("measured") : psprintf("measured; %s", bounds);
}

/* ---- groups without measures ---- */

/* Combinations of public values, which cost nothing: all, or the first ones. */
static List *
public_groups(const DpQuestionPlan *plan, uint64 cells)
{
	const DpDomain *domain = &plan->relation->domain;
	uint32 n = (uint32) list_length(plan->groups), levels[DP_ATTRIBUTES_MAX];
	Reading reading = {.plan = plan};
	DpModel model = {.domain = *domain};
	List *groups = NIL;
	int level = dp_values_begin();
	ListCell *cell;

	reading.of.model = &model;
	reading.of.layout = (DpQueryLayout){.by = n, .by_attribute = plan->asked->group_attribute};
	reading.of.codes = palloc0(sizeof(uint32) * (n + 1));
	dp_domain_levels(domain, plan->asked->group_attribute, n, levels);
	for (uint64 i = 0; i < cells; i++)
	{
		DpQuestionGroup *group = palloc0(sizeof(DpQuestionGroup));
		bool any = false;

		CHECK_FOR_INTERRUPTS();
		dp_row_major_codes(levels, n, i, reading.of.codes);
		group_values(&reading, group);
		for (uint32 k = 0; k < n; k++)
			any |= group->isnull[k];
		if (!any)
			groups = lappend(groups, group);
	}
	dp_values_end(level);
	foreach (cell, groups)
		group_zones(&reading, lfirst(cell));
	return groups;
}

static uint64
group_cells(const DpQuestionPlan *plan)
{
	return dp_domain_cells(&plan->relation->domain, plan->asked->group_attribute,
						   (uint32) list_length(plan->groups));
}

#define PUBLIC_GROUPS_MAX 1000000
#define SUBSTITUTE_GROUPS_MAX 1000

static List *
all_public_groups(const DpQuestionPlan *plan)
{
	if (group_cells(plan) > PUBLIC_GROUPS_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("there are too many groups to answer")));
	return public_groups(plan, group_cells(plan));
}

DpQuestionAnswer *
dp_question_substitute(const DpQuestionPlan *plan, double number)
{
	DpQuestionAnswer *answer = palloc0(sizeof(DpQuestionAnswer));
	DpQuestionValue value = {!isnan(number), number, number, number, number};
	ListCell *cell;

	answer->groups = public_groups(plan, Min(group_cells(plan), SUBSTITUTE_GROUPS_MAX));
	foreach (cell, answer->groups)
	{
		DpQuestionGroup *group = lfirst(cell);

		group->measure = palloc(sizeof(DpQuestionValue) * (list_length(plan->measures) + 1));
		for (int m = 0; m < list_length(plan->measures); m++)
			group->measure[m] = value;
	}
	return answer;
}

/* ---- from a stored release ---- */

/* Fills in each measure: all of them count rows. */
static void
read_released(const DpQuestionPlan *plan, const DpReleasedCounts *counts, DpQuestionAnswer *answer)
{
	const DpDomain *domain = &counts->stored->model.domain;
	uint32 n = (uint32) list_length(plan->groups), levels[DP_ATTRIBUTES_MAX];
	Reading reading = {.plan = plan, .of = {.model = &counts->stored->model}};
	int level = dp_values_begin();
	ListCell *cell;

	reading.of.layout = (DpQueryLayout){.by = n, .by_attribute = counts->by};
	reading.of.codes = palloc0(sizeof(uint32) * (n + 1));
	dp_domain_levels(domain, counts->by, n, levels);
	for (uint64 i = 0; i < dp_domain_cells(domain, counts->by, n); i++)
	{
		DpQuestionGroup *group = palloc0(sizeof(DpQuestionGroup));
		const DpGroupAnswer *count;

		CHECK_FOR_INTERRUPTS();
		dp_row_major_codes(levels, n, i, reading.of.codes);
		count = &counts->count[dp_released_cell(counts, reading.of.codes)];
		if (count->basis == DP_BASIS_ZERO)
			continue;
		group_values(&reading, group);
		group->cell = i;
		group->measure = palloc(sizeof(DpQuestionValue) * list_length(plan->measures));
		for (int m = 0; m < list_length(plan->measures); m++)
			group->measure[m] =
				(DpQuestionValue){true, count->estimate, count->std_error, count->low, count->high};
		if (!is_noise(&reading, group))
			answer->groups = lappend(answer->groups, group);
	}
	dp_values_end(level);
	foreach (cell, answer->groups)
		group_zones(&reading, lfirst(cell));
}

static char *
released_words(const DpReleasedCounts *counts)
{
	return psprintf("measured by release " INT64_FORMAT ", of method %s", counts->release,
					counts->stored->method->name);
}

static int64
find_fresh(const DpReleaseRequest *request, const DpQuestionPlan *plan, const DpAskFor *ask,
		   TimestampTz *asked)
{
	DpAnswered stored = dp_stored_answers_find(request, plan->dataset.id, &plan->relation->domain,
											   dp_asked_query(plan->relation), 0);

	*asked = stored.at;
	return stored.release != 0 && !dp_asked_is_old(stored.at, ask) ? stored.release : 0;
}

bool
dp_question_spends(const DpQuestionPlan *plan, const DpAskFor *ask)
{
	DpReleaseRequest request = dp_question_request(plan, ask);
	TimestampTz asked;

	return plan->measures != NIL && find_fresh(&request, plan, ask, &asked) == 0 &&
		   dp_released_counts(plan, ask) == NULL;
}

const char *
dp_question_stored_basis(const DpQuestionPlan *plan, const DpAskFor *ask, TimestampTz *asked)
{
	DpReleaseRequest request = dp_question_request(plan, ask);
	DpArena arena = dp_arena_for(CurrentMemoryContext);
	int64 release = find_fresh(&request, plan, ask, asked);
	DpReleasedCounts *counts;
	Reading reading;

	if (release == 0)
	{
		counts = dp_released_counts(plan, ask);
		if (counts == NULL)
			return NULL;
		*asked = counts->at;
		return released_words(counts);
	}
	reading_prepare(dp_stored_get(release), plan, ask->confidence, &reading, &arena);
	return basis_words(&reading.of);
}

DpQuestionAnswer *
dp_question_answer(DpQuestionPlan *plan, const DpAskFor *ask, EState *estate)
{
	DpQuestionAnswer *answer = palloc0(sizeof(DpQuestionAnswer));
	DpReleaseRequest request = dp_question_request(plan, ask);
	DpArena arena = dp_arena_for(CurrentMemoryContext);
	Reading *reading = palloc(sizeof(Reading)); /* the answerer refers to its layout */

	answer->asked = GetCurrentTimestamp();
	answer->was_stored = true;
	if (plan->measures == NIL)
	{
		answer->basis = "public values";
		answer->groups = all_public_groups(plan);
		return answer;
	}
	answer->release = find_fresh(&request, plan, ask, &answer->asked);
	if (answer->release == 0)
	{
		DpReleasedCounts *counts = dp_released_counts(plan, ask);
		DpReleaseForest forest = {.trees = 1, .tree = &request};

		if (counts != NULL)
		{
			answer->release = counts->release;
			answer->asked = counts->at;
			answer->basis = released_words(counts);
			read_released(plan, counts, answer);
			return answer;
		}
		dp_statement_check(estate);
		answer->release = dp_release_and_report(&forest);
		answer->asked = GetCurrentTimestamp();
		answer->was_stored = false;
	}
	reading_prepare(dp_stored_get(answer->release), plan, ask->confidence, reading, &arena);
	answer->basis = basis_words(&reading->of);
	answer->groups = read_groups(reading);
	answer->answerer = reading->of.answerer;
	answer->measure_number = palloc(sizeof(uint32) * reading->of.layout.measures);
	for (uint32 m = 0; m < reading->of.layout.measures; m++)
		answer->measure_number[m] = m;
	return answer;
}
