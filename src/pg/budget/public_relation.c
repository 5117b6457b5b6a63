/*
 * public_relation.c -- dp_declare_public: which tables hold nobody's data.
 *
 * A release may depend on the rows of a public table without any noise. So these must be the same
 * whoever is in the protected ones. That is the custodian's word; what the catalogs say against it
 * is checked when it is given, and again whenever a release uses it. No row of a public table may
 * be one of a protected relation, and none may refer to one, which would tell of a unit.
 */
#include "pg/budget/public_relation.h"

#include "access/table.h"
#include "catalog/catalog.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"

#include "pg/server/arguments.h"
#include "pg/server/catalog.h"
#include "pg/server/labels.h"

PG_FUNCTION_INFO_V1(dp_declare_public);

/* ---- what the catalogs say ---- */

/* Joins relations whose rows a reader reads: its children, and what its definition as a view
 * has. */
#define READ_BELOW                                                                                 \
	" CROSS JOIN LATERAL ("                                                                        \
	"SELECT i.inhrelid AS relation FROM pg_catalog.pg_inherits i"                                  \
	" WHERE i.inhparent = reader.relation"                                                         \
	" UNION ALL"                                                                                   \
	" SELECT p.refobjid FROM pg_catalog.pg_rewrite w"                                              \
	" JOIN pg_catalog.pg_depend p ON p.objid = w.oid"                                              \
	"  AND p.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass"                               \
	"  AND p.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass"                              \
	" WHERE w.ev_class = reader.relation) below"

/*
 * Rows of people are those of a protected relation, of its partitions and children, and of what it
 * reads as a view, except for what the view itself calls public. No relation that reads any of them
 * is public. A relation that is no longer protected counts too: its releases are out.
 */
#define PEOPLE                                                                                     \
	"WITH RECURSIVE asked(relation) AS (SELECT $1 UNION"                                           \
	" SELECT below.relation FROM asked reader" READ_BELOW "),"                                     \
	" people(dataset, relation) AS ("                                                              \
	"SELECT id, relation::pg_catalog.oid FROM dp_catalog.dp_dataset"                               \
	" WHERE dropped_at IS NULL AND ($2 IS NULL OR id = $2) UNION"                                  \
	" SELECT reader.dataset, below.relation FROM people reader" READ_BELOW                         \
	" JOIN dp_catalog.dp_dataset d ON d.id = reader.dataset"                                       \
	" WHERE d.public_relations IS NULL"                                                            \
	" OR below.relation <> ALL (d.public_relations::pg_catalog.oid[]))"

/* Whether the relation has rows of people. dataset: of these alone; 0: of any. */
static bool
has_rows_of_people(Oid relation, int32 dataset)
{
	return dp_catalog_finds(
		PEOPLE " SELECT FROM asked JOIN people USING (relation)",
		DP_ARGUMENTS(DP_OID(relation), {INT4OID, Int32GetDatum(dataset), dataset == 0}));
}

/* Whether rows of the relation refer to rows of people by a foreign key. */
static bool
refers_to_people(Oid relation, int32 dataset)
{
	return dp_catalog_finds(
		PEOPLE ", referred(relation) AS ("
			   "SELECT f.confrelid FROM pg_catalog.pg_constraint f"
			   " JOIN asked a ON a.relation = f.conrelid WHERE f.contype = 'f' UNION"
			   " SELECT below.relation FROM referred reader" READ_BELOW ")"
			   " SELECT FROM referred JOIN people USING (relation)",
		DP_ARGUMENTS(DP_OID(relation), {INT4OID, Int32GetDatum(dataset), dataset == 0}));
}

void
dp_check_no_protected_rows(Oid relation)
{
	if (has_rows_of_people(relation, 0))
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("relation \"%s\" has rows that are or were protected, and cannot be "
							   "called public",
							   dp_relation_words(relation)),
						errdetail("It is protected itself, reads a protected relation, or a "
								  "protected relation reads it: a parent of it, or a view that "
								  "does not call it public."),
						errhint("Join it along the unit, and leave it out of public_relations. If "
								"it is a view that says too little: dp_unprotect, and protect the "
								"view again with all its public_relations.")));
}

static void
check_rows(Oid relation)
{
	if (has_rows_of_people(relation, 0))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation \"%s\" has rows that are or were protected, and cannot be called "
						"public",
						dp_relation_words(relation)),
				 errdetail("It is or was protected itself, or has a part or a parent that is, or a "
						   "protected view reads it without calling it public."),
				 errhint("What was protected comes out of releases alone.")));
}

static void
check_references(Oid relation)
{
	if (refers_to_people(relation, 0))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation \"%s\" refers to rows that are or were protected, and cannot be "
						"called public",
						dp_relation_words(relation)),
				 errdetail("A row that refers to somebody's row by a foreign key tells of it."),
				 errhint("Protect the relation with parent, or drop the foreign key if it should "
						 "not be there.")));
}

/* ---- what kind of relation ---- */

static DP_NORETURN void
refuse_kind(Oid relation, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_WRONG_OBJECT_TYPE),
			 errmsg("relation \"%s\" cannot be declared public", dp_relation_words(relation)),
			 errdetail("%s", detail), errhint("Copy its rows into a table.")));
}

