/*
 * protect.c -- dp_protect and dp_unprotect: which relation is protected, what its privacy unit is,
 * and whose budget pays. They run in the custodian's transaction, as DDL does; the release worker
 * sees them once they are committed.
 */
#include "pg/budget/view_facts.h"
#include "pg/server/citus.h"
#include "pg/server/compat.h"

#include <math.h>

#include "catalog/pg_class.h"
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "core/base/decimal.h"
#include "pg/budget/amounts.h"
#include "pg/budget/ledger.h"
#include "pg/budget/parent.h"
#include "pg/budget/public_relation.h"
#include "pg/budget/shared_unit.h"
#include "pg/server/arguments.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"
#include "pg/server/labels.h"

PG_FUNCTION_INFO_V1(dp_protect);
PG_FUNCTION_INFO_V1(dp_unprotect);

#define ROWS_PER_UNIT_MAX 1000000

/* What dp_protect is asked for. */
typedef struct Protection
{
	Oid relation;
	DpUnit unit;
	char *unit_column;
	int32 sensitivity; /* 0: not stated */
	DpArgument public_relations;
	Oid parent;         /* whose units its rows belong to; InvalidOid: none */
	char *order_column; /* by which rows of one parent follow each other; NULL: none is named */
	int32 budget_of;    /* dataset whose budget pays; 0: its own pays */
	DpBudget amounts;   /* of the budget that pays */
	DpAccountant accountant;
	int64 max_epsilon_nano;
	int64 min_epsilon_nano;
} Protection;

/* ---- the unit ---- */

static void
unit_arguments(FunctionCallInfo fcinfo, Protection *protection)
{
	int32 rows_max = PG_GETARG_INT32(5);

	protection->unit.neighbours = dp_neighbours_from_name(text_to_cstring(PG_GETARG_TEXT_PP(3)));
	if (rows_max < 1 || rows_max > ROWS_PER_UNIT_MAX)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("max_rows_per_unit must be between 1 and %d", ROWS_PER_UNIT_MAX)));
	protection->unit.rows_max = rows_max;
	if (PG_ARGISNULL(4))
		return;
	protection->unit_column = pstrdup(NameStr(*PG_GETARG_NAME(4)));
	dp_check_unit_column(protection->relation, protection->unit_column);
}

/* What the custodian says of a view: which relations in it are public, or what a unit can
 * change. */
static void
view_arguments(FunctionCallInfo fcinfo, Protection *protection)
{
	bool given = !PG_ARGISNULL(9) || !PG_ARGISNULL(10);

	protection->public_relations = (DpArgument){
		REGCLASSARRAYOID, PG_ARGISNULL(9) ? (Datum) 0 : PG_GETARG_DATUM(9), PG_ARGISNULL(9)};
	if (given && !dp_is_view(protection->relation))
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
						errmsg("%s is not a view", dp_relation_label(protection->relation)),
						errhint("public_relations and sensitivity are for views.")));
	if (!PG_ARGISNULL(9) && array_contains_nulls(PG_GETARG_ARRAYTYPE_P(9)))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("public_relations must not hold NULL")));
	if (PG_ARGISNULL(10))
		return;
	protection->sensitivity = PG_GETARG_INT32(10);
	if (protection->sensitivity < 1 || protection->sensitivity > ROWS_PER_UNIT_MAX)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("sensitivity must be between 1 and %d", ROWS_PER_UNIT_MAX)));
	if (protection->unit_column != NULL || protection->unit.rows_max != 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("sensitivity stands in place of unit_column and max_rows_per_unit"),
						errdetail("It says how many rows of the view one unit can change that is "
								  "added or removed.")));
}

static void
note_view_units(const Protection *protection)
{
	if (protection->sensitivity == 0 && protection->unit_column == NULL &&
		dp_is_view(protection->relation))
		ereport(NOTICE,
				(errmsg("what is protected is a row of view %s, not a row of the tables below it",
						dp_relation_label(protection->relation)),
				 errdetail("One person who stands in several rows of the view is protected "
						   "that many times less."),
				 errhint("If a column tells persons apart, give it as unit_column.")));
}

/* ---- the budget ---- */

