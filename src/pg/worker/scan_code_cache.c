/*
 * scan_code_cache.c -- rows that the scan for the bins of ranges keeps as codes, so that tables
 * with these bins are counted without another scan. Worker nodes of Citus send codes and no counts,
 * because tables of the finest cells, one for each shard, would be larger than the rows. RELEASE
 * WORKER ONLY.
 *
 * The bins of a range are unions of the cells that were counted, so the code of a row's bin follows
 * from that of its cell. The codes of other attributes are kept unchanged. If an attribute was not
 * kept or has other levels by now, or the rows exceeded the memory, the relation is scanned again,
 * which gives the same counts.
 */
#include "pg/server/compat.h"

#include "miscadmin.h"
#include "optimizer/cost.h"
#include "utils/memutils.h"

#include "core/domain/domain.h"
#include "pg/counting/spec.h"
#include "pg/server/bridge.h"
#include "pg/server/dpsyn.h"
#include "pg/worker/scan.h"

#define KB UINT64CONST(1024)
#define HANDED_OVER_MAX (UINT64CONST(256) * KB * KB) /* by one parallel worker */
#define SENT_MAX (UINT64CONST(192) * KB * KB)        /* by a worker node of Citus, as a text */

struct DpScanCodeCache
{
	MemoryContext context;
	DpArena arena;
	DpCodeCache rows;
	DpDomain domain; /* of the pass that kept them */
	int64 *column;   /* [attributes] where an attribute is in rows; -1: it is not */
};

/* ---- keeping ---- */

/* A query reads its rows by their values. What has no levels in its domain need not have codes. */
void
dp_scan_may_keep(DpScan *scan, const DpRequest *request)
{
	scan->may_keep = request->query == NULL;
}

static bool
finds_bins(const DpDomain *domain)
{
	for (uint32 a = 0; a < domain->attributes; a++)
		if (domain->attribute[a].range != NULL &&
			domain->attribute[a].range->state == DP_RANGE_CELLS)
			return true;
	return false;
}

bool
dp_scan_keeps(const DpScan *scan, const DpDomain *domain)
{
	return scan->may_keep && dpsyn_row_memory > 0 && scan->kept == NULL && finds_bins(domain) &&
		   dp_domain_check(domain, NULL) == DP_OK &&
		   (scan->source->distributed || dp_scan_counts_here(scan->source, scan->owner));
}

void
dp_scan_keep_columns(const DpDomain *domain, bool *needed)
{
	for (uint32 a = 0; a < domain->attributes; a++)
		needed[a] |= !domain->attribute[a].open;
}

DpKeep
dp_scan_keep(const DpScan *scan, bool parallel)
{
	uint64 bytes = (uint64) dpsyn_row_memory * KB;
	uint32 workers = (uint32) Min(max_parallel_workers_per_gather, max_parallel_workers);

	if (scan->source->distributed)
		return (DpKeep){.bytes_max = Min(bytes, SENT_MAX), .parts = 1};
	/* what numbers the rows of a unit does not run in parallel, nor what comes after it */
	if (!parallel || workers == 0 || scan->source->key != NULL)
		return (DpKeep){.bytes_max = bytes, .parts = 1};
	return (DpKeep){.bytes_max = Min(bytes, HANDED_OVER_MAX), .parts = workers + 1};
}

DpCodeCache *
dp_scan_keep_codes(DpScan *scan, const DpDomain *domain, const DpScanColumns *columns,
				   const DpSpec *spec)
{
	MemoryContext context =
		AllocSetContextCreate(scan->context, "dpsyn cached rows", ALLOCSET_DEFAULT_SIZES);
	DpScanCodeCache *kept = MemoryContextAllocZero(context, sizeof(DpScanCodeCache));

	if (scan->kept != NULL)
		MemoryContextDelete(scan->kept->context);
	kept->context = context;
	kept->arena = dp_arena_for(context);
	kept->domain = *domain;
	kept->column = MemoryContextAlloc(context, sizeof(int64) * domain->attributes);
	for (uint32 a = 0; a < domain->attributes; a++)
		kept->column[a] = -1;
	for (uint32 i = 0; i < columns->n; i++)
		kept->column[columns->attribute[i]] = i;
	if (dp_code_cache_init(&kept->rows, spec, &kept->arena) != DP_OK)
		kept->rows.lost = true;
	scan->kept = kept;
	return &kept->rows;
}

