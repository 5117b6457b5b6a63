/*
 * labels.c -- relations, roles and columns by name, for statements and messages.
 */
#include "pg/server/labels.h"

#include "access/relation.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "core/base/nearest_name.h"

bool
dp_is_listed(const List *names, const char *name)
{
	ListCell *cell;

	foreach (cell, names)
		if (strcmp(lfirst(cell), name) == 0)
			return true;
	return false;
}

Relation
dp_relation_open(Oid relation, LOCKMODE mode)
{
	Relation opened = try_relation_open(relation, mode);

	if (opened == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
						errmsg("relation with OID %u does not exist", relation)));
	return opened;
}

char *
dp_relation_label(Oid relation)
{
	char *name = get_rel_name(relation);

	if (name == NULL)
		return psprintf("%u", relation); /* as regclass is written */
	return quote_qualified_identifier(get_namespace_name(get_rel_namespace(relation)), name);
}

char *
dp_relation_words(Oid relation)
{
	char *name = get_rel_name(relation);

	return name == NULL ? psprintf("%u", relation)
						: psprintf("%s.%s", get_namespace_name(get_rel_namespace(relation)), name);
}

char *
dp_role_label(Oid role)
{
	char *name = GetUserNameFromId(role, true);

	return name ? name : psprintf("role with OID %u", role);
}

void
dp_no_such_column(const char *column, Oid relation, const char *detail)
{
	DpNearestName meant = dp_nearest_name(column);
	char *name;

	for (AttrNumber i = 1; (name = get_attname(relation, i, true)) != NULL; i++)
		dp_nearest_name_try(&meant, name);
	ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
					errmsg("column \"%s\" of relation \"%s\" does not exist", column,
						   dp_relation_words(relation)),
					detail ? errdetail("%s", detail) : 0,
					meant.found ? errhint("Did you mean \"%s\"?", meant.found) : 0));
}
