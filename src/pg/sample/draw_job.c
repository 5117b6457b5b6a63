/*
 * draw_job.c -- rows of a release, block by block: what a backend that draws by itself and its
 * parallel workers have in common.
 */
#include "pg/sample/draw_job.h"

#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "pg/sample/fitted.h"

/* These keep the streams that place values inside bins, and that fill columns, apart from the one
 * that draws codes. */
#define BIN_STREAM UINT64CONST(0x9e3779b97f4a7c15)
#define FILL_STREAM UINT64CONST(0x8cb92ba72f3d8dd7)
/* And the one that draws again what breaks a rule apart from both. */
#define RULE_STREAM UINT64CONST(0xd1b54a32d192ed03)
/* Each of these leaves out rows that hold zeros, at most so many. */
#define ZERO_TRIES_MAX UINT64CONST(100000)
#define ZERO_TRIES_BELOW UINT64CONST(30) /* of rows that belong to others */
/* Who takes the first row alone does not wait for many. */
#define AHEAD_FIRST 32

void
dp_job_view_set(DpDrawJob *job)
{
	if (dp_model_view(&job->stored->model, (uint32) job->set, &job->model) != DP_OK)
		elog(ERROR, "a stored release has fewer sets than its line says");
}

void
dp_even_codes(const DpDomain *domain, DpPrng *prng, uint32 *codes)
{
	for (uint32 a = 0; a < domain->attributes; a++)
		codes[a] = (uint32) dp_prng_below(prng, domain->attribute[a].levels);
}

void
dp_job_prepare(DpDrawJob *job, const DpTick *tick)
{
	DpError error = {0};

	if (dp_drawer_prepare(job->stored->method->sampler, &job->model, &job->drawer, tick,
						  &job->stored->arena, &error) != DP_OK)
		dp_raise(&error);
	dp_draw_expect(job->drawer.sampler, job->drawer.state, job->rows);
}

void
dp_raise_unconditional(const DpStored *stored)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("release " INT64_FORMAT " cannot be drawn from under a condition", stored->id),
			 errdetail("Its method is %s. Conditional rows need a model that can be asked: that of "
					   "mst, aim, cipher, mwem, privbayes, steps, uh, flat or marginal, of a size "
					   "within its limits. No rows are drawn only to be thrown away.",
					   stored->method->name),
			 errhint("Draw rows, and keep those that meet the condition.")));
}

void
dp_job_prepare_own(DpDrawJob *job)
{
	const DpSampler *sampler = job->stored->method->sampler;
	const DpGiven *given = dp_condition_given(&job->condition);
	const DpFitted *fitted;
	DpError error = {0};
	DpStatus status;

	/* without a condition, a seed must give the rows of the method's own sampler */
	if (given == NULL && (sampler->query == NULL || sampler->query->sampler != sampler))
	{
		dp_job_prepare(job, &job->progress.tick);
		return;
	}
	fitted = dp_fitted_get(job->stored, (uint32) job->set, &job->progress.tick);
	if (fitted->fitted == NULL)
	{
		if (given != NULL)
			dp_raise_unconditional(job->stored);
		dp_job_prepare(job, &job->progress.tick);
		return;
	}
	status =
		dp_drawer_compile(&(DpFittedModel){sampler->query, &fitted->model, fitted->fitted}, given,
						  &job->drawer, &job->progress.tick, &job->stored->arena, &error);
	if (status != DP_OK)
	{
		error.status = status;
		dp_raise(&error);
	}
	dp_draw_expect(job->drawer.sampler, job->drawer.state, job->rows);
}

uint64
dp_job_blocks(const DpDrawJob *job)
{
	return (job->rows + DP_BLOCK_ROWS - 1) / DP_BLOCK_ROWS;
}

/* The first row of a part, computed without overflow. */
static uint64
part_start(uint64 blocks, uint64 part, uint64 parts)
{
	return blocks / parts * part + blocks % parts * part / parts;
}

void
dp_job_want(DpDrawJob *job, int32 part, int32 parts)
{
	job->first_block = part_start(dp_job_blocks(job), (uint64) part - 1, (uint64) parts);
	job->end_block = part_start(dp_job_blocks(job), (uint64) part, (uint64) parts);
}

double
dp_job_share(const DpDrawJob *job, uint64 block)
{
	return (double) (block - job->first_block) / Max(job->end_block - job->first_block, 1);
}

