/*
 * set_list.h -- the sets of attributes of one size: all of them, or a random sample.
 */
#ifndef DP_SET_LIST_H
#define DP_SET_LIST_H

#include "core/base/arena.h"
#include "core/base/prng.h"
#include "core/domain/attribute_set.h"

typedef struct DpSetRequest
{
	uint32_t attributes;
	uint32_t size;     /* 1..attributes */
	uint32_t sets_max; /* beyond that many, so many are drawn */
	uint64_t seed;
} DpSetRequest;

/* Lists the sets in lexicographic order. all: how many there are; saturates. */
extern DpStatus dp_set_list(const DpSetRequest *request, DpAttributeSet **set, uint32_t *sets,
							uint64_t *all, DpArena *arena) DP_MUST_USE;

#endif
