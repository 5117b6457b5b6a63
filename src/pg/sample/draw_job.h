/*
 * draw_job.h -- rows of a release, block by block, in whichever process draws them.
 *
 * Post-processing: runs in the caller's backend and its parallel workers, on what was released.
 */
#ifndef DPSYN_DRAW_JOB_H
#define DPSYN_DRAW_JOB_H

#include "pg/server/compat.h"

#include "utils/tuplestore.h"

#include "core/sample/draw.h"
#include "pg/sample/condition.h"
#include "pg/sample/decode.h"
#include "pg/sample/placeholder_rows.h"
#include "pg/sample/row_rules.h"
#include "pg/sample/store.h"
#include "pg/server/bridge.h"

/* Where rows go. number: of the row in its table, counting from 1; values last until the call
 * ends. */
typedef struct DpRowSink
{
	void (*put)(void *state, uint64 number, Datum *values, bool *nulls);
	void *state;
} DpRowSink;

/* What distances are from that are columns of other tables' rows (base_rows.h). */
typedef struct DpBaseSource
{
	/* Makes the rows of a block of the root's that rows belong to; blocks come in their order. */
	void (*block)(void *state, uint64 block);
	/* Gives the decoder what the next rows are from. above: the rows that they belong to, their
	 * parent's first. */
	void (*give)(void *state, DpDecoder *decoder, const DpPatternRow *above);
	void *state;
} DpBaseSource;

typedef struct DpDrawJob
{
	DpStored *stored;
	uint64 seed;
	uint64 set; /* counts from 1 */
	uint64 rows;
	uint64 first_block, end_block; /* what is wanted of them: blocks first_block..end_block - 1 */
	DpCondition condition;         /* what the rows are to meet */
	DpModel model;                 /* of that set */
	DpDrawer drawer;
	/* only where codes become rows */
	DpDecoder *decoder;
	DpPlaceholders *placeholders;
	DpRowRules *rules; /* NULL: none */
	TupleDesc row;
	struct DpTreeRows
		*tree; /* rows belong to rows of other tables (tree_rows.h); NULL: they do not */
	const DpBaseSource *bases; /* NULL: no distance is from a column of theirs */
	DpProgress progress;
	MemoryContext tries;   /* of a row that is drawn again; emptied after each */
	MemoryContext scratch; /* emptied after each block */
} DpDrawJob;

/* Fills model from stored and set. */
extern void dp_job_view_set(DpDrawJob *job);
/* Says that the rows of one of so many parts are wanted, part counting from 1. The parts are runs
 * of blocks, one behind the other. */
extern void dp_job_want(DpDrawJob *job, int32 part, int32 parts);
/* Fills drawer, for job->rows rows. tick: of the process that draws. */
extern void dp_job_prepare(DpDrawJob *job, const DpTick *tick);

extern uint64 dp_job_blocks(const DpDrawJob *job);
/* Rows of a block. The last one may be short. */
extern uint32 dp_job_block_rows(const DpDrawJob *job, uint64 block);
/* What share of the wanted blocks stands before one of them. */
extern double dp_job_share(const DpDrawJob *job, uint64 block);
/* How many of the rows are in the first so many blocks. */
extern uint64 dp_job_rows_before(const DpDrawJob *job, uint64 blocks);
/* Memory for the codes of a block. */
extern Size dp_job_block_bytes(const DpDrawJob *job);
/* ERROR: the release cannot be drawn from under a condition. */
extern DP_NORETURN void dp_raise_unconditional(const DpStored *stored);
/* The same in the process that the release was asked from: fits are kept for the session. Only here
 * the condition counts. */
extern void dp_job_prepare_own(DpDrawJob *job);

/* Draws the codes of a block, row by row. tick: of the process that draws. */
extern void dp_job_draw(const DpDrawJob *job, uint64 block, uint32 *codes, const DpTick *tick);

