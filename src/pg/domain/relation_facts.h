/*
 * relation_facts.h -- what is publicly known of a relation: its domain, and where its columns are.
 * 
 * Runs in any process; it sees the schema and dpsyn's catalog, and no data.
 */
#ifndef DPSYN_RELATION_FACTS_H
#define DPSYN_RELATION_FACTS_H

#include "pg/server/compat.h"

#include "nodes/bitmapset.h"
#include "nodes/pg_list.h"
#include "utils/jsonb.h"

#include "core/domain/domain.h"
#include "pg/domain/json_field.h"

/* The column of a DpAttribute. */
typedef struct DpColumn
{
	AttrNumber number;
	Oid type;
	int32 typmod;
	Oid collation;
	/* of the domain: "declared", "asserted", "schema" for a list of values, "public table" for the
	 * keys of one, "check" or "type" for a range */
	const char *source;
	Jsonb *domain; /* values of an open column, dictionaries read; NULL: any value */
	/* of a range, in words that mean it in every session */
	const char *low;
	const char *high;
	const char *resolution;
	/* the column is modelled as the distance from this one, and type is that of distances; 0: from
	 * none */
	AttrNumber base;
	const char *base_name;
	Oid base_type;
	DpRangePart base_end; /* of the column, which is a range; DP_NO_RANGE_PART: its value */
	Oid base_relation; /* base_name is a column of the rows that rows belong to, here, and base 0;
						* InvalidOid: of the relation itself */
	Oid own_type;      /* of the column itself */
	const DpJsonField *field; /* of a jsonb column that is modelled by fields; NULL: the column */
	const struct DpPublicKeys *keys; /* of the public table that it refers to; NULL: none */
	/* of a column of a public table, in a query: how its values are looked up (public_lookup.h);
	 * NULL: any other column */
	const struct DpPublicLookup *lookup;
	bool nullable;    /* it can be NULL */
	const char *fill; /* in place of NULL in a column that must not be NULL; NULL: none */
	/* of a column of an ancestor: its relation, and the attribute there (ancestor_columns.h); NULL:
	 * the column is the relation's own */
	const struct DpRelation *above;
	uint32 above_attribute;
	List *refers; /* of whether a row refers to any: names of the columns by which; NIL: a column */
	bool exists;  /* of that there is a row, which is all that is modelled; false: a column */
	/* of what is computed from a row, and from rows that are joined to it, by a question
	 * (question/expression.h); NULL: it is a column */
	const void *expression;
	bool inherited; /* rows of other tables of a tree hold its value as a part of their reference */
} DpColumn;

static inline bool
dp_column_is_distance(const DpColumn *column)
{
	return column->base_name != NULL;
}

/* A column that another one gives: by a public dictionary, or as it is. */
typedef struct DpDerived
{
	const char *column;
	const char *base;
	const char *
		table; /* base is a column of the rows of this one that rows belong to; NULL: an attribute */
	Jsonb *dictionary; /* NULL: the same value */
} DpDerived;

/* A column whose value in a row follows from those of other columns (computed.h). */
typedef struct DpComputed
{
	AttrNumber number;
	const char *column;
	const char *words; /* what it is (expression_words.h) */
	Node *value; /* the same over Vars of the relation; of the column's type, without domains */
	Bitmapset *columns; /* numbers of those that it is computed from */
	bool always;        /* in every row: neither it nor one of those is ever NULL */
} DpComputed;

/*
 * A column that is not modelled. source tells why: "declared" (what it holds is), "outdated" (its
 * domain was declared for another type), "primary key", "unique", "sequence" and "generated" (its
 * values are given by the table), "unit" (it tells privacy units apart), "computed" (it is computed from other columns), "fields" (some of its
 * fields are modelled in place of it), "empty public table" (there is no row that it could refer to), "no range" (it needs one end at least), "no domain".
 */
typedef struct DpUnmodelled
{
	AttrNumber number;
	Oid type;
	int32 typmod;
	Oid collation;
	char *name;
	const char *source;
	/* the pattern of its values (core/domain/pattern.h); NULL: the column is NULL */
	const char *fill;
	/* of a foreign key's column that is nullable and has no declaration: the pattern that it would
	 * have if it were NOT NULL; NULL: any other column */
	const char *refers_fill;
	bool key;               /* it differs in each row because it is a key */
	const char *problem;    /* why nothing is known that it could hold; NULL: something is */
	bool computed;          /* its values are computed from the row when it is drawn */
	const char *expression; /* what it is declared to be, in words; NULL: nothing */
} DpUnmodelled;

/* How many rows the columns of a UNIQUE index can tell apart: of all rows, or of those of one
 * parent. */
typedef struct DpKeyCapacity
{
	const char *index;
	bool in_parent;
	uint64 rows;
	AttrNumber column;  /* where nothing of it varies: a column that is held constant; else 0 */
	const char *remedy; /* a pattern that would give distinct values; NULL: none is known */
} DpKeyCapacity;

typedef struct DpRelation
{
	Oid oid;
	DpDomain domain;  /* attributes that can be modelled, in column order */
	DpColumn *column; /* [domain.attributes] */
	List *unmodelled; /* of DpUnmodelled */
	int columns;      /* of the relation, with those that were dropped */
	List *checks;     /* of DpCheck */
	List *generated;  /* of DpCheck */
	bool of_now;      /* some of the checks are about the time of the release (moment.h) */
	List *derived;    /* of DpDerived */
	List *computed;   /* of DpComputed, each behind those that it is computed from */
	List *distinct;   /* of DpDistinct (schema_keys.h): in one parent's rows */
	List *unkept;     /* rules that rows may break; relation_rules.c fills it */
	/* rules of the schema that rows would break; NULL: none */
	const char *broken_check; /* a CHECK of columns that are not modelled */
	const char *broken_keys;  /* UNIQUE indexes, with commas between */
	List *key_capacities;     /* of DpKeyCapacity: of UNIQUE indexes that tell few rows apart */
	/* where a question joins rows to its own (question/asked.h) */
	void *asked;          /* the question; NULL: it is asked for by its columns */
	List *joined_above;   /* of DpRelation: of rows that its rows belong to */
	List *joined_public;  /* OIDs of public tables */
	uint64 joined_digest; /* of what is read of these; 0: nothing is */
} DpRelation;

/* The column as it is read: of the relation itself, or of one above. */
static inline const DpColumn *
dp_column_as_read(const DpColumn *column)
{
	return column->above == NULL ? column : &column->above->column[column->above_attribute];
}

#endif
