/*
 * range_attribute.c -- columns that are modelled by a range, as attributes of a domain.
 */
#include "pg/domain/range_attribute.h"

#include "pg/domain/resolution.h"
#include "pg/server/subtransaction.h"

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
								  d->labels[0], d->labels[1], d->resolution, attribute->type),
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
