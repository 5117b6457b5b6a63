/*
 * public_relation.h -- tables that hold nobody's data, as their custodians declare.
 *
 * Runs in any process. It reads the catalogs, and no rows.
 */
#ifndef DPSYN_PUBLIC_RELATION_H
#define DPSYN_PUBLIC_RELATION_H

#include "pg/server/compat.h"

/* Whether the relation is declared public, whatever has become of it since. */
extern bool dp_relation_is_declared_public(Oid relation);
/* The same, and its declaration still holds. */
extern bool dp_relation_is_public(Oid relation);
/*
 * ERROR unless the relation is declared public and the declaration still holds: its rows, or the
 * tables that it refers to, can have become protected since. For callers that read it as public,
 * before a debit; the release worker checks again with the rows of the ledger locked.
 */
extern void dp_check_public(Oid relation);
/* Whether the owner of a public relation may read it, and no policy is in the way. */
extern bool dp_public_is_readable(Oid relation);
/* ERROR where rows of the relation are or were protected, so that nothing can call them public. */
extern void dp_check_no_protected_rows(Oid relation);
/* ERROR where a declaration of a public relation does not hold any more because of this dataset. */
extern void dp_check_public_beside(int32 dataset);

#endif
