/*
 * progress.c -- the share of the budget that a release has used so far.
 *
 * It reveals nothing more about the data. A method charges amounts that follow from the plan, which
 * is public, and from the outcomes of its mechanisms so far, which the budget pays for. So the
 * share is a function of public facts and of noisy outcomes. The time of a charge is not hidden,
 * and neither is the time of a release (docs/threat-model.md) or that it takes longer than
 * estimated.
 */
#include "pg/worker/progress.h"

#include <sys/resource.h>

#include "miscadmin.h"

#include "pg/release/running.h"

#define LATE 3     /* times the estimate */
#define TICKS 1024 /* between two reads of the clock, which takes longer than a tick */

/* Whether the process has taken LATE times the estimate. */
static bool
is_late(const DpWorkerProgress *progress)
{
	struct rusage used;

	if (getrusage(RUSAGE_SELF, &used) != 0)
		return false;
	return (double) (used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
			   (double) (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6 >
		   LATE * progress->estimated;
}

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
	char words[DP_RUNNING_STAGE_BYTES], used[32] = "", late[48] = "";

	if (progress->percent > 0)
		snprintf(used, sizeof(used), ", %d %% of the budget used", progress->percent);
	if (progress->late)
		snprintf(late, sizeof(late), ", over %d times the expected time", LATE);
	/* names of stages are short constants; a longer one would be cut off */
	snprintf(words, sizeof(words), "%s%s%s", progress->stage, used, late);
	dp_running_stage(words);
}

/* Ticks are frequent: reports only a new percentage, and once that the release is late. */
static void
progress_tick(void *context, double share_done)
{
	DpWorkerProgress *progress = context;
	int percent = percent_used(progress->meter);
	bool late = progress->late || (++progress->ticks % TICKS == 0 && is_late(progress));

	CHECK_FOR_INTERRUPTS();
	if ((percent == progress->percent && late == progress->late) || progress->stage == NULL)
		return;
	progress->percent = percent;
	progress->late = late;
	report(progress);
}

void
dp_worker_progress_start(DpWorkerProgress *progress, const DpMeter *meter, double estimated)
{
	*progress = (DpWorkerProgress){.meter = meter, .estimated = estimated};
	progress->tick = (DpTick){progress_tick, progress};
}

void
dp_worker_progress_stage(void *context, const char *stage)
{
	DpWorkerProgress *progress = context;

	progress->stage = stage;
	progress->percent = percent_used(progress->meter);
	progress->late = progress->late || is_late(progress);
	report(progress);
}
