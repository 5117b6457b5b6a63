/*
 * compared_statements.c -- statements that join the rows of one side of relations that belong
 * together.
 */
#include "pg/evaluate/compared_tables.h"

#include "utils/builtins.h"

#include "pg/domain/tree_names.h"
#include "pg/server/catalog.h"

/* The name of a table in a statement. */
static char *
alias_of(const DpComparedTables *tables, const DpComparedTable *table)
{
	return psprintf("t%d", (int) (table - tables->table));
}

char *
dp_compared_label(const DpComparedTable *table, DpSide side)
{
	return dp_relation_label(table->relation[side]);
}

List *
dp_compared_sources(const DpComparedTables *tables, DpSide side)
{
	List *sources = NIL;

	for (int i = 0; i < tables->n; i++)
		sources = lappend_oid(sources, tables->table[i].relation[side]);
	return sources;
}

/* 't1.ward AS "visits.ward", ...' */
static void
append_columns(StringInfo sql, const DpComparedTables *tables, const DpComparedTable *table)
{
	ListCell *cell;

	foreach (cell, table->column)
		appendStringInfo(sql, "%s.%s AS %s, ", alias_of(tables, table),
						 quote_identifier(lfirst(cell)),
						 quote_identifier(dp_compared_name(table, lfirst(cell))));
}

char *
dp_compared_refers(const DpComparedTable *table, const char *alias)
{
	return psprintf("ROW(%s) IS NOT NULL", dp_foreign_key_columns(table->link, alias));
}

char *
dp_rows_across(const DpComparedTables *tables, const DpComparedTable *above,
			   const DpComparedTable *table, DpSide side)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "(SELECT ");
	append_columns(&sql, tables, above);
	append_columns(&sql, tables, table);
	appendStringInfo(&sql, "NULL AS nothing FROM %s %s", dp_compared_label(table, side),
					 alias_of(tables, table));
	for (const DpComparedTable *at = table; at != above; at = &tables->table[at->parent])
	{
		const DpComparedTable *parent = &tables->table[at->parent];

		appendStringInfo(
			&sql, " JOIN %s %s ON %s", dp_compared_label(parent, side), alias_of(tables, parent),
			dp_foreign_key_condition(at->link, alias_of(tables, parent), alias_of(tables, at)));
	}
	appendStringInfoString(&sql, ") joined");
	return sql.data;
}

char *
dp_compared_reference_name(const DpComparedTable *table, const DpComparedReference *reference)
{
	return psprintf("%s.%s", table->name, reference->key->column[0]);
}

char *
dp_rows_referred(const DpComparedTables *tables, const DpComparedReference *reference,
				 const DpComparedTable *table, const List *columns, DpSide side)
{
	const char *name = dp_compared_reference_name(table, reference);
	StringInfoData sql;
	const ListCell *cell;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "(SELECT ");
	foreach (cell, columns)
		appendStringInfo(&sql, "referred.%s AS %s, ", quote_identifier(lfirst(cell)),
						 quote_identifier(psprintf("%s.%s", name, (char *) lfirst(cell))));
	append_columns(&sql, tables, table);
	appendStringInfo(&sql, "NULL AS nothing FROM %s %s JOIN %s referred ON %s) joined",
					 dp_compared_label(table, side), alias_of(tables, table),
					 dp_compared_label(&tables->table[reference->parent], side),
					 dp_foreign_key_condition(reference->key, "referred", alias_of(tables, table)));
	return sql.data;
}

char *
dp_rows_counted(const DpComparedTables *tables, const DpComparedTable *table, DpSide side)
{
	const DpComparedTable *parent = &tables->table[table->parent];
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "(SELECT ");
	append_columns(&sql, tables, parent);
	appendStringInfo(
		&sql,
		"coalesce(n.n, 0) AS %s FROM %s %s LEFT JOIN (SELECT %s, pg_catalog.count(*) AS n FROM %s d"
		" GROUP BY %s) n ON %s) counted",
		quote_identifier(dp_tree_count_name(table->name)), dp_compared_label(parent, side),
		alias_of(tables, parent), dp_foreign_key_columns(table->link, "d"),
		dp_compared_label(table, side), dp_foreign_key_columns(table->link, "d"),
		dp_foreign_key_condition(table->link, alias_of(tables, parent), "n"));
	return sql.data;
}

char *
dp_compared_next_name(const DpComparedTable *table, const char *column)
{
	return psprintf("%s.next.%s", table->name, column);
}

char *
dp_rows_followed(const DpComparedTables *tables, const DpComparedTable *table, DpSide side)
{
	const char *alias = alias_of(tables, table);
	StringInfoData sql;
	ListCell *cell;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "(SELECT * FROM (SELECT ");
	append_columns(&sql, tables, table);
	foreach (cell, table->column)
		appendStringInfo(&sql, "pg_catalog.lead(%s.%s) OVER w AS %s, ", alias,
						 quote_identifier(lfirst(cell)),
						 quote_identifier(dp_compared_next_name(table, lfirst(cell))));
	appendStringInfo(&sql,
					 "pg_catalog.lead(true) OVER w AS followed FROM %s %s WHERE %s"
					 " WINDOW w AS (PARTITION BY %s",
					 dp_compared_label(table, side), alias, dp_compared_refers(table, alias),
					 dp_foreign_key_columns(table->link, alias));
	foreach (cell, table->key)
		appendStringInfo(&sql, "%s%s.%s", foreach_current_index(cell) ? ", " : " ORDER BY ", alias,
						 quote_identifier(lfirst(cell)));
	appendStringInfoString(&sql, ")) r WHERE followed) followed");
	return sql.data;
}
