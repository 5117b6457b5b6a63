/*
 * store.c -- stored releases: who may draw from one, reading it, sharing it.
 * What is stored was paid for, so reading it costs nothing.
 */
#include "pg/sample/store.h"

#include "miscadmin.h"
#include "utils/acl.h"

#include "core/methods/registry.h"
#include "core/domain/query.h"
#include "pg/server/arguments.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"

PG_FUNCTION_INFO_V1(dp_grant_release);

/* In this section the last result of SPI is the row that release_row read. */
static bool
is_unprotected(void)
{
	return dp_spi_bool(0, 9);
}

/*
 * The role that asked, the role that paid and the custodian may share a release. They may draw from
 * it, and so may those with whom it was shared. A release without a guarantee is for the custodian
 * alone, and cannot be shared.
 */
static bool
may_share(Oid user)
{
	Oid role = dp_spi_oid(0, 1);
	Oid payer = dp_spi_oid(0, 2);
	Oid relation = dp_spi_oid(0, 3);

	return (OidIsValid(role) && has_privs_of_role(user, role)) ||
		   (OidIsValid(payer) && has_privs_of_role(user, payer)) ||
		   (OidIsValid(relation) && dp_is_custodian(relation, user));
}

static bool
may_draw(Oid user)
{
	Oid relation = dp_spi_oid(0, 3);

	if (is_unprotected())
		return OidIsValid(relation) && dp_is_custodian(relation, user);
	return may_share(user) || dp_spi_bool(0, 4) || dp_spi_bool(0, 5);
}

/*
 * Reads the row of a release: role, payer, relation, public, whether the user has the rights of a
 * reader, sets, model, dataset, unprotected, derived, fill, bounded units. A role counts only while
 * it has the name of then, as payer.c says of grants. false: there is none.
 */
static bool
release_found(int64 release, Oid user)
{
	return dp_spi_read(
			   "SELECT a.oid, p.oid, CASE WHEN d.dropped_at IS NULL THEN d.relation END,"
			   " r.public, EXISTS (SELECT FROM ROWS FROM (pg_catalog.unnest(r.readers),"
			   " pg_catalog.unnest(r.reader_names)) reader(role, name)"
			   " JOIN pg_catalog.pg_authid b ON b.oid = reader.role AND b.rolname = reader.name"
			   " WHERE pg_catalog.pg_has_role($2, b.oid, 'USAGE')),"
			   " r.sets, r.model, r.dataset, r.unprotected, r.derived, r.fill,"
			   " d.unit_column IS NOT NULL"
			   " FROM dp_catalog.dp_release_store r LEFT JOIN dp_catalog.dp_dataset d ON d.id = "
			   "r.dataset"
			   " LEFT JOIN pg_catalog.pg_authid a ON a.oid = r.role AND a.rolname = r.role_name"
			   " LEFT JOIN pg_catalog.pg_authid p"
			   " ON p.oid = r.payer AND p.rolname = r.payer_name WHERE r.id = $1",
			   DP_ARGUMENTS(DP_INT64(release), DP_OID(user))) == 1;
}

/* The same. ERROR unless the user may draw from it; the error does not tell whether the release
 * exists, and names the one that the user named. */
static void
release_row(int64 release, int64 named, Oid user)
{
	if (!release_found(release, user) || !may_draw(user))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("release " INT64_FORMAT " does not exist or is not shared with role %s",
						named, dp_role_label(user)),
				 errhint("The view dp_releases lists the releases that you may draw from; "
						 "dp_grant shares one.")));
}

bool
dp_stored_may_draw(int64 release)
{
	Oid user = GetUserId();
	DpUserContext user_context;
	bool may;

	dp_catalog_open(&user_context);
	may = release_found(release, user) && may_draw(user);
	dp_catalog_close(&user_context);
	return may;
}

