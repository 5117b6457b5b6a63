/*
 * evaluation_options.h -- the options of functions that judge rows. Runs in the caller's backend.
 */
#ifndef DPSYN_EVALUATION_OPTIONS_H
#define DPSYN_EVALUATION_OPTIONS_H

#include "pg/server/compat.h"

#include "nodes/pg_list.h"
#include "utils/jsonb.h"

#include "core/domain/options.h"

/* Options that several of them have; words: what they are for there. */
#define DP_EVALUATION_SEED(words)                                                                  \
	{                                                                                              \
		.name = "seed", .type = DP_OPTION_INTEGER, .fallback = "1", .minimum = PG_INT64_MIN,       \
		.maximum = PG_INT64_MAX, .summary = words                                                  \
	}
#define DP_EVALUATION_BINS                                                                         \
	{                                                                                              \
		.name = "bins", .type = DP_OPTION_INTEGER, .fallback = "20", .minimum = 2,                 \
		.maximum = 10000, .summary = "bins of a column of numbers that has more different values"  \
	}
#define DP_EVALUATION_LEVEL                                                                        \
	{                                                                                              \
		.name = "level", .type = DP_OPTION_SHARE, .fallback = "0.05", .minimum = 1,                \
		.maximum = 999999999, .summary = "of the tests of independence"                            \
	}
#define DP_EVALUATION_MEMORY                                                                       \
	{                                                                                              \
		.name = "memory", .type = DP_OPTION_MEMORY, .maximum = PG_INT32_MAX,                       \
		.example = "\"256MB\"", .summary = "memory that it may take; a plain number is kilobytes"  \
	}

/* What such a function takes. */
typedef struct DpEvaluationOptions
{
	const char *function; /* its name, for messages */
	uint32 n;
	const DpOptionSpec *spec; /* [n] */
} DpEvaluationOptions;

/* Reads options; ERROR for one that is not known, or has a value that it cannot have. */
extern void dp_evaluation_options(const DpEvaluationOptions *known, Jsonb *json,
								  DpOptions *options);
/* The bytes that the option "memory" says; where it is not given what counting may take, or
 * maintenance_work_mem where that is more. ERROR for words that are no amount of memory. */
extern uint64 dp_evaluation_memory(const DpOptions *options);
/* The option "columns", as a list of char *; NIL where it is not given. */
extern List *dp_evaluation_columns(const DpOptions *options);

#endif
