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

/* The time of a release is that of the transaction which asks for it, as it is in a CHECK of the
 * rows that this makes. Its worker gets it, and so does who draws from it later. 0: it is that of the
 * transaction here. Returns what was set before. */
extern TimestampTz dp_moment_set(TimestampTz now);
extern TimestampTz dp_moment_now(void);

/* A date or timestamp that follows from it, in microseconds: what it is at least and at most,
 * whichever time zone a session has. */
typedef struct DpMoment
{
	Oid type; /* date, timestamp or timestamptz */
	Timestamp low, high;
} DpMoment;

/* Reads now(), CURRENT_DATE and the like, more or less constant intervals, and casts of them; false:
 * the node is something else. */
extern bool dp_moment_of(Node *node, DpMoment *moment);
/*
 * A CHECK in which columns are compared with constants in place of such moments, by <, <=, > and >=:
 * what passes it passes the CHECK at that time in every time zone. *any becomes true where there is
 * one.
 */
extern Node *dp_moments_fixed(Node *check, bool *any);

#endif
