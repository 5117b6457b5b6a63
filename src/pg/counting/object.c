/*
 * object.c -- counts in flight: the expanded form of the SQL type dp_counts.
 *
 * The aggregate's transition type is the public type, not internal, so that parallel workers,
 * postgres_fdw and Citus can move it. The state of an aggregate is a writable pointer to such an
 * object. Whoever stores or sends the state gets the flat form, which is that of
 * src/core/exact/counts_bytes.c.
 */
#include "pg/counting/object.h"

#include "executor/nodeHash.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "pg/counting/spec.h"
#include "pg/server/bridge.h"
#include "pg/server/dpsyn.h"

#define KB UINT64CONST(1024)

uint64
dp_counts_memory(void)
{
	return dpsyn_counting_memory >= 0 ? (uint64) dpsyn_counting_memory * KB
									  : (uint64) get_hash_memory_limit();
}

void
dp_counts_raise(const DpError *error)
{
	DpError shown = *error;

	if (shown.status == DP_ERR_LIMIT)
		dp_fail_hint(&shown, "Raise work_mem, hash_mem_multiplier or dpsyn.counting_memory, count "
							 "fewer or smaller sets, or count the large ones hashed.");
	dp_raise(&shown);
}

/* ---- flattening ---- */

static void
flush(DpCountsObject *object)
{
	DpError error = {0};

	if (dp_counts_finalize(&object->counts, &error) != DP_OK)
		dp_counts_raise(&error);
}

static Size
flat_size(ExpandedObjectHeader *header)
{
	DpCountsObject *object = (DpCountsObject *) header;
	DpArena arena = dp_arena_for(header->eoh_context);
	DpError error = {0};

	if (object->flat_length > 0)
		return VARHDRSZ + object->flat_length;
	flush(object);
	if (object->flat != NULL)
		pfree(object->flat);
	object->flat = NULL;
	if (dp_counts_serialise(&object->counts, (DpBytes){object->spec_bytes, object->spec_length},
							&object->flat, &object->flat_length, &arena, &error) != DP_OK)
		dp_counts_raise(&error);
	if (object->flat_length > MaxAllocSize - VARHDRSZ)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("the counts do not fit one value"),
				 errdetail("They have %zu bytes; the limit is 1 GB.", object->flat_length),
				 errhint("Count fewer or smaller sets at a time.")));
	return VARHDRSZ + object->flat_length;
}

static void
flatten_into(ExpandedObjectHeader *header, void *result, Size size)
{
	DpCountsObject *object = (DpCountsObject *) header;

	Assert(size == VARHDRSZ + object->flat_length);
	SET_VARSIZE(result, size);
	memcpy(VARDATA(result), object->flat, object->flat_length);
}

const ExpandedObjectMethods dp_counts_object_methods = {flat_size, flatten_into};

/* ---- making ---- */

DpCountsObject *
dp_counts_object_new(MemoryContext parent, const unsigned char *spec_bytes, size_t spec_length)
{
	MemoryContext context = AllocSetContextCreate(parent, "dp_counts", ALLOCSET_DEFAULT_SIZES);
	DpCountsObject *object = MemoryContextAllocZero(context, sizeof(DpCountsObject));
	DpError error = {0};

	EOH_init_header(&object->header, &dp_counts_object_methods, context);
	object->arena = dp_arena_for(context);
	object->spec_bytes = MemoryContextAllocHuge(context, spec_length + 1);
	object->spec_length = spec_length;
	memcpy(object->spec_bytes, spec_bytes, spec_length);
	dp_spec_from_bytes(object->spec_bytes, spec_length, &object->arena, &object->spec);
	/* the bound is on the tables, so what the labels took does not count */
	object->arena.bytes_used = 0;
	object->arena.bytes_max =
		object->spec.memory_max > 0 ? object->spec.memory_max : dp_counts_memory();
	if (dp_counts_init(&object->counts, &object->spec, &dp_interrupt_tick, &object->arena,
					   &error) != DP_OK)
		dp_counts_raise(&error);
	return object;
}

void
dp_counts_flat_view(Datum value, DpCountsView *view)
{
	bytea *flat = DatumGetByteaPP(value);
	DpError error = {0};

	if (dp_counts_view((unsigned char *) VARDATA_ANY(flat), VARSIZE_ANY_EXHDR(flat), view,
					   &error) != DP_OK)
		dp_raise(&error);
}

static const bytea *expected = NULL;

void
dp_counts_expect(const bytea *spec)
{
	expected = spec;
}

/* The spec that comes with counts says how large their tables are, and a foreign server could say
 * anything. */
static void
check_expected(const DpCountsView *view)
{
	if (expected != NULL &&
		(view->spec_length != VARSIZE_ANY_EXHDR(expected) ||
		 memcmp(view->spec_bytes, VARDATA_ANY(expected), view->spec_length) != 0))
		ereport(ERROR, (errcode(ERRCODE_FDW_ERROR),
						errmsg("dpsyn: the counts that came are not those that were asked for")));
}

static DpCountsObject *
object_copy(MemoryContext parent, Datum value)
{
	DpCountsObject *from = dp_counts_object_expanded(value);
	DpCountsObject *object;
	DpCountsView view;

	if (from != NULL)
		object = dp_counts_object_new(parent, from->spec_bytes, from->spec_length);
	else
	{
		dp_counts_flat_view(value, &view);
		check_expected(&view);
		object = dp_counts_object_new(parent, view.spec_bytes, view.spec_length);
	}
	dp_counts_object_add(object, value);
	return object;
}

DpCountsObject *
dp_counts_object_get(Datum value)
{
	DpCountsObject *object = dp_counts_object_expanded(value);

	if (object == NULL)
		return object_copy(CurrentMemoryContext, value);
	flush(object);
	return object;
}

DpCountsObject *
dp_counts_object_writable(MemoryContext parent, Datum value)
{
	if (dp_counts_object_expanded(value) != NULL &&
		VARATT_IS_EXTERNAL_EXPANDED_RW(DatumGetPointer(value)))
		return dp_counts_object_expanded(value);
	return object_copy(parent, value);
}

/* ---- merging ---- */

static void
check_same_spec(const DpCountsObject *object, const unsigned char *bytes, size_t length)
{
	if (object->spec_length == length && memcmp(object->spec_bytes, bytes, length) == 0)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("counts of different specs cannot be merged"),
			 errdetail("Their columns, domains or sets differ."),
			 errhint("Build the spec once, and count everything that is to be merged with it.")));
}

void
dp_counts_object_add(DpCountsObject *object, Datum value)
{
	DpCountsObject *from = dp_counts_object_expanded(value);
	DpError error = {0};
	DpStatus status;

	dp_counts_object_changed(object);
	if (from != NULL)
	{
		check_same_spec(object, from->spec_bytes, from->spec_length);
		flush(from);
		status = dp_counts_merge(&object->counts, &from->counts, &error);
	}
	else
	{
		DpCountsView view;

		dp_counts_flat_view(value, &view);
		check_same_spec(object, view.spec_bytes, view.spec_length);
		status = dp_counts_add_bytes(&object->counts, &view, &error);
	}
	if (status != DP_OK)
		dp_counts_raise(&error);
}
