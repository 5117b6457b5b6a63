/*
 * asked.h -- a question as a release is asked for it: option "question" of method query.
 *
 *     {"relations": [{}, {"ancestor": 1}, {"public": 16402, "on": expression, "outer": true}],
 *      "where": expression, "groups": [expression, ...],
 *      "measures": [{"measure": "sum", "of": expression}, {"measure": "quantile", "of": ..., "at": 0.5}],
 *      "once": true}
 *
 * Relation 0 is the counted one, whose rows are counted; the others give each of its rows more
 * columns: rows that it belongs to, so many steps up, and rows of public tables. "once": a unit counts
 * once in each group, however many rows it has there: what is counted are units.
 *
 * {"below": 16390, "of": 0} is a relation whose rows belong to rows of relation 0, for EXISTS.
 *
 * Where rows of each unit are aggregated first, there is one relation, {"units": {...}}: a question of
 * its own with "aggregates": [{"aggregate": "sum", "of": expression}] in place of measures, of which
 * columns "n0", "n1", ... are the aggregates and "g0", "g1", ... the groups beside the unit; "all":
 * units without a row have one, too. {"units": {...}, "rows_of": 16384, "outer": true} gives each row
 * what is computed of the rows of its unit in a relation of the same tree: without groups.
 *
 * Runs in any process. It sees the schema, dpsyn's catalog and public tables, and no data. Whoever
 * wrote the option, everything in it is checked.
 */
#ifndef DPSYN_ASKED_H
#define DPSYN_ASKED_H

#include "pg/server/compat.h"

#include "core/domain/query.h"
#include "pg/budget/dataset.h"
#include "pg/domain/relation.h"
#include "pg/question/expression.h"

#define DP_QUESTION_OPTION "question"
#define DP_ASKED_RELATIONS_MAX 32

/* What is publicly known of the values of a column. */
typedef struct DpAskedColumn
{
	const char *name;
	Oid type; /* as which it is read: no domain, nor money or citext */
	Oid collation;
	bool nullable;
	bool has_range;
	DpGrid grid; /* has_range: of the values, or of those that count as one */
	bool lists;  /* values, as their type prints them, in order */
	const char **value;
	uint32 values;
	bool complete; /* lists: it can hold no other but NULL */
	int digits;    /* of numbers: all are multiples of 10^-digits; DP_DIGITS_UNKNOWN */
	bool clamps;   /* what lies outside of the range counts as its end, where it is computed with */
	bool assumed;  /* nothing but the type says which range it has */
	bool is_cast;  /* its own type is another one */
	bool ignores_case; /* citext */
	bool is_range;  /* values outside of the range count as its ends when they are grouped, too */
	bool is_unread; /* its domain also depends on a public table that was not read yet */
	/* the column, of a relation, that it is declared as the distance from, and the ends of that, in
	 * days or microseconds; NULL: none */
	const char *distance_from;
	Oid distance_of;
	double distance_low, distance_high;
	const DpAttribute *attribute; /* of a protected relation; NULL: it has no public domain */
	const DpColumn *column;
} DpAskedColumn;

typedef struct DpAskedRelation
{
	Oid relation;
	int ancestor; /* so many steps up; 0: no ancestor */
	bool is_public;
	bool is_checked; /* is_public: checked that it still is */
	bool outer;      /* LEFT JOIN */
	bool is_below; /* its rows belong to rows of another one: for EXISTS alone, it is not joined */
	uint32 of;     /* is_below: the number of that one */
	/* rows of units: relation 0, and nothing is joined to it, or the one that the unit of a row has;
	 * NULL: none */
	struct DpAsked *units;
	DpRowExpression *on; /* of a public table; NULL: any row */
	DpRelation *facts;   /* of a protected relation */
	List *columns;       /* DpAskedColumn * that were looked at */
} DpAskedRelation;

/* What is computed of all rows of a unit, before anything is measured. */
typedef enum DpUnitAggregateKind
{
	DP_UNIT_ROWS, /* count(*) */
	DP_UNIT_COUNT,
	DP_UNIT_SUM,
	DP_UNIT_AVG,
	DP_UNIT_MIN,
	DP_UNIT_MAX,
	DP_UNIT_ANY, /* bool_or */
	DP_UNIT_ALL
} DpUnitAggregateKind;

typedef struct DpUnitAggregate
{
	DpUnitAggregateKind kind;
	DpRowExpression *of; /* NULL: count(*) */
} DpUnitAggregate;

typedef struct DpAskedMeasure
{
	DpMeasureKind kind;
	DpRowExpression *of; /* NULL: count(*) */
	int64 quantile_nano;
} DpAskedMeasure;

