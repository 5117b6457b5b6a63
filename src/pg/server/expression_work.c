/*
 * expression_work.c -- how much work there is in an expression that somebody else wrote: see
 * expression_work.h.
 *
 * Each node gets two bounds: the bytes of its value, and the work of computing it. A function whose
 * arguments and result have a fixed size takes constant work. For others a table says what the
 * result and the work are at most, by the function's name: the names of PostgreSQL's own functions
 * are nobody else's to give.
 */
#include "pg/server/expression_work.h"

#include <ctype.h>
#include <math.h>

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "pg/server/compat.h"
#include "pg/server/subtransaction.h"

#define NODE_WORK 20        /* of any node, when an expression is planned */
#define EVALUATION_WORK 500 /* of beginning to read or evaluate one, and of ending that */
#define VALUE_BYTES 1000    /* of a column's value whose type does not say */
#define NUMBER_BYTES 64     /* the same of a numeric */
#define MORE_BYTES 32       /* that a function adds to those of its arguments */
#define DIGITS_BYTES 1000   /* that rounding to many digits adds */
#define DEPTH_MAX 500       /* of nodes in one another */

bool
dp_work_spend(DpWork *work, double units)
{
	if (units > work->left)
		return false;
	work->left -= units;
	return true;
}

/* ---- functions ---- */

typedef enum FunctionKind
{
	UNBOUNDED,
	FIXED,   /* arguments and result have a fixed size */
	SUM,     /* the work and the result are as large as the arguments together */
	DIGITS,  /* a second argument says how many digits the result has */
	PRODUCT, /* the work is the product of the sizes of the arguments */
	REPLACE, /* and so is the result */
	REPEAT,  /* the result is the first argument as often as a constant says */
	PAD,     /* the result has as many characters as a constant says */
	PATTERN, /* the last argument is a regular expression */
	GROWS,   /* a number says how long the result, or the work, is */
} FunctionKind;

/* Names with a blank before and behind each. The kinds of functions that are not of fixed size. */
static const struct
{
	FunctionKind kind;
	const char *names;
} function_kinds[] = {
	{SUM,
	 /* comparisons */
	 " texteq textne text_lt text_le text_gt text_ge bttextcmp text_larger text_smaller"
	 " text_starts_with starts_with text_pattern_lt text_pattern_le text_pattern_gt text_pattern_ge"
	 " bpchareq bpcharne bpcharlt bpcharle bpchargt bpcharge bpchar_larger bpchar_smaller"
	 " nameeqtext namenetext texteqname textnename byteaeq byteane bytealt byteale byteagt byteage"
	 " numeric_eq numeric_ne numeric_lt numeric_le numeric_gt numeric_ge numeric_larger"
	 " numeric_smaller biteq bitne bitlt bitle bitgt bitge varbiteq varbitne varbitlt varbitle"
	 " varbitgt varbitge network_eq network_ne network_lt network_le network_gt network_ge"
	 " network_sub network_subeq network_sup network_supeq network_overlap jsonb_eq jsonb_ne"
	 " jsonb_lt jsonb_le jsonb_gt jsonb_ge range_eq range_ne range_lt range_le range_gt range_ge"
	 " range_contains range_contains_elem range_contained_by elem_contained_by_range"
	 " range_overlaps range_adjacent range_before range_after range_overleft range_overright"
	 " array_eq array_ne array_lt array_le array_gt array_ge hashtext hash_numeric"
	 /* texts and bytes */
	 " textcat textanycat anytextcat lower upper initcap btrim ltrim rtrim bytea_trim substr "
	 "substring text_substr left"
	 " right reverse length textlen bpcharlen char_length character_length octet_length "
	 "textoctetlen"
	 " bpcharoctetlen byteaoctetlen bit_length ascii chr md5 sha224 sha256 sha384 sha512 split_part"
	 " to_hex quote_ident quote_literal byteacat get_byte get_bit set_byte set_bit bit_count encode"
	 " decode unistr casefold text varchar name char bytea bool bit_and bitand bitor bitxor bitnot"
	 " bitcat bitlength bitoctetlength host masklen family network broadcast netmask hostmask"
	 " set_masklen inet_merge abbrev inet cidr macaddr8 varbit"
	 " similar_escape similar_to_escape like_escape"
	 /* numbers */
	 " numeric_add numeric_sub numeric_uminus numeric_uplus numeric_abs numeric_sign abs sign ceil"
	 " ceiling floor numeric_inc scale min_scale trim_scale int2 int4 int8 float4 float8"
	 " width_bucket money"
	 /* dates and times, whose unit or zone is a text */
	 " date_part extract date_trunc timezone date_bin age isfinite make_date make_time "
	 "make_timestamp"
	 " make_interval interval timestamp timestamptz date time timetz"
	 /* arrays, documents, ranges */
	 " array_length array_lower array_upper array_ndims array_dims cardinality array_append"
	 " array_prepend array_cat trim_array jsonb_typeof json_typeof jsonb_array_length"
	 " json_array_length jsonb_object_field jsonb_object_field_text json_object_field"
	 " json_object_field_text jsonb_array_element jsonb_array_element_text json_array_element"
	 " json_array_element_text jsonb_extract_path jsonb_extract_path_text json_extract_path"
	 " json_extract_path_text jsonb_exists jsonb_strip_nulls jsonb lower_inc upper_inc lower_inf"
	 " upper_inf isempty int4range int8range numrange daterange tsrange tstzrange range_merge "},
	{DIGITS, " round trunc numeric "},
	{PRODUCT,
	 " sqrt numeric_sqrt ln numeric_ln log log10 numeric_mul numeric_div numeric_mod mod div gcd "
	 "lcm textlike textnlike texticlike texticnlike"
	 " bpcharlike bpcharnlike bpchariclike bpcharicnlike namelike namenlike like notlike ilike"
	 " notilike bytealike byteanlike strpos position textpos byteapos translate overlay"
	 " array_position array_positions array_remove arrayoverlap arraycontains arraycontained"
	 " jsonb_contains jsonb_contained jsonb_exists_any jsonb_exists_all jsonb_concat "
	 "jsonb_delete "},
	{GROWS,
	 " array_fill exp numeric_exp power pow numeric_power factorial numeric_fac regexp_replace"
	 " jsonb_path_match jsonb_path_exists jsonb_path_query_first jsonb_path_query_array xpath"
	 " xpath_exists xmlconcat2 "},
	{REPLACE, " replace "},
	{REPEAT, " repeat "},
	{PAD, " lpad rpad bpchar bit "},
	{PATTERN,
	 " textregexeq textregexne texticregexeq texticregexne bpcharregexeq bpcharregexne"
	 " bpcharicregexeq bpcharicregexne nameregexeq nameregexne nameicregexeq nameicregexne "},
};

