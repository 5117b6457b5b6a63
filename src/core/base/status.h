/*
 * status.h -- how the core reports a failure: by a status code, and by an error with
 * message, detail and hint where a person will read it.
 *
 * The core never longjmps and never prints. A function that can fail returns DpStatus. A
 * function that validates what a user wrote also fills a DpError, which the glue turns into
 * an ereport. No DpError ever quotes a value or a count that came from a protected table.
 */
#ifndef DP_STATUS_H
#define DP_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum DpStatus
{
	DP_OK = 0,
	DP_ERR_MEMORY,    /* the arena could not give what was asked */
	DP_ERR_RANGE,     /* an integer would overflow; outputs are untouched */
	DP_ERR_ARGUMENT,  /* what the user asked for is invalid */
	DP_ERR_UNDEFINED, /* a name that the user wrote does not exist */
	DP_ERR_LIMIT,     /* larger than a documented limit */
	DP_ERR_OVERDRAW,  /* a DpMeter would be overdrawn; nothing was drawn */
	DP_ERR_CORRUPT,   /* bytes that are not a valid stored object */
	DP_ERR_ENCODING,  /* a text among such bytes is not valid in the encoding in use */
	DP_ERR_RANDOM,    /* the random source failed */
	DP_ERR_INTERNAL   /* a broken invariant: a bug */
} DpStatus;

#if defined(__GNUC__)
#define DP_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define DP_MUST_USE __attribute__((warn_unused_result))
#define DP_FALLTHROUGH __attribute__((fallthrough)) /* the next case is meant to run, too */
#else
#define DP_PRINTF(f, a)
#define DP_MUST_USE
#define DP_FALLTHROUGH ((void) 0)
#endif

typedef struct DpError
{
	DpStatus status;
	char message[256];
	char detail[384];
	char hint[384];
} DpError;

/* Fills *error (which may be NULL) and returns status, so that it can end a function. */
extern DpStatus dp_fail(DpError *error, DpStatus status, const char *format, ...) DP_PRINTF(3, 4);
/* These add to an error that dp_fail has set, and do nothing on NULL. */
extern void dp_fail_detail(DpError *error, const char *format, ...) DP_PRINTF(2, 3);
extern void dp_fail_hint(DpError *error, const char *format, ...) DP_PRINTF(2, 3);
/* Gives a caller that asked for an error one, also where a leaf only returned its status.
 * Returns status. */
extern DpStatus dp_fail_filled(DpError *error, DpStatus status);
/* A generic English sentence for a status, for callers that have no DpError. */
extern const char *dp_status_text(DpStatus status);

/* Returns from the enclosing function on any status but DP_OK. */
#define DP_TRY(expression)                                                                         \
	do                                                                                             \
	{                                                                                              \
		DpStatus dp_try_status_ = (expression);                                                    \
		if (dp_try_status_ != DP_OK)                                                               \
			return dp_try_status_;                                                                 \
	} while (0)

/* Returns DP_ERR_MEMORY from the enclosing function unless all of it was allocated:
 * DP_TRY_ALLOC(order && rank). */
#define DP_TRY_ALLOC(allocated)                                                                    \
	do                                                                                             \
	{                                                                                              \
		if (!(allocated))                                                                          \
			return DP_ERR_MEMORY;                                                                  \
	} while (0)

/*
 * Long loops call the tick that they are handed every few milliseconds. The glue's tick
 * answers to cancel and prints progress, and may leave by longjmp. So a core function holds
 * nothing but arena memory while it ticks.
 *
 * share_done is in [0, 1], or negative where it is not known. A share that an analyst can
 * see must be of post-processing only.
 */
typedef struct DpTick
{
	void (*call)(void *context, double share_done);
	void *context;
} DpTick;

static inline void
dp_tick(const DpTick *tick, double share_done)
{
	if (tick != NULL && tick->call != NULL)
		tick->call(tick->context, share_done);
}

#endif
