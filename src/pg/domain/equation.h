/*
 * equation.h -- equations between columns that a CHECK says, and what one column is by them.
 *
 * Runs in any process; it sees expressions, and no data. Only PostgreSQL's own operators count.
 */
#ifndef DPSYN_EQUATION_H
#define DPSYN_EQUATION_H

#include "pg/server/compat.h"

#include "nodes/pg_list.h"

/* Both sides, over Vars of the relation. */
typedef struct DpEquation
{
	Node *left;
	Node *right;
} DpEquation;

/*
 * Each DpEquation that holds in each row, none of whose columns is NULL, that keeps the condition:
 * left = right, those of AND, one that is only excepted where a column of its own IS NULL, and
 * abs(left - right) <= tolerance.
 */
extern List *dp_equations_of(Node *condition);

/* What an equation says of one column. Smaller is better. */
typedef enum DpSolution
{
	DP_SOLVED_DIRECTLY, /* it is one side */
	DP_SOLVED_EXACTLY,  /* whatever the others are, the equation holds */
	DP_SOLVED_ROUGHLY,  /* but for rounding */
	DP_NOT_SOLVED
} DpSolution;

/* The column as an expression over the others, of its type without domains around it. */
extern DpSolution dp_equation_solve(const DpEquation *equation, AttrNumber column, Node **value);

#endif
