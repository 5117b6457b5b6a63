/*
 * spec.h -- specs of what to count: columns with their domains, and sets of them.
 *
 * Runs in any process. A spec holds public facts alone.
 */
#ifndef DPSYN_SPEC_H
#define DPSYN_SPEC_H

#include "pg/server/compat.h"

#include "utils/jsonb.h"

#include "core/exact/spec.h"
#include "pg/domain/relation.h"

/* ---- as bytes ---- */

/* ERROR if the spec is too large for a value. */
extern bytea *dp_spec_to_bytea(const DpSpec *spec);
/* ERROR if the bytes are no spec. */
extern void dp_spec_from_bytes(const unsigned char *bytes, size_t length, DpArena *arena,
							   DpSpec *spec);

/* ---- of a relation ---- */

/* The listed attributes as a spec that has no sets yet. column: of the same relation as domain. */
extern void dp_spec_domain(const DpDomain *domain, const DpColumn *column, const uint32 *index,
						   uint32 n, DpSpec *spec);
/* The names of the listed attributes, quoted, with commas between them. */
extern char *dp_column_list(const DpDomain *domain, const uint32 *attribute, uint32 n);
/* The call of an aggregate that counts the listed attributes; the spec is $1. column: as above. */
extern char *dp_count_call(const DpDomain *domain, const DpColumn *column, const uint32 *attribute,
						   uint32 n);

#endif
