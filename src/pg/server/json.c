/*
 * bridge.c -- between the core's types and PostgreSQL's: memory, errors,
 * budgets, options, ticks.
 */
#include "dpsyn.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* ---- memory ---- */

static void *
arena_allocate(void *context, size_t bytes)
{
	if (bytes > MaxAllocHugeSize)
		return NULL;
	return MemoryContextAllocExtended((MemoryContext) context, bytes,
									  MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
}

static void
arena_release(void *context, void *memory)
{
	pfree(memory);
}

DpArena
dp_arena_for(MemoryContext context)
{
	DpArena arena = {.context = context, .allocate = arena_allocate, .release = arena_release};

	return arena;
}

/* ---- ticks ---- */

static void
answer_interrupts(void *context, double share_done)
{
	CHECK_FOR_INTERRUPTS();
}

const DpTick dp_interrupt_tick = {answer_interrupts, NULL};

/* ---- errors ---- */

int
dp_status_sqlstate(DpStatus status)
{
	switch (status)
	{
		case DP_ERR_MEMORY:
			return ERRCODE_OUT_OF_MEMORY;
		case DP_ERR_RANGE:
			return ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE;
		case DP_ERR_ARGUMENT:
			return ERRCODE_INVALID_PARAMETER_VALUE;
		case DP_ERR_UNDEFINED:
			return ERRCODE_UNDEFINED_OBJECT;
		case DP_ERR_LIMIT:
			return ERRCODE_PROGRAM_LIMIT_EXCEEDED;
		case DP_ERR_CORRUPT:
			return ERRCODE_DATA_CORRUPTED;
		default:
			return ERRCODE_INTERNAL_ERROR;
	}
}

void
dp_raise(const DpError *error)
{
	const char *message = error->message[0] ? error->message : dp_status_text(error->status);

	ereport(ERROR, (errcode(dp_status_sqlstate(error->status)), errmsg("%s", message),
					error->detail[0] ? errdetail("%s", error->detail) : 0,
					error->hint[0] ? errhint("%s", error->hint) : 0));
	pg_unreachable();
}

/* ---- budgets ---- */

static int64
units_from_numeric(Numeric value, int digits, int64 maximum, bool round_up, const char *what)
{
	char *words = DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(value)));
	int64 units;
	DpStatus status = dp_decimal_parse(words, digits, round_up, &units);
	char limit[32];

	if (status == DP_OK && units <= maximum)
		return units;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid %s: %s", what, words),
					errdetail("It must be a number from 0 to %s.",
							  dp_decimal_print(maximum, digits, limit))));
}

int64
dp_epsilon_from_numeric(Numeric value, bool round_up, const char *what)
{
	return units_from_numeric(value, 9, DP_EPSILON_NANO_MAX, round_up, what);
}

int64
dp_delta_from_numeric(Numeric value, bool round_up, const char *what)
{
	return units_from_numeric(value, 18, DP_DELTA_ONE, round_up, what);
}

int64
dp_rho_from_numeric(Numeric value, bool round_up, const char *what)
{
	return units_from_numeric(value, 12, DP_RHO_PICO_MAX, round_up, what);
}

static Datum
units_to_numeric(int64 units, int digits)
{
	char words[32];

	return DirectFunctionCall3(numeric_in, CStringGetDatum(dp_decimal_print(units, digits, words)),
							   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
}

Datum
dp_epsilon_to_numeric(int64 epsilon_nano)
{
	return units_to_numeric(epsilon_nano, 9);
}

Datum
dp_delta_to_numeric(int64 delta_atto)
{
	return units_to_numeric(delta_atto, 18);
}

Datum
dp_rho_to_numeric(int64 rho_pico)
{
	return units_to_numeric(rho_pico, 12);
}

const char *
dp_neighbours_name(DpNeighbours neighbours)
{
	return neighbours == DP_REPLACE_ONE ? "replace_one" : "add_remove";
}

DpNeighbours
dp_neighbours_from_name(const char *name)
{
	if (strcmp(name, "add_remove") == 0)
		return DP_ADD_REMOVE;
	if (strcmp(name, "replace_one") == 0)
		return DP_REPLACE_ONE;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("unknown neighbouring relation \"%s\"", name),
					errhint("Use add_remove (one row more or less) or replace_one (one row "
							"replaced; the number of rows is public).")));
}

