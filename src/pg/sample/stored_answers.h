/*
 * stored_answers.h -- the answers that a stored release of method query holds, whether dp_query asked
 * for them or a SELECT. Post-processing: runs in the caller's backend, on what was released.
 */
#ifndef DPSYN_STORED_ANSWERS_H
#define DPSYN_STORED_ANSWERS_H

#include "pg/server/compat.h"

#include "core/domain/query.h"
#include "core/domain/zeros.h"
#include "core/estimate/query_answer.h"
#include "pg/release/channel.h"
#include "pg/sample/store.h"

typedef struct DpStoredAnswers
{
	const DpModel *model;
	DpQueryLayout layout;
	DpAnswerer *answerer; /* refers to the layout, which stays where it is */
	DpZeroTest zeros;
	uint32 *codes; /* [layout.by] of the group at hand */
} DpStoredAnswers;

/* An answer that was given before. */
typedef struct DpAnswered
{
	int64 release; /* 0: there is none */
	TimestampTz at;
} DpAnswered;

/* The newest one to the options of a request, of at least so much epsilon, that the current user may
 * read. An answer with other values or ranges than the query has now is none: they were declared anew. */
extern DpAnswered dp_stored_answers_find(const DpReleaseRequest *request, int32 dataset,
										 const DpDomain *domain, const DpQuery *query,
										 int64 epsilon_nano);
/* Whether an answer of that time is older than dpsyn.query_refresh allows. */
extern bool dp_stored_answers_old(TimestampTz at, TimestampTz now);
/* ERROR unless the release holds answers. */
extern void dp_stored_answers_open(DpStoredAnswers *answers, const DpStored *stored,
								   double confidence, DpArena *arena);
/* Fills in the codes of a group. False: its custodian declared it impossible. */
extern bool dp_stored_answers_group(const DpStoredAnswers *answers, uint64 cell);
extern DpAnswerValue dp_stored_answers_value(const DpStoredAnswers *answers, uint32 measure,
											 uint64 cell);
/* The bounds of what a unit adds, as far as they were found or a sum was given one, in words, and
 * about how many units have more; NULL: there are none. */
extern char *dp_stored_answers_bounds(const DpStoredAnswers *answers);

#endif
