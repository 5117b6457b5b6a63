/*
 * tree_reader.c -- the rows of a tree, each table read in one scan, and joined in memory. RELEASE
 * WORKER ONLY.
 *
 * The statements of source_tree.c sort the rows of each table by parent, and join it with its
 * ancestors. Here the aggregate dp_row_cache keeps of each row its hash, its codes, its keys, and what
 * its siblings are in order of, in parallel workers if PostgreSQL plans it so. Rows are joined,
 * ordered and counted by these bytes (core/exact/sibling_rows.c). They are the same rows as those of the
 * statements, which read whatever cannot be read so: a table with a key, or an order_column, of a type
 * whose order is not that of bytes, with a distance from an ancestor, or too large for
 * dpsyn.row_memory, and columns whose values are still to be found.
 *
 * A value outside its domain is the first level for the siblings after it, too, and the statements
 * have no value there.
 */
#include "pg/worker/tree_reader.h"

#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "core/domain/domain.h"
#include "core/exact/count_kernel.h"
#include "core/exact/sibling_rows.h"
#include "pg/counting/sortable.h"
#include "pg/counting/spec.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"
#include "pg/server/dpsyn.h"
#include "pg/worker/scan_units.h"

#define SIBLINGS_BEFORE 3 /* that DpPrevious tells of */

/* The rows of a table, and where in a row what is. */
typedef struct PartRows
{
	MemoryContext context; /* NULL: they were not read */
	DpSiblingRows rows;
	uint32 row_bytes;
	DpRowBytes *code;   /* [own] n = 0: there is no code */
	DpAttribute *coded; /* [own] the attribute that it is a code of */
	DpRowBytes *key;    /* [tables] to which rows of each child refer */
	DpRowBytes reference;
	DpRowBytes order;
} PartRows;

struct DpTreeReader
{
	const DpTableTree *tree;
	MemoryContext context;
	bool joins; /* the keys of all tables can be joined here */
	PartRows *part;
};

/* ---- what can be read ---- */

static uint32
key_bytes(Oid relation, const char *column)
{
	return dp_sortable_bytes(get_atttype(relation, get_attnum(relation, column)));
}

static bool
can_join(const DpTableTree *tree, int number)
{
	const DpTreeTable *table = &tree->table[number];

	if ((table->key != NULL && key_bytes(table->relation, table->key) == 0) ||
		(table->order >= 0 && dp_sortable_bytes(table->facts->column[table->order].type) == 0))
		return false;
	for (uint32 a = 0; a < table->own; a++)
		if (OidIsValid(table->facts->column[a].base_relation))
			return false;
	for (int c = 0; table->parent >= 0 && c < table->reference->columns; c++)
	{
		uint32 bytes = key_bytes(table->relation, table->reference->column[c]);

		if (bytes == 0 ||
			bytes != key_bytes(tree->table[table->parent].relation, table->reference->key[c]))
			return false;
	}
	return true;
}

DpTreeReader *
dp_tree_reader_create(const DpTableTree *tree)
{
	DpTreeReader *reader = palloc0(sizeof(DpTreeReader));

	reader->tree = tree;
	reader->context = CurrentMemoryContext;
	reader->part = palloc0(sizeof(PartRows) * tree->tables);
	reader->joins = true;
	for (int i = 0; i < tree->tables; i++)
		reader->joins &= can_join(tree, i);
	return reader;
}

/* ---- reading a table ---- */

/* The fields of a row, in the order in which they stand in it. */
typedef struct Layout
{
	uint32 columns;
	DpRowField *column;
	uint32 *attribute;
	uint32 at; /* where the next field begins */
} Layout;

static DpRowBytes
field_add(Layout *layout, const DpRowField *field, uint32 attribute)
{
	DpRowBytes bytes = {layout->at, dp_row_field_bytes(field)};

	layout->column[layout->columns] = *field;
	layout->attribute[layout->columns++] = attribute;
	layout->at += bytes.n;
	return bytes;
}

/* Adds a field that is compared as bytes behind those of the same key. */
static void
sortable_add(Layout *layout, DpRowBytes *key, uint32 argument, uint32 bytes)
{
	DpRowBytes added = field_add(
		layout, &(DpRowField){.kind = DP_FIELD_SORTABLE, .argument = argument, .levels = bytes}, 0);

	*key = (DpRowBytes){key->n == 0 ? added.at : key->at, key->n + added.n};
}

