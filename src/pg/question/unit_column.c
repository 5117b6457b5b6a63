/*
 * unit_column.c -- columns of rows of units: what is computed of all rows of a unit.
 *
 * An aggregate is a function of the unit's own rows and of public facts. Its range follows from how
 * many rows a unit is taken to have, and from the range of its argument; a unit with more rows than that
 * counts as the end of the range, so that nothing need be left out. Where a group is one row of an ancestor, as
 * an order, it has as many rows as belong to that.
 */
#include "pg/question/asked.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "pg/budget/parent.h"
#include "pg/server/numbers.h"

static DP_NORETURN void
refuse(const char *what)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("an aggregate by person cannot be answered"), errdetail("%s", what)));
}

const char *
dp_unit_aggregate_name(DpUnitAggregateKind kind)
{
	static const char *const names[] = {"count", "count", "sum",     "avg",
										"min",   "max",   "bool_or", "bool_and"};

	return names[kind];
}

static bool
is_number(Oid type)
{
	return dp_is_number(type) && type != FLOAT4OID;
}

/* As pg_aggregate has them. */
Oid
dp_unit_aggregate_type(const DpUnitAggregate *aggregate)
{
	Oid type = aggregate->of == NULL ? InvalidOid : aggregate->of->type;

	switch (aggregate->kind)
	{
		case DP_UNIT_ROWS:
		case DP_UNIT_COUNT:
			return INT8OID;
		case DP_UNIT_ANY:
		case DP_UNIT_ALL:
			if (type != BOOLOID)
				refuse("bool_or and bool_and are of conditions.");
			return BOOLOID;
		case DP_UNIT_MIN:
		case DP_UNIT_MAX:
			if (!is_number(type) && !dp_is_time(type))
				refuse("min and max are of numbers and times.");
			return type;
		case DP_UNIT_SUM:
			if (!is_number(type))
				refuse("sum is of numbers.");
			return type == INT2OID || type == INT4OID ? INT8OID
				   : type == INT8OID                  ? NUMERICOID
													  : type;
		case DP_UNIT_AVG:
			if (!is_number(type))
				refuse("avg is of numbers.");
			return type == FLOAT8OID ? FLOAT8OID : NUMERICOID;
	}
	refuse("It is of no known kind.");
}

bool
dp_unit_aggregate_adds(DpUnitAggregateKind kind)
{
	return kind == DP_UNIT_SUM || kind == DP_UNIT_AVG;
}

/* Whether a column has the key of the row that rows of a relation so many steps up belong to. */
static bool
is_reference(const DpAskedRelation *of, const char *column, int steps, const DpForeignKey *key)
{
	return key->columns == 1 && !of->is_public && !of->is_below && of->units == NULL &&
		   ((of->ancestor == steps && strcmp(column, key->column[0]) == 0) ||
			(of->ancestor == steps + 1 && strcmp(column, key->key[0]) == 0));
}

int
dp_asked_names_row(const DpAsked *asked, const DpDataset *dataset, const DpRowExpression *column,
				   uint32 *rows)
{
	DpDataset at = *dataset;
	uint32 most = 1;
	int named = 0;

	for (int steps = 0; column->kind == DP_X_COLUMN && OidIsValid(at.parent); steps++)
	{
		most *= at.rows_per_parent;
		if (is_reference(list_nth(asked->relations, (int) column->relation), column->name, steps,
						 dp_dataset_reference(&at)))
		{
			*rows = named == 0 ? most : *rows;
			named = steps + 1; /* a key that is a foreign key also names what is further up */
		}
		dp_dataset_get(at.parent, false, &at);
	}
	return named;
}

uint32
dp_asked_unit_rows(DpAsked *units, const DpDataset *dataset)
{
	uint32 most = dataset->unit.rows_max;
	Oid why;
	ListCell *cell;

	foreach (cell, units->groups)
	{
		uint32 rows;

		if (dp_asked_names_row(units, dataset, lfirst(cell), &rows) > 0 &&
			dp_asked_keeps_rows(units, &why))
			most = Min(most, rows);
	}
	return most;
}

/* PostgreSQL sums the squares of floats, too, where it computes their mean. */
#define AVERAGED_LARGEST 1e100

