/*
 * moment.h -- what CHECKs say with now(), CURRENT_DATE and their like: the time of the release.
 *
 * Runs in any process; it sees the schema and no data.
 */
#ifndef DPSYN_MOMENT_H
#define DPSYN_MOMENT_H

#include "pg/server/compat.h"

#include "datatype/timestamp.h"
#include "nodes/nodes.h"

/* Sets the time of a release: that of the transaction that requested it, as in a CHECK of rows that
 * it inserts. The worker uses this time, and so does each session that draws from the release
 * later. 0: the time of the present transaction. Returns the time before. */
extern TimestampTz dp_moment_set(TimestampTz now);
extern TimestampTz dp_moment_now(void);

/* A date or timestamp that follows from it, in microseconds: what it is at least and at most,
 * whichever time zone a session has. */
typedef struct DpMoment
{
	Oid type; /* date, timestamp or timestamptz */
	Timestamp low, high;
} DpMoment;

/*
 * A CHECK in which columns are compared with constants in place of such moments, by <, <=, > and >=:
 * what passes it passes the CHECK at that time in every time zone. *any becomes true where there is
 * one.
 */
extern Node *dp_moments_fixed(Node *check, bool *any);

#endif
