/*
 * code_key.c -- where each code sits in a key.
 */
#include "core/base/code_key.h"

/* The number of bits that hold 0..levels-1. An attribute of one level needs none. */
static uint8_t
code_bits(uint32_t levels)
{
	return levels <= 1 ? 0 : (uint8_t) (32 - __builtin_clz(levels - 1));
}

uint32_t
dp_key_layout(const uint32_t *levels, uint32_t n, DpKeyField *field)
{
	uint32_t word = 0;
	uint8_t left = 64; /* free low bits of the current word */

	for (uint32_t k = 0; k < n; k++)
	{
		uint8_t bits = code_bits(levels[k]);

		if (bits > left)
		{
			word++;
			left = 64;
		}
		left -= bits;
		/* A field of no bits may stand at the end of a full word. A shift of 64 is undefined
		 * there. */
		field[k] = (DpKeyField){.word = word, .shift = bits == 0 ? 0 : left, .bits = bits};
	}
	return word + 1;
}
