/*
 * row_cache.c -- the exact aggregate dp_row_cache: the measured values of each row, as bytes, with
 * the number of the unit that the row belongs to. It keeps only values that its caller may read; no
 * noise is drawn here.
 *
 * Units are distinguished by the default hash and equality of their types, as GROUP BY does. If
 * rows and units exceed their memory, all of them are dropped, and the result says so. The caller
 * then reads the rows in another way.
 */
#include "pg/counting/row_cache.h"

#include "access/detoast.h"
#include "common/hashfn.h"
#include "libpq/pqformat.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "pg/counting/encode.h"
#include "pg/counting/sortable.h"
#include "pg/counting/spec.h"
#include "pg/domain/grid.h"
#include "pg/server/bridge.h"

PG_FUNCTION_INFO_V1(dp_row_passes);
PG_FUNCTION_INFO_V1(dp_row_cache_transition);
PG_FUNCTION_INFO_V1(dp_row_cache_combine);
PG_FUNCTION_INFO_V1(dp_row_cache_serialise);
PG_FUNCTION_INFO_V1(dp_row_cache_deserialise);

#define ARGUMENTS_BEFORE 2  /* state, spec; or what passes, spec */
#define CAPACITY_FIRST 1024 /* bytes of rows, and units */

/* A column that identifies the unit. */
typedef struct UnitKey
{
	Oid type;
	Oid collation;
	int16 length;
	bool by_value;
	FmgrInfo *hash;
	FmgrInfo *equal;
} UnitKey;

typedef struct RowColumn
{
	DpRowField as;
	uint32 bytes;
	DpEncoder *encoder; /* DP_FIELD_CODE */
	DpGridCoder *coder; /* DP_FIELD_COORDINATE */
	Oid type;           /* DP_FIELD_SORTABLE */
} RowColumn;

typedef struct UnitSlot
{
	uint32 number; /* 1 + that of a unit; 0: free */
	uint32 hash;   /* the unit's */
} UnitSlot;

/* The state: units and rows, and how to add more. */
typedef struct UnitState
{
	MemoryContext context;
	uint32 keys;
	UnitKey *key;
	bool lost;        /* rows exceeded the memory, and were dropped */
	uint64 bytes_max; /* of all states that are merged */
	uint64 bytes_own; /* of what follows */
	uint64 bytes;
	uint32 units, units_capacity;
	Datum *value;   /* [units x keys] */
	uint32 *hash;   /* [units] */
	UnitSlot *slot; /* [mask + 1] */
	uint32 mask;
	uint32 row_bytes;
	uint64 rows, rows_capacity;
	unsigned char *row; /* [rows x row_bytes] */
	uint32 columns;     /* 0: rows come only from merged states */
	RowColumn *column;
	uint32 arguments;
	DpStorageForm *form; /* [arguments] */
	unsigned char order_key[DP_SIPHASH_KEY_BYTES];
} UnitState;

/* ---- the spec as bytes ---- */

static void
write_column(StringInfo bytes, const DpRowField *column)
{
	pq_sendbyte(bytes, (uint8) column->kind);
	pq_sendbyte(bytes, column->nullable);
	pq_sendint32(bytes, column->argument);
	pq_sendbyte(bytes, (uint8) column->grid.kind);
	pq_sendint64(bytes, (uint64) column->grid.first);
	pq_sendint64(bytes, (uint64) column->grid.last);
	pq_sendint64(bytes, (uint64) column->grid.step);
	pq_sendint32(bytes, (uint32) column->grid.digits);
}

bytea *
dp_row_cache_spec(const DpRowCacheSpec *spec)
{
	StringInfoData bytes;

	pq_begintypsend(&bytes);
	pq_sendint32(&bytes, spec->keys);
	pq_sendint64(&bytes, spec->keep.bytes_max);
	pq_sendint32(&bytes, spec->keep.parts);
	pq_sendint32(&bytes, spec->columns);
	for (uint32 i = 0; i < spec->columns; i++)
		write_column(&bytes, &spec->column[i]);
	if (spec->column[0].kind == DP_FIELD_HASH)
		pq_sendbytes(&bytes, (const char *) spec->key, sizeof(spec->key));
	if (spec->coded.domain.attributes > 0)
	{
		bytea *coded = dp_spec_to_bytea(&spec->coded);

		pq_sendbytes(&bytes, VARDATA_ANY(coded), (int) VARSIZE_ANY_EXHDR(coded));
	}
	return pq_endtypsend(&bytes);
}

