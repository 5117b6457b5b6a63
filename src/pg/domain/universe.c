/*
 * universe.c -- public domains of columns, as they are written in SQL:
 *
 *	["a", "b"]  or  {"values": ["a", "b"]}
 *	{"table": "words", "column": "word"}                         -- see dictionary.c
 *	{"from": 1, "to": 1000000, "step": 1}                         -- numbers
 *	{"from": "2020-01-01", "to": "2029-12-31", "step": 1}         -- dates, a step of days
 *	{"alphabet": "ABC", "length": 5}                              -- strings
 *	{"alphabet": "ABC", "min_length": 0, "max_length": 5}
 *	{"product": [domain, domain], "separator": " "}
 *
 * Whoever asks for a release asserts a domain, or the custodian declares it; in either case nobody
 * looks at the data. Its values are those that the column's type prints: that type reads and prints
 * each of them, with pinned settings, so that "1.0" and "1.00" of a numeric column are one value.
 * Only types of PostgreSQL itself are taken, so that no user's code runs on the way. A type that
 * names objects is refused, since no setting pins what a name means.
 */
#include "pg/domain/universe.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "pg/server/bridge.h"
#include "pg/server/json.h"
#include "pg/server/numbers.h"
#include "pg/server/values.h"

#define SPEC_HINT                                                                                  \
	"For example {\"from\": 1, \"to\": 1000000}, {\"values\": [\"a\", \"b\"]} or "                 \
	"{\"table\": \"words\", \"column\": \"word\"}."
#define DEPTH_MAX 8 /* products of products */

typedef struct Reader
{
	const char *column; /* for messages */
	Oid type;           /* that texts are of */
	int32 typmod;
	bool is_text; /* the type prints what was written, to the letter */
	FmgrInfo output;
	DpArena *arena;
} Reader;

static DP_NORETURN void
refuse(const Reader *reader, const char *what)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("the domain of column \"%s\" %s", reader->column, what),
					errhint("%s", SPEC_HINT)));
}

/* ---- text forms ---- */

char *
dp_text_canonical(FmgrInfo *output, Oid type, Datum value)
{
	char *words;

	if (type == NUMERICOID)
		value = DirectFunctionCall1(numeric_trim_scale, value);
	words = OutputFunctionCall(output, value);
	if (type == BPCHAROID)
	{
		size_t length = strlen(words);

		while (length > 0 && words[length - 1] == ' ')
			words[--length] = '\0';
	}
	else if ((type == FLOAT4OID || type == FLOAT8OID) && strcmp(words, "-0") == 0)
		words++;
	return words;
}

static char *
canonical(Reader *reader, char *words)
{
	if (reader->is_text)
		return words;
	return dp_text_canonical(&reader->output, reader->type,
							 dp_value_in(words, reader->type, reader->typmod));
}

/* ERROR unless the type prints the value with that index as the universe writes it. */
static void
check_value(Reader *reader, const DpUniverse *universe, uint64 index)
{
	char *words = palloc(universe->text_bytes + 1);
	char *written;

	(void) dp_universe_value(universe, index, words);
	written = canonical(reader, words);
	if (strcmp(written, words) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the domain of column \"%s\" has values that its type does not print",
						reader->column),
				 errdetail("\"%s\" would be \"%s\".", words, written)));
}

static void
check_ends(Reader *reader, const DpUniverse *universe)
{
	check_value(reader, universe, 0);
	check_value(reader, universe, Min(1, universe->size - 1));
	check_value(reader, universe, universe->size - 1);
}

/* ---- JSON ---- */

/* ERROR for a member whose name is not among those that are known, "a|b|c". */
static void
check_members(const Reader *reader, JsonbContainer *object, const char *known)
{
	JsonbIterator *iterator = JsonbIteratorInit(object);
	JsonbValue value;
	JsonbIteratorToken token;

	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		char *key;
		const char *found;

		if (token != WJB_KEY)
			continue;
		key = dp_json_text(&value);
		found = strstr(known, key);
		if (*key == '\0' || strchr(key, '|') || found == NULL ||
			(found > known && found[-1] != '|') ||
			(found[strlen(key)] != '\0' && found[strlen(key)] != '|'))
			refuse(reader, psprintf("has an unknown member \"%s\"", key));
	}
}

static int32
integer_member(const Reader *reader, JsonbContainer *object, const char *key, int32 fallback)
{
	char *words = dp_json_text(dp_json_member(object, key));
	int64 value;

	if (words == NULL && dp_json_member(object, key) == NULL)
		return fallback;
	if (words == NULL || !dp_universe_read_number(words, strlen(words), 0, &value) || value < 0 ||
		value > PG_INT32_MAX)
		refuse(reader, psprintf("needs a whole number as \"%s\"", key));
	return (int32) value;
}

static void
check_made(DpStatus status, const Reader *reader, const DpError *error)
{
	if (status == DP_OK)
		return;
	if (status == DP_ERR_MEMORY)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("the domain of column \"%s\" does not fit in memory", reader->column)));
	ereport(ERROR, (errcode(dp_status_sqlstate(status)), errmsg("%s", error->message),
					errdetail("Column \"%s\".%s%s", reader->column, error->detail[0] ? " " : "",
							  error->detail),
					error->hint[0] ? errhint("%s", error->hint) : 0));
}