static void
own_budget(FunctionCallInfo fcinfo, Protection *protection)
{
	if (PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("epsilon must not be null"),
				 errdetail("It is the budget of all releases of the relation together."),
				 errhint("Give one, such as dp_protect(%s, epsilon => 1, delta => 1e-9); 1 is a "
						 "strong promise, 10 a weak one.",
						 dp_literal(dp_relation_label(protection->relation)))));
	if (!PG_ARGISNULL(7))
		protection->accountant = dp_accountant_from_name(text_to_cstring(PG_GETARG_TEXT_PP(7)));
	protection->amounts = dp_amounts_argument(fcinfo, 1, false);
	dp_check_total(protection->accountant, protection->amounts);
}

/*
 * From now on a unit may have a row in one relation and none in another, so that the number of rows
 * of each is secret. What was released when it was public is out.
 */
static void
check_rows_not_released(const DpDataset *other)
{
	if (dp_unit_rows_public(&other->unit) && dp_dataset_has_spent(other->id))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the exact number of rows of relation \"%s\" was released",
						dp_relation_words(other->relation)),
				 errdetail("Under neighbours replace_one it was public. Where a budget is shared, "
						   "it tells whether a person of one relation is in the other."),
				 errhint("Share a budget before the first release from it, or give a budget of "
						 "its own: epsilon and delta in place of budget_of.")));
}

/* Two relations with the same people share a budget: what either spends counts for both. */
static void
shared_budget(FunctionCallInfo fcinfo, Protection *protection)
{
	Oid other = PG_GETARG_OID(6);
	DpDataset dataset;

	if (!PG_ARGISNULL(1) || !PG_ARGISNULL(7) || dp_delta_argument(fcinfo, 2, true) != 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("epsilon, delta and accountant are those of budget_of"),
						errhint("Leave them out, or leave out budget_of.")));
	if (other == protection->relation)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("budget_of must be another relation")));
	dp_check_custodian(other, "let other relations spend its budget");
	dp_dataset_get(other, true, &dataset);
	if (OidIsValid(dataset.parent))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("relation \"%s\" has the unit of its parent", dp_relation_words(other)),
				 errhint("Share the budget of relation \"%s\".",
						 dp_relation_words(dataset.budget_relation))));
	dp_check_same_unit(&dataset, &(DpDataset){.relation = protection->relation,
											  .unit = protection->unit,
											  .unit_column = protection->unit_column,
											  .sensitivity = protection->sensitivity});
	check_rows_not_released(&dataset);
	protection->budget_of = dataset.budget;
	protection->amounts = dataset.amounts;
	protection->accountant = dataset.accountant;
}

/* ---- the parent ---- */

static void
check_parent_alone(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(1) && PG_ARGISNULL(6) && PG_ARGISNULL(7) && PG_ARGISNULL(9) &&
		PG_ARGISNULL(10) && dp_delta_argument(fcinfo, 2, true) == 0)
		return;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("budget, accountant and unit are those of parent"),
					errhint("Leave out epsilon, delta, budget_of, accountant, public_relations and "
							"sensitivity, or leave out parent.")));
}

/* Finds the root. ERROR if the way to it leads back to the relation. */
static DpDataset
root_find(const DpDataset *parent, const Protection *protection)
{
	DpDataset at = *parent;

	for (int depth = 1; OidIsValid(at.parent); depth++)
	{
		if (at.parent == protection->relation)
			ereport(
				ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("rows of relation \"%s\" already belong to rows of relation \"%s\"",
						dp_relation_words(parent->relation),
						dp_relation_words(protection->relation)),
				 errhint("Of relations that refer to each other in a circle, one is the root: it "
						 "has a budget, and no parent.")));
		if (depth == DP_TREE_DEPTH_MAX)
			ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
							errmsg("relation \"%s\" is too far from its root",
								   dp_relation_words(protection->relation)),
							errdetail("There may be %d relations on the way.", DP_TREE_DEPTH_MAX)));
		dp_dataset_get(at.parent, true, &at);
	}
	return at;
}

static void
check_product(const DpDataset *parent, const Protection *protection)
{
	if ((uint64) parent->unit.rows_max * protection->unit.rows_max > ROWS_PER_UNIT_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a unit would have more than %d rows", ROWS_PER_UNIT_MAX),
				 errdetail("Bounds multiply: %u rows of relation \"%s\", and %u for each of them.",
						   parent->unit.rows_max, dp_relation_words(parent->relation),
						   protection->unit.rows_max)));
}