static bool
is_fixed_size(Oid type)
{
	return type != INTERNALOID && get_typlen(type) > 0;
}

/* A column of the function's entry in pg_proc as a text; empty: it is NULL. */
static char *
words_of(HeapTuple function, AttrNumber column)
{
	bool isnull;
	Datum words = SysCacheGetAttr(PROCOID, function, column, &isnull);

	return isnull ? pstrdup("") : TextDatumGetCString(words);
}

Oid
dp_own_function(Oid function)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	Oid language, own = InvalidOid;

	if (!HeapTupleIsValid(tuple))
		return InvalidOid;
	language = ((Form_pg_proc) GETSTRUCT(tuple))->prolang;
	if (function < FirstUnpinnedObjectId)
		own = function;
	else if (language == INTERNALlanguageId)
		own = fmgr_internal_function(words_of(tuple, Anum_pg_proc_prosrc));
	else if (language == ClanguageId &&
			 strcmp(words_of(tuple, Anum_pg_proc_probin), "$libdir/citext") == 0)
		own = F_TEXTEQ;
	ReleaseSysCache(tuple);
	return own;
}

/* trusting: a function that is not in the table takes no more than the product of the sizes. */
static FunctionKind
kind_of(Oid function, bool trusting)
{
	HeapTuple tuple;
	Form_pg_proc form;
	FunctionKind kind = FIXED;
	char name[NAMEDATALEN + 2];

	if (function >= FirstUnpinnedObjectId && trusting)
		return PRODUCT;
	function = dp_own_function(function);
	if (!OidIsValid(function))
		return UNBOUNDED;
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	if (!HeapTupleIsValid(tuple))
		return UNBOUNDED;
	form = (Form_pg_proc) GETSTRUCT(tuple);
	if (!is_fixed_size(form->prorettype))
		kind = UNBOUNDED;
	for (int i = 0; i < form->pronargs; i++)
		if (!is_fixed_size(form->proargtypes.values[i]))
			kind = UNBOUNDED;
	snprintf(name, sizeof(name), " %s ", NameStr(form->proname));
	if (strcmp(name, " substring ") == 0 && form->proargtypes.values[1] == TEXTOID)
		strlcpy(name, " textregexeq ", sizeof(name));
	ReleaseSysCache(tuple);
	for (size_t i = 0; kind == UNBOUNDED && i < lengthof(function_kinds); i++)
		if (strstr(function_kinds[i].names, name) != NULL)
			return function_kinds[i].kind;
	return kind == UNBOUNDED && trusting ? PRODUCT : kind;
}