/* ---- options ---- */

static char *
jsonb_scalar_text(const JsonbValue *value)
{
	if (value->type == jbvString)
		return pnstrdup(value->val.string.val, value->val.string.len);
	Assert(value->type == jbvNumeric);
	return DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric)));
}

/* A JSON array of strings; false if it holds anything else. */
static bool
name_list_from_jsonb(JsonbContainer *array, DpNameList *list)
{
	JsonbIterator *iterator = JsonbIteratorInit(array);
	JsonbValue value;
	JsonbIteratorToken token;

	list->n = 0;
	list->name = palloc0(sizeof(char *) * (JsonContainerSize(array) + 1));
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token != WJB_ELEM)
			continue;
		if (value.type != jbvString)
			return false;
		list->name[list->n++] = jsonb_scalar_text(&value);
	}
	return true;
}

/* A JSON object of arrays of strings; false if it holds anything else. */
static bool
name_map_from_jsonb(JsonbContainer *object, DpOption *option)
{
	JsonbIterator *iterator = JsonbIteratorInit(object);
	JsonbValue value;
	JsonbIteratorToken token;

	option->list = palloc0(sizeof(DpNameList) * (JsonContainerSize(object) + 1));
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
			option->list[option->lists++].key = jsonb_scalar_text(&value);
		else if (token == WJB_VALUE)
		{
			DpNameList *list = &option->list[option->lists - 1];

			if (value.type != jbvBinary || !JsonContainerIsArray(value.val.binary.data) ||
				!name_list_from_jsonb(value.val.binary.data, list))
				return false;
		}
	}
	return true;
}

static bool
is_array(const JsonbValue *value)
{
	return value->type == jbvBinary && JsonContainerIsArray(value->val.binary.data);
}

static bool
is_object(const JsonbValue *value)
{
	return value->type == jbvBinary && JsonContainerIsObject(value->val.binary.data);
}

/* A set of columns, "a,b" or ["a", "b"]. */
static bool
set_from_jsonb(const JsonbValue *value, DpNameList *set)
{
	if (value->type == jbvString)
		set->key = jsonb_scalar_text(value);
	else if (!is_array(value) || !name_list_from_jsonb(value->val.binary.data, set))
		return false;
	return true;
}

/* {"attributes": set, "weight": number} */
static bool
weighted_set_from_jsonb(JsonbContainer *object, DpNameList *set, const char **weight)
{
	JsonbValue *attributes = getKeyJsonValueFromContainer(object, "attributes", 10, NULL);
	JsonbValue *number = getKeyJsonValueFromContainer(object, "weight", 6, NULL);

	if (attributes == NULL || !set_from_jsonb(attributes, set) ||
		(number != NULL && number->type != jbvNumeric) ||
		JsonContainerSize(object) != 1 + (number != NULL))
		return false;
	*weight = number != NULL ? jsonb_scalar_text(number) : NULL;
	return true;
}