typedef struct DpAsked
{
	List *relations;        /* DpAskedRelation * */
	DpRowExpression *where; /* NULL: all rows */
	List *groups;           /* DpRowExpression * */
	List *measures;         /* DpAskedMeasure * */
	List *aggregates;       /* DpUnitAggregate *, of rows of units; they have no measures */
	bool all_units;         /* of rows of units: those without a row have one, too */
	uint32 unit_rows;       /* that a unit is taken to have at most, for the ranges of aggregates */
	bool once;              /* of each unit, one row in each group */
	List *keys_of;          /* OIDs of public tables whose keys columns hold */
	uint64 digest;          /* of the rows that were read of public tables; 0: none was read */
	bool within;            /* it is of rows of units */
	bool narrows;           /* WHERE is complete: the ranges of columns are narrowed by it */
	bool by_columns;        /* its parts are levels of attributes (asked_columns.c) */
	/* filled by dp_asked_restrict, or dp_asked_columns_read */
	uint32 *group_attribute;   /* [groups] of the relation */
	uint32 *measure_attribute; /* [measures]; DP_NO_COLUMN: of count(*) */
	DpGrid *grid;              /* [attributes]; first > last: it has none */
} DpAsked;

/* What is known of the values of an expression; extent.c says how it is found. */
typedef struct DpExtent
{
	bool empty;   /* it is NULL and nothing else */
	bool ordered; /* low and high are known */
	double low;   /* numbers as they are, dates in days and timestamps in microseconds since 2000 */
	double high;
	int digits;   /* multiples of 10^-digits; DP_DIGITS_UNKNOWN */
	double least; /* the least absolute value but for 0; 0: unknown */
	bool nullable;
	bool assumed; /* nothing but the type of some column says so */
} DpExtent;

#define DP_DIGITS_UNKNOWN 1000

#define DP_IMAGE_VALUES_MAX 10000

/* The values that an expression can have, as their type prints them, in order. */
typedef struct DpImage
{
	uint32 n;
	const char **value;
	bool rest; /* it can be NULL or, for a row whose columns hold unlisted values, another one */
} DpImage;

/* ---- asked.c ---- */

/* Reads and checks the option. relation: the counted one. */
extern DpAsked *dp_asked_read(Jsonb *options, DpRelation *relation, const DpDataset *dataset);
/* A relation of a question, before it is read. counted: relation 0. */
extern DpAskedRelation *dp_asked_relation_create(Oid relation, int ancestor, bool is_public,
												 bool outer, const DpRelation *counted);
/* A relation whose rows belong to those of relation "of" of a question. ERROR: they do not. */
extern DpAskedRelation *dp_asked_below_create(const DpAsked *asked, Oid relation, uint32 of);
/* Rows of units of a relation that have a row for the unit of each row. ERROR: they are of other units,
 * or a unit has several. */
extern DpAskedRelation *dp_asked_units_create(const DpDataset *dataset, Oid relation,
											  DpAsked *units, bool outer);
/* ERROR unless relation is such a one. */
extern void dp_asked_check_below(const DpAsked *asked, uint32 relation);
/* Whether options have a question. */
extern bool dp_asked_given(Jsonb *options);
/* The facts of a column from the schema. ERROR if there is none of that name. */
extern DpAskedColumn *dp_asked_column(DpAsked *asked, uint32 relation, const char *name);
/* The same with its domain, for which a public table may be read. */
extern DpAskedColumn *dp_asked_column_values(DpAsked *asked, uint32 relation, const char *name);
/* The question as text, in its normal form. */
extern char *dp_asked_write(const DpAsked *asked);

/* ---- asked_column.c ---- */

extern DpAskedColumn *dp_asked_column_describe(const DpAskedRelation *of, const char *name);
/* Runs a statement about one public table of the question, as its owner: the texts of its first
 * column, NULL for NULL. Its digest goes into that of the question. */
extern List *dp_asked_read_public(DpAsked *asked, uint32 relation, const char *select,
								  const char *rest);
/* Adds the values of the column from public tables. */
extern void dp_asked_column_read(DpAsked *asked, DpAskedRelation *of, DpAskedColumn *column);

/* ---- unit_column.c ---- */

/* What is known of a column of rows of units. */
extern DpAskedColumn *dp_unit_column_describe(DpAsked *units, const char *name);
/* What an aggregate is called in SQL, and which type it gives; ERROR: it has none of such values. */
extern const char *dp_unit_aggregate_name(DpUnitAggregateKind kind);
extern Oid dp_unit_aggregate_type(const DpUnitAggregate *aggregate);

/* Whether it computes with its argument, which is within its range then. */
extern bool dp_unit_aggregate_adds(DpUnitAggregateKind kind);

/* How many steps up the row is, of an ancestor, whose key a column has, and how many rows have the same
 * there; 0: it names none. */
extern int dp_asked_names_row(const DpAsked *asked, const DpDataset *dataset,
							  const DpRowExpression *column, uint32 *rows);
/* How many rows a group of a unit is taken to have at most. */
extern uint32 dp_asked_unit_rows(DpAsked *units, const DpDataset *dataset);

/* ERROR if it can fail for the rows of some unit. */
extern void dp_unit_aggregate_check(DpAsked *units, const DpUnitAggregate *aggregate);

/* ---- narrowing.c ---- */

