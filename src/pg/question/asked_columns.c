/*
 * asked_columns.c -- a question that is asked by the names of columns: measures, groups and a filter.
 *
 * Columns are as they are modelled, with their bins, fields and distances: they are attributes of the
 * relation already, and a part of the question is the level of one. Nothing of it becomes SQL: names
 * are looked up among the columns.
 */
#include "pg/question/asked.h"

#include "core/domain/query.h"
#include "pg/budget/parent.h"
#include "pg/domain/ancestor_columns.h"
#include "pg/domain/predicate.h"
#include "pg/domain/range_attribute.h"
#include "pg/server/bridge.h"
#include "pg/server/values.h"

/* ---- names ---- */

static const DpNameList *
names_of(const DpOptions *options, const char *name)
{
	static const DpNameList none = {0};
	const DpOption *option = dp_option_lists(options, name);

	return option != NULL && option->kind == DP_VALUE_LIST && option->lists == 1 ? &option->list[0]
																				 : &none;
}

static DpMeasure
measure_of(const char *text, const char **column)
{
	DpArena arena = dp_arena_for(CurrentMemoryContext);
	DpError error = {0};
	DpMeasure measure;

	if (dp_measure_read(text, &measure, column, &arena, &error) != DP_OK)
		dp_raise(&error);
	return measure;
}

static const char *
first_with_levels(const DpRelation *relation)
{
	for (uint32 i = 0; i < relation->domain.attributes; i++)
		if (!relation->domain.attribute[i].open)
			return relation->domain.attribute[i].name;
	return relation->domain.attributes > 0 ? relation->domain.attribute[0].name : NULL;
}

/* Rows can be counted where no column has a public domain: any one stands for them, as a column of
 * which nothing is known and nothing is read. */
static void
take_any_column(DpRelation *relation)
{
	DpUnmodelled *any = relation->unmodelled == NIL ? NULL : linitial(relation->unmodelled);

	if (any == NULL || relation->domain.attributes > 0)
		return;
	relation->domain.attribute[0] =
		(DpAttribute){.name = any->name, .type = "text", .has_other = true};
	dp_attribute_count_levels(&relation->domain.attribute[0]);
	relation->column[0] = (DpColumn){.number = any->number,
									 .type = any->type,
									 .typmod = any->typmod,
									 .collation = any->collation,
									 .own_type = any->type};
	relation->domain.attributes = 1;
}

/* The columns that measures, groups and filter name. There is space for one more. */
static DpNameList
names_needed(const DpOptions *options, Jsonb *json)
{
	const DpNameList *measures = names_of(options, "measures");
	const DpNameList *by = names_of(options, "by");
	DpNameList needed = {0};
	List *filtered = dp_filter_members(json);
	ListCell *cell;

	needed.name = palloc(sizeof(char *) * (measures->n + by->n + list_length(filtered) + 1));
	for (uint32 i = 0; i < measures->n; i++)
	{
		const char *column;

		(void) measure_of(measures->name[i], &column);
		if (column != NULL)
			needed.name[needed.n++] = column;
	}
	for (uint32 i = 0; i < by->n; i++)
		needed.name[needed.n++] = by->name[i];
	foreach (cell, filtered)
		needed.name[needed.n++] = ((DpMember *) lfirst(cell))->column;
	return needed;
}

/* ---- what rows are read of ---- */

DpAsked *
dp_asked_of_columns(const DpRelation *relation, const DpDataset *dataset)
{
	DpAsked *asked = palloc0(sizeof(DpAsked));
	DpAskedRelation *of = palloc0(sizeof(DpAskedRelation));
	List *read = NIL;
	ListCell *cell;

	for (uint32 a = 0; a < relation->domain.attributes; a++)
	{
		if (relation->column[a].above != NULL)
			read = lappend_oid(read, relation->column[a].above->oid);
		read = lappend_oid(read, dp_column_as_read(&relation->column[a])->base_relation);
	}
	of->relation = relation->oid;
	asked->by_columns = true;
	asked->relations = list_make1(of);
	foreach (cell, dp_dataset_parents(dataset))
	{
		if (!list_member_oid(read, lfirst_oid(cell)))
			continue;
		of = palloc0(sizeof(DpAskedRelation));
		*of = (DpAskedRelation){.relation = lfirst_oid(cell),
								.ancestor = foreach_current_index(cell) + 1};
		asked->relations = lappend(asked->relations, of);
	}
	return asked;
}

