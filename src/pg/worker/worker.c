/*
 * worker.c -- the release worker: one background process a call, which releases a tree or several
 * of them, and the only code that may hold exact counts and a noise source together.
 *
 *   1. In one transaction it prepares the release again, asks foreign servers whether
 *      they can count, and plans the scan. This can take long, so nothing is locked
 *      meanwhile that others wait for.
 *   2. In one transaction it locks the ledger's rows, checks that what was prepared
 *      still holds and is within the budgets, and that no right was revoked that the scan
 *      needs, writes the debits of all trees and commits (synchronously).
 *   3. In one transaction with one snapshot it reads the relations as their owners, counts,
 *      adds noise, stores the noisy models of all trees and commits. So all are stored or none.
 *   4. It answers.
 *
 * The worker belongs to no user and pins every setting that a role or a database could
 * have weakened. If anything fails after the debit, the budget stays spent and the ledger
 * says "failed". An error while the relation is read is reported only in the server log,
 * since its words may hold a value.
 *
 * A worker may end anywhere: by an error, by dp_cancel, at its timeout, with the server,
 * or because its caller left. finalize_at_exit runs on each of these ways.
 */
#include "pg/server/compat.h"

#include "access/xact.h"
#include "catalog/pg_class.h"
#include "executor/spi.h"
#include "libpq/pqsignal.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "storage/ipc.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/timeout.h"
#include "utils/timestamp.h"

#include "core/plan/run.h"
#include "core/sample/parent_priors.h"
#include "pg/budget/ledger.h"
#include "pg/budget/parent.h"
#include "pg/budget/budget_notification.h"
#include "pg/budget/view_facts.h"
#include "pg/domain/ancestor_columns.h"
#include "pg/domain/derived.h"
#include "pg/domain/fill.h"
#include "pg/domain/public_lookup.h"
#include "pg/release/channel.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"
#include "pg/server/code_gate.h"
#include "pg/server/names.h"
#include "pg/server/injection_point.h"
#include "pg/server/values.h"
#include "pg/worker/lock.h"
#include "pg/worker/progress.h"
#include "pg/worker/scan.h"
#include "pg/worker/settings.h"
#include "pg/worker/tree_reader.h"

extern PGDLLEXPORT DP_NORETURN void dp_release_worker_main(Datum argument);

#define SCAN_LOCK_TIMEOUT "60s" /* once paid, wait longer */

/* One tree of those that are released, with a debit of its own. */
typedef struct ReleasedTree
{
	const DpReleaseRequest *request;
	DpPrepared *prepared;
	DpSource *source;
	DpSource **part;   /* of its other tables, by their numbers; NULL: there are none */
	char *name;        /* what the scan calls the root */
	char *temp_limit;  /* for temporary files of the owner */
	int64 debit;       /* once it is written */
	DpModel *model;    /* once they are measured */
	DpLedgerLine line; /* as the ledger writes it down */
} ReleasedTree;

typedef struct ReleaseState
{
	DpReleaseForest forest;
	ReleasedTree *tree; /* [forest.trees] */
	DpReleaseJob job;
	DpChannel *channel;
	MemoryContext memory; /* of the whole release */
	char *temp_limit;     /* for temporary files of whom no limit is set for */
	TimestampTz started;
	volatile int64 debit;   /* of the first tree; 0: nothing is committed yet */
	volatile bool reading;  /* inside code that sees data */
	volatile bool recorded; /* the ledger says what became of the debits */
	volatile bool released; /* and that is a release, which is stored */
	volatile bool finished; /* there is nothing more to record or to answer */
	DpRng rng;
} ReleaseState;

static volatile sig_atomic_t timed_out = false;

static const char *
words_of_spending(const ReleaseState *state)
{
	return state->debit == 0 ? "Nothing was spent." : "The budget stays spent.";
}

static void
transaction_begin(bool one_snapshot)
{
	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	if (one_snapshot)
		XactIsoLevel = XACT_REPEATABLE_READ;
	PushActiveSnapshot(GetTransactionSnapshot());
}

static void
transaction_commit(void)
{
	PopActiveSnapshot();
	CommitTransactionCommand();
}

