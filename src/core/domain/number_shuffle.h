/*
 * number_shuffle.h -- numbers of rows in another order, each once.
 */
#ifndef DP_NUMBER_SHUFFLE_H
#define DP_NUMBER_SHUFFLE_H

#include "core/base/prng.h"

/* Permutes the row numbers below a given size by a key from the stream. A result outside the range
 * is permuted again; this ends, since the cycle contains the number itself. */
extern uint64_t dp_shuffle_number(uint64_t number, uint64_t capacity, DpStream stream);

#endif
