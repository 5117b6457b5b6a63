/*
 * aggregate.c -- the exact aggregates: dp_marginals and dp_merge. They count
 * what the caller may read; no noise is drawn here.
 *
 * State lives in the object alone, never in fn_extra, because Citus calls a transition function
 * through a new FmgrInfo for each row. So the object also keeps what is looked up once, at the
 * first row: encoders, and a digest of the spec that was given.
 */
#include "pg/server/compat.h"

#include "access/htup_details.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/execnodes.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pg_list.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "core/exact/count_kernel.h"
#include "pg/counting/aggregate.h"
#include "pg/counting/spec.h"
#include "pg/server/arguments.h"
#include "pg/server/bridge.h"
#include "pg/server/values.h"

PG_FUNCTION_INFO_V1(dp_counts_combine);
PG_FUNCTION_INFO_V1(dp_counts_final);
PG_FUNCTION_INFO_V1(dp_counting_memory_limit_final);

#define ARGUMENTS_BEFORE 2 /* state, spec */

/*
 * The memory context of the state. ERROR in a window aggregate, which shows a state and then goes
 * on counting into it.
 */
static MemoryContext
state_context(FunctionCallInfo fcinfo, bool *in_aggregate)
{
	MemoryContext context;

	*in_aggregate = false;
	switch (AggCheckCallContext(fcinfo, &context))
	{
		case AGG_CONTEXT_AGGREGATE:
			*in_aggregate = true;
			return context;
		case AGG_CONTEXT_WINDOW:
			ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
							errmsg("exact counts are not computed as a window aggregate"),
							errhint("Use GROUP BY.")));
		default:
			return CurrentMemoryContext; /* the function is called directly, not by an aggregate */
	}
}

/* ---- the first row ---- */

static void
check_columns(uint32 got, uint32 want)
{
	if (got != want)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the row has %u columns, the spec %u", got, want),
						errhint("dp_catalog.dp_marginal_columns(spec) lists the columns that it "
								"wants, in order.")));
}

/* ERROR for a column of another kind of type than the spec says. Columns in a wrong order would be
 * counted wrong, and nobody would notice. */
static void
check_type(const DpAttribute *attribute, Oid type)
{
	Oid base = getBaseType(type);
	Oid want = dp_type_of_label(attribute->type);
	char category;
	char want_category;
	bool preferred;

	if (!OidIsValid(want) || want == base)
		return;
	get_type_category_preferred(base, &category, &preferred);
	get_type_category_preferred(want, &want_category, &preferred);
	if (category != want_category)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("attribute \"%s\" of the spec is of type %s, the column of type %s",
							   attribute->name, attribute->type, format_type_be(base)),
						errhint("dp_catalog.dp_marginal_columns(spec) lists the columns that it "
								"wants, in order.")));
}

/* ERROR for a collation, unknown to the spec, under which texts that are equal would be counted
 * apart. */
static void
check_collation(const DpSpec *spec, uint32 a, Oid collation)
{
	const char *label;

	/* the spec of a release names the collations of its relation */
	if (spec->clamps || spec->collation[a] != NULL ||
		(label = dp_collation_label(collation)) == NULL)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_COLLATION_MISMATCH),
			 errmsg("column \"%s\" has a nondeterministic collation, and the spec names none",
					spec->domain.attribute[a].name),
			 errdetail("Under collation %s different texts can be equal.", label),
			 errhint("Say \"collation\": in the spec's column, or count it under another one, with "
					 "COLLATE \"C\".")));
}

/* The collation of an argument of the aggregate, or of a direct call. The first after the state is
 * number 0. */
static Oid
argument_collation(FunctionCallInfo fcinfo, int argument)
{
	Aggref *aggregate = AggGetAggref(fcinfo);
	Node *call = fcinfo->flinfo->fn_expr;

	if (aggregate != NULL && argument < list_length(aggregate->args))
		return exprCollation((Node *) list_nth_node(TargetEntry, aggregate->args, argument)->expr);
	if (aggregate == NULL && call != NULL && IsA(call, FuncExpr) &&
		argument + 1 < list_length(((FuncExpr *) call)->args))
		return exprCollation(list_nth(((FuncExpr *) call)->args, argument + 1));
	return InvalidOid;
}

