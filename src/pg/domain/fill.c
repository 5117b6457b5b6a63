/*
 * fill.c -- what the columns hold that are not modelled. Nothing of it comes from the data: a key
 * holds the number of the row, a uuid of a seeded stream, or a text with that number; a column that
 * must not be NULL holds a text from its name, or a neutral value of its type; any other is NULL.
 *
 * For each column there is a short list of candidates, the best first. The first one is taken that
 * the column's type can read and that no CHECK refuses.
 */
#include "pg/domain/fill.h"

#include "access/sysattr.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "core/domain/pattern.h"
#include "pg/domain/checks.h"
#include "pg/domain/fill_capacity.h"
#include "pg/domain/fill_format.h"
#include "pg/domain/fill_pattern.h"
#include "pg/domain/schema_checks.h"
#include "pg/domain/schema_facts.h"
#include "pg/domain/schema_keys.h"
#include "pg/server/catalog.h"
#include "pg/server/compat.h"
#include "pg/server/labels.h"
#include "pg/server/numbers.h"
#include "pg/server/untrusted_code.h"
#include "pg/server/subtransaction.h"
#include "pg/server/values.h"

#define NUMBER_DIGITS 10 /* space for a number that a text must have, or it holds none */
#define LENGTHS_MAX 16   /* of texts whose length a CHECK tells */

/* A column, by what its type is underneath. */
typedef struct Column
{
	Relation relation;
	DpChecks *checks; /* of the relation */
	const char *name;
	int index;
	Oid type;          /* as declared */
	const char *label; /* of that type, for messages */
	Oid base;          /* of a domain the type that it is over */
	int32 typmod;      /* of the base type */
	char category;     /* of the base type */
	bool not_null;
	bool numbered;
	const char *unread; /* unsupported part of a regular expression in its CHECKs; NULL: none */
} Column;

static Column
column_of(Relation relation, DpChecks *checks, int index, bool numbered)
{
	Form_pg_attribute form = TupleDescAttr(RelationGetDescr(relation), index);
	Column column = {.relation = relation,
					 .checks = checks,
					 .name = NameStr(form->attname),
					 .index = index,
					 .type = form->atttypid,
					 .label = format_type_with_typemod(form->atttypid, form->atttypmod),
					 .typmod = form->atttypmod,
					 .not_null = form->attnotnull || dp_schema_type_not_null(form->atttypid),
					 .numbered = numbered};
	bool preferred;

	column.base = getBaseTypeAndTypmod(column.type, &column.typmod);
	get_type_category_preferred(column.base, &column.category, &preferred);
	return column;
}

/* ---- candidates ---- */

/* Whether there is space for a column's name and the number of the row. */
static bool
fits_name(const char *name, Oid base, int32 typmod)
{
	int limit = dp_fill_characters_max(base, typmod);

	return limit < 0 || pg_mbstrlen(name) + 1 + NUMBER_DIGITS <= limit;
}

static char *
text_pattern(const char *name, Oid base, int32 typmod, bool unique)
{
	int limit = dp_fill_characters_max(base, typmod);

	if (fits_name(name, base, typmod))
		return psprintf("%s {n}", name);
	if (unique)
		return pstrdup(DP_PATTERN_NUMBER);
	if (limit > NUMBER_DIGITS + 1) /* as much of the name as there is space for */
		return psprintf("%.*s {n}",
						pg_mbcharcliplen(name, (int) strlen(name), limit - NUMBER_DIGITS - 1),
						name);
	return pnstrdup(name, pg_mbcharcliplen(name, (int) strlen(name), limit));
}

const char *
dp_fill_key_pattern(const char *name, Oid type, int32 typmod)
{
	Oid base = getBaseTypeAndTypmod(type, &typmod);

	if (!dp_type_is_numbered(base))
		return NULL;
	if (base == UUIDOID)
		return DP_PATTERN_UUID;
	if (dp_is_integer(base) || base == NUMERICOID)
		return DP_PATTERN_NUMBER;
	return text_pattern(name, base, typmod, true);
}

