/*
 * dataset.c -- protected relations as the catalog has them: the unit that is protected, the budget
 * that pays (the relation's own, or that of a relation with the same people), and the fence around
 * the ledger.
 */
#include "pg/budget/dataset.h"

#include <sys/stat.h>

#include "access/xlog.h"
#include "access/xlogrecovery.h"
#include "catalog/pg_class.h"
#include "commands/comment.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "pg/budget/public_relation.h"
#include "pg/budget/view_facts.h"
#include "pg/server/arguments.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"
#include "pg/server/equality.h"
#include "pg/server/labels.h"

/* ---- the fence ---- */

/* A standby writes on no timeline, so there it is the one that it replays. */
static int32
timeline_here(void)
{
	TimeLineID timeline;

	if (!RecoveryInProgress())
		return (int32) GetWALInsertionTimeLine();
	(void) GetXLogReplayRecPtr(&timeline);
	return (int32) timeline;
}

/*
 * When the directory of this database was made. Its OID alone does not identify a database: the
 * owner may drop it and make it again, from a copy, with the same OID. CREATE DATABASE writes the
 * file once, and nobody without access to the file system can set its time back.
 */
static char *
database_made_at(void)
{
	char *path = psprintf("%s/PG_VERSION", DatabasePath);
	struct stat status;

	if (stat(path, &status) != 0)
		ereport(ERROR, (errcode_for_file_access(), errmsg("could not stat file \"%s\": %m", path)));
	/* a database can be made again within a second, so the fraction counts */
	return psprintf(INT64_FORMAT ".%09ld", (int64) status.st_mtim.tv_sec,
					(long) status.st_mtim.tv_nsec);
}

/*
 * Where this ledger lives. A database made from a template, a restored dump, a promoted
 * standby or a point-in-time recovery changes at least one of the three, so that the
 * budget cannot be spent once in each copy. Nothing tells a copy of all files, with their
 * times, from the original.
 */
DpFence
dp_fence_here(void)
{
	return (DpFence){psprintf(UINT64_FORMAT, GetSystemIdentifier()), timeline_here(),
					 psprintf("%u/%s", MyDatabaseId, database_made_at())};
}

/* ---- accountants ---- */

static const DpWords accountant_words = {
	.unknown = "unknown accountant",
	.hint = "Use basic (epsilon and delta add up) or zcdp (rho and delta add up).",
	.n = 2,
	.word = {[DP_BASIC] = "basic", [DP_ZCDP] = "zcdp"}};

const char *
dp_accountant_name(DpAccountant accountant)
{
	return accountant_words.word[accountant];
}

DpAccountant
dp_accountant_from_name(const char *name)
{
	return (DpAccountant) dp_word_find(&accountant_words, name);
}

/*
 * Under zCDP delta is halved. With one half, the rho that is allowed amounts to epsilon: whatever
 * spends it is (epsilon, delta / 2)-DP. The deltas of stability histograms may add up to the other.
 */
int64
dp_zcdp_conversion_delta(int64 delta_atto)
{
	return delta_atto / 2;
}

DpBudget
dp_budget_allowed(DpAccountant accountant, DpBudget amounts)
{
	if (accountant == DP_ZCDP)
	{
		int64 conversion = dp_zcdp_conversion_delta(amounts.delta_atto);

		amounts.rho_pico = dp_rho_of_budget(
			(DpBudget){.epsilon_nano = amounts.epsilon_nano, .delta_atto = conversion});
		amounts.delta_atto -= conversion;
	}
	return amounts;
}

/* ---- units ---- */

/*
 * The rows of a unit are found by sorting, so the type of its column must have an order, and what
 * is equal must not depend on how rows are brought together. This is checked when the column is
 * declared, and again before each debit, since columns are renamed and change their type.
 */
