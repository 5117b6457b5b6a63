/*
 * scan_nodes.c -- the rows of a query, read as codes that the worker nodes of Citus send. RELEASE WORKER
 * ONLY.
 *
 * Codes take a few bytes per row, as for finding bins (scan_code_cache.c). A coordinate is sent as
 * the code of a cell, so each value of its grid must be a cell of its own.
 */
#include "pg/worker/scan_nodes.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "core/exact/count_kernel.h"
#include "pg/counting/object.h"
#include "pg/counting/spec.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"
#include "pg/server/dpsyn.h"
#include "pg/server/values.h"

/* What is sent for a column. */
typedef enum FieldKind
{
	FIELD_MISSING,   /* 1 where it is NULL, else 0 */
	FIELD_CODE,      /* its level */
	FIELD_COORDINATE /* its offset in the grid; missing follows the last one */
} FieldKind;

typedef struct Field
{
	FieldKind kind;
	uint32 attribute;
	bool nullable;
} Field;

typedef struct SentRows
{
	const DpSumRows *rows;
	Field *field; /* [spec.domain.attributes] */
	DpSpec spec;  /* of one set: the smallest field */
	StringInfoData expressions;
	bool lost; /* the rows exceeded the memory */
} SentRows;

static void
field_take(SentRows *sent, const Field *field, uint32 code)
{
	uint32 a = field->attribute;

	if (field->kind == FIELD_CODE)
	{
		sent->rows->values.code[a] = code;
		return;
	}
	sent->rows->values.present[a] = !field->nullable;
	if (field->kind == FIELD_MISSING)
		sent->rows->values.present[a] |= code == 0;
	else
	{
		const DpGrid *grid = &sent->rows->query->grid[a];

		sent->rows->values.present[a] |= code < dp_grid_size(grid);
		sent->rows->values.coordinate[a] = grid->first + (int64) code;
	}
}

static void
take_sent(void *taker, DpCounts *counts)
{
	SentRows *sent = taker;
	const DpSumRows *to = sent->rows;
	uint32 n = sent->spec.domain.attributes, rows;
	DpCodeCacheReader reader = {.kept = &counts->kept};
	DpCachedColumn *column = palloc0(sizeof(DpCachedColumn) * n);
	uint32 **code = palloc(sizeof(uint32 *) * n);

	sent->lost = counts->kept.lost;
	for (uint32 f = 0; f < n; f++)
	{
		column[f].attribute = f;
		code[f] = palloc(sizeof(uint32) * DP_BATCH_ROWS);
	}
	while (!sent->lost && (rows = dp_code_cache_next(&reader, column, n, code)) > 0)
	{
		CHECK_FOR_INTERRUPTS();
		for (uint32 r = 0; r < rows; r++)
		{
			for (uint32 f = 0; f < n; f++)
				field_take(sent, &sent->field[f], code[f][r]);
			to->take(to->taker);
		}
	}
}

/*
 * Adds a field for the expression that was written. The planner must not know its value: a constant
 * row would be sent as a text that no node can read. Fields have names of their own, since two can
 * be of one column.
 */
static void
field_add(SentRows *sent, FieldKind kind, uint32 attribute, DpAttribute levels)
{
	uint32 f = sent->spec.domain.attributes++;

	sent->field[f] = (Field){kind, attribute, sent->rows->query->nullable[attribute]};
	levels.name = psprintf("%u", f);
	dp_attribute_count_levels(&levels);
	sent->spec.domain.attribute[f] = levels;
	sent->spec.collation[f] = NULL;
}

static void
missing_add(SentRows *sent, uint32 attribute, const char *name)
{
	const char **labels = palloc(2 * sizeof(char *));

	labels[0] = "0";
	labels[1] = "1";
	appendStringInfo(&sent->expressions, ", pg_catalog.num_nulls(%s)", name);
	field_add(sent, FIELD_MISSING, attribute,
			  (DpAttribute){.type = "integer", .labels_n = 2, .labels = labels});
}