static DP_NORETURN void
refuse(const char *detail)
{
	elog(ERROR, "dpsyn: rows cannot be cached: %s", detail);
}

static DpRowField
read_column(StringInfo bytes, uint32 arguments)
{
	DpRowField column = {0};
	DpError error = {0};
	int kind = pq_getmsgbyte(bytes);

	column.nullable = pq_getmsgbyte(bytes) != 0;
	column.argument = pq_getmsgint(bytes, 4);
	column.grid.kind = (DpGridKind) pq_getmsgbyte(bytes);
	column.grid.first = pq_getmsgint64(bytes);
	column.grid.last = pq_getmsgint64(bytes);
	column.grid.step = pq_getmsgint64(bytes);
	column.grid.digits = (int) pq_getmsgint(bytes, 4);
	if (kind > DP_FIELD_SORTABLE || column.argument >= arguments)
		refuse("the spec names a column that is not there");
	column.kind = (DpRowFieldKind) kind;
	if (column.kind == DP_FIELD_COORDINATE &&
		(column.grid.kind > DP_GRID_INTERVAL || dp_grid_check(&column.grid, &error) != DP_OK ||
		 dp_grid_size(&column.grid) == PG_UINT64_MAX))
		refuse("the grid of a column is none");
	return column;
}

/* Reads the spec for a call with the given number of arguments after it. */
static DpRowCacheSpec
read_spec(bytea *given, uint32 arguments)
{
	StringInfoData bytes = {.data = VARDATA_ANY(given), .len = (int) VARSIZE_ANY_EXHDR(given)};
	DpArena arena = dp_arena_for(CurrentMemoryContext);
	DpRowCacheSpec spec = {.keys = pq_getmsgint(&bytes, 4)};
	uint32 coded = 0;
	bool hashed = false;

	spec.keep.bytes_max = (uint64) pq_getmsgint64(&bytes);
	spec.keep.bytes_max = Min(spec.keep.bytes_max, DP_ROW_CACHE_BYTES_MAX);
	spec.keep.parts = pq_getmsgint(&bytes, 4);
	spec.columns = pq_getmsgint(&bytes, 4);
	if (spec.keep.parts < 1 || spec.keys > arguments || spec.columns < 1 ||
		spec.columns > 2 * DP_ATTRIBUTES_MAX)
		refuse("the spec has no columns, or too many");
	spec.column = palloc(sizeof(DpRowField) * spec.columns);
	for (uint32 i = 0; i < spec.columns; i++)
	{
		spec.column[i] = read_column(&bytes, arguments);
		coded += spec.column[i].kind == DP_FIELD_CODE ? 1 : 0;
		hashed |= spec.column[i].kind == DP_FIELD_HASH;
	}
	if (hashed && spec.column[0].kind != DP_FIELD_HASH)
		refuse("the hash of a row is not the first of its columns");
	if (hashed)
		memcpy(spec.key, pq_getmsgbytes(&bytes, sizeof(spec.key)), sizeof(spec.key));
	if (coded > 0)
		dp_spec_from_bytes((unsigned char *) bytes.data + bytes.cursor,
						   (size_t) (bytes.len - bytes.cursor), &arena, &spec.coded);
	if (spec.coded.domain.attributes != coded)
		refuse("the spec does not say which codes there are");
	return spec;
}

/* ---- units ---- */

static UnitState *
state_create(MemoryContext context, uint32 keys, uint32 row_bytes, uint64 bytes_max)
{
	UnitState *state = MemoryContextAllocZero(context, sizeof(UnitState));

	state->context = context;
	state->keys = keys;
	state->key = MemoryContextAllocZero(context, sizeof(UnitKey) * keys);
	state->row_bytes = row_bytes;
	state->bytes_max = state->bytes_own = bytes_max;
	state->mask = CAPACITY_FIRST - 1;
	state->slot = MemoryContextAllocZero(context, sizeof(UnitSlot) * CAPACITY_FIRST);
	return state;
}

