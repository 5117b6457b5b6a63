/*
 * side.h -- the two sides that are compared. Runs in the caller's backend.
 */
#ifndef DPSYN_SIDE_H
#define DPSYN_SIDE_H

typedef enum DpSide
{
	DP_ORIGINAL = 0,
	DP_SYNTHETIC = 1
} DpSide;

#endif