void
dp_unit_aggregate_check(DpAsked *units, const DpUnitAggregate *aggregate)
{
	DpExtent of;

	if (aggregate->of == NULL)
		return;
	of = dp_extent_of(units, aggregate->of);
	if (!dp_unit_aggregate_adds(aggregate->kind) || of.empty)
		return;
	if (!of.ordered)
		refuse(psprintf("Nothing is known of the range of %s.", dp_x_words(aggregate->of)));
	if (aggregate->kind == DP_UNIT_AVG && aggregate->of->type == FLOAT8OID &&
		(of.low < -AVERAGED_LARGEST || of.high > AVERAGED_LARGEST))
		refuse(psprintf("The values of %s can be too large for a mean of floating point numbers.",
						dp_x_words(aggregate->of)));
}

/* The range of an aggregate of at most so many rows. */
static DpExtent
extent_of(DpAsked *units, const DpUnitAggregate *aggregate)
{
	double rows = units->unit_rows;
	DpExtent of =
		aggregate->of == NULL ? (DpExtent){.digits = 0} : dp_extent_of(units, aggregate->of);

	of.nullable |= units->all_units; /* a unit without rows */
	switch (aggregate->kind)
	{
		case DP_UNIT_ROWS:
		case DP_UNIT_COUNT:
			return (DpExtent){.ordered = true,
							  .low = aggregate->kind == DP_UNIT_ROWS ? 1 : 0,
							  .high = rows,
							  .least = 1};
		case DP_UNIT_SUM:
			if (!of.ordered)
				refuse(psprintf("Nothing is known of the range of %s.", dp_x_words(aggregate->of)));
			of.low = Min(of.low * rows, of.low);
			of.high = Max(of.high * rows, of.high);
			return of;
		case DP_UNIT_AVG:
			of.digits = DP_DIGITS_UNKNOWN;
			of.least = 0;
			return of;
		default:
			return of;
	}
}

static DpAskedColumn *
aggregate_describe(DpAsked *units, const DpUnitAggregate *aggregate, DpAskedColumn *column)
{
	DpExtent extent = extent_of(units, aggregate);

	column->type = dp_unit_aggregate_type(aggregate);
	column->nullable = extent.nullable;
	column->digits = extent.digits;
	column->assumed = extent.assumed;
	if (column->type != BOOLOID)
	{
		column->has_range = dp_extent_grid(&extent, column->type, &column->grid);
		column->clamps = column->is_range = column->has_range;
	}
	return column;
}

/* The column that a group is, of a range with too many values to list them; NULL: it is something else. */
static const DpAskedColumn *
wide_column(DpAsked *units, const DpRowExpression *group)
{
	const DpAskedColumn *of =
		group->kind != DP_X_COLUMN ? NULL : dp_asked_column(units, group->relation, group->name);

	return of != NULL && !of->lists && of->has_range &&
				   dp_grid_size(&of->grid) > DP_IMAGE_VALUES_MAX
			   ? of
			   : NULL;
}

static DpAskedColumn *
group_describe(DpAsked *units, const DpRowExpression *group, DpAskedColumn *column)
{
	const DpAskedColumn *wide = wide_column(units, group);
	DpImage image;

	column->type = group->type;
	column->collation = dp_collation_of(units, group);
	if (wide != NULL)
	{
		column->nullable = wide->nullable;
		column->has_range = column->is_range = column->clamps = true;
		column->grid = wide->grid;
		column->digits = wide->digits;
		column->assumed = wide->assumed;
		return column;
	}
	image = dp_image_of(units, group);
	column->nullable = image.rest;
	column->lists = true;
	column->value = image.value;
	column->values = image.n;
	column->complete = !image.rest;
	column->digits = DP_DIGITS_UNKNOWN;
	return column;
}

DpAskedColumn *
dp_unit_column_describe(DpAsked *units, const char *name)
{
	const List *of = name[0] == 'n' ? units->aggregates : units->groups;
	int number = (name[0] == 'n' || name[0] == 'g') && name[1] != '\0' ? atoi(name + 1) : -1;
	DpAskedColumn *column = palloc0(sizeof(DpAskedColumn));

	if (number < 0 || number >= list_length(of) ||
		strcmp(name, psprintf("%c%d", name[0], number)) != 0)
		refuse("It has no such column.");
	column = name[0] == 'n' ? aggregate_describe(units, list_nth(of, number), column)
							: group_describe(units, list_nth(of, number), column);
	column->name = pstrdup(name);
	return column;
}
