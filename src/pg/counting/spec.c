/*
 * marginals_spec.c -- specs of what to count: of a relation, or written by hand.
 * Public facts alone go into them.
 */
#include "marginals.h"

#include "catalog/pg_collation.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

PG_FUNCTION_INFO_V1(dp_marginal_spec);
PG_FUNCTION_INFO_V1(dp_marginal_spec_from);
PG_FUNCTION_INFO_V1(dp_marginal_columns);

#define WAYS_MAX 8
#define ARGUMENTS_MAX 98 /* columns that dp_marginals can take */
#define DENSE_CELLS_MAX 100000000

/* ---- bytes ---- */

bytea *
dp_spec_to_bytea(const DpSpec *spec)
{
	DpArena arena = dp_arena_for(CurrentMemoryContext);
	DpError error = {0};
	unsigned char *bytes;
	size_t length;
	bytea *result;

	if (dp_spec_serialise(spec, &arena, &bytes, &length, &dp_interrupt_tick, &error) != DP_OK)
		dp_raise(&error);
	if (length > MaxAllocSize - VARHDRSZ)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the spec does not fit one value")));
	result = palloc(length + VARHDRSZ);
	SET_VARSIZE(result, length + VARHDRSZ);
	memcpy(VARDATA(result), bytes, length);
	return result;
}

void
dp_spec_from_bytes(const unsigned char *bytes, size_t length, DpArena *arena, DpSpec *spec)
{
	DpError error = {0};

	if (dp_spec_parse(bytes, length, arena, spec, &dp_interrupt_tick, &error) != DP_OK)
		dp_raise(&error);
}

/* ---- calls ---- */

char *
dp_column_list(const DpDomain *domain, const uint32 *attribute, uint32 n)
{
	StringInfoData names;

	initStringInfo(&names);
	for (uint32 i = 0; i < n; i++)
		appendStringInfo(&names, "%s%s", i ? ", " : "",
						 quote_identifier(domain->attribute[attribute[i]].name));
	return names.data;
}

/* More columns than a function has arguments come as one row. */
char *
dp_count_call(const char *columns, uint32 n)
{
	return psprintf(n <= ARGUMENTS_MAX ? "%s.dp_marginals($1, %s)"
									   : "%s.dp_row_marginals($1, ROW(%s))",
					dp_schema(), columns);
}

/* ---- sets ---- */

/* The next set of n indexes below limit in lexicographic order; false after the last. */
static bool
combination_next(uint32 *index, uint32 n, uint32 limit)
{
	for (uint32 k = n; k-- > 0;)
	{
		if (index[k] + n - k < limit)
		{
			index[k]++;
			for (uint32 i = k + 1; i < n; i++)
				index[i] = index[i - 1] + 1;
			return true;
		}
	}
	return false;
}

static uint64
combinations(uint64 limit, uint64 n)
{
	uint64 result = 1;

	for (uint64 k = 1; k <= n && result <= (uint64) DP_SPEC_SETS_MAX * WAYS_MAX; k++)
		result = result * (limit - n + k) / k;
	return result;
}

/* All sets of that many attributes. */
static void
sets_of_ways(int32 ways, int64 dense_cells, DpSpec *spec)
{
	uint32 index[WAYS_MAX];
	uint32 n = (uint32) ways;
	uint64 sets;

	if (ways < 1 || ways > WAYS_MAX || n > spec->domain.attributes)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("ways must be between 1 and %u",
							   Min((uint32) WAYS_MAX, spec->domain.attributes))));
	sets = combinations(spec->domain.attributes, n);
	if (sets > DP_SPEC_SETS_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("there are more than %d sets of %d columns", DP_SPEC_SETS_MAX, ways),
						errhint("Name the sets, or the columns.")));
	spec->set = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(DpSpecSet) * sets);
	for (uint32 k = 0; k < n; k++)
		index[k] = k;
	do
	{
		DpSpecSet *set = &spec->set[spec->sets++];

		CHECK_FOR_INTERRUPTS();
		set->n = n;
		set->attribute = palloc(sizeof(uint32) * n);
		memcpy(set->attribute, index, sizeof(uint32) * n);
		set->storage =
			dp_domain_cells(&spec->domain, index, n) <= (uint64) dense_cells ? DP_DENSE : DP_SPARSE;
	} while (combination_next(index, n, spec->domain.attributes));
}