static void
key_create(const UnitState *state, uint32 k, Oid type, Oid collation)
{
	UnitKey *key = &state->key[k];
	TypeCacheEntry *entry =
		lookup_type_cache(type, TYPECACHE_HASH_PROC_FINFO | TYPECACHE_EQ_OPR_FINFO);

	if (!OidIsValid(entry->hash_proc) || !OidIsValid(entry->eq_opr))
		refuse("a unit has a type that cannot be hashed");
	*key = (UnitKey){.type = type,
					 .collation = collation,
					 .hash = &entry->hash_proc_finfo,
					 .equal = &entry->eq_opr_finfo};
	get_typlenbyval(type, &key->length, &key->by_value);
}

/* Drops all rows, since they exceed the memory. */
static void
lose(UnitState *state)
{
	state->lost = true;
	state->units = state->units_capacity = 0;
	state->rows = state->rows_capacity = 0;
	if (state->value != NULL)
		pfree(state->value);
	if (state->hash != NULL)
		pfree(state->hash);
	if (state->row != NULL)
		pfree(state->row);
	state->value = NULL;
	state->hash = NULL;
	state->row = NULL;
}

/* Returns false if the memory is exceeded. */
static bool
take_bytes(UnitState *state, uint64 bytes)
{
	state->bytes += bytes;
	if (state->bytes <= state->bytes_own)
		return true;
	lose(state);
	return false;
}

static void *
grown(MemoryContext context, void *array, Size bytes)
{
	return array == NULL ? MemoryContextAllocHuge(context, bytes) : repalloc_huge(array, bytes);
}

static void
slot_take(UnitState *state, uint32 unit)
{
	uint32 at = state->hash[unit] & state->mask;

	while (state->slot[at].number != 0)
		at = (at + 1) & state->mask;
	state->slot[at] = (UnitSlot){.number = unit + 1, .hash = state->hash[unit]};
}

