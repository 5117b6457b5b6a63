/*
 * dpsyn.c -- the module: settings. None of them can weaken a guarantee, so any
 * role may set them.
 */
#include "dpsyn.h"

#include <limits.h>

DP_MODULE_MAGIC;

int dpsyn_max_parallel_workers = -1;
int dpsyn_progress_interval = 10;
int dpsyn_counting_memory = -1;
int dpsyn_model_memory = 80;

extern PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	DefineCustomIntVariable("dpsyn.max_parallel_workers",
							"Sets the maximum number of parallel workers that draw synthetic rows.",
							"-1 takes max_parallel_workers_per_gather. The rows drawn do not "
							"depend on it.",
							&dpsyn_max_parallel_workers, -1, -1, 1024, PGC_USERSET, 0, NULL, NULL,
							NULL);
	DefineCustomIntVariable("dpsyn.progress_interval",
							"Sets the time between progress lines of long work.",
							"0 turns them off.", &dpsyn_progress_interval, 10, 0, INT_MAX / 1000,
							PGC_USERSET, GUC_UNIT_S, NULL, NULL, NULL);
	DefineCustomIntVariable("dpsyn.counting_memory",
							"Sets the maximum memory of the contingency tables of one aggregate.",
							"-1 takes that of a hash table: work_mem times hash_mem_multiplier.",
							&dpsyn_counting_memory, -1, -1, INT_MAX, PGC_USERSET, GUC_UNIT_KB, NULL,
							NULL, NULL);
	DefineCustomIntVariable(
		"dpsyn.model_memory", "Sets the memory that fitting a graphical model may take.",
		"For releases whose options do not say max_model_memory.", &dpsyn_model_memory, 80, 2,
		65536, PGC_USERSET, GUC_UNIT_MB, NULL, NULL, NULL);
	MarkGUCPrefixReserved("dpsyn");
}
