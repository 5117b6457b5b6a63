/*
 * computed.h -- columns that are computed from others when a row is drawn: those that the custodian
 * declares so, and those of equations, such as CHECK (total = net + tax).
 *
 * What is declared is not modelled, and is NULL where a part of it is.
 * One column of each equation is computed. It is the one whose domain is widest among those for
 * which the equation can be solved best (equation.h). Where no column of the equation can be NULL,
 * it is not modelled, and stands in other rules as the expression that it is. Otherwise it is
 * modelled, so that it is known where it is NULL and what it is where a part of it is NULL, and is
 * computed where it and its parts are known.
 *
 * Runs in any process; it sees the schema and public domains, and no data.
 */
#ifndef DPSYN_COMPUTED_H
#define DPSYN_COMPUTED_H

#include "pg/server/compat.h"

#include "access/tupdesc.h"
#include "utils/jsonb.h"

#include "core/domain/options.h"
#include "pg/domain/checks.h"
#include "pg/domain/relation.h"

/* Decides which columns of the relation are computed. Those that an option of the release names
 * stay modelled. options: NULL: none are given. */
extern void dp_relation_compute(DpRelation *relation, const DpOptions *options);
/* The rule with each column that is computed in every row as the expression that it is; the rule
 * itself if it has none of them. computed: of DpComputed. */
extern const DpCheck *dp_computed_rule(const DpCheck *check, const List *computed);

/* The words that are kept of an expression which a custodian declares a column of the relation to be.
 * ERROR unless it is one over other columns, of a type that the column can hold. */
extern char *dp_computed_declared(Oid relation, const char *column, const char *words);
/* Numbers of the columns in an expression; 0 stands for all that are none of the row's own. */
extern Bitmapset *dp_columns_of(Node *expression);
/* Each DpComputed that a release keeps (derived.h), over Vars of a row type, each behind those that
 * it is computed from; NIL: none. ERROR where the row type lacks a column that one is computed
 * from, or has it of a type that the expression is not for. */
extern List *dp_computed_of_row(Jsonb *derived, TupleDesc row);
/* The rule that a column of a row type has a value, and its expression, which gives it; NULL: the
 * column's type can hold no such value. */
extern DpCheck *dp_computed_check(const DpComputed *computed, TupleDesc row);

#endif
