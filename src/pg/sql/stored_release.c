/*
 * stored_release.c -- counts from a stored release.
 *
 * This answers a question under three conditions. It counts rows of one relation, grouped by its
 * columns, over all rows or those with given values of other columns. Tables of the release contain
 * all of these columns, with the values of the question. No count has more noise than the question
 * would have if it counted one row per unit, which is the least noise possible.
 */
#include "pg/sql/stored_release.h"

#include "miscadmin.h"
#include "utils/builtins.h"

#include "core/domain/query.h"
#include "pg/sample/condition.h"
#include "pg/sample/release_query.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"

#define RELEASES_MAX 20  /* newest releases that are considered */
#define SAME_STDDEV 1e-6 /* rows; a smaller difference of standard deviations is ignored */

/* ---- what is asked ---- */

static bool
is_plain_column(const DpRowExpression *expression)
{
	return expression->kind == DP_X_COLUMN && expression->relation == 0;
}

static bool
is_equality(const DpRowExpression *condition)
{
	return condition->kind == DP_X_CALL &&
		   condition->function->operator!= NULL &&
			   strcmp(condition->function->operator, "=") == 0 &&
		   is_plain_column(linitial(condition->arguments)) &&
		   ((DpRowExpression *) lsecond(condition->arguments))->kind == DP_X_VALUE &&
		   ((DpRowExpression *) lsecond(condition->arguments))->text != NULL;
}

/* Whether it counts rows, grouped by columns and filtered by values of columns. */
static bool
is_of_tables(const DpAsked *asked)
{
	const DpAskedRelation *counted = linitial(asked->relations);
	ListCell *cell;

	if (list_length(asked->relations) != 1 || counted->units != NULL || asked->once)
		return false;
	foreach (cell, asked->measures)
		if (((DpAskedMeasure *) lfirst(cell))->kind != DP_COUNT_ROWS)
			return false;
	foreach (cell, asked->groups)
		if (!is_plain_column(lfirst(cell)))
			return false;
	foreach (cell, dp_asked_conjuncts(asked))
		if (!is_equality(lfirst(cell)))
			return false;
	return true;
}

/* ---- what is released ---- */

static bool
same_values(const DpAttribute *asked, const DpAttribute *released)
{
	if (asked->open || released->kind != asked->kind || asked->kind != DP_CATEGORIES ||
		released->labels_n != asked->labels_n || released->has_other != asked->has_other)
		return false;
	for (uint32 i = 0; i < asked->labels_n; i++)
		if (strcmp(asked->labels[i], released->labels[i]) != 0)
			return false;
	return true;
}

static int
compare_numbers(const void *a, const void *b)
{
	uint32 x = *(const uint32 *) a, y = *(const uint32 *) b;

	return x < y ? -1 : x > y;
}

static bool
find_groups(const DpQuestionPlan *plan, DpReleasedCounts *counts)
{
	const DpDomain *domain = &counts->stored->model.domain;
	const DpAsked *asked = plan->asked;
	int n = list_length(asked->groups);
	uint32 *sorted = palloc(sizeof(uint32) * (n + 1));

	counts->by = palloc(sizeof(uint32) * (n + 1));
	for (int k = 0; k < n; k++)
	{
		const DpRowExpression *group = list_nth(asked->groups, k);
		int found = dp_domain_find(domain, group->name);

		if (found < 0 || !same_values(&plan->relation->domain.attribute[asked->group_attribute[k]],
									  &domain->attribute[found]))
			return false;
		counts->by[k] = sorted[k] = (uint32) found;
	}
	qsort(sorted, n, sizeof(uint32), compare_numbers);
	for (int k = 1; k < n; k++)
		if (sorted[k] == sorted[k - 1])
			return false;
	counts->sorted = (DpAttributeSet){(uint32) n, sorted};
	return true;
}

static bool
is_grouped(const DpReleasedCounts *counts, uint32 attribute)
{
	for (uint32 k = 0; k < counts->sorted.n; k++)
		if (counts->sorted.attribute[k] == attribute)
			return true;
	return false;
}

static Oid
collation_of(const DpRelation *relation, const char *column)
{
	int number = dp_domain_find(&relation->domain, column);

	return number < 0 ? InvalidOid : relation->column[number].collation;
}