void
dp_asked_columns_restrict(DpRelation *relation, const DpDataset *dataset, const DpOptions *options,
						  Jsonb *json)
{
	DpNameList needed = names_needed(options, json);
	DpOption option = {.name = "columns", .kind = DP_VALUE_LIST, .lists = 1, .list = &needed};

	for (uint32 i = 0; i < needed.n; i++)
		dp_column_above_add(relation, dataset, needed.name[i]);
	if (needed.n == 0)
		take_any_column(relation);
	if (needed.n == 0 && first_with_levels(relation) != NULL)
		needed.name[needed.n++] = first_with_levels(relation);
	dp_relation_restrict(relation, &(DpOptions){.n = 1, .option = &option});
	relation->asked = dp_asked_of_columns(relation, dataset);
}

/* ---- measures and groups ---- */

static void
check_measure(const DpRelation *relation, const DpAsked *asked, const DpMeasure *measure)
{
	const DpGrid *grid = &asked->grid[measure->column];
	const DpAttribute *attribute = &relation->domain.attribute[measure->column];

	if (attribute->open)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("open column \"%s\" can only group", attribute->name),
				 errdetail("Nothing is known of its values, so that a sum of them has no bound."),
				 errhint("Name it in \"by\". Its custodian can declare a range or categories "
						 "with dp_define_column.")));
	if (measure->kind == DP_COUNT_DISTINCT && attribute->kind == DP_BINS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("distinct values of column \"%s\" cannot be counted", attribute->name),
				 errhint("Only columns with categories have a bound of them.")));
	if (!dp_measure_needs_range(measure->kind))
		return;
	if (grid->first > grid->last)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" has no public range", attribute->name),
				 errdetail("Values are clamped to a range, which bounds what one row can "
						   "change."),
				 errhint("Its custodian can declare a range, bins or categories of numbers or "
						 "dates with dp_define_column.")));
	if (measure->kind == DP_SUM && grid->kind != DP_GRID_NUMBER)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("column \"%s\" has no numbers to add up", attribute->name),
						errhint("Of times, ask for avg or a quantile.")));
}

static void
measures_read(const DpRelation *relation, const DpNameList *names, DpAsked *asked)
{
	if (names->n > DP_MEASURES_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a query has at most %d measures", DP_MEASURES_MAX)));
	asked->measure_attribute = palloc0(sizeof(uint32) * (names->n + 1));
	for (uint32 i = 0; i < names->n; i++)
	{
		const char *column;
		DpMeasure measure = measure_of(names->name[i], &column);
		DpAskedMeasure *added = palloc0(sizeof(DpAskedMeasure));

		if (column != NULL)
		{
			measure.column = dp_relation_attribute(relation, column);
			check_measure(relation, asked, &measure);
			added->of = dp_x_level(column);
		}
		added->kind = measure.kind;
		added->quantile_nano = measure.quantile_nano;
		asked->measure_attribute[i] = measure.column;
		asked->measures = lappend(asked->measures, added);
	}
}

/* ---- ranges whose bins are not needed ---- */

/* A range is one bin to a query, so that nothing is paid for finding bins of it. */
static void
merge_bins(DpAttribute *attribute, const DpColumn *column)
{
	attribute->labels = palloc(sizeof(char *) * 2);
	attribute->labels[0] = column->low;
	attribute->labels[1] = column->high;
	attribute->labels_n = 2;
	attribute->range = NULL;
	dp_attribute_count_levels(attribute);
}

static bool
groups_by(const DpAsked *asked, uint32 attribute)
{
	for (int i = 0; i < list_length(asked->groups); i++)
		if (asked->group_attribute[i] == attribute)
			return true;
	return false;
}

static bool
measures_values_of(const DpAsked *asked, uint32 attribute)
{
	ListCell *cell;

	foreach (cell, asked->measures)
		if (asked->measure_attribute[foreach_current_index(cell)] == attribute &&
			dp_measure_needs_range(((const DpAskedMeasure *) lfirst(cell))->kind))
			return true;
	return false;
}

static bool
is_set(const DpOptions *options, const char *name)
{
	for (uint32 i = 0; i < options->n; i++)
		if (strcmp(options->option[i].name, name) == 0)
			return options->option[i].kind == DP_VALUE_BOOLEAN && options->option[i].flag;
	return false;
}

/* Noise that hides values of so wide a range would leave nothing of a sum. */
static void
check_assumed(const DpAttribute *attribute, const DpColumn *column)
{
	if (column->source != NULL && strcmp(column->source, "assumed") == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" has an assumed range alone", attribute->name),
				 errdetail("Nothing says which values it can have, and noise for all that its "
						   "type has would be far larger than the answer."),
				 errhint("Ask with narrow => true, or its custodian can declare a range with "
						 "dp_define_column.")));
}