/* The rows of a block, one after the other. */
typedef struct DpRowStream
{
	const uint32 *codes; /* [rows x attributes] */
	uint32 rows;
	uint32 next;
	uint64 number; /* of the next row; counts from 1 */
	DpPrng bins;   /* places values inside their bins */
	DpPrng fill;   /* makes values of columns that are not modelled */
	DpPrng again;  /* draws again what breaks a rule */
	/* the next row has this value there, unless it breaks a rule with it; -1: nothing is chosen */
	int chosen_column;
	Datum chosen;
	/* rows that were made ahead, all in one subtransaction, where rules can fail */
	uint32 ahead; /* how many are to be made at once; 0: none */
	bool alone;   /* the next row is made by itself: made ahead, it failed */
	uint32 made;
	uint32 taken;       /* of them */
	Datum *made_values; /* [made x columns], in the job's scratch memory */
	bool *made_nulls;
} DpRowStream;

/* Codes of a row of a model that says nothing: every level is as probable as any other. */
extern void dp_even_codes(const DpDomain *domain, DpPrng *prng, uint32 *codes);
/* Draws rows until one keeps the rules that are not soft; false: no tries are left
 * (dp_row_rules_try). */
extern bool dp_job_try_row(const DpDrawJob *job, DpRowStream *stream, Datum *values, bool *nulls);

/* Starts at rows of any number that belong to a block, with the number of the first of them. */
extern void dp_job_stream(const DpDrawJob *job, uint64 block, const uint32 *codes, uint32 rows,
						  uint64 first, DpRowStream *stream);
/* Starts at the first row of a block with these codes. */
extern void dp_job_rows(const DpDrawJob *job, uint64 block, const uint32 *codes,
						DpRowStream *stream);
/* The next row, which keeps the rules of the row type's table, and the codes that it was drawn
 * with, valid until the next call. ERROR if none is found. */
extern const uint32 *dp_job_row(const DpDrawJob *job, DpRowStream *stream, Datum *values,
								bool *nulls);
/* The codes of the next row alone, for a job whose rows are decided by them. */
extern const uint32 *dp_job_codes(const DpDrawJob *job, DpRowStream *stream);
/* What a row must be besides keeping the rules. */
typedef struct DpRowWanted
{
	bool (*fits)(const void *context, const Datum *values, const bool *nulls);
	const void *context;
	int tries_of_values; /* that the codes of the row leave open */
	int tries_of_rows;   /* of other codes */
} DpRowWanted;

/* Draws another row in place of the one that was drawn last, with these codes: with other values
 * first, then with other codes. false: none is found, and the row is anything. */
extern bool dp_job_row_again(const DpDrawJob *job, DpRowStream *stream, const uint32 *codes,
							 const DpRowWanted *wanted, Datum *values, bool *nulls);
/* Makes ready to draw from first_block on. */
extern void dp_job_begin(DpDrawJob *job);
/* The same once more, after blocks were drawn. */
extern void dp_job_begin_again(DpDrawJob *job);
/* Makes the rows of a block, from their codes. */
extern void dp_job_make(DpDrawJob *job, uint64 block, const uint32 *codes, const DpRowSink *sink);
/* A sink that is a store of rows of the job's type. */
typedef struct DpStoreSink
{
	DpRowSink sink;
	const DpDrawJob *job;
	Tuplestorestate *store;
} DpStoreSink;

extern const DpRowSink *dp_store_sink(DpStoreSink *sink, const DpDrawJob *job,
									  Tuplestorestate *store);
/* Puts the rows of a block, from their codes, into store, and reports progress. */
extern void dp_job_emit(DpDrawJob *job, uint64 block, const uint32 *codes, Tuplestorestate *store);
/* Draws the blocks from this one up to another, and puts their rows into store. */
extern void dp_job_run_serial(DpDrawJob *job, uint64 from, uint64 to, Tuplestorestate *store);

#endif
