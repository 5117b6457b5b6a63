/*
 * impute.c -- dp_impute: what a row does not say, drawn from a stored release given what it
 * says. Post-processing: the row is the caller's own.
 */
#include "pg/server/compat.h"

#include "access/htup_details.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "core/sample/draw.h"
#include "pg/domain/derived.h"
#include "pg/domain/distance.h"
#include "pg/sample/condition.h"
#include "pg/sample/decode.h"
#include "pg/sample/fitted.h"
#include "pg/sample/row_rules.h"
#include "pg/sample/sample.h"
#include "pg/server/arguments.h"
#include "pg/server/values.h"

PG_FUNCTION_INFO_V1(dp_impute);

/* Keeps the stream that places values inside bins apart from the one that draws codes. */
#define BIN_STREAM UINT64CONST(0x9e3779b97f4a7c15)
/* And each further try of a row that breaks a rule apart from those before. */
#define RULE_STREAM UINT64CONST(0xd1b54a32d192ed03)
#define ROW_TRIES_MAX 1000

/* What stays from row to row of one query. */
typedef struct Completion
{
	int64 release;
	int32 set;
	DpStored *stored;
	const DpFitted *fitted;
	DpDecoder *decoder;
	DpRowRules *rules; /* NULL: the row type has none */
	TupleDesc row;
	uint64 seed;
	uint64 done; /* rows */
	MemoryContext scratch;
} Completion;

static TupleDesc
target_row(FunctionCallInfo fcinfo)
{
	Oid type = get_fn_expr_argtype(fcinfo->flinfo, 0);
	int32 typmod = -1;

	if (!PG_ARGISNULL(0) && OidIsValid(type) && type_is_rowtype(type))
	{
		HeapTupleHeader tuple = PG_GETARG_HEAPTUPLEHEADER(0);

		return lookup_rowtype_tupdesc_copy(HeapTupleHeaderGetTypeId(tuple),
										   HeapTupleHeaderGetTypMod(tuple));
	}
	if (!OidIsValid(type) || get_typtype(type) != TYPTYPE_COMPOSITE)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("target must have a row type"),
						errhint("Write dp_impute(t, release) for a row of a table t.")));
	return lookup_rowtype_tupdesc_copy(type, typmod);
}

static Completion *
completion_start(FunctionCallInfo fcinfo)
{
	MemoryContext caller = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
	Completion *completion = palloc0(sizeof(Completion));

	completion->row = BlessTupleDesc(target_row(fcinfo));
	completion->release = PG_GETARG_INT64(1);
	completion->set = PG_GETARG_INT32(3);
	completion->stored =
		dp_stored_counts_of(completion->release, get_typ_typrelid(completion->row->tdtypeid));
	if (completion->set < 1 || completion->set > completion->stored->sets)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("release " INT64_FORMAT " has no set %d", completion->release,
							   completion->set),
						errdetail("It has sets 1 to %d.", completion->stored->sets)));
	completion->decoder = dp_decoder_create(&completion->stored->model.domain,
											completion->stored->derived, completion->row);
	dp_decoder_expect_columns(completion->decoder);
	completion->rules = dp_row_rules_create(&completion->stored->model.domain, completion->decoder,
											NULL, completion->stored->derived, completion->row);
	completion->fitted =
		dp_fitted_get(completion->stored, (uint32) completion->set, &dp_interrupt_tick);
	if (completion->fitted->fitted == NULL)
		dp_raise_unconditional(completion->stored);
	completion->seed = dp_seed_argument(fcinfo, 2);
	completion->scratch =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn row", ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(caller);
	return completion;
}

/* What the row says of an attribute: the level of its column's value, or of the distance of that from
 * the column it is modelled by; -1: the release has none. */
static int64
attribute_code(const Completion *completion, const DpAttribute *attribute, int i,
			   const Datum *values, const bool *nulls)
{
	Form_pg_attribute form = TupleDescAttr(completion->row, i);
	int base = dp_decoded(completion->decoder, i).base;
	Oid type = getBaseType(form->atttypid);
	char *words = dp_value_out(values[i], form->atttypid);
	NullableDatum from;

	if (base < 0)
		return dp_level_of_value(attribute, form->attcollation, words);
	if (attribute->other != NULL && strcmp(attribute->other, words) == 0)
		return (int64) attribute->levels - 1;
	from = dp_decoder_base(completion->decoder, i, values, nulls);
	if (from.isnull)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a row has column \"%s\" and not column \"%s\"", NameStr(form->attname),
						NameStr(TupleDescAttr(completion->row, base)->attname)),
				 errdetail("The release knows the first one as the distance from the second."),
				 errhint("Give both columns, or the second alone, or none.")));
	return dp_level_of_value(
		attribute, InvalidOid,
		dp_value_out(dp_distance_between(values[i], from.value, type), dp_distance_type(type)));
}

/* The values that the row has, as a condition, and as what the decoder gives. Returns whether a
 * modelled column is NULL. */
