/*
 * object.h -- counts in flight: the expanded form of the SQL type dp_counts.
 *
 * SECRET: exact counts, of rows that the caller may read anyway, or of the release worker. Nothing
 * in this folder draws noise.
 */
#ifndef DPSYN_OBJECT_H
#define DPSYN_OBJECT_H

#include "pg/server/compat.h"

#include "utils/expandeddatum.h"

#include "pg/counting/encode.h"

/* How the columns of a row arrive at the transition function. */
typedef enum DpRowForm
{
	DP_ROW_NONE = 0, /* no row has been seen yet */
	DP_ROW_ARGUMENTS,
	DP_ROW_TEXTS,
	DP_ROW_INTEGERS,
	DP_ROW_RECORD
} DpRowForm;

typedef struct DpCountsObject
{
	ExpandedObjectHeader header; /* must be first */
	DpArena arena;               /* of spec and tables; bounded by dp_counts_memory() */
	unsigned char *spec_bytes;
	size_t spec_length;
	DpSpec spec;
	DpCounts counts;
	/* what aggregate.c needs to add rows */
	DpRowForm form;
	struct Node *aggregate; /* it calls for each row, all of the same types; NULL: a direct call */
	uint64 given_digest;    /* of the bytes of the spec as they were given */
	size_t given_length;
	DpEncoder *encoder;
	NullableDatum *value; /* [attributes], where a row is taken apart first */
	Oid record_type;
	int32 record_typmod;
	TupleDesc record;
	Datum *record_values;
	bool *record_nulls;
	/* the flat form; flat_length 0: rows were added since it was made */
	unsigned char *flat;
	size_t flat_length;
} DpCountsObject;

/*
 * A new object without rows, in a memory context of its own below parent. ERROR if its tables do
 * not fit in dp_counts_memory().
 */
extern DpCountsObject *dp_counts_object_new(MemoryContext parent, const unsigned char *spec_bytes,
											size_t spec_length);
/* Counts to be read: all rows so far are in their tables. */
extern DpCountsObject *dp_counts_object_get(Datum value);
/* Counts that may be changed: the object of value if that is a writable pointer to one, or else a
 * copy. */
extern DpCountsObject *dp_counts_object_writable(MemoryContext parent, Datum value);
/* object += value; ERROR unless their specs are the same. */
extern void dp_counts_object_add(DpCountsObject *object, Datum value);
extern const ExpandedObjectMethods dp_counts_object_methods;
/* The object to which value points; NULL if value is flat. */
static inline DpCountsObject *
dp_counts_object_expanded(Datum value)
{
	DpCountsObject *object;

	if (!VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(value)))
		return NULL;
	object = (DpCountsObject *) DatumGetEOHP(value);
	return object->header.eoh_methods == &dp_counts_object_methods ? object : NULL;
}
/* Must follow every change of the counts. */
static inline void
dp_counts_object_changed(DpCountsObject *object)
{
	object->flat_length = 0;
}
/* A value that is flat, detoasted, seen in its parts; ERROR if it is not well-formed. */
extern void dp_counts_flat_view(Datum value, DpCountsView *view);
/* From now on flat counts must be of this spec, or an ERROR comes before any table is made of them.
 * NULL: they may be of any spec. */
extern void dp_counts_expect(const bytea *spec);
/* dp_raise, with a hint on how to count in less memory. */
extern DP_NORETURN void dp_counts_raise(const DpError *error);
/* What dpsyn.counting_memory, or work_mem and hash_mem_multiplier, allow, in bytes. */
extern uint64 dp_counts_memory(void);

#endif
