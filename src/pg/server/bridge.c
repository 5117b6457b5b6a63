/*
 * bridge.c -- between the core and PostgreSQL: memory, errors, numbers, words, progress.
 */
#include "pg/server/bridge.h"

#include "common/shortest_dec.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "core/base/arena.h"
#include "core/base/decimal.h"
#include "core/accounting/budget.h"
#include "pg/server/dpsyn.h"

/* ---- memory ---- */

static void *
arena_allocate(void *context, size_t bytes)
{
	if (bytes > MaxAllocHugeSize)
		return NULL;
	return MemoryContextAllocExtended((MemoryContext) context, bytes,
									  MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
}

static void
arena_release(void *context, void *memory)
{
	pfree(memory);
}

#ifdef DPSYN_ARENA_GUARDS

/* The blocks of a memory context, by which they are found: arenas over it come and go, and are used
 * on after it was reset. */
typedef struct GuardedContext
{
	MemoryContext context;
	DpArenaGuard ring;
} GuardedContext;

static HTAB *guarded_contexts;

static GuardedContext *
guarded_context(MemoryContext context, HASHACTION action)
{
	if (guarded_contexts == NULL)
		guarded_contexts = hash_create(
			"dpsyn arena guards", 64,
			&(HASHCTL){.keysize = sizeof(MemoryContext), .entrysize = sizeof(GuardedContext)},
			HASH_ELEM | HASH_BLOBS);
	return hash_search(guarded_contexts, &context, action, NULL);
}

/* Blocks that nobody gives back go with their context, which has their marks looked at before. */
static void
check_guards(void *context)
{
	dp_guard_check(&guarded_context(context, HASH_FIND)->ring);
	(void) guarded_context(context, HASH_REMOVE);
}

static DpArenaGuard *
arena_ring(void *context)
{
	GuardedContext *found = guarded_context(context, HASH_FIND);
	MemoryContextCallback *callback;

	if (found != NULL)
		return &found->ring;
	callback = arena_allocate(context, sizeof(*callback));
	if (callback == NULL)
		return NULL;
	found = guarded_context(context, HASH_ENTER);
	dp_guard_ring(&found->ring);
	callback->func = check_guards;
	callback->arg = context;
	MemoryContextRegisterResetCallback(context, callback);
	return &found->ring;
}

#endif

DpArena
dp_arena_for(MemoryContext context)
{
	DpArena arena = {.context = context, .allocate = arena_allocate, .release = arena_release};

#ifdef DPSYN_ARENA_GUARDS
	arena.ring = arena_ring;
#endif
	return arena;
}

bytea *
dp_bytea(const unsigned char *bytes, size_t length)
{
	bytea *result = palloc(length + VARHDRSZ);

	SET_VARSIZE(result, length + VARHDRSZ);
	memcpy(VARDATA(result), bytes, length);
	return result;
}

/* ---- errors ---- */

int
dp_status_sqlstate(DpStatus status)
{
	switch (status)
	{
		case DP_ERR_MEMORY:
			return ERRCODE_OUT_OF_MEMORY;
		case DP_ERR_RANGE:
			return ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE;
		case DP_ERR_ARGUMENT:
			return ERRCODE_INVALID_PARAMETER_VALUE;
		case DP_ERR_UNDEFINED:
			return ERRCODE_UNDEFINED_OBJECT;
		case DP_ERR_LIMIT:
			return ERRCODE_PROGRAM_LIMIT_EXCEEDED;
		case DP_ERR_CORRUPT:
			return ERRCODE_DATA_CORRUPTED;
		case DP_ERR_ENCODING:
			return ERRCODE_CHARACTER_NOT_IN_REPERTOIRE;
		default:
			return ERRCODE_INTERNAL_ERROR;
	}
}

/* The core cuts long names at a number of bytes. A byte that is no whole character becomes "?". */
static const char *
whole_characters(const char *words)
{
	char *text = pstrdup(words);
	int left = (int) strlen(text);

	for (char *at = text; left > 0;)
	{
		int length = pg_encoding_verifymbchar(GetDatabaseEncoding(), at, left);

		if (length < 1)
		{
			*at = '?';
			length = 1;
		}
		at += length;
		left -= length;
	}
	return text;
}

void
dp_raise(const DpError *error)
{
	const char *message = error->message[0] ? error->message : dp_status_text(error->status);

	ereport(ERROR,
			(errcode(dp_status_sqlstate(error->status)), errmsg("%s", whole_characters(message)),
			 error->detail[0] ? errdetail("%s", whole_characters(error->detail)) : 0,
			 error->hint[0] ? errhint("%s", whole_characters(error->hint)) : 0));
	pg_unreachable();
}

/* ---- numbers ---- */

/*
 * The shortest decimal that is read back as this double: what was written, if it has at most 15
 * digits. It does not follow extra_float_digits.
 */
static int64
units_argument(double value, int digits, int64 maximum, bool round_up, const char *what)
{
	char words[DOUBLE_SHORTEST_DECIMAL_LEN];
	int64 units;
	DpStatus status;
	char limit[32];

	double_to_shortest_decimal_buf(value, words);
	status = dp_decimal_parse(words, digits, round_up, &units);
	if (status == DP_OK && units <= maximum)
		return units;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid %s: %s", what, words),
					errdetail("It must be a number from 0 to %s.",
							  dp_decimal_print(maximum, digits, limit))));
}