uint64
dp_job_rows_before(const DpDrawJob *job, uint64 blocks)
{
	return Min(job->rows, blocks * DP_BLOCK_ROWS);
}

uint32
dp_job_block_rows(const DpDrawJob *job, uint64 block)
{
	return (uint32) Min(DP_BLOCK_ROWS, job->rows - block * DP_BLOCK_ROWS);
}

Size
dp_job_block_bytes(const DpDrawJob *job)
{
	return sizeof(uint32) * DP_BLOCK_ROWS * Max(job->stored->model.domain.attributes, 1);
}

void
dp_job_draw(const DpDrawJob *job, uint64 block, uint32 *codes, const DpTick *tick)
{
	DpError error = {0};

	if (dp_draw_rows(&job->drawer,
					 &(DpRowBlock){{job->seed, job->set, block}, dp_job_block_rows(job, block)},
					 codes, tick, &error) != DP_OK)
		dp_raise(&error);
}

void
dp_job_rows(const DpDrawJob *job, uint64 block, const uint32 *codes, DpRowStream *stream)
{
	dp_job_stream(job, block, codes, dp_job_block_rows(job, block), block * DP_BLOCK_ROWS + 1,
				  stream);
	stream->ahead = dp_row_rules_can_fail(job->rules) ? AHEAD_FIRST : 0;
}

void
dp_job_stream(const DpDrawJob *job, uint64 block, const uint32 *codes, uint32 rows, uint64 first,
			  DpRowStream *stream)
{
	*stream = (DpRowStream){.codes = codes, .rows = rows, .chosen_column = -1};
	dp_prng_seed(&stream->bins, (DpStream){job->seed ^ BIN_STREAM, job->set, block});
	stream->number = first;
	dp_prng_seed(&stream->fill, (DpStream){job->seed ^ FILL_STREAM, job->set, block});
	dp_placeholders_begin(job->placeholders);
	dp_prng_seed(&stream->again, (DpStream){job->seed ^ RULE_STREAM, job->set, block});
	if (job->rules != NULL)
		dp_row_rules_begin(job->rules, block);
}

/* The row of these codes, whatever rules it breaks. Returns the codes that it has. */
static const uint32 *
row_make(const DpDrawJob *job, const uint32 *codes, DpPrng *prng, DpRowStream *stream,
		 Datum *values, bool *nulls)
{
	codes = dp_fill_codes(job->placeholders, codes, &stream->fill);
	dp_decode_row(job->decoder, codes, prng, values, nulls);
	dp_fill_row(job->placeholders, stream->number, values, nulls);
	return codes;
}

/* Codes of another row, of the release or of a model that says nothing. A release that holds its
 * rows has no others, so one of the block is taken in place of this one. Where zeros forbid nearly all
 * that could come, given the row's parent, it has the codes that it was drawn with. */
static void
codes_again(const DpDrawJob *job, bool even, DpRowStream *stream, uint32 *codes)
{
	uint32 attributes = job->stored->model.domain.attributes;
	uint64 tries = job->tree == NULL ? ZERO_TRIES_MAX : ZERO_TRIES_BELOW;
	DpError error = {0};

	if (even)
		dp_even_codes(&job->stored->model.domain, &stream->again, codes);
	else if (job->drawer.sampler->draw == NULL)
		memcpy(codes, stream->codes + dp_prng_below(&stream->again, stream->rows) * attributes,
			   sizeof(uint32) * attributes);
	else if (dp_draw_again(&job->drawer, &stream->again, codes, &tries, &job->progress.tick,
						   &error) != DP_OK)
	{
		if (job->tree == NULL)
			dp_raise(&error);
		memcpy(codes, stream->codes + (Size) (stream->next - 1) * attributes,
			   sizeof(uint32) * attributes);
	}
}

/* Puts any level in the place of those of distances from other rows. */
static void
distances_anyhow(const DpDrawJob *job, DpPrng *prng, uint32 *codes)
{
	for (int i = 0; i < job->row->natts; i++)
	{
		DpDecoded decoded = dp_decoded(job->decoder, i);

		if (decoded.base_above >= 0 && decoded.attribute >= 0)
			codes[decoded.attribute] = (uint32) dp_prng_below(
				prng, job->stored->model.domain.attribute[decoded.attribute].levels);
	}
}

/* What rows are looked for. Given what ancestors are, the model may know too few distances from them
 * that keep a rule. */