/*
 * A lock of a relation does not keep its schema from being renamed. Then another relation
 * may have the name that the scan was planned with.
 */
static void
check_name(const ReleaseState *state, const ReleasedTree *tree)
{
	const char *name;

	AcceptInvalidationMessages();
	name = dp_relation_label(tree->request->relation);
	if (strcmp(name, tree->name) != 0)
		ereport(ERROR, (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
						errmsg("relation \"%s\" was renamed meanwhile", name),
						errdetail("%s", words_of_spending(state)), errhint("Try again.")));
}

static void
temp_limit_set(const ReleasedTree *tree)
{
	SetConfigOption("temp_file_limit", tree->temp_limit, PGC_SUSET, PGC_S_OVERRIDE);
}

/*
 * Locks the columns that identify the unit of a row: keys of ancestors, or the tables below a view.
 */
static void
lock_unit_columns(Oid relation)
{
	DpDataset dataset;
	ListCell *cell;

	dp_dataset_get(relation, false, &dataset);
	foreach (cell, dp_dataset_parents(&dataset))
		dp_lock(lfirst_oid(cell));
	dp_lock_below(relation);
}

/* Locks all relations that are read. Those that are locked already are locked again, with
 * partitions and children that have been added since. */
static void
lock_relations(const ReleaseState *state)
{
	for (int i = 0; i < state->forest.trees; i++)
	{
		List *relations = dp_released_relations(&state->forest.tree[i]);
		ListCell *cell;

		foreach (cell, relations)
			dp_lock(lfirst_oid(cell));
		foreach (cell, relations)
			lock_unit_columns(lfirst_oid(cell));
		if (state->tree[i].prepared == NULL)
			continue;
		foreach (cell, dp_public_lookups(state->tree[i].prepared->relation))
			dp_lock_public(lfirst_oid(cell));
		foreach (cell, dp_relations_above(state->tree[i].prepared->relation))
			dp_lock(((const DpRelation *) lfirst(cell))->oid);
	}
}

/* How many tables of a tree are released; those after the first are parts of it. */
static int
parts_of(const ReleasedTree *tree)
{
	return tree->prepared->tree != NULL ? tree->prepared->tree->tables : 1;
}

/* Tables of a tree are read with one key. */
static void
sources_prepare(ReleasedTree *tree)
{
	const DpTableTree *tables = tree->prepared->tree;
	DpTreeReader *reader;
	bytea *key;

	tree->source = dp_source_create(tree->prepared->relation, &tree->prepared->dataset,
									tree->prepared->request.unit.rows_max);
	if (tables == NULL)
		return;
	key = dp_source_key();
	reader = dp_tree_reader_create(tables);
	tree->part = palloc0(sizeof(DpSource *) * tables->tables);
	for (int i = 0; i < tables->tables; i++)
	{
		tree->part[i] = dp_source_of_tree(tables, i, key);
		tree->part[i]->reader = reader;
	}
	tree->source = tree->part[0];
}

/* The steps of one tree that can take long, or fail. */
static void
tree_preflight(ReleaseState *state, ReleasedTree *tree)
{
	Oid owner = dp_relation_owner(tree->request->relation);

	sources_prepare(tree);
	tree->name = dp_relation_label(tree->request->relation);
	tree->temp_limit = dp_worker_temp_limit(owner, state->temp_limit);
	temp_limit_set(tree);
	state->reading = true;
	dp_scan_find_distributed(tree->source, owner);
	for (int i = 1; i < parts_of(tree); i++)
		dp_scan_find_distributed(tree->part[i], owner);
	if (dp_scan_may_be_foreign(tree->request->relation))
		dp_scan_ask_servers(tree->source, owner);
	state->reading = false;
	dp_scan_check_shards(tree->source);
	state->reading = true;
	dp_scan_preflight(tree->source, owner);
	for (int i = 1; i < parts_of(tree); i++)
		dp_scan_preflight(tree->part[i], owner);
	state->reading = false;
}