/*
 * What a view, a foreign server or a policy shows can be another thing for each role and at each
 * time, and runs somebody's code. PostgreSQL's own catalogs tell how many rows protected relations
 * have.
 */
static void
check_kind(Oid relation)
{
	ListCell *cell;

	if (get_rel_relkind(relation) == '\0')
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
						errmsg("relation with OID %u does not exist", relation)));
	if (get_rel_relkind(relation) != RELKIND_RELATION &&
		get_rel_relkind(relation) != RELKIND_PARTITIONED_TABLE)
		refuse_kind(relation, "Only tables can be.");
	if (get_rel_persistence(relation) == RELPERSISTENCE_TEMP)
		refuse_kind(relation, "The release worker, another process, cannot read a temporary one.");
	if (IsCatalogRelationOid(relation) ||
		get_rel_namespace(relation) == get_namespace_oid("dp_catalog", true) ||
		get_rel_namespace(relation) == get_namespace_oid("information_schema", true))
		refuse_kind(relation, "It tells of other relations.");
	foreach (cell, find_all_inheritors(relation, NoLock, NULL))
	{
		Relation part = try_table_open(lfirst_oid(cell), AccessShareLock);

		if (part == NULL)
			continue; /* dropped meanwhile */
		if (part->rd_rel->relkind == RELKIND_FOREIGN_TABLE)
			refuse_kind(relation, "A part of it is a foreign table.");
		if (part->rd_rel->relrowsecurity)
			refuse_kind(relation, "It has row security, which shows each role other rows.");
		table_close(part, AccessShareLock);
	}
}

/* ---- the declaration ---- */

bool
dp_relation_is_declared_public(Oid relation)
{
	return dp_catalog_finds("SELECT FROM dp_catalog.dp_public_relation WHERE relation = $1",
							DP_ARGUMENTS(DP_REGCLASS(relation)));
}

/* Whether a relation is public, by the catalogs; raises no error. */
bool
dp_relation_is_public(Oid relation)
{
	char kind = get_rel_relkind(relation);

	return (kind == RELKIND_RELATION || kind == RELKIND_PARTITIONED_TABLE) &&
		   dp_relation_is_declared_public(relation) && !has_rows_of_people(relation, 0) &&
		   !refers_to_people(relation, 0);
}

void
dp_check_public(Oid relation)
{
	if (!dp_relation_is_declared_public(relation))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation \"%s\" is not declared public", dp_relation_words(relation)),
				 errhint("If it holds nobody's data, its owner can run dp_declare_public(%s), and "
						 "commit.",
						 dp_literal(dp_relation_label(relation)))));
	check_kind(relation);
	check_rows(relation);
	check_references(relation);
}

bool
dp_public_is_readable(Oid relation)
{
	Oid owner = dp_relation_owner(relation);

	return OidIsValid(owner) &&
		   DP_SCHEMA_ACLCHECK(get_rel_namespace(relation), owner, ACL_USAGE) == ACLCHECK_OK &&
		   pg_class_aclcheck(relation, owner, ACL_SELECT) == ACLCHECK_OK &&
		   check_enable_rls(relation, owner, true) != RLS_ENABLED;
}

void
dp_check_public_beside(int32 dataset)
{
	ListCell *cell;
	List *relations =
		dp_catalog_oids("SELECT relation FROM dp_catalog.dp_public_relation ORDER BY relation");

	foreach (cell, relations)
		if (has_rows_of_people(lfirst_oid(cell), dataset) ||
			refers_to_people(lfirst_oid(cell), dataset))
			ereport(
				ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation \"%s\" is declared public", dp_relation_words(lfirst_oid(cell))),
				 errdetail("With this protection it would hold rows that are protected, or "
						   "refer to some."),
				 errhint("Run dp_declare_public(%s, false) first; or, if a protected view "
						 "reads it, name it in public_relations.",
						 dp_literal(dp_relation_label(lfirst_oid(cell))))));
}

Datum
dp_declare_public(PG_FUNCTION_ARGS)
{
	Oid relation;

	dp_check_no_null(fcinfo);
	relation = PG_GETARG_OID(0);
	(void) dp_schema(); /* ERROR if another version of the extension declared this function */
	if (get_rel_relkind(relation) == '\0')
		check_kind(relation);
	dp_check_custodian(relation,
					   PG_GETARG_BOOL(1) ? "declare it public" : "take back that it is public");
	LockDatabaseObject(RelationRelationId, relation, 0, ExclusiveLock);
	if (!PG_GETARG_BOOL(1))
	{
		if (dp_catalog_write("DELETE FROM dp_catalog.dp_public_relation WHERE relation = $1",
							 DP_ARGUMENTS(DP_REGCLASS(relation))) == 0 &&
			dp_relation_is_declared_public(relation))
			dp_raise_newer();
		PG_RETURN_VOID();
	}
	check_kind(relation);
	check_rows(relation);
	check_references(relation);
	(void) dp_catalog_write(
		"INSERT INTO dp_catalog.dp_public_relation (relation, declared_by, declared_by_name)"
		" VALUES ($1, $2, pg_catalog.pg_get_userbyid($2)) ON CONFLICT (relation) DO NOTHING",
		DP_ARGUMENTS(DP_REGCLASS(relation), DP_OID(GetUserId())));
	PG_RETURN_VOID();
}