static void
grow_slots(UnitState *state)
{
	pfree(state->slot);
	state->mask = state->mask * 2 + 1;
	state->slot = MemoryContextAllocExtended(state->context, sizeof(UnitSlot) * (state->mask + 1UL),
											 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (uint32 u = 0; u < state->units; u++)
		slot_take(state, u);
}

static uint32
unit_add(UnitState *state, uint32 hash, const Datum *value)
{
	MemoryContext caller = MemoryContextSwitchTo(state->context);
	uint32 unit = state->units++;

	if (state->units > state->units_capacity)
	{
		state->units_capacity = Max(2 * state->units_capacity, CAPACITY_FIRST);
		state->value = grown(state->context, state->value,
							 sizeof(Datum) * state->units_capacity * state->keys);
		state->hash = grown(state->context, state->hash, sizeof(uint32) * state->units_capacity);
	}
	state->hash[unit] = hash;
	for (uint32 k = 0; k < state->keys; k++)
	{
		const UnitKey *key = &state->key[k];

		state->value[(Size) unit * state->keys + k] =
			key->length == -1 ? PointerGetDatum(PG_DETOAST_DATUM_COPY(value[k]))
							  : datumCopy(value[k], key->by_value, key->length);
	}
	if (state->units > state->mask / 2)
		grow_slots(state);
	else
		slot_take(state, unit);
	MemoryContextSwitchTo(caller);
	return unit;
}

static bool
is_unit(const UnitState *state, uint32 unit, const Datum *value)
{
	for (uint32 k = 0; k < state->keys; k++)
		if (!DatumGetBool(FunctionCall2Coll(state->key[k].equal, state->key[k].collation,
											state->value[(Size) unit * state->keys + k], value[k])))
			return false;
	return true;
}

static uint32
hash_of(const UnitState *state, const Datum *value)
{
	uint32 hash = 0;

	for (uint32 k = 0; k < state->keys; k++)
		hash = hash_combine(hash, DatumGetUInt32(FunctionCall1Coll(
									  state->key[k].hash, state->key[k].collation, value[k])));
	return hash;
}

/* Beside the Datum. A compressed value is kept as it was before. */
static Size
bytes_of(const UnitKey *key, Datum value)
{
	if (key->by_value)
		return 0;
	return key->length == -1 ? toast_raw_datum_size(value)
							 : datumGetSize(value, false, key->length);
}

/* Finds the number of a unit, or adds the unit. Returns false if the memory is exceeded. */
static bool
unit_of(UnitState *state, uint32 hash, const Datum *value, uint32 *unit)
{
	Size bytes = sizeof(uint32) + 2 * sizeof(UnitSlot) + sizeof(Datum) * state->keys;

	for (uint32 at = hash & state->mask; state->slot[at].number != 0; at = (at + 1) & state->mask)
	{
		*unit = state->slot[at].number - 1;
		if (state->slot[at].hash == hash && is_unit(state, *unit, value))
			return true;
	}
	for (uint32 k = 0; k < state->keys; k++)
		bytes += bytes_of(&state->key[k], value[k]);
	if (!take_bytes(state, bytes))
		return false;
	*unit = unit_add(state, hash, value);
	return true;
}

/* The address of the next rows. NULL: the memory is exceeded. */
static unsigned char *
rows_add(UnitState *state, uint64 rows)
{
	uint64 before = state->rows;

	if (!take_bytes(state, rows * state->row_bytes))
		return NULL;
	state->rows += rows;
	if (state->rows > state->rows_capacity)
	{
		state->rows_capacity = Max(Max(2 * state->rows_capacity, CAPACITY_FIRST), state->rows);
		state->row = grown(state->context, state->row, state->rows_capacity * state->row_bytes);
	}
	return state->row + before * state->row_bytes;
}

/* ---- a row ---- */

static void
columns_create(UnitState *state, FunctionCallInfo fcinfo, const DpRowCacheSpec *spec)
{
	Oid *type = palloc(sizeof(Oid) * (spec->columns + 1));
	DpEncoder *encoders;
	uint32 coded = 0;

	state->columns = spec->columns;
	state->column = palloc0(sizeof(RowColumn) * spec->columns);
	for (uint32 i = 0; i < spec->columns; i++)
		if (spec->column[i].kind == DP_FIELD_CODE)
			type[coded++] = get_fn_expr_argtype(fcinfo->flinfo,
												(int) spec->column[i].argument + ARGUMENTS_BEFORE);
	encoders = coded > 0 ? dp_encoders_create(&spec->coded, type, DP_FORM_TYPED) : NULL;
	coded = 0;
	for (uint32 i = 0; i < spec->columns; i++)
	{
		RowColumn *column = &state->column[i];
		Oid of =
			get_fn_expr_argtype(fcinfo->flinfo, (int) spec->column[i].argument + ARGUMENTS_BEFORE);

		column->as = spec->column[i];
		if (column->as.kind == DP_FIELD_CODE)
		{
			column->as.levels = spec->coded.domain.attribute[coded].levels;
			column->encoder = dp_encoder_at(encoders, coded++);
		}
		else if (column->as.kind == DP_FIELD_COORDINATE)
		{
			if (!dp_type_has_range(of, -1) || dp_grid_kind_of(of) != column->as.grid.kind)
				refuse("a column is of another type than its grid");
			column->coder = dp_grid_coder(&column->as.grid, of, -1);
			if (!dp_grid_coder_reads(column->coder))
				refuse("a column is of another type than its grid");
		}
		else if (column->as.kind == DP_FIELD_SORTABLE)
		{
			column->type = getBaseType(of);
			column->as.levels = dp_sortable_bytes(column->type);
			if (column->as.levels == 0)
				refuse("a column has a type whose order is not that of bytes");
		}
		column->bytes = dp_row_field_bytes(&column->as);
		state->row_bytes += column->bytes;
	}
}

static void
forms_create(UnitState *state, FunctionCallInfo fcinfo)
{
	state->arguments = (uint32) PG_NARGS() - ARGUMENTS_BEFORE;
	state->form = palloc(sizeof(DpStorageForm) * state->arguments);
	for (uint32 i = 0; i < state->arguments; i++)
	{
		DpStorageForm *form = &state->form[i];

		form->type = get_fn_expr_argtype(fcinfo->flinfo, (int) i + ARGUMENTS_BEFORE);
		get_typlenbyval(form->type, &form->length, &form->by_value);
	}
}

static UnitState *
state_of_call(FunctionCallInfo fcinfo, MemoryContext context)
{
	MemoryContext caller = MemoryContextSwitchTo(context);
	Aggref *aggregate = AggGetAggref(fcinfo);
	DpRowCacheSpec spec;
	UnitState *state;

	if (PG_ARGISNULL(1) || aggregate == NULL || list_length(aggregate->args) != PG_NARGS() - 1)
		refuse("the spec is missing");
	spec = read_spec(PG_GETARG_BYTEA_PP(1), (uint32) PG_NARGS() - ARGUMENTS_BEFORE);
	state = state_create(context, spec.keys, DP_UNIT_BYTES, spec.keep.bytes_max);
	state->bytes_own /= spec.keep.parts;
	for (uint32 k = 0; k < spec.keys; k++)
		key_create(
			state, k, get_fn_expr_argtype(fcinfo->flinfo, (int) k + ARGUMENTS_BEFORE),
			exprCollation((Node *) list_nth_node(TargetEntry, aggregate->args, (int) k + 1)->expr));
	columns_create(state, fcinfo, &spec);
	forms_create(state, fcinfo);
	memcpy(state->order_key, spec.key, sizeof(spec.key));
	MemoryContextSwitchTo(caller);
	return state;
}

static uint64
place_of(const RowColumn *column, const NullableDatum *value)
{
	int64 coordinate;

	if (!dp_grid_measured(column->coder, value, column->as.nullable, &coordinate))
		return 0;
	return (uint64) coordinate - (uint64) column->as.grid.first + 1;
}

static uint64
row_hash(const UnitState *state, const NullableDatum *argument)
{
	DpSiphash hash;

	dp_siphash_start(&hash, state->order_key);
	for (uint32 i = state->keys; i < state->arguments; i++)
		dp_row_order_add(&hash, &argument[i], &state->form[i]);
	for (uint32 i = 0; i < state->keys; i++)
		dp_row_order_add(&hash, &argument[i], &state->form[i]);
	return dp_siphash_finish(&hash);
}

static uint64
field_of(const UnitState *state, const RowColumn *column, const NullableDatum *argument)
{
	const NullableDatum *value = &argument[column->as.argument];

	switch (column->as.kind)
	{
		case DP_FIELD_CODE:
			return dp_encode_value(column->encoder, value);
		case DP_FIELD_COORDINATE:
			return place_of(column, value);
		case DP_FIELD_HASH:
			return row_hash(state, argument);
		case DP_FIELD_SORTABLE:
		case DP_FIELD_PRESENT:
			break;
	}
	return !value->isnull || !column->as.nullable;
}

static void
row_write(const UnitState *state, const NullableDatum *argument, unsigned char *to)
{
	for (uint32 i = 0; i < state->columns; i++)
	{
		const RowColumn *column = &state->column[i];

		if (column->as.kind == DP_FIELD_SORTABLE)
			dp_sortable_write(to, &argument[column->as.argument], column->type);
		else
			dp_row_field_write(to, column->bytes, field_of(state, column, argument));
		to += column->bytes;
	}
}

Datum
dp_row_cache_transition(PG_FUNCTION_ARGS)
{
	const NullableDatum *argument = &fcinfo->args[ARGUMENTS_BEFORE];
	Datum value[FUNC_MAX_ARGS];
	MemoryContext context;
	UnitState *state;
	unsigned char *row;
	uint32 unit;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "dpsyn: dp_row_cache was called outside of an aggregate");
	state = PG_ARGISNULL(0) ? state_of_call(fcinfo, context) : (UnitState *) PG_GETARG_POINTER(0);
	if (state->lost)
		PG_RETURN_POINTER(state);
	for (uint32 k = 0; k < state->keys; k++)
	{
		if (argument[k].isnull) /* the unit is unknown */
			PG_RETURN_POINTER(state);
		value[k] = argument[k].value;
	}
	if (!unit_of(state, hash_of(state, value), value, &unit))
		PG_RETURN_POINTER(state);
	row = rows_add(state, 1);
	if (row == NULL)
		PG_RETURN_POINTER(state);
	memcpy(row, &unit, sizeof(unit));
	row_write(state, argument, row + DP_UNIT_BYTES);
	PG_RETURN_POINTER(state);
}

