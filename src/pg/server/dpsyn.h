/*
 * dpsyn.h -- the settings of the extension, which dpsyn.c declares. Any role may set them: none can
 * weaken a guarantee.
 */
#ifndef DPSYN_DPSYN_H
#define DPSYN_DPSYN_H

#include "pg/server/compat.h"

extern int dpsyn_max_parallel_workers; /* -1: max_parallel_workers_per_gather counts */
extern int dpsyn_progress_interval;    /* seconds; 0: no progress lines */
extern int dpsyn_counting_memory;      /* kB; -1: as much as for a hash table */
extern int dpsyn_model_memory;         /* MB */
extern int dpsyn_row_memory;           /* kB; 0: no rows are kept */

/* A seat-belt: what a call that spends may come from. */
typedef enum DpSpending
{
	DP_SPENDING_OFF,  /* nothing */
	DP_SPENDING_ON,   /* a statement that asks for it itself */
	DP_SPENDING_VIEWS /* the definition of a view as well */
} DpSpending;

extern int dpsyn_spending; /* DpSpending */
extern bool dpsyn_log_releases;

/* Only superusers set these: one role must not keep the workers from all others. */
#define DP_RELEASES_MAX 128 /* that run at once, in the whole server */
extern int dpsyn_max_releases_per_role;
extern int dpsyn_max_releases_per_relation;
extern int dpsyn_release_timeout; /* seconds; 0: none */

/* What plain SELECTs over protected relations spend (pg/sql/mode.h). */
#define DP_QUERY_REFRESH_MAX (10000 * 86400)
extern double dpsyn_query_epsilon; /* 0: they are not answered */
extern double dpsyn_query_delta;
extern double dpsyn_query_confidence;
#define DP_QUERY_ROWS_MAX 1000000000
#define DP_QUERY_SUM_MAX 9e9
extern int dpsyn_query_max_rows_per_unit; /* 0: a bound that fits is found */
extern double dpsyn_query_max_sum_per_unit;
extern int dpsyn_query_refresh; /* seconds after which an answer is asked for anew; -1: never */

/* Declares the settings; may be called again. */
extern void dp_settings_define(void);

#endif