void
dp_stored_parse(DpStored *stored)
{
	DpError error = {0};

	stored->arena = dp_arena_for(CurrentMemoryContext);
	if (dp_model_parse(stored->bytes, stored->length, &stored->model, &stored->arena, &error) !=
			DP_OK ||
		dp_model_method(&stored->model, &stored->method, &error) != DP_OK)
		dp_raise(&error);
}

/* ---- several trees that were released together ---- */

/* The relations of all trees that one call released, of which $1 is one: tree, relation, name, and
 * whether it is the root. */
#define TOGETHER                                                                                   \
	"WITH tree AS (SELECT o.id, o.dataset, o.relation_name FROM dp_catalog.dp_release_store r"     \
	" JOIN dp_catalog.dp_release_store o ON o.forest = r.forest WHERE r.id = $1),"                 \
	" has AS (SELECT t.id, CASE WHEN d.dropped_at IS NULL THEN d.relation::pg_catalog.oid END"     \
	"  AS relation, NULL::pg_catalog.name AS name FROM tree t"                                     \
	"  LEFT JOIN dp_catalog.dp_dataset d ON d.id = t.dataset"                                      \
	" UNION ALL SELECT t.id, d.relation::pg_catalog.oid, p.relation_name FROM tree t"              \
	"  JOIN dp_catalog.dp_release_part p ON p.release = t.id"                                      \
	"  LEFT JOIN dp_catalog.dp_dataset d ON d.relation = p.relation AND d.dropped_at IS NULL)"

/*
 * The tree of the relation, or of one that has its name. Where there are several trees and none has
 * it: 0. What is found is looked at with the user's rights afterwards.
 */
static int64
tree_find(int64 release, Oid relation)
{
	DpUserContext user_context;
	int64 tree = 0;

	dp_catalog_open(&user_context);
	if (dp_spi_read(TOGETHER " SELECT FROM tree", DP_ARGUMENTS(DP_INT64(release))) == 0)
		tree = release;
	else if (dp_spi_read(TOGETHER
						 " SELECT h.id FROM has h LEFT JOIN pg_catalog.pg_class c ON c.oid ="
						 " h.relation LEFT JOIN pg_catalog.pg_class asked ON asked.oid = $2"
						 " WHERE h.relation = $2 OR asked.relname = coalesce(h.name, c.relname)"
						 " ORDER BY h.relation = $2 DESC NULLS LAST, h.id LIMIT 1",
						 DP_ARGUMENTS(DP_INT64(release), DP_OID(relation))) == 1)
		tree = dp_spi_int64(0, 1);
	dp_catalog_close(&user_context);
	return tree;
}

static DpStored *stored_read(int64 release, int64 named);

DpStored *
dp_stored_of(int64 release, Oid relation)
{
	int64 tree;

	if (!OidIsValid(relation))
		return dp_stored_get(release);
	tree = tree_find(release, relation);
	if (tree != 0)
		return stored_read(tree, release);
	(void) dp_stored_get(release); /* who may not draw from it learns nothing else of it */
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("the release is of several relations, and of none that is called so"),
					errhint("The view dp_releases lists the relations of each.")));
}

DpStored *
dp_stored_get(int64 release)
{
	return stored_read(release, release);
}

List *
dp_stored_together(int64 release)
{
	MemoryContext caller = CurrentMemoryContext;
	List *together = NIL;
	DpUserContext user_context;
	uint64 trees;
	int64 *tree;

	dp_catalog_open(&user_context);
	trees = dp_spi_read(TOGETHER " SELECT t.id FROM tree t ORDER BY t.id",
						DP_ARGUMENTS(DP_INT64(release)));
	tree = MemoryContextAlloc(caller, sizeof(int64) * Max(trees, 1));
	for (uint64 i = 0; i < trees; i++)
		tree[i] = dp_spi_int64(i, 1);
	dp_catalog_close(&user_context);
	if (trees == 0)
		return list_make1(dp_stored_get(release));
	for (uint64 i = 0; i < trees; i++)
		together = lappend(together, stored_read(tree[i], release));
	return together;
}