/* False: a cell of the grid has several values. */
static bool
coordinate_add(SentRows *sent, uint32 attribute, const DpColumn *column, const char *name)
{
	const DpGrid *grid = &sent->rows->query->grid[attribute];
	DpRange *range = palloc0(sizeof(DpRange));

	if (grid->first > grid->last || dp_grid_size(grid) > DP_GRID_CELLS_MAX)
		return false;
	*range = (DpRange){.grid = *grid, .state = DP_RANGE_CELLS, .bins_max = 1};
	appendStringInfo(&sent->expressions, ", %s", name);
	field_add(sent, FIELD_COORDINATE, attribute,
			  (DpAttribute){.type = dp_type_label(getBaseType(column->type)),
							.kind = DP_BINS,
							.range = range,
							.has_other = sent->rows->query->nullable[attribute]});
	return true;
}

static void
code_add(SentRows *sent, uint32 attribute, const DpColumn *column, const char *name)
{
	DpSpec one;

	dp_spec_domain(sent->rows->domain, column - attribute, &attribute, 1, &one);
	appendStringInfo(&sent->expressions, ", %s", name);
	field_add(sent, FIELD_CODE, attribute, one.domain.attribute[0]);
	sent->spec.collation[sent->spec.domain.attributes - 1] = one.collation[0];
}

/* False: nodes cannot send the needed values of some column. */
static bool
fields_of(SentRows *sent, const DpScan *scan, uint32 a)
{
	const DpSumNeeds *needs = &sent->rows->needs;
	const DpColumn *column = &scan->source->relation->column[a];
	const char *name = quote_identifier(sent->rows->domain->attribute[a].name);

	if (sent->spec.domain.attributes == 0 || !needs->coordinate[a])
		missing_add(sent, a, name);
	if (needs->coordinate[a] && !coordinate_add(sent, a, column, name))
		return false;
	if (needs->code[a])
		code_add(sent, a, column, name);
	return true;
}

/* The same. There is always a field of two levels. */
static bool
fields_prepare(SentRows *sent, const DpScan *scan)
{
	const DpSumNeeds *needs = &sent->rows->needs;
	uint32 attributes = sent->rows->domain->attributes, most = 3 * attributes;

	sent->field = palloc(sizeof(Field) * most);
	sent->spec.domain.attribute = palloc(sizeof(DpAttribute) * most);
	sent->spec.collation = palloc(sizeof(char *) * most);
	initStringInfo(&sent->expressions);
	for (uint32 a = 0; a < attributes; a++)
		if ((needs->code[a] || needs->coordinate[a] || needs->present[a]) &&
			!fields_of(sent, scan, a))
			return false;
	if (sent->spec.domain.attributes == 0 && !fields_of(sent, scan, 0))
		return false;
	return sent->spec.domain.attributes <= DP_ATTRIBUTES_MAX;
}

bool
dp_scan_node_values(DpScan *scan, const DpSumRows *rows)
{
	uint32 first = 0;
	DpSpecSet set = {.n = 1, .attribute = &first, .storage = DP_DENSE};
	SentRows sent = {.rows = rows};

	if (dpsyn_row_memory == 0 || !dp_scan_counts_records(scan->source) ||
		!fields_prepare(&sent, scan))
		return false;
	sent.spec.clamps = true;
	sent.spec.keep = dp_scan_keep(scan, true);
	sent.spec.memory_max = dp_counts_memory();
	sent.spec.sets = 1;
	sent.spec.set = &set;
	if (dp_spec_check(&sent.spec, NULL, NULL) != DP_OK)
		return false;
	dp_scan_counts(
		scan, dp_scan_record_statement(dp_scan_clause(scan), sent.expressions.data + strlen(", ")),
		dp_spec_to_bytea(&sent.spec), take_sent, &sent);
	return !sent.lost;
}