static void
order_argument(FunctionCallInfo fcinfo, Protection *protection)
{
	if (PG_ARGISNULL(13))
		return;
	if (PG_ARGISNULL(12))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("order_column is for relations that have a parent"),
						errdetail("It says how the rows that belong to one row of it follow each "
								  "other.")));
	protection->order_column = pstrdup(NameStr(*PG_GETARG_NAME(13)));
	if (get_attnum(protection->relation, protection->order_column) <= 0)
		dp_no_such_column(protection->order_column, protection->relation,
						  "Rows of one parent were to be in order of it.");
}

/* Rows that belong to rows of a parent are those of its units, and its budget pays. */
static void
parent_arguments(FunctionCallInfo fcinfo, Protection *protection)
{
	DpDataset parent, root;
	const DpForeignKey *reference;

	check_parent_alone(fcinfo);
	protection->parent = PG_GETARG_OID(12);
	if (protection->parent == protection->relation)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("relation \"%s\" cannot be its own parent",
						dp_relation_words(protection->relation)),
				 errdetail("Where rows refer to rows of the same relation, no bound is known "
						   "on how many belong together."),
				 errhint("Protect it with epsilon; if a column says whose a row is, give it "
						 "as unit_column.")));
	dp_check_custodian(protection->parent, "let rows of other relations belong to its rows");
	dp_dataset_get(protection->parent, true, &parent);
	root = root_find(&parent, protection);
	reference =
		dp_reference_find(protection->relation, protection->parent, protection->unit_column);
	dp_check_root(&root, OidIsValid(parent.parent) ? NULL : reference);
	check_product(&parent, protection);
	check_rows_not_released(&root);
	if (protection->unit_column == NULL)
		protection->unit_column = reference->column[0];
	protection->unit.neighbours = root.unit.neighbours;
	protection->budget_of = root.budget;
	protection->amounts = root.amounts;
	protection->accountant = root.accountant;
}

/* ---- protected before ---- */

/*
 * Where the column of before is gone, it counts as renamed: the custodian says so by naming another
 * one.
 */
static bool
same_unit_column(Oid relation, const char *before, const char *now)
{
	if (before == NULL || now == NULL)
		return before == now;
	return strcmp(before, now) == 0 || get_attnum(relation, before) == InvalidAttrNumber;
}

/* Where a column identifies the unit, it stays the same with another bound on its rows. */
static bool
same_unit(const DpDataset *before, const Protection *protection)
{
	return before->unit.neighbours == protection->unit.neighbours &&
		   same_unit_column(protection->relation, before->unit_column, protection->unit_column) &&
		   (before->sensitivity > 0) == (protection->sensitivity > 0) &&
		   before->parent == protection->parent &&
		   (protection->unit_column != NULL || before->unit.rows_max == protection->unit.rows_max);
}

/*
 * ERROR unless the relation may be protected again in this way. What it spent must have been spent for
 * the same kind of unit, and must stay with the budget and the accountant that counted it.
 */
static void
check_protected_before(const DpDataset *before, const Protection *protection)
{
	int32 budget = protection->budget_of ? protection->budget_of : before->id;
	const char *words = dp_relation_words(protection->relation);

	if (before->active)
		ereport(
			ERROR,
			(errcode(ERRCODE_DUPLICATE_OBJECT),
			 errmsg("relation \"%s\" is already protected", words),
			 errhint("dp_alter_protection changes its budget, dp_unprotect ends the protection.")));
	if (protection->budget_of == before->id)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("budget_of shares the budget of relation \"%s\" itself", words),
						errhint("Give epsilon and delta instead.")));
	if (budget != before->id && dp_dataset_is_shared(before->id))
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("other relations share the budget of relation \"%s\"", words)));
	/* where others share the budget, what they have spent or will spend counts as its own */
	if (!dp_dataset_has_spent(before->id) && !dp_dataset_is_shared(before->id))
		return;
	if (!same_unit(before, protection))
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("relation \"%s\" has spent under neighbours %s, unit_column %s and "
							   "max_rows_per_unit %u",
							   words, dp_neighbours_name(before->unit.neighbours),
							   before->unit_column ? quote_identifier(before->unit_column) : "NULL",
							   before->unit.rows_max),
						errdetail("What was spent for one kind of unit cannot be added to what is "
								  "spent for another.")));
	if (budget != before->budget || protection->accountant != before->accountant)
		ereport(
			ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("relation \"%s\" has spent from the budget of relation \"%s\", accountant %s",
					words, dp_relation_words(before->budget_relation),
					dp_accountant_name(before->accountant)),
			 errdetail("Another budget or accountant would not know of it.")));
}