/* [set, ...], with sets as above, or {"a,b": weight, ...}; false if it holds anything else. */
static bool
sets_from_jsonb(JsonbContainer *container, DpOption *option)
{
	JsonbIterator *iterator = JsonbIteratorInit(container);
	JsonbValue value;
	JsonbIteratorToken token;

	option->lists = 0;
	option->list = palloc0(sizeof(DpNameList) * (JsonContainerSize(container) + 1));
	option->weight = palloc0(sizeof(char *) * (JsonContainerSize(container) + 1));
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		DpNameList *set = &option->list[option->lists];
		const char **weight = &option->weight[option->lists];

		if (token == WJB_KEY)
			set->key = jsonb_scalar_text(&value);
		else if (token == WJB_VALUE && value.type == jbvNumeric)
			option->weight[option->lists++] = jsonb_scalar_text(&value);
		else if (token == WJB_ELEM &&
				 (is_object(&value) ? weighted_set_from_jsonb(value.val.binary.data, set, weight)
									: set_from_jsonb(&value, set)))
			option->lists++;
		else if (token == WJB_VALUE || token == WJB_ELEM)
			return false;
	}
	return true;
}

/* The first form that fits: a list of strings, a map of lists of strings, sets. */
static void
container_from_jsonb(JsonbContainer *container, bool array, DpOption *option)
{
	option->kind = DP_VALUE_OTHER;
	if (array)
	{
		option->list = palloc0(sizeof(DpNameList));
		option->lists = 1;
		if (name_list_from_jsonb(container, option->list))
			option->kind = DP_VALUE_LIST;
	}
	else if (name_map_from_jsonb(container, option))
		option->kind = DP_VALUE_MAP;
	if (option->kind == DP_VALUE_OTHER && sets_from_jsonb(container, option))
		option->kind = DP_VALUE_SETS;
}

static void
option_from_jsonb(const JsonbValue *value, DpOption *option)
{
	switch (value->type)
	{
		case jbvNull:
			option->kind = DP_VALUE_NULL;
			break;
		case jbvString:
		case jbvNumeric:
			option->kind = value->type == jbvString ? DP_VALUE_STRING : DP_VALUE_NUMBER;
			option->text = jsonb_scalar_text(value);
			break;
		case jbvBool:
			option->kind = DP_VALUE_BOOLEAN;
			option->flag = value->val.boolean;
			break;
		default:
			container_from_jsonb(value->val.binary.data, is_array(value), option);
	}
}

void
dp_options_from_jsonb(Jsonb *json, DpOptions *options)
{
	JsonbIterator *iterator = JsonbIteratorInit(&json->root);
	JsonbValue value;
	JsonbIteratorToken token;

	if (!JB_ROOT_IS_OBJECT(json))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("options must be a JSON object"),
				 errhint("For instance {\"parents\": 2}; the view dp_methods lists the "
						 "options of each method.")));
	options->n = 0;
	options->option = palloc0(sizeof(DpOption) * (JB_ROOT_COUNT(json) + 1));
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
			options->option[options->n].name = jsonb_scalar_text(&value);
		else if (token == WJB_VALUE)
			option_from_jsonb(&value, &options->option[options->n++]);
	}
}

/* ---- ticks ---- */

static void
progress_tick(void *context, double share_done)
{
	CHECK_FOR_INTERRUPTS();
	dp_progress_report((DpProgress *) context, share_done);
}

void
dp_progress_start(DpProgress *progress, const char *stage)
{
	progress->stage = stage;
	progress->share_done = -1;
	progress->tick.call = progress_tick;
	progress->tick.context = progress;
	if (progress->next_report == 0)
		progress->next_report =
			TimestampTzPlusMilliseconds(GetCurrentTimestamp(), dpsyn_progress_interval * 1000L);
}

void
dp_progress_report(DpProgress *progress, double share_done)
{
	TimestampTz now;

	if (share_done >= 0)
		progress->share_done = share_done;
	if (dpsyn_progress_interval == 0)
		return;
	now = GetCurrentTimestamp();
	if (now < progress->next_report)
		return;
	progress->next_report = TimestampTzPlusMilliseconds(now, dpsyn_progress_interval * 1000L);
	if (progress->share_done < 0)
		ereport(NOTICE, (errmsg("dpsyn: %s", progress->stage)));
	else
		ereport(NOTICE, (errmsg("dpsyn: %s, %d %% done", progress->stage,
								(int) (progress->share_done * 100))));
}
