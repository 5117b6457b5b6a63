/*
 * sample_job.c -- the job of drawing what a caller of dp_sample asked for, and all of its rows at
 * once: they go into a tuplestore, which spills beyond work_mem, and parallel workers draw them if
 * they are many and take long to draw (draw_parallel.c).
 */
#include "pg/sample/sample_job.h"

#include "access/xact.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "optimizer/cost.h"
#include "pg/domain/derived.h"
#include "pg/sample/base_rows.h"
#include "pg/sample/draw_parallel.h"
#include "pg/sample/target.h"
#include "pg/sample/tree_rows.h"
#include "pg/server/dpsyn.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"
#include "utils/tuplestore.h"

/*
 * ERROR for more rows than the release has, where they were drawn behind the wall, each at a price.
 */
static void
check_rows_held(const DpDrawJob *job)
{
	if (!dp_model_holds_rows(&job->model) || job->rows <= (uint64) job->model.rows)
		return;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("the release holds " INT64_FORMAT " rows", job->model.rows),
					errdetail("They are the release itself, and were paid for one by one."),
					errhint("Ask for as many rows at most; others need another release.")));
}

/* A bin that a range cuts is drawn from inside of the range. */
static void
read_condition(DpDrawJob *job, Jsonb *given)
{
	DpCondition *condition = &job->condition;

	dp_condition_read(&job->stored->model.domain, given, condition);
	for (uint32 a = 0; a < job->stored->model.domain.attributes; a++)
	{
		if (condition->low[a] == NULL && condition->high[a] == NULL)
			continue;
		if (job->stored->model.domain.attribute[a].range != NULL)
			dp_decoder_restrict_range(job->decoder, (int) a, condition->first[a],
									  condition->last[a]);
		else
			dp_decoder_restrict(job->decoder, (int) a, condition->low[a], condition->high[a],
								condition->closed[a]);
	}
}

/* Whose rows are asked for; InvalidOid: nothing tells. */
static Oid
expected_relation(const DpSampleArguments *arguments, TupleDesc row)
{
	if (arguments->relation != NULL)
		return dp_relation_named(arguments->relation);
	return get_typ_typrelid(row->tdtypeid);
}

static DP_NORETURN void
refuse_given(const DpStoredPart *part)
{
	ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					errmsg("rows of relation \"%s\" cannot be drawn under a condition", part->name),
					errdetail("They belong to rows of another relation of the release."),
					errhint("Draw rows, and keep those that meet the condition.")));
}

/* A release, and the table of it whose rows are drawn. */
typedef struct Drawn
{
	const DpSampleArguments *arguments;
	DpStored *root;
	List *parts;
	DpStoredPart *part; /* NULL: the root */
} Drawn;

/* What turns the codes of a table into rows of a type. */
static DpDrawJob *
job_of_rows(const Drawn *drawn, TupleDesc row)
{
	DpDrawJob *job = palloc0(sizeof(DpDrawJob));
	const DpDomain *domain;

	job->stored = drawn->part != NULL ? &drawn->part->stored : drawn->root;
	domain = &job->stored->model.domain;
	job->row = BlessTupleDesc(CreateTupleDescCopy(row));
	job->decoder = dp_decoder_create(domain, job->stored->derived, job->row);
	job->placeholders = dp_placeholders_create(job->stored->fill, domain, job->row);
	job->rules = dp_row_rules_create(domain, job->decoder, job->placeholders, job->stored->derived,
									 job->row);
	job->seed = drawn->arguments->seed;
	job->set = drawn->arguments->set;
	job->tries =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn row again", ALLOCSET_DEFAULT_SIZES);
	job->scratch =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn rows", ALLOCSET_DEFAULT_SIZES);
	dp_job_view_set(job);
	return job;
}

