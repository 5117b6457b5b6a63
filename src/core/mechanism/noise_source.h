/*
 * noise_source.h -- what every mechanism is handed first: the only way to noise.
 */
#ifndef DP_NOISE_SOURCE_H
#define DP_NOISE_SOURCE_H

#include "core/accounting/meter.h"
#include "core/noise/rng.h"

typedef struct DpNoiseSource
{
	DpMeter *meter;     /* pays before anything is drawn */
	DpRng *rng;         /* NULL if nothing can be drawn: an empty meter, or no cells */
	const DpTick *tick; /* may be NULL */
} DpNoiseSource;

#endif
