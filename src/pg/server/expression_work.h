/*
 * expression_work.h -- how much work there is in an expression that somebody else wrote.
 *
 * Who looks at a relation that was granted, or draws rows of it, must not wait for as long as its
 * owner likes. So what is read and evaluated of an owner's expressions has limits, and they are
 * public: they follow from the expression alone, and not from a clock, so that every process
 * decides alike. What is beyond them is not looked at. The unit is about what it takes to read one
 * byte.
 */
#ifndef DPSYN_EXPRESSION_WORK_H
#define DPSYN_EXPRESSION_WORK_H

#include "pg/server/compat.h"

#include "nodes/nodes.h"

/* Of evaluating one expression once: some milliseconds. */
#define DP_EXPRESSION_WORK_MAX 1e6
/* Of looking at one relation: all that is read and evaluated of its CHECKs, defaults, generated
 * columns and enums. */
#define DP_RELATION_WORK_MAX 1e7

/* What is left of a limit. */
typedef struct DpWork
{
	double left;
} DpWork;

/* Takes work off what is left; false: that is not so much. */
extern bool dp_work_spend(DpWork *work, double units);

/* The words of an expression, as a catalog holds them, as nodes; NULL: reading them is more than
 * what is left, or they are nested too deeply. */
extern Node *dp_expression_read(const char *words, DpWork *work);
/*
 * The work of evaluating an expression once, at most. longest: bytes of the longest value that a
 * column can have; less than 1000 count as 1000. INFINITY: nothing bounds the work, as with
 * repeat(text, column), or it calls a function of which nobody has said how long it takes.
 */
extern double dp_expression_work(Node *expression, double longest);
/* The same where the longest value of each column is known, by its number less 1. */
extern double dp_expression_work_of(Node *expression, const double *longest_of, int columns);
/* Whether an expression of a table of the caller's takes too long for a row. Functions that the
 * caller may have chosen, of extensions too, are trusted to take no longer than their arguments
 * are. */
extern bool dp_expression_is_long(Node *expression);
/* Whether so many evaluations of an expression are within the limits; then they are spent. */
extern bool dp_expression_may_run(Node *expression, double longest, double times, DpWork *work);

/*
 * The function of PostgreSQL's that a function is: itself, or the one that an extension declares
 * for a type of its own, as citext does. What citext's library compares counts as texteq: it is
 * immutable, calls nothing, and takes as long as its arguments are. InvalidOid: it is none.
 */
extern Oid dp_own_function(Oid function);

#endif
