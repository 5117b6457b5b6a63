/*
 * column_levels.c -- levels of the values of columns: each value is one, or numbers are binned.
 */
#include "pg/evaluate/two_tables.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "pg/domain/relation.h"
#include "pg/server/numbers.h"
#include "pg/server/bridge.h"
#include "pg/server/untrusted_code.h"
#include "pg/server/values.h"

/* Inner edges of bins. A value is in the bin after all edges that it is above; on_edge: also after
 * the edge that it is equal to. */
typedef struct Edges
{
	uint32 n;
	double *at;
	bool on_edge;
} Edges;

/* ---- order ---- */

static bool
sort_values(DpTwoTables *tables, DpComparedColumn *column)
{
	uint32 n = column->values.n - 1;
	DpArena *arena = &tables->arena;
	uint64_t *order = dp_alloc(arena, n, sizeof(uint64_t));

	column->order = dp_alloc(arena, n, sizeof(uint32));
	column->level = dp_alloc(arena, column->values.n, sizeof(uint32));
	if (order == NULL || column->order == NULL || column->level == NULL ||
		dp_value_codes_order(&column->values, order, arena) != DP_OK)
		return false;
	for (uint32 i = 0; i < n; i++)
		column->order[i] = (uint32) order[i];
	dp_free(arena, order, n, sizeof(uint64_t));
	return true;
}

/* ---- bins ---- */

/*
 * The smallest values up to which at least 1/n, 2/n, ... of the original's values are. Values above
 * the last edge are the last bin; an edge that leaves no value of the original above it is none.
 */
static Edges
quantile_edges(const DpComparedColumn *column, uint32 bins)
{
	const int64 *rows = column->values.rows[DP_ORIGINAL];
	Edges edges = {.at = palloc(sizeof(double) * bins)};
	int64 total = 0;
	int64 below = 0;
	uint32 passed = 1; /* the quantile that is sought */

	for (uint32 i = 0; i < column->values.n - 1; i++)
		total += rows[column->order[i]];
	for (uint32 i = 0; i < column->values.n - 1 && passed < bins; i++)
	{
		uint32 code = column->order[i];

		below += rows[code];
		if (below == total || rows[code] == 0 || (double) below * bins < (double) passed * total)
			continue;
		edges.at[edges.n++] = column->values.number[code];
		while (passed < bins && (double) below * bins >= (double) passed * total)
			passed++;
	}
	return edges;
}

/* They are read as the type that a domain is over: its CHECKs are somebody's code, and the labels
 * were found to keep them when they were declared. */
static Edges
public_edges(const DpAttribute *attribute, const DpComparedColumn *column)
{
	int32 typmod = column->own_typmod;
	Oid type = getBaseTypeAndTypmod(column->own_type, &typmod);
	Edges edges = {.at = palloc(sizeof(double) * attribute->labels_n), .on_edge = true};

	for (uint32 i = 1; i + 1 < attribute->labels_n; i++)
		edges.at[edges.n++] =
			dp_number_of_value(dp_value_in(attribute->labels[i], type, typmod), type);
	return edges;
}

static void
bin_values(DpComparedColumn *column, const Edges *edges)
{
	uint32 bin = 0;

	for (uint32 i = 0; i < column->values.n - 1; i++)
	{
		double value = column->values.number[column->order[i]];

		while (bin < edges->n &&
			   !(edges->on_edge ? value < edges->at[bin] : value <= edges->at[bin]))
			bin++;
		column->level[column->order[i]] = bin;
	}
	column->levels = edges->n + 1;
}

/* ---- levels ---- */

static const DpAttribute *
public_bins(const DpRelation *relation, const char *name)
{
	int found = relation == NULL ? -1 : dp_domain_find(&relation->domain, name);

	if (found < 0 || dp_column_is_distance(&relation->column[found]))
		return NULL;
	return relation->domain.attribute[found].kind == DP_BINS &&
				   relation->domain.attribute[found].range == NULL
			   ? &relation->domain.attribute[found]
			   : NULL;
}

static void
each_value_a_level(DpComparedColumn *column)
{
	column->levels = column->values.n - 1;
	for (uint32 i = 0; i < column->levels; i++)
		column->level[column->order[i]] = i;
}

/* ---- values that are equal in several texts ---- */

/* Whether values of a type that are equal can have several text forms. */
static bool
has_spellings(const DpComparedColumn *column)
{
	Oid type = column->type[DP_ORIGINAL];

	if (column->kind != DP_KIND_TEXT || type != column->type[DP_SYNTHETIC] ||
		dp_type_runs_code(type))
		return false;
	if (type >= FirstNormalObjectId || type == INTERVALOID || type == JSONBOID ||
		dp_type_of_parts(type) != type)
		return true;
	return OidIsValid(column->collation) && !get_collation_isdeterministic(column->collation);
}