/* The arguments are those of dp_source_tree_rows. */
static Layout
layout_of(const DpTableTree *tree, int number, const DpDomain *domain, PartRows *part)
{
	const DpTreeTable *table = &tree->table[number];
	uint32 most = table->own + 3, argument = table->own, reference;
	Layout layout = {.at = DP_UNIT_BYTES};

	for (int i = 0; i < tree->tables; i++)
		most += tree->table[i].parent >= 0 ? (uint32) tree->table[i].reference->columns : 0;
	layout.column = palloc0(sizeof(DpRowField) * most);
	layout.attribute = palloc0(sizeof(uint32) * most);
	(void) field_add(&layout, &(DpRowField){.kind = DP_FIELD_HASH}, 0);
	for (uint32 a = 0; a < table->own; a++)
	{
		part->coded[a] = domain->attribute[a];
		if (!domain->attribute[a].open)
			part->code[a] = field_add(&layout,
									  &(DpRowField){.kind = DP_FIELD_CODE,
													.argument = a,
													.levels = domain->attribute[a].levels},
									  a);
	}
	for (int i = number + 1; i < tree->tables; i++)
	{
		const DpForeignKey *key = tree->table[i].reference;

		for (int c = 0; tree->table[i].parent == number && c < key->columns; c++)
			sortable_add(&layout, &part->key[i], argument++,
						 key_bytes(table->relation, key->key[c]));
	}
	reference = argument;
	argument += table->parent >= 0 ? (uint32) table->reference->columns : 0;
	for (uint32 i = reference; i < argument; i++)
		sortable_add(&layout, &part->reference, i,
					 key_bytes(table->relation, table->reference->column[i - reference]));
	if (table->order >= 0)
		sortable_add(&layout, &part->order, (uint32) table->order,
					 dp_sortable_bytes(table->facts->column[table->order].type));
	if (table->key != NULL)
		sortable_add(&layout, &part->order, argument, key_bytes(table->relation, table->key));
	return layout;
}

static uint32
arguments_of(const DpTableTree *tree, int number)
{
	uint32 arguments = 1;

	for (int i = number; i < tree->tables; i++)
		if (tree->table[i].parent >= 0 && (i == number || tree->table[i].parent == number))
			arguments += (uint32) tree->table[i].reference->columns;
	return arguments;
}

/* Begins anew with the rows of a table, in a memory context of their own. */
static PartRows *
part_create(DpTreeReader *reader, int number)
{
	const DpTreeTable *table = &reader->tree->table[number];
	PartRows *part = &reader->part[number];
	MemoryContext context;

	if (part->context != NULL)
		MemoryContextDelete(part->context);
	context =
		AllocSetContextCreate(reader->context, "dpsyn rows of a tree", ALLOCSET_DEFAULT_SIZES);
	*part = (PartRows){
		.context = context,
		.code = MemoryContextAllocZero(context, sizeof(DpRowBytes) * (table->own + 1)),
		.coded = MemoryContextAllocZero(context, sizeof(DpAttribute) * (table->own + 1)),
		.key = MemoryContextAllocZero(context, sizeof(DpRowBytes) * reader->tree->tables)};
	return part;
}

static bool
part_read(DpTreeReader *reader, int number, DpScan *scan, const DpDomain *domain)
{
	const DpTreeTable *table = &reader->tree->table[number];
	PartRows *part = part_create(reader, number);
	uint32 *own = palloc(sizeof(uint32) * (table->own + 1));
	Layout layout = layout_of(reader->tree, number, domain, part);
	MemoryContext caller = MemoryContextSwitchTo(part->context);
	bool fits;

	for (uint32 a = 0; a < table->own; a++)
		own[a] = a;
	fits = dp_scan_row_cache(
		scan,
		&(DpRowCacheRead){.domain = domain,
						  .statement = psprintf("SELECT dp_catalog.dp_row_cache($1, %s",
												dp_source_tree_rows(reader->tree, number)),
						  .arguments = table->own,
						  .argument = own,
						  .others = arguments_of(reader->tree, number),
						  .columns = layout.columns,
						  .column = layout.column,
						  .attribute = layout.attribute},
		&part->rows.cache);
	MemoryContextSwitchTo(caller);
	return fits;
}