/* What rows hold that refers to rows of other tables, and what these hold of them. */
static void
job_keys(const Drawn *drawn, DpDrawJob *job)
{
	DpStoredPart *part = drawn->part;

	dp_placeholders_key(
		job->placeholders,
		&(DpFillKey){.seed = job->seed, .set = job->set, .table = part != NULL ? part->number : 0});
	for (int i = 0; part != NULL && i < part->references; i++)
	{
		DpReferred referred = dp_part_refers(drawn->parts, part, i);

		dp_placeholders_refer(job->placeholders, part->refers_by[i], referred.up, referred.table,
							  referred.column);
	}
}

/*
 * The type of rows that others belong to: of the table that is called so in the schema into whose
 * table the others are drawn, or else of the relation that was released.
 */
static TupleDesc
row_above(TupleDesc row, Oid released_here, const char *name, Oid released)
{
	Oid here = row->tdtypeid == RECORDOID ? InvalidOid : get_typ_typrelid(row->tdtypeid);
	Oid beside = InvalidOid;

	if (OidIsValid(here) && here != released_here)
		beside = get_relname_relid(name, get_rel_namespace(here));
	if (OidIsValid(beside) && OidIsValid(get_rel_type_id(beside)))
		return lookup_rowtype_tupdesc_copy(get_rel_type_id(beside), -1);
	if (!OidIsValid(released))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("there is no table \"%s\", from whose rows distances are", name),
				 errdetail("The relation of the release was dropped."),
				 errhint("Draw into a table that stands in a schema with one of that name.")));
	return lookup_rowtype_tupdesc_copy(get_rel_type_id(released), -1);
}

static void job_ready(const Drawn *drawn, DpDrawJob *job);

/* The table of this name that rows of a part belong to, and its rows. */
static DpBaseTable *
base_table(const Drawn *drawn, const DpDrawJob *job, const char *name)
{
	DpBaseTable *table = palloc0(sizeof(DpBaseTable));
	Drawn above = *drawn;

	table->name = name;
	for (table->up = 0; above.part != NULL; table->up++)
	{
		const DpStoredPart *below = above.part;
		TupleDesc row;

		above.part =
			below->parent > 0 ? (DpStoredPart *) list_nth(above.parts, below->parent - 1) : NULL;
		if (strcmp(above.part != NULL ? above.part->name : below->root_name, name) != 0)
			continue;
		row = row_above(job->row, drawn->part->relation, name,
						above.part != NULL ? above.part->relation : above.root->relation);
		table->job = job_of_rows(&above, row);
		table->job->rows = job->rows;
		read_condition(table->job, NULL);
		job_keys(&above, table->job);
		dp_job_want(table->job, 1, 1);
		job_ready(&above, table->job);
		return table;
	}
	elog(ERROR, "dpsyn: a release has distances from a table that it lacks");
}

/* Makes ready to draw codes, and what the rows' distances are from. */
static void
job_ready(const Drawn *drawn, DpDrawJob *job)
{
	List *tables = NIL;
	ListCell *cell;

	dp_progress_start(&job->progress, "preparing to draw rows");
	if (drawn->part == NULL)
	{
		dp_job_prepare_own(job);
		return;
	}
	foreach (cell, dp_base_tables(job->decoder))
		tables = lappend(tables, base_table(drawn, job, lfirst(cell)));
	if (tables != NIL)
		job->bases = dp_base_source(job, tables);
	job->tree = dp_tree_rows_create(job, drawn->root, drawn->parts, drawn->part->number);
}

/* Whether nothing is modelled but how many rows there are. */
static bool
is_of_rows_alone(const DpDomain *domain)
{
	return domain->attributes == 1 && domain->attribute[0].levels == 1;
}