/* What dropped relations of this name have spent: of their own budgets, and of budgets they shared.
 */
static DpBudget
spent_by_namesakes(const char *label)
{
	DpUserContext user_context;
	DpBudget spent;

	dp_catalog_open(&user_context);
	(void) dp_spi_read(
		"WITH gone AS (SELECT d.* FROM dp_catalog.dp_dataset d WHERE d.id IN"
		"  (SELECT n.id FROM dp_catalog.dp_dataset n WHERE n.relation_name = $1"
		"   UNION SELECT e.dataset FROM dp_catalog.dp_ledger_entry e"
		"   WHERE e.relation_name = $1 AND e.kind IN ('debit', 'refund'))"
		"  AND (d.dropped_at IS NOT NULL"
		"   OR NOT EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = d.relation))),"
		" spent AS (SELECT d.spent_epsilon_nano AS epsilon_nano, d.spent_delta_atto AS delta_atto,"
		"  d.spent_rho_pico AS rho_pico FROM gone d WHERE d.budget_of IS NULL"
		"  UNION ALL SELECT s.sign * e.epsilon_nano, s.sign * e.delta_atto, s.sign * e.rho_pico"
		"  FROM gone d JOIN dp_catalog.dp_ledger_entry e ON e.dataset = d.id AND "
		"  e.kind IN ('debit', 'refund')"
		"  CROSS JOIN LATERAL (SELECT CASE e.kind WHEN 'refund' THEN -1 ELSE 1 END AS sign) s"
		"  WHERE d.budget_of IS NOT NULL)"
		/* the sum over many relations can be more than one relation can spend */
		" SELECT least(coalesce(pg_catalog.sum(epsilon_nano), 0), $2)::bigint,"
		" least(coalesce(pg_catalog.sum(delta_atto), 0), $3)::bigint,"
		" least(coalesce(pg_catalog.sum(rho_pico), 0), $4)::bigint FROM spent",
		DP_ARGUMENTS(dp_text_argument(label), DP_INT64(DP_EPSILON_NANO_MAX), DP_INT64(DP_DELTA_ONE),
					 DP_INT64(DP_RHO_PICO_MAX)));
	spent = (DpBudget){dp_spi_int64(0, 1), dp_spi_int64(0, 2), dp_spi_int64(0, 3)};
	dp_catalog_close(&user_context);
	return spent;
}

/* To PostgreSQL a table that was dropped and made again is a new one. It may hold the same people.
 */
static void
warn_of_namesake(const Protection *protection)
{
	const char *label = dp_relation_label(protection->relation);
	DpBudget spent = spent_by_namesakes(label);
	char words[2][32];

	if (spent.epsilon_nano == 0 && spent.rho_pico == 0)
		return;
	if (protection->accountant == DP_ZCDP)
		spent.epsilon_nano = dp_epsilon_of_rho(
			(DpBudget){.rho_pico = spent.rho_pico,
					   .delta_atto = dp_zcdp_conversion_delta(protection->amounts.delta_atto)});
	dp_decimal_print(spent.epsilon_nano, 9, words[0]);
	dp_decimal_print(spent.delta_atto, 18, words[1]);
	ereport(WARNING,
			(errmsg("a relation of this name that was dropped had spent epsilon %s and delta %s",
					words[0], words[1]),
			 protection->budget_of
				 ? errhint("If it held the same people, and did not share this budget: add that to "
						   "what the budget has spent, and run dp_reconcile.")
				 : errhint("If it held the same people: SELECT dp_reconcile(%s, %s, %s).",
						   dp_literal(label), words[0], words[1])));
}

/* ---- writing it ---- */

/*
 * A relation that was protected before keeps what it spent, and the fence of the ledger in which it
 * spent. Its limits are those that are given now, and a refresh ends.
 */
