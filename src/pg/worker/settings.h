/*
 * settings.h -- what the release worker pins of what a role, or a database, may have set.
 * RELEASE WORKER ONLY.
 */
#ifndef DPSYN_WORKER_SETTINGS_H
#define DPSYN_WORKER_SETTINGS_H

#include "pg/server/compat.h"

/* For as long as the worker lives. */
extern void dp_worker_settings_pin(void);
/* No bound of the rows that Citus keeps on disk for a statement: it would be met after the debit. */
extern void dp_worker_settings_pin_citus(void);
/*
 * The owner's limit for temporary files, since the scan runs as the owner. The owner could not
 * raise it by a SET in a session of its own either. The owner's timeouts do not hold here: an owner
 * who sets one would lose what was paid. otherwise: where the owner has none.
 */
extern char *dp_worker_temp_limit(Oid owner, const char *otherwise);

#endif