typedef enum Search
{
	SEARCH_MODEL,     /* those of the release */
	SEARCH_DISTANCES, /* the same, with distances from other rows that are whatever they can be */
	SEARCH_EVEN       /* those of a model that says nothing */
} Search;

/* Whether the row of these codes keeps the rules. */
static bool
row_try(const DpDrawJob *job, DpRowStream *stream, const uint32 *drawn, Datum *values, bool *nulls)
{
	const uint32 *codes = row_make(job, drawn, &stream->again, stream, values, nulls);

	return dp_row_rules_keep(job->rules, codes, &stream->again, values, nulls);
}

/* Draws other rows until one keeps the rules; false: it takes too long. Then there may be no row. */
static bool
row_search(const DpDrawJob *job, Search how, DpRowStream *stream, uint32 *drawn, Datum *values,
		   bool *nulls)
{
	uint64 left = dp_row_rules_tries_left(job->rules);
	uint64 tries = how == SEARCH_EVEN ? DP_TRIES_EVEN : DP_TRIES_OF_RELEASE;

	for (int try = 0; try < dp_row_rules_retry_budget(job->rules) &&
					  left - dp_row_rules_tries_left(job->rules) < tries;
		 try++)
	{
		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(job->tries);
		codes_again(job, how == SEARCH_EVEN, stream, drawn);
		if (how == SEARCH_DISTANCES)
			distances_anyhow(job, &stream->again, drawn);
		if (how != SEARCH_MODEL && dp_zero_test_forbids(&job->drawer.forbidden, drawn))
			continue;
		if (row_try(job, stream, drawn, values, nulls))
			return true;
	}
	return false;
}

static void
search_even(const DpDrawJob *job, bool even)
{
	dp_decoder_even(job->decoder, even);
	dp_row_rules_even(job->rules, even);
}

/*
 * No row of the release keeps a rule that is not soft. What was paid for is drawn all the same: a row
 * in which every level is as probable as any other, and every value of it, and if none of these
 * serves either one of the release that breaks the rule.
 */
static void
row_search_on(const DpDrawJob *job, DpRowStream *stream, uint32 *drawn, Datum *values, bool *nulls)
{
	bool kept;

	search_even(job, true);
	kept = row_search(job, SEARCH_EVEN, stream, drawn, values, nulls);
	search_even(job, false);
	if (!kept)
	{
		MemoryContextReset(job->tries);
		codes_again(job, false, stream, drawn);
		kept = row_try(job, stream, drawn, values, nulls);
	}
	dp_row_rules_warn(job->rules, kept);
}

/* Takes the values of a try out of its memory. */
static void
row_copy(const DpDrawJob *job, Datum *values, const bool *nulls)
{
	for (int i = 0; i < job->row->natts; i++)
	{
		Form_pg_attribute form = TupleDescAttr(job->row, i);

		if (!nulls[i])
			values[i] = datumCopy(values[i], form->attbyval, form->attlen);
	}
}

/* Draws a row in place of one that breaks a rule. */
static void
row_again(const DpDrawJob *job, DpRowStream *stream, Datum *values, bool *nulls)
{
	uint32 *drawn = palloc(sizeof(uint32) * Max(job->stored->model.domain.attributes, 1));
	MemoryContext caller = MemoryContextSwitchTo(job->tries);
	bool found = row_search(job, SEARCH_MODEL, stream, drawn, values, nulls);

	if (!found && dp_decoder_bases_above(job->decoder) > 0)
		found = row_search(job, SEARCH_DISTANCES, stream, drawn, values, nulls);
	/* a rule of a column that is filled must not keep what was paid for from being drawn */
	if (!found && dp_row_rules_forgive(job->rules, true))
	{
		found = row_search(job, SEARCH_MODEL, stream, drawn, values, nulls);
		(void) dp_row_rules_forgive(job->rules, false);
	}
	dp_row_rules_found(job->rules, found);
	if (!found)
		row_search_on(job, stream, drawn, values, nulls);
	MemoryContextSwitchTo(caller);
	pfree(drawn);
	row_copy(job, values, nulls);
	MemoryContextReset(job->tries);
}

bool
dp_job_try_row(const DpDrawJob *job, DpRowStream *stream, Datum *values, bool *nulls)
{
	uint32 *drawn = palloc(sizeof(uint32) * Max(job->stored->model.domain.attributes, 1));
	MemoryContext caller = MemoryContextSwitchTo(job->tries);
	bool found = false;

	while (!found && dp_row_rules_tries_left(job->rules) > 0)
	{
		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(job->tries);
		codes_again(job, false, stream, drawn);
		found = row_try(job, stream, drawn, values, nulls);
	}
	MemoryContextSwitchTo(caller);
	pfree(drawn);
	return found;
}

