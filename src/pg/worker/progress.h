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
	bool late;         /* whether it was reported to take longer */
	uint32 ticks;
	DpTick tick; /* handles interrupts and reports changes */
} DpWorkerProgress;

/* Starts to report on a measurement that charges this meter. estimated: CPU seconds of the whole
 * release. */
extern void dp_worker_progress_start(DpWorkerProgress *progress, const DpMeter *meter,
									 double estimated);
/* DpMeasurement.stage: a stage begins. context is the DpWorkerProgress. */
extern void dp_worker_progress_stage(void *context, const char *stage);

#endif
