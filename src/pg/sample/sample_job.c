/*
 * sample_job.c -- the job of drawing what a caller of dp_sample asked for, and all of its rows at
 * once: they go into a tuplestore, which spills beyond work_mem, and parallel workers
 * (sample_parallel.c) draw them if they are many and take long to draw.
 */
#include "pg/sample/sample_job.h"

#include "access/xact.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "optimizer/cost.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "pg/sample/sample_parallel.h"
#include "pg/sample/target.h"
#include "pg/sample/tree_rows.h"
#include "pg/server/dpsyn.h"

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

DpDrawJob *
dp_sample_job(const DpSampleArguments *arguments, TupleDesc row)
{
	DpDrawJob *job = palloc0(sizeof(DpDrawJob));
	Oid relation = expected_relation(arguments, row);
	DpStored *root = dp_stored_of(arguments->release, relation);
	List *parts = dp_stored_parts(root);
	DpStoredPart *part = dp_part_of_relation(root, parts, relation);

	job->stored = part != NULL ? &part->stored : root;
	if (part != NULL && arguments->given != NULL)
		refuse_given(part);
	if (arguments->relation != NULL)
		dp_check_release_of(job->stored, arguments->relation);
	if (arguments->set < 1 || arguments->set > job->stored->sets)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("release " INT64_FORMAT " has no set %d", arguments->release,
							   arguments->set),
						errdetail("It has sets 1 to %d.", job->stored->sets)));
	job->row = BlessTupleDesc(CreateTupleDescCopy(row));
	job->decoder = dp_decoder_create(&job->stored->model.domain, job->stored->derived, job->row);
	job->placeholders =
		dp_placeholders_create(job->stored->fill, &job->stored->model.domain, job->row);
	job->rules =
		dp_row_rules_create(&job->stored->model.domain, job->decoder, job->placeholders, job->row);
	dp_note_absent(job->stored, job->decoder, job->rules, job->row);
	job->seed = arguments->seed;
	job->set = arguments->set;
	read_condition(job, arguments->given);
	dp_job_view_set(job);
	job->rows = arguments->rows >= 0 ? arguments->rows
				: part != NULL       ? root->model.rows
									 : job->model.rows;
	check_rows_held(job);
	if (parts != NIL)
		dp_placeholders_key(job->placeholders,
							&(DpFillKey){.seed = job->seed,
										 .set = job->set,
										 .table = part != NULL ? part->number : 0});
	if (part != NULL)
	{
		for (int i = 0; i < part->references; i++)
		{
			DpReferred referred = dp_part_refers(parts, part, i);

			dp_placeholders_refer(job->placeholders, part->refers_by[i], referred.up,
								  referred.table, referred.column);
		}
	}
	else
		job->rows = dp_placeholders_rows(job->placeholders, job->rows, arguments->rows >= 0);
	dp_job_want(job, arguments->part, arguments->parts);
	job->tries =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn row again", ALLOCSET_DEFAULT_SIZES);
	job->scratch =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn rows", ALLOCSET_DEFAULT_SIZES);
	dp_progress_start(&job->progress, "preparing to draw rows");
	if (part != NULL)
		job->tree = dp_tree_rows_create(job, root, parts, part->number);
	else
	{
		dp_job_prepare_own(job);
		dp_job_begin(job);
	}
	dp_progress_start(&job->progress, "drawing rows");
	return job;
}

/* ---- all of its rows ---- */

/* For fewer elementary draws than this, starting workers takes longer than it saves. */
#define PARALLEL_DRAWS_MIN UINT64CONST(5000000)
#define PARALLEL_DRAWS_A_ROW 16
#define PARALLEL_BLOCKS_PER_WORKER 4

int
dp_job_workers(const DpDrawJob *job)
{
	int workers = dpsyn_max_parallel_workers < 0 ? max_parallel_workers_per_gather
												 : dpsyn_max_parallel_workers;
	const DpSampler *sampler = job->stored->method->sampler;
	uint64 blocks = job->end_block - job->first_block;
	uint64 cost = sampler->draw_cost(&job->stored->model,
									 job->drawer.sampler == sampler ? job->drawer.state : NULL);

	/* a row of few draws takes longer to send than to draw; workers know no condition */
	if (job->condition.any || IsInParallelMode() || cost < PARALLEL_DRAWS_A_ROW ||
		blocks * DP_BLOCK_ROWS < PARALLEL_DRAWS_MIN / cost)
		return 0;
	return (int) Min((uint64) workers, blocks / PARALLEL_BLOCKS_PER_WORKER);
}

void
dp_job_run(DpDrawJob *job, int workers, Tuplestorestate *store)
{
	if (job->tree != NULL)
		dp_tree_rows_emit(job->tree, job, store);
	else if (workers > 0)
		dp_job_run_parallel(job, workers, store);
	else
		dp_job_run_serial(job, job->first_block, job->end_block, store);
}
