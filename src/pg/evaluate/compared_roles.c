/*
 * compared_roles.c -- relations that belong together: which are protected and which are public, and
 * which of their columns hold no values of a model.
 *
 * It is read as any role reads it. Who may not see how a relation is protected compares all columns.
 */
#include "pg/evaluate/compared_tables.h"

#include "utils/builtins.h"

#include "pg/server/catalog.h"

/*
 * How a column that is not modelled gets its values; kind, source and fill are those of dp_columns.
 */
static const char *
words_of(const char *kind, const char *source, const char *fill)
{
	if (strcmp(source, "generated") == 0)
		return "computed from other columns";
	if (strcmp(source, "foreign key") == 0)
		return "a foreign key, to rows that were drawn";
	if (kind != NULL && strcmp(kind, "key") == 0)
		return psprintf("a key (%s)", source);
	return kind == NULL || fill == NULL ? psprintf("NULL (%s)", source)
										: psprintf("%s (%s)", quote_literal_cstr(fill), source);
}

static void
read_made_up(DpComparedTable *table, MemoryContext context)
{
	uint64 rows = dp_spi_read_as_caller(
		"SELECT c.column_name::pg_catalog.text, c.kind, c.source, c.labels[1]"
		" FROM dp_catalog.dp_column_domains_now($1) c"
		" WHERE c.column_name IS NOT NULL AND (c.kind IS NULL OR c.kind IN ('key', 'fill'))"
		" ORDER BY c.ordinal",
		DP_ARGUMENTS(DP_REGCLASS(table->relation[DP_ORIGINAL])));
	MemoryContext caller = MemoryContextSwitchTo(context);

	for (uint64 r = 0; r < rows; r++)
	{
		DpMadeUpColumn *made_up = palloc(sizeof(DpMadeUpColumn));

		made_up->column = dp_spi_text(r, 1);
		made_up->what = words_of(dp_spi_text(r, 2), dp_spi_text(r, 3), dp_spi_text(r, 4));
		table->made_up = lappend(table->made_up, made_up);
	}
	MemoryContextSwitchTo(caller);
}

static char *
text_in(MemoryContext context, uint64 row, int column)
{
	MemoryContext caller = MemoryContextSwitchTo(context);
	char *words = dp_spi_text(row, column);

	MemoryContextSwitchTo(caller);
	return words;
}

static void
read_role(DpComparedTable *table, MemoryContext context)
{
	const DpArguments relation = DP_ARGUMENTS(DP_REGCLASS(table->relation[DP_ORIGINAL]));

	if (dp_spi_read_as_caller("SELECT FROM @.dp_public_relations p WHERE p.relation = $1",
							  relation) > 0)
		table->role = DP_COMPARED_PUBLIC;
	else if (dp_spi_read_as_caller("SELECT d.parent IS NOT NULL, d.max_rows_per_unit,"
								   " d.unit_column::pg_catalog.text FROM @.dp_datasets d WHERE "
								   "d.relation = $1 AND d.active",
								   relation) > 0)
	{
		table->role = dp_spi_bool(0, 1) ? DP_COMPARED_MEMBER : DP_COMPARED_ROOT;
		table->rows_max = (uint32) dp_spi_int32(0, 2);
		if (table->role == DP_COMPARED_ROOT)
			table->unit_column = text_in(context, 0, 3);
		read_made_up(table, context);
	}
}

void
dp_compared_roles(DpComparedTables *tables)
{
	MemoryContext context = CurrentMemoryContext;
	DpUserContext user_context;

	dp_caller_open(&user_context, NIL);
	for (int i = 0; i < tables->n; i++)
		read_role(&tables->table[i], context);
	dp_caller_close(&user_context);
}