/* ---- kinds ---- */

static DpUniverse *read_domain(Reader *reader, const JsonbValue *value, int depth);

static void
list_read(Reader *reader, JsonbContainer *array, DpUniverse *out)
{
	uint32 n = JsonContainerSize(array);
	const char **value = palloc_extended(sizeof(char *) * Max(n, 1), MCXT_ALLOC_HUGE);
	JsonbIterator *iterator = JsonbIteratorInit(array);
	JsonbValue element;
	JsonbIteratorToken token;
	uint64 kept = 0;
	uint64 dropped;
	DpError error = {0};

	while ((token = JsonbIteratorNext(&iterator, &element, true)) != WJB_DONE)
	{
		char *words;

		if (token != WJB_ELEM)
			continue;
		if (element.type == jbvNull)
			refuse(reader, "lists null, which is in no domain");
		words = dp_json_text(&element);
		if (words == NULL)
			refuse(reader, "lists something that is not a value");
		value[kept++] = canonical(reader, words);
		CHECK_FOR_INTERRUPTS();
	}
	check_made(dp_universe_list(value, kept, out, &dropped, reader->arena, &error), reader, &error);
	if (dropped > 0)
		ereport(NOTICE, (errmsg("the domain of column \"%s\" lists some values twice; each counts "
								"once",
								reader->column)));
}

/* Digits after the point of a decimal. */
static int
digits_of(const char *words)
{
	const char *point = strchr(words, '.');
	int digits = point ? (int) strlen(point + 1) : 0;

	while (digits > 0 && point[digits] == '0')
		digits--;
	return digits;
}

static bool
type_takes_numbers(const Reader *reader)
{
	return reader->is_text || dp_is_integer(reader->type) || reader->type == NUMERICOID;
}

static void
numbers_read(Reader *reader, char *from, char *to, char *step, DpUniverse *out)
{
	int digits = Max(Max(digits_of(from), digits_of(to)), digits_of(step));
	int64 first, last, width;
	DpError error = {0};

	if (!type_takes_numbers(reader))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("column \"%s\" of type %s cannot have a domain of numbers",
							   reader->column, format_type_be(reader->type)),
						errdetail("Such domains are for integers, numeric and text."),
						errhint("Give a list of values, or let the custodian declare bins.")));
	if (!dp_universe_read_number(from, strlen(from), digits, &first) ||
		!dp_universe_read_number(to, strlen(to), digits, &last) ||
		!dp_universe_read_number(step, strlen(step), digits, &width))
		refuse(reader, "has ends or a step that are no numbers of at most 18 digits");
	check_made(dp_universe_numbers(
				   &(DpNumberRange){.first = first, .last = last, .step = width, .digits = digits},
				   out, &error),
			   reader, &error);
}

static void
dates_read(Reader *reader, char *from, char *to, char *step, DpUniverse *out)
{
	int64 days;
	DpError error = {0};

	if (!reader->is_text && reader->type != DATEOID)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("column \"%s\" of type %s cannot have a domain of dates",
							   reader->column, format_type_be(reader->type)),
						errhint("Ends of a range of numbers are written without quotes.")));
	if (!dp_universe_read_number(step, strlen(step), 0, &days))
		refuse(reader, "has a step that is no whole number of days");
	check_made(dp_universe_dates(from, to, days, out, &error), reader, &error);
}

static void
range_read(Reader *reader, JsonbContainer *object, DpUniverse *out)
{
	JsonbValue *low = dp_json_member(object, "from");
	JsonbValue *high = dp_json_member(object, "to");
	JsonbValue *width = dp_json_member(object, "step");
	char *step = width ? dp_json_text(width) : pstrdup("1");

	check_members(reader, object, "from|to|step");
	if (low == NULL || high == NULL || low->type != high->type || step == NULL ||
		(low->type != jbvNumeric && low->type != jbvString))
		refuse(reader, "needs two numbers, or two dates, as \"from\" and \"to\"");
	if (low->type == jbvNumeric)
		numbers_read(reader, dp_json_text(low), dp_json_text(high), step, out);
	else
		dates_read(reader, dp_json_text(low), dp_json_text(high), step, out);
	check_ends(reader, out);
}