bool
dp_job_row_again(const DpDrawJob *job, DpRowStream *stream, const uint32 *codes,
				 const DpRowWanted *wanted, Datum *values, bool *nulls)
{
	uint32 *drawn = palloc(sizeof(uint32) * Max(job->stored->model.domain.attributes, 1));
	MemoryContext caller = MemoryContextSwitchTo(job->tries);
	bool found = false;

	stream->number--; /* of that row */
	for (int try = 0; try < wanted->tries_of_values + wanted->tries_of_rows && !found; try++)
	{
		const uint32 *of = codes;

		MemoryContextReset(job->tries);
		CHECK_FOR_INTERRUPTS();
		if (try >= wanted->tries_of_values)
		{
			codes_again(job, false, stream, drawn);
			of = drawn;
		}
		of = row_make(job, of, &stream->again, stream, values, nulls);
		found = (job->rules == NULL ||
				 dp_row_rules_keep(job->rules, of, &stream->again, values, nulls)) &&
				wanted->fits(wanted->context, values, nulls);
	}
	stream->number++;
	MemoryContextSwitchTo(caller);
	pfree(drawn);
	if (found)
		row_copy(job, values, nulls);
	MemoryContextReset(job->tries);
	return found;
}

static const uint32 *
next_codes(const DpDrawJob *job, DpRowStream *stream)
{
	return stream->codes + (size_t) stream->next++ * job->stored->model.domain.attributes;
}

const uint32 *
dp_job_codes(const DpDrawJob *job, DpRowStream *stream)
{
	stream->number++;
	return next_codes(job, stream);
}

static const uint32 *
row_draw(const DpDrawJob *job, DpRowStream *stream, Datum *values, bool *nulls)
{
	const uint32 *codes = next_codes(job, stream);

	if (job->rules != NULL)
		search_even(job, false); /* a search may have ended early, in a subtransaction */
	if (stream->chosen_column >= 0)
		dp_decoder_fix(job->decoder, stream->chosen_column, stream->chosen);
	codes = row_make(job, codes, &stream->bins, stream, values, nulls);
	if (stream->chosen_column >= 0)
		dp_decoder_unfix(job->decoder);
	if (job->rules != NULL)
		dp_row_rules_next(job->rules);
	if (job->rules != NULL && !dp_row_rules_keep(job->rules, codes, &stream->again, values, nulls))
		row_again(job, stream, values, nulls);
	stream->number++;
	return codes;
}

/* ---- rows that are made ahead ---- */

typedef struct Ahead
{
	const DpDrawJob *job;
	DpRowStream *stream;
	DpRowStream start; /* of the row that is made */
	uint32 wanted;
} Ahead;

static void
make_row(Ahead *ahead)
{
	DpRowStream *stream = ahead->stream;
	Size at = (Size) stream->made * ahead->job->row->natts;

	(void) row_draw(ahead->job, stream, stream->made_values + at, stream->made_nulls + at);
	stream->made++;
}

static void
make_rows(void *argument)
{
	Ahead *ahead = argument;

	while (ahead->stream->made < ahead->wanted)
	{
		ahead->start = *ahead->stream;
		dp_placeholders_mark(ahead->job->placeholders);
		dp_row_rules_mark(ahead->job->rules);
		make_row(ahead);
	}
}

/*
 * Makes the next rows, twice as many as the last time. If one of them fails, only those before it
 * are kept, and the failing row is made again by itself when the caller asks for it: so its error
 * is raised only for a caller that wants that row.
 */
static void
rows_make_ahead(const DpDrawJob *job, DpRowStream *stream)
{
	Ahead ahead = {job, stream, *stream, Min(stream->ahead, stream->rows - stream->next)};
	MemoryContext caller = MemoryContextSwitchTo(job->scratch);
	Size cells = (Size) ahead.wanted * Max(job->row->natts, 1);

	stream->made = stream->taken = 0;
	stream->ahead *= 2;
	stream->made_values = palloc(sizeof(Datum) * cells);
	stream->made_nulls = palloc(sizeof(bool) * cells);
	if (stream->alone)
	{
		stream->alone = false;
		make_row(&ahead);
	}
	else if (!dp_row_rules_ahead(job->rules, make_rows, &ahead))
	{
		*stream = ahead.start;
		stream->ahead = AHEAD_FIRST;
		dp_placeholders_back(job->placeholders);
		if (stream->made > 0)
			stream->alone = true;
		else
			make_row(&ahead);
	}
	MemoryContextSwitchTo(caller);
}