/* The preparations, for what is about all of them. */
static DpPrepared **
prepared_of(const ReleaseState *state)
{
	DpPrepared **prepared = palloc(sizeof(DpPrepared *) * state->forest.trees);

	for (int i = 0; i < state->forest.trees; i++)
		prepared[i] = state->tree[i].prepared;
	return prepared;
}

/*
 * This is done before any row of the ledger is locked, and in a transaction of its own: a
 * domain can have millions of values, and a foreign server can take long, also to commit.
 */
static void
release_prepare(ReleaseState *state)
{
	DP_INJECTION_POINT("planning");
	state->temp_limit = pstrdup(GetConfigOption("temp_file_limit", false, false));
	for (int i = 0; i < state->forest.trees; i++)
		state->tree[i].prepared = dp_prepare_request(state->tree[i].request);
	dp_forest_check_budgets(prepared_of(state), state->forest.trees);
	lock_relations(state); /* one may have been protected anew, with another parent */
	for (int i = 0; i < state->forest.trees; i++)
		tree_preflight(state, &state->tree[i]);
	state->reading = true;
	transaction_commit();
	state->reading = false;
}

/* The release of a tree as the ledger writes it down. */
static DpLedgerLine
ledger_line(const ReleasedTree *tree)
{
	const DpReleaseRequest *request = tree->request;
	const DpPrepared *prepared = tree->prepared;

	return (DpLedgerLine){
		.dataset = &prepared->dataset,
		.payer = &prepared->payer,
		.relation = request->relation,
		.user = request->user,
		.method = request->method,
		.options = request->options,
		.row_type = request->row_type,
		.sets = request->sets,
		.unprotected = prepared->plan.method->unprotected,
		.cost = prepared->plan.cost,
	};
}

/* With the ledger's rows locked: what was prepared holds, the budgets cover it, nothing that is
 * read is out of reach. */
static void
release_check(ReleaseState *state)
{
	DpPrepared **prepared = prepared_of(state);

	for (int i = 0; i < state->forest.trees; i++)
		check_name(state, &state->tree[i]);
	lock_relations(state);
	dp_forest_lock(&state->forest, prepared);
	dp_forest_check_budgets(prepared, state->forest.trees);
	for (int i = 0; i < state->forest.trees; i++)
	{
		ReleasedTree *tree = &state->tree[i];
		Oid owner = dp_relation_owner(tree->request->relation);

		dp_scan_check_rights(tree->source, owner);
		for (int part = 1; part < parts_of(tree); part++)
			dp_scan_check_rights(tree->part[part], owner);
	}
}

/* false: the caller went away before anything was spent. */
static bool
release_debit(ReleaseState *state)
{
	DpBudgetNotification *notification = palloc(sizeof(DpBudgetNotification) * state->forest.trees);

	dp_running_stage("preparing the release");
	transaction_begin(false);
	MemoryContextSwitchTo(state->memory);
	lock_relations(state);
	release_prepare(state);

	/* that can have taken long: who has given up by now pays nothing */
	dp_running_stage("debiting the budget");
	DP_INJECTION_POINT("before the debit");
	if (dp_channel_caller_is_gone(state->channel))
		return false;
	transaction_begin(false);
	MemoryContextSwitchTo(state->memory);
	release_check(state);
	for (int i = 0; i < state->forest.trees; i++)
	{
		ReleasedTree *tree = &state->tree[i];

		tree->line = ledger_line(tree);
		tree->debit = dp_ledger_debit(&tree->line);
		notification[i] = dp_budget_notification(&tree->line, tree->debit);
	}
	DP_INJECTION_POINT("debit written");
	HOLD_INTERRUPTS(); /* who ends the worker learns whether the debit was committed */
	transaction_commit();
	DP_INJECTION_POINT("debit committed");
	state->debit = state->tree[0].debit;
	RESUME_INTERRUPTS();
	dp_channel_debited(state->channel, state->debit);
	dp_running_debited(state->debit);
	for (int i = 0; i < state->forest.trees; i++)
		dp_budget_notify(&notification[i]);
	DP_INJECTION_POINT("debit known");
	return true;
}

static bool
random_fill(void *context, void *buffer, size_t bytes)
{
	return pg_strong_random(buffer, bytes);
}

