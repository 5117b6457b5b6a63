/*
 * progress.h -- reports how far a release worker is, to the waiting session and to the view
 * dp_running: the stage and the share of the budget that is used.
 */
#ifndef DPSYN_WORKER_PROGRESS_H
#define DPSYN_WORKER_PROGRESS_H

#include "pg/server/compat.h"

#include "core/accounting/meter.h"

typedef struct DpWorkerProgress
{
	const DpMeter *meter;
	const char *stage; /* NULL: none has begun */
	int percent;       /* as reported last */
	double estimated;  /* CPU seconds of the whole release */
	bool late;         /* it has taken thrice that, as reported last */
	uint32 ticks;
	DpTick tick; /* answers interrupts and tells what has changed */
} DpWorkerProgress;

/* Starts to report on a measurement that is paid from this meter, in a release that is expected to take
 * so many seconds. */
extern void dp_worker_progress_start(DpWorkerProgress *progress, const DpMeter *meter,
									 double estimated);
/* DpMeasurement.stage: a stage begins. context is the DpWorkerProgress. */
extern void dp_worker_progress_stage(void *context, const char *stage);

#endif