/* named: the release that the user named, which is of the same call. */
static DpStored *
stored_read(int64 release, int64 named)
{
	MemoryContext caller = CurrentMemoryContext;
	DpStored *stored = palloc0(sizeof(DpStored));
	Oid user = GetUserId();
	DpUserContext user_context;
	MemoryContext spi;
	bytea *model;
	bool isnull;

	dp_catalog_open(&user_context);
	release_row(release, named, user);
	stored->id = release;
	stored->relation = dp_spi_oid(0, 3);
	stored->sets = DatumGetInt32(dp_spi_value(0, 6, &isnull));
	stored->units_bounded = dp_spi_bool(0, 12);
	model = DatumGetByteaPP(dp_spi_value(0, 7, &isnull));
	stored->length = VARSIZE_ANY_EXHDR(model);
	stored->bytes = MemoryContextAllocHuge(caller, Max(stored->length, 1));
	memcpy(stored->bytes, VARDATA_ANY(model), stored->length);
	spi = MemoryContextSwitchTo(caller);
	stored->derived = DatumGetJsonbPCopy(dp_spi_value(0, 10, &isnull));
	stored->fill = DatumGetJsonbPCopy(dp_spi_value(0, 11, &isnull));
	MemoryContextSwitchTo(spi);
	dp_catalog_close(&user_context);
	dp_stored_parse(stored);
	return stored;
}

DpStored *
dp_stored_get_counts(int64 release)
{
	return dp_stored_counts_of(release, InvalidOid);
}

DpStored *
dp_stored_counts_of(int64 release, Oid relation)
{
	DpStored *stored = dp_stored_of(release, relation);

	if (strcmp(stored->model.method, DP_QUERY_METHOD) == 0)
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
						errmsg("release " INT64_FORMAT " holds the answers of a query", release),
						errhint("dp_query(release) reads them again, at no cost.")));
	return stored;
}

/* The part in a row of the last result. */
static DpStoredPart *
part_read(uint64 row, const DpStored *root, MemoryContext caller)
{
	MemoryContext spi = MemoryContextSwitchTo(caller);
	DpStoredPart *part = palloc0(sizeof(DpStoredPart));
	DpStored *stored = &part->stored;
	bytea *model;
	bool isnull;

	part->number = dp_spi_int32(row, 1);
	part->parent = dp_spi_int32(row, 2);
	part->relation = dp_spi_oid(row, 3);
	part->name = dp_spi_text(row, 4);
	part->refers_by = dp_spi_names(row, 5, &part->references);
	part->root_name = dp_spi_text(row, 9);
	part->refers_to = dp_spi_names(row, 10, &part->references);
	*stored = (DpStored){
		.id = root->id, .sets = root->sets, .relation = part->relation, .units_bounded = true};
	model = DatumGetByteaPP(dp_spi_value(row, 6, &isnull));
	stored->length = VARSIZE_ANY_EXHDR(model);
	stored->bytes = MemoryContextAllocHuge(caller, Max(stored->length, 1));
	memcpy(stored->bytes, VARDATA_ANY(model), stored->length);
	stored->derived = DatumGetJsonbPCopy(dp_spi_value(row, 7, &isnull));
	stored->fill = DatumGetJsonbPCopy(dp_spi_value(row, 8, &isnull));
	MemoryContextSwitchTo(spi);
	return part;
}