/* Counts one relation and adds noise. */
static void
source_measure(ReleaseState *state, const DpSource *source, DpPrepared *prepared,
			   const DpAttribute *const *taken, const DpParentPriors *parent_priors, DpMeter *meter,
			   DpModel *model)
{
	DpScan *scan = dp_scan_create(source, dp_relation_owner(source->relation->oid), state->memory);
	DpWorkerProgress progress;
	DpError error = {0};

	dp_scan_may_keep(scan, &prepared->request);
	dp_worker_progress_start(&progress, meter, state->job.estimated);
	/* whether memory or a limit suffices can depend on the data, so this error stays here */
	if (dp_measure(
			&(DpMeasurement){.plan = &prepared->plan,
							 .taken = taken,
							 .parent_priors = parent_priors,
							 .counter = dp_scan_counter(scan),
							 .noise = {.meter = meter, .rng = &state->rng, .tick = &progress.tick},
							 .arena = &prepared->arena,
							 .stage = dp_worker_progress_stage,
							 .stage_context = &progress},
			model, &error) != DP_OK)
		dp_raise(&error);
}

/* The attributes of a table's parent, which is measured, by those of the table. */
static const DpAttribute *const *
taken_by(const DpTreeTable *table, const DpModel *model)
{
	uint32 n = table->facts->domain.attributes;
	const DpAttribute **taken = palloc0(sizeof(DpAttribute *) * Max(n, 1));

	for (uint32 a = 0; a < n; a++)
		if (table->from_parent[a] >= 0)
			taken[a] = &model[table->parent].domain.attribute[table->from_parent[a]];
	return taken;
}

/* What the model of a relation's parent, which is measured, says of the relation's rows. */
static const DpParentPriors *
parent_priors_of(const DpTreeTable *table, const DpModel *model, DpArena *scratch)
{
	const DpModel *parent = &model[table->parent];
	const DpMethod *method = dp_method_called(parent->method);
	DpParentPriors *parent_priors = palloc(sizeof(DpParentPriors));
	uint32 *known = palloc(sizeof(uint32) * parent->domain.attributes);

	for (uint32 a = 0; a < parent->domain.attributes; a++)
		known[a] = UINT32_MAX;
	for (uint32 a = 0; a < table->facts->domain.attributes; a++)
		if (table->from_parent[a] >= 0)
			known[table->from_parent[a]] = a;
	*parent_priors = (DpParentPriors){
		.parent = parent,
		.sampler = method->sampler,
		.known = known,
		.count = (uint32) dp_domain_find(&parent->domain, dp_tree_count_name(table->name)),
		.siblings =
			(uint32) dp_domain_find(&table->facts->domain, dp_tree_siblings_name(table->name)),
		.full = table->full,
		.scratch = scratch};
	return parent_priors;
}

/* A table below the root. Its parent's model gives it priors, and is recalibrated to it. The fits
 * are gone afterwards. */
static void
part_measure(ReleaseState *state, const ReleasedTree *tree, int number, DpMeter *meter)
{
	const DpTreeTable *table = &tree->prepared->tree->table[number];
	DpModel *model = tree->model;
	MemoryContext fit = AllocSetContextCreate(CurrentMemoryContext, "dpsyn fit of a parent",
											  ALLOCSET_DEFAULT_SIZES);
	DpArena scratch = dp_arena_for(fit);
	const DpParentPriors *parent_priors = parent_priors_of(table, model, &scratch);
	DpWorkerProgress progress;
	DpError error = {0};

	source_measure(state, tree->part[number], tree->prepared->part[number], taken_by(table, model),
				   parent_priors, meter, &model[number]);
	dp_worker_progress_start(&progress, meter, state->job.estimated);
	if (dp_recalibrate(parent_priors, &model[number], table->full_row, &model[table->parent],
					   &progress.tick, &tree->prepared->arena, &error) != DP_OK)
		dp_raise(&error);
	MemoryContextDelete(fit);
}