/* ---- bounds ---- */

typedef struct Bound
{
	double work;
	double bytes;    /* of the value */
	double elements; /* of an array; 1: it is none */
	Const *constant; /* that the node is; NULL: none */
} Bound;

static const Bound unbounded = {INFINITY, INFINITY, INFINITY, NULL};

/* Where an expression is, while its bounds are computed. */
typedef struct Place
{
	double longest;           /* of the values of columns, in bytes */
	const double *longest_of; /* [columns] the same of each column; NULL: not known */
	int columns;
	bool trusting;
	int depth;
} Place;

static Bound bound_of(Node *node, Place place);

static double
bytes_of_type(Oid type, int32 typmod, double longest)
{
	int16 length = get_typlen(type);

	if (length > 0)
		return length;
	type = getBaseTypeAndTypmod(type, &typmod);
	if ((type == VARCHAROID || type == BPCHAROID) && typmod >= (int32) VARHDRSZ)
		return Min((double) (typmod - (int32) VARHDRSZ) * pg_database_encoding_max_length(),
				   Max(VALUE_BYTES, longest));
	if (type == NUMERICOID)
		return longest > VALUE_BYTES ? longest : NUMBER_BYTES;
	return Max(VALUE_BYTES, longest);
}

static double
bytes_of_constant(const Const *constant)
{
	if (constant->constisnull)
		return 0;
	if (constant->constlen > 0)
		return constant->constlen;
	if (constant->constlen == -2)
		return strlen(DatumGetCString(constant->constvalue));
	return VARSIZE_ANY_EXHDR(DatumGetPointer(constant->constvalue));
}

static double
elements_of_constant(const Const *constant)
{
	ArrayType *array;

	if (constant->constisnull || !OidIsValid(get_element_type(constant->consttype)))
		return 1;
	array = DatumGetArrayTypeP(constant->constvalue);
	return ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
}

/* All of the arguments: work and bytes are sums. */
static Bound
bound_of_list(List *nodes, Place place)
{
	Bound all = {0};
	ListCell *cell;

	foreach (cell, nodes)
	{
		Bound one = bound_of(lfirst(cell), place);

		all.work += one.work;
		all.bytes += one.bytes;
	}
	return all;
}

/* The largest value of several, of which each is computed. */
static Bound
bound_of_choices(List *nodes, Place place)
{
	Bound all = {.elements = 1};
	ListCell *cell;

	foreach (cell, nodes)
	{
		Bound one = bound_of(lfirst(cell), place);

		all.work += one.work;
		all.bytes = Max(all.bytes, one.bytes);
		all.elements = Max(all.elements, one.elements);
	}
	return all;
}

/* A number that is written down; negative: it is none. */
static double
number_of(const Bound *argument)
{
	const Const *constant = argument->constant;

	if (constant == NULL || constant->constisnull || constant->consttype != INT4OID)
		return -1;
	return Max(DatumGetInt32(constant->constvalue), 0);
}

/* The size of a regular expression, by its words alone. */

#define GROUPS_MAX 30 /* of a regular expression, in one another */

/* The end of a class in brackets that begins here. A first ] and what is in [: :] do not end it. */
static const char *
end_of_class(const char *at)
{
	at += at[1] == '^' ? 2 : 1;
	if (*at == ']')
		at++;
	for (; *at != '\0' && *at != ']'; at++)
	{
		if (at[0] == '\\' && at[1] != '\0')
			at++;
		else if (at[0] == '[' && (at[1] == ':' || at[1] == '.' || at[1] == '=') &&
				 strchr(at + 2, ']') != NULL)
			at = strchr(at + 2, ']');
	}
	return at;
}

/* The largest number in {2,5}; at is moved to its end. */
static double
count_of(const char **at)
{
	double count = 1;

	for (; **at != '\0' && **at != '}'; (*at)++)
		if (isdigit((unsigned char) **at))
			count = Max(count, strtod(*at, NULL));
	return count;
}