static bool
read_row(const Completion *completion, const Datum *values, const bool *nulls,
		 DpCondition *condition)
{
	const DpDomain *domain = &completion->stored->model.domain;
	int level = dp_values_begin();
	bool open = false;

	dp_condition_start(domain, condition);
	dp_decoder_unfix(completion->decoder);
	for (int i = 0; i < completion->row->natts; i++)
	{
		Form_pg_attribute form = TupleDescAttr(completion->row, i);
		int attribute = form->attisdropped ? -1 : dp_domain_find(domain, NameStr(form->attname));
		int64 code;

		if (!form->attisdropped && !nulls[i])
			dp_decoder_fix(completion->decoder, i, values[i]);
		if (attribute < 0)
			continue;
		open |= nulls[i];
		if (nulls[i])
			continue;
		code = attribute_code(completion, &domain->attribute[attribute], i, values, nulls);
		if (code < 0)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("a row has a value of column \"%s\" that is not in the release",
								   NameStr(form->attname)),
							errhint("The view dp_columns shows the levels.")));
		dp_condition_fix(condition, (uint32) attribute, (uint32) code);
	}
	dp_values_end(level);
	condition->given.one_row = true;
	return open;
}

/* Draws what the row does not say, once. */
static void
draw_codes(const Completion *completion, const DpDrawer *drawer, uint64 try, uint32 *codes)
{
	DpStream stream = {completion->seed ^ (try * RULE_STREAM), (uint64) completion->set,
					   completion->done};
	DpError error = {0};
	DpStatus status =
		dp_draw_rows(drawer, &(DpRowBlock){stream, 1}, codes, &dp_interrupt_tick, &error);

	if (status != DP_OK)
	{
		error.status = status;
		dp_raise(&error);
	}
}

static DP_NORETURN void
raise_unkept(const Completion *completion)
{
	ereport(ERROR, (errcode(ERRCODE_CHECK_VIOLATION),
					errmsg("no completion of a row was found that keeps the rule \"%s\"",
						   dp_row_rules_broken(completion->rules)->name),
					errdetail("It was drawn %d times. What the row says may break the rule.",
							  ROW_TRIES_MAX),
					errhint("Give other values, or a row type without the rule.")));
}

static void
draw_rest(Completion *completion, const DpCondition *condition, Datum *values, bool *nulls)
{
	const DpModelQuery *query = completion->stored->method->sampler->query;
	DpArena arena = dp_arena_for(CurrentMemoryContext);
	uint32 *codes = palloc(sizeof(uint32) * Max(completion->stored->model.domain.attributes, 1));
	DpError error = {0};
	DpDrawer drawer;
	DpStatus status;
	DpPrng prng;

	status = dp_drawer_compile(
		&(DpFittedModel){query, &completion->fitted->model, completion->fitted->fitted},
		&condition->given, &drawer, &dp_interrupt_tick, &arena, &error);
	if (status != DP_OK)
	{
		error.status = status;
		dp_raise(&error);
	}
	dp_prng_seed(&prng, (DpStream){completion->seed ^ BIN_STREAM, (uint64) completion->set,
								   completion->done});
	for (uint64 try = 0; try < ROW_TRIES_MAX; try++)
	{
		CHECK_FOR_INTERRUPTS();
		draw_codes(completion, &drawer, try, codes);
		dp_decode_row(completion->decoder, codes, &prng, values, nulls);
		if (completion->rules == NULL ||
			dp_row_rules_keep(completion->rules, codes, &prng, values, nulls))
			return;
	}
	raise_unkept(completion);
}

Datum
dp_impute(PG_FUNCTION_ARGS)
{
	Completion *completion = fcinfo->flinfo->fn_extra;
	MemoryContext caller;
	DpCondition condition;
	HeapTuple result;
	Datum *values;
	bool *nulls;
	int natts;

	dp_check_not_null(fcinfo, 1, "release");
	dp_check_not_null(fcinfo, 3, "set");
	if (completion == NULL || completion->release != PG_GETARG_INT64(1) ||
		completion->set != PG_GETARG_INT32(3))
		fcinfo->flinfo->fn_extra = completion = completion_start(fcinfo);
	caller = MemoryContextSwitchTo(completion->scratch);
	natts = completion->row->natts;
	values = palloc0(sizeof(Datum) * Max(natts, 1));
	nulls = palloc(sizeof(bool) * Max(natts, 1));
	memset(nulls, true, sizeof(bool) * Max(natts, 1));
	if (!PG_ARGISNULL(0))
	{
		HeapTupleHeader header = PG_GETARG_HEAPTUPLEHEADER(0);
		HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(header), .t_data = header};

		heap_deform_tuple(&tuple, completion->row, values, nulls);
	}
	if (read_row(completion, values, nulls, &condition))
		draw_rest(completion, &condition, values, nulls);
	completion->done++;
	MemoryContextSwitchTo(caller);
	result = heap_form_tuple(completion->row, values, nulls);
	MemoryContextReset(completion->scratch);
	PG_RETURN_DATUM(HeapTupleGetDatum(result));
}