/* Patterns in which each row has a value of its own. */
static List *
candidates_numbered(const Column *column)
{
	List *list =
		list_make1((char *) dp_fill_key_pattern(column->name, column->base, column->typmod));

	/* what a CHECK of a text is likely to want */
	if (column->category == TYPCATEGORY_STRING)
		list = list_concat(list, list_make2("user{n}@example.org", "{n}"));
	return list;
}

/* The same, for a column that must have such values: also some that number few rows. */
static List *
candidates_unique(Column *column)
{
	List *list = candidates_numbered(column);

	if (column->category != TYPCATEGORY_STRING)
		return list;
	list = list_concat(list, dp_fill_formats(column->relation, column->checks, column->index, true,
											 &column->unread));
	for (int digits = 1; digits <= LENGTHS_MAX; digits++)
		list = lappend(list, psprintf("{n:%d}", digits));
	return list;
}

/* The column's default if it is a constant, else NULL. */
static char *
default_value(const Column *column)
{
	Const *constant = dp_constant_default(column->relation, (AttrNumber) (column->index + 1));
	char *words;

	if (constant == NULL || getBaseType(constant->consttype) != column->base ||
		dp_type_runs_code(column->base))
		return NULL;
	words = dp_value_out(constant->constvalue, column->base);
	return dp_fill_constant(words);
}

/* Values of types that are neither texts nor in a group of their own. */
static List *
candidates_neutral(const Column *column)
{
	switch (column->base)
	{
		case UUIDOID:
			return list_make1(DP_PATTERN_UUID);
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return list_make1("2000-01-01");
		case TIMEOID:
		case TIMETZOID:
		case INTERVALOID:
			return list_make1("00:00:00");
		case JSONOID:
		case JSONBOID:
			return list_make2("{}", "[]");
		case BYTEAOID:
		case TSVECTOROID:
		case VARBITOID:
			return list_make1("");
		case BITOID:
			return list_make1(psprintf("%0*d", Max(column->typmod, 1), 0));
		case INETOID:
		case CIDROID:
			/* any numbers of three digits that are at most 255 */
			return column->base == INETOID
					   ? list_make2("10.1{[0-9]:2}.1{[0-9]:2}.1{[0-9]:2}", "0.0.0.0")
					   : list_make2("10.1{[0-9]:2}.0.0/16", "0.0.0.0");
		case MACADDROID:
			return list_make1("00:00:00:00:00:00");
		case POINTOID:
			return list_make1("(0,0)");
		default:
			break;
	}
	if (OidIsValid(get_element_type(column->base)) || type_is_multirange(column->base))
		return list_make1("{}");
	if (type_is_range(column->base))
		return list_make1("empty");
	if (column->category == TYPCATEGORY_NUMERIC)
		return list_make2("0", "1");
	return NIL;
}

/* Patterns for a column that has to hold something. */
static List *
candidates_any(Column *column)
{
	int limit = dp_fill_characters_max(column->base, column->typmod);
	char *standard = default_value(column);
	int length = pg_mbstrlen(column->name);
	List *list;

	if (column->category != TYPCATEGORY_STRING)
		return standard == NULL ? candidates_neutral(column)
								: lcons(standard, candidates_neutral(column));
	list = lcons(text_pattern(column->name, column->base, column->typmod, false),
				 candidates_numbered(column));
	if (limit > 0) /* codes of digits, as many as fit */
		list = lappend(list, psprintf("%0*d", limit, 0));
	if (standard != NULL) /* the default of a short code says more than a part of its name */
		list = fits_name(column->name, column->base, column->typmod) ? lappend(list, standard)
																	 : lcons(standard, list);
	list = list_concat(list, dp_fill_formats(column->relation, column->checks, column->index, false,
											 &column->unread));
	for (int n = 1; n <= Min(length, LENGTHS_MAX); n++)
		list =
			lappend(list, pnstrdup(column->name,
								   pg_mbcharcliplen(column->name, (int) strlen(column->name), n)));
	return list;
}