/* Decides how rows of a table count, from the released model of its parent. */
static void
part_finalize(ReleasedTree *tree, int number)
{
	DpTableTree *tables = tree->prepared->tree;
	DpTreeTable *table = &tables->table[number];
	const DpSource *before = tree->part[number];

	dp_tree_count_full(tables, number, dp_source_full_rows(table, &tree->model[table->parent]));
	dp_prepare_part_again(tree->prepared->part[number], table);
	tree->part[number] = dp_source_of_tree(tables, number, before->key);
	tree->part[number]->distributed = before->distributed;
	tree->part[number]->planned = before->planned;
	tree->part[number]->reader = before->reader;
}

/*
 * No lock keeps a table from getting a partition or a child after the debit, whose rows the scan
 * then reads. This transaction has locked whatever it read, so that it is still there to be judged.
 */
static void
check_still_units(const DpPrepared *prepared)
{
	dp_dataset_check_view(&prepared->dataset);
	dp_check_public_lookups(prepared->relation);
}

/* What comes out is the noisy models alone: one for each table of the tree. A meter holds what its
 * root's budget was charged. */
static void
tree_measure(ReleaseState *state, ReleasedTree *tree)
{
	DpMeter meter;

	if (!OidIsValid(dp_relation_owner(tree->request->relation)))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE), errmsg("the relation was dropped meanwhile")));
	check_name(state, tree);
	temp_limit_set(tree);
	tree->model = MemoryContextAllocZero(state->memory, sizeof(DpModel) * parts_of(tree));
	dp_meter_init(&meter, tree->prepared->plan.cost);
	DP_INJECTION_POINT("counting");
	state->reading = true;
	source_measure(state, tree->source, tree->prepared, NULL, NULL, &meter, &tree->model[0]);
	for (int i = 1; i < parts_of(tree); i++)
	{
		part_finalize(tree, i);
		part_measure(state, tree, i, &meter);
	}
	state->reading = false;
}

/* One tree after the other, all under one snapshot. */
static void
release_measure(ReleaseState *state)
{
	dp_rng_init(&state->rng, random_fill, NULL);
	for (int i = 0; i < state->forest.trees; i++)
		tree_measure(state, &state->tree[i]);
	dp_rng_wipe(&state->rng);
	DP_INJECTION_POINT("measured");
	for (int i = 0; i < state->forest.trees; i++)
	{
		check_name(state, &state->tree[i]);
		check_still_units(state->tree[i].prepared);
	}
}

static void
part_keep(const ReleasedTree *tree, int number)
{
	const DpTableTree *tables = tree->prepared->tree;
	const DpTreeTable *table = &tables->table[number];
	DpPrepared *prepared = tree->prepared->part[number];

	dp_release_keep_part(tree->debit,
						 &(DpReleasePart){.number = number,
										  .parent = table->parent,
										  .relation = table->relation,
										  .name = table->name,
										  .root_name = tables->table[0].name,
										  .reference = table->reference,
										  .derived = dp_derived_to_json(prepared->relation),
										  .fill = dp_tree_fill(tables, number)},
						 &tree->model[number], &prepared->arena);
}

/* The names of the public tables that a tree stands on. */
static List *
public_relations_of(const ReleasedTree *tree)
{
	List *relations = dp_public_tables(tree->prepared->relation), *names = NIL;
	ListCell *cell;

	for (int i = 1; i < parts_of(tree); i++)
		relations =
			list_concat_unique_oid(relations, dp_public_tables(tree->prepared->part[i]->relation));
	foreach (cell, relations)
		names = lappend(names, dp_relation_label(lfirst_oid(cell)));
	return names;
}

static void
tree_keep(const ReleaseState *state, ReleasedTree *tree)
{
	tree->line.derived = dp_derived_to_json(tree->prepared->relation);
	tree->line.fill = dp_fill_to_json(tree->prepared->relation);
	tree->line.public_relations = public_relations_of(tree);
	tree->line.forest = state->forest.trees > 1 ? state->debit : 0;
	dp_release_keep(tree->debit, &tree->line, &tree->model[0], &tree->prepared->arena);
	for (int i = 1; i < parts_of(tree); i++)
		part_keep(tree, i);
	dp_ledger_outcome(tree->debit, &tree->line, "released", state->started);
}

