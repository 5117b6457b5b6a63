/*
 * grant.c -- parts of a budget for roles: dp_grant and dp_revoke.
 */
#include "pg/server/compat.h"

#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "pg/budget/amounts.h"
#include "pg/server/arguments.h"
#include "pg/server/catalog.h"

PG_FUNCTION_INFO_V1(dp_grant);
PG_FUNCTION_INFO_V1(dp_revoke);

/* Whether role has any of these rights on the relation or on a column of it. */
static bool
role_may(Oid relation, Oid role, AclMode modes)
{
	return pg_class_aclmask(relation, role, modes, ACLMASK_ANY) != ACL_NO_RIGHTS ||
		   pg_attribute_aclcheck_all(relation, role, modes & ACL_ALL_RIGHTS_COLUMN, ACLMASK_ANY) ==
			   ACLCHECK_OK;
}

static void
warn_if_may_write(Oid relation, Oid role)
{
	if (role_may(relation, role, ACL_INSERT | ACL_UPDATE | ACL_DELETE | ACL_TRUNCATE) &&
		!dp_is_custodian(relation, role))
		ereport(WARNING,
				(errmsg("role %s may change rows of relation \"%s\"", dp_role_label(role),
						dp_relation_words(relation)),
				 errdetail("Who can insert rows can probe for others, outside of any budget."),
				 errhint("REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON %s FROM %s.",
						 dp_relation_label(relation), quote_identifier(dp_role_label(role)))));
	if (role_may(relation, role, ACL_SELECT))
		ereport(WARNING,
				(errmsg("role %s may read relation \"%s\" itself", dp_role_label(role),
						dp_relation_words(relation)),
				 errdetail("A privacy budget limits nothing for a role that holds SELECT.")));
}

/* Who may not use its schema cannot name the relation, not even to spend a budget. */
static void
tell_if_schema_is_closed(Oid relation, Oid role)
{
	Oid schema = get_rel_namespace(relation);

	if (DP_SCHEMA_ACLCHECK(schema, role, ACL_USAGE) != ACLCHECK_OK)
		ereport(NOTICE,
				(errmsg("role %s may not use schema %s", dp_role_label(role),
						quote_identifier(get_namespace_name(schema))),
				 errdetail("It cannot name relation \"%s\" there.", dp_relation_words(relation)),
				 errhint("GRANT USAGE ON SCHEMA %s TO %s.",
						 quote_identifier(get_namespace_name(schema)),
						 quote_identifier(dp_role_label(role)))));
}

Datum
dp_grant(PG_FUNCTION_ARGS)
{
	Oid relation = PG_GETARG_OID(0);
	Oid role = PG_GETARG_OID(1);
	DpBudget budget;
	DpDataset dataset;

	dp_check_no_null(fcinfo);
	budget = dp_amounts_argument(fcinfo, 2, false);
	dp_check_custodian(relation, "grant parts of its budget");
	dp_dataset_get(relation, false, &dataset);
	dp_check_role(role);
	dp_catalog_write(
		"INSERT INTO dp_catalog.dp_allocation (dataset, role, epsilon_nano, delta_atto, "
		"granted_by, role_name)"
		" VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (dataset, role) DO UPDATE SET"
		" active = true, epsilon_nano = $3, delta_atto = $4, granted_by = $5,"
		" granted_at = pg_catalog.now(), role_name = $6",
		DP_ARGUMENTS(DP_INT32(dataset.id), DP_OID(role), DP_INT64(budget.epsilon_nano),
					 DP_INT64(budget.delta_atto), DP_OID(GetUserId()),
					 dp_name_argument(dp_role_label(role))));
	warn_if_may_write(relation, role);
	tell_if_schema_is_closed(relation, role);
	PG_RETURN_VOID();
}

#define ACTIVE_GRANT " WHERE dataset = $1 AND role = $2 AND active"

Datum
dp_revoke(PG_FUNCTION_ARGS)
{
	Oid relation = PG_GETARG_OID(0);
	Oid role = PG_GETARG_OID(1);
	DpArguments grant;
	DpDataset dataset;

	dp_check_no_null(fcinfo);
	dp_check_custodian(relation, "revoke grants of its budget");
	/* also while the relation is not protected: protecting it again would make the grant valid
	 * again */
	(void) dp_dataset_find(relation, false, &dataset);
	grant = DP_ARGUMENTS(DP_INT32(dataset.id), DP_OID(role));
	if (dp_catalog_write("UPDATE dp_catalog.dp_allocation SET active = false" ACTIVE_GRANT, grant) >
		0)
		PG_RETURN_VOID();
	/* this transaction does not see a grant that was made since it began */
	if (dp_catalog_finds("SELECT FROM dp_catalog.dp_allocation" ACTIVE_GRANT, grant))
		dp_raise_newer();
	ereport(NOTICE, (errmsg("role %s holds no budget for relation \"%s\"", dp_role_label(role),
							dp_relation_words(relation))));
	PG_RETURN_VOID();
}
