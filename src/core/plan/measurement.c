/*
 * measurement.c -- counting behind the wall.
 */
#include "core/plan/measurement.h"

DpStatus
dp_count_marginals(const DpMeasurement *m, DpMarginal *exact, uint64_t n, DpError *error)
{
	DpMarginal **table = dp_alloc(m->arena, n, sizeof(*table));

	DP_TRY_ALLOC(table);
	for (uint64_t i = 0; i < n; i++)
		table[i] = &exact[i];
	DP_TRY(m->counter->count(m->counter->context, m->domain, table, (uint32_t) n, error));
	dp_free(m->arena, table, n, sizeof(*table));
	return DP_OK;
}
