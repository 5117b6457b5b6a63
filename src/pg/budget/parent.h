/*
 * parent.h -- whose a row is that a foreign key leads to a unit: rows of a child table belong to
 * the unit of their parent's row, and so on up to the root, of which each row is a unit.
 *
 * Runs in any process. It reads the catalog, and no data.
 */
#ifndef DPSYN_PARENT_H
#define DPSYN_PARENT_H

#include "pg/server/compat.h"

#include "pg/budget/dataset.h"
#include "pg/server/foreign_key.h"

/* The foreign key from child to parent that has this column of the child; NULL: there must be only
 * one. ERROR if there is none, or several are meant. */
extern const DpForeignKey *dp_reference_find(Oid child, Oid parent, const char *column);
/* The same of a dataset that has a parent. */
extern const DpForeignKey *dp_dataset_reference(const DpDataset *dataset);
/* ERROR unless the units of the root are its rows: otherwise child rows could not be assigned to
 * units. reference: the foreign key from the root's own child; NULL: unknown. */
extern void dp_check_root(const DpDataset *root, const DpForeignKey *reference);
/*
 * ERROR, before anything is spent, unless each table from this one up to its root is protected and
 * has the same owner, and foreign keys lead from one to the next, to a root whose units are its
 * rows. A dataset without parent passes.
 */
extern void dp_dataset_check_parents(const DpDataset *dataset);
/* The parent as a statement reads it: rows among which its key is UNIQUE. */
extern char *dp_parent_label(Oid parent);
/* OIDs of its ancestors, its parent first, the root last. */
extern List *dp_dataset_parents(const DpDataset *dataset);
/* The relation at the top of its tree. */
extern Oid dp_dataset_root(const DpDataset *dataset);
/* The foreign key by which its rows belong to units, and how many steps above it begins; NULL: its own
 * rows are units, or a column tells them. */
extern const DpForeignKey *dp_dataset_unit_reference(const DpDataset *dataset, int *steps);
/* Whether worker nodes of Citus have its rows, or may have those of its view. */
extern bool dp_dataset_is_distributed(const DpDataset *dataset);

#endif
