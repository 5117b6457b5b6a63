/*
 * predicate.h -- the one language in which users say which rows they mean:
 * {"sex": "f", "age": [18, 40]}.
 *
 *     predicate  {column: member, ...}; a row passes if it passes each of them
 *     member     term, or [term, ...]: a row passes if it passes one of them
 *     term       null       the level that NULL stands for among cells
 *                value      one level; of a column with bins, the rows with this value
 *                "[a,b)"    of a column with bins: a range, as cells show it; "[a,b]" is closed,
 *                           and an end that is left out is none
 *     [a, b]     of a column with bins: the range from a up to, and without, b; null is no end, and
 *                NaN and infinite values are none
 *
 * Texts of times mean what the input function of the column's type makes of them in the session of
 * who wrote them. dp_predicate_canonical writes them so that every process reads the same.
 *
 * Whether a column has bins is a matter of its domain alone, and not of who asks.
 * dp_query counts by it, dp_answer and dp_sample condition a model on it. Nothing of it becomes SQL.
 * Runs in any process; it sees no data.
 */
#ifndef DPSYN_PREDICATE_H
#define DPSYN_PREDICATE_H

#include "pg/server/compat.h"

#include "nodes/pg_list.h"
#include "utils/jsonb.h"

typedef enum DpTermKind
{
	DP_TERM_NULL,
	DP_TERM_VALUE,
	DP_TERM_RANGE
} DpTermKind;

typedef struct DpTerm
{
	DpTermKind kind;
	const char *text; /* of a value */
	const char *low;  /* of a range, or a value; NULL: no end */
	const char *high;
	bool closed; /* the upper end belongs to it */
} DpTerm;

/* What is said of one column. */
typedef struct DpMember
{
	const char *column;
	const JsonbValue *value;
} DpMember;

/* ERROR: it is no object. */
extern DP_NORETURN void dp_refuse_predicate(void);
/* The members of a predicate, as DpMember *; NIL for NULL. ERROR for what is no object. */
extern List *dp_predicate_members(JsonbContainer *predicate);
/* The terms of a member, as DpTerm *: at least one. NIL for what is no member. */
extern List *dp_predicate_terms(const JsonbValue *member, bool has_bins);

/* The type of a column, without domains; InvalidOid: its texts mean the same in every session. */
typedef Oid (*DpTypeOfColumn)(const void *context, const char *column);
/* The one of a relation, whose OID the context points to. */
extern Oid dp_type_in_relation(const void *relation, const char *column);
/* The same predicate with the times that it names as texts that mean the same in every session. */
extern Jsonb *dp_predicate_canonical(JsonbContainer *predicate, DpTypeOfColumn type_of,
									 const void *context);
/* Appends a value as JSON; of texts of the type, or of a list of them, what they mean to the user. */
extern void dp_json_put_canonical(StringInfo json, JsonbValue *value, Oid type);

#endif
