/*
 * scores.h -- what a selection chooses from.
 */
#ifndef DP_SCORES_H
#define DP_SCORES_H

#include "core/base/status.h"

/* Up to this sensitivity the fractions of a selection fit 64 bits, whatever its epsilon is. */
#define DP_SELECT_SENSITIVITY_MAX INT64_C(4000000000)

/* What a selection chooses from: candidates 0..n-1. SECRET. Larger is better. */
typedef struct DpScores
{
	const int64_t *score; /* [n] */
	size_t n;             /* >= 1 */
	int64_t sensitivity;  /* >= 1: how far any one score moves between neighbours, in its unit */
} DpScores;

#endif
