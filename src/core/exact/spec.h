/*
 * spec.h -- what is to be counted: a domain, and sets of its attributes, each dense or
 * hashed. It is public: nothing in it comes from the data.
 *
 * Levels come in the spec and nowhere else. Codes that are given out in the order in which
 * values are first seen would differ from one worker or shard to the next, and merging them
 * would give tables that are silently wrong.
 *
 * spec.c describes the bytes of a spec. Equal specs are equal bytes.
 */
#ifndef DP_SPEC_H
#define DP_SPEC_H

#include "core/domain/domain.h"

#define DP_SPEC_SETS_MAX 1500000
_Static_assert(DP_SPEC_SETS_MAX > DP_ATTRIBUTES_MAX * (DP_ATTRIBUTES_MAX + 1) / 2,
			   "all columns and pairs of the widest table can be counted");
/* The version of the bytes of specs and counts. Servers that count for each other must have the
 * same. */
#define DP_COUNTS_FORMAT 1

typedef struct DpSpecSet
{
	uint32_t n;
	uint32_t *attribute; /* [n] index in the domain; distinct */
	DpStorage storage;
} DpSpecSet;

/* The codes of the rows that are counted, which may be kept as well (counts.h). */
typedef struct DpKeep
{
	uint64_t bytes_max; /* of all rows; 0: none are kept */
	uint32_t parts;     /* that are counted apart and merged: each keeps its part of these bytes */
} DpKeep;

typedef struct DpSpec
{
	DpDomain domain; /* nothing is open */
	/* [attributes] The name of the collation where values may be equal without being the same
	 * bytes; NULL elsewhere. */
	const char **collation;
	/* Where an attribute has no level "other", a value outside its domain counts as the
	 * first level if this is true; otherwise it is an error. The release worker sets it, since
	 * it must not tell that there is such a value. */
	bool clamps;
	DpKeep keep;
	uint64_t
		memory_max; /* bytes that its tables may take wherever it is counted; 0: as the server sets */
	uint32_t sets;
	DpSpecSet *set;
} DpSpec;

/* Checks every invariant stated above, and the limits. */
extern DpStatus dp_spec_check(const DpSpec *spec, const DpTick *tick, DpError *error) DP_MUST_USE;
extern DpStatus dp_spec_serialise(const DpSpec *spec, unsigned char **bytes, size_t *length,
								  const DpTick *tick, DpArena *arena, DpError *error) DP_MUST_USE;
extern DpStatus dp_spec_parse(const unsigned char *bytes, size_t length, DpSpec *spec,
							  const DpTick *tick, DpArena *arena, DpError *error) DP_MUST_USE;
/* Product of the levels of a set; saturates. */
extern uint64_t dp_spec_cells(const DpSpec *spec, uint32_t set);
/* Writes "(age, sex)" into text, cut where it does not fit. */
extern void dp_spec_set_name(const DpSpec *spec, uint32_t set, char *text, size_t size);

#endif