void
dp_check_unit_column(Oid relation, const char *column)
{
	AttrNumber number = get_attnum(relation, column);
	DpComparable values;

	if (number <= 0)
		dp_no_such_column(column, relation, "It is to tell privacy units apart.");
	values = dp_comparable_column(relation, number);
	if (!OidIsValid(lookup_type_cache(values.type, TYPECACHE_LT_OPR)->lt_opr))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("column \"%s\" cannot tell units apart", column),
				 errdetail("Values of type %s cannot be sorted.", format_type_be(values.type))));
	if (!dp_one_equality(values, values))
		ereport(
			ERROR,
			(errcode(ERRCODE_WRONG_OBJECT_TYPE),
			 errmsg("column \"%s\" cannot tell units apart", column),
			 errdetail("It is of %s. Under a nondeterministic collation only values of type text, "
					   "varchar and char(n), and arrays and ranges of these, are sorted, hashed "
					   "and compared alike; and ranges only by the default operator class of "
					   "their bounds.",
					   dp_comparable_words(values)),
			 errhint("Give the column a deterministic collation, or one of these types.")));
}

/* ---- datasets ---- */

/*
 * What is read of the relation's row, and of its budget's row. Mostly the two are one row, and one
 * small query (READ_OWN) reads it.
 */
#define RELATION_COLUMNS(t)                                                                        \
	t ".id, " t ".active, " t ".neighbours, " t ".unit_column, " t ".max_rows_per_unit, " t        \
	  ".max_epsilon_nano"
#define BUDGET_COLUMNS(t)                                                                          \
	t ".id, " t ".relation, " t ".accountant, " t ".epsilon_nano, " t ".delta_atto,"               \
	  " coalesce(pg_catalog.clock_timestamp() >= " t ".refreshed_at + " t                          \
	  ".refresh_every, false),"                                                                    \
	  " " t ".spent_epsilon_nano, " t ".spent_delta_atto, " t ".spent_rho_pico, " t                \
	  ".system_identifier, " t ".timeline, " t ".database"
#define MORE_COLUMNS(t)                                                                            \
	", " t ".sensitivity, " t ".public_relations, " t ".min_epsilon_nano, " t ".parent,"           \
	" " t ".no_false_positives_nano, " t ".order_column"

#define READ_OWN                                                                                   \
	"SELECT " RELATION_COLUMNS("d") ", " BUDGET_COLUMNS("d") MORE_COLUMNS(                         \
		"d") " FROM dp_catalog.dp_dataset d"                                                       \
			 " WHERE d.relation = $1 AND d.dropped_at IS NULL AND d.budget_of IS NULL"
#define READ_SHARED                                                                                \
	"SELECT " RELATION_COLUMNS("d") ", " BUDGET_COLUMNS("b")                                       \
		MORE_COLUMNS("d") " FROM dp_catalog.dp_dataset d"                                          \
						  " JOIN dp_catalog.dp_dataset b ON b.id = d.budget_of"                    \
						  " WHERE d.relation = $1 AND d.dropped_at IS NULL"
/* Locks both rows, in the order of their keys, as every release does. */
#define LOCK_SHARED                                                                                \
	"SELECT id FROM dp_catalog.dp_dataset WHERE id IN (SELECT pg_catalog.unnest(ARRAY[id, "        \
	"budget_of])"                                                                                  \
	" FROM dp_catalog.dp_dataset WHERE relation = $1 AND dropped_at IS NULL) ORDER BY id FOR "     \
	"UPDATE"

/*
 * Writes a refresh that is due: what was spent, by the relation and by every role, is 0 again, and
 * a line of the ledger says how much that was. The caller holds the budget's row locked.
 */
static void
refresh_apply(int32 budget)
{
	DpArguments arguments = DP_ARGUMENTS(DP_INT32(budget));

	(void) dp_spi_write(
		"SELECT FROM dp_catalog.dp_allocation a JOIN dp_catalog.dp_dataset d ON d.id = a.dataset"
		" WHERE $1 IN (d.id, d.budget_of) ORDER BY a.dataset, a.role FOR UPDATE OF a",
		arguments);
	(void) dp_spi_write(
		"INSERT INTO dp_catalog.dp_ledger_entry (kind, dataset, relation_name, role, role_name,"
		" epsilon_nano, delta_atto, rho_pico, reason)"
		" SELECT 'refresh', d.id, d.relation::pg_catalog.text, o.oid, o.rolname,"
		" d.spent_epsilon_nano, d.spent_delta_atto, d.spent_rho_pico,"
		" 'every ' || d.refresh_every FROM dp_catalog.dp_dataset d"
		" LEFT JOIN pg_catalog.pg_class c ON c.oid = d.relation AND d.dropped_at IS NULL"
		" JOIN pg_catalog.pg_authid o ON o.oid = coalesce(c.relowner, 10)"
		" WHERE d.id = $1",
		arguments);
	(void) dp_spi_write(
		"UPDATE dp_catalog.dp_dataset SET spent_epsilon_nano = 0, spent_delta_atto = 0,"
		" spent_rho_pico = 0, refreshed_at = pg_catalog.clock_timestamp() WHERE id = $1",
		arguments);
	(void) dp_spi_write(
		"UPDATE dp_catalog.dp_allocation a SET spent_epsilon_nano = 0, spent_delta_atto = 0,"
		" spent_rho_pico = 0 FROM dp_catalog.dp_dataset d"
		" WHERE d.id = a.dataset AND $1 IN (d.id, d.budget_of)",
		arguments);
}

