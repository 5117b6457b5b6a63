/*
 * dictionary.h -- public domains that are the values of a table.
 *
 * Runs in the caller's backend, with the caller's rights: the release worker gets the values with
 * the request.
 */
#ifndef DPSYN_DICTIONARY_H
#define DPSYN_DICTIONARY_H

#include "pg/server/compat.h"

#include "utils/jsonb.h"

/*
 * The domain of a column as JSON text, with the values of each dictionary in it, and times as the
 * session means them. type: the column's, without domains. ERROR for a table that must not be a
 * dictionary.
 */
extern char *dp_domain_expand(Jsonb *domain, Oid type);
/* The distinct values of a column of a table that is declared public, in order; NULL is none. */
extern const char **dp_dictionary_public_values(const char *table, const char *column, uint64 *n);
/* Options as the ledger keeps them: a long list of values in a domain becomes its length and a
 * digest. */
extern char *dp_options_kept(char *options);
/*
 * Whether a relation that is or was protected has rows of this one, which therefore is not public.
 */
extern bool dp_holds_protected_rows(Oid relation);

#endif
