/*
 * seed_pool.c -- the seed pool: a public table with rows at which chains start
 * (src/core/domain/seed_pool.h). This runs in the caller's backend, with the caller's rights, on a
 * table that the caller may read anyway. The rows go to the release worker with the request.
 *
 * The caller states that the table is public. Some of that can be checked: it is a plain table, so
 * that reading it runs nobody's code; it is not and was not protected; and no protected relation
 * has its rows, as their parent or as a view.
 */
#include "pg/counting/seed_pool.h"

#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"

#include "pg/counting/object.h"
#include "pg/counting/spec.h"
#include "pg/domain/dictionary.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"
#include "pg/server/untrusted_code.h"
#include "pg/server/values.h"

static DP_NORETURN void
refuse(Oid relation, const char *detail)
{
	ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
					errmsg("relation \"%s\" cannot be a seed pool", dp_relation_words(relation)),
					errdetail("%s", detail),
					errhint("A seed pool is a plain table of public rows, with the columns that "
							"are modelled.")));
}

static void
check_columns(Oid pool, const DpRelation *relation)
{
	for (uint32 i = 0; i < relation->domain.attributes; i++)
	{
		const char *name = relation->domain.attribute[i].name;
		AttrNumber number = get_attnum(pool, name);

		if (relation->domain.attribute[i].range != NULL)
			refuse(pool,
				   psprintf("The levels of column \"%s\" are not known before the release.", name));
		if (dp_column_is_distance(&relation->column[i]))
			refuse(pool, psprintf("Column \"%s\" is modelled as a distance.", name));
		if (relation->column[i].field != NULL)
			refuse(pool, psprintf("Column \"%s\" is a field of a jsonb.", name));
		if (number == InvalidAttrNumber)
			refuse(pool, psprintf("It has no column \"%s\".", name));
		if (get_atttype(pool, number) != relation->column[i].type)
			refuse(pool,
				   psprintf("Its column \"%s\" is of another type than that of relation \"%s\".",
							name, dp_relation_words(relation->oid)));
		if (dp_type_runs_code(getBaseType(relation->column[i].type)))
			refuse(pool, psprintf("The type of column \"%s\" can run code of its owner.", name));
		if (dp_type_names_objects(getBaseType(relation->column[i].type)))
			refuse(pool, psprintf("Values of column \"%s\" are names of objects, which need not "
								  "mean the same to the release worker.",
								  name));
	}
}

/* Locks the table until the transaction ends, so that the one that is checked is the one that is
 * read. */
static Oid
open_pool(const char *words)
{
	for (;;)
	{
		Oid pool = DatumGetObjectId(DirectFunctionCall1(regclassin, CStringGetDatum(words)));

		LockRelationOid(pool, AccessShareLock);
		if (DatumGetObjectId(DirectFunctionCall1(regclassin, CStringGetDatum(words))) == pool)
			return pool;
		UnlockRelationOid(pool, AccessShareLock);
	}
}

Oid
dp_seed_pool_relation(const DpRelation *relation, const DpOptions *options)
{
	const char *words = dp_option_text(options, DP_OPTION_SEED_POOL);
	Oid pool;

	if (words == NULL)
		return InvalidOid;
	pool = open_pool(words);
	if (get_rel_relkind(pool) != RELKIND_RELATION)
		refuse(pool, "It is not a plain table.");
	if (pg_class_aclcheck(pool, GetUserId(), ACL_SELECT) != ACLCHECK_OK)
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, get_rel_name(pool));
	if (check_enable_rls(pool, InvalidOid, true) == RLS_ENABLED)
		refuse(pool, "It has row security.");
	if (dp_holds_protected_rows(pool))
		refuse(pool, "It is or was protected, or such a relation has its rows.");
	check_columns(pool, relation);
	return pool;
}

/* One set of all columns, so each distinct row is a cell. */
static bytea *
spec_of_rows(const DpRelation *relation)
{
	uint32 n = relation->domain.attributes;
	DpSpecSet set = {.n = n, .storage = DP_SPARSE};
	DpSpec spec;

	set.attribute = palloc(sizeof(uint32) * n);
	for (uint32 i = 0; i < n; i++)
		set.attribute[i] = i;
	dp_spec_domain(&relation->domain, relation->column, set.attribute, n, &spec);
	spec.sets = 1;
	spec.clamps = true; /* values get the codes that they have in a release */
	spec.set = palloc(sizeof(DpSpecSet));
	spec.set[0] = set;
	return dp_spec_to_bytea(&spec);
}

static const DpSeedPool *
pool_from_counts(Oid relation, Datum counts, uint32 attributes)
{
	DpCountsObject *object = dp_counts_object_get(counts);
	DpArena arena = dp_arena_for(CurrentMemoryContext);
	DpSeedPool *pool = palloc0(sizeof(DpSeedPool));
	uint32 *codes;
	int64 *upto;

	if (dp_marginal_cells(&object->counts.table[0], &codes, &upto, &pool->n, &arena) != DP_OK)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	if (pool->n == 0)
		refuse(relation, "It has no rows.");
	if (pool->n > DP_SEED_POOL_ROWS_MAX || pool->n * attributes > DP_SEED_POOL_CODES_MAX)
		refuse(relation, psprintf("It has more than %d distinct rows, or %d values in them.",
								  DP_SEED_POOL_ROWS_MAX, DP_SEED_POOL_CODES_MAX));
	for (uint64 i = 1; i < pool->n; i++)
		upto[i] += upto[i - 1];
	pool->attributes = attributes;
	pool->codes = codes;
	pool->upto = upto;
	return pool;
}

const DpSeedPool *
dp_seed_pool_read(const DpRelation *relation, const DpOptions *options)
{
	const DpDomain *domain = &relation->domain;
	MemoryContext caller = CurrentMemoryContext;
	Oid table = dp_seed_pool_relation(relation, options);
	Oid types[1] = {BYTEAOID};
	Datum values[1];
	const DpSeedPool *pool;
	uint32 *all;
	bool isnull;
	Datum counts;
	DpUserContext user_context;

	if (!OidIsValid(table))
		return NULL;
	all = palloc(sizeof(uint32) * domain->attributes);
	for (uint32 i = 0; i < domain->attributes; i++)
		all[i] = i;
	values[0] = PointerGetDatum(spec_of_rows(relation));
	dp_caller_open(&user_context, list_make1_oid(table));
	/* ONLY: a child of the table is another table, which was not checked */
	if (SPI_execute_with_args(
			psprintf("SELECT %s FROM ONLY %s",
					 dp_count_call(domain, relation->column, all, domain->attributes),
					 dp_relation_label(table)),
			1, types, values, NULL, true, 0) != SPI_OK_SELECT ||
		SPI_processed != 1)
		elog(ERROR, "dpsyn: the seed pool could not be read");
	counts = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
	if (isnull)
		refuse(table, "It has no rows.");
	MemoryContextSwitchTo(caller);
	pool = pool_from_counts(table, counts, domain->attributes);
	dp_caller_close(&user_context);
	return pool;
}