static void
strings_read(Reader *reader, JsonbContainer *object, DpUniverse *out)
{
	char *alphabet = dp_json_text(dp_json_member(object, "alphabet"));
	const char **symbol;
	uint32 n = 0;
	int32 shortest;
	int32 longest;
	DpError error = {0};

	check_members(reader, object, "alphabet|length|min_length|max_length");
	if (alphabet == NULL || (dp_json_member(object, "length") != NULL) ==
								(dp_json_member(object, "max_length") != NULL))
		refuse(reader, "needs an alphabet, and \"length\" or \"max_length\"");
	if (!reader->is_text && reader->type != VARCHAROID)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("column \"%s\" of type %s cannot have a domain of strings",
							   reader->column, format_type_be(reader->type)),
						errdetail("Such domains are for text and varchar.")));
	longest =
		integer_member(reader, object, "length", integer_member(reader, object, "max_length", 0));
	shortest = integer_member(reader, object, "min_length",
							  dp_json_member(object, "length") ? longest : 0);
	symbol = palloc(sizeof(char *) * (strlen(alphabet) + 1));
	for (char *at = alphabet; *at != '\0'; at += pg_mblen(at))
		symbol[n++] = pnstrdup(at, pg_mblen(at));
	check_made(dp_universe_strings(&(DpStringRange){.symbol = symbol,
													.symbols = n,
													.length_min = (uint32) shortest,
													.length_max = (uint32) longest},
								   out, reader->arena, &error),
			   reader, &error);
	check_ends(reader, out);
}

static void
product_read(Reader *reader, JsonbContainer *object, int depth, DpUniverse *out)
{
	JsonbValue *list = dp_json_member(object, "product");
	char *separator = dp_json_member(object, "separator")
						  ? dp_json_text(dp_json_member(object, "separator"))
						  : pstrdup(" ");
	const DpUniverse **part;
	uint32 n;
	DpError error = {0};

	check_members(reader, object, "product|separator");
	if (!dp_json_is_array(list) || separator == NULL || strlen(separator) != 1)
		refuse(reader, "needs a list as \"product\", and one ASCII character as \"separator\"");
	if (!reader->is_text && reader->type != VARCHAROID)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("column \"%s\" of type %s cannot have a product as its domain",
						reader->column, format_type_be(reader->type)),
				 errdetail("Such domains are for text and varchar."),
				 errhint("The domain of several columns is the product of theirs by itself.")));
	n = JsonContainerSize(list->val.binary.data);
	if (n > DP_UNIVERSE_PARTS_MAX)
		refuse(reader, psprintf("is a product of more than %d parts", DP_UNIVERSE_PARTS_MAX));
	part = palloc0(sizeof(DpUniverse *) * Max(n, 1));
	for (uint32 i = 0; i < n; i++)
	{
		/* parts are texts, whatever length the whole is limited to */
		Reader inside = *reader;

		inside.is_text = true;
		part[i] = read_domain(&inside, getIthJsonbValueFromContainer(list->val.binary.data, i),
							  depth + 1);
	}
	check_made(dp_universe_product(part, n, separator[0], out, &error), reader, &error);
	if (!reader->is_text && out->text_bytes > (size_t) (reader->typmod - VARHDRSZ))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the domain of column \"%s\" may have values that are too long for "
							   "it",
							   reader->column),
						errdetail("They have up to %zu bytes.", out->text_bytes)));
}

static DpUniverse *
read_domain(Reader *reader, const JsonbValue *value, int depth)
{
	DpUniverse *universe = palloc0(sizeof(DpUniverse));
	JsonbContainer *object;

	CHECK_FOR_INTERRUPTS();
	if (depth > DEPTH_MAX)
		refuse(reader, "is a product of products of products");
	if (dp_json_is_array(value))
	{
		list_read(reader, value->val.binary.data, universe);
		return universe;
	}
	if (!dp_json_is_object(value))
		refuse(reader, "must be a list or an object");
	object = value->val.binary.data;
	if (dp_json_is_array(dp_json_member(object, "values")))
	{
		check_members(reader, object, "values|table|column");
		list_read(reader, dp_json_member(object, "values")->val.binary.data, universe);
	}
	else if (dp_json_member(object, "from") != NULL)
		range_read(reader, object, universe);
	else if (dp_json_member(object, "alphabet") != NULL)
		strings_read(reader, object, universe);
	else if (dp_json_member(object, "product") != NULL)
		product_read(reader, object, depth, universe);
	else
		refuse(reader, "is of no kind that there is");
	return universe;
}

const DpUniverse *
dp_universe_from_json(Jsonb *json, const char *column, Oid type, int32 typmod, DpArena *arena)
{
	Reader reader = {.column = column, .type = getBaseTypeAndTypmod(type, &typmod), .arena = arena};
	JsonbValue root = {.type = jbvBinary,
					   .val.binary = {.len = VARSIZE_ANY_EXHDR(json), .data = &json->root}};
	const DpUniverse *universe;
	Oid output;
	bool varlena;
	int level;

	reader.typmod = typmod;
	reader.is_text = reader.type == TEXTOID || (reader.type == VARCHAROID && typmod < 0);
	/* the CHECK of a domain would refuse values that were paid for, and it is its owner's code */
	if (reader.type != type || !dp_type_is_plain(reader.type))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("column \"%s\" of type %s cannot have a domain", column,
							   format_type_be(type)),
						errdetail("Domains are for the scalar types that PostgreSQL brings and "
								  "that name none of its objects."),
						errhint("Its custodian can declare categories with dp_define_column.")));
	getTypeOutputInfo(reader.type, &output, &varlena);
	fmgr_info(output, &reader.output);
	level = dp_values_begin();
	universe = read_domain(&reader, &root, 0);
	dp_values_end(level);
	return universe;
}