/* NULL stands for the value NULL. */
static List *
candidates_of(Column *column)
{
	if (column->numbered)
		return column->not_null ? candidates_unique(column)
								: lappend(candidates_unique(column), NULL);
	return column->not_null ? candidates_any(column) : lcons(NULL, candidates_any(column));
}

/* ---- trying them ---- */

typedef struct Reading
{
	const Column *column;
	const char *words;
	Datum value;
} Reading;

static void
pattern_read(void *argument)
{
	Reading *reading = argument;

	reading->value = dp_value_in(reading->words, reading->column->base, reading->column->typmod);
}

/*
 * Whether values that were made up pass the CHECKs of a relation.
 *
 * Runs in any process; it sees the schema and no data.
 */

/* A value that a column would hold. */
typedef struct FillValue
{
	bool known; /* the column is not modelled */
	bool isnull;
	Datum value;
} FillValue;

typedef struct Trial
{
	const FillValue *value;
	bool has_value; /* not all of the columns in the CHECK are NULL */
	bool unknown;   /* it is about the whole row */
	Node *expression;
	bool broken;
} Trial;

static Node *
constants_put(Node *node, void *context)
{
	Trial *trial = context;
	const Var *column = (const Var *) node;
	const FillValue *value;
	int16 length;
	bool byval;

	if (node == NULL)
		return NULL;
	if (!IsA(node, Var))
		return expression_tree_mutator(node, constants_put, context);
	if (column->varattno <= 0)
	{
		trial->unknown = true; /* the whole row, or tableoid */
		return node;
	}
	value = &trial->value[column->varattno - 1];
	get_typlenbyval(column->vartype, &length, &byval);
	trial->has_value = trial->has_value || !value->isnull;
	return (Node *) makeConst(column->vartype, column->vartypmod, column->varcollid, length,
							  value->value, value->isnull, byval);
}

static void
expression_try(void *argument)
{
	Trial *trial = argument;
	Node *result = eval_const_expressions(NULL, trial->expression);

	trial->broken = IsA(result, Const) && !((Const *) result)->constisnull &&
					!DatumGetBool(((Const *) result)->constvalue);
}

/* Whether all of the columns of a CHECK are known, and the one that is asked about is among
 * them. */
static bool
is_concerned(const DpCheck *check, const FillValue *value, int only)
{
	int number = -1;

	if (only >= 0 && !bms_is_member(only + 1, check->columns))
		return false;
	while ((number = bms_next_member(check->columns, number)) >= 0)
		if (!value[number - 1].known)
			return false;
	return !bms_is_empty(check->columns);
}

/* Whether a CHECK is known to be broken. One that fails on the values is broken too, but of NULL
 * alone that may be due to the CHECK. */
static bool
is_broken(const DpCheck *check, const FillValue *value, DpWork *work)
{
	Trial trial = {.value = value};

	if (check->written == NULL || dp_expression_obstacle(check->written) != NULL ||
		contain_mutable_functions(check->written))
		return false;
	trial.expression = constants_put(check->written, &trial);
	if (trial.unknown || !dp_expression_may_run(trial.expression, 0, 1, work))
		return false;
	return dp_run_in_subtransaction(expression_try, &trial) ? trial.broken : trial.has_value;
}

/*
 * The name of a CHECK, of the relation or of a domain type, that values break; NULL: none. Only
 * CHECKs are looked at that are about known columns alone and compute with nothing but immutable
 * functions of PostgreSQL itself, as far as there is work for it: no code of anybody runs. value:
 * one for each column of the relation. only: the index of a column that the CHECK must be about;
 * -1: any.
 */
static const char *
fill_broken_check(DpChecks *checks, const FillValue *value, int only)
{
	ListCell *cell;

	foreach (cell, checks->all)
	{
		const DpCheck *check = lfirst(cell);

		if (is_concerned(check, value, only) && is_broken(check, value, &checks->work))
			return check->name;
	}
	return NULL;
}

#define MISSING_MAX 6 /* columns of a CHECK of which every combination of NULLs is tried */

