/*
 * relations.c -- which relations can be judged.
 */
#include "pg/evaluate/evaluate.h"

#include "catalog/pg_class.h"
#include "utils/lsyscache.h"

#include "pg/server/catalog.h"

void
dp_evaluate_check_relation(Oid relation, const char *argument)
{
	switch (get_rel_relkind(relation))
	{
		case RELKIND_RELATION:
		case RELKIND_PARTITIONED_TABLE:
		case RELKIND_FOREIGN_TABLE:
		case RELKIND_VIEW:
		case RELKIND_MATVIEW:
			return;
		case '\0':
			ereport(ERROR, errcode(ERRCODE_UNDEFINED_TABLE),
					errmsg("there is no relation with OID %u", relation));
		default:
			ereport(
				ERROR, errcode(ERRCODE_WRONG_OBJECT_TYPE),
				errmsg("%s has no rows to read", dp_relation_label(relation)),
				errdetail("The argument %s is a table, a view or a materialized view.", argument));
	}
}