/* ---- joining ---- */

static const unsigned char *
key_of(const DpScan *scan)
{
	return (const unsigned char *) VARDATA_ANY(scan->source->key);
}

static DpStatus
part_join(DpTreeReader *reader, int number, const DpScan *scan)
{
	const DpTreeTable *table = &reader->tree->table[number];
	PartRows *part = &reader->part[number];
	DpArena arena = dp_arena_for(part->context), work = dp_arena_for(CurrentMemoryContext);
	const PartRows *above;
	DpRowIndex index;

	if (table->parent < 0)
		return dp_sibling_rows_root(&part->rows, &arena);
	above = &reader->part[table->parent];
	DP_TRY(dp_row_index_create(&index, &above->rows, above->key[number], key_of(scan), &work));
	return dp_sibling_rows_below(&part->rows, &index,
								 &(DpTreeLink){.reference = part->reference,
											   .order = part->order,
											   .rows_max = table->dataset.rows_per_parent,
											   .full = table->full,
											   .full_row = table->full_row},
								 &arena);
}

/* How many rows of a child refer to each row of its parent. NULL: these rows do not fit. */
static uint64 *
count_below(DpTreeReader *reader, int child, DpScan *scan)
{
	const DpTableTree *tree = reader->tree;
	const DpTreeTable *table = &tree->table[child];
	const PartRows *above = &reader->part[table->parent];
	uint32 columns = (uint32) table->reference->columns;
	Layout layout = {.column = palloc0(sizeof(DpRowField) * columns),
					 .attribute = palloc0(sizeof(uint32) * columns),
					 .at = DP_UNIT_BYTES};
	DpArena arena = dp_arena_for(CurrentMemoryContext);
	uint64 *count = dp_alloc(&arena, above->rows.rows, sizeof(uint64));
	DpRowBytes reference = {0};
	DpRowCache rows;
	DpRowIndex index;

	for (uint32 c = 0; c < columns; c++)
		sortable_add(&layout, &reference, c,
					 key_bytes(table->relation, table->reference->column[c]));
	if (count == NULL ||
		dp_row_index_create(&index, &above->rows, above->key[child], key_of(scan), &arena) !=
			DP_OK ||
		!dp_scan_row_cache(scan,
						   &(DpRowCacheRead){.statement = dp_source_tree_references(tree, child),
											 .others = columns,
											 .columns = layout.columns,
											 .column = layout.column,
											 .attribute = layout.attribute},
						   &rows))
		return NULL;
	dp_sibling_rows_count(&rows, reference, &index, count);
	return count;
}

/* ---- codes ---- */

typedef enum ValueKind
{
	VALUE_NONE, /* its values are still to be found */
	VALUE_OWN,  /* of the row itself, or of the row of an ancestor */
	VALUE_COUNT,
	VALUE_SIBLINGS,
	VALUE_PREVIOUS,
	VALUE_AGAIN
} ValueKind;

/* What an attribute of a table is. */
typedef struct Value
{
	ValueKind kind;
	int table;      /* whose row has it; of COUNT: the child */
	uint32 own;     /* attribute of that table */
	uint32 code;    /* VALUE_PREVIOUS: that of no sibling */
	DpRowBytes at;  /* of OWN, PREVIOUS and AGAIN */
	uint64 *count;  /* VALUE_COUNT */
	uint32 largest; /* VALUE_COUNT */
} Value;

/* A table whose rows are made codes. */
typedef struct Coding
{
	const DpTreeReader *reader;
	int number;
	uint32 values;
	Value *value;      /* [values] */
	DpDomain domain;   /* that the codes are of */
	uint32 *attribute; /* [values] */
	uint64 *at;        /* [tables] the row of each ancestor, for the current row */
} Coding;

static Value
value_above(const DpTreeReader *reader, int number, uint32 attribute)
{
	const DpTableTree *tree = reader->tree;
	int table = number;

	while (attribute >= tree->table[table].own)
	{
		attribute = (uint32) tree->table[table].from_parent[attribute];
		table = tree->table[table].parent;
	}
	return (Value){.kind = VALUE_OWN,
				   .table = table,
				   .own = attribute,
				   .at = reader->part[table].code[attribute]};
}

