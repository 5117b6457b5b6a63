/*
 * public_table.c -- reading a public table, and those that it refers to.
 *
 * The table is read by a scan of its rows and no statement, if its owner may read it. No operator is
 * called, and no function but the output functions of PostgreSQL's own types; no index, no statistics
 * and no constraint is looked at, whose expressions could take any time. What belongs together is
 * found by comparing these texts. They are sorted, so that each process that reads the same rows makes
 * the same of them.
 */
#include "pg/domain/public_table.h"

#include <math.h>

#include "access/relation.h"
#include "access/tableam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "common/hashfn.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "parser/parse_coerce.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "core/domain/grid.h"
#include "pg/budget/public_relation.h"
#include "pg/domain/schema_keys.h"
#include "pg/domain/universe.h"
#include "pg/server/catalog.h"
#include "pg/server/foreign_key.h"
#include "pg/server/values.h"

#define ROWS_MAX DP_GRID_CELLS_MAX
#define DEPTH_MAX 4    /* tables on the way up */
#define COLUMNS_MAX 64 /* of a table that are read */
#define BATCH_ROWS 10000
#define VALUE_BYTES_MAX 200 /* of a value that groups keys, or is asked for */

/* ---- texts, each once ---- */

/* The texts of a column by their numbers, in the order in which they come. */
typedef struct Texts
{
	uint32 n;
	uint32 capacity;
	const char **text;
	uint32 *slot; /* [mask + 1] number + 1; 0: free */
	uint32 mask;
} Texts;

static Texts *
texts_create(void)
{
	Texts *texts = palloc0(sizeof(Texts));

	texts->capacity = 32;
	texts->text = palloc(sizeof(char *) * texts->capacity);
	texts->mask = 127;
	texts->slot = palloc0(sizeof(uint32) * (texts->mask + 1));
	return texts;
}

static uint32 *
slot_of(const Texts *texts, const char *text)
{
	uint32 hash = hash_bytes((const unsigned char *) text, (int) strlen(text));

	for (uint32 i = hash & texts->mask;; i = (i + 1) & texts->mask)
		if (texts->slot[i] == 0 || strcmp(texts->text[texts->slot[i] - 1], text) == 0)
			return &texts->slot[i];
}