/* Whether filled columns break a CHECK where some of those that are NULL in some rows are so. */
static bool
nulls_break(const DpCheck *check, DpChecks *checks, FillValue *value, const bool *missing)
{
	int column[MISSING_MAX], n = 0, number = -1;
	FillValue kept[MISSING_MAX];
	bool broken = false;

	if (!is_concerned(check, value, -1))
		return false;
	while (n < MISSING_MAX && (number = bms_next_member(check->columns, number)) >= 0)
		if (missing[number - 1])
		{
			kept[n] = value[number - 1];
			column[n++] = number - 1;
		}
	for (int nulls = 1; !broken && nulls < 1 << n; nulls++)
	{
		for (int i = 0; i < n; i++)
			value[column[i]] =
				nulls >> i & 1 ? (FillValue){.known = true, .isnull = true} : kept[i];
		broken = is_broken(check, value, &checks->work);
	}
	for (int i = 0; i < n; i++)
		value[column[i]] = kept[i];
	return broken;
}

/* Puts what the first row would hold into value; false if the type does not read it. The CHECK of a
 * domain is not run, for it may be anybody's code. */
static bool
value_of_pattern(const Column *column, const char *pattern, FillValue *value)
{
	Reading reading = {.column = column};

	*value = (FillValue){.known = true, .isnull = true};
	if (pattern == NULL || dp_pattern_is_null(pattern))
		return true;
	if (dp_type_runs_code(column->base) && strcmp(pattern, "{}") != 0 &&
		strcmp(pattern, "empty") != 0)
		return false; /* in it there may be values of domain types */
	reading.words = dp_fill_first_text(column->relation, pattern);
	if (!dp_run_in_subtransaction(pattern_read, &reading))
		return false;
	value->isnull = false;
	value->value = reading.value;
	value->known = !dp_fill_takes_from_columns(column->relation, pattern);
	return true;
}

/* The reason for which a column cannot hold what a pattern says; NULL: it can. */
static const char *
refusal(const Column *column, const char *pattern, FillValue *values)
{
	const char *check;

	if (pattern != NULL && column->category != TYPCATEGORY_STRING &&
		dp_fill_takes_from_columns(column->relation, pattern))
		return "Only texts are made of what other columns hold.";
	if (pattern != NULL && dp_pattern_facts(pattern).null_percent > 0)
	{
		int natts = RelationGetDescr(column->relation)->natts;
		const char *of_null = refusal(column, DP_PATTERN_NULL, palloc0(sizeof(FillValue) * natts));

		if (of_null != NULL)
			return of_null;
	}
	if (!value_of_pattern(column, pattern, &values[column->index]))
		return psprintf("Its type, %s, does not read \"%s\".", column->label,
						dp_fill_first_text(column->relation, pattern));
	if (values[column->index].isnull && column->not_null)
		return "It must not be NULL.";
	check = fill_broken_check(column->checks, values, column->index);
	return check ? psprintf("CHECK %s refuses what it would hold.", quote_identifier(check)) : NULL;
}

/* Takes the first of the candidates that the column can hold. */
static void
fill_choose(const Column *column, List *candidates, FillValue *values, const char **pattern,
			const char **problem)
{
	ListCell *cell;

	*problem = candidates == NIL ? psprintf("It must not be NULL, and no value is known for its "
											"type, %s.",
											column->label)
								 : NULL;
	foreach (cell, candidates)
	{
		const char *reason = refusal(column, lfirst(cell), values);

		if (reason == NULL)
		{
			*pattern = lfirst(cell);
			*problem = NULL;
			return;
		}
		if (*problem == NULL)
			*problem = reason;
	}
	if (column->unread != NULL && *problem != NULL)
		*problem =
			psprintf("%s Of its regular expression is not read %s.", *problem, column->unread);
	values[column->index] = (FillValue){0};
}