/* Whether an attribute describes siblings; *value: the attribute of the siblings that it is made
 * of. */
static bool
is_of_siblings(const DpTreeTable *table, uint32 attribute, Value *value)
{
	const char *name = table->facts->domain.attribute[attribute].name;

	for (uint32 a = 0; a < table->own; a++)
	{
		const char *own = table->facts->domain.attribute[a].name;

		value->own = a;
		value->kind = strcmp(name, dp_tree_previous_name(table->name, own)) == 0 ? VALUE_PREVIOUS
					  : strcmp(name, dp_tree_again_name(table->name, own)) == 0  ? VALUE_AGAIN
																				 : VALUE_NONE;
		if (value->kind != VALUE_NONE)
			return true;
	}
	return false;
}

static Value
value_of(const DpTreeReader *reader, int number, uint32 attribute)
{
	const DpTableTree *tree = reader->tree;
	const DpTreeTable *table = &tree->table[number];
	const char *name = table->facts->domain.attribute[attribute].name;
	Value value = {.table = number};

	if (attribute < table->own || table->from_parent[attribute] >= 0)
		return value_above(reader, number, attribute);
	if (table->parent >= 0 && strcmp(name, dp_tree_siblings_name(table->name)) == 0)
		value.kind = VALUE_SIBLINGS;
	for (int i = number + 1; i < tree->tables; i++)
		if (tree->table[i].parent == number &&
			strcmp(name, dp_tree_count_name(tree->table[i].name)) == 0)
			value = (Value){
				.kind = VALUE_COUNT, .table = i, .largest = tree->table[i].dataset.rows_per_parent};
	if (value.kind == VALUE_NONE)
	{
		if (!is_of_siblings(table, attribute, &value))
			elog(ERROR, "dpsyn: an attribute of a tree is unknown");
		value.at = reader->part[number].code[value.own];
	}
	return value;
}

/* The attribute that a value is a code of. */
static DpAttribute
coded_as(const DpTreeReader *reader, const Value *value, const DpAttribute *attribute)
{
	DpAttribute coded = *attribute;

	if (value->kind == VALUE_OWN)
		coded = reader->part[value->table].coded[value->own];
	else if (value->kind == VALUE_PREVIOUS)
	{
		coded = reader->part[value->table].coded[value->own];
		coded.has_other = true; /* there is none */
		dp_attribute_count_levels(&coded);
	}
	coded.name = attribute->name;
	return coded;
}

/* False: the rows of a child do not fit in memory. */
static bool
coding_create(Coding *coding, DpScan *scan, const DpDomain *domain)
{
	DpTreeReader *reader = scan->source->reader;
	int number = coding->number = scan->source->number;
	uint32 n = domain->attributes;

	coding->reader = reader;
	coding->value = palloc0(sizeof(Value) * Max(n, 1));
	coding->attribute = palloc(sizeof(uint32) * Max(n, 1));
	coding->at = palloc0(sizeof(uint64) * reader->tree->tables);
	coding->domain = *domain;
	coding->domain.attribute =
		MemoryContextAllocZero(scan->context, sizeof(DpAttribute) * Max(n, 1));
	for (uint32 a = 0; a < n; a++)
	{
		Value value = value_of(reader, number, a);
		DpAttribute *coded = &coding->domain.attribute[a];

		*coded = coded_as(reader, &value, &domain->attribute[a]);
		if (value.kind == VALUE_COUNT)
			value.count = count_below(reader, value.table, scan);
		if (value.kind == VALUE_COUNT && value.count == NULL)
			return false;
		if (value.kind != VALUE_COUNT && value.kind != VALUE_SIBLINGS && value.at.n == 0)
			continue;
		value.code = value.kind == VALUE_PREVIOUS ? coded->levels - 1 : 0;
		coding->attribute[coding->values] = a;
		coding->value[coding->values++] = value;
	}
	return true;
}

static uint32
code_at(const PartRows *part, uint64 row, const DpRowBytes *at)
{
	return (uint32) dp_row_field_read(dp_sibling_row(&part->rows, row) + at->at, at->n);
}

