/*
 * range_attribute.c -- columns that are modelled by a range, as attributes of a domain.
 */
#include "pg/domain/range_attribute.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "pg/domain/grid.h"
#include "pg/domain/resolution.h"
#include "pg/server/subtransaction.h"
#include "pg/server/values.h"

#define STEPS_MAX 3e10 /* of a range whose type does not say what it can tell apart */

/* An attribute whose bins are to be found on a grid. */
static void
range_apply(const DpGrid *grid, uint32 bins_max, bool is_declared, bool nullable,
			DpAttribute *attribute)
{
	DpRange *range = palloc0(sizeof(DpRange));

	range->grid = *grid;
	range->state = DP_RANGE_REQUESTED;
	range->bins_max = bins_max;
	range->is_declared = is_declared;
	attribute->kind = DP_BINS;
	attribute->range = range;
	attribute->has_other = nullable;
}

typedef struct DeclaredGrid
{
	const DpDeclaration *declaration;
	const DpColumn *column;
	DpGrid grid;
} DeclaredGrid;

static void
read_declared_grid(void *context)
{
	DeclaredGrid *declared = context;
	const DpDeclaration *d = declared->declaration;
	DpBaseType type = dp_base_type(declared->column->type, declared->column->typmod);
	DpRangeWords words = {d->labels[0], d->labels[1], d->resolution};

	(void) dp_grid_declared(&words, &type, d->column, &declared->grid);
}

static void
ends_of_grid(const DpGrid *grid, DpColumn *column)
{
	char text[DP_GRID_TEXT_BYTES];

	(void) dp_grid_print(grid, grid->first, text);
	column->low = pstrdup(text);
	(void) dp_grid_print(grid, grid->last, text);
	column->high = pstrdup(text);
}

bool
dp_range_declared(const DpDeclaration *d, DpChecks *checks, Form_pg_attribute form, bool strict,
				  bool nullable, DpAttribute *attribute, DpColumn *column)
{
	DeclaredGrid declared = {d, column, {0}};

	if (!dp_run_in_subtransaction(read_declared_grid, &declared))
	{
		if (!strict)
			return false;
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("the declared range of column \"%s\" does not fit its type any more",
							   d->column),
						errdetail("It is {%s,%s} at resolution %s, and the type is %s.",
								  d->labels[0], d->labels[1], d->resolution,
								  format_type_with_typemod(column->type, column->typmod)),
						errhint("Its custodian can run dp_define_column again.")));
	}
	column->low = d->labels[0];
	column->high = d->labels[1];
	column->resolution = d->resolution;
	if (form != NULL && dp_schema_narrow(checks, form, &declared.grid))
		ends_of_grid(&declared.grid, column);
	range_apply(&declared.grid, d->bins_max, true, nullable, attribute);
	return true;
}

void
dp_range_of_schema(const DpSchemaRange *range, bool nullable, DpAttribute *attribute,
				   DpColumn *column)
{
	range_apply(&range->grid, DP_GRID_BINS_DEFAULT, strcmp(range->source, "check") == 0, nullable,
				attribute);
	column->source = range->source;
	ends_of_grid(&range->grid, column);
	column->resolution = range->resolution;
}

/* Levels of all columns together. The tables of all pairs have half the square of this many cells,
 * and slightly more for NULL. */
#define LEVELS_WIDE 10000
#define BINS_LEAST 4

void
dp_ranges_coarsen(DpDomain *domain)
{
	uint32 most = Max(LEVELS_WIDE / Max(domain->attributes, 1), BINS_LEAST);

	for (uint32 a = 0; a < domain->attributes; a++)
	{
		DpAttribute *attribute = &domain->attribute[a];
		DpRange *range = unconstify(DpRange *, attribute->range);

		if (attribute->kind != DP_BINS || range == NULL || range->state != DP_RANGE_REQUESTED ||
			range->listed != NULL || range->bins_max != DP_GRID_BINS_DEFAULT)
			continue;
		range->bins_max = Min(range->bins_max, most);
		dp_attribute_count_levels(attribute);
	}
}