static void
check_array_collation(FunctionCallInfo fcinfo, const DpSpec *spec)
{
	Oid collation = argument_collation(fcinfo, 1);
	bool named = false;

	/* an array has one collation, and nothing says of which columns it is */
	for (uint32 a = 0; a < spec->domain.attributes; a++)
		named |= spec->collation[a] != NULL;
	for (uint32 a = 0; a < spec->domain.attributes && !named; a++)
		check_collation(spec, a, collation);
}

/* ERROR unless the columns have the types and collations of the spec. */
static void
check_types(const DpSpec *spec, uint32 n, const Oid *type, const Oid *collation)
{
	check_columns(n, spec->domain.attributes);
	for (uint32 a = 0; a < n; a++)
	{
		if (!OidIsValid(type[a]))
			ereport(ERROR, (errcode(ERRCODE_INDETERMINATE_DATATYPE),
							errmsg("the types of the columns are not known here"),
							errhint("Hand the columns over as text[] or as integer[].")));
		check_type(&spec->domain.attribute[a], type[a]);
		check_collation(spec, a, collation[a]);
	}
}

static Oid *
argument_types(FunctionCallInfo fcinfo, const DpSpec *spec)
{
	uint32 n = (uint32) PG_NARGS() - ARGUMENTS_BEFORE;
	Oid *type = palloc(sizeof(Oid) * n);
	Oid *collation = palloc(sizeof(Oid) * n);

	for (uint32 a = 0; a < n; a++)
	{
		type[a] = get_fn_expr_argtype(fcinfo->flinfo, (int) a + ARGUMENTS_BEFORE);
		collation[a] = argument_collation(fcinfo, (int) a + 1);
	}
	check_types(spec, n, type, collation);
	return type;
}

static Oid *
record_types(DpCountsObject *object, HeapTupleHeader row)
{
	const DpDomain *domain = &object->spec.domain;
	Oid *type = palloc(sizeof(Oid) * domain->attributes);
	TupleDesc desc;
	uint32 n = 0;

	object->record_type = HeapTupleHeaderGetTypeId(row);
	object->record_typmod = HeapTupleHeaderGetTypMod(row);
	desc = lookup_rowtype_tupdesc(object->record_type, object->record_typmod);
	object->record = CreateTupleDescCopy(desc);
	ReleaseTupleDesc(desc);
	for (int i = 0; i < object->record->natts; i++)
	{
		Form_pg_attribute form = TupleDescAttr(object->record, i);

		if (form->attisdropped)
			continue;
		if (n < domain->attributes)
		{
			check_type(&domain->attribute[n], form->atttypid);
			check_collation(&object->spec, n, form->attcollation);
			type[n] = form->atttypid;
		}
		n++;
	}
	check_columns(n, domain->attributes);
	object->record_values = palloc(sizeof(Datum) * object->record->natts);
	object->record_nulls = palloc(sizeof(bool) * object->record->natts);
	return type;
}

static Oid *
integer_types(const DpDomain *domain)
{
	Oid *type = palloc(sizeof(Oid) * domain->attributes);

	for (uint32 a = 0; a < domain->attributes; a++)
		type[a] = INT4OID;
	return type;
}

/* Makes an object ready for rows of such types. */
static void
object_prepare(DpCountsObject *object, DpRowForm form, const Oid *type)
{
	object->value = palloc(sizeof(NullableDatum) * object->spec.domain.attributes);
	object->encoder = dp_encoders_create(&object->spec, type,
										 form == DP_ROW_TEXTS ? DP_FORM_TEXT : DP_FORM_TYPED);
	object->form = form;
}

/* The same of rows of this call. */
static void
object_prepare_call(DpCountsObject *object, FunctionCallInfo fcinfo, DpRowForm form)
{
	MemoryContext caller = MemoryContextSwitchTo(object->header.eoh_context);
	Oid *type = NULL;

	if (form == DP_ROW_ARGUMENTS)
		type = argument_types(fcinfo, &object->spec);
	else if (form == DP_ROW_TEXTS)
		check_array_collation(fcinfo, &object->spec);
	else if (form == DP_ROW_INTEGERS)
		type = integer_types(&object->spec.domain);
	else if (form == DP_ROW_RECORD)
		type = record_types(object, PG_GETARG_HEAPTUPLEHEADER(2));
	object_prepare(object, form, type);
	MemoryContextSwitchTo(caller);
}

