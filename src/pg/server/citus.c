/*
 * citus.c -- which relations the extension Citus distributes over worker nodes.
 */
#include "pg/server/citus.h"

#include "access/genam.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

/*
 * The catalog of distributed tables; InvalidOid: Citus is not here. It must belong to the extension,
 * since anybody can make a table of that name.
 */
static Oid
citus_catalog(void)
{
	Oid extension = get_extension_oid("citus", true);
	Oid catalog = OidIsValid(extension)
					  ? get_relname_relid("pg_dist_partition", PG_CATALOG_NAMESPACE)
					  : InvalidOid;

	return OidIsValid(catalog) && get_rel_relkind(catalog) == RELKIND_RELATION &&
				   getExtensionOfObject(RelationRelationId, catalog) == extension
			   ? catalog
			   : InvalidOid;
}

/*
 * Whether the catalog has a row for the relation. It is read as a catalog is: no name is looked up
 * through search_path, nobody's rights or row security matter, and nothing of a user runs.
 */
static bool
is_listed(Oid catalog, Oid relation)
{
	AttrNumber number = get_attnum(catalog, "logicalrelid");
	Relation table;
	SysScanDesc scan;
	ScanKeyData key;
	bool found;

	if (number == InvalidAttrNumber || get_atttype(catalog, number) != REGCLASSOID)
		return false;
	table = table_open(catalog, AccessShareLock);
	ScanKeyInit(&key, number, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(relation));
	scan = systable_beginscan(table, InvalidOid, false, GetActiveSnapshot(), 1, &key);
	found = HeapTupleIsValid(systable_getnext(scan));
	systable_endscan(scan);
	table_close(table, AccessShareLock);
	return found;
}

bool
dp_citus_is_here(void)
{
	return OidIsValid(citus_catalog());
}

bool
dp_is_distributed(Oid relation)
{
	Oid catalog = citus_catalog();

	return OidIsValid(catalog) && is_listed(catalog, relation);
}
