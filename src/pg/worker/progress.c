/*
 * progress.c -- the share of the budget that a release has used so far.
 *
 * It is no further release. A method charges amounts that follow from the plan, which is public,
 * and from what its mechanisms have released so far, which is what the budget pays for. So the
 * share is a function of public facts and of noisy outcomes. When a charge comes is not hidden, as
 * the time of a release is not (docs/threat-model.md).
 */
#include "pg/worker/progress.h"

#include "miscadmin.h"

#include "pg/release/running.h"

/* In percent, rounded down, of epsilon or rho, whichever is used up more. */
static int
percent_used(const DpMeter *meter)
{
	double used = 0;

	if (meter->limit.epsilon_nano > 0)
		used = (double) meter->spent.epsilon_nano / (double) meter->limit.epsilon_nano;
	if (meter->limit.rho_pico > 0)
		used = Max(used, (double) meter->spent.rho_pico / (double) meter->limit.rho_pico);
	return (int) (Min(used, 1) * 100);
}

static void
report(const DpWorkerProgress *progress)
{
	char words[DP_RUNNING_STAGE_BYTES];

	if (progress->percent > 0)
		snprintf(words, sizeof(words), "%s, %d %% of the budget used", progress->stage,
				 progress->percent);
	else
		strlcpy(words, progress->stage, sizeof(words));
	dp_running_stage(words);
}

/* Ticks come often: only a new percentage is reported. */
static void
progress_tick(void *context, double share_done)
{
	DpWorkerProgress *progress = context;
	int percent = percent_used(progress->meter);

	CHECK_FOR_INTERRUPTS();
	if (percent == progress->percent || progress->stage == NULL)
		return;
	progress->percent = percent;
	report(progress);
}

void
dp_worker_progress_start(DpWorkerProgress *progress, const DpMeter *meter)
{
	*progress = (DpWorkerProgress){.meter = meter};
	progress->tick = (DpTick){progress_tick, progress};
}

void
dp_worker_progress_stage(void *context, const char *stage)
{
	DpWorkerProgress *progress = context;

	progress->stage = stage;
	progress->percent = percent_used(progress->meter);
	report(progress);
}
