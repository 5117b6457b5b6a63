/*
 * image.c -- which values an expression can have, where these are few: they are the groups.
 *
 * Where all columns of an expression have few values, it is computed for every combination of them.
 * Elsewhere its parts are: the branches of CASE, the arguments of a function, the integers and the
 * days of a range. What comes out holds every value that a row can give, and may hold some that no row
 * gives. It follows from public facts alone, so that every group comes back, also one that nobody is
 * in.
 */
#include "pg/question/asked.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "pg/domain/grid.h"
#include "pg/question/date_format.h"
#include "pg/question/extent.h"
#include "pg/server/catalog.h"
#include "pg/server/numbers.h"
#include "pg/server/values.h"

#define INPUT_VALUES_MAX 50000  /* of a column that is gone through */
#define COMBINATIONS_MAX 500000 /* of columns */

/* What an expression, or a part of it, is computed for. */
typedef struct Input
{
	const DpRowExpression *expression; /* a column, or a part that stands for one */
	Oid type;
	uint32 n;
	Datum *value;
	bool with_null;
} Input;

static bool seek_image(DpAsked *asked, const DpRowExpression *expression, DpImage *image);

/* ---- inputs ---- */

static Input
input_of_texts(const DpRowExpression *expression, const char *const *text, uint32 n, bool with_null)
{
	Input input = {expression, expression->type, n, palloc(sizeof(Datum) * (n + 1)), with_null};

	for (uint32 i = 0; i < n; i++)
		input.value[i] = dp_value_in(text[i], expression->type, -1);
	return input;
}

/* All values of a range that has few. */
static bool
input_of_range(const DpRowExpression *expression, const DpAskedColumn *column, Input *input)
{
	const DpGrid *grid = &column->grid;
	DpGridCoder *coder;
	bool counts = dp_is_integer(expression->type) || expression->type == DATEOID;

	if (!column->has_range || !counts || grid->step != 1 || grid->digits != 0 ||
		dp_grid_size(grid) > INPUT_VALUES_MAX)
		return false;
	*input = (Input){.expression = expression,
					 .type = expression->type,
					 .n = (uint32) dp_grid_size(grid),
					 .value = palloc(sizeof(Datum) * dp_grid_size(grid)),
					 .with_null = column->nullable};
	coder = dp_grid_coder(grid, expression->type, -1);
	for (uint32 i = 0; i < input->n; i++)
		input->value[i] = dp_grid_value(coder, grid->first + i);
	return true;
}

/* False: the column has too many values, or nobody knows them. rest: it can have others. */
static bool
input_of_column(DpAsked *asked, const DpRowExpression *expression, Input *input, bool *rest)
{
	const DpAskedColumn *column =
		dp_asked_column_values(asked, expression->relation, expression->name);

	if (!column->lists)
		return input_of_range(expression, column, input);
	if (column->values > INPUT_VALUES_MAX)
		return false;
	*input = input_of_texts(expression, column->value, column->values, column->nullable);
	*rest |= !column->complete;
	return true;
}

/* ---- computing ---- */

static int
input_number(const List *inputs, const DpRowExpression *expression)
{
	ListCell *cell;
	int i = 0;

	foreach (cell, inputs)
	{
		const DpRowExpression *known = ((Input *) lfirst(cell))->expression;

		if (known == expression ||
			(known->kind == DP_X_COLUMN && expression->kind == DP_X_COLUMN &&
			 known->relation == expression->relation && strcmp(known->name, expression->name) == 0))
			return i;
		i++;
	}
	elog(ERROR, "dpsyn: an expression reads what it does not name");
}

static char *
input_text(void *inputs, const DpRowExpression *expression, bool computed)
{
	return psprintf("v%d.c", input_number(inputs, expression));
}

static Datum
array_of(const Input *input)
{
	int n = (int) input->n + (input->with_null ? 1 : 0);
	Datum *values = palloc(sizeof(Datum) * (n + 1));
	bool *nulls = palloc0(sizeof(bool) * (n + 1));
	int dims[1] = {n}, lower[1] = {1};
	int16 length;
	bool by_value;
	char align;

	memcpy(values, input->value, sizeof(Datum) * input->n);
	if (input->with_null)
		nulls[input->n] = true;
	get_typlenbyvalalign(input->type, &length, &by_value, &align);
	return PointerGetDatum(
		construct_md_array(values, nulls, 1, dims, lower, input->type, length, by_value, align));
}

