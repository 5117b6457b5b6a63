/*
 * expression.h -- expressions of a question: functions of a row of the counted relation and of public
 * facts that give a value, or NULL, for every row, and never an error.
 *
 * They are written in a language of their own, as JSON, in which a release is asked for and stored:
 *
 *     ["column", 0, "l_tax"]            a column of the question's relation 0
 *     ["value", "numeric", "0.05"]      a constant, as its type prints it; null is NULL
 *     ["numeric_mul", a, b]             a function of the list in functions.c
 *     ["case", c, a, d, b, e]           CASE WHEN c THEN a WHEN d THEN b ELSE e END
 *     ["and", a, b, ...] ["or", ...] ["not", a] ["null", a]
 *     ["in", a, constant, ...]          by the type's own equality
 *     ["coalesce", ...] ["least", ...] ["greatest", ...]
 *     ["exists", 2, a]                  whether a row of relation 2, which belongs to a row here, has a
 *     ["as", "text", a]                 the same bytes under another type: varchar as text
 *     ["text", a]                       a boolean, an enum or a whole number as text
 *
 * Two more are written by dp_query alone, and have no form that is read: the level of a column as it is
 * modelled, with its bins, fields and distances, and the condition that it is one of some codes.
 *
 * Nothing of it is resolved by a name that a user could give to something else: functions are
 * PostgreSQL's own by their OIDs, types are built in or enums, and a column is one of a relation that
 * is known by its OID.
 *
 * Runs in any process. It sees the schema, dpsyn's catalog and public tables, and no data.
 */
#ifndef DPSYN_EXPRESSION_H
#define DPSYN_EXPRESSION_H

#include "pg/server/compat.h"

#include "lib/stringinfo.h"
#include "nodes/pg_list.h"
#include "utils/jsonb.h"

#include "core/domain/domain.h"
#include "core/domain/grid.h"

#define DP_EXPRESSION_NODES_MAX 4000

typedef enum DpRowExpressionKind
{
	DP_X_COLUMN,
	DP_X_VALUE,
	DP_X_CALL,
	DP_X_CASE,
	DP_X_AND,
	DP_X_OR,
	DP_X_NOT,
	DP_X_NULL, /* IS NULL */
	DP_X_IN,
	DP_X_COALESCE,
	DP_X_LEAST,
	DP_X_GREATEST,
	DP_X_EXISTS,
	DP_X_AS,
	DP_X_TEXT,
	DP_X_LEVEL,
	DP_X_CODED
} DpRowExpressionKind;

/*
 * Values of an attribute, by what stands for them: codes of levels, or coordinates of its public range.
 * NULL and what is not listed have the level "other".
 */
typedef struct DpCodes
{
	const bool *level; /* [levels]; NULL: coordinates, or what is missing */
	uint32 levels;
	bool missing;      /* NULL and what has no coordinate, and nothing else */
	int64 first, last; /* coordinates; NULL never lies there */
	DpGrid grid;       /* of the coordinates */
	bool nullable;     /* NULL is missing, and does not count as the first coordinate */
} DpCodes;

/* What is known about the values of an expression, and what its arguments must satisfy; extent.c
 * proves each rule. */
typedef enum DpFunctionRule
{
	DP_RULE_COMPARE, /* boolean, whatever the arguments are */
	DP_RULE_ADD,
	DP_RULE_SUBTRACT,
	DP_RULE_MULTIPLY,
	DP_RULE_DIVIDE,
	DP_RULE_MODULO,
	DP_RULE_NEGATE,
	DP_RULE_SAME,    /* the value as another type, or + */
	DP_RULE_DECIMAL, /* a float as a numeric, which has 6 or 15 digits of it */
	DP_RULE_ABS,
	DP_RULE_SIGN,
	DP_RULE_ROUND, /* to integers, or to so many digits */
	DP_RULE_SQRT,
	DP_RULE_LN,
	DP_RULE_EXP,
	DP_RULE_BUCKET,
	DP_RULE_PRECISION, /* numeric(p, s) */
	DP_RULE_TIME,  /* monotone in a date or timestamp, others are constants: it is computed at the
						* ends */
	DP_RULE_CLOCK, /* the time of the day */
	DP_RULE_AGE,   /* from one timestamp to another one */
	DP_RULE_EXTRACT,
	DP_RULE_FORMAT, /* to_char */
	DP_RULE_LIKE,
	DP_RULE_TEXT,   /* text of bounded length */
	DP_RULE_LENGTH, /* of a text */
	DP_RULE_BOOLEAN_NUMBER
} DpFunctionRule;