/*
 * How many states a regular expression has: one for each thing that it names, as often as a count
 * behind it says. Of groups in one another the counts multiply. INFINITY: a back reference makes
 * PostgreSQL try each way to match, whose number nothing bounds. looks: how many groups that look
 * ahead or behind are in one another, each of which reads the text again from every place.
 */
static double
pattern_states(const char *words, int *looks)
{
	double before[GROUPS_MAX]; /* states in front of each group that is open */
	bool looking[GROUPS_MAX];  /* whether it looks ahead or behind */
	int now = 0;               /* such groups that are open */
	double states = 0, last = 0;
	int groups = 0;

	*looks = 0;
	if (strncmp(words, "***", 3) == 0)
		return INFINITY;
	for (const char *at = words; *at != '\0'; at++)
	{
		if (*at == '{' && isdigit((unsigned char) at[1]))
		{
			states += last * (count_of(&at) - 1);
			if (*at == '\0')
				break;
			continue;
		}
		if (*at == '(')
		{
			if (groups == GROUPS_MAX)
				return INFINITY;
			looking[groups] = at[1] == '?' && at[2] != '\0' && strchr("=!<", at[2]) != NULL;
			now += looking[groups];
			*looks = Max(*looks, now);
			before[groups++] = states;
			states = 0;
			continue;
		}
		if (*at == ')' && groups > 0)
		{
			last = states + 1;
			states = before[--groups] + last;
			now -= looking[groups];
			continue;
		}
		if (at[0] == '\\' && at[1] != '\0')
		{
			at++;
			if (isdigit((unsigned char) *at) && *at != '0')
				return INFINITY;
		}
		else if (*at == '[')
			at = end_of_class(at);
		last = 1;
		states++;
		if (*at == '\0')
			break;
	}
	return groups == 0 ? states : INFINITY;
}

/* Making the table of states takes up to their square; each byte of the text can need one more. */
static double
work_of_pattern(const Bound *pattern, double bytes)
{
	const Const *constant = pattern->constant;
	double states;
	int looks;

	if (constant == NULL || constant->constisnull || constant->consttype != TEXTOID)
		return INFINITY;
	states = pattern_states(TextDatumGetCString(constant->constvalue), &looks);
	return states * states + states * pow(1 + bytes / 10, 1 + looks);
}

/* What a function adds to the work of its arguments, and the size of what it returns. */
static Bound
bound_of_function(Oid function, Oid result, const Bound *argument, int n, bool trusting)
{
	FunctionKind kind = kind_of(function, trusting);
	double sum = 0, product = 1;
	Bound bound = {.elements = 1};

	for (int i = 0; i < n; i++)
	{
		sum += argument[i].bytes;
		product *= Max(argument[i].bytes, 1);
		bound.elements += argument[i].elements;
	}
	/* a letter's other case can be longer */
	bound.bytes = sum * (result == NUMERICOID ? 1 : pg_database_encoding_max_length()) + MORE_BYTES;
	switch (kind)
	{
		case UNBOUNDED:
		case GROWS:
			return unbounded;
		case FIXED:
			bound.work = 1;
			break;
		case SUM:
			bound.work = sum;
			break;
		case DIGITS:
			bound.bytes += n > 1 ? DIGITS_BYTES : 0;
			bound.work = bound.bytes;
			break;
		case PRODUCT:
			bound.work = sum + product;
			break;
		case REPLACE:
			bound.bytes = sum + product;
			bound.work = bound.bytes;
			break;
		case REPEAT:
			bound.bytes = n == 2 && number_of(&argument[1]) >= 0
							  ? argument[0].bytes * number_of(&argument[1])
							  : INFINITY;
			bound.work = bound.bytes;
			break;
		case PAD:
			bound.bytes = sum;
			if (n >= 2)
				bound.bytes += number_of(&argument[1]) >= 0
								   ? number_of(&argument[1]) * pg_database_encoding_max_length()
								   : INFINITY;
			bound.work = bound.bytes;
			break;
		case PATTERN:
			bound.work = n == 2 ? work_of_pattern(&argument[1], argument[0].bytes) : INFINITY;
			break;
	}
	if (is_fixed_size(result))
		bound.bytes = get_typlen(result);
	return bound;
}

#define ARGUMENTS_MAX 8

