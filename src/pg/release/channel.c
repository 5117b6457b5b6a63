/*
 * channel.c -- the shared memory between the caller's backend and its release
 * worker; see channel.h for the protocol.
 */
#include "pg/release/channel.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/proc.h"

#include "pg/domain/moment.h"
#include "pg/server/dpsyn.h"

#define DP_CHANNEL_MAGIC 0x6470736e

/* The segment: this head with five strings, then (aligned) the seed rows. */
struct DpChannel
{
	uint32 magic;
	DpReleaseJob job;
	PGPROC *caller;
	pg_atomic_uint32 caller_is_gone;
	pg_atomic_uint64 debit;    /* line of the ledger; 0: nothing is known to be spent */
	pg_atomic_uint32 answered; /* 1: answer is complete, and changes no more */
	DpAnswer answer;
	Oid relation;
	Oid user;
	TimestampTz now; /* for CHECKs that are about the time (pg/domain/moment.h) */
	int64 epsilon_nano;
	int64 delta_atto;
	int32 sets;
	uint64 public_digest;
	Size seeds_offset; /* of the seed rows: upto, then codes; 0 = none */
	uint64 seeds;
	uint32 seed_attributes;
	Size text_bytes; /* method, options, row type, domains, tree: NUL-terminated */
	char words[FLEXIBLE_ARRAY_MEMBER];
};

static char *
text_append(char *to, const char *words)
{
	Size bytes = strlen(words) + 1;

	memcpy(to, words, bytes);
	return to + bytes;
}

static Size
seeds_bytes(const DpSeedPool *seeds)
{
	return seeds->n * (sizeof(int64) + sizeof(uint32) * seeds->attributes);
}

static void
seeds_put(DpChannel *channel, Size offset, const DpSeedPool *seeds)
{
	char *to = (char *) channel + offset;

	channel->seeds_offset = offset;
	channel->seeds = seeds->n;
	channel->seed_attributes = seeds->attributes;
	memcpy(to, seeds->upto, sizeof(int64) * seeds->n);
	memcpy(to + sizeof(int64) * seeds->n, seeds->codes,
		   sizeof(uint32) * seeds->n * seeds->attributes);
}

static const DpSeedPool *
seeds_get(const DpChannel *channel)
{
	DpSeedPool *seeds = palloc0(sizeof(DpSeedPool));
	char *copy;

	if (channel->seeds_offset == 0)
		return NULL;
	seeds->n = channel->seeds;
	seeds->attributes = channel->seed_attributes;
	copy = MemoryContextAllocHuge(CurrentMemoryContext, seeds_bytes(seeds));
	memcpy(copy, (const char *) channel + channel->seeds_offset, seeds_bytes(seeds));
	seeds->upto = (const int64 *) copy;
	seeds->codes = (const uint32 *) (copy + sizeof(int64) * seeds->n);
	return seeds;
}

/* ---- the caller's side ---- */

/* Runs however the call ends, while the segment is still there. */
static void
caller_leaves(dsm_segment *segment, Datum argument)
{
	DpChannel *channel = dsm_segment_address(segment);

	pg_atomic_write_u32(&channel->caller_is_gone, 1);
	dp_place_give_back(&channel->job.place);
}

dsm_segment *
dp_channel_create(const DpReleaseRequest *request)
{
	const char *tree = request->tree != NULL ? request->tree : "";
	Size text_bytes = strlen(request->method) + strlen(request->options) +
					  strlen(request->row_type) + strlen(request->domains) + strlen(tree) + 5;
	Size seeds_offset = BUFFERALIGN(add_size(offsetof(DpChannel, words), text_bytes));
	dsm_segment *segment =
		dsm_create(add_size(seeds_offset, request->seeds ? seeds_bytes(request->seeds) : 0), 0);
	DpChannel *channel = dsm_segment_address(segment);
	char *words;

	memset(channel, 0, sizeof(DpChannel));
	channel->magic = DP_CHANNEL_MAGIC;
	channel->job.database = MyDatabaseId;
	channel->job.timeout_seconds = dpsyn_release_timeout;
	channel->caller = MyProc;
	pg_atomic_init_u32(&channel->caller_is_gone, 0);
	pg_atomic_init_u64(&channel->debit, 0);
	pg_atomic_init_u32(&channel->answered, 0);
	channel->relation = request->relation;
	channel->user = request->user;
	channel->now = dp_moment_now();
	channel->epsilon_nano = request->epsilon_nano;
	channel->delta_atto = request->delta_atto;
	channel->sets = request->sets;
	channel->public_digest = request->public_digest;
	if (request->seeds)
		seeds_put(channel, seeds_offset, request->seeds);
	channel->text_bytes = text_bytes;
	words = text_append(channel->words, request->method);
	words = text_append(words, request->options);
	words = text_append(words, request->row_type);
	words = text_append(words, request->domains);
	(void) text_append(words, tree);
	on_dsm_detach(segment, caller_leaves, 0);
	return segment;
}