static void
protection_write(const Protection *protection)
{
	DpFence here = dp_fence_here();
	bool shared = protection->budget_of != 0;

	if (dp_catalog_write(
			"INSERT INTO dp_catalog.dp_dataset AS d (relation, neighbours, epsilon_nano, "
			"delta_atto,"
			" system_identifier, timeline, database, budget_of, unit_column, max_rows_per_unit,"
			" accountant, max_epsilon_nano, relation_name, sensitivity, public_relations,"
			" min_epsilon_nano, parent, order_column)"
			" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,"
			" $18)"
			" ON CONFLICT (relation) WHERE dropped_at IS NULL DO UPDATE SET active = true, "
			"neighbours = $2,"
			" epsilon_nano = $3, delta_atto = $4, budget_of = $8, unit_column = $9,"
			" max_rows_per_unit = $10, accountant = $11, max_epsilon_nano = $12, "
			" relation_name = $13, sensitivity = $14, public_relations = $15,"
			" min_epsilon_nano = $16, parent = $17, order_column = $18, refresh_every = NULL,"
			" refreshed_at = NULL, protected_at = pg_catalog.now()"
			" WHERE NOT d.active",
			DP_ARGUMENTS(
				DP_REGCLASS(protection->relation),
				dp_text_argument(dp_neighbours_name(protection->unit.neighbours)),
				{INT8OID, Int64GetDatum(protection->amounts.epsilon_nano), shared},
				{INT8OID, Int64GetDatum(protection->amounts.delta_atto), shared},
				dp_text_argument(here.system_identifier), DP_INT32(here.timeline),
				dp_text_argument(here.database),
				{INT4OID, Int32GetDatum(protection->budget_of), !shared},
				dp_name_argument(protection->unit_column),
				DP_INT32((int32) protection->unit.rows_max),
				dp_text_argument(dp_accountant_name(protection->accountant)),
				{INT8OID, Int64GetDatum(protection->max_epsilon_nano),
				 protection->max_epsilon_nano == 0},
				dp_text_argument(dp_relation_label(protection->relation)),
				{INT4OID, Int32GetDatum(protection->sensitivity), protection->sensitivity == 0},
				protection->public_relations,
				{INT8OID, Int64GetDatum(protection->min_epsilon_nano),
				 protection->min_epsilon_nano == 0},
				{REGCLASSOID, ObjectIdGetDatum(protection->parent),
				 !OidIsValid(protection->parent)},
				dp_name_argument(protection->order_column))) == 0)
		ereport(ERROR, (errcode(ERRCODE_DUPLICATE_OBJECT),
						errmsg("relation \"%s\" was protected meanwhile",
							   dp_relation_words(protection->relation))));
}

/* Which relations can be protected, and what PostgreSQL shows of their parts. */

/* ERROR unless it is a table, view or foreign table that the release worker can read. */
static void
check_protectable(Oid relation)
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
							   dp_relation_words(relation)),
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
				dp_relation_words(relation)),
		 errdetail("Functions such as run_command_on_workers run any query on the worker nodes of "
				   "Citus, where pg_stat_all_tables and pg_class say it."),
		 errhint(
			 "Revoke them from PUBLIC, and let only the roles of Citus and of owners connect to "
			 "worker nodes: see the threat model.")));
}

/*
 * WARNING of partitions, partial indexes and extended statistics, whose sizes every role can read.
 * PostgreSQL keeps the size of each relation where every role can read it, and so that of a group
 * of rows which an index or a partition sets apart. No noise of a release hides that.
 */
static void
warn_of_sizes(Oid relation)
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
						dp_relation_words(relation)),
				 errdetail("Every role can read how many rows a partial index or a partition has "
						   "(pg_class.reltuples, pg_stat_all_tables), and roles that may read "
						   "columns what extended statistics say: %s.",
						   parts),
				 errhint("Drop those whose size is nobody's business.")));
	dp_catalog_close(&user_context);
	warn_of_shards(relation);
}

/* WARNING of tables that inherit from the relation, or it from them, with a budget of their own: their
 * rows are read with both. */