/* Bins of a range that groups, or is to be narrowed, are found by the release, at its
 * range_share. */
static void
merge_ranges(DpRelation *relation, const DpAsked *asked, bool narrow)
{
	for (uint32 a = 0; a < relation->domain.attributes; a++)
	{
		DpAttribute *attribute = &relation->domain.attribute[a];

		if (!narrow && measures_values_of(asked, a))
			check_assumed(attribute, &relation->column[a]);
		if (attribute->range == NULL || groups_by(asked, a) ||
			(narrow && measures_values_of(asked, a)))
			continue;
		if (asked->grid[a].first > asked->grid[a].last)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("column \"%s\" has a range that a query cannot use", attribute->name),
					 errhint("Its custodian can declare bins with dp_define_column.")));
		merge_bins(attribute, &relation->column[a]);
	}
}

/* A measured value is of a row that passes, so that it lies where the condition says. */
static void
narrow_grids(const DpRelation *relation, DpAsked *asked)
{
	ListCell *cell;

	foreach (cell, dp_asked_conjuncts(asked))
	{
		const DpRowExpression *condition = lfirst(cell);
		const DpCodes *codes = condition->codes;
		uint32 a = dp_relation_attribute(
			relation, ((const DpRowExpression *) linitial(condition->arguments))->name);

		if (codes->level != NULL || codes->missing || relation->domain.attribute[a].range != NULL)
			continue;
		asked->grid[a].first = codes->first;
		asked->grid[a].last = codes->last;
	}
}

void
dp_asked_columns_read(DpRelation *relation, const DpOptions *options, Jsonb *json)
{
	const DpDomain *domain = &relation->domain;
	const DpNameList *by = names_of(options, "by");
	DpAsked *asked = relation->asked;
	int level = dp_values_begin();

	asked->grid = palloc0(sizeof(DpGrid) * Max(domain->attributes, 1));
	for (uint32 a = 0; a < domain->attributes; a++)
		(void) dp_column_grid(&domain->attribute[a], &relation->column[a], &asked->grid[a]);
	asked->group_attribute = palloc0(sizeof(uint32) * (by->n + 1));
	for (uint32 i = 0; i < by->n; i++)
	{
		asked->group_attribute[i] = dp_relation_attribute(relation, by->name[i]);
		asked->groups = lappend(asked->groups, dp_x_level(by->name[i]));
	}
	measures_read(relation, names_of(options, "measures"), asked);
	asked->where = dp_filter_read(relation, json, asked->grid);
	dp_values_end(level);
	merge_ranges(relation, asked, is_set(options, "narrow"));
	narrow_grids(relation, asked);
}