List *
dp_stored_parts(const DpStored *stored)
{
	MemoryContext caller = CurrentMemoryContext;
	DpUserContext user_context;
	List *parts = NIL;
	ListCell *cell;
	uint64 rows;

	dp_catalog_open(&user_context);
	rows =
		dp_spi_read("SELECT p.number, p.parent, d.relation, p.relation_name, p.refers_by, p.model,"
					" p.derived, p.fill, p.root_name, p.refers_to FROM dp_catalog.dp_release_part p"
					" LEFT JOIN dp_catalog.dp_dataset d ON d.relation = p.relation"
					"  AND d.dropped_at IS NULL"
					" WHERE p.release = $1 ORDER BY p.number",
					DP_ARGUMENTS(DP_INT64(stored->id)));
	for (uint64 i = 0; i < rows; i++)
	{
		DpStoredPart *part = part_read(i, stored, caller);
		MemoryContext spi = MemoryContextSwitchTo(caller);

		parts = lappend(parts, part);
		MemoryContextSwitchTo(spi);
	}
	dp_catalog_close(&user_context);
	foreach (cell, parts)
		dp_stored_parse(&((DpStoredPart *) lfirst(cell))->stored);
	return parts;
}

static bool
is_reader(DpArguments release_and_role)
{
	return dp_spi_read("SELECT FROM dp_catalog.dp_release_store r CROSS JOIN LATERAL"
					   " ROWS FROM (pg_catalog.unnest(r.readers),"
					   " pg_catalog.unnest(r.reader_names)) reader(role, name)"
					   " JOIN pg_catalog.pg_authid a"
					   " ON a.oid = reader.role AND a.rolname = reader.name"
					   " WHERE r.id = $1 AND a.oid = $2",
					   release_and_role) > 0;
}

/* role: InvalidOid for all */
static void
share_write(int64 release, Oid role)
{
	DpArguments arguments = DP_ARGUMENTS(DP_INT64(release), DP_OID(role));

	if (is_reader(arguments))
		return;
	/* a transaction of an older snapshot sees neither a newer release nor a newer role */
	if (dp_spi_write(OidIsValid(role)
						 ? "UPDATE dp_catalog.dp_release_store SET readers = readers || "
						   "a.oid::pg_catalog.regrole,"
						   " reader_names = reader_names || a.rolname FROM pg_catalog.pg_authid a"
						   " WHERE id = $1 AND a.oid = $2"
						 : "UPDATE dp_catalog.dp_release_store SET public = true WHERE id = $1 AND "
						   "$2 IS NULL",
					 arguments) != 1)
		dp_raise_newer();
}

/* The other trees of the same call that the user may share. */
static void
share_others(int64 release, Oid user, Oid role)
{
	uint64 trees = dp_spi_read(TOGETHER " SELECT t.id FROM tree t WHERE t.id <> $1 ORDER BY t.id",
							   DP_ARGUMENTS(DP_INT64(release)));
	int64 *tree = palloc(sizeof(int64) * Max(trees, 1));

	for (uint64 i = 0; i < trees; i++)
		tree[i] = dp_spi_int64(i, 1);
	for (uint64 i = 0; i < trees; i++)
		if (release_found(tree[i], user) && may_share(user))
			share_write(tree[i], role);
}

Datum
dp_grant_release(PG_FUNCTION_ARGS)
{
	Oid role = PG_ARGISNULL(1) ? InvalidOid : PG_GETARG_OID(1);
	Oid user = GetUserId();
	DpUserContext user_context;

	dp_check_not_null(fcinfo, 0, "release");
	if (!PG_ARGISNULL(1))
		dp_check_role(role);
	dp_catalog_open(&user_context);
	release_row(PG_GETARG_INT64(0), PG_GETARG_INT64(0), user);
	if (is_unprotected())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("release " INT64_FORMAT " cannot be shared", PG_GETARG_INT64(0)),
				 errdetail("It is not differentially private: it is for the custodian alone.")));
	if (!may_share(user))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("release " INT64_FORMAT " is another role's to share", PG_GETARG_INT64(0)),
				 errdetail("Who asked or paid for it, or its custodian, may.")));
	share_write(PG_GETARG_INT64(0), role);
	share_others(PG_GETARG_INT64(0), user, role);
	dp_catalog_close(&user_context);
	PG_RETURN_VOID();
}
