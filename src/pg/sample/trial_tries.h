/*
 * trial_tries.h -- how often rows have to be drawn until they keep the rules of a relation, before
 * anything is paid for.
 *
 * Runs in the caller's backend, and reads the schema and the declarations alone.
 */
#ifndef DPSYN_TRIAL_TRIES_H
#define DPSYN_TRIAL_TRIES_H

#include "pg/server/compat.h"

#include "pg/release/prepared.h"

/*
 * Draws rows of the release's relations whose values are as probable as any other, and counts how
 * often that has to be tried until they keep the rules of their tables. A NOTICE tells of more than
 * a few tries a row. ERROR where they are too many, unless the option "partial" is given.
 */
extern void dp_trial_check(const DpPrepared *prepared);

#endif