/* The values of an expression over all combinations of its inputs that pass a filter, in order. filter
 * NULL: all pass. */
static bool
compute(const DpRowExpression *expression, const DpRowExpression *filter, List *inputs,
		DpImage *image)
{
	MemoryContext caller = CurrentMemoryContext;
	Oid types[64];
	Datum values[64];
	StringInfoData sql;
	DpUserContext user_context;
	double combinations = 1;
	int n = 0;
	ListCell *cell;

	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT DISTINCT x FROM (SELECT %s AS x FROM ",
					 dp_x_sql(expression, input_text, inputs));
	foreach (cell, inputs)
	{
		const Input *input = lfirst(cell);

		if (n == (int) lengthof(types))
			return false;
		combinations *= input->n + (input->with_null ? 1 : 0);
		types[n] = get_array_type(input->type);
		values[n] = array_of(input);
		appendStringInfo(&sql, "%spg_catalog.unnest($%d) v%d(c)", n ? ", " : "", n + 1, n);
		n++;
	}
	if (n == 0)
		appendStringInfoString(&sql, "(SELECT) v");
	if (filter != NULL)
		appendStringInfo(&sql, " WHERE %s", dp_x_sql(filter, input_text, inputs));
	appendStringInfo(&sql, ") computed ORDER BY 1 NULLS LAST LIMIT %d", DP_IMAGE_VALUES_MAX + 2);
	if (combinations > COMBINATIONS_MAX)
		return false;
	PushActiveSnapshot(GetTransactionSnapshot()); /* EXPLAIN may come when there is none */
	dp_caller_open(&user_context, NIL);
	if (SPI_execute_with_args(sql.data, n, types, values, NULL, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "dpsyn: the values of an expression cannot be computed");
	*image = (DpImage){.value = MemoryContextAlloc(caller, sizeof(char *) * (SPI_processed + 1))};
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool isnull;
		Datum value = SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull);

		if (isnull)
			image->rest = true;
		else
			image->value[image->n++] =
				MemoryContextStrdup(caller, dp_value_out(value, expression->type));
	}
	dp_caller_close(&user_context);
	PopActiveSnapshot();
	return image->n <= DP_IMAGE_VALUES_MAX;
}

/* EXISTS depends on rows, and on no column's values alone. */
static bool
reads_rows_below(const DpRowExpression *expression)
{
	ListCell *cell;

	check_stack_depth();
	if (expression->kind == DP_X_EXISTS)
		return true;
	foreach (cell, expression->arguments)
		if (reads_rows_below(lfirst(cell)))
			return true;
	return false;
}

/* Whether it can differ between values of citext that are equal. */
static bool
tells_case(DpAsked *asked, const DpRowExpression *expression)
{
	ListCell *cell;

	if (expression->kind == DP_X_COLUMN)
		return dp_asked_column(asked, expression->relation, expression->name)->ignores_case;
	if (expression->kind == DP_X_CALL &&
		(expression->function->oid == F_LOWER_TEXT || expression->function->oid == F_UPPER_TEXT))
		return false;
	foreach (cell, expression->arguments)
		if (tells_case(asked, lfirst(cell)))
			return true;
	return false;
}

static bool
reads_only(const DpRowExpression *expression, const void *columns)
{
	const List *all = columns;

	return !reads_rows_below(expression) &&
		   list_length(dp_x_columns(expression, list_copy(all))) == list_length(all);
}

/* The conditions of the question on these columns alone: values that violate them are no groups.
 * NULL: none. */
static const DpRowExpression *
filter_of(const DpAsked *asked, List *columns)
{
	List *conjuncts = columns == NIL ? NIL : dp_asked_conjuncts(asked);

	return conjuncts == NIL ? NULL
							: dp_x_implied(dp_x_of(DP_X_AND, conjuncts), reads_only, columns);
}

/* Through all values of its columns. */
static bool
image_by_columns(DpAsked *asked, const DpRowExpression *expression, DpImage *image)
{
	List *columns = dp_x_columns(expression, NIL), *inputs = NIL;
	bool rest = false;
	ListCell *cell;

	if (reads_rows_below(expression))
		return false;
	foreach (cell, columns)
	{
		Input *input = palloc(sizeof(Input));

		if (!input_of_column(asked, lfirst(cell), input, &rest))
			return false;
		inputs = lappend(inputs, input);
	}
	if (!compute(expression, filter_of(asked, columns), inputs, image))
		return false;
	image->rest |= rest || tells_case(asked, expression);
	return true;
}