static Bound
bound_of_call(Oid function, List *arguments, Oid result, Place place)
{
	Bound argument[ARGUMENTS_MAX];
	Bound bound;
	double work = 0;
	int n = 0;
	ListCell *cell;

	if (list_length(arguments) > ARGUMENTS_MAX)
		return unbounded;
	foreach (cell, arguments)
	{
		argument[n] = bound_of(lfirst(cell), place);
		work += argument[n++].work;
	}
	bound = bound_of_function(function, result, argument, n, place.trusting);
	bound.work += work;
	return bound;
}

/* Value operator ANY (array) */
static Bound
bound_of_any(const ScalarArrayOpExpr *any, Place place)
{
	Bound argument[2];
	Bound list;
	Bound bound;

	argument[0] = bound_of(linitial(any->args), place);
	list = bound_of(lsecond(any->args), place);
	argument[1] =
		(Bound){.bytes = list.elements > 0 ? list.bytes / list.elements : 0, .elements = 1};
	/* comparing ends where the shorter one does */
	argument[0].bytes = Min(argument[0].bytes, 2 * argument[1].bytes + 16);
	bound = bound_of_function(get_opcode(any->opno), BOOLOID, argument, 2, place.trusting);
	return (Bound){.work = argument[0].work + list.work + (bound.work + 1) * list.elements,
				   .bytes = 1,
				   .elements = 1};
}

static Bound
bound_of_array(const ArrayExpr *array, Place place)
{
	Bound all = bound_of_list(array->elements, place);

	if (array->multidims)
		return unbounded;
	all.elements = list_length(array->elements);
	all.bytes += 24 + 8 * all.elements;
	all.work += all.bytes;
	return all;
}

/* A cast of each element. */
static Bound
bound_of_elements(const ArrayCoerceExpr *cast, Place place)
{
	Bound list = bound_of((Node *) cast->arg, place);
	Bound one = bound_of((Node *) cast->elemexpr, place); /* of an element of any size */

	return (Bound){.work = list.work + one.work * (1 + list.elements) + list.bytes * 8,
				   .bytes = list.bytes * 8 + 64 * list.elements,
				   .elements = list.elements};
}

static Bound
bound_of_io(const CoerceViaIO *cast, Place place)
{
	Bound bound = bound_of((Node *) cast->arg, place);

	if (getBaseType(cast->resulttype) == XMLOID)
		return unbounded;
	bound.bytes = is_fixed_size(cast->resulttype) ? get_typlen(cast->resulttype)
												  : bound.bytes * 32 + MORE_BYTES;
	bound.work += bound.bytes;
	bound.elements = bound.bytes;
	return bound;
}

static Bound
bound_of_constant(Const *constant)
{
	return (Bound){.work = 0,
				   .bytes = bytes_of_constant(constant),
				   .elements = elements_of_constant(constant),
				   .constant = constant};
}

static Bound
bound_of_case(const CaseExpr *choice, Place place)
{
	Bound all = {.elements = 1};
	ListCell *cell;

	if (choice->arg != NULL)
		all.work += bound_of((Node *) choice->arg, place).work;
	foreach (cell, choice->args)
	{
		const CaseWhen *when = lfirst_node(CaseWhen, cell);
		Bound one = bound_of((Node *) when->result, place);

		all.work += one.work + bound_of((Node *) when->expr, place).work;
		all.bytes = Max(all.bytes, one.bytes);
	}
	if (choice->defresult != NULL)
	{
		Bound one = bound_of((Node *) choice->defresult, place);

		all.work += one.work;
		all.bytes = Max(all.bytes, one.bytes);
	}
	return all;
}

static double
longest_of(Node *node, Place place)
{
	const Var *column = (const Var *) node;

	return IsA(node, Var) && column->varattno > 0 && column->varattno <= place.columns
			   ? place.longest_of[column->varattno - 1]
			   : place.longest;
}

