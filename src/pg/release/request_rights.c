/*
 * request_rights.c -- who pays for a release, and what the worker will be allowed to read.
 */
#include "pg/release/request_rights.h"

#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"

#include "pg/budget/parent.h"
#include "pg/domain/ancestor_columns.h"
#include "pg/domain/public_lookup.h"
#include "pg/server/catalog.h"

/* No budget buys a release that is not private. It is for the custodian, who pays nothing. */
void
dp_request_payer(const DpReleaseRequest *request, const DpMethod *method, bool for_update,
				 DpPrepared *prepared)
{
	if (method == NULL || !method->unprotected)
	{
		dp_payer_get(&prepared->dataset, request->user, for_update, &prepared->payer);
		return;
	}
	if (!dp_is_custodian(request->relation, request->user))
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("only the owner of relation \"%s\" may use method \"%s\"",
							   dp_relation_label(request->relation), request->method),
						errdetail("It gives no differential privacy, so no budget buys it.")));
	prepared->payer = (DpPayer){.custodian = true, .role = InvalidOid};
}

/* The worker scans as the owner. What it would stumble over after the debit is found here. */
void
dp_check_owner_can_read(Oid relation)
{
	Oid owner = dp_relation_owner(relation);

	if (DP_SCHEMA_ACLCHECK(get_rel_namespace(relation), owner, ACL_USAGE) != ACLCHECK_OK ||
		pg_class_aclcheck(relation, owner, ACL_SELECT) != ACLCHECK_OK)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("the owner of relation \"%s\" may not read it",
							   dp_relation_label(relation)),
						errdetail("A release reads it with the rights of its owner, role %s.",
								  dp_role_label(owner))));
	if (check_enable_rls(relation, owner, true) == RLS_ENABLED)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("row security of relation \"%s\" applies to its owner",
							   dp_relation_label(relation)),
						errdetail("A release reads every row, as its owner."),
						errhint("ALTER TABLE %s NO FORCE ROW LEVEL SECURITY.",
								dp_relation_label(relation))));
}

static void
check_owner_can_use(const char *schema, Oid relation)
{
	Oid oid = DatumGetObjectId(DirectFunctionCall1(regnamespacein, CStringGetDatum(schema)));
	Oid owner = dp_relation_owner(relation);

	if (DP_SCHEMA_ACLCHECK(oid, owner, ACL_USAGE) != ACLCHECK_OK)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("the owner of relation \"%s\" may not use the schema of dpsyn",
							   dp_relation_label(relation)),
						errdetail("A release counts with the rights of its owner, role %s.",
								  dp_role_label(owner)),
						errhint("GRANT USAGE ON SCHEMA %s TO %s.", schema, dp_role_label(owner))));
}

/* The worker counts as the owner, with functions of this extension. */
void
dp_check_owner_can_count(Oid relation)
{
	check_owner_can_use(dp_schema(), relation);
	check_owner_can_use("dp_catalog", relation);
}

/* What a query reads of public tables is read by the same statement. */
static void
check_owner_can_look_up(Oid relation, Oid looked_up)
{
	Oid owner = dp_relation_owner(relation);

	if (DP_SCHEMA_ACLCHECK(get_rel_namespace(looked_up), owner, ACL_USAGE) == ACLCHECK_OK &&
		pg_class_aclcheck(looked_up, owner, ACL_SELECT) == ACLCHECK_OK &&
		check_enable_rls(looked_up, owner, true) != RLS_ENABLED)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the owner of relation \"%s\" may not read public table \"%s\"",
					dp_relation_label(relation), dp_relation_label(looked_up)),
			 errdetail("A query reads both with the rights of role %s.", dp_role_label(owner)),
			 errhint("GRANT SELECT ON %s TO %s, and USAGE of its schema.",
					 dp_relation_label(looked_up), dp_role_label(owner))));
}

/* What a query reads of ancestors is for who may ask of these. */
void
dp_check_rows_above(const DpReleaseRequest *request, const DpRelation *relation)
{
	ListCell *cell;

	foreach (cell, dp_relations_above(relation))
	{
		Oid above = ((const DpRelation *) lfirst(cell))->oid;
		DpDataset dataset;

		dp_dataset_get(above, false, &dataset);
		dp_dataset_check_parents(&dataset);
		dp_check_may_ask(&dataset, request->user);
		dp_check_owner_can_read(above);
	}
	foreach (cell, dp_public_lookups(relation))
		check_owner_can_look_up(request->relation, lfirst_oid(cell));
}
