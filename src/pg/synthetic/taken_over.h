/*
 * taken_over.h -- expressions of a relation, taken over into a table that is made like it.
 *
 * An expression is taken over as the tree that PostgreSQL keeps of it, in which functions,
 * operators and types are OIDs. It never becomes words: what words mean can change between the
 * judgement and the making, and the new table would run another's code with the rights of its
 * owner.
 */
#ifndef DPSYN_TAKEN_OVER_H
#define DPSYN_TAKEN_OVER_H

#include "pg/server/compat.h"

#include "nodes/nodes.h"
#include "utils/relcache.h"

/* A column of the original, dropped ones too, and what it is in the new table. */
typedef struct DpTakenColumn
{
	AttrNumber number; /* 0: the original has it no more */
	Oid type;          /* its own, or what a domain is over */
	int32 typmod;
	Oid collation;
} DpTakenColumn;

typedef struct DpTakenColumns
{
	int n;
	DpTakenColumn *column; /* by the numbers of the original, from 0 */
} DpTakenColumns;

/* The columns of source, as target has them under the same names. */
extern DpTakenColumns dp_taken_columns(Relation source, Relation target);
/*
 * The expression, of the columns of the new table. value: the number in the original of the column
 * that stands for VALUE in the CHECK of a domain; 0: there is none. ERROR (55000) if it could run
 * code of somebody else's now, or does not go with the columns: then the original was changed.
 */
extern Node *dp_taken_expression(Node *expression, const DpTakenColumns *columns, AttrNumber value);
/* ERROR (55000): the original was changed while the table was made. */
extern DP_NORETURN void dp_raise_not_taken(void);

#endif
