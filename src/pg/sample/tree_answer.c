/*
 * tree_answer.c -- rows of a table that was released with its root, drawn to be counted.
 *
 * The tables of such a release count the rows of one parent as one in all, so no sum of their cells
 * is a number of rows. Rows that are drawn are what dp_sample would give, and more of them, so that
 * what chance adds to a count is small beside the noise of the release.
 */
#include "pg/sample/tree_answer.h"

#include <math.h>

#include "utils/memutils.h"

typedef struct Request
{
	DpStored *root;
	List *parts;
	DpStoredPart *part;
} Request;

static DpDrawJob *
job_create(const Request *request)
{
	DpDrawJob *job = palloc0(sizeof(DpDrawJob));

	job->stored = &request->part->stored;
	job->seed = DP_SIMULATED_SEED;
	job->set = 1;
	job->rows = DP_SIMULATED_ROWS;
	dp_job_view_set(job);
	dp_progress_start(&job->progress, "preparing to draw rows");
	job->tree = dp_tree_rows_create(job, request->root, request->parts, request->part->number);
	dp_progress_start(&job->progress, "drawing rows");
	return job;
}

/* Draws rows until the capacity is full, or no rows of the root are left: of which it returns how
 * many belong to a row of the root, on average. */
static double
fill_drawn(DpDrawJob *job, const DpAttributeSet *kept, DpMonteCarlo *drawn)
{
	uint64 blocks = dp_job_blocks(job);
	uint64 rows = 0, root_rows = 0;

	for (uint64 block = 0; block < blocks && rows < drawn->rows; block++)
	{
		DpTreeBlock of = dp_tree_rows_block(job->tree, block, &job->progress.tick);
		uint64 left = rows < drawn->rows ? drawn->rows - rows : 0;

		dp_monte_carlo_keep(drawn, kept, kept->n, of.codes, rows, Min(of.rows, left));
		rows += of.rows;
		root_rows += of.root_rows;
		dp_tick(&job->progress.tick, (double) Min(rows, drawn->rows) / drawn->rows);
	}
	drawn->rows = Min(rows, drawn->rows);
	return (double) rows / root_rows;
}

static void
make_drawn(void *context, DpFitted *fitted, DpArena *arena)
{
	const Request *request = context;
	MemoryContext work =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn tree", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);
	uint32 n = fitted->model.domain.attributes;
	uint32 *all = palloc(sizeof(uint32) * Max(n, 1));
	DpAttributeSet kept = {n, all};
	DpError error = {0};

	for (uint32 a = 0; a < n; a++)
		all[a] = a;
	error.status = dp_monte_carlo_allocate(&fitted->model.domain, &kept, DP_SIMULATED_ROWS,
										   &fitted->drawn, arena);
	if (error.status != DP_OK)
		dp_raise(&error);
	fitted->model.rows = (int64) rint(fill_drawn(job_create(request), &kept, &fitted->drawn) *
									  (double) request->root->model.rows);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
}

const DpFitted *
dp_tree_drawn_get(DpStored *root, List *parts, DpStoredPart *part)
{
	Request request = {root, parts, part};

	return dp_drawn_get_made(&part->stored, 1, (DpDrawnMaker){make_drawn, &request});
}
