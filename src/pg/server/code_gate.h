/*
 * code_gate.h -- whose functions run with rights that are not the caller's.
 *
 * dpsyn reads its catalog as a superuser, public tables as their owners, and what a release reads as
 * the owner of that. Statements are compared before they run (names.h), but a relation brings code
 * that stands in no statement: its indexes, statistics, partition keys and constraints have
 * expressions, of which the constant parts are computed when a statement is planned. A public table
 * can be anybody's.
 *
 * A function is an error (42501) there, unless it is a superuser's or dpsyn's. In the release worker
 * it may be the owner's, too, whose rights the worker has; and anybody's while a statement is
 * executed with these rights, since then it stands in a view of the owner's.
 */
#ifndef DPSYN_CODE_GATE_H
#define DPSYN_CODE_GATE_H

#include "pg/server/compat.h"

/* In a security context, beside PostgreSQL's own bits: functions of superusers and dpsyn's run, and
 * no others. A rollback takes it back, as it does these. */
#define DP_SECURITY_TRUSTED_CODE 0x10000

/* Once in each process. */
extern void dp_code_gate_init(void);
/* The release worker, whose rights are a superuser's where they are nobody's. */
extern void dp_code_gate_close_for_worker(void);
/* Whether it is such an error, which says nothing of the data. */
extern bool dp_code_gate_refused(const ErrorData *error);

#endif