static void
check_dense_cells(int64 dense_cells)
{
	if (dense_cells < 0 || dense_cells > DENSE_CELLS_MAX)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("dense_cells must be between 0 and %d", DENSE_CELLS_MAX)));
}

/* ---- of a relation ---- */

/* Domains are shown to who may read the rows, or was granted a budget. */
static void
check_may_know(Oid relation, const DpDataset *dataset)
{
	if (pg_class_aclcheck(relation, GetUserId(), ACL_SELECT) != ACLCHECK_OK &&
		(dataset->id == 0 || !dp_may_ask(dataset, GetUserId())))
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("permission denied for relation %s", dp_relation_label(relation)),
						errdetail("A spec tells the domains of its columns.")));
}

/* As schema and name; InvalidOid if there is none. */
Oid
dp_collation_in(Oid schema, const char *name)
{
	Oid collation = InvalidOid;

	/* of this encoding, or of any */
	if (OidIsValid(schema))
		collation = GetSysCacheOid3(COLLNAMEENCNSP, Anum_pg_collation_oid, CStringGetDatum(name),
									Int32GetDatum(GetDatabaseEncoding()), ObjectIdGetDatum(schema));
	if (OidIsValid(schema) && !OidIsValid(collation))
		collation = GetSysCacheOid3(COLLNAMEENCNSP, Anum_pg_collation_oid, CStringGetDatum(name),
									Int32GetDatum(-1), ObjectIdGetDatum(schema));
	return collation;
}

const char *
dp_collation_label(Oid collation)
{
	HeapTuple tuple;
	Form_pg_collation form;
	const char *name;

	if (!OidIsValid(collation) || get_collation_isdeterministic(collation))
		return NULL;
	tuple = SearchSysCache1(COLLOID, ObjectIdGetDatum(collation));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for collation %u", collation);
	form = (Form_pg_collation) GETSTRUCT(tuple);
	name = quote_qualified_identifier(get_namespace_name(form->collnamespace),
									  NameStr(form->collname));
	ReleaseSysCache(tuple);
	return name;
}

void
dp_spec_domain(const DpDomain *domain, const DpColumn *column, const uint32 *index, uint32 n,
			   DpSpec *spec)
{
	*spec = (DpSpec){.domain = {.attributes = n}};
	spec->domain.attribute = palloc(sizeof(DpAttribute) * Max(n, 1));
	spec->collation = palloc(sizeof(char *) * Max(n, 1));
	for (uint32 i = 0; i < n; i++)
	{
		spec->domain.attribute[i] = domain->attribute[index[i]];
		spec->domain.attribute[i].type = dp_type_label(getBaseType(column[index[i]].type));
		spec->collation[i] = dp_collation_label(column[index[i]].collation);
	}
}

/* The columns asked for, in the order asked for; NULL: all that have levels. */
static uint32
columns_wanted(const DpRelation *relation, ArrayType *names, uint32 *index)
{
	Datum *name;
	int n;

	if (names == NULL)
	{
		uint32 all = 0;

		for (uint32 i = 0; i < relation->domain.attributes; i++)
			if (!relation->domain.attribute[i].open)
				index[all++] = i;
		return all;
	}
	if (array_contains_nulls(names))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("the name of a column must not be null")));
	deconstruct_array(names, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR, &name, NULL, &n);
	if ((uint32) n > relation->domain.attributes)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("more columns than relation %s has with a public domain",
							   dp_relation_label(relation->oid))));
	for (int i = 0; i < n; i++)
	{
		const char *wanted = NameStr(*DatumGetName(name[i]));
		int found = dp_domain_find(&relation->domain, wanted);

		if (found < 0 || relation->domain.attribute[found].open)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("column \"%s\" of relation %s does not exist or has no public domain",
							wanted, dp_relation_label(relation->oid)),
					 errhint("Its custodian can declare one with dp_define_column.")));
		index[i] = (uint32) found;
	}
	return (uint32) n;
}