/* ---- one value ---- */

typedef struct Passing
{
	UnitState row; /* of one column */
	/* [2 x ranges] the first and the last value of each range that passes, ascending */
	const int64 *end;
	int ranges;
} Passing;

static Passing *
passing_create(FunctionCallInfo fcinfo)
{
	MemoryContext caller = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
	Passing *passing = palloc0(sizeof(Passing));
	ArrayType *ends = PG_GETARG_ARRAYTYPE_P_COPY(0);
	DpRowCacheSpec spec = read_spec(PG_GETARG_BYTEA_P_COPY(1), 1);

	if (spec.columns != 1 || spec.column[0].kind > DP_FIELD_COORDINATE || ARR_HASNULL(ends))
		refuse("a condition is not on codes of one column");
	columns_create(&passing->row, fcinfo, &spec);
	passing->end = (const int64 *) ARR_DATA_PTR(ends);
	passing->ranges = ArrayGetNItems(ARR_NDIM(ends), ARR_DIMS(ends)) / 2;
	MemoryContextSwitchTo(caller);
	return fcinfo->flinfo->fn_extra = passing;
}

/*
 * dp_row_passes(ends bigint[], spec bytea, value "any"): whether what is kept of a value, a code or a
 * place on a grid, lies between two of the ends. It stands in the WHERE of the statements that read rows
 * for a query.
 */
