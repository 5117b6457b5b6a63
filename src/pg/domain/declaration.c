/*
 * declaration.c -- reading the declarations of columns.
 */
#include "pg/domain/declaration.h"

#include "utils/builtins.h"

#include "core/domain/grid.h"
#include "pg/domain/json_field.h"
#include "pg/domain/range_part.h"
#include "pg/server/arguments.h"
#include "pg/server/catalog.h"
#include "pg/server/foreign_key.h"

static void
labels_of_array(Datum array, const char ***labels, uint32 *labels_n)
{
	int n;
	Datum *elements = dp_elements(array, NULL, &n);

	*labels = palloc(sizeof(char *) * Max(n, 1));
	*labels_n = n;
	for (int i = 0; i < n; i++)
		(*labels)[i] = TextDatumGetCString(elements[i]);
}

/* A jsonb column of a row, copied, since it may be in the buffer of a table; NULL for NULL. */
static Jsonb *
domain_read(uint64 row, int column)
{
	bool isnull;
	Datum value = dp_spi_value(row, column, &isnull);

	return isnull ? NULL : DatumGetJsonbPCopy(value);
}

static void *
declaration_read(uint64 row)
{
	DpDeclaration *d = palloc0(sizeof(DpDeclaration));
	bool isnull;

	d->column = dp_spi_text(row, 1);
	d->type = dp_spi_oid(row, 2);
	d->kind = dp_spi_text(row, 3);
	labels_of_array(dp_spi_value(row, 4, &isnull), &d->labels, &d->labels_n);
	d->other = dp_spi_text(row, 5);
	d->complete = dp_spi_bool(row, 6);
	d->domain = domain_read(row, 7);
	d->resolution = dp_spi_text(row, 8);
	d->bins_max = DatumGetInt32(dp_spi_value(row, 9, &isnull));
	if (isnull)
		d->bins_max = DP_GRID_BINS_DEFAULT;
	d->offset_of.column = dp_spi_text(row, 10);
	d->derived_from = dp_spi_text(row, 11);
	d->offset_of.relation = dp_spi_oid(row, 12);
	return d;
}

List *
dp_declarations_read(int32 dataset_id)
{
	return dp_catalog_list("SELECT column_name, type, kind, labels, other, complete, domain,"
						   " resolution, bins_max, offset_of, derived_from, offset_relation FROM "
						   "dp_catalog.dp_dataset_column"
						   " WHERE dataset = $1 ORDER BY column_name",
						   DP_ARGUMENTS(DP_INT32(dataset_id)), declaration_read);
}

/* The names of all columns by which rows refer to the parent, or of the one alone where the schema
 * has changed. */
static List *
reference_columns(Oid relation, Oid parent, char *column)
{
	List *names = NIL;
	ListCell *cell;

	foreach (cell, dp_foreign_keys(relation))
	{
		const DpForeignKey *key = lfirst(cell);

		if (key->parent == parent && dp_foreign_key_place(key, column) >= 0)
			for (int i = 0; i < key->columns; i++)
				names = lappend(names, key->column[i]);
	}
	return names == NIL ? list_make1(column) : names;
}

List *
dp_unit_read(Oid relation, int32 dataset_id, bool *of_parent)
{
	MemoryContext caller = CurrentMemoryContext;
	DpUserContext user_context;
	char *unit = NULL;
	Oid parent = InvalidOid;

	*of_parent = false;
	dp_catalog_open(&user_context);
	if (dp_spi_read("SELECT unit_column, parent FROM dp_catalog.dp_dataset WHERE id = $1",
					DP_ARGUMENTS(DP_INT32(dataset_id))) > 0)
	{
		MemoryContext spi = MemoryContextSwitchTo(caller);

		unit = dp_spi_text(0, 1);
		parent = dp_spi_oid(0, 2);
		MemoryContextSwitchTo(spi);
	}
	dp_catalog_close(&user_context);
	*of_parent = OidIsValid(parent);
	if (unit == NULL)
		return NIL;
	return *of_parent ? reference_columns(relation, parent, unit) : list_make1(unit);
}

DpDeclaration *
dp_declaration_of(List *declarations, const char *column)
{
	ListCell *cell;

	foreach (cell, declarations)
	{
		DpDeclaration *d = lfirst(cell);

		if (strcmp(d->column, column) == 0)
		{
			d->used = true;
			return d;
		}
	}
	return NULL;
}

/* ---- what stands for a column ---- */

List *
dp_declarations_of_json(List *declarations, const char *column)
{
	List *fields = NIL;
	ListCell *cell;

	foreach (cell, declarations)
	{
		DpDeclaration *d = lfirst(cell);

		if (d->used || !dp_is_json_field_name(d->column) ||
			strcmp(dp_json_field_of_name(d->column, d->type)->column, column) != 0)
			continue;
		d->used = true;
		fields = lappend(fields, d);
	}
	return fields;
}

/* The default declaration of a part of a range column. */
static DpDeclaration *
declaration_of_part(DpRangePart part, const char *column, Oid type, bool not_null)
{
	DpDeclaration *d = palloc0(sizeof(DpDeclaration));

	d->column = dp_range_part_name(part, column);
	d->type = dp_range_part_type(part, type);
	d->bins_max = DP_GRID_BINS_DEFAULT;
	d->assumed = true;
	if (part == DP_RANGE_BOUNDS)
	{
		d->kind = "categories";
		d->labels_n = DP_RANGE_BOUNDS_N;
		d->labels = palloc(sizeof(dp_range_bounds[0]) * d->labels_n);
		memcpy(d->labels, dp_range_bounds, sizeof(dp_range_bounds[0]) * d->labels_n);
		d->complete = not_null;
		return d;
	}
	d->kind = "range";
	d->labels = palloc(sizeof(char *) * 2);
	d->labels[0] = dp_range_part_low(part, type);
	d->labels[1] = dp_range_part_high(part, type);
	d->labels_n = 2;
	d->resolution = unconstify(char *, dp_range_part_resolution(part, type));
	return d;
}

/* Whether each range of those bounds has a part. */
static bool
is_always_there(const DpDeclaration *bounds, DpRangePart part)
{
	bool there = bounds->complete;

	for (uint32 i = 0; i < bounds->labels_n; i++)
		there &= dp_range_part_is_there(part, bounds->labels[i]);
	return there;
}

List *
dp_declarations_of_range(List *declarations, const char *column, Oid type, bool not_null)
{
	List *parts = NIL;

	for (int part = DP_RANGE_BOUNDS; part <= DP_RANGE_UPPER; part++)
	{
		DpDeclaration *d = dp_declaration_of(declarations, dp_range_part_name(part, column));

		if (d == NULL)
			d = declaration_of_part(part, column, type, not_null);
		if (part != DP_RANGE_BOUNDS)
			d->complete = is_always_there(linitial(parts), part);
		parts = lappend(parts, d);
	}
	return parts;
}