/* Whether a foreign key to a relation whose rows are numbered can hold any of these numbers. */
static bool
takes_any_number(const Column *column)
{
	bool takes = (column->base == INT4OID || column->base == INT8OID ||
				  (column->base == NUMERICOID && column->typmod < (int32) VARHDRSZ)) &&
				 column->type == column->base;
	ListCell *cell;

	foreach (cell, column->checks->all)
		takes &= !bms_is_member(column->index + 1, ((DpCheck *) lfirst(cell))->columns);
	return takes;
}

/* What a column of a foreign key would hold if it had to hold something, as others of the key have to. */
static void
fill_reference(Relation relation, DpChecks *checks, DpUnmodelled *unmodelled,
			   const FillValue *values)
{
	Size size = sizeof(FillValue) * RelationGetDescr(relation)->natts;
	FillValue *own = memcpy(palloc(size), values, size);
	int with = -1;
	Column column;
	const char *problem;
	List *candidates;

	column = column_of(relation, checks, unmodelled->number - 1, false);
	if (column.not_null)
		return;
	candidates = candidates_any(&column);
	if (column.base == UUIDOID) /* a CHECK may want another one than the row's own key */
		candidates = lappend(candidates, "ffffffff-ffff-4fff-bfff-ffffffffffff");
	if (takes_any_number(&column))
		candidates = lcons(DP_PATTERN_NUMBER, candidates);
	if (unmodelled->fill != NULL && !dp_pattern_is_null(unmodelled->fill))
		candidates = list_make1((char *) unmodelled->fill);
	while ((with = bms_next_member(dp_schema_refer_together(relation, unmodelled->number), with)) >=
		   0)
		own[with - 1] = (FillValue){0};
	fill_choose(&column, candidates, own, &unmodelled->refers_fill, &problem);
}

/*
 * A column whose value follows from others is left to its rule. One that was declared for another
 * type is left to its custodian, who gets a notice.
 */
static void
fill_unmodelled(Relation relation, DpChecks *checks, DpUnmodelled *unmodelled, DpKeyKind key,
				FillValue *values)
{
	Column column;
	bool declared = unmodelled->fill != NULL;
	List *candidates;

	if (dp_domain_is_deep(unmodelled->type))
	{
		if (TupleDescAttr(RelationGetDescr(relation), unmodelled->number - 1)->attnotnull)
			unmodelled->problem = "Its type is a domain over too many others.";
		return;
	}
	column = column_of(relation, checks, unmodelled->number - 1, key != DP_NO_KEY);
	candidates = declared ? list_make1((char *) unmodelled->fill) : candidates_of(&column);
	if (!declared && column.not_null && strcmp(unmodelled->source, "foreign key") == 0 &&
		takes_any_number(&column))
		candidates = lcons(DP_PATTERN_NUMBER, candidates);
	if (!declared && key == DP_KEY_IN_PARENT)
		candidates = lcons(DP_PATTERN_PLACE, candidates);
	/* until it is set, no CHECK may find it in another reference, or on the wrong side of one */
	if (!declared && key == DP_KEY_IN_PARENT && dp_is_integer(column.base) &&
		dp_schema_refers(relation, unmodelled->number))
		candidates = lappend(lappend(candidates, "-" DP_PATTERN_PLACE), "1{n:9}");
	if (TupleDescAttr(RelationGetDescr(relation), column.index)->attgenerated != '\0' ||
		strcmp(unmodelled->source, "outdated") == 0 || strcmp(unmodelled->source, "derived") == 0 ||
		strcmp(unmodelled->source, "fields") == 0 || unmodelled->expression != NULL)
		return;
	fill_choose(&column, candidates, values, &unmodelled->fill, &unmodelled->problem);
	if (unmodelled->fill != NULL && !declared)
		unmodelled->key = key != DP_NO_KEY;
	/* what is declared says which rows refer to the same one, and whether they do, by {null:30} */
	if (dp_schema_refers(relation, unmodelled->number) &&
		(!declared || (!dp_pattern_is_null(unmodelled->fill) &&
					   dp_pattern_facts(unmodelled->fill).null_percent == 0)))
		fill_reference(relation, checks, unmodelled, values);
}

