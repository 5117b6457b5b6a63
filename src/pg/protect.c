/*
 * protect.c -- the custodian's functions: what is protected, what is public,
 * who may spend how much. They run in the caller's transaction, like any DDL;
 * the release worker sees them once they are committed.
 */
#include "dpsyn.h"

#include "access/relation.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

PG_FUNCTION_INFO_V1(dp_catalog_guard);
PG_FUNCTION_INFO_V1(dp_protect);
PG_FUNCTION_INFO_V1(dp_unprotect);
PG_FUNCTION_INFO_V1(dp_set_budget);
PG_FUNCTION_INFO_V1(dp_reconcile);
PG_FUNCTION_INFO_V1(dp_grant);
PG_FUNCTION_INFO_V1(dp_revoke);

/* One elevated statement of a custodian; returns the rows it touched. */
static uint64
write_catalog(const char *statement, int expected, int nargs, Oid *types, Datum *values,
			  const char *nulls)
{
	DpElevation elevation;
	uint64 rows;

	dp_elevate(&elevation);
	SPI_connect();
	rows = dp_spi(statement, expected, nargs, types, values, nulls, false);
	SPI_finish();
	dp_unelevate(&elevation);
	return rows;
}

/* Our own statements run as a superuser, and so pass; nobody else's do. */
Datum
dp_catalog_guard(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo))
		ereport(ERROR, (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
						errmsg("dp_catalog_guard was not called by a trigger")));
	if (!superuser())
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("permission denied for table %s",
							   RelationGetRelationName(trigger->tg_relation)),
						errdetail("Only dpsyn's own functions write its catalog."),
						errhint("Use dp_protect, dp_grant, dp_revoke and the like.")));
	if (!TRIGGER_FIRED_FOR_ROW(trigger->tg_event))
		PG_RETURN_POINTER(NULL); /* no row; PG_RETURN_NULL is an error in a trigger */
	PG_RETURN_POINTER(TRIGGER_FIRED_BY_UPDATE(trigger->tg_event) ? trigger->tg_newtuple
																 : trigger->tg_trigtuple);
}

/* ---- arguments ---- */

static void
check_not_null(FunctionCallInfo fcinfo, int argument, const char *name)
{
	if (PG_ARGISNULL(argument))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not be null", name)));
}

static DpBudget
budget_argument(FunctionCallInfo fcinfo, int epsilon, int delta, bool round_up)
{
	DpBudget budget = {
		.epsilon_nano = dp_epsilon_from_numeric(PG_GETARG_NUMERIC(epsilon), round_up, "epsilon"),
		.delta_atto = dp_delta_from_numeric(PG_GETARG_NUMERIC(delta), round_up, "delta"),
	};

	return budget;
}

static void
check_total(DpBudget total)
{
	if (total.epsilon_nano < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the total epsilon must be at least 0.000000001")));
	if (total.delta_atto >= DP_DELTA_ONE)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("delta must be below 1"),
						errdetail("delta = 1 allows everything to be published."),
						errhint("Keep the total well below 1 / (number of rows).")));
}

static void
check_relation_kind(Oid relation)
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
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("temporary relation %s cannot be protected", dp_relation_label(relation)),
				 errdetail("The release worker, another process, cannot read it.")));
}

static void
note_view_units(Oid relation)
{
	if (get_rel_relkind(relation) == RELKIND_VIEW)
		ereport(NOTICE,
				(errmsg("what is protected is a row of view %s, not a row of the tables below it",
						dp_relation_label(relation)),
				 errdetail("One person who stands in several rows of the view is protected "
						   "that many times less.")));
}

/* ---- protect ---- */

