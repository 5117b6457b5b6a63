/*
 * protected_parent.c -- the parent that a relation is protected with.
 */
#include "pg/domain/protected_parent.h"

#include "pg/budget/parent.h"

const DpForeignKey *
dp_protected_reference(Oid relation)
{
	DpDataset dataset;

	if (!dp_dataset_find(relation, false, &dataset) || !dataset.active ||
		!OidIsValid(dataset.parent))
		return NULL;
	return dp_dataset_reference(&dataset);
}