/* ---- the spec ---- */

/* The last bytes of a spec are the digest of the others. */
static inline uint64
spec_digest(const bytea *spec)
{
	size_t length = VARSIZE_ANY_EXHDR(spec);
	uint64 digest = 0;

	if (length >= sizeof(digest))
		memcpy(&digest, VARDATA_ANY(spec) + length - sizeof(digest), sizeof(digest));
	return digest;
}

static DP_NORETURN void
refuse_other_spec(void)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("the spec is not the same for all rows"),
					errhint("Build it once: with \\gset, or as (SELECT dp_marginal_spec(...)).")));
}

/* The object of the state, ready for rows of this call. */
static DpCountsObject *
object_begin(FunctionCallInfo fcinfo, MemoryContext context, DpRowForm form)
{
	bytea *given = PG_GETARG_BYTEA_PP(1);
	const unsigned char *bytes = (unsigned char *) VARDATA_ANY(given);
	size_t length = VARSIZE_ANY_EXHDR(given);
	DpCountsObject *object;

	if (PG_ARGISNULL(0))
		object = dp_counts_object_new(context, bytes, length);
	else
	{
		object = dp_counts_object_writable(context, PG_GETARG_DATUM(0));
		if (object->spec_length != length || memcmp(object->spec_bytes, bytes, length) != 0)
			refuse_other_spec();
	}
	object_prepare_call(object, fcinfo, form);
	object->given_digest = spec_digest(given);
	object->given_length = length;
	return object;
}

static inline void
check_given(const DpCountsObject *object, FunctionCallInfo fcinfo)
{
	bytea *given = PG_GETARG_BYTEA_PP(1);

	if (unlikely(VARSIZE_ANY_EXHDR(given) != object->given_length ||
				 spec_digest(given) != object->given_digest))
		refuse_other_spec();
}

/* ---- rows ---- */

static void
elements_missing(const DpCountsObject *object, const ArrayType *array)
{
	check_columns(ARR_NDIM(array) == 1 ? (uint32) ARR_DIMS(array)[0] : 0,
				  object->spec.domain.attributes);
}

static inline bool
is_null_element(const uint8 *nulls, uint32 i)
{
	return nulls != NULL && (nulls[i / 8] & (1 << i % 8)) == 0;
}

static const NullableDatum *
row_of_integers(DpCountsObject *object, ArrayType *array)
{
	uint32 n = object->spec.domain.attributes;
	const int32 *element = (const int32 *) ARR_DATA_PTR(array);
	const uint8 *nulls = ARR_NULLBITMAP(array);

	if (ARR_NDIM(array) != 1 || (uint32) ARR_DIMS(array)[0] != n)
		elements_missing(object, array);
	for (uint32 i = 0; i < n; i++)
	{
		object->value[i].isnull = is_null_element(nulls, i);
		object->value[i].value = object->value[i].isnull ? (Datum) 0 : Int32GetDatum(*element++);
	}
	return object->value;
}

static const NullableDatum *
row_of_texts(DpCountsObject *object, ArrayType *array)
{
	uint32 n = object->spec.domain.attributes;
	const char *element = ARR_DATA_PTR(array);
	const uint8 *nulls = ARR_NULLBITMAP(array);

	if (ARR_NDIM(array) != 1 || (uint32) ARR_DIMS(array)[0] != n)
		elements_missing(object, array);
	for (uint32 i = 0; i < n; i++)
	{
		object->value[i].isnull = is_null_element(nulls, i);
		object->value[i].value = PointerGetDatum(element);
		if (object->value[i].isnull)
			continue;
		element = att_addlength_pointer(element, -1, element);
		element = (const char *) att_align_nominal(element, TYPALIGN_INT);
	}
	return object->value;
}

