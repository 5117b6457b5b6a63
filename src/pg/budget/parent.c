/*
 * parent.c -- foreign keys from a table up to the root, whose rows are the units.
 *
 * A foreign key refers to columns with a UNIQUE index. So a row of the child has one parent's row
 * at most, and through it one row of the root: its unit. That holds by the operators of the key and
 * of the index. The rows of a unit are found by the child's own column, so a key serves only if
 * one equality is behind all of them (dp_one_equality). Constraints that are deferred hold when a
 * transaction commits, and a release reads what is committed. A row whose column is NULL, or that
 * has no parent (NOT VALID), is nobody's and is not read.
 */
#include "pg/budget/parent.h"

#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "pg/server/catalog.h"
#include "pg/server/citus.h"

/* ---- one foreign key ---- */

static DP_NORETURN void
refuse_reference(Oid child, Oid parent, const char *problem, const char *hint)
{
	ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					errmsg("%s from relation \"%s\" to relation \"%s\"", problem,
						   dp_relation_words(child), dp_relation_words(parent)),
					errdetail("It says whose a row is."), errhint("%s", hint)));
}

/* Foreign keys to the parent that have the column, and lead to one row of it. */
static List *
references_find(Oid child, Oid parent, const char *column)
{
	List *found = NIL;
	ListCell *cell;

	foreach (cell, dp_foreign_keys(child))
	{
		DpForeignKey *key = lfirst(cell);

		if (key->parent == parent && !key->period &&
			(column == NULL || dp_foreign_key_place(key, column) >= 0))
			found = lappend(found, key);
	}
	return found;
}

const DpForeignKey *
dp_reference_find(Oid child, Oid parent, const char *column)
{
	List *found = references_find(child, parent, column);
	const DpForeignKey *key;

	if (found == NIL)
		refuse_reference(child, parent, "there is no foreign key",
						 "ALTER TABLE ... ADD FOREIGN KEY, also NOT VALID; or protect the relation "
						 "with budget_of and unit_column.");
	if (list_length(found) > 1)
		refuse_reference(child, parent, "there are several foreign keys",
						 "Give the column that says whose a row is as unit_column; of keys of "
						 "several columns, one that the others do not have.");
	key = linitial(found);
	if (key->obstacle != NULL)
		ereport(
			ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg(
				 "the foreign key from relation \"%s\" to relation \"%s\" does not say whose a row "
				 "is",
				 dp_relation_words(child), dp_relation_words(parent)),
			 errdetail("%s", key->obstacle),
			 errhint("Give the column the type and the collation of the key (ALTER TABLE ... "
					 "ALTER COLUMN ... TYPE ... COLLATE ...), and refer to a PRIMARY KEY or UNIQUE "
					 "constraint.")));
	return key;
}

const DpForeignKey *
dp_dataset_reference(const DpDataset *dataset)
{
	return dp_reference_find(dataset->relation, dataset->parent, dataset->unit_column);
}

/* A key is unique over partitions, and not over tables that inherit from a plain one. */
static void
check_key_unique(Oid parent)
{
	if (get_rel_relkind(parent) == RELKIND_PARTITIONED_TABLE ||
		find_inheritance_children(parent, NoLock) == NIL)
		return;
	ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					errmsg("other tables inherit from relation \"%s\"", dp_relation_words(parent)),
					errdetail("Its keys need not be unique among their rows and its own."),
					errhint("Partitions serve as parents, and tables without children do.")));
}

char *
dp_parent_label(Oid parent)
{
	/* who begins to inherit meanwhile is not read */
	return psprintf("%s%s", get_rel_relkind(parent) == RELKIND_PARTITIONED_TABLE ? "" : "ONLY ",
					dp_relation_label(parent));
}

/* ---- all the way up ---- */

static DP_NORETURN void
refuse_depth(Oid relation)
{
	ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					errmsg("relation \"%s\" is too far from its root", dp_relation_words(relation)),
					errdetail("There may be %d relations on the way.", DP_TREE_DEPTH_MAX)));
}

static void
check_owner(Oid child, Oid parent)
{
	if (dp_relation_owner(child) == dp_relation_owner(parent))
		return;
	ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					errmsg("relations %s and %s have different owners", dp_relation_label(child),
						   dp_relation_label(parent)),
					errdetail("A release reads both of them, with the rights of one role."),
					errhint("ALTER TABLE ... OWNER TO, or protect the relation with budget_of and "
							"unit_column.")));
}

void
dp_check_root(const DpDataset *root, const DpForeignKey *reference)
{
	bool by_key = root->unit_column == NULL || (reference && reference->columns == 1 &&
												strcmp(root->unit_column, reference->key[0]) == 0);

	if (by_key && root->unit.rows_max == 1 && root->sensitivity == 0)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("a unit of relation \"%s\" is not one of its rows",
					dp_relation_words(root->relation)),
			 errdetail("What belongs to a row of it would not be known to belong to a unit."),
			 errhint("Protect it without unit_column and max_rows_per_unit; or protect each "
					 "relation with budget_of and unit_column.")));
}

void
dp_dataset_check_parents(const DpDataset *dataset)
{
	const DpForeignKey *reference = NULL;
	DpDataset at = *dataset;

	for (int depth = 0; OidIsValid(at.parent); depth++)
	{
		DpDataset up;

		if (depth == DP_TREE_DEPTH_MAX)
			refuse_depth(dataset->relation);
		dp_dataset_get(at.parent, false, &up);
		check_owner(at.relation, at.parent);
		check_key_unique(at.parent);
		reference = dp_dataset_reference(&at);
		at = up;
	}
	if (reference != NULL)
		dp_check_root(&at, reference);
}

List *
dp_dataset_parents(const DpDataset *dataset)
{
	List *parents = NIL;
	DpDataset at = *dataset;

	while (OidIsValid(at.parent) && list_length(parents) < DP_TREE_DEPTH_MAX)
	{
		parents = lappend_oid(parents, at.parent);
		dp_dataset_get(at.parent, false, &at);
	}
	return parents;
}

Oid
dp_dataset_root(const DpDataset *dataset)
{
	List *parents = dp_dataset_parents(dataset);

	return parents == NIL ? dataset->relation : llast_oid(parents);
}

const DpForeignKey *
dp_dataset_unit_reference(const DpDataset *dataset, int *steps)
{
	DpDataset at = *dataset, up;

	*steps = 0;
	if (!OidIsValid(at.parent))
		return NULL;
	for (;; at = up, (*steps)++)
	{
		dp_dataset_get(at.parent, false, &up);
		if (!OidIsValid(up.parent))
			return dp_dataset_reference(&at);
	}
}

bool
dp_dataset_is_distributed(const DpDataset *dataset)
{
	ListCell *cell;

	foreach (cell, dp_dataset_parents(dataset))
		if (dp_is_distributed(lfirst_oid(cell)))
			return true;
	return dp_is_distributed(dataset->relation) ||
		   (get_rel_relkind(dataset->relation) == RELKIND_VIEW && dp_citus_is_here());
}