/* What siblings before a row tell of it. */
static DpPrevious
previous_of(const PartRows *part, uint64 row, uint64 before, const DpRowBytes *at)
{
	uint32 last[SIBLINGS_BEFORE] = {0};
	uint64 n = Min(before, SIBLINGS_BEFORE);
	bool same[3];

	for (uint64 i = 0; i < n; i++)
		last[i] = code_at(part, row - 1 - i, at);
	same[0] = n > 1 && last[0] == last[1];
	same[1] = n > 2 && last[0] == last[2];
	same[2] = n > 2 && last[1] == last[2];
	return dp_tree_previous(before, same);
}

static uint32
code_of(const Coding *coding, const Value *value, uint64 row, uint64 before)
{
	const PartRows *part = &coding->reader->part[coding->number];
	DpPrevious previous;

	switch (value->kind)
	{
		case VALUE_OWN:
			return code_at(&coding->reader->part[value->table], coding->at[value->table],
						   &value->at);
		case VALUE_COUNT:
			return (uint32) Min(value->count[row], value->largest);
		case VALUE_SIBLINGS:
			return part->rows.siblings[row] - 1;
		case VALUE_PREVIOUS:
			if (!dp_tree_has_again(&part->coded[value->own]))
				return before > 0 ? code_at(part, row - 1, &value->at) : value->code;
			previous = previous_of(part, row, before, &value->at);
			return previous.last > 0 ? code_at(part, row - (uint64) previous.last, &value->at)
									 : value->code;
		case VALUE_AGAIN:
			return previous_of(part, row, before, &value->at).same;
		case VALUE_NONE:
			break;
	}
	elog(ERROR, "dpsyn: a value of a tree has no code");
}

/* The rows that a row belongs to. */
static void
find_above(Coding *coding, uint64 row)
{
	const DpTableTree *tree = coding->reader->tree;

	coding->at[coding->number] = row;
	for (int table = coding->number; tree->table[table].parent >= 0;
		 table = tree->table[table].parent)
		coding->at[tree->table[table].parent] =
			coding->reader->part[table].rows.parent[coding->at[table]];
}

/* Adds each row as often as it counts. */
static void
codes_add(Coding *coding, DpCodeCache *into)
{
	const DpSiblingRows *rows = &coding->reader->part[coding->number].rows;
	uint32 **code = palloc(sizeof(uint32 *) * Max(coding->values, 1)), n = 0;
	uint64 before = 0;

	for (uint32 i = 0; i < coding->values; i++)
		code[i] = palloc(sizeof(uint32) * DP_BATCH_ROWS);
	for (uint64 row = 0; row < rows->rows; row++)
	{
		before = row > 0 && rows->parent != NULL && rows->parent[row] == rows->parent[row - 1]
					 ? before + 1
					 : 0;
		if (rows->copies[row] == 0)
			continue;
		find_above(coding, row);
		for (uint32 copy = 0, first = n; copy < rows->copies[row]; copy++)
		{
			for (uint32 i = 0; i < coding->values; i++)
				code[i][n] = copy > 0 && n > first
								 ? code[i][n - 1]
								 : code_of(coding, &coding->value[i], row, before);
			if (++n < DP_BATCH_ROWS)
				continue;
			CHECK_FOR_INTERRUPTS();
			dp_code_cache_add(into, (const uint32 *const *) code, n);
			n = first = 0;
		}
	}
	dp_code_cache_add(into, (const uint32 *const *) code, n);
}

bool
dp_tree_reader_keep(DpScan *scan, const DpDomain *domain)
{
	DpTreeReader *reader = scan->source->reader;
	int number = scan->source->number, parent = reader->tree->table[number].parent;
	Coding coding = {.values = 0};
	DpScanColumns columns;
	DpCodeCache *kept;
	DpSpec spec;

	if (!reader->joins || (parent >= 0 && reader->part[parent].rows.row == NULL) ||
		!part_read(reader, number, scan, domain) || part_join(reader, number, scan) != DP_OK ||
		!coding_create(&coding, scan, domain))
		return false;
	columns = (DpScanColumns){.n = coding.values, .attribute = coding.attribute};
	dp_spec_domain(&coding.domain, scan->source->relation->column, coding.attribute, coding.values,
				   &spec);
	spec.keep = (DpKeep){.bytes_max = (uint64) dpsyn_row_memory * 1024, .parts = 1};
	kept = dp_scan_keep_codes(scan, &coding.domain, &columns, &spec);
	codes_add(&coding, kept);
	return !kept->lost;
}