static void
warn_of_other_budgets(const DpDataset *dataset)
{
	DpUserContext user_context;
	char *others;

	dp_catalog_open(&user_context);
	(void) dp_spi_read(
		"WITH RECURSIVE ancestor(relation) AS ("
		" SELECT $1::pg_catalog.oid UNION SELECT i.inhparent"
		"  FROM ancestor b JOIN pg_catalog.pg_inherits i ON i.inhrelid = b.relation),"
		" below(relation) AS ("
		" SELECT $1::pg_catalog.oid UNION SELECT i.inhrelid"
		"  FROM below b JOIN pg_catalog.pg_inherits i ON i.inhparent = b.relation)"
		" SELECT pg_catalog.string_agg(d.relation::pg_catalog.regclass::pg_catalog.text, ', '"
		"  ORDER BY d.relation::pg_catalog.regclass::pg_catalog.text)"
		" FROM (TABLE ancestor UNION TABLE below) o JOIN dp_catalog.dp_dataset d"
		"  ON d.relation = o.relation AND d.active AND coalesce(d.budget_of, d.id) <> $2",
		DP_ARGUMENTS(DP_OID(dataset->relation), DP_INT32(dataset->budget)));
	others = dp_spi_text(0, 1);
	if (others != NULL)
		ereport(
			WARNING,
			(errmsg("rows of relation \"%s\" are read with other budgets, too",
					dp_relation_words(dataset->relation)),
			 errdetail(
				 "They are rows of tables of which one inherits from the other: %s. For whoever "
				 "they belong to, what these budgets spend adds up.",
				 others),
			 errhint("Protect one of the tables, or give them one budget by budget_of.")));
	dp_catalog_close(&user_context);
}

Datum
dp_protect(PG_FUNCTION_ARGS)
{
	Protection protection = {0};
	DpDataset before, now;

	(void) dp_schema(); /* ERROR if another version of the extension declared this function */
	dp_check_not_null(fcinfo, 0, "relation");
	dp_check_not_null(fcinfo, 2, "delta");
	dp_check_not_null(fcinfo, 3, "neighbours");
	dp_check_not_null(fcinfo, 5, "max_rows_per_unit");
	protection.relation = PG_GETARG_OID(0);
	check_protectable(protection.relation);
	dp_check_custodian(protection.relation, "protect it");
	/* what is looked up below must hold when it is written: one session at a time */
	LockDatabaseObject(RelationRelationId, protection.relation, 0, ExclusiveLock);
	unit_arguments(fcinfo, &protection);
	view_arguments(fcinfo, &protection);
	order_argument(fcinfo, &protection);
	if (!PG_ARGISNULL(12))
		parent_arguments(fcinfo, &protection);
	else if (PG_ARGISNULL(6))
		own_budget(fcinfo, &protection);
	else
		shared_budget(fcinfo, &protection);
	protection.max_epsilon_nano = dp_limit_argument(fcinfo, 8, "max_epsilon_per_release", INFINITY);
	protection.min_epsilon_nano = dp_limit_argument(fcinfo, 11, "min_epsilon_per_release", 0);
	if (dp_dataset_find(protection.relation, false, &before))
		check_protected_before(&before, &protection);
	else
		warn_of_namesake(&protection);
	protection_write(&protection);
	dp_dataset_get(protection.relation, false, &now);
	dp_dataset_check_view(&now);
	dp_dataset_check_shared(&now);
	dp_dataset_check_parents(&now);
	dp_check_public_beside(now.id);
	if (now.sensitivity > 0)
		dp_ledger_statement(
			&now, "policy", (DpBudget){0, 0, 0},
			psprintf(
				"one unit that is added or removed changes %d rows of the view at most, as stated",
				now.sensitivity));
	note_view_units(&protection);
	warn_of_other_budgets(&now);
	warn_of_sizes(protection.relation);
	PG_RETURN_VOID();
}

Datum
dp_unprotect(PG_FUNCTION_ARGS)
{
	DpDataset dataset;

	dp_check_no_null(fcinfo);
	dp_check_custodian(PG_GETARG_OID(0), "end its protection");
	dp_dataset_get(PG_GETARG_OID(0), false, &dataset);
	if (dp_catalog_write("UPDATE dp_catalog.dp_dataset SET active = false WHERE id = $1",
						 DP_ARGUMENTS(DP_INT32(dataset.id))) != 1)
		dp_raise_newer();
	PG_RETURN_VOID();
}
