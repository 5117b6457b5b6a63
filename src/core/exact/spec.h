/*
 * marginal_spec.h -- what is to be counted: a domain, and sets of its
 * attributes, each dense or hashed. Public: nothing in it comes from the data.
 *
 * Levels come in the spec and nowhere else: codes that are given out in the
 * order in which values are first seen differ from one worker or shard to the
 * next, and merging them gives tables that are silently wrong.
 *
 * As bytes: see marginal_spec.c. Equal specs are equal bytes.
 */
#ifndef DP_MARGINAL_SPEC_H
#define DP_MARGINAL_SPEC_H

#include "marginal.h"

#define DP_SPEC_SETS_MAX 1000000
/* What specs, and counts, are written in: servers that count for each other must have the same. */
#define DP_COUNTS_FORMAT 1

typedef struct DpSpecSet
{
	uint32_t n;
	uint32_t *attribute; /* [n] index in the domain; distinct */
	DpStorage storage;
} DpSpecSet;

typedef struct DpSpec
{
	DpDomain domain; /* nothing is open */
	const char *
		*collation; /* [attributes] by name, where values may be equal without being the same
							 * bytes; NULL elsewhere */
	/* Where an attribute has no level for the rest, a value outside its domain counts as the first level; else it
	 * is an error. For the release worker, which must not tell that there is one. */
	bool clamps;
	uint32_t sets;
	DpSpecSet *set;
} DpSpec;

/* Every invariant stated above, and limits. */
extern DpStatus dp_spec_check(const DpSpec *spec, const DpTick *tick, DpError *error) DP_MUST_USE;
extern DpStatus dp_spec_serialise(const DpSpec *spec, DpArena *arena, unsigned char **bytes,
								  size_t *length, const DpTick *tick, DpError *error) DP_MUST_USE;
extern DpStatus dp_spec_parse(const unsigned char *bytes, size_t length, DpArena *arena,
							  DpSpec *spec, const DpTick *tick, DpError *error) DP_MUST_USE;
/* Product of the levels of a set; saturates. */
extern uint64_t dp_spec_cells(const DpSpec *spec, uint32_t set);
/* "(age, sex)", cut where it does not fit. */
extern void dp_spec_set_name(const DpSpec *spec, uint32_t set, char *text, size_t size);

#endif
