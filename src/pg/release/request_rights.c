/*
 * request_rights.c -- who pays for a release, and what the worker will be allowed to read.
 */
#include "pg/release/request_rights.h"

#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"

#include "pg/budget/parent.h"
#include "pg/domain/ancestor_columns.h"
#include "pg/domain/public_lookup.h"
#include "pg/question/asked.h"
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
							   dp_relation_words(request->relation), request->method),
						errdetail("It gives no differential privacy, so no budget buys it.")));
	prepared->payer = (DpPayer){.custodian = true, .role = InvalidOid};
}

/* What an owner lacks that is to read a relation. */
static char *
missing_right(Oid relation, Oid owner)
{
	Oid schema = get_rel_namespace(relation);

	if (DP_SCHEMA_ACLCHECK(schema, owner, ACL_USAGE) != ACLCHECK_OK)
		return psprintf("GRANT USAGE ON SCHEMA %s TO %s.",
						quote_identifier(get_namespace_name(schema)),
						quote_identifier(dp_role_label(owner)));
	return psprintf("GRANT SELECT ON %s TO %s.", dp_relation_label(relation),
					quote_identifier(dp_role_label(owner)));
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
							   dp_relation_words(relation)),
						errdetail("A release reads it with the rights of its owner, role %s.",
								  dp_role_label(owner)),
						errhint("%s", missing_right(relation, owner))));
	if (check_enable_rls(relation, owner, true) == RLS_ENABLED)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("row security of relation \"%s\" applies to its owner",
							   dp_relation_words(relation)),
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
							   dp_relation_words(relation)),
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
					dp_relation_words(relation), dp_relation_words(looked_up)),
			 errdetail("A query reads both with the rights of role %s.", dp_role_label(owner)),
			 errhint("%s", missing_right(looked_up, owner))));
}

static DP_NORETURN void
raise_no_ancestor(const DpRelation *relation, const char *name, Oid above)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("column \"%s\" is declared as the distance from a column of relation \"%s\"",
					name, dp_relation_words(above)),
			 errdetail("Rows of relation \"%s\" do not belong to rows of that any more.",
					   dp_relation_words(relation->oid)),
			 errhint("Its custodian can run dp_define_column again.")));
}

/* ERROR unless the caller may ask for releases of the ancestors that a query reads. */
void
dp_check_rows_above(const DpReleaseRequest *request, const DpRelation *relation)
{
	List *read = NIL, *parents;
	DpDataset dataset;
	ListCell *cell;

	dp_dataset_get(request->relation, false, &dataset);
	parents = dp_dataset_parents(&dataset);

	foreach (cell, dp_relations_above(relation))
		read = list_append_unique_oid(read, ((const DpRelation *) lfirst(cell))->oid);
	for (uint32 i = 0; i < relation->domain.attributes; i++)
	{
		const DpColumn *column = dp_column_as_read(&relation->column[i]);

		if (OidIsValid(column->base_relation) && !list_member_oid(parents, column->base_relation))
			raise_no_ancestor(relation, relation->domain.attribute[i].name, column->base_relation);
		if (OidIsValid(column->base_relation))
			read = list_append_unique_oid(read, column->base_relation);
	}
	foreach (cell, read)
	{
		dp_dataset_get(lfirst_oid(cell), false, &dataset);
		dp_dataset_check_parents(&dataset);
		dp_check_may_ask(&dataset, request->user);
		dp_check_owner_can_read(lfirst_oid(cell));
	}
	foreach (cell, dp_public_lookups(relation))
		check_owner_can_look_up(request->relation, lfirst_oid(cell));
}

/* ---- questions that are written by hand ---- */

/*
 * The worker reads public tables as the owner of the counted relation. For a SELECT, PostgreSQL
 * checks the caller's rights on them, or on the views that contain them. A question that a user
 * writes as an option has no SELECT, so the user must have the right to read each public table.
 */
static void
check_may_read(Oid relation)
{
	AclResult result;

	if (get_rel_name(relation) == NULL) /* a later check reports a missing relation */
		return;
	result = pg_class_aclcheck(relation, GetUserId(), ACL_SELECT);
	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_TABLE, get_rel_name(relation));
}

void
dp_check_question_rights(Jsonb *options)
{
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue value;
	bool is_public = false;

	if (!dp_asked_given(options))
		return;
	iterator = JsonbIteratorInit(&options->root);
	while ((token = JsonbIteratorNext(&iterator, &value, false)) != WJB_DONE)
	{
		if (is_public && token == WJB_VALUE && value.type == jbvNumeric)
		{
			double number = DatumGetFloat8(
				DirectFunctionCall1(numeric_float8, NumericGetDatum(value.val.numeric)));

			if (number >= 1 && number <= 4294967295.0)
				check_may_read((Oid) number);
		}
		is_public = token == WJB_KEY && value.val.string.len == 6 &&
					memcmp(value.val.string.val, "public", 6) == 0;
	}
}