/* ---- by parts ---- */

/* The function over the images of its arguments. */
static bool
image_by_arguments(DpAsked *asked, const DpRowExpression *call, DpImage *image)
{
	DpRowExpression *over = palloc(sizeof(DpRowExpression));
	List *inputs = NIL;
	bool rest = false;
	ListCell *cell;

	*over = *call;
	over->arguments = NIL;
	foreach (cell, call->arguments)
	{
		DpRowExpression *argument = lfirst(cell), *standing;
		Input *input = palloc(sizeof(Input));
		DpImage part;

		if (dp_x_is_constant(argument))
		{
			over->arguments = lappend(over->arguments, argument);
			continue;
		}
		if (!seek_image(asked, argument, &part))
			return false;
		standing = dp_x_column(DP_ASKED_RELATIONS_MAX, psprintf("%d", list_length(inputs)),
							   argument->type);
		*input = input_of_texts(standing, part.value, part.n, part.rest);
		inputs = lappend(inputs, input);
		over->arguments = lappend(over->arguments, standing);
		rest |= part.rest;
	}
	if (!compute(over, NULL, inputs, image))
		return false;
	image->rest |= rest;
	return true;
}

/* The values of the branches, in order. */
static bool
image_by_branches(DpAsked *asked, const DpRowExpression *of, DpImage *image)
{
	bool is_case = of->kind == DP_X_CASE;
	int n = list_length(of->arguments);
	const char **all = palloc(sizeof(char *) * DP_IMAGE_VALUES_MAX * 2);
	DpRowExpression *standing = dp_x_column(DP_ASKED_RELATIONS_MAX, "0", of->type);
	Input *input = palloc(sizeof(Input));
	uint32 values = 0;
	bool rest = false;

	for (int i = 0; i < n; i++)
	{
		DpImage part;

		if (is_case && i % 2 == 0 && i < n - 1)
			continue;
		if (!seek_image(asked, list_nth(of->arguments, i), &part) ||
			values + part.n > DP_IMAGE_VALUES_MAX * 2)
			return false;
		for (uint32 v = 0; v < part.n; v++)
			all[values++] = part.value[v];
		rest |= part.rest;
	}
	*input = input_of_texts(standing, all, values, false);
	if (!compute(standing, NULL, list_make1(input), image))
		return false;
	image->rest |= rest;
	return true;
}

/* All integers, multiples of a power of ten, or days, of its range. */
static bool
image_by_range(DpAsked *asked, const DpRowExpression *of, DpImage *image)
{
	DpExtent extent = dp_extent_of(asked, of);
	DpGrid grid;
	DpGridCoder *coder;
	bool whole = dp_is_integer(of->type) || of->type == NUMERICOID || of->type == FLOAT8OID ||
				 of->type == DATEOID;

	if (!whole || !dp_extent_grid(&extent, of->type, &grid) || grid.digits != extent.digits ||
		dp_grid_size(&grid) > DP_IMAGE_VALUES_MAX)
		return false;
	if (extent.low == extent.high)
		grid.last = grid.first;
	coder = dp_grid_coder(&grid, of->type, -1);
	*image =
		(DpImage){.value = palloc(sizeof(char *) * DP_IMAGE_VALUES_MAX), .rest = extent.nullable};
	for (int64 at = grid.first; at <= grid.last; at++)
		image->value[image->n++] = dp_value_out(dp_grid_value(coder, at), of->type);
	return true;
}

/* Units of time with the length of the shortest one. */
typedef struct TimeUnit
{
	const char *name, *step;
	double microseconds;
} TimeUnit;

static const TimeUnit time_units[] = {{"second", "1 second", 1e6},     {"minute", "1 minute", 6e7},
									  {"hour", "1 hour", 3.6e9},       {"day", "1 day", 8.64e10},
									  {"week", "7 days", 6.048e11},    {"month", "1 month", 2.4e12},
									  {"quarter", "3 months", 7.7e12}, {"year", "1 year", 3.15e13}};

static const TimeUnit *
unit_named(const char *name)
{
	for (size_t i = 0; name != NULL && i < lengthof(time_units); i++)
		if (pg_strcasecmp(time_units[i].name, name) == 0)
			return &time_units[i];
	return NULL;
}

