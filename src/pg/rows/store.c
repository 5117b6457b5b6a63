/*
 * store.c -- stored releases: who may draw from one, reading it, sharing it.
 * What is stored was paid for, so reading it costs nothing.
 */
#include "dpsyn.h"

#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(dp_share);

/* Of all that follows the last result is the release's row. */
static bool
is_unprotected(void)
{
	return dp_spi_bool(0, 9);
}

/* Who asked, who paid, and the custodian may share; these and whom it was shared with may draw. What has no
 * guarantee is the custodian's alone, and stays so. */
static bool
may_share(Oid user)
{
	Oid payer = dp_spi_oid(0, 2);
	Oid relation = dp_spi_oid(0, 3);

	return has_privs_of_role(user, dp_spi_oid(0, 1)) ||
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
 * The row of a release: role, payer, relation, public, whether a reader's
 * rights are the user's, sets, model. ERROR unless the user may draw from it;
 * the same one whether it does not exist or is another's.
 */
static void
release_row(int64 release, Oid user)
{
	Oid types[2] = {INT8OID, OIDOID};
	Datum values[2] = {Int64GetDatum(release), ObjectIdGetDatum(user)};

	if (dp_spi("SELECT r.role, r.payer, d.relation, r.public,"
			   " EXISTS (SELECT FROM pg_catalog.unnest(r.readers) reader"
			   "         WHERE pg_catalog.pg_has_role($2, reader, 'USAGE')),"
			   " r.sets, r.model, r.dataset, r.unprotected"
			   " FROM @.dp_release_store r LEFT JOIN @.dp_dataset d ON d.id = r.dataset"
			   " WHERE r.id = $1",
			   SPI_OK_SELECT, 2, types, values, NULL, true) != 1 ||
		!may_draw(user))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("release " INT64_FORMAT " does not exist or is not shared with role %s",
						release, dp_role_label(user)),
				 errhint("The view dp_releases lists the releases that you may draw from; "
						 "dp_share shares one.")));
}

void
dp_stored_parse(DpStored *stored)
{
	DpError error = {0};

	stored->arena = dp_arena_for(CurrentMemoryContext);
	if (dp_model_parse(stored->bytes, stored->length, &stored->arena, &stored->model, &error) !=
			DP_OK ||
		dp_model_method(&stored->model, &stored->method, &error) != DP_OK)
		dp_raise(&error);
}

DpStored *
dp_stored_get(int64 release)
{
	MemoryContext caller = CurrentMemoryContext;
	DpStored *stored = palloc0(sizeof(DpStored));
	Oid user = GetUserId();
	DpElevation elevation;
	bytea *model;
	bool isnull;

	dp_elevate(&elevation);
	SPI_connect();
	release_row(release, user);
	stored->id = release;
	stored->sets = DatumGetInt32(dp_spi_value(0, 6, &isnull));
	model = DatumGetByteaPP(dp_spi_value(0, 7, &isnull));
	stored->length = VARSIZE_ANY_EXHDR(model);
	stored->bytes = MemoryContextAllocHuge(caller, Max(stored->length, 1));
	memcpy(stored->bytes, VARDATA_ANY(model), stored->length);
	SPI_finish();
	dp_unelevate(&elevation);
	dp_stored_parse(stored);
	return stored;
}

Datum
dp_share(PG_FUNCTION_ARGS)
{
	Oid types[2] = {INT8OID, OIDOID};
	Datum values[2];
	char nulls[3] = "  ";
	Oid user = GetUserId();
	DpElevation elevation;

	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("release must not be null")));
	values[0] = PG_GETARG_DATUM(0);
	values[1] = PG_ARGISNULL(1) ? (Datum) 0 : PG_GETARG_DATUM(1);
	nulls[1] = PG_ARGISNULL(1) ? 'n' : ' ';
	dp_elevate(&elevation);
	SPI_connect();
	release_row(PG_GETARG_INT64(0), user);
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
	dp_spi(PG_ARGISNULL(1)
			   ? "UPDATE @.dp_release_store SET public = true WHERE id = $1 AND ($2 IS NULL)"
			   : "UPDATE @.dp_release_store SET readers = readers || $2::pg_catalog.regrole"
				 " WHERE id = $1 AND $2 <> ALL (readers)",
		   SPI_OK_UPDATE, 2, types, values, nulls, false);
	SPI_finish();
	dp_unelevate(&elevation);
	PG_RETURN_VOID();
}