typedef struct ReadValue
{
	Datum value;
	uint32 code;
} ReadValue;

typedef struct Comparison
{
	FmgrInfo *compare;
	Oid collation;
} Comparison;

static int
compare_read(const void *a, const void *b, void *context)
{
	const Comparison *by = context;

	CHECK_FOR_INTERRUPTS();
	return DatumGetInt32(FunctionCall2Coll(by->compare, by->collation,
										   ((const ReadValue *) a)->value,
										   ((const ReadValue *) b)->value));
}

/* Values that are equal are one level, in the order of the type. */
static void
equal_values_a_level(DpComparedColumn *column)
{
	Oid type = column->type[DP_ORIGINAL];
	TypeCacheEntry *cache = lookup_type_cache(type, TYPECACHE_CMP_PROC_FINFO);
	Comparison by = {&cache->cmp_proc_finfo, column->collation};
	uint32 n = column->values.n - 1;
	MemoryContext context, caller;
	ReadValue *read;

	if (!OidIsValid(cache->cmp_proc_finfo.fn_oid) || n == 0)
	{
		each_value_a_level(column);
		return;
	}
	context = AllocSetContextCreate(CurrentMemoryContext, "dpsyn values", ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(context);
	read = palloc_extended(sizeof(ReadValue) * n, MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < n; i++)
	{
		const DpValueText *text = &column->values.text[i + 1];
		char *words = pnstrdup(column->values.bytes + text->at, text->length);

		read[i] = (ReadValue){dp_value_in(words, type, -1), i + 1};
	}
	qsort_arg(read, n, sizeof(ReadValue), compare_read, &by);
	column->levels = 0;
	for (uint32 i = 0; i < n; i++)
	{
		column->levels += i == 0 || compare_read(&read[i - 1], &read[i], &by) != 0;
		column->level[read[i].code] = column->levels - 1;
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
}

static void
make_levels(const DpTwoTables *tables, const DpRelation *relation, DpComparedColumn *column)
{
	bool binned = column->kind == DP_KIND_NUMBER && !tables->each_value;
	const DpAttribute *bins = binned ? public_bins(relation, column->name) : NULL;
	Edges edges;

	if (bins != NULL)
	{
		edges = public_edges(bins, column);
		bin_values(column, &edges);
		column->bins = psprintf("%u public bins", column->levels);
	}
	else if (binned && column->values.n - 1 > tables->bins_max)
	{
		edges = quantile_edges(column, tables->bins_max);
		bin_values(column, &edges);
		column->bins = psprintf("%u quantile bins of the original", column->levels);
	}
	else if (has_spellings(column))
		equal_values_a_level(column);
	else
		each_value_a_level(column);
	column->level[DP_CODE_NULL] = column->levels;
	if (column->nulls[DP_ORIGINAL] + column->nulls[DP_SYNTHETIC] > 0)
		column->levels++;
}

/* The columns that are compared, as attributes of a domain. */
static void
make_domain(DpTwoTables *tables)
{
	DpDomain *domain = &tables->domain;

	domain->attribute = palloc0(sizeof(DpAttribute) * tables->columns);
	tables->column_of = palloc(sizeof(uint32) * tables->columns);
	for (uint32 c = 0; c < tables->columns; c++)
	{
		const DpComparedColumn *column = &tables->column[c];

		if (column->left_out != NULL)
		{
			dp_two_tables_skip(tables, column->name, column->left_out);
			continue;
		}
		tables->column_of[domain->attributes] = c;
		domain->attribute[domain->attributes++] =
			(DpAttribute){.name = column->name, .kind = DP_CATEGORIES, .levels = column->levels};
	}
}

void
dp_two_tables_levels(DpTwoTables *tables)
{
	const DpRelation *relation =
		tables->each_value ? NULL : dp_relation_protected(tables->relation[DP_ORIGINAL]);
	int level = dp_values_begin();

	/* half as much again, for their order */
	tables->arena.bytes_max += tables->arena.bytes_max / 2;
	for (uint32 c = 0; c < tables->columns; c++)
	{
		DpComparedColumn *column = &tables->column[c];

		CHECK_FOR_INTERRUPTS();
		if (column->left_out != NULL)
			continue;
		if (sort_values(tables, column))
			make_levels(tables, relation, column);
		else
			column->left_out = psprintf("its %u different values do not fit memory; raise the "
										"option memory",
										column->values.n - 1);
	}
	dp_values_end(level);
	make_domain(tables);
}