/* The placeholder values of a modelled column for a level that would be NULL. */
static void
fill_modelled(Relation relation, DpChecks *checks, const DpAttribute *attribute, DpColumn *modelled,
			  FillValue *values)
{
	Column column = column_of(relation, checks, modelled->number - 1, false);
	const char *problem;
	List *candidates;
	bool may_lack = attribute->has_other || modelled->base_end != DP_NO_RANGE_PART;

	if (!column.not_null || !may_lack || attribute->other != NULL || modelled->field != NULL)
		return;
	candidates = candidates_any(&column);
	for (uint32 i = 0; i < attribute->labels_n && attribute->kind == DP_CATEGORIES; i++)
		candidates = lappend(candidates, dp_fill_constant(attribute->labels[i]));
	fill_choose(&column, candidates, values, &modelled->fill, &problem);
	values[column.index] = (FillValue){0};
}

/* ---- what is taken from other columns ---- */

static DpUnmodelled *
unmodelled_find(const DpRelation *result, int number)
{
	ListCell *cell;

	foreach (cell, result->unmodelled)
		if (((DpUnmodelled *) lfirst(cell))->number == number)
			return lfirst(cell);
	return NULL;
}

/*
 * Returns why a pattern cannot use the values of the columns that it names; NULL: it can. The value
 * of such a column must follow from its own pattern or from its level alone. depth: limits the
 * recursion, so that circles are found.
 */
static const char *
taking_problem(Relation relation, const DpRelation *result, const char *words, int depth)
{
	DpPattern *pattern = dp_fill_pattern(words);
	int *index = dp_fill_columns(relation, pattern);

	for (uint32 i = 0; i < dp_pattern_columns(pattern); i++)
	{
		const char *name = dp_pattern_column(pattern, i);
		int attribute = dp_domain_find(&result->domain, name);
		const DpUnmodelled *other = unmodelled_find(result, index[i] + 1);
		const char *reason = NULL;

		if (index[i] < 0 ||
			(attribute >= 0 && result->domain.attribute[attribute].kind == DP_CATEGORIES))
			continue;
		if (depth == 0)
			return "It takes from columns that take from it.";
		if (attribute >= 0 || other == NULL || other->fill == NULL ||
			dp_pattern_is_null(other->fill))
			return psprintf("It takes from column %s, which is neither filled nor modelled by its "
							"values.",
							quote_identifier(name));
		reason = taking_problem(relation, result, other->fill, depth - 1);
		if (reason != NULL)
			return reason;
	}
	return NULL;
}

void
dp_fill_plan(Relation relation, DpChecks *checks, const DpKeyKind *keys, DpRelation *result)
{
	int n = RelationGetDescr(relation)->natts;
	FillValue *values = palloc0(sizeof(FillValue) * Max(n, 1));
	bool *unique = palloc0(sizeof(bool) * Max(n, 1));
	bool *null = palloc0(sizeof(bool) * Max(n, 1));
	bool *missing = palloc0(sizeof(bool) * Max(n, 1));
	ListCell *cell;

	foreach (cell, result->unmodelled)
	{
		DpUnmodelled *column = lfirst(cell);

		fill_unmodelled(relation, checks, column, keys[column->number - 1], values);
		missing[column->number - 1] =
			column->fill != NULL && dp_pattern_facts(column->fill).null_percent > 0;
		null[column->number - 1] = column->fill == NULL || dp_pattern_is_null(column->fill);
		unique[column->number - 1] = column->fill != NULL && dp_pattern_facts(column->fill).unique;
	}
	foreach (cell, result->unmodelled)
	{
		DpUnmodelled *column = lfirst(cell);

		if (column->problem == NULL && column->fill != NULL &&
			dp_pattern_facts(column->fill).column)
			column->problem = taking_problem(relation, result, column->fill, n);
	}
	for (uint32 i = 0; i < result->domain.attributes; i++)
		fill_modelled(relation, checks, &result->domain.attribute[i], &result->column[i], values);
	result->broken_check = fill_broken_check(checks, values, -1);
	foreach (cell, checks->all)
		((DpCheck *) lfirst(cell))->broken_by_nulls =
			nulls_break(lfirst(cell), checks, values, missing);
	result->broken_keys = dp_schema_keys_broken(relation, unique, null);
}