Datum
dp_row_passes(PG_FUNCTION_ARGS)
{
	const Passing *passing = fcinfo->flinfo->fn_extra;
	int low = 0, high;
	uint64 field;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	if (passing == NULL)
		passing = passing_create(fcinfo);
	field = field_of(&passing->row, passing->row.column, &fcinfo->args[ARGUMENTS_BEFORE]);
	high = passing->ranges;
	while (low < high)
	{
		int middle = (low + high) / 2;

		if (field > (uint64) passing->end[2 * middle + 1])
			low = middle + 1;
		else
			high = middle;
	}
	PG_RETURN_BOOL(low < passing->ranges && field >= (uint64) passing->end[2 * low]);
}

/* ---- states of several processes ---- */

/* Each process has the spec of the first row that it reads, which a caller may let depend on the row. */
static void
check_alike(const UnitState *state, const UnitState *more)
{
	bool alike = state->keys == more->keys && state->row_bytes == more->row_bytes;

	for (uint32 k = 0; alike && k < state->keys; k++)
		alike = state->key[k].type == more->key[k].type &&
				state->key[k].collation == more->key[k].collation;
	if (!alike)
		refuse("processes were given different specs");
}

static void
state_add(UnitState *state, const UnitState *more)
{
	uint32 *number;
	unsigned char *row;

	check_alike(state, more);
	if (state->lost)
		return;
	if (more->lost)
	{
		lose(state);
		return;
	}
	number = palloc_extended(sizeof(uint32) * (more->units + 1UL), MCXT_ALLOC_HUGE);
	for (uint32 u = 0; u < more->units; u++)
		if (!unit_of(state, more->hash[u], more->value + (Size) u * more->keys, &number[u]))
			return;
	row = rows_add(state, more->rows);
	if (row == NULL || more->rows == 0)
		return;
	memcpy(row, more->row, more->rows * more->row_bytes);
	for (uint64 i = 0; i < more->rows; i++, row += state->row_bytes)
	{
		uint32 unit;

		memcpy(&unit, row, sizeof(unit));
		memcpy(row, &number[unit], sizeof(unit));
	}
	pfree(number);
}

Datum
dp_row_cache_combine(PG_FUNCTION_ARGS)
{
	const UnitState *more = PG_ARGISNULL(1) ? NULL : (UnitState *) PG_GETARG_POINTER(1);
	UnitState *state = PG_ARGISNULL(0) ? NULL : (UnitState *) PG_GETARG_POINTER(0);
	MemoryContext context;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "dpsyn: dp_row_cache_combine was called outside of an aggregate");
	if (more == NULL)
	{
		if (state == NULL)
			PG_RETURN_NULL();
		PG_RETURN_POINTER(state);
	}
	if (state == NULL)
	{
		state = state_create(context, more->keys, more->row_bytes, more->bytes_max);
		for (uint32 k = 0; k < more->keys; k++)
			key_create(state, k, more->key[k].type, more->key[k].collation);
	}
	state_add(state, more);
	PG_RETURN_POINTER(state);
}

/*
 * Writes the values of the units and the rows as bytes. The result of the aggregate has the same
 * form.
 */
