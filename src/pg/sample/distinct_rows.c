/*
 * distinct_rows.c -- values by which the rows of one parent differ.
 */
#include "pg/sample/tree_level.h"

#include "utils/typcache.h"

#include "pg/domain/derived.h"
#include "pg/domain/schema_keys.h"

/* How often values and rows are drawn again. A row that is left out costs all its tries, so in a
 * block where many are left out each row gets fewer tries. */
#define TRIES_OF_VALUES 200
#define TRIES_OF_ROWS 100
#define MISSES_MANY 100
#define TRIES_AFTER_MISSES 4

/* The columns of one key. */
typedef struct RowSet
{
	int n;
	int column[INDEX_MAX_KEYS]; /* of the row type, from 0 */
	FmgrInfo *equal[INDEX_MAX_KEYS];
	Oid collation[INDEX_MAX_KEYS];
	bool nulls_equal;
} RowSet;

struct DpDistinctValues
{
	const DpDrawJob *job;
	int sets;
	RowSet *set;
	uint32 misses; /* of this block */
	/* the row that is looked for */
	const Datum *values; /* of all rows of the parent */
	const bool *nulls;
	uint32 row;
};

/* ---- making ---- */

static int
column_find(TupleDesc row, const char *name)
{
	for (int i = 0; i < row->natts; i++)
		if (!TupleDescAttr(row, i)->attisdropped &&
			strcmp(NameStr(TupleDescAttr(row, i)->attname), name) == 0)
			return i;
	return -1;
}

/* false: the row type lacks a column, or one cannot be compared. */
static bool
set_create(TupleDesc row, const DpDistinct *distinct, RowSet *set)
{
	ListCell *cell;

	*set = (RowSet){.nulls_equal = distinct->nulls_equal};
	foreach (cell, distinct->columns)
	{
		int i = column_find(row, lfirst(cell));
		TypeCacheEntry *type;

		if (i < 0 || set->n == INDEX_MAX_KEYS)
			return false;
		type = lookup_type_cache(TupleDescAttr(row, i)->atttypid, TYPECACHE_EQ_OPR_FINFO);
		if (!OidIsValid(type->eq_opr))
			return false;
		set->column[set->n] = i;
		set->collation[set->n] = TupleDescAttr(row, i)->attcollation;
		set->equal[set->n++] = &type->eq_opr_finfo;
	}
	return set->n > 0;
}

DpDistinctValues *
dp_distinct_rows_create(const DpDrawJob *job)
{
	List *sets = dp_distinct_find(job->stored->derived);
	DpDistinctValues *distinct = palloc0(sizeof(DpDistinctValues));
	ListCell *cell;

	distinct->job = job;
	distinct->set = palloc(sizeof(RowSet) * Max(list_length(sets), 1));
	foreach (cell, sets)
		distinct->sets += set_create(job->row, lfirst(cell), &distinct->set[distinct->sets]);
	return distinct->sets > 0 ? distinct : NULL;
}

/* ---- rows ---- */

void
dp_distinct_rows_begin(DpDistinctValues *distinct)
{
	if (distinct != NULL)
		distinct->misses = 0;
}

/* Whether two rows have the same there. */
static bool
is_same(const RowSet *set, const Datum *values, const bool *nulls, const Datum *others,
		const bool *other_nulls)
{
	for (int k = 0; k < set->n; k++)
	{
		int i = set->column[k];

		if (nulls[i] || other_nulls[i])
		{
			if (!set->nulls_equal || !nulls[i] || !other_nulls[i])
				return false;
		}
		else if (!DatumGetBool(
					 FunctionCall2Coll(set->equal[k], set->collation[k], values[i], others[i])))
			return false;
	}
	return true;
}

/* fits of DpRowWanted: whether a row differs from those before it. */
static bool
differs(const void *context, const Datum *values, const bool *nulls)
{
	const DpDistinctValues *distinct = context;
	int natts = distinct->job->row->natts;

	for (int s = 0; s < distinct->sets; s++)
		for (uint32 i = 0; i < distinct->row; i++)
			if (is_same(&distinct->set[s], values, nulls, distinct->values + (Size) i * natts,
						distinct->nulls + (Size) i * natts))
				return false;
	return true;
}

bool
dp_distinct_rows_keep(DpDistinctValues *distinct, DpRowStream *stream, const uint32 *codes,
					  uint32 row, Datum *values, bool *nulls)
{
	Size at = (Size) row * distinct->job->row->natts;
	bool few = distinct->misses >= MISSES_MANY;
	DpRowWanted wanted = {.fits = differs,
						  .context = distinct,
						  .tries_of_values = few ? TRIES_AFTER_MISSES : TRIES_OF_VALUES,
						  .tries_of_rows = few ? TRIES_AFTER_MISSES : TRIES_OF_ROWS};

	distinct->values = values;
	distinct->nulls = nulls;
	distinct->row = row;
	if (differs(distinct, values + at, nulls + at) ||
		dp_job_row_again(distinct->job, stream, codes, &wanted, values + at, nulls + at))
		return true;
	distinct->misses++;
	return false;
}