/* ---- what is known before a release ---- */

void
dp_fill_check(const DpRelation *relation)
{
	ListCell *cell;

	foreach (cell, relation->unmodelled)
	{
		const DpUnmodelled *column = lfirst(cell);

		if (column->problem != NULL)
			ereport(
				ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("no value is known for column \"%s\" of relation \"%s\"", column->name,
						dp_relation_words(relation->oid)),
				 errdetail("%s", column->problem),
				 errhint("Its custodian can say what it holds: SELECT dp_define_column(%s, "
						 "%s, fill => '...'), with {n} for the number of the row.",
						 dp_literal(dp_relation_label(relation->oid)), dp_literal(column->name))));
	}
	if (relation->broken_check != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("CHECK %s of relation \"%s\" refuses what its columns would hold",
						quote_identifier(relation->broken_check), dp_relation_words(relation->oid)),
				 errdetail("It is about columns that are not modelled."),
				 errhint("The custodian can declare a domain or a fill for one of them "
						 "with dp_define_column.")));
}

uint64
dp_fill_rows_max(const DpRelation *relation)
{
	uint64 most = PG_UINT64_MAX;
	ListCell *cell;

	foreach (cell, relation->unmodelled)
	{
		const DpUnmodelled *column = lfirst(cell);

		if (column->fill != NULL)
			most = Min(most, dp_fill_capacity(column->fill, column->type, column->typmod));
	}
	return most;
}

void
dp_fill_check_rows(const DpRelation *relation, uint64 rows)
{
	ListCell *cell;

	foreach (cell, relation->unmodelled)
	{
		const DpUnmodelled *column = lfirst(cell);
		uint64 capacity;

		if (column->fill == NULL)
			continue;
		capacity = dp_fill_capacity(column->fill, column->type, column->typmod);
		if (rows > capacity)
			dp_fill_too_many(column->name, column->type, column->typmod, capacity);
	}
}

static void
append_fill(StringInfo json, const char *name, const char *pattern)
{
	if (pattern == NULL || dp_pattern_is_null(pattern))
		return;
	appendStringInfoString(json, json->len > 1 ? ", " : "");
	escape_json(json, name);
	appendStringInfoString(json, ": ");
	escape_json(json, pattern);
}

/* "chief.refers": ["chief"], the columns that are NULL where it says no. */
static void
append_refers(StringInfo json, const char *name, const List *columns)
{
	bool first = true;
	ListCell *cell;

	if (columns == NIL)
		return;
	appendStringInfoString(json, json->len > 1 ? ", " : "");
	escape_json(json, name);
	appendStringInfoString(json, ": [");
	foreach (cell, columns)
	{
		appendStringInfoString(json, first ? "" : ", ");
		escape_json(json, lfirst(cell));
		first = false;
	}
	appendStringInfoChar(json, ']');
}

char *
dp_fill_to_json(const DpRelation *relation)
{
	StringInfoData json;
	ListCell *cell;

	initStringInfo(&json);
	appendStringInfoChar(&json, '{');
	foreach (cell, relation->unmodelled)
		append_fill(&json, ((DpUnmodelled *) lfirst(cell))->name,
					((DpUnmodelled *) lfirst(cell))->fill);
	for (uint32 i = 0; i < relation->domain.attributes; i++)
	{
		append_fill(&json, relation->domain.attribute[i].name, relation->column[i].fill);
		append_refers(&json, relation->domain.attribute[i].name, relation->column[i].refers);
	}
	appendStringInfoChar(&json, '}');
	return json.data;
}

const char *
dp_fill_refusal(Relation relation, DpChecks *checks, int index, const char *pattern)
{
	Column column = column_of(relation, checks, index, false);
	FillValue *values = palloc0(sizeof(FillValue) * RelationGetDescr(relation)->natts);

	return refusal(&column, pattern, values);
}
