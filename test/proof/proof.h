/*
 * proof.h -- what the harnesses of this folder are written with.
 *
 * A harness is a function prove_NAME. It takes any inputs (any_...), keeps those that its theorem
 * speaks of (given), calls the code, and states what holds then (holds). The model checker cbmc
 * looks at all of them at once: it proves each statement, and that nothing overflows or reads out
 * of bounds on the way, or prints inputs with which it does not hold.
 */
#ifndef DP_PROOF_H
#define DP_PROOF_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/base/arena.h"
#include "core/base/status.h"

/* Functions without a body: cbmc takes them to return anything. */
extern bool nondet_bool(void);
extern char nondet_char(void);
extern unsigned char nondet_byte(void);
extern uint32_t nondet_uint32(void);
extern uint64_t nondet_uint64(void);
extern int64_t nondet_int64(void);
extern unsigned __int128 nondet_uint128(void);
extern double nondet_double(void);
extern long double nondet_long_double(void);

#define given(condition) __CPROVER_assume(condition)
#define holds(condition) __CPROVER_assert(condition, #condition)

#endif
