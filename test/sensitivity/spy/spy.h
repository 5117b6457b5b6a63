/*
 * spy.h -- what each mechanism is handed, written down; and its output, played back.
 *
 * test/sensitivity links this into a copy of the library. A release of one database, D, is
 * recorded: each call of a mechanism with all that it was handed, and what it gave out. The same
 * release of a neighbour of D is then given the same outputs. So both go the same way, and call by
 * call the exact vectors can be compared with the sensitivity that was paid for. No other build has
 * this.
 *
 * A file says what the processes of a database are to do: $DPSYN_SPY_DIRECTORY/DATABASE_OID/order.
 * It holds a mode (0 off, 1 record, 2 replay), a seed, a planted fault (0 none), and the names of
 * two files beside it: of outputs and of calls.
 */
#ifndef SPY_H
#define SPY_H

#include "core/base/status.h"

typedef enum SpyMode
{
	SPY_OFF = 0,
	SPY_RECORD = 1,
	SPY_REPLAY = 2
} SpyMode;

/* ---- record.c ---- */

extern SpyMode dp_spy_mode(void);
/* The fault that this process is to have. Planted code asks for it. */
extern int dp_spy_fault(void);

/* A line of the file of calls: "kind name=value name=value : place=value place=value". */
extern void dp_spy_begin(const char *kind);
extern void dp_spy_number(const char *name, int64_t value);
extern void dp_spy_place(uint64_t place, int64_t value);
/* The same, the place named by a text of any characters. */
extern void dp_spy_named(const char *place, int64_t value);
/* Begins the places. */
extern void dp_spy_places(void);
/* All places of a vector that hold something. */
extern void dp_spy_vector(const int64_t *value, size_t n);
extern void dp_spy_end(void);
/* A line that says what must not happen. */
extern void dp_spy_wrong(const char *what);

/* Records an output, or fills it with what was recorded. An output of another size is written down
 * as wrong and left as it is. */
extern void dp_spy_output(const char *kind, void *output, size_t bytes);
/* The same for outputs whose size is an output too: put hands one over, get takes the next one, of
 * which *bytes is set and which free() frees. NULL: there is none of this kind. */
extern void dp_spy_put(const char *kind, const void *output, size_t bytes);
extern void *dp_spy_get(const char *kind, size_t *bytes);

/* Random bytes that follow from the order's seed. context is a stream, of which there are two: what
 * the library draws by itself must not depend on how much a mechanism draws. */
extern uint64_t dp_spy_stream_own, dp_spy_stream_mechanisms;
extern bool dp_spy_fill(void *context, void *buffer, size_t bytes);

/* ---- cells.c ---- */

/* The name of a cell whose counts a stability histogram was handed, in a buffer that the next call
 * takes again; NULL: nobody knows which cells these are. */
extern const char *dp_spy_cell_name(const int64_t *counts, size_t n, size_t cell);

#endif
