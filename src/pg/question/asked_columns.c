/*
 * asked_columns.c -- a question that is asked by the names of columns: measures, groups and a filter.
 *
 * Columns are as they are modelled, with their bins, fields and distances: they are attributes of the
 * relation already, and a part of the question is the level of one. Nothing of it becomes SQL: names
 * are looked up among the columns.
 */
#include "pg/question/asked.h"

#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "core/domain/query.h"
#include "pg/budget/parent.h"
#include "pg/domain/ancestor_columns.h"
#include "pg/domain/bins.h"
#include "pg/domain/grid.h"
#include "pg/domain/levels.h"
#include "pg/domain/predicate.h"
#include "pg/domain/range_attribute.h"
#include "pg/server/bridge.h"
#include "pg/server/json.h"
#include "pg/server/values.h"

/* ---- the filter ---- */

/*
 * What is written arrives whole or is refused, before anything is paid. A filter that leaves no row
 * whatever the data are is refused, too. null means the rows of the cell that null stands for among
 * groups: those with NULL and, where categories are not declared complete, with a value that is
 * not listed. What a condition holds are codes.
 */

/* The members of the filter among these options (predicate.h). */
static List *
filter_members(Jsonb *json)
{
	JsonbValue *filter = dp_json_member(&json->root, "filter");

	if (filter == NULL)
		return NIL;
	if (filter->type != jbvBinary)
		dp_refuse_predicate();
	return dp_predicate_members(filter->val.binary.data);
}

/* ---- levels ---- */

static DP_NORETURN void
refuse_filter(const DpAttribute *attribute)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("column \"%s\" cannot be filtered in this way", attribute->name),
			 attribute->kind == DP_BINS
				 ? errhint("Write [from, to]: from is included and to is not, but for the end of "
						   "the range; null as an end is no bound, and null alone is NULL.")
				 : errhint("Write one of its levels, or a list of them; null is NULL.")));
}

/* ERROR unless some rows can be NULL: those of the cell that stands for NULL. */
static void
check_null(const DpAttribute *attribute, const DpColumn *column)
{
	if (!column->nullable)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("column \"%s\" cannot be NULL", attribute->name),
						errdetail("A filter for NULL would leave no row.")));
	if (!attribute->has_other)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("column \"%s\" has no level for NULL", attribute->name),
						errdetail("Its categories are declared complete, so NULL counts as the "
								  "first of them.")));
}

static void
allow_level(const DpAttribute *attribute, const DpColumn *column, DpLevels *levels,
			const DpTerm *term, bool *allowed)
{
	const char *text = term->kind == DP_TERM_NULL ? NULL : term->text;
	int64 code;

	if (text == NULL)
		check_null(attribute, column);
	else if (attribute->has_other && attribute->other != NULL &&
			 strcmp(text, attribute->other) == 0)
		text = NULL; /* as cells show the level for NULL and the rest */
	code = dp_level_meant(attribute, getBaseType(column->type), column->collation, levels, text);
	if (code < 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("column \"%s\" has no level \"%s\"", attribute->name, text),
						errhint("The view dp_columns lists its levels.")));
	allowed[code] = true;
}

static void
filter_levels(const DpAttribute *attribute, const DpColumn *column, const List *terms,
			  DpCodes *codes)
{
	bool *allowed = palloc0(sizeof(bool) * attribute->levels);
	DpLevels levels = {0};
	ListCell *cell;

	codes->level = allowed;
	foreach (cell, terms)
		allow_level(attribute, column, &levels, lfirst(cell), allowed);
}

/* ---- ranges ---- */

/* Where a constant lies on a grid. */
typedef struct Place
{
	int64 at;  /* the coordinate at it or next below it, or the end that is nearer */
	int order; /* whether that coordinate lies below the constant (-1), at it, or above it (1) */
} Place;