DpPlace *
dp_channel_place(dsm_segment *segment)
{
	return &((DpChannel *) dsm_segment_address(segment))->job.place;
}

int64
dp_channel_debit(dsm_segment *segment)
{
	DpChannel *channel = dsm_segment_address(segment);

	return (int64) pg_atomic_read_u64(&channel->debit);
}

const DpAnswer *
dp_channel_answer(dsm_segment *segment)
{
	DpChannel *channel = dsm_segment_address(segment);

	if (pg_atomic_read_u32(&channel->answered) == 0)
		return NULL;
	pg_read_barrier();
	return &channel->answer;
}

/* ---- the worker's side ---- */

DpChannel *
dp_channel_open(dsm_handle handle, DpReleaseJob *job, DpReleaseRequest *request)
{
	dsm_segment *segment = dsm_attach(handle);
	DpChannel *channel;
	char *words;

	if (segment == NULL)
		return NULL;
	channel = dsm_segment_address(segment);
	if (channel->magic != DP_CHANNEL_MAGIC)
		elog(ERROR, "dpsyn: unexpected shared memory segment");
	*job = channel->job;
	request->relation = channel->relation;
	request->user = channel->user;
	(void) dp_moment_set(channel->now);
	request->epsilon_nano = channel->epsilon_nano;
	request->delta_atto = channel->delta_atto;
	request->sets = channel->sets;
	request->public_digest = channel->public_digest;
	words = MemoryContextAllocHuge(CurrentMemoryContext, channel->text_bytes);
	memcpy(words, channel->words, channel->text_bytes);
	request->method = words;
	request->options = request->method + strlen(request->method) + 1;
	request->row_type = request->options + strlen(request->options) + 1;
	request->domains = request->row_type + strlen(request->row_type) + 1;
	request->tree = request->domains + strlen(request->domains) + 1;
	request->seeds = seeds_get(channel);
	return channel;
}

bool
dp_channel_caller_is_gone(const DpChannel *channel)
{
	return pg_atomic_read_u32(unconstify(pg_atomic_uint32 *, &channel->caller_is_gone)) != 0;
}

void
dp_channel_debited(DpChannel *channel, int64 debit)
{
	pg_atomic_write_u64(&channel->debit, (uint64) debit);
}

/* Both sides speak the database's encoding. A character is not cut in half. */
static void
text_put(char to[DP_ANSWER_BYTES], const char *words)
{
	int bytes = words == NULL ? 0 : pg_mbcliplen(words, (int) strlen(words), DP_ANSWER_BYTES - 1);

	if (bytes > 0)
		memcpy(to, words, bytes);
	to[bytes] = '\0';
}

/* A caller that is gone has left its latch to another session, which then looks up for nothing. */
static void
answer_is_complete(DpChannel *channel)
{
	pg_write_barrier();
	pg_atomic_write_u32(&channel->answered, 1);
	SetLatch(&channel->caller->procLatch);
}

void
dp_channel_send_error(DpChannel *channel, int sqlstate, const char *message, const char *detail,
					  const char *hint)
{
	channel->answer.sqlstate = sqlstate;
	text_put(channel->answer.message, message);
	text_put(channel->answer.detail, detail);
	text_put(channel->answer.hint, hint);
	answer_is_complete(channel);
}

void
dp_channel_send_released(DpChannel *channel, int64 release)
{
	channel->answer.release = release;
	answer_is_complete(channel);
}
