/*
 * shared_unit.c -- whether relations that share a budget have one unit.
 *
 * Epsilons add up for one kind of unit alone: a person, whom a column identifies in each of the
 * relations (of whom each may read another number of rows), or so many rows. Nobody can check that
 * equal values are the same person. That two values are one unit in all of the relations or in none
 * is what can be checked, and is checked when a budget is shared and before each debit.
 */
#include "pg/budget/shared_unit.h"

#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "pg/server/bridge.h"
#include "pg/server/catalog.h"
#include "pg/server/equality.h"

/* A column that tells the units of a relation apart. */
typedef struct UnitColumn
{
	Oid relation;
	const char *name;
} UnitColumn;

static DpComparable
values_of(UnitColumn column)
{
	return dp_comparable_column(column.relation, get_attnum(column.relation, column.name));
}

static void
check_one_equality(UnitColumn a, UnitColumn b)
{
	DpComparable first = values_of(a), second = values_of(b);

	if (dp_one_equality(first, second))
		return;
	ereport(
		ERROR,
		(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		 errmsg("relations %s and %s share a budget, and tell units apart in two ways",
				dp_relation_label(a.relation), dp_relation_label(b.relation)),
		 errdetail("Column \"%s\" of relation \"%s\" is of %s, and column \"%s\" of relation "
				   "\"%s\" is of "
				   "%s: values that are one unit in one of the two can be several in the other.",
				   a.name, dp_relation_words(a.relation), dp_comparable_words(first), b.name,
				   dp_relation_words(b.relation), dp_comparable_words(second)),
		 errhint(
			 "Give both columns one type and one collation (ALTER TABLE ... ALTER COLUMN ... TYPE "
			 "... COLLATE ...), or give a budget of its own: epsilon and delta in place of "
			 "budget_of.")));
}

static void
refuse_unit(const DpDataset *other)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("relation \"%s\" has another unit: unit_column %s and max_rows_per_unit %u",
					dp_relation_words(other->relation),
					other->unit_column ? quote_identifier(other->unit_column) : "NULL",
					other->unit.rows_max),
			 errdetail("What is spent for one kind of unit cannot be added to what is spent "
					   "for another."),
			 errhint("Give each relation as unit_column the column, of one type, that tells "
					 "the same persons apart, or none and the same max_rows_per_unit; or give "
					 "a budget of its own: epsilon and delta in place of budget_of.")));
}

void
dp_check_same_unit(const DpDataset *other, const DpDataset *requested)
{
	if (other->unit.neighbours != requested->unit.neighbours)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("relation \"%s\" has neighbours %s", dp_relation_words(other->relation),
						dp_neighbours_name(other->unit.neighbours)),
				 errdetail("What is spent under one neighbouring relation cannot be added to what "
						   "is spent under another."),
				 errhint("Give the same neighbours, or a budget of its own: epsilon and delta "
						 "in place of budget_of.")));
	/* what is stated of a view is stated of the unit of the budget */
	if (other->sensitivity > 0 || requested->sensitivity > 0)
		return;
	if (other->unit_column == NULL && requested->unit_column == NULL &&
		other->unit.rows_max == requested->unit.rows_max)
		return;
	if (other->unit_column == NULL || requested->unit_column == NULL)
		refuse_unit(other);
	dp_check_unit_column(other->relation, other->unit_column);
	check_one_equality((UnitColumn){other->relation, other->unit_column},
					   (UnitColumn){requested->relation, requested->unit_column});
}

static void *
unit_column_read(uint64 row)
{
	UnitColumn *column = palloc(sizeof(UnitColumn));

	*column = (UnitColumn){dp_spi_oid(row, 1), dp_spi_text(row, 2)};
	return get_attnum(column->relation, column->name) > 0 ? column : NULL;
}

/*
 * Rows of a child have the unit of their root's row, which the foreign keys see to. A column that
 * was renamed or dropped is left out: its relation releases nothing until it is protected anew.
 */
void
dp_dataset_check_shared(const DpDataset *dataset)
{
	List *columns =
		dp_catalog_list("SELECT relation, unit_column FROM dp_catalog.dp_dataset"
						" WHERE $1 IN (id, budget_of) AND active AND dropped_at IS NULL"
						" AND parent IS NULL AND unit_column IS NOT NULL AND sensitivity IS NULL"
						" ORDER BY id",
						DP_ARGUMENTS(DP_INT32(dataset->budget)), unit_column_read);
	ListCell *cell;

	foreach (cell, columns)
		check_one_equality(*(UnitColumn *) linitial(columns), *(UnitColumn *) lfirst(cell));
}