static const NullableDatum *
row_of_record(DpCountsObject *object, HeapTupleHeader row)
{
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(row), .t_data = row};
	uint32 n = 0;

	if (HeapTupleHeaderGetTypeId(row) != object->record_type ||
		HeapTupleHeaderGetTypMod(row) != object->record_typmod)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("the rows are not all of the same type")));
	heap_deform_tuple(&tuple, object->record, object->record_values, object->record_nulls);
	for (int i = 0; i < object->record->natts; i++)
	{
		if (TupleDescAttr(object->record, i)->attisdropped)
			continue;
		object->value[n].value = object->record_values[i];
		object->value[n++].isnull = object->record_nulls[i];
	}
	return object->value;
}

static inline const NullableDatum *
row_of_call(DpCountsObject *object, FunctionCallInfo fcinfo, DpRowForm form)
{
	if (likely(form == DP_ROW_ARGUMENTS))
	{
		check_columns((uint32) PG_NARGS() - ARGUMENTS_BEFORE, object->spec.domain.attributes);
		return &fcinfo->args[ARGUMENTS_BEFORE];
	}
	dp_check_not_null(fcinfo, ARGUMENTS_BEFORE, "a row to count");
	if (form == DP_ROW_INTEGERS)
		return row_of_integers(object, PG_GETARG_ARRAYTYPE_P(ARGUMENTS_BEFORE));
	if (form == DP_ROW_TEXTS)
		return row_of_texts(object, PG_GETARG_ARRAYTYPE_P(ARGUMENTS_BEFORE));
	return row_of_record(object, PG_GETARG_HEAPTUPLEHEADER(ARGUMENTS_BEFORE));
}

static pg_noinline void
count_batch(DpCountsObject *object)
{
	DpError error = {0};

	if (dp_counts_batch(&object->counts, &error) != DP_OK)
		dp_counts_raise(&error);
}

/* A row more has been encoded. */
static inline void
row_end(DpCountsObject *object)
{
	dp_counts_object_changed(object);
	if (++object->counts.rows == DP_BATCH_ROWS)
		count_batch(object);
}

/* The first row of an aggregate, and each row of a direct call. */
static pg_noinline DpCountsObject *
row_begin(FunctionCallInfo fcinfo, DpRowForm form)
{
	bool in_aggregate;
	MemoryContext context = state_context(fcinfo, &in_aggregate);
	DpCountsObject *object;

	if (form >= DP_ROW_TEXTS)
		dp_check_not_null(fcinfo, ARGUMENTS_BEFORE, "a row to count");
	object = object_begin(fcinfo, context, form);
	object->aggregate = in_aggregate ? fcinfo->context : NULL;
	return object;
}

static inline Datum
count_row(FunctionCallInfo fcinfo, DpRowForm form)
{
	DpCountsObject *object = NULL;

	if (unlikely(PG_ARGISNULL(1)))
		dp_check_not_null(fcinfo, 1, "the spec");
	if (likely(!PG_ARGISNULL(0)) &&
		VARATT_IS_EXTERNAL_EXPANDED_RW(DatumGetPointer(PG_GETARG_DATUM(0))))
		object = dp_counts_object_expanded(PG_GETARG_DATUM(0));
	/* within an aggregate all rows have the same types; a direct call may bring a state made for
	 * other types, whose encoder would read this row's values as addresses */
	if (likely(object != NULL && object->form == form && object->aggregate != NULL &&
			   object->aggregate == fcinfo->context))
		check_given(object, fcinfo);
	else
		object = row_begin(fcinfo, form);
	dp_encode_row(object->encoder, object->spec.domain.attributes,
				  row_of_call(object, fcinfo, form), &object->counts);
	row_end(object);
	return EOHPGetRWDatum(&object->header);
}

/* The transition functions, by how rows arrive. */
#define TRANSITION(name, form)                                                                     \
	PG_FUNCTION_INFO_V1(name);                                                                     \
	Datum name(PG_FUNCTION_ARGS)                                                                   \
	{                                                                                              \
		return count_row(fcinfo, form);                                                            \
	}

TRANSITION(dp_marginals_any, DP_ROW_ARGUMENTS)
TRANSITION(dp_marginals_text, DP_ROW_TEXTS)
TRANSITION(dp_marginals_int, DP_ROW_INTEGERS)
TRANSITION(dp_marginals_record, DP_ROW_RECORD)

/* ---- rows of a plan ---- */