/* ---- as a grid ---- */

/* Adds a value's coordinate to the others. Bins are sorted by their values; categories may be in
 * any order. */
static void
widen(DpGrid *grid, int64 coordinate)
{
	grid->first = Min(grid->first, coordinate);
	grid->last = Max(grid->last, coordinate);
}

/* The digits after the point that a number of this type has, where it says so; else as many as make
 * some 10^10 steps of the range. */
static int
digits_of(const DpAttribute *attribute, const DpColumn *column)
{
	int32 typmod = column->typmod;
	double low = INFINITY, high = -INFINITY, digits;

	if (getBaseTypeAndTypmod(column->type, &typmod) == NUMERICOID && typmod >= (int32) VARHDRSZ)
		return Max((((typmod - VARHDRSZ) & 0x7ff) ^ 1024) - 1024, 0);
	for (uint32 i = 0; i < attribute->labels_n; i++)
	{
		low = Min(low, strtod(attribute->labels[i], NULL));
		high = Max(high, strtod(attribute->labels[i], NULL));
	}
	digits = floor(log10(STEPS_MAX / Max(high - low, 1e-25)));
	return (int) Max(Min(digits, 24), -24);
}

static bool
grid_of_numbers(const DpAttribute *attribute, int digits, DpGrid *grid)
{
	int64 coordinate;
	bool exact;

	*grid = (DpGrid){.kind = DP_GRID_NUMBER,
					 .first = PG_INT64_MAX,
					 .last = PG_INT64_MIN,
					 .step = 1,
					 .digits = digits};
	for (uint32 i = 0; i < attribute->labels_n; i++)
	{
		if (!dp_grid_steps(attribute->labels[i], digits, &coordinate, &exact))
			return false;
		widen(grid, coordinate);
	}
	return true;
}

static void
grid_of_words(const DpAttribute *attribute, Oid type, DpGrid *grid)
{
	*grid = (DpGrid){
		.kind = dp_grid_kind_of(type), .first = PG_INT64_MAX, .last = PG_INT64_MIN, .step = 1};
	for (uint32 i = 0; i < attribute->labels_n; i++)
		widen(grid, dp_value_word(dp_value_in(attribute->labels[i], type, -1), type));
}

/* The grid of a range in its raw units, so that filters end where they say. */
static bool
grid_of_range(const DpGrid *range, DpGrid *grid)
{
	DpError error = {0};

	*grid = *range;
	grid->step = 1;
	return !__builtin_mul_overflow(range->first, range->step, &grid->first) &&
		   !__builtin_mul_overflow(range->last, range->step, &grid->last) &&
		   dp_grid_check(grid, &error) == DP_OK;
}

bool
dp_column_grid(const DpAttribute *attribute, const DpColumn *column, DpGrid *grid)
{
	static const DpGrid none = {.first = 1, .last = 0, .step = 1};
	Oid type = getBaseType(column->type);
	DpError error = {0};
	int level;

	if (attribute->range != NULL && grid_of_range(&attribute->range->grid, grid))
		return true;
	*grid = none;
	if (attribute->open || attribute->labels_n < (attribute->kind == DP_BINS ? 2 : 1))
		return false;
	level = dp_values_begin();
	switch (type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
			if (!grid_of_numbers(attribute, 0, grid))
				*grid = none;
			break;
		case NUMERICOID:
		case FLOAT4OID:
		case FLOAT8OID:
			if (!grid_of_numbers(attribute, digits_of(attribute, column), grid))
				*grid = none;
			break;
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			grid_of_words(attribute, type, grid);
			break;
		default:
			break;
	}
	dp_values_end(level);
	if (grid->first <= grid->last && dp_grid_check(grid, &error) == DP_OK)
		return true;
	*grid = none;
	return false;
}