/* A regclass[] column of the row that was read last. */
static List *
relations_read(int column, MemoryContext context)
{
	List *relations = NIL;
	Datum *element;
	bool isnull;
	Datum value = dp_spi_value(0, column, &isnull);
	int n;

	if (isnull)
		return NIL;
	context = MemoryContextSwitchTo(context);
	element = dp_elements(value, NULL, &n);
	for (int i = 0; i < n; i++)
		relations = lappend_oid(relations, DatumGetObjectId(element[i]));
	MemoryContextSwitchTo(context);
	return relations;
}

/* Fills dataset from the row that was read last; context keeps its texts. */
static void
dataset_from_row(DpDataset *dataset, MemoryContext context)
{
	char *unit_column = dp_spi_text(0, 4);
	char *order_column = dp_spi_text(0, 24);
	DpFence here = dp_fence_here();

	dataset->id = dp_spi_int32(0, 1);
	dataset->active = dp_spi_bool(0, 2);
	dataset->unit.neighbours = dp_neighbours_from_name(dp_spi_text(0, 3));
	dataset->unit_column = unit_column ? MemoryContextStrdup(context, unit_column) : NULL;
	dataset->unit.rows_max = (uint32) dp_spi_int32(0, 5);
	dataset->policy.max_epsilon_nano = dp_spi_int64(0, 6);
	dataset->budget = dp_spi_int32(0, 7);
	dataset->budget_relation = dp_spi_oid(0, 8);
	dataset->accountant = dp_accountant_from_name(dp_spi_text(0, 9));
	dataset->amounts = (DpBudget){dp_spi_int64(0, 10), dp_spi_int64(0, 11), 0};
	dataset->ledger.refresh_due = dp_spi_bool(0, 12);
	if (!dataset->ledger.refresh_due)
		dataset->ledger.spent =
			(DpBudget){dp_spi_int64(0, 13), dp_spi_int64(0, 14), dp_spi_int64(0, 15)};
	dataset->ledger.fence_holds = strcmp(dp_spi_text(0, 16), here.system_identifier) == 0 &&
								  dp_spi_int32(0, 17) == here.timeline &&
								  strcmp(dp_spi_text(0, 18), here.database) == 0;
	dataset->sensitivity = dp_spi_int32(0, 19);
	dataset->public_relations = relations_read(20, context);
	dataset->policy.min_epsilon_nano = dp_spi_int64(0, 21);
	dataset->parent = dp_spi_oid(0, 22);
	dataset->policy.no_false_positives_nano = dp_spi_int64(0, 23);
	dataset->order_column = order_column ? MemoryContextStrdup(context, order_column) : NULL;
	dataset->rows_per_parent = dataset->unit.rows_max;
}

/*
 * While this transaction waited for its locks, another one may have given the relation another
 * budget. Then the row that was read is not one of those that are locked. ids: of the locked rows.
 */
static void
check_locked(Oid relation, uint64 rows, const int32 *ids)
{
	int32 budget = rows == 1 ? dp_spi_int32(0, 7) : 0;

	if (budget == 0 || (budget != ids[0] && budget != ids[1]))
		ereport(ERROR, (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
						errmsg("the budget of relation \"%s\" was changed meanwhile",
							   dp_relation_words(relation)),
						errdetail("Nothing was spent."), errhint("Try again.")));
}

