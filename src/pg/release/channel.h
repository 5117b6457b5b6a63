/*
 * channel.h -- what crosses the wall. The caller's backend makes a dynamic shared
 * memory segment that holds the request, or one for each tree. The worker copies it, and writes one
 * answer into the segment: the number of a release that is committed, or an error in
 * public words. Besides, the number of the debit once it is committed. Nothing else
 * crosses, so nothing exact can.
 *
 * Neither side ever waits for the other in here. A caller that does not look, because
 * its client has stopped reading, holds nothing but its own session.
 */
#ifndef DPSYN_CHANNEL_H
#define DPSYN_CHANNEL_H

#include "pg/server/compat.h"

#include "storage/dsm.h"

#include "pg/release/request.h"
#include "pg/release/running.h"

typedef struct DpChannel DpChannel;

#define DP_ANSWER_BYTES 4096 /* of each text; longer ones are cut */

typedef struct DpAnswer
{
	int64 release; /* 0: it failed, and the rest says how */
	int sqlstate;
	char message[DP_ANSWER_BYTES];
	char detail[DP_ANSWER_BYTES]; /* empty: none */
	char hint[DP_ANSWER_BYTES];   /* empty: none */
} DpAnswer;

/* ---- the caller's side ---- */

/*
 * A segment with the request in it, and the timeout that the caller's session has. When
 * the segment is detached, by whatever way the call ends, the worker learns that the
 * caller is gone, and the place is given back unless the worker has it.
 */
extern dsm_segment *dp_channel_create(const DpReleaseForest *forest, double estimated);
/* Where the caller puts the place that it takes. */
extern DpPlace *dp_channel_place(dsm_segment *segment);
/* The debit that the worker has committed. 0: none is known. */
extern int64 dp_channel_debit(dsm_segment *segment);
/* NULL: there is none yet. */
extern const DpAnswer *dp_channel_answer(dsm_segment *segment);

/* ---- the worker's side ---- */

/* What a worker is started with, besides the request. */
typedef struct DpReleaseJob
{
	Oid database;
	DpPlace place;
	int timeout_seconds; /* 0: none */
	double estimated;    /* CPU seconds that it is expected to take */
} DpReleaseJob;

/* NULL: the caller is gone. The requests are copied out of the segment. */
extern DpChannel *dp_channel_open(dsm_handle handle, DpReleaseJob *job, DpReleaseForest *forest);
extern bool dp_channel_caller_is_gone(const DpChannel *channel);
/* After this a caller that gives up can report what was spent. debit: that of the first tree. */
extern void dp_channel_debited(DpChannel *channel, int64 debit);
/* The last thing that a worker says, and only one of them. */
extern void dp_channel_send_error(DpChannel *channel, int sqlstate, const char *message,
								  const char *detail, const char *hint);
extern void dp_channel_send_released(DpChannel *channel, int64 release);

#endif
