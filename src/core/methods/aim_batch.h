/*
 * aim_batch.h -- how many tables aim chooses between two fits.
 *
 * The first tables teach most, and what is chosen next depends on them. Later ones are many and small
 * beside what is known, and a large model is slow to fit. So batches begin with one table and grow by
 * one whenever two more were chosen for each column.
 */
#ifndef DP_AIM_BATCH_H
#define DP_AIM_BATCH_H

#include <stdint.h>

/* columns: at least 1. chosen: tables so far, besides those of one column that come first. */
extern uint32_t dp_aim_batch(uint32_t columns, uint64_t chosen);

#endif
