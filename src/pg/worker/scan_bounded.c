/*
 * scan_bounded.c -- the rows of units within their bound, read in one scan. RELEASE WORKER ONLY.
 *
 * The aggregate dp_row_cache keeps the codes of all rows, each with its unit and its hash, in
 * parallel workers if PostgreSQL plans it so. Of a unit above the bound the rows that come first by
 * the hash are kept: those that the statements of source.c read. All tables of the release are
 * counted from these codes, without another scan. If the rows do not fit in memory
 * (dpsyn.row_memory), the statements of source.c bound units in each scan.
 */
#include "pg/server/compat.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"

#include "core/domain/domain.h"
#include "core/exact/count_kernel.h"
#include "pg/counting/spec.h"
#include "pg/server/bridge.h"
#include "pg/server/dpsyn.h"
#include "pg/worker/scan_units.h"
#include "pg/worker/tree_reader.h"

/* The rows, and which of their columns are codes of which attributes. */
typedef struct BoundedRows
{
	DpRowCache cache;
	uint32 columns;
	DpRowField *column; /* [columns] */
	uint32 *attribute;  /* [columns] */
	bool *drops;        /* [cache.rows] */
} BoundedRows;

/* ---- reading ---- */

/* All attributes are arguments, since the hash is that of the whole row. */
static char *
statement_of(const DpSource *source, const DpDomain *domain)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT dp_catalog.dp_row_cache($1");
	for (int i = 1; i <= source->units; i++)
		appendStringInfo(&sql, ", r.u%d", i);
	for (uint32 a = 0; a < domain->attributes; a++)
		appendStringInfo(&sql, ", r.c%u", a + 1);
	appendStringInfo(&sql, ") FROM %s r", source->unit_rows);
	return sql.data;
}

static void
columns_create(BoundedRows *rows, const DpSource *source, const DpDomain *domain)
{
	rows->column = palloc0(sizeof(DpRowField) * (domain->attributes + 1));
	rows->attribute = palloc0(sizeof(uint32) * (domain->attributes + 1));
	rows->column[rows->columns++] = (DpRowField){.kind = DP_FIELD_HASH};
	for (uint32 a = 0; a < domain->attributes; a++)
	{
		if (domain->attribute[a].open)
			continue;
		rows->attribute[rows->columns] = a;
		rows->column[rows->columns++] = (DpRowField){.kind = DP_FIELD_CODE,
													 .argument = (uint32) source->units + a,
													 .levels = domain->attribute[a].levels};
	}
}

static bool
rows_read(DpScan *scan, const DpDomain *domain, BoundedRows *rows)
{
	uint32 *all = palloc(sizeof(uint32) * Max(domain->attributes, 1));

	for (uint32 a = 0; a < domain->attributes; a++)
		all[a] = a;
	columns_create(rows, scan->source, domain);
	return rows->columns > 1 &&
		   dp_scan_row_cache(scan,
							 &(DpRowCacheRead){.domain = domain,
											   .statement = statement_of(scan->source, domain),
											   .keys = (uint32) scan->source->units,
											   .arguments = domain->attributes,
											   .argument = all,
											   .columns = rows->columns,
											   .column = rows->column,
											   .attribute = rows->attribute},
							 &rows->cache);
}

static DpStatus
rows_bound(BoundedRows *rows, const DpSource *source)
{
	DpArena arena = dp_arena_for(CurrentMemoryContext);
	uint32 *count = dp_alloc(&arena, rows->cache.units + UINT64CONST(1), sizeof(*count));

	rows->drops = dp_alloc(&arena, rows->cache.rows + 1, sizeof(*rows->drops));
	if (count == NULL || rows->drops == NULL)
		return DP_ERR_MEMORY;
	dp_row_cache_count(&rows->cache, count);
	return dp_row_cache_bound(&rows->cache, count, source->rows_max,
							  (const unsigned char *) VARDATA_ANY(source->key), rows->drops,
							  &arena);
}

/* ---- keeping ---- */

/* Adds the rows that are not dropped, column by column. */
static void
rows_keep(const BoundedRows *rows, DpCodeCache *into)
{
	uint32 n = rows->columns - 1, **code = palloc(sizeof(uint32 *) * n);
	uint64 next = 0;

	for (uint32 i = 0; i < n; i++)
		code[i] = palloc(sizeof(uint32) * DP_BATCH_ROWS);
	while (next < rows->cache.rows)
	{
		uint32 batch = 0;

		CHECK_FOR_INTERRUPTS();
		for (; next < rows->cache.rows && batch < DP_BATCH_ROWS; next++)
		{
			const unsigned char *from = rows->cache.row + next * rows->cache.bytes + DP_UNIT_BYTES +
										dp_row_field_bytes(&rows->column[0]);

			if (rows->drops[next])
				continue;
			for (uint32 i = 0; i < n; i++)
			{
				uint32 bytes = dp_row_field_bytes(&rows->column[i + 1]);

				code[i][batch] = (uint32) dp_row_field_read(from, bytes);
				from += bytes;
			}
			batch++;
		}
		dp_code_cache_add(into, (const uint32 *const *) code, batch);
	}
}

static bool
units_keep(DpScan *scan, const DpDomain *domain)
{
	const DpSource *source = scan->source;
	BoundedRows rows = {.columns = 0};
	DpScanColumns columns;
	DpCodeCache *kept;
	DpSpec spec;

	if (!rows_read(scan, domain, &rows) || rows_bound(&rows, source) != DP_OK)
		return false;
	columns = (DpScanColumns){.n = rows.columns - 1, .attribute = rows.attribute + 1};
	dp_spec_domain(domain, source->relation->column, columns.attribute, columns.n, &spec);
	spec.keep = (DpKeep){.bytes_max = (uint64) dpsyn_row_memory * 1024, .parts = 1};
	kept = dp_scan_keep_codes(scan, domain, &columns, &spec);
	rows_keep(&rows, kept);
	return !kept->lost;
}

bool
dp_scan_read_bounded(DpScan *scan, const DpDomain *domain)
{
	const DpSource *source = scan->source;

	if (!scan->may_keep || scan->too_large || (source->units == 0 && source->reader == NULL) ||
		dpsyn_row_memory <= 0 || !dp_scan_reads_rows_here(source) ||
		dp_domain_check(domain, NULL) != DP_OK)
		return false;
	scan->too_large =
		!(source->reader != NULL ? dp_tree_reader_keep(scan, domain) : units_keep(scan, domain));
	return !scan->too_large;
}