Datum
dp_protect(PG_FUNCTION_ARGS)
{
	Oid types[8] = {REGCLASSOID, TEXTOID, INT8OID, INT8OID, TEXTOID, INT4OID, TEXTOID};
	Datum values[7];
	DpNeighbours neighbours;
	DpDataset dataset;
	DpBudget total;
	Oid relation;
	char *system_identifier;
	int32 timeline;
	char *database;

	check_not_null(fcinfo, 0, "relation");
	check_not_null(fcinfo, 1, "epsilon");
	check_not_null(fcinfo, 2, "delta");
	check_not_null(fcinfo, 3, "neighbours");
	relation = PG_GETARG_OID(0);
	check_relation_kind(relation);
	dp_check_custodian(relation, "protect it");
	total = budget_argument(fcinfo, 1, 2, false);
	check_total(total);
	neighbours = dp_neighbours_from_name(text_to_cstring(PG_GETARG_TEXT_PP(3)));
	if (dp_dataset_find(relation, false, &dataset) && dataset.active)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("relation %s is already protected", dp_relation_label(relation)),
				 errhint("dp_set_budget changes its budget, dp_unprotect ends the protection.")));
	if (dataset.id != 0 && dataset.unit.neighbours != neighbours &&
		(dataset.spent.epsilon_nano > 0 || dataset.spent.delta_atto > 0))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation %s has spent under neighbours %s", dp_relation_label(relation),
						dp_neighbours_name(dataset.unit.neighbours)),
				 errdetail("What was spent under one neighbouring relation cannot be added to "
						   "what is spent under another.")));

	dp_fence_here(&system_identifier, &timeline, &database);
	values[0] = ObjectIdGetDatum(relation);
	values[1] = CStringGetTextDatum(dp_neighbours_name(neighbours));
	values[2] = Int64GetDatum(total.epsilon_nano);
	values[3] = Int64GetDatum(total.delta_atto);
	values[4] = CStringGetTextDatum(system_identifier);
	values[5] = Int32GetDatum(timeline);
	values[6] = CStringGetTextDatum(database);
	/* a relation that was protected before keeps what it spent, and the fence it was spent behind */
	if (write_catalog(
			"INSERT INTO @.dp_dataset AS d (relation, neighbours, epsilon_nano, delta_atto,"
			" system_identifier, timeline, database) VALUES ($1, $2, $3, $4, $5, $6, $7)"
			" ON CONFLICT (relation) DO UPDATE SET active = true, neighbours = $2,"
			" epsilon_nano = $3, delta_atto = $4, protected_at = pg_catalog.now()"
			" WHERE NOT d.active",
			SPI_OK_INSERT, 7, types, values, NULL) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("relation %s was protected meanwhile", dp_relation_label(relation))));
	note_view_units(relation);
	PG_RETURN_VOID();
}

/* One UPDATE of the dataset's row; the relation must be protected and the caller its custodian. */
static void
dataset_update(Oid relation, const char *action, const char *statement, int nargs, Oid *types,
			   Datum *values)
{
	DpDataset dataset;

	dp_check_custodian(relation, action);
	dp_dataset_get(relation, false, &dataset);
	values[0] = Int32GetDatum(dataset.id);
	types[0] = INT4OID;
	write_catalog(statement, SPI_OK_UPDATE, nargs, types, values, NULL);
}

Datum
dp_unprotect(PG_FUNCTION_ARGS)
{
	Oid types[1];
	Datum values[1];

	dataset_update(PG_GETARG_OID(0), "end its protection",
				   "UPDATE @.dp_dataset SET active = false WHERE id = $1", 1, types, values);
	PG_RETURN_VOID();
}

Datum
dp_set_budget(PG_FUNCTION_ARGS)
{
	DpBudget total = budget_argument(fcinfo, 1, 2, false);
	Oid types[3] = {InvalidOid, INT8OID, INT8OID};
	Datum values[3] = {0, Int64GetDatum(total.epsilon_nano), Int64GetDatum(total.delta_atto)};

	check_total(total);
	dataset_update(PG_GETARG_OID(0), "change its budget",
				   "UPDATE @.dp_dataset SET epsilon_nano = $2, delta_atto = $3 WHERE id = $1", 3,
				   types, values);
	PG_RETURN_VOID();
}

/*
 * After a restore, a clone or a promotion: the custodian states what was spent
 * everywhere, and the ledger may spend here. It never goes below what it knows.
 */