static Bound
bound_of_kind(Node *node, Place place)
{
	Bound bound;

	switch (nodeTag(node))
	{
		case T_Const:
			return bound_of_constant((Const *) node);
		case T_Var:
		case T_CoerceToDomainValue:
		case T_CaseTestExpr:
			bound = (Bound){
				.bytes = bytes_of_type(exprType(node), exprTypmod(node), longest_of(node, place)),
				.elements = 1};
			if (OidIsValid(get_element_type(getBaseType(exprType(node)))))
				bound.elements = bound.bytes / 8;
			return bound;
		case T_FuncExpr:
			return bound_of_call(((FuncExpr *) node)->funcid, ((FuncExpr *) node)->args,
								 exprType(node), place);
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
			return bound_of_call(get_opcode(((OpExpr *) node)->opno), ((OpExpr *) node)->args,
								 exprType(node), place);
		case T_ScalarArrayOpExpr:
			return bound_of_any((ScalarArrayOpExpr *) node, place);
		case T_BoolExpr:
			bound = bound_of_list(((BoolExpr *) node)->args, place);
			return (Bound){.work = bound.work, .bytes = 1, .elements = 1};
		case T_List: /* the expressions of an index */
			return bound_of_list((List *) node, place);
		case T_NullTest:
			bound = bound_of((Node *) ((NullTest *) node)->arg, place);
			return (Bound){.work = bound.work, .bytes = 1, .elements = 1};
		case T_BooleanTest:
			bound = bound_of((Node *) ((BooleanTest *) node)->arg, place);
			return (Bound){.work = bound.work, .bytes = 1, .elements = 1};
		case T_RelabelType:
			return bound_of((Node *) ((RelabelType *) node)->arg, place);
		case T_CollateExpr:
			return bound_of((Node *) ((CollateExpr *) node)->arg, place);
		case T_CoerceViaIO:
			return bound_of_io((CoerceViaIO *) node, place);
		case T_ArrayExpr:
			return bound_of_array((ArrayExpr *) node, place);
		case T_ArrayCoerceExpr:
			return bound_of_elements((ArrayCoerceExpr *) node, place);
		case T_CaseExpr:
			return bound_of_case((CaseExpr *) node, place);
		case T_CoalesceExpr:
			return bound_of_choices(((CoalesceExpr *) node)->args, place);
		case T_MinMaxExpr:
			bound = bound_of_choices(((MinMaxExpr *) node)->args, place);
			bound.work += bound.bytes * list_length(((MinMaxExpr *) node)->args);
			return bound;
		case T_RowCompareExpr:
			bound = bound_of_list(((RowCompareExpr *) node)->largs, place);
			bound.work += bound_of_list(((RowCompareExpr *) node)->rargs, place).work + bound.bytes;
			return (Bound){.work = bound.work, .bytes = 1, .elements = 1};
		case T_SubscriptingRef:
			return bound_of((Node *) ((SubscriptingRef *) node)->refexpr, place);
		case T_SQLValueFunction:
			return (Bound){.work = 1, .bytes = 16, .elements = 1};
		default:
			return unbounded;
	}
}

static Bound
bound_of(Node *node, Place place)
{
	Bound bound;

	if (++place.depth > DEPTH_MAX)
		return unbounded;
	bound = bound_of_kind(node, place);
	bound.work += NODE_WORK;
	if (isnan(bound.work)) /* infinitely often nothing */
		bound.work = INFINITY;
	return bound;
}

double
dp_expression_work(Node *expression, double longest)
{
	return bound_of(expression, (Place){.longest = longest}).work;
}

double
dp_expression_work_of(Node *expression, const double *longest_of, int columns)
{
	Place place = {.longest_of = longest_of, .columns = columns};

	for (int i = 0; i < columns; i++)
		place.longest = Max(place.longest, longest_of[i]);
	return bound_of(expression, place).work;
}

bool
dp_expression_is_long(Node *expression)
{
	return bound_of(expression, (Place){.trusting = true}).work > DP_RELATION_WORK_MAX;
}

bool
dp_expression_may_run(Node *expression, double longest, double times, DpWork *work)
{
	double once = dp_expression_work(expression, longest);

	return once <= DP_EXPRESSION_WORK_MAX && dp_work_spend(work, (once + EVALUATION_WORK) * times);
}

/* ---- words ---- */

typedef struct Reading
{
	const char *words;
	Node *expression;
} Reading;

static bool
is_too_deep(Node *node, void *context)
{
	int *depth = context;
	bool found;

	if (node == NULL)
		return false;
	if (++*depth > DEPTH_MAX)
		return true;
	found = expression_tree_walker(node, is_too_deep, context);
	--*depth;
	return found;
}

/* Reading what is nested deeply is an error, of the depth of the stack. */
static void
read_words(void *argument)
{
	Reading *reading = argument;
	int depth = 0;

	reading->expression = stringToNode(reading->words);
	if (is_too_deep(reading->expression, &depth))
		reading->expression = NULL;
}

Node *
dp_expression_read(const char *words, DpWork *work)
{
	Reading reading = {.words = words};

	if (!dp_work_spend(work, EVALUATION_WORK + (double) strlen(words)) ||
		!dp_run_in_subtransaction(read_words, &reading))
		return NULL;
	return reading.expression;
}
