/*
 * channel.c -- the shared memory between the caller's backend and its release
 * worker; see channel.h for the protocol.
 */
#include "channel.h"

#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "storage/proc.h"

#define DP_CHANNEL_MAGIC 0x6470736e

/* The segment: this head, four strings, then (aligned) the seed rows, and (aligned) the queue. */
typedef struct ChannelHead
{
	uint32 magic;
	Oid database;
	Oid relation;
	Oid user;
	int64 epsilon_nano;
	int64 delta_atto;
	int32 sets;
	Size queue_offset;
	Size seeds_offset; /* of the seed rows: upto, then codes; 0 = none */
	uint64 seeds;
	uint32 seed_attributes;
	Size text_bytes; /* method, options, row type, domains: NUL-terminated */
	char words[FLEXIBLE_ARRAY_MEMBER];
} ChannelHead;

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
seeds_put(ChannelHead *head, Size offset, const DpSeedPool *seeds)
{
	char *to = (char *) head + offset;

	head->seeds_offset = offset;
	head->seeds = seeds->n;
	head->seed_attributes = seeds->attributes;
	memcpy(to, seeds->upto, sizeof(int64) * seeds->n);
	memcpy(to + sizeof(int64) * seeds->n, seeds->codes,
		   sizeof(uint32) * seeds->n * seeds->attributes);
}

static const DpSeedPool *
seeds_get(const ChannelHead *head)
{
	DpSeedPool *seeds = palloc0(sizeof(DpSeedPool));
	char *copy;

	if (head->seeds_offset == 0)
		return NULL;
	seeds->n = head->seeds;
	seeds->attributes = head->seed_attributes;
	copy = MemoryContextAllocHuge(CurrentMemoryContext, seeds_bytes(seeds));
	memcpy(copy, (const char *) head + head->seeds_offset, seeds_bytes(seeds));
	seeds->upto = (const int64 *) copy;
	seeds->codes = (const uint32 *) (copy + sizeof(int64) * seeds->n);
	return seeds;
}

dsm_segment *
dp_channel_create(const DpReleaseRequest *request)
{
	Size text_bytes = strlen(request->method) + strlen(request->options) +
					  strlen(request->row_type) + strlen(request->domains) + 4;
	Size seeds_offset = BUFFERALIGN(add_size(offsetof(ChannelHead, words), text_bytes));
	Size queue_offset =
		BUFFERALIGN(add_size(seeds_offset, request->seeds ? seeds_bytes(request->seeds) : 0));
	dsm_segment *segment = dsm_create(add_size(queue_offset, DP_CHANNEL_QUEUE_BYTES), 0);
	ChannelHead *head = dsm_segment_address(segment);
	shm_mq *queue;
	char *words;

	head->magic = DP_CHANNEL_MAGIC;
	head->database = MyDatabaseId;
	head->relation = request->relation;
	head->user = request->user;
	head->epsilon_nano = request->epsilon_nano;
	head->delta_atto = request->delta_atto;
	head->sets = request->sets;
	head->queue_offset = queue_offset;
	head->seeds_offset = 0;
	if (request->seeds)
		seeds_put(head, seeds_offset, request->seeds);
	head->text_bytes = text_bytes;
	words = text_append(head->words, request->method);
	words = text_append(words, request->options);
	words = text_append(words, request->row_type);
	(void) text_append(words, request->domains);
	queue = shm_mq_create((char *) head + queue_offset, DP_CHANNEL_QUEUE_BYTES);
	shm_mq_set_receiver(queue, MyProc);
	return segment;
}

shm_mq_handle *
dp_channel_read_from(dsm_segment *segment, BackgroundWorkerHandle *worker)
{
	ChannelHead *head = dsm_segment_address(segment);

	return shm_mq_attach((shm_mq *) ((char *) head + head->queue_offset), segment, worker);
}

shm_mq_handle *
dp_channel_open(dsm_handle handle, Oid *database, DpReleaseRequest *request)
{
	dsm_segment *segment = dsm_attach(handle);
	ChannelHead *head;
	shm_mq *queue;
	char *words;

	if (segment == NULL)
		return NULL;
	head = dsm_segment_address(segment);
	if (head->magic != DP_CHANNEL_MAGIC)
		elog(ERROR, "dpsyn: unexpected shared memory segment");
	*database = head->database;
	request->relation = head->relation;
	request->user = head->user;
	request->epsilon_nano = head->epsilon_nano;
	request->delta_atto = head->delta_atto;
	request->sets = head->sets;
	words = MemoryContextAllocHuge(CurrentMemoryContext, head->text_bytes);
	memcpy(words, head->words, head->text_bytes);
	request->method = words;
	request->options = request->method + strlen(request->method) + 1;
	request->row_type = request->options + strlen(request->options) + 1;
	request->domains = request->row_type + strlen(request->row_type) + 1;
	request->seeds = seeds_get(head);
	queue = (shm_mq *) ((char *) head + head->queue_offset);
	shm_mq_set_sender(queue, MyProc);
	return shm_mq_attach(queue, segment, NULL);
}

/* Both sides speak the database's encoding; pq_sendstring would convert to some client's. */
static void
send_text(StringInfo message, const char *words)
{
	appendBinaryStringInfo(message, words, strlen(words) + 1);
}

static bool
message_send(shm_mq_handle *queue, StringInfo message, bool nowait)
{
	return shm_mq_send(queue, message->len, message->data, nowait, true) != SHM_MQ_DETACHED;
}

bool
dp_channel_send_stage(shm_mq_handle *queue, const char *stage)
{
	StringInfoData message;

	initStringInfo(&message);
	pq_sendbyte(&message, DP_MESSAGE_STAGE);
	send_text(&message, stage);
	return message_send(queue, &message, false);
}

void
dp_channel_send_error(shm_mq_handle *queue, int sqlstate, const char *message, const char *detail,
					  const char *hint)
{
	StringInfoData words;

	initStringInfo(&words);
	pq_sendbyte(&words, DP_MESSAGE_ERROR);
	pq_sendint32(&words, sqlstate);
	send_text(&words, message);
	send_text(&words, detail ? detail : "");
	send_text(&words, hint ? hint : "");
	(void) message_send(queue, &words, false);
}

void
dp_channel_send_released(shm_mq_handle *queue, int64 release)
{
	StringInfoData message;

	initStringInfo(&message);
	pq_sendbyte(&message, DP_MESSAGE_RELEASED);
	pq_sendint64(&message, release);
	(void) message_send(queue, &message, false);
}
