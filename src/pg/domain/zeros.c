/*
 * zeros.c -- dp_define_zeros, dp_undefine_zeros: combinations of levels that the
 * custodian knows cannot occur; and reading them for a release.
 *
 * They are stored as texts that name levels (levels.c). A domain that is declared anew keeps the zeros that
 * it still has levels for. One that it has none for is an error before anything is spent.
 */
#include "levels.h"

#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "zeros.h"

PG_FUNCTION_INFO_V1(dp_define_zeros);
PG_FUNCTION_INFO_V1(dp_undefine_zeros);

/* ---- reading the catalog ---- */

typedef struct Reader
{
	DpRelation *relation;
	DpLevels *levels; /* [attributes] */
	DpZeros zeros;
	uint64 room; /* tuples that the last set has memory for */
} Reader;

/* The attributes of a set; false: one of them is not there, and strict does not want an error. */
static bool
reader_attributes(Reader *reader, Datum columns, bool strict, DpZeroSet *set)
{
	int n;
	Datum *names = dp_array_elements(columns, NAMEOID, NULL, &n);

	*set = (DpZeroSet){.n = n, .attribute = palloc(sizeof(uint32) * Max(n, 1))};
	for (int k = 0; k < n; k++)
	{
		const char *name = NameStr(*DatumGetName(names[k]));
		int index = dp_level_attribute(reader->relation, "zeros", name, strict);

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

/* The set to which a row belongs: rows of one come together. */
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
		reader->room = 16;
		last->code = palloc(sizeof(uint32) * reader->room * last->n);
	}
	else if (last->tuples == reader->room)
	{
		reader->room *= 2;
		last->code = repalloc(last->code, sizeof(uint32) * reader->room * last->n);
	}
	return last;
}

static void
reader_row(Reader *reader, Datum columns, Datum combination, bool strict)
{
	uint32 codes[DP_ZEROS_WIDTH_MAX];
	DpZeroSet set;
	bool *nulls;
	Datum *texts;
	int n;

	if (!reader_attributes(reader, columns, strict, &set))
		return;
	texts = dp_array_elements(combination, TEXTOID, &nulls, &n);
	for (uint32 k = 0; k < set.n; k++)
	{
		const DpAttribute *attribute = &reader->relation->domain.attribute[set.attribute[k]];
		int64 code = (int) k >= n ? -1
								  : dp_level_find(attribute, &reader->levels[set.attribute[k]],
												  nulls[k] ? NULL : TextDatumGetCString(texts[k]));

		if (code < 0)
		{
			if (strict)
				dp_level_outdated(reader->relation->oid, "zeros", attribute->name, true);
			return;
		}
		codes[k] = (uint32) code;
	}
	{
		DpZeroSet *into = reader_set(reader, &set);

		memcpy(into->code + into->tuples++ * into->n, codes, sizeof(uint32) * into->n);
	}
}

void
dp_zeros_read(DpRelation *relation, int32 dataset, bool strict)
{
	MemoryContext caller = CurrentMemoryContext;
	DpArena arena = dp_arena_for(caller);
	Reader reader = {.relation = relation};
	Oid types[1] = {INT4OID};
	Datum values[1] = {Int32GetDatum(dataset)};
	DpElevation elevation;
	DpError error = {0};
	uint64 rows;

	reader.levels = palloc0(sizeof(DpLevels) * Max(relation->domain.attributes, 1));
	dp_elevate(&elevation);
	SPI_connect();
	rows = dp_spi("SELECT columns, combination FROM @.dp_dataset_zero WHERE dataset = $1"
				  " ORDER BY columns, number",
				  SPI_OK_SELECT, 1, types, values, NULL, true);
	for (uint64 i = 0; i < rows; i++)
	{
		MemoryContext spi = MemoryContextSwitchTo(caller);
		bool isnull;

		CHECK_FOR_INTERRUPTS();
		reader_row(&reader, dp_spi_value(i, 1, &isnull), dp_spi_value(i, 2, &isnull), strict);
		MemoryContextSwitchTo(spi);
	}
	SPI_finish();
	dp_unelevate(&elevation);
	if (dp_zeros_canonical(&reader.zeros, &arena, &error) != DP_OK)
		dp_raise(&error);
	relation->domain.zeros = reader.zeros;
}