static void
release_read_and_keep(ReleaseState *state)
{
	SetConfigOption("lock_timeout", SCAN_LOCK_TIMEOUT, PGC_SUSET, PGC_S_OVERRIDE);
	transaction_begin(true);
	MemoryContextSwitchTo(state->memory);
	release_measure(state);
	dp_running_stage("storing the release");
	for (int i = 0; i < state->forest.trees; i++)
		tree_keep(state, &state->tree[i]);
	DP_INJECTION_POINT("release written");
	HOLD_INTERRUPTS();     /* a release that is stored is not called failed */
	state->reading = true; /* foreign servers commit too, in words of their own */
	transaction_commit();
	state->reading = false;
	DP_INJECTION_POINT("release committed");
	state->recorded = true;
	state->released = true;
	RESUME_INTERRUPTS();
	DP_INJECTION_POINT("release known");
	dp_lock_end();
}

/* Says in the ledger that nothing came of the debits, which stand. */
static void
record_failure(ReleaseState *state)
{
	if (state->debit == 0 || state->recorded)
		return;
	PG_TRY();
	{
		transaction_begin(false);
		MemoryContextSwitchTo(state->memory);
		for (int i = 0; i < state->forest.trees; i++)
		{
			DpLedgerLine line = ledger_line(&state->tree[i]);

			dp_ledger_outcome(state->tree[i].debit, &line, "failed", state->started);
		}
		transaction_commit();
		state->recorded = true;
	}
	PG_CATCH();
	{
		EmitErrorReport();
		FlushErrorState();
		AbortCurrentTransaction();
	}
	PG_END_TRY();
}

/* The detail of an error, followed by what the error means for the budget unless the detail already
 * says so. */
static const char *
detail_of(const ReleaseState *state, const ErrorData *error)
{
	const char *words = words_of_spending(state);

	if (error->detail == NULL)
		return words;
	return strstr(error->detail, words) ? error->detail : psprintf("%s %s", error->detail, words);
}

/* A debit has one outcome. Who comes second fails by this index. */
static bool
is_refunded(const ReleaseState *state, const ErrorData *error)
{
	return state->debit != 0 && error->sqlerrcode == ERRCODE_UNIQUE_VIOLATION &&
		   error->constraint_name != NULL &&
		   strcmp(error->constraint_name, "dp_ledger_entry_refund_idx") == 0;
}

static void
report_failure(ReleaseState *state, const ErrorData *error, bool was_reading)
{
	if (state->released) /* what fails after the commit takes nothing back */
		dp_channel_send_released(state->channel, state->debit);
	else if ((error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE ||
			  error->sqlerrcode == ERRCODE_T_R_DEADLOCK_DETECTED) &&
			 state->debit == 0)
		dp_channel_send_error(
			state->channel, ERRCODE_LOCK_NOT_AVAILABLE, "the relation or its ledger is locked",
			"The release worker, another process, waited for it in vain. Nothing was spent.",
			"If this session created, altered or locked the relation, commit first.");
	else if (is_refunded(state, error) && !was_reading)
		dp_channel_send_error(state->channel, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
							  "the custodian refunded the release while it was made",
							  "Nothing was released.", "Ask again.");
	else if (was_reading && !dp_names_changed() && !dp_code_gate_refused(error))
		dp_channel_send_error(
			state->channel, ERRCODE_DATA_EXCEPTION,
			state->debit == 0 ? "the relation cannot be read"
							  : "the release failed while the relation was read",
			psprintf("%s The reason is kept from this session, since it may hold a "
					 "value of the relation.",
					 words_of_spending(state)),
			"The custodian finds it in the server log.");
	else
		dp_channel_send_error(state->channel, error->sqlerrcode, error->message,
							  detail_of(state, error), error->hint);
}

static void
release_run(ReleaseState *state)
{
	PG_TRY();
	{
		if (release_debit(state))
		{
			release_read_and_keep(state);
			dp_running_leave(); /* who is answered has a place for its next release */
			dp_channel_send_released(state->channel, state->debit);
		}
	}
	PG_CATCH();
	{
		bool was_reading = state->reading;
		ErrorData *error;

		MemoryContextSwitchTo(state->memory);
		error = CopyErrorData();
		EmitErrorReport();
		FlushErrorState();
		AbortCurrentTransaction();
		MemoryContextSwitchTo(state->memory);
		dp_rng_wipe(&state->rng);
		record_failure(state);
		dp_running_leave();
		report_failure(state, error, was_reading);
	}
	PG_END_TRY();
	state->finished = true;
}

