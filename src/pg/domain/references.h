/*
 * references.h -- foreign keys that do not say whose a row is, to a relation that is released with
 * it: another tree's, another one of its own tree, or the relation itself.
 *
 * Of such a key is modelled whether a row refers to any ("chief.refers"), and nothing else. To which
 * is chosen among synthetic rows, once there are any. So one tree's release reads nothing of
 * another one. Of a relation that has nothing else to model, too, it is that there is a row. Runs in any process; it sees the schema, and no data.
 */
#ifndef DPSYN_REFERENCES_H
#define DPSYN_REFERENCES_H

#include "pg/server/compat.h"

#include "pg/budget/dataset.h"
#include "pg/domain/relation.h"

/*
 * Adds an attribute for each such key that can be NULL, and whose columns are not modelled. In rows
 * that refer they hold what they would if they had to hold something. together: the relations.
 */
extern void dp_references_add(DpRelation *relation, const DpDataset *dataset, List *together);
/* Adds the attribute "account.exists" to a relation of which nothing is modelled, though all of its
 * columns hold something: how many rows there are. */
extern void dp_existence_add(DpRelation *relation);
/* The truth (core/domain/rule.h) of that a row refers, or that it does not, at each level of such an
 * attribute. */
extern unsigned char *dp_reference_levels(const DpAttribute *attribute, bool refers);
/* Of an attribute "chief.refers" the condition that it counts; NULL: it is none. */
extern char *dp_reference_condition(const DpColumn *column, const char *of);

#endif
