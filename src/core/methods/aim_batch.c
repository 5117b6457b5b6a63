/*
 * aim_batch.c -- how many tables aim chooses between two fits.
 */
#include "core/methods/aim_batch.h"

#define CHOSEN_A_COLUMN 2

uint32_t
dp_aim_batch(uint32_t columns, uint64_t chosen)
{
	return 1 + (uint32_t) (chosen / (CHOSEN_A_COLUMN * (uint64_t) columns));
}