/* Numbers are read as such: a bound may be no value of an integer type. */
static Place
place_of(const DpAttribute *attribute, const DpColumn *column, const DpGrid *grid, const char *text)
{
	Oid type = getBaseType(column->type);
	DpGrid endless = *grid;
	bool exact = true, found;
	int64 at;

	endless.first = PG_INT64_MIN;
	endless.last = PG_INT64_MAX;
	if (grid->kind == DP_GRID_NUMBER)
		found = dp_grid_steps(text, grid->digits, &at, &exact);
	else
		found =
			dp_grid_coordinate(dp_grid_coder(&endless, type, -1), dp_value_in(text, type, -1), &at);
	if (!found)
		refuse_filter(attribute);
	if (at < grid->first)
		return (Place){grid->first, 1};
	if (at > grid->last)
		return (Place){grid->last, -1};
	return (Place){at, exact ? 0 : -1};
}

/* The coordinates of one range; none if first > last. */
static void
coordinates_of(const DpAttribute *attribute, const DpColumn *column, const DpGrid *grid,
			   const DpTerm *term, int64 *first, int64 *last)
{
	Place place;

	*first = grid->first;
	*last = grid->last;
	if (term->low != NULL)
	{
		place = place_of(attribute, column, grid, term->low);
		*first = place.at + (place.order < 0);
	}
	if (term->high != NULL)
	{
		bool excluded;

		place = place_of(attribute, column, grid, term->high);
		excluded = place.order > 0 || (place.order == 0 && !term->closed && place.at < grid->last);
		*last = place.at - excluded;
	}
}

static int
compare_ranges(const ListCell *a, const ListCell *b)
{
	const int64 *left = lfirst(a), *right = lfirst(b);

	return left[0] < right[0] ? -1 : left[0] > right[0];
}

/* Several ranges count as one where they meet. */
static void
filter_range(const DpAttribute *attribute, const DpColumn *column, const DpGrid *grid,
			 const List *terms, DpCodes *codes)
{
	List *ranges = NIL;
	ListCell *cell;

	foreach (cell, terms)
	{
		const DpTerm *term = lfirst(cell);
		int64 *range = palloc(sizeof(int64) * 2);

		if (term->kind == DP_TERM_NULL)
		{
			check_null(attribute, column);
			codes->missing = true;
			continue;
		}
		coordinates_of(attribute, column, grid, term, &range[0], &range[1]);
		if (range[0] > range[1])
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("the filter of column \"%s\" holds none of its values",
								   attribute->name),
							errdetail("Values outside of its range count as the nearer end.")));
		ranges = lappend(ranges, range);
	}
	list_sort(ranges, compare_ranges);
	foreach (cell, ranges)
	{
		const int64 *range = lfirst(cell);

		if (codes->missing ||
			(cell != list_head(ranges) && range[0] > codes->last && range[0] - 1 > codes->last))
			ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
							errmsg("the filter of column \"%s\" is not one range", attribute->name),
							errhint("Ask for each part by itself.")));
		if (cell == list_head(ranges))
			codes->first = range[0];
		codes->last = cell == list_head(ranges) ? range[1] : Max(codes->last, range[1]);
	}
}

/* ---- bins of which single values are not counted ---- */

static DP_NORETURN void
refuse_cut(const DpAttribute *attribute)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("the filter of column \"%s\" does not end where its bins do", attribute->name),
			 errdetail("Its bins go too far, or are too narrow, for values to be counted one by "
					   "one."),
			 errhint("Write [from, to] with edges of bins; the view dp_columns shows them.")));
}

static int
compare_values(Datum a, Datum b, Oid type)
{
	TypeCacheEntry *cache = lookup_type_cache(type, TYPECACHE_CMP_PROC_FINFO);

	return DatumGetInt32(FunctionCall2Coll(&cache->cmp_proc_finfo, InvalidOid, a, b));
}

/* The edge that a text is, of the first bin for what lies below, of the last one for what lies
 * above. */
