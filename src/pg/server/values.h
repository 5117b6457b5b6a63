/*
 * values.h -- texts of values, types and collations that mean the same in every session.
 *
 * Runs in any process.
 */
#ifndef DPSYN_VALUES_H
#define DPSYN_VALUES_H

#include "pg/server/compat.h"

/* ---- values ---- */

/* Pins DateStyle and the like as long as the process lives: for the release worker. */
extern void dp_values_pin(void);
/* Pins them until dp_values_end, which takes what dp_values_begin returned. */
extern int dp_values_begin(void);
extern void dp_values_end(int level);
/* The same with search_path set to pg_catalog, for words that name nothing else. dp_values_end ends
 * it. */
extern int dp_words_begin(void);
/* The value that text means in a column of this type, or ERROR from the type's input function. */
extern Datum dp_value_in(const char *text, Oid type, int32 typmod);
/* Of which column a value is read, for messages. */
typedef struct DpValueContext
{
	const char *column;
	const char *what;      /* what gives its values: "categories" */
	const char *read_from; /* the type that the values were printed by; NULL: a user wrote them */
	Oid type;              /* of the column; filled by dp_column_value_in */
} DpValueContext;
/* As dp_value_in; an error of the input function says in its CONTEXT which column it is about. */
extern Datum dp_column_value_in(const char *text, Oid type, int32 typmod, DpValueContext *context);
extern char *dp_value_out(Datum value, Oid type);
/* What a user means by text in this session, as text that means the same in every session. */
extern char *dp_value_canonical(const char *text, Oid type, int32 typmod);
/* The type of the elements of an array, or of the ends of a range or a multirange; any other as it is. */
extern Oid dp_type_of_parts(Oid type);
/* Whether it depends on DateStyle, IntervalStyle or TimeZone what a text of the type means. No for
 * types that PostgreSQL does not bring. */
extern bool dp_type_reads_by_settings(Oid type);
/*
 * dp_catalog.dp_text(anyelement) of SQL, the one way in which statements of ours make a text of a
 * column: "dp_catalog.dp_text(c.ward)". The type's output function prints it. A cast to text can
 * be anybody's, whereas nobody but a superuser makes an output function. Enums, domains, rows,
 * ranges and arrays have PostgreSQL's own, which call those of their parts and no CHECK.
 */
extern char *dp_text_expression(const char *column);
/* A value that is passed by value, as an integer: of a date its days, of a timestamp its
 * microseconds. */
extern int64 dp_value_word(Datum value, Oid type);

/* ---- names of types and collations ---- */

/* A type by its SQL name (integer, "timestamp without time zone"), or with its schema. */
extern char *dp_type_label(Oid type);
/* The type of such a label, whatever search_path says; InvalidOid if there is none here. */
extern Oid dp_type_of_label(const char *label);
/* The name of a collation, with its schema, as a statement has it. */
extern char *dp_collation_name(Oid collation);
/* The same of a collation under which different texts can be equal; NULL for any
 * other collation. */
extern const char *dp_collation_label(Oid collation);
/* The collation of such a label, or of the bare name of a built-in one; InvalidOid if there is
 * none. */
extern Oid dp_collation_of_label(const char *label);

/* ---- kinds of types ---- */

/* Whether a column of the type can have bins: numbers, dates and timestamps. */
extern bool dp_type_has_bins(Oid type);
/* Whether a text of the type names an object of the catalog, as one of regclass does. */
extern bool dp_type_names_objects(Oid type);
/* Whether it is a scalar type of PostgreSQL itself whose texts mean the same in every session. */
extern bool dp_type_is_plain(Oid type);
/* ERROR if values of the column's type cannot be discovered. */
extern void dp_check_open(const char *column, Oid type);

#endif
