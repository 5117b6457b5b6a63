/*
 * zeros.c -- dp_define_cells without counts: combinations of levels that the custodian knows
 * cannot occur; and reading them for a release.
 *
 * They are stored as texts that name levels (levels.c). Where a domain is declared again, zeros
 * whose levels it still has stay valid. For any other zero a release fails before anything is
 * spent.
 */
#include "pg/domain/declared_facts.h"

#include "miscadmin.h"
#include "utils/builtins.h"

#include "core/domain/domain.h"
#include "core/domain/zeros.h"
#include "pg/domain/levels.h"
#include "pg/server/arguments.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"

PG_FUNCTION_INFO_V1(dp_define_zeros);

/* ---- reading the catalog ---- */

typedef struct Reader
{
	DpDeclared declared;
	DpLevels *levels; /* [attributes] */
	DpZeros zeros;
	uint64 capacity; /* tuples that the last set has memory for */
} Reader;

/* Finds the attributes of a set; false if one of them has no levels any more (ERROR if strict). */
static bool
reader_attributes(Reader *reader, Datum columns, DpZeroSet *set)
{
	int n;
	Datum *names = dp_elements(columns, NULL, &n);

	*set = (DpZeroSet){.n = n, .attribute = palloc(sizeof(uint32) * Max(n, 1))};
	for (int k = 0; k < n; k++)
	{
		const char *name = NameStr(*DatumGetName(names[k]));
		int index = dp_declared_attribute(&reader->declared, name);

		if (index < 0)
			return false;
		set->attribute[k] = index;
	}
	return n >= 1 && n <= DP_ZEROS_WIDTH_MAX;
}

static bool
same_attributes(const DpZeroSet *a, const DpZeroSet *b)
{
	return a->n == b->n && memcmp(a->attribute, b->attribute, sizeof(uint32) * a->n) == 0;
}

/* The set of zeros that a stored row belongs to. Rows of a set are contiguous. */
static DpZeroSet *
reader_set(Reader *reader, const DpZeroSet *set)
{
	DpZeros *zeros = &reader->zeros;
	DpZeroSet *last = zeros->sets > 0 ? &zeros->set[zeros->sets - 1] : NULL;

	if (last == NULL || !same_attributes(last, set))
	{
		zeros->set = zeros->set == NULL
						 ? palloc(sizeof(DpZeroSet))
						 : repalloc(zeros->set, sizeof(DpZeroSet) * (zeros->sets + 1));
		last = &zeros->set[zeros->sets++];
		*last = *set;
		reader->capacity = 16;
		last->code = palloc(sizeof(uint32) * reader->capacity * last->n);
	}
	else if (last->tuples == reader->capacity)
	{
		reader->capacity *= 2;
		last->code = repalloc(last->code, sizeof(uint32) * reader->capacity * last->n);
	}
	return last;
}

static void
reader_row(Reader *reader, Datum columns, Datum combination)
{
	uint32 codes[DP_ZEROS_WIDTH_MAX];
	DpZeroSet set;
	DpZeroSet *into;
	bool *nulls;
	Datum *texts;
	int n;

	if (!reader_attributes(reader, columns, &set))
		return;
	texts = dp_elements(combination, &nulls, &n);
	if ((uint32) n != set.n)
		elog(ERROR, "dpsyn: a zero has not one level for each column");
	for (uint32 k = 0; k < set.n; k++)
	{
		DpLevels *levels = &reader->levels[set.attribute[k]];
		const char *words = nulls[k] ? NULL : TextDatumGetCString(texts[k]);
		int64 code = dp_declared_code(&reader->declared, set.attribute[k], levels, words);

		if (code < 0)
			return;
		codes[k] = (uint32) code;
	}
	into = reader_set(reader, &set);
	memcpy(into->code + into->tuples++ * into->n, codes, sizeof(uint32) * into->n);
}

void
dp_zeros_read(DpRelation *relation, int32 dataset, bool strict)
{
	MemoryContext caller = CurrentMemoryContext;
	DpArena arena = dp_arena_for(caller);
	Reader reader = {.declared = {relation, "zeros", strict}};
	DpUserContext user_context;
	DpError error = {0};
	uint64 rows;

	reader.levels = palloc0(sizeof(DpLevels) * Max(relation->domain.attributes, 1));
	dp_catalog_open(&user_context);
	rows =
		dp_spi_read("SELECT columns, combination FROM dp_catalog.dp_dataset_zero WHERE dataset = $1"
					" ORDER BY columns, number",
					DP_ARGUMENTS(DP_INT32(dataset)));
	for (uint64 i = 0; i < rows; i++)
	{
		MemoryContext spi = MemoryContextSwitchTo(caller);
		bool isnull;

		CHECK_FOR_INTERRUPTS();
		reader_row(&reader, dp_spi_value(i, 1, &isnull), dp_spi_value(i, 2, &isnull));
		MemoryContextSwitchTo(spi);
	}
	dp_catalog_close(&user_context);
	if (dp_zeros_canonical(&reader.zeros, &arena, &error) != DP_OK)
		dp_raise(&error);
	relation->domain.zeros = reader.zeros;
}

/* ---- what the custodian wrote ---- */

/* Replaces the stored zeros of these columns, or of all columns if none are named; levels NULL:
 * removes them. Equal combinations are stored once. */
static void
zeros_write(const DpLevelSet *set, ArrayType *levels)
{
	DpArgument dataset = DP_INT32(set->dataset.id);
	bool all = set->width == 0;
	DpArgument columns = {NAMEARRAYOID, all ? (Datum) 0 : dp_level_names(set), all};

	(void) dp_catalog_write("DELETE FROM dp_catalog.dp_dataset_zero WHERE dataset = $1"
							" AND ($2 IS NULL OR columns = $2)",
							DP_ARGUMENTS(dataset, columns));
	if (levels == NULL)
		return;
	(void) dp_catalog_write(
		"INSERT INTO dp_catalog.dp_dataset_zero (dataset, columns, number, combination)"
		" SELECT $1, $2, pg_catalog.row_number() OVER (ORDER BY c.first), c.combination FROM"
		" (SELECT pg_catalog.min(t.number) AS first, t.combination FROM"
		"  (SELECT (l.at - 1) / $4 AS number, pg_catalog.array_agg(l.level ORDER BY l.at)"
		"          AS combination"
		"   FROM pg_catalog.unnest($3) WITH ORDINALITY AS l (level, at) GROUP BY 1) t"
		"  GROUP BY t.combination) c",
		DP_ARGUMENTS(dataset, columns, {TEXTARRAYOID, PointerGetDatum(levels), false},
					 DP_INT32(set->width)));
}

/*
 * ERROR unless all zeros that fit the domain can hold together. The error undoes what was written.
 */
static void
check_together(DpLevelSet *set)
{
	DpError error = {0};

	dp_zeros_read(set->domain, set->dataset.id, false);
	if (dp_domain_check(&set->domain->domain, &error) != DP_OK ||
		dp_zeros_possible(&set->domain->domain, &error) != DP_OK)
		dp_raise(&error);
}

Datum
dp_define_zeros(PG_FUNCTION_ARGS)
{
	ArrayType *levels = NULL;
	DpLevelSet set;
	int tuples;

	dp_level_set(fcinfo, "declare its zeros", &set);
	if (dp_level_any_given(fcinfo))
	{
		dp_level_domain(&set);
		levels = dp_level_combinations(fcinfo, &set, &tuples);
	}
	zeros_write(&set, levels);
	if (levels != NULL)
		check_together(&set);
	PG_RETURN_VOID();
}