/* The times from one to another, by steps. */
static bool
image_of_steps(const DpExtent *extent, Datum step, double microseconds, Oid type, DpImage *image)
{
	Timestamp at = (Timestamp) extent->low;

	if (!extent->ordered || (extent->high - extent->low) / microseconds >= DP_IMAGE_VALUES_MAX - 1)
		return false;
	*image =
		(DpImage){.value = palloc(sizeof(char *) * DP_IMAGE_VALUES_MAX), .rest = extent->nullable};
	for (; (double) at <= extent->high && image->n < DP_IMAGE_VALUES_MAX;
		 at = DatumGetTimestamp(
			 DirectFunctionCall2(timestamp_pl_interval, TimestampGetDatum(at), step)))
		image->value[image->n++] = dp_value_out(TimestampGetDatum(at), type);
	return true;
}

/* The beginnings of the hours, days, ... of a range of times. */
static bool
image_of_truncated(DpAsked *asked, const DpRowExpression *of, DpImage *image)
{
	const TimeUnit *unit = unit_named(((DpRowExpression *) linitial(of->arguments))->text);
	DpExtent extent = dp_extent_of(asked, of);

	return unit != NULL && image_of_steps(&extent, dp_value_in(unit->step, INTERVALOID, -1),
										  unit->microseconds, TIMESTAMPOID, image);
}

/* Of a unit: where clocks are set by half an hour, an hour begins half an hour after another one. */
#define STEP_OF_INSTANTS 0.5

/* The same of instants, by what the clocks of a zone show. */
static bool
image_of_truncated_instants(DpAsked *asked, const DpRowExpression *of, DpImage *image)
{
	const TimeUnit *unit = unit_named(((DpRowExpression *) linitial(of->arguments))->text);
	DpExtent extent = dp_extent_of(asked, lsecond(of->arguments));
	Datum zone = CStringGetTextDatum(((DpRowExpression *) lthird(of->arguments))->text), name;
	double step;
	TimestampTz last = 0;

	if (unit == NULL || !extent.ordered ||
		(extent.high - extent.low) / unit->microseconds >= DP_IMAGE_VALUES_MAX - 1)
		return false;
	name = CStringGetTextDatum(unit->name);
	*image =
		(DpImage){.value = palloc(sizeof(char *) * DP_IMAGE_VALUES_MAX), .rest = extent.nullable};
	step = STEP_OF_INSTANTS * unit->microseconds;
	for (double at = extent.low; at < extent.high + step && image->n < DP_IMAGE_VALUES_MAX;
		 at += step)
	{
		TimestampTz begins = DatumGetTimestampTz(
			DirectFunctionCall3(timestamptz_trunc_zone, name,
								TimestampTzGetDatum((TimestampTz) Min(at, extent.high)), zone));

		if (image->n == 0 || begins != last)
			image->value[image->n++] = dp_value_out(TimestampTzGetDatum(begins), TIMESTAMPTZOID);
		last = begins;
	}
	return true;
}

static bool
image_of_bins(DpAsked *asked, const DpRowExpression *of, DpImage *image)
{
	DpExtent extent = dp_extent_of(asked, of);
	Datum step = dp_value_in(((DpRowExpression *) linitial(of->arguments))->text, INTERVALOID, -1);

	return image_of_steps(&extent, step, dp_finite_number(step, INTERVALOID), of->type, image);
}

/* What a pattern makes of the beginnings of its finest unit, in one cycle of what it reads. */
static bool
image_of_format(DpAsked *asked, const DpRowExpression *of, DpImage *image)
{
	const DpRowExpression *pattern = lsecond(of->arguments);
	DpRowExpression *standing = dp_x_column(DP_ASKED_RELATIONS_MAX, "0", TIMESTAMPOID);
	DpExtent extent = dp_extent_of(asked, linitial(of->arguments));
	Input *input = palloc(sizeof(Input));
	const TimeUnit *unit;
	DpDateFormat format;
	DpImage times;

	if (!dp_date_format(pattern->text, &format) || !extent.ordered)
		return false;
	unit = unit_named(format.unit);
	if (unit == NULL)
		return false;
	if (format.cycle_days > 0)
		extent.high = Min(extent.high, extent.low + format.cycle_days * (double) USECS_PER_DAY);
	extent.low = (double) DatumGetTimestamp(
		DirectFunctionCall2(timestamp_trunc, CStringGetTextDatum(unit->name),
							TimestampGetDatum((Timestamp) extent.low)));
	if (!image_of_steps(&extent, dp_value_in(unit->step, INTERVALOID, -1), unit->microseconds,
						TIMESTAMPOID, &times))
		return false;
	*input = input_of_texts(standing, times.value, times.n, times.rest);
	return compute(dp_x_call(of->function, list_make2(standing, lsecond(of->arguments))), NULL,
				   list_make1(input), image);
}

