/*
 * set_counts.h -- counting many sets of attributes in two tables of coded rows, in as many passes
 * as memory asks for.
 *
 * SECRET: the counts are exact, of rows that the caller may read.
 */
#ifndef DP_SET_COUNTS_H
#define DP_SET_COUNTS_H

#include "core/base/arena.h"
#include "core/base/prng.h"
#include "core/domain/attribute_set.h"
#include "core/evaluate/table_pair.h"
#include "core/exact/spec.h"

/* The rows of one table as codes, which can be read again and again. */
typedef struct DpCodedRows
{
	void *context;
	int64_t rows;
	void (*rewind)(void *context);
	/* The next batch, of at most DP_BATCH_ROWS rows: writes code[a][i] for each attribute a of the
	 * domain. The result is the number of rows; 0 at the end. */
	uint32_t (*next)(void *context, uint32_t *const *code);
} DpCodedRows;

/* Takes the tables of one set. What it allocates from scratch is gone afterwards. */
typedef struct DpPairTaker
{
	void *context;
	DpStatus (*take)(void *context, uint32_t set, const DpTablePair *pair);
	/* A set whose tables are too large for the memory there is. */
	void (*leave_out)(void *context, uint32_t set, uint64_t bytes);
} DpPairTaker;

typedef struct DpSetCounting
{
	const DpDomain *domain; /* categories, all of whose levels are codes */
	uint32_t sets;
	const DpAttributeSet *set; /* [sets] */
	const DpCodedRows *rows;   /* [2] */
	uint64_t bytes_max;        /* for the tables of a pass */
	const DpTick *tick;
} DpSetCounting;

typedef struct DpArenaSource
{
	void *context;
	DpArena *(*fresh)(void *context); /* gives an empty arena, and takes back all of the last one */
	DpArena *kept;                    /* of what all passes use; it is given back in the end */
} DpArenaSource;

/* Counts all sets in both tables and hands each to the taker. DP_ERR_RANGE: the tables have more
 * than 2^32 - 1 rows. */
extern DpStatus dp_count_sets(const DpSetCounting *counting, const DpPairTaker *taker,
							  const DpArenaSource *memory, DpError *error) DP_MUST_USE;

/* The sets of attributes of one size: all of them, or a random sample. */

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
