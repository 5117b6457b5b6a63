/*
 * cells.c -- which cells a stability histogram is handed. It gets their counts alone, so what made
 * the counts is remembered: each stands here under the name that the linker gives to its wrapper.
 */
#include "pg/server/compat.h"

#include "core/exact/marginal.h"
#include "core/plan/release_cells.h"
#include "core/plan/measurement.h"

#include "spy.h"

#define NAME_BYTES 8192

/* What was counted last is what the next histograms are of. */
static enum
{
	NOTHING,
	LISTED,
	DISTINCT,
	SETTLED
} counted;

/* The last table whose non-empty cells were listed. */
static struct
{
	const int64_t *counts;
	const uint32_t *codes;
	uint32_t n;
} listed;

/* The distinct values of open columns. */
static struct
{
	const DpValueCounts *values;
	uint32_t n;
} distinct;

/* The cells of tables some of whose columns have more values than could be listed. */
static struct
{
	const DpFinalCells *sets;
	uint32_t n;
} settled;

static char name[NAME_BYTES];

extern DpStatus __real_dp_marginal_cells(const DpMarginal *marginal, uint32_t **codes_out,
										 int64_t **counts_out, uint64_t *used_out, DpArena *arena);
extern DpStatus __wrap_dp_marginal_cells(const DpMarginal *marginal, uint32_t **codes_out,
										 int64_t **counts_out, uint64_t *used_out, DpArena *arena);

DpStatus
__wrap_dp_marginal_cells(const DpMarginal *marginal, uint32_t **codes_out, int64_t **counts_out,
						 uint64_t *used_out, DpArena *arena)
{
	DP_TRY(__real_dp_marginal_cells(marginal, codes_out, counts_out, used_out, arena));
	counted = LISTED;
	listed.counts = *counts_out;
	listed.codes = *codes_out;
	listed.n = marginal->n;
	return DP_OK;
}

extern DpStatus __real_dp_scan_distinct(void *context, const DpDomain *domain,
										const uint32_t *attributes, uint32_t n, DpValueCounts *out,
										DpError *error);
extern DpStatus __wrap_dp_scan_distinct(void *context, const DpDomain *domain,
										const uint32_t *attributes, uint32_t n, DpValueCounts *out,
										DpError *error);

DpStatus
__wrap_dp_scan_distinct(void *context, const DpDomain *domain, const uint32_t *attributes,
						uint32_t n, DpValueCounts *out, DpError *error)
{
	counted = DISTINCT;
	distinct.values = out;
	distinct.n = n;
	return __real_dp_scan_distinct(context, domain, attributes, n, out, error);
}

extern DpStatus __real_dp_cells_count(const DpMeasurement *m, DpFinalCells *sets, uint32_t n,
									  DpError *error);
extern DpStatus __wrap_dp_cells_count(const DpMeasurement *m, DpFinalCells *sets, uint32_t n,
									  DpError *error);

DpStatus
__wrap_dp_cells_count(const DpMeasurement *m, DpFinalCells *sets, uint32_t n, DpError *error)
{
	DP_TRY(__real_dp_cells_count(m, sets, n, error));
	counted = SETTLED;
	settled.sets = sets;
	settled.n = n;
	return DP_OK;
}

/* "1,0,12" */
static const char *
listed_name(size_t cell)
{
	size_t at = 0;

	for (uint32_t k = 0; k < listed.n && at < NAME_BYTES - 12; k++)
		at += (size_t) sprintf(name + at, "%s%u", k ? "," : "", listed.codes[cell * listed.n + k]);
	return name;
}

/* "Bonn,3": a code, or the value that an index stands for, which is another one in D'. */
static const char *
settled_name(const DpFinalCells *set, size_t cell)
{
	size_t at = 0;

	for (uint32_t k = 0; k < set->cells.n; k++)
	{
		const DpUniverse *universe = set->universe[k];
		uint64_t index = set->cells.index[cell * set->cells.n + k];

		if (at + (universe ? universe->text_bytes : 0) + 32 > NAME_BYTES)
			elog(ERROR, "spy: the name of a cell is too long");
		if (k > 0)
			name[at++] = ',';
		if (universe == NULL || index == DP_CELL_OTHER)
			at += (size_t) sprintf(name + at, UINT64_FORMAT, (uint64) index);
		else
			at += dp_universe_value(universe, index, name + at);
	}
	name[at] = '\0';
	return name;
}

const char *
dp_spy_cell_name(const int64_t *counts, size_t n, size_t cell)
{
	if (counted == LISTED && counts == listed.counts)
		return listed_name(cell);
	for (uint32_t i = 0; counted == DISTINCT && i < distinct.n; i++)
		if (distinct.values[i].count == counts && distinct.values[i].n == n)
			return distinct.values[i].value[cell];
	for (uint32_t i = 0; counted == SETTLED && i < settled.n; i++)
		if (settled.sets[i].cells.count == counts && settled.sets[i].cells.cells == n)
			return settled_name(&settled.sets[i], cell);
	return NULL;
}