/* ---- what the custodian wrote ---- */

/* levels NULL: none any more. Equal combinations are stored once. */
static void
zeros_write(const DpLevelSet *asked, ArrayType *levels)
{
	Oid types[4] = {INT4OID, NAMEARRAYOID, TEXTARRAYOID, INT4OID};
	Datum values[4] = {Int32GetDatum(asked->dataset.id), dp_level_names(asked),
					   PointerGetDatum(levels), Int32GetDatum(asked->width)};

	(void) dp_write_catalog("DELETE FROM @.dp_dataset_zero WHERE dataset = $1 AND columns = $2",
							SPI_OK_DELETE, 2, types, values, NULL);
	if (levels == NULL)
		return;
	(void) dp_write_catalog(
		"INSERT INTO @.dp_dataset_zero (dataset, columns, number, combination)"
		" SELECT $1, $2, pg_catalog.row_number() OVER (ORDER BY c.first), c.combination FROM"
		" (SELECT pg_catalog.min(t.number) AS first, t.combination FROM"
		"  (SELECT (l.at - 1) / $4 AS number, pg_catalog.array_agg(l.level ORDER BY l.at)"
		"          AS combination"
		"   FROM pg_catalog.unnest($3) WITH ORDINALITY AS l (level, at) GROUP BY 1) t"
		"  GROUP BY t.combination) c",
		SPI_OK_INSERT, 4, types, values, NULL);
}

/* With all others that fit, in full: an error takes back what was written. */
static void
check_together(DpLevelSet *asked)
{
	DpError error = {0};

	dp_zeros_read(asked->domain, asked->dataset.id, false);
	if (dp_domain_check(&asked->domain->domain, &error) != DP_OK ||
		dp_zeros_possible(&asked->domain->domain, &error) != DP_OK)
		dp_raise(&error);
}

Datum
dp_define_zeros(PG_FUNCTION_ARGS)
{
	ArrayType *levels = NULL;
	DpLevelSet asked = {0};
	DpElevation elevation;
	int tuples;

	dp_check_not_null(fcinfo, 0, "relation");
	dp_check_not_null(fcinfo, 1, "columns");
	asked.relation = PG_GETARG_OID(0);
	dp_check_custodian(asked.relation, "declare its zeros");
	dp_dataset_get(asked.relation, false, &asked.dataset);
	dp_level_columns(fcinfo, &asked);
	if (!PG_ARGISNULL(2) &&
		ArrayGetNItems(ARR_NDIM(PG_GETARG_ARRAYTYPE_P(2)), ARR_DIMS(PG_GETARG_ARRAYTYPE_P(2))) > 0)
	{
		asked.domain = dp_relation_domain(asked.relation, asked.dataset.id, false);
		dp_level_attributes(&asked);
		dp_become_owner(&elevation, dp_relation_owner(asked.relation)); /* types may run code */
		levels = dp_level_combinations(fcinfo, &asked, &tuples);
		dp_unelevate(&elevation);
	}
	zeros_write(&asked, levels);
	if (levels != NULL)
		check_together(&asked);
	PG_RETURN_VOID();
}

Datum
dp_undefine_zeros(PG_FUNCTION_ARGS)
{
	Oid types[1] = {INT4OID};
	Datum values[1];
	DpLevelSet asked = {0};

	dp_check_not_null(fcinfo, 0, "relation");
	asked.relation = PG_GETARG_OID(0);
	dp_check_custodian(asked.relation, "drop its zeros");
	dp_dataset_get(asked.relation, false, &asked.dataset);
	if (!PG_ARGISNULL(1))
	{
		dp_level_columns(fcinfo, &asked);
		zeros_write(&asked, NULL);
		PG_RETURN_VOID();
	}
	values[0] = Int32GetDatum(asked.dataset.id);
	(void) dp_write_catalog("DELETE FROM @.dp_dataset_zero WHERE dataset = $1", SPI_OK_DELETE, 1,
							types, values, NULL);
	PG_RETURN_VOID();
}
