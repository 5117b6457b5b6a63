/*
 * schema_keys.h -- the columns that the schema wants to differ from row to row.
 *
 * Runs in any process; it sees the schema and dpsyn's catalog, and no data.
 */
#ifndef DPSYN_SCHEMA_KEYS_H
#define DPSYN_SCHEMA_KEYS_H

#include "pg/server/compat.h"

#include "nodes/pg_list.h"
#include "utils/relcache.h"

#include "pg/server/foreign_key.h"

typedef enum DpKeyKind
{
	DP_NO_KEY = 0,
	DP_KEY,
	DP_KEY_IN_PARENT /* among the rows that refer to one row of the parent */
} DpKeyKind;

/* What is known of the columns of a relation, each by its index, which counts from 0. */
typedef struct DpKeyFacts
{
	const bool *described; /* the column has a public domain, or a declared pattern */
	const bool *unique;    /* the column has a declared pattern that differs in each row */
	const bool *place;     /* one that differs among the rows of one parent */
	const bool *unit;      /* the column is one of those that name the privacy unit */
	bool unit_repeats;     /* several rows have the same, that of their parent */
	const bool *refers;    /* a foreign key leads from it, maybe with other columns */
	const bool *refers_to_protected; /* from it alone, to rows whose keys are made up */
	const bool *bounded;             /* CHECKs bound it from both sides */
	const bool *modelled;            /* it has a model, unless it is numbered */
} DpKeyFacts;

/* Columns of which no two rows of one parent have the same values: what a key has beside the whole
 * reference to the parent. None: a parent has one row at most. */
typedef struct DpDistinct
{
	const char *index;
	List *columns;    /* of char * */
	bool nulls_equal; /* else rows with a NULL in one of them are different */
} DpDistinct;

/* Whether a column of the type can hold the number of the row, or a uuid. */
extern bool dp_type_is_numbered(Oid type);
/* Whether a column by itself is UNIQUE. index counts from 0. */
extern bool dp_schema_is_unique(Relation relation, int index);
/*
 * Which columns are to hold a value of their own in each row: those of a PRIMARY KEY or UNIQUE
 * constraint or index (of several columns one of them, unless all mean something), the unit
 * columns, and columns that a sequence numbers. Beside the whole reference to a parent only what
 * refers to another protected relation is taken, until the rows that it may refer to are there.
 * Only columns that are not described are taken, of types that can be numbered. sets: gets those
 * of DpDistinct that are left.
 */
extern DpKeyKind *dp_schema_keys(Relation relation, const DpKeyFacts *facts, List **sets);
/* A UNIQUE index that holds for every row. */
typedef struct DpSchemaKey
{
	const char *index;
	List *columns; /* of int: their numbers */
	bool nulls_equal;
	bool primary;
} DpSchemaKey;

/* All of them; NIL: there is none. No index is opened or locked: RelationGetIndexAttrBitmap opens
 * each, and waits for whoever rebuilds one. */
extern List *dp_schema_keys_all(Relation relation);
/* The numbers of the columns of the primary key, in its order; NIL: there is none. */
extern List *dp_schema_primary_key(Relation relation);
/*
 * The names of the UNIQUE constraints and indexes that rows may break, with commas between; NULL:
 * none. unique: which columns differ in each row; null: which are NULL in each.
 */
extern char *dp_schema_keys_broken(Relation relation, const bool *unique, const bool *null);
/* The numbers of the columns of all foreign keys that this column is in. */
extern Bitmapset *dp_schema_refer_together(Relation relation, AttrNumber column);
/* Whether a foreign key leads from this column, maybe with others. */
extern bool dp_schema_refers(Relation relation, AttrNumber column);
/* The relations (Oids) that foreign keys of this column refer to: keys of this column alone, or
 * those of several columns. */
extern List *dp_schema_refers_to(Relation relation, AttrNumber column, bool alone);
/* The foreign key that says whose a row of a relation is; NULL: it is not protected with a parent. */
extern const DpForeignKey *dp_protected_reference(Oid relation);
/* Whether a column is NOT NULL. */
extern bool dp_column_not_null(Oid relation, AttrNumber column);

#endif
