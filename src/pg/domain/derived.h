/*
 * derived.h -- columns whose values are made from others when rows are drawn: distances, columns
 * that a public dictionary gives, as a state by its zip, columns that hold what an ancestor has,
 * jsonb columns that are put together from their fields, and columns that are computed from others
 * (computed.h).
 *
 * A release keeps what drawing needs of them, {"discharged": {"offset_of": "admitted"}, "state":
 * {"derived_from": "zip", "values": {"10115": "Berlin"}}, "site": {"derived_from": "wards.site"}, "during": {"derived_from": "during", "table": "booking"},
 * "meta->>'plan'": {"field_of": "meta"}, "total": {"computed": "(net + tax)", "always": "true"}},
 * so that it can be drawn from whatever becomes of the
 * declarations. Under the empty name, which no column has, are the columns in which the rows of one
 * parent differ (DpDistinct), and the time of the release where CHECKs are about it (moment.h): {"":
 * {"distinct": [{"columns": ["year"], "nulls_equal": false}], "now": "817000000000000"}}. Runs in
 * any process; it sees no data.
 */
#ifndef DPSYN_DERIVED_H
#define DPSYN_DERIVED_H

#include "pg/server/compat.h"

#include "datatype/timestamp.h"

#include "pg/domain/relation.h"

/* ERROR unless a dictionary is an object of texts, numbers, booleans and nulls. */
extern void dp_check_dictionary(Jsonb *dictionary, const char *column);
/* ERROR, before anything is spent, where a distance is modelled and its base, of the same row, is
 * not. */
extern void dp_check_offsets(const DpRelation *relation);
/* The same for distances from columns of rows that rows belong to; above: of DpRelation, what is
 * modelled of those together with it. */
extern void dp_check_offsets_above(const DpRelation *relation, const List *above);
/* What a release of the relation keeps, as text. */
extern char *dp_derived_to_json(const DpRelation *relation);

/* What is kept of a column. */
typedef struct DpDerivation
{
	char *base;
	bool is_offset;
	char *table; /* the base is a column of this one, to whose rows rows belong; NULL: their own */
	char *field_of;    /* the jsonb column that this is a field of; NULL: of none */
	bool not_null;     /* that column is */
	Jsonb *dictionary; /* NULL for an offset, or where the value is that of the base */
	char *computed;    /* the expression that it is (expression_words.h); NULL: none */
	bool always;       /* in every row: it is not modelled, and no column of it is ever NULL */
} DpDerivation;

/* Finds a column in what a release keeps; false: it is not there. derived NULL: nothing is kept. */
extern bool dp_derivation_find(Jsonb *derived, const char *column, DpDerivation *derivation);
/* The DpDistinct (schema_keys.h) that a release keeps, without the names of indexes; NIL: none. */
extern List *dp_distinct_find(Jsonb *derived);
/* The time of the release; 0: none is kept. */
extern TimestampTz dp_derived_now(Jsonb *derived);
/* The value that a dictionary has for a text; NULL: none, or NULL. */
extern char *dp_dictionary_look_up(Jsonb *dictionary, const char *text);

#endif