/* Narrows the range of a column to what WHERE leaves of it, once that is known. */
extern void dp_asked_narrow(DpAsked *asked, uint32 relation, DpAskedColumn *column);

/* ---- extent.c ---- */

/* ERROR unless the expression gives a value, or NULL, for every row. */
extern DpExtent dp_extent_of(DpAsked *asked, const DpRowExpression *expression);

/* The collation of what an expression gives; InvalidOid: its type has none. ERROR: its parts have
 * several. */
extern Oid dp_collation_of(DpAsked *asked, const DpRowExpression *expression);

/* ERROR, of a function, say, whose arguments have several collations. */
extern void dp_check_collation(DpAsked *asked, const DpRowExpression *expression);
/* The grid of a range of values of a type. False: it has none that serves. */
extern bool dp_extent_grid(const DpExtent *extent, Oid type, DpGrid *grid);

/* ---- public_groups.c ---- */

/* The conditions that every row passes: DpRowExpression *. */
extern List *dp_asked_conjuncts(const DpAsked *asked);
/* The values of an expression over one joined public table, in rows that satisfy the question's
 * conditions on public tables. False: it is no such expression, or has too many values. */
extern bool dp_public_groups(DpAsked *asked, const DpRowExpression *expression, DpImage *image,
							 uint32 most);

/* ---- distance_extent.c ---- */

/* What is known of a column that is an attribute of distances. */
extern void dp_asked_distance_describe(const DpRelation *facts, uint32 attribute,
									   DpAskedColumn *column);
/* Narrows the range of a measure's argument to a declared distance, if the argument is one. The
 * value is clamped to that range. */
extern void dp_extent_narrow_to_distance(DpAsked *asked, const DpRowExpression *expression,
										 DpExtent *extent);

/* ---- image.c ---- */

/* ERROR: it has too many values, or they are not known. */
extern DpImage dp_image_of(DpAsked *asked, const DpRowExpression *expression);

/* ---- asked_relation.c ---- */

/* The relation with what is asked for as its only attributes. */
extern void dp_asked_restrict(DpRelation *relation, DpAsked *asked);
/* ERROR where nothing would keep the rows of a unit within a bound. */
extern void dp_asked_check_rows(DpAsked *asked, const DpDataset *dataset);
/* Whether a unit has one row at most, of the join and after the filter. */
extern bool dp_asked_has_one_row(const DpAsked *asked);
/* The query over these attributes. */
extern DpQuery *dp_asked_query(const DpRelation *relation);
/* The public tables (OIDs) that it reads. */
extern List *dp_asked_public(const DpAsked *asked);
/* A digest of the rows that were read of public tables; 0: none was read. */
extern uint64 dp_asked_digest(const DpAsked *asked);
/* The ancestors whose columns it reads: DpRelation *. */
extern List *dp_asked_above(const DpAsked *asked);

/* ---- asked_columns.c: a question that names columns ---- */

/* A question of all rows, with the ancestors that the attributes are read of. */
extern DpAsked *dp_asked_of_columns(const DpRelation *relation, const DpDataset *dataset);
/* Keeps the columns that the options name, in measures, by and filter, also of ancestors of the
 * relation; one column, if they name none. ERROR for a name that has no domain. */
extern void dp_asked_columns_restrict(DpRelation *relation, const DpDataset *dataset,
									  const DpOptions *options, Jsonb *json);
/* Reads the options into the relation's question. Options of another kind are refused when the
 * release is planned. ERROR for a measure, a group or a filter that the columns cannot give. */
extern void dp_asked_columns_read(DpRelation *relation, const DpOptions *options, Jsonb *json);

/* ---- columns_as_question.c ---- */

/* The normal form of the question that a SELECT would ask in place of names of columns, which the
 * relation has read; NULL: there is none of exactly the same meaning. */
extern char *dp_asked_columns_as_question(const DpRelation *relation, const DpDataset *dataset);

/* Whether rows are those of a SELECT: the relation's own, or of public tables and units beside them. */
static inline bool
dp_asked_by_select(const DpRelation *relation)
{
	return relation->asked != NULL && !((const DpAsked *) relation->asked)->by_columns;
}

/* ---- asked_source.c ---- */

/* The expression as a statement reads it, where relation i is called "s<i>". grouped: also where it
 * is a column alone, what lies outside of its range counts as its end. */
extern char *dp_asked_sql(DpAsked *asked, const DpRowExpression *expression, bool grouped);
/* The same for an argument that is summed: it is clamped to its range, if that is known. */
extern char *dp_asked_added_sql(DpAsked *asked, const DpRowExpression *expression);
/* The same of an attribute of the relation. */
extern char *dp_asked_attribute_sql(const DpRelation *relation, uint32 attribute);
/* Whether a row of the counted relation is one row at most of the join. If not, *why names a public
 * table that multiplies it. */
extern bool dp_asked_keeps_rows(DpAsked *asked, Oid *why);
/* Whether it is a column of the counted relation that has each of its values in one row of the join. */
extern bool dp_asked_is_row_key(DpAsked *asked, const DpRowExpression *expression);

#endif