void
dp_scan_take_cached(DpScan *scan, const DpDomain *domain, const DpScanColumns *columns,
					const DpSpec *spec, DpCodeCache *from)
{
	DpCodeCache *rows = dp_scan_keep_codes(scan, domain, columns, spec);

	if (!rows->lost)
		dp_code_cache_take(rows, from);
}

/* ---- counting again ---- */

/* Whether equal values have equal codes in both. */
static bool
same_levels(const DpAttribute *a, const DpAttribute *b)
{
	return a->levels == b->levels && (a->range == NULL) == (b->range == NULL) &&
		   dp_attribute_same_labels(a, b);
}

/* The bin of each cell. NULL: a bin begins within a cell, so that codes of cells do not tell. */
static uint32 *
bins_of_cells(const DpAttribute *cells, const DpAttribute *bins)
{
	const DpRange *range = bins->range;
	uint32 *map = palloc(sizeof(uint32) * cells->levels);
	DpGridCells grid;

	dp_grid_cells(&range->grid, &grid);
	if (!dp_grid_same(&cells->range->grid, &range->grid) || cells->has_other != bins->has_other ||
		grid.n + cells->has_other != cells->levels)
		return NULL;
	for (uint32 bin = 0; bin < range->bins; bin++)
	{
		uint32 cell = dp_grid_cell(&grid, range->bin[bin]);
		uint32 end = bin + 1 < range->bins ? dp_grid_cell(&grid, range->bin[bin + 1]) : grid.n;

		if (dp_grid_cell_first(&grid, cell) != range->bin[bin])
			return NULL;
		for (; cell < end; cell++)
			map[cell] = bin;
	}
	if (cells->has_other)
		map[grid.n] = bins->levels - 1;
	return map;
}

/* False: the kept codes do not tell the attribute's levels. */
static bool
column_of(const DpScanCodeCache *kept, const DpDomain *domain, uint32 a, DpCachedColumn *column)
{
	const DpAttribute *then = &kept->domain.attribute[a], *now = &domain->attribute[a];

	if (kept->column[a] < 0)
		return false;
	*column = (DpCachedColumn){.attribute = (uint32) kept->column[a]};
	if (then->range == NULL || then->range->state != DP_RANGE_CELLS)
		return same_levels(then, now);
	if (now->range == NULL || now->range->state == DP_RANGE_CELLS)
		return now->range != NULL && same_levels(then, now) &&
			   dp_grid_same(&then->range->grid, &now->range->grid);
	if (now->range->state != DP_RANGE_FOUND)
		return false;
	column->map = bins_of_cells(then, now);
	return column->map != NULL;
}

static DpStatus
count_kept(const DpScanCodeCache *kept, const DpCachedColumn *column, const DpSpec *spec,
		   DpMarginal *const *marginals, DpError *error)
{
	DpArena arena = dp_arena_for(CurrentMemoryContext);
	DpCounts counts;

	DP_TRY(dp_counts_init(&counts, spec, &dp_interrupt_tick, &arena, error));
	DP_TRY(dp_counts_add_cache(&counts, &kept->rows, column, error));
	for (uint32 i = 0; i < spec->sets; i++)
		DP_TRY(dp_scan_marginal_take(marginals[i], &counts.table[i]));
	return DP_OK;
}

bool
dp_scan_count_cached(const DpScan *scan, const DpDomain *domain, const DpScanColumns *columns,
					 const DpSpec *spec, DpMarginal *const *marginals, DpStatus *status,
					 DpError *error)
{
	const DpScanCodeCache *kept = scan->kept;
	DpCachedColumn *column;

	if (kept == NULL || kept->rows.lost || kept->domain.attributes != domain->attributes)
		return false;
	column = palloc(sizeof(DpCachedColumn) * Max(columns->n, 1));
	for (uint32 i = 0; i < columns->n; i++)
		if (!column_of(kept, domain, columns->attribute[i], &column[i]))
			return false;
	*status = count_kept(kept, column, spec, marginals, error);
	return true;
}
