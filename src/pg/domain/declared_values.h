/*
 * declared_values.h -- the column that a declaration names, and the values that it gives, checked.
 */
#ifndef DPSYN_DECLARED_VALUES_H
#define DPSYN_DECLARED_VALUES_H

#include "pg/server/compat.h"

#include "pg/domain/json_field.h"

/* A column of a relation, or a field of one. */
typedef struct DpNamedColumn
{
	const char *name;
	AttrNumber number;
	Oid type;
	int32 typmod;
	Oid collation;
	const DpJsonField *field; /* NULL: it is a column of the relation */
} DpNamedColumn;

/* false: there is no such column. An error names one that cannot be declared. */
extern bool dp_named_column(Oid relation, const char *name, DpNamedColumn *column);
/* A field of a jsonb column in place of a column; false: words are no field of the relation. */
extern bool dp_named_field(Oid relation, const char *words, DpNamedColumn *column);

/*
 * The texts of an array as values of the column's type; texts[i] becomes what the type prints for
 * value i. They are read with the session's settings (DateStyle, TimeZone), as the custodian means
 * them, and printed with pinned ones, as every other session reads them.
 */
extern Datum *dp_declared_values(Datum array, const DpNamedColumn *column, int minimum,
								 const char *what, Datum **texts, int *n);
/* Errors where a category is given twice. */
extern void dp_declared_distinct(Datum *texts, int n, const char *column);
/* Errors where edges do not ascend, or no value could be drawn between two. */
extern void dp_declared_edges(const DpNamedColumn *column, Datum *edges, int n);
/* The finest edge decides the precision of all: beside 100.25, the edge 1e17 needs hundredths. */
extern void dp_declared_edges_together(const DpNamedColumn *column, Datum *texts, int n);

#endif