int64
dp_epsilon_argument(FunctionCallInfo fcinfo, int argument, bool round_up, const char *what)
{
	return units_argument(PG_GETARG_FLOAT8(argument), 9, DP_EPSILON_NANO_MAX, round_up, what);
}

int64
dp_delta_argument(FunctionCallInfo fcinfo, int argument, bool round_up)
{
	return units_argument(PG_GETARG_FLOAT8(argument), 18, DP_DELTA_ONE, round_up, "delta");
}

int64
dp_rho_argument(FunctionCallInfo fcinfo, int argument)
{
	return units_argument(PG_GETARG_FLOAT8(argument), 12, DP_RHO_PICO_MAX, true, "rho");
}

int64
dp_epsilon_units(double epsilon, const char *what)
{
	return units_argument(epsilon, 9, DP_EPSILON_NANO_MAX, true, what);
}

int64
dp_delta_units(double delta, const char *what)
{
	return units_argument(delta, 18, DP_DELTA_ONE, true, what);
}

static Datum
units_to_numeric(int64 units, int digits)
{
	char words[32];

	return DirectFunctionCall3(numeric_in, CStringGetDatum(dp_decimal_print(units, digits, words)),
							   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
}

Datum
dp_epsilon_to_numeric(int64 epsilon_nano)
{
	return units_to_numeric(epsilon_nano, 9);
}

Datum
dp_delta_to_numeric(int64 delta_atto)
{
	return units_to_numeric(delta_atto, 18);
}

Datum
dp_rho_to_numeric(int64 rho_pico)
{
	return units_to_numeric(rho_pico, 12);
}

/* ---- words ---- */

int
dp_word_find(const DpWords *words, const char *word)
{
	for (int i = 0; i < words->n; i++)
		if (strcmp(words->word[i], word) == 0)
			return i;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("%s \"%s\"", words->unknown, word), errhint("%s", words->hint)));
}

static const DpWords neighbours_words = {
	.unknown = "unknown neighbouring relation",
	.hint = "Use add_remove (one row more or less) or replace_one (one row replaced; the number of "
			"rows is public).",
	.n = 2,
	.word = {[DP_ADD_REMOVE] = "add_remove", [DP_REPLACE_ONE] = "replace_one"}};

const char *
dp_neighbours_name(DpNeighbours neighbours)
{
	return neighbours_words.word[neighbours];
}

DpNeighbours
dp_neighbours_from_name(const char *name)
{
	return (DpNeighbours) dp_word_find(&neighbours_words, name);
}

/* ---- ticks ---- */

static void
answer_interrupts(void *context, double share_done)
{
	CHECK_FOR_INTERRUPTS();
}

const DpTick dp_interrupt_tick = {answer_interrupts, NULL};

static void
progress_tick(void *context, double share_done)
{
	CHECK_FOR_INTERRUPTS();
	dp_progress_report((DpProgress *) context, share_done);
}

void
dp_progress_start(DpProgress *progress, const char *stage)
{
	progress->stage = stage;
	progress->share_done = -1;
	progress->tick.call = progress_tick;
	progress->tick.context = progress;
	if (progress->next_report == 0)
		progress->next_report =
			TimestampTzPlusMilliseconds(GetCurrentTimestamp(), dpsyn_progress_interval * 1000L);
}

void
dp_progress_report(DpProgress *progress, double share_done)
{
	TimestampTz now;

	if (share_done >= 0)
		progress->share_done = share_done;
	if (dpsyn_progress_interval == 0)
		return;
	now = GetCurrentTimestamp();
	if (now < progress->next_report)
		return;
	progress->next_report = TimestampTzPlusMilliseconds(now, dpsyn_progress_interval * 1000L);
	if (progress->share_done < 0)
		ereport(NOTICE, (errmsg("dpsyn: %s", progress->stage)));
	else
		ereport(NOTICE, (errmsg("dpsyn: %s, %d %% done", progress->stage,
								(int) (progress->share_done * 100))));
}
