/*
 * channel.h -- what crosses the wall. The caller's backend makes a dynamic
 * shared memory segment that holds the request and a message queue; the worker
 * copies the request, and answers through the queue:
 *
 *   'S' stage name                        public words only
 *   'E' sqlstate, message, detail, hint   the release failed
 *   'R' release number                    it is committed
 *
 * Nothing else crosses, so nothing exact can.
 */
#ifndef DP_CHANNEL_H
#define DP_CHANNEL_H

#include "dpsyn.h"

#include "postmaster/bgworker.h"
#include "storage/dsm.h"
#include "storage/shm_mq.h"

#define DP_MESSAGE_STAGE 'S'
#define DP_MESSAGE_ERROR 'E'
#define DP_MESSAGE_RELEASED 'R'

#define DP_CHANNEL_QUEUE_BYTES 16384

/* The caller's side: a segment with the request in it and an empty queue to read from. */
extern dsm_segment *dp_channel_create(const DpReleaseRequest *request);
extern shm_mq_handle *dp_channel_read_from(dsm_segment *segment, BackgroundWorkerHandle *worker);

/* The worker's side. NULL: the caller is gone. The request is copied out of the segment. */
extern shm_mq_handle *dp_channel_open(dsm_handle handle, Oid *database, DpReleaseRequest *request);
/* false: the caller is gone. */
extern bool dp_channel_send_stage(shm_mq_handle *queue, const char *stage);
extern void dp_channel_send_error(shm_mq_handle *queue, int sqlstate, const char *message,
								  const char *detail, const char *hint);
extern void dp_channel_send_released(shm_mq_handle *queue, int64 release);

#endif
