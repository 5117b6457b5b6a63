/*
 * noise_source.h -- what a mechanism is handed: the only way to noise, and, for a selection, what it
 * chooses from.
 */
#ifndef DP_NOISE_SOURCE_H
#define DP_NOISE_SOURCE_H

#include "core/accounting/meter.h"
#include "core/base/status.h"
#include "core/noise/rng.h"

typedef struct DpNoiseSource
{
	DpMeter *meter;     /* pays before anything is drawn */
	DpRng *rng;         /* NULL if nothing can be drawn: an empty meter, or no cells */
	const DpTick *tick; /* may be NULL */
} DpNoiseSource;

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