/* The conditions, each on one column, as levels of the release's columns. */
static bool
find_condition(const DpQuestionPlan *plan, const DpReleasedCounts *counts, DpCondition *condition)
{
	const DpDomain *domain = &counts->stored->model.domain;
	ListCell *cell;

	dp_condition_start(domain, condition);
	foreach (cell, dp_asked_conjuncts(plan->asked))
	{
		const DpRowExpression *of = lfirst(cell);
		const DpRowExpression *value = lsecond(of->arguments);
		int found = dp_domain_find(domain, ((DpRowExpression *) linitial(of->arguments))->name);
		int64 level;

		if (found < 0 || domain->attribute[found].kind != DP_CATEGORIES ||
			is_grouped(counts, (uint32) found) || condition->given.weight[found] != NULL)
			return false;
		level = dp_level_of_value(&domain->attribute[found],
								  collation_of(plan->relation, domain->attribute[found].name),
								  value->text);
		if (level < 0 || level >= domain->attribute[found].labels_n)
			return false;
		dp_condition_fix(condition, (uint32) found, (uint32) level);
	}
	return true;
}

/* ---- how well ---- */

/* The least standard deviation of the noise of a count that the question can have. */
static double
least_stddev(const DpQuestionPlan *plan, const DpAskFor *ask)
{
	DpReleaseRequest request = dp_question_request(plan, ask);
	const DpPrepared *prepared = dp_prepare_request(&request);
	const DpPlan *of = &prepared->plan;

	return of->stage[of->stages - 1].noise_stddev_rows / prepared->request.unit.rows_max;
}

/* Whether all groups are measured, with no more noise than that. */
static bool
count_groups(DpReleasedCounts *counts, const DpCondition *condition, double confidence,
			 double stddev)
{
	DpStored *stored = counts->stored;
	DpMarginalQuery query = {.domain = &stored->model.domain,
							 .by = counts->sorted,
							 .given = dp_condition_given(condition),
							 .measure = DP_MEASURE_COUNT,
							 .confidence = confidence,
							 .rows_public = dp_rows_public(stored)};
	uint64 groups = dp_marginal_query_groups(&query);

	if (groups > DP_ANSWER_CELLS_MAX)
		return false;
	counts->count =
		palloc_extended(sizeof(DpGroupAnswer) * groups, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	if (dp_measured_answer(&query, dp_stored_tables(stored), stored->model.tables, counts->count,
						   &dp_interrupt_tick, &stored->arena) != DP_OK)
		return false;
	for (uint64 g = 0; g < groups; g++)
		if ((counts->count[g].basis != DP_BASIS_MEASURED &&
			 counts->count[g].basis != DP_BASIS_ZERO) ||
			!(counts->count[g].std_error <= stddev + SAME_STDDEV) || counts->count[g].other > 0)
			return false;
	return true;
}

/* ---- which release ---- */

static void *
release_read(uint64 row)
{
	DpReleasedCounts *counts = palloc0(sizeof(DpReleasedCounts));
	bool isnull;

	counts->release = dp_spi_int64(row, 1);
	counts->at = DatumGetTimestampTz(dp_spi_value(row, 2, &isnull));
	return counts;
}

/* The releases by methods that measure tables of counts, newest first. */
static List *
releases_of(const DpQuestionPlan *plan)
{
	return dp_catalog_list("SELECT id, released_at FROM dp_catalog.dp_release_store"
						   " WHERE dataset = $1 AND method <> $2 ORDER BY id DESC LIMIT $3",
						   DP_ARGUMENTS(DP_INT32(plan->dataset.id),
										dp_text_argument(DP_QUERY_METHOD), DP_INT32(RELEASES_MAX)),
						   release_read);
}

DpReleasedCounts *
dp_released_counts(const DpQuestionPlan *plan, const DpAskFor *ask)
{
	double stddev = -1;
	ListCell *cell;

	if (ask->draws || !is_of_tables(plan->asked))
		return NULL;
	foreach (cell, releases_of(plan))
	{
		DpReleasedCounts *counts = lfirst(cell);
		DpCondition condition;

		CHECK_FOR_INTERRUPTS();
		if (dp_asked_is_old(counts->at, ask) || !dp_stored_may_draw(counts->release))
			continue;
		counts->stored = dp_stored_get(counts->release);
		if (counts->stored->relation != plan->dataset.relation ||
			dp_model_holds_rows(&counts->stored->model) || !find_groups(plan, counts) ||
			!find_condition(plan, counts, &condition))
			continue;
		if (stddev < 0)
			stddev = least_stddev(plan, ask);
		if (count_groups(counts, &condition, ask->confidence, stddev))
			return counts;
	}
	return NULL;
}

uint64
dp_released_cell(const DpReleasedCounts *counts, const uint32 *codes)
{
	const DpDomain *domain = &counts->stored->model.domain;
	uint64 cell = 0;

	for (uint32 s = 0; s < counts->sorted.n; s++)
		for (uint32 k = 0; k < counts->sorted.n; k++)
			if (counts->by[k] == counts->sorted.attribute[s])
				cell = cell * domain->attribute[counts->by[k]].levels + codes[k];
	return cell;
}