typedef struct DpFunction
{
	Oid oid;
	const char *name;     /* in the language above */
	const char *operator; /* by which SQL writes it; NULL: as a call */
	DpFunctionRule rule;
} DpFunction;

typedef struct DpRowExpression
{
	DpRowExpressionKind kind;
	Oid type;                   /* no domain */
	uint32 relation;            /* of a column, and of EXISTS: number in the question */
	const char *name;           /* of a column, and of the attribute whose level it is */
	const char *text;           /* of a value; NULL: NULL */
	const DpFunction *function; /* of a call */
	const DpCodes *codes;       /* of a condition on a level */
	List *arguments;            /* DpRowExpression * */
} DpRowExpression;

/* ---- functions.c ---- */

/* NULL: it is not one of the list. */
extern const DpFunction *dp_function_of(Oid oid);
extern const DpFunction *dp_function_called(const char *name, size_t length);
/* The comparison with its arguments the other way round; NULL: there is none. */
extern const DpFunction *dp_function_commuted(const DpFunction *function);
/* The comparison that is true where this one is false; NULL: there is none. */
extern const DpFunction *dp_function_negated(const DpFunction *function);
/* Whether it uses its arguments unchanged, without arithmetic on them. */
extern bool dp_function_reads_as_is(const DpFunction *function);
/* Whether values of the type may stand in an expression. */
extern bool dp_expression_type(Oid type);
/* As which type a column of a type, no domain, is read: itself, of money numeric, and of citext text.
 * InvalidOid: its values may not stand in an expression. */
extern Oid dp_expression_type_read(Oid type);
/* Whether an object, a type or a function, is one of the extension citext. */
extern bool dp_is_of_citext(Oid class, Oid object);
/* The type as a statement and the language write it: numeric, shop.size. */
extern char *dp_expression_type_name(Oid type);
/* InvalidOid: there is none of that name. */
extern Oid dp_expression_type_named(const char *name);
/* "pg_catalog.numeric" */
extern char *dp_expression_type_label(Oid type);

/* ---- expression.c: made of parts; ERROR where the parts do not fit ---- */

extern DpRowExpression *dp_x_column(uint32 relation, const char *name, Oid type);
/* text: NULL is NULL. It is brought into the form in which the type prints it. */
extern DpRowExpression *dp_x_value(Oid type, const char *text);
extern DpRowExpression *dp_x_call(const DpFunction *function, List *arguments);
extern DpRowExpression *dp_x_of(DpRowExpressionKind kind, List *arguments);
extern DpRowExpression *dp_x_exists(uint32 relation, DpRowExpression *condition);
extern DpRowExpression *dp_x_as(Oid type, DpRowExpression *argument);
/* The level of an attribute of the counted relation, and that it is one of these. */
extern DpRowExpression *dp_x_level(const char *name);
extern DpRowExpression *dp_x_coded(const char *name, const DpCodes *codes);
extern bool dp_x_is_constant(const DpRowExpression *expression);
/* a = b */
extern bool dp_x_is_equality(const DpRowExpression *expression);
extern bool dp_x_has_exists(const DpRowExpression *expression);
typedef bool DpKeepsCondition(const DpRowExpression *condition, const void *context);
/* A weaker condition that is true wherever the given one is. NULL: none. */
extern DpRowExpression *dp_x_implied(const DpRowExpression *condition, DpKeepsCondition *keeps,
									 const void *context);
/* Its normal form: conjuncts in order, constants on the right. */
extern DpRowExpression *dp_x_normal(DpRowExpression *expression);
/* Adds the columns (DpRowExpression *) that it reads to those of a list, each once. */
extern List *dp_x_columns(const DpRowExpression *expression, List *columns);

/* ---- expression_json.c ---- */

extern char *dp_x_text(const DpRowExpression *expression);

/* The type of a column of a relation of the question; ERROR: it has none of that name that serves. */
typedef Oid (*DpColumnType)(void *context, uint32 relation, const char *name);

/* ERROR for what is no expression. nodes: how many more there may be. */
extern DpRowExpression *dp_x_read(JsonbContainer *array, DpColumnType type, void *context,
								  int *nodes);

/* ---- expression_sql.c ---- */

/* What a statement reads a column by. clamped: within its public range, NULL where it is no number.
 * Of an EXISTS it gives "FROM c WHERE ..." but for the condition, which follows; of a condition on a
 * level, that whole. */
typedef char *(*DpColumnText)(void *context, const DpRowExpression *column, bool clamped);

extern char *dp_x_sql(const DpRowExpression *expression, DpColumnText text, void *context);
/* For people: "l_extendedprice * (1 - l_discount)". */
extern char *dp_x_words(const DpRowExpression *expression);

#endif