/* The constants that an expression is compared with. */
static bool
image_of_constants(const DpRowExpression *condition, DpImage *image)
{
	Oid type = ((DpRowExpression *) linitial(condition->arguments))->type;
	DpRowExpression *standing = dp_x_column(DP_ASKED_RELATIONS_MAX, "0", type);
	const char **value = palloc(sizeof(char *) * list_length(condition->arguments));
	Input *input = palloc(sizeof(Input));
	uint32 n = 0;

	for (int i = 1; i < list_length(condition->arguments); i++)
	{
		const DpRowExpression *constant = list_nth(condition->arguments, i);

		if (!dp_x_is_constant(constant) || constant->type != type)
			return false;
		if (constant->text != NULL)
			value[n++] = constant->text;
	}
	*input = input_of_texts(standing, value, n, false);
	return compute(standing, NULL, list_make1(input), image);
}

/* The values of x where WHERE says that x IN (1, 2), or that x = 1. */
static bool
image_by_where(const DpAsked *asked, const DpRowExpression *of, DpImage *image)
{
	const char *text = dp_x_text(of);
	ListCell *cell;

	foreach (cell, dp_asked_conjuncts(asked))
	{
		const DpRowExpression *condition = lfirst(cell);

		if ((condition->kind == DP_X_IN || dp_x_is_equality(condition)) &&
			strcmp(dp_x_text(linitial(condition->arguments)), text) == 0)
			return image_of_constants(condition, image);
	}
	return false;
}

/* floor(x / 50) * 50 has few of the integers in its range. */
static bool
image_of_fewest(DpAsked *asked, const DpRowExpression *of, DpImage *image)
{
	DpImage by_arguments;
	bool has_range = image_by_range(asked, of, image);

	if (has_range && image->n < 2)
		return true;
	if (!image_by_arguments(asked, of, &by_arguments))
		return has_range;
	if (!has_range || by_arguments.n < image->n)
		*image = by_arguments;
	return true;
}

static bool
seek_image(DpAsked *asked, const DpRowExpression *expression, DpImage *image)
{
	static const char *const both[] = {"f", "t"};

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (dp_public_groups(asked, expression, image, DP_IMAGE_VALUES_MAX) ||
		image_by_columns(asked, expression, image) || image_by_where(asked, expression, image))
		return true;
	if (expression->type == BOOLOID)
	{
		*image = (DpImage){2, (const char **) both, dp_extent_of(asked, expression).nullable};
		return true;
	}
	switch (expression->kind)
	{
		case DP_X_CASE:
		case DP_X_COALESCE:
		case DP_X_LEAST:
		case DP_X_GREATEST:
			return image_by_branches(asked, expression, image);
		case DP_X_CALL:
			if (expression->function->oid == F_DATE_TRUNC_TEXT_TIMESTAMP)
				return image_of_truncated(asked, expression, image);
			if (expression->function->oid == F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT)
				return image_of_truncated_instants(asked, expression, image);
			if (expression->function->oid == F_DATE_BIN_INTERVAL_TIMESTAMP_TIMESTAMP ||
				expression->function->oid == F_DATE_BIN_INTERVAL_TIMESTAMPTZ_TIMESTAMPTZ)
				return image_of_bins(asked, expression, image);
			if (expression->function->rule == DP_RULE_FORMAT)
				return image_of_format(asked, expression, image);
			if (expression->function->rule == DP_RULE_TIME && /* the days that months begin with */
				image_by_arguments(asked, expression, image))
				return true;
			return image_of_fewest(asked, expression, image);
		case DP_X_TEXT:
			return image_by_arguments(asked, expression, image);
		default:
			return false;
	}
}

DpImage
dp_image_of(DpAsked *asked, const DpRowExpression *expression)
{
	DpImage image;

	(void) dp_extent_of(asked, expression); /* so that it can be computed */
	if (!seek_image(asked, expression, &image))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s cannot group rows", dp_x_words(expression)),
				 errdetail("It can have more than %d values, or nothing is known of them.",
						   DP_IMAGE_VALUES_MAX),
				 errhint("Group by date_trunc, width_bucket, CASE or a column with categories. Its "
						 "custodian can declare some with dp_define_column.")));
	return image;
}