Datum
dp_row_cache_serialise(PG_FUNCTION_ARGS)
{
	const UnitState *state = (UnitState *) PG_GETARG_POINTER(0);
	StringInfoData bytes;

	pq_begintypsend(&bytes);
	pq_sendbyte(&bytes, state->lost);
	pq_sendint32(&bytes, state->row_bytes);
	pq_sendint64(&bytes, state->rows);
	pq_sendint32(&bytes, state->units);
	enlargeStringInfo(&bytes, (int) (state->rows * state->row_bytes + state->units * 4));
	if (state->units > 0)
		appendBinaryStringInfo(&bytes, (const char *) state->hash,
							   (int) (sizeof(uint32) * state->units));
	if (state->rows > 0)
		appendBinaryStringInfo(&bytes, (const char *) state->row,
							   (int) (state->rows * state->row_bytes));
	pq_sendint32(&bytes, state->keys);
	pq_sendint64(&bytes, state->bytes_max);
	for (uint32 k = 0; k < state->keys; k++)
	{
		pq_sendint32(&bytes, state->key[k].type);
		pq_sendint32(&bytes, state->key[k].collation);
	}
	for (uint32 u = 0; u < state->units; u++)
		for (uint32 k = 0; k < state->keys; k++)
		{
			Datum value = state->value[(Size) u * state->keys + k];
			Size size = datumGetSize(value, state->key[k].by_value, state->key[k].length);

			if (state->key[k].by_value)
				appendBinaryStringInfo(&bytes, (const char *) &value, sizeof(value));
			else
			{
				pq_sendint32(&bytes, (uint32) size);
				appendBinaryStringInfo(&bytes, DatumGetPointer(value), (int) size);
			}
		}
	PG_RETURN_BYTEA_P(pq_endtypsend(&bytes));
}

/* Reads the header, which a state and the result have in common. */
static bool
read_rows(StringInfo bytes, DpRowCache *rows)
{
	bool lost = pq_getmsgbyte(bytes) != 0;
	Size hashes;

	rows->bytes = pq_getmsgint(bytes, 4);
	rows->rows = (uint64) pq_getmsgint64(bytes);
	rows->units = pq_getmsgint(bytes, 4);
	hashes = sizeof(uint32) * (Size) rows->units;
	rows->hash = memcpy(palloc_extended(hashes + 1, MCXT_ALLOC_HUGE),
						pq_getmsgbytes(bytes, (int) hashes), hashes);
	rows->row = (const unsigned char *) pq_getmsgbytes(bytes, (int) (rows->rows * rows->bytes));
	return !lost;
}

static Datum
read_value(StringInfo bytes, const UnitKey *key)
{
	Datum value;
	int size;

	if (key->by_value)
	{
		memcpy(&value, pq_getmsgbytes(bytes, sizeof(value)), sizeof(value));
		return value;
	}
	size = (int) pq_getmsgint(bytes, 4);
	return PointerGetDatum(memcpy(palloc((Size) size), pq_getmsgbytes(bytes, size), (Size) size));
}

Datum
dp_row_cache_deserialise(PG_FUNCTION_ARGS)
{
	bytea *given = PG_GETARG_BYTEA_PP(0);
	StringInfoData bytes = {.data = VARDATA_ANY(given), .len = (int) VARSIZE_ANY_EXHDR(given)};
	UnitState *state = palloc0(sizeof(UnitState));
	DpRowCache rows;

	state->lost = !read_rows(&bytes, &rows);
	state->row_bytes = rows.bytes;
	state->rows = rows.rows;
	state->row = unconstify(unsigned char *, rows.row);
	state->units = rows.units;
	state->hash = unconstify(uint32 *, rows.hash);
	state->keys = pq_getmsgint(&bytes, 4);
	state->bytes_max = (uint64) pq_getmsgint64(&bytes);
	state->key = palloc0(sizeof(UnitKey) * state->keys);
	for (uint32 k = 0; k < state->keys; k++)
	{
		Oid type = pq_getmsgint(&bytes, 4);

		key_create(state, k, type, pq_getmsgint(&bytes, 4));
	}
	state->value =
		palloc_extended(sizeof(Datum) * ((Size) state->units * state->keys + 1), MCXT_ALLOC_HUGE);
	for (uint32 u = 0; u < state->units; u++)
		for (uint32 k = 0; k < state->keys; k++)
			state->value[(Size) u * state->keys + k] = read_value(&bytes, &state->key[k]);
	PG_RETURN_POINTER(state);
}

bool
dp_row_cache_of_result(bytea *result, DpRowCache *rows)
{
	StringInfoData bytes = {.data = VARDATA_ANY(result), .len = (int) VARSIZE_ANY_EXHDR(result)};

	return read_rows(&bytes, rows);
}
