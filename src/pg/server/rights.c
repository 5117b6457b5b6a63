/*
 * rights.c -- whose rights hold, and how they are lowered.
 */
#include "pg/server/rights.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"
#include "utils/syscache.h"

#include "pg/server/labels.h"

void
dp_pin_settings(void)
{
	(void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	/* statements about catalogs are many, each with an estimate beyond reason, and take no time */
	(void) set_config_option("jit", "off", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0,
							 false);
}

bool
dp_may_become(Oid user, Oid owner)
{
	return OidIsValid(owner) && has_privs_of_role(user, owner) && DP_CAN_SET_ROLE(user, owner);
}

/* For whatever can run code that somebody else wrote: views, CHECK expressions, domain types. */
void
dp_become_owner(DpUserContext *user_context, Oid owner)
{
	GetUserIdAndSecContext(&user_context->user, &user_context->security_context);
	if (!dp_may_become(user_context->user, owner))
		owner = user_context->user;
	SetUserIdAndSecContext(owner, user_context->security_context | SECURITY_LOCAL_USERID_CHANGE |
									  SECURITY_RESTRICTED_OPERATION);
	user_context->guc_level = NewGUCNestLevel();
	dp_pin_settings();
}

void
dp_unelevate(DpUserContext *user_context)
{
	AtEOXact_GUC(false, user_context->guc_level);
	SetUserIdAndSecContext(user_context->user, user_context->security_context);
}

Oid
dp_relation_owner(Oid relation)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	Oid owner = InvalidOid;

	if (HeapTupleIsValid(tuple))
	{
		owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
		ReleaseSysCache(tuple);
	}
	return owner;
}

/* Row security may show an owner less than a superuser. A foreign server is asked as whoever reads. */
static bool
reads_alike(Oid relation, Oid owner)
{
	return get_rel_relkind(relation) != RELKIND_FOREIGN_TABLE &&
		   (check_enable_rls(relation, InvalidOid, true) == RLS_ENABLED) ==
			   (check_enable_rls(relation, owner, true) == RLS_ENABLED);
}

Oid
dp_common_owner(const List *relations)
{
	Oid common = InvalidOid;
	ListCell *cell;

	foreach (cell, relations)
	{
		Oid owner = dp_relation_owner(lfirst_oid(cell));

		if ((OidIsValid(common) && owner != common) || !OidIsValid(owner) ||
			!reads_alike(lfirst_oid(cell), owner))
			return InvalidOid;
		common = owner;
	}
	return common;
}

bool
dp_is_view(Oid relation)
{
	char kind = get_rel_relkind(relation);

	return kind == RELKIND_VIEW || kind == RELKIND_MATVIEW;
}

bool
dp_is_custodian(Oid relation, Oid user)
{
	Oid owner = dp_relation_owner(relation);

	return OidIsValid(owner) ? has_privs_of_role(user, owner) : superuser_arg(user);
}

void
dp_check_custodian(Oid relation, const char *action)
{
	if (!dp_is_custodian(relation, GetUserId()))
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("must be owner of relation \"%s\"", dp_relation_words(relation)),
						errdetail("Only its custodian may %s.", action)));
}

void
dp_check_role(Oid role)
{
	if (!SearchSysCacheExists1(AUTHOID, ObjectIdGetDatum(role)))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
						errmsg("role with OID %u does not exist", role)));
}