DpDrawJob *
dp_sample_job(const DpSampleArguments *arguments, TupleDesc row)
{
	Oid relation = expected_relation(arguments, row);
	Drawn drawn = {arguments, dp_stored_of(arguments->release, relation), NIL, NULL};
	const DpStored *stored;
	DpDrawJob *job;

	drawn.parts = dp_stored_parts(drawn.root);
	drawn.part = dp_part_of_relation(drawn.root, drawn.parts, relation);
	stored = drawn.part != NULL ? &drawn.part->stored : drawn.root;
	if (drawn.part != NULL && arguments->given != NULL)
		refuse_given(drawn.part);
	if (arguments->relation != NULL)
		dp_check_release_of(stored, arguments->relation);
	if (arguments->set < 1 || arguments->set > stored->sets)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("release " INT64_FORMAT " has no set %d", arguments->release,
							   arguments->set),
						errdetail("It has sets 1 to %d.", stored->sets)));
	job = job_of_rows(&drawn, row);
	/* a table of keys has no attributes, and a root may have only its child rows, or be alone */
	if ((drawn.parts == NIL && !is_of_rows_alone(&stored->model.domain)) ||
		!dp_placeholders_fill_any(job->placeholders))
		dp_decoder_expect_columns(job->decoder);
	dp_note_absent(job->stored, job->decoder, job->rules, job->row);
	read_condition(job, arguments->given);
	job->rows = arguments->rows >= 0 ? arguments->rows
				: drawn.part != NULL ? drawn.root->model.rows
									 : job->model.rows;
	check_rows_held(job);
	job_keys(&drawn, job);
	if (drawn.part == NULL)
		job->rows = dp_placeholders_rows(job->placeholders, job->rows, arguments->rows >= 0);
	dp_job_want(job, arguments->part, arguments->parts);
	job_ready(&drawn, job);
	if (drawn.part == NULL)
		dp_job_begin(job);
	dp_progress_start(&job->progress, "drawing rows");
	return job;
}

/* ---- all of its rows ---- */

/* For fewer elementary draws than this, starting workers takes longer than it saves. */
#define PARALLEL_DRAWS_MIN UINT64CONST(5000000)
#define PARALLEL_DRAWS_A_ROW 16
#define PARALLEL_BLOCKS_PER_WORKER 4

/* The models that are sent to workers, and a block that they send. */
#define PARALLEL_BYTES_MAX ((Size) 256 * 1024 * 1024)

/* Whether workers can draw a tree: they make no rows, and the leader can make no subtransactions. */
static bool
tree_is_sent(const DpDrawJob *job)
{
	return job->bases == NULL && !dp_row_rules_can_fail(job->rules) &&
		   dp_tree_rows_model_bytes(job->tree) <= PARALLEL_BYTES_MAX &&
		   dp_tree_rows_block_bytes(job->tree) <= PARALLEL_BYTES_MAX;
}

/* The elementary draws of the wanted rows, as far as they are worth workers: a row of few draws takes
 * longer to send than to draw. */
static uint64
draws_worth_workers(const DpDrawJob *job)
{
	const DpSampler *sampler = job->stored->method->sampler;
	uint64 blocks = job->end_block - job->first_block, cost;

	if (job->tree != NULL)
		return tree_is_sent(job) ? blocks * (dp_tree_rows_block_bytes(job->tree) / sizeof(uint32))
								 : 0;
	cost = sampler->draw_cost(&job->stored->model,
							  job->drawer.sampler == sampler ? job->drawer.state : NULL);
	return cost >= PARALLEL_DRAWS_A_ROW ? blocks * DP_BLOCK_ROWS * cost : 0;
}

int
dp_job_workers(const DpDrawJob *job)
{
	int workers = dpsyn_max_parallel_workers < 0 ? max_parallel_workers_per_gather
												 : dpsyn_max_parallel_workers;
	uint64 blocks = job->end_block - job->first_block;

	/* workers know no condition */
	if (job->condition.any || IsInParallelMode() || draws_worth_workers(job) < PARALLEL_DRAWS_MIN)
		return 0;
	return (int) Min((uint64) workers, blocks / PARALLEL_BLOCKS_PER_WORKER);
}

void
dp_job_run(DpDrawJob *job, int workers, Tuplestorestate *store)
{
	if (workers > 0)
		dp_job_run_parallel(job, workers, store);
	else if (job->tree != NULL)
		dp_tree_rows_emit(job->tree, job, store);
	else
		dp_job_run_serial(job, job->first_block, job->end_block, store);
}