/*
 * Whether the sum of epsilons is all that was spent. It is not where the custodian stated more rho
 * than the ledger knew, and no epsilons with it. A refresh begins anew.
 */
static bool
epsilon_is_known(const DpDataset *dataset)
{
	const char *query = "SELECT FROM dp_catalog.dp_ledger_entry e"
						" WHERE e.dataset = $1 AND e.kind = 'reconcile' AND e.rho_pico > 0"
						" AND e.epsilon_nano = 0 AND NOT EXISTS ("
						"SELECT FROM dp_catalog.dp_ledger_entry f"
						" WHERE f.dataset = e.dataset AND f.kind = 'refresh' AND f.id > e.id)";

	return dataset->accountant == DP_BASIC || dataset->ledger.refresh_due ||
		   dp_spi_read(query, DP_ARGUMENTS(DP_INT32(dataset->budget))) == 0;
}

static bool
dataset_read(Oid relation, bool for_update, DpDataset *dataset, MemoryContext context)
{
	DpArguments arguments = DP_ARGUMENTS(DP_REGCLASS(relation));
	uint64 rows = for_update ? dp_spi_write(READ_OWN " FOR UPDATE", arguments)
							 : dp_spi_read(READ_OWN, arguments);

	if (rows == 0 && for_update)
	{
		uint64 locked = dp_spi_write(LOCK_SHARED, arguments);
		int32 ids[2] = {locked > 0 ? dp_spi_int32(0, 1) : 0, locked > 1 ? dp_spi_int32(1, 1) : 0};

		rows = dp_spi_write(READ_SHARED, arguments);
		if (locked > 0)
			check_locked(relation, rows, ids);
	}
	else if (rows == 0)
		rows = dp_spi_read(READ_SHARED, arguments);
	if (rows != 1)
		return false;
	MemSet(dataset, 0, sizeof(*dataset));
	dataset->relation = relation;
	dataset_from_row(dataset, context);
	dataset->ledger.epsilon_known = epsilon_is_known(dataset);
	return true;
}

/*
 * A row of the root has at most so many rows of its child, each of these so many of its own, and so
 * on: bounds multiply on the way to the root.
 */
static void
multiply_bounds(DpDataset *dataset)
{
	Oid parent = dataset->parent;
	uint64 rows = dataset->unit.rows_max;

	for (int depth = 0; OidIsValid(parent) && depth < DP_TREE_DEPTH_MAX; depth++)
	{
		if (dp_spi_read("SELECT parent, max_rows_per_unit FROM dp_catalog.dp_dataset"
						" WHERE relation = $1 AND dropped_at IS NULL",
						DP_ARGUMENTS(DP_REGCLASS(parent))) != 1)
			break; /* it is gone, which dp_dataset_check_parents refuses */
		parent = dp_spi_oid(0, 1);
		rows = Min(rows * (uint64) dp_spi_int32(0, 2), (uint64) PG_INT32_MAX);
	}
	dataset->unit.rows_max = (uint32) rows;
}

bool
dp_dataset_find(Oid relation, bool for_update, DpDataset *dataset)
{
	MemoryContext caller = CurrentMemoryContext;
	DpUserContext user_context;
	bool found;

	MemSet(dataset, 0, sizeof(*dataset));
	dp_catalog_open(&user_context);
	found = dataset_read(relation, for_update, dataset, caller);
	if (found && for_update && dataset->ledger.refresh_due)
	{
		refresh_apply(dataset->budget);
		found = dataset_read(relation, true, dataset, caller);
	}
	if (found && OidIsValid(dataset->parent))
		multiply_bounds(dataset);
	dp_catalog_close(&user_context);
	/* a unit may have no row here: of a shared budget it may have one elsewhere, and a view may
	 * leave its row out */
	if (found && dataset->unit.neighbours == DP_REPLACE_ONE)
		dataset->unit.rows_secret = dataset->budget != dataset->id ||
									dp_dataset_is_shared(dataset->id) || dp_is_view(relation);
	return found;
}

