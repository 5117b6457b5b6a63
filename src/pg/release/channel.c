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

/* The segment: this head, the trees, their strings, then (aligned) the seed rows. */
/* A tree of those that are released. */
typedef struct ChannelTree
{
	Oid relation;
	uint64 public_digest;
} ChannelTree;

struct DpChannel
{
	uint32 magic;
	DpReleaseJob job;
	PGPROC *caller;
	pg_atomic_uint32 caller_is_gone;
	pg_atomic_uint64 debit;    /* line of the ledger; 0: nothing is known to be spent */
	pg_atomic_uint32 answered; /* 1: answer is complete, and changes no more */
	DpAnswer answer;
	Oid user;
	TimestampTz now; /* for CHECKs that are about the time (pg/domain/moment.h) */
	int64 epsilon_nano;
	int64 delta_atto;
	int32 sets;
	int32 trees;
	Size words_offset; /* method, options, row type, domains, tree, together; NUL-terminated */
	Size text_bytes;
	Size seeds_offset; /* of the seed rows of the only tree: upto, then codes; 0 = none */
	uint64 seeds;
	uint32 seed_attributes;
	ChannelTree tree[FLEXIBLE_ARRAY_MEMBER]; /* [trees] */
};

#define TEXTS 6

/* The texts of a request; NULL stands for an empty one. */
static void
texts_of(const DpReleaseRequest *request, const char *text[TEXTS])
{
	text[0] = request->method;
	text[1] = request->options;
	text[2] = request->row_type;
	text[3] = request->domains;
	text[4] = request->tree != NULL ? request->tree : "";
	text[5] = request->together != NULL ? request->together : "";
}

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

static Size
texts_bytes(const DpReleaseForest *forest)
{
	const char *text[TEXTS];
	Size bytes = 0;

	for (int i = 0; i < forest->trees; i++)
	{
		texts_of(&forest->tree[i], text);
		for (int t = 0; t < TEXTS; t++)
			bytes = add_size(bytes, strlen(text[t]) + 1);
	}
	return bytes;
}

static void
texts_put(DpChannel *channel, const DpReleaseForest *forest)
{
	char *to = (char *) channel + channel->words_offset;
	const char *text[TEXTS];

	for (int i = 0; i < forest->trees; i++)
	{
		texts_of(&forest->tree[i], text);
		for (int t = 0; t < TEXTS; t++)
			to = text_append(to, text[t]);
	}
}

dsm_segment *
dp_channel_create(const DpReleaseForest *forest, double estimated)
{
	const DpReleaseRequest *first = &forest->tree[0];
	Size words_offset = offsetof(DpChannel, tree) + sizeof(ChannelTree) * forest->trees;
	Size text_bytes = texts_bytes(forest);
	Size seeds_offset = BUFFERALIGN(add_size(words_offset, text_bytes));
	dsm_segment *segment =
		dsm_create(add_size(seeds_offset, first->seeds ? seeds_bytes(first->seeds) : 0), 0);
	DpChannel *channel = dsm_segment_address(segment);

	memset(channel, 0, sizeof(DpChannel));
	channel->magic = DP_CHANNEL_MAGIC;
	channel->job.database = MyDatabaseId;
	channel->job.timeout_seconds = dpsyn_release_timeout;
	channel->job.estimated = estimated;
	channel->caller = MyProc;
	pg_atomic_init_u32(&channel->caller_is_gone, 0);
	pg_atomic_init_u64(&channel->debit, 0);
	pg_atomic_init_u32(&channel->answered, 0);
	channel->user = first->user;
	channel->now = dp_moment_now();
	channel->epsilon_nano = first->epsilon_nano;
	channel->delta_atto = first->delta_atto;
	channel->sets = first->sets;
	channel->trees = forest->trees;
	for (int i = 0; i < forest->trees; i++)
		channel->tree[i] = (ChannelTree){forest->tree[i].relation, forest->tree[i].public_digest};
	if (first->seeds)
		seeds_put(channel, seeds_offset, first->seeds);
	channel->words_offset = words_offset;
	channel->text_bytes = text_bytes;
	texts_put(channel, forest);
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

/* Takes the next text. */
static char *
text_next(char **words)
{
	char *text = *words;

	*words += strlen(text) + 1;
	return text;
}

DpChannel *
dp_channel_open(dsm_handle handle, DpReleaseJob *job, DpReleaseForest *forest)
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
	(void) dp_moment_set(channel->now);
	words = MemoryContextAllocHuge(CurrentMemoryContext, channel->text_bytes);
	memcpy(words, (char *) channel + channel->words_offset, channel->text_bytes);
	forest->trees = channel->trees;
	forest->tree = palloc0(sizeof(DpReleaseRequest) * channel->trees);
	for (int i = 0; i < forest->trees; i++)
	{
		DpReleaseRequest *request = &forest->tree[i];

		request->relation = channel->tree[i].relation;
		request->public_digest = channel->tree[i].public_digest;
		request->user = channel->user;
		request->epsilon_nano = channel->epsilon_nano;
		request->delta_atto = channel->delta_atto;
		request->sets = channel->sets;
		request->method = text_next(&words);
		request->options = text_next(&words);
		request->row_type = text_next(&words);
		request->domains = text_next(&words);
		request->tree = text_next(&words);
		request->together = text_next(&words);
	}
	forest->tree[0].seeds = seeds_get(channel);
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

/* If the caller has exited, its latch may belong to another session by now, which wakes up once for
 * nothing. */
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
