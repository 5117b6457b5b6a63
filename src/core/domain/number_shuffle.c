/*
 * number_shuffle.c -- a permutation of numbers by a Feistel network.
 */
#include "core/domain/number_shuffle.h"

#define ROUNDS 6

/* Permutes the numbers of 2 x half bits by a Feistel network. */
static uint64_t
shuffle_bits(uint64_t number, int half, const uint64_t *key)
{
	uint64_t mask = (UINT64_C(1) << half) - 1;
	uint64_t left = number >> half, right = number & mask;

	for (int i = 0; i < ROUNDS; i++)
	{
		uint64_t mixed = (right ^ key[i]) * UINT64_C(0x9e3779b97f4a7c15);
		uint64_t next;

		mixed = (mixed ^ mixed >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
		next = left ^ ((mixed ^ mixed >> 32) & mask);
		left = right;
		right = next;
	}
	return left << half | right;
}

uint64_t
dp_shuffle_number(uint64_t number, uint64_t capacity, DpStream stream)
{
	DpPrng prng;
	uint64_t key[ROUNDS];
	int half = 1;

	stream.block = 0; /* rows count from 1 */
	dp_prng_seed(&prng, stream);
	for (int i = 0; i < ROUNDS; i++)
		key[i] = dp_prng_u64(&prng);
	if (capacity == UINT64_MAX)
		return shuffle_bits(number, 32, key);
	while (half < 32 && capacity - 1 >= UINT64_C(1) << (2 * half))
		half++;
	number %= capacity;
	do
		number = shuffle_bits(number, half, key);
	while (number >= capacity);
	return number;
}