static const uint32 *
row_take(const DpDrawJob *job, DpRowStream *stream, Datum *values, bool *nulls)
{
	Size at;

	if (stream->taken == stream->made)
		rows_make_ahead(job, stream);
	at = (Size) stream->taken * job->row->natts;
	memcpy(values, stream->made_values + at, sizeof(Datum) * job->row->natts);
	memcpy(nulls, stream->made_nulls + at, sizeof(bool) * job->row->natts);
	stream->taken++;
	return stream->codes + (Size) (stream->next - (stream->made - stream->taken) - 1) *
							   job->stored->model.domain.attributes;
}

const uint32 *
dp_job_row(const DpDrawJob *job, DpRowStream *stream, Datum *values, bool *nulls)
{
	return stream->ahead > 0 ? row_take(job, stream, values, nulls)
							 : row_draw(job, stream, values, nulls);
}

/* ---- blocks ---- */

static void
make_first_block(void *argument)
{
	DpDrawJob *job = argument;
	Datum *values = palloc(sizeof(Datum) * Max(job->row->natts, 1));
	bool *nulls = palloc(sizeof(bool) * Max(job->row->natts, 1));
	uint32 *codes = palloc(dp_job_block_bytes(job));
	DpRowStream stream;

	dp_job_draw(job, 0, codes, &job->progress.tick);
	dp_job_rows(job, 0, codes, &stream);
	for (uint32 i = 0; i < stream.rows; i++)
		dp_job_row(job, &stream, values, nulls);
}

void
dp_job_begin(DpDrawJob *job)
{
	MemoryContext caller = MemoryContextSwitchTo(job->scratch);

	if (job->first_block > 0 && job->rules != NULL && dp_row_rules_learn(job->rules))
		dp_row_rules_learn_by(job->rules, make_first_block, job);
	if (job->rules != NULL)
		dp_row_rules_start(job->rules);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(job->scratch);
}

void
dp_job_begin_again(DpDrawJob *job)
{
	if (job->rules != NULL)
		dp_row_rules_start_again(job->rules);
	MemoryContextReset(job->scratch);
}

static void
put_in_store(void *state, uint64 number, Datum *values, bool *nulls)
{
	const DpStoreSink *sink = state;

	(void) number;
	tuplestore_putvalues(sink->store, sink->job->row, values, nulls);
}

const DpRowSink *
dp_store_sink(DpStoreSink *sink, const DpDrawJob *job, Tuplestorestate *store)
{
	*sink = (DpStoreSink){{put_in_store, sink}, job, store};
	return &sink->sink;
}

void
dp_job_make(DpDrawJob *job, uint64 block, const uint32 *codes, const DpRowSink *sink)
{
	MemoryContext caller = MemoryContextSwitchTo(job->scratch);
	Datum *values = palloc(sizeof(Datum) * Max(job->row->natts, 1));
	bool *nulls = palloc(sizeof(bool) * Max(job->row->natts, 1));
	DpRowStream stream;

	dp_job_rows(job, block, codes, &stream);
	/* A row that fails may end the whole call, which is then made once more. No rollback takes a
	 * row out of the store, so all rows are made before the first is put there. */
	if (stream.ahead > 0)
		stream.ahead = stream.rows;
	for (uint32 i = 0; i < stream.rows; i++)
	{
		dp_job_row(job, &stream, values, nulls);
		sink->put(sink->state, block * DP_BLOCK_ROWS + i + 1, values, nulls);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextReset(job->scratch);
}

void
dp_job_emit(DpDrawJob *job, uint64 block, const uint32 *codes, Tuplestorestate *store)
{
	DpStoreSink sink;

	dp_job_make(job, block, codes, dp_store_sink(&sink, job, store));
	dp_tick(&job->progress.tick, dp_job_share(job, block + 1));
}

void
dp_job_run_serial(DpDrawJob *job, uint64 from, uint64 to, Tuplestorestate *store)
{
	uint32 *codes = palloc(dp_job_block_bytes(job));

	for (uint64 block = from; block < to; block++)
	{
		dp_job_draw(job, block, codes, &job->progress.tick);
		dp_job_emit(job, block, codes, store);
	}
	pfree(codes);
}
