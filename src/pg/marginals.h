/*
 * marginals.h -- the SQL type dp_counts and what works on it, grouped by file.
 *
 * Exact counts of rows that the caller may read anyway, or of the release
 * worker: SECRET for everybody else. Nothing in these files draws noise.
 */
#ifndef DP_MARGINALS_H
#define DP_MARGINALS_H

#include "dpsyn.h"

#include "utils/expandeddatum.h"

#include "encode.h"
#include "marginal_counts.h"

/* ---- marginals_object.c: counts in flight, an expanded object ---- */

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
	DpArena arena;               /* bounded: spec and tables */
	unsigned char *spec_bytes;
	size_t spec_length;
	DpSpec spec;
	DpCounts counts;
	/* aggregate.c: what rows need */
	DpRowForm form;
	uint64 given_digest; /* of the spec as it was given */
	size_t given_length;
	DpEncoder *encoder;
	NullableDatum *value; /* [attributes], where a row is taken apart first */
	Oid record_type;
	int32 record_typmod;
	TupleDesc record;
	Datum *record_values;
	bool *record_nulls;
	/* the flat form, until rows are added */
	unsigned char *flat;
	size_t flat_length;
} DpCountsObject;

/* A new object without rows, in a context of its own below parent. */
extern DpCountsObject *dp_counts_object_new(MemoryContext parent, const unsigned char *spec_bytes,
											size_t spec_length);
/* Counts, to be read: nothing is pending in them. */
extern DpCountsObject *dp_counts_object_get(Datum value);
/* Counts that may be changed: value itself, if it is the writable pointer to an object, else a copy. */
extern DpCountsObject *dp_counts_object_writable(MemoryContext parent, Datum value);
/* object += value; ERROR unless their specs are the same. */
extern void dp_counts_object_add(DpCountsObject *object, Datum value);
/* object if value is one already, else NULL. */
extern DpCountsObject *dp_counts_object_expanded(Datum value);
/* Must follow every change. */
static inline void
dp_counts_object_changed(DpCountsObject *object)
{
	object->flat_length = 0;
}
/* The flat form of a value that is not expanded, detoasted; ERROR if it is not well-formed. */
extern void dp_counts_flat_view(Datum value, DpCountsView *view);
/* Counts that come in flat from now on are of this spec, or an error before any table is made of them; NULL: of any. */
extern void dp_counts_expect(const bytea *spec);
/* ereport(ERROR) for an error of counting. */
extern DP_NORETURN void dp_counts_raise(const DpError *error);
/* What dpsyn.counting_memory and work_mem allow, in bytes. */
extern uint64 dp_counts_memory(void);

/* ---- marginals_spec.c: specs ---- */

/* The listed attributes of a relation as a spec that has no sets yet. */
extern void dp_spec_domain(const DpDomain *domain, const DpColumn *column, const uint32 *index,
						   uint32 n, DpSpec *spec);
/* "a", "b": the listed attributes, quoted. */
extern char *dp_column_list(const DpDomain *domain, const uint32 *attribute, uint32 n);
/* The call that counts n columns of that list, the spec being $1. */
extern char *dp_count_call(const char *columns, uint32 n);
/* The collation of that name in a schema; InvalidOid if there is none. */
extern Oid dp_collation_in(Oid schema, const char *name);
/* The name of a collation under which different texts can be equal, with its schema; NULL for any other. */
extern const char *dp_collation_label(Oid collation);
extern bytea *dp_spec_to_bytea(const DpSpec *spec);
extern void dp_spec_from_bytes(const unsigned char *bytes, size_t length, DpArena *arena,
							   DpSpec *spec);

/* ---- marginals_json.c: sets and columns as JSON ---- */

/* Sets as a user wrote them: [["a","b"], {"columns": ["a","b"], "hashed": true}]. */
extern void dp_spec_sets_from_json(Jsonb *json, int64 dense_cells, DpSpec *spec);
/* A domain as a user wrote it: [{"name": "a", "categories": ["x"], "other": true}, ...]. */
extern void dp_spec_domain_from_json(Jsonb *json, DpSpec *spec);

#endif