static void
texts_grow(Texts *texts)
{
	texts->capacity *= 2;
	texts->text = repalloc_huge(texts->text, sizeof(char *) * texts->capacity);
	texts->mask = texts->mask * 2 + 1;
	pfree(texts->slot);
	texts->slot = palloc_extended(sizeof(uint32) * ((Size) texts->mask + 1),
								  MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (uint32 i = 0; i < texts->n; i++)
		*slot_of(texts, texts->text[i]) = i + 1;
}

/* DP_PUBLIC_NO_VALUE: it is not there. */
static uint32
text_find(const Texts *texts, const char *text)
{
	uint32 slot = *slot_of(texts, text);

	return slot == 0 ? DP_PUBLIC_NO_VALUE : slot - 1;
}

static uint32
text_add(Texts *texts, const char *text)
{
	uint32 *slot = slot_of(texts, text);

	if (*slot != 0)
		return *slot - 1;
	if (texts->n == texts->capacity)
	{
		texts_grow(texts);
		slot = slot_of(texts, text);
	}
	texts->text[texts->n] = pstrdup(text);
	*slot = ++texts->n;
	return texts->n - 1;
}

/* A text with its number and, where it is one, its size. */
typedef struct Sorted
{
	const char *text;
	double size;
	uint32 number;
} Sorted;

/* Numbers by their size, anything else byte by byte. */
static int
compare_sorted(const void *a, const void *b)
{
	const Sorted *one = a;
	const Sorted *other = b;

	if (one->size != other->size)
		return one->size < other->size ? -1 : 1;
	return strcmp(one->text, other->text);
}

/* The numbers of the texts in their order. */
static uint32 *
texts_order(const Texts *texts, Oid type)
{
	uint32 *order = palloc_extended(sizeof(uint32) * Max(texts->n, 1), MCXT_ALLOC_HUGE);
	Sorted *sorted = palloc_extended(sizeof(Sorted) * Max(texts->n, 1), MCXT_ALLOC_HUGE);
	bool numbers = TypeCategory(type) == TYPCATEGORY_NUMERIC;

	for (uint32 i = 0; i < texts->n; i++)
	{
		double size = numbers ? strtod(texts->text[i], NULL) : 0;

		sorted[i] = (Sorted){texts->text[i], isnan(size) ? INFINITY : size, i};
	}
	qsort(sorted, texts->n, sizeof(Sorted), compare_sorted);
	for (uint32 i = 0; i < texts->n; i++)
		order[i] = sorted[i].number;
	pfree(sorted);
	return order;
}

/* ---- columns ---- */

/* A column while it is read. */
typedef struct Reading
{
	DpPublicColumn *column;
	Oid base;
	FmgrInfo output;
	Texts *texts;
	uint32 most; /* values; more, or longer ones, and the column is of no use */
	bool useless;
	uint32 *code; /* [capacity of the rows] */
} Reading;

/* Whether values of the type print without code of users: PostgreSQL's own scalars, and enums. */
static bool
is_readable(Oid type)
{
	Oid base = getBaseType(type);

	return dp_type_is_plain(base) || get_typtype(base) == TYPTYPE_ENUM;
}

/* The public table that a column refers to by itself, and the column there; InvalidOid: none. */
static Oid
table_above(Relation relation, AttrNumber number, AttrNumber *key)
{
	ListCell *cell;

	foreach (cell, dp_references(relation))
	{
		const DpReference *reference = lfirst(cell);

		*key = reference->key[0];
		if (reference->columns == 1 && reference->column[0] == number &&
			reference->parent != RelationGetRelid(relation) &&
			dp_relation_is_public(reference->parent))
			return reference->parent;
	}
	return InvalidOid;
}

static Reading *
reading_create(Relation relation, AttrNumber number, bool is_key)
{
	Form_pg_attribute form = TupleDescAttr(RelationGetDescr(relation), number - 1);
	Reading *reading = palloc0(sizeof(Reading));
	DpPublicColumn *column = palloc0(sizeof(DpPublicColumn));
	AttrNumber key;
	Oid function;
	bool varlena;

	*column = (DpPublicColumn){.relation = RelationGetRelid(relation),
							   .table = pstrdup(RelationGetRelationName(relation)),
							   .name = pstrdup(NameStr(form->attname)),
							   .number = number,
							   .type = form->atttypid,
							   .typmod = form->atttypmod,
							   .collation = form->attcollation};
	column->refers = !is_key && OidIsValid(table_above(relation, number, &key));
	reading->column = column;
	reading->base = getBaseType(form->atttypid);
	reading->texts = texts_create();
	reading->most = is_key || column->refers ? ROWS_MAX : DP_PUBLIC_VALUES_MAX;
	getTypeOutputInfo(reading->base, &function, &varlena);
	fmgr_info(function, &reading->output);
	return reading;
}

/* The key first, and then the columns that are read, in their order. */
static List *
readings_create(Relation relation, AttrNumber key)
{
	TupleDesc row = RelationGetDescr(relation);
	List *readings = list_make1(reading_create(relation, key, true));

	for (int i = 0; i < row->natts && list_length(readings) <= COLUMNS_MAX; i++)
	{
		Form_pg_attribute form = TupleDescAttr(row, i);

		/* a generated column may be computed when it is read */
		if (form->attisdropped || form->attgenerated != '\0' || form->attnum == key ||
			!is_readable(form->atttypid) || dp_schema_is_unique(relation, i))
			continue;
		readings = lappend(readings, reading_create(relation, form->attnum, false));
	}
	return readings;
}

/* ---- rows ---- */

/* The rows of a table while they are read. */
typedef struct Rows
{
	List *readings; /* of Reading */
	uint32 n;
	uint32 capacity;
	bool first; /* the others are counted, no more */
	uint32 counted;
	MemoryContext context;
	MemoryContext batch; /* of texts that are not kept */
} Rows;

static void
rows_grow(Rows *rows)
{
	ListCell *cell;

	rows->capacity *= 2;
	foreach (cell, rows->readings)
		((Reading *) lfirst(cell))->code =
			repalloc_huge(((Reading *) lfirst(cell))->code, sizeof(uint32) * rows->capacity);
}

static void
value_keep(Rows *rows, Reading *reading, Datum value, bool isnull)
{
	MemoryContext caller;
	const char *text;

	reading->code[rows->n] = DP_PUBLIC_NO_VALUE;
	if (isnull || reading->useless)
		return;
	caller = MemoryContextSwitchTo(rows->batch);
	text = dp_text_canonical(&reading->output, reading->base, value);
	MemoryContextSwitchTo(rows->context);
	reading->useless = strlen(text) > VALUE_BYTES_MAX && reading->most < ROWS_MAX;
	if (!reading->useless)
		reading->code[rows->n] = text_add(reading->texts, text);
	reading->useless |= reading->texts->n > reading->most;
	MemoryContextSwitchTo(caller);
}

/* A row without a key is one that nothing refers to. false: there are too many. */
static bool
row_keep(Rows *rows, const AttrNumber *number, TupleTableSlot *slot)
{
	bool isnull;
	ListCell *cell;

	(void) slot_getattr(slot, number[0], &isnull);
	if (isnull)
		return true;
	if (rows->counted++ == ROWS_MAX)
		return false;
	if (rows->first && rows->n > 0)
		return true;
	if (rows->n == rows->capacity)
		rows_grow(rows);
	foreach (cell, rows->readings)
	{
		Datum value = slot_getattr(slot, number[foreach_current_index(cell)], &isnull);

		value_keep(rows, lfirst(cell), value, isnull);
	}
	if (++rows->n % BATCH_ROWS == 0)
		MemoryContextReset(rows->batch);
	return true;
}

/* The numbers that the columns have in a part of the table. */
static AttrNumber *
numbers_in(const Rows *rows, Oid part)
{
	AttrNumber *number = palloc(sizeof(AttrNumber) * list_length(rows->readings));
	ListCell *cell;

	foreach (cell, rows->readings)
		number[foreach_current_index(cell)] =
			get_attnum(part, ((Reading *) lfirst(cell))->column->name);
	return number;
}

static bool
part_fetch(Relation part, Snapshot snapshot, Rows *rows)
{
	AttrNumber *number = numbers_in(rows, RelationGetRelid(part));
	TupleTableSlot *slot = table_slot_create(part, NULL);
	TableScanDesc scan = table_beginscan(part, snapshot, 0, NULL);
	bool fits = true;

	while (fits && table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		CHECK_FOR_INTERRUPTS();
		fits = row_keep(rows, number, slot);
	}
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	pfree(number);
	return fits;
}

/* A partitioned table has the rows of its partitions; of one that others inherit from, a foreign key
 * finds its own. */
static List *
parts_of(Relation relation)
{
	return relation->rd_rel->relkind == RELKIND_PARTITIONED_TABLE
			   ? find_all_inheritors(RelationGetRelid(relation), AccessShareLock, NULL)
			   : list_make1_oid(RelationGetRelid(relation));
}

/* false: there are too many rows, or they are on another server. */
static bool
rows_fetch(Relation relation, Rows *rows)
{
	Snapshot snapshot =
		RegisterSnapshot(IsInParallelMode() ? GetActiveSnapshot() : GetLatestSnapshot());
	bool fits = true;
	ListCell *cell;

	foreach (cell, parts_of(relation))
	{
		Relation part = relation_open(lfirst_oid(cell), AccessShareLock);
		char kind = part->rd_rel->relkind;

		if (kind == RELKIND_RELATION)
			fits = part_fetch(part, snapshot, rows);
		else
			fits = kind == RELKIND_PARTITIONED_TABLE;
		relation_close(part, NoLock);
		if (!fits)
			break;
	}
	UnregisterSnapshot(snapshot);
	return fits;
}

/* ---- a table ---- */

/* The way to a table. */
typedef struct Way
{
	int depth;
	List *below; /* OIDs of the tables on it, which refer to each other in no circle here */
	bool wait;   /* for locks */
	bool first;  /* of the keys alone, and no other column */
} Way;

static DpPublicTable *table_read(Oid oid, AttrNumber key, Way way);

/* The codes of a column, for rows in another order: row i of the result is row at[i]. Codes follow
 * the order of the values. */
static void
column_finish(const Reading *reading, const uint32 *at, uint32 rows)
{
	DpPublicColumn *column = reading->column;
	uint32 *order = texts_order(reading->texts, reading->base);
	uint32 *rank = palloc_extended(sizeof(uint32) * Max(reading->texts->n, 1), MCXT_ALLOC_HUGE);

	column->values = reading->texts->n;
	column->value = palloc_extended(sizeof(char *) * Max(column->values, 1), MCXT_ALLOC_HUGE);
	column->code = palloc_extended(sizeof(uint32) * rows, MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < column->values; i++)
	{
		column->value[i] = reading->texts->text[order[i]];
		rank[order[i]] = i;
	}
	for (uint32 i = 0; i < rows; i++)
	{
		uint32 code = reading->code[at[i]];

		column->code[i] = code == DP_PUBLIC_NO_VALUE ? code : rank[code];
	}
	pfree(rank);
	pfree(order);
}

/* The column of the table that was made of one of a table that it refers to. */
static const DpPublicColumn *
via_moved(const DpPublicTable *table, const DpPublicColumn *from)
{
	ListCell *cell;

	foreach (cell, table->columns)
	{
		const DpPublicColumn *column = lfirst(cell);

		if (column->relation == from->relation && column->number == from->number &&
			column->depth == from->depth + 1)
			return column;
	}
	elog(ERROR, "dpsyn: a column of a public table is unknown");
}

/* The columns of a table that it refers to, for the rows of the one below: by the column that refers to it. */
static void
columns_from_above(DpPublicTable *table, const DpPublicColumn *reference, AttrNumber key,
				   const DpPublicTable *above)
{
	Texts *keys = texts_create();
	uint32 *row = palloc_extended(sizeof(uint32) * Max(reference->values, 1), MCXT_ALLOC_HUGE);
	ListCell *cell;

	for (uint32 i = 0; i < above->rows; i++)
		(void) text_add(keys, above->key[i]);
	for (uint32 v = 0; v < reference->values; v++)
		row[v] = text_find(keys, reference->value[v]);
	foreach (cell, above->columns)
	{
		const DpPublicColumn *from = lfirst(cell);
		DpPublicColumn *column = palloc(sizeof(DpPublicColumn));

		*column = *from;
		column->depth++;
		if (from->via == NULL)
		{
			column->via = reference;
			column->via_key = key;
		}
		else
			column->via = via_moved(table, from->via);
		column->code = palloc_extended(sizeof(uint32) * table->rows, MCXT_ALLOC_HUGE);
		for (uint32 i = 0; i < table->rows; i++)
		{
			uint32 at = reference->code[i] == DP_PUBLIC_NO_VALUE ? DP_PUBLIC_NO_VALUE
																 : row[reference->code[i]];

			column->code[i] = at == DP_PUBLIC_NO_VALUE ? at : from->code[at];
		}
		table->columns = lappend(table->columns, column);
	}
	table->relations = list_concat_unique_oid(table->relations, above->relations);
	pfree(row);
}

static void
columns_finish(Relation relation, DpPublicTable *table, const Rows *rows, const uint32 *at, Way way)
{
	ListCell *cell;

	for_each_from(cell, rows->readings, 1)
	{
		const Reading *reading = lfirst(cell);
		AttrNumber key;
		Oid above;
		const DpPublicTable *read;

		if (reading->useless || reading->texts->n == 0)
			continue;
		column_finish(reading, at, table->rows);
		table->columns = lappend(table->columns, reading->column);
		above = reading->column->refers ? table_above(relation, reading->column->number, &key)
										: InvalidOid;
		if (!OidIsValid(above) || way.depth + 1 >= DEPTH_MAX || list_member_oid(way.below, above))
			continue;
		read = table_read(above, key, (Way){way.depth + 1, way.below, way.wait, false});
		if (read != NULL)
			columns_from_above(table, reading->column, key, read);
	}
}

static DpPublicTable *
table_of_rows(Relation relation, const Rows *rows, Way way)
{
	const Reading *key = linitial(rows->readings);
	DpPublicTable *table = palloc0(sizeof(DpPublicTable));
	uint32 *order = texts_order(key->texts, key->base); /* of the keys, each of which has one row */
	uint32 *row_of = palloc_extended(sizeof(uint32) * rows->n, MCXT_ALLOC_HUGE);

	table->relation = RelationGetRelid(relation);
	table->relations = list_make1_oid(table->relation);
	table->rows = key->texts->n;
	table->key = palloc_extended(sizeof(char *) * table->rows, MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < rows->n; i++)
		row_of[key->code[i]] = i;
	for (uint32 i = 0; i < table->rows; i++)
	{
		table->key[i] = key->texts->text[order[i]];
		order[i] = row_of[order[i]];
	}
	columns_finish(relation, table, rows, order, way);
	pfree(row_of);
	return table;
}

static DpPublicTable *
read_open(Relation relation, AttrNumber key, Way way)
{
	Rows rows = {.capacity = 256, .first = way.first, .context = CurrentMemoryContext};
	bool fits;
	ListCell *cell;

	if (!is_readable(get_atttype(RelationGetRelid(relation), key)))
		return NULL;
	rows.readings = way.first ? list_make1(reading_create(relation, key, true))
							  : readings_create(relation, key);
	rows.batch = AllocSetContextCreate(CurrentMemoryContext, "dpsyn batch", ALLOCSET_DEFAULT_SIZES);
	foreach (cell, rows.readings)
		((Reading *) lfirst(cell))->code = palloc(sizeof(uint32) * rows.capacity);
	fits = rows_fetch(relation, &rows);
	MemoryContextDelete(rows.batch);
	way.below = lappend_oid(list_copy(way.below), RelationGetRelid(relation));
	return fits ? table_of_rows(relation, &rows, way) : NULL;
}

static DpPublicTable *
table_read(Oid oid, AttrNumber key, Way way)
{
	DpPublicTable *table = NULL;
	Relation relation;
	int level;

	if (way.wait)
		LockRelationOid(oid, AccessShareLock);
	else if (!ConditionalLockRelationOid(oid, AccessShareLock))
		return NULL;
	relation = try_relation_open(oid, NoLock);
	if (relation == NULL)
		return NULL;
	if (!relation->rd_rel->relrowsecurity && dp_public_is_readable(oid))
	{
		level = dp_values_begin();
		table = read_open(relation, key, way);
		dp_values_end(level);
		/* somebody's rows can have come to it while this waited for the lock, or was reading */
		if (!dp_relation_is_public(oid))
			table = NULL;
	}
	relation_close(relation, NoLock); /* what was read stays what it is */
	return table;
}

DpPublicTable *
dp_public_table_read(Oid relation, AttrNumber key, bool wait)
{
	return table_read(relation, key, (Way){.wait = wait});
}

DpPublicTable *
dp_public_table_read_first(Oid relation, AttrNumber key)
{
	return table_read(relation, key, (Way){.first = true});
}
