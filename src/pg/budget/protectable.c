/*
 * protectable.c -- which relations can be protected, and what PostgreSQL shows of their parts all
 * the same.
 */
#include "pg/budget/protectable.h"

#include "catalog/pg_class.h"
#include "utils/lsyscache.h"

#include "pg/budget/view_facts.h"
#include "pg/server/catalog.h"
#include "pg/server/citus.h"

void
dp_check_protectable(Oid relation)
{
	char kind = get_rel_relkind(relation);

	switch (kind)
	{
		case RELKIND_RELATION:
		case RELKIND_PARTITIONED_TABLE:
		case RELKIND_VIEW:
		case RELKIND_MATVIEW:
		case RELKIND_FOREIGN_TABLE:
			break;
		case '\0':
			ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
							errmsg("relation with OID %u does not exist", relation)));
		default:
			ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
							errmsg("%s is not a table, view or foreign table",
								   dp_relation_label(relation))));
	}
	if (get_rel_persistence(relation) == RELPERSISTENCE_TEMP)
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
						errmsg("temporary relation \"%s\" cannot be protected",
							   dp_relation_label(relation)),
						errdetail("The release worker, another process, cannot read it.")));
}

/* What Citus lets every role ask of its worker nodes are sizes too. */
static void
warn_of_shards(Oid relation)
{
	List *below = list_make1_oid(relation);
	bool distributed = false;

	if (!dp_citus_is_here())
		return;
	/* the list grows meanwhile */
	for (int i = 0; i < list_length(below); i++)
	{
		Oid at = list_nth_oid(below, i);

		distributed |= dp_is_distributed(at);
		if (dp_is_view(at))
			below = list_concat_unique_oid(below, dp_view_reads(at));
	}
	if (!distributed)
		return;
	ereport(
		WARNING,
		(errmsg("every role can read how many rows each shard of relation \"%s\" has",
				dp_relation_label(relation)),
		 errdetail("Functions such as run_command_on_workers run any query on the worker nodes of "
				   "Citus, where pg_stat_all_tables and pg_class say it."),
		 errhint(
			 "Revoke them from PUBLIC, and let only the roles of Citus and of owners connect to "
			 "worker nodes: see the threat model.")));
}

/*
 * PostgreSQL keeps the size of each relation where every role can read it, and so that of a group
 * of rows which an index or a partition sets apart. No noise of a release hides that.
 */
void
dp_warn_of_sizes(Oid relation)
{
	DpUserContext user_context;
	char *parts;

	dp_catalog_open(&user_context);
	(void) dp_spi_read(
		"WITH RECURSIVE below(relation, part) AS ("
		" SELECT $1::pg_catalog.oid, false"
		" UNION"
		" SELECT next.relation, next.part FROM below b CROSS JOIN LATERAL ("
		"  SELECT i.inhrelid AS relation, true AS part FROM pg_catalog.pg_inherits i"
		"   WHERE i.inhparent = b.relation"
		"  UNION ALL"
		"  SELECT p.refobjid, false FROM pg_catalog.pg_rewrite r"
		"   JOIN pg_catalog.pg_depend p ON p.objid = r.oid"
		"    AND p.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass"
		"    AND p.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass"
		"   WHERE r.ev_class = b.relation AND p.refobjid <> b.relation) next)"
		" SELECT pg_catalog.string_agg(DISTINCT s.part, ', ' ORDER BY s.part) FROM ("
		"  SELECT 'partial index ' || i.indexrelid::pg_catalog.regclass::pg_catalog.text AS part"
		"   FROM pg_catalog.pg_index i JOIN below b ON b.relation = i.indrelid"
		"   WHERE i.indpred IS NOT NULL"
		"  UNION ALL"
		"  SELECT 'partition ' || relation::pg_catalog.regclass::pg_catalog.text FROM below"
		"   WHERE part"
		"  UNION ALL"
		"  SELECT 'extended statistics ' || pg_catalog.format('%I.%I', n.nspname, x.stxname)"
		"   FROM pg_catalog.pg_statistic_ext x JOIN below b ON b.relation = x.stxrelid"
		"   JOIN pg_catalog.pg_namespace n ON n.oid = x.stxnamespace) s",
		DP_ARGUMENTS(DP_OID(relation)));
	parts = dp_spi_text(0, 1);
	if (parts != NULL)
		ereport(WARNING,
				(errmsg("PostgreSQL shows what it knows of parts of relation \"%s\"",
						dp_relation_label(relation)),
				 errdetail("Every role can read how many rows a partial index or a partition has "
						   "(pg_class.reltuples, pg_stat_all_tables), and roles that may read "
						   "columns what extended statistics say: %s.",
						   parts),
				 errhint("Drop those whose size is nobody's business.")));
	dp_catalog_close(&user_context);
	warn_of_shards(relation);
}