/* Of functions of other names nothing is loaded. */
static bool
is_function(Oid function, const char *wanted, PGFunction address)
{
	const char *name = OidIsValid(function) ? get_func_name(function) : NULL;
	FmgrInfo info;

	if (name == NULL || strcmp(name, wanted) != 0)
		return false;
	fmgr_info(function, &info);
	return info.fn_addr == address;
}

/* Anybody can make an aggregate of these functions that begins or ends in another way. */
static bool
counts_columns(HeapTuple aggregate)
{
	const FormData_pg_aggregate *form = (Form_pg_aggregate) GETSTRUCT(aggregate);
	bool starts_empty;

	(void) SysCacheGetAttr(AGGFNOID, aggregate, Anum_pg_aggregate_agginitval, &starts_empty);
	return starts_empty &&
		   is_function(form->aggtransfn, "dp_marginals_transition", dp_marginals_any) &&
		   is_function(form->aggfinalfn, "dp_counts_final", dp_counts_final);
}

bool
dp_is_marginals_call(const Aggref *call)
{
	HeapTuple tuple;
	bool counts;

	if (call->aggsplit != AGGSPLIT_SIMPLE || call->agglevelsup > 0 || call->aggfilter != NULL ||
		call->aggorder != NIL || call->aggdistinct != NIL || call->aggdirectargs != NIL)
		return false;
	tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(call->aggfnoid));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for aggregate %u", call->aggfnoid);
	counts = counts_columns(tuple);
	ReleaseSysCache(tuple);
	return counts;
}

DpCountsObject *
dp_counts_object_of_columns(MemoryContext context, bytea *spec, uint32 n, const Oid *type,
							const Oid *collation)
{
	DpCountsObject *object;
	MemoryContext caller;

	if (spec == NULL)
		dp_refuse_null("the spec");
	object =
		dp_counts_object_new(context, (unsigned char *) VARDATA_ANY(spec), VARSIZE_ANY_EXHDR(spec));
	check_types(&object->spec, n, type, collation);
	caller = MemoryContextSwitchTo(object->header.eoh_context);
	object_prepare(object, DP_ROW_ARGUMENTS, type);
	MemoryContextSwitchTo(caller);
	return object;
}

void
dp_counts_object_row(DpCountsObject *object)
{
	row_end(object);
}

/* ---- merging ---- */

/* The combine function of all these aggregates, and the transition function of dp_merge. */
Datum
dp_counts_combine(PG_FUNCTION_ARGS)
{
	bool in_aggregate;
	MemoryContext context = state_context(fcinfo, &in_aggregate);
	DpCountsObject *object;

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	if (PG_ARGISNULL(0))
		object = dp_counts_object_writable(
			context, MakeExpandedObjectReadOnly(PG_GETARG_DATUM(1), false, -1));
	else
	{
		object = dp_counts_object_writable(context, PG_GETARG_DATUM(0));
		dp_counts_object_add(object, PG_GETARG_DATUM(1));
	}
	PG_RETURN_DATUM(EOHPGetRWDatum(&object->header));
}

/* ---- results ---- */

/*
 * Returns the state itself, read-only. PostgreSQL 15 flattens a result that is not in the context
 * of the call. So a pointer to the state is made in that context, as later versions do by
 * themselves. Whoever keeps or sends the result still gets the flat form.
 */
Datum
dp_counts_final(PG_FUNCTION_ARGS)
{
	DpCountsObject *object = dp_counts_object_expanded(PG_GETARG_DATUM(0));
	char *pointer;

	if (object == NULL)
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	pointer = palloc(EXPANDED_POINTER_SIZE);
	memcpy(pointer, object->header.eoh_ro_ptr, EXPANDED_POINTER_SIZE);
	PG_RETURN_POINTER(pointer);
}

/*
 * {format, bytes}: the format of counts that this server makes, and the memory it has for them. It
 * is an aggregate, so that a foreign server can be asked without reading a row there.
 */
Datum
dp_counting_memory_limit_final(PG_FUNCTION_ARGS)
{
	Datum values[] = {Int64GetDatum(DP_COUNTS_FORMAT),
					  Int64GetDatum((int64) Min(dp_counts_memory(), (uint64) PG_INT64_MAX))};

	PG_RETURN_ARRAYTYPE_P(
		construct_array(values, lengthof(values), INT8OID, sizeof(int64), true, TYPALIGN_DOUBLE));
}