Datum
dp_reconcile(PG_FUNCTION_ARGS)
{
	DpBudget spent = budget_argument(fcinfo, 1, 2, true);
	Oid types[8] = {InvalidOid, INT8OID, INT8OID, TEXTOID, INT4OID, TEXTOID};
	Datum values[8];
	Oid line_types[6] = {InvalidOid, TEXTOID, OIDOID, NAMEOID, INT8OID, INT8OID};
	Datum line[6];
	char *system_identifier;
	int32 timeline;
	char *database;
	DpDataset dataset;

	dp_check_custodian(PG_GETARG_OID(0), "reconcile its ledger");
	dp_dataset_get(PG_GETARG_OID(0), false, &dataset);
	dp_fence_here(&system_identifier, &timeline, &database);
	values[1] = Int64GetDatum(spent.epsilon_nano);
	values[2] = Int64GetDatum(spent.delta_atto);
	values[3] = CStringGetTextDatum(system_identifier);
	values[4] = Int32GetDatum(timeline);
	values[5] = CStringGetTextDatum(database);
	dataset_update(PG_GETARG_OID(0), "reconcile its ledger",
				   "UPDATE @.dp_dataset SET spent_epsilon_nano = greatest(spent_epsilon_nano, $2),"
				   " spent_delta_atto = greatest(spent_delta_atto, $3), system_identifier = $4,"
				   " timeline = $5, database = $6 WHERE id = $1",
				   6, types, values);

	line[0] = Int32GetDatum(dataset.id);
	line_types[0] = INT4OID;
	line[1] = CStringGetTextDatum(dp_relation_label(PG_GETARG_OID(0)));
	line[2] = ObjectIdGetDatum(GetUserId());
	line[3] = DirectFunctionCall1(namein, CStringGetDatum(dp_role_label(GetUserId())));
	line[4] = Int64GetDatum(Max(spent.epsilon_nano - dataset.spent.epsilon_nano, 0));
	line[5] = Int64GetDatum(Max(spent.delta_atto - dataset.spent.delta_atto, 0));
	write_catalog("INSERT INTO @.dp_ledger_entry (kind, dataset, relation_name, role, role_name,"
				  " epsilon_nano, delta_atto, reason) VALUES ('reconcile', $1, $2, $3, $4, $5, $6,"
				  " 'stated by the custodian')",
				  SPI_OK_INSERT, 6, line_types, line, NULL);
	PG_RETURN_VOID();
}

/* ---- grants ---- */

/* Any of these rights, on the relation or on a column of it. */
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
				(errmsg("role %s may change rows of relation %s", dp_role_label(role),
						dp_relation_label(relation)),
				 errdetail("Who can insert rows can probe for others, outside of any budget."),
				 errhint("REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON %s FROM %s.",
						 dp_relation_label(relation), quote_identifier(dp_role_label(role)))));
	if (role_may(relation, role, ACL_SELECT))
		ereport(WARNING,
				(errmsg("role %s may read relation %s itself", dp_role_label(role),
						dp_relation_label(relation)),
				 errdetail("A privacy budget limits nothing for a role that holds SELECT.")));
}

Datum
dp_grant(PG_FUNCTION_ARGS)
{
	Oid relation = PG_GETARG_OID(0);
	Oid role = PG_GETARG_OID(1);
	DpBudget budget = budget_argument(fcinfo, 2, 3, false);
	Oid types[5] = {INT4OID, OIDOID, INT8OID, INT8OID, OIDOID};
	Datum values[5];
	DpDataset dataset;

	dp_check_custodian(relation, "grant parts of its budget");
	dp_dataset_get(relation, false, &dataset);
	if (!SearchSysCacheExists1(AUTHOID, ObjectIdGetDatum(role)))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
						errmsg("role with OID %u does not exist", role)));
	values[0] = Int32GetDatum(dataset.id);
	values[1] = ObjectIdGetDatum(role);
	values[2] = Int64GetDatum(budget.epsilon_nano);
	values[3] = Int64GetDatum(budget.delta_atto);
	values[4] = ObjectIdGetDatum(GetUserId());
	write_catalog(
		"INSERT INTO @.dp_allocation (dataset, role, epsilon_nano, delta_atto, granted_by)"
		" VALUES ($1, $2, $3, $4, $5) ON CONFLICT (dataset, role) DO UPDATE SET"
		" active = true, epsilon_nano = $3, delta_atto = $4, granted_by = $5,"
		" granted_at = pg_catalog.now()",
		SPI_OK_INSERT, 5, types, values, NULL);
	warn_if_may_write(relation, role);
	PG_RETURN_VOID();
}

Datum
dp_revoke(PG_FUNCTION_ARGS)
{
	Oid relation = PG_GETARG_OID(0);
	Oid role = PG_GETARG_OID(1);
	Oid types[2] = {INT4OID, OIDOID};
	Datum values[2];
	DpDataset dataset;

	dp_check_custodian(relation, "revoke grants of its budget");
	/* also while the relation is not protected: protecting it again would bring the grant back */
	(void) dp_dataset_find(relation, false, &dataset);
	values[0] = Int32GetDatum(dataset.id);
	values[1] = ObjectIdGetDatum(role);
	if (write_catalog("UPDATE @.dp_allocation SET active = false WHERE dataset = $1 AND role = $2"
					  " AND active",
					  SPI_OK_UPDATE, 2, types, values, NULL) == 0)
		ereport(NOTICE, (errmsg("role %s holds no budget for relation %s", dp_role_label(role),
								dp_relation_label(relation))));
	PG_RETURN_VOID();
}