static uint32
edge_of(const DpAttribute *attribute, Oid type, const char *text)
{
	Datum value = dp_value_in(text, type, -1);
	uint32 last = attribute->labels_n - 1;

	if (!dp_edge_is_drawable(value, type, -1)) /* NaN, infinite, or nearly so */
		refuse_filter(attribute);
	for (uint32 i = 0; i <= last; i++)
	{
		int order = compare_values(dp_value_in(attribute->labels[i], type, -1), value, type);

		if (order == 0 || (order > 0 && i == 0))
			return i;
		if (order > 0)
			refuse_cut(attribute);
	}
	return last;
}

/* The bins of a range; a bin is in it or is not. */
static void
allow_bins(const DpAttribute *attribute, Oid type, const DpTerm *term, bool *allowed)
{
	uint32 last = attribute->labels_n - 1;
	uint32 from = term->low == NULL ? 0 : edge_of(attribute, type, term->low);
	uint32 to = term->high == NULL ? last : edge_of(attribute, type, term->high);

	if (term->closed && term->high != NULL && to < last)
		refuse_cut(attribute);
	if (from >= to)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the filter of column \"%s\" holds none of its bins", attribute->name)));
	for (uint32 i = from; i < to; i++)
		allowed[i] = true;
}

static void
filter_bins(const DpAttribute *attribute, const DpColumn *column, const List *terms, DpCodes *codes)
{
	bool *allowed = palloc0(sizeof(bool) * attribute->levels);
	ListCell *cell;

	codes->level = allowed;
	foreach (cell, terms)
	{
		const DpTerm *term = lfirst(cell);

		if (term->kind == DP_TERM_NULL)
		{
			check_null(attribute, column);
			allowed[attribute->levels - 1] = true;
		}
		else
			allow_bins(attribute, getBaseType(column->type), term, allowed);
	}
}

/* ---- all columns ---- */

static DpCodes *
member_read(const DpRelation *relation, uint32 a, const JsonbValue *value, const DpGrid *grid)
{
	const DpAttribute *attribute = &relation->domain.attribute[a];
	const DpColumn *column = &relation->column[a];
	bool has_bins = attribute->kind == DP_BINS;
	bool has_range = has_bins && grid->first <= grid->last;
	List *terms = dp_predicate_terms(value, has_bins);
	DpCodes *codes = palloc0(sizeof(DpCodes));

	*codes =
		(DpCodes){.levels = attribute->levels, .grid = *grid, .nullable = attribute->has_other};
	if (dp_json_is_array(value) && JsonContainerSize(value->val.binary.data) == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the filter of column \"%s\" names no level", attribute->name),
						errdetail("It would leave no row.")));
	if (terms == NIL || attribute->open || (attribute->range != NULL && !has_range))
		refuse_filter(attribute);
	if (has_range)
		filter_range(attribute, column, grid, terms, codes);
	else if (has_bins)
		filter_bins(attribute, column, terms, codes);
	else
		filter_levels(attribute, column, terms, codes);
	if (dp_grid_size(&codes->grid) == PG_UINT64_MAX) /* 64 bits have to hold what is missing, too */
	{
		codes->grid.first += 2;
		codes->first = Max(codes->first, codes->grid.first);
		codes->last = Max(codes->last, codes->grid.first);
	}
	return codes;
}

/* The filter as a condition on the levels of attributes; NULL: all rows pass. grid: [attributes] */
static DpRowExpression *
filter_read(const DpRelation *relation, Jsonb *json, const DpGrid *grid)
{
	List *conditions = NIL;
	ListCell *cell;

	foreach (cell, filter_members(json))
	{
		const DpMember *member = lfirst(cell);
		uint32 a = dp_relation_attribute(relation, member->column);

		conditions =
			lappend(conditions, dp_x_coded(relation->domain.attribute[a].name,
										   member_read(relation, a, member->value, &grid[a])));
	}
	if (list_length(conditions) < 2)
		return conditions == NIL ? NULL : linitial(conditions);
	return dp_x_of(DP_X_AND, conditions);
}

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
	List *filtered = filter_members(json);
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
	asked->where = filter_read(relation, json, asked->grid);
	dp_values_end(level);
	merge_ranges(relation, asked, is_set(options, "narrow"));
	narrow_grids(relation, asked);
}