/* A table that dp_create_synthetic made, by its comment. */
static bool
is_synthetic(Oid relation)
{
	static const char made[] = "Synthetic rows, made by dpsyn ";
	const char *comment = GetComment(relation, RelationRelationId, 0);

	return comment != NULL && strncmp(comment, made, sizeof(made) - 1) == 0;
}

/* The protected relation of its name, if there is one that the caller owns or holds a grant of; or
 * NULL. */
static char *
original_of(Oid relation)
{
	MemoryContext caller = CurrentMemoryContext;
	Oid user = GetUserId();
	char *original = NULL;
	DpUserContext user_context;

	dp_catalog_open(&user_context);
	if (dp_spi_read("SELECT d.relation::pg_catalog.oid FROM dp_catalog.dp_dataset d"
					" JOIN pg_catalog.pg_class c ON c.oid = d.relation::pg_catalog.oid"
					" WHERE d.active AND d.dropped_at IS NULL AND c.relname = $1 AND c.oid <> $2"
					" AND (pg_catalog.pg_has_role($3, c.relowner, 'USAGE') OR EXISTS ("
					"  SELECT FROM dp_catalog.dp_allocation a JOIN pg_catalog.pg_authid r"
					"   ON r.oid = a.role::pg_catalog.oid AND r.rolname = a.role_name"
					"   WHERE a.dataset = d.id AND a.active AND pg_catalog.pg_has_role($3, r.oid, "
					"'USAGE')))",
					DP_ARGUMENTS(dp_name_argument(get_rel_name(relation)), DP_OID(relation),
								 DP_OID(user))) == 1)
		original = MemoryContextStrdup(caller, dp_relation_label(dp_spi_oid(0, 1)));
	dp_catalog_close(&user_context);
	return original;
}

static DP_NORETURN void
refuse_synthetic(Oid relation)
{
	const char *original = original_of(relation);

	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("relation \"%s\" is a synthetic table", dp_relation_words(relation)),
			 errdetail("Its rows cost nothing to read, and no budget is kept for them."),
			 original != NULL ? errhint("Name the protected relation, as in NULL::%s.", original)
							  : errhint("Name the protected relation, with its schema.")));
}

void
dp_dataset_get(Oid relation, bool for_update, DpDataset *dataset)
{
	bool found = dp_dataset_find(relation, for_update, dataset) && dataset->active;

	if (!found && is_synthetic(relation))
		refuse_synthetic(relation);
	if (!found)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("relation \"%s\" is not protected", dp_relation_words(relation)),
						errhint("Its owner can run dp_protect(%s, epsilon => ...), and commit.",
								dp_literal(dp_relation_label(relation)))));
}

bool
dp_dataset_has_units(const DpDataset *dataset)
{
	return dataset->unit_column != NULL && dataset->sensitivity == 0;
}

/*
 * A stated sensitivity counts the rows that change if a unit is added or removed. Replacing a unit
 * does both, so it counts twice. Each changed row is one that goes and another one that comes.
 */
DpUnit
dp_dataset_noise_unit(const DpDataset *dataset)
{
	uint32 steps = dataset->unit.neighbours == DP_REPLACE_ONE ? 2 : 1;

	if (dataset->sensitivity == 0)
		return dataset->unit;
	return (DpUnit){DP_REPLACE_ONE, steps * (uint32) dataset->sensitivity, true};
}

void
dp_dataset_check_view(const DpDataset *dataset)
{
	ListCell *cell;

	if (dataset->sensitivity > 0 || !dp_is_view(dataset->relation))
		return;
	foreach (cell, dataset->public_relations)
		dp_check_no_protected_rows(lfirst_oid(cell));
	dp_check_view(dataset->relation, dataset->unit_column, dataset->public_relations);
}

bool
dp_dataset_has_spent(int32 dataset)
{
	return dp_catalog_finds("SELECT FROM dp_catalog.dp_ledger_entry WHERE dataset = $1"
							" AND kind IN ('debit', 'reconcile') LIMIT 1",
							DP_ARGUMENTS(DP_INT32(dataset)));
}

bool
dp_dataset_is_shared(int32 dataset)
{
	return dp_catalog_finds("SELECT FROM dp_catalog.dp_dataset WHERE budget_of = $1 LIMIT 1",
							DP_ARGUMENTS(DP_INT32(dataset)));
}
