/*
 * attempt.h -- running what may fail because of what somebody else declared. Runs in any process.
 */
#ifndef DPSYN_ATTEMPT_H
#define DPSYN_ATTEMPT_H

#include "pg/server/compat.h"

/*
 * Calls call(argument) in a subtransaction; false: it failed. CHECK (x IN (1 / 0)) has no value,
 * and a smallint does not take each value of CHECK (s IN (1, 70000)). Whoever asks is not to blame
 * for such an error, and only evaluating tells whether there is one. A cancel, and a lack of
 * resources, are errors still.
 */
extern bool dp_attempt(void (*call)(void *), void *argument);

#endif
