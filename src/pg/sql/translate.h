/*
 * translate.h -- PostgreSQL's expressions in the language of questions. Runs in the caller's
 * backend.
 */
#ifndef DPSYN_TRANSLATE_H
#define DPSYN_TRANSLATE_H

#include "pg/server/compat.h"

#include "nodes/parsenodes.h"

#include "pg/question/asked.h"

typedef struct DpTranslation DpTranslation;

/* Sub-queries in FROM that aggregate by person first, beside relations (unit_rows.c). */
typedef struct DpUnitJoins
{
	/* Reads the one that an entry of the range table is. */
	void *(*read)(DpTranslation *translation, const Query *query, int entry);
	/* Adds it to the question, and takes the conditions out that join it. False: none of the
	 * relations that are there yet says whose rows those are. */
	bool (*add)(DpTranslation *translation, void *units, const DpDataset *dataset,
				List **conditions, bool outer);
	/* What its HAVING says of rows; NULL: nothing. */
	DpRowExpression *(*having)(DpTranslation *translation, void *units);
	/* A column of one; NULL: it is of another entry. */
	DpRowExpression *(*column)(DpTranslation *translation, const Var *var);
} DpUnitJoins;

/* Which relation of the question is which entry of the range table. */
struct DpTranslation
{
	DpAsked *asked;
	List *rtable;
	List *entries; /* of int: the number of its entry, for each of asked->relations */
	/* within EXISTS of rows that belong to rows here: the number of their relation; 0: it is not */
	uint32 below;
	const char *text; /* of the statement; NULL: unknown */
	/* of a sub-query that aggregates by person first (unit_rows.c); NULL: there is none */
	void *units;
	DpRowExpression *(*unit_output)(DpTranslation *translation, AttrNumber number);
	bool (*unit_part)(DpTranslation *translation, const Node *node, DpRowExpression **part);
	const DpUnitJoins *unit_joins; /* NULL: none may stand beside relations */
	List *joined;                  /* those that do */
	bool of_units;                 /* what is translated stands in that sub-query */
	const char *clause;            /* where the expression stands, for messages: "WHERE" */
};

/* ERROR for what no question can have: it names the clause. */
extern DpRowExpression *dp_translate(DpTranslation *translation, const Node *node);
/*
 * The same for a group. A date or timestamp with time zone is truncated in local time, as one
 * without time zone, and *zone is the zone by which values of the group are converted back; NULL:
 * no conversion.
 */
extern DpRowExpression *dp_translate_group(DpTranslation *translation, const Node *node,
										   const char **zone);
/* What depends on no row, by its value. */
extern DpRowExpression *dp_translate_constant(const DpTranslation *translation, const Node *node);

/* The elements (Node *) of an array; NIL: it has none, or depends on a row. */
extern List *dp_array_elements(const DpTranslation *translation, Node *array);

/* ---- calls that are written with others, translate_time.c and translate_call.c ---- */

/* What depends on the session's clock or time zone; NULL: it is another call. */
extern DpRowExpression *dp_translate_time(DpTranslation *translation, const Node *node,
										  Oid function, const List *arguments);
/* NULL: it is another call. */
extern DpRowExpression *dp_translate_call(DpTranslation *translation, const Node *node,
										  Oid function, const List *arguments);
/* ---- translate_type.c ---- */

/* What computes with money, but for what dp_function_meant tells; NULL: it is another call. */
extern DpRowExpression *dp_translate_money(DpTranslation *translation, const Node *node,
										   Oid function, const List *arguments);
/* The function of numbers or texts that one of money or citext is; else itself. *folds: of texts in
 * lower case. */
extern Oid dp_function_meant(Oid function, bool *folds);
extern DpRowExpression *dp_folded(DpRowExpression *value);
/* A column of citext as the listed value that it is equal to; else the group itself. */
extern DpRowExpression *dp_folded_group(DpAsked *asked, DpRowExpression *group);

/* A value as text, as a cast gives it. */
extern DpRowExpression *dp_translate_as_text(DpTranslation *translation, const Node *node);

/* ---- translate_subselect.c ---- */

extern DpRowExpression *dp_translate_subselect(DpTranslation *translation, const SubLink *node);
/* The one relation that a sub-select reads; InvalidOid: it is more than that. */
extern Oid dp_subselect_relation(const Query *query);
/* A copy of a sub-select of EXISTS or IN, as one of EXISTS. */
extern Query *dp_subselect_as_exists(const SubLink *node);

/* ---- errors ---- */

/* ERROR: what stands there cannot be answered. hint: NULL is none. */
extern DP_NORETURN void dp_translation_refuse(const DpTranslation *translation, const Node *node,
											  const char *what, const char *hint);
/* For ereport: the position of a node in the text of the statement. */
extern int dp_translation_position(const DpTranslation *translation, const Node *node);

#endif