/* ---- the ways out ---- */

/*
 * Runs before the process ends, however that comes about: PostgreSQL calls it while there is still
 * a session. First it gives back the locks, which nobody else would. Then, if the work was cut
 * short, it finishes the books.
 */
static void
finalize_at_exit(int code, Datum argument)
{
	ReleaseState *state = (ReleaseState *) DatumGetPointer(argument);

	AbortOutOfAnyTransaction();
	dp_lock_end();
	dp_rng_wipe(&state->rng);
	/* a process that ends must not wait for a standby, and this line is no debit */
	SetConfigOption("synchronous_commit", "local", PGC_SUSET, PGC_S_OVERRIDE);
	record_failure(state);
}

/* Runs after that: a caller that still waits learns how the work was cut short. */
static void
answer_at_exit(int code, Datum argument)
{
	ReleaseState *state = (ReleaseState *) DatumGetPointer(argument);

	MemoryContextSwitchTo(state->memory);
	if (state->finished)
		return;
	if (state->released)
		dp_channel_send_released(state->channel, state->debit);
	else if (dp_running_cancelled())
		dp_channel_send_error(state->channel, ERRCODE_QUERY_CANCELED,
							  "the release was cancelled with dp_cancel", words_of_spending(state),
							  NULL);
	else if (timed_out)
		dp_channel_send_error(
			state->channel, ERRCODE_QUERY_CANCELED,
			"the release took longer than dpsyn.release_timeout",
			psprintf("The limit is %d s. %s", state->job.timeout_seconds, words_of_spending(state)),
			"A superuser can raise it.");
	else
		dp_channel_send_error(state->channel, ERRCODE_ADMIN_SHUTDOWN,
							  "the release worker was terminated", words_of_spending(state), NULL);
}

/* Ends the worker as dp_cancel does, in a way that no code of the relation's owner can catch. */
static void
timeout_strikes(void)
{
	timed_out = true;
	kill(MyProcPid, SIGTERM);
}

static void
timeout_start(int seconds)
{
	TimeoutId timeout = RegisterTimeout(USER_TIMEOUT, timeout_strikes);

	if (seconds > 0)
		enable_timeout_after(timeout, seconds * 1000);
}

void
dp_release_worker_main(Datum argument)
{
	ReleaseState *state;

	pqsignal(SIGTERM, die);
	BackgroundWorkerUnblockSignals();

	state = MemoryContextAllocZero(TopMemoryContext, sizeof(ReleaseState));
	state->memory =
		AllocSetContextCreate(TopMemoryContext, "dpsyn release", ALLOCSET_DEFAULT_SIZES);
	state->started = GetCurrentTimestamp();
	MemoryContextSwitchTo(state->memory);
	state->channel = dp_channel_open(DatumGetUInt32(argument), &state->job, &state->forest);
	if (state->channel == NULL || !dp_running_start(&state->job.place))
		proc_exit(0); /* the caller is gone, nothing was spent */
	state->tree = palloc0(sizeof(ReleasedTree) * state->forest.trees);
	for (int i = 0; i < state->forest.trees; i++)
		state->tree[i].request = &state->forest.tree[i];

	before_shmem_exit(answer_at_exit, PointerGetDatum(state));
	/*
	 * Without a user nothing applies that the caller has set for itself. What the database
	 * or the bootstrap superuser has set does, until it is pinned.
	 */
	BackgroundWorkerInitializeConnectionByOid(state->job.database, InvalidOid, 0);
	before_shmem_exit(finalize_at_exit, PointerGetDatum(state));
	dp_worker_settings_pin();
	dp_code_gate_close_for_worker();
	timeout_start(state->job.timeout_seconds);
	pgstat_report_activity(STATE_RUNNING, "dpsyn release");
	release_run(state);
	proc_exit(0);
}