/* dp_marginal_spec(relation, sets, ways, columns, dense_cells) */
Datum
dp_marginal_spec(PG_FUNCTION_ARGS)
{
	Oid oid = PG_GETARG_OID(0);
	int32 ways = PG_GETARG_INT32(2);
	int64 dense_cells = PG_GETARG_INT64(4);
	DpDataset dataset = {0};
	DpRelation *relation;
	DpSpec spec;
	uint32 *index;

	(void) dp_dataset_find(oid, false, &dataset);
	dp_check_not_null(fcinfo, 0, "relation");
	dp_check_not_null(fcinfo, 2, "ways");
	dp_check_not_null(fcinfo, 4, "dense_cells");
	check_may_know(oid, &dataset);
	check_dense_cells(dense_cells);
	relation = dp_relation_domain(oid, dataset.id, true);
	if (relation->domain.attributes == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation %s has no column with a public domain", dp_relation_label(oid)),
				 errhint("Its custodian can declare domains with dp_define_column; or write "
						 "the columns by hand.")));
	index = palloc(sizeof(uint32) * relation->domain.attributes);
	dp_spec_domain(
		&relation->domain, relation->column, index,
		columns_wanted(relation, PG_ARGISNULL(3) ? NULL : PG_GETARG_ARRAYTYPE_P(3), index), &spec);
	if (PG_ARGISNULL(1))
		sets_of_ways(ways, dense_cells, &spec);
	else
		dp_spec_sets_from_json(PG_GETARG_JSONB_P(1), dense_cells, &spec);
	PG_RETURN_BYTEA_P(dp_spec_to_bytea(&spec));
}

/* ---- by hand ---- */

/* dp_marginal_spec_from(columns, sets, ways, dense_cells) */
Datum
dp_marginal_spec_from(PG_FUNCTION_ARGS)
{
	int32 ways = PG_GETARG_INT32(2);
	int64 dense_cells = PG_GETARG_INT64(3);
	DpSpec spec = {.sets = 0};

	dp_check_not_null(fcinfo, 0, "columns");
	dp_check_not_null(fcinfo, 2, "ways");
	dp_check_not_null(fcinfo, 3, "dense_cells");
	check_dense_cells(dense_cells);
	dp_spec_domain_from_json(PG_GETARG_JSONB_P(0), &spec);
	if (PG_ARGISNULL(1))
		sets_of_ways(ways, dense_cells, &spec);
	else
		dp_spec_sets_from_json(PG_GETARG_JSONB_P(1), dense_cells, &spec);
	PG_RETURN_BYTEA_P(dp_spec_to_bytea(&spec));
}

Datum
dp_marginal_columns(PG_FUNCTION_ARGS)
{
	bytea *given = PG_GETARG_BYTEA_PP(0);
	DpArena arena = dp_arena_for(CurrentMemoryContext);
	DpSpec spec;
	Datum *names;

	dp_spec_from_bytes((unsigned char *) VARDATA_ANY(given), VARSIZE_ANY_EXHDR(given), &arena,
					   &spec);
	names = palloc(sizeof(Datum) * spec.domain.attributes);
	for (uint32 a = 0; a < spec.domain.attributes; a++)
		names[a] = CStringGetTextDatum(spec.domain.attribute[a].name);
	PG_RETURN_ARRAYTYPE_P(
		construct_array(names, (int) spec.domain.attributes, TEXTOID, -1, false, TYPALIGN_INT));
}
